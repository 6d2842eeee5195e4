"""The one HTTP client, against a server that fails in every way that servers do."""

import contextlib
import datetime
import email.utils
import gzip
import multiprocessing
import os
import pickle
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests._http import Asked, Script, Server, answer, free_port, serving
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError
from turnwise.core.http.address import listening_place, url_of
from turnwise.core.http.client import Client, deadline
from turnwise.core.http.errors import Busy, Fatal, HttpError, Refused, Unanswered, Unreadable

TOKEN = "sk-secret-0123456789"
QUICK: dict[str, Any] = {"timeout_s": 60.0, "backoff_s": 0.001, "max_bytes": 1 << 16, "token": TOKEN}


@contextlib.contextmanager
def asking(script: Script, context: ssl.SSLContext | None = None, **options: Any) -> Iterator[tuple[Client, Server]]:
    with serving(script, context=context) as server:
        client = Client(server.url, name="the server", **{**QUICK, **options})
        try:
            yield client, server
        finally:
            client.close()


def text(body: bytes) -> str:
    """Read a body as the clients of a protocol do."""
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("not UTF-8") from error


def said(client: Client, **options: Any) -> str:
    return client.ask("POST", "/path", b"hello", read=text, **options).value


def trickle(data: bytes, pause_s: float = 0.05) -> Iterable[bytes | float]:
    for byte in data:
        yield bytes([byte])
        yield pause_s


def endless() -> Iterable[bytes | float]:
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    while True:
        yield b"1000\r\n" + b"x" * 4096 + b"\r\n"


SLOW = {"hang": lambda: [60.0], "trickled head": lambda: trickle(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 9000)}
SLOW |= {"trickled body": lambda: trickle(answer(200, b"y" * 9000))}
PASSING: dict[str, Any] = {
    **{str(status): answer(status, b'{"error": {"message": "soon"}}') for status in (408, 409, 425, 429)},
    **{str(status): answer(status, b"<html>gateway</html>") for status in (500, 502, 503, 504, 529)},
    "busy": answer(500, Retry_After="0"),
    "drop": None,
    "cut head": [b"HTTP/1.1 200 O"],
    "cut headers": [b"HTTP/1.1 200 OK\r\nContent-Type: x\r\n"],
    "cut body": [answer()[:-2]],
    "cut chunks": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfi"],
    "not HTTP": [b"220 ready\r\n\r\n"],
    "not UTF-8": answer(200, b"\xff\xfe"),
    "not gzip": answer(200, b"fine", Content_Encoding="gzip"),
    "cut gzip": answer(200, gzip.compress(b"fine" * 99)[:-9], Content_Encoding="gzip"),
    **SLOW,
}


def passing(kind: str) -> Any:
    found = PASSING[kind]
    return found() if callable(found) else found


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow) if kind in SLOW else kind for kind in PASSING]
)
def test_a_failure_that_passes_is_asked_again(kind: str) -> None:
    limit = 1.0 if kind in SLOW else 60.0
    with asking(lambda asked: passing(kind) if asked.number < 2 else answer(), timeout_s=limit) as (client, server):
        found = client.ask("POST", "/path", b"hello", read=text)
        assert (found.value, found.retries) == ("fine", 2)
        assert [(a.line, a.body) for a in server.asked] == [("POST /path HTTP/1.1", b"hello")] * 3
        assert client.health.repeats.total() == 2


