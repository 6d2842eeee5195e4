"""A page as a tree of our own nodes, which writes itself as HTML and reads that back.

Nothing here repairs HTML: `turnwise.worlds.web.browser.page.parse` has lexbor do it, which then writes it well-formed.
A short loop over that text makes the nodes: faster than asking lexbor for one node after the other. Nothing recurses.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from turnwise.worlds.web.words import words

__all__ = [
    "BEHAVIOUR",
    "GIVEN_NUMBERS",
    "MAX_TAGS",
    "NEW_NUMBERS",
    "NO_NUMBERS",
    "UNSEEN",
    "VOID",
    "Document",
    "Node",
    "built",
    "by_id",
    "interactive",
    "root_of",
    "to_html",
    "walk",
]

MAX_TAGS = 200_000  # opening and closing ones
UNSEEN = "data-tw-unseen"
"""The attribute that `styles.py` gives to what is hidden: "" with all that is in it, "own" but for
elements in it that are shown."""


VOID = words("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
BEHAVIOUR = words("data-tw-get data-tw-hover data-tw-remove data-tw-tab data-tw-toggle draggable onclick tabindex")
_RAW = words("iframe noembed noframes plaintext script style xmp")
_SWALLOWS = frozenset(("listing", "pre", "textarea"))  # a newline at their start
_NO_TEXT = words("datalist dl head html ol optgroup select table tbody tfoot thead tr ul")  # blanks in them say nothing
_ATTRIBUTE = re.compile(r'(=?[^=\s]*)="([^"]*)"')
_ESCAPES = re.compile('[&"<>\xa0]')

NO_NUMBERS, NEW_NUMBERS, GIVEN_NUMBERS = range(
    3
)  # numbers: none are given, each element gets the next, the HTML has them
_Head = tuple[str, dict[str, str] | None, int]
_PLAIN, _LABEL, _SPECIAL, _ACTIVE, _ACTIVE_VOID, _VOID, _DECLARATION = range(7)
MAX_HEADS = 8_192
_heads: dict[str, _Head] = {}
"""Tags as they were written, and what was read from them: pages of a site repeat theirs."""


class Node:
    """One element of a page; its texts are plain strings among ``children``.

    The state of a form is in the attributes (``value``, ``checked``, ``selected``) and in a textarea's text, so that a
    tree is all there is to a page. Copies and pickles go through HTML: no recursion, and no parser.

    Attributes:
        tag: In lower case; ``"#document"`` for the root.
        attrs: Names in lower case.
        number: What the agent calls it by; 0 if nothing can be done with it.
    """

    __slots__ = ("attrs", "children", "number", "parent", "tag")

    def __init__(self, tag: str, attrs: dict[str, str] | None = None, parent: "Node | None" = None) -> None:
        self.tag = tag
        self.attrs = {} if attrs is None else attrs
        self.children: list[Node | str] = []
        self.parent = parent
        self.number = 0

    def append(self, child: "Node | str") -> None:
        """Add ``child`` at the end."""
        self.children.append(child)
        if isinstance(child, Node):
            child.parent = self

    def remove(self) -> None:
        """Take this node out of its tree."""
        if self.parent is not None:
            self.parent.children = [child for child in self.parent.children if child is not self]
            self.parent = None

    def state(self) -> str:
        """Return the node and what is below it, with numbers, as HTML that `of_state` reads without repair."""
        return to_html(self, exact=True)

    @staticmethod
    def of_state(state: str) -> "Node":
        """Return the node that wrote `state`, without what was above it."""
        node = built(state, GIVEN_NUMBERS, False, -1).root.children[0]
        assert isinstance(node, Node)
        node.parent = None
        return node

    def __deepcopy__(self, memo: dict[int, Any]) -> "Node":
        return Node.of_state(self.state())

    def __reduce__(self) -> tuple[Callable[[str], "Node"], tuple[str]]:
        return Node.of_state, (self.state(),)

    def __repr__(self) -> str:
        number = f" number={self.number}" if self.number else ""
        return f"<Node {self.tag}{number} {self.attrs}>"


class Document(NamedTuple):
    """A parsed document: its tree, its numbered elements, its labels, and whether it was read to its end."""

    root: Node
    elements: dict[int, Node]
    labels: list[Node]
    whole: bool


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all nodes below it, in document order."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += [child for child in reversed(node.children) if child.__class__ is Node]


def by_id(root: Node, name: str) -> Node | None:
    """Return the first node whose ``id`` is ``name``."""
    return next((node for node in walk(root) if node.attrs.get("id") == name), None)


def root_of(node: Node) -> Node:
    """Return the top of the node's tree."""
    while node.parent is not None:
        node = node.parent
    return node


