"""The airline's database: airports, flights, customers, payment methods, reservations and passengers."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.airline.checks import CABINS
from turnwise.worlds.desks.airline.rules import TIERS, Rules
from turnwise.worlds.desks.filling import Database, Payers, tickets
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.names import TOWNS

__all__ = ["Database", "Filling", "Route"]

Route = tuple[str, str]
_AHEAD = 10  # days for which there are flights besides those of the goals
_TABLES = {"airports": ("", 0), "flights": ("F", 1000), "customers": ("C", 1000), "payments": ("M", 3000),
           "reservations": ("R", 20000), "passengers": ("P", 5000)}  # fmt: skip
_TIERS = tickets(TIERS, (5, 3, 2))
_BOOKED = tickets(CABINS, (3, 5, 2))
_COMPANY = tickets((0, 1, 2), (6, 3, 1))
_CLOCK = tuple(f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in range(60))


class Filling(Payers):
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        rules: The airline's policy, for dates and likely values.
        people: Customers.
    """

    def __init__(self, draw: Draw, rules: Rules, people: int) -> None:
        super().__init__(draw, _TABLES)
        self.rules, self.now, self._now = rules, rules.now, rules.now.isoformat()
        self.today = rules.now.date()
        towns = draw.sample(TOWNS, 7)
        self.airline = f"{towns.pop()} {draw.either('Air', 'Airways', 'Airlines')}"
        self.letters = self.airline[:2].upper()
        for town in towns[:5]:
            self.tables["airports"][self._code(town)] = {"city": town}
        self.routes = [(a, b) for a in self.tables["airports"] for b in self.tables["airports"] if a != b]
        self._pool = [
            self.flight(draw.choice(self.routes), self.today + datetime.timedelta(days))
            for days in range(-6, _AHEAD) for _ in range(4)
        ]  # fmt: skip
        for _ in range(people):
            customer = self.customer()
            for _ in range(draw.integer(0, 2)):
                self.reservation(customer, (draw.choice(self._pool),))

    def _code(self, town: str) -> str:
        consonants = [letter for letter in town[1:].upper() if letter not in "AEIOU"]
        code = town[0].upper() + "".join(consonants[:2])
        return code if len(code) == 3 and code not in self.tables["airports"] else town[:3].upper()

    def city(self, code: str) -> str:
        """Return the city of an airport."""
        return str(self.tables["airports"][code]["city"])

    def free_date(self, low: int = _AHEAD + 2, high: int = 60) -> datetime.date:
        """Return a day on which no goal has planted anything, so many days from now."""
        while True:
            date = self.today + datetime.timedelta(self.draw.integer(low, high))
            if date not in self.taken:
                self.taken.add(date)
                return date

    def free_route(self, date: datetime.date) -> Route:
        """Return a route on which no goal has planted a flight on a day."""
        while True:
            route = self.draw.choice(self.routes)
            if (route, date) not in self.taken:
                self.taken.add((route, date))
                return route

    def flight(self, route: Route, date: datetime.date, departs: str = "", **known: Any) -> str:
        """Add a flight on a day."""
        unit = self.draw.unit
        if departs:
            begins = int(departs[:2]) * 60 + int(departs[3:])
        else:
            begins = (6 + int(unit() * 14)) * 60 + int(unit() * 12) * 5
            departs = _CLOCK[begins]
        ends = min(begins + (12 + int(unit() * 25)) * 5, 1435)
        economy, day = 80 + int(unit() * 241), iso(date)
        return self.new["flights"]({
            "number": f"{self.letters}{100 + int(unit() * 900)}", "origin": route[0], "destination": route[1],
            "date": day, "departs": departs, "arrives": _CLOCK[ends],
            "status": "flown" if f"{day}T{departs}" < self._now else "scheduled", "delay_hours": 0,
            "prices": {"basic": round(economy * 0.7), "economy": economy, "business": economy * 2 + int(unit() * 60)},
            "seats": {cabin: 9 + int(unit() * 22) for cabin in CABINS},
            **known,
        })  # fmt: skip

    def customer(self) -> str:
        """Add a customer with a card, and sometimes a certificate."""
        draw, unit = self.draw, self.draw.unit
        name = self.name()
        key = self.new["customers"]({
            "name": name, "tier": draw.choice(_TIERS), "email": self.email(name), "phone": self.phone_number(),
            "member_number": f"{100 + int(unit() * 900)}-{100 + int(unit() * 900)}",
            "birth_date": iso(self.today, -365 * (19 + int(unit() * 62)) - int(unit() * 360)),
        })  # fmt: skip
        self.card(key)
        if draw.chance(0.25):
            self.certificate(key, float(draw.integer(5, 30) * 10))
        return key

    def certificate(self, customer: str, balance: float) -> str:
        """Add a travel certificate, or fill up the one that the customer has."""
        return self.voucher(customer, "certificate", "travel certificate", balance)

    def reservation(self, customer: str, flights: tuple[str, ...], **known: Any) -> str:
        """Add a reservation of flights for the customer and their company."""
        draw, unit, rows = self.draw, self.draw.unit, self.tables["flights"]
        cabin = known.get("cabin") or draw.choice(_BOOKED)
        names = known.pop("names", None) or [self.tables["customers"][customer]["name"]] + [
            self.name() for _ in range(draw.choice(_COMPANY))
        ]
        first = rows[flights[0]]
        fare = float(sum([rows[key]["prices"][cabin] for key in flights]))
        insured = known.get("insured", draw.chance(0.3))
        fee = round(self.rules.insurance_price * len(names), 2) if insured else 0.0
        latest = min(self.now, datetime.datetime.fromisoformat(f"{first['date']}T{first['departs']}"))
        booked = latest - datetime.timedelta(0, (80 + int(unit() * 821)) * 3600 + int(unit() * 60) * 60)
        key = self.new["reservations"]({
            "customer_id": customer, "cabin": cabin, "flights": flights, "payment_id": self.payment(customer),
            "booked": booked.isoformat(timespec="minutes"), "status": "active", "fare": fare, "bags": 0, "bags_paid": 0,
            "insured": insured, "insurance_paid": fee, "paid": round(fare * len(names) + fee, 2), "reason": "",
            "compensated": False, **known,
        })  # fmt: skip
        add = self.new["passengers"]
        for name in names:
            add({"reservation_id": key, "name": name})
        return key
