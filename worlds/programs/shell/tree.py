"""File trees as plain data, and random content for them."""

import random
import shlex
from collections.abc import Iterator, Mapping
from inspect import getsource
from posixpath import splitext
from typing import Literal, NamedTuple

from turnwise.worlds.programs.shell import bulk
from turnwise.worlds.programs.shell.bulk import made

__all__ = ["Node", "Tree", "World", "files_of", "make_folder", "prelude", "put", "regular_files", "writing"]

_FILE_MODE, _FOLDER_MODE = 0o644, 0o755
_LONG_AGO = 1577880000  # 2020-01-01 12:00 UTC: listings show the year of such a date, never the time
_WORDS = (
    "alpha", "amber", "anchor", "atlas", "autumn", "basil", "beacon", "birch", "brook", "candle", "canyon", "cedar",
    "chart", "cobalt", "copper", "coral", "crane", "delta", "draft", "ember", "falcon", "fern", "field", "flint",
    "forest", "garden", "glacier", "harbor", "hazel", "heron", "invoice", "island", "ivory", "jasper", "juniper",
    "kernel", "lagoon", "lantern", "lemon", "linen", "lotus", "maple", "marble", "meadow", "mercury", "minutes",
    "mosaic", "nectar", "notes", "oasis", "olive", "onyx", "orchid", "otter", "outline", "paper", "pebble", "pepper",
    "pine", "plan", "plum", "poppy", "prairie", "quartz", "raven", "report", "ridge", "river", "saffron", "sage",
    "schedule", "sketch", "slate", "spruce", "summary", "sunset", "table", "tango", "thistle", "timber", "topaz",
    "tulip", "valley", "velvet", "violet", "walnut", "willow", "winter", "zephyr",
)  # fmt: skip
_ODD = ("it's {}", "-{}", "{} (copy)", "{} & co", "é{}", "{}[1]", "#{}", "{}$HOME", "  {}")


class Node(NamedTuple):
    """The file, directory or link at a path.

    Attributes:
        kind: A regular file, a directory or a symbolic link.
        contents: Contents of a file; target of a link.
        mode: Permission bits; None accepts any.
        form: How the contents of a file are compared: byte by byte; what is inside a compressed file or an archive;
            the moments at which the lines of a crontab run; the settings that a file makes. "made": ``contents`` is the
            description of a large log (`bulk.made`).
    """

    kind: Literal["file", "directory", "link"]
    contents: bytes = b""
    mode: int | None = None
    form: Literal["", "gzip", "tar.gz", "crontab", "settings", "made"] = ""

    def data(self) -> bytes:
        """Return the bytes of the file, or the target of the link."""
        return made(self.contents) if self.form == "made" else self.contents


Tree = dict[str, Node]
"""Maps relative paths to nodes, including the directories above each path."""


def put(tree: Tree, path: str, contents: str | bytes, mode: int | None = None) -> None:
    """Put a file into the tree, creating missing directories above it."""
    make_folder(tree, path.rpartition("/")[0])
    tree[path] = Node("file", contents.encode() if isinstance(contents, str) else contents, mode)


def make_folder(tree: Tree, path: str) -> None:
    """Create a directory and missing ones above it."""
    while path and path not in tree:
        tree[path] = Node("directory", mode=_FOLDER_MODE)
        path = path.rpartition("/")[0]


def regular_files(tree: Mapping[str, Node], scope: str, *, deep: bool = True) -> Iterator[tuple[str, Node]]:
    """Return the regular files below a directory (``deep=False``: directly in it), sorted by path."""
    start = f"{scope}/"
    for path in sorted(tree):
        if path.startswith(start) and tree[path].kind == "file" and (deep or "/" not in path[len(start) :]):
            yield path, tree[path]


def files_of(tree: Mapping[str, Node]) -> dict[str, bytes]:
    """Return the regular files, by path, without large logs."""
    return {path: node.contents for path, node in tree.items() if node.kind == "file" and node.form != "made"}


def writing(path: str, node: Node) -> str:
    """Return the command that writes a large log."""
    source = getsource(bulk)
    return f"python3 - <<'END'\n{source}\nopen({path!r}, 'w').writelines(lines_of({node.contents!r}))\nEND"


