"""Credit per turn, against values worked out by hand."""

import math

import numpy as np
import pytest

from turnwise.baselines.methods.credit.turns import (
    gigpo,
    igpo,
    rebn_turn,
    reinforce_pp_turn,
    spa,
    spa_advantage,
    spa_estimator_loss,
    turn_rtg_alive_only,
    turn_rtg_loo,
)
from turnwise.core.errors import SettingsError

PAD = math.nan  # what a padded place holds must not matter


def test_turn_rtg_loo():
    # returns to go: [1, .5, .5], [.25], [.25, 0]; a finished rollout counts as 0 from then on
    rewards = [[0.5, 0.0, 0.5], [0.25, PAD, PAD], [0.25, 0.0, PAD]]
    turns = [[1, 1, 1], [1, 0, 0], [1, 1, 0]]
    expected = [[1 - 0.25, 0.5 - 0, 0.5 - 0], [0.25 - 0.625, 0, 0], [0.25 - 0.625, 0 - 0.25, 0]]
    assert turn_rtg_loo(rewards, turns, [4, 4, 4]) == pytest.approx(np.array(expected))


def test_turn_rtg_loo_discounts():
    # G: [1 + .5 * 2, 2] and [0, 4]
    given = turn_rtg_loo([[1, 2], [-2, 4]], [[1, 1], [1, 1]], [0, 0], gamma=0.5)
    assert given == pytest.approx(np.array([[2 - 0, 2 - 4], [0 - 2, 4 - 2]]))


def test_alone_at_a_turn_is_not_alone_in_the_group():
    rewards, turns = [[0.0, 1.0], [1.0, PAD]], [[1, 1], [1, 0]]
    assert turn_rtg_loo(rewards, turns, [0, 0]) == pytest.approx(np.array([[0, 1], [0, 0]]))
    assert turn_rtg_alive_only(rewards, turns, [0, 0]) == pytest.approx(np.zeros((2, 2)))
    assert np.all(turn_rtg_loo(rewards, turns, [0, 1]) == 0)  # two groups of one


def test_turn_rtg_alive_only():
    # turn 1: only the first and third are alive: .5 - 0 and 0 - .5
    rewards, turns = [[0.5, 0.5], [0.25, PAD], [0.25, 0.0]], [[1, 1], [1, 0], [1, 1]]
    expected = [[1 - 0.25, 0.5], [0.25 - 0.625, 0], [0.25 - 0.625, -0.5]]
    assert turn_rtg_alive_only(rewards, turns, [0] * 3) == pytest.approx(np.array(expected))
    # with the rollout itself in the mean, that of n values, all is (n - 1) / n as large
    alive = np.array(turns).sum(axis=0)
    itself = turn_rtg_alive_only(rewards, turns, [0] * 3, include_self=True)
    assert itself == pytest.approx(np.array(expected) * (alive - 1) / alive)


def test_whitened_returns_to_go():
    # G with gamma .5: [1, 2], [4]: mean 7/3, squares 16/9 + 1/9 + 25/9 = 42/9, Bessel 21/9
    rewards, turns = [[0, 2], [4, PAD]], [[1, 1], [1, 0]]
    shifted = np.array([[1 - 7 / 3, 2 - 7 / 3], [4 - 7 / 3, 0]])
    assert reinforce_pp_turn(rewards, turns, gamma=0.5) == pytest.approx(shifted / math.sqrt(21 / 9 + 1e-8), rel=1e-12)
    assert rebn_turn(rewards, turns, gamma=0.5) == pytest.approx(shifted / (math.sqrt(21 / 9) + 1e-9), rel=1e-12)
    assert reinforce_pp_turn(rewards, turns, gamma=0.5, whiten=False) == pytest.approx(np.array([[1, 2], [4, 0]]))


GIGPO = {
    "rewards": [[0, 1], [0, 0]],
    "turns": [[1, 1], [1, 1]],
    "groups": [3, 3],
    "anchors": [[5, 6], [5, 5]],  # observation 5 was met three times, 6 once
}


def test_gigpo():
    # AE = .5, -.5. G with gamma .5: [.5, 1], [0, 0]. Observation 5: .5, 0, 0, mean 1/6; observation 6 alone: 0
    given = gigpo(**GIGPO, gamma=0.5)
    assert given == pytest.approx(np.array([[0.5 + 1 / 3, 0.5], [-0.5 - 1 / 6, -0.5 - 1 / 6]]))
    given = gigpo(**GIGPO, gamma=0.5, step_weight=3.0)
    assert given == pytest.approx(np.array([[0.5 + 1, 0.5], [-1.0, -1.0]]))


def test_gigpo_std():
    # AE over sqrt(1/2); observation 5: squares 1/9 + 2/36 = 1/6, Bessel 1/12
    episode, step = 0.5 / math.sqrt(1 / 2), math.sqrt(12)
    expected = [[episode + step / 3, episode], [-episode - step / 6, -episode - step / 6]]
    assert gigpo(**GIGPO, gamma=0.5, normalize="std", eps=0.0) == pytest.approx(np.array(expected))


