"""Checkpoints: everything the next step depends on, in one file that is whole or not there.

All randomness of a run is a function of the seed in its settings and the number of the step (tasks, samples,
minibatches), so the step is the whole state of the random generators and of the position among the tasks. What else has
a state gives it as a dictionary: model, optimiser, reference, critic, curriculum, replay, controllers.
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
from turnwise.core.locks import locked

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
    """What was changed since, as sentences: settings of `LOOSE`."""


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """The folder is there, and nobody else trains into it; of several ranks the first holds it for all.

    Raises:
        SettingsError: Another run does, or it is a file.
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
    """The checkpoint in ``folder``, or None.

    Args:
        folder: Of a run.
        cfg: The settings that it is to go on with; None does not compare.

    Raises:
        SettingsError: It cannot be read, or belongs to a run with other settings than those that may change.
    """
    path = folder / NAME
    if not path.exists():
        return None
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        theirs, state = TrainConfig.from_json(saved.pop("config")), Checkpoint(**saved)
    except (OSError, EOFError, RuntimeError, KeyError, TypeError, AttributeError, pickle.UnpicklingError) as error:
        raise SettingsError(
            f"{path} is no checkpoint of this version ({type(error).__name__}: {error}): remove it, or name another out"
        ) from error
    if cfg is None:
        return state
    ours = TrainConfig.from_json(cfg.to_json())  # lists where a caller gave tuples
    new = {k: v for k, v in vars(ours).items() if k not in FREE and v != getattr(theirs, k)}
    for name, value in new.items():
        if name not in LOOSE:
            raise SettingsError(
                f"{path} belongs to a run with {name} = {getattr(theirs, name)!r}, not {value!r}; a resumed run may"
                f" change {', '.join((*LOOSE, *FREE))}. Give the same {name}, or another out"
            )
    if cfg.steps < state.step:
        raise SettingsError(
            f"steps is {cfg.steps}, but the checkpoint in {folder} is after {state.step} steps: give at least as many"
        )
    notes = [f"{name} is {value!r} from here on, it was {getattr(theirs, name)!r}" for name, value in new.items()]
    return replace(state, changed=tuple(notes))
