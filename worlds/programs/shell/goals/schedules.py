"""Goals about crontabs: which jobs run, which collide, and making a crontab agree with what was agreed in words."""

import random
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

from turnwise.worlds.programs.shell.crontabs import Job, draw_when, line_of, runs
from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.tree import Node, Tree, World, put

__all__ = ["Agenda", "Collisions", "Schedule"]

_JOBS = (
    "backup-db", "backup-files", "rotate-logs", "sync-catalog", "send-digest", "close-books", "export-orders",
    "clean-cache", "renew-certs", "build-index", "check-disks", "import-prices", "mail-reminders", "purge-sessions",
    "report-usage", "scan-uploads", "update-geo", "verify-archive",
)  # fmt: skip
_OPTIONS = ("", " --quiet", " --full", " -v", " --lock /run/jobs.lock")
_NIGHT = "The machine runs in UTC, so daylight saving plays no part."
_EVALUATE = """
def values(text, low, high):
    found = set()
    for part in text.split(','):
        span, _, step = part.partition('/')
        a, b = (low, high) if span == '*' else (int(span.split('-')[0]), int(span.split('-')[-1]))
        found |= set(range(a, b + 1, int(step or 1)))
    return found

def minutes(fields, day):
    dom, month, dow = values(fields[2], 1, 31), values(fields[3], 1, 12), {{x % 7 for x in values(fields[4], 0, 7)}}
    a, b = day.day in dom, day.isoweekday() % 7 in dow
    both = fields[2][0] != '*' and fields[4][0] != '*'
    if day.month not in month or not (a or b if both else a and b):
        return []
    return [h * 60 + m for h in values(fields[1], 0, 23) for m in values(fields[0], 0, 59)]

jobs = [x.split(None, 5) for p in sorted(Path({scope!r}).glob('*.cron')) for x in open(p)]
jobs = [(x[:5], x[5].split()[0].split('/')[-1]) for x in jobs if len(x) == 6 and x[0][0] in '*0123456789']
"""


def _draw_jobs(draw: random.Random, count: int, hard: bool) -> list[Job]:
    jobs = []
    for name in draw.sample(_JOBS, min(count, len(_JOBS))):
        fields, words = draw_when(draw, hard)
        jobs.append(Job(f"/opt/jobs/{name}{draw.choice(_OPTIONS)}", fields, words))
    return jobs


