"""A sandbox in another process, spoken to over its standard streams, as in a container."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from elsewhere import LIMITS, conversations_work, programs_work, sessions_work

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Program, Unsafe
from turnwise.sandbox.backends.bundle import write
from turnwise.sandbox.backends.proxy import ProxySandbox, StreamTransport
from turnwise.sandbox.serving.service import Service


def started(folder: Path) -> tuple[StreamTransport, "subprocess.Popen[bytes]"]:
    write(folder)
    command = [sys.executable, "-S", "-P", "-m", "turnwise.sandbox.serving.streams", '{"workers": 2}']
    environment = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"]}
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert server.stdin and server.stdout
    stdin, stdout = server.stdin, server.stdout

    def send(data: bytes) -> None:
        stdin.write(data)
        stdin.flush()

    return StreamTransport(stdout.read, send, stdin.close), server


@pytest.fixture(scope="module")
def served(sandbox, tmp_path_factory) -> Iterator[ProxySandbox]:
    transport, server = started(tmp_path_factory.mktemp("bundle"))
    with server:
        with ProxySandbox(transport) as made:
            yield made
        assert server.wait(120) == 0


def test_programs(served, sandbox):
    programs_work(served, sandbox)


def test_conversations(served):
    conversations_work(served)


def test_sessions(served, full):
    sessions_work(served)


def test_a_server_that_ends_is_an_infrastructure_error(sandbox, tmp_path):
    transport, server = started(tmp_path)
    with server:
        made = ProxySandbox(transport)
        server.kill()
        with pytest.raises(InfrastructureError, match="gone"):
            made.run(Program("print(1)"), LIMITS)
        with pytest.raises(InfrastructureError, match="gone"):
            made.run(Program("print(1)"), LIMITS)
        made.close()


def test_layers_are_required(sandbox, tmp_path):
    transport, server = started(tmp_path)
    with server, pytest.raises(Unsafe, match="a_layer_of_tomorrow"):
        ProxySandbox(transport, require={"a_layer_of_tomorrow"})


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
