"""The connection: frames as they come over a network, and messages that are answered where they are read."""

import asyncio
import json
import os
import random
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from tests._work import Clock
from tests.serve.clients import Socket, until
from turnwise.core.registration import env_class, import_envs
from turnwise.serve import eager
from turnwise.serve.link import CLOSE_S
from turnwise.serve.quick import FEW, LATE_S, SLOW_S, Quick, answers_at_once
from turnwise.serve.run import ServeConfig, application, serving
from turnwise.serve.table import Limits, Table
from turnwise.serve.watch import BUDGET_S, Overdue, Watch

FRAGILE = str(Path(__file__).parent / "fragile.py")
RESET = {"type": "reset", "data": {"seed": 1}}
HELLO = (
    b"GET %s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    import_envs(FRAGILE)
    limits = Limits(message_bytes=1 << 18)
    with serving(ServeConfig(["Fragile", "GuessNumber"], port=0, quick=["Fragile"], limits=limits)) as found:
        yield found


class Raw:
    """A client that decides about every byte."""

    def __init__(self, url: str, path: bytes = b"/ws") -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=600)
        self.socket.sendall(HELLO % path)
        self.head = b""
        while b"\r\n\r\n" not in self.head:
            self.head += self.socket.recv(1)

    def frame(self, data: bytes, opcode: Opcode = Opcode.TEXT, fin: bool = True) -> bytes:
        return Frame(opcode, data, fin).serialize(mask=True)

    def send(self, data: bytes, opcode: Opcode = Opcode.TEXT, fin: bool = True) -> None:
        self.socket.sendall(self.frame(data, opcode, fin))

    def read(self) -> tuple[int, bytes]:
        """The next frame's opcode and payload."""
        first, size = self.exactly(2)
        if size > 125:
            size = int.from_bytes(self.exactly(2 if size == 126 else 8), "big")
        return first & 15, self.exactly(size)

    def exactly(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            more = self.socket.recv(size - len(found))
            assert more, "the server hung up"
            found += more
        return found

    def answer(self) -> dict[str, Any]:
        opcode, data = self.read()
        assert opcode == Opcode.TEXT
        found: dict[str, Any] = json.loads(data)
        return found

    def closed(self) -> int:
        """The code with which the server ends the connection."""
        while True:
            opcode, data = self.read()
            if opcode == Opcode.CLOSE:
                return int.from_bytes(data[:2], "big")


@contextmanager
def raw(url: str, path: bytes = b"/ws") -> Iterator[Raw]:
    client = Raw(url, path)
    with client.socket:
        yield client


def step(message: str) -> bytes:
    return json.dumps({"type": "step", "data": {"message": message}}).encode()


@pytest.mark.parametrize("most", [1, 5, 60, 900])
def test_frames_may_come_in_any_pieces(url: str, most: int) -> None:
    rng = random.Random(most)
    said = [f"echo {rng.randbytes(rng.choice((1, 40, 70, 300))).hex()}" for _ in range(12)]
    with raw(url) as client:
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sent = b"".join(client.frame(json.dumps(RESET).encode()) + client.frame(step(text)) for text in said)
        while sent:
            size = rng.randint(1, most)
            client.socket.sendall(sent[:size])
            sent = sent[size:]
        for text in said:
            assert client.answer()["data"]["observation"]["text"].startswith("number ")
            assert client.answer()["data"]["observation"]["text"] == text.removeprefix("echo ")


@pytest.mark.parametrize("size", [0, 1, 3, 100, 125, 126, 127, 4096, 65535, 65536, 200_000])
def test_messages_of_every_length(url: str, size: int) -> None:
    said = os.urandom(size).hex()[:size]
    with Socket(url, max_size=None) as client:
        client.ask("reset", seed=1)
        found = client.ask("step", message=f"echo {said}")["data"]["observation"]["text"]
        assert found == said or (size > 100_000 and found)  # the longest is too long for an environment


def test_fragments_and_pings_between_them(url: str) -> None:
    with raw(url) as client:
        client.send(json.dumps(RESET).encode())
        client.answer()
        whole = step("echo in parts")
        client.send(whole[:5], fin=False)
        client.send(b"there?", Opcode.PING)
        client.send(whole[5:9], Opcode.CONT, fin=False)
        client.send(whole[9:], Opcode.CONT)
        assert client.read() == (Opcode.PONG, b"there?")
        assert client.answer()["data"]["observation"]["text"] == "in parts"
        client.send(step("good"))
        assert client.answer()["data"]["reward"] == 0.1


def test_many_messages_at_once_are_answered_in_order(url: str) -> None:
    """One is answered where it is read, one waits for a thread's work, and the next must not overtake it."""
    with raw(url, b"/GuessNumber/ws") as client:
        begin = json.dumps(RESET).encode()
        sent = [begin, step("1"), json.dumps({"type": "state"}).encode(), b"{", step("2"), begin, step("3")]
        client.socket.sendall(b"".join(map(client.frame, sent)))
        found = [client.answer() for _ in sent]
    kinds = [each["type"] for each in found]
    assert kinds == ["observation", "observation", "state", "error", "observation", "observation", "observation"]
    assert [each["data"]["metadata"].get("turn") for each in (found[1], found[4], found[6])] == [1, 2, 1]
    assert found[2]["data"]["step_count"] == 1


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"\x81\x05hello" + b"x" * 6, 1002),  # not masked
        (b"\xc1\x80\0\0\0\0", 1002),  # a reserved bit
        (b"\x83\x80\0\0\0\0", 1002),  # a reserved opcode
        (b"\x80\x81\0\0\0\0x", 1002),  # it continues nothing
        (b"\x89\xfe\x00\x80\0\0\0\0" + b"x" * 128, 1002),  # a ping may not be so long
        (b"\x81\x82\0\0\0\0\xff\xfe", 1007),  # not UTF-8
        (b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"\0\0\0\0", 1009),
        (b"\x81\xff" + (1 << 63).to_bytes(8, "big") + b"\0\0\0\0", 1009),
        (b"\x01\x81\0\0\0\0{" + b"\x81\x81\0\0\0\0}", 1002),  # a message in the midst of another
    ],
)
def test_what_is_no_frame_ends_the_connection(url: str, sent: bytes, code: int) -> None:
    with raw(url) as client:
        client.socket.sendall(sent)
        assert client.closed() == code
    with Socket(url) as other:
        assert other.ask("reset", seed=1)["type"] == "observation"


