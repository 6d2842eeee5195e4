"""What patients want to book: each kind plants what it is about and says how the patient puts it."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace

from turnwise.worlds.desks import drafting
from turnwise.worlds.desks.clinic.checks import plan_of
from turnwise.worlds.desks.clinic.data import Filling
from turnwise.worlds.desks.clinic.schedule import afternoon, free_times
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.said import Said, clock, day, money
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.store import Store
from turnwise.worlds.desks.wording import date_words
from turnwise.worlds.people.part import Fact, Wish

__all__ = [
    "ALLOWED", "CALLED", "REFUSED", "Place", "any_type", "booking_goal", "busy", "clear", "date_fact", "earliest",
    "general", "name_of", "part_fact", "paying", "request",
]  # fmt: skip

Place = drafting.Place[Filling]
CALLED = {
    "first visit": "a first visit", "check-up": "a check-up", "consultation": "a consultation",
    "vaccination": "a vaccination", "follow-up": "a follow-up appointment",
}  # fmt: skip
_PARTS = ("morning", "afternoon")


def name_of(place: Place, practitioner: str) -> str:
    """Return a practitioner's name."""
    return str(place.fill.tables["practitioners"][practitioner]["name"])


def part_fact(part: str) -> Fact:
    """Return what a patient says about the time of day."""
    return Fact("part", f"it has to be in the {part}", also=(part,))


def date_fact(place: Place, date: datetime.date, offered: bool = True) -> Fact:
    """Return what a patient says about the day; another day is what they may say by mistake."""
    said = date_words(date)
    other = date_words(date + datetime.timedelta(-3 if date.weekday() == 4 else 1))
    return Fact("date", said[0], offered=offered, also=said, others=other[:1])


def earliest(place: Place, practitioner: str, date: datetime.date, kind: str) -> tuple[str, str]:
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


def clear(place: Place, practitioner: str, dates: Sequence[datetime.date]) -> None:
    """Leave a practitioner enough free time on some days."""
    appointments = place.fill.tables["appointments"]
    days = {date.isoformat() for date in dates}
    for key in [k for k, row in appointments.items() if row["practitioner_id"] == practitioner and row["date"] in days]:
        del appointments[key]


def busy(place: Place, practitioner: str, date: datetime.date) -> None:
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


def request(
    place: Place, practitioner: str, date: datetime.date, kind: str, patient: str = "", opening: str = ""
) -> tuple[Wish, Option]:
    """Return the wish for an appointment on a day and how it is fulfilled."""
    part, start = earliest(place, practitioner, date, kind)
    doctor, patient = name_of(place, practitioner), patient or place.person
    when = date_fact(place, date, offered=place.draw.chance(0.7) or bool(opening))
    text = opening or place.draw.choice(_WANT)
    if not when.offered and "{w}" in text:
        text = place.draw.either("I'd like to book {a} with {d}.", "Could I get {a} with {d}, please?",
                                 "I need {a} with {d}. Could you arrange that?")  # fmt: skip
    said = f"on {when.value}"
    text = text.format(a=CALLED[kind], d=doctor, w=said if "Would" not in text else when.value)
    facts = (Fact("practitioner", doctor, offered=True), Fact("type", CALLED[kind], offered=True, also=(kind,)), when,
             part_fact(part))  # fmt: skip
    one = call("book_appointment", patient_id=patient, practitioner_id=practitioner, type=kind, date=date.isoformat(),
               start=start)  # fmt: skip
    option = Option((one,), f"book {CALLED[kind]} with {doctor} on {when.value} at {start}",
                    _booked(patient, practitioner, date, start))  # fmt: skip
    return Wish("book", text, facts, insists(place)), option


def booking_goal(place: Place, practitioner: str, date: datetime.date, kind: str, name: str, patient: str = "") -> Goal:
    """Return the goal of an appointment on a day, for the person or another patient."""
    wish, demand = request(place, practitioner, date, kind, patient)
    reads = (
        call("get_patient", patient_id=patient or place.person),
        call("list_appointments", patient_id=patient or place.person),
        call("find_practitioners", search=name_of(place, practitioner).rpartition(" ")[2]), call("list_plans"),
        call("search_slots", practitioner_id=practitioner, type=kind, date=date.isoformat()),
    )  # fmt: skip
    return Goal(wish, reads, demand, kind=name)


def any_type(place: Place) -> str:
    """Draw a type of appointment in general practice."""
    return place.draw.either("check-up", "consultation", "vaccination", "follow-up")


def general(place: Place, first: int = 1, last: int = 0, seen: bool = True) -> tuple[str, datetime.date]:
    """Return a general practitioner whom the patient has no appointment with, and a day to see them on."""
    practitioner = place.fill.unused("general practice")
    date = place.fill.workday(practitioner, first, last or place.fill.rules.ahead)
    clear(place, practitioner, [date])
    busy(place, practitioner, date)
    return practitioner, date


