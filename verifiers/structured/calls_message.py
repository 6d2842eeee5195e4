"""The function calls in a message: JSON among words, ``<tool_call>`` tags, or Python's way of writing calls."""

import ast
import re
from collections.abc import Sequence
from typing import Any

from turnwise.verifiers.blocks import blocks
from turnwise.verifiers.code.syntax import parse
from turnwise.verifiers.extract import tagged
from turnwise.verifiers.structured.json_message import spoken, values_in
from turnwise.verifiers.structured.json_text import Json, JsonError, read_json

__all__ = ["call_values"]

MAX_PYTHON = 20_000  # characters
MAX_LINES = 1000
_CALL = re.compile(r"`?\[?[A-Za-z_][\w.]*\(.*\)\]?`?$")
_NAMES = {"true": True, "false": False, "null": None, "none": None}


class _NoCall(Exception):
    """The text is not supported Python."""


def call_values(message: str) -> list[Json]:
    r"""Return the calls of a message as JSON values in order; all of them count.

    Thinking is not read. The calls are the contents of ``<tool_call>`` tags, or else the whole text (or ``<answer>``)
    as JSON or as Python (``[f(a=1), g(b="x")]``, arguments by name, literal values), or else in its code fences, or
    else the JSON between its words.

    Raises:
        JsonError: There are none.

    >>> call_values('I look it up.\n```python\n[add(a=1, b=[2, 3])]\n```')
    [{'name': 'add', 'arguments': {'a': 1, 'b': [2, 3]}}]
    """
    texts = spoken(message)
    if len({text.strip() for text in texts}) > 1:
        raise JsonError("the message gives different answers; give exactly one")
    text = texts[0]
    if "<tool_call>" in text:
        closed = tagged(text, "tool_call")
        if len(closed) != text.count("<tool_call>"):
            raise JsonError("a <tool_call> is not closed")
        return _flat([_written(content) for content in closed])
    try:
        return _flat([_written(text)])
    except JsonError as error:
        alone = error
    fenced = [_written(block.body) for block in blocks(text) if block.mark in ("json", "python", "py", "tool_code", "")]
    return _flat(fenced or values_in(text) or _lines(text, alone) or _raised(alone))


def _lines(text: str, alone: JsonError) -> list[Json]:
    """Return the calls that stand on lines of their own among words, written in Python; all must be readable."""
    found: list[Json] = []
    for line in text.splitlines()[:MAX_LINES]:
        if _CALL.match(line.strip()):
            try:
                found.append(_python(line.strip().strip("`")))
            except (_NoCall, ValueError):
                raise alone from None
    return found


def _raised(error: JsonError) -> list[Json]:
    raise error


def _flat(values: Sequence[Json]) -> list[Json]:
    return [call for value in values for call in (value if isinstance(value, list) else [value])]


def _written(text: str) -> Json:
    """Read JSON, or convert Python's calls or literals to JSON."""
    try:
        return read_json(text)
    except JsonError as error:
        try:
            return _python(text.strip().strip("`").strip())
        except (_NoCall, ValueError):
            raise error from None


def _python(text: str) -> Json:
    if len(text) > MAX_PYTHON or text[-1:] not in (")", "]", "}"):
        raise _NoCall
    try:
        body = parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _NoCall from error
    if not body or not all(isinstance(node, ast.Expr) for node in body):
        raise _NoCall
    values = [_value(node.value, calls=True) for node in body if isinstance(node, ast.Expr)]
    return values[0] if len(values) == 1 else _flat(values)


def _value(node: ast.expr, calls: bool = False, depth: int = 0) -> Json:
    """Convert a literal; calls are allowed at the top or in a list there."""
    if depth > 30:
        raise _NoCall
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
        return node.value
    if isinstance(node, ast.Name) and node.id.lower() in _NAMES:
        return _NAMES[node.id.lower()]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number: Any = node.operand.value
        if isinstance(number, int | float):
            return -number
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, calls, depth + 1) for item in node.elts]
    if isinstance(node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        if not all(isinstance(key, str) for key in keys) or len(set(keys)) < len(keys):
            raise _NoCall
        return {key: _value(item, False, depth + 1) for key, item in zip(keys, node.values, strict=True)}
    if isinstance(node, ast.Call) and calls and not node.args:
        names = [keyword.arg for keyword in node.keywords]
        if None in names or len(set(names)) < len(names):
            raise _NoCall
        arguments = {keyword.arg: _value(keyword.value, False, depth + 1) for keyword in node.keywords}
        return {"name": _called(node.func), "arguments": arguments}
    raise _NoCall


def _called(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_called(node.value)}.{node.attr}"
    raise _NoCall
