"""What the project tracker holds: its tables, and the projects, milestones, issues and comments of a world."""

import datetime
import itertools
import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from turnwise.worlds.web.site import Cast, Draw

__all__ = ["LANES", "OPEN", "PRIORITIES", "SCHEMA", "SETTINGS", "STATUSES", "fill_tracker"]

SCHEMA = """
CREATE TABLE project (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, about TEXT NOT NULL);
CREATE TABLE member (project INTEGER NOT NULL, account INTEGER NOT NULL, role TEXT NOT NULL,
    PRIMARY KEY (project, account)) WITHOUT ROWID;
CREATE TABLE label (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE milestone (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, title TEXT NOT NULL, due TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open');
CREATE TABLE issue (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, number INTEGER NOT NULL, title TEXT NOT NULL,
    body TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'Backlog', priority TEXT NOT NULL DEFAULT 'Normal',
    assignee INTEGER NOT NULL DEFAULT 0, reporter INTEGER NOT NULL, milestone INTEGER NOT NULL DEFAULT 0,
    due TEXT NOT NULL DEFAULT '', estimate INTEGER NOT NULL DEFAULT 0, created TEXT NOT NULL,
    rank INTEGER NOT NULL DEFAULT 0, UNIQUE (project, number));
CREATE TABLE issue_label (issue INTEGER NOT NULL, label INTEGER NOT NULL, PRIMARY KEY (issue, label)) WITHOUT ROWID;
CREATE TABLE comment (id INTEGER PRIMARY KEY, issue INTEGER NOT NULL, author INTEGER NOT NULL, text TEXT NOT NULL,
    at TEXT NOT NULL);
CREATE TABLE link (kind TEXT NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,
    PRIMARY KEY (kind, source, target)) WITHOUT ROWID;
CREATE TABLE activity (id INTEGER PRIMARY KEY, issue INTEGER NOT NULL, at TEXT NOT NULL, who INTEGER NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE watch (account INTEGER NOT NULL, issue INTEGER NOT NULL, PRIMARY KEY (account, issue)) WITHOUT ROWID;
CREATE TABLE reminder (account INTEGER NOT NULL, issue INTEGER NOT NULL, day TEXT NOT NULL,
    PRIMARY KEY (account, issue)) WITHOUT ROWID;
CREATE TABLE preference (account INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (account, name)) WITHOUT ROWID;
CREATE INDEX comment_issue ON comment (issue);
CREATE INDEX activity_issue ON activity (issue);
"""
LANES = ("Backlog", "To do", "In progress", "Review", "Done")
STATUSES = (*LANES, "Duplicate")
OPEN = "status NOT IN ('Done', 'Duplicate')"
PRIORITIES = ("Low", "Normal", "High", "Urgent")
SETTINGS = ("I am assigned", "somebody comments", "a milestone is closed", "a week is over")
_PROJECTS = (
    ("ORB", "Orbit", "the mobile app"),
    ("HAL", "Halyard", "the delivery service"),
    ("PIX", "Pixel Barn", "the photo site"),
    ("TIL", "Tiller", "the farm planner"),
    ("QUA", "Quay", "the harbour system"),
    ("MOS", "Moss", "the garden diary"),
    ("VEL", "Velo", "the bicycle rental"),
    ("NIB", "Nib", "the note pad"),
)
_LABELS = ("bug", "feature", "docs", "security", "design", "performance", "support")
_AREAS = (
    "Calendar view",
    "Chat window",
    "Dark mode",
    "Export dialog",
    "Filter bar",
    "Help page",
    "Import wizard",
    "Invoice list",
    "Login page",
    "Map view",
    "Offline mode",
    "Password reset",
    "Photo upload",
    "Print layout",
    "Profile page",
    "Push notice",
    "Search box",
    "Settings page",
    "Shopping list",
    "Side menu",
    "Start screen",
    "Sync service",
    "Tag editor",
    "Text editor",
    "Time zone picker",
    "Video player",
)
_FAULTS = (
    "crashes when it is empty",
    "cuts off long names",
    "forgets the last choice",
    "freezes on old phones",
    "freezes on slow networks",
    "has too little contrast",
    "is too slow with many entries",
    "loses data after a restart",
    "needs a clearer error message",
    "needs a test",
    "should remember the window size",
    "should work with the keyboard",
    "shows the wrong date",
    "shows the wrong language",
    "shows yesterday's numbers",
)
_BODY = (
    "Seen on version {a}.{b} and on the one before.",
    "Two customers from {town} have told us about it.",
    "It happens about once in {a} times.",
    "We talked about it on the last call.",
    "Steps: open it, wait {b} seconds, go back.",
    "It used to work before the last release.",
)
_COMMENT = (
    "I can see this too, on version {a}.{b}.",
    "Could somebody from {town} try it again?",
    "I think we should wait for the next release.",
    "Not sure that it is worth the effort.",
    "Any news?",
    "It took me {a} hours to find the cause, it is in the cache.",
    "We promised this to a customer.",
    "Please add a screenshot.",
)


