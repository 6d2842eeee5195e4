"""Nim and subtraction games: take objects from heaps; who takes the last one wins, or loses in the misère form.

Source: Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3, 1901.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import xor
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Nim", "Position"]

_LETTERS = "ABCDEFGHIJKL"
_MOVES = {f"{letter}{n}": (i, n) for i, letter in enumerate(_LETTERS) for n in range(1, 101)}


class Position(NamedTuple):
    """The objects left in each heap, and the seat to move."""

    heaps: tuple[int, ...]
    seat: int


@dataclass(frozen=True)
class Nim(Game[Position, tuple[int, int]]):
    """Heaps of objects. A move is (heap, number); with ``most`` at most so many may be taken at a time (0: any number).

    The heaps are ``heaps``, or ``count`` drawn ones of 1 to ``size`` objects if it is empty.
    """

    heaps: tuple[int, ...] = ()
    count: Annotated[int, Range(1, 12)] = 3
    size: Annotated[int, Range(1, 100)] = 7
    most: Annotated[int, Range(0, 100)] = 0
    misere: bool = False

    draws = False
    names = ("the first player", "the second player")

    def rules(self) -> str:
        limit = f"from 1 to {self.most} objects" if self.most else "any number of objects, at least 1,"
        return (
            f"{'Misère ' if self.misere else ''}Nim: on your turn you take {limit} from one heap. Whoever takes the "
            f"last object of all {'loses' if self.misere else 'wins'}."
        )

    def notation(self) -> str:
        return "A move is the letter of a heap and the number of objects that you take from it"

    def start(self, draw: Draw) -> Position:
        return Position(self.heaps or tuple(draw.integer(1, self.size) for _ in range(self.count)), 0)

    def initial(self) -> Position:
        return Position(self.heaps or tuple(range(1, self.count + 1)), 0)

    def turn(self, state: Position) -> int:
        return state.seat if any(state.heaps) else OVER

    def legal(self, state: Position) -> list[tuple[int, int]]:
        most = self.most or max(state.heaps)
        return [(i, n) for i, left in enumerate(state.heaps) for n in range(1, min(left, most) + 1)]

    def apply(self, state: Position, move: tuple[int, int]) -> Position:
        heaps = list(state.heaps)
        heaps[move[0]] -= move[1]
        return Position(tuple(heaps), 1 - state.seat)

    def returns(self, state: Position) -> tuple[float, ...]:
        winner = state.seat if self.misere else 1 - state.seat
        return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def lost(self, state: Position) -> bool:
        """Return whether the seat to move loses against perfect play (Bouton's theorem; heaps modulo ``most`` + 1)."""
        return self.losing(state.heaps)

    def losing(self, heaps: Iterable[int]) -> bool:
        """Return whether the seat that must move from these heaps loses against perfect play."""
        values = [heap % (self.most + 1) for heap in heaps] if self.most else list(heaps)
        total = reduce(xor, values, 0)
        if self.misere and max(values, default=0) <= 1:
            return total == 1
        return total == 0

    def board(self, state: Position) -> str:
        return "\n".join([_line(i, left) for i, left in enumerate(state.heaps)])

    def named(self, state: Position, text: str) -> tuple[int, int] | None:
        heap, number = _MOVES.get(text, (0, 0))
        left = state.heaps[heap] if heap < len(state.heaps) else 0
        return (heap, number) if 0 < number <= min(left, self.most or left) else None

    def write(self, state: Position, move: tuple[int, int]) -> str:
        return f"{_LETTERS[move[0]]}{move[1]}"


@lru_cache(maxsize=2**12)
def _line(heap: int, left: int) -> str:
    return f"{_LETTERS[heap]}: {left:>2} {'|' * left}".rstrip()
