"""Every game for several seats under PettingZoo's own tests."""

import warnings
from typing import Any

import pytest

# An optional extra that nothing else needs: where it is absent there is no adapter to test. CI installs it.
pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install turnwise[pettingzoo]")
from pettingzoo.test import api_test, parallel_api_test, seed_test

from turnwise.adapters.pettingzoo import AEC, Parallel
from turnwise.core.errors import SettingsError
from turnwise.games.table import names

GAMES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in names()),
    ("Hanabi", {"players": 4}), ("LiarsDice", {"players": 5, "dice": 2}), ("Pig", {"players": 3, "goal": 30}),
    ("Blackjack", {"players": 3}), ("Battleship", {"placed": False}), ("Matrix", {"table": "rock_paper_scissors"}),
    ("Holdem", {"players": 4, "fixed": False}), ("Werewolf", {"players": 8, "wolves": 2}),
    ("Auction", {"form": "common"}), ("Kitchen", {"walls": "divided"}),
]  # fmt: skip
# Texts are neither boxes nor arrays, which PettingZoo's tests remark on and accept.
quiet = pytest.mark.filterwarnings(
    "ignore:Observation is not a? ?NumPy array:UserWarning", "ignore:.*should be gymnasium.spaces.*:UserWarning"
)
every_game = pytest.mark.parametrize(("name", "settings"), GAMES, ids=str)


@quiet
@every_game
@pytest.mark.parametrize("cycles", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_api_of_pettingzoo(name: str, settings: dict[str, Any], cycles: int) -> None:
    api_test(AEC(name, **settings), num_cycles=cycles)


@quiet
@every_game
@pytest.mark.parametrize("cycles", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_the_seeds_of_pettingzoo(name: str, settings: dict[str, Any], cycles: int) -> None:
    seed_test(lambda: AEC(name, **settings), num_cycles=cycles)


@quiet
@pytest.mark.parametrize("table", ["prisoners_dilemma", "rock_paper_scissors", "battle_of_the_sexes"])
def test_the_parallel_api_of_pettingzoo(table: str) -> None:
    parallel_api_test(Parallel("Matrix", table=table), num_cycles=100)


@quiet
@pytest.mark.parametrize("walls", ["open", "divided"])
def test_cooks_are_parallel_agents(walls: str) -> None:
    parallel_api_test(Parallel("Kitchen", walls=walls), num_cycles=100)


def test_a_game_in_turns_has_no_parallel_form() -> None:
    with pytest.raises(SettingsError, match="take turns; use"):
        Parallel("Chess")


def test_a_game_is_played_and_paid() -> None:
    env = AEC("TicTacToe")
    env.reset(seed=1)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    moves = iter(("a1", "b1", "a2", "b2", "a3"))
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        paid[agent] += reward
        assert "Tic-tac-toe on 3 rows" in observation["text"]
        assert bool(info["legal"]) != terminated
        env.step(None if terminated else next(moves))
    assert paid == {"player_0": 1.0, "player_1": -1.0}
    assert env.agents == []


def test_texts_that_are_no_moves_cut_a_game_short() -> None:
    env = AEC("Hanabi", players=3, max_illegal=3)
    env.reset(seed=1)
    for count in range(3):
        assert env.agent_selection == "player_0"
        assert env.infos["player_0"]["illegal"] == count
        env.step("play my best card")
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert set(env.rewards.values()) == {0.0}
    both = Parallel("Matrix", max_illegal=2)
    both.reset(seed=1)
    for _ in range(2):
        *_, truncated, _ = both.step({"player_0": "cooperate", "player_1": "?"})
    assert truncated == {"player_0": True, "player_1": True}
    assert both.agents == []


def test_an_agent_sees_only_what_its_seat_sees() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = AEC("Matrix", rounds=2)
        env.reset(seed=0)
        before = env.observe("player_1")
        env.step("defect")
        assert env.agent_selection == "player_1"
        assert env.observe("player_1") == before
