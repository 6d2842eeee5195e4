"""What patients want about appointments: each kind plants what it is about and says how the patient puts it."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace

from turnwise.worlds.desks import drafting
from turnwise.worlds.desks.clinic.checks import fee_of, plan_of
from turnwise.worlds.desks.clinic.data import Filling
from turnwise.worlds.desks.clinic.schedule import afternoon, free_times
from turnwise.worlds.desks.clinic.tools import confirmation
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.said import Said, clock, day, money, number, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.store import Store
from turnwise.worlds.desks.wording import date_words
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["ALLOWED", "REFUSED", "TOGETHER", "Place", "paying"]

Place = drafting.Place[Filling]
_A = {
    "first visit": "a first visit", "check-up": "a check-up", "consultation": "a consultation",
    "vaccination": "a vaccination", "follow-up": "a follow-up appointment",
}  # fmt: skip
_PARTS = ("morning", "afternoon")


def _name(place: Place, practitioner: str) -> str:
    return str(place.fill.tables["practitioners"][practitioner]["name"])


def _part_fact(part: str) -> Fact:
    return Fact("part", f"it has to be in the {part}", also=(part,))


def _date_fact(place: Place, date: datetime.date, offered: bool = True) -> Fact:
    said = date_words(date)
    other = date_words(date + datetime.timedelta(-3 if date.weekday() == 4 else 1))
    return Fact("date", said[0], offered=offered, also=said, others=other[:1])


def _earliest(place: Place, practitioner: str, date: datetime.date, kind: str) -> tuple[str, str]:
    """Return morning or afternoon, and the earliest free time of a day then."""
    times = free_times(Store(place.fill.tables), practitioner, date, place.fill.rules.minutes[kind])
    by_part = {part: [time for time in times if afternoon(time) == (part == "afternoon")] for part in _PARTS}
    part = place.draw.choice([part for part in _PARTS if by_part[part]])
    return part, by_part[part][0]


def _booked(patient: str, practitioner: str, date: datetime.date, start: str) -> Callable[[Desk], Sequence[Said]]:
    def say(desk: Desk) -> Sequence[Said]:
        general = desk.store.row("practitioners", practitioner)["speciality"] == "general practice"
        copay = plan_of(desk, patient)["copay" if general else "specialist_copay"]
        return day(date), clock(start), money(round(copay * 100))

    return say


def _clear(place: Place, practitioner: str, dates: Sequence[datetime.date]) -> None:
    """Leave a practitioner enough free time on some days."""
    appointments = place.fill.tables["appointments"]
    days = {date.isoformat() for date in dates}
    for key in [k for k, row in appointments.items() if row["practitioner_id"] == practitioner and row["date"] in days]:
        del appointments[key]


def _busy(place: Place, practitioner: str, date: datetime.date) -> None:
    """Let others have the first times of a day, so that the earliest free time has to be looked up."""
    start = place.fill.tables["practitioners"][practitioner]["from"]
    others = [key for key in place.fill.tables["patients"] if key != place.person]
    if place.draw.chance(0.6):
        place.fill.appointment(place.draw.choice(others), practitioner_id=practitioner, date=date.isoformat(),
                               start=start, status="booked")  # fmt: skip


_WANT = (
    "I'd like {a} with {d} {w}.",
    "Could you book me in for {a} with {d} {w}, please?",
    "Can I get {a} with {d} {w}?",
    "I need {a} with {d}. Would {w} be possible?",
)


def _request(
    place: Place, practitioner: str, date: datetime.date, kind: str, patient: str = "", opening: str = ""
) -> tuple[Wish, Option]:
    """Return the wish for an appointment on a day and how it is fulfilled."""
    part, start = _earliest(place, practitioner, date, kind)
    doctor, patient = _name(place, practitioner), patient or place.person
    when = _date_fact(place, date, offered=place.draw.chance(0.7) or bool(opening))
    text = opening or place.draw.choice(_WANT)
    if not when.offered and "{w}" in text:
        text = place.draw.either("I'd like to book {a} with {d}.", "Could I get {a} with {d}, please?",
                                 "I need {a} with {d}. Could you arrange that?")  # fmt: skip
    said = f"on {when.value}"
    text = text.format(a=_A[kind], d=doctor, w=said if "Would" not in text else when.value)
    facts = (Fact("practitioner", doctor, offered=True), Fact("type", _A[kind], offered=True, also=(kind,)), when,
             _part_fact(part))  # fmt: skip
    one = call("book_appointment", patient_id=patient, practitioner_id=practitioner, type=kind, date=date.isoformat(),
               start=start)  # fmt: skip
    option = Option((one,), f"book {_A[kind]} with {doctor} on {when.value} at {start}",
                    _booked(patient, practitioner, date, start))  # fmt: skip
    return Wish("book", text, facts, insists(place)), option


def _booking_goal(
    place: Place, practitioner: str, date: datetime.date, kind: str, name: str, patient: str = ""
) -> Goal:
    wish, demand = _request(place, practitioner, date, kind, patient)
    reads = (
        call("get_patient", patient_id=patient or place.person),
        call("list_appointments", patient_id=patient or place.person),
        call("find_practitioners", search=_name(place, practitioner).rpartition(" ")[2]), call("list_plans"),
        call("search_slots", practitioner_id=practitioner, type=kind, date=date.isoformat()),
    )  # fmt: skip
    return Goal(wish, reads, demand, kind=name)


def _kind(place: Place) -> str:
    return place.draw.either("check-up", "consultation", "vaccination", "follow-up")


def _general(place: Place, first: int = 1, last: int = 0, seen: bool = True) -> tuple[str, datetime.date]:
    """Return a general practitioner whom the patient has no appointment with, and a day to see them on."""
    practitioner = place.fill.unused("general practice")
    date = place.fill.workday(practitioner, first, last or place.fill.rules.ahead)
    _clear(place, practitioner, [date])
    _busy(place, practitioner, date)
    return practitioner, date


def book(place: Place) -> Goal:
    """An appointment in general practice that the rules allow."""
    practitioner, date = _general(place)
    return _booking_goal(place, practitioner, date, _kind(place), "book")


def book_spaced(place: Place) -> Goal:
    """An appointment that is just far enough from another one."""
    fill = place.fill
    practitioner, date = _general(place)
    other = date - datetime.timedelta(fill.rules.spacing + place.draw.below(2))
    fill.appointment(place.person, practitioner_id=practitioner, date=other.isoformat(), type="check-up",
                     status="booked" if other > fill.today else "kept")  # fmt: skip
    return _booking_goal(place, practitioner, date, "follow-up", "book_spaced")


def book_referred(place: Place) -> Goal:
    """An appointment with a specialist for whom there is a referral, sometimes on its last day."""
    fill, speciality = place.fill, place.draw.choice(place.fill.rules.referred)
    fill.referral(place.person, speciality, fill.rules.referral - place.draw.either(0, 1, 10, 20))
    return _special(place, speciality, "book_referred")


def _special(place: Place, speciality: str, name: str) -> Goal:
    practitioner = place.fill.unused(speciality)
    date = place.fill.workday(practitioner, 1, place.fill.rules.ahead)
    _clear(place, practitioner, [date])
    return _booking_goal(place, practitioner, date, "consultation", name)


def book_unreferred(place: Place) -> Goal:
    """An appointment with a specialist without a referral, or with one that has just become too old."""
    fill, (one, other) = place.fill, place.fill.rules.referred
    if place.draw.chance(0.6):
        fill.referral(place.person, one, fill.rules.referral + place.draw.either(1, 2, 9))
    else:
        fill.referral(place.person, other, place.draw.integer(2, 20))
    return _special(place, one, "book_unreferred")


def book_close(place: Place) -> Goal:
    """An appointment too close to another one, often by a day; a later day will do."""
    fill, draw = place.fill, place.draw
    spacing = fill.rules.spacing
    practitioner, date = _general(place, 1, fill.rules.ahead - 8)
    other = date - datetime.timedelta(spacing - draw.either(1, 1, 2))
    fill.appointment(place.person, practitioner_id=practitioner, date=other.isoformat(), type="check-up",
                     status="booked" if other > fill.today else "kept")  # fmt: skip
    goal = _booking_goal(place, practitioner, date, "follow-up", "book_close")
    gap = (other - fill.today).days + spacing
    later = fill.workday(practitioner, gap, gap + 5)
    _clear(place, practitioner, [later])
    return _otherwise(place, goal, practitioner, later, "follow-up")


def _otherwise(place: Place, goal: Goal, practitioner: str, date: datetime.date, kind: str) -> Goal:
    """Let the patient ask for another day once the first is refused."""
    said = f"{date:%A}, {date:%B} {date.day}"
    opening = place.draw.either(f"Would {said} work instead?", f"Then on {said}, please.",
                                f"Could I come on {said} instead?")  # fmt: skip
    again, instead = _request(place, practitioner, date, kind, opening=opening)
    again = replace(again, facts=tuple(replace(fact, offered=fact.slot == "date") for fact in again.facts), insists=0)
    slots = call("search_slots", practitioner_id=practitioner, type=kind, date=date.isoformat())
    return replace(goal, wish=replace(goal.wish, fallback=again), reads=(*goal.reads, slots), instead=instead)


def book_far(place: Place) -> Goal:
    """An appointment too far ahead; an earlier day will do."""
    fill = place.fill
    practitioner, date = _general(place, fill.rules.ahead + 1, fill.rules.ahead + 4)
    goal = _booking_goal(place, practitioner, date, _kind(place), "book_far")
    sooner = fill.workday(practitioner, fill.rules.ahead - 5, fill.rules.ahead)
    _clear(place, practitioner, [sooner])
    kind = str(goal.demand.calls[0].arguments["type"]) if goal.demand else ""
    return _otherwise(place, goal, practitioner, sooner, kind)


def book_new(place: Place) -> Goal:
    """An appointment of somebody who has not been seen here; the first visit will do."""
    for key, row in list(place.fill.tables["appointments"].items()):
        if row["patient_id"] == place.person and row["status"] == "kept":
            del place.fill.tables["appointments"][key]
    practitioner, date = _general(place)
    goal = _booking_goal(place, practitioner, date, place.draw.either("check-up", "vaccination"), "book_new")
    opening = place.draw.either("All right, then make it a first visit on the same day.",
                                "I see. Then book me a first visit for that day, please.",
                                "Fine, a first visit will do, then.")  # fmt: skip
    again, instead = _request(place, practitioner, date, "first visit", opening=opening)
    again = replace(again, facts=tuple(replace(fact, offered=False) for fact in again.facts), insists=0)
    slots = call("search_slots", practitioner_id=practitioner, type="first visit", date=date.isoformat())
    return replace(goal, wish=replace(goal.wish, fallback=again), reads=(*goal.reads, slots), instead=instead)


def book_most(place: Place) -> Goal:
    """An appointment beyond the patient's limit."""
    fill = place.fill
    for row in fill.tables["appointments"].values():
        if row["patient_id"] == place.person and row["status"] == "booked":
            row["status"] = "cancelled"
    for _ in range(fill.rules.most):
        practitioner = fill.unused("general practice", *fill.rules.specialities)
        date = fill.workday(practitioner, 2, 20).isoformat()
        fill.appointment(place.person, practitioner_id=practitioner, date=date, status="booked")
    return replace(book(place), kind="book_most")


