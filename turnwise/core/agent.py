"""The `Agent` interface: an agent turns live episodes into next messages."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

import gymnasium

from turnwise.core.episode import Tokens

__all__ = ["Action", "Agent", "Message", "Play", "StreamingAgent"]


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(eq=False)
class Play:
    """A live episode, as an agent sees it.

    Attributes:
        messages: The conversation so far, ending with the message to answer. Append-only.
        env: The environment; only scripted agents (the oracle, the random agent) look at it.
        turn: Number of this turn, from 0.
        rng_key: The only key that the agent's random choices in this turn may depend on, so that an episode does not
            change with the episodes played in parallel.
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
        prompt_tokens: Tokens read; 0 if unknown.
        completion_tokens: Tokens written.
        reasoning: The model's reasoning, if an endpoint returns it separately from the answer. Environments never see
            it.
        served: Metadata of an endpoint's answer and timings: see `turnwise.core.episode.Turn`.
        internal: A turn of the agent's own (a summary): no environment reads it, and the agent is asked again.
        tokens: The tokens that were read and sampled, if the agent knows and keeps them.
    """

    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning: str = ""
    served: Mapping[str, Any] | None = field(default=None, compare=False)
    internal: bool = False
    tokens: Tokens | None = None


class Agent:
    """Base of agents.

    Attributes:
        name: Name in records.
        batched: Whether `act` takes all live episodes together (a local model); otherwise it is called from
            ``concurrency`` threads with one episode each (an endpoint).
        concurrency: Maximum number of live episodes.
        notify: Called with messages for the user while the agent plays, such as a retried request.
    """

    name: str = "agent"
    batched: bool = False
    concurrency: int = 1
    notify: Callable[[str], None] = staticmethod(logging.getLogger("turnwise").warning)

    def act(self, plays: Sequence[Play]) -> list[Action]:
        """Answer every play.

        Raises:
            InfrastructureError: No answer could be obtained; the episodes are restarted, never scored.
        """
        raise NotImplementedError

    def end(self, play: Play) -> None:
        """Forget an episode that has ended or been abandoned."""

    def interrupt(self) -> None:
        """Make calls of `act` in other threads return soon, as the run was aborted; later calls are not affected."""

    def close(self) -> None:
        """Release what the agent holds."""


class StreamingAgent(Agent):
    """A batched agent that can hand out answers one by one, as they come."""

    batched = True

    def submit(self, plays: Sequence[Play]) -> Sequence[Play]:
        """Ask for the next action of some plays; `collect` hands it out.

        Returns:
            The plays that the agent gives up: it has no room for their conversation, and they end here.
        """
        raise NotImplementedError

    def collect(self, least: int) -> list[tuple[Play, Action]]:
        """The answers that are there, once ``least`` of them are (or all, if they are fewer)."""
        raise NotImplementedError

    def act(self, plays: Sequence[Play]) -> list[Action]:
        self.submit(plays)
        found = dict(self.collect(len(plays)))
        return [found[play] for play in plays]
