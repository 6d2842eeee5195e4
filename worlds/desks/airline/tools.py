"""The airline's tools."""

import itertools
from collections.abc import Sequence
from typing import Any, Literal

from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.airline.checks import free_bags, hours_until, passengers_of, tier_of
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.wording import date_of, json_text

__all__ = ["TOOLBOX"]

PRIVATE = ("email", "phone", "birth_date", "member_number")
_CONNECTION = 45  # minutes needed to change planes
Cabin = Literal["basic", "economy", "business"]


def _shown(key: str, row: Row, *hidden: str) -> dict[str, Any]:
    return {"id": key, **{name: value for name, value in row.items() if name not in hidden}}


def _pay(desk: Desk, customer: str, payment_id: str, amount: float) -> None:
    """Charge an amount to a payment method, or refund a negative one; only certificates keep a balance."""
    payment = desk.store.row("payments", payment_id)
    if payment["customer_id"] != customer:
        raise ValueError(f"{payment_id} is not a payment method of {customer}")
    if payment["kind"] == "certificate":
        balance = round(payment["balance"] - amount, 2)
        if balance < 0:
            raise ValueError(f"the balance of {payment_id} is {payment['balance']:.2f}, less than {amount:.2f}")
        desk.store.change("payments", payment_id, balance=balance)


def _active(desk: Desk, reservation_id: str) -> Row:
    row = desk.store.row("reservations", reservation_id)
    if row["status"] != "active":
        raise ValueError(f"{reservation_id} is {row['status']}")
    return row


def _minutes(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:])


def _joined(desk: Desk, flights: Sequence[str]) -> list[Row]:
    """Return flights that follow each other.

    Raises:
        ValueError: They do not, or one of them cannot be taken.
    """
    if not 1 <= len(flights) <= 2 or len({*flights}) != len(flights):
        raise ValueError("flights must be one flight or two that connect")
    rows = [desk.store.row("flights", key) for key in flights]
    for key, row in zip(flights, rows, strict=True):
        if row["status"] == "canceled" or hours_until(desk, key) < 0:
            raise ValueError(f"{key} is canceled or has departed")
    for first, second in itertools.pairwise(rows):
        if not _connect(first, second):
            raise ValueError(f"{flights[0]} and {flights[1]} do not connect")
    return rows


def _connect(first: Row, second: Row) -> bool:
    if first["destination"] != second["origin"] or first["date"] != second["date"]:
        return False
    return _minutes(second["departs"]) - _minutes(first["arrives"]) >= _CONNECTION


def _seat(desk: Desk, flights: Sequence[str], cabin: str, count: int) -> None:
    """Take seats, or give back a negative number."""
    for key in flights:
        seats = desk.store.row("flights", key)["seats"]
        if seats[cabin] < count:
            raise ValueError(f"{key} has only {seats[cabin]} seats left in {cabin}")
    for key in flights:
        seats = desk.store.row("flights", key)["seats"]
        desk.store.change("flights", key, seats={**seats, cabin: seats[cabin] - count})


def _settled(total: float) -> dict[str, float]:
    return {"charged" if total >= 0 else "refunded": abs(total)}


# ---- looking things up ----------------------------------------------------------------------------------------------


def find_customer(desk: Desk, name: str) -> str:
    """Find customers by their full name."""
    wanted = " ".join(name.lower().split())
    found = [(key, row["name"]) for key, row in desk.store.rows("customers") if row["name"].lower() == wanted]
    return json_text([{"id": key, "name": name} for key, name in found])


def verify_identity(
    desk: Desk, customer_id: str, email: str = "", phone: str = "", birth_date: str = "", member_number: str = ""
) -> str:
    """Compare what a person says about themselves with a customer's record."""
    row = desk.store.row("customers", customer_id)
    given = {"email": email, "phone": phone, "birth_date": birth_date, "member_number": member_number}
    return json_text({"customer_id": customer_id, "match": desk.verify(customer_id, row, given)})


def get_customer(desk: Desk, customer_id: str) -> str:
    """Show a customer's tier and payment methods, without contact details."""
    row = desk.store.row("customers", customer_id)
    payments = [_shown(key, p, "customer_id") for key, p in desk.store.rows("payments", customer_id=customer_id)]
    return json_text({**_shown(customer_id, row, *PRIVATE), "payment_methods": payments})


