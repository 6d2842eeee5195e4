"""The critic, which estimates the return to go at every sampled token; GAE and bi-level GAE need it.

Legend: N sampled tokens of a micro-batch, H hidden width.
"""

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from turnwise.baselines.trainer.batch import MicroBatch
from turnwise.baselines.trainer.model.parallel import Parallel
from turnwise.baselines.trainer.model.policy import Optimizer, Policy, hidden_states

__all__ = ["Critic", "value_loss"]


def value_loss(values: Tensor, old_values: Tensor, returns: Tensor, *, value_clip: float | None = 0.2) -> Tensor:
    """Return the loss per token, 1/2 max[(v - R)^2, (v_clip - R)^2], v_clip = clip(v, v_old -+ value_clip).

    The greater of the two: a value that moved further than ``value_clip`` towards its return gets no gradient, one
    that moved away from it still does. Without ``value_clip`` the plain squared error.

    Args:
        values: (n,) present values.
        old_values: (n,) values that the advantages were computed with.
        returns: (n,) targets: advantage plus old value.
        value_clip: in units of the return; None for no clip.

    Source: Schulman et al. 2016, GAE, arXiv:1506.02438, section 5 (squared error); the clip is that of the ppo2
    of OpenAI Baselines, described by Huang et al. 2022, The 37 Implementation Details of PPO, core detail 9.
    """
    error = (values - returns).square()
    if value_clip is not None:
        near = old_values + (values - old_values).clamp(-value_clip, value_clip)
        error = torch.maximum(error, (near - returns).square())
    return 0.5 * error


class Critic:
    """A copy of the policy's layers with a linear output: one number per sampled token, zero before any training.

    The value of a sampled token is read where the token is predicted: it knows all that the policy knew when it
    sampled the token, and not the token.

    Args:
        policy: the policy to copy. With an adapter, the copy trains its own adapter and the output only.
        optimizer: "adamw" or "muon".
        max_grad_norm: gradients are scaled down to this global norm.
        parallel: the ranks whose gradients are added up; None for this process alone.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        optimizer: str = "adamw",
        max_grad_norm: float = 1.0,
        parallel: Parallel | None = None,
    ) -> None:
        self.model = _ValueModel(policy.model)
        self.device = policy.device
        self.shares_prefixes = policy.shares_prefixes
        self.optimizer = Optimizer(self.model, optimizer, max_grad_norm=max_grad_norm, parallel=parallel)

    def values(self, batch: MicroBatch) -> Tensor:
        """Compute the value before each sampled token: (N,) in fp32."""
        hidden = hidden_states(self.model.backbone, batch).flatten(0, 1).index_select(0, batch.source)  # (N, H)
        values: Tensor = self.model.head(hidden.float()).squeeze(1)
        return values

    def backward(self, loss: Tensor) -> None:
        """Add the gradient of ``loss``."""
        self.optimizer.backward(loss)

    def step(self, lr: float) -> float:
        """Update the weights; return the norm of the gradient before it was clipped."""
        return self.optimizer.step(lr)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the weights and the optimiser."""
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])


class _ValueModel(nn.Module):
    """Layers of a language model and an output of width one, in fp32."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.backbone = copy.deepcopy(model.base_model)
        self.head = nn.Linear(model.config.get_text_config().hidden_size, 1, device=model.device)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def get_input_embeddings(self) -> Any:
        return self.backbone.get_input_embeddings()

    def get_output_embeddings(self) -> nn.Module:
        return self.head