def test_a_fault_of_the_server_ends_the_connection_and_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(self: Any, sent: Any) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("turnwise.serve.openenv.Talk.answer", broken)
    with raw(url) as client:
        client.send(json.dumps(RESET).encode())
        assert client.closed() == 1011


def test_fragments_together_are_no_longer_than_a_message(url: str) -> None:
    with raw(url) as client:
        client.send(b"x" * 200_000, fin=False)
        client.send(b"x" * 200_000, Opcode.CONT, fin=False)
        assert client.closed() == 1009


def test_a_goodbye_is_answered_and_nothing_after_it_is_read(url: str) -> None:
    with raw(url) as client:
        client.socket.sendall(client.frame(b"\x03\xe8", Opcode.CLOSE) + client.frame(json.dumps(RESET).encode()) * 5000)
        assert client.read() == (Opcode.CLOSE, b"\x03\xe8")
        assert client.socket.recv(1) == b""
    with Socket(url) as asked:
        asked.socket.send('{"type": "close"}')
        with pytest.raises(ConnectionClosed, match="1000"):
            asked.read()


def test_a_client_without_a_session_may_say_goodbye(url: str) -> None:
    with raw(url, b"/ws?session_id=none") as client:
        assert client.answer()["data"]["code"] == "SESSION_ERROR"
        assert client.read() == (Opcode.CLOSE, b"\x03\xe8")
        client.socket.settimeout(CLOSE_S / 2)  # the server does not wait that long for one that answered
        client.send(b"\x03\xe8", Opcode.CLOSE)
        assert client.socket.recv(1) == b""


