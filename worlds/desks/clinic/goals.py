"""What patients want besides appointments, and all kinds of goals together."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turnwise.worlds.desks.clinic import booking, visits
from turnwise.worlds.desks.clinic.booking import Place, paying
from turnwise.worlds.desks.clinic.checks import may_act, owed
from turnwise.worlds.desks.clinic.tools import confirmation
from turnwise.worlds.desks.clinic.words import BEYOND
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import groups_of, insists
from turnwise.worlds.desks.said import Said, clock, day, money, number, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["ALLOWED", "GROUPS", "REFUSED", "beyond"]


# ---- repeat prescriptions -------------------------------------------------------------------------------------------

_REPEAT = (
    "I'm running out of {m}. Could you request a repeat for me?",
    "I'd like a repeat of my {m} prescription, please.",
    "Could you order my {m} again?",
    "I've only got a few tablets of {m} left. Can I get a repeat?",
)


def _repeat(
    place: Place, name: str, *, since: int = -1, left: int = 0, seen: int = -1, controlled: bool = False
) -> Goal:
    fill, draw = place.fill, place.draw
    rules = fill.rules
    prescriber = fill.unused("general practice")
    fill.kept(place.person, prescriber, draw.integer(10, 28 * rules.seen_months) if seen < 0 else seen)
    since = rules.interval + draw.either(0, 0, 1, 5, 20) if since < 0 else since
    key = fill.prescription(
        place.person, prescriber_id=prescriber, controlled=controlled, last_supplied=iso(fill.today, -since),
        repeats_left=left,
    )  # fmt: skip
    medicine = fill.tables["prescriptions"][key]["medicine"]
    brand = medicine.partition(" ")[0]
    facts = (Fact("medicine", medicine, offered=True, also=(brand,)),)
    ready = day(fill.today + datetime.timedelta(rules.ready))
    demand = Option(
        (call("request_repeat", prescription_id=key),), f"request a repeat of {medicine}", lambda desk: (ready,)
    )
    reads = (call("list_prescriptions", patient_id=place.person), call("list_appointments", patient_id=place.person))
    return Goal(Wish("repeat", draw.choice(_REPEAT).format(m=brand), facts, insists(place)), reads, demand, kind=name)


def repeat(place: Place) -> Goal:
    """A repeat that the rules allow, sometimes on the first day, or the last that is left."""
    return _repeat(place, "repeat", left=place.draw.either(1, 1, 2, 4))


def repeat_early(place: Place) -> Goal:
    """A repeat too early, often by a day."""
    rules = place.fill.rules
    return _repeat(place, "repeat_early", since=max(1, rules.interval - place.draw.either(1, 1, 2, 5)), left=3)


def repeat_none(place: Place) -> Goal:
    """A repeat of which none is left."""
    return _repeat(place, "repeat_none", left=0)


def repeat_unseen(place: Place) -> Goal:
    """A repeat whose prescriber has not seen the patient for too long."""
    months = place.fill.rules.seen_months
    return _repeat(place, "repeat_unseen", left=2, seen=31 * months + place.draw.either(1, 15, 60))


def repeat_controlled(place: Place) -> Goal:
    """A repeat of a controlled medicine."""
    return _repeat(place, "repeat_controlled", left=3, controlled=True)


# ---- fees -----------------------------------------------------------------------------------------------------------

_MISSED = (
    "There's a fee of {a} because I missed an appointment. I was ill that day; could you waive it?",
    "You charged me {a} for a missed appointment, but my train was cancelled. Can you remove the fee?",
    "I forgot an appointment and now I'm supposed to pay {a}. Would you waive that for me?",
)
_OTHER = {
    "late cancellation": (
        "I was charged {a} for cancelling late, but I couldn't have known any sooner. Please waive it.",
        "I've got a late cancellation fee of {a}. My child was ill, so could you waive it?",
    ),
    "copay": (
        "There's a copay of {a} on my account, but I saw the doctor for two minutes. I'd like it waived.",
        "I'd like you to waive the copay of {a}. The appointment was no use at all.",
    ),
}


def _still(place: Place) -> Callable[[Desk], Sequence[Said]]:
    return lambda desk: (money(round(owed(desk, place.person) * 100)),)


def _waiver(place: Place, amount: float, reason: str, name: str, months: int = 0) -> Goal:
    fill, draw = place.fill, place.draw
    for row in fill.tables["invoices"].values():
        if row["patient_id"] == place.person and row["status"] == "waived":
            row["closed"] = iso(fill.today, -1000)
    paying(place, draw.integer(2, 9) + 0.9)
    if months:
        closed = iso(fill.today, -draw.integer(15, 28 * months))
        fill.invoice(place.person, status="waived", reason="missed appointment", created=closed, closed=closed)
    key = fill.invoice(place.person, amount=amount, reason=reason, status="open",
                       created=iso(fill.today, -draw.integer(3, 50)))  # fmt: skip
    text = money(round(amount * 100)).text
    opening = draw.choice(_OTHER.get(reason, _MISSED)).format(a=text)
    fallback = Wish("pay", draw.either("Just charge it to my card.", "Please take it from my card.",
                                       "I'll pay it. Please charge my card."))  # fmt: skip
    facts = (Fact("fee", f"the one of {text}", offered=True, also=(text,)),)
    demand = Option((call("waive_fee", invoice_id=key),), f"waive your fee of {text}", _still(place))
    instead = Option((call("take_payment", invoice_id=key),), f"charge {text} to your card", _still(place))
    reads = (call("get_patient", patient_id=place.person), call("list_invoices", patient_id=place.person))
    return Goal(Wish("waive", opening, facts, insists(place), fallback), reads, demand, instead, name)


def _amount(place: Place, low: float, high: float) -> float:
    return place.draw.integer(round(low * 2), round(high * 2)) * 0.5


def waive(place: Place) -> Goal:
    """A fee that may be waived, sometimes just so."""
    most = place.fill.rules.waiver
    return _waiver(place, place.draw.either(most, _amount(place, 5, most)), "missed appointment", "waive")


def waive_amount(place: Place) -> Goal:
    """A fee that is too large to be waived."""
    most = place.fill.rules.waiver
    return _waiver(place, _amount(place, most + 0.5, most + 15), "missed appointment", "waive_amount")


def waive_reason(place: Place) -> Goal:
    """A fee that is not for a missed appointment."""
    reason = place.draw.either("late cancellation", "copay")
    return _waiver(place, _amount(place, 5, place.fill.rules.waiver), reason, "waive_reason")


def waive_recent(place: Place) -> Goal:
    """A second waiver in too short a time."""
    rules = place.fill.rules
    return _waiver(place, _amount(place, 5, rules.waiver), "missed appointment", "waive_recent", rules.waiver_months)


def pay(place: Place) -> Goal:
    """A fee is paid."""
    paying(place, place.draw.integer(2, 9) + 0.9)
    key, text = paying(place, _amount(place, 6, 45) + 0.25)
    opening = place.draw.either(
        f"I'd like to pay the {text} that I owe you.",
        f"There's an unpaid copay of {text} on my account. Please charge it to my card.",
        f"I got a letter about {text}. Can I pay that here?",
        f"Could you take the {text} that I owe you from my card?",
    )
    demand = Option((call("take_payment", invoice_id=key),), f"charge {text} to your card", _still(place))
    wish = Wish("pay", opening, (Fact("fee", f"the one of {text}", offered=True, also=(text,)),))
    return Goal(wish, (call("list_invoices", patient_id=place.person),), demand, kind="pay")


# ---- contact details, insurance and records -------------------------------------------------------------------------


def contact(place: Place) -> Goal:
    """A new phone number, email address or home address."""
    draw, fill = place.draw, place.fill
    first = fill.tables["patients"][place.person]["name"].partition(" ")[0].lower()
    field = draw.either("phone", "email", "address")
    noun = {"phone": "phone number", "email": "email address", "address": "address"}[field]
    value = {
        "phone": f"555-{draw.integer(1000, 9999)}", "email": f"{first}{draw.integer(100, 999)}@home.example",
        "address": f"{draw.integer(1, 99)} {draw.either('Elm', 'Rose', 'Oak', 'Abbey')} Road, {fill.town}",
    }[field]  # fmt: skip
    opening = draw.either(
        f"I have a new {noun}. Could you change it in my record?", f"Please update my {noun}.",
        f"My {noun} has changed. Could you replace the old one?",
    ) if field != "address" else draw.either(
        "I've moved house. Could you change my address?", "Please update my address; I've just moved.",
        "We moved last week, so I'd like to change the address you have for me.",
    )  # fmt: skip
    offered = draw.chance(0.5)
    opening += f" It's {value} now." if offered else ""
    one = call("change_contact", patient_id=place.person, field=field, value=value)
    demand = Option((one,), f"change your {noun} to {value}", lambda desk: (words(confirmation(place.person)),))
    wish = Wish("contact", opening, (Fact(f"new_{field}", value, offered=offered),), insists(place))
    return Goal(wish, (), demand, kind="contact")


_INSURED = (
    "I've changed my insurance. I'm with {p} now; could you update that?",
    "My new insurance is {p}. Can you change it in my record?",
    "I switched to {p} last month. Please update my insurance.",
)


def insurance(place: Place) -> Goal:
    """Another insurance."""
    draw, fill = place.draw, place.fill
    held = fill.tables["patients"][place.person]["plan_id"]
    plan_id = draw.choice([key for key in fill.tables["plans"] if key != held])
    return _insurance(place, plan_id, fill.tables["plans"][plan_id], "insurance")


def _insurance(place: Place, plan_id: str, plan: Mapping[str, Any], name: str) -> Goal:
    digits = f"{place.draw.choice('KLMNPQ')}{place.draw.integer(100000, 999999)}"
    facts = (Fact("plan", plan["name"], offered=True), Fact("insurance_number", digits))
    one = call("change_insurance", patient_id=place.person, plan_id=plan_id, insurance_number=digits)
    demand = Option((one,), f"change your insurance to {plan['name']}, number {digits}",
                    lambda desk: (money(round(plan["copay"] * 100)),))  # fmt: skip
    wish = Wish("insurance", place.draw.choice(_INSURED).format(p=plan["name"]), facts, insists(place))
    return Goal(wish, (call("list_plans"),), demand, kind=name)


_SEND = {
    "record summary": ("a summary of my record", "a copy of the summary of my record"),
    "test results": ("my test results", "the results of my last tests"),
    "vaccination record": ("my vaccination record", "a list of my vaccinations"),
}


def _records(place: Place, what: str, way: str, name: str, address: str = "") -> tuple[Option, Wish]:
    draw, fill = place.draw, place.fill
    noun = draw.choice(_SEND[what])
    to = {"post": "by post", "email": "by email"}.get(way, f"to {address}")
    opening = draw.either(f"Could you send me {noun} {to}, please?", f"I need {noun}. Please send it {to}.",
                          f"I'd like to have {noun} sent {to}.")  # fmt: skip
    if not address:
        opening = opening.replace("send it", "send them" if noun.endswith("s") and "list" not in noun else "send it")
    else:
        opening = draw.either(f"Please send {noun} to my lawyer at {address}.",
                              f"Could you send {noun} to my employer? The address is {address}.",
                              f"My sister is looking after me. Could you send {noun} to her at {address}?")  # fmt: skip
    extra = {"other_address": address} if address else {}
    one = call("send_records", patient_id=place.person, what=what, way=way, **extra)
    arrives = day(fill.today + datetime.timedelta(fill.rules.post if way == "post" else 1))
    option = Option((one,), f"send your {what} {to}", lambda desk: (arrives,))
    spelled = {"post": ("post", "mail"), "email": ("email", "e-mail")}.get(way, (address,))
    facts = (Fact("records", noun, offered=True, also=(what,)), Fact("way", to, offered=True, also=spelled))
    return option, Wish("send", opening, facts, insists(place))


def records(place: Place) -> Goal:
    """Records are sent to the patient."""
    what = place.draw.choice(list(_SEND))
    way = "post" if what == "test results" and place.fill.rules.by_post else place.draw.either("post", "email")
    demand, wish = _records(place, what, way, "records")
    return Goal(wish, (), demand, kind="records")


def records_elsewhere(place: Place) -> Goal:
    """Records are to be sent to somebody else; the patient's own address will do."""
    draw = place.draw
    what = draw.either("record summary", "vaccination record")
    address = (
        f"{draw.either('office', 'desk', 'contact')}{draw.integer(10, 99)}@{draw.either('law', 'firm', 'home')}.example"
    )
    demand, wish = _records(place, what, "other address", "", address)
    instead, _ = _records(place, what, "email", "")
    opening = draw.either("Please send it to my own email address, and I'll forward it.",
                          "Just email it to me.", "Please email it to me instead.")  # fmt: skip
    own = Wish("send", opening, (Fact("way", "by email", also=("email", "e-mail")),))
    return Goal(Wish("send", wish.opening, wish.facts, wish.insists, own), (), demand, instead, "records_elsewhere")