def paying(place: Place, amount: float) -> tuple[str, str]:
    """Plant an open fee of the patient; return its key and the amount in words."""
    created = (place.fill.today - datetime.timedelta(place.draw.integer(5, 80))).isoformat()
    key = place.fill.invoice(place.person, amount=amount, status="open", created=created, reason="copay")
    return key, money(round(amount * 100)).text


def book_debt(place: Place) -> Goal:
    """An appointment while too much is owed; the patient pays, and gets it."""
    fee, text = paying(place, place.fill.rules.debt + place.draw.integer(1, 6) * 2.5)
    goal = book(place)
    opening = place.draw.either(
        f"Oh, I forgot about that. Then charge the {text} to my card, and book it after that, please.",
        f"All right, take the {text} from my card first and then book it.",
        f"I didn't know. Please charge my card for the {text}, then, and book the appointment.",
    )
    assert goal.demand is not None
    first = call("take_payment", invoice_id=fee)
    instead = Option(
        (first, *goal.demand.calls), f"charge {text} to your card and {goal.demand.words}", goal.demand.say
    )
    wish = replace(goal.wish, fallback=Wish("pay", opening))
    reads = (*goal.reads, call("list_invoices", patient_id=place.person))
    return Goal(wish, reads, goal.demand, instead, "book_debt")


