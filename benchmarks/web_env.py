"""Speed of the web environments: steps, resets, forks, and live episodes side by side in one process.

    python benchmarks/web_env.py [--level 3] [--size 60] [--episodes 200] [--live 64] [--driver http] [--sites all]

All figures are per CPU-second of this process (`time.process_time`), so with ``--driver chromium`` the browser's own
work is not in them: there the wall time counts. Worlds are built before anything is timed. Steps are those of the
oracle, with and without the time that it takes to find its action; a reset draws a task, restores its databases and
opens the first page.
"""

import argparse
import pickle
import time
import tracemalloc

import turnwise  # noqa: F401  (registers)
from turnwise.core.env import seed_of
from turnwise.envs.web._episode import WebEnv
from turnwise.envs.web.web_tasks import WebTasks


def play(env: WebEnv) -> tuple[int, float, list[str]]:
    """The running episode to its end: its steps, the oracle's share of the time, what was read."""
    steps, thinking, texts, over = 0, 0.0, [], False
    while not over:
        start = time.process_time()
        action = env.oracle()
        thinking += time.process_time() - start
        text, reward, over, cut, _ = env.step(action)
        texts.append(text)
        steps += 1
        over = over or cut
    assert reward == 1.0, env.task.template
    return steps, thinking, texts


def speed(env: WebEnv, episodes: int) -> None:
    """Steps and resets per CPU-second; slowest resets."""
    for number in range(episodes):  # all worlds that will be needed
        env.reset(seed=seed_of("benchmark", number))
    steps, thinking, resets = 0, 0.0, []
    wall, start = time.monotonic(), time.process_time()
    for number in range(episodes):
        begun = time.process_time()
        env.reset(seed=seed_of("benchmark", number))
        resets.append(time.process_time() - begun)
        played = play(env)
        steps += played[0]
        thinking += played[1]
    used, wall = time.process_time() - start, time.monotonic() - wall
    resets.sort()
    print(f"steps per CPU-second, resets and oracle included: {steps / used:,.0f} ({steps / episodes:.1f} an episode)")
    print(f"steps per CPU-second, steps alone:                {steps / (used - thinking - sum(resets)):,.0f}")
    print(f"steps per second of wall time:                    {steps / wall:,.0f}")
    print(f"reset: mean {1000 * sum(resets) / episodes:.2f} ms, median {1000 * resets[episodes // 2]:.2f} ms, "
          f"95 % {1000 * resets[int(0.95 * episodes)]:.2f} ms")  # fmt: skip


def side_by_side(made: list[WebEnv]) -> None:
    """Episodes interleaved step by step read, and earn, what each reads alone."""
    alone = []
    for number, env in enumerate(made):
        env.reset(seed=seed_of("live", number))
        alone.append(play(env)[2])
    tracemalloc.start()
    for number, env in enumerate(made):
        env.reset(seed=seed_of("live", number))
        env.step(env.oracle())
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    databases = sum(len(db.serialize()) for env in made for db in env.live.store._open.values())
    for number, env in enumerate(made):
        env.reset(seed=seed_of("live", number))
    together: list[list[str]] = [[] for _ in made]
    live = list(range(len(made)))
    while live:
        for place in list(live):
            text, reward, over, cut, _ = made[place].step(made[place].oracle())
            together[place].append(text)
            if over or cut:
                assert reward == 1.0
                live.remove(place)
    assert together == alone, "episodes saw each other"
    print(f"{len(made)} live episodes, interleaved: the same texts and rewards as alone")
    print(f"memory per live episode: {held / len(made) / 1024:.0f} kB of Python objects, "
          f"{databases / len(made) / 1024:.0f} kB of databases")  # fmt: skip


def copies(env: WebEnv, times: int) -> None:
    """Cost of a fork, its first step, and a pickle, three steps into an episode."""
    env.reset(seed=seed_of("fork", 0))
    for _ in range(2):
        env.step(env.oracle())
    action = env.oracle()
    start = time.process_time()
    twins = [env.fork() for _ in range(times)]
    forked = time.process_time() - start
    start = time.process_time()
    texts = {twin.step(action)[0] for twin in twins}
    stepped = time.process_time() - start
    assert texts == {env.step(action)[0]}
    for twin in twins:
        twin.close()
    start = time.process_time()
    size = len(pickle.dumps(env))
    for _ in range(times):
        pickle.loads(pickle.dumps(env)).close()
    pickled = time.process_time() - start
    print(f"fork: {1000 * forked / times:.2f} ms, and {1000 * stepped / times:.2f} ms for the first step; "
          f"pickle and back: {1000 * pickled / times:.2f} ms, {size / 1024:.0f} kB")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", choices=("http", "chromium"), default="http")
    parser.add_argument("--sites", default="all")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--worlds", type=int, default=2)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--live", type=int, default=64)
    given = parser.parse_args()
    settings = {"driver": given.driver, "sites": given.sites, "level": given.level, "size": given.size,
                "worlds": given.worlds, "max_turns": 100}  # fmt: skip
    env = WebTasks(**settings)
    speed(env, given.episodes)
    side_by_side([WebTasks(**settings) for _ in range(given.live)])
    copies(env, 50)


if __name__ == "__main__":
    main()
