# requires: openenv>=0.10.0,<0.11
"""A server made by openenv's own `create_app`, played as a turnwise environment."""

import sys
import threading
import time
from typing import Any

import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from turnwise.core.registration import make


class Say(Action):
    word: str


class Heard(Observation):
    heard: str


class Echo(Environment):
    """Say the seed's last digit: 0.5 for any other digit's first try, 1 for the right one; 'boom' fails."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self.digit, self.steps = 0, 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **more: Any) -> Heard:
        self.digit, self.steps = (seed or 0) % 10, 0
        return Heard(heard=f"Say {self.digit}", done=False, reward=None)

    def step(self, action: Say, timeout_s: float | None = None, **more: Any) -> Heard:
        self.steps += 1
        if action.word == "boom":
            raise RuntimeError("boom")
        right = action.word == str(self.digit)
        return Heard(heard=f"You said {action.word}", done=True, reward=1.0 if right else 0.25)

    @property
    def state(self) -> State:
        return State(episode_id=None, step_count=self.steps)


def main() -> int:
    app = create_app(Echo, Say, Heard, env_name="echo", max_concurrent_envs=8)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    env = make("turnwise.outside.openenv:OpenEnvClient-v0", url=url, max_turns=3).unwrapped
    first = env.reset(seed=3)
    assert env.reset(seed=3) == first and first[0].startswith("Say "), first
    digit = first[0].split()[-1]
    _, reward, done, _, info = env.step(digit)
    assert (reward, done, info["solved"]) == (1.0, True, True), info
    env.reset(seed=3)
    _, reward, done, _, info = env.step("x")
    assert (reward, done, info["solved"]) == (0.25, True, False), info
    env.reset(seed=3)
    _, reward, _, truncated, info = env.step("boom")
    assert (reward, truncated, info["reward_valid"]) == (0.0, True, False), info
    env.close()
    server.should_exit = True
    print("ok a server of openenv: solved, partial credit, and an error frame in place of a reward")
    return 0


if __name__ == "__main__":
    sys.exit(main())
