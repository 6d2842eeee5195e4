"""The operator's policy: its parameters, which differ from operator to operator, and its clauses."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Clause, Desk
from turnwise.worlds.desks.drafting import sections
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.wording import date_of, dollars, months_before

__all__ = ["EVIDENCE", "Rules", "clauses_of", "drawn_rules", "overdue", "policy_text"]

EVIDENCE = {
    "birth_date": "date of birth",
    "postcode": "postcode",
    "account_number": "account number",
    "password": "service password",
}
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Rules:
    """Parameters of an operator's policy; amounts in dollars, times in days unless said.

    Attributes:
        today: The day of the conversation.
        evidence: What a customer has to give before anything is changed, besides the name.
        more_evidence: What is needed in addition for SIM cards, lost phones and contact details.
        overdue: A line of a customer with this many overdue bills is not resumed by the desk.
        pack: Gigabytes of a data pack.
        pack_price: Its price.
        packs: Most packs for a line in a month.
        roaming_age: A line must be this old for roaming.
        roaming_fee: Price of a day abroad.
        plan_wait: Least time between two changes of a line's plan.
        credit: Largest credit on a bill.
        credit_months: Months that must have passed since a customer's last credit.
        extension: Longest extension of a due date.
        extension_months: Months that must have passed since a customer's last extension.
        sim_fee: Price of a replacement SIM card.
    """

    today: datetime.date
    evidence: tuple[str, ...]
    more_evidence: str
    overdue: int
    pack: int
    pack_price: float
    packs: int
    roaming_age: int
    roaming_fee: float
    plan_wait: int
    credit: float
    credit_months: int
    extension: int
    extension_months: int
    sim_fee: float


def drawn_rules(draw: Draw) -> Rules:
    """Draw an operator's parameters."""
    evidence = (
        tuple(draw.sample(["birth_date", "postcode", "password"], 2)) if draw.chance(0.7) else ("account_number",)
    )
    return Rules(
        today=datetime.date(2026, 1, 5) + datetime.timedelta(draw.below(700)),
        evidence=evidence,
        more_evidence=draw.choice([name for name in EVIDENCE if name not in evidence]),
        overdue=draw.integer(2, 4),
        pack=draw.either(1, 2, 3, 5, 10),
        pack_price=draw.either(5.0, 8.0, 10.0, 12.5, 15.0),
        packs=draw.integer(1, 3),
        roaming_age=draw.either(14, 30, 60, 90),
        roaming_fee=draw.either(2.0, 3.5, 5.0, 7.5),
        plan_wait=draw.either(14, 30, 60, 90),
        credit=draw.either(5.0, 10.0, 15.0, 20.0),
        credit_months=draw.either(6, 9, 12, 18),
        extension=draw.either(5, 7, 10, 14, 21),
        extension_months=draw.either(3, 6, 9, 12),
        sim_fee=draw.either(0.5, 5.0, 7.5, 10.0),
    )


# ---- what the rules look at -----------------------------------------------------------------------------------------


def overdue(desk: Desk, customer: str) -> list[tuple[str, Row]]:
    """Return a customer's bills that are past their due date."""
    today = desk.rules.today.isoformat()
    return [
        (key, row) for key, row in desk.store.rows("bills", customer_id=customer, status="open") if row["due"] < today
    ]


def _customer(desk: Desk, given: Given) -> str:
    for argument, table in (("line_id", "lines"), ("bill_id", "bills")):
        if argument in given:
            return str(desk.store.row(table, given[argument])["customer_id"])
    return str(given["customer_id"])


def _line(desk: Desk, given: Given) -> Row:
    return desk.store.row("lines", given["line_id"])


def _since(desk: Desk, date: str) -> int:
    return int((desk.rules.today - date_of(date)).days)


def _unverified(desk: Desk, given: Given) -> bool:
    return _customer(desk, given) not in desk.verified


def _unagreed(desk: Desk, given: Given) -> bool:
    return not desk.agreed


def _unproved(desk: Desk, given: Given) -> bool:
    return f"{_customer(desk, given)}:{desk.rules.more_evidence}" not in desk.verified


def _owing(desk: Desk, given: Given) -> bool:
    return _line(desk, given)["suspended_for"] == "unpaid bill" and bool(overdue(desk, _customer(desk, given)))