@pytest.mark.parametrize("kind", PASSING)
def test_a_failure_that_stays_is_an_error_after_all_attempts(kind: str) -> None:
    with asking(lambda _: passing(kind), timeout_s=0.1 if kind in SLOW else 60.0, retries=2) as (client, server):
        with pytest.raises(InfrastructureError, match=r"the server http.*/path gave no answer in 3 attempts") as raised:
            said(client)
        wanted = Busy if kind in ("429", "503", "529", "busy") else Unanswered
        assert type(raised.value) in (wanted, Unreadable) and not isinstance(raised.value, FatalError)
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, Fatal) for status in (301, 307, 304, 401, 402, 403, 404, 405, 407, 501, 505)),
        *((status, Refused) for status in (400, 410, 413, 418, 422, 451)),
    ],
)
def test_a_refusal_is_raised_at_once_and_tells_no_token(status: int, kind: type[HttpError]) -> None:
    body = b'{"error": {"message": "bad key %s", "code": "wrong"}}' % TOKEN.encode()
    refusal = answer(status, b"" if status == 304 else body, Location="http://elsewhere.example/")
    with asking(lambda _: refusal) as (client, server):
        with pytest.raises(kind, match=f"/path: answered {status}: ") as raised:
            said(client)
        assert isinstance(raised.value, FatalError) == (kind is Fatal)
        assert len(server.asked) == 1, "and no redirection is followed"
        assert server.asked[0].headers["authorization"] == f"Bearer {TOKEN}"
        assert status == 304 or "bad key ***" in str(raised.value)
        assert TOKEN not in f"{raised.value} {raised.value.body!r} {client!r}"
        assert pickle.loads(pickle.dumps(raised.value)).status == status


@pytest.mark.parametrize(
    "long",
    [
        [answer(200, b"")[:-4].replace(b"Length: 0", b"Length: 99999999999") + b"\r\n\r\nxx", 60.0],
        endless,
        answer(200, b"x" * ((1 << 16) + 1)),
        answer(200, gzip.compress(bytes(1 << 26)), Content_Encoding="gzip"),
    ],
    ids=["announced", "endless", "one byte", "bomb"],
)
def test_an_answer_that_is_too_long_is_refused(long: Any) -> None:
    with asking(lambda asked: answer() if asked.number else long() if callable(long) else long) as (client, _):
        with pytest.raises(Refused, match="longer than 65536 bytes"):
            said(client)
        assert said(client) == "fine", "nothing of it is left for the next one"


def test_other_shapes_of_an_answer() -> None:
    shapes = [
        answer(200, gzip.compress(b"fine"), Content_Encoding="gzip"),
        answer(201),
        b"HTTP/1.1 100 Continue\r\n\r\n" + answer(),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n2\r\nne\r\n0\r\n\r\n",
        [b"HTTP/1.0 200 OK\r\n\r\nfine"],
    ]
    with asking(lambda asked: shapes[asked.number], retries=0) as (client, server):
        assert [said(client) for _ in shapes] == ["fine"] * 5
        assert {asked.headers["accept-encoding"] for asked in server.asked} == {"identity"}


def test_a_server_that_does_not_read_is_left_by_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client = Client(f"http://127.0.0.1:{deaf.getsockname()[1]}", **{**QUICK, "timeout_s": 0.2, "retries": 1})
        with pytest.raises(Unanswered, match=r"2 attempts, at last: no answer within 0\.2 s \(WriteTimeout\)"):
            client.ask("POST", "", bytes(1 << 26), read=text)
        client.close()


# ---- what may be repeated ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["500", "503", "drop", "hang", "cut body", "not UTF-8", "408"])
def test_a_request_that_may_have_had_its_effect_is_sent_once(kind: str) -> None:
    with asking(lambda _: passing(kind), timeout_s=0.2 if kind in SLOW else 60.0) as (client, server):
        with pytest.raises(InfrastructureError):
            said(client, repeatable=False)
        assert len(server.asked) == 1


def test_a_request_that_had_no_effect_is_sent_again() -> None:
    with asking(lambda asked: answer(429) if asked.number < 2 else answer()) as (client, server):
        assert said(client, repeatable=False) == "fine" and len(server.asked) == 3
    with Starting() as (client, server):  # nobody listens at first
        assert said(client, repeatable=False) == "fine" and len(server()) == 1


