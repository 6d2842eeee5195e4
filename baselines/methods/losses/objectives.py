"""What is minimised per token, before aggregation.

Legend: n sampled tokens of whole rows; logps, old_logps, ... (n,) log-probabilities of these tokens, advantages (n,)
without gradient, rows and turns (n,) int64. rho is a probability ratio, sg stops the gradient. Every function
returns the term (n,). ``stats``, where a function takes it, is no setting: a dictionary given there receives
``clipped``, the number of tokens whose gradient the clip removed or whose weight it cut.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from turnwise.baselines.methods.losses.hybrid import policy_shaping, rl_plus
from turnwise.baselines.methods.losses.ratio import probability_ratio, same_shape
from turnwise.baselines.methods.registry import choice
from turnwise.core.errors import SettingsError

__all__ = [
    "OBJECTIVES", "aipo", "cispo", "decoupled_ppo", "dual_clip", "gspo", "luspo", "ppo_clip", "reinforce", "sft",
]  # fmt: skip

Stats = dict[str, Tensor]


def ppo_clip(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    *,
    clip_low: float = 0.2,
    clip_high: float = 0.28,
    level: str = "token",
    reduce: str = "sum",
    stats: Stats | None = None,
) -> Tensor:
    """-min(rho A, clip(rho, 1 - clip_low, 1 + clip_high) A).

    rho is the ratio of the token, or with ``level`` that of its turn or row (``reduce``: the product of the
    ratios of its tokens, or with "mean" their geometric mean), the same for all of the unit's tokens. With
    ``sequence_mean``, level "sequence" and one advantage per row that is one clipped term per rollout.

    Source: Schulman et al. 2017, PPO, arXiv:1707.06347, equation 7; two bounds, Yu et al. 2025, DAPO,
    arXiv:2503.14476, section 3.1; levels, Chen et al. 2025, LOOP, arXiv:2502.01600.
    """
    ratio = probability_ratio(logps, old_logps, rows, turns, level=level, reduce=reduce)
    return _clipped(ratio, advantages, clip_low, clip_high, stats)


def dual_clip(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    *,
    c: float = 3.0,
    clip_low: float = 0.2,
    clip_high: float = 0.28,
    level: str = "token",
    reduce: str = "sum",
    stats: Stats | None = None,
) -> Tensor:
    """``ppo_clip``, bounded where A < 0: -max(min(rho A, clip(rho) A), c A).

    Without the bound, a token that has become far more likely than it was weighs without limit when A < 0.

    Source: Ye et al. 2020, arXiv:1912.09729 (dual-clip PPO).

    Raises:
        SettingsError: unless c > 1.
    """
    if not c > 1:
        raise SettingsError(f"c must be greater than 1, not {c!r}: it bounds ratios that are too high")
    ratio = probability_ratio(logps, old_logps, rows, turns, level=level, reduce=reduce)
    return _clipped(ratio, advantages, clip_low, clip_high, stats, c)


def gspo(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    *,
    clip_low: float = 3e-4,
    clip_high: float = 4e-4,
    gradient: str = "sequence",
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
    choice("gradient", gradient, ("sequence", "token"))
    if gradient == "sequence":
        ratio = probability_ratio(logps, old_logps, rows, turns, level="sequence", reduce="mean")
    else:
        fixed = logps.detach()
        common = probability_ratio(fixed, old_logps, rows, turns, level="sequence", reduce="mean")
        ratio = common * (logps - fixed).exp()
    return _clipped(ratio, advantages, clip_low, clip_high, stats)


def luspo(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    *,
    clip_low: float = 2e-3,
    clip_high: float = 2.5e-3,
    gradient: str = "sequence",
    stats: Stats | None = None,
) -> Tensor:
    """The term of ``gspo``, to be aggregated by ``sequence_sum``: mean over rows of |y| min(s A, clip(s) A).

    GSPO's mean over a row makes a token of a long row count less; the sum over its |y| equal terms does not.

    Source: Liu et al. 2026, LUSPO, arXiv:2602.05261; bounds, section 5.1.
    """
    return gspo(
        logps, old_logps, advantages, rows, turns,
        clip_low=clip_low, clip_high=clip_high, gradient=gradient, stats=stats,
    )  # fmt: skip


def cispo(
    logps: Tensor,
    old_logps: Tensor,
    advantages: Tensor,
    *,
    cap: float = 5.0,
    cap_kind: str = "absolute",
    floor: float = 0.0,
    stats: Stats | None = None,
) -> Tensor:
    """-sg(min(max(rho, floor), cap)) A logp: the weight is cut, the gradient of no token is lost.

    Published code reads the cap in two ways: ``absolute``, min(rho, cap) (TRL), or ``one_plus``,
    min(rho, 1 + cap) (verl, SkyRL). The paper gives no value; 5 is the one that TRL recommends. It has no lower
    bound in effect, as here by default; the ``floor`` of verl is 1 - its lower clip.

    Source: MiniMax 2025, MiniMax-M1, arXiv:2506.13585 (CISPO).
    """
    choice("cap_kind", cap_kind, ("absolute", "one_plus"))
    return _weighted(logps, old_logps, advantages, cap + 1 if cap_kind == "one_plus" else cap, stats, floor)


def aipo(
    logps: Tensor,
    sampler_logps: Tensor,
    advantages: Tensor,
    *,
    cap: float = 2.0,
    stats: Stats | None = None,
) -> Tensor:
    """-sg(min(pi / mu, cap)) A logp, mu the policy that sampled, however many versions ago.

    Source: Wu et al. 2025, LlamaRL, arXiv:2505.24034 (AIPO). The default of ``cap`` is ours.
    """
    return _weighted(logps, sampler_logps, advantages, cap, stats)


def decoupled_ppo(
    logps: Tensor,
    prox_logps: Tensor,
    sampler_logps: Tensor,
    advantages: Tensor,
    rows: Tensor,
    turns: Tensor,
    *,
    clip_low: float = 0.2,
    clip_high: float = 0.2,
    cap: float = 5.0,
    cap_kind: str = "truncate",
    level: str = "token",
    reduce: str = "sum",
    stats: Stats | None = None,
) -> Tensor:
    """The clipped term of pi / pi_prox, times w = min(pi_prox / mu, cap) without gradient.

    mu sampled the tokens, some versions ago; pi_prox is the policy at the start of this step, around which the
    update is clipped. ``cap_kind``: what becomes of w above the cap, ``truncate`` it to the cap or ``mask`` the
    token (AReaL's code).

    Source: Fu et al. 2025, AReaL, arXiv:2505.24298 (decoupled PPO objective); the cap is that of its code.
    """
    choice("cap_kind", cap_kind, ("truncate", "mask"))
    if not cap > 0:
        raise SettingsError(f"cap must be greater than 0, not {cap!r}")
    same_shape(logps=logps, prox_logps=prox_logps, sampler_logps=sampler_logps)
    weight = (prox_logps - sampler_logps).exp()
    weight = weight.clamp(max=cap) if cap_kind == "truncate" else weight * (weight <= cap)
    ratio = probability_ratio(logps, prox_logps, rows, turns, level=level, reduce=reduce)
    return weight * _clipped(ratio, advantages, clip_low, clip_high, stats)


def reinforce(logps: Tensor, advantages: Tensor) -> Tensor:
    """-A logp. Source: Williams 1992, REINFORCE, Machine Learning 8, 229-256."""
    same_shape(logps=logps, advantages=advantages)
    return -advantages * logps


def sft(logps: Tensor) -> Tensor:
    """-logp: imitation of the tokens, whoever wrote them."""
    return -logps


def _clipped(
    ratio: Tensor, advantages: Tensor, low: float, high: float, stats: Stats | None, c: float | None = None
) -> Tensor:
    """-min(ratio A, clip(ratio) A), from below bounded by c A where A < 0."""
    if not 0 < low < 1 or not high > 0:
        raise SettingsError(f"clip_low must be between 0 and 1 and clip_high positive, not {low!r} and {high!r}")
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
    if not 0 <= floor < cap:
        raise SettingsError(f"cap must be greater than floor, and floor at least 0, not {cap!r} and {floor!r}")
    same_shape(logps=logps, old_logps=old_logps, advantages=advantages)
    ratio = (logps.detach() - old_logps).exp()
    if stats is not None:
        stats["clipped"] = ((ratio > cap) | (ratio < floor)).sum()
    return -(ratio.clamp(floor, cap) * advantages) * logps


OBJECTIVES: dict[str, Callable[..., Tensor]] = {
    "ppo_clip": ppo_clip,
    "dual_clip": dual_clip,
    "gspo": gspo,
    "luspo": luspo,
    "cispo": cispo,
    "aipo": aipo,
    "decoupled_ppo": decoupled_ppo,
    "reinforce": reinforce,
    "sft": sft,
    "rl_plus": rl_plus,
    "policy_shaping": policy_shaping,
}
"""Config name -> objective."""
