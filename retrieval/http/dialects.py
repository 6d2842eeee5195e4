"""The protocols of retrieval servers, each defined once for client and server.

| dialect | request | answer |
|---|---|---|
| ``search_r1`` | POST /retrieve ``{"queries": [str], "topk": int, "return_scores": true}`` | scored |
| ``skyrl`` | the same with ``"query": str`` | scored, of one query |
| ``asearcher`` | the same with ``"return_scores": false`` | bare |
| ``gem`` | as ``skyrl``, body and answer in MessagePack, without a Content-Type | flat |
| ``r1_searcher`` | POST /queries ``{"queries": [str], "k": int}`` | ``{"queries": [str], "answers": [[contents]]}`` |
| all, ASearcher's | POST /access ``{"urls": [str]}`` | ``{"result": [{"contents", "url"} or null]}`` |

A scored answer is ``{"result": [[{"document": {"id", "contents"}, "score": float}]]}``, a bare one ``{"result":
[[{"id", "contents", "url"}]]}``: a list for each query, in their order. A flat one is the scored list of the one query,
``{"result": [{"document", "score"}]}``, with null for scores that were not asked for. ``contents`` is the title in
quotes, a line break, the text.

Servers that put a web search engine behind these protocols (Search-R1's and GEM's) leave the score out, and Search-R1's
server that reranks sends documents as plain texts: a client of ours reads both.

Source: the clients and servers of Search-R1 (``search_r1/llm_agent/generation.py``, ``search_r1/search``), verl
(``verl/tools/utils/search_r1_like_utils.py``), SkyRL (``skyrl_gym/tools/search.py``,
``examples/train/search/retriever``), ASearcher (``tools/local_retrieval_server.py``, ``tools/search_utils.py``), GEM
from July 2025 on (``gem/tools/search_tool.py``, ``gem/tools/search_engine``) and R1-Searcher
(``train/wiki_corpus_load.py``, ``evaluation/eval_search_loacl.py``). Where ``return_scores`` is false, Search-R1's
server means to answer with bare documents, but fails unless there are two queries. GEM before July 2025 sent
``queries``, a list, and read lists of lists; a server of ours still answers that.
"""

import hashlib
import importlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnwise.core.errors import MissingDependencyError
from turnwise.retrieval.base import Document, Hit

__all__ = [
    "ACCESS",
    "DIALECTS",
    "TOKEN_VARIABLE",
    "Asked",
    "Dialect",
    "Malformed",
    "decode",
    "encode",
    "is_packed",
    "parse_contents",
    "read_pages",
    "read_queries",
    "read_retrieve",
    "read_searx",
    "read_urls",
    "write_answers",
    "write_pages",
    "write_result",
]

ACCESS = "/access"
"""Path for looking documents up by id."""
TOKEN_VARIABLE = "TURNWISE_RETRIEVER_TOKEN"
"""The environment variable with the token that our server requires and our client sends."""
_NUMBER = re.compile(r"^\d+\s+")  # R1-Searcher's documents begin with their row, a tab, the title, three blanks


class Malformed(ValueError):
    """A body does not follow its protocol; the message says where."""


# ---- bodies --------------------------------------------------------------------------------------------------------


def is_packed(body: bytes, content_type: str = "") -> bool:
    """Detect MessagePack by the content type, else by the first byte: that of a map never begins JSON."""
    return "msgpack" in content_type or (bool(body) and (body[0] & 0xF0 == 0x80 or body[0] in (0xDE, 0xDF)))


def decode(body: bytes, packed: bool) -> dict[str, Any]:
    """Decode the object in a body.

    Raises:
        Malformed: The body does not contain one.
        MissingDependencyError: It is MessagePack, and msgpack is not installed.
    """
    try:
        found = _msgpack().unpackb(body, raw=False) if packed else json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not {'MessagePack' if packed else 'JSON'} ({error}): {body[:80]!r}") from error
    if not isinstance(found, dict):
        raise Malformed(f"a {type(found).__name__}, not an object")
    return found


def encode(value: Mapping[str, Any], packed: bool) -> bytes:
    """Encode an object as a body.

    Raises:
        MissingDependencyError: MessagePack is requested and msgpack is not installed.
    """
    if packed:
        return bytes(_msgpack().packb(value, unicode_errors="replace"))
    return json.dumps(value, separators=(",", ":")).encode()


def _msgpack() -> Any:
    try:
        return importlib.import_module("msgpack")
    except ImportError as error:
        raise MissingDependencyError.of("msgpack", "msgpack") from error


