"""What members come to the library's desk for: each kind plants what it is about and says how the member puts it."""

import datetime
from collections.abc import Callable, Mapping, Sequence

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import groups_of, insists
from turnwise.worlds.desks.library.lending import (
    Place,
    cancel_hold,
    due_of,
    hold,
    hold_in_stock,
    hold_limit,
    hold_reference,
    lost,
    move_hold,
    renew,
    renew_all,
    renew_debts,
    renew_limit,
    renew_overdue,
    renew_waiting,
    title_of,
)
from turnwise.worlds.desks.library.words import BEYOND
from turnwise.worlds.desks.said import Said, day, money, number, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import date_words, iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["ALLOWED", "GROUPS", "REFUSED", "beyond"]

# ---- fines ----------------------------------------------------------------------------------------------------------


def _fined(place: Place, amount: float, reason: str, opening: str) -> Goal:
    fill = place.fill
    key = fill.fine(place.person, amount=amount, reason=reason, status="open",
                    created=iso(fill.today, -place.draw.integer(3, 50)))  # fmt: skip
    paid = money(round(amount * 100))
    fallback = Wish("take_payment", place.draw.either(
        "Just charge it to my card.", "Please take the payment from my card."
    ))  # fmt: skip
    facts = (Fact("fine", f"the one of {paid.text}", offered=True, also=(paid.text,)),)
    wish = Wish("waive_fine", opening.format(a=paid.text), facts, insists(place), fallback)
    demand = Option((call("waive_fine", fine_id=key),), f"waive your fine of {paid.text}", lambda desk: (paid,))
    instead = Option((call("take_payment", fine_id=key),), f"charge {paid.text} to your card", lambda desk: (paid,))
    reads = (call("get_member", member_id=place.person), call("list_fines", member_id=place.person))
    return Goal(wish, reads, demand, instead, "waive")


_WAIVE = (
    "I was ill and couldn't bring the book back, so now there's a fine of {a}. Could you waive it?",
    "There's a late fee of {a} on my account. I was away for a funeral; could you cancel it?",
    "I've got a fine of {a}, but your return box was full that day. Can you remove it?",
)


def _quarters(draw: Draw, low: float, high: float) -> float:
    return draw.integer(round(low * 4), round(high * 4)) * 0.25


def _no_waivers(place: Place) -> None:
    for row in place.fill.tables["fines"].values():
        if row["member_id"] == place.person and row["status"] == "waived":
            row["closed"] = iso(place.fill.today, -1000)


def waive(place: Place) -> Goal:
    """A fine that may be waived."""
    _no_waivers(place)
    amount = _quarters(place.draw, 1, place.fill.rules.waiver)
    return _fined(place, amount, "overdue", place.draw.choice(_WAIVE))


def waive_amount(place: Place) -> Goal:
    """A fine that is too large to be waived."""
    _no_waivers(place)
    amount = _quarters(place.draw, place.fill.rules.waiver + 0.25, place.fill.rules.waiver + 8)
    return _fined(place, amount, "overdue", place.draw.choice(_WAIVE))


def waive_reason(place: Place) -> Goal:
    """A fine for damage."""
    _no_waivers(place)
    amount = _quarters(place.draw, 1, place.fill.rules.waiver)
    opening = "You charged me {a} for a torn cover that was torn when I borrowed it. I want that fine waived."
    return _fined(place, amount, "damaged", opening)


def waive_recent(place: Place) -> Goal:
    """A second waiver in too short a time."""
    fill, draw = place.fill, place.draw
    days = draw.integer(20, 28 * fill.rules.waiver_months)
    created = iso(fill.today, -days - 9)
    fill.fine(place.person, status="waived", reason="overdue", created=created, closed=iso(fill.today, -days))
    return _fined(place, _quarters(draw, 1, fill.rules.waiver), "overdue", draw.choice(_WAIVE))


def pay(place: Place) -> Goal:
    """A fine is paid."""
    fill = place.fill
    amount = _quarters(place.draw, 1, 14)
    key = fill.fine(place.person, amount=amount, status="open", created=iso(fill.today, -place.draw.integer(3, 50)))
    paid = money(round(amount * 100))
    opening = place.draw.either(
        f"I'd like to pay the fine of {paid.text} on my account.",
        f"There's an unpaid fee of {paid.text} on my account. Please charge it to my card.",
    )
    facts = (Fact("fine", f"the one of {paid.text}", offered=True, also=(paid.text,)),)
    demand = Option((call("take_payment", fine_id=key),), f"charge {paid.text} to your card", lambda desk: (paid,))
    wish = Wish("take_payment", opening, facts)
    return Goal(wish, (call("list_fines", member_id=place.person),), demand, kind="pay")


