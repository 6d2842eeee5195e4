"""Equilibria of small games with hidden information, by counterfactual regret minimisation.

Source: Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete information", NeurIPS
2007; the variant is CFR+ with linear averaging, Tammelin, arXiv 1407.5042.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.players.player import Player

__all__ = [
    "Equilibrium",
    "Strategy",
    "best_response",
    "equilibrium",
    "expected",
    "exploitability",
    "positions",
    "strategy_of",
]

Strategy = dict[str, tuple[float, ...]]
"""For each view of a seat to move the probabilities of its legal moves."""


class _Node(NamedTuple):
    """A position of the whole tree: who moves (`OVER` at the end), the mover's view, and what follows."""

    turn: int
    view: str
    odds: tuple[float, ...]
    children: tuple["_Node", ...]
    value: float  # of the first seat, at the end


def _tree(game: Game[Any, Any], state: Any, positions: dict[str, tuple[Any, int]]) -> _Node:
    """Return the tree below a position, moves of chance from which the same follows as one; collect the views."""
    turn = game.turn(state)
    if turn == OVER:
        return _Node(turn, "", (), (), game.returns(state)[0])
    view = ""
    if turn != CHANCE:
        positions.setdefault(view := f"{turn} {game.view(state, turn)}", (state, turn))
    below = [_tree(game, game.apply(state, move), positions) for move in game.legal(state)]
    if turn != CHANCE:
        return _Node(turn, view, (), tuple(below), 0.0)
    odds: dict[_Node, float] = {}
    for child, p in zip(below, game.odds(state), strict=True):
        odds[child] = odds.get(child, 0.0) + p
    return _Node(turn, "", tuple(odds.values()), tuple(odds), 0.0)


@lru_cache(maxsize=8)
def _known(game: Game[Any, Any]) -> tuple[_Node, dict[str, tuple[Any, int]]]:
    positions: dict[str, tuple[Any, int]] = {}
    return _tree(game, game.initial(), positions), positions


def _whole(game: Game[Any, Any]) -> _Node:
    return _known(game)[0]


def positions(game: Game[Any, Any]) -> dict[str, tuple[Any, int]]:
    """Return for each view a position in which a seat has it, and the seat."""
    return _known(game)[1]


@lru_cache(maxsize=8)
def equilibrium(game: Game[Any, Any], iterations: int = 1000) -> Strategy:
    """Return a strategy for both seats of a two-seat zero-sum game that is close to an equilibrium."""
    root = _whole(game)
    regrets: dict[str, list[float]] = {}
    sums: dict[str, list[float]] = {}
    for number in range(1, iterations + 1):
        for seat in (0, 1):
            gained: dict[str, list[float]] = {}
            _walk(root, seat, (1.0, 1.0), float(number), regrets, gained, sums)
            for view, gains in gained.items():
                regrets[view] = [max(0.0, r + g) for r, g in zip(regrets[view], gains, strict=True)]
    return {view: _shares(total) for view, total in sums.items()}


def _shares(weights: list[float]) -> tuple[float, ...]:
    total = sum(weights)
    return tuple(w / total for w in weights) if total > 0 else (1 / len(weights),) * len(weights)


def _walk(
    node: _Node,
    seat: int,
    reach: tuple[float, float],
    weight: float,
    regrets: dict[str, list[float]],
    gained: dict[str, list[float]],
    sums: dict[str, list[float]],
) -> float:
    """Return a seat's value of a node under the current strategies; collect its regrets and the other's average.

    Args:
        node: Where to begin.
        seat: Whose regrets are collected.
        reach: The probability that the seat plays to the node, and that everybody else does.
        weight: Of this iteration in the average.
        regrets: The regrets so far, by view; views met for the first time are added.
        gained: Receives the regrets of this iteration.
        sums: Receives the weighted strategies of the other seat.
    """
    if node.turn == OVER:
        return node.value if seat == 0 else -node.value
    own, others = reach
    if node.turn == CHANCE:
        return sum(
            p * _walk(child, seat, (own, others * p), weight, regrets, gained, sums)
            for p, child in zip(node.odds, node.children, strict=True)
        )
    count = len(node.children)
    strategy = _shares(regrets.setdefault(node.view, [0.0] * count))
    if node.turn != seat:
        total = sums.setdefault(node.view, [0.0] * count)
        value = 0.0
        for i, (p, child) in enumerate(zip(strategy, node.children, strict=True)):
            total[i] += weight * others * p  # counts chance too, alike for all moves of a view in these games
            value += p * _walk(child, seat, (own, others * p), weight, regrets, gained, sums)
        return value
    values = [
        _walk(child, seat, (own * p, others), weight, regrets, gained, sums)
        for p, child in zip(strategy, node.children, strict=True)
    ]
    value = sum(p * v for p, v in zip(strategy, values, strict=True))
    gains = gained.setdefault(node.view, [0.0] * count)
    for i, v in enumerate(values):
        gains[i] += others * (v - value)
    return value


