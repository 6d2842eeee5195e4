"""The protocol that every game follows: a `Game` holds the rules, positions are plain values.

A position is hashable and never changes: `Game.apply` returns a new one. Moves are hashable too. Chance is a mover like
any other, whose moves have probabilities, so a game is a pure function of the moves made in it.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from turnwise.core.draw import Draw

__all__ = ["ALL", "CHANCE", "OVER", "Game", "playout"]

CHANCE, OVER, ALL = -1, -2, -3
"""What `Game.turn` returns in place of a seat: chance moves, the game is over, every seat moves at the same time."""
_MAX_MOVE_CHARS = 60

S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)


class Game(ABC, Generic[S, M]):
    """The rules of a game; its settings are the attributes of the object.

    Attributes:
        seats: The number of seats, which are numbered from 0.
        names: What the seats are called in texts.
        draws: Whether a game can end without a winner.
        zero_sum: Whether the returns of all seats add up to 0.
        hidden: Whether seats see different things, all move at the same time, or chance moves between them; a player
            that searches ahead would see too much there.
    """

    seats: int = 2
    names: ClassVar[tuple[str, ...]] = ("X", "O")
    draws: ClassVar[bool] = True
    zero_sum: ClassVar[bool] = True
    hidden: ClassVar[bool] = False

    @abstractmethod
    def rules(self) -> str:
        """Explain in a few sentences how the game is played and won."""

    @abstractmethod
    def notation(self) -> str:
        """Explain in a sentence how a move is written."""

    def start(self, draw: Draw) -> S:
        """Return a first position; what is drawn before the first move is drawn from ``draw``."""
        return self.initial()

    @abstractmethod
    def initial(self) -> S:
        """Return the first position of a game whose start has nothing random, or chance is still to move in."""

    @abstractmethod
    def turn(self, state: S) -> int:
        """Return the seat to move, `CHANCE`, `ALL` or `OVER`."""

    @abstractmethod
    def legal(self, state: S) -> Sequence[M]:
        """Return the legal moves in a fixed order; if all move at the same time, tuples with a move of each seat."""

    def moves(self, state: S, seat: int) -> Sequence[M]:
        """Return the moves that a seat has: its `legal` ones on its turn, its part of them if all move, else none."""
        turn = self.turn(state)
        if turn == ALL:
            return list(dict.fromkeys(joint[seat] for joint in self.legal(state)))  # type: ignore[index]
        return self.legal(state) if turn == seat else []

    def ordered(self, state: S) -> Iterable[M]:
        """Return the `legal` moves, those first that a search should look at first; it ends sooner for that."""
        return self.legal(state)

    def hasty(self, state: S) -> Iterable[M]:
        """Return the `legal` moves, first one that is found without looking at all; for the last move of a search."""
        return self.ordered(state)

    def odds(self, state: S) -> Sequence[float]:
        """Return the probabilities of the `legal` moves of chance."""
        count = len(self.legal(state))
        return [1 / count] * count

    @abstractmethod
    def apply(self, state: S, move: M) -> S:
        """Return the position after a legal move."""

    @abstractmethod
    def returns(self, state: S) -> tuple[float, ...]:
        """Return what each seat has won at the end: 1, 0 and -1 for a win, a draw and a loss, or chips or points."""

    @abstractmethod
    def board(self, state: S) -> str:
        """Draw the position as text, everything shown."""

    def view(self, state: S, seat: int) -> str:
        """Describe the position as a seat sees it, with what is hidden from it left out."""
        return self.board(state)

    def occasion(self, state: S, seat: int) -> Hashable:
        """Return what tells the turns of a seat apart and holds nothing that is hidden from it: its `view`."""
        return self.view(state, seat)

    @abstractmethod
    def write(self, state: S, move: M) -> str:
        """Write a legal move of a seat as text."""

    def named(self, state: S, text: str) -> M | None:
        """Return the legal move that `write` writes exactly so if that can be told quickly; None says nothing."""
        return None

    def parse(self, state: S, text: str, seat: int | None = None) -> M | None:
        """Return the legal move that a text names, or None. Case and blanks do not count.

        Args:
            state: Where the move is made.
            text: What is read.
            seat: Who moves; needed if all move at the same time.
        """
        if len(text) > _MAX_MOVE_CHARS:
            return None
        found = self.named(state, text)
        if found is not None and (seat is None or seat == self.turn(state)):
            return found
        moves = self.legal(state) if seat is None else self.moves(state, seat)
        for move in moves:
            if self.write(state, move) == text:
                return move
        wanted = "".join(text.split()).lower().rstrip(".")
        for move in moves:
            if "".join(self.write(state, move).split()).lower() == wanted:
                return move
        return None


def playout(game: Game[S, M], state: S, draw: Draw, most: int = 100_000) -> tuple[S, list[M]]:
    """Play random moves until the game is over; return the last position and the moves.

    Raises:
        RuntimeError: The game has not ended after ``most`` moves.
    """
    moves: list[M] = []
    while (turn := game.turn(state)) != OVER:
        if len(moves) >= most:
            raise RuntimeError(f"{game!r} has not ended after {most} moves")
        legal = game.legal(state)
        moves.append(draw.weighted(legal, game.odds(state)) if turn == CHANCE else draw.choice(legal))
        state = game.apply(state, moves[-1])
    return state, moves
