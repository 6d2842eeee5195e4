"""The operator's tools."""

from typing import Any, Literal

from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.telecom.rules import overdue
from turnwise.worlds.desks.wording import date_of, iso, json_text

__all__ = ["TOOLBOX", "confirmation"]

PRIVATE = ("birth_date", "postcode", "account_number", "password", "email")


def _public(key: str, row: Row) -> dict[str, Any]:
    return {"id": key, **{name: value for name, value in row.items() if name not in PRIVATE}}


def confirmation(about: str) -> str:
    """Return the confirmation number of what was done about a row."""
    return f"{int(about[1:]) * 6367 % 90000 + 10000}"


def _open_bill(desk: Desk, bill_id: str) -> Row:
    bill = desk.store.row("bills", bill_id)
    if bill["status"] != "open":
        raise ValueError(f"{bill_id} has already been paid")
    return bill


# ---- looking things up ----------------------------------------------------------------------------------------------


def find_customer(desk: Desk, name: str) -> str:
    """Find customers by their full name."""
    wanted = " ".join(name.lower().split())
    return json_text(
        [{"id": key, "name": row["name"]} for key, row in desk.store.rows("customers") if row["name"].lower() == wanted]
    )


def verify_identity(
    desk: Desk, customer_id: str, birth_date: str = "", postcode: str = "", account_number: str = "", password: str = ""
) -> str:
    """Compare what a person says about themselves with a customer's record."""
    row = desk.store.row("customers", customer_id)
    given = {"birth_date": birth_date, "postcode": postcode, "account_number": account_number, "password": password}
    return json_text({"customer_id": customer_id, "match": desk.verify(customer_id, row, given)})


def get_customer(desk: Desk, customer_id: str) -> str:
    """Show a customer's overdue bills, last credit and last extension, without contact details."""
    row = desk.store.row("customers", customer_id)
    late = [key for key, _ in overdue(desk, customer_id)]
    return json_text({**_public(customer_id, row), "overdue_bills": late})


def list_lines(desk: Desk, customer_id: str) -> str:
    """List a customer's lines with their numbers."""
    desk.store.row("customers", customer_id)
    found = desk.store.rows("lines", customer_id=customer_id)
    return json_text(
        [{"id": key, **{name: row[name] for name in ("number", "device", "status")}} for key, row in found]
    )


def get_line(desk: Desk, line_id: str) -> str:
    """Show a line: its plan, status, SIM card, data of this month in GB, data packs, roaming and contract."""
    row = desk.store.row("lines", line_id)
    return json_text({**_public(line_id, row), "plan": desk.store.row("plans", row["plan_id"])["name"]})


def list_bills(desk: Desk, customer_id: str) -> str:
    """List a customer's bills: open and paid ones."""
    desk.store.row("customers", customer_id)
    return json_text([_public(key, row) for key, row in desk.store.rows("bills", customer_id=customer_id)])


def list_plans(desk: Desk) -> str:
    """List the plans with their monthly price and data in GB."""
    return json_text([_public(key, row) for key, row in desk.store.rows("plans")])


# ---- changing things ------------------------------------------------------------------------------------------------


def take_payment(desk: Desk, bill_id: str) -> str:
    """Charge an open bill to the payment card on file."""
    _open_bill(desk, bill_id)
    return json_text({"id": bill_id, **desk.store.change("bills", bill_id, status="paid", paid=iso(desk.rules.today))})


def credit_bill(desk: Desk, bill_id: str, amount: float) -> str:
    """Take an amount off an open bill as a gesture of goodwill."""
    bill = _open_bill(desk, bill_id)
    if not 0 < amount <= bill["amount"]:
        raise ValueError(f"amount must be more than 0 and at most the bill's {bill['amount']}")
    desk.store.change("customers", bill["customer_id"], last_credit=iso(desk.rules.today))
    left = round(bill["amount"] - amount, 2)
    return json_text({"id": bill_id, **desk.store.change("bills", bill_id, amount=left)})


def extend_due_date(desk: Desk, bill_id: str, days: int) -> str:
    """Give a customer more days to pay an open bill."""
    bill = _open_bill(desk, bill_id)
    if not 1 <= days <= 90:
        raise ValueError("days must be from 1 to 90")
    desk.store.change("customers", bill["customer_id"], last_extension=iso(desk.rules.today))
    return json_text({"id": bill_id, **desk.store.change("bills", bill_id, due=iso(date_of(bill["due"]), days))})


def suspend_line(desk: Desk, line_id: str) -> str:
    """Suspend a line because its phone was lost or stolen."""
    if desk.store.row("lines", line_id)["status"] != "active":
        raise ValueError(f"{line_id} is already suspended")
    desk.store.change("lines", line_id, status="suspended", suspended_for="lost phone")
    return json_text({"id": line_id, "status": "suspended", "confirmation_number": confirmation(line_id)})


