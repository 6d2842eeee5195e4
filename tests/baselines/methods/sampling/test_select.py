"""Samplers in the loop of a trainer; dynamic sampling by hand and against float noise."""

import itertools
import statistics as stats
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.baselines.methods._made import make_sampler
from turnwise.baselines.methods.sampling import SAMPLING
from turnwise.baselines.methods.sampling.select import Choice, Sampler, has_spread, statistics
from turnwise.core.errors import SettingsError

NOISE = [0.1 + 0.2, 0.3, 0.3, 0.3]  # a sum of turn rewards in another order: 5.6e-17 apart
returns = st.lists(st.floats(0, 1).map(lambda x: round(x, 2)), min_size=0, max_size=9)


def play(sampler: Sampler, wanted: int, reward: Callable[[int, int], float]) -> list[list[float]]:
    """The loop of a trainer; ``reward(task, rollout)`` stands for the environment."""
    groups = [[reward(task, i) for i in range(sampler.first)] for task in range(wanted)]
    for round in itertools.count(1):
        extra = sampler.more(groups, round=round)
        tasks = sampler.refill(groups, wanted=wanted, round=round)
        if not any(extra) and not tasks:
            return groups
        for task, (group, n) in enumerate(zip(groups, extra, strict=True)):
            group += [reward(task, i) for i in range(len(group), len(group) + n)]
        groups += [[reward(task, i) for i in range(sampler.first)] for task in range(len(groups), len(groups) + tasks)]
    raise AssertionError


def test_spread_by_hand():
    assert has_spread([0.0, 1.0, 1.0]) and has_spread([0.5, 0.5 + 2e-8])
    assert not has_spread([1.0, 1.0]) and not has_spread([0.5]) and not has_spread([])
    assert not has_spread([0.5, 0.5 + 5e-9])


def test_rounding_is_no_spread():
    assert not has_spread(NOISE) and not has_spread([1e-17, 0.0, -1e-17])
    assert max(NOISE) != min(NOISE) and stats.pstdev(NOISE) > 0  # the negative control: what naive tests would keep
    assert make_sampler("dynamic", 4).choose(NOISE) is None


def test_statistics_by_hand():
    # 0, 0, 1, 1, 1: mean 0.6, squares 5 * 0.24 = 1.2
    assert statistics([1.0, 0.0, 1.0, 0.0, 1.0], ddof=0) == pytest.approx((0.6, (1.2 / 5) ** 0.5))
    assert statistics([1.0, 0.0, 1.0, 0.0, 1.0], ddof=1) == pytest.approx((0.6, (1.2 / 4) ** 0.5))
    assert statistics([0.7], ddof=1) == (0.7, 0.0) and statistics([]) == (0.0, 0.0)


@given(returns.filter(len))
def test_statistics_do_not_depend_on_the_order(group):
    assert statistics(group) == statistics(group[::-1]) == statistics(sorted(group))


def test_all_plays_once_and_keeps_everything():
    sampler = make_sampler("all", 3)
    groups = play(sampler, 4, lambda task, i: 1.0)
    assert groups == [[1.0] * 3] * 4
    assert sampler.choose(groups[0]) == Choice((0, 1, 2), 1.0, 0.0)
    assert sampler.choose([]) is None


def test_dynamic_sampling_replaces_groups_until_enough_remain():
    sampler = make_sampler("dynamic", 2, {"max_refills": 5})
    rewards = {0: (0, 1), 1: (1, 1), 2: (0, 0), 3: (1, 1), 4: (1, 0), 5: (0, 1), 6: (0, 1)}
    groups = play(sampler, 3, lambda task, i: float(rewards[task][i]))
    # round 1 keeps task 0 of 0, 1, 2 and plays 3, 4; round 2 has 0, 4 and plays 5; then there are three
    assert len(groups) == 6
    assert [sampler.choose(g) is not None for g in groups] == [True, False, False, False, True, True]
    assert sampler.choose(groups[0]) == Choice((0, 1), 0.5, pytest.approx(0.5**0.5))


def test_dynamic_sampling_gives_up_after_its_refills():
    assert len(play(make_sampler("dynamic", 2, {"max_refills": 2}), 3, lambda task, i: 1.0)) == 9
    assert len(play(make_sampler("dynamic", 2, {"max_refills": 0}), 3, lambda task, i: 1.0)) == 3


@pytest.mark.parametrize("name", sorted(SAMPLING))
@given(groups=st.lists(returns, max_size=5), round=st.integers(1, 6))
def test_what_every_sampler_promises(name, groups, round):
    sampler = make_sampler(name, 4)
    extra = sampler.more(groups, round=round)
    assert len(extra) == len(groups) and all(n >= 0 for n in extra)
    assert 0 <= sampler.refill(groups, wanted=3, round=round) <= 3
    for group in groups:
        choice = sampler.choose(group)
        assert choice == sampler.choose(list(group))
        if choice is not None:
            assert list(choice.kept) == sorted(set(choice.kept)) and set(choice.kept) <= set(range(len(group)))
            assert (choice.mean, choice.std) == statistics(group)


@pytest.mark.parametrize("name", sorted(SAMPLING))
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_no_loop_is_endless_or_beyond_its_most(name, value):
    sampler = make_sampler(name, 4)
    assert all(len(group) <= sampler.most for group in play(sampler, 3, lambda task, i: value))


@pytest.mark.parametrize(
    ("name", "n", "settings", "message"),
    [
        ("some", 4, {}, "sampling is 'some'; it must be one of"),
        ("dynamic", 4, {"refills": 1}, r"no setting 'refills' .did you mean 'max_refills'"),
        ("dynamic", 4, {"max_refills": -1}, "max_refills is -1; it must be at least 0"),
        ("all", 0, {}, "n is 0; it must be 1 or more"),
        ("all", 4, {"ddof": -1}, "ddof is -1; it must be at least 0"),
        ("reinforce_ada", 4, {"rule": "both"}, "rule is 'both'; it must be 'balance' or 'positive'"),
        ("reinforce_ada", 40, {}, "40 rollouts cannot be kept of .* = 32"),
        ("reinforce_ada", 4, {"samples": 0}, "samples is 0; it must be at least 1"),
        ("dars", 40, {}, "n_max is 32; it must be at least group_size, which is 40"),
        ("dars", 4, {"schedule": "HW"}, "schedule is 'HW'; it must be 'equal' or 'hard'"),
    ],
)
def test_bad_settings_are_named(name, n, settings, message):
    with pytest.raises(SettingsError, match=message):
        make_sampler(name, n, settings)
