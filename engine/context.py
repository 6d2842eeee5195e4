"""What a model reads before each of its turns: the base of the context policies.

Tokens that were sampled in an earlier row are context in a new one, so each is trained once, in the row that sampled
it. A model's own past turns enter a new row as the tokens that it sampled.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnwise.core.errors import SettingsError, UsageError
from turnwise.engine.policy import Messages, Policy, read_policy
from turnwise.engine.tokens import Message, Renderer

__all__ = ["Context", "KeptContext", "Next", "PolicyContext", "context_maker"]


@dataclass(frozen=True)
class Next:
    """What the row reads before its next turn.

    Attributes:
        ids: The tokens.
        fresh: They begin a new row; otherwise they go on with the present one.
        internal: The next turn is for the context policy (a summary), not for the environment.
    """

    ids: list[int]
    fresh: bool = False
    internal: bool = False


@dataclass
class Context:
    """The context policy ``append``: everything stays, in one row. Base of the others.

    Attributes:
        renderer: Text to tokens.
        head: What comes before the first observation in every row: the system message, if there is one.
        messages: The first observation, and what a policy remembers of the turns.
    """

    renderer: Renderer
    head: Sequence[Message] = field(default=(), init=False)
    messages: list[dict[str, Any]] = field(default_factory=list, init=False)

    def opening(self, messages: Sequence[Message]) -> Next:
        """Before the first turn: these messages, the last of which is the first observation."""
        self.head = messages[:-1]
        self.messages = [dict(messages[-1])]
        return Next(self.renderer.start(messages), fresh=True)

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        """After a turn.

        Args:
            action: The tokens that were sampled, stop token included.
            observation: What the environment answered.
            closed: The action ended with a stop token.
            length: Tokens of the row, the action included.
        """
        said = [{"role": "user", "content": observation}]
        return Next(self.renderer.bridge(said, closed=closed, after=action))

    def summarised(self, summary: list[int]) -> Next:
        """After a turn that was ``internal``: only a policy that asks for such turns is called here."""
        raise UsageError(f"{type(self).__name__} asks for no turns of its own")

    def _new_row(self, messages: Sequence[dict[str, Any]]) -> Next:
        """These messages, rendered in a row of their own."""
        return Next(self.renderer.fresh([*self.head, *messages]), fresh=True)

    def _remember(self, action: list[int], observation: str) -> None:
        self.messages.append(self._own(action))
        self.messages.append({"role": "user", "content": observation})

    def _own(self, action: list[int]) -> dict[str, Any]:
        """A past turn of the policy: as sampled, or, where the template rewrites past turns, as it prints it."""
        if self.renderer.append_only:
            return {"role": "assistant", "ids": action}
        return {"role": "assistant", "content": self.renderer.decode(action)}


class KeptContext(Context):
    """Base of the policies that leave messages out: a new row begins whenever they do."""

    def kept(self, messages: Messages) -> list[Mapping[str, Any]]:
        """What is read of the messages, from the first observation on."""
        raise NotImplementedError

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        self._remember(action, observation)
        kept = [dict(message) for message in self.kept(self.messages)]
        if kept == self.messages:
            return super().after(action, observation, closed=closed, length=length)
        self.messages = kept
        return self._new_row(kept)


@dataclass
class PolicyContext(KeptContext):
    """A context policy by name."""

    policy: Policy

    def kept(self, messages: Messages) -> list[Mapping[str, Any]]:
        return self.policy.kept(messages)


def context_maker(text: str) -> Callable[[Renderer], Context]:
    """What makes the context policy of that name for a conversation; see `turnwise.engine.policy.read_policy`."""
    policy = read_policy(text)
    if policy.name == "summarise":
        raise SettingsError(
            f"context is {text!r}; a local agent takes 'append', 'window:TURNS' or 'drop_observations:KEPT'"
        )
    return Context if policy.name == "append" else lambda renderer: PolicyContext(renderer, policy)
