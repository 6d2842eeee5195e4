"""A sandbox in another process, spoken to over its standard streams, as in a container."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.sandbox import Limits, Program, Unsafe
from turnwise.sandbox.bundle import write
from turnwise.sandbox.client import ClientSandbox, StreamTransport
from turnwise.sandbox.serve import Service

LIMITS = Limits(wall_s=20, memory_mb=256)


def started(folder: Path) -> tuple[StreamTransport, "subprocess.Popen[bytes]"]:
    write(folder)
    command = [sys.executable, "-S", "-P", "-m", "turnwise.sandbox.serve", '{"workers": 2}']
    environment = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"]}
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert server.stdin and server.stdout
    stdin, stdout = server.stdin, server.stdout

    def send(data: bytes) -> None:
        stdin.write(data)
        stdin.flush()

    return StreamTransport(stdout.read, send, stdin.close), server


@pytest.fixture(scope="module")
def served(sandbox, tmp_path_factory) -> Iterator[ClientSandbox]:
    transport, server = started(tmp_path_factory.mktemp("bundle"))
    with server:
        with ClientSandbox(transport) as made:
            yield made
        assert server.wait(120) == 0


def test_programs(served, sandbox):
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


def test_conversations(served):
    with served.converse(Program("print('up')\ndef f(x, y=1): return (x, y)"), LIMITS) as conversation:
        assert conversation.started.stdout == "up\n"
        assert conversation.call("f", {1, 2}).value == ({1, 2}, 1)
        assert conversation.call("f", 1, kwargs={"y": b"z"}).value == (1, b"z")
        assert conversation.call("g").error.startswith("AttributeError")
    with pytest.raises(UsageError, match="closed"):
        conversation.call("f")


def test_sessions(served, full):
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


def test_a_server_that_ends_is_an_infrastructure_error(sandbox, tmp_path):
    transport, server = started(tmp_path)
    with server:
        made = ClientSandbox(transport)
        server.kill()
        with pytest.raises(InfrastructureError, match="gone"):
            made.run(Program("print(1)"), LIMITS)
        with pytest.raises(InfrastructureError, match="gone"):
            made.run(Program("print(1)"), LIMITS)
        made.close()


def test_layers_are_required(sandbox, tmp_path):
    transport, server = started(tmp_path)
    with server, pytest.raises(Unsafe, match="a_layer_of_tomorrow"):
        ClientSandbox(transport, require={"a_layer_of_tomorrow"})


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"op": "x"},
        {"op": "run"},
        {"op": "close"},
        {"op": "call", "handle": 1},
        {"op": "run", "source": 1, "limits": {}},
    ],
)
def test_nonsense_is_answered_with_an_error(sandbox, message):
    answer, blobs = Service(sandbox).answer(message, [])
    assert answer["failed"] and blobs == []
