"""What members come to the library's desk for: each kind plants what it is about and says how the member puts it."""

import datetime
from collections.abc import Callable, Mapping, Sequence

from turnwise.core.draw import Draw
from turnwise.worlds.desks import drafting
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import groups_of, insists
from turnwise.worlds.desks.library.data import Filling
from turnwise.worlds.desks.library.words import BEYOND
from turnwise.worlds.desks.said import Said, day, money, number, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import date_words, iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["ALLOWED", "GROUPS", "REFUSED", "beyond"]


Place = drafting.Place[Filling]


def _title(place: Place, loan: str) -> str:
    tables = place.fill.tables
    return str(tables["titles"][tables["loans"][loan]["title_id"]]["title"])


def _due(loan: str) -> Callable[[Desk], Sequence[Said]]:
    def say(desk: Desk) -> Sequence[Said]:
        row = desk.store.get("loans", loan)
        return () if row is None else (day(datetime.date.fromisoformat(row["due"])),)

    return say


def _queue(title: str) -> Callable[[Desk], Sequence[Said]]:
    def say(desk: Desk) -> Sequence[Said]:
        return (number(sum(1 for _ in desk.store.rows("holds", title_id=title, status="waiting"))),)

    return say


def _branches(place: Place, branch: str) -> Fact:
    others = tuple(b for b in place.fill.branches if b != branch)
    return Fact("branch", branch, offered=place.draw.chance(0.6), others=others)


# ---- loans ----------------------------------------------------------------------------------------------------------

_KEEP = {
    "book": ("I'm still reading {t}.", "I need a bit more time with {t}.", "I haven't finished {t} yet."),
    "film": ("I haven't got round to watching {t}.", "We'd like to keep {t} a little longer."),
    "game": ("The kids are still playing {t}.", "I'd like to hang on to {t} for a while."),
}
_RENEW = (
    "Could you renew it for me?", "Can you extend the loan, please?", "I'd like to renew it.",
    "Would you renew that for me, please?",
)  # fmt: skip


def _renewal(place: Place, category: str, **known: object) -> tuple[str, Goal]:
    fill, draw = place.fill, place.draw
    loan = fill.loan(place.person, category, **known)
    title = _title(place, loan)
    opening = f"{draw.choice(_KEEP[category]).format(t=title)} {draw.choice(_RENEW)}"
    wish = Wish("renew_loan", opening, (Fact("title", title, offered=True),), insists(place))
    demand = Option((call("renew_loan", loan_id=loan),), f"renew your loan of {title}", _due(loan))
    return loan, Goal(wish, (call("list_loans", member_id=place.person),), demand, kind="renew")


def renew(place: Place) -> Goal:
    """A renewal that the rules allow."""
    category = place.draw.either(*(c for c in ("book", "film", "game") if place.fill.rules.renewals[c] > 0))
    late = place.draw.integer(-14, place.fill.rules.overdue) if place.draw.chance(0.4) else -place.draw.integer(0, 10)
    done = place.draw.below(place.fill.rules.renewals[category])
    return _renewal(place, category, due=iso(place.fill.today, -late), renewals=done)[1]


def renew_limit(place: Place) -> Goal:
    """A renewal beyond the limit, by one."""
    category = place.draw.either("book", "film", "game")
    due = iso(place.fill.today, place.draw.integer(0, 6))
    return _renewal(place, category, due=due, renewals=place.fill.rules.renewals[category])[1]


def renew_overdue(place: Place) -> Goal:
    """A renewal of a loan that is too late, sometimes by a day."""
    late = place.fill.rules.overdue + place.draw.either(1, 2, 5)
    return _renewal(place, "book", due=iso(place.fill.today, -late), renewals=0)[1]


