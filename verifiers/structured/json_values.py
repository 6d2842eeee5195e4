"""JSON from a model compared with a wanted value."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from turnwise.verifiers.structured.json_message import read_json_message
from turnwise.verifiers.structured.json_text import Json, JsonError, equal_json, frozen, read_json
from turnwise.verifiers.structured.values import paired_off
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

MAX_WORK = 30_000  # pairs of values compared
MAX_SHOWN = 3  # differences named in a reason


class GoldError(ValueError):
    """A wanted value that is not JSON, or an unusable wanted call."""


class _TooMuch(Exception):
    """The bound on the work was reached."""


def shown_path(path: Iterable[str | int]) -> str:
    """Write a place in a value: ``$.a[0]``."""
    shown = "$"
    for step in path:
        plain = isinstance(step, str) and step.isidentifier()
        shown += f".{step}" if plain else f"[{step!r}]"
        if len(shown) > 120:
            return shown[:120] + "..."
    return shown


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
    """Return a wanted value as from `json.loads`.

    Raises:
        GoldError: It is not JSON.
    """
    try:
        return json.loads(json.dumps(gold, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise GoldError(f"the wanted value {str(gold)[:200]} is not JSON: {error}") from error


def verify_json(
    text: str, gold: Json, *, unordered: bool = False, subset: bool = False, alone: bool = False
) -> Verdict:
    """Judge whether a message gives the wanted JSON value; the reason names the first differences by their paths.

    Args:
        text: A message with a JSON value, as `read_json_message` reads it.
        gold: The wanted value, as Python objects.
        unordered: The order of the items of arrays does not matter; how often each occurs does.
        subset: Keys that the wanted objects lack are ignored.
        alone: The value must be alone, or in one fence, with no words around it.

    Raises:
        GoldError: The wanted value is not JSON.

    >>> verify_json('{"b": [1.0, 2], "a": null}', {"a": None, "b": [1, 2]}).correct
    True
    >>> verify_json('{"a": 1, "c": true}', {"a": 2, "b": 0, "c": 1}).reason
    '$.a is not right; $.b is missing; $.c is a truth value, not a number'
    """
    gold = plain_json(gold)
    try:
        value = read_json(text) if alone else read_json_message(text)
        found = list(islice(_Comparison(unordered, subset).differences(value, gold, ()), MAX_SHOWN))
    except JsonError as error:
        return wrong(str(error))
    except _TooMuch as error:
        return undecided(str(error), value)
    return wrong("; ".join(found), value) if found else right(value)
