"""Comparisons of pairs of evaluations for the app."""

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.evaluation.compare import Comparison, compare, read_run
from turnwise.report.app.evaluation import EvaluationSource
from turnwise.report.app.sources import Source, packed
from turnwise.report.comparison import figure_rows, remarks, verdict
from turnwise.report.html import visible

__all__ = ["pair", "pairs"]

MOST_RUNS = 5
"""Evaluations whose pairs a written page compares, of the first ones."""


def pairs(sources: Sequence[Source]) -> dict[str, bytes]:
    """The comparisons of all pairs of evaluations, in both directions, by name."""
    evaluations = [n for n, source in enumerate(sources) if isinstance(source, EvaluationSource)][:MOST_RUNS]
    return {f"all/pair{a}-{b}": _packed(sources, a, b) for a, b in itertools.permutations(evaluations, 2)}


def pair(sources: Sequence[Source], name: str) -> bytes | None:
    """The comparison of that name; None if it is not the name of one."""
    first, _, second = name.removeprefix("pair").partition("-")
    if not (name.startswith("pair") and first.isdecimal() and second.isdecimal()):
        return None
    if max(int(first), int(second)) >= len(sources):
        return None
    return _packed(sources, int(first), int(second))


def _packed(sources: Sequence[Source], first: int, second: int) -> bytes:
    sides = sources[first], sources[second]
    try:
        runs = [read_run(s.folder, s.latest()) for s in sides if isinstance(s, EvaluationSource)]
        if len(runs) < 2:
            return packed({"none": "only evaluations are compared"})
        found = compare(*runs)
        ends = [(visible(Path(folder).name, 200), agent) for folder, agent in (found.before, found.after)]
        return packed(shown(dataclasses.replace(found, before=ends[0], after=ends[1])))
    except SettingsError as error:
        return packed({"none": visible(str(error))})


def shown(found: Comparison) -> dict[str, Any]:
    """A comparison as plain JSON values, with its texts made visible."""
    flips = [
        {"env": visible(flip.env, 400), "seed": str(flip.seed), "before": flip.before, "after": flip.after}
        for flip in found.flips
    ]
    data = dataclasses.asdict(found)
    return {
        "overall": data["overall"],
        "parts": {kind: {visible(k, 400): d for k, d in members.items()} for kind, members in data["parts"].items()},
        "flips": flips,
        "settings": {visible(k, 200): [_text(v) for v in values] for k, values in found.settings.items()},
        "figures": [list(row) for row in figure_rows(found)],
        "remarks": list(remarks(found)),
        "verdict": visible(verdict(found)),
    }


def _text(value: Any) -> str | None:
    return None if value is None else visible(value if isinstance(value, str) else repr(value), 1000)
