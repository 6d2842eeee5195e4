"""Wrappers for any environment: retries with feedback, invalid actions, an observation window, tools, time limits.

Each is a `gymnasium.Wrapper` that forks with its environment and is recorded in the environment's spec.
"""

import copy
from collections import deque
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from turnwise.core.env import Env
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.core.spaces import MAX_OBSERVATION_CHARS
from turnwise.core.tools import Tool, Toolbox, call_text, not_carried_out

__all__ = ["Feedback", "InvalidActions", "ObservationWindow", "Outcome", "Retry", "TextWrapper", "Tools"]

Feedback = Literal["none", "try again", "verdict", "detail"]
Step = tuple[str, float, bool, bool, dict[str, Any]]


class TextWrapper(gymnasium.Wrapper[str, str, str, str], RecordConstructorArgs):
    """Base of wrappers for text environments; implements forking.

    A wrapper keeps the state of an episode in attributes that begin with an underscore: numbers, texts, and flat
    collections of these.
    """

    def __init__(self, env: gymnasium.Env[str, str], **kwargs: Any) -> None:
        RecordConstructorArgs.__init__(self, **kwargs)
        gymnasium.Wrapper.__init__(self, env)

    @property
    def base(self) -> Env[Any]:
        """The turnwise environment inside.

        Raises:
            SettingsError: It wraps no turnwise environment.
        """
        env = self.env.unwrapped
        if not isinstance(env, Env):
            raise SettingsError(f"{type(self).__name__} wraps turnwise environments, not {type(env).__name__}")
        return env

    def tools(self) -> Sequence[Tool]:
        """The tools that an agent may call; see `Env.tools`."""
        inner: Any = self.env
        return tuple(inner.tools())

    def call_text(self, name: str, arguments: Any) -> str:
        """Write a structured call as an action; see `Env.call_text`."""
        inner: Any = self.env
        return str(inner.call_text(name, arguments))

    def fork(self) -> Self:
        """Return an independent copy of the wrapper and its live episode."""
        twin = copy.copy(self)
        inner: Any = self.env
        twin.env = inner.fork()
        for name, value in self.__dict__.items():
            if name.startswith("_") and isinstance(value, (list, dict, deque)):
                twin.__dict__[name] = copy.copy(value)  # state of the episode, flat; settings are shared
        return twin


class Retry(TextWrapper):
    """Several tries at a single-answer environment, with a chosen amount of feedback after a wrong one.

    Args:
        env: An environment with ``max_turns=1``.
        tries: Answers allowed; the last wrong one ends the episode as ``truncated``.
        feedback: What the agent reads after a wrong answer: ``"none"`` (the question again), ``"try again"``,
            ``"verdict"`` (wrong, or not readable), ``"detail"`` (the environment's own reply).

    Source: "try again" is the feedback of UFO (arXiv 2507.14295), enough for a model to learn to revise.
    """

    def __init__(
        self, env: gymnasium.Env[str, str], tries: Annotated[int, Range(1)] = 3, feedback: Feedback = "detail"
    ) -> None:
        check_arguments(Retry.__init__, feedback=feedback, tries=tries)
        super().__init__(env, tries=tries, feedback=feedback)
        if self.base.max_turns != 1:
            raise SettingsError(
                f"Retry is for single-answer environments; {type(self.base).__name__} has max_turns="
                f"{self.base.max_turns}, so it gives feedback itself"
            )
        self.base.max_turns = tries
        self.feedback = feedback
        self._question = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        self._question, info = self.env.reset(seed=seed, options=options)
        return self._question, info

    def step(self, action: str) -> Step:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if not (terminated or truncated):
            if self.feedback == "none":
                observation = self._question
            elif self.feedback == "try again":
                observation = "Try again."
            elif self.feedback == "verdict":
                observation = "Not readable as an answer." if info.get("invalid_action") else "Wrong."
        return observation, float(reward), terminated, truncated, info


class InvalidActions(TextWrapper):
    """Sets the cost of a malformed or illegal action, in addition to the turn that it uses up.

    Args:
        env: Any environment.
        free: Number of invalid actions per episode that use up no turn.
        terminate_after: Number of invalid actions that end the episode; None: they never do.
        penalty: >= 0; each invalid action adds ``-penalty`` to ``info["shaping"]``. It is not part of the reward, so
            returns keep their meaning; a trainer can choose to add shaping.
    """

    def __init__(
        self, env: gymnasium.Env[str, str], free: int = 0, terminate_after: int | None = None, penalty: float = 0.0
    ) -> None:
        if free < 0 or penalty < 0 or (terminate_after is not None and terminate_after < 1):
            raise SettingsError(
                f"free={free}, terminate_after={terminate_after}, penalty={penalty}: free and penalty must be at least "
                "0, terminate_after at least 1"
            )
        super().__init__(env, free=free, terminate_after=terminate_after, penalty=penalty)
        self.free, self.terminate_after, self.penalty = free, terminate_after, penalty
        self._invalid = 0
        self._last = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        self._invalid = 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: str) -> Step:
        base = self.base
        allowed = base.max_turns
        if self._invalid < self.free:  # if this action is invalid, its turn is given back
            base.max_turns = max(allowed, base.turn + 2)
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        finally:
            base.max_turns = allowed
        if info.get("invalid_action"):
            self._invalid += 1
            if self.penalty:
                info["shaping"] = info.get("shaping", 0.0) - self.penalty
            if self._invalid <= self.free and not (terminated or truncated):
                base.turn -= 1
            if self.terminate_after is not None and self._invalid >= self.terminate_after and not terminated:
                info = {**info, **base.end_now()} if not truncated else info
                terminated, truncated = True, False
        elif not (terminated or truncated) and base.turn >= allowed:
            info = {**info, **base.end_now()}
            terminated, truncated = allowed == 1, allowed > 1
        return observation, float(reward), terminated, truncated, info


