"""Proofs of unsatisfiability: solvers' proofs, altered ones, and a slow checker of another kind beside ours."""

import doctest
import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.logic.cdcl
import turnwise.verifiers.logic.proofs
from tests._work import at_most
from turnwise.verifiers.logic.cdcl import OutOfSteps, Propagator, Steps, solve
from turnwise.verifiers.logic.proofs import MAX_CHARS, MAX_LINES, MAX_STEPS, default_limit, verify_unsat
from turnwise.verifiers.logic.sat import Formula, FormulaError, clause_letters, count_models, violated

SOLVERS = ("cadical153", "glucose4", "lingeling")
EMPTY_TWO = Formula(2, ((1, 2), (1, -2), (-1, 2), (-1, -2)))


def random_formula(rng, n, num):
    return Formula(n, tuple(tuple(v * rng.choice((1, -1)) for v in rng.sample(range(1, n + 1), 3)) for _ in range(num)))


def pigeons(holes):
    """One pigeon more than there are holes."""
    at = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    clauses = [tuple(row) for row in at]
    clauses += [(-a[h], -b[h]) for a, b in itertools.combinations(at, 2) for h in range(holes)]
    return Formula(holes * (holes + 1), tuple(clauses))


def solver_proof(formula, name):
    """The lines of a solver's proof, or None where the formula has a solution."""
    solvers = pytest.importorskip("pysat.solvers", reason="needs python-sat")
    with solvers.Solver(name=name, bootstrap_with=[list(c) for c in formula.clauses], with_proof=True) as solver:
        return None if solver.solve() else solver.get_proof()


# ---- a checker that is slow and plain -----------------------------------------------------------------------------


def propagated(clauses, false):
    """Whether clauses (sets) and falsified literals lead to a conflict; else the false literals in the end."""
    false = set(false)
    if any(-x in false for x in false):
        return True
    while True:
        new = set()
        for clause in clauses:
            left = clause - false
            if not left:
                return True
            if len(left) == 1:
                (x,) = left
                if -x not in false:
                    new.add(-x)
        if not new:
            return false
        false |= new
        if any(-x in false for x in false):
            return True


def implied(clauses, lemma, rat=False):
    if propagated(clauses, lemma) is True:
        return True
    if not rat or not lemma:
        return False
    others = [clause for clause in clauses if -lemma[0] in clause]
    return all(propagated(clauses, {*lemma, *(clause - {-lemma[0]})}) is True for clause in others)


def naive_check(lines, formula, rat=False):
    """Whether the proof is right, by definition; without deletions."""
    clauses = [set(clause) for clause in formula.clauses]
    for line in lines:
        if propagated(clauses, ()) is True:
            return True
        if line.startswith("d"):
            continue
        lemma = [int(x) for x in line.split()[:-1]]
        if not implied(clauses, lemma, rat):
            return False
        clauses.append(set(lemma))
    return propagated(clauses, ()) is True


def lrat_of(lines, formula):
    """The lemmas of a proof with the hints that a plain propagation finds."""
    clauses = dict(enumerate(map(set, formula.clauses), 1))
    number, out = len(clauses), []
    for line in lines:
        if line.startswith("d"):
            continue
        lemma = [int(x) for x in line.split()[:-1]]
        false, hints, conflict = set(lemma), [], False
        while not conflict:
            progress = False
            for i, clause in clauses.items():
                left = clause - false
                if len(left) > 1 or (left and -next(iter(left)) in false):
                    continue
                hints.append(i)
                progress = True
                if not left:
                    conflict = True
                    break
                false.add(-left.pop())
            assert progress, "not a RUP proof"
        number += 1
        out.append(" ".join(map(str, [number, *lemma, 0, *hints, 0])))
        clauses[number] = set(lemma)
        if not lemma:
            break
    return out


