"""The application: every protocol's addresses on one Starlette app."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from turnwise.serve import cards, eager, mcp, openenv, ors, sockets
from turnwise.serve.door import Door
from turnwise.serve.host import Refusal
from turnwise.serve.page import page
from turnwise.serve.slots import Served, Slot, Talk
from turnwise.serve.table import Table
from turnwise.serve.wire import Json, loads

__all__ = ["TALKS", "make_app"]

TALKS: dict[str, type[Talk]] = {"ws": openenv.Talk, "mcp": mcp.Talk}
"""What is spoken on sockets, by the last part of their addresses."""

SWEEP_S = 5.0
HEARTBEAT_S = 10.0
"""Clients of ORS give a stream up that is silent for longer than 30 s."""
_STATUS = {"bad_request": 400, "failed": 500, "lost": 404, "capacity": 503, "unknown": 404}


def make_app(table: Table, door: Door | None = None) -> Starlette:
    """The application of a table of sessions; under `turnwise serve` sockets are `turnwise.serve.link`'s instead.

    Args:
        table: The sessions.
        door: Who may come in; without one, whoever asks, but for pages of other sites.
    """
    door = door or Door()
    routes = _Routes(table, door)
    app = Starlette(routes=routes.all(), lifespan=routes.lifespan)
    app.add_middleware(_Entrance, table=table, door=door)
    return app


def _talking(table: Table, kind: type[Talk]) -> Callable[[WebSocket], Awaitable[None]]:
    async def socket(socket: WebSocket) -> None:
        await sockets.converse(table, kind, socket)

    return socket


class _Entrance:
    """Checks the token and the length of a request before anything reads it."""

    def __init__(self, app: ASGIApp, table: Table, door: Door) -> None:
        self.app, self.table, self.door = app, table, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refused = self.door.refusal(scope["path"], headers)
        most = self.table.limits.message_bytes
        with contextlib.suppress(ValueError):
            if refused is None and int(headers.get(b"content-length", b"0")) > most:
                refused = 413, f"the message is longer than {most} bytes"
        if refused is not None and scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(1008, refused[1])
            return
        if refused is not None:
            await Json({"detail": refused[1]}, refused[0])(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        read = 0

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise _TooLong(f"the message is longer than {most} bytes")
            return message

        await self.app(scope, limited, send)


class _TooLong(Exception):
    """A request without a length went on for too long."""


Handler = Callable[[Request], Awaitable[Response]]


def _answers(handler: Handler) -> Handler:
    """Turn refusals into answers with a status."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except Refusal as refusal:
            status = _STATUS[refusal.kind]
            after = {"Retry-After": "1"} if status == 503 else None
            return Json({"detail": refusal.text, **refusal.more}, status, headers=after)
        except _TooLong as error:
            return Json({"detail": str(error)}, 413)
        except ClientDisconnect:
            return Response(status_code=400)  # which nobody reads: it went while it sent

    return answer


async def _body(request: Request) -> dict[str, Any]:
    raw = await request.body()
    body = loads(raw) if raw else {}
    if not isinstance(body, dict):
        raise Refusal("bad_request", "the body must be a JSON object")
    return body


