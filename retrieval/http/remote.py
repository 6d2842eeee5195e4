"""Retrievers behind HTTP: any server that speaks a protocol of ``dialects.py``, and SearXNG.

A failure is never an empty answer: it is an `HttpError`, after the repetitions that docs/http.md describes.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.http.address import split_url, without_surrogates
from turnwise.core.http.client import Client, deadline
from turnwise.core.http.errors import HttpError, Unreadable
from turnwise.core.settings import Range, check_arguments
from turnwise.retrieval.base import Document, Hit, Retriever
from turnwise.retrieval.http import dialects
from turnwise.retrieval.http.dialects import DIALECTS, TOKEN_VARIABLE, Malformed

__all__ = ["RemoteRetriever", "SearxRetriever"]

T = TypeVar("T")
_ABSENT = (404, 405, 501)


class _NoPages(Exception):
    """The server has no page for documents."""


def _no_pages(failure: HttpError) -> HttpError:
    if failure.status in _ABSENT:
        raise _NoPages
    return failure


class _HttpRetriever(Retriever):
    """A retriever behind a server, with a deadline for each call and a limit on the length of queries."""

    def __init__(
        self,
        base: str,
        name: str,
        deadline_s: Annotated[float, Range(above=0)],
        query_chars: Annotated[int, Range(1)],
        **settings: Any,
    ) -> None:
        if split_url(base, "url").query:
            raise SettingsError(f"url is {base!r}; it must look like 'http://host:port'")
        check_arguments(_HttpRetriever.__init__, deadline_s=deadline_s, query_chars=query_chars)
        self._client = Client(base, name=name, **settings)
        self._deadline_s = deadline_s
        self._query_chars = query_chars

    def _cut(self, query: str) -> str:
        """Shorten a query to what every server takes."""
        return without_surrogates(query[: self._query_chars])

    def close(self) -> None:
        self._client.close()


def _reader(read: Callable[[Mapping[str, Any]], T], packed: bool = False) -> Callable[[bytes], T]:
    """Make a reader of bodies from a reader of the objects in them."""

    def reader(body: bytes) -> T:
        try:
            return read(dialects.decode(body, packed))
        except Malformed as error:
            raise Unreadable(str(error)) from error

    return reader


class RemoteRetriever(_HttpRetriever):
    """Searches on a server of Search-R1, SkyRL, ASearcher, GEM or R1-Searcher, or on our own.

    It may be shared by threads, forked and pickled. A document without an id gets one derived from its contents.

    Args:
        url: ``http://host:port``, with or without the protocol's own path.
        dialect: The protocol: "search_r1", "skyrl", "asearcher", "gem" (needs msgpack) or "r1_searcher".
        path: The protocol's path on the server, if it is not the usual one.
        token: Bearer token; None reads the environment variable ``TURNWISE_RETRIEVER_TOKEN``, "" sends none.
        timeout_s: Longest time for one attempt.
        deadline_s: Longest time for one ``search`` or ``document``, repetitions and pauses included.
        retries: How often a request is sent again.
        backoff_s: Longest pause before the first repetition; doubles with each. Retry-After is added.
        batch: Most queries per request.
        query_chars: Queries are cut to this length, so that no query of an agent is refused.
        max_bytes: Longest answer.

    Raises:
        SettingsError: A setting cannot be used.
    """

    def __init__(
        self,
        url: str,
        dialect: str = "search_r1",
        *,
        path: str | None = None,
        token: str | None = None,
        timeout_s: float = 30.0,
        deadline_s: float = 120.0,
        retries: int = 5,
        backoff_s: float = 0.25,
        batch: Annotated[int, Range(1)] = 256,
        query_chars: int = 4000,
        max_bytes: int = 1 << 26,
    ) -> None:
        if dialect not in DIALECTS:
            near = did_you_mean(dialect, DIALECTS)
            raise SettingsError(f"dialect is {dialect!r}{near}; it must be one of {', '.join(DIALECTS)}")
        check_arguments(RemoteRetriever.__init__, batch=batch)
        self._path = DIALECTS[dialect].path if path is None else "/" + path.strip("/")
        token = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
        base = url.rstrip("/").removesuffix(self._path)
        limits: dict[str, Any] = {"timeout_s": timeout_s, "retries": retries, "backoff_s": backoff_s}
        super().__init__(base, "the retriever at", deadline_s, query_chars, token=token, max_bytes=max_bytes, **limits)
        self._dialect = dialect
        self._batch = 1 if DIALECTS[dialect].single else batch
        self._has_pages = True

    def search(self, queries: Sequence[str], k: Annotated[int, Range(1)]) -> list[list[Hit]]:
        check_arguments(RemoteRetriever.search, k=k)
        until = deadline(self._deadline_s)
        found: list[list[Hit]] = []
        for start in range(0, len(queries), self._batch):
            part = [self._cut(query) for query in queries[start : start + self._batch]]
            found += self._search(part, k, until)
        return found

    def _search(self, queries: list[str], k: int, until: float) -> list[list[Hit]]:
        dialect = DIALECTS[self._dialect]

        def read(answer: Mapping[str, Any]) -> list[list[Hit]]:
            found = dialect.read(answer)
            if len(found) != len(queries):
                raise Malformed(f"{len(found)} lists of documents for {len(queries)} queries")
            return found

        body = dialects.encode(dialect.ask(queries, k), dialect.packed)
        kind = "application/msgpack" if dialect.packed else "application/json"
        reader = _reader(read, dialect.packed)
        answer = self._client.ask("POST", self._path, body, read=reader, content_type=kind, until=until)
        return [hits[:k] for hits in answer.value]

    def document(self, id: str) -> Document | None:
        """Look a document up, if the server has /access; in ASearcher's protocol ids are addresses."""
        if not self._has_pages:
            return None
        until = deadline(self._deadline_s)
        body = dialects.encode({"urls": [without_surrogates(id)]}, False)
        read = _reader(lambda answer: dialects.read_pages(answer, 1)[0])
        try:
            return self._client.ask("POST", dialects.ACCESS, body, read=read, meaning=_no_pages, until=until).value
        except _NoPages:
            self._has_pages = False
            return None


