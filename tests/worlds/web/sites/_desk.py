"""Requests to one site of a world, with its database at hand."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.browser.net import ask
from turnwise.worlds.web.site.app import WebApp
from turnwise.worlds.web.site.state import RowChange, Store
from turnwise.worlds.web.site.tasks import World

__all__ = ["Desk"]

_APP = WebApp()


class Desk:
    """Somebody's visit to a site: `user` is signed in."""

    def __init__(self, site: str, seed: int = 3, size: int = 60, user: int = 1) -> None:
        self.site, self.world = site, World(seed, size)
        self.store = Store(self.world, user, self.world.now)

    def get(self, path: str) -> tuple[int, str]:
        """Status and HTML."""
        return self._ask("GET", path, b"")

    def post(self, path: str, fields: Sequence[tuple[str, object]] = (), **more: object) -> tuple[int, str]:
        """Status, and HTML or the address of a redirect."""
        return self._ask("POST", path, urlencode([*fields, *more.items()]).encode())

    def _ask(self, method: str, path: str, body: bytes) -> tuple[int, str]:
        headers = [(b"host", f"{self.site}.test".encode()), (b"cookie", b"sid=start"),
                   (b"content-type", b"application/x-www-form-urlencoded")]  # fmt: skip
        answer = ask(_APP, self.store, method, f"http://{self.site}.test{path}", headers, body)
        return answer.status, answer.header(b"location") or answer.body.decode()

    def rows(self, sql: str, *values: object) -> list[Any]:
        """What stands in the database now."""
        return self.store.db(self.site).execute(sql, values).fetchall()

    def value(self, sql: str, *values: object) -> Any:
        """The first column of the first row."""
        return self.rows(sql, *values)[0][0]

    @property
    def changes(self) -> list[RowChange]:
        """What differs from the start."""
        return self.store.changes()
