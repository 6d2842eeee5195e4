"""Suites: what is evaluated, in a small file with a name and a version, so that numbers can be compared next year.

A suite is a TOML file: domains with weights, their environments, levels and settings, the number of tasks, the seed and
the limits. docs/suites.md has the format. `load_suite` reads one of ours by name or anyone's by path.
"""

import functools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

import turnwise
from turnwise.agents.make import ANSWER_LIMIT
from turnwise.core.env import Split
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.registration import parse_spec, written
from turnwise.core.settings import Range, check_all, check_names, named_settings
from turnwise.core.wordings import PLAIN
from turnwise.core.wrappers import Feedback
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.fingerprints import Fingerprints, changes, digest, fingerprint, read_fingerprints

__all__ = ["Cell", "Domain", "Entry", "Suite", "built_in_suites", "load_suite"]

FOLDER = Path(__file__).parent / "data" / "suites"
PREFIX = "suite:"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An environment of a suite."""

    env: str
    """Its id or short name, with a module or file before it if it is your own."""
    levels: tuple[int, ...] = ()
    """Difficulty levels that are played; empty: its defaults."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Its settings."""
    num_tasks: Annotated[int, Range(2)] | None = None
    """Tasks at each level; None: as many as the suite says."""
    max_turns: Annotated[int, Range(1)] | None = None
    """Turn limit; None: that of the environment or the level."""

    def __post_init__(self) -> None:
        check_all(self)

    @functools.cached_property
    def label(self) -> str:
        """The environment with its settings, without a level."""
        env_id, own = parse_spec(self.env)
        limit = {} if self.max_turns is None else {"max_turns": self.max_turns}
        return written(env_id, {**own, **self.settings, **limit})

    def specs(self) -> Iterator[tuple[str, int | None]]:
        """The environment at each level, as `EvalConfig.envs` names it, and the level."""
        env_id, own = parse_spec(self.label)
        for level in self.levels:
            yield written(env_id, {**own, "difficulty": level}), level
        if not self.levels:
            yield self.label, None


