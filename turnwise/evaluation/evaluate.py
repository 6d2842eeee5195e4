"""Evaluate an agent on a set of environments, with a folder for every episode and the summary.

The folder has ``config.json`` (settings, versions, and the files of your own environments; file paths are stored only
here, so that equal runs have equal episodes on every machine), ``episodes.jsonl`` (a line as each episode ends, sorted
by task at the end) and ``summary.json``. Running the same evaluation again in the same folder continues after any
interruption; episodes that ended as errors are played again.
"""

import contextlib
import dataclasses
import itertools
import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium

from turnwise.agents.folder import trained_system
from turnwise.agents.make import make_agent
from turnwise.core.agent import Agent
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import InfrastructureError
from turnwise.core.files import replace_file
from turnwise.core.metrics import Scores, Tally, overall, score
from turnwise.core.player import make_env, rollout
from turnwise.core.registration import parse_spec
from turnwise.core.wrappers import Retry
from turnwise.evaluation.budget import Affordable
from turnwise.evaluation.chance import measured_chance, recorded_chance
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.headline import Standing, standing
from turnwise.evaluation.measures.collect import Collector
from turnwise.evaluation.measures.confidence import StatedConfidence
from turnwise.evaluation.measures.rerank import scored
from turnwise.evaluation.prices import Prices, read_prices
from turnwise.evaluation.store import Folder, Memory, opened

__all__ = [
    "EvalConfig", "Measuring", "Progress", "Summary", "about_suite", "chance_of", "env_maker", "evaluate",
    "try_environments", "with_trained_system",
]  # fmt: skip

Progress = Callable[[int, int, Episode | None], None]
"""Called with the number of finished episodes, the total, and the episode that has just ended."""

Measuring = Callable[[str, int, int], None]
"""Called while a chance rate is measured: the environment, finished episodes of the random agent, and the total."""


