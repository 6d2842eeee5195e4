"""Where a step's rollouts come from: played now with the present weights, or ahead, in a thread, with older ones.

With ``staleness`` k the rollouts of step s are played with the weights after step s - k, while the steps in between are
trained: always exactly k, so that the rollouts do not depend on which thread is faster. The loss then needs old_logps
"recompute" or an importance weight, as for any data of an older policy.

Source: rollouts a bounded number of versions behind, Fu et al. 2025, AReaL, arXiv:2505.24298, section 5; one to k steps
behind, Han et al. 2025, AsyncFlow, arXiv:2507.01663.
"""

import copy
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import torch

from turnwise.baselines.methods.curricula import Curriculum, TaskSpec
from turnwise.baselines.methods.sampling import Sampler
from turnwise.baselines.methods.sampling.staleness import capacity
from turnwise.baselines.trainer.collect import EVAL, TRAIN, Collector, Group, Play, Trajectory
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.engines import make_engine
from turnwise.baselines.trainer.parallel import Parallel
from turnwise.baselines.trainer.policy import Policy
from turnwise.core.env import seed_of
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.engine.tokens import Renderer

__all__ = ["Source"]


def make_collector(cfg: TrainConfig, model: Any, renderer: Renderer, save: Callable[[Path], None]) -> Any:
    """What plays: here, or on Ray workers. It has ``load``, ``play`` and ``close``."""
    if cfg.ray:
        from turnwise.baselines.trainer.ray_workers import EnginePlayer, RayCollector

        return RayCollector(partial(EnginePlayer, cfg), **{"unit": cfg.group_size, **cfg.ray})
    rows = cfg.max_rows or cfg.groups_per_step * cfg.group_size
    return Collector(cfg, make_engine(cfg, model, save), renderer, max_rows=rows)


class Source:
    """Plays the tasks of steps and of evaluations.

    Args:
        cfg: The run.
        policy: Whose weights are sampled with.
        renderer: Text to tokens.
        parallel: The ranks that share the rollouts of a step.
        sampler: How many rollouts each task gets.
    """

    def __init__(
        self, cfg: TrainConfig, policy: Policy, renderer: Renderer, parallel: Parallel, sampler: Sampler
    ) -> None:
        self.cfg, self.policy, self.parallel, self.sampler = cfg, policy, parallel, sampler
        self.collector = make_collector(cfg, policy.model, renderer, policy.save)
        self._jobs: deque[Future[list[Group]]] = deque()
        if cfg.staleness:
            if parallel.size > 1:
                raise SettingsError("staleness is for one process: the ranks of several would wait for each other")
            self._twin = copy.deepcopy(policy.model).requires_grad_(False)
            self._ahead = make_collector(cfg, self._twin, renderer, policy.save)
            self._thread = ThreadPoolExecutor(1, "rollouts")

    def take(self, curriculum: Curriculum, step: int) -> list[Group]:
        """The rollouts of a step, those included that the sampling will drop.

        Raises:
            InfrastructureError: All of them failed.
        """
        if not self.cfg.staleness:
            return self._play_step(self.collector, self.policy.model, curriculum, step, step)
        bound = {"batch_size": 1, "max_staleness": self.cfg.staleness, "max_running": self.cfg.staleness + 1}
        while capacity(len(self._jobs), step, step, **bound) > 0 and step + len(self._jobs) < self.cfg.steps:
            weights = [p.detach().clone() for p in self.policy.model.parameters()]
            frozen = copy.deepcopy(curriculum)  # as it is now, whatever is observed meanwhile
            self._jobs.append(self._thread.submit(self._play_ahead, weights, frozen, step + len(self._jobs), step))
        return self._jobs.popleft().result()

    def evaluate(self, step: int, *, greedy: bool) -> list[Group]:
        """The test tasks of each target, once each. They are the same for all runs."""
        cfg = self.cfg
        tasks = [
            TaskSpec(arm.env, arm.settings, seed_of("eval", i), k)
            for k, arm in enumerate(cfg.targets)
            for i in range(cfg.eval_tasks)
        ]
        plays = [Play(task, (cfg.seed, EVAL, step, i, 0)) for i, task in enumerate(tasks)]
        runs = self._play(self.collector, self.policy.model, plays, step, split="test", greedy=greedy)
        return [Group(task, [run]) for task, run in zip(tasks, runs, strict=True)]

    def play(self, plays: Sequence[Play], step: int, horizon: int | None) -> list[Trajectory]:
        """Further rollouts of a step, with the present weights; all of these may fail."""
        if not plays:
            return []
        return self._play(self.collector, self.policy.model, plays, step, may_fail=True, horizon=horizon)

    def close(self) -> None:
        """End the thread, close the environments."""
        if self.cfg.staleness:
            self._thread.shutdown(cancel_futures=True)
            self._ahead.close()
        self.collector.close()

    def _play_ahead(self, weights: list[torch.Tensor], curriculum: Curriculum, step: int, version: int) -> list[Group]:
        with torch.no_grad():
            for mine, theirs in zip(self._twin.parameters(), weights, strict=True):
                mine.copy_(theirs)
        return self._play_step(self._ahead, self._twin, curriculum, step, version)

    def _play_step(self, collector: Any, model: Any, curriculum: Curriculum, step: int, version: int) -> list[Group]:
        """Rounds of rollouts until the sampler wants no more.

        A task is known by its number in the step, a rollout by its number in the task: which random numbers it samples
        with depends on nothing else.
        """
        cfg, sampler = self.cfg, self.sampler
        groups: list[Group] = []
        extra: list[int] = []
        new = cfg.groups_per_step
        for number in itertools.count(1):
            tasks = curriculum.draw(new, step=step, key=(cfg.seed,), first=len(groups))
            groups += [Group(task, []) for task in tasks]
            extra += [sampler.first] * len(tasks)
            to = [group for group, n in zip(groups, extra, strict=True) for _ in range(n)]
            plays = [
                Play(group.task, (cfg.seed, TRAIN, step, i, len(group.trajectories) + j))
                for i, (group, n) in enumerate(zip(groups, extra, strict=True))
                for j in range(n)
            ]
            horizon = curriculum.horizon(step)
            runs = self._play(collector, model, plays, version, may_fail=number > 1, horizon=horizon)
            for group, run in zip(to, runs, strict=True):
                group.trajectories.append(run)
            returns = [group.returns for group in groups]
            extra = sampler.more(returns, round=number)
            new = sampler.refill(returns, wanted=cfg.groups_per_step, round=number)
            if not any(extra) and not new:
                return groups
        raise AssertionError

    def _play(
        self, collector: Any, model: Any, plays: Sequence[Play], version: int, *, may_fail: bool = False, **options: Any
    ) -> list[Trajectory]:
        """Each rank plays its share; all ranks get all rollouts."""
        collector.load(version, self.parallel.weights(model))
        with self.parallel.gathered(model):
            mine = collector.play(self.parallel.share(plays), version=version, **options)
        runs: list[Trajectory] = self.parallel.gather_objects(mine)
        if runs and not may_fail and not any(run.valid for run in runs):
            raise InfrastructureError(f"all of {len(runs)} episodes failed, the first with: {runs[0].error}")
        return runs
