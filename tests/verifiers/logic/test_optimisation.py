"""MaxSAT, cores, counts and lists of models against brute force."""

import doctest
import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.logic.optimisation
from tests._work import at_most
from turnwise.verifiers.logic.optimisation import (
    maxsat_optimum,
    verify_core,
    verify_maxsat,
    verify_model_count,
    verify_models,
)
from turnwise.verifiers.logic.sat import Formula, FormulaError


@st.composite
def formulas(draw, max_vars=5, max_clauses=9):
    k = draw(st.integers(1, max_vars))
    clause = st.lists(st.integers(1, k), min_size=1, max_size=3, unique=True).flatmap(
        lambda vs: st.tuples(*(st.sampled_from([v, -v]) for v in vs))
    )
    return Formula(k, tuple(draw(st.lists(clause, min_size=1, max_size=max_clauses))))


def assignments(k):
    return ["".join(bits) for bits in itertools.product("01", repeat=k)]


def true_clauses(formula, bits):
    return [any((bits[abs(x) - 1] == "1") == (x > 0) for x in clause) for clause in formula.clauses]


def brute_models(clauses, k):
    return [bits for bits in assignments(k) if all(true_clauses(Formula(k, tuple(clauses)), bits))]


# ---- MaxSAT -------------------------------------------------------------------------------------------------------


