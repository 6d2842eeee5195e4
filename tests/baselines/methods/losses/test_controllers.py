"""Coefficients that follow the run."""

import pytest
import torch

from turnwise.baselines.methods.loss_settings import AdaptiveEntropy
from turnwise.baselines.methods.losses.controllers import adaptive_entropy_coef, amft_meta_gradient, amft_weight
from turnwise.core.errors import SettingsError


def test_entropy_coefficient_by_hand():
    """Below the target it rises and acts; above, it falls and rests; at the bounds it stays."""
    settings = {"target": 0.2, "step": 0.01, "low": 0.0, "high": 0.025}
    state, used = 0.0, []
    for entropy in (0.1, 0.1, 0.1, 0.3, 0.3, 0.3, 0.1):
        state, now = adaptive_entropy_coef(state, entropy, AdaptiveEntropy(**settings))
        used.append((round(state, 6), round(now, 6)))
    assert used == [(0.01, 0.01), (0.02, 0.02), (0.025, 0.025), (0.015, 0), (0.005, 0), (0, 0), (0.01, 0.01)]
    with pytest.raises(SettingsError, match="low"):
        AdaptiveEntropy(low=1.0)


def test_amft_weight_by_hand():
    """0.5 + 0.1 * (0.8 - 0.3) + 0.2 * 0.25; a policy surer than the target imitates more."""
    assert amft_weight(
        0.5, 0.3, 0.25, target_entropy=0.8, entropy_lr=0.1, meta_lr=0.2
    ) == pytest.approx(0.6)  # fmt: skip
    assert amft_weight(0.5, 0.9, target_entropy=0.8, entropy_lr=0.1) == pytest.approx(0.49)
    assert amft_weight(0.5, 0.0, target_entropy=100.0, entropy_lr=1.0) == 0.95
    assert amft_weight(0.5, 100.0, target_entropy=0.0, entropy_lr=1.0) == 0.05
    with pytest.raises(SettingsError, match="high"):
        amft_weight(0.5, 0.1, target_entropy=0.1, high=2.0)


def test_meta_gradient_is_that_of_the_utility():
    """Quadratic losses: -d L_val / d mu through one step of gradient descent, by central differences."""
    theta = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64)
    sft_at, rl_at, val_at = (torch.tensor(v, dtype=torch.float64) for v in ([1.0, 0, 0], [0.0, 1, 1], [2.0, 0, 1]))
    lr, mu = 0.1, 0.4

    def validation(m: float) -> float:
        new = theta - lr * ((1 - m) * (theta - rl_at) + m * (theta - sft_at))
        return (0.5 * (new - val_at).square().sum()).item()

    truth = -(validation(mu + 1e-5) - validation(mu - 1e-5)) / 2e-5
    new = theta - lr * ((1 - mu) * (theta - rl_at) + mu * (theta - sft_at))
    found = amft_meta_gradient([new - val_at], [theta - sft_at], [theta - rl_at], lr=lr)
    assert found.item() == pytest.approx(truth, rel=1e-6)
    assert validation(mu + 0.1 * truth) < validation(mu)  # following it lowers the held-out loss
