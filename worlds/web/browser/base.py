"""What every driver shares: tabs, history, keys, and which actions are possible on a page.

`Browser` decides on the current page whether an action is possible, and explains why not. A driver only loads
documents and acts on elements. History is a list of addresses: going back loads the page again, typed text is lost, and
a posted form is never posted twice. ``#fragments`` are ignored.
"""

from abc import ABC, abstractmethod
from copy import copy
from typing import Literal, TypeAlias

from turnwise.worlds.web.actions.actions import Action, key_name
from turnwise.worlds.web.browser.net import refusal, resolve
from turnwise.worlds.web.browser.page import behave, forms
from turnwise.worlds.web.browser.page.dom import (
    Node,
    Page,
    chosen,
    disabled,
    name_of,
    option_value,
    options_of,
    text_of,
    value_of,
    visible,
    walk,
)

__all__ = ["MAX_TABS", "Act", "ActionError", "Argument", "Browser", "Tab", "focusable"]

MAX_TABS = 8
Act: TypeAlias = Literal["click", "fill", "select", "check", "hover", "focus", "submit"]
Argument: TypeAlias = str | bool | tuple[int, ...] | None
_IDLE_KEYS = frozenset(("Escape", "PageUp", "PageDown", "Home", "End", "ArrowLeft", "ArrowRight", "Delete"))
_ELSEWHERE = frozenset(("scroll", "wait", "answer", "infeasible", "done"))  # for the environment to heed


class ActionError(ValueError):
    """An action that cannot be done; its message is for the agent."""


class Tab:
    """A tab.

    Attributes:
        page: What it shows.
        urls: Its history, without fragments; empty while it is blank.
        at: Where in it the page stands.
        loads: How many documents it has loaded.
        shared: The page belongs to a fork, too: it is copied before it is changed.
        dialogs: The page may hold a ``data-tw-modal``.
        hovering: A panel may be open that hovering opened.
    """

    __slots__ = ("at", "dialogs", "hovering", "loads", "page", "shared", "urls")

    def __init__(self) -> None:
        self.page = Page("about:blank", "")
        self.urls: list[str] = []
        self.at = -1
        self.loads = 0
        self.shared = self.hovering = False
        self.dialogs = True

    def fork(self) -> "Tab":
        """Return a tab that shares the page until either changes it."""
        self.shared = True
        twin = copy(self)
        twin.urls = list(self.urls)
        return twin


