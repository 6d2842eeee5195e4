"""Shaping: pure functions that give what to add to the reward, per rollout ``(N,)`` or per turn ``(N, T)``.

An addition never touches the outcome itself: whoever adds it keeps the two apart, so that reports, curricula and
the choice of rollouts see what was solved and not what was shaped. ``turns (N, T)`` says which turns exist;
additions are 0 where they do not.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import (
    Floats,
    as_floats,
    as_mask,
    check_matrix,
    check_setting,
    returns_to_go,
)

__all__ = ["SHAPING", "environment", "format_penalty", "overlong", "repetition", "turn_cost", "ufo"]

Turn = str | Sequence[int]


def overlong(lengths: npt.ArrayLike, *, max_len: int, cache: int) -> Floats:
    """0 for up to max_len - cache tokens, then (max_len - cache - length) / cache, and -1 above max_len; ``(N,)``.

    Source: Yu et al. 2025, DAPO, arXiv:2503.14476, equation 13 (soft overlong punishment).
    """
    check_setting(0 < cache <= max_len, "cache", cache, f"between 1 and max_len = {max_len}")
    over = as_floats("lengths", lengths) - (max_len - cache)
    return -np.clip(over / cache, 0.0, 1.0)


def format_penalty(invalid: npt.ArrayLike, *, penalty: float = 0.1) -> Floats:
    """-penalty for every turn whose action the environment could not read (``invalid (N, T)``).

    Source: Wang et al. 2025, RAGEN, arXiv:2504.20073 (format penalty).
    """
    check_setting(penalty >= 0, "penalty", penalty, "at least 0; it is subtracted")
    return np.where(np.asarray(invalid).astype(np.bool_), -penalty, 0.0)


def environment(additions: npt.ArrayLike, *, weight: float = 1.0) -> Floats:
    """What the environment itself gave for learning (``info["shaping"]``), weighted: ``additions (N, T)``.

    Of either sign: retrieval gain, the cost of a call, a penalty for an invalid action.

    Source: rewards per step of StepSearch, Wang et al. 2025, arXiv:2505.15107, section 3.
    """
    check_setting(np.isfinite(weight), "weight", weight, "a finite number")
    return weight * as_floats("additions", additions)


def turn_cost(turns: npt.ArrayLike, *, cost: float, free: int = 0) -> Floats:
    """-cost for every turn but the first ``free`` ones; ``(N, T)``.

    Source: a constant cost of living, Sutton and Barto 2018, Reinforcement Learning.
    """
    check_setting(cost >= 0, "cost", cost, "at least 0; it is subtracted")
    check_setting(free >= 0, "free", free, "at least 0")
    exists = np.asarray(turns).astype(np.bool_)
    check_matrix("turns", exists.shape)
    charged = np.arange(exists.shape[1]) >= free
    return np.where(exists & charged, -cost, 0.0)


def repetition(actions: Sequence[Sequence[Turn]], *, ngram: int = 3, penalty: float = 1.0) -> Floats:
    """-penalty (1 - different n-grams / all n-grams) over what rollout i said in all its turns; ``(N,)``.

    A turn is a text, cut at white space, or a sequence of token ids. n-grams do not cross turns, but one that comes
    back in a later turn is a repetition. A rollout too short for one n-gram has 0.

    Source: Yeo et al. 2025, Demystifying Long Chain-of-Thought Reasoning, arXiv:2502.03373, in the form
    of open-r1's ``get_repetition_penalty_reward``; several turns are ours.
    """
    check_setting(isinstance(ngram, int) and ngram >= 1, "ngram", ngram, "at least 1, a whole number")
    check_setting(penalty >= 0, "penalty", penalty, "at least 0; it is subtracted")
    return np.array([-penalty * _repeated_share(turns, ngram) for turns in actions], dtype=np.float64)


def ufo(
    solved: npt.ArrayLike,
    turns: npt.ArrayLike,
    answers: npt.ArrayLike,
    *,
    gamma: float = 0.5,
    penalty: float = 0.5,
) -> Floats:
    """At a rollout's last turn: (gamma^t - 1) if solved, with t turns before it, - penalty (1 - E / T); ``(N, T)``.

    For tasks that say "try again": added to an outcome of 1 it makes a solution in the first turn worth 1 and each
    further try gamma times as much. ``answers (N, T)`` are ids of the answers given, -1 for a turn without one;
    of the T answers of a rollout E are different.

    Source: Liu et al. 2025, A Simple "Try Again" Can Elicit Multi-Turn LLM Reasoning, arXiv:2507.14295
    (reward decay and repetition penalty); the defaults as in its code.
    """
    check_setting(0 <= gamma <= 1, "gamma", gamma, "between 0 and 1")
    check_setting(penalty >= 0, "penalty", penalty, "at least 0; it is subtracted")
    exists = np.asarray(turns).astype(np.bool_)
    check_matrix("turns", exists.shape)
    if np.shape(answers) != exists.shape:
        raise ValueError(f"answers has shape {np.shape(answers)}, the turns have {exists.shape}")
    right = as_mask("solved", solved, exists.shape[:1])
    ids = np.where(exists, answers, -1)
    before = np.maximum(exists.sum(axis=1) - 1, 0)
    decay = np.where(right, gamma**before - 1.0, 0.0)
    last = exists & (returns_to_go(exists.astype(np.float64), exists, gamma=1.0) == 1)
    return np.where(last, (decay - penalty * _repeated_answers(ids))[:, None], 0.0)


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


SHAPING: dict[str, Callable[..., Floats]] = {
    "environment": environment,
    "overlong": overlong,
    "format": format_penalty,
    "turn_cost": turn_cost,
    "repetition": repetition,
    "ufo": ufo,
}
