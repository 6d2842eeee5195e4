"""Code that runs in the jail next to a program under test and calls its functions in ways that a conversation cannot.

Nothing here is trusted: the program can change it, and everything it answers is under the program's control. Only the
text of this file is used, by `turnwise.verifiers.code.candidate`.
"""

import itertools
import sys
import traceback
from typing import Any

__all__ = ["act", "call"]

_HERE = "<calls>"
_MAX_DEPTH = 45
_PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray)
_objects: list[Any] = []


def _found(name: str) -> Any:
    first, *rest = name.split(".")
    space = sys.modules["__main__"].__dict__
    if first not in space:
        raise NameError(f"the program defines no {first!r}")
    found = space[first]
    for attribute in rest:
        found = getattr(found() if isinstance(found, type) else found, attribute)
    return found


def call(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function; return its result, and the arguments as it leaves them."""
    return _found(name)(*args, **kwargs), args


def act(op: str, target: int, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Perform one operation requested by a test; objects that are not plain data stay here under a number.

    Args:
        op: "call" a function of the program, "invoke" a method of an object, "get" its attribute, ask whether it is
            "true", begin to "iter" over it, or "take" a number of items.
        target: The object's number.
        name: Of the function, method or attribute.
        args: Positional arguments; objects are given as their numbers.
        kwargs: Named arguments.
    """
    try:
        args, kwargs = _unpacked(args), _unpacked(kwargs)
        if op == "get":
            value = getattr(_objects[target], name)
            return ("method",) if callable(value) else ("value", _packed(value, 0), [])
        if op == "iter":
            _objects.append(iter(_objects[target]))
            return "value", len(_objects) - 1, []
        if op == "take":
            value = list(itertools.islice(_objects[target], args[0]))
        elif op == "true":
            value = bool(_objects[target])
        else:
            value = (_found(name) if op == "call" else getattr(_objects[target], name))(*args, **kwargs)
        return "value", _packed(value, 0), _packed(args, 0)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        at = error.__traceback__
        while at is not None and at.tb_frame.f_code.co_filename == _HERE:
            at = at.tb_next
        traceback.print_exception(type(error), error, at)
        return "raised", [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"], str(error)


def _packed(value: Any, depth: int) -> Any:
    if isinstance(value, _PLAIN) or depth > _MAX_DEPTH or type(value).__module__ == "numpy":
        return value
    if isinstance(value, dict):
        return {_packed(key, depth + 1): _packed(item, depth + 1) for key, item in value.items()}
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            items = [_packed(item, depth + 1) for item in value]
            try:
                return kind(items)
            except TypeError:  # a set of objects
                break
    _objects.append(value)
    return {"~object~": len(_objects) - 1, "type": type(value).__name__}


def _unpacked(value: Any) -> Any:
    if type(value) is dict:
        if "~object~" in value:
            return _objects[value["~object~"]]
        if "~range~" in value:
            return range(*value["~range~"])
        return {_unpacked(key): _unpacked(item) for key, item in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)([_unpacked(item) for item in value])
    return value
