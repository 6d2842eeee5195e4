"""The loss: values by hand, gradients by differences, sums that do not depend on the split."""

import math

import pytest
import torch
from torch import Tensor

from turnwise.baselines.grpo.loss import kl_estimate, loss_denominator, policy_loss
from turnwise.errors import SettingsError


def vectors(n: int = 12, seed: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    g = torch.Generator().manual_seed(seed)
    old = -torch.rand(n, generator=g, dtype=torch.float64) * 3
    logps = old + torch.randn(n, generator=g, dtype=torch.float64) * 0.3
    ref = old + torch.randn(n, generator=g, dtype=torch.float64) * 0.2
    return logps, old, torch.randn(n, generator=g, dtype=torch.float64), ref


def test_clip_by_hand():
    ratio = torch.tensor([1.5, 1.5, 0.5, 0.5, 1.0], dtype=torch.float64)
    advantage = torch.tensor([1.0, -1.0, 1.0, -1.0, 2.0], dtype=torch.float64)
    logps = ratio.log().requires_grad_()
    loss, stats = policy_loss(logps, torch.zeros(5, dtype=torch.float64), advantage, denominator=5.0)
    expected = -(1.28 - 1.5 + 0.5 - 0.8 + 2.0) / 5
    assert loss.item() == pytest.approx(expected)
    assert stats.tokens == 5 and stats.clipped.item() == 2
    (gradient,) = torch.autograd.grad(loss, logps)
    assert gradient.tolist() == pytest.approx([0.0, 1.5 / 5, -0.5 / 5, 0.0, -2.0 / 5])


def test_kl_by_hand():
    logp, ref = torch.tensor([-1.0]), torch.tensor([-1.5])
    assert kl_estimate(logp, ref, "k1").item() == pytest.approx(0.5)
    assert kl_estimate(logp, ref, "k2").item() == pytest.approx(0.125)
    assert kl_estimate(logp, ref, "k3").item() == pytest.approx(math.exp(-0.5) + 0.5 - 1)
    with pytest.raises(SettingsError, match="k1"):
        kl_estimate(logp, ref, "k4")


def test_kl_estimators_are_unbiased_or_known():
    """Over the whole distribution, k1 and k3 average to the divergence."""
    p, q = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.2, 0.3, 0.5])
    truth = (p * (p / q).log()).sum().item()
    for kind in ("k1", "k3"):
        assert (p * kl_estimate(p.log(), q.log(), kind)).sum().item() == pytest.approx(truth, abs=1e-6)


@pytest.mark.parametrize("kind", ["k1", "k2"])
def test_kl_pulls_the_right_way(kind):
    """On policy, the expected gradient of k2 in the loss and of k1 in the reward is that of the true divergence."""
    weights = torch.tensor([0.3, -0.4, 0.6], dtype=torch.float64, requires_grad=True)
    q = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64).log()
    logp = weights.log_softmax(0)
    p = logp.detach().exp()
    (truth,) = torch.autograd.grad((logp.exp() * (logp - q)).sum(), weights, retain_graph=True)
    total = torch.zeros(3, dtype=torch.float64)
    for a in range(3):  # every outcome, weighted by its probability
        one = logp[a : a + 1]
        loss, _ = policy_loss(
            one, one.detach(), torch.zeros(1, dtype=torch.float64),
            denominator=1.0, ref_logps=q[a : a + 1], kl_coef=1.0, kl_estimator=kind,
        )  # fmt: skip
        (gradient,) = torch.autograd.grad(loss, weights, retain_graph=True)
        total += p[a] * gradient
    assert total.tolist() == pytest.approx(truth.tolist())


@pytest.mark.parametrize("kind", ["k1", "k2", "k3"])
def test_gradient_by_differences(kind):
    logps, old, advantages, ref = vectors()

    def loss_of(x: Tensor) -> Tensor:
        return policy_loss(
            x, old, advantages, denominator=7.0, ref_logps=ref, kl_coef=0.1, kl_estimator=kind
        )[0]  # fmt: skip

    assert torch.autograd.gradcheck(loss_of, (logps.requires_grad_(),), eps=1e-6, atol=1e-6)


def test_any_split_gives_the_same_loss_and_gradient():
    logps, old, advantages, ref = vectors(24)
    options = {"denominator": 24.0, "kl_coef": 0.05, "kl_estimator": "k3"}
    whole_in = logps.clone().requires_grad_()
    whole, whole_stats = policy_loss(whole_in, old, advantages, ref_logps=ref, **options)
    whole.backward()
    for cuts in ([24], [1] * 24, [5, 7, 12], [23, 1]):
        split_in = logps.clone().requires_grad_()
        total, clipped, at = 0.0, 0, 0
        for n in cuts:
            part = slice(at, at + n)
            loss, stats = policy_loss(split_in[part], old[part], advantages[part], ref_logps=ref[part], **options)
            loss.backward()
            total, clipped, at = total + loss.item(), clipped + int(stats.clipped), at + n
        assert total == pytest.approx(whole.item(), rel=1e-12)
        assert clipped == int(whole_stats.clipped)
        torch.testing.assert_close(split_in.grad, whole_in.grad, rtol=1e-12, atol=0)


def test_denominators():
    assert loss_denominator("token_mean", tokens=40, rollouts=4, max_tokens=30) == 40
    assert loss_denominator("constant", tokens=40, rollouts=4, max_tokens=30) == 120
    with pytest.raises(SettingsError, match="token_mean"):
        loss_denominator("mean", tokens=1, rollouts=1, max_tokens=1)
