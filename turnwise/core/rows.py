"""Read rows (dicts) from JSONL, JSON, CSV, TSV, Parquet and Hugging Face data sets, each with its file and line."""

import bz2
import csv
import gzip
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import IO, Any, Literal, NamedTuple, cast

from turnwise.core.errors import MissingDependencyError, SettingsError

__all__ = [
    "HUB", "KINDS", "Located", "OnError", "Problem", "Reading", "Row", "kind_of", "lines_of", "open_bytes",
    "read_located", "stamp",
]  # fmt: skip

Row = Mapping[str, Any]
HUB = "hf:"
KINDS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_PACKED = (".gz", ".bz2")
OnError = Literal["raise", "collect", "skip"]


class Located(NamedTuple):
    """A row, its number in the data set (from 0) and its place: ``file:line``, or ``file row n``."""

    row: Row
    number: int
    where: str


class Problem(NamedTuple):
    """A problem with a row, and the row's place."""

    where: str
    message: str


class Reading:
    """Collects problems while a data set is read, so that no row is lost silently.

    Args:
        on_error: "raise": the first unusable row raises immediately; "collect": one error at the end reports all of
            them; "skip": they are left out and counted.
        limit: Number of problems kept; all are counted.

    Attributes:
        problems: The first ``limit`` problems.
        num_problems: Number of all problems.
        skipped: Number of rows left out for a reason that is not an error (a redirect, say), by reason.
    """

    def __init__(self, on_error: OnError = "raise", limit: int = 100):
        if on_error not in ("raise", "collect", "skip"):
            raise SettingsError(f"on_error is {on_error!r}; it must be 'raise', 'collect' or 'skip'")
        self.on_error = on_error
        self.limit = limit
        self.problems: list[Problem] = []
        self.num_problems = 0
        self.skipped: Counter[str] = Counter()

    def problem(self, where: str, message: str) -> None:
        """Record a problem with a row.

        Raises:
            SettingsError: With ``on_error="raise"``.
        """
        if self.on_error == "raise":
            raise SettingsError(f"{where}: {message}")
        self.num_problems += 1
        if len(self.problems) < self.limit:
            self.problems.append(Problem(where, message))

    def finish(self) -> None:
        """Report the problems at the end of the data set.

        Raises:
            SettingsError: With ``on_error="collect"``, if there were problems; the message lists them.
        """
        if self.on_error == "collect" and self.num_problems:
            raise SettingsError(f"{self.num_problems} rows cannot be used\n{self.summary()}")

    def summary(self) -> str:
        """List the problems, one per line, and what was left out."""
        lines = [f"{where}: {message}" for where, message in self.problems]
        if self.num_problems > len(lines):
            lines.append(f"and {self.num_problems - len(lines)} more")
        lines += [f"left out: {count} {reason}" for reason, count in sorted(self.skipped.items())]
        return "\n".join(lines)


def stamp(path: str) -> tuple[int, int]:
    """Return the modification time and size of a file, which change when it does; zeros for a hub data set.

    Raises:
        SettingsError: The file does not exist.
    """
    if path.startswith(HUB):
        return 0, 0
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        raise SettingsError(f"path is {path!r}, which cannot be read: {error}") from error
    return found.st_mtime_ns, found.st_size


def read_located(path: str, reading: Reading | None = None, kind: str = "") -> Iterator[Located]:
    """Yield the rows of a data set in order, one at a time.

    Args:
        path: A file (.jsonl, .json, .csv, .tsv, also compressed as .gz or .bz2, or .parquet), or hf:owner/name.
        reading: Receives the problems; the caller calls `finish`. None: the first problem raises.
        kind: One of `KINDS`; empty: judged by the file's extension.

    Raises:
        SettingsError: The file cannot be read, or holds something that is not a row.
        MissingDependencyError: Reading it requires an optional package.
    """
    reading = reading or Reading()
    kind = kind or kind_of(path)
    if not kind:
        raise SettingsError(
            f"path is {path!r}; it must end in {', '.join(KINDS)} (text also with {' or '.join(_PACKED)}), "
            f"or be {HUB}owner/name"
        )
    number = -1
    try:
        for value, where in _READERS[kind](path, reading):
            number += 1
            if isinstance(value, Mapping):
                yield Located(value, number, where)
            else:
                reading.problem(where, f"row {number} is {str(value)[:80]!r}; it must be an object of columns")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise SettingsError(f"path is {path!r}, which cannot be read: {error}") from error


def kind_of(path: str) -> str:
    """Return the kind of a data set judged by its name: one of the values of `KINDS`, "hub", or "" for others."""
    if path.startswith(HUB):
        return "hub"
    stem, end = os.path.splitext(path)
    packed = end in _PACKED
    kind = KINDS.get(os.path.splitext(stem)[1] if packed else end, "")
    return "" if packed and kind == "parquet" else kind


def open_bytes(path: str) -> IO[bytes]:
    """Open a file, decompressing it if its name ends in .gz or .bz2."""
    if path.endswith(".gz"):
        return cast(IO[bytes], gzip.open(path))
    return bz2.open(path) if path.endswith(".bz2") else open(path, "rb")


