"""Goals that delete files."""

import re
import shlex
from dataclasses import dataclass
from posixpath import dirname
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, loop
from turnwise.worlds.programs.shell.tree import Node, Tree, World, make_folder, regular_files

__all__ = ["Delete", "Duplicates"]


@dataclass(frozen=True)
class Delete(Goal):
    """Delete the files that meet a condition, and only those."""

    rule: str
    limit: int = 0
    word: str = ""

    tiers = (1, 2)
    reasons = (
        "The disk is nearly full.",
        "We clean up before the migration.",
        "The backup takes too long because of old stuff.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        rules = ["ending", "empty", "large", "word", "versions", *(["folders", "links"] if world.traps > 1 else [])]
        rule = draw.choice(rules)
        folders, limit = world.folders(scope, 3 if rule == "folders" else 2), draw.randint(60, 160)
        word = draw.choice(("DEPRECATED", "obsolete", "REMOVE-ME", "stale."))
        for number in range(max(count, 5)):
            hit, folder = number < 2 or draw.random() < 0.4, draw.choice(folders)
            if rule == "ending":
                ending = draw.choice((".tmp", "~", ".bak")) if hit else draw.choice((".txt", ".tmp.txt", "tmp", "~1"))
                world.put(f"{folder}/{world.stem()}{ending}", world.text())
            elif rule == "empty":
                world.put(f"{folder}/{world.name('txt')}", "" if hit else draw.choice((world.text(), "\n")))
            elif rule == "large":
                big = hit or draw.random() < 0.4
                size = limit + (draw.randint(1, 90) if big else draw.choice((0, -1, -draw.randint(1, limit - 1))))
                extension = "log" if hit or not big else draw.choice(("txt", "log.1"))
                world.put(f"{folder}/{world.name(extension)}", "." * (size - 1) + "\n")
            elif rule == "word":
                near = draw.choice((word.swapcase(), word[:-1], ""))
                world.put(f"{folder}/{world.name('md')}", f"{world.text()}see {word if hit else near}\n{world.text(2)}")
            elif rule == "versions":
                stem, top = world.stem(), draw.randint(1, 12)
                for version in sorted({1, top, draw.randint(1, top)} if hit else {top}):
                    world.put(f"{folder}/{stem}.v{version}.txt", world.text(2))
            else:
                world.put(f"{draw.choice(folders[:2])}/{world.name('txt')}", world.text())
        world.decorate(scope)
        if rule == "folders":
            make_folder(world.tree, f"{scope}/{world.stem()}/{world.stem()}")
        if rule == "links":
            inside = draw.choice([path for path, _ in regular_files(world.tree, scope)])[len(scope) + 1 :]
            for target in (inside, f"{inside}.old", world.stem(), "."):
                world.tree[f"{scope}/{world.stem()}"] = Node("link", target.encode())
        return cls(scope, rule, limit if rule == "large" else 0, word if rule == "word" else "")

    def wording(self) -> str:
        if self.rule == "folders":
            return (
                f"Delete every empty directory below `{self.scope}`, and also those that become empty as a result. A "
                "directory with a hidden file, a link or a file of zero bytes is not empty."
            )
        what = {
            "ending": "every file with a name ending in `.tmp`, in `.bak` or in `~`",
            "empty": "every file of zero bytes",
            "large": f"every file larger than {self.limit} bytes with a name ending in `.log`",
            "word": f"every file that contains the text `{self.word}`",
            "links": "every symbolic link that leads nowhere",
            "versions": "all but the newest version of each file. Versions of a file are in the same directory and "
            "called NAME.vNUMBER.txt; the highest number is the newest (v10 is newer than v9)",
        }[self.rule]  # fmt: skip
        return f"In `{self.scope}`, delete {what}. Directories stay, even where they become empty."

    def _doomed(self, tree: Tree, path: str, node: Node) -> bool:
        if self.rule == "ending":
            return path.endswith((".tmp", ".bak", "~"))
        if self.rule == "empty":
            return not node.contents
        if self.rule == "large":
            return path.endswith(".log") and len(node.contents) > self.limit
        if self.rule == "word":
            return self.word.encode() in node.contents
        match = re.fullmatch(r"(.*)\.v(\d+)\.txt", path)
        return match is not None and any(
            (other := re.fullmatch(r"(.*)\.v(\d+)\.txt", rival))
            and other[1] == match[1]
            and int(other[2]) > int(match[2])
            for rival in tree
        )

    def carry_out(self, tree: Tree) -> None:
        if self.rule == "links":
            for path in [path for path, node in tree.items() if node.kind == "link" and dirname(path) == self.scope]:
                target = tree[path].contents.decode()
                if target != "." and f"{self.scope}/{target}" not in tree:
                    del tree[path]
            return
        if self.rule == "folders":
            for path in sorted(tree, reverse=True):
                inside = path.startswith(f"{self.scope}/") and tree[path].kind == "directory"
                if inside and not any(other.startswith(f"{path}/") for other in tree):
                    del tree[path]
            return
        doomed = [path for path, node in regular_files(tree, self.scope) if self._doomed(tree, path, node)]
        for path in doomed:
            del tree[path]

    def script(self, tree: Tree) -> str:
        s = shlex.quote(self.scope)
        if self.rule == "versions":
            return loop(self.scope, (
                '[[ $n =~ ^(.*)\\.v([0-9]+)\\.txt$ ]] || continue\nb=${BASH_REMATCH[1]} v=${BASH_REMATCH[2]}\n'
                'for g in "$d/$b".v*.txt; do\n  w=${g##*.v}; w=${w%.txt}\n'
                '  [ "$w" -gt "$v" ] && rm -f -- "$f"\ndone'
            ))  # fmt: skip
        return {
            "ending": f"find {s} -type f \\( -name '*.tmp' -o -name '*.bak' -o -name '*~' \\) -delete",
            "empty": f"find {s} -type f -empty -delete",
            "large": f"find {s} -type f -name '*.log' -size +{self.limit}c -delete",
            "word": f"find {s} -type f -exec grep -qF -e {shlex.quote(self.word)} {{}} \\; -delete",
            "folders": f"find {s} -mindepth 1 -depth -type d -empty -delete",
            "links": f"find {s} -xtype l -delete",
        }[self.rule]

    def python(self) -> str:
        if self.rule == "folders":
            return f"""
for folder, _, _ in os.walk({self.scope!r}, topdown=False):
    if folder != {self.scope!r} and not os.listdir(folder):
        os.rmdir(folder)
"""
        if self.rule == "links":
            return f"""
for p in list(Path({self.scope!r}).rglob('*')):
    if p.is_symlink() and not p.exists():
        p.unlink()
"""
        test = {
            "ending": "p.name.endswith(('.tmp', '.bak', '~'))",
            "empty": "p.stat().st_size == 0",
            "large": f"p.suffix == '.log' and p.stat().st_size > {self.limit}",
            "word": f"{self.word.encode()!r} in p.read_bytes()",
            "versions": "number(p) < max(map(number, family(p)))",
        }[self.rule]
        return f"""
def number(p): return int(p.name.rpartition('.v')[2][:-4])
def stem(p): return p.parent, p.name.rpartition('.v')[0]
def family(p): return [q for q in files if stem(q) == stem(p)]
files = [p for p in Path({self.scope!r}).rglob('*') if p.is_file() and not p.is_symlink()]
for p in [p for p in files if {test}]:
    p.unlink()
"""


@dataclass(frozen=True)
class Duplicates(Goal):
    """Delete copies."""

    tiers = (2, 2)
    reasons = (
        "The same things were uploaded again and again.",
        "Two people synced the same camera.",
        "We pay for storage by the gigabyte.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders = world.draw, world.folders(scope, 3)
        texts: list[str] = []
        for number in range(max(count, 5)):
            text = draw.choice(texts) if number > 1 and (number == 2 or draw.random() < 0.5) else world.text()
            if draw.random() < 0.1:
                text = text.swapcase() if draw.random() < 0.5 else text.rstrip("\n")
            texts.append(text)
            world.put(f"{draw.choice(folders)}/{world.name(draw.choice(('txt', 'md')))}", text)
        world.decorate(scope)
        return cls(scope)

    def wording(self) -> str:
        return (
            f"Some files in `{self.scope}` have exactly the same contents. Keep the one with the first path in sort "
            "order from each such group and delete the others. Directories stay, even where they become empty."
        )

    def carry_out(self, tree: Tree) -> None:
        seen: set[bytes] = set()
        for path, node in sorted(regular_files(tree, self.scope), key=lambda item: item[0].encode()):
            if node.contents in seen:
                del tree[path]
            seen.add(node.contents)

    def script(self, tree: Tree) -> str:
        return (
            f"find {shlex.quote(self.scope)} -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | {{\n"
            "declare -A seen\nwhile IFS= read -r l; do\n  h=${l%% *} f=${l#*  }\n"
            '  if [ -n "${seen[$h]:-}" ]; then rm -- "$f"; else seen[$h]=1; fi\ndone\n}'
        )

    def python(self) -> str:
        return f"""
seen = set()
files = [p for p in Path({self.scope!r}).rglob('*') if p.is_file() and not p.is_symlink()]
for p in sorted(files, key=lambda p: os.fsencode(p)):
    if p.read_bytes() in seen:
        p.unlink()
    else:
        seen.add(p.read_bytes())
"""
