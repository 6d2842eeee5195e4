r"""Measure the speed of the sandbox, as ratios in one run.

    pip install gem-llm                     # GEM's Python tool; left out, and said to be, where it is missing
    python benchmarks/sandbox.py [--rounds 20] [--runs 25]

Every contestant runs the same program: a function and ten assertions. The contestants take turns, `--runs` programs
each, for `--rounds` rounds; a figure is the median over rounds of the time per program, so that what else the machine
does falls on all. One caller waits for each result before it asks for the next, unless the label says otherwise:

- "embedded" has every layer in force that this machine allows; they are printed. While a program runs, the next child
  gets ready on another core.
- "embedded, pauses" leaves it five milliseconds between programs, as a trainer's own work does.
- "embedded, all cores" is `run_many`.
- "session turn" runs the program as a turn of a live interpreter.
- "bare fork server" forks a warm interpreter for each program, and does nothing else: no isolation, no limits, no
  output brought back. It is what a sandbox that forks can reach at best.
- "docker" is a warm container, "remote" a server on the loopback address.

The batch is 256 programs through `run_many`, with the time that the cores were not idle.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from turnwise.core.errors import InfrastructureError, MissingDependencyError
from turnwise.sandbox import Limits, Program, Sandbox, make_sandbox

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
PAUSE_S = 0.005
FORK_SERVER = """
import gc, os, struct, sys, typing
exec(compile("assert [1][0] == 1", "<first>", "exec"), {})
gc.collect()
gc.freeze()
while header := os.read(0, 4):
    source = os.read(0, struct.unpack("I", header)[0])
    pid = os.fork()
    if pid == 0:
        exec(compile(source, "main.py", "exec"), {"__name__": "__main__"})
        os._exit(0)
    os.write(1, struct.pack("i", os.waitpid(pid, 0)[1]))
