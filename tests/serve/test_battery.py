"""A server as a process of its own, and everything that goes wrong with clients at once."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from tests._http import free_port
from tests.serve.clients import Socket, events, metric, sessions, until
from turnwise.core.tools import untagged
from turnwise.session.session import Session

pytestmark = pytest.mark.slow
ENVS = ("Sudoku", "KSat", "Countdown", "GuessNumber", "Mastermind", "Maze", "Sql", "SearchQA", "MathWithPython")
GOLD_CHARS = 9
"""Shorter answers occur by chance in texts."""
SERVE = """
import runpy, signal, time
from turnwise.serve import app, table

ahead = 0.0
def later(*_):
    global ahead
    ahead += 1000
signal.signal(signal.SIGUSR1, later)
table.Table.__init__.__defaults__ = (lambda: time.monotonic() + ahead,)
app.SWEEP_S = 0.2
runpy.run_module("turnwise", run_name="__main__")
"""
"""``python -m turnwise``, with a clock that SIGUSR1 sets ahead: nothing is idle before, however slow the machine is."""


@contextmanager
def server(*envs: str, **flags: Any) -> Iterator[tuple[str, httpx.Client, int]]:
    """``turnwise serve`` on a free port: its address, a client, its process."""
    port = free_port()
    options = [word for name, value in flags.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    words = [sys.executable, "-c", SERVE, "serve", *envs, "--port", str(port), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            with httpx.Client(base_url=url, timeout=600) as http:
                until(lambda: healthy(http), "the server did not start")
                yield url, http, process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=600)
    assert process.returncode in (0, -signal.SIGTERM) and "Traceback" not in said, said


def healthy(http: httpx.Client) -> bool:
    try:
        return http.get("/health").json() == {"status": "healthy"}
    except httpx.TransportError:
        return False


def memory(pid: int) -> float:
    """Memory of a process, in MB."""
    [size] = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(size) / 1024


# ---- clients of every bad kind -------------------------------------------------------------------------------------


def half_sent(url: str) -> None:
    """Headers that promise more than comes, and a frame of which the half comes; then silence, and no goodbye."""
    address, silent = url.removeprefix("http://").split(":"), []
    for sent in (
        b"POST /reset HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        b"POST /reset HTTP/1.1\r\nHo",
        b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x81\xfe\x01\x00abcd",
    ):
        silent.append(socket.create_connection((address[0], int(address[1]))))
        silent[-1].sendall(sent)
    time.sleep(2)
    for raw in silent:
        raw.close()


def vanishing(url: str) -> None:
    """A client that asks and is gone before the answer."""
    asked = Socket(url).socket
    asked.send(json.dumps({"type": "reset", "data": {"seed": 1}}))
    asked.send(json.dumps({"type": "step", "data": {"message": "<answer>1</answer>"}}))
    asked.socket.close()


def too_long(url: str) -> None:
    """A message of 10 MB over a socket, and one over HTTP."""
    with Socket(url) as asked:
        asked.ask("reset", seed=1)
        with pytest.raises((ConnectionClosed, OSError)):
            asked.ask("step", message="x" * 10_000_000)
    with suppress(httpx.TransportError):  # it was hung up on while it still sent
        assert httpx.post(f"{url}/reset", content=b"x" * 10_000_000, timeout=600).status_code == 413


def slow_reader(url: str) -> None:
    """A client that sends on and on and reads nothing."""
    asked = Socket(url, max_queue=1)
    asked.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    for _ in range(200):
        asked.socket.send(json.dumps({"type": "reset", "data": {"seed": 1}}))
    asked.socket.socket.close()


def twice(url: str) -> None:
    """Every message is sent twice at the same time, and is played once."""
    with Socket(url) as asked:
        asked.ask("reset", seed=3)
        frame = json.dumps({"type": "step", "data": {"message": "10", "metadata": {"request_id": "r"}}})
        for _ in range(2):
            asked.socket.send(frame)
        one, two = asked.read(), asked.read()
        assert one == two and asked.ask("state")["data"]["step_count"] == 1
    key = httpx.post(f"{url}/reset", json={"seed": 3}).json()["metadata"]["session_id"]
    for turn, guess in enumerate(("10", "20", "30"), 1):
        body = {"action": {"message": f"<answer>{guess}</answer>"}, "session_id": key, "request_id": guess}
        with ThreadPoolExecutor(2) as pool:
            one, two = pool.map(lambda _, body=body: httpx.post(f"{url}/step", json=body, timeout=600).json(), range(2))
        assert one == two and one["metadata"]["turn"] == turn


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc, which Linux has")
def test_bad_clients_cost_good_ones_nothing_and_leave_nothing() -> None:
    with server("GuessNumber", max_sessions=1200) as (url, http, pid):

        def good(seed: int) -> tuple[str, float]:
            local = Session("GuessNumber")
            text = local.start(seed).text
            with Socket(url) as asked:
                assert asked.ask("reset", seed=seed)["data"]["observation"]["text"] == text
                total = 0.0
                while not local.done:
                    action = local.env.unwrapped.oracle()
                    local.reply(action)
                    total += asked.ask("step", message=action)["data"]["reward"]
            return text, total

        def left(count: int) -> None:
            frames = [{"type": "reset", "data": {"seed": seed}} for seed in range(count)]
            begun = http.post("/batch", json={"frames": frames}).json()["frames"]
            assert {each["type"] for each in begun} == {"observation"}

        left(1000)
        os.kill(pid, signal.SIGUSR1)
        until(lambda: sessions(http) == 0, "sessions that were left are still open")
        before, episodes = memory(pid), metric(http, "episodes_total")
        with ThreadPoolExecutor(6) as pool:
            bad = [pool.submit(kind, url) for kind in (half_sent, vanishing, too_long, slow_reader, twice) * 3]
            assert all(total == 1.0 for _, total in pool.map(good, range(30)))
            for each in bad:
                each.result()
        for _ in range(3):
            left(1000)
            os.kill(pid, signal.SIGUSR1)
            until(lambda: sessions(http) == 0, "sessions that were left are still open")
        assert metric(http, "episodes_total") - episodes == 30
        assert memory(pid) < before * 1.15
        assert good(7)[1] == 1.0


# ---- nothing secret ------------------------------------------------------------------------------------------------


def test_no_gold_is_in_the_traffic_of_200_episodes() -> None:
    """What crosses the wire holds no reference answer that the observations of the same episode do not."""
    roads = (by_socket, by_http, by_ors, by_mcp)
    with server(*ENVS) as (url, http, _):
        with ThreadPoolExecutor(4) as pool:
            jobs = [(road, name, seed) for seed in range(6) for road in roads for name in ENVS]
            found = list(pool.map(lambda job: searched(url, *job), jobs))
        assert len(found) > 200
        for road in roads:  # those with an answer that is long enough to be looked for
            assert sum(hit for hit, (by, _, _) in zip(found, jobs, strict=True) if by is road) > 15
        assert metric(http, "episodes_total") == len(jobs)
        without_socket = len(jobs) * 3 // 4  # they are open until they were idle for long
        until(lambda: sessions(http) == without_socket, "sessions of closed sockets are still open")


Road = Callable[[str, str, int, list[str]], Iterator[str]]
"""Begins an episode and plays the actions that it gets; yields each observation and notes all that the server sent."""


def searched(url: str, road: Road, name: str, seed: int) -> bool:
    """Play an episode badly, here and there; whether its gold was long enough, none of which may be in the traffic."""
    local, rng = Session(name), np.random.default_rng(seed)
    said, traffic = [local.start(seed).text], list[str]()
    golds = {said_in(local.env.unwrapped.oracle())}
    with contextlib.closing(road(url, name, seed, traffic)) as there:
        assert next(there).startswith(said[0])
        while not local.done:
            action = local.env.unwrapped.sample_action(rng)
            said += [action, local.reply(action).text]
            same = (said[-1], *untagged(said[-1], 1))  # as a text, or as the result of a call
            assert there.send(action).startswith(same)  # type: ignore[attr-defined]
            if not local.done:
                golds.add(said_in(local.env.unwrapped.oracle()))
    text, known = flat(" ".join(traffic)), flat(json.dumps(said) + " ".join(said))
    golds = {gold for gold in map(flat, golds) if len(gold) >= GOLD_CHARS and gold not in known}
    assert not [gold for gold in golds if gold in text], (road, name, seed)
    return bool(golds)


def by_socket(url: str, name: str, seed: int, traffic: list[str]) -> Any:
    with Socket(url, f"/{name}/ws") as asked:
        answer = asked.ask("reset", seed=seed)
        traffic.append(json.dumps([answer, asked.ask("mcp", jsonrpc="2.0", id=1, method="tools/list")]))
        while True:
            action = yield answer["data"]["observation"]["text"]
            answer = asked.ask("step", message=action)
            traffic.append(json.dumps([answer, asked.ask("state")]))


def by_http(url: str, name: str, seed: int, traffic: list[str]) -> Any:
    with asking(url, traffic) as http:
        for about in ("metadata", "schema"):
            http.get(f"/{name}/{about}")
        answer = http.post(f"/{name}/reset", json={"seed": seed}).json()
        key = answer["metadata"]["session_id"]
        while True:
            action = yield answer["observation"]["text"]
            http.get("/state", params={"session_id": key})
            answer = http.post("/step", json={"action": {"message": action}, "session_id": key}).json()


def by_ors(url: str, name: str, seed: int, traffic: list[str]) -> Any:
    with asking(url, traffic) as http:
        sid = {"X-Session-ID": f"{name}-{seed}"}
        task = {"env_name": name, "task_spec": {"seed": seed}}
        assert http.post("/create", json=task, headers=sid).json()["sid"]
        http.get(f"/{name}/tools")
        text = http.get("/prompt", headers=sid).json()[0]["text"]
        while True:
            action = yield text
            call = {"name": "act", "input": {"message": action}}
            text = events(http.post("/call", json=call, headers=sid).text)["end"]["output"]["blocks"][0]["text"]


def by_mcp(url: str, name: str, seed: int, traffic: list[str]) -> Any:
    with asking(url, traffic) as http:

        def rpc(method: str, **params: Any) -> dict[str, Any]:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            found: dict[str, Any] = http.post(f"/{name}/mcp", json=body).json()["result"]
            return found

        rpc("tools/list")
        begun = rpc("tools/call", name="begin", arguments={"seed": seed})
        text, episode = begun["content"][0]["text"], begun["_meta"]["episode"]
        while True:
            action = yield text
            said = rpc("tools/call", name="act", arguments={"message": action, "episode": episode})
            text = said["content"][0]["text"]


@contextmanager
def asking(url: str, traffic: list[str]) -> Iterator[httpx.Client]:
    """A client that notes all that the server sends: headers and bodies."""

    def note(answer: httpx.Response) -> None:
        traffic.append(f"{answer.headers} {answer.read().decode()}")

    with httpx.Client(base_url=url, timeout=600, event_hooks={"response": [note]}) as http:
        yield http


def said_in(action: str) -> str:
    """What stands in the last tag of an action, or all of it."""
    inner = re.findall(r"<(\w+)>(.*?)</\1>", action, re.DOTALL)
    return str(inner[-1][1]) if inner else action


def flat(text: str) -> str:
    return re.sub(r"\\n|\s", "", text)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds worker processes in /proc, which Linux has")
def test_killed_workers_while_many_play() -> None:
    """No episode is lost in silence or counted twice: each ends whole, or with an error and is begun again."""
    with server("GuessNumber", processes=2) as (url, http, pid):

        def play(seed: int) -> int:
            with Socket(url) as asked:
                for attempt in range(20):
                    local = Session("GuessNumber")
                    local.start(seed)
                    answer = asked.ask("reset", seed=seed)
                    while answer["type"] == "observation" and not local.done:
                        action = local.env.unwrapped.oracle()
                        local.reply(action)
                        answer = asked.ask("step", message=action)
                    if answer["type"] == "observation":
                        assert answer["data"]["metadata"]["return"] == 1.0
                        return attempt
                    assert answer["data"]["code"] == "SESSION_ERROR"
            raise AssertionError("twenty attempts failed")

        with ThreadPoolExecutor(8) as pool:
            playing = [pool.submit(play, seed) for seed in range(120)]
            for _ in range(2):
                until(lambda: metric(http, "episodes_total") > 10, "nothing is played")
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
                works = [c for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()]
                os.kill(int(works[0]), signal.SIGKILL)
            attempts = [each.result() for each in playing]
        assert len(attempts) == 120 and metric(http, "episodes_total") == 120
        assert metric(http, "episodes_solved_total") == 120
