"""Pages as both browsers produce them: a tree, the numbers of its elements, and where it came from.

It offers what is known of trees, roles, names and fields; `turnwise.worlds.web.browser.page.tree`,
`turnwise.worlds.web.browser.page.parse`, `turnwise.worlds.web.browser.page.roles` and
`turnwise.worlds.web.browser.page.fields` say how.
"""

from collections.abc import Callable
from typing import Any

from turnwise.worlds.web.browser.page.fields import chosen, disabled, option_value, options_of, value_of
from turnwise.worlds.web.browser.page.parse import parse, parse_document, parse_fragment
from turnwise.worlds.web.browser.page.roles import hides, labels_of, name_of, role_of, text_of, visible
from turnwise.worlds.web.browser.page.styles import hiding, mark_unseen, may_hide
from turnwise.worlds.web.browser.page.tree import Node, by_id, interactive, root_of, to_html, walk

__all__ = [
    "Node",
    "Page",
    "by_id",
    "chosen",
    "disabled",
    "hides",
    "interactive",
    "labels_of",
    "name_of",
    "number_elements",
    "option_value",
    "options_of",
    "parse",
    "parse_fragment",
    "role_of",
    "root_of",
    "text_of",
    "to_html",
    "value_of",
    "visible",
    "walk",
]

_NO_NUMBERS_IN = frozenset(("script", "style", "svg", "template", "textarea"))


def number_elements(root: Node, start: int = 0, elements: dict[int, Node] | None = None) -> int:
    """Number the interactive elements that have no number yet, also hidden ones, in document order.

    Args:
        root: Of the page.
        start: The highest number given so far; the next element gets ``start + 1``.
        elements: Receives all elements with numbers.

    Returns:
        The highest number given so far.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.number and interactive(node):
            start += 1
            node.number = start
        if node.number and elements is not None:
            elements[node.number] = node
        children = node.children
        if children and node.tag not in _NO_NUMBERS_IN:
            stack += [child for child in children[::-1] if child.__class__ is Node]
    return start


class Page:
    """A document in a tab.

    Attributes:
        url: Its address, after redirects.
        title: Of the document, white space collapsed.
        focused: The number of the focused element.
        status: The HTTP status that it came with.
        serial: Grows with every load of a document in the tab.
        note: What went wrong with the load; "" if nothing.
        last: The highest number given to an element so far.
    """

    __slots__ = (
        "_elements",
        "_html",
        "_labels",
        "_root",
        "_styled",
        "focused",
        "last",
        "note",
        "serial",
        "status",
        "title",
        "url",
    )

    def __init__(
        self,
        url: str,
        root: Node | str | bytes,
        status: int = 200,
        serial: int = 0,
        note: str = "",
        focused: int | None = None,
        live: bool = False,
    ) -> None:
        """Take in a document.

        Args:
            url: Its address.
            root: Its tree or HTML.
            status: The HTTP status.
            serial: How many documents the tab has loaded.
            note: What went wrong.
            focused: The number of the focused element.
            live: The HTML is what Chromium made of a document: it has the numbers (``data-tw-n``) and marks what is
                focused (``data-tw-focus``).
        """
        self._html = ""
        self.url, self.status, self.serial, self.note = url, status, serial, note
        self.focused = focused
        self.last = 0
        self._elements: dict[int, Node] | None = None
        self._labels: dict[str, list[Node]] | None = None
        self._styled = False
        if isinstance(root, Node):
            self._root: Node | None = root
            self.renumber(live)
        else:
            text = root.decode("utf-8", "replace") if isinstance(root, bytes) else root
            self._styled = may_hide(text)
            document = parse_document(text, live)
            self._root, self._elements = document.root, document.elements
            self._labels = labels_of(document.labels)
            self.last = max(document.elements, default=0)
        if live:
            self._take_focus()
        if self._styled:
            mark_unseen(self._root)
        self.title = _title(self._root)

    @property
    def root(self) -> Node:
        """The tree; its top is ``"#document"``."""
        if self._root is None:
            self._root, self._html = Node.of_state(self._html), ""
        return self._root

    @property
    def elements(self) -> dict[int, Node]:
        """The elements of the page by their numbers, also hidden ones, in document order."""
        if self._elements is None:
            self._elements = {node.number: node for node in walk(self.root) if node.number}
        return self._elements

    @property
    def labels(self) -> dict[str, list[Node]]:
        """The labels of the page by the ``id`` they are for."""
        if self._labels is None:
            self._labels = labels_of(walk(self.root))
        return self._labels

    @property
    def fields(self) -> list[Node]:
        """The inputs, selects and text areas of the page."""
        return [node for node in self.elements.values() if node.tag in ("input", "select", "textarea")]

    def renumber(self, live: bool = False) -> None:
        """Number elements that are new on the page and forget removed ones.

        Args:
            live: The numbers are Chromium's; no number is assigned here.
        """
        elements: dict[int, Node] = {}
        if live:
            elements = {node.number: node for node in walk(self.root) if node.number}
            self.last = max(self.last, max(elements, default=0))
        else:
            self.last = number_elements(self.root, self.last, elements)
            self._styled = self._styled or any(map(hiding, walk(self.root)))
            if self._styled:
                mark_unseen(self.root)
        if self.focused not in elements:
            self.focused = None
        self._elements = elements
        self._labels = None

    def dissolve(self) -> None:
        """Cut the nodes from those above them: a page that nobody needs any more is freed without the collector."""
        stack: list[Node] = [] if self._root is None else [self._root]
        while stack:
            node = stack.pop()
            node.parent = None
            stack += [child for child in node.children if child.__class__ is Node]

    def _take_focus(self) -> None:
        for node in walk(self.root):
            if node.attrs.pop("data-tw-focus", None) is not None and node.number:
                self.focused = node.number

    def __deepcopy__(self, memo: dict[int, Any]) -> "Page":
        return _page(self._state())

    def __reduce__(self) -> tuple[Callable[[tuple[Any, ...]], "Page"], tuple[tuple[Any, ...]]]:
        return _page, (self._state(),)

    def _state(self) -> tuple[Any, ...]:
        html = self._html if self._root is None else self._root.state()
        return html, self.url, self.title, self.focused, self.status, self.serial, self.note, self.last, self._styled


def _title(root: Node) -> str:
    node: Node | None = root
    for tag in ("html", "head", "title"):
        below = node.children if node is not None else ()
        node = next((child for child in below if isinstance(child, Node) and child.tag == tag), None)
    return text_of(node) if node is not None else ""


def _page(state: tuple[Any, ...]) -> Page:
    """Return a page that parses its tree on first use."""
    page = Page.__new__(Page)
    page._root = page._elements = page._labels = None
    page._html, page.url, page.title, page.focused, page.status, page.serial, page.note, page.last, page._styled = state
    return page
