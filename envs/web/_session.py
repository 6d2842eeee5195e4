"""The live half of an episode: databases, a browser, and what is shown of the page."""

from typing import Any

from turnwise.envs.web._draw import WebTask
from turnwise.worlds.web.actions.actions import Action
from turnwise.worlds.web.browser.http import Browser, HttpBrowser
from turnwise.worlds.web.browser.page.dom import Page
from turnwise.worlds.web.browser.text.read import Line, View, outline, render, scrolled
from turnwise.worlds.web.site.plan import APP, hosts_for, open_store
from turnwise.worlds.web.site.state import Store
from turnwise.worlds.web.site.tasks import World

__all__ = ["Session", "opened"]


class Session:
    """Databases and a browser; copies are independent, and pickles continue in another process.

    Attributes:
        store: The databases.
        browser: With the task's first page open.
        top: First line of the viewport.
        shown: The document that the agent read last, its first line shown, and its lines; None before.
    """

    def __init__(self, store: Store, browser: Browser) -> None:
        self.store, self.browser = store, browser
        self.top = 0
        self.shown: tuple[tuple[int, int, str, int], list[Line]] | None = None

    @property
    def page(self) -> Page:
        """The page of the active tab."""
        return self.browser.page

    def document(self) -> tuple[int, int, str]:
        """The document of the tab that is shown."""
        return self.browser.active, self.page.serial, self.page.url

    def scroll(self, way: str, view: View) -> str:
        """Move the viewport, and return an error text if it cannot be moved."""
        top = scrolled(self.page, view, self.top, "down" if way == "down" else "up")
        if top == self.top:
            return f"there is nothing further {way}"
        self.top = top
        return ""

    def do(self, action: Action, view: View) -> str:
        """Do an action, and return "" or what went wrong, for the agent."""
        if action.verb == "scroll":
            return self.scroll(action.text, view)
        before = self.document()
        error = self.browser.do(action)
        if self.document() != before:
            self.top = 0
        return error

    def text(self, view: View, error: str = "", changes: bool = False) -> str:
        """Return what the agent reads now; with ``changes`` only what is new on a page that it has read."""
        place, lines = (*self.document(), self.top), outline(self.page, view.form)
        before = self.shown[1] if changes and self.shown is not None and self.shown[0] == place else None
        self.shown = (place, lines) if changes else None
        tabs = self.browser.tabs()
        return render(self.page, view, self.top, tabs, error, before, self.browser.active, lines)

    def close(self) -> None:
        """Close the databases and the browser."""
        self.browser.close()
        self.store.close()

    def __deepcopy__(self, memo: object) -> "Session":
        store = self.store.fork()
        twin = Session(store, self.browser.fork(store))
        twin.top, twin.shown = self.top, self.shown
        return twin


def session_cookies(task: WebTask) -> dict[str, dict[str, str]]:
    """Return the cookies of the start, by host."""
    return {host: {"sid": "start"} for host in hosts_for(task.sites)} if task.signed_in else {}


def opened(task: WebTask, driver: str, timeout_s: float, screenshots: bool = False) -> Session:
    """Open the session of an episode's start.

    Raises:
        InfrastructureError: The browser failed.
    """
    store = open_store(task.snapshots(), World(task.world, task.size), task.signed_in)
    hosts, cookies = hosts_for(task.sites), session_cookies(task)
    if driver == "http":
        return Session(store, HttpBrowser(APP, store, hosts, task.start, cookies))
    from turnwise.worlds.web.browser.chromium import ChromiumBrowser

    settings: dict[str, Any] = {"timeout_s": timeout_s, "screenshots": screenshots}
    return Session(store, ChromiumBrowser(APP, store, hosts, task.start, cookies, **settings))
