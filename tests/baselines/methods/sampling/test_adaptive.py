"""Reinforce-Ada and DARS: every case of a small group, and the schedules by hand."""

import itertools
import math
from fractions import Fraction

import pytest

from tests.baselines.methods._made import make_sampler
from turnwise.baselines.methods.sampling.adaptive import balanced, dars_extra, reinforce_ada_done
from turnwise.baselines.methods.sampling.select import Choice
from turnwise.core.errors import SettingsError


def test_done_by_hand():
    assert [reinforce_ada_done(p, q, n=4) for p, q in [(2, 2), (1, 9), (9, 1), (2, 1), (3, 3)]] == [
        True, False, False, False, True
    ]  # fmt: skip
    assert reinforce_ada_done(1, 2, n=3) and not reinforce_ada_done(2, 1, n=3)  # 3 // 2 = 1 positive, 2 negative
    assert reinforce_ada_done(1, 0, n=4, rule="positive") and not reinforce_ada_done(0, 9, n=4, rule="positive")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_balance_on_every_group_of_up_to_six(n):
    for size in range(7):
        for positive in itertools.product([False, True], repeat=size):
            kept = balanced(positive, n=n)
            assert kept == sorted(set(kept)) and len(kept) == min(n, size)
            num = sum(positive)
            # of all ways to keep so many, the one with the number of positives nearest to n // 2
            possible = [p for p in range(num + 1) if 0 <= len(kept) - p <= size - num]
            assert sum(positive[i] for i in kept) == min(possible, key=lambda p: abs(p - n // 2))
            for kind in (False, True):  # the first of each kind
                of_kind = [i for i in range(size) if positive[i] is kind]
                chosen = [i for i in kept if positive[i] is kind]
                assert chosen == of_kind[: len(chosen)]


def test_reinforce_ada_samples_until_balanced_and_keeps_the_statistics_of_the_pool():
    sampler = make_sampler("reinforce_ada", 4, {"samples": 3, "max_rounds": 3})
    assert sampler.first == 3 and sampler.most == 9
    groups = [[1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0] * 3, [1.0] * 3]
    assert sampler.more(groups, round=1) == [3, 0, 3, 3]
    assert sampler.more([[1.0, 0, 0, 0, 0, 1.0]], round=2) == [0]
    assert sampler.more(groups, round=3) == [0, 0, 0, 0]  # three rounds were played
    # 2 of 8 positive: rollouts 0 and 7 and the first two negatives; mean 1/4, variance 8 * 3/16 / 7
    choice = sampler.choose([1.0, 0, 0, 0, 0, 0, 0, 1.0])
    assert choice == Choice((0, 1, 2, 7), 0.25, pytest.approx(math.sqrt(1.5 / 7)))
    # the negative control: the four kept have a mean of 1/2, which the policy does not have
    assert sum([1.0, 0.0, 0.0, 1.0]) / 4 != choice.mean


def test_reinforce_ada_positive_stops_at_one_success():
    sampler = make_sampler("reinforce_ada", 4, {"rule": "positive", "samples": 3})
    assert sampler.more([[1.0, 0.0, 0.0], [0.0] * 3, [1.0] * 3], round=1) == [0, 3, 0]
    assert sampler.choose([0.0] * 6).kept == (0, 1, 2, 3)
    assert sampler.choose([1.0, 1.0, 1.0, 0.0, 1.0, 1.0]).kept == (0, 1, 2, 3)  # one negative, filled up to four


def test_a_partial_reward_is_no_success():
    sampler = make_sampler("reinforce_ada", 2, {"samples": 2})
    assert sampler.more([[0.7, 0.0], [0.71, 0.0]], round=1) == [2, 0]
    assert sampler.choose([0.7, 0.71, 0.0, 0.0]).kept == (0, 1)  # the first negative and the only positive


@pytest.mark.parametrize(
    ("successes", "equal", "hard"),
    [
        (0, 27, 56),  # acc 1/16: S = 15/128; (4 - 15/16) / S = 26.1; (7.5 - 15/16) / S = 56
        (1, 11, 24),  # S = 7/32; (4 - 7/4) / S = 10.3; (7 - 7/4) / S = 24
        (2, 3, 8),  # S = 3/8; (4 - 3) / S = 2.7; (6 - 3) / S = 8
        (3, 1, 3),  # S = 15/32; (4 - 15/4) / S = 0.53; (5 - 15/4) / S = 2.7
        (4, 0, 0), (5, 0, 0), (8, 0, 0),
    ],
)  # fmt: skip
def test_dars_by_hand(successes, equal, hard):
    acc = successes / 8
    assert dars_extra(acc, n=8, n_max=1000) == equal
    assert dars_extra(acc, n=8, n_max=1000, schedule="hard") == hard
    assert dars_extra(acc, n=8, n_max=20) == min(equal, 12)


def test_dars_with_divided_advantages_by_hand():
    # acc 1/4: S = 2 sqrt(3/16) = 0.866; (8 - 6.928) / S = 1.24; hard: (12 - 6.928) / S = 5.86
    assert dars_extra(0.25, n=8, n_max=64, normalised=True) == 2
    assert dars_extra(0.25, n=8, n_max=64, normalised=True, schedule="hard") == 6


def test_dars_brings_the_summed_advantage_to_its_target():
    """After dN rollouts (n + dN) S reaches T, and with one fewer it does not: exact, for every group up to 32."""
    for n in range(2, 33):
        for successes in range(1, (n + 1) // 2):
            acc = Fraction(successes, n)
            spread = 2 * acc * (1 - acc)
            for schedule, target in (("equal", Fraction(n, 2)), ("hard", (1 - acc) * n)):
                extra = dars_extra(successes / n, n=n, n_max=10**6, schedule=schedule)
                assert (n + extra) * spread >= target > (n + extra - 1) * spread


def test_rounding_adds_no_rollout():
    # n = 12, acc 1/12, hard: (11 - 11/6) / (11/72) = 60 exactly; in floats a little more
    assert math.ceil((2 * (1 - 1 / 12) * 6 - 12 * (2 / 12 * (1 - 1 / 12))) / (2 / 12 * (1 - 1 / 12))) == 61
    assert dars_extra(1 / 12, n=12, n_max=1000, schedule="hard") == 60


def test_dars_samples_once_more_and_drops_what_is_solved_always_or_never():
    sampler = make_sampler("dars", 8, {"n_max": 16})
    groups = [[1.0] + [0.0] * 7, [0.0] * 8, [1.0] * 8, [1.0, 0.0] * 4, []]
    assert sampler.more(groups, round=1) == [8, 8, 0, 0, 0]
    assert sampler.more(groups, round=2) == [0] * 5
    assert [sampler.choose(g) is not None for g in groups] == [True, False, False, True, False]
    assert sampler.choose([1.0] + [0.0] * 15).kept == tuple(range(16))


def test_settings_that_cannot_be():
    for call in (
        lambda: dars_extra(0.2, n=8, n_max=32, schedule="easy"),
        lambda: dars_extra(0.2, n=8, n_max=4),
        lambda: dars_extra(0.2, n=0, n_max=4),
        lambda: reinforce_ada_done(1, 1, n=4, rule="negative"),
    ):
        with pytest.raises(SettingsError, match="must be"):
            call()
    with pytest.raises(ValueError, match="accuracy"):
        dars_extra(math.nan, n=8, n_max=32)
