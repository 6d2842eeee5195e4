"""Comparison of mathematical answers: trees are built by hand, through Python's own parser for brevity."""

import random
import threading
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests._work import at_most, measured
from tests.verifiers.math._pairs import RIGHT, WRONG, pairs_of
from tests.verifiers.math._trees import UNITS, t
from turnwise.verifiers.math.compare.compare import Rules, compare
from turnwise.verifiers.math.values.bounds import Meter, Undefined, Unresolved
from turnwise.verifiers.math.values.tree import (
    CONSTANTS,
    FUNCTIONS,
    Add,
    Base,
    Call,
    Cases,
    Const,
    Div,
    Junction,
    List,
    Matrix,
    Mul,
    Neg,
    Num,
    Percent,
    PlusMinus,
    Pow,
    Quantity,
    Ratio,
    Relation,
    Seq,
    Set,
    SetBuilder,
    SetOp,
    Sym,
    Text,
)
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import substituted

_TOWER = "9**9**9**9"


_DEEP = Num(Fraction(2))


for _ in range(100):
    _DEEP = Pow(_DEEP, Num(Fraction(3, 2)))


_VERY_DEEP = Sym("x")


for _ in range(5000):
    _VERY_DEEP = Neg(_VERY_DEEP)


_ROOTS = Sym("x")


for _ in range(110):
    _ROOTS = Call("root", (Add((_ROOTS, Sym("x"))), Num(Fraction(2))))


_NESTED_SUM = Sym("x")


for _name in "abcdef":
    _NESTED_SUM = Call("sum", (Sym(_name), Num(Fraction(1)), Num(Fraction(999)), _NESTED_SUM))


def _hostile():
    big = Num(Fraction(10) ** 4000)
    yield from (t(source) for source in (
        _TOWER, "9**(9**9)", "factorial(factorial(20))", "factorial(10**9)", "binomial(10**9, 5*10**8)",
        "tan(10**100000)", "sin(10**4000)", "e**(10**4000)", "e**(e**(e**(e**e)))", "x**x**x**x**x", "(x + 1)**100000",
        "sum(k, 1, 10**9, k)", "sum(k, 1, 1000, sum(j, 1, 1000, 1/(k + j)))", "sum(k, 1, 1000, 1/k**9)",
        "product(k, 1, 1000, k**k)", "floor(10**4000*pi)", "permutations(10**9, 10**8)", "lcm(10**4000, 10**4000 + 1)",
        "root(2, 10**9)", "root(10**4000, 999)", "log(10**4000, 2)", "double_factorial(10**8)", "0**0", "1/0", "x/0",
        "(-1)**n*factorial(n)/factorial(2*n)", "sqrt(2)**sqrt(2)**sqrt(2)**sqrt(2)", "ln(ln(ln(ln(x))))", "gcd(0, 0)",
        "arcsin(arcsin(arcsin(x)))", "abs(abs(abs(x) - 1) - 1)", "inf - inf", "inf*x", "max(x, y, z)", "factorial(-1)",
        "arctan(i)", "ln(0)", "artanh(1)", "sin(inf)", "log(8, 1)", "i**i**i**i**i", "factorial(1/2)", "f(f(f(x)))",
        "such(k*sqrt(2) + 1, k in integers)", "abs(x) < -1", "x < 10**4000", "such(n in integers, 0 < n < 10**9)",
    ))  # fmt: skip
    yield from (_DEEP, _VERY_DEEP, _ROOTS, _NESTED_SUM)
    yield Add(tuple(Pow(Sym("x"), Num(Fraction(n))) for n in range(1400)))
    yield List(tuple(Call("root", (Num(Fraction(n + 2)), Num(Fraction(2)))) for n in range(700)))
    yield Set(tuple(Num(Fraction(n)) for n in range(2900)))
    yield Mul(tuple(big for _ in range(300)))
    yield Add(tuple(Div(big, Num(Fraction(n + 10**50))) for n in range(300)))
    yield PlusMinus(None, PlusMinus(None, PlusMinus(Sym("x"), Sym("y"))))
    yield Matrix(tuple(tuple(Sym(f"a{i}{j}") for j in range(30)) for i in range(30)))
    yield Call("det", (Matrix(tuple(tuple(Sym(f"a{i}{j}") for j in range(7)) for i in range(7))),))
    yield SetOp("union", tuple(Seq((Num(Fraction(n)), Num(Fraction(n + 1)))) for n in range(900)))
    yield Junction("or", tuple(Relation((Sym("x"), Sym(f"y{n}")), ("=",)) for n in range(400)))
    yield Cases(tuple((Sym("x"), Relation((Sym("x"), Num(Fraction(n))), ("<",))) for n in range(300)))
    yield Call("sin", ())
    yield Call("root", (Sym("x"),))
    yield Call("sum", (Sym("x"),))
    yield Matrix(())
    yield Seq(())
    yield Relation((Sym("x"),), ())
    yield Text("")
    yield Base(10**5000, 1)
    yield Base(10**5000, 7)
    yield Num(Fraction(1), 10**9)
    yield Num(Fraction(1), -(10**9))