class Starting:
    """A client of a server that begins to listen during the client's first pause."""

    def __enter__(self) -> tuple[Client, Any]:
        port = free_port()
        self.stack, self.servers = contextlib.ExitStack(), []

        class Starts(threading.Event):
            def wait(_, timeout: float | None = None) -> bool:
                self.servers.append(self.stack.enter_context(serving(lambda asked: answer(), port)))
                return False

        self.client = Client(f"http://127.0.0.1:{port}", **QUICK)
        self.client.stop = Starts()
        return self.client, lambda: [a for server in self.servers for a in server.asked]

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.stack.close()


# ---- pauses --------------------------------------------------------------------------------------------------------


class Clock(threading.Event):
    """Writes down how long it was to be waited for, and does not wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0.0)
        return False


def paused(script: Script, seed: int | None = 1, **options: Any) -> list[float]:
    """The pauses of a request."""
    clock = Clock()
    with asking(script, seed=seed, **options) as (client, _), contextlib.suppress(InfrastructureError):
        said(client, stop=clock)
    return clock.waits


def test_retry_after_is_added() -> None:
    def date(seconds: float) -> str:
        when = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
        return email.utils.format_datetime(when, usegmt=True)

    values = ["7", "0.5", date(30), date(-30), "soon", "", "nan", "-3", "99999"]
    script = [answer(503, Retry_After=value) for value in values]
    waits = paused(lambda asked: script[asked.number], retries=8)
    wanted = [7, 0.5, 29.5, 0, 0, 0, 0, 0]
    for wait, want, slack in zip(waits, wanted, [0.2, 0.2, 0.8, 0.2, 0.2, 0.2, 0.2, 0.2], strict=True):
        assert want - slack <= wait <= want + slack
    assert max(paused(lambda _: answer(429, Retry_After="99999"), retries=1)) < 601


@pytest.mark.parametrize(("milliseconds", "wanted"), [("2500", 2.5), ("", 7), ("soon", 7), ("1e3e", 7)])
def test_a_pause_in_milliseconds_goes_first(milliseconds: str, wanted: float) -> None:
    (wait,) = paused(lambda _: answer(429, retry_after_ms=milliseconds, Retry_After="7"), retries=1)
    assert wanted <= wait <= wanted + 0.4


def test_pauses_grow_and_are_drawn_from_a_seed() -> None:
    waits = paused(lambda _: answer(500), retries=10, backoff_s=1.0)
    tops = [min(30.0, 2.0**n) for n in range(10)]
    assert all(top / 2 <= wait <= top for wait, top in zip(waits, tops, strict=True))
    assert len(set(waits)) == 10
    assert paused(lambda _: answer(500), retries=10, backoff_s=1.0) == waits
    assert paused(lambda _: answer(500), retries=10, backoff_s=1.0, seed=2) != waits
    assert paused(lambda _: answer(500), seed=None) != paused(lambda _: answer(500), seed=None)


def test_no_pause_and_no_attempt_outlasts_the_deadline() -> None:
    with asking(lambda _: answer(503, Retry_After="100")) as (client, server):
        with pytest.raises(Busy, match="/path: answered 503"):
            said(client, until=deadline(50))
        assert len(server.asked) == 1
    with asking(lambda _: [60.0], timeout_s=10_000.0) as (client, server):
        with pytest.raises(Unanswered, match="ReadTimeout"):
            said(client, until=deadline(0.2))
        with pytest.raises(Unanswered, match="no answer within"):
            said(client, until=deadline(-1))


# ---- dead servers, interruption ------------------------------------------------------------------------------------


def test_a_dead_server_is_given_up_and_a_busy_one_is_not() -> None:
    with asking(lambda _: None, give_up_after=3) as (client, server):
        with pytest.raises(FatalError, match="answered none of the first 3 requests, at last: RemoteProtocolError"):
            said(client)
        assert len(server.asked) == 3
    with asking(lambda _: answer(400), give_up_after=2) as (client, server):
        with pytest.raises(Refused):
            said(client)
        with pytest.raises(FatalError, match="answered none of the first 2 requests, at last: answered 400"):
            said(client)
    with asking(lambda asked: answer() if asked.number == 0 else None, give_up_after=2, retries=1) as (client, server):
        assert said(client) == "fine"
        with pytest.raises(Unanswered, match="2 attempts"):
            said(client)
        with pytest.raises(FatalError, match="has not answered 2 requests in a row, at last: RemoteProtocolError"):
            said(client)
    busy: Script = lambda asked: answer(429) if asked.number < 30 else answer()  # noqa: E731
    with asking(busy, give_up_after=3, retries=40, backoff_s=0.0) as (client, server):
        assert client.ask("POST", read=text).retries == 30


def test_the_first_repetition_of_a_kind_is_reported() -> None:
    told: list[str] = []
    script = [answer(500, b"out of memory %s" % TOKEN.encode()), answer(500), None]
    with asking(lambda asked: script[asked.number] if asked.number < 3 else answer(), notify=told.append) as (
        client,
        _,
    ):
        said(client)
    assert len(told) == 3 and TOKEN not in "".join(told)
    assert "/path: answered 500: out of memory ***; the request is sent again, up to 5 times" in told[0]
    assert "RemoteProtocolError" in told[1] and "requests sent again: 3 (2 x 500, 1 x RemoteProtocolError)" in told[2]


@pytest.mark.parametrize("kind", ["answer", "pause"])
def test_an_interruption_waits_for_nothing(kind: str) -> None:
    busy = {"answer": [10_000.0], "pause": answer(503, Retry_After="600")}[kind]
    script: dict[str, Any] = {"now": busy}
    with asking(lambda _: script["now"], timeout_s=10_000.0) as (client, server), ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(said, client) for _ in range(4)]
        while len(server.asked) < 4:
            time.sleep(0.01)
        client.interrupt()
        for future in waiting:  # a test that hangs here has failed
            with pytest.raises(InfrastructureError, match="interrupted"):
                future.result()
        script["now"] = answer()
        assert said(client) == "fine", "the client itself goes on"


# ---- connections, processes, proxies -------------------------------------------------------------------------------


@pytest.mark.slow
def test_threads_share_connections() -> None:
    """As many as there are threads, few of them kept, and none lost: a pool may close what another thread uses."""
    script: Script = lambda asked: answer(200, asked.body)  # noqa: E731
    bodies = [str(number).encode() for number in range(2000)]
    with asking(script, connections=8, retries=0) as (client, server), ThreadPoolExecutor(16) as pool:
        found = pool.map(lambda body: client.ask("POST", content=body, read=bytes).value, bodies)
        assert list(found) == bodies
        assert len(client._pool.idle) <= 8 and server.connections < 1000
    with asking(script) as (client, server):
        assert [said(client) for _ in range(30)] == ["hello"] * 30 and server.connections == 1


def test_a_connection_that_has_ended_is_not_used() -> None:
    port = free_port()
    client = Client(f"http://127.0.0.1:{port}", **{**QUICK, "retries": 0})
    for _ in range(3):
        with serving(lambda _: answer(), port):
            assert said(client) == "fine"
    client.close()


def in_child(client: Client, queue: Any) -> None:
    queue.put(said(client))


@pytest.mark.slow
def test_a_client_is_forked_and_pickled() -> None:
    with asking(lambda _: answer()) as (client, server):
        assert said(client) == "fine"
        with client.health._lock:  # as if another thread were using it
            number = os.fork()
        if number == 0:
            status = 1
            with contextlib.suppress(BaseException):
                status = 0 if said(client) == "fine" else 2
            os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0
        assert said(client) == "fine" and server.connections == 2, "each side has a connection of its own"
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        process = context.Process(target=in_child, args=(client, queue))
        process.start()
        assert queue.get(timeout=120) == "fine"
        process.join()
        queue.close()
        queue.join_thread()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    made += " -addext subjectAltName=DNS:localhost,DNS:far.example -keyout key -out cert"
    subprocess.run(made.split(), check=True, capture_output=True, cwd=tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    return context


def test_tls_and_its_deadline(certificate: ssl.SSLContext) -> None:
    with asking(
        lambda asked: trickle(answer()) if asked.number else answer(), certificate, timeout_s=0.5, retries=1
    ) as (
        client,
        it,
    ):
        assert said(client) == "fine"
        with pytest.raises(Unanswered, match=r"no answer within 0\.5 s \(ReadTimeout\)"):
            said(client)
        other = Client(it.url.replace("localhost", "127.0.0.1"), **{**QUICK, "retries": 0})
        with pytest.raises(Unanswered, match="CERTIFICATE_VERIFY_FAILED"):
            said(other)
        other.close()


def test_the_proxies_of_the_environment(certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Used where the client asks for them, and never for this machine's own addresses."""

    def tunnel(asked: Asked) -> Any:
        if not asked.line.startswith("CONNECT"):
            return answer(200, asked.line.encode())
        return answer(403)

    with serving(tunnel) as proxy, serving(lambda _: answer()) as near:
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://user:pass%20word@127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "direct.invalid")
        settings = {**QUICK, "retries": 0, "proxies": True}
        assert said(Client("http://far.example:81", **settings)) == "POST http://far.example:81/path HTTP/1.1"
        assert proxy.asked[0].headers["proxy-authorization"] == "Basic dXNlcjpwYXNzIHdvcmQ="
        with pytest.raises(Unanswered, match="ProxyError: 403"):
            said(Client("https://far.example", **settings))
        assert proxy.asked[1].line == "CONNECT far.example:443 HTTP/1.1" and len(proxy.asked) == 2
        assert "authorization" not in proxy.asked[1].headers, "the proxy of a tunnel never sees the token"
        assert said(Client(near.url, **settings)) == "fine"
        for url, more in (("http://direct.invalid", settings), ("http://far.invalid", {**settings, "proxies": False})):
            with pytest.raises(Unanswered, match="ConnectError"):
                said(Client(url, **more))
        assert len(proxy.asked) == 2


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:80",
        "ftp://x",
        "http://",
        "http://x:y",
        "http://x:0",
        "http://x/#a",
        "http://[a",
        f"http://{'a' * 70}",
    ],
)
def test_addresses_that_are_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"url is .*it must look like 'http://host:port'"):
        Client(url)


