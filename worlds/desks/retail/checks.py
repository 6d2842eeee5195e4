"""What the shop's rules look at: facts about a call that decide whether a clause would be broken."""

import datetime
from collections.abc import Mapping
from typing import Any

from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row

__all__ = [
    "address_unproved",
    "adjust_late",
    "bad_reason",
    "bad_refund",
    "cancel_late",
    "category_of",
    "changed_out",
    "compensated",
    "customer_of",
    "damage_late",
    "exchange_late",
    "fee_of",
    "final",
    "large_gift",
    "not_delivered",
    "not_late",
    "not_owner",
    "not_pending",
    "order_of",
    "other_payment",
    "other_product",
    "out_of_stock",
    "return_late",
    "since",
    "unagreed",
    "unverified",
    "wrong_amount",
]


def fee_of(desk: Desk, order: Row) -> float:
    """Return what is kept back for an item that is returned from an order."""
    tier = desk.store.row("customers", order["customer_id"])["tier"]
    return 0.0 if desk.rules.free_tier and tier == "plus" else float(desk.rules.return_fee)


def order_of(desk: Desk, arguments: Mapping[str, Any]) -> Row:
    """Return the order that a call is about."""
    key = arguments.get("order_id") or desk.store.row("items", arguments["item_id"])["order_id"]
    return desk.store.row("orders", key)


def customer_of(desk: Desk, arguments: Mapping[str, Any]) -> str:
    """Return the customer whom a call is about."""
    if "customer_id" in arguments:
        return str(arguments["customer_id"])
    return str(order_of(desk, arguments)["customer_id"])


def category_of(desk: Desk, arguments: Mapping[str, Any]) -> str:
    """Return the category of the item that a call is about."""
    item = desk.store.row("items", arguments["item_id"])
    product = desk.store.row("variants", item["variant_id"])["product_id"]
    return str(desk.store.row("products", product)["category"])


def since(desk: Desk, date: str) -> int:
    """Return how many days have passed since a date."""
    today: datetime.date = desk.rules.today
    return (today - datetime.date.fromisoformat(date)).days if date else -1


def unverified(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether nobody's identity has been established."""
    return not any(":" not in key for key in desk.verified)


def not_owner(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether what a call is about belongs to somebody who was not verified."""
    return customer_of(desk, arguments) not in desk.verified


def unagreed(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the person has not agreed."""
    return not desk.agreed


def address_unproved(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the detail that a change of address takes was not verified."""
    return f"{customer_of(desk, arguments)}:{desk.rules.address_evidence}" not in desk.verified


def not_pending(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the order is no longer pending."""
    return bool(order_of(desk, arguments)["status"] != "pending")


def cancel_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a pending order is too old to be canceled."""
    order = order_of(desk, arguments)
    return bool(order["status"] == "pending" and since(desk, order["placed"]) > desk.rules.cancel_days)


def bad_reason(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the reason for a cancellation is not accepted."""
    return arguments["reason"] not in desk.rules.cancel_reasons


def changed_out(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the order has been changed as often as it can be."""
    return bool(order_of(desk, arguments)["changes"] >= desk.rules.changes)


def not_delivered(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the order has not arrived."""
    return bool(order_of(desk, arguments)["status"] != "delivered")


def final(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the item is on final sale."""
    return bool(desk.rules.return_days[category_of(desk, arguments)] == 0)


def return_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the time for a return is over."""
    days = desk.rules.return_days[category_of(desk, arguments)]
    return bool(days and since(desk, order_of(desk, arguments)["delivered"]) > days)


def exchange_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the time for an exchange is over."""
    return bool(since(desk, order_of(desk, arguments)["delivered"]) > desk.rules.exchange_days)


def other_product(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the new variant is of another product."""
    old = desk.store.row("variants", desk.store.row("items", arguments["item_id"])["variant_id"])
    return bool(desk.store.row("variants", arguments["variant_id"])["product_id"] != old["product_id"])


def out_of_stock(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the new variant is not in stock."""
    return bool(desk.store.row("variants", arguments["variant_id"])["stock"] < 1)


def other_payment(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a payment method is not that of the order."""
    return bool(arguments["payment_id"] != order_of(desk, arguments)["payment_id"])


def bad_refund(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a refund may not go to this payment method."""
    gift = desk.rules.to_gift_card and desk.store.row("payments", arguments["payment_id"])["kind"] == "gift card"
    return other_payment(desk, arguments) and not gift


def large_gift(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a refund is too large for a gift card."""
    order, item = order_of(desk, arguments), desk.store.row("items", arguments["item_id"])
    gift = desk.store.row("payments", arguments["payment_id"])["kind"] == "gift card"
    other = arguments["payment_id"] != order["payment_id"]
    return bool(gift and other and round(item["price"] - fee_of(desk, order), 2) > desk.rules.gift_limit)


def adjust_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the time for a refund of a lower price is over."""
    return bool(since(desk, order_of(desk, arguments)["placed"]) > desk.rules.adjust_days)


def not_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether a delivery was not late enough for compensation."""
    order = order_of(desk, arguments)
    if not order["delivered"]:
        return True
    return bool(since(desk, order["due"]) - since(desk, order["delivered"]) < desk.rules.late_days)


def wrong_amount(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether this is not the compensation of the customer's tier."""
    tier = desk.store.row("customers", customer_of(desk, arguments))["tier"]
    return bool(round(arguments["amount"], 2) != desk.rules.compensation[tier])


def compensated(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the order has been compensated."""
    return bool(order_of(desk, arguments)["compensated"])


def damage_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    """Whether the time for reporting damage is over."""
    return bool(since(desk, order_of(desk, arguments)["delivered"]) > desk.rules.damage_days)