def altered(lines, formula, rng):
    """The proof with a single literal of a single lemma flipped so that the slow checker refuses it, or None."""
    clauses = [set(clause) for clause in formula.clauses]
    places = [i for i, line in enumerate(lines) if not line.startswith("d") and line != "0"]
    rng.shuffle(places)
    for place in places[:40]:
        lemma = lines[place].split()[:-1]
        before = [{int(x) for x in line.split()[:-1]} for line in lines[:place] if not line.startswith("d")]
        if propagated(clauses + before, ()) is True:
            continue  # already refuted: everything follows
        for k in rng.sample(range(len(lemma)), len(lemma)):
            flipped = [str(-int(x)) if i == k else x for i, x in enumerate(lemma)]
            if not implied(clauses + before, [int(x) for x in flipped], rat=True):
                return [*lines[:place], " ".join([*flipped, "0"]), *lines[place + 1 :]]
    return None


# ---- the two hundred ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_200_solver_proofs_are_accepted_and_refused_with_one_lemma_altered():
    rng = random.Random(20)
    done = dict.fromkeys(SOLVERS, 0)
    for name in itertools.cycle(SOLVERS):
        if sum(done.values()) == 200:
            break
        n = rng.randrange(20, 41)
        formula = random_formula(rng, n, int(5.5 * n))
        lines = solver_proof(formula, name)
        bad = altered(lines, formula, rng) if lines else None
        if bad is None:
            continue
        done[name] += 1
        assert verify_unsat("\n".join(lines), formula).correct
        assert verify_unsat("\n".join(lines), formula, form="drat").correct
        for form in ("rup", "drat"):
            verdict = verify_unsat("\n".join(bad), formula, form=form)
            assert not verdict.correct and not verdict.undecided and "does not follow" in verdict.reason
    assert min(done.values()) > 60, done


def test_altered_and_shortened_proofs_get_the_slow_checkers_verdict():
    rng, seen = random.Random(3), []
    while len(seen) < 150:
        n = rng.randrange(8, 21)
        formula = random_formula(rng, n, rng.randrange(5 * n, 7 * n))
        lines = solver_proof(formula, rng.choice(SOLVERS))
        if not lines:
            continue
        kind = rng.randrange(4)
        place = rng.randrange(len(lines))
        if kind == 0:
            lines = lines[:place] + lines[place + 1 :]
        elif kind == 1:
            lines = lines[:place]
        elif kind == 2:
            rng.shuffle(lines)
        elif not lines[place].startswith("d") and lines[place] != "0":
            lemma = lines[place].split()
            k = rng.randrange(len(lemma) - 1)
            lines = [*lines[:place], " ".join([*lemma[:k], *lemma[k + 1 :]]), *lines[place + 1 :]]
        expected = naive_check(lines, formula) and any(not line.startswith("d") for line in lines)
        assert verify_unsat("\n".join(lines), formula).correct == expected, (formula, lines)
        seen.append(expected)
    assert 20 < sum(seen) < 130


# ---- soundness ----------------------------------------------------------------------------------------------------


@st.composite
def small_formulas(draw):
    k = draw(st.integers(1, 4))
    literal = st.integers(1, k).flatmap(lambda v: st.sampled_from([v, -v]))
    clauses = draw(st.lists(st.lists(literal, min_size=1, max_size=3).map(tuple), min_size=1, max_size=10))
    return Formula(k, tuple(clauses))


def lemmas(k):
    literal = st.integers(1, k).flatmap(lambda v: st.sampled_from([v, -v]))
    return st.lists(st.lists(literal, max_size=3), min_size=1, max_size=10)


@settings(max_examples=150)
@given(small_formulas(), st.data())
def test_no_proof_of_a_satisfiable_formula_and_the_slow_checker_agrees(formula, data):
    proof = data.draw(lemmas(formula.num_vars + 1))
    lines = [" ".join(map(str, [*lemma, 0])) for lemma in proof]
    satisfiable = count_models(formula) > 0
    for form in ("rup", "drat"):
        verdict = verify_unsat("\n".join(lines), formula, form=form)
        assert not (verdict.correct and satisfiable)
        assert verdict.correct == naive_check(lines, formula, rat=form == "drat")
    marks = data.draw(st.lists(st.sampled_from(["", "d "]), min_size=len(lines), max_size=len(lines)))
    own = [" ".join(map(str, [*c, 0])) for c in formula.clauses]
    mixed = [mark + line for mark, line in zip(marks, lines, strict=True)]
    mixed += ["d " + line for line in data.draw(st.permutations(own))[:3]] + lines
    assert not (verify_unsat("\n".join(mixed), formula, form="drat").correct and satisfiable)
    assert not (verify_unsat("\n".join(mixed), formula).correct and satisfiable)


