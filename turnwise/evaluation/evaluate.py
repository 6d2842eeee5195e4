"""Evaluation: an agent, a set of environments, a folder with every episode and the figures.

The folder has ``config.json`` (what was run, with which versions, and where environments of your own came from: that is
told nowhere else, so that equal runs have equal episodes wherever their files are), ``episodes.jsonl`` (a line as each
episode ends; in the order of the tasks when all have ended) and ``summary.json``. Running the same again in the same
folder goes on where it was interrupted, however it was; episodes that ended as errors are played again.
"""

import contextlib
import dataclasses
import itertools
import json
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import gymnasium

import turnwise
from turnwise.agents.folder import trained_system
from turnwise.agents.make import make_agent
from turnwise.core.agent import Agent
from turnwise.core.env import Split, seed_of
from turnwise.core.episode import Episode, Job, read_episodes, write_episode
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.files import replace_file
from turnwise.core.locks import locked
from turnwise.core.metrics import Scores, overall, score
from turnwise.core.player import make_env, rollout
from turnwise.core.registration import origins_of, parse_spec, written
from turnwise.core.wrappers import Feedback, Retry
from turnwise.evaluation.chance import measured_chance, recorded_chance

__all__ = ["EvalConfig", "Measuring", "Progress", "Summary", "evaluate"]

Progress = Callable[[int, int, Episode | None], None]
"""Called with the number of episodes that have ended, the number of all, and the one that just ended."""

Measuring = Callable[[str, int, int], None]
"""Called while a chance rate is measured: the environment, episodes of the random agent that have ended, and all."""

FREE = ("out", "concurrency", "env_workers", "retries", "ks", "chance_episodes")
"""What may differ between runs in the same folder: it changes no episode."""

FREE_OPTIONS = ("timeout_s", "max_retries", "backoff_s", "give_up_after", "api_key_env")
"""The same of an agent's options: how patient it is with its server."""