def lines_of(path: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield the lines of a text file without line ends, each with its place; lines that are not UTF-8 are problems."""
    with open_bytes(path) as file:
        for number, line in enumerate(file, 1):
            where = f"{path}:{number}"
            try:
                text = _utf8(line, number)
            except UnicodeDecodeError as error:
                reading.problem(where, f"{line[:40]!r} is not UTF-8: {error.reason}")
                continue
            yield text.rstrip("\r\n"), where


def _utf8(data: bytes, line: int) -> str:
    """Decode a line, without the byte order mark that some editors put before the first one."""
    return data.decode("utf-8-sig" if line == 1 else "utf-8")


_LINES = re.compile(r"\s*\{[^\n]*\}\s*\n\s*\{")  # one object per line, whatever the file's extension
_Found = Iterator[tuple[Any, str]]


def _jsonl(path: str, reading: Reading) -> _Found:
    for line, where in lines_of(path, reading):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                reading.problem(where, f"{line.strip()[:80]!r} is not JSON: {error}")
                continue
            yield value, where


def _json(path: str, reading: Reading) -> _Found:
    """Yield the elements of a list, or of the only list in an object (``{"data": [...]}``), or objects from lines."""
    with open_bytes(path) as file:
        data = file.read()
    try:
        text = _utf8(data, 1)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}:{line}: {data[error.start :][:20]!r} is not UTF-8") from error
    if _LINES.match(text):
        yield from _jsonl(path, reading)
        return
    try:
        yield from _Elements(text, path).found()
    except json.JSONDecodeError as error:
        said = f"{error.doc[error.pos : error.pos + 80]!r} is not JSON here: {error.msg}; nothing after it was read"
        reading.problem(f"{path}:{error.lineno}", said)
    except RecursionError:
        reading.problem(path, "too deeply nested to read")


class _Elements:
    """Walks through the only list of a JSON text and keeps track of each element's line."""

    def __init__(self, text: str, path: str):
        self.text, self.path = text, path
        self.decoder = json.JSONDecoder()
        self.at = self.line_at = 0
        self.line = 1

    def found(self) -> _Found:
        none = SettingsError(f"{self.path} must hold a list of objects, or an object with one such list")
        start = self.peek()
        if start not in ("[", "{"):
            self.value()
            raise none
        if start == "[":
            yield from self.elements()
        else:
            lists = 0
            for _ in self.items("}"):
                self.value()  # the name
                self.take(":")
                if self.peek() != "[":
                    self.value()
                    continue
                lists += 1
                if lists > 1:
                    raise none
                yield from self.elements()
            if not lists:
                raise none
        if self.peek():
            raise json.JSONDecodeError("extra data", self.text, self.at)

    def elements(self) -> _Found:
        for _ in self.items("]"):
            self.peek()
            self.line += self.text.count("\n", self.line_at, self.at)
            self.line_at = self.at
            yield self.value(), f"{self.path}:{self.line}"

    def items(self, end: str) -> Iterator[None]:
        """Stop at each element of the list or object that begins here; the caller reads it."""
        self.at += 1
        if self.peek() == end:
            self.at += 1
            return
        while True:
            yield
            if self.peek() == end:
                self.at += 1
                return
            self.take(",")

    def peek(self) -> str:
        """Return the next non-blank character, "" at the end."""
        text, at = self.text, self.at
        while text[at : at + 1] in (" ", "\n", "\t", "\r"):
            at += 1
        self.at = at
        return text[at : at + 1]

    def take(self, char: str) -> None:
        if self.peek() != char:
            raise json.JSONDecodeError(f"{char!r} expected", self.text, self.at)
        self.at += 1

    def value(self) -> Any:
        self.peek()
        value, self.at = self.decoder.raw_decode(self.text, self.at)
        return value


def _csv(path: str, reading: Reading) -> _Found:
    return _delimited(path, reading, ",")


def _tsv(path: str, reading: Reading) -> _Found:
    return _delimited(path, reading, "\t")


def _delimited(path: str, reading: Reading, delimiter: str) -> _Found:
    """Yield rows below a line of column names; a quoted cell may span several lines and doubles its inner quotes."""
    with open_bytes(path) as file:
        reader = csv.reader((_utf8(line, n) for n, line in enumerate(file, 1)), delimiter=delimiter, strict=True)
        names: list[str] = []
        while True:
            where = f"{path}:{reader.line_num + 1}"
            try:
                cells = next(reader)
            except StopIteration:
                return
            except (csv.Error, UnicodeDecodeError) as error:  # what follows may be the rest of a cell
                hint = "quote the whole cell and double the quotes inside it"
                reading.problem(where, f"{error}; nothing after it was read ({hint})")
                return
            if not names:
                names = [name.strip() for name in cells]
                if len(set(names)) < len(names):
                    raise SettingsError(f"{where}: the columns are {', '.join(names)}; each must have its own name")
            elif len(cells) == len(names):
                yield dict(zip(names, cells, strict=True)), where
            elif cells:
                reading.problem(where, f"there are {len(cells)} cells, and {len(names)} columns: {', '.join(names)}")


def _parquet(path: str, reading: Reading) -> _Found:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingDependencyError.of("pyarrow", "data") from error
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(4096):
                for row in batch.to_pylist():
                    yield row, f"{path} row {number}"
                    number += 1
    except pyarrow.ArrowException as error:
        raise SettingsError(f"path is {path!r}, which is not a Parquet file: {error}") from error


def _hub(path: str, reading: Reading) -> _Found:
    """Yield all splits of ``owner/name`` or ``owner/name:configuration``, the split's name in a column ``split``."""
    try:
        import datasets
    except ImportError as error:
        raise MissingDependencyError.of("datasets", "hub") from error
    name, _, configuration = path.removeprefix(HUB).partition(":")
    loaded = datasets.load_dataset(name, configuration or None)
    for split, rows in loaded.items():
        for number, row in enumerate(rows):
            yield {"split": split, **row}, f"{path} {split} row {number}"


_READERS = {"jsonl": _jsonl, "json": _json, "csv": _csv, "tsv": _tsv, "parquet": _parquet, "hub": _hub}
