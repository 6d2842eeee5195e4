"""Shared parts of the credit functions: group statistics, returns to go, whitening, checks.

A group is the rollouts with the same id, whatever the ids are and in whatever order. Every function here that
takes ``index`` wants it from ``group_index`` and returns, for each element, the statistic of its own group.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.core.errors import SettingsError

__all__ = [
    "NO_SPREAD",
    "Bools",
    "Floats",
    "Ints",
    "as_floats",
    "as_mask",
    "centred",
    "check_matrix",
    "check_setting",
    "check_spread",
    "differs",
    "group_index",
    "group_mean",
    "group_size",
    "group_std",
    "group_sum",
    "has_spread",
    "leave_one_out",
    "masked",
    "returns_to_go",
    "row_sum",
    "standardised",
    "whitened",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NO_SPREAD = 1e-8
"""Returns closer than this are equal: sums of floats differ in the last bits, and a standard deviation of
1e-17 in a denominator would turn that noise into an advantage of order one."""


def check_setting(ok: bool, name: str, value: object, accepted: str) -> None:
    """Raise ``SettingsError`` unless the setting is ``ok``."""
    if not ok:
        raise SettingsError(f"{name} is {value!r}; it must be {accepted}")


def check_spread(ddof: int, eps: float) -> None:
    """Raise ``SettingsError`` unless they fit a division by (std + eps)."""
    check_setting(ddof in (0, 1), "ddof", ddof, "0 (population) or 1 (Bessel)")
    check_setting(eps >= 0, "eps", eps, "at least 0")


def check_matrix(name: str, shape: tuple[int, ...]) -> None:
    """Raise ``ValueError`` unless the array has a row per rollout."""
    if len(shape) != 2:
        raise ValueError(f"{name} has shape {shape}; it must have one row per rollout, two dimensions")


def as_floats(name: str, values: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> Floats:
    """The values as float64, checked to be finite and of the shape of the other arrays."""
    array = np.asarray(values, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, the arrays it belongs to have {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has values that are not finite")
    return array


def as_mask(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Bools:
    """The values as booleans, checked to be of the shape of the other arrays."""
    array = np.asarray(values).astype(np.bool_)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, the arrays it belongs to have {shape}")
    return array


def masked(name: str, values: npt.ArrayLike, mask: Bools) -> Floats:
    """The values as float64 where the mask is set, checked there, and 0 elsewhere, whatever stands there."""
    check_matrix(name, np.shape(values))
    if np.shape(values) != mask.shape:
        raise ValueError(f"{name} has shape {np.shape(values)}, the arrays it belongs to have {mask.shape}")
    return as_floats(name, np.where(mask, values, 0.0))


def row_sum(values: Floats) -> Floats:
    """Sum of each row from left to right, so that columns of zeros at its end change no bit."""
    sums: Floats = np.cumsum(values, axis=1)[:, -1] if values.shape[1] else np.zeros(len(values))
    return sums


def group_index(groups: npt.ArrayLike, *more: npt.ArrayLike) -> Ints:
    """Groups numbered 0, 1, ...; with ``more`` ids, elements are of one group when all of their ids are equal."""
    index: Ints = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1).astype(np.int64)
    for ids in more:
        finer = np.unique(np.asarray(ids), return_inverse=True)[1].reshape(-1)
        pairs = index * (int(finer.max(initial=0)) + 1) + finer
        index = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return index


def group_sum(values: Floats, index: Ints) -> Floats:
    """Sum over the group, along the first axis."""
    sums = np.zeros((int(index.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, index, values)
    return sums[index]


def group_size(index: Ints) -> Floats:
    """Number of elements in the group."""
    return np.bincount(index)[index].astype(np.float64) if index.size else np.zeros(0)


def group_mean(values: Floats, index: Ints, weights: Floats | None = None) -> Floats:
    """Mean over the group, ``(N,)``; with weights sum(w x) / sum(w), and the plain mean where the weights are all 0."""
    mean = group_sum(values, index) / group_size(index)
    if weights is None:
        return mean
    total = group_sum(weights, index)
    return np.where(total > 0, group_sum(weights * values, index) / np.where(total > 0, total, 1.0), mean)


def group_std(values: Floats, index: Ints, *, ddof: int) -> Floats:
    """Standard deviation over the group, ``(N,)``; 0 where the group has no more than ``ddof`` elements."""
    left = group_size(index) - ddof
    squares = group_sum((values - group_mean(values, index)) ** 2, index)
    std: Floats = np.sqrt(np.where(left > 0, squares / np.where(left > 0, left, 1.0), 0.0))
    return std


def differs(values: Floats, index: Ints) -> Bools:
    """Whether the group's values differ by more than ``NO_SPREAD``, along the first axis."""
    shape = (int(index.max(initial=-1)) + 1, *values.shape[1:])
    low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
    np.minimum.at(low, index, values)
    np.maximum.at(high, index, values)
    spread: Bools = (high - low > NO_SPREAD)[index]
    return spread


