"""Parts that several pages of the shop share, and how it writes amounts, ratings and choices."""

import datetime
import re
from typing import Any

from turnwise.worlds.web.site import Visit, money
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.shop.data import DELIVERY, shipping_cost

__all__ = [
    "Basket",
    "address_label",
    "basket_of",
    "card",
    "card_label",
    "cents_of",
    "coupon_problem",
    "delivery_label",
    "discount_of",
    "euro",
    "long_day",
    "option_text",
    "rated",
    "stars",
    "to_words",
]

_AMOUNT = re.compile(r"(\d{1,6})(?:[.,](\d{1,2}))?", re.ASCII)


def euro(cents: int) -> str:
    """Format an amount with its sign."""
    return f"€{money(cents)}"


def cents_of(text: str) -> int | None:
    """Return an amount that a visitor typed in cents, or None if it is not one."""
    found = _AMOUNT.fullmatch(text.removeprefix("€").removesuffix("EUR").strip())
    return int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0")) if found else None


def rated(rating: int, reviews: int) -> str:
    """Return a product's rating, given in tenths, in words."""
    if not reviews:
        return "No reviews yet"
    return f"{rating // 10}.{rating % 10} out of 5 ({reviews} review{'s' if reviews > 1 else ''})"


def stars(number: int) -> str:
    """Return a review's stars in words."""
    return f"{number} star{'s' if number > 1 else ''}"


def long_day(day: str) -> str:
    """Format a date as people write it: ``3 May 2027``."""
    found = datetime.date.fromisoformat(day[:10])
    return f"{found.day} {found:%B %Y}"


def option_text(size: str, colour: str) -> str:
    """Return size and colour of a variant, or "" if it has neither."""
    return ", ".join(part for part in (size, colour) if part)


def card(id: int, title: str, brand: str, price: int, rating: int, reviews: int, in_stock: int) -> m.Markup:
    """Return a product's entry in a list."""
    facts = f"{brand} · {euro(price)} · {rated(rating, reviews)} · {'In stock' if in_stock else 'Sold out'}"
    return m.card(m.tag("h3", m.link(f"/product/{id}", title)), m.tag("p", facts))


def address_label(label: str, name: str, street: str, postcode: str, town: str) -> str:
    """Return an address on one line."""
    return f"{label}: {name}, {street}, {postcode} {town}"


def card_label(brand: str, last4: str, expires: str) -> str:
    """Return a payment card on one line."""
    return f"{brand} ending in {last4} (expires {expires})"


def delivery_label(key: str, subtotal: int) -> str:
    """Return a delivery with what it costs."""
    name = next(name for known, name, _ in DELIVERY if known == key)
    cost = shipping_cost(key, subtotal)
    return f"{name}: {euro(cost) if cost else 'free'}"


def to_words(key: str) -> str:
    """Return what an order's address is for its delivery."""
    return "Pick up near" if key == "pickup" else "Deliver to"


def discount_of(coupon: tuple[int, int], subtotal: int) -> int:
    """Return what a coupon of (percent, amount) takes off in cents, halves rounded up."""
    percent, amount = coupon
    return min(subtotal, (subtotal * percent + 50) // 100 + amount)


def coupon_problem(minimum: int, starts: str, ends: str, today: str, subtotal: int) -> str:
    """Return why a coupon cannot be used, or "" if it can."""
    if today < starts:
        return f"This coupon is valid only from {long_day(starts)}."
    if today > ends:
        return f"This coupon expired on {long_day(ends)}."
    if subtotal < minimum:
        return f"This coupon needs a subtotal of at least {euro(minimum)}."
    return ""


class Basket:
    """What is in the cart, and what it costs.

    Attributes:
        rows: (variant, product, title, size, colour, price, quantity, stock).
        coupon: Code of the valid coupon, or "".
        problem: Why the chosen coupon is not valid.
    """

    def __init__(self, rows: list[Any], coupon: str, problem: str, discount: int) -> None:
        self.rows, self.coupon, self.problem, self.discount = rows, coupon, problem, discount
        self.subtotal: int = sum(row[5] * row[6] for row in rows)


def basket_of(visit: Visit) -> Basket:
    """Return the visitor's cart with the coupon chosen for it."""
    rows = visit.rows(
        "SELECT c.variant, p.id, p.title, v.size, v.colour, p.price, c.quantity, v.stock FROM cart c JOIN variant v "
        "ON v.id = c.variant JOIN product p ON p.id = v.product WHERE c.account = ? ORDER BY c.variant",
        visit.user,
    )
    subtotal = sum(row[5] * row[6] for row in rows)
    found = visit.get(
        "SELECT k.code, k.percent, k.amount, k.minimum, k.starts, k.ends FROM checkout c JOIN coupon k ON k.code = "
        "c.coupon WHERE c.account = ?",
        visit.user,
    )
    if found is None or not rows:
        return Basket(rows, "", "", 0)
    code, percent, amount, minimum, starts, ends = found
    problem = coupon_problem(minimum, starts, ends, f"{visit.now.date()}", subtotal)
    if problem:
        return Basket(rows, "", f"{code}: {problem}", 0)
    return Basket(rows, code, "", discount_of((percent, amount), subtotal))
