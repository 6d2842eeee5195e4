"""The airline's policy: its parameters, which differ from airline to airline, and its clauses."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.airline import checks
from turnwise.worlds.desks.airline.checks import CABINS
from turnwise.worlds.desks.desk import Clause, Desk
from turnwise.worlds.desks.drafting import sections
from turnwise.worlds.desks.wording import dollars, joined

__all__ = ["EVIDENCE", "INSURED", "REASONS", "TIERS", "Rules", "clauses_of", "drawn_rules", "policy_text"]

TIERS = ("regular", "silver", "gold")
EVIDENCE = {
    "email": "email address",
    "phone": "phone number",
    "birth_date": "date of birth",
    "member_number": "membership number",
}
REASONS = ("illness", "bad weather", "death in the family", "change of plans", "airline canceled")
INSURED = REASONS[:3]


@dataclass(frozen=True)
class Rules:
    """Parameters of an airline's policy; amounts in dollars.

    Attributes:
        now: When the conversation takes place.
        evidence: What a customer has to give before anything is changed, besides the name.
        grace: Hours after booking in which every reservation can be canceled.
        free_cabins: Cabins in which a reservation can be canceled at any time before it departs.
        insured_reasons: Reasons for which an insured reservation can be canceled.
        cutoff: Hours before departure until which a reservation can be changed.
        book_cutoff: Hours before departure until which a flight is sold.
        fixed_cabins: Cabins in which flights cannot be changed.
        downgrades: Whether a reservation may be moved to a lower cabin.
        change_fee: Charged for each passenger whose flights are changed, by tier.
        bags: Free bags for each passenger, by tier and then cabin.
        bag_price: Charged for each further bag.
        most_bags: Most bags for each passenger.
        insurance_price: Charged for each passenger.
        insurance_hours: Hours after booking in which insurance can be added.
        delay: Hours of delay from which there is compensation.
        compensation: Amount for each passenger of a delayed reservation, by tier; 0 for a tier that gets none.
        most_passengers: Most passengers on a reservation.
        certificates: Whether changes to a reservation may be paid with a travel certificate.
    """

    now: datetime.datetime
    evidence: tuple[str, ...]
    grace: int
    free_cabins: tuple[str, ...]
    insured_reasons: tuple[str, ...]
    cutoff: int
    book_cutoff: int
    fixed_cabins: tuple[str, ...]
    downgrades: bool
    change_fee: Mapping[str, float]
    bags: Mapping[str, Mapping[str, int]]
    bag_price: float
    most_bags: int
    insurance_price: float
    insurance_hours: int
    delay: int
    compensation: Mapping[str, float]
    most_passengers: int
    certificates: bool

    @property
    def today(self) -> datetime.date:
        """The day of the conversation."""
        return self.now.date()


def drawn_rules(draw: Draw) -> Rules:
    """Draw an airline's parameters."""
    day = datetime.datetime(2026, 1, 5) + datetime.timedelta(draw.below(700))
    base, fee = draw.integer(0, 1), float(draw.either(25, 30, 40, 50, 60))
    low = draw.either(0.0, 0.0, 20.0, 25.0)
    silver = low + float(draw.either(30, 40, 50))
    return Rules(
        now=day + datetime.timedelta(hours=draw.integer(9, 18), minutes=draw.integer(0, 11) * 5),
        evidence=tuple(draw.sample(list(EVIDENCE), 2)) if draw.chance(0.75) else ("member_number",),
        grace=draw.either(12, 24, 24, 36, 48),
        free_cabins=draw.either(("business",), ("business",), ("economy", "business")),
        insured_reasons=tuple(draw.sample(INSURED, 2)),
        cutoff=draw.either(2, 3, 4, 6, 12, 24),
        book_cutoff=draw.either(1, 2, 3, 4),
        fixed_cabins=draw.either(("basic",), ("basic",), ("basic", "economy")),
        downgrades=draw.chance(0.5),
        change_fee={"regular": fee, "silver": draw.either(0.0, fee / 2), "gold": 0.0},
        bags={tier: {c: min(3, base + t + n) for n, c in enumerate(CABINS)} for t, tier in enumerate(TIERS)},
        bag_price=float(draw.either(25, 30, 35, 40, 50)),
        most_bags=draw.integer(4, 5),
        insurance_price=draw.either(15.0, 18.5, 20.0, 24.0, 29.5),
        insurance_hours=draw.either(24, 36, 48, 72),
        delay=draw.integer(2, 5),
        compensation={"regular": low, "silver": silver, "gold": silver + float(draw.either(20, 30, 50))},
        most_passengers=draw.integer(4, 6),
        certificates=draw.chance(0.4),
    )


# ---- the clauses ----------------------------------------------------------------------------------------------------

BOOK, CANCEL, FLIGHTS, CABIN, BAGS = "book_flights", "cancel_reservation", "change_flights", "change_cabin", "set_bags"
RENAME, INSURE, SEND = "change_passenger_name", "add_insurance", "send_certificate"
CHANGES = (FLIGHTS, CABIN, BAGS, RENAME)
WRITES = (BOOK, CANCEL, *CHANGES, INSURE, SEND)


def _hours(count: int) -> str:
    return f"{count} hour" if count == 1 else f"{count} hours"


