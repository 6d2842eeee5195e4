"""CSS selectors: parsed, ranked and matched against our own nodes, in a bounded number of steps.

What depends on a person (``:hover``, ``:focus``) never matches, nor do pseudo-elements and ``:has``; a selector with a
part that is not known is dropped, as browsers do.

Source: Selectors Level 4 (W3C) for the grammar, the specificity and what the pseudo-classes match.
"""

import functools
import re
from typing import NamedTuple

from turnwise.worlds.web.browser.page.tree import Node
from turnwise.worlds.web.words import words

__all__ = ["Budget", "ExhaustedError", "Selector", "matches", "read_selectors"]

MAX_PARTS = 16
MAX_LISTED = 400
_MAX_NESTED = 4

_IDENT = r"(?:[-\w]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\.)+"
_SIMPLE = re.compile(
    rf"""(?P<kind>[.#]?)(?P<name>{_IDENT})|(?P<any>\*)|\[\s*(?P<attr>{_IDENT})\s*(?:(?P<op>[~|^$*]?=)\s*
    (?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<bare>{_IDENT}))\s*(?P<flag>[iIsS]?)\s*)?\]
    |(?P<colons>::?)(?P<pseudo>[-\w]+)(?P<open>\(?)""",
    re.VERBOSE | re.DOTALL,
)
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_SPLIT = re.compile(r"""["'](?:[^"'\\]|\\.)*["']|\\.|[()\[\],]""", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_NTH = re.compile(r"\s*(?:(odd|even)|([+-]?\d{0,6})n\s*(?:([+-])\s*(\d{1,6}))?|([+-]?\d{1,6}))\s*", re.IGNORECASE)
_LISTS = words("is not where any matches -webkit-any -moz-any")
_NEVER = words(
    "hover focus focus-within focus-visible active visited target target-within fullscreen popover-open modal open "
    "playing paused autofill -webkit-autofill user-invalid user-valid invalid out-of-range indeterminate has host "
    "host-context before after first-line first-letter placeholder-shown -moz-focusring defined-not lang dir state"
)
_ALWAYS = words("valid defined scope in-range")
_PLAIN = words(
    "root empty first-child last-child only-child first-of-type last-of-type only-of-type checked disabled enabled "
    "required optional link any-link read-only read-write"
)
_FIELDS = words("button fieldset input optgroup option select textarea")


class ExhaustedError(Exception):
    """More steps would be needed than the page may use."""


class Budget:
    """Steps that are left."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def spend(self, steps: int = 1) -> None:
        """Use steps.

        Raises:
            ExhaustedError: There are none left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise ExhaustedError


class _Attribute(NamedTuple):
    name: str
    operator: str
    value: str
    folded: bool


class _Pseudo(NamedTuple):
    name: str
    listed: "tuple[Selector, ...]" = ()
    step: int = 0
    offset: int = 0


class Compound(NamedTuple):
    """What one element must be, and its relation to the part before it (" ", ">", "+", "~"; "" for the first)."""

    combinator: str
    tag: str
    id: str
    classes: frozenset[str]
    attributes: tuple[_Attribute, ...]
    pseudos: tuple[_Pseudo, ...]


class Selector(NamedTuple):
    """The parts from the element itself outwards, and the specificity."""

    parts: tuple[Compound, ...]
    weight: tuple[int, int, int]


def read_selectors(text: str, nested: int = 0, forgiving: bool = False) -> list[Selector]:
    """Return the selectors of a list; none if one of them is unknown, unless the list is forgiving."""
    found: list[Selector] = []
    for part in _listed(text):
        selector = _selector(part.strip(), nested)
        if selector is None and not forgiving:
            return []
        if selector is not None:
            found.append(selector)
    return found


def _listed(text: str) -> list[str]:
    """Split the text at its outermost commas."""
    parts: list[str] = []
    depth = start = 0
    for token in _SPLIT.finditer(text):
        if token[0] in "([":
            depth += 1
        elif token[0] in ")]":
            depth -= 1
        elif token[0] == "," and not depth:
            parts.append(text[start : token.start()])
            start = token.end()
    return [*parts, text[start:]][:MAX_LISTED]


def _selector(text: str, nested: int) -> Selector | None:
    parts: list[Compound] = []
    weight = [0, 0, 0]
    at, combinator = 0, ""
    while at < len(text):
        compound, end = _compound(text, at, combinator, weight, nested)
        if compound is None or end == at or len(parts) >= MAX_PARTS:
            return None
        parts.append(compound)
        if end == len(text):
            break
        match = _COMBINATOR.match(text, end)
        if match is None or match.end() == len(text):
            return None
        combinator, at = match[1] or " ", match.end()
    return Selector(tuple(reversed(parts)), (weight[0], weight[1], weight[2])) if parts else None


def _compound(text: str, at: int, combinator: str, weight: list[int], nested: int) -> tuple[Compound | None, int]:
    tag = identifier = ""
    classes: set[str] = set()
    attributes: list[_Attribute] = []
    pseudos: list[_Pseudo] = []
    start = at
    while (match := _SIMPLE.match(text, at)) is not None:
        at = match.end()
        if match["name"]:
            name, kind = _unescaped(match["name"]), match["kind"]
            if kind == ".":
                classes.add(name)
                weight[1] += 1
            elif kind == "#":
                if identifier and identifier != name:
                    return None, at
                identifier = name
                weight[0] += 1
            elif match.start() != start:
                return None, at
            else:
                tag = name.lower()
                weight[2] += 1
        elif match["attr"]:
            value = next((match[each] for each in ("double", "single", "bare") if match[each] is not None), "")
            folded = (match["flag"] or "").lower() == "i" or match["attr"].lower() == "type"
            value = _unescaped(value)
            attributes.append(
                _Attribute(match["attr"].lower(), match["op"] or "", value.lower() if folded else value, folded)
            )
            weight[1] += 1
        elif match["pseudo"]:
            argument = ""
            if match["open"]:
                end = _closing(text, at)
                if end < 0:
                    return None, at
                argument, at = text[at:end], end + 1
            pseudo = _pseudo(match["pseudo"].lower(), match["colons"], argument, weight, nested)
            if pseudo is None:
                return None, at
            pseudos.append(pseudo)
    return Compound(combinator, tag, identifier, frozenset(classes), tuple(attributes), tuple(pseudos)), at


def _closing(text: str, at: int) -> int:
    depth = 1
    for token in _SPLIT.finditer(text, at):
        depth += (token[0] == "(") - (token[0] == ")")
        if not depth:
            return token.start()
    return -1


def _pseudo(name: str, colons: str, argument: str, weight: list[int], nested: int) -> _Pseudo | None:
    if colons == "::":
        return _Pseudo("never")
    if name in _LISTS:
        if nested >= _MAX_NESTED:
            return None
        listed = tuple(read_selectors(argument, nested + 1, forgiving=name != "not"))
        if not listed and name == "not":
            return None
        if name != "where" and listed:
            for place, most in enumerate(max(each.weight for each in listed)):
                weight[place] += most
        return _Pseudo("not" if name == "not" else "is", listed)
    weight[1] += 1
    if name in _NEVER:
        return _Pseudo("never")
    if name in _ALWAYS:
        return _Pseudo("always")
    if name in _PLAIN:
        return _Pseudo(name)
    if name in ("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"):
        match = _NTH.fullmatch(argument)
        if match is None:
            return _Pseudo("never")
        word, step, sign, offset, alone = match.groups()
        if word:
            return _Pseudo(name, (), 2, word.lower() == "odd")
        if alone:
            return _Pseudo(name, (), 0, int(alone))
        step = {"": "1", "+": "1", "-": "-1"}.get(step, step)
        return _Pseudo(name, (), int(step), int((sign or "") + (offset or "0")))
    return _Pseudo("never") if name.startswith("-") else None


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _character(match[1]) if match[1] else match[2], text)


