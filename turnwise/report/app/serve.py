"""``turnwise view``: the app served to this machine, live while runs are going.

The server binds to the loopback interface, answers only requests that name this machine as their host and come from
its own page, and has no address that is a path: data are looked up by name among those it has made.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, TurnwiseError
from turnwise.report.app.bundle import SCRIPTS, manifest, page, policy
from turnwise.report.app.sources import Source, json_text
from turnwise.report.html import visible

__all__ = ["Book", "application", "serve", "serving"]

LOCAL = ("127.0.0.1", "localhost", "[::1]")
LOOK_S = 1.0
"""How often the files are looked at."""
MAX_BODY = 1 << 20
START_S = 60.0


class Book:
    """The runs that are served, and a thread that reads what is added to them.

    Attributes:
        scripts: What the page is made of.

    Args:
        sources: The runs.
        start: The part of the app to begin with.
        shared: Makes data that belong to several runs, by name, when they are asked for.
    """

    scripts: Sequence[str] = SCRIPTS

    def __init__(
        self, sources: Sequence[Source], start: str = "", shared: Callable[[str], bytes | None] = lambda name: None
    ) -> None:
        self.sources, self._start, self._shared = list(sources), start, shared
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._version = 0
        self._made: dict[str, Any] = {}
        self._trouble: dict[int, str] = {}  # why a run could not be read on
        self._thread = threading.Thread(target=self._watch, name="turnwise-view", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Stop reading."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> bool:
        """Read what was added; True if there was anything."""
        changed = False
        for number, source in enumerate(self.sources):
            with self._lock:
                try:
                    grown, why = source.refresh(), ""
                except (TurnwiseError, OSError) as error:  # a damaged line, or a file that is just being replaced
                    grown, why = False, str(error)
                if grown or why != self._trouble.get(number, ""):
                    self._version, changed = self._version + 1, True
                    self._trouble[number] = why
        return changed

    def _watch(self) -> None:
        while not self._stop.is_set():
            changed = self.look()
            often = self._version < 2 * self._made.get("state", 0)  # not after every part of a long file
            if not (changed and often):
                self.manifest()
            if not changed:
                self._stop.wait(LOOK_S)

    def manifest(self, *, latest: bool = True) -> dict[str, Any]:
        """The manifest of what has been read so far.

        Args:
            latest: Make it again if there is more; else the one that was made last will do, if there is one.
        """
        made = self._made
        if made and (not latest or made["state"] == self._version):
            return made
        with self._lock:
            if self._made.get("state") != self._version:
                trouble = [visible(why) for why in self._trouble.values() if why]
                more = {"served": True, "state": self._version, "trouble": trouble}
                self._made = manifest(self.sources, self._start, more)
            return self._made

    def blob(self, name: str) -> bytes | None:
        """Data by name; None if there are none of that name."""
        run, _, rest = name.partition("/")
        if run == "all":
            with self._lock:
                return self._shared(rest)
        if not run.isdecimal() or int(run) >= len(self.sources):
            return None
        with self._lock:
            return self.sources[int(run)].blobs().get(rest)

    def answer(self, question: Mapping[str, Any]) -> Any:
        """Answer a question about a run.

        Raises:
            SettingsError: There is no such run or question.
        """
        run = question.get("run")
        if type(run) is not int or not 0 <= run < len(self.sources):
            raise SettingsError(f"run is {run!r}; it must be from 0 to {len(self.sources) - 1}")
        return self.sources[run].answer(str(question.get("what")), question)


class _Guard:
    """Refuses what does not come from this machine's own page: other hosts' names, and pages of other sites."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (why := refusal(dict(scope["headers"]))):
            await JSONResponse({"error": why}, 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def refusal(headers: Mapping[bytes, bytes]) -> str:
    """Why a request is refused; "" if it is not.

    A name of another host that resolves to this machine is refused (DNS rebinding), and so is what another site's page
    sends here.
    """
    host = headers.get(b"host", b"").decode("latin-1")
    if host.rpartition(":")[0] not in LOCAL and host not in LOCAL:
        return "this server answers only to names of this machine"
    origin = headers.get(b"origin")
    if origin is not None and origin.decode("latin-1").partition("://")[2] != host:
        return "a page of another site may not speak with this server"
    if headers.get(b"sec-fetch-site", b"none") not in (b"same-origin", b"none"):
        return "a page of another site may not speak with this server"
    return ""


def application(book: Book) -> ASGIApp:
    """The application, for any server."""
    headers = {
        "Content-Security-Policy": policy(served=True, scripts=book.scripts),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Frame-Options": "DENY",
    }

    def home(request: Request) -> Response:
        return HTMLResponse(
            "".join(page(book.manifest(latest=False), (), {}, book.scripts)),
            headers={**headers, "Cache-Control": "no-store"},
        )

    def state(request: Request) -> Response:
        made = book.manifest(latest=False)
        if request.query_params.get("state") == str(made["state"]):
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        return Response(json_text(made), media_type="application/json", headers={"Cache-Control": "no-store"})

    def data(request: Request) -> Response:
        found = book.blob(str(request.query_params.get("name")))
        if found is None:
            return JSONResponse({"error": "there are no such data"}, 404)
        kept = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
        return Response(found, media_type="text/plain; charset=utf-8", headers={**headers, **kept})

    async def ask(request: Request) -> Response:
        if not request.headers.get("content-type", "").startswith("application/json"):
            return JSONResponse({"error": "send JSON"}, 415)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                return JSONResponse({"error": f"more than {MAX_BODY:,} bytes"}, 413)
        return await run_in_threadpool(_answered, book, body)

    routes = [
        Route("/", home),
        Route("/state", state),
        Route("/data", data),
        Route("/ask", ask, methods=["POST"]),
    ]
    return _Guard(Starlette(routes=routes))


def _answered(book: Book, body: bytes) -> Response:
    try:
        question = json.loads(body)
        if not isinstance(question, Mapping):
            raise SettingsError("the question must be an object")
        return Response(json_text(book.answer(question)), media_type="application/json")
    except (TurnwiseError, ValueError, RecursionError) as error:
        return JSONResponse({"error": str(error)}, 400)


def _server(book: Book, port: int) -> Any:
    try:
        import uvicorn
    except ImportError as error:
        raise MissingDependencyError.of("uvicorn", "serve") from error
    config = uvicorn.Config(
        application(book), host="127.0.0.1", port=port, log_level="warning", access_log=False, lifespan="off",
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    return uvicorn.Server(config)


def serve(book: Book, port: int, ready: Callable[[str], None]) -> None:
    """Serve until Ctrl-C.

    Args:
        book: What is shown.
        port: Port on this machine; 0 picks a free one.
        ready: Called with the address.
    """
    with serving(book, port) as address:
        ready(address)
        threading.Event().wait()


@contextmanager
def serving(book: Book, port: int = 0) -> Iterator[str]:
    """The app served by a thread of this process; gives its address.

    Raises:
        MissingDependencyError: uvicorn is not installed.
        InfrastructureError: It did not start.
    """
    server = _server(book, port)
    thread = threading.Thread(target=server.run, name="turnwise-view-http", daemon=True)
    book.start()
    thread.start()
    while not server.started:
        thread.join(0.01)
        if not thread.is_alive():
            book.close()
            raise InfrastructureError(f"port {port} of this machine cannot be listened on: is it in use?")
    number = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{number}/"
    finally:
        server.should_exit = True
        thread.join(START_S)
        book.close()