def interactive(node: Node) -> bool:
    """Whether something can be done with the element, so that it gets a number.

    Links with ``href``, buttons, all inputs but hidden ones, selects, text areas, summaries, and whatever has a click
    or hover behaviour: ``data-tw-toggle``, ``-tab``, ``-hover``, ``-remove``, ``-get`` (on click), ``onclick``, a
    ``tabindex`` from 0, ``draggable="true"``. In CSS: ``a[href], button, input:not([type=hidden i]), select, textarea,
    summary, [data-tw-toggle], [data-tw-tab], [data-tw-hover], [data-tw-remove], [data-tw-get]:not([data-tw-on=input],
    [data-tw-on=change]), [onclick], [tabindex]:not([tabindex^="-"]), [draggable=true]``, but no hidden input.
    """
    tag, attrs = node.tag, node.attrs
    if tag == "a":
        if "href" in attrs:
            return True
    elif tag == "input":
        return attrs.get("type", "").lower() != "hidden"
    elif tag in ("button", "select", "textarea", "summary"):
        return True
    if not attrs or BEHAVIOUR.isdisjoint(attrs):
        return False
    if "data-tw-get" in attrs and attrs.get("data-tw-on") not in ("input", "change"):
        return True
    if "tabindex" in attrs and not attrs["tabindex"].startswith("-"):
        return True
    if attrs.get("draggable") == "true":
        return True
    return any(
        name in attrs for name in ("data-tw-toggle", "data-tw-tab", "data-tw-hover", "data-tw-remove", "onclick")
    )


def to_html(node: Node, exact: bool = False) -> str:
    """Return the node as HTML.

    Args:
        node: An element, or the root of a document.
        exact: For copies: with the numbers, and without the newline that a parser would swallow.
    """
    out: list[str] = []
    stack: list[Iterator[Node | str]] = [iter((node,))]
    ends = [""]
    while stack:
        for child in stack[-1]:
            if isinstance(child, str):
                out.append(_escaped(child) if ends[-1][2:-1] not in _RAW else child)
                continue
            tag, attrs = child.tag, child.attrs
            if tag == "#document" and not exact:
                out.append(f"<!DOCTYPE {attrs['doctype']}>" if "doctype" in attrs else "")
                ends.append("")
            else:
                written = "".join([f' {key}="{_escaped(attrs[key])}"' for key in attrs]) if attrs else ""
                number = f' data-tw-n="{child.number}"' if exact and child.number else ""
                out.append(f"<{tag}{written}{number}>")
                if tag in VOID and not child.children:
                    continue
                if not exact and tag in _SWALLOWS and child.children:
                    first = child.children[0]
                    out.append("\n" if isinstance(first, str) and first.startswith("\n") else "")
                ends.append(f"</{tag}>")
            stack.append(iter(child.children))
            break
        else:
            stack.pop()
            out.append(ends.pop())
    return "".join(out)


def _escaped(text: str) -> str:
    if not _ESCAPES.search(text):
        return text
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("\xa0", "&nbsp;")


def _unescaped(text: str) -> str:
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&quot;", '"')
    return text.replace("&amp;", "&")