def list_airports(desk: Desk) -> str:
    """List the airports with their codes."""
    return json_text({key: row["city"] for key, row in desk.store.rows("airports")})


def list_reservations(desk: Desk, customer_id: str) -> str:
    """List a customer's reservations."""
    desk.store.row("customers", customer_id)
    found = []
    for key, row in desk.store.rows("reservations", customer_id=customer_id):
        flights = [desk.store.row("flights", flight) for flight in row["flights"]]
        found.append({"id": key, "status": row["status"], "date": flights[0]["date"], "origin": flights[0]["origin"],
                      "destination": flights[-1]["destination"]})  # fmt: skip
    return json_text(found)


def get_reservation(desk: Desk, reservation_id: str) -> str:
    """Show a reservation with its flights, passengers, bags and payments."""
    row = desk.store.row("reservations", reservation_id)
    flights = [_shown(key, desk.store.row("flights", key), "prices", "seats") for key in row["flights"]]
    people = [
        {"id": key, "name": one["name"]} for key, one in desk.store.rows("passengers", reservation_id=reservation_id)
    ]
    return json_text({**_shown(reservation_id, row), "flights": flights, "passengers": people})


def get_flight(desk: Desk, flight_id: str) -> str:
    """Show a flight with its times, status, prices and free seats by cabin."""
    return json_text(_shown(flight_id, desk.store.row("flights", flight_id)))


def _route(desk: Desk, origin: str, destination: str) -> None:
    for code in (origin, destination):
        desk.store.row("airports", code)


def search_direct_flights(desk: Desk, origin: str, destination: str, date: str) -> str:
    """List the direct flights between two airports on a day, with prices and free seats by cabin."""
    _route(desk, origin, destination)
    found = desk.store.rows("flights", date=date_of(date).isoformat(), origin=origin, destination=destination)
    rows = sorted(found, key=lambda item: item[1]["departs"])
    return json_text([_shown(key, row) for key, row in rows])


def search_connections(desk: Desk, origin: str, destination: str, date: str) -> str:
    """List the pairs of flights that connect two airports with one stop on a day, with prices and seats by cabin."""
    _route(desk, origin, destination)
    day = list(desk.store.rows("flights", date=date_of(date).isoformat()))
    found = []
    for first, one in day:
        for second, two in day if one["origin"] == origin and one["destination"] != destination else ():
            if two["destination"] == destination and _connect(one, two):
                found.append([_shown(first, one), _shown(second, two)])
    return json_text(found[:10])


# ---- bookings -------------------------------------------------------------------------------------------------------


def book_flights(
    desk: Desk, customer_id: str, flights: list[str], cabin: Cabin, passengers: list[str], bags: int, insurance: bool,
    payment_id: str,
) -> str:  # fmt: skip
    """Book a flight, or two that connect, for one or more passengers."""
    rows = _joined(desk, flights)
    names = sorted({" ".join(name.split()) for name in passengers})
    if not names or not all(2 <= len(name) <= 80 for name in names):
        raise ValueError("passengers must be full names")
    if bags < 0:
        raise ValueError("bags must be 0 or more")
    fare = float(sum(row["prices"][cabin] for row in rows))
    paid_bags = max(0, bags - free_bags(desk, customer_id, cabin, len(names)))
    fee = round(desk.rules.insurance_price * len(names), 2) if insurance else 0.0
    total = round(fare * len(names) + paid_bags * desk.rules.bag_price + fee, 2)
    _seat(desk.fork(), flights, cabin, len(names))  # nothing is changed if a seat or money is missing
    _pay(desk, customer_id, payment_id, total)
    _seat(desk, flights, cabin, len(names))
    key = desk.store.next_key("reservations", "R")
    row = {
        "customer_id": customer_id, "cabin": cabin, "flights": tuple(flights), "payment_id": payment_id,
        "booked": desk.rules.now.isoformat(timespec="minutes"), "status": "active", "fare": fare, "bags": bags,
        "bags_paid": paid_bags, "insured": insurance, "insurance_paid": fee, "paid": total, "reason": "",
        "compensated": False,
    }  # fmt: skip
    desk.store.put("reservations", key, row)
    for name in names:
        desk.store.put("passengers", desk.store.next_key("passengers", "P"), {"reservation_id": key, "name": name})
    numbers = [f"{one['number']} at {one['departs']}" for one in rows]
    return json_text({"id": key, "flights": numbers, "charged": total, "with": payment_id})


