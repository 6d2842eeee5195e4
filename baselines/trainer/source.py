"""The source of a step's rollouts: played now with the present weights, or ahead, in a thread, with older ones.

With ``staleness`` k the rollouts of step s are played with the weights after step s - k, while the steps in between are
trained: always exactly k, so that the rollouts do not depend on which thread is faster. The loss then needs old_logps
"recompute" or an importance weight, as for any data of an older policy.

Source: rollouts a bounded number of versions behind, Fu et al. 2025, AReaL, arXiv:2505.24298, section 5; one to k steps
behind, Han et al. 2025, AsyncFlow, arXiv:2507.01663.
"""

import copy
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import torch

from turnwise.agents.local import LocalAgent
from turnwise.baselines.methods.curricula.base import Curriculum, TaskSpec
from turnwise.baselines.methods.sampling.select import Sampler
from turnwise.baselines.methods.sampling.staleness import capacity
from turnwise.baselines.trainer.collect import EVAL, TRAIN, Collector, agent_options
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.games.records import by_seat
from turnwise.baselines.trainer.games.tables import Tables, with_seating
from turnwise.baselines.trainer.model.engines import make_engine
from turnwise.baselines.trainer.model.parallel import Parallel
from turnwise.baselines.trainer.model.policy import Policy
from turnwise.baselines.trainer.rollouts import Group, Rollout
from turnwise.core.env import seed_of
from turnwise.core.episode import Job
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.engine.tokens import Renderer

__all__ = ["Source"]


def make_collector(
    cfg: TrainConfig, model: Any, renderer: Renderer, save: Callable[[Path], None], tables: Tables | None = None
) -> Any:
    """Create the collector that plays rollouts, in this process or on Ray workers."""
    if cfg.rollout.ray is not None:
        from turnwise.baselines.trainer.ray_workers import EnginePlayer, RayCollector

        own = {**vars(cfg.rollout.ray), "unit": cfg.rollout.ray.unit or cfg.rollout.group_size}
        return RayCollector(partial(EnginePlayer, cfg), **own)
    rows = cfg.rollout.max_rows or cfg.rollout.groups_per_step * cfg.rollout.group_size
    return Collector(cfg, make_engine(cfg, model, save), renderer, max_rows=rows, tables=tables)


def make_tables(cfg: TrainConfig, model: Any, renderer: Renderer) -> Tables | None:
    """Create the tables of a run; None where it has none."""
    if cfg.opponents is None:
        return None

    def play(past: Any) -> LocalAgent:
        return LocalAgent(make_engine(cfg, past), renderer, **agent_options(cfg))

    return Tables(cfg, cfg.opponents, model, play)