class SearxRetriever(_HttpRetriever):
    """Searches the web through a SearXNG server: GET /search?q=...&format=json.

    A document is a result: its id is the address, its text the snippet. SearXNG's search syntax (``!engine``, ``:en``)
    is removed from queries, since it can redirect to other servers; only the first page of results is used. An empty
    answer counts only if no search engine behind it failed.

    Args:
        url: ``http://host:port``, with or without ``/search``. JSON must be among the server's ``search.formats``.
        parameters: Further parameters of the request, such as ``{"engines": "wikipedia", "language": "en"}``.
        token: Bearer token, if a proxy in front of the server requires one.
        timeout_s: Longest time for one attempt.
        deadline_s: Longest time for one ``search`` with all its queries.
        retries: How often a request is sent again.
        backoff_s: Longest pause before the first repetition; doubles with each.
        query_chars: Queries are cut to this length.
        max_bytes: Longest answer.

    Raises:
        SettingsError: A setting cannot be used.

    Source: SearXNG, Search API (docs.searxng.org/dev/search_api.html).
    """

    def __init__(
        self,
        url: str,
        *,
        parameters: Mapping[str, str] | None = None,
        token: str = "",
        timeout_s: float = 30.0,
        deadline_s: float = 120.0,
        retries: int = 5,
        backoff_s: float = 0.5,
        query_chars: int = 1000,
        max_bytes: int = 1 << 26,
    ) -> None:
        base = url.rstrip("/").removesuffix("/search")
        limits: dict[str, Any] = {"timeout_s": timeout_s, "retries": retries, "backoff_s": backoff_s}
        super().__init__(base, "the SearXNG at", deadline_s, query_chars, token=token, max_bytes=max_bytes, **limits)
        self._parameters = {**(parameters or {}), "format": "json"}

    def search(self, queries: Sequence[str], k: Annotated[int, Range(1)]) -> list[list[Hit]]:
        check_arguments(SearxRetriever.search, k=k)
        until = deadline(self._deadline_s)
        return [self._search(re.sub(r"(?<!\S)[!:?<]+", "", self._cut(query)).strip(), k, until) for query in queries]

    def _search(self, query: str, k: int, until: float) -> list[Hit]:
        if not query:  # which the server would refuse
            return []
        path = "/search?" + urlencode({**self._parameters, "q": query})
        return self._client.ask("GET", path, read=_reader(_read_results), until=until).value[:k]


def _read_results(answer: Mapping[str, Any]) -> list[Hit]:
    hits, failed = dialects.read_searx(answer)
    if failed and not hits:
        raise Malformed(f"nothing came from its engines: {failed}")
    return hits
