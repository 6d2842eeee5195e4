"""How strong the players of games for points are: round robins of Kuhn, Leduc, Holdem, Negotiation and Matrix.

    python benchmarks/games_points.py                          # all; --games Kuhn Leduc: these
    python benchmarks/games_points.py --deals 500 --save       # keeps the rows in baselines/results/games/strength.csv

Each pair of players is dealt the same cards, or items, in both seatings. The intervals (95 %) are those of the mean
over deals; all pairs have the same deals, so that players are compared deal by deal. Kuhn and Leduc are small enough to
be computed as well: what a player wins is then the sum over all deals and all that the players may do. A step is by how
much a player is better than the one before it in the order of `turnwise.worlds.games.ladders`.

Source: duplicate deals are how poker programs are compared, Hoehn, Southey, Holte and Bulitko, AAAI 2005; round robins
of strategies with every strategy also against itself, Axelrod, Journal of Conflict Resolution 24, 1980.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from games_table import Row, rows_of, save, text_of

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game
from turnwise.worlds.games.hidden.holdem import Holdem
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.hidden.matrix import Matrix
from turnwise.worlds.games.hidden.negotiation import Negotiation
from turnwise.worlds.games.ladders import ladder_of
from turnwise.worlds.games.players.bargaining import Knowing
from turnwise.worlds.games.players.cfr import expected, exploitability
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.strategies import STRATEGIES
from turnwise.worlds.games.players.styles import strategy_named

Points = npt.NDArray[np.float64]
TABLES = ("prisoners_dilemma", "trust", "chicken", "stag_hunt")
HEURISTICS = ("heuristic:1", "heuristic:2", "heuristic:3")


def played(game: Game[Any, Any], players: Sequence[Player], seed: int) -> tuple[float, ...]:
    """Return what the seats get; what is dealt depends on the seed alone, whatever is played."""
    state = game.start(Draw("deal", seed))
    drawn = 0
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            draw, drawn = Draw("chance", seed, drawn), drawn + 1
            state = game.apply(state, draw.weighted(game.legal(state), game.odds(state)))
        elif turn == ALL:
            state = game.apply(state, tuple(player.act(state, seat) for seat, player in enumerate(players)))
        else:
            state = game.apply(state, players[turn].choose(state))
    return game.returns(state)


def round_robin(game: Game[Any, Any], names: Sequence[str], deals: int) -> Points:
    """Return the mean over both seatings of what each player gets from each. Shape: [players, players, deals]."""
    got = np.zeros((len(names), len(names), deals))
    for deal in range(deals):
        for a, first in enumerate(names):
            for b, second in enumerate(names):
                pair = (make_player(first, game, 2 * deal), make_player(second, game, 2 * deal + 1))
                one, other = played(game, pair, deal)
                got[a, b, deal] += one / 2
                got[b, a, deal] += other / 2
    return got


def against_all(got: Points) -> Points:
    """Return the mean of what each player gets from all others. Shape: [players, deals]."""
    size = len(got)
    own = got[np.arange(size), np.arange(size)]
    return (got.sum(axis=1) - own) / (size - 1)


def poker(game: Game[Any, Any], deals: int) -> Iterator[list[Row]]:
    """Yield chips a deal against `equilibrium`, against all others and against the best answer to a player."""
    names = ladder_of(game)
    got = round_robin(game, names, deals)
    best = names.index("equilibrium")
    yield rows_of(game, "", "chips against equilibrium", names, got[:, best])
    field = against_all(got)
    yield rows_of(game, "", "chips against all", names, field, others=names)
    plans = [strategy_named(game, name) for name in names]
    worth = np.zeros((len(names), len(names), 1))
    for a, first in enumerate(plans):
        for b, second in enumerate(plans):
            mixed = {view: (first if view.startswith("0 ") else second)[view] for view in first}
            chips = expected(game, mixed)
            worth[a, b] += chips / 2
            worth[b, a] -= chips / 2
    yield rows_of(game, "", "chips against equilibrium, computed", names, worth[:, best])
    yield rows_of(game, "", "chips against all, computed", names, against_all(worth), others=names)
    lost = np.array([[-exploitability(game, plan)] for plan in plans])
    yield rows_of(game, "", "chips against a best answer, computed", names, lost, others=names)


def holdem(game: Holdem, board: str, deals: int) -> Iterator[list[Row]]:
    """Yield chips a hand against all others; a step is what is won from the player before."""
    others = () if game.fixed else ("heuristic:1",)  # not told apart from random raises, which are large there
    names = (*(name for name in ladder_of(game) if name not in others), *others)
    got = round_robin(game, names, deals) / game.hands
    steps = np.array([got[place, max(0, place - 1)] for place in range(len(names))])
    yield rows_of(game, board, "chips a hand", names, against_all(got), steps, others)


def negotiation(game: Negotiation, board: str, deals: int) -> Iterator[list[Row]]:
    """Yield what a player gets from one who knows its values and how it plays, and from all others."""
    names = (*ladder_of(game), *HEURISTICS)
    kept = np.zeros((len(names), deals))
    for place, name in enumerate(names):
        for deal in range(deals):
            player = make_player(name, game, deal)
            knowing = Knowing(game, other=player)
            kept[place, deal] = (
                played(game, (player, knowing), deal)[0] + played(game, (knowing, player), deal)[1]
            ) / 2
    yield rows_of(game, board, "worth left by a player who knows", names, kept, others=HEURISTICS)
    yield rows_of(game, board, "worth from all", names, against_all(round_robin(game, names, deals)), others=names)


def matrix(table: str, deals: int) -> Iterator[list[Row]]:
    """Yield the points a round of each strategy against all, itself among them."""
    game, names = Matrix(table, 10), tuple(STRATEGIES)
    players = [f"strategy:{name}" for name in names]
    got = round_robin(game, players, deals).mean(axis=1) / game.rounds
    yield rows_of(game, table, "points a round", players, got, others=players)


def tables(name: str, deals: int) -> Iterator[list[Row]]:
    """Yield the rows of a game, one measure after another."""
    if name == "Kuhn":
        yield from poker(Kuhn(), 4 * deals)
    elif name == "Leduc":
        yield from poker(Leduc(), 2 * deals)
    elif name == "Holdem":
        yield from holdem(Holdem(2, 8, 60), "limit, 52 cards, 8 hands", deals)
        yield from holdem(Holdem(2, 10, 80), "limit, 52 cards, 10 hands", deals)
        yield from holdem(Holdem(2, 8, 60, fixed=False), "no limit, 52 cards, 8 hands", 10 * deals)
    elif name == "Negotiation":
        yield from negotiation(Negotiation(3, 3, 8, 20), "three kinds, 8 offers", deals)
        yield from negotiation(Negotiation(3, 3, 10, 20), "three kinds, 10 offers", deals)
    else:
        for table in TABLES:
            yield from matrix(table, deals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = ["Kuhn", "Leduc", "Holdem", "Negotiation", "Matrix"]
    parser.add_argument("--games", nargs="*", default=known, choices=known)
    parser.add_argument(
        "--deals",
        type=int,
        default=100,
        help="deals of each pair; 10 times as many without a limit, 4 times in Kuhn, twice in Leduc",
    )
    parser.add_argument("--save", action="store_true", help="keep the rows in the file of `games_table.py`")
    arguments = parser.parse_args()
    for name in arguments.games:
        for rows in tables(name, arguments.deals):
            print(text_of(rows), flush=True)
            if arguments.save:
                save(rows)


if __name__ == "__main__":
    main()
