"""Advantages, against values worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.grpo.credit import CREDIT, dr_grpo, group_advantages, grpo, has_spread, rloo, turn_rtg

GROUP = [[1.0], [0.0, 0.0], [0.0, 1.0], [0.0]]  # returns 1, 0, 1, 0: mean 1/2

groups = st.lists(st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=1, max_size=5), min_size=2, max_size=8)


def flat(advantages: list[np.ndarray]) -> list[float]:
    return [float(x) for row in advantages for x in row]


def test_grpo_by_hand():
    std = math.sqrt(4 * 0.25 / 3)  # Bessel
    a = 0.5 / (std + 1e-6)
    assert flat(grpo(GROUP)) == pytest.approx([a, -a, -a, a, a, -a])
    a = 0.5 / (0.5 + 1e-4)  # population
    assert flat(grpo(GROUP, ddof=0, eps=1e-4)) == pytest.approx([a, -a, -a, a, a, -a])


def test_dr_grpo_by_hand():
    assert flat(dr_grpo(GROUP)) == [0.5, -0.5, -0.5, 0.5, 0.5, -0.5]


def test_rloo_by_hand():
    assert flat(rloo([[1.0], [0.0], [0.5]])) == pytest.approx([1 - 0.25, 0 - 0.75, 0.5 - 0.5])


def test_turn_rtg_by_hand():
    # returns to go: [1, .5, .5], [.25], [.25, 0]; a finished rollout counts as 0 from then on
    advantages = turn_rtg([[0.5, 0.0, 0.5], [0.25], [0.25, 0.0]])
    assert advantages[0] == pytest.approx([1 - 0.25, 0.5 - 0, 0.5 - 0])
    assert advantages[1] == pytest.approx([0.25 - 0.625])
    assert advantages[2] == pytest.approx([0.25 - 0.625, 0 - 0.25])


def test_turn_rtg_is_unbiased_where_the_baseline_of_the_living_is_not():
    """A rollout that is alone at turn 1 still has a baseline of 0 there, whatever the others earned before."""
    assert turn_rtg([[0.0, 1.0], [1.0]])[0] == pytest.approx([0.0, 1.0])


@given(groups)
def test_one_turn_rtg_is_rloo(group):
    single = [[sum(row)] for row in group]
    assert flat(turn_rtg(single)) == pytest.approx(flat(rloo(single)))


@given(groups, st.sampled_from(sorted(CREDIT)))
def test_shapes_and_constant_returns(group, name):
    valid = [True] * len(group)
    advantages = group_advantages(name, group, valid)
    assert [len(a) for a in advantages] == [len(r) for r in group]
    assert all(np.isfinite(a).all() for a in advantages)
    level = group_advantages(name, [[0.1 + 0.2], [0.3]], [True, True])  # equal up to rounding
    assert flat(level) == [0.0, 0.0]


@given(groups, st.sampled_from(["grpo", "dr_grpo", "rloo"]))
def test_advantages_of_rollouts_sum_to_zero(group, name):
    first = [a[0] for a in group_advantages(name, group, [True] * len(group))]
    assert sum(first) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("name", sorted(CREDIT))
def test_errors_are_no_part_of_anything(name):
    with_error = group_advantages(name, [[1.0], [0.7, 0.3], [0.0]], [True, False, True])
    without = group_advantages(name, [[1.0], [0.0]], [True, True])
    assert flat([with_error[0], with_error[2]]) == flat(without)
    assert flat([with_error[1]]) == [0.0, 0.0]
    assert flat(group_advantages(name, [[1.0], [0.0]], [True, False])) == [0.0, 0.0]


def test_spread():
    assert has_spread(GROUP, [True] * 4)
    assert not has_spread([[0.1, 0.2], [0.3]], [True, True])  # 0.30000000000000004 against 0.3
    assert not has_spread([[0.0], [1.0]], [True, False])
    assert not has_spread([], [])
