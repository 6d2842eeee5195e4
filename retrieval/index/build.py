"""Index folders: a corpus with its index, built once, opened by any process, refused if stale or damaged."""

import contextlib
import hashlib
import inspect
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from turnwise.core.errors import SettingsError
from turnwise.core.files import locked
from turnwise.core.rows import HUB, OnError, Reading, kind_of
from turnwise.core.settings import check_names
from turnwise.retrieval.base import Retriever
from turnwise.retrieval.corpora.documents import Corpus, FileCorpus, write_corpus
from turnwise.retrieval.corpora.readers import CorpusFormat, files_of, read_corpus
from turnwise.retrieval.hybrid import HybridRetriever
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.index.dense import DenseIndex
from turnwise.retrieval.index.folders import open_folder, seal
from turnwise.retrieval.index.tantivy import TantivyIndex
from turnwise.retrieval.local import LocalRetriever

__all__ = ["ENGINES", "Engine", "IndexInfo", "Source", "build_index", "describe", "open_index"]

Engine = Literal["bm25", "tantivy", "dense", "hybrid"]
ENGINES: Mapping[str, tuple[str, ...]] = {
    "bm25": ("bm25",), "tantivy": ("tantivy",), "dense": ("dense",), "hybrid": ("bm25", "dense"),
}  # fmt: skip
"""Indexes in the folder of each engine."""

KIND, VERSION = "turnwise index folder", 1
DATA, BUILDING = "turnwise-", "turnwise-building"
_INDEXES: Mapping[str, Any] = {"bm25": Bm25Index, "tantivy": TantivyIndex, "dense": DenseIndex}
_OWN = ("folder", "progress", "encoder", "texts", "verify")
_SPEED = ("device", "batch_size")  # settings that do not change results
_BLOCK = 1 << 20
_USUAL = {
    "format": "auto", "id_column": "", "title_column": "", "text_column": "", "chunk_words": 0, "overlap": 0,
    "on_error": "raise",
}  # fmt: skip
Track = Callable[[str, int | None], Callable[[int], None]]


@dataclass(frozen=True)
class Source:
    """Identifies a corpus at the time it was read.

    Attributes:
        path: Absolute, or hf:owner/name.
        bytes: Size of all files together.
        mtime_ns: When the newest file was changed.
        stamp: A hash of the files' names, sizes and times.
        sha256: Hash of the files' names and content; empty for hf:.
    """

    path: str
    bytes: int = 0
    mtime_ns: int = 0
    stamp: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class IndexInfo:
    """Description stored in an index folder.

    Attributes:
        engine: One of `ENGINES`.
        documents: Number of documents, or of passages if the corpus was cut.
        settings: Settings of the engine.
        reading: How the corpus was read: format, columns, chunk_words, overlap.
        source: The corpus.
        data: Subfolder with the files.
        left_out: Number of rows that were left out, by reason.
    """

    engine: str
    documents: int
    settings: dict[str, Any]
    reading: dict[str, Any]
    source: Source
    data: str
    left_out: dict[str, int]


