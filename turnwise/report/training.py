"""Training runs in reports: one by one, and several together, with the spread over their seeds.

Runs of one setting are those whose config.json differs in nothing but the seed, the folder, and how often they evaluate
and save; settings are compared within a task, an environment with its settings.

Source: after Open RL Benchmark (Huang et al. 2024, arXiv:2402.03046): every tracked run is kept, curves are drawn from
the runs themselves.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnwise.report import html

__all__ = [
    "Setting",
    "Training",
    "by_environment",
    "cpu_seconds",
    "curve",
    "curves",
    "env_steps",
    "mean_and_sd",
    "origins_table",
    "rates",
    "samples_section",
    "settings_of_runs",
    "settings_table",
    "spread",
    "task_of",
    "trained_on",
]

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
TASK = ("env", "env_settings", "max_turns", "tries", "model", "warm_steps", "warm_skill", "warm_lr")
"""What makes a task: the environment, and what the model can do before the first step."""
FREE = (
    "seed", "out", "eval_every", "eval_tasks", "save_every", "trackers", "num_threads", "token_budget", "sample_every",
    "sample_groups",
)  # fmt: skip
"""What runs of one setting may differ in."""


@dataclass(frozen=True)
class Training:
    """A training run's folder: its config.json and run.json, and metrics.jsonl and timings.jsonl by kind.

    run.json is what `turnwise.baselines.suite` writes of a run: commit, machine, versions, seconds; empty without one.
    """

    folder: Path
    config: Mapping[str, Any]
    steps: Sequence[Mapping[str, Any]]
    tests: Sequence[Mapping[str, Any]]
    timings: Sequence[Mapping[str, Any]]
    origin: Mapping[str, Any]


@dataclass(frozen=True)
class Setting:
    """Runs that differ in their seed alone, and the name that tells them from the other settings of the task."""

    task: str
    name: str
    runs: Sequence[Training]


def task_of(config: Mapping[str, Any]) -> str:
    """An environment with its settings, in one line: ``FrozenLake-v0 (size=3)``."""
    own = dict(config.get("env_settings") or {})
    if config.get("max_turns"):
        own["max_turns"] = config["max_turns"]
    if config.get("tries", 1) != 1:
        own["tries"] = config["tries"]
    listed = ", ".join(f"{name}={value}" for name, value in own.items())
    return html.short_id(str(config.get("env", ""))) + (f" ({listed})" if listed else "")


def trained_on(config: Mapping[str, Any]) -> str:
    """The environments of a run; a mixture has several."""
    own = str(config.get("env", ""))
    arms = (config.get("curriculum_settings") or {}).get("arms") if config.get("curriculum") == "mixture" else None
    envs = [str(arm.get("env", own)) for arm in arms or () if isinstance(arm, Mapping)] or [own]
    return ", ".join(dict.fromkeys(html.short_id(env) for env in envs))


def by_environment(tests: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The evaluations by their steps; those of a mixture are followed by one for each of its environments."""
    for record in tests:
        yield str(record["step"]), record
        for label in [key.partition("/")[2] for key in record if key.startswith("sampled_solved/")]:
            ending = f"/{label}"
            yield (
                f"{record['step']}: {label}",
                {k.removesuffix(ending): v for k, v in record.items() if k.endswith(ending)},
            )


def settings_of_runs(runs: Sequence[Training]) -> list[Setting]:
    """The runs by task and setting, both in the order in which they first come.

    A setting is named by the values in which it differs from the others of its task; mappings, such as
    ``credit_settings``, only where the plain values leave two of them with one name.
    """
    tasks: dict[str, dict[str, list[Training]]] = {}
    for run in runs:
        task = json.dumps([run.config.get(name) for name in TASK])
        own = {name: value for name, value in run.config.items() if name not in (*TASK, *FREE)}
        tasks.setdefault(task, {}).setdefault(json.dumps(own, sort_keys=True), []).append(run)
    titles = _titles([json.loads(task) for task in tasks])
    found = []
    for title, groups in zip(titles, tasks.values(), strict=True):
        names = _names([json.loads(key) for key in groups])
        found += [Setting(title, name, members) for name, members in zip(names, groups.values(), strict=True)]
    return found


