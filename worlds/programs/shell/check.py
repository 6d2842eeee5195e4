"""Check whether a directory is as required, and write the most literal commands that make it so."""

import base64
import shlex
from collections.abc import Callable, Iterable, Mapping

from turnwise.sandbox import Entry
from turnwise.worlds.programs.shell.archives import unpacked
from turnwise.worlds.programs.shell.crontabs import moments
from turnwise.worlds.programs.shell.layers import settings_in
from turnwise.worlds.programs.shell.tree import Node, writing

__all__ = ["as_entries", "difference", "literal_commands"]


def as_entries(tree: Mapping[str, Node]) -> dict[str, Entry]:
    """Return the tree as it would be read if unchanged."""
    return {path: Entry(node.kind, node.mode or 0, node.data()) for path, node in tree.items()}


def difference(wanted: Mapping[str, Node], found: Mapping[str, Entry]) -> dict[str, str]:
    """Describe what is wrong, by path; empty if everything is right.

    >>> difference({"a": Node("file", b"1")}, {"a": Entry("link", 0o777, b"b"), "b": Entry("file", 0o644, b"1")})
    {'a': 'a symbolic link, not a regular file', 'b': 'should not be there'}
    """
    wrong: dict[str, str] = {}
    for path, node in wanted.items():
        entry = found.get(path)
        problem = "missing" if entry is None else _problem(node, entry)
        if problem:
            wrong[path] = problem
    wrong |= {path: "should not be there" for path in found if path not in wanted}
    return dict(sorted(wrong.items()))


def _problem(node: Node, entry: Entry) -> str:
    if entry.kind != node.kind:
        return f"{_WORDS[entry.kind]}, not a {_WORDS[node.kind].partition(' ')[2]}"
    if node.kind == "file" and entry.links != 1:
        return "has several names (hard links)"
    if node.kind != "link" and node.mode is not None and entry.mode != node.mode:
        return f"has permissions {entry.mode:o}, not {node.mode:o}"
    if node.form in _READERS:
        read, words = _READERS[node.form]
        got = read(entry.contents)
        return "" if got is not None and got == read(node.contents) else words
    if entry.contents != node.data():
        return "points somewhere else" if node.kind == "link" else "has other contents than it should"
    return ""


_READERS: dict[str, tuple[Callable[[bytes], object], str]] = {
    "gzip": (lambda data: unpacked(data, "gzip"), "does not hold what it should"),
    "tar.gz": (lambda data: unpacked(data, "tar.gz"), "does not hold what it should"),
    "crontab": (moments, "does not run what it should when it should"),
    "settings": (settings_in, "does not set what it should"),
}
_WORDS = {
    "file": "a regular file",
    "directory": "a directory",
    "link": "a symbolic link",
    "other": "a pipe, socket or device",
}


def literal_commands(start: Mapping[str, Node], wanted: Mapping[str, Node]) -> str:
    """Return commands that turn one tree into the other, file by file, without using any rule."""
    lines: list[str] = []
    gone = [path for path in start if path not in wanted or wanted[path].kind != start[path].kind]
    lines += _each("rm -f --", (path for path in gone if start[path].kind != "directory"))
    lines += _each("rmdir --", sorted((path for path in gone if start[path].kind == "directory"), reverse=True))
    new = {path: node for path, node in wanted.items() if start.get(path) != node}
    lines += _each("mkdir -p --", (path for path, node in new.items() if node.kind == "directory"))
    for path, node in new.items():
        place = shlex.quote(f"./{path}")
        if node.kind == "link":
            lines.append(f"ln -sfn -- {shlex.quote(node.contents.decode())} {place}")
        elif node.form == "made" and path not in start:
            lines.append(writing(path, node))
        elif node.kind == "file" and (path not in start or start[path].contents != node.contents):
            data = base64.b64encode(node.contents).decode()
            again = f"rm -f -- {place}; " if path in start else ""  # it may have another name
            lines.append(f"{again}echo {data} | base64 -d > {place}")
    modes = {path: node.mode for path, node in new.items() if node.kind != "link" and node.mode is not None}
    lines += [f"chmod {mode:o} {shlex.quote(f'./{path}')}" for path, mode in sorted(modes.items(), reverse=True)]
    return "\n".join(lines) or ":"


def _each(command: str, paths: Iterable[str]) -> list[str]:
    words = " ".join(shlex.quote(f"./{path}") for path in paths)
    return [f"{command} {words}"] if words else []
