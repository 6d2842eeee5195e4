"""Tables and pages of evaluations and training runs.

A folder with episodes.jsonl is an evaluation, one with metrics.jsonl and config.json a training run. `markdown`
gives tables, several evaluations side by side; `write_page` a page that stands alone.
"""

import itertools
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium

from turnwise.core.episode import Episode, read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import Scores, overall, score, wilson
from turnwise.core.registration import family, recall, split_settings
from turnwise.evaluation.evaluate import EvalConfig
from turnwise.report import html
from turnwise.report.pictures import drawn, draws
from turnwise.report.training import (
    Training,
    by_environment,
    curves,
    origins_table,
    samples_section,
    settings_of_runs,
    settings_table,
    trained_on,
)  # fmt: skip

__all__ = [
    "Evaluation",
    "Training",
    "load_run",
    "load_runs",
    "markdown",
    "markdown_table",
    "scores_table",
    "write_comparison",
    "write_page",
]

OVERALL = "all (mean)"
OWN = "other environments"
TRAININGS = "Training: test solve rate in percent, mean ± standard deviation over seeds"
MAX_PICTURES = 4_000_000  # characters of pages in a report
MANY = 8  # training runs; of more than this only what they show together is printed
_EVAL_COLUMNS = (
    "env", "episodes", "solved", "95 % interval", "pass@k", "chance-corrected", "return", "turns", "tokens",
    "truncated", "cut", "format errors", "errors",
)  # fmt: skip
_CHARTS = {  # of the training steps; the solve rate has its own
    "reward": "mean return", "entropy": "entropy, nats per token", "kl": "KL to the sampling policy",
    "kl_ref": "KL to the first model", "clip_fraction": "clipped tokens, share", "grad_norm": "gradient norm",
    "loss": "loss", "spread": "groups with unequal returns, share", "turns": "turns per rollout",
    "tokens": "sampled tokens per rollout", "truncated": "truncated rollouts, share", "cut": "cut turns, share",
    "logp_gap": "largest sampler-trainer gap of a log-probability", "errors": "failed rollouts", "lr": "learning rate",
}  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """An evaluation's folder.

    Attributes:
        folder: Where it is.
        agent: The agent's name.
        config: Its config.json.
        episodes: The last record of each job.
        scores: Figures by environment (and settings, where one was played with several).
        missing: Why environments are not registered here, by id.
    """

    folder: Path
    agent: str
    config: Mapping[str, Any]
    episodes: Sequence[Episode]
    scores: Mapping[str, Scores]
    missing: Mapping[str, str] = field(default_factory=dict)


