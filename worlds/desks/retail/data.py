"""The shop's database: customers, payment methods, products, variants, orders and their items."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.retail.rules import CATEGORIES, TIERS, Rules
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.names import FIRST, LAST, STREETS, TOWNS, listed

__all__ = ["Database", "Filling"]

Database = dict[str, dict[str, dict[str, Any]]]
BRANDS = listed(
    """
    Alderline Baywood Corvane Dunemark Eastlake Fernway Glenhart Hollin Ivara Jasperfield Kelmore Lunden Marrick
    Northfell Orsted Pinecrest Quillan Ridgeway Solvane Tamarack Ulverton Vardon Westholm Yarrow Zephyr
    """
)
_SIZES = ("size S", "size M", "size L", "size XL")
_CLOTHES_COLORS = ("black", "navy", "green", "red", "white", "gray")
_COLORS = ("black", "white", "silver", "blue")
_GOODS: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "clothing": {
        "rain jacket": (_CLOTHES_COLORS, _SIZES), "wool sweater": (_CLOTHES_COLORS, _SIZES),
        "linen shirt": (_CLOTHES_COLORS, _SIZES), "winter coat": (_CLOTHES_COLORS, _SIZES),
        "fleece vest": (_CLOTHES_COLORS, _SIZES), "denim jacket": (_CLOTHES_COLORS, _SIZES),
    },
    "electronics": {
        "tablet": (_COLORS, ("64 GB", "128 GB", "256 GB")), "e-reader": (_COLORS, ("16 GB", "32 GB", "64 GB")),
        "external drive": (_COLORS, ("1 TB", "2 TB", "4 TB")), "smartwatch": (_COLORS, ("40 mm", "44 mm", "48 mm")),
        "monitor": (_COLORS, ("24-inch", "27-inch", "32-inch")),
    },
    "kitchen": {
        "frying pan": (("black", "red", "copper"), ("8-inch", "10-inch", "12-inch")),
        "Dutch oven": (("red", "blue", "cream"), ("3-quart", "5-quart", "7-quart")),
        "kettle": (("black", "white", "cream"), ("1-quart", "1.5-quart", "2-quart")),
        "knife set": (("black", "white", "walnut"), ("4-piece", "6-piece", "9-piece")),
    },
    "outdoor": {
        "tent": (("green", "orange", "sand"), ("2-person", "3-person", "4-person")),
        "backpack": (("black", "green", "orange", "blue"), ("30-liter", "45-liter", "60-liter")),
        "sleeping bag": (("green", "orange", "blue"), ("short", "regular", "long")),
        "cooler": (("blue", "white", "sand"), ("20-liter", "30-liter", "45-liter")),
    },
    "swimwear": {
        "swimsuit": (_CLOTHES_COLORS, _SIZES), "swim shirt": (_CLOTHES_COLORS, _SIZES),
        "wetsuit": (("black", "navy", "gray"), _SIZES),
    },
    "personal care": {
        "electric toothbrush": (("black", "white", "pink"), ("single pack", "twin pack", "family pack")),
        "hair dryer": (("black", "white", "pink"), ("1200-watt", "1600-watt", "2000-watt")),
        "shaver": (("black", "silver", "blue"), ("three-blade", "five-blade", "travel")),
    },
}  # fmt: skip
_PRICES = {"clothing": (25, 160), "electronics": (60, 420), "kitchen": (25, 180), "outdoor": (40, 260),
           "swimwear": (20, 90), "personal care": (20, 120)}  # fmt: skip
_CARDS = ("Visa", "Mastercard", "Amex")


class Filling:
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        rules: The shop's policy, for dates and likely values.
        people: Customers.
    """

    def __init__(self, draw: Draw, rules: Rules, people: int) -> None:
        self.draw, self.rules, self.today = draw, rules, rules.today
        self.shop = f"{draw.choice(TOWNS)} {draw.either('Trading', 'Goods', 'Supply', 'Outfitters', 'Market')}"
        self.tables: Database = {
            name: {} for name in ("customers", "payments", "products", "variants", "orders", "items")
        }
        self._taken: set[str] = set()
        self._cards: dict[str, dict[str, str]] = {}
        self._numbers = {"customers": 1000, "payments": 3000, "products": 100, "variants": 500, "orders": 41000,
                         "items": 7000}  # fmt: skip
        pool = [self.product() for _ in range(max(12, people // 4))]
        self._pool = [[key for key, row in self.tables["variants"].items() if row["product_id"] == p] for p in pool]
        for _ in range(people):
            customer = self.customer()
            for _ in range(draw.integer(0, 3)):
                self.order(customer)

    def add(self, table: str, prefix: str, **row: Any) -> str:
        """Add a row under the next key, and return the key."""
        self._numbers[table] += self.draw.integer(1, 3)
        key = f"{prefix}{self._numbers[table]}"
        self.tables[table][key] = row
        return key

    def product(self, category: str = "") -> str:
        """Add a product with its variants, all of different prices; return its key."""
        draw = self.draw
        category = category or draw.choice(CATEGORIES)
        while True:
            noun = draw.choice(list(_GOODS[category]))
            name = f"{draw.choice(BRANDS)} {noun}"
            if name not in self._taken:
                break
        self._taken.add(name)
        key = self.add("products", "P", name=name, category=category)
        first, second = _GOODS[category][noun]
        low, high = _PRICES[category]
        base = draw.integer(low * 100, high * 100)
        step = max(1, base // 60)
        kinds = [(a, b) for a in draw.sample(first, 3) for b in draw.sample(second, 3)]
        for (a, b), rank in zip(kinds, draw.shuffled(range(len(kinds))), strict=True):
            price = (base + rank * step * 3 + draw.below(step * 2)) / 100  # ranks are further apart than the rest
            self.add("variants", "V", product_id=key, options=(a, b), price=price,
                     stock=draw.integer(1, 40) if draw.chance(0.85) else 0)  # fmt: skip
        return key

    def variants(self, product: str) -> list[str]:
        """Return the keys of a product's variants."""
        return [key for key, row in self.tables["variants"].items() if row["product_id"] == product]

    def address(self) -> str:
        """Draw an address."""
        draw = self.draw
        return f"{draw.integer(2, 480)} {draw.choice(STREETS)} Street, {draw.choice(TOWNS)}"

    def customer(self) -> str:
        """Add a customer with one or two ways to pay."""
        draw = self.draw
        while True:
            name = f"{draw.choice(FIRST)} {draw.choice(LAST)}"
            if name not in self._taken:
                break
        self._taken.add(name)
        first, _, last = name.partition(" ")
        key = self.add(
            "customers", "U", name=name, tier=draw.weighted(TIERS, (5, 3)), address=self.address(),
            email=f"{first}.{last}{draw.integer(1, 99)}@{draw.either('mail', 'post', 'inbox')}.example".lower(),
            postcode=f"{draw.integer(10, 99)}{draw.integer(100, 999)}", phone=f"555-{draw.integer(1000, 9999)}",
            birth_date=iso(self.today, -365 * draw.integer(19, 80) - draw.below(360)),
        )  # fmt: skip
        self.card(key)
        if draw.chance(0.3):
            self.gift_card(key, draw.integer(500, 9000) / 100)
        return key

    def card(self, customer: str) -> str:
        """Add a payment card, unlike the customer's others."""
        held = self._cards.setdefault(customer, {})
        label = self.draw.choice([brand for brand in _CARDS if brand not in held])
        held[label] = self.add("payments", "M", customer_id=customer, kind="card", label=label, balance=0.0)
        return held[label]

    def gift_card(self, customer: str, balance: float) -> str:
        """Add a gift card, or fill up the one that the customer has."""
        for key, row in self.tables["payments"].items():
            if row["customer_id"] == customer and row["kind"] == "gift card":
                row["balance"] = max(balance, row["balance"])
                return key
        return self.add("payments", "M", customer_id=customer, kind="gift card", label="gift card", balance=balance)

    def payment(self, customer: str) -> str:
        """Return a customer's first card."""
        return next(iter(self._cards[customer].values()))

    def order(self, customer: str, status: str = "", variants: tuple[str, ...] = (), **known: Any) -> str:
        """Add an order: of the given variants, or of any from the pool."""
        draw, today = self.draw, self.today
        status = status or draw.weighted(("pending", "processed", "delivered", "canceled"), (2, 2, 5, 1))
        placed = known.get("placed") or iso(
            today, -(draw.integer(0, 6) if status == "pending" else draw.integer(8, 70))
        )
        due = known.get("due") or iso(datetime.date.fromisoformat(placed), draw.integer(4, 7))
        delivered = ""
        if status == "delivered":
            delivered = known.get("delivered") or min(iso(today, -1), due)
        elif due <= today.isoformat():
            due = iso(today, draw.integer(1, 5))
        row = {
            "customer_id": customer, "status": status, "placed": placed, "due": due, "delivered": delivered,
            "address": self.tables["customers"][customer]["address"], "payment_id": self.payment(customer),
            "changes": 0, "compensated": False, "reason": "",
            "tracking": f"TR{draw.integer(100000, 999999)}" if status in ("processed", "delivered") else "",
        }  # fmt: skip
        key = self.add("orders", "W", **{**row, **known})
        for variant in variants or [draw.choice(draw.choice(self._pool)) for _ in range(draw.integer(1, 3))]:
            self.item(key, variant)
        return key

    def item(self, order: str, variant: str) -> str:
        """Add an item to an order."""
        row = self.tables["variants"][variant]
        return self.add("items", "I", order_id=order, variant_id=variant, price=row["price"], status="ordered")