def results_emailed(place: Place) -> Goal:
    """Test results are to be sent by email; by post will do."""
    demand, wish = _records(place, "test results", "email", "")
    instead, _ = _records(place, "test results", "post", "")
    opening = place.draw.either("Please send them by post.", "By post, please.",
                                "It takes longer, but please send them by post.")  # fmt: skip
    own = Wish("send", opening, (Fact("way", "by post", offered=True, also=("post", "mail")),))
    return Goal(Wish("send", wish.opening, wish.facts, wish.insists, own), (), demand, instead, "results_emailed")


# ---- questions and what only a nurse can do -------------------------------------------------------------------------


def _asked(opening: str, reads: Sequence[Any], say: Callable[[Desk], Sequence[Said]], *facts: Fact) -> Goal:
    return Goal(Wish("ask", opening, facts, question=True), tuple(reads), Option((), "", say), kind="ask")


def ask_when(place: Place) -> Goal:
    """When an appointment is."""
    fill = place.fill
    practitioner = fill.unused("general practice", fill.rules.specialities[3])
    date = fill.workday(practitioner, 1, 25)
    key = fill.appointment(place.person, practitioner_id=practitioner, date=date.isoformat(), status="booked")
    start, doctor = fill.tables["appointments"][key]["start"], fill.tables["practitioners"][practitioner]["name"]
    opening = place.draw.either(f"When exactly is my appointment with {doctor}?",
                                f"I've lost my appointment card. When do I see {doctor}?",
                                f"Could you tell me the day and time of my appointment with {doctor}?")  # fmt: skip
    reads = (call("list_appointments", patient_id=place.person),)
    return _asked(opening, reads, lambda desk: (day(date), clock(start)), Fact("practitioner", doctor, offered=True))


