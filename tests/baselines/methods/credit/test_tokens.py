"""Credit per token, against values worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.methods.credit.tokens import bi_level_gae, gae, reinforce_pp, tempo
from turnwise.core.errors import SettingsError

PAD = math.nan
seeds = st.integers(0, 2**32 - 1)


def resetting_returns(token_rewards: list[float], mask: list[int]) -> list[float]:
    """Returns that are reset at every token the policy did not sample: the bug of published code."""
    running, returns = 0.0, []
    for reward, sampled in zip(reversed(token_rewards), reversed(mask), strict=True):
        running = reward + running
        returns.append(running)
        running *= sampled
    return [g * m for g, m in zip(reversed(returns), mask, strict=True)]


def test_reinforce_pp_carries_the_return_over_observations():
    rewards, mask = [0, 0, 0, 0, 0, 1], [1, 1, 0, 0, 1, 1]
    assert resetting_returns(rewards, mask) == [0, 0, 0, 0, 1, 1]
    assert reinforce_pp([rewards], [mask], whiten=False).tolist() == [[1, 1, 0, 0, 1, 1]]
    discounted = reinforce_pp([rewards], [mask], gamma=0.5, whiten=False)
    assert discounted == pytest.approx(np.array([[0.125, 0.25, 0, 0, 0.5, 1]]))  # observations cost no discount


def test_reinforce_pp_whitens_over_the_sampled_tokens():
    # G = 2, 2 | 0: mean 4/3, squares 4/9 + 4/9 + 16/9 = 24/9, Bessel 12/9
    scale = 1 / math.sqrt(12 / 9 + 1e-8)
    given = reinforce_pp([[0, PAD, 2], [0, PAD, PAD]], [[1, 0, 1], [1, 0, 0]])
    assert given == pytest.approx(np.array([[2 / 3, 0, 2 / 3], [-4 / 3, 0, 0]]) * scale, rel=1e-12)
    assert np.all(reinforce_pp([[0, 1]], [[1, 1]]) == 0)  # G = 1, 1


def test_gae_skips_observations():
    # delta_2 = 1 - .25 = .75; delta_0 = .9 * .25 - .5 = -.275; A_0 = -.275 + .9 * .8 * .75
    given = gae([[0, PAD, 1]], [[0.5, PAD, 0.25]], [[1, 0, 1]], gamma=0.9, lam=0.8)
    assert given == pytest.approx(np.array([[-0.275 + 0.54, 0, 0.75]]))


def test_gae_with_lam_1_is_the_return_minus_the_value():
    given = gae([[0, 2, 1]], [[0.5, 0.1, 0.25]], [[1, 1, 1]], lam=1.0)
    assert given == pytest.approx(np.array([[3 - 0.5, 3 - 0.1, 1 - 0.25]]))


def test_gae_whitened():
    raw = np.array([2.5, 2.9, 0.75])
    given = gae([[0, 2, 1]], [[0.5, 0.1, 0.25]], [[1, 1, 1]], lam=1.0, whiten=True)
    assert given[0] == pytest.approx((raw - raw.mean()) / np.sqrt(raw.var(ddof=1) + 1e-8), rel=1e-9)


@given(seeds)
def test_gae_of_a_row_is_that_of_its_sampled_tokens(seed):
    rng = np.random.default_rng(seed)
    rewards, values, mask = rng.normal(size=9), rng.normal(size=9), rng.random(9) < 0.6
    packed = np.ones((1, int(mask.sum())))
    expected = gae(rewards[mask][None], values[mask][None], packed, gamma=0.9, lam=0.7)
    given = gae(rewards[None], values[None], mask[None], gamma=0.9, lam=0.7)
    assert given[0][mask] == pytest.approx(expected[0])
    assert np.all(given[0][~mask] == 0)


def test_bi_level_gae():
    # Two turns of five tokens, each with reward 1 on its last; values .1 to 1.
    # Turns: B_2 = 1 - 1 = 0, B_1 = 1 + .95 * 1 - .5 + .95 * 0 = 1.45. Tokens with gamma = lam = 1: B + V(end) - V_t
    rewards = [[0, 0, 0, 0, 1, 0, 0, 0, 0, 1]]
    values = [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]]
    given = bi_level_gae(rewards, values, np.ones((1, 10)), [[0] * 5 + [1] * 5])
    assert given == pytest.approx(np.array([[1.85, 1.75, 1.65, 1.55, 1.45, 0.4, 0.3, 0.2, 0.1, 0.0]]))


def test_bi_level_gae_with_its_own_discounts_and_a_turn_without_reward():
    # tokens: turn 0 | observation | turn 1 of two tokens, reward 2 on the last
    rewards, values = [[0, PAD, 0, 2]], [[0.5, PAD, 1.0, 1.5]]
    mask, turns = [[1, 0, 1, 1]], [[0, -1, 1, 1]]
    # B_1 = 2 - 1.5 = .5; B_0 = 0 + .8 * 1.5 - .5 + .8 * .5 * .5 = .9; inside turn 1: .9 * 1.5 - 1 + .9 * .6 * .5 = .62
    given = bi_level_gae(rewards, values, mask, turns, gamma_turn=0.8, lam_turn=0.5, gamma_token=0.9, lam_token=0.6)
    assert given == pytest.approx(np.array([[0.9, 0, 0.62, 0.5]]))


@given(seeds)
def test_bi_level_gae_with_one_token_a_turn_is_gae(seed):
    rng = np.random.default_rng(seed)
    rewards, values, mask = rng.normal(size=(3, 7)), rng.normal(size=(3, 7)), rng.random((3, 7)) < 0.7
    turns = np.where(mask, np.cumsum(mask, axis=1) - 1, -1)
    given = bi_level_gae(rewards, values, mask, turns, gamma_turn=0.9, lam_turn=0.7, gamma_token=0.1, lam_token=0.2)
    assert given == pytest.approx(gae(rewards, values, mask, gamma=0.9, lam=0.7))


def test_bi_level_gae_counts_every_reward_once():
    """Without discounts and values, a token's advantage is the reward of its turn and of all later ones."""
    given = bi_level_gae([[1, 2, 4, 8]], np.zeros((1, 4)), np.ones((1, 4)), [[0, 0, 1, 1]], gamma_turn=1.0)
    assert given.tolist() == [[15, 15, 12, 12]]