Run = Evaluation | Training
Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Header and rows."""


# ---- reading -------------------------------------------------------------------------------------------------------


def load_runs(folders: Iterable[Path]) -> list[Run]:
    """The runs in these folders, or in folders below them.

    Raises:
        SettingsError: A folder holds none, or what it holds cannot be read.
    """
    runs: list[Run] = []
    for folder in folders:
        if not folder.is_dir():
            raise SettingsError(f"{folder} is not a folder")
        found = [folder] if _is_run(folder) else sorted(p for p in folder.rglob("*/") if _is_run(p))
        if not found:
            raise SettingsError(
                f"{folder} holds no run: neither episodes.jsonl (of `turnwise eval`) nor metrics.jsonl and config.json "
                "(of `turnwise train`)"
            )
        runs += map(load_run, found)
    return runs


def _is_run(folder: Path) -> bool:
    names = [(folder / name).is_file() for name in ("episodes.jsonl", "metrics.jsonl", "config.json")]
    return names[0] or (names[1] and names[2])


def load_run(folder: Path) -> Run:
    """The evaluation or training run in a folder; imports what an evaluation's environments came from.

    Raises:
        SettingsError: A file cannot be read.
    """
    try:
        config = _json(folder / "config.json")
        if not (folder / "episodes.jsonl").exists():
            lines = _records(folder / "metrics.jsonl")
            kinds = {kind: [r for r in lines if r.get("kind") == kind] for kind in ("train", "eval")}
            timings = [r for r in _records(folder / "timings.jsonl") if r.get("kind") == "train"]
            origin = _json(folder / "run.json")
            return Training(folder, config, kinds["train"], kinds["eval"], timings, origin)
        latest = {e.job.name: e for e in read_episodes(folder / "episodes.jsonl")}
        return _evaluation(folder, config, list(latest.values()))
    except ValueError as error:
        raise SettingsError(f"{folder} cannot be read: {error}") from error


def _evaluation(folder: Path, config: Mapping[str, Any], episodes: Sequence[Episode]) -> Evaluation:
    """The figures are computed again: an interrupted evaluation has no summary.json, or an old one."""
    told = {env: recall(env, config.get("env_modules")) for env in sorted({e.env for e in episodes})}
    names, ks = _jobs(config)
    groups: dict[str, list[Episode]] = {name: [] for name in dict.fromkeys(names.values())}
    for episode in episodes:
        groups.setdefault(names.get(episode.job.name, episode.env), []).append(episode)
    summary = _json(folder / "summary.json")
    chances = {env: part.get("chance") for env, part in summary.get("environments", {}).items()}
    scores = {env: score(group, ks, chances.get(env)) for env, group in groups.items() if group}
    agents = sorted({e.agent for e in episodes})
    missing = {env: why for env, why in told.items() if why}
    return Evaluation(folder, ", ".join(agents) or "nothing played yet", config, episodes, scores, missing)


def _jobs(config: Mapping[str, Any]) -> tuple[Mapping[str, str], Sequence[int]]:
    """The name of the environment for each job, and the k; nothing where the config is not one of `evaluate`."""
    try:
        made = EvalConfig.from_dict(config["config"])
        return {job.name: env for env in made.envs for job in made.jobs_of(env)}, made.ks
    except (KeyError, TypeError, SettingsError):  # SettingsError: an environment that is not registered here
        return {}, (1,)


def _json(path: Path) -> dict[str, Any]:
    """What a file says, {} if it does not exist."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _records(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    lines = path.read_bytes().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith(b"\n") and line.strip()]


# ---- Markdown ------------------------------------------------------------------------------------------------------


def markdown(runs: Sequence[Run]) -> str:
    """Tables of all runs; several evaluations are set side by side first, and so are training runs, by setting.

    Many training runs have the common table alone: their own pages show the rest.
    """
    evaluations = [run for run in runs if isinstance(run, Evaluation)]
    trainings = [run for run in runs if isinstance(run, Training)]
    parts = []
    if len(evaluations) > 1:
        parts.append("## Solve rate (95 % interval)\n\n" + markdown_table(*comparison(evaluations)))
    if len(trainings) > 1:
        parts.append(f"## {TRAININGS}\n\n" + markdown_table(*settings_table(settings_of_runs(trainings))))
        if any(run.origin for run in trainings):
            parts.append("## Where the runs come from\n\n" + markdown_table(*origins_table(trainings)))
    shown = evaluations if len(trainings) > MANY else runs
    for run in shown:
        if isinstance(run, Evaluation):
            title = f"{run.agent}: {run.folder}"
            parts.append(f"## {_cell(title)}\n\n" + markdown_table(*scores_table(run.scores)))
        else:
            parts.append(f"## {_cell(_training_title(run))}\n\n" + markdown_table(*before_and_after(run)))
    return "\n\n".join(parts)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose source is as readable as the page it makes."""
    lines = [[_cell(c) for c in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    texts = []
    for line in (lines[0], rule, *lines[1:]):
        padded = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))]
        texts.append(f"| {' | '.join(padded)} |")
    return "\n".join(texts)


def _cell(text: str) -> str:
    return html.visible(text).replace("|", "\\|").replace("\n", " ")


def scores_table(scores: Mapping[str, Scores], *, headings: bool = False) -> Table:
    """An environment in each row, by family, and the mean over several; columns without any value are left out.

    Args:
        scores: Figures by environment.
        headings: Put a row of one cell, the family and its mean, above the environments of each.
    """
    families = by_family(scores)
    named = {html.short_id(env): part for members in families.values() for env, part in members.items()}
    if len(named) > 1:
        named[OVERALL] = overall(list(scores.values()))
    columns = list(zip(_EVAL_COLUMNS, *(_score_cells(name, part) for name, part in named.items()), strict=True))
    header, *rows = zip(*(column for column in columns if any(column[1:])), strict=True)
    if headings and len(families) > 1:
        rest, rows = iter(rows), []
        for title, members in families.items():
            mean = percent(overall(list(members.values())).solve_rate)
            rows.append((f"{title}: {mean}" if mean and len(members) > 1 else title,))
            rows += itertools.islice(rest, len(members))
        rows += [("all",), *rest]
    return header, rows


def by_family(scores: Mapping[str, Scores]) -> dict[str, dict[str, Scores]]:
    """The environments of each family, families in alphabetical order, one's own environments last."""
    found: dict[str, dict[str, Scores]] = {}
    for env, part in scores.items():
        found.setdefault(_family(env), {})[env] = part
    return dict(sorted(found.items(), key=lambda item: (item[0] == OWN, item[0])))


