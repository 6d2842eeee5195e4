"""Patterns behind gates find what they find without, and what a pattern needs is in all that it matches."""

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.people.domains import SHOP
from tests.worlds.people.measure import LEXICONS, utterances
from turnwise.worlds.people.clauses import plain
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.gates import Gates
from turnwise.worlds.people.memory import Memory
from turnwise.worlds.people.pieces import Piece, alternatives, needs
from turnwise.worlds.people.understanding import acts_of
from turnwise.worlds.people.vocabulary import Vocabulary, vocabulary_of

PATTERNS = (
    r"ab|b|a(?:b|c)+ d",
    r"\b(?:ab?|b(?= c)|c{2,}|(?<!a)d)\b",
    r"^(?:a |b )?(?:c|ab)$",
    r"[ab]c|\w+d|a.{0,2}b",
    r"a'b|b-c|(a|b)c|d?",
    r"(?:a|b|)c|ca*(?:b|d)?",
    r", (?=(?:ab|c) )|(?:a\b b|d\b)",
)
TEXTS = st.text("abcd ',-", max_size=12)


def outcomes(pattern: re.Pattern[str], gated: object, text: str) -> tuple[list[object], list[object]]:
    both = []
    for made in (pattern, gated):
        found, begun = made.search(text), made.match(text)
        spans = [match and (match.span(), match.group()) for match in (found, begun)]
        both.append([*spans, made.split(text), made.sub("-", text)])
    return both[0], both[1]


@pytest.mark.parametrize("source", PATTERNS)
@given(text=TEXTS)
def test_a_gated_pattern_finds_what_the_pattern_finds(source, text):
    gates = Gates()
    gates.pattern("other|patterns")
    gated = gates.pattern(source)
    plainly, behind = outcomes(re.compile(source), gated, text)
    assert plainly == behind and gated.holds(text) == (plainly[0] is not None)


def test_turns_of_phrase_find_what_they_find_without_gates():
    texts = [plain(text) for domain in LEXICONS for _, text in utterances(domain, "tuning")[::40]]
    assert len(texts) > 30
    compiled = {name: re.compile(gated.source) for name, gated in TURNS.items()}
    for name, pattern in compiled.items():
        for text in texts:
            plainly, behind = pattern.search(text), TURNS[name].search(text)
            assert (plainly and plainly.span()) == (behind and behind.span()), (name, text)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"\bcan i\b", [{("can", True, True)}, {("i", True, True)}]),
        (r"refund(?:s|ed)?", [{("refund", False, False)}]),
        (r"(?:no|yes) \w+", [{("no", False, True), ("yes", False, True)}]),
        (r"(?:really )?\d+", []),
        (r"(?P<a>named)", []),
        (r"a|", []),
    ],
)
def test_what_patterns_need(pattern, wanted):
    assert needs(pattern, 3) == tuple({Piece(*piece) for piece in pieces} for pieces in wanted)


def test_alternatives_keep_what_is_around_them():
    assert alternatives(r"\b(?:a(?:b|c)|[|d]|\|)\b") == (r"\b(?:a(?:b|c))\b", r"\b(?:[|d])\b", r"\b(?:\|)\b")
    assert alternatives("(a)|b") == ("(a)|b",)


def test_words_of_any_length_open_gates():
    gated = Gates().pattern("need")
    assert gated.holds("x" * 500 + "need") and not gated.holds("x" * 500)


def test_what_is_remembered_changes_nothing_and_is_not_pickled(monkeypatch):
    texts = [plain(text) for _, text in utterances("shop", "tuning")[::25]]
    vocabulary = Vocabulary(SHOP)
    first = [acts_of(text, vocabulary) for text in texts]
    assert [acts_of(text, vocabulary) for text in texts] == first
    monkeypatch.setattr(Memory, "most", 0)
    assert [acts_of(text, Vocabulary(SHOP)) for text in texts] == first
    shared = vocabulary_of(SHOP)
    assert pickle.loads(pickle.dumps(shared)) is shared


def test_a_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(Memory, "most", 2)
    memory = Memory()
    for text in ("a", "b", "c", "d" * 401):
        assert memory.keep(text, text) == text
    assert [memory.get(text) for text in ("a", "b", "c", "d" * 401)] == [None, None, "c", None]
