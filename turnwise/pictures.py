"""What a person would have seen of an episode: its environment is played again and asked for its pages."""

from typing import Any

import gymnasium

from turnwise.core import Env
from turnwise.episode import Episode
from turnwise.errors import TurnwiseError
from turnwise.registration import env_class

__all__ = ["pictures"]


def pictures(episode: Episode) -> list[str]:
    """The page before each action, and after the last, as whole HTML documents.

    Nothing where the environment draws no pages (no "html" among its render modes), where it cannot be made as it was,
    or where it does not do the same again.
    """
    try:
        if episode.status != "done" or "html" not in env_class(episode.env).metadata["render_modes"]:
            return []
        env: gymnasium.Env[str, str] = gymnasium.make(episode.env, render_mode="html", **episode.settings)
        try:
            return _played(episode, env)
        finally:
            env.close()
    except TurnwiseError:
        return []


def _played(episode: Episode, env: gymnasium.Env[str, str]) -> list[str]:
    _, info = env.reset(seed=episode.seed)
    found = [_page(env)]
    if info["task_id"] != episode.task_id:
        return []
    for turn in episode.turns:
        _, _, terminated, truncated, _ = env.step(turn.action)
        found.append(_page(env))
        if terminated or truncated:
            break
    return found if len(found) == len(episode.turns) + 1 else []


def _page(env: gymnasium.Env[str, str]) -> str:
    inner = env.unwrapped
    assert isinstance(inner, Env)
    shown: Any = inner.render()
    return shown if isinstance(shown, str) else ""
