"""The calendar's pages: a week, a day, events, invitations, and when others are free."""

import datetime
import re
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, NotFound, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.mail.data import DAY_NAMES, clock
from turnwise.worlds.web.sites.mail.pages.contacts import addresses, picker

__all__ = ["calendar", "invitation"]

calendar = Pages()

_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_FIELDS = ("title", "day", "start", "until", "place", "guests", "notes")
_ANSWERS = {"confirmed": "Accepted", "invited": "Not answered", "declined": "Declined"}
SHOWN = range(540, 1020, 30)  # minutes: 09:00 to 17:00
MAX_PEOPLE = 6


def _long(day: datetime.date) -> str:
    return f"{DAY_NAMES[day.weekday()]} {day}"


def _day(visit: Visit, name: str = "day") -> datetime.date:
    """Return the day asked for, by default today; days beyond the calendar's ends are refused."""
    found = visit.date(name) or visit.now.date()
    if not 2000 <= found.year <= 2100:
        raise NotFound
    return found


def invitation(visit: Visit, number: int) -> Markup:
    """Return the panel of an invitation, with its buttons."""
    title, day, start, until, place, status = visit.row(
        "SELECT title, day, start, until, place, status FROM event WHERE id = ? AND owner = ?", number, visit.user
    )
    when = f"{_long(datetime.date.fromisoformat(day))}, {start} to {until}"
    facts = [("Event", title), ("When", when), ("Where", place or "-"), ("Your answer", _ANSWERS[status])]
    answer = _answer_form(number, status, "mail")
    return m.section(
        "Invitation", m.definitions(facts), answer, m.link(f"/calendar/day?day={day}", "Show that day in the calendar")
    )


def _answer_form(number: int, status: str, seen: str) -> Markup:
    """Return buttons for answers not yet given; ``seen`` is the page that has them: "mail" or "event"."""
    answers = ("Accept", "confirmed"), ("Decline", "declined")
    buttons = [m.button(text, name="reply", value=value) for text, value in answers if value != status]
    return m.form(f"/event/{number}/reply", m.hidden("seen", seen), buttons, submit=None, class_="inline")


@calendar.page("/calendar", signed_in=True)
def week(visit: Visit) -> Answered:
    """Show the events of a week."""
    day = _day(visit)
    monday = day - datetime.timedelta(day.weekday())
    days = [monday + datetime.timedelta(n) for n in range(7)]
    rows = visit.rows(
        "SELECT day, id, title, start, until, place, status FROM event WHERE owner = ? AND day BETWEEN ? AND ? "
        "AND status <> 'declined' ORDER BY day, start, id",
        visit.user,
        str(days[0]),
        str(days[6]),
    )
    parts = []
    for day in days:
        events = [row[1:] for row in rows if row[0] == str(day)]
        if events or day.weekday() < 5:
            heading = m.heading(f"{_long(day)} (today)" if day == visit.now.date() else _long(day), 2)
            parts.append(m.tag("section", heading, _events(events) if events else m.paragraph("No events.")))
    steps = [(-7, "Previous week"), (7, "Next week")]
    links = [m.link(f"/calendar?day={monday + datetime.timedelta(n)}", text) for n, text in steps]
    tip = ""
    if not visit.query and visit.get("SELECT 1 FROM tip WHERE owner = ?", visit.user) is None:
        visit.run("INSERT INTO tip VALUES (?)", visit.user)
        text = "Before you invite others, look up when they are free with 'Find a time'."
        tip = m.dialog("tip", "New in your calendar", m.paragraph(text))
    return visit.show(f"Week of {monday}", _tools(visit.now.date(), *links), parts, tip)


@calendar.page("/calendar/day", signed_in=True)
def day(visit: Visit) -> Answered:
    """Show the events of a day."""
    day = _day(visit)
    events = visit.rows(
        "SELECT id, title, start, until, place, status FROM event WHERE owner = ? AND day = ? AND status <> "
        "'declined' ORDER BY start, id",
        visit.user,
        str(day),
    )
    links = [
        m.link(f"/calendar/day?day={day + datetime.timedelta(n)}", text)
        for n, text in ((-1, "Previous day"), (1, "Next day"))
    ]
    links.append(m.link(f"/calendar?day={day}", "Whole week"))
    content = _events(events) if events else m.paragraph("No events on this day.")
    return visit.show(_long(day), _tools(day, *links), content)


