"""Goals about permissions by rule, symbolic and hard links, and files with awkward names."""

import fnmatch
import re
from dataclasses import dataclass
from posixpath import dirname, join, normpath, relpath
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, renamed
from turnwise.worlds.programs.shell.tree import Node, Tree, World, make_folder, put, regular_files

__all__ = ["Access", "Names", "Release", "Relink"]


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
class Release(Goal):
    """Roll a release back and clean up, by links."""

    keep: int
    doomed: str

    place = "operations"
    tiers = (3, 4)
    work = (5, 4)
    reasons = (
        "The deployment from this afternoon has to go.",
        "Error rates went up right after the release, so we roll back.",
        "QA withdrew its approval.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        days = sorted(draw.sample(range(1, 366), 4 + world.tier))
        names = [f"{2020 + day % 4}{1 + day // 31:02}{1 + day % 28:02}-{draw.randint(1, 9)}" for day in days]
        names = sorted(set(names))
        states = [draw.choice(("passed", "failed", "passed")) for _ in names]
        states[0], states[-2] = "passed", "failed"
        for name, state in zip(names, states, strict=True):
            folder = f"{scope}/releases/{name}"
            world.put(f"{folder}/app.py", world.text(), 0o644)
            put(world.tree, f"{folder}/STATUS", f"{state}\n")
            world.tree[f"{folder}/config"] = Node("link", f"../../shared/config-{draw.randint(1, 3)}".encode())
        for number in (1, 2, 3):
            world.put(f"{scope}/shared/config-{number}/app.conf", world.text(), 0o644)
        world.tree[f"{scope}/current"] = Node("link", f"releases/{names[-1]}".encode())
        world.tree[f"{scope}/previous"] = Node("link", f"releases/{names[-2]}".encode())
        return cls(scope, draw.randint(1, 2), "failed")

    def wording(self) -> str:
        return (
            f"In `{self.scope}`, `current` is a symbolic link to the release that runs. Roll back: `current` becomes a "
            "link to the newest release before it that has `passed` in its `STATUS` (names of releases sort by age), "
            "and `previous` a link to the one that runs now; both relative, as they are today. Then delete all "
            f"releases with `{self.doomed}` in their `STATUS`, except the one that `previous` points to, and from "
            "`shared` the configurations to which no remaining release has a link."
        )

    def carry_out(self, tree: Tree) -> None:
        above = f"{self.scope}/releases/"
        running = tree[f"{self.scope}/current"].contents.decode().rpartition("/")[2]
        status = {path[len(above) :].partition("/")[0]: tree[path].contents.decode().strip()
                  for path in tree if path.startswith(above) and path.endswith("/STATUS")}  # fmt: skip
        chosen = max(name for name, state in status.items() if name < running and state == "passed")
        tree[f"{self.scope}/current"] = Node("link", f"releases/{chosen}".encode())
        tree[f"{self.scope}/previous"] = Node("link", f"releases/{running}".encode())
        gone = [f"{above}{name}" for name, state in status.items() if state == self.doomed and name != running]
        links = {path: node for path, node in tree.items() if path.startswith(above) and node.kind == "link"}
        used = {node.contents.decode()[6:] for path, node in links.items() if dirname(path) not in gone}
        folders = {f"{self.scope}/shared/config-{n}" for n in (1, 2, 3)}
        gone += sorted(folder for folder in folders if folder[len(self.scope) + 1 :] not in used)
        for path in list(tree):
            if any(path == folder or path.startswith(f"{folder}/") for folder in gone):
                del tree[path]

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
running = os.readlink(s / 'current')
status = dict(('releases/' + p.parent.name, p.read_text().strip()) for p in s.glob('releases/*/STATUS'))
good = max(n for n in status if n < running and status[n] == 'passed')
for name, target in (('current', good), ('previous', running)):
    (s / name).unlink()
    (s / name).symlink_to(target)
for name in status:
    if status[name] == {self.doomed!r} and name != running:
        shutil.rmtree(s / name)
used = [os.path.basename(os.readlink(p)) for p in s.glob('releases/*/config')]
for p in list((s / 'shared').iterdir()):
    if p.name not in used:
        shutil.rmtree(p)
"""


@dataclass(frozen=True)
class Relink(Goal):
    """Repair links after a directory was renamed."""

    old: str
    new: str

    place = "operations"
    tiers = (3, 4)
    work = (3, 3)
    reasons = (
        "After the renaming half of the links are dead.",
        "The site builder stops at the first dangling link.",
        "Somebody tidied up and did not look at the links.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        old, new = draw.choice((("assets", "static"), ("lib", "packages"), ("img", "images"), ("2023", "archive/2023")))
        targets = []
        for number in range(max(4, count // 2)):
            sub = draw.choice(("", "", "core/", "de/")) if number else ""
            targets.append(f"{sub}{world.name(draw.choice(('css', 'png', 'js')))}")
            world.put(f"{scope}/{new}/{targets[-1]}", world.text(), 0o644)
        folders = [folder for folder in world.folders(scope, 2) if not folder.startswith(f"{scope}/{new}")]
        folders.append(f"{scope}/pages/{world.stem(plain=True)}")
        make_folder(world.tree, folders[-1])
        for number in range(max(5, count // 2)):
            folder = folders[number % len(folders)]
            target = (
                f"{old}/{draw.choice(targets)}" if number < 3 or draw.random() < 0.7 else f"{old}/{world.stem()}.png"
            )
            if number > 3 and draw.random() < 0.25:
                target = f"{new}/{draw.choice(targets)}"  # it works
            link = f"{folder}/{world.stem()}.lnk"
            world.tree[link] = Node("link", relpath(f"{scope}/{target}", folder).encode())
        world.tree[f"{scope}/{world.stem()}.lnk"] = Node(
            "link", f"../{world.stem()}".encode()
        )  # dead for another reason
        return cls(scope, old, new)

    def wording(self) -> str:
        return (
            f"`{self.scope}/{self.old}` has been renamed to `{self.scope}/{self.new}`. Symbolic links anywhere below "
            f"`{self.scope}` that led into the old directory are dead now. Point each of them to the same file below "
            "the new one, with a relative target again, as short as possible (no detours through `..`). Where that "
            "file does not exist, delete the link. Leave all other links alone, dead or not."
        )

    def carry_out(self, tree: Tree) -> None:
        for path, node in list(tree.items()):
            if not path.startswith(f"{self.scope}/") or node.kind != "link":
                continue
            place = normpath(join(dirname(path), node.contents.decode()))
            if place.startswith(f"{self.scope}/{self.old}/"):
                moved = f"{self.scope}/{self.new}{place[len(self.scope) + 1 + len(self.old) :]}"
                if moved in tree:
                    tree[path] = Node("link", relpath(moved, dirname(path)).encode())
                else:
                    del tree[path]

    def python(self) -> str:
        return f"""
s, old, new = {self.scope!r}, {self.old!r}, {self.new!r}
for p in list(Path(s).rglob('*')):
    if p.is_symlink():
        place = os.path.normpath(os.path.join(p.parent, os.readlink(p)))
        if place.startswith(s + '/' + old + '/'):
            p.unlink()
            moved = s + '/' + new + place[len(s + '/' + old):]
            if os.path.lexists(moved):
                p.symlink_to(os.path.relpath(moved, p.parent))
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
