"""What customers want to book, and to cancel."""

from collections.abc import Sequence

from turnwise.worlds.desks.airline.rules import INSURED
from turnwise.worlds.desks.airline.trips import (
    Place,
    Say,
    Trip,
    at,
    cents,
    day_words,
    facts_of,
    lookups,
    payment_fact,
    picked,
    planted,
    searches,
    trip,
)
from turnwise.worlds.desks.airline.words import REASON_WORDS
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.said import Said
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import joined
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["book", "book_connection", "book_late", "book_many", "cancel_airline", "cancel_departed", "cancel_free",
           "cancel_grace", "cancel_insured", "cancel_late", "cancel_uninsured_reason", "friends_trip"]  # fmt: skip


# ---- booking --------------------------------------------------------------------------------------------------------


def _company(place: Place, count: int) -> list[str]:
    return [place.fill.tables["customers"][place.person]["name"], *(place.fill.name() for _ in range(count - 1))]


def _said(place: Place, flights: tuple[str, ...]) -> Say:
    def say(desk: Desk) -> Sequence[Said]:
        rows = [
            row for _, row in desk.store.rows("reservations", customer_id=place.person) if row["flights"] == flights
        ]
        return (*(cents(row["paid"]) for row in rows[-1:]), *(_flown(_number(place, key)) for key in flights))

    return say


def _flown(number: str) -> Said:
    """The number of a flight, with or without a space after the letters."""
    return Said(number, rf"(?<!\w){number[:2].lower()}[ -]?{number[2:]}(?!\w)")


def _number(place: Place, key: str) -> str:
    return str(place.fill.tables["flights"][key]["number"])


class _Order:
    """What goes into a booking besides the flights: drawn once, and said on request."""

    def __init__(self, place: Place, names: list[str], cabin: str) -> None:
        fill, draw = place.fill, place.draw
        self.place, self.names, self.cabin = place, names, cabin
        self.bags = draw.integer(0, 3) * len(names) // 2
        self.insured = draw.chance(0.4)
        self.payment = fill.payment(place.person)
        if draw.chance(0.2):
            self.payment = fill.certificate(place.person, float(draw.integer(40, 60) * 100))

    def facts(self) -> tuple[Fact, ...]:
        others = tuple(cabin for cabin in ("basic", "economy", "business") if cabin != self.cabin)
        own = "I have" if len(self.names) == 1 else "we have"
        bags = f"{own} {self.bags} bag{'s' if self.bags > 1 else ''} in all" if self.bags else f"{own} no bags"
        who = f"the passengers are {joined(self.names)}" if len(self.names) > 1 else "it's just me, nobody else"
        insurance = "I'd like insurance with it" if self.insured else "I don't need any insurance"
        return (
            Fact("cabin", self.cabin, others=others), Fact("passengers", who), Fact("bags", bags),
            Fact("insurance", insurance), payment_fact(self.place, self.payment),
        )  # fmt: skip

    def option(self, flights: tuple[str, ...], names: list[str] | None = None) -> Option:
        one = call(
            "book_flights", customer_id=self.place.person, flights=list(flights), cabin=self.cabin,
            passengers=names or self.names, bags=self.bags, insurance=self.insured, payment_id=self.payment,
        )  # fmt: skip
        numbers = joined([_number(self.place, key) for key in flights])
        text = f"book {numbers} in {self.cabin} for {joined(names or self.names)}"
        return Option((one,), text, _said(self.place, flights))


_MANY = ("two", "three", "four", "five", "six", "seven")


def _group(count: int) -> str:
    return "for me" if count == 1 else f"for {_MANY[count - 2]} people"


def _party(count: int) -> str:
    return "" if count == 1 else f", and there are {_MANY[count - 2]} of us"


def book(place: Place) -> Goal:
    """A direct flight on some day: the earliest, the latest or the cheapest."""
    fill, draw = place.fill, place.draw
    count = draw.weighted((1, 2, 3), (5, 3, 1))
    cabin = draw.weighted(("basic", "economy", "business"), (2, 4, 1))
    route = draw.choice(fill.routes)
    date, keys = planted(place, route, cabin, count)
    key, wanted = picked(place, keys, cabin, count)
    order = _Order(place, _company(place, count), cabin)
    start, end = fill.city(route[0]), fill.city(route[1])
    opening = draw.either(
        f"I need a flight from {start} to {end} on {day_words(date)}{_party(count)}. Please book the {wanted} direct "
        "one.",
        f"Could you book the {wanted} direct flight from {start} to {end} on {day_words(date)} {_group(count)}?",
        f"I'd like to fly from {start} to {end} on {day_words(date)}. Please book the {wanted} nonstop flight "
        f"{_group(count)}.",
    )
    reads = (call("get_customer", customer_id=place.person), call("list_airports"), *searches(route, date))
    return Goal(Wish("book", opening, order.facts()), reads, order.option((key,)), kind="book")


