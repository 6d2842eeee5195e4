"""Sessions: state that lives on, interrupts, kills, forks, shells."""

import copy

import pytest

from turnwise.core.errors import SettingsError, UsageError
from turnwise.sandbox import DurableSession, Limits, Unsafe, use_sandbox

LIMITS = Limits(wall_s=20, memory_mb=256)
DEAF = "import time\nwhile True:\n    try:\n        while True: time.sleep(1)\n    except BaseException: pass"


@pytest.fixture
def session(sandbox):
    with sandbox.session(LIMITS) as made:
        yield made


def test_variables_live_and_the_last_expression_is_shown(session):
    assert session.execute("x = 20").stdout == ""
    assert session.execute("def f(y):\n    return x + y\nf(22)").stdout == "42\n"
    assert session.execute("print('a'); None").stdout == "a\n"
    assert session.execute("_").stdout == "42\n"
    assert session.execute("'é'").stdout == "'é'\n"


def test_errors_are_shown_and_the_session_goes_on(session):
    result = session.execute("x = 1\nx / 0")
    assert result.exit_code == 1 and not result.lost
    assert result.stderr.endswith("line 2, in <module>\n    x / 0\n    ~~^~~\nZeroDivisionError: division by zero\n")
    assert "sandbox" not in result.stderr
    assert session.execute("(").exit_code == 1
    assert session.execute("import sys; sys.exit(3)").exit_code == 3
    assert session.execute("x").stdout == "1\n"


def test_a_turn_that_takes_too_long_is_interrupted_and_the_session_lives(session):
    session.execute("x = 1")
    for code in ("while True: pass", "import time; time.sleep(10**6)", "while 1: x += 1"):
        result = session.execute(code, wall_s=0.2)
        assert result.killed_by == "wall" and not result.lost
        assert "KeyboardInterrupt" in result.stderr
    assert int(session.execute("x").stdout) > 1


def test_what_does_not_heed_the_interrupt_is_killed_and_started_anew(session):
    session.execute("x = 1")
    result = session.execute(DEAF, wall_s=0.2)
    assert result.killed_by == "wall" and result.lost and result.signal == 9
    assert "NameError" in session.execute("x").stderr
    assert session.execute("1 + 1").stdout == "2\n"


def test_memory_is_reported_and_recovered(session):
    session.execute("x = 1")
    result = session.execute("y = bytearray(10**10)")
    assert result.killed_by == "memory" and not result.lost
    assert session.execute("x").stdout == "1\n"


def test_an_end_is_reported(session):
    result = session.execute("import os; print('x', flush=True); os._exit(5)")
    assert (result.exit_code, result.stdout, result.lost, result.killed_by) == (5, "x\n", True, "")
    assert session.execute("2").stdout == "2\n"


def test_output_is_bounded_and_a_flood_is_stopped(sandbox):
    with sandbox.session(Limits(wall_s=20, output_bytes=1000)) as session:
        result = session.execute("print('a' * 3000)")
        assert result.stdout_cut == 2001 and len(result.stdout) < 1100 and not result.killed_by
        result = session.execute("while True: print('b' * 1000)")
        assert result.killed_by == "output" and len(result.stdout) < 1100
        assert session.execute("'c'").stdout == "'c'\n"


def test_files(session):
    session.write("a/b.txt", "hé")
    assert session.execute("open('a/b.txt').read()").stdout == "'hé'\n"
    session.execute("open('out', 'wb').write(bytes(1000))")
    assert session.read("out") == bytes(1000)
    with pytest.raises(FileNotFoundError):
        session.read("none")
    with pytest.raises(OSError, match=r"large|space"):
        session.write("big", bytes(40 * 2**20))
    with pytest.raises(SettingsError, match="relative"):
        session.read("../x")


