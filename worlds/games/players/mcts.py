"""Monte Carlo tree search.

Source: UCT, Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import CHANCE, OVER, playout
from turnwise.worlds.games.players.player import Player

__all__ = ["MCTS"]


class _Node:
    """A position in the tree: how often it was visited, what that earned its mover's predecessor, what was tried."""

    __slots__ = ("children", "state", "total", "turn", "untried", "visits")

    def __init__(self, state: Any, turn: int, untried: list[Any]) -> None:
        self.state, self.turn, self.untried = state, turn, untried
        self.children: dict[Any, _Node] = {}
        self.visits, self.total = 0, 0.0


@dataclass(frozen=True)
class MCTS(Player):
    """Plays random games from the most promising positions, ``simulations`` of them; sees everything.

    Attributes:
        explore: How much rarely tried moves are favoured.
    """

    simulations: int = 100
    explore: float = 1.4

    def choose(self, state: Hashable) -> Any:
        draw = self.draw(state)
        root = self._node(state, draw)
        for _ in range(self.simulations):
            self._simulate(root, draw)
        return max(root.children, key=lambda move: root.children[move].visits)

    def _node(self, state: Any, draw: Draw) -> _Node:
        turn = self.game.turn(state)
        return _Node(state, turn, [] if turn in (OVER, CHANCE) else draw.shuffled(self.game.legal(state)))

    def _simulate(self, root: _Node, draw: Draw) -> None:
        game, path, node = self.game, [root], root
        while node.turn != OVER:
            if node.turn == CHANCE:
                move = draw.weighted(game.legal(node.state), game.odds(node.state))
            elif node.untried:
                move = node.untried.pop()
            else:
                move = self._promising(node)
            fresh = move not in node.children
            if fresh:
                node.children[move] = self._node(game.apply(node.state, move), draw)
            node = node.children[move]
            path.append(node)
            if fresh and node.turn != CHANCE:
                break
        last, _ = playout(game, node.state, draw)
        returns = game.returns(last)
        for above, below in pairwise(path):
            below.visits += 1
            if above.turn >= 0:
                below.total += returns[above.turn]
        root.visits += 1

    def _promising(self, node: _Node) -> Any:
        log = math.log(node.visits + 1)
        return max(
            node.children,
            key=lambda m: (
                node.children[m].total / node.children[m].visits
                + self.explore * math.sqrt(log / node.children[m].visits)
            ),
        )
