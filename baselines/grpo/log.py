"""What a run leaves behind: metrics.jsonl (the same bytes for the same run), timings.jsonl, curve.png, report.md."""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from turnwise.baselines.grpo.batch import Row, count
from turnwise.baselines.grpo.collect import Group
from turnwise.baselines.grpo.config import TrainConfig
from turnwise.baselines.sampling.select import has_spread
from turnwise.errors import MissingDependencyError

__all__ = ["Logger", "Silence", "describe", "draw_curve", "read_metrics", "timings", "write_report"]

Metrics = Mapping[str, float]


class Logger:
    """Writes a line per step and per evaluation, and tells the trackers.

    Args:
        folder: of the run.
        cfg: its settings.
        step: the checkpoint it goes on from, -1 for none; lines of later steps, left by a killed run, go.
        quiet: print nothing.
    """

    def __init__(self, folder: Path, cfg: TrainConfig, *, step: int = -1, quiet: bool = False) -> None:
        self.folder, self.cfg, self.quiet = folder, cfg, quiet
        for name in ("metrics.jsonl", "timings.jsonl"):
            _keep_until(folder / name, step)
        self._board: Any = None
        self._wandb: Any = None
        if "tensorboard" in cfg.trackers:
            self._board = _tensorboard(folder, step)
        if "wandb" in cfg.trackers:
            self._wandb = _wandb(folder, cfg)

    def step(self, step: int, metrics: Metrics, timings: Metrics) -> None:
        """One training step, ``step`` counted from 1."""
        self._write("metrics.jsonl", {"kind": "train", "step": step, **metrics})
        self._write("timings.jsonl", {"kind": "train", "step": step, **timings})
        self._track(step, {f"train/{k}": v for k, v in metrics.items()})
        self._track(step, {f"time/{k}": v for k, v in timings.items()})
        m = metrics
        self.say(
            f"step {step:4d}/{self.cfg.steps}  reward {m['reward']:.3f}  solved {m['solved']:.3f}"
            f"  entropy {m['entropy']:.3f}  clip {m['clip_fraction']:.3f}  kl {m['kl']:.1e}"
            f"  gap {m['logp_gap']:.1e}  turns {m['turns']:.1f}  tokens {m['tokens']:.1f}"
            f"  {timings['tokens_per_s']:.0f} tok/s"
        )

    def evaluation(self, step: int, metrics: Metrics) -> None:
        """An evaluation after ``step`` training steps."""
        self._write("metrics.jsonl", {"kind": "eval", "step": step, **metrics})
        self._track(step, {f"eval/{k}": v for k, v in metrics.items()})
        self.say(
            f"eval {step:4d}/{self.cfg.steps}  test solve rate: sampled {metrics['sampled_solved']:.3f}"
            f"  greedy {metrics['greedy_solved']:.3f}"
        )
        for key in metrics:
            kind, _, label = key.partition("/")
            if label and kind == "sampled_solved":
                greedy = metrics.get(f"greedy_solved/{label}", float("nan"))
                self.say(f"{'':15}{label}: sampled {metrics[key]:.3f}  greedy {greedy:.3f}")

    def warm_start(self, losses: Sequence[float], seconds: float) -> None:
        """The behaviour cloning before the first step."""
        self._write("metrics.jsonl", {"kind": "warm", "step": 0, "first": losses[0], "last": losses[-1]})
        self._write("timings.jsonl", {"kind": "warm", "step": 0, "seconds": seconds})
        self.say(f"warm start: {len(losses)} steps, loss {losses[0]:.3f} to {losses[-1]:.3f}, {seconds:.1f} s")

    def say(self, line: str) -> None:
        """A line on standard output."""
        if not self.quiet:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def close(self) -> None:
        """Let go of the trackers."""
        if self._board is not None:
            self._board.close()
        if self._wandb is not None:
            self._wandb.finish()

    def _write(self, name: str, record: Mapping[str, Any]) -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def _track(self, step: int, values: Metrics) -> None:
        if self._board is not None:
            for key, value in values.items():
                self._board.add_scalar(key, value, step)
        if self._wandb is not None:
            self._wandb.log(dict(values), step=step)


