"""Goals about several logs: what came first, what two of them disagree on, and rotating them by rule."""

import gzip
import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Self

from turnwise.worlds.programs.shell.archives import gunzipped
from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.tree import Node, Tree, World, put

__all__ = ["FirstErrors", "Reconcile", "Rotate"]

_SERVICES = ("auth", "billing", "catalog", "mailer", "search", "orders", "stock", "gateway", "media", "audit")
_NOTES = ("cache warm", "retry after ERROR", "no error found", "pool=4", "error rate 0.1%", "flush done", "reload")


@dataclass(frozen=True)
class FirstErrors(Goal):
    """Find the first error of each service."""

    since: str
    target: str
    rotated: bool

    place = "operations"
    tiers = (2, 4)
    work = (3, 4)
    reasons = (
        "For the post-mortem I need to know in which order the services broke.",
        "Something fell over last night and took the rest with it.",
        "The status page wants a timeline.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        start = datetime(2024, draw.randint(1, 12), draw.randint(1, 28), draw.randint(2, 20), tzinfo=UTC)
        since = start + timedelta(minutes=draw.randint(40, 80))
        for service in draw.sample(_SERVICES, min(3 + world.tier, max(3, count // 3))):
            zone = timezone(timedelta(hours=draw.choice((0, 0, 1, 2, -5)) if world.tier > 2 else 0))
            lines, when = list[str](), start + timedelta(seconds=draw.randint(0, 600))
            silent = draw.random() < 0.2
            for _ in range(draw.randint(18, 30)):
                when += timedelta(seconds=draw.randint(60, 700))
                level = draw.choice(("INFO", "INFO", "WARN", "INFO" if silent and when >= since else "ERROR"))
                code = f" code=E{draw.randint(100, 999)}" if level == "ERROR" else ""
                lines.append(f"{_written(when, zone)} {level}{code} {draw.choice(_NOTES)}\n")
            cls._put(world, f"{scope}/{service}.log", lines)
        world.decorate(scope)
        target = f"{scope}/{draw.choice(('timeline', 'first-errors'))}.txt"
        return cls(scope, _written(since, UTC), target, world.tier > 2)

    @staticmethod
    def _put(world: World, path: str, lines: list[str]) -> None:
        if world.tier < 3:
            world.put(path, "".join(lines), 0o644)
            return
        first, second = sorted(world.draw.sample(range(3, len(lines) - 2), 2))
        world.put(f"{path}.2.gz", gzip.compress("".join(lines[:first]).encode(), mtime=0), 0o644)
        world.put(f"{path}.1", "".join(lines[first:second]), 0o644)
        world.put(path, "".join(lines[second:]), 0o644)

    def wording(self) -> str:
        older = ", with their older parts in `SERVICE.log.1` and `SERVICE.log.2.gz`" if self.rotated else ""
        zones = " The machines are set to different time zones, so mind the offsets." if self.rotated else ""
        return (
            f"There is a log per service in `{self.scope}`, `SERVICE.log`{older}. Lines are `TIME LEVEL ...`; those "
            "with level `ERROR` go on with a code. Which error was the first of each service at or after "
            f"{self.since}?{zones} Write `{self.target}` with a line `TIME SERVICE CODE` per service, such as "
            f"`{self.since} web E100`, the time in UTC, sorted by time (no two are equal). Leave out services without "
            "an error since then."
        )

    def carry_out(self, tree: Tree) -> None:
        first: dict[str, tuple[str, str]] = {}
        for path, node in tree.items():
            service, dot, rest = path[len(self.scope) + 1 :].partition(".log")
            if (
                not path.startswith(f"{self.scope}/")
                or not dot
                or node.kind != "file"
                or rest not in ("", ".1", ".2.gz")
            ):
                continue
            data = gunzipped(node.contents) if rest == ".2.gz" else node.contents
            for line in (data or b"").decode().splitlines():
                time, level, code = line.split()[:3]
                when = _written(datetime.fromisoformat(time.replace("Z", "+00:00")), UTC)
                if level == "ERROR" and when >= self.since and (service not in first or when < first[service][0]):
                    first[service] = (when, code[5:])
        if not first or len({when for when, _ in first.values()}) < len(first):
            raise FileExistsError(self.target)  # ambiguous: another one is drawn
        lines = sorted(f"{when} {service} {code}\n" for service, (when, code) in first.items())
        written(tree, self.target, "".join(lines))

    def python(self) -> str:
        return f"""
first = dict()
for p in Path({self.scope!r}).glob('*.log*'):
    if p.is_symlink() or not re.fullmatch(r'[a-z]+\\.log(\\.1|\\.2\\.gz)?', p.name):
        continue
    for line in (gzip.open(p, 'rt') if p.suffix == '.gz' else open(p)):
        when, level, code = line.split()[:3]
        if level == 'ERROR':
            utc = datetime.datetime.fromisoformat(when.replace('Z', '+00:00')).astimezone(datetime.timezone.utc)
            utc = utc.strftime('%Y-%m-%dT%H:%M:%SZ')
            name = p.name.split('.')[0]
            if utc >= {self.since!r}:
                first[name] = min(first.get(name, ('9',)), (utc, name, code[5:]))
Path({self.target!r}).write_text(''.join(' '.join(x) + '\\n' for x in sorted(first.values())))
"""


def _written(when: datetime, zone: timezone) -> str:
    return when.astimezone(zone).isoformat().replace("+00:00", "Z")


@dataclass(frozen=True)
class Reconcile(Goal):
    """Find what two records disagree on."""

    target: str

    tiers = (3, 4)
    work = (3, 3)
    reasons = (
        "Finance says that our books and the payment provider do not agree.",
        "It is the end of the month, and we cannot close the books like this.",
        "An auditor asks for the differences between the gateway and the ledger.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        calls, ledger = list[str](), list[str]()
        start = draw.randint(1000, 90_000)
        for number in range(start, start + draw.randint(60, 60 + 60 * world.tier)):
            cents, fate = draw.choice((draw.randint(50, 99_999), 100 * draw.randint(1, 400))), draw.random()
            call = {"payment": f"P{number}", "cents": cents, "status": "failed" if fate < 0.1 else "captured"}
            if fate < 0.95:
                calls.append(json.dumps(call))
            if fate < 0.03 and world.tier > 3:  # it failed first, and was captured on the second try
                calls.append(json.dumps({**call, "status": "captured"}))
            if not 0.03 <= fate < 0.1 and not 0.1 <= fate < 0.15:
                wrong = draw.choice((-100, 1, 90)) if 0.15 <= fate < 0.2 else 0
                euros = max(1, cents + wrong)
                ledger.append(f"{number};{euros // 100},{euros % 100:02};{draw.choice(('web', 'shop', 'phone'))}")
        draw.shuffle(ledger)
        put(world.tree, f"{scope}/gateway.jsonl", "".join(f"{line}\n" for line in calls))
        put(world.tree, f"{scope}/ledger.csv", "number;amount;channel\n" + "".join(f"{line}\n" for line in ledger))
        world.put(f"{scope}/{world.name('md')}", world.text())
        return cls(scope, f"{scope}/{draw.choice(('differences', 'mismatch', 'open-items'))}.csv")

    def wording(self) -> str:
        return (
            f"Compare `{self.scope}/gateway.jsonl` (one call per line, amounts in cents; only payments with a "
            f"`captured` call count) with `{self.scope}/ledger.csv` (amounts in euros with a decimal comma; number "
            f"4711 is payment P4711). Write `{self.target}`: the header `payment,problem`, then a line for each "
            "payment on which they disagree, sorted by payment number. The problem is `not in ledger`, `not in "
            "gateway` or `amount`."
        )

    def carry_out(self, tree: Tree) -> None:
        calls = [json.loads(line) for line in tree[f"{self.scope}/gateway.jsonl"].contents.decode().splitlines()]
        taken = {int(call["payment"][1:]): call["cents"] for call in calls if call["status"] == "captured"}
        rows = [line.split(";") for line in tree[f"{self.scope}/ledger.csv"].contents.decode().splitlines()[1:]]
        booked = {int(row[0]): int(row[1].replace(",", "")) for row in rows}
        lines = ["payment,problem\n"]
        for number in sorted(taken.keys() | booked.keys()):
            if number not in booked:
                lines.append(f"P{number},not in ledger\n")
            elif number not in taken:
                lines.append(f"P{number},not in gateway\n")
            elif taken[number] != booked[number]:
                lines.append(f"P{number},amount\n")
        written(tree, self.target, "".join(lines))

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
a = dict((d['payment'], d['cents']) for d in map(json.loads, open(s / 'gateway.jsonl')) if d['status'] == 'captured')
b = dict(('P' + r['number'], round(100 * float(r['amount'].replace(',', '.'))))
         for r in csv.DictReader(open(s / 'ledger.csv'), delimiter=';'))
out = ['payment,problem']
for p in sorted(set(a) | set(b), key=lambda p: int(p[1:])):
    problem = 'not in ledger' if p not in b else 'not in gateway' if p not in a else 'amount' if a[p] != b[p] else ''
    if problem:
        out.append(p + ',' + problem)
Path({self.target!r}).write_text('\\n'.join(out) + '\\n')
"""


@dataclass(frozen=True)
class Rotate(Goal):
    """Rotate logs as a policy says."""

    policy: str

    place = "operations"
    tiers = (3, 4)
    work = (4, 4)
    reasons = (
        "The nightly rotation did not run because the disk was full.",
        "logrotate is not installed on this box, so somebody has to do it by hand today.",
        "The log volume is at 96 percent.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        names = draw.sample(_SERVICES, min(3 + world.tier // 2, max(3, count // 4)))
        keep, least = draw.randint(2, 4), draw.choice((150, 200, 300))
        rules = [f"*  keep {keep}  compress-from {draw.randint(1, 2)}"]
        rules.append(f"{names[0]}  keep {keep + draw.randint(1, 2)}  compress-from {draw.choice((1, 3))}")
        if world.tier > 3:
            rules.append(f"{names[1]}  keep {draw.randint(1, keep - 1)}  compress-from 2")
        for name in names:
            size = draw.choice((0, least // 2, least * 2)) if name != names[0] else least * 2
            world.put(f"{scope}/{name}.log", _lines(draw, size), 0o644)
            for number in range(1, draw.randint(2, keep + 2)):
                data = _lines(draw, 120).encode()
                packed = int(next((r for r in rules if r.startswith(f"{name} ")), rules[0]).split()[-1]) <= number
                end = f".{number}{'.gz' * packed}"
                world.put(f"{scope}/{name}.log{end}", gzip.compress(data, mtime=0) if packed else data, 0o644)
        policy = (
            "# Rotation\n#\n# LOG keep N compress-from M; a line with the name of a log replaces the line with *.\n"
            f"# Logs of less than {least} bytes are not rotated: nothing of theirs changes.\n"
            "# Otherwise LOG.log becomes LOG.log.1, LOG.log.1 becomes LOG.log.2 and so on, LOG.log is then an empty "
            "file.\n# Of the old ones, those with a number greater than N are deleted; those numbered M or more are "
            "compressed\n# with gzip (LOG.log.3.gz).\n"
        ) + "".join(f"{rule}\n" for rule in rules)
        put(world.tree, f"{scope}/ROTATION", policy)
        world.put(f"{scope}/{world.name('txt')}", world.text())
        return cls(scope, policy)

    def wording(self) -> str:
        return self.worded(
            f"Please rotate the logs in `{self.scope}` once, by hand, as `{self.scope}/ROTATION` describes it.",
            f"`{self.scope}/ROTATION` is our policy for the logs in `{self.scope}`. Please apply it once, now.",
        )

    def _rules(self) -> tuple[int, dict[str, tuple[int, int]]]:
        lines = [line.split() for line in self.policy.splitlines() if not line.startswith("#")]
        least = int(self.policy.partition("less than ")[2].split()[0])
        return least, {line[0]: (int(line[2]), int(line[4])) for line in lines}

    def carry_out(self, tree: Tree) -> None:
        least, rules = self._rules()
        for path in [p for p in tree if p.startswith(f"{self.scope}/") and p.endswith(".log")]:
            node = tree[path]
            if node.kind != "file" or len(node.contents) < least:
                continue
            keep, pack = rules.get(path[len(self.scope) + 1 : -4], rules["*"])
            old = [node.contents]
            while (number := len(old)) and (found := {f"{path}.{number}", f"{path}.{number}.gz"} & tree.keys()):
                data = tree.pop(place := found.pop()).contents
                old.append((gunzipped(data) or b"") if place.endswith(".gz") else data)
            tree[path] = Node("file")
            for number, data in enumerate(old[:keep], 1):
                if number >= pack:
                    tree[f"{path}.{number}.gz"] = Node("file", gzip.compress(data, mtime=0), None, "gzip")
                else:
                    tree[f"{path}.{number}"] = Node("file", data)

    def python(self) -> str:
        least, rules = self._rules()
        return f"""
rules = {rules!r}
for p in sorted(Path({self.scope!r}).glob('*.log')):
    if p.stat().st_size < {least}:
        continue
    keep, pack = rules.get(p.stem, rules['*'])
    for n in range(9, -1, -1):
        for old in (Path(str(p) + '.' + str(n)), Path(str(p) + '.' + str(n) + '.gz')) if n else (p,):
            if not old.exists():
                continue
            data = gzip.decompress(old.read_bytes()) if old.suffix == '.gz' else old.read_bytes()
            old.unlink()
            if n < keep:
                new = str(p) + '.' + str(n + 1)
                if n + 1 >= pack:
                    Path(new + '.gz').write_bytes(gzip.compress(data))
                else:
                    Path(new).write_bytes(data)
    p.write_bytes(b'')
"""


def _lines(draw: random.Random, size: int) -> str:
    text = ""
    while len(text) < size:
        text += f"{draw.choice(_NOTES)} job={draw.randint(100, 999)}\n"
    return text