@settings(max_examples=150)
@given(small_formulas(), st.data())
@pytest.mark.slow
def test_no_lrat_proof_of_a_satisfiable_formula(formula, data):
    m = len(formula.clauses)
    lines = []
    for i, lemma in enumerate(data.draw(lemmas(formula.num_vars + 1)), m + 1):
        hints = data.draw(st.lists(st.integers(1, i).flatmap(lambda x: st.sampled_from([x, -x])), max_size=6))
        lines.append(" ".join(map(str, [i, *lemma, 0, *hints, 0])))
        if data.draw(st.booleans()):
            lines.append(f"{i} d {data.draw(st.integers(1, i))} 0")
    lines.append(" ".join(map(str, [m + 50, 0, *range(1, m + 11), 0])))
    assert not (verify_unsat("\n".join(lines), formula, form="lrat").correct and count_models(formula))


def test_proofs_of_formulas_with_a_solution_are_refused():
    rng, tried = random.Random(8), 0
    while tried < 40:
        formula = random_formula(rng, 15, 75)
        lines = solver_proof(formula, "cadical153")
        if not lines:
            continue
        drop = next((i for i in range(75) if solve(without(formula, i), Steps(10**6)) is not None), None)
        if drop is None:
            continue
        tried += 1
        for text in ("\n".join(lines), "0", "\n".join(map(str, range(1, 16))) + "\n0", "A;B;C;0"):
            for form in ("rup", "drat"):
                assert not verify_unsat(text, without(formula, drop), form=form).correct


def without(formula, i):
    return Formula(formula.num_vars, formula.clauses[:i] + formula.clauses[i + 1 :])


@settings(max_examples=150)
@given(small_formulas(), st.data())
def test_deletions_in_rup_change_no_verdict(formula, data):
    proof = [" ".join(map(str, [*lemma, 0])) for lemma in data.draw(lemmas(formula.num_vars))]
    own = [" ".join(map(str, [*c, 0])) for c in formula.clauses]
    gone = data.draw(st.lists(st.tuples(st.integers(0, len(proof)), st.sampled_from(own + proof)), max_size=12))
    mixed = list(proof)
    for place, clause in sorted(gone, reverse=True):
        mixed.insert(place, f"d {clause}")
    assert verify_unsat("\n".join(mixed), formula).correct == naive_check(mixed, formula)
    assert (
        verify_unsat("\n".join(mixed), formula).reason.split(",")[1:]
        == (verify_unsat("\n".join(proof), formula).reason.split(",")[1:])
    )


def test_solver_proofs_that_delete_what_they_need_are_right_as_rup():
    rng, seen = random.Random(4), 0
    while seen < 20:
        formula = random_formula(rng, 25, 140)
        lines = solver_proof(formula, SOLVERS[seen % 3])
        if not lines:
            continue
        seen += 1
        lemmas = [line for line in lines if not line.startswith("d")]
        own = [" ".join(map(str, [*clause, 0])) for clause in formula.clauses]
        deleted = []
        for lemma in lemmas:
            deleted += [f"d {clause}" for clause in rng.sample(own, 20)] + [lemma]
            own.append(lemma)
        assert verify_unsat("\n".join(deleted), formula).correct
        assert not verify_unsat("\n".join(deleted), formula, form="drat").correct
        bad = altered(lemmas, formula, rng)
        if bad is not None:
            wrong = [line for line in deleted if line.startswith("d")] + bad
            assert "does not follow" in verify_unsat("\n".join(wrong), formula).reason


def test_deleted_clauses_are_forgotten_where_they_are_watched():
    state = Propagator(40, Steps(10**6))
    clauses = [state.add((1, k, k + 1)) for k in range(2, 38)]
    assert len(state.watches[1]) == 36 and all(map(state.delete, clauses[:30]))
    state.assume_false((1,))
    assert sum(map(len, state.watches[1])) < 40 and all(clause[0] for clause in state.watches[1])


