"""Two evaluations side by side, as Markdown and as JSON; the app shows them as a page."""

import dataclasses
import json
from collections.abc import Sequence

from turnwise.evaluation.compare import Comparison, Difference
from turnwise.report import html
from turnwise.report.tables import markdown_table, one_line

__all__ = ["comparison_json", "comparison_markdown", "figure_rows", "remarks", "verdict"]

MAX_FLIPS = 20
Table = tuple[Sequence[str], Sequence[Sequence[str]]]
_FIGURES = {
    "mean_turns": ("turns per episode", 1.0), "prompt_tokens": ("tokens read per episode", 1.0),
    "completion_tokens": ("tokens written per episode", 1.0), "cost": ("cost per episode", 1.0),
    "latency_s": ("seconds per episode", 1.0), "truncation_rate": ("episodes truncated, %", 100.0),
    "cut_rate": ("turns cut by a token limit, %", 100.0), "format_error_rate": ("turns with format errors, %", 100.0),
    "refusal_rate": ("episodes with refusals, %", 100.0),
}  # fmt: skip


def verdict(found: Comparison) -> str:
    """Say in one sentence which run is better, and how sure that is."""
    d = found.overall
    low, high = d.ci95
    what = "better than" if low > 0 else "worse than" if high < 0 else "not distinguishable from"
    name = "score" if found.corrected else "solve rate"
    return (
        f"{found.after[1]} ({found.after[0]}) is {what} {found.before[1]} ({found.before[0]}): "
        f"{name} {100 * d.before:z.1f} -> {100 * d.after:z.1f}, difference {_signed(d.value)} points "
        f"(95 % interval {_signed(low)} to {_signed(high)}); {d.better} tasks better, {d.worse} worse of {d.tasks:,}, "
        f"McNemar p {_p(d.p_value)}"
    )


def comparison_markdown(found: Comparison, flips: int = MAX_FLIPS) -> str:
    """Write the comparison as Markdown.

    Args:
        found: The comparison.
        flips: How many flipped tasks are listed at most.
    """
    parts = [one_line(verdict(found)), markdown_table(*_differences(found))]
    parts += remarks(found)
    if found.settings:
        parts.append("Settings that differ:\n\n" + markdown_table(*_settings(found)))
    if rows := figure_rows(found):
        parts.append("Other figures:\n\n" + markdown_table(("", "before", "after"), rows))
    if found.flips:
        shown = "" if len(found.flips) <= flips else f" (the first {flips}; --json has all)"
        parts.append(f"Tasks that differ{shown}:\n\n" + markdown_table(*_flips(found, flips)))
    return "\n\n".join(parts)


def comparison_json(found: Comparison) -> str:
    """Write the comparison as JSON."""
    return json.dumps(dataclasses.asdict(found), indent=2, sort_keys=True) + "\n"


def remarks(found: Comparison) -> Sequence[str]:
    """Sentences about what the difference means, and what it leaves out."""
    lines = []
    if found.left_out:
        lines.append(
            f"{found.left_out} task{'s' * (found.left_out > 1)} had no scored episode in one of the runs and "
            f"{'are' if found.left_out > 1 else 'is'} left out of both."
        )
    if not found.corrected:
        lines.append("Solve rates are not corrected for chance: the chance rate of an environment is not known.")
    changed = [name for name in found.settings if not name.startswith("version of")]
    if len(changed) == 1:
        lines.append(f"The runs differ in {changed[0]} alone: the difference is its effect.")
    elif len(changed) > 1:
        lines.append(f"The runs differ in {len(changed)} settings: the difference is their common effect.")
    return lines


def _differences(found: Comparison) -> Table:
    header = ("", "before", "after", "difference", "95 % interval", "better", "worse", "tasks", "McNemar")
    rows = [("all", found.overall)]
    for kind, members in found.parts.items():
        rows += [(f"level {name}" if kind == "level" else html.short_id(name), d) for name, d in members.items()]
    return header, [_row(name, d) for name, d in rows]


def _row(name: str, d: Difference) -> Sequence[str]:
    return (
        name,
        f"{100 * d.before:z.1f}",
        f"{100 * d.after:z.1f}",
        _signed(d.value),
        f"{_signed(d.ci95[0])} to {_signed(d.ci95[1])}",
        str(d.better),
        str(d.worse),
        str(d.tasks),
        f"p {_p(d.p_value)}",
    )


def _settings(found: Comparison) -> Table:
    return ("setting", "before", "after"), [(name, repr(b), repr(a)) for name, (b, a) in found.settings.items()]


def figure_rows(found: Comparison) -> Sequence[Sequence[str]]:
    """Turns, tokens, cost and other means of both runs, where one of them has any."""
    rows = []
    for name, (words, scale) in _FIGURES.items():
        values = found.figures.get(name, (None, None))
        if any(values):
            rows.append((words, *("" if v is None else f"{scale * v:.4g}" for v in values)))
    return rows


def _flips(found: Comparison, most: int) -> Table:
    rows = [
        (html.short_id(flip.env), str(flip.seed), f"{100 * flip.before:.0f} %", f"{100 * flip.after:.0f} %")
        for flip in sorted(found.flips, key=lambda flip: flip.after - flip.before)[:most]
    ]
    return ("env", "seed", "solved before", "after"), rows


def _signed(value: float) -> str:
    """A difference in points, with its sign."""
    return f"{100 * value:+z.1f}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.2g}"