def _family(env: str) -> str:
    env_id = split_settings(env)[0]
    return family(env_id) if env_id in gymnasium.registry else OWN


def _score_cells(name: str, s: Scores) -> Sequence[str]:
    most = max((k for k, v in (s.pass_at_k or {}).items() if v is not None), default=1)
    passed = (s.pass_at_k or {}).get(most)
    tokens = "" if not s.prompt_tokens and not s.completion_tokens else f"{s.completion_tokens:.0f}"
    return (
        name,
        str(s.num_episodes),
        percent(s.solve_rate),
        interval(s.ci95),
        f"{percent(passed)} (k={most})" if most > 1 else "",
        percent(s.chance_corrected),
        "" if s.mean_return is None else f"{s.mean_return:.3f}",
        "" if s.mean_turns is None else f"{s.mean_turns:.1f}",
        tokens,
        percent(s.truncation_rate),
        percent(s.cut_rate) if tokens else "",
        percent(s.format_error_rate),
        str(s.num_errors),
    )


def comparison(runs: Sequence[Evaluation]) -> Table:
    """Agents in columns, environments in rows; equal names of agents are told apart by their folder."""
    names = [r.agent for r in runs]
    header = ["env", *(r.agent if names.count(r.agent) == 1 else f"{r.agent} ({r.folder.name})" for r in runs)]
    envs = sorted(dict.fromkeys(env for r in runs for env in r.scores), key=_family)
    rows: list[Sequence[str]] = [[html.short_id(env), *(_rate(r.scores.get(env)) for r in runs)] for env in envs]
    if len(envs) > 1 and all(set(r.scores) == set(envs) for r in runs):
        rows.append([OVERALL, *(_rate(overall(list(r.scores.values()))) for r in runs)])
    return header, rows


def _rate(scores: Scores | None) -> str:
    known = scores is not None and scores.solve_rate is not None
    return f"{percent(scores.solve_rate)} ({interval(scores.ci95)})" if known and scores else ""


def percent(value: float | None) -> str:
    """A share as "12.3 %"; nothing for None."""
    return "" if value is None else f"{100 * value:.1f} %"


def interval(ends: tuple[float, float] | None) -> str:
    """An interval of shares as "10.1–14.9"."""
    return "" if ends is None else f"{100 * ends[0]:.1f}–{100 * ends[1]:.1f}"


def before_and_after(run: Training) -> Table:
    """The test solve rate before the first step, after the last, and between."""
    header = (
        "after step", "sampled", "95 % interval", "greedy", "95 % interval", "return", "turns", "tokens", "errors"
    )  # fmt: skip
    tasks = int(run.config.get("eval_tasks", 0))
    return header, [_test_cells(name, record, tasks) for name, record in by_environment(run.tests)]


