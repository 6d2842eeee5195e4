"""Tetris: drop a known sequence of pieces so that enough full rows are cleared.

Source: Alexey Pajitnov, 1985; for language models, lmgame-Bench (arXiv 2505.15146) and KORGym (arXiv 2505.14552), whose
score is the pieces placed and the rows cleared. `value` has the weights of Yiyuan Lee, "Tetris AI: the (near) perfect
bot", 2013.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["PIECES", "Position", "Tetris", "greedy", "plan", "value"]

PIECES = {
    "I": ("####",),
    "O": ("##", "##"),
    "T": (".#.", "###"),
    "S": (".##", "##."),
    "Z": ("##.", ".##"),
    "J": ("#..", "###"),
    "L": ("..#", "###"),
}
"""The pieces as they are without a turn, upper row first."""
_HEIGHT, _LINES, _HOLES, _STEPS = 0.510066, 0.760666, 0.35663, 0.184483
Move = tuple[int, int]


class Position(NamedTuple):
    """The rows from the bottom up, as bits of their columns, without empty ones on top; what comes; what was done."""

    rows: tuple[int, ...]
    pieces: str
    cleared: int = 0
    over: bool = False


@lru_cache(maxsize=64)
def _turned(piece: str, turns: int) -> tuple[str, ...]:
    """Return a piece after quarter turns clockwise, upper row first."""
    shape = PIECES[piece]
    for _ in range(turns):
        shape = tuple("".join(column) for column in zip(*shape[::-1], strict=True))
    return shape


@lru_cache(maxsize=64)
def _placements(piece: str, columns: int) -> dict[Move, tuple[int, ...]]:
    """Return for each (turns, column) that differs from the ones before it the bits of the piece's rows, bottom up."""
    found: dict[Move, tuple[int, ...]] = {}
    seen: set[tuple[str, ...]] = set()
    for turns in range(4):
        shape = _turned(piece, turns)
        if shape in seen:
            continue
        seen.add(shape)
        for column in range(columns - len(shape[0]) + 1):
            found[turns, column] = tuple(
                sum(1 << column + i for i, sign in enumerate(row) if sign == "#") for row in shape[::-1]
            )
    return found