def test_a_true_literals_reason_cannot_be_deleted_to_make_its_negation_rat():
    formula = Formula(2, ((1,), (1, 2)))
    for text in ("d 1 0\nd 1 2 0\n-1 0\n0", "d 1 0\n-1 0\n0", "d 1 2 0\n-1 0\n0"):
        assert not verify_unsat(text, formula, form="drat").correct
    assert not verify_unsat("3 d 1 2 0\n3 -1 0 0\n4 0 3 1 0", formula, form="lrat").correct


# ---- forms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["1 0\n0", "1\n0", "c a proof\n1 0\n\n0\n", "A", "A\n⊥", "A; 0", "!B\nB", "A ∨ ¬B\nA\n0", "A v ~B; A; []",
             "d 1 2 0\n1 0\n0", "1 1 0\n0", "1 -1 0\n2 0\n0", "5 -1 0\n1 0\n0", "1 3 0\n-3 1 0\n1 0\n0"]
)  # fmt: skip
def test_what_is_read_as_plain_rup(text):
    assert verify_unsat(text, EMPTY_TWO).correct


@pytest.mark.parametrize(
    "text", ["", "  \n", "c 1 0", "0", "⊥", "1 0 0", "1 0 2 0\n0", "1, 0\n0", "A or B; A", "x", "UNSAT", "d 1 0", "d",
             "1e0\n0", "１ 0\n0", "--1 0\n0", "1 99999999999999999999 0\n0", "1 20000 0\n0", "a", "A\nso it is",
             "3 0\n0",
             "!", "01 0\n0", "-0"]
)  # fmt: skip
def test_what_is_not_or_proves_nothing(text):
    verdict = verify_unsat(text, EMPTY_TWO)
    assert not verdict.correct and verdict.reason and not verdict.undecided


def test_letters_are_literals():
    rng, seen = random.Random(5), 0
    while seen < 20:
        formula = random_formula(rng, 12, 80)
        lines = solver_proof(formula, "glucose4")
        if lines:
            seen += 1
            proof = [tuple(map(int, line.split()[:-1])) for line in lines if not line.startswith("d")]
            assert verify_unsat("\n".join(clause_letters(c) or "0" for c in proof), formula).correct


def test_rat_and_deletions_need_drat():
    formula = Formula(3, tuple(itertools.product((1, -1), (2, -2), (3, -3))))
    defined = "4 -1 0\n4 -2 0\n-4 1 2 0\n1 2 0\n1 0\n2 0\n0"  # 4 stands for (1 or 2); a definition is RAT, not RUP
    assert verify_unsat(defined, formula, form="drat").correct
    assert not verify_unsat(defined, formula).correct
    swapped = "-1 4 0\n0"  # the pivot is the first literal
    satisfiable = Formula(4, ((1, 2), (-4, 1)))
    assert "does not follow" in verify_unsat(swapped, satisfiable, form="drat").reason
    assert "empty clause" in verify_unsat("4 -1 0", satisfiable, form="drat").reason
    assert not verify_unsat("d 1 2 0\nd 1 -2 0\n1 0\n0", EMPTY_TWO, form="drat").correct
    assert verify_unsat("d 1 2 0\nd 1 -2 0\n1 0\n0", EMPTY_TWO).correct
    assert not verify_unsat("1\n0", EMPTY_TWO, form="drat").correct


def test_lrat_of_solver_proofs():
    rng, seen = random.Random(6), 0
    while seen < 30:
        formula = random_formula(rng, 20, 110)
        lines = solver_proof(formula, SOLVERS[seen % 3])
        if not lines:
            continue
        seen += 1
        lrat = lrat_of(lines, formula)
        assert verify_unsat("\n".join(lrat), formula, form="lrat").correct
        assert not verify_unsat("\n".join(lrat[:-1]), formula, form="lrat").correct
        fields = lrat[-1].split()
        fewer = " ".join([*fields[:-2], "0"])
        assert not verify_unsat("\n".join([*lrat[:-1], fewer]), formula, form="lrat").correct
        gone = f"{fields[0]} d {fields[-2]} 0"
        assert "is not a clause" in verify_unsat("\n".join([*lrat[:-1], gone, lrat[-1]]), formula, form="lrat").reason


