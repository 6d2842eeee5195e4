"""Pages that stand alone: no network, no script but the filter's, and hostile text is only ever text.

A page forbids itself every script except its own by a content security policy, so that even an escaping fault here
would run nothing.
"""

import base64
import hashlib
import html
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnwise.core.episode import Episode, Turn

__all__ = [
    "Series",
    "chart",
    "conversation",
    "episode_list",
    "escape",
    "message",
    "page",
    "short_id",
    "table",
    "tiles",
    "visible",
]

MAX_CHARS = 20_000  # of one message on a page
_NAMED = re.compile(r"^(?:[^\n]{0,60} )?(?:question|task|goals?|issue|problem): *\n*", re.IGNORECASE | re.MULTILINE)
_SENTENCE = re.compile(r"[.:;!?]\s+|\n+")
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

STYLE = """
:root { --bg: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #667085; --line: #e3e7ee; --accent: #3056d3;
  --good: #12805c; --good-bg: #e3f5ee; --bad: #b42318; --bad-bg: #fdeceb; --warn: #9a6700; --warn-bg: #fdf3d7;
  --says: #eaf0ff; }
@media (prefers-color-scheme: dark) { :root { --bg: #12161d; --card: #1a202a; --ink: #e6e9ef; --soft: #98a2b3;
  --line: #2d3644; --accent: #8aa8ff; --good: #5fd3a8; --good-bg: #123529; --bad: #ff9b90; --bad-bg: #3b1a18;
  --warn: #f0c14b; --warn-bg: #3a2e10; --says: #22304f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 36px 0 12px; }
.sub { color: var(--soft); margin: 4px 0 20px; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 12px 16px; }
.tile b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
.card { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th { color: var(--soft); font-weight: 600; font-size: 12.5px; vertical-align: bottom; }
th, td { padding: 8px 10px; text-align: right; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
td:first-child { overflow-wrap: anywhere; min-width: 8em; }
td.figure { white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child { text-align: left; }
tr.group th { padding-top: 16px; color: var(--ink); font-size: 13.5px; }
@media (max-width: 760px) {  /* a row becomes a block of name and value */
  thead { display: none; }
  tr { display: block; padding: 8px 12px; border-bottom: 1px solid var(--line); }
  tr:last-child { border-bottom: 0; }
  td, tr.group th { display: flex; justify-content: space-between; gap: 16px; border: 0; padding: 2px 0; }
  td:first-child { font-weight: 600; }
  td:not(:first-child)::before { content: attr(data-name); color: var(--soft); text-align: left; }
  td:empty { display: none; }
  summary { flex-wrap: wrap; }
  summary .head { flex-basis: 100%; order: 9; white-space: normal; }
  .facts { white-space: normal; }
}
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr)); gap: 12px;
  margin-top: 12px; }
.chart { padding: 12px 14px 8px; margin: 0; }
.chart figcaption { font-weight: 600; font-size: 13.5px; display: flex; gap: 14px; flex-wrap: wrap; }
.key { font-weight: 400; color: var(--soft); }
.key i { display: inline-block; width: 14px; height: 3px; border-radius: 2px; margin: 0 5px 3px 0; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; }
svg .grid { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
svg .band { opacity: 0.13; }
svg .faint { opacity: 0.3; stroke-width: 1.2; }
svg .hit { fill: transparent; }
svg .hit:hover { fill: var(--ink); opacity: 0.07; }
.chart output { font-weight: 400; color: var(--ink); font-variant-numeric: tabular-nums; margin-left: auto; }
.filter { display: flex; gap: 10px; flex-wrap: wrap; align-items: center; margin-bottom: 12px; color: var(--soft); }
.filter select, .filter input { font: inherit; font-size: 14px; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; padding: 6px 10px; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 8px; }
summary { padding: 10px 14px; cursor: pointer; display: flex; gap: 10px; align-items: center; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:focus-visible { outline: 2px solid var(--accent); border-radius: 10px; }
summary > .badge { min-width: 76px; text-align: center; }
summary .head { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  color: var(--soft); }
.badge { font-size: 12px; font-weight: 600; padding: 1px 9px; border-radius: 99px; white-space: nowrap;
  background: var(--line); }
.good { color: var(--good); background: var(--good-bg); }
.bad { color: var(--bad); background: var(--bad-bg); }
.warn { color: var(--warn); background: var(--warn-bg); }
.facts { color: var(--soft); font-size: 13px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.talk .sub { font-size: 13px; margin: 14px 0 0; }
.talk { padding: 4px 14px 14px; border-top: 1px solid var(--line); }
.msg { margin-top: 12px; max-width: 88%; }
.msg.agent { margin-left: auto; }
.msg pre { width: fit-content; max-width: 100%; }
.msg.agent pre { margin-left: auto; }
.msg small { color: var(--soft); display: flex; gap: 8px; align-items: center; margin-bottom: 3px; }
.msg.agent small { justify-content: flex-end; }
.msg pre, pre.text { margin-block: 0; padding: 9px 13px; border-radius: 10px; background: var(--bg);
  border: 1px solid var(--line); font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; max-height: 480px; overflow-y: auto; }
.msg.agent pre { background: var(--says); }
.msg details { margin-top: 6px; max-width: none; }
.msg iframe { display: block; width: 100%; height: 420px; border: 0; border-top: 1px solid var(--line);
  background: #fff; }
[hidden] { display: none; }
"""

