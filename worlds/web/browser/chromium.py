"""The driver with a real browser: `ChromiumBrowser`, by Playwright.

Every action ends in a snapshot of the live document, taken by ``data/driver.js`` and read by
`turnwise.worlds.web.browser.page.dom`. The base class refuses on it what cannot be done, before Chromium is asked.
"""

import contextlib
import datetime
import json
import weakref
from collections.abc import Coroutine, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypedDict, TypeVar
from urllib.parse import urldefrag

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.worlds.web.browser import pool
from turnwise.worlds.web.browser.base import Act, ActionError, Argument, Browser
from turnwise.worlds.web.browser.net import App
from turnwise.worlds.web.browser.page.dom import Node, Page, walk
from turnwise.worlds.web.browser.serve import EPISODE_HEADER, Episode

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext
    from playwright.async_api import Page as Tab

__all__ = ["ChromiumBrowser"]

T = TypeVar("T")
NUMBERED = (
    ":is(a[href],button,input:not([type=hidden i]),select,textarea,summary,[data-tw-toggle],[data-tw-tab],"
    "[data-tw-hover],[data-tw-remove],[data-tw-get]:not([data-tw-on=input],[data-tw-on=change]),[onclick],"
    '[tabindex]:not([tabindex^="-"]),[draggable=true]):not(datalist *,head *,select *,svg *,'
    "input[type=hidden i])"
)
"""What `turnwise.worlds.web.browser.page.dom.interactive` finds, as a selector."""
_SERVER = ("ERR_CONNECTION", "ERR_EMPTY", "ERR_TIMED_OUT", "ERR_SOCKET", "ERR_NETWORK", "ERR_INSUFFICIENT")
"""Failed loads that the server causes; others are caused by a blocked address."""
_LED_AWAY = "The page led to where this browser does not follow; it was loaded again."