HOSTILE = list(_hostile())


GOLDS = [t(gold) for gold in ("x + 1", "5", "sqrt(2)", "L(1, 2)", "(0, 1)", "x < 3", "2*x + 3*y == 6", "pi*x**2 + C")]


@pytest.mark.parametrize("i", range(len(HOSTILE)))
def test_hostile_answers_take_bounded_time(i):
    for gold in [*GOLDS, HOSTILE[i - 1], HOSTILE[i]]:
        for answer, other in ((HOSTILE[i], gold), (gold, HOSTILE[i])):
            with at_most(millions=8):
                compare(answer, other, Rules(algebra=False))


_LEAVES = st.one_of(
    st.builds(Num, st.fractions(max_denominator=50), st.none() | st.integers(-3, 8)),
    st.sampled_from([Sym("x"), Sym("y"), Sym("n"), Sym("C"), Sym("B")]),
    st.sampled_from([Const(name) for name in sorted(CONSTANTS)]),
    st.builds(Text, st.text(max_size=4)),
    st.builds(Base, st.integers(-50, 50), st.integers(0, 40)),
)


_ITEMS = {"min_size": 0, "max_size": 3}


def _bigger(part):
    parts = st.lists(part, **_ITEMS).map(tuple)
    two = st.lists(part, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Neg, part),
        st.builds(Add, two),
        st.builds(Mul, two),
        st.builds(Div, part, part),
        st.builds(Pow, part, part),
        st.builds(Call, st.sampled_from(sorted(FUNCTIONS)), parts),
        st.builds(PlusMinus, st.none() | part, part, st.sampled_from("±∓")),
        st.builds(Percent, part),
        st.builds(Quantity, part, st.sampled_from(list(UNITS.values()))),
        st.builds(Ratio, two),
        st.builds(Seq, parts, st.sampled_from("([⟨"), st.sampled_from(")]⟩")),
        st.builds(List, two),
        st.builds(Set, parts),
        st.builds(SetBuilder, part, part),
        st.builds(SetOp, st.sampled_from(["union", "intersection", "minus", "times"]), two),
        st.builds(lambda a, b: Matrix((a, b)), st.tuples(part, part), st.tuples(part, part)),
        st.builds(
            lambda operands, ops, modulus: Relation(operands, tuple(ops[: len(operands) - 1]), modulus),
            two, st.lists(st.sampled_from("=≠<>≤≥≈≡∈∉⊂⊆→∣∥⊥∼≅"), min_size=2, max_size=2), st.none() | part,
        ),
        st.builds(Junction, st.sampled_from(["or", "and"]), two),
        st.builds(lambda a, b, c: Cases(((a, b), (c, None))), part, part, part),
    )  # fmt: skip


TREES = st.recursive(_LEAVES, _bigger, max_leaves=12)


_SCALAR_LEAVES = st.one_of(
    st.builds(Num, st.fractions(max_denominator=9, min_value=-9, max_value=9)),
    st.sampled_from([Sym("x"), Sym("y"), Const("pi"), Const("e")]),
)


SCALARS = st.recursive(
    _SCALAR_LEAVES,
    lambda part: st.one_of(
        st.builds(Neg, part), st.builds(lambda a, b: Add((a, b)), part, part),
        st.builds(lambda a, b: Mul((a, b)), part, part), st.builds(Div, part, part),
        st.builds(lambda a, n: Pow(a, Num(Fraction(n))), part, st.integers(1, 3)),
        st.builds(lambda name, a: Call(name, (a,)), st.sampled_from(["sin", "exp", "abs", "arctan"]), part),
    ),
    max_leaves=8,
)  # fmt: skip