class Silence:
    """The logger of ranks other than the first: what they would write is the same."""

    def step(self, step: int, metrics: Metrics, timings: Metrics) -> None:
        """Nothing."""

    def evaluation(self, step: int, metrics: Metrics) -> None:
        """Nothing."""

    def warm_start(self, losses: Sequence[float], seconds: float) -> None:
        """Nothing."""

    def say(self, line: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def describe(groups: list[Group]) -> dict[str, float]:
    """Means over the valid rollouts of some groups."""
    runs = [t for g in groups for t in g.trajectories]
    valid = [t for t in runs if t.valid]
    turns = [t.num_turns for t in valid]
    return {
        "reward": float(np.mean([t.total for t in valid])),
        "solved": float(np.mean([t.solved for t in valid])),
        "spread": float(np.mean([has_spread(g.returns) for g in groups])),
        "turns": float(np.mean(turns)),
        "tokens": float(np.mean([t.num_tokens for t in valid])),
        "cut": sum(t.cut_turns for t in valid) / max(1, sum(turns)),
        "truncated": float(np.mean([t.status in ("truncated", "no_room") for t in valid])),
        "errors": float(len(runs) - len(valid)),
        "groups": float(len(groups)),
    }


def timings(played: list[Group], rows: list[list[Row]], began: float, collected: float) -> dict[str, float]:
    """Seconds of the two halves of a step, and sampled tokens per second over both."""
    now = time.perf_counter()
    tokens = sum(t.num_tokens for g in played for t in g.trajectories)
    return {
        "collect_s": collected - began,
        "update_s": now - collected,
        "tokens_per_s": tokens / (now - began),
        "trained_tokens": float(sum(map(count, rows))),
    }


def read_metrics(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The records of one kind ("train", "eval", "warm") in metrics.jsonl."""
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [r for r in map(json.loads, lines) if r["kind"] == kind]


def draw_curve(folder: Path) -> None:
    """curve.png: solve rate in training and on the test split; entropy, clip fraction and turns below."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError.of("matplotlib", "train") from error
    train, tests = read_metrics(folder, "train"), read_metrics(folder, "eval")
    figure = Figure(figsize=(7, 6), layout="constrained")
    FigureCanvasAgg(figure)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    steps = [r["step"] for r in train]
    top.plot(steps, [r["solved"] for r in train], color="0.6", label="train, sampled")
    for name, marker in (("sampled", "o-"), ("greedy", "s--")):
        top.plot([r["step"] for r in tests], [r[f"{name}_solved"] for r in tests], marker, label=f"test, {name}")
    top.set(ylabel="solve rate", ylim=(0, 1.02))
    top.legend(loc="lower right")
    for name in ("entropy", "clip_fraction"):
        bottom.plot(steps, [r[name] for r in train], label=name.replace("_", " "))
    bottom.set(xlabel="step", ylim=(0, None))
    bottom.legend(loc="upper right")
    figure.savefig(folder / "curve.png", dpi=120)


def write_report(folder: Path, cfg: TrainConfig) -> None:
    """report.md: what was run and what came of it."""
    train, tests = read_metrics(folder, "train"), read_metrics(folder, "eval")
    lines = [
        f"# {cfg.env}", "",
        f"{cfg.steps} steps x {cfg.groups_per_step} tasks x {cfg.group_size} rollouts, model {cfg.model},"
        f" credit {cfg.credit}, optimiser {cfg.optimizer}, seed {cfg.seed}. All settings: config.json.", "",
        "| after step | test solve rate, sampled | greedy | mean return, sampled | turns |",
        "|---|---|---|---|---|",
    ]  # fmt: skip
    for r in tests:
        lines.append(
            f"| {r['step']} | {r['sampled_solved']:.3f} | {r['greedy_solved']:.3f}"
            f" | {r['sampled_return']:.3f} | {r['sampled_turns']:.2f} |"
        )
    if train:
        gap = max(r["logp_gap"] for r in train)
        errors = sum(r["errors"] for r in train)
        lines += ["", f"Largest difference of log-probability between sampler and trainer: {gap:.1e}.", ""]
        lines += [f"Rollouts left out because their environment failed: {errors:.0f}.", ""]
    lines += ["![learning curve](curve.png)", ""]
    (folder / "report.md").write_text("\n".join(lines), encoding="utf-8")


def _keep_until(path: Path, step: int) -> None:
    """Cut off the records of steps after ``step``, and a line that a kill left short; a kill in here does no harm."""
    path.touch()
    kept = 0
    for line in path.read_bytes().splitlines(keepends=True):
        if not line.endswith(b"\n") or json.loads(line)["step"] > step:
            break
        kept += len(line)
    os.truncate(path, kept)


def _tensorboard(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise MissingDependencyError.of("tensorboard", "train") from error
    return SummaryWriter(str(folder / "tensorboard"), purge_step=max(step, 0) + 1)


def _wandb(folder: Path, cfg: TrainConfig) -> Any:
    try:
        import wandb
    except ImportError as error:
        raise MissingDependencyError.of("wandb", "wandb") from error
    return wandb.init(project="turnwise", dir=str(folder), config=json.loads(cfg.to_json()))
