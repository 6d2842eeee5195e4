r"""JSON text read within bounds, and equality of JSON values.

A text is one JSON value by RFC 8259, alone or in a code fence. Whatever parsers disagree about is refused: repeated
keys, ``NaN`` and ``Infinity``, numbers too large for a double, text after the value. Equality is JSON's: 1 equals 1.0,
true is not a number, objects have no order.
"""

import json
import math
import re
from collections import Counter
from typing import Any, TypeAlias

from turnwise.verifiers.structured.values import unfenced

__all__ = ["MAX_CHARS", "Json", "JsonError", "bracketed", "equal_json", "frozen", "read_json"]

MAX_CHARS = 100_000
MAX_DEPTH = 64
MAX_DIGITS = 400
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)

Json: TypeAlias = Any  # None, bool, int, float, str, list and dict with str keys


class JsonError(ValueError):
    """The text is not acceptable JSON; the message says why."""


def read_json(text: str) -> Json:
    r"""Return the JSON value of a text, as from `json.loads`.

    Args:
        text: At most 100,000 characters, 64 levels deep, numbers of at most 400 digits; a code fence around it is
            ignored.

    Raises:
        JsonError: The text is not such a value.

    >>> read_json('```json\n{"a": [1, 2.5, null]}\n```')
    {'a': [1, 2.5, None]}
    """
    if len(text) > MAX_CHARS:
        raise JsonError(f"the text is longer than {MAX_CHARS} characters")
    text = unfenced(text)
    if not text:
        raise JsonError("the text is empty")
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise JsonError(f"the text is nested deeper than {MAX_DEPTH}")
        elif match[0] in "]}":
            depth -= 1
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise JsonError(f"the text is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None


def bracketed(text: str, start: int) -> int:
    """Return where the bracket opened at ``start`` is closed, skipping JSON strings; -1 if it is not."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text, start):
        if match[0] in "[{":
            depth += 1
        elif match[0] in "]}":
            depth -= 1
            if depth == 0:
                return match.end()
    return -1


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise JsonError(f"the key {twice[:60]!r} is given twice")
    return found


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise JsonError(f"a number has more than {MAX_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    if len(text) > MAX_DIGITS:
        raise JsonError(f"a number has more than {MAX_DIGITS} digits")
    value = float(text)
    if math.isinf(value):
        raise JsonError(f"the number {text[:60]} is too large")
    return value


def _constant(name: str) -> float:
    raise JsonError(f"{name} is not a JSON number")


def frozen(value: Json, unordered: bool = False) -> object:
    """Return a hashable that is equal exactly for equal values; ``unordered``: up to the order of arrays.

    Numbers become strings: whole numbers can be chosen so that their hashes all collide.
    """
    if isinstance(value, dict):
        return "object", frozenset((key, frozen(item, unordered)) for key, item in value.items())
    if isinstance(value, list):
        items = [frozen(item, unordered) for item in value]
        return ("items", frozenset(Counter(items).items())) if unordered else ("array", tuple(items))
    if isinstance(value, str):
        return "string", value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "scalar", str(value)


def equal_json(value: Json, other: Json) -> bool:
    """Return whether two JSON values are equal.

    >>> equal_json([1, {"a": None}], [1.0, {"a": None}]), equal_json(True, 1)
    (True, False)
    """
    return frozen(value) == frozen(other)