# ---- membership and contact -----------------------------------------------------------------------------------------


def _extension(place: Place, days: int) -> Goal:
    fill, draw = place.fill, place.draw
    fill.tables["members"][place.person]["expires"] = iso(fill.today, days)
    opening = draw.either(
        "Could you extend my membership by another year?",
        "I'd like to renew my membership before I forget.",
        "My membership card has a date on it. Can you add another year?",
    )
    demand = Option(
        (call("extend_membership", member_id=place.person),), "extend your membership by a year",
        lambda desk: (day(datetime.date.fromisoformat(desk.store.row("members", place.person)["expires"])),),
    )  # fmt: skip
    wish = Wish("extend_membership", opening, (), insists(place))
    return Goal(wish, (call("get_member", member_id=place.person),), demand, kind="extend")


def extend(place: Place) -> Goal:
    """A membership that is about to end."""
    return _extension(place, place.draw.integer(1, place.fill.rules.extension))


def extend_window(place: Place) -> Goal:
    """A membership that ends too far in the future."""
    return _extension(place, place.fill.rules.extension + place.draw.either(1, 4, 20, 100))


def contact(place: Place) -> Goal:
    """A new email address or telephone number."""
    draw = place.draw
    row = place.fill.tables["members"][place.person]
    if draw.chance(0.5):
        field, value = "phone", f"555-{draw.integer(1000, 9999)}"
        opening = draw.either("I have a new phone number. Could you change it?", "Please update my phone number.")
    else:
        field, value = "email", f"{row['name'].partition(' ')[0].lower()}{draw.integer(100, 999)}@home.example"
        opening = draw.either("I've got a new email address. Could you update it?", "Please change my email address.")
    offered = draw.chance(0.5)
    opening += f" It's {value} now." if offered else ""
    wish = Wish("change_contact", opening, (Fact(f"new_{field}", value, offered=offered),), insists(place))
    one = call("change_contact", member_id=place.person, field=field, value=value)
    text = f"change your {'phone number' if field == 'phone' else 'email address'} to {value}"
    demand = Option((one,), text, lambda desk: (words(value),))
    return Goal(wish, (), demand, kind="contact")


# ---- rooms ----------------------------------------------------------------------------------------------------------


def _hours(count: int) -> str:
    return "1 hour" if count == 1 else f"{count} hours"


def _room(place: Place, hours: int, ahead: int, fallback: int = 0) -> Goal:
    fill, draw = place.fill, place.draw
    date = fill.today + datetime.timedelta(ahead)
    branch, start, people = draw.choice(fill.branches), draw.integer(9, 14), draw.integer(2, 4)
    rooms = sorted((row["seats"], key) for key, row in fill.tables["rooms"].items() if row["branch"] == branch)
    fitting = [key for seats, key in rooms if seats >= people] or [rooms[-1][1]]
    people = min(people, fill.tables["rooms"][fitting[0]]["seats"])
    for booking in [k for k, row in fill.tables["bookings"].items() if row["date"] == date.isoformat()]:
        del fill.tables["bookings"][booking]
    if len(fitting) > 1 and draw.chance(0.5):  # the smallest one is taken
        other = draw.choice([key for key in fill.tables["members"] if key != place.person])
        fill.booking(other, room_id=fitting[0], date=date.isoformat(), start=start, hours=1)
        fitting = fitting[1:]

    def option(hours: int) -> Option:
        one = call("book_room", member_id=place.person, room_id=fitting[0], date=date.isoformat(), start=start,
                   hours=hours, people=people)  # fmt: skip
        text = f"book room {fitting[0]} at {branch} on {date:%B} {date.day} from {start}:00 for {_hours(hours)}"
        return Option((one,), text, lambda desk: (words(fitting[0]),))

    when = date_words(date)
    facts = (
        Fact("branch", branch, offered=draw.chance(0.5), others=tuple(b for b in fill.branches if b != branch)),
        Fact("date", when[0], offered=True, also=when),
        Fact("start", f"{start}:00", also=(f"{start}:00", f"{(start - 1) % 12 + 1} {'am' if start < 12 else 'pm'}")),
        Fact("hours", _hours(hours), also=(_hours(hours), f"{hours}h")),
        Fact("people", f"{people} of us", also=(str(people),)),
    )
    at = f" at {branch}" if facts[0].offered else ""
    opening = draw.either(
        f"I'd like to book a study room{at} for {when[0]}.",
        f"My study group needs a room{at} on {when[0]}. Could you book one?",
    )
    again = None
    if fallback:
        shorter = Fact("hours", _hours(fallback), also=(_hours(fallback), f"{fallback}h"), offered=True)
        said = f"Please make it {_hours(fallback)}."
        again = Wish("book_room", said, (*facts[:3], shorter, facts[4]))
    wish = Wish("book_room", opening, facts, insists(place), again)
    reads = (call("get_member", member_id=place.person),
             call("find_rooms", branch=branch, date=date.isoformat(), start=start, hours=hours))  # fmt: skip
    return Goal(wish, reads, option(hours), option(fallback) if fallback else None, "room")


