"""Credit per rollout for the best of k: advantages whose policy gradient raises pass@k or max@k.

Legend as in ``group``: a group has n rollouts with returns R_i; C(n, k) is the binomial coefficient; rho is the
unbiased estimate of max@k, the mean over all k-subsets of the group of the largest return.
"""

from collections.abc import Callable
from math import comb, sqrt
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import (
    NO_SPREAD,
    Floats,
    as_floats,
    group_index,
    group_std,
)
from turnwise.baselines.methods.kinds import Credit, credit
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = ["pass_at_k_grpo", "pass_at_k_training", "pkpo"]


class Pkpo(Credit, name="pkpo"):
    """Weights whose policy gradient raises the best return of k rollouts."""

    k: Annotated[int, Range(1)] = 4
    """Number of rollouts whose best one counts; a smaller group uses the largest possible number."""
    variant: Literal["s", "s_loo", "s_loo_minus_one"] = "s_loo_minus_one"
    """Estimator of the paper: plain (s), or with one of two leave-one-out baselines."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant == "s_loo_minus_one" and self.k < 2:
            raise SettingsError(f"k is {self.k}; it must be 2 or more for variant 's_loo_minus_one'")


@credit(Pkpo, needs=("returns", "groups"))
def pkpo(returns: npt.ArrayLike, groups: npt.ArrayLike, settings: Pkpo) -> Floats:
    """Weights s_i with sum_i s_i grad log pi(i) an unbiased estimate of the gradient of max@k.

    - ``"s"``: s_i = sum over k-subsets I that hold i of max_I(R) / C(n, k); sum_i s_i = k rho.
    - ``"s_loo"``: s_i - 1/(n-1) sum_{j != i} s_j(group without i).
    - ``"s_loo_minus_one"`` (recommended by the paper; k at least 2): sum over k-subsets I that hold i of
      (max_I(R) - max_{I without i}(R)) / C(n, k), never negative.

    A group too small for k takes the largest k that is defined: n, or n - 1 for ``"s_loo"``. A group of one has
    s = R and zeros from the other two. ``"s"`` and ``"s_loo"`` do not vanish where all returns are equal.
    In O(n log n): sorted, the largest of a subset is its last.

    Source: Walder and Karkhanis 2025, Pass@K Policy Optimization, arXiv:2505.15201 (the reward
    transforms s, s_loo and s_loo-1).
    """
    return _each_group(
        as_floats("returns", returns), groups, lambda group: _VARIANTS[settings.variant](group, settings.k)
    )


class PassAtKGrpo(Credit, name="pass_at_k_grpo"):
    """The lead of the best of k rollouts over the second best."""

    k: Annotated[int, Range(2)] | None = None
    """Number of rollouts whose best one counts; by default the whole group."""
    normalize: bool = True
    """Divide by the group's standard deviation."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(PassAtKGrpo, needs=("returns", "groups"))
def pass_at_k_grpo(returns: npt.ArrayLike, groups: npt.ArrayLike, settings: PassAtKGrpo) -> Floats:
    """A_i = mean over k-subsets I of the group, of [i in I] (max_I(R) - max_{I without i}(R)), over (std + eps).

    With ``k=None`` the only subset is the group, as in the published code: the best rollout gets its lead over
    the second best, all others 0. The subsets of a smaller k are those of PKPO's ``"s_loo_minus_one"``. A k
    above the group's size means the size. ``normalize=False`` leaves the division out. Zeros without spread.

    Source: Tang et al. 2025, Optimizing Language Models for Inference Time Objectives, arXiv:2503.19595;
    division by std as in verl's ``compute_grpo_passk_outcome_advantage``; k below n after arXiv:2505.15201.
    """
    values = as_floats("returns", returns)
    gain = _each_group(values, groups, lambda group: _s_loo_minus_one(group, settings.k or len(group)))
    if not settings.normalize:
        return gain
    std = group_std(values, group_index(groups), ddof=settings.ddof)
    return np.where(std > 0, gain / (np.where(std > 0, std, 1.0) + settings.eps), 0.0)


class PassAtKTraining(Credit, name="pass_at_k_training"):
    """GRPO's advantage of a k-subset that holds a success, averaged over subsets."""

    k: Annotated[int, Range(1)] = 4
    """Number of rollouts, one of which has to succeed."""
    eps: Annotated[float, Range(0)] = 0.0
    """Number added to the standard deviation, which avoids division by 0."""


