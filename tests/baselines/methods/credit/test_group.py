"""Credit per rollout, against values worked out by hand."""

import math

import numpy as np
import pytest

from turnwise.baselines.methods.credit._arrays import has_spread
from turnwise.baselines.methods.credit.group import (
    dr_grpo,
    grpo,
    loop,
    maxrl,
    nsr,
    opo,
    psr,
    rebn,
    reinforce_pp_baseline,
    rloo,
    san,
    stratified_grpo,
    supo,
    w_reinforce,
)
from turnwise.core.errors import SettingsError

RETURNS = [1.0, 0.0, 1.0, 0.0]  # mean 1/2, squares 4 * 1/4 = 1
ONE = [7, 7, 7, 7]
BESSEL = math.sqrt(1 / 3)


def test_grpo():
    a = 0.5 / (BESSEL + 1e-6)
    assert grpo(RETURNS, ONE) == pytest.approx([a, -a, a, -a], rel=1e-12)
    a = 0.5 / (0.5 + 1e-4)  # population: sqrt(1 / 4)
    assert grpo(RETURNS, ONE, ddof=0, eps=1e-4) == pytest.approx([a, -a, a, -a], rel=1e-12)


def test_groups_of_any_size_and_order():
    # group 9: 1, 0 (mean 1/2, std sqrt(1/2)); group 2: 3, 0, 0 (mean 1, std sqrt(6 / 2)); group 5 has one
    returns, groups = [1, 3, 0, 0, 4, 0], [9, 2, 2, 9, 5, 2]
    half, three = 0.5 / math.sqrt(0.5), math.sqrt(3)
    expected = [half, 2 / three, -1 / three, -half, 0, -1 / three]
    assert grpo(returns, groups, eps=0.0) == pytest.approx(expected, rel=1e-12)
    assert dr_grpo(returns, groups) == pytest.approx([0.5, 2, -1, -0.5, 0, -1])


@pytest.mark.parametrize("method", [grpo, dr_grpo, rloo, maxrl])
def test_no_spread_and_a_group_of_one_are_exact_zeros(method):
    third = 0.1 + 0.2  # not 0.3
    assert np.all(method([0.3, third, 0.3, 1.0, 0.0], [0, 0, 0, 1, 2]) == 0.0)
    assert method([0.3, 0.3 + 1e-7], [0, 0])[1] > 0  # small, but a difference


def test_rloo_and_loop():
    # 1 - (0 + .5) / 2, 0 - (1 + .5) / 2, .5 - (1 + 0) / 2
    assert rloo([1.0, 0.0, 0.5], [0, 0, 0]) == pytest.approx([0.75, -0.75, 0.0])
    assert np.array_equal(loop([1.0, 0.0, 0.5], [0, 0, 0]), rloo([1.0, 0.0, 0.5], [0, 0, 0]))


def test_reinforce_pp_baseline_by_tokens():
    # centred: .5, -.5 | 1, -1; lengths 1, 3 | 2, 2: sum 8
    # mean (.5 - 1.5 + 2 - 2) / 8 = -1/8; squares: .25 + .75 + 2 + 2 = 5; var = (5 - 8/64) / 7 = 4.875 / 7
    scale = 1 / math.sqrt(4.875 / 7 + 1e-8)
    expected = [(0.5 + 0.125) * scale, (-0.5 + 0.125) * scale, 1.125 * scale, -0.875 * scale]
    given = reinforce_pp_baseline([1, 0, 2, 0], [0, 0, 1, 1], [1, 3, 2, 2])
    assert given == pytest.approx(expected, rel=1e-12)


def test_reinforce_pp_baseline_by_rollouts():
    # centred .5, -.5, 1, -1: mean 0, var 2.5 / 3
    scale = 1 / math.sqrt(2.5 / 3 + 1e-8)
    given = reinforce_pp_baseline([1, 0, 2, 0], [0, 0, 1, 1], [1, 3, 2, 2], weigh="rollouts")
    assert given == pytest.approx([0.5 * scale, -0.5 * scale, scale, -scale], rel=1e-12)


def test_reinforce_pp_baseline_is_that_of_the_tokens_written_out():
    """The weights are what repeating each rollout once per token gives: the published code's arrays."""
    rng = np.random.default_rng(0)
    returns, groups, lengths = rng.random(9), rng.integers(0, 3, 9), rng.integers(1, 6, 9)
    centred = np.repeat(dr_grpo(returns, groups), lengths)
    tokens = (centred - centred.mean()) / np.sqrt(centred.var(ddof=1) + 1e-8)
    assert np.repeat(reinforce_pp_baseline(returns, groups, lengths), lengths) == pytest.approx(tokens, rel=1e-9)


