"""Compute an advantage for each sampled token from rollouts, in stages: each takes a batch and returns a new one.

    Batch.of          rewards are those of the environment
    reward_signal     another reward, in place of the environment's
    shaped_signal     the run's shaping, added
    shuffled_signal   the control experiment: returns of random rollouts
    advantages        the credit function's result for the signal, through `Arrays`
    training_rows     the rows of the rollouts that are kept, by task

Legend: N valid rollouts of a step, T most turns of one, L most tokens of one (its rows one after the other).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit import CREDIT, REWARDS, SHAPING
from turnwise.baselines.methods.credit.intrinsic import EnvironmentReward
from turnwise.baselines.trainer.batch import TaskRows, make_row, padded
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.rollouts import Group, Rollout, anchor_of
from turnwise.core.settings import settings_of

__all__ = [
    "Arrays", "Batch", "advantages", "reward_signal", "shaped_signal", "shuffled_signal",
    "training_rows", "value_targets",
]  # fmt: skip

Array = npt.NDArray[Any]
Measure = Callable[[str, "Arrays"], Array]
Signal = tuple[float, ...]
"""The rewards of a rollout's turns that the policy learns from."""
TokenAdvantages = list[npt.NDArray[np.float64]]
"""One array per row of a rollout, one number per sampled token of the row."""


@dataclass(frozen=True, eq=False)
class Batch:
    """The data that a step learns from: groups, and per rollout, in order, what was computed for it.

    Attributes:
        groups: The tasks with their rollouts.
        kept: Whether the rollout is trained; otherwise it only counts in the statistics.
        signals: The rewards that the policy learns from.
        advantages: Advantages of each row; empty until computed, and for rollouts whose environment failed.
    """

    groups: tuple[Group, ...]
    kept: tuple[bool, ...]
    signals: tuple[Signal, ...]
    advantages: tuple[TokenAdvantages, ...]

    @classmethod
    def of(cls, groups: Sequence[Group], kept: Sequence[bool] | None = None) -> "Batch":
        """Make a batch that learns from the environments' rewards, with all rollouts or those marked in ``kept``."""
        rollouts = [t for g in groups for t in g.rollouts]
        signals = tuple(t.rewards for t in rollouts)
        return cls(tuple(groups), tuple(kept or [True] * len(rollouts)), signals, tuple([] for _ in rollouts))

    @cached_property
    def rollouts(self) -> tuple[Rollout, ...]:
        """The rollouts of all groups."""
        return tuple(t for g in self.groups for t in g.rollouts)

    @cached_property
    def valid(self) -> tuple[int, ...]:
        """Indices of the rollouts whose environment did not fail."""
        return tuple(i for i, t in enumerate(self.rollouts) if t.valid)

    def having(self, **values: Sequence[Any]) -> "Batch":
        """Return the batch with new values for the valid rollouts, such as ``signals``."""
        found = {}
        for name, own in values.items():
            new = dict(zip(self.valid, own, strict=True))
            found[name] = tuple(new.get(i, old) for i, old in enumerate(getattr(self, name)))
        return replace(self, **found)

    @property
    def sizes(self) -> Mapping[tuple[int, ...], float]:
        """The mean absolute advantage of each rollout that has advantages, by the key of its job."""
        pairs = zip(self.rollouts, self.advantages, strict=True)
        return {t.job.key: float(np.abs(np.concatenate(own)).mean()) for t, own in pairs if own}


