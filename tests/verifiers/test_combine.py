"""Verifiers made of verifiers: what each combination says, and the laws it keeps."""

import doctest
import math
import pickle
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.combine
from turnwise.verifiers.choice import verify_choice
from turnwise.verifiers.combine import all_of, any_of, conjoin, gated, product, weigh, weighted
from turnwise.verifiers.text import verify_exact
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

RIGHT, WRONG, HALF, OPEN = right("x"), wrong("no", "x"), wrong("half", "x", 0.5), undecided("who knows", "x")


def says(verdict):
    return lambda text: verdict


def verdict_of(combine, *verdicts, **options):
    return combine({f"v{i}": says(v) for i, v in enumerate(verdicts)}, **options)("any text")


SCORES = st.floats(0, 1, exclude_max=True)
VALUES = st.none() | st.text(max_size=3)
PARTS = st.none() | st.dictionaries(st.sampled_from(["a", "b/c"]), st.floats(0, 1), max_size=2)
VERDICTS = st.one_of(
    st.builds(right, st.text(max_size=3), PARTS),
    st.builds(wrong, st.text(min_size=1, max_size=3), VALUES, SCORES, PARTS),
    st.builds(undecided, st.text(min_size=1, max_size=3), VALUES),
)
SEVERAL = st.lists(VERDICTS, min_size=1, max_size=5)
THRESHOLDS = st.floats(0, 1, exclude_min=True)
COMBINATIONS = st.one_of(
    st.sampled_from([all_of, any_of, product]), st.builds(lambda t: partial(weighted, threshold=t), THRESHOLDS)
)


@given(COMBINATIONS, SEVERAL)
def test_bounds(combine, verdicts):
    verdict = verdict_of(combine, *verdicts)
    assert 0 <= verdict.score <= 1
    assert verdict.correct == (verdict.score == 1.0)
    assert not (verdict.undecided and (verdict.correct or verdict.score))
    assert bool(verdict.reason) != verdict.correct
    assert verdict.readable == any(v.readable for v in verdicts) or verdict.correct
    for index, part in enumerate(verdicts):
        assert verdict.parts[f"v{index}"] == part.score
        assert verdict.parts.get(f"v{index}/undecided") == (1.0 if part.undecided else None)
        assert all(verdict.parts[f"v{index}/{name}"] == figure for name, figure in (part.parts or {}).items())


@given(COMBINATIONS, SEVERAL, st.randoms(use_true_random=False))
def test_the_order_does_not_matter(combine, verdicts, random):
    named = [(f"v{i}", says(v)) for i, v in enumerate(verdicts)]
    first = combine(dict(named))("")
    random.shuffle(named)
    second = combine(dict(named))("")
    assert (first.correct, first.score, first.undecided) == (second.correct, second.score, second.undecided)
    assert first.parts == second.parts


def test_the_order_does_not_matter_to_the_last_bit():
    scores = [wrong("no", "x", score) for score in (0.1, 0.2, 0.3)]
    assert (0.1 * 0.2) * 0.3 != 0.1 * (0.2 * 0.3)
    assert verdict_of(product, *scores).score == verdict_of(product, *scores[::-1]).score


@given(COMBINATIONS, SEVERAL, st.data())
def test_a_better_part_never_harms(combine, verdicts, data):
    index = data.draw(st.integers(0, len(verdicts) - 1))
    old = verdicts[index]
    better = RIGHT
    if not old.correct and not old.undecided and data.draw(st.booleans()):
        better = old._replace(score=data.draw(st.floats(old.score, 1, exclude_max=True)))
    before = verdict_of(combine, *verdicts)
    after = verdict_of(combine, *verdicts[:index], better, *verdicts[index + 1 :])
    assert after.correct >= before.correct
    if not after.undecided:  # settling one part may leave another open, and undecided earns nothing
        assert after.score >= before.score