def resume_line(desk: Desk, line_id: str) -> str:
    """Resume a suspended line."""
    if desk.store.row("lines", line_id)["status"] == "active":
        raise ValueError(f"{line_id} is not suspended")
    desk.store.change("lines", line_id, status="active", suspended_for="")
    return json_text({"id": line_id, "status": "active", "confirmation_number": confirmation(line_id)})


def change_plan(desk: Desk, line_id: str, plan_id: str) -> str:
    """Move a line to another plan from today."""
    plan = desk.store.row("plans", plan_id)
    line = desk.store.row("lines", line_id)
    if line["plan_id"] == plan_id:
        raise ValueError(f"{line_id} already has this plan")
    extra = line["packs"] * desk.rules.pack
    desk.store.change("lines", line_id, plan_id=plan_id, plan_since=iso(desk.rules.today), data=plan["data"] + extra)
    return json_text({"id": line_id, "plan": plan["name"], "price": plan["price"], "data": plan["data"] + extra})


def add_data(desk: Desk, line_id: str) -> str:
    """Add a data pack to a line, which is charged with the next bill."""
    line = desk.store.row("lines", line_id)
    changed = desk.store.change("lines", line_id, data=line["data"] + desk.rules.pack, packs=line["packs"] + 1)
    return json_text(
        {"id": line_id, "data": changed["data"], "packs": changed["packs"], "price": desk.rules.pack_price}
    )


def set_roaming(desk: Desk, line_id: str, on: bool) -> str:
    """Turn roaming on or off for a line, on the operator's side."""
    desk.store.change("lines", line_id, roaming=on)
    return json_text({"id": line_id, "roaming": on, "fee_per_day": desk.rules.roaming_fee})


def activate_sim(desk: Desk, line_id: str) -> str:
    """Activate the SIM card that was sent out for a line."""
    if desk.store.row("lines", line_id)["sim_status"] == "active":
        raise ValueError(f"the SIM card of {line_id} is already active")
    desk.store.change("lines", line_id, sim_status="active")
    return json_text({"id": line_id, "sim_status": "active"})


def send_sim(desk: Desk, line_id: str) -> str:
    """Send a replacement SIM card for a line to the address on file."""
    desk.store.row("lines", line_id)
    key = desk.store.next_key("orders", "O")
    row = {"line_id": line_id, "what": "SIM card", "ordered": iso(desk.rules.today)}
    desk.store.put("orders", key, row)
    return json_text({"id": key, **row, "price": desk.rules.sim_fee})


def change_contact(desk: Desk, customer_id: str, field: Literal["email", "postcode"], value: str) -> str:
    """Replace a contact detail of a customer."""
    if not value.strip() or len(value) > 100:
        raise ValueError("value must have 1 to 100 characters")
    desk.store.change("customers", customer_id, **{field: value.strip()})
    return json_text({"id": customer_id, "changed": field, "confirmation_number": confirmation(customer_id)})


def hand_over(desk: Desk, reason: str) -> str:
    """Give the conversation to a colleague; this ends it for you."""
    desk.handed_over = reason.strip()[:500] or "no reason given"
    return "A colleague takes over."


# ---- the toolbox ----------------------------------------------------------------------------------------------------

_CUSTOMER, _LINE, _BILL = "Their id, such as C3042.", "Its id, such as N512.", "Its id, such as B7012."
TOOLBOX = Toolbox(
    [
        desk_tool(find_customer, False, name="First and last name."),
        desk_tool(
            verify_identity, False, customer_id=_CUSTOMER, birth_date="As they said it, such as 1984-05-17.",
            postcode="As they said it.", account_number="As they said it, such as 1234-56.",
            password="As they said it.",
        ),
        desk_tool(get_customer, False, customer_id=_CUSTOMER),
        desk_tool(list_lines, False, customer_id=_CUSTOMER),
        desk_tool(get_line, False, line_id=_LINE),
        desk_tool(list_bills, False, customer_id=_CUSTOMER),
        desk_tool(list_plans, False),
        desk_tool(take_payment, True, bill_id=_BILL),
        desk_tool(credit_bill, True, bill_id=_BILL, amount="In dollars."),
        desk_tool(extend_due_date, True, bill_id=_BILL, days="How many more days."),
        desk_tool(suspend_line, True, line_id=_LINE),
        desk_tool(resume_line, True, line_id=_LINE),
        desk_tool(change_plan, True, line_id=_LINE, plan_id="Its id, such as T5."),
        desk_tool(add_data, True, line_id=_LINE),
        desk_tool(set_roaming, True, line_id=_LINE, on="Whether it is to be on."),
        desk_tool(activate_sim, True, line_id=_LINE),
        desk_tool(send_sim, True, line_id=_LINE),
        desk_tool(change_contact, True, customer_id=_CUSTOMER, field="Which detail.", value="The new value."),
        desk_tool(hand_over, False, reason="What it is about, for the colleague."),
    ],
    max_chars=6000,
)  # fmt: skip
