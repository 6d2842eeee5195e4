"""Locate an agent on the levels of environments: the next level to play is chosen by what has been solved so far.

In a folder, ``episodes.jsonl`` and ``config.json`` are those of an evaluation (`turnwise.evaluation.store`) of every
level, and the ladder plays a part of them. Which part depends on results alone, so the same ladder in the same folder
goes the same way again through the episodes that are there, and continues where they end.

Environments play in rounds, a batch each, and inform each other (`turnwise.evaluation.ladder.ability`).
"""

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from turnwise.agents.make import make_agent
from turnwise.core.agent import Agent
from turnwise.core.env import seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.files import replace_file
from turnwise.core.player import rollout
from turnwise.core.registration import env_class, parse_spec, written
from turnwise.core.settings import Range, check_all
from turnwise.evaluation.bootstrap import Estimate
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import Measuring, chance_of, try_environments, with_trained_system
from turnwise.evaluation.ladder.ability import Ability, Joint
from turnwise.evaluation.ladder.model import Located, Locator, ends_of
from turnwise.evaluation.ladder.scale import LEVELS_1, Scale, load_scale
from turnwise.evaluation.store import Folder, Memory, opened

__all__ = ["Climb", "Ladder", "LadderConfig", "Step", "climb"]

MOST_EPISODES = 500
FEWEST_EPISODES = 12
"""Played in an environment before its own width may end it: a lucky beginning looks like a steep curve."""
WORTH = 0.5
"""With an overall width, an environment plays in a round if its next episode reduces the variance of the mean ability
by at least this share of what the most useful environment's does."""

Progress = Callable[[str, int, Located], None]
"""Called after every batch of an environment: its name, its scored episodes, and where the agent stands."""


@dataclass(frozen=True, kw_only=True)
class LadderConfig:
    """Whose ability to find, in which environments, and how narrowly."""

    envs: tuple[str, ...]
    """Environments with levels, each optionally with settings of its own."""
    agent: str = "oracle"
    """`make_agent`'s spec."""
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the agent, as in an evaluation."""
    width: Annotated[float, Range(above=0)] = 1.5
    """Stop an environment when the 95 % interval of the ability is at most this many levels wide."""
    overall_width: Annotated[float, Range(above=0)] | None = None
    """Stop everything when the 95 % interval of the ability over all environments is at most this wide, and until then
    play where episodes narrow it most; None goes on until each environment has its width."""
    scale: str = LEVELS_1
    """How hard the levels are: the name of a scale that comes with turnwise, or a file of `turnwise calibrate`."""
    max_episodes: Annotated[int, Range(1, MOST_EPISODES)] = 150
    """Stop an environment after this many episodes, whatever the width."""
    batch: Annotated[int, Range(1)] = 4
    """Episodes of an environment at one level between two choices; more keep an endpoint busier and cost some
    episodes."""
    seed: int = 0
    """Other seeds, other tasks."""
    system: str | None = None
    """A system message before each conversation, as in an evaluation."""
    retries: Annotated[int, Range(0)] = 2
    """How often an episode whose infrastructure failed is started again."""
    concurrency: Annotated[int, Range(1)] | None = None
    """Episodes at once; None leaves the agent's default."""
    out: str | None = None
    """Folder for episodes and results; the same command in it continues after any interruption, with another width or
    maximum, too. None writes nothing."""

    def __post_init__(self) -> None:
        check_all(self)
        if not self.envs:
            raise SettingsError("envs is (); it must have at least one environment")
        for env in self.envs:
            env_id, settings = parse_spec(env)
            if not env_class(env_id).levels:
                raise SettingsError(f"{env_id} has no difficulty levels, so there is no ladder to climb")
            if "difficulty" in settings:
                raise SettingsError(f"{env}: a ladder chooses the difficulty itself; leave it out")

    def evaluation(self) -> EvalConfig:
        """Return the evaluation of all levels that the ladder plays a part of."""
        return EvalConfig(
            envs=tuple(rung for env in self.envs for rung in rungs(env)),
            agent=self.agent,
            agent_options=self.agent_options,
            num_tasks=MOST_EPISODES,
            seed=self.seed,
            system=self.system,
            retries=self.retries,
            concurrency=self.concurrency,
            out=self.out,
        )


@dataclass(frozen=True)
class Step:
    """What was played at a level: scored episodes, and how many of them were solved."""

    level: int
    solved: int
    played: int