def expected(game: Game[Any, Any], strategy: Strategy) -> float:
    """Return what the first seat wins on average if both follow the strategy."""

    def value(node: _Node) -> float:
        if node.turn == OVER:
            return node.value
        odds = node.odds if node.turn == CHANCE else strategy[node.view]
        return sum(p * value(child) for p, child in zip(odds, node.children, strict=True) if p)

    return value(_whole(game))


def exploitability(game: Game[Any, Any], strategy: Strategy) -> float:
    """Return how much best responses win against the strategy, on the mean of both seats; 0 for an equilibrium."""
    return sum(_Responses(_whole(game), seat, strategy).value(_whole(game)) for seat in (0, 1)) / 2


def best_response(game: Game[Any, Any], seat: int, strategy: Strategy) -> dict[str, int]:
    """Return for every view of a seat the number of the legal move that does best against a strategy."""
    responses = _Responses(_whole(game), seat, strategy)
    return {view: responses.choice(view) for view in responses.groups}


def strategy_of(game: Game[Any, Any], odds: Callable[[Any, int], tuple[float, ...]]) -> Strategy:
    """Return the strategy of both seats that gives the legal moves of a position and seat these odds."""
    return {view: odds(state, seat) for view, (state, seat) in positions(game).items()}


class _Responses:
    """The best response of a seat to a strategy, with one choice for all nodes of a view."""

    def __init__(self, root: _Node, seat: int, strategy: Strategy) -> None:
        self.seat, self.strategy = seat, strategy
        self.groups: dict[str, list[tuple[_Node, float]]] = defaultdict(list)
        self._chosen: dict[str, int] = {}
        self._collect(root, 1.0)

    def _collect(self, node: _Node, reach: float) -> None:
        if node.turn == self.seat:
            self.groups[node.view].append((node, reach))
        odds = () if node.turn in (self.seat, OVER) else node.odds or self.strategy[node.view]
        for p, child in zip(odds or (1.0,) * len(node.children), node.children, strict=True):
            self._collect(child, reach * p)

    def value(self, node: _Node) -> float:
        """Return what the seat wins from a node on."""
        if node.turn == OVER:
            return node.value if self.seat == 0 else -node.value
        if node.turn == self.seat:
            return self.value(node.children[self.choice(node.view)])
        odds = node.odds if node.turn == CHANCE else self.strategy[node.view]
        return sum(p * self.value(child) for p, child in zip(odds, node.children, strict=True) if p)

    def choice(self, view: str) -> int:
        """Return the number of the best move in a view."""
        if view not in self._chosen:
            nodes = self.groups[view]
            moves = range(len(nodes[0][0].children))
            self._chosen[view] = max(moves, key=lambda i: sum(reach * self.value(n.children[i]) for n, reach in nodes))
        return self._chosen[view]


@dataclass(frozen=True)
class Equilibrium(Player):
    """Plays a near-equilibrium of a small two-seat game with hidden information; it sees its own view alone.

    Which of the mixed moves it plays depends on its seed and view, so that the cards of others do not matter.
    """

    iterations: int = 300

    def choose(self, state: Hashable) -> Any:
        seat = self.game.turn(state)
        view = f"{seat} {self.game.view(state, seat)}"
        odds = equilibrium(self.game, self.iterations)[view]
        return self.draw(view).weighted(self.game.legal(state), odds)
