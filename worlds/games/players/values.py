"""How good a position looks for the first seat, without search: from about -100 to 100 for each game.

Source: the usual first terms of textbook evaluations: the middle in connection games, mobility and corners in Othello
(Rosenbloom, Artificial Intelligence 19, 1982), material and advance in Breakthrough, the lead in Dots and Boxes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from turnwise.worlds.games import breakthrough, cells, connect_four, dots_and_boxes, hex, othello, tic_tac_toe
from turnwise.worlds.games.game import Game

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

    def value(state: hex.Position) -> float:
        return sum([w if mark == "X" else -w for w, mark in zip(weights, state.cells, strict=True) if mark != "."])

    return value


_MAKERS: dict[type, Callable[[Any], Value]] = {
    tic_tac_toe.TicTacToe: _tic_tac_toe,
    connect_four.ConnectFour: _connect_four,
    othello.Othello: _othello,
    breakthrough.Breakthrough: _breakthrough,
    dots_and_boxes.DotsAndBoxes: _dots_and_boxes,
    hex.Hex: _hex,
}
