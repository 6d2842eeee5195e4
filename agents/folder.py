"""Resolves ``hf:PATH_OR_NAME`` to the folder of a model: directly, or inside the folder of a training run."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError

__all__ = ["model_folder", "run_settings", "trained_envs", "trained_system"]

MODEL = "model"
"""Name of the folder inside a run's folder that the trained model is written to."""


def model_folder(path: str) -> str:
    """Return the folder of the model that ``path`` names, or ``path`` itself if it can only be a name on the hub.

    Raises:
        SettingsError: It is a folder without a model, or does not exist; the message says what to do.
    """
    folder = Path(path).expanduser()
    if not folder.is_dir():
        return _name(path, folder)
    if "model_type" in _config(folder):
        return str(folder)
    if "model_type" in _config(folder / MODEL):
        return str(folder / MODEL)
    begun = f"{path} is the folder of a training run that has not written its model yet"
    if (folder / "checkpoint.pt").exists():
        raise SettingsError(
            f"{begun}: `turnwise export {path}` exports its current state, `turnwise train {path} --resume` continues"
        )
    if (folder / "metrics.jsonl").exists():
        raise SettingsError(f"{begun}, nor a checkpoint: {folder / MODEL} comes at its end")
    inside = sorted(found.parent for found in folder.glob("*/config.json") if "model_type" in _config(found.parent))
    inside += sorted(found.parent.parent for found in folder.glob(f"*/{MODEL}/config.json"))
    hint = f"; did you mean hf:{inside[0]}?" if inside else ""
    raise SettingsError(
        f"{path} contains no model: a model's folder has a config.json with its model_type, weights and a tokenizer, "
        f"a run's has such a folder named {MODEL!r}{hint}"
    )


def trained_system(path: str) -> str:
    """Return the system message of the training run that ``path`` belongs to; "" if there was none."""
    system = run_settings(path).get("system")
    return system if isinstance(system, str) else ""


def run_settings(path: str) -> Mapping[str, Any]:
    """Return the settings of the training run that ``path`` belongs to; empty if it belongs to none."""
    folder = Path(path).expanduser()
    if "model_type" in _config(folder):
        folder = folder.resolve().parent if folder.resolve().name == MODEL else folder
    found = _config(folder)
    return {} if "model_type" in found else found


def trained_envs(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and settings of the environments on which the training run of ``path`` was evaluated."""
    run = run_settings(path)
    name, settings = run.get("env"), dict(run.get("env_settings") or {})
    if not isinstance(name, str):
        return []
    turns = {"max_turns": run["max_turns"]} if run.get("max_turns") else {}
    arms = run.get("curriculum.arms") or (run.get("curriculum_settings") or {}).get("arms") or []  # since, and before
    if all(arm.get("env", name) == name for arm in arms):
        return [(name, {**settings, **turns})]
    found: list[tuple[str, dict[str, Any]]] = []
    for arm in arms:
        shared = settings if arm.get("env", name) == name else {}
        one = (arm.get("env", name), {**shared, **(arm.get("settings") or {}), **turns})
        found += [one] if one not in found else []
    return found


def _name(path: str, folder: Path) -> str:
    """Return ``path`` if it can be a name on the hub; raise an error if it is a path on this machine."""
    if folder.exists():
        raise SettingsError(f"{path} is a file; hf: takes the folder of a model or of a training run, or a hub name")
    parts = path.split("/")
    is_path = path.startswith((".", "~", "/", os.sep)) or len(parts) > 2 or not all(parts)
    if is_path or (len(parts) == 2 and Path(parts[0]).is_dir()):
        raise SettingsError(
            f"the folder {path!r} does not exist; hf: takes the folder of a model or of a training run, or a hub name"
        )
    return path


def _config(folder: Path) -> Mapping[str, Any]:
    """Read a folder's config.json; empty if it cannot be read."""
    try:
        data = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, Mapping) else {}