SCRIPT = """
const boxes = [...document.querySelectorAll("details.episode")], get = id => document.getElementById(id);
function filter() {
  const env = get("f-env").value, state = get("f-state").value, text = get("f-text").value.toLowerCase();
  let shown = 0;
  for (const box of boxes) {
    const fits = (!env || box.dataset.env === env) && (!state || box.dataset.state === state)
      && (!text || box.textContent.toLowerCase().includes(text));
    box.hidden = !fits;
    shown += fits;
  }
  get("f-count").textContent = shown + " of " + boxes.length + " shown";
}
document.addEventListener("toggle", event => {
  for (const frame of event.target.querySelectorAll(":scope > iframe:not([srcdoc])")) frame.srcdoc = frame.dataset.page;
}, true);
document.addEventListener("mouseover", event => {
  const figure = event.target.closest && event.target.closest(".chart");
  if (figure) figure.querySelector("output").textContent = event.target.dataset.values || "";
});
if (boxes.length) {
  for (const id of ["f-env", "f-state", "f-text"]) get(id).addEventListener("input", filter);
  filter();
}
"""
COLOURS = ("#3056d3", "#e8590c", "#12805c", "#9c36b5", "#0b7285", "#c2255c", "#7a5c00", "#667085")


def visible(text: str, limit: int = MAX_CHARS) -> str:
    """The text with control, invisible and text-direction characters and lone surrogates written out."""
    cut = f"\n… {len(text) - limit} more characters" if len(text) > limit else ""
    return _UNSEEN.sub(lambda m: ascii(m[0])[1:-1], text[:limit]) + cut


def escape(text: object) -> str:
    """Any text, safe between tags and in quoted attributes."""
    return html.escape(visible(str(text)), quote=True)


