"""What can go wrong with a request: four errors, each of which says whether another attempt may help.

- `Busy`: the server is there and asks to wait (429, 503, 529, any other retried status with Retry-After).
- `Unanswered`: no answer, or one that cannot be read (dropped connection, timeout, 408, 409, 425, 5xx).
- `Refused`: this request is refused, and would be again (other 4xx, an answer that is too long).
- `Fatal`, which is a `FatalError`: every request would be refused (wrong key, no such page, a redirection).
"""

import datetime
import email.utils
import json
from collections.abc import Mapping
from typing import Any

from turnwise.core.errors import FatalError, InfrastructureError

__all__ = [
    "Busy",
    "Fatal",
    "HttpError",
    "Refused",
    "Unanswered",
    "Unreadable",
    "error_message",
    "judged",
    "request_id",
    "retry_after",
]

BUSY = (429, 503, 529)  # 529: overloaded, as Anthropic says it
RETRIED = (408, 409, 425, 429)  # and 5xx
FATAL = (401, 402, 403, 404, 405, 407, 501, 505)  # and redirections
MAX_RETRY_AFTER_S = 600.0
"""Longest pause that a server may ask for."""
_MOST_NOTE = 2000
_REQUEST_ID = ("x-request-id", "request-id")


class HttpError(InfrastructureError):
    """A request failed.

    Args:
        reason: What happened, without the server's address.
        kind: The reason in a word, by which repetitions are counted.
        status: The HTTP status; 0 if there was no answer.
        body: The server's answer.
        pause_s: How long the server asks to wait.
        unsent: The request had no effect: the server never saw it, or sent it away.
        request_id: The server's id of the request, if it has one.
    """

    def __init__(
        self,
        reason: str,
        kind: str = "",
        status: int = 0,
        body: bytes = b"",
        *,
        pause_s: float = 0.0,
        unsent: bool = False,
        request_id: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason, self.kind, self.status, self.body = reason, kind or str(status), status, body
        self.pause_s, self.unsent, self.request_id = pause_s, unsent, request_id

    def code_and_message(self) -> tuple[str, str]:
        """The code and the message of the server's answer."""
        return error_message(self.body)


class Busy(HttpError):
    """The server asks to wait."""


class Unanswered(HttpError):
    """No usable answer came; another attempt may get one."""


class Unreadable(Unanswered):
    """An answer came whose body is not what was asked for."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, "unreadable answer")


class Refused(HttpError):
    """The server refuses this request; another may be accepted."""


class Fatal(HttpError, FatalError):
    """The server would refuse every request."""


def error_message(body: bytes) -> tuple[str, str]:
    """Read the code and the message of an error answer, whatever its shape."""
    text = body[:_MOST_NOTE].decode("utf-8", "replace").strip() or "(nothing)"
    try:
        data = json.loads(body)
        error = data.get("error", data) if isinstance(data, dict) else data
        if not isinstance(error, dict):
            return "", str(error)[:_MOST_NOTE]
        code = " ".join(str(error[name]) for name in ("code", "type") if error.get(name))
        return str(error.get("code") or code), f"{error.get('message') or text} {code}".strip()[:_MOST_NOTE]
    except (ValueError, RecursionError):
        return "", text


def retry_after(value: str) -> float | None:
    """Read a Retry-After header, in seconds or as a date (RFC 9110, section 10.2.3); None if it is neither."""
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


def _asked_pause(headers: Mapping[str, str]) -> float | None:
    """Read the pause in seconds that an answer asks for: OpenAI's ``retry-after-ms`` if it is one, else Retry-After."""
    milliseconds = retry_after(f"{headers.get('retry-after-ms', '').strip()}e-3")
    return retry_after(headers.get("retry-after", "").strip()) if milliseconds is None else milliseconds


def request_id(headers: Mapping[str, str]) -> str:
    """The server's id of a request, from the headers of its answer; "" without one."""
    return next((headers[name][:200] for name in _REQUEST_ID if headers.get(name)), "")


def judged(status: int, headers: Mapping[str, str], body: bytes) -> HttpError:
    """Classify an answer other than success."""
    found = request_id(headers)
    reason = f"answered {status}: {error_message(body)[1]}" + (f" (request {found})" if found else "")
    known: Any = {"status": status, "body": body, "request_id": found}
    if status in FATAL or 300 <= status < 400:
        return Fatal(reason, **known)
    if status not in RETRIED and status < 500:
        return Refused(reason, **known)
    pause = _asked_pause(headers)
    if status in BUSY or pause is not None:
        return Busy(reason, **known, pause_s=pause or 0.0, unsent=status == 429)
    return Unanswered(reason, **known)
