"""One-message environments as tasks of lm-evaluation-harness: a YAML file and rows for each, and what scores them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import turnwise
from turnwise.core.env import Split
from turnwise.core.errors import SettingsError
from turnwise.core.registration import make, parse_spec, split_settings
from turnwise.session.rows import rows
from turnwise.session.session import Session

__all__ = ["GROUP", "one_message", "write_lm_eval_tasks"]

GROUP = "turnwise"
UTILS = '''"""Written by `turnwise export lm-eval`: what the tasks beside it call."""

from pathlib import Path

from turnwise.adapters.lm_eval import dataset_in, process_results

__all__ = ["dataset", "process_results"]

dataset = dataset_in(Path(__file__).parent)
'''
FUNCTIONS = "custom_dataset: !function utils.dataset\nprocess_results: !function utils.process_results\n"
METRICS = {"episode_return": True, "solved": True, "failed": False}
"""The metrics, and whether higher is better."""
GENERATION = {"until": [], "max_gen_toks": 2048, "do_sample": False, "temperature": 0.0}


def one_message(spec: str) -> bool:
    """Return whether the first message ends every episode of an environment with these settings."""
    env_id, settings = parse_spec(spec)
    env: Any = make(env_id, **settings)
    try:
        return bool(env.unwrapped.max_turns == 1)
    finally:
        env.close()


def write_lm_eval_tasks(specs: Sequence[str], out: Path, num_tasks: int, split: Split = "test") -> list[Path]:
    """Write a task for each environment, and the group ``turnwise`` of all of them.

    Args:
        specs: Environments, each with settings behind a colon if need be.
        out: Folder for the files; made if it does not exist.
        num_tasks: Rows of each task.
        split: "test" or "train".

    Returns:
        The tasks' files, that of the group last.

    Raises:
        SettingsError: An environment takes several messages, or a number is out of range.
    """
    if num_tasks < 1:
        raise SettingsError(f"num_tasks is {num_tasks}; it must be at least 1")
    if not specs:
        raise SettingsError("none of these environments can be exported; lm-eval sends one message, and they take more")
    for spec in specs:
        if not one_message(spec):
            raise SettingsError(
                f"{spec} takes several messages, and lm-eval sends one; environments with max_turns=1 can be exported"
            )
    out.mkdir(parents=True, exist_ok=True)
    names = {_name(spec): spec for spec in specs}
    paths = []
    for name, spec in names.items():
        lines = [json.dumps(row) for row in _rows(spec, num_tasks, split)]
        (out / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        paths.append(out / f"{name}.yaml")
        paths[-1].write_text(_yaml(_task(name, spec, split)) + FUNCTIONS, encoding="utf-8")
    (out / "utils.py").write_text(UTILS, encoding="utf-8")
    paths.append(out / f"_{GROUP}.yaml")
    paths[-1].write_text(_yaml(_group(list(names))), encoding="utf-8")
    return paths


def _rows(spec: str, num_tasks: int, split: Split) -> Iterator[dict[str, Any]]:
    env_id, settings = parse_spec(spec)
    home = split_settings(spec)[0].rpartition(":")[0]
    home = str(Path(home).resolve()) if home.endswith(".py") else home
    for row in rows(env_id, num_tasks, split=split, settings=settings):
        with Session(env_id, json.loads(row["settings"])) as session:
            opening = session.start(row["seed"])
        env = f"{home}:{env_id}" if home else env_id
        yield {**row, "env": env, "prompt": opening.text, "task_id": opening.task_id}


def _name(spec: str) -> str:
    """The task's name: that of the environment, and of settings that were given."""
    env, settings = split_settings(spec)
    short = re.sub(r"-v\d+$", "", re.split(r"[:/]", env)[-1])
    words = re.sub(r"[^A-Za-z0-9.]+", "_", f"{short}_{settings}")
    return f"{GROUP}_{words.strip('_').lower()}"


def _task(name: str, spec: str, split: Split) -> Mapping[str, Any]:
    metrics = [{"metric": m, "aggregation": "mean", "higher_is_better": up} for m, up in METRICS.items()]
    return {
        "task": name,
        "dataset_kwargs": {"rows": f"{name}.jsonl"},
        "test_split": "rows",
        "output_type": "generate_until",
        "doc_to_text": "prompt",
        "doc_to_target": "task_id",  # lm-eval wants one; no answer is stored anywhere
        "generation_kwargs": GENERATION,
        "metric_list": metrics,
        "metadata": {"version": turnwise.__version__, "environment": spec, "split": split},
    }


def _group(names: Sequence[str]) -> Mapping[str, Any]:
    means = [{"metric": metric, "weight_by_size": False} for metric in METRICS]
    return {
        "group": GROUP,
        "task": list(names),
        "aggregate_metric_list": means,
        "metadata": {"version": turnwise.__version__},
    }


def _yaml(fields: Mapping[str, Any]) -> str:
    """YAML: values as JSON, which it reads, too."""
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
