"""What an agent reads of a page, in both browsers: a head, then the page's lines, in a viewport, folded, or as changes.

The head: ``URL:``, ``Title:``, ``Tabs:``, ``Status:``, ``Focused:``, ``Note:`` and ``Error:``, where they have
something to say; then an empty line, and the lines of the page (`turnwise.worlds.web.browser.text.lines`). Nothing on a
page can look like a line of the head or like an element: `turnwise.worlds.web.browser.text.plain`.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from turnwise.core.errors import SettingsError
from turnwise.worlds.web.browser.page.dom import Page, name_of, role_of
from turnwise.worlds.web.browser.text.lines import Form, Line, outline
from turnwise.worlds.web.browser.text.plain import plain, quoted, with_form

__all__ = ["Form", "Line", "View", "first_line_of", "in_view", "outline", "render", "scrolled"]

_NUMBER = re.compile(r"⟦(?=\d+\])")
MAX_COMPARED = 400  # lines that differ, before they are shown as they are


@dataclass(frozen=True)
class View:
    """How pages are shown.

    Attributes:
        form: See `outline`.
        lines: Height of the viewport in lines; 0: the whole page is shown.
        fold: Of the rows of a table and the items of a list this many are shown at a time; 0: all of them. A viewport
            is bound enough: with one, nothing is folded.
    """

    form: Form = "full"
    lines: int = 0
    fold: int = 0

    def __post_init__(self) -> None:
        if self.form not in ("full", "compact"):
            raise SettingsError(f"form={self.form!r}: 'full' or 'compact'")
        if self.lines < 0 or self.fold < 0:
            raise SettingsError(f"lines={self.lines}, fold={self.fold}: 0 (no limit) or more")


def render(
    page: Page,
    view: View,
    top: int = 0,
    tabs: Sequence[tuple[str, str]] = (),
    error: str = "",
    before: Sequence[Line] | None = None,
    active: int = 0,
    lines: Sequence[Line] | None = None,
) -> str:
    """Return the page as the agent reads it.

    Args:
        page: What it is on.
        view: How pages are shown.
        top: How far it has scrolled: lines of the page above the viewport; with ``fold``, rows above those shown.
        tabs: Address and title of each tab; shown if there are several.
        error: What was wrong with the last action.
        before: The page's lines before the last action; then only those that differ are shown.
        active: Index of the active tab.
        lines: The page's lines, if they are known (`outline`).
    """
    lines = outline(page, view.form) if lines is None else lines
    head = _head(page, tabs, error, active)
    if before is not None:
        changes = _changes(before, lines)
        if changes is not None:
            return "\n".join([*head, "", *changes])
    return "\n".join([*head, "", *[line.text for line in _window(lines, view, top)]])


def _head(page: Page, tabs: Sequence[tuple[str, str]], error: str, active: int) -> list[str]:
    head = [f"URL: {_one_line(page.url)}"]
    if page.title:
        head.append(f"Title: {_one_line(page.title)}")
    if len(tabs) > 1:
        told = [f"{i} {quoted(_one_line(title or url))}" for i, (url, title) in enumerate(tabs, 1)]
        told[active] += " (active)"
        head.append("Tabs: " + ", ".join(told))
    if page.status != 200:
        head.append(f"Status: {page.status}")
    if page.focused is not None and page.focused in page.elements:
        node = page.elements[page.focused]
        head.append(f"Focused: [{page.focused}] {role_of(node) or 'generic'} {quoted(name_of(node, page.labels))}")
    if page.note:
        head.append(f"Note: {_one_line(page.note)}")
    if error:
        head.append("Error: " + with_form(_NUMBER.sub("[", _one_line(error))))  # it is ours: it may name elements
    return head


def _one_line(text: str) -> str:
    return plain(" ".join(text.split()))


def _window(lines: Sequence[Line], view: View, top: int) -> list[Line]:
    """Return the lines that a view shows, and what it says about the others."""
    if view.lines:
        top = max(0, min(top, len(lines) - view.lines))
        below = len(lines) - top - view.lines
        shown = list(lines[top : top + view.lines])
        if top:
            shown.insert(0, Line(f"... {top} lines above: scroll up"))
        if below > 0:
            shown.append(Line(f"... {below} lines below: scroll down"))
        return shown
    if not view.fold:
        return list(lines)
    sizes = _sizes(lines)
    shown, told = [], set()
    for line in lines:
        size = sizes.get(line.run, 0)
        first = min(top, size - view.fold)  # this many rows are above those shown
        if size <= view.fold or first < line.item <= first + view.fold:
            shown.append(line)
            continue
        above = line.item <= first
        if (line.run, above) not in told:
            told.add((line.run, above))
            pad = line.text[: len(line.text) - len(line.text.lstrip())]
            left = first if above else size - first - view.fold
            says = "above: scroll up" if above else "more: scroll down or filter"
            shown.append(Line(f"{pad}... {left} {says}"))
    return shown


def _sizes(lines: Sequence[Line]) -> dict[int, int]:
    """Return the number of rows or items of each run."""
    sizes: dict[int, int] = {}
    for line in lines:
        if line.item > sizes.get(line.run, 0):
            sizes[line.run] = line.item
    return sizes


def scrolled(page: Page, view: View, top: int, direction: Literal["up", "down"]) -> int:
    """Return the top after scrolling by the view's height (or by ``fold`` rows); ``top`` if there is no more."""
    step = view.lines or view.fold
    if direction == "up" or not step:
        return max(0, top - step)
    lines = outline(page, view.form)
    whole = len(lines) if view.lines else max(_sizes(lines).values(), default=0)
    return max(0, min(top + step, whole - step))


def first_line_of(page: Page, number: int, view: View) -> int:
    """Return the index of the line of the outline that has the element, or -1."""
    return next((i for i, line in enumerate(outline(page, view.form)) if number in line.numbers), -1)


def in_view(page: Page, number: int, view: View, top: int = 0) -> bool:
    """Whether the view shows the element."""
    return any(number in line.numbers for line in _window(outline(page, view.form), view, top))


def _changes(before: Sequence[Line], lines: Sequence[Line]) -> list[str] | None:
    """Return the lines that differ, or None if so many do that the page is clearer."""
    old, new = [line.text for line in before], [line.text for line in lines]
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if not old and not new:
        return ["No change on the page."]
    if len(old) + len(new) > MAX_COMPARED:
        return None
    changes: list[str] = []
    for what, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            changes += [f"- {text}" for text in old[i:j]] + [f"+ {text}" for text in new[k:m]]
    if len(changes) > len(lines) / 2 + 4:
        return None
    return ["Changes (- was there, + is there now; all other lines are as before):", *changes]
