"""The SAT verifier against brute force of another kind."""

import doctest
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.logic.sat
from tests._work import at_most
from turnwise.verifiers.logic.sat import (
    Formula,
    FormulaError,
    canonical,
    count_models,
    dimacs_text,
    letters_text,
    models,
    parse_bits,
    parse_dimacs,
    parse_letters,
    parse_literals,
    read_saturn,
    verify_assignment,
    violated,
)


@st.composite
def formulas(draw, max_vars=7):
    k = draw(st.integers(1, max_vars))
    clause = st.lists(st.integers(1, k), min_size=1, max_size=k, unique=True).flatmap(
        lambda vs: st.tuples(*(st.sampled_from([v, -v]) for v in vs))
    )
    return Formula(k, tuple(draw(st.lists(clause, min_size=1, max_size=12))))


def brute_force(formula):
    """The models, by a truth table of plain Python."""
    found = set()
    for values in itertools.product([False, True], repeat=formula.num_vars):
        if all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in formula.clauses):
            found.add("".join("01"[v] for v in values))
    return found


@given(formulas())
def test_models_and_their_number_are_those_of_brute_force(formula):
    found = list(models(formula))
    assert len(found) == len(set(found)) == count_models(formula)
    assert set(found) == brute_force(formula)


@given(formulas(), st.data())
def test_an_assignment_is_right_exactly_when_it_is_a_model(formula, data):
    bits = "".join(data.draw(st.lists(st.sampled_from("01"), min_size=formula.num_vars, max_size=formula.num_vars)))
    good = bits in brute_force(formula)
    literals = " ".join(str(v if b == "1" else -v) for v, b in enumerate(bits, 1))
    assert verify_assignment(bits, formula).correct == good == (not violated(formula, bits))
    assert verify_assignment(f"v {literals} 0", formula, literals=True).correct == good
    assert verify_assignment(bits, formula).value == bits


@given(formulas())
def test_formulas_survive_both_formats(formula):
    assert parse_letters(letters_text(formula), formula.num_vars) == formula
    assert parse_dimacs(dimacs_text(formula)) == formula


@given(formulas(), st.randoms(use_true_random=False))
@pytest.mark.slow
def test_the_canonical_form_forgets_order_and_nothing_else(formula, random):
    clauses = [tuple(random.sample(c, len(c))) for c in formula.clauses]
    random.shuffle(clauses)
    assert canonical(Formula(formula.num_vars, tuple(clauses))) == canonical(formula)
    flipped = (tuple(-x for x in formula.clauses[0]), *formula.clauses[1:])
    assert (canonical(Formula(formula.num_vars, flipped)) == canonical(formula)) == (
        sorted(tuple(sorted(c, key=abs)) for c in flipped) == sorted(tuple(sorted(c, key=abs)) for c in formula.clauses)
    )


def test_twenty_variables_are_counted_exactly_and_soon():
    pairs = Formula(20, tuple((2 * i + 1, 2 * i + 2) for i in range(10)))
    with at_most(millions=40):
        assert count_models(pairs) == 3**10
    with pytest.raises(FormulaError, match="21 variables"):
        count_models(Formula(21, ((1,),)))


@pytest.mark.parametrize(
    "text", ["0110", "011", "", "01 10", "0110 1", "0x101", "0112", "11111 ", "٠١١٠١", "10110\n1", "[1,0,1,1,0]"]
)
def test_bits_are_exactly_k_characters(text):
    assert parse_bits(text, 5) == ("11111" if text.strip() == "11111" else None)


@pytest.mark.parametrize("text", ["v 1 -2 3 0", "1 -2 3", "3 -2 1 0", "v 1 -2\nv 3 0", "  v  1 -2   3  0\n"])
def test_literals_are_read_in_any_order(text):
    assert parse_literals(text, 3) == "101"


@pytest.mark.parametrize(
    "text",
    ["1 -2", "1 -2 3 4", "1 -1 3", "1 -2 3 -3", "1 1 -2 3", "0 1 -2 3", "1 -2 3 0 0", "v v 1 -2 3", "1,-2,3", "",
     "v", "+1 -2 3", "1 -2 3.0", "1 -2 99999999999999999999", "101", "1 0 -2 3 0", "1 " * 10_000],
)  # fmt: skip
def test_lists_with_missing_extra_or_odd_literals_are_refused(text):
    assert parse_literals(text, 3) is None


@pytest.mark.parametrize("text", ["", "A &", "A && B", "A B", "a", "AD", "A!!B", "AA", "A!A", "!", "A|B", "Ä"])
def test_bad_letters_raise(text):
    with pytest.raises(FormulaError):
        parse_letters(text, 3)


@pytest.mark.parametrize(
    "text",
    ["", "1 2 0", "p cnf 2 1\n1 2", "p cnf 2 2\n1 2 0", "p cnf 2 1\n1 3 0", "p cnf 2 1\n1 x 0", "p cnf 2 1\n0",
     "p cnf 2 1\n1 -1 0", "p cnf 0 0", "p cnf 99999999999 1\n1 0", "p sat 2 1\n1 0"],
)  # fmt: skip
def test_bad_dimacs_raises(text):
    with pytest.raises(FormulaError):
        parse_dimacs(text)


def test_a_clause_may_span_lines_in_dimacs():
    assert parse_dimacs("c x\np cnf 3 2\n1\n-2 0 3\n0\n").clauses == ((1, -2), (3,))


ROW = {"n_sat": 2, "k": 3, "clause": "A!B & BC", "solution": "101"}


@pytest.mark.parametrize(
    "change",
    [{"n_sat": 3}, {"k": 2}, {"k": 4}, {"k": "3"}, {"k": True}, {"clause": None}, {"clause": "A!B &"},
     {"solution": "010"}, {"solution": "10"}, {"solution": "1011"}, {"solution": 101}],
)  # fmt: skip
def test_a_row_that_is_wrong_anywhere_raises(change):
    assert read_saturn(ROW)[1] == "101"
    with pytest.raises(FormulaError):
        read_saturn(ROW | change)


def test_what_is_violated_is_named_but_not_all_of_it():
    verdict = verify_assignment("000", parse_letters("AB & AC & BC & A!B & ABC", 3))
    assert verdict.reason == "4 of 5 clauses are not satisfied: AB, AC, BC, ..."
    assert "AB" not in verify_assignment("0", parse_letters("AB", 2)).reason


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(turnwise.verifiers.logic.sat).failed == 0
