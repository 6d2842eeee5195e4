"""What members want with loans and holds: each kind plants what it is about and says how the member puts it."""

import datetime
from collections.abc import Callable, Sequence

from turnwise.worlds.desks import drafting
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.library.data import Filling
from turnwise.worlds.desks.said import Said, day, money, number, position, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = [
    "Place",
    "cancel_hold",
    "due_of",
    "hold",
    "hold_in_stock",
    "hold_limit",
    "hold_reference",
    "lost",
    "move_hold",
    "renew",
    "renew_all",
    "renew_debts",
    "renew_limit",
    "renew_overdue",
    "renew_waiting",
    "title_of",
]


Place = drafting.Place[Filling]


def title_of(place: Place, loan: str) -> str:
    """Return the title of what is on loan."""
    tables = place.fill.tables
    return str(tables["titles"][tables["loans"][loan]["title_id"]]["title"])


def due_of(loan: str) -> Callable[[Desk], Sequence[Said]]:
    """Return what says when a loan is due."""

    def say(desk: Desk) -> Sequence[Said]:
        row = desk.store.get("loans", loan)
        return () if row is None else (day(datetime.date.fromisoformat(row["due"])),)

    return say


def _queue(title: str) -> Callable[[Desk], Sequence[Said]]:
    def say(desk: Desk) -> Sequence[Said]:
        return (position(sum(1 for _ in desk.store.rows("holds", title_id=title, status="waiting"))),)

    return say


def _left(member: str) -> Callable[[Desk], Sequence[Said]]:
    def say(desk: Desk) -> Sequence[Said]:
        return (number(sum(1 for _ in desk.store.rows("holds", member_id=member, status="waiting"))),)

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
    title = title_of(place, loan)
    opening = f"{draw.choice(_KEEP[category]).format(t=title)} {draw.choice(_RENEW)}"
    wish = Wish("renew_loan", opening, (Fact("title", title, offered=True),), insists(place))
    demand = Option((call("renew_loan", loan_id=loan),), f"renew your loan of {title}", due_of(loan))
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
    title = title_of(place, loan)
    opening = draw.either(
        "Please put me on the waiting list for it.",
        "Could you place a hold on it for me, so that I get it again afterwards?",
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
        "Oh, I forgot about that. Please charge my card for what I owe, and then renew it.",
        "Take the payment for the fine from my card first, and then renew it, please.",
    )
    wish = Wish("take_payment", opening, also=("renew_loan",))
    calls = (call("take_payment", fine_id=fine), call("renew_loan", loan_id=loan))
    title = title_of(place, loan)
    instead = Option(calls, f"charge {owed.text} to your card and renew your loan of {title}", due_of(loan))
    reads = (*goal.reads, call("get_member", member_id=place.person), call("list_fines", member_id=place.person))
    first = Wish(goal.wish.action, goal.wish.opening, goal.wish.facts, goal.wish.insists, wish)
    return Goal(first, reads, goal.demand, instead, "renew_debts")


def lost(place: Place) -> Goal:
    """An item is lost."""
    fill, draw = place.fill, place.draw
    loan = fill.loan(place.person, draw.either("book", "film", "game"))
    title = title_of(place, loan)
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
    opening = f"Please send it to {elsewhere}; I'm there every week anyway."
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
    demand = Option((call("cancel_hold", hold_id=key),), f"cancel your hold on {title}", _left(place.person))
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
