"""Phrases for questions: those that a relation's shape calls for, well formed, unlike the documents' words."""

import re

import pytest

from turnwise.worlds.documents.phrases import KIND_NOUNS, PHRASES, Phrases, read_sections, spoken
from turnwise.worlds.documents.schema import KINDS, RELATIONS, Relation

SLOTS: dict[str, set[str]] = {  # of a field; all others have "{}" alone
    "item": set(),
    "noun_at": {"", "year"},
    "ask_at": {"", "year"},
    "check": {"s", "o"},
    "check_at": {"s", "o", "year"},
    **{key: {"a", "b"} for key in ("more", "less", "is_more", "is_less")},
}
QUESTIONS = (
    *("ask", "ask_at", "ask_inverse", "count", "count_objects", "more", "less"),
    *("most", "least", "is_more", "is_less", "check", "check_at"),
)


def texts(phrases: Phrases) -> list[tuple[str, str]]:
    return [(key, text) for key in Phrases.__slots__ if key not in ("short", "key") for text in getattr(phrases, key)]


def test_every_relation_has_phrases_and_nothing_else_has() -> None:
    assert list(PHRASES) == [relation.name for relation in RELATIONS]
    assert set(KIND_NOUNS) == set(KINDS)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_the_phrases_fit_the_shape(relation: Relation) -> None:
    phrases = PHRASES[relation.name]
    terms = relation.shape == "terms"
    assert phrases.check or relation.object in ("number", "year", "date")
    if relation.name not in ("laureate", "father", "mother"):
        assert len(phrases.noun) >= 2 and len(phrases.ask) >= 2
    if relation.inverse:
        assert len(phrases.inverse) >= 2 and len(phrases.ask_inverse) >= 2 and phrases.plural and phrases.clause
        assert phrases.count or relation.name == "capital"  # a city is the capital of one region at most
    assert bool(phrases.noun_at) == bool(phrases.ask_at) == bool(phrases.check_at) == terms
    assert bool(phrases.plural_objects) == bool(phrases.count_objects) == (relation.shape != "one")
    measured = relation.object in ("number", "year", "date")
    for key in ("above", "below", "more", "less", "most", "least", "is_more", "is_less"):
        assert bool(getattr(phrases, key)) == measured, key


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_the_phrases_are_well_formed(relation: Relation) -> None:
    for key, text in texts(PHRASES[relation.name]):
        assert set(re.findall(r"\{(\w*)\}", text)) == SLOTS.get(key, {""}), (key, text)
        assert len(re.findall(r"\{\}", text)) <= 1
        assert text.endswith("?") == (key in QUESTIONS), (key, text)
        assert text[0].isupper() == (key in QUESTIONS), (key, text)
        assert "  " not in text and text == text.strip()
        if key in ("item", "noun", "noun_at", "inverse"):
            assert text.startswith("the "), text


def test_one_word_stands_for_one_relation_of_a_kind() -> None:
    for kind in KINDS:
        words = [PHRASES[relation.name].short for relation in RELATIONS if relation.subject == kind]
        assert len(words) == len(set(words)) and all(word.isalpha() for word in words), kind


def test_no_question_is_worded_as_a_document() -> None:
    """No four words in a row of a question's phrase stand in the sentences of its relation, in most of the phrases."""

    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.sub(r"\{\w*\}", "X", text).lower().strip("?.").split()
        return {tuple(words[i : i + 4]) for i in range(len(words) - 3)}

    same = total = 0
    for relation in RELATIONS:
        sentences = read_sections("wording.txt")[relation.name]
        said = set().union(*(runs(text) for key in sentences if key[0] in "sop" for text in sentences[key]))
        for _, text in texts(PHRASES[relation.name]):
            total += 1
            same += bool(runs(text) & said)
    assert same / total < 0.15


def test_articles() -> None:
    assert spoken("award", "Bak Prize") == "the Bak Prize"
    assert spoken("building", "Bak Hall") == "Bak Hall"
