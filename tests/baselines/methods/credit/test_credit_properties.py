"""What holds of every credit function of the registry: order, names of groups, padding, whole batches."""

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.baselines.methods.credit import CREDIT, REWARDS, SHAPING
from turnwise.baselines.methods.credit.turns import turn_rtg_alive_only

BATCH_WIDE = {"rebn", "rebn_turn", "reinforce_pp", "reinforce_pp_turn", "reinforce_pp_baseline"}
UNCENTRED = {"psr", "nsr", "w_reinforce", "gae", "bi_level_gae", "pkpo", "rae"}
ROLLOUT = {"returns", "groups", "lengths", "strata", "finished", "role_averages"}
TURN = {"rewards", "turns", "anchors", "info", "progress", "executable"}
TOKEN = {"token_rewards", "values", "mask", "token_turns", "tokens"}
METHODS = {**CREDIT, "turn_rtg_alive_only": turn_rtg_alive_only}
names = st.sampled_from(sorted(METHODS))
seeds = st.integers(0, 2**32 - 1)


def batch(seed: int) -> dict[str, np.ndarray]:
    """Random data of every name, with groups of 1 and more rollouts and rows of every length."""
    rng = np.random.default_rng(seed)
    n, t, length = 7, 3, 6
    turns = np.arange(t) < rng.integers(1, t + 1, n)[:, None]
    mask = rng.random((n, length)) < 0.8
    rewards = rng.integers(0, 3, (n, t)) / 2 * turns
    return {
        "returns": rewards.sum(axis=1),
        "groups": rng.integers(0, 3, n) * 10 - 5,
        "lengths": mask.sum(axis=1),
        "strata": rng.integers(0, 2, n),
        "finished": rng.random(n) < 0.7,
        "rewards": rewards,
        "turns": turns,
        "anchors": rng.integers(0, 3, (n, t)),
        "info": rng.random((n, t + 1)),
        "progress": rng.random((n, t)),
        "executable": rng.integers(0, 2, (n, t)).astype(float),
        "token_rewards": rng.normal(size=(n, length)),
        "values": rng.normal(size=(n, length)),
        "mask": mask,
        "token_turns": np.where(mask, np.sort(rng.integers(0, 3, (n, length)), axis=1), -1),
        "tokens": rng.integers(0, 2, (n, length)),
        "role_averages": rng.random(n),
    }


def data_names(name: str) -> list[str]:
    return list(METHODS[name].needs)


def advantages(name: str, data: dict[str, np.ndarray], **settings: Any) -> np.ndarray:
    return METHODS[name](*(data[p] for p in data_names(name)), **settings)


@pytest.mark.parametrize("registry", [CREDIT, SHAPING, REWARDS])
def test_methods_say_what_they_need_and_where_they_are_from(registry):
    for name in registry:
        if name == "environment" and registry is REWARDS:  # no method: the environment's own rewards
            continue
        method = registry[name]
        data = [p for p in inspect.signature(method.function).parameters if p not in ("settings", "stats")]
        assert list(method.needs) == data
        assert "Source:" in (method.__doc__ or "")


def test_the_data_names_are_those_of_the_trainer():
    for name in CREDIT:
        assert set(data_names(name)) <= ROLLOUT | TURN | TOKEN
    assert "turn_rtg_alive_only" not in CREDIT


@given(names, seeds)
@settings(max_examples=150)
def test_shapes_and_zeros_where_nothing_was_done(name, seed):
    data = batch(seed)
    given = advantages(name, data)
    assert given.dtype == np.float64 and np.isfinite(given).all()
    if given.ndim == 2:
        exists = data["turns"] if "turns" in data_names(name) else data["mask"]
        assert given.shape == exists.shape and np.all(given[~exists] == 0)
    else:
        assert given.shape == data["returns"].shape


@given(names, seeds)
@settings(max_examples=150)
def test_the_order_of_the_rollouts_changes_nothing(name, seed):
    data = batch(seed)
    order = np.random.default_rng(seed).permutation(7)
    shuffled = advantages(name, {key: values[order] for key, values in data.items()})
    assert shuffled == pytest.approx(advantages(name, data)[order], abs=1e-8)


@given(names, seeds)
@settings(max_examples=150)
def test_the_names_of_the_groups_change_nothing(name, seed):
    data = batch(seed)
    renamed = {**data, "groups": 100 - 3 * data["groups"], "strata": 5 - data["strata"], "anchors": 9 - data["anchors"]}
    assert advantages(name, renamed) == pytest.approx(advantages(name, data), abs=1e-8)