def renew_waiting(place: Place) -> Goal:
    """A renewal of a title that somebody waits for; the member then wants to get in line again."""
    fill, draw = place.fill, place.draw
    loan, goal = _renewal(place, "book", due=iso(fill.today, draw.integer(0, 6)), renewals=0)
    title_id = fill.tables["loans"][loan]["title_id"]
    other = draw.choice([key for key in fill.tables["members"] if key != place.person])
    fill.hold(other, title_id=title_id)
    for copy in fill.tables["copies"].values():
        if copy["title_id"] == title_id:
            copy["status"] = "on loan"
    branch = draw.choice(fill.branches)
    title = _title(place, loan)
    opening = draw.either(
        "Then put me on the waiting list for it again, please.",
        "In that case, could you place a hold on it for me, so that I get it again afterwards?",
    )
    wish = Wish("place_hold", opening, (Fact("title", title, offered=True), _branches(place, branch)))
    again = call("place_hold", member_id=place.person, title_id=title_id, branch=branch)
    instead = Option((again,), f"place a hold on {title} for pickup at {branch}", _queue(title_id))
    reads = (*goal.reads, call("get_title", title_id=title_id))
    first = Wish(goal.wish.action, goal.wish.opening, goal.wish.facts, goal.wish.insists, wish)
    return Goal(first, reads, goal.demand, instead, "renew_waiting")


def renew_all(place: Place) -> Goal:
    """All loans are to be renewed, of which the rules allow some."""
    fill, draw = place.fill, place.draw
    allowed = [c for c in ("book", "film", "game") if fill.rules.renewals[c] > 0]
    due = iso(fill.today, draw.integer(0, 5))
    for category in (draw.choice(allowed), draw.choice(allowed)):
        fill.loan(place.person, category, due=due, renewals=draw.below(fill.rules.renewals[category]))
    out = draw.either("book", "film", "game")
    fill.loan(place.person, out, due=due, renewals=fill.rules.renewals[out])
    loans = [key for key, row in fill.tables["loans"].items() if row["member_id"] == place.person]

    def say(desk: Desk) -> Sequence[Said]:
        start = fill.tables["loans"]
        rows = {key: desk.store.get("loans", key) for key in loans}
        dates = {row["due"] for key, row in rows.items() if row is not None and row["due"] != start[key]["due"]}
        return tuple(day(datetime.date.fromisoformat(date)) for date in sorted(dates))

    opening = draw.either(
        "I'm going away for a while. Could you renew everything I have on loan?",
        "Can you renew all my loans, please?",
        "I won't make it to the library this week. Please extend all of my loans.",
    )
    calls = tuple(call("renew_loan", loan_id=loan) for loan in loans)
    demand = Option(calls, "renew those of your loans that can be renewed", say, each=True)
    return Goal(Wish("renew_all", opening, (), insists(place)), (call("list_loans", member_id=place.person),), demand,
                kind="renew_all")  # fmt: skip


def renew_debts(place: Place) -> Goal:
    """A renewal while too much is owed; the member pays, and gets it."""
    fill, draw = place.fill, place.draw
    due = iso(fill.today, draw.integer(0, 6))
    allowed = [c for c in ("book", "film", "game") if fill.rules.renewals[c] > 0]
    loan, goal = _renewal(place, draw.choice(allowed), due=due, renewals=0)
    amount = fill.rules.debt + draw.integer(1, 20) * 0.25
    fine = fill.fine(place.person, amount=amount, status="open", created=iso(fill.today, -draw.integer(5, 80)))
    owed = money(round(amount * 100))
    opening = draw.either(
        "Oh, I forgot about that. Then charge my card for what I owe, and renew it after that, please.",
        "All right, take the payment for the fine from my card first and then renew it.",
    )
    wish = Wish("take_payment", opening)
    calls = (call("take_payment", fine_id=fine), call("renew_loan", loan_id=loan))
    title = _title(place, loan)
    instead = Option(calls, f"charge {owed.text} to your card and renew your loan of {title}", _due(loan))
    reads = (*goal.reads, call("get_member", member_id=place.person), call("list_fines", member_id=place.person))
    first = Wish(goal.wish.action, goal.wish.opening, goal.wish.facts, goal.wish.insists, wish)
    return Goal(first, reads, goal.demand, instead, "renew_debts")


