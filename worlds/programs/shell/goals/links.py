"""Goals about links: releases, links into a directory that was renamed, one file under two names."""

import shlex
from dataclasses import dataclass
from posixpath import dirname, join, normpath, relpath
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.tree import Node, Tree, World, make_folder, put

__all__ = ["Part", "Release", "Relink"]


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
class Part(Goal):
    """Change settings of a file that another name of it must not share."""

    own: str
    twin: str
    key: str
    value: str

    tiers = (3, 4)
    work = (3, 3)
    place = "operations"
    reasons = (
        "Two of our sites mysteriously always have the same settings.",
        "The last time that I changed a setting here, another site changed, too.",
        "A customer gets settings of its own as of today.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        names = [f"{scope}/sites/{world.name('conf', plain=True)}" for _ in range(max(4, min(count // 2, 12)))]
        keys = draw.sample(("port", "workers", "quota", "cache", "retries", "region"), 4)
        for path in names:
            text = "".join(f"{key} = {draw.randint(1, 999)}\n" for key in keys)
            put(world.tree, path, text)
        own, twin = draw.sample(names, 2)
        world.tree[twin] = world.tree[own]
        put(world.tree, f"{scope}/CHANGES", f"{own[len(scope) + 1 :]}: {keys[0]} = {draw.randint(1000, 9999)}\n")
        value = world.tree[f"{scope}/CHANGES"].contents.decode().split()[-1]
        return cls(scope, own, twin, keys[0], value)

    def wording(self) -> str:
        return (
            f"Please carry out the change noted in `{self.scope}/CHANGES` (file, setting and its new value). Every "
            f"other file in `{self.scope}/sites` keeps its settings; if that file turns out to be the same as another "
            "one under two names (a hard link), they go separate ways from now on. The note stays."
        )

    def carry_out(self, tree: Tree) -> None:
        lines = tree[self.own].contents.decode().splitlines()
        changed = [f"{self.key} = {self.value}" if line.split()[0] == self.key else line for line in lines]
        written(tree, self.own, "".join(f"{line}\n" for line in changed))

    def script(self, tree: Tree) -> str:
        return f"sed -i 's/^{self.key} = .*/{self.key} = {self.value}/' {shlex.quote(self.own)}"

    def python(self) -> str:
        return f"""
p = Path({self.own!r})
text = re.sub('(?m)^{self.key} = .*', '{self.key} = {self.value}', p.read_text())
p.unlink()
p.write_text(text)
"""

    def prelude(self) -> str:
        return f"ln -f -- {shlex.quote(self.own)} {shlex.quote(self.twin)}"
