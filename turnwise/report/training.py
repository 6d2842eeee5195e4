"""Training runs in reports: single runs, and several together with the spread over their seeds.

Runs of one setting are those whose config.json differs only in the seed, the folder, and how often they evaluate and
save; settings are compared within a task, an environment with its settings.

Source: after Open RL Benchmark (Huang et al. 2024, arXiv:2402.03046): every tracked run is kept, curves are drawn from
the runs themselves.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.report import html

__all__ = [
    "Setting",
    "Training",
    "by_environment",
    "cpu_seconds",
    "curve",
    "env_steps",
    "mean_and_sd",
    "origins_table",
    "rates",
    "read_training",
    "setting_key",
    "settings_of_runs",
    "settings_table",
    "spread",
    "stages",
    "task_key",
    "task_of",
    "trained_on",
]

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
TASK = ("env", "env_settings", "max_turns", "tries", "model", "warm_steps", "warm_skill", "warm_lr")
"""Fields that define a task: the environment, and those that decide what the model can do before the first step."""
FREE = (
    "seed", "out", "eval_every", "eval_tasks", "save_every", "trackers", "num_threads", "token_budget", "sample_every",
    "sample_groups",
)  # fmt: skip
"""Fields in which runs of one setting may differ."""


@dataclass(frozen=True)
class Training:
    """A training run's folder: its config.json and run.json, and metrics.jsonl and timings.jsonl by kind.

    run.json is written by `turnwise.baselines.suite`: commit, machine, versions, seconds; empty if missing.

    Attributes:
        folder: Path of the folder.
        config: Its settings.
        steps: The metrics of each training step.
        tests: Those of each evaluation.
        timings: What depends on the clock, of each training step.
        origin: Its run.json.
        others: The timings of everything but steps: warm start, evaluations, checkpoints.
    """

    folder: Path
    config: Mapping[str, Any]
    steps: Sequence[Mapping[str, Any]]
    tests: Sequence[Mapping[str, Any]]
    timings: Sequence[Mapping[str, Any]]
    origin: Mapping[str, Any]
    others: Sequence[Mapping[str, Any]] = ()


def read_training(folder: Path) -> Training:
    """Read a training run's folder, as far as it has been written.

    Raises:
        SettingsError: A file cannot be read.
    """
    try:
        metrics, timings = (_records(folder / f"{name}.jsonl") for name in ("metrics", "timings"))
        config, origin = (_json(folder / f"{name}.json") for name in ("config", "run"))
    except ValueError as error:
        raise SettingsError(f"{folder} cannot be read: {error}") from error
    kinds = {kind: [r for r in metrics if r.get("kind") == kind] for kind in ("train", "eval")}
    steps = [r for r in timings if r.get("kind") == "train"]
    others = [r for r in timings if r.get("kind") != "train"]
    return Training(folder, config, kinds["train"], kinds["eval"], steps, origin, others)


def _json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _records(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file; a killed run leaves an incomplete one."""
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith(b"\n") and line.strip()]


@dataclass(frozen=True)
class Setting:
    """Runs that differ only in their seed, and a name that distinguishes them from the other settings of the task."""

    task: str
    name: str
    runs: Sequence[Training]


def task_of(config: Mapping[str, Any]) -> str:
    """Write an environment with its settings in one line: ``FrozenLake-v0 (size=3)``."""
    own = dict(config.get("env_settings") or {})
    if config.get("max_turns"):
        own["max_turns"] = config["max_turns"]
    if config.get("tries", 1) != 1:
        own["tries"] = config["tries"]
    listed = ", ".join(f"{name}={value}" for name, value in own.items())
    return html.short_id(str(config.get("env", ""))) + (f" ({listed})" if listed else "")


def trained_on(config: Mapping[str, Any]) -> str:
    """Return the environments of a run; a mixture has several."""
    own = str(config.get("env", ""))
    arms = config.get("curriculum.arms", (config.get("curriculum_settings") or {}).get("arms"))  # since, and before
    arms = arms if config.get("curriculum") == "mixture" else None
    envs = [str(arm.get("env", own)) for arm in arms or () if isinstance(arm, Mapping)] or [own]
    return ", ".join(dict.fromkeys(html.short_id(env) for env in envs))


