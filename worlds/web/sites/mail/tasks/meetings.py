"""Tasks of the mail site's calendar."""

import datetime
from itertools import pairwise

from turnwise.worlds.web.site import (
    Answer,
    Draft,
    Draw,
    Plan,
    Tasks,
    World,
    back,
    check,
    click,
    delete,
    fill,
    insert,
    update,
)
from turnwise.worlds.web.sites.mail.data import DAY_NAMES, clock, colleagues

__all__ = ["common_starts", "meetings"]

meetings = Tasks()

_TITLES = (
    "Handover",
    "Kick-off",
    "Contract talk",
    "Rehearsal",
    "Retrospective",
    "Tasting",
    "Stock check",
    "Design talk",
)
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_OPEN = (click("Calendar"), click("Close"))
_Event = tuple[int, str, datetime.date, str, str]
FIRST, LAST = 540, 1020  # minutes: meetings start at 09:00 at the earliest and end at 17:00 at the latest


def _words(day: datetime.date) -> str:
    return f"{DAY_NAMES[day.weekday()]} {day}"


def _workdays(world: World, count: int) -> list[datetime.date]:
    """Return the next ``count`` working days."""
    days = (world.now.date() + datetime.timedelta(n) for n in range(1, 15))
    return [day for day in days if day.weekday() < 5][:count]


def _minutes(text: str) -> int:
    return 60 * int(text[:2]) + int(text[3:])


def common_starts(world: World, people: list[int], day: datetime.date, length: int) -> list[int]:
    """Return the starts, in minutes, of slots of that length in which the user and all ``people`` are free."""
    marks = ", ".join("?" * (len(people) + 1))
    rows = world("mail").rows(
        f"SELECT start, until FROM event WHERE day = ? AND owner IN ({marks}) AND status = 'confirmed'",
        str(day),
        1,
        *people,
    )
    busy = [(_minutes(start), _minutes(until)) for start, until in rows]
    starts = range(FIRST, LAST - length + 1, 30)
    return [start for start in starts if not any(a < start + length and start < b for a, b in busy)]


def _events(world: World) -> list[_Event]:
    """Return the user's next events that title and day identify."""
    days = _workdays(world, 10)
    rows = world("mail").rows(
        "SELECT id, title, day, start, until FROM event WHERE owner = 1 AND status = 'confirmed' AND day BETWEEN ? "
        "AND ? ORDER BY day, start, id",
        str(days[0]),
        str(days[-1]),
    )
    return [
        (number, title, datetime.date.fromisoformat(day), start, until) for number, title, day, start, until in rows
    ]


def _free(others: list[_Event], day: datetime.date, start: str, until: str) -> bool:
    """Whether no other event of the user is at that time: a careful agent would ask about a clash."""
    return not any(row[2] == day and row[3] < until and start < row[4] for row in others)


def _week_of(world: World, day: datetime.date) -> Plan:
    """Return the steps that open the calendar at the week of a day."""
    today = world.now.date()
    weeks = ((day - datetime.timedelta(day.weekday())) - (today - datetime.timedelta(today.weekday()))).days // 7
    return (*_OPEN, *[click("Next week")] * weeks)


@meetings.template(2)
def event_time(world: World, draw: Draw) -> Draft | None:
    """Ask for a time in the calendar."""
    day = draw.choice(_workdays(world, 10))
    rows = [row for row in _events(world) if row[2] == day]
    if any(row[4] > after[3] for row, after in pairwise(rows)) or not rows:
        return None
    place = draw.integer(0, len(rows) - 1)
    _, title, _, start, until = rows[place]
    which = draw.choice(("last", _PLACES[place]) if place == len(rows) - 1 > 0 else (_PLACES[place],))
    what, time = draw.choice((("begin", start), ("end", until)))
    text = (
        f"At what time does my {which} event on {_words(day)} {what}? Do not count invitations that I have not "
        "answered yet."
    )
    plan = (*_week_of(world, day), click(title, "link", near=_words(day)))
    return Draft(text, plan, answer=Answer.of("time", time))


@meetings.template(2)
def delete_event(world: World, draw: Draw) -> Draft | None:
    """Ask to delete an event."""
    number, title, day, _, _ = draw.choice(_events(world))
    text = draw.either(
        'Delete the event "{0}" on {1} from my calendar.',
        '"{0}" on {1} will not take place. Take it out of my calendar.',
    )
    plan = (*_week_of(world, day), click(title, "link", near=_words(day)), click("Delete event"))
    return Draft(text.format(title, _words(day)), plan, (delete("mail.event", number),))


