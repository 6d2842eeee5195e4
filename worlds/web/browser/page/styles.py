"""What style sheets and attributes hide: ``display: none``, ``visibility: hidden``, ``aria-hidden``, ``inert``.

Style blocks, style attributes and the cascade between them, for a window of 1,280 by 900 pixels on a screen; sheets in
files are not loaded. What is hidden is marked on the nodes (`turnwise.worlds.web.browser.page.tree.UNSEEN`), where
`turnwise.worlds.web.browser.page.roles` and `turnwise.worlds.web.browser.text.lines` find it. Both drivers do
the same, since both read the page's HTML here.

A page is given a number of steps; where they do not suffice, the rest of it is shown.

Source: CSS Cascading and Inheritance Level 5 and Media Queries Level 4 (W3C).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from turnwise.worlds.web.browser.page.selectors import Budget, ExhaustedError, Selector, matches, read_selectors
from turnwise.worlds.web.browser.page.tree import UNSEEN, Node, walk
from turnwise.worlds.web.words import words

__all__ = ["hiding", "mark_unseen", "may_hide"]

WIDTH, HEIGHT = 1280, 900
MAX_CHARS = 3_000_000  # of all style blocks together
MAX_RULES = 20_000  # of those that can hide or show something
MAX_STEPS = 600_000
MAX_NESTED = 8  # of conditions

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_TOKEN = re.compile(
    r"""\"(?:[^"\\\n]|\\.)*+["\n]?|'(?:[^'\\\n]|\\.)*+['\n]?|\\.|url\(\s*+[^"'()\s]++\s*+\)|[{};]""", re.DOTALL
)
_DECLARATION = re.compile(r"\s*(display|visibility)\s*:\s*([-a-z]+)[^!]{0,80}(!\s*important)?\s*", re.IGNORECASE)
_INLINE = re.compile(r"(?:^|;)\s*(display|visibility)\s*:\s*([-a-z]+)\s*(!\s*important)?", re.IGNORECASE)
_FEATURE = re.compile(r"(min-|max-)?(width|height|device-width|device-height)\s*:\s*([\d.]{1,9})\s*(px|em|rem)?")
_RANGE = re.compile(
    r"(?:([\d.]{1,9})(px|em|rem)?\s*(<=?)\s*)?(width|height)\s*(?:([<>]=?)\s*([\d.]{1,9})(px|em|rem)?)?"
)
_TRUE = re.compile(
    r"(?:orientation\s*:\s*landscape|(?:any-)?hover(?:\s*:\s*hover)?|(?:any-)?pointer(?:\s*:\s*fine)?|color"
    r"|prefers-color-scheme\s*:\s*light|prefers-(?:reduced-(?:motion|transparency|data)|contrast)\s*:\s*no-preference"
    r"|min-resolution\s*:\s*(?:0\.\d+|1)(?:dppx|x)|display-mode\s*:\s*browser|scripting\s*:\s*enabled|update\s*:\s*fast"
    r"|min-color\s*:\s*[0-8]|forced-colors\s*:\s*none|grid\s*:\s*0)"
)
_HIDING = words("aria-hidden inert popover")
_SHOWS = ("inherit", "initial", "unset", "revert", "revert-layer")
_Order = tuple[int, int, tuple[int, int, int], int]


class _Rule(NamedTuple):
    selector: Selector
    order: _Order
    property: str
    value: str


def may_hide(html: str) -> bool:
    """Whether a document may have something that `mark_unseen` finds, judged by its text only."""
    return (
        "aria-hidden" in html or "<style" in html or "popover" in html or "inert" in html or "display:" in html
        or "visibility:" in html or "display :" in html or "visibility :" in html or "<STYLE" in html
        or UNSEEN in html
    )  # fmt: skip


def hiding(node: Node) -> bool:
    """Whether an element by itself may hide something."""
    attrs = node.attrs
    if node.tag == "style":
        return True
    return bool(attrs) and (not _HIDING.isdisjoint(attrs) or _INLINE.search(attrs.get("style", "")[:4_000]) is not None)


def mark_unseen(root: Node) -> None:
    """Mark what is hidden in the tree, and remove the marks of what no longer is."""
    budget = Budget(MAX_STEPS)
    sheets = [node for node in walk(root) if node.tag == "style"]
    found = _index(sheets)
    stack: list[tuple[Node, bool]] = [(root, False)]
    shown_below: list[Node] = []
    invisible: list[Node] = []
    while stack:
        node, dark = stack.pop()
        attrs = node.attrs
        attrs.pop(UNSEEN, None)
        try:
            display, visibility = _computed(node, found, budget)
        except ExhaustedError:
            found = {}
            display, visibility = _computed(node, found, Budget(1))
        if display == "none" or attrs.get("aria-hidden", "").strip().lower() == "true" or "inert" in attrs:
            attrs[UNSEEN] = ""
            continue
        if visibility:
            dark = visibility in ("hidden", "collapse") or (dark and visibility in ("inherit", "unset"))
        if dark:
            invisible.append(node)
        elif invisible and visibility:
            shown_below.append(node)
        stack += [(child, dark) for child in node.children if child.__class__ is Node]
    for node in invisible:
        node.attrs[UNSEEN] = ""
    for node in shown_below:  # an element that is shown within a hidden one
        above = node.parent
        while above is not None and above.attrs.get(UNSEEN) != "own":
            if UNSEEN in above.attrs:
                above.attrs[UNSEEN] = "own"
            above = above.parent


