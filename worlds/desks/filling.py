"""What the databases of all domains are drawn with: new rows, people's names, and lists to draw from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from turnwise.core.draw import Draw
from turnwise.worlds.names import FIRST, LAST

__all__ = ["Database", "Filler", "Payers", "tickets"]

Database: TypeAlias = dict[str, dict[str, dict[str, Any]]]
_CARDS = ("Visa", "Mastercard", "Amex")
_HOSTS = ("mail", "post", "inbox")
T = TypeVar("T")


class Filler:
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        tables: The tables, each with the letter of its keys and the number that they follow.

    Attributes:
        tables: The database.
        new: By table, what adds a row and returns its key.
        taken: The names of people, and of other things that must not occur twice.
    """

    def __init__(self, draw: Draw, tables: Mapping[str, tuple[str, int]]) -> None:
        self.draw = draw
        self.tables: Database = {name: {} for name in tables}
        self.new = {
            name: _adding(self.tables[name], prefix, number, draw.unit) for name, (prefix, number) in tables.items()
        }
        self.taken: set[object] = set()

    def name(self, last: str = "") -> str:
        """Draw a first and a last name that nobody has together."""
        unit = self.draw.unit
        while True:
            name = f"{FIRST[int(unit() * len(FIRST))]} {last or LAST[int(unit() * len(LAST))]}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def email(self, name: str) -> str:
        """Draw an email address for a name."""
        unit = self.draw.unit
        return f"{name.replace(' ', '.')}{1 + int(unit() * 99)}@{_HOSTS[int(unit() * len(_HOSTS))]}.example".lower()

    def phone_number(self) -> str:
        """Draw a telephone number."""
        return f"555-{1000 + int(self.draw.unit() * 9000)}"


class Payers(Filler):
    """Draws customers' ways to pay into a table of payments."""

    def __init__(self, draw: Draw, tables: Mapping[str, tuple[str, int]]) -> None:
        super().__init__(draw, tables)
        self._first: dict[str, str] = {}  # card of each customer
        self._vouchers: dict[str, str] = {}

    def card(self, customer: str) -> str:
        """Add a payment card, unlike the customer's others."""
        brands: Sequence[str] = _CARDS
        if customer in self._first:
            rows = self.tables["payments"].values()
            held = {row["label"] for row in rows if row["customer_id"] == customer}
            brands = [brand for brand in _CARDS if brand not in held]
        label = self.draw.choice(brands)
        key = self.new["payments"]({"customer_id": customer, "kind": "card", "label": label, "balance": 0.0})
        self._first.setdefault(customer, key)
        return key

    def voucher(self, customer: str, kind: str, label: str, balance: float) -> str:
        """Add what a balance can be spent from, or fill up the one that the customer has."""
        key = self._vouchers.get(customer)
        if key is not None:
            row = self.tables["payments"][key]
            row["balance"] = max(balance, row["balance"])
            return key
        row = {"customer_id": customer, "kind": kind, "label": label, "balance": balance}
        key = self._vouchers[customer] = self.new["payments"](row)
        return key

    def payment(self, customer: str) -> str:
        """Return a customer's first card."""
        return self._first[customer]


def _adding(
    rows: dict[str, dict[str, Any]], prefix: str, number: int, unit: Callable[[], float]
) -> Callable[[dict[str, Any]], str]:
    def add(row: dict[str, Any]) -> str:
        nonlocal number
        number += 1 + int(unit() * 3)  # some numbers are left out
        key = f"{prefix}{number}"
        rows[key] = row
        return key

    return add


def tickets(items: Sequence[T], odds: Sequence[int]) -> tuple[T, ...]:
    """Each of ``items`` as often as its odds say: `Draw.choice` of them draws as `Draw.weighted` does, but quicker.

    The sum of the odds times a number below 1 never rounds up to the sum, and less a whole number it does not round.
    """
    return tuple(item for item, count in zip(items, odds, strict=True) for _ in range(count))