def test_gigpo_statistics_over_turns():
    rewards, turns, anchors = [[0, 1], [0, PAD]], [[1, 1], [1, 0]], [[1, 2], [3, 3]]
    # returns 1, 1, 0 by turn: mean 2/3; all observations differ
    given = gigpo(rewards, turns, [0, 0], anchors, episode_stats="turns")
    assert given == pytest.approx(np.array([[1 / 3, 1 / 3], [-2 / 3, 0]]))
    given = gigpo(rewards, turns, [0, 0], anchors)
    assert given == pytest.approx(np.array([[0.5, 0.5], [-0.5, 0]]))


def test_gigpo_observations_do_not_reach_over_groups():
    given = gigpo([[1], [0]], [[1], [1]], [0, 1], [[5], [5]])
    assert np.all(given == 0)


IGPO = {
    "rewards": [[0, 1], [0, PAD]],
    "turns": [[1, 1], [1, 0]],
    "groups": [0, 0],
    "info": [[0.1, 0.3, 0.9], [0.1, 0.2, PAD]],
}


def test_igpo_joint():
    # signals: gain .3 - .1, outcome 1; outcome 0. Mean .4, population variance (.04 + .36 + .16) / 3
    scale = 1 / (math.sqrt(0.56 / 3 + 1e-8) + 1e-6)
    z = np.array([-0.2, 0.6, -0.4]) * scale
    assert igpo(**IGPO) == pytest.approx(np.array([[z[0] + z[1], z[1]], [z[2], 0]]), rel=1e-12)
    assert igpo(**IGPO, gamma=0.5)[0, 0] == pytest.approx(z[0] + 0.5 * z[1], rel=1e-12)


def test_igpo_separate():
    # one gain alone: 0; outcomes 1 and 0: mean .5, variance .25
    z = 0.5 / (math.sqrt(0.25 + 1e-8) + 1e-6)
    assert igpo(**IGPO, normalize="separate") == pytest.approx(np.array([[z, z], [-z, 0]]), rel=1e-12)


def test_igpo_separate_gains():
    # gains .2 and .4: mean .3, variance .01; outcomes equal: nothing to say
    given = igpo([[0, 1], [0, 1]], np.ones((2, 2)), [0, 0], [[0.1, 0.3, 0.9], [0.1, 0.5, 0.9]], normalize="separate")
    z = 0.1 / (math.sqrt(0.01 + 1e-8) + 1e-6)
    assert given == pytest.approx(np.array([[-z, 0], [z, 0]]), rel=1e-9)


def test_spa():
    progress, executable, turns = [[0.2, 0.6], [0.4, PAD]], [[1, 0], [1, PAD]], [[1, 1], [1, 0]]
    assert spa(progress, executable, turns) == pytest.approx(np.array([[0.7, 0.6], [0.9, 0]]))
    # returns to go with beta 0: [.8, .6], [.4, 0]
    given = spa_advantage(progress, executable, turns, [0, 0], beta=0.0)
    assert given == pytest.approx(np.array([[0.4, 0.6], [-0.4, 0]]))


def test_spa_estimator_loss_and_gradient():
    progress, turns, returns = np.array([[0.2, 0.6], [0.4, PAD]]), [[1, 1], [1, 0]], [1.0, 0.0]
    loss, gradient = spa_estimator_loss(progress, turns, returns)
    assert loss == pytest.approx((0.2**2 + 0.4**2) / 2)
    assert gradient == pytest.approx(np.array([[-0.2, -0.2], [0.4, 0]]))
    for place in [(0, 0), (0, 1), (1, 0)]:
        step = np.zeros((2, 2))
        step[place] = 1e-4
        up, down = (spa_estimator_loss(progress + s, turns, returns)[0] for s in (step, -step))
        assert (up - down) / 2e-4 == pytest.approx(gradient[place], abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: turn_rtg_loo([[1]], [[1]], [0], gamma=1.1), "gamma is 1.1"),
        (lambda: gigpo(**GIGPO, normalize="mean_std"), "normalize is 'mean_std'"),
        (lambda: gigpo(**GIGPO, episode_stats="steps"), "episode_stats is 'steps'"),
        (lambda: igpo(**IGPO, normalize="mean"), "normalize is 'mean'"),
        (lambda: igpo(**IGPO, eps=math.nan), "eps is nan"),
        (lambda: gigpo(**GIGPO, ddof=2), "ddof is 2"),
        (lambda: gigpo(**GIGPO, step_weight=math.nan), "step_weight is nan"),
        (lambda: spa([[1]], [[1]], [[1]], alpha=math.inf), "alpha is inf"),
    ],
)
def test_settings_that_cannot_be(call, message):
    with pytest.raises(SettingsError, match=message):
        call()


def test_arrays_that_do_not_fit():
    with pytest.raises(ValueError, match="turns has shape"):
        turn_rtg_loo([[1, 2]], [[1]], [0])
    with pytest.raises(ValueError, match="one column more"):
        igpo([[1]], [[1]], [0], [[0.5]])
    with pytest.raises(ValueError, match="anchors has shape"):
        gigpo([[1]], [[1]], [0], [5])
    with pytest.raises(ValueError, match="one row per rollout"):
        turn_rtg_loo([], [], [])
    with pytest.raises(ValueError, match="there are 1 rollouts"):
        turn_rtg_loo([[1]], [[1]], [0, 1])
