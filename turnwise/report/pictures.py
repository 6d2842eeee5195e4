"""Pictures of an episode as a person would have seen it, made by replaying it in its environment."""

from typing import Any

import gymnasium

from turnwise.core.env import Env
from turnwise.core.episode import Episode
from turnwise.core.errors import TurnwiseError
from turnwise.core.player import replay
from turnwise.core.registration import env_class

__all__ = ["drawn", "draws", "pictures"]


def pictures(episode: Episode) -> list[str]:
    """Return the page before each action, and after the last, as complete HTML documents.

    Empty if the environment draws no pages (no "html" among its render modes), if it cannot be created as before, or if
    the replay differs.
    """
    return drawn(episode)[0]


def draws(env_id: str) -> bool:
    """Return whether an environment draws pages at all."""
    return "html" in env_class(env_id).metadata["render_modes"]


def drawn(episode: Episode) -> tuple[list[str], str]:
    """Return the `pictures` and the reason if there are none; "" if there are some, or if none are expected."""
    try:
        if episode.status != "done" or not draws(episode.env):
            return [], ""
        env: gymnasium.Env[str, str] = gymnasium.make(episode.env, render_mode="html", **episode.settings)
        try:
            return _played(episode, env)
        finally:
            env.close()
    except TurnwiseError as error:
        return [], str(error)


def _played(episode: Episode, env: gymnasium.Env[str, str]) -> tuple[list[str], str]:
    found: list[str] = []
    new = replay(episode, env, before=lambda: found.append(_page(env)))
    if new.terminated or new.truncated:
        found.append(_page(env))
    if new.error:
        return [], new.error
    if new.task_id != episode.task_id:
        return [], "the seed gives another task today"
    if len(found) != len(episode.turns) + 1:
        return [], "the same actions end the episode earlier today"
    return found, ""


def _page(env: gymnasium.Env[str, str]) -> str:
    inner = env.unwrapped
    assert isinstance(inner, Env)
    shown: Any = inner.render()
    return shown if isinstance(shown, str) else ""