@settings(max_examples=70)
@given(formulas(), st.data())
def test_maxsat_against_all_assignments(formula, data):
    m = len(formula.clauses)
    weights = data.draw(st.lists(st.one_of(st.none(), st.integers(1, 9)), min_size=m, max_size=m))
    worth = {}
    for bits in assignments(formula.num_vars):
        kept = true_clauses(formula, bits)
        if all(k for k, w in zip(kept, weights, strict=True) if w is None):
            worth[bits] = sum(w for k, w in zip(kept, weights, strict=True) if k and w is not None)
    best = max(worth.values(), default=None)
    assert maxsat_optimum(formula, weights) == best
    target = data.draw(st.integers(0, 30)) if best is None else data.draw(st.sampled_from([best, best // 2, best + 1]))
    for bits in assignments(formula.num_vars):
        verdict = verify_maxsat(bits, formula, target, weights=weights, partial=True)
        assert verdict.correct == (worth.get(bits, -1) >= target)
        if not verdict.correct and bits in worth:
            assert verdict.score == pytest.approx(worth[bits] / target) and verdict.score < 1
        if bits not in worth:
            assert verdict.score == 0 and "must hold" in verdict.reason


def test_maxsat_without_weights_with_a_floor_and_as_literals():
    formula = Formula(2, ((1, 2), (1, -2), (-1, 2), (-1, -2)))
    assert maxsat_optimum(formula) == 3
    for bits in assignments(2):
        assert verify_maxsat(bits, formula, 3).correct
        assert verify_maxsat(bits, formula, 4).score == 0
        assert verify_maxsat(bits, formula, 4, partial=True).score == 0.75
        assert verify_maxsat(bits, formula, 4, partial=True, floor=2).score == 0.5
        assert verify_maxsat(bits, formula, 4, partial=True, floor=3).score == 0
        assert verify_maxsat(bits, formula, 4, partial=True, floor=9).score == 0
        assert verify_maxsat(bits, formula, 4).parts == {"weight": 3, "target": 4}
    assert verify_maxsat("v 1 -2 0", formula, 3, literals=True).correct


@pytest.mark.parametrize("text", ["", "0", "012", "01 or 10", "2 3", "1 -1", "01\n10", "٠١", "01" * 50_000])
def test_what_is_no_assignment(text):
    for literals in (False, True):
        verdict = verify_maxsat(text, Formula(2, ((1, 2),)), 0, literals=literals)
        assert not verdict.correct and not verdict.readable


def test_weights_that_do_not_fit_are_errors():
    for weights in ((1,), (1, 0), (1, -1), (1, 1, 1)):
        with pytest.raises(FormulaError, match="weights"):
            verify_maxsat("1", Formula(1, ((1,), (-1,))), 1, weights=weights)
    with pytest.raises(FormulaError, match="21 variables"):
        maxsat_optimum(Formula(21, ((1,),)))


# ---- cores --------------------------------------------------------------------------------------------------------


@settings(max_examples=70)
@given(formulas(max_vars=3, max_clauses=8), st.data())
def test_cores_against_all_assignments(formula, data):
    m, k = len(formula.clauses), formula.num_vars
    numbers = data.draw(st.lists(st.integers(1, m), min_size=1, max_size=m, unique=True))
    chosen = [formula.clauses[i - 1] for i in numbers]
    core = not brute_models(chosen, k)
    minimal = core and all(brute_models(chosen[:i] + chosen[i + 1 :], k) for i in range(len(chosen)))
    text = ", ".join(map(str, numbers))
    assert verify_core(text, formula).correct == core
    assert verify_core(text, formula, minimal=True).correct == minimal
    assert verify_core(text, formula, max_size=len(numbers) - 1).correct is False
    assert verify_core(text, formula, max_size=len(numbers)).correct == core


@pytest.mark.parametrize("text", ["1 2", "1,2", "{2, 1}", "[1, 2]", "Clauses: 1, 2", "clauses 1 2", "1\n2", "(1; 2)"])
def test_spellings_of_a_core(text):
    assert verify_core(text, Formula(2, ((1,), (-1,), (2,))), minimal=True).correct


@pytest.mark.parametrize(
    "text", ["", "1", "1 1", "1 2 2", "0 1 2", "1 2 4", "1 -2", "1 2 or 3", "1-2", "1..2", "all", "1 3", "9" * 50,
        "١ ٢",
             "clauses", "1 2 " * 25_000]
)  # fmt: skip
def test_what_is_no_core(text):
    assert not verify_core(text, Formula(2, ((1,), (-1,), (2,)))).correct


def test_past_the_limit_a_core_is_undecided():
    rng = random.Random(2)
    clauses = tuple(tuple(v * rng.choice((1, -1)) for v in rng.sample(range(1, 121), 3)) for _ in range(560))
    formula, text = Formula(120, clauses), " ".join(map(str, range(1, 561)))
    assert verify_core(text, formula, limit=2_000).undecided
    with at_most(millions=40):
        assert not verify_core(text, formula, minimal=True).correct
    assert verify_core(text, formula, limit=10**7).correct


# ---- counts and lists ---------------------------------------------------------------------------------------------


@settings(max_examples=70)
@given(formulas())
def test_counts_and_lists_against_all_assignments(formula):
    found = brute_models(formula.clauses, formula.num_vars)
    assert verify_model_count(str(len(found)), formula).correct
    assert not verify_model_count(str(len(found) + 1), formula).correct
    text = ", ".join(found) or "none"
    assert verify_models(text, formula).correct
    assert verify_models(text, formula).parts == {"share": 1}
    assert verify_models("[" + "; ".join(reversed(found)) + "]", formula).correct
    assert verify_models("none", formula).correct == (not found)
    if found:
        assert not verify_models("\n".join(found[1:]) or "none", formula).correct
        assert "twice" in verify_models("\n".join([*found, found[0]]), formula).reason
        fewer = verify_models("\n".join(found[1:]) or "none", formula, partial=True)
        assert fewer.score == pytest.approx(1 - 1 / len(found))
    if others := sorted(set(assignments(formula.num_vars)) - set(found)):
        more = verify_models("\n".join([*found, others[0]]), formula, partial=True)
        assert not more.correct and more.score == pytest.approx(len(found) / (len(found) + 1))
        assert verify_models("\n".join([*found, others[0]]), formula).score == 0


@pytest.mark.parametrize("text", ["", "two", "2 or 3", "2, 3", "2!", "-2", "1e0", "9" * 5000, "2 models"])
def test_what_is_no_count(text):
    assert not verify_model_count(text, Formula(2, ((1,),))).correct


def test_a_count_may_be_given_for_large_formulas():
    large = Formula(40, ((1,),))
    assert verify_model_count(str(2**39), large, 2**39).correct
    with pytest.raises(FormulaError, match="40 variables"):
        verify_model_count("1", large)
    with pytest.raises(FormulaError, match="40 variables"):
        verify_models("none", large)


@pytest.mark.parametrize(
    "text", ["", "1", "100", "10 or 11", "10, 1x", "all", "10-11", "10, 11, 12", "10 11 " * 20_000]
)
def test_what_is_no_list_of_models(text):
    with at_most(millions=4):
        assert not verify_models(text, Formula(2, ((1,),))).correct


@settings(max_examples=70)
@given(st.text(alphabet="01, {}[]-None\n\"'1٣", max_size=40))
def test_any_text_has_a_verdict(text):
    formula = Formula(2, ((1, 2), (-1, -2)))
    for verdict in (verify_core(text, formula), verify_models(text, formula), verify_model_count(text, formula)):
        assert verdict.correct == (verdict.score == 1)


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(turnwise.verifiers.logic.optimisation).failed == 0
