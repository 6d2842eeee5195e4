"""The airline's policy to the minute, connections, and that a failed call changes nothing."""

import dataclasses
import datetime
import json
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.airline.checks import CABINS
from turnwise.worlds.desks.airline.data import Filling
from turnwise.worlds.desks.airline.rules import clauses_of, drawn_rules
from turnwise.worlds.desks.airline.tools import TOOLBOX
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.scenario import call
from turnwise.worlds.desks.store import Store

NOW = datetime.datetime(2026, 3, 4, 12, 0)


class Counter:
    """A customer at the desk, verified and agreeing, in a world whose rules a test sets."""

    def __init__(self, **rules: Any) -> None:
        fixed = {"now": NOW, "grace": 24, "free_cabins": ("business",), "insured_reasons": ("illness", "bad weather"),
                 "cutoff": 6, "fixed_cabins": ("basic",), "downgrades": False, "most_bags": 6, "certificates": False,
                 "insurance_hours": 48}  # fmt: skip
        self.rules = dataclasses.replace(drawn_rules(Draw("airline", 1)), **{**fixed, **rules})
        self.fill = Filling(Draw("rows", 1), self.rules, 12)
        self.customer = self.fill.customer()
        self.fill.tables["customers"][self.customer]["tier"] = "regular"
        self.card = self.fill.payment(self.customer)

    def trip(self, hours: float = 200, cabin: str = "economy", booked: float = 500, **known: Any) -> str:
        """Plant a reservation for two, of a flight so many hours from now."""
        when = NOW + datetime.timedelta(hours=hours)
        flight = self.fill.flight(self.fill.routes[0], when.date(), f"{when:%H:%M}", **known.pop("flight", {}))
        names = [self.fill.name(), self.fill.name()]
        made = (NOW - datetime.timedelta(hours=booked)).isoformat(timespec="minutes")
        rest = {"insured": False, **known}
        return self.fill.reservation(self.customer, (flight,), cabin=cabin, booked=made, names=names, **rest)

    def does(self, tool: str, **arguments: object) -> tuple[Desk, str]:
        """Make a call on a new desk; return the desk and the answer."""
        desk = Desk(Store(self.fill.tables), self.rules, clauses_of(self.rules))
        desk.agreed, desk.verified = True, frozenset({self.customer})
        return desk, TOOLBOX.run(call(tool, **arguments), desk).text

    def broken(self, tool: str, **arguments: object) -> tuple[str, ...]:
        desk, answer = self.does(tool, **arguments)
        assert len(desk.made) == 1, answer
        return desk.broken


def test_what_can_be_canceled() -> None:
    at = Counter()
    cases: list[tuple[dict[str, Any], str, tuple[str, ...]]] = [
        ({"booked": 24}, "change of plans", ()), ({"booked": 24.25}, "change of plans", ("cancel_terms",)),
        ({"cabin": "business"}, "change of plans", ()), ({"insured": True}, "illness", ()),
        ({"insured": True}, "death in the family", ("cancel_terms",)), ({}, "illness", ("cancel_terms",)),
        ({"flight": {"status": "canceled"}}, "airline canceled", ()),
        ({"hours": -1, "cabin": "business"}, "change of plans", ("departed",)),
    ]  # fmt: skip
    for known, reason, broken in cases:
        assert at.broken("cancel_reservation", reservation_id=at.trip(**known), reason=reason) == broken


def test_changes_end_before_departure() -> None:
    at = Counter()
    for hours, broken in [(6, ()), (5.75, ("cutoff",))]:
        key = at.trip(hours)
        passenger = next(k for k, row in at.fill.tables["passengers"].items() if row["reservation_id"] == key)
        name = at.fill.tables["passengers"][passenger]["name"].split()[0] + " Newman"
        assert at.broken("change_cabin", reservation_id=key, cabin="business", payment_id=at.card) == broken
        assert at.broken("set_bags", reservation_id=key, bags=12, payment_id=at.card) == broken
        assert at.broken("change_passenger_name", passenger_id=passenger, name=name) == broken
    assert at.broken("change_passenger_name", passenger_id=passenger, name="Ann Other") == ("cutoff", "names")
    assert at.broken("change_cabin", reservation_id=at.trip(), cabin="basic", payment_id=at.card) == ("downgrade",)
    assert at.broken("set_bags", reservation_id=at.trip(), bags=13, payment_id=at.card) == ("bags",)
    certificate = at.fill.certificate(at.customer, 900.0)
    assert at.broken("set_bags", reservation_id=at.trip(), bags=9, payment_id=certificate) == ("certificate",)
    for booked, late in [(48, ()), (48.25, ("insurance",))]:
        assert at.broken("add_insurance", reservation_id=at.trip(booked=booked), payment_id=at.card) == late


