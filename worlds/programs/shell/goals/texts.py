"""Goals about the contents of files: texts to change, logs to read, files to merge."""

import re
import shlex
from collections import Counter
from dataclasses import dataclass
from typing import Self

from turnwise.worlds.programs.shell.data import HEADER, find_files, log_lines, put_logs, put_tables
from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.tree import Tree, World, make_folder, regular_files

__all__ = ["Extract", "Merge", "Replace"]


@dataclass(frozen=True)
class Replace(Goal):
    """Change the contents of some files."""

    rule: str
    ending: str
    old: str
    new: str

    tiers = (1, 2)
    reasons = (
        "The host that these settings name is going away.",
        "The settings have to be adapted before tonight's restart.",
        "The new release reads these files more strictly.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders = world.draw, world.folders(scope, 2)
        rule, ending = draw.choice(("text", "key", "remove")), draw.choice((".conf", ".ini", ".cfg"))
        old = draw.choice(("10.0.0.5", "db.local/main", "cache*1", "a.b.c"))
        new = draw.choice(("10.1.20.7", "db.example/spare", "cache&2", r"a\b"))
        near = re.sub(r"\W", "-", old)
        if rule == "key":
            old, new = draw.choice(("port", "level", "owner")), draw.choice(("8081", "3", "root", "x/y"))
        for number in range(max(count, 4)):
            lines = [f"name={world.stem(plain=True)}" for _ in range(draw.randint(1, 3))]
            lines += draw.choices((
                f"host={old}", f"via {old} and {old}", f"{old}={draw.randint(1, 99)}", f"x{old}=1", f"host={near}",
                f"# {old}=5", "#", " # indented", f"note=see # {near}", "#old",
            ), k=draw.randint(2, 5))  # fmt: skip
            if number < 2:
                lines += [f"{old}=0", "# the end"]
            draw.shuffle(lines)
            name = world.name(
                (ending if number < 2 or draw.random() < 0.6 else draw.choice((".txt", f"{ending}.bak")))[1:]
            )
            world.put(f"{draw.choice(folders)}/{name}", "".join(f"{line}\n" for line in lines))
        world.decorate(scope)
        return cls(scope, rule, ending, "" if rule == "remove" else old, "" if rule == "remove" else new)

    def wording(self) -> str:
        files = f"all files in `{self.scope}` with names ending in `{self.ending}`"
        if self.rule == "text":
            return f"In {files}, replace the text `{self.old}` with `{self.new}` everywhere, also within words."
        if self.rule == "key":
            return (
                f"In {files}, set `{self.old}` to `{self.new}`: on each line that begins with `{self.old}=`, "
                "everything after the sign is replaced. Lines that begin in any other way stay, and where there is "
                "no such line none is added."
            )
        return f"Take the comments out of {files}: delete every line with a `#` as its very first character."

    def carry_out(self, tree: Tree) -> None:
        for path, node in list(regular_files(tree, self.scope)):
            if not path.endswith(self.ending):
                continue
            text = node.contents.decode()
            if self.rule == "text":
                text = text.replace(self.old, self.new)
            elif self.rule == "key":
                text = re.sub(rf"(?m)^{self.old}=.*", lambda _: f"{self.old}={self.new}", text)
            else:
                text = re.sub(r"(?m)^#.*\n", "", text)
            tree[path] = node._replace(contents=text.encode(), mode=None)

    def script(self, tree: Tree) -> str:
        if self.rule == "remove":
            change = "/^#/d"
        else:
            new = re.sub(r"([&/\\])", r"\\\1", self.new)
            old = re.sub(r"([.*/\[\]^$\\])", r"\\\1", self.old)
            change = f"s/{old}/{new}/g" if self.rule == "text" else f"s/^{old}=.*/{self.old}={new}/"
        return f"{find_files(self.scope, self.ending)} -exec sed -i {shlex.quote(change)} {{}} +"

    def python(self) -> str:
        change = {
            "text": f"text.replace({self.old!r}, {self.new!r})",
            "key": f"re.sub(r'(?m)^{self.old}=.*', lambda m: {f'{self.old}={self.new}'!r}, text)",
            "remove": "''.join(line for line in text.splitlines(True) if not line.startswith('#'))",
        }[self.rule]
        return f"""
for p in Path({self.scope!r}).rglob('*{self.ending}'):
    if p.is_file() and not p.is_symlink():
        text = p.read_text()
        p.write_text({change})
"""


@dataclass(frozen=True)
class Extract(Goal):
    """Write a file from the contents of logs."""

    rule: str
    level: str

    tiers = (2, 2)
    reasons = (
        "The auditors ask for an excerpt of the logs.",
        "I need this for the weekly report.",
        "Somebody complained, and I want to see what the logs say.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        put_logs(world, scope, count)
        levels = sorted({line.split()[1] for line in log_lines(world.tree, scope)})
        return cls(scope, world.draw.choice(("lines", "users", "counts")), world.draw.choice(levels))

    @property
    def target(self) -> str:
        """The file to write."""
        return f"{self.scope}/{self.rule}.out"

    def wording(self) -> str:
        start = f"The `.log` files in `{self.scope}` have lines `TIME LEVEL user=NAME ...`. "
        if self.rule == "lines":
            return (
                f"{start}Collect the lines with level `{self.level}` from all of them in `{self.target}`, in the "
                "order of their times (no two are equal)."
            )
        if self.rule == "users":
            return (
                f"{start}Which users have lines with level `{self.level}`? List their names in `{self.target}`, each "
                "once, one per line, in alphabetical order."
            )
        return (
            f"{start}How many lines with level `{self.level}` does each user have, over all files? Write "
            f"`{self.target}` with a line `NUMBER NAME` for each user who has any: the highest number first, users "
            "with equal numbers in alphabetical order."
        )

    def carry_out(self, tree: Tree) -> None:
        lines = sorted(line for line in log_lines(tree, self.scope) if line.split()[1] == self.level)
        users = Counter(line.split()[2][5:] for line in lines)
        if self.rule == "users":
            lines = sorted(users)
        elif self.rule == "counts":
            lines = [f"{number} {name}" for name, number in sorted(users.items(), key=lambda item: (-item[1], item[0]))]
        written(tree, self.target, "".join(f"{line}\n" for line in lines))

    def script(self, tree: Tree) -> str:
        chosen = f"{find_files(self.scope, '.log')} -exec cat {{}} + | awk '$2 == \"{self.level}\"'"
        names = f"{chosen} | sed -E 's/.* user=([a-z]+) .*/\\1/'"
        tail = {
            "lines": f"{chosen} | sort",
            "users": f"{names} | sort -u",
            "counts": f"{names} | sort | uniq -c | awk '{{print $1, $2}}' | sort -k1,1nr -k2,2",
        }[self.rule]
        return f"{tail} > {shlex.quote(self.target)}"

    def python(self) -> str:
        result = {
            "lines": "lines",
            "users": "sorted({line.split()[2][5:] for line in lines})",
            "counts": "[f'{n} {u}' for u, n in sorted(Counter(line.split()[2][5:] for line in lines).items(), "
            "key=lambda x: (-x[1], x[0]))]",
        }[self.rule]
        return f"""
files = [p for p in Path({self.scope!r}).rglob('*.log') if p.is_file() and not p.is_symlink()]
lines = sorted(line for p in files for line in p.read_text().splitlines() if line.split()[1] == {self.level!r})
Path({self.target!r}).write_text(''.join(f'{{x}}\\n' for x in {result}))
"""


@dataclass(frozen=True)
class Merge(Goal):
    """Merge several files into one."""

    rule: str

    tiers = (2, 2)
    reasons = (
        "The export comes in pieces.",
        "The importer takes a single file.",
        "We are consolidating what the branches sent.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        rule = draw.choice(("parts", "lines", "tables"))
        if rule == "tables":
            put_tables(world, scope, count)
            return cls(scope, rule)
        make_folder(world.tree, scope)
        folders = [scope] if rule == "parts" else world.folders(scope, 2)
        texts = world.text(12).splitlines()
        numbers = draw.sample(range(1, 130), max(count - 1, 4))
        for number in numbers:
            name = f"part-{number}.txt" if rule == "parts" else world.name("txt")
            lines = draw.choices(texts, k=draw.randint(0, 3)) + world.text(3).splitlines()
            world.put(f"{draw.choice(folders)}/{name}", "".join(f"{line}\n" for line in lines))
        for _ in range(max(1, count // 4)):
            world.put(f"{draw.choice(folders)}/{world.name(draw.choice(('md', 'txt.bak')))}", world.text())
        world.decorate(scope)
        return cls(scope, rule)

    @property
    def target(self) -> str:
        """The file to write."""
        return f"{self.scope}/{'merged.csv' if self.rule == 'tables' else 'merged'}"

    def wording(self) -> str:
        if self.rule == "parts":
            return (
                f"Join the files `part-NUMBER.txt` directly in `{self.scope}` in the order of their numbers (2 before "
                f"10) to one file `{self.target}`, one directly after the other. Then delete the parts."
            )
        if self.rule == "lines":
            return (
                f"I need the lines of all `.txt` files in `{self.scope}` in one file `{self.target}`, each different "
                "line once, sorted."
            )
        return (
            f"The `.csv` files in `{self.scope}` have the same header. Merge them into `{self.target}`: the header "
            "once, then all rows unchanged, sorted by `id` as a number (no two are equal). Keep the files."
        )

    def carry_out(self, tree: Tree) -> None:
        files = list(regular_files(tree, self.scope))
        if self.rule == "parts":
            parts = {int(match[1]): path for path, _ in files if (match := re.search(r"/part-(\d+)\.txt$", path))}
            written(tree, self.target, b"".join(tree[parts[number]].contents for number in sorted(parts)))
            for path in parts.values():
                del tree[path]
            return
        ending = ".txt" if self.rule == "lines" else ".csv"
        texts = [node.contents.decode().splitlines() for path, node in files if path.endswith(ending)]
        if self.rule == "lines":
            lines = sorted({line for text in texts for line in text})
        else:
            lines = [HEADER, *sorted((x for text in texts for x in text[1:]), key=lambda x: int(x.partition(",")[0]))]
        written(tree, self.target, "".join(f"{line}\n" for line in lines))

    def script(self, tree: Tree) -> str:
        s, target = shlex.quote(self.scope), shlex.quote(self.target)
        return {
            "parts": f"(cd {s} && ls part-*.txt | sort -t- -k2,2n | xargs cat > merged && rm part-*.txt)",
            "lines": f"{find_files(self.scope, '.txt')} -exec cat {{}} + | LC_ALL=C sort -u > {target}",
            "tables": f"{{ echo {HEADER}; {find_files(self.scope, '.csv')} -exec tail -q -n +2 {{}} + | "
            f"sort -t, -k1,1n; }} > ~/merged && mv ~/merged {target}",
        }[self.rule]

    def python(self) -> str:
        body = {
            "parts": "parts = sorted(scope.glob('part-*.txt'), key=lambda p: int(p.stem[5:]))\n"
            "target.write_bytes(b''.join(p.read_bytes() for p in parts))\nfor p in parts: p.unlink()",
            "lines": "lines = {x for p in files if p.name.endswith('.txt') for x in p.read_text().splitlines()}\n"
            "target.write_text(''.join(x + '\\n' for x in sorted(lines)))",
            "tables": "rows = [x for p in files if p.name.endswith('.csv') for x in p.read_text().splitlines()[1:]]\n"
            f"rows.sort(key=lambda x: int(x.split(',')[0]))\n"
            f"target.write_text({HEADER!r} + '\\n' + ''.join(x + '\\n' for x in rows))",
        }[self.rule]  # fmt: skip
        return f"""
scope, target = Path({self.scope!r}), Path({self.target!r})
files = [p for p in scope.rglob('*') if p.is_file() and not p.is_symlink()]
{body}
"""
