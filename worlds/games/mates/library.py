"""The chess problems that are shipped, and their mirror images, which are the same problem.

    cc -O2 -o /tmp/compose worlds/games/mates/data/compose.c
    for wanted in "1 4 8 250" "3 4 6 400"; do /tmp/compose $wanted; done | python -m turnwise.worlds.games.mates.library

keeps the first of each set of mirror images; `data/mates.txt` is made so, of the classes that its first line names.
"""

# ruff: noqa: T201  (command-line output)

import sys
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from turnwise.worlds.games.chess import Chess, Move, Position

__all__ = ["Problem", "Turn", "canonical", "shipped", "turned", "turns"]

_SQUARES = range(64)


class Problem(NamedTuple):
    """A position in which White mates in so many moves, no sooner, and by one first move only.

    Attributes:
        moves: White's moves up to the mate.
        quiet: Whether checks alone do not mate in so many moves.
        board: The pieces from a1 to h8, as in `Position`.
        line: White's first move, the reply that holds out longest, and so on to the mate.
    """

    moves: int
    quiet: bool
    board: str
    line: tuple[Move, ...]

    @property
    def pieces(self) -> int:
        """The number of pieces."""
        return 64 - self.board.count(".")


class Turn(NamedTuple):
    """A way to look at a board that changes nothing in a problem.

    Attributes:
        swap: Black and white change places, and the board is turned upside down.
        mirror: Left and right change places.
        upend: Top and bottom change places; not with pawns.
        transpose: Rows and columns change places; not with pawns.
    """

    swap: bool = False
    mirror: bool = False
    upend: bool = False
    transpose: bool = False

    def square(self, square: int) -> int:
        """Return where a square comes to lie."""
        square ^= 7 * self.mirror ^ 56 * (self.upend != self.swap)
        return square % 8 * 8 + square // 8 if self.transpose else square

    def board(self, board: str) -> str:
        """Return a board as it looks then."""
        squares = [""] * 64
        for square in _SQUARES:
            squares[self.square(square)] = board[square]
        text = "".join(squares)
        return text.swapcase() if self.swap else text


@lru_cache(maxsize=2)
def turns(pawns: bool) -> tuple[Turn, ...]:
    """Return all ways to look at a board with or without pawns."""
    both, rest = (False, True), (False,) if pawns else (False, True)
    return tuple(Turn(s, m, u, t) for s in both for m in both for u in rest for t in rest)


def canonical(board: str) -> str:
    """Return the first of a board's mirror images by their letters; all of them, and no other board, have the same."""
    return min(turn.board(board) for turn in turns("P" in board or "p" in board))


def turned(problem: Problem, turn: Turn) -> tuple[Position, tuple[Move, ...]]:
    """Return the position and the line of a problem as they look from another side."""
    line = tuple(Move(turn.square(a), turn.square(b), becomes) for a, b, becomes in problem.line)
    return Position(turn.board(problem.board), int(turn.swap), "", -1, 0, 1), line


def _read(line: str) -> Problem:
    moves, quiet, fen, written = line.split("\t")
    names = {name + str(row): 8 * (row - 1) + i for row in range(1, 9) for i, name in enumerate("abcdefgh")}
    played = tuple(Move(names[text[:2]], names[text[2:4]], text[4:]) for text in written.split())
    return Problem(int(moves), quiet == "q", Chess().from_fen(fen).board, played)


@lru_cache(maxsize=1)
def shipped() -> tuple[Problem, ...]:
    """Return all problems in the order of the file."""
    lines = (files(__package__) / "data" / "mates.txt").read_text(encoding="ascii").splitlines()
    return tuple(_read(line) for line in lines if not line.startswith("#"))


def main() -> None:
    """Print the lines that are read, without those of mirror images of earlier ones."""
    seen = set()
    for line in sys.stdin:
        image = canonical(_read(line.rstrip("\n")).board)
        if image not in seen:
            print(line, end="")
        seen.add(image)


if __name__ == "__main__":
    main()
