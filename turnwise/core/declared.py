"""Find the environments that a folder of families declares by reading its files, without importing any module."""

import re
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import NamedTuple

__all__ = ["Declared", "declared_in", "fault_of", "illegible"]

_CLASS = re.compile(
    r"""
    ^@register\(\s*["']([^"'\n]+)["']\s*\)[^\n]*\n  # the id
    (?:(?:@|\#|[ \t)])[^\n]*\n)*                    # more decorators, comments
    class[ ](\w+)\b[^:]*:[^\n]*\n                   # the class
    (?:\s+[rR]?\"\"\"([^\n]*?)(?:\"\"\"|\n))?       # the first line of its docstring
    """,
    re.MULTILINE | re.VERBOSE,
)

_MARK = re.compile(r"^@(?:\w+\.)*register\b", re.MULTILINE)


class Declared(NamedTuple):
    """An environment that a file declares.

    Attributes:
        name: What the file registers it as.
        entry: Its class as gymnasium writes it, ``module:Class``.
        file: The file that declares it.
        summary: The first line of the class's docstring.
    """

    name: str
    entry: str
    file: Path
    summary: str


def declared_in(folder: Path, package: str) -> Iterator[Declared]:
    """The environments of ``folder/<family>/<name>.py``, in the order of their files.

    Names that begin with an underscore and deeper folders are skipped. An environment is declared by
    ``@register("Name-v0")``, with the name written out, directly above a class at the file's top level.

    Args:
        folder: The folder of the families.
        package: Its name as a package.
    """
    for file, text in _files(folder):
        for name, cls, summary in _CLASS.findall(text):
            entry = f"{package}.{file.parent.name}.{file.stem}:{cls}"
            yield Declared(name, entry, file, summary.strip().replace("``", ""))


def fault_of(declared: Declared) -> str:
    """Return the syntax error in an environment's file, or "" if it compiles; the result is cached."""
    module = declared.entry.partition(":")[0]
    try:
        SourceFileLoader(module, str(declared.file)).get_code(module)
    except (SyntaxError, ValueError) as error:  # ValueError: null bytes
        return f"{type(error).__name__}: {error}"
    return ""


def illegible(folder: Path) -> list[Path]:
    """Return the files that register an environment in a form that `declared_in` cannot read."""
    return [file for file, text in _files(folder) if len(_MARK.findall(text)) > len(_CLASS.findall(text))]


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    for file in sorted(folder.glob("[!_.]*/[!_.]*.py")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if _MARK.search(text):
            yield file, text
