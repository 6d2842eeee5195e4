"""The shop's tools."""

import datetime
from typing import Any, Literal

from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.retail.checks import fee_of
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.wording import iso, json_text

__all__ = ["TOOLBOX"]

PRIVATE = ("email", "postcode", "phone", "birth_date", "address")


def _shown(key: str, row: Row, *hidden: str) -> dict[str, Any]:
    return {"id": key, **{name: value for name, value in row.items() if name not in hidden}}


def _item(desk: Desk, key: str) -> dict[str, Any]:
    item = desk.store.row("items", key)
    variant = desk.store.row("variants", item["variant_id"])
    product = desk.store.row("products", variant["product_id"])
    return {
        "id": key, "product": product["name"], "product_id": variant["product_id"], "category": product["category"],
        "variant_id": item["variant_id"], "options": variant["options"], "price_paid": item["price"],
        "status": item["status"],
    }  # fmt: skip


def _total(desk: Desk, order_id: str) -> float:
    return float(round(sum(item["price"] for _, item in desk.store.rows("items", order_id=order_id)), 2))


def _settle(desk: Desk, customer: str, payment_id: str, amount: float) -> None:
    """Charge an amount to a payment method, or refund a negative one; only gift cards keep a balance."""
    payment = desk.store.row("payments", payment_id)
    if payment["customer_id"] != customer:
        raise ValueError(f"{payment_id} is not a payment method of {customer}")
    if payment["kind"] == "gift card":
        balance = round(payment["balance"] - amount, 2)
        if balance < 0:
            raise ValueError(f"the balance of {payment_id} is {payment['balance']:.2f}, less than {amount:.2f}")
        desk.store.change("payments", payment_id, balance=balance)


def _kept_item(desk: Desk, item_id: str) -> tuple[Row, Row]:
    """Return an item that the customer still has or expects, and its order."""
    item = desk.store.row("items", item_id)
    order = desk.store.row("orders", item["order_id"])
    if item["status"] != "ordered" or order["status"] == "canceled":
        raise ValueError(f"{item_id} is already {item['status'] if item['status'] != 'ordered' else 'canceled'}")
    return item, order


def _address(text: str) -> str:
    if not text.strip() or len(text) > 200:
        raise ValueError("address must have 1 to 200 characters")
    return text.strip()


# ---- looking things up ----------------------------------------------------------------------------------------------


def find_customer(desk: Desk, name: str) -> str:
    """Find customers by their full name."""
    wanted = " ".join(name.lower().split())
    found = [(key, row["name"]) for key, row in desk.store.rows("customers") if row["name"].lower() == wanted]
    return json_text([{"id": key, "name": name} for key, name in found])


def verify_identity(
    desk: Desk, customer_id: str, email: str = "", postcode: str = "", phone: str = "", birth_date: str = ""
) -> str:
    """Compare what a person says about themselves with a customer's record."""
    row = desk.store.row("customers", customer_id)
    given = {"email": email, "postcode": postcode, "phone": phone, "birth_date": birth_date}
    return json_text({"customer_id": customer_id, "match": desk.verify(customer_id, row, given)})


def get_customer(desk: Desk, customer_id: str) -> str:
    """Show a customer's tier and payment methods, without contact details."""
    row = desk.store.row("customers", customer_id)
    payments = [_shown(key, p, "customer_id") for key, p in desk.store.rows("payments", customer_id=customer_id)]
    return json_text({**_shown(customer_id, row, *PRIVATE), "payment_methods": payments})


def list_orders(desk: Desk, customer_id: str) -> str:
    """List a customer's orders with the products in them."""
    desk.store.row("customers", customer_id)
    found = []
    for key, row in desk.store.rows("orders", customer_id=customer_id):
        names = [_item(desk, item)["product"] for item, _ in desk.store.rows("items", order_id=key)]
        found.append({"id": key, "status": row["status"], "placed": row["placed"], "products": names})
    return json_text(found)


def get_order(desk: Desk, order_id: str) -> str:
    """Show an order with its items, dates, payment method and total."""
    row = desk.store.row("orders", order_id)
    items = [_item(desk, key) for key, _ in desk.store.rows("items", order_id=order_id)]
    return json_text({**_shown(order_id, row), "total": _total(desk, order_id), "items": items})


def search_products(desk: Desk, query: str) -> str:
    """Search the products by words of the name or the category; at most ten results."""
    words = query.lower().split()
    found = [
        _shown(key, row)
        for key, row in desk.store.rows("products")
        if words and all(word in f"{row['name']} {row['category']}".lower() for word in words)
    ]
    return json_text(found[:10])


