"""Inverted, totalling and counterfactual questions: many documents, one answer."""

import re
from functools import cache

import numpy as np
import pytest

from turnwise.worlds.documents import World, open_world
from turnwise.worlds.documents.phrases import read_sections
from turnwise.worlds.documents.questions import Question, make_question
from turnwise.worlds.documents.questions.hints import period
from turnwise.worlds.documents.questions.known import Columns
from turnwise.worlds.documents.questions.logic import Both, During, Follow, Having, Keep, Others, Span, Total, evaluate
from turnwise.worlds.documents.schema import RELATIONS, relation_named


@cache
def world() -> World:
    return open_world(7, 1000)


@cache
def drafted(kind: str, hops: int, count: int = 25) -> tuple[Question, ...]:
    rng = np.random.default_rng([hops, len(kind)])
    found = (make_question(world(), rng, kind, hops) for _ in range(4000))
    return tuple(q for q, _ in zip((q for q in found if q is not None), range(count), strict=False))


@pytest.mark.parametrize("hops", [2, 3, 4, 5])
def test_an_inverted_question_needs_all_of_its_clues_and_none_gives_the_answer_away(hops: int) -> None:
    facts = Columns(world())
    for question in drafted("inverted", hops):
        query = question.query.source if isinstance(question.query, Follow) else question.query
        assert isinstance(query, Both) and len(query.parts) >= max(3, hops)
        sets = [evaluate(part, facts) for part in query.parts]
        assert all(len(found) >= 3 for found in sets), question.text
        assert len(frozenset.intersection(*sets)) == 1
        assert len(question.names) == 1 and question.names[0] in question.text
        named = world().named(question.names[0])
        assert not frozenset.intersection(*sets) & set(named)


def test_an_inverted_question_does_not_name_what_it_seeks() -> None:
    for hops in (2, 4):
        for question in drafted("inverted", hops):
            query = question.query.source if isinstance(question.query, Follow) else question.query
            (sought,) = evaluate(query, Columns(world()))  # type: ignore[arg-type]
            assert world().name(sought) not in question.text


def test_totals_are_those_of_all_members() -> None:
    facts = Columns(world())
    kinds = set()
    for hops in (2, 3, 4):
        for question in drafted("total", hops):
            query = question.query
            assert isinstance(query, Total | Span)
            values = [world().value(query.relation, member) for member in evaluate(query.source, facts)]
            bounded = isinstance(query.source, Keep)
            assert bounded == (" Count only those " in question.text) and bounded <= (hops > 2)
            assert 3 - bounded <= len(values) <= 10
            expected = sum(values) if isinstance(query, Total) else max(values) - min(values)
            assert question.answers[0][-1] == str(expected)
            kinds.add(type(query))
    assert kinds == {Total, Span}


def test_the_second_of_a_group_is_asked_without_the_first() -> None:
    facts, checked = Columns(world()), 0
    for hops in (2, 3, 4):
        for question in drafted("supposed", hops):
            best = question.query.source if isinstance(question.query, Follow) else question.query
            if not hasattr(best, "sources"):
                assert re.search(r"(?:If .+ had|Had .+) died at the end of \d{4}", question.text)
                continue
            (rest,) = best.sources
            assert isinstance(rest, Others)
            members = sorted(evaluate(rest.source, facts), key=lambda e: world().value(best.relation, e))
            members = members[::-1] if best.largest else members
            assert evaluate(best, facts) == {members[1]}
            checked += 1
    assert checked > 20


def test_an_early_death_prevents_what_came_later() -> None:
    checked = 0
    for question in drafted("supposed", 2, 60):
        match = re.match(r"(?:If (.+) had|Had (.+)) died at the end of (\d{4})", question.text)
        if match is None:
            continue
        (person,) = world().named(match[1] or match[2])
        relation = question.relation
        measure = {
            "author": "published",
            "designed_by": "completed",
            "founder": "org_founded",
            "discoverer": "described",
        }
        made = world().subjects(relation, person).tolist()
        late = {world().name(one) for one in made if world().value(measure[relation], one) > int(match[3])}
        assert {item[0] for item in question.answers} == late and len(late) < len(made)
        checked += 1
    assert checked > 10


def test_what_came_about_during_a_term_is_what_its_years_admit() -> None:
    facts = Columns(world())
    for hops in (2, 3, 4):
        for question in drafted("during", hops, 15):
            query = question.query
            assert isinstance(query, During)
            ((office,), holders) = evaluate(query.office, facts), evaluate(query.holder, facts)
            ((first, last),) = [term[:2] for term in facts.terms(office, query.relation) if term[2] in holders]
            values = {m: world().value(query.measure, m) for m in evaluate(query.source, facts)}
            years = {m: value // 10_000 if value > 9999 else value for m, value in values.items()}
            kept = {world().name(m) for m, year in years.items() if first <= year <= last}
            assert {item[0] for item in question.answers} == kept and 0 < len(kept) < len(years)
            assert not {first, last} & set(years.values()), "no member came about in a year of change"


def test_periods() -> None:
    facts = Columns(world())
    words, query = period("published", 1874, 1, 0)
    assert words == "in the 1870s"
    assert {world().value("published", work) // 10 for work in evaluate(query, facts)} == {187}
    words, query = period("born_on", 18930704, 3, 1)
    assert words == "between 1880 and 1909"
    years = {world().value("born_on", person) // 10_000 for person in evaluate(query, facts)}
    assert years and all(1880 <= year <= 1909 for year in years)


def test_hints_are_about_relations_of_the_schema() -> None:
    known = {relation.name for relation in RELATIONS}
    for name, keys in read_sections("hints.txt").items():
        assert name in known and relation_named(name).to_entity and set(keys) <= {"s", "o"}
        assert all(text.count("{}") == 1 and text[0].islower() for texts in keys.values() for text in texts)


def test_having_is_the_same_for_all_sources_of_facts() -> None:
    facts = Columns(world())
    assert evaluate(Having("completed", ">", 1900), facts) == {
        e for e in world().range("building") if world().value("completed", e) > 1900
    }


def test_long_paths_are_told_in_several_sentences() -> None:
    """No question nests more than three descriptions in one sentence."""
    for hops in (4, 5):
        for question in drafted("chain", hops):
            sentences = re.split(r"(?<=[.?]) ", question.text)
            assert len(sentences) >= 2 and sentences[-1].endswith("?")
            assert all(len(sentence) < 170 for sentence in sentences), question.text
