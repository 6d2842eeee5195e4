r"""Plain data as JSON text that keeps Python's types: tuples stay tuples, 1 is not 1.0 and not True, bytes are bytes.

Both sides of the channel to a jailed function use it. The reader trusts nothing: it makes values of exactly the
built-in types from the text, so that no object of the program (with an ``__eq__`` that lies) ever reaches a comparison.
Nothing is unpickled, no class is looked up. It takes bounded time and memory: the text is counted before it is parsed,
and making sets and dictionaries is timed, as a program can choose members whose hashes collide.

What JSON lacks is written as an object with the one key "~": {"~": [kind, contents]}.
"""

import json
import math
import re
import time
from collections.abc import Iterator
from typing import Any

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_ITEMS", "ValueFormatError", "decode", "encode"]

MAX_BYTES = 1 << 22
"""Most characters of what a program answers."""
MAX_DEPTH = 50
MAX_ITEMS = 1_000_000
_MAX_TEXT = 1 << 24  # where nothing else is said
_MAX_SIGNS = 4 * MAX_ITEMS  # brackets and commas: an item takes as many at most, an empty tuple
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)  # possessive: linear, closed or not
_MAX_HASHING_S = 0.5  # of processor time, for all sets and dictionaries of a text; a million members take a tenth
_UNTIMED = 64  # members: two of them cannot collide often
_MAX_DIGITS = 4000  # beyond, integers travel in base 16, which is linear to read
_MARK = "~"
_NESTED = (list, dict)
_TOO_MUCH = f"deeper than {MAX_DEPTH} or more than {MAX_ITEMS} items"


class ValueFormatError(ValueError):
    """The value is not plain data, or too large or deep; or the text stands for no value."""


def encode(value: object, max_bytes: int = _MAX_TEXT) -> str:
    """Return the text of a value of None, bool, int, float, complex, str, bytes, list, tuple, set or dict.

    Instances of their subclasses (named tuples, counters, ordered dictionaries, integer enumerations) are written as
    the built-in type, arrays and scalars of numpy as lists and numbers.

    Raises:
        ValueFormatError: Anything else is in it, or it is deeper than 50, has over a million items or is too long.

    >>> encode((1, 1.0, True, {"a": {2}}))
    '{"~":["tuple",[1,1.0,true,{"a":{"~":["set",[2]]}}]]}'
    """
    left = [MAX_ITEMS]
    text = json.dumps(_plain(value, 0, left), separators=(",", ":"), allow_nan=False)
    if len(text) > max_bytes:
        raise ValueFormatError(f"{len(text)} characters: at most {max_bytes}")
    return text


def decode(text: str | bytes, max_bytes: int = _MAX_TEXT) -> Any:
    """Return the value that `encode` wrote.

    Raises:
        ValueFormatError: The text stands for no value within the bounds.

    >>> decode(encode([(1, b"x"), float("inf"), {3: None}]))
    [(1, b'x'), inf, {3: None}]
    """
    if len(text) > max_bytes:
        raise ValueFormatError(f"{len(text)} characters: at most {max_bytes}")
    if len(text) > _MAX_SIGNS:
        _check_size(text)
    try:
        loaded = json.loads(text, parse_constant=_no_constant, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise ValueFormatError("not JSON of bounded depth") from error
    return _value(loaded, 0, _Left())


def _check_size(text: str | bytes) -> None:
    """Refuse texts of too many values: parsed, each takes many times its space."""
    plain = text if isinstance(text, str) else text.decode(errors="replace")
    if _signs(plain) > _MAX_SIGNS and _signs(_STRING.sub("", plain)) > _MAX_SIGNS:
        raise ValueFormatError(f"more than {MAX_ITEMS} items")


def _signs(text: str) -> int:
    return text.count("[") + text.count("{") + text.count(",")


def _no_constant(name: str) -> Any:
    raise ValueFormatError(f"{name} must be written as an object with a mark")


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS + 1:
        raise ValueFormatError("an integer of too many digits")
    return int(digits)


def _count(depth: int, left: list[int]) -> None:
    left[0] -= 1
    if depth > MAX_DEPTH or left[0] < 0:
        raise ValueFormatError(_TOO_MUCH)


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    _count(depth, left)
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if isinstance(value, int):
        digits = value.bit_length() * 0.30103
        return {_MARK: ["int", int.__format__(value, "x")]} if digits > _MAX_DIGITS else int(int.__repr__(value))
    if isinstance(value, float):
        number = float.__add__(value, 0.0) if value == value and value else float(float.__repr__(value))
        return number if math.isfinite(number) else {_MARK: ["float", float.__repr__(number)]}
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (list, tuple)):
        base: Any = list if isinstance(value, list) else tuple
        items = [_plain(item, depth + 1, left) for item in base.__iter__(value)]
        return items if base is list else {_MARK: ["tuple", items]}
    if isinstance(value, dict):
        return _plain_dict(value, depth, left)
    if isinstance(value, (set, frozenset)):
        name = "set" if isinstance(value, set) else "frozenset"
        base_set: Any = set if isinstance(value, set) else frozenset
        items = [_plain(item, depth + 1, left) for item in base_set.__iter__(value)]
        return {_MARK: [name, sorted(items, key=lambda item: json.dumps(item))]}
    if isinstance(value, (bytes, bytearray)):
        return {_MARK: ["bytes" if isinstance(value, bytes) else "bytearray", bytes(value).hex()]}
    if isinstance(value, complex):
        return {_MARK: ["complex", [_plain(part, depth + 1, left) for part in (value.real, value.imag)]]}
    if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
        return _plain(value.tolist(), depth + 1, left)
    raise ValueFormatError(f"a {kind.__module__}.{kind.__qualname__} is not plain data")


