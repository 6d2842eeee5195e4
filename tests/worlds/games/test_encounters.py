"""Several opponents one after another: what is shown of them, and the best plan against each."""

from functools import partial
from itertools import product
from typing import Any

import pytest

from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import ALL, OVER
from turnwise.worlds.games.hidden.encounters import Encounters
from turnwise.worlds.games.hidden.matrix import Matrix
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.guides.plans import PLANS, Answer, worth
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.player import Player

GAME = Encounters("prisoners_dilemma", 4, 2)


def test_each_opponent_sees_its_own_rounds_only() -> None:
    opponent = make_player("strategy:grim+tit_for_tat", GAME)
    state = ((0, 0), (1, 0), (0, 1), (0, 1))
    assert opponent.act(state, 1) == 0, "the second has not met a betrayal"
    assert opponent.act(state[:2], 1) == 1 == opponent.act((*state, (1, 0)), 1)
    assert (GAME.turn(state), GAME.turn(state * 2)) == (ALL, OVER)
    alone = make_player("strategy:grim", GAME)
    assert alone.act(state, 1) == 0
    assert alone.act((*state, (1, 0)), 1) == 1


def test_a_view_shows_the_present_opponent() -> None:
    state = ((0, 0), (1, 0), (0, 1), (0, 1), (1, 1))
    seen = GAME.view(state, 1).split("\n")
    assert seen == [
        "Opponent 2 of 2, rounds left with it: 3", "Round 1: you defect, the opponent defect", "Your points in all: 14",
    ]  # fmt: skip
    assert GAME.view(state[:4], 0).startswith("The last round with opponent 1: you cooperate, the opponent defect.")
    assert "Opponent" not in Matrix().view((), 0)


@pytest.mark.parametrize("seat", [0, 1])
def test_plans_earn_what_they_earn_in_the_game(seat: int) -> None:
    game = Encounters("trust", 5, 3)
    opponent = make_player("strategy:tester+gradual+generous_tit_for_tat", game, 4)
    points = worth(game, seat, opponent)
    company = Company(seat, (opponent, opponent))
    for names in product(("defect", "tit_for_tat and betray 1"), ("alternate", "pavlov"), ("grim and betray 2",)):
        player = Answer(game, names=names)
        total = sum(each[name] for each, name in zip(points, names, strict=True))
        assert played_out((), company, partial(_move, player, seat)) == total


def _move(player: Player, seat: int, state: Any) -> Any:
    return player.act(state, seat)


def test_the_best_plans_against_some_strategies() -> None:
    """By hand, of five rounds with 5, 3, 1, 0."""
    game = Encounters("prisoners_dilemma", 5, 3)
    points = worth(game, 0, make_player("strategy:cooperate+tit_for_tat+defect", game))
    assert [max(each.values()) for each in points] == [25, 17, 5]
    assert (points[1]["defect"], points[1]["tit_for_tat"], points[1]["tit_for_tat and betray 1"]) == (9, 15, 17)
    assert all(max(each, key=lambda name: each[name]) in PLANS for each in points)


def test_names_of_meetings_are_for_encounters() -> None:
    with pytest.raises(SettingsError, match="strategies play matrix games of two choices"):
        make_player("strategy:grim", Encounters("rock_paper_scissors", 4, 2))
    with pytest.raises(SettingsError, match="the player is 'strategy:grim\\+nice'"):
        make_player("strategy:grim+nice", GAME)
    with pytest.raises(SettingsError, match="matrix games of two choices"):
        make_player("strategy:grim+joss", Nim())
