"""A retriever from a short text that names it."""

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
    """The retriever that a text names; the same one for the same text and settings in this process, for all threads.

    ====================  ===========================================================================
    ``bm25:FOLDER``       an index folder (`turnwise.retrieval.index.build`) of that engine; also ``tantivy:``,
    ``dense:``
                          and ``hybrid:``
    ``index:FOLDER``      an index folder of whatever engine
    ``http://HOST:PORT``  a retrieval server with Search-R1's protocol (`RemoteRetriever`); its settings may follow:
                          ``http://HOST:PORT?dialect=skyrl&timeout_s=5&retries=2``
    ``searxng:URL``       a SearXNG server's JSON search (`SearxRetriever`)
    ====================  ===========================================================================

    An index folder that was built again is opened again. Since others may use it, a retriever from here is not to be
    closed; `forget_retrievers` lets all go.

    Args:
        spec: One of these.
        settings: Of `open_index` or of the client.

    Raises:
        SettingsError: The text or a setting means nothing, or the index cannot be used.
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
    """Raise `SettingsError` where `make_retriever` could not make anything of the text; nothing is opened or asked."""
    _maker(spec)
    scheme, _, folder = spec.partition(":")
    if scheme in (*ENGINES, "index") and _version_of(folder) is None:
        describe(folder)  # says what is wrong


def forget_retrievers() -> None:
    """Close all retrievers of this process that `make_retriever` made."""
    with _lock:
        made = list(_made.values())
        _made.clear()
    for retriever in made:
        retriever.close()


def _maker(spec: str) -> tuple[Callable[..., Retriever], Callable[[], object]]:
    """What makes the retriever, and what changes when it has to be made anew."""
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
    """A number where the text is one."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _version_of(folder: str) -> object:
    """Which build is in an index folder."""
    try:
        found = os.stat(Path(folder) / "manifest.json")
    except (OSError, ValueError):
        return None  # opening it says what is wrong
    return found.st_mtime_ns, found.st_ino


def _after_fork() -> None:
    """A child has no thread that could hold the lock, and no use for the connections of its parent."""
    global _lock
    _lock = threading.Lock()
    _made.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