def build_index(
    corpus: str, folder: str | os.PathLike[str], engine: Engine = "bm25", *, format: CorpusFormat = "auto",
    id_column: str = "", title_column: str = "", text_column: str = "", chunk_words: int = 0, overlap: int = 0,
    on_error: OnError = "raise", rebuild: bool = False, progress: bool | None = None, **settings: Any,
) -> IndexInfo:  # fmt: skip
    """Read a corpus and build its index into a folder; an index that exists already is only checked.

    One process builds at a time. The index is written separately and replaces the old one when it is complete:
    processes that have the old one open continue to use it, and a build that is stopped leaves the folder unchanged.

    Args:
        corpus: See `turnwise.retrieval.corpora.readers.read_corpus`, also for the columns and passages.
        folder: A new or empty folder, or an index folder.
        engine: "bm25" (our own, exact), "tantivy" (for millions of documents), "dense", or "hybrid" (bm25 and dense).
        format: Format of the corpus.
        id_column: Column of the ids.
        title_column: Column of the titles.
        text_column: Column of the texts.
        chunk_words: Words per passage; 0: whole documents.
        overlap: Words that passages share.
        on_error: What to do with rows that cannot be used: see `turnwise.core.rows.Reading`.
        rebuild: Build it even if it exists.
        progress: Show a bar on standard error; None: if that is a terminal.
        settings: Settings of the engine's index: ``k1``, ``b`` (`Bm25Index.build`); ``model``, ``dtype``,
            ``device``, ``batch_size``, ``query_prefix``, ``passage_prefix`` (`DenseIndex.build`).

    Raises:
        SettingsError: A setting is wrong, the corpus cannot be read or has no documents, a row cannot be used, the
            folder contains something else, or another process is building there.
        MissingDependencyError: The engine needs an optional package.
    """
    if engine not in ENGINES:
        raise SettingsError(f"engine is {engine!r}; it must be one of {', '.join(ENGINES)}")
    given = _settings(engine, "build", settings)
    how = {
        "format": format, "id_column": id_column, "title_column": title_column, "text_column": text_column,
        "chunk_words": chunk_words, "overlap": overlap, "on_error": on_error,
    }  # fmt: skip
    path = Path(folder)
    with _refusing(path, "cannot be written"):
        path.mkdir(parents=True, exist_ok=True)
        _refuse_others(path)
    with locked(path, "building an index in"), _bar(progress) as track:
        before, lines = _source(corpus, track)
        with contextlib.suppress(SettingsError):
            known = describe(path)
            same = (known.engine, known.settings, known.reading, known.source.sha256 or known.source.path)
            if same == (engine, _kept(given), how, before.sha256 or before.path) and not rebuild:
                _opened(path, known, {})
                return known
        reading = Reading(on_error)
        new = path / BUILDING
        shutil.rmtree(new, ignore_errors=True)
        try:
            documents = read_corpus(
                corpus, format=format, id_column=id_column, title_column=title_column, text_column=text_column,
                chunk_words=chunk_words, overlap=overlap, reading=reading,
            )  # fmt: skip
            written = write_corpus(new / "corpus", documents, track("reading", None if chunk_words else lines))
            _build(written, new, engine, given, track)
            if _source(corpus, None)[0].stamp != before.stamp:
                raise SettingsError(f"{corpus} was changed while it was read; build the index again")
            return _publish(path, new, engine, len(written), _kept(given), how, before, reading)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def open_index(
    folder: str | os.PathLike[str], source: str | None = None, *, engine: str | None = None, verify: bool = False,
    **settings: Any,
) -> Retriever:  # fmt: skip
    """Open the retriever of an index folder, memory-mapped.

    Args:
        folder: A folder that `build_index` built.
        source: Corpus that it must be built from. None: the recorded one, if that still exists.
        engine: Engine that it must be built with; None: any.
        verify: Read all files and compare their checksums.
        settings: Search settings: ``device``, ``batch_size`` (dense, hybrid); ``method``, ``weights``, ``rrf_k``,
            ``depth`` (hybrid, see `HybridRetriever`).

    Raises:
        SettingsError: The folder has no complete index of this format, or its engine is another one, or its corpus has
            changed since; the message says how to build it.
    """
    path = Path(folder)
    while True:
        before = _manifest(path)
        try:
            return _open(path, source, engine, verify, settings)
        except (SettingsError, OSError) as error:
            if _manifest(path) != before:  # it has been built again in the meantime
                continue
            if isinstance(error, OSError):
                raise SettingsError(f"{str(path)!r} cannot be read: {error}; {_command(path, None)}") from error
            raise


def describe(folder: str | os.PathLike[str]) -> IndexInfo:
    """Read the description of an index folder.

    Raises:
        SettingsError: It does not contain a complete index of this format.
    """
    try:
        return _info(open_folder(folder, KIND, VERSION))
    except (SettingsError, KeyError, TypeError) as error:
        known = None
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # its description may still be readable
            known = _info(json.loads(_manifest(Path(folder))))
        raise SettingsError(f"{error}; {_command(Path(folder), known)}") from error


