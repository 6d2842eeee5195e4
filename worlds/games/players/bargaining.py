"""Counterparts in negotiations: they concede by a tactic, and accept nothing below their reserve.

Source: tactics that depend on time or on the other's concessions, Faratin, Sierra and Jennings, "Negotiation decision
functions for autonomous agents", Robotics and Autonomous Systems 24, 1998.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden.negotiation import ACCEPT, Negotiation, Position, divisions
from turnwise.worlds.games.players.player import Player

__all__ = ["TACTICS", "Bargainer", "Knowing", "blindly", "gain", "holding_out", "worth_of"]

TACTICS: dict[str, tuple[float, float]] = {
    "conceder": (3.0, 0.3), "linear": (1.0, 0.35), "boulware": (0.3, 0.4), "mirror": (0.0, 0.35),
}  # fmt: skip
"""For each tactic its exponent (the larger, the sooner it concedes; 0: as much as the other does) and the share of the
whole worth that it never goes below."""


def gain(state: Position, seat: int, author: int, kept: tuple[int, ...]) -> int:
    """Return what a division is worth to a seat in which the author of an offer keeps so much."""
    worth = worth_of(state.pool, state.values[seat])
    return worth[kept] if seat == author else worth[state.pool] - worth[kept]


@dataclass(frozen=True)
class Bargainer(Player):
    """Offers and accepts what is worth at least its aim, which falls with time or with the other's concessions."""

    tactic: str = "linear"

    def __post_init__(self) -> None:
        if not isinstance(self.game, Negotiation):
            raise SettingsError(f"tactic:{self.tactic} plays Negotiation, not {self.game!r}")

    def aim(self, state: Position, seat: int) -> float:
        """Return the least worth that the player asks for now."""
        given = [gain(state, seat, 1 - seat, kept) for kept in state.offers[1 - seat :: 2]]
        return self._aim(len(state.offers), given)

    def _aim(self, made: int, given: Sequence[int]) -> float:
        """Return its aim after so many offers, of which the other's are worth so much to it."""
        assert isinstance(self.game, Negotiation)
        worth, (exponent, reserve) = self.game.worth, TACTICS[self.tactic]
        if exponent:
            time = made / max(1, self.game.rounds - 1)
            return float(worth * (reserve + (1 - reserve) * (1 - time ** (1 / exponent))))
        conceded = max(0, given[-1] - given[0]) if given else 0
        return max(worth * reserve, worth - conceded)

    def accepts(self, made: int, given: Sequence[int]) -> bool:
        """Return whether it accepts the last of so many offers, of which the other's are worth so much to it."""
        assert isinstance(self.game, Negotiation)
        last = made == self.game.rounds - 1
        return given[-1] >= (self.game.worth * TACTICS[self.tactic][1] if last else self._aim(made, given))

    def choose(self, state: Any) -> Any:
        seat, made = self.game.turn(state), len(state.offers)
        given = [gain(state, seat, 1 - seat, kept) for kept in state.offers[1 - seat :: 2]]
        if made and self.accepts(made, given):
            return ACCEPT
        aim, worths = self._aim(made, given), _worths(state.pool, state.values[seat])
        offers = [each for each in worths if each[0] >= aim]
        least = min(offers)[:2]
        if sum([each[:2] == least for each in offers]) > 1:
            offers = self.draw((state.pool, state.values[seat], state.offers)).shuffled(offers)
        return next(each[2] for each in offers if each[:2] == least)


def blindly(state: Position, seat: int, other: Bargainer, choose: Callable[[int], tuple[int, ...]]) -> float:
    """Return what a seat gets that does not look at any offers.

    Args:
        state: A position in which the seat is to move.
        seat: The seat.
        other: The other player, who is only asked for its offers if one of them is accepted.
        choose: Returns the seat's move after so many offers.
    """
    game, begun = other.game, len(state.offers)
    assert isinstance(game, Negotiation)
    worth, left = worth_of(state.pool, state.values[1 - seat]), game.worth
    given, made = [left - worth[kept] for kept in state.offers[seat::2]], [*state.offers[seat::2]]
    for number in range(begun, game.rounds, 2):
        move = choose(number)
        if move == ACCEPT:
            for kept in made[begun // 2 :]:
                state = game.apply(state, kept)
                state = game.apply(state, other.choose(state))
            return float(gain(state, seat, 1 - seat, state.offers[-1]))
        made.append(move)
        given.append(left - worth[move])
        if number + 1 < game.rounds and other.accepts(number + 1, given):
            return float(gain(state, seat, seat, move))
    return 0.0


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
def worth_of(pool: tuple[int, ...], values: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Return what every division is worth to whoever keeps so much."""
    return {kept: worth for worth, _, kept in _worths(pool, values)}


@lru_cache(maxsize=256)
def _worths(pool: tuple[int, ...], values: tuple[int, ...]) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return what every division is worth to whoever keeps so much, the number of items, and the division."""
    return [(sum([a * b for a, b in zip(kept, values, strict=True)]), sum(kept), kept) for kept in divisions(pool)]


@dataclass(frozen=True)
class Knowing(Player):
    """Knows the counterpart and what everything is worth to it: finds the best offer that it accepts, and when."""

    other: Bargainer | None = None

    def choose(self, state: Any) -> Any:
        return self.best(state)[1]

    def best(self, state: Position) -> tuple[float, Any]:
        """Return the most that can be got from here, and the first move to it."""
        game, seat = self.game, self.game.turn(state)
        assert isinstance(game, Negotiation)
        assert self.other is not None
        everything = state.pool
        found: tuple[float, Any] = (-1.0, everything)
        if state.offers:
            found = (float(gain(state, seat, 1 - seat, state.offers[-1])), ACCEPT)
        given, made = [gain(state, 1 - seat, seat, kept) for kept in state.offers[seat::2]], len(state.offers)
        for mine, theirs, kept in _frontier(state.pool, state.values, seat):
            if mine <= found[0] or made + 1 >= game.rounds:
                break
            if self.other.accepts(made + 1, [*given, theirs]):
                found = (float(mine), kept)
        after = game.apply(state, everything)
        if game.turn(after) != OVER:
            reply = self.other.act(after, 1 - seat)
            later = game.apply(after, reply)
            if game.turn(later) == seat:
                worth = self.best(later)[0]
                if worth > found[0]:
                    found = (worth, everything)
        return found


@lru_cache(maxsize=1024)
def _frontier(
    pool: tuple[int, ...], values: tuple[tuple[int, ...], ...], seat: int
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return for every worth to a seat, the highest first, the most that it may be worth to the other, and how."""
    own, other = worth_of(pool, values[seat]), worth_of(pool, values[1 - seat])
    best: dict[int, tuple[int, tuple[int, ...]]] = {}
    for kept in divisions(pool):
        mine, theirs = own[kept], other[pool] - other[kept]
        if mine not in best or theirs > best[mine][0]:
            best[mine] = (theirs, kept)
    return [(mine, *best[mine]) for mine in sorted(best, reverse=True)]
