"""The operator's database: customers, their lines, plans and bills."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.filling import Database, Filler
from turnwise.worlds.desks.telecom.rules import Rules
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.names import listed

__all__ = ["Database", "Filling"]

_DEVICES = ("Orbit 7", "Orbit 7 Pro", "Lumen X", "Lumen X2", "Pebble 5", "Pebble Max", "Nova S", "Nova S Plus")
_PASSWORDS = listed("harbor willow copper meadow lantern pepper saffron velvet walnut maple ember quartz juniper tulip")
_SIZES = ((2, 15.0), (5, 20.0), (10, 26.0), (20, 34.0), (40, 45.0), (80, 60.0))


_TABLES = {"customers": ("C", 3000), "lines": ("N", 500), "plans": ("T", 0), "bills": ("B", 7000),
           "orders": ("O", 100)}  # fmt: skip


class Filling(Filler):
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        rules: The operator's policy, for dates and likely values.
        people: Customers.

    Attributes:
        phone: The line of the phone that the person has in their hands, its settings, whether they are abroad, and what
            does not work.
    """

    def __init__(self, draw: Draw, rules: Rules, people: int) -> None:
        super().__init__(draw, _TABLES)
        self.rules, self.today = rules, rules.today
        self.phone: tuple[str, dict[str, Any], bool, str] = ("", {}, False, "service")
        for data, price in draw.sample(_SIZES, 5):
            name = f"{draw.either('Flow', 'Go', 'Talk', 'Stream')} {data}"
            self.new["plans"]({"name": name, "data": data, "price": price + draw.integer(0, 3)})
        for _ in range(people):
            customer = self.customer()
            for _ in range(draw.integer(1, 2)):
                self.line(customer)
            for ago in range(draw.integer(0, 2)):
                self.bill(customer, ago)

    def customer(self, **known: Any) -> str:
        """Add a customer."""
        draw, integer = self.draw, self.draw.integer
        name = self.name()
        return self.new["customers"]({
            "name": name, "birth_date": iso(self.today, -365 * integer(20, 80) - draw.below(360)),
            "postcode": f"{integer(10000, 99999)}",
            "account_number": f"{integer(1000, 9999)}-{integer(10, 99)}",
            "password": f"{draw.choice(_PASSWORDS)}{integer(10, 99)}",
            "email": f"{name.partition(' ')[0].lower()}{integer(1, 999)}@{draw.either('mail', 'post')}.example",
            "last_credit": "", "last_extension": "", **known,
        })  # fmt: skip

    def number(self) -> str:
        """Return a telephone number that no line has."""
        while True:
            number = f"555-{self.draw.integer(1000, 9999)}"
            if number not in self.taken:
                self.taken.add(number)
                return number

    def line(self, customer: str, **known: Any) -> str:
        """Add a line on which all is well."""
        draw, integer = self.draw, self.draw.integer
        plan = known.get("plan_id") or draw.choice(list(self.tables["plans"]))
        data = self.tables["plans"][plan]["data"]
        since = known.get("since") or iso(self.today, -draw.integer(200, 1500))
        return self.new["lines"]({
            "customer_id": customer, "number": self.number(), "device": draw.choice(_DEVICES), "plan_id": plan,
            "since": since, "plan_since": iso(self.today, -integer(100, 199)), "status": "active",
            "suspended_for": "", "sim_status": "active", "data": data, "data_used": integer(0, 10 * data - 2) / 10,
            "packs": 0, "roaming": draw.chance(0.3), "contract_end": iso(self.today, integer(20, 600)),
            **known,
        })  # fmt: skip

    def bill(self, customer: str, ago: int = 0, **known: Any) -> str:
        """Add a bill of so many months ago, paid unless said."""
        draw = self.draw
        due = known.get("due") or iso(self.today, -30 * ago - draw.integer(3, 20))
        status = known.get("status", "paid")
        paid = min(iso(self.today, -1), due) if status == "paid" else ""
        return self.new["bills"]({
            "customer_id": customer, "amount": draw.integer(60, 400) * 0.25, "due": due, "status": status,
            "paid": paid, **known,
        })  # fmt: skip

    def date(self, days: int) -> datetime.date:
        """Return a day so many days ahead."""
        return self.today + datetime.timedelta(days)
