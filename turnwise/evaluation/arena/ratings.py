"""Ratings from games between pairs: the Bradley-Terry model, with bootstrap intervals.

The probability that i beats j is 1 / (1 + 10^((r_j - r_i) / 400)), with ratings r on the scale of Elo, whose mean is
1500; a draw counts as half a win for each (Bradley and Terry 1952, Biometrika 39:324; Elo 1978, The Rating of
Chessplayers). Everybody has in addition drawn two games against an average player, so that ratings are finite for those
who have won or lost everything.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turnwise.core.env import seed_of

__all__ = ["Rating", "Result", "ratings"]

REPLICATES = 500
MEAN = 1500.0
PRIOR_DRAWS = 2.0
_SCALE = 400 / math.log(10)
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """How a game ended between two of its players.

    Attributes:
        first: One of them.
        second: The other.
        score: 1 if the first has won, 0 if the second has, 0.5 for a draw.
        unit: Games of the same unit stand or fall together: the two with the same seed and exchanged seats.
    """

    first: str
    second: str
    score: float
    unit: Hashable = None


@dataclass(frozen=True)
class Rating:
    """A player's rating.

    Attributes:
        value: The rating.
        ci95: Its 95 % interval, from resampled units.
    """

    value: float
    ci95: tuple[float, float]


def ratings(results: Sequence[Result], names: Sequence[str]) -> dict[str, Rating]:
    """Fit a rating to everybody.

    Args:
        results: Of all games.
        names: Of all players, those without a game among them.
    """
    place = {name: number for number, name in enumerate(names)}
    units: dict[Hashable, Array] = {}
    for number, result in enumerate(results):
        key = ("alone", number) if result.unit is None else result.unit
        won = units.setdefault(key, np.zeros((len(names), len(names))))
        won[place[result.first], place[result.second]] += result.score
        won[place[result.second], place[result.first]] += 1 - result.score
    if not units:
        return {name: Rating(MEAN, (-math.inf, math.inf)) for name in names}
    table = np.stack(list(units.values()))
    rng = np.random.default_rng(seed_of("ratings", *names))
    counts = rng.multinomial(len(table), np.full(len(table), 1 / len(table)), REPLICATES)
    drawn = np.tensordot(counts.astype(float), table, axes=1)
    fitted = _fit(np.concatenate([table.sum(0)[None], drawn]))
    value, spread = fitted[0], np.quantile(fitted[1:], (0.025, 0.975), axis=0)
    return {
        name: Rating(float(value[i]), (float(min(value[i], spread[0, i])), float(max(value[i], spread[1, i]))))
        for i, name in enumerate(names)
    }


def _fit(won: Array) -> Array:
    """Return the ratings, (tables, players), of tables of wins, (tables, players, players), by Newton's method."""
    tables, players, _ = won.shape
    games = won + won.swapaxes(1, 2)
    ability = np.zeros((tables, players))
    eye = np.eye(players)
    for _ in range(100):
        p = 1 / (1 + np.exp(ability[:, None, :] - ability[:, :, None]))
        mean = 1 / (1 + np.exp(-ability))
        slope = (won - games * p).sum(2) + PRIOR_DRAWS * (0.5 - mean)
        weight = games * p * (1 - p)
        curve = (weight.sum(2) + PRIOR_DRAWS * mean * (1 - mean))[:, :, None] * eye - weight
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        ability += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    fitted: Array = MEAN + _SCALE * (ability - ability.mean(1, keepdims=True))
    return fitted
