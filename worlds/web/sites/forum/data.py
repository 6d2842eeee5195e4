"""The forum's tables, and the boards, threads, comments, votes, reports and messages it starts with."""

import datetime
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnwise.worlds.web.site import Cast, Draw, Person
from turnwise.worlds.web.sites.forum import words

__all__ = ["SCHEMA", "fill_forum", "stamp"]

SCHEMA = """
CREATE TABLE board (id INTEGER PRIMARY KEY, title TEXT NOT NULL, about TEXT NOT NULL, moderator INTEGER NOT NULL,
  prefix TEXT NOT NULL);
CREATE TABLE rule (board INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, key TEXT NOT NULL,
  PRIMARY KEY (board, number));
CREATE TABLE thread (id INTEGER PRIMARY KEY, board INTEGER NOT NULL, author INTEGER NOT NULL, title TEXT NOT NULL,
  body TEXT NOT NULL, at TEXT NOT NULL, points INTEGER NOT NULL DEFAULT 0, locked INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0, edited TEXT NOT NULL DEFAULT '',
  breaks TEXT NOT NULL DEFAULT '');
CREATE INDEX thread_board ON thread (board);
CREATE TABLE comment (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, parent INTEGER NOT NULL DEFAULT 0,
  author INTEGER NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL, points INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0, edited TEXT NOT NULL DEFAULT '', breaks TEXT NOT NULL DEFAULT '');
CREATE INDEX comment_thread ON comment (thread);
CREATE TABLE vote (account INTEGER NOT NULL, kind TEXT NOT NULL, item INTEGER NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (kind, item, account)) WITHOUT ROWID;
CREATE TABLE subscription (account INTEGER NOT NULL, board INTEGER NOT NULL, PRIMARY KEY (account, board));
CREATE TABLE report (id INTEGER PRIMARY KEY, board INTEGER NOT NULL, thread INTEGER NOT NULL,
  comment INTEGER NOT NULL DEFAULT 0, reporter INTEGER NOT NULL, rule INTEGER NOT NULL, at TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open');
CREATE TABLE warning (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, moderator INTEGER NOT NULL,
  board INTEGER NOT NULL, rule INTEGER NOT NULL, text TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY, sender INTEGER NOT NULL, recipient INTEGER NOT NULL,
  subject TEXT NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE profile (account INTEGER PRIMARY KEY, about TEXT NOT NULL, digest INTEGER NOT NULL);
"""

REPORTS = 8  # that wait in the moderated board
REGULAR, LOCKED = (5, 11, 17), (6, 7, 12, 13)  # threads that every world has, as the tasks need them
MISPLACED, OFFENDED = (8, 14, 19), (3, 9, 15)  # in the moderated board about something else; with a broken rule


def stamp(at: datetime.datetime) -> str:
    """Format a time as the forum writes it."""
    return f"{at:%Y-%m-%d %H:%M}"


@dataclass
class _Filler:
    db: sqlite3.Connection
    draw: Draw
    cast: Cast
    size: int
    boards: int = 6
    own: int = 1  # the board whose moderator the user is
    rules: dict[int, list[str]] = field(default_factory=dict)  # keys of each board's rules, in their order
    prefixes: dict[int, str] = field(default_factory=dict)
    threads: list[tuple[Any, ...]] = field(default_factory=list)
    comments: list[tuple[Any, ...]] = field(default_factory=list)
    crowd: list[Person] = field(default_factory=list)

    def author(self) -> int:
        """Draw an author; few write much."""
        share = self.draw.unit() ** 1.6
        return self.crowd[int(share * len(self.crowd))].id