def cancel_reservation(
    desk: Desk,
    reservation_id: str,
    reason: Literal["illness", "bad weather", "death in the family", "change of plans", "airline canceled"],
) -> str:
    """Cancel a reservation and refund it, without the insurance, to the payment method that it was booked with."""
    row = _active(desk, reservation_id)
    refund = round(row["paid"] - row["insurance_paid"], 2)
    _pay(desk, row["customer_id"], row["payment_id"], -refund)
    _seat(desk, row["flights"], row["cabin"], -passengers_of(desk, reservation_id))
    desk.store.change("reservations", reservation_id, status="canceled", reason=reason)
    return json_text({"id": reservation_id, "status": "canceled", "refunded": refund, "to": row["payment_id"]})


# ---- changes --------------------------------------------------------------------------------------------------------


def _refared(desk: Desk, reservation_id: str, flights: Sequence[str], cabin: str, payment_id: str, fee: float) -> float:
    """Move a reservation to flights in a cabin, and return what was charged."""
    row = _active(desk, reservation_id)
    count = passengers_of(desk, reservation_id)
    fare = float(sum(desk.store.row("flights", key)["prices"][cabin] for key in flights))
    total = float(round((fare - row["fare"] + fee) * count, 2))
    _seat(desk, row["flights"], row["cabin"], -count)
    _seat(desk, flights, cabin, count)
    _pay(desk, row["customer_id"], payment_id, total)
    desk.store.change("reservations", reservation_id, flights=tuple(flights), cabin=cabin, fare=fare,
                      paid=round(row["paid"] + total, 2))  # fmt: skip
    return total


def change_flights(desk: Desk, reservation_id: str, flights: list[str], payment_id: str) -> str:
    """Replace all flights of a reservation with other ones, in the same cabin."""
    row = _active(desk, reservation_id)
    rows = _joined(desk, flights)
    if tuple(flights) == tuple(row["flights"]):
        raise ValueError(f"{reservation_id} already has these flights")
    fee = desk.rules.change_fee[tier_of(desk, row["customer_id"])]
    _refared(desk.fork(), reservation_id, flights, row["cabin"], payment_id, fee)  # it may fail half-way
    total = _refared(desk, reservation_id, flights, row["cabin"], payment_id, fee)
    numbers = [f"{one['number']} at {one['departs']}" for one in rows]
    return json_text({"id": reservation_id, "flights": numbers, **_settled(total), "with": payment_id})


def change_cabin(desk: Desk, reservation_id: str, cabin: Cabin, payment_id: str) -> str:
    """Move all passengers of a reservation to another cabin."""
    row = _active(desk, reservation_id)
    if cabin == row["cabin"]:
        raise ValueError(f"{reservation_id} is already in {cabin}")
    _refared(desk.fork(), reservation_id, row["flights"], cabin, payment_id, 0.0)  # it may fail half-way
    total = _refared(desk, reservation_id, row["flights"], cabin, payment_id, 0.0)
    return json_text({"id": reservation_id, "cabin": cabin, **_settled(total), "with": payment_id})


def set_bags(desk: Desk, reservation_id: str, bags: int, payment_id: str) -> str:
    """Raise the number of bags of a reservation to a new total."""
    row = _active(desk, reservation_id)
    if bags <= row["bags"]:
        raise ValueError(f"{reservation_id} already has {row['bags']} bags; bags must be more")
    free = free_bags(desk, row["customer_id"], row["cabin"], passengers_of(desk, reservation_id))
    paid = max(row["bags_paid"], bags - free)
    total = round((paid - row["bags_paid"]) * desk.rules.bag_price, 2)
    _pay(desk, row["customer_id"], payment_id, total)
    desk.store.change("reservations", reservation_id, bags=bags, bags_paid=paid, paid=round(row["paid"] + total, 2))
    return json_text({"id": reservation_id, "bags": bags, "charged": total, "with": payment_id})


def change_passenger_name(desk: Desk, passenger_id: str, name: str) -> str:
    """Change the name of a passenger."""
    passenger = desk.store.row("passengers", passenger_id)
    _active(desk, passenger["reservation_id"])
    name = " ".join(name.split())
    if not 2 <= len(name) <= 80:
        raise ValueError("name must have 2 to 80 characters")
    desk.store.change("passengers", passenger_id, name=name)
    return json_text({"id": passenger_id, "name": name})


