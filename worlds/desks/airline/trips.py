"""What goals of the airline's customers are about: planted reservations and flights, and how people name them."""

import datetime
from collections.abc import Callable, Sequence
from typing import NamedTuple

from turnwise.core.tools import Call
from turnwise.worlds.desks import drafting
from turnwise.worlds.desks.airline.data import Filling, Route
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.said import Said, money
from turnwise.worlds.desks.scenario import call
from turnwise.worlds.people.part import Fact

__all__ = ["Place", "Say", "Trip", "answer", "at", "cents", "day_words", "facts_of", "lookups", "payment_fact",
           "picked", "planted", "searches", "trip"]  # fmt: skip

Place = drafting.Place[Filling]
Say = Callable[[Desk], Sequence[Said]]


class Trip(NamedTuple):
    """A reservation of the person: its key, flights, route, day, how it is called, and how many fly."""

    key: str
    flights: tuple[str, ...]
    route: Route
    date: datetime.date
    name: str
    people: int


_NOTHING = (
    r"\b(?:free|complimentary|nothing|on the house)\b|"
    r"\b(?:no|not any|without(?: any| an?)?) (?:(?:extra|additional|further) )*(?:charges?|costs?|fees?|surcharge)\b|"
    r"(?:n't|not) (?:be )?(?:cost|charged?|costing)\b|\b(?:zero|0) dollars\b"
)


def cents(amount: float) -> Said:
    """An amount that has to be said; nothing may be said in other words."""
    said = money(round(amount * 100))
    if round(amount * 100):
        return said
    return Said("free of charge", rf"{said.pattern}|{_NOTHING}")


def answer(*said: Said) -> Say:
    """What has to be said, whatever the desk looks like."""
    return lambda desk: said


def day_words(date: datetime.date) -> str:
    """Write a day of a trip."""
    return f"{date:%B} {date.day}"


def at(place: Place, hours: float) -> datetime.datetime:
    """Return the time so many hours from now."""
    return place.fill.now + datetime.timedelta(hours=hours)


def trip(place: Place, cabin: str = "", when: datetime.datetime | None = None, booked: float = 0.0, count: int = 0,
         flight: dict[str, object] | None = None, **known: object) -> Trip:  # fmt: skip
    """Plant a reservation of the person.

    Args:
        place: Where goals are drawn from.
        cabin: Its cabin.
        when: When it departs; on some later day if it is not given.
        booked: How many hours ago it was booked; long ago if 0.
        count: How many fly.
        flight: Columns of its flight.
        **known: Columns of the reservation.
    """
    fill = place.fill
    date = when.date() if when else fill.free_date(3, 90)
    route = fill.free_route(date)
    departs = f"{when:%H:%M}" if when else ""
    key = fill.flight(route, date, departs, **(flight or {}))
    if cabin:
        known["cabin"] = cabin
    if booked:
        known["booked"] = at(place, -booked).isoformat(timespec="minutes")
    if count:
        own = fill.tables["customers"][place.person]["name"]
        known["names"] = [own, *(fill.name() for _ in range(count - 1))]
    reservation = fill.reservation(place.person, (key,), **{"insured": False, **known})
    people = sum(row["reservation_id"] == reservation for row in fill.tables["passengers"].values())
    name = f"flight from {fill.city(route[0])} to {fill.city(route[1])} on {day_words(date)}"
    return Trip(reservation, (key,), route, date, name, people)


def facts_of(place: Place, one: Trip, again: bool = False) -> tuple[Fact, ...]:
    """Return the trip, which is named unless it was before, and the reservation number, which may not be at hand."""
    known = not place.draw.chance(place.shape.unknown)
    spelled = one.name.removeprefix("flight ")
    return (Fact("trip", f"the {one.name}", not again, (one.name, spelled)),
            Fact("reservation", one.key if known else ""))  # fmt: skip


def lookups(place: Place, one: Trip) -> tuple[Call, ...]:
    """Return the calls that look up a reservation and its customer."""
    person = call("get_customer", customer_id=place.person)
    return (
        person,
        call("list_reservations", customer_id=place.person),
        call("get_reservation", reservation_id=one.key),
    )


def payment_fact(place: Place, payment: str, offered: bool = False) -> Fact:
    """Return which payment method is meant."""
    rows = place.fill.tables["payments"]
    label = rows[payment]["label"]
    mine = [row["label"] for row in rows.values() if row["customer_id"] == place.person]
    return Fact("payment", f"my {label}", offered, (label,), tuple(other for other in mine if other != label))


def planted(place: Place, route: Route, cabin: str, seats: int) -> tuple[datetime.date, list[str]]:
    """Plant some flights on a route on a day of their own, and others that day; one may be short of seats."""
    fill, draw = place.fill, place.draw
    date = fill.free_date()
    hours = draw.sample(range(6, 21), draw.integer(3, 4))
    keys = [fill.flight(route, date, f"{hour:02d}:{draw.integer(0, 11) * 5:02d}") for hour in hours]
    for place_in_order, key in enumerate(keys):  # no two cost the same
        prices = fill.tables["flights"][key]["prices"]
        prices.update({name: price * 4 + place_in_order for name, price in _quartered(prices).items()})
    for _ in range(3):
        fill.flight(
            draw.choice([other for other in fill.routes if other[0] != route[0] and other[1] != route[1]]), date
        )
    if draw.chance(0.5):
        fill.tables["flights"][draw.choice(keys)]["seats"][cabin] = draw.below(seats)
    return date, keys


def _quartered(prices: dict[str, int]) -> dict[str, int]:
    return {name: price // 4 for name, price in prices.items()}


def picked(place: Place, keys: list[str], cabin: str, seats: int) -> tuple[str, str]:
    """Return the flight that fits a preference, among those with enough seats, and the preference."""
    rows = place.fill.tables["flights"]
    left = [key for key in keys if rows[key]["seats"][cabin] >= seats]
    wanted = place.draw.either("earliest", "latest", "cheapest")
    if wanted == "cheapest":
        return min(left, key=lambda key: rows[key]["prices"][cabin]), wanted
    ordered = sorted(left, key=lambda key: rows[key]["departs"])
    return (ordered[0] if wanted == "earliest" else ordered[-1]), wanted


def searches(route: Route, date: datetime.date, stops: bool = False) -> tuple[Call, ...]:
    """Return the calls that look for flights on a day."""
    where = {"origin": route[0], "destination": route[1], "date": date.isoformat()}
    direct = call("search_direct_flights", **where)
    return (direct, call("search_connections", **where)) if stops else (direct,)