QUICK = Rules(algebra=False)


@pytest.mark.slow
@settings(max_examples=300)
@given(TREES, TREES)
def test_never_raises_and_is_deterministic(answer, gold):
    outcome = compare(answer, gold, QUICK)
    assert outcome.equal in (True, False, None)
    assert bool(outcome.reason) == (outcome.equal is not True)
    assert compare(answer, gold, QUICK) == outcome
    compare(answer, gold, Rules(tolerance=0.01, simplified=True, ordered=True, units="required", algebra=False))


@settings(max_examples=200)
@given(TREES)
def test_reflexive(tree):
    assert compare(tree, tree, QUICK).equal


@settings(max_examples=150)
@given(SCALARS, SCALARS)
def test_values_are_compared_alike_both_ways(a, b):
    assert compare(a, b, QUICK).equal == compare(b, a, QUICK).equal


@settings(max_examples=150)
@given(SCALARS, SCALARS)
def test_rewriting_keeps_the_value_and_adding_one_does_not(a, b):
    total = Add((a, b))
    try:
        Scalars(Meter()).equal(total, Num(Fraction(0)))
        at_one = substituted(total, {"x": Num(Fraction(1)), "y": Num(Fraction(1))})
        assume(abs(Scalars(Meter()).real(at_one) or 0) < 10**150)  # beyond, 1/7 is no difference
    except (Undefined, Unresolved):
        return
    if compare(Div(total, Num(Fraction(1))), total, QUICK).equal:  # it has a value at enough points
        assert compare(Add((b, a)), total, QUICK).equal
        assert compare(Div(Mul((total, Num(Fraction(6)))), Num(Fraction(6))), total, QUICK).equal
        assert not compare(Add((a, b, Num(Fraction(1, 7)))), total, QUICK).equal


@given(st.lists(st.fractions(max_denominator=20), min_size=2, max_size=7), st.randoms(use_true_random=False))
def test_lists_in_any_order_tuples_in_one(values, draw):
    shuffled = list(values)
    draw.shuffle(shuffled)
    nums, mixed = (tuple(map(Num, part)) for part in (values, shuffled))
    assert compare(List(mixed), List(nums)).equal
    assert compare(Set(mixed), Set(nums)).equal
    assert compare(Seq(mixed), Seq(nums)).equal is (shuffled == values)
    assert not compare(List((*mixed, Num(sum(values) + 1000))), List(nums)).equal
    assert not compare(List(mixed[1:]), List(nums)).equal


@given(st.fractions(), st.integers(0, 12), st.integers(-2, 2))
def test_decimals(value, places, off):
    """Only roundings and truncations of at least 6 significant digits stand for a value."""
    unit = Fraction(1, 10**places)
    shown = (value // unit + off) * unit
    gap, size = abs(value) - abs(shown), abs(shown) / unit
    assume(size < 10**15)  # beyond, the digits that a binary64 number is printed with are good enough
    good = shown == value or (
        size >= 100_000 and (shown > 0) == (value > 0) and (0 <= gap < unit or abs(gap) * 2 <= unit)
    )
    assert compare(Num(shown, places), Num(value)).equal is good
    assert compare(Num(value), Num(shown, places)).equal is good


def test_threads_do_not_disturb_each_other():
    pairs = [(t(a), t(g), expected) for table, expected in ((RIGHT, True), (WRONG, False)) for a, g in pairs_of(table)]
    pairs = pairs[::3]
    wrong = []

    def work(seed):
        order = list(pairs)
        random.Random(seed).shuffle(order)
        wrong.extend((a, g) for a, g, expected in order if compare(a, g, QUICK).equal is not expected)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_most_pairs_take_little():
    costs = []
    for answer, gold in pairs_of(RIGHT) + pairs_of(WRONG):
        a, g = t(answer), t(gold)
        with measured() as work:
            compare(a, g)
        costs.append(work.millions)
    costs.sort()
    assert costs[len(costs) // 2] < 0.02
    assert costs[int(len(costs) * 0.99)] < 0.4