def fill_forum(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write ``size`` threads in six or eight boards, with four to five comments each on average."""
    f = _Filler(db, draw, cast, size)
    f.boards = 6 if size < 200 else len(words.BOARDS)
    f.own = draw.integer(1, f.boards)
    f.crowd = draw.shuffled(cast.people[1 : 20 if size < 40 else 45])
    _boards(f)
    _threads(f)
    _reports(f)
    _write(f)
    _personal(f)


def _boards(f: _Filler) -> None:
    draw = f.draw
    prefixes = draw.sample(words.PREFIXES, len(words.PREFIXES))
    for number, board in enumerate(words.BOARDS[: f.boards], 1):
        f.prefixes[number] = prefixes[number % len(prefixes)]
        moderator = 1 if number == f.own else draw.choice(f.cast.people[1:20]).id
        f.db.execute(
            "INSERT INTO board VALUES (?, ?, ?, ?, ?)",
            (number, board.title, board.about, moderator, f.prefixes[number]),
        )
        keys = draw.sample(tuple(words.RULES), 4)
        texts = [words.RULES[key] for key in keys]
        place = draw.integer(0, len(texts))
        texts.insert(place, f'The title of a question begins with "{f.prefixes[number]}".')
        keys.insert(place, "title")
        f.rules[number] = keys
        rows = [(number, n, text, key) for n, (text, key) in enumerate(zip(texts, keys, strict=True), 1)]
        f.db.executemany("INSERT INTO rule VALUES (?, ?, ?, ?)", rows)


def _threads(f: _Filler) -> None:
    draw = f.draw
    titles: set[str] = set()
    start = f.cast.now - datetime.timedelta(400)
    times = sorted(start + datetime.timedelta(minutes=draw.integer(0, 398 * 1440)) for _ in range(f.size))
    regular, home = f.crowd[0].id, draw.integer(1, f.boards)  # somebody who has several threads in one board
    mine = set(draw.sample([n for n in range(1, f.size + 1) if n not in REGULAR], 4 + f.size // 30))
    remarks = []
    for number, at in enumerate(times, 1):
        board = home if number in REGULAR else f.own if draw.chance(0.1) else draw.integer(1, f.boards)
        about = board
        if number in MISPLACED:
            board, about = f.own, draw.choice([other for other in range(1, f.boards + 1) if other != f.own])
        asks = draw.chance(0.5)
        title, thing = _title(f, board, about, asks, titles)
        body = draw.choice(words.QUESTION_BODIES if asks else words.STORY_BODIES).format(thing=thing)
        author = 1 if number in mine else regular if number in REGULAR else f.author()
        locked = int(author != 1 and (draw.chance(0.1) or (board != f.own and number in LOCKED)))
        f.threads.append(
            (number, board, author, title, body, stamp(at), draw.integer(-3, 80), locked, int(draw.chance(0.04)), "")
        )
        remarks += list(_remarks(f, number, board, about, thing, author, at))
    remarks.sort(key=lambda remark: remark[0])
    numbers = {remark[1]: number for number, remark in enumerate(remarks, 1)}
    for number, (at, _, parent, thread, author, body, points, key) in enumerate(remarks, 1):
        f.comments.append(
            (number, thread, numbers[parent] if parent is not None else 0, author, body, stamp(at), points, key)
        )


def _title(f: _Filler, board: int, about: int, asks: bool, titles: set[str]) -> tuple[str, str]:
    """Draw an unused title, and the thing that it mentions."""
    draw, again = f.draw, 1
    while True:
        thing = draw.choice(words.BOARDS[about - 1].things)
        title = draw.choice(words.QUESTIONS if asks else words.STORIES).format(thing=thing)
        if asks and draw.chance(0.9):
            title = f"{f.prefixes[board]} {title}"
        again += 1
        if again > 20:  # a large forum asks the same again
            title = f"{title} ({again - 19})"
        if title not in titles:
            titles.add(title)
            return title, thing


_Remark = tuple[datetime.datetime, object, object | None, int, int, str, int, str]


def _remarks(
    f: _Filler, thread: int, board: int, about: int, thing: str, asker: int, at: datetime.datetime
) -> Iterator[_Remark]:
    """Draw a thread's comments: time, token, parent's token, thread, author, text, points, broken rule."""
    draw, said = f.draw, set()
    parents: list[object] = []
    left = (f.cast.now - at) / 40
    advice = words.ADVICE + 2 * words.BOARDS[about - 1].tips
    low, high = (14, 30) if draw.chance(0.1) else (6, 9) if thread in OFFENDED else (0, 7)
    count = draw.integer(low, high)
    offence = draw.integer(1, count - 1) if thread in OFFENDED or (count > 4 and draw.chance(0.15)) else -1
    for place in range(count):
        at += min(datetime.timedelta(minutes=draw.integer(4, 900)), left)
        key = ""
        if place == offence or draw.chance(0.04):
            key = draw.choice([rule for rule in f.rules[board] if rule in words.BREAKERS])
        text = _breaking(f, key, about, thing) if key else _remark(f, advice, thing)
        if text in said:
            continue
        said.add(text)
        author = (
            1 if not key and draw.chance(0.04 if f.size >= 40 else 0.07) else asker if draw.chance(0.1) else f.author()
        )
        parent = draw.choice(parents) if parents and draw.chance(0.3) else None
        own = object()
        if parent is None:
            parents.append(own)
        yield at, own, parent, thread, author, text, draw.integer(-4, 40), key


def _remark(f: _Filler, advice: Sequence[str], thing: str) -> str:
    draw = f.draw
    parts = draw.choice(words.OPENINGS), draw.choice(advice)
    return " ".join(parts[draw.chance(0.15) :]).format(thing=thing)


def _breaking(f: _Filler, key: str, board: int, thing: str) -> str:
    draw = f.draw
    sentence = draw.choice(words.BREAKERS[key])
    return sentence.format(
        thing=thing,
        ware=draw.choice(words.BOARDS[board - 1].wares),
        THING=thing.upper(),
        price=draw.integer(5, 190),
        name=draw.choice(f.crowd).first,
        word=thing.split()[0],
        phone=f"0{draw.integer(200, 799)} {draw.integer(1000, 9999)}",
    )


def _thing_of(title: str) -> str:
    """Return what a thread is about."""
    return next(thing for board in words.BOARDS for thing in board.things if thing in title)


def _reports(f: _Filler) -> None:
    """Write reports in the moderated board: some are right, some name a rule that is not broken."""
    draw = f.draw
    board = words.BOARDS[f.own - 1]
    titles = {row[3] for row in f.threads}
    keys = [key for key in f.rules[f.own] if key in words.BREAKERS][:3]
    threads = [(row[0], _thing_of(row[3])) for row in f.threads if row[1] == f.own and row[2] != 1]
    base = f.cast.now - datetime.timedelta(minutes=60)
    said = {row[4] for row in f.comments}
    comments: list[tuple[Any, ...]] = []
    reports: list[tuple[Any, ...]] = []
    for place in range(REPORTS):
        key, text = keys[place % 3] if place < 5 else "", ""
        alone = place in (0, REPORTS - 1) or not threads
        asks = draw.chance(0.5)
        thread = len(f.threads) + 1
        title, thing = _title(f, f.own, f.own, asks, titles) if alone else ("", "")
        tries = 0
        while not text or (text in said and not alone):
            tries += 1
            if not alone:
                thread, thing = draw.choice(threads)
                thing = thing if tries < 20 else draw.choice(board.things)
            if key:
                text = _breaking(f, key, f.own, thing)
            elif alone:
                text = draw.choice(words.QUESTION_BODIES if asks else words.STORY_BODIES).format(thing=thing)
            else:
                text = _remark(f, words.ADVICE + board.tips, thing)
        said.add(text)
        at = stamp(base + datetime.timedelta(minutes=place))
        comment = 0
        if alone:
            f.threads.append((thread, f.own, f.author(), title, text, at, draw.integer(-4, 6), 0, 0, key))
        else:
            comment = len(f.comments) + len(comments) + 1
            comments.append((comment, thread, 0, f.author(), text, at, draw.integer(-4, 6), key))
        rule = f.rules[f.own].index(key if key and draw.chance(0.7) else draw.choice(keys)) + 1
        reports.append((f.own, thread, comment, f.author(), rule))
    f.comments += comments
    later = base + datetime.timedelta(minutes=20)
    f.db.executemany(
        "INSERT INTO report (board, thread, comment, reporter, rule, at) VALUES (?, ?, ?, ?, ?, ?)",
        [(*row, stamp(later + datetime.timedelta(minutes=n))) for n, row in enumerate(draw.shuffled(reports))],
    )


def _write(f: _Filler) -> None:
    f.db.executemany(
        "INSERT INTO thread (id, board, author, title, body, at, points, locked, pinned, breaks) VALUES (?, ?, ?, "
        "?, ?, ?, ?, ?, ?, ?)",
        f.threads,
    )
    f.db.executemany(
        "INSERT INTO comment (id, thread, parent, author, body, at, points, breaks) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        f.comments,
    )


def _personal(f: _Filler) -> None:
    """Write the user's votes, subscriptions and messages."""
    draw = f.draw
    others = [row for row in f.threads if row[2] != 1 and row[0] not in REGULAR]
    votes = []
    for row in draw.sample(others, 4 + f.size // 12):
        liked = row[2] == f.crowd[0].id or draw.chance(0.8)  # who has several threads in a board gets no downvote
        votes.append((1, "thread", row[0], 1 if liked else -1))
    f.db.executemany("INSERT INTO vote (account, kind, item, value) VALUES (?, ?, ?, ?)", votes)
    boards = draw.sample(range(1, f.boards + 1), 2)
    f.db.executemany("INSERT INTO subscription VALUES (?, ?)", [(1, board) for board in boards])
    for place, person in enumerate(draw.sample(f.crowd, 5)):
        pair = (person.id, 1) if place < 3 else (1, person.id) if place == 3 else (person.id, 2)
        thing = draw.choice(words.BOARDS[0].things)
        body = _remark(f, words.ADVICE, thing)
        at = stamp(f.cast.now - datetime.timedelta(days=9 - place, minutes=draw.integer(0, 900)))
        f.db.execute(
            "INSERT INTO message (sender, recipient, subject, body, at) VALUES (?, ?, ?, ?, ?)",
            (*pair, f"About the {thing}", body, at),
        )
    f.db.execute("INSERT INTO profile VALUES (1, '', 0)")
