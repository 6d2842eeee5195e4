"""Environments for TitanRL (torchtitan/experiments/rl), by its message interface. See docs/use_in_titan.md."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.errors import InfrastructureError
from turnwise.session.session import Session

__all__ = ["TurnwiseMessageEnv"]


class TurnwiseMessageEnv:
    """Plays the task of a row of `turnwise.session.rows.rows`; has the methods of their `MessageEnv`.

    Args:
        row: The row.
        retries: How often an environment that fails is begun again. If that never helps, `step` raises.
    """

    def __init__(self, row: Mapping[str, Any], retries: int = 2) -> None:
        self.seed = int(row["seed"])
        self.session = Session(row["env"], json.loads(row["settings"]), retries=retries)

    async def init(self) -> tuple[list[Any], list[Any]]:
        """Begin the episode: its messages and the schemas of its tools."""
        opening = await asyncio.to_thread(self.session.start, self.seed)
        return list(opening.messages), list(opening.tools)

    async def step(self, message: Mapping[str, Any]) -> tuple[list[Any], bool, dict[str, float]]:
        """Play the assistant's message: the answering messages, whether it is over, and the turn's reward.

        Raises:
            InfrastructureError: The environment failed: leave the episode out.
        """
        answer = await asyncio.to_thread(self.session.reply, message)
        if answer.error is not None:
            raise InfrastructureError(answer.error)
        return list(answer.messages), answer.done, {"turnwise": answer.reward}

    async def close(self) -> None:
        """Release what the episode holds."""
        await asyncio.to_thread(self.session.close)
