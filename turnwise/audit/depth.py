"""Measure how deep an environment's tasks are: what shortcuts earn, how scripted skills fall from level to level.

An environment's author writes the agents, in ``_depth/<name>.py`` beside the environment's own file; shortcuts that
need no such file are tried everywhere. `docs/depth.md` has the bounds and how to add an environment.
"""

import importlib
import itertools
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import gymnasium

from turnwise.agents.scripted import OracleAgent, RandomAgent
from turnwise.agents.shortcuts import SHORTCUTS
from turnwise.core.agent import Agent
from turnwise.core.env import Env, seed_of
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import wilson
from turnwise.core.origins import file_of, home_of, load_source
from turnwise.core.player import Environments, Player, episode_of, rollout
from turnwise.core.registration import env_class, full_id
from turnwise.core.settings import Range, check_arguments

__all__ = ["BOUNDS", "Declared", "Depth", "Extent", "Solved", "declared", "levels_of", "measure_depth"]

Extent = tuple[float, float | None]
"""Steps of a shortest known solution, and distinct facts that it needs (None: not counted)."""

BOUNDS: Mapping[int, float] = {5: 0.05, 10: 0.01}
"""Largest solve rate of a shortcut, from this level on."""
_FIRST_RUNG, _TOP_RUNG = 0.95, 0.20  # the skill "systematic": at least this at level 1, at most this at level 10
_EXTENTS = 30  # tasks a level whose solutions are measured


@dataclass(frozen=True)
class Declared:
    """What the author of an environment declares about its depth.

    Attributes:
        shortcuts: Makers of agents that try to win without the work, by name.
        skills: Makers of agents that do part of the work or all of it, from weak to strong.
        extent: Measures the task of a live environment; None: the oracle's turns are counted.
        task_text: Cuts the task in words out of a first observation.
        own: Whether the environment has a file of its own about it.
    """

    shortcuts: Mapping[str, Callable[[], Agent]]
    skills: Mapping[str, Callable[[], Agent]]
    extent: Callable[[Any], tuple[int, int]] | None
    task_text: Callable[[str], str]
    own: bool


@dataclass(frozen=True)
class Solved:
    """How often an agent solved the tasks of a level.

    Attributes:
        agent: Name of the agent.
        kind: Whether it is a shortcut or a skill.
        level: Difficulty; None for an environment without levels.
        solved: Episodes that it solved.
        episodes: Episodes that were scored.
    """

    agent: str
    kind: Literal["shortcut", "skill"]
    level: int | None
    solved: int
    episodes: int

    @property
    def rate(self) -> float:
        """Share of the episodes that were solved."""
        return self.solved / self.episodes if self.episodes else 0.0

    @property
    def ci95(self) -> tuple[float, float]:
        """Wilson's interval of that share."""
        return wilson(self.solved, self.episodes)


@dataclass(frozen=True)
class Depth:
    """The depth of an environment.

    Attributes:
        env: Registered id.
        settings: Settings beside the difficulty.
        levels: The levels played.
        solved: What each agent solved at each level.
        extents: Medians at each level.
        own: Whether its author has declared agents for it.
    """

    env: str
    settings: Mapping[str, Any]
    levels: Sequence[int | None]
    solved: Sequence[Solved]
    extents: Mapping[int | None, Extent]
    own: bool

    def of(self, kind: str) -> dict[str, list[Solved]]:
        """Return what each agent of a kind solved, level by level."""
        found: dict[str, list[Solved]] = {}
        for each in self.solved:
            if each.kind == kind:
                found.setdefault(each.agent, []).append(each)
        return found

    def missed(self) -> dict[tuple[str, int | None], str]:
        """Return the bounds that are missed: why, by agent and level."""
        found: dict[tuple[str, int | None], str] = {}
        for each in self.solved:
            bound = _bound(each.level)
            if each.kind == "shortcut" and each.rate > bound:
                found[each.agent, each.level] = f"a shortcut solves {each.rate:.1%}; at most {bound:.0%} is allowed"
        skills = self.of("skill")
        for row in skills.values():
            for before, after in itertools.combinations(row, 2):
                if after.ci95[0] > before.ci95[1]:
                    found[after.agent, after.level] = f"it solves more than at level {before.level}"
        for each in skills.get("systematic", ()):
            if each.level == 1 and each.rate < _FIRST_RUNG:
                found[each.agent, 1] = f"it solves {each.rate:.1%}; at least {_FIRST_RUNG:.0%} is asked"
            if each.level == 10 and each.rate > _TOP_RUNG:
                found[each.agent, 10] = f"it solves {each.rate:.1%}; at most {_TOP_RUNG:.0%} is allowed"
        return found


def _bound(level: int | None) -> float:
    return min((bound for least, bound in BOUNDS.items() if level is not None and level >= least), default=1.0)