def test_forged_answers_harm_nobody_but_the_forger(sandbox):
    with sandbox.session(LIMITS) as session:
        result = session.execute("import os; os.write(200, b'\\x00\\x00\\x00\\x05\\x00\\x00\\x00\\x00nonsense')")
        assert result.lost
        assert session.execute("1").stdout == "1\n"
        result = session.execute("import os; os.write(200, b'\\xff' * 100)")
        assert result.lost
        result = session.execute("import os; os.close(200)")
        assert result.lost
        assert session.execute("1").stdout == "1\n"


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.closerange(0, 1024)",
        "import os\nos.write(200, b'\\x01\\xff\\xff\\xff' + bytes(4))\nwhile 1: os.write(200, b'[' * 100000)",
        "import os, threading\ndef f():\n    while 1: os.write(200, b'\\0\\0\\0\\2\\0\\0\\0\\0{}')\n"
        "threading.Thread(target=f, daemon=True).start()",
        "import gc\nfor x in gc.get_objects():\n    if type(x).__name__ == '_Interpreter': type(x).answer = print",
        "import sys\nfor name, module in list(sys.modules.items()):\n"
        "    if name != '__main__': module.__dict__.clear()",
        "import os; os.kill(-1, 9)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "import os; os.killpg(0, 9)",
        "import os; os.dup2(200, 1); print('x' * 10000)",
        "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        "class E(BaseException):\n    def __str__(self): raise self\n    __repr__ = __str__\nraise E",
        "class R:\n    def __repr__(self): __import__('os')._exit(4)\nR()",
    ],
)
def test_whatever_a_turn_does_the_next_session_is_sound(sandbox, code):
    with sandbox.session(Limits(wall_s=0.3, memory_mb=100)) as session:
        session.execute(code)
        assert session.execute("1 + 1").stdout in ("2\n", "")
    with sandbox.session(LIMITS) as session:
        assert session.execute("1 + 1").stdout == "2\n"


def test_a_turn_that_forks_does_not_become_two_sessions(full):
    with full.session(LIMITS, "shell") as session:
        assert session.execute("import os\nif os.fork(): os.wait()\nprint('x')").stdout == "x\nx\n"
        assert session.execute("1").stdout == "1\n"
        assert session.execute("2").stdout == "2\n"


def test_branches_go_different_ways(full):
    with full.session(LIMITS, "shell") as session:
        session.execute("x = [1]\nopen('f', 'w').write('both')")
        with session.fork() as branch:
            assert branch.execute("x.append(2); open('f', 'w').write('branch')\nx").stdout == "[1, 2]\n"
            assert session.execute("x.append(3)\nx").stdout == "[1, 3]\n"
            assert branch.read("f") == b"branch" and session.read("f") == b"both"
            with branch.fork() as twig:
                assert twig.execute("x.append(4)\nx").stdout == "[1, 2, 4]\n"
            assert branch.execute("while True: pass", wall_s=0.2).killed_by == "wall"
            assert branch.execute("x").stdout == "[1, 2]\n"
            result = branch.execute(DEAF, wall_s=0.2)
            assert result.lost and result.killed_by == "wall"
            assert session.execute("x").stdout == "[1, 3]\n"
        assert session.execute("x").stdout == "[1, 3]\n"


def test_a_branch_outlives_its_origin(full):
    session = full.session(LIMITS, "shell")
    session.execute("x = 7")
    branch = session.fork()
    session.execute("import os; os._exit(0)")
    session.close()
    assert branch.execute("x").stdout == "7\n"
    branch.close()
    with pytest.raises(UsageError, match="closed"):
        branch.execute("x")


def test_threads_forbid_a_fork_and_so_does_the_python_profile(full):
    with full.session(LIMITS, "shell") as session:
        session.execute("import threading, time\nthreading.Thread(target=time.sleep, args=(30,), daemon=True).start()")
        with pytest.raises(UsageError, match="threads"):
            session.fork()
        assert session.execute("1").stdout == "1\n"
    with full.session(LIMITS) as session, pytest.raises(Unsafe, match="shell"):
        session.fork()


def test_a_checkpoint_keeps_the_session_over_a_kill(full):
    with full.session(LIMITS, "shell", checkpoint=True) as session:
        session.execute("x = 1")
        for code in (DEAF, "import os; os._exit(1)", "import os; os.kill(os.getpid(), 9)"):
            result = session.execute("x = 'changed'\n" + code, wall_s=0.3)
            assert not result.lost and not result.ok
            assert session.execute("x").stdout == "1\n"
    with pytest.raises(SettingsError, match="checkpoint"):
        full.session(checkpoint=True)


def test_a_shell_keeps_its_place_variables_and_functions(full):
    with full.shell(LIMITS, files={"d/f": "text"}) as shell:
        assert shell.execute("cd d; X=5; pwd | grep -c d").stdout == "1\n"
        assert shell.execute("cat f; echo $X; exit 3").exit_code == 3
        result = shell.execute("echo $X; cat f; nonsense-command")
        assert result.stdout == "5\ntext" and result.exit_code == 127 and "nonsense-command" in result.stderr
        result = shell.execute("sleep 60", wall_s=0.2)
        assert result.killed_by == "wall" and not result.lost
        assert shell.execute("basename $PWD; if").exit_code != 0
        assert shell.execute("basename $PWD; false").stdout == "d\n"
        shell.execute("rm -rf ../d")
        assert shell.execute("basename $PWD").stdout == "main\n"
        with shell.fork() as branch:
            branch.execute("X=6; echo new > g")
            assert branch.execute("echo $X; ls").stdout == "6\ng\n"
            assert shell.execute("echo $X; ls").stdout == "5\n"


