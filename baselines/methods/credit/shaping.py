"""Shaping: pure functions that return additions to the reward, per rollout ``(N,)`` or per turn ``(N, T)``.

An addition never touches the outcome itself: whoever adds it keeps the two apart, so that reports, curricula and
the choice of rollouts see what was solved and not what was shaped. ``turns (N, T)`` says which turns exist;
additions are 0 where they do not.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import (
    Floats,
    as_floats,
    as_mask,
    check_matrix,
    returns_to_go,
)
from turnwise.baselines.methods.kinds import Shaping, shaping
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = ["environment", "format_penalty", "overlong", "repetition", "turn_cost", "ufo"]

Turn = str | Sequence[int]


class Overlong(Shaping, name="overlong"):
    """A penalty that grows to 1 as a rollout nears its longest length."""

    max_len: Annotated[int, Range(1)]
    """Length of a rollout, in sampled tokens, above which the penalty is 1."""
    cache: Annotated[int, Range(1)]
    """Number of tokens below `max_len` over which the penalty grows from 0 to 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cache > self.max_len:
            raise SettingsError(f"cache is {self.cache!r}; it must be at most max_len, which is {self.max_len!r}")


@shaping(Overlong, needs=("lengths",))
def overlong(lengths: npt.ArrayLike, settings: Overlong) -> Floats:
    """0 for up to max_len - cache tokens, then (max_len - cache - length) / cache, and -1 above max_len; ``(N,)``.

    Source: Yu et al. 2025, DAPO, arXiv:2503.14476, equation 13 (soft overlong punishment).
    """
    over = as_floats("lengths", lengths) - (settings.max_len - settings.cache)
    return -np.clip(over / settings.cache, 0.0, 1.0)


class FormatPenalty(Shaping, name="format"):
    """A penalty for every turn that the environment could not read."""

    penalty: Annotated[float, Range(0)] = 0.1
    """Penalty per unreadable turn, subtracted from its reward."""


@shaping(FormatPenalty, needs=("invalid",), gives="turn")
def format_penalty(invalid: npt.ArrayLike, settings: FormatPenalty) -> Floats:
    """-penalty for every turn whose action the environment could not read (``invalid (N, T)``).

    Source: Wang et al. 2025, RAGEN, arXiv:2504.20073 (format penalty).
    """
    return np.where(np.asarray(invalid).astype(np.bool_), -settings.penalty, 0.0)


class EnvironmentShaping(Shaping, name="environment"):
    """The environment's own shaping reward, such as a gain of retrieval."""

    weight: float = 1.0
    """Factor by which the environment's shaping reward is multiplied."""


@shaping(EnvironmentShaping, needs=("additions",), gives="turn")
def environment(additions: npt.ArrayLike, settings: EnvironmentShaping) -> Floats:
    """What the environment itself gave for learning (``info["shaping"]``), weighted: ``additions (N, T)``.

    They have either sign: retrieval gain, the cost of a call, a penalty for an invalid action.

    Source: rewards per step of StepSearch, Wang et al. 2025, arXiv:2505.15107, section 3.
    """
    return settings.weight * as_floats("additions", additions)


class TurnCost(Shaping, name="turn_cost"):
    """A cost of every turn."""

    cost: Annotated[float, Range(0)]
    """Cost per turn, subtracted from its reward."""
    free: Annotated[int, Range(0)] = 0
    """Number of turns at the start that cost nothing."""


@shaping(TurnCost, needs=("turns",), gives="turn")
def turn_cost(turns: npt.ArrayLike, settings: TurnCost) -> Floats:
    """-cost for every turn but the first ``free`` ones; ``(N, T)``.

    Source: a constant cost of living, Sutton and Barto 2018, Reinforcement Learning.
    """
    exists = np.asarray(turns).astype(np.bool_)
    check_matrix("turns", exists.shape)
    charged = np.arange(exists.shape[1]) >= settings.free
    return np.where(exists & charged, -settings.cost, 0.0)