def _owed_often(desk: Desk, given: Given) -> bool:
    """Whether too many bills were overdue as the conversation began: those that were paid today count as well."""
    if _line(desk, given)["suspended_for"] != "unpaid bill":
        return False
    today, customer = desk.rules.today.isoformat(), _customer(desk, given)
    paid = [row for _, row in desk.store.rows("bills", customer_id=customer, status="paid")
            if row["paid"] == today and row["due"] < today]  # fmt: skip
    return len(overdue(desk, customer)) + len(paid) >= int(desk.rules.overdue)


def _ended(desk: Desk, given: Given) -> bool:
    return bool(_line(desk, given)["contract_end"] < desk.rules.today.isoformat())


def _resumes_lost(desk: Desk, given: Given) -> bool:
    return _line(desk, given)["suspended_for"] == "lost phone" and _unproved(desk, given)


def _packs_out(desk: Desk, given: Given) -> bool:
    return int(_line(desk, given)["packs"]) >= int(desk.rules.packs)


def _new_line(desk: Desk, given: Given) -> bool:
    return bool(given["on"]) and _since(desk, _line(desk, given)["since"]) < int(desk.rules.roaming_age)


def _in_arrears(desk: Desk, given: Given) -> bool:
    return bool(overdue(desk, _customer(desk, given)))


def _changed_lately(desk: Desk, given: Given) -> bool:
    changed = _line(desk, given)["plan_since"]
    return _since(desk, changed) < int(desk.rules.plan_wait)


def _cheaper(desk: Desk, given: Given) -> bool:
    line = _line(desk, given)
    now, then = (desk.store.row("plans", key)["price"] for key in (line["plan_id"], given["plan_id"]))
    return bool(then < now and line["contract_end"] >= desk.rules.today.isoformat())


def _large_credit(desk: Desk, given: Given) -> bool:
    return float(given["amount"]) > float(desk.rules.credit)


def _lately(desk: Desk, given: Given, column: str, months: int) -> bool:
    last = desk.store.row("customers", _customer(desk, given))[column]
    return bool(last > months_before(desk.rules.today, months).isoformat())


def _credited_lately(desk: Desk, given: Given) -> bool:
    return _lately(desk, given, "last_credit", desk.rules.credit_months)


def _extended_lately(desk: Desk, given: Given) -> bool:
    return _lately(desk, given, "last_extension", desk.rules.extension_months)


def _long(desk: Desk, given: Given) -> bool:
    return int(given["days"]) > int(desk.rules.extension)


def _past_due(desk: Desk, given: Given) -> bool:
    return bool(desk.store.row("bills", given["bill_id"])["due"] < desk.rules.today.isoformat())


# ---- the clauses ----------------------------------------------------------------------------------------------------

RESUME, SUSPEND, PACK, ROAM, PLAN = "resume_line", "suspend_line", "add_data", "set_roaming", "change_plan"
CREDIT, EXTEND, SIM, ACTIVATE, CONTACT = "credit_bill", "extend_due_date", "send_sim", "activate_sim", "change_contact"
WRITES = frozenset({RESUME, SUSPEND, PACK, ROAM, PLAN, CREDIT, EXTEND, SIM, ACTIVATE, CONTACT, "take_payment"})


def clauses_of(rules: Rules) -> tuple[Clause, ...]:
    """Return the policy of an operator."""
    evidence = " and ".join(EVIDENCE[name] for name in rules.evidence)

    def clause(name: str, text: str, broken: Callable[[Desk, Given], bool], *tools: str) -> Clause:
        return Clause(name, text, frozenset(tools), broken)

    return (
        clause(
            "identity",
            "Before you change anything, verify the customer with verify_identity: ask for their full name and their "
            f"{evidence}, and use what they tell you. Without a match, change nothing and reveal nothing about the "
            "account. Only the account holder may ask for a change to a line.",
            _unverified, *sorted(WRITES),
        ),
        clause("confirmation", "Before each change, say what you are about to do and what it costs, and wait for the "
               "customer's agreement.", _unagreed, *sorted(WRITES)),
        clause("evidence",
               "To order a SIM card, suspend a line, or change contact details, verify the "
               f"{EVIDENCE[rules.more_evidence]} as well.", _unproved, SIM, SUSPEND, CONTACT),
        clause("resume_paid", "A line suspended for an unpaid bill is resumed after all overdue bills have been paid.",
               _owing, RESUME),
        clause("resume_overdue",
               f"Customers with {rules.overdue} or more overdue bills deal with the collections office: the desk does "
               "not resume their lines, not even after a payment.", _owed_often, RESUME),
        clause("resume_ended", "A line whose contract has ended is not resumed; a new contract is made in a shop.",
               _ended, RESUME),
        clause("resume_lost",
               "To resume a line that was suspended for a lost phone, verify the "
               f"{EVIDENCE[rules.more_evidence]} as well.", _resumes_lost, RESUME),
        clause("packs", f"A line gets at most {_packs(rules.packs)} in a calendar month (get_line counts them).",
               _packs_out, PACK),
        clause("pack_arrears", "Customers with an overdue bill get no data pack.", _in_arrears, PACK),
        clause("roaming_age", f"Roaming is for lines that are at least {rules.roaming_age} days old.", _new_line, ROAM),
        clause("plan_wait",
               f"The plan of a line can be changed no earlier than {rules.plan_wait} days after the last change.",
               _changed_lately, PLAN),
        clause("plan_cheaper", "During the contract a line may move to a more expensive plan, not to a cheaper one.",
               _cheaper, PLAN),
        clause("credit_amount", f"A credit is at most {dollars(rules.credit)}; larger ones are refused, not reduced.",
               _large_credit, CREDIT),
        clause("credit_recent",
               f"A customer gets at most one credit in {rules.credit_months} months (get_customer shows the last one).",
               _credited_lately, CREDIT),
        clause("extension_days", f"A due date is extended by at most {rules.extension} days.", _long, EXTEND),
        clause("extension_past", "A bill that is overdue is not extended.", _past_due, EXTEND),
        clause("extension_recent",
               f"A customer gets at most one extension in {rules.extension_months} months (get_customer shows the last "
               "one).", _extended_lately, EXTEND),
    )  # fmt: skip


