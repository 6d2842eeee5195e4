"""Importance weights, off-policy masks and what tells of them."""

import math

import pytest
import torch

from turnwise.baselines.methods.losses.correction import (
    dppo_tv_mask,
    importance_weights,
    off_policy_sequence_mask,
    ratio_metrics,
)
from turnwise.core.errors import SettingsError

ROWS = torch.tensor([0, 0, 1])
SAMPLER = torch.tensor([-2.0, -2.0, -3.0], dtype=torch.float64)
OLD = SAMPLER + torch.tensor([4.0, 0.25, 0.1], dtype=torch.float64).log()  # ratios 4, 1/4, 1/10


@pytest.mark.parametrize(
    ("level", "kind", "low", "high", "expected"),
    [
        ("token", "truncate", 0.0, 2.0, [2.0, 0.25, 0.1]),
        ("token", "truncate", 0.2, 2.0, [2.0, 0.25, 0.2]),
        ("token", "mask", 0.2, 2.0, [0.0, 0.25, 0.0]),
        ("sequence", "truncate", 0.0, 2.0, [1.0, 1.0, 0.1]),  # 4 * 1/4
        ("sequence", "mask", 0.5, 2.0, [1.0, 1.0, 0.0]),
        ("geometric", "truncate", 0.0, 2.0, [1.0, 1.0, 0.1]),
    ],
)
def test_weights(level, kind, low, high, expected):
    found = importance_weights(OLD.requires_grad_(), SAMPLER, ROWS, level=level, kind=kind, low=low, high=high)
    assert found.tolist() == pytest.approx(expected) and not found.requires_grad


def test_geometric_is_the_root_of_the_product():
    old = SAMPLER + torch.tensor([8.0, 0.5, 1.0], dtype=torch.float64).log()
    product = importance_weights(old, SAMPLER, ROWS, level="sequence", high=9.0)
    root = importance_weights(old, SAMPLER, ROWS, level="geometric", high=9.0)
    assert product.tolist() == pytest.approx([4.0, 4.0, 1.0])
    assert root.tolist() == pytest.approx([2.0, 2.0, 1.0])


def test_equal_policies_weigh_one():
    for level in ("token", "sequence", "geometric"):
        for kind in ("truncate", "mask"):
            found = importance_weights(SAMPLER, SAMPLER, ROWS, level=level, kind=kind)
            assert found.tolist() == [1.0, 1.0, 1.0]


def test_weights_refuse():
    for settings, word in [({"level": "turn"}, "level"), ({"kind": "clip"}, "kind"), ({"low": 3.0}, "low")]:
        with pytest.raises(SettingsError, match=word):
            importance_weights(OLD, SAMPLER, ROWS, **settings)


def test_off_policy_sequence_mask():
    """Rows drift by 0.6, 0.6 and 0.2 nats per token; only the second has A < 0 and too much drift."""
    rows = torch.tensor([0, 0, 1, 1, 2])
    sampler = torch.zeros(5) - 1
    logps = sampler - torch.tensor([0.4, 0.8, 1.2, 0.0, 0.2])
    advantages = torch.tensor([1.0, 1.0, -1.0, -1.0, -1.0])
    assert off_policy_sequence_mask(logps, sampler, advantages, rows).tolist() == [1, 1, 0, 0, 1]
    assert off_policy_sequence_mask(logps, sampler, advantages, rows, delta=0.1).tolist() == [1, 1, 0, 0, 0]
    assert off_policy_sequence_mask(logps, sampler, advantages, rows, delta=0.7).tolist() == [1, 1, 1, 1, 1]
    unlike = torch.tensor([1.0, -1.0, -1.0, 0.0, 1.0])
    assert off_policy_sequence_mask(logps, sampler, unlike, rows).tolist() == [1, 0, 0, 1, 1]
    assert off_policy_sequence_mask(2 * sampler - logps, sampler, -advantages, rows).tolist() == [1] * 5  # other sign


def test_dppo_tv_mask():
    """Shifts of probability +0.3, +0.3, -0.3, -0.3, +0.1: masked are those that the advantage would drive on."""
    sampler = torch.tensor([0.5, 0.5, 0.5, 0.5, 0.5])
    policy = torch.tensor([0.8, 0.8, 0.2, 0.2, 0.6])
    advantages = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0])
    assert dppo_tv_mask(policy.log(), sampler.log(), advantages).tolist() == [0, 1, 1, 0, 1]
    assert dppo_tv_mask(policy.log(), sampler.log(), advantages, low=0.35).tolist() == [0, 1, 1, 1, 1]
    rare = torch.tensor([1e-3, 1e-4])  # ten times as likely, and yet no distance: not masked
    assert dppo_tv_mask(rare.log()[:1], rare.log()[1:], torch.ones(1)).tolist() == [1]


def test_metrics():
    """Ratios 4, 1/4, 1/10 of tokens; 1 and 1/10 of rows: ess = 1.1^2 / (2 * 1.01)."""
    tokens = ratio_metrics(OLD, SAMPLER, ROWS)
    assert tokens["max_ratio"].item() == pytest.approx(4.0)
    assert tokens["mean_ratio"].item() == pytest.approx(4.35 / 3)
    assert tokens["ess"].item() == pytest.approx(4.35**2 / (3 * (16 + 0.0625 + 0.01)))
    assert tokens["max_gap"].item() == pytest.approx(math.log(10))
    rows = ratio_metrics(OLD, SAMPLER, ROWS, level="sequence")
    assert rows["ess"].item() == pytest.approx(1.1**2 / (2 * 1.01))
    assert ratio_metrics(SAMPLER, SAMPLER, ROWS, level="geometric")["ess"].item() == pytest.approx(1.0)


def test_bounds_that_cannot_be():
    one = torch.zeros(1)
    for call in (
        lambda: dppo_tv_mask(one, one, one, low=-0.1),
        lambda: dppo_tv_mask(one, one, one, high=math.nan),
        lambda: off_policy_sequence_mask(one, one, one, torch.zeros(1, dtype=torch.int64), delta=math.nan),
    ):
        with pytest.raises(SettingsError, match="must be"):
            call()
