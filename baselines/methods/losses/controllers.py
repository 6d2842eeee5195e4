"""Coefficients that adapt during the run: functions from the old state to the new one."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from turnwise.baselines.methods.loss_settings import AdaptiveEntropy
from turnwise.core.errors import SettingsError

__all__ = ["EntropyControl", "adaptive_entropy_coef", "amft_meta_gradient", "amft_weight"]


def adaptive_entropy_coef(
    coef: float,
    entropy: float,
    settings: AdaptiveEntropy,
) -> tuple[float, float]:
    """Update the entropy coefficient by one step; return (new state, coefficient to use now).

    The state rises by ``step`` while the mean entropy per token (nats) is below ``target`` and falls by it
    otherwise, within low..high; the bonus is in force only while the entropy is below the target.

    Source: He et al. 2025, Skywork-OR1, arXiv:2505.22312 (adaptive entropy control), bounds as in its released
    code. State: the coefficient, a float.
    """
    below = entropy < settings.target
    new = min(max(coef + settings.step if below else coef - settings.step, settings.low), settings.high)
    return new, new if below else 0.0


class EntropyControl:
    """The entropy coefficient of each step, from the entropy of the step before it.

    Args:
        coef: at the beginning.
        settings: how it follows the entropy; None leaves it what it is.
    """

    def __init__(self, coef: float, settings: AdaptiveEntropy | None = None) -> None:
        self.state = self.coef = coef
        self.settings = settings

    def observe(self, entropy: float) -> None:
        """Observe the mean entropy per token of a completed step."""
        if self.settings is not None:
            self.state, self.coef = adaptive_entropy_coef(self.state, entropy, self.settings)

    def state_dict(self) -> dict[str, float]:
        """Return the coefficient in use and the state behind it."""
        return {"state": self.state, "coef": self.coef}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """Restore the state that ``state_dict`` returned."""
        self.state, self.coef = state["state"], state["coef"]


def amft_weight(
    weight: float,
    entropy: float,
    meta_gradient: float = 0.0,
    *,
    target_entropy: float,
    entropy_lr: float = 5e-4,
    meta_lr: float = 1e-4,
    low: float = 0.05,
    high: float = 0.95,
) -> float:
    """Update mu in the loss (1 - mu) RL + mu SFT by one step.

    mu <- clip(mu + meta_lr * dU/dmu + entropy_lr * (target_entropy - entropy), low, high), U what is to be
    maximised on held-out data: a policy that has grown too sure imitates more.

    Source: He et al. 2025, AMFT, arXiv:2508.06944, as far as its released code shows; a note on the listing of
    the paper says that its authors asked for its withdrawal. There, the meta-gradient is that of a loss and is
    *added*, which would raise the loss; here it is the gradient of the utility. State: mu, a float.

    Args:
        weight: mu.
        entropy: mean entropy per token of the policy, nats.
        meta_gradient: ``amft_meta_gradient``, or 0 for the entropy rule alone.
        target_entropy: the entropy to hold, for instance that after the warm start.
        entropy_lr: step of the entropy rule.
        meta_lr: step of the meta-gradient.
        low: least mu.
        high: greatest mu.
    """
    if not 0 <= low <= high <= 1:
        raise SettingsError(f"low and high must satisfy 0 <= low <= high <= 1, not {low!r} and {high!r}")
    return min(max(weight + meta_lr * meta_gradient + entropy_lr * (target_entropy - entropy), low), high)


def amft_meta_gradient(
    validation: Sequence[Tensor], sft: Sequence[Tensor], rl: Sequence[Tensor], *, lr: float
) -> Tensor:
    """-dL_val/dmu after one step of gradient descent on (1 - mu) RL + mu SFT: lr <g_val, g_sft - g_rl>; scalar.

    Args:
        validation: gradients of the held-out loss, one tensor per parameter, taken at the new parameters.
        sft: gradients of the imitation loss.
        rl: gradients of the reinforcement-learning loss.
        lr: the learning rate of the step.
    """
    pairs = zip(validation, sft, rl, strict=True)
    return lr * torch.stack([(g * (s - r)).sum() for g, s, r in pairs]).sum()
