"""The log of a run: what it prints, and the files that it writes.

metrics.jsonl and samples.jsonl are the same bytes for the same run; timings.jsonl holds what depends on the clock.
Every line is printed whole, without colours or bars, so that the log of a job reads like a terminal.
"""

import json
import os
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from turnwise.baselines.methods.curricula.base import Arm
from turnwise.baselines.methods.sampling.select import has_spread
from turnwise.baselines.trainer.batch import TaskRows, count
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.rollouts import Group
from turnwise.baselines.trainer.run.samples import readable
from turnwise.baselines.trainer.run.stopwatch import Stopwatch, memory
from turnwise.core.durations import duration
from turnwise.core.errors import MissingDependencyError

__all__ = ["Logger", "Silence", "describe", "draw_curve", "read_metrics", "scores", "timings", "write_report"]

Metrics = Mapping[str, float]
FLAT = 10
"""Steps in a row without a difference of returns after which a run is warned; again after as many more."""
RECENT = 20
"""Steps over which the time of a step is averaged."""
WARM_LINES = 5
"""Lines of progress during the warm start."""


class Logger:
    """Writes a line per step and per evaluation, keeps sample episodes, and passes the figures to the trackers.

    Args:
        folder: the folder of the run.
        cfg: its settings.
        step: the checkpoint to continue from, -1 for none; lines of later steps, left by a killed run, are removed.
        quiet: print nothing.
    """

    def __init__(self, folder: Path, cfg: TrainConfig, *, step: int = -1, quiet: bool = False) -> None:
        self.folder, self.cfg, self.quiet = folder, cfg, quiet
        for name in ("metrics.jsonl", "timings.jsonl", "samples.jsonl"):
            if (folder / name).exists() or name != "samples.jsonl" or cfg.run.sample_every:
                _keep_until(folder / name, step)
        self._resumed = max(step, 0)
        self._seconds: deque[float] = deque(maxlen=RECENT)  # of the last steps
        self._flat = _flat_steps(read_metrics(folder, "train"))
        self._board: Any = None
        self._wandb: Any = None
        if "tensorboard" in cfg.run.trackers:
            self._board = _tensorboard(folder, step)
        if "wandb" in cfg.run.trackers:
            self._wandb = _wandb(folder, cfg)

    def header(self, num_parameters: int, device: str, max_turns: int) -> None:
        """Print the plan: what runs, where, how much of it, and where the results go."""
        cfg = self.cfg
        settings = {**cfg.env.settings, "max_turns": max_turns}
        tasks, size = cfg.rollout.groups_per_step, cfg.rollout.group_size
        rollouts = tasks * size
        early = f"; ends once {cfg.run.stop_at:.0%} of those of {cfg.run.stop_window} steps are solved" * bool(
            cfg.run.stop_at
        )
        begun = f", after {self._resumed} of them" * bool(self._resumed)
        self.say(
            f"environment {cfg.env.id} ({', '.join(f'{k}={v}' for k, v in settings.items())})\n"
            f"model {cfg.model.name}: {num_parameters:,} parameters, {cfg.model.dtype}, on {device}\n"
            f"{cfg.run.steps} steps{begun}, each of {tasks} tasks x {size} rollouts = {rollouts:,}"
            f" rollouts, at most {rollouts * max_turns * cfg.rollout.max_new_tokens:,} sampled tokens{early}\n"
            f"credit {cfg.credit.METHOD}, loss {cfg.loss.objective.METHOD}, {cfg.optim.name} at {cfg.optim.lr:g},"
            f" seed {cfg.run.seed}\n"
            f"results in {self.folder}"
        )

    def warming(self, step: int, loss: float, seconds: float) -> None:
        """Report that ``step`` updates of the warm start took ``seconds``; only some of these calls print a line."""
        steps = self.cfg.warm_start.steps
        if step % max(1, steps // WARM_LINES) == 0 and step < steps:
            left = (steps - step) * seconds / step
            self.say(f"warm start {step}/{steps}  loss {loss:.3f}  {seconds / step:.2f} s/step  ETA {duration(left)}")

    def step(self, step: int, metrics: Metrics, timings: Metrics) -> None:
        """Log one training step; ``step`` counts from 1."""
        self._write("metrics.jsonl", {"kind": "train", "step": step, **metrics})
        self._write("timings.jsonl", {"kind": "train", "step": step, **timings})
        self._track(step, {f"train/{k}": v for k, v in metrics.items()})
        self._track(step, {f"time/{k}": v for k, v in timings.items()})
        m = metrics
        self._seconds.append(timings["collect_s"] + timings["update_s"])
        pace = sum(self._seconds) / len(self._seconds)
        steps = self.cfg.run.steps
        self.say(
            f"step {step:4d}/{steps}  reward {m['reward']:.3f}  solved {m['solved']:.3f}"
            f"  entropy {m['entropy']:.3f}  clip {m['clip_fraction']:.3f}  kl {m['kl']:.1e}"
            f"  gap {m['logp_gap']:.1e}  turns {m['turns']:.1f}  tokens {m['tokens']:.1f}"
            f"  {timings['tokens_per_s']:.0f} tok/s  {pace:.2f} s/step  ETA {duration(pace * (steps - step))}"
        )
        self._flat = self._flat + 1 if m.get("spread") == 0 else 0
        if (
            self._flat
            and self._flat % FLAT == 0
            and self.cfg.reward.source.METHOD == "environment"
            and not self.cfg.reward.shaping
        ):
            self.say(self._warning(m["reward"]))

    def samples(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Save sample episodes (samples.py), if there are any, and print one of those of the training step."""
        for record in records:
            self._write("samples.jsonl", record)
        for line in readable([record for record in records if record["split"] == "train"]):
            self.say(line)

    def evaluation(self, step: int, metrics: Metrics, seconds: float | None = None) -> None:
        """Log an evaluation after ``step`` training steps."""
        self._write("metrics.jsonl", {"kind": "eval", "step": step, **metrics})
        if seconds is not None:
            self._write("timings.jsonl", {"kind": "eval", "step": step, "seconds": seconds})
        self._track(step, {f"eval/{k}": v for k, v in metrics.items()})
        self.say(
            f"eval {step:4d}/{self.cfg.run.steps}  test solve rate: sampled {metrics['sampled_solved']:.3f}"
            f"  greedy {metrics['greedy_solved']:.3f}"
        )
        for key in metrics:
            kind, _, label = key.partition("/")
            if label and kind == "sampled_solved":
                greedy = metrics.get(f"greedy_solved/{label}", float("nan"))
                self.say(f"{'':15}{label}: sampled {metrics[key]:.3f}  greedy {greedy:.3f}")

    def saved(self, step: int, seconds: float) -> None:
        """Log how long a checkpoint took."""
        self._write("timings.jsonl", {"kind": "save", "step": step, "seconds": seconds})

    def warm_start(self, losses: Sequence[float], seconds: float) -> None:
        """Log the behaviour cloning before the first step."""
        self._write("metrics.jsonl", {"kind": "warm", "step": 0, "first": losses[0], "last": losses[-1]})
        self._write("timings.jsonl", {"kind": "warm", "step": 0, "seconds": seconds})
        self.say(f"warm start: {len(losses)} steps, loss {losses[0]:.3f} to {losses[-1]:.3f}, {seconds:.1f} s")

    def say(self, line: str) -> None:
        """Print a line; characters that the encoding cannot write are escaped, since it may hold a model's text."""
        if not self.quiet:
            encoding = sys.stdout.encoding or "utf-8"
            sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
            sys.stdout.flush()

    def close(self) -> None:
        """Close the trackers."""
        if self._board is not None:
            self._board.close()
        if self._wandb is not None:
            self._wandb.finish()

    def _warning(self, reward: float) -> str:
        """Return advice for a run that learns nothing, by whether all rollouts fail or all succeed."""
        advice = (
            "an easier task (--env-settings difficulty=..., a curriculum), a warmer start (--warm-steps, --warm-skill),"
            " hints (--guidance hints), a reward for partial success, or larger groups (--group-size)"
        )
        if reward > 0.5:
            advice = "a harder task (--env-settings difficulty=..., a curriculum), or end the run: it is solved"
        return (
            f"WARNING: for {self._flat} steps the rollouts of every task had equal returns (mean {reward:.3f}), so all"
            f" advantages are zero and nothing is learned. Try {advice}."
        )

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
    """The logger of ranks other than the first, which write nothing, since it would be the same."""

    def header(self, num_parameters: int, device: str, max_turns: int) -> None:
        """Do nothing."""

    def warming(self, step: int, loss: float, seconds: float) -> None:
        """Do nothing."""

    def samples(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Do nothing."""

    def step(self, step: int, metrics: Metrics, timings: Metrics) -> None:
        """Do nothing."""

    def evaluation(self, step: int, metrics: Metrics, seconds: float | None = None) -> None:
        """Do nothing."""

    def saved(self, step: int, seconds: float) -> None:
        """Do nothing."""

    def warm_start(self, losses: Sequence[float], seconds: float) -> None:
        """Do nothing."""

    def say(self, line: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def describe(groups: list[Group]) -> dict[str, float]:
    """Return means over the valid rollouts of some groups."""
    runs = [t for g in groups for t in g.rollouts]
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


def scores(played: Sequence[Group], targets: Sequence[Arm], games: bool = False) -> dict[str, float]:
    """Return the figures of an evaluation, and where it has several targets, of each: ``solved/LABEL``.

    Args:
        played: What was played.
        targets: What was to be played, by the number of the arm.
        games: There are draws and losses: also return the share of games that were not lost.
    """
    keys = {"solved": "solved", "turns": "turns", "tokens": "tokens", "errors": "errors", "return": "reward"}
    whole = _scored(played, games)
    found = {key: whole[name] for key, name in keys.items()} | ({"unbeaten": whole["unbeaten"]} if games else {})
    for k, target in enumerate(targets if len(targets) > 1 else ()):
        groups = [group for group in played if group.task.arm == k and group.valid]
        if groups:  # otherwise its environment failed in every episode
            own = _scored(groups, games)
            names = ("solved", "turns", "return", *(("unbeaten",) if games else ()))
            found |= {f"{key}/{target.label}": own[keys.get(key, key)] for key in names}
    return found


def _scored(played: Sequence[Group], games: bool) -> dict[str, float]:
    found = describe(list(played))
    if games:
        found["unbeaten"] = float(np.mean([t.total >= 0 for group in played for t in group.valid]))
    return found


def timings(played: list[Group], rows: list[TaskRows], watch: Stopwatch, sampling: float | None) -> dict[str, float]:
    """Return the seconds of a step and of its stages, the sampled tokens per second over all of it, and the memory.

    Args:
        played: the rollouts of the step.
        rows: what was trained on.
        watch: the laps of the stages; ``play`` and ``choose`` make up the collecting, the rest the update.
        sampling: the seconds of ``play`` that were spent with the model, if known; in the others environments answered.
    """
    tokens, seconds = sum(t.num_tokens for g in played for t in g.rollouts), watch.seconds
    collected = watch.laps["play"] + watch.laps["choose"]
    return {
        "collect_s": collected,
        "update_s": seconds - collected,
        "tokens_per_s": tokens / seconds,
        "trained_tokens": float(sum(count(task.own) + count(task.external) for task in rows)),
        **({} if sampling is None else {"sampling_s": sampling}),
        **{f"{name}_s": lap for name, lap in watch.laps.items()},
        **memory(),
    }


def read_metrics(folder: Path, kind: str) -> list[dict[str, Any]]:
    """Read the records of one kind ("train", "eval", "warm") in metrics.jsonl."""
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [r for r in map(json.loads, lines) if r["kind"] == kind]


def draw_curve(folder: Path) -> None:
    """Draw curve.png: solve rate in training and on the test split; entropy, clip fraction and turns below."""
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
    """Write report.md: what was run, and its results."""
    train, tests = read_metrics(folder, "train"), read_metrics(folder, "eval")
    steps = (
        f"{train[-1]['step']} of {cfg.run.steps}" if train and train[-1]["step"] < cfg.run.steps else str(cfg.run.steps)
    )
    lines = [
        f"# {cfg.env.id}", "",
        f"{steps} steps x {cfg.rollout.groups_per_step} tasks x {cfg.rollout.group_size} rollouts,"
        f" model {cfg.model.name},"
        f" credit {cfg.credit.METHOD}, optimiser {cfg.optim.name}, seed {cfg.run.seed}. All settings: config.json.", "",
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


def _flat_steps(records: Sequence[Mapping[str, Any]]) -> int:
    """Count the last steps in a row in which no group's returns differed."""
    found = 0
    for record in reversed(records):
        if record.get("spread") != 0:
            break
        found += 1
    return found


def _keep_until(path: Path, step: int) -> None:
    """Cut off the records of steps after ``step`` and a line that a kill left incomplete; safe against kills itself."""
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
    return wandb.init(project="turnwise", dir=str(folder), config=cfg.flat())
