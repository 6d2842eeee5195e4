"""The driver that needs no browser: requests to an application in this process, and HTML read by a library."""

from collections.abc import Mapping
from copy import copy, deepcopy
from typing import Self

from turnwise.core.errors import SettingsError
from turnwise.worlds.web.browser.base import Act, ActionError, Argument, Browser, Tab, focusable
from turnwise.worlds.web.browser.net import Answer, App, Cookies, ask, document, refusal
from turnwise.worlds.web.browser.page import behave, forms
from turnwise.worlds.web.browser.page.dom import Node, Page, chosen, options_of

__all__ = ["Act", "ActionError", "Argument", "Browser", "HttpBrowser", "Tab"]


class HttpBrowser(Browser):
    """The driver that needs no browser: requests to an application in this process, and HTML read by a library.

    Pickles in mid-episode if ``app`` and ``store`` do.

    Args:
        app: An ASGI application; it finds ``store`` as ``scope["state"]["store"]``.
        store: The episode's databases.
        hosts: The hosts that may be visited.
        start: The address of the first page.
        cookies: By host and name.

    Raises:
        SettingsError: ``start`` is on none of the hosts.
        InfrastructureError: The application needs an event loop.
    """

    def __init__(
        self,
        app: App,
        store: object,
        hosts: frozenset[str],
        start: str,
        cookies: Mapping[str, Mapping[str, str]] = {},
    ) -> None:
        super().__init__(hosts)
        self.app, self.store = app, store
        self._cookies = Cookies(cookies)
        try:
            self._load(self._address(start))
        except ActionError as error:
            raise SettingsError(f"start is {start!r}: {error}") from error

    def fork(self, store: object) -> Self:
        twin = copy(self)
        twin.store = store
        twin._cookies = self._cookies.copy()
        twin._tabs = [tab.fork() for tab in self._tabs]
        return twin

    # ---- requests ---------------------------------------------------------------------------------------------------

    def _ask(self, method: str, url: str, body: bytes = b"", *more: tuple[bytes, bytes]) -> Answer:
        host, _, rest = url[7:].partition("/")
        path = "/" + rest.partition("?")[0].partition("#")[0]
        headers = [(b"accept", b"text/html"), (b"user-agent", b"turnwise"), *more]
        cookie = self._cookies.header(host, path)
        if cookie:
            headers.append((b"cookie", cookie.encode("latin-1", "replace")))
        if method == "POST":
            headers.append((b"content-type", b"application/x-www-form-urlencoded"))
            headers.append((b"content-length", b"%d" % len(body)))
        answer = ask(self.app, self.store, method, url, headers, body)
        self._cookies.take(host, path, answer)
        return answer

    def _load(self, url: str) -> None:
        self._visit("GET", url)

    def _visit(self, method: str, url: str, body: bytes = b"") -> None:
        hops = 0
        while True:
            answer = self._ask(method, url, body)
            found = document(self.hosts, url, hops, answer)
            if not found.location:
                break
            if method == "POST" and found.status not in (307, 308):
                method, body = "GET", b""
            url = found.location
            hops += 1
        self._show(Page(url, found.html, found.status, note=found.note))
        html = found.html
        self._tab.dialogs = (b"data-tw-modal" if isinstance(html, bytes) else "data-tw-modal") in html  # type: ignore[operator]

    def _fetch(self, href: str, pairs: list[tuple[str, str]]) -> str | None:
        """Return what a page's own request gets: only from its own host, and None unless it succeeds."""
        url = self._resolved(href).partition("#")[0]
        if pairs:
            url += ("&" if url.partition("?")[2] else "?" * ("?" not in url)) + forms.encoded(pairs, "\n")
        own = self.page.url[7:].partition("/")[0]
        hops = 0
        while True:
            if url[7:].partition("/")[0] != own:
                return None
            answer = self._ask("GET", url, b"", (b"x-tw-fragment", b"1"))
            location = document(self.hosts, url, hops, answer).location
            if not location:
                break
            url = location
            hops += 1
        html = answer.body.decode("utf-8", "replace")
        if not 200 <= answer.status < 300:
            return None
        self._tab.dialogs = self._tab.dialogs or "data-tw-modal" in html
        return html

    def _navigate(self, href: str, method: str = "GET", body: bytes = b"") -> None:
        url = self._resolved(href)
        why = refusal(url, self.hosts)
        if why:
            raise ActionError(why)
        if method == "GET" and "#" in url and url.partition("#")[0] == self.page.url:
            return
        self._visit(method, url, body)

    def _submit(self, form: Node, submitter: Node | None) -> None:
        asked = forms.submission(form, submitter, self.page.url)
        if asked is not None:
            method, address, body = asked
            self._navigate(address, method, body)

    # ---- acting -----------------------------------------------------------------------------------------------------

    def _own(self, node: Node) -> Node:
        """Return the element, on a page that no fork shares."""
        tab = self._tab
        if not tab.shared:
            return node
        tab.page, tab.shared = deepcopy(tab.page), False
        return tab.page.elements[node.number]

    def _act(self, act: Act, node: Node, argument: Argument = None) -> None:
        if act == "click":
            link = node.tag == "a" and "href" in node.attrs
            if link and not self._tab.hovering and behave.clicked(node) is None:
                before = self.page
                self._navigate(node.attrs["href"])
                if self.page is before:  # a fragment of the same page
                    node = self._own(node)
                    self.page.focused = node.number
            else:
                self._clicked(self._own(node))
            return
        if act == "submit":
            form = forms.form_of(node)
            if form is not None:
                self._submit(form, None)
            return
        node = self._own(node)
        page = self.page
        if act == "hover":
            self._tab.hovering = behave.hover(page.root, node)
            return
        if focusable(node):
            page.focused = node.number
        if act == "fill" and isinstance(argument, str):
            forms.set_value(node, argument)
            self._changed(node)
        elif act == "select" and isinstance(argument, tuple):
            options = options_of(node)
            now = set(chosen(node))
            if argument != tuple(place for place, option in enumerate(options) if option in now):
                forms.set_options(options, argument)
                self._changed(node)
        elif act == "check" and argument is not ("checked" in node.attrs):
            self._clicked(node)

    def _clicked(self, node: Node) -> None:
        """Click: the box changes, then what the page declares, then what the element is for."""
        page = self.page
        if self._tab.hovering:
            self._tab.hovering = behave.leave(page.root, node)
        if focusable(node):
            page.focused = node.number
        kind = forms.kind_of(node)
        box = node.tag == "input" and kind in ("checkbox", "radio")
        changes = box and (kind == "checkbox" or "checked" not in node.attrs)
        if changes:
            forms.set_checked(node, kind == "radio" or "checked" not in node.attrs)
        actor = behave.clicked(node)
        if actor is not None:
            behave.run(page.root, actor, self._fetch)
            page.renumber()
            if actor.tag in ("a", "button"):
                return
        if box:
            if changes:
                self._changed(node)
            return
        self._activate(node)

    def _activate(self, node: Node) -> None:
        """Do what the element is for, or the nearest one around it."""
        at: Node | None = node
        while at is not None:
            if at.tag == "a" and "href" in at.attrs:
                self._navigate(at.attrs["href"])
                return
            if at.tag in ("button", "input"):
                form = forms.form_of(at)
                if form is not None and forms.is_submit(at):
                    self._submit(form, at)
                elif form is not None and forms.kind_of(at) == "reset":
                    forms.reset(form)
                return
            if at.tag == "summary" and at.parent is not None and at.parent.tag == "details":
                if "open" in at.parent.attrs:
                    del at.parent.attrs["open"]
                else:
                    at.parent.attrs["open"] = ""
                return
            at = at.parent

    def _changed(self, node: Node) -> None:
        """Dispatch the change of a field."""
        page = self.page
        behave.tell(page.root, node, "input", self._fetch)
        behave.tell(page.root, node, "change", self._fetch)
        if "data-tw-get" in node.attrs:
            page.renumber()
        form = behave.wants_submit(node)
        if form is not None:
            self._submit(form, None)