def _info(facts: Mapping[str, Any]) -> IndexInfo:
    named = {name: facts[name] for name in IndexInfo.__dataclass_fields__}
    return IndexInfo(**{**named, "source": Source(**facts["source"])})


# ---- building ------------------------------------------------------------------------------------------------------


def _settings(engine: str, method: str, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Distribute settings to the indexes of an engine (and their fusion) for `build` or `open`; refuse unknown ones."""
    found: dict[str, dict[str, Any]] = {}
    for part in ENGINES[engine]:
        found[part] = _defaults(getattr(_INDEXES[part], method))
    if engine == "hybrid" and method == "open":
        found["fusion"] = {k: v for k, v in _defaults(HybridRetriever.__init__).items() if k != "order"}
    known = {name for part in found.values() for name in part}
    check_names(f"engine {engine!r} has no setting", given, known)
    return {
        part: {name: given.get(name, value) for name, value in defaults.items()} for part, defaults in found.items()
    }


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in _OWN}


def _kept(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: value for part in settings.values() for name, value in part.items() if name not in _SPEED}


def _build(corpus: Corpus, folder: Path, engine: str, settings: Mapping[str, dict[str, Any]], track: Track) -> None:
    if not len(corpus):
        raise SettingsError("the corpus has no documents")
    for part in ENGINES[engine]:
        texts = (document.contents for document in corpus)
        advance = track(f"indexing ({part})", len(corpus))
        _INDEXES[part].build(texts, folder=folder / part, progress=advance, **settings[part])


def _publish(
    path: Path, new: Path, engine: str, documents: int, settings: dict[str, Any], how: dict[str, Any], source: Source,
    reading: Reading,
) -> IndexInfo:  # fmt: skip
    """Replace the old index with the one that was built."""
    old = {int(n): entry for entry in path.iterdir() if (n := entry.name.removeprefix(DATA)).isdecimal()}
    number = 1 + max(old, default=0)
    left_out = dict(+reading.skipped)
    if reading.num_problems:
        left_out["rows that cannot be used"] = reading.num_problems
    info = IndexInfo(engine, documents, settings, how, source, f"{DATA}{number}", left_out)
    os.replace(new, path / info.data)
    manifests = [f"{info.data}/{part}/manifest.json" for part in ("corpus", *ENGINES[engine])]
    seal(path, KIND, VERSION, manifests, **asdict(info))
    for entry in old.values():
        shutil.rmtree(entry, ignore_errors=True)
    return info


def _refuse_others(path: Path) -> None:
    """Raise an error for a folder with other files: nothing is overwritten."""
    names = sorted(entry.name for entry in path.iterdir())
    ours = any(name.startswith(DATA) for name in names)
    others = [n for n in names if n != ".lock" and not (ours and n.startswith((DATA, "manifest.json")))]
    if others:
        raise SettingsError(f"folder is {str(path)!r}, which contains {others[0]!r}; it must be a new or empty folder")


@contextlib.contextmanager
def _refusing(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsError(f"folder is {str(path)!r}, which {what}: {error}") from error


@contextlib.contextmanager
def _bar(wanted: bool | None) -> Iterator[Track]:
    """Show bars on standard error, if that is a terminal or ``wanted``; each is updated with its progress."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda name, total: lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:

        def track(name: str, total: int | None) -> Callable[[int], None]:
            task = bar.add_task(name, total=total)
            return lambda done: bar.update(task, completed=done)

        yield track


# ---- the corpus that it was built from -----------------------------------------------------------------------------


def _source(corpus: str, track: Track | None) -> tuple[Source, int | None]:
    """Identify the corpus as it is now, with a hash of its content if ``track`` is given; also count its lines."""
    if corpus.startswith(HUB):
        return Source(corpus), None
    root = os.path.abspath(corpus)
    files = files_of(corpus)
    stats = [os.stat(file) for file in files]
    names = [os.path.relpath(file, root) for file in files]
    stamp = hashlib.blake2b(repr([(n, s.st_size, s.st_mtime_ns) for n, s in zip(names, stats, strict=True)]).encode())
    total = sum(s.st_size for s in stats)
    whole, lines = ("", 0) if track is None else _content(files, names, track("checking", total))
    counted = all(kind_of(file) in ("jsonl", "csv", "tsv") and not file.endswith((".gz", ".bz2")) for file in files)
    newest = max(s.st_mtime_ns for s in stats)
    return Source(root, total, newest, stamp.hexdigest()[:32], whole), lines if counted else None


def _content(files: list[str], names: list[str], advance: Callable[[int], None]) -> tuple[str, int]:
    digest, done, lines = hashlib.sha256(), 0, 0
    for file, name in zip(files, names, strict=True):
        digest.update(f"{name}\0{os.path.getsize(file)}\0".encode("utf-8", "surrogateescape"))
        with open(file, "rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
                done, lines = done + len(block), lines + block.count(b"\n")
                advance(done)
    return digest.hexdigest(), lines


def _refuse_stale(path: Path, info: IndexInfo, source: str | None) -> None:
    """Raise an error if the corpus has changed in size and time and content; without ``source`` it may be missing."""
    recorded = info.source
    where = source if source is not None else recorded.path
    if where.startswith(HUB) or recorded.path.startswith(HUB):
        if where != recorded.path:
            raise SettingsError(
                f"{str(path)!r} has an index of {recorded.path}, not of {where}; {_command(path, info)}"
            )
        return
    if source is None and not os.path.exists(where):
        return
    now = _source(where, None)[0]
    if now.stamp == recorded.stamp:
        return
    if (
        now.bytes != recorded.bytes
        or _source(where, lambda name, total: lambda done: None)[0].sha256 != recorded.sha256
    ):
        raise SettingsError(
            f"{str(path)!r} has an index of {recorded.path} with {recorded.bytes} bytes, and {where} has changed "
            f"since ({now.bytes} bytes): the index is stale; {_command(path, info, where)}"
        )


def _command(path: Path, info: IndexInfo | None, source: str = "") -> str:
    """Return the instruction to build it again."""
    words = ["turnwise", "index", source or (info.source.path if info else "CORPUS"), str(path)]
    if info:
        usual = {**_USUAL, **_kept(_settings(info.engine, "build", {}))}
        for name, value in {"engine": info.engine, **info.reading, **info.settings}.items():
            if value != usual.get(name):
                words += [f"--{name.replace('_', '-')}", str(value)]
    return f"build it by: {shlex.join(words)}"


# ---- opening -------------------------------------------------------------------------------------------------------


def _open(path: Path, source: str | None, engine: str | None, verify: bool, settings: Mapping[str, Any]) -> Retriever:
    info = describe(path)
    if engine is not None and info.engine != engine:
        raise SettingsError(
            f"{str(path)!r} has an index of engine {info.engine!r}, not {engine!r}; {_command(path, info)}"
        )
    given = _settings(info.engine, "open", settings)
    _refuse_stale(path, info, source)
    try:
        return _opened(path, info, given, verify)
    except SettingsError as error:
        raise SettingsError(f"{error}; {_command(path, info)}") from error


def _manifest(path: Path) -> bytes:
    with contextlib.suppress(OSError, ValueError):
        return (path / "manifest.json").read_bytes()
    return b""


def _opened(path: Path, info: IndexInfo, settings: Mapping[str, dict[str, Any]], verify: bool = False) -> Retriever:
    data = path / info.data
    corpus = FileCorpus(data / "corpus", verify)
    locals_ = [
        LocalRetriever(corpus, _INDEXES[part].open(data / part, verify, **settings.get(part, {})))
        for part in ENGINES[info.engine]
    ]
    if len(locals_) == 1:
        return locals_[0]
    return HybridRetriever(locals_, order=corpus.number_of, **settings.get("fusion", {}))