class Outcome(TextWrapper):
    """Completes the ``info`` of an episode that another wrapper has ended.

    Such a wrapper, `gymnasium.wrappers.TimeLimit` for one (which ``gymnasium.make(..., max_episode_steps=...)`` puts
    around an environment), cannot know ``solved``, ``metrics`` and ``reward_valid``; placed outside it, this wrapper
    adds them and lets the environment release its resources. The environment's own ``max_turns`` is better, because its
    prompt states the limit.

    Args:
        env: Any environment, with the wrappers that may end its episodes.
    """

    def __init__(self, env: gymnasium.Env[str, str]) -> None:
        super().__init__(env)

    def step(self, action: str) -> Step:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if (terminated or truncated) and "solved" not in info:
            info = {**info, **self.base.end_now()}
        return observation, float(reward), terminated, truncated, info


class ObservationWindow(TextWrapper):
    """Shows the last exchanges in every observation, for agents that do not keep the conversation.

    Args:
        env: Any environment.
        turns: Exchanges shown before the newest observation; None shows all. The first observation (the rules) stays.
    """

    def __init__(self, env: gymnasium.Env[str, str], turns: Annotated[int, Range(0)] | None = None) -> None:
        check_arguments(ObservationWindow.__init__, turns=turns)
        super().__init__(env, turns=turns)
        self.turns = turns
        self._first = ""
        self._history: deque[tuple[str, str]] = deque(maxlen=turns)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        self._first, info = self.env.reset(seed=seed, options=options)
        self._history.clear()
        return self._first, info

    def step(self, action: str) -> Step:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._history.append((action, observation))
        parts = [self._first]
        longest = MAX_OBSERVATION_CHARS // (4 * len(self._history) + 4)  # of an action that is repeated
        for said, answer in self._history:
            parts += [f"> {said if len(said) <= longest else said[:longest] + ' ...'}", answer]
        if not self._history:
            parts.append(observation)
        return "\n".join(parts), float(reward), terminated, truncated, info


class Tools(TextWrapper):
    """Adds tools to any environment: an action that calls one is answered by the tool, not by the environment.

    See `turnwise.core.tools.Toolbox` for how calls are written. In a message that calls a tool, an answer is not read.
    Several calls in one message are answered in order, until one fails. A message that begins with a
    call of the environment's own tools goes to the environment.

    Args:
        env: Any environment.
        tools: The tools.
        budget: Calls allowed per episode; calls use up none of the environment's turns.
        max_chars: Longest answer of a tool; the middle of a longer one is left out.
    """

    def __init__(
        self, env: gymnasium.Env[str, str], tools: Sequence[Tool], budget: int = 8, max_chars: int = 4000
    ) -> None:
        self.toolbox = Toolbox(tools, max_chars)
        super().__init__(env, tools=tools, budget=budget, max_chars=max_chars)
        self.budget = budget
        self._calls = 0
        self._errors = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        self._calls = self._errors = 0
        observation, info = self.env.reset(seed=seed, options=options)
        return f"{observation}\n\n{self.describe()}", info

    def tools(self) -> Sequence[Tool]:
        return (*self.toolbox.tools.values(), *super().tools())

    def call_text(self, name: str, arguments: Any) -> str:
        return call_text(name, arguments) if name in self.toolbox.tools else super().call_text(name, arguments)

    def describe(self) -> str:
        """Describe the tools as the first observation does."""
        return f"You may call tools, up to {self.budget} times in total:\n{self.toolbox.describe()}"

    def step(self, action: str) -> Step:
        calls = self.toolbox.parse(action) if isinstance(action, str) else []
        if not calls or self._is_inner(calls[0].name):
            observation, reward, terminated, truncated, info = self.env.step(action)
            if "metrics" in info:
                info["metrics"] = {
                    **info["metrics"],
                    "tool_calls": float(self._calls),
                    "tool_errors": float(self._errors),
                }
            return observation, float(reward), terminated, truncated, info
        answers = []
        for place, call in enumerate(calls):
            if self._calls >= self.budget:
                answers.append(f"None of the {self.budget} calls is left; give your answer.")
                self._errors += 1
                if self._errors > 2 * self.budget + 8:  # ends the episode of an agent that only makes calls
                    return "\n".join(answers), 0.0, False, True, self._end()
                break
            self._calls += 1
            try:
                answer = self.toolbox.run(call)
            except InfrastructureError as error:
                return "A tool failed; this episode does not count.", 0.0, False, True, self._end(str(error))
            self._errors += answer.failed
            answers.append(answer.text)
            if answer.failed:
                answers += filter(None, [not_carried_out(calls[place + 1 :])])
                break
        return "\n".join(answers), 0.0, False, False, {"tool_call": True}

    def _is_inner(self, name: str) -> bool:
        """Whether a tool is one of the environment inside: it answers messages that begin with a call of it."""
        return name not in self.toolbox.tools and any(tool.name == name for tool in super().tools())

    def _end(self, error: str | None = None) -> dict[str, Any]:
        info = self.base.end_now()
        info["metrics"] |= {"tool_calls": float(self._calls), "tool_errors": float(self._errors)}
        return info if error is None else {**info, "reward_valid": False, "error": error}
