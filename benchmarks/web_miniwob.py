"""MiniWoB++ and BrowserGym beside our own web environments: speed, and what of MiniWoB++ can be played by text.

    python benchmarks/web_miniwob.py speed [--seconds 20] [--browsergym path/to/another/python]
    python benchmarks/web_miniwob.py tasks [--seeds 20] [--tasks click-test,click-link]

``speed``: steps and resets per core-second, one after the other in one run. The CPU time is that of the whole process
tree: Python, drivers, browsers. On MiniWoB++'s pages a step types into the field of enter-text and reads the page; on
ours it is a random agent's on WebTasks. BrowserGym pins an old playwright, so that it may need an interpreter of its
own, with browsergym-miniwob and turnwise installed, ``MINIWOB_URL`` set and Playwright's browser in place; what it
waits for takes no CPU time, so that steps per second of wall time are told, too.

``tasks``: for every task in `PLAYABLE` the solve rate of its oracle, if it has one, and whether a random agent that
writes text actions plays three episodes without a failure.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

PARTS = (
    "MiniWoB++",
    "MiniWoB++, our adapter",
    "BrowserGym",
    "BrowserGym, our adapter",
    "WebTasks chromium",
    "WebTasks http",
)
STEPS = 12  # of an episode


def tree_seconds() -> float:
    """CPU seconds of this process and all below it, those that have ended included."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = sum(map(int, fields[11:15]))
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own and pid not in own}:
        own |= more
    return sum(used[pid] for pid in own) / os.sysconf("SC_CLK_TCK")


class Contender:
    """An environment with a way to act on it."""

    def __init__(self, env: gymnasium.Env[Any, Any], act: Callable[[Any, Any], Any]) -> None:
        self.env, self.act = env, act

    def episode(self, seed: int, steps: int) -> int:
        """Play at most so many steps; returns how many they were."""
        observation, _ = self.env.reset(seed=seed)
        for step in range(steps):
            observation, _, terminated, truncated, _ = self.env.step(self.act(self.env, observation))
            if terminated or truncated:
                return step + 1
        return steps


def miniwob() -> Contender:
    from turnwise.worlds.web.adapters.selenium import Driven

    made = Driven(60.0)
    made.open("enter-text")
    env = made.env
    env.instance.record_screenshots = False

    def act(env: Any, observation: Any) -> Any:
        field = next(e["ref"] for e in observation["dom_elements"] if e["tag"] == "input_text")
        return env.create_action("FOCUS_ELEMENT_AND_TYPE_TEXT", ref=field, text="abc")

    return Contender(env, act)


def adapted() -> Contender:
    import turnwise.worlds.web.adapters.miniwob  # noqa: F401

    env = gymnasium.make("turnwise/MiniWob-v0", tasks="enter-text", max_turns=1000)
    return Contender(env, lambda env, observation: "fill(1, '')" if "value=" in observation else "fill(1, 'abc')")


BROWSERGYM = {"pre_observation_delay": 0, "slow_mo": 0}


def browsergym() -> Contender:
    import browsergym.miniwob  # noqa: F401

    env = gymnasium.make("browsergym/miniwob.enter-text", **BROWSERGYM)

    def act(env: Any, observation: Any) -> str:
        nodes = observation["axtree_object"]["nodes"]
        field = next(node["browsergym_id"] for node in nodes if node["role"]["value"] == "textbox")
        return f"fill({field!r}, 'abc')"

    return Contender(env, act)


def adapted_browsergym() -> Contender:
    import turnwise.worlds.web.adapters.browsergym  # noqa: F401

    env = gymnasium.make(
        "turnwise/BrowserGym-v0",
        env_ids="browsergym/miniwob.enter-text",
        arguments=json.dumps(BROWSERGYM),
        max_turns=1000,
    )
    return Contender(env, lambda env, text: f"fill('{text.split('] textbox')[0].rpartition('[')[2]}', 'abc')")


def web_tasks(driver: str) -> Contender:
    import turnwise  # noqa: F401

    rng = np.random.default_rng(0)
    env = gymnasium.make("turnwise/WebTasks-v0", driver=driver, worlds=1, max_turns=1000)
    return Contender(env, lambda env, observation: env.unwrapped.sample_action(rng))


MAKERS: dict[str, Callable[[], Contender]] = {
    "MiniWoB++": miniwob,
    "MiniWoB++, our adapter": adapted,
    "BrowserGym": browsergym,
    "BrowserGym, our adapter": adapted_browsergym,
    "WebTasks chromium": lambda: web_tasks("chromium"),
    "WebTasks http": lambda: web_tasks("http"),
}


