"""The shop's policy: its parameters, which differ from shop to shop, and its clauses."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Clause, Desk
from turnwise.worlds.desks.drafting import sections
from turnwise.worlds.desks.retail import checks
from turnwise.worlds.desks.wording import dollars, joined

__all__ = ["CATEGORIES", "EVIDENCE", "REASONS", "TIERS", "Rules", "clauses_of", "drawn_rules", "policy_text"]

CATEGORIES = ("clothing", "electronics", "kitchen", "outdoor", "swimwear", "personal care")
TIERS = ("standard", "plus")
EVIDENCE = {
    "email": "email address",
    "postcode": "zip code",
    "phone": "phone number",
    "birth_date": "date of birth",
}
REASONS = ("no longer needed", "ordered by mistake", "arrives too late", "cheaper elsewhere")


@dataclass(frozen=True)
class Rules:
    """Parameters of a shop's policy; amounts in dollars, times in days.

    Attributes:
        today: The day of the conversation.
        evidence: What a customer has to give before anything is changed, besides the name.
        address_evidence: What is needed in addition to change an address.
        return_days: Days after delivery in which an item can be returned, by category; final sale if there are none.
        exchange_days: Days after delivery in which an item can be exchanged.
        return_fee: Kept back for each returned item.
        free_tier: Whether members of the higher tier pay no such fee.
        to_gift_card: Whether refunds for returns may go to a gift card instead of the original payment method.
        gift_limit: Largest refund to a gift card.
        cancel_days: Days after it was placed in which a pending order can be canceled.
        cancel_reasons: Accepted reasons for a cancellation.
        changes: Most changes to a pending order.
        same_payment: Whether a difference in price is always settled with the order's own payment method.
        adjust_days: Days after it was placed in which a lower price is refunded.
        late_days: Days after the promised date from which a delivery counts as late.
        compensation: What a late delivery is worth, by tier.
        damage_days: Days after delivery in which damage has to be reported.
        address_delay: Days by which a new address delays an order.
        replace_days: Days until a replacement arrives.
        send_back: Days in which a returned item has to be sent off.
    """

    today: datetime.date
    evidence: tuple[str, ...]
    address_evidence: str
    return_days: Mapping[str, int]
    exchange_days: int
    return_fee: float
    free_tier: bool
    to_gift_card: bool
    gift_limit: float
    cancel_days: int
    cancel_reasons: tuple[str, ...]
    changes: int
    same_payment: bool
    adjust_days: int
    late_days: int
    compensation: Mapping[str, float]
    damage_days: int
    address_delay: int
    replace_days: int
    send_back: int


def drawn_rules(draw: Draw) -> Rules:
    """Draw a shop's parameters."""
    evidence = tuple(draw.sample(list(EVIDENCE), 2))
    final = draw.sample(["swimwear", "personal care", "kitchen"], draw.integer(1, 2))
    days = {c: 0 if c in final else draw.either(10, 14, 15, 20, 21, 30) for c in CATEGORIES}
    reason = draw.choice(REASONS)
    base = draw.either(5.0, 7.5, 10.0, 12.0, 15.0)
    return Rules(
        today=datetime.date(2026, 1, 5) + datetime.timedelta(draw.below(700)),
        evidence=evidence,
        address_evidence=draw.choice([name for name in EVIDENCE if name not in evidence]),
        return_days=days,
        exchange_days=draw.either(30, 40, 45, 60),
        return_fee=draw.either(2.99, 3.5, 3.95, 4.99, 5.5, 6.95),
        free_tier=draw.chance(0.7),
        to_gift_card=draw.chance(0.6),
        gift_limit=draw.either(75.0, 100.0, 120.0, 150.0, 200.0),
        cancel_days=draw.integer(1, 4),
        cancel_reasons=tuple(r for r in REASONS if r != reason) if draw.chance(0.5) else REASONS[:2],
        changes=draw.integer(1, 2),
        same_payment=draw.chance(0.5),
        adjust_days=draw.either(5, 7, 10, 14),
        late_days=draw.integer(2, 5),
        compensation={"standard": base, "plus": base + draw.either(2.5, 5.0, 10.0)},
        damage_days=draw.either(2, 3, 5, 7, 10),
        address_delay=draw.integer(1, 3),
        replace_days=draw.integer(3, 8),
        send_back=draw.either(7, 10, 14),
    )


