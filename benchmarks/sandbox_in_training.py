"""Measure the share of a training step spent in the sandbox, and what the agent learns there.

    python benchmarks/sandbox_in_training.py [--seed 0] [--steps 200] [--warm-steps 300] [--shuffle-rewards]

Trains a tiny agent by the recipe `quickstart_code_output`: it looks for an input for which a program returns a given
value, and each input that it tries is run in the sandbox, in a process of its own. `EmbeddedSandbox.run` (or that of
the backend named by `TURNWISE_SANDBOX`) is timed from outside, on the clock; steps are timed by the trainer. Printed:
the test solve rate before and after, seconds of a step, of its rollouts, of its sandbox, and programs run.
"""

import argparse
import dataclasses
import json
import resource
import statistics
import time
from pathlib import Path
from typing import Any

from turnwise.baselines.recipes.quickstart import quickstart_code_output
from turnwise.baselines.trainer import train as trainer
from turnwise.sandbox import shared_sandbox


class Clock:
    """Counts the calls of a sandbox's ``run`` and the seconds in them."""

    def __init__(self, sandbox: Any) -> None:
        self.runs = 0
        self.seconds = 0.0
        inner = sandbox.run

        def run(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return inner(*args, **kwargs)
            finally:
                self.seconds += time.perf_counter() - started
                self.runs += 1

        sandbox.run = run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=quickstart_code_output().steps)
    parser.add_argument("--warm-steps", type=int, default=quickstart_code_output().warm_steps)
    parser.add_argument("--shuffle-rewards", action="store_true")
    parser.add_argument("--out", default="runs/sandbox_in_training")
    options = parser.parse_args()
    cfg = dataclasses.replace(
        quickstart_code_output(),
        seed=options.seed,
        steps=options.steps,
        warm_steps=options.warm_steps,
        shuffle_rewards=options.shuffle_rewards,
        save_every=0,
        out=options.out,
    )
    sandbox = shared_sandbox()
    print(f"sandbox {sandbox.name}: {', '.join(sorted(sandbox.layers))}")
    clock = Clock(sandbox)
    steps: list[tuple[float, int]] = []  # seconds in the sandbox and programs, of each step
    collect = trainer.collect

    def timed(run: Any) -> Any:
        before = clock.seconds, clock.runs
        found = collect(run)
        steps.append((clock.seconds - before[0], clock.runs - before[1]))
        return found

    trainer.collect = timed
    began = time.perf_counter()
    trainer.train(cfg)
    wall_s = time.perf_counter() - began
    report(Path(cfg.out), steps, clock, wall_s)


def report(folder: Path, steps: list[tuple[float, int]], clock: Clock, wall_s: float) -> None:
    def lines(name: str, kind: str) -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        return [row for row in rows if row["kind"] == kind]

    evals, timings = lines("metrics.jsonl", "eval"), lines("timings.jsonl", "train")
    errors = sum(row["errors"] for row in lines("metrics.jsonl", "train"))
    collect_s, update_s = (sum(row[name] for row in timings) for name in ("collect_s", "update_s"))
    sandbox_s, runs = sum(s for s, _ in steps), sum(n for _, n in steps)
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    first, last = evals[0], evals[-1]
    print(f"test solve rate, sampled: {first['sampled_solved']:.1%} -> {last['sampled_solved']:.1%}")
    print(f"test solve rate, greedy:  {first['greedy_solved']:.1%} -> {last['greedy_solved']:.1%}")
    print(f"{len(steps)} steps, {runs} programs in them, {clock.runs} in all, {errors:.0f} episodes failed")
    print(f"a step: {(collect_s + update_s) / len(steps):.3f} s, of it rollouts {collect_s / len(steps):.3f} s, "
          f"updates {update_s / len(steps):.3f} s, sandbox {sandbox_s / len(steps):.3f} s")  # fmt: skip
    shares = [s / (t["collect_s"] + t["update_s"]) for (s, _), t in zip(steps, timings, strict=True)]
    share = sandbox_s / (collect_s + update_s)
    print(f"share of step time in the sandbox: {share:.1%}; median of the steps {statistics.median(shares):.1%}")
    print(f"a program: {1000 * sandbox_s / max(runs, 1):.2f} ms")
    print(f"in all {wall_s:.0f} s, this process {usage[0].ru_utime + usage[0].ru_stime:.0f} CPU-seconds")


if __name__ == "__main__":
    main()
