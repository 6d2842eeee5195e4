"""The headline of a suite, and its parts: domains, environments and levels.

A level's score is its solve rate corrected for chance, (rate - chance) / (1 - chance). An environment's is the mean
over its levels, a domain's the mean over its environments, and the headline the mean over the domains by their weights.
The intervals are those of `turnwise.evaluation.bootstrap`; chance rates are taken as known.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnwise.core.metrics import Scores, overall
from turnwise.evaluation.bootstrap import Counts, Estimate, Stratum, estimate, stratum

__all__ = ["Part", "Standing", "grouped", "standing"]

Cells = Sequence[Mapping[str, Any]]
"""The cells of `turnwise.evaluation.suite.Suite.plan`."""


@dataclass(frozen=True)
class Part:
    """A part of a suite's result.

    Attributes:
        score: Mean solve rate, corrected for chance; None if a level of it has no scored episode.
        ci95: Its 95 % interval.
        scores: The other figures, plain means over what the part consists of.
    """

    score: float | None
    ci95: tuple[float, float] | None
    scores: Scores


@dataclass(frozen=True)
class Standing:
    """A suite's result.

    Attributes:
        headline: Over all domains; ``scores`` are means over the domains by their weights.
        domains: By name.
        environments: By environment with its settings.
        levels: By level, over the environments that have it, by their weights in the headline.
        missing: Levels without a scored episode.
        about: The suite's name and hash, the seed, the versions, what differs from the suite in this run, and in
            ``parts`` the domains with their environments in the suite's order.
    """

    headline: Part
    domains: Mapping[str, Part]
    environments: Mapping[str, Part]
    levels: Mapping[int, Part]
    missing: Sequence[str]
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Standing":
        """Restore what `dataclasses.asdict` and JSON made of it."""
        parts = {name: {key: _part(part) for key, part in data[name].items()} for name in ("domains", "environments")}
        levels = {int(level): _part(part) for level, part in data["levels"].items()}
        return cls(_part(data["headline"]), **parts, levels=levels, missing=data["missing"], about=data["about"])


def _part(data: Mapping[str, Any]) -> Part:
    ci95 = data["ci95"] and tuple(data["ci95"])
    return Part(data["score"], ci95, Scores.from_dict(data["scores"]))


def standing(
    about: Mapping[str, Any], cells: Cells, scores: Mapping[str, Scores], tasks: Mapping[str, Counts]
) -> Standing:
    """Return the result of a suite.

    Args:
        about: What is said of the suite.
        cells: What is played, with weights.
        scores: Of each cell, by its ``spec``.
        tasks: (solved, samples) of each task with a scored episode, in the order of the tasks, by the cell's ``spec``.
    """
    strata = {spec: stratum(spec, counts) for spec, counts in tasks.items() if counts}

    def part(key: str, members: Cells, figures: Scores) -> Part:
        found = _corrected(key, members, strata, scores)
        return Part(None, None, figures) if found is None else Part(found.value, found.ci95, figures)

    environments = {
        env: part(env, members, overall([scores[cell["spec"]] for cell in members]))
        for env, members in grouped(cells, lambda cell: cell["env"]).items()
    }
    domains, weights = {}, []
    for name, members in grouped(cells, lambda cell: cell["domain"]).items():
        inner = dict.fromkeys(cell["env"] for cell in members)
        domains[name] = part(name, members, overall([environments[env].scores for env in inner]))
        weights.append(math.fsum(cell["weight"] for cell in members))
    headline = part("headline", cells, overall([found.scores for found in domains.values()], weights))
    levels = {}
    for level, members in sorted(grouped([c for c in cells if c["level"] is not None], lambda c: c["level"]).items()):
        shares = [cell["weight"] for cell in members]
        levels[level] = part(f"level {level}", members, overall([scores[cell["spec"]] for cell in members], shares))
    missing = [cell["spec"] for cell in cells if cell["spec"] not in strata]
    return Standing(headline, domains, environments, levels, missing, about)


def _corrected(key: str, cells: Cells, strata: Mapping[str, Stratum], scores: Mapping[str, Scores]) -> Estimate | None:
    """Return the mean over cells, corrected for chance; None if a cell has no scored episode or no known chance rate.

    Args:
        key: What the random numbers depend on.
        cells: With their weights.
        strata: Of the solve rates.
        scores: They have the chance rates.
    """
    chances = [scores[cell["spec"]].chance if cell["spec"] in strata else None for cell in cells]
    known = [chance for chance in chances if chance is not None and chance < 1]
    if len(known) < len(cells):
        return None
    total = math.fsum(cell["weight"] for cell in cells)
    shares = [cell["weight"] / total for cell in cells]
    weights = [share / (1 - chance) for share, chance in zip(shares, known, strict=True)]
    shift = math.fsum(w * chance for w, chance in zip(weights, known, strict=True))
    found = estimate(key, [strata[cell["spec"]] for cell in cells], weights, 0.0, math.fsum(weights))
    value, low, high = (round(end - shift, 12) for end in (found.value, *found.ci95))  # so that all solved is 1.0
    return Estimate(value, (low, high))


def grouped(cells: Iterable[Mapping[str, Any]], key: Callable[[Mapping[str, Any]], Any]) -> dict[Any, Cells]:
    """Group cells by domain, environment or level."""
    found: dict[Any, list[Mapping[str, Any]]] = {}
    for cell in cells:
        found.setdefault(key(cell), []).append(cell)
    return dict(found)
