"""`Session`: one episode of any environment, in chat messages and tool calls.

What a trainer, a server or an evaluator of someone else's needs is the same everywhere: start an episode and get
messages and tool schemas; send the assistant's message or a tool call and get the messages that answer it, a reward and
whether the episode is over; read the result; copy the episode; close it. Adapters are written over this class and know
nothing about environments.
"""

import contextlib
import copy
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import gymnasium

from turnwise.agents.endpoint.messages import ACT, act_tool, action_of, answers_to
from turnwise.core.agent import Action
from turnwise.core.episode import Episode, Job, Turn
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.player import Live, episode_of
from turnwise.core.registration import full_id, make
from turnwise.core.tools import Tool

__all__ = ["Answer", "Opening", "Session"]

Message = Mapping[str, Any]
FAILED = "The environment failed; this episode does not count."


class _Another(InfrastructureError):
    """An episode that was begun again did not repeat itself."""


@dataclass(frozen=True)
class Opening:
    """How an episode begins.

    Attributes:
        messages: Chat messages, the last one the first observation.
        tools: Function schemas of the tools that the environment reads calls of; empty if it is played in words.
        task_id: Hash of the task's content: equal for equal tasks.
    """

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]
    task_id: str

    @property
    def text(self) -> str:
        """The first observation."""
        return str(self.messages[-1]["content"])


@dataclass(frozen=True)
class Answer:
    """What an environment answers.

    Attributes:
        messages: Chat messages that continue the conversation: one of the user, or one for each tool call.
        reward: Reward of this turn; the rewards of an episode sum to its return, which is in [0, 1].
        done: The episode is over; `Session.episode` has its result.
        truncated: It was ended by its turn limit.
        error: Why the environment failed; None if it did not. Such an episode says nothing: mask it, never score it.
        invalid: The message was no move (format error, illegal move); a turn is gone.
    """

    messages: tuple[Message, ...]
    reward: float = 0.0
    done: bool = False
    truncated: bool = False
    error: str | None = None
    invalid: bool = False

    @property
    def text(self) -> str:
        """The observation."""
        return str(self.messages[-1]["content"])


