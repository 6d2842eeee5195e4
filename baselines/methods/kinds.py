"""The kinds of methods that a run chooses from, each with the base of its settings.

A kind is the decorator that declares a method of it, and a mapping from names to methods; see registry.py.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.registry import Kind, MethodSettings

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "ROLLOUTS", "TOKENS", "AdvantageShaping", "Context", "Credit", "Engine", "Guidance", "Objective", "Reward",
    "Sampling", "Shaping", "TokenWeight", "advantage_shaping", "context", "credit", "curriculum", "engine", "guidance",
    "loss", "reward", "sampling", "shaping", "token_weight",
]  # fmt: skip

Floats = npt.NDArray[np.float64]
_HERE = "turnwise.baselines.methods"
ROLLOUTS = (
    "returns", "groups", "lengths", "solved", "finished", "strata",
    "rewards", "turns", "additions", "anchors", "invalid", "executable", "actions", "answers",
    "tokens", "mask", "logps", "token_turns", "token_rewards",
    "role_averages",
    "entropies", "values", "info", "progress", "answer_probs", "baseline_probs", "answer_mask", "yes_logps", "no_logps",
)  # fmt: skip
"""Data of a step's rollouts, by name: per rollout, per turn, per token, and those computed by the model."""
TOKENS = (
    "logps", "old_logps", "prox_logps", "sampler_logps", "ref_logps", "advantages", "rows", "turns", "entropy",
    "groups", "certainty", "token_logits",
)  # fmt: skip
"""Data of sampled tokens, by name; the last three exist only for a whole step."""

credit: Kind[Floats] = Kind("credit", f"{_HERE}.credit", data=ROLLOUTS)
reward: Kind[Floats] = Kind("reward", f"{_HERE}.credit", data=ROLLOUTS)
shaping: Kind[Floats] = Kind("shaping", f"{_HERE}.credit", data=ROLLOUTS)
loss: "Kind[Tensor]" = Kind("loss", f"{_HERE}.loss_settings", f"{_HERE}.losses", data=TOKENS)
token_weight: "Kind[Tensor]" = Kind("token_weights", f"{_HERE}.loss_settings", f"{_HERE}.losses", data=TOKENS)
advantage_shaping: "Kind[Tensor]" = Kind("advantage_shaping", f"{_HERE}.loss_settings", f"{_HERE}.losses", data=TOKENS)
curriculum: Kind[Any] = Kind("curriculum", f"{_HERE}.curricula")
sampling: Kind[Any] = Kind("sampling", f"{_HERE}.sampling")
context: Kind[Any] = Kind("context", "turnwise.baselines.trainer.parts", "turnwise.baselines.trainer.context")
engine: Kind[Any] = Kind("engine", "turnwise.baselines.trainer.parts", "turnwise.baselines.trainer.model.engines")
guidance: Kind[Any] = Kind("guidance", "turnwise.baselines.trainer.parts", "turnwise.baselines.trainer.guidance")


class Credit(MethodSettings):
    """How rewards are turned into advantages."""

    KIND = credit


class Reward(MethodSettings):
    """The rewards that the policy learns from, in place of the environment's."""

    KIND = reward


class Shaping(MethodSettings):
    """A term added to the rewards that the policy learns from."""

    KIND = shaping


class Objective(MethodSettings):
    """The objective that is minimised, per sampled token."""

    KIND = loss


class TokenWeight(MethodSettings):
    """A factor multiplied with the loss of each token."""

    KIND = token_weight


class AdvantageShaping(MethodSettings):
    """A transformation of the advantages before the first update of a step."""

    KIND = advantage_shaping


class Sampling(MethodSettings):
    """How many rollouts each task gets, and which of them are kept."""

    KIND = sampling


class Context(MethodSettings):
    """What the policy reads before each turn of a conversation."""

    KIND = context


class Engine(MethodSettings):
    """The engine that samples the policy's tokens."""

    KIND = engine


class Guidance(MethodSettings):
    """Help with tasks that the policy does not solve on its own."""

    KIND = guidance