def _character(code: str) -> str:
    number = int(code, 16)
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


@functools.lru_cache(4096)
def _classes(text: str) -> frozenset[str]:
    return frozenset(text.split())


def matches(selector: Selector, node: Node, budget: Budget) -> bool:
    """Whether the selector matches the element.

    Raises:
        ExhaustedError: It would take more steps than are left.
    """
    return _matches(selector.parts, 0, node, budget)


def _matches(parts: tuple[Compound, ...], place: int, node: Node, budget: Budget) -> bool:
    budget.spend()
    part = parts[place]
    if not _is(part, node, budget):
        return False
    place += 1
    if place == len(parts):
        return True
    if part.combinator in (" ", ">"):
        above = node.parent
        while above is not None and above.tag != "#document":
            if _matches(parts, place, above, budget):
                return True
            if part.combinator == ">":
                return False
            above = above.parent
        return False
    before = _siblings(node, budget)
    before = before[: next(i for i, each in enumerate(before) if each is node)][::-1]
    return any(_matches(parts, place, each, budget) for each in (before[:1] if part.combinator == "+" else before))


def _siblings(node: Node, budget: Budget) -> list[Node]:
    if node.parent is None:
        return [node]
    budget.spend(len(node.parent.children))
    return [child for child in node.parent.children if isinstance(child, Node)]


