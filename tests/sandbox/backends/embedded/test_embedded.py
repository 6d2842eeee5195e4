"""Programs in the embedded sandbox: what they see, what is reported, and what is left of them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from processes import alive, children, gone

from tests._work import eventually
from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.sandbox import REQUIRED, Limits, Program, Unsafe, make_sandbox
from turnwise.sandbox.backends.embedded.handle import hand_over
from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox

LIMITS = Limits(wall_s=20, memory_mb=256)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_program(sandbox):
    result = sandbox.run(
        Program("import sys\nprint(sys.stdin.read()[::-1])\nprint('é', file=sys.stderr)", stdin="añb"), LIMITS
    )
    assert (result.stdout, result.stderr, result.exit_code, result.signal, result.killed_by) == (
        "bña\n",
        "é\n",
        0,
        0,
        "",
    )
    assert result.ok and result.cpu_s > 0 and 1 < result.peak_memory_mb < 200 and result.wall_s > 0


@pytest.mark.parametrize(
    ("source", "code", "shown"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit('no')", 1, "no\n"),
        ("import os; os._exit(9)", 9, ""),
        (
            "def f():\n    return 1 / 0\nf()",
            1,
            "line 2, in f\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero\n",
        ),
        ("x = (", 1, "SyntaxError: '(' was never closed\n"),
        ("import atexit; atexit.register(print, 'bye', file=__import__('sys').stderr)", 0, "bye\n"),
        (
            "import threading, time, sys\ndef f(): time.sleep(0.1); sys.stderr.write('late')\n"
            "threading.Thread(target=f).start()",
            0,
            "late",
        ),
        ("assert __name__ == '__main__' and __file__.endswith('main.py')", 0, ""),
        ("import sys; assert 'turnwise' not in sys.modules and sys.argv == ['main.py']", 0, ""),
        ("import inspect\ndef f(): pass\nassert inspect.getsource(f) == 'def f(): pass\\n'", 0, ""),
        ("print(", 1, "SyntaxError: '(' was never closed\n"),
        ("\0", 1, "null bytes\n"),
    ],
)
def test_endings(sandbox, source, code, shown):
    result = sandbox.run(Program(source), LIMITS)
    assert result.exit_code == code
    assert result.stderr.endswith(shown) if shown else result.stderr == ""
    assert "sandbox" not in result.stderr  # no frame of ours in a traceback


@pytest.mark.parametrize(
    "source",
    [
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint(7)",
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach())\nprint(7)",
        "import io, sys\nsys.stdin = io.TextIOWrapper(sys.stdin.buffer)\nprint(input())\nexit()",
        "import sys\nassert not sys.stdin.seekable() and not sys.stdout.seekable()\nprint(7)\nquit(0)",
        "import io, sys\nsys.stdout = io.StringIO()\nsys.__stdout__.write('7\\n')",
        "out = open(1, 'w')\nprint(7, file=out)",
        "write = open(1, 'w').write\nwrite('7\\n')",
        "class A:\n    def __del__(self): print(7)\nkept = A()",
        "import sys\nprint(7, flush=True)\nsys.stdout.close()",
        "import sys\nprint(7, flush=True)\nsys.stdout = sys.stderr = None",
        "import threading, time\ndef f():\n    while True: time.sleep(0.001); g()\ndef g(): pass\n"
        "threading.Thread(target=f, daemon=True).start()\ntime.sleep(0.01)\nprint(7)",
    ],
)
def test_output_ends_as_the_interpreter_ends_it(sandbox, source):
    result = sandbox.run(Program(source, stdin="7\n"), LIMITS)
    assert (result.stdout, result.stderr, result.exit_code) == ("7\n", "", 0)


def test_files_there_and_back(sandbox):
    source = "import os\nos.makedirs('out')\nopen('out/b', 'wb').write(open('in/a', 'rb').read() * 2)\nos.mkdir('dir')"
    program = Program(source, files={"in/a": b"\0\xff"}, collect=("out/b", "dir", "none"))
    for _ in range(3):
        assert sandbox.run(program, LIMITS).files == {"out/b": b"\0\xff\0\xff"}
    assert sandbox.run(Program("import os; print(os.listdir())"), LIMITS).stdout == "[]\n"


def test_files_without_room_are_an_error_of_the_caller(sandbox):
    with pytest.raises(SettingsError, match="file_mb=1,"):
        sandbox.run(Program("1", files={"a": bytes(2 * 2**20)}), Limits(file_mb=1))
    with pytest.raises(SettingsError, match="files=3:"):
        sandbox.session(Limits(files=3), files={"a": "", "b": "", "c": ""})
    assert sandbox.run(Program("print(1)"), LIMITS).stdout == "1\n"


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "", "a//b", "a\0b", "."])
def test_paths_that_lead_out_are_refused(path):
    with pytest.raises(SettingsError, match="must be relative"):
        Program("1", files={path: b""})
    with pytest.raises(SettingsError, match="must be relative"):
        Program("1", collect=(path,))


def test_large_input_and_output_and_who_does_not_read(sandbox):
    data = os.urandom(3 * 10**6).hex()
    source = "import sys\ntext = sys.stdin.read()\nprint(len(text))\nsys.stdout.write(text)"
    result = sandbox.run(Program(source, stdin=data), LIMITS)
    assert result.stdout.startswith(f"{len(data)}\n{data[:1000]}")
    assert result.killed_by == "output"
    result = sandbox.run(Program(source, stdin=data), Limits(wall_s=20, output_bytes=10**6))
    assert result.ok and result.stdout.endswith(data[-1000:])
    assert result.stdout_cut == len(data) + 8 - 10**6
    assert sandbox.run(Program("print(1)", stdin=data), LIMITS).stdout == "1\n"


def test_output_that_is_no_text(sandbox):
    result = sandbox.run(Program(r"import os; os.write(1, b'a\xffb\x00')"), LIMITS)
    assert result.stdout == "a\ufffdb\0"


@pytest.mark.parametrize(
    ("source", "killed_by"),
    [
        ("while True: pass", "wall"),
        ("import time; time.sleep(10**6)", "wall"),
        ("x = bytearray(10**10)", "memory"),
        ("x = []\nwhile True: x.append('x' * 10**6)", "memory"),
        ("open('f', 'wb').write(bytes(10**8))", "disk"),
        ("import itertools\nfor n in itertools.count(): open(f'f{n}', 'wb').write(bytes(10**6))", "disk"),
        ("while True: print('x' * 1000)", "output"),
    ],
)
def test_limits(sandbox, source, killed_by):
    if killed_by == "disk" and "disk_quota" not in sandbox.layers:
        pytest.skip("no layer disk_quota here")
    limits = Limits(wall_s=0.4 if killed_by == "wall" else 200, memory_mb=100, file_mb=8, output_bytes=1000)
    result = sandbox.run(Program(source), limits)
    assert result.killed_by == killed_by and not result.ok
    if killed_by == "wall":
        assert result.wall_s >= 0.4


def test_processor_time(sandbox):
    limits = Limits(wall_s=200, cpu_s=1)
    result = sandbox.run(Program("while True: pass"), limits)
    assert result.killed_by == "cpu" and 0.5 * limits.cpu_s < result.cpu_s < 3 * limits.cpu_s
    burn = "import time\ndef burn(x):\n    while time.process_time() < x:\n        pass\n"
    ended = sandbox.run(Program(f"{burn}burn(0.3)"), Limits(wall_s=200, cpu_s=0.1))
    assert ended.killed_by == "cpu" and ended.exit_code == 0  # before the kernel has counted a whole second


def test_processor_time_of_calls_is_not_what_the_program_claims(sandbox):
    source = (
        "import resource, time\ndef burn(x):\n    end = time.process_time() + x\n"
        "    while time.process_time() < end:\n        pass\n    return x\n"
        "free = resource.getrusage(resource.RUSAGE_SELF)\nresource.getrusage = lambda who: free\n"
    )
    with sandbox.converse(Program(source), Limits(wall_s=200, cpu_s=0.2)) as talk:
        assert talk.call("burn", 0.01).value == 0.01
        assert talk.call("time.sleep", 0.4).error == ""
        stopped = talk.call("burn", 100)
        assert stopped.result.killed_by == "cpu" and stopped.result.cpu_s > 0.2
        assert talk.call("burn", 0.01).value == 0.01


def test_a_child_that_starts_at_once_is_known_by_its_number():
    class Waiting(socket.socket):
        def sendall(self, data, flags=0):
            super().sendall(data, flags)
            child.join()

    near, far = socket.socketpair()
    child = threading.Thread(target=lambda: (far.recv(1000), far.sendall(b"+")))
    child.start()
    with Waiting(fileno=near.detach()) as job, far:
        assert hand_over(job, {"kind": "session"}) == os.getpid()


def test_no_limit_of_processor_time_without_the_number_of_the_process(sandbox, monkeypatch):
    monkeypatch.setattr("turnwise.sandbox.backends.embedded.line.hand_over", lambda *given: hand_over(*given) * 0)
    with pytest.raises(InfrastructureError, match="cpu_s"):
        sandbox.converse(Program("x = 1"), Limits(cpu_s=1))
    assert sandbox.converse(Program("x = 1"), Limits()).started.ok


@pytest.mark.parametrize("settings", [{"wall_s": 0}, {"memory_mb": -1}, {"output_bytes": 1}, {"cpu_s": float("nan")}])
def test_limits_that_mean_nothing(settings):
    with pytest.raises(SettingsError, match=next(iter(settings))):
        Limits(**settings)


def test_argv_needs_the_shell_profile():
    with pytest.raises(SettingsError, match="shell"):
        Program(argv=("ls",))
    with pytest.raises(SettingsError, match="source or argv"):
        Program()


def test_a_command(full):
    result = full.run(Program(argv=("sh", "-c", "echo $0; cat; exit 4"), stdin="x", profile="shell"), LIMITS)
    assert (result.stdout, result.exit_code) == ("sh\nx", 4)
    assert full.run(Program(argv=("no-such-program",), profile="shell"), LIMITS).exit_code == 127
    result = full.run(
        Program(
            "import sys, subprocess; subprocess.run(['python3', '-c', 'print(6)']); print(sys.argv)",
            argv=("a",),
            profile="shell",
        ),
        LIMITS,
    )
    assert result.stdout == "6\n['main.py', 'a']\n" and result.ok


def test_many_keep_their_order_and_are_not_swapped(sandbox):
    programs = [Program(f"print({i})", stdin=str(i)) for i in range(60)]
    assert [result.stdout for result in sandbox.run_many(programs, LIMITS)] == [f"{i}\n" for i in range(60)]


def test_the_child_that_waits_is_out_of_reach(sandbox):
    """The program that runs can neither signal, slow nor pin the one that is forked ahead, where one is."""
    source = """
