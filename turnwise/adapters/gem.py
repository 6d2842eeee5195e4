"""Environments as `gem.Env` (gem-llm 0.1), which ROLL and oat drive. See docs/use_in_gem.md."""

from typing import Any, Self

import gem
import numpy as np
from gem.envs.registration import ENV_REGISTRY

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.env import seed_of
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import env_ids, full_id
from turnwise.session.session import Session

__all__ = ["TurnwiseEnv", "register"]


class TurnwiseEnv(gem.Env):
    """An environment behind GEM's interface.

    Args:
        env: Id of the environment.
        seed: Seed of the first episode that `reset` begins without one; later ones follow from it.
        retries: How often an environment that fails is begun again, unseen. If that never helps, `step` raises.
        settings: Settings of the environment.
    """

    def __init__(self, env: str, seed: int | None = None, retries: int = 2, **settings: Any) -> None:
        super().__init__()
        self.session = Session(env, settings, retries=retries)
        self._given: dict[str, Any] = {"env": env, "retries": retries, **settings}
        self._seed, self._count = seed, 0

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; equal seeds give equal ones."""
        if seed is None and self._seed is not None:
            seed = seed_of("gem", self._seed, self._count)
            self._count += 1
        opening = self.session.start(seed)
        self._rng = np.random.default_rng(seed)
        return opening.text, {"task_id": opening.task_id}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play an action. Rewards are in [0, 1] and sum to the return; a format error costs a turn and nothing else.

        Raises:
            InfrastructureError: The environment failed: leave the episode out.
        """
        answer = self.session.reply(action)
        if answer.error is not None:
            raise InfrastructureError(answer.error)
        info: dict[str, Any] = {"invalid_action": answer.invalid}
        if answer.done:
            episode = self.session.episode
            info |= {"solved": episode.solved, "metrics": dict(episode.metrics), "reward_valid": True}
        return answer.text, answer.reward, answer.done and not answer.truncated, answer.truncated, info

    def sample_random_action(self) -> str:
        """A random action in the right format."""
        return str(self.session.env.unwrapped.sample_action(self._rng))

    def spawn(self, same_state: bool = False, **kwargs: Any) -> Self:
        """Make another one of the kind; with ``same_state`` a copy of the live episode, which goes on by itself."""
        twin = type(self)(**{**self._given, "seed": self._seed, **kwargs})
        if same_state:
            twin.session.close()
            twin.session = self.session.fork()
            twin._rng = np.random.default_rng(self._rng.integers(1 << 63))
        return twin

    def close(self) -> None:
        """Release what the episode holds."""
        self.session.close()


def register(pattern: str = "") -> list[str]:
    """Register environments with GEM as ``turnwise:Name-v0``.

    Args:
        pattern: Part of the ids; all if empty.

    Returns:
        The ids, for `gem.make`.
    """
    names = [full_id(env).replace("/", ":") for env in env_ids(pattern)]
    for name in names:
        if name not in ENV_REGISTRY:
            gem.register(name, f"{TurnwiseEnv.__module__}:{TurnwiseEnv.__name__}", env=name.replace(":", "/"))
    return names