# ---- the clauses ----------------------------------------------------------------------------------------------------

CANCEL, CHANGE, RETURN, EXCHANGE, REPLACE = (
    "cancel_order",
    "change_item",
    "return_item",
    "exchange_item",
    "replace_item",
)
ADDRESS, PAYMENT, ADJUST, COMPENSATE = "change_address", "change_payment", "adjust_price", "compensate"
DEFAULT = "change_default_address"
WRITES = (CANCEL, CHANGE, RETURN, EXCHANGE, REPLACE, ADDRESS, PAYMENT, ADJUST, COMPENSATE, DEFAULT)


def _days(count: int) -> str:
    return f"{count} day" if count == 1 else f"{count} days"


def clauses_of(rules: Rules) -> tuple[Clause, ...]:
    """Return the policy of a shop."""
    evidence = " and ".join(EVIDENCE[name] for name in rules.evidence)
    windows = joined([f"{c} {rules.return_days[c]}" for c in CATEGORIES if rules.return_days[c]])
    final = joined([c for c in CATEGORIES if not rules.return_days[c]])

    def clause(name: str, text: str, broken: Callable[[Desk, Mapping[str, Any]], bool], *tools: str) -> Clause:
        return Clause(name, text, frozenset(tools), broken)

    found = [
        clause(
            "identity",
            "Before you change anything, verify the customer with verify_identity: ask for their full name and their "
            f"{evidence}, and use what they tell you. Without a match, change nothing and reveal nothing about the "
            "account.",
            checks.unverified, *WRITES,
        ),
        clause(
            "owner",
            "Accounts and orders are changed only for the customer they belong to, not for friends or family.",
            checks.not_owner, *WRITES,
        ),
        clause(
            "confirmation",
            "Before each change, say what you are about to do and wait for the customer's agreement.",
            checks.unagreed, *WRITES,
        ),
        clause(
            "pending",
            "Only pending orders can be canceled or changed; an order that has been processed is on its way.",
            checks.not_pending, CANCEL, CHANGE, ADDRESS, PAYMENT,
        ),
        clause(
            "cancel_window",
            f"A pending order can be canceled up to {_days(rules.cancel_days)} after the day it was placed.",
            checks.cancel_late, CANCEL,
        ),
        clause(
            "cancel_reason",
            f"Orders are canceled for these reasons only: {joined(rules.cancel_reasons, last='or')}.",
            checks.bad_reason, CANCEL,
        ),
        clause(
            "changes",
            f"A pending order can be changed {'once' if rules.changes == 1 else 'twice'}; a new variant of an item, a "
            "new address and a new payment method each count as a change.",
            checks.changed_out, CHANGE, ADDRESS, PAYMENT,
        ),
        clause(
            "delivered", "Only items that have been delivered can be returned, exchanged or replaced.",
            checks.not_delivered, RETURN, EXCHANGE, REPLACE,
        ),
        clause(
            "final_sale",
            f"Items in these categories are final sale and cannot be returned or exchanged: {final}.",
            checks.final, RETURN, EXCHANGE,
        ),
        clause(
            "return_window", f"Items can be returned for this many days after delivery: {windows}.",
            checks.return_late, RETURN,
        ),
        clause(
            "exchange_window", f"Items can be exchanged up to {rules.exchange_days} days after delivery.",
            checks.exchange_late, EXCHANGE,
        ),
        clause(
            "same_product", "An item is exchanged or changed only for another variant of the same product.",
            checks.other_product, EXCHANGE, CHANGE,
        ),
        clause("stock", "The new variant must be in stock.", checks.out_of_stock, EXCHANGE, CHANGE),
        clause(
            "refund_method",
            "The money for a return goes to the payment method of the order"
            + (" or, if the customer prefers that, to their gift card." if rules.to_gift_card else " and to no other."),
            checks.bad_refund, RETURN,
        ),
        clause(
            "damage",
            f"Only damage that is reported within {_days(rules.damage_days)} of delivery leads to a free replacement; "
            "this includes final-sale items.",
            checks.damage_late, REPLACE,
        ),
        clause(
            "adjustment",
            "If an item now costs less than the customer paid, they can have the difference back, but only up to "
            f"{_days(rules.adjust_days)} after the day they placed the order.",
            checks.adjust_late, ADJUST,
        ),
        clause(
            "late",
            f"There is compensation only for orders delivered {rules.late_days} or more days after they were due.",
            checks.not_late, COMPENSATE,
        ),
        clause(
            "compensation_amount",
            "The compensation is exactly "
            + joined([f"{dollars(rules.compensation[tier])} for {tier} customers" for tier in TIERS])
            + ", paid as a gift card, and only if the customer asks for it.",
            checks.wrong_amount, COMPENSATE,
        ),
        clause("compensation_once", "An order is compensated at most once.", checks.compensated, COMPENSATE),
        clause(
            "address",
            "To change an address, of an order or of an account, verify the customer's "
            f"{EVIDENCE[rules.address_evidence]} as well.",
            checks.address_unproved, ADDRESS, DEFAULT,
        ),
    ]  # fmt: skip
    if rules.same_payment:
        text = "A difference in price is settled with the payment method of the order and with no other."
        found.append(clause("difference", text, checks.other_payment, EXCHANGE, CHANGE))
    if rules.to_gift_card:
        text = f"No refund above {dollars(rules.gift_limit)} goes to a gift card, except for orders paid with it."
        found.append(clause("gift_limit", text, checks.large_gift, RETURN))
    return tuple(found)


