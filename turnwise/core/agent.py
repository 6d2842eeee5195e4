"""What an agent is: something that turns live episodes into next messages."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

import gymnasium

__all__ = ["Action", "Agent", "Message", "Play"]


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass
class Play:
    """A live episode, as an agent sees it.

    Attributes:
        messages: The conversation so far; it ends with what is to be answered. Append-only.
        env: The environment; only scripted agents (the oracle, the random agent) look at it.
        turn: Number of this turn, from 0.
        rng_key: What the agent's random choices in this turn may depend on, so that an episode is the same whatever
            is played beside it.
        state: The agent's own memory of this episode; None at the start.
    """

    messages: list[Message]
    env: gymnasium.Env[str, str]
    rng_key: tuple[int, ...]
    turn: int = 0
    state: Any = field(default=None, repr=False)


@dataclass(frozen=True)
class Action:
    """An agent's answer.

    Attributes:
        text: What the environment reads.
        finish: "stop", "length" (cut at the token limit), or what an endpoint reports.
        prompt_tokens: Tokens read, 0 where unknown.
        completion_tokens: Tokens written.
        reasoning: What the model thought before it answered, where an endpoint returns that apart from the answer. No
            environment reads it.
        served: What an endpoint says of its answer beside the text, and the clock: see `turnwise.core.episode.Turn`.
    """

    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning: str = ""
    served: Mapping[str, Any] | None = field(default=None, compare=False)


class Agent:
    """Base of agents.

    Attributes:
        name: Name in records.
        batched: `act` wants all live episodes at once (a local model); otherwise it is called from
            ``concurrency`` threads, one episode each (an endpoint).
        concurrency: Most episodes alive at once.
        notify: Called with what a person should know while the agent plays, such as a request that is repeated.
    """

    name: str = "agent"
    batched: bool = False
    concurrency: int = 1
    notify: Callable[[str], None] = staticmethod(logging.getLogger("turnwise").warning)

    def act(self, plays: Sequence[Play]) -> list[Action]:
        """Answer every play.

        Raises:
            InfrastructureError: No answer could be had; the episodes are started again, never scored.
        """
        raise NotImplementedError

    def end(self, play: Play) -> None:
        """The episode is over (or given up): forget it."""

    def interrupt(self) -> None:
        """The run is given up: let calls of `act` in other threads end soon. Later calls are not concerned."""

    def close(self) -> None:
        """Release what the agent holds."""
