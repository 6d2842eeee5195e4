"""What every sandbox that runs elsewhere must be able to do."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from turnwise.core.errors import SettingsError, UsageError
from turnwise.sandbox import Limits, Program, Sandbox, Unsafe

LIMITS = Limits(wall_s=20, memory_mb=256)


def programs_work(served: Sandbox, sandbox: Sandbox) -> None:
    assert served.layers == sandbox.layers and served.workers == 2
    program = Program(
        "import sys; print(sys.stdin.read(), open('a').read(), sys.argv)", ("x",), "é", {"a": b"b"}, ("a",)
    )
    result = served.run(program, LIMITS)
    assert result.stdout == "é b ['main.py', 'x']\n" and result.files == {"a": b"b"} and result.ok
    assert served.run(Program("while True: pass"), Limits(wall_s=0.2)).killed_by == "wall"
    many = served.run_many([Program(f"print({i})") for i in range(40)], LIMITS)
    assert [result.stdout for result in many] == [f"{i}\n" for i in range(40)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: served.run(Program(f"print({i})"), LIMITS).stdout, range(20)))
    assert found == [f"{i}\n" for i in range(20)]


def conversations_work(served: Sandbox) -> None:
    with served.converse(Program("print('up')\ndef f(x, y=1): return (x, y)"), LIMITS) as conversation:
        assert conversation.started.stdout == "up\n"
        assert conversation.call("f", {1, 2}).value == ({1, 2}, 1)
        assert conversation.call("f", 1, kwargs={"y": b"z"}).value == (1, b"z")
        assert conversation.call("g").error.startswith("AttributeError")
    with pytest.raises(UsageError, match="closed"):
        conversation.call("f")


def sessions_work(served: Sandbox) -> None:
    with served.session(LIMITS, "shell", files={"f": "text"}) as session:
        assert session.execute("x = 1; open('f').read()").stdout == "'text'\n"
        assert session.execute("while True: pass", wall_s=0.2).killed_by == "wall"
        with session.fork() as branch:
            branch.execute("x = 2")
            assert (session.execute("x").stdout, branch.execute("x").stdout) == ("1\n", "2\n")
        session.write("g", b"\0")
        assert session.read("g") == b"\0"
        with pytest.raises(FileNotFoundError):
            session.read("none")
        with pytest.raises(SettingsError):
            session.read("/etc/passwd")
    with served.session(LIMITS) as session, pytest.raises(Unsafe, match="pid_namespace"):
        session.fork()
    with served.shell(LIMITS) as shell:
        shell.execute("X=4")
        assert shell.execute("echo $X").stdout == "4\n"
