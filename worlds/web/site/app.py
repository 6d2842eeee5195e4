"""Sites as one ASGI application: requests go by their host, and to the databases of their episode."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette import routing

from turnwise.core.errors import InfrastructureError, TurnwiseError
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.pages import Route
from turnwise.worlds.web.site.site import Site, site_named
from turnwise.worlds.web.site.state import Store
from turnwise.worlds.web.site.visit import Answered, NotFound, Refused, Visit

__all__ = ["Scope", "WebApp"]

Scope = dict[str, Any]
Reply = tuple[int, list[tuple[bytes, bytes]], bytes]
MAX_BODY = 2**20
MAX_FIELDS = 2000
_FILES = {"/_tw/tw.js": "text/javascript; charset=utf-8", "/_tw/tw.css": "text/css; charset=utf-8"}
_log = logging.getLogger("turnwise.worlds.web")


class WebApp:
    """An ASGI application that serves any site by its host name; it awaits nothing but the request's body.

    The episode's databases are ``scope["state"]["store"]``. Exceptions of a handler are logged, what it wrote is rolled
    back, and the exception is raised again: the caller shows a page with status 500.
    """

    def __init__(self) -> None:
        self._routes: dict[str, tuple[Site, list[tuple[routing.Route, Route]]]] = {}

    def __reduce__(self) -> Any:
        return WebApp, ()  # routes are compiled again when they are needed

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        if scope["type"] != "http":
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        body = b""
        while scope["method"] == "POST":
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body") or len(body) > MAX_BODY:
                break
        host = headers.get(b"host", b"").decode("latin-1").partition(":")[0].lower()
        status, extra, content = self._respond(scope, host, headers, body)
        await send({"type": "http.response.start", "status": status, "headers": extra})
        await send({"type": "http.response.body", "body": content})

    def _respond(self, scope: Scope, host: str, headers: Mapping[bytes, bytes], body: bytes) -> Reply:
        path: str = scope["path"]
        if path in _FILES:
            data = (files("turnwise.worlds.web.browser") / "data" / path.rpartition("/")[2]).read_bytes()
            return 200, [(b"content-type", _FILES[path].encode()), (b"cache-control", b"max-age=600")], data
        store: Store | None = scope.get("state", {}).get("store")
        if store is None:
            return 410, [(b"content-type", b"text/plain")], b"This episode is over."
        site, routes = self._site(host)
        if site is None:
            return 404, [(b"content-type", b"text/plain")], f"There is no site {host[:100]}.".encode()
        visit = _visit(scope, body)
        visit.frame, visit.store, visit.db, visit.now = site.frame, store, store.db(site.name), store.now
        token = _cookie(headers.get(b"cookie", b""))
        found = (
            visit.db.execute("SELECT account, flash FROM session WHERE token = ?", (token,)).fetchone()
            if token
            else None
        )
        if found is not None:
            visit.token, (visit.user, visit.flash) = token, found
            if visit.flash:
                visit.run("UPDATE session SET flash = '' WHERE token = ?", token)
        try:
            if body and len(body) > MAX_BODY:
                answer = visit.show("Too large", m.paragraph("What you sent is too large."), status=413)
                return _written(visit, answer)
            return self._handled(scope, routes, visit)
        except (InfrastructureError, MemoryError):
            raise
        except Exception as error:
            handler = next((r.where for path, r in routes if path.matches(scope)[0] is routing.Match.FULL), "nav")
            where = f"{handler}, asked for {visit.method} http://{site.host}{visit.path}"
            error.add_note(f"in {where}")
            _log.exception("an error in %s", where)
            if isinstance(error, TurnwiseError):  # an error of a site must not void an episode
                raise RuntimeError(f"an error in {where}") from error
            raise

    def _handled(self, scope: Scope, routes: list[tuple[routing.Route, Route]], visit: Visit) -> Reply:
        for path, route in routes:
            match, child = path.matches(scope)
            if match is not routing.Match.FULL:
                continue
            if route.signed_in and not visit.user:
                onward = visit.path if visit.method == "GET" else "/"
                return _written(visit, visit.redirect(f"/login?next={quote(onward)}"))
            visit.db.execute("BEGIN")
            try:
                answer = route.handler(visit, **child["path_params"])
                if not isinstance(answer, Answered):
                    raise TypeError(_unanswered(route, answer))
                reply = _written(visit, answer)
            except (NotFound, OverflowError):  # a number in the path that is too large for a database
                visit.db.execute("ROLLBACK")
                break
            except Refused as error:
                visit.db.execute("ROLLBACK")
                text = str(error) or "You may not do that."
                return _written(visit, visit.show("Not allowed", m.paragraph(text), status=403))
            except BaseException:
                visit.db.execute("ROLLBACK")
                raise
            visit.db.execute("COMMIT")
            return reply
        return _written(visit, visit.show("Not found", m.paragraph("There is no such page."), status=404))

    def _site(self, host: str) -> tuple[Site | None, list[tuple[routing.Route, Route]]]:
        name, _, rest = host.partition(".")
        if rest != "test":
            return None, []
        try:
            site = site_named(name)
        except ValueError:
            return None, []
        known = self._routes.get(host)
        if known is None or known[0] is not site:
            routes = [(routing.Route(route.path, _unused, methods=[route.method]), route) for route in site.routes]
            known = self._routes[host] = (site, routes)
        return known


def _written(visit: Visit, answer: Answered) -> Reply:
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]
    if answer.token is not None:
        age = "" if answer.token else "; Max-Age=0"
        headers.append((b"set-cookie", f"sid={answer.token}; Path=/; HttpOnly{age}".encode()))
    if answer.location:
        headers.append((b"location", answer.location.encode("ascii", "ignore")))
    if answer.flash:
        visit.run("UPDATE session SET flash = ? WHERE token = ?", answer.flash, answer.token or visit.token)
    return answer.status, headers, answer.body.encode("utf-8", "replace")


def _unanswered(route: Route, answer: object) -> str:
    if inspect.iscoroutine(answer):
        answer.close()
        return f"{route.where} is `async def`; handlers are plain functions"
    return (
        f"{route.where} returned {'nothing' if answer is None else repr(answer)[:80]}; a handler returns "
        "visit.show(...), visit.redirect(...) or visit.fragment(...)"
    )


async def _unused(request: Any) -> Any:
    raise NotImplementedError


def _visit(scope: Scope, body: bytes) -> Visit:
    query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=None)[:MAX_FIELDS]
    form = parse_qsl(body[:MAX_BODY].decode("utf-8", "replace"), keep_blank_values=True)[:MAX_FIELDS] if body else []
    return Visit(scope["method"], scope["path"], query, form)


def _cookie(header: bytes) -> str:
    for part in header.decode("latin-1").split(";"):
        name, _, value = part.strip().partition("=")
        if name == "sid":
            return value
    return ""
