"""An item-response model that locates an agent on the levels of an environment.

The chance to solve a task of difficulty b is c + (1 - c) / (1 + exp(-slope (ability - b))), where c is the random
agent's solve rate at that level: a two-parameter logistic curve with known guessing (Birnbaum 1968, in Lord and Novick,
Statistical Theories of Mental Test Scores, chapter 17). Ability is the difficulty that the agent solves half of the
time after correction for chance; without a scale, difficulties are the numbers of the levels. The posterior of ability
and slope is computed on a grid. The next level is the one whose outcome says most about ability, with the slope as a
nuisance: the psi method (Kontsevich and Tyler 1999, Vision Research 39:2729) with the slope marginalised (Prins 2013,
Journal of Vision 13(7):3). What other environments say about the agent comes in as `Locator.prior`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from turnwise.evaluation.bootstrap import Estimate
from turnwise.evaluation.ladder.scale import Place

__all__ = ["MARGIN", "PER_LEVEL", "TAILS", "Array", "Located", "Locator", "ends_of", "quantiles", "surely_abler"]

Array = NDArray[np.float64]
PER_LEVEL = 20
"""Points of the grid per unit of ability."""
MARGIN = 3
"""Units below the easiest and above the hardest level that ability may lie."""
SLOPES = np.linspace(-2.31, 2.31, 13)
"""Points of the grid for the slope: standard deviations of its logarithm from its median."""
MOST_CHANCE = 0.98
TAILS = (0.005, 0.025, 0.5, 0.975, 0.995)
DRAWS = 1000


@dataclass(frozen=True)
class Located:
    """Where an agent stands on the levels of one environment, in numbers of levels.

    Attributes:
        ability: The level that it solves half of the time, corrected for chance: the posterior's median.
        ci95: The 95 % credible interval.
        ci99: The 99 % credible interval.
        levels: Number of levels. An ability or an end outside 1 to ``levels`` is known only to lie there.
    """

    ability: float
    ci95: tuple[float, float]
    ci99: tuple[float, float]
    levels: int

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.ci95[1] - self.ci95[0]

    @property
    def beyond(self) -> Literal["", "above", "below"]:
        """Whether the agent is above the top level or below the first: with 99.5 %, since it is asked repeatedly."""
        if self.ci99[0] >= self.levels:
            return "above"
        return "below" if self.ci99[1] <= 1 else ""

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The interval with an end outside the levels as None: that side is open."""
        low, high = self.ci95
        if low >= self.levels:
            return float(self.levels), None
        if high <= 1:
            return None, 1.0
        return low if low >= 1 else None, high if high <= self.levels else None