def has_spread(returns: npt.ArrayLike, groups: npt.ArrayLike) -> Bools:
    """For each rollout ``(N,)``, whether the returns of its group differ: a group without spread teaches nothing.

    Source: dynamic sampling, Yu et al. 2025, DAPO, arXiv:2503.14476, section 3.2; the tolerance is ours.
    """
    values = as_floats("returns", returns)
    return differs(values, group_index(groups))


def centred(values: Floats, index: Ints) -> Floats:
    """Value minus the group's mean; exact zeros in a group without spread."""
    return np.where(differs(values, index), values - group_mean(values, index), 0.0)


def standardised(values: Floats, index: Ints, *, ddof: int, eps: float) -> Floats:
    """(value - mean) / (std + eps) over the group; exact zeros without spread or with no more than ddof elements."""
    check_spread(ddof, eps)
    std = group_std(values, index, ddof=ddof)
    return np.where(std > 0, centred(values, index) / (np.where(std > 0, std, 1.0) + eps), 0.0)


def leave_one_out(values: Floats, index: Ints) -> Floats:
    """Value minus the mean of the group's others, along the first axis; exact zeros without spread or alone."""
    others = (group_size(index) - 1).reshape(-1, *[1] * (values.ndim - 1))
    baseline = (group_sum(values, index) - values) / np.maximum(others, 1)
    return np.where(differs(values, index), values - baseline, 0.0)


def returns_to_go(rewards: Floats, mask: Bools, *, gamma: float) -> Floats:
    """G_t = r_t + gamma G_{t+1} over the masked columns of each row; the columns between carry G and discount nothing.

    Rewards outside the mask are ignored, and G there is 0.
    """
    check_setting(0 <= gamma <= 1, "gamma", gamma, "between 0 and 1")
    to_go = np.zeros(rewards.shape)
    paid = np.where(mask, rewards, 0.0)
    running = np.zeros(len(rewards))
    for t in reversed(range(rewards.shape[1])):
        running = np.where(mask[:, t], paid[:, t] + gamma * running, running)
        to_go[:, t] = running
    return np.where(mask, to_go, 0.0)


def whitened(values: Floats, weights: npt.NDArray[Any], *, ddof: int, eps: float) -> Floats:
    """(x - mean) / sqrt(var + eps) with mean and var = sum w (x - mean)^2 / (sum w - ddof) over the whole batch.

    ``weights`` are counts or a mask. Values of weight 0 become 0, and so does everything where no values differ.
    """
    check_spread(ddof, eps)
    counted = weights > 0
    sample, weight = values[counted], weights[counted]
    total = float(weight.sum())
    if total <= ddof or float(np.ptp(sample)) <= NO_SPREAD:
        return np.zeros(values.shape)
    mean = float((weight * sample).sum()) / total
    var = float((weight * (sample - mean) ** 2).sum()) / (total - ddof)
    return np.where(counted, (values - mean) / np.sqrt(var + eps), 0.0)
