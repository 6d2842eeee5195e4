"""A help desk's tickets and the people who work on them."""

import datetime
from typing import Literal

from turnwise.core.draw import Draw
from turnwise.worlds.calls.api import Answer, Api, Do, Place, Request, asked, dump
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.said import Said, number, words
from turnwise.worlds.desks.store import Row, Store, Tables
from turnwise.worlds.names import FIRST, LAST, TOWNS

__all__ = ["TICKETS"]

Priority = Literal["low", "normal", "high", "urgent"]
Team = Literal["network", "hardware", "accounts"]
PRIORITIES, TEAMS = ("low", "normal", "high", "urgent"), ("network", "hardware", "accounts")
TITLES = (
    "Printer in {town} is jammed", "No network in {town}", "New laptop for {town}", "Password reset for {town}",
    "Screen flickers in {town}", "Badge does not work in {town}", "Backup failed in {town}", "Slow mail in {town}",
)  # fmt: skip


def _open(store: Store, ticket_id: str) -> Row:
    row = store.row("tickets", ticket_id)
    if row["status"] != "open":
        raise ValueError(f"{ticket_id} is closed")
    return row


def _agent(store: Store, name: str) -> None:
    if not any(True for _ in store.rows("agents", name=name)):
        raise ValueError(f"there is no agent {name[:60]!r}")


def list_agents(store: Store, team: Team) -> str:
    """List the agents of a team."""
    return dump([row["name"] for _, row in store.rows("agents", team=team)])


def list_tickets(store: Store, status: Literal["open", "closed"], agent: str = "") -> str:
    """List the tickets of a status, oldest first; of one agent if a full name is given."""
    found = store.rows("tickets", status=status, agent=agent) if agent else store.rows("tickets", status=status)
    return dump([{"ticket_id": key, **row} for key, row in found])


def get_ticket(store: Store, ticket_id: str) -> str:
    """Show a ticket with its comments."""
    notes = [row["text"] for _, row in store.rows("comments", ticket_id=ticket_id)]
    return dump({"ticket_id": ticket_id, **store.row("tickets", ticket_id), "comments": notes})


def search_tickets(store: Store, text: str) -> str:
    """Find the tickets whose title contains a text."""
    wanted = text.lower()
    return dump([{"ticket_id": key, **row} for key, row in store.rows("tickets") if wanted in row["title"].lower()])


def open_ticket(store: Store, title: str, priority: Priority) -> str:
    """Open a ticket, which nobody works on yet."""
    if not 3 <= len(title) <= 120:
        raise ValueError("a title has from 3 to 120 characters")
    ticket = store.next_key("tickets", "T")
    store.put("tickets", ticket, {"title": title, "priority": priority, "status": "open", "agent": ""})
    return dump({"ticket_id": ticket, **store.row("tickets", ticket)})


def assign_ticket(store: Store, ticket_id: str, agent: str) -> str:
    """Give an open ticket to an agent."""
    _open(store, ticket_id)
    _agent(store, agent)
    return dump({"ticket_id": ticket_id, **store.change("tickets", ticket_id, agent=agent)})


def set_priority(store: Store, ticket_id: str, priority: Priority) -> str:
    """Change the priority of an open ticket."""
    _open(store, ticket_id)
    return dump({"ticket_id": ticket_id, **store.change("tickets", ticket_id, priority=priority)})


def comment(store: Store, ticket_id: str, text: str) -> str:
    """Add a comment to a ticket."""
    store.row("tickets", ticket_id)
    if not 1 <= len(text) <= 500:
        raise ValueError("a comment has from 1 to 500 characters")
    key = store.next_key("comments", "K")
    store.put("comments", key, {"ticket_id": ticket_id, "text": text})
    return dump({"comment_id": key})


def close_ticket(store: Store, ticket_id: str) -> str:
    """Close an open ticket."""
    _open(store, ticket_id)
    return dump({"ticket_id": ticket_id, **store.change("tickets", ticket_id, status="closed")})