class Source:
    """Plays the tasks of steps and of evaluations.

    Args:
        cfg: The run.
        policy: The policy that is sampled from.
        renderer: Converts text to tokens.
        parallel: The ranks that share the rollouts of a step.
        sampler: Decides how many rollouts each task gets.

    Attributes:
        sampling_s: Seconds of the last step's rollouts that were spent with the model; None where they are played
            elsewhere or ahead of their step.
    """

    sampling_s: float | None = None

    def __init__(
        self, cfg: TrainConfig, policy: Policy, renderer: Renderer, parallel: Parallel, sampler: Sampler
    ) -> None:
        self.cfg, self.policy, self.parallel, self.sampler = cfg, policy, parallel, sampler
        self.tables = make_tables(cfg, policy.model, renderer)
        self.collector = make_collector(cfg, policy.model, renderer, policy.save, self.tables)
        self._jobs: deque[Future[list[Group]]] = deque()
        if cfg.rollout.staleness:
            if parallel.size > 1:
                raise SettingsError("staleness is for one process: the ranks of several would wait for each other")
            self._twin = copy.deepcopy(policy.model).requires_grad_(False)
            self._ahead = make_collector(cfg, self._twin, renderer, policy.save)
            self._thread = ThreadPoolExecutor(1, "rollouts")

    def take(self, curriculum: Curriculum, step: int) -> list[Group]:
        """Return the rollouts of a step, including those that the sampling method will drop.

        Raises:
            InfrastructureError: All of them failed.
        """
        if not self.cfg.rollout.staleness:
            before = getattr(self.collector, "sampling_s", None)
            if self.tables is not None:
                self.tables.begin(step)
            groups = self._play_step(self.collector, self.policy.model, curriculum, step, step)
            self.sampling_s = None if before is None else self.collector.sampling_s - before
            return groups
        bound = {
            "batch_size": 1,
            "max_staleness": self.cfg.rollout.staleness,
            "max_running": self.cfg.rollout.staleness + 1,
        }
        while capacity(len(self._jobs), step, step, **bound) > 0 and step + len(self._jobs) < self.cfg.run.steps:
            weights = [p.detach().clone() for p in self.policy.model.parameters()]
            frozen = copy.deepcopy(curriculum)  # as it is now, whatever is observed meanwhile
            self._jobs.append(self._thread.submit(self._play_ahead, weights, frozen, step + len(self._jobs), step))
        return self._jobs.popleft().result()

    def evaluate(self, step: int, *, greedy: bool) -> list[Group]:
        """Play each test task of each target once; the tasks are the same for all runs."""
        cfg = self.cfg
        tasks = [
            TaskSpec(arm.env, arm.settings, seed_of("eval", i), k)
            for k, arm in enumerate(cfg.targets)
            for i in range(cfg.eval.tasks)
        ]
        if self.tables is not None:  # opponents of the evaluations, each seat in turn
            opponents = [str(task.settings["seating"]).partition("|")[2] for task in tasks]
            tasks = [with_seating(task, opponents[i], i) for i, task in enumerate(tasks)]
        jobs = [task.job((EVAL, step, i, 0)) for i, task in enumerate(tasks)]
        runs = self._play(self.collector, self.policy.model, jobs, step, split="test", greedy=greedy)
        return self._seats(Group(task, (run,)) for task, run in zip(tasks, runs, strict=True))

    def play(self, jobs: Sequence[Job], step: int, horizon: int | None) -> list[Rollout]:
        """Play further rollouts of a step with the present weights; all of them may fail."""
        if not jobs:
            return []
        return self._play(self.collector, self.policy.model, jobs, step, may_fail=True, horizon=horizon)

    def observe(self, played: Sequence[Group]) -> dict[str, float]:
        """Learn the results of a step against opponents; return what to log of them."""
        if self.tables is None:
            return {}
        self.tables.observe(played)
        return dict(self.tables.metrics())

    def close(self) -> None:
        """End the thread and close the environments and opponents."""
        if self.tables is not None:
            self.tables.close()
        if self.cfg.rollout.staleness:
            self._thread.shutdown(cancel_futures=True)
            self._ahead.close()
        self.collector.close()

    def _seats(self, groups: Iterable[Group]) -> list[Group]:
        """Return the groups, those of games by seat."""
        return list(groups) if self.tables is None else [part for group in groups for part in by_seat(group)]

    def _play_ahead(self, weights: list[torch.Tensor], curriculum: Curriculum, step: int, version: int) -> list[Group]:
        with torch.no_grad():
            for mine, theirs in zip(self._twin.parameters(), weights, strict=True):
                mine.copy_(theirs)
        return self._play_step(self._ahead, self._twin, curriculum, step, version)

    def _play_step(self, collector: Any, model: Any, curriculum: Curriculum, step: int, version: int) -> list[Group]:
        """Play rounds of rollouts until the sampler needs no more.

        A task is known by its number in the step, a rollout by its number in the task: which random numbers it samples
        with depends on nothing else.
        """
        cfg, sampler = self.cfg, self.sampler
        groups: list[Group] = []
        extra: list[int] = []
        new = cfg.rollout.groups_per_step
        for number in itertools.count(1):
            tasks = curriculum.draw(new, step=step, key=(cfg.run.seed,), first=len(groups))
            if self.tables is not None:
                tasks = self.tables.seated(tasks, step, len(groups))
            groups += [Group(task) for task in tasks]
            extra += [sampler.first] * len(tasks)
            jobs = [
                group.task.job((TRAIN, step, i, len(group.rollouts) + j))
                for i, (group, n) in enumerate(zip(groups, extra, strict=True))
                for j in range(n)
            ]
            horizon = curriculum.horizon(step)
            runs = iter(self._play(collector, model, jobs, version, may_fail=number > 1, horizon=horizon))
            groups = [g.joined(list(itertools.islice(runs, n))) for g, n in zip(groups, extra, strict=True)]
            returns = [group.returns for group in groups]
            extra = sampler.more(returns, round=number)
            new = sampler.refill(returns, wanted=cfg.rollout.groups_per_step, round=number)
            if not any(extra) and not new:
                return self._seats(groups)
        raise AssertionError

    def _play(
        self, collector: Any, model: Any, jobs: Sequence[Job], version: int, *, may_fail: bool = False, **options: Any
    ) -> list[Rollout]:
        """Play this rank's share of the jobs and return the rollouts of all ranks."""
        collector.load(version, self.parallel.weights(model))
        with self.parallel.gathered(model):
            mine = collector.play(self.parallel.share(jobs), version=version, **options)
        runs: list[Rollout] = self.parallel.gather_objects(mine)
        if runs and not may_fail and not any(run.valid for run in runs):
            raise InfrastructureError(f"all of {len(runs)} episodes failed, the first with: {runs[0].error}")
        return runs