def _computed(node: Node, found: dict[str, list[_Rule]], budget: Budget) -> tuple[str, str]:
    """Return the values of display and visibility, "" if nothing sets them."""
    attrs = node.attrs
    best: dict[str, tuple[_Order, str]] = {}
    if found:
        keys = ["*", node.tag]
        if attrs:
            if "id" in attrs:
                keys.append("#" + attrs["id"])
            if "class" in attrs:
                keys += ["." + name for name in attrs["class"].split()]
        for key in dict.fromkeys(keys):
            rules = found.get(key, ())
            budget.spend(len(rules))
            for rule in rules:
                now = best.get(rule.property)
                if (now is None or rule.order > now[0]) and matches(rule.selector, node, budget):
                    best[rule.property] = rule.order, rule.value
    if "style" in attrs:
        for match in _INLINE.finditer(attrs["style"][:4_000]):
            order = (int(match[3] is not None), 9, (0, 0, 0), match.start())
            name = match[1].lower()
            if name not in best or order > best[name][0]:
                best[name] = order, match[2].lower()
    display = best["display"][1] if "display" in best else ""
    if "popover" in attrs and display in ("", *_SHOWS):
        display = "none"
    return display, best["visibility"][1] if "visibility" in best else ""


def _index(sheets: list[Node]) -> dict[str, list[_Rule]]:
    """Index the rules that can hide or show something by what their element must have."""
    found: dict[str, list[_Rule]] = {}
    count, left = 0, MAX_CHARS
    for sheet in sheets:
        media = sheet.attrs.get("media", "")
        if sheet.attrs.get("type", "text/css").strip().lower() not in ("", "text/css") or not _media(media):
            continue
        text = "".join([child for child in sheet.children if isinstance(child, str)])[:left]
        left -= len(text)
        for selectors, name, value, important, layered in _declarations(_COMMENT.sub(" ", text)):
            for selector in read_selectors(selectors):
                count += 1
                if count > MAX_RULES:
                    return found
                layer = int(layered == important)  # what is in no layer wins, but of "important" ones what is in one
                rule = _Rule(selector, (int(important), layer, selector.weight, count), name, value)
                found.setdefault(_key(selector), []).append(rule)
    return found


def _key(selector: Selector) -> str:
    first = selector.parts[0]
    if first.id:
        return "#" + first.id
    if first.classes:
        return "." + min(first.classes)
    return first.tag or "*"


class _Block(NamedTuple):
    """An open brace: of a rule with its selectors, of a group of rules, or of something that is skipped."""

    selectors: str
    active: bool
    layered: bool


def _declarations(css: str) -> Iterator[tuple[str, str, str, bool, bool]]:
    """Yield selectors, property, value, whether it is important, and whether it is in a layer."""
    stack = [_Block("", True, False)]
    start = 0
    for token in _TOKEN.finditer(css):
        mark = token[0]
        if mark not in "{};":
            continue
        text, start = css[start : token.start()], token.end()
        block = stack[-1]
        if mark == "{":
            stack.append(_opened(text.strip(), block) if len(stack) < 64 else _Block("", False, False))
            continue
        if block.selectors and block.active and (match := _DECLARATION.fullmatch(text)) is not None:
            yield block.selectors, match[1].lower(), match[2].lower(), match[3] is not None, block.layered
        if mark == "}" and len(stack) > 1:
            stack.pop()


def _opened(prelude: str, outer: _Block) -> _Block:
    if not outer.active:
        return outer
    if not prelude.startswith("@"):
        if outer.selectors and len(prelude) + len(outer.selectors) < 2_000:
            around = f":is({outer.selectors})"
            prelude = prelude.replace("&", around) if "&" in prelude else f"{around} {prelude}"
        return outer._replace(selectors=prelude[:20_000])
    name, _, rest = prelude[1:].partition(" ")
    name, _, more = name.lower().partition("(")
    rest = f"({more} {rest}" if more else rest
    if name == "media":
        return outer._replace(active=_media(rest))
    if name == "supports":
        return outer._replace(active=not rest.strip().lower().startswith("not"))
    if name == "layer":
        return outer._replace(layered=True)
    return outer._replace(active=False)  # fonts, key frames, pages; containers, whose size is not known


def _media(query: str) -> bool:
    """Whether a list of media queries holds."""
    query = query.strip().lower()
    return not query or any(_one_query(part.strip()) for part in query.split(",")[:50])


def _one_query(query: str) -> bool:
    turned = query.startswith("not ")
    query = query.removeprefix("not ").removeprefix("only ").strip()
    holds = all(_condition(part.strip()) for part in re.split(r"\band\b", query)[:20])
    return holds != turned


def _condition(text: str, nested: int = 0) -> bool:
    if text in ("all", "screen", ""):
        return True
    if not text.startswith("(") or nested > MAX_NESTED:
        return False
    text = text.strip("() ")
    if text.startswith("not"):
        return not _condition(f"({text[3:].strip('() ')})", nested + 1)
    if " or " in text:
        return any(_condition(f"({part.strip('() ')})", nested + 1) for part in text.split(" or ")[:20])
    match = _FEATURE.fullmatch(text)
    if match is not None:
        size = _size(match[2])
        wanted = _pixels(match[3], match[4])
        return size >= wanted if match[1] == "min-" else size <= wanted if match[1] == "max-" else size == wanted
    match = _RANGE.fullmatch(text)
    if match is not None:
        low, unit, first, name, second, high, unit_high = match.groups()
        size = _size(name)
        holds = low is None or _compared(_pixels(low, unit), first, size)
        return holds and (high is None or _compared(size, second, _pixels(high, unit_high)))
    return _TRUE.fullmatch(text) is not None


def _size(name: str) -> float:
    return WIDTH if name.endswith("width") else HEIGHT


def _compared(one: float, sign: str, other: float) -> bool:
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign]


def _pixels(number: str, unit: str | None) -> float:
    try:
        return float(number) * (16 if unit in ("em", "rem") else 1)
    except ValueError:
        return float("inf")