def add_insurance(desk: Desk, reservation_id: str, payment_id: str) -> str:
    """Insure a reservation for all of its passengers."""
    row = _active(desk, reservation_id)
    if row["insured"]:
        raise ValueError(f"{reservation_id} is already insured")
    fee = round(desk.rules.insurance_price * passengers_of(desk, reservation_id), 2)
    _pay(desk, row["customer_id"], payment_id, fee)
    desk.store.change(
        "reservations", reservation_id, insured=True, insurance_paid=fee, paid=round(row["paid"] + fee, 2)
    )
    return json_text({"id": reservation_id, "insured": True, "charged": fee, "with": payment_id})


def send_certificate(desk: Desk, reservation_id: str, amount: float) -> str:
    """Send a travel certificate to the customer as compensation for a delay."""
    row = desk.store.row("reservations", reservation_id)
    if not 0 < amount <= 5000:
        raise ValueError("amount must be more than 0 and at most 5000")
    key = desk.store.next_key("payments", "M")
    certificate = {"customer_id": row["customer_id"], "kind": "certificate", "label": "travel certificate",
                   "balance": round(float(amount), 2)}  # fmt: skip
    desk.store.put("payments", key, certificate)
    desk.store.change("reservations", reservation_id, compensated=True)
    return json_text({"id": key, "amount": certificate["balance"], "reservation_id": reservation_id})


def hand_over(desk: Desk, reason: str) -> str:
    """Give the conversation to a colleague; this ends it for you."""
    desk.handed_over = reason.strip()[:500] or "no reason given"
    return "A colleague takes over."


# ---- the toolbox ----------------------------------------------------------------------------------------------------

_CUSTOMER, _RESERVATION, _PAYMENT = "Its id, such as C1042.", "Its id, such as R20104.", "Its id, such as M3010."
_HEARD, _FLIGHTS = "As they said it.", "Their ids in order, such as [\"F1021\"]."  # fmt: skip
_SEARCH = {"origin": "Code of the airport.", "destination": "Code of the airport.", "date": "Day, such as 2026-03-31."}
TOOLBOX = Toolbox(
    [
        desk_tool(find_customer, False, name="First and last name."),
        desk_tool(
            verify_identity, False, customer_id=_CUSTOMER, email=_HEARD, phone="As they said it, such as 555-0100.",
            birth_date="As they said it, such as 1984-05-17.", member_number="As they said it, such as 123-456.",
        ),
        desk_tool(get_customer, False, customer_id=_CUSTOMER),
        desk_tool(list_airports, False),
        desk_tool(list_reservations, False, customer_id=_CUSTOMER),
        desk_tool(get_reservation, False, reservation_id=_RESERVATION),
        desk_tool(get_flight, False, flight_id="Its id, such as F1021."),
        desk_tool(search_direct_flights, False, **_SEARCH),
        desk_tool(search_connections, False, **_SEARCH),
        desk_tool(
            book_flights, True, customer_id=_CUSTOMER, flights=_FLIGHTS, cabin="The cabin.",
            passengers="Full names of all passengers.", bags="Bags of all passengers together.",
            insurance="Whether it is insured.", payment_id=_PAYMENT,
        ),
        desk_tool(cancel_reservation, True, reservation_id=_RESERVATION, reason="The customer's reason."),
        desk_tool(change_flights, True, reservation_id=_RESERVATION, flights=_FLIGHTS, payment_id=_PAYMENT),
        desk_tool(change_cabin, True, reservation_id=_RESERVATION, cabin="The new cabin.", payment_id=_PAYMENT),
        desk_tool(
            set_bags, True, reservation_id=_RESERVATION, bags="New total for all passengers.", payment_id=_PAYMENT
        ),
        desk_tool(change_passenger_name, True, passenger_id="Its id, such as P5031.", name="The new full name."),
        desk_tool(add_insurance, True, reservation_id=_RESERVATION, payment_id=_PAYMENT),
        desk_tool(send_certificate, True, reservation_id=_RESERVATION, amount="In dollars, for all passengers."),
        desk_tool(hand_over, False, reason="What it is about, for the colleague."),
    ],
    max_chars=8000,
)  # fmt: skip