def by_environment(tests: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Group evaluations by step; those of a mixture are followed by one for each of its environments."""
    for record in tests:
        yield str(record["step"]), record
        for label in [key.partition("/")[2] for key in record if key.startswith("sampled_solved/")]:
            ending = f"/{label}"
            yield (
                f"{record['step']}: {label}",
                {k.removesuffix(ending): v for k, v in record.items() if k.endswith(ending)},
            )


def settings_of_runs(runs: Sequence[Training]) -> list[Setting]:
    """Group runs by task and setting, both in the order of first appearance.

    A setting is named by the values in which it differs from the others of its task; settings of
    methods, such as ``credit.gamma``, are used only if the plain values give two of them the same name.
    """
    tasks: dict[str, dict[str, list[Training]]] = {}
    for run in runs:
        tasks.setdefault(task_key(run.config), {}).setdefault(setting_key(run.config), []).append(run)
    titles = _titles([json.loads(task) for task in tasks])
    found = []
    for title, groups in zip(titles, tasks.values(), strict=True):
        names = _names([json.loads(key) for key in groups])
        found += [Setting(title, name, members) for name, members in zip(names, groups.values(), strict=True)]
    return found


def task_key(config: Mapping[str, Any]) -> str:
    """Return a text that the runs of one task share."""
    return json.dumps([config.get(name) for name in TASK])


def setting_key(config: Mapping[str, Any]) -> str:
    """Return a text that the runs of one setting of a task share."""
    own = {name: value for name, value in config.items() if name not in (*TASK, *FREE)}
    return json.dumps(own, sort_keys=True)


def _titles(tasks: Sequence[Sequence[Any]]) -> list[str]:
    """Return one line per task, adding details where two would be equal."""
    named = [dict(zip(TASK, task, strict=True)) for task in tasks]
    plain = [task_of(task) for task in named]
    titles = []
    for task, title in zip(named, plain, strict=True):
        alike = [other for other, same in zip(named, plain, strict=True) if same == title]
        differing = [f for f in TASK[4:] if any(other[f] != task[f] for other in alike)]
        titles.append(", ".join([title, *(f"{f}={task[f]}" for f in differing)]))
    return titles


def _names(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    fields = list(dict.fromkeys(name for config in configs for name in config))
    differing = [f for f in fields if len({json.dumps(c.get(f), sort_keys=True) for c in configs}) > 1]
    plain = [f for f in differing if "." not in f and not any(isinstance(c.get(f), dict) for c in configs)]
    if not plain and not differing:
        return [str(c.get("credit", "")) for c in configs]
    names = [_name(c, plain) for c in configs]
    whole = [_name(c, differing) for c in configs]
    return [long if names.count(short) > 1 else short for short, long in zip(names, whole, strict=True)]


def _name(config: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Name a setting by its values: words stand alone, numbers and switches need the name of their field."""
    parts = []
    for name in fields:
        value = config.get(name)
        if isinstance(value, bool):
            parts += [name] if value else []
        else:
            parts.append(value if isinstance(value, str) else f"{name}={json.dumps(value)}")
    return " · ".join(parts) or "plain"


def mean_and_sd(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and the standard deviation with divisor n - 1 (0 for one value)."""
    mean = math.fsum(values) / len(values)
    spread = math.fsum((v - mean) ** 2 for v in values) / max(len(values) - 1, 1)
    return mean, math.sqrt(spread)


def env_steps(run: Training) -> list[tuple[float, float]]:
    """Return (training step, turns played by then) pairs; a step plays ``groups`` x ``group_size`` rollouts."""
    size = int(run.config.get("group_size", 0))
    total, points = 0.0, [(0.0, 0.0)]
    for record in run.steps:
        rollouts = record.get("groups", run.config.get("groups_per_step", 0)) * size - record.get("errors", 0.0)
        total += round(record.get("turns", 0.0) * rollouts)
        points.append((float(record["step"]), total))
    return points


def rates(run: Training, of: str = "sampled_solved") -> dict[int, float]:
    """Return the test solve rate by training step."""
    return {int(r["step"]): float(r[of]) for r in run.tests if isinstance(r.get(of), int | float)}


def curve(runs: Sequence[Training]) -> list[tuple[float, float, float, float]]:
    """Return (step, mean, lowest, highest) of the test solve rate, at the steps that all runs have evaluated."""
    each = [rates(run) for run in runs]
    shared = sorted(set.intersection(*map(set, each))) if each else []
    points = []
    for step in shared:
        values = [r[step] for r in each]
        points.append((float(step), math.fsum(values) / len(values), min(values), max(values)))
    return points


def settings_table(found: Sequence[Setting]) -> Table:
    """Build a table with a row per setting: seeds, solve rate before and after (mean ± standard deviation), cost."""
    header = ("task", "setting", "seeds", "before", "after", "greedy", "change", "steps", "turns played", "CPU s a run")
    return header, [(s.task, s.name, *_setting_cells(s.runs)) for s in found]


def _setting_cells(runs: Sequence[Training]) -> Sequence[str]:
    tested = [run for run in runs if run.tests]
    first, last = [r.tests[0]["sampled_solved"] for r in tested], [r.tests[-1]["sampled_solved"] for r in tested]
    greedy = [r.tests[-1]["greedy_solved"] for r in tested]
    change = [b - a for a, b in zip(first, last, strict=True)]
    steps = sorted({int(r.steps[-1]["step"]) if r.steps else 0 for r in runs})
    return (
        ", ".join(str(r.config.get("seed", "")) for r in runs),
        spread(first),
        spread(last),
        spread(greedy),
        spread(change, "+.1f"),
        "–".join(map(str, steps[:: len(steps) - 1] if len(steps) > 1 else steps)),
        f"{sum(env_steps(r)[-1][1] for r in runs) / len(runs):,.0f}",
        cpu_seconds(runs),
    )


STAGES = {
    "sampling_s": "sampling", "environments_s": "environments", "play_s": "rollouts", "choose_s": "guidance and choice",
    "credit_s": "credit", "samples_s": "sample episodes", "score_s": "old and reference policy",
    "optimise_s": "optimiser", "critic_s": "critic", "collect_s": "rollouts", "update_s": "update",
}  # fmt: skip
_OTHERS = {"warm": "warm start", "eval": "evaluations", "save": "checkpoints"}


def stages(run: Training) -> dict[str, float]:
    """Return the seconds of a run by stage; runs of earlier versions know only rollouts and updates."""
    found: dict[str, float] = {}
    for record in run.others:
        name = _OTHERS.get(str(record.get("kind")))
        if name is not None:
            found[name] = found.get(name, 0.0) + float(record.get("seconds", 0.0))
    for record in run.timings:
        for key, seconds in _stages_of(record).items():
            found[STAGES[key]] = found.get(STAGES[key], 0.0) + seconds
    return found


def _stages_of(record: Mapping[str, Any]) -> dict[str, float]:
    """The stages of a step, none within another."""
    if "play_s" not in record:
        return {key: float(record[key]) for key in ("collect_s", "update_s") if key in record}
    own = {key: float(record[key]) for key in STAGES if key in record and key not in ("collect_s", "update_s")}
    if "sampling_s" in own:
        play = own.pop("play_s")
        own["environments_s"] = max(0.0, play - own["sampling_s"])
    return own


def cpu_seconds(runs: Sequence[Training]) -> str:
    """Average over uninterrupted runs; for resumed ones, run.json covers only the last part."""
    seconds = [float(r.origin["cpu_s"]) for r in runs if "cpu_s" in r.origin and not r.origin.get("resumed_at")]
    return f"{sum(seconds) / len(seconds):.0f}" if seconds else ""


def spread(values: Sequence[float], form: str = ".1f") -> str:
    """Format shares in percent: mean ± standard deviation over the seeds, or just the mean for one seed."""
    if not values:
        return ""
    mean, sd = mean_and_sd([100 * v for v in values])
    return format(mean, form) + (f" ± {sd:.1f}" if len(values) > 1 else "")


def origins_table(runs: Sequence[Training]) -> Table:
    """Build a table of commit, machine and versions with the number of runs; runs without run.json are counted."""
    parts: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
        "commit": lambda o: str(o.get("commit", ""))[:12] + (" + changes" if o.get("changed") else ""),
        "sources": lambda o: str(o.get("sources", "")),
        "machine": lambda o: ", ".join(str(v) for v in o.get("machine", {}).values()),
        "versions": lambda o: ", ".join(f"{k} {v}" for k, v in o.get("versions", {}).items()),
    }
    counted: dict[tuple[str, ...], int] = {}
    for run in runs:
        key = tuple(say(run.origin) for say in parts.values())
        counted[key] = counted.get(key, 0) + 1
    rows = [(str(n), *(cell or "not kept" for cell in key)) for key, n in counted.items()]
    return ("runs", *parts), rows