@dataclass(frozen=True)
class Cell:
    """An environment at a level: the unit whose tasks are played.

    Attributes:
        spec: As `EvalConfig.envs` names it.
        env: The environment with its settings, without the level.
        level: The level; None for settings that are not a level.
        domain: The domain that it belongs to.
        num_tasks: Tasks.
        weight: Its share of the headline; the weights of all cells add up to 1.
    """

    spec: str
    env: str
    level: int | None
    domain: str
    num_tasks: int
    weight: float


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Environments that count as one ability."""

    name: str
    """Its name."""
    environments: tuple[Entry, ...]
    """They count equally."""
    weight: Annotated[float, Range(above=0)] = 1.0
    """Its weight in the headline, relative to the other domains."""

    def __post_init__(self) -> None:
        check_all(self)
        if not self.environments:
            raise SettingsError(f"the domain {self.name!r} has no environments")


@dataclass(frozen=True, kw_only=True)
class Suite:
    """What is evaluated."""

    name: str
    """Its name and version, such as core-1: the name of its file."""
    title: str = ""
    """A line about it."""
    description: str = ""
    """What it is for, and what its numbers may be compared with."""
    seed: int = 1
    """Seed of the tasks."""
    split: Split | None = "test"
    """Instances that are played."""
    num_tasks: Annotated[int, Range(2)] = 6
    """Tasks at each level of each environment; the interval needs at least two."""
    num_samples: Annotated[int, Range(1)] = 1
    """Episodes per task."""
    tries: Annotated[int, Range(1)] = 1
    """Answers allowed in environments with a single one."""
    feedback: Feedback = "detail"
    """What the agent hears of a wrong answer, with more tries."""
    max_tokens: Annotated[int, Range(1)] | None = 16_384
    """Longest answer of a model, its reasoning included."""
    domains: tuple[Domain, ...]
    """What the headline is the mean of."""
    path: Path | None = field(default=None, compare=False)
    """The file that it was read from."""

    def __post_init__(self) -> None:
        check_all(self)
        if not self.domains:
            raise SettingsError("it has no domains")
        specs = [cell.spec for cell in self.cells]
        if twice := sorted({spec for spec in specs if specs.count(spec) > 1}):
            raise SettingsError(f"it has {', '.join(twice)} twice")

    @functools.cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every environment at every level, with its share of the headline."""
        total = sum(domain.weight for domain in self.domains)
        found = []
        for domain in self.domains:
            for entry in domain.environments:
                specs = list(entry.specs())
                share = domain.weight / total / len(domain.environments) / len(specs)
                tasks = entry.num_tasks or self.num_tasks
                found += [Cell(spec, entry.label, level, domain.name, tasks, share) for spec, level in specs]
        return tuple(found)

    @property
    def num_episodes(self) -> int:
        """Episodes of a run."""
        return sum(cell.num_tasks for cell in self.cells) * self.num_samples

    @functools.cached_property
    def hash(self) -> str:
        """A digest of everything that a number depends on; titles and the order of environments do not."""
        content = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _WORDS}
        content["domains"] = {domain.name: domain.weight for domain in self.domains}
        content["cells"] = sorted([asdict(cell) for cell in self.cells], key=lambda cell: str(cell["spec"]))
        return digest(content)

    @property
    def recorded(self) -> Fingerprints | None:
        """The fingerprints beside its file; None if none were recorded."""
        return None if self.path is None else read_fingerprints(self.path)

    def check(self) -> Fingerprints:
        """Return the environments' fingerprints of today.

        Raises:
            SettingsError: They are not those that were recorded; the message has what changed.
        """
        now = fingerprint([cell.spec for cell in self.cells], self.split)
        before = self.recorded
        if before is not None and (found := changes(before, now)):
            more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
            raise SettingsError(
                f"the environments of {self.name} are not those that it was made for: {'; '.join(found[:5])}{more}. "
                f"Its numbers could not be compared with earlier ones. Install turnwise {before.turnwise}, or write a "
                f"suite of your own: `turnwise suites show {self.name} > my-1.toml`, then `turnwise suites record "
                "my-1.toml`"
            )
        return now

    def config(self, agent: str = "oracle", **options: Any) -> EvalConfig:
        """Return the evaluation of an agent on the suite.

        Args:
            agent: `make_agent`'s spec.
            options: Further fields of `EvalConfig`; of those that the suite sets itself only ``seed`` and
                ``num_samples``.

        Raises:
            SettingsError: The environments changed since the suite was recorded, or an option is the suite's.
        """
        if fixed := sorted(options.keys() & _FIXED):
            raise SettingsError(
                f"{', '.join(fixed)}: {self.name} sets this itself. For another value write a suite of your own: "
                f"`turnwise suites show {self.name} > my-1.toml`"
            )
        limit = ANSWER_LIMIT.get(agent.partition(":")[0])
        given = dict(options.pop("agent_options", {}))
        if limit and self.max_tokens is not None:
            given = {limit: self.max_tokens, **given}
        ours: dict[str, Any] = {"seed": self.seed, "num_samples": self.num_samples, "max_tokens": self.max_tokens}
        values = {**ours, **options, "max_tokens": given.get(limit, self.max_tokens) if limit else self.max_tokens}
        ours |= {"wordings": PLAIN, "confidence": False}
        values |= {
            "wordings": ", ".join(values.get("wordings") or (PLAIN,)),
            "confidence": values.get("confidence", False),
        }
        changed = {name: [ours[name], values[name]] for name in ours if ours[name] != values[name]}
        return EvalConfig(
            envs=tuple(cell.spec for cell in self.cells),
            agent=agent,
            agent_options=given,
            tasks_of={cell.spec: cell.num_tasks for cell in self.cells if cell.num_tasks != self.num_tasks},
            suite=self.plan(self.check(), changed),
            **{name: getattr(self, name) for name in ("num_tasks", "split", "tries", "feedback")},
            **{"seed": self.seed, "num_samples": self.num_samples, **options},
        )

    def plan(self, now: Fingerprints, changed: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Describe the suite for ``config.json``, whole enough to compute its numbers without its file.

        Args:
            now: The environments' fingerprints.
            changed: Values that differ in this run: the suite's and the run's.
        """
        recorded = self.recorded
        return {
            "name": self.name,
            "title": self.title,
            "hash": self.hash,
            "recorded": None if recorded is None else recorded.digest,
            "environments": now.digest,
            "turnwise": turnwise.__version__,
            "domains": {domain.name: domain.weight for domain in self.domains},
            "cells": [asdict(cell) for cell in self.cells],
            "changed": dict(changed or {}),
        }


_WORDS = ("name", "title", "description", "path", "domains")
_FIXED = {"envs", "num_tasks", "tasks_of", "split", "tries", "feedback", "difficulty", "settings", "suite"}


def built_in_suites() -> list[str]:
    """Return the names of our suites."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_suite(name: str) -> Suite:
    """Read a suite: one of ours by its name, or a file.

    Raises:
        SettingsError: There is none, or it cannot be read.
    """
    name = name.removeprefix(PREFIX)
    path = FOLDER / f"{name}.toml" if name in built_in_suites() else Path(name).expanduser()
    if not path.is_file():
        known = built_in_suites()
        hint = did_you_mean(name, known) or f"; there are {', '.join(known)}, or a file.toml"
        raise SettingsError(f"there is no suite {name!r}{hint}")
    try:
        return _read(tomllib.loads(path.read_text(encoding="utf-8")), path)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, SettingsError) as error:
        raise SettingsError(f"{path}: {error}") from error


def _read(data: Mapping[str, Any], path: Path) -> Suite:
    check_names("a suite has no setting", data, named_settings(Suite).keys() - {"name", "path"})
    domains = data.get("domains", {})
    if not isinstance(domains, Mapping):
        raise SettingsError("domains must be tables: [domains.NAME]")
    made = tuple(_domain(name, part) for name, part in domains.items())
    return Suite(**{**data, "domains": made}, name=path.stem, path=path)


def _domain(name: str, data: Any) -> Domain:
    if not isinstance(data, Mapping):
        raise SettingsError(f"domains.{name} must be a table: [domains.{name}]")
    check_names(f"the domain {name!r} has no setting", data, named_settings(Domain).keys() - {"name"})
    entries = data.get("environments", ())
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise SettingsError(f"domains.{name}.environments must be a list of tables: {{ env = ..., levels = [...] }}")
    weight = {"weight": float(data["weight"])} if isinstance(data.get("weight"), int) else dict(data)
    weight.pop("environments", None)
    return Domain(name=name, environments=tuple(map(_entry, entries)), **weight)


def _entry(data: Mapping[str, Any]) -> Entry:
    check_names("an environment of a suite has no setting", data, named_settings(Entry))
    if "env" not in data:
        raise SettingsError(f"env is missing in {dict(data)}")
    values = {**data, "levels": tuple(data["levels"])} if isinstance(data.get("levels"), list) else data
    return Entry(**values)