def test_other_flights() -> None:
    at = Counter()
    date = datetime.date(2026, 5, 1)
    same, other = at.fill.flight(at.fill.routes[0], date), at.fill.flight(at.fill.routes[1], date)
    for cabin, flight, broken in [("economy", same, ()), ("basic", same, ("fixed",)), ("economy", other, ("route",))]:
        key = at.trip(cabin=cabin)
        assert at.broken("change_flights", reservation_id=key, flights=[flight], payment_id=at.card) == broken
    free = at.trip(cabin="basic", flight={"status": "canceled"})
    desk, answer = at.does("change_flights", reservation_id=free, flights=[same], payment_id=at.card)
    rows = desk.store
    paid = 2 * (rows.row("flights", same)["prices"]["basic"] - at.fill.tables["reservations"][free]["fare"]
                + at.rules.change_fee["regular"])  # fmt: skip
    assert desk.broken == () and json.loads(answer.partition(">")[2].rpartition("<")[0])["flights"]
    assert rows.row("reservations", free)["paid"] == at.fill.tables["reservations"][free]["paid"] + paid


def test_compensation_is_for_each_passenger() -> None:
    at = Counter(delay=3, compensation={"regular": 0.0, "silver": 40.0, "gold": 60.0})
    key, short = at.trip(-9, flight={"delay_hours": 3}), at.trip(-9, flight={"delay_hours": 2})
    done = at.trip(-9, flight={"delay_hours": 5}, compensated=True)
    assert at.broken("send_certificate", reservation_id=key, amount=80.0) == ("tier",)
    at.fill.tables["customers"][at.customer]["tier"] = "silver"
    for trip, amount, broken in [(key, 80, ()), (key, 40, ("compensation_amount",)), (short, 80, ("delay",)),
                                 (done, 80, ("compensation_once",))]:  # fmt: skip
        assert at.broken("send_certificate", reservation_id=trip, amount=amount) == broken


def test_connections_leave_time_to_change_planes() -> None:
    at = Counter()
    start, hub, end = list(at.fill.tables["airports"])[:3]
    date = datetime.date(2026, 6, 1)
    first = at.fill.flight((start, hub), date, "08:00", arrives="10:00")
    late, soon = (at.fill.flight((hub, end), date, time) for time in ("10:45", "10:40"))
    _, answer = at.does("search_connections", origin=start, destination=end, date=date.isoformat())
    assert f'"{late}"' in answer and f'"{soon}"' not in answer
    booking = {"customer_id": at.customer, "cabin": "economy", "passengers": ["Ann Other"], "bags": 0,
               "insurance": False, "payment_id": at.card}  # fmt: skip
    assert at.broken("book_flights", flights=[first, late], **booking) == ()
    assert not at.does("book_flights", flights=[first, soon], **booking)[0].made


def test_a_call_that_fails_changes_nothing() -> None:
    at = Counter(certificates=True)
    key, date = at.trip(), datetime.date(2026, 5, 2)
    full = at.fill.flight(at.fill.routes[0], date, seats=dict.fromkeys(CABINS, 1))
    poor = at.fill.certificate(at.customer, 1.0)
    booking = {"customer_id": at.customer, "cabin": "basic", "bags": 0, "insurance": True}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("change_flights", {"reservation_id": key, "flights": [full], "payment_id": at.card}),
        ("change_cabin", {"reservation_id": key, "cabin": "business", "payment_id": poor}),
        ("book_flights", {"flights": [full], "passengers": ["Ann Other"], "payment_id": poor, **booking}),
        ("book_flights", {"flights": [full], "passengers": ["A B", "C D"], "payment_id": at.card, **booking}),
    ]  # fmt: skip
    for tool, arguments in calls:
        desk, _ = at.does(tool, **arguments)
        assert not desk.made and not desk.store.changes() and not desk.broken
