"""Games with hidden information: their rules by example, and players that see no more than their seat does."""

from typing import Any

import pytest

from tests.worlds.games.games_of import GAMES
from tests.worlds.games.test_players import result
from tests.worlds.games.test_rules import likewise, played
from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game
from turnwise.worlds.games.hidden.battleship import Battleship, places
from turnwise.worlds.games.hidden.blackjack import Blackjack
from turnwise.worlds.games.hidden.hanabi import Hanabi
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.liars_dice import LIAR, LiarsDice
from turnwise.worlds.games.hidden.matrix import TABLES, Matrix
from turnwise.worlds.games.hidden.negotiation import ACCEPT, Negotiation
from turnwise.worlds.games.hidden.negotiation import Position as Bargain
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.pig import Pig
from turnwise.worlds.games.players.heuristics import has_heuristic
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.strategies import STRATEGIES


def finished(game: Game[Any, Any], names: list[str], seed: int) -> tuple[float, ...]:
    """The returns of a game between players, one a seat."""
    draw = Draw("seats", seed)
    state = game.start(draw)
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


def mean(game: Game[Any, Any], names: list[str], games: int) -> float:
    """What the first seat gets on average."""
    return sum(finished(game, names, seed)[0] for seed in range(games)) / games


def test_a_doubt_shows_the_dice_and_takes_one_from_the_loser() -> None:
    game = LiarsDice(dice=2, wild=1)
    state = game.initial()
    for move in (1, 5, 5, 3, (2, 5), (3, 5), LIAR):
        state = game.apply(state, move)
    assert state.shown is not None
    assert (state.shown.found, state.shown.loser, state.left) == (3, 0, (1, 2)), "the 1 is wild: three fives"
    told = "Player 1 had 1 5; Player 2 had 3 5. Player 1 doubted 3x5; 3 matched, so Player 1 lost."
    assert told in game.view(state, 1)


def test_ships_are_hit_and_sunk() -> None:
    game = Battleship(4, (2,))
    state = game.initial()._replace(fleets=((places(4, 2)[0],), (places(4, 2)[12],)))  # a1 b1; a1 a2
    state = game.apply(game.apply(state, 0), 15)
    assert "1 x . . ." in game.view(state, 0).partition("Your board")[0]
    assert "4 . . . o" in game.view(state, 0).partition("Your board")[2]
    assert "Sunk ships: none" in game.view(state, 0)
    state = game.apply(state, 4)
    assert "1 # . . .\n2 # . . ." in game.view(state, 0)
    assert (game.turn(state), game.returns(state)) == (OVER, (1.0, -1.0))


def test_ships_always_find_a_place() -> None:
    game = Battleship(3, (3, 3, 2), placed=False)
    for seed in range(20):
        assert game.turn(played(game, seed)[0][-1]) == OVER


def test_an_agreement_pays_both_by_their_own_values() -> None:
    game = Negotiation(2, 3)
    state = Bargain((2, 1), ((5, 0), (1, 8)))
    state = game.apply(game.apply(state, (2, 0)), ACCEPT)
    assert game.returns(state) == (10.0, 8.0)
    state = Bargain((2, 1), ((5, 0), (1, 8)))
    for _ in range(8):
        state = game.apply(state, (2, 1))
    assert (game.turn(state), game.returns(state)) == (OVER, (0.0, 0.0))


def test_values_of_a_pool_add_up() -> None:
    game = Negotiation()
    for seed in range(50):
        state = game.start(Draw(seed))
        for values in state.values:
            assert sum(n * v for n, v in zip(state.pool, values, strict=True)) == 10


@pytest.mark.parametrize("table", TABLES)
def test_tables_have_a_row_and_column_for_each_choice(table: str) -> None:
    choices, first, second = TABLES[table]
    for payoffs in (first, second):
        assert [len(row) for row in payoffs] == [len(choices)] * len(choices)


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(SettingsError, match="table is 'war'; it must be one of prisoners_dilemma"):
        Matrix("war")


