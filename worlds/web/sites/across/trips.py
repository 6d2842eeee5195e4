"""Tasks across sites about journeys, places and what the wiki knows."""

import datetime
import re
from collections.abc import Mapping
from typing import NamedTuple

from turnwise.worlds.web.site import Change, Draft, Draw, Plan, Said, Tasks, World, click, fill, insert
from turnwise.worlds.web.sites.across.steps import MAIL, TRAVEL, contacts, new_event, other_tab, written
from turnwise.worlds.web.sites.across.words import dated, worded
from turnwise.worlds.web.sites.across.words.trips import BET, BET_SUBJECTS, CUSTOMER, ERRAND, FARE, TRIP, VISIT_TITLES
from turnwise.worlds.web.sites.mail.data import clock
from turnwise.worlds.web.sites.mail.tasks.mails import sent
from turnwise.worlds.web.sites.maps.tasks import search_near, surroundings
from turnwise.worlds.web.sites.travel.tasks.journeys import book_train, cheapest_fare
from turnwise.worlds.web.sites.wiki.tasks import damaged_pages, open_page
from turnwise.worlds.web.sites.wiki.text import infobox

__all__ = ["trips"]

trips = Tasks()

_TRIES = 8
_DATED = ("Born", "Died", "Held")
_YEARS = ("Founded", "Published", "Described", "Completed", "Established")
_ERRANDS = {  # what one does there, by the category of the map
    "Bakery": ("Pick up the cake", "Get rolls for the team"),
    "Bank": ("Appointment about the account", "Open a savings account"),
    "Bookshop": ("Pick up the book", "Reading with Sam"),
    "Florist": ("Pick up the flowers", "Order the wreath"),
    "Hairdresser": ("Haircut", "Haircut for Sam"),
    "Hardware shop": ("Buy paint", "Pick up the keys"),
    "Gym": ("Trial session", "Training with Sam"),
    "Library": ("Return the books", "Study group"),
    "Pharmacy": ("Pick up the prescription", "Flu shot"),
    "Post office": ("Send the parcel", "Collect the parcel"),
    "Restaurant": ("Lunch with the team", "Dinner with Sam"),
    "Supermarket": ("Weekly shopping", "Pick up the order"),
}
_ANY_PLACE = ("Errand", "Meet Sam")
_TRAINS = {
    "Direct only": ("direct train", ""),
    "At most 1": ("train", " with at most one change"),
    "": ("train", ""),
}
"""What a train with so many changes is called, and what is said of it at the end, by the search form's choice."""
_TRIPS = """
SELECT b.reference, s.number, s.destination, r.date, s.departs, s.minutes FROM booking b JOIN run r ON r.id = b.run
JOIN service s ON s.id = r.service WHERE b.owner = 1 AND b.status = 'confirmed' AND r.date > ? ORDER BY b.id
"""


# ---- trains -----------------------------------------------------------------------------------------------------


@trips.template(3, sites=("travel", "mail"))
def trip_to_calendar(world: World, draw: Draw) -> Draft | None:
    """Ask to enter a booked train in the calendar."""
    rows = world("travel").rows(_TRIPS, f"{world.now:%Y-%m-%d}")
    rows = [row for row in rows if _minutes(row[4]) + row[5] < 1440]
    if not rows:
        return None
    code, number, town, day, departs, minutes = draw.choice(rows)
    until = clock(_minutes(departs) + minutes)
    kind, title = draw.choice((("number", number), ("town", town)))
    plan = (click("My trips"), click(code), other_tab(MAIL), *new_event(title, day, departs, until))
    text = worded(draw, TRIP[kind], code=code)
    return Draft(text, plan, (_event(Said(title), day, departs, until),))


