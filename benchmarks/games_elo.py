"""How strong the players of the games are: a round robin of each game, rated by Bradley and Terry's model.

    python benchmarks/games_elo.py                      # all boards; --games Hex Othello: these
    python benchmarks/games_elo.py --pairs 40           # more games: openings, each played with both seatings
    python benchmarks/games_elo.py --save               # keeps the ratings in baselines/results/games/strength.csv

A pair of players plays the same openings with seats swapped. Ratings are Elo points above the random player; the
intervals (95 %) are those of a bootstrap over openings. A step is what a player's rating is above that of the player
before it in the order of `turnwise.worlds.games.ladders`. Besides the board on which all players of a game play
there are those on which levels of an environment have several opponents: only these and the random player play there.
`games_points.py` has the games that are played for points.

Source: Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952; Hunter, "MM algorithms for
generalized Bradley-Terry models", Annals of Statistics 32, 2004.
"""

import argparse
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from games_table import Row, save, text_of

from turnwise.core.draw import Draw
from turnwise.worlds.games.breakthrough import Breakthrough
from turnwise.worlds.games.checkers import Checkers
from turnwise.worlds.games.chess import Chess
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.dots_and_boxes import DotsAndBoxes
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.generated.library import shipped
from turnwise.worlds.games.go import Go
from turnwise.worlds.games.hex import Hex
from turnwise.worlds.games.hidden.battleship import Battleship
from turnwise.worlds.games.hidden.liars_dice import LiarsDice
from turnwise.worlds.games.ladders import LADDERS
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.othello import Othello
from turnwise.worlds.games.pig import Pig
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.tic_tac_toe import TicTacToe
from turnwise.worlds.games.ultimate import Ultimate

ELO = "Elo"


class Board(NamedTuple):
    """What is played: games in turn, random moves of the opening, and the players, or those of the ladder and others.

    Attributes:
        name: The settings, in words.
        games: The rules; with several, the openings take them in turn.
        opening: Random moves before the players take over.
        others: Players that are rated although they are not in the ladder.
        players: Who plays if not the whole ladder.
    """

    name: str
    games: tuple[Game[Any, Any], ...]
    opening: int
    others: tuple[str, ...] = ()
    players: tuple[str, ...] = ()

    @property
    def game(self) -> str:
        """The class of the rules."""
        return type(self.games[0]).__name__

    @property
    def rules(self) -> str:
        """The rules as Python writes them."""
        return repr(self.games[0]) if len(self.games) == 1 else f"{self.game}, {self.name}"

    @property
    def entrants(self) -> tuple[str, ...]:
        """Who plays, from the weakest to the strongest; the others come last."""
        return (self.players or LADDERS[self.game]) + self.others


def _search(*depths: int) -> tuple[str, ...]:
    return ("random", *(f"alphabeta:{depth}" for depth in depths))


def _rules(*skills: int) -> tuple[str, ...]:
    return ("random", *(f"heuristic:{skill}" for skill in skills))


def _generated(size: int) -> tuple[Game[Any, Any], ...]:
    return tuple(each.game for each in shipped() if each.size == size)


