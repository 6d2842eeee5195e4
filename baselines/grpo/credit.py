"""Credit: the rewards of a group of rollouts become one advantage per turn. Pure functions, numpy only.

Legend: a group is G rollouts of one task; R_i is rollout i's return (the sum of its turn rewards); r_{i,t} is
the reward of its turn t. Every function takes the ragged turn rewards of a group, ``rewards[i][t]``, and
returns ragged advantages of the same shape. The advantage of a turn is that of all tokens sampled in it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["CREDIT", "NO_SPREAD", "dr_grpo", "group_advantages", "grpo", "has_spread", "rloo", "turn_rtg"]

Floats = npt.NDArray[np.float64]
Rewards = Sequence[Sequence[float]]

NO_SPREAD = 1e-8
"""Returns closer than this are equal: sums of floats differ in the last bits, and a standard deviation of
1e-17 in a denominator would turn that noise into an advantage of order one."""


def grpo(rewards: Rewards, *, ddof: int = 1, eps: float = 1e-6) -> list[Floats]:
    """A_i = (R_i - mean(R)) / (std(R) + eps), the same for every turn.

    Published code differs in ``ddof`` (0 or 1) and ``eps`` (1e-8 to 1e-4), so both are explicit.

    Source: Shao et al. 2024, DeepSeekMath, arXiv:2402.03300, section 4.1.2 (outcome supervision).
    """
    returns = _returns(rewards)
    return _per_turn(rewards, (returns - returns.mean()) / (returns.std(ddof=ddof) + eps))


def dr_grpo(rewards: Rewards) -> list[Floats]:
    """A_i = R_i - mean(R).

    Without the division, which gives more weight to tasks that are nearly always solved or nearly always failed.

    Source: Liu et al. 2025, Understanding R1-Zero-Like Training, arXiv:2503.20783, section 3.2.
    """
    returns = _returns(rewards)
    return _per_turn(rewards, returns - returns.mean())


def rloo(rewards: Rewards) -> list[Floats]:
    """A_i = R_i - mean_{j != i}(R_j) = G/(G-1) (R_i - mean(R)): the baseline leaves out the rollout itself.

    Source: Ahmadian et al. 2024, Back to Basics, arXiv:2402.14740, section 3.2 (after Kool et al. 2019).
    """
    return _per_turn(rewards, _leave_one_out(_returns(rewards)))


def turn_rtg(rewards: Rewards) -> list[Floats]:
    """A_{i,t} = G_{i,t} - mean_{j != i}(G_{j,t}) with the return to go G_{i,t} = sum_{k >= t} r_{i,k}.

    A rollout that ended before turn t stays in the baseline with G = 0, as if it went on in an absorbing
    state without reward. Averaging over only the rollouts still alive at t would be biased: who is alive
    depends on the actions being judged.

    Source: return to go, Williams 1992 (REINFORCE), Machine Learning 8; leave-one-out baseline,
    arXiv:2402.14740, section 3.2; the absorbing state is our choice.
    """
    turns = max((len(r) for r in rewards), default=0)
    padded = np.zeros((len(rewards), turns))  # (G, T)
    for i, row in enumerate(rewards):
        padded[i, : len(row)] = row
    to_go = np.cumsum(padded[:, ::-1], axis=1)[:, ::-1]
    advantages = _leave_one_out(to_go)
    return [advantages[i, : len(row)] for i, row in enumerate(rewards)]


CREDIT: dict[str, Callable[..., list[Floats]]] = {
    "grpo": grpo,
    "dr_grpo": dr_grpo,
    "rloo": rloo,
    "turn_rtg": turn_rtg,
}


def group_advantages(
    name: str, rewards: Rewards, valid: Sequence[bool], *, ddof: int = 1, eps: float = 1e-6
) -> list[Floats]:
    """Advantages of a whole group under the credit called ``name``.

    A rollout that is not ``valid`` (its environment failed) is no part of the baseline and has advantage 0;
    so has every rollout where fewer than two are valid, and where nothing distinguishes the rollouts.
    """
    advantages = [np.zeros(len(r)) for r in rewards]
    kept = [i for i, ok in enumerate(valid) if ok]
    if len(kept) < 2 or not _differ([rewards[i] for i in kept], per_turn=name == "turn_rtg"):
        return advantages
    options: dict[str, Any] = {"ddof": ddof, "eps": eps} if name == "grpo" else {}
    if name == "grpo" and len(kept) <= ddof:
        return advantages
    for i, values in zip(kept, CREDIT[name]([rewards[i] for i in kept], **options), strict=True):
        advantages[i] = values
    return advantages


def has_spread(rewards: Rewards, valid: Sequence[bool]) -> bool:
    """Whether the returns of the valid rollouts differ: a group without spread teaches nothing.

    Source: dynamic sampling, Yu et al. 2025, DAPO, arXiv:2503.14476, section 3.2.
    """
    kept = [r for r, ok in zip(rewards, valid, strict=True) if ok]
    return len(kept) >= 2 and _differ(kept, per_turn=False)


def _differ(rewards: Rewards, *, per_turn: bool) -> bool:
    """Returns (or, per turn, any returns to go) that differ by more than rounding."""
    if per_turn:
        return any(float(np.abs(a).max(initial=0.0)) > NO_SPREAD for a in turn_rtg(rewards))
    return float(np.ptp(_returns(rewards))) > NO_SPREAD


def _returns(rewards: Rewards) -> Floats:
    """R_i, shape (G,)."""
    return np.array([sum(r) for r in rewards], dtype=np.float64)


def _per_turn(rewards: Rewards, advantages: Floats) -> list[Floats]:
    """One advantage per rollout, repeated for each of its turns."""
    return [np.full(len(row), a) for row, a in zip(rewards, advantages, strict=True)]


def _leave_one_out(values: Floats) -> Floats:
    """values[i] - mean of the others, along the first axis."""
    left_out: Floats = values - (values.sum(axis=0) - values) / (len(values) - 1)
    return left_out