@calendar.page("/calendar/times", signed_in=True)
def times(visit: Visit) -> Answered:
    """Show when several people are free on a day."""
    day = visit.date("day")
    known = visit.rows(
        "SELECT id, name, email FROM account WHERE id <> ? AND id IN (SELECT owner FROM event) ORDER BY name",
        visit.user,
    )
    asked = {int(text) for text in visit.lists.get("who", ()) if text.isascii() and text.isdigit() and len(text) < 6}
    people = [row for row in known if row[0] in asked][:MAX_PEOPLE]
    boxes = [m.checkbox(name, "who", id in asked, value=str(id)) for id, name, _ in known]
    error = "" if day or not visit.text("day") else "Write the date as YYYY-MM-DD."
    fields = [
        m.date_field("Date", "day", visit.text("day") or str(visit.now.date()), error),
        m.tag("fieldset", m.tag("legend", f"Whose time (at most {MAX_PEOPLE})"), boxes),
    ]
    form = m.form("/calendar/times", fields, submit="Show times", method="get")
    if day is None or not people:
        return visit.show("Find a time", form)
    day = _day(visit)
    query = [("who", str(id)) for id, _, _ in people]
    steps = [
        m.link(f"/calendar/times?{urlencode([('day', str(day + datetime.timedelta(n))), *query])}", text)
        for n, text in ((-1, "Previous day"), (1, "Next day"))
    ]
    guests = ", ".join(sorted(row[2] for row in people))
    book = m.link(f"/event/new?{urlencode({'day': day, 'guests': guests})}", "New event with these people")
    columns = [_busy(visit, id, email, day) for id, email in ((visit.user, ""), *((row[0], row[2]) for row in people))]
    rows = []
    for start in SHOWN:
        cells = ["busy" if any(a < start + 30 and start < b for a, b in busy) else "free" for busy in columns]
        rows.append((f"{clock(start)}-{clock(start + 30)}", *cells))
    table = m.table(("Time", "You", *(row[1] for row in people)), rows)
    title = m.heading(_long(day), 2)
    return visit.show("Find a time", m.paragraph([[step, " "] for step in steps], book), title, table, form)


# ---- events -----------------------------------------------------------------------------------------------------


@calendar.page("/event/{number:int}", signed_in=True)
def event(visit: Visit, number: int) -> Answered:
    """Show one event."""
    row, status, mail = _event(visit, number)
    facts = [
        ("Day", _long(datetime.date.fromisoformat(row["day"]))),
        ("Time", f"{row['start']} to {row['until']}"),
        ("Place", row["place"] or "-"),
    ]
    parts: list[Markup]
    if mail:  # the host invited the user, who is not a guest of its own event
        facts += [("Organiser", row["guests"]), ("Your answer", _ANSWERS[status])]
        parts = [m.definitions(facts), _answer_form(number, status, "event")]
        if visit.get("SELECT 1 FROM mail WHERE id = ?", mail):
            parts.append(m.paragraph(m.link(f"/mail/{mail}", "Show the mail")))
    else:
        parts = [
            m.definitions([*facts, ("Guests", row["guests"] or "-")]),
            m.rich(row["notes"]),
            m.paragraph(m.link(f"/event/{number}/edit", "Edit event")),
            m.post_button(f"/event/{number}/delete", "Delete event"),
        ]
    return visit.show(row["title"], *parts, m.link(f"/calendar?day={row['day']}", "Back to the week"))


def _event(visit: Visit, number: int) -> tuple[dict[str, str], str, int]:
    found = visit.row(
        f"SELECT {', '.join(_FIELDS)}, status, mail FROM event WHERE id = ? AND owner = ?", number, visit.user
    )
    return dict(zip(_FIELDS, found[:-2], strict=True)), found[-2], found[-1]


@calendar.page("/event/new", signed_in=True)
@calendar.page("/event/{number:int}/edit", signed_in=True)
def event_edit(visit: Visit, number: int | None = None) -> Answered:
    """Show the form for a new event, or for changing one."""
    asked = {name: visit.text(name) for name in ("day", "guests", "start")}
    new = {**asked, "day": asked["day"] or str(visit.now.date())}
    return _event_form(visit, number or 0, new if number is None else _own(visit, number), {})


def _own(visit: Visit, number: int) -> dict[str, str]:
    row, _, mail = _event(visit, number)
    if mail:
        raise NotFound
    return row


