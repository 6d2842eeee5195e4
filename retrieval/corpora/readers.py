"""Readers of users' corpora: rows in the shapes of the field and Wikipedia's files, whole or cut into passages.

Source: the shapes are those of Search-R1 (arXiv 2503.09516: ``id, contents``), BEIR (arXiv 2104.08663: ``_id, title,
text``), DPR (arXiv 2004.04906: ``psgs_w100.tsv``), Pyserini and FlashRAG (arXiv 2405.13576).
"""

import os
import re
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.core.rows import HUB, KINDS, Reading, Row, kind_of, open_bytes, read_located
from turnwise.core.settings import Setting, check
from turnwise.retrieval.base import Document
from turnwise.retrieval.corpora.wikipedia import Entry, read_dump, read_extracted
from turnwise.retrieval.index.keys import hash_of

__all__ = ["CorpusFormat", "files_of", "passages", "read_corpus"]

CorpusFormat = Literal["auto", "rows", "wikiextractor", "wikipedia"]
IDS = ("id", "_id", "docid", "doc_id", "passage_id", "pid")
TEXTS = ("text", "contents", "content", "passage", "paragraph_text")
_MAX_TITLE = 300  # characters: a longer first line of "contents" is a paragraph
_WORD = re.compile(r"\S+")


def read_corpus(
    path: str, *, format: CorpusFormat = "auto", id_column: str = "", title_column: str = "", text_column: str = "",
    chunk_words: int = 0, overlap: int = 0, reading: Reading | None = None,
) -> Iterator[Document]:  # fmt: skip
    """Read the documents of a corpus one at a time, in the order of the file.

    Rows have a text, and usually an id and a title. The text's column is the first of text, contents, content, passage,
    paragraph_text; of ``contents`` the first line is the title (in quotes or not), if there are more and it has at most
    300 characters. The id's column is the first of id, _id, docid, doc_id, passage_id, pid; without any, ids are the
    rows' numbers, from 0. The columns are taken from a file's first row; all other rows must have them.

    Args:
        path: A file (see `turnwise.core.rows.read_located`; also WikiExtractor's, or a Wikipedia dump of
        pages-articles,
            .xml or .xml.bz2), a folder of such files (read in the order of their names), or hf:owner/name.
        format: Format of the files; "auto" decides by name and first characters.
        id_column: Name of the id's column, if it is another one.
        title_column: Likewise.
        text_column: Likewise.
        chunk_words: Cuts texts into passages of so many words, with the ids ``doc#0``, ``doc#1``, …; 0 leaves them
            whole. DPR's passages have 100.
        overlap: Words that a passage shares with the one before it.
        reading: Records unusable rows and counts what is left out. None: the first problem raises an error.

    Raises:
        SettingsError: The corpus cannot be read, a row cannot be used (with file and line; see `Reading`), or an id
            occurs twice (always; found at the end).
    """
    check("format", format, Setting("format", CorpusFormat))
    if chunk_words < 0 or not 0 <= overlap < max(1, chunk_words):
        raise SettingsError(f"chunk_words is {chunk_words} and overlap {overlap}; it takes 0 <= overlap < chunk_words")
    reading = reading or Reading()
    columns = (id_column, title_column, text_column)
    documents = _checked(_entries(path, format, columns, reading), path, format, columns, reading)
    return passages(documents, chunk_words, overlap) if chunk_words else documents


def passages(documents: Iterable[Document], words: int, overlap: int = 0) -> Iterator[Document]:
    """Cut each document into passages of at most ``words`` words, ``overlap`` of them from the one before.

    >>> [p.text for p in passages([Document("d", "T", "a b c d e")], 3, 1)]
    ['a b c', 'c d e']
    """
    for document in documents:
        spans = [match.span() for match in _WORD.finditer(document.text)]
        starts = range(0, max(1, len(spans) - overlap), words - overlap)
        for number, start in enumerate(starts):
            part = spans[start : start + words]
            text = document.text[part[0][0] : part[-1][1]] if part else ""
            yield Document(f"{document.id}#{number}", document.title, text)


def files_of(path: str, reading: Reading | None = None) -> list[str]:
    """List the files of a corpus: the path itself, or those in the folder in the order of their names; [] for hf:.

    Raises:
        SettingsError: The file does not exist, or the folder has none.
    """
    if path.startswith(HUB):
        return []
    if not os.path.isdir(path):
        if not os.path.isfile(path):
            raise SettingsError(f"path is {path!r}; it does not exist")
        return [path]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.join(folder, name) for name in names if not name.startswith(".")]
    known = [file for file in sorted(found) if _kind(file)]
    if not known:
        raise SettingsError(f"path is {path!r}; that folder contains no file in a known format")
    if reading is not None and len(known) < len(found):
        reading.skipped["files of other kinds"] += len(found) - len(known)
    return known


def _kind(path: str) -> str:
    """Detect a file's kind by name or first characters: a kind of rows, "wikiextractor", "wikipedia" or ""."""
    if kind := kind_of(path):
        return kind
    try:
        with open_bytes(path) as file:
            head = file.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (OSError, EOFError) as error:
        raise SettingsError(f"path is {path!r}, which cannot be read: {error}") from error
    starts = {b"<doc ": "wikiextractor", b"<mediawiki": "wikipedia", b"{": "jsonl"}
    if head.startswith(b"<?xml") and b"<mediawiki" in head:
        return "wikipedia"
    return next((kind for start, kind in starts.items() if head.startswith(start)), "")