import os, signal
reached = []
for pid in range(2, 400):
    if pid == os.getpid(): continue
    for name, work in dict(kill=lambda: os.kill(pid, 9), stop=lambda: os.kill(pid, 19), group=lambda: os.killpg(pid, 9),
                           affinity=lambda: os.sched_setaffinity(pid, {0}),
                           priority=lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)).items():
        try:
            work()
            reached.append((name, pid))
        except OSError: pass
for which in (os.PRIO_USER, os.PRIO_PGRP):
    try:
        os.setpriority(which, 0, 19)
        reached.append(which)
    except OSError: pass
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.nice(1)
print(reached)
"""
    with EmbeddedSandbox(workers=1) as made:
        for _ in range(6):
            assert made.run(Program(source), LIMITS).stdout == "[]\n"
            result = made.run(Program("import os; print(os.getpriority(os.PRIO_PROCESS, 0))"), Limits(wall_s=10))
            assert result.stdout == "0\n"


def test_files_of_one_run_are_gone_when_the_next_starts(sandbox):
    """The next child waits already while the scratch directory is replaced."""
    with EmbeddedSandbox(workers=1) as made:
        for number in range(30):
            program = Program("import os; print(sorted(os.listdir())); open('g', 'w')", files={f"f{number}": b"x"})
            assert made.run(program, LIMITS).stdout == f"['f{number}']\n"


def test_many_threads(sandbox):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: sandbox.run(Program(f"print({i} * 2)"), LIMITS).stdout, range(40)))
    assert found == [f"{i * 2}\n" for i in range(40)]


def test_the_layers_are_named_and_required(sandbox):
    assert sandbox.layers >= REQUIRED
    with pytest.raises(Unsafe, match="lacks a_layer_of_tomorrow"):
        EmbeddedSandbox(require={"a_layer_of_tomorrow"})
    with pytest.raises(SettingsError, match="strategy is 'x'; it must be 'root'"):
        EmbeddedSandbox(strategy="x")
    with pytest.raises(SettingsError, match="the sandbox is 'x'; it must be one of auto, docker"):
        make_sandbox("x")
    with pytest.raises(SettingsError, match="not installed"):
        EmbeddedSandbox(packages=["no-such-package-anywhere"])
    with pytest.raises(SettingsError, match="interpreter that starts"):
        EmbeddedSandbox(python="/no/such/python")
    with pytest.raises(InfrastructureError, match="no_such_module"):
        EmbeddedSandbox(preload=["no_such_module"])


def test_without_namespaces_an_ordinary_user_gets_no_shell(monkeypatch):
    with EmbeddedSandbox(workers=1, strategy="none") if os.geteuid() else EmbeddedSandbox(workers=1) as made:
        if os.geteuid():
            with pytest.raises(Unsafe, match="kill_all"):
                made.layers_of("shell")
        assert "kill_all" in made.layers


def test_named_packages_can_be_imported():
    with EmbeddedSandbox(workers=1, packages=["numpy"], preload=["numpy"]) as made:
        assert made.run(Program("import numpy; print(numpy.arange(3).sum())"), LIMITS).stdout == "3\n"
        assert "No module named 'httpx'" in made.run(Program("import httpx"), LIMITS).stderr


def test_closed_is_closed():
    made = EmbeddedSandbox(workers=1)
    below = children(os.getpid())
    assert below
    mine = [child for child in below if alive(child)]
    made.close()
    made.close()
    with pytest.raises(UsageError, match="closed"):
        made.run(Program("1"))
    assert len([child for child in mine if alive(child)]) <= len(mine) - 2


def test_a_killed_warden_is_replaced_and_no_result_is_lost():
    with EmbeddedSandbox(workers=2) as made:
        stop = threading.Event()
        killed: list[object] = []

        def kill() -> None:
            while not stop.wait(0.4):
                for warden in [warden for warden in made._all if warden.alive][:1]:
                    with contextlib.suppress(OSError):  # gone already
                        os.kill(children(warden.process.pid)[0], signal.SIGKILL)
                        killed.append(warden)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            programs = [Program(f"import time; time.sleep(0.01); print({i})") for i in range(80)]
            results = made.run_many(programs, LIMITS)
        finally:
            stop.set()
            killer.join()
        assert [result.stdout for result in results] == [f"{i}\n" for i in range(80)]
        assert killed


def test_a_killed_client_leaves_nothing():
    script = (
        "import sys, time\nfrom turnwise.sandbox import *\n"
        "sandbox = make_sandbox('embedded', workers=1)\nsession = sandbox.session()\n"
        "print('up', flush=True)\nsandbox.run(Program('import time; time.sleep(100)'), Limits(wall_s=200))\n"
    )
    client = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    with client.stdout:
        assert client.stdout.readline() == "up\n"
        eventually(lambda: len(children(client.pid)) >= 4)
        below = children(client.pid)
        client.kill()
        client.wait()
    assert gone(below)


def test_after_a_fork_each_side_has_its_own(sandbox):
    with EmbeddedSandbox(workers=1) as made:
        session = made.session(LIMITS)
        session.execute("x = 5")
        assert made.run(Program("print(1)"), LIMITS).stdout == "1\n"
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                status = 0 if made.run(Program("print(2)"), LIMITS).stdout == "2\n" else 2
                made.close()
            finally:
                os.write(writing, b"x")
                os._exit(status)
        assert os.read(reading, 1) == b"x"
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        os.close(reading)
        os.close(writing)
        assert made.run(Program("print(3)"), LIMITS).stdout == "3\n"
        assert session.execute("x").stdout == "5\n"
        session.close()


@pytest.mark.slow
def test_nothing_grows(sandbox):
    """The short form of benchmarks/sandbox_endurance.py."""
    kinds = [
        "print(1)",
        "open('f', 'w').write('x')",
        "import sys; sys.exit(1)",
        "raise MemoryError",
        "import os; os.abort()",
    ]

    def work(number: int) -> None:
        for source in kinds * number:
            sandbox.run(Program(source), LIMITS)
        sandbox.run(Program("while True: pass"), Limits(wall_s=0.05))

    def held() -> tuple[int, int, int]:
        return descriptors(), len(children(os.getpid())), mounts()

    work(2)
    most = [*held()]
    for _ in range(100):  # a warden makes its next child a moment after a program has ended
        time.sleep(0.01)
        most = [max(pair) for pair in zip(most, held(), strict=True)]
    work(30)
    eventually(lambda: all(now <= top for now, top in zip(held(), most, strict=True)))


def mounts() -> int:
    return len(Path("/proc/self/mounts").read_text().splitlines())
