"""Weights and masks for tokens sampled by a slightly different policy: another engine, or an older version.

All are (n,) factors without gradient, computed once per step and multiplied into the terms of the objective.
"""

import torch
from torch import Tensor

from turnwise.baselines.methods.kinds import token_weight
from turnwise.baselines.methods.loss_settings import DppoTvMask, Importance, OffPolicySequenceMask
from turnwise.baselines.methods.losses.ratio import MAX_LOG_RATIO, same_shape, unit_ids, unit_mean, unit_sum
from turnwise.baselines.methods.registry import choice

__all__ = ["dppo_tv_mask", "importance_weights", "off_policy_sequence_mask", "ratio_metrics"]

LEVELS = ("token", "sequence", "geometric")


@token_weight(Importance, needs=("old_logps", "sampler_logps", "rows"))
def importance_weights(old_logps: Tensor, sampler_logps: Tensor, rows: Tensor, settings: Importance) -> Tensor:
    """The ratio w = pi_old / pi_sampler of each token, cut or masked; (n,).

    ``level``: the ratio of the token; of the whole row (``sequence``, the product over its tokens); or the
    geometric mean over its tokens (``geometric``). ``kind``: ``truncate`` gives min(max(w, low), high), ``mask``
    gives w where low <= w <= high and 0 elsewhere.

    Source: truncation, Yao et al. 2025, Your Efficient RL Framework Secretly Brings You Off-Policy RL Training,
    https://fengyao.notion.site/off-policy-rl; masking and the three levels, Liu et al. 2025, When Speed Kills
    Stability, https://richardli.xyz/rl-collapse, and verl's ``rollout_corr_helper``.

    Raises:
        SettingsError: for another ``level`` or ``kind``, or unless 0 <= low < high.
    """
    with torch.no_grad():
        weights = _ratios(old_logps, sampler_logps, rows, settings.level)
        if settings.kind == "truncate":
            return weights.clamp(settings.low, settings.high)
        return weights * ((weights >= settings.low) & (weights <= settings.high))


@token_weight(OffPolicySequenceMask, needs=("logps", "sampler_logps", "advantages", "rows"))
def off_policy_sequence_mask(
    logps: Tensor, sampler_logps: Tensor, advantages: Tensor, rows: Tensor, settings: OffPolicySequenceMask
) -> Tensor:
    """0 where A < 0 and the row's mean of (sampler - logp) is above ``delta`` nats per token, else 1; (n,).

    Where the advantages of a row differ, it drops those tokens of a drifted row that have a negative one. The
    paper names no value; the default is the start that TRL suggests.

    Source: DeepSeek-V3.2, arXiv:2512.02556, section 3.1, off-policy sequence masking.
    """
    same_shape(logps=logps, sampler_logps=sampler_logps, advantages=advantages, rows=rows)
    with torch.no_grad():
        ids = unit_ids(rows)
        drift = unit_mean(sampler_logps - logps, ids).index_select(0, ids)
        return 1 - ((advantages < 0) & (drift > settings.delta)).to(logps.dtype)


@token_weight(DppoTvMask, needs=("logps", "sampler_logps", "advantages"))
def dppo_tv_mask(logps: Tensor, sampler_logps: Tensor, advantages: Tensor, settings: DppoTvMask) -> Tensor:
    """0 where the token would move further out of the trust region |pi - mu| <= bound, else 1; (n,).

    That is A > 0 and pi - mu > high, or A <= 0 and pi - mu < -low: probabilities, not ratios, so that unlikely
    tokens are not held back by large ratios. It belongs to ``aipo`` and takes the place of a clip. The bounds are
    absolute probabilities; the default is ours.

    Source: Qi et al. 2026, DPPO, arXiv:2602.04879 (binary total variation), signs as in its released code.
    """
    same_shape(logps=logps, sampler_logps=sampler_logps, advantages=advantages)
    with torch.no_grad():
        shift = logps.exp() - sampler_logps.exp()
        outside = torch.where(advantages > 0, shift > settings.high, shift < -settings.low)
        return 1 - outside.to(logps.dtype)


def ratio_metrics(old_logps: Tensor, sampler_logps: Tensor, rows: Tensor, *, level: str = "token") -> dict[str, Tensor]:
    """Measure how far apart sampler and trainer are, over the units of a level: scalars, still on the device.

    ``ess``: effective sample size over their number, (sum w)^2 / (m sum w^2), 1 if all ratios w are equal;
    ``max_ratio``; ``mean_ratio``, 1 in expectation; ``max_gap``, the largest |old - sampler| of a token.

    Source: effective sample size, Kong 1992, A Note on Importance Sampling Using Standardized Weights; as a sign of
    collapse, Huang et al. 2026, arXiv:2602.17616.
    """
    with torch.no_grad():
        ratios = _ratios(old_logps, sampler_logps, rows, level)
        first = torch.ones_like(ratios)  # 1 at the first token of each unit
        if level != "token":
            first[1:] = (rows[1:] != rows[:-1]).to(ratios.dtype)
        count, total, squares = first.sum(), (first * ratios).sum(), (first * ratios.square()).sum()
        return {
            "ess": total.square() / (count * squares),
            "max_ratio": ratios.max(),
            "mean_ratio": total / count,
            "max_gap": (old_logps - sampler_logps).abs().max(),
        }


def _ratios(old_logps: Tensor, sampler_logps: Tensor, rows: Tensor, level: str) -> Tensor:
    """Return the ratio of each token's unit: (n,)."""
    choice("level", level, LEVELS)
    same_shape(old_logps=old_logps, sampler_logps=sampler_logps, rows=rows)
    delta = old_logps - sampler_logps
    if level != "token":
        ids = unit_ids(rows)
        delta = (unit_sum if level == "sequence" else unit_mean)(delta, ids).index_select(0, ids)
    return delta.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