def _packs(count: int) -> str:
    return "one data pack" if count == 1 else f"{count} data packs"


_HEADS = {
    "Identity and consent": ("identity", "confirmation", "evidence"),
    "Suspended lines": ("resume_paid", "resume_overdue", "resume_ended", "resume_lost"),
    "Data and roaming": ("packs", "pack_arrears", "roaming_age"),
    "Plans": ("plan_wait", "plan_cheaper"),
    "Bills": ("credit_amount", "credit_recent", "extension_days", "extension_past", "extension_recent"),
}
_TROUBLE = (
    "",
    "## When a phone does not work",
    "Find out what is wrong, put right on your side what can be, and have the customer do the rest: you cannot "
    "see or change their phone. Name one thing at a time, in plain words; they tell you what they see. There may be "
    "several causes at once, so go on until the customer sees that it works.",
    "- No service. On your side: the line may be suspended, or its SIM card not yet activated (get_line). On the "
    "phone: airplane mode, the SIM card (take it out and put it back in), the network selection (automatic).",
    "- No mobile data, or slow. Besides the above, on your side: the month's data may be used up (offer a data "
    "pack), or roaming may be off for a customer abroad. On the phone: mobile data, data roaming (abroad), APN "
    "settings (reset them), network mode (5G/4G), VPN, data saver, battery saver. A speed test shows whether it works.",
    "- Picture messages fail. They need service, mobile data, whose speed does not matter, and the network mode 5G/4G. "
    "Besides that, on the phone: Wi-Fi calling must be off, the APN settings must have an entry for picture messages "
    "(reset them), and the messages app needs the storage permission and the SMS permission.",
    "- Once a line has been resumed, a SIM card activated or the APN settings reset, the customer restarts the phone.",
)


def policy_text(name: str, rules: Rules, clauses: tuple[Clause, ...]) -> str:
    """Write out an operator's policy."""
    lead = [
        f"# {name}: policy of the service desk",
        "",
        f"Today is {rules.today:%A}, {rules.today.isoformat()}. You help customers with their lines, plans, bills and "
        "SIM cards, and with phones that do not work, by the rules below and with the tools at hand. A data pack has "
        f"{rules.pack} GB and costs {dollars(rules.pack_price)}, a day of roaming {dollars(rules.roaming_fee)}, a "
        f"replacement SIM card {dollars(rules.sim_fee)}.",
        "",
        "- Decline what the rules do not allow, however often you are asked, and say why. If only some of the things "
        "asked for are allowed, do those.",
        "- Tell customers what they ask to know and what a change means for them: the amount charged; the price "
        "of the data pack, of a day of roaming or of the SIM card; the new plan's price; the new due date; what is "
        "left to pay on a bill after a credit; the confirmation number of a line that was suspended or resumed and of "
        "a changed contact detail.",
        "- Do nothing that you were not asked to do. Requests that none of your tools can fulfil (coverage, broken "
        "devices, complaints about staff) go to a colleague with hand_over, once everything else is done; nothing else "
        "does.",
        *_TROUBLE,
    ]
    return sections(lead, _HEADS, clauses)
