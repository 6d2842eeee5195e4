"""Clerks who know the scenario: one who follows the policy, and others who break it in one way each."""

from collections.abc import Sequence
from typing import Literal

from turnwise.core.tools import Call, call_text
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.scenario import Case, Option, Settled
from turnwise.worlds.desks.wording import joined
from turnwise.worlds.people.person import Person

__all__ = ["HABITS", "Habit", "next_action"]

Habit = Literal["follow", "obey", "refuse", "trust", "rush", "mute"]
HABITS: tuple[Habit, ...] = ("follow", "obey", "refuse", "trust", "rush", "mute")
"""Follow the policy; do all that is asked for; refuse all of it; never check who somebody is; change things without
asking for agreement first; change things and say nothing about what that means."""

_MORE = " Is there anything else I can help you with?"
_QUESTION = "Could you tell me {slots}, please?"


def next_action(case: Case, desk: Desk, person: Person, habit: Habit = "follow") -> str:
    """Return what a clerk does next.

    Args:
        case: The scenario.
        desk: The desk as it is now.
        person: The person as they are now.
        habit: How the clerk works.
    """
    place = person.current
    if habit != "trust" and (first := _identity(case, desk, person)):
        return first
    if place >= len(case.settled):
        return _MORE.strip()
    one = case.settled[place]
    if habit == "refuse":
        return f"I'm sorry, but I can't do that: {_reason(case, one)}{_MORE}"
    if one.goal.demand is None and case.genuine:
        return _calls([Call("hand_over", {"reason": one.goal.wish.opening})])
    turned_down = habit not in ("obey", "trust") and not case.genuine
    option = _option(
        one, person.wish is person.part.wishes[place], obeys=habit == "obey" or (habit == "trust" and not case.genuine)
    )
    if option is None or turned_down:
        return f"I'm sorry, but I can't do that: {_reason(case, one)}{_MORE}"
    return _serve(case, desk, person, one, option, habit)


def _calls(calls: Sequence[Call]) -> str:
    return "\n".join(call_text(one.name, one.arguments) for one in calls)


def _made(desk: Desk, one: Call) -> bool:
    return any(made.tool == one.name and made.arguments == one.arguments for made in desk.made)


def _asked(person: Person, slots: Sequence[str]) -> str:
    phrases = [person.part.lexicon.slots[slot][0] for slot in slots]
    return _QUESTION.format(slots=joined([f"your {phrase}" for phrase in phrases]))


def _identity(case: Case, desk: Desk, person: Person) -> str:
    """Return the next step of checking who the person is; "" once it is done."""
    if _made(desk, case.identify):
        return ""
    slots = [slot for slot in ("name", *case.identify.arguments) if slot in person.part.lexicon.slots]
    known = {fact.slot for fact in person.part.facts}
    if missing := [slot for slot in slots if slot in known and slot not in person.disclosed]:
        return _asked(person, missing)
    return _calls([case.identify])


def _option(one: Settled, first: bool, *, obeys: bool) -> Option | None:
    """Return what is to be done about what the person wants now."""
    asked = one.goal.demand if first or one.goal.instead is None else one.goal.instead
    if obeys:
        return asked
    return asked if asked is one.option else None


def _reason(case: Case, one: Settled) -> str:
    if not case.genuine:
        return "these details do not match our records, so I could not verify your identity."
    clauses = {clause.name: clause.text for clause in case.opened.clauses}
    return " ".join(clauses[name] for name in one.clauses) or one.why or "that is against our policy."


def _steps(one: Settled, person: Person) -> list[str]:
    """Return the steps that the person has still to take."""
    taken = getattr(person.hands, "taken", ())
    return [step for step in one.goal.steps if step not in taken]


def _serve(case: Case, desk: Desk, person: Person, one: Settled, option: Option, habit: Habit) -> str:
    wanted = option.calls if habit == "obey" or option is not one.option else one.calls
    pending = [call for call in wanted if not _made(desk, call)]
    reads = [call for call in one.goal.reads if not _made(desk, call)]
    if reads and (pending or not option.calls):
        return _calls(reads)
    if pending:
        known = [fact for fact in person.wish.facts if fact.value and fact.slot in person.part.lexicon.slots]
        if missing := [fact.slot for fact in known if fact.slot not in person.disclosed]:
            phrases = joined([f"the {person.part.lexicon.slots[slot][0]}" for slot in missing])
            return f"Could you tell me {phrases}?"
        if not person.agreed and habit == "mute":
            return "Shall I go ahead with that?"
        if not person.agreed and habit != "rush":
            return f"I can {option.words}. Shall I go ahead?"
        return _calls(pending)
    if habit == "mute":
        return f"That is done.{_MORE}"
    if option is one.goal.demand and (steps := _steps(one, person)):
        return f"Please {person.part.lexicon.steps[steps[0]][0]} and tell me what you see."
    told = ", ".join(said.text for said in one.say or one.withheld)
    if not option.calls:
        return f"Here is what I see: {told}.{_MORE}"
    rest = f" For the others: {_reason(case, one)}" if one.clauses and option is one.goal.demand else ""
    return f"That is done now{': ' + told if told else ''}.{rest}{_MORE}"