def test_background_processes_live_until_the_shell_is_closed(full):
    from probes import living

    with full.shell(LIMITS) as shell:
        shell.execute("cp $(command -v sleep) ./twsleeper; ./twsleeper 60 >/dev/null 2>&1 &")
        assert shell.execute("sleep 0.2; echo x").stdout == "x\n"
        assert living("twsleeper")
    assert not living("twsleeper")


@pytest.fixture
def apart(full):
    if "branches" not in full.layers_of("shell"):
        pytest.skip("branches of a session cannot be kept apart here: Landlock without scopes")
    return full


KILL = """
import os, signal
def tried(pid):
    for kill in (lambda: os.kill(pid, 9), lambda: os.kill(pid, 0), lambda: os.killpg(pid, 9),
                 lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 9)):
        try:
            kill()
            return "reached"
        except (PermissionError, ProcessLookupError):
            pass
    try: os.kill(-1, 9)
    except PermissionError: pass
    return "held"
"""


def test_branches_cannot_signal_each_other(apart):
    with apart.session(LIMITS, "shell") as session:
        session.execute(KILL)
        with session.fork() as first, session.fork() as second, first.fork() as twig:
            lines = [session, first, second, twig]
            pids = [int(line.execute("os.getpid()").stdout) for line in lines]
            assert len(set(pids)) == 4
            for line in lines:
                for other, pid in zip(lines, pids, strict=True):
                    if other is not line:
                        assert line.execute(f"tried({pid})").stdout == "'held'\n"
            assert [int(line.execute("os.getpid()").stdout) for line in lines] == pids


def test_a_branch_can_signal_what_it_has_started(apart):
    code = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); p.kill(); p.wait()"
    with apart.session(LIMITS, "shell") as session, session.fork() as branch:
        assert session.execute(code + "; p.returncode").stdout == "-9\n"
        assert branch.execute(code + "; p.returncode").stdout == "-9\n"
    with apart.shell(LIMITS) as shell, shell.fork() as branch:
        assert branch.execute("sleep 60 & kill $!; wait $!; echo $?").stdout == "143\n"


FILES = """
import os, pathlib
def tried(path):
    found = []
    for name, work in dict(read=lambda: open(path).read(), write=lambda: open(path, 'w'),
                           unlink=lambda: os.unlink(path), append=lambda: open(path, 'a'),
                           list=lambda: os.listdir(os.path.dirname(path)),
                           make=lambda: os.mkdir(path + '-new'), rename=lambda: os.rename(path, 'x'),
                           link=lambda: os.link(path, 'y'), truncate=lambda: os.truncate(path, 0)).items():
        try:
            work()
            found.append(name)
        except OSError:
            pass
    return found
"""


def test_branches_cannot_touch_each_others_files(apart):
    with apart.session(LIMITS, "shell") as session:
        session.execute(FILES + "\nopen('f', 'w').write('first')\nopen('/tmp/g', 'w').write('tmp')")
        with session.fork() as first, session.fork() as second, first.fork() as twig:
            lines = [session, first, second, twig]
            for number, line in enumerate(lines):
                assert (
                    line.execute(f"open('f', 'a').write('{number}')\nopen('f').read()").stdout == f"'first{number}'\n"
                )
            for path in ("f", "../g"):
                places = [line.execute(f"os.path.abspath('{path}')").stdout.strip().strip("'") for line in lines]
                assert len(set(places)) == 4
                for line in lines:
                    for other, place in zip(lines, places, strict=True):
                        if other is not line:
                            assert line.execute(f"tried({place!r})").stdout == "[]\n"
            listed = "sorted(os.listdir('/box/branches')), sorted(os.listdir('/box'))"
            assert all("PermissionError" in line.execute(listed).stderr for line in lines)
            for number, line in enumerate(lines):
                assert line.read("f") == f"first{number}".encode()
                assert line.execute("open('../g').read()").stdout == "'tmp'\n"


def test_branches_cannot_look_into_each_other(apart):
    attack = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def tried(pid):
    word = (ctypes.c_char * 8)()
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(word), 8)
    return [libc.ptrace(16, pid, 0, 0), libc.process_vm_readv(pid, vector, 1, vector, 1, 0),
            libc.syscall(438, os.pidfd_open(pid), 1, 0), libc.prlimit(pid, 7, None, word),
            os.path.exists(f'/proc/{pid}')]
