"""An evaluation as the results file of lm-evaluation-harness, for tools that read those."""

import datetime
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnwise.core.episode import read_episodes
from turnwise.core.files import replace_file
from turnwise.core.metrics import Interval, Scores
from turnwise.evaluation.compare import Run, read_run
from turnwise.evaluation.headline import Part

__all__ = ["lm_eval_results", "write_lm_eval_results"]

METRICS = {"solved": True, "chance_corrected": True, "episode_return": True}
"""The metrics of a task, and whether higher is better; `pass@k`, `pass^k` and others stand beside them."""
FILTER = "none"  # lm-eval's name for answers that no filter has changed
Z = 1.959963984540054


def write_lm_eval_results(run: Path, out: Path) -> Path:
    """Write ``<out>/<agent>/results_<time>.json``, where lm-evaluation-harness would write it.

    Args:
        run: Folder of a finished ``turnwise eval``.
        out: What lm-evaluation-harness calls ``--output_path``.

    Raises:
        SettingsError: The folder has no finished evaluation.
    """
    found = read_run(run)
    changed = datetime.datetime.fromtimestamp((run / "episodes.jsonl").stat().st_mtime, datetime.UTC)
    folder = out / _sanitized(found.agent)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"results_{changed.strftime('%Y-%m-%dT%H-%M-%S.%f')}.json"
    replace_file(path, [json.dumps(lm_eval_results(found, changed.timestamp()), indent=2).encode() + b"\n"])
    return path


def lm_eval_results(run: Run, date: float) -> dict[str, Any]:
    """The content of the file: tasks are environments at a level, groups the domains of a suite.

    Args:
        run: The evaluation.
        date: When it ended, in seconds since 1970.
    """
    scores = run.summary.environments
    tasks = {env: _task(env) for env in scores}
    found: dict[str, Any] = {
        "results": {tasks[env]: _figures(tasks[env], part) for env, part in scores.items()},
        "group_subtasks": {task: [] for task in tasks.values()},
        "configs": {tasks[env]: _config(tasks[env], env, run) for env in scores},
        "versions": {task: _version(env) for env, task in tasks.items()},
        "n-shot": dict.fromkeys(tasks.values(), 0),
        "higher_is_better": {task: dict(METRICS) for task in tasks.values()},
        "n-samples": {
            tasks[env]: {"original": part.num_episodes + part.num_errors, "effective": part.num_episodes}
            for env, part in scores.items()
        },
        "config": _run_config(run),
        "git_hash": None,
        "date": date,
        **_model(run.agent),
        "task_hashes": {},
        "total_evaluation_time_seconds": str(_seconds(run.folder)),
    }
    return found | _groups(run, tasks, found)


def _groups(run: Run, tasks: Mapping[str, str], found: Mapping[str, Any]) -> dict[str, Any]:
    """The domains of a suite as groups of its tasks, and the suite as the group of all domains."""
    suite = run.summary.suite
    if suite is None or run.config.suite is None:
        return {}
    name = str(suite.about["name"])
    order = [domain for domain, _ in suite.about["parts"]]
    members = {domain: [c["spec"] for c in run.config.suite["cells"] if c["domain"] == domain] for domain in order}
    domains = {f"{name}_{_sanitized(domain)}": domain for domain in order}
    parts: dict[str, Part] = {name: suite.headline, **{task: suite.domains[d] for task, d in domains.items()}}
    groups = {task: _group_figures(task, part) for task, part in parts.items()}
    subtasks = {name: list(domains), **{task: [tasks[spec] for spec in members[d]] for task, d in domains.items()}}
    return {
        "results": {**groups, **found["results"]},
        "groups": groups,
        "group_subtasks": {**subtasks, **found["group_subtasks"]},
        "versions": {**dict.fromkeys(groups, str(suite.about["hash"])), **found["versions"]},
        "n-shot": {**dict.fromkeys(groups, 0), **found["n-shot"]},
        "higher_is_better": {**{task: {"score": True, **METRICS} for task in groups}, **found["higher_is_better"]},
    }


def _group_figures(task: str, part: Part) -> dict[str, Any]:
    found = _figures(task, part.scores)
    if part.score is not None:
        found[f"score,{FILTER}"] = part.score
        found[f"score_stderr,{FILTER}"] = _stderr(part.ci95)
    return found


def _figures(task: str, part: Scores) -> dict[str, Any]:
    """The metrics of a task; ``N/A`` is what lm-eval itself writes where a standard error is not known."""
    values: dict[str, float | None] = {
        "solved": part.solve_rate,
        "chance_corrected": part.chance_corrected,
        "episode_return": part.mean_return,
    }
    for kind, by_k in (("pass@", part.pass_at_k), ("pass^", part.pass_hat_k)):
        values |= {f"{kind}{k}": value for k, value in (by_k or {}).items() if k > 1}
    found: dict[str, Any] = {"alias": task}
    for name, value in values.items():
        if value is not None:
            found[f"{name},{FILTER}"] = value
            found[f"{name}_stderr,{FILTER}"] = _stderr(part.ci95) if name == "solved" else "N/A"
    return found


def _stderr(ci95: Interval | None) -> float | str:
    """The standard error that a normal interval of the same width has."""
    return "N/A" if ci95 is None else (ci95[1] - ci95[0]) / (2 * Z)


def _config(task: str, env: str, run: Run) -> dict[str, Any]:
    return {
        "task": task,
        "dataset_path": env,
        "dataset_kwargs": {"settings": run.config.settings_of(env), "seed": run.config.seed},
        "output_type": "generate_until",
        "repeats": run.config.num_samples,
        "num_fewshot": 0,
        "metric_list": [
            {"metric": name, "aggregation": "mean", "higher_is_better": up} for name, up in METRICS.items()
        ],
        "metadata": {"version": _version(env), "turnwise": run.versions.get("turnwise")},
    }


def _run_config(run: Run) -> dict[str, Any]:
    return {
        "model": "turnwise",
        "model_args": {"agent": run.config.agent, **run.config.agent_options},
        "batch_size": None,
        "limit": None,
        "gen_kwargs": None,
        "random_seed": run.config.seed,
    }


def _model(agent: str) -> dict[str, Any]:
    return {"model_source": "turnwise", "model_name": agent, "model_name_sanitized": _sanitized(agent)}


def _task(env: str) -> str:
    """A task's name: the environment with what was set."""
    return _sanitized(env.rpartition("/")[2] if "/" in env.partition(":")[0] else env)


def _version(env: str) -> str:
    """The environment's version: the number at the end of its id."""
    found = re.search(r"-v(\d+)", env)
    return found[1] if found else "0"


def _sanitized(name: str) -> str:
    """A name for a folder or a task, made as lm-eval makes those of models."""
    return re.sub(r"[\"<>:/\|\\?\*\[\]\x00-\x1f, ]+", "__", name).strip("._") or "agent"


def _seconds(run: Path) -> float:
    """Seconds of the endpoint, over all episodes; 0 for other agents."""
    turns = (turn for episode in read_episodes(run / "episodes.jsonl") for turn in episode.turns)
    return float(sum((turn.served or {}).get("latency_s") or 0.0 for turn in turns))
