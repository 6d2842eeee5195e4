"""Players of N-point with a habit, and the best answer to each.

Sources: the first four habits are the opponents of KORGym (arXiv 2505.14552); the answer is optimal stopping against
the points that the opponent is likely to end with.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.worlds.games.hidden.n_point import HIT, STAND, Hand, NPoint, Position
from turnwise.worlds.games.players.player import Player

__all__ = ["HABITS", "Habitual", "KnowingHabits", "advice", "ends"]

_CARDS = range(1, 14)
_MOST = 9  # hits that are looked ahead where the opponent follows them
Moves = tuple[str, ...]

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


def _present(names: str, game: NPoint, state: Position) -> str:
    """Return the one of some habits by which a round is played."""
    each = names.split("+")
    return each[state.number * len(each) // game.rounds]


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
            if HABITS[_present(self.habit, self.game, state)](hand.total(seat), hand.limit, _follows(hand, seat))
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
    over = limit + 1
    done, open_ = [0.0] * (over + 1), [0.0] * (over + 1)
    for card in _CARDS:
        open_[first + card] = 1 / 13
    others = (*other, *(HIT,) * hits)
    for turn in range(limit):
        seen = made[turn] if turn < len(made) else ""
        odds = _odds(name, limit, turn == 0 or (turn <= len(others) and others[turn - 1] == HIT))
        if seen == HIT:
            done = [0.0] * (over + 1)  # whoever hits was neither done nor over the limit
        else:
            done = [d + p * (1 - q) for d, p, q in zip(done, open_, odds, strict=True)]
        if seen == STAND:
            break
        on = [p * q / 13 for p, q in zip(open_, odds, strict=True)]
        if not any(on):
            break
        open_ = [sum(on[max(0, total - 13) : total]) for total in range(over)] + [0.0]
        done[over] += sum(p * (total + 13 - limit) for total, p in enumerate(on[limit - 12 : over], limit - 12))
    whole = sum(done)
    return [p / whole for p in done] if whole else [0.0] * over + [1.0]


@lru_cache(maxsize=1024)
def _odds(name: str, limit: int, follow: bool) -> tuple[float, ...]:
    """Return how likely a player hits with each number of points; the last entry is for being over the limit."""
    if name == "random":
        return (0.5,) * (limit + 1) + (0.0,)
    hits = HABITS[name.removeprefix("habit:")]
    return (*(float(hits(total, limit, follow)) for total in range(limit + 1)), 0.0)


def _worth(odds: list[float]) -> list[float]:
    """Return what standing is worth with each number of points against such ends; the last entry is for being over."""
    *ends_, over = odds
    below, worth = over, []
    for p in ends_:
        worth.append(below + 0.5 * p)
        below += p
    return [*worth, 0.5 * over]


@lru_cache(maxsize=2**14)
def advice(name: str, limit: int, first: int, made: Moves, other: Moves) -> tuple[bool, ...]:
    """Return for each number of points whether to hit against a player of that name, which has so far done ``made``."""
    most = _MOST if name in _FOLLOWING else 0
    best: list[float] = []
    for hits in range(most, -1, -1):
        stand = _worth(ends(name, limit, first, made, other, hits))
        after = best or list(stand)  # what the points are worth after one more hit
        hit = [0.0] * (limit + 1)
        for total in range(limit, 0, -1):
            hit[total] = sum(after[total + 1 : total + 14]) / 13 + max(0, total + 12 - limit) * after[-1] / 13
            if not best:
                after[total] = max(after[total], hit[total]) if not most else stand[total]
        best = [*(max(pair) for pair in zip(stand, hit, strict=False)), stand[-1]]
    return tuple(h > s for h, s in zip(hit, stand, strict=False))


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
            name = f"habit:{_present(name.removeprefix('habit:'), self.game, state)}"
        own = hand.made[seat] if name in _FOLLOWING else ()
        plan = advice(name, hand.limit, hand.cards[1 - seat][0], hand.made[1 - seat], own)
        return HIT if plan[hand.total(seat)] else STAND
