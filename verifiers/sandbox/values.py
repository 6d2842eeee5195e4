r"""Plain data as JSON text that keeps Python's types: tuples stay tuples, 1 is not 1.0 and not True, bytes are bytes.

Both sides of the channel to a jailed function use it. The reader trusts nothing: it makes values of exactly the
built-in types from the text, so that no object of the program (with an ``__eq__`` that lies) ever reaches a comparison.
Nothing is unpickled, no class is looked up.

What is no JSON is written as an object with the one key "~": {"~": [kind, contents]}.
"""

import json
import math
from typing import Any

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_ITEMS", "ValueFormatError", "decode", "encode"]

MAX_BYTES = 1 << 24
MAX_DEPTH = 50
MAX_ITEMS = 1_000_000
_MAX_DIGITS = 4000  # beyond, integers travel in base 16, which is linear to read
_MARK = "~"


class ValueFormatError(ValueError):
    """The value is not plain data, or too large or deep; or the text stands for no value."""


def encode(value: object, max_bytes: int = MAX_BYTES) -> str:
    """The text for a value made of None, bool, int, float, complex, str, bytes, list, tuple, set, frozenset and dict.

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


def decode(text: str | bytes, max_bytes: int = MAX_BYTES) -> Any:
    """The value that ``encode`` wrote.

    Raises:
        ValueFormatError: The text stands for no value within the bounds.

    >>> decode(encode([(1, b"x"), float("inf"), {3: None}]))
    [(1, b'x'), inf, {3: None}]
    """
    if len(text) > max_bytes:
        raise ValueFormatError(f"{len(text)} characters: at most {max_bytes}")
    try:
        loaded = json.loads(text, parse_constant=_no_constant, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise ValueFormatError("no JSON of bounded depth") from error
    return _value(loaded, 0, [MAX_ITEMS])


def _no_constant(name: str) -> Any:
    raise ValueFormatError(f"{name} is written otherwise")


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS + 1:
        raise ValueFormatError("an integer of too many digits")
    return int(digits)


def _count(depth: int, left: list[int]) -> None:
    left[0] -= 1
    if depth > MAX_DEPTH or left[0] < 0:
        raise ValueFormatError(f"deeper than {MAX_DEPTH} or more than {MAX_ITEMS} items")


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


def _value(loaded: Any, depth: int, left: list[int]) -> Any:
    _count(depth, left)
    if isinstance(loaded, list):
        return [_value(item, depth + 1, left) for item in loaded]
    if not isinstance(loaded, dict):
        return loaded
    if _MARK not in loaded:
        return {key: _value(item, depth + 1, left) for key, item in loaded.items()}
    marked = loaded[_MARK]
    if len(loaded) != 1 or not isinstance(marked, list) or len(marked) != 2 or not isinstance(marked[0], str):
        raise ValueFormatError("an object with a mark that means nothing")
    try:
        return _marked(marked[0], marked[1], depth, left)
    except (TypeError, ValueError) as error:  # unhashable members, wrong digits
        raise ValueFormatError(f"no {marked[0]}") from error


def _marked(kind: str, body: Any, depth: int, left: list[int]) -> Any:
    if kind in ("tuple", "set", "frozenset", "dict", "complex"):
        if not isinstance(body, list):
            raise ValueFormatError(f"no {kind}")
        items = [_value(item, depth + 1, left) for item in body]
        if kind == "tuple":
            return tuple(items)
        if kind == "complex":
            real, imaginary = items
            return complex(real, imaginary)
        if kind == "dict":
            pairs = [(key, item) for key, item in items]
            return dict(pairs)
        return set(items) if kind == "set" else frozenset(items)
    if not isinstance(body, str):
        raise ValueFormatError(f"no {kind}")
    if kind == "int":
        return int(body, 16)
    if kind == "float" and body in ("inf", "-inf", "nan"):
        return float(body)
    if kind == "bytes":
        return bytes.fromhex(body)
    if kind == "bytearray":
        return bytearray.fromhex(body)
    raise ValueFormatError(f"no kind of value: {kind[:20]!r}")