_DAY = datetime.timedelta(1)


class _Team(NamedTuple):
    project: int
    members: list[int]
    labels: list[int]
    milestones: list[int]
    ends: list[datetime.date]


def fill_tracker(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write all of the content; the user may only view the last project."""
    count = 3 if size < 40 else 4 if size < 200 else 6
    firm = [1, *draw.sample(range(2, 31), 22)]
    titles = [f"{area} {fault}" for area in _AREAS for fault in _FAULTS]
    number, share = 0, (size + 40) // count
    for project, (key, name, about) in enumerate(draw.sample(_PROJECTS, count), 1):
        team = _team(db, draw, cast, project, (key, name, about), firm, viewer=project == count)
        rows = _issues(draw, cast, team, draw.sample(titles, share), number)
        _write(db, draw, cast, team, rows)
        number += len(rows)
    settings = [(person, name, "on") for person in firm for name in SETTINGS]
    db.executemany("INSERT INTO preference VALUES (?, ?, ?)", settings)


def _team(
    db: sqlite3.Connection,
    draw: Draw,
    cast: Cast,
    project: int,
    words: tuple[str, str, str],
    firm: list[int],
    viewer: bool,
) -> _Team:
    db.execute("INSERT INTO project VALUES (?, ?, ?, ?)", (project, *words))
    members = [1, *sorted(draw.sample(firm[1:], draw.integer(6, 9)))]
    for place, member in enumerate(members):
        role = "viewer" if viewer and member == 1 else "lead" if place == 1 else "developer"
        db.execute("INSERT INTO member VALUES (?, ?, ?)", (project, member, role))
    labels = [
        db.execute("INSERT INTO label (project, name) VALUES (?, ?)", (project, name)).lastrowid or 0
        for name in sorted(draw.sample(_LABELS, 5))
    ]
    major, minor = draw.integer(1, 6), draw.integer(0, 4)
    milestones, ends, due = [], list[datetime.date](), cast.today - datetime.timedelta(draw.integer(60, 90))
    for place, state in enumerate(("closed", "open", "open", "open")):
        title = f"Release {major}.{minor + place}"
        row = (project, title, due.isoformat(), state)
        milestones.append(
            db.execute("INSERT INTO milestone (project, title, due, state) VALUES (?, ?, ?, ?)", row).lastrowid or 0
        )
        ends.append(due)
        first, second = (
            cast.today - datetime.timedelta(draw.integer(3, 20)),
            due + datetime.timedelta(draw.integer(21, 50)),
        )
        due = first if place == 0 else cast.today + datetime.timedelta(draw.integer(14, 40)) if place == 1 else second
    return _Team(project, members[1:] if viewer else members, labels, milestones, ends)


def _issues(draw: Draw, cast: Cast, team: _Team, titles: list[str], before: int) -> list[list[Any]]:
    """Write the issues: one title occurs several times, and a group shares a milestone and has no assignee."""
    rows: list[list[Any]] = []
    copies, keen = draw.integer(1, 2), draw.choice(team.members)
    places = draw.sample(range(len(titles) // 3, len(titles)), copies)
    same = titles[draw.integer(0, len(titles) // 3 - 1)]
    day = cast.today - datetime.timedelta(300)
    for place, title in enumerate(titles):
        day = min(day + datetime.timedelta(draw.integer(0, 600 // len(titles))), cast.today - datetime.timedelta(2))
        copied = place in places
        again = copied or title == same
        cluster = not again and draw.chance(0.22)
        status = draw.weighted(STATUSES[:5], (3, 4, 3, 2, 0 if cluster or again else 5))
        ahead = [milestone for milestone, end in zip(team.milestones, team.ends, strict=True) if day < end]
        if again and ahead[0] == team.milestones[0]:
            del ahead[0]  # it is closed, and these are open
        late = [milestone for milestone in ahead if milestone == team.milestones[1]]  # twice: it has to have several
        milestone = team.milestones[2] if cluster else draw.choice([0, *ahead, *late])
        closed = milestone == team.milestones[0]
        if closed:
            status = "Done"
        if again:
            status = "Backlog" if copied else "To do"
        assignee = 0 if cluster or draw.chance(0.3) else draw.choice((*team.members, keen, keen))
        first, last = max(day + _DAY, cast.today - 25 * _DAY), cast.today + 60 * _DAY
        if closed:
            first, last = day + _DAY, team.ends[0]
        elif draw.chance(0.25):
            last = cast.today - _DAY
        due = draw.day(first, last).isoformat() if draw.chance(0.7) else ""
        body = " ".join(draw.sample(_BODY, 2)).format(
            a=draw.integer(2, 9), b=draw.integer(2, 9), town=draw.choice(cast.towns)
        )
        priority = draw.weighted(PRIORITIES, (2, 5, 3, 1))
        rows.append(
            [
                before + place + 1,
                team.project,
                place + 1,
                same if copied else title,
                body,
                status,
                priority,
                assignee,
                draw.choice(team.members),
                milestone,
                due,
                draw.choice((0, 1, 2, 3, 5, 8)),
                day.isoformat(),
                place + 1,
            ]
        )
    return rows


def _write(db: sqlite3.Connection, draw: Draw, cast: Cast, team: _Team, rows: list[list[Any]]) -> None:
    db.executemany(f"INSERT INTO issue VALUES ({', '.join('?' * 14)})", rows)
    key = team.labels[draw.integer(0, 4)]
    labels = []
    for row in rows:
        chosen = draw.sample(team.labels, draw.weighted((0, 1, 2), (2, 5, 3)))
        if row[7] == 0 and row[9] == team.milestones[2] and key not in chosen and draw.chance(0.6):
            chosen.append(key)
        labels += [(row[0], label) for label in chosen]
    db.executemany("INSERT INTO issue_label VALUES (?, ?)", labels)
    db.executemany(
        "INSERT INTO comment (issue, author, text, at) VALUES (?, ?, ?, ?)", _comments(draw, cast, team, rows)
    )
    db.executemany("INSERT INTO activity (issue, at, who, text) VALUES (?, ?, ?, ?)", _activity(draw, team, rows))
    open_rows = [row for row in rows if row[5] not in ("Done", "Duplicate")]
    chain = draw.shuffled(open_rows)
    start = 0
    while start + 4 <= len(chain) * 2 // 3:
        length = draw.integer(2, 4)
        for blocked, blocker in zip(chain[start : start + length - 1], chain[start + 1 : start + length], strict=True):
            db.execute("INSERT INTO link (kind, source, target) VALUES ('blocks', ?, ?)", (blocker[0], blocked[0]))
        start += length


def _comments(draw: Draw, cast: Cast, team: _Team, rows: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        for number in range(draw.weighted((0, 1, 2, 3, 7), (4, 4, 3, 2, 1))):
            text = draw.choice(_COMMENT).format(
                a=draw.integer(2, 9), b=draw.integer(0, 9), town=draw.choice(cast.towns)
            )
            at = f"{row[12]} {9 + number:02d}:{draw.integer(10, 59)}"
            yield row[0], draw.choice(team.members), text, at


def _activity(draw: Draw, team: _Team, rows: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Write the history of the issues; the last change of a priority is to the present one."""
    for row in rows:
        at = f"{row[12]} 09:00"
        yield row[0], at, row[8], "opened the issue"
        steps = [row[6]]
        while len(steps) < 3 and draw.chance(0.35):
            steps.append(draw.choice([p for p in PRIORITIES if p != steps[-1]]))
        steps.reverse()
        for number, (old, new) in enumerate(itertools.pairwise(steps), 1):
            at = f"{row[12]} {10 + number}:{draw.integer(10, 59)}"
            yield row[0], at, draw.choice(team.members), f"changed the priority from {old} to {new}"