@dataclass(frozen=True)
class Summary:
    """The content of ``summary.json``.

    Attributes:
        agent: The agent's name.
        environments: Scores by environment, as the config names it.
        overall: Their combination.
        suite: The headline of a suite, and its parts; None without one.
    """

    agent: str
    environments: Mapping[str, Scores]
    overall: Scores
    suite: Standing | None = None

    def to_json(self) -> str:
        """Write as JSON; the same episodes give the same text, whatever order they ended in."""
        data = dataclasses.asdict(self)
        if self.suite is None:
            del data["suite"]
        return json.dumps(data, indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Summary":
        """Read what `to_json` wrote."""
        data = json.loads(text)
        environments = {name: Scores.from_dict(part) for name, part in data["environments"].items()}
        suite = Standing.from_dict(data["suite"]) if "suite" in data else None
        return cls(data["agent"], environments, Scores.from_dict(data["overall"]), suite)


def evaluate(
    config: EvalConfig,
    agent: Agent | None = None,
    progress: Progress | None = None,
    measuring: Measuring | None = None,
    notify: Callable[[str], None] | None = None,
) -> Summary:
    """Play all episodes that are not yet in the folder, and score all of them.

    Args:
        config: What to evaluate.
        agent: Plays in place of ``config.agent``; it is not closed.
        progress: Called for every episode that ends, first for those in the folder.
        measuring: Called for the random agent's episodes while a chance rate is measured.
        notify: Called with messages for the user, such as a retried request; None logs them.

    Raises:
        SettingsError: Among others: the folder has the results of another config.
        FatalError: The agent cannot answer at all; what was played is kept.
    """
    try_environments(config)
    price = read_prices(config.prices) if config.prices is not None else None
    if config.fresh:
        config = dataclasses.replace(config, seed=_fresh_seed(config.out))
        if notify is not None:
            notify(f"the run's fresh seed is {config.seed}; --seed {config.seed} plays the same tasks again")
    if agent is None:
        config = with_trained_system(config, notify)
    options = {**config.agent_options, **({"request_log": config.request_log} if config.request_log else {})}
    player = agent or make_agent(config.agent, concurrency=config.concurrency, **options)
    if notify is not None:
        player.notify = notify
    try:
        with opened(config, player.name, made=agent is None, doing="evaluating into") as store:
            summary = _evaluate(config, player, store, progress, measuring, price)
            if config.out is not None:
                replace_file(Path(config.out) / "summary.json", [summary.to_json().encode()])
            return summary
    finally:
        if agent is None:
            player.close()


def with_trained_system(config: EvalConfig, notify: Callable[[str], None] | None) -> EvalConfig:
    """Set the system message that a local model was trained with, if none is set and there was one."""
    kind, _, path = config.agent.partition(":")
    system = trained_system(path) if kind == "hf" and path else ""
    if config.system is not None or not system:
        return config
    if notify is not None:
        notify(f"each conversation begins with the system message of the training run, {system!r}; --system sets it")
    return dataclasses.replace(config, system=system)


def _fresh_seed(out: str | None) -> int:
    """Return a seed that nobody has used; in a folder with the beginning of such a run, that of the run."""
    path = Path(out or "") / "config.json"
    if out is not None and path.is_file():
        config = json.loads(path.read_text(encoding="utf-8"))["config"]
        if config.get("fresh"):
            return int(config["seed"])
    return secrets.randbelow(2**31)


def _evaluate(
    config: EvalConfig,
    agent: Agent,
    store: Memory | Folder,
    progress: Progress | None,
    measuring: Measuring | None,
    price: Prices | None,
) -> Summary:
    tell = progress or (lambda done, total, episode: None)
    done, total = len(store.played), len(store.order)
    tell(done, total, None)
    todo: Iterator[Job]
    todo = (job for env in config.envs for job in config.jobs_of(env) if job.name not in store.played)
    paid = None
    if config.budget is not None and price is not None:
        todo = paid = Affordable(todo, config.budget, price, iter(store.kept()))
    episodes = rollout(
        agent,
        todo,
        make=env_maker(config),
        system=config.system,
        retries=config.retries,
        env_workers=config.env_workers,
    )
    with contextlib.closing(episodes):
        for episode in episodes:
            store.add(episode)
            done += 1
            tell(done, total, episode)
            if paid is not None:
                paid.ended(episode)
    if paid is not None and paid.left and done < total:
        agent.notify(
            f"stopped at the budget: {paid.spent:.4g} of {paid.budget:g} is spent, {total - done} episodes are not "
            "played; the same command with a higher --budget goes on"
        )
    scorer = scored(config, _of_one_answer(config, store), notify=agent.notify) if config.rerank is not None else None
    figures, tasks = {}, {}
    for env, group in itertools.groupby(store.in_order(), key=lambda e: store.env_of[e.job.name]):
        tally, further = Tally(), _collector(config, env, scorer)
        scores = score(_passing(group, tally, further), config.ks, chance_of(config, env, measuring), price)
        figures[env] = dataclasses.replace(scores, measures=further.measures(env, config.ks))
        tasks[env] = tally.counts
    suite = None
    if config.suite is not None:
        suite = standing(about_suite(config), config.suite["cells"], figures, tasks)
    return Summary(agent.name, figures, overall(list(figures.values())), suite)


def _passing(episodes: Iterable[Episode], *takers: Tally | Collector) -> Iterator[Episode]:
    for episode in episodes:
        for taker in takers:
            taker.add(episode)
        yield episode


def _collector(config: EvalConfig, env: str, scorer: Callable[[Episode], float | None] | None) -> Collector:
    several = config.num_samples > 1 or bool(config.wordings)
    kinds = {"several": several, "confidence": config.confidence, "wordings": bool(config.wordings)}
    return Collector(one_answer=one_answer(config, env), scorer=scorer, **kinds)


def _of_one_answer(config: EvalConfig, store: Memory | Folder) -> Iterator[Episode]:
    single = {env for env in config.envs if one_answer(config, env)}
    return (episode for episode in store.in_order() if store.env_of[episode.job.name] in single)


def one_answer(config: EvalConfig, env: str) -> bool:
    """Return whether the first message ends an episode, but for further tries."""
    with contextlib.suppress(InfrastructureError):
        made = make_env(config.jobs_of(env)[0])
        made.close()
        return bool(made.unwrapped.max_turns == 1)  # type: ignore[attr-defined]
    return False


def about_suite(config: EvalConfig) -> dict[str, Any]:
    """What the result says about its suite and the run."""
    said = {name: value for name, value in (config.suite or {}).items() if name not in ("cells", "domains")}
    parts: dict[str, dict[str, None]] = {}
    for cell in (config.suite or {}).get("cells", ()):
        parts.setdefault(cell["domain"], {})[cell["env"]] = None
    run = {"seed": config.seed, "fresh": config.fresh, "num_samples": config.num_samples}
    return {**said, **run, "parts": [[domain, list(envs)] for domain, envs in parts.items()]}


# ---- environments ----------------------------------------------------------------------------------------------------


def env_maker(config: EvalConfig) -> Callable[[Job], gymnasium.Env[str, str]]:
    """Return a function that builds the environment of a job."""

    def make(job: Job) -> gymnasium.Env[str, str]:
        env = make_env(job)
        if config.tries > 1 and env.unwrapped.max_turns == 1:  # type: ignore[attr-defined]
            env = Retry(env, config.tries, config.feedback)
        return StatedConfidence(env) if config.confidence else env

    return make


def try_environments(config: EvalConfig) -> None:
    """Raise errors early that would make every episode of an environment fail."""
    make = env_maker(config)
    for env in config.envs:
        with contextlib.suppress(InfrastructureError):  # may be temporary
            made = make(config.jobs_of(env)[0])
            try:
                made.reset(seed=0)
            finally:
                made.close()


def chance_of(config: EvalConfig, env: str, measuring: Measuring | None) -> float | None:
    """Return the random agent's solve rate: recorded for levels and defaults, else measured once."""
    env_id, settings = parse_spec(env)[0], config.settings_of(env)
    make, rules = env_maker(dataclasses.replace(config, confidence=False)), {}
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