@dataclass(frozen=True, kw_only=True)
class EvalConfig:
    """What to evaluate, and how.

    Attributes:
        envs: Environments: ids or short names, each with settings of its own if need be
            (``"Countdown:num_numbers=5,max_turns=3"``; values are JSON or else text).
        agent: `make_agent`'s spec.
        agent_options: Options of the agent. An endpoint's answers are cut after ``max_tokens=16384``, a local model's
            after ``max_new_tokens=512``; the others are in docs/evaluation.md.
        settings: Settings of all environments.
        num_tasks: Tasks per environment.
        num_samples: Episodes per task.
        seed: Other seeds, other tasks.
        split: Instances that are played; None plays both splits.
        difficulty: 1 to 10; None leaves the environments' defaults.
        tries: Answers allowed in environments with a single one; 1 leaves them as they are.
        feedback: What the agent hears of a wrong answer, with more tries.
        system: A system message before each conversation. None: that of the training run whose folder ``agent`` names
            (``hf:RUN``), else none; "" is none.
        ks: k of pass@k and pass^k; empty: 1, 2, 4, ... up to ``num_samples``.
        chance_episodes: Episodes that the random agent plays, beside ``num_tasks``, in each environment whose class
            records no chance rate for these settings (it does for levels and for the defaults); measured once and then
            kept in ``~/.cache/turnwise`` or ``$TURNWISE_CACHE``. 0 measures none.
        retries: How often an episode whose infrastructure failed is started again.
        concurrency: Episodes at once; None leaves the agent's default.
        env_workers: Threads that step the environments of a local model.
        out: Folder for the results; None writes nothing.
    """

    envs: tuple[str, ...]
    agent: str = "oracle"
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    num_tasks: int = 100
    num_samples: int = 1
    seed: int = 0
    split: Split | None = "test"
    difficulty: int | None = None
    tries: int = 1
    feedback: Feedback = "detail"
    system: str | None = None
    ks: tuple[int, ...] = ()
    chance_episodes: int = 200
    retries: int = 2
    concurrency: int | None = None
    env_workers: int = 0
    out: str | None = None

    def __post_init__(self) -> None:
        for name, least in (("num_tasks", 1), ("num_samples", 1), ("tries", 1), ("retries", 0), ("env_workers", 0)):
            if getattr(self, name) < least:
                raise SettingsError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        if self.chance_episodes < 0 or (self.concurrency is not None and self.concurrency < 1):
            raise SettingsError(
                f"chance_episodes={self.chance_episodes}, concurrency={self.concurrency}: chance_episodes must be at "
                "least 0, concurrency at least 1"
            )
        if isinstance(self.envs, str) or not self.envs:
            raise SettingsError(f"envs is {self.envs!r}; it must be a tuple of at least one environment")
        if bad := [k for k in self.ks if not 1 <= k <= self.num_samples]:
            raise SettingsError(f"ks has {bad[0]}; k must be from 1 to num_samples, which is {self.num_samples}")
        envs = tuple(written(*parse_spec(env)) for env in self.envs)
        if twice := {env for env in envs if envs.count(env) > 1}:
            raise SettingsError(f"envs has {', '.join(sorted(twice))} twice")
        object.__setattr__(self, "envs", envs)
        object.__setattr__(self, "ks", tuple(self.ks) or _powers(self.num_samples))
        try:
            self.to_dict()
        except (TypeError, ValueError) as error:
            raise SettingsError(f"settings and agent_options must be plain JSON values: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; ``EvalConfig.from_dict`` gives back an equal config."""
        found: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "EvalConfig":
        """The config of a ``config.json``'s entry ``config``."""
        fields: dict[str, Any] = {k: tuple(v) if k in ("envs", "ks") else v for k, v in data.items()}
        return cls(**fields)

    def settings_of(self, env: str) -> dict[str, Any]:
        """All settings of one of ``envs``; the environment's own win over those of all."""
        common: dict[str, Any] = {"split": self.split}
        if self.difficulty is not None:
            common["difficulty"] = self.difficulty
        return {**common, **self.settings, **parse_spec(env)[1]}

    def jobs_of(self, env: str) -> list[Job]:
        """The episodes of one of ``envs``."""
        env_id, settings = parse_spec(env)[0], self.settings_of(env)
        return [
            Job(env_id, seed_of(self.seed, env_id, index), sample, settings)
            for index in range(self.num_tasks)
            for sample in range(self.num_samples)
        ]


@dataclass(frozen=True)
class Summary:
    """What ``summary.json`` holds.

    Attributes:
        agent: The agent's name.
        environments: The figures by environment, as the config names it.
        overall: Their means.
    """

    agent: str
    environments: Mapping[str, Scores]
    overall: Scores

    def to_json(self) -> str:
        """The same episodes give the same text, whatever order they ended in."""
        return json.dumps(dataclasses.asdict(self), indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Summary":
        """What `to_json` wrote."""
        data = json.loads(text)
        environments = {name: _scores(part) for name, part in data["environments"].items()}
        return cls(data["agent"], environments, _scores(data["overall"]))


def evaluate(
    config: EvalConfig,
    agent: Agent | None = None,
    progress: Progress | None = None,
    measuring: Measuring | None = None,
    notify: Callable[[str], None] | None = None,
) -> Summary:
    """Play all episodes that are not yet in the folder, and compute the figures of all.

    Args:
        config: What to evaluate.
        agent: Plays in place of ``config.agent``; it is not closed.
        progress: Told of every episode that ends, first of what the folder has.
        measuring: Told of the random agent's episodes, where a chance rate is measured.
        notify: Told what a person should know, such as a request that is sent again; None logs it.

    Raises:
        SettingsError: Among others: the folder has the results of another config.
        FatalError: The agent cannot answer at all; what was played is kept.
    """
    _try_environments(config)
    if agent is None and config.system is None and (system := _trained_system(config.agent)):
        config = dataclasses.replace(config, system=system)
        if notify is not None:
            notify(
                f"each conversation begins with the system message of the training run, {system!r}; --system sets it"
            )
    player = agent or make_agent(config.agent, concurrency=config.concurrency, **config.agent_options)
    if notify is not None:
        player.notify = notify
    try:
        if config.out is None:
            return _evaluate(config, player, _Memory(config), progress, measuring)
        folder = Path(config.out)
        if folder.exists() and not folder.is_dir():
            raise SettingsError(f"out is {config.out!r}, which is a file; it must be a folder")
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder, "evaluating into"):
            _claim(folder, config, player.name, made=agent is None)
            summary = _evaluate(config, player, _File(config, folder / "episodes.jsonl"), progress, measuring)
            replace_file(folder / "summary.json", [summary.to_json().encode()])
            return summary
    finally:
        if agent is None:
            player.close()


def _trained_system(agent: str) -> str:
    """The system message that a local model was trained with; "" where none is known."""
    kind, _, path = agent.partition(":")
    return trained_system(path) if kind == "hf" and path else ""


def _evaluate(
    config: EvalConfig, agent: Agent, store: "_Memory | _File", progress: Progress | None, measuring: Measuring | None
) -> Summary:
    tell = progress or (lambda done, total, episode: None)
    done, total = len(store.played), len(store.order)
    tell(done, total, None)
    todo = (job for env in config.envs for job in config.jobs_of(env) if job.name not in store.played)
    episodes = rollout(
        agent,
        todo,
        make=_maker(config),
        system=config.system,
        retries=config.retries,
        env_workers=config.env_workers,
    )
    with contextlib.closing(episodes):
        for episode in episodes:
            store.add(episode)
            done += 1
            tell(done, total, episode)
    per_env = config.num_tasks * config.num_samples
    figures = {}
    for index, group in itertools.groupby(store.in_order(), key=lambda e: store.order[e.job.name] // per_env):
        env = config.envs[index]
        figures[env] = score(group, config.ks, _chance(config, env, measuring))
    return Summary(agent.name, figures, overall(list(figures.values())))


# ---- where episodes are kept -----------------------------------------------------------------------------------------


class _Memory:
    """Keeps episodes in a list."""

    def __init__(self, config: EvalConfig) -> None:
        self.order = _order(config)
        self.played: set[str] = set()
        self._episodes: list[Episode] = []

    def add(self, episode: Episode) -> None:
        self._episodes.append(episode)

    def in_order(self) -> Iterable[Episode]:
        return sorted(self._episodes, key=lambda episode: self.order[episode.job.name])


class _File:
    """Keeps episodes in a file; knows those that were played before."""

    def __init__(self, config: EvalConfig, path: Path) -> None:
        self.path, self.order = path, _order(config)
        self.played = self._tidy(errors=False)

    def add(self, episode: Episode) -> None:
        write_episode(self.path, episode)

    def in_order(self) -> Iterable[Episode]:
        self._tidy(errors=True)
        return read_episodes(self.path)

    def _tidy(self, *, errors: bool) -> set[str]:
        """Put the lines in the order of the jobs, without an unfinished one; returns the names of their jobs."""
        places: dict[str, tuple[int, int]] = {}
        if not self.path.exists():
            return set()
        with self.path.open("rb") as file:
            start = 0
            for line in file:
                if line.endswith(b"\n") and line.strip():
                    episode = Episode.from_json(line.decode())
                    if episode.job.name not in self.order:
                        raise SettingsError(f"{self.path} has an episode of another evaluation: {episode.job.name}")
                    if errors or episode.status == "done":
                        places[episode.job.name] = (start, len(line))
                start += len(line)
        with self.path.open("rb") as file:
            names = sorted(places, key=self.order.__getitem__)
            replace_file(self.path, (_slice(file, *places[name]) for name in names))
        return set(places)


def _order(config: EvalConfig) -> dict[str, int]:
    jobs = (job for env in config.envs for job in config.jobs_of(env))
    return {job.name: index for index, job in enumerate(jobs)}


def _slice(file: Any, start: int, length: int) -> bytes:
    file.seek(start)
    data: bytes = file.read(length)
    return data


def _change(name: str, before: Any, now: Any) -> str:
    """A setting that differs; of long lists, what only one of them has."""
    if not (isinstance(before, list) and isinstance(now, list) and len(before) + len(now) > 6):
        return f"{name} was {before!r}, is {now!r}"
    parts = []
    for words, items, other in (("no longer has", before, now), ("has also", now, before)):
        if only := [str(item) for item in items if item not in other]:
            more = f" and {len(only) - 3} more" if len(only) > 3 else ""
            parts.append(f"{words} {', '.join(only[:3])}{more}")
    return f"{name} {' and '.join(parts) or 'has another order'}"


def _claim(folder: Path, config: EvalConfig, agent: str, *, made: bool) -> None:
    """Write ``config.json``, unless the folder belongs to another config."""
    ours: dict[str, Any] = {"config": config.to_dict(), "agent": agent, "versions": _versions()}
    if not made:
        ours["config"]["agent"] = f"(given: {agent})"
    origins = origins_of(parse_spec(env)[0] for env in config.envs)
    path = folder / "config.json"
    if path.exists():
        theirs, mine = json.loads(path.read_text()), dict(ours["config"])
        for side in (theirs["config"], mine):
            side["agent_options"] = {k: v for k, v in side["agent_options"].items() if k not in FREE_OPTIONS}
        before = {**theirs["config"], "agent's name": theirs["agent"], "turnwise": theirs["versions"]["turnwise"]}
        now = {**mine, "agent's name": agent, "turnwise": ours["versions"]["turnwise"]}
        changed = [name for name in {**before, **now} if name not in FREE and before.get(name) != now.get(name)]
        if changed:
            lines = "; ".join(_change(name, before.get(name), now.get(name)) for name in changed)
            raise SettingsError(f"{folder} has the results of another evaluation: {lines}. Choose another folder")
        origins = {**theirs.get("env_modules", {}), **origins}
    elif (folder / "episodes.jsonl").exists():
        raise SettingsError(f"{folder} has an episodes.jsonl but no config.json; choose another folder")
    if origins:
        ours["env_modules"] = origins
    replace_file(path, [json.dumps(ours, indent=2, sort_keys=True).encode() + b"\n"])


def _versions() -> dict[str, str]:
    found = {"turnwise": turnwise.__version__, "python": platform.python_version()}
    for name in ("gymnasium", "numpy", "httpx", "torch", "transformers"):
        if name in sys.modules:
            found[name] = metadata.version(name)
    return found


# ---- environments ----------------------------------------------------------------------------------------------------


def _maker(config: EvalConfig) -> Callable[[Job], gymnasium.Env[str, str]]:
    """What builds the environment of a job."""

    def make(job: Job) -> gymnasium.Env[str, str]:
        env = make_env(job)
        if config.tries > 1 and env.unwrapped.max_turns == 1:  # type: ignore[attr-defined]
            return Retry(env, config.tries, config.feedback)
        return env

    return make


def _try_environments(config: EvalConfig) -> None:
    """Raise at once what would make every episode of an environment fail."""
    make = _maker(config)
    for env in config.envs:
        with contextlib.suppress(InfrastructureError):  # may be over in a moment
            made = make(config.jobs_of(env)[0])
            try:
                made.reset(seed=0)
            finally:
                made.close()


def _chance(config: EvalConfig, env: str, measuring: Measuring | None) -> float | None:
    """Solve rate of the random agent: recorded for levels and defaults, else measured once."""
    env_id, settings = parse_spec(env)[0], config.settings_of(env)
    make, rules = _maker(config), {}
    if config.tries > 1:
        made = make(Job(env_id, 0, 0, settings))
        made.close()
        if isinstance(made, Retry):
            rules = {"tries": config.tries, "feedback": config.feedback}
    recorded = None if rules else recorded_chance(env_id, settings)
    if recorded is not None or not config.chance_episodes:
        return recorded
    tell = measuring or (lambda env, done, total: None)
    return measured_chance(
        env_id, settings, config.chance_episodes, make, rules, lambda done, total: tell(env, done, total)
    )


def _powers(top: int) -> tuple[int, ...]:
    return tuple(2**i for i in range(top.bit_length()))


def _scores(data: Mapping[str, Any]) -> Scores:
    fields = dict(data)
    for name in ("pass_at_k", "pass_hat_k"):
        if fields[name] is not None:
            fields[name] = {int(k): value for k, value in fields[name].items()}
    if fields["ci95"] is not None:
        fields["ci95"] = tuple(fields["ci95"])
    return Scores(**fields)
