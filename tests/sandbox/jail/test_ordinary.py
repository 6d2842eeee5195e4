"""What agents type most does in a sandbox what it does in an ordinary shell, and the same every time."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from ordinary import COMMANDS, DIFFERENT, DIFFERENT_MODULES, FILES, MODULES

from tests._work import one_in
from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Limits, Program
from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox
from turnwise.verifiers.code import shown

PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
LIMITS = Limits(wall_s=20)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "main" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o644)
    (tmp_path / "programs").mkdir()
    for name in ("python", "python3"):
        (tmp_path / "programs" / name).symlink_to(PYTHON)
    return tmp_path


def ordinary(home: Path, *command: str) -> tuple[str, str, int]:
    """Output, errors and status without any sandbox."""
    environment = {
        "PATH": f"{home}/programs:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "TZ": "UTC",
        "LANG": "C.UTF-8", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    done = subprocess.run(
        command,
        cwd=home / "main",
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        umask=0o22,
    )
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("name", one_in(2, COMMANDS))
def test_commands(full, home, name):
    command = COMMANDS[name]
    with full.shell(LIMITS, FILES) as shell:
        place = shell.execute("cd ~; pwd").stdout.strip()
        shell.execute(f"cd {place}/main")
        got = shell.execute(command)
    found = got.stdout.replace(place, "~"), got.stderr.replace(place, "~"), got.exit_code
    texts = ordinary(home, "bash", "--norc", "--noprofile", "-c", command, "sh")
    wanted = texts[0].replace(str(home), "~"), texts[1].replace(str(home), "~"), texts[2]
    if name not in DIFFERENT:
        assert found == wanted
    elif shutil.which(DIFFERENT[name][0]):
        assert found != wanted, "it differs no more"


@pytest.mark.parametrize("name", one_in(5, MODULES))
@pytest.mark.parametrize("profile", ["python", "shell"])
def test_modules(sandbox, home, name, profile):
    if profile == "shell":
        try:
            sandbox.layers_of("shell")
        except InfrastructureError as error:
            pytest.skip(f"no shell profile here: {error}")
    for path in (home / "main").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    got = sandbox.run(Program(MODULES[name], profile=profile), LIMITS)
    out, err, status = ordinary(home, PYTHON, "-c", MODULES[name])
    found = got.stdout, got.stderr.splitlines()[-1:], got.exit_code
    starts_processes = DIFFERENT_MODULES.get(name, "").startswith("the profile python")
    if name in DIFFERENT_MODULES and not (starts_processes and profile == "shell"):
        assert found != (out, err.splitlines()[-1:], status), "it differs no more"
    else:
        assert found == (out, err.splitlines()[-1:], status)


SHELL_TURNS = (
    "ls -la; sed -i s/one/1/ a.txt; echo $?",
    "cp -p a.txt n; cp -a d d2; cp a.txt m",
    "ls -laR; stat -c '%n %y' *; find . | head -20",
    'python3 -c \'import random; print({"a", "b", "c"}, object(), {int, str, len})\'',
    "echo $RANDOM $RANDOM; hostname; date +%Z; nproc; ulimit -a; env | sort; ls -U; umask",
    "touch n; rm a.txt; mkdir new; gzip -n n; ln b.csv link",
    "ls -lat; tar cf t.tar *; md5sum t.tar; ls -l --time-style=full-iso new",
)
PYTHON_TURNS = (
    "import os, random, sys, threading, time\nprint(random.random(), object(), {str, int, len}, hash('a'))",
    "open('b', 'w').close(); open('a', 'w').close(); print(os.listdir(), os.uname().nodename, time.tzname, os.environ)",
    "t = [threading.Thread(target=print, args=(i,)) for i in range(3)]\nfor x in t: x.start(); x.join(); print(x)",
    "class A: pass\nA(), A.__init__, sys.stdout, lambda: 0, {A(), A()} and threading.current_thread()",
    "random.choice(range(10**9)), [random.gauss(0, 1) for _ in range(3)], list({object() for _ in range(9)})",
)


def told(session, turns, scrub=lambda text: text) -> list[tuple[object, ...]]:
    found = []
    for turn in turns:
        result = session.execute(turn)
        found.append((scrub(result.stdout), scrub(result.stderr), result.exit_code, result.killed_by))
    return found


def test_two_fresh_sandboxes_and_any_number_of_workers_show_the_same_bytes(full):
    """Of shells not even scrubbed. A session of a warden that has run others before shows the same, too."""
    seen = []
    for workers in (1, 2):
        with EmbeddedSandbox(workers=workers) as fresh:
            for _ in range(2):
                with fresh.shell(LIMITS, FILES) as shell, fresh.session(LIMITS) as session:
                    seen.append((told(shell, SHELL_TURNS), [shown(session.execute(turn)) for turn in PYTHON_TURNS]))
            programs = [
                Program(f"import random; print(random.random(), object(), {i}, {{int, str}})") for i in range(8)
            ]
            runs = [result.stdout for result in fresh.run_many(programs, LIMITS)]
            assert len({text.split()[0] for text in runs}) == 1
    for other in seen[1:]:
        assert other == seen[0]


def test_a_fork_shows_what_its_origin_shows(full):
    with full.shell(LIMITS, {**FILES, "z": "", "y": "", "w": ""}) as shell:
        shell.execute("ln z zz; mkdir q; touch q/2 q/1 q/3; ls -la")
        place = shell.execute("cd ~; pwd; cd main").stdout.strip()
        with shell.fork() as branch:
            area = branch.execute("cd ~; pwd; cd main").stdout.strip()
            mine = told(shell, ("cd ~; pwd; cd main", *SHELL_TURNS), lambda text: text.replace(place, "~"))
            theirs = told(branch, SHELL_TURNS, lambda text: text.replace(area, "~"))
            assert mine[1:] == theirs
            listed = "stat -c '%n %h' *; ls -U; find q; ls -l --full-time"
            assert told(shell, [listed]) == told(branch, [listed])
    with full.session(LIMITS, "shell") as session:
        session.execute("for name in 'bca': open(name, 'w').close()")
        with session.fork() as branch:
            mine, theirs = ([shown(line.execute(turn)) for turn in PYTHON_TURNS] for line in (session, branch))
            assert mine == theirs


@pytest.mark.slow
def test_as_many_threads_as_are_allowed(sandbox):
    code = (
        "import threading\nb = threading.Barrier({0})\nts = [threading.Thread(target=b.wait) for _ in range({0} - 1)]\n"
    )
    code += "[t.start() for t in ts]; b.wait(); print(len(ts))"
    most = LIMITS.processes
    assert sandbox.run(Program(code.format(most)), LIMITS).stdout == f"{most - 1}\n"
    assert "can't start new thread" in sandbox.run(Program(code.format(most + 2)), Limits(wall_s=3)).stderr


def test_processes_share_memory_and_locks(full):
    code = (
        "import multiprocessing as m\nfrom multiprocessing import shared_memory\n"
        "def f(x, lock):\n    with lock: return x * x\n"
        "with m.Manager() as g, m.Pool(2) as p: print(p.starmap(f, [(i, g.Lock()) for i in range(4)]))\n"
        "s = shared_memory.SharedMemory(create=True, size=10); s.buf[0] = 7\n"
        "q = m.Queue(); r = m.Process(target=lambda: q.put(s.buf[0])); r.start(); print(q.get()); r.join()\n"
        "s.close(); s.unlink()\nimport os; print(os.listdir('/dev/shm'))"
    )
    result = full.run(Program(code, profile="shell"), LIMITS)
    assert (result.stdout, result.stderr) == ("[0, 1, 4, 9]\n7\n[]\n", "")
    big = "from multiprocessing import shared_memory as m\ns = m.SharedMemory(create=True, size=10**9)\n"
    big += "s.buf[:] = bytes(10**9)"
    assert not full.run(Program(big, profile="shell"), LIMITS).ok


def test_an_interpreter_that_programs_may_not_read_is_named(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root has an interpreter that others may not read")
    library = sysconfig.get_path("stdlib")
    python, lib = tmp_path / "bin" / Path(PYTHON).name, tmp_path / "lib"
    python.parent.mkdir()
    lib.mkdir(mode=0o700)
    shutil.copy(PYTHON, python)
    (lib / Path(library).name).symlink_to(library)
    if subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip("a copy of the interpreter does not start")
    for strategy in ("root", "none"):
        with pytest.raises(InfrastructureError) as caught:
            EmbeddedSandbox(workers=1, python=str(python), strategy=strategy)
        words = str(caught.value)
        assert "Traceback" not in words and "may not read" in words and "chmod o+rx" in words, words
