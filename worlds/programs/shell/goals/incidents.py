"""Goals about large logs: which request was to blame, and when most was going on."""

import random
import shlex
from dataclasses import dataclass
from typing import Self

from turnwise.worlds.programs.shell.bulk import lines_of, spec_of
from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.tree import Node, Tree, World, make_folder

__all__ = ["Culprit", "Peak"]


def _start(draw: random.Random) -> int:
    return 1704067200 + 86400 * draw.randint(0, 700) + 3600 * draw.randint(5, 17) + draw.randint(0, 3599)


def _put_log(world: World, path: str, spec: bytes) -> None:
    make_folder(world.tree, path.rpartition("/")[0])
    world.tree[path] = Node("file", spec, 0o644, "made")


@dataclass(frozen=True)
class Culprit(Goal):
    """Find the request that was running during all of an outage."""

    log: str
    target: str
    found: str  # the request and its user

    place = "operations"
    tiers = (3, 4)
    work = (3, 3)
    reasons = (
        "I am writing the post-mortem for this morning's outage and one line is still missing.",
        "We had a burst of 503s and nobody knows yet which request started it.",
        "The connection pool ran dry for a while, and the vendor asks which request held it.",
        "The incident report still lacks a name.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        log = f"{scope}/{draw.choice(('access', 'gateway', 'requests', 'edge'))}.log"
        target = f"{scope}/{draw.choice(('culprit', 'finding', 'cause'))}.txt"
        length = max(world.log_lines, 1200) * 400
        first = draw.randint(length * 4 // 10, length * 5 // 10)
        last = first + draw.randint(20_000, 40_000)
        ends = [(last + draw.randint(2000, 9000), last - first + draw.randint(12_000, 25_000))]  # it ran all the time
        ends.append((last + draw.randint(500, 9000), last - first - draw.randint(1000, 6000)))  # it began too late
        ends.append((last - draw.randint(1000, 9000), last - first + draw.randint(9000, 19_000)))  # it ended too early
        ends += [(length * place // 10, 70_000 + draw.randint(0, 30_000)) for place in (3, 9)]  # longer, elsewhere
        failed = [first, last, *(draw.randint(first, last) for _ in range(draw.randint(9, 25)))]
        rows: list[list[object]] = []
        for number, moment in enumerate(failed):
            rows.append([moment, cls._request(draw, number, 503, draw.randint(1500, 5000))])
        order = draw.sample(range(len(ends)), len(ends))
        for number, (moment, took) in zip(order, ends, strict=True):
            rows.append([moment, cls._request(draw, 100 + number, 200, took)])
        found = " ".join(word.partition("=")[2] for word in str(rows[len(failed)][1]).split()[1:3])
        for number in range(200, 206):
            rows.append([draw.randint(0, length), cls._request(draw, number, draw.choice((500, 502)), 900)])
        _put_log(world, log, spec_of("web", draw.randrange(2**32), world.log_lines, _start(draw), rows))
        world.put(f"{scope}/{world.name('md')}", world.text())
        return cls(scope, log, target, found)

    @staticmethod
    def _request(draw: random.Random, number: int, status: int, took: int) -> str:
        place = draw.choice(("/v1/reports", "/v1/export", "/v1/orders", "/v1/search"))
        identity = (4_000_000_000 + number) * 2654435761 % 2**32
        user = f"u{draw.randint(100, 999)}"
        return f"api-{draw.randint(1, 2)} req={identity:08x} user={user} POST {place} {status} {took}ms"

    def wording(self) -> str:
        return self.worded(
            f"`{self.log}` has a line for each request, written when the request ends; the last two fields are the "
            "status and how long the request took. Exactly one request was already running when the first 503 was "
            "logged and still running when the last one was. Put its request id and its user into "
            f"`{self.target}`, on one line with a space in between (`1a2b3c4d u123`).",
            f"There is a line per request in `{self.log}`, written when it ends, with the status and the duration at "
            "its end. One request and no other was in progress during the whole burst of 503s: it began before the "
            f"first of them was logged and ended after the last. Note its request id and its user in `{self.target}`, "
            "on one line like `1a2b3c4d u123`.",
        )

    def carry_out(self, tree: Tree) -> None:
        written(tree, self.target, f"{self.found}\n")

    def python(self) -> str:
        return f"""
def at(text): return datetime.datetime.strptime(text[:-1] + '000', '%Y-%m-%dT%H:%M:%S.%f')
bad, slow = [], []
for line in open({self.log!r}):
    if ' 503 ' in line:
        bad.append(line[:24])
    elif len(line) - line.rfind(' ') > 8:
        slow.append(line.split())
for f in slow:
    if f[0] > max(bad) and at(f[0]) - datetime.timedelta(milliseconds=int(f[-1][:-2])) < at(min(bad)):
        Path({self.target!r}).write_text(f[2][4:] + ' ' + f[3][5:] + '\\n')
"""


@dataclass(frozen=True)
class Peak(Goal):
    """Find when most sessions were open."""

    log: str
    target: str

    place = "operations"
    tiers = (3, 4)
    work = (2, 2)
    reasons = (
        "We pay by the largest number of sessions at once, and the bill looks too high.",
        "Capacity planning needs a number from last week's session log.",
        "The vendor claims that we went over our licence.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        goal = cls(scope, f"{scope}/{draw.choice(('sessions', 'auth', 'vpn', 'sso'))}.log", f"{scope}/peak.txt")
        lines = max(200, world.log_lines // 4)
        _put_log(world, goal.log, spec_of("sessions", draw.randrange(2**32), lines, _start(draw), []))
        world.put(f"{scope}/{world.name('md')}", world.text())
        return goal

    def wording(self) -> str:
        return self.worded(
            f"`{self.log}` records logins and logouts, in the order in which they happened; a session without a "
            "logout stayed open until the end of the log. What is the largest number of sessions that were open at "
            f"the same time, and when was it first reached? Write both to `{self.target}` as one line: the number, a "
            "space, the time exactly as in the log.",
            f"From `{self.log}`, please work out the peak: how many sessions were open at once at most, and the time "
            "(copied from the log) at which that number was reached first. One line `NUMBER TIME` in "
            f"`{self.target}`. The lines are in the order of events, and a session without a logout was still open at "
            "the end.",
        )

    def carry_out(self, tree: Tree) -> None:
        now, best, when = 0, 0, ""
        for line in lines_of(tree[self.log].contents):
            now += 1 if line[25:30] == "login" else -1
            if now > best:
                best, when = now, line[:24]
        written(tree, self.target, f"{best} {when}\n")

    def script(self, tree: Tree) -> str:
        return (
            'awk \'$2 == "login" { if (++n > m) { m = n; t = $1 } } $2 == "logout" { n-- } END { print m, t }\' '
            f"{shlex.quote(self.log)} > {shlex.quote(self.target)}"
        )

    def python(self) -> str:
        return f"""
open_now, best = set(), (0, '')
for line in open({self.log!r}):
    when, what, session, _ = line.split()
    (open_now.add if what == 'login' else open_now.discard)(session)
    if len(open_now) > best[0]:
        best = (len(open_now), when)
Path({self.target!r}).write_text('%d %s\\n' % best)
"""
