"""Episodes a CPU-second of single-answer tasks through an agent that answers at once: what the harness itself costs.

    python benchmarks/evaluation_overhead.py [EPISODES]

Figures are per CPU-second of this process, on one core: threads of an agent share it, and the batched agent has none.
Every episode is written to a folder, and the summary is computed. Making the tasks is measured by itself; the last
column is what remains.
"""

import os
import sys
import tempfile
import time
from collections.abc import Sequence

import turnwise.envs  # noqa: F401
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.registration import make
from turnwise.evaluation.evaluate import EvalConfig, evaluate

ENVS = ("ArithmeticChain", "Countdown", "NumberTheory", "KSat")


class Instant(Agent):
    """Answers at once, from as many threads as an endpoint with 32 connections, or for all episodes together."""

    name = "instant"
    concurrency = 32

    def __init__(self, batched: bool) -> None:
        self.batched = batched

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action("<answer>1</answer>") for _ in plays]


def generation(env: str, config: EvalConfig) -> float:
    """Seconds that the tasks alone take."""
    jobs = config.jobs_of(config.envs[0])
    made = make(env, **jobs[0].settings)
    start = time.process_time()
    for job in jobs:
        made.reset(seed=job.seed)
    return time.process_time() - start


def main(episodes: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(
        "| environment | agent | episodes/CPU-s | tasks alone, ms | harness, ms an episode |\n|---|---|---:|---:|---:|"
    )
    for env in ENVS:
        for batched in (True, False):
            with tempfile.TemporaryDirectory() as folder:
                config = EvalConfig(envs=(env,), num_tasks=episodes, chance_episodes=0, out=folder)
                tasks = generation(env, config)
                start = time.process_time()
                evaluate(config, Instant(batched))
                seconds = time.process_time() - start
            own, alone = 1000 * (seconds - tasks) / episodes, 1000 * tasks / episodes
            kind = "batched" if batched else "32 threads"
            print(f"| {env} | {kind} | {episodes / seconds:,.0f} | {alone:.2f} | {own:.2f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