def _test_cells(name: str, r: Mapping[str, Any], tasks: int) -> Sequence[str]:
    cells = [name]
    tasks *= max(1, sum(key.startswith("sampled_solved/") for key in r))  # a mixture's: of all its environments
    for kind in ("sampled", "greedy"):
        played = tasks - int(r.get(f"{kind}_errors", 0))
        rate = float(r[f"{kind}_solved"])
        known = played > 0
        cells += [percent(rate), interval(wilson(min(played, rate * played), played)) if known else ""]
    figures = (("return", ".3f"), ("turns", ".1f"), ("tokens", ".0f"), ("errors", ".0f"))
    values = [(r.get(f"sampled_{name}"), form) for name, form in figures]
    return cells + ["" if value is None else format(value, form) for value, form in values]


def _training_title(run: Training) -> str:
    return f"{trained_on(run.config)}: {run.folder}"


# ---- pages ---------------------------------------------------------------------------------------------------------


def write_page(run: Run, max_episodes: int = 300) -> Path:
    """Write report.html into the run's folder and return its path."""
    text = evaluation_page(run, max_episodes) if isinstance(run, Evaluation) else training_page(run)
    return _write(run.folder / "report.html", text)


def write_comparison(runs: Sequence[Run], path: Path) -> Path:
    """Write a page with the tables and curves of all runs, and return its path."""
    evaluations = [run for run in runs if isinstance(run, Evaluation)]
    trainings = [run for run in runs if isinstance(run, Training)]
    body = []
    if evaluations:
        body += ["<h2>Solve rate (95 % interval)</h2>", html.table(*comparison(evaluations))]
    if trainings:
        found = settings_of_runs(trainings)
        body += [f"<h2>{TRAININGS}</h2>", html.table(*settings_table(found))]
        body += ["<h2>Curves: mean over seeds, from the lowest to the highest</h2>", curves(found)]
        if any(run.origin for run in trainings):
            body += ["<h2>Where the runs come from</h2>", html.table(*origins_table(trainings))]
    for evaluation in evaluations:
        title = f"{evaluation.agent}: {evaluation.folder}"
        body += [f"<h2>{html.escape(title)}</h2>", html.table(*scores_table(evaluation.scores, headings=True))]
    for run in trainings:
        body += [f"<h2>{html.escape(_training_title(run))}</h2>", html.table(*before_and_after(run))]
        body += [_settings(run.config), _settings(run.origin, "run.json")]
    counts = {"evaluation": len(evaluations), "training run": len(trainings)}
    subtitle = ", ".join(f"{n} {what}{'s' * (n > 1)}" for what, n in counts.items() if n)
    return _write(path, html.page("Comparison" if len(runs) > 1 else "Run", subtitle, body))