def prelude(tree: Mapping[str, Node]) -> str:
    """Write a script that adds what `files_of` lacks: large logs, links, empty directories, modes, dates."""
    lines = ["export TZ=UTC"]
    above = {path.rpartition("/")[0] for path in files_of(tree)}  # these come with the files
    missing = [path for path, node in tree.items() if node.kind == "directory" and path not in above]
    if missing:
        lines.append(f"mkdir -p -- {shlex.join(missing)}")
    lines += [writing(path, node) for path, node in tree.items() if node.form == "made"]
    links = [(node.contents.decode(), path) for path, node in sorted(tree.items()) if node.kind == "link"]
    lines += [f"ln -s -- {shlex.join(link)}" for link in links]
    modes: dict[int, list[str]] = {}
    for path, node in tree.items():
        usual = _FILE_MODE if node.kind == "file" else _FOLDER_MODE
        if node.kind != "link" and node.mode is not None and node.mode != usual:
            modes.setdefault(node.mode, []).append(path)
    lines += [f"chmod {mode:o} -- {shlex.join(paths)}" for mode, paths in modes.items()]
    lines.append(f"touch -h -d @{_LONG_AGO} -- . {shlex.join(tree)}")
    return "\n".join(lines)


class World:
    """A tree under construction.

    Attributes:
        draw: The source of all randomness.
        tree: The tree so far.
        depth: Maximum depth of directories below the one that a goal is about.
        traps: 0: plain names only; 1: spaces in names, hidden files; 2: also links and empty directories; 3: also
            quotes, dashes and other odd names, and differing permissions.
        tier: How much work a goal may take, from 1 to 4.
        log_lines: Lines of a large log.
    """

    def __init__(self, draw: random.Random, depth: int, traps: int, tier: int = 2, log_lines: int = 2000) -> None:
        self.draw = draw
        self.tree: Tree = {}
        self.depth = depth
        self.traps = traps
        self.tier = tier
        self.log_lines = log_lines
        self._used: set[str] = set()

    def stem(self, *, plain: bool = False) -> str:
        """Return a new name without extension, unlike all others in the world even without case and punctuation."""
        draw = self.draw
        while True:
            words = [draw.choice(_WORDS) for _ in range(draw.choice((1, 2, 2)))]
            blank = self.traps > 0 and not plain and draw.random() < 0.25
            name = (" " if blank else draw.choice("_-")).join(words)
            if draw.random() < 0.2:
                name = name.title()
            if self.traps > 2 and not plain and draw.random() < 0.12:
                name = draw.choice(_ODD).format(name)
            key = "".join(filter(str.isalnum, name.lower()))
            if key not in self._used:
                self._used.add(key)
                return name

    def name(self, extension: str, *, plain: bool = False) -> str:
        """Return an unused file name, sometimes of a hidden file."""
        hidden = self.traps > 0 and not plain and self.draw.random() < 0.08
        return f"{'.' * hidden}{self.stem(plain=plain)}{'.' * bool(extension)}{extension}"

    def folders(self, scope: str, count: int) -> list[str]:
        """Return the directory and some new ones below it."""
        found = [scope]
        make_folder(self.tree, scope)
        while self.depth > 1 and len(found) <= count:
            above = self.draw.choice(found)
            if above.count("/") - scope.count("/") < self.depth - 1:
                found.append(f"{above}/{self.stem()}")
                make_folder(self.tree, found[-1])
            elif len(found) > 1:
                break
        return found

    def text(self, most_lines: int = 6) -> str:
        """Draw a few lines of words."""
        draw = self.draw
        return "".join(
            " ".join(draw.choices(_WORDS, k=draw.randint(2, 6))) + "\n" for _ in range(draw.randint(1, most_lines))
        )

    def put(self, path: str, contents: str | bytes, mode: int | None = None) -> None:
        """Put a file into the tree."""
        if mode is None:
            odd = self.traps > 2 and self.draw.random() < 0.1
            mode = self.draw.choice((0o600, 0o640, 0o755, 0o664)) if odd else _FILE_MODE
        put(self.tree, path, contents, mode)

    def decorate(self, scope: str) -> None:
        """Add obstacles: links and empty directories."""
        if self.traps < 2:
            return
        inside = [path for path, _ in regular_files(self.tree, scope)]
        if inside:
            target = self.draw.choice(inside)[len(scope) + 1 :]
            self.tree[f"{scope}/{self.stem()}{splitext(target)[1]}"] = Node("link", target.encode())
        if self.draw.random() < 0.6:
            make_folder(self.tree, f"{scope}/{self.stem()}")
