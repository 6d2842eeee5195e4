"""Context policies: what the policy reads before each turn of a rollout.

`append` keeps one row that only grows. The others begin a new row when they leave something out: tokens that the
policy sampled in an earlier row are context in the new one, so each is trained once, in the row that sampled it, and
all rows of a rollout share its credit. A policy's own past turns enter a new row as the tokens that it sampled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from turnwise.baselines.methods import kinds
from turnwise.baselines.methods.kinds import context
from turnwise.baselines.methods.kinds import context as CONTEXTS
from turnwise.baselines.trainer.parts import Append, DropObservations, RowPerTurn, Summarise, Window
from turnwise.engine.context import Context, KeptContext, Next
from turnwise.engine.policy import Messages, window, without_observations
from turnwise.engine.tokens import Renderer

__all__ = [
    "CONTEXTS", "AppendContext", "DropObservationsContext", "RowPerTurnContext", "SummariseContext", "WindowContext",
    "make_context",
]  # fmt: skip


@context.implements(Append)
@dataclass
class AppendContext(Context):
    """Keep the whole conversation in one row."""

    settings: Append


@context.implements(RowPerTurn)
@dataclass
class RowPerTurnContext(Context):
    """Make every turn a row of its own, in which the whole conversation is rendered again.

    For chat templates that print past turns differently from the present one (such as those which strip the thinking
    of earlier turns): what is read is what the template prints, and the sampled tokens are still never re-tokenised.
    """

    settings: RowPerTurn

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        self._remember(action, observation)
        return self._new_row(self.messages)


@context.implements(Window)
@dataclass
class WindowContext(KeptContext):
    """Keep the first observation and the last ``turns`` turns: `turnwise.engine.policy.window`."""

    settings: Window

    def kept(self, messages: Messages) -> list[Mapping[str, Any]]:
        return window(messages, self.settings.turns)


@context.implements(DropObservations)
@dataclass
class DropObservationsContext(KeptContext):
    """Replace old observations with ``placeholder``: `turnwise.engine.policy.without_observations`."""

    settings: DropObservations

    def kept(self, messages: Messages) -> list[Mapping[str, Any]]:
        return without_observations(messages, self.settings.keep, self.settings.placeholder)


@context.implements(Summarise)
@dataclass
class SummariseContext(Context):
    """Let the policy write a summary when the row exceeds ``max_tokens``, and continue from it in a new row.

    The summary is a turn like any other: sampled, credited with the rollout's advantage, trained.

    Source: SUPO, arXiv:2510.06727, section 3.
    """

    settings: Summarise
    latest: str = field(default="", init=False)

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        if length <= self.settings.max_tokens:
            return super().after(action, observation, closed=closed, length=length)
        self.latest = observation
        text = f"{observation}\n\n{self.settings.instruction}"
        asked = self.renderer.bridge([{"role": "user", "content": text}], closed=closed, after=action)
        return Next(asked, internal=True)

    def summarised(self, summary: list[int]) -> Next:
        ask = {"role": "user", "content": f"{self.messages[0]['content']}\n\n{self.settings.instruction}"}
        latest = {"role": "user", "content": self.latest}
        return self._new_row([ask, self._own(summary), latest])


def make_context(settings: kinds.Context, renderer: Renderer) -> Context:
    """Create the context policy for one rollout."""
    made: Context = CONTEXTS.make(settings, renderer)
    return made