@dataclass(frozen=True)
class Climb:
    """The result in one environment.

    Attributes:
        env: The environment, as the config names it.
        located: Where the agent stands, in levels.
        on_scale: Its ability in this environment on the scale.
        levels: What was played at each level.
        episodes: Scored episodes.
        failed: Episodes whose infrastructure failed; they are not scored.
        misfit: Probability of results that fit the curve as badly if the model is right.
        why: What stopped it: ``width``, ``beyond`` (the ability lies outside the levels), ``episodes``, or ``overall``
            (the ability over all environments is known well enough).
    """

    env: str
    located: Located
    on_scale: Estimate
    levels: Sequence[Step]
    episodes: int
    failed: int
    misfit: float
    why: str

    def says(self) -> str:
        """Return the result in words."""
        found = self.located
        if found.beyond == "above":
            return f"solves the top level, {found.levels}, more than half of the time"
        if found.beyond == "below":
            return "solves level 1 less than half of the time"
        low, high = found.ends
        if not self.episodes and low is not None and high is not None:
            return f"not played; expected to solve level {found.ability:.1f} ({low:.1f} to {high:.1f}) half of the time"
        if low is None and high is None:
            return "not located: the interval is wider than the levels"
        if low is None:
            return f"solves at most level {high:.1f} half of the time"
        if high is None:
            return f"solves at least level {low:.1f} half of the time"
        return f"solves level {found.ability:.1f} ({low:.1f} to {high:.1f}) half of the time"


@dataclass(frozen=True)
class Ladder:
    """The result of a ladder.

    Attributes:
        agent: The agent's name.
        climbs: The result of each environment.
        ability: Its ability over all environments, on the scale.
        scale: The scale's name and hash.
    """

    agent: str
    climbs: Sequence[Climb]
    ability: Ability
    scale: tuple[str, str]

    def to_json(self) -> str:
        """Write as JSON; the same results give the same text."""
        data = dataclasses.asdict(self)
        for entry, found in zip(data["climbs"], self.climbs, strict=True):
            entry["says"], entry["ends"] = found.says(), found.located.ends
        return json.dumps(data, indent=2, sort_keys=True) + "\n"


def rungs(env: str) -> list[str]:
    """Return an environment at each of its levels."""
    env_id, settings = parse_spec(env)
    levels = range(1, len(env_class(env_id).levels) + 1)
    return [written(env_id, {**settings, "difficulty": level}) for level in levels]


def climb(
    config: LadderConfig,
    agent: Agent | None = None,
    progress: Progress | None = None,
    measuring: Measuring | None = None,
    notify: Callable[[str], None] | None = None,
) -> Ladder:
    """Play batches at the levels that say most about the agent's ability until it is located in every environment.

    Args:
        config: What to find.
        agent: Plays in place of ``config.agent``; it is not closed.
        progress: Called after every batch.
        measuring: Called for the random agent's episodes while a chance rate is measured.
        notify: Called with messages for the user, such as a retried request; None logs them.

    Raises:
        SettingsError: Among others: the folder has the results of something else.
        FatalError: The agent cannot answer at all; what was played is kept.
    """
    whole, scale = config.evaluation(), load_scale(config.scale)
    try_environments(whole)
    if agent is None:
        whole = with_trained_system(whole, notify)
    player = agent or make_agent(config.agent, concurrency=config.concurrency, **config.agent_options)
    if notify is not None:
        player.notify = notify
    try:
        with opened(whole, player.name, made=agent is None, doing="climbing a ladder into") as store:
            found = _climb(config, whole, scale, player, store, progress, measuring)
            if config.out is not None:
                replace_file(Path(config.out) / "ladder.json", [found.to_json().encode()])
            return found
    finally:
        if agent is None:
            player.close()


# ---- inside ----------------------------------------------------------------------------------------------------------