class Browser(ABC):
    """Tabs with pages, and what can be done with them.

    A driver implements `_load` and `_act`, and calls `_show` whenever a document was loaded.

    Args:
        hosts: The hosts that may be visited, with a port where it is not 80.

    Attributes:
        hosts: As given.
        active: Which tab is in front, from 0.
    """

    def __init__(self, hosts: frozenset[str]) -> None:
        self.hosts = hosts
        self.active = 0
        self._tabs = [Tab()]

    # ---- for environments -------------------------------------------------------------------------------------------

    @property
    def page(self) -> Page:
        """The page of the active tab."""
        return self._tabs[self.active].page

    def tabs(self) -> list[tuple[str, str]]:
        """Return title and address of every tab."""
        return [(tab.page.title, tab.page.url) for tab in self._tabs]

    def do(self, action: Action) -> str:
        """Do an action; endings of an episode and scrolling are the environment's and do nothing here.

        Returns:
            "" or why it cannot be done, for the agent; then nothing has happened.

        Raises:
            InfrastructureError: The driver failed.
        """
        try:
            self._do(action)
        except ActionError as error:
            return str(error)
        page = self.page
        if page.focused is not None:
            node = page.elements.get(page.focused)
            if node is None or not visible(node):
                page.focused = None
        return ""

    @abstractmethod
    def fork(self, store: object) -> "Browser":
        """Return an independent copy that continues from here, on ``store``."""

    def close(self) -> None:  # noqa: B027 - a driver may need nothing
        """Release what the driver holds."""

    # ---- for drivers ------------------------------------------------------------------------------------------------

    @abstractmethod
    def _load(self, url: str) -> None:
        """Open an address in the active tab and `_show` what comes."""

    @abstractmethod
    def _act(self, act: Act, node: Node, argument: Argument = None) -> None:
        """Act on a usable element of the active page.

        Args:
            act: What to do. "submit" sends the form of a field without pressing a button.
            node: The element; it has a number.
            argument: Of "fill" the value the field is to hold, of "select" the places of the options to be selected,
                of "check" whether the box is to be checked.
        """

    def _open_tab(self) -> None:  # noqa: B027 - a driver may need nothing
        """Called after a blank tab was added at the end and activated."""

    def _switch_tab(self, place: int) -> None:  # noqa: B027 - a driver may need nothing
        """Called before another tab becomes active."""

    def _close_tab(self, place: int) -> None:  # noqa: B027 - a driver may need nothing
        """Called before a tab is closed."""

    @property
    def _tab(self) -> Tab:
        return self._tabs[self.active]

    def _show(self, page: Page) -> None:
        """Show a document loaded in the active tab; adds to the history unless the address is the same."""
        tab = self._tab
        page.url = page.url.partition("#")[0]
        tab.page, tab.shared, tab.hovering, tab.dialogs = page, False, False, True
        tab.loads += 1
        page.serial = tab.loads
        if not tab.urls or tab.urls[tab.at] != page.url:
            tab.at += 1
            tab.urls[tab.at :] = [page.url]

    # ---- actions ----------------------------------------------------------------------------------------------------

    def _do(self, action: Action) -> None:
        verb = action.verb
        if verb == "goto":
            self._load(self._address(action.text))
        elif verb == "back":
            self._travel(-1)
        elif verb == "forward":
            self._travel(1)
        elif verb == "new_tab":
            self._new_tab(action.text)
        elif verb == "tab":
            place = (action.element or 0) - 1
            if not 0 <= place < len(self._tabs):
                raise ActionError(f"there is no tab {action.element}; the tabs are 1 to {len(self._tabs)}")
            self._switch_tab(place)
            self.active = place
        elif verb == "close_tab":
            if len(self._tabs) == 1:
                raise ActionError("the last tab cannot be closed")
            self._close_tab(self.active)
            del self._tabs[self.active]
            self.active = max(0, self.active - 1)
            self._switch_tab(self.active)
        elif verb == "press":
            self._press(action)
        elif verb not in _ELSEWHERE:
            self._use(verb, self._usable(action.element), action)

    def _address(self, text: str) -> str:
        text = text.strip()
        if text.partition("/")[0].lower() in self.hosts:
            text = f"http://{text}"
        url = self._resolved(text)
        why = refusal(url, self.hosts)
        if why:
            raise ActionError(why)
        return url.partition("#")[0]

    def _resolved(self, href: str) -> str:
        try:
            return resolve(self.page.url, href)
        except ValueError as error:
            raise ActionError(str(error)) from None

    def _travel(self, step: int) -> None:
        tab = self._tab
        place = tab.at + step
        if not 0 <= place < len(tab.urls):
            raise ActionError(f"there is no {'earlier' if step < 0 else 'later'} page in this tab")
        urls = list(tab.urls)
        tab.at = place
        self._load(urls[place])
        urls[place] = tab.page.url
        tab.urls, tab.at = urls, place

    def _new_tab(self, text: str) -> None:
        if len(self._tabs) >= MAX_TABS:
            raise ActionError(f"there are {MAX_TABS} tabs already; close one first")
        url = self._address(text) if text else ""
        self._tabs.append(Tab())
        self.active = len(self._tabs) - 1
        self._open_tab()
        if url:
            self._load(url)

    def _usable(self, number: int | None) -> Node:
        """Return the element of that number, if it can be used."""
        node = self.page.elements.get(number or 0)
        if node is None:
            raise ActionError(f"there is no element [{number}] on this page")
        if not visible(node):
            raise ActionError(f"[{number}] is hidden")
        dialog = self._dialog()
        if dialog is not None and not _inside(node, dialog):
            raise ActionError(f"a dialog is in the way: {name_of(dialog)!r}")
        if disabled(node):
            raise ActionError(f"[{number}] is disabled")
        return node

    def _dialog(self) -> Node | None:
        """Return the open dialog, the last if there are several."""
        if not self._tab.dialogs:
            return None
        shown = [node for node in walk(self.page.root) if "data-tw-modal" in node.attrs and visible(node)]
        return shown[-1] if shown else None

    def _way_out(self) -> Node | None:
        """Return what closes the open dialog."""
        dialog = self._dialog()
        name = "" if dialog is None else dialog.attrs.get("id", "")
        inside = walk(dialog) if dialog is not None and name else ()
        return next((node for node in inside if node.attrs.get("data-tw-remove") == name and node.number), None)

    def _use(self, verb: str, node: Node, action: Action) -> None:
        if verb == "click":
            self._click(node)
        elif verb == "fill":
            self._fill(node, action.text)
        elif verb == "select":
            self._act("select", node, _places(node, (action.text, *action.more)))
        elif verb in ("check", "uncheck"):
            kind = forms.kind_of(node)
            if node.tag != "input" or kind not in ("checkbox", "radio"):
                raise ActionError(f"[{node.number}] is not a check box")
            if kind == "radio" and verb == "uncheck":
                raise ActionError(f"[{node.number}] is a radio button: check another one instead")
            self._act("check", node, verb == "check")
        elif verb == "hover":
            self._act("hover", node)
        elif verb == "focus":
            self._act("focus", node)
        else:
            raise ActionError(f"there is no action {verb!r}")

    def _click(self, node: Node) -> None:
        if node.tag == "select":  # opened: a list that has the focus shows all its options
            self._act("focus", node)
            return
        if node.tag == "input" and forms.kind_of(node) == "file":
            raise ActionError("files cannot be sent here")
        href = node.attrs.get("href") if node.tag == "a" else None
        if forms.is_submit(node) and (form := forms.form_of(node)) is not None:
            href = node.attrs.get("formaction") or form.attrs.get("action", "")
        if href is not None and behave.clicked(node) is not node:
            why = refusal(self._resolved(href), self.hosts)
            if why:
                raise ActionError(why)
        self._act("click", node)

    def _fill(self, node: Node, text: str) -> None:
        if not forms.is_text(node):
            hint = f": use select({node.number}, 'option')" if node.tag == "select" else ""
            raise ActionError(f"[{node.number}] is not a text field{hint}")
        if "readonly" in node.attrs:
            raise ActionError(f"[{node.number}] is read-only")
        try:
            self._act("fill", node, forms.typed(node, text))
        except ValueError as error:
            raise ActionError(str(error)) from None

    # ---- keys -------------------------------------------------------------------------------------------------------

    def _press(self, action: Action) -> None:
        try:
            key = key_name(action.text)
        except ValueError as error:
            raise ActionError(str(error)) from None
        number = self.page.focused if action.element is None else action.element
        if key == "Tab":
            self._act("focus", self._after(number))
            return
        if key == "Escape" and (way_out := self._way_out()) is not None:
            self._click(way_out)
            return
        if number is None:
            if key in _IDLE_KEYS:
                return
            raise ActionError(f"nothing has the focus; say where: press(n, {action.text!r})")
        node = self._usable(number)
        if key in _IDLE_KEYS:
            self._act("focus", node)
        elif forms.is_text(node):
            self._type(node, key)
        elif key == "Enter" and node.tag == "input" and forms.kind_of(node) in ("checkbox", "radio"):
            self._enter(node)
        elif key in ("ArrowUp", "ArrowDown") and node.tag == "select" and "multiple" not in node.attrs:
            self._step(node, 1 if key == "ArrowDown" else -1)
        elif _presses(node, key):
            self._click(node)
        else:
            raise ActionError(f"{key} does nothing on [{node.number}]")

    def _type(self, node: Node, key: str) -> None:
        value = value_of(node)
        if key == "Enter" and node.tag != "textarea":
            self._enter(node)
        elif key == "Backspace":
            self._fill(node, value[:-1])
        elif key in ("ArrowUp", "ArrowDown"):
            self._act("focus", node)
        else:
            self._fill(node, value + {"Enter": "\n", "Space": " "}.get(key, key))

    def _enter(self, node: Node) -> None:
        """Press Enter in a field: presses the form's first button, or submits a form with a single text field."""
        form = forms.form_of(node)
        button = forms.default_button(form) if form is not None else None
        if button is not None and not disabled(button):
            self._click(button)
        elif form is not None and button is None and forms.lone_field(form):
            why = refusal(self._resolved(form.attrs.get("action", "")), self.hosts)
            if why:
                raise ActionError(why)
            self._act("submit", node)
        else:
            self._act("focus", node)

    def _step(self, node: Node, step: int) -> None:
        options = options_of(node)
        now = chosen(node)
        place = options.index(now[0]) + step if now else 0
        while 0 <= place < len(options) and disabled(options[place]):
            place += step
        if 0 <= place < len(options):
            self._act("select", node, (place,))

    def _after(self, number: int | None) -> Node:
        """Return the next element that can have the focus; after the last comes the first."""
        dialog = self._dialog()
        usable = [
            node
            for node in self.page.elements.values()
            if focusable(node) and not disabled(node) and visible(node) and (dialog is None or _inside(node, dialog))
        ]
        if not usable:
            raise ActionError("nothing on this page can have the focus")
        numbers = [node.number for node in usable]
        return usable[(numbers.index(number) + 1) % len(usable)] if number in numbers else usable[0]