@given(SEVERAL, st.sampled_from([all_of, any_of, product]), st.randoms(use_true_random=False), THRESHOLDS)
def test_a_decision_holds_however_the_open_parts_turn_out(verdicts, combine, random, threshold):
    for way in (combine, partial(weighted, threshold=threshold)):
        verdict = verdict_of(way, *verdicts)
        settled = [wrong("no", "x", random.random()) if v.undecided and random.random() < 0.5 else v for v in verdicts]
        settled = [RIGHT if v.undecided else v for v in settled]
        outcome = verdict_of(way, *settled)
        assert not outcome.undecided
        if not verdict.undecided:
            assert outcome.correct == verdict.correct
            assert outcome.score >= verdict.score


@given(VERDICTS)
def test_a_combination_of_one_is_that_one(verdict):
    for combine in (all_of, any_of, product):
        assert combine([says(verdict)])("") == verdict
        named = combine({"it": says(verdict)})("")
        assert named[:2] == (verdict.correct, f"it: {verdict.reason}" if verdict.reason else "")
        assert named.score == verdict.score and named.undecided == verdict.undecided
    assert weighted({"it": says(verdict)})("").score == pytest.approx(verdict.score)


@given(SEVERAL, SEVERAL)
def test_all_and_any_may_be_nested(first, second):
    for combine in (all_of, any_of):
        flat = verdict_of(combine, *first, *second)
        nested = verdict_of(combine, verdict_of(combine, *first), verdict_of(combine, *second))
        assert (flat.correct, flat.undecided) == (nested.correct, nested.undecided)
        if combine is all_of or not any(v.undecided for v in [*first, *second]):
            assert flat.score == nested.score


@pytest.mark.parametrize(
    ("combine", "verdicts", "expected"),
    [
        (all_of, (RIGHT, RIGHT), RIGHT), (all_of, (RIGHT, HALF), HALF), (all_of, (WRONG, OPEN), WRONG),
        (all_of, (RIGHT, OPEN), OPEN), (all_of, (HALF, OPEN), WRONG),
        (any_of, (RIGHT, WRONG), RIGHT), (any_of, (RIGHT, OPEN), RIGHT), (any_of, (WRONG, OPEN), OPEN),
        (any_of, (WRONG, HALF), HALF), (any_of, (WRONG, WRONG), WRONG),
        (product, (HALF, HALF), wrong("", "x", 0.25)), (product, (RIGHT, HALF), HALF), (product, (WRONG, OPEN), WRONG),
        (product, (RIGHT, OPEN), OPEN), (product, (RIGHT, RIGHT), RIGHT),
    ],
)  # fmt: skip
def test_the_tables(combine, verdicts, expected):
    verdict = verdict_of(combine, *verdicts)
    assert (verdict.correct, verdict.score, verdict.undecided) == (expected.correct, expected.score, expected.undecided)


def test_weights_and_thresholds():
    parts = {"form": says(RIGHT), "truth": says(HALF), "style": says(WRONG)}
    weights = {"form": 1, "truth": 2, "style": 1}
    verdict = weighted(parts, weights, threshold=0.6)("")
    assert (verdict.correct, verdict.score, verdict.parts["mean"]) == (False, 0.5, 0.5)
    assert verdict.reason == "truth: half; style: no"
    verdict = weighted(parts, weights, threshold=0.5)("")
    assert (verdict.correct, verdict.score, verdict.parts["mean"]) == (True, 1.0, 0.5)
    assert weighted(parts)("").score == 0.5, "all alike"
    tiny = weighted({"a": says(RIGHT), "b": says(WRONG)}, {"a": 1.0, "b": 1e-30})("")
    assert not tiny.correct and tiny.score < 1.0, "1 is reached by 1 alone"


@pytest.mark.parametrize(("weights", "threshold"), [((0.1, 0.2, 0.7), 0.3), ((1, 1, 8), 0.2), ((1, 8, 1), 0.9)])
def test_decimal_weights_add_up_as_they_are_written(weights, threshold):
    verdicts = dict(zip("abc", (RIGHT, RIGHT, WRONG), strict=True))
    assert weigh(verdicts, dict(zip("abc", weights, strict=True)), threshold).correct
    assert not weigh(verdicts, dict(zip("abc", weights, strict=True)), math.nextafter(threshold, 1)).correct


