"""The random agent's solve rate in an environment: recorded in its class, or measured once and cached."""

import contextlib
import hashlib
import inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import turnwise
from turnwise.agents.scripted import RandomAgent
from turnwise.core.env import Env, seed_of
from turnwise.core.episode import Job
from turnwise.core.errors import InfrastructureError
from turnwise.core.files import cache_home, replace_file
from turnwise.core.metrics import score
from turnwise.core.player import MakeEnv, rollout
from turnwise.core.registration import env_class
from turnwise.core.settings import named_settings

__all__ = ["Counted", "measured_chance", "recorded_chance"]

Counted = Callable[[int, int], None]
"""Called with the number of episodes that the random agent has played, and the total."""

_IRRELEVANT = ("difficulty", "split", "render_mode", "wording")
"""Settings that do not change a task's difficulty; ``difficulty`` only selects others."""


def recorded_chance(env_id: str, settings: Mapping[str, Any]) -> float | None:
    """Return the rate that the class records for these settings, if they amount to a level or to the defaults.

    >>> recorded_chance("turnwise/GuessNumber-v0", {"difficulty": 2, "split": "test"})
    0.036
    """
    cls = env_class(env_id)
    own = cls.__dict__  # a rate recorded in a base class does not hold for a subclass
    ours = _resolved(cls, settings)
    if own.get("chance_default") is not None and ours == _resolved(cls, {}):
        return cls.chance_default
    for level, rate in enumerate(own.get("chance", ()), 1):
        if ours == _resolved(cls, {"difficulty": level}):
            return float(rate)
    return None


def measured_chance(
    env_id: str,
    settings: Mapping[str, Any],
    episodes: int,
    make: MakeEnv,
    rules: Mapping[str, Any],
    counted: Counted = lambda done, total: None,
) -> float | None:
    """Return the random agent's solve rate over ``episodes`` tasks; cached, so that it is measured once.

    Args:
        env_id: Registered id.
        settings: Settings of the environment.
        episodes: Number of episodes; the same ones every time.
        make: Builds an environment.
        rules: Anything else that the rate depends on, such as the number of tries.
        counted: Called after every episode.

    Returns:
        None if no episode could be played; this is not cached, nor is a rate over fewer episodes than requested.
    """
    path, key = _place(env_id, settings, episodes, rules)
    kept = _kept(path, key)
    if kept is not None:
        return kept
    jobs = [Job(env_id, seed_of("chance", env_id, i), 0, dict(settings)) for i in range(episodes)]
    counted(0, episodes)
    played = []
    with contextlib.suppress(InfrastructureError):  # the evaluation itself has been played; it goes without this rate
        for episode in rollout(RandomAgent(), jobs, make=make):
            played.append(episode)
            counted(len(played), episodes)
    found = score(played)
    if found.num_episodes == episodes:
        _keep(path, key, found.solve_rate)
    return found.solve_rate


def _resolved(cls: type[Env[Any]], settings: Mapping[str, Any]) -> str:
    """Return all settings that a task depends on, as text: equal for equivalent settings."""
    difficulty = settings.get("difficulty")
    level = cls.levels[difficulty - 1] if type(difficulty) is int and 0 < difficulty <= len(cls.levels) else {}
    names = [name for name in named_settings(cls) if name not in _IRRELEVANT]
    values = {name: settings.get(name, level.get(name, getattr(cls, name))) for name in names}
    return json.dumps(values, sort_keys=True, default=repr)


def _place(env_id: str, settings: Mapping[str, Any], episodes: int, rules: Mapping[str, Any]) -> tuple[Path, str]:
    """Return the cache file of a rate, and everything that the rate depends on."""
    cls = env_class(env_id)
    key = {
        "env": env_id,
        "turnwise": turnwise.__version__,
        "source": _source(cls),
        "settings": _resolved(cls, settings),
        "split": settings.get("split"),
        "files": _stamps(settings.values()),
        "episodes": episodes,
        "rules": dict(rules),
    }
    text = json.dumps(key, sort_keys=True, default=repr)
    name = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
    return cache_home("chance") / f"{env_id.rpartition('/')[2]}-{name}.json", text


def _source(cls: type[Env[Any]]) -> str:
    """Return a digest of an environment's source file, since a user's environment may change without a new version."""
    with contextlib.suppress(OSError, TypeError):
        return hashlib.blake2b(Path(inspect.getfile(cls)).read_bytes(), digest_size=12).hexdigest()
    return ""


def _stamps(values: Iterable[Any]) -> list[list[Any]]:
    """Return size and time of the files that settings name."""
    found = []
    for value in values:
        with contextlib.suppress(OSError, ValueError):  # ValueError: not a valid file name
            if isinstance(value, str) and os.path.exists(value):
                state = os.stat(value)
                found.append([value, state.st_size, state.st_mtime_ns])
    return found


def _kept(path: Path, key: str) -> float | None:
    """Read the rate from a file, unless it is missing, damaged or about something else."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rate = data["rate"]
        right = data["key"] == key and isinstance(rate, float) and 0 <= rate <= 1
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return rate if right else None


def _keep(path: Path, key: str, rate: float | None) -> None:
    with contextlib.suppress(OSError):  # cannot be written: it will be measured again
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"key": key, "rate": rate})
        replace_file(path, [text.encode()], f".{os.getpid()}.new")
