"""The base class of goals: wording, effect on a tree, and two ways to reach it in a shell."""

import abc
import re
import shlex
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from turnwise.worlds.programs.shell.tree import Node, Tree, World, make_folder

__all__ = ["Goal", "loop", "python_of", "renamed", "written"]

_EACH = "find {scope} {depth}-type f -print0 | while IFS= read -r -d '' f; do\n{body}\ndone"
_MODULES = ("csv", "datetime", "gzip", "hashlib", "io", "json", "os", "re", "shutil", "tarfile", "time", "zipfile")


@dataclass(frozen=True)
class Goal(abc.ABC):
    """Something to do in one directory, without touching anything outside.

    Attributes:
        scope: The directory.
    """

    scope: str
    tiers: ClassVar[tuple[int, int]] = (1, 4)
    """The lowest and the highest tier at which it is drawn."""
    work: ClassVar[tuple[int, int]] = (1, 1)
    """Commands of a shortest known solution, and files of different roles that have to be read for it."""
    place: ClassVar[Literal["office", "operations"]] = "office"
    """Where such requests come from."""
    live: ClassVar[bool] = False
    """Whether it is about processes that run while the agent works."""
    reasons: ClassVar[tuple[str, ...]] = ()
    """Sentences with which a request may begin."""

    @classmethod
    @abc.abstractmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        """Draw a goal, and about ``count`` files for it in the world's tree."""

    @abc.abstractmethod
    def wording(self) -> str:
        """Return the text that the agent reads."""

    def carry_out(self, tree: Tree) -> None:  # noqa: B027
        """Change the tree as required; a question changes nothing."""

    def script(self, tree: Tree) -> str:
        """Return bash commands that do it, or print the answer, from the directory that contains the tree."""
        return python_of([self.python()])

    @abc.abstractmethod
    def python(self) -> str:
        """Return the same in Python, for `python_of`."""

    def answer(self, tree: Tree) -> str:
        """Return the answer if the goal is a question, else ""."""
        return ""

    def worded(self, *ways: str) -> str:
        """Return one of several ways to say the same; it depends on the directory alone."""
        return ways[zlib.crc32(self.scope.encode()) % len(ways)]

    def prelude(self) -> str:
        """Return commands that start the processes that the goal is about."""
        return ""


def loop(scope: str, body: str, depth: str = "") -> str:
    """Write a loop over the regular files below a directory: ``$f`` the path, ``$d`` its directory, ``$n`` its name."""
    lines = ["  d=${f%/*} n=${f##*/}", *(f"  {line}" for line in body.splitlines())]
    return _EACH.format(scope=shlex.quote(scope), depth=depth, body="\n".join(lines))


def python_of(bodies: Iterable[str]) -> str:
    """Write a command that runs the bodies as one program, with its imports."""
    program = "\n".join(body.strip() for body in bodies)
    modules = [name for name in _MODULES if re.search(rf"\b{name}\.", program)]
    imports = f"import {', '.join(modules)}\n" if modules else ""
    return f"python3 - <<'END'\n{imports}from collections import Counter\nfrom pathlib import Path\n{program}\nEND"


def renamed(tree: Tree, old: str, new: str) -> None:
    """Move a file; its permissions are no longer judged. Raises FileExistsError if another one is in the way."""
    node = tree.pop(old)
    if new in tree:
        raise FileExistsError(new)
    make_folder(tree, new.rpartition("/")[0])
    tree[new] = node if old == new else node._replace(mode=None)


def written(tree: Tree, path: str, contents: str | bytes) -> None:
    """Write a file; its permissions are no longer judged."""
    data = contents.encode() if isinstance(contents, str) else contents
    if path not in tree or tree[path].contents != data:
        make_folder(tree, path.rpartition("/")[0])
        tree[path] = Node("file", data)
