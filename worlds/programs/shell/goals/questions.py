"""Goals that are questions."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from turnwise.worlds.programs.shell.archives import sums_line
from turnwise.worlds.programs.shell.data import (
    HEADER,
    USERS,
    find_files,
    log_lines,
    put_logs,
    put_tables,
    table_rows,
)  # fmt: skip
from turnwise.worlds.programs.shell.goal import Goal
from turnwise.worlds.programs.shell.tree import Tree, World, regular_files

__all__ = ["Question"]


@dataclass(frozen=True)
class Question(Goal):
    """A question with a word or a number as its answer."""

    rule: str
    words: tuple[str, ...]

    tiers = (1, 2)
    reasons = (
        "Quick question before the meeting.",
        "I have no access to this machine, so please look for me.",
        "For the minutes I need one figure.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        rule = draw.choice(("level", "user", "sum", "largest_row", "json", "bytes", "largest", "distinct", "mismatch"))
        if rule in ("level", "user"):
            put_logs(world, scope, count)
            words: tuple[str, ...] = (draw.choice([line.split()[1] for line in log_lines(world.tree, scope)]),)
        elif rule in ("sum", "largest_row"):
            put_tables(world, scope, count)
            words = tuple(draw.choice(table_rows(world.tree, scope))[1:3])
        else:
            cls._fill(world, scope, count, rule)
            present = [path.rpartition(".")[2] for path, _ in regular_files(world.tree, scope)]
            words = (draw.choice(present),) if rule == "bytes" else ()
        return cls(scope, rule, words)

    @staticmethod
    def _fill(world: World, scope: str, count: int, rule: str) -> None:
        draw, folders = world.draw, world.folders(scope, 2)
        texts, sums = [world.text(3) for _ in range(max(2, count // 3))], list[tuple[str, str]]()
        for _ in range(max(count, 5)):
            text = draw.choice(texts) if rule == "distinct" else world.text(12)
            extension = draw.choice(("txt", "md", "dat"))
            if rule == "json":
                content = {
                    "active": not sums or draw.random() < 0.6,
                    "name": draw.choice(USERS),
                    "quantity": draw.randint(1, 500),
                }
                text = json.dumps(content, indent=draw.choice((None, 2))) + "\n"
                extension = "json"
            path = f"{draw.choice(folders)}/{world.name(extension, plain=rule == 'mismatch')}"
            world.put(path, text)
            sums.append((path[len(scope) + 1 :], text))
        if rule == "mismatch":
            wrong = draw.randrange(len(sums))
            lines = [sums_line(name, (text + " " * (i == wrong)).encode()) for i, (name, text) in enumerate(sums)]
            world.put(f"{scope}/SHA256SUMS", "".join(lines))
        world.decorate(scope)

    def wording(self) -> str:
        s = f"`{self.scope}`"
        if self.rule in ("level", "user"):
            start = f"The `.log` files in {s} have lines `TIME LEVEL user=NAME ...`. "
            if self.rule == "level":
                return f"{start}How many lines with level `{self.words[0]}` do they have together?"
            return f"{start}Which user has the most lines with level `{self.words[0]}`, over all files?"
        if self.rule in ("sum", "largest_row"):
            start = f"The `.csv` files in {s} have the columns {HEADER}. "
            rows = f"the rows with region `{self.words[0]}` and status `{self.words[1]}`, over all files"
            if self.rule == "sum":
                return f"{start}What does `amount` add up to in {rows}?"
            return f"{start}What is the `id` of the largest `amount` among {rows}?"
        return {
            "json": f"Each `.json` file in {s} holds one object. What does `quantity` add up to in those with a true "
            "`active`?",
            "bytes": f"How many bytes do all files in {s} with names ending in `.{''.join(self.words)}` have together?",
            "largest": f"Which file in {s} has the most bytes? Give its path relative to {s}.",
            "distinct": f"How many different contents do the files in {s} have? Files with exactly the same bytes "
            "count once.",
            "mismatch": f"`{self.scope}/SHA256SUMS` has checksums as `sha256sum` prints them, with paths relative to "
            f"{s}. For which file is the checksum wrong? Give its path as in the list.",
        }[self.rule]

    def answer(self, tree: Tree) -> str:
        if self.rule in ("level", "user"):
            lines = [line for line in log_lines(tree, self.scope) if line.split()[1] == self.words[0]]
            return str(len(lines)) if self.rule == "level" else _only_most(line.split()[2][5:] for line in lines)
        if self.rule in ("sum", "largest_row"):
            rows = [row for row in table_rows(tree, self.scope) if tuple(row[1:3]) == self.words]
            if self.rule == "sum":
                return str(sum(int(row[3]) for row in rows))
            return max(rows, key=lambda row: int(row[3]))[0]
        files = [(path[len(self.scope) + 1 :], node.contents) for path, node in regular_files(tree, self.scope)]
        if self.rule == "json":
            objects = [json.loads(data) for path, data in files if path.endswith(".json")]
            return str(sum(content["quantity"] for content in objects if content["active"]))
        if self.rule == "bytes":
            return str(sum(len(data) for path, data in files if path.endswith(f".{self.words[0]}")))
        if self.rule == "largest":
            most = max(len(data) for _, data in files)
            found = [path for path, data in files if len(data) == most]
            return found[0] if len(found) == 1 else ""
        if self.rule == "distinct":
            return str(len({data for _, data in files}))
        right = {sums_line(path, data) for path, data in files}
        listed = tree[f"{self.scope}/SHA256SUMS"].contents.decode().splitlines(keepends=True)
        return next(line.split("  ", 1)[1].strip() for line in listed if line not in right)

    def script(self, tree: Tree) -> str:
        s = shlex.quote(self.scope)
        first, second = (*self.words, "", "")[:2]
        logs = f"{find_files(self.scope, '.log')} -exec cat {{}} + | awk '$2 == \"{first}\"'"
        rows = f'{find_files(self.scope, ".csv")} -exec cat {{}} + | awk -F, \'$2 == "{first}" && $3 == "{second}"'
        return {
            "level": f"{logs} | wc -l",
            "user": f"{logs} | grep -o 'user=[a-z]*' | cut -d= -f2 | sort | uniq -c | sort -n | awk 'END {{print $2}}'",
            "sum": f"{rows} {{ s += $4 }} END {{ print s + 0 }}'",
            "largest_row": f"{rows} {{ print $4, $1 }}' | sort -rn | awk 'NR == 1 {{print $2}}'",
            "json": f"{find_files(self.scope, '.json')} -print0 | xargs -0 python3 -c 'import json, sys\n"
            'print(sum(d["quantity"] for d in (json.load(open(p)) for p in sys.argv[1:]) if d["active"]))\'',
            "bytes": f"{find_files(self.scope, f'.{first}')} -printf '%s\\n' | awk '{{ s += $1 }} END {{ print s }}'",
            "largest": f"find {s} -type f -printf '%s %P\\n' | sort -n | tail -n 1 | cut -d' ' -f2-",
            "distinct": f"find {s} -type f -exec sha256sum {{}} + | sed 's/^.//' | cut -c1-60 | sort -u | wc -l",
            "mismatch": f"(cd {s} && sha256sum -c SHA256SUMS 2>/dev/null) | sed -n 's/: FAILED$//p'",
        }[self.rule]

    def python(self) -> str:
        word = "".join(self.words[:1])
        rows = f"[r for r in rows if (r['region'], r['status']) == {self.words!r}]"
        result = {
            "level": f"sum(x.split()[1] == {word!r} for x in lines('.log'))",
            "user": f"Counter(x.split()[2][5:] for x in lines('.log') if x.split()[1] == {word!r}).most_common()[0][0]",
            "sum": f"sum(int(r['amount']) for r in {rows})",
            "largest_row": f"max((int(r['amount']), r['id']) for r in {rows})[1]",
            "json": "sum(d['quantity'] for p in files if p.suffix == '.json' for d in [json.loads(p.read_text())] "
            "if d['active'])",
            "bytes": f"sum(p.stat().st_size for p in files if p.name.endswith('.{word}'))",
            "largest": f"max(files, key=lambda p: p.stat().st_size).relative_to({self.scope!r})",
            "distinct": "len({p.read_bytes() for p in files})",
            "mismatch": "next(n for h, n in sums if hashlib.sha256(Path(scope, n).read_bytes()).hexdigest() != h)",
        }[self.rule]
        return f"""
scope = {self.scope!r}
files = [p for p in Path(scope).rglob('*') if p.is_file() and not p.is_symlink()]
def lines(ending): return [x for p in files if p.name.endswith(ending) for x in p.read_text().splitlines()]
rows = [r for p in files if p.name.endswith('.csv') for r in csv.DictReader(p.read_text().splitlines())]
sums = [x.split('  ', 1) for p in files if p.name == 'SHA256SUMS' for x in p.read_text().splitlines()]
print({result})
"""


def _only_most(names: Iterator[str]) -> str:
    """Return the most frequent name, "" if there is a tie."""
    first = Counter(names).most_common(2)
    return first[0][0] if first and (len(first) == 1 or first[0][1] > first[1][1]) else ""