def book_connection(place: Place) -> Goal:
    """The cheapest connection on a day without direct flights."""
    fill, draw = place.fill, place.draw
    count, cabin = draw.weighted((1, 2), (3, 1)), draw.weighted(("basic", "economy"), (1, 3))
    start, end, *hubs = draw.shuffled(list(fill.tables["airports"]))
    date = fill.free_date()
    pairs = []
    for rank, hub in enumerate(draw.shuffled(hubs[:2])):
        first = fill.flight(
            (start, hub), date, f"{draw.integer(6, 9):02d}:{draw.integer(0, 11) * 5:02d}", arrives="11:30"
        )
        second = fill.flight((hub, end), date, f"{draw.integer(13, 18):02d}:{draw.integer(0, 11) * 5:02d}")
        fill.tables["flights"][second]["prices"][cabin] += rank
        pairs.append((first, second))
        short = fill.flight((hub, end), date, "12:05", arrives="14:00")  # too soon after the first
        fill.tables["flights"][short]["prices"][cabin] = 40

    def fare(pair: tuple[str, ...]) -> int:
        return sum(fill.tables["flights"][key]["prices"][cabin] for key in pair)

    if fare(pairs[0]) == fare(pairs[1]):
        fill.tables["flights"][pairs[0][1]]["prices"][cabin] += 7
    best = min(pairs, key=fare)
    order = _Order(place, _company(place, count), cabin)
    a, b, day = fill.city(start), fill.city(end), day_words(date)
    opening = draw.either(
        f"I have to get from {a} to {b} on {day}{_party(count)}. Please book whatever is cheapest; I don't mind "
        "changing planes.",
        f"How do I get from {a} to {b} on {day}? A stop is fine. Please book the cheapest connection {_group(count)}.",
        f"Could you book the cheapest way to fly from {a} to {b} on {day} {_group(count)}? One stop is all right.",
    )  # fmt: skip
    reads = (call("get_customer", customer_id=place.person), call("list_airports"),
             *searches((start, end), date, stops=True))  # fmt: skip
    return Goal(Wish("book", opening, order.facts()), reads, order.option(best), kind="book")


def book_late(place: Place) -> Goal:
    """A flight that departs too soon to be sold, sometimes by minutes."""
    fill, draw = place.fill, place.draw
    cutoff = fill.rules.book_cutoff * 60
    when = at(place, (cutoff - draw.either(5, 10, 30)) / 60)
    route = fill.free_route(when.date())
    key = fill.flight(route, when.date(), f"{when:%H:%M}")
    order = _Order(place, _company(place, 1), "economy")
    number, time = _number(place, key), f"{when:%H:%M}"
    opening = draw.either(
        f"I have to get to {fill.city(route[1])} as soon as possible. Please book me on {number} at {time}.",
        f"I'm already at the airport in {fill.city(route[0])}. Can I still book a ticket for {number}, which leaves at "
        f"{time}?",
        f"Is there a seat left on {number} to {fill.city(route[1])} at {time}? I'd like to book it.",
    )
    wish = Wish("book", opening, order.facts(), insists(place))
    reads = (call("get_customer", customer_id=place.person), *searches(route, when.date()))
    return Goal(wish, reads, order.option((key,)), kind="book_late")


def book_many(place: Place) -> Goal:
    """One passenger too many; the last one stays at home."""
    fill, draw = place.fill, place.draw
    names = _company(place, fill.rules.most_passengers + 1)
    route = draw.choice(fill.routes)
    date, keys = planted(place, route, "economy", len(names))
    key, wanted = picked(place, keys, "economy", len(names))
    order = _Order(place, names, "economy")
    order.payment = fill.payment(place.person)
    start, end = fill.city(route[0]), fill.city(route[1])
    opening = draw.either(
        f"We want to fly from {start} to {end} on {day_words(date)}, {len(names)} of us on one reservation. Please "
        f"book the {wanted} direct flight.",
        f"Could you book the {wanted} direct flight from {start} to {end} on {day_words(date)} for {len(names)} "
        "people, on a single reservation?",
    )
    said = draw.either(f"Please book it without {names[-1]}, who can stay at home.",
                       f"Leave out {names[-1]} and book it for the rest of us.")  # fmt: skip
    cabin, _, *rest = order.facts()
    fallback = Wish("book", said, (cabin, Fact("passengers", f"the passengers are {joined(names[:-1])}"), *rest))
    wish = Wish("book", opening, order.facts(), insists(place), fallback)
    reads = (call("get_customer", customer_id=place.person), call("list_airports"), *searches(route, date))
    return Goal(wish, reads, order.option((key,)), order.option((key,), names[:-1]), "book_many")


# ---- canceling ------------------------------------------------------------------------------------------------------


def _refund(one: Trip) -> Say:
    def say(desk: Desk) -> Sequence[Said]:
        row = desk.store.row("reservations", one.key)
        return (cents(row["paid"] - row["insurance_paid"]),)

    return say