def test_an_open_part_that_cannot_tip_the_mean_is_no_matter():
    weights = {"a": 8.0, "b": 1.0, "c": 1.0}
    assert weigh({"a": RIGHT, "b": OPEN, "c": WRONG}, weights, 0.8).correct
    assert weigh({"a": RIGHT, "b": OPEN, "c": WRONG}, weights, 0.85).undecided
    verdict = weigh({"a": RIGHT, "b": OPEN, "c": WRONG}, weights, 0.95)
    assert (verdict.correct, verdict.undecided, verdict.score) == (False, False, 0.8)


def test_a_gate():
    runs = []

    def rest(text):
        runs.append(text)
        return HALF._replace(parts={"a": 0.5})

    verdict = gated(says(right("g", {"k": 1.0})), rest, names=("form", "answer"))("t")
    assert verdict == HALF._replace(parts={"form": 1.0, "form/k": 1.0, "answer": 0.5, "answer/a": 0.5})
    assert runs == ["t"]
    for gate in (HALF, WRONG, OPEN):
        shut = gated(says(gate), rest)("t")
        assert (shut.correct, shut.score, shut.undecided) == (False, 0.0, gate.undecided)
        assert set(shut.parts) <= {"gate", "gate/undecided"}
    assert runs == ["t"], "the rest does not run before a shut gate"


def test_names_are_joined_by_slashes():
    inner = any_of({"paris": partial(verify_exact, gold="Paris"), "b": partial(verify_choice, gold="B")})
    verdict = all_of({"answer": inner, "list": all_of([says(RIGHT), says(HALF)])})("paris")
    assert verdict.parts == {
        "answer": 1.0, "answer/paris": 1.0, "answer/b": 0.0, "list": 0.5, "list/0": 1.0, "list/1": 0.5,
    }  # fmt: skip
    assert verdict.reason == "list: 1: half"


def test_combinations_can_be_pickled():
    verify = all_of({"p": partial(verify_exact, gold="Paris"), "q": partial(verify_exact, gold="Paris")})
    both = weighted({"all": verify, "gate": gated(verify, verify)}, threshold=0.5)
    assert pickle.loads(pickle.dumps(both))("paris") == both("paris")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: all_of([]), "at least one"),
        (lambda: any_of({}), "at least one"),
        (lambda: product({"a/b": says(RIGHT)}), "'a/b'"),
        (lambda: all_of({"": says(RIGHT)}), "''"),
        (lambda: weighted({"mean": says(RIGHT)}), "'mean'"),
        (lambda: weighted({"a": says(RIGHT)}, {"b": 1}), r"\['b'\]"),
        (lambda: weighted({"a": says(RIGHT)}, {"a": 0}), "a=0"),
        (lambda: weighted({"a": says(RIGHT)}, {"a": math.nan}), "a=nan"),
        (lambda: weighted({"a": says(RIGHT)}, threshold=0), "threshold is 0"),
        (lambda: weighted({"a": says(RIGHT)}, threshold=1.1), "threshold is 1.1"),
        (lambda: gated(says(RIGHT), says(RIGHT), names=("a", "a")), "different"),
    ],
)
def test_bad_combinations(make, match):
    with pytest.raises(ValueError, match=match):
        make()


@pytest.mark.parametrize(
    "broken",
    [Verdict(True, "", 0.9), Verdict(False, "", 1.0), Verdict(False, "", math.nan), Verdict(False, "", -0.1),
     Verdict(True, "", 1.0, "x", None, True)],
)  # fmt: skip
def test_a_verifier_that_breaks_the_contract_is_named(broken):
    with pytest.raises(ValueError, match="the verifier 'bad' gave"):
        all_of({"good": says(RIGHT), "bad": says(broken)})("")
    with pytest.raises(ValueError, match="the verifier 'gate' gave"):
        gated(says(broken), says(RIGHT))("")


def test_over_verdicts_it_is_the_same():
    assert conjoin({"a": RIGHT, "b": HALF}) == all_of({"a": says(RIGHT), "b": says(HALF)})("")


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(turnwise.verifiers.combine).failed == 0