def get_product(desk: Desk, product_id: str) -> str:
    """Show a product with its variants: options, price and stock."""
    row = desk.store.row("products", product_id)
    variants = [_shown(key, v, "product_id") for key, v in desk.store.rows("variants", product_id=product_id)]
    return json_text({**_shown(product_id, row), "variants": variants})


# ---- pending orders -------------------------------------------------------------------------------------------------


def cancel_order(
    desk: Desk,
    order_id: str,
    reason: Literal["no longer needed", "ordered by mistake", "arrives too late", "cheaper elsewhere"],
) -> str:
    """Cancel an order and refund it to its payment method."""
    order = desk.store.row("orders", order_id)
    if order["status"] == "canceled":
        raise ValueError(f"{order_id} is already canceled")
    total = _total(desk, order_id)
    _settle(desk, order["customer_id"], order["payment_id"], -total)
    desk.store.change("orders", order_id, status="canceled", reason=reason)
    return json_text({"id": order_id, "status": "canceled", "refunded": total, "to": order["payment_id"]})


def _swap(desk: Desk, item_id: str, variant_id: str, payment_id: str, status: str) -> float:
    """Put another variant in an item's place, and return by how much it costs more."""
    item, order = _kept_item(desk, item_id)
    if variant_id == item["variant_id"]:
        raise ValueError(f"{item_id} is already {variant_id}")
    price = desk.store.row("variants", variant_id)["price"]
    more = float(round(price - item["price"], 2))
    _settle(desk, order["customer_id"], payment_id, more)
    desk.store.change("items", item_id, variant_id=variant_id, price=price, status=status)
    return more


def _difference(more: float) -> dict[str, float]:
    return {"charged" if more > 0 else "refunded": abs(more)}


def change_item(desk: Desk, item_id: str, variant_id: str, payment_id: str) -> str:
    """Put another variant in place of an item of an order that has not been delivered; the difference is settled."""
    more = _swap(desk, item_id, variant_id, payment_id, "ordered")
    order_id = desk.store.row("items", item_id)["order_id"]
    desk.store.change("orders", order_id, changes=desk.store.row("orders", order_id)["changes"] + 1)
    return json_text({"id": item_id, "variant_id": variant_id, **_difference(more), "with": payment_id})


def change_address(desk: Desk, order_id: str, address: str) -> str:
    """Send an order to another address."""
    order = desk.store.row("orders", order_id)
    due = iso(datetime.date.fromisoformat(order["due"]), desk.rules.address_delay)
    desk.store.change("orders", order_id, address=_address(address), due=due, changes=order["changes"] + 1)
    return json_text({"id": order_id, "address": address.strip(), "due": due})


def change_payment(desk: Desk, order_id: str, payment_id: str) -> str:
    """Pay for an order with another of the customer's payment methods."""
    order = desk.store.row("orders", order_id)
    if payment_id == order["payment_id"]:
        raise ValueError(f"{order_id} is already paid with {payment_id}")
    total = _total(desk, order_id)
    _settle(desk, order["customer_id"], payment_id, total)
    _settle(desk, order["customer_id"], order["payment_id"], -total)
    desk.store.change("orders", order_id, payment_id=payment_id, changes=order["changes"] + 1)
    return json_text({"id": order_id, "charged": total, "to": payment_id})


# ---- delivered orders -----------------------------------------------------------------------------------------------


def return_item(desk: Desk, item_id: str, payment_id: str) -> str:
    """Take back an item and refund it, less the fee for shipping, to a payment method."""
    item, order = _kept_item(desk, item_id)
    refund = round(max(0.0, item["price"] - fee_of(desk, order)), 2)
    _settle(desk, order["customer_id"], payment_id, -refund)
    desk.store.change("items", item_id, status="returned")
    send_by = iso(desk.rules.today, desk.rules.send_back)
    return json_text({"id": item_id, "status": "returned", "refunded": refund, "to": payment_id, "send_by": send_by})


def exchange_item(desk: Desk, item_id: str, variant_id: str, payment_id: str) -> str:
    """Exchange a delivered item for another variant; the difference in price is settled with a payment method."""
    more = _swap(desk, item_id, variant_id, payment_id, "exchanged")
    return json_text({"id": item_id, "variant_id": variant_id, **_difference(more), "with": payment_id})


