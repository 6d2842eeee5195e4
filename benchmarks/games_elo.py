"""How strong the players of the games are: a round robin of each game, rated by Bradley and Terry's model.

    python benchmarks/games_elo.py                      # all games; --games Hex Othello: these
    python benchmarks/games_elo.py --pairs 40           # more games: openings, each played with both seatings

A pair of players plays the same openings with seats swapped. Ratings are Elo points above the random player; the
interval (95 %) is that of a bootstrap over openings. Poker is missing: it is won by chips, not by deals.

Source: Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952; Hunter, "MM algorithms for
generalized Bradley-Terry models", Annals of Statistics 32, 2004.
"""

import argparse
import math
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Draw
from turnwise.worlds.games.breakthrough import Breakthrough
from turnwise.worlds.games.checkers import Checkers
from turnwise.worlds.games.chess import Chess
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.dots_and_boxes import DotsAndBoxes
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.go import Go
from turnwise.worlds.games.hex import Hex
from turnwise.worlds.games.hidden.battleship import Battleship
from turnwise.worlds.games.hidden.liars_dice import LiarsDice
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.othello import Othello
from turnwise.worlds.games.pig import Pig
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.tic_tac_toe import TicTacToe
from turnwise.worlds.games.ultimate import Ultimate

SEARCH = ("random", "greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3")
SCRIPTED = ("random", "heuristic:1", "heuristic:2", "heuristic:3")
LADDERS: dict[str, tuple[Game[Any, Any], int, tuple[str, ...]]] = {  # rules, random moves of the opening, players
    "TicTacToe": (TicTacToe(5, 5, 4), 2, (*SEARCH, "mcts:100")),
    "ConnectFour": (ConnectFour(), 4, (*SEARCH, "alphabeta:4")),
    "Othello": (Othello(6), 8, SEARCH),
    "Breakthrough": (Breakthrough(5, 5), 4, SEARCH),
    "Checkers": (Checkers(6, 2), 2, (*SEARCH, "alphabeta:4")),
    "DotsAndBoxes": (DotsAndBoxes(3, 3), 6, SEARCH),
    "Hex": (Hex(5), 2, ("random", "greedy", "alphabeta:1", "alphabeta:2")),
    "Ultimate": (Ultimate(), 8, SEARCH[:4]),
    "Chess": (Chess(), 8, SEARCH[:4]),
    "Go": (Go(4), 0, ("random", "mcts:10", "mcts:40")),
    "Nim": (Nim(), 0, ("random", "greedy", "mcts:30", "perfect")),
    "LiarsDice": (LiarsDice(dice=4), 0, SCRIPTED),
    "Battleship": (Battleship(7, (3, 3, 2)), 0, SCRIPTED),
    "Pig": (Pig(), 0, SCRIPTED),
}


def points(game: Game[Any, Any], opening: int, names: tuple[str, str], seed: int) -> float:
    """Play a game; return the first seat's points: 1, a half or 0."""
    draw = Draw("ladder", seed)
    state = game.start(draw)
    for _ in range(opening):
        if game.turn(state) >= 0:
            state = game.apply(state, draw.choice(game.legal(state)))
    players = [make_player(name, game, 2 * seed + seat) for seat, name in enumerate(names)]
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            state = game.apply(state, draw.weighted(game.legal(state), game.odds(state)))
        else:
            state = game.apply(state, players[turn].choose(state))
    first, second = game.returns(state)
    return 1.0 if first > second else 0.0 if first < second else 0.5


def ratings(wins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return Elo points above the first player.

    Every pair is given half a point more on both sides, so that a player who won or lost everything has a rating.

    Args:
        wins: The points of each player against each other. Shape: [players, players].
    """
    wins = wins + 0.5 * (1 - np.eye(len(wins)))
    games, total = wins + wins.T, wins.sum(axis=1)
    strength = np.ones(len(wins))
    for _ in range(2000):
        sums = games / (strength[:, None] + strength[None, :])
        strength = total / sums.sum(axis=1)
        strength /= strength[0]
    return 400 * np.log10(strength)


def ladder(name: str, pairs: int, resamples: int = 300) -> list[tuple[str, float, float, float]]:
    """Return each player with its rating and the ends of its interval."""
    game, opening, names = LADDERS[name]
    size = len(names)
    scores = np.zeros((pairs, size, size))
    for a, b in combinations(range(size), 2):
        for seed in range(pairs):
            first = points(game, opening, (names[a], names[b]), seed) + 1
            first -= points(game, opening, (names[b], names[a]), seed)
            scores[seed, a, b], scores[seed, b, a] = first, 2 - first
    found = ratings(scores.sum(axis=0))
    rng = np.random.default_rng(0)
    again = np.array([ratings(scores[rng.integers(pairs, size=pairs)].sum(axis=0)) for _ in range(resamples)])
    low, high = np.quantile(again, [0.025, 0.975], axis=0)
    return [(n, *map(float, row)) for n, *row in zip(names, found, low, high, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=list(LADDERS), choices=list(LADDERS))
    parser.add_argument("--pairs", type=int, default=20, help="openings for each pair of players, two games each")
    arguments = parser.parse_args()
    print("| game | player | Elo | 95 % |\n|---|---|---:|---:|")
    for name in arguments.games:
        for player, rating, low, high in ladder(name, arguments.pairs):
            shown = "" if math.isclose(low, high) else f"{low:.0f} to {high:.0f}"
            print(f"| {name} | `{player}` | {rating:.0f} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