_HEADS = {
    "Identity and consent": ("identity", "owner", "confirmation", "address"),
    "Pending orders": ("pending", "cancel_window", "cancel_reason", "changes"),
    "Returns and exchanges": ("delivered", "final_sale", "return_window", "exchange_window"),
    "New variants and prices": ("same_product", "stock", "difference", "adjustment"),
    "Refunds": ("refund_method", "gift_limit"),
    "Damage and late deliveries": ("damage", "late", "compensation_amount", "compensation_once"),
}


def policy_text(name: str, rules: Rules, clauses: tuple[Clause, ...]) -> str:
    """Write out a shop's policy."""
    free = ", except from plus customers" if rules.free_tier else ", whatever the customer's tier"
    lead = [
        f"# {name}: customer service policy",
        "",
        f"Today is {rules.today:%A}, {rules.today.isoformat()}. You help customers of an online shop with their orders "
        "and accounts, by the rules below and with the tools at hand. An order is pending, then processed, then "
        "delivered, unless it is canceled. A period of days includes its last day.",
        "",
        "- Decline what the rules do not allow, however often you are asked, and say why. If only some of the things "
        "asked for are allowed, do those.",
        "- Tell customers what they ask to know and what a change means for them: the amount refunded, charged or "
        "credited, the new delivery date, the day by which a return must be sent off.",
        f"- {dollars(rules.return_fee)} of the price of each returned item is kept back for shipping{free}. The tool "
        f"subtracts it. A returned item must be sent off within {rules.send_back} days.",
        f"- A new address delays an order by {_days(rules.address_delay)}. A new default address does not affect "
        "orders that were already placed: tell the customer how many of their pending orders still go elsewhere.",
        "- Do nothing that you were not asked to do. Requests that none of your tools can fulfill (job applications, "
        "bulk orders, press) go to a colleague with hand_over, once everything else is done; nothing else does.",
    ]
    return sections(lead, _HEADS, clauses)
