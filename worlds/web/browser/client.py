"""Sites through httpx, without a socket: for trying an application, and for code that takes an ``httpx.Client``."""

import httpx

from turnwise.worlds.web.browser.net import App, ask

__all__ = ["InProcess"]


class InProcess(httpx.BaseTransport):
    """A transport for httpx, to try an application with ``httpx.Client(transport=InProcess(app, store))``."""

    def __init__(self, app: App, store: object = None) -> None:
        self._app, self._store = app, store

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request by `ask`."""
        headers = [(key.lower(), value) for key, value in request.headers.raw if key.lower() != b"host"]
        answer = ask(self._app, self._store, request.method, str(request.url), headers, request.read())
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body)