def _entries(path: str, format: CorpusFormat, columns: tuple[str, ...], reading: Reading) -> Iterator[Entry]:
    for file in files_of(path, reading) or [path]:
        kind = "hub" if path.startswith(HUB) else _kind(file)
        if not kind or (format != "auto" and format != (kind if kind.startswith("wiki") else "rows")):
            raise SettingsError(
                f"{file} is {repr(kind) if kind else 'of no known kind'}, and format is {format!r}; a corpus is "
                f"{', '.join(KINDS)}, WikiExtractor's files, a Wikipedia dump (.xml, .xml.bz2), or {HUB}owner/name"
            )
        try:
            if kind == "wikipedia":
                yield from read_dump(file, reading)
            elif kind == "wikiextractor":
                yield from read_extracted(file, reading)
            else:
                yield from _rows(file, kind, columns, reading)
        except (OSError, EOFError) as error:
            raise SettingsError(f"path is {file!r}, which cannot be read: {error}") from error


def _rows(path: str, kind: str, columns: tuple[str, ...], reading: Reading) -> Iterator[Entry]:
    found: tuple[str, str, str] | None = None
    for row, number, where in read_located(path, reading, kind):
        found = found or _columns(row, where, *columns)
        id, title, text = found
        try:
            shown, body = _text(row, title) if row.get(title) is not None else "", _text(row, text)
            if text == "contents":
                first, rest = _unpacked(body)
                shown, body = (shown or first, rest) if shown in ("", first) else (shown, body)
            yield _id(row, id) if id else str(number), shown, body, where
        except ValueError as error:
            reading.problem(where, str(error))


def _columns(row: Row, where: str, id: str, title: str, text: str) -> tuple[str, str, str]:
    for name, given in (("id_column", id), ("title_column", title), ("text_column", text)):
        if given and given not in row:
            raise SettingsError(f"{name} is {given!r}; {where} has the columns {', '.join(map(str, row))}")
    text = text or next((name for name in TEXTS if name in row), "")
    if not text:
        raise SettingsError(
            f"{where} has the columns {', '.join(map(str, row))}; one of them must be {', '.join(TEXTS)}, "
            f"or be named as text_column"
        )
    return id or next((name for name in IDS if name in row), ""), title or ("title" if "title" in row else ""), text


def _id(row: Row, column: str) -> str:
    value: Any = row.get(column)
    if not isinstance(value, str | int) or isinstance(value, bool) or not str(value).strip():
        raise ValueError(f"the column {column!r} is {str(value)[:80]!r}; it must be the document's id")
    return str(value)


def _text(row: Row, column: str) -> str:
    value: Any = row.get(column)
    if not isinstance(value, str):
        raise ValueError(f"the column {column!r} is {str(value)[:80]!r}; it must be a text")
    return value


def _unpacked(contents: str) -> tuple[str, str]:
    r"""Split title and text of Search-R1's ``"Title"\ntext``.

    >>> _unpacked('"Oslo"\nOslo is a city.'), _unpacked("Oslo is a city.")
    (('Oslo', 'Oslo is a city.'), ('', 'Oslo is a city.'))
    """
    first, line_break, rest = contents.partition("\n")
    if not line_break or len(first) > _MAX_TITLE or not rest.strip():
        return "", contents
    title = first.strip()
    return title[1:-1] if len(title) > 1 and title[0] == title[-1] == '"' else title, rest


def _checked(
    entries: Iterable[Entry], path: str, format: CorpusFormat, columns: tuple[str, ...], reading: Reading
) -> Iterator[Document]:
    """Pass on documents that are not empty and are valid Unicode; at the end, check that no id occurred twice."""
    hashes = array("Q")
    for id, title, text, where in entries:
        if not title.strip() and not text.strip():
            reading.problem(where, f"the document {id!r} has neither title nor text")
            continue
        try:
            f"{id}{title}{text}".encode()
        except UnicodeEncodeError as error:
            reading.problem(where, f"the document {id!r} cannot be written as UTF-8: {error.reason}")
            continue
        hashes.append(hash_of(id))
        yield Document(id, title, text)
    ordered = np.sort(np.frombuffer(hashes, np.uint64)) if hashes else np.zeros(0, np.uint64)
    twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    if twice:
        _name_twins(_entries(path, format, columns, Reading("skip")), twice, reading)
    reading.finish()


def _name_twins(entries: Iterable[Entry], hashes: set[int], reading: Reading) -> None:
    """Read again and report where repeated ids are: they cannot be skipped, since the first has been passed on."""
    first: dict[str, str] = {}
    twins = Reading("collect")
    heard = reading if reading.on_error == "collect" else twins
    for id, _, _, where in entries:
        if hash_of(id) in hashes and first.setdefault(id, where) != where:
            heard.problem(where, f"the id {id!r} stands at {first[id]}, too; each document must have its own")
    twins.finish()
