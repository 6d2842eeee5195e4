"""Solved episodes by the oracle, to be put before a conversation as examples."""

import copy
import threading
from collections.abc import Sequence
from typing import Any

import gymnasium

from turnwise.agents.endpoint.talk import ANOTHER, Call, Entry, Said
from turnwise.core.agent import Action, Play
from turnwise.core.env import Env, seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.player import play_in
from turnwise.core.tools import Tool, Toolbox

__all__ = ["Shots"]

_TRIES = 8  # tasks that are drawn for each shot: the one that is played may be among them


class Shots:
    """Examples for every environment that an agent meets; each is played once.

    Args:
        number: Solved episodes for a conversation.
        native: Calls of tools are shown as calls.
    """

    def __init__(self, number: int, native: bool) -> None:
        self.number, self.native = number, native
        self._known: dict[str, list[Episode]] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def of(self, play: Play, tools: Sequence[Tool]) -> tuple[Entry, ...]:
        """The examples for an episode, none of which is its own task."""
        if not self.number:
            return ()
        env: Any = play.env.unwrapped
        if not isinstance(env, Env):
            raise SettingsError(f"shots is {self.number}; {type(env).__name__} is not a turnwise environment, "
                                "it has no oracle")  # fmt: skip
        key = f"{type(env).__qualname__}{sorted(env.settings().items(), key=lambda item: item[0])!r}{play.env}"
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            known = self._known.setdefault(key, [])
            if not known:
                known += self._played(play.env, env)
        asked = next(message["content"] for message in play.messages if message["role"] == "user")
        chosen = [episode for episode in known if not asked.startswith(episode.turns[0].observation)][: self.number]
        box = Toolbox(tools) if tools and self.native else None
        entries = [entry for number, episode in enumerate(chosen) for entry in _entries(episode, number, box)]
        return tuple(entries)

    def _played(self, wrapped: gymnasium.Env[str, str], env: Env[Any]) -> list[Episode]:
        """Play the oracle in training tasks of an environment like this one, wrappers included."""
        twin = _like(wrapped, env)
        found: dict[str, Episode] = {}
        try:
            for number in range(self.number + _TRIES):
                job = Job("shot", seed_of("shots", type(env).__name__, number))
                episode = play_in(twin, lambda play: Action(play.env.unwrapped.oracle()), job)  # type: ignore[attr-defined]
                if episode.status == "error":
                    raise InfrastructureError(f"an example for shots failed: {episode.error}")
                if episode.solved:
                    found.setdefault(episode.task_id, episode)
                if len(found) > self.number:  # one more, in place of one that is the task itself
                    break
        finally:
            twin.close()
        if len(found) < self.number:
            raise SettingsError(
                f"shots is {self.number}; {type(env).__name__} has only {len(found)} different training tasks that "
                "its oracle solves with these settings"
            )
        return list(found.values())


def _like(wrapped: gymnasium.Env[str, str], env: Env[Any]) -> gymnasium.Env[str, str]:
    """A new environment with the same settings and wrappers, on training tasks."""
    settings = {**env.settings(), "split": "train", "render_mode": None}
    spec = copy.deepcopy(wrapped.spec)
    if spec is None:
        if wrapped is not env:
            raise SettingsError("shots: the environment's wrappers cannot be made again; make it with gymnasium.make")
        return type(env)(**settings)
    spec.kwargs = settings
    return gymnasium.make(spec)


def _entries(episode: Episode, number: int, box: Toolbox | None) -> list[Entry]:
    """An episode as entries of a conversation."""
    found: list[Entry] = []
    for place, turn in enumerate(episode.turns):
        lead = ANOTHER if number and not place else ""
        found.append({"role": "user", "content": lead + turn.observation})
        found.append({"role": "assistant", "content": turn.action})
        if box is not None and (said := _called(turn.action, box, f"shot_{number}_{place}")) is not None:
            found[-1] = {**found[-1], "said": said}
    if episode.final_observation:
        found.append({"role": "user", "content": episode.final_observation})
    return found


def _called(action: str, box: Toolbox, name: str) -> Said | None:
    """An action that is nothing but calls of tools, as such; None for any other."""
    calls = box.parse(action)
    if not calls or any(call.problem or not isinstance(call.arguments, dict) for call in calls):
        return None
    if not (action.lstrip().startswith("<") and action.rstrip().endswith(">")):  # words beside the calls
        return None
    return Said("", tuple(Call(f"{name}_{i}", call.name, call.arguments) for i, call in enumerate(calls)))
