"""SEC and DUMP, by hand and on a bandit with one arm worth playing."""

import math

import numpy as np
import pytest

from tests.baselines.methods._made import make_curriculum
from turnwise.baselines.methods.curricula.bandits import boltzmann, dump_scores, sec_update
from turnwise.baselines.methods.curricula.base import TaskResult, scaling_inter
from turnwise.core.errors import SettingsError

ENV = "turnwise/GuessNumber-v0"


def test_boltzmann_by_hand_and_without_overflow():
    assert boltzmann([0.0, math.log(3)], tau=1) == pytest.approx([1 / 4, 3 / 4])
    assert boltzmann([0.0, math.log(3)], tau=0.5) == pytest.approx([1 / 10, 9 / 10])  # 3 squared
    assert boltzmann([5000.0, 5000.0, 0.0], tau=0.1) == pytest.approx([0.5, 0.5, 0])


def test_sec_by_hand():
    # Q = (0.4, 0.2, 0.6), arms 0 and 2 sampled: 0.25 * 0.8 + 0.75 * 0.4 = 0.5; 0.25 * 0 + 0.75 * 0.6 = 0.45
    q = [0.4, 0.2, 0.6]
    assert sec_update(q, {0: 0.8, 2: 0.0}, alpha=0.25) == pytest.approx([0.5, 0.2, 0.45])
    assert sec_update(q, {0: 0.8, 2: 0.0}, alpha=0.25, decay_unsampled=True) == pytest.approx([0.5, 0.15, 0.45])
    assert q == [0.4, 0.2, 0.6]


def test_sec_takes_the_mean_over_all_rollouts_of_an_arm():
    curriculum = make_curriculum("sec", ENV, {}, {"levels": [1, 2], "alpha": 0.5})
    first, second = curriculum.draw(2, step=0, key=(1,))
    task = first if first.arm == 0 else second
    # two tasks of one arm: (0.2 + 0.4 + 0.9) / 3 = 0.5, and Q = 0.5 * 0.5 from 0
    curriculum.observe(
        [TaskResult(task, (1.0, 0.0), (True, False), (0.2, 0.4)), TaskResult(task, (1.0,), (True,), (0.9,))]
    )
    assert curriculum.q[task.arm] == pytest.approx(0.25)
    assert curriculum.q[1 - task.arm] == 0.0


def test_dump_by_hand():
    # N = 3: sqrt(2 ln 4 / (n + 1)) = 1.665109 / sqrt(n + 1) for n = 2, 1, 0
    expected = [0.5 + 1.665109 / math.sqrt(3), 0.25 + 1.665109 / math.sqrt(2), 1.665109]
    assert dump_scores([0.5, 0.25, 0.0], [2, 1, 0]) == pytest.approx(expected, rel=1e-6)
    assert dump_scores([0.0, 0.0], [0, 0]) == pytest.approx([0, 0])


def test_dump_forgets_what_left_its_window_but_not_how_often_it_played():
    curriculum = make_curriculum("dump", ENV, {}, {"window": 3})
    task = curriculum.draw(1, step=0, key=(1,))[0]
    curriculum.observe([TaskResult(task, (0.0,) * 4, (False,) * 4, (9.0, 0.1, 0.2, 0.3))])
    assert curriculum.learnability == pytest.approx([0.2])
    assert curriculum.counts == [4]
    curriculum.observe([TaskResult(task, (0.0,), (False,), (0.7,))])
    assert curriculum.learnability == pytest.approx([0.4])  # (0.2 + 0.3 + 0.7) / 3
    assert curriculum.counts == [5]


def shares(name: str, worth: list[float], steps: int, **settings: object) -> np.ndarray:
    """Share of each arm in the last ten steps, where the rollouts of an arm have about that absolute advantage."""
    curriculum = make_curriculum(name, ENV, {}, {"levels": list(range(1, len(worth) + 1)), **settings})
    rng = np.random.default_rng(0)
    counts = np.zeros(len(worth))
    for step in range(steps):
        tasks = curriculum.draw(16, step=step, key=(11,))
        if step >= steps - 10:
            counts += np.bincount([t.arm for t in tasks], minlength=len(worth))
        noise = rng.uniform(-0.05, 0.05, size=(len(tasks), 4))
        rows = [tuple(float(worth[t.arm] + x) for x in row) for t, row in zip(tasks, noise, strict=True)]
        curriculum.observe(
            [TaskResult(t, (0.0,) * 4, (False,) * 4, tuple(map(abs, row))) for t, row in zip(tasks, rows, strict=True)]
        )
    return counts / counts.sum()


def test_bandits_play_the_arm_with_the_largest_advantages_and_uniform_does_not():
    worth = [0.1, 0.2, 0.9, 0.3]
    # SEC in the limit: exp(0.9 / 0.4) / sum = 9.49 / 14.55 = 0.65; DUMP's temperature makes it nearly greedy
    assert shares("sec", worth, 60)[2] == pytest.approx(0.65, abs=0.13)
    assert shares("sec", worth, 60, tau=0.1)[2] > 0.9
    assert shares("dump", worth, 60)[2] > 0.8
    assert shares("uniform", worth, 60)[2] == pytest.approx(0.25, abs=0.12)


def test_a_bandit_returns_to_an_arm_that_was_unlucky_once():
    """Every arm keeps a positive probability, so one bad estimate is not for ever."""
    curriculum = make_curriculum("sec", ENV, {}, {"levels": [1, 2]})
    curriculum.q = [0.0, 1.0]
    assert curriculum.probabilities()[0] == pytest.approx(1 / (1 + math.exp(1 / 0.4)))


def test_settings_that_cannot_be():
    for call in (
        lambda: boltzmann([1.0], tau=0.0),
        lambda: sec_update([0.0], {0: 1.0}, alpha=1.5),
        lambda: scaling_inter(3, rounds=[], every=5),
        lambda: scaling_inter(3, rounds=[2], every=0),
    ):
        with pytest.raises(SettingsError, match="must"):
            call()
    with pytest.raises(ValueError, match="counts has shape"):
        dump_scores([0.0, 1.0], [1])
