"""How good a position looks for the first seat, without search: from about -100 to 100 for each game.

Source: the usual first terms of textbook evaluations: the lines through a cell in games of rows, the stones that are
missing to connect in Hex, mobility and corners in Othello (Rosenbloom, Artificial Intelligence 19, 1982), material and
advance in Breakthrough and checkers, pieces in chess (Shannon, Philosophical Magazine 41, 1950) and the king at the
edge (Slate and Atkin, "Chess 4.5", 1977), the lead in Dots and Boxes and Go, won boards in Ultimate Tic-Tac-Toe.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from turnwise.worlds.games import (
    breakthrough,
    cells,
    checkers,
    chess,
    connect_four,
    dots_and_boxes,
    go,
    hex,
    othello,
    tic_tac_toe,
    ultimate,
)
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.generated.estimate import estimate
from turnwise.worlds.games.generated.game import Generated

__all__ = ["value_of"]

Value = Callable[[Any], float]


@lru_cache(maxsize=256)
def value_of(game: Game[Any, Any]) -> Value:
    """Return the evaluation of a game's positions; 0 everywhere if none is known."""
    for kind, make in _MAKERS.items():
        if isinstance(game, kind):
            return make(game)
    return lambda state: 0.0


def _weighted(weights: list[int]) -> Callable[[int], int]:
    """Return a function that adds up the weights of the bits that are set."""
    masks = [(w, sum(1 << i for i, other in enumerate(weights) if other == w)) for w in sorted(set(weights)) if w]

    def total(bits: int) -> int:
        return sum([w * (bits & mask).bit_count() for w, mask in masks])

    return total


@lru_cache(maxsize=64)
def _tic_tac_toe(game: tic_tac_toe.TicTacToe) -> Value:
    if game.wild:
        return lambda state: 0.0
    through = cells.lines(game.rows, game.columns, game.k)
    total, sign = _weighted([len(masks) for masks in through]), -1 if game.misere else 1
    return lambda state: sign * (total(state.x) - total(state.o))


@lru_cache(maxsize=64)
def _connect_four(game: connect_four.ConnectFour) -> Value:
    through = cells.lines(game.rows, game.columns, game.k)
    weights = [0] * (game.columns * (game.rows + 1))
    for row in range(game.rows):
        for column in range(game.columns):
            weights[column * (game.rows + 1) + row] = len(through[row * game.columns + column])
    total = _weighted(weights)
    return lambda state: total(state.x) - total(state.o)


@lru_cache(maxsize=64)
def _othello(game: othello.Othello) -> Value:
    n = game.size
    corners = 1 | 1 << n - 1 | 1 << n * (n - 1) | 1 << n * n - 1

    def value(state: othello.Position) -> float:
        x, o = state.x, state.o
        lead = 3 * (game.targets(x, o).bit_count() - game.targets(o, x).bit_count())
        return lead + 20 * ((x & corners).bit_count() - (o & corners).bit_count())

    return value


@lru_cache(maxsize=64)
def _breakthrough(game: breakthrough.Breakthrough) -> Value:
    up = [10 + row * row for row in range(game.rows) for _ in range(game.columns)]
    first, second = _weighted(up), _weighted(up[::-1])
    return lambda state: first(state.x) - second(state.o)


@lru_cache(maxsize=64)
def _dots_and_boxes(game: dots_and_boxes.DotsAndBoxes) -> Value:
    def value(state: dots_and_boxes.Position) -> float:
        lead = state.owners.count(0) - state.owners.count(1)
        ready = sum([(sides & ~state.lines).bit_count() == 1 for sides in game.sides])
        return 10 * lead + (5 if state.seat == 0 else -5) * ready

    return value


