"""Makes a retriever from a short text that names it."""

import contextlib
import difflib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from turnwise.core.errors import SettingsError
from turnwise.retrieval.base import Retriever
from turnwise.retrieval.index.build import ENGINES, describe, open_index

__all__ = ["check_retriever", "forget_retrievers", "make_retriever"]

FORMS = (*(f"{engine}:FOLDER" for engine in ENGINES), "index:FOLDER", "http://HOST:PORT", "https://...", "searxng:URL")

_Key = tuple[str, object, str]
_made: dict[_Key, Retriever] = {}
_lock = threading.Lock()


def make_retriever(spec: str, **settings: Any) -> Retriever:
    """Return the retriever that a text names; equal texts and settings share one retriever in this process.

    ====================  ===========================================================================
    ``bm25:FOLDER``       an index folder (`turnwise.retrieval.index.build`) of that engine; also ``tantivy:``,
    ``dense:``
                          and ``hybrid:``
    ``index:FOLDER``      an index folder of any engine
    ``http://HOST:PORT``  a retrieval server with Search-R1's protocol (`RemoteRetriever`); its settings may follow:
                          ``http://HOST:PORT?dialect=skyrl&timeout_s=5&retries=2``
    ``searxng:URL``       a SearXNG server's JSON search (`SearxRetriever`)
    ====================  ===========================================================================

    An index folder that was built again is opened again. Do not close a retriever from here, since others may use it;
    `forget_retrievers` closes all of them.

    Args:
        spec: One of these forms.
        settings: Settings of `open_index` or of the client.

    Raises:
        SettingsError: The text or a setting is not known, or the index cannot be used.
    """
    make, state = _maker(spec)
    key = (spec, state(), repr(sorted(settings.items())))
    with _lock:
        if (known := _made.get(key)) is None:
            try:
                known = _made[key] = make(**settings)
            except TypeError as error:
                raise SettingsError(f"{spec!r} cannot be made with the settings {settings}: {error}") from error
    return known


def check_retriever(spec: str) -> None:
    """Raise `SettingsError` for a text that `make_retriever` would refuse, without opening or requesting anything."""
    _maker(spec)
    scheme, _, folder = spec.partition(":")
    if scheme in (*ENGINES, "index") and _version_of(folder) is None:
        describe(folder)  # raises an error that says what is wrong


def forget_retrievers() -> None:
    """Close all retrievers that `make_retriever` made in this process."""
    with _lock:
        made = list(_made.values())
        _made.clear()
    for retriever in made:
        retriever.close()


def _maker(spec: str) -> tuple[Callable[..., Retriever], Callable[[], object]]:
    """Return a function that makes the retriever, and one whose result changes when it has to be made again."""
    scheme, colon, rest = spec.partition(":")
    if colon and rest and (scheme in ENGINES or scheme == "index"):
        engine = None if scheme == "index" else scheme
        return (lambda **settings: open_index(rest, **{"engine": engine, **settings})), lambda: _version_of(rest)
    if scheme in ("http", "https") and rest.startswith("//") and len(rest) > 2:
        from turnwise.retrieval.http.remote import RemoteRetriever

        url, _, query = spec.partition("?")
        own = {name: _number(value) for name, value in parse_qsl(query, keep_blank_values=True)}
        return (lambda **settings: RemoteRetriever(url, **{**own, **settings})), lambda: None
    if scheme == "searxng" and rest.startswith(("http://", "https://")):
        from turnwise.retrieval.http.remote import SearxRetriever

        return (lambda **settings: SearxRetriever(rest, **settings)), lambda: None
    close = difflib.get_close_matches(scheme, [*ENGINES, "index", "http", "searxng"], 1)
    hint = f" (did you mean {close[0]}:?)" if colon and close and close[0] != scheme else ""
    raise SettingsError(f"the retriever is {spec!r}{hint}; it must be one of {', '.join(FORMS)}")


def _number(text: str) -> str | int | float:
    """Convert a text that is a number."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _version_of(folder: str) -> object:
    """Identify the build in an index folder."""
    try:
        found = os.stat(Path(folder) / "manifest.json")
    except (OSError, ValueError):
        return None  # opening it says what is wrong
    return found.st_mtime_ns, found.st_ino


def _after_fork() -> None:
    """Replace the lock, which a thread of the parent may hold, and drop the parent's connections."""
    global _lock
    _lock = threading.Lock()
    _made.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