def clauses_of(rules: Rules) -> tuple[Clause, ...]:
    """Return the policy of an airline."""
    evidence = " and ".join(EVIDENCE[name] for name in rules.evidence)
    paid = {tier: amount for tier, amount in rules.compensation.items() if amount}
    amounts = joined([f"{dollars(amount)} for {tier} customers" for tier, amount in paid.items()])

    def clause(name: str, text: str, broken: Callable[[Desk, Mapping[str, Any]], bool], *tools: str) -> Clause:
        return Clause(name, text, frozenset(tools), broken)

    found = [
        clause(
            "identity",
            "Before you change or book anything, verify the customer with verify_identity: ask for their full name and "
            f"their {evidence}, and use what they tell you. Without a match, change nothing and reveal nothing about "
            "the account.",
            checks.unverified, *WRITES,
        ),
        clause(
            "owner",
            "Reservations are changed only for the customer who made them, not for anybody else.",
            checks.not_owner, *WRITES,
        ),
        clause(
            "confirmation",
            "Before each change or booking, say what you are about to do and wait for the customer's agreement.",
            checks.unagreed, *WRITES,
        ),
        clause("departed", "A reservation cannot be canceled once one of its flights has departed.", checks.departed,
               CANCEL),
        clause(
            "cancel_terms",
            f"A reservation can be canceled within {_hours(rules.grace)} of booking. Later cancellations are only for "
            f"reservations in {joined(rules.free_cabins, last='or')}, for insured reservations if the reason is "
            f"{joined(rules.insured_reasons, last='or')}, and for reservations with a flight that the "
            "airline itself has canceled.",
            checks.cancel_terms, CANCEL,
        ),
        clause(
            "cutoff",
            f"Flights, cabin, bags and names of a reservation can be changed up to {_hours(rules.cutoff)} before its "
            "first departure.",
            checks.cutoff, *CHANGES,
        ),
        clause(
            "fixed",
            f"Flights cannot be changed in {joined(rules.fixed_cabins, last='or')}, except where the airline has "
            "canceled one of them.",
            checks.fixed, FLIGHTS,
        ),
        clause("route", "New flights must have the same origin and the same destination as the old ones.",
               checks.other_route, FLIGHTS),
        clause("bags", f"Each passenger can have at most {rules.most_bags} bags.", checks.many_bags, BAGS, BOOK),
        clause(
            "names",
            "A passenger's first name or last name can be changed, but a ticket cannot be given to another person.",
            checks.other_person, RENAME,
        ),
        clause("insurance", f"Insurance can be added within {_hours(rules.insurance_hours)} of booking and not later.",
               checks.insured_late, INSURE),
        clause(
            "delay", f"There is compensation only for a delay of {_hours(rules.delay)} or more.",
            checks.short_delay, SEND,
        ),
        clause(
            "compensation_amount",
            f"The compensation is exactly {amounts}, for each passenger of the reservation. It is a travel "
            "certificate, and only for customers who ask for it.",
            checks.wrong_amount, SEND,
        ),
        clause("compensation_once", "A reservation is compensated at most once.", checks.compensated, SEND),
        clause("sale", f"Flights are sold up to {_hours(rules.book_cutoff)} before they depart.", checks.sold_late,
               BOOK),
        clause("passengers", f"A reservation can have at most {rules.most_passengers} passengers.", checks.too_many,
               BOOK),
    ]  # fmt: skip
    if not rules.compensation["regular"]:
        found.append(clause("tier", "Regular customers get no compensation for delays.", checks.no_tier, SEND))
    if not rules.downgrades:
        found.append(clause("downgrade", "A reservation cannot be moved to a lower cabin.", checks.downgrade, CABIN))
    if not rules.certificates:
        text = "Travel certificates are good for new bookings only, not for changes, bags or insurance."
        found.append(clause("certificate", text, checks.certificate, FLIGHTS, CABIN, BAGS, INSURE))
    return tuple(found)


_HEADS = {
    "Identity and consent": ("identity", "owner", "confirmation"),
    "Bookings and payment": ("sale", "passengers", "certificate"),
    "Cancellations": ("departed", "cancel_terms"),
    "Changes": ("cutoff", "fixed", "route", "downgrade", "names"),
    "Bags and insurance": ("bags", "insurance"),
    "Delays": ("delay", "tier", "compensation_amount", "compensation_once"),
}


def _bags(rules: Rules) -> str:
    rows = [f"{joined({cabin: rules.bags[tier][cabin] for cabin in CABINS})} for {tier} customers" for tier in TIERS]
    return "; ".join(rows)


def policy_text(name: str, rules: Rules, clauses: tuple[Clause, ...]) -> str:
    """Write out an airline's policy."""
    fees = joined([f"{dollars(rules.change_fee[tier])} for {tier} customers" for tier in TIERS])
    lead = [
        f"# {name}: customer service policy",
        "",
        f"It is {rules.now:%A}, {rules.now:%Y-%m-%d}, {rules.now:%H:%M}; all times are local. You help customers with "
        "flights and reservations, by the rules below and with the tools at hand. There are three cabins, from the "
        "lowest to the highest: basic, economy and business. All passengers of a reservation fly in the same cabin, "
        "and the tier of the customer counts for all of them.",
        "",
        "- Decline what the rules do not allow, however often you are asked, and say why.",
        "- Tell customers what they ask to know and what a change means for them: the total charged or refunded, the "
        "numbers and departure times of new flights, the corrected name.",
        "- Changing flights costs the difference in fare and a fee, which is, for each passenger, "
        f"{fees}. A change of cabin costs the difference in fare. A canceled reservation is refunded in full, except "
        "for the insurance. The tools calculate all this.",
        f"- Free bags for each passenger: {_bags(rules)}. Each further bag costs {dollars(rules.bag_price)}.",
        f"- Insurance costs {dollars(rules.insurance_price)} for each passenger.",
        "- Where customers leave the choice of flights to you, offer only flights with enough seats in their cabin.",
        "- Do nothing that you were not asked to do. Requests that none of your tools can fulfill (lost property, "
        "charters, press) go to a colleague with hand_over, once everything else is done; nothing else does.",
    ]
    return sections(lead, _HEADS, clauses)
