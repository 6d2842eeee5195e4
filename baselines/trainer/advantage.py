"""From rollouts to an advantage for each sampled token: the arrays that credit functions take, and back.

Legend: N valid rollouts of a step, T most turns of one, L most tokens of one (its rows one after the other).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit import CREDIT, REWARDS, SHAPING
from turnwise.baselines.methods.registry import bind, call
from turnwise.baselines.trainer.collect import Group, Trajectory
from turnwise.baselines.trainer.config import TrainConfig

__all__ = ["Arrays", "advantages", "learning_signal", "replace_rewards", "value_targets"]

Array = npt.NDArray[Any]
Measure = Callable[[str, "Arrays"], Array]
TokenAdvantages = list[npt.NDArray[np.float64]]
"""One array per row of a rollout, one number per sampled token of the row."""


class Arrays:
    """The arrays of a step's valid rollouts, each made when a method first asks for it by name.

    Args:
        groups: The tasks played. Rollouts whose environment failed are in no array.
        measure: Makes those that take the model, from their name and the arrays there are; see measure.py.
    """

    def __init__(self, groups: Sequence[Group], measure: Measure | None = None) -> None:
        self.runs = [t for g in groups for t in g.trajectories if t.valid]
        self._numbers = [i for i, g in enumerate(groups) for t in g.trajectories if t.valid]
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
        return np.array([sum(t.signal) for t in self.runs], dtype=np.float64)

    def _rewards(self) -> Array:
        return self._per_turn([t.signal for t in self.runs], np.float64)

    def _additions(self) -> Array:
        return self._per_turn([t.shaping for t in self.runs], np.float64)

    def _turns(self) -> Array:
        return self._per_turn([[True] * t.num_turns for t in self.runs], np.bool_)

    def _anchors(self) -> Array:
        return self._per_turn([t.anchors for t in self.runs], np.int64)

    def _invalid(self) -> Array:
        return self._per_turn([t.invalid for t in self.runs], np.bool_)

    def _executable(self) -> Array:
        """1 where the action was a move."""
        return (self("turns") & ~self("invalid")).astype(np.float64)

    def _actions(self) -> Any:
        """The texts of each rollout's turns."""
        return [t.texts for t in self.runs]

    def _answers(self) -> Array:
        """Ids of the turns' texts: equal for equal ones."""
        ids: dict[str, int] = {}
        rows = [[ids.setdefault(text, len(ids)) for text in t.texts] for t in self.runs]
        out = self._per_turn(rows, np.int64)
        return np.where(self("turns"), out, -1)

    def _solved(self) -> Array:
        return np.array([t.solved for t in self.runs])

    def _finished(self) -> Array:
        return np.array([t.status == "done" for t in self.runs])

    def _lengths(self) -> Array:
        return np.array([t.num_tokens for t in self.runs], dtype=np.int64)

    def _strata(self) -> Array:
        """Tool calls where the environment counts them (-1: it ended before it could), else turns."""
        calls = np.array([t.tool_calls for t in self.runs])
        return calls if (calls >= 0).any() else np.array([t.num_turns for t in self.runs])

    def _tokens(self) -> Array:
        return self._per_token("ids", np.int64, -1)

    def _mask(self) -> Array:
        return self._per_token("mask", np.bool_, False)

    def _logps(self) -> Array:
        """Of the sampler, as it was when it drew the tokens."""
        return self._per_token("logps", np.float64, 0.0)

    def _token_turns(self) -> Array:
        return self._per_token("turns", np.int64, -1)

    def _token_rewards(self) -> Array:
        """Each turn's reward on its last sampled token."""
        rewards, turns = self("rewards"), self("token_turns")
        out = np.zeros(turns.shape)
        for i, run in enumerate(self.runs):
            for turn in range(run.num_turns):
                (at,) = np.nonzero(turns[i] == turn)
                if len(at):
                    out[i, at[-1]] = rewards[i, turn]
        return out

    def _per_turn(self, values: Sequence[Sequence[Any]], dtype: Any) -> Array:
        out = np.zeros((len(values), max((len(v) for v in values), default=0)), dtype=dtype)
        for i, row in enumerate(values):
            out[i, : len(row)] = row
        return out

    def _per_token(self, name: str, dtype: Any, padding: Any) -> Array:
        joined = [[x for s in t.streams for x in getattr(s, name)] for t in self.runs]
        out = np.full((len(joined), max((len(v) for v in joined), default=0)), padding, dtype=dtype)
        for i, row in enumerate(joined):
            out[i, : len(row)] = row
        return out


def replace_rewards(cfg: TrainConfig, groups: Sequence[Group], measure: Measure) -> None:
    """Let the rollouts learn from another reward than the environment's, given for their last turns.

    The environment's rewards stay as they are: they are the score. Nothing changes where the run learns from them.
    """
    if cfg.reward == "environment":
        return
    arrays = Arrays(groups, measure)
    found = call(REWARDS[cfg.reward], arrays, cfg.reward_settings, cfg.reward)
    for run, value in zip(arrays.runs, found.tolist(), strict=True):
        run.signal = [0.0] * (run.num_turns - 1) + [value] * bool(run.num_turns)


def learning_signal(cfg: TrainConfig, groups: Sequence[Group]) -> None:
    """Add the run's shaping to the rewards that are learned from; what is given per rollout, to its last turn."""
    arrays = Arrays(groups)
    for name, settings in cfg.shaping.items():
        for run, added in zip(arrays.runs, call(SHAPING[name], arrays, settings, name), strict=True):
            if added.ndim:
                run.signal = [r + a for r, a in zip(run.signal, added.tolist(), strict=False)]
            elif run.signal:
                run.signal[-1] += float(added)


def advantages(cfg: TrainConfig, arrays: Arrays) -> dict[int, TokenAdvantages]:
    """The advantage of every sampled token of every valid rollout, by ``id`` of the rollout.

    A credit function that takes ``mask`` gives one number per token, one that takes ``turns`` but no ``mask`` one per
    turn, any other one per rollout.
    """
    if not arrays.runs:
        return {}
    method = CREDIT[cfg.credit]
    found = call(method, arrays, cfg.credit_settings, cfg.credit)
    names = bind(method, cfg.credit_settings, cfg.credit)
    return {id(run): _spread(run, found[i], names) for i, run in enumerate(arrays.runs)}


def value_targets(cfg: TrainConfig, arrays: Arrays) -> dict[int, list[dict[str, Array]]]:
    """What a critic learns from, per rollout and row: ``values`` as they were, ``returns`` = advantage + value.

    The advantages are those before whitening. Empty where the credit takes no values.
    """
    if "values" not in cfg.measured or not arrays.runs:
        return {}
    plain = call(CREDIT[cfg.credit], arrays, {**cfg.credit_settings, "whiten": False}, cfg.credit)
    before, after = arrays("values"), arrays("values") + plain
    found = {}
    for i, run in enumerate(arrays.runs):
        pairs = zip(_spread(run, before[i], ("mask",)), _spread(run, after[i], ("mask",)), strict=True)
        found[id(run)] = [{"values": v, "returns": r} for v, r in pairs]
    return found


def _spread(run: Trajectory, values: Array, names: Sequence[str]) -> TokenAdvantages:
    """The values of one rollout, over the sampled tokens of its rows."""
    out, before = [], 0
    for stream in run.streams:
        at = np.flatnonzero(np.asarray(stream.mask))
        if "mask" in names:
            out.append(values[before + at])
        elif "turns" in names:
            out.append(values[np.asarray(stream.turns, dtype=np.int64)[at]])
        else:
            out.append(np.full(len(at), float(values)))
        before += len(stream)
    return out
