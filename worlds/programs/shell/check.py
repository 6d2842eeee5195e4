"""Check whether a directory is as required, and write the most literal commands that make it so."""

import base64
import gzip
import io
import shlex
import tarfile
from collections.abc import Iterable, Mapping

from turnwise.sandbox import Entry
from turnwise.worlds.programs.shell.archives import unpacked
from turnwise.worlds.programs.shell.tree import Node

__all__ = ["as_entries", "difference", "literal_commands"]


def as_entries(tree: Mapping[str, Node]) -> dict[str, Entry]:
    """Return the tree as it would be read if unchanged."""
    return {path: Entry(node.kind, node.mode or 0, node.contents) for path, node in tree.items()}


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
    if node.packed:
        return "" if unpacked(entry.contents, node.packed) == node.contents else "does not hold what it should"
    if entry.contents != node.contents:
        return "points somewhere else" if node.kind == "link" else "has other contents than it should"
    return ""


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
            lines.append(f"ln -sf -- {shlex.quote(node.contents.decode())} {place}")
        elif node.kind == "file" and (path not in start or start[path].contents != node.contents):
            data = base64.b64encode(_as_packed(node)).decode()
            lines.append(f"echo {data} | base64 -d > {place}")
    modes = {path: node.mode for path, node in new.items() if node.kind != "link" and node.mode is not None}
    lines += [f"chmod {mode:o} {shlex.quote(f'./{path}')}" for path, mode in sorted(modes.items(), reverse=True)]
    return "\n".join(lines) or ":"


def _each(command: str, paths: Iterable[str]) -> list[str]:
    words = " ".join(shlex.quote(f"./{path}") for path in paths)
    return [f"{command} {words}"] if words else []


def _as_packed(node: Node) -> bytes:
    if not node.packed:
        return node.contents
    if node.packed == "gzip":
        return gzip.compress(node.contents, 1, mtime=0)
    text, plain = io.BytesIO(node.contents), io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        while line := text.readline():  # as written by ``members_text``
            size, _, path = line.decode().rstrip("\n").partition(" ")
            member = tarfile.TarInfo(path)
            member.size = int(size)
            archive.addfile(member, io.BytesIO(text.read(int(size))))
            text.readline()
    return gzip.compress(plain.getvalue(), 1, mtime=0)
