"""Factors by entropy, entropy change and covariance; UCAS."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.methods.loss_settings import HighEntropyMask, Importance
from turnwise.baselines.methods.losses import TOKEN_WEIGHTS, TokenBatch
from turnwise.baselines.methods.losses.weights import (
    clip_cov_mask,
    high_entropy_mask,
    steer_weights,
    token_factors,
    ucas,
)
from turnwise.core.errors import SettingsError, UsageError


def test_high_entropy_by_hand():
    """0.8 quantile of 0..5 is at place 4: tokens of at least 4; of 0, 1, 2 it is 1.6."""
    assert high_entropy_mask(torch.tensor([3.0, 5, 0, 1, 4, 2])).tolist() == [0, 1, 0, 0, 1, 0]
    assert high_entropy_mask(torch.tensor([0.0, 2, 1])).tolist() == [0, 1, 0]
    assert high_entropy_mask(torch.tensor([0.0, 2, 1]), keep=1.0).tolist() == [1, 1, 1]
    assert high_entropy_mask(torch.zeros(5)).tolist() == [1] * 5  # all tie at the threshold
    assert high_entropy_mask(torch.ones(1)).tolist() == [1]
    ten = torch.arange(11, dtype=torch.float64)  # 0.3 * 10 is place 3, though not in floats: 3 to 10 are kept
    assert high_entropy_mask(ten, keep=0.7).sum() == 8
    assert not len(high_entropy_mask(torch.zeros(0)))
    with pytest.raises(SettingsError, match="keep"):
        high_entropy_mask(torch.zeros(2), keep=0.0)


@given(st.lists(st.floats(0, 5, width=32), min_size=1, max_size=30), st.floats(0.05, 1))
def test_high_entropy_is_numpys_quantile(values, keep):
    entropy = torch.tensor(values, dtype=torch.float64)
    threshold = np.quantile(entropy.numpy(), 1 - keep)
    clear = (entropy - threshold).abs() > 1e-9
    assert torch.equal(high_entropy_mask(entropy, keep=keep)[clear], (entropy >= threshold).double()[clear])


def test_steer_by_hand():
    """With p = old = 1/2, H = 1: Omega = |A| (1 - ln 2) / 2; A = 1, 2, 0 make k Omega / -ln(w_min) 1/2, 1 and 0."""
    half = torch.tensor([0.5, 0.5, 0.5], dtype=torch.float64).log()
    advantages, entropy = torch.tensor([1.0, -2.0, 0.0]), torch.ones(3)
    assert 2 * 0.5 * (1 - math.log(2)) > 0.02  # so the floor plays no part
    found = steer_weights(half, half, advantages, entropy)
    assert found.tolist() == pytest.approx([0.8**0.5, 0.8, 1.0])
    linear = steer_weights(half, half, advantages, entropy, variant="linear")
    assert linear.tolist() == pytest.approx([1.0, 0.8, 1.2])


def test_steer_where_nothing_changes():
    half = torch.tensor([0.5, 0.5]).log()
    zero = torch.zeros(2)
    assert steer_weights(half, half, zero, zero).tolist() == [1.0, 1.0]
    assert steer_weights(half, half, zero, zero, variant="linear").tolist() == pytest.approx([1.0, 1.0])  # the middle
    small = steer_weights(half, half, torch.full((2,), 1e-3), zero)  # far below the floor of 0.02
    omega = 1e-3 * 0.5 * math.log(2)
    assert small.tolist() == pytest.approx([0.8 ** (omega / 0.02)] * 2, rel=1e-5)
    with pytest.raises(SettingsError, match="variant"):
        steer_weights(half, half, zero, zero, variant="cosine")
    with pytest.raises(SettingsError, match="w_min"):
        steer_weights(half, half, zero, zero, w_min=1.0)


def test_clip_cov():
    """Advantages and log-probabilities that go together in two of six tokens: one or both of them are drawn."""
    advantages = torch.tensor([3.0, 3.0, -1.5, -1.5, -1.5, -1.5])
    logps = torch.tensor([-0.5, -0.5, -1.0, -1.0, -1.0, -2.0])  # means 0 and -1: covariances 1.5, 1.5, 0, 0, 0, 1.5
    assert clip_cov_mask(logps, advantages, share=0.5).tolist() == [0, 0, 1, 1, 1, 0]
    one = clip_cov_mask(logps, advantages, seed=3)
    assert one.sum().item() == 5 and one[2:5].tolist() == [1, 1, 1]
    assert torch.equal(one, clip_cov_mask(logps, advantages, seed=3))
    assert len({tuple(clip_cov_mask(logps, advantages, seed=s).tolist()) for s in range(20)}) == 3
    assert clip_cov_mask(logps, torch.zeros(6)).tolist() == [1] * 6


def two_rows(confidence="sum", **settings):
    """A group of two rows of two tokens and one token, certainties 3 and 1: z = +-1/sqrt(2)."""
    return ucas(
        torch.tensor([1.0, 1.0, -1.0], dtype=torch.float64),
        torch.tensor([2.0, 1.0, 1.0], dtype=torch.float64),
        torch.tensor([0.0, 10.0, 5.0], dtype=torch.float64),
        torch.tensor([0, 0, 1]),
        torch.tensor([7, 7]),
        confidence=confidence,
        eps=0.0,
        **settings,
    )


def test_ucas_by_hand():
    z = 1 / math.sqrt(2)  # deviations +1 and -1, variance 2 with ddof 1
    sure_success, unsure_failure = math.exp(-0.25 * z), -math.exp(-0.35 * z)
    expected = [sure_success, sure_success - 0.05, unsure_failure - 0.025]
    assert two_rows().tolist() == pytest.approx(expected)
    assert two_rows("mean")[0].item() == pytest.approx(math.exp(-0.25 * z))  # 1.5 against 1
    assert two_rows(ddof=0)[0].item() == pytest.approx(math.exp(-0.25))
    assert two_rows(penalty=2.0).tolist() == pytest.approx([sure_success, 0.0, unsure_failure - 1])  # not below 0


def test_ucas_direction():
    """Sure failures and unsure successes count more; a group of one or of equals keeps its advantages."""
    certainty = torch.tensor([2.0, 1.0, 2.0, 1.0])
    advantages, rows = torch.tensor([1.0, 1.0, -1.0, -1.0]), torch.arange(4)
    groups, flat = torch.tensor([5, 5, -2, -2]), torch.zeros(4)
    found = ucas(advantages, certainty, flat, rows, groups, penalty=0.0)
    assert found[1] > 1 > found[0] > 0 and found[2] < -1 < found[3] < 0
    assert ucas(advantages, certainty, flat, rows, rows, penalty=0.0).tolist() == advantages.tolist()
    assert ucas(advantages, flat, flat, rows, groups, penalty=0.0).tolist() == advantages.tolist()
    with_penalty = ucas(advantages, flat, flat, rows, groups, penalty=0.1)  # equal logits count as 0.5
    assert with_penalty.tolist() == pytest.approx([0.95, 0.95, -1.05, -1.05])


def test_ucas_any_group_numbers_and_order():
    g = torch.Generator().manual_seed(1)
    rows = torch.tensor([0, 0, 1, 2, 2, 3])
    values = [torch.randn(6, generator=g, dtype=torch.float64) for _ in range(3)]
    found = ucas(*values, rows, torch.tensor([0, 1, 0, 1]))
    assert torch.equal(found, ucas(*values, rows, torch.tensor([9, -4, 9, -4])))
    order = torch.tensor([3, 4, 5, 0, 1, 2])  # rows 2, 3, 0, 1
    moved = ucas(*(v[order] for v in values), torch.tensor([0, 0, 1, 2, 2, 3]), torch.tensor([0, 1, 0, 1]))
    torch.testing.assert_close(moved, found[order], rtol=1e-12, atol=0)


def test_factors_multiply():
    data = TokenBatch(
        logps=torch.tensor([-1.0, -1.0]),
        old_logps=torch.tensor([-1.0, -1.0]),
        sampler_logps=torch.tensor([-1.5, -3.0]),
        advantages=torch.tensor([1.0, 1.0]),
        rows=torch.tensor([0, 1]),
        turns=torch.tensor([0, 0]),
        entropy=torch.tensor([0.0, 1.0]),
    )
    assert token_factors(data, ()) is None
    found = token_factors(data, (Importance(high=5.0), HighEntropyMask(keep=0.5)))
    assert found is not None and found.tolist() == pytest.approx([0.0, 5.0])  # exp(0.5) * 0, min(exp(2), 5) * 1
    with pytest.raises(SettingsError, match="magic"):
        TOKEN_WEIGHTS.settings_of("magic")
    with pytest.raises(SettingsError, match="upper"):
        Importance(upper=5.0)
    without = TokenBatch(**{n: getattr(data, n) for n in ("logps", "old_logps", "advantages", "rows", "turns")})
    with pytest.raises(UsageError, match="sampler_logps"):
        token_factors(without, (Importance(),))


def test_strengths_that_cannot_be():
    one, first = torch.zeros(1), torch.zeros(1, dtype=torch.int64)
    for setting in ({"penalty": -1.0}, {"beta_positive": math.nan}, {"eps": math.nan}, {"ddof": 2}):
        with pytest.raises(SettingsError, match=f"{next(iter(setting))} is .*; it must be "):
            ucas(one, one, one, first, first, **setting)