def book_missed(place: Place) -> Goal:
    """An appointment of somebody who misses many; the waiting list will do."""
    fill = place.fill
    practitioner, date = _general(place)
    for _ in range(fill.rules.missed):
        past = fill.today - datetime.timedelta(place.draw.integer(20, 28 * fill.rules.missed_months - 5))
        fill.appointment(place.person, date=past.isoformat(), status="missed")
    goal = _booking_goal(place, practitioner, date, _kind(place), "book_missed")
    assert goal.demand is not None
    kind = str(goal.demand.calls[0].arguments["type"])
    opening = place.draw.either("Then put me on the waiting list, please.", "OK, put me on the waiting list, then.",
                                "In that case I'd like to go on the waiting list.")  # fmt: skip
    wish, instead = _waiting(place, practitioner, kind, opening)
    return replace(goal, wish=replace(goal.wish, fallback=replace(wish, insists=0)), instead=instead)


# ---- moving and cancelling ------------------------------------------------------------------------------------------


def _own(place: Place, first: int, last: int) -> tuple[str, str, datetime.date]:
    """Plant an appointment of the patient; return its key, its practitioner and its date."""
    practitioner = place.fill.unused("general practice", place.fill.rules.specialities[2])
    date = place.fill.workday(practitioner, first, last)
    _clear(place, practitioner, [date])
    key = place.fill.appointment(place.person, practitioner_id=practitioner, date=date.isoformat(), status="booked")
    return key, practitioner, date


