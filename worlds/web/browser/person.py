"""An episode for a person: its sites in their own browser, with the task, a log and the answer in a side note.

A site ``http://shop.test/`` is served as ``http://shop.localhost:PORT/``: browsers take every name under ``localhost``
for this machine. Addresses in links and forms are rewritten; cookies stay in the server.
"""

import json
import re
import secrets
import threading
import webbrowser
from collections.abc import Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

from markupsafe import Markup

from turnwise.worlds.web.actions.actions import Action
from turnwise.worlds.web.browser.net import Answer, App, Cookies, ask, resolve
from turnwise.worlds.web.browser.serve import Loopback, Receive, Send, answered, body_of

__all__ = ["Person", "open_in_browser"]

_NOTE = "turnwise.localhost"
_HTML = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]
_JSON = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
_DROPPED = (b"cookie", b"host", b"origin", b"referer", b"accept-encoding")
_MAX_LOGGED = 300  # characters of one line of the log
_TOLD_S = 5.0
"""Longest time that the end of an episode waits for the person's page to show the verdict."""


class Person:
    """A person's turn at an episode.

    Args:
        app: The sites, an ASGI application.
        store: The episode's databases, which the application finds as ``scope["state"]["store"]``.
        hosts: Those of the episode, all under ``.test``.
        start: Address of the first page.
        task: The task that the side note shows.
        cookies: From the start, by host and name.
        port: Of this machine; 0 for any.

    Attributes:
        url: What the person opens.
        log: What the person did, a line each.
        action: How they ended the episode: ``answer``, ``infeasible`` or ``done``; None until then.
    """

    def __init__(
        self,
        app: App,
        store: object,
        hosts: frozenset[str],
        start: str,
        task: str,
        cookies: Mapping[str, Mapping[str, str]] = {},
        port: int = 0,
    ) -> None:
        self._app, self._store, self._hosts, self._task = app, store, hosts, task
        self._cookies = Cookies(cookies)
        self._key = secrets.token_urlsafe(9)
        self._ended, self._told = threading.Event(), threading.Event()
        self._verdict: str | None = None
        self._shown = False
        self._now = start
        self.log: list[str] = []
        self.action: Action | None = None
        self._links = re.compile(
            rb"""((?:href|action|src|data-tw-get)\s*=\s*["']?)http://([a-z0-9-]+)\.test(?=[/"'?#\s>])"""
        )
        self._server = Loopback(self, port)
        self.url = f"http://{_NOTE}:{self._server.port}/?key={self._key}"
        self._start = self.here(start)

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def here(self, url: str) -> str:
        """Return where the person finds an address of the episode."""
        return re.sub(r"^http://([a-z0-9-]+)\.test(?=[/?#]|$)", rf"http://\1.localhost:{self._server.port}", url)

    def wait(self, timeout_s: float | None = None) -> Action | None:
        """Wait for the person's answer; None if it has not come in time."""
        self._ended.wait(timeout_s)
        return self.action

    def show(self) -> None:
        """Open the episode in the default browser."""
        webbrowser.open(self.url)

    def tell(self, verdict: str) -> None:
        """Show the verdict on the person's page; returns when that page has it, or is gone."""
        self._verdict = verdict
        self._told.wait(_TOLD_S)

    def close(self) -> None:
        """Stop serving."""
        self._server.close()

    # ---- what the browser asks for --------------------------------------------------------------------------------

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request: the ASGI interface."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        name = headers.get(b"host", b"").decode("latin-1").partition(":")[0].lower()
        path = scope["raw_path"].decode("latin-1")
        query = scope["query_string"].decode("latin-1")
        body = await body_of(receive)
        host = f"{name.removesuffix('.localhost')}.test"
        if name == _NOTE:
            answer = self._note(
                scope["method"], path, dict(parse_qsl(query)), dict(parse_qsl(body.decode("utf-8", "replace")))
            )
        elif name.endswith(".localhost") and host in self._hosts:
            answer = self._site(scope["method"], f"http://{host}{path}{'?' if query else ''}{query}", headers, body)
        else:
            answer = Answer(404, _HTML, b"<p>There is no such site in this episode.</p>")
        await answered(send, scope["method"], answer)
        if self._shown:
            self._told.set()

    def _site(self, method: str, url: str, headers: dict[bytes, bytes], body: bytes) -> Answer:
        host, path = url[7:].partition("/")[0], "/" + url[7:].partition("/")[2].partition("?")[0]
        kept = [(key, value) for key, value in headers.items() if key not in _DROPPED]
        if cookie := self._cookies.header(host, path):
            kept.append((b"cookie", cookie.encode("latin-1", "replace")))
        answer = ask(self._app, self._store, method, url, kept, body)
        self._cookies.take(host, path, answer)
        if b"upgrade-insecure-requests" in headers or b"x-tw-fragment" in headers or method != "GET":
            self._noted(method, url, body, b"x-tw-fragment" in headers)
        return self._rewritten(url, answer)

    def _noted(self, method: str, url: str, body: bytes, fragment: bool) -> None:
        if method == "GET":
            line = f"{'loaded' if fragment else 'opened'} {url}"
            self._now = self._now if fragment else url
        else:
            fields = ", ".join(f"{name}={value}" for name, value in parse_qsl(body.decode("utf-8", "replace")))
            line = f"sent {url} ({fields})"
        self.log.append(line[:_MAX_LOGGED])

    def _rewritten(self, url: str, answer: Answer) -> Answer:
        headers = [(key, value) for key, value in answer.headers if key.lower() not in (b"set-cookie", b"location")]
        if location := answer.header(b"location"):
            headers.append((b"location", self.here(resolve(url, location)).encode("ascii", "replace")))
        body = answer.body
        if answer.header(b"content-type").startswith("text/html"):
            port = str(self._server.port).encode()
            body = self._links.sub(rb"\1http://\2.localhost:" + port, body)
        return Answer(answer.status, headers, body)

    # ---- the side note ----------------------------------------------------------------------------------------------

    def _note(self, method: str, path: str, query: dict[str, str], form: dict[str, str]) -> Answer:
        if not secrets.compare_digest({**query, **form}.get("key", "").encode(), self._key.encode()):
            return Answer(403, _HTML, b"<p>Open the address that turnwise printed.</p>")
        if method == "POST" and path == "/end" and form.get("verb") in ("answer", "infeasible", "done"):
            if self.action is None:
                verb, text = form["verb"], form.get("text", "").strip()
                self.action = Action(verb, text="" if verb == "done" else text)
                self._ended.set()
            return Answer(200, _HTML, _END.format(key=self._key).encode())
        if path == "/state":
            told = {"log": self.log, "url": self._now, "over": self.action is not None, "verdict": self._verdict}
            if self._verdict is not None and "end" in query:  # the page after the end asks, not the side note
                self._shown = True
            return Answer(200, _JSON, json.dumps(told).encode())
        sites = Markup("").join(
            Markup('<li><a href="{}" target="site">{}</a></li>').format(self.here(f"http://{host}/"), host)
            for host in sorted(self._hosts)
        )
        page = _PAGE.format(key=self._key, task=self._task, start=self._start, sites=sites)
        return Answer(200, _HTML, page.encode("utf-8", "replace"))


