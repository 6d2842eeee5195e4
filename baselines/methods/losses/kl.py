"""Per-token estimates of KL(policy || reference) from tokens that the policy sampled."""

from collections.abc import Callable

import torch
from torch import Tensor

from turnwise.baselines.methods.losses.ratio import same_shape
from turnwise.core.errors import SettingsError

__all__ = ["KL_ESTIMATORS", "kl_estimate", "kl_reward"]


def _k1(logps: Tensor, ref_logps: Tensor) -> Tensor:
    return logps - ref_logps


def _k2(logps: Tensor, ref_logps: Tensor) -> Tensor:
    return 0.5 * (logps - ref_logps).square()


def _k3(logps: Tensor, ref_logps: Tensor) -> Tensor:
    delta = logps - ref_logps
    return (-delta).exp() + delta - 1


def _k3_plus(logps: Tensor, ref_logps: Tensor) -> Tensor:
    k2 = _k2(logps, ref_logps)
    return k2 - k2.detach() + _k3(logps.detach(), ref_logps)


def _abs(logps: Tensor, ref_logps: Tensor) -> Tensor:
    return (logps - ref_logps).abs()


KL_ESTIMATORS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "k1": _k1,
    "k2": _k2,
    "k3": _k3,
    "k3+": _k3_plus,
    "abs": _abs,
}
"""Config name -> estimator of (logps, ref_logps)."""


def kl_estimate(logps: Tensor, ref_logps: Tensor, kind: str, old_logps: Tensor | None = None) -> Tensor:
    """Per-token estimate of KL(policy || reference); (n,), with gradients to ``logps``.

    With d = logp - ref, and what a loss gets as expected gradient on policy:

    - ``k1`` = d: unbiased, noisy, can be negative; gradient zero, so as a loss it does nothing.
    - ``k2`` = d^2 / 2: biased value; the gradient of KL(policy || reference).
    - ``k3`` = exp(-d) + d - 1: unbiased, never negative; the gradient of KL(reference || policy). The one of GRPO.
    - ``k3+``: the value of k3 with the gradient of k2.
    - ``abs`` = |d|: a distance, not an estimate of the divergence.

    Args:
        logps: (n,) of the policy.
        ref_logps: (n,) of the reference.
        kind: the estimator.
        old_logps: (n,) of the policy that sampled the tokens. With them the estimate is multiplied by
            exp(logp - old), gradient included: then k1 and k3 have the true gradient of KL(policy || reference)
            in expectation, also off policy.

    Raises:
        SettingsError: for another ``kind``.

    Source: Schulman 2020, Approximating KL Divergence, http://joschu.net/blog/kl-approx.html; k3 in a loss,
    Shao et al. 2024, GRPO, arXiv:2402.03300, equation 4; the correction, DeepSeek-V3.2, arXiv:2512.02556,
    equation 7; ``k3+`` and ``abs`` as in verl's ``kl_penalty``.
    """
    if kind not in KL_ESTIMATORS:
        raise SettingsError(f"kl_estimator must be one of {list(KL_ESTIMATORS)}, not {kind!r}")
    same_shape(logps=logps, ref_logps=ref_logps, old_logps=logps if old_logps is None else old_logps)
    estimate = KL_ESTIMATORS[kind](logps, ref_logps)
    return estimate if old_logps is None else (logps - old_logps).exp() * estimate


def kl_reward(old_logps: Tensor, ref_logps: Tensor, *, coef: float, kind: str = "k1") -> Tensor:
    """-coef * KL estimate: a reward per token, (n,), no gradient.

    Added to token rewards before credit is assigned, it is the penalty of Ouyang et al. 2022, arXiv:2203.02155,
    equation 2. Added to the advantages, as ``policy_loss`` does, each token answers for its own divergence only.
    """
    with torch.no_grad():
        return -(coef * kl_estimate(old_logps, ref_logps, kind))