def _is(part: Compound, node: Node, budget: Budget) -> bool:
    attrs = node.attrs
    if part.tag and part.tag != node.tag:
        return False
    if part.id and attrs.get("id") != part.id:
        return False
    if part.classes and not ("class" in attrs and part.classes <= _classes(attrs["class"])):
        return False
    if any(not _has(attribute, attrs) for attribute in part.attributes):
        return False
    return all(_state(pseudo, node, budget) for pseudo in part.pseudos)


def _has(wanted: _Attribute, attrs: dict[str, str]) -> bool:
    if wanted.name not in attrs:
        return False
    value = attrs[wanted.name].lower() if wanted.folded else attrs[wanted.name]
    match wanted.operator:
        case "":
            return True
        case "=":
            return value == wanted.value
        case "~=":
            return wanted.value in value.split()
        case "|=":
            return value == wanted.value or value.startswith(wanted.value + "-")
        case "^=":
            return bool(wanted.value) and value.startswith(wanted.value)
        case "$=":
            return bool(wanted.value) and value.endswith(wanted.value)
    return bool(wanted.value) and wanted.value in value


def _state(pseudo: _Pseudo, node: Node, budget: Budget) -> bool:
    name, attrs = pseudo.name, node.attrs
    match name:
        case "never" | "always":
            return name == "always"
        case "is" | "not":
            return any(matches(each, node, budget) for each in pseudo.listed) == (name == "is")
        case "root":
            return node.tag == "html"
        case "empty":
            return not node.children
        case "checked":
            return "checked" in attrs or "selected" in attrs
        case "disabled" | "enabled":
            return node.tag in _FIELDS and ("disabled" in attrs) == (name == "disabled")
        case "required" | "optional":
            return node.tag in _FIELDS and ("required" in attrs) == (name == "required")
        case "link" | "any-link":
            return node.tag in ("a", "area") and "href" in attrs
        case "read-only" | "read-write":
            writes = node.tag in ("input", "textarea") and not attrs.keys() & {"readonly", "disabled"}
            return writes == (name == "read-write")
    return _counted(pseudo, node, budget)


def _counted(pseudo: _Pseudo, node: Node, budget: Budget) -> bool:
    siblings = _siblings(node, budget)
    if pseudo.name.endswith("of-type"):
        siblings = [each for each in siblings if each.tag == node.tag]
    if pseudo.name.startswith("only"):
        return len(siblings) == 1
    if pseudo.name.startswith(("last", "nth-last")):
        siblings.reverse()
    number = next(i for i, each in enumerate(siblings, 1) if each is node)
    if not pseudo.name.startswith("nth"):
        return number == 1
    rest = number - pseudo.offset
    return rest == 0 if not pseudo.step else rest % pseudo.step == 0 and rest // pseudo.step >= 0
