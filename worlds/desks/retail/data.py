"""The shop's database: customers, payment methods, products, variants, orders and their items."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.filling import Database, Payers, tickets
from turnwise.worlds.desks.retail.rules import CATEGORIES, TIERS, Rules
from turnwise.worlds.desks.wording import iso, iso_of
from turnwise.worlds.names import STREETS, TOWNS, listed

__all__ = ["Database", "Filling"]

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


_TABLES = {"customers": ("U", 1000), "payments": ("M", 3000), "products": ("P", 100), "variants": ("V", 500),
           "orders": ("W", 41000), "items": ("I", 7000)}  # fmt: skip
_TIERS = tickets(TIERS, (5, 3))
_STATUSES = tickets(("pending", "processed", "delivered", "canceled"), (2, 2, 5, 1))
_OPTIONS: dict[str, dict[str, tuple[str, str]]] = {}  # pairs of options, which variants share
for _goods in _GOODS.values():
    for _firsts, _seconds in _goods.values():
        for _first in _firsts:
            _OPTIONS.setdefault(_first, {}).update({_second: (_first, _second) for _second in _seconds})
_NOUNS = {category: tuple(goods) for category, goods in _GOODS.items()}


class Filling(Payers):
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        rules: The shop's policy, for dates and likely values.
        people: Customers.
    """

    def __init__(self, draw: Draw, rules: Rules, people: int) -> None:
        super().__init__(draw, _TABLES)
        self.rules, self.today, self._day, self._now = rules, rules.today, rules.today.toordinal(), iso(rules.today)
        self.shop = f"{draw.choice(TOWNS)} {draw.either('Trading', 'Goods', 'Supply', 'Outfitters', 'Market')}"
        self._variants: dict[str, list[str]] = {}  # of each product
        for _ in range(max(12, people // 4)):
            self.product()
        self._pool = list(self._variants.values())
        for _ in range(people):
            customer = self.customer()
            for _ in range(draw.integer(0, 3)):
                self.order(customer)

    def product(self, category: str = "") -> str:
        """Add a product with its variants, all of different prices; return its key."""
        draw, unit = self.draw, self.draw.unit
        category = category or draw.choice(CATEGORIES)
        while True:
            noun = draw.choice(_NOUNS[category])
            name = f"{draw.choice(BRANDS)} {noun}"
            if name not in self.taken:
                break
        self.taken.add(name)
        key = self.new["products"]({"name": name, "category": category})
        first, second = _GOODS[category][noun]
        low, high = _PRICES[category]
        base = draw.integer(low * 100, high * 100)
        step = max(1, base // 60)
        kinds = [_OPTIONS[a][b] for a in draw.sample(first, 3) for b in draw.sample(second, 3)]
        ranks, add = draw.shuffled(range(len(kinds))), self.new["variants"]
        self._variants[key] = [
            add({
                "product_id": key, "options": options,
                # ranks are further apart than the rest
                "price": (base + rank * step * 3 + int(unit() * (step * 2))) / 100,
                "stock": 1 + int(unit() * 40) if unit() < 0.85 else 0,
            })
            for options, rank in zip(kinds, ranks, strict=True)
        ]  # fmt: skip
        return key

    def variants(self, product: str) -> list[str]:
        """Return the keys of a product's variants."""
        return self._variants[product]

    def address(self) -> str:
        """Draw an address."""
        unit = self.draw.unit
        number, street = 2 + int(unit() * 479), STREETS[int(unit() * len(STREETS))]
        return f"{number} {street} Street, {TOWNS[int(unit() * len(TOWNS))]}"

    def customer(self) -> str:
        """Add a customer with one or two ways to pay."""
        draw, unit = self.draw, self.draw.unit
        name = self.name()
        key = self.new["customers"]({
            "name": name, "tier": draw.choice(_TIERS), "address": self.address(),
            "email": self.email(name), "postcode": f"{10 + int(unit() * 90)}{100 + int(unit() * 900)}",
            "phone": self.phone_number(),
            "birth_date": iso_of(self._day - 365 * (19 + int(unit() * 62)) - int(unit() * 360)),
        })  # fmt: skip
        self.card(key)
        if draw.chance(0.3):
            self.gift_card(key, draw.integer(500, 9000) / 100)
        return key

    def gift_card(self, customer: str, balance: float) -> str:
        """Add a gift card, or fill up the one that the customer has."""
        return self.voucher(customer, "gift card", "gift card", balance)

    def order(self, customer: str, status: str = "", variants: tuple[str, ...] = (), **known: Any) -> str:
        """Add an order: of the given variants, or of any from the pool."""
        draw, unit = self.draw, self.draw.unit
        status = status or draw.choice(_STATUSES)
        if placed := known.get("placed"):
            day = datetime.date.fromisoformat(placed).toordinal()
        else:
            day = self._day - (int(unit() * 7) if status == "pending" else 8 + int(unit() * 63))
        due = known.get("due") or iso_of(day + 4 + int(unit() * 4))
        delivered = ""
        if status == "delivered":
            delivered = known.get("delivered") or min(iso_of(self._day - 1), due)
        elif due <= self._now:
            due = iso_of(self._day + 1 + int(unit() * 5))
        row = {
            "customer_id": customer, "status": status, "placed": iso_of(day), "due": due, "delivered": delivered,
            "address": self.tables["customers"][customer]["address"], "payment_id": self.payment(customer),
            "changes": 0, "compensated": False, "reason": "",
            "tracking": f"TR{100000 + int(unit() * 900000)}" if status in ("processed", "delivered") else "",
            **known,
        }  # fmt: skip
        key, pool = self.new["orders"](row), self._pool
        for variant in variants or [
            (kinds := pool[int(unit() * len(pool))])[int(unit() * len(kinds))] for _ in range(1 + int(unit() * 3))
        ]:
            self.item(key, variant)
        return key

    def item(self, order: str, variant: str) -> str:
        """Add an item to an order."""
        price = self.tables["variants"][variant]["price"]
        return self.new["items"]({"order_id": order, "variant_id": variant, "price": price, "status": "ordered"})
