"""Calls and answers without JSON, which take half as many tokens."""

import json
from typing import Any

from turnwise.core.tools import Call, Toolbox

__all__ = ["plain_answer", "tagged"]

_OPEN, _CLOSE = "<tool_response>", "</tool_response>"


def plain_answer(text: str) -> str:
    r"""Return a tool's answer in words; errors and whatever is not JSON stay as they are.

    >>> plain_answer('<tool_response>[{"id": "F609", "amount": 4.5, "closed": ""}, {"id": "F610"}]</tool_response>')
    'id=F609 amount=4.5\nid=F610'
    """
    if not (text.startswith(_OPEN) and text.endswith(_CLOSE)):
        return text
    inside = text[len(_OPEN) : -len(_CLOSE)]
    try:
        data = json.loads(inside)
    except ValueError:
        return inside
    return "\n".join(map(_words, data)) if isinstance(data, list) and data else _words(data)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_words(held)}" for key, held in value.items() if held not in ("", None))
    if isinstance(value, list):
        return ", ".join(map(_words, value)) or "none"
    return value if isinstance(value, str) else json.dumps(value)


def tagged(text: str, toolbox: Toolbox) -> str:
    """Return a message with its calls written as tags, where those are read as the same calls."""
    calls = toolbox.parse(text)
    written = "\n".join(_tag(one, toolbox) for one in calls)
    return written if calls and toolbox.parse(written) == calls else text


def _tag(one: Call, toolbox: Toolbox) -> str:
    given = dict(one.arguments)
    body = given.pop(toolbox.tools[one.name].body or "", None)
    written = {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
    attributes = "".join(f' {name}="{value}"' for name, value in written.items())
    return f"<{one.name}{attributes}/>" if body is None else f"<{one.name}{attributes}>{body}</{one.name}>"
