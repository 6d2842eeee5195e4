"""What somebody comes to a desk for, and what the policy makes of it.

A goal is written as calls that would fulfil the demand; whether they are made is found by carrying them out on a copy
of the desk and seeing whether a clause of the policy breaks. Nothing says by hand which demands are granted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from turnwise.core.draw import Draw
from turnwise.core.tools import Call, Toolbox
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.said import Said
from turnwise.worlds.desks.store import Row
from turnwise.worlds.people.part import Fact, Part, Wish

__all__ = ["Case", "Goal", "Option", "Settled", "Shape", "call", "case_of", "settle", "slipping"]


class Shape(NamedTuple):
    """How large and how difficult a scenario is.

    Attributes:
        people: People in the database.
        goals: Things that the person wants.
        refused: How many of them the policy forbids, or grants only in part.
        insists: Most times that the person pushes back against a refusal.
        unknown: Share of details (numbers, codes) that the person does not know and the agent has to look up.
        slips: Whether the person may give a wrong detail first and correct it.
        impostors: Share of scenarios in which the person is not who they claim to be.
        beyond: Share of scenarios with a request that only a colleague can handle.
        manners: Manners of speaking to draw from.
        faults: Most things that are wrong with the person's own device, in a domain where they have one.
        kinds: Names of the kinds of goals that occur; all of the domain's if there are none.
    """

    people: int = 60
    goals: int = 2
    refused: int = 1
    insists: int = 1
    unknown: float = 0.5
    slips: bool = False
    impostors: float = 0.04
    beyond: float = 0.04
    manners: tuple[str, ...] = ("plain", "chatty", "terse", "formal")
    faults: int = 3
    kinds: tuple[str, ...] = ()

    def key(self) -> tuple[object, ...]:
        """Return what scenarios are drawn from: without kinds, the same as before there were any."""
        return tuple(self) if self.kinds else tuple(self)[:-1]

    def __repr__(self) -> str:  # of which the identity of a task is made
        return f"Shape({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self.key(), strict=False))})"


def call(tool: str, **arguments: Any) -> Call:
    """Write a call."""
    return Call(tool, arguments)


def _nothing(desk: Desk) -> Sequence[Said]:
    return ()


def _allowed(desk: Desk) -> Sequence[str]:
    return ()


@dataclass(frozen=True, eq=False)
class Option:
    """A way to deal with a goal.

    Attributes:
        calls: The calls that change something, in order.
        words: What it amounts to, after "I will" or "would you like me to": "renew your loan of Dune until March 5".
        say: What the person must then have been told, from the desk after the calls.
        each: Of several calls those are made that the policy allows; else all or none.
        barred: Of an answer, which needs no calls: names of the clauses that it would break.
    """

    calls: tuple[Call, ...]
    words: str
    say: Callable[[Desk], Sequence[Said]] = _nothing
    each: bool = False
    barred: Callable[[Desk], Sequence[str]] = _allowed


@dataclass(frozen=True, eq=False)
class Goal:
    """Something that the person wants.

    Attributes:
        wish: How they put it.
        reads: Calls that look up what is needed.
        demand: What they ask for; None for a request that only a colleague can handle.
        instead: What they ask for once the demand is refused (the wish's `fallback`).
        kind: Name of the kind of goal, for tables.
        steps: What the person has to do on their own device, once the demand's calls are made.
    """

    wish: Wish
    reads: tuple[Call, ...]
    demand: Option | None
    instead: Option | None = None
    kind: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Settled:
    """What the policy makes of a goal.

    Attributes:
        goal: The goal.
        option: What is done; None if everything asked for is refused.
        calls: Its calls that are made.
        say: What must be said.
        clauses: Clauses for which the demand is refused, or part of it; empty if it is granted whole.
        why: What the tool answered where the demand cannot be carried out at all.
        withheld: What must not be said, because the question was refused.
    """

    goal: Goal
    option: Option | None
    calls: tuple[Call, ...]
    say: tuple[Said, ...]
    clauses: tuple[str, ...]
    why: str = ""
    withheld: tuple[Said, ...] = ()

    @property
    def granted(self) -> bool:
        """Whether exactly what was demanded is done."""
        return self.option is self.goal.demand is not None and not self.clauses


def settle(desk: Desk, goal: Goal, toolbox: Toolbox) -> Settled:
    """Decide a goal by the policy, and carry the decision out on the desk."""
    refusals: tuple[str, ...] = ()
    why = ""
    withheld: tuple[Said, ...] = ()
    for option in (goal.demand, goal.instead):
        if option is None:
            continue
        if barred := tuple(option.barred(desk)):
            refusals, withheld = barred, tuple(option.say(desk))
            continue
        made, broken, problem = _tried(desk, option, toolbox)
        if option is goal.demand:
            refusals, why = broken, problem
        if made or not option.calls:
            for one in made:
                toolbox.run(one, desk)
            return Settled(goal, option, made, tuple(option.say(desk)), refusals, why, withheld)
    return Settled(goal, None, (), (), refusals, why, withheld)


def _tried(desk: Desk, option: Option, toolbox: Toolbox) -> tuple[tuple[Call, ...], tuple[str, ...], str]:
    """Return the calls of an option that the policy allows, the clauses that the others break, and what failed."""
    made: list[Call] = []
    broken: list[str] = []
    problem = ""
    for one in option.calls:
        twin = desk.fork()
        for earlier in made:
            toolbox.run(earlier, twin)
        before = len(twin.broken)
        answer = toolbox.run(one, twin)
        if answer.failed:
            problem = answer.text
        elif len(twin.broken) > before:
            broken += [name for name in twin.broken[before:] if name not in broken]
        else:
            made.append(one)
            continue
        if not option.each:
            return (), tuple(broken), problem
    return tuple(made), tuple(broken), problem


@dataclass(frozen=True, eq=False)
class Case:
    """A person at a desk, with everything that decides what is right.

    Attributes:
        part: The person.
        opened: The desk as the conversation begins.
        policy: The policy as the agent reads it.
        identify: The call that checks the person's identity, with what they would say.
        account: Key of the person's row.
        settled: What the policy makes of each goal, in order.
        changes: The rows that differ at the end of a right conversation.
        secret: What must not be said: details of an account whose owner was not verified.
        hands: Makes the person's own device as the desk is, if they have one.
        works: What must work on it at the end, as `Hands.works` names it.
    """

    part: Part
    opened: Desk
    policy: str
    identify: Call
    account: str
    settled: tuple[Settled, ...]
    changes: Mapping[tuple[str, str], Row | None]
    secret: tuple[Said, ...] = ()
    hands: Callable[[Desk], Any] | None = None
    works: tuple[str, ...] = ()

    @property
    def genuine(self) -> bool:
        """Whether the person is who they claim to be."""
        return not self.secret

    @property
    def private(self) -> bool:
        """Whether something has to be told, to the genuine person, that is looked up in their account."""
        told = (one.goal.reads for one in self.settled if one.say)
        return self.genuine and any(self.account in read.arguments.values() for reads in told for read in reads)

    @property
    def beyond(self) -> bool:
        """Whether the last request is one that only a colleague can handle."""
        return self.settled[-1].goal.demand is None

    @property
    def unsayable(self) -> tuple[Said, ...]:
        """All that must not be said."""
        return (*self.secret, *(said for one in self.settled for said in one.withheld))

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it changes


def case_of(
    opened: Desk,
    toolbox: Toolbox,
    policy: str,
    part: Part,
    goals: Sequence[Goal],
    identify: Call,
    account: str,
    *,
    genuine: bool = True,
    private: Sequence[Said] = (),
    hands: Callable[[Desk], Any] | None = None,
) -> Case:
    """Settle goals in order, and say what a right conversation changes.

    Args:
        opened: The desk as the conversation begins.
        toolbox: Its tools.
        policy: The policy in words.
        part: The person, with the goals' wishes.
        goals: What they want, in order.
        identify: The call that checks who they are, with what they say.
        account: Key of the row of the person whose account it is.
        genuine: Whether the person is that person.
        private: What an impostor must not hear, besides what the goals' owner would be told.
        hands: Makes the person's own device as a desk is.
    """
    gold = opened.fork()
    gold.agreed = True
    if identify.name:
        toolbox.run(identify, gold)
    settled = tuple(settle(gold, goal, toolbox) for goal in goals)
    secret: tuple[Said, ...] = ()
    if not genuine:
        owner = opened.fork()
        owner.agreed, owner.verified = True, frozenset({account})
        answers = [said for goal in goals for said in settle(owner, goal, toolbox).say]
        secret = (*private, *answers)
        settled = tuple(Settled(one.goal, None, (), (), ("identity",)) for one in settled)
        gold = opened.fork()
    works = tuple(one.goal.wish.seen for one in settled if one.goal.wish.seen and one.option is one.goal.demand)
    return Case(part, opened, policy, identify, account, settled, gold.store.changes(), secret, hands, works)


def slipping(draw: Draw, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """Let the person give one detail wrongly at first, if there is one with other values."""
    places = [(i, fact) for i, wish in enumerate(wishes) for fact in wish.facts if fact.others and not fact.offered]
    if not places:
        return wishes
    index, fact = draw.choice(places)
    slip = Fact(fact.slot, draw.choice(fact.others))
    return (*wishes[:index], replace(wishes[index], slip=slip), *wishes[index + 1 :])
