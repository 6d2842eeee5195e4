"""The objectives that are minimised per token, before aggregation.

Legend: n sampled tokens of whole rows; logps, old_logps, ... (n,) log-probabilities of these tokens, advantages (n,)
without gradient, rows and turns (n,) int64. rho is a probability ratio, sg stops the gradient. Every function
returns the term (n,). ``stats``, where a function takes it, is not a setting: a dictionary given there receives
``clipped``, the number of tokens whose gradient the clip removed or whose weight it cut.
"""

import torch
from torch import Tensor

from turnwise.baselines.methods.kinds import loss
from turnwise.baselines.methods.loss_settings import (
    Aipo,
    Cispo,
    DecoupledPpo,
    DualClip,
    Gspo,
    Luspo,
    PpoClip,
    Reinforce,
    Sft,
)
from turnwise.baselines.methods.losses.ratio import probability_ratio, same_shape

__all__ = [
    "aipo", "cispo", "decoupled_ppo", "dual_clip", "gspo", "luspo", "ppo_clip", "reinforce", "sft",
]  # fmt: skip

Stats = dict[str, Tensor]


@loss(PpoClip, needs=("logps", "old_logps", "advantages", "rows", "turns"), stats=True)
def ppo_clip(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    settings: PpoClip,
    *,
    stats: Stats | None = None,
) -> Tensor:
    """-min(rho A, clip(rho, 1 - clip_low, 1 + clip_high) A).

    rho is the ratio of the token, or with ``level`` that of its turn or row (``reduce``: the product of the
    ratios of its tokens, or with "mean" their geometric mean), the same for all of the unit's tokens. With
    ``sequence_mean``, level "sequence" and one advantage per row that is one clipped term per rollout.

    Source: Schulman et al. 2017, PPO, arXiv:1707.06347, equation 7; two bounds, Yu et al. 2025, DAPO,
    arXiv:2503.14476, section 3.1; levels, Chen et al. 2025, LOOP, arXiv:2502.01600.
    """
    ratio = probability_ratio(logps, old_logps, rows, turns, level=settings.level, reduce=settings.reduce)
    return _clipped(ratio, advantages, settings.clip_low, settings.clip_high, stats)


@loss(DualClip, needs=("logps", "old_logps", "advantages", "rows", "turns"), stats=True)
def dual_clip(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    settings: DualClip,
    *,
    stats: Stats | None = None,
) -> Tensor:
    """``ppo_clip``, bounded where A < 0: -max(min(rho A, clip(rho) A), c A).

    Without the bound, a token that has become far more likely than it was weighs without limit when A < 0.

    Source: Ye et al. 2020, arXiv:1912.09729 (dual-clip PPO).

    Raises:
        SettingsError: unless c > 1.
    """
    ratio = probability_ratio(logps, old_logps, rows, turns, level=settings.level, reduce=settings.reduce)
    return _clipped(ratio, advantages, settings.clip_low, settings.clip_high, stats, settings.c)


@loss(Gspo, needs=("logps", "old_logps", "advantages", "rows", "turns"), stats=True)
def gspo(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    settings: Gspo,
    *,
    stats: Stats | None = None,
) -> Tensor:
    """-min(s A, clip(s, 1 - clip_low, 1 + clip_high) A), s = exp(mean over the row of (logp - old)).

    Published with ``sequence_mean``. The advantages of a row's tokens may differ (turns): each token then has
    a term of its own with the common ratio s. ``gradient`` says where it flows:

    - ``sequence``: through s, so each token of the row receives the mean of all their weights;
    - ``token``: s is sg(s) pi_t / sg(pi_t), so each token receives its own (GSPO-token).

    Where the advantages and the further weights of a row are equal, both give the same gradient.

    Source: Zheng et al. 2025, GSPO, arXiv:2507.18071, equations 5 to 7, section 5.1 for the bounds and section
    4.3 for GSPO-token.
    """
    if settings.gradient == "sequence":
        ratio = probability_ratio(logps, old_logps, rows, turns, level="sequence", reduce="mean")
    else:
        fixed = logps.detach()
        common = probability_ratio(fixed, old_logps, rows, turns, level="sequence", reduce="mean")
        ratio = common * (logps - fixed).exp()
    return _clipped(ratio, advantages, settings.clip_low, settings.clip_high, stats)


@loss(Luspo, needs=("logps", "old_logps", "advantages", "rows", "turns"), stats=True)
def luspo(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    settings: Luspo,
    *,
    stats: Stats | None = None,
) -> Tensor:
    """The term of ``gspo``, to be aggregated by ``sequence_sum``: mean over rows of |y| min(s A, clip(s) A).

    GSPO's mean over a row makes a token of a long row count less; the sum over its |y| equal terms does not.

    Source: Liu et al. 2026, LUSPO, arXiv:2602.05261; bounds, section 5.1.
    """
    return gspo(
        logps, old_logps, advantages, rows, turns,
        clip_low=settings.clip_low, clip_high=settings.clip_high, gradient=settings.gradient, stats=stats,
    )  # fmt: skip


