"""Context policies: what the policy reads before each turn of a rollout.

`append` keeps one row that only grows. The others begin a new row when they leave something out: tokens that the
policy sampled in an earlier row are context in the new one, so each is trained once, in the row that sampled it, and
all rows of a rollout share its credit. A policy's own past turns enter a new row as the tokens that it sampled.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnwise.baselines.methods.registry import bind, find
from turnwise.core.errors import SettingsError, UsageError
from turnwise.engine.tokens import Renderer

__all__ = [
    "CONTEXTS", "Context", "DropObservations", "Next", "RowPerTurn", "Summarise", "Window", "check_context",
    "with_system",
]  # fmt: skip


def with_system(system: str, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the system message before them, if there is one."""
    return [*([{"role": "system", "content": system}] if system else ()), *messages]


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
    """``append``: everything stays, in one row."""

    renderer: Renderer
    system: str = ""
    """System message of every row; it is not one of ``messages``."""
    messages: list[dict[str, Any]] = field(default_factory=list)

    def opening(self, observation: str) -> Next:
        """Before the first turn."""
        self.messages.append({"role": "user", "content": observation})
        return Next(self.renderer.start(with_system(self.system, self.messages)), fresh=True)

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        """After a turn.

        Args:
            action: The tokens that were sampled, stop token included.
            observation: What the environment answered.
            closed: The action ended with a stop token.
            length: Tokens of the row, the action included.
        """
        return Next(self.renderer.bridge([{"role": "user", "content": observation}], closed=closed))

    def summarised(self, summary: list[int]) -> Next:
        """After a turn that was ``internal``: only a policy that asks for such turns is called here."""
        raise UsageError(f"{type(self).__name__} asks for no turns of its own")

    def _new_row(self, messages: Sequence[dict[str, Any]]) -> Next:
        """These messages, rendered in a row of their own."""
        return Next(self.renderer.fresh(with_system(self.system, messages)), fresh=True)

    def _remember(self, action: list[int], observation: str) -> None:
        self.messages.append(self._own(action))
        self.messages.append({"role": "user", "content": observation})

    def _own(self, action: list[int]) -> dict[str, Any]:
        """A past turn of the policy: as sampled, or, where the template rewrites past turns, as it prints it."""
        if self.renderer.append_only:
            return {"role": "assistant", "ids": action}
        return {"role": "assistant", "content": self.renderer.decode(action)}


@dataclass
class RowPerTurn(Context):
    """Every turn is a row of its own, the whole conversation rendered anew.

    For chat templates that print past turns differently from the present one (such as those which strip the thinking
    of earlier turns): what is read is what the template prints, and the sampled tokens are still never re-tokenised.
    """

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        self._remember(action, observation)
        return self._new_row(self.messages)


@dataclass(kw_only=True)
class Window(Context):
    """The first observation and the last ``turns`` turns.

    Source: ReAct agents with a bounded history; here as in the observation window of RAGEN, arXiv:2504.20073, 3.1.
    """

    turns: int = 4

    def __post_init__(self) -> None:
        _at_least_one("window", "turns", self.turns)

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        self._remember(action, observation)
        if len(self.messages) <= 1 + 2 * self.turns:
            return super().after(action, observation, closed=closed, length=length)
        self.messages = [*self.messages[:1], *self.messages[-2 * self.turns :]]
        return self._new_row(self.messages)


@dataclass(kw_only=True)
class DropObservations(Context):
    """All turns stay, but of the observations only the first and the last ``keep``; others become ``placeholder``.

    Source: dynamic context compression of WebAgent-R1, arXiv:2505.16421, section 2.2.
    """

    keep: int = 1
    placeholder: str = "(omitted)"

    def __post_init__(self) -> None:
        _at_least_one("drop_observations", "keep", self.keep)

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        self._remember(action, observation)
        old = [m for m in self.messages[1:] if m["role"] == "user"][: -self.keep]
        changed = [m for m in old if m["content"] != self.placeholder]
        if not changed:
            return super().after(action, observation, closed=closed, length=length)
        for message in changed:
            message["content"] = self.placeholder
        return self._new_row(self.messages)


@dataclass(kw_only=True)
class Summarise(Context):
    """When the row grows beyond ``max_tokens``, the policy writes a summary, and goes on from it in a new row.

    The summary is a turn like any other: sampled, credited with the rollout's advantage, trained.

    Source: SUPO, arXiv:2510.06727, section 3.
    """

    max_tokens: int = 1024
    instruction: str = "Before going on, sum up what matters so far. Only your summary will be kept."
    latest: str = field(default="", init=False)

    def __post_init__(self) -> None:
        _at_least_one("summarise", "max_tokens", self.max_tokens)

    def after(self, action: list[int], observation: str, *, closed: bool, length: int) -> Next:
        if length <= self.max_tokens:
            return super().after(action, observation, closed=closed, length=length)
        self.latest = observation
        text = f"{observation}\n\n{self.instruction}"
        return Next(self.renderer.bridge([{"role": "user", "content": text}], closed=closed), internal=True)

    def summarised(self, summary: list[int]) -> Next:
        ask = {"role": "user", "content": f"{self.messages[0]['content']}\n\n{self.instruction}"}
        latest = {"role": "user", "content": self.latest}
        return self._new_row([ask, self._own(summary), latest])


CONTEXTS: Mapping[str, Callable[..., Context]] = {
    "append": Context,
    "row_per_turn": RowPerTurn,
    "window": Window,
    "drop_observations": DropObservations,
    "summarise": Summarise,
}


def check_context(name: str, settings: Mapping[str, Any]) -> None:
    """Check the settings of a context policy before anything is played.

    Raises:
        SettingsError: There is no such policy or setting, or it refuses the value.
    """
    policy = find("context", name, CONTEXTS)
    bind(policy, settings, name)
    policy(None, **settings)


def _at_least_one(name: str, setting: str, value: object) -> None:
    """What was observed last must be read, or the policy acts on nothing."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SettingsError(f"{name}: {setting} is {value!r}; it must be a whole number of 1 or more")