def _may_book(place: Place) -> None:
    row = place.fill.tables["members"][place.person]
    if row["kind"] not in place.fill.rules.room_kinds:
        row["kind"] = place.fill.rules.room_kinds[0]


def room(place: Place) -> Goal:
    """A room that the rules allow."""
    _may_book(place)
    rules = place.fill.rules
    return _room(place, place.draw.integer(1, rules.room_hours), place.draw.integer(1, rules.room_ahead))


def room_hours(place: Place) -> Goal:
    """A room for too long; the longest time allowed will do."""
    _may_book(place)
    rules = place.fill.rules
    return _room(place, rules.room_hours + 1, place.draw.integer(1, rules.room_ahead), rules.room_hours)


def room_ahead(place: Place) -> Goal:
    """A room too far ahead."""
    _may_book(place)
    rules = place.fill.rules
    return _room(place, 2, rules.room_ahead + place.draw.either(1, 2, 6))


# ---- questions and what only a colleague can do ---------------------------------------------------------------------


def ask_due(place: Place) -> Goal:
    """When something is due."""
    fill = place.fill
    loan = fill.loan(place.person, place.draw.either("book", "film", "game"))
    title = title_of(place, loan)
    opening = place.draw.either(f"When do I have to bring back {title}?", f"Could you tell me when {title} is due?")
    wish = Wish("ask", opening, (Fact("title", title, offered=True),), question=True)
    return Goal(wish, (call("list_loans", member_id=place.person),), Option((), "", due_of(loan)), kind="ask")


def ask_count(place: Place) -> Goal:
    """How much is on loan."""
    fill = place.fill
    fill.loan(place.person)

    def say(desk: Desk) -> Sequence[Said]:
        return (number(sum(1 for _ in desk.store.rows("loans", member_id=place.person))),)

    opening = place.draw.either("How many items do I have on loan right now?", "How many things have I borrowed?")
    return Goal(Wish("ask", opening, question=True), (call("list_loans", member_id=place.person),),
                Option((), "", say), kind="ask")  # fmt: skip


def ask_owed(place: Place) -> Goal:
    """How much is owed."""
    fill = place.fill
    fill.fine(place.person, status="open", created=iso(fill.today, -place.draw.integer(3, 90)))

    def say(desk: Desk) -> Sequence[Said]:
        rows = desk.store.rows("fines", member_id=place.person, status="open")
        return (money(round(sum(row["amount"] for _, row in rows) * 100)),)

    opening = place.draw.either("How much do I owe you in fines at the moment?", "Do I owe the library any money?")
    return Goal(Wish("ask", opening, question=True), (call("get_member", member_id=place.person),),
                Option((), "", say), kind="ask")  # fmt: skip


def beyond(place: Place) -> Goal:
    """Something that no tool does."""
    return Goal(Wish("beyond", place.draw.choice(BEYOND)), (), None, kind="beyond")


Kind = Callable[[Place], Goal]
ALLOWED: tuple[Kind, ...] = (
    renew, lost, hold, cancel_hold, move_hold, waive, pay, extend, contact, room, ask_due, ask_count, ask_owed,
)  # fmt: skip
REFUSED: tuple[Kind, ...] = (
    renew_limit, renew_overdue, renew_waiting, renew_all, renew_debts, hold_reference, hold_limit, hold_in_stock,
    waive_amount, waive_reason, waive_recent, extend_window, room_hours, room_ahead,
)  # fmt: skip
_TOGETHER: Mapping[str, tuple[Kind, ...]] = {
    "renewal": (renew, renew_limit, renew_overdue, renew_waiting, renew_all, renew_debts),
    "hold": (hold, hold_reference, hold_limit, hold_in_stock),
    "held": (cancel_hold, move_hold),
    "fine": (waive, pay, waive_amount, waive_reason, waive_recent),
    "membership": (extend, extend_window),
    "room": (room, room_hours, room_ahead),
    "question": (ask_due, ask_count, ask_owed),
    "contact": (contact,),
    "lost": (lost,),
}
GROUPS = groups_of(_TOGETHER)
"""Groups of kinds of which a conversation has one at most."""