WHOLE = (
    Board("5 × 5, four in a row", (TicTacToe(5, 5, 4),), 2, ("mcts:100",)),
    Board("6 × 7", (ConnectFour(),), 4),
    Board("6 × 6", (Othello(6),), 8, ("greedy",)),
    Board("5 × 5", (Breakthrough(5, 5),), 4),
    Board("6 × 6", (Checkers(6, 2),), 4, ("alphabeta:1",)),
    Board("3 × 3", (DotsAndBoxes(3, 3),), 6, ("greedy",)),
    Board("5 × 5", (Hex(5),), 2),
    Board("nine boards", (Ultimate(),), 8),
    Board("8 × 8", (Chess(),), 8),
    Board("5 × 5", (Go(5, 0.5),), 4, ("greedy",)),
    Board("size 2", _generated(2), 2),
    Board("three to five heaps", (Nim(),), 0),
    Board("four dice", (LiarsDice(dice=4),), 0),
    Board("7 × 7, four ships", (Battleship(7, (4, 3, 3, 2)),), 0),
    Board("100 points", (Pig(),), 0),
)
LEVELS = (
    Board("6 × 6, five in a row", (TicTacToe(6, 6, 5),), 2, players=("random", "greedy", "alphabeta:2")),
    Board("5 × 6", (ConnectFour(5, 6),), 4, ("alphabeta:3",), ("random", "greedy", "alphabeta:2", "alphabeta:4")),
    Board("7 × 8", (ConnectFour(7, 8),), 4, players=_search(2, 3)),
    Board("8 × 8", (Othello(8),), 12, players=_search(2, 3)),
    Board("6 × 6", (Breakthrough(6, 6),), 8, players=_search(2, 3)),
    Board("8 × 8", (Checkers(8, 3),), 8, players=_search(2, 3)),
    Board("3 × 4", (DotsAndBoxes(3, 4),), 8, players=_search(1, 2, 3)),
    Board("6 × 6", (Hex(6),), 4, players=_search(1, 2)),
    Board("4 × 4", (Go(4, 0.5),), 2, ("mcts:10", "mcts:40")),
    Board("6 × 6", (Go(6, 0.5),), 6, players=_search(1, 2)),
    Board("7 × 7", (Go(7, 0.5),), 8, players=_search(1, 2)),
    Board("size 1", _generated(1), 2, players=("random", "alphabeta:1", "greedy")),
    Board("size 3", _generated(3), 4, players=_search(1, 2)),
    Board("three dice", (LiarsDice(dice=3),), 0),
    Board("five dice, ones are wild", (LiarsDice(dice=5, wild=1),), 0, players=_rules(2, 3)),
    Board("6 × 6, four ships", (Battleship(6, (4, 3, 3, 2)),), 0, players=_rules(1, 2)),
    Board("8 × 8, four ships", (Battleship(8, (4, 3, 3, 2)),), 0),
    Board("60 points", (Pig(goal=60),), 0, players=_rules(1, 2)),
    Board("80 points", (Pig(goal=80),), 0),
)
BOARDS = WHOLE + LEVELS


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
    """Return Elo points above the first player, of one round robin or of many.

    Every pair is given half a point more on both sides, so that a player who won or lost everything has a rating.

    Args:
        wins: The points of each player against each other. Shape: [..., players, players].
    """
    size = wins.shape[-1]
    wins = wins + 0.5 * (1 - np.eye(size))
    games, total = wins + wins.swapaxes(-1, -2), wins.sum(axis=-1)
    strength = np.ones(wins.shape[:-1])
    for _ in range(2000):
        before = strength
        sums = games / (strength[..., :, None] + strength[..., None, :])
        strength = total / sums.sum(axis=-1)
        strength /= strength[..., :1]
        if np.allclose(strength, before, rtol=1e-7, atol=0.0):
            break
    return 400 * np.log10(strength)


def rated(board: Board, pairs: int, resamples: int = 300) -> list[Row]:
    """Return the rating of each player on a board.

    Args:
        board: What is played, and by whom.
        pairs: The number of openings of each pair of players.
        resamples: The number of bootstrap samples.
    """
    names = board.entrants
    size = len(names)
    scores = np.zeros((pairs, size, size))
    for a, b in combinations(range(size), 2):
        for seed in range(pairs):
            game = board.games[seed % len(board.games)]
            first = points(game, board.opening, (names[a], names[b]), seed) + 1
            first -= points(game, board.opening, (names[b], names[a]), seed)
            scores[seed, a, b], scores[seed, b, a] = first, 2 - first
    found = ratings(scores.sum(axis=0))
    rng = np.random.default_rng(0)
    again = ratings(np.array([scores[rng.integers(pairs, size=pairs)].sum(axis=0) for _ in range(resamples)]))
    rows = []
    for place, name in enumerate(names):
        steps = [found[place], *np.quantile(again[:, place], (0.025, 0.975))]
        rises = [0.0] * 3
        if name in board.others:
            rises = [float("nan")] * 3
        elif place:
            rise = again[:, place] - again[:, place - 1]
            rises = [found[place] - found[place - 1], *np.quantile(rise, (0.025, 0.975))]
        numbers = (round(float(number), 1) for number in (*steps, *rises))
        rows.append(Row(board.game, board.name, board.rules, ELO, name, *numbers, pairs))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = sorted({board.game for board in BOARDS})
    parser.add_argument("--games", nargs="*", default=known, choices=known)
    parser.add_argument("--pairs", type=int, default=20, help="openings for each pair of players, two games each")
    parser.add_argument("--whole", action="store_true", help="the boards alone on which all players play")
    parser.add_argument("--boards", nargs="*", default=[], help="names of boards, such as '5 × 6'; default: all")
    parser.add_argument("--save", action="store_true", help="keep the ratings in the file of `games_table.py`")
    arguments = parser.parse_args()
    for board in WHOLE if arguments.whole else BOARDS:
        if board.game in arguments.games and (not arguments.boards or board.name in arguments.boards):
            rows = rated(board, arguments.pairs)
            print(text_of(rows), flush=True)
            if arguments.save:
                save(rows)


if __name__ == "__main__":
    main()
