"""A file with every attempt at a request: what was sent, what came back, without the key."""

import datetime
import json
import threading
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.core.http.client import Attempt

__all__ = ["RequestLog"]


class RequestLog:
    """Appends a JSON line for every attempt; may be used from several threads.

    Args:
        path: The file; its folder must exist.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._lock = threading.Lock()
        try:
            self._file = self.path.open("ab")
        except OSError as error:
            raise SettingsError(f"request_log is {str(path)!r}, which cannot be written: {error}") from error

    def __call__(self, attempt: Attempt) -> None:
        """Write an attempt."""
        at = datetime.datetime.fromtimestamp(attempt.at, datetime.UTC).isoformat(timespec="milliseconds")
        line = {
            "at": at,
            "latency_s": round(attempt.latency_s, 3),
            "method": attempt.method,
            "url": attempt.url.partition("?")[0],
            "status": attempt.status,
            "request_id": attempt.request_id,
            "error": attempt.error,
            "request": _plain(attempt.sent),
            "answer": _plain(attempt.body),
        }
        data = json.dumps({name: value for name, value in line.items() if value != ""}).encode() + b"\n"
        with self._lock:
            if not self._file.closed:
                self._file.write(data)
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


def _plain(body: bytes) -> Any:
    """A body as JSON if it is, otherwise as text."""
    try:
        return json.loads(body) if body else ""
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")