class _Routes:
    """The addresses, by protocol."""

    def __init__(self, table: Table, door: Door) -> None:
        self.table, self.door = table, door
        self.named: dict[str, str] = {}  # episode id -> key of the session that HTTP requests play it in

    def all(self) -> list[Any]:
        """Every route."""
        plain: list[tuple[str, str, Handler]] = [
            ("GET", "/", self.home), ("GET", "/health", self.health), ("GET", "/version", self.version),
            ("GET", "/metrics", self.metrics), ("GET", "/openapi.json", self.openapi),
            ("GET", "/metadata", self.metadata), ("GET", "/schema", self.schema),
            ("POST", "/reset", self.reset), ("POST", "/step", self.step), ("GET", "/state", self.state),
            ("POST", "/batch", self.batch), ("POST", "/mcp", self.mcp), ("DELETE", "/mcp", self.mcp_end),
            ("GET", "/list_environments", self.list_environments),
            ("POST", "/create_session", self.create_session), ("POST", "/delete_session", self.delete),
            ("POST", "/create", self.create), ("POST", "/delete", self.delete), ("POST", "/ping", self.ping),
            ("GET", "/prompt", self.prompt), ("GET", "/task_tools", self.task_tools), ("POST", "/call", self.call),
        ]  # fmt: skip
        of_env: list[tuple[str, str, Handler]] = [
            ("GET", "/metadata", self.metadata), ("GET", "/schema", self.schema), ("POST", "/mcp", self.mcp),
            ("POST", "/reset", self.reset), ("POST", "/step", self.step), ("GET", "/state", self.state),
            ("GET", "/tools", self.tools), ("GET", "/splits", self.splits), ("POST", "/tasks", self.tasks),
            ("POST", "/num_tasks", self.num_tasks), ("POST", "/task", self.task),
            ("POST", "/task_range", self.task_range), ("GET", "/prompt", self.prompt),
            ("GET", "/task_tools", self.task_tools), ("POST", "/call", self.call),
        ]  # fmt: skip
        alone: list[tuple[str, str, Handler]] = [
            ("GET", "/tools", self.tools), ("GET", "/splits", self.splits), ("POST", "/tasks", self.tasks),
            ("POST", "/num_tasks", self.num_tasks), ("POST", "/task", self.task),
            ("POST", "/task_range", self.task_range),
        ]  # fmt: skip
        found: list[Any] = [Route(path, _answers(do), methods=[method]) for method, path, do in [*plain, *alone]]
        found += [Route("/{env}" + path, _answers(do), methods=[method]) for method, path, do in of_env]
        for name, kind in TALKS.items():
            found += [WebSocketRoute(path, _talking(self.table, kind)) for path in (f"/{name}", "/{env}/" + name)]
        return found

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Sweep idle sessions while the server runs, close all when it ends."""

        async def sweeping() -> None:
            while True:
                await asyncio.sleep(min(SWEEP_S, self.table.limits.idle_s / 2))
                await self.table.sweep()
                self.named = {name: key for name, key in self.named.items() if key in self.table.slots}

        task = asyncio.create_task(sweeping())
        try:
            yield
        finally:
            task.cancel()
            await self.table.aclose()

    def env(self, request: Request) -> Served:
        """The environment that an address names; the default if it names none."""
        return self.table.served(request.path_params.get("env"))

    # ---- about the server -----------------------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:
        locked = not self.door.knows(dict(request.scope["headers"]))
        return HTMLResponse(page(self.table.envs.values(), self.table.version, locked), headers=_PAGE)

    async def health(self, request: Request) -> Response:
        return Json({"status": "healthy"}, 503 if self.table.closing else 200)

    async def version(self, request: Request) -> Response:
        return Json({"version": self.table.version, "protocols": ["openenv 0.10", "ors 0.1", mcp.LATEST]})

    async def metrics(self, request: Request) -> Response:
        counts = [(f"turnwise_{name}_total", "counter", value) for name, value in self.table.counts.items()]
        found = [*counts, ("turnwise_sessions", "gauge", len(self.table.slots))]
        lines = [line for name, kind, value in found for line in (f"# TYPE {name} {kind}", f"{name} {value:.0f}")]
        return PlainTextResponse("\n".join([*lines, ""]), media_type="text/plain; version=0.0.4")

    async def openapi(self, request: Request) -> Response:
        return Json(cards.openapi(self.table.version))

    async def metadata(self, request: Request) -> Response:
        return Json(cards.metadata(self.env(request), self.table.version))

    async def schema(self, request: Request) -> Response:
        return Json(openenv.SCHEMA)

    # ---- OpenEnv --------------------------------------------------------------------------------------------------

    async def reset(self, request: Request) -> Response:
        body = await _body(request)
        key = self._key(body)
        fresh = key is None or str(key) not in self.table.slots
        slot = self.table.new(self.env(request).name) if fresh else self.table.slot(str(key))
        before = slot.episode_id
        try:
            found = await openenv.begin(self.table, slot, body)
        except Refusal:
            if fresh:
                await self.table.close(slot)
            raise
        if before != slot.episode_id and self.named.get(str(before)) == slot.key:
            del self.named[str(before)]
        self.named[str(slot.episode_id)] = slot.key
        return Json(found)

    def _key(self, body: Mapping[str, Any]) -> Any:
        """The session that a request names, by its own key or by the client's name for the episode."""
        episode = body.get("episode_id")
        return body.get("session_id") or (None if episode is None else self.named.get(str(episode)))

    async def step(self, request: Request) -> Response:
        body = await _body(request)
        action = body.get("action")
        if not isinstance(action, Mapping):
            raise Refusal("bad_request", 'action is missing; send {"action": {"message": "..."}, "session_id": "..."}')
        if body.get("request_id") is not None:
            action = {**action, "metadata": {"request_id": body["request_id"]}}
        return Json(await openenv.play(self.table, self._playing(body), action))

    async def state(self, request: Request) -> Response:
        return Json(openenv.state_of(self._playing(request.query_params)))

    def _playing(self, body: Mapping[str, Any]) -> Slot:
        key = self._key(body)
        if key is None:
            text = "say which session: send the session_id (or the episode_id) of the reset, or use the socket /ws"
            raise Refusal("bad_request", text)
        return self.table.slot(str(key))

    async def batch(self, request: Request) -> Response:
        """Frames of many sessions in one request: ``{"frames": [{"session_id": ..., "type": "step", ...}]}``.

        A reset without a session opens one; its key stands in the answer's metadata.
        """
        frames = (await _body(request)).get("frames")
        if not isinstance(frames, list):
            raise Refusal("bad_request", 'frames is missing; send {"frames": [{"type": "reset", "data": {...}}, ...]}')
        answers = await eager.all_of(self._framed(sent, request) for sent in frames)
        return Json({"frames": answers})

    async def _framed(self, sent: Any, request: Request) -> dict[str, Any]:
        slot = None
        try:
            key = sent.get("session_id") if isinstance(sent, Mapping) else None
            opens = key is None and isinstance(sent, Mapping) and sent.get("type") == "reset"
            slot = self.table.new(self.env(request).name) if opens else self.table.slot(str(key))
        except Refusal as refusal:
            return openenv.refused(refusal)
        answer = await openenv.frame(self.table, slot, sent)
        if answer is None or (opens and answer["type"] == "error"):
            await self.table.close(slot)
        return answer or {"type": "close", "data": {}}

    # ---- MCP ------------------------------------------------------------------------------------------------------

    async def mcp(self, request: Request) -> Response:
        raw = await request.body()
        try:
            asked = loads(raw)
        except Refusal as refusal:
            return Json({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": refusal.text}})
        env = self.env(request).name
        key = request.headers.get("mcp-session-id")
        if key is not None and key not in self.table.slots:
            return Json({"detail": "the session is gone"}, 404)
        slot = self.table.slots.get(key) if key else None
        headers = {}
        if isinstance(asked, Mapping) and asked.get("method") == "initialize" and "id" in asked:
            slot = self.table.new(env)
            headers["Mcp-Session-Id"] = slot.key
        answer = await mcp.answered(self.table, asked, slot, env)
        return Json(answer, headers=headers) if answer else Response(status_code=202)

    async def mcp_end(self, request: Request) -> Response:
        await self.table.close(self.table.slot(request.headers.get("mcp-session-id", "")))
        return Response(status_code=204)

    # ---- the Open Reward Standard ---------------------------------------------------------------------------------

    async def list_environments(self, request: Request) -> Response:
        return Json(list(self.table.envs))

    async def tools(self, request: Request) -> Response:
        return Json({"tools": ors.tools(await self.table.tools_of(self.env(request)))})

    async def splits(self, request: Request) -> Response:
        self.env(request)
        return Json(ors.splits())

    async def tasks(self, request: Request) -> Response:
        env, body = self.env(request), await _body(request)
        return Json({"tasks": ors.tasks(env, body.get("split")), "env_name": env.name})

    async def num_tasks(self, request: Request) -> Response:
        env, body = self.env(request), await _body(request)
        ors.task(env, body.get("split"), 0)
        return Json({"num_tasks": env.num_tasks})

    async def task(self, request: Request) -> Response:
        env, body = self.env(request), await _body(request)
        return Json({"task": ors.task(env, body.get("split"), body.get("index")), "env_name": env.name})

    async def task_range(self, request: Request) -> Response:
        env, body = self.env(request), await _body(request)
        found = ors.tasks(env, body.get("split"), body.get("start"), body.get("stop"))
        return Json({"tasks": found, "env_name": env.name})

    async def create_session(self, request: Request) -> Response:
        return _stream(ors.events(("task_id", self.table.new_key()), ("end", "")))

    async def create(self, request: Request) -> Response:
        slot = await ors.create(self.table, _sid(request), await _body(request))
        return Json({"sid": slot.key})

    async def delete(self, request: Request) -> Response:
        key = _sid(request)
        if key in self.table.slots:
            await self.table.close(self.table.slot(key))
        return Json({"sid": key})

    async def ping(self, request: Request) -> Response:
        slot = self.table.slot(_sid(request))
        slot.used = self.table.clock()
        return Json({"status": "ok"})

    async def prompt(self, request: Request) -> Response:
        opened = self.table.slot(_sid(request)).opened
        if opened is None:
            raise Refusal("lost", "the session has no episode")
        return Json([{"text": opened.text, "detail": None, "type": "text"}])

    async def task_tools(self, request: Request) -> Response:
        opened = self.table.slot(_sid(request)).opened
        return Json({"tools": ors.tools(opened.tools if opened is not None else ())})

    async def call(self, request: Request) -> Response:
        slot, body = self.table.slot(_sid(request)), await _body(request)
        number = openenv.request_of(body.get("task_id")) or self.table.new_key()
        self.table.room()
        play = asyncio.ensure_future(ors.called(self.table, slot, body, number))
        play.add_done_callback(lambda played: played.cancelled() or played.exception())  # it may be gone by then

        async def stream() -> AsyncIterator[bytes]:
            yield ors.events(("task_id", number))
            try:
                while not (await asyncio.wait([play], timeout=HEARTBEAT_S))[0]:
                    yield b": still playing\r\n\r\n"
                yield ors.events(("end", play.result()))
            except Refusal as refusal:
                await self.table.close(slot)
                yield ors.events(("error", refusal.text))

        return StreamingResponse(stream(), media_type="text/event-stream", headers=_NO_BUFFER)


_PAGE = {
    "Cache-Control": "no-store", "Vary": "Authorization", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}  # fmt: skip
_NO_BUFFER = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def _stream(data: bytes) -> Response:
    return Response(data, media_type="text/event-stream", headers=_NO_BUFFER)


def _sid(request: Request) -> str:
    key = request.headers.get("x-session-id")
    if not key or len(key) > 100:
        raise Refusal("bad_request", "the header X-Session-ID is missing")
    return key
