"""What the airline's customers only want to know."""

from collections.abc import Sequence

from turnwise.core.tools import Call
from turnwise.worlds.desks.airline.checks import CABINS, free_bags
from turnwise.worlds.desks.airline.trips import (
    Place,
    Say,
    Trip,
    answer,
    cents,
    day_words,
    facts_of,
    lookups,
    planted,
    searches,
    trip,
)
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.said import Said, clock, number
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["arrival", "balance", "departure", "fare", "free_luggage", "refund", "upgrade_price"]


def _asked(place: Place, openings: Sequence[str], reads: Sequence[Call], say: Say, facts: Sequence[Fact] = ()) -> Goal:
    wish = Wish("ask", place.draw.choice(openings), tuple(facts), question=True)
    return Goal(wish, tuple(reads), Option((), "", say), kind="ask")


def _about(place: Place, one: Trip, openings: Sequence[str], say: Say) -> Goal:
    return _asked(place, openings, lookups(place, one), say, facts_of(place, one))


def free_luggage(place: Place) -> Goal:
    """How many bags are free."""
    one = trip(place)
    openings = (
        f"How many bags can I take on my {one.name} without paying, counting everybody on the reservation?",
        f"For the whole reservation, how many free bags come with my {one.name}?",
        f"What's the total number of bags that are free on my {one.name}, for all passengers together?",
    )

    def say(desk: Desk) -> Sequence[Said]:
        cabin = desk.store.row("reservations", one.key)["cabin"]
        return (number(free_bags(desk, place.person, cabin, one.people)),)

    return _about(place, one, openings, say)


def departure(place: Place) -> Goal:
    """When a flight leaves."""
    one = trip(place)
    time = place.fill.tables["flights"][one.flights[0]]["departs"]
    openings = (f"What time does my {one.name} leave?", f"What's the departure time of my {one.name}?",
                f"I'm asking about my {one.name}. When does it take off?")  # fmt: skip
    return _about(place, one, openings, answer(clock(time)))


def arrival(place: Place) -> Goal:
    """When a flight lands."""
    one = trip(place)
    time = place.fill.tables["flights"][one.flights[0]]["arrives"]
    openings = (f"When does my {one.name} land?", f"What time does my {one.name} get in?",
                f"Somebody's picking me up. What time does my {one.name} arrive?")  # fmt: skip
    return _about(place, one, openings, answer(clock(time)))


def upgrade_price(place: Place) -> Goal:
    """What a higher cabin would cost."""
    one = trip(place, place.draw.either("basic", "economy"))
    cabin = place.fill.tables["reservations"][one.key]["cabin"]
    wanted = CABINS[CABINS.index(cabin) + 1]
    prices = place.fill.tables["flights"][one.flights[0]]["prices"]
    openings = (
        f"What would it cost to upgrade my {one.name} to {wanted}, for everybody on the reservation?",
        f"How much more would I pay in total if my {one.name} were in {wanted}?",
        f"Just out of interest, what's the total price of an upgrade to {wanted} on my {one.name}?",
    )
    goal = _about(place, one, openings, answer(cents((prices[wanted] - prices[cabin]) * one.people)))
    return Goal(goal.wish, (*goal.reads, call("get_flight", flight_id=one.flights[0])), goal.demand, kind="ask")


def refund(place: Place) -> Goal:
    """What a cancellation would bring."""
    one = trip(place, place.draw.choice(place.fill.rules.free_cabins), insured=place.draw.chance(0.6))
    openings = (
        f"How much money would I get back if I canceled my {one.name}?",
        f"I may have to cancel my {one.name}. What would the refund be?",
        f"Before I decide anything: how much would you refund for my {one.name}?",
    )

    def say(desk: Desk) -> Sequence[Said]:
        row = desk.store.row("reservations", one.key)
        return (cents(row["paid"] - row["insurance_paid"]),)

    return _about(place, one, openings, say)


def fare(place: Place) -> Goal:
    """What the cheapest direct flight costs."""
    fill, draw = place.fill, place.draw
    route, cabin = draw.choice(fill.routes), draw.choice(CABINS)
    date, keys = planted(place, route, cabin, 1)
    rows = [fill.tables["flights"][key] for key in keys]
    price = min(row["prices"][cabin] for row in rows if row["seats"][cabin])
    a, b, day = fill.city(route[0]), fill.city(route[1]), day_words(date)
    openings = (
        f"What's the price of the cheapest direct flight from {a} to {b} on {day} that has a seat left in {cabin}?",
        f"How much is the cheapest nonstop ticket in {cabin} from {a} to {b} on {day} that I could still get?",
        f"If I flew from {a} to {b} on {day}, in {cabin} and without a stop, what's the least that I'd pay?",
    )
    reads = (call("list_airports"), *searches(route, date))
    return _asked(place, openings, reads, answer(cents(price)))


def balance(place: Place) -> Goal:
    """How much is left on a certificate."""
    key = place.fill.certificate(place.person, float(place.draw.integer(50, 400)))
    openings = ("How much is left on my travel certificate?", "What's my travel certificate still worth?",
                "Could you check the balance of my travel certificate?")  # fmt: skip

    def say(desk: Desk) -> Sequence[Said]:
        return (cents(desk.store.row("payments", key)["balance"]),)

    return _asked(place, openings, (call("get_customer", customer_id=place.person),), say)
