"""Goals about moving data: joins of files in different forms, encodings, chains of derived files."""

import csv
import io
import json
from dataclasses import dataclass
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.tree import Tree, World, put, regular_files

__all__ = ["Build", "Encodings", "Join"]

_NAMES = (
    "Müller GmbH", "Café Brûlé", "Nørd & Søn", "Łódź Parts", "Smith, Jones Ltd", 'The "Blue" Shop', "Ångström AB",
    "Peña Hermanos", "O'Neill", "Zoë Studio", "Baker; Sons", "Plain Goods", "Élan", "Grün & Co", "West Mill", "Odéon",
)  # fmt: skip


@dataclass(frozen=True)
class Join(Goal):
    """Join customers and orders from files in different forms."""

    target: str
    least: int

    tiers = (3, 4)
    work = (4, 3)
    reasons = (
        "Sales wants this table for Monday's meeting.",
        "The CRM export and the shop export have to become one table.",
        "I tried this in a spreadsheet and it broke the accents.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        names = draw.sample(_NAMES[:2] + _NAMES[4:], draw.randint(6, 11))
        names = [name for name in names if name.encode("latin-1", "ignore").decode("latin-1") == name]
        rows, number = list[list[str]](), draw.randint(100, 900)
        for name in names:
            mail = f"info@{''.join(filter(str.isascii, filter(str.isalnum, name))).lower()}.example"
            for copy in range(draw.choice((1, 1, 2, 3))):
                number += draw.randint(1, 9)
                changed = f"20{draw.randint(18, 24)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
                shown = name if not copy else draw.choice((name.upper(), f"{name} (old)", name))
                rows.append([str(number), shown, mail if draw.random() < 0.6 else mail.title(), changed])
        draw.shuffle(rows)
        text = io.StringIO()
        csv.writer(text, delimiter=";", lineterminator="\r\n").writerows([["id", "name", "email", "changed"], *rows])
        put(world.tree, f"{scope}/customers.csv", text.getvalue().encode("latin-1"))
        orders = []
        for order in range(draw.randint(20, 30 + 15 * world.tier)):
            customer = draw.choice(rows)[0] if draw.random() < 0.94 else str(number + order + 1)
            state = draw.choice(("paid", "paid", "paid", "open", "cancelled"))
            orders.append(
                {"order": order + 1, "customer": int(customer), "cents": draw.randint(100, 99_999), "state": state}
            )
        put(world.tree, f"{scope}/orders.jsonl", "".join(f"{json.dumps(order)}\n" for order in orders))
        return cls(scope, f"{scope}/{draw.choice(('turnover', 'report', 'customers-paid'))}.csv", draw.randint(1, 3))

    def wording(self) -> str:
        return (
            f"`{self.scope}/customers.csv` (Latin-1, semicolons, Windows line ends) has some customers several times: "
            "rows with the same e-mail address, upper and lower case aside, are one customer, and the row with the "
            f"latest `changed` has the valid name. `{self.scope}/orders.jsonl` has the orders; `customer` is the id "
            f"of any of the customer's rows. Write `{self.target}` in UTF-8 with plain line ends: the header "
            "`name,orders,total`, then a row for each customer with at least "
            f"{f'{self.least} paid orders' if self.least > 1 else 'one paid order'}: the valid name (in double quotes "
            "only where CSV needs them, a quote in it doubled), the number of paid orders, and their sum as euros "
            "with two decimals and a point. Largest sum first. Skip orders of ids that are not in the list."
        )

    def carry_out(self, tree: Tree) -> None:
        rows = list(
            csv.reader(io.StringIO(tree[f"{self.scope}/customers.csv"].contents.decode("latin-1")), delimiter=";")
        )
        latest: dict[str, tuple[str, str]] = {}
        for _, name, mail, changed in rows[1:]:
            key = mail.lower()
            if key in latest and latest[key][0] == changed:
                raise FileExistsError(self.target)  # no row is the latest
            latest[key] = max(latest.get(key, ("", "")), (changed, name))
        mails = {row[0]: row[2].lower() for row in rows[1:]}
        sums: dict[str, list[int]] = {}
        for line in tree[f"{self.scope}/orders.jsonl"].contents.decode().splitlines():
            order = json.loads(line)
            if order["state"] == "paid" and str(order["customer"]) in mails:
                sums.setdefault(mails[str(order["customer"])], []).append(order["cents"])
        chosen = sorted(((sum(x), len(x), m) for m, x in sums.items() if len(x) >= self.least), reverse=True)
        if len({total for total, _, _ in chosen}) < len(chosen) or not chosen:
            raise FileExistsError(self.target)
        text = io.StringIO()
        body = [[latest[m][1], number, f"{total // 100}.{total % 100:02}"] for total, number, m in chosen]
        csv.writer(text, lineterminator="\n").writerows([["name", "orders", "total"], *body])
        written(tree, self.target, text.getvalue())

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
people = list(csv.DictReader(open(s / 'customers.csv', encoding='latin-1', newline=''), delimiter=';'))
people.sort(key=lambda r: r['changed'])
mail = dict((int(r['id']), r['email'].lower()) for r in people)
name = dict((r['email'].lower(), r['name']) for r in people)
paid = dict()
for o in map(json.loads, open(s / 'orders.jsonl')):
    if o['state'] == 'paid' and o['customer'] in mail:
        paid.setdefault(mail[o['customer']], []).append(o['cents'])
rows = sorted((-sum(v), m, len(v)) for m, v in paid.items() if len(v) >= {self.least})
with open({self.target!r}, 'w', encoding='utf-8', newline='') as f:
    w = csv.writer(f, lineterminator='\\n')
    w.writerow(['name', 'orders', 'total'])
    w.writerows([name[m], n, '%.2f' % (-t / 100)] for t, m, n in rows)
"""


@dataclass(frozen=True)
class Encodings(Goal):
    """Bring texts to one encoding and one kind of line ends."""

    encodings: tuple[tuple[str, str], ...]

    tiers = (2, 4)
    work = (3, 3)
    reasons = (
        "The importer takes UTF-8 only.",
        "These texts come from four decades of office machines.",
        "Half of the umlauts on the web page are question marks.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        choices = ["utf-8", "latin-1", "utf-16", "cp437", "utf-8-sig", "cp1252"][: 3 + world.tier // 2 + 1]
        folders = draw.sample(("sales", "press", "plant", "legacy", "abroad", "hr"), len(choices))
        encodings = tuple(zip(folders, draw.sample(choices, len(choices)), strict=True))
        for number in range(max(count, 6)):
            folder, encoding = encodings[number % len(encodings)]
            words = draw.sample(("Größe", "café", "señor", "naïve", "plain", "Übung", "à la carte", "Ende"), 5)
            end = draw.choice(("\r\n", "\n", "\r\n"))
            text = "".join(f"{word} {draw.randint(1, 99)}{end}" for word in words)
            text = text.rstrip("\r\n") if draw.random() < 0.25 else text
            raw = b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16" else text.encode(encoding)
            world.put(f"{scope}/{folder}/{world.name('txt')}", raw, 0o644)
            if draw.random() < 0.3:
                world.put(f"{scope}/{folder}/{world.name('bin')}", bytes(draw.randrange(256) for _ in range(40)), 0o644)
        shown = {
            "utf-16": "UTF-16",
            "utf-8": "UTF-8",
            "utf-8-sig": "UTF-8 with a byte order mark",
            "latin-1": "ISO 8859-1",
        }
        rows = "".join(
            f"{folder:<8} {shown.get(e, e.replace('cp', 'code page '))}\n" for folder, e in sorted(encodings)
        )
        put(world.tree, f"{scope}/ENCODINGS", f"# directory, encoding of the texts in it\n{rows}")
        return cls(scope, encodings)

    def wording(self) -> str:
        return (
            f"Convert all `.txt` files in the directories below `{self.scope}` to UTF-8 without a byte order mark, "
            f"with plain line feeds at the ends of lines, the last line included. `{self.scope}/ENCODINGS` says how "
            "each directory is encoded now. Other files stay as they are."
        )

    def carry_out(self, tree: Tree) -> None:
        for folder, encoding in self.encodings:
            for path, node in list(regular_files(tree, f"{self.scope}/{folder}")):
                if path.endswith(".txt"):
                    text = node.contents.decode(encoding).replace("\r\n", "\n").rstrip("\n") + "\n"
                    written(tree, path, text)

    def python(self) -> str:
        return f"""
for folder, encoding in {self.encodings!r}:
    for p in Path({self.scope!r}, folder).glob('*.txt'):
        if not p.is_symlink():
            lines = p.read_bytes().decode(encoding).split('\\n')
            lines = [x.rstrip('\\r') for x in lines if x]
            p.write_bytes(''.join(x + '\\n' for x in lines).encode())
"""


_STEPS = ("concat", "sorted", "unique", "counted", "upper", "reversed")


@dataclass(frozen=True)
class Build(Goal):
    """Build what a list of derived files describes."""

    rules: tuple[tuple[str, str, tuple[str, ...]], ...]

    place = "operations"
    tiers = (3, 4)
    work = (6, 4)
    reasons = (
        "The build server is down and the data has to go out today.",
        "The nightly job died half way through.",
        "Somebody edited the sources and forgot to rebuild.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        sources = [f"src/{world.name('txt', plain=True)}" for _ in range(max(3, min(count // 3, 6)))]
        pool = world.text(8).split() or ["word"]
        for path in sources:
            words = draw.choices(pool, k=draw.randint(3, 9))
            put(world.tree, f"{scope}/{path}", "".join(f"{word}\n" for word in words))
        rules = list[tuple[str, str, tuple[str, ...]]]()
        known = list(sources)
        for number in range(3 + world.tier):
            step = draw.choice(_STEPS) if number else "concat"
            inputs = draw.sample(known, draw.randint(2, 3)) if step == "concat" else [draw.choice(known[-3:])]
            rules.append((f"out/{world.name('txt', plain=True)}", step, tuple(inputs)))
            known.append(rules[-1][0])
        goal = cls(scope, tuple(rules))
        right: dict[str, str] = {}
        goal._results(world.tree, right)
        for target, _, _ in rules:
            if draw.random() < 0.6:
                data = right[target] if draw.random() < 0.4 else world.text(3)
                put(world.tree, f"{scope}/{target}", data)
        put(world.tree, f"{scope}/out/{world.name('txt', plain=True)}", world.text(2))
        listed = "".join(
            f"{target} = {step} {' '.join(inputs)}\n" for target, step, inputs in draw.sample(rules, len(rules))
        )
        put(world.tree, f"{scope}/BUILD", (
            "# TARGET = STEP INPUT...; an input may be the target of another line, wherever that line is.\n"
            "# concat: the inputs one after the other. All other steps have one input and work on its lines:\n"
            "# sorted (byte by byte, duplicates stay), unique (each line at its first place only), counted (a line\n"
            "# `NUMBER LINE` for each different line, the highest number first, then byte by byte by line),\n"
            "# upper (capital letters), reversed (the last line first).\n"
        ) + listed)  # fmt: skip
        return goal

    def _results(self, tree: Tree, right: dict[str, str]) -> None:
        for target, step, inputs in self.rules:
            texts = [
                right[name] if name in right else tree[f"{self.scope}/{name}"].contents.decode() for name in inputs
            ]
            lines = "".join(texts).splitlines()
            if step == "sorted":
                lines.sort()
            elif step == "unique":
                lines = list(dict.fromkeys(lines))
            elif step == "counted":
                counts = sorted({(-lines.count(line), line) for line in lines})
                lines = [f"{-number} {line}" for number, line in counts]
            elif step == "upper":
                lines = [line.upper() for line in lines]
            elif step == "reversed":
                lines.reverse()
            right[target] = "".join(f"{line}\n" for line in lines)

    def wording(self) -> str:
        return self.worded(
            f"`{self.scope}/BUILD` describes how the files in `{self.scope}/out` come from those in "
            f"`{self.scope}/src` and from each other. Bring `out` up to date: build each target that is missing or "
            "not what it should be by now, and delete the files in it that are not a target.",
            f"Please redo by hand what the build would do in `{self.scope}`: `BUILD` there says which file in `out` "
            "is made from which others in `src` and `out`, and how. In the end each target has the right contents, "
            "and `out` has no other files.",
        )

    def carry_out(self, tree: Tree) -> None:
        right: dict[str, str] = {}
        self._results(tree, right)
        for path, _ in list(regular_files(tree, f"{self.scope}/out")):
            if path[len(self.scope) + 1 :] not in right:
                del tree[path]
        for path, text in right.items():
            written(tree, f"{self.scope}/{path}", text)

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
rules = dict((x.split(' = ')[0], x.split(' = ')[1].split()) for x in open(s / 'BUILD') if x[0] != '#')
for p in list((s / 'out').iterdir()):
    p.unlink()
def lines(name):
    if name not in rules:
        return (s / name).read_text().splitlines()
    step, *inputs = rules[name]
    x = [line for i in inputs for line in lines(i)]
    return dict(concat=lambda: x, sorted=lambda: sorted(x), unique=lambda: list(dict.fromkeys(x)),
        counted=lambda: ['%d %s' % (n, k) for k, n in sorted(Counter(x).items(), key=lambda i: (-i[1], i[0]))],
        upper=lambda: [k.upper() for k in x], reversed=lambda: x[::-1])[step]()
for name in rules:
    (s / name).write_text(''.join(k + '\\n' for k in lines(name)))
"""
