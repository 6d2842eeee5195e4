"""The server on loopback: every protocol plays the same episodes, and nothing that a client does costs another's."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from tests.serve.clients import Socket, events, sessions, until
from tests.serve.fragile import SECRET
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, import_envs
from turnwise.serve.run import ServeConfig, served_envs, serving
from turnwise.serve.table import Limits
from turnwise.session.rows import rows, seed_at
from turnwise.session.session import Session

FRAGILE = str(Path(__file__).parent / "fragile.py")
LIMITS = Limits(sessions=40, message_bytes=1 << 16, idle_s=60.0, step_s=20.0)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    import_envs(FRAGILE)
    with serving(ServeConfig(["Fragile", "GuessNumber", "Debugging"], port=0, limits=LIMITS)) as found:
        yield found


@pytest.fixture
def own() -> Iterator[tuple[str, httpx.Client]]:
    """A server that no other test has sessions on."""
    import_envs(FRAGILE)
    with serving(ServeConfig(["Fragile"], port=0, limits=LIMITS)) as found, httpx.Client(base_url=found) as client:
        yield found, client


@pytest.fixture
def http(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=600) as client:
        yield client


# ---- the same episode by every road --------------------------------------------------------------------------------


def test_an_episode_over_the_socket_is_that_of_a_session(url: str) -> None:
    session = Session("GuessNumber")
    opening = session.start(7)
    with Socket(url, "/GuessNumber/ws") as socket:
        begun = socket.ask("reset", seed=7, episode_id="mine")["data"]
        assert begun["observation"]["text"] == opening.text and begun["reward"] is None and begun["done"] is False
        assert begun["metadata"]["task_id"] == opening.task_id
        total, played = 0.0, 0
        while not session.done:
            action = session.env.unwrapped.oracle()
            answer, found = session.reply(action), socket.ask("step", message=action)["data"]
            played += 1
            assert (found["observation"]["text"], found["reward"], found["done"]) == (
                answer.text, answer.reward, answer.done
            )  # fmt: skip
            total += found["reward"]
            assert socket.ask("state")["data"] == {
                "episode_id": "mine", "step_count": played, "env": "GuessNumber", "done": answer.done
            }  # fmt: skip
        assert found["metadata"]["return"] == total == 1.0 and found["metadata"]["solved"]
        assert found["metadata"]["metrics"] == session.episode.metrics
        again = socket.ask("step", message="7")
        assert again["data"]["code"] == "VALIDATION_ERROR" and "the episode is over" in again["data"]["message"]


def test_an_episode_over_http_mcp_and_ors(http: httpx.Client) -> None:
    begun = http.post("/reset", json={"seed": 3, "episode_id": "a"}).json()
    text = begun["observation"]["text"]
    step = {"action": {"message": "good"}, "episode_id": "a", "request_id": "r1"}
    first = http.post("/step", json=step).json()
    assert first == http.post("/step", json=step).json() and first["observation"]["text"] == "heard 1"
    assert http.get("/state", params={"episode_id": "a"}).json()["step_count"] == 1
    solved = http.post("/step", json={"action": {"message": SECRET}, "episode_id": "a"}).json()
    assert solved["metadata"]["return"] == 1.0 and solved["reward"] == pytest.approx(0.9)

    def rpc(method: str, headers: dict[str, str] | None = None, **params: Any) -> tuple[dict[str, Any], httpx.Headers]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = http.post("/mcp", json=body, headers=headers)
        return answer.json()["result"], answer.headers

    about, headers = rpc("initialize", protocolVersion="2025-11-25")
    mine = {"Mcp-Session-Id": headers["mcp-session-id"]}
    assert about["protocolVersion"] == "2025-11-25"
    assert [tool["name"] for tool in rpc("tools/list", mine)[0]["tools"]] == ["act", "begin"]
    assert rpc("tools/call", mine, name="begin", arguments={"seed": 3})[0]["content"][0]["text"] == text
    said = rpc("tools/call", mine, name="act", arguments={"message": SECRET})[0]
    assert said["_meta"]["return"] == 1.0 and said["_meta"]["done"] and "over" in said["content"][0]["text"]
    assert rpc("tools/call", mine, name="act", arguments={"message": "x"})[0]["isError"]
    assert http.delete("/mcp", headers=mine).status_code == 204

    task = http.post("/Fragile/task", json={"split": "test", "index": 5}).json()["task"]
    assert task["seed"] == seed_at("tests/Fragile-v0", "test", 5)
    sid = {"X-Session-ID": "s-1"}
    assert http.post("/create", json={"env_name": "Fragile", "task_spec": task}, headers=sid).json() == {"sid": "s-1"}
    assert http.get("/prompt", headers=sid).json()[0]["text"].startswith("number ")
    call = {"name": "act", "input": {"message": "good"}, "task_id": "c-1"}
    once, twice = (events(http.post("/call", json=call, headers=sid).text) for _ in range(2))
    assert once == twice and once["end"]["output"]["reward"] is None
    end = events(http.post("/call", json={**call, "input": {"message": SECRET}, "task_id": "c-2"}, headers=sid).text)
    assert end["end"]["output"]["reward"] == 1.0 and end["end"]["output"]["finished"]
    late = events(http.post("/call", json={**call, "task_id": "c-3"}, headers=sid).text)
    assert late["end"] == {"ok": False, "error": "the episode is over", "reason": "episode_finished"}
    http.post("/delete", headers=sid)
    assert http.post("/ping", headers=sid).status_code == 404


def test_tools_over_the_socket(url: str) -> None:
    with Socket(url, "/Debugging/ws") as socket:
        begun = socket.ask("reset", seed=1)["data"]
        assert [tool["function"]["name"] for tool in begun["metadata"]["tools"]] == ["python", "call", "act"]
        found = socket.ask("step", type="call_tool", tool_name="python", arguments={"code": "print(6 * 7)"})["data"]
        assert "42" in found["observation"]["result"] and found["observation"]["tool_name"] == "python"
        listed = socket.ask("mcp", jsonrpc="2.0", id=4, method="tools/list")["data"]["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["python", "call", "act", "begin"]


def test_equal_seeds_and_places_are_equal_episodes(url: str, http: httpx.Client) -> None:
    def first(number: int) -> str:
        with Socket(url, "/GuessNumber/ws") as socket:
            begun = socket.ask("reset", seed=number % 4)
            return str(begun["data"]["metadata"]["task_id"])

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(first, range(32)))
    assert all(found[i] == found[i % 4] for i in range(32)) and len(set(found)) == 4
    with Socket(url, "/GuessNumber/ws") as socket:
        by_index = socket.ask("reset", split="test", index=9)["data"]["metadata"]
        [row] = rows("turnwise/GuessNumber-v0", 1, split="test", start=9)
        assert by_index["seed"] == row["seed"]
        session = Session("GuessNumber", json.loads(row["settings"]))
        assert session.start(row["seed"]).task_id == by_index["task_id"]


def test_a_copy_goes_on_apart(url: str) -> None:
    with Socket(url) as socket:
        socket.ask("reset", seed=1)
        socket.ask("step", message="a")
        key = socket.ask("fork")["data"]["session_id"]
        with Socket(url, f"/ws?session_id={key}") as twin:
            assert twin.ask("state")["data"]["step_count"] == 1
            assert twin.ask("step", message="b")["data"]["observation"]["text"] == "heard 2"
            assert twin.ask("step", message="b")["data"]["observation"]["text"] == "heard 3"
        assert socket.ask("step", message="c")["data"]["observation"]["text"] == "heard 2"
        socket.ask("mcp", jsonrpc="2.0", id=1, method="openenv/session/close", params={"session_id": key})


def test_many_sessions_in_one_request(http: httpx.Client) -> None:
    frames = [{"type": "reset", "data": {"seed": seed}} for seed in range(8)]
    begun = http.post("/GuessNumber/batch", json={"frames": frames})
    assert begun.status_code == 404  # sessions of all environments meet at one address
    answers = http.post("/batch", json={"frames": frames}).json()["frames"]
    keys = [answer["data"]["metadata"]["session_id"] for answer in answers]
    steps = [{"session_id": key, "type": "step", "data": {"message": "good"}} for key in keys]
    answers = http.post("/batch", json={"frames": [*steps, {"session_id": "none", "type": "step"}]}).json()["frames"]
    assert [answer["data"].get("reward") for answer in answers] == [0.1] * 8 + [None]
    assert answers[-1]["data"]["code"] == "SESSION_ERROR"
    closed = http.post("/batch", json={"frames": [{"session_id": key, "type": "close"} for key in keys]})
    assert {answer["type"] for answer in closed.json()["frames"]} == {"close"}


# ---- what goes wrong -----------------------------------------------------------------------------------------------


def test_a_failed_environment_is_an_error_and_never_a_reward(url: str, http: httpx.Client) -> None:
    with Socket(url) as socket:
        socket.ask("reset", seed=1)
        for word, said in (("fail", "InfrastructureError"), ("crash", "ZeroDivisionError")):
            socket.ask("reset", seed=1)
            found = socket.ask("step", message=word)
            assert found["type"] == "error" and found["data"]["code"] == "EXECUTION_ERROR"
            assert said in found["data"]["message"] and "reward" not in found["data"]
            assert SECRET not in json.dumps(found) and "the sandbox is gone" not in json.dumps(found)
        assert socket.ask("reset", seed=1)["type"] == "observation"
    http.post("/create", json={"split": "train", "index": 0}, headers={"X-Session-ID": "f"})
    call = {"name": "act", "input": {"message": "fail"}}
    found = events(http.post("/call", json=call, headers={"X-Session-ID": "f"}).text)
    assert "InfrastructureError" in found["error"] and "end" not in found
    assert http.post("/ping", headers={"X-Session-ID": "f"}).status_code == 404


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("{", "INVALID_JSON"),
        ("[" * 100_00, "INVALID_JSON"),
        ('"x"', "UNKNOWN_TYPE"),
        ('{"type": "reste"}', "UNKNOWN_TYPE"),
        ('{"type": "reset", "data": 3}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": 9007199254740993}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"split": "tset", "index": 1}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"difficulty": 99}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"env": "Maze"}}', "SESSION_ERROR"),
        ('{"type": "reset", "data": {"episode_id": 7}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"message": "x"}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"message": 4}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"message": "x", "reward": 1}}', "VALIDATION_ERROR"),
        ('{"type": "fork"}', "VALIDATION_ERROR"),
    ],
)
def test_wrong_frames_are_answered_and_the_socket_lives(url: str, sent: str, code: str) -> None:
    with Socket(url) as socket:
        socket.socket.send(sent)
        assert socket.read()["data"]["code"] == code
        assert socket.ask("reset", seed=1)["type"] == "observation"


def test_settings_are_not_the_clients_to_choose(url: str) -> None:
    with Socket(url, "/Debugging/ws") as socket:
        socket.ask("reset", seed=1, sandbox="unsafe", options={"task": None}, settings={"sandbox": "unsafe"})
        found = socket.ask("step", type="call_tool", tool_name="python", arguments={"code": "import os; os.getppid()"})
        assert found["type"] == "observation"
        begun = socket.ask("reset", seed=1)["data"]["metadata"]["task_id"]
        assert begun == socket.ask("reset", seed=1, max_turns=1, task={"x": 1})["data"]["metadata"]["task_id"]


def test_no_room_is_the_protocols_error(own: tuple[str, httpx.Client]) -> None:
    url, http = own
    with ExitStack() as stack:
        for _ in range(LIMITS.sessions):
            stack.enter_context(Socket(url)).ask("reset", seed=1)
        late = Socket(url).read()["data"]
        assert late["code"] == "CAPACITY_REACHED"
        assert (late["active_sessions"], late["max_sessions"]) == (LIMITS.sessions, LIMITS.sessions)
        answer = http.post("/reset", json={"seed": 1})
        assert answer.status_code == 503 and "Retry-After" in answer.headers
    until(lambda: sessions(http) == 0, "sessions of closed sockets are still open")


def test_clients_that_vanish_leave_nothing_behind(own: tuple[str, httpx.Client]) -> None:
    url, http = own
    for _ in range(20):
        socket = Socket(url).socket
        socket.send(json.dumps({"type": "reset", "data": {"seed": 1}}))
        socket.send(json.dumps({"type": "step", "data": {"message": "sleep 0.05"}}))
        socket.socket.close()  # no goodbye
    until(lambda: sessions(http) == 0, "sessions of vanished clients are still open")
    assert http.get("/health").json() == {"status": "healthy"}


def test_long_messages_are_refused(url: str, http: httpx.Client) -> None:
    with Socket(url) as socket:
        socket.ask("reset", seed=1)
        with pytest.raises(ConnectionClosed, match="1009"):
            socket.ask("step", message="x" * (LIMITS.message_bytes + 1))
    assert http.post("/reset", content=b"x" * (LIMITS.message_bytes + 1)).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(9):
            yield b"x" * (LIMITS.message_bytes // 8)

    assert http.post("/reset", content=pieces()).status_code == 413
    assert http.get("/health").status_code == 200


def test_a_slow_environment_holds_up_nobody_else(url: str) -> None:
    fragile: Any = env_class("Fragile")
    fragile.answer.__globals__["FREE"].clear()
    with Socket(url) as slow, Socket(url) as quick:
        slow.ask("reset", seed=1)
        quick.ask("reset", seed=1)
        slow.socket.send(json.dumps({"type": "step", "data": {"message": "wait"}}))
        for word in ("a", "a", "free"):
            assert quick.ask("step", message=word)["type"] == "observation"
        assert slow.read()["data"]["observation"]["text"] == "heard 1"


def test_wrong_requests(http: httpx.Client) -> None:
    assert "session_id" in http.post("/step", json={"action": {"message": "x"}}).json()["detail"]
    assert http.post("/step", content=b"{").status_code == 400
    assert http.post("/step", json=[1]).status_code == 400
    assert http.post("/step", json={"action": 1}).status_code == 400
    assert http.get("/Gues/splits").status_code == 404
    assert http.post("/Fragile/task", json={"split": "test", "index": 1000}).status_code == 400
    assert http.post("/Fragile/tasks", json={"split": "dev"}).status_code == 400
    assert http.post("/create", json={}, headers={}).status_code == 400
    assert http.post("/mcp", content=b"{").json()["error"]["code"] == -32700
    assert http.post("/mcp", json={"id": 1, "method": "nothing"}).json()["error"]["code"] == -32601
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "act", "arguments": {"message": "1"}}}
    assert "begin" in http.post("/mcp", json=call).json()["error"]["message"]


# ---- what it says of itself ----------------------------------------------------------------------------------------


def test_pages_and_cards(http: httpx.Client) -> None:
    home = http.get("/").text
    assert "GuessNumber" in home and "New episode" in home
    card = http.get("/GuessNumber/metadata").json()["card"]
    assert card["levels"] and card["settings"]["properties"]["max_turns"]["minimum"] == 1
    assert len(http.post("/Fragile/task_range", json={"split": "train", "start": 2, "stop": 5}).json()["tasks"]) == 3
    assert http.post("/Fragile/num_tasks", json={"split": "train"}).json() == {"num_tasks": 1000}
    assert {"/reset", "/step", "/state"} <= http.get("/openapi.json").json()["paths"].keys()
    assert "turnwise_steps_total" in http.get("/metrics").text


def test_a_token(tmp_path: Path) -> None:
    token = "a-token-of-some-length"
    with serving(ServeConfig(["GuessNumber"], port=0, token=token)) as url:
        assert httpx.get(f"{url}/metadata").status_code == 401
        assert httpx.get(f"{url}/health").status_code == 200
        assert httpx.get(f"{url}/metadata", headers={"Authorization": f"Bearer {token}"}).status_code == 200
        with pytest.raises(Exception, match=r"403|401|1008"):
            Socket(url).ask("reset", seed=1)
        with Socket(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
            assert socket.ask("reset", seed=1)["type"] == "observation"
        locked, page = httpx.get(url), httpx.get(url, headers={"Authorization": f"Bearer {token}"})
        assert locked.status_code == 200 and "GuessNumber" not in locked.text and 'id="lock"' in locked.text
        assert "GuessNumber" in page.text and token not in page.text and 'id="lock"' not in page.text
        assert "sessionStorage" in locked.text and "localStorage" not in locked.text


def test_wrong_configurations() -> None:
    for wrong, match in [
        ({"envs": ["Contdown"]}, "Countdown"),
        ({"envs": []}, "no environment"),
        ({"envs": ["Maze", "Maze:size=5"]}, "twice"),
        ({"envs": ["Maze:sice=5"]}, "size"),
    ]:
        with pytest.raises(SettingsError, match=match):
            served_envs(ServeConfig(**wrong))
    for wrong, match in [
        ({"host": "0.0.0.0"}, "token"),
        ({"token": "short"}, "characters"),
        ({"threads": 0}, "threads"),
    ]:
        with pytest.raises(SettingsError, match=match):
            ServeConfig(["Maze"], **wrong)
    with pytest.raises(SettingsError, match="idle_s"):
        Limits(idle_s=0)


def test_idle_sessions_are_closed() -> None:
    with (
        serving(ServeConfig(["GuessNumber"], port=0, limits=Limits(idle_s=0.2))) as url,
        httpx.Client(base_url=url) as http,
    ):
        http.post("/reset", json={"seed": 1, "episode_id": "x"})
        until(lambda: sessions(http) == 0, "an idle session is still open")
        assert http.post("/step", json={"action": {"message": "5"}, "episode_id": "x"}).status_code in (400, 404)


@pytest.mark.slow
def test_worker_processes_die_alone() -> None:
    config = ServeConfig(["Fragile"], port=0, processes=2, env_modules=[FRAGILE], limits=LIMITS)
    import_envs(FRAGILE)
    with serving(config) as url, Socket(url) as first, Socket(url) as second, Socket(url) as third:
        for socket in (first, second, third):
            socket.ask("reset", seed=1)
            assert socket.ask("step", message="good")["data"]["reward"] == 0.1
        found = first.ask("step", message="die")
        assert found["type"] == "error" and "died" in found["data"]["message"]
        assert second.ask("step", message="x")["data"]["observation"]["text"] == "heard 2"
        gone = third.ask("step", message="x")  # it lived in the process that died
        assert gone["type"] == "error" and "died" in gone["data"]["message"]
        for socket in (first, third):
            assert socket.ask("reset", seed=1)["type"] == "observation"
            assert socket.ask("step", message="good")["data"]["reward"] == 0.1
        copies = threading.active_count()
        assert copies < 200
