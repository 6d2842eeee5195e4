"""Endurance and cost of the Chromium driver: many episodes, and what is left of them on the machine.

    python benchmarks/web_chromium.py [--episodes 500] [--site shop] [--threads 1] [--kill-every 0]

The oracle plays tasks of one site in Chromium; each must earn 1. At the marks, the processes below this one, the
contexts and served episodes, and what lies in the temporary directory are counted. CPU time is that of this process
and of everything below it, ended processes too. The same tasks are then played without a browser. With
``--kill-every N`` the browser is killed in the middle of every Nth episode, which must be an InfrastructureError and
succeed when it is played again. The status is 1 where something grew, was left, or earned less than 1.
"""

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from turnwise.core.errors import InfrastructureError
from turnwise.envs.web.web_tasks import WebTasks
from turnwise.worlds.web.browser import pool

TICK = os.sysconf("SC_CLK_TCK")
SAMPLE_S = 0.25


def tree() -> dict[int, tuple[float, str]]:
    """CPU seconds, those of ended children included, and name of this process and of all below it."""
    known: dict[int, tuple[int, float, str]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                name, _, rest = (folder / "stat").read_text().partition(" (")[2].rpartition(") ")
                fields = rest.split()
                known[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICK, name
    found, todo = {}, [os.getpid()]
    while todo:
        pid = todo.pop()
        found[pid] = known[pid][1:]
        todo += [child for child, (parent, _, _) in known.items() if parent == pid]
    return found


def cpu_s() -> float:
    return sum(seconds for seconds, _ in tree().values())


def memory_mb() -> float:
    """Proportional memory of the tree."""
    total = 0
    for pid in tree():
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def counts() -> dict[str, float]:
    """What there is when the processes of the last episode have ended."""
    numbers = []
    for _ in range(12):
        numbers.append(len(tree()))
        time.sleep(SAMPLE_S)
    browsers = list(pool._running.values())
    return {
        "processes": min(numbers) - 1,
        "threads": threading.active_count(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "contexts": sum(len(browser.process.contexts) for browser in browsers),
        "episodes served": sum(len(browser.episodes) for browser in browsers),
        "files": len(os.listdir(tempfile.gettempdir())),
        "memory MB": round(memory_mb()),
    }


@contextlib.contextmanager
def peak_memory() -> Iterator[list[float]]:
    """The highest memory of the tree, sampled meanwhile."""
    peak, over = [memory_mb()], threading.Event()

    def sample() -> None:
        while not over.wait(SAMPLE_S):
            peak[0] = max(peak[0], memory_mb())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def play(env: WebTasks, seed: int, kill: bool = False) -> tuple[int, float]:
    """Steps and return of the oracle's episode."""
    env.reset(seed=seed)
    steps, total, over = 0, 0.0, False
    while not over:
        if kill and steps == 1:
            for browser in pool._running.values():
                os.kill(browser.pid, signal.SIGKILL)
        _, reward, terminated, truncated, info = env.step(env.oracle())
        if "error" in info:
            raise InfrastructureError(info["error"])
        steps, total, over = steps + 1, total + float(reward), terminated or truncated
    return steps, total


def share(site: str, driver: str, seeds: range, kill_every: int) -> tuple[int, int, int]:
    """Steps, episodes that earned 1, and infrastructure errors of one thread's episodes."""
    env = WebTasks(sites=site, driver=driver)
    steps = solved = errors = 0
    for seed in seeds:
        try:
            done, total = play(env, seed, kill=bool(kill_every) and seed % kill_every == kill_every - 1)
        except InfrastructureError:
            errors += 1
            done, total = play(env, seed)
        steps, solved = steps + done, solved + (total == 1)
    env.close()
    return steps, solved, errors


def rounds(arguments: argparse.Namespace, driver: str, first: int, last: int) -> tuple[int, int, int, float, float]:
    """Steps, solved, errors, CPU seconds and wall seconds of the episodes from ``first`` to ``last``."""
    began, cpu = time.perf_counter(), cpu_s()
    parts = [range(first + place, last, arguments.threads) for place in range(arguments.threads)]
    with ThreadPoolExecutor(arguments.threads) as threads:
        results = list(threads.map(lambda seeds: share(arguments.site, driver, seeds, arguments.kill_every), parts))
    steps, solved, errors = map(sum, zip(*results, strict=True))
    return steps, solved, errors, cpu_s() - cpu, time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--site", default="shop")
    parser.add_argument("--threads", type=int, default=1, help="episodes at the same time")
    parser.add_argument("--kill-every", type=int, default=0)
    with tempfile.TemporaryDirectory(prefix="tw") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        return measure(parser.parse_args())


def measure(arguments: argparse.Namespace) -> int:
    first = max(arguments.threads, arguments.episodes // 10)
    start = counts()
    with peak_memory() as peak:
        rounds(arguments, "chromium", 0, first)
        warm = counts()
        steps, solved, errors, cpu, wall = rounds(arguments, "chromium", first, arguments.episodes)
        end = counts()
    pool.close_all()
    left = counts()
    arguments.kill_every, killed = 0, bool(arguments.kill_every)
    _, _, _, fast_cpu, _ = rounds(arguments, "http", first, arguments.episodes)

    episodes = arguments.episodes - first
    print(f"| | before | after {first} episodes | after {arguments.episodes} | browser closed |\n|---|---|---|---|---|")
    for name in start:
        print(f"| {name} | {start[name]} | {warm[name]} | {end[name]} | {left[name]} |")
    print(
        f"\n{episodes} episodes, {steps} steps, {solved} solved, {errors} infrastructure errors; peak {peak[0]:.0f} MB"
    )
    print(f"chromium: {cpu:.1f} s of CPU, {wall:.1f} s of wall time: {steps / cpu:.1f} steps per CPU-second")
    print(f"http:     {fast_cpu:.1f} s of CPU: {steps / fast_cpu:.0f} steps per CPU-second")
    grew = [name for name in ("processes", "contexts", "episodes served", "files") if end[name] > warm[name]]
    stays = [name for name in ("processes", "contexts", "episodes served", "files") if left[name] > start[name]]
    if errors and not killed:
        grew.append("infrastructure errors")
    for name in {*grew, *stays}:
        print(f"LEAK: {name}", *(os.listdir(tempfile.gettempdir()) if name == "files" else ()))
    return int(bool(grew or stays or solved < episodes))


if __name__ == "__main__":
    sys.exit(main())