@trips.template(3, sites=("mail", "travel"))
def fare_to_contact(world: World, draw: Draw) -> Draft | None:
    """Ask to write a contact what a train to their town costs."""
    draft = cheapest_fare(world, draw)
    town = _destination(draft)
    people = [name for name, _, home in contacts(world) if home == town]
    if draft is None or not people:
        return None
    name = draw.choice(people)
    step = {step.name: step.text for step in draft.plan}
    train, changes = _TRAINS[step.get("Changes", "")]
    text = worded(
        draw, FARE, name=name, day=dated(draw, step["Date"]), comfort=step.get("Class", "Standard"), train=train,
        origin=step["From"], changes=changes,
    )  # fmt: skip
    plan = (click("Contacts"), fill("Filter contacts", name), click(name, "link"), TRAVEL, *draft.plan)
    return Draft(text, plan, answer=draft.answer)


@trips.template(5, sites=("crm", "travel", "mail"))
def visit_customer(world: World, draw: Draw) -> Draft | None:
    """Book a train to a customer's town, and enter it in the calendar."""
    found = None
    for _ in range(_TRIES):
        draft = book_train(world, draw)
        wish = None if draft is None else _wish(world, draft)
        people = world("crm").rows(
            "SELECT name FROM customer WHERE name IN (SELECT name FROM customer GROUP BY name HAVING count(*) = 1) "
            "AND town = ? ORDER BY id",
            _destination(draft),
        )
        if draft is None or wish is None or not people or _minutes(wish.departs) + wish.minutes >= 1440:
            continue
        if found is None or wish.trap:
            found = draft, wish, people
        if wish.trap:
            break
    if found is None:
        return None
    draft, (facts, day, departs, minutes, _), people = found
    name, until = draw.choice(people), _minutes(departs) + minutes
    title = draw.choice(VISIT_TITLES).format(name)
    text = worded(draw, CUSTOMER, name=name, day=dated(draw, day), title=title, **facts)
    plan = (
        click("Customers"),
        fill("Search", name),
        click("Filter"),
        click(name),
        TRAVEL,
        *draft.plan,
        MAIL,
        *new_event(title, day, departs, clock(until)),
    )
    return Draft(text, plan, (*draft.changes, _event(title, day, departs, clock(until))))


# ---- map and wiki -----------------------------------------------------------------------------------------------


@trips.template(4, sites=("maps", "mail"))
def event_at_place(world: World, draw: Draw) -> Draft | None:
    """Ask for an event at the best rated place of a kind, whose address the map has."""
    for _ in range(_TRIES):
        found, within = surroundings(world, draw), draw.choice((500, 800, 1200))
        near = [place for metres, place in found.places if metres <= within]
        good = sorted(near, key=lambda place: -place.rating)
        if len(good) > 1 and good[0].rating != good[1].rating:
            break
    else:
        return None
    title, day = (
        draw.choice(_ERRANDS.get(found.category, _ANY_PLACE)),
        world.cast.today + datetime.timedelta(draw.integer(1, 20)),
    )
    start = 60 * draw.integer(8, 17)
    begin, end = clock(start), clock(start + draw.choice((30, 60, 90)))
    text = worded(
        draw, ERRAND, category=found.category, within=within, start=found.shown, title=title,
        day=dated(draw, f"{day}"), begin=begin, end=end,
    )  # fmt: skip
    plan = (
        *search_near(found, within, is_open=False),
        click("Rating"),
        click(good[0].name),
        other_tab(MAIL),
        *new_event(title, f"{day}", begin, end, good[0].address),
    )
    return Draft(text, plan, (_event(title, f"{day}", begin, end, Said(good[0].address)),))