def lost(place: Place) -> Goal:
    """An item is lost."""
    fill, draw = place.fill, place.draw
    loan = fill.loan(place.person, draw.either("book", "film", "game"))
    title = _title(place, loan)
    price = fill.tables["titles"][fill.tables["loans"][loan]["title_id"]]["price"] + fill.rules.lost_fee
    opening = draw.either(
        f"I'm afraid I've lost {title}. I've looked everywhere. What do I have to do?",
        f"I left {title} on a train and it's gone. Could you report it as lost, and tell me what it costs?",
        f"Our dog got hold of {title}, and I threw away what was left. Please put it down as lost. What do I owe you?",
    )
    demand = Option(
        (call("report_lost", loan_id=loan),),
        f"report {title} as lost and charge you {money(round(price * 100)).text}",
        lambda desk: (money(round(price * 100)),),
    )
    wish = Wish("report_lost", opening, (Fact("title", title, offered=True),))
    return Goal(wish, (call("list_loans", member_id=place.person),), demand, kind="lost")


# ---- holds ----------------------------------------------------------------------------------------------------------


def _on_hold(place: Place, title_id: str, branch: str) -> Goal:
    draw = place.draw
    title = place.fill.tables["titles"][title_id]["title"]
    where = _branches(place, branch)
    at = f" I'd pick it up at {branch}." if where.offered else ""
    opening = draw.either(
        f"I'd like to reserve {title}.", f"Could you put a hold on {title} for me?",
        f"I'd love to read {title}. Can you put me on the waiting list?",
    ) + at  # fmt: skip
    wish = Wish("place_hold", opening, (Fact("title", title, offered=True), where), insists(place))
    one = call("place_hold", member_id=place.person, title_id=title_id, branch=branch)
    reads = (call("search_titles", query=title), call("get_title", title_id=title_id))
    demand = Option((one,), f"place a hold on {title} for pickup at {branch}", _queue(title_id))
    return Goal(wish, reads, demand, kind="hold")


def hold(place: Place) -> Goal:
    """A hold that the rules allow."""
    fill = place.fill
    title = fill.title("book", copies=2)
    for copy in fill.tables["copies"].values():
        if copy["title_id"] == title:
            copy["status"] = "on loan"
    return _on_hold(place, title, place.draw.choice(fill.branches))


def hold_reference(place: Place) -> Goal:
    """A hold on a reference work."""
    return _on_hold(place, place.fill.title("reference", copies=1), place.draw.choice(place.fill.branches))


def hold_limit(place: Place) -> Goal:
    """A hold beyond the member's limit."""
    fill = place.fill
    held = sum(row["member_id"] == place.person for row in fill.tables["holds"].values())
    for _ in range(fill.rules.holds[fill.tables["members"][place.person]["kind"]] - held):
        fill.hold(place.person, title_id=fill.title("book"))
    return hold(place)


def hold_in_stock(place: Place) -> Goal:
    """A hold where a copy stands on the shelf; another branch will do instead."""
    fill, draw = place.fill, place.draw
    branch, elsewhere = draw.sample(fill.branches, 2)
    title = fill.title("book", copies=2)
    for copy in fill.tables["copies"].values():
        if copy["title_id"] == title:
            copy.update(branch=branch, status="available")
    goal = _on_hold(place, title, branch)
    name = fill.tables["titles"][title]["title"]
    opening = f"Then send it to {elsewhere} instead, please; I'm there every week anyway."
    wish = Wish("place_hold", opening, (Fact("title", name, offered=True), Fact("branch", elsewhere, offered=True)))
    one = call("place_hold", member_id=place.person, title_id=title, branch=elsewhere)
    first = Wish(goal.wish.action, goal.wish.opening, goal.wish.facts, goal.wish.insists, wish)
    instead = Option((one,), f"place a hold on {name} for pickup at {elsewhere}", _queue(title))
    return Goal(first, goal.reads, goal.demand, instead, "hold_in_stock")


