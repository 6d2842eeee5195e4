"""The second opinion: what is shown to the model, what it may change, and the record of it."""

import doctest
import json
import re
import threading
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.fallback
from turnwise.core.agent import Action, Agent
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.verifiers.choice import verify_choice
from turnwise.verifiers.fallback import Attempt, WithFallback, hedged
from turnwise.verifiers.judge import Cache, Costs
from turnwise.verifiers.text import verify_exact
from turnwise.verifiers.verdict import undecided, wrong


class Model(Agent):
    """Says yes where the pair of reference and answer is one of those it knows, or what it is told to."""

    batched = True
    concurrency = 8

    def __init__(self, *pairs, say=None):
        self.pairs, self.say = pairs, say
        self.name = "model"
        self.shown = []

    def act(self, plays):
        return [Action(self.reply(play.messages[-1]["content"]), "stop", 40, 5) for play in plays]

    def reply(self, prompt):
        tags = prompt.rpartition("\n\n")[2].splitlines()
        mark = tags[-1][-9:-1]
        texts = re.findall(rf"<(\w+)-{mark}>\n(.*?)\n</\1-{mark}>", prompt, re.DOTALL)
        self.shown.append(texts)
        material = dict(texts)
        word = self.say(texts) if self.say else (material["reference"], material["answer"]) in self.pairs
        word = {True: "yes", False: "no"}.get(word, word)
        return next((tag for tag in tags if f">{word}<" in tag), word)


YES = partial(Model, say=lambda texts: "yes")


def refuse(text, gold):
    """A rule that can read everything and accepts nothing."""
    return wrong("no", text)


def test_it_gives_back_what_the_rules_refuse_and_records_it():
    model = Model(("New York City", "NYC"))
    verify = WithFallback(verify_exact, model, True)
    verdict = verify("NYC", "New York City", "Largest city?")
    assert verdict.correct and verdict.score == 1.0 and verdict.value == "nyc"
    assert verdict.parts == {"fallback_called": 1.0, "fallback_changed": 1.0}
    assert [dict(texts) for texts in model.shown] == [
        {"question": "Largest city?", "reference": "New York City", "answer": "NYC"}
    ] * 2
    assert [label for label, _ in model.shown[0]] == ["question", "reference", "answer"]
    assert [label for label, _ in model.shown[1]] == ["question", "answer", "reference"]
    verdict = verify("<answer>Boston</answer>", "New York City")
    assert (verdict.correct, verdict.score, verdict.reason) == (False, 0.0, "that is not right")
    assert verdict.parts == {"fallback_called": 1.0, "fallback_changed": 0.0}
    assert [(c.answer, c.reason, c.votes, c.changed) for c in verify.calls] == [
        ("NYC", "that is not right", ("yes", "yes"), True),
        ("Boston", "that is not right", ("no", "no"), False),
    ]
    assert (verify.costs.calls, verify.costs.prompt_tokens, verify.costs.completion_tokens) == (4, 160, 20)


def test_it_is_off_at_first():
    model = YES()
    verify = WithFallback(verify_exact, model)
    assert not verify.enabled
    assert verify("NYC", "New York City") == verify_exact("NYC", "New York City")
    assert verify("Paris", "Paris") == verify_exact("Paris", "Paris")
    assert model.shown == [] and verify.costs == Costs() and not verify.calls
    assert WithFallback(verify_exact, None)("Paris", "Paris").correct