def built(html: str, numbers: int, scripting: bool, most: int = MAX_TAGS) -> Document:
    """Return the tree of well-formed HTML, as lexbor and `to_html` write it.

    ``<`` in a text or a value is always ``&lt;`` there, except in scripts and their like; only a strange attribute's
    name may hold one.

    Args:
        html: The text.
        numbers: Where those of the elements come from.
        scripting: What a ``<noscript>`` holds is a text.
        most: This many tags at the most.
    """
    root = node = Node("#document")
    children = root.children
    elements: dict[int, Node] = {}
    labels: list[Node] = []
    dead: Node | None = None  # in it nothing gets a number
    waits = ""  # for this end
    held: list[str] = []  # what stands before a "<" in an attribute's name
    known, new, given = _heads.get, Node.__new__, numbers == GIVEN_NUMBERS
    count = 0 if numbers == NEW_NUMBERS else -1
    pieces = html.split("<", most)
    whole = len(pieces) <= most or most < 0
    if pieces[0]:
        children.append(_unescaped(pieces[0]))
    del pieces[0], pieces[len(pieces) if whole else most - 1 :]
    for piece in pieces:
        if waits:
            before, found, text = piece.partition(waits)
            if not found or (before and waits != "-->"):
                if waits != "-->":
                    children.append("<" + piece)
                continue
            if waits != "-->":
                node = node.parent or root
                children = node.children
            waits = ""
        else:
            if held:
                held.append(piece)
                if ">" not in piece:
                    continue
                piece = "<".join(held)
                held.clear()
            head, found, text = piece.partition(">")
            entry = known(head)
            if entry is None:
                if not found:
                    if head.startswith("!--"):
                        waits = "-->"
                    else:
                        held.append(piece)
                    continue
                entry = _head(head, given)
            tag, attrs, what = entry
            if attrs is None:
                if node.tag == tag and node.parent is not None:
                    if node is dead:
                        dead = None
                    node = node.parent
                    children = node.children
            elif what == _DECLARATION:
                if head.startswith("!--"):
                    _, found, text = piece[3:].partition("-->")
                    waits = "" if found else "-->"
                elif node is root and head[:8].upper() == "!DOCTYPE":
                    root.attrs["doctype"] = head[9:]
            else:
                child = new(Node)
                child.tag = tag
                child.attrs = attrs.copy() if attrs else {}
                child.parent = node
                child.number = 0
                children.append(child)
                child.children = []
                if given:
                    number = child.attrs.pop("data-tw-n", "")
                    if number.isdecimal():
                        child.number = int(number)
                        elements[child.number] = child
                elif _ACTIVE <= what <= _ACTIVE_VOID and count >= 0 and dead is None:
                    count += 1
                    child.number = count
                    elements[count] = child
                if what < _ACTIVE_VOID:
                    node = child
                    children = child.children
                    if what == _LABEL:
                        labels.append(child)
                    elif what == _SPECIAL:
                        if tag in _RAW or (tag == "noscript" and scripting):
                            waits = f"/{tag}>"
                        elif dead is None and tag != "noscript":
                            dead = child
        if text and (given or node.tag not in _NO_TEXT or not text.isspace()):
            children.append(_unescaped(text) if "&" in text and not waits else text)
    return Document(root, elements, labels, whole)


def _head(head: str, given: bool) -> _Head:
    """Parse what stands between ``<`` and ``>``: tag, attributes (None for an end tag), and peculiarities."""
    first = head[:1]
    if first == "/":
        read: _Head = (head[1:], None, _PLAIN)
    elif first in ("!", "?"):
        return "", {}, _DECLARATION
    else:
        tag, _, rest = head.partition(" ")
        attrs = dict(_ATTRIBUTE.findall(rest)) if rest else {}
        if "&" in rest:
            attrs = {key: _unescaped(value) for key, value in attrs.items()}
        if not given:
            attrs.pop("data-tw-n", None)
            attrs.pop("data-tw-focus", None)
            attrs.pop(UNSEEN, None)
        node = Node(tag, attrs)
        if tag in VOID:
            what = _ACTIVE_VOID if interactive(node) else _VOID
        elif tag in _RAW or tag in ("noscript", "svg", "template"):
            what = _SPECIAL
        elif tag == "label" and not interactive(node):
            what = _LABEL
        else:
            what = _ACTIVE if interactive(node) else _PLAIN
        read = (tag, attrs, what)
        if given or len(head) > 200 or "data-tw-n" in rest or "data-tw-focus" in rest:
            return read
    if len(_heads) >= MAX_HEADS:
        _heads.clear()
    _heads[head] = read
    return read