def _write(path: Path, text: str) -> Path:
    """Whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o644)  # mkstemp's is for its owner only
    os.replace(name, path)
    return path


def evaluation_page(run: Evaluation, max_episodes: int = 300) -> str:
    """Figures, the table, and the episodes to browse."""
    total = overall(list(run.scores.values()))
    figures = {
        "solve rate": percent(total.solve_rate),
        "95 % interval": interval(total.ci95),
        "corrected for chance": percent(total.chance_corrected),
        "episodes": f"{total.num_episodes:,}",
        "turns per episode": "" if total.mean_turns is None else f"{total.mean_turns:.1f}",
        "errors": str(total.num_errors),
    }
    episodes = choose(run.episodes, max_episodes)
    pages = _Pages(run.missing)
    shown = html.episode_list(episodes, pages)
    body = [
        html.tiles({k: v for k, v in figures.items() if v}),
        "<h2>By environment</h2>",
        html.table(*scores_table(run.scores, headings=True)),
        f"<h2>Episodes{_shown(len(episodes), len(run.episodes))}</h2>",
        *(f'<p class="sub">{html.escape(line)}</p>' for line in pages.left_out()),
        shown,
        "<h2>Settings</h2>",
        _settings(run.config),
    ]
    return html.page(run.agent, f"evaluation · {run.folder.resolve().name}", body)


class _Pages:
    """`pictures` for as many episodes as a page can carry; notes why others have none."""

    def __init__(self, missing: Mapping[str, str]) -> None:
        self._missing, self._left = missing, MAX_PICTURES
        self._why: Counter[tuple[str, str]] = Counter()

    def __call__(self, episode: Episode) -> Sequence[str]:
        found: Sequence[str] = ()
        why = self._missing.get(episode.env, "")
        if episode.status == "error" or not (why or draws(episode.env)):
            return ()
        if not why and self._left <= 0:
            why = f"{MAX_PICTURES:,} characters of pages are enough for one report"
        elif not why:
            found, why = drawn(episode)
            self._left -= sum(map(len, found))
        if why:
            self._why[episode.env, why] += 1
        return found

    def left_out(self) -> list[str]:
        """A line for each environment and reason."""
        return [
            f"No step pages for {n} episode{'s' * (n > 1)} of {env}: {why.rstrip('.')}."
            for (env, why), n in self._why.items()
        ]


def _shown(shown: int, total: int) -> str:
    return "" if shown == total else f" ({shown} of {total:,} are on this page)"


def choose(episodes: Sequence[Episode], most: int) -> list[Episode]:
    """At most ``most`` episodes, evenly from environments and outcomes, in the order of environment, seed, sample."""
    kinds: dict[tuple[str, str], list[Episode]] = {}
    for episode in sorted(episodes, key=lambda e: (e.env, e.seed, e.sample)):
        kinds.setdefault((episode.env, html.state_of(episode)), []).append(episode)
    chosen: list[Episode] = []
    depth = 0
    while len(chosen) < min(most, len(episodes)):
        chosen += [of_kind[depth] for of_kind in kinds.values() if depth < len(of_kind)][: most - len(chosen)]
        depth += 1
    return sorted(chosen, key=lambda e: (e.env, e.seed, e.sample))


def training_page(run: Training) -> str:
    """Before and after, the learning curve, and every figure of the steps."""
    first, last = (run.tests[0], run.tests[-1]) if run.tests else ({}, {})
    groups, size = (int(run.config.get(name, 0)) for name in ("groups_per_step", "group_size"))
    seconds = sum(r.get("collect_s", 0.0) + r.get("update_s", 0.0) for r in run.timings)
    figures = {
        "test solve rate, before": percent(first.get("sampled_solved")),
        "test solve rate, after": percent(last.get("sampled_solved")),
        "steps": str(run.steps[-1]["step"]) if run.steps else "0",
        "rollouts per step": str(groups * size or ""),
        "minutes in steps": f"{seconds / 60:.1f}" if seconds else "",
    }
    curve = html.chart(
        "solve rate",
        [
            html.Series("train, sampled", _points(run.steps, "solved")),
            html.Series("test, sampled", _points(run.tests, "sampled_solved"), marked=True),
            html.Series("test, greedy", _points(run.tests, "greedy_solved"), marked=True),
        ],
        wide=True,
        top=1.0,
    )
    charts = [html.chart(title, [html.Series(name, _points(run.steps, name))]) for name, title in _CHARTS.items()]
    charts.append(html.chart("sampled tokens per second", [html.Series("", _points(run.timings, "tokens_per_s"))]))
    body = [
        html.tiles({k: v for k, v in figures.items() if v}),
        "<h2>Learning curve</h2>",
        curve,
        "<h2>Test split</h2>",
        html.table(*before_and_after(run)),
        "<h2>Training steps</h2>",
        f'<div class="charts">{"".join(charts)}</div>',
        samples_section(run.folder),
        "<h2>Settings</h2>",
        _settings(run.config),
        _settings(run.origin, "run.json"),
    ]
    facts = ["training", run.folder.resolve().name]
    facts += [f"{name} {run.config[name]}" for name in ("model", "credit", "optimizer", "seed") if name in run.config]
    return html.page(trained_on(run.config) or "training", " · ".join(facts), body)


def _points(records: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    """(step, value) where there is a finite value; nothing where all are zero."""
    points = [(float(r["step"]), float(r[name])) for r in records if isinstance(r.get(name), (int, float))]
    points = [p for p in points if p[1] - p[1] == 0]  # neither infinite nor no number
    return points if any(y for _, y in points) or name.endswith("solved") else []


def _settings(values: Mapping[str, Any], name: str = "config.json") -> str:
    if not values:
        return ""
    text = html.escape(json.dumps(values, indent=2))
    return f'<details><summary>{name}</summary><pre class="text">{text}</pre></details>'
