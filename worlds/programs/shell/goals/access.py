"""Goals about permissions by rule, and about files with awkward names."""

import fnmatch
import re
from dataclasses import dataclass
from posixpath import dirname
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, renamed
from turnwise.worlds.programs.shell.tree import Node, Tree, World, put, regular_files

__all__ = ["Access", "Names"]


@dataclass(frozen=True)
class Access(Goal):
    """Set permissions as a table says."""

    rules: tuple[tuple[str, int], ...]

    place = "operations"
    tiers = (2, 4)
    work = (2, 2)
    reasons = (
        "Somebody ran chmod -R on the share.",
        "The security scan complained about this directory.",
        "These files came out of a zip archive and have lost their permissions.",
        "The deployment copies files with whatever permissions the laptop had.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        kinds = draw.sample(("key", "sh", "conf", "log", "csv", "txt"), 4)
        modes = draw.sample((0o600, 0o640, 0o660, 0o444, 0o750, 0o700, 0o664), 5)
        folders = ["", *draw.sample(("bin", "etc", "shared", "secrets", "spool", "public"), 2 + world.tier // 2)]
        for number in range(max(count, 8)):
            folder = folders[number % len(folders)]
            path = f"{scope}/{folder}{'/' * bool(folder)}{world.name(kinds[number % 4])}"
            world.put(path, world.text(), draw.choice((0o644, 0o755, 0o664, 0o666, 0o777, 0o600)))
        for folder in folders:
            mode = draw.choice((0o755, 0o775, 0o777, 0o700))
            world.tree[f"{scope}/{folder}".rstrip("/")] = Node("directory", mode=mode)
        directory = draw.choice((0o755, 0o750))
        rules = [("*", modes[0]), ("*/", directory)]
        rules += [(f"*.{kind}", mode) for kind, mode in zip(kinds[:2], modes[1:], strict=False)]
        rules += [(f"{folders[1]}/*", modes[3])]
        if world.tier > 2:
            rules += [
                (f"{folders[2]}/", draw.choice((0o2775, 0o1777, 0o2770))),
                (f"{folders[2]}/*.{kinds[0]}", modes[4]),
            ]
        rows = "".join(f"{pattern:<20} {mode:o}\n" for pattern, mode in rules)
        put(world.tree, f"{scope}/ACCESS", (
            "# PATTERN MODE. The last line that matches a path decides. Paths are relative to this directory;\n"
            "# a pattern with a slash at its end is for directories, any other one for regular files. In a pattern\n"
            "# with a directory (dir/*) the * stands for names in that directory, otherwise for any path.\n"
            "# This file and the directory that it is in keep their modes.\n"
        ) + rows)  # fmt: skip
        world.decorate(scope)
        return cls(scope, tuple(rules))

    def wording(self) -> str:
        return self.worded(
            f"Please set the permissions below `{self.scope}` to what `{self.scope}/ACCESS` asks for. Symbolic links "
            "stay as they are.",
            f"Permissions below `{self.scope}` should be as described in `{self.scope}/ACCESS`, and they are not. "
            "Could you correct them? Leave symbolic links as they are.",
        )

    def carry_out(self, tree: Tree) -> None:
        for path, node in list(tree.items()):
            name = path[len(self.scope) + 1 :]
            if not path.startswith(f"{self.scope}/") or node.kind == "link" or name == "ACCESS":
                continue
            shown = f"{name}/" if node.kind == "directory" else name
            for pattern, mode in self.rules:
                same = pattern.endswith("/") == shown.endswith("/")
                if same and (pattern in ("*", "*/", shown) or fnmatch.fnmatchcase(shown, pattern)):
                    node = node._replace(mode=mode)
            tree[path] = node

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
rules = [x.split() for x in open(s / 'ACCESS') if x[0] != '#']
for p in list(s.rglob('*')):
    if p.is_symlink() or p == s / 'ACCESS':
        continue
    name, mode = str(p.relative_to(s)) + '/' * p.is_dir(), None
    for pattern, bits in rules:
        expression = re.escape(pattern).replace(r'\\*', '[^/]*' if '/' in pattern[:-1] else '(?s:.*)')
        if pattern.endswith('/') == p.is_dir() and re.fullmatch(expression, name):
            mode = bits
    if mode:
        p.chmod(int(mode, 8))
"""


@dataclass(frozen=True)
class Names(Goal):
    """Give awkward names a safe form."""

    tiers = (3, 4)
    work = (2, 2)
    reasons = (
        "The sync client chokes on some of these names.",
        "The tape library takes plain names only.",
        "These came from a scanner that writes whatever it likes into file names.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders = world.draw, world.folders(scope, 2)
        for number in range(max(count, 7)):
            stem = world.stem(plain=True)
            odd = draw.choice((
                f"-{stem}", f"--{stem} ({number})", f"{stem}\n{number}", f" {stem}  copy", f"{stem}'s & co",
                f"{stem} [final]", f"{stem}\t{number}", f"Scan: {stem}?", f"*{stem}",
            ))  # fmt: skip
            name = odd if number < 4 or draw.random() < 0.6 else stem
            world.put(f"{draw.choice(folders)}/{name}.{draw.choice(('txt', 'pdf', 'log'))}", world.text(), 0o644)
        first = draw.choice([path for path, _ in regular_files(world.tree, scope)])
        twin = f"{dirname(first)}/{cls._plain(first.rpartition('/')[2])}"
        if world.tier > 3 and twin not in world.tree:
            world.put(twin, world.text(), 0o644)
        return cls(scope)

    @staticmethod
    def _plain(name: str) -> str:
        return re.sub("[^A-Za-z0-9._-]+", "_", name).lstrip("-_")

    def wording(self) -> str:
        return (
            f"Rename the regular files in `{self.scope}` and below it so that their names are safe. In each name, "
            "every run of characters other than `A-Z`, `a-z`, `0-9`, `.`, `_` and `-` (blanks and line breaks "
            "included) becomes a single `_`, and after that all `-` and `_` at the beginning go. If another file in "
            "the same directory has the resulting name already, put `2-` in front of the new name. Directories keep "
            "their names."
        )

    def carry_out(self, tree: Tree) -> None:
        wanted: dict[str, str] = {}
        for path, _ in list(regular_files(tree, self.scope)):
            folder, _, name = path.rpartition("/")
            plain = self._plain(name)
            if plain != name:
                taken = f"{folder}/{plain}" in tree
                wanted[path] = f"{folder}/{'2-' * taken}{plain}"
        if len(set(wanted.values())) < len(wanted):
            raise FileExistsError(self.scope)  # two become the same: another one is drawn
        for path, new in wanted.items():
            renamed(tree, path, new)

    def python(self) -> str:
        return f"""
files = [p for p in Path({self.scope!r}).rglob('*') if p.is_file() and not p.is_symlink()]
plain = dict((p, p.with_name(re.sub('[^A-Za-z0-9._-]+', '_', p.name).lstrip('-_'))) for p in files)
for p, new in plain.items():
    if p != new:
        p.rename(new.with_name('2-' + new.name) if new in files else new)
"""
