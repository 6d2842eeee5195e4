"""What the modules of all APIs read answers with: events of a stream, counts, errors in place of answers."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from turnwise.core.http.errors import Busy, Fatal, HttpError, Refused, Unreadable, error_message

__all__ = ["MAX_COUNT", "cache_of", "cut", "data_of", "error_of", "events_of", "number", "numbers", "readable", "texts"]

T = TypeVar("T")
MAX_COUNT = 10**12
_BUSY = ("overloaded", "rate_limit", "unavailable", "resource_exhausted", "503", "529", "429")
_OWN = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


def readable(read: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """Let a function that reads an answer raise `Unreadable` for whatever is not one."""

    def checked(body: bytes) -> T:
        try:
            return read(body)
        except HttpError:
            raise
        except _OWN as error:
            raise Unreadable(f"an answer that cannot be read ({type(error).__name__}): {body[:200]!r}") from error

    return checked


def data_of(body: bytes, assemble: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Any:
    """The answer in a body: JSON, or a stream of events, which ``assemble`` makes one answer of.

    Servers that know no streams send plain JSON, whatever was asked for.
    """
    start = body.lstrip()[:7]
    if start.startswith((b"data:", b"event:", b":", b"id:", b"retry:")):
        return assemble(events_of(body))
    return json.loads(body)


def events_of(body: bytes) -> list[Mapping[str, Any]]:
    """The data of the events of a stream (text/event-stream), as JSON; the end mark ``[DONE]`` is ``{}``.

    Source: WHATWG, HTML, 9.2.6 "Interpreting an event stream".
    """
    found: list[Mapping[str, Any]] = []
    text = body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    blocks = text.split("\n\n")
    for block in blocks:
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if not lines:
            continue
        joined = "\n".join(lines)
        event = {} if joined.strip() == "[DONE]" else json.loads(joined)
        if not isinstance(event, Mapping):
            raise TypeError(f"an event is a {type(event).__name__}")
        found.append(event)
    return found


def cut(what: str) -> Unreadable:
    """The error for a stream that ended too early."""
    return Unreadable(f"the stream ended before {what}")


def error_of(error: Any) -> HttpError:
    """The error that stands in place of an answer, with status 200: some gateways and all streams do that."""
    code, message = error_message(json.dumps({"error": error}).encode())
    reason = f"an error in place of an answer: {message}"
    if any(word in f"{code} {message[:200]}".lower() for word in _BUSY):
        return Busy(reason, "busy")
    if "authentication" in code or "invalid_api_key" in code:
        return Fatal(reason)
    if code.startswith("invalid_"):
        return Refused(reason)
    return Unreadable(reason)


def texts(data: Mapping[str, Any], **names: str) -> dict[str, Any]:
    """Texts in an answer, under our names; what is not a text is left out."""
    found = {own: data.get(name) for own, name in names.items()}
    return {own: value[:200] for own, value in found.items() if isinstance(value, str)}


def number(value: Any) -> int:
    """Return a number of tokens, 0 if it is not one: a server's bookkeeping never invalidates the answer."""
    return int(value) if isinstance(value, (int, float)) and 0 <= value <= MAX_COUNT else 0


def numbers(values: Any, depth: int = 2) -> dict[str, Any]:
    """Return the numbers in a server's own bookkeeping, nested ones included."""
    found: dict[str, Any] = {}
    for name, value in list(values.items())[:40] if isinstance(values, Mapping) else ():
        if isinstance(value, Mapping) and depth > 1:
            found[name[:80]] = numbers(value, depth - 1)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= MAX_COUNT:
            found[name[:80]] = value
    return found


def cache_of(usage: Any, details: str) -> tuple[int, int]:
    """Tokens read from a cache and put into it, as OpenAI's two APIs count them."""
    inner = usage.get(details) if isinstance(usage, Mapping) else None
    if not isinstance(inner, Mapping):
        return 0, 0
    return number(inner.get("cached_tokens")), number(inner.get("cache_write_tokens"))