class _Climber:
    """One environment's way: which episodes come next, and when it ends."""

    def __init__(self, config: LadderConfig, whole: EvalConfig, env: str, locator: Locator) -> None:
        self.config, self.env, self.locator = config, env, locator
        self._jobs = [whole.jobs_of(rung) for rung in rungs(env)]
        self._next = [0] * len(self._jobs)
        self.scored = self.failed = 0

    def why(self) -> str:
        """Return what ends it; "" if it goes on."""
        found = self.locator.located()
        if self.scored >= FEWEST_EPISODES and found.beyond:
            return "beyond"
        if self.scored >= FEWEST_EPISODES and found.width <= self.config.width:
            return "width"
        return "episodes" if self.scored + self.failed >= self.config.max_episodes else ""

    def batch(self) -> tuple[int, list[Job]]:
        """Return the next level and fresh tasks there."""
        level = self.locator.next_level()
        size = min(self.config.batch, self.config.max_episodes - self.scored - self.failed)
        start = self._next[level - 1]
        self._next[level - 1] += size
        return level, self._jobs[level - 1][start : start + size]

    def take(self, level: int, results: Sequence[bool | None]) -> None:
        """Take in a batch's results; None is an episode that failed."""
        scored = [solved for solved in results if solved is not None]
        self.locator.add(level, sum(scored), len(scored))
        self.scored += len(scored)
        self.failed += len(results) - len(scored)

    def climbed(self) -> Climb:
        at = self.locator
        steps = [Step(i, int(k), int(n)) for i, (k, n) in enumerate(zip(at.solved, at.played, strict=True), 1) if n]
        misfit = at.misfit(seed_of("misfit", self.env, self.config.seed))
        why = self.why() or "overall"
        return Climb(self.env, at.located(), at.on_scale(), steps, self.scored, self.failed, misfit, why)


def _climb(
    config: LadderConfig,
    whole: EvalConfig,
    scale: Scale,
    agent: Agent,
    store: Memory | Folder,
    progress: Progress | None,
    measuring: Measuring | None,
) -> Ladder:
    known: dict[str, bool | None] = {episode.job.name: episode.solved for episode in store.in_order()}
    locators = _locators(config, whole, scale, measuring)
    joint = Joint(scale, locators)
    climbers = [_Climber(config, whole, env, locator) for env, locator in zip(config.envs, locators, strict=True)]
    while chosen := _chosen(config, climbers, joint):
        batches = [(climbers[i], *climbers[i].batch()) for i in chosen]
        todo = [job for _, _, jobs in batches for job in jobs if job.name not in known]
        for episode in _played(agent, todo, whole):
            store.add(episode)
            known[episode.job.name] = episode.solved if episode.status == "done" else None
        for climber, level, jobs in batches:
            climber.take(level, [known[job.name] for job in jobs])
        joint.share(chosen)
        for climber, _, _ in batches if progress is not None else ():
            progress(climber.env, climber.scored, climber.locator.located())  # type: ignore[misc]
    store.in_order()  # sorts the file
    return Ladder(agent.name, [climber.climbed() for climber in climbers], joint.ability(), (config.scale, scale.hash))


def _locators(config: LadderConfig, whole: EvalConfig, scale: Scale, measuring: Measuring | None) -> Sequence[Locator]:
    """Return each environment's posterior before any episode, all on one grid."""
    places = [scale.place(env) for env in config.envs]
    for env, place in zip(config.envs, places, strict=True):
        if len(place.difficulty) != len(rungs(env)):
            raise SettingsError(
                f"scale {config.scale!r} has {len(place.difficulty)} levels of {env}, which has {len(rungs(env))}; "
                "calibrate again"
            )
    ends = ends_of(places)
    return [
        Locator([_chance(whole, rung, measuring) for rung in rungs(env)], place, ends)
        for env, place in zip(config.envs, places, strict=True)
    ]


def _chosen(config: LadderConfig, climbers: Sequence[_Climber], joint: Joint) -> Sequence[int]:
    """Return the numbers of the environments that play in the next round; none at the end."""
    active = [i for i, climber in enumerate(climbers) if not climber.why()]
    if config.overall_width is None or not active:
        return active
    if sum(climber.scored for climber in climbers) >= FEWEST_EPISODES and joint.width() <= config.overall_width:
        return []
    gains = {i: climbers[i].locator.gain() for i in active}
    return [i for i in active if gains[i] >= WORTH * max(gains.values())]


def _chance(whole: EvalConfig, rung: str, measuring: Measuring | None) -> float:
    found = chance_of(whole, rung, measuring)
    if found is None:
        raise InfrastructureError(f"the random agent's solve rate in {rung} could not be measured; try again")
    return found


def _played(agent: Agent, jobs: Sequence[Job], whole: EvalConfig) -> Iterator[Episode]:
    if jobs:
        with contextlib.closing(rollout(agent, jobs, system=whole.system, retries=whole.retries)) as episodes:
            yield from episodes