def declared(env_id: str) -> Declared:
    """Return what an environment declares about its depth, with the shortcuts that are tried everywhere.

    Raises:
        SettingsError: Its file about it cannot be imported.
    """
    own = _module(full_id(env_id))
    return Declared(
        {**SHORTCUTS, "random": RandomAgent, **getattr(own, "SHORTCUTS", {})},
        getattr(own, "SKILLS", {}),
        getattr(own, "extent", None),
        getattr(own, "task_text", str),
        own is not None,
    )


def _module(env_id: str) -> Any:
    """Return the module ``_depth/<name>.py`` beside an environment's file; None if there is none."""
    env_class(env_id)  # imports its file
    package, _, name = home_of(env_id).rpartition(".")
    file = file_of(sys.modules[home_of(env_id)])
    path = file.parent / "_depth" / file.name if file is not None else None
    if path is None or not path.is_file():
        return None
    return importlib.import_module(f"{package}._depth.{name}") if package else load_source(str(path))


def levels_of(env_id: str, wanted: Sequence[int]) -> list[int | None]:
    """Return those levels that an environment has; [None] if it has no levels.

    Raises:
        SettingsError: It has levels, but none of these.
    """
    most = len(env_class(full_id(env_id)).levels)
    found = [level for level in wanted if 1 <= level <= most]
    if most and not found:
        raise SettingsError(f"levels is {tuple(wanted)}; {env_id} has levels from 1 to {most}")
    return [*found] if most else [None]


def measure_depth(
    env_id: str,
    settings: Mapping[str, Any] | None = None,
    levels: Sequence[int] = (1, 5, 10),
    num_tasks: Annotated[int, Range(1)] = 100,
    seed: int = 0,
    progress: Callable[[str], None] = lambda what: None,
) -> Depth:
    """Play an environment's shortcuts and skills at some levels, and measure its solutions.

    Args:
        env_id: Registered id, or its short name.
        settings: Settings of the environment.
        levels: Difficulty levels; those that it does not have are left out.
        num_tasks: Tasks a level; every agent plays the same.
        seed: Selects the tasks.
        progress: Called with what is done next.

    Raises:
        SettingsError: The environment is unknown or does not accept these settings.
    """
    check_arguments(measure_depth, num_tasks=num_tasks)
    name, known = full_id(env_id), declared(env_id)
    makers = [("shortcut", *each) for each in known.shortcuts.items()]
    makers += [("skill", *each) for each in known.skills.items()]
    found, extents = [], {}
    places = levels_of(name, levels)
    for level in places:
        given = {**(settings or {}), **({} if level is None else {"difficulty": level})}
        seeds = [seed_of("depth", seed, level, number) for number in range(num_tasks)]
        jobs = [Job(name, each, number, given) for number, each in enumerate(seeds)]
        agents = [make() for _, _, make in makers]
        solved, scored = _played(agents, jobs, partial(_tell, progress, level))
        for number, (kind, agent, _) in enumerate(makers):
            found.append(Solved(agent, kind, level, solved[number], scored[number]))  # type: ignore[arg-type]
        _tell(progress, level, "solutions")
        extents[level] = _median(_extents(name, known, jobs[:_EXTENTS]))
    return Depth(name, dict(settings or {}), places, found, extents, known.own)


def _tell(progress: Callable[[str], None], level: int | None, what: str) -> None:
    progress(f"level {level}: {what}")


def _played(
    agents: Sequence[Agent], jobs: Sequence[Job], progress: Callable[[str], None]
) -> tuple[Counter[int], Counter[int]]:
    """Let all agents play a task before the next one, which need not be made again; return what each solved."""
    solved, scored = Counter[int](), Counter[int]()
    envs = Environments()
    try:
        for job in jobs:
            progress(f"task {job.sample + 1} of {len(jobs)}")
            for number, agent in enumerate(agents):
                player = Player(agent, envs, strict=True)
                for _, episode in player.play([job], partial(episode_of, agent=agent.name)):
                    solved[number] += episode.status == "done" and episode.solved
                    scored[number] += episode.status == "done"
    finally:
        envs.close()
        for agent in agents:
            agent.close()
    return solved, scored


def _extents(name: str, known: Declared, jobs: Sequence[Job]) -> Iterator[Extent]:
    """Yield the extent of each task: as its author measures it, or the oracle's turns."""
    if known.extent is None:
        for episode in rollout(OracleAgent(), jobs, strict=True):
            yield len(episode.turns), None
        return
    env = gymnasium.make(name, **jobs[0].settings)
    try:
        for job in jobs:
            env.reset(seed=job.seed)
            assert isinstance(env.unwrapped, Env)
            yield known.extent(env.unwrapped)
    finally:
        env.close()


def _median(found: Iterator[Extent]) -> Extent:
    steps, facts = zip(*found, strict=True)
    return statistics.median(steps), None if None in facts else statistics.median(facts)
