"""Players of N-point with a habit, and the best answer to each.

Sources: the first four habits are the opponents of KORGym (arXiv 2505.14552); the answer is optimal stopping against
the points that the opponent is likely to end with.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Draw, Floats
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.hidden.n_point import HIT, STAND, Hand, NPoint, Position, card_of, score
from turnwise.worlds.games.players.player import Player

__all__ = ["HABITS", "Habitual", "KnowingHabits", "Round", "advice", "ends", "rounds_of"]

_MOST_POINTS = 13  # of a card; each number from 1 on is equally likely
_MOST = 9  # hits that are looked ahead where the opponent follows them
_EQUAL = 1e-9  # differences in worth up to this one are errors of rounding
Moves = tuple[str, ...]
Bools = npt.NDArray[np.bool_]

HABITS: dict[str, Callable[[int, int, bool], bool]] = {
    "stubborn": lambda total, limit, follow: True,
    "careful": lambda total, limit, follow: False,
    "normal": lambda total, limit, follow: total < limit - 6,
    "repeat": lambda total, limit, follow: follow,
    "safe": lambda total, limit, follow: total <= limit - 13,
    "bold": lambda total, limit, follow: total < limit - 3,
    "nervous": lambda total, limit, follow: follow and total < limit - 3,
}
"""Whether each hits, by its points, the limit, and whether the other side hit in the turn before or it is the first."""
_FOLLOWING = ("habit:repeat", "habit:nervous")


def _follows(hand: Hand, seat: int) -> bool:
    made = hand.made[1 - seat]
    return not made or made[-1] == HIT


def _present(names: str, game: NPoint, number: int) -> str:
    """Return the one of some habits by which a round is played."""
    each = names.split("+")
    return each[number * len(each) // game.rounds]


@dataclass(frozen=True)
class Habitual(Player):
    """Plays N-point by a habit of `HABITS`, or by several one after another, "normal+bold": each for as many rounds."""

    habit: str = "normal"

    def __post_init__(self) -> None:
        if not isinstance(self.game, NPoint):
            raise SettingsError(f"habit:{self.habit} plays N-point, not {self.game!r}")

    def choose(self, state: Any) -> Any:
        return self.act(state, self.game.turn(state))

    def act(self, state: Any, seat: int) -> Any:
        assert isinstance(state, Position)
        assert isinstance(self.game, NPoint)
        hand = state.hand
        return (
            HIT
            if HABITS[_present(self.habit, self.game, state.number)](hand.total(seat), hand.limit, _follows(hand, seat))
            else STAND
        )


def ends(name: str, limit: int, first: int, made: Moves, other: Moves, hits: int = 0) -> list[float]:
    """Return how likely a player of that name ends a round with each number of points, by its first card and its moves.

    The last entry is for all points over the limit.

    Args:
        name: A habit of `HABITS`, as "habit:normal", or "random".
        limit: The limit of the round.
        first: The open card.
        made: What the player has done.
        other: What the other side has done.
        hits: How often the other side still hits, before it stands.
    """
    found: list[float] = _ends(name, limit, made, other, hits)[hits][first - 1].tolist()
    return found


def _ends(name: str, limit: int, made: Moves, other: Moves, most: int) -> list[Floats]:
    """Return `ends` for each number of hits up to ``most``, with a row for each first card."""
    done, open_ = np.zeros((_MOST_POINTS, limit + 2)), np.zeros((_MOST_POINTS, limit + 2))
    for first in range(1, _MOST_POINTS + 1):
        open_[first - 1, first + 1 : first + _MOST_POINTS + 1] = 1 / _MOST_POINTS
    found: list[Floats] = []
    for turn in range(len(other) + most + 2):
        if turn > len(other):  # the other side has just stood, or goes on
            ended, left, after = done, open_, turn
            while left.any():
                ended, left = _turn(ended, left, _odds(name, limit, False), made, after)
                after += 1
            whole = ended.sum(axis=1, keepdims=True)
            ended = ended + (whole == 0.0) * (np.arange(limit + 2) > limit)
            found.append(ended / np.where(whole == 0.0, 1.0, whole))
        follow = turn == 0 or turn > len(other) or other[turn - 1] == HIT
        done, open_ = _turn(done, open_, _odds(name, limit, follow), made, turn)
    return found


def _turn(done: Floats, open_: Floats, odds: Floats, made: Moves, turn: int) -> tuple[Floats, Floats]:
    """Return how likely each number of points is after a turn to be a player's last, and not to be.

    Args:
        done: The same before the turn.
        open_: The same before the turn.
        odds: How likely the player hits, by its points.
        made: What it has been seen to do.
        turn: The number of the turn.
    """
    seen = made[turn] if turn < len(made) else ""
    done = np.zeros_like(done) if seen == HIT else done + open_ * (1 - odds)  # who hits was not done
    if seen == STAND:
        return done, np.zeros_like(open_)
    after = open_ * odds @ _cards(open_.shape[1] - 2)
    done[:, -1] += after[:, -1]
    after[:, -1] = 0.0
    return done, after


@lru_cache(maxsize=128)
def _cards(limit: int) -> Floats:
    """Return how likely a card leads from a number of points to another; the last one is for all over the limit."""
    found = np.zeros((limit + 2, limit + 2))
    for points in range(limit + 1):
        for card in range(1, _MOST_POINTS + 1):
            found[points, min(points + card, limit + 1)] += 1 / _MOST_POINTS
    return found


@lru_cache(maxsize=1024)
def _odds(name: str, limit: int, follow: bool) -> Floats:
    """Return how likely a player hits with each number of points; the last entry is for being over the limit."""
    if name == "random":
        return np.array([*(0.5 for _ in range(limit + 1)), 0.0])
    hits = HABITS[name.removeprefix("habit:")]
    return np.array([*(float(hits(total, limit, follow)) for total in range(limit + 1)), 0.0])


def _worth(odds: Floats) -> Floats:
    """Return what standing is worth with each number of points against such ends; the last entry is for being over."""
    worth = 0.5 * odds + odds[:, -1:]
    worth[:, 1:-1] += np.cumsum(odds[:, :-2], axis=1)
    worth[:, -1] = 0.5 * odds[:, -1]
    return worth


def advice(name: str, limit: int, first: int, made: Moves, other: Moves) -> Bools:
    """Return for each number of points whether to hit against a player of that name, which has so far done ``made``."""
    ended = made.index(STAND) + 1 if STAND in made else len(made)
    plan: Bools = _plans(name, limit, made[:ended], other if name in _FOLLOWING else ())[first - 1]
    return plan


@lru_cache(maxsize=2**12)
def _plans(name: str, limit: int, made: Moves, other: Moves) -> Bools:
    """Return `advice` for each first card."""
    most = _MOST if name in _FOLLOWING else 0
    worths = [_worth(ends_).T for ends_ in _ends(name, limit, made, other, most)]
    beyond = np.concatenate([worths[-1][:-1], np.repeat(worths[-1][-1:], _MOST_POINTS, axis=0)])
    if most:
        for worth in worths[::-1]:
            sums = np.cumsum(beyond, axis=0)
            hit = (sums[_MOST_POINTS:] - sums[:-_MOST_POINTS]) / _MOST_POINTS
            beyond[: limit + 1] = np.maximum(worth[:-1], hit)
            beyond[limit + 1 :] = worth[-1]
    else:
        total, hit = beyond[limit + 1 :].sum(axis=0), np.zeros((limit + 1, _MOST_POINTS))
        for points in range(limit, -1, -1):
            hit[points] = total / _MOST_POINTS
            beyond[points] = np.maximum(beyond[points], hit[points])
            total = total + beyond[points] - beyond[points + _MOST_POINTS]
    plans: Bools = (hit > worths[0][:-1] + _EQUAL).T
    return plans


@dataclass(frozen=True)
class KnowingHabits(Player):
    """Knows how the opponents decide, but none of the hidden cards, and stops where that wins most on average."""

    against: str = "habit:normal"

    def choose(self, state: Any) -> Any:
        return self.act(state, self.game.turn(state))

    def act(self, state: Any, seat: int) -> Any:
        assert isinstance(self.game, NPoint)
        assert isinstance(state, Position)
        name, hand = self.against, state.hand
        if name.startswith("habit:"):
            name = f"habit:{_present(name.removeprefix('habit:'), self.game, state.number)}"
        own = hand.made[seat] if name in _FOLLOWING else ()
        plan = advice(name, hand.limit, hand.cards[1 - seat][0], hand.made[1 - seat], own)
        return HIT if plan[hand.total(seat)] else STAND


class Round(NamedTuple):
    """What a seat may make of a round against a habit: it hits some number of times and then stands.

    Attributes:
        limit: The limit.
        against: The opponent's name, as "habit:normal".
        first: Its open card.
        made: What it does while the seat hits.
        totals: The seat's points after each number of hits; the last are over the limit.
        scores: What it gets if it stands then.
    """

    limit: int
    against: str
    first: int
    made: Moves
    totals: tuple[int, ...]
    scores: tuple[float, ...]

    def standing(self, points: int) -> float:
        """Return what the seat gets that stands with so many points or more."""
        return next((s for t, s in zip(self.totals, self.scores, strict=True) if t >= points), self.scores[-1])

    def drawn(self, draw: Draw) -> float:
        """Return what it gets with random moves."""
        return next((s for s in self.scores[:-1] if draw.choice((HIT, STAND)) == STAND), self.scores[-1])

    def advised(self) -> float:
        """Return what it gets by `advice`."""
        for hits, total in enumerate(self.totals[:-1]):
            if not advice(self.against, self.limit, self.first, self.made[:hits], (HIT,) * hits)[total]:
                return self.scores[hits]
        return self.scores[-1]


def rounds_of(game: NPoint, luck: int, seat: int, habits: str) -> Iterator[Round]:
    """Yield the rounds of a match by what decides its cards and the names of the habits that a seat meets."""
    for number in range(game.rounds):
        limit, habit = game.limit(luck, number), _present(habits, game, number)
        own, other = [0], [0]
        for totals, who in ((own, seat), (other, 1 - seat)):
            totals[0] = card_of(luck, number, who, 0) + card_of(luck, number, who, 1)
            while totals[-1] <= limit:
                totals.append(totals[-1] + card_of(luck, number, who, len(totals) + 1))
        stops = [
            next(t for t, points in enumerate(other) if points > limit or not HABITS[habit](points, limit, t <= times))
            for times in range(len(own))
        ]
        scores = [score(limit, points, other[stop]) for points, stop in zip(own, stops, strict=True)]
        first, made = card_of(luck, number, 1 - seat, 0), (HIT,) * stops[-1] + (STAND,) * len(own)
        yield Round(limit, f"habit:{habit}", first, made, tuple(own), tuple(scores))