@pytest.mark.parametrize(
    ("text", "why"),
    [("5 1 0 1 2 0\n6 0 5 3 4 0", ""), ("5 1 0 1 2 0\n6 0 5 4 3 0", ""), ("5 1 0 1 2 0\n6 0 3 4 5 0", "forces nothing"),
     ("5 1 0 1 0\n6 0 5 3 4 0", "say nothing of clause 3"), ("4 1 0 1 2 0\n6 0 5 3 4 0", "above 4"),
     ("5 1 0 1 2 0\n5 d 9 0", "not there"), ("5 1 0 1 2 0", "not among"), ("5 1 0 1 2\n6 0 5 3 4 0", "ID literals"),
     ("5 1 0", "needs a 0"), ("x 1 0 1 2 0", "ID literals"), ("5 3 -1 0 0\n6 3 -2 0 0\n7 1 0 1 2 0\n8 0 7 3 4 0", ""),
     ("5 3 0 0\n6 -3 0 -5 0", "no conflict"), ("5 1 0 9 0", "not a clause"), ("5 0 0", "no conflict")]
)  # fmt: skip
def test_lrat_line_by_line(text, why):
    verdict = verify_unsat(text, EMPTY_TWO, form="lrat")
    assert verdict.correct == (not why) and why in verdict.reason, verdict.reason