def _plain_dict(value: dict[Any, Any], depth: int, left: list[int]) -> Any:
    pairs = [(key, _plain(item, depth + 1, left)) for key, item in dict.items(value)]
    if all(type(key) is str for key, _ in pairs) and _MARK not in dict.keys(value):
        return dict(pairs)
    return {_MARK: ["dict", [[_plain(key, depth + 1, left), item] for key, item in pairs]]}


class _Left:
    """What the rest of a text may have: items, and processor time for hashing."""

    def __init__(self) -> None:
        self.items = MAX_ITEMS
        self.seconds = _MAX_HASHING_S

    def parts(self, items: list[Any]) -> Iterator[list[Any]]:
        """Yield the members of a set or dictionary a few at a time, while there is time to insert them."""
        started = time.thread_time() if len(items) > _UNTIMED else 0.0
        for start in range(0, len(items), _UNTIMED):
            yield items[start : start + _UNTIMED]
            if started and time.thread_time() - started > self.seconds:
                raise ValueFormatError("members whose hashes collide")
        if started:
            self.seconds -= time.thread_time() - started


def _value(loaded: Any, depth: int, left: _Left) -> Any:
    if type(loaded) is list:
        return _values(loaded, depth, left)
    if type(loaded) is not dict:
        return loaded
    if _MARK not in loaded:
        return dict(zip(loaded, _values(list(loaded.values()), depth, left), strict=True))
    marked = loaded[_MARK]
    if len(loaded) != 1 or type(marked) is not list or len(marked) != 2 or type(marked[0]) is not str:
        raise ValueFormatError("an object with a mark that means nothing")
    try:
        return _marked(marked[0], marked[1], depth, left)
    except ValueFormatError:
        raise
    except (TypeError, ValueError, OverflowError) as error:  # unhashable members, wrong digits
        raise ValueFormatError(f"not a valid {marked[0][:20]}") from error


def _values(loaded: list[Any], depth: int, left: _Left) -> list[Any]:
    """Return the members of a list at this depth."""
    left.items -= len(loaded)
    if left.items < 0 or (loaded and depth >= MAX_DEPTH):
        raise ValueFormatError(_TOO_MUCH)
    return [_value(item, depth + 1, left) if type(item) in _NESTED else item for item in loaded]


def _marked(kind: str, body: Any, depth: int, left: _Left) -> Any:
    if kind in ("tuple", "set", "frozenset", "dict", "complex"):
        if type(body) is not list:
            raise ValueFormatError(f"not a valid {kind}")
        items = _values(body, depth, left)
        if kind == "tuple":
            return tuple(items)
        if kind == "complex":
            real, imaginary = items
            return complex(real, imaginary)
        made: Any = {} if kind == "dict" else set()
        for part in left.parts(items):
            made.update(part)
        return frozenset(made) if kind == "frozenset" else made
    if type(body) is not str:
        raise ValueFormatError(f"not a valid {kind[:20]}")
    if kind == "int":
        return int(body, 16)
    if kind == "float" and body in ("inf", "-inf", "nan"):
        return float(body)
    if kind == "bytes":
        return bytes.fromhex(body)
    if kind == "bytearray":
        return bytearray.fromhex(body)
    raise ValueFormatError(f"unknown kind of value: {kind[:20]!r}")
