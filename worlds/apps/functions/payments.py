"""The functions of payments."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

BRIEF = ("payment_id", "other", "outgoing", "amount", "paid_at")
PAYMENT = Table("payments", "payment_id", "payment", BRIEF, search=("note",))
REQUEST = Table(
    "requests", "request_id", "payment request", ("request_id", "sender", "amount", "status"), search=("note",)
)
CARD = Table("cards", "card_id", "card")
LIMIT = Table("budgets", "budget_id", "budget")
BOOK = book_of("payments", {"other": "The other side's mail address.", "amount": "In dollars."})


def _positive(apps: Apps, user: str, given: dict[str, Any]) -> None:
    require(given["amount"] > 0, "amount must be above 0")


BOOK.lists("search_payments", PAYMENT, "List payments, newest first.",
           "query:str? other:str? outgoing:bool? paid_at_from:date? paid_at_until:date?", order="-paid_at")  # fmt: skip
BOOK.shows("show_payment", PAYMENT, "Show a payment with its note.")
BOOK.lists("list_requests", REQUEST, "List requests that others have sent you.",
           "sender:str? status:str? asked_at_from:date? asked_at_until:date?")  # fmt: skip
BOOK.shows("show_request", REQUEST, "Show a payment request with its note and date.")
BOOK.sets("decline_request", REQUEST, "Decline a payment request.", status="declined")
BOOK.lists("list_cards", CARD, "List cards.")
BOOK.shows("show_card", CARD, "Show a card.")
BOOK.sets("freeze_card", CARD, "Freeze a card.", frozen=True)
BOOK.sets("unfreeze_card", CARD, "Unfreeze a card.", frozen=False)
BOOK.updates("rename_card", CARD, "Rename a card.", "title:str")
BOOK.deletes("remove_card", CARD, "Remove a card.")
BOOK.lists("list_budgets", LIMIT, "List monthly budgets.")
BOOK.creates("create_budget", LIMIT, "Create a monthly budget.", "title:str amount:num", None, _positive)
BOOK.updates("update_budget", LIMIT, "Change a monthly budget.", "amount:num", _positive)
BOOK.deletes("delete_budget", LIMIT, "Delete a monthly budget.")
BOOK.members("add_label", "remove_label", PAYMENT, "label", "labels")


def paid(apps: Apps, other: str, amount: float, note: str) -> Any:
    """Send money."""
    balance = apps.store.get("balances", 1)
    assert balance is not None
    require(amount > 0, "amount must be above 0")
    require(round(amount, 2) == amount, "amount must have at most two decimals")
    known = any(row["email"] == other for row in apps.store.rows("contacts"))
    require(known, "nobody has this mail address", 404)
    require(amount <= balance["amount"], "the balance is too low", 409)
    apps.store.update("balances", 1, {"amount": round(balance["amount"] - amount, 2)})
    row = {"other": other, "outgoing": True, "amount": amount, "note": note, "paid_at": apps.now, "labels": ()}
    made = apps.store.insert("payments", "payment_id", row)
    return {"message": "The money was sent.", "payment_id": made["payment_id"]}


@BOOK.by_hand("send_money", 'other:str amount:num note:str=""', "Send money.", "A message and the payment_id.")
def _send(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return paid(apps, given["other"], given["amount"], given["note"])


@BOOK.by_hand("approve_request", "request_id:int", "Pay what a request asks for.", "A message and the payment_id.")
def _approve(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    request = apps.mine("requests", "request_id", given["request_id"], user, "payment request")
    require(request["status"] == "open", "the request is not open", 409)
    answer = paid(apps, request["sender"], request["amount"], request["note"])
    apps.store.update("requests", given["request_id"], {"status": "approved"})
    return answer


@BOOK.by_hand("show_balance", "", "Show how much money there is.", "The amount.")
def _balance(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return {"amount": (apps.store.get("balances", 1) or {})["amount"]}