@meetings.template(3)
def move_event(world: World, draw: Draw) -> Draft | None:
    """Ask to move an event to another day or time."""
    events = _events(world)
    number, title, day, start, until = draw.choice(events)
    others = [row for row in events if row[0] != number]
    length = _minutes(until) - _minutes(start)
    steps: Plan
    plan = (*_week_of(world, day), click(title, "link", near=_words(day)), click("Edit event"))
    if draw.chance(0.5):
        free = [d for d in _workdays(world, 10) if d != day and _free(others, d, start, until)]
        if not free:
            return None
        other = draw.choice(free)
        text = f'Move the event "{title}" from {_words(day)} to {_words(other)}, at the same time of day.'
        steps, change = (fill("Date", str(other)),), update("mail.event", number, day=str(other))
    else:
        times = [(clock(first), clock(first + length)) for first in range(480, 1050, 30)]
        times = [pair for pair in times if pair[0] != start and _free(others, day, *pair)]
        if not times:
            return None
        begin, end = draw.choice(times)
        text = f'Move the event "{title}" on {_words(day)} to {begin} on the same day. It takes as long as before.'
        values = {name: new for name, new, old in (("start", begin, start), ("until", end, until)) if new != old}
        labels = {"start": "Start", "until": "End"}
        steps = tuple(fill(labels[name], new) for name, new in values.items())
        change = update("mail.event", number, **values)
    return Draft(text, (*plan, *steps, click("Save event")), (change,))


@meetings.template(4)
def choose_invitation(world: World, draw: Draw) -> Draft | None:
    """Ask to accept the one invitation that does not clash, and to decline the others."""
    rows = world("mail").rows(
        "SELECT event.id, mail.subject, mail.name, fact FROM event JOIN mail ON mail.id = event.mail WHERE kind "
        "= 'option' ORDER BY subject"
    )
    topic = draw.choice(sorted({row[3].split("|")[0] for row in rows}))
    options = [row for row in rows if row[3].startswith(f"{topic}|")]
    host = options[0][2]
    text = draw.either(
        "{0} has invited me to the {1} at three different times. Accept the invitation that does not clash "
        "with any event in my calendar and decline the other two.",
        "I want to go to the {1} of {0}. Accept the only one of the three invitations that fits into my "
        "calendar; decline those that overlap an event I have.",
    ).format(host, topic.lower())
    text += " Other invitations that I have not answered do not count."
    plan: list[Plan] = [(fill("Search mail", topic, role="searchbox"), click("Search mail", "button"))]
    changes = []
    for place, (number, subject, _, fact) in enumerate(options):
        free = fact.endswith("|free")
        plan.append(
            (
                click(subject, "link"),
                click("Show that day in the calendar"),
                back(),
                click("Accept" if free else "Decline"),
            )
        )
        if place < 2:
            plan.append((back(),))
        changes.append(update("mail.event", number, status="confirmed" if free else "declined"))
    return Draft(text, tuple(step for part in plan for step in part), tuple(changes))


@meetings.template(5)
def book_slot(world: World, draw: Draw) -> Draft | None:
    """Ask to book the first time when several people are free."""
    return _booking(world, draw, True)


@meetings.template(5, infeasible=True)
def book_full_day(world: World, draw: Draw) -> Draft | None:
    """Ask to book a day on which no time suits all: not possible."""
    return _booking(world, draw, False)


def _booking(world: World, draw: Draw, possible: bool) -> Draft | None:
    """Draw three people and one day or two on which there is a common time, or none."""
    days, found = _workdays(world, 9), None
    count, length = draw.choice(((1, 60), (1, 90), (2, 90)))
    for _ in range(20):
        people, first = draw.sample(colleagues(world.size), 3), draw.integer(0, len(days) - count)
        asked = days[first : first + count]
        found = next(((day, s) for day in asked for s in common_starts(world, people, day, length)[:1]), None)
        if (found is not None) == possible and found != (asked[0], FIRST):
            break
    else:
        return None
    persons = [world.cast.people[number - 1] for number in people]
    names, title = [person.name for person in persons], draw.choice(_TITLES)
    text = (
        f"Book a meeting of {length} minutes on {' or '.join(map(_words, asked))} with {names[0]}, {names[1]} and "
        f'{names[2]}, title "{title}". Take the earliest time when, according to "Find a time", all of them and '
        "I are free; it starts at a full or half hour, at 09:00 or later, and ends at 17:00 or earlier. Those "
        "three are the guests; leave place and notes empty."
    )
    look: Plan = (*_OPEN, click("Find a time"), fill("Date", str(asked[0])), *map(check, names), click("Show times"))
    if found is None:
        look += (click("Next day"),) * (asked[-1] - asked[0]).days
        return Draft(text, look, infeasible="There is no time on these days when all of them are free.")
    day, begin, end = found[0], clock(found[1]), clock(found[1] + length)
    look += (click("Next day"),) * (day - asked[0]).days
    book: Plan = (click("New event with these people"), fill("Title", title), fill("Start", begin), fill("End", end))
    guests = ", ".join(sorted(person.email for person in persons))
    change = insert("mail.event", owner=1, title=title, day=str(day), start=begin, until=end, guests=guests)
    return Draft(text, (*look, *book, click("Save event")), (change,))
