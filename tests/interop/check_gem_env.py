# requires: gem-llm>=0.1.0,<0.2
"""gem's registry, vector environments and copies over our environments."""

import contextlib
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import gem
from players import Outage, blocks, outside

from turnwise.adapters.gem import register
from turnwise.core.errors import InfrastructureError


def episode(env: Any, seed: int, act: Any) -> tuple[str, float, dict[str, Any]]:
    start, _ = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(act(env))
        total, over = total + reward, terminated or truncated
    return start, total, info


def the_page() -> None:
    space: dict[str, Any] = {}
    for block in blocks("use_in_gem.md", "python"):
        exec(block, space)
    assert len(space["names"]) > 30 and len(set(space["observations"])) == 4
    again = gem.make_vec(["turnwise:FrozenLake-v0"] * 4, seed=7).reset()[0]
    assert list(again) == list(space["observations"])


def every_environment_is_registered() -> None:
    for name in register():
        if name.split(":")[1].split("-")[0] in ("Countdown", "Maze", "KSat", "Sudoku", "Mastermind", "Equations"):
            env = gem.make(name)
            start, total, info = episode(env, 3, lambda env: env.session.env.unwrapped.oracle())
            assert total == 1.0 and info["solved"] and info["reward_valid"]
            assert (start, 0.0) == episode(env, 3, lambda env: "I do not know.")[:2], name
            assert episode(env, 3, lambda env: env.sample_random_action())[0] == start


def copies() -> None:
    env = gem.make("turnwise:FrozenLake-v0", size=4)
    env.reset(seed=7)
    twin = env.spawn(same_state=True)
    while not twin.session.done:
        twin.step(twin.session.env.unwrapped.oracle())
    assert twin.session.episode.solved and env.session.turn == 0
    assert env.spawn().reset(seed=7)[0] == env.reset(seed=7)[0]


def an_environment_that_fails() -> None:
    Outage.left = 2
    register("Outage")
    env = gem.make("turnwise:Outage-v0")
    _, total, _ = episode(env, 0, lambda env: "fail")
    assert total == 0.0 and Outage.left == 0, "the third time it worked"
    Outage.left = 1000
    with contextlib.suppress(InfrastructureError):
        episode(env, 0, lambda env: "fail")
        raise SystemExit("a failed environment was paid")


if __name__ == "__main__":
    outside()
    for check in (the_page, every_environment_is_registered, copies, an_environment_that_fails):
        check()
        print("ok", check.__name__, flush=True)