def test_other_settings_that_are_refused() -> None:
    with pytest.raises(SettingsError, match="must not contain a user or password") as raised:
        Client(f"ftp://me:{TOKEN}@x:y")
    assert TOKEN not in str(raised.value)
    with pytest.raises(SettingsError, match="printable ASCII"):
        Client("http://x", token=f"{TOKEN}\n")
    for wrong in ({"timeout_s": 0}, {"max_bytes": 0}, {"connections": 0}, {"retries": -1}, {"backoff_s": -1}):
        with pytest.raises(SettingsError, match=f"{next(iter(wrong))} is "):
            Client("http://x", **wrong)  # type: ignore[arg-type]


# ---- where servers listen ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "token", "said"),
    [
        ("0.0.0.0", "", "host is '0.0.0.0', which is open to other machines: set a token"),
        ("127.0.0.1", "short", "5 char"),
    ],
)
def test_an_open_address_needs_a_token_that_is_long_enough(host: str, token: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        listening_place(host, 0, token, "a token")
    assert listening_place(host, 80, "long enough, really", "a token") == (socket.AF_INET, (host, 80))
    assert listening_place(host, 80, "", "a token", public=True)[1] == (host, 80)
    assert url_of("::1", 80) == "http://[::1]:80" and url_of(host, 80) == f"http://{host}:80"
