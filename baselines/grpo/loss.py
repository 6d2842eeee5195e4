"""The policy-gradient loss on the sampled tokens of a micro-batch. Pure torch.

Legend: N sampled tokens, all rows of the micro-batch one after the other; every tensor has shape (N,).
Context tokens never come here, so there is no mask to forget.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from turnwise.errors import SettingsError

__all__ = ["LossStats", "kl_estimate", "loss_denominator", "policy_loss"]


@dataclass(frozen=True)
class LossStats:
    """Sums over the tokens of a micro-batch: they add up, whatever the split."""

    tokens: int
    clipped: Tensor  # tokens whose gradient the clip removed
    kl_old: Tensor  # k3 estimate of the divergence from the sampling policy
    kl_ref: Tensor  # the chosen estimate of the divergence from the reference


def policy_loss(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    *,
    denominator: float,
    clip_low: float = 0.2,
    clip_high: float = 0.28,
    ref_logps: Tensor | None = None,
    kl_coef: float = 0.0,
    kl_estimator: str = "k3",
) -> tuple[Tensor, LossStats]:
    """L = (1/denominator) sum_n [-min(rho_n A_n, clip(rho_n, 1-low, 1+high) A_n) + kl_coef KL_n].

    rho = exp(logp - old). ``denominator`` belongs to the whole optimiser update, not to this micro-batch, so
    the losses of any split into micro-batches sum to the loss of the update.

    Source: clipped objective, Schulman et al. 2017, PPO, arXiv:1707.06347, equation 7; separate bounds and
    token mean, Yu et al. 2025, DAPO, arXiv:2503.14476, sections 3.1 and 3.3; divergence as a term of the
    loss, arXiv:2402.03300, equation 3.
    """
    log_ratio = logps - old_logps
    ratio = log_ratio.exp()
    kl_ref = torch.zeros_like(logps)
    if ref_logps is not None and kl_coef > 0:
        kl_ref = kl_estimate(logps, ref_logps, kl_estimator)
        if kl_estimator == "k1":  # part of the reward: as a term of the loss its mean gradient would be zero
            advantages = advantages - kl_coef * (old_logps - ref_logps)
    surrogate = torch.minimum(ratio * advantages, ratio.clamp(1 - clip_low, 1 + clip_high) * advantages)
    loss = -surrogate.sum()
    if kl_coef > 0 and kl_estimator != "k1":
        loss = loss + kl_coef * kl_ref.sum()
    with torch.no_grad():
        removed = ((advantages > 0) & (ratio > 1 + clip_high)) | ((advantages < 0) & (ratio < 1 - clip_low))
        kl_old = (ratio - 1 - log_ratio).sum()
    return loss / denominator, LossStats(logps.numel(), removed.sum(), kl_old, kl_ref.detach().sum())


def kl_estimate(logps: Tensor, ref_logps: Tensor, kind: str) -> Tensor:
    """Per-token estimate of KL(policy || reference) from tokens that the policy sampled.

    - k1 = logp - ref: unbiased, noisy, can be negative. Its own gradient has mean zero, so the loss uses it
      as a penalty in the reward instead.
    - k2 = (logp - ref)^2 / 2: biased value; its gradient is, on policy, that of the divergence.
    - k3 = exp(ref - logp) - (ref - logp) - 1: unbiased and never negative; its gradient is, on policy, that
      of the forward divergence KL(reference || policy). This is the one of the GRPO paper.

    Source: Schulman 2020, Approximating KL Divergence, http://joschu.net/blog/kl-approx.html; k3 in a loss,
    arXiv:2402.03300, equation 4.
    """
    delta = logps - ref_logps
    if kind == "k1":
        return delta
    if kind == "k2":
        return 0.5 * delta.square()
    if kind == "k3":
        return (-delta).exp() + delta - 1
    raise SettingsError(f"kl_estimator must be 'k1', 'k2' or 'k3', not {kind!r}")


def loss_denominator(kind: str, *, tokens: int, rollouts: int, max_tokens: int) -> float:
    """What the summed token losses of one optimiser update are divided by.

    ``token_mean``: the sampled tokens of the update, so each token weighs the same (DAPO, arXiv:2503.14476,
    section 3.3). ``constant``: rollouts x the most tokens a rollout can have, so the weight of a token does
    not depend on how long the rollouts turned out (Dr. GRPO, arXiv:2503.20783, section 3.2).
    """
    if kind == "token_mean":
        return float(max(tokens, 1))
    if kind == "constant":
        return float(max(rollouts * max_tokens, 1))
    raise SettingsError(f"loss_norm must be 'token_mean' or 'constant', not {kind!r}")
