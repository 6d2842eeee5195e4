"""Environments as `MessageEnv` of tinker-cookbook (0.6). See docs/use_in_tinker.md."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinker_cookbook.rl.message_env import EnvFromMessageEnv, MessageEnv, MessageStepResult
from tinker_cookbook.rl.types import EnvGroupBuilder

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.errors import InfrastructureError
from turnwise.session.session import Session

__all__ = ["TurnwiseGroup", "TurnwiseMessageEnv"]


class TurnwiseMessageEnv(MessageEnv):
    """Plays the task of a row of `turnwise.session.rows.rows`.

    Args:
        row: The row.
        retries: How often an environment that fails is begun again. If that never helps, `step` raises.
    """

    def __init__(self, row: Mapping[str, Any], retries: int = 2) -> None:
        self.row, self.example_id = row, f"{row['env']}/{row['split']}/{row['index']}"
        self.session = Session(row["env"], json.loads(row["settings"]), retries=retries)
        self._said: list[Any] = []

    async def initial_observation(self) -> list[Any]:
        """Begin the episode."""
        opening = await asyncio.to_thread(self.session.start, int(self.row["seed"]))
        self._said = list(opening.messages)
        return list(self._said)

    async def step(self, message: Any) -> Any:
        """Play the assistant's message; the answer has the whole conversation, as their renderers expect.

        Raises:
            InfrastructureError: The environment failed: the rollout is an error and is not trained on.
        """
        text = message["content"]
        if not isinstance(text, str):
            text = "".join(part.get("text", "") for part in text)
        answer = await asyncio.to_thread(self.session.reply, text)
        if answer.error is not None:
            raise InfrastructureError(answer.error)
        self._said += [message, *answer.messages]
        metrics: dict[str, float] = {}
        if answer.done:
            episode = self.session.episode
            metrics = {**episode.metrics, "solved": float(episode.solved), "truncated": float(episode.truncated)}
            self.session.close()
        return MessageStepResult(
            reward=answer.reward, episode_done=answer.done, next_messages=list(self._said), metrics=metrics
        )


@dataclass(frozen=True)
class TurnwiseGroup(EnvGroupBuilder):
    """Several samples of one task.

    Attributes:
        row: The task.
        renderer: A renderer of tinker-cookbook's.
        group_size: Samples.
        options: Further arguments of their `EnvFromMessageEnv`, such as ``max_trajectory_tokens``.
    """

    row: Mapping[str, Any]
    renderer: Any
    group_size: int
    options: Mapping[str, Any]

    async def make_envs(self) -> Sequence[Any]:
        """Make the environments of the group; answers that cannot be parsed earn 0 in place of their -1."""
        options = {"failed_parse_reward": 0.0, "context_overflow_reward": 0.0, **self.options}
        return [
            EnvFromMessageEnv(self.renderer, TurnwiseMessageEnv(self.row), **options) for _ in range(self.group_size)
        ]