@dataclass(frozen=True)
class Tetris(Game[Position, Move]):
    """A field of ``rows`` by ``columns``; ``goal`` rows are to be cleared with ``pieces`` pieces.

    At the start the lowest ``filled`` rows are full but for one cell each.
    """

    rows: Annotated[int, Range(4, 24)] = 10
    columns: Annotated[int, Range(4, 12)] = 6
    pieces: Annotated[int, Range(1, 200)] = 12
    goal: Annotated[int, Range(1, 100)] = 5
    filled: Annotated[int, Range(0, 12)] = 0

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def rules(self) -> str:
        shapes = ", ".join(f"{piece} {'/'.join(rows)}" for piece, rows in PIECES.items())
        return (
            f"Tetris on {self.rows} rows and {self.columns} columns; # is filled, . empty. The pieces, upper row "
            f"before lower row: {shapes}. They come in the order shown. You choose how a piece is turned and where; it "
            "falls straight down from above the field until it rests on the ground or on filled cells. It cannot be "
            "pushed sideways below an overhang. Full rows are cleared, and the rows above them move down. You win as "
            f"soon as {self.goal} row{'s are' if self.goal > 1 else ' is'} cleared. You lose when a piece comes to "
            "rest partly above the top row, even if it fills a row, or when no piece is left."
        )

    def notation(self) -> str:
        return (
            "A move is the number of quarter turns clockwise and the column of the turned piece's leftmost cell, such "
            "as 1c"
        )

    def start(self, draw: Draw) -> Position:
        full = (1 << self.columns) - 1
        rows: list[int] = []
        for _ in range(min(self.filled, self.rows - 2)):
            rows.append(full ^ 1 << draw.below(self.columns))
        return Position(tuple(rows), "".join(draw.choice(tuple(PIECES)) for _ in range(self.pieces)))

    def initial(self) -> Position:
        return self.start(Draw("tetris", "initial"))

    def turn(self, state: Position) -> int:
        return OVER if state.over or state.cleared >= self.goal or not state.pieces else 0

    def legal(self, state: Position) -> list[Move]:
        return list(_placements(state.pieces[0], self.columns))

    def apply(self, state: Position, move: Move) -> Position:
        piece = _placements(state.pieces[0], self.columns)[move]
        rows, at = list(state.rows), len(state.rows)
        while at and not any(bits & row for bits, row in zip(piece, rows[at - 1 :], strict=False)):
            at -= 1
        rows += [0] * (at + len(piece) - len(rows))
        for i, bits in enumerate(piece):
            rows[at + i] |= bits
        over, full = len(rows) > self.rows, (1 << self.columns) - 1
        kept = tuple([row for row in rows if row != full])
        return Position(kept, state.pieces[1:], state.cleared + len(rows) - len(kept), over)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(state.cleared >= self.goal and not state.over),)

    def board(self, state: Position) -> str:
        rows = [*state.rows, *[0] * (self.rows - len(state.rows))][: self.rows][::-1]
        field = [["#" if row >> c & 1 else "." for c in range(self.columns)] for row in rows]
        facts = [f"Rows cleared: {state.cleared} of {self.goal}"]
        if state.over:
            facts.append("The last piece reached above the top row.")
        if state.pieces:
            facts += [f"Pieces, in this order: {' '.join(state.pieces)}", self._shown(state.pieces[0])]
        return "\n".join([cells.drawn(field), *facts])

    def _shown(self, piece: str) -> str:
        """Draw how a piece looks after each number of turns that makes a difference."""
        turns = list(dict.fromkeys(turn for turn, _ in _placements(piece, self.columns)))
        shapes = [_turned(piece, turn) for turn in turns]
        tall = max(map(len, shapes))
        lines = ["   ".join(f"{turn} turn{'' if turn == 1 else 's'}".ljust(7) for turn in turns)]
        for i in range(tall):
            parts = [shape[i - tall + len(shape)] if i >= tall - len(shape) else "" for shape in shapes]
            lines.append("   ".join(part.ljust(7) for part in parts))
        return "\n".join([f"{piece} after", *(line.rstrip() for line in lines)])

    def write(self, state: Position, move: Move) -> str:
        return f"{move[0]}{cells.name(0, move[1])[0]}"

    def parse(self, state: Position, text: str, seat: int | None = None) -> Move | None:
        """Return the legal move that a text names; turns that make no difference are left out."""
        word = "".join(text[:20].split()).lower().rstrip(".")
        if len(text) > 20 or len(word) != 2 or word[0] not in "0123" or not "a" <= word[1] <= "z":
            return None
        shape = _turned(state.pieces[0], int(word[0]))
        turns = next(turn for turn in range(4) if _turned(state.pieces[0], turn) == shape)
        move = (turns, ord(word[1]) - ord("a"))
        return move if move in _placements(state.pieces[0], self.columns) else None


def value(game: Tetris, state: Position) -> float:
    """Return how good a field is: few high columns, holes and steps between columns, many rows cleared."""
    heights, holes, above = [0] * game.columns, 0, 0
    for height in range(len(state.rows), 0, -1):
        row = state.rows[height - 1]
        fresh = row & ~above
        while fresh:
            heights[(fresh & -fresh).bit_length() - 1] = height
            fresh &= fresh - 1
        above |= row
        holes += (above & ~row).bit_count()
    steps = sum([abs(a - b) for a, b in pairwise(heights)])
    return _LINES * state.cleared - _HEIGHT * sum(heights) - _HOLES * holes - _STEPS * steps


def plan(game: Tetris, state: Position, width: int) -> tuple[Move, ...] | None:
    """Return moves that win, found by a beam search that keeps the ``width`` best fields, or None."""
    beam: list[tuple[Position, tuple[Move, ...]]] = [(state, ())]
    while beam:
        following: dict[tuple[tuple[int, ...], int], tuple[float, Position, tuple[Move, ...]]] = {}
        for state, made in beam:
            if game.turn(state) == OVER:
                continue
            for move in game.legal(state):
                after = game.apply(state, move)
                if after.over:
                    continue
                if after.cleared >= game.goal:
                    return (*made, move)
                key = after.rows, after.cleared
                if key not in following:
                    following[key] = value(game, after), after, (*made, move)
        best = sorted(following.values(), key=lambda entry: (-entry[0], entry[2]))[:width]
        beam = [(after, made) for _, after, made in best]
    return None


def greedy(game: Tetris, state: Position) -> tuple[Move, ...] | None:
    """Return the moves of a player that judges each placement by the field it leaves, if they win."""
    return plan(game, state, 1)