def page(title: str, subtitle: str, body: Iterable[str]) -> str:
    """A whole page; ``body`` is HTML, the rest is text."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
        f'<h1>{escape(title)}</h1>\n<p class="sub">{escape(subtitle)}</p>\n'
        + "\n".join(body)
        + f"\n</main><script>{SCRIPT}</script></body></html>\n"
    )


def tiles(figures: Mapping[str, str]) -> str:
    """A row of large figures."""
    cells = (f'<div class="tile"><b>{escape(v)}</b><span>{escape(k)}</span></div>' for k, v in figures.items())
    return f'<div class="tiles">{"".join(cells)}</div>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; the first column names the rows. A row of a single cell is the heading of those below it."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    lines = []
    for row in rows:
        if len(row) == 1 < len(header):
            lines.append(f'<tr class="group"><th colspan="{len(header)}">{escape(row[0])}</th></tr>')
            continue
        cells = zip(header, row, strict=True)
        lines.append("<tr>" + "".join(_data_cell(name, cell) for name, cell in cells) + "</tr>")
    return f'<div class="card"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _data_cell(name: str, text: str) -> str:
    """Narrow screens show the name of the column beside the value; figures are never broken over lines."""
    look = ' class="figure"' if re.fullmatch(r"[-+]?[\d.,]+[^a-z]*", text) and len(text) < 12 else ""
    return f'<td{look} data-name="{escape(name)}">{escape(text)}</td>'


@dataclass(frozen=True)
class Series:
    """A line of a chart: its name, its points, whether to mark each point, and (x, low, high) of a band around it."""

    name: str
    points: Sequence[tuple[float, float]]
    marked: bool = False
    band: Sequence[tuple[float, float, float]] = ()


def chart(title: str, series: Sequence[Series], *, wide: bool = False, top: float | None = None) -> str:
    """An inline SVG line chart. Long unmarked lines are drawn faint, under their moving mean."""
    series = [s for s in series if s.points]
    if not series:
        return ""
    width, height = (1040, 300) if wide else (360, 190)
    xs = [x for s in series for x, _ in s.points]
    ys = [y for s in series for y in (*(y for _, y in s.points), *(y for _, *ends in s.band for y in ends))]
    (x0, x1), (y0, y1) = _range(min(xs), max(xs)), _range(min(0.0, *ys), max(ys) if top is None else top)
    left, bottom = 52, height - 24

    def at(x: float, y: float) -> str:
        across, up = (x - x0) / (x1 - x0), (y - y0) / (y1 - y0)
        return f"{left + across * (width - left - 10):.1f},{bottom - up * (bottom - 10):.1f}"

    parts = []
    for y in _ticks(y0, y1, 4):
        line_y = at(x0, y).split(",")[1]
        parts.append(f'<line class="grid" x1="{left}" x2="{width - 10}" y1="{line_y}" y2="{line_y}"/>')
        parts.append(f'<text x="{left - 6}" y="{line_y}" dy="4" text-anchor="end">{y:.4g}</text>')
    for x in _ticks(x0, x1, 8 if wide else 4):
        parts.append(f'<text x="{at(x, y0).split(",")[0]}" y="{height - 6}" text-anchor="middle">{x:.6g}</text>')
    for i, s in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        window = 0 if s.marked or len(s.points) < 30 else len(s.points) // 15
        if len(s.band) > 1:
            edge = [at(x, high) for x, _, high in s.band] + [at(x, low) for x, low, _ in reversed(s.band)]
            parts.append(f'<polygon class="band" fill="{colour}" points="{" ".join(edge)}"/>')
        for points, faint in ((s.points, bool(window)), (_smooth(s.points, window), False)):
            if points:
                where = " ".join(at(*p) for p in points)
                look = ' class="faint"' if faint else ""
                parts.append(f'<polyline{look} stroke="{colour}" points="{where}"/>')
        for x, y in s.points if s.marked or len(s.points) == 1 else ():
            cx, cy = at(x, y).split(",")
            parts.append(f'<circle cx="{cx}" cy="{cy}" r="4" fill="{colour}"><title>{x:g}: {y:.4g}</title></circle>')
    parts += _hits(series, lambda x: float(at(x, y0).split(",")[0]), left, width - 10, bottom)
    keys = "".join(
        f'<span class="key"><i style="background:{COLOURS[i % len(COLOURS)]}"></i>{escape(s.name)}</span>'
        for i, s in enumerate(series if len(series) > 1 else ())
    )
    return (
        f'<figure class="chart card"><figcaption>{escape(title)}{keys}<output></output></figcaption>'
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg></figure>'
    )


def _hits(
    series: Sequence[Series], across: Callable[[float], float], left: float, right: float, bottom: float
) -> list[str]:
    """Invisible columns, one for each x, which give the values of all series there to the pointer."""
    at: dict[float, list[str]] = {}
    for s in series:
        for x, y in s.points:
            at.setdefault(x, []).append(f"{s.name} {y:.4g}" if len(series) > 1 else f"{y:.4g}")
    xs = sorted(at)
    places = [across(x) for x in xs]
    edges = [left, *((a + b) / 2 for a, b in itertools.pairwise(places)), right]
    return [
        f'<rect class="hit" x="{begin:.1f}" y="10" width="{max(end - begin, 0.1):.1f}" height="{bottom - 10}"'
        f' data-values="{escape(f"{x:g}: " + ", ".join(at[x]))}"><title>{escape(f"{x:g}: " + ", ".join(at[x]))}'
        "</title></rect>"
        for x, (begin, end) in zip(xs, itertools.pairwise(edges), strict=True)
    ]


def _range(low: float, high: float) -> tuple[float, float]:
    return (low, high) if high > low else (low, low + (abs(low) or 1.0))


def _ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers between the two."""
    raw = (high - low) / about
    size = 10.0 ** int(f"{raw:e}".split("e")[1])
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= raw * 0.999)
    first = -int(-low // step) if low > 0 else int(low / step)
    return [n * step for n in range(first, int(high / step + 1e-9) + 1)]


def _smooth(points: Sequence[tuple[float, float]], window: int) -> list[tuple[float, float]]:
    """Centred moving means; nothing for no window."""
    if not window:
        return []
    out = []
    for i in range(len(points)):
        near = points[max(0, i - window) : i + window + 1]
        out.append((points[i][0], sum(y for _, y in near) / len(near)))
    return out


def short_id(env: str) -> str:
    """An environment's id without turnwise's namespace."""
    return env.removeprefix("turnwise/")


def state_of(episode: Episode) -> str:
    """How an episode went: solved, failed, partly (paid but not solved), truncated, error."""
    if episode.status == "error":
        return "error"
    if episode.solved:
        return "solved"
    if episode.episode_return > 0:
        return "partly"
    return "truncated" if episode.truncated else "failed"


def episode_list(episodes: Sequence[Episode], pictures: Callable[[Episode], Sequence[str]] = lambda _: ()) -> str:
    """Episodes to browse, with a filter; ``pictures`` gives the page before each turn and after the last, as HTML."""
    envs = sorted({e.env for e in episodes})
    states = sorted({state_of(e) for e in episodes})
    options = "".join(f'<option value="{escape(e)}">{escape(short_id(e))}</option>' for e in envs)
    state_options = "".join(f"<option>{state}</option>" for state in states)
    heads = headings(episodes)
    boxes = "\n".join(
        _episode(number, episode, head, pictures(episode))
        for number, (episode, head) in enumerate(zip(episodes, heads, strict=True), 1)
    )
    return (
        '<div class="filter"><select id="f-env" aria-label="environment"><option value="">all environments</option>'
        f'{options}</select><select id="f-state" aria-label="outcome"><option value="">all outcomes</option>'
        f'{state_options}</select><input id="f-text" type="search" placeholder="text in the episode">'
        f'<span id="f-count">{len(episodes)} episodes</span></div>\n{boxes}'
    )


def headings(episodes: Sequence[Episode]) -> list[str]:
    """What tells each episode from the others of its environment: its question.

    It begins at a line such as "Question: ..." where there is one, else at the first sentence that differs.
    """
    texts = [e.turns[0].observation if e.turns else e.final_observation or e.error or "" for e in episodes]
    begins: dict[tuple[str, str], int] = {}
    groups: dict[tuple[str, str], list[str]] = {}
    keys = [(e.env, json.dumps(e.settings, sort_keys=True, default=str)) for e in episodes]
    for key, text in zip(keys, texts, strict=True):
        groups.setdefault(key, []).append(text)
    for key, members in groups.items():
        first, last = min(members), max(members)  # what these two share, all share
        shared = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
        whole = first == last
        begins[key] = 0 if whole else max((m.end() for m in _SENTENCE.finditer(first[:shared])), default=0)
    found = []
    for key, text in zip(keys, texts, strict=True):
        named = _NAMED.search(text)
        found.append(text[named.end() if named else begins[key] :][:300].strip())
    return found


def _episode(index: int, e: Episode, head: str, pictures: Sequence[str]) -> str:
    state = state_of(e)
    colour = {"solved": "good", "failed": "bad", "error": "bad"}.get(state, "warn")
    tokens = sum(t.completion_tokens for t in e.turns)
    facts = f"#{index} · return {e.episode_return:.2f} · {len(e.turns)} turn{'s' * (len(e.turns) != 1)}"
    facts += f" · {tokens} tokens" if tokens else ""
    return (
        f'<details class="episode" data-env="{escape(e.env)}" data-state="{state}"><summary>'
        f'<span class="badge {colour}">{state}</span><b>{escape(short_id(e.env))}</b>'
        f'<span class="head">{escape(head)}</span><span class="facts">{facts}</span></summary>'
        f'<div class="talk">{conversation(e, pictures)}</div></details>'
    )


def conversation(e: Episode, pictures: Sequence[str] = ()) -> str:
    """An episode turn by turn, with what a person would have seen, where that is given."""
    seen = pictures or [""] * (len(e.turns) + 1)
    parts = [
        message("environment", turn.observation, picture=seen[n - 1]) + _answer(n, turn)
        for n, turn in enumerate(e.turns, 1)
    ]
    if e.final_observation:
        parts.append(message("environment", e.final_observation, picture=seen[-1]))
    if e.error:
        parts.append(message("error: this episode is not counted", e.error))
    facts: dict[str, Any] = {"seed": e.seed, "sample": e.sample, "task": e.task_id, "agent": e.agent}
    facts |= {"settings": e.settings} if e.settings else {}
    facts |= {"metrics": {k: round(v, 4) for k, v in e.metrics.items()}} if e.metrics else {}
    facts |= {"attempts": e.attempts} if e.attempts > 1 else {}
    line = " · ".join(f"{k} {json.dumps(v) if isinstance(v, dict) else v}" for k, v in facts.items())
    return "".join(parts) + f'<p class="sub">{escape(line)}</p>'


def message(who: str, text: str, extra: str = "", kind: str = "", picture: str = "") -> str:
    """What one side of a conversation said; ``extra`` and ``kind`` are HTML, ``picture`` a page as a person sees it."""
    frame = ""
    if picture:  # in a frame that may do nothing: no scripts, no forms, no links out
        page = html.escape(picture, quote=True)
        frame = (
            f'<details><summary>as a browser shows it</summary><iframe sandbox data-page="{page}"></iframe></details>'
        )
    return f'<div class="msg {kind}"><small>{escape(who)}{extra}</small><pre>{escape(text)}</pre>{frame}</div>'


def _answer(number: int, turn: Turn) -> str:
    badges = [f'<span class="badge {"good" if turn.reward > 0 else ""}">reward {turn.reward:g}</span>']
    if turn.invalid:
        badges.append('<span class="badge warn">invalid</span>')
    if turn.finish != "stop":
        badges.append(f'<span class="badge warn">{escape(turn.finish)}</span>')
    if turn.completion_tokens:
        badges.append(f"<span>{turn.prompt_tokens} + {turn.completion_tokens} tokens</span>")
    said = message(f"agent, turn {number}", turn.action, "".join(badges), "agent")
    if not turn.reasoning:
        return said
    return (
        f"<details><summary>thoughts before turn {number}</summary><pre>{escape(turn.reasoning)}</pre></details>{said}"
    )