# ---- the server's end ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """The content of a request.

    Attributes:
        queries: Any number of queries.
        k: Documents for each query; None leaves the number to the server.
        scores: Whether the answer has scores.
        flat: Whether the answer is a flat list for the one query, as GEM reads it.
    """

    queries: list[str]
    k: int | None
    scores: bool = False
    flat: bool = False


def read_retrieve(request: Mapping[str, Any], packed: bool = False) -> Asked:
    """Read a request to /retrieve in any dialect.

    Args:
        request: The object in its body.
        packed: Whether the body was MessagePack: with ``query``, a string, it is then GEM's.
    """
    if "queries" in request:
        queries = _strings(request, "queries")
    elif isinstance(request.get("query"), str):
        queries = [request["query"]]
    elif "query" in request:
        queries = _strings(request, "query")
    else:
        raise Malformed("neither queries, a list of strings, nor query, a string")
    scores = request.get("return_scores", False)
    if not isinstance(scores, bool):
        raise Malformed(f"return_scores is {_short(scores)}, not true or false")
    flat = packed and "queries" not in request and isinstance(request["query"], str)
    return Asked(queries, _count(request, "topk"), scores, flat)


def read_queries(request: Mapping[str, Any]) -> Asked:
    """Read a request to /queries."""
    return Asked(_strings(request, "queries"), _count(request, "k"))


def read_urls(request: Mapping[str, Any]) -> list[str]:
    """Read a request to /access."""
    return _strings(request, "urls")


def write_result(asked: Asked, found: Sequence[Sequence[Hit]]) -> dict[str, Any]:
    """Write the answer of /retrieve."""
    if asked.flat:
        scored = [(hit.document, float(hit.score) if asked.scores else None) for hits in found for hit in hits]
        return {"result": [{"document": _document(document), "score": score} for document, score in scored]}
    if asked.scores:
        return {
            "result": [
                [{"document": _document(hit.document), "score": float(hit.score)} for hit in hits] for hits in found
            ]
        }
    return {"result": [[_page(hit.document) for hit in hits] for hits in found]}


def write_answers(asked: Asked, found: Sequence[Sequence[Hit]]) -> dict[str, Any]:
    """Write the answer of /queries."""
    return {"queries": asked.queries, "answers": [[hit.document.contents for hit in hits] for hits in found]}


def write_pages(documents: Sequence[Document | None]) -> dict[str, Any]:
    """Write the answer of /access."""
    return {"result": [None if document is None else _page(document) for document in documents]}


def _document(document: Document) -> dict[str, str]:
    return {"id": document.id, "title": document.title, "contents": document.contents}


def _page(document: Document) -> dict[str, str]:
    return {**_document(document), "url": document.id}


def _strings(request: Mapping[str, Any], name: str) -> list[str]:
    found = request.get(name)
    if not isinstance(found, list):
        raise Malformed(f"{name} is {_short(found)}, not a list of strings")
    for place, item in enumerate(found):
        if not isinstance(item, str):
            raise Malformed(f"{name}[{place}] is {_short(item)}, not a string")
    return found


def _count(request: Mapping[str, Any], name: str) -> int | None:
    found = request.get(name)
    if found is not None and (type(found) is not int or found < 0):
        raise Malformed(f"{name} is {_short(found)}, not a number of documents")
    return found or None  # 0, too, leaves it to the server, as Search-R1's does


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# ---- the client's end ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dialect:
    """The client side of a protocol.

    Attributes:
        path: Path of its requests.
        ask: Makes a request from queries and the number of documents for each.
        read: Reads the hits in an answer; raises ``Malformed``.
        single: Whether a request has only one query.
        packed: Whether bodies are MessagePack.
    """

    path: str
    ask: Callable[[Sequence[str], int], dict[str, Any]]
    read: Callable[[Mapping[str, Any]], list[list[Hit]]]
    single: bool = False
    packed: bool = False


def parse_contents(contents: str, title: str = "") -> tuple[str, str]:
    """Split a document's contents into title and text: the first line without its quotes, and the rest.

    Contents of one line without quotes have no title. A ``title`` given separately takes precedence, and is removed
    from the text if the contents begin with it.
    """
    if title and contents.startswith(f'"{title}"\n'):  # it may have line breaks
        return title, contents[len(title) + 3 :]
    first, line_break, rest = contents.partition("\n")
    if title and first.strip('"') != title.strip('"'):
        return title, contents
    if len(first) > 1 and first[0] == first[-1] == '"':
        return first[1:-1], rest
    return (first, rest) if line_break else ("", contents)


def read_pages(answer: Mapping[str, Any], num_urls: int) -> list[Document | None]:
    """Read an answer of /access; the id of a document is its address.

    Raises:
        Malformed: It is not such an answer, or not one for so many addresses.
    """
    found = answer.get("result")
    if not isinstance(found, list) or len(found) != num_urls:
        raise Malformed(f"result is {_short(found)}, not a list of {num_urls}")
    return [None if item is None else _read_document(item, ("url", "id")) for item in found]


def read_searx(answer: Mapping[str, Any]) -> tuple[list[Hit], str]:
    """Read the results of SearXNG, and which of its engines failed.

    Raises:
        Malformed: It is not an answer of SearXNG.
    """
    results = answer.get("results")
    if not isinstance(results, list):
        raise Malformed(f"results is {_short(results)}, not a list")
    hits = []
    for rank, item in enumerate(results):
        if not isinstance(item, dict) or not isinstance(item.get("url"), str):
            raise Malformed(f"a result is {_short(item)}, without an address")
        title, content = (item.get(name) or "" for name in ("title", "content"))
        score = item.get("score")
        if not isinstance(score, (int, float)) or not math.isfinite(score):
            score = 1.0 / (rank + 1)
        hits.append(Hit(Document(item["url"], str(title), str(content)), float(score)))
    return hits, _short(answer["unresponsive_engines"]) if answer.get("unresponsive_engines") else ""


def _read_document(item: object, ids: Sequence[str] = ("id", "url")) -> Document:
    if isinstance(item, str):
        item = {"contents": item}
    if not isinstance(item, dict):
        raise Malformed(f"a document is {_short(item)}")
    title = item["title"] if isinstance(item.get("title"), str) else ""
    if isinstance(item.get("contents"), str):
        contents: str = item["contents"]
        title, text = parse_contents(contents, title)
    elif isinstance(item.get("text"), str):
        text = item["text"]
        contents = f'"{title}"\n{text}'
    else:
        raise Malformed(f"a document without contents: {_short(item)}")
    for name in ids:
        if isinstance(item.get(name), (str, int)):
            return Document(str(item[name]), title, text)
    return Document(_digest(contents), title, text)


def _digest(contents: str) -> str:
    """Make an id for a document without one."""
    return hashlib.sha256(contents.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read_result(answer: Mapping[str, Any], ids: Sequence[str] = ("id", "url")) -> list[list[Hit]]:
    return [[_read_hit(item, rank, ids) for rank, item in enumerate(items)] for items in _lists(answer, "result")]


def _read_flat(answer: Mapping[str, Any]) -> list[list[Hit]]:
    found = answer.get("result")
    if not isinstance(found, list):
        raise Malformed(f"result is {_short(found)}, not a list of documents")
    return [[_read_hit(item, rank) for rank, item in enumerate(found)]]


def _read_hit(item: object, rank: int, ids: Sequence[str] = ("id", "url")) -> Hit:
    if not isinstance(item, dict) or "document" not in item:  # bare
        return Hit(_read_document(item, ids), 1.0 / (rank + 1))
    score = item.get("score")
    if score is None:  # a web search engine gives only the order
        score = 1.0 / (rank + 1)
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
        raise Malformed(f"a score is {_short(score)}")
    return Hit(_read_document(item["document"], ids), float(score))


def _read_pages(answer: Mapping[str, Any]) -> list[list[Hit]]:
    return _read_result(answer, ("url", "id"))


def _read_answers(answer: Mapping[str, Any]) -> list[list[Hit]]:
    return [[_read_answer(item, rank) for rank, item in enumerate(items)] for items in _lists(answer, "answers")]


def _read_answer(item: object, rank: int) -> Hit:
    if not isinstance(item, str):
        raise Malformed(f"a document is {_short(item)}, not a string")
    contents = _NUMBER.sub("", item)
    title, blanks, text = contents.partition("   ")
    if blanks and "\n" not in title and not title.startswith('"'):
        return Hit(_read_document({"title": title, "text": text}), 1.0 / (rank + 1))
    return Hit(_read_document({"contents": contents}), 1.0 / (rank + 1))


def _lists(answer: Mapping[str, Any], name: str) -> list[list[Any]]:
    found = answer.get(name)
    if not isinstance(found, list) or not all(isinstance(items, list) for items in found):
        raise Malformed(f"{name} is {_short(found)}, not a list of lists")
    return found


def _ask(queries: Sequence[str], k: int) -> dict[str, Any]:
    return {"queries": list(queries), "topk": k, "return_scores": True}


def _ask_one(queries: Sequence[str], k: int) -> dict[str, Any]:
    return {"query": queries[0], "topk": k, "return_scores": True}


def _ask_bare(queries: Sequence[str], k: int) -> dict[str, Any]:
    return {"queries": list(queries), "topk": k, "return_scores": False}


def _ask_answers(queries: Sequence[str], k: int) -> dict[str, Any]:
    return {"queries": list(queries), "k": k}


DIALECTS: dict[str, Dialect] = {
    "search_r1": Dialect("/retrieve", _ask, _read_result),
    "skyrl": Dialect("/retrieve", _ask_one, _read_result, single=True),
    "asearcher": Dialect("/retrieve", _ask_bare, _read_pages),
    "gem": Dialect("/retrieve", _ask_one, _read_flat, single=True, packed=True),
    "r1_searcher": Dialect("/queries", _ask_answers, _read_answers),
}
"""The protocols by name."""