class Arrays:
    """The arrays of a step's valid rollouts, each made when a method first asks for it by name.

    Args:
        batch: The batch of the step. Rollouts whose environment failed are in no array.
        measure: Computes the arrays that need the model, from their name and this object; see measure.py.
    """

    def __init__(self, batch: Batch, measure: Measure | None = None) -> None:
        self.runs = [batch.rollouts[i] for i in batch.valid]
        self.signals = [batch.signals[i] for i in batch.valid]
        self._numbers = [i for i, group in enumerate(batch.groups) for _ in group.valid]
        self._measure = measure
        self._made: dict[str, Array] = {}

    def __call__(self, name: str) -> Array:
        if name not in self._made:
            own = getattr(self, f"_{name}", None)
            if own is None:
                assert self._measure is not None, name
                self._made[name] = self._measure(name, self)
            else:
                self._made[name] = own()
        return self._made[name]

    def _groups(self) -> Array:
        return np.array(self._numbers, dtype=np.int64)

    def _returns(self) -> Array:
        return np.array([sum(signal) for signal in self.signals], dtype=np.float64)

    def _rewards(self) -> Array:
        return padded(self.signals, np.float64)

    def _additions(self) -> Array:
        return padded([[turn.shaping for turn in t.turns] for t in self.runs], np.float64)

    def _turns(self) -> Array:
        return padded([[True] * t.num_turns for t in self.runs], np.bool_)

    def _anchors(self) -> Array:
        return padded([[anchor_of(turn) for turn in t.turns] for t in self.runs], np.int64)

    def _invalid(self) -> Array:
        return padded([[turn.invalid for turn in t.turns] for t in self.runs], np.bool_)

    def _executable(self) -> Array:
        """1 for turns whose action the environment could carry out."""
        return (self("turns") & ~self("invalid")).astype(np.float64)

    def _actions(self) -> Any:
        """The texts of each rollout's turns."""
        return [[turn.action for turn in t.turns] for t in self.runs]

    def _answers(self) -> Array:
        """Ids of the turns' texts: equal texts have equal ids."""
        ids: dict[str, int] = {}
        rows = [[ids.setdefault(text, len(ids)) for text in texts] for texts in self._actions()]
        out = padded(rows, np.int64)
        return np.where(self("turns"), out, -1)

    def _solved(self) -> Array:
        return np.array([t.solved for t in self.runs])

    def _finished(self) -> Array:
        return np.array([t.status == "done" for t in self.runs])

    def _lengths(self) -> Array:
        return np.array([t.num_tokens for t in self.runs], dtype=np.int64)

    def _strata(self) -> Array:
        """Number of tool calls if the environment counts them (-1: it ended before it could), else of turns."""
        calls = np.array([t.tool_calls for t in self.runs])
        return calls if (calls >= 0).any() else np.array([t.num_turns for t in self.runs])

    def _tokens(self) -> Array:
        return self._per_token("ids", np.int64, -1)

    def _mask(self) -> Array:
        return self._per_token("mask", np.bool_, False)

    def _logps(self) -> Array:
        """Log-probabilities of the sampler at the time it drew the tokens."""
        return self._per_token("logps", np.float64, 0.0)

    def _token_turns(self) -> Array:
        return self._per_token("turns", np.int64, -1)

    def _token_rewards(self) -> Array:
        """Rewards per token: each turn's reward is on its last sampled token."""
        rewards, turns = self("rewards"), self("token_turns")
        out = np.zeros(turns.shape)
        for i, run in enumerate(self.runs):
            for turn in range(run.num_turns):
                (at,) = np.nonzero(turns[i] == turn)
                if len(at):
                    out[i, at[-1]] = rewards[i, turn]
        return out

    def _per_token(self, name: str, dtype: Any, padding: Any) -> Array:
        return padded([[x for s in t.streams for x in getattr(s, name)] for t in self.runs], dtype, padding)


def reward_signal(cfg: TrainConfig, batch: Batch, measure: Measure) -> Batch:
    """Replace the environment's rewards by the run's reward, on the last turn of each rollout.

    The environment's rewards stay as they are: they are the score.
    """
    if isinstance(cfg.reward.source, EnvironmentReward):
        return batch
    arrays = Arrays(batch, measure)
    method = REWARDS.of(cfg.reward.source)
    found = method.run([arrays(name) for name in method.needs], cfg.reward.source)
    return batch.having(signals=[_at_end(t, v) for t, v in zip(arrays.runs, found.tolist(), strict=True)])


def shaped_signal(cfg: TrainConfig, batch: Batch) -> Batch:
    """Add the run's shaping to the rewards that are learned from; shaping per rollout goes to its last turn."""
    arrays = Arrays(batch)
    signals = [list(signal) for signal in arrays.signals]
    for settings in cfg.reward.shaping:
        method = SHAPING.of(settings)
        found = method.run([arrays(name) for name in method.needs], settings)
        for signal, added in zip(signals, found, strict=True):
            if method.gives == "turn":
                signal[:] = [r + a for r, a in zip(signal, added.tolist(), strict=False)]
            elif signal:
                signal[-1] += float(added)
    return batch.having(signals=[tuple(signal) for signal in signals])