def reopen_ticket(store: Store, ticket_id: str) -> str:
    """Open a closed ticket again."""
    if store.row("tickets", ticket_id)["status"] != "closed":
        raise ValueError(f"{ticket_id} is open")
    return dump({"ticket_id": ticket_id, **store.change("tickets", ticket_id, status="open")})


def fill(draw: Draw, rows: int, today: datetime.date) -> Tables:
    """Draw agents and tickets."""
    people = [f"{first} {last}" for first, last in zip(draw.sample(FIRST, 9), draw.sample(LAST, 9), strict=True)]
    agents = {f"A{1001 + place}": {"name": name, "team": TEAMS[place % 3]} for place, name in enumerate(people)}
    titles = {draw.choice(TITLES).format(town=draw.choice(TOWNS)): None for _ in range(rows)}
    tickets = {
        f"T{1001 + place}": {"title": title, "priority": draw.choice(PRIORITIES),
                             "status": draw.either("open", "open", "closed"),
                             "agent": draw.choice(people) if draw.chance(0.7) else ""}
        for place, title in enumerate(titles)
    }  # fmt: skip
    return {"agents": agents, "tickets": tickets, "comments": {}}


# ---- what people ask for --------------------------------------------------------------------------------------------


def _title(place: Place, status: str = "open") -> str | None:
    titles = [row["title"] for _, row in place.store.rows("tickets", status=status)]
    return place.draw.choice(titles) if titles else None


def _ticket(do: Do, title: str) -> Row:
    found: Row = next(row for row in do("search_tickets", text=title) if row["title"] == title)
    return found


def _id(do: Do, title: str) -> str:
    return str(_ticket(do, title)["ticket_id"])


def create(place: Place) -> Request | None:
    draw = place.draw
    title, priority = draw.choice(TITLES).format(town=draw.choice(TOWNS)), draw.choice(PRIORITIES)
    if any(True for _ in place.store.rows("tickets", title=title)):
        return None

    def program(do: Do) -> None:
        do.memory["ticket"] = do("open_ticket", title=title, priority=priority)["ticket_id"]

    text, blank = asked(draw, f'open a ticket of {priority} priority with the title "{title}"',
                        f'open a ticket with the title "{title}"')  # fmt: skip
    return Request(text, program, f"{blank} I'd like to choose the priority.", f"The priority is {priority}.")


def least_busy(place: Place) -> Request | None:
    draw, title = place.draw, _title(place)
    if title is None:
        return None
    team = draw.choice(TEAMS)
    load = {row["name"]: 0 for _, row in place.store.rows("agents", team=team)}
    for _, row in place.store.rows("tickets", status="open"):
        load[row["agent"]] = load.get(row["agent"], 0) + 1
    counts = sorted(load[row["name"]] for _, row in place.store.rows("agents", team=team))
    if counts[0] == counts[1]:
        return None

    def program(do: Do) -> None:
        ticket = _id(do, title)
        busy = {name: len(do("list_tickets", status="open", agent=name)) for name in do("list_agents", team=team)}
        do("assign_ticket", ticket_id=ticket, agent=min(busy, key=lambda name: busy[name]))
        do.memory["ticket"] = ticket

    what = f'give the ticket "{title}" to whoever in {{}} has the fewest open tickets'
    text, blank = asked(draw, what.format(f"the {team} team"), what.format("one of the teams"))
    return Request(text, program, blank, draw.either(f"The {team} team.", f"In {team}."))


def close_all(place: Place) -> Request | None:
    busy = sorted({row["agent"] for _, row in place.store.rows("tickets", status="open") if row["agent"]})
    if not busy:
        return None
    who = place.draw.choice(busy)

    def program(do: Do) -> None:
        for row in do("list_tickets", status="open", agent=who):
            do("close_ticket", ticket_id=row["ticket_id"])
        do.memory.pop("ticket", None)

    return Request(asked(place.draw, f"close every open ticket that {who} has")[0], program)