def book(place: Place) -> Goal:
    """An appointment in general practice that the rules allow."""
    practitioner, date = general(place)
    return booking_goal(place, practitioner, date, any_type(place), "book")


def book_spaced(place: Place) -> Goal:
    """An appointment that is just far enough from another one."""
    fill = place.fill
    practitioner, date = general(place)
    other = date - datetime.timedelta(fill.rules.spacing + place.draw.below(2))
    fill.appointment(place.person, practitioner_id=practitioner, date=other.isoformat(), type="check-up",
                     status="booked" if other > fill.today else "kept")  # fmt: skip
    return booking_goal(place, practitioner, date, "follow-up", "book_spaced")


def book_referred(place: Place) -> Goal:
    """An appointment with a specialist for whom there is a referral, sometimes on its last day."""
    fill, speciality = place.fill, place.draw.choice(place.fill.rules.referred)
    fill.referral(place.person, speciality, fill.rules.referral - place.draw.either(0, 1, 10, 20))
    return _special(place, speciality, "book_referred")


def _special(place: Place, speciality: str, name: str) -> Goal:
    practitioner = place.fill.unused(speciality)
    date = place.fill.workday(practitioner, 1, place.fill.rules.ahead)
    clear(place, practitioner, [date])
    return booking_goal(place, practitioner, date, "consultation", name)


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
    practitioner, date = general(place, 1, fill.rules.ahead - 8)
    other = date - datetime.timedelta(spacing - draw.either(1, 1, 2))
    fill.appointment(place.person, practitioner_id=practitioner, date=other.isoformat(), type="check-up",
                     status="booked" if other > fill.today else "kept")  # fmt: skip
    goal = booking_goal(place, practitioner, date, "follow-up", "book_close")
    gap = (other - fill.today).days + spacing
    later = fill.workday(practitioner, gap, gap + 5)
    clear(place, practitioner, [later])
    return _otherwise(place, goal, practitioner, later, "follow-up")


def _otherwise(place: Place, goal: Goal, practitioner: str, date: datetime.date, kind: str) -> Goal:
    """Let the patient ask for another day once the first is refused."""
    said = f"{date:%A}, {date:%B} {date.day}"
    opening = place.draw.either(f"Would {said} work?", f"I could also come on {said}.",
                                f"Could I come on {said}?")  # fmt: skip
    again, instead = request(place, practitioner, date, kind, opening=opening)
    again = replace(again, facts=tuple(replace(fact, offered=fact.slot == "date") for fact in again.facts), insists=0)
    slots = call("search_slots", practitioner_id=practitioner, type=kind, date=date.isoformat())
    return replace(goal, wish=replace(goal.wish, fallback=again), reads=(*goal.reads, slots), instead=instead)


def book_far(place: Place) -> Goal:
    """An appointment too far ahead; an earlier day will do."""
    fill = place.fill
    practitioner, date = general(place, fill.rules.ahead + 1, fill.rules.ahead + 4)
    goal = booking_goal(place, practitioner, date, any_type(place), "book_far")
    sooner = fill.workday(practitioner, fill.rules.ahead - 5, fill.rules.ahead)
    clear(place, practitioner, [sooner])
    kind = str(goal.demand.calls[0].arguments["type"]) if goal.demand else ""
    return _otherwise(place, goal, practitioner, sooner, kind)


def book_new(place: Place) -> Goal:
    """An appointment of somebody who has not been seen here; the first visit will do."""
    for key, row in list(place.fill.tables["appointments"].items()):
        if row["patient_id"] == place.person and row["status"] == "kept":
            del place.fill.tables["appointments"][key]
    practitioner, date = general(place)
    goal = booking_goal(place, practitioner, date, place.draw.either("check-up", "vaccination"), "book_new")
    opening = place.draw.either("Please make it a first visit on the same day.",
                                "Please book me a first visit for that day.",
                                "A first visit will do.")  # fmt: skip
    again, instead = request(place, practitioner, date, "first visit", opening=opening)
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
        f"Oh, I forgot about that. Please charge the {text} to my card, and then book it.",
        f"Take the {text} from my card first, and then book it, please.",
        f"I didn't know. Please charge my card for the {text}, and book the appointment.",
    )
    assert goal.demand is not None
    first = call("take_payment", invoice_id=fee)
    instead = Option(
        (first, *goal.demand.calls), f"charge {text} to your card and {goal.demand.words}", goal.demand.say
    )
    wish = replace(goal.wish, fallback=Wish("pay", opening, also=("book",)))
    reads = (*goal.reads, call("list_invoices", patient_id=place.person))
    return Goal(wish, reads, goal.demand, instead, "book_debt")


ALLOWED = (book, book_spaced, book_referred)
REFUSED = (book_unreferred, book_close, book_far, book_new, book_most, book_debt)
