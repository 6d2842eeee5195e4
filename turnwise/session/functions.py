"""Tools as typed Python functions, for hosts that read signatures and docstrings where others read schemas."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

from turnwise.core.tools import Tool

__all__ = ["as_method"]

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}


def as_method(tool: Tool, call: Callable[[Any, str, dict[str, Any]], str]) -> Callable[..., str]:
    """Make a method whose signature and docstring (Google style) say what the tool's schema says.

    It takes any arguments by name all the same, so that the environment answers wrong ones as it answers them in text.

    Args:
        tool: The tool.
        call: Called with the object, the tool's name, and the arguments that are not None.
    """

    def method(self: Any, /, **arguments: Any) -> str:
        return call(self, tool.name, {name: value for name, value in arguments.items() if value is not None})

    required = tool.parameters.get("required", ())
    kinds = {name: _kind(schema, name in required) for name, schema in tool.properties.items()}
    said = {name: " ".join(str(schema.get("description", name)).split()) for name, schema in tool.properties.items()}
    lines = "".join(f"    {name}: {text}\n" for name, text in said.items())
    parameter, none = inspect.Parameter, inspect.Parameter.empty
    named = [
        parameter(name, parameter.KEYWORD_ONLY, default=none if name in required else None, annotation=kind)
        for name, kind in kinds.items()
    ]
    signature = inspect.Signature([parameter("self", parameter.POSITIONAL_ONLY), *named], return_annotation=str)
    method.__name__ = method.__qualname__ = tool.name
    method.__doc__ = " ".join(tool.description.split()) + (f"\n\nArgs:\n{lines}" if said else "")
    method.__annotations__ = {**kinds, "return": str}
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method


def _kind(schema: Mapping[str, Any], required: bool = True) -> Any:
    """The type of values of a schema."""
    if not required:
        return _kind(schema) | None
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if schema.get("type") == "array":
        return list[_kind(schema.get("items", {}))]  # type: ignore[misc]
    return _TYPES.get(str(schema.get("type")), str)
