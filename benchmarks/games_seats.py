"""How well scripted players do in games with many seats, and whether random games of them end and repeat.

    python benchmarks/games_seats.py                    # what each player gets, with 95 % intervals; --games 400
    python benchmarks/games_seats.py --save             # keeps the rows in baselines/results/games/strength.csv
    python benchmarks/games_seats.py --random 10000     # so many random games of each, played twice
    python benchmarks/games_seats.py --random 10000 --only Chess    # of one of them, the slowest

In games of one side all seats have the same player; in the others the first seats of a game in turn, and the others are
`heuristic:2`. Werewolf has the player on the whole side of the village or of the wolves. All players have the same
deals, so that neighbours are compared deal by deal.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from games_table import Row, rows_of, save, text_of

from turnwise.core.draw import Draw
from turnwise.worlds.games.chess import Chess
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game, playout
from turnwise.worlds.games.hidden.auction import Auction
from turnwise.worlds.games.hidden.blackjack import Blackjack
from turnwise.worlds.games.hidden.clues import Clues
from turnwise.worlds.games.hidden.hanabi import Hanabi
from turnwise.worlds.games.hidden.holdem import Holdem
from turnwise.worlds.games.hidden.kitchen import Kitchen
from turnwise.worlds.games.hidden.werewolf import Werewolf
from turnwise.worlds.games.ladders import ladder_of
from turnwise.worlds.games.players.make import make_player

POINTS = "points a game"
GAMES: dict[tuple[str, str], Game[Any, Any]] = {
    ("Kitchen", "open"): Kitchen(),
    ("Kitchen", "divided"): Kitchen(walls="divided"),
    ("Clues", "six targets"): Clues(),
    ("Hanabi", "two seats, three colours"): Hanabi(2, 3),
    ("Hanabi", "four seats, five colours"): Hanabi(4, 5),
    ("Werewolf", "the village"): Werewolf(),
    ("Werewolf", "two wolves of 8"): Werewolf(8, 2),
    ("Auction", "first price"): Auction(),
    ("Auction", "second price"): Auction(form="second"),
    ("Auction", "common values"): Auction(form="common"),
    ("Blackjack", "one seat"): Blackjack(),
}
APART: dict[tuple[str, str], tuple[str, ...]] = {
    ("Werewolf", "two wolves of 8"): ("heuristic:2",),
    ("Auction", "second price"): ("heuristic:2",),
    ("Blackjack", "one seat"): ("heuristic:2",),
}
"""Players who are not told apart from the one before them, so that they have no place in the order there."""
RANDOM: dict[str, Game[Any, Any]] = {
    **{", ".join(title): game for title, game in GAMES.items() if not isinstance(game, (Hanabi, Blackjack))},
    "Holdem, 52 cards": Holdem(2, 10, 100),
    "Holdem, 12 cards": Holdem(2, 10, 100, ranks=4, suits=3),
    "Chess": Chess(),
}


def finished(game: Game[Any, Any], state: Any, names: list[str], seed: int) -> tuple[float, ...]:
    """Return what the seats get in a game between players."""
    draw = Draw("chance", seed)
    players = [make_player(name, game, 100 * seed + seat) for seat, name in enumerate(names)]
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            move = draw.weighted(game.legal(state), game.odds(state))
        elif turn == ALL:
            move = tuple(player.act(state, seat) for seat, player in enumerate(players))
        else:
            move = players[turn].act(state, turn)
        state = game.apply(state, move)
    return game.returns(state)


def results(game: Game[Any, Any], board: str, name: str, games: int) -> Iterator[float]:
    """Yield what a player gets in each game."""
    for seed in range(games):
        state = game.start(Draw("seats", seed))
        seat = seed % game.seats
        names = ["heuristic:2"] * game.seats
        if isinstance(game, (Kitchen, Clues, Hanabi)):
            names = [name] * game.seats
        elif isinstance(game, Werewolf):
            wolf = "wolves" in board
            names = [name if (role == "w") == wolf else "heuristic:2" for role in state.roles]
            seat = next(s for s, role in enumerate(state.roles) if (role == "w") == wolf)
        else:
            names[seat] = name
        yield finished(game, state, names, seed)[seat]


def rows(game: Game[Any, Any], board: str, games: int) -> list[Row]:
    """Return what each player of the ladder gets on average; of Blackjack, whose games are short, 50 times as many."""
    others = APART.get((type(game).__name__, board), ())
    names = (*(name for name in ladder_of(game) if name not in others), *others)
    many = 50 * games if isinstance(game, Blackjack) else games
    got = np.array([list(results(game, board, name, many)) for name in names])
    return rows_of(game, board, POINTS, names, got, others=others)


def check_random(games: int, only: str) -> None:
    """Play random games of each kind, or of those whose title begins so, twice; say how long the longest was."""
    for title, game in RANDOM.items():
        if not title.startswith(only):
            continue
        longest = 0
        for seed in range(games):
            start = game.start(Draw("random", seed))
            end, moves = playout(game, start, Draw("moves", seed))
            assert game.turn(end) == OVER
            assert (end, moves) == playout(game, start, Draw("moves", seed))
            longest = max(longest, len(moves))
        print(f"{title}: {games} games ended and repeated, the longest after {longest} moves", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400, help="games for each player")
    parser.add_argument("--random", type=int, default=0, help="random games of each kind, in place of the table")
    parser.add_argument("--only", default="", help="the beginning of the title of the games for --random")
    parser.add_argument(
        "--boards", nargs="*", default=[], help="titles of boards, such as 'second price'; default: all"
    )
    parser.add_argument("--save", action="store_true", help="keep the rows in the file of `games_table.py`")
    arguments = parser.parse_args()
    if arguments.random:
        check_random(arguments.random, arguments.only)
        return
    for (_, board), game in GAMES.items():
        if arguments.boards and board not in arguments.boards:
            continue
        found = rows(game, board, arguments.games)
        print(text_of(found), flush=True)
        if arguments.save:
            save(found)


if __name__ == "__main__":
    main()