@given(st.sampled_from(sorted(set(METHODS) - BATCH_WIDE)), seeds)
@settings(max_examples=150)
def test_a_batch_is_its_groups_one_by_one(name, seed):
    data = batch(seed)
    whole = advantages(name, data)
    for group in np.unique(data["groups"]):
        members = data["groups"] == group
        alone = advantages(name, {key: values[members] for key, values in data.items()})
        assert np.array_equal(alone, whole[members])


@pytest.mark.parametrize("name", sorted(BATCH_WIDE))
def test_the_batch_wide_methods_do_not_split(name):
    data = batch(1)
    members = data["groups"] == data["groups"][0]
    alone = advantages(name, {key: values[members] for key, values in data.items()})
    assert not np.allclose(alone, advantages(name, data)[members])


@given(names, seeds)
@settings(max_examples=150)
def test_padding_changes_nothing(name, seed):
    data, rng = batch(seed), np.random.default_rng(seed)
    padded = dict(data)
    for key, values in data.items():
        if key in ROLLOUT:
            continue
        garbage = np.full((7, 2), np.nan) if values.dtype == np.float64 else rng.integers(0, 3, (7, 2))
        garbage = np.zeros((7, 2), dtype=bool) if key in ("turns", "mask") else garbage
        padded[key] = np.concatenate([values, garbage.astype(values.dtype)], axis=1)
    plain = advantages(name, data)
    given = advantages(name, padded)
    assert np.array_equal(given[:, :-2] if given.ndim == 2 else given, plain)
    assert given.ndim == 1 or np.all(given[:, -2:] == 0)


@pytest.mark.parametrize("name", ["gigpo", "igpo", "turn_rtg_loo", "reinforce_pp_turn"])
def test_longer_neighbours_change_no_bit(name):
    """Ten turns padded to twenty: sums must not be taken in another order."""
    rng = np.random.default_rng(0)
    data = {"rewards": rng.random((8, 10)), "info": rng.random((8, 11)), "groups": np.arange(8) % 2}
    data |= {"turns": np.ones((8, 10), dtype=bool), "anchors": rng.integers(0, 3, (8, 10))}
    longer = {k: v if v.ndim == 1 else np.pad(v, ((0, 0), (0, 10))) for k, v in data.items()}
    assert np.array_equal(advantages(name, longer)[:, :10], advantages(name, data))


@given(names, seeds)
@settings(max_examples=150)
def test_what_a_masked_place_holds_changes_nothing(name, seed):
    data = batch(seed)
    changed = dict(data)
    for key, values in data.items():
        if values.dtype == np.float64 and values.shape in (data["turns"].shape, data["mask"].shape):
            changed[key] = np.where(data["turns"] if key in TURN else data["mask"], values, np.nan)
        elif key in ("anchors", "tokens"):
            changed[key] = np.where(data["turns"] if key in TURN else data["mask"], values, 77)
    assert np.array_equal(advantages(name, changed), advantages(name, data))


@pytest.mark.parametrize("name", sorted(set(METHODS) - UNCENTRED))
def test_rollouts_that_all_went_alike_teach_nothing(name):
    """Exact zeros, though the returns are not exactly equal."""
    data = batch(0)
    same = np.full((7, 3), 0.1)
    data |= {
        "turns": np.ones((7, 3), dtype=bool),
        "mask": np.ones((7, 6), dtype=bool),
        "rewards": same,
        "progress": same,
        "executable": same * 0,
        "info": np.tile([0.0, 0.3, 0.6, 0.9], (7, 1)),
        "anchors": np.tile([0, 1, 2], (7, 1)),
        "lengths": np.full(7, 6),
        "token_rewards": np.zeros((7, 6)),
        "returns": 0.3 + 1e-12 * np.arange(7),
    }
    if name in ("rebn_turn", "reinforce_pp_turn"):  # their turns differ: only the last counts
        data["rewards"] = same * np.array([0, 0, 1])
    if name == "igpo":
        data["rewards"] = same * np.array([0, 0, 3])  # gains and outcome are all .3
    assert np.all(advantages(name, data) == 0.0)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_an_empty_batch(name):
    empty = {key: values[:0] for key, values in batch(0).items()}
    assert advantages(name, empty).shape[0] == 0
