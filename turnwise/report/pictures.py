"""What a person would have seen of an episode: its environment is played again and asked for its pages."""

from typing import Any

import gymnasium

from turnwise.core.env import Env
from turnwise.core.episode import Episode
from turnwise.core.errors import TurnwiseError
from turnwise.core.registration import env_class

__all__ = ["drawn", "draws", "pictures"]


def pictures(episode: Episode) -> list[str]:
    """The page before each action, and after the last, as whole HTML documents.

    Nothing where the environment draws no pages (no "html" among its render modes), where it cannot be made as it was,
    or where it does not do the same again.
    """
    return drawn(episode)[0]


def draws(env_id: str) -> bool:
    """Whether an environment draws pages at all."""
    return "html" in env_class(env_id).metadata["render_modes"]


def drawn(episode: Episode) -> tuple[list[str], str]:
    """The `pictures`, and why there are none; "" where there are, and where none are due."""
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
    _, info = env.reset(seed=episode.seed)
    found = [_page(env)]
    if info["task_id"] != episode.task_id:
        return [], "the seed gives another task today"
    for turn in episode.turns:
        _, _, terminated, truncated, _ = env.step(turn.action)
        found.append(_page(env))
        if terminated or truncated:
            break
    if len(found) != len(episode.turns) + 1:
        return [], "the same actions end the episode earlier today"
    return found, ""


def _page(env: gymnasium.Env[str, str]) -> str:
    inner = env.unwrapped
    assert isinstance(inner, Env)
    shown: Any = inner.render()
    return shown if isinstance(shown, str) else ""
