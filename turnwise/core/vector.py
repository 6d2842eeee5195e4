"""The native vector environment: many episodes in one process, each at its own turn.

Built for rollouts of language models: only episodes with an action are stepped, a finished episode keeps its final
observation until it is reset, and nothing resets automatically.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from turnwise.core.env import Env
from turnwise.core.errors import UsageError
from turnwise.core.registration import env_class
from turnwise.core.settings import Range, check_arguments

__all__ = ["RaggedVectorEnv"]

Arrays = tuple[tuple[str, ...], "np.ndarray[Any, Any]", "np.ndarray[Any, Any]", "np.ndarray[Any, Any]", dict[str, Any]]


class RaggedVectorEnv(gymnasium.vector.VectorEnv[tuple[str, ...], Sequence[str | None], Any]):
    """``num_envs`` environments of one class and settings, stepped together or in part.

    ``step`` takes a sequence with one action per environment (None: not stepped), or a mapping from index to action. An
    environment that is not stepped repeats its latest observation and reports reward 0 and its ended flags. ``infos``
    holds the info keys that any environment gave, as object arrays with ``_key`` masks.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4, "autoreset_mode": AutoresetMode.DISABLED}

    def __init__(self, env_class: type[Env[Any]], num_envs: Annotated[int, Range(1)] = 1, **settings: Any) -> None:
        check_arguments(RaggedVectorEnv.__init__, num_envs=num_envs)
        first = env_class(**settings)
        self.envs = [first] + [copy.deepcopy(first) for _ in range(num_envs - 1)]
        self.num_envs = num_envs
        self.render_mode = first.render_mode
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, num_envs)
        self.action_space = batch_space(first.action_space, num_envs)
        self._observations = [""] * num_envs
        self._terminated = np.zeros(num_envs, dtype=np.bool_)
        self._truncated = np.zeros(num_envs, dtype=np.bool_)
        self._ended: set[int] = set()
        self._steps = [env.step for env in self.envs]

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Start episodes.

        Args:
            seed: One per environment, or one int from which environment i gets ``seed + i`` (as in SyncVectorEnv).
            options: ``{"reset_mask": bool array}`` restarts only those; other options go to the environments.
        """
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        seeds: Sequence[int | None] | None = None
        if isinstance(seed, (int, np.integer)):
            seeds = [int(seed) + i for i in range(self.num_envs)]
        elif seed is not None:
            seeds = seed
            if len(seeds) != self.num_envs:
                raise UsageError(f"{len(seeds)} seeds for {self.num_envs} environments")
        indices: list[int] = list(range(self.num_envs)) if mask is None else np.flatnonzero(mask).tolist()
        infos: dict[int, dict[str, Any]] = {}
        observations, envs = self._observations, self.envs
        for i in indices:
            observations[i], infos[i] = envs[i].reset(seed=seeds[i] if seeds else None, options=options)
        self._terminated[indices] = self._truncated[indices] = False
        self._ended.difference_update(indices)
        return tuple(observations), self._gather(infos)

    def step(self, actions: Sequence[str | None] | Mapping[int, str]) -> Arrays:
        rewards = np.zeros(self.num_envs)
        infos: dict[int, dict[str, Any]] = {}
        observations, steps = self._observations, self._steps
        if isinstance(actions, Mapping):
            pairs: Any = actions.items()
            if any(not 0 <= i < self.num_envs for i in actions):
                raise UsageError(f"actions for {sorted(actions)}; the environments are 0 to {self.num_envs - 1}")
        else:
            if len(actions) != self.num_envs:
                raise UsageError(f"{len(actions)} actions for {self.num_envs} environments; None skips one")
            pairs = enumerate(actions)
        if self._ended:  # checked before any environment moves
            pairs = list(pairs)
            late = [i for i, action in pairs if action is not None and i in self._ended]
            if late:
                raise UsageError(f"environments {late} have ended: reset them, or give them no action (None)")
        for i, action in pairs:
            if action is None:
                continue
            observations[i], reward, terminated, truncated, info = steps[i](action)
            if reward:
                rewards[i] = reward
            if info:  # never empty at the end of an episode
                infos[i] = info
                if terminated or truncated:
                    self._ended.add(i)
                    self._terminated[i], self._truncated[i] = terminated, truncated
        return (
            tuple(observations),
            rewards,
            self._terminated.copy(),
            self._truncated.copy(),
            self._gather(infos) if infos else {},
        )

    def _gather(self, infos: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
        gathered: dict[str, Any] = {}
        for key in dict.fromkeys([key for info in infos.values() for key in info]):
            at = [i for i, info in infos.items() if key in info]
            array: np.ndarray[Any, Any] = np.full(self.num_envs, None, dtype=object)
            array[at] = np.fromiter([infos[i][key] for i in at], dtype=object, count=len(at))
            mask = np.zeros(self.num_envs, dtype=np.bool_)
            mask[at] = True
            gathered[key], gathered["_" + key] = array, mask
        return gathered

    def render(self) -> tuple[Any, ...] | None:
        """The latest observations, with ``render_mode="ansi"``."""
        return tuple(env.render() for env in self.envs) if self.render_mode else None

    def close_extras(self, **kwargs: Any) -> None:
        for env in self.envs:
            env.close()


def __getattr__(name: str) -> Any:
    """Resolve the vector entry points ``namespace__Name__vN`` that `registration` writes into gymnasium's specs."""
    if name.startswith("__") or name.count("__") != 2:
        raise AttributeError(name)
    namespace, short, version = name.split("__")
    cls = env_class(f"{namespace}/{short}-{version}")

    def create(num_envs: int = 1, max_episode_steps: int | None = None, **settings: Any) -> RaggedVectorEnv:
        if max_episode_steps is not None:  # gymnasium's name for the same limit
            settings.setdefault("max_turns", max_episode_steps)
        return RaggedVectorEnv(cls, num_envs, **settings)

    return create