@credit(PassAtKTraining, needs=("returns", "groups"))
def pass_at_k_training(returns: npt.ArrayLike, groups: npt.ArrayLike, settings: PassAtKTraining) -> Floats:
    """GRPO's advantage of "a k-subset holds a success", averaged over the subsets that hold the rollout.

    With f failures among n and p = 1 - C(f, k) / C(n, k), sigma = sqrt(p (1 - p)): a success has
    (1 - p) / (sigma + eps), a failure (1 - p - C(f-1, k-1) / C(n-1, k-1)) / (sigma + eps). A return above 0.5 is
    a success. Zeros where p is 0 or 1; a k above the group's size means the size.

    Source: Chen et al. 2025, Pass@k Training, arXiv:2508.10751 (analytical derivation).
    """
    return _each_group(
        as_floats("returns", returns), groups, lambda group: _pass_at_k_training(group, settings.k, settings.eps)
    )


def _each_group(returns: Floats, groups: npt.ArrayLike, weigh: Callable[[Floats], Floats]) -> Floats:
    """``weigh`` of each group's ascending returns, put back in their places."""
    if np.shape(groups) != returns.shape:
        raise ValueError(f"groups has shape {np.shape(groups)}, the returns have {returns.shape}")
    index = group_index(groups)
    order = np.lexsort((returns, index))
    weights = np.zeros(returns.shape)
    for members in np.split(order, np.flatnonzero(np.diff(index[order])) + 1):
        if members.size:
            weights[members] = weigh(returns[members])
    return weights


def _shares(n: int, k: int, of: tuple[int, int]) -> Floats:
    """C(m, k) / C(of) for m = 0 ... n - 1, exact integers before the division; k = -1 counts nothing."""
    total = comb(*of)
    return np.array([comb(m, k) / total if k >= 0 else 0.0 for m in range(n)])


def _after(values: Floats) -> Floats:
    """Sum of the values after each place."""
    after: Floats = np.cumsum(values[::-1])[::-1] - values
    return after


def _before(values: Floats) -> Floats:
    """Sum of the values before each place."""
    before: Floats = np.cumsum(values) - values
    return before


def _s(returns: Floats, k: int) -> Floats:
    """Counting places from 0, i is the largest of C(i, k-1) subsets; j > i is that of C(j-1, k-2) which hold i."""
    n = len(returns)
    k = min(k, n)
    largest = _shares(n, k - 1, (n, k))
    with_one_fixed = np.concatenate(([0.0], _shares(n - 1, k - 2, (n, k))))
    return largest * returns + _after(with_one_fixed * returns)


def _s_loo(returns: Floats, k: int) -> Floats:
    """The others' mean s is k / (n-1) times their max@k, in which j is the largest of C(its place, k-1) subsets."""
    n = len(returns)
    k = min(k, n - 1)
    if k < 1:
        return np.zeros(n)
    place_kept = _shares(n, k - 1, (n - 1, k))
    place_lowered = np.concatenate(([0.0], place_kept[:-1]))  # j stood after i
    without = _before(place_kept * returns) + _after(place_lowered * returns)
    return _s(returns, k) - k / (n - 1) * without


def _s_loo_minus_one(returns: Floats, k: int) -> Floats:
    """Rollout i adds only where it is the largest: R_i - R_j for the C(j, k-2) subsets in which j < i is second."""
    n = len(returns)
    k = min(k, n)
    if k < 2 or float(returns[-1] - returns[0]) <= NO_SPREAD:
        return np.zeros(n)
    second = _shares(n, k - 2, (n, k))
    above = returns - returns[0]  # differences alone matter: large returns lose no digits
    gain: Floats = np.maximum(above * _before(second) - _before(second * above), 0.0)
    return gain


_VARIANTS: dict[str, Callable[[Floats, int], Floats]] = {
    "s": _s,
    "s_loo": _s_loo,
    "s_loo_minus_one": _s_loo_minus_one,
}


def _pass_at_k_training(returns: Floats, k: int, eps: float) -> Floats:
    n, failed = len(returns), int((returns <= 0.5).sum())
    k = min(k, n)
    none = comb(failed, k) / comb(n, k)
    if none in (0.0, 1.0):
        return np.zeros(n)
    sigma = sqrt(none * (1.0 - none)) + eps
    lost = none - comb(failed - 1, k - 1) / comb(n - 1, k - 1)
    return np.where(returns > 0.5, none, lost) / sigma
