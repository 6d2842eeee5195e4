"""What the airline's rules look at: facts about a call that decide whether a clause would be broken."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row

__all__ = [
    "CABINS",
    "airline_canceled",
    "cancel_terms",
    "certificate",
    "compensated",
    "customer_of",
    "cutoff",
    "delay_of",
    "departed",
    "downgrade",
    "ends",
    "fixed",
    "free_bags",
    "hours_until",
    "insured_late",
    "many_bags",
    "no_tier",
    "not_owner",
    "other_person",
    "other_route",
    "passengers_of",
    "reservation_of",
    "short_delay",
    "since_booking",
    "sold_late",
    "tier_of",
    "too_many",
    "unagreed",
    "unverified",
    "wrong_amount",
]

CABINS = ("basic", "economy", "business")


def hours_until(desk: Desk, flight: str) -> float:
    """Return the hours until a flight departs; negative if it has."""
    row = desk.store.row("flights", flight)
    now: datetime.datetime = desk.rules.now
    return (datetime.datetime.fromisoformat(f"{row['date']}T{row['departs']}") - now).total_seconds() / 3600


def since_booking(desk: Desk, arguments: Mapping[str, Any]) -> float:
    """Return the hours since a reservation was booked."""
    now: datetime.datetime = desk.rules.now
    return (now - datetime.datetime.fromisoformat(reservation_of(desk, arguments)["booked"])).total_seconds() / 3600


def reservation_of(desk: Desk, arguments: Mapping[str, Any]) -> Row:
    """Return the reservation that a call is about."""
    key = arguments.get("reservation_id")
    return desk.store.row(
        "reservations", key or desk.store.row("passengers", arguments["passenger_id"])["reservation_id"]
    )


def passengers_of(desk: Desk, reservation: str) -> int:
    """Return how many passengers a reservation has."""
    return sum(1 for _ in desk.store.rows("passengers", reservation_id=reservation))


def tier_of(desk: Desk, customer: str) -> str:
    """Return a customer's tier."""
    return str(desk.store.row("customers", customer)["tier"])


def free_bags(desk: Desk, customer: str, cabin: str, passengers: int) -> int:
    """Return how many bags are free."""
    return int(desk.rules.bags[tier_of(desk, customer)][cabin]) * passengers


def customer_of(desk: Desk, arguments: Mapping[str, Any]) -> str:
    """Return the customer whom a call is about."""
    return str(
        arguments["customer_id"] if "customer_id" in arguments else reservation_of(desk, arguments)["customer_id"]
    )


def unverified(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether nobody's identity has been established."""
    return not any(":" not in key for key in desk.verified)


def not_owner(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether what a call is about belongs to somebody who was not verified."""
    return customer_of(desk, arguments) not in desk.verified


def unagreed(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the person has not agreed."""
    return not desk.agreed


def departed(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a flight of the reservation has departed."""
    flights = reservation_of(desk, arguments)["flights"]
    return any(hours_until(desk, key) < 0 and desk.store.row("flights", key)["status"] != "canceled" for key in flights)


def airline_canceled(desk: Desk, row: Row) -> bool:
    """Whether the airline has canceled a flight of the reservation."""
    return any(desk.store.row("flights", key)["status"] == "canceled" for key in row["flights"])


def cancel_terms(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether nothing allows a cancellation: not the time, the airline, the cabin or the insurance."""
    row = reservation_of(desk, arguments)
    insured = row["insured"] and arguments["reason"] in desk.rules.insured_reasons
    allowed = since_booking(desk, arguments) <= desk.rules.grace or row["cabin"] in desk.rules.free_cabins
    return not (allowed or insured or airline_canceled(desk, row))


def cutoff(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the first departure is too near for changes."""
    flights = reservation_of(desk, arguments)["flights"]
    return bool(min(hours_until(desk, key) for key in flights) < desk.rules.cutoff)


def fixed(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the cabin does not allow other flights."""
    row = reservation_of(desk, arguments)
    return bool(row["cabin"] in desk.rules.fixed_cabins and not airline_canceled(desk, row))


def ends(desk: Desk, flights: Sequence[str]) -> tuple[str, str]:
    """Return where a series of flights begins and ends."""
    return (
        desk.store.row("flights", flights[0])["origin"] if flights else "",
        desk.store.row("flights", flights[-1])["destination"] if flights else "",
    )


def other_route(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether new flights begin or end elsewhere."""
    return ends(desk, reservation_of(desk, arguments)["flights"]) != ends(desk, arguments["flights"])


def downgrade(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the new cabin is lower."""
    return CABINS.index(arguments["cabin"]) < CABINS.index(reservation_of(desk, arguments)["cabin"])


def many_bags(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether there are too many bags."""
    count = (
        len(arguments["passengers"]) if "passengers" in arguments else passengers_of(desk, arguments["reservation_id"])
    )
    return bool(arguments["bags"] > desk.rules.most_bags * count)


def other_person(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a new name has nothing in common with the old one."""
    old = desk.store.row("passengers", arguments["passenger_id"])["name"].lower().split()
    return not set(old) & set(arguments["name"].lower().split())


def insured_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the time for insurance is over."""
    return bool(since_booking(desk, arguments) > desk.rules.insurance_hours)


def delay_of(desk: Desk, arguments: Mapping[str, Any]) -> int:
    """Return the longest delay of a reservation in hours."""
    flights = reservation_of(desk, arguments)["flights"]
    return max(int(desk.store.row("flights", key)["delay_hours"]) for key in flights)


def short_delay(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a delay was too short for compensation."""
    return bool(delay_of(desk, arguments) < desk.rules.delay)


def no_tier(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the customer's tier gets no compensation."""
    return bool(desk.rules.compensation[tier_of(desk, customer_of(desk, arguments))] == 0)


def wrong_amount(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether this is not the compensation for the tier and the passengers."""
    each = desk.rules.compensation[tier_of(desk, customer_of(desk, arguments))]
    return bool(
        each and round(arguments["amount"], 2) != round(each * passengers_of(desk, arguments["reservation_id"]), 2)
    )


def compensated(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the reservation has been compensated."""
    return bool(reservation_of(desk, arguments)["compensated"])


def certificate(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether something is paid with a certificate."""
    return bool(desk.store.row("payments", arguments["payment_id"])["kind"] == "certificate")


def sold_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a flight departs too soon to be sold."""
    return bool(
        arguments["flights"] and min(hours_until(desk, key) for key in arguments["flights"]) < desk.rules.book_cutoff
    )


def too_many(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether there are too many passengers."""
    return len(arguments["passengers"]) > int(desk.rules.most_passengers)