@pytest.mark.parametrize("path", [b"/", b"/nothing", b"/a/b/ws", b"/Fragile/ws/x"])
def test_sockets_at_other_addresses_are_refused(url: str, path: bytes) -> None:
    with raw(url, path) as client:
        assert client.head.startswith(b"HTTP/1.1 404")


def test_a_client_that_does_not_read_is_not_read_from(url: str) -> None:
    """It cannot fill the server's memory, costs the others nothing, and gets every answer once it reads."""
    with raw(url) as client, Socket(url) as other:
        frame = client.frame(json.dumps({"type": "mcp", "data": {"jsonrpc": "2.0", "id": "i" * 60_000}}).encode())
        client.socket.settimeout(1.0)
        sent = 0
        with suppress(TimeoutError):
            while sent < 5000:
                client.socket.sendall(frame)
                sent += 1
        assert sent < 1000  # 60 MB, most of them in the buffers of both systems
        assert other.ask("reset", seed=1)["type"] == "observation"
        client.socket.settimeout(600)
        assert all(client.answer()["type"] == "mcp" for _ in range(sent))


def test_an_environment_that_is_slow_after_all_is_played_in_threads() -> None:
    quick = Quick(["a", "b"])
    for _ in range(FEW):
        assert "a" in quick
        quick.took("a", SLOW_S * 2)
    assert "a" not in quick and "b" in quick
    for _ in range(1000):
        quick.took("b", 0.0)
    for _ in range(FEW):
        quick.took("b", SLOW_S * 2)
    assert "b" in quick


def test_one_that_is_slow_beyond_all_measure_is_so_at_once() -> None:
    quick = Quick(["a", "b"])
    quick.took("a", LATE_S * 1.1)
    assert "a" not in quick and "b" in quick


def test_a_quick_environment_that_computes_on_and_on_holds_nobody_up() -> None:
    """Its step is interrupted, and played again in a thread from the beginning of its episode."""
    import_envs(FRAGILE)
    fragile: Any = env_class("Fragile")
    free = fragile.answer.__globals__["FREE"]
    free.clear()
    with serving(ServeConfig(["Fragile"], port=0, quick=["Fragile"])) as url, Socket(url) as one, Socket(url) as two:
        for asked in (one, two):
            assert asked.ask("reset", seed=1)["type"] == "observation"
            assert asked.ask("step", message="good")["data"]["reward"] == 0.1
        one.socket.send(json.dumps({"type": "step", "data": {"message": "spin"}}))
        assert two.ask("step", message="free")["data"]["observation"]["text"] == "heard 2"
        assert one.read()["data"]["observation"]["text"] == "heard 2", "the turn before was played again, and only once"
        assert one.ask("step", message="good")["data"]["metadata"]["turn"] == 3
        asked_again = [one.ask("reset", seed=1), two.ask("reset", seed=1)]
        assert asked_again[0]["data"]["observation"]["text"] == asked_again[1]["data"]["observation"]["text"]
    assert not fragile.alive