class ChromiumBrowser(Browser):
    """A browser for one episode: a context of its own in the Chromium of this process.

    It takes and shows what `HttpBrowser` does, and can take screenshots. Calls block; they may come from any thread,
    one at a time, and under a running event loop. Time stands still at ``store.now``, if there is such a thing.

    Args:
        app: The sites, an ASGI application; it is served on loopback.
        store: The episode's databases, which the application finds as ``scope["state"]["store"]``.
        hosts: Those that may be visited, all under ``.test``; no other name and no address can be reached.
        start: Address of the first page.
        cookies: From the start, by host and name.
        executable: The program; by default the one that ``TURNWISE_CHROMIUM`` names, Playwright's, or one on the PATH.
        timeout_s: Longest time that one action may take, above 0, in seconds.
        headless: Without a window.
        screenshots: Load style sheets, for `screenshot`.

    Raises:
        SettingsError: There is no Chromium, or a setting cannot be used.
        MissingDependencyError: playwright or uvicorn is not installed.
        InfrastructureError: Chromium failed. So does every later call of this episode; the next one gets a new browser.
    """

    def __init__(
        self,
        app: App,
        store: object,
        hosts: frozenset[str],
        start: str,
        cookies: Mapping[str, Mapping[str, str]] = {},
        *,
        executable: str | None = None,
        timeout_s: float = 30.0,
        headless: bool = True,
        screenshots: bool = False,
    ) -> None:
        if not timeout_s > 0:
            raise SettingsError(f"timeout_s is {timeout_s!r}; it must be above 0")
        if wrong := sorted(host for host in hosts if not host.endswith(".test")):
            raise SettingsError(f"hosts has {wrong[0]!r}; a real browser takes hosts that end in '.test' only")
        super().__init__(hosts)
        try:
            first = self._address(start)
        except ActionError as error:
            raise SettingsError(f"start is {start!r}: {error}") from error
        self.app = app
        self._settings = (executable, timeout_s, headless, screenshots)
        self._begin(
            store,
            [{"name": n, "value": v, "url": f"http://{host}/"} for host in cookies for n, v in cookies[host].items()],
        )
        with self._closed_on_error():
            self._load(first)

    def _begin(self, store: object, cookies: list[Any]) -> None:
        """Open a context."""
        executable, self._timeout_s, headless, screenshots = self._settings
        self.store, self._failure = store, ""
        self._episode = Episode(self.app, store, self.hosts, styled=screenshots)
        self._context = _Context(self._episode, pool.claimed(self._episode, executable, headless))
        self._finalizer = weakref.finalize(self, self._context.abandon)
        self._finalizer.atexit = False  # the browser ends then
        with self._closed_on_error():
            self._run(self._context.open(_milliseconds(store), cookies))

    @contextlib.contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._failure:
            work.close()
            raise InfrastructureError(f"this browser has failed before: {self._failure}")
        try:
            found = self._context.browser.run(work, self._timeout_s)
            if self._episode.failure is not None:
                raise self._episode.failure
        except InfrastructureError as error:
            self._failure = str(error)
            raise
        return found

    def close(self) -> None:
        """Close the context; may be called repeatedly."""
        if self._finalizer.detach() is None:
            return
        browser = self._context.browser
        with contextlib.suppress(InfrastructureError):
            browser.run(self._context.close(), pool.CLOSE_S)
        if not self._context.closed:
            browser.give_up()
        self._context.abandon()

    def screenshot(self, whole: bool = False) -> bytes:
        """Return the active tab as a PNG: a window of 1,280 by 900 pixels, or the whole page.

        Raises:
            UsageError: The browser was made without ``screenshots``.
            InfrastructureError: Chromium failed.
        """
        if not self._settings[3]:
            raise UsageError("this browser loads no style sheets: make it with screenshots=True")
        return self._run(self._context.screenshot(self.active, whole))

    def fork(self, store: object) -> Self:
        """Return an independent copy that continues from here, on ``store``, in a context of its own.

        The live documents of all tabs are written down and served to the new context once, in place of the sites'
        answers: what fields hold, what is hidden, the numbers and the focus are as they were.

        Raises:
            UsageError: A page runs scripts of its own (``data-tw-needs-browser``), whose state cannot be copied.
            InfrastructureError: Chromium failed.
        """
        for tab in self._tabs:
            if any("data-tw-needs-browser" in node.attrs for node in walk(tab.page.root) if node.tag == "body"):
                raise UsageError(
                    f"{tab.page.url} runs scripts of its own, whose state cannot be copied: fork before or after"
                )
        cookies, documents = self._run(self._context.written())
        twin = type(self).__new__(type(self))
        twin.hosts, twin.active, twin.app, twin._settings = self.hosts, self.active, self.app, self._settings
        twin._tabs = [tab.fork() for tab in self._tabs]
        twin._begin(store, cookies)
        with twin._closed_on_error():
            twin._run(twin._context.restore(documents))
        return twin

    def __reduce__(self) -> NoReturn:
        raise UsageError("a live browser cannot be pickled; fork() of the environment gives a second one")

    # ---- what the base asks for -----------------------------------------------------------------------------------

    def _load(self, url: str) -> None:
        self._take(self._run(self._context.goto(self.active, url)), new=True)

    def _act(self, act: Act, node: Node, argument: Argument = None) -> None:
        before = self._context.documents[self.active]
        found = self._run(self._context.act(self.active, act, node.number, argument))
        self._take(found, new=found["id"] != before)

    def _take(self, found: "_Found", new: bool) -> None:
        """Make a snapshot the page of the active tab."""
        url = found["url"].partition("#")[0]
        if new:
            note = self._episode.note or found.get("note", "")
            self._show(Page(url, found["html"], self._episode.status, note=note, live=True))
        else:
            tab = self._tab
            tab.page = Page(url, found["html"], tab.page.status, tab.loads, tab.page.note, live=True)

    def _open_tab(self) -> None:
        self._run(self._context.open_tab())

    def _close_tab(self, place: int) -> None:
        self._run(self._context.close_tab(place))


# ---- on the driving thread ------------------------------------------------------------------------------------------


class _Found(TypedDict, total=False):
    """A snapshot: see ``data/driver.js``."""

    html: str
    url: str
    id: float
    note: str


class _Stays(Exception):
    """Raised if the document is not left."""


