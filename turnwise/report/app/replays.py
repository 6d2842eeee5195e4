"""Episodes played again by seed and settings: the environment's pictures, the oracle's way, and a person who goes on.

Each live episode has a thread of its own: an environment may belong to the thread that made it.
"""

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import gymnasium

from turnwise.agents.scripted import OracleAgent
from turnwise.core.agent import Action
from turnwise.core.env import Env
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import SettingsError, TurnwiseError
from turnwise.core.player import Live, make_env, rollout
from turnwise.core.spaces import MAX_ACTION_CHARS
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import env_maker
from turnwise.report.html import visible
from turnwise.report.pictures import drawn

__all__ = ["ANOTHER_TASK", "Replays"]

MOST_SESSIONS = 8
MAX_TURNS = 200
"""Turns of the oracle that are shown."""
ANOTHER_TASK = "the seed gives another task today"
T = TypeVar("T")


class Replays:
    """Plays the episodes of a run again.

    Args:
        made: The run's settings, if they can be read.

    Attributes:
        missing: Why environments are not registered here, by id.
    """

    def __init__(self, made: EvalConfig | None) -> None:
        self._make: Callable[[Job], gymnasium.Env[str, str]] = make_env if made is None else env_maker(made)
        self.missing: Mapping[str, str] = {}
        self._sessions: dict[str, _Session] = {}

    def answer(self, what: str, episode: Episode, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Pictures, the oracle's way, or the beginning of a person's episode; ``none`` says why there is nothing.

        Args:
            what: "pictures", "way" or "play".
            episode: The stored episode.
            arguments: For "play", ``turn``: how many of its actions are played before the person goes on.
        """
        if why := self.missing.get(episode.env):
            return {"none": visible(why)}
        try:
            if what == "pictures":
                found, why = drawn(episode)
                return {"pages": found} if found else {"none": visible(why)}
            return self._way(episode) if what == "way" else self._play(episode, arguments)
        except TurnwiseError as error:
            return {"none": visible(str(error))}
        except Exception as error:  # an environment of the user's, or stored settings that it does not take
            return {"none": visible(f"{type(error).__name__}: {error}")}

    def _way(self, episode: Episode) -> dict[str, Any]:
        job = Job(episode.env, episode.seed, 0, episode.settings)
        with ThreadPoolExecutor(1, "oracle") as pool:
            [way] = pool.submit(lambda: list(rollout(OracleAgent(), [job], make=self._make, retries=0))).result()
        if way.error:
            return {"none": visible(way.error)}
        if way.task_id != episode.task_id:
            return {"none": ANOTHER_TASK}
        turns = [[visible(t.observation), visible(t.action), t.reward] for t in way.turns[:MAX_TURNS]]
        return {"turns": turns, "final": visible(way.final_observation), "return": way.episode_return}

    # ---- a person plays ----------------------------------------------------------------------------------------------

    def _play(self, episode: Episode, arguments: Mapping[str, Any]) -> dict[str, Any]:
        turn = arguments.get("turn", 0)
        if type(turn) is not int or not 0 <= turn <= len(episode.turns):
            raise SettingsError(f"turn is {turn!r}; it must be from 0 to {len(episode.turns)}")
        while len(self._sessions) >= MOST_SESSIONS:
            self._sessions.pop(next(iter(self._sessions))).close()
        session = _Session(self._make, episode)
        try:
            seen = session.call(lambda: session.begin(turn))
        except BaseException:
            session.close()
            raise
        name = secrets.token_hex(12)
        self._sessions[name] = session
        return {"session": name, **seen}

    def go_on(self, what: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Play a person's action, ask the oracle for its own, or end the episode.

        Args:
            what: "step", "hint" or "end".
            arguments: ``session``, and ``action`` for a step.

        Raises:
            SettingsError: There is no such episode, or the action is not a text.
        """
        name = str(arguments.get("session"))
        if name not in self._sessions:
            raise SettingsError("this episode is closed; begin it again")
        session = self._sessions[name]
        if what == "end":
            self._sessions.pop(name).close()
            return {}
        if what == "hint":
            return session.call(session.hint)
        action = arguments.get("action")
        if not isinstance(action, str) or len(action) > MAX_ACTION_CHARS:
            raise SettingsError(f"action must be a text of at most {MAX_ACTION_CHARS:,} characters")
        return session.call(lambda: session.step(action))

    def close(self) -> None:
        """End all episodes."""
        while self._sessions:
            self._sessions.popitem()[1].close()


class _Session:
    """An episode that a person goes on with."""

    def __init__(self, make: Callable[[Job], gymnasium.Env[str, str]], episode: Episode) -> None:
        self._make, self._old = make, episode
        self._live = Live(episode.job)
        self._env: gymnasium.Env[str, str] | None = None
        self._pool = ThreadPoolExecutor(1, "person")

    def call(self, function: Callable[[], T]) -> T:
        """Do something in the thread of the environment."""
        return self._pool.submit(function).result()

    def begin(self, turn: int) -> dict[str, Any]:
        """Play the stored actions up to a turn."""
        self._env = self._make(self._old.job)
        self._live.begin(self._env)
        if self._live.task_id != self._old.task_id:
            raise SettingsError(ANOTHER_TASK)
        for old in self._old.turns[:turn]:
            if self._live.observation != old.observation:
                raise SettingsError("the same actions lead elsewhere today")
            if self._live.over:
                raise SettingsError("the same actions end the episode earlier today")
            self._live.step(Action(old.action, internal=old.internal))
        return self._seen()

    def step(self, action: str) -> dict[str, Any]:
        """Play an action."""
        if self._live.over:
            raise SettingsError("the episode has ended")
        self._live.step(Action(action))
        return self._seen()

    def hint(self) -> dict[str, Any]:
        """What the oracle would say now."""
        inner: Any = None if self._env is None else self._env.unwrapped
        assert isinstance(inner, Env)
        return {"hint": visible(inner.oracle())}

    def _seen(self) -> dict[str, Any]:
        live = self._live
        last = live.turns[-1] if live.turns else None
        return {
            "observation": visible(live.observation),
            "reward": last.reward if last else 0.0,
            "invalid": bool(last and last.invalid),
            "return": live.total,
            "over": live.over,
            "solved": bool(live.info.get("solved")),
        }

    def close(self) -> None:
        """Close the environment, in its thread."""

        def close() -> None:
            if self._env is not None:
                self._env.close()

        self._pool.submit(close)
        self._pool.shutdown(wait=False)