@pytest.mark.slow
def test_only_the_call_that_takes_too_long_is_interrupted() -> None:
    watch, asleep = Watch(), threading.Event()

    def spin() -> None:
        while True:
            pass

    def swallowed() -> str:
        with suppress(BaseException):
            spin()
        return "done"

    for _ in range(3):
        with pytest.raises(Overdue):
            watch.over(spin)
        assert watch.over(swallowed) == "done"
        asleep.wait(3 * BUDGET_S)  # which computes nothing
        assert sum(watch.over(int, "1") for _ in range(1000)) == 1000
    with pytest.raises(ZeroDivisionError):
        watch.over(lambda: 1 // 0)
    assert watch.over(lambda: asleep.wait(3 * BUDGET_S)) is False
    watch.stop()


def test_the_import_of_a_module_is_not_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spin = (
        f"import time\nend = time.process_time() + {6 * BUDGET_S}\nwhile time.process_time() < end: pass\nwhole = True"
    )
    (tmp_path / "slow_to_import.py").write_text(spin)
    watch = Watch()
    with suppress(Overdue):  # after the import
        watch.over(import_module, "slow_to_import")
    watch.stop()
    assert sys.modules.pop("slow_to_import").whole


def test_quick_messages_are_played_by_the_thread_that_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import_envs(FRAGILE)
    fragile: Any = env_class("Fragile")
    names: list[str] = []
    answer = fragile.answer

    def noted(self: Any, action: str) -> Any:
        names.append(threading.current_thread().name)
        return answer(self, action)

    monkeypatch.setattr(fragile, "answer", noted)
    for quick, expected in (
        ((), ["turnwise-serve-step"] * 5),
        (["Fragile"], ["turnwise-serve"] * 4 + ["turnwise-serve-step"]),
    ):
        names.clear()
        for limit in ("SLOW_S", "LATE_S"):
            monkeypatch.setattr(f"turnwise.serve.quick.{limit}", 600.0)
        with serving(ServeConfig(["Fragile"], port=0, quick=quick)) as url, Socket(url) as asked:
            asked.ask("reset", seed=1)
            for _ in range(FEW + 2):
                assert asked.ask("step", message="good")["type"] == "observation"
                monkeypatch.setattr("turnwise.serve.quick.SLOW_S", 0.0)  # all that follow are too slow
        assert names == expected


def test_which_environments_answer_at_once() -> None:
    import_envs(FRAGILE)
    assert all(map(answers_at_once, ("GuessNumber", "Countdown", "KSat", "Sudoku")))
    assert not any(map(answers_at_once, ("Debugging", "CodeOutput", "MathWithPython", "SearchQA", "Fragile")))


def test_coroutines_run_at_once_as_far_as_they_can() -> None:
    async def at_once(value: int) -> int:
        return value

    async def later(value: int) -> int:
        for _ in range(3):
            await asyncio.sleep(0)
        with pytest.raises(ZeroDivisionError):
            await failing
        return value

    async def wrong() -> int:
        raise KeyError("x")

    async def main() -> None:
        nonlocal failing
        loop = asyncio.get_running_loop()
        failing = loop.create_future()
        loop.call_later(0.01, failing.set_exception, ZeroDivisionError())
        found: list[int] = []
        assert eager.run(at_once(3), found.append) is None and found == [3]
        task = eager.run(later(4), found.append)
        assert task is not None and found == [3] and await task == 4
        with pytest.raises(KeyError):
            eager.run(wrong(), found.append)
        assert await eager.all_of([at_once(1), later(2), at_once(3)]) == [1, 2, 3]
        task = eager.run(asyncio.sleep(10, 1), found.append)
        assert task is not None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    failing: Any = None
    asyncio.run(main())


def test_the_application_speaks_under_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """An OpenEnv package runs the application under uvicorn's own sockets: they say the same."""
    import_envs(FRAGILE)
    clock = Clock()
    monkeypatch.setattr("turnwise.serve.run.Table", lambda *args: Table(*args, clock=clock))
    monkeypatch.setattr("turnwise.serve.app.SWEEP_S", 0.05)
    app = application(ServeConfig(["Fragile"], limits=Limits(sessions=3)))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, "the server did not start")
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        with Socket(url) as one, Socket(url, "/Fragile/mcp") as two, Socket(url) as three:
            assert one.ask("reset", seed=1)["data"]["observation"]["text"].startswith("number ")
            one.socket.send("{")
            assert one.read()["data"]["code"] == "INVALID_JSON"
            one.socket.send(b'{"type": "step", "data": {"message": "good"}}')
            assert one.read()["data"]["reward"] == 0.1
            two.socket.send('{"jsonrpc": "2.0", "method": "ping"}')  # which is not answered
            two.socket.send('{"jsonrpc": "2.0", "id": 3, "method": "ping"}')
            assert two.read()["id"] == 3
            assert Socket(url).read()["data"]["code"] == "CAPACITY_REACHED"
            three.socket.send('{"type": "close"}')
            with pytest.raises(ConnectionClosed, match="1000"):
                three.read()
            clock.ahead += 1000
            with pytest.raises(ConnectionClosed, match="1001"):  # idle for too long
                one.read()
    finally:
        server.should_exit = True
        thread.join(600)
