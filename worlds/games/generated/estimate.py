"""How good a position of a generated game looks for the first seat, by what its goal asks for."""

from collections.abc import Callable
from functools import lru_cache

from turnwise.worlds.games.generated.board import Board, bits
from turnwise.worlds.games.generated.game import Generated, Position

__all__ = ["estimate"]

Count = Callable[[int, int], float]
"""How good pieces are for a seat."""


@lru_cache(maxsize=512)
def estimate(game: Generated) -> Callable[[Position], float]:
    """Return the evaluation of a game: its goal, pieces where they can be captured, else the choice of moves."""
    spec = game.spec
    if spec.goal in ("last", "misere"):
        return lambda state: _mobility(game, state)
    look = _goal(game)
    worth = 0 if spec.capture == "none" and "push" not in spec.verbs else -3 if spec.goal == "avoid" else 3

    def value(state: Position) -> float:
        lead = look(state.x, 0) - look(state.o, 1)
        return lead + worth * (state.x.bit_count() - state.o.bit_count())

    return value


def _mobility(game: Generated, state: Position) -> float:
    """Return the lead in moves; where both have the same ones, whether an odd or even number is left."""
    if state.stones:
        return 0.0
    first, second = (sum(1 for _ in game.moves_of(state, seat)) for seat in (0, 1))
    return float(first - second)


def _goal(game: Generated) -> Count:
    spec, board = game.spec, game.spec.board
    if spec.goal in ("line", "avoid"):
        sign = 1 if spec.goal == "line" else -1
        weights = [float(sign * len(masks)) for masks in board.lines(spec.count)]
        return lambda pieces, seat: sum(weights[cell] for cell in bits(pieces))
    if spec.goal == "reach":
        return lambda pieces, seat: sum(_advance(board, cell, seat) for cell in bits(pieces))
    if spec.goal == "connect":
        return lambda pieces, seat: _span(board, pieces, seat)
    if spec.goal == "unite":
        return lambda pieces, seat: -4.0 * len(board.groups(pieces))
    if spec.goal == "group":
        return lambda pieces, seat: max((float(g.bit_count()) for g in board.groups(pieces)), default=0.0)
    return lambda pieces, seat: 2.0 * pieces.bit_count()


def _advance(board: Board, cell: int, seat: int) -> float:
    """Return how far a piece has come, squared."""
    far = (board.rows if board.rows > 1 else board.columns) - 1
    at = cell // board.columns if board.rows > 1 else cell
    return 1.0 + (far - at if seat else at) ** 2 / far


def _span(board: Board, pieces: int, seat: int) -> float:
    """Return the rows or columns that the widest group spans, and how near pieces are to the middle."""
    widest = 0
    for group in board.groups(pieces):
        lines = {cell % board.columns if seat else cell // board.columns for cell in bits(group)}
        widest = max(widest, len(lines))
    middle = [abs(2 * (cell // board.columns) - board.rows + 1) + abs(2 * (cell % board.columns) - board.columns + 1)
              for cell in bits(pieces)]  # fmt: skip
    return 4.0 * widest - 0.1 * sum(middle)