def measured(part: str, seconds: float) -> dict[str, float]:
    """Resets alone, then episodes, each for about half of the time."""
    made = MAKERS[part]()
    made.episode(0, STEPS)  # whatever starts with the first episode
    resets, steps, episodes = 0, 0, 0
    cpu, wall = tree_seconds(), time.monotonic()
    while time.monotonic() - wall < seconds / 2:
        resets += 1
        made.episode(resets, 0)
    reset_cpu, reset_wall = (tree_seconds() - cpu) / resets, (time.monotonic() - wall) / resets
    cpu, wall = tree_seconds(), time.monotonic()
    while time.monotonic() - wall < seconds / 2:
        episodes += 1
        steps += made.episode(resets + episodes, STEPS)
    all_cpu, all_wall = tree_seconds() - cpu, time.monotonic() - wall
    made.env.close()
    return {
        "reset_ms": 1000 * reset_cpu,
        "steps_per_core_s": steps / max(0.01, all_cpu - episodes * reset_cpu),
        "with_resets": steps / all_cpu,
        "steps_per_s": steps / max(0.01, all_wall - episodes * reset_wall),
    }


def speed(seconds: float, other: str | None) -> None:
    print(f"{'':26}{'reset, CPU ms':>14}{'steps/core-s':>14}{'with resets':>13}{'steps/s (wall)':>16}")
    for part in PARTS:
        python = (other or sys.executable) if "BrowserGym" in part else sys.executable
        command = [python, __file__, "part", part, "--seconds", str(seconds)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + 10 * seconds)
        if done.returncode:
            print(f"{part:26}not measured: {(done.stderr.strip().splitlines() or ['?'])[-1][:90]}")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{part:26}{found['reset_ms']:14.1f}{found['steps_per_core_s']:14.1f}{found['with_resets']:13.1f}"
            f"{found['steps_per_s']:16.1f}",
            flush=True,
        )


def rate_of_oracle(name: str, seeds: int) -> str:
    from turnwise.worlds.web.adapters.oracles import ORACLES

    if name not in ORACLES:
        return "-"
    env = gymnasium.make("turnwise/MiniWob-v0", tasks=name)
    solved = 0.0
    for seed in range(seeds):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, terminated, truncated, _ = env.step(env.unwrapped.oracle())  # type: ignore[attr-defined]
            over = terminated or truncated
        solved += float(reward)
    env.close()
    return f"{solved:.0f}/{seeds}"


def random_agent(name: str, episodes: int = 3) -> str:
    """Return how many steps it took, how many of them could not be done, how often it was lucky; or what failed."""
    env = gymnasium.make("turnwise/MiniWob-v0", tasks=name)
    rng = np.random.default_rng(0)
    steps = wrong = lucky = 0.0
    for seed in range(episodes):
        observation, _ = env.reset(seed=seed)
        assert "\n[" in observation or "[1]" in observation, "nothing to act on"
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(env.unwrapped.sample_action(rng))  # type: ignore[attr-defined]
            over = terminated or truncated
        if not info["reward_valid"]:
            return info["error"][:80]
        steps, lucky = steps + info["metrics"]["turns"], lucky + reward
        wrong += info["metrics"]["action_errors"] + info["metrics"]["format_errors"]
    env.close()
    return f"{steps:.0f} steps, {wrong:.0f} refused, {lucky:.0f} solved"


def tasks(names: list[str], seeds: int) -> None:
    import turnwise.worlds.web.adapters.miniwob  # noqa: F401

    print(f"{'':30}{'oracle':>8}  random agent, 3 episodes")
    for name in names:
        print(f"{name:30}{rate_of_oracle(name, seeds):>8}  {random_agent(name)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "tasks", "part"))
    parser.add_argument("name", nargs="?", help="of a part, for the script's own use")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each part of the speed table")
    parser.add_argument("--browsergym", help="the Python that has browsergym-miniwob, if it is another one")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--tasks", help="names with commas; default: all that are playable")
    given = parser.parse_args()
    if given.what == "speed":
        speed(given.seconds, given.browsergym)
    elif given.what == "part":
        print(json.dumps(measured(given.name, given.seconds)))
    else:
        from turnwise.worlds.web.adapters.miniwob import PLAYABLE

        tasks(given.tasks.split(",") if given.tasks else list(PLAYABLE), given.seeds)


if __name__ == "__main__":
    main()
