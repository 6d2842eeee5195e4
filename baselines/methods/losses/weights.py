"""Factors and advantages by the policy's certainty of a token, without gradient, once per step on all its rows.

Quantiles and extremes are taken over the tokens given, so give all tokens of the step, not those of a micro-batch.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from turnwise.baselines.methods.kinds import TokenWeight, advantage_shaping, token_weight
from turnwise.baselines.methods.loss_settings import ClipCov, HighEntropyMask, Steer, Ucas
from turnwise.baselines.methods.losses.ratio import same_shape

__all__ = [
    "clip_cov_mask",
    "high_entropy_mask",
    "steer_weights",
    "token_factors",
    "ucas",
]

STEER_FLOOR = 0.02
"""STEER's least value of the largest entropy change: smaller ones are not blown up to the full range of weights."""


@token_weight(HighEntropyMask, needs=("entropy",))
def high_entropy_mask(entropy: Tensor, settings: HighEntropyMask) -> Tensor:
    """1 for tokens whose entropy is at least the (1 - keep) quantile of all, else 0; (n,).

    The quantile interpolates linearly. Ties at the threshold are all kept: where more than 1 - keep of the
    tokens have the lowest entropy (0, for a policy that is certain), that is every token. Only the objective's
    terms are masked; the denominators still count all tokens.

    Source: Wang et al. 2025, Beyond the 80/20 Rule, arXiv:2506.01939.

    Raises:
        SettingsError: unless 0 < keep <= 1.
    """
    if not len(entropy):
        return torch.zeros_like(entropy)
    with torch.no_grad():
        ordered = entropy.sort().values  # not torch.quantile: that refuses more than 16 million values
        place = round((1 - settings.keep) * (len(ordered) - 1), 12)  # 0.7 leaves 3.0000000000000004 of 10
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return (entropy >= torch.lerp(ordered[below], ordered[above], place - below)).to(entropy.dtype)


@token_weight(Steer, needs=("logps", "old_logps", "advantages", "entropy"))
def steer_weights(logps: Tensor, old_logps: Tensor, advantages: Tensor, entropy: Tensor, settings: Steer) -> Tensor:
    """Less weight for tokens that would change the entropy most; (n,).

    Omega = |A / pi_old * pi (1 - pi) (logp + H)| estimates the change of the entropy by the token's update.

    - ``exponential``: exp(-k Omega), k = -ln(w_min) / max(max Omega, 0.02), within w_min..1;
    - ``linear``: from w_max at the least Omega to w_min at the greatest; their mean if all are equal.

    Source: Hao et al. 2025, STEER, arXiv:2510.10150; both variants, the floor and the bounds as in its released
    code, whose default is the linear one.

    Raises:
        SettingsError: for another ``variant``, or unless 0 < w_min < 1 and w_min < w_max.
    """
    same_shape(logps=logps, old_logps=old_logps, advantages=advantages, entropy=entropy)
    if not len(logps):
        return torch.zeros_like(logps)
    with torch.no_grad():
        p = logps.exp().clamp(1e-8, 1 - 1e-8)
        old = old_logps.exp().clamp(1e-8, 1)
        omega = (advantages / old * p * (1 - p) * (p.log() + entropy)).abs()
        top = omega.max()
        if settings.variant == "exponential":
            k = -math.log(settings.w_min) / top.clamp(min=STEER_FLOOR)
            return (-k * omega).exp().clamp(settings.w_min, 1)
        spread = top - omega.min()
        share = torch.where(spread > 0, (omega - omega.min()) / spread, 0.5)
        return settings.w_max - (settings.w_max - settings.w_min) * share


