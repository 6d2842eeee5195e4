"""What answers of a chat-completions endpoint say, however oddly they say it."""

import contextlib
import datetime
import email.utils
import json
from collections.abc import Mapping
from typing import Any

import httpx

from turnwise.core.agent import Action

__all__ = ["MAX_RETRY_AFTER_S", "Unreadable", "complaint", "read_answer", "retry_after"]

MAX_RETRY_AFTER_S = 600.0  # longest pause that a server may ask for
THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message that hold what the model thought: vLLM, SGLang and DeepSeek; OpenRouter and vLLM; Ollama."""
MAX_COUNT = 10**12


class Unreadable(Exception):
    """An answer with status 200 that holds none."""


def read_answer(body: bytes) -> Action:
    """The action in an answer.

    Raises:
        Unreadable: There is none.
    """
    try:
        data = json.loads(body)
        if "choices" not in data and "error" in data:  # some gateways say 200 and mean an error
            raise Unreadable(f"an error in place of an answer: {complaint(body)[1]}")
        choice = data["choices"][0]
        message = choice["message"]
        refusal = _text(message.get("refusal"))
        text = _text(message.get("content")) or refusal
        text += "".join(_call(call["function"]) for call in message.get("tool_calls") or ())
        usage = data.get("usage")
        counts = usage if isinstance(usage, Mapping) else {}
        served: dict[str, Any] = {"usage": _numbers(counts)} if counts else {}
        if isinstance(data.get("model"), str):
            served["model"] = data["model"][:200]
        if refusal:
            served["refusal"] = True
        return Action(
            text,
            str(choice.get("finish_reason") or "stop")[:40],
            _count(counts.get("prompt_tokens")),
            _count(counts.get("completion_tokens")),
            _thoughts(message),
            served,
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable(f"an answer that cannot be read ({type(error).__name__}): {body[:200]!r}") from error


def _text(content: Any) -> str:
    """Content as text: a string, or a list of parts; null is empty."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") in ("text", "output_text"))
    if content is not None and not isinstance(content, str):
        raise TypeError(f"content is a {type(content).__name__}")
    return content or ""


def _thoughts(message: Mapping[str, Any]) -> str:
    """What the model thought, where that is apart from its answer; no shape of it makes an answer unreadable."""
    for name in THOUGHTS:
        if isinstance(message.get(name), str) and message[name]:
            return str(message[name])
    content = message.get("content")
    if not isinstance(content, list):
        return ""
    parts = [part.get("thinking") for part in content if part.get("type") == "thinking"]
    with contextlib.suppress(TypeError, AttributeError):
        return "".join(part if isinstance(part, str) else _text(part) for part in parts)
    return ""


def _count(value: Any) -> int:
    """A number of tokens, 0 where it is none: a server's bookkeeping never costs the answer."""
    return int(value) if isinstance(value, (int, float)) and 0 <= value <= MAX_COUNT else 0


def _numbers(values: Mapping[str, Any], depth: int = 2) -> dict[str, Any]:
    """The numbers of a server's own bookkeeping, its parts included."""
    found: dict[str, Any] = {}
    for name, value in list(values.items())[:40]:
        if isinstance(value, Mapping) and depth > 1:
            found[name[:80]] = _numbers(value, depth - 1)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= MAX_COUNT:
            found[name[:80]] = value
    return found


def _call(function: Mapping[str, Any]) -> str:
    """A native function call in the grammar of the environments' tools."""
    arguments: Any = function.get("arguments") or "{}"
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):  # else it stays a string, which the environment refuses
            arguments = json.loads(arguments)
    call = json.dumps({"name": function["name"], "arguments": arguments})
    return f"<tool_call>{call.replace('</', '<' + chr(92) + '/')}</tool_call>"  # JSON reads <\/ as </


def complaint(body: bytes) -> tuple[str, str]:
    """Code and message of an error answer, whatever its shape."""
    text = body[:2000].decode("utf-8", "replace").strip() or "(nothing)"
    try:
        data = json.loads(body)
        error = data.get("error", data) if isinstance(data, dict) else data
        if not isinstance(error, dict):
            return "", str(error)[:2000]
        code = " ".join(str(error[name]) for name in ("code", "type") if error.get(name))
        return str(error.get("code") or code), f"{error.get('message') or text} {code}".strip()[:2000]
    except (ValueError, RecursionError):
        return "", text


def retry_after(headers: httpx.Headers) -> float | None:
    """Seconds that the server asks to wait: Retry-After in seconds or as a date (RFC 9110, section 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=datetime.UTC)
        seconds = (when - datetime.datetime.now(datetime.UTC)).total_seconds()
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S) if seconds == seconds else None
