r"""Speed of the sandbox, as ratios in one run.

    pip install gem-llm                     # GEM's Python tool; left out, and said to be, where it is missing
    python benchmarks/sandbox.py [--rounds 20] [--runs 25] [--docker]

Every contestant runs the same program: a function and ten assertions. The contestants take turns, `--runs` programs
each, for `--rounds` rounds; a figure is the median over rounds of the time per program, so that what else the machine
does falls on all. "ahead" leaves the sandbox five milliseconds between programs, as a trainer's own work does, in
which it forks the next child. The batch is 256 programs through `run_many`, with the processor time that they took of
all cores. `embedded` has every layer in force that this machine allows; they are printed.
"""

import argparse
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from turnwise.verifiers.sandbox import Limits, Program, Sandbox, make_sandbox

SOURCE = '''
from typing import List
def separate(text: str) -> List[str]:
    """Splits groups of balanced parentheses."""
    found, depth, current = [], 0, []
    for sign in text:
        if sign == "(":
            depth += 1
            current.append(sign)
        elif sign == ")":
            depth -= 1
            current.append(sign)
            if depth == 0:
                found.append("".join(current))
                current = []
    return found
''' + "\n".join(f"assert separate('()' * {n} + '(())') == ['()'] * {n} + ['(())']" for n in range(10))
LIMITS = Limits(wall_s=30)


def timed(work: Callable[[], object], times: int, pause_s: float = 0.0) -> float:
    """Milliseconds for one."""
    spent = 0.0
    for _ in range(times):
        if pause_s:
            time.sleep(pause_s)
        started = time.perf_counter()
        work()
        spent += time.perf_counter() - started
    return spent / times * 1000


def subprocess_run() -> None:
    done = subprocess.run([sys.executable, "-c", SOURCE], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr


def gem_tool() -> Callable[[], object] | None:
    if importlib.util.find_spec("gem") is None:
        return None
    from gem.tools.python_code_tool import PythonCodeTool

    tool = PythonCodeTool(timeout=30)
    text = f"<python>{SOURCE}</python>"
    return lambda: tool.execute_action(text)


def programs(sandbox: Sandbox, rounds: int, runs: int) -> None:
    def run() -> None:
        result = sandbox.run(Program(SOURCE), LIMITS)
        assert result.ok, result

    gem = gem_tool()
    contestants: dict[str, tuple[Callable[[], object], int, float]] = {
        sandbox.name: (run, runs, 0.0),
        f"{sandbox.name}, ahead": (run, runs, 0.005),
        "subprocess.run": (subprocess_run, max(1, runs // 5), 0.0),
    }
    if gem is not None:
        contestants["GEM's Python tool"] = (gem, 1, 0.0)
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, (work, number, pause_s) in contestants.items():
            times[name].append(timed(work, number, pause_s))
    base = statistics.median(times["subprocess.run"])
    print(f"{'ten-assert program':32} {'ms':>8} {'per second':>11} {'x subprocess':>13}")
    for name, spent in times.items():
        middle = statistics.median(spent)
        print(f"{name:32} {middle:8.2f} {1000 / middle:11.0f} {base / middle:13.1f}")
    if gem is None:
        print("GEM's Python tool                not installed")


def sessions(sandbox: Sandbox) -> None:
    print(f"\n{'session':32} {'median ms':>9}")
    shell = "pid_namespace" in sandbox.layers_of("shell")
    with sandbox.session(LIMITS, "shell" if shell else "python") as session:
        for label, code in (("x = 1", "x = 1"), ("1 + 1", "1 + 1"), ("function and ten assertions", SOURCE)):
            spent = [timed(lambda code=code: session.execute(code), 1) for _ in range(500)]
            print(f"turn: {label:26} {statistics.median(spent):9.3f}")
        if shell:
            for megabytes in (0, 100):
                session.execute(f"state = bytearray(b'x' * ({megabytes} * 2**20))")
                spent = []
                for _ in range(30):
                    started = time.perf_counter()
                    branch = session.fork()
                    spent.append((time.perf_counter() - started) * 1000)
                    branch.close()
                print(f"fork: {megabytes:4} MB of state {'':11} {statistics.median(spent):9.3f}")
    with sandbox.converse(Program("def f(x): return x"), LIMITS) as conversation:
        spent = [timed(lambda: conversation.call("f", [1, 2]), 1) for _ in range(500)]
        print(f"call of a jailed function        {statistics.median(spent):9.3f}")
    spent = []
    for _ in range(20):
        started = time.perf_counter()
        sandbox.session(LIMITS).close()
        spent.append((time.perf_counter() - started) * 1000)
    print(f"open and close a session         {statistics.median(spent):9.3f}")


def batch(sandbox: Sandbox, number: int = 256) -> None:
    heavy = SOURCE + "\nassert sum(i * i for i in range(100_000)) > 0"
    wanted = [Program(heavy + f"\nprint({i})") for i in range(number)]
    sandbox.run_many(wanted[: 2 * sandbox.workers], LIMITS)
    before = os.times()
    idle = _idle_s()
    started = time.perf_counter()
    results = sandbox.run_many(wanted, LIMITS)
    passed = time.perf_counter() - started
    assert [result.stdout for result in results] == [f"{i}\n" for i in range(number)]
    used = sum(result.cpu_s for result in results)
    after = os.times()
    own = after.user + after.system - before.user - before.system
    cores = len(os.sched_getaffinity(0))
    busy = 1 - (_idle_s() - idle) / passed / cores
    print(f"\nbatch of {number}: {passed:.2f} s, {number / passed:.0f} a second, {cores} cores {busy:.0%} busy")
    print(f"processor time: programs {used:.2f} s, this process {own:.2f} s")


def _idle_s() -> float:
    """Idle time of all processors together since the start of the machine."""
    with open("/proc/stat") as file:
        fields = file.readline().split()
    return int(fields[4]) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--docker", action="store_true", help="measure the Docker backend too")
    options = parser.parse_args()
    for backend in ("embedded", "docker")[: 1 + options.docker]:
        with make_sandbox(backend) as sandbox:
            print(f"{backend}: {', '.join(sorted(sandbox.layers))}\n")
            programs(sandbox, options.rounds, options.runs)
            sessions(sandbox)
            batch(sandbox)
    print(f"\nthis process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, load {os.getloadavg()}")


if __name__ == "__main__":
    main()
