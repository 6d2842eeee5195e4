"""Train on rollouts from a file (docs/rollouts.md), of whoever played them, instead of playing them.

An update that is computed from the rows is the one that the trainer makes of its own rollouts, if the same weights
played them: `learn` compares the log-probabilities in the file with those of its model before the first update, as for
its own.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.trainer.collect import TRAIN
from turnwise.baselines.trainer.rollouts import Group, Rollout, Status
from turnwise.baselines.trainer.train import Run, annotate, choose, credit, micro_batches, update
from turnwise.core.episode import Job, Turn
from turnwise.engine.tokens import Stream
from turnwise.evaluation.rollouts import RolloutRow

__all__ = ["groups_of", "learn"]


def groups_of(rows: Iterable[RolloutRow]) -> list[Group]:
    """Return the rollouts of a file as groups, in its order. Those that are not valid count as failed.

    Shaping rewards of environments, which no record of an episode has, are 0.
    """
    groups: dict[str, dict[int, list[RolloutRow]]] = {}
    for row in rows:
        groups.setdefault(row.group, {}).setdefault(row.sample, []).append(row)
    found = []
    for number, samples in enumerate(groups.values()):
        first = next(iter(samples.values()))[0]
        task = TaskSpec(first.env, first.settings, first.seed)
        found.append(Group(task, tuple(_rollout(own, task.job((TRAIN, own[0].version, number, sample)))
                                       for sample, own in samples.items())))  # fmt: skip
    return found


def learn(run: Run, groups: Sequence[Group]) -> dict[str, float]:
    """Make the updates of one step with these rollouts; the metrics are those of a step.

    Args:
        run: From `turnwise.baselines.trainer.train.start`.
        groups: From `groups_of`. If all were played by the weights of the run's present step, as their ``version``
            says, log-probabilities that differ from the model's stop the run.
    """
    batch, rows = credit(run, choose(run, list(groups)))
    rows = annotate(run, rows)
    stats = update(run, rows, fresh=all(rollout.version == run.step for rollout in batch.rollouts))
    stats |= run.measures.learn(rows, run.step, partial(micro_batches, run))
    run.entropy.observe(stats["entropy"])
    run.step += 1
    return stats


def _rollout(rows: Sequence[RolloutRow], job: Job) -> Rollout:
    """Return the rollout that these rows belong to."""
    first = rows[0]
    turns = zip(first.observations, first.actions, first.rewards, first.invalid_turns, first.finishes, strict=True)
    status: Status = "done" if first.terminated else "truncated"
    return Rollout(
        job,
        turns=tuple(Turn(*turn) for turn in turns),
        final_observation=first.final_observation,
        streams=tuple(_stream(row) for row in rows),
        status=status if first.valid else "error",
        solved=first.solved,
        tool_calls=int(first.metrics.get("tool_calls", -1)),
        version=first.version,
        error=first.reason,
    )


def _stream(row: RolloutRow) -> Stream:
    sampled = [turn for turn in row.turns if turn >= 0]
    return Stream(list(row.ids), list(row.mask), list(row.logps), list(row.turns), max(sampled, default=-1) + 1)
