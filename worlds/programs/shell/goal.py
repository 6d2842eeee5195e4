"""What a goal is: words for it, what it makes of a tree, and two ways to reach it in a shell."""

import abc
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from turnwise.worlds.programs.shell.tree import Node, Tree, World, make_folder

__all__ = ["Goal", "loop", "python_of", "renamed", "written"]

_EACH = "find {scope} {depth}-type f -print0 | while IFS= read -r -d '' f; do\n{body}\ndone"
_MODULES = ("csv", "gzip", "hashlib", "json", "os", "re", "tarfile")


@dataclass(frozen=True)
class Goal(abc.ABC):
    """Something to do in one directory, of which nothing outside is touched.

    Attributes:
        scope: The directory.
    """

    scope: str

    @classmethod
    @abc.abstractmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        """A goal, and about ``count`` files for it in the world's tree."""

    @abc.abstractmethod
    def wording(self) -> str:
        """What the agent is told."""

    def carry_out(self, tree: Tree) -> None:  # noqa: B027
        """Makes of the tree what it should be: nothing else where the goal is a question."""

    @abc.abstractmethod
    def script(self, tree: Tree) -> str:
        """Commands of bash that do it, or print the answer, from the directory that holds the tree."""

    @abc.abstractmethod
    def python(self) -> str:
        """The same in Python, for `python_of`."""

    def answer(self, tree: Tree) -> str:
        """The answer, where the goal is a question; else nothing."""
        return ""


def loop(scope: str, body: str, depth: str = "") -> str:
    """A loop over the regular files below a directory, ``$f`` the path; ``$d`` its directory and ``$n`` its name."""
    lines = ["  d=${f%/*} n=${f##*/}", *(f"  {line}" for line in body.splitlines())]
    return _EACH.format(scope=shlex.quote(scope), depth=depth, body="\n".join(lines))


def python_of(bodies: Iterable[str]) -> str:
    """A command that runs the bodies as one program, with what it imports."""
    program = "\n".join(body.strip() for body in bodies)
    modules = [name for name in _MODULES if re.search(rf"\b{name}\.", program)]
    imports = f"import {', '.join(modules)}\n" if modules else ""
    return f"python3 - <<'END'\n{imports}from collections import Counter\nfrom pathlib import Path\n{program}\nEND"


def renamed(tree: Tree, old: str, new: str) -> None:
    """Moves a file; its permissions are judged no more. FileExistsError where another one is in the way."""
    node = tree.pop(old)
    if new in tree:
        raise FileExistsError(new)
    make_folder(tree, new.rpartition("/")[0])
    tree[new] = node if old == new else node._replace(mode=None)


def written(tree: Tree, path: str, contents: str | bytes) -> None:
    """Writes a file; its permissions are judged no more."""
    data = contents.encode() if isinstance(contents, str) else contents
    if path not in tree or tree[path].contents != data:
        make_folder(tree, path.rpartition("/")[0])
        tree[path] = Node("file", data)