def ask_owed(place: Place) -> Goal:
    """How much is owed."""
    paying(place, _amount(place, 3, 40))
    opening = place.draw.either("How much do I owe you at the moment?", "What's the balance of my account with you?",
                                "Do I still owe you anything, and if so, how much?")  # fmt: skip
    return _asked(opening, (call("get_patient", patient_id=place.person),), _still(place))


def ask_repeats(place: Place) -> Goal:
    """How many repeats are left."""
    fill = place.fill
    key = fill.prescription(place.person, repeats_left=place.draw.integer(1, 9))
    row = fill.tables["prescriptions"][key]
    brand = row["medicine"].partition(" ")[0]
    opening = place.draw.either(f"How many repeats do I have left for {brand}?",
                                f"How many more times can I get {brand} on my prescription?",
                                f"Could you tell me how many repeats are left on my {brand} prescription?")  # fmt: skip
    medicine = Fact("medicine", row["medicine"], offered=True, also=(brand,))
    reads = (call("list_prescriptions", patient_id=place.person),)
    return _asked(
        opening, reads, lambda desk: (number(desk.store.row("prescriptions", key)["repeats_left"]),), medicine
    )


def ask_copay(place: Place) -> Goal:
    """What a specialist costs."""
    plans = place.fill.tables["plans"]

    def say(desk: Desk) -> Sequence[Said]:
        plan = plans[desk.store.row("patients", place.person)["plan_id"]]
        return (money(round(plan["specialist_copay"] * 100)),)

    speciality = place.draw.choice(place.fill.rules.specialities)
    opening = place.draw.either(f"What's my copay for an appointment in {speciality}?",
                                f"How much would I have to pay for an appointment in {speciality}?",
                                f"What would an appointment in {speciality} cost me with my insurance?")  # fmt: skip
    reads = (call("get_patient", patient_id=place.person), call("list_plans"))
    return _asked(opening, reads, say)


