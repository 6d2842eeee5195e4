"""What goals of the shop's customers are about: planted orders, and how people name what is in them."""

import datetime
from collections.abc import Callable, Sequence
from typing import NamedTuple

from turnwise.core.tools import Call
from turnwise.worlds.desks import drafting
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.retail.checks import fee_of
from turnwise.worlds.desks.retail.data import Filling
from turnwise.worlds.desks.retail.rules import CATEGORIES
from turnwise.worlds.desks.said import Said, day, money
from turnwise.worlds.desks.scenario import call
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.people.part import Fact

__all__ = ["Place", "Say", "Thing", "answer", "bought", "cents", "delivered", "facts_of", "lookups", "option_fact",
           "options_of", "other_card", "other_variants", "payment_fact", "refunded", "returnable"]  # fmt: skip

Place = drafting.Place[Filling]
Say = Callable[[Desk], Sequence[Said]]


class Thing(NamedTuple):
    """An item that the person has bought: its keys, its name with an article, and what was paid."""

    order: str
    item: str
    variant: str
    product: str
    name: str
    price: float


def cents(amount: float) -> Said:
    """An amount that has to be said."""
    return money(round(amount * 100))


def answer(*said: Said) -> Say:
    """What has to be said, whatever the desk looks like."""
    return lambda desk: said


def returnable(place: Place) -> list[str]:
    """Return the categories that can be returned."""
    return [c for c in CATEGORIES if place.fill.rules.return_days[c]]


def bought(place: Place, status: str, category: str = "", **known: object) -> Thing:
    """Plant an order of the person with a product that they have bought only once."""
    fill, draw = place.fill, place.draw
    product = fill.product(category or draw.choice(returnable(place)))
    variant = draw.choice(fill.variants(product))
    order = fill.order(place.person, status, (variant,), **known)
    item = list(fill.tables["items"])[-1]
    for _ in range(draw.either(0, 0, 1, 2)):
        extra = fill.product(draw.choice(CATEGORIES))
        fill.item(order, draw.choice(fill.variants(extra)))
    name = f"the {fill.tables['products'][product]['name']}"
    return Thing(order, item, variant, product, name, fill.tables["items"][item]["price"])


def delivered(place: Place, ago: int, category: str = "", late: int = 0, **known: object) -> Thing:
    """Plant an order that was delivered some days ago, some days after it was due."""
    today = place.fill.today
    took = place.draw.integer(4, 7)
    dates = {"placed": iso(today, -ago - late - took), "due": iso(today, -ago - late), "delivered": iso(today, -ago)}
    return bought(place, "delivered", category, **dates, **known)


def other_variants(place: Place, thing: Thing, stock: bool = True) -> list[str]:
    """Return the product's other variants that are in stock, or those that are not; there is at least one of either."""
    fill = place.fill
    others = [key for key in fill.variants(thing.product) if key != thing.variant]
    fitting = [key for key in others if bool(fill.tables["variants"][key]["stock"]) is stock]
    if not fitting:
        fitting = [place.draw.choice(others)]
        fill.tables["variants"][fitting[0]]["stock"] = place.draw.integer(1, 9) if stock else 0
    return fitting


def options_of(place: Place, variant: str) -> str:
    """Return a variant's options as people say them."""
    return ", ".join(place.fill.tables["variants"][variant]["options"])


def option_fact(place: Place, thing: Thing, variant: str, offered: bool = False) -> Fact:
    """Return which variant is wanted; another one might be named by mistake."""
    others = [key for key in place.fill.variants(thing.product) if key not in (variant, thing.variant)]
    first, second = place.fill.tables["variants"][variant]["options"]
    also = (
        f"{second}, {first}",
        f"{first} {second}",
        f"{second} {first}",
        f"{first} in {second}",
        f"{second} in {first}",
    )
    return Fact("option", f"{first}, {second}", offered, also, (options_of(place, place.draw.choice(others)),))


def facts_of(place: Place, thing: Thing, again: bool = False) -> tuple[Fact, ...]:
    """Return the item, which is named unless it was before, and the order number, which may not be at hand."""
    known = not place.draw.chance(place.shape.unknown)
    return (
        Fact("item", thing.name, offered=not again, also=(thing.name[4:],)),
        Fact("order", thing.order if known else ""),
    )


def lookups(place: Place, thing: Thing, *, product: bool = False) -> tuple[Call, ...]:
    """Return the calls that look up an order, and the product if its variants matter."""
    calls = (call("list_orders", customer_id=place.person), call("get_order", order_id=thing.order))
    return (*calls, call("get_product", product_id=thing.product)) if product else calls


def other_card(place: Place) -> str:
    """Return a card of the person that none of their orders is paid with, adding one if need be."""
    fill = place.fill
    used = fill.payment(place.person)
    cards = [key for key, row in fill.tables["payments"].items()
             if row["customer_id"] == place.person and row["kind"] == "card" and key != used]  # fmt: skip
    return cards[0] if cards else fill.card(place.person)


def payment_fact(place: Place, payment: str, offered: bool = False) -> Fact:
    """Return which payment method is meant."""
    rows = place.fill.tables["payments"]
    label = rows[payment]["label"]
    mine = [row["label"] for row in rows.values() if row["customer_id"] == place.person]
    value = f"my {label}"
    return Fact("payment", value, offered, (label,), tuple(other for other in mine if other != label))


def refunded(thing: Thing) -> Say:
    """What has to be said about a return: the refund, and the day by which the item is sent off."""

    def say(desk: Desk) -> Sequence[Said]:
        back = thing.price - fee_of(desk, desk.store.row("orders", thing.order))
        today: datetime.date = desk.rules.today
        return cents(back), day(today + datetime.timedelta(desk.rules.send_back))

    return say
