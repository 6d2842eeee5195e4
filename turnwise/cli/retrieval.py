"""The commands ``turnwise index`` and ``turnwise serve-retriever``."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from turnwise.core.rows import OnError
from turnwise.retrieval.corpora.readers import CorpusFormat
from turnwise.retrieval.index.build import Engine, build_index

__all__ = ["Index", "ServeRetriever", "index_main", "serve_main"]

SEARCHES = "An index, bm25:FOLDER (or tantivy, dense, hybrid, index), or a server, http://HOST:PORT or searxng:URL."


@dataclass(frozen=True)
class Index:
    """Build the index of a corpus in a folder; an up-to-date index is left unchanged.

    Corpora: rows (.jsonl, .json, .csv, .tsv, .parquet, hf:owner/name), WikiExtractor's files, a Wikipedia dump, or a
    folder of such files.
    """

    corpus: Annotated[Positional[str], arg(metavar="CORPUS", help="A file, a folder of files, or hf:owner/name.")]
    folder: Annotated[Positional[str], arg(metavar="FOLDER", help="A new folder, or one with an index.")]
    engine: Engine = "bm25"
    """bm25: built in, exact; tantivy: for millions of documents; dense: vectors; hybrid: bm25 and dense."""
    format: CorpusFormat = "auto"
    """What the files are."""
    id_column: str = ""
    """Column of the ids; empty: id, _id, docid, ..."""
    title_column: str = ""
    """Column of the titles; empty: title."""
    text_column: str = ""
    """Column of the texts; empty: text, contents, ..."""
    chunk_words: int = 0
    """Cut texts into passages of this many words; 0: leave them whole."""
    overlap: int = 0
    """Words that a passage shares with the previous one."""
    on_error: OnError = "raise"
    """Unusable rows: stop at the first, list them all, or skip them and report how many."""
    rebuild: bool = False
    """Build even if the index is up to date."""
    k1: float | None = None
    """bm25: how much repetitions of a word count."""
    b: float | None = None
    """bm25: how strongly scores are normalised by document length."""
    model: str | None = None
    """dense: name or folder of a sentence-transformers model."""
    dtype: str | None = None
    """dense: float16 or float32."""
    device: str | None = None
    """dense: where the model runs."""
    batch_size: int | None = None
    """dense: texts per batch."""
    query_prefix: str | None = None
    """dense: prefix of queries."""
    passage_prefix: str | None = None
    """dense: prefix of documents."""


def index_main(options: Index, show: Callable[[str], None]) -> int:
    """Build the index, report to ``show`` what was built and left out, and return the exit status 0."""
    info = build_index(**{name: value for name, value in asdict(options).items() if value is not None})
    spec = f"{info.engine}:{options.folder}"
    show(f"{info.documents:,} documents of {info.source.path}; the retriever is {spec}")
    for reason, count in sorted(info.left_out.items()):
        show(f"left out: {count:,} {reason}")
    return 0


@dataclass(frozen=True)
class ServeRetriever:
    """Serve a retriever over HTTP, with the protocols of Search-R1, SkyRL, ASearcher, GEM and R1-Searcher.

    If TURNWISE_RETRIEVER_TOKEN is set, clients must send it as their token. SIGTERM stops the server once all requests
    are answered.
    """

    retriever: Annotated[Positional[str], arg(metavar="RETRIEVER", help=SEARCHES)]
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = 8000
    """Port to listen on, 0 for a free one."""
    public: bool = False
    """Also serve other machines without a token."""
    topk: int = 3
    """Number of documents for a query that does not specify it."""
    batch: int = 256
    """Maximum number of queries per search."""
    workers: int = 1
    """Number of parallel searches."""


def serve_main(options: ServeRetriever) -> int:
    """Serve until SIGTERM or SIGINT; return the exit status 0."""
    from turnwise.retrieval.http.server import serve
    from turnwise.retrieval.make import make_retriever

    settings = asdict(options)
    with make_retriever(settings.pop("retriever")) as retriever:
        serve(retriever, **settings)
    return 0
