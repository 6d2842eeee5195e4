"""What the scripted agents of graded skill read from the messages of games against an opponent."""

from importlib import import_module

import gymnasium
import pytest

from turnwise.envs.games._depth.reading import position
from turnwise.envs.games._match import Match

GAMES = {
    "chess": "Chess", "checkers": "Checkers", "go": "Go", "connect_four": "ConnectFour", "othello": "Othello",
    "breakthrough": "Breakthrough", "hex": "Hex", "tic_tac_toe": "TicTacToe",
}  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_the_agents_read_what_is_shown(name: str) -> None:
    skilled = import_module(f"turnwise.envs.games._depth.{name}")
    env = gymnasium.make(f"turnwise/{GAMES[name]}-v0").unwrapped
    assert isinstance(env, Match)
    for seed in range(2):
        heard, over = [env.reset(seed=seed)[0]], False
        while not over:
            game, state = position(skilled._read, heard)
            assert game.board(state) == env.task.game.board(env.state)
            assert game.turn(state) == env.task.seat
            if name != "chess":  # rights to castle are not shown
                assert set(game.legal(state)) >= set(env.task.game.legal(env.state))
            observation, _, over, *_ = env.step(env.oracle())
            heard.append(observation)
