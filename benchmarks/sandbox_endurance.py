r"""Endurance test of the embedded sandbox: many runs, some of them killed, and what they leave behind.

    python benchmarks/sandbox_endurance.py [--runs 100000] [--profile python] [--workers 2]

One run in a hundred is timed out or killed; others write files, raise, abort, allocate until the limit, start
processes that stay behind ("shell"). Meanwhile the process that forks the programs of some worker is killed every two
seconds, and every twenty seconds a whole other client in the middle of a run. Every result is checked against what its
program must say. At the end, figures of the start and of the end stand side by side: descriptors and memory of this
process, its processes, mounts and control groups of the machine, memory of the wardens, kernel memory (slab). The
status is 1 where something grew, a result was wrong, or a killed client left a process behind.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from turnwise.sandbox import Limits, Profile, Program, Result, Sandbox, make_sandbox

LIMITS = Limits(wall_s=60, memory_mb=128, file_mb=8, output_bytes=4096)
SHORT = Limits(wall_s=0.05, memory_mb=128, file_mb=8, output_bytes=4096)
KILL_S = 2.0
CLIENTS = 10  # one client is killed for so many wardens
CLIENT = """
from turnwise.sandbox import Limits, Program, make_sandbox
sandbox = make_sandbox("embedded", workers=1)
session = sandbox.session()
print("up", flush=True)
sandbox.run(Program("open('f', 'w').write('x'); import time; time.sleep(100)"), Limits(wall_s=200))
"""
Job = tuple[Program, Limits, Callable[[Result], bool]]


def job(number: int, rng: random.Random, profile: Profile) -> Job:
    """Return a program, its limits, and a check of its result."""
    kind = rng.random()
    mark = f"mark-{number}"
    said = lambda result: result.stdout == f"{mark}\n"  # noqa: E731
    if kind < 0.005:
        return Program("while True: pass", profile=profile), SHORT, lambda result: result.killed_by == "wall"
    if kind < 0.01:
        source = f"import os; print({mark!r}, flush=True); os.kill(os.getpid(), 9)"
        return Program(source, profile=profile), LIMITS, lambda result: said(result) and result.signal == 9
    if kind < 0.1:
        source = f"open('f', 'w').write({mark!r})\nimport os; os.mkdir('d')\nprint(open('f').read())"
        return (
            Program(source, profile=profile, collect=("f",)),
            LIMITS,
            lambda result: result.files.get("f") == mark.encode(),
        )
    if kind < 0.15:
        return Program("bytearray(10**9)", profile=profile), LIMITS, lambda result: result.killed_by == "memory"
    if kind < 0.2:
        return Program(f"raise ValueError({mark!r})", profile=profile), LIMITS, lambda result: mark in result.stderr
    if kind < 0.22:
        return Program(f"print({mark!r}, flush=True)\nimport os; os.abort()", profile=profile), LIMITS, said
    if kind < 0.25 and profile == "shell":
        source = f"import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\nprint({mark!r})"
        return Program(source, profile=profile), LIMITS, said
    return Program(f"import sys; print(sys.stdin.read())", stdin=mark, profile=profile), LIMITS, said  # noqa: F541


def below(pid: int) -> list[int]:
    found = []
    for child in children(pid):
        found.append(child)
        with contextlib.suppress(OSError):
            found += below(child)
    return found


class Saboteur(threading.Thread):
    """Kills wardens, and clients that it has started itself, until stopped."""

    def __init__(self, seed: int) -> None:
        super().__init__(name="saboteur")
        self.rng = random.Random(seed)
        self.told = threading.Event()
        self.wardens = self.clients = 0
        self.left: list[int] = []

    def run(self) -> None:
        while not self.told.wait(KILL_S):
            with contextlib.suppress(OSError, IndexError):  # it has ended meanwhile
                outer = self.rng.choice(list(children(os.getpid())))
                os.kill(next(iter(children(outer)), 0) or outer, signal.SIGKILL)
                self.wardens += 1
            if self.wardens % CLIENTS == 1:
                self.kill_a_client()

    def kill_a_client(self) -> None:
        with subprocess.Popen([sys.executable, "-c", CLIENT], stdout=subprocess.PIPE) as client:
            assert client.stdout is not None
            client.stdout.readline()
            time.sleep(0.1)
            started = below(client.pid)
            client.kill()
        self.clients += 1
        until = time.monotonic() + 20
        while any(map(lives, started)) and time.monotonic() < until:
            time.sleep(0.05)
        self.left += [pid for pid in started if lives(pid)]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


def memory_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def figures() -> dict[str, int]:
    """Return the quantities that could grow."""
    time.sleep(0.5)  # until every warden has its next child
    processes = below(os.getpid())
    slab = [line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("Slab")]
    shared = [line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("Shmem:")]
    wardens = 0
    for pid in processes:
        with contextlib.suppress(OSError):
            wardens = max(wardens, memory_kb(pid))
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(processes),
        "mounts": len(Path("/proc/mounts").read_text().splitlines()),
        "control groups": len(list(Path("/sys/fs/cgroup").rglob("turnwise-*"))),
        "memory of this process, kB": memory_kb(os.getpid()),
        "memory of the largest warden, kB": wardens,
        "slab of the machine, kB": int(slab[0]),
        "tmpfs of the machine, kB": int(shared[0]),
    }


def work(sandbox: Sandbox, runs: int, profile: Profile, seed: int) -> tuple[int, int]:
    """Run them all; return the number of wrong results, and of runs timed out or killed."""
    from concurrent.futures import ThreadPoolExecutor

    rng = random.Random(seed)
    wrong = killed = 0
    with ThreadPoolExecutor(sandbox.workers) as pool:
        for start in range(0, runs, 1000):
            jobs = [job(number, rng, profile) for number in range(start, min(start + 1000, runs))]
            results = pool.map(lambda job: sandbox.run(job[0], job[1]), jobs)
            for (program, _, check), result in zip(jobs, results, strict=True):
                killed += result.signal == 9
                if not check(result):
                    wrong += 1
                    print(f"WRONG {program} {result}")
    return wrong, killed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--profile", choices=("python", "shell"), default="python")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with make_sandbox("embedded", workers=options.workers) as sandbox:
        work(sandbox, 200 * options.workers, options.profile, 1)
        before = figures()
        started = time.monotonic()
        saboteur = Saboteur(options.seed)
        saboteur.start()
        try:
            wrong, killed = work(sandbox, options.runs, options.profile, options.seed)
        finally:
            saboteur.told.set()
            saboteur.join()
        passed = time.monotonic() - started
        sandbox.run_many([Program("1", profile=options.profile)] * (8 * options.workers), LIMITS)
        after = figures()
    rate = options.runs / passed
    print(
        f"{options.runs} runs ({options.profile}) in {passed:.0f} s, {rate:.0f} a second; "
        f"{killed} killed, {wrong} wrong; {saboteur.wardens} wardens and {saboteur.clients} clients killed, "
        f"of which {len(saboteur.left)} processes are left"
    )
    for name, value in before.items():
        print(f"{name:34} {value:10} {after[name]:10}")
    counted = ("descriptors", "processes", "mounts", "control groups")
    grew = [name for name in counted if after[name] > before[name]]
    grew += [name for name in before if name.startswith("memory") and after[name] > before[name] * 1.2 + 2048]
    print(f"grew: {', '.join(grew) or 'nothing'}")
    sys.exit(bool(grew or wrong or saboteur.left))


if __name__ == "__main__":
    main()