"""
    with apart.session(LIMITS, "shell") as session:
        session.execute(attack)
        with session.fork() as branch:
            pids = [int(line.execute("os.getpid()").stdout) for line in (session, branch)]
            assert session.execute(f"tried({pids[1]})").stdout == "[-1, -1, -1, -1, False]\n"
            assert branch.execute(f"tried({pids[0]})").stdout == "[-1, -1, -1, -1, False]\n"


def test_branches_do_not_meet_at_abstract_sockets(apart):
    listen = "import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0here'); s.listen()"
    connect = "import socket; socket.socket(socket.AF_UNIX).connect('\\0here')"
    with apart.session(LIMITS, "shell") as session, session.fork() as branch:
        assert session.execute(listen).ok and session.execute(connect).ok
        assert "PermissionError" in branch.execute(connect).stderr


def test_a_branch_that_lies_about_its_number_is_killed_itself(apart):
    with apart.session(LIMITS, "shell") as session, session.fork() as other:
        victim = int(other.execute("import os; os.getpid()").stdout)
        session.execute(f"import os; os.getpid = lambda: {victim}")
        with session.fork() as liar:
            assert liar.execute(DEAF, wall_s=0.2).lost
        assert other.execute("os.getpid()").stdout == f"{victim}\n"


def test_places_of_a_branch_are_its_own(apart):
    with apart.session(LIMITS, "shell") as session:
        session.execute("import os, tempfile; os.mkdir('d'); os.chdir('d'); open('f', 'w').write('x')")
        session.execute("open(tempfile.gettempdir() + '/t', 'w').write('y')")
        with session.fork() as branch, branch.fork() as twig:
            for line in (session, branch, twig):
                assert line.execute("open('f').read()").stdout == "'x'\n"
                assert line.execute("open(tempfile.gettempdir() + '/t').read()").stdout == "'y'\n"
                assert line.execute("with tempfile.NamedTemporaryFile() as file: print('made')").stdout == "made\n"
            folders = {line.execute("os.getcwd(), os.environ['HOME']").stdout for line in (session, branch, twig)}
            assert len(folders) == 3
    with apart.shell(LIMITS) as shell:
        shell.execute("mkdir d; cd d; export WHERE=$PWD; echo a > f")
        with shell.fork() as branch:
            assert branch.execute("cat $WHERE/f; echo b > $HOME/g; cat ~/g; cat $(mktemp) && pwd").stdout.startswith(
                "a\nb\n"
            )
            assert shell.execute("cat $WHERE/f; ls ~").stdout == "a\nmain\n"


def test_a_session_can_be_forked_often(apart):
    with apart.session(LIMITS, "shell") as session:
        session.execute("x = 0")
        for number in range(40):
            with session.fork() as branch:
                assert branch.execute(f"x += {number}; x").stdout == f"{number}\n"
        assert session.execute("x").stdout == "0\n"


def test_files_of_branches_that_are_closed_make_room(apart):
    with apart.session(Limits(wall_s=20, file_mb=8), "shell") as session:
        session.execute("open('f', 'wb').write(bytes(3 * 10**6))")
        for _ in range(6):
            session.execute("1")
            with session.fork() as branch:
                assert branch.execute("open('g', 'wb').write(bytes(3 * 10**6))").ok
        assert session.execute("import os; os.listdir()").stdout == "['f']\n"


def test_the_depth_of_forks_has_an_end(apart):
    lines = [apart.session(LIMITS, "shell")]
    try:
        for depth in range(15):
            assert lines[-1].execute(f"x{depth} = {depth}; x0").stdout == "0\n"
            lines.append(lines[-1].fork())
        assert lines[-1].execute("x14").stdout == "14\n"
        with pytest.raises(UsageError, match="15 times"):
            lines[-1].fork()
        assert lines[-1].execute("x15 = 1; x15").stdout == "1\n"
    finally:
        for line in lines:
            line.close()


def test_forks_of_a_durable_session_go_on_without_end(apart):
    use_sandbox(apart, "for-forks")
    first = DurableSession(limits=LIMITS, profile="shell", sandbox="for-forks")
    lines = [first]
    for depth in range(20):
        lines[-1].execute(f"x{depth} = {depth}; open('f', 'a').write('{depth} ')")
        lines.append(copy.deepcopy(lines[-1]))
    assert lines[-1].execute("x0, x19, len(open('f').read().split())").stdout == "(0, 19, 20)\n"
    assert lines[5].execute("'x5' in globals()").stdout == "True\n"
    assert lines[5].execute("'x6' in globals()").stdout == "False\n"
    for line in lines:
        line.close()
