"""Draws a scenario of any domain: plants goals in a world, puts them to its policy, and starts over where unfit."""

import datetime
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from turnwise.core.draw import Draw
from turnwise.core.tools import Call, Toolbox
from turnwise.worlds.desks.desk import Clause, Desk
from turnwise.worlds.desks.said import Said
from turnwise.worlds.desks.scenario import Case, Goal, Shape, case_of, slipping
from turnwise.worlds.desks.store import Row, Store, Tables
from turnwise.worlds.people.part import Fact, Lexicon, Part, Persona

__all__ = ["Kinds", "Place", "World", "birth_fact", "drafted", "groups_of", "identifying", "insists", "sections"]

_ATTEMPTS = 4  # people who come to a world before another is drawn
F = TypeVar("F")


@dataclass(frozen=True)
class Place(Generic[F]):
    """What a goal is drawn from: the world's rows so far, the person's key among them, and how hard it is to be."""

    fill: F
    draw: Draw
    person: str
    shape: Shape


@dataclass(frozen=True)
class Kinds(Generic[F]):
    """The kinds of goals of a domain.

    Attributes:
        allowed: Those that the policy grants.
        refused: Those that it refuses, whole or in part.
        groups: The group of each; a conversation has at most one goal of a group.
        beyond: Something that only a colleague can handle.
    """

    allowed: tuple[Callable[[Place[F]], Goal], ...]
    refused: tuple[Callable[[Place[F]], Goal], ...]
    groups: Mapping[str, str]
    beyond: Callable[[Place[F]], Goal]

    def drawn(self, draw: Draw, allowed: int, refused: int) -> list[Callable[[Place[F]], Goal]]:
        """Draw kinds, no two about the same things."""
        found: list[Callable[[Place[F]], Goal]] = []
        used: set[str] = set()
        for kinds, count in ((self.refused, refused), (self.allowed, allowed)):
            for kind in draw.shuffled(kinds):
                if count and self.groups[kind.__name__] not in used:
                    used.add(self.groups[kind.__name__])
                    found.append(kind)
                    count -= 1
        return draw.shuffled(found)


@dataclass(frozen=True)
class World(Generic[F]):
    """A world of a domain with the person in it, before anything is wanted.

    Attributes:
        fill: Where goals plant their rows.
        tables: The database that it fills.
        rules: The policy's parameters.
        clauses: The policy.
        policy: The policy in words.
        people: Name of the table of people.
        person: The key of the person.
        facts: What a person of this row knows about themselves; the name first.
        claims: What somebody says who knows only the name: other values of the same facts, in their order.
        identify: The call that checks an identity, from the details given by slot and the goals.
        private: Columns of the row that a stranger must not hear.
        hands: Makes the person's own device as a desk is, once all goals are planted.
    """

    fill: F
    tables: Tables
    rules: Any
    clauses: tuple[Clause, ...]
    policy: str
    people: str
    person: str
    facts: Callable[[Row], tuple[Fact, ...]]
    claims: Callable[[Draw, tuple[Fact, ...]], tuple[Fact, ...]]
    identify: Callable[[Mapping[str, str], Sequence[Goal]], Call]
    private: Callable[[Row], Sequence[Said]]
    hands: Callable[[Desk], Any] | None = None


def drafted(
    draw: Draw, shape: Shape, opened: Callable[[Draw, Shape], Callable[[], World[F]]], kinds: Kinds[F],
    toolbox: Toolbox, lexicon: Lexicon,
) -> Case:  # fmt: skip
    """Draw a person and what they want until the policy grants something and refuses as much as it should.

    Somebody whose wishes do not fit stays in the database as one of the others; after a few, the world is drawn again.

    Args:
        draw: Where the draws come from.
        shape: How large and difficult the scenario is.
        opened: Draws a world, and returns what brings a new person into it.
        kinds: What its people come for.
        toolbox: The desk's tools.
        lexicon: The words of the domain.
    """
    for attempt in itertools.count():
        if attempt % _ATTEMPTS == 0:
            visited = opened(draw, shape)
        world = visited()
        place = Place(world.fill, draw, world.person, shape)
        refused = min(shape.refused, shape.goals)
        goals = [kind(place) for kind in kinds.drawn(draw, shape.goals - refused, refused)]
        genuine = not draw.chance(shape.impostors)
        if genuine and draw.chance(shape.beyond):
            goals.append(kinds.beyond(place))
        row = world.tables[world.people][world.person]
        facts = world.facts(row)
        if not genuine:
            facts = world.claims(draw, facts)
        given = {fact.slot: fact.also[0] if fact.also else fact.value for fact in facts}
        wishes = tuple(goal.wish for goal in goals)
        if shape.slips:
            wishes = slipping(draw, wishes)
        persona = Persona(row["name"], draw.choice(shape.manners))
        part = Part(persona, facts, wishes, lexicon, draw.below(2**31))
        case = case_of(
            Desk(Store(world.tables), world.rules, world.clauses), toolbox, world.policy, part, goals,
            world.identify(given, goals), world.person, genuine=genuine, private=world.private(row),
            hands=world.hands,
        )  # fmt: skip
        served = any(one.calls if shape.goals > 1 else one.option for one in case.settled)
        declined = sum(bool(one.clauses) for one in case.settled)
        if not genuine or (served and declined >= refused):
            return case
    raise AssertionError("unreachable: the attempts do not end")


def identifying(
    argument: str, key: str, details: Iterable[str], asked: Iterable[str], kinds: Collection[str] = (), more: str = ""
) -> Callable[[Mapping[str, str], Sequence[Goal]], Call]:
    """Return what writes the call that checks an identity, for `World.identify`.

    Args:
        argument: Name of the tool's argument for the person's key.
        key: The key.
        details: All details that a desk of the domain may compare, in the tool's order.
        asked: Those that the policy asks for.
        kinds: Kinds of goals for which it asks for ``more``, too.
        more: One more detail.
    """

    def written(given: Mapping[str, str], goals: Sequence[Goal]) -> Call:
        wanted = {*asked, more} if any(goal.kind in kinds for goal in goals) else {*asked}
        return Call("verify_identity", {argument: key, **{name: given[name] for name in details if name in wanted}})

    return written


def groups_of(together: Mapping[str, Iterable[Callable[..., Goal]]]) -> dict[str, str]:
    """Return the group of each kind of goal."""
    return {kind.__name__: group for group, kinds in together.items() for kind in kinds}


def insists(place: Place[Any]) -> int:
    """Draw how often the person pushes back."""
    return place.draw.integer(0, place.shape.insists)


def birth_fact(date: datetime.date) -> Fact:
    """Return a date of birth as people say it; the first other spelling is that of the tools."""
    spelled = (date.isoformat(), f"{date:%B} {date.day}, {date.year}", f"{date.day} {date:%B} {date.year}")
    return Fact("birth_date", spelled[1], also=spelled)


def sections(lead: Sequence[str], heads: Mapping[str, Sequence[str]], clauses: Iterable[Clause]) -> str:
    """Write out a policy.

    Args:
        lead: Lines before the first section.
        heads: Names of the clauses below each heading; those that a world does not have are left out.
        clauses: The policy.
    """
    texts = {clause.name: clause.text for clause in clauses}
    lines = list(lead)
    for head, names in heads.items():
        held = [f"- {texts[name]}" for name in names if name in texts]
        if held:
            lines += ["", f"## {head}", *held]
    return "\n".join(lines)
