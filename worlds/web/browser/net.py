"""Requests to sites in this process: addresses, cookies, one request, and what its answer means to a browser.

An ASGI application is called without an event loop and without a socket: its coroutine is run to its end at once. It
may await nothing but its own ``receive`` and ``send``.
"""

import http
import re
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from markupsafe import escape

from turnwise.core.errors import InfrastructureError, TurnwiseError

__all__ = [
    "MAX_BYTES",
    "MAX_REDIRECTS",
    "Answer",
    "App",
    "Cookies",
    "Document",
    "ask",
    "document",
    "refusal",
    "resolve",
]

App: TypeAlias = Callable[..., Awaitable[None]]
MAX_BYTES = 8_000_000
"""Bytes of a document that are read; the rest is ignored."""
MAX_REDIRECTS = 10
MAX_URL = 16_000
"""Characters of an address."""


class Answer(NamedTuple):
    """A site's answer."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def header(self, name: bytes) -> str:
        """Return the first header of that name (in lower case), or ""."""
        return next((value.decode("utf-8", "replace") for key, value in self.headers if key.lower() == name), "")


# ---- addresses ------------------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"/(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+/?+)*+(?:\?[A-Za-z0-9_~.&=%+-]*+)?")
_NO_PORT = re.compile(r":(?:0*80)?$", re.A)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_DOTS = {".": ".", "%2e": ".", "..": "..", ".%2e": "..", "%2e.": "..", "%2e%2e": ".."}
_IN_PATH = "!$%&'()*+,-./:;=@[\\]^_|~"
_IN_QUERY = "!$%&()*+,-./:;=?@[\\]^_`{|}~"
_IN_FRAGMENT = "!#$%&'()*+,-./:;=?@[\\]^_{|}~"


@lru_cache(512)
def resolve(base: str, href: str) -> str:
    """Return the absolute address of a link, written as browsers do; other schemes are returned unchanged.

    Source: the URL standard (WHATWG), sections 4.4 (parsing) and 1.3 (percent-encoding).

    Raises:
        ValueError: It is not an address, or longer than 16,000 characters.

    >>> resolve("http://shop.test/a/b?c=1", "../d e?q='é'#x")
    'http://shop.test/d%20e?q=%27%C3%A9%27#x'
    """
    origin_end = base.find("/", 7)
    if base.startswith("http://") and origin_end > 0 and _PLAIN.fullmatch(href) and len(href) < 2000:
        return base[:origin_end] + href
    href = href.strip("".join(map(chr, range(33)))).translate({9: None, 10: None, 13: None})
    if len(href) > MAX_URL:
        raise ValueError(f"an address may have at most {MAX_URL:,} characters")
    scheme = _SCHEME.match(href)
    if scheme is not None and scheme[0].lower() != "http:":
        return href
    href = href.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    front, mark, rest = _cut(href)
    front = front.replace("\\", "/")
    query, hashed, fragment = rest.partition("#") if mark == "?" else ("", mark, rest)
    at_home = base.startswith("http://")
    if scheme is not None:
        front = front[5:]
    elif not at_home:
        raise ValueError(f"{href[:80]!r} is not a full address, such as http://...")
    if front.startswith("//") or not at_home:
        netloc, _, path = front.lstrip("/").partition("/")
        netloc = _NO_PORT.sub("", netloc.lower())
        if not netloc:
            raise ValueError("that is not an address")
    else:
        old, old_mark, old_query = base[7:].partition("#")[0].partition("?")
        netloc, _, path = old.partition("/")
        if not front and mark != "?":
            mark, query = old_mark, old_query
        elif front:
            path = front[1:] if front[0] == "/" else path[: path.rfind("/") + 1] + front
    url = f"http://{netloc}{_path('/' + path)}"
    if mark == "?":
        url += "?" + quote(query, _IN_QUERY)
    return f"{url}#{quote(fragment, _IN_FRAGMENT)}" if hashed else url


def _cut(href: str) -> tuple[str, str, str]:
    """Split an address at its query or fragment: what comes before, the mark, and the rest."""
    match = re.search(r"[?#]", href)
    return (href, "", "") if match is None else (href[: match.start()], match[0], href[match.end() :])


def _path(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:] or [""]
    for place, segment in enumerate(segments):
        dots = _DOTS.get(segment.lower())
        if dots == ".." and kept:
            kept.pop()
        if dots is None:
            kept.append(quote(segment, _IN_PATH))
        elif place == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def refusal(url: str, hosts: frozenset[str]) -> str:
    """Return why the address may not be opened, for the agent, or "" if it may.

    Args:
        url: As `resolve` gives it.
        hosts: Those of the episode, with a port where it is not 80.
    """
    if not url.startswith("http://"):
        return "only http:// addresses can be opened here"
    host = url[7:].partition("/")[0]
    if host in hosts:
        return ""
    return f"the site {host[:80]!r} cannot be reached from here; the sites are: {', '.join(sorted(hosts))}"


# ---- cookies --------------------------------------------------------------------------------------------------------


class Cookies:
    """The cookies of one episode, by host and path; they last as long as the episode.

    Source: RFC 6265, sections 5.1.4, 5.2 and 5.4, without domains: a cookie is its host's alone. ``Secure`` cookies
    are dropped, for all is http.

    Args:
        given: Cookies from the start, by host and name.
    """

    def __init__(self, given: Mapping[str, Mapping[str, str]] = {}) -> None:
        self._hosts = {host: {(name, "/"): value for name, value in pairs.items()} for host, pairs in given.items()}

    def copy(self) -> "Cookies":
        """Return an independent copy."""
        twin = Cookies()
        twin._hosts = {host: dict(pairs) for host, pairs in self._hosts.items()}
        return twin

    def header(self, host: str, path: str) -> str:
        """Return the value of the header ``cookie`` for a request, or ""."""
        pairs = self._hosts.get(host)
        if not pairs:
            return ""
        if len(pairs) == 1 and (single := next(iter(pairs.items())))[0][1] == "/":
            return f"{single[0][0]}={single[1]}"
        fit = [(name, where, value) for (name, where), value in pairs.items() if _covers(where, path)]
        fit.sort(key=lambda cookie: -len(cookie[1]))  # stable: older ones first
        return "; ".join([f"{name}={value}" for name, _, value in fit])

    def take(self, host: str, path: str, answer: Answer) -> None:
        """Store the cookies of an answer to a request."""
        for key, value in answer.headers:
            if key.lower() == b"set-cookie":
                self._set(host, path, value.decode("latin-1"))

    def _set(self, host: str, path: str, line: str) -> None:
        pair, *rest = line.split(";")
        name, equals, value = pair.partition("=")
        said = {key.strip().lower(): text.strip() for key, _, text in (part.partition("=") for part in rest)}
        if not equals or not name.strip() or "secure" in said:
            return
        where = said.get("path", "")
        if not where.startswith("/"):
            where = path.rpartition("/")[0] or "/"
        pairs = self._hosts.setdefault(host, {})
        age, expires = said.get("max-age", ""), said.get("expires", "")
        gone = age.startswith(("-", "0")) if age else "1970" in expires
        if gone:
            pairs.pop((name.strip(), where), None)
        else:
            pairs[name.strip(), where] = value.strip()


def _covers(where: str, path: str) -> bool:
    return path == where or (path.startswith(where) and (where.endswith("/") or path[len(where)] == "/"))


# ---- one request ----------------------------------------------------------------------------------------------------


class _Enough(Exception):
    """The application has sent more than is accepted."""


_FAILED = Answer(500, [(b"content-type", b"text/plain; charset=utf-8")], b"Internal Server Error")
_WAITS = (
    "the application waits for something; in this process it runs without an event loop: its endpoints must be "
    "`async def` and await nothing but the request"
)
_NO_LOOP = ("NoEventLoopError", "AsyncLibraryNotFoundError")


def ask(
    app: App, store: object, method: str, url: str, headers: list[tuple[bytes, bytes]], body: bytes = b""
) -> Answer:
    """Call an ASGI application, which runs to its end immediately.

    What it sends beyond twice `MAX_BYTES` ends the answer. An exception in it is an answer with status 500: the one
    that it sent before, as Starlette does, or else "Internal Server Error".

    Args:
        app: The application.
        store: The episode's databases, which it finds as ``scope["state"]["store"]``.
        method: Of HTTP.
        url: As `resolve` gives it.
        headers: In lower case, without the host.
        body: Of the request.

    Raises:
        InfrastructureError: The application waits for something, which needs an event loop.
    """
    host, _, rest = url[7:].partition("#")[0].partition("/")
    raw_path, _, query = rest.partition("?")
    raw_path = "/" + raw_path
    name, _, port = host.partition(":")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(raw_path) if "%" in raw_path else raw_path,
        "raw_path": raw_path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", host.encode()), *headers],
        "server": (name, int(port or 80)),
        "client": ("127.0.0.1", 0),
        "state": {"store": store},
    }
    received = False
    start: dict[str, Any] = {}
    parts: list[bytes] = []
    room = 2 * MAX_BYTES

    async def receive() -> dict[str, Any]:
        nonlocal received
        if received:
            return {"type": "http.disconnect"}
        received = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal room
        if message["type"] == "http.response.start":
            start.update(message)
        elif message["type"] == "http.response.body":
            part = message.get("body", b"")
            parts.append(part)
            room -= len(part)
            if room < 0:
                raise _Enough

    failed = False
    try:
        _run(app(scope, receive, send).__await__())
    except (TurnwiseError, MemoryError):
        raise
    except Exception as error:  # the site's fault: its visitor sees a page with status 500
        if type(error).__name__ in _NO_LOOP or "no running event loop" in str(error):
            raise InfrastructureError(_WAITS) from error
        failed = room >= 0
    if not start or (failed and start["status"] != 500):
        return _FAILED
    return Answer(start["status"], list(start.get("headers", ())), b"".join(parts))


def _run(steps: Generator[Any, Any, Any]) -> None:
    try:
        steps.send(None)
    except StopIteration:
        return
    steps.close()
    raise InfrastructureError(_WAITS)


# ---- what an answer means -------------------------------------------------------------------------------------------


class Document(NamedTuple):
    """What a browser does with the answer to a request for a document.

    Attributes:
        html: The document to show, where there is no ``location``.
        status: The HTTP status.
        note: What went wrong, for the agent; "" for nothing.
        location: The absolute address to go on to; "" to stay.
    """

    html: str | bytes
    status: int
    note: str = ""
    location: str = ""


def document(hosts: frozenset[str], url: str, hops: int, answer: Answer) -> Document:
    """Evaluate the answer to a request for a document.

    Redirects lead on within the episode's hosts, ten times at the most. What is no HTML is not shown, but for plain
    text; of what is too large, the beginning is.

    Args:
        hosts: Those of the episode.
        url: What was asked for.
        hops: How many redirects led here.
        answer: Of the site.
    """
    status = answer.status
    if status in (301, 302, 303, 307, 308) and (location := answer.header(b"location")):
        try:
            target = resolve(url, location)
            why = refusal(target, hosts)
        except ValueError as error:
            target, why = "", str(error)
        if not why and hops >= MAX_REDIRECTS:
            why = f"there were more than {MAX_REDIRECTS} redirects"
        if why:
            return _explained(status, f"The site redirects to where this browser does not follow: {why}.")
        if "#" in url and "#" not in target:
            target += url[url.index("#") :]
        return Document("", status, "", target)
    note = "" if status < 400 else f"The server answered {status}{_phrase(status)}."
    kind, _, parameters = answer.header(b"content-type").lower().partition(";")
    kind = kind.strip()
    if status in (204, 205, 304) or (not answer.body and kind != "text/html"):
        return _explained(status, note or "The server sent no content.")
    if kind == "text/plain":
        text = answer.body[: MAX_BYTES // 8].decode("utf-8", "replace")
        return Document(f"<body><pre>\n{escape(text)}</pre></body>", status, note)
    if kind not in ("text/html", "application/xhtml+xml"):
        return _explained(status, f"The server sent {kind[:60] or 'something of no known type'}, which is not shown.")
    html: str | bytes = answer.body
    if len(html) > MAX_BYTES:
        html = html[:MAX_BYTES]
        note = note or f"The page is larger than {MAX_BYTES // 10**6} MB; only its beginning is shown."
    if "latin" in parameters or "8859-1" in parameters or "1252" in parameters:
        html = answer.body[:MAX_BYTES].decode("cp1252", "replace")
    return Document(html, status, note)


def _explained(status: int, note: str) -> Document:
    return Document(f"<body><p>{escape(note)}</p></body>", status, note)


def _phrase(status: int) -> str:
    try:
        return f" ({http.HTTPStatus(status).phrase})"
    except ValueError:
        return ""
