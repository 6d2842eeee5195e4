"""DISCO's weights, against the paper's scripts and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.baselines.methods._made import make_curriculum
from turnwise.baselines.methods.curricula.base import TaskResult, TaskSpec
from turnwise.baselines.methods.curricula.fixed import difficulty_weight, domain_weight
from turnwise.core.errors import SettingsError

ARMS = [{"env": "x/A-v0", "weight": 2}, {"env": "x/A-v0", "settings": {"difficulty": 2}}, {"env": "x/B-v0"}]


@pytest.mark.parametrize(
    ("share", "form", "expected"),
    [(0.75, "log", 0.847), (1 / 12, "log", 2.565), (0.75, "log_squared", 0.72), (1 / 12, "log_squared", 6.58),
     (0.75, "inverse", 1.33), (1 / 12, "inverse", 12), (0.3, "none", 1)],
)  # fmt: skip
def test_the_constants_of_the_reference_scripts(share, form, expected):
    assert domain_weight(share, form=form) == pytest.approx(expected, rel=5e-3)


def test_difficulty_by_hand():
    assert difficulty_weight(0.25) == pytest.approx(1 / 0.25001)
    assert difficulty_weight(0.0) == pytest.approx(1e5)
    assert difficulty_weight(0.5, form="log", eps=0.5) == pytest.approx(math.log(2))
    assert difficulty_weight(0.5, form="log_squared", eps=0.5) == pytest.approx(math.log(2) ** 2)
    assert difficulty_weight(0.5, form="none") == 1


def test_disco_weighs_tasks_by_the_share_of_their_environment():
    curriculum = make_curriculum("disco", "x/A-v0", {}, {"arms": ARMS})
    tasks = [TaskSpec("x/A-v0", {}, 1, 0), TaskSpec("x/A-v0", {}, 2, 1), TaskSpec("x/B-v0", {}, 3, 2)]
    returns = [(1.0, 0.0), (1.0, 1.0), (1.0, 0.0, 0.0, 0.0)]
    outcomes = [TaskResult(t, r, tuple(x > 0 for x in r), r) for t, r in zip(tasks, returns, strict=True)]
    # A is 3/4 of the mixture: log(1 + 4/3) = 0.8473; B 1/4: log(5) = 1.6094; means 1/2, 1, 1/4
    assert curriculum.weights(outcomes) == pytest.approx([0.847298 * 2, 0.847298 * 1, 1.609438 * 4], rel=1e-4)
    assert curriculum.probabilities() == pytest.approx([0.5, 0.25, 0.25])
    assert make_curriculum("mixture", "x/A-v0", {}, {"arms": ARMS}).weights(outcomes) == [1.0, 1.0, 1.0]


def test_returns_outside_the_unit_interval_and_missing_ones():
    curriculum = make_curriculum("disco", "x/A-v0", {}, {"domain_form": "none"})
    task = TaskSpec("x/A-v0", {}, 1, 0)
    found = curriculum.weights([TaskResult(task, r, (False,) * len(r), r) for r in [(-3.0,), (5.0,), ()]])
    assert found == pytest.approx([1e5, 1, 0], rel=1e-4)


@given(st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=2, max_size=8), st.floats(0.5, 20))
def test_weighing_advantages_is_weighing_rewards_unless_they_are_divided_by_their_deviation(rewards, weight):
    r = np.array(rewards)
    centred = r - r.mean()
    assert weight * r - (weight * r).mean() == pytest.approx(weight * centred, abs=1e-9)
    if np.ptp(r) > 1e-3:  # negative control: the deviation takes the weight out again
        assert (weight * centred) / (weight * r).std() == pytest.approx(centred / r.std(), rel=1e-6, abs=1e-9)


def test_bad_shares_are_refused():
    with pytest.raises(SettingsError, match="share of a domain"):
        domain_weight(0.0)
    with pytest.raises(SettingsError, match="self-consistency"):
        difficulty_weight(1.5)