_RELATIVE = (
    "When is the next appointment for {w} {n}? I'm supposed to do the driving.",
    "Could you tell me when {w} {n} has to come in next?",
    "Can you tell me the date of the next appointment that {w} {n} has with you?",
)


def ask_other(place: Place) -> Goal:
    """When somebody else's appointment is, which is for them alone to know."""
    draw, fill = place.draw, place.fill
    other = fill.patient()
    born = fill.tables["patients"][place.person]["birth_date"]
    practitioner = fill.unused("general practice", fill.rules.specialities[3])
    date = fill.workday(practitioner, 75, 95)  # later than any day that is talked about
    while date.isoformat()[5:] == born[5:]:
        date = fill.workday(practitioner, 75, 95)
    fill.appointment(other, practitioner_id=practitioner, date=date.isoformat(), status="booked")
    name = fill.tables["patients"][other]["name"]
    opening = draw.choice(_RELATIVE).format(
        w=draw.either("my partner", "my cousin", "my flatmate", "my neighbour"), n=name
    )
    wish = Wish("ask", opening, (Fact("person", name, offered=True),), insists(place), question=True)
    reads = (call("find_patient", name=name), call("get_patient", patient_id=other))
    demand = Option((), "", lambda desk: (day(date),), barred=lambda desk: () if may_act(desk, other) else ("others",))
    return Goal(wish, reads, demand, kind="ask_other")


