"""Read lists, pairs, groups and assignments of known names, as people and models write them.

Separators (commas, semicolons, bars, dashes, arrows, blanks) and brackets are ignored, unless their characters occur in
a name. Everything else must be one of the names: prose or an alternative makes the text unreadable. All functions take
time linear in the text, of at most `MAX_CHARS`.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

__all__ = ["MAX_CHARS", "is_none", "parse_groups", "parse_mapping", "parse_names", "parse_pairs"]

MAX_CHARS = 100_000
_FORBIDDEN = frozenset("()[]{}\"'`,;:=|\n\r\t→")
_SEPARATORS = " \t\r\n,;|-–—→>"
_ARROW = re.compile(r"-{1,3}>|={1,2}>|\\(?:to|rightarrow|Rightarrow|mapsto)(?![A-Za-z])|[⟶⇒↦➔]")
_GROUP = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_BRACKETS = re.compile(r"[()\[\]{}]")
_NESTED = re.compile(r"[(\[{]\s*[(\[{]")
_LABEL = re.compile(r"[A-Za-z][A-Za-z ]{0,30}[:=]")
_BULLET = re.compile(r"[-*•] ")
_HEDGE = re.compile(r"\bor\b|[/?]", re.IGNORECASE)
_NONE = frozenset(("none", "no", "no path", "impossible", "not possible", "no solution", "does not exist"))


class _Book(NamedTuple):
    """Names by their spellings, and the characters that they use."""

    names: Mapping[str, str]
    used: frozenset[str]


@lru_cache(maxsize=64)
def _book(names: tuple[str, ...]) -> _Book:
    used = frozenset("".join(names))
    odd = next((x for x in names if not x or x != x.strip() or not _FORBIDDEN.isdisjoint(x)), None)
    if odd is not None:
        raise ValueError(f"{odd!r} cannot be a name: it is empty or has blanks around it, brackets, quotes or commas")
    if len(set(names)) < len(names):
        raise ValueError("a name is there twice")
    spelled: dict[str, str] = {}
    for name in names:
        folded = name.casefold()
        spelled[folded] = "" if folded in spelled else name  # ambiguous: only exactly as written
    return _Book({x: name for x, name in spelled.items() if name} | {name: name for name in names}, used)


def is_none(text: str) -> bool:
    """Return whether the text says that there is none of what was asked for.

    >>> is_none("None."), is_none("no path"), is_none("none of A, B")
    (True, True, False)
    """
    return len(text) < 30 and text.strip().rstrip(".").lower() in _NONE


def _plain(text: str) -> str:
    """Return the text with one kind of arrow and without quotes."""
    return _ARROW.sub("→", text).replace('"', "").replace("'", "").replace("`", "").strip()


def _unlabelled(text: str, book: _Book) -> str:
    """Return the text without a label such as ``Path:`` before it and a full stop after it."""
    if (match := _LABEL.match(text)) is not None and match[0][:-1].strip().casefold() not in book.names:
        text = text[match.end() :].strip()
    return text if "." in book.used else text.removesuffix(".").rstrip()


def _unwrapped(text: str) -> str:
    """Return the text without brackets around all of it."""
    match = _GROUP.fullmatch(text)
    return match[1].strip() if match else text


def _sequence(text: str, book: _Book) -> tuple[str, ...] | None:
    marks = "".join(x for x in _SEPARATORS if x not in book.used)
    words = text.translate(dict.fromkeys(map(ord, marks), "\n")).split("\n")
    found = [book.names.get(word) or book.names.get(word.casefold()) for word in map(str.strip, words) if word]
    return None if None in found else tuple(x for x in found if x)


def parse_names(text: str, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names that the text lists, in order, or None if it is not such a list; ``[]`` is the empty list.

    Args:
        text: For example ``A -> B -> C``, ``[0, 3, 2]``, ``0-3-2``, ``Path: A, B``.
        names: Allowed names; case matters if two names differ in nothing else.

    Raises:
        ValueError: The names cannot be distinguished from each other or from separators.

    >>> parse_names("A -> B -> C", ("A", "B", "C")), parse_names("[0, 3]", ("0", "3"))
    (('A', 'B', 'C'), ('0', '3'))
    >>> parse_names("A or B", ("A", "B")), parse_names("New York, Rome", ("New York", "Rome"))
    (None, ('New York', 'Rome'))
    """
    book = _book(names)
    if not text.strip() or len(text) > MAX_CHARS:
        return None
    text = _unwrapped(_unlabelled(_plain(text), book))
    return None if _BRACKETS.search(text) else _sequence(text, book)


