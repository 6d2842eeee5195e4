"""An agent that is a Python function: it takes the conversation and returns the action."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from turnwise.agents.endpoint.messages import action_of
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.errors import FatalError, SettingsError, did_you_mean
from turnwise.core.origins import load_source

__all__ = ["PythonAgent", "python_agent"]


class PythonAgent(Agent):
    """Plays what a function returns for the conversation, a list of messages with ``role`` and ``content``.

    It may return a text, a chat message with ``content`` and ``tool_calls``, or an `Action`. A parameter that is called
    ``play`` gets the `Play` in place of the conversation: environment, turn, random key, and state of its own.

    Args:
        function: The function.
        name: Name in records.
        concurrency: Most episodes at a time; above 1 the function is called from threads.
    """

    def __init__(self, function: Callable[[Any], Any], name: str, concurrency: int = 1) -> None:
        self.function, self.name, self.concurrency = function, name, concurrency
        self._takes_play = "play" in inspect.signature(function).parameters

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [self._act(play) for play in plays]

    def _act(self, play: Play) -> Action:
        said = self.function(play=play) if self._takes_play else self.function([dict(m) for m in play.messages])  # type: ignore[call-arg]
        if isinstance(said, Action):
            return said
        if isinstance(said, str):
            return Action(said)
        if not isinstance(said, Mapping):
            raise FatalError(
                f"{self.name} returned {said!r:.200}; it must return the action: a text, a chat message or an Action"
            )
        env: Any = play.env if hasattr(play.env, "call_text") else play.env.unwrapped
        tools = env.tools() if hasattr(env, "tools") else ()
        return Action(action_of(said, env, [tool.name for tool in tools]))


def python_agent(spec: str, concurrency: int | None, options: Mapping[str, Any]) -> Agent:
    """Make the agent that ``FILE.py:NAME`` or ``MODULE:NAME`` names: a function, a class of agents, or an agent.

    Args:
        spec: What follows ``python:``.
        concurrency: Most episodes at a time; None keeps the agent's default.
        options: Further arguments of the function or the class, by name.

    Raises:
        SettingsError: Nothing has that name, or it does not take these arguments.
    """
    source, _, name = spec.rpartition(":")
    if not source or not name:
        raise SettingsError(f"the agent is 'python:{spec}'; it must look like 'python:my_agent.py:act'")
    module = load_source(source)
    if not hasattr(module, name):
        near = did_you_mean(name, [each for each in vars(module) if not each.startswith("_")])
        raise SettingsError(f"{source} has no {name!r}{near}")
    found = getattr(module, name)
    if isinstance(found, type) and issubclass(found, Agent):
        agent: Agent = _with_options(spec, found, options)()
    elif isinstance(found, Agent):
        agent = _with_options(spec, lambda: found, options)()
    elif callable(found) and not inspect.iscoroutinefunction(found):
        agent = PythonAgent(_with_options(spec, found, options, [[]]), f"python:{spec}")
    else:
        raise SettingsError(
            f"the agent is 'python:{spec}', a {type(found).__name__}; it must be a function of the conversation, or an "
            "Agent"
        )
    if concurrency is not None:
        agent.concurrency = concurrency
    return agent


def _with_options(
    spec: str, function: Callable[..., Any], options: Mapping[str, Any], given: Sequence[Any] = ()
) -> Callable[..., Any]:
    """The function with its options; an error that names what it does not take."""
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **options)
    except TypeError as error:
        raise SettingsError(f"the agent 'python:{spec}' is {signature}: {error}") from error
    return partial(function, **options)