def _titles(tasks: Sequence[Sequence[Any]]) -> list[str]:
    """One line per task; what a line leaves out is added where two would be the same."""
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
    plain = [f for f in differing if not any(isinstance(c.get(f), dict) for c in configs)]
    if not plain and not differing:
        return [str(c.get("credit", "")) for c in configs]
    names = [_name(c, plain) for c in configs]
    whole = [_name(c, differing) for c in configs]
    return [long if names.count(short) > 1 else short for short, long in zip(names, whole, strict=True)]


def _name(config: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Values that are words stand alone; numbers and switches need the name of their field."""
    parts = []
    for name in fields:
        value = config.get(name)
        if isinstance(value, bool):
            parts += [name] if value else []
        else:
            parts.append(value if isinstance(value, str) else f"{name}={json.dumps(value)}")
    return " · ".join(parts) or "plain"


def mean_and_sd(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and standard deviation with the divisor n - 1 (0 for one value)."""
    mean = math.fsum(values) / len(values)
    spread = math.fsum((v - mean) ** 2 for v in values) / max(len(values) - 1, 1)
    return mean, math.sqrt(spread)


def env_steps(run: Training) -> list[tuple[float, float]]:
    """(training step, turns that training has played by then); a step plays ``groups`` x ``group_size`` rollouts."""
    size = int(run.config.get("group_size", 0))
    total, points = 0.0, [(0.0, 0.0)]
    for record in run.steps:
        rollouts = record.get("groups", run.config.get("groups_per_step", 0)) * size - record.get("errors", 0.0)
        total += round(record.get("turns", 0.0) * rollouts)
        points.append((float(record["step"]), total))
    return points


def rates(run: Training, of: str = "sampled_solved") -> dict[int, float]:
    """Test solve rate by training step."""
    return {int(r["step"]): float(r[of]) for r in run.tests if isinstance(r.get(of), int | float)}


def curve(runs: Sequence[Training]) -> list[tuple[float, float, float, float]]:
    """(step, mean, lowest, highest) of the test solve rate, at the steps that all runs have evaluated."""
    each = [rates(run) for run in runs]
    shared = sorted(set.intersection(*map(set, each))) if each else []
    points = []
    for step in shared:
        values = [r[step] for r in each]
        points.append((float(step), math.fsum(values) / len(values), min(values), max(values)))
    return points


def curves(found: Sequence[Setting]) -> str:
    """A chart per task: the mean over the seeds of each setting in a band from the lowest to the highest."""
    charts = []
    for task in dict.fromkeys(s.task for s in found):
        series = []
        for setting in (s for s in found if s.task == task):
            points = curve(setting.runs)
            band = [(x, low, high) for x, _, low, high in points] if len(setting.runs) > 1 else []
            series.append(html.Series(setting.name, [(x, y) for x, y, _, _ in points], marked=True, band=band))
        charts.append(html.chart(f"{task}: test solve rate, sampled", series, wide=True, top=1.0))
    return "\n".join(charts)


def settings_table(found: Sequence[Setting]) -> Table:
    """A setting in each row: seeds, solve rate before and after as mean ± standard deviation, and what it cost."""
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


def cpu_seconds(runs: Sequence[Training]) -> str:
    """Mean of the runs that were played in one sitting: of the others, run.json knows the last sitting alone."""
    seconds = [float(r.origin["cpu_s"]) for r in runs if "cpu_s" in r.origin and not r.origin.get("resumed_at")]
    return f"{sum(seconds) / len(seconds):.0f}" if seconds else ""


def spread(values: Sequence[float], form: str = ".1f") -> str:
    """Shares in percent: mean ± standard deviation over the seeds, the mean alone for one."""
    if not values:
        return ""
    mean, sd = mean_and_sd([100 * v for v in values])
    return format(mean, form) + (f" ± {sd:.1f}" if len(values) > 1 else "")


def origins_table(runs: Sequence[Training]) -> Table:
    """Where runs come from: commit, machine, versions, with the number of runs; runs without run.json are counted."""
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


# ---- sample episodes -----------------------------------------------------------------------------------------------

MAX_SAMPLED_STEPS = 12
"""Steps whose sample episodes are on a page; of more, evenly chosen ones, the first and the last among them."""


def samples_section(folder: Path) -> str:
    """The sample episodes that a run has kept in samples.jsonl of its folder; nothing where it kept none.

    A line that a killed run left short is passed over.
    """
    path = folder / "samples.jsonl"
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    records = [json.loads(line) for line in lines if line.endswith(b"\n")]
    if not records:
        return ""
    steps = list(dict.fromkeys(int(r["step"]) for r in records))
    most = min(MAX_SAMPLED_STEPS, len(steps))
    shown = {steps[i * (len(steps) - 1) // max(1, most - 1)] for i in range(most)}
    groups: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for record in records:
        if record["step"] in shown:
            groups.setdefault((record["step"], record["group"]), []).append(record)
    left = f" ({len(shown)} of {len(steps)} sampled steps are on this page; samples.jsonl has all)"
    return (
        f"<h2>Sample episodes{left * (len(shown) < len(steps))}</h2>"
        '<p class="sub">All rollouts of one task side by side. Their returns are compared with each other: what a turn'
        " is learned from is its advantage. Tasks whose rollouts differ are shown first, so the share that is solved"
        " here is not that of the run.</p>" + "\n".join(_sampled_group(group) for group in groups.values())
    )


def _sampled_group(group: Sequence[Mapping[str, Any]]) -> str:
    """The rollouts of one task, one below the other, behind a line that says how they ended."""
    first = group[0]
    task = first["turns"][0]["observation"] if first["turns"] else first["error"]
    solved = sum(bool(r["solved"]) for r in group)
    return (
        f'<details><summary><span class="badge">step {first["step"]}</span>'
        f"<b>{html.escape(html.short_id(first['env']))}</b>"
        f'<span class="head">{html.escape(task[:200])}</span>'
        f'<span class="facts">{solved} of {len(group)} solved</span></summary>'
        f'<div class="talk">{"".join(map(_sampled, group))}</div></details>'
    )


def _sampled(r: Mapping[str, Any]) -> str:
    """A rollout, turn by turn, with what each was paid and what it was learned from."""
    state = "error" if r["status"] == "error" else "solved" if r["solved"] else "failed"
    colour = {"solved": "good"}.get(state, "bad")
    tokens = sum(len(turn["tokens"]) for turn in r["turns"])
    facts = [f"return {r['return']:.3g}", f"{len(r['turns'])} turns", f"{tokens} sampled tokens", f"seed {r['seed']}"]
    facts += ["truncated"] * bool(r["truncated"]) + ["not trained on"] * (not r["kept"])
    facts += ["not the policy's own"] * bool(r["external"])
    parts = []
    for number, turn in enumerate(r["turns"], 1):
        badges = [f'<span class="badge {"good" if turn["reward"] > 0 else ""}">reward {turn["reward"]:g}</span>']
        if turn["advantage"] is not None:
            badges.append(f'<span class="badge">advantage {turn["advantage"]:+.2f}</span>')
        badges += ['<span class="badge warn">invalid</span>'] * bool(turn["invalid"])
        parts.append(html.message("environment", turn["observation"]))
        parts.append(html.message(f"model, turn {number}", turn["action"], "".join(badges), "agent"))
    last = r["final_observation"]
    parts += [html.message("environment", last)] * bool(last)
    parts += [html.message("error: this rollout is not counted", r["error"])] * bool(r["error"])
    return (
        f'<details><summary><span class="badge {colour}">{state}</span>'
        f'<span class="head">rollout {r["rollout"] + 1}</span>'
        f'<span class="facts">{html.escape(" · ".join(facts))}</span></summary>'
        f'<div class="talk">{"".join(parts)}</div></details>'
    )