@trips.template(4, sites=("wiki", "mail"))
def settle_bet(world: World, draw: Draw) -> Draft | None:
    """Compare what three pages of the wiki say, and tell somebody the result."""
    groups: dict[str, list[tuple[str, int]]] = {}
    hurt = damaged_pages(world)
    for number, title, body in world("wiki").rows(
        "SELECT p.id, p.title, r.text FROM page p JOIN revision r ON r.id = p.revision WHERE p.kind = 'entity' "
        "ORDER BY p.id"
    ):
        for label, value in infobox(body):
            if number not in hurt and label not in _DATED and re.fullmatch(r"[0-9,]+", value):
                groups.setdefault(label, []).append((title, int(value.replace(",", ""))))
    groups = {label: rows for label, rows in groups.items() if len(rows) > 2}
    if not groups:
        return None
    label = draw.choice(sorted(groups))
    three = draw.sample(groups[label], 3)
    ranked = sorted(three, key=lambda row: row[1])
    if len({value for _, value in ranked}) < 3:
        return None
    most = draw.chance(0.5)
    best = ranked[-1 if most else 0][0]
    much = ("latest" if most else "earliest") if label in _YEARS else ("highest" if most else "lowest")
    what = "year" if label in _YEARS else "number"
    name, email, _ = draw.choice(contacts(world))
    titles = [title for title, _ in three]
    quoted = '"{}", "{}" and "{}"'.format(*titles)
    subject = draw.choice(BET_SUBJECTS)
    text = worded(draw, BET, name=name, titles=quoted, much=much, what=what, label=label, subject=subject)
    plan: Plan = tuple(step for title in titles for step in open_page(title))
    plan = (*plan, MAIL, *written(name, subject, best))
    return Draft(text, plan, (sent(world, email, subject, Said(best)),))


# ---- draws and steps -------------------------------------------------------------------------------------------------


class _Wish(NamedTuple):
    """A booking described without saying where the train goes, its times, and why the cheapest may not do."""

    facts: Mapping[str, object]
    day: str
    departs: str
    minutes: int
    trap: bool


def _wish(world: World, draft: Draft) -> _Wish | None:
    """Return what a task of the travel site books, or None if there is no other train to choose from."""
    travel, step = world("travel"), {step.name: step.text for step in draft.plan}
    booked = dict(draft.changes[0].values)
    names = [dict(change.values)["name"] for change in draft.changes if change.table == "passenger"]
    comfort, origin, day = booked["comfort"], step["From"], step["Date"]
    trains = travel.rows(
        f"SELECT r.id, s.changes <= ?, r.{comfort.lower()}_left >= ?, r.price, s.departs, s.minutes FROM run r JOIN "
        "service s ON s.id = r.service WHERE s.origin = ? AND s.destination = ? AND r.date = ? ORDER BY r.id",
        step["Changes"] != "Direct only",
        len(names),
        origin,
        step["To"],
        day,
    )
    price, departs, minutes = next(train[3:] for train in trains if train[0] == booked["run"])
    if sum(train[1] for train in trains) < 2:
        return None
    trap = any(train[3] < price and train[1] + train[2] == 1 for train in trains)
    card = travel.row("SELECT label FROM card WHERE id = ?", booked["card"])
    train, changes = _TRAINS[step["Changes"]]
    facts = {
        "train": train, "changes": changes, "origin": origin, "who": " and ".join(("me", *names[1:])),
        "comfort": comfort, "fare": booked["fare"], "seat": booked["seat"],
        "bags": f"{booked['bags'] or 'no'} bag{'s' * (booked['bags'] != 1)}",
        "insurance": f"{'' if booked['insured'] else 'no '}travel insurance", "card": card, "me": names[0],
    }  # fmt: skip
    return _Wish(facts, day, departs, minutes, trap)


def _minutes(text: str) -> int:
    return 60 * int(text[:2]) + int(text[3:])


def _destination(draft: Draft | None) -> str:
    """Return where the train of a task of the travel site goes, or "" if there is no task."""
    return "" if draft is None else next(step.text for step in draft.plan if (step.verb, step.name) == ("select", "To"))


def _event(title: object, day: str, start: str, until: str, place: object = "") -> Change:
    return insert("mail.event", owner=1, title=title, day=day, start=start, until=until, place=place)