class _Context:
    """A context and its tabs; everything but `abandon` runs on the driving thread."""

    def __init__(self, episode: Episode, browser: pool.Chromium) -> None:
        self.browser, self.closed = browser, False
        self.documents: list[float] = []
        """What document each tab shows."""
        self._episode = episode
        self._tabs: list[Tab] = []
        self._context: BrowserContext | None = None
        self._opening = False
        browser.episodes.add(episode)

    async def open(self, now: int | None, cookies: list[Any]) -> None:
        """Make the context and its first tab."""
        self._context = await self.browser.process.new_context(
            extra_http_headers={EPISODE_HEADER: self._episode.token},
            service_workers="block",
            accept_downloads=False,
            viewport={"width": 1280, "height": 900},
            locale="en-US",
            timezone_id="UTC",
            reduced_motion="reduce",
        )
        self._context.set_default_timeout(0)  # the caller's limit is the limit
        self._context.on("page", self._opened)
        await self._context.add_init_script(_script(now))
        if cookies:
            await self._context.add_cookies(cookies)
        await self.open_tab()

    def _opened(self, tab: "Tab") -> None:
        if not self._opening:  # a pop-up window
            self.browser.post(tab.close())

    async def open_tab(self) -> None:
        """Add an empty tab at the end."""
        assert self._context is not None
        self._opening = True
        try:
            self._tabs.append(await self._context.new_page())
            self.documents.append(0.0)
        finally:
            self._opening = False

    async def close_tab(self, place: int) -> None:
        """Close a tab."""
        del self.documents[place]
        await self._tabs.pop(place).close()

    async def goto(self, place: int, url: str) -> _Found:
        """Load an address in a tab."""
        await self._tabs[place].goto(url, wait_until="commit")
        return await self._settled(place)

    async def act(self, place: int, verb: str, number: int, argument: object) -> _Found:
        """Do one thing in a tab and wait for what follows from it."""
        from playwright.async_api import Error

        tab, found = self._tabs[place], None
        before = tab.url
        try:
            async with tab.expect_navigation(wait_until="commit"):
                with _unless_left():
                    asked = [self.documents[place], verb, number, argument]
                    found = await tab.evaluate("(asked) => __turnwise.act(...asked)", asked)
                if found is not None:
                    raise _Stays
        except _Stays:
            return self._seen(place, found)
        except Error as error:
            if "net::" not in str(error) or any(reason in str(error) for reason in _SERVER):
                raise
            return {**await self._again(place, before), "note": _LED_AWAY}
        return await self._settled(place)

    async def _again(self, place: int, url: str) -> _Found:
        """Load an address in a new tab after a failed load, whose error page may still come."""
        await self.open_tab()
        self._tabs[place], failed = self._tabs.pop(), self._tabs[place]
        self.documents.pop()
        await failed.close()
        return await self.goto(place, url)

    async def _settled(self, place: int) -> _Found:
        while True:
            with _unless_left():
                return self._seen(place, await self._tabs[place].evaluate("__turnwise.settled()"))

    def _seen(self, place: int, found: Any) -> _Found:
        snapshot: _Found = found
        self.documents[place] = snapshot["id"]
        return snapshot

    async def screenshot(self, place: int, whole: bool) -> bytes:
        """Return a tab as a PNG."""
        return await self._tabs[place].screenshot(full_page=whole, animations="disabled", caret="hide")

    async def written(self) -> tuple[list[Any], list[_Found | None]]:
        """Return the cookies, and every tab's document with all that `restore` needs; None for a blank tab."""
        assert self._context is not None
        documents = [
            await tab.evaluate("__turnwise.snapshot(true)") if tab.url != "about:blank" else None for tab in self._tabs
        ]
        return await self._context.cookies(), documents

    async def restore(self, documents: list[_Found | None]) -> None:
        """Open tabs with documents as `written` returned them."""
        for place, document in enumerate(documents):
            if place:
                await self.open_tab()
            if document is not None:
                self._episode.preset = document["html"]
                await self.goto(place, urldefrag(document["url"])[0])

    async def close(self) -> None:
        """Close the context."""
        if self._context is not None:
            await self._context.close()
        self.closed = True

    def abandon(self) -> None:
        """Make the browser forget this context and close it later, if it is open. For any thread."""
        self.browser.episodes.remove(self._episode)
        if not self.closed:
            self.browser.post(self.close())
        pool.released(self._episode, self.browser)


@contextlib.contextmanager
def _unless_left() -> Iterator[None]:
    """Ignore the error for a document that was left meanwhile."""
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        if "context was destroyed" not in str(error):
            raise


def _milliseconds(store: object) -> int | None:
    now = getattr(store, "now", None)
    if not isinstance(now, datetime.datetime):
        return None
    return int((now if now.tzinfo else now.replace(tzinfo=datetime.UTC)).timestamp() * 1000)


@lru_cache(64)
def _script(now: int | None) -> str:
    source = (files("turnwise.worlds.web.browser") / "data" / "driver.js").read_text("utf-8")
    return f"({source.strip()})({json.dumps(NUMBERED)}, {json.dumps(now)})"
