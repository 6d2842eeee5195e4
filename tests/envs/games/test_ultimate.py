"""Ultimate tic-tac-toe against an opponent: what is said of the boards can be read back."""

from turnwise.core.draw import Draw
from turnwise.envs.games._depth import ultimate as skilled
from turnwise.envs.games.ultimate import Ultimate
from turnwise.worlds.games.game import OVER


def test_the_message_holds_the_whole_position() -> None:
    env, draw, anywhere = Ultimate(opponent="random", opening=0), Draw("read"), 0
    for seed in range(4):
        heard, _ = env.reset(seed=seed)
        while not env._over:
            assert skilled.read(heard) == env.state
            anywhere += env.state.target < 0
            heard = env.step(draw.choice(env.legal_moves()))[0]
    assert anywhere > 5


def test_after_the_end_no_board_is_next() -> None:
    env = Ultimate()
    env.reset(seed=0)
    while not env._over:
        heard, *_ = env.step(env.oracle())
    assert "You win." in heard and "The next move" not in heard
    assert env.task.game.turn(env.state) == OVER