SCRIPTED = [game for game in GAMES if has_heuristic(game)]


@pytest.mark.parametrize("game", SCRIPTED, ids=repr)
@pytest.mark.parametrize("skill", [1, 2, 3])
def test_scripted_players_do_not_look_at_what_is_hidden(game: Game[Any, Any], skill: int) -> None:
    player = make_player(f"heuristic:{skill}", game, 3)
    for seed in range(2):
        draw = Draw("honest", seed)
        for state in played(game, seed)[0][::2]:
            if (turn := game.turn(state)) >= 0:
                move = player.act(state, turn)
                assert move in game.legal(state)
                for other in likewise(game, state, turn, draw):
                    assert game.turn(other) == OVER or player.act(other, turn) == move


@pytest.mark.parametrize(
    ("game", "strong", "weak", "games", "least"),
    [
        (LiarsDice(dice=3), "heuristic:2", "random", 30, 0.6),
        (LiarsDice(dice=3), "heuristic:2", "heuristic:1", 60, 0.1),
        (Battleship(6, (3, 2)), "heuristic:1", "random", 30, 0.4),
        (Battleship(6, (3, 2)), "heuristic:3", "heuristic:1", 40, 0.2),
        (Pig(goal=50), "heuristic:3", "random", 30, 0.4),
    ],
)  # fmt: skip
def test_skill_pays(game: Game[Any, Any], strong: str, weak: str, games: int, least: float) -> None:
    """In both seats."""
    assert mean(game, [strong, weak], games) > least
    assert mean(game, [weak, strong], games) < -least


@pytest.mark.parametrize("game", [Hanabi(2), Hanabi(4)], ids=repr)
def test_partners_who_hint_get_further(game: Game[Any, Any]) -> None:
    names = ("random", "heuristic:1", "heuristic:2", "heuristic:3")
    means = [mean(game, [name] * game.seats, 8) for name in names]
    assert means[3] >= means[2] > means[1] > means[0]
    assert means[3] > 11


def test_blackjack_by_the_dealers_rule_loses_little() -> None:
    means = {name: mean(Blackjack(), [name], 400) for name in ("random", "heuristic:2", "heuristic:3")}
    assert means["random"] < -0.2 < means["heuristic:2"]
    assert means["heuristic:3"] > -0.12


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [
        ("tit_for_tat", "tit_for_tat", (30, 30)), ("tit_for_tat", "defect", (9, 14)), ("grim", "alternate", (27, 12)),
        ("tit_for_two_tats", "suspicious_tit_for_tat", (27, 32)), ("pavlov", "defect", (5, 30)),
        ("cooperate", "tester", (15, 40)), ("gradual", "defect", (5, 30)), ("extort", "defect", (9, 14)),
        ("suspicious_tit_for_tat", "tit_for_tat", (25, 25)),
    ],
)  # fmt: skip
def test_strategies_play_as_published(first: str, second: str, points: tuple[int, int]) -> None:
    """Ten rounds of the prisoner's dilemma with 5, 3, 1, 0."""
    assert finished(Matrix(), [f"strategy:{first}", f"strategy:{second}"], 0) == points


def test_every_strategy_plays_every_other() -> None:
    for first in STRATEGIES:
        for second in STRATEGIES:
            assert all(0 <= p <= 50 for p in finished(Matrix(), [f"strategy:{first}", f"strategy:{second}"], 1))


def test_strategies_and_scripted_players_are_for_their_games() -> None:
    with pytest.raises(SettingsError, match="matrix games of two choices"):
        make_player("strategy:grim", Nim())
    with pytest.raises(SettingsError, match="no heuristic player of Nim"):
        make_player("heuristic:1", Nim()).choose(Nim().initial())
    with pytest.raises(SettingsError, match="it must be random"):
        make_player("strategy:nice", Matrix())
    assert result(Kuhn(), ("equilibrium", "random"), 0) in (-2.0, -1.0, 1.0, 2.0)