def shuffled_signal(batch: Batch, key: tuple[int, ...]) -> Batch:
    """Give every rollout the return of a random rollout of the step, as the reward of its last turn."""
    played = [i for i in batch.valid if batch.signals[i]]
    order = np.random.default_rng(np.random.SeedSequence([*key, 1])).permutation(len(played)).tolist()
    signals = list(batch.signals)
    for i, other in zip(played, order, strict=True):
        signals[i] = _at_end(batch.rollouts[i], sum(batch.signals[played[other]]))
    return replace(batch, signals=tuple(signals))


def _at_end(run: Rollout, value: float) -> Signal:
    return (0.0,) * (run.num_turns - 1) + (value,) * bool(run.num_turns)


def advantages(cfg: TrainConfig, arrays: Arrays, factors: Sequence[float]) -> list[TokenAdvantages]:
    """Compute the advantage of every sampled token of every valid rollout.

    Whether there is one number per rollout, turn or token is what the method declares. Those of each group are
    multiplied by its factor, from the curriculum.
    """
    if not arrays.runs:
        return []
    method = CREDIT.of(cfg.credit)
    found = method.run([arrays(name) for name in method.needs], cfg.credit)
    of_run = [factors[group] for group in arrays("groups").tolist()]
    return [[of_run[i] * row for row in _spread(run, found[i], method.gives)] for i, run in enumerate(arrays.runs)]


def value_targets(cfg: TrainConfig, arrays: Arrays) -> list[list[tuple[Array, Array]]]:
    """Return the critic's targets per valid rollout and row: its earlier values, and returns = advantage + value.

    The advantages are those before whitening. Empty where the credit takes no values.
    """
    if "values" not in cfg.measured or not arrays.runs:
        return []
    method, has = CREDIT.of(cfg.credit), {setting.name for setting in settings_of(type(cfg.credit))}
    plainly: Any = replace(cfg.credit, **{"whiten": False} if "whiten" in has else {})
    plain = method.run([arrays(name) for name in method.needs], plainly)
    before, after = arrays("values"), arrays("values") + plain
    spread = [[_spread(run, values[i], "token") for values in (before, after)] for i, run in enumerate(arrays.runs)]
    return [list(zip(*pair, strict=True)) for pair in spread]


def training_rows(batch: Batch, targets: Mapping[int, Sequence[tuple[Any, Any]]]) -> list[TaskRows]:
    """Return per group the rows of the kept rollouts and of the guidance's lessons; groups without rows are left out.

    ``targets`` are values and returns of each row for the critic, by the number of the rollout.
    """
    found, numbers = [], iter(range(len(batch.rollouts)))
    for group in batch.groups:
        task = TaskRows()
        for rollout, i in zip(group.rollouts, numbers, strict=False):
            if rollout.valid and batch.kept[i]:
                rows = task.external if rollout.external else task.own
                for k, (stream, own) in enumerate(zip(rollout.streams, batch.advantages[i], strict=True)):
                    pair = dict(zip(("values", "returns"), targets[i][k], strict=True)) if i in targets else {}
                    rows += filter(None, [make_row(stream, own, per="token", **pair)])
        for stream in (s for lesson in group.lessons for s in lesson.streams):
            task.external.extend(filter(None, [make_row(stream, np.ones(sum(stream.mask)), per="token")]))
        found += [task] if task.own or task.external else []
    return found


def _spread(run: Rollout, values: Array, per: str) -> TokenAdvantages:
    """Spread the values of one rollout over the sampled tokens of its rows."""
    out, before = [], 0
    for stream in run.streams:
        at = np.flatnonzero(np.asarray(stream.mask))
        if per == "token":
            out.append(values[before + at])
        elif per == "turn":
            out.append(values[np.asarray(stream.turns, dtype=np.int64)[at]])
        else:
            out.append(np.full(len(at), float(values)))
        before += len(stream)
    return out
