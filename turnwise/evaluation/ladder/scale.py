"""Scales: how hard each level of each environment is, in one unit, so that abilities are comparable among environments.

A scale is a JSON file that `turnwise calibrate` writes. An agent of ability x on it solves a level of difficulty b half
of the time, after correction for chance, if x = b in that environment; docs/ladder.md has the model.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import turnwise
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.files import replace_file
from turnwise.core.registration import env_class, parse_spec, written
from turnwise.core.settings import Range, check_all, check_names, named_settings
from turnwise.evaluation.fingerprints import digest

__all__ = ["LEVELS_1", "NOT_CALIBRATED", "Place", "Scale", "built_in_scales", "label", "load_scale", "write_scale"]

FOLDER = Path(__file__).parent / "data" / "scales"
LEVELS_1 = "levels-1"
"""The scale of a ladder that names no other: level numbers, which nothing has been calibrated with."""
NOT_CALIBRATED = "The numbers of the levels: nothing has been calibrated"
FARTHEST = 100
"""Greatest difficulty: abilities are computed on a grid that reaches beyond it."""
_NOT_OURS = ("difficulty", "split", "render_mode")


@dataclass(frozen=True, kw_only=True)
class Place:
    """An environment's levels on a scale."""

    difficulty: tuple[float, ...]
    """Of each level, from level 1: the ability that solves half of it."""
    offset_se: Annotated[float, Range(0)]
    """Standard error of the place of all levels together."""
    slope: Annotated[float, Range(above=0)]
    """How fast the solve rate rises with the ability: its logit, for each unit of the scale."""
    slope_sd: Annotated[float, Range(above=0)]
    """Standard deviation of the slope's logarithm: what is not known of it, and how agents differ."""
    agents: int = 0
    """Agents that it was calibrated with."""
    episodes: int = 0
    """Tasks that they played."""

    def __post_init__(self) -> None:
        check_all(self)
        if not self.difficulty:
            raise SettingsError("difficulty is empty; it must have a number for each level")
        if wrong := [value for value in self.difficulty if not abs(value) <= FARTHEST]:
            raise SettingsError(f"difficulty has {wrong[0]}; each must be from -{FARTHEST} to {FARTHEST}")


@dataclass(frozen=True, kw_only=True)
class Scale:
    """What is known of all environments' levels in one unit."""

    title: str = ""
    """A line about it."""
    environments: Mapping[str, Place] = field(default_factory=dict)
    """Calibrated environments, with their settings and without a level."""
    offset_sd: Annotated[float, Range(0)] = 0.0
    """How far the levels of an environment that is not calibrated lie from their numbers: standard deviation."""
    slope: Annotated[float, Range(above=0)] = 1.0
    """The median slope of an environment that is not calibrated."""
    slope_sd: Annotated[float, Range(above=0)] = 0.6
    """Standard deviation of its logarithm."""
    spread: Annotated[float, Range(above=0)] = 1.5
    """Standard deviation of one agent's abilities among environments: the median of what is expected."""
    spread_sd: Annotated[float, Range(above=0)] = 0.7
    """Standard deviation of the spread's logarithm; every ladder learns its own agent's spread."""
    turnwise: str = turnwise.__version__
    """The version that wrote it."""
    sources: Mapping[str, Any] = field(default_factory=dict)
    """What it was calibrated with: abilities and tasks of the agents, and how well the model fits."""

    def __post_init__(self) -> None:
        check_all(self)

    @property
    def hash(self) -> str:
        """A digest of all that a ladder depends on: abilities are comparable if they are of the same."""
        content = dataclasses.asdict(self)
        return digest({name: value for name, value in content.items() if name not in ("title", "turnwise", "sources")})

    def place(self, env: str) -> Place:
        """Return the place of an environment; one that is not calibrated has its level numbers as difficulties."""
        name = label(*parse_spec(env))
        if name in self.environments:
            return self.environments[name]
        levels = range(1, len(env_class(parse_spec(env)[0]).levels) + 1)
        return Place(
            difficulty=tuple(map(float, levels)), offset_se=self.offset_sd, slope=self.slope, slope_sd=self.slope_sd
        )

    def to_json(self) -> str:
        """Write as JSON; the same scale gives the same text."""
        return json.dumps({"hash": self.hash, **dataclasses.asdict(self)}, indent=1, sort_keys=True) + "\n"


def label(env_id: str, settings: Mapping[str, Any]) -> str:
    """Return the name of an environment on a scale: with its settings, without level and split."""
    return written(env_id, {k: v for k, v in settings.items() if k not in _NOT_OURS and v is not None})


def built_in_scales() -> list[str]:
    """Return the names of our scales."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load_scale(name: str) -> Scale:
    """Read a scale: one of ours by its name, or a file.

    Raises:
        SettingsError: There is none, or it cannot be read.
    """
    known = built_in_scales()
    path = FOLDER / f"{name}.json" if name in known else Path(name).expanduser()
    if not path.is_file():
        hint = did_you_mean(name, known) or f"; there are {', '.join(known)}, or a file that `turnwise calibrate` wrote"
        raise SettingsError(f"scale is {name!r}, which does not exist{hint}")
    try:
        return _read(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise SettingsError(f"{path} is not a scale: {error}") from error


def write_scale(path: Path, scale: Scale) -> None:
    """Write a scale's file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, [scale.to_json().encode()])


def _read(data: Mapping[str, Any]) -> Scale:
    values = dict(data)
    said = values.pop("hash", None)
    check_names("a scale has no setting", values, named_settings(Scale))
    values["environments"] = {env: _place(env, part) for env, part in values.get("environments", {}).items()}
    found = Scale(**values)
    if said != found.hash:
        raise SettingsError(f"its hash is {said!r} and its content's {found.hash!r}: it was changed by hand")
    return found


def _place(env: str, data: Mapping[str, Any]) -> Place:
    check_names(f"{env} has no setting", data, named_settings(Place))
    return Place(**{**data, "difficulty": tuple(map(float, data.get("difficulty", ())))})