def test_pigeons():
    for holes in (3, 4, 5):
        lines = solver_proof(pigeons(holes), "cadical153")
        assert verify_unsat("\n".join(lines), pigeons(holes)).correct
        assert not verify_unsat("\n".join(lines[: len(lines) // 3]), pigeons(holes)).correct
        assert not verify_unsat("0", pigeons(holes)).correct


def test_formulas_and_forms_that_make_no_sense_are_errors():
    with pytest.raises(FormulaError, match="clause 1"):
        verify_unsat("0", Formula(1, ((2,),)))
    with pytest.raises(ValueError, match="veripb"):
        verify_unsat("0", EMPTY_TWO, form="veripb")
    assert verify_unsat("0", Formula(1, ((),))).correct
    assert not verify_unsat("0", Formula(1, ((1, -1),))).correct


# ---- bounds -------------------------------------------------------------------------------------------------------


def wide(n):
    """A formula that leaves much to propagate, with a solution."""
    return Formula(n, tuple((-v, v + 1) for v in range(1, n)))


HOSTILE = {
    "zeros": "0\n" * 50_000, "huge": "1" * 100_000, "numbers": "999999999 " * 10_000, "units": "1 0\n" * 25_000,
    "chains": "-2000 1 0\n" * 10_000, "deletions": "d 1 2 0\n" * 12_500, "semicolons": ";" * 100_000,
    "long": " ".join(str(-v) for v in range(2, 10_000)) + " 1 0\n0", "letters": "A!B" * 33_000, "bars": "|" * 100_000,
    "new": "\n".join(f"{v} 0" for v in range(2001, 12_000)), "lrat": "2001 1 0 " + "1 " * 49_000 + "0",
    "back": "\n".join(f"{2000 + i} 0 " + " ".join(map(str, range(1999, 0, -1))) + " 0" for i in range(10)),
    "wide": "\n".join(" ".join(str(v) for v in range(i, 2000, 40)) + " 0" for i in range(1, 400)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", ["rup", "drat", "lrat"])
def test_hostile_texts_are_refused_soon(name, form):
    text = HOSTILE[name][:100_000]
    for formula in (wide(2000), wide(26)):
        with at_most(millions=20):  # some 0.1 s alone
            assert not verify_unsat(text, formula, form=form).correct


def test_what_is_too_long_is_not_read_and_a_megabyte_takes_a_moment():
    verdict = verify_unsat("0\n" * MAX_CHARS, EMPTY_TWO)
    assert verdict.undecided and "longer" in verdict.reason
    assert "lines" in verify_unsat("1\n" * MAX_LINES, EMPTY_TWO).reason
    with at_most(millions=60):
        assert not verify_unsat("\n".join("-2000 1" for _ in range(2**20 // 9)), wide(2000)).correct


@given(st.text(alphabet="dc0123-! \nAB;|v¬", max_size=60))
def test_any_text_has_a_verdict(text):
    for form in ("rup", "drat", "lrat"):
        assert not verify_unsat(text, Formula(3, ((1, 2), (-1, 3))), form=form).correct


@pytest.mark.slow
def test_lemmas_that_cost_much_each_end_at_the_limit():
    formula = wide(2000)
    text = "\n".join(f"-1 2000 {k}" for k in range(2, 1999)) + "\n0"  # two thousand steps each, and all of them right
    with at_most(millions=100):
        verdict = verify_unsat(text, formula)
    assert verdict.undecided and "steps" in verdict.reason
    limit = default_limit(4 * 1997 + 1, formula)
    assert f"more than {limit} steps" in verdict.reason and limit < 10**7
    assert not verify_unsat(text, formula, limit=10**8).undecided


def test_the_limit_grows_with_proof_and_formula_and_ends():
    sizes = [default_limit(size, EMPTY_TWO) for size in (0, 10**3, 10**4, 10**5, 10**6, 10**9)]
    assert sizes == sorted(sizes) and sizes[:4] == sorted(set(sizes[:4])) and sizes[-1] == MAX_STEPS
    assert default_limit(100, wide(2000)) > default_limit(100, EMPTY_TWO)


@pytest.mark.parametrize("n", [100, 150, pytest.param(200, marks=pytest.mark.slow)])
def test_solver_proofs_at_the_threshold_are_decided_by_default(n):
    rng, seen = random.Random(2), 0
    while seen < (1 if n == 200 else 2):
        formula = random_formula(rng, n, round(4.4 * n))
        lines = solver_proof(formula, SOLVERS[seen])
        if not lines:
            continue
        seen += 1
        for form in ("rup", "drat"):
            assert verify_unsat("\n".join(lines), formula, form=form).correct
        lemmas = [line for line in lines if not line.startswith("d")]
        assert verify_unsat("\n".join(lemmas), formula).correct
        literal = lemmas[0].split()[0]
        assert not verify_unsat("\n".join([f"{literal} 0", *lemmas]), formula).correct
        assert not verify_unsat("\n".join(lemmas[: len(lemmas) // 2]), formula).correct


def test_past_the_limit_nobody_decides_and_always_at_the_same_place():
    formula = pigeons(5)
    text = "\n".join(solver_proof(formula, "cadical153"))
    limits = [limit for limit in range(0, 60_000, 3000) if verify_unsat(text, formula, limit=limit).undecided]
    assert limits == list(range(0, limits[-1] + 1, 3000)) and 0 < limits[-1] < 57_000
    verdict = verify_unsat(text, formula, limit=100)
    assert verdict.undecided and not verdict.correct and verdict.score == 0 and "100 steps" in verdict.reason


# ---- the solver under it ------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(small_formulas())
def test_the_solver_finds_what_counting_finds(formula):
    model = solve(formula, Steps(10**5))
    assert (model is not None) == (count_models(formula) > 0)
    assert model is None or not violated(formula, model)


def test_the_solver_at_the_threshold():
    solvers = pytest.importorskip("pysat.solvers", reason="needs python-sat")
    rng, answers = random.Random(1), []
    for n in [40] * 60 + [80] * 10:
        formula = random_formula(rng, n, int(4.3 * n))
        with solvers.Solver(name="cadical153", bootstrap_with=[list(c) for c in formula.clauses]) as solver:
            answers.append(solver.solve())
        model = solve(formula, Steps(10**7))
        assert (model is not None) == answers[-1]
        assert model is None or not violated(formula, model)
    assert 10 < sum(answers) < 60
    with pytest.raises(OutOfSteps):
        solve(random_formula(rng, 80, 400), Steps(500))


def test_the_examples_in_the_docstrings_hold():
    for module in (turnwise.verifiers.logic.proofs, turnwise.verifiers.logic.cdcl):
        assert doctest.testmod(module).failed == 0
