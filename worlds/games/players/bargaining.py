"""Counterparts in negotiations: they concede by a tactic, and accept nothing below their reserve.

Source: tactics that depend on time or on the other's concessions, Faratin, Sierra and Jennings, "Negotiation decision
functions for autonomous agents", Robotics and Autonomous Systems 24, 1998.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden.negotiation import ACCEPT, Negotiation, Position
from turnwise.worlds.games.players.player import Player

__all__ = ["TACTICS", "Bargainer", "Knowing", "gain", "holding_out"]

TACTICS: dict[str, tuple[float, float]] = {
    "conceder": (3.0, 0.3), "linear": (1.0, 0.35), "boulware": (0.3, 0.4), "mirror": (0.0, 0.35),
}  # fmt: skip
"""For each tactic its exponent (the larger, the sooner it concedes; 0: as much as the other does) and the share of the
whole worth that it never goes below."""


def gain(state: Position, seat: int, author: int, kept: tuple[int, ...]) -> int:
    """Return what a division is worth to a seat in which the author of an offer keeps so much."""
    counts = kept if seat == author else [a - b for a, b in zip(state.pool, kept, strict=True)]
    return sum([a * b for a, b in zip(counts, state.values[seat], strict=True)])


@dataclass(frozen=True)
class Bargainer(Player):
    """Offers and accepts what is worth at least its aim, which falls with time or with the other's concessions."""

    tactic: str = "linear"

    def __post_init__(self) -> None:
        if not isinstance(self.game, Negotiation):
            raise SettingsError(f"tactic:{self.tactic} plays Negotiation, not {self.game!r}")

    def aim(self, state: Position, seat: int) -> float:
        """Return the least worth that the player asks for now."""
        assert isinstance(self.game, Negotiation)
        worth, (exponent, reserve) = self.game.worth, TACTICS[self.tactic]
        if exponent:
            time = len(state.offers) / max(1, self.game.rounds - 1)
            return float(worth * (reserve + (1 - reserve) * (1 - time ** (1 / exponent))))
        given = [gain(state, seat, 1 - seat, kept) for kept in state.offers[1 - seat :: 2]]
        conceded = max(0, given[-1] - given[0]) if given else 0
        return max(worth * reserve, worth - conceded)

    def choose(self, state: Any) -> Any:
        seat, made = self.game.turn(state), len(state.offers)
        assert isinstance(self.game, Negotiation)
        aim = self.aim(state, seat)
        if made:
            got = gain(state, seat, 1 - seat, state.offers[-1])
            last = made == self.game.rounds - 1
            if got >= (self.game.worth * TACTICS[self.tactic][1] if last else aim):
                return ACCEPT
        offers = [each for each in _worths(state.pool, state.values[seat]) if each[0] >= aim]
        draw = self.draw((state.pool, state.values[seat], state.offers))
        return min(draw.shuffled(offers), key=lambda each: each[:2])[2]


def holding_out(state: Position, seat: int, goal: float, draw: Draw | None = None) -> tuple[int, ...]:
    """Return the move of a seat that accepts what is worth its goal and else offers that, another offer each time.

    Args:
        state: A position in which the seat is to move; the other's values are not looked at.
        seat: The seat.
        goal: The least that it accepts and asks for.
        draw: Chooses among such offers; without it, the one that keeps the fewest items.
    """
    if state.offers and gain(state, seat, 1 - seat, state.offers[-1]) >= goal:
        return ACCEPT
    enough = [each for each in _worths(state.pool, state.values[seat]) if each[0] >= goal]
    fresh = [each for each in enough if each[2] not in state.offers] or enough
    return draw.choice(fresh)[2] if draw else min(fresh, key=lambda each: (each[1], each[0]))[2]


@lru_cache(maxsize=256)
def _divisions(pool: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*(range(count + 1) for count in pool)))


@lru_cache(maxsize=256)
def _worths(pool: tuple[int, ...], values: tuple[int, ...]) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return what every division is worth to whoever keeps so much, the number of items, and the division."""
    return [(sum([a * b for a, b in zip(kept, values, strict=True)]), sum(kept), kept) for kept in _divisions(pool)]


@dataclass(frozen=True)
class Knowing(Player):
    """Knows the counterpart and what everything is worth to it: finds the best offer that it accepts, and when."""

    other: Player | None = None

    def choose(self, state: Any) -> Any:
        return self._best(state)[1]

    def _best(self, state: Position) -> tuple[float, Any]:
        """Return the most that can be got from here, and the first move to it."""
        game, seat = self.game, self.game.turn(state)
        assert self.other is not None
        everything = state.pool
        found: tuple[float, Any] = (-1.0, everything)
        if state.offers:
            found = (float(gain(state, seat, 1 - seat, state.offers[-1])), ACCEPT)
        for mine, kept in _frontier(state.pool, state.values, seat):
            after = game.apply(state, kept)
            if mine <= found[0] or game.turn(after) == OVER:
                break
            if self.other.act(after, 1 - seat) == ACCEPT:
                found = (float(mine), kept)
        after = game.apply(state, everything)
        if game.turn(after) != OVER:
            reply = self.other.act(after, 1 - seat)
            later = game.apply(after, reply)
            if game.turn(later) == seat:
                worth = self._best(later)[0]
                if worth > found[0]:
                    found = (worth, everything)
        return found


@lru_cache(maxsize=1024)
def _frontier(
    pool: tuple[int, ...], values: tuple[tuple[int, ...], ...], seat: int
) -> list[tuple[int, tuple[int, ...]]]:
    """Return for every worth to a seat, the highest first, the division that is worth most to the other."""
    best: dict[int, tuple[int, tuple[int, ...]]] = {}
    for kept in _divisions(pool):
        mine = sum([a * b for a, b in zip(kept, values[seat], strict=True)])
        theirs = sum([(n - a) * b for n, a, b in zip(pool, kept, values[1 - seat], strict=True)])
        if mine not in best or theirs > best[mine][0]:
            best[mine] = (theirs, kept)
    return [(mine, best[mine][1]) for mine in sorted(best, reverse=True)]
