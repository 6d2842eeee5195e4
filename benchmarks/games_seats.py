"""How well scripted players do in games with many seats, and whether random games of them end and repeat.

    python benchmarks/games_seats.py                    # what each player gets, with 95 % intervals; --games 400
    python benchmarks/games_seats.py --random 10000     # so many random games of each, played twice

In games of one side all seats have the same player; in the others the first seats of a game in turn, and the others are
`heuristic:2`. Werewolf has the player on the whole side of the village or of the wolves.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game, playout
from turnwise.worlds.games.hidden.auction import Auction
from turnwise.worlds.games.hidden.clues import Clues
from turnwise.worlds.games.hidden.holdem import Holdem
from turnwise.worlds.games.hidden.kitchen import Kitchen
from turnwise.worlds.games.hidden.werewolf import Werewolf
from turnwise.worlds.games.players.make import make_player

NAMES = ("random", "heuristic:1", "heuristic:2", "heuristic:3")
GAMES: dict[str, Game[Any, Any]] = {
    "Kitchen (open)": Kitchen(),
    "Kitchen (divided)": Kitchen(walls="divided"),
    "Holdem (52 cards)": Holdem(2, 10, 100),
    "Holdem (12 cards)": Holdem(2, 10, 100, ranks=4, suits=3),
    "Clues": Clues(),
    "Werewolf, the village": Werewolf(),
    "Werewolf, two wolves": Werewolf(8, 2),
    "Auction, first price": Auction(),
    "Auction, second price": Auction(form="second"),
    "Auction, common values": Auction(form="common"),
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


def results(title: str, name: str, games: int) -> Iterator[float]:
    """Yield what a player gets in each game."""
    game = GAMES[title]
    for seed in range(games):
        state = game.start(Draw("seats", seed // 2 if isinstance(game, Holdem) else seed))
        seat = seed % game.seats
        names = ["heuristic:2"] * game.seats
        if isinstance(game, (Kitchen, Clues)):
            names = [name] * game.seats
        elif isinstance(game, Werewolf):
            wolf = title.endswith("wolves")
            names = [name if (role == "w") == wolf else "heuristic:2" for role in state.roles]
            seat = next(s for s, role in enumerate(state.roles) if (role == "w") == wolf)
        else:
            names[seat] = name
        yield finished(game, state, names, seed)[seat]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400, help="games for each player")
    parser.add_argument("--random", type=int, default=0, help="random games of each kind, in place of the table")
    arguments = parser.parse_args()
    if arguments.random:
        for title, game in GAMES.items():
            longest = 0
            for seed in range(arguments.random):
                start = game.start(Draw("random", seed))
                end, moves = playout(game, start, Draw("moves", seed))
                assert (end, moves) == playout(game, start, Draw("moves", seed))
                longest = max(longest, len(moves))
            print(
                f"{title}: {arguments.random} games ended and repeated, the longest after {longest} moves", flush=True
            )
        return
    print(f"| game | {' | '.join(f'`{name}`' for name in NAMES)} |\n|---|{'---:|' * len(NAMES)}")
    for title in GAMES:
        cells = []
        for name in NAMES:
            got = np.array(list(results(title, name, arguments.games)))
            cells.append(f"{got.mean():.2f} ± {1.96 * got.std() / len(got) ** 0.5:.2f}")
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