def _put_tables(world: World, scope: str, jobs: list[Job]) -> None:
    """Write the jobs into one crontab or two, with comments and jobs that are switched off."""
    draw = world.draw
    parts: list[list[str]] = [["SHELL=/bin/bash\n", "# m h dom mon dow command\n"] for _ in range(1 + (world.tier > 2))]
    for job in jobs:
        draw.choice(parts).append(line_of(job))
    for off in _draw_jobs(draw, 1 + world.tier // 2, hard=False):
        draw.choice(parts).append(f"#{line_of(off)}")
    for name, part in zip(draw.sample(("app", "ops", "data", "nightly"), len(parts)), parts, strict=True):
        put(world.tree, f"{scope}/{name}.cron", "".join(part))
    put(
        world.tree, f"{scope}/old/{draw.choice(('app', 'ops'))}.cron", "".join(map(line_of, _draw_jobs(draw, 3, False)))
    )


def _tables(tree: Tree, scope: str) -> list[tuple[tuple[str, str, str, str, str], str]]:
    """Return the jobs that the crontabs directly in a directory run: fields and the program's name."""
    found = []
    for path, node in sorted(tree.items()):
        if re.fullmatch(rf"{re.escape(scope)}/[^/]+\.cron", path) and node.kind == "file":
            for line in node.contents.decode().splitlines():
                parts = line.split(None, 5)
                if len(parts) == 6 and not line.startswith("#"):
                    m, h, dom, month, dow = parts[:5]
                    found.append(((m, h, dom, month, dow), parts[5].split()[0].rpartition("/")[2]))
    return found


@dataclass(frozen=True)
class Agenda(Goal):
    """List what runs on a day."""

    day: date
    hours: tuple[int, int]
    target: str

    place = "operations"
    tiers = (2, 4)
    work = (2, 3)
    reasons = (
        "We move this host to another rack and need to know what we would interrupt.",
        "There is a maintenance window coming up.",
        "The on-call for that day would like to see what is going to run.",
        "The database will be read-only for a few hours.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        _put_tables(world, scope, _draw_jobs(draw, 5 + 2 * world.tier, world.tier > 2))
        first = draw.randint(0, 16)
        day = date(2024, 1, 1) + timedelta(draw.randint(0, 729))
        return cls(scope, day, (first, first + draw.randint(3, 8)), f"{scope}/{draw.choice(('agenda', 'window'))}.txt")

    def wording(self) -> str:
        return (
            f"Which jobs in the crontabs `{self.scope}/*.cron` start on {self.day:%A}, {self.day.day} "
            f"{self.day:%B %Y}, from {self.hours[0]:02}:00 until just before {self.hours[1]:02}:00? {_NIGHT} Write "
            f"every start to `{self.target}` as a line `HH:MM NAME`, where NAME is the name of the program without "
            "its directory and options, sorted by time and then by name. Lines that are commented out do not run, "
            "and the crontabs in subdirectories are not installed."
        )

    def carry_out(self, tree: Tree) -> None:
        starts = [(minute, name) for fields, name in _tables(tree, self.scope) for minute in runs(fields, self.day)]
        inside = sorted(start for start in starts if self.hours[0] * 60 <= start[0] < self.hours[1] * 60)
        if not 0 < len(inside) < 60:
            raise FileExistsError(self.target)  # nothing to write, or too much: another one is drawn
        written(tree, self.target, "".join(f"{m // 60:02}:{m % 60:02} {name}\n" for m, name in inside))

    def python(self) -> str:
        return f"""{_EVALUATE.format(scope=self.scope)}
day = datetime.date.fromisoformat('{self.day}')
found = sorted((m, n) for f, n in jobs for m in minutes(f, day) if {self.hours[0]} <= m // 60 < {self.hours[1]})
Path({self.target!r}).write_text(''.join('%02d:%02d %s\\n' % (m // 60, m % 60, n) for m, n in found))
"""


@dataclass(frozen=True)
class Collisions(Goal):
    """Find jobs that start at the same time."""

    first: date
    days: int
    target: str

    place = "operations"
    tiers = (3, 4)
    work = (2, 3)
    reasons = (
        "Two jobs fought over the same lock last week.",
        "Load on the database server jumps at odd times, and I suspect jobs that start together.",
        "Before we add another job I want to know which ones clash already.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        jobs = _draw_jobs(draw, 6 + world.tier, hard=True)
        for first, second in ((0, 1), (2, 3)):  # the same time on days that meet now and then
            hour, minute = jobs[first].fields[1::-1]
            dom, dow = str(draw.randint(1, 28)), str(draw.randint(1, 6))
            place = (minute, hour, dom, "*", "*") if draw.random() < 0.5 else (minute, hour, "*", "*", dow)
            jobs[second] = jobs[second]._replace(fields=place)
        _put_tables(world, scope, jobs)
        first_day = date(2024, 1, 1) + timedelta(draw.randint(0, 600))
        return cls(scope, first_day, draw.randint(10, 40), f"{scope}/{draw.choice(('clashes', 'collisions'))}.txt")

    def wording(self) -> str:
        last = self.first + timedelta(self.days - 1)
        return (
            f"Look at the crontabs `{self.scope}/*.cron` (only these are installed, and only lines that are not "
            f"commented out). {_NIGHT} Which pairs of jobs start in the same minute at least once from {self.first} to "
            f"{last}, both days included? Write a line `NAME NAME COUNT` to `{self.target}` for each pair: the names "
            "of the programs, without directory and options, in alphabetical order, and in how many minutes both "
            "start. Sort the lines alphabetically by the names."
        )

    def carry_out(self, tree: Tree) -> None:
        starts: dict[tuple[int, int], set[str]] = {}
        for fields, name in _tables(tree, self.scope):
            for day in range(self.days):
                for minute in runs(fields, self.first + timedelta(day)):
                    starts.setdefault((day, minute), set()).add(name)
        counts: dict[tuple[str, str], int] = {}
        for names in starts.values():
            for one in names:
                for other in names:
                    if one < other:
                        counts[one, other] = counts.get((one, other), 0) + 1
        if not counts:
            raise FileExistsError(self.target)
        written(tree, self.target, "".join(f"{one} {two} {n}\n" for (one, two), n in sorted(counts.items())))

    def python(self) -> str:
        return f"""{_EVALUATE.format(scope=self.scope)}
at = dict()
for k in range({self.days}):
    day = datetime.date.fromisoformat('{self.first}') + datetime.timedelta(k)
    for f, n in jobs:
        for m in minutes(f, day):
            at.setdefault((k, m), set()).add(n)
pairs = Counter((a, b) for names in at.values() for a in names for b in names if a < b)
Path({self.target!r}).write_text(''.join('%s %s %d\\n' % (*p, n) for p, n in sorted(pairs.items())))
"""


@dataclass(frozen=True)
class Schedule(Goal):
    """Make a crontab run what a list in words says."""

    jobs: tuple[Job, ...]

    place = "operations"
    tiers = (2, 4)
    work = (3, 3)
    reasons = (
        "Half of the team has edited this crontab by hand and it drifted.",
        "The schedule was agreed with the warehouse, but the machine does something else.",
        "This host was rebuilt from an old image.",
        "I would like the crontab to say what the wiki says again.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        jobs = _draw_jobs(draw, 3 + 2 * world.tier, world.tier > 2)
        lines = []
        for number, job in enumerate(jobs):
            fate = draw.random() if number > 1 else 0.9
            if fate < 0.5:
                lines.append(line_of(job))
            elif fate < 0.75 or number == 0:
                lines.append(line_of(job._replace(fields=cls._wrong(draw, job))))
            elif draw.random() < 0.4:
                lines.append(f"# {line_of(job)}")
        known = {job.command.split()[0] for job in jobs}
        extra = [job for job in _draw_jobs(draw, len(_JOBS), hard=True) if job.command.split()[0] not in known]
        lines += [line_of(job) for job in extra[: draw.randint(1, 2)]]
        draw.shuffle(lines)
        put(world.tree, f"{scope}/crontab", "SHELL=/bin/bash\n\n" + "".join(lines))
        listed = "".join(f"- `{job.command}` runs {job.words}.\n" for job in draw.sample(jobs, len(jobs)))
        put(world.tree, f"{scope}/JOBS.md", f"# Jobs\n\nTimes are in UTC.\n\n{listed}")
        return cls(scope, tuple(jobs))

    @staticmethod
    def _wrong(draw: random.Random, job: Job) -> tuple[str, str, str, str, str]:
        minute, hour, dom, month, dow = job.fields
        if hour.isdecimal() and draw.random() < 0.5 and minute != hour and int(minute) < 24:
            return hour, minute, dom, month, dow
        if dom.isdecimal() and dow == "*" and int(dom) < 7:
            return minute, hour, "*", month, dom
        if minute.isdecimal():
            return str((int(minute) + 5) % 60), hour, dom, month, dow
        return "*", hour, dom, month, dow

    def wording(self) -> str:
        return self.worded(
            f"Make `{self.scope}/crontab` run exactly the jobs that `{self.scope}/JOBS.md` lists, with the same "
            "commands at those times: correct what is wrong, add what is missing, remove what is not listed. `SHELL` "
            "stays. How you write a line, their order, and comments are up to you.",
            f"`{self.scope}/crontab` and the list `{self.scope}/JOBS.md` disagree, and the list is right. Correct the "
            "crontab so that it runs the listed jobs with these commands at these times, and nothing else. Keep "
            "`SHELL`; comments, order and notation are up to you.",
        )

    def carry_out(self, tree: Tree) -> None:
        text = "SHELL=/bin/bash\n\n" + "".join(map(line_of, self.jobs))
        tree[f"{self.scope}/crontab"] = Node("file", text.encode(), None, "crontab")

    def python(self) -> str:
        lines = "".join(map(line_of, self.jobs))
        return f"Path({self.scope!r}, 'crontab').write_text('SHELL=/bin/bash\\n# as agreed\\n' + {lines!r})"
