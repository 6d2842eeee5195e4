"""What environments and clients do wrong costs nobody else a session, a thread or an answer."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests._work import Clock
from tests.serve.clients import Socket, events, sessions, until
from tests.serve.fragile import SECRET
from turnwise.core.registration import env_class, import_envs
from turnwise.serve.run import ServeConfig, serving
from turnwise.serve.table import Limits, Table

FRAGILE = str(Path(__file__).parent / "fragile.py")


class Start:
    """Starts a server, whose limits on time a test sets once its episodes have begun.

    Attributes:
        clock: The server's.
        table: Its sessions.
    """

    table: Table

    def __init__(self) -> None:
        self.clock = Clock()

    @contextmanager
    def __call__(
        self, *envs: str, limits: dict[str, Any] | None = None, **options: Any
    ) -> Iterator[tuple[str, httpx.Client]]:
        config = ServeConfig(envs or ["Fragile"], port=0, limits=Limits(**(limits or {})), **options)
        with serving(config) as url, httpx.Client(base_url=url, timeout=600) as http:
            yield url, http

    def made(self, *args: Any) -> Table:
        """The table of a server that starts."""
        self.table = Table(*args, clock=self.clock)
        return self.table

    def limit(self, step_s: float) -> None:
        """Limit what begins now."""
        self.table.limits = replace(self.table.limits, step_s=step_s)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Start:
    import_envs(FRAGILE)
    found = Start()
    monkeypatch.setattr("turnwise.serve.run.Table", found.made)
    monkeypatch.setattr("turnwise.serve.app.SWEEP_S", 0.05)
    return found


# ---- environments --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_step_that_is_given_up_releases_its_session_when_it_ends(start: Start) -> None:
    fragile: Any = env_class("Fragile")
    fragile.alive.clear()
    fragile.closed_while_it_ran = 0
    with start() as (url, http), Socket(url) as socket:
        socket.ask("reset", seed=1)
        start.limit(0.3)
        found = socket.ask("step", message="sleep 1.2")
        assert found["data"]["code"] == "EXECUTION_ERROR" and "0.3 s" in found["data"]["message"]
        assert sessions(http) == 0
        until(lambda: not fragile.alive, "the session that was given up is still open")
    assert fragile.closed_while_it_ran == 0


@pytest.mark.slow
def test_a_beginning_that_is_given_up_leaves_no_session(start: Start) -> None:
    fragile: Any = env_class("Fragile")
    fragile.alive.clear()
    with start("Fragile:slow_s=1.0", limits={"step_s": 0.2}) as (_, http):
        assert http.post("/reset", json={"seed": 1}).status_code == 500
        assert sessions(http) == 0 and fragile.alive
        until(lambda: not fragile.alive, "the session that was given up is still open")


@pytest.mark.slow
def test_steps_that_hang_do_not_keep_the_threads(start: Start) -> None:
    with start(threads=1) as (url, _):
        for _ in range(2):
            start.limit(300.0)
            with Socket(url) as socket:
                socket.ask("reset", seed=1)
                start.limit(0.5)
                assert socket.ask("step", message="sleep 4")["data"]["code"] == "EXECUTION_ERROR"
        start.limit(300.0)
        with Socket(url) as socket:
            assert socket.ask("reset", seed=1)["type"] == "observation"
            assert socket.ask("step", message="a")["data"]["observation"]["text"] == "heard 1"


def test_slow_steps_run_side_by_side(start: Start) -> None:
    with start(threads=8) as (_, http):
        frames = [{"type": "reset", "data": {"seed": 1}}] * 8
        begun = http.post("/batch", json={"frames": frames}).json()["frames"]
        steps = [
            {"session_id": each["data"]["metadata"]["session_id"], "type": "step", "data": {"message": "meet"}}
            for each in begun
        ]
        answer = http.post("/batch", json={"frames": steps})
        assert {each["data"]["observation"]["text"] for each in answer.json()["frames"]} == {"heard 1"}


def test_an_environment_that_exits_does_not_end_the_server(start: Start) -> None:
    with start() as (url, _), Socket(url) as socket:
        socket.ask("reset", seed=1)
        found = socket.ask("step", message="exit")["data"]
        assert found["code"] == "EXECUTION_ERROR" and "SystemExit" in found["message"]
        assert socket.ask("reset", seed=1)["type"] == "observation"


def test_a_failure_cannot_forge_an_answer_and_stands_in_the_log(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    with start() as (_, http):
        http.post("/create", json={"split": "train", "index": 0}, headers={"X-Session-ID": "f"})
        call = {"name": "act", "input": {"message": "forge"}, "task_id": "one\r\n\r\nevent: end\r\ndata: {}"}
        found = events(http.post("/call", json=call, headers={"X-Session-ID": "f"}).text)
        assert found.keys() == {"error"}
        number = found["error"].rpartition(" ")[2]
    assert any(number in record.message and "gone" in str(record.exc_info) for record in caplog.records)


def test_free_texts_among_the_settings_are_not_shown(start: Start, tmp_path: Path) -> None:
    with start(f"Fragile:note={tmp_path}", "Maze:size=3") as (_, http):
        assert http.get("/Maze/metadata").json()["card"]["served_with"] == {"size": 3}
        assert str(tmp_path) not in http.get("/metadata").text


# ---- clients -------------------------------------------------------------------------------------------------------


def test_what_json_does_not_have_is_refused(start: Start) -> None:
    with start() as (url, http):
        for number in ("NaN", "-Infinity", "1e999", "9" * 5000):
            asked = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}'
            assert http.post("/mcp", content=asked).json()["error"]["code"] == -32700
            assert http.post("/reset", content=f'{{"seed": {number}}}').status_code == 400
            with Socket(url) as socket:
                socket.socket.send(f'{{"type": "mcp", "data": {asked}}}')
                assert socket.read()["data"]["code"] == "INVALID_JSON"
        assert http.post("/mcp", json={"jsonrpc": "2.0", "id": [1], "method": "ping"}).json()["id"] is None


def test_binary_frames_and_lone_surrogates_are_answered(start: Start) -> None:
    with start() as (url, http):
        with Socket(url) as socket:
            socket.socket.send(b"\xff\xfe")
            assert socket.read()["data"]["code"] == "INVALID_JSON"
            socket.socket.send(b'{"type": "reset", "data": {"seed": 1}}')
            assert socket.read()["type"] == "observation"
        key = http.post("/reset", json={"seed": 1}).json()["metadata"]["session_id"]
        body = json.dumps({"action": {"message": "echo \ud800!"}, "session_id": key})
        assert http.post("/step", content=body).json()["observation"]["text"] == "\ud800!"
        body = json.dumps({"action": {"message": "fail"}, "session_id": key, "request_id": "\ud800"})
        assert http.post("/step", content=body).status_code == 500
        with Socket(url, "/mcp") as socket:
            socket.socket.send(b"\xff")
            assert socket.read()["error"]["code"] == -32700


def test_deep_arguments_are_the_agents_fault_and_no_failure(start: Start) -> None:
    with start("Debugging") as (url, _), Socket(url) as socket:
        socket.ask("reset", seed=1)
        deep = "[" * 900 + "]" * 900
        data = f'{{"type": "call_tool", "tool_name": "python", "arguments": {{"code": {deep}}}}}'
        socket.socket.send(f'{{"type": "step", "data": {data}}}')
        assert socket.read()["type"] == "observation"


def test_long_names_are_refused_at_once_and_not_repeated(start: Start) -> None:
    with start() as (url, _), Socket(url) as socket:
        long = "Fragile" * 100_000
        for data in ({"env": long}, {"split": long}, {"episode_id": long}, {"seed": long}, {"env": ["Fragile"]}):
            answer = socket.ask("reset", **data)
            assert answer["type"] == "error" and len(json.dumps(answer)) < 500
        socket.ask("reset", seed=1)
        answer = socket.ask("step", message="a", metadata={"request_id": "x" * 256})
        assert answer["data"]["code"] == "VALIDATION_ERROR"


def test_names_of_episodes(start: Start) -> None:
    with start() as (_, http):
        mine = http.post("/reset", json={"seed": 1, "episode_id": "None"}).json()["metadata"]["session_id"]
        other = http.post("/reset", json={"seed": 1}).json()["metadata"]["session_id"]
        assert other != mine
        again = http.post("/reset", json={"seed": 1, "session_id": mine, "episode_id": "b"}).json()
        assert again["metadata"]["session_id"] == mine
        assert http.get("/state", params={"episode_id": "None"}).status_code == 400
        assert http.get("/state", params={"episode_id": "b"}).json()["episode_id"] == "b"


def test_a_message_that_was_not_played_may_be_sent_again(start: Start) -> None:
    with start() as (url, _), Socket(url) as socket:
        sent = {"message": "good", "metadata": {"request_id": "r"}}
        assert "reset first" in socket.ask("step", **sent)["data"]["message"]
        socket.ask("reset", seed=1)
        socket.ask("step", message=SECRET)
        assert "is over" in socket.ask("step", **sent)["data"]["message"]
        assert "is over" in socket.ask("step", message="x", metadata={"request_id": "s"})["data"]["message"]
        socket.ask("reset", seed=1)
        assert socket.ask("step", **sent) == socket.ask("step", **sent)
        assert socket.ask("state")["data"]["step_count"] == 1


@pytest.mark.slow
def test_a_full_queue_is_refused_and_nothing_is_lost(start: Start) -> None:
    with start(limits={"waiting": 1}) as (url, http), Socket(url) as socket:
        key = http.post("/reset", json={"seed": 1}).json()["metadata"]["session_id"]
        http.post("/create", json={"split": "train", "index": 0}, headers={"X-Session-ID": "o"})
        socket.ask("reset", seed=1)
        socket.socket.send(json.dumps({"type": "step", "data": {"message": "sleep 1"}}))
        step = {"action": {"message": "good"}, "session_id": key, "request_id": "r"}
        until(lambda: http.post("/step", json={**step, "action": 1}).status_code == 400, "the server does not answer")
        call = {"name": "act", "input": {"message": "good"}, "task_id": "c"}
        assert http.post("/call", json=call, headers={"X-Session-ID": "o"}).status_code == 503
        assert http.post("/step", json=step).status_code == 503
        assert socket.read()["type"] == "observation"
        assert http.post("/step", json=step).json()["reward"] == 0.1
        assert events(http.post("/call", json=call, headers={"X-Session-ID": "o"}).text)["end"]["ok"]


def test_pages_of_other_sites_are_refused(start: Start) -> None:
    with start() as (url, http):
        there = {"Origin": "https://evil.example"}
        assert http.post("/reset", json={"seed": 1}, headers=there).status_code == 403
        with pytest.raises(InvalidStatus, match="403"):
            Socket(url, additional_headers=there)
        assert http.post("/reset", json={"seed": 1}, headers={"Origin": url}).status_code == 200


def test_sockets_of_idle_sessions_are_closed(start: Start) -> None:
    with start() as (url, http), Socket(url) as socket, Socket(url, "/mcp") as tools:
        socket.ask("reset", seed=1)
        start.clock.ahead += 1000
        for each in (socket, tools):
            with pytest.raises(ConnectionClosed, match="1001"):
                each.read()
        assert sessions(http) == 0


# ---- worker processes ----------------------------------------------------------------------------------------------


def pids(http: httpx.Client) -> list[int]:
    """The worker processes of the server, which is this process."""
    found = Path(f"/proc/{os.getpid()}/task")
    children = [child for task in found.iterdir() for child in (task / "children").read_text().split()]
    return [int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds worker processes in /proc, which Linux has")
def test_a_killed_worker_costs_its_own_sessions_only(start: Start) -> None:
    with start(processes=2, env_modules=[FRAGILE]) as (_, http):
        keys = [http.post("/reset", json={"seed": n}).json()["metadata"]["session_id"] for n in range(4)]
        old = pids(http)
        os.kill(old[0], signal.SIGKILL)
        codes = [http.post("/step", json={"action": {"message": "a"}, "session_id": k}).status_code for k in keys]
        assert sorted(codes) == [200, 200, 404, 404]
        start.clock.ahead += 1000
        until(lambda: sessions(http) == 0, "sessions of a dead process are not swept")
        http.post("/reset", json={"seed": 1, "episode_id": "x"})
        assert http.post("/step", json={"action": {"message": "a"}, "episode_id": "x"}).status_code == 200
        start.clock.ahead += 1000
        until(lambda: sessions(http) == 0, "nothing is swept after a process died")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds worker processes in /proc, which Linux has")
def test_a_worker_that_stands_still_does_not_stop_the_server(start: Start) -> None:
    with start(processes=1, env_modules=[FRAGILE]) as (_, http):
        key = http.post("/reset", json={"seed": 1}).json()["metadata"]["session_id"]
        start.limit(2.0)
        [pid] = pids(http)
        os.kill(pid, signal.SIGSTOP)
        try:
            body = {"action": {"message": "x" * 900_000}, "session_id": key}
            assert http.post("/step", json=body).status_code == 500  # given up after 2 s, long before the client does
            assert http.get("/health").status_code == 200
        finally:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_the_end_of_the_server_closes_what_is_open(start: Start, tmp_path: Path) -> None:
    for processes in (0, 1):
        folder = tmp_path / str(processes)
        folder.mkdir()
        with start(f"Fragile:note={folder}", processes=processes, env_modules=[FRAGILE]) as (_, http):
            before = len(list(folder.iterdir()))
            for seed in range(3):
                http.post("/reset", json={"seed": seed})
        assert len(list(folder.iterdir())) - before == 3
