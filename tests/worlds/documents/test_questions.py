"""Questions over small generated worlds, each checked against what the documents state, page by page."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from turnwise.core.errors import SettingsError
from turnwise.verifiers.qa import verify_answer, verify_items, verify_yes_no
from turnwise.worlds.documents import World, open_world
from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions import FORMS, KIND_CHANCE, KIND_HOPS, KINDS, Question, make_question, mentions
from turnwise.worlds.documents.questions.agents import Prior, closed_book, first_hit, majority
from turnwise.worlds.documents.questions.context import _RIGHT
from turnwise.worlds.documents.questions.draw import shelf_of
from turnwise.worlds.documents.questions.known import Columns, Lacking, Pages, stated_in, suffices
from turnwise.worlds.documents.questions.logic import Before, Count, Difference, Span, Total, evaluate, relations_of
from turnwise.worlds.documents.questions.many import round_between
from turnwise.worlds.documents.questions.surfaces import shows, value_forms

SEEDS = (1, 2)
DOCUMENTS = 600


@cache
def world_of(seed: int) -> World:
    return open_world(seed, DOCUMENTS, namesakes=0.1, stale=0.1)


@cache
def pages_of(seed: int) -> Pages:
    return Pages(world_of(seed))


@cache
def questions_of(kind: str, seed: int, number: int = 24, **knobs: float) -> tuple[Question, ...]:
    rng = np.random.default_rng(seed)
    low, high = KIND_HOPS[kind]
    found: list[Question] = []
    for draft in range(100 * number):
        question = make_question(world_of(seed), rng, kind, low + draft % (high - low + 1), **knobs)
        if question is not None:
            found.append(question)
        if len(found) == number:
            return tuple(found)
    raise AssertionError(f"{kind}: only {len(found)} of {100 * number} drafts held")


def every(number: int = 24) -> Iterator[tuple[World, Pages, Question]]:
    for seed in SEEDS:
        for kind in KINDS:
            for question in questions_of(kind, seed, number):
                yield world_of(seed), pages_of(seed), question


def test_each_answer_is_the_only_one_by_the_statements_of_all_pages() -> None:
    for world, pages, question in every():
        assert question.query is not None
        found = evaluate(question.query, pages)
        assert found == evaluate(question.query, Columns(world))
        if not question.answerable:
            assert len(found) != 1, question.text
            continue
        assert len(found) == len(question.answers), question.text
        if question.form in ("items", "text"):
            forms = {world.name(entity) for entity in found}
            assert forms == {item[0] for item in question.answers}, question.text
        elif question.form == "yes_no":
            assert question.answers == (("yes" if found == {1} else "no",),)
        elif isinstance(question.query, Count | Total | Span):
            assert question.answers[0][-1] == str(next(iter(found)))
        else:
            assert question.answers[0] in (value_forms(question.relation, next(iter(found))), (str(next(iter(found))),))


def test_without_the_documents_of_any_needed_fact_the_answer_is_another() -> None:
    checked = 0
    for world, pages, question in every(12):
        if not question.answerable:
            continue
        assert question.query is not None and question.needed
        whole = evaluate(question.query, pages)
        for fact in question.needed:
            assert evaluate(question.query, Lacking(world, [fact])) != whole, question.text
            pages.without = set(stated_in(world, fact))
            assert pages.without
            assert evaluate(question.query, pages) != whole, question.text
            pages.without = ()
            checked += 1
    assert checked > 400


def test_support_states_all_facts() -> None:
    for world, _, question in every():
        if question.answerable:
            assert suffices(world, question, question.support)
            assert list(question.support) == sorted(set(question.support))
            assert question.hops == 1 or not suffices(world, question, ())


def test_every_form_of_an_answer_is_accepted_and_others_are_not() -> None:
    for _, _, question in every(12):
        if not question.answerable:
            assert question.answers == () and question.gold == "unanswerable"
            assert verify_answer(question.gold, None).correct
            assert not verify_answer("Zvorlux", None).correct
        elif question.form == "yes_no":
            assert verify_yes_no(question.gold, question.answers[0][0] == "yes").correct
            assert not verify_yes_no(question.gold, question.answers[0][0] == "no").correct
        elif question.form == "items":
            assert verify_items(question.gold, question.answers).correct
            assert not verify_items(f"{question.gold}; Zvorlux", question.answers).correct
        else:
            for form in question.answers[0]:
                assert verify_answer(form, question.answers[0]).correct, form
            assert not verify_answer("unanswerable", question.answers[0]).correct


def test_plans_use_only_what_is_known_by_then() -> None:
    """Every name in a query is one that the question or an earlier answer gave, and documents hold the answers."""
    for world, _, question in every(12):
        known = question.text
        assert question.steps
        for step in question.steps:
            for word in re.findall(r"\b[A-Z]\w+", step.query):  # names; relation words are not capitalised
                assert word in known or word in LIST_WORDS, (question.text, step.query)
            known += " " + " ".join(step.answer)
            assert bool(step.answer) == bool(step.documents)
            for number in step.documents:
                text = world.document(number).title + " " + world.document(number).text
                assert shows(text, step.answer[:1] if world.named(step.answer[0]) else step.answer), (step, text)
        last = question.steps[-1]
        computed = question.form == "yes_no" or isinstance(question.query, Difference)
        if question.answerable and not question.contested and not computed:
            assert set(last.answer) & set(question.answers[0]) or relations_of(question.query)[-1] in STARTS


LIST_WORDS = frozenset(
    word for relation in world_of(1).relations for word in relation.list_title.replace("{}", "").split()
)
STARTS = frozenset(relation.name for relation in world_of(1).relations if relation.shape == "terms")


def test_the_kinds_are_what_they_say() -> None:
    for _, _, question in every():
        low, high = KIND_HOPS[question.kind]
        assert low <= question.hops <= high, question.text
        assert question.form in FORMS
        assert "{" not in question.text and "  " not in question.text
        assert question.text[0].isupper() and question.text[-1] in "?."
        assert all(name in question.text for name in question.names)
        for name in question.names if question.answerable and question.kind != "adversarial" else ():
            assert question.text.count(name) >= 1
    assert {q.form for _, _, q in every()} == set(FORMS)
    assert set(KIND_CHANCE) == set(KIND_HOPS) == set(KINDS)
    for kind in ("yes_no", "unanswerable"):
        assert all(q.chance == KIND_CHANCE[kind] for q in questions_of(kind, 1))


def test_the_same_seed_draws_the_same_questions_and_another_one_others() -> None:
    first, again = ([make_question(world_of(1), np.random.default_rng(5), kind, 2) for kind in KINDS] for _ in range(2))
    assert first == again
    assert first != [make_question(world_of(1), np.random.default_rng(6), kind, 2) for kind in KINDS]


def test_a_lying_document_states_another_value() -> None:
    outdated = mistaken = changed = 0
    for seed in SEEDS:
        world = world_of(seed)
        for question in questions_of("adversarial", seed):
            assert question.lies
            said = [claim for number in question.lies for claim in world.page(number).statements]
            if question.text.startswith("As of "):
                claims = {claim.object for claim in said if claim.relation == question.relation and not claim.current}
                assert claims - evaluate(question.query, Columns(world))
                outdated += 1
            elif isinstance(question.query, Difference):
                world_facts = Columns(world)
                (now,), (then,) = (evaluate(part, world_facts) for part in (question.query.left, question.query.right))
                assert isinstance(question.query.right, Before)
                assert question.gold.replace(",", "") == str(abs(now - then))
                assert str(question.query.right.year) in question.text
                assert then in {c.object for c in said if c.relation == question.relation and not c.current}
                changed += 1
            else:
                first = next(fact for fact in question.needed[1:])
                others = {entity for entity in world.named(world.name(first.subject)) if entity != first.subject}
                claims = {c.object for c in said if c.relation == first.relation and {c.subject, c.object} & others}
                assert claims - {first.object}
                mistaken += 1
    assert min(outdated, mistaken, changed) > 10


def test_half_of_the_unanswerable_kind_can_be_answered_and_the_words_do_not_tell_which() -> None:
    world, rng = world_of(1), np.random.default_rng(3)
    found = [q for n in range(4000) if (q := make_question(world, rng, "unanswerable", 1 + n % 3)) is not None]
    assert abs(np.mean([q.answerable for q in found]) - 0.5) < 0.04
    assert all(q.twin is not None and q.twin.answerable != q.answerable for q in found)
    assert all(q.twin.relation == q.relation and q.twin.hops == q.hops for q in found if q.twin is not None)
    names = re.compile(r"\b[A-Z]\w+(?: [A-Z]?\w+)?|\d+")

    def words(question: Question) -> list[str]:
        return [*names.sub("X", question.text[0].lower() + question.text[1:]).split(), question.relation]

    half = len(found) // 2
    score: Counter[str] = Counter()
    for question in found[:half]:
        for word in set(words(question)):
            score[word] += 1 if question.answerable else -1
    seen = Counter(word for q in found[:half] for word in set(words(q)))
    told = [sum(score[w] / (seen[w] + 10) for w in set(words(q))) > 0 for q in found[half:]]
    right = np.mean([guess == q.answerable for guess, q in zip(told, found[half:], strict=True)])
    assert right < 0.56  # a classifier of words, trained on half of them


@pytest.mark.slow
def test_yes_and_no_are_as_likely_and_counts_are_spread() -> None:
    world, rng = world_of(1), np.random.default_rng(4)
    found = [q for n in range(1500) if (q := make_question(world, rng, "yes_no", 1 + n % 2)) is not None]
    assert abs(np.mean([q.gold == "yes" for q in found]) - 0.5) < 0.05
    assert all(q.chance == 0.5 for q in found)
    counts = Counter(q.gold for n in range(1000) if (q := make_question(world, rng, "count", 1)) is not None)
    assert counts.most_common(1)[0][1] < 0.35 * counts.total()


def test_an_alias_is_resolved_by_a_search() -> None:
    world = world_of(1)
    found = questions_of("chain", 1, 150, aliases=1.0)
    by_alias = [q for q in found if world.name(world.named(q.names[0])[0]) != q.names[0]]
    assert len(by_alias) > 10
    for question in by_alias:
        entity = world.named(question.names[0])[0]
        assert question.steps[0].query.startswith(question.names[0])
        assert question.steps[0].answer[0] == world.name(entity)
        assert question.steps[1].query.startswith(world.name(entity))
        assert world.name(entity) not in question.text


def test_plain_wording_and_needless_facts() -> None:
    world = world_of(1)
    for question in questions_of("chain", 1, 30, paraphrase=False):
        path = relations_of(question.query)
        asks = phrases(path[-1]).ask
        nested = [ask for ask in asks if _RIGHT.search(ask)] or asks  # after a description, one that ends with it
        asked = question.text.rpartition(". ")[2]
        assert asked.startswith((asks[0].partition("{}")[0], nested[0].partition("{}")[0]))
    longer = questions_of("chain", 1, 30, distractors=3)
    assert sum(" (the " in q.text for q in longer) > 20
    assert all(len(q.names) == 1 and world.named(q.names[0]) for q in longer)


def test_terse_questions_search_for_names_alone() -> None:
    for question in questions_of("chain", 2, 30, terse=True):
        path = relations_of(question.query)
        want = " of ".join(phrases(relation).short for relation in reversed(path))
        assert question.text == f"{want} of {question.names[0]}?"
        assert question.steps[0].query == question.names[0]


def test_agents_that_do_not_reason() -> None:
    found = questions_of("chain", 1) + questions_of("yes_no", 1) + questions_of("unanswerable", 1)
    prior = Prior.of(found)
    by_kind = {kind: Counter(q.gold for q in found if q.kind == kind).most_common(1)[0][1] for kind in prior.by_kind}
    for question in found:
        assert majority(question, prior) == prior.by_kind[question.kind]
        same = [q.gold for q in found if (q.kind, q.relation) == (question.kind, question.relation)]
        assert same.count(closed_book(question, prior)) == max(Counter(same).values())
    assert by_kind["yes_no"] >= 12
    ask = Question("Where was Ann Bo born?", "chain", 1, (("Rome",),), "text", (), ())
    assert first_hit(ask, ["Ann Bo was born in Old Rome in 1893. She died in Oslo."]) == "Old Rome"
    assert first_hit(ask, []) == "unanswerable"
    year = Question("When was Rome founded?", "chain", 1, (("753",),), "date", (), (), relation="city_founded")
    assert first_hit(year, ["Rome has 12,345 inhabitants and was founded in 1753."]) == "1753"
    number = Question("How large is Rome?", "chain", 1, (("9",),), "number", (), ())
    assert first_hit(number, ["Rome has 12,345 inhabitants."]) == "12,345"
    assert first_hit(Question("Is it?", "yes_no", 1, (("no",),), "yes_no", (), ()), ["x"]) == "yes"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("It had 12,345 people.", True),
        ("It had 12345.", True),
        ("It had 112,345.", False),
        ("In 12 of 345 cases", False),
        ("", False),
    ],
)
def test_mentions_reads_whole_words(text: str, seen: bool) -> None:
    question = Question("?", "chain", 2, (("12,345", "12345"),), "number", (), ())
    assert mentions(question, text) is seen


def test_mentions_needs_all_items_and_ignores_case_and_accents() -> None:
    question = Question("?", "chain", 2, (("Zoë Bó",), ("Rome", "Roma")), "text", (), ())
    assert (
        mentions(question, "zoe bo lives in ROMA") and not mentions(question, "Zoë Bó") and not mentions(question, "")
    )
    assert not mentions(Question("?", "set", 2, (("Rome",),), "items", (), (), contested=True), "Rome")
    assert not mentions(Question("?", "unanswerable", 1, (), "text", (), (), answerable=False), "Rome")


def test_unknown_kinds_are_refused_and_hops_are_brought_into_range() -> None:
    with pytest.raises(SettingsError, match="kind is 'chian'; it must be one of chain, bridge"):
        make_question(world_of(1), np.random.default_rng(0), "chian")
    rng = np.random.default_rng(0)
    assert {q.hops for _ in range(50) if (q := make_question(world_of(1), rng, "yes_no", 9)) is not None} == {2}


def test_a_world_keeps_its_shelf() -> None:
    assert shelf_of(world_of(1)) is shelf_of(world_of(1)) is not shelf_of(world_of(2))


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_lies_between(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = int(rng.integers(1, 10**6))
    high = low + int(rng.integers(2, 10**5))
    assert low < round_between(low, high) < high
    assert round_between(low, low + 1) == low


@pytest.mark.parametrize(
    "style", [{"name_style": "short", "relations": "spouse,mother,born_in,father"}, {"documents": 60}]
)
def test_small_worlds_have_questions_too(style: dict[str, object]) -> None:
    world = open_world(4, **{"documents": 200, **style})
    rng = np.random.default_rng(0)
    assert sum(make_question(world, rng, "chain", 2) is not None for _ in range(100)) > 20
    for kind in KINDS:
        for _ in range(20):
            make_question(world, rng, kind, 3)
