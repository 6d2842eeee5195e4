r"""JSON from a model: read within bounds, and compared with a wanted value.

A text is one JSON value by RFC 8259, alone or in a code fence. What readers disagree about is refused: keys given
twice, ``NaN`` and ``Infinity``, numbers too large for a double, text after the value. Equality is JSON's: 1 equals
1.0, true is no number, objects have no order.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

from turnwise.verifiers.structured import paired_off, unfenced
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = [
    "GoldError",
    "Json",
    "JsonError",
    "equal_json",
    "frozen",
    "plain_json",
    "read_json",
    "shown_path",
    "verify_json",
]

MAX_CHARS = 100_000
MAX_DEPTH = 64
MAX_DIGITS = 400
MAX_WORK = 30_000  # pairs of values compared
MAX_SHOWN = 3  # differences named in a reason
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)

Json: TypeAlias = Any  # None, bool, int, float, str, list and dict with str keys


class JsonError(ValueError):
    """The text is no JSON that is read here; the message says why."""


class GoldError(ValueError):
    """A wanted value that is no JSON, or a wanted call that is none."""


class _TooMuch(Exception):
    """The bound on the work is reached."""


def read_json(text: str) -> Json:
    r"""The JSON value that a text is, as `json.loads` gives it.

    Args:
        text: At most 100,000 characters, 64 levels deep, numbers of at most 400 digits; a code fence around it is no
            part of it.

    Raises:
        JsonError: The text is no such value.

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
    raise JsonError(f"{name} is no JSON number")


def shown_path(path: Iterable[str | int]) -> str:
    """Where in a value: ``$.a[0]``."""
    shown = "$"
    for step in path:
        plain = isinstance(step, str) and step.isidentifier()
        shown += f".{step}" if plain else f"[{step!r}]"
        if len(shown) > 120:
            return shown[:120] + "..."
    return shown


def frozen(value: Json, unordered: bool = False) -> object:
    """Something hashable that is the same for equal values alone; ``unordered``: up to the order of arrays.

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


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    for types, name in ((bool, "a truth value"), (int | float, "a number"), (str, "a string"), (list, "an array")):
        if isinstance(value, types):
            return name
    return "an object"


class _Comparison:
    def __init__(self, unordered: bool, subset: bool) -> None:
        self.unordered = unordered
        self.subset = subset
        self.left = MAX_WORK

    def differences(self, value: Json, gold: Json, path: tuple[str | int, ...]) -> Iterator[str]:
        self.left -= 1
        if self.left < 0:
            raise _TooMuch("the value takes more work to compare than is allowed")
        kind, wanted = _kind(value), _kind(gold)
        if kind != wanted:
            yield f"{shown_path(path)} is {kind}, not {wanted}"
        elif kind == "an object":
            for key in gold:
                if key not in value:
                    yield f"{shown_path((*path, key))} is missing"
                else:
                    yield from self.differences(value[key], gold[key], (*path, key))
            for key in () if self.subset else value:
                if key not in gold:
                    yield f"{shown_path((*path, key))} is not wanted"
        elif kind == "an array":
            if len(value) != len(gold):
                yield f"{shown_path(path)} has {len(value)} items, not {len(gold)}"
            elif self.unordered and not self.subset:
                left = Counter(frozen(item, True) for item in gold)
                for i, item in enumerate(value):
                    key = frozen(item, True)
                    left[key] -= 1
                    if left[key] < 0:
                        yield f"{shown_path((*path, i))} is not among the wanted items"
            elif self.unordered:
                for i, partner in enumerate(paired_off(value, gold, self.equal)):
                    if partner is None:
                        yield f"{shown_path((*path, i))} is not among the wanted items"
            else:
                for i, (item, wanted_item) in enumerate(zip(value, gold, strict=True)):
                    yield from self.differences(item, wanted_item, (*path, i))
        elif value != gold:
            yield f"{shown_path(path)} is not right"

    def equal(self, value: Json, gold: Json) -> bool:
        return next(self.differences(value, gold, ()), None) is None


def plain_json(gold: Json) -> Json:
    """A wanted value as `json.loads` would give it.

    Raises:
        GoldError: It is no JSON.
    """
    try:
        return json.loads(json.dumps(gold, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise GoldError(f"the wanted value {str(gold)[:200]} is no JSON: {error}") from error


def equal_json(value: Json, other: Json) -> bool:
    """Whether two JSON values are equal.

    >>> equal_json([1, {"a": None}], [1.0, {"a": None}]), equal_json(True, 1)
    (True, False)
    """
    return frozen(value) == frozen(other)


def verify_json(text: str, gold: Json, *, unordered: bool = False, subset: bool = False) -> Verdict:
    """Whether a text is the wanted JSON value; the reason names the first differences by their paths.

    Args:
        text: A JSON value, as `read_json` reads it.
        gold: The wanted value, as Python objects.
        unordered: The order of the items of arrays does not matter; how often each occurs does.
        subset: Keys that the wanted objects lack are not looked at.

    Raises:
        GoldError: The wanted value is no JSON.

    >>> verify_json('{"b": [1.0, 2], "a": null}', {"a": None, "b": [1, 2]}).correct
    True
    >>> verify_json('{"a": 1, "c": true}', {"a": 2, "b": 0, "c": 1}).reason
    '$.a is not right; $.b is missing; $.c is a truth value, not a number'
    """
    gold = plain_json(gold)
    try:
        value = read_json(text)
        found = list(islice(_Comparison(unordered, subset).differences(value, gold, ()), MAX_SHOWN))
    except JsonError as error:
        return wrong(str(error))
    except _TooMuch as error:
        return undecided(str(error), value)
    return wrong("; ".join(found), value) if found else right(value)
