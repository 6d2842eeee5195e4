"""Hanabi with partners: goals within reach, and own cards that are not said."""

from tests.worlds.games.test_rules import likewise
from turnwise.core.draw import Draw
from turnwise.envs.tables.hanabi import Hanabi
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden.hanabi import Move
from turnwise.worlds.games.players.guides.firework import OpenHanded


def test_own_cards_are_not_said() -> None:
    env, changed = Hanabi(), 0
    for seed in range(2):
        draw = Draw("hidden", seed)
        observation, _ = env.reset(seed=seed)
        game, seat = env.task.game, env.task.seat
        while not env._over:
            for other in likewise(game, env.state, seat, draw):
                changed += other != env.state
                assert observation.endswith(game.view(other, seat))
            observation = env.step(draw.choice(env.legal_moves()))[0]
            if env._over:
                break
    assert changed > 10


def test_a_goal_is_reached_without_a_lost_game() -> None:
    env = Hanabi(seats=3, partial=0.5)
    observation, _ = env.reset(seed=4)
    assert f"Score at least {env.task.goal:g} points at Hanabi, together with your 2 partners." in observation
    total = 0.0
    while not env._over:
        total += env.step(env.oracle())[1]
    assert total == 1.0
    assert env.task.game.turn(env.state) == OVER
    assert env.task.game.returns(env.state)[0] >= env.task.goal
    assert env.state.lives > 0
    assert env.short(env.task.goal - 1) == 0.5 * (1 - 1 / env.task.goal)


def test_who_sees_its_own_cards_plays_only_what_fits() -> None:
    env = Hanabi()
    for seed in range(3):
        env.reset(seed=seed)
        game, state = env.task.game, env.state
        move = OpenHanded(game).choose(state)
        own = state.hands[env.task.seat]
        fitting = [place for place, card in enumerate(own) if state.fireworks[card.colour] == card.rank]
        assert (move.kind == "play") == bool(fitting)
        assert move.kind != "play" or move in [Move("play", place) for place in fitting]