def replace_item(desk: Desk, item_id: str) -> str:
    """Send the same item again, free of charge, because it arrived damaged."""
    item, order = _kept_item(desk, item_id)
    desk.store.change("items", item_id, status="replaced")
    key = desk.store.next_key("orders", "W")
    due = iso(desk.rules.today, desk.rules.replace_days)
    row = {**order, "status": "pending", "placed": iso(desk.rules.today), "due": due, "delivered": "", "changes": 0,
           "compensated": False, "tracking": ""}  # fmt: skip
    desk.store.put("orders", key, row)
    new = desk.store.next_key("items", "I")
    desk.store.put("items", new, {**item, "order_id": key, "price": 0.0})
    return json_text({"id": item_id, "status": "replaced", "order_id": key, "due": due})


def adjust_price(desk: Desk, item_id: str) -> str:
    """Refund the difference if an item costs less today than was paid for it."""
    item, order = _kept_item(desk, item_id)
    price = desk.store.row("variants", item["variant_id"])["price"]
    less = round(item["price"] - price, 2)
    if less <= 0:
        raise ValueError(f"{item_id} does not cost less today")
    _settle(desk, order["customer_id"], order["payment_id"], -less)
    desk.store.change("items", item_id, price=price)
    return json_text({"id": item_id, "price": price, "refunded": less, "to": order["payment_id"]})


def compensate(desk: Desk, order_id: str, amount: float) -> str:
    """Credit an amount to the customer's gift card, or a new one, for an order that came late."""
    order = desk.store.row("orders", order_id)
    if not 0 < amount <= 1000:
        raise ValueError("amount must be more than 0 and at most 1000")
    amount = round(float(amount), 2)
    held = list(desk.store.rows("payments", customer_id=order["customer_id"], kind="gift card"))
    key = held[0][0] if held else desk.store.next_key("payments", "M")
    row = held[0][1] if held else {"customer_id": order["customer_id"], "kind": "gift card", "label": "gift card",
                                   "balance": 0.0}  # fmt: skip
    desk.store.put("payments", key, {**row, "balance": round(row["balance"] + amount, 2)})
    desk.store.change("orders", order_id, compensated=True)
    return json_text({"order_id": order_id, "credited": amount, "to": key})


# ---- accounts -------------------------------------------------------------------------------------------------------


def change_default_address(desk: Desk, customer_id: str, address: str) -> str:
    """Change the address that a customer's future orders are sent to."""
    desk.store.change("customers", customer_id, address=_address(address))
    return json_text({"id": customer_id, "address": address.strip()})


def hand_over(desk: Desk, reason: str) -> str:
    """Give the conversation to a colleague; this ends it for you."""
    desk.handed_over = reason.strip()[:500] or "no reason given"
    return "A colleague takes over."


# ---- the toolbox ----------------------------------------------------------------------------------------------------

_CUSTOMER, _ORDER, _ITEM = "Its id, such as U1042.", "Its id, such as W41120.", "Its id, such as I7031."
_VARIANT, _PAYMENT, _HEARD = "Its id, such as V512.", "Its id, such as M3010.", "As they said it."
_ADDRESS = "All of it, as they said it."
TOOLBOX = Toolbox(
    [
        desk_tool(find_customer, False, name="First and last name."),
        desk_tool(
            verify_identity, False, customer_id=_CUSTOMER, email=_HEARD, postcode="Zip code, as they said it.",
            phone="As they said it, such as 555-0100.", birth_date="As they said it, such as 1984-05-17.",
        ),
        desk_tool(get_customer, False, customer_id=_CUSTOMER),
        desk_tool(list_orders, False, customer_id=_CUSTOMER),
        desk_tool(get_order, False, order_id=_ORDER),
        desk_tool(search_products, False, query="Words of the name or the category."),
        desk_tool(get_product, False, product_id="Its id, such as P104."),
        desk_tool(cancel_order, True, order_id=_ORDER, reason="The customer's reason."),
        desk_tool(change_item, True, item_id=_ITEM, variant_id=_VARIANT, payment_id=_PAYMENT),
        desk_tool(change_address, True, order_id=_ORDER, address=_ADDRESS),
        desk_tool(change_payment, True, order_id=_ORDER, payment_id=_PAYMENT),
        desk_tool(return_item, True, item_id=_ITEM, payment_id=_PAYMENT),
        desk_tool(exchange_item, True, item_id=_ITEM, variant_id=_VARIANT, payment_id=_PAYMENT),
        desk_tool(replace_item, True, item_id=_ITEM),
        desk_tool(adjust_price, True, item_id=_ITEM),
        desk_tool(compensate, True, order_id=_ORDER, amount="In dollars."),
        desk_tool(change_default_address, True, customer_id=_CUSTOMER, address=_ADDRESS),
        desk_tool(hand_over, False, reason="What it is about, for the colleague."),
    ],
    max_chars=6000,
)  # fmt: skip