def test_opo():
    # baseline (1 * 1 + 3 * 0 + 4 * .5) / 8 = 3/8
    assert opo([1, 0, 0.5], [0, 0, 0], [1, 3, 4]) == pytest.approx([0.625, -0.375, 0.125])
    assert np.array_equal(opo([1, 1, 0], [0, 0, 1], [1, 3, 4]), [0, 0, 0])
    assert opo([1, 0], [0, 0], [0, 0]) == pytest.approx([0.5, -0.5])  # nothing was sampled: the plain mean


def test_maxrl():
    # mean 1/4: (1 - 1/4) / (1/4) = 3, (0 - 1/4) / (1/4) = -1
    assert maxrl([1, 0, 0, 0], ONE, eps=0.0) == pytest.approx([3, -1, -1, -1])
    assert maxrl([1, 0, 0, 0], ONE)[0] == pytest.approx(0.75 / (0.25 + 1e-6), rel=1e-12)
    assert np.array_equal(maxrl([-1, 0, 0, -1], ONE), [0, 0, 0, 0])  # no success, no estimate


def test_rebn_knows_no_groups():
    # mean 1, squares 1 + 1 + 4 + 4 = 10; Bessel 10 / 3, population 10 / 4
    assert rebn([0, 2, 3, -1], eps=0.0) == pytest.approx(np.array([-1, 1, 2, -2]) / math.sqrt(10 / 3))
    assert rebn([0, 2, 3, -1], ddof=0, eps=0.5) == pytest.approx(np.array([-1, 1, 2, -2]) / (math.sqrt(2.5) + 0.5))
    assert np.array_equal(rebn([2, 2]), [0, 0])


def test_positive_negative_and_weighted():
    assert np.array_equal(psr([1, 0]), [1, 0])
    assert np.array_equal(nsr([1, 0]), [0, -1])
    assert w_reinforce([1, 0, 0.5]) == pytest.approx([0.1, -1, -0.45])  # .5: .1 * .5 + (.5 - 1)
    assert w_reinforce([1, 0], lam=0.5) == pytest.approx([0.5, -1])


def test_san_and_its_blend():
    # group 0: stratum 1 has 1, 0 (mean 1/2, std sqrt(1/2)); stratum 2 has 1, 1: no spread; stratum 3 is one rollout
    returns, groups, strata = [1, 0, 1, 1, 0], [0] * 5, [1, 1, 2, 2, 3]
    within = [0.5 / math.sqrt(0.5), -0.5 / math.sqrt(0.5), 0, 0, 0]
    assert san(returns, groups, strata, eps=0.0) == pytest.approx(within, rel=1e-12)
    # the group: mean 3/5, squares 3 * .16 + 2 * .36 = 1.2, std sqrt(.3)
    whole = np.array([0.4, -0.6, 0.4, 0.4, -0.6]) / math.sqrt(0.3)
    blend = 0.8 * np.array(within) + 0.2 * whole
    assert stratified_grpo(returns, groups, strata, alpha=0.8, eps=0.0) == pytest.approx(blend, rel=1e-12)
    assert np.array_equal(stratified_grpo(returns, groups, strata, alpha=0.0), grpo(returns, groups))


def test_strata_do_not_reach_over_groups():
    assert np.array_equal(san([1, 0, 1, 0], [0, 1, 2, 3], [5, 5, 5, 5]), [0, 0, 0, 0])


def test_supo_keeps_the_unfinished_in_the_baseline():
    a = 0.5 / (BESSEL + 1e-6)
    assert supo(RETURNS, ONE, [True, True, True, False]) == pytest.approx([a, -a, a, 0], rel=1e-12)


def test_has_spread():
    assert np.array_equal(has_spread([1, 0, 1, 1 + 1e-12], [3, 3, 1, 1]), [True, True, False, False])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grpo([1, 0], [0, 0], ddof=2), "ddof is 2"),
        (lambda: grpo([1, 0], [0, 0], eps=-1.0), "eps is -1.0"),
        (lambda: reinforce_pp_baseline([1, 0], [0, 0], [1, 1], weigh="token"), "weigh is 'token'"),
        (lambda: stratified_grpo([1, 0], [0, 0], [0, 0], alpha=1.5), "alpha is 1.5"),
        (lambda: w_reinforce([1, 0], lam=-0.1), "lam is -0.1"),
    ],
)
def test_settings_that_cannot_be(call, message):
    with pytest.raises(SettingsError, match=message):
        call()


def test_arrays_that_do_not_fit():
    with pytest.raises(ValueError, match="groups has shape"):
        grpo([1, 0], [0])
    with pytest.raises(ValueError, match="not finite"):
        grpo([1, math.nan], [0, 0])
    with pytest.raises(ValueError, match="lengths has shape"):
        opo([1, 0], [0, 0], [1])