class Repetition(Shaping, name="repetition"):
    """A penalty for word sequences that a rollout repeats."""

    ngram: Annotated[int, Range(1)] = 3
    """Length of the word sequences, in words."""
    penalty: Annotated[float, Range(0)] = 1.0
    """Penalty if every sequence is a repetition; fewer repetitions cost proportionally less."""


@shaping(Repetition, needs=("actions",))
def repetition(actions: Sequence[Sequence[Turn]], settings: Repetition) -> Floats:
    """-penalty (1 - different n-grams / all n-grams) over what rollout i said in all its turns; ``(N,)``.

    A turn is a text, cut at white space, or a sequence of token ids. n-grams do not cross turns, but one that comes
    back in a later turn is a repetition. A rollout too short for one n-gram has 0.

    Source: Yeo et al. 2025, Demystifying Long Chain-of-Thought Reasoning, arXiv:2502.03373, in the form
    of open-r1's ``get_repetition_penalty_reward``; several turns are ours.
    """
    return np.array([-settings.penalty * _repeated_share(turns, settings.ngram) for turns in actions], dtype=np.float64)


class Ufo(Shaping, name="ufo"):
    """For repeated attempts at one answer: later successes earn less, and repeated answers cost."""

    gamma: Annotated[float, Range(0, 1)] = 0.5
    """Factor by which each further attempt multiplies the reward of a success."""
    penalty: Annotated[float, Range(0)] = 0.5
    """Penalty if all answers are the same; fewer repetitions cost proportionally less."""


@shaping(Ufo, needs=("solved", "turns", "answers"), gives="turn")
def ufo(solved: npt.ArrayLike, turns: npt.ArrayLike, answers: npt.ArrayLike, settings: Ufo) -> Floats:
    """At a rollout's last turn: (gamma^t - 1) if solved, with t turns before it, - penalty (1 - E / T); ``(N, T)``.

    For tasks that say "try again": added to an outcome of 1 it makes a solution in the first turn worth 1 and each
    further try gamma times as much. ``answers (N, T)`` are ids of the answers given, -1 for a turn without one;
    of the T answers of a rollout E are different.

    Source: Liu et al. 2025, A Simple "Try Again" Can Elicit Multi-Turn LLM Reasoning, arXiv:2507.14295
    (reward decay and repetition penalty); the defaults as in its code.
    """
    exists = np.asarray(turns).astype(np.bool_)
    check_matrix("turns", exists.shape)
    if np.shape(answers) != exists.shape:
        raise ValueError(f"answers has shape {np.shape(answers)}, the turns have {exists.shape}")
    right = as_mask("solved", solved, exists.shape[:1])
    ids = np.where(exists, answers, -1)
    before = np.maximum(exists.sum(axis=1) - 1, 0)
    decay = np.where(right, settings.gamma**before - 1.0, 0.0)
    last = exists & (returns_to_go(exists.astype(np.float64), exists, gamma=1.0) == 1)
    return np.where(last, (decay - settings.penalty * _repeated_answers(ids))[:, None], 0.0)


def _repeated_answers(ids: npt.NDArray[np.int64]) -> Floats:
    """1 - different answers / answers, 0 without an answer."""
    ordered = np.sort(ids, axis=1)
    given = (ordered >= 0).sum(axis=1)
    new = ordered[:, 1:] != ordered[:, :-1]
    different = ((ordered[:, 1:] >= 0) & new).sum(axis=1) + (ordered[:, :1] >= 0).sum(axis=1)
    return np.where(given > 0, 1.0 - different / np.maximum(given, 1), 0.0)


def _repeated_share(turns: Sequence[Turn], ngram: int) -> float:
    """1 - different / all n-grams."""
    different: set[tuple[str | int, ...]] = set()
    count = 0
    for turn in turns:
        words = turn.split() if isinstance(turn, str) else list(turn)
        for start in range(len(words) - ngram + 1):
            different.add(tuple(words[start : start + ngram]))
            count += 1
    return 1.0 - len(different) / count if count else 0.0
