"""The operator's database: customers, their lines, plans and bills."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.telecom.rules import Rules
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.names import FIRST, LAST, listed

__all__ = ["Database", "Filling"]

Database = dict[str, dict[str, dict[str, Any]]]
_DEVICES = ("Orbit 7", "Orbit 7 Pro", "Lumen X", "Lumen X2", "Pebble 5", "Pebble Max", "Nova S", "Nova S Plus")
_PASSWORDS = listed("harbor willow copper meadow lantern pepper saffron velvet walnut maple ember quartz juniper tulip")
_SIZES = ((2, 15.0), (5, 20.0), (10, 26.0), (20, 34.0), (40, 45.0), (80, 60.0))


class Filling:
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
        self.draw, self.rules, self.today = draw, rules, rules.today
        self.tables: Database = {name: {} for name in ("customers", "lines", "plans", "bills", "orders")}
        self.phone: tuple[str, dict[str, Any], bool, str] = ("", {}, False, "service")
        self._names: set[str] = set()
        self._said: set[str] = set()
        self._numbers = {"customers": 3000, "lines": 500, "plans": 0, "bills": 7000, "orders": 100}
        for data, price in draw.sample(list(_SIZES), 5):
            name = f"{draw.either('Flow', 'Go', 'Talk', 'Stream')} {data}"
            self.add("plans", "T", name=name, data=data, price=price + draw.integer(0, 3))
        for _ in range(people):
            customer = self.customer()
            for _ in range(draw.integer(1, 2)):
                self.line(customer)
            for ago in range(draw.integer(0, 2)):
                self.bill(customer, ago)

    def add(self, table: str, prefix: str, **row: Any) -> str:
        """Add a row under the next key, and return the key."""
        self._numbers[table] += self.draw.integer(1, 3)
        key = f"{prefix}{self._numbers[table]}"
        self.tables[table][key] = row
        return key

    def customer(self, **known: Any) -> str:
        """Add a customer."""
        draw = self.draw
        while True:
            name = f"{draw.choice(FIRST)} {draw.choice(LAST)}"
            if name not in self._names:
                break
        self._names.add(name)
        row = {
            "name": name, "birth_date": iso(self.today, -365 * draw.integer(20, 80) - draw.below(360)),
            "postcode": f"{draw.integer(10000, 99999)}",
            "account_number": f"{draw.integer(1000, 9999)}-{draw.integer(10, 99)}",
            "password": f"{draw.choice(_PASSWORDS)}{draw.integer(10, 99)}",
            "email": f"{name.partition(' ')[0].lower()}{draw.integer(1, 999)}@{draw.either('mail', 'post')}.example",
            "last_credit": "", "last_extension": "",
        }  # fmt: skip
        return self.add("customers", "C", **{**row, **known})

    def number(self) -> str:
        """Return a telephone number that no line has."""
        while True:
            number = f"555-{self.draw.integer(1000, 9999)}"
            if number not in self._said:
                self._said.add(number)
                return number

    def line(self, customer: str, **known: Any) -> str:
        """Add a line on which all is well."""
        draw = self.draw
        plan = known.get("plan_id") or draw.choice(list(self.tables["plans"]))
        data = self.tables["plans"][plan]["data"]
        since = known.get("since") or iso(self.today, -draw.integer(200, 1500))
        row = {
            "customer_id": customer, "number": self.number(), "device": draw.choice(_DEVICES), "plan_id": plan,
            "since": since, "plan_since": iso(self.today, -draw.integer(100, 199)), "status": "active",
            "suspended_for": "", "sim_status": "active", "data": data, "data_used": draw.integer(0, 10 * data - 2) / 10,
            "packs": 0, "roaming": draw.chance(0.3), "contract_end": iso(self.today, draw.integer(20, 600)),
        }  # fmt: skip
        return self.add("lines", "N", **{**row, **known})

    def bill(self, customer: str, ago: int = 0, **known: Any) -> str:
        """Add a bill of so many months ago, paid unless said."""
        draw = self.draw
        due = known.get("due") or iso(self.today, -30 * ago - draw.integer(3, 20))
        status = known.get("status", "paid")
        paid = min(iso(self.today, -1), due) if status == "paid" else ""
        row = {"customer_id": customer, "amount": draw.integer(60, 400) * 0.25, "due": due, "status": status,
               "paid": paid}  # fmt: skip
        return self.add("bills", "B", **{**row, **known})

    def date(self, days: int) -> datetime.date:
        """Return a day so many days ahead."""
        return self.today + datetime.timedelta(days)