class Session:
    """One episode of an environment, played from outside.

    Args:
        env: Id of a registered environment, such as "Countdown", or an environment that the caller owns.
        settings: Settings of the environment, by name.
        system: System message before the conversation; none if empty.
        agent: Name of the agent in the record of the episode.
        retries: How often an episode whose environment fails is begun again with the same seed and played up to where
            it failed, unseen by the caller: for hosts that have no way to leave an episode out. One that does not
            repeat itself word for word is not gone on with.

    Example:
        >>> with Session("GuessNumber", {"max_number": 8}) as session:
        ...     opening = session.start(seed=7)
        ...     while not session.done:
        ...         answer = session.reply("<answer>4</answer>")
        ...     session.episode.episode_return <= 1.0
        True
    """

    def __init__(
        self,
        env: str | gymnasium.Env[str, str],
        settings: Mapping[str, Any] | None = None,
        *,
        system: str = "",
        agent: str = "",
        retries: int = 0,
    ) -> None:
        own = not isinstance(env, str)
        if own and settings:
            raise UsageError(f"settings are {dict(settings or {})!r}; an environment that is made already takes none")
        if retries < 0:
            raise SettingsError(f"retries is {retries}; it must be at least 0")
        self.settings = dict(settings or {})
        self.env: Any = env if own else make(str(env), **self.settings)
        self._own, self._name = own, env if isinstance(env, str) else ""
        self.id = full_id(env) if isinstance(env, str) else str(getattr(env.spec, "id", type(env.unwrapped).__name__))
        self.system, self.agent, self.retries = system, agent, retries
        self._live: Live | None = None
        self._tools: tuple[Tool, ...] = ()

    # ---- an episode -----------------------------------------------------------------------------------------------

    def start(self, seed: int | None = None) -> Opening:
        """Begin an episode; a running one is dropped.

        Args:
            seed: Seed of the task, at least 0; equal seeds give equal episodes. None draws one.

        Raises:
            InfrastructureError: The environment could not begin.
            SettingsError: The seed is negative.
        """
        self._live = None
        live = Live(Job(self.id, secrets.randbits(53) if seed is None else seed, settings=self.settings))
        try:
            live.begin(self.env, self.system or None)
        except InfrastructureError as error:
            live = self._again(live, live.turns, error)
        self._live = live
        self._tools = tuple(self.env.get_wrapper_attr("tools")()) if self.env.has_wrapper_attr("tools") else ()
        return Opening(tuple(live.play.messages), tuple(tool.schema() for tool in self._tools), live.task_id)

    def tools(self, always: bool = False) -> tuple[Tool, ...]:
        """The environment's tools.

        Args:
            always: Give a host that can only call tools something to say words with as well: the tool ``act``, which
                sends its ``message`` as it is.
        """
        one_answer = bool(getattr(self.env.unwrapped, "max_turns", 2) == 1)
        named = {tool.name for tool in self._tools}
        return (*self._tools, act_tool(one_answer)) if always and ACT not in named else self._tools

    def reply(self, message: str | Message) -> Answer:
        """Play an assistant message: a text, or a chat message with ``content`` and ``tool_calls``.

        All of a message is one turn. Its calls are written in the environment's own grammar, so that limits, scoring
        and format errors are those of any other agent.

        Raises:
            UsageError: No episode is running, or the message is not one of the assistant.
            FatalError: What failed would fail every other episode too.
        """
        live = self._running("reply")
        action = message if isinstance(message, str) else self._action_of(message)
        try:
            live = self._step(live, Action(action))
        except FatalError:
            self._live = None
            raise
        except InfrastructureError as error:
            (self._live or live).error = error
            return Answer(tuple(answers_to(message, FAILED)), 0.0, True, True, str(error) or type(error).__name__)
        turn = live.turns[-1]
        messages = tuple(answers_to(message, live.observation))
        return Answer(messages, turn.reward, live.over, live.truncated, None, turn.invalid)

    def call(self, tool: str, arguments: Any) -> Answer:
        """Play one structured tool call as a turn of its own.

        Args:
            tool: Name of the tool; the environment answers one that it does not have. ``act`` sends its ``message``.
            arguments: A mapping, or the JSON text of one.

        Raises:
            UsageError: No episode is running.
        """
        function = {"name": tool, "arguments": arguments}
        return self.reply({"role": "assistant", "tool_calls": [{"id": "call_0", "function": function}]})

    def _step(self, live: Live, action: Action) -> Live:
        """Play an action; the episode that goes on is another one if the environment had to begin again."""
        before = list(live.turns)
        while True:
            try:
                live.step(action)
            except FatalError:
                raise
            except InfrastructureError as error:
                live = self._live = self._again(live, before, error)
            else:
                return live

    def _again(self, failed: Live, turns: Sequence[Turn], error: InfrastructureError) -> Live:
        """The episode once more, up to and with ``turns``.

        Raises:
            InfrastructureError: ``error``, if there were enough attempts or the episode does not repeat itself.
        """
        for attempt in range(failed.attempts + 1, self.retries + 2):
            if isinstance(error, FatalError):
                break
            failed.attempts = attempt
            try:
                return self._repeated(failed.job, turns, attempt)
            except _Another as another:
                raise InfrastructureError(f"{error}; {another}") from error
            except InfrastructureError as again:
                error = again
        raise error

    def _repeated(self, job: Job, turns: Sequence[Turn], attempt: int) -> Live:
        """Play an episode up to and with ``turns``, in a new environment; what has failed is not used again.

        Raises:
            InfrastructureError: The environment failed, or the episode does not repeat itself.
        """
        if self._name:
            with contextlib.suppress(Exception):
                self.env.close()
            self.env = make(self._name, **self.settings)
        live = Live(job, attempts=attempt)
        live.begin(self.env, self.system or None)
        for turn in turns:
            live.step(Action(turn.action))
        if live.turns != list(turns):
            raise _Another("begun again, the episode took another course")
        return live

    def repeat(self, turns: int) -> None:
        """Play the running episode up to its first ``turns`` turns in a new environment; the old one was interrupted.

        Raises:
            UsageError: No episode is running.
            InfrastructureError: The environment failed, or the episode does not repeat itself.
        """
        live = self._running("repeat")
        self._live = self._repeated(live.job, live.turns[:turns], live.attempts)

    def _action_of(self, message: Message) -> str:
        caller = self.env if hasattr(self.env, "call_text") else self.env.unwrapped
        return action_of(message, caller, [tool.name for tool in self._tools])

    def _running(self, what: str) -> Live:
        if self._live is None or self.done:
            over = "the episode is over" if self._live is not None else "no episode is running"
            raise UsageError(f"{what}: {over}; start one with start()")
        return self._live

    # ---- its result, copies, end ----------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self._live is not None and (self._live.over or self._live.error is not None)

    @property
    def failure(self) -> Exception | None:
        """What the environment raised, if it failed."""
        return self._live.error if self._live is not None else None

    @property
    def turn(self) -> int:
        """Turns played so far."""
        return len(self._live.turns) if self._live is not None else 0

    @property
    def episode(self) -> Episode:
        """The record of the finished episode: return, solved, metrics, turns; ``status`` "error" if it does not count.

        Raises:
            UsageError: The episode is not over.
        """
        if self._live is None or not self.done:
            raise UsageError("the episode is not over; its result is known when Answer.done is true")
        return episode_of(self._live, self.agent)

    def fork(self) -> Self:
        """Copy the live episode: both go on from here, neither sees the other.

        Raises:
            UsageError: No episode is running.
        """
        live = self._running("fork")
        twin = copy.copy(self)
        twin.env = self.env.get_wrapper_attr("fork")()
        twin._own = False
        twin._live = live.fork(twin.env)
        return twin

    def close(self) -> None:
        """Release what the episode holds; an environment that the caller handed in stays open."""
        if not self.done:
            self._live = None
        if not self._own:
            self.env.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