def _event_form(visit: Visit, number: int, row: dict[str, str], wrong: dict[str, str]) -> Answered:
    fields = [
        m.field("Title", "title", row.get("title", ""), error=wrong.get("title", "")),
        m.date_field("Date", "day", row.get("day", ""), wrong.get("day", "")),
        m.field("Start", "start", row.get("start", ""), error=wrong.get("start", ""), placeholder="HH:MM"),
        m.field("End", "until", row.get("until", ""), error=wrong.get("until", ""), placeholder="HH:MM"),
        m.field("Place", "place", row.get("place", "")),
        m.field("Guests", "guests", row.get("guests", ""), error=wrong.get("guests", ""), placeholder="Mail addresses"),
        picker(visit),
        m.area("Notes", "notes", row.get("notes", "")),
    ]
    path = f"/event/{number}/edit" if number else "/event/new"
    return visit.show("Edit event" if number else "New event", m.form(path, fields, submit="Save event"))


@calendar.action("/event/new")
@calendar.action("/event/{number:int}/edit")
def event_change(visit: Visit, number: int | None = None) -> Answered:
    """Add or change an event."""
    if number is not None:
        _own(visit, number)
    number = number or 0
    row = {name: visit.text(name)[: 2000 if name in ("notes", "guests") else 120] for name in _FIELDS}
    wrong = {}
    if not row["title"]:
        wrong["title"] = "An event needs a title."
    day = visit.date("day")
    if day is None or not 2000 <= day.year <= 2100:
        wrong["day"] = "Write the date as YYYY-MM-DD."
    for name in ("start", "until"):
        found = _CLOCK.fullmatch(row[name])
        if found is None:
            wrong[name] = "Write the time as HH:MM."
        else:
            row[name] = clock(60 * int(found[1]) + int(found[2]))
    if not wrong and row["until"] <= row["start"]:
        wrong["until"] = "The event must end after it starts."
    guests, error = addresses(row["guests"], visit.lists.get("pick", []))
    if error:
        wrong["guests"] = error
    if wrong:
        return _event_form(visit, number, row, wrong)
    row |= {"day": str(day), "guests": guests}
    number = visit.save("event", number, {"owner": visit.user}, **row)
    clash = visit.get(
        "SELECT title FROM event WHERE owner = ? AND id <> ? AND day = ? AND start < ? AND until > ? "
        "AND status = 'confirmed' ORDER BY start, id",
        visit.user,
        number,
        row["day"],
        row["until"],
        row["start"],
    )
    flash = "The event is saved." + (f" Note that it clashes with '{clash}'." if clash else "")
    return visit.redirect(f"/event/{number}", flash=flash)


@calendar.action("/event/{number:int}/delete")
def event_delete(visit: Visit, number: int) -> Answered:
    """Delete an event."""
    row = _own(visit, number)
    visit.run("DELETE FROM event WHERE id = ?", number)
    return visit.redirect(f"/calendar?day={row['day']}", flash=f"'{row['title']}' was deleted.")


@calendar.action("/event/{number:int}/reply")
def event_reply(visit: Visit, number: int) -> Answered:
    """Accept or decline an invitation."""
    _, _, mail = _event(visit, number)
    reply = visit.text("reply")
    if not mail or reply not in ("confirmed", "declined"):
        raise NotFound
    visit.change("event", number, status=reply)
    to = f"/mail/{mail}" if visit.text("seen") == "mail" else f"/event/{number}"
    return visit.redirect(to, flash="You accepted." if reply == "confirmed" else "You declined.")


def _tools(day: datetime.date, *links: Markup) -> Markup:
    more = (
        m.link("/calendar", "Today"),
        m.link(f"/event/new?day={day}", "New event"),
        m.link("/calendar/times", "Find a time"),
    )
    go = m.form("/calendar", m.date_field("Go to date", "day"), submit="Go", method="get", class_="inline")
    return m.join(m.tag("nav", [[link, " "] for link in (*links, *more)], aria_label="Calendar"), go)


def _events(rows: list[tuple[int, str, str, str, str, str]]) -> Markup:
    return m.items(
        [
            f"{start}-{until} ",
            m.link(f"/event/{id}", title),
            f", {place}" if place else "",
            " (invitation, not answered)" if status == "invited" else "",
        ]
        for id, title, start, until, place, status in rows
    )


def _busy(visit: Visit, person: int, email: str, day: datetime.date) -> list[tuple[int, int]]:
    """Return a person's busy times in minutes: their own events, and those the user invited them to."""
    rows = visit.rows(
        "SELECT start, until FROM event WHERE day = ? AND status = 'confirmed' AND (owner = ? OR (owner = ? AND ? <> "
        "'' AND instr(', ' || guests || ', ', ', ' || ? || ', ') > 0)) ORDER BY start, id",
        str(day),
        person,
        visit.user,
        email,
        email,
    )
    return [(_minutes(start), _minutes(until)) for start, until in rows]


def _minutes(text: str) -> int:
    return 60 * int(text[:2]) + int(text[3:])
