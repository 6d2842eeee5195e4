"""``turnwise export openenv|space|rows ENV... OUT``: environments as packages, Spaces and data sets."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from turnwise.cli.environments import chosen
from turnwise.cli.flags import parse
from turnwise.core.env import Split
from turnwise.core.errors import SettingsError

__all__ = ["export_openenv", "export_rows", "export_space"]

ENVS = "Environments (Maze:size=5) or families, and "


@dataclass(frozen=True)
class OpenEnv:
    """Write each environment as a package of OpenEnv: manifest, image, server, card, proof."""

    words: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV... OUT", help=f"{ENVS}the folder of the packages.")]


@dataclass(frozen=True)
class Space:
    """Write environments as one Space of the Hugging Face Hub, tagged `rl-environment`."""

    words: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV... OUT", help=f"{ENVS}the folder of the Space.")]


@dataclass(frozen=True)
class Rows:
    """Write tasks as a data set with the columns env, settings, split, index and seed.

    OUT is a file, or a folder for the Hugging Face Hub with both splits, cards and a page tagged `rl-environment`.
    """

    words: Annotated[
        Positional[tuple[str, ...]], arg(metavar="ENV... OUT", help=f"{ENVS}the file (.jsonl, .parquet) or folder.")
    ]
    num_tasks: int = 1000
    """Rows of each environment."""
    split: Split = "train"
    """Split of the tasks in a file: train or test."""
    start: int = 0
    """Index of the first row of each environment."""


def _parsed(name: str, options: type[Any], args: Sequence[str]) -> tuple[Any, list[str], Path]:
    given = parse(f"export {name}", options, args).options
    if len(given.words) < 2:
        raise SettingsError(f"export {name} takes ENV... OUT; {len(given.words)} words were given")
    *words, out = given.words
    return given, chosen(words), Path(out)


def export_openenv(args: Sequence[str]) -> int:
    """Write environments as packages of OpenEnv."""
    _, specs, out = _parsed("openenv", OpenEnv, args)
    from turnwise.export.openenv import write_openenv

    for folder in write_openenv(specs, out):
        sys.stdout.write(f"{folder}\n")
    return 0


def export_space(args: Sequence[str]) -> int:
    """Write environments as a Space."""
    _, specs, out = _parsed("space", Space, args)
    from turnwise.export.openenv import write_space

    sys.stdout.write(f"{write_space(specs, out)}\n")
    return 0


def export_rows(args: Sequence[str]) -> int:
    """Write tasks as a data set."""
    options, specs, out = _parsed("rows", Rows, args)
    from turnwise.export.rows import write_rows

    sys.stdout.write(f"{write_rows(specs, out, options.num_tasks, options.split, options.start)}\n")
    return 0
