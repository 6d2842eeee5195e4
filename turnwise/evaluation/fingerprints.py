"""Fingerprints of environments: how a suite notices that one of its environments is no longer the same.

Kept for each environment and level are the values of its settings, the recorded chance rate, a digest of the first
observations of a few tasks, and a digest of what a few scripted moves lead to.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import turnwise
from turnwise.core.env import Env, Split, seed_of
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.files import replace_file
from turnwise.core.registration import env_class, parse_spec
from turnwise.core.settings import named_settings
from turnwise.evaluation.chance import recorded_chance

__all__ = ["Fingerprints", "changes", "digest", "fingerprint", "read_fingerprints", "write_fingerprints"]

SEEDS = tuple(seed_of("fingerprint", i) for i in range(3))
"""Seeds of the tasks whose first observations are read."""
MOVES = 4
"""Random moves in the first task, and moves of the oracle in the second."""
WORDS = {
    "settings": "its settings",
    "chance": "its recorded chance rate",
    "prompts": "the first observations of the same seeds",
    "moves": "what the same seeds of scripted moves lead to",
}
UNSET = ("render_mode", "split", "wording")


@dataclass(frozen=True)
class Fingerprints:
    """The fingerprints of a suite's environments.

    Attributes:
        turnwise: Version that they were taken with.
        cells: The parts of each, by environment and level as `EvalConfig.envs` names them.
    """

    turnwise: str
    cells: Mapping[str, Mapping[str, Any]]

    @property
    def digest(self) -> str:
        """One for all environments, whatever the version of turnwise."""
        return digest(self.cells)


def digest(value: Any) -> str:
    """A short digest of plain JSON values.

    >>> digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def fingerprint(specs: Sequence[str], split: Split | None) -> Fingerprints:
    """Take the fingerprints of environments.

    Args:
        specs: As in `EvalConfig.envs`.
        split: Instances that are played.
    """
    return Fingerprints(turnwise.__version__, {spec: _cell(spec, split) for spec in sorted(specs)})


def changes(before: Fingerprints, now: Fingerprints) -> list[str]:
    """Say what differs, a line for each environment and part; a part that one side could not take is passed over.

    Settings that were added since are no change by themselves: the other parts show whether they change anything.
    """
    found = []
    for spec in sorted(before.cells.keys() | now.cells.keys()):
        old, new = before.cells.get(spec), now.cells.get(spec)
        if old is None or new is None:
            found.append(f"{spec} {'was not recorded' if old is None else 'is no longer played'}")
            continue
        for part, words in WORDS.items():
            if part == "settings":
                found += [f"{spec}: {line}" for line in _settings_changed(old[part], new[part])]
            elif old.get(part) != new.get(part) and (part == "chance" or (old.get(part) and new.get(part))):
                values = f" (was {old.get(part)}, is {new.get(part)})" if part == "chance" else ""
                found.append(f"{spec}: {words} changed{values}")
    return found


def _settings_changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    gone = [f"the setting {name} was {old[name]!r}, is gone" for name in old if name not in new]
    return gone + [
        f"{name} was {old[name]!r}, is {new[name]!r}" for name in old if name in new and old[name] != new[name]
    ]


def read_fingerprints(suite: Path) -> Fingerprints | None:
    """Read the fingerprints beside a suite's file; None if there are none.

    Raises:
        SettingsError: They cannot be read.
    """
    path = _place(suite)
    if not path.exists():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Fingerprints(str(data["turnwise"]), dict(data["cells"]))
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{path} cannot be read: {error!r}; `turnwise suites record` writes it again") from error


def write_fingerprints(suite: Path, found: Fingerprints) -> Path:
    """Write the fingerprints beside a suite's file and return their path."""
    cells = [f"    {json.dumps(spec)}: {json.dumps(found.cells[spec], sort_keys=True)}" for spec in sorted(found.cells)]
    lines = ["{", f'  "turnwise": {json.dumps(found.turnwise)},', '  "cells": {', ",\n".join(cells), "  }", "}", ""]
    path = _place(suite)
    replace_file(path, ["\n".join(lines).encode()])
    return path


def _place(suite: Path) -> Path:
    return suite.with_name(f"{suite.stem}.fingerprints.json")


def _cell(spec: str, split: Split | None) -> dict[str, Any]:
    """Take the fingerprint of an environment at a level."""
    env_id, own = parse_spec(spec)
    settings = {"split": split, **own}
    env: Any = gymnasium.make(env_id, **settings)
    try:
        bare = env.unwrapped
        values = {name: getattr(bare, name) for name in named_settings(env_class(env_id)) if name not in UNSET}
        shown = [(env.reset(seed=seed)) for seed in SEEDS]
        prompts = digest([[observation, str(info.get("task_id", ""))] for observation, info in shown])
        return {
            "settings": json.loads(json.dumps(values, default=repr)),
            "chance": recorded_chance(env_id, settings),
            "prompts": prompts,
            "moves": _moves(env, bare),
        }
    finally:
        env.close()


def _moves(env: Any, bare: Env[Any]) -> str:
    """A digest of what scripted moves lead to; empty if the sandbox that they need is not here.

    What programs print depends on the machine's Python, so of environments with a sandbox only rewards and ends count.
    """
    wordless = hasattr(bare, "sandbox")
    found = []
    try:
        for index, seed in enumerate(SEEDS[:2]):
            env.reset(seed=seed)
            for turn in range(MOVES):
                rng = np.random.default_rng(seed_of("fingerprint", seed, turn))
                action = bare.oracle() if index else bare.sample_action(rng)
                observation, reward, terminated, truncated, info = env.step(action)
                flags = [round(float(reward), 9), terminated, truncated, bool(info.get("invalid_action"))]
                found.append([*flags, "" if wordless else action, "" if wordless else observation])
                if not info.get("reward_valid", True):
                    return ""
                if terminated or truncated:
                    break
    except InfrastructureError:
        return ""
    return digest(found)