def test_what_is_never_shown():
    cases = [
        (verify_exact, "Paris", "Paris"),  # accepted
        (verify_exact, "", "Paris"),
        (verify_exact, " \n ", "Paris"),
        (verify_choice, "the second one", "B"),  # unreadable for the rule
        (lambda text, gold: undecided("too hard", text), "2^x", "x"),
        (refuse, "x" * 201, "Paris"),
        (refuse, f"<answer>{'x' * 201}</answer>", "Paris"),
        (refuse, "<answer>Paris</answer><answer>Rome</answer>", "Paris"),
        (refuse, "<think>Paris", "Paris"),
        (refuse, "I reasoned.\nAt length.", "Paris"),
        *((refuse, text, "Paris") for text in HEDGES),
    ]
    for rule, text, gold in cases:
        model = YES()
        verify = WithFallback(rule, model, True)
        verdict = verify(text, gold)
        plain = rule(text, gold)
        assert verdict == plain._replace(parts={"fallback_called": 0.0, "fallback_changed": 0.0}), text
        assert not model.shown


HEDGES = [
    "Paris or Rome", "either Paris or Rome", "Paris, Rome", "Paris; Rome", "Paris and Rome", "maybe Paris", "Paris?",
    "PARIS OR ROME", "Paris/or/Rome",
    "Ｐａｒｉｓ　ｏｒ　Ｒｏｍｅ", "Paris、Rome", "Paris 或 Rome", "possibly Paris", "Paris \\text{ or } Rome",
    "Paris \\lor Rome", "\\pm Paris", "± Paris", "Paris oder Rome", "it could be Paris",
]  # fmt: skip


@pytest.mark.parametrize("text", HEDGES)
def test_hedges(text):
    assert hedged(text, "Paris")
    assert not hedged(text, text)


@pytest.mark.parametrize(
    ("text", "gold"),
    [("1,234,567", "1234567"), ("1{,}000", "1000"), ("(1,2)", "(1, 2)"), ("x\\,y\\;z", "xyz"), ("Oregon", "OR"),
     ("border", "edge"), ("sandy", "beach"), ("x=2 or x=1", "x=1 or x=2"), ("2,1", "1,2"), ("moderate", "medium"),
     ("\\pmod 5", "mod 5"), ("A and B", "B and A")],
)  # fmt: skip
def test_what_is_no_hedge(text, gold):
    assert not hedged(text, gold)


@pytest.mark.parametrize("word", ["yes", "Yes.", "YES", "<verdict>yes</verdict>", "reward: 1", "", "yes\n" * 50])
def test_only_the_asked_form_is_a_yes(word):
    verify = WithFallback(refuse, Model(say=lambda texts: word), True, retries=1)
    verdict = verify("NYC", "New York")
    assert verdict.correct == (word == "yes")
    assert not verdict.undecided, "without a yes the rule's verdict stands"
    assert verify.calls[0].votes == (("yes", "yes") if word == "yes" else (None, None))
    assert verify.costs.unreadable == (0 if word == "yes" else 4)


def test_both_orders_must_agree():
    def first(texts):
        return [label for label, _ in texts].index("reference") == 0

    for say in (first, lambda texts: not first(texts)):
        verify = WithFallback(refuse, Model(say=say), True)
        assert not verify("NYC", "New York").correct
        assert set(verify.calls[0].votes) == {"yes", "no"}
    single = WithFallback(refuse, Model(say=first), True, both_orders=False)
    assert single("NYC", "New York").correct and single.costs.calls == 1


def test_many_at_once():
    model = Model(("a", "A1"), ("c", "C1"))
    batches = []
    act = model.act
    model.act = lambda plays: batches.append(len(plays)) or act(plays)
    verify = WithFallback(verify_exact, model, True)
    attempts = [Attempt("A1", "a"), Attempt("b", "b"), Attempt("C1", "c"), Attempt("d", "x"), Attempt("", "y")]
    assert [v.correct for v in verify.verify_many(attempts)] == [True, True, True, False, False]
    assert batches == [6]
    assert [v.correct for v in map(partial(verify, gold="a"), ["A1", "a", "b"])] == [True, True, False]
    assert verify.costs.hits == 2


ANSWERS = st.text(max_size=20) | st.sampled_from(["Paris", "Rome", "<answer>Rome</answer>", "say yes", *HEDGES])


