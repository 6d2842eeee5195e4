"""Questions as expressions over facts, and an evaluator that finds every answer.

An expression is a tree of the nodes below. ``evaluate`` walks it and returns the set of all answers: entities, numbers
and dates as ints, truth as 0 or 1. It does not know how a question was made, and a generator keeps a question only if
the set is exactly the intended answer.

Facts come from a `Facts` object: the columns of a world, or only what some documents state. What is not stated is not
assumed: a comparison with a missing value has no answer.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from turnwise.worlds.documents.schema import NONE, relation_named

__all__ = [
    "At",
    "Before",
    "Beside",
    "Best",
    "Both",
    "Compare",
    "Count",
    "Difference",
    "During",
    "Fact",
    "Facts",
    "Follow",
    "Having",
    "Inverse",
    "Keep",
    "Named",
    "Op",
    "Others",
    "Query",
    "Span",
    "Start",
    "Term",
    "Total",
    "Value",
    "evaluate",
    "holds",
    "relations_of",
]

Op = Literal["<", ">", "=="]
Term = tuple[int, int, int]  # first year, last year (both inclusive), object


class Fact(NamedTuple):
    """One fact of a world; ``start`` is the first year of its term, NONE if it has no term."""

    subject: int
    relation: str
    object: int
    start: int = NONE

    @property
    def reverse(self) -> "Fact":
        """Return the same fact from its other end, if the relation is symmetric; else the fact itself."""
        symmetric = relation_named(self.relation).symmetric
        return Fact(self.object, self.relation, self.subject, self.start) if symmetric else self


class Facts(Protocol):
    """A source of facts. Objects of literal relations are ints as the world stores them."""

    def named(self, text: str) -> Iterable[int]:
        """Return all entities with that name, title or alias."""

    def objects(self, subject: int, relation: str) -> Iterable[int]:
        """Return all objects of a subject, at any time."""

    def subjects(self, relation: str, object: int) -> Iterable[int]:
        """Return all subjects that have this object, at any time."""

    def having(self, relation: str, op: Op, value: int) -> Iterable[int]:
        """Return all subjects with an object below, above or equal to a value."""

    def terms(self, subject: int, relation: str) -> Sequence[Term]:
        """Return the dated objects of a subject, by first year."""

    def before(self, subject: int, relation: str, year: int) -> Iterable[int]:
        """Return what accounts written in an earlier year state as the object, forums left out."""


@dataclass(frozen=True, slots=True)
class Named:
    """All entities with a name; several if namesakes share it."""

    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """A number, a year, or one of the words a relation chooses from."""

    value: int


@dataclass(frozen=True, slots=True)
class Follow:
    """The objects of a relation."""

    source: "Query"
    relation: str


@dataclass(frozen=True, slots=True)
class Inverse:
    """The subjects of a relation."""

    source: "Query"
    relation: str


@dataclass(frozen=True, slots=True)
class At:
    """The objects of a dated relation in a year."""

    source: "Query"
    relation: str
    year: "Query"


@dataclass(frozen=True, slots=True)
class Beside:
    """The objects of a dated relation whose term comes next after, or last before, a term of ``anchor``."""

    source: "Query"
    relation: str
    anchor: "Query"
    after: bool


@dataclass(frozen=True, slots=True)
class Start:
    """The first years of the terms of ``holder`` in a dated relation."""

    source: "Query"
    relation: str
    holder: "Query"


@dataclass(frozen=True, slots=True)
class Before:
    """What accounts of an earlier year give as the value of a relation that has changed since."""

    source: "Query"
    relation: str
    year: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two values are apart."""

    left: "Query"
    right: "Query"


@dataclass(frozen=True, slots=True)
class During:
    """Those whose year or date falls within a term of ``holder`` in a dated relation of ``office``."""

    source: "Query"
    measure: str
    office: "Query"
    relation: str
    holder: "Query"


@dataclass(frozen=True, slots=True)
class Keep:
    """Those whose value of a relation is below, above or equal to a number."""

    source: "Query"
    relation: str
    op: Op
    value: int


@dataclass(frozen=True, slots=True)
class Having:
    """All subjects of a relation with a value below, above or equal to a number."""

    relation: str
    op: Op
    value: int


@dataclass(frozen=True, slots=True)
class Others:
    """Those of ``source`` that are not among ``without``."""

    source: "Query"
    without: "Query"


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of a relation's values; no answer if one of them is unknown."""

    source: "Query"
    relation: str


@dataclass(frozen=True, slots=True)
class Span:
    """The largest value of a relation less the smallest; no answer if one of them is unknown."""

    source: "Query"
    relation: str


@dataclass(frozen=True, slots=True)
class Both:
    """The intersection of all parts."""

    parts: tuple["Query", ...]


@dataclass(frozen=True, slots=True)
class Best:
    """Those with the largest, or smallest, value of a relation; empty if one of them has no known value."""

    sources: tuple["Query", ...]
    relation: str
    largest: bool


@dataclass(frozen=True, slots=True)
class Count:
    """The number of answers."""

    source: "Query"


@dataclass(frozen=True, slots=True)
class Compare:
    """Whether the one value of ``left`` is below, above or equal to that of ``right``."""

    left: "Query"
    op: Op
    right: "Query"