"""
Work = Callable[[], object]


def timed(work: Work, times: int, pause_s: float = 0.0) -> float:
    """Return the milliseconds for one call."""
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


def gem_tool() -> Work | None:
    if importlib.util.find_spec("gem") is None:
        return None
    from gem.tools.python_code_tool import PythonCodeTool

    tool = PythonCodeTool(timeout=30)
    text = f"<python>{SOURCE}</python>"
    return lambda: tool.execute_action(text)


def fork_server(stack: contextlib.ExitStack) -> Work:
    command = [sys.executable, "-S", "-c", FORK_SERVER]
    server = stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    assert server.stdin is not None
    assert server.stdout is not None
    ask, answer = server.stdin, server.stdout
    stack.callback(ask.close)
    source = SOURCE.encode()

    def run() -> None:
        ask.write(len(source).to_bytes(4, sys.byteorder) + source)
        ask.flush()
        assert answer.read(4) == bytes(4)

    return run


def runner(sandbox: Sandbox) -> Work:
    def run() -> None:
        result = sandbox.run(Program(SOURCE), LIMITS)
        assert result.ok, result

    run()
    return run


def all_cores(sandbox: Sandbox, number: int) -> Work:
    programs = [Program(SOURCE)] * number
    return lambda: sandbox.run_many(programs, LIMITS)


def session_turn(sandbox: Sandbox, stack: contextlib.ExitStack) -> Work:
    session = stack.enter_context(sandbox.session(LIMITS))

    def run() -> None:
        result = session.execute(SOURCE)
        assert result.ok, result

    return run


def docker(stack: contextlib.ExitStack) -> Work | str:
    try:
        return runner(stack.enter_context(make_sandbox("docker", workers=1)))
    except (InfrastructureError, MissingDependencyError) as error:
        return str(error)


def remote(stack: contextlib.ExitStack) -> Work:
    command = [sys.executable, "-m", "turnwise.sandbox", "--port", "0", "--backend", "embedded"]
    server = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
    stack.callback(server.terminate)
    assert server.stdout
    url = json.loads(server.stdout.readline())["url"]
    return runner(stack.enter_context(make_sandbox("remote", urls=url)))


def programs(sandbox: Sandbox, rounds: int, runs: int) -> None:
    with contextlib.ExitStack() as stack:
        many = runs * sandbox.workers
        contestants: dict[str, tuple[Work | str | None, int, float, int]] = {  # work, times a round, pause, programs
            "embedded": (runner(sandbox), runs, 0.0, 1),
            "embedded, pauses": (runner(sandbox), runs, PAUSE_S, 1),
            "embedded, all cores": (all_cores(sandbox, many), 1, 0.0, many),
            "session turn": (session_turn(sandbox, stack), runs, 0.0, 1),
            "bare fork server": (fork_server(stack), runs, 0.0, 1),
            "remote": (remote(stack), runs, 0.0, 1),
            "docker": (docker(stack), runs, 0.0, 1),
            "docker, pauses": ("", runs, PAUSE_S, 1),
            "subprocess.run": (subprocess_run, max(1, runs // 5), 0.0, 1),
            "GEM's Python tool": (gem_tool(), max(1, runs // 10), 0.0, 1),
        }
        contestants["docker, pauses"] = (contestants["docker"][0], *contestants["docker, pauses"][1:])
        times: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(rounds):
            for name, (work, number, pause_s, each) in contestants.items():
                if callable(work):
                    times[name].append(timed(work, number, pause_s) / each)
        middle = {name: statistics.median(spent) for name, spent in times.items() if spent}
        gem = middle.get("GEM's Python tool")
        print(f"{'ten-assert program':24} {'ms':>8} {'per second':>11} {'x subprocess':>13} {'x GEM':>8}")
        for name, (work, *_) in contestants.items():
            if name not in middle:
                print(f"{name:24} not here{': ' + str(work) if work else ''}")
                continue
            ratio = f"{gem / middle[name]:8.1f}" if gem else ""
            faster = middle["subprocess.run"] / middle[name]
            print(f"{name:24} {middle[name]:8.2f} {1000 / middle[name]:11.0f} {faster:13.1f} {ratio}")


def sessions(sandbox: Sandbox) -> None:
    print(f"\n{'session':40} {'median ms':>9}")
    shell = "pid_namespace" in sandbox.layers_of("shell")
    with sandbox.session(LIMITS, "shell" if shell else "python") as session:
        for label, code in (("x = 1", "x = 1"), ("1 + 1", "1 + 1"), ("function and ten assertions", SOURCE)):
            show(f"turn: {label}", [timed(lambda code=code: session.execute(code), 1) for _ in range(500)])
    if shell:
        for megabytes in (0, 100):
            forks(sandbox, megabytes)
        with sandbox.shell(LIMITS) as terminal:
            show("command in a shell: true", [timed(lambda: terminal.execute("true"), 1) for _ in range(100)])
    with sandbox.converse(Program("def f(x): return x"), LIMITS) as conversation:
        show("call of a jailed function", [timed(lambda: conversation.call("f", [1, 2]), 1) for _ in range(500)])
    show("open and close a session", [timed(lambda: sandbox.session(LIMITS).close(), 1) for _ in range(20)])


def forks(sandbox: Sandbox, megabytes: int) -> None:
    first: list[float] = []
    further: list[float] = []
    with sandbox.session(LIMITS, "shell") as session:
        session.execute(f"state = bytearray(b'x' * ({megabytes} * 2**20))")
        for _ in range(12):
            session.execute("1")
            for spent in (first, further, further, further):
                started = time.perf_counter()
                branch = session.fork()
                spent.append((time.perf_counter() - started) * 1000)
                branch.close()
    show(f"fork: {megabytes} MB of state, after a turn", first)
    show(f"fork: {megabytes} MB of state, once more", further)


def show(label: str, spent: list[float]) -> None:
    print(f"{label:40} {statistics.median(spent):9.3f}")


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
    """Return the idle time of all processors together since the machine started."""
    with open("/proc/stat") as file:
        fields = file.readline().split()
    return int(fields[4]) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=25)
    options = parser.parse_args()
    with make_sandbox("embedded") as sandbox:
        print(f"embedded: {', '.join(sorted(sandbox.layers))}\n")
        programs(sandbox, options.rounds, options.runs)
        sessions(sandbox)
        batch(sandbox)
    print(f"\nthis process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, load {os.getloadavg()}")


if __name__ == "__main__":
    main()
