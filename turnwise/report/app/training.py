"""A training run in the app: figures, curves with intervals, where the seconds went, and sample episodes by step.

The run's files are read as they grow. Everything but the sample episodes is one small piece of data; those are a piece
per step. Of very long runs a curve is drawn from the means of equal numbers of steps.
"""

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.core.metrics import Z95, wilson
from turnwise.report.app.sources import no_answer, packed
from turnwise.report.app.training_samples import Samples, groups_of, readable, story
from turnwise.report.html import visible
from turnwise.report.training import (
    Training,
    by_environment,
    read_training,
    setting_key,
    stages,
    task_key,
    task_of,
    trained_on,
)

__all__ = ["TrainingSource", "curves_of", "moving_mean"]

MAX_POINTS = 1000
"""Points of a curve; of more steps the means of equal numbers are drawn."""
SHARE = 15
"""A moving mean is over this part of the steps, on either side."""
_TITLES = {
    "reward": "mean return", "entropy": "entropy, nats per token", "kl": "KL to the sampling policy",
    "kl_ref": "KL to the initial model", "clip_fraction": "clipped tokens, share", "grad_norm": "gradient norm",
    "loss": "loss", "spread": "groups with unequal returns, share", "turns": "turns per rollout",
    "tokens": "sampled tokens per rollout", "truncated": "truncated rollouts, share", "cut": "cut turns, share",
    "logp_gap": "largest sampler-trainer gap of a log-probability", "errors": "failed rollouts",
    "groups": "groups played", "lr": "learning rate", "external_loss": "loss of the guidance's rows",
}  # fmt: skip
_FACTS = ("model", "credit", "loss", "curriculum", "optimizer", "lr", "groups_per_step", "group_size", "seed")


