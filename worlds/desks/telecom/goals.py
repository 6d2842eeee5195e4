"""What customers want besides phones that work, and all kinds of goals together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import groups_of, insists
from turnwise.worlds.desks.said import Said, day, money, number, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.telecom import troubles
from turnwise.worlds.desks.telecom.tools import confirmation
from turnwise.worlds.desks.telecom.troubles import Place
from turnwise.worlds.desks.telecom.words import BEYOND
from turnwise.worlds.desks.wording import date_of, iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["ALLOWED", "GROUPS", "REFUSED", "beyond"]


def _cents(amount: float) -> Said:
    return money(round(amount * 100))


def _planted(place: Place, **known: Any) -> tuple[str, str, Fact]:
    """Plant another line of the person; return its key, its number, and the fact that they know it."""
    line = place.fill.line(place.person, **known)
    spoken = str(place.fill.tables["lines"][line]["number"])
    return line, spoken, Fact("line", spoken, offered=True)


def _looks(place: Place, line: str, *more: Any) -> tuple[Any, ...]:
    return (call("list_lines", customer_id=place.person), call("get_line", line_id=line), *more)


# ---- plans ----------------------------------------------------------------------------------------------------------


def _plan(place: Place, name: str, dearer: bool, days: int, ended: bool = False) -> Goal:
    fill, draw = place.fill, place.draw
    plans = sorted(fill.tables["plans"], key=lambda key: fill.tables["plans"][key]["price"])
    old, new = draw.integer(0, len(plans) - 2), 0
    new = draw.integer(old + 1, len(plans) - 1)
    if not dearer:
        old, new = new, old
    end = iso(fill.today, -draw.integer(1, 30) if ended else draw.integer(1, 300))
    line, spoken, fact = _planted(place, plan_id=plans[old], plan_since=iso(fill.today, -days), contract_end=end)
    plan = fill.tables["plans"][plans[new]]
    opening = draw.either(
        f"I'd like to move the line {spoken} to the {plan['name']} plan.",
        f"Could you change the plan of my line {spoken} to {plan['name']}?",
        f"Please switch my number {spoken} to {plan['name']}.",
        f"{plan['name']} would suit me better. Can you put my line {spoken} on it?",
    )
    demand = Option((call("change_plan", line_id=line, plan_id=plans[new]),),
                    f"change the plan of {spoken} to {plan['name']} for {_cents(plan['price']).text} a month",
                    lambda desk: (_cents(plan["price"]),))  # fmt: skip
    wish = Wish("plan", opening, (fact, Fact("plan", plan["name"], offered=True)), insists(place))
    return Goal(wish, _looks(place, line, call("list_plans")), demand, kind=name)


def plan(place: Place) -> Goal:
    """Another plan, which may be cheaper after the contract."""
    days = place.fill.rules.plan_wait + place.draw.either(0, 0, 1, 30)
    ended = place.draw.chance(0.4)
    return _plan(place, "plan", not ended, days, ended)


def plan_soon(place: Place) -> Goal:
    """Another plan too soon after the last change, often by a day."""
    return _plan(place, "plan_soon", True, max(1, place.fill.rules.plan_wait - place.draw.either(1, 1, 3, 9)))


def plan_cheaper(place: Place) -> Goal:
    """A cheaper plan during the contract."""
    return _plan(place, "plan_cheaper", False, place.fill.rules.plan_wait + 20)


# ---- data, roaming and SIM cards ------------------------------------------------------------------------------------


def _pack(place: Place, name: str, packs: int) -> Goal:
    line, spoken, fact = _planted(place, packs=packs)
    opening = place.draw.either(
        f"Could you add a data pack to my line {spoken}?", f"I'd like another data pack for {spoken}, please.",
        f"I need a bit more data on {spoken} this month. Can you add a data pack?",
    )  # fmt: skip
    rules = place.fill.rules
    price = _cents(rules.pack_price)
    demand = Option((call("add_data", line_id=line),),
                    f"add a data pack of {rules.pack} GB to {spoken} for {price.text}",
                    lambda desk: (price,))  # fmt: skip
    reads = _looks(place, line, call("get_customer", customer_id=place.person))
    return Goal(Wish("pack", opening, (fact,), insists(place)), reads, demand, kind=name)


def pack(place: Place) -> Goal:
    """A data pack, sometimes the last one of the month."""
    return _pack(place, "pack", place.draw.below(place.fill.rules.packs))


def pack_limit(place: Place) -> Goal:
    """One data pack too many."""
    return _pack(place, "pack_limit", place.fill.rules.packs)


def pack_arrears(place: Place) -> Goal:
    """A data pack for somebody with an overdue bill; they pay it, and get the pack."""
    fill = place.fill
    amount = place.draw.integer(60, 300) * 0.25
    due = iso(fill.today, -place.draw.either(1, 1, 5, 20))
    bill = fill.bill(place.person, status="open", due=due, amount=amount)
    goal = _pack(place, "pack_arrears", 0)
    opening = place.draw.either("Please charge the bill to my card, and then add the pack.",
                                "I must have missed that bill. Take it from my card, and then add the data pack.",
                                "Please charge my card for the bill first.")  # fmt: skip
    assert goal.demand is not None
    calls = (call("take_payment", bill_id=bill), *goal.demand.calls)
    instead = Option(calls, f"charge {_cents(amount).text} to your card and {goal.demand.words}", goal.demand.say)
    wish = Wish("pack", goal.wish.opening, goal.wish.facts, goal.wish.insists, Wish("pay", opening))
    reads = (*goal.reads, call("list_bills", customer_id=place.person))
    return Goal(wish, reads, goal.demand, instead, "pack_arrears")


def _roam(place: Place, name: str, age: int) -> Goal:
    fill = place.fill
    line, spoken, fact = _planted(place, roaming=False, since=iso(fill.today, -age), plan_since=iso(fill.today, -age))
    country = place.draw.either("Portugal", "Japan", "Canada", "Norway", "Kenya")
    opening = place.draw.either(
        f"We're flying to {country} next week. Could you turn on roaming for {spoken}?",
        f"I'd like to use my phone in {country}. Please enable roaming for the number {spoken}.",
        f"Can you switch on roaming for my line {spoken}? I'm travelling to {country}.",
    )
    fee = _cents(fill.rules.roaming_fee)
    demand = Option((call("set_roaming", line_id=line, on=True),), f"turn on roaming for {spoken} for {fee.text} a day",
                    lambda desk: (fee,))  # fmt: skip
    return Goal(Wish("roam", opening, (fact,), insists(place)), _looks(place, line), demand, kind=name)


def roaming(place: Place) -> Goal:
    """Roaming for a line that is old enough, sometimes just."""
    return _roam(place, "roaming", place.fill.rules.roaming_age + place.draw.either(0, 0, 1, 200))


def roaming_young(place: Place) -> Goal:
    """Roaming for a line that is too new, sometimes by a day."""
    return _roam(place, "roaming_young", max(1, place.fill.rules.roaming_age - place.draw.either(1, 1, 5)))


def sim(place: Place) -> Goal:
    """A replacement SIM card."""
    line, spoken, fact = _planted(place)
    opening = place.draw.either(
        f"The SIM card for {spoken} is damaged. Could you send me a new one?",
        f"I need a replacement SIM card for my number {spoken}.",
        f"Please send me a new SIM card for {spoken}. The old one broke when I changed phones.",
    )
    fee = _cents(place.fill.rules.sim_fee)
    demand = Option(
        (call("send_sim", line_id=line),),
        f"send you a new SIM card for {spoken}, which costs {fee.text}",
        lambda desk: (fee,),
    )
    return Goal(Wish("sim", opening, (fact,), insists(place)), _looks(place, line), demand, kind="sim")


def lost(place: Place) -> Goal:
    """A phone was stolen."""
    line, spoken, fact = _planted(place)
    opening = place.draw.either(
        f"My son's phone was stolen this morning. Please block the line {spoken}.",
        f"I've lost my second phone, the one with the number {spoken}. Could you suspend the line?",
        f"Somebody took my work phone. Its number is {spoken}; please suspend it right away.",
    )
    demand = Option((call("suspend_line", line_id=line),), f"suspend the line {spoken}",
                    lambda desk: (words(confirmation(line)),))  # fmt: skip
    return Goal(Wish("suspend", opening, (fact,), insists(place)), _looks(place, line), demand, kind="lost")


def found(place: Place) -> Goal:
    """A lost phone was found."""
    line, spoken, fact = _planted(place, status="suspended", suspended_for="lost phone")
    opening = place.draw.either(
        f"I've found the phone that I reported as lost. Could you unblock the line {spoken}?",
        f"My daughter's phone turned up again, so please reactivate {spoken}.",
        f"You suspended {spoken} because I'd lost the phone. I have it back now; can you resume the line?",
    )
    demand = Option((call("resume_line", line_id=line),), f"resume the line {spoken}",
                    lambda desk: (words(confirmation(line)),))  # fmt: skip
    return Goal(Wish("resume", opening, (fact,), insists(place)), _looks(place, line), demand, kind="found")


# ---- bills ----------------------------------------------------------------------------------------------------------


def _bill(place: Place, days: int, low: int = 120) -> tuple[str, float, Fact]:
    """Plant an open bill that is due so many days ahead; return its key, its amount, and the fact that they know it."""
    amount = place.draw.integer(low, 400) * 0.25
    key = place.fill.bill(place.person, status="open", due=iso(place.fill.today, days), amount=amount)
    text = _cents(amount).text
    return key, amount, Fact("bill", f"the one of {text}", offered=True, also=(text,))


def pay(place: Place) -> Goal:
    """A bill is paid."""
    key, amount, fact = _bill(place, place.draw.integer(1, 20))
    text = _cents(amount).text
    opening = place.draw.either(f"I'd like to pay my bill of {text}.", f"Please charge my bill of {text} to my card.",
                                f"Could you take the {text} for my last bill from my card?")  # fmt: skip
    demand = Option(
        (call("take_payment", bill_id=key),), "charge the bill to your card", lambda desk: (_cents(amount),)
    )
    reads = (call("list_bills", customer_id=place.person),)
    return Goal(Wish("pay", opening, (fact,)), reads, demand, kind="pay")


_WHY = (
    "I had no signal for two days last month. Could you credit {a} on my bill of {b}?",
    "Your network was down all weekend, so I'd like a credit of {a} on my bill of {b}.",
    "I was on hold for an hour last week. I think a credit of {a} on my bill of {b} would be fair.",
)


def _credit(place: Place, name: str, amount: float, last: str = "") -> Goal:
    fill = place.fill
    key, owed, fact = _bill(place, place.draw.integer(1, 20))
    fill.tables["customers"][place.person]["last_credit"] = last
    text = _cents(amount).text
    opening = place.draw.choice(_WHY).format(a=text, b=_cents(owed).text)
    demand = Option((call("credit_bill", bill_id=key, amount=amount),), f"credit {text} to your bill",
                    lambda desk: (_cents(owed - amount),))  # fmt: skip
    facts = (fact, Fact("amount", text, offered=True))
    reads = (call("get_customer", customer_id=place.person), call("list_bills", customer_id=place.person))
    return Goal(Wish("credit", opening, facts, insists(place)), reads, demand, kind=name)


def credit(place: Place) -> Goal:
    """A credit that the rules allow, sometimes the largest."""
    most = place.fill.rules.credit
    return _credit(place, "credit", place.draw.either(most, place.draw.integer(4, int(2 * most)) * 0.5))


def credit_large(place: Place) -> Goal:
    """A credit that is too large, sometimes by very little."""
    return _credit(place, "credit_large", place.fill.rules.credit + place.draw.either(0.5, 1.0, 5.0))


def credit_again(place: Place) -> Goal:
    """A second credit in too short a time."""
    rules = place.fill.rules
    last = iso(place.fill.today, -place.draw.integer(10, 28 * rules.credit_months))
    return _credit(place, "credit_again", min(3.0, rules.credit), last)


def _extend(place: Place, name: str, days: int, due: int, last: str = "", fallback: int = 0) -> Goal:
    fill = place.fill
    key, amount, fact = _bill(place, due)
    fill.tables["customers"][place.person]["last_extension"] = last
    text = _cents(amount).text

    def option(days: int) -> Option:
        later = date_of(iso(fill.today, due + days))
        return Option((call("extend_due_date", bill_id=key, days=days),), f"extend the due date by {days} days",
                      lambda desk: (day(later),))  # fmt: skip

    opening = place.draw.either(
        f"I can't pay my bill of {text} on time. Could I have {days} more days?",
        f"My wages are late this month. Can you give me {days} more days for my bill of {text}?",
        f"Could you extend the due date of my bill of {text} by {days} days?",
    )
    facts = (fact, Fact("days", f"{days} days", offered=True, also=(f"{days} more days",)))
    again = None
    if fallback:
        said = place.draw.either(f"Please make it {fallback} days.", f"Just give me {fallback} days.",
                                 f"Would {fallback} days be possible?")  # fmt: skip
        again = Wish("extend", said, (fact_of(fact), Fact("days", f"{fallback} days", offered=True)))
    wish = Wish("extend", opening, facts, insists(place), again)
    reads = (call("get_customer", customer_id=place.person), call("list_bills", customer_id=place.person))
    return Goal(wish, reads, option(days), option(fallback) if fallback else None, name)


def fact_of(fact: Fact) -> Fact:
    """Return a fact that was said before, so that it is not said again."""
    return Fact(fact.slot, fact.value, also=fact.also)


def extension(place: Place) -> Goal:
    """More days to pay."""
    most = place.fill.rules.extension
    return _extend(place, "extension", place.draw.either(most, place.draw.integer(2, most)), place.draw.integer(0, 15))


def extension_long(place: Place) -> Goal:
    """Too many more days, sometimes by one; as many as there may be will do."""
    most = place.fill.rules.extension
    return _extend(
        place, "extension_long", most + place.draw.either(1, 1, 3, 7), place.draw.integer(0, 15), fallback=most
    )


def extension_again(place: Place) -> Goal:
    """A second extension in too short a time."""
    rules = place.fill.rules
    last = iso(place.fill.today, -place.draw.integer(10, 28 * rules.extension_months))
    return _extend(place, "extension_again", min(4, rules.extension), place.draw.integer(0, 15), last)


def extension_late(place: Place) -> Goal:
    """More days for a bill that is overdue, sometimes since yesterday."""
    return _extend(place, "extension_late", min(5, place.fill.rules.extension), -place.draw.either(1, 1, 4))


# ---- contact details, questions and what only a colleague can do ----------------------------------------------------


def contact(place: Place) -> Goal:
    """A new email address or postcode."""
    draw = place.draw
    name = place.fill.tables["customers"][place.person]["name"].partition(" ")[0].lower()
    if draw.chance(0.5):
        field, noun, value = "email", "email address", f"{name}{draw.integer(100, 999)}@home.example"
    else:
        field, noun, value = "postcode", "postcode", f"{draw.integer(10000, 99999)}"
    offered = draw.chance(0.5)
    opening = draw.either(f"Please update my {noun}.", f"I have a new {noun}. Could you change it in my account?",
                          f"My {noun} has changed. Can you replace the old one?")  # fmt: skip
    opening += f" It's {value} now." if offered else ""
    one = call("change_contact", customer_id=place.person, field=field, value=value)
    demand = Option((one,), f"change your {noun} to {value}", lambda desk: (words(confirmation(place.person)),))
    wish = Wish("contact", opening, (Fact(f"new_{field}", value, offered=offered),), insists(place))
    return Goal(wish, (), demand, kind="contact")


def _asked(opening: str, reads: Sequence[Any], say: Callable[[Desk], Sequence[Said]], *facts: Fact) -> Goal:
    return Goal(Wish("ask", opening, facts, question=True), tuple(reads), Option((), "", say), kind="ask")


def ask_data(place: Place) -> Goal:
    """How much data has been used."""
    line, spoken, fact = _planted(place, data_used=place.draw.integer(3, 15) / 10)
    used = place.fill.tables["lines"][line]["data_used"]
    opening = place.draw.either(f"How much data have I used on {spoken} this month?",
                                f"Could you tell me how many GB I've used on my line {spoken} so far this month?",
                                f"What's my data usage on {spoken} this month?")  # fmt: skip
    said = number(int(used)) if used == int(used) else words(f"{used}")
    return _asked(opening, _looks(place, line), lambda desk: (said,), fact)


def ask_contract(place: Place) -> Goal:
    """Until when a contract runs."""
    line, spoken, fact = _planted(place)
    end = date_of(place.fill.tables["lines"][line]["contract_end"])
    opening = place.draw.either(f"When does my contract for {spoken} end?",
                                f"When does the contract for my line {spoken} run out?",
                                f"Could you tell me when the contract for {spoken} is up?")  # fmt: skip
    return _asked(opening, _looks(place, line), lambda desk: (day(end),), fact)


def ask_price(place: Place) -> Goal:
    """What a plan costs."""
    plan = place.draw.choice(list(place.fill.tables["plans"].values()))
    opening = place.draw.either(f"What does the {plan['name']} plan cost a month?",
                                f"How much would I pay for {plan['name']}?",
                                f"Could you tell me the monthly price of {plan['name']}?")  # fmt: skip
    fact = Fact("plan", plan["name"], offered=True)
    return _asked(opening, (call("list_plans"),), lambda desk: (_cents(plan["price"]),), fact)


def beyond(place: Place) -> Goal:
    """Something that no tool does."""
    return Goal(Wish("beyond", place.draw.choice(BEYOND)), (), None, kind="beyond")


Kind = Callable[[Place], Goal]
# Phones that do not work stand here four times: they are what most people come for.
ALLOWED: tuple[Kind, ...] = (
    *troubles.ALLOWED * 4, plan, pack, roaming, sim, lost, found, pay, credit, extension, contact, ask_data,
    ask_contract, ask_price,
)  # fmt: skip
REFUSED: tuple[Kind, ...] = (
    *troubles.REFUSED, plan_soon, plan_cheaper, pack_limit, pack_arrears, roaming_young, credit_large, credit_again,
    extension_long, extension_again, extension_late,
)  # fmt: skip
_TOGETHER: Mapping[str, tuple[Kind, ...]] = {
    "trouble": (*troubles.ALLOWED, *troubles.REFUSED, pack, pack_arrears, extension_late),  # one overdue bill is enough
    "pack_limit": (pack_limit,),
    "plan": (plan, plan_soon, plan_cheaper),
    "roaming": (roaming, roaming_young),
    "sim": (sim,),
    "lost": (lost, found),
    "bill": (pay, credit, credit_large, credit_again, extension, extension_long, extension_again),
    "contact": (contact,),
    "question": (ask_data, ask_contract, ask_price),
}
GROUPS = groups_of(_TOGETHER)
"""Groups of kinds of which a conversation has one at most."""
PROVED = {"sim", "lost", "found", "contact"}
"""Kinds of goals for which more evidence is needed."""