def _bracketed(text: str) -> list[str] | None:
    """Return the contents of the bracketed parts that the text, itself in brackets or not, consists of."""
    if _NESTED.match(text) and text[-1] in ")]}":
        text = text[1:-1]
    left = _GROUP.sub("", text)
    return _GROUP.findall(text) if not left.strip(" \t\r\n,;|") else None


def parse_groups(text: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...] | None:
    """Return the lists of names in separate brackets, on separate lines or between bars.

    >>> parse_groups("{A, B} | {C}", ("A", "B", "C")), parse_groups("[[A], [B, C]]", ("A", "B", "C"))
    ((('A', 'B'), ('C',)), (('A',), ('B', 'C')))
    """
    book = _book(names)
    if not text.strip() or len(text) > MAX_CHARS:
        return None
    text = _plain(text)
    if _BRACKETS.search(text):
        parts = _bracketed(_unlabelled(text, book))
    else:
        parts = [_unlabelled(part.strip(), book) for part in re.split(r"[\n|;]", text) if part.strip()]
    groups = [_sequence(part, book) for part in parts or ()]
    return None if parts is None or None in groups else tuple(group for group in groups if group is not None)


def parse_pairs(text: str, names: tuple[str, ...]) -> tuple[tuple[str, str], ...] | None:
    """Return the pairs of names that the text lists, or None if it is not such a list.

    >>> names = ("0", "1", "2")
    >>> parse_pairs("{(0,1), (1,2)}", names) == parse_pairs("0-1, 1-2", names) == parse_pairs("[0 1; 1 2]", names)
    True
    >>> parse_pairs("[]", names), parse_pairs("0-1-2", names)
    ((), None)
    """
    book = _book(names)
    if not text.strip() or len(text) > MAX_CHARS:
        return None
    text = _unlabelled(_plain(text), book)
    inside = _unwrapped(text)
    if not inside:
        return ()
    parts: list[str] | None
    if _BRACKETS.search(inside):
        parts = _bracketed(text)
    else:
        parts = [part for part in re.split(r"[,;\n]", inside) if part.strip()]
        if inside != text and len(parts) == 2 and not any(len(_sequence(part, book) or ()) == 2 for part in parts):
            parts = [inside]  # (0, 1), a pair by itself
    pairs = []
    for part in parts or ():
        pair = _sequence(part, book)
        if pair is None or len(pair) != 2:
            return None
        pairs.append((pair[0], pair[1]))
    return None if parts is None else tuple(pairs)


def parse_mapping(
    text: str, keys: tuple[str, ...], values: tuple[str, ...] | None = None, max_value_chars: int = 40
) -> dict[str, str] | None:
    """Return what the text assigns to each key that it names, or None if it is not a list of assignments.

    Args:
        text: For example ``A: red, B: blue``, ``A = 1; B = 2``, ``{"A": "red"}``, ``(A, red), (B, blue)``, or lines.
        keys: Allowed on the left; a repeated key makes the text unreadable.
        values: Allowed on the right; None: any short text, lower case in the result.
        max_value_chars: Maximum length of such a text.

    >>> parse_mapping("A: red, B: Blue", ("A", "B")) == parse_mapping('{"A": "red", "B": "blue"}', ("A", "B"))
    True
    >>> parse_mapping("A: red, A: blue", ("A", "B")), parse_mapping("A -> x", ("A",), ("x", "y"))
    (None, {'A': 'x'})
    """
    book = _book(keys)
    right = None if values is None else _book(values)
    if not text.strip() or len(text) > MAX_CHARS:
        return None
    text = _plain(text)
    inside = _unwrapped(text)
    if _BRACKETS.search(inside) or (inside != text and not re.search(r"[:=→]", inside)):
        items = [part.partition(",") for part in _bracketed(text) or [""]]
    else:
        splits = [re.split(r"[:=→]", part, maxsplit=1) for part in re.split(r"[,;|\n]", inside) if part.strip()]
        items = [(split[0], ":" if split[1:] else "", split[-1]) for split in splits]
    found: dict[str, str] = {}
    for left, mark, value in items:
        key, value = _BULLET.sub("", left.strip(), count=1).strip(), " ".join(value.split()).removesuffix(".")
        name = book.names.get(key) or book.names.get(key.casefold())
        if right is not None:
            value = right.names.get(value) or right.names.get(value.casefold()) or ""
        if not mark or name is None or name in found or not value or len(value) > max_value_chars:
            return None
        if right is None and _HEDGE.search(value):
            return None
        found[name] = value if right is not None else value.casefold()
    return found
