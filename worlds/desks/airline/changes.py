"""What customers want to change about a reservation, and what they want for a delay."""

import datetime
from collections.abc import Sequence

from turnwise.worlds.desks.airline.checks import CABINS, tier_of
from turnwise.worlds.desks.airline.trips import (
    Place,
    Say,
    Trip,
    answer,
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
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.said import Said, clock, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.names import LAST
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["bags", "bags_certificate", "bags_many", "cabin_down", "cabin_late", "delay", "delay_more", "delay_once",
           "delay_short", "delay_tier", "flights", "flights_fixed", "flights_late", "flights_route", "insure",
           "insure_late", "rename", "rename_late", "rename_other", "upgrade"]  # fmt: skip


def _row(place: Place, one: Trip) -> dict[str, object]:
    return place.fill.tables["reservations"][one.key]


def _cabin(place: Place, one: Trip) -> str:
    return str(_row(place, one)["cabin"])


def _card(place: Place) -> tuple[str, Fact, str]:
    """Return the card that pays for a change, how the person says so, and its label."""
    payment = place.fill.payment(place.person)
    return payment, payment_fact(place, payment), str(place.fill.tables["payments"][payment]["label"])


def _soon(place: Place) -> datetime.datetime:
    """Return a departure that is too soon for changes, sometimes by minutes."""
    cutoff = place.fill.rules.cutoff
    return at(place, cutoff - place.draw.either(0.25, 0.5, 1.0))


def _later(place: Place) -> datetime.datetime | None:
    """Return a departure that is late enough for changes, sometimes just so; None is one on some later day."""
    return at(place, place.fill.rules.cutoff + place.draw.either(0.25, 0.5)) if place.draw.chance(0.3) else None


# ---- flights --------------------------------------------------------------------------------------------------------


def _fare(place: Place, key: str, cabin: str) -> float:
    return float(place.fill.tables["flights"][key]["prices"][cabin])


def _moved(place: Place, one: Trip, kind: str = "flights") -> Goal:
    """Move a trip to another day: to the earliest, the latest or the cheapest flight."""
    fill, draw = place.fill, place.draw
    cabin = _cabin(place, one)
    date, keys = planted(place, one.route, cabin, one.people)
    key, wanted = picked(place, keys, cabin, one.people)
    payment, fact, label = _card(place)
    old, new = _fare(place, one.flights[0], cabin), _fare(place, key, cabin)

    def say(desk: Desk) -> Sequence[Said]:
        fee = desk.rules.change_fee[tier_of(desk, place.person)]
        return cents(abs((new - old + fee) * one.people)), clock(fill.tables["flights"][key]["departs"])

    opening = draw.either(
        f"I'd like to move my {one.name} to {day_words(date)}. Please take the {wanted} direct flight that day.",
        f"Something has come up. Could you change my {one.name} to the {wanted} direct flight on {day_words(date)}?",
        f"Can I fly on {day_words(date)} instead? It's about my {one.name}. The {wanted} nonstop flight would suit me.",
        f"Please rebook my {one.name} for {day_words(date)}, on the {wanted} direct flight of the day.",
    )
    facts = (*facts_of(place, one), Fact("new_date", day_words(date), True),
             Fact("preference", f"the {wanted} direct flight", True, (wanted,)), fact)  # fmt: skip
    number = fill.tables["flights"][key]["number"]
    text = f"change your {one.name} to {number} on {day_words(date)} and settle it with your {label}"
    change = call("change_flights", reservation_id=one.key, flights=[key], payment_id=payment)
    wish = Wish("change_flights", opening, facts, insists(place))
    return Goal(wish, (*lookups(place, one), *searches(one.route, date)), Option((change,), text, say), kind=kind)


def _movable(place: Place) -> str:
    return place.draw.choice([cabin for cabin in CABINS if cabin not in place.fill.rules.fixed_cabins])


def flights(place: Place) -> Goal:
    """Other flights, sometimes just in time."""
    return _moved(place, trip(place, _movable(place), when=_later(place)))


def flights_late(place: Place) -> Goal:
    """Other flights, too shortly before departure."""
    return _moved(place, trip(place, _movable(place), when=_soon(place)), "flights_late")


def flights_fixed(place: Place) -> Goal:
    """Other flights in a cabin that does not allow it; an upgrade will do."""
    cabin = place.draw.choice(place.fill.rules.fixed_cabins)
    one = trip(place, cabin)
    goal = _moved(place, one)
    again = _upgraded(place, one)
    said = place.draw.either(
        "Please move me up to {c} on the flight that I have.", "I'd like an upgrade to {c}, at least."
    )
    wanted = CABINS[CABINS.index(cabin) + 1]
    _, _, cabin_fact, fact = again.wish.facts
    fallback = Wish("change_cabin", said.format(c=wanted), (*facts_of(place, one, again=True), cabin_fact, fact))
    wish = Wish("change_flights", goal.wish.opening, goal.wish.facts, goal.wish.insists, fallback)
    return Goal(wish, goal.reads, goal.demand, again.demand, "flights_fixed")


def flights_route(place: Place) -> Goal:
    """A flight to another city instead."""
    fill, draw = place.fill, place.draw
    one = trip(place, _movable(place))
    city = draw.choice([code for code in fill.tables["airports"] if code not in one.route])
    route = (one.route[0], city)
    date, keys = planted(place, route, _cabin(place, one), one.people)
    key = min(keys, key=lambda key: str(fill.tables["flights"][key]["departs"]))
    fill.tables["flights"][key]["seats"][_cabin(place, one)] = 12
    payment, fact, label = _card(place)
    opening = draw.either(
        f"Could you change my {one.name}? I'd like to go to {fill.city(city)} on {day_words(date)} instead, on the "
        "earliest direct flight.",
        f"I no longer have to go to {fill.city(one.route[1])} but to {fill.city(city)}. Please change my {one.name} to "
        f"the earliest direct flight there on {day_words(date)}.",
    )
    facts = (*facts_of(place, one), Fact("new_date", day_words(date), True), fact)
    number = fill.tables["flights"][key]["number"]
    demand = Option((call("change_flights", reservation_id=one.key, flights=[key], payment_id=payment),),
                    f"change your {one.name} to {number} and settle it with your {label}")  # fmt: skip
    return Goal(Wish("change_flights", opening, facts, insists(place)), (*lookups(place, one), *searches(route, date)),
                demand, kind="flights_route")  # fmt: skip


# ---- cabins ---------------------------------------------------------------------------------------------------------


def _upgraded(place: Place, one: Trip, wanted: str = "", kind: str = "cabin") -> Goal:
    draw = place.draw
    cabin = _cabin(place, one)
    wanted = wanted or CABINS[CABINS.index(cabin) + 1]
    payment, fact, label = _card(place)
    more = (_fare(place, one.flights[0], wanted) - _fare(place, one.flights[0], cabin)) * one.people
    verb = "upgrade" if more > 0 else "downgrade"
    opening = draw.either(
        f"I'd like to {verb} my {one.name} to {wanted}.", f"Could you move us to {wanted} on my {one.name}?"
        if one.people > 1 else f"Could you move me to {wanted} on my {one.name}?",
        f"Please change my {one.name} to {wanted}.",
    )  # fmt: skip
    others = tuple(name for name in CABINS if name not in (wanted, cabin))
    facts = (*facts_of(place, one), Fact("cabin", wanted, True, others=others), fact)
    change = call("change_cabin", reservation_id=one.key, cabin=wanted, payment_id=payment)
    text = f"{verb} your {one.name} to {wanted} and settle it with your {label}"
    wish = Wish("change_cabin", opening, facts, insists(place))
    return Goal(wish, lookups(place, one), Option((change,), text, answer(cents(abs(more)))), kind=kind)


def upgrade(place: Place) -> Goal:
    """A higher cabin, sometimes just in time."""
    return _upgraded(place, trip(place, place.draw.either("basic", "economy"), when=_later(place)))


def cabin_late(place: Place) -> Goal:
    """A higher cabin, too shortly before departure."""
    return _upgraded(place, trip(place, place.draw.either("basic", "economy"), when=_soon(place)), kind="cabin_late")


def cabin_down(place: Place) -> Goal:
    """A lower cabin; where that is allowed, a higher one too late."""
    if place.fill.rules.downgrades:
        return cabin_late(place)
    cabin = place.draw.either("economy", "business")
    return _upgraded(place, trip(place, cabin), CABINS[CABINS.index(cabin) - 1], "cabin_down")


# ---- bags, names, insurance -----------------------------------------------------------------------------------------


def _charged(place: Place, one: Trip) -> Say:
    before = float(str(_row(place, one)["bags_paid"]))

    def say(desk: Desk) -> Sequence[Said]:
        return (cents((desk.store.row("reservations", one.key)["bags_paid"] - before) * desk.rules.bag_price),)

    return say


def _checked(place: Place, one: Trip, count: int, payment: str) -> Option:
    label = place.fill.tables["payments"][payment]["label"]
    text = f"add bags to your {one.name}, {count} in all, and charge any fee to your {label}"
    return Option(
        (call("set_bags", reservation_id=one.key, bags=count, payment_id=payment),), text, _charged(place, one)
    )


def _bagged(place: Place, one: Trip, count: int, payment: str = "", fallback: Wish | None = None,
            instead: Option | None = None, kind: str = "bags") -> Goal:  # fmt: skip
    draw = place.draw
    own = payment or place.fill.payment(place.person)
    fact = payment_fact(place, own, offered=bool(payment))
    total = f"{count} bag{'s' if count > 1 else ''}"
    opening = draw.either(
        f"I'd like to add luggage to my {one.name}: we need {total} altogether."
        if one.people > 1
        else f"I'd like to add luggage to my {one.name}. I need {total} altogether.",
        f"Please put {'us' if one.people > 1 else 'me'} down for {total} in all on my {one.name}.",
        f"Could you add bags to my {one.name}, so that it's {total} in total?",
    )
    if payment:
        opening += f" I'll pay with {fact.value}."
    wish = Wish("set_bags", opening, (*facts_of(place, one), Fact("bags", f"{total} in all", True, (total,)), fact),
                insists(place), fallback)  # fmt: skip
    return Goal(wish, lookups(place, one), _checked(place, one, count, own), instead, kind)


def _count(place: Place, one: Trip) -> int:
    rules = place.fill.rules
    tier = place.fill.tables["customers"][place.person]["tier"]
    free = rules.bags[tier][_cabin(place, one)] * one.people
    return min(free + place.draw.integer(0, 2), rules.most_bags * one.people) or 1


def bags(place: Place) -> Goal:
    """More bags, some of which may be free."""
    one = trip(place, when=_later(place))
    return _bagged(place, one, _count(place, one))


def bags_many(place: Place) -> Goal:
    """More bags than a passenger can have; the most that they can have will do."""
    one = trip(place, count=place.draw.integer(1, 2))
    most = place.fill.rules.most_bags * one.people
    card, fact, _ = _card(place)
    said = place.draw.either(f"Please make it {most} bags.", f"I'll manage with {most}, please add those.")
    facts = (*facts_of(place, one, again=True), Fact("bags", f"{most} bags in all", True, (str(most),)), fact)
    return _bagged(place, one, most + place.draw.either(1, 1, 2), "", Wish("set_bags", said, facts),
                   _checked(place, one, most, card), "bags_many")  # fmt: skip


def bags_certificate(place: Place) -> Goal:
    """More bags, paid with a certificate that is not good for that; a card will do. Where it is good, too many bags."""
    if place.fill.rules.certificates:
        return bags_many(place)
    fill = place.fill
    one = trip(place)
    card = fill.payment(place.person)
    certificate = fill.certificate(place.person, float(place.draw.integer(40, 60) * 10))
    count = _count(place, one) + 1
    fact = payment_fact(place, card, offered=True)
    said = place.draw.either(
        f"Please charge {fact.value} and add the bags.", f"You can put it on {fact.value} and add them."
    )
    wish = Wish("set_bags", said, (*facts_of(place, one, again=True), fact))
    return _bagged(place, one, count, certificate, wish, _checked(place, one, count, card), "certificate")


def _renamed(place: Place, one: Trip, other: bool, kind: str = "rename") -> Goal:
    fill, draw = place.fill, place.draw
    people = [(k, row["name"]) for k, row in fill.tables["passengers"].items() if row["reservation_id"] == one.key]
    key, name = people[-1]
    first, _, last = name.partition(" ")
    if other:
        new = fill.name()
        while {*new.split()} & {*name.split()}:
            new = fill.name()
        opening = draw.either(
            f"{name} can't come on my {one.name}. Please change the ticket to {new}.",
            f"{new} will be flying in place of {name} on my {one.name}. Could you change the name?",
        )
    else:
        new = f"{first} {draw.choice([n for n in LAST if n != last])}" if draw.chance(0.6) else f"{first[:-1]} {last}"
        why = "is called {n} now" if new.startswith(f"{first} ") else "is misspelled and should read {n}"
        opening = draw.either(
            f"The name of a passenger on my {one.name} has to be changed: {name} {why.format(n=new)}.",
            f"Could you change the name {name} to {new} on my {one.name}?",
            f"There's a wrong name on my {one.name}. Please correct {name} to {new}.",
        )
    facts = (*facts_of(place, one), Fact("passenger", name, True), Fact("new_name", new, True))
    demand = Option((call("change_passenger_name", passenger_id=key, name=new),),
                    f"change the name of the passenger {name} to {new}", answer(words(new)))  # fmt: skip
    return Goal(Wish("rename", opening, facts, insists(place)), lookups(place, one), demand, kind=kind)


def rename(place: Place) -> Goal:
    """A new last name, or a misspelled first name."""
    return _renamed(place, trip(place, when=_later(place)), False)


def rename_other(place: Place) -> Goal:
    """Another person in place of a passenger."""
    return _renamed(place, trip(place), True, "rename_other")


def rename_late(place: Place) -> Goal:
    """A name that is to be corrected too shortly before departure."""
    return _renamed(place, trip(place, when=_soon(place)), False, "rename_late")


def _insured(place: Place, ago: float, kind: str = "insure") -> Goal:
    one = trip(place, booked=ago, insured=False)
    payment, fact, label = _card(place)
    opening = place.draw.either(
        f"I'd like to add insurance to my {one.name}.", f"Could you insure my {one.name}, please?",
        f"I forgot to take out insurance for my {one.name}. Please add it.",
    )  # fmt: skip
    demand = Option((call("add_insurance", reservation_id=one.key, payment_id=payment),),
                    f"add insurance to your {one.name} and charge your {label}",
                    answer(cents(place.fill.rules.insurance_price * one.people)))  # fmt: skip
    return Goal(Wish("insure", opening, (*facts_of(place, one), fact), insists(place)), lookups(place, one), demand,
                kind=kind)  # fmt: skip


def insure(place: Place) -> Goal:
    """Insurance that is added in time, sometimes just so."""
    most = place.fill.rules.insurance_hours
    return _insured(place, most - 0.25 if place.draw.chance(0.5) else place.draw.integer(1, most - 1) + 0.5)


def insure_late(place: Place) -> Goal:
    """Insurance that is added too late, sometimes by minutes."""
    return _insured(place, place.fill.rules.insurance_hours + place.draw.either(0.25, 1.0, 20.0), "insure_late")


# ---- delays ---------------------------------------------------------------------------------------------------------


def _delayed(place: Place, hours: int, tiers: Sequence[str], kind: str, more: float = 0.0,
             compensated: bool = False) -> Goal:  # fmt: skip
    fill, draw = place.fill, place.draw
    person = fill.tables["customers"][place.person]
    if tiers and person["tier"] not in tiers:
        person["tier"] = draw.choice(tiers)
    one = trip(place, when=at(place, -draw.integer(20, 140)), flight={"delay_hours": hours}, compensated=compensated)
    amount = fill.rules.compensation[person["tier"]] * one.people or 30.0
    facts, again, instead = facts_of(place, one), None, None

    def sent(amount: float) -> Option:
        one_call = call("send_certificate", reservation_id=one.key, amount=amount)
        return Option((one_call,), "send you a travel certificate as compensation", answer(cents(amount)))

    if more:
        wanted = cents(amount + more).text
        opening = draw.either(
            f"My {one.name} was late, and I lost a whole evening. I want {wanted} in compensation.",
            f"I missed an important meeting because my {one.name} was delayed. You owe me {wanted} for that.",
        )
        facts = (*facts, Fact("amount", wanted, offered=True))
        said = draw.either("Give me as much as you can.", "I'll take whatever compensation I'm entitled to.")
        again, instead = Wish("compensate", said, facts_of(place, one, again=True)), sent(amount)
    else:
        opening = draw.either(
            f"My {one.name} was delayed. Do I get any compensation?",
            f"My {one.name} landed far too late, and I'd like to be compensated.",
            f"About my {one.name}: it left hours late. I'd like compensation for that.",
        )
    wish = Wish("compensate", opening, facts, insists(place), again)
    return Goal(wish, lookups(place, one), sent(amount + more), instead, kind)


def _paid_tiers(place: Place) -> list[str]:
    return [tier for tier, amount in place.fill.rules.compensation.items() if amount]


def delay(place: Place) -> Goal:
    """Compensation for a delay that is long enough, sometimes just so."""
    return _delayed(place, place.fill.rules.delay + place.draw.either(0, 0, 1, 3), _paid_tiers(place), "delay")


def delay_short(place: Place) -> Goal:
    """Compensation for a delay that is an hour or two too short."""
    hours = max(1, place.fill.rules.delay - place.draw.either(1, 1, 2))
    return _delayed(place, hours, _paid_tiers(place), "delay_short")


def delay_tier(place: Place) -> Goal:
    """Compensation for a customer whose tier gets none; where all tiers get some, for a delay that is too short."""
    if place.fill.rules.compensation["regular"]:
        return delay_short(place)
    return _delayed(place, place.fill.rules.delay + place.draw.integer(0, 3), ("regular",), "delay_tier")


def delay_more(place: Place) -> Goal:
    """More compensation than there is; the usual amount will do."""
    hours = place.fill.rules.delay + place.draw.integer(0, 3)
    return _delayed(place, hours, _paid_tiers(place), "delay_more", place.draw.either(20.0, 50.0, 100.0))


def delay_once(place: Place) -> Goal:
    """Compensation for a reservation that has been compensated."""
    hours = place.fill.rules.delay + place.draw.integer(0, 3)
    return _delayed(place, hours, _paid_tiers(place), "delay_once", compensated=True)