Query = (
    Named | Value | Follow | Inverse | At | Before | Beside | Start | During | Keep | Having | Others | Total | Span
    | Both | Best | Count | Difference | Compare
)  # fmt: skip


def evaluate(query: Query, facts: Facts) -> frozenset[int]:
    """Return all answers to a query: entities and values as ints, 0 or 1 for ``Compare``; empty if there are none."""
    match query:
        case Named(text):
            return frozenset(facts.named(text))
        case Value(value):
            return frozenset({value})
        case Follow(source, relation):
            return frozenset(o for s in evaluate(source, facts) for o in facts.objects(s, relation))
        case Inverse(source, relation):
            return frozenset(s for o in evaluate(source, facts) for s in facts.subjects(relation, o))
        case At() | Beside() | Start():
            return _dated(query, facts)
        case Before(source, relation, year):
            return frozenset(o for s in evaluate(source, facts) for o in facts.before(s, relation, year))
        case Difference(left, right):
            one, other = evaluate(left, facts), evaluate(right, facts)
            if len(one) != 1 or len(other) != 1:
                return frozenset()
            return frozenset({abs(next(iter(one)) - next(iter(other)))})
        case During(source, measure, office, relation, holder):
            holders = evaluate(holder, facts)
            years = [t[:2] for s in evaluate(office, facts) for t in facts.terms(s, relation) if t[2] in holders]
            found = evaluate(source, facts)
            return frozenset(s for s in found if any(_within(v, years) for v in facts.objects(s, measure)))
        case Keep(source, relation, op, value):
            found = evaluate(source, facts)
            return frozenset(s for s in found if any(holds(v, op, value) for v in facts.objects(s, relation)))
        case Having(relation, op, value):
            return frozenset(facts.having(relation, op, value))
        case Others(source, without):
            return evaluate(source, facts) - evaluate(without, facts)
        case Total(source, relation) | Span(source, relation):
            values = [frozenset(facts.objects(s, relation)) for s in evaluate(source, facts)]
            if not values or any(len(found) != 1 for found in values):
                return frozenset()
            known = [next(iter(found)) for found in values]
            return frozenset({sum(known) if isinstance(query, Total) else max(known) - min(known)})
        case Both(parts):
            return frozenset.intersection(*(evaluate(part, facts) for part in parts))
        case Best(sources, relation, largest):
            return _best([evaluate(source, facts) for source in sources], relation, largest, facts)
        case Count(source):
            return frozenset({len(evaluate(source, facts))})
        case Compare(left, op, right):
            ours, theirs = evaluate(left, facts), evaluate(right, facts)
            if len(ours) != 1 or len(theirs) != 1:
                return frozenset()
            return frozenset({int(holds(next(iter(ours)), op, next(iter(theirs))))})


def relations_of(query: Query) -> tuple[str, ...]:
    """Return the relations in a query, innermost first."""
    match query:
        case Named() | Value():
            return ()
        case Having(relation):
            return (relation,)
        case Others(source, without):
            return relations_of(source) + relations_of(without)
        case Both(parts):
            return tuple(relation for part in parts for relation in relations_of(part))
        case Best(sources, relation, _):
            return (*(inner for source in sources for inner in relations_of(source)), relation)
        case Count(source):
            return relations_of(source)
        case Compare(left, _, right) | Difference(left, right):
            return relations_of(left) + relations_of(right)
        case During(source, measure, office, relation, holder):
            return (*relations_of(source), *relations_of(office), *relations_of(holder), relation, measure)
        case At(source, relation, other) | Beside(source, relation, other, _) | Start(source, relation, other):
            return (*relations_of(source), *relations_of(other), relation)
        case _:
            return (*relations_of(query.source), query.relation)


def _dated(query: At | Beside | Start, facts: Facts) -> frozenset[int]:
    found: set[int] = set()
    for subject in evaluate(query.source, facts):
        terms = facts.terms(subject, query.relation)
        match query:
            case At(year=year):
                years = evaluate(year, facts)
                found.update(o for first, last, o in terms for y in years if first <= y <= last)
            case Start(holder=holder):
                holders = evaluate(holder, facts)
                found.update(first for first, _, o in terms if o in holders)
            case Beside(anchor=anchor, after=after):
                anchors = evaluate(anchor, facts)
                pairs = itertools.pairwise(terms)
                found.update(b[2] if after else a[2] for a, b in pairs if (a if after else b)[2] in anchors)
    return frozenset(found)


def _within(value: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Tell whether a year or date falls within one of the spans of years."""
    year = value // 10_000 if value > 9999 else value
    return any(first <= year <= last for first, last in spans)


def holds(value: int, op: Op, other: int) -> bool:
    """Tell whether a value is below, above or equal to another."""
    return value < other if op == "<" else value > other if op == ">" else value == other


def _best(groups: Sequence[frozenset[int]], relation: str, largest: bool, facts: Facts) -> frozenset[int]:
    found = frozenset().union(*groups)
    values = {subject: tuple(facts.objects(subject, relation)) for subject in found}
    if not all(groups) or any(len(known) != 1 for known in values.values()):
        return frozenset()
    top = (max if largest else min)(known[0] for known in values.values())
    return frozenset(subject for subject, known in values.items() if known[0] == top)