def _moving(place: Place, first: int, last: int, name: str) -> tuple[str, Goal]:
    fill, draw = place.fill, place.draw
    key, practitioner, old = _own(place, first, last)
    soon = max(1, (old - fill.today).days)
    date = fill.workday(practitioner, soon + 1, max(soon + 5, fill.rules.ahead))
    _clear(place, practitioner, [date])
    _busy(place, practitioner, date)
    doctor, kind = _name(place, practitioner), fill.tables["appointments"][key]["type"]
    part, start = _earliest(place, practitioner, date, kind)
    when = _date_fact(place, date, offered=draw.chance(0.6))
    to = f"to {when.value}" if when.offered else "to another day"
    opening = draw.either(
        f"Something has come up at work. Could you move my appointment with {doctor} {to}?",
        f"I have an appointment with {doctor} on {old:%B} {old.day}, but I can't make it. Please move it {to}.",
        f"I'd like to reschedule my appointment with {doctor} {to}.",
        f"Can we move my appointment with {doctor} {to}, please?",
    )
    facts = (Fact("practitioner", doctor, offered=True), when, _part_fact(part))
    demand = Option(
        (call("move_appointment", appointment_id=key, date=date.isoformat(), start=start),),
        f"move your appointment with {doctor} to {when.value} at {start}", lambda desk: (day(date), clock(start)),
    )  # fmt: skip
    reads = (call("list_appointments", patient_id=place.person),
             call("search_slots", practitioner_id=practitioner, type=kind, date=date.isoformat()))  # fmt: skip
    return key, Goal(Wish("move", opening, facts, insists(place)), reads, demand, kind=name)


def move(place: Place) -> Goal:
    """An appointment is moved, sometimes on the last day on which it can be."""
    notice = place.fill.rules.notice
    return _moving(place, notice, notice + place.draw.either(2, 4, 12), "move")[1]


def move_late(place: Place) -> Goal:
    """An appointment is to be moved too late; it is cancelled for the fee."""
    key, goal = _moving(place, 1, max(1, place.fill.rules.notice - 1), "move_late")
    opening = place.draw.either("Then I'll have to cancel it. Please do that.", "All right, then cancel it, please.",
                                "Then cancel it. I really can't come.")  # fmt: skip
    return replace(goal, wish=replace(goal.wish, fallback=Wish("cancel", opening)), instead=_cancelling(place, key))


