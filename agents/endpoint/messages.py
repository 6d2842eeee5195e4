"""Chat messages in the shape that endpoints and chat templates use, and the actions that they stand for."""

import contextlib
import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from turnwise.core.errors import UsageError
from turnwise.core.tools import Tool, results_of

__all__ = ["ACT", "Speaker", "act_tool", "action_of", "answers_to"]

ACT = "act"
"""The tool that says something in words, where a host can only call tools."""


class Speaker(Protocol):
    """What is needed of an environment to write a call."""

    def call_text(self, name: str, arguments: Any) -> str:
        """Write a structured call as an action."""


@functools.cache
def act_tool(one_answer: bool) -> Tool:
    """The tool for hosts that can only call tools.

    Args:
        one_answer: The first message ends the episode.
    """
    what = "Give your answer." if one_answer else "Send your next message."
    properties = {"message": {"type": "string", "description": f"{what} All of it is read."}}
    schema = {"type": "object", "properties": properties, "required": ["message"]}
    return Tool(ACT, what, schema, lambda message: str(message))


def action_of(message: str | Mapping[str, Any], env: Speaker, own: Sequence[str]) -> str:
    """The action that an assistant message is: its text, then its structured calls in the environment's grammar.

    Args:
        message: A text, or a chat message with ``content`` (a text or text parts) and ``tool_calls``.
        env: The environment that reads it.
        own: Names of its own tools; `ACT` is ours where it has none of that name.

    Raises:
        UsageError: The message is none, or not the assistant's.
    """
    if isinstance(message, str):
        return message
    if not isinstance(message, Mapping) or message.get("role", "assistant") != "assistant":
        raise UsageError(f"the message is {message!r:.200}; it must be a text or a chat message of the assistant")
    parts = [_text(message.get("content"))]
    for call in _calls(message):
        name, arguments = str(call.get("name", "")), _read(call.get("arguments") or {})
        if name == ACT and ACT not in own and isinstance(arguments, Mapping):
            parts.append(str(arguments.get("message", "")))
        else:
            parts.append(env.call_text(name, arguments))
    return "\n".join(part for part in parts if part)


def answers_to(message: str | Mapping[str, Any], observation: str) -> list[dict[str, Any]]:
    """The messages that answer an assistant message: one of the user, or one for each call."""
    calls = [] if isinstance(message, str) else _calls(message, whole=True)
    if not calls:
        return [{"role": "user", "content": observation}]
    return [
        {"role": "tool", "tool_call_id": str(call.get("id") or f"call_{i}"), "name": _name(call), "content": text}
        for i, (call, text) in enumerate(zip(calls, results_of(observation, len(calls)), strict=True))
    ]


def _read(arguments: Any) -> Any:
    """Arguments as a mapping; what is not JSON stays as it is, for the environment to refuse."""
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(arguments)
    return arguments


def _name(call: Mapping[str, Any]) -> str:
    inner = call.get("function", call)
    return str(inner.get("name", "")) if isinstance(inner, Mapping) else ""


def _calls(message: Mapping[str, Any], whole: bool = False) -> list[Mapping[str, Any]]:
    """The calls of a message, without the envelope unless ``whole``."""
    found = message.get("tool_calls") or ()
    if not isinstance(found, Sequence) or not all(isinstance(call, Mapping) for call in found):
        raise UsageError(f"tool_calls is {found!r:.200}; it must be a list of calls with name and arguments")
    inner = [call.get("function", call) for call in found]
    if not all(isinstance(call, Mapping) for call in inner):
        raise UsageError(f"tool_calls is {found!r:.200}; the function of a call must have name and arguments")
    return list(found) if whole else inner


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, Sequence) and all(isinstance(part, Mapping) for part in content):
        return "".join(str(part.get("text") or "") for part in content if part.get("type", "text") == "text")
    raise UsageError(f"content is {content!r:.200}; it must be a text or a list of text parts")