@loss(Cispo, needs=("logps", "old_logps", "advantages"), stats=True)
def cispo(
    logps: Tensor, old_logps: Tensor, advantages: Tensor, settings: Cispo, *, stats: Stats | None = None
) -> Tensor:
    """-sg(min(max(rho, floor), cap)) A logp: the weight is cut, the gradient of no token is lost.

    Published code reads the cap in two ways: ``absolute``, min(rho, cap) (TRL), or ``one_plus``,
    min(rho, 1 + cap) (verl, SkyRL). The paper gives no value; 5 is the one that TRL recommends. It has no lower
    bound in effect, as here by default; the ``floor`` of verl is 1 - its lower clip.

    Source: MiniMax 2025, MiniMax-M1, arXiv:2506.13585 (CISPO).
    """
    return _weighted(
        logps,
        old_logps,
        advantages,
        settings.cap + 1 if settings.cap_kind == "one_plus" else settings.cap,
        stats,
        settings.floor,
    )


@loss(Aipo, needs=("logps", "sampler_logps", "advantages"), stats=True)
def aipo(
    logps: Tensor, sampler_logps: Tensor, advantages: Tensor, settings: Aipo, *, stats: Stats | None = None
) -> Tensor:
    """-sg(min(pi / mu, cap)) A logp, mu the policy that sampled, however many versions ago.

    Source: Wu et al. 2025, LlamaRL, arXiv:2505.24034 (AIPO). The default of ``cap`` is ours.
    """
    return _weighted(logps, sampler_logps, advantages, settings.cap, stats)


@loss(DecoupledPpo, needs=("logps", "prox_logps", "sampler_logps", "advantages", "rows", "turns"), stats=True)
def decoupled_ppo(
    logps: Tensor,
    prox_logps: Tensor,
    sampler_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    settings: DecoupledPpo,
    *,
    stats: Stats | None = None,
) -> Tensor:
    """The clipped term of pi / pi_prox, times w = min(pi_prox / mu, cap) without gradient.

    mu sampled the tokens, some versions ago; pi_prox is the policy at the start of this step, around which the
    update is clipped. ``cap_kind``: what becomes of w above the cap, ``truncate`` it to the cap or ``mask`` the
    token (AReaL's code).

    Source: Fu et al. 2025, AReaL, arXiv:2505.24298 (decoupled PPO objective); the cap is that of its code.
    """
    same_shape(logps=logps, prox_logps=prox_logps, sampler_logps=sampler_logps)
    weight = (prox_logps - sampler_logps).exp()
    weight = weight.clamp(max=settings.cap) if settings.cap_kind == "truncate" else weight * (weight <= settings.cap)
    ratio = probability_ratio(logps, prox_logps, rows, turns, level=settings.level, reduce=settings.reduce)
    return weight * _clipped(ratio, advantages, settings.clip_low, settings.clip_high, stats)


@loss(Reinforce, needs=("logps", "advantages"))
def reinforce(logps: Tensor, advantages: Tensor) -> Tensor:
    """-A logp. Source: Williams 1992, REINFORCE, Machine Learning 8, 229-256."""
    same_shape(logps=logps, advantages=advantages)
    return -advantages * logps


@loss(Sft, needs=("logps",))
def sft(logps: Tensor) -> Tensor:
    """-logp: imitation of the tokens, whoever wrote them."""
    return -logps


def _clipped(
    ratio: Tensor, advantages: Tensor, low: float, high: float, stats: Stats | None, c: float | None = None
) -> Tensor:
    """-min(ratio A, clip(ratio) A), from below bounded by c A where A < 0."""
    same_shape(logps=ratio, advantages=advantages)
    plain = ratio * advantages
    surrogate = torch.minimum(plain, ratio.clamp(1 - low, 1 + high) * advantages)
    if c is not None:
        surrogate = torch.where(advantages < 0, torch.maximum(surrogate, c * advantages), surrogate)
    if stats is not None:
        stats["clipped"] = (surrogate.detach() != plain.detach()).sum()
    return -surrogate


def _weighted(
    logps: Tensor, old_logps: Tensor, advantages: Tensor, cap: float, stats: Stats | None, floor: float = 0.0
) -> Tensor:
    """-sg(min(max(pi / pi_old, floor), cap)) A logp."""
    same_shape(logps=logps, old_logps=old_logps, advantages=advantages)
    ratio = (logps.detach() - old_logps).exp()
    if stats is not None:
        stats["clipped"] = ((ratio > cap) | (ratio < floor)).sum()
    return -(ratio.clamp(floor, cap) * advantages) * logps
