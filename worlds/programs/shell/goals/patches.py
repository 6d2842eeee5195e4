"""A history of small settings files, kept as numbered patches."""

import difflib
from typing import NamedTuple

from turnwise.worlds.programs.shell.tree import World, put

__all__ = ["KEYS", "VERBS", "Change", "History"]

_PEOPLE = ("Ana Ruiz", "Ben Okafor", "Chiara Conti", "Deniz Aydin", "Emil Lund", "Farah Haddad", "Goran Ilic")
VERBS = ("Tune", "Tidy", "Adjust", "Rework", "Extend", "Simplify", "Correct")
KEYS = (
    "timeout", "retries", "pool_size", "buffer_kb", "max_age", "page_size", "backoff", "threads", "grace", "quota",
    "batch", "depth", "window", "burst", "ttl", "cooldown", "chunk", "delay",
)  # fmt: skip
Files = dict[str, list[str]]


class Change(NamedTuple):
    """One entry of the history: the patch's text, and the files after it."""

    name: str
    author: str
    patch: str
    after: Files


def _patch(before: Files, after: Files) -> str:
    parts = list[str]()
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old != new:
            names = f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null"
            parts += difflib.unified_diff(old or [], new or [], *names, n=1)
    return "".join(parts)


class History:
    """A history under construction."""

    def __init__(self, world: World, count: int) -> None:
        self.world, self.draw = world, world.draw
        self.files: Files = {}
        self.changes: list[Change] = []
        names = [f"{self.draw.choice(('', 'core/', 'net/'))}{world.name('cfg', plain=True)}" for _ in range(count)]
        self.commit({name: self._fresh() for name in names}, "Import the first version")

    def _fresh(self) -> list[str]:
        return [f"{key} = {self.draw.randint(1, 99)}\n" for key in self.draw.sample(KEYS, self.draw.randint(7, 11))]

    def commit(self, after: Files, subject: str) -> Change:
        """Add a change."""
        author = self.draw.choice(_PEOPLE)
        number = len(self.changes) + 1
        head = f"From: {author}\nSubject: {subject}\n\n"
        slug = "-".join(subject.lower().replace(".", " ").replace("/", " ").split())
        change = Change(f"{number:04}-{slug}.patch", author, head + _patch(self.files, after), after)
        self.files = after
        self.changes.append(change)
        return change

    def edit(self, *, spare: tuple[str, ...] = ()) -> Change:
        """Change a number or two in a file; lines of the spared settings stay as they are."""
        path = self.draw.choice(sorted(self.files))
        lines = list(self.files[path])
        free = [n for n, line in enumerate(lines) if line.split()[0] not in spare]
        for place in self.draw.sample(free, min(len(free), self.draw.randint(1, 2))):
            key = lines[place].split()[0]
            lines[place] = f"{key} = {self.draw.randint(100, 999)}\n"
        return self.commit({**self.files, path: lines}, f"{self.draw.choice(VERBS)} {path}")

    def store(self, scope: str) -> None:
        """Write patches and the present files into the world."""
        for change in self.changes:
            put(self.world.tree, f"{scope}/history/{change.name}", change.patch)
        for path, lines in self.files.items():
            put(self.world.tree, f"{scope}/src/{path}", "".join(lines))
