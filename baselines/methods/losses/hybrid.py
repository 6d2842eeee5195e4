"""Objectives for tokens that the policy did not sample: demonstrations, refinements, oracle moves.

They stand in ``OBJECTIVES`` like the others. A hybrid step runs ``policy_loss`` on the policy's own rows with one
objective and on the external rows with one of these (or ``sft``), and adds the losses.
"""

from torch import Tensor

from turnwise.baselines.methods.kinds import advantage_shaping, loss
from turnwise.baselines.methods.loss_settings import Exploration, PolicyShaping, RlPlus
from turnwise.baselines.methods.losses.ratio import same_shape

__all__ = ["exploration_advantages", "mixture_ratio", "policy_shaping", "rl_plus"]


def mixture_ratio(logps: Tensor, old_logps: Tensor) -> Tensor:
    """2 pi / (pi_old + omega), omega = (pi_old + 1) / 2: importance of external tokens; (n,), between 0 and 4.

    The probability with which the external author wrote a token is unknown; omega puts it halfway between the
    old policy and certainty. As a mixture with the old policy, the denominator never comes near zero.

    Source: Dong et al. 2025, RL-PLUS, arXiv:2508.00222, with omega as in its released code.
    """
    same_shape(logps=logps, old_logps=old_logps)
    old = old_logps.exp()
    return 2 * logps.exp() / (old + 0.5 * (old + 1))


@advantage_shaping(Exploration, needs=("advantages", "logps"))
def exploration_advantages(advantages: Tensor, logps: Tensor, settings: Exploration) -> Tensor:
    """A (1 - sg(pi))^gamma: right tokens that the policy finds unlikely count more; (n,).

    Source: Dong et al. 2025, RL-PLUS, arXiv:2508.00222; gamma 0.5 is that of its released code.
    """
    same_shape(logps=logps, advantages=advantages)
    return advantages * (-logps.detach().expm1()).clamp(min=0).pow(settings.gamma)


@loss(RlPlus, needs=("logps", "old_logps", "advantages"))
def rl_plus(logps: Tensor, old_logps: Tensor, advantages: Tensor, settings: RlPlus) -> Tensor:
    """-mixture_ratio * exploration_advantages, without a clip: the external half of RL-PLUS.

    The other half is ``ppo_clip`` on the policy's own rows.

    Source: Dong et al. 2025, RL-PLUS, arXiv:2508.00222.
    """
    return -mixture_ratio(logps, old_logps) * exploration_advantages(advantages, logps, gamma=settings.gamma)


@loss(PolicyShaping, needs=("logps", "advantages"))
def policy_shaping(logps: Tensor, advantages: Tensor, settings: PolicyShaping) -> Tensor:
    """-f(pi) A, f(x) = x / (x + gamma), on external or refined rows.

    The gradient in logp is gamma pi / (pi + gamma)^2, which is largest at pi = gamma: unlikely tokens are
    learnt, where the plain ratio pi would hardly move them. Critique-GRPO uses the function of LUFFY, with the same
    gamma (read in both released codes).

    Source: Yan et al. 2025, LUFFY, arXiv:2504.14945; Zhang et al. 2025, Critique-GRPO,
    arXiv:2506.03106.

    Raises:
        SettingsError: unless gamma > 0.
    """
    same_shape(logps=logps, advantages=advantages)
    probability = logps.exp()
    return -(probability / (probability + settings.gamma)) * advantages