@token_weight(ClipCov, needs=("logps", "advantages"))
def clip_cov_mask(logps: Tensor, advantages: Tensor, settings: ClipCov) -> Tensor:
    """0 for a random ``share`` of the tokens, drawn among those of high covariance, else 1; (n,).

    The covariance of a token is (A - mean A)(logp - mean logp); those in (low, high) reduce the entropy
    fastest. At least one token is drawn if there is any to draw.

    Source: Cui et al. 2025, Clip-Cov, arXiv:2505.22617; the values as in verl.
    """
    same_shape(logps=logps, advantages=advantages)
    with torch.no_grad():
        covariance = (advantages - advantages.mean()) * (logps - logps.mean())
        candidates = ((covariance > settings.low) & (covariance < settings.high)).nonzero().squeeze(1)
        order = torch.randperm(len(candidates), generator=torch.Generator().manual_seed(settings.seed))
        drawn = order[: max(int(settings.share * len(logps)), 1)].to(candidates.device)
        return torch.ones_like(logps).index_fill(0, candidates[drawn], 0)


@advantage_shaping(Ucas, needs=("advantages", "certainty", "token_logits", "rows", "groups"))
def ucas(
    advantages: Tensor, certainty: Tensor, token_logits: Tensor, rows: Tensor, groups: Tensor, settings: Ucas
) -> Tensor:
    """Advantages shaped by confidence; (n,).

    1. Per row: C = sum (or mean) of ``certainty`` over its tokens, z = (C - mean) / (std + eps) in its group.
       A' = A exp(-beta_positive z) where A > 0, else A exp(beta_negative z): unsure successes and sure
       failures count more.
    2. Per token: A'' = A' - penalty * u, u the token's logit scaled to 0..1 over the batch (0.5 if all are
       equal); where A' > 0, not below 0. Tokens with A = 0 are penalised, too.

    Source: Xie et al. 2025, UCAS, arXiv:2510.10649, as in its released code, which sums and has ddof 1. There a
    group of one keeps its raw C as z; here its z is 0. The paper's inputs are made of logits; a trainer that
    keeps none may give any numbers that rise with confidence, such as -entropy and logps: that is ours.

    Args:
        advantages: (n,).
        certainty: (n,), in the paper KL(uniform || policy) up to a constant: logsumexp(logits) - mean(logits).
        token_logits: (n,) logit of the sampled token.
        rows: (n,) from 0.
        groups: (B,) int, the group of each row.
        settings: strengths of both stages.
    """
    same_shape(advantages=advantages, certainty=certainty, token_logits=token_logits, rows=rows)
    if not len(advantages):
        return torch.zeros_like(advantages)
    with torch.no_grad():
        of_row = certainty.new_zeros(len(groups)).index_add(0, rows, certainty)
        if settings.confidence == "mean":
            of_row = of_row / rows.bincount(minlength=len(groups)).clamp(min=1)
        z = _group_scores(of_row, groups, settings.ddof, settings.eps).index_select(0, rows)
        positive = advantages > 0
        shaped = advantages * torch.where(positive, -settings.beta_positive * z, settings.beta_negative * z).exp()
        low, high = token_logits.aminmax()
        scaled = torch.where(torch.isclose(high, low), 0.5, (token_logits - low) / (high - low + settings.eps))
        final = shaped - settings.penalty * scaled
        return torch.where(positive, final.clamp(min=0), final)


def _group_scores(values: Tensor, groups: Tensor, ddof: int, eps: float) -> Tensor:
    """(value - mean) / (std + eps) within each group; 0 in a group of one."""
    ids = torch.unique(groups, return_inverse=True)[1]
    zeros = torch.zeros_like(values)
    counts = zeros.index_add(0, ids, torch.ones_like(values))
    centred = values - (zeros.index_add(0, ids, values) / counts.clamp(min=1))[ids]
    variance = zeros.index_add(0, ids, centred.square()) / (counts - ddof).clamp(min=1)
    return centred / (variance.sqrt()[ids] + eps)


def token_factors(data: object, chosen: Sequence[TokenWeight]) -> Tensor | None:
    """The product of the chosen factors, (n,), or None if none is chosen: ``TokenBatch.weights`` of a step.

    Args:
        data: a ``TokenBatch`` of all tokens of the step, or anything with the fields that the factors take.
        chosen: their settings.

    Raises:
        UsageError: if the data lack something that a factor takes.
    """
    product: Tensor | None = None
    for settings in chosen:
        factor = token_weight.of(settings).run_on(data, settings)
        product = factor if product is None else product * factor
    return product
