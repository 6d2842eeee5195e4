"""What the app shows of a run: a small entry of its manifest, and named pieces of data that are loaded when needed.

A kind of run is a `Source` here and a ``page(...)`` in a script in data/; nothing else knows about it.
"""

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from turnwise.core.errors import SettingsError

__all__ = ["Source", "base64_of", "json_text", "no_answer", "packed", "unique_names", "unpacked"]


class Source(Protocol):
    """A run that the app shows.

    Attributes:
        kind: What it is, "evaluation" or "training": the pages of the app look for it.
    """

    kind: str

    def refresh(self) -> bool:
        """Read what was added to the run's files; True if there was anything."""

    def about(self) -> Mapping[str, Any]:
        """The run's entry in the manifest: small, plain JSON values; ``name`` is what people call the run."""

    def blobs(self) -> Mapping[str, bytes]:
        """Data that the scripts load by name with ``load(`${run.id}/${name}`)``: JSON or text, packed by `packed`."""

    def extras(self) -> Mapping[str, bytes]:
        """Data that takes effort, for a written page; a served one asks with `answer`."""

    def answer(self, what: str, arguments: Mapping[str, Any]) -> Any:
        """Answer a question of a served page, with plain JSON values.

        Raises:
            SettingsError: There is no such question, or nothing to answer it with.
        """


def json_text(data: Any) -> str:
    """JSON as every browser reads it: numbers that are not finite become null."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=str)
    except ValueError:
        return json_text(_finite(data))


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, (list, tuple)) else data


def packed(data: Any) -> bytes:
    """Compress a text, or other JSON values; equal data give equal bytes."""
    text = data if isinstance(data, str) else json_text(data)
    return gzip.compress(text.encode("utf-8", "backslashreplace"), 6, mtime=0)


def unpacked(blob: bytes) -> str:
    """The text that was packed."""
    return gzip.decompress(blob).decode()


def base64_of(blob: bytes) -> str:
    """Data as they stand in a page."""
    return base64.b64encode(blob).decode()


def unique_names(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A name for each run that no other has: its own, and the folder's where that is needed."""
    names = [str(entry["name"]) for entry in entries]
    longer = [
        name if names.count(name) == 1 else f"{name} ({entry.get('folder', '')})"
        for name, entry in zip(names, entries, strict=True)
    ]
    return [name if longer.count(name) == 1 else f"{name} #{n}" for n, name in enumerate(longer, 1)]


def no_answer(what: str) -> SettingsError:
    """The error for a question that a source does not know."""
    return SettingsError(f"there is nothing called {what!r}")
