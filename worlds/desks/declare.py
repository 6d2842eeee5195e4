"""Tools of a desk, declared as typed functions."""

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

from turnwise.core.settings import fits
from turnwise.core.tools import Tool

__all__ = ["desk_tool"]

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def desk_tool(function: Callable[..., str], writes: bool, **meanings: str) -> Tool:
    """Make the tool that calls a function of a desk.

    Args:
        function: Takes the desk, then the arguments, whose annotations become the schema; the first paragraph of its
            docstring is the description. A `ValueError` is an error that the agent reads.
        writes: Whether it changes the database: the policy's clauses about it are then checked.
        **meanings: What each parameter is.
    """
    name = function.__name__
    hints = typing.get_type_hints(function)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    kinds = {p.name: hints[p.name] for p in parameters}
    properties = {p: _schema(kind) | {"description": meanings[p]} for p, kind in kinds.items()}
    limited = {p: kind for p, kind in kinds.items() if typing.get_origin(kind) is not None}
    required = [p.name for p in parameters if p.default is p.empty]

    def call(desk: Any, /, **arguments: Any) -> str:
        if limited:
            _check(name, limited, arguments)
        return str(desk.perform(name, function, arguments, writes))

    schema = {"type": "object", "properties": properties, "required": required}
    return Tool(name, " ".join((function.__doc__ or "").partition("\n\n")[0].split()), schema, call)


def _schema(hint: Any) -> dict[str, Any]:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin is list:
        return {"type": "array", "items": _schema(parts[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(parts[1])}
    return {"type": _TYPES[hint]}


def _check(tool: str, kinds: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raise ValueError for a value that the schema refuses; names and plain types are checked by the toolbox."""
    for name, value in arguments.items():
        hint = kinds.get(name)
        if hint is None:
            continue
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if origin is Literal and not fits(value, hint):
            raise ValueError(f"{tool}: {name} must be one of {', '.join(map(str, parts))}")
        if origin is list and not all(fits(item, parts[0]) for item in value):
            raise ValueError(f"{tool}: every item of {name} must be of type {_TYPES[parts[0]]}")
        if origin is dict and not all(fits(item, parts[1]) for item in value.values()):
            raise ValueError(f"{tool}: every value of {name} must be of type {_TYPES[parts[1]]}")
