"""Environments for SkyRL (skyrl-gym 0.4), in its own loop. See docs/use_in_skyrl.md."""

import json
import logging
from collections.abc import Iterator, Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv
from skyrl_gym.envs.registration import register as register_env
from skyrl_gym.envs.registration import registry

import turnwise  # registers the environments
from turnwise.core.env import Split
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import full_id
from turnwise.session.rows import rows
from turnwise.session.session import Session

__all__ = ["ENV_CLASS", "TurnwiseEnv", "dataset", "register"]

ENV_CLASS = "turnwise"
_LOG = logging.getLogger(turnwise.__name__)


class TurnwiseEnv(BaseTextEnv):
    """Plays the task of a data row.

    SkyRL has no mask for a sample, and an exception ends the whole batch: an environment that fails is begun again in
    the same step, and only if that never helps is the reward 0 and the metric ``turnwise_invalid`` 1.

    Args:
        env_config: The trainer's configuration of the environment; ``retries`` (5) is read, where it has it.
        extras: The row, with ``extra_info`` as `dataset` writes it.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        row = (extras or {})["extra_info"]
        retries = (env_config or {}).get("retries", 5)
        self.session = Session(str(row["env"]), json.loads(row["settings"]), retries=int(retries))
        self.seed, self.invalid = int(row["seed"]), False

    def init(self, prompt: Any) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Begin the episode; what the row's prompt says before its last message (a system message) is kept."""
        try:
            first = self.session.start(self.seed).text
        except InfrastructureError as error:
            first = self._failed(str(error))
        return [*map(dict, prompt[:-1]), {"role": "user", "content": first}], {}

    def step(self, action: str) -> dict[str, Any]:
        """Play the model's message; rewards of an episode sum to its return."""
        if self.invalid:
            return {"observations": [], "reward": 0.0, "done": True, "metadata": {"reward_valid": False}}
        answer = self.session.reply(action)
        if answer.error is not None:
            self._failed(answer.error)
        metadata = {"reward_valid": not self.invalid, "truncated": answer.truncated, "invalid_action": answer.invalid}
        said = [] if answer.done else [{"role": "user", "content": answer.text}]
        return {"observations": said, "reward": answer.reward, "done": answer.done, "metadata": metadata}

    def get_metrics(self) -> dict[str, Any]:
        """Figures of the episode; SkyRL averages them."""
        found: dict[str, Any] = {"turnwise_invalid": float(self.invalid)}
        if self.session.done and not self.invalid:
            episode = self.session.episode
            found |= {"solved": float(episode.solved), "truncated": float(episode.truncated), **episode.metrics}
        return found

    def close(self) -> None:
        """Release what the episode holds."""
        self.session.close()

    def _failed(self, error: str) -> str:
        self.invalid = True
        _LOG.warning("%s failed and counts as 0, for want of a mask: %s", self.session.id, error)
        return "The environment failed."


def register() -> None:
    """Make the environment known to SkyRL as ``turnwise``; call it inside the Ray task that trains."""
    if ENV_CLASS not in registry:
        register_env(id=ENV_CLASS, entry_point=f"{TurnwiseEnv.__module__}:{TurnwiseEnv.__name__}")


def dataset(env: str, n: int, split: Split = "train", system: str = "", **settings: Any) -> Iterator[dict[str, Any]]:
    """Rows for SkyRL's data sets; all columns are equal in type, so that they can be written as Parquet.

    Args:
        env: Id of the environment.
        n: Number of rows.
        split: "train" or "test".
        system: System message before the conversation; none if empty.
        settings: Settings of the environment.
    """
    before = [{"role": "system", "content": system}] if system else []
    for row in rows(full_id(env), n, split=split, settings=settings):
        prompt = [*before, {"role": "user", "content": f"{row['env']} {row['index']}"}]  # `init` writes the real one
        yield {"prompt": prompt, "env_class": ENV_CLASS, "data_source": row["env"], "extra_info": row}
