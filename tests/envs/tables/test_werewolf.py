"""Werewolf in a seat: series that are won by sense, roles that are not said before the end."""

from functools import partial

import pytest

from tests.worlds.games.test_rules import likewise
from turnwise.core.draw import Draw
from turnwise.envs.tables._points import company_of
from turnwise.envs.tables._share import act
from turnwise.envs.tables.werewolf import Werewolf
from turnwise.worlds.games.players.company import played_out
from turnwise.worlds.games.players.make import make_player


def test_a_player_who_sees_no_more_wins_every_game() -> None:
    env = Werewolf(role="seer", others="heuristic:2", partial=0.6)
    observation, _ = env.reset(seed=2)
    task = env.task
    assert "Win all 3 games of a series of Werewolf" in observation
    assert env.seen().startswith("Game 1 of 3.\nYou are the seer.")
    player = make_player("heuristic:3", task.game, 7)
    assert played_out(task.state, company_of(task), partial(act, player, task.seat)) == 3.0
    assert env.short(2.0) == pytest.approx(0.4)
    said = ""
    while not env._over:
        said, reward, *_ = env.step(env.oracle())
    assert reward == 1.0 and "The series is over" not in said and "Games won:" in said


def test_hidden_roles_are_not_said() -> None:
    env, draw, changed = Werewolf(games=2, others="heuristic:2"), Draw("roles"), 0
    observation, _ = env.reset(seed=1)
    while not env._over:
        for other in likewise(env.task.game, env.state, env.task.seat, draw):
            changed += other != env.state
            assert observation.endswith(env.task.game.view(other, env.task.seat))
        observation = env.step(draw.choice(env.legal_moves()))[0]
    assert changed > 5