class TrainingSource:
    """A training run's folder, read as it grows.

    Args:
        folder: The folder.
    """

    kind = "training"

    def __init__(self, folder: Path) -> None:
        self.folder, self.run = folder, read_training(folder)
        self._state: Any = None
        self._version = 0
        self._samples = Samples(folder / "samples.jsonl")
        self._blobs: dict[str, bytes] = {}
        self._groups: dict[str, list[dict[str, Any]]] = {}
        self._about: dict[str, Any] = {}
        self.refresh()

    def refresh(self) -> bool:
        """Read the files again if they have changed; True if they had.

        Raises:
            SettingsError: A line is damaged.
        """
        names = ("config.json", "metrics.jsonl", "timings.jsonl", "samples.jsonl", "run.json")
        state = [_state(self.folder / name) for name in names]
        if state == self._state:
            return False
        try:
            self.run = read_training(self.folder)
            self._samples.refresh()
            self._version += 1
            self._make()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SettingsError(f"{self.folder} cannot be read: {error!r}") from error
        self._state = state
        return True

    def about(self) -> Mapping[str, Any]:
        """The run's entry in the manifest."""
        return self._about

    def blobs(self) -> Mapping[str, bytes]:
        """The run's data, and the sample episodes of each step."""
        return self._blobs

    def extras(self) -> Mapping[str, bytes]:
        """Nothing takes more effort than the rest."""
        return {}

    def answer(self, what: str, arguments: Mapping[str, Any]) -> Any:
        """There are no questions about a training run."""
        raise no_answer(what)

    def _make(self) -> None:
        """Make the data again; what is known of a step's samples stays until there are more of them."""
        by_step, generation = self._samples.by_step, self._samples.generation
        names = {step: f"samples{step}-{len(lines)}-{generation}" for step, lines in by_step.items()}
        kept = {name: self._blobs[name] for name in names.values() if name in self._blobs}
        new = {name: by_step[step] for step, name in names.items() if name not in kept}
        self._blobs = kept | {name: packed([readable(json.loads(line)) for line in new[name]]) for name in new}
        known = {name: self._groups[name] for name in kept}
        self._groups = known | {name: groups_of(lines) for name, lines in new.items()}
        samples = [{"step": step, "data": names[step], "groups": self._groups[names[step]]} for step in sorted(names)]
        data, told = f"run{self._version}", f"story{self._version}"
        self._blobs[data] = packed(curves_of(self.run) | {"samples": samples})
        records = self._story(samples)
        if records:
            self._blobs[told] = packed([readable(record) for record in records])
        self._about = _entry(self.run) | {"data": data, "story": told if records else None}

    def _story(self, samples: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The same test task in the first and the last evaluation, if there are two."""
        tested = [part["step"] for part in samples if any(group["split"] == "test" for group in part["groups"])]
        if len(tested) < 2:
            return []
        return story(*([json.loads(line) for line in self._samples.by_step[step]] for step in (tested[0], tested[-1])))


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _entry(run: Training) -> dict[str, Any]:
    """The figures that lists of runs need."""
    config = run.config
    done = int(run.steps[-1]["step"]) if run.steps else 0
    seconds = sum(r.get("collect_s", 0.0) + r.get("update_s", 0.0) for r in run.timings)
    tests = [_test(record, config) for record in run.tests]
    return {
        "name": visible(f"{trained_on(config) or 'training'} · {run.folder.resolve().name}", 200),
        "folder": visible(str(run.folder), 500),
        "task": visible(task_of(config), 300),
        "task_key": task_key(config),
        "setting_key": setting_key(config),
        "control": bool(config.get("shuffle_rewards")),
        "facts": {name: visible(str(config[name]), 100) for name in _FACTS if config.get(name) not in (None, "", {})},
        "seed": config.get("seed"),
        "steps": done,
        "planned": config.get("steps"),
        "seconds": seconds,
        "tokens_per_s": _mean([r["tokens_per_s"] for r in run.timings if "tokens_per_s" in r]),
        "memory_gb": max((r["memory_gb"] for r in run.timings if "memory_gb" in r), default=None),
        "gpu_memory_gb": max((r["gpu_memory_gb"] for r in run.timings if "gpu_memory_gb" in r), default=None),
        "errors": sum(r.get("errors", 0.0) for r in run.steps),
        "tests": [[r["step"], *r["sampled"], *r["greedy"]] for r in tests],
    }


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _test(record: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """An evaluation: the rate, and both ends of its interval, sampled and greedy, and the other figures."""
    tasks = int(config.get("eval_tasks", 0)) * max(1, sum(key.startswith("sampled_solved/") for key in record))
    found: dict[str, Any] = {"step": record["step"]}
    for kind in ("sampled", "greedy"):
        rate, played = _finite(record.get(f"{kind}_solved")), tasks - int(record.get(f"{kind}_errors", 0))
        known = rate is not None and played > 0
        found[kind] = [rate, *(wilson(min(played, (rate or 0.0) * played), played) if known else (None, None))]
        for figure in ("return", "turns", "tokens", "errors"):
            found[f"{kind}_{figure}"] = _finite(record.get(f"{kind}_{figure}"))
    return found


def curves_of(run: Training) -> dict[str, Any]:
    """The whole run but for its sample episodes, as plain JSON values."""
    of_arm = int(run.config.get("eval_tasks", 0))
    known = {key for record in run.timings for key in record}
    arms: dict[str, list[Any]] = {}
    for name, record in by_environment(run.tests):
        step, _, label = name.partition(": ")
        if label:
            arms.setdefault(visible(label, 200), []).append(
                _test({**record, "step": int(step)}, {"eval_tasks": of_arm})
            )
    return {
        "tests": [_test(record, run.config) for record in run.tests],
        "arms": arms,
        "solved": _curve(run.steps, "solved"),
        "charts": list(_charts(run)),
        "seconds": stages(run),
        "speed": [
            {
                "title": title,
                "series": [{"name": name, **_curve(run.timings, key)} for key, name in series if key in known],
            }
            for title, series in _SPEED.items()
            if any(key in known for key, _ in series)
        ],
        "config": visible(json.dumps(run.config, indent=2), 200_000),
        "origin": visible(json.dumps(run.origin, indent=2), 200_000) if run.origin else "",
    }


_SPEED = {
    "seconds of a step": (("collect_s", "collect"), ("update_s", "update")),
    "sampled tokens per second": (("tokens_per_s", ""),),
    "memory, GB": (("memory_gb", "process"), ("gpu_memory_gb", "GPU")),
}
_OWN_CHART = ("kind", "step", "solved")


def _charts(run: Training) -> Iterator[dict[str, Any]]:
    """A chart for every metric that is not always the same; those that differ after their last "/" share one."""
    names = list(dict.fromkeys(name for record in run.steps for name in record))
    names = [name for name in names if name not in _OWN_CHART and _varies(_values(run.steps, name))]
    order = {name: i for i, name in enumerate(_TITLES)}
    names.sort(key=lambda name: order.get(name, len(order)))  # stable: the others in the order of the file
    heads = [name.rpartition("/")[0] for name in names]
    for head, members in itertools.groupby(sorted(zip(heads, names, strict=True), key=lambda m: m[0]), lambda m: m[0]):
        own = [name for _, name in members]
        if head:
            series = [{"name": visible(name.rpartition("/")[2], 100), **_curve(run.steps, name)} for name in own]
            yield {"title": visible(head.replace("/", " "), 100), "series": series}
        else:
            for name in own:
                yield {
                    "title": _TITLES.get(name, visible(name, 100)),
                    "series": [{"name": "", **_curve(run.steps, name)}],
                }


def _varies(points: Sequence[tuple[float, float]]) -> bool:
    values = {y for _, y in points}
    return len(values) > 1 or (len(points) == 1 and values != {0.0})


def _finite(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


def _values(records: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    """(step, value) of every finite value."""
    return [(float(r["step"]), float(r[name])) for r in records if _finite(r.get(name)) is not None]


def _curve(records: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """The points of a metric, and its moving mean with the interval of that mean where there are many."""
    points = _values(records, name)
    if len(points) > MAX_POINTS:
        size = -(-len(points) // MAX_POINTS)
        parts = [points[i : i + size] for i in range(0, len(points), size)]
        points = [(_mean_of(part, 0), _mean_of(part, 1)) for part in parts]
    rounded = [[_short(x), _short(y)] for x, y in points]
    return {"points": rounded, "band": moving_mean(points) if len(points) >= 2 * SHARE else []}


def moving_mean(points: Sequence[tuple[float, float]]) -> list[list[float]]:
    """Return [x, mean, low, high] of centred windows: the 95 % interval of the mean, steps taken as independent."""
    reach = max(2, len(points) // (2 * SHARE))
    found = []
    for i, (x, _) in enumerate(points):
        near = [y for _, y in points[max(0, i - reach) : i + reach + 1]]
        mean = math.fsum(near) / len(near)
        spread = math.sqrt(math.fsum((y - mean) ** 2 for y in near) / (len(near) - 1) / len(near))
        found.append([_short(v) for v in (x, mean, mean - Z95 * spread, mean + Z95 * spread)])
    return found


def _mean_of(part: Sequence[tuple[float, float]], place: int) -> float:
    return math.fsum(point[place] for point in part) / len(part)


def _short(value: float) -> float:
    return float(f"{value:.6g}")
