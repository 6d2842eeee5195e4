"""Comparison of plain data: strict in types, patient with floats, linear in time."""

import doctest
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.code.compare
from tests._work import at_most
from turnwise.sandbox.wire.values import decode, encode
from turnwise.verifiers.code import approximately, same_loosely, same_numbers, same_unordered, same_value, unordered

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(HASHABLE, inner, max_size=4)
        | st.sets(HASHABLE, max_size=4)
    ),
    max_leaves=12,
)
ALL = [same_value, same_numbers, same_loosely, same_unordered, unordered(2), approximately(1e-6)]


@given(VALUES)
def test_every_value_is_the_same_as_its_copy(value):
    assert all(same(decode(encode(value)), value) for same in ALL)


@pytest.mark.slow
@given(VALUES, VALUES)
def test_the_order_of_the_two_means_nothing(a, b):
    for same in ALL:
        assert same(a, b) is same(b, a)


@given(VALUES, VALUES)
def test_strict_implies_lax(a, b):
    if same_value(a, b):
        assert all(same(a, b) for same in ALL)


@given(st.lists(HASHABLE, max_size=6), st.randoms(use_true_random=False))
def test_order_is_ignored_where_it_is_said(values, rng):
    mixed = list(values)
    rng.shuffle(mixed)
    assert same_unordered(mixed, values)
    assert unordered(2)([mixed, []], [[], values])
    assert not same_unordered([*values, 1], values)


STRICT = [
    (1, True), (1, 1.0), (0, False), (0, None), ("", None), ([1], (1,)), ({1}, frozenset({1})), ({1: 2}, {True: 2}),
    ({1: 2}, {1.0: 2}), ({1}, {True}), (b"a", "a"), (b"a", bytearray(b"a")), ("1", 1), (1 + 0j, 1), ([], {}),
    ({}, set()),
    ([1, 2], [2, 1]), ([1], [1, 1]), (1.0, 1.0 + 1e-8), (math.inf, -math.inf), (math.inf, 1e308), (math.nan, 0.0),
    (2**53, 2**53 + 1), (10**400, 10**400 + 1), ({(1,)}, {(True,)}), ([[1]], [[True]]), ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": [1]}, {"a": [2]}), (0.0, 1e-9), (1e-13, 2e-13), ({1.0}, {1.1}), ("a", "A"), ("é", "e\u0301"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), STRICT)
def test_different_values(a, b):
    assert not same_value(a, b)
    assert not same_value(b, a)
    assert not same_value([a], [b])
    assert not same_value({"k": a}, {"k": b})


SAME = [
    (0.1 + 0.2, 0.3), (math.nan, math.nan), (-0.0, 0.0), (5.5e-17, 0.0), ({0.1 + 0.2}, {0.3}),
    ({0.1 + 0.2: 1}, {0.3: 1}), ({(0.1 + 0.2, "a"), (1.0, "b")}, {(1.0, "b"), (0.3, "a")}),
    ({1: 2, 3: 4}, {3: 4, 1: 2}),
    (complex(0.1 + 0.2, 1), complex(0.3, 1)), ([math.inf], [math.inf]), ({math.nan}, {math.nan}), (1e308, 1e308),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SAME)
def test_same_values(a, b):
    assert same_value(a, b) and same_value([a], [b]) and same_value(b, a)


def test_what_each_rule_allows():
    assert same_numbers({1: [2.0]}, {1.0: [2]}) and not same_numbers((1,), [1]) and not same_numbers(True, 1)
    assert not same_numbers(10**400, 1e308) and same_numbers(2**53, 2.0**53)
    assert same_loosely([(1, 2.0)], ([1.0, 2],)) and not same_loosely([False], [0])
    assert same_unordered([[1], [2]], [[2], [1]]) and not same_unordered([[1, 2]], [[2, 1]])
    assert same_unordered([0.1 + 0.2, 1], [1, 0.3]) and not same_unordered([1, 1, 2], [1, 2, 2])
    assert unordered(1, sequences=True)([(2,), [1]], ([1], (2,)))
    assert approximately(0.01)({"a": [1.001, 5]}, {"a": [1, 5.01]}) and not approximately(0.01)("1", 1)
    assert not approximately(0.1, numbers=False)(1.0, 1)
    with pytest.raises(ValueError, match="-1"):
        approximately(-1)


def test_objects_are_the_same_as_nothing():
    class Liar:
        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    class Number(int):
        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    for same in ALL:
        assert not same(Liar(), Liar()) and not same([Liar()], [1]) and not same(Number(3), 4)
        assert not same({Number(3)}, {4}) and not same({Liar(): 1}, {1: 1})


def test_bounded_in_depth_and_time():
    deep = shallow = [1]
    for _ in range(5000):
        deep = [deep]
    assert not same_value(deep, deep) and same_value(shallow, shallow)
    colliding = [n * (2**61 - 1) for n in range(1, 10_000)]  # their hashes are all 0
    many = [float(n) for n in range(20_000)]
    with at_most(millions=160):
        assert same_unordered(colliding[::-1], colliding)
        assert unordered(2)([colliding[::-1]], [colliding])
        assert same_unordered([n * (1 + 1e-12) for n in many[::-1]], many)
        assert not same_unordered([[n] for n in many], [[n + 0.5] for n in many])
        assert not same_value(10 ** (10**6), 0.5) and not same_numbers(10**10000, 0.5)


def test_examples():
    assert doctest.testmod(turnwise.verifiers.code.compare).failed == 0