def _cancelling(place: Place, key: str) -> Option:
    fill = place.fill
    row = fill.tables["appointments"][key]
    date = datetime.date.fromisoformat(row["date"])
    fee = fill.rules.late_fee if (date - fill.today).days < fill.rules.notice else 0.0
    cost = f"for a late cancellation fee of {money(round(fee * 100)).text}" if fee else "free of charge"
    text = f"cancel your appointment with {_name(place, row['practitioner_id'])} on {date:%B} {date.day} {cost}"

    def say(desk: Desk) -> Sequence[Said]:
        owing = fee_of(desk, row)
        return (*((money(round(owing * 100)),) if owing else ()), words(confirmation(key)))

    return Option((call("cancel_appointment", appointment_id=key, fee=fee),), text, say)


def cancel(place: Place) -> Goal:
    """An appointment is cancelled, with a fee if it is late."""
    notice = place.fill.rules.notice
    key, practitioner, date = _own(place, 1, notice + place.draw.either(0, 1, 9))
    doctor = _name(place, practitioner)
    opening = place.draw.either(
        f"I'm feeling better, so please cancel my appointment with {doctor}.",
        f"I can't come to my appointment with {doctor} on {date:%B} {date.day}. Could you cancel it?",
        f"Please cancel the appointment I have with {doctor}.",
        f"We'll be out of town, so I won't need my appointment with {doctor} any more. Could you cancel it?",
    )
    wish = Wish("cancel", opening, (Fact("practitioner", doctor, offered=True),))
    return Goal(wish, (call("list_appointments", patient_id=place.person),), _cancelling(place, key), kind="cancel")


# ---- the waiting list -----------------------------------------------------------------------------------------------


def _waiting(place: Place, practitioner: str, kind: str, opening: str) -> tuple[Wish, Option]:
    doctor = _name(place, practitioner)
    facts = (Fact("practitioner", doctor, offered="{d}" in opening), Fact("type", _A[kind], also=(kind,)))
    one = call("join_waiting_list", patient_id=place.person, practitioner_id=practitioner, type=kind)

    def say(desk: Desk) -> Sequence[Said]:
        return (number(sum(1 for _ in desk.store.rows("waiting", practitioner_id=practitioner))),)

    wish = Wish("wait", opening.format(d=doctor), facts, insists(place))
    return wish, Option((one,), f"put you on {doctor}'s waiting list for {_A[kind]}", say)


_LIST = (
    "{d} seems to be booked up. Could you put me on the waiting list?",
    "I'd like to go on the waiting list for {d}.",
    "Please put me on {d}'s waiting list. I can come at short notice.",
    "Is there a waiting list for {d}? I'd like to be on it.",
)


def _list_goal(place: Place, practitioner: str, name: str) -> Goal:
    others = [key for key in place.fill.tables["patients"] if key != place.person]
    for other in place.draw.sample(others, place.draw.integer(1, 5)):
        place.fill.wait(other, practitioner_id=practitioner)
    wish, demand = _waiting(place, practitioner, "consultation", place.draw.choice(_LIST))
    fill = place.fill
    reads = (
        call("find_practitioners", search=_name(place, practitioner).rpartition(" ")[2]),
        call("search_slots", practitioner_id=practitioner, type="consultation",
             date=(fill.today + datetime.timedelta(1)).isoformat(), days=fill.rules.waiting),
    )  # fmt: skip
    return Goal(wish, reads, demand, kind=name)


def wait(place: Place) -> Goal:
    """A practitioner who is away for long enough that there is a waiting list."""
    fill = place.fill
    practitioner = fill.unused(*fill.rules.specialities[2:])
    away = fill.today + datetime.timedelta(fill.rules.waiting + place.draw.either(0, 1, 6))
    fill.tables["practitioners"][practitioner]["away_until"] = away.isoformat()
    return _list_goal(place, practitioner, "wait")