def reopen(place: Place) -> Request | None:
    title = _title(place, "closed")
    if title is None:
        return None

    def program(do: Do) -> None:
        ticket = _id(do, title)
        do("reopen_ticket", ticket_id=ticket)
        do.memory["ticket"] = ticket

    return Request(asked(place.draw, f'open the ticket "{title}" again')[0], program)


def raise_all(place: Place) -> Request | None:
    draw = place.draw
    old, new = draw.sample(PRIORITIES, 2)
    if not any(row["priority"] == old and not row["agent"] for _, row in place.store.rows("tickets", status="open")):
        return None

    def program(do: Do) -> None:
        for row in do("list_tickets", status="open"):
            if row["priority"] == old and not row["agent"]:
                do("set_priority", ticket_id=row["ticket_id"], priority=new)
        do.memory.pop("ticket", None)

    text, blank = asked(draw, f"set all open tickets of {old} priority that nobody works on to {new}",
                        f"change the priority of all open tickets of {old} priority that nobody works on")  # fmt: skip
    return Request(text, program, blank, draw.either(f"To {new}.", f"{new}, please."))


def comment_last(place: Place) -> Request | None:
    ticket = place.memory.get("ticket")
    if ticket is None:
        return None
    what = f"Waiting for an answer from {place.draw.choice(TOWNS)}."

    def program(do: Do) -> None:
        do("comment", ticket_id=ticket, text=what)

    text, blank = asked(place.draw, f'add the comment "{what}" to the ticket that you changed or opened last',
                        "add a comment to the ticket that you changed or opened last")  # fmt: skip
    return Request(text, program, blank, f'"{what}"', back=True)


def figure_ticket(place: Place) -> Request | None:
    figure = place.memory.get("figure")
    if figure is None:
        return None
    form = "1234.50" if "." in figure else "12"

    def program(do: Do) -> None:
        do.memory["ticket"] = do("open_ticket", title=f"Check the figure {figure}", priority="normal")["ticket_id"]

    text, _ = asked(place.draw, 'open a ticket of normal priority with the title "Check the figure N"')
    return Request(
        f"{text} Put the figure that I asked for last in place of N, in the form {form}.", program, back=True
    )


def how_many(place: Place) -> Request:
    priority = place.draw.choice(PRIORITIES)

    def program(do: Do) -> Said:
        count = sum(row["priority"] == priority for row in do("list_tickets", status="open"))
        do.memory["figure"] = str(count)
        return number(count)

    return Request(place.draw.either(f"How many open tickets have {priority} priority?",
                                     f"How many tickets of {priority} priority are open now?"), program)  # fmt: skip


def who_has(place: Place) -> Request | None:
    title = _title(place)
    if title is None or not next(row["agent"] for _, row in place.store.rows("tickets", title=title)):
        return None
    agents = list(place.store.rows("agents"))

    def program(do: Do) -> Answer:
        name = _ticket(do, title)["agent"]
        return Answer(words(name), tuple(words(row["name"]) for _, row in agents if row["name"] != name))

    return Request(f'Who has the ticket "{title}"?', program)


_TICKET = "The ticket, like T1001."
TICKETS = Api(
    "tickets",
    (
        desk_tool(list_agents, False, team="The team."),
        desk_tool(list_tickets, False, status="The status.", agent="Full name."),
        desk_tool(get_ticket, False, ticket_id=_TICKET),
        desk_tool(search_tickets, False, text="Part of the title."),
        desk_tool(open_ticket, True, title="The title.", priority="The priority."),
        desk_tool(assign_ticket, True, ticket_id=_TICKET, agent="Full name."),
        desk_tool(set_priority, True, ticket_id=_TICKET, priority="The new priority."),
        desk_tool(comment, True, ticket_id=_TICKET, text="The comment."),
        desk_tool(close_ticket, True, ticket_id=_TICKET),
        desk_tool(reopen_ticket, True, ticket_id=_TICKET),
    ),
    fill,
    (create, least_busy, close_all, reopen, raise_all, comment_last, figure_ticket),
    (how_many, who_has),
    frozenset({"open_ticket", "assign_ticket", "set_priority", "comment", "close_ticket", "reopen_ticket"}),
)
