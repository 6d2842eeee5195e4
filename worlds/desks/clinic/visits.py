"""Appointments moved and cancelled, the waiting list, and children: what else patients want about appointments."""

import datetime
from collections.abc import Sequence
from dataclasses import replace

from turnwise.worlds.desks.clinic.booking import (
    CALLED,
    Place,
    any_type,
    booking_goal,
    busy,
    clear,
    date_fact,
    earliest,
    general,
    name_of,
    part_fact,
    request,
)
from turnwise.worlds.desks.clinic.checks import fee_of
from turnwise.worlds.desks.clinic.tools import confirmation
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.said import Said, clock, day, money, position, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["ALLOWED", "REFUSED", "TOGETHER"]


# ---- moving and cancelling ------------------------------------------------------------------------------------------


def _own(place: Place, first: int, last: int) -> tuple[str, str, datetime.date]:
    """Plant an appointment of the patient; return its key, its practitioner and its date."""
    practitioner = place.fill.unused("general practice", place.fill.rules.specialities[2])
    date = place.fill.workday(practitioner, first, last)
    clear(place, practitioner, [date])
    key = place.fill.appointment(place.person, practitioner_id=practitioner, date=date.isoformat(), status="booked")
    return key, practitioner, date


def _moving(place: Place, first: int, last: int, name: str) -> tuple[str, Goal]:
    fill, draw = place.fill, place.draw
    key, practitioner, old = _own(place, first, last)
    soon = max(1, (old - fill.today).days)
    date = fill.workday(practitioner, soon + 1, max(soon + 5, fill.rules.ahead))
    clear(place, practitioner, [date])
    busy(place, practitioner, date)
    doctor, kind = name_of(place, practitioner), fill.tables["appointments"][key]["type"]
    part, start = earliest(place, practitioner, date, kind)
    when = date_fact(place, date, offered=draw.chance(0.6))
    to = f"to {when.value}" if when.offered else "to another day"
    opening = draw.either(
        f"Something has come up at work. Could you move my appointment with {doctor} {to}?",
        f"I have an appointment with {doctor} on {old:%B} {old.day}, but I can't make it. Please move it {to}.",
        f"I'd like to reschedule my appointment with {doctor} {to}.",
        f"Can we move my appointment with {doctor} {to}, please?",
    )
    facts = (Fact("practitioner", doctor, offered=True), when, part_fact(part))
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
    opening = place.draw.either("I'll have to cancel it. Please do that.", "Please cancel it.",
                                "Cancel it, please. I really can't come.")  # fmt: skip
    return replace(goal, wish=replace(goal.wish, fallback=Wish("cancel", opening)), instead=_cancelling(place, key))


def _cancelling(place: Place, key: str) -> Option:
    fill = place.fill
    row = fill.tables["appointments"][key]
    date = datetime.date.fromisoformat(row["date"])
    fee = fill.rules.late_fee if (date - fill.today).days < fill.rules.notice else 0.0
    cost = f"for a late cancellation fee of {money(round(fee * 100)).text}" if fee else "free of charge"
    text = f"cancel your appointment with {name_of(place, row['practitioner_id'])} on {date:%B} {date.day} {cost}"

    def say(desk: Desk) -> Sequence[Said]:
        owing = fee_of(desk, row)
        return (*((money(round(owing * 100)),) if owing else ()), words(confirmation(key)))

    return Option((call("cancel_appointment", appointment_id=key, fee=fee),), text, say)


def cancel(place: Place) -> Goal:
    """An appointment is cancelled, with a fee if it is late."""
    notice = place.fill.rules.notice
    key, practitioner, date = _own(place, 1, notice + place.draw.either(0, 1, 9))
    doctor = name_of(place, practitioner)
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
    doctor = name_of(place, practitioner)
    facts = (Fact("practitioner", doctor, offered="{d}" in opening), Fact("type", CALLED[kind], also=(kind,)))
    one = call("join_waiting_list", patient_id=place.person, practitioner_id=practitioner, type=kind)

    def say(desk: Desk) -> Sequence[Said]:
        return (position(sum(1 for _ in desk.store.rows("waiting", practitioner_id=practitioner))),)

    wish = Wish("wait", opening.format(d=doctor), facts, insists(place))
    return wish, Option((one,), f"put you on {doctor}'s waiting list for {CALLED[kind]}", say)


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
        call("find_practitioners", search=name_of(place, practitioner).rpartition(" ")[2]),
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
    clear(place, practitioner, [date])
    goal = _list_goal(place, practitioner, "wait_free")
    said = f"{date:%A}, {date:%B} {date.day}"
    opening = place.draw.either(f"Please book me in for {said}.",
                                f"I'd rather have an appointment on {said}.",
                                f"If there's anything on {said}, I'll take that.")  # fmt: skip
    again, instead = request(place, practitioner, date, "consultation", opening=opening)
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
    practitioner, date = general(place)
    kind = place.draw.either("check-up", "vaccination", "consultation")
    called = place.fill.tables["patients"][child]["name"]
    text = place.draw.choice(_FOR).replace("my child", whose).replace("{c}", called)
    if whose != "my child":
        text = text[0].upper() + text[1:]
    wish, demand = request(place, practitioner, date, kind, child, text)
    wish = replace(wish, facts=(Fact("child", called, offered=True), *wish.facts))
    demand = replace(demand, words=demand.words.replace("book ", f"book {called} ", 1))
    reads = (
        call("find_patient", name=called), call("get_patient", patient_id=child),
        call("list_appointments", patient_id=child), call("list_plans"),
        call("find_practitioners", search=name_of(place, practitioner).rpartition(" ")[2]),
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


def book_missed(place: Place) -> Goal:
    """An appointment of somebody who misses many; the waiting list will do."""
    fill = place.fill
    practitioner, date = general(place)
    for _ in range(fill.rules.missed):
        past = fill.today - datetime.timedelta(place.draw.integer(20, 28 * fill.rules.missed_months - 5))
        fill.appointment(place.person, date=past.isoformat(), status="missed")
    goal = booking_goal(place, practitioner, date, any_type(place), "book_missed")
    assert goal.demand is not None
    kind = str(goal.demand.calls[0].arguments["type"])
    opening = place.draw.either("Please put me on the waiting list.", "You can put me on the waiting list.",
                                "I'd like to go on the waiting list.")  # fmt: skip
    wish, instead = _waiting(place, practitioner, kind, opening)
    return replace(goal, wish=replace(goal.wish, fallback=replace(wish, insists=0)), instead=instead)


ALLOWED = (book_child, move, cancel, wait)
REFUSED = (book_missed, move_late, wait_free, child_grown, child_other)
TOGETHER = {
    "own": (move, move_late, cancel), "waiting": (wait, wait_free), "child": (book_child, child_grown, child_other)
}  # fmt: skip
