"""Tables of a suite's result: the headline, domains, environments and levels."""

from collections.abc import Mapping, Sequence
from typing import Any

from turnwise.core.metrics import Scores
from turnwise.evaluation.headline import Part, Standing
from turnwise.report import html
from turnwise.report.tables import interval, markdown_table, percent

__all__ = ["headline_line", "standing_markdown", "standing_table"]

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
HEADER = (
    "", "score", "95 % interval", "episodes", "solved", "pass@k", "pass^k", "turns", "tokens", "cost", "seconds",
    "truncated", "cut", "format errors", "refusals", "errors",
)  # fmt: skip


def headline_line(standing: Standing) -> str:
    """The headline in one line: suite, score, interval, seed, and what differs from the suite."""
    about = standing.about
    seed = f"{'fresh ' * bool(about.get('fresh'))}seed {about.get('seed')}"
    notes = [f"suite hash {about.get('hash')}", seed, f"turnwise {about.get('turnwise')}"]
    if about.get("recorded") is None:
        notes.append("its environments' fingerprints were not recorded")
    notes += [f"{name} {now} in place of {own}" for name, (own, now) in changed(about).items()]
    if standing.headline.score is None:
        levels = ", ".join(standing.missing[:3]) + (" ..." if len(standing.missing) > 3 else "")
        why = f"no scored episode in {levels}" if standing.missing else "chance rates are not known"
        return f"{about.get('name')}: no score, {why} ({'; '.join(notes)})"
    score = f"{100 * standing.headline.score:z.1f} (95 % interval {interval(standing.headline.ci95)})"
    return f"{about.get('name')}: {score}; {'; '.join(notes)}"


def changed(about: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from the suite in this run, but for the seed, which is always said."""
    return {name: values for name, values in about.get("changed", {}).items() if name != "seed"}


def standing_table(standing: Standing) -> Table:
    """A row for the headline, each domain, environment and level; columns without any value are left out."""
    rows = [("headline", standing.headline)]
    for name, members in standing.about["parts"]:
        rows.append((name, standing.domains[name]))
        rows += [(f"· {html.short_id(env)}", standing.environments[env]) for env in members]
    rows += [(f"level {level}", part) for level, part in standing.levels.items()]
    cells = [_cells(name, part) for name, part in rows]
    columns = [column for column in zip(HEADER, *cells, strict=True) if any(column[1:])]
    header, *body = zip(*columns, strict=True)
    return header, body


def standing_markdown(standing: Standing) -> str:
    """The headline in one line, and its table."""
    return f"{headline_line(standing)}\n\n{markdown_table(*standing_table(standing))}"


def _cells(name: str, part: Part) -> Sequence[str]:
    s = part.scores
    most = _most(s)
    tokens = "" if not s.prompt_tokens and not s.completion_tokens else f"{s.completion_tokens:.0f}"
    return (
        name,
        "" if part.score is None else f"{100 * part.score:z.1f}",
        interval(part.ci95),
        str(s.num_episodes),
        percent(s.solve_rate),
        f"{percent((s.pass_at_k or {}).get(most))} (k={most})" if most > 1 else "",
        f"{percent((s.pass_hat_k or {}).get(most))} (k={most})" if most > 1 else "",
        "" if s.mean_turns is None else f"{s.mean_turns:.1f}",
        tokens,
        "" if s.cost is None else f"{s.cost * s.num_episodes:.4g}",
        "" if s.latency_s is None else f"{s.latency_s:.1f}",
        _some(s.truncation_rate),
        percent(s.cut_rate) if tokens else "",
        _some(s.format_error_rate),
        _some(s.refusal_rate),
        str(s.num_errors) if s.num_errors else "",
    )


def _most(scores: Scores) -> int:
    """The greatest k that pass@k is known for."""
    return max((k for k, value in (scores.pass_at_k or {}).items() if value is not None), default=1)


def _some(share: float | None) -> str:
    """A share, unless it is 0."""
    return percent(share) if share else ""
