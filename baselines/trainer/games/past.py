"""Past selves: copies of the policy as it was at some steps, to play against.

Which of a pool is played is drawn in favour of those that beat the policy, with weights (1 - x)^power, where x is the
policy's share of the points against it (a draw is half a point).

Source: prioritised fictitious self-play, Vinyals et al. 2019, AlphaStar, Nature 575, "Multi-agent learning", with
f_hard; the estimate of x is ours: one point of two before the first game, and older games fade.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from turnwise.baselines.trainer.games.settings import Opponents
from turnwise.core.agent import Agent
from turnwise.core.draw import Draw

__all__ = ["PastSelves"]

FADE = 0.9
"""Weight of the games of a step in the estimate of the next one."""


@dataclass
class _Self:
    """A past self: its step, its weights and the points that the policy has made against it."""

    step: int
    model: Any
    agent: Agent
    points: float = 0.0
    games: float = 0.0

    @property
    def share(self) -> float:
        """The policy's share of the points."""
        return (self.points + 1) / (self.games + 2)


class PastSelves:
    """Keeps past selves in places with names, which the newest takes from the oldest.

    Args:
        settings: How many are kept, and how one is drawn.
        model: The model that is trained.
        play: Makes an agent of a model.
    """

    def __init__(self, settings: Opponents, model: Any, play: Callable[[Any], Agent]) -> None:
        self.settings, self.model, self._play = settings, model, play
        self._selves: dict[str, _Self] = {}

    @property
    def agents(self) -> dict[str, Agent]:
        """The agents of all past selves, by name."""
        return {name: one.agent for name, one in self._selves.items()}

    def keep(self, step: int) -> None:
        """Keep the policy as it is before a step, if this step is one of those that are kept."""
        if step % self.settings.every or any(one.step == step for one in self._selves.values()):
            return
        name = f"past_{len(self._selves)}"
        if len(self._selves) == self.settings.keep:
            name = min(self._selves, key=lambda known: self._selves[known].step)
            self._selves.pop(name).agent.close()
        self._add(name, step, copy.deepcopy(self.model).requires_grad_(False))

    def _add(self, name: str, step: int, model: Any) -> None:
        self._selves[name] = _Self(step, model, self._play(model))

    def older(self, step: int, lag: int) -> str:
        """Return the newest that is at least ``lag`` steps old, or the oldest where none is that old yet."""
        by_age = sorted(self._selves, key=lambda name: -self._selves[name].step)
        return next((name for name in by_age if self._selves[name].step <= step - lag), by_age[-1])

    def drawn(self, draw: Draw) -> str:
        """Draw one, in favour of those that beat the policy."""
        names = sorted(self._selves)
        weights = [(1 - self._selves[name].share) ** self.settings.power for name in names]
        return draw.weighted(names, weights)

    def observe(self, results: Mapping[str, list[float]]) -> None:
        """Learn what the policy's seats were paid in a step, by the name of the past self that they met."""
        for one in self._selves.values():
            one.points, one.games = FADE * one.points, FADE * one.games
        for name, returns in results.items():
            one = self._selves[name]
            one.points += sum(1.0 if value > 0 else 0.5 if value == 0 else 0.0 for value in returns)
            one.games += len(returns)

    def metrics(self) -> dict[str, float]:
        """Return the step of each past self, and the policy's share of the points against it."""
        found: dict[str, float] = {}
        for name, one in sorted(self._selves.items()):
            found |= {f"opponents/{name}_step": float(one.step), f"opponents/{name}_points": one.share}
        return found

    def state_dict(self) -> dict[str, Any]:
        """Return weights and points, by name."""
        return {
            name: {"step": one.step, "weights": one.model.state_dict(), "points": one.points, "games": one.games}
            for name, one in self._selves.items()
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        self._selves.clear()
        for name, one in state.items():
            self._add(name, one["step"], copy.deepcopy(self.model).requires_grad_(False))
            _copy(one["weights"], self._selves[name].model)
            self._selves[name].points, self._selves[name].games = one["points"], one["games"]


@torch.no_grad()
def _copy(weights: Mapping[str, Tensor], model: Any) -> None:
    """Set the weights of a model in place: its agent has read where they are."""
    for name, value in model.state_dict().items():
        value.copy_(weights[name])