def _cancellation(place: Place, one: Trip, reason: str, kind: str = "cancel") -> Goal:
    draw = place.draw
    why = draw.choice(REASON_WORDS[reason])
    offered = draw.chance(0.6)
    opening = draw.either(
        f"I need to cancel my {one.name}.", f"Please cancel my {one.name} and refund me.",
        f"I want my money back for my {one.name}. Please cancel the reservation.",
        f"Could you cancel the reservation for my {one.name}?",
    )  # fmt: skip
    if offered:
        opening += f" {why[:1].upper()}{why[1:]}."
    wish = Wish("cancel", opening, (*facts_of(place, one), Fact("reason", why, offered)), insists(place))
    demand = Option((call("cancel_reservation", reservation_id=one.key, reason=reason),),
                    f"cancel the reservation for your {one.name}", _refund(one))  # fmt: skip
    return Goal(wish, lookups(place, one), demand, kind=kind)


def _bound_cabin(place: Place) -> str:
    """Return a cabin in which a reservation cannot be canceled at any time."""
    return place.draw.choice([c for c in ("basic", "economy") if c not in place.fill.rules.free_cabins])


def cancel_grace(place: Place) -> Goal:
    """A reservation that was made a short time ago, sometimes almost too long."""
    grace = place.fill.rules.grace
    ago = grace - 0.25 if place.draw.chance(0.5) else place.draw.integer(1, grace - 1) + 0.5
    return _cancellation(place, trip(place, _bound_cabin(place), booked=ago), "change of plans")


def cancel_free(place: Place) -> Goal:
    """A reservation in a cabin in which it can always be canceled."""
    cabin = place.draw.choice(place.fill.rules.free_cabins)
    return _cancellation(place, trip(place, cabin), place.draw.either("change of plans", "illness"))


def cancel_insured(place: Place) -> Goal:
    """An insured reservation, for a reason that the insurance covers."""
    reason = place.draw.choice(place.fill.rules.insured_reasons)
    return _cancellation(place, _insured(place), reason)


def _insured(place: Place) -> Trip:
    return trip(place, _bound_cabin(place), insured=True)


def cancel_airline(place: Place) -> Goal:
    """A reservation of which the airline has canceled a flight."""
    one = trip(place, _bound_cabin(place), flight={"status": "canceled"})
    return _cancellation(place, one, "airline canceled")


def cancel_late(place: Place) -> Goal:
    """A reservation that was made too long ago, sometimes by minutes."""
    ago = place.fill.rules.grace + place.draw.either(0.25, 1.0, 3.0)
    return _cancellation(place, trip(place, _bound_cabin(place), booked=ago), "change of plans", "cancel_late")


def cancel_uninsured_reason(place: Place) -> Goal:
    """An insured reservation, for a reason that the insurance does not cover."""
    bad = [reason for reason in INSURED if reason not in place.fill.rules.insured_reasons]
    reason = place.draw.either(bad[0], "change of plans")
    return _cancellation(place, _insured(place), reason, "cancel_reason")


def cancel_departed(place: Place) -> Goal:
    """A flight that was missed."""
    when = at(place, -place.draw.integer(3, 60))
    one = trip(place, when=when, cabin=place.draw.choice(place.fill.rules.free_cabins))
    goal = _cancellation(place, one, "change of plans", "cancel_departed")
    opening = place.draw.either(
        f"I missed my {one.name}. Please cancel the reservation and give me my money back.",
        f"I never took my {one.name}, so I'd like you to cancel it and refund me.",
    )
    return Goal(Wish("cancel", opening, goal.wish.facts, goal.wish.insists), goal.reads, goal.demand, kind=goal.kind)


def friends_trip(place: Place) -> Goal:
    """A reservation that belongs to somebody else."""
    fill, draw = place.fill, place.draw
    other = draw.choice([key for key in fill.tables["customers"] if key != place.person])
    theirs = Place(fill, draw, other, place.shape)
    one = trip(theirs, place.draw.choice(fill.rules.free_cabins))
    name = fill.tables["customers"][other]["name"]
    opening = draw.either(
        f"My partner {name} can't travel, so please cancel reservation {one.key}, the {one.name}.",
        f"I'm writing for a friend, {name}: could you cancel the {one.name}? The reservation number is {one.key}.",
        f"Please cancel my neighbor's {one.name}. The name is {name}, the reservation number {one.key}.",
    )
    facts = (Fact("trip", f"the {one.name}", True, (one.name,)), Fact("reservation", one.key, True),
             Fact("reason", draw.choice(REASON_WORDS["change of plans"])))  # fmt: skip
    demand = Option((call("cancel_reservation", reservation_id=one.key, reason="change of plans"),),
                    f"cancel the reservation for the {one.name}", _refund(one))  # fmt: skip
    wish = Wish("cancel", opening, facts, insists(place))
    return Goal(wish, (call("get_reservation", reservation_id=one.key),), demand, kind="owner")
