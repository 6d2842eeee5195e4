"""Goals about a history that is kept as numbered patches, and about merges that were left half done."""

from dataclasses import dataclass, field
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.goals.patches import KEYS, VERBS, Change, History
from turnwise.worlds.programs.shell.tree import Tree, World, put

__all__ = ["Blame", "Merge3", "Revert", "Undelete"]


def _told(scope: str) -> str:
    return (
        f"We keep the history of `{scope}/src` as numbered patches (unified diffs) in `{scope}/history`; all of them "
        "applied in their order give the files as they are now."
    )


@dataclass(frozen=True)
class Blame(Goal):
    """Find the change that introduced the present form of a line."""

    line: str
    path: str
    found: str
    target: str

    place = "operations"
    tiers = (2, 4)
    work = (2, 3)
    reasons = (
        "Since some time last month the workers time out, and I think that I know the line.",
        "One of the settings makes no sense to me and I want to ask whoever put it there.",
        "The auditors want to know who signed off on a value.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        history = History(world, max(2, min(count // 4, 5)))
        draw = world.draw
        path = draw.choice(sorted(history.files))
        key = history.files[path][draw.randrange(len(history.files[path]))].split()[0]
        value = draw.randint(1000, 9999)
        marks = sorted(draw.sample(range(2 * world.tier + 2), 3))
        found: Change | None = None
        for number in range(2 * world.tier + 2):
            if number in marks:  # there, away, and there again
                line = f"{key} = {value if number != marks[1] else draw.randint(100, 999)}\n"
                lines = [line if old.split()[0] == key else old for old in history.files[path]]
                found = history.commit({**history.files, path: lines}, f"{draw.choice(VERBS)} {path}")
            else:
                history.edit(spare=(key,))
        history.store(scope)
        assert found is not None
        last = history.changes[max(n + 1 for n in marks)]
        return cls(scope, f"{key} = {value}", path, f"{last.name[:4]} {last.author}", f"{scope}/blame.txt")

    def wording(self) -> str:
        return (
            f"{_told(self.scope)} Which patch brought the line `{self.line}` into `src/{self.path}` as it stands there "
            "today? It may have come and gone before; I am after the last time that it came in. Write the number "
            f"of the patch (four digits), a space and its author's name as in the patch to `{self.target}`."
        )

    def carry_out(self, tree: Tree) -> None:
        written(tree, self.target, f"{self.found}\n")

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
for p in sorted((s / 'history').iterdir()):
    where, who = '', ''
    for line in p.read_text().splitlines():
        if line.startswith('From: '):
            who = line[6:]
        elif line.startswith('+++ b/'):
            where = line[6:]
        elif where == {self.path!r} and line == '+' + {self.line!r}:
            found = p.name[:4] + ' ' + who
Path({self.target!r}).write_text(found + '\\n')
"""


@dataclass(frozen=True)
class Undelete(Goal):
    """Bring back a deleted file as it was last."""

    path: str
    text: str = field(repr=False)

    place = "operations"
    tiers = (3, 4)
    work = (4, 3)
    reasons = (
        "It turns out that we still need a file that somebody removed.",
        "A customer still runs the old module.",
        "The clean-up went too far.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        history = History(world, max(3, min(count // 4, 5)))
        draw = world.draw
        path = draw.choice(sorted(history.files))
        for _ in range(world.tier + 1):
            history.edit()
        lines = list(history.files[path])
        for place in draw.sample(range(len(lines)), 3):
            lines[place] = f"{lines[place].split()[0]} = {draw.randint(100, 999)}\n"
            history.commit({**history.files, path: list(lines)}, f"{draw.choice(VERBS)} {path}")
        rest = {name: text for name, text in history.files.items() if name != path}
        history.commit(rest, f"Remove {draw.choice(('unused files', 'old settings', 'dead code'))}")
        for _ in range(world.tier):
            history.edit()
        history.store(scope)
        return cls(scope, path, "".join(lines))

    def wording(self) -> str:
        return (
            f"{_told(self.scope)} `src/{self.path}` was deleted at some point. Bring it back with the contents that it "
            "had just before that. Leave the other files and the patches alone."
        )

    def carry_out(self, tree: Tree) -> None:
        written(tree, f"{self.scope}/src/{self.path}", self.text)

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
for p in sorted((s / 'history').iterdir()):
    text, inside = p.read_text(), False
    if '--- a/{self.path}\\n+++ /dev/null\\n' in text:
        rest = text.split('--- a/{self.path}\\n+++ /dev/null\\n')[1]
        lines = []
        for line in rest.splitlines(True)[1:]:
            if not line.startswith('-') or line.startswith('--- '):
                break
            lines.append(line[1:])
(s / 'src' / {self.path!r}).parent.mkdir(parents=True, exist_ok=True)
(s / 'src' / {self.path!r}).write_text(''.join(lines))
"""


@dataclass(frozen=True)
class Revert(Goal):
    """Undo one change in the middle of the history."""

    number: str
    files: tuple[tuple[str, str], ...] = field(repr=False)

    place = "operations"
    tiers = (3, 4)
    work = (3, 3)
    reasons = (
        "One of the patches should never have gone in.",
        "We have bisected the regression.",
        "A change was approved by mistake.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        history = History(world, max(2, min(count // 4, 5)))
        draw = world.draw
        for _ in range(draw.randint(1, world.tier)):
            history.edit()
        before = history.files
        paths = draw.sample(sorted(before), 2)
        after = {path: list(lines) for path, lines in before.items()}
        spare = list[str]()
        for path in paths:
            place = draw.randrange(len(after[path]))
            spare.append(after[path][place].split()[0])
            after[path][place] = f"{spare[-1]} = {draw.randint(1000, 9999)}\n"
            after[path].insert(place + 1, f"{spare[-1]}_limit = {draw.randint(1000, 9999)}\n")
            spare.append(f"{spare[-1]}_limit")
        bad = history.commit(after, f"{draw.choice(VERBS)} limits")
        for _ in range(world.tier + 1):
            history.edit(spare=tuple(spare))
        history.store(scope)
        files = []
        for path in paths:
            old = {line.split()[0]: line for line in before[path]}
            kept = [line for line in history.files[path] if not line.split()[0].endswith("_limit")]
            files.append((path, "".join(old[k] if (k := line.split()[0]) in spare else line for line in kept)))
        return cls(scope, bad.name[:4], tuple(files))

    def wording(self) -> str:
        return (
            f"{_told(self.scope)} Back out patch {self.number}: bring `{self.scope}/src` to the state that it would "
            "have if that patch had never been applied but all others had. Do not touch the history; I will write the "
            "entry for it myself."
        )

    def carry_out(self, tree: Tree) -> None:
        for path, text in self.files:
            written(tree, f"{self.scope}/src/{path}", text)

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
(bad,) = (s / 'history').glob('{self.number}-*')
path, old, new = '', dict(), set()
for line in bad.read_text().splitlines()[3:] + ['+++ b/']:
    if line.startswith('+++ '):
        if path:
            p = s / 'src' / path
            out = []
            for x in p.read_text().splitlines():
                key = x.split()[0]
                if x in new and key not in old:
                    continue
                out.append(old[key] if x in new else x)
            p.write_text('\\n'.join(out) + '\\n')
        path, old, new = line[6:], dict(), set()
    elif line.startswith('-') and not line.startswith('---'):
        old[line[1:].split()[0]] = line[1:]
    elif line.startswith('+'):
        new.add(line[1:])
"""


@dataclass(frozen=True)
class Merge3(Goal):
    """Resolve the conflicts of a merge by rule."""

    files: tuple[tuple[str, str], ...] = field(repr=False)

    place = "operations"
    tiers = (2, 4)
    work = (4, 3)
    reasons = (
        "I started this merge and have to leave.",
        "The release branch is full of conflict markers.",
        "Somebody committed a merge with the markers still in it.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        rules, files = ["- Take `main` unless something below says otherwise."], []
        choices = {"net": "release", draw.choice(KEYS[:6]): "the larger number", draw.choice(KEYS[6:12]): "both"}
        for what, how in choices.items():
            if what == "net":
                rules.append("- Files below `net/`: take `release`.")
            elif how == "both":
                rules.append(f"- Settings named `{what}`: keep both lines, `main` first, wherever the file is.")
            elif world.tier > 2:
                rules.append(f"- Settings named `{what}`: take the larger number, wherever the file is.")
        if world.tier <= 2:
            choices = {what: how for what, how in choices.items() if how != "the larger number"}
        for number in range(max(3, min(count // 3, 6))):
            path = f"{('net/', '', 'core/')[number % 3]}{world.name('cfg', plain=True)}"
            shown, kept = list[str](), list[str]()
            chosen = [*choices][1:] + draw.sample(KEYS[12:], 3)
            plain = [key for key in draw.sample(KEYS, 9) if key not in chosen]
            for key in draw.sample(plain + chosen, len(plain + chosen)):
                ours, theirs = (f"{key} = {value}\n" for value in draw.sample(range(5, 120), 2))
                if key not in chosen:
                    shown.append(ours)
                    kept.append(ours)
                    continue
                shown += ["<<<<<<< main\n", ours, "=======\n", theirs, ">>>>>>> release\n"]
                how = choices.get(key) or ("release" if path.startswith("net/") else "main")
                larger = max(ours, theirs, key=lambda line: int(line.split()[-1]))
                kept += {"main": [ours], "release": [theirs], "both": [ours, theirs], "the larger number": [larger]}[
                    how
                ]
            put(world.tree, f"{scope}/src/{path}", "".join(shown))
            files.append((path, "".join(kept)))
        put(world.tree, f"{scope}/MERGING.md", "# How to merge `release` into `main`\n\n" + "\n".join(rules) + "\n")
        world.put(f"{scope}/src/{world.name('cfg')}", world.text())
        return cls(scope, tuple(files))

    def wording(self) -> str:
        return (
            f"Files in `{self.scope}/src` have conflict markers (`<<<<<<< main`, `=======`, `>>>>>>> release`). "
            f"Resolve them all as `{self.scope}/MERGING.md` says, and leave no marker behind."
        )

    def carry_out(self, tree: Tree) -> None:
        for path, text in self.files:
            written(tree, f"{self.scope}/src/{path}", text)

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
rules = (s / 'MERGING.md').read_text().splitlines()
both = [x.split('`')[1] for x in rules if 'keep both' in x]
larger = [x.split('`')[1] for x in rules if 'larger' in x]
for p in (s / 'src').rglob('*.cfg'):
    if p.is_symlink() or '<<<<<<<' not in p.read_text():
        continue
    def choose(m):
        key, net = m[1].split()[0], 'net' in p.relative_to(s).parts
        if key in both:
            return m[1] + m[2]
        if key in larger:
            return max(m[1], m[2], key=lambda x: int(x.split()[-1]))
        return m[2] if net else m[1]
    p.write_text(re.sub(r'<<<<<<< main\\n(.*\\n)=======\\n(.*\\n)>>>>>>> release\\n', choose, p.read_text()))
"""
