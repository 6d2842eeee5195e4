"""Divergence estimators, by exact enumeration over a small softmax policy: which value, which gradient."""

import math

import pytest
import torch
from torch import Tensor

from turnwise.baselines.methods.losses.kl import KL_ESTIMATORS, kl_estimate, kl_reward
from turnwise.core.errors import SettingsError

THETA = torch.tensor([0.3, -0.4, 0.6, 0.1], dtype=torch.float64)
REF = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64).log()


def divergences(theta: Tensor) -> dict[str, Tensor]:
    logp = theta.log_softmax(0)
    return {
        "reverse": (logp.exp() * (logp - REF)).sum(),  # KL(policy || reference)
        "forward": (REF.exp() * (REF - logp)).sum(),  # KL(reference || policy)
        "zero": 0 * theta.sum(),
    }


def expected_gradient(kind: str, theta: Tensor, behaviour: Tensor, *, corrected: bool = False) -> Tensor:
    """Mean over all outcomes, weighted by the behaviour policy, of the gradient of the estimate as a loss."""
    logp = theta.log_softmax(0)
    terms = kl_estimate(logp, REF, kind, behaviour.log() if corrected else None)
    return torch.autograd.grad((behaviour * terms).sum(), theta)[0]


def test_by_hand():
    logp, ref = torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -1.0])  # differences 0.5 and -1
    values = {
        "k1": [0.5, -1.0],
        "k2": [0.125, 0.5],
        "k3": [math.exp(-0.5) - 0.5, math.e - 2],
        "k3+": [math.exp(-0.5) - 0.5, math.e - 2],
        "abs": [0.5, 1.0],
    }
    assert set(values) == set(KL_ESTIMATORS)
    for kind, expected in values.items():
        assert kl_estimate(logp, ref, kind).tolist() == pytest.approx(expected, rel=1e-6)
    old = logp - math.log(2)
    assert kl_estimate(logp, ref, "k3", old).tolist() == pytest.approx([2 * v for v in values["k3"]], rel=1e-6)
    with pytest.raises(SettingsError, match="k9"):
        kl_estimate(logp, ref, "k9")


@pytest.mark.parametrize(("kind", "target"), [("k1", "zero"), ("k2", "reverse"), ("k3", "forward"), ("k3+", "reverse")])
def test_expected_gradient_on_policy(kind, target):
    theta = THETA.clone().requires_grad_()
    truth = torch.autograd.grad(divergences(theta)[target], theta)[0]
    found = expected_gradient(kind, theta, theta.detach().softmax(0))
    torch.testing.assert_close(found, truth, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", ["k1", "k3"])
@pytest.mark.parametrize("behaviour", [None, [0.4, 0.3, 0.2, 0.1]])
def test_corrected_gradient_is_exact_on_and_off_policy(kind, behaviour):
    theta = THETA.clone().requires_grad_()
    weights = theta.detach().softmax(0) if behaviour is None else torch.tensor(behaviour, dtype=torch.float64)
    truth = torch.autograd.grad(divergences(theta)["reverse"], theta)[0]
    torch.testing.assert_close(expected_gradient(kind, theta, weights, corrected=True), truth, rtol=1e-12, atol=1e-14)


def test_k2_is_biased_off_policy():
    """Negative control: without the correction no estimator has the true gradient once the sampler differs."""
    theta = THETA.clone().requires_grad_()
    truth = torch.autograd.grad(divergences(theta)["reverse"], theta)[0]
    for kind in ("k2", "k3", "k3+"):
        found = expected_gradient(kind, theta, torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64))
        assert (found - truth).abs().max() > 0.01


def test_values_on_policy():
    """k1, k3 and k3+ average to the divergence; k2 does not."""
    p, logp = THETA.softmax(0), THETA.log_softmax(0)
    truth = divergences(THETA)["reverse"].item()
    means = {kind: (p * kl_estimate(logp, REF, kind)).sum().item() for kind in KL_ESTIMATORS}
    for kind in ("k1", "k3", "k3+"):
        assert means[kind] == pytest.approx(truth, rel=1e-12)
    assert abs(means["k2"] - truth) > 0.001


@pytest.mark.parametrize("kind", [k for k in KL_ESTIMATORS if k != "k3+"])
def test_gradient_by_differences(kind):
    logps = torch.tensor([-1.0, -0.3, -2.0], dtype=torch.float64, requires_grad=True)
    ref = torch.tensor([-0.7, -0.9, -2.2], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: kl_estimate(x, ref, kind), (logps,))
    assert torch.autograd.gradcheck(lambda x: kl_estimate(x, ref, kind, ref + 0.1), (logps,))


def test_reward():
    old, ref = torch.tensor([-1.0, -2.0], requires_grad=True), torch.tensor([-1.5, -1.0])
    penalty = kl_reward(old, ref, coef=0.2)
    assert penalty.tolist() == pytest.approx([-0.1, 0.2]) and not penalty.requires_grad
    assert kl_reward(old, ref, coef=0.2, kind="k2").tolist() == pytest.approx([-0.025, -0.1])


def test_k1_in_the_reward_has_the_true_gradient():
    """REINFORCE on the reward -k1 descends KL(policy || reference) exactly; k1 as a loss stands still."""
    theta = THETA.clone().requires_grad_()
    logp = theta.log_softmax(0)
    reward = kl_reward(logp, REF, coef=1.0)
    found = torch.autograd.grad((logp.detach().exp() * -reward * logp).sum(), theta)[0]
    truth = torch.autograd.grad(divergences(theta)["reverse"], theta)[0]
    torch.testing.assert_close(found, truth, rtol=1e-12, atol=1e-14)
