"""Comparison of two evaluations that played the same tasks.

Runs are paired by task. The difference of a level is the mean over its tasks of the difference of their solve rates,
divided by 1 - chance; those of environments, domains and the headline are combined as in
`turnwise.evaluation.headline`, with the intervals of `turnwise.evaluation.bootstrap` over pairs. Besides there is
McNemar's exact test of the tasks that one run solved more often than the other.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnwise.core.episode import Episode, read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import Scores
from turnwise.evaluation.bootstrap import estimate, stratum
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import Summary
from turnwise.evaluation.headline import grouped

__all__ = ["Comparison", "Difference", "Flip", "Run", "compare", "mcnemar", "read_run"]

NOT_SHOWN = (
    "suite",
    "out",
    "envs",
    "tasks_of",
    "num_tasks",
    "concurrency",
    "env_workers",
    "retries",
    "prices",
    "ks",
    "budget",
    "request_log",
)
"""Fields of a config that change no number, or that are compared by themselves."""


@dataclass(frozen=True)
class Run:
    """An evaluation's folder.

    Attributes:
        folder: Its path.
        agent: The agent's name.
        config: What was evaluated.
        versions: Versions of turnwise, Python and others.
        episodes: Of each task and sample, by the job's name, in the order of the jobs.
        summary: Its summary.json.
    """

    folder: Path
    agent: str
    config: EvalConfig
    versions: Mapping[str, str]
    episodes: Mapping[str, Episode]
    summary: Summary


@dataclass(frozen=True)
class Difference:
    """How much better the second run is than the first.

    Attributes:
        before: Score of the first run, corrected for chance if the chance rates are known.
        after: Score of the second.
        value: after - before, over the tasks that both scored.
        ci95: Its 95 % interval.
        better: Tasks that the second run solved more often.
        worse: Tasks that the first did.
        tasks: Tasks compared.
        p_value: McNemar's, exact and two-sided.
    """

    before: float
    after: float
    value: float
    ci95: tuple[float, float]
    better: int
    worse: int
    tasks: int
    p_value: float


@dataclass(frozen=True)
class Flip:
    """A task that one run solved more often.

    Attributes:
        env: The environment, as the config names it.
        seed: Seed of the task.
        before: Share of the samples that the first run solved.
        after: Share that the second did.
    """

    env: str
    seed: int
    before: float
    after: float


@dataclass(frozen=True)
class Comparison:
    """What the comparison of two runs found.

    Attributes:
        before: The first run's folder and agent.
        after: The second's.
        suite: Name and hash of their suite; empty without one.
        corrected: The scores are corrected for chance.
        overall: Over everything.
        parts: Over each domain, environment and level, by kind and name.
        flips: The tasks that differ, in the order of the tasks.
        settings: Settings that differ: those of the first run and of the second.
        left_out: Tasks without a scored episode in one of the runs.
        figures: Turns, tokens, cost and other means of both runs, over all that each scored.
    """

    before: tuple[str, str]
    after: tuple[str, str]
    suite: str
    corrected: bool
    overall: Difference
    parts: Mapping[str, Mapping[str, Difference]]
    flips: Sequence[Flip]
    settings: Mapping[str, tuple[Any, Any]]
    left_out: int = 0
    figures: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)


def read_run(folder: str | Path, episodes: Mapping[str, Episode] | None = None) -> Run:
    """Read a finished evaluation.

    Args:
        folder: Its folder.
        episodes: Its episodes by the job's name, if they have been read already.

    Raises:
        SettingsError: The folder has none, or it is not finished.
    """
    folder = Path(folder)
    missing = [name for name in ("config.json", "episodes.jsonl", "summary.json") if not (folder / name).is_file()]
    if missing == ["summary.json"]:
        raise SettingsError(f"{folder} is not finished: run the same `turnwise eval` again, which continues there")
    if missing:
        raise SettingsError(f"{folder} holds no evaluation: it has no {' and no '.join(missing)}")
    try:
        data = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config = EvalConfig.from_dict(data["config"])
        summary = Summary.from_json((folder / "summary.json").read_text(encoding="utf-8"))
        if episodes is None:
            episodes = {episode.job.name: episode for episode in read_episodes(folder / "episodes.jsonl")}
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, SettingsError):
            raise
        raise SettingsError(f"{folder} cannot be read: {error!r}") from error
    names = [job.name for env in config.envs for job in config.jobs_of(env)]
    if left := [name for name in names if name not in episodes]:
        raise SettingsError(
            f"{folder} is not finished: it has {len(names) - len(left):,} of {len(names):,} episodes. Run the same "
            "`turnwise eval` again, which continues there"
        )
    return Run(folder, data["agent"], config, data["versions"], {name: episodes[name] for name in names}, summary)


def compare(first: Run, second: Run) -> Comparison:
    """Compare two runs task by task.

    Raises:
        SettingsError: They did not play the same tasks; the message has the reasons.
    """
    if reasons := _incomparable(first, second):
        raise SettingsError(f"{first.folder} and {second.folder} cannot be compared: {'; '.join(reasons)}")
    cells = _cells(first.config)
    pairs, left_out = _pairs(first, second)
    flips = [
        Flip(spec, seed, b[0] / b[1], a[0] / a[1])
        for spec, tasks in pairs.items()
        for seed, (b, a) in tasks.items()
        if b[0] * a[1] != a[0] * b[1]
    ]
    cells = [cell for cell in cells if pairs[cell["spec"]]]
    if not cells:
        raise SettingsError(f"{first.folder} and {second.folder} have no task that both scored")
    chances = {cell["spec"]: first.summary.environments[cell["spec"]].chance for cell in cells}
    known = all(chance is not None and chance < 1 for chance in chances.values())
    sums = _Sums(pairs, {spec: chance if known and chance is not None else 0.0 for spec, chance in chances.items()})
    parts = {
        kind: {str(name): sums.over(f"{kind} {name}", groups[name]) for name in _ordered(kind, groups)}
        for kind in ("domain", "env", "level")
        if len(groups := grouped([c for c in cells if c[kind] is not None], lambda c: c[kind])) > 1  # noqa: B023
    }
    sides = _whole(first.summary), _whole(second.summary)
    names = ("mean_turns", "prompt_tokens", "completion_tokens", "cost", "latency_s", "truncation_rate", "cut_rate",
             "format_error_rate", "refusal_rate")  # fmt: skip
    figures = {name: (getattr(sides[0], name), getattr(sides[1], name)) for name in names}
    return Comparison(
        (str(first.folder), first.agent),
        (str(second.folder), second.agent),
        _suite_words(first.config),
        known,
        sums.over("headline", cells),
        parts,
        flips,
        _settings(first, second),
        left_out,
        figures,
    )


def mcnemar(better: int, worse: int) -> float:
    """Return McNemar's exact two-sided p-value of discordant pairs: both kinds equally likely, binomial.

    With several samples a task, pairs are tasks whose solve rates differ, and it is the sign test.

    Source: McNemar 1947, Psychometrika 12:153; the exact form is the sign test, Dixon and Mood 1946.

    >>> mcnemar(9, 1), mcnemar(3, 3)
    (0.021484375, 1.0)
    """
    n, least = better + worse, min(better, worse)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(least + 1)) / (1 << n))


# ---- inside ----------------------------------------------------------------------------------------------------------

Pairs = Mapping[str, Mapping[int, tuple[tuple[int, int], tuple[int, int]]]]
"""(solved, samples) of both runs, by environment as the config names it and by seed."""


class _Sums:
    """Differences over sets of cells."""

    def __init__(self, pairs: Pairs, chances: Mapping[str, float]) -> None:
        self._pairs, self._chances = pairs, chances
        self._strata = {
            spec: stratum(spec, [after for _, after in tasks.values()], [before for before, _ in tasks.values()])
            for spec, tasks in pairs.items()
            if tasks
        }

    def over(self, key: str, cells: Sequence[Mapping[str, Any]]) -> Difference:
        """The difference over cells, by their weights."""
        total = math.fsum(cell["weight"] for cell in cells)
        weights = [cell["weight"] / total / (1 - self._chances[cell["spec"]]) for cell in cells]
        top = math.fsum(weights)
        found = estimate(key, [self._strata[cell["spec"]] for cell in cells], weights, -top, top)
        tasks = [pair for cell in cells for pair in self._pairs[cell["spec"]].values()]
        better = sum(a[0] * b[1] > b[0] * a[1] for b, a in tasks)
        worse = sum(a[0] * b[1] < b[0] * a[1] for b, a in tasks)
        before, after = (self._score(cells, weights, side) for side in (0, 1))
        return Difference(before, after, found.value, found.ci95, better, worse, len(tasks), mcnemar(better, worse))

    def _score(self, cells: Sequence[Mapping[str, Any]], weights: Sequence[float], side: int) -> float:
        """The score of one of the runs over the tasks that are compared."""
        parts: list[float] = []
        for cell, weight in zip(cells, weights, strict=True):
            rates = [pair[side][0] / pair[side][1] for pair in self._pairs[cell["spec"]].values()]
            parts.append(weight * (math.fsum(rates) / len(rates) - float(self._chances[cell["spec"]])))
        return math.fsum(parts)


def _cells(config: EvalConfig) -> list[dict[str, Any]]:
    """The cells of the suite; without one every environment counts equally."""
    if config.suite is not None:
        return list(config.suite["cells"])
    weight = 1 / len(config.envs)
    levels = {env: config.settings_of(env).get("difficulty") for env in config.envs}
    return [{"spec": env, "env": env, "level": levels[env], "domain": None, "weight": weight} for env in config.envs]


def _pairs(first: Run, second: Run) -> tuple[Pairs, int]:
    """Pair the tasks that both runs scored; return how many others there are, too."""
    found: dict[str, dict[int, tuple[tuple[int, int], tuple[int, int]]]] = {}
    left_out = 0
    for env in first.config.envs:
        sides = [_by_task(run, env) for run in (first, second)]
        found[env] = {
            seed: (sides[0][seed], sides[1][seed]) for seed in sides[0] if sides[0][seed][1] and sides[1][seed][1]
        }
        left_out += len(sides[0]) - len(found[env])
    return found, left_out


def _ordered(kind: str, groups: Mapping[Any, Any]) -> list[Any]:
    """Levels from the first to the last; domains and environments as the suite has them."""
    return sorted(groups) if kind == "level" else list(groups)


def _by_task(run: Run, env: str) -> dict[int, tuple[int, int]]:
    tally: dict[int, tuple[int, int]] = {}
    for job in run.config.jobs_of(env):
        episode, (solved, samples) = run.episodes[job.name], tally.get(job.seed, (0, 0))
        done = episode.status == "done"
        tally[job.seed] = (solved + (done and episode.solved), samples + done)
    return tally


def _incomparable(first: Run, second: Run) -> list[str]:
    """Say why two runs did not play the same tasks; empty if they did."""
    one, two = first.config, second.config
    names = [_suite_words(config) or "no suite" for config in (one, two)]
    found = []
    if names[0] != names[1]:
        found.append(f"their suites differ, {names[0]} and {names[1]}")
    elif set(one.envs) != set(two.envs):
        only = sorted(set(one.envs) ^ set(two.envs))
        found.append(f"only one of them played {', '.join(only[:3])}{' ...' if len(only) > 3 else ''}")
    for name in ("seed", "split", "difficulty", "settings", "num_tasks", "tasks_of", "tries"):
        before, after = getattr(one, name), getattr(two, name)
        if before != after and not found:
            found.append(f"{name} is {before!r} in one and {after!r} in the other, so their tasks differ")
    if not found:
        tasks = [{(e.env, e.seed, _key(e)): e.task_id for e in run.episodes.values()} for run in (first, second)]
        moved = [key for key, task in tasks[0].items() if task and tasks[1].get(key, task) not in ("", task)]
        if moved:
            envs = sorted({key[0] for key in moved})
            found.append(
                f"the same seeds gave other tasks in {', '.join(envs[:3])}: the environments changed between the runs "
                f"(turnwise {first.versions.get('turnwise')} and {second.versions.get('turnwise')})"
            )
    return found


def _key(episode: Episode) -> str:
    return json.dumps(episode.settings, sort_keys=True)


def _suite_words(config: EvalConfig) -> str:
    if config.suite is None:
        return ""
    environments = config.suite["recorded"] or config.suite["environments"]  # those of the run were checked against it
    return f"{config.suite['name']} ({config.suite['hash']}, environments {environments})"


def _settings(first: Run, second: Run) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, those of the agent by themselves."""
    sides = []
    for run in (first, second):
        flat = {name: value for name, value in run.config.to_dict().items() if name not in NOT_SHOWN}
        flat |= {f"agent_options.{name}": value for name, value in flat.pop("agent_options").items()}
        flat |= {f"version of {name}": value for name, value in run.versions.items()}
        sides.append(flat)
    names = dict.fromkeys([*sides[0], *sides[1]])
    return {n: (sides[0].get(n), sides[1].get(n)) for n in names if sides[0].get(n) != sides[1].get(n)}


def _whole(summary: Summary) -> Scores:
    return summary.overall if summary.suite is None else summary.suite.headline.scores