def test_tempo():
    # Returns 1, 0, 0: mean 1/3, squares 6/9, Bessel 1/3. V(1) = 1/3, V(1 2) = 1/2, V(1 2 3) = 1, V(1 2 4) = V(1 5) = 0
    tokens = [[1, 2, 9, 3], [1, 2, 8, 4], [1, 5, 0, 0]]  # the third column is an observation
    mask = [[1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 0, 0]]
    steps = np.array([[0, 1 / 6, 0, 1 / 2], [0, 1 / 6, 0, -1 / 2], [0, -1 / 3, 0, 0]])
    outcome = np.array([[2 / 3], [-1 / 3], [-1 / 3]]) * np.array(mask)
    given = tempo([1, 0, 0], [0, 0, 0], tokens, mask, eps=0.0)
    assert given == pytest.approx((outcome + steps) / math.sqrt(1 / 3))


def test_tempo_without_shared_tokens_is_grpo_but_at_the_first():
    """At the first token all branch: V goes from the mean to the rollout's own return."""
    given = tempo([1, 0], [0, 0], [[1, 5], [2, 5]], np.ones((2, 2)), ddof=0, eps=0.0)
    assert given == pytest.approx(np.array([[2, 1], [-2, -1]]))


def test_tempo_counts_a_rollout_without_sampled_tokens():
    """V of the empty prefix is the mean of both, 1/2: the step is 1/2 on top of the outcome's 1/2; std is 1/2."""
    given = tempo([1, 0], [0, 0], [[3], [0]], [[True], [False]], ddof=0, eps=0.0)
    assert given == pytest.approx(np.array([[2.0], [0.0]]))


def brute_tempo(returns, groups, tokens, mask) -> np.ndarray:
    """V by looking up every prefix of every rollout."""
    passing: dict[tuple, list[float]] = {}
    rows = [[int(t) for t, m in zip(row, marks, strict=True) if m] for row, marks in zip(tokens, mask, strict=True)]
    for value, group, row in zip(returns, groups, rows, strict=True):
        for length in range(len(row) + 1):
            passing.setdefault((group, *row[:length]), []).append(value)
    advantages = np.zeros(mask.shape)
    for i, (group, row) in enumerate(zip(groups, rows, strict=True)):
        members = returns[groups == group]
        if np.ptp(members) == 0:
            continue
        v = [np.mean(passing[(group, *row[:length])]) for length in range(len(row) + 1)]
        total = returns[i] - members.mean() + np.diff(v)
        advantages[i, mask[i]] = total / (members.std(ddof=1) + 1e-6)
    return advantages


@given(seeds)
def test_tempo_against_every_prefix(seed):
    rng = np.random.default_rng(seed)
    returns, groups = rng.integers(0, 2, 8).astype(float), rng.integers(0, 2, 8)
    tokens, mask = rng.integers(0, 2, (8, 6)), rng.random((8, 6)) < 0.8
    assert tempo(returns, groups, tokens, mask) == pytest.approx(brute_tempo(returns, groups, tokens, mask), abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gae([[1]], [[1]], [[1]], lam=2.0), "lam is 2.0"),
        (lambda: bi_level_gae([[1]], [[1]], [[1]], [[0]], lam_turn=-0.1), "lam_turn is -0.1"),
        (lambda: reinforce_pp([[1]], [[1]], ddof=3), "ddof is 3"),
        (lambda: tempo([1], [0], [[1]], [[1]], eps=-1.0), "eps is -1.0"),
    ],
)
def test_settings_that_cannot_be(call, message):
    with pytest.raises(SettingsError, match=message):
        call()


def test_arrays_that_do_not_fit():
    with pytest.raises(ValueError, match="values has shape"):
        gae([[1, 2]], [[1]], [[1, 1]])
    with pytest.raises(ValueError, match="token_turns has shape"):
        bi_level_gae([[1, 2]], [[1, 1]], [[1, 1]], [[0]])
    with pytest.raises(ValueError, match="returns has shape"):
        tempo([1, 2], [0, 0], [[1]], [[1]])