def _held(place: Place) -> tuple[str, str, str]:
    """Plant a hold of the member; return its key, title and branch."""
    key = place.fill.hold(place.person, title_id=place.fill.title("book"))
    row = place.fill.tables["holds"][key]
    return key, place.fill.tables["titles"][row["title_id"]]["title"], row["branch"]


def cancel_hold(place: Place) -> Goal:
    """A hold is no longer wanted."""
    key, title, _ = _held(place)
    opening = place.draw.either(
        f"I've bought {title} in the meantime. Please cancel my hold on it.",
        f"I no longer need {title}; could you take me off the waiting list?",
    )
    wish = Wish("cancel_hold", opening, (Fact("title", title, offered=True),))
    demand = Option((call("cancel_hold", hold_id=key),), f"cancel your hold on {title}")
    return Goal(wish, (call("list_holds", member_id=place.person),), demand, kind="cancel_hold")


def move_hold(place: Place) -> Goal:
    """A hold is to be picked up elsewhere."""
    key, title, old = _held(place)
    branch = place.draw.choice([b for b in place.fill.branches if b != old])
    where = _branches(place, branch)
    to = f" to {branch}" if where.offered else " to another branch"
    opening = place.draw.either(
        f"I have a hold on {title}. Could you move the pickup{to}?",
        f"My hold on {title} is at {old}, but I've moved house. Please change it{to}.",
    )
    wish = Wish("move_hold", opening, (Fact("title", title, offered=True), where))
    demand = Option((call("move_hold", hold_id=key, branch=branch),), f"move your hold on {title} to {branch}",
                    lambda desk: (words(branch),))  # fmt: skip
    return Goal(wish, (call("list_holds", member_id=place.person),), demand, kind="move_hold")


# ---- fines ----------------------------------------------------------------------------------------------------------


def _fined(place: Place, amount: float, reason: str, opening: str) -> Goal:
    fill = place.fill
    key = fill.fine(place.person, amount=amount, reason=reason, status="open",
                    created=iso(fill.today, -place.draw.integer(3, 50)))  # fmt: skip
    paid = money(round(amount * 100))
    fallback = Wish("take_payment", place.draw.either(
        "All right, then just charge it to my card.", "Fine, then take the payment from my card, please."
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
        f"There's an open fee of {paid.text} on my account. Please charge it to my card.",
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
        "I'd like to renew my membership before I forget it.",
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
        text = f"book room {fitting[0]} at {branch} on {date:%B} {date.day} from {start}:00 for {hours} hours"
        return Option((one,), text, lambda desk: (words(fitting[0]),))

    when = date_words(date)
    facts = (
        Fact("branch", branch, offered=draw.chance(0.5), others=tuple(b for b in fill.branches if b != branch)),
        Fact("date", when[0], offered=True, also=when),
        Fact("start", f"{start}:00", also=(f"{start}:00", f"{(start - 1) % 12 + 1} {'am' if start < 12 else 'pm'}")),
        Fact("hours", f"{hours} hours", also=(f"{hours} hours", f"{hours}h")),
        Fact("people", f"{people} of us", also=(str(people),)),
    )
    at = f" at {branch}" if facts[0].offered else ""
    opening = draw.either(
        f"I'd like to book a study room{at} for {when[0]}.",
        f"My study group needs a room{at} on {when[0]}. Could you book one?",
    )
    again = None
    if fallback:
        shorter = Fact("hours", f"{fallback} hours", also=(f"{fallback} hours", f"{fallback}h"), offered=True)
        said = f"OK, then make it {fallback} hours." if fallback > 1 else "OK, then make it one hour."
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
    title = _title(place, loan)
    opening = place.draw.either(f"When do I have to bring back {title}?", f"Could you tell me when {title} is due?")
    wish = Wish("ask", opening, (Fact("title", title, offered=True),), question=True)
    return Goal(wish, (call("list_loans", member_id=place.person),), Option((), "", _due(loan)), kind="ask")


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
