"""The players of each game in the order of their strength, as round robins have measured it.

The round robins are `benchmarks/games_elo.py`, `games_points.py` and `games_seats.py` there; what they found is in
`baselines/results/games/strength.csv` and in `docs/games.md`.
"""

from typing import Any

from turnwise.worlds.games.game import Game
from turnwise.worlds.games.hidden.hands import Hands

__all__ = ["LADDERS", "ladder_of", "rank_of"]

_SEARCH = ("random", "greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3")
_SCRIPTED = ("random", "heuristic:1", "heuristic:2", "heuristic:3")

LADDERS: dict[str, tuple[str, ...]] = {
    "Auction": _SCRIPTED,
    "Battleship": _SCRIPTED,
    "Blackjack": ("random", "heuristic:1", "heuristic:3"),
    "Breakthrough": _SEARCH,
    "Checkers": ("random", "greedy", "alphabeta:2", "alphabeta:3", "alphabeta:4"),
    "Chess": _SEARCH[:4],
    "Clues": _SCRIPTED,
    "ConnectFour": ("random", "alphabeta:1", "greedy", "alphabeta:2", "alphabeta:3", "alphabeta:4"),
    "DotsAndBoxes": ("random", "alphabeta:1", "alphabeta:2", "alphabeta:3"),
    "Generated": ("random", "alphabeta:1", "greedy", "alphabeta:2"),
    "Go": ("random", "alphabeta:1", "alphabeta:2"),
    "Hanabi": _SCRIPTED,
    "Hex": _SEARCH[:4],
    "Holdem": _SCRIPTED,
    "Kitchen": _SCRIPTED,
    "Kuhn": (
        "random", "style:station", "style:maniac", "style:trapper", "style:timid", "style:bluffer", "style:sound",
        "style:rock", "equilibrium",
    ),
    "Leduc": (
        "random", "style:trapper", "style:station", "style:maniac", "style:timid", "style:bluffer", "style:sound",
        "style:rock", "equilibrium",
    ),
    "LiarsDice": _SCRIPTED,
    "Negotiation": ("random", "tactic:conceder", "tactic:linear", "tactic:mirror", "tactic:boulware"),
    "Nim": ("random", "greedy", "mcts:30", "perfect"),
    "Othello": ("random", "alphabeta:1", "alphabeta:2", "alphabeta:3"),
    "Pig": _SCRIPTED,
    "TicTacToe": _SEARCH,
    "Ultimate": ("random", "alphabeta:1", "greedy", "alphabeta:2", "alphabeta:3", "alphabeta:4"),
    "Werewolf": _SCRIPTED,
}  # fmt: skip
"""For each game its players from the weakest to the strongest; players that are not measurably stronger than another
one of the game are left out, such as `heuristic:2` of Blackjack. On some boards more of them are not told apart from
the one before, and have no place there. Poker styles stand in the order of what they lose to `equilibrium`, the tactics
of Negotiation in that of what they get from a player who knows them. The strategies of Matrix and the habits of NPoint
have no order: who does well depends on whom it meets."""


def ladder_of(game: Game[Any, Any]) -> tuple[str, ...]:
    """Return the names of the players of a game from the weakest to the strongest, or () if no order is known."""
    if isinstance(game, Hands):
        return ladder_of(game.inner)
    return next((LADDERS[kind.__name__] for kind in type(game).__mro__ if kind.__name__ in LADDERS), ())


def rank_of(game: Game[Any, Any], player: str) -> int:
    """Return a player's place in the `ladder_of` a game, from 0; `perfect` stands above all others.

    Raises:
        ValueError: The player is not in the ladder.
    """
    ladder = ladder_of(game)
    return len(ladder) if player == "perfect" else ladder.index(player)