def open_in_browser(
    app: App,
    store: object,
    hosts: frozenset[str],
    start: str,
    task: str,
    cookies: Mapping[str, Mapping[str, str]] = {},
    show: bool = True,
    port: int = 0,
) -> Person:
    """Serve an episode for a person and, with ``show``, open it in their browser.

    Args:
        app: As for `Person`, like all the others.
        store: The episode's databases.
        hosts: Those of the episode.
        start: Address of the first page.
        task: What to do.
        cookies: From the start, by host and name.
        show: Open the default browser; else only ``url`` says where to go.
        port: Of this machine; 0 for any.

    Raises:
        SettingsError: The port cannot be had.
    """
    person = Person(app, store, hosts, start, task, cookies, port)
    if show:
        person.show()
    return person


_PAGE = Markup("""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>turnwise</title><style>
html, body {{ height: 100%; margin: 0; }}
body {{ display: flex; font: 15px/1.5 system-ui, sans-serif; color: #1d2733; }}
aside {{ width: 320px; padding: 18px; overflow: auto; box-sizing: border-box; }}
aside {{ background: #fffbe9; border-right: 1px solid #e3d9ad; }}
iframe {{ flex: 1; border: 0; height: 100%; }}
h2 {{ font-size: 14px; margin: 18px 0 4px; color: #6b6333; }}
.task {{ white-space: pre-wrap; font-weight: 600; }}
ol {{ padding-left: 22px; font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }}
ul {{ padding-left: 20px; margin: 0; }}
textarea {{ width: 100%; box-sizing: border-box; font: inherit; }}
button {{ font: inherit; margin: 6px 6px 0 0; }}
code {{ overflow-wrap: anywhere; font-size: 12px; }}
</style></head><body>
<aside>
<h2>Task</h2><div class="task">{task}</div>
<form method="post" action="/end"><input type="hidden" name="key" value="{key}">
<h2>Your answer</h2><textarea name="text" rows="3" aria-label="Answer or reason"></textarea>
<button name="verb" value="answer">Answer</button><button name="verb" value="done">Done, no answer</button>
<button name="verb" value="infeasible">It cannot be done</button></form>
<h2>Page</h2><code id="url">{start}</code>
<h2>Sites</h2><ul>{sites}</ul>
<h2>What you did</h2><ol id="log"></ol>
</aside>
<iframe name="site" src="{start}" title="The site"></iframe>
<script>
const log = document.getElementById("log"), url = document.getElementById("url");
async function look() {{
  try {{
    const told = await (await fetch("/state?key={key}")).json();
    url.textContent = told.url;
    while (log.children.length < told.log.length) {{
      log.append(Object.assign(document.createElement("li"), {{ textContent: told.log[log.children.length] }}));
      log.lastChild.scrollIntoView({{ block: "nearest" }});
    }}
    if (!told.over) setTimeout(look, 700);
  }} catch {{ document.title = "turnwise (ended)"; }}
}}
look();
</script></body></html>
""")
_END = Markup("""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>turnwise</title><style>
body {{ font: 17px/1.5 system-ui, sans-serif; color: #1d2733; margin: 60px auto; max-width: 640px; padding: 0 18px; }}
#verdict {{ font-weight: 600; white-space: pre-wrap; overflow-wrap: anywhere; }}
</style></head><body>
<p id="verdict" role="status">One moment ...</p><p>Thank you. This page can be closed.</p>
<script>
const verdict = document.getElementById("verdict");
async function look() {{
  try {{
    const told = await (await fetch("/state?end=1&key={key}")).json();
    if (told.verdict === null) setTimeout(look, 200);
    else verdict.textContent = told.verdict;
  }} catch {{ verdict.textContent = "The terminal says how it went."; }}
}}
look();
</script></body></html>
""")
