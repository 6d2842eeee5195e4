"""The mail site's tables, and the mails, contacts and calendars it starts with."""

import datetime
import sqlite3
from dataclasses import dataclass, field
from functools import lru_cache

from turnwise.worlds.web.site import Cast, Company, Draw, Person, money
from turnwise.worlds.web.sites.mail import words

__all__ = ["DAY_NAMES", "MONTHS_BACK", "SCHEMA", "clock", "colleagues", "fill_mail", "months_before"]

SCHEMA = """
CREATE TABLE mail (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, folder TEXT NOT NULL,
  thread INTEGER NOT NULL DEFAULT 0, forward_of INTEGER NOT NULL DEFAULT 0, name TEXT NOT NULL, sender TEXT NOT NULL,
  recipients TEXT NOT NULL DEFAULT '', subject TEXT NOT NULL, body TEXT NOT NULL, sent TEXT NOT NULL,
  was TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT '', fact TEXT NOT NULL DEFAULT '',
  unread INTEGER NOT NULL DEFAULT 0);
CREATE INDEX mail_folder ON mail (owner, folder, sent);
CREATE TABLE label (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE mail_label (mail INTEGER NOT NULL, label INTEGER NOT NULL, PRIMARY KEY (mail, label));
CREATE TABLE contact (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
  phone TEXT NOT NULL DEFAULT '', company TEXT NOT NULL DEFAULT '', role TEXT NOT NULL DEFAULT '',
  town TEXT NOT NULL DEFAULT '');
CREATE TABLE event (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, title TEXT NOT NULL, day TEXT NOT NULL,
  start TEXT NOT NULL, until TEXT NOT NULL, place TEXT NOT NULL DEFAULT '', guests TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'confirmed', mail INTEGER NOT NULL DEFAULT 0);
CREATE INDEX event_day ON event (day, owner);
CREATE TABLE setting (owner INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (owner, name));
CREATE TABLE tip (owner INTEGER PRIMARY KEY);
"""

DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS_BACK = 5  # months that a vendor may have sent an invoice for
Slot = tuple[datetime.date, int, int]


@lru_cache(4096)
def clock(minutes: int) -> str:
    """Format minutes after midnight as HH:MM."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def colleagues(size: int) -> range:
    """Return account ids of the people whose free and busy times the user can see."""
    return range(2, 11 if size < 40 else 15)


def months_before(day: datetime.date, count: int) -> list[datetime.date]:
    """Return the first days of the ``count`` months before that of ``day``, the latest first."""
    found = []
    for _ in range(count):
        day = (day.replace(day=1) - datetime.timedelta(1)).replace(day=1)
        found.append(day)
    return found


@dataclass(eq=False)
class _Mail:
    at: datetime.datetime
    name: str
    address: str
    subject: str
    body: str
    folder: str = "inbox"
    kind: str = ""
    fact: str = ""
    to: str = ""
    labels: tuple[int, ...] = ()
    root: "_Mail | None" = None
    id: int = 0
    was: str = ""


@dataclass
class _Filler:
    db: sqlite3.Connection
    draw: Draw
    cast: Cast
    size: int
    mails: list[_Mail] = field(default_factory=list)
    invited: list[tuple[str, Slot, str, Person, _Mail]] = field(default_factory=list)

    def at(self, first: float, last: float) -> datetime.datetime:
        """Draw a time in office hours, a number of days ago."""
        day = self.cast.today - datetime.timedelta(self.draw.integer(int(last), int(first)))
        return datetime.datetime(day.year, day.month, day.day, self.draw.integer(7, 20), self.draw.integer(0, 59))

    def add(
        self,
        at: datetime.datetime,
        who: Person | tuple[str, str],
        subject: str,
        *lines: str,
        folder: str = "inbox",
        kind: str = "",
        fact: str = "",
        labels: tuple[int, ...] = (),
        root: "_Mail | None" = None,
        was: str = "",
    ) -> _Mail:
        name, address = (who.name, who.email) if isinstance(who, Person) else who
        at = min(at, self.cast.now - datetime.timedelta(minutes=20))
        to = self.cast.user.email
        mail = _Mail(at, name, address, subject, "\n".join(lines), folder, kind, fact, to, labels, root, 0, was)
        self.mails.append(mail)
        return mail


def fill_mail(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write about 80 mails and 1.3 for each unit of size, 21 to 59 contacts, five weeks of events."""
    filler = _Filler(db, draw, cast, size)
    jobs = _contacts(filler)
    signed = _signatures(filler, jobs)
    _invoices(filler)
    _newsletters(filler)
    _gatherings(filler)
    _notes(filler)
    _strangers(filler)
    _letters(filler, signed)
    busy = _calendar(filler)
    _invitations(filler, busy)
    _write(filler)
    db.executemany("INSERT INTO setting (owner, name, value) VALUES (1, ?, ?)", [("away", ""), ("signature", "")])


