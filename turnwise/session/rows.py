"""Tasks by split and index: what a data set of someone else's names, and a server's clients ask for."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from turnwise.core.env import Split, seed_of
from turnwise.core.errors import SettingsError, did_you_mean

__all__ = ["MAX_SEED", "rows", "seed_at"]

MAX_SEED = 2**53 - 1
"""Seeds stay exact in clients that know no other numbers than doubles (JavaScript)."""


def seed_at(env_id: str, split: str, index: int) -> int:
    """The seed of the task at a place of a split: the same for everyone, and different for different places.

    Args:
        env_id: Id of the environment.
        split: "train" or "test".
        index: From 0.

    Raises:
        SettingsError: There is no such split, or the index is negative.

    >>> seed_at("turnwise/Countdown-v0", "train", 0) <= MAX_SEED
    True
    """
    splits = get_args(Split)
    if split not in splits:
        raise SettingsError(f"split is {split!r}{did_you_mean(split, splits)}; it must be 'train' or 'test'")
    if type(index) is not int or index < 0:
        raise SettingsError(f"index is {index!r}; it must be a whole number of at least 0")
    return seed_of("task", env_id, split, index) & MAX_SEED


def rows(
    env_id: str, num_tasks: int, *, split: Split = "train", settings: Mapping[str, Any] | None = None, start: int = 0
) -> Iterator[dict[str, Any]]:
    """Rows of a data set, one a task: ``env, settings, split, index, seed``.

    No trainer passes a seed by itself, and the members of a group must play the same task: the row carries it.
    ``settings`` is a JSON text, since columns of a data set have one type.

    Args:
        env_id: Id of the environment.
        num_tasks: Rows to make.
        split: The split of the tasks; settings get it, too.
        settings: Settings of the environment, by name.
        start: Index of the first row.
    """
    if num_tasks < 0:
        raise SettingsError(f"num_tasks is {num_tasks}; it must be at least 0")
    text = json.dumps({**(settings or {}), "split": split}, sort_keys=True)
    for index in range(start, start + num_tasks):
        seed = seed_at(env_id, split, index)
        yield {"env": env_id, "settings": text, "split": split, "index": index, "seed": seed}