def wait_free(place: Place) -> Goal:
    """A practitioner who has a free time, sometimes only on the last day that counts; it is booked."""
    fill = place.fill
    practitioner = fill.unused(*fill.rules.specialities[2:])
    ahead = fill.rules.waiting
    while (fill.today + datetime.timedelta(ahead)).weekday() > 4:
        ahead -= 1
    date = fill.workday(practitioner, ahead, ahead)
    fill.tables["practitioners"][practitioner]["away_until"] = (date - datetime.timedelta(1)).isoformat()
    _clear(place, practitioner, [date])
    goal = _list_goal(place, practitioner, "wait_free")
    said = f"{date:%A}, {date:%B} {date.day}"
    opening = place.draw.either(f"In that case, book me in for {said}, please.",
                                f"Then I'd rather have an appointment on {said}.",
                                f"Is there anything on {said}? Then I'll take that.")  # fmt: skip
    again, instead = _request(place, practitioner, date, "consultation", opening=opening)
    again = replace(again, facts=tuple(replace(fact, offered=fact.slot == "date") for fact in again.facts), insists=0)
    reads = (*goal.reads, call("get_patient", patient_id=place.person), call("list_plans"))
    return replace(goal, wish=replace(goal.wish, fallback=again), reads=reads, instead=instead)


# ---- children -------------------------------------------------------------------------------------------------------


_FOR = (
    "I'd like to book {a} for my child {c} with {d} {w}.",
    "My child {c} needs {a} with {d}. Could you book one {w}?",
    "Could you book {a} with {d} {w} for my child {c}?",
)


def _child_goal(place: Place, child: str, name: str, whose: str = "my child") -> Goal:
    practitioner, date = _general(place)
    kind = place.draw.either("check-up", "vaccination", "consultation")
    called = place.fill.tables["patients"][child]["name"]
    text = place.draw.choice(_FOR).replace("my child", whose).replace("{c}", called)
    if whose != "my child":
        text = text[0].upper() + text[1:]
    wish, demand = _request(place, practitioner, date, kind, child, text)
    wish = replace(wish, facts=(Fact("child", called, offered=True), *wish.facts))
    demand = replace(demand, words=demand.words.replace("book ", f"book {called} ", 1))
    reads = (
        call("find_patient", name=called), call("get_patient", patient_id=child),
        call("list_appointments", patient_id=child), call("list_plans"),
        call("find_practitioners", search=_name(place, practitioner).rpartition(" ")[2]),
        call("search_slots", practitioner_id=practitioner, type=kind, date=date.isoformat()),
    )  # fmt: skip
    return Goal(wish, reads, demand, kind=name)


def book_child(place: Place) -> Goal:
    """A parent books for a child, who may be nearly too old for it."""
    age = place.fill.rules.adult - place.draw.either(1, 1, 4, 8)
    return _child_goal(place, place.fill.child(place.person, age), "book_child")


def child_grown(place: Place) -> Goal:
    """A parent books for a child who is old enough to do so themselves."""
    age = place.fill.rules.adult + place.draw.either(0, 0, 1, 2)
    return _child_goal(place, place.fill.child(place.person, age), "child_grown")


def child_other(place: Place) -> Goal:
    """Somebody books for a child of whom they are not the guardian on record."""
    other = place.draw.choice([key for key in place.fill.tables["patients"] if key != place.person])
    child = place.fill.child(other, place.draw.integer(4, place.fill.rules.adult - 2))
    whose = place.draw.either("my sister's child", "my neighbour's child", "my godchild")
    return _child_goal(place, child, "child_other", whose)


ALLOWED = (book, book_spaced, book_referred, book_child, move, cancel, wait)
REFUSED = (
    book_unreferred, book_close, book_far, book_new, book_most, book_debt, book_missed, move_late, wait_free,
    child_grown, child_other,
)  # fmt: skip
TOGETHER = {
    "booking": (book, book_spaced, book_referred, book_unreferred, book_close, book_far, book_new, book_most, book_debt,
                book_missed),
    "own": (move, move_late, cancel),
    "waiting": (wait, wait_free),
    "child": (book_child, child_grown, child_other),
}  # fmt: skip
