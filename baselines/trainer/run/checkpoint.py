"""Checkpoints: everything the next step depends on, in one file that is complete or absent.

All randomness of a run is a function of the seed in its settings and the number of the step (tasks, samples,
minibatches), so the step is the whole state of the random generators and of the position among the tasks. What else has
a state returns it as a dictionary: model, optimiser, reference, critic, curriculum, replay, controllers.
"""

import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from turnwise.baselines.trainer.config import TrainConfig
from turnwise.core.errors import SettingsError
from turnwise.core.files import locked

__all__ = ["Checkpoint", "claimed", "load_checkpoint", "save_checkpoint"]

NAME = "checkpoint.pt"
FREE = (
    "out", "eval_every", "eval_tasks", "save_every", "trackers", "stop_at", "stop_window", "sample_every",
    "sample_groups",
)  # fmt: skip
"""Settings that a resumed run may change: they do not touch the weights of a step."""
LOOSE = ("steps", "token_budget", "gradient_checkpointing", "max_rows", "env_threads", "wait_share", "num_threads")
"""Settings that a resumed run may change, but then its weights differ from those of a run that had them from the
start: the learning rate decays towards the last step, the others change rounding. All further settings decide what is
learned."""


@dataclass(frozen=True)
class Checkpoint:
    """The state after ``step`` steps: of every part of the run that has one, by name."""

    step: int
    parts: dict[str, Any]
    changed: tuple[str, ...] = ()
    """The settings of `LOOSE` that changed since, as sentences."""


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Create the folder and lock it against other runs; of several ranks the first holds the lock for all.

    Raises:
        SettingsError: Another run trains into the folder, or it is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"out = {str(folder)!r} is a file: name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, "training into") if os.environ.get("RANK", "0") == "0" else nullcontext():
        yield


def save_checkpoint(folder: Path, cfg: TrainConfig, state: Checkpoint) -> None:
    """Write the checkpoint beside the old one, then rename it over: a kill at any point leaves one of the two."""
    temporary = folder / (NAME + ".new")
    with temporary.open("wb") as file:
        torch.save({"config": cfg.to_json(), "step": state.step, "parts": state.parts}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, folder / NAME)
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)  # the rename itself
    finally:
        os.close(handle)


def load_checkpoint(folder: Path, cfg: TrainConfig | None = None) -> Checkpoint | None:
    """Load the checkpoint in ``folder``; None if it has none.

    Args:
        folder: The folder of a run.
        cfg: The settings to continue with; None skips the comparison.

    Raises:
        SettingsError: It cannot be read, or a setting differs that a resumed run may not change.
    """
    path = folder / NAME
    if not path.exists():
        return None
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        theirs, state = TrainConfig.from_json(saved.pop("config")).flat(), Checkpoint(**saved)
    except (OSError, EOFError, RuntimeError, KeyError, TypeError, AttributeError, pickle.UnpicklingError) as error:
        raise SettingsError(
            f"{path}: not a checkpoint of this version ({type(error).__name__}: {error}); remove it or change out"
        ) from error
    if cfg is None:
        return state
    ours = cfg.flat()
    names = [name for name in dict.fromkeys([*ours, *theirs]) if name not in FREE]
    new = {name: ours.get(name) for name in names if ours.get(name) != theirs.get(name)}
    for name, value in new.items():
        if name not in LOOSE:
            raise SettingsError(
                f"{path} belongs to a run with {name} = {theirs.get(name)!r}, not {value!r}; a resumed run may"
                f" change {', '.join((*LOOSE, *FREE))}. Give the same {name}, or another out"
            )
    if cfg.run.steps < state.step:
        raise SettingsError(
            f"steps is {cfg.run.steps}; it must be at least {state.step}, the steps of the checkpoint in {folder}"
        )
    notes = [f"{name} is {value!r} from here on, it was {theirs.get(name)!r}" for name, value in new.items()]
    return replace(state, changed=tuple(notes))
