"""A page as lines of text: landmarks, headings, lists, tables, texts, and its elements with their numbers.

One pass over the tree, without recursion; what it costs grows with the page only.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from turnwise.worlds.web.browser.page.dom import Node, Page, hides, name_of, role_of, visible
from turnwise.worlds.web.browser.page.roles import level_of
from turnwise.worlds.web.browser.page.tree import UNSEEN
from turnwise.worlds.web.browser.text.describe import described, plain_control
from turnwise.worlds.web.browser.text.kinds import KINDS, TELLING, Kind, controls, kind_of, only_links
from turnwise.worlds.web.browser.text.plain import after_element, guarded, plain, quoted
from turnwise.worlds.web.words import words

__all__ = ["Form", "Line", "outline"]

Form = Literal["full", "compact"]

MAX_LINE = 600  # characters of a text before it goes on in the next line
_MAX_INDENT = 16
_PADS = ["  " * depth for depth in range(_MAX_INDENT)]

_NATIVE = words("a button input option select summary textarea")


class Line(NamedTuple):
    """A line of a page.

    Attributes:
        text: As it is shown.
        numbers: Of the elements in it.
        run: Which table body, list or row of articles it is part of; 0 for none.
        item: The how-manieth row or item of the run, from 1.
    """

    text: str
    numbers: tuple[int, ...] = ()
    run: int = 0
    item: int = 0


def outline(page: Page, form: Form = "full") -> list[Line]:
    """Return the lines of a page.

    ``"full"``: landmarks with their names, and what they hold indented by two blanks. ``"compact"``: neither, and the
    links of a navigation or of a list of links stand on one line. In both a table row is one line with its cells
    between bars, and every visible element stands where the page has it, as ``[n] role 'name'`` and its state.
    """
    writer = _Writer(page, form == "full")
    writer.write()
    return writer.lines


_End = tuple[int, int, int]  # what is to be done once a node's children are written: which, and what it takes
_LINE_END: _End = (0, 0, 0)
_PRE_END: _End = (1, 0, 0)
_TERM_END: _End = (2, 0, 0)
_PREFIX_END: _End = (3, 0, 0)
_JOIN_END: _End = (4, 0, 0)
_FIELDSET_END: _End = (5, 0, 0)
_ROW_END, _ITEM_END, _RUN_END, _LANDMARK_END, _CONTROL, _BARE_CONTROL = range(6, 12)


class _Writer:
    """Writes the lines of one page."""

    def __init__(self, page: Page, full: bool) -> None:
        self.page = page
        self.full = full
        self.lines: list[Line] = []
        self.stack: list[Any] = []  # nodes and texts to come, and what ends where
        self.texts: list[str] = []  # of the run of text that is being read
        self.parts: list[str] = []  # of the line
        self.numbers: list[int] = []
        self.long = 0  # characters of the parts
        self.starts_with_text = False
        self.bullet = self.prefix = ""  # before the next line
        self.indent = 0
        self.inline = 0  # over 0 in a row, say: nothing ends the line
        self.pre = self.cells = self.disabled = 0
        self.run = self.item = 0
        self.runs: dict[int, list[int]] = {}
        self.fields: dict[str, Node] | None = None

    def write(self) -> None:
        """Read the page from its first node to its last."""
        stack, texts, parts = self.stack, self.texts, self.parts
        inline, skip, block, cell, kinds = Kind.INLINE, Kind.SKIP, Kind.BLOCK, Kind.CELL, KINDS.get
        stack += self.page.root.children[::-1]
        while stack:
            item = stack.pop()
            what = item.__class__
            if what is str:
                if self.pre and not self.inline:
                    self._preformatted(item)
                elif texts or parts or not item.isspace():
                    texts.append(item)
                continue
            if what is tuple:
                if item is not _LINE_END:
                    self._leave(item)
                elif texts or parts:
                    self._end_line()
                continue
            attrs, children = item.attrs, item.children
            if item.number and UNSEEN not in attrs:
                if "hidden" not in attrs:
                    self._control(item)
                continue
            kind = kinds(item.tag, inline)
            if attrs and not TELLING.isdisjoint(attrs):
                if "hidden" in attrs:
                    continue
                if UNSEEN in attrs:
                    stack += [] if hides(item) else [child for child in children[::-1] if child.__class__ is Node]
                    continue
                kind = kind_of(item, kind)
            if kind == cell:
                if self.cells:
                    if texts:
                        self._end_text()
                    parts.append("|")
                self.cells += 1
            elif kind == block:
                if self.inline:
                    texts.append(" ")
                    stack.append(" ")
                else:
                    if texts or parts:
                        self._end_line()
                    stack.append(_LINE_END)
            elif kind != inline:
                if kind != skip:
                    self._enter(item, kind, children)
                continue
            if len(children) != 1:
                stack += children[::-1]
            elif children[0].__class__ is str and not self.pre:
                texts.append(children[0])
                if kind == block and not self.inline:
                    stack.pop()
                    self._end_line()
            else:
                stack.append(children[0])
        self._end_line()

    def _enter(self, node: Node, kind: int, children: Sequence[Node | str]) -> None:
        """Begin a node other than a run of text."""
        if kind in (Kind.ROW, Kind.ITEM):
            self._row_or_item(node, kind)
        elif kind == Kind.LIST and self.full and not node.attrs:
            self._block()
        elif kind in (Kind.LANDMARK, Kind.LIST):
            if hides(node):
                return
            self._landmark(node, kind)
        elif kind == Kind.HEADING:
            level = level_of(node)
            self._block(f"heading {level}: " if self.full else "#" * level + " ")
        elif kind == Kind.PREFIX:
            self._block(f"{role_of(node)}: ")
        elif kind == Kind.LABEL:
            children = controls(node) if self._names_a_field(node) else children
        elif kind == Kind.NAME:
            self._block()
            if self.full and node.parent is not None and node.parent.tag in ("fieldset", "table"):
                children = controls(node)
        elif kind == Kind.PRE:
            self._block()
            if not self.inline:
                self.pre += 1
                self.stack.append(_PRE_END)
        elif kind == Kind.TERM:
            if not self.inline:
                self._end_line()
            self.stack.append(_TERM_END)
        elif kind == Kind.MEANING:
            if not self.inline and not (self.parts and self.parts[-1].endswith(":")):
                self._end_line()
            self.stack.append(" " if self.inline else _LINE_END)
        elif kind == Kind.DETAILS:
            self._block()
            if "open" not in node.attrs:
                children = [child for child in children if child.__class__ is Node and not hides(child)]
        elif kind == Kind.NOSCRIPT:
            children = [] if hides(node) else children
        elif kind == Kind.BLOCK:
            self._block()
        elif kind == Kind.CELL:
            if self.cells:
                self._end_text()
                self.parts.append("|")
            self.cells += 1
        elif kind != Kind.INLINE:
            self._leaf(node, kind)
            return
        self.stack += children[::-1]

    def _leaf(self, node: Node, kind: int) -> None:
        """Write an element without relevant children: a line break, a picture, a gauge."""
        if kind == Kind.BREAK:
            self._block()
            return
        name = name_of(node, self.page.labels)
        if kind == Kind.GAUGE:
            value, most = node.attrs.get("value"), node.attrs.get("max")
            shown = f"{role_of(node)} {quoted(name)}" if name else role_of(node)
            shown += f" value={quoted(value)}" if value is not None else ""
            self._part(shown + (f" max={quoted(most)}" if most is not None else ""))
        elif name:
            self._part(f"img {quoted(name)}")

    def _block(self, prefix: str = "") -> None:
        if self.inline:
            self.texts.append(" ")
            self.stack.append(" ")
            return
        if self.texts or self.parts:
            self._end_line()
        if prefix:
            self.prefix = prefix
            self.stack.append(_PREFIX_END)
        else:
            self.stack.append(_LINE_END)

    def _row_or_item(self, node: Node, kind: int) -> None:
        if self.inline:
            self._block()
            return
        self._end_line()
        self.stack.append((_ROW_END if kind == Kind.ROW else _ITEM_END, self.run, self.item))
        self._count(node)
        if kind == Kind.ROW:
            self.inline = 1
            self.cells = 0
        else:
            self.bullet = "- "
            self.indent += 1

    def _count(self, node: Node) -> None:
        """Count the node as one more item of its run; runs within runs do not count."""
        if not self.run:
            counted = self.runs.setdefault(id(node.parent), [len(self.runs) + 1, 0])
            counted[1] += 1
            self.run, self.item = counted

    def _landmark(self, node: Node, kind: int) -> None:
        role = role_of(node)
        modal = "data-tw-modal" in node.attrs
        name = name_of(node) if node.attrs or node.tag in ("fieldset", "table") else ""
        if node.tag == "fieldset" and "disabled" in node.attrs:
            self.disabled += 1
            self.stack.append(_FIELDSET_END)
        if self.inline:
            self._block()
            return
        self._end_line()
        if role == "article":
            self.stack.append((_RUN_END, self.run, self.item))
            self._count(node)
        if not self.full and (role == "navigation" or (kind == Kind.LIST and only_links(node))):
            self.inline = 1
            self.stack.append(_JOIN_END)
        elif (self.full and role and (kind == Kind.LANDMARK or name)) or modal or role in ("dialog", "alertdialog"):
            shown = role or "dialog"
            shown += f" {quoted(name)}" if name else ""
            self._emit(f"{shown} modal" if modal else shown, ())
            self.stack.append((_LANDMARK_END, len(self.lines) if not name and not modal else 0, self.indent))
            self.indent += self.full
        else:
            self.stack.append(_LINE_END)

    def _names_a_field(self, label: Node) -> bool:
        """Whether the label's text names a field on the page, and is shown there."""
        target = label.attrs.get("for")
        if target is None:
            fields = [node for node in controls(label) if node.tag in ("input", "select", "textarea")]
        else:
            if self.fields is None:
                self.fields = {node.attrs["id"]: node for node in self.page.fields[::-1] if "id" in node.attrs}
            fields = [self.fields[target]] if target in self.fields else []
        if not fields or role_of(fields[0]) == "button":
            return False
        return visible(fields[0]) and fields[0].attrs.keys().isdisjoint(("aria-label", "aria-labelledby"))

    def _leave(self, end: _End) -> None:
        """End a node whose children are written."""
        what, first, second = end
        if what == _ROW_END:
            self._end_line()
            self.run, self.item = first, second
            self.inline = self.cells = 0
            return
        if what in (_CONTROL, _BARE_CONTROL):
            self._number(self.page.elements[first], what == _BARE_CONTROL)
            return
        if what == _FIELDSET_END[0]:
            self.disabled -= 1
            return
        if what == _TERM_END[0]:
            self._end_text()
            if self.parts and not self.parts[-1].endswith(":"):
                self.parts[-1] += ":"
            return
        if self.texts or self.parts:
            self._end_line()
        if what == _PRE_END[0]:
            self.pre -= 1
        elif what == _PREFIX_END[0]:
            self.prefix = ""
        elif what == _JOIN_END[0]:
            self.inline = 0
        elif what == _LANDMARK_END:
            self.indent = second
            if first == len(self.lines):  # nothing is in it
                self.lines.pop()
        elif what in (_ITEM_END, _RUN_END):
            self.run, self.item = first, second
            if what == _ITEM_END:
                self.bullet = ""
                self.indent -= 1

    def _control(self, node: Node) -> None:
        """Write an element with a number; one that contains others comes before them."""
        tag, children = node.tag, node.children
        words = plain_control(node)
        if words and not self.disabled and node.number != self.page.focused:
            if self.texts:
                self._end_text()
            self.numbers.append(node.number)
            self._part(f"[{node.number}] {words}")
            return
        if tag in ("input", "select", "textarea"):
            self._number(node)
            return
        inside = controls(node)
        if tag in _NATIVE:
            if tag == "summary":
                self._block()
                self.stack += inside[::-1]
                self.stack.append((_CONTROL, node.number, 0))
                return
            self._number(node)
            self.stack += inside[::-1]
            return
        kind = KINDS.get(tag, Kind.INLINE)
        if not TELLING.isdisjoint(node.attrs):
            kind = kind_of(node, kind)
        if kind in (Kind.SKIP, Kind.BREAK, Kind.PICTURE, Kind.GAUGE):
            self._number(node)
            return
        bare = bool(inside) or "aria-label" in node.attrs or not name_of(node, self.page.labels)
        self._enter(node, kind, children if bare else [])
        self.stack.append((_BARE_CONTROL if bare else _CONTROL, node.number, 0))

    def _number(self, node: Node, bare: bool = False) -> None:
        self._end_text()
        self.numbers.append(node.number)
        self._part(described(self.page, node, bare, self.disabled > 0))

    def _part(self, shown: str) -> None:
        if self.texts:
            self._end_text()
        self.parts.append(shown)
        self.long += len(shown)
        if self.long > MAX_LINE and not self.inline:
            self._end_line()

    def _end_text(self) -> None:
        """Move the text read so far into the line."""
        texts = self.texts
        if not texts:
            return
        text = "".join(texts)
        texts.clear()
        if self.pre and not self.inline:
            text = text.expandtabs(4).rstrip()
            if not text.strip():
                return
        else:
            text = " ".join(text.split())
            if not text:
                return
        if text.isprintable():
            text = plain(text)
        else:  # what is dropped may have kept blanks apart, or have been all there was
            text = plain(text)
            text = text.rstrip() if self.pre and not self.inline else " ".join(text.split())
            if not text or text.isspace():
                return
        if self.cells and "|" in text:
            text = text.replace("|", "¦")  # between cells the bar is ours
        parts = self.parts
        if not parts:
            self.starts_with_text = True
        elif parts[-1] != "|":
            text = after_element(text)
            if text[0] in ",.;!?)" and not text.startswith("..."):
                parts[-1] += text
                self.long += len(text)
                return
        if self.inline:
            parts.append(text)
            return
        while len(text) > MAX_LINE:
            at = text.rfind(" ", 1, MAX_LINE) + 1 or MAX_LINE
            self.parts.append(text[:at].rstrip())
            text = text[at:]
            self._end_line()
            self.starts_with_text = True
        if text:
            self._part(text)

    def _preformatted(self, text: str) -> None:
        first, *rest = text.split("\n")
        self.texts.append(first)
        for line in rest:
            self._end_line()
            self.texts.append(line)

    def _end_line(self) -> None:
        if self.texts:
            self._end_text()
        if not self.parts:
            return
        parts = self.parts
        text = parts[0] if len(parts) == 1 else " ".join(parts)
        if self.prefix:
            text = self.prefix + text
            self.prefix = ""
        elif self.starts_with_text:
            text = guarded(text)
        numbers = self.numbers
        self._emit(text, tuple(numbers) if numbers else ())
        parts.clear()
        numbers.clear()
        self.starts_with_text = False
        self.long = 0

    def _emit(self, text: str, numbers: tuple[int, ...]) -> None:
        if self.indent:
            pad = _PADS[self.indent - 1 if self.bullet else self.indent] if self.indent < _MAX_INDENT else _PADS[-1]
            text = pad + self.bullet + text
            self.bullet = ""
        self.lines.append(Line(text, numbers, self.run, self.item))