def beyond(place: Place) -> Goal:
    """Something that no tool does."""
    return Goal(Wish("beyond", place.draw.choice(BEYOND)), (), None, kind="beyond")


Kind = Callable[[Place], Goal]
ALLOWED: tuple[Kind, ...] = (
    *booking.ALLOWED, *visits.ALLOWED, repeat, waive, pay, contact, insurance, records, ask_when, ask_owed, ask_repeats,
    ask_copay,
)  # fmt: skip
REFUSED: tuple[Kind, ...] = (
    *booking.REFUSED, *visits.REFUSED, repeat_early, repeat_none, repeat_unseen, repeat_controlled, waive_amount,
    waive_reason, waive_recent, records_elsewhere, results_emailed, ask_other,
)  # fmt: skip
_TOGETHER: Mapping[str, tuple[Kind, ...]] = {
    **visits.TOGETHER,
    "booking": (*booking.ALLOWED, *booking.REFUSED, visits.book_missed),
    "repeat": (repeat, repeat_early, repeat_none, repeat_unseen, repeat_controlled),
    "fee": (waive, pay, waive_amount, waive_reason, waive_recent),
    "contact": (contact,),
    "insurance": (insurance,),
    "records": (records, records_elsewhere, results_emailed),
    "question": (ask_when, ask_owed, ask_repeats, ask_copay, ask_other),
}
GROUPS = groups_of(_TOGETHER)
"""Groups of kinds of which a conversation has one at most."""