@lru_cache(maxsize=64)
def _hex(game: hex.Hex) -> Value:
    middle, n = (game.size - 1) / 2, game.size
    weights = [n - abs(i // n - middle) - abs(i % n - middle) for i in range(n * n)]
    around = tuple(
        tuple(r * n + c for r, c in hex.neighbours(*divmod(cell, n)) if 0 <= r < n and 0 <= c < n)
        for cell in range(n * n)
    )
    sides = ((range(n), range(n * n - n, n * n)), (range(0, n * n, n), range(n - 1, n * n, n)))

    def missing(board: str, seat: int) -> int:
        """Return the fewest stones with which a seat would be connected."""
        own, (start, goal) = "XO"[seat], sides[seat]
        cost = [0 if mark == own else 1 if mark == "." else -1 for mark in board]
        seen, level, here = set(start), 0, [cell for cell in start if cost[cell] >= 0]
        waiting: list[list[int]] = [[], []]
        for cell in here:
            waiting[cost[cell]].append(cell)
        ends = set(goal)
        while waiting[0] or waiting[1]:
            while waiting[0]:
                cell = waiting[0].pop()
                if cell in ends:
                    return level
                for other in around[cell]:
                    if other not in seen and cost[other] >= 0:
                        seen.add(other)
                        waiting[cost[other]].append(other)
            level += 1
            waiting = [waiting[1], []]
        return n * n

    def value(state: hex.Position) -> float:
        lead = 10 * (missing(state.cells, 1) - missing(state.cells, 0))
        marks = zip(weights, state.cells, strict=True)
        return lead + sum([w if mark == "X" else -w for w, mark in marks if mark != "."]) / n

    return value


@lru_cache(maxsize=64)
def _ultimate(game: ultimate.Ultimate) -> Value:
    total = _weighted([len(masks) for masks in cells.lines(3, 3, 3)])
    points = [total(bits) for bits in range(512)]
    undecided = [[i for i in range(9) if not decided >> i & 1] for decided in range(512)]

    def value(state: ultimate.Position) -> float:
        (first, second), (x, o) = state.marks, state.won
        lead = sum([points[first[i]] - points[second[i]] for i in undecided[x | o]])
        return 6 * (points[x] - points[o]) + lead

    return value


class _Row(dict[str, tuple[float, float]]):
    """What the marks of a row are worth for the first seat and, below 0, for the second, by the row as a text.

    Args:
        points: Of each mark, column by column; other marks are worth nothing.
    """

    MOST = 2**12  # that are kept

    def __init__(self, points: dict[str, list[float]]) -> None:
        super().__init__()
        self._points = points

    def __missing__(self, row: str) -> tuple[float, float]:
        if len(self) >= self.MOST:
            self.clear()
        each = [self._points[mark][i] for i, mark in enumerate(row) if mark in self._points]
        found = self[row] = (sum(point for point in each if point > 0), sum(point for point in each if point < 0))
        return found


@lru_cache(maxsize=64)
def _checkers(game: checkers.Checkers) -> Value:
    n = game.size
    points = [{"X": 35.0, "O": -35.0, "x": 20.0 + row, "o": row - 19.0 - n} for row in range(n)]
    rows = [(_Row({mark: [each] * n for mark, each in marks.items()}), row * n) for row, marks in enumerate(points)]

    def value(state: checkers.Position) -> float:
        board, total = state.cells, 0.0
        for row, start in rows:
            gains, losses = row[board[start : start + n]]
            total += gains + losses
        return total

    return value


@lru_cache(maxsize=64)
def _chess(game: chess.Chess) -> Value:
    """Return Shannon's values of the pieces, with a little for standing near the middle and for pawns that go ahead.

    Against a king with hardly anything left, what counts is to drive it to the edge and to come near.
    """
    worth = {"p": 10, "n": 30, "b": 31, "r": 50, "q": 90, "k": 0}
    middle = [7 - abs(2 * (i // 8) - 7) / 2 - abs(2 * (i % 8) - 7) / 2 for i in range(64)]
    points = {}
    for letter, base in worth.items():
        near = [0.0 if letter == "k" else m / 4 + (i // 8 if letter == "p" else 0) for i, m in enumerate(middle)]
        points[letter.upper()] = [base + more for more in near]
        points[letter] = [-base - near[i ^ 56] for i in range(64)]
    starts = [(_Row({mark: each[i : i + 8] for mark, each in points.items()}), i) for i in range(0, 64, 8)]
    edge = [[(7 - middle[b]) * 3 - abs(a // 8 - b // 8) - abs(a % 8 - b % 8) for b in range(64)] for a in range(64)]

    def value(state: chess.Position) -> float:
        board = state.board
        first = second = 0.0
        for row, start in starts:
            gains, losses = row[board[start : start + 8]]
            first += gains
            second += losses
        lead = first + second
        if lead > 40 and second > -40:
            return lead + edge[board.index("K")][board.index("k")]
        if lead < -40 and first < 40:
            return lead - edge[board.index("k")][board.index("K")]
        return lead

    return value


@lru_cache(maxsize=64)
def _go(game: go.Go) -> Value:
    def value(state: go.Position) -> float:
        first, second = game.area(state)
        return first - second + 2 * (state.cells.count("X") - state.cells.count("O"))

    return value


_MAKERS: dict[type, Callable[[Any], Value]] = {
    tic_tac_toe.TicTacToe: _tic_tac_toe,
    connect_four.ConnectFour: _connect_four,
    othello.Othello: _othello,
    breakthrough.Breakthrough: _breakthrough,
    dots_and_boxes.DotsAndBoxes: _dots_and_boxes,
    hex.Hex: _hex,
    ultimate.Ultimate: _ultimate,
    checkers.Checkers: _checkers,
    chess.Chess: _chess,
    go.Go: _go,
    Generated: estimate,
}