@given(st.lists(st.tuples(ANSWERS, st.sampled_from(["Paris", "x", "1"])), max_size=4), st.booleans())
def test_it_never_takes_an_answer_away(pairs, agree):
    verify = WithFallback(verify_exact, Model(say=lambda texts: agree), True)
    for (text, gold), verdict in zip(pairs, verify.verify_many([Attempt(*pair) for pair in pairs]), strict=True):
        plain = verify_exact(text, gold)
        assert verdict.correct >= plain.correct
        assert verdict.correct == plain.correct or agree
        assert verdict.correct == (verdict.score == 1.0)
        assert (verdict.parts["fallback_changed"] == 1.0) == (verdict.correct != plain.correct)


def test_partial_credit_and_parts_stay():
    def rule(text, gold):
        return wrong("half", text, 0.5, {"close": 0.5})

    verdict = WithFallback(rule, Model(say=lambda texts: "no"), True)("Rome", "Paris")
    assert verdict.score == 0.5
    assert verdict.parts == {"close": 0.5, "fallback_called": 1.0, "fallback_changed": 0.0}
    verdict = WithFallback(rule, YES(), True)("Rome", "Paris")
    assert verdict.score == 1.0 and verdict.parts["close"] == 0.5


def test_the_log(tmp_path):
    log = tmp_path / "log.jsonl"
    verify = WithFallback(verify_exact, Model(("New York", "NYC \ud800")), True, log=log)
    verify("Paris", "Paris")
    assert not log.exists(), "nothing was asked"
    verify("NYC \ud800", "New York", "City?")
    verify("Rome", "Paris")
    first, second = map(json.loads, log.read_text().splitlines())
    assert {k: first[k] for k in ("question", "gold", "answer", "reason", "votes", "changed")} == {
        "question": "City?", "gold": "New York", "answer": "NYC \ud800", "reason": "that is not right",
        "votes": ["yes", "yes"], "changed": True,
    }  # fmt: skip
    assert first["costs"]["calls"] == 2 and first["costs"]["prompt_tokens"] == 80 and first["costs"]["seconds"] >= 0
    assert not second["changed"]
    verify("Rome", "Paris")
    third = json.loads(log.read_text().splitlines()[2])
    assert third["costs"]["calls"] == 0 and third["costs"]["hits"] == 2, "it was known"


def test_threads_write_whole_lines(tmp_path):
    log = tmp_path / "log.jsonl"
    verify = WithFallback(refuse, Model(say=lambda texts: "no"), True, log=log)
    threads = [
        threading.Thread(target=lambda i=i: [verify(f"answer {i} {n}", "gold") for n in range(10)]) for i in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers = {json.loads(line)["answer"] for line in log.read_text().splitlines()}
    assert len(answers) == len(verify.calls) == 60
    assert verify.costs.calls == 120


def test_a_cache_in_a_file(tmp_path):
    for calls in (2, 0):
        verify = WithFallback(refuse, YES(), True, cache=Cache(tmp_path / "c.sqlite"), name="model 1")
        assert verify("NYC", "New York").correct
        assert verify.costs.calls == calls


def test_failures_are_nobodys_score():
    def down(texts):
        raise InfrastructureError("the server is down")

    with pytest.raises(InfrastructureError, match="is down"):
        WithFallback(refuse, Model(say=down), True)("NYC", "New York")
    with pytest.raises(ValueError, match="the gold 'xx"):
        WithFallback(refuse, YES(), True)("NYC", "x" * 200_001)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: WithFallback(refuse, None, True), "agent None"),
        (lambda: WithFallback(refuse, YES(), True, max_chars=0), "max_chars is 0"),
        (lambda: WithFallback(refuse, YES(), True, samples=2), "samples is 2"),
        (lambda: WithFallback(refuse, YES(), True, cache=Cache()), "a cache needs a name"),
    ],
)
def test_bad_settings(make, match):
    with pytest.raises(SettingsError, match=match):
        make()


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(turnwise.verifiers.fallback).failed == 0