def _inside(node: Node, outer: Node) -> bool:
    at: Node | None = node
    while at is not None and at is not outer:
        at = at.parent
    return at is not None


def focusable(node: Node) -> bool:
    """Whether the element can have the focus."""
    if node.tag in ("button", "input", "select", "textarea", "summary"):
        return True
    return (node.tag == "a" and "href" in node.attrs) or "tabindex" in node.attrs


def _presses(node: Node, key: str) -> bool:
    """Whether the key acts as a click."""
    kind = forms.kind_of(node)
    button = kind in ("submit", "reset", "button", "image", "summary")
    if key == "Enter":
        return button or (node.tag == "a" and "href" in node.attrs)
    return key == "Space" and (button or (node.tag == "input" and kind in ("checkbox", "radio")))


def _places(select: Node, wanted: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indices of the wanted options: by text, else by value, else by text whatever its case."""
    if select.tag != "select":
        raise ActionError(f"[{select.number}] is not a list")
    if len(wanted) > 1 and "multiple" not in select.attrs:
        raise ActionError(f"[{select.number}] takes one option only")
    options = options_of(select)
    texts = [option.attrs.get("label") or text_of(option) for option in options]
    places = []
    for text in wanted:
        said = " ".join(text.split())
        found = [place for place, known in enumerate(texts) if known == said]
        found = found or [place for place, option in enumerate(options) if option_value(option) == text]
        found = found or [place for place, known in enumerate(texts) if known.casefold() == said.casefold()]
        found.sort(key=lambda place: disabled(options[place]))
        if not found:
            shown = ", ".join(map(repr, texts[:20])) + (", ..." if len(texts) > 20 else "")
            raise ActionError(f"[{select.number}] has no option {said[:80]!r}; it has: {shown}")
        if disabled(options[found[0]]):
            raise ActionError(f"the option {said[:80]!r} is disabled")
        places.append(found[0])
    return tuple(sorted(set(places)))
