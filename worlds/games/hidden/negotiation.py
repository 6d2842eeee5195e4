"""Negotiation: divide a pool of items whose worth to each seat only that seat knows.

Source: DeVault, Mell and Gratch, "Toward natural turn-taking in a virtual human negotiation agent", AAAI Spring
Symposium 2015; Lewis et al., "Deal or no deal?", EMNLP 2017: values of the whole pool add up to 10 for each seat.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["ACCEPT", "Negotiation", "Position", "divisions"]

ACCEPT: tuple[int, ...] = ()
_KEEP = re.compile(r"keep [0-9]( [0-9])*")
_ITEMS = ("book", "hat", "ball", "lamp", "coin")


class Position(NamedTuple):
    """The number of each item, the worth of one to each seat, what its author keeps in each offer, and the end."""

    pool: tuple[int, ...]
    values: tuple[tuple[int, ...], tuple[int, ...]]
    offers: tuple[tuple[int, ...], ...] = ()
    agreed: bool = False


@dataclass(frozen=True)
class Negotiation(Game[Position, tuple[int, ...]]):
    """``kinds`` items, ``most`` of each at most, and ``rounds`` offers. A move is what the mover keeps, or `ACCEPT`."""

    kinds: Annotated[int, Range(1, 5)] = 3
    most: Annotated[int, Range(1, 5)] = 3
    rounds: Annotated[int, Range(1, 100)] = 8
    worth: Annotated[int, Range(1, 100)] = 10

    names = ("Player 1", "Player 2")
    zero_sum = False
    hidden = True

    def rules(self) -> str:
        return (
            f"Two players divide a pool of items. The whole pool is worth {self.worth} points to each of them, but "
            "each item is worth something else to each, and only they know what. In turn they offer a division by "
            "saying how many of each item they keep (the other would get the rest), or accept the last offer, which "
            f"ends the game. After {self.rounds} offers without an agreement nobody gets anything; each player wants "
            "as many points as possible."
        )

    def notation(self) -> str:
        example = "1 0 2 1 0"[: 2 * self.kinds - 1]
        return f"A move is keep and {self.kinds} numbers, of each item in order (keep {example}), or accept"

    def start(self, draw: Draw) -> Position:
        pool = tuple(draw.integer(1, self.most) for _ in range(self.kinds))
        ways = _ways(pool, self.worth)
        if not ways:  # e.g. 3, 3, 3 items for 10 points
            return self.start(draw)
        return Position(pool, (draw.choice(ways), draw.choice(ways)))

    def initial(self) -> Position:
        return self.start(Draw("negotiation"))

    def turn(self, state: Position) -> int:
        return OVER if state.agreed or len(state.offers) >= self.rounds else len(state.offers) % 2

    def legal(self, state: Position) -> list[tuple[int, ...]]:
        offers = divisions(state.pool)
        return [*offers, ACCEPT] if state.offers else [*offers]

    def apply(self, state: Position, move: tuple[int, ...]) -> Position:
        return state._replace(agreed=True) if move == ACCEPT else state._replace(offers=(*state.offers, move))

    def returns(self, state: Position) -> tuple[float, ...]:
        if not state.agreed:
            return (0.0, 0.0)
        author = (len(state.offers) - 1) % 2
        kept = float(_sum(state.offers[-1], state.values[author]))
        rest = tuple(count - mine for count, mine in zip(state.pool, state.offers[-1], strict=True))
        other = float(_sum(rest, state.values[1 - author]))
        return (kept, other) if author == 0 else (other, kept)

    def board(self, state: Position) -> str:
        worth = "\n".join(f"Worth to {self.names[s].lower()}: {self._listed(v)}" for s, v in enumerate(state.values))
        return f"{worth}\n{self._open(state)}"

    def view(self, state: Position, seat: int) -> str:
        return f"Worth of one to you: {self._listed(state.values[seat])}\n{self._open(state)}"

    def _open(self, state: Position) -> str:
        rows = [
            f"{self.names[i % 2]} keeps {self._listed(offer)}; {self.names[1 - i % 2].lower()} gets the rest"
            for i, offer in enumerate(state.offers)
        ]
        end = ["The last offer is accepted."] if state.agreed else []
        left = f"Offers left: {self.rounds - len(state.offers)}"
        return "\n".join([f"Pool: {self._listed(state.pool)}", *rows, *end, left])

    def _listed(self, numbers: tuple[int, ...]) -> str:
        return ", ".join(f"{name} {number}" for name, number in zip(_ITEMS, numbers, strict=False))

    def named(self, state: Position, text: str) -> tuple[int, ...] | None:
        if text == "accept":
            return ACCEPT if state.offers and self.turn(state) != OVER else None
        kept = tuple(map(int, text[5:].split(" "))) if _KEEP.fullmatch(text) else ()
        fits = len(kept) == len(state.pool) and all(a <= b for a, b in zip(kept, state.pool, strict=True))
        return kept if fits and self.turn(state) != OVER else None

    def write(self, state: Position, move: tuple[int, ...]) -> str:
        return "accept" if move == ACCEPT else "keep " + " ".join(map(str, move))


@lru_cache(maxsize=256)
def divisions(pool: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return all that may be kept of a pool."""
    return tuple(product(*(range(count + 1) for count in pool)))


@lru_cache(maxsize=1024)
def _ways(pool: tuple[int, ...], worth: int) -> list[tuple[int, ...]]:
    """Return all values of the items that make a pool worth so much."""
    if not pool:
        return [()] if worth == 0 else []
    return [(v, *rest) for v in range(worth // pool[0] + 1) for rest in _ways(pool[1:], worth - v * pool[0])]


def _sum(numbers: tuple[int, ...], worth: tuple[int, ...]) -> int:
    return sum([a * b for a, b in zip(numbers, worth, strict=True)])
