"""PKPO and pass@k, against sums over all subsets."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.methods.credit.passk import pass_at_k_grpo, pass_at_k_training, pkpo
from turnwise.core.errors import SettingsError

groups_of_returns = st.lists(st.integers(0, 4).map(lambda x: x / 4), min_size=2, max_size=8)


def brute_s(returns: list[float], k: int) -> list[float]:
    subsets = list(combinations(range(len(returns)), k))
    best = [max(returns[j] for j in subset) for subset in subsets]
    holding = [[b for b, subset in zip(best, subsets, strict=True) if i in subset] for i in range(len(returns))]
    return [sum(held) / len(subsets) for held in holding]


def brute_s_loo(returns: list[float], k: int) -> list[float]:
    n = len(returns)
    baseline = [sum(brute_s(returns[:i] + returns[i + 1 :], k)) / (n - 1) for i in range(n)]
    return [s - b for s, b in zip(brute_s(returns, k), baseline, strict=True)]


def brute_s_loo_minus_one(returns: list[float], k: int) -> list[float]:
    subsets = list(combinations(range(len(returns)), k))
    gain = [0.0] * len(returns)
    for subset in subsets:
        for i in subset:
            gain[i] += max(returns[j] for j in subset) - max(returns[j] for j in subset if j != i)
    return [g / len(subsets) for g in gain]


def test_pkpo_by_hand():
    # returns 0, 1, 3 and k = 2: the pairs' largest are 1 (0,1), 3 (0,3), 3 (1,3); C(3, 2) = 3
    s = [(1 + 3) / 3, (1 + 3) / 3, (3 + 3) / 3]
    assert pkpo([0, 1, 3], [0, 0, 0], k=2, variant="s") == pytest.approx(s)
    # without i the one pair left is worth 3, 3, 1 to both its members; the mean over 2 members is the same
    assert pkpo([0, 1, 3], [0, 0, 0], k=2, variant="s_loo") == pytest.approx([s[0] - 3, s[1] - 3, s[2] - 1])
    # 0 adds nothing; 1 adds 1 to (0,1); 3 adds 3 to (0,3) and 2 to (1,3)
    assert pkpo([0, 1, 3], [0, 0, 0], k=2, variant="s_loo_minus_one") == pytest.approx([0, 1 / 3, 5 / 3])


@given(groups_of_returns, st.integers(1, 8))
def test_s_against_all_subsets(returns, k):
    k = min(k, len(returns))
    weights = pkpo(returns, [0] * len(returns), k=k, variant="s")
    assert weights == pytest.approx(brute_s(returns, k), abs=1e-12)
    rho = sum(max(subset) for subset in combinations(returns, k)) / math.comb(len(returns), k)
    assert weights.sum() == pytest.approx(k * rho)


@given(groups_of_returns, st.integers(1, 8))
def test_s_loo_against_all_subsets(returns, k):
    k = min(k, len(returns) - 1)
    weights = pkpo(returns, [0] * len(returns), k=k, variant="s_loo")
    assert weights == pytest.approx(brute_s_loo(returns, k), abs=1e-12)


@given(groups_of_returns, st.integers(2, 8))
def test_s_loo_minus_one_against_all_subsets(returns, k):
    k = min(k, len(returns))
    weights = pkpo(returns, [0] * len(returns), k=k)
    assert weights == pytest.approx(brute_s_loo_minus_one(returns, k), abs=1e-12)
    assert np.all(weights >= 0)


def test_k_of_one_is_the_mean_return():
    assert pkpo([0, 1, 3], [0] * 3, k=1, variant="s") == pytest.approx([0, 1 / 3, 1])


def test_groups_too_small_for_k():
    returns = [0, 1, 3]
    for variant in ("s", "s_loo_minus_one"):  # as if k were n
        given = pkpo(returns, [0] * 3, k=9, variant=variant)
        assert np.array_equal(given, pkpo(returns, [0] * 3, k=3, variant=variant))
    given = pkpo(returns, [0] * 3, k=9, variant="s_loo")  # n - 1: the baseline lacks one
    assert np.array_equal(given, pkpo(returns, [0] * 3, k=2, variant="s_loo"))
    assert np.array_equal(pkpo([0.5], [0], k=4, variant="s"), [0.5])
    assert np.array_equal(pkpo([0.5], [0], k=4, variant="s_loo"), [0])
    assert np.array_equal(pkpo([0.5], [0], k=4), [0])


def test_pkpo_of_large_groups_keeps_its_digits():
    """5,000 rollouts, one solved: in a share k / n of the subsets, where it adds 1."""
    returns = np.zeros(5000)
    returns[1234] = 1
    weights = pkpo(returns, np.zeros(5000, dtype=int), k=64)
    assert weights[1234] == pytest.approx(64 / 5000, rel=1e-12)
    assert weights.sum() == weights[1234]


def test_pass_at_k_grpo_rewards_the_lead():
    # .9 leads .5 by .4; mean 1.4 / 3, squares 1.06 - 1.96 / 3, Bessel
    std = math.sqrt((1.06 - 1.96 / 3) / 2)
    assert pass_at_k_grpo([0.5, 0.9, 0.0], [0] * 3) == pytest.approx([0, 0.4 / (std + 1e-6), 0], rel=1e-9)
    assert pass_at_k_grpo([0.5, 0.9, 0.0], [0] * 3, normalize=False) == pytest.approx([0, 0.4, 0])
    assert np.array_equal(pass_at_k_grpo([1, 1, 0, 1], [0, 0, 0, 1]), [0, 0, 0, 0])  # two best: no lead


@given(groups_of_returns, st.integers(2, 8))
def test_pass_at_k_grpo_is_pkpo_over_the_std(returns, k):
    groups = [0] * len(returns)
    raw = pass_at_k_grpo(returns, groups, k=k, normalize=False)
    assert np.array_equal(raw, pkpo(returns, groups, k=k))
    std = np.std(returns, ddof=1)
    expected = raw / (std + 1e-6) if np.ptp(returns) > 0 else np.zeros(len(returns))
    assert pass_at_k_grpo(returns, groups, k=k) == pytest.approx(expected, rel=1e-9)


def brute_pass_at_k_training(solved: list[bool], k: int) -> list[float]:
    subsets = list(combinations(range(len(solved)), k))
    values = [float(any(solved[i] for i in subset)) for subset in subsets]
    if np.ptp(values) == 0:
        return [0.0] * len(solved)
    advantages = (np.array(values) - np.mean(values)) / np.std(values)
    return [
        float(np.mean([a for a, subset in zip(advantages, subsets, strict=True) if i in subset]))
        for i in range(len(solved))
    ]


@given(st.lists(st.booleans(), min_size=2, max_size=7), st.integers(1, 7))
def test_pass_at_k_training_against_all_subsets(solved, k):
    k = min(k, len(solved))
    given = pass_at_k_training(np.array(solved, dtype=float), [0] * len(solved), k=k)
    assert given == pytest.approx(brute_pass_at_k_training(solved, k), abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pkpo([1], [0], k=2, variant="sloo"), "variant is 'sloo'"),
        (lambda: pkpo([1], [0], k=1), "k is 1; it must be 2 or more"),
        (lambda: pkpo([1], [0], k=0, variant="s"), "k is 0"),
        (lambda: pass_at_k_grpo([1], [0], k=1), "k is 1"),
        (lambda: pass_at_k_training([1], [0], k=0), "k is 0"),
    ],
)
def test_settings_that_cannot_be(call, message):
    with pytest.raises(SettingsError, match=message):
        call()
