"""Prompt curriculum learning: selection and regression by hand, and a value model that finds the middle."""

import numpy as np
import pytest

from tests.baselines.methods._made import make_curriculum
from turnwise.baselines.methods.curricula.base import Arm, TaskResult, TaskSpec
from turnwise.baselines.methods.curricula.pcl import arm_features, pcl_select, ridge

ENV = "turnwise/GuessNumber-v0"


def played(arm: int, *returns: float) -> TaskResult:
    return TaskResult(TaskSpec(ENV, {}, 0, arm), returns, tuple(r > 0.5 for r in returns), returns)


def test_selection_by_hand():
    # distances from 1/2: 0.5, 0.1, 0.125, 0.125, 0.4: of the two equal ones the first
    assert pcl_select([0.0, 0.6, 0.375, 0.625, 0.9], 2) == [1, 2]
    assert pcl_select([0.0, 0.6, 0.375, 0.625, 0.9], 2, target=1.0) == [3, 4]
    assert pcl_select([0.5, 0.5], 5) == [0, 1]
    assert pcl_select([0.9, 0.5] * 50, 9) == list(range(1, 18, 2))


def test_ridge_by_hand():
    # one feature twice, x = (1, 1), y = 1/2 in two groups: w = (a, a) with 4 a + a = 1
    gram, moment = np.full((2, 2), 2.0), np.array([1.0, 1.0])
    assert ridge(gram, moment, penalty=1.0) == pytest.approx([0.2, 0.2])
    assert ridge(np.zeros((2, 2)), np.zeros(2), penalty=1.0) == pytest.approx([0, 0])


def test_features_by_hand():
    arms = [
        Arm(env=ENV, settings={"difficulty": 2, "size": 4}),
        Arm(env=ENV, settings={"difficulty": 6, "size": 4}),
        Arm(env=ENV, settings={"size": 4}),
    ]
    # bias, three indicators, difficulty over its range 2..6; size is constant and left out
    assert arm_features(arms).tolist() == [[1, 1, 0, 0, 0], [1, 0, 1, 0, 1], [1, 0, 0, 1, 0]]


def test_values_by_hand():
    pcl = make_curriculum("pcl", ENV, {}, {"penalty": 1.0, "forget": 0.5})
    assert pcl.values == pytest.approx([0.5])
    pcl.observe([played(0, 1.0, 1.0), played(0, 1.0)])  # the case of the ridge above: 1/2 + 2 * 0.2
    assert pcl.values == pytest.approx([0.9])
    pcl.observe([])  # the groups count half: G = ones, b = (1/2, 1/2), 2 a + a = 1/2
    assert pcl.values == pytest.approx([0.5 + 2 / 6])


def test_groups_count_the_same_whatever_their_size():
    one, other = (make_curriculum("pcl", ENV, {}) for _ in range(2))
    one.observe([played(0, 1.0, 1.0, 1.0, 1.0), played(0, 0.0)])
    other.observe([played(0, 0.5), played(0, 0.5)])
    assert one.values == pytest.approx(other.values)


def test_a_level_never_played_is_judged_by_its_neighbours():
    pcl = make_curriculum("pcl", ENV, {}, {"levels": [1, 5, 9], "k": 8})
    for _ in range(20):
        pcl.observe([played(0, 1.0), played(2, 0.0)])
    easy, middle, hard = pcl.values
    assert hard < 0.2 < middle < 0.8 < easy
    assert {t.arm for t in pcl.draw(4, step=0, key=(1,))} == {1}


def test_it_plays_the_level_that_is_half_solved():
    rates = [1.0, 0.95, 0.5, 0.05, 0.0]
    pcl = make_curriculum("pcl", ENV, {}, {"levels": [1, 2, 3, 4, 5], "k": 8})
    rng = np.random.default_rng(0)
    counts = np.zeros(5)
    for step in range(30):
        tasks = pcl.draw(4, step=step, key=(3,))
        counts += np.bincount([t.arm for t in tasks], minlength=5) if step >= 15 else 0
        pcl.observe([played(t.arm, *(rng.random(8) < rates[t.arm]).astype(float).tolist()) for t in tasks])
    assert counts[2] / counts.sum() > 0.7
    plain = np.bincount([t.arm for s in range(15) for t in make_curriculum("pcl", ENV, {}, {"levels": [1, 2, 3, 4, 5],
        "k": 1}).draw(4, step=s, key=(3,))], minlength=5)  # fmt: skip
    assert plain[2] / plain.sum() < 0.4  # without a choice of candidates: uniform
