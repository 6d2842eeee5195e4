"""Sandboxes behind HTTP on loopback: real servers in processes of their own, from the bundle."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest
from elsewhere import LIMITS, conversations_work, programs_work, sessions_work
from probe_runner import host, run_probe
from processes import children, gone

from tests._work import eventually
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.sandbox import Limits, Program, Unsafe, make_sandbox, shared_sandbox
from turnwise.sandbox.backends.bundle import write
from turnwise.sandbox.backends.remote import RemoteSandbox
from turnwise.sandbox.interface.messages import CONTENT_TYPE
from turnwise.sandbox.serving.server import SandboxServer

TOKEN = secrets.token_urlsafe(24)
SOME_PROBES = ("fork_bomb", "network_loopback", "host_files", "environment", "output", "signals", "forged_end")


class Running:
    """A server in a process of its own."""

    def __init__(self, folder: Path, *flags: str, token: str = TOKEN, port: int = 0) -> None:
        command = [sys.executable, "-S", "-P", "-m", "turnwise.sandbox", "--port", str(port), *flags]
        environment = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"], "TURNWISE_SANDBOX_TOKEN": token}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout and self.process.stderr
        self.said = self.process.stdout.readline()
        self.url = json.loads(self.said)["url"] if self.said else ""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def end(self, number: int = signal.SIGTERM) -> int:
        below = children(self.process.pid) if self.process.poll() is None else []
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=120)
        assert gone(below)
        assert "Traceback" not in errors
        return self.process.returncode


@pytest.fixture(scope="module")
def bundle(sandbox, tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("bundle")
    write(folder)
    return folder


@pytest.fixture(scope="module")
def server(bundle) -> Iterator[Running]:
    running = Running(bundle, "--workers", "2")
    yield running
    assert running.end() == 0


@pytest.fixture
def remote(server) -> Iterator[RemoteSandbox]:
    with RemoteSandbox(server.url, TOKEN) as made:
        yield made


@pytest.mark.slow
def test_what_a_client_over_streams_can_do_this_one_can_too(remote, sandbox, full):
    programs_work(remote, sandbox)
    conversations_work(remote)
    sessions_work(remote)


@pytest.mark.parametrize("name", SOME_PROBES)
def test_probes_are_held(remote, name):
    with host() as context:
        assert run_probe(remote, name, "python", context) == ""


def test_by_name(server, monkeypatch):
    monkeypatch.setenv("TURNWISE_SANDBOX_TOKEN", TOKEN)
    assert shared_sandbox(server.url).run(Program("print(1)"), LIMITS).stdout == "1\n"
    with make_sandbox("remote", urls=[server.url], workers=1) as made:
        assert made.workers == 1 and made.run(Program("print(2)"), LIMITS).stdout == "2\n"


@pytest.mark.parametrize("token", ["", "wrong", TOKEN + "x", TOKEN[:-1]], ids=["none", "other", "longer", "shorter"])
def test_without_the_token_nothing_is_answered(server, token):
    with pytest.raises(FatalError, match="401"):
        RemoteSandbox(server.url, token)


def request(url: str, method: str, path: str, body: bytes = b"", **headers: str) -> int:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=120)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
        return connection.getresponse().status
    finally:
        connection.close()


def test_requests_that_are_none(server):
    right = {"Authorization": f"Bearer {TOKEN}", "Content_Type": CONTENT_TYPE}
    frame = b'\0\0\0\x0c\0\0\0\0{"op": "no"}'
    assert request(server.url, "POST", "/", frame, **right) == 200
    assert request(server.url, "GET", "/health") == 200
    assert request(server.url, "GET", "/") == 404
    assert request(server.url, "PUT", "/", frame, **right) == 501
    assert request(server.url, "POST", "/x", frame, **right) == 404
    assert request(server.url, "POST", "/", frame, **{**right, "Content_Type": "text/plain"}) == 415
    assert request(server.url, "POST", "/", frame + b"x", **right) == 400
    assert request(server.url, "POST", "/", b"\xff" * 20, **right) == 400
    assert request(server.url, "POST", "/", b"\0\0\0\2\0\0\0\0[]", **right) == 400
    assert request(server.url, "POST", "/", b"", **right) == 400
    assert request(server.url, "POST", "/", b"", **{**right, "Content_Length": "99999999999"}) == 413
    assert request(server.url, "POST", "/", b"", **{**right, "Content_Length": "-1"}) == 411
    assert request(server.url, "POST", "/", b"", **{**right, "Transfer_Encoding": "chunked"}) == 411


def test_a_program_that_is_too_long_is_the_callers_error(remote):
    with pytest.raises(SettingsError, match=r"413|room|need"):
        remote.run(Program("1", stdin=bytes(70 * 2**20)), LIMITS)
    assert remote.run(Program("print(1)"), LIMITS).stdout == "1\n"


def test_an_open_address_needs_a_token(sandbox, bundle):
    with pytest.raises(SettingsError, match="TURNWISE_SANDBOX_TOKEN"):
        SandboxServer(sandbox, "0.0.0.0")
    with pytest.raises(SettingsError, match="at least 16"):
        SandboxServer(sandbox, "127.0.0.1", token="short")
    running = Running(bundle, "--host", "0.0.0.0", token="")
    _, errors = running.process.communicate(timeout=120)
    assert running.process.returncode == 1 and "TURNWISE_SANDBOX_TOKEN" in errors


@pytest.mark.parametrize(
    "url", ["", "localhost:80", "ftp://x", "http://", "http://a@b", "http://a/?b", "http://a:b", "http://[a"]
)
def test_addresses_that_are_none(url):
    with pytest.raises(SettingsError, match="urls"):
        RemoteSandbox(url)


def test_layers_are_required_of_every_server(server):
    with pytest.raises(Unsafe, match="a_layer_of_tomorrow"):
        RemoteSandbox(server.url, TOKEN, require={"a_layer_of_tomorrow"})


def test_no_server(sandbox):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(InfrastructureError, match=f"the sandbox at {url}/: ConnectError"):
            RemoteSandbox(url, TOKEN)


def test_one_client_cannot_touch_the_sessions_of_another(remote, server):
    with RemoteSandbox(server.url, TOKEN) as other, remote.session(LIMITS) as session, other.session(LIMITS) as mine:
        session.execute("x = 1")
        assert session._handle != mine._handle and len(session._handle) == 32
        mine._handle = session._handle[:-1] + ("0" if session._handle[-1] != "0" else "1")
        with pytest.raises(InfrastructureError, match="unknown session"):
            mine.execute("x")
        assert session.execute("x").stdout == "1\n"


@pytest.mark.slow
def test_a_server_that_is_killed_in_the_middle_costs_no_result(bundle):
    servers = [Running(bundle, "--workers", "2") for _ in range(2)]
    sandbox = RemoteSandbox([running.url for running in servers], TOKEN)
    assert sandbox.workers == 4
    sessions = [sandbox.session(LIMITS) for _ in range(2)]  # the second goes to the other machine
    for session in sessions:
        session.execute("x = 7")
    killer = threading.Timer(0.3, servers[0].end, (signal.SIGKILL,))
    killer.start()
    programs = [Program(f"import time; time.sleep(0.02); print({i})") for i in range(150)]
    results = sandbox.run_many(programs, LIMITS)
    killer.join()
    assert [result.stdout for result in results] == [f"{i}\n" for i in range(150)]
    outcomes = []
    for session in sessions:
        try:
            outcomes.append(session.execute("x").stdout)
        except InfrastructureError as error:
            outcomes.append("gone" if "the sandbox at" in str(error) else str(error))
    assert sorted(outcomes) == ["7\n", "gone"]
    port = servers[0].port
    servers[0] = Running(bundle, "--workers", "2", port=port)  # it comes back

    def is_back() -> bool:
        assert servers[0].process.poll() is None
        sandbox.run_many(programs[:8], LIMITS)
        return bool(sandbox._pool.machines[0].layers)

    eventually(is_back)
    servers[1].end()
    assert sandbox.run(Program("print(5)"), LIMITS).stdout == "5\n"
    sandbox.close()
    assert servers[0].end() == 0
    with pytest.raises(UsageError, match="closed"):
        sandbox.run(Program("1"))


@pytest.mark.slow
def test_terminated_in_the_middle_it_ends_with_all_that_it_started(bundle):
    running = Running(bundle, "--workers", "1")
    sandbox = RemoteSandbox(running.url, TOKEN)
    session = sandbox.session(LIMITS)
    with ThreadPoolExecutor(2) as threads:
        waiting = [
            threads.submit(sandbox.run, Program("import time; time.sleep(10**6)"), Limits(wall_s=1000)),
            threads.submit(session.execute, "import time; time.sleep(10**6)", 1000),
        ]
        time.sleep(0.5)
        assert running.end() == 0
        for future in waiting:
            with pytest.raises(InfrastructureError):
                future.result()
    sandbox.close()


@pytest.mark.slow
def test_too_much_work_waits(sandbox):
    with SandboxServer(sandbox, queue=1, patience_s=0.2, token=TOKEN) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        slow = [Program(f"import time; time.sleep(0.2); print({i})") for i in range(8)]
        with RemoteSandbox(server.url, TOKEN) as made, ThreadPoolExecutor(8) as threads:
            results = list(threads.map(lambda program: made.run(program, LIMITS), slow))
            assert [result.stdout for result in results] == [f"{i}\n" for i in range(8)]
        with RemoteSandbox(server.url, TOKEN, patience_s=0.1) as hasty, ThreadPoolExecutor(8) as threads:
            waiting = [threads.submit(hasty.run, program, LIMITS) for program in slow]
            errors = [str(future.exception()) for future in waiting]
        assert any("503" in error for error in errors) and "None" in errors
        server.shutdown()
        thread.join()


def test_sessions_of_clients_that_vanished_are_closed(sandbox):
    with SandboxServer(sandbox) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        made = RemoteSandbox(server.url, "")
        kept, idle = made.session(LIMITS), made.session(LIMITS)
        server.service._open[idle._handle].used -= 1e6
        kept.execute("x = 3")
        server.service.sweep(1000.0)
        assert server.service.open == 1 and kept.execute("x").stdout == "3\n"
        with pytest.raises(InfrastructureError, match="unknown session"):
            idle.execute("1")
        made.close()
        assert server.service.open == 0
        server.shutdown()
        thread.join()


def test_after_a_fork_each_side_has_its_own_connections(remote):
    session = remote.session(LIMITS)
    session.execute("x = 5")
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            found = [remote.run(Program(f"print({i})"), LIMITS).stdout for i in range(20)]
            session.close()
            remote.close()
            status = 0 if found == [f"{i}\n" for i in range(20)] else 2
        finally:
            os.write(writing, b"x")
            os._exit(status)
    assert [remote.run(Program(f"print({-i})"), LIMITS).stdout for i in range(1, 20)] == [
        f"{-i}\n" for i in range(1, 20)
    ]
    assert os.read(reading, 1) == b"x"
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(reading)
    os.close(writing)
    assert session.execute("x").stdout == "5\n"
    session.close()


def test_connections_are_used_again(remote, server):
    for i in range(30):
        remote.run(Program(f"print({i})"), LIMITS)
    assert len(remote._pool.machines[0]._client._pool.idle) == 1
