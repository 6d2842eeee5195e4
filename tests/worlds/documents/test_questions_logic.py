"""Expressions against loops written out, on facts made by hand and at random."""

import random
from collections.abc import Sequence

import pytest

from turnwise.worlds.documents.questions.logic import (
    At,
    Before,
    Beside,
    Best,
    Both,
    Compare,
    Count,
    Difference,
    During,
    Fact,
    Follow,
    Inverse,
    Keep,
    Named,
    Query,
    Start,
    Term,
    Value,
    evaluate,
    relations_of,
)

Row = tuple[int, str, int]


class Listed:
    """Facts as a list of triples, and of terms."""

    def __init__(
        self, names: dict[str, set[int]], rows: set[Row], dated: dict[tuple[int, str], list[Term]] | None = None
    ):
        self.names, self.rows, self.dated = names, rows, dated or {}

    def named(self, text: str) -> set[int]:
        return self.names.get(text, set())

    def objects(self, subject: int, relation: str) -> list[int]:
        return [o for s, r, o in sorted(self.rows) if (s, r) == (subject, relation)]

    def subjects(self, relation: str, object: int) -> list[int]:
        return [s for s, r, o in sorted(self.rows) if (r, o) == (relation, object)]

    def terms(self, subject: int, relation: str) -> Sequence[Term]:
        return self.dated.get((subject, relation), [])

    def before(self, subject: int, relation: str, year: int) -> list[int]:
        return [y - 40 for y in self.objects(subject, relation) if year == 1890]


ANN, BEN, CAT, DAN, OSLO, ROME = range(6)
TINY = Listed(
    {"Ann": {ANN}, "Ben": {BEN}, "Cat": {CAT}, "Dan": {DAN}, "Oslo": {OSLO}, "Rome": {ROME}, "Smith": {ANN, BEN}},
    {
        (ANN, "mother", CAT), (BEN, "mother", CAT), (DAN, "mother", ANN),
        (ANN, "born_in", OSLO), (BEN, "born_in", ROME), (CAT, "born_in", OSLO), (DAN, "born_in", OSLO),
        (ANN, "year", 1900), (BEN, "year", 1910), (CAT, "year", 1870), (DAN, "year", 1910),
    },
    {(OSLO, "mayor"): [(1890, 1894, CAT), (1895, 1899, ANN), (1903, 1910, DAN), (1911, 1920, ANN)]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        (Named("Ann"), {ANN}),
        (Named("Smith"), {ANN, BEN}),
        (Named("Eve"), set()),
        (Follow(Follow(Named("Dan"), "mother"), "mother"), {CAT}),
        (Follow(Named("Smith"), "born_in"), {OSLO, ROME}),
        (Follow(Named("Cat"), "mother"), set()),
        (Inverse(Named("Cat"), "mother"), {ANN, BEN}),
        (Both((Inverse(Named("Cat"), "mother"), Inverse(Named("Oslo"), "born_in"))), {ANN}),
        (Keep(Inverse(Named("Oslo"), "born_in"), "year", "<", 1900), {CAT}),
        (Keep(Inverse(Named("Oslo"), "born_in"), "year", ">", 1899), {ANN, DAN}),
        (Keep(Named("Smith"), "year", "==", 1910), {BEN}),
        (Best((Named("Ann"), Named("Cat"), Named("Dan")), "year", True), {DAN}),
        (Best((Inverse(Named("Oslo"), "born_in"),), "year", False), {CAT}),
        (Best((Named("Ben"), Named("Dan")), "year", True), {BEN, DAN}),  # a tie
        (Best((Named("Ann"), Named("Oslo")), "year", True), set()),  # no known year
        (Best((Named("Ann"), Named("Eve")), "year", True), set()),  # nobody of that name
        (Count(Inverse(Named("Oslo"), "born_in")), {3}),
        (Compare(Follow(Named("Ann"), "year"), "<", Follow(Named("Ben"), "year")), {1}),
        (Compare(Follow(Named("Ann"), "year"), ">", Follow(Named("Ben"), "year")), {0}),
        (Compare(Follow(Named("Smith"), "year"), ">", Follow(Named("Cat"), "year")), set()),
        (At(Named("Oslo"), "mayor", Value(1894)), {CAT}),
        (At(Named("Oslo"), "mayor", Value(1901)), set()),
        (At(Named("Oslo"), "mayor", Follow(Named("Dan"), "year")), {DAN}),
        (Beside(Named("Oslo"), "mayor", Named("Dan"), True), {ANN}),
        (Beside(Named("Oslo"), "mayor", Named("Dan"), False), {ANN}),
        (Beside(Named("Oslo"), "mayor", Named("Ann"), True), {DAN}),
        (Beside(Named("Oslo"), "mayor", Named("Ann"), False), {CAT, DAN}),
        (Beside(Named("Oslo"), "mayor", Named("Cat"), False), set()),
        (Start(Named("Oslo"), "mayor", Named("Dan")), {1903}),
        (Start(Named("Oslo"), "mayor", Named("Ann")), {1895, 1911}),
        (During(Inverse(Named("Oslo"), "born_in"), "year", Named("Oslo"), "mayor", Named("Dan")), {DAN}),
        (During(Named("Smith"), "year", Named("Oslo"), "mayor", Named("Ann")), set()),
        (Before(Named("Smith"), "year", 1890), {1860, 1870}),
        (Difference(Follow(Named("Ann"), "year"), Before(Named("Ann"), "year", 1890)), {40}),
        (Difference(Follow(Named("Smith"), "year"), Before(Named("Ann"), "year", 1890)), set()),
    ],
)
def test_every_node(query: Query, answers: set[int]) -> None:
    assert evaluate(query, TINY) == answers


@pytest.mark.parametrize("seed", range(30))
def test_nested_expressions_are_the_loops_they_stand_for(seed: int) -> None:
    rng = random.Random(seed)
    people = range(8)
    rows = {(s, r, rng.choice(people)) for s in people for r in ("a", "b") if rng.random() < 0.8}
    rows |= {(s, "year", rng.randrange(5)) for s in people}
    facts = Listed({str(s): {s} for s in people}, rows, {})
    bound = rng.randrange(5)
    inverse = Inverse(Follow(Named("0"), "a"), "b")
    want = {s for s, r, o in rows if r == "b" and (0, "a", o) in rows}
    assert evaluate(inverse, facts) == want
    kept = {s for s in want if any((s, "year", y) in rows for y in range(bound))}
    assert evaluate(Keep(inverse, "year", "<", bound), facts) == kept
    assert evaluate(Count(Keep(inverse, "year", "<", bound)), facts) == {len(kept)}
    years = {s: next(o for t, r, o in rows if (t, r) == (s, "year")) for s in want}
    first = {s for s in want if years[s] == min(years.values())}
    assert evaluate(Best((inverse,), "year", False), facts) == first


def test_the_relations_of_a_query_stand_innermost_first() -> None:
    query = Follow(At(Follow(Named("X"), "capital"), "mayor", Follow(Named("Y"), "published")), "born_in")
    assert relations_of(query) == ("capital", "published", "mayor", "born_in")
    assert relations_of(Best((Inverse(Named("X"), "author"), Named("Y")), "published", True)) == ("author", "published")


def test_a_symmetric_fact_has_two_ends() -> None:
    assert Fact(3, "spouse", 4).reverse == Fact(4, "spouse", 3)
    assert Fact(3, "father", 4).reverse == Fact(3, "father", 4)