def _contacts(f: _Filler) -> dict[int, tuple[str, str]]:
    """Write the user's contacts, and return role and company of each by account id."""
    jobs: dict[int, tuple[str, str]] = {}
    rows = []
    count = min(len(f.cast.people), 20 if f.size < 40 else 20 + f.size // 3)
    firms = f.draw.shuffled(f.cast.companies)
    for place, person in enumerate(f.cast.people[1:count]):
        jobs[person.id] = f.draw.choice(words.ROLES), firms[place % len(firms)].name
        role, company = jobs[person.id]
        rows.append((1, person.name, person.email, person.phone, company, role, person.town))
    rows += [(2, p.name, p.email, p.phone, "", "", p.town) for p in f.cast.people[40:43]]
    f.db.executemany(
        "INSERT INTO contact (owner, name, email, phone, company, role, town) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
    )
    f.db.executemany("INSERT INTO label (owner, name) VALUES (1, ?)", [(name,) for name in words.LABELS])
    return jobs


def _signatures(f: _Filler, jobs: dict[int, tuple[str, str]]) -> set[int]:
    """Draw people whose number has changed: an older signature has the old one, the latest the new one.

    The latest letter of some people has no signature.
    """
    people = f.draw.sample([p for p in f.cast.people if p.id in jobs], 3 + f.size // 30)
    for person in people:
        new = f"0{f.draw.integer(200, 799)} {f.draw.integer(1000, 9999)}"
        role, company = jobs[person.id]
        for phone, first, last in ((person.phone, 80, 30), (new, 24, 6)):
            subject, body, _ = _letter(f)
            lines = (f"Hello {f.cast.user.first},", body, "Best wishes", "____", person.name, f"{role}, {company}")
            f.add(f.at(first, last), person, subject, *lines, f"Phone: {phone}", kind="signature", fact=phone)
        if f.draw.chance(0.7):
            _add_letter(f, person, f.at(5, 1))
    return {person.id for person in people}


def _letter(f: _Filler) -> tuple[str, str, int]:
    """Draw subject and body, and return them with the letter they are made from."""
    number = f.draw.integer(0, len(words.LETTERS) - 1)
    letter = words.LETTERS[number]
    slots = {"thing": f.draw.choice(letter.things), "day": f.draw.choice(DAY_NAMES)}
    return letter.subject.format(**slots), letter.body.format(**slots), number


def _add_letter(f: _Filler, person: Person, at: datetime.datetime, folder: str = "inbox", was: str = "") -> None:
    subject, body, number = _letter(f)
    lines = f"Hi {f.cast.user.first},", body, person.first
    f.add(at, person, subject, *lines, folder=folder, kind="letter", fact=str(number), was=was)


def _invoices(f: _Filler) -> None:
    draw, number = f.draw, f.draw.integer(2100, 7900)
    for vendor in draw.sample(f.cast.companies, 3 + f.size // 15):
        billing = (f"{vendor.name} Billing", f"billing@{vendor.domain}")
        months = draw.sample(months_before(f.cast.today, MONTHS_BACK), draw.integer(2, 4))
        for month in sorted(months):
            number += draw.integer(3, 41)
            invoice(f, vendor, billing, month, number)
        if draw.chance(0.5):
            offer = draw.choice(words.ITEMS[vendor.trade])
            total = money(draw.integer(9000, 240000))
            lines = f"Dear {f.cast.user.first},", f"next month we can offer you: {offer}, in all {total} EUR."
            f.add(f.at(20, 2), billing, f"Offer: {offer}", *lines, f"{vendor.name} Sales", kind="offer")


def invoice(f: _Filler, vendor: Company, billing: tuple[str, str], month: datetime.date, number: int) -> None:
    draw = f.draw
    named = f"{words.MONTHS[month.month - 1]} {month.year}"
    goods = [*draw.sample(words.ITEMS[vendor.trade], 2), draw.choice(words.OTHER_ITEMS)]
    prices = [draw.integer(4000, 160000), draw.integer(1500, 60000), draw.integer(300, 2500)]
    after = (month + datetime.timedelta(31)).replace(day=1)
    at = datetime.datetime(after.year, after.month, 1, draw.integer(6, 9), draw.integer(0, 59))
    at = min(at + datetime.timedelta(draw.integer(0, 4)), f.cast.now - datetime.timedelta(hours=draw.integer(1, 6)))
    lines = [f"Dear {f.cast.user.first},", f"thank you for your order. This is our invoice {number} for {named}."]
    lines += [f"{good}: {money(price)} EUR" for good, price in zip(goods, prices, strict=True)]
    lines += [f"Total: {money(sum(prices))} EUR", f"Please pay by {after + datetime.timedelta(24)}.", vendor.name]
    folder = "inbox" if draw.chance(0.75) else "archive"
    labels = (2,) if draw.chance(0.3) else ()
    f.add(
        at,
        billing,
        f"Invoice {number} for {named}",
        *lines,
        folder=folder,
        kind="invoice",
        labels=labels,
        fact=f"{month:%Y-%m}|{sum(prices)}|{number}",
    )
    if draw.chance(0.3):
        text = f"our invoice {number} is still open. Please pay within ten days the amount that it names."
        if draw.chance(0.5):
            text = f"we have received your payment for invoice {number}. Thank you."
        subject = f"{'Payment received' if 'received' in text else 'Reminder'}: invoice {number}"
        later = at + datetime.timedelta(draw.integer(3, 20))
        if later < f.cast.now:
            f.add(later, billing, subject, f"Dear {f.cast.user.first},", text, vendor.name, kind="payment")


def _newsletters(f: _Filler) -> None:
    draw = f.draw
    for publisher in draw.sample(f.cast.companies, 2 + f.size // 25):
        for title in draw.sample(words.NEWSLETTERS, 2):
            issue = draw.integer(12, 160)
            for back in range(draw.integer(3, 5)):
                at = f.at(7 * back + 6, 7 * back)
                heads = draw.sample(words.HEADLINES, 3)
                lines = [
                    f"In this issue of {publisher.name} {title}:",
                    *heads,
                    "You get this mail because you subscribed to it.",
                ]
                folder = "inbox" if back < 2 or draw.chance(0.5) else "archive"
                f.add(
                    at,
                    (f"{publisher.name} {title}", f"news@{publisher.domain}"),
                    f"{title} no. {issue - back}: {heads[0]}",
                    *lines,
                    folder=folder,
                    kind="newsletter",
                )


def _gatherings(f: _Filler) -> None:
    draw = f.draw
    for topic in draw.sample(words.GATHERINGS, 2 + f.size // 25):
        host, *guests = draw.sample(f.cast.people[1:], draw.integer(4, 6))
        at = f.at(40, 7)  # all answers come before now
        day, place = draw.choice(DAY_NAMES), draw.choice(words.MEETING_POINTS)
        root = f.add(
            at,
            host,
            topic,
            "Dear all,",
            f"you are invited to our {topic.lower()} on {day}. We meet at: {place}.",
            "Please say whether you can come.",
            host.name,
            kind="gathering",
        )
        quitter = guests[0]
        answers = [(guest, draw.choice(words.COMES)) for guest in draw.shuffled(guests)]
        for guest in guests[1 : 1 + draw.integer(1, 2)]:  # who writes twice need not be who cancels
            answers.append((guest, draw.choice(words.LATES)))
        answers.insert(draw.integer(len(guests), len(answers)), (quitter, draw.choice(words.CANCELS)))
        for guest, text in answers:
            at += datetime.timedelta(minutes=draw.integer(20, 400))
            if not 7 <= at.hour < 21:  # nobody writes at night
                at = (at + datetime.timedelta(hours=10)).replace(hour=draw.integer(7, 9))
            f.add(at, guest, f"Re: {topic}", text, guest.name, root=root, kind="answer")
        last = f.mails[-1]
        last.kind, last.fact = "answers", f"{topic}|{quitter.name}"


def _notes(f: _Filler) -> None:
    draw = f.draw
    todos = iter(draw.shuffled(tuple(words.TODOS)))
    for topic in draw.sample(words.MEETINGS, min(5, 2 + f.size // 25)):
        people = draw.sample(f.cast.people[1:], 3)
        at = f.at(30, 1)
        lines = [f"Present: {', '.join(p.name for p in people)}.", f"We agreed {draw.choice(words.DECISIONS)}."]
        facts = []
        for person in people:
            todo, due = next(todos), at.date() + datetime.timedelta(draw.integer(3, 40))
            lines.append(f"{person.name} will {todo} by {due}.")
            facts.append(f"{todo}|{person.name}|{due}")
        lines.append(f"We meet again in {draw.choice(words.ROOMS)}.")
        f.add(at, draw.choice(people), f"Notes: {topic}", *lines, kind="notes", fact="\n".join(facts), labels=(5,))


def _strangers(f: _Filler) -> None:
    for name, address, subject, body in f.draw.sample(words.STRANGERS, 3 + f.size // 60):
        for count in range(f.draw.integer(2, 4)):
            mark = ("", " (second notice)", " (last notice)", "!")[count]
            f.add(
                f.at(25 - 6 * count, 19 - 6 * count),
                (name, address),
                subject + mark,
                "Dear customer,",
                body,
                kind="stranger",
            )


def _letters(f: _Filler, signed: set[int]) -> None:
    draw, user = f.draw, f.cast.user
    people = [p for p in f.cast.people[1:] if p.id not in signed]
    known = [p for p in people if p.id < 20]
    for _ in range(8 + f.size * 4 // 5):
        person = draw.choice(known if draw.chance(0.6) else people)
        _add_letter(f, person, f.at(90, 0), draw.weighted(("inbox", "archive"), (3, 2)))
    for _ in range(4):
        _add_letter(f, draw.choice(people), f.at(20, 0), "trash", "inbox")
    for folder, count in (("sent", 4 + f.size // 10), ("drafts", 3)):
        for _ in range(count):
            subject, body, _ = _letter(f)
            mail = f.add(f.at(40, 1), user, subject, body, user.first, folder=folder)
            mail.to = draw.choice(people).email if folder == "sent" else ""


def _calendar(f: _Filler) -> list[Slot]:
    """Write events of the user and the busy times of colleagues, and return the user's."""
    draw, today = f.draw, f.cast.today
    monday = today - datetime.timedelta(today.weekday())
    busy: list[Slot] = []
    rows = []
    for day in (monday + datetime.timedelta(n) for n in range(-7, 28)):
        if day.weekday() > 4:
            continue
        names = draw.sample(tuple(words.EVENTS), 3 if f.size >= 40 and draw.chance(0.6) else 2)
        for name, first in zip(names, draw.sample((510, 600, 690, 810, 900, 990), len(names)), strict=True):
            length = draw.choice((30, 45, 60, 60, 75, 90))
            first += 15 * draw.integer(0, (90 - length) // 15)
            slot = day, first, first + length
            busy.append(slot)
            places = words.EVENTS[name]
            place = draw.choice(places) if places and draw.chance(0.7) else ""
            rows.append((1, name, str(day), clock(slot[1]), clock(slot[2]), place))
    for person in colleagues(f.size):
        for day in (today + datetime.timedelta(n) for n in range(1, 15)):
            if day.weekday() > 4:
                continue
            for first in draw.sample((540, 630, 720, 810, 900), draw.integer(2, 4)):
                last = first + draw.choice((60, 90, 90, 120))
                rows.append((person, "Busy", str(day), clock(first), clock(last), ""))
    f.db.executemany("INSERT INTO event (owner, title, day, start, until, place) VALUES (?, ?, ?, ?, ?, ?)", rows)
    return busy


def _invitations(f: _Filler, busy: list[Slot]) -> None:
    """Write workshops offered at three times, of which one is free, and some single invitations."""
    draw, today = f.draw, f.cast.today
    hosts = draw.sample(f.cast.people[1:], 8)
    for host, topic in zip(hosts, draw.sample(words.WORKSHOPS, 1 + min(4, f.size // 60)), strict=False):
        free = draw.integer(1, 3)
        for option in (1, 2, 3):
            slot = _slot(f, busy, clash=option != free)
            mail = f.add(
                f.at(5, 0),
                host,
                f"Invitation: {topic}, option {option}",
                f"Dear {f.cast.user.first},",
                f"this is one of the dates for the {topic.lower()}. Please tell me whether it suits you.",
                host.name,
                kind="option",
                fact=f"{topic}|{'free' if option == free else 'clash'}",
            )
            f.invited.append((f"{topic}, option {option}", slot, draw.choice(words.ROOMS), host, mail))
    for host in hosts[5:]:
        what = draw.choice(tuple(words.INVITATIONS))
        title = f"{what} with {host.first}"
        slot = _slot(f, busy, clash=draw.chance(0.3))
        mail = f.add(
            f.at(5, 0),
            host,
            f"Invitation: {title}",
            f"Hi {f.cast.user.first}, shall we?",
            host.first,
            kind="invitation",
            fact=str(today),
        )
        f.invited.append((title, slot, draw.choice(words.INVITATIONS[what]), host, mail))


def _slot(f: _Filler, busy: list[Slot], clash: bool) -> Slot:
    """Draw an hour of the next two weeks, with or without a clash with the user's events, clear of invitations."""
    today = f.cast.today
    coming = [slot for slot in busy if today < slot[0] <= today + datetime.timedelta(14)]
    while True:
        if clash:
            day, start, _ = f.draw.choice(coming)
            slot = day, start - 30, start + 30
        else:
            day = f.draw.choice(coming)[0]
            start = 30 * f.draw.integer(16, 34)
            slot = day, start, start + 60
        free = clash or not any(_overlap(slot, other) for other in busy)
        if free and not any(_overlap(slot, other[1]) for other in f.invited):
            return slot


def _overlap(one: Slot, other: Slot) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _write(f: _Filler) -> None:
    f.mails.sort(key=lambda mail: mail.at)
    for number, mail in enumerate(f.mails, 1):
        mail.id = number
    unread = f.cast.now - datetime.timedelta(3)
    f.db.executemany(
        "INSERT INTO mail (id, owner, folder, thread, name, sender, recipients, subject, body, sent, kind, fact, "
        "was, unread) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                mail.id,
                mail.folder,
                mail.root.id if mail.root else 0,
                mail.name,
                mail.address,
                mail.to,
                mail.subject,
                mail.body,
                f"{mail.at:%Y-%m-%d %H:%M}",
                mail.kind,
                mail.fact,
                mail.was,
                int(mail.folder == "inbox" and mail.at > unread),
            )
            for mail in f.mails
        ],
    )
    f.db.executemany(
        "INSERT INTO mail_label VALUES (?, ?)", [(mail.id, label) for mail in f.mails for label in mail.labels]
    )
    other = f.cast.people[1]
    f.db.execute(
        "INSERT INTO mail (owner, folder, name, sender, recipients, subject, body, sent) "
        "VALUES (2, 'inbox', ?, ?, ?, 'Only for you', 'This is private.', ?)",
        (f.cast.people[2].name, f.cast.people[2].email, other.email, f"{f.cast.now:%Y-%m-%d} 06:00"),
    )
    f.db.executemany(
        "INSERT INTO event (owner, title, day, start, until, place, guests, status, mail) "
        "VALUES (1, ?, ?, ?, ?, ?, ?, 'invited', ?)",
        [
            (title, str(day), clock(start), clock(until), place, host.email, mail.id)
            for title, (day, start, until), place, host, mail in f.invited
        ],
    )