class Locator:
    """The posterior of an agent's ability in an environment.

    Args:
        chance: The random agent's solve rate at each level, from level 1.
        place: The levels on a scale; None takes their numbers as difficulties.
        ends: Least and greatest ability of the grid; None: those of this environment's levels (`ends_of`).

    Attributes:
        abilities: The points of the grid.
        prior: Logarithm of the weight of each before any result of this environment.
    """

    def __init__(
        self, chance: Sequence[float], place: Place | None = None, ends: tuple[float, float] | None = None
    ) -> None:
        self.chance = tuple(chance)
        self.place = place or Place(
            difficulty=tuple(map(float, range(1, len(chance) + 1))), offset_se=0.0, slope=1.0, slope_sd=0.6
        )
        self.abilities, self._curves, self._logs = _grid(self.chance, self.place, ends or ends_of([self.place]))
        self.prior = np.zeros(len(self.abilities))
        self.solved = np.zeros(len(self.chance), dtype=np.int64)
        self.played = np.zeros(len(self.chance), dtype=np.int64)
        self._log = np.broadcast_to(-0.5 * SLOPES**2, self._curves.shape[1:]).copy()

    def add(self, level: int, solved: int, played: int) -> None:
        """Take in the results of episodes at a level."""
        right, wrong = self._logs[level - 1]
        self._log += solved * right + (played - solved) * wrong
        self.solved[level - 1] += solved
        self.played[level - 1] += played

    def next_level(self) -> int:
        """Return the level whose next outcome is expected to say most about ability; of equal ones the lowest."""
        joint = self._joint()
        ability = joint.sum(1)
        solves = np.einsum("lta,ta->lt", self._curves, joint)  # joint probability of ability and success
        rate = solves.sum(1)
        given = np.divide(solves, ability, out=np.zeros_like(solves), where=ability > 0)
        information = _entropy(rate) - _entropy(given) @ ability
        return int(np.argmax(np.round(information, 12))) + 1

    def gain(self) -> float:
        """Return by how much the next episode, at `next_level`, is expected to reduce the variance of ability."""
        joint = self._joint()
        solves = (self._curves[self.next_level() - 1] * joint).sum(1)
        ability = joint.sum(1)
        means = [float(part @ self.abilities) for part in (solves, ability - solves)]
        rate = float(solves.sum())
        return means[0] ** 2 / rate + means[1] ** 2 / (1 - rate) - (means[0] + means[1]) ** 2

    def marginal(self) -> Array:
        """Return the probability of each of ``abilities``."""
        found: Array = self._joint().sum(1)
        return found

    def likelihood(self) -> Array:
        """Return how well each of ``abilities`` explains the results, whatever the slope; the greatest is 1."""
        found: Array = np.exp(self._log - self._log.max()).sum(1)
        found /= found.max()
        return found

    def located(self) -> Located:
        """Return ability and its interval, in levels of this environment."""
        lowest, low, middle, high, highest = self._levels(quantiles(self.abilities, self.marginal()))
        return Located(middle, (low, high), (lowest, highest), len(self.chance))

    def on_scale(self) -> Estimate:
        """Return ability and its interval on the scale."""
        _, low, middle, high, _ = quantiles(self.abilities, self.marginal())
        return Estimate(middle, (low, high))

    @property
    def span(self) -> tuple[float, float]:
        """The difficulties of the easiest and of the hardest level."""
        return min(self.place.difficulty), max(self.place.difficulty)

    def _levels(self, abilities: Sequence[float]) -> Sequence[float]:
        """Return abilities as levels: between two levels as the scale has them, beyond at the pace of all of them."""
        known = np.maximum.accumulate(self.place.difficulty) + 1e-9 * np.arange(len(self.chance))
        pace = (known[-1] - known[0]) / (len(known) - 1) if known[-1] - known[0] > 1e-6 else 1.0
        inside = np.interp(abilities, known, np.arange(1, len(known) + 1))
        beyond = np.clip(abilities, known[0], known[-1])
        return [float(value) for value in inside + (np.asarray(abilities) - beyond) / pace]

    def misfit(self, seed: int = 0) -> float:
        """Return how probable a misfit like that of the results is if the model is right; near 0, it is wrong.

        The posterior predictive probability of Pearson's chi-square over the levels that were played (Gelman, Meng and
        Stern 1996, Statistica Sinica 6:733). It is conservative: a model that is right seldom gets a small one.
        """
        rng = np.random.default_rng(seed)
        joint = self._joint()
        cells = rng.choice(joint.size, DRAWS, p=joint.ravel())
        rates = self._curves.reshape(len(self.chance), -1)[:, cells]
        played = np.broadcast_to(self.played[:, None], rates.shape)
        drawn = rng.binomial(played, rates)
        observed, expected = self.solved[:, None], played * rates
        spread = np.maximum(expected * (1 - rates), 1e-9)
        ours = ((observed - expected) ** 2 / spread).sum(0)
        theirs = ((drawn - expected) ** 2 / spread).sum(0)
        return float(np.mean(theirs >= ours))

    def _joint(self) -> Array:
        log = self._log + self.prior[:, None]
        weights: Array = np.exp(log - log.max())
        weights /= weights.sum()
        return weights


def ends_of(places: Sequence[Place]) -> tuple[float, float]:
    """Return the least and the greatest ability that environments can say anything about."""
    difficulties = [value for place in places for value in place.difficulty]
    return min(difficulties) - MARGIN, max(difficulties) + MARGIN


def quantiles(values: Array, weights: Array) -> Sequence[float]:
    """Return the quantiles of `TAILS`, between the points of the grid."""
    middles = np.cumsum(weights) - weights / 2
    return [float(value) for value in np.interp(TAILS, middles, values)]


def surely_abler(one: Locator, other: Locator) -> float:
    """Return the probability that the first agent's ability in an environment is above the other's."""
    ours, theirs = one.marginal(), other.marginal()
    below = np.cumsum(theirs) - theirs / 2
    return float(ours @ below)


# ---- inside ----------------------------------------------------------------------------------------------------------


@cache
def _grid(chance: tuple[float, ...], place: Place, ends: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Return abilities, the chance to solve each level with each ability and slope, and the logs of it and the rest."""
    guess = np.minimum(np.asarray(chance, dtype=np.float64), MOST_CHANCE)[:, None, None]
    first, last = (round(end * PER_LEVEL) for end in ends)
    abilities = np.arange(first, last + 1) / PER_LEVEL
    difficulty = np.asarray(place.difficulty)[:, None, None]
    slopes = place.slope * np.exp(place.slope_sd * SLOPES)
    logit = slopes[None, None, :] * (abilities[None, :, None] - difficulty)
    curves = guess + (1 - guess) / (1 + np.exp(-logit))
    curves = np.clip(curves, 1e-12, 1 - 1e-12)
    return abilities, curves, np.stack([np.log(curves), np.log1p(-curves)], axis=1)


def _entropy(rate: Array) -> Array:
    inside = np.clip(rate, 1e-300, 1.0)
    outside = np.clip(1 - rate, 1e-300, 1.0)
    found: Array = -(inside * np.log(inside) + outside * np.log(outside))
    return found
