"""Matrix: opponents whose strategies are not said, and goals that no strategy reaches against all alike."""

from turnwise.core.draw import Draw
from turnwise.envs.tables.matrix import Matrix
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.strategies import STRATEGIES


def test_opponents_are_drawn_and_not_named() -> None:
    env = Matrix()
    met = set()
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        names = env.task.others.partition(":")[2].split("+")
        assert len(set(names)) == 4
        met |= set(names)
        assert "tit" not in observation and "Opponent 1 of 4, rounds left with it: 10" in observation
    assert len(met) > 6
    assert Matrix(opponent="strategy:pavlov").company(Draw(1)) == "strategy:pavlov"


def test_one_strategy_for_all_does_not_reach_the_goal() -> None:
    env = Matrix(meetings=3, rounds=8, share=0.65)
    for name in ("cooperate", "defect", "tit_for_tat", "grim", "pavlov", "gradual"):
        assert name in STRATEGIES
        env.reset(seed=3)
        player = make_player(f"strategy:{name}", env.task.game)
        while not env._over:
            move = player.act(env.state, env.task.seat)
            observation, _, _, _, info = env.step(env.task.game.write(env.state, move))
            assert "The opponent played " in observation
        assert not info["solved"]
