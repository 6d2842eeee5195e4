"""Several training runs in the app: curves by setting, and aggregates over tasks and seeds with their intervals."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from turnwise.report import aggregates
from turnwise.report.aggregates import Scores, scores_of
from turnwise.report.app.sources import Source, packed
from turnwise.report.app.training import TrainingSource
from turnwise.report.html import visible
from turnwise.report.training import Setting, Training, env_steps, rates, settings_of_runs

__all__ = ["comparison_of", "training", "trainings"]

LEVELS = np.linspace(0.0, 1.0, 51)
MAX_COMPARED = 12
"""Settings of a task that are compared in pairs."""
_AGGREGATES = {
    "IQM": aggregates.iqm,
    "mean": aggregates.mean,
    "median": aggregates.median,
}


def trainings(sources: Sequence[Source]) -> dict[str, bytes]:
    """The comparison of all training runs, by its name; nothing where there are less than two."""
    runs = [source.run for source in sources if isinstance(source, TrainingSource)]
    return {"all/trainings": packed(comparison_of(runs))} if len(runs) > 1 else {}


def training(sources: Sequence[Source], name: str) -> bytes | None:
    """The data of that name, as they are now; None if there are none."""
    return trainings(sources).get("all/trainings") if name.startswith("trainings") else None


def comparison_of(runs: Sequence[Training]) -> dict[str, Any]:
    """Return settings with their curves, and their comparisons on each task and on all tasks that had the same ones.

    Scores are solve rates of the last evaluation, sampled; a run is named by its place among ``runs``.
    """
    numbers = {id(run): number for number, run in enumerate(runs)}
    found = [setting for setting in settings_of_runs(runs) if any(run.tests for run in setting.runs)]
    by_task: dict[str, dict[str, Setting]] = {}
    for setting in found:
        by_task.setdefault(setting.task, {})[setting.name] = setting
    settings = [_setting(setting, [numbers[id(run)] for run in setting.runs]) for setting in found]
    alike: dict[frozenset[str], list[str]] = {}  # tasks by the settings that were run on them
    for task, own in by_task.items():
        alike.setdefault(frozenset(own), []).append(task)
    groups = [tasks for names, tasks in alike.items() if len(names) > 1 and len(tasks) > 1]
    groups += [[task] for task, own in by_task.items() if len(own) > 1]
    scopes = [_scope(tasks, {n: [by_task[task][n] for task in tasks] for n in by_task[tasks[0]]}) for tasks in groups]
    return {"settings": settings, "scopes": scopes}


def _setting(setting: Setting, numbers: Sequence[int]) -> dict[str, Any]:
    tested = [run for run in setting.runs if run.tests]
    key = f"{setting.task} {setting.name}"
    ends = {"before": (0, "sampled_solved"), "after": (-1, "sampled_solved"), "greedy": (-1, "greedy_solved")}
    return {
        "task": visible(setting.task, 300),
        "name": visible(setting.name, 200),
        "control": all(run.config.get("shuffle_rewards") for run in setting.runs),
        "runs": list(numbers),
        "seeds": [run.config.get("seed") for run in setting.runs],
        "steps": sorted({int(run.steps[-1]["step"]) if run.steps else 0 for run in setting.runs}),
        "played": float(np.mean([env_steps(run)[-1][1] for run in setting.runs])),
        **{name: _estimate(key, [float(run.tests[i][of]) for run in tested]) for name, (i, of) in ends.items()},
        "curve": _curve(key, tested),
    }


def _curve(key: str, runs: Sequence[Training]) -> list[list[Any]]:
    """[step, IQM, low, high] at the steps that all runs have evaluated; no ends of one run."""
    each = [rates(run) for run in runs]
    shared = sorted(set.intersection(*map(set, each))) if each else []
    return [[step, *_estimate(f"{key} {step}", [own[step] for own in each])] for step in shared]


def _estimate(key: str, values: Sequence[float], statistic: aggregates.Statistic = aggregates.iqm) -> list[Any]:
    value, ends = aggregates.estimate(key, scores_of([values]), statistic)
    return [value, *(ends or (None, None))]


def _scope(tasks: Sequence[str], settings: Mapping[str, Sequence[Setting]]) -> dict[str, Any]:
    """Compare settings on the same tasks."""
    name = " ".join(tasks)
    scores = {own: [_last(setting) for setting in of] for own, of in settings.items()}
    several = {own: max(map(len, tasks)) > 1 for own, tasks in scores.items()}
    compared = [own for own in scores if several[own]][:MAX_COMPARED]
    pairs = [_pair(name, ours, theirs, scores) for ours, theirs in itertools.combinations(compared, 2)]
    return {
        "tasks": [visible(task, 300) for task in tasks],
        "settings": [visible(own, 200) for own in scores],
        "runs": [sum(map(len, tasks)) for tasks in scores.values()],
        "aggregates": {
            title: [_aggregate(f"{name} {own} {title}", tasks, statistic) for own, tasks in scores.items()]
            for title, statistic in _AGGREGATES.items()
        },
        "profiles": [_profile(f"{name} {own}", tasks) for own, tasks in scores.items()],
        "pairs": pairs,
    }


def _last(setting: Setting) -> aggregates.Array:
    """The last solve rate of each run."""
    return scores_of([[float(run.tests[-1]["sampled_solved"]) for run in setting.runs if run.tests]])[0]


def _aggregate(key: str, tasks: Scores, statistic: aggregates.Statistic) -> list[Any]:
    value, ends = aggregates.estimate(key, tasks, statistic)
    return [value, *(ends or (None, None))]


def _profile(key: str, tasks: Scores) -> list[list[Any]]:
    """[level, share of runs above it, low, high]."""

    def statistic(scores: Scores) -> aggregates.Array:
        return aggregates.profile(scores, LEVELS)

    shares = statistic(tasks)
    if max(map(len, tasks)) < 2:
        return [[float(x), float(y), None, None] for x, y in zip(LEVELS, shares, strict=True)]
    low, high = aggregates.interval(key, statistic, tasks)
    return [[round(float(v), 4) for v in row] for row in zip(LEVELS, shares, low, high, strict=True)]


def _pair(scope: str, ours: str, theirs: str, scores: Mapping[str, Scores]) -> dict[str, Any]:
    low, high = aggregates.improvement_interval(f"{scope} {ours} {theirs}", scores[ours], scores[theirs])
    value = float(aggregates.improvement(scores[ours], scores[theirs]))
    return {"of": visible(ours, 200), "over": visible(theirs, 200), "value": [value, low, high]}
