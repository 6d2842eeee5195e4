"""Shaping and rewards without a verifier, against values worked out by hand."""

import math

import numpy as np
import pytest

from turnwise.baselines.methods.credit.intrinsic import (
    StdFilter,
    StdFilterState,
    em_rl_sequence,
    em_rl_token,
    rlpr,
    rlpr_std_filter,
)
from turnwise.baselines.methods.credit.shaping import environment, format_penalty, overlong, repetition, turn_cost, ufo
from turnwise.core.errors import SettingsError

PAD = math.nan


def test_overlong():
    # free up to 6, then a quarter for each token
    assert overlong([0, 6, 7, 9, 10, 99], max_len=10, cache=4) == pytest.approx([0, 0, -0.25, -0.75, -1, -1])


def test_format_penalty():
    assert format_penalty([[0, 1], [1, 1]], penalty=0.2).tolist() == [[0, -0.2], [-0.2, -0.2]]


def test_environment():
    additions = [[0.5, -0.25], [0.0, 1.0]]
    assert environment(additions).tolist() == additions
    assert environment(additions, weight=0.5).tolist() == [[0.25, -0.125], [0.0, 0.5]]


def test_turn_cost():
    turns = [[1, 1, 1], [1, 0, 0]]
    assert turn_cost(turns, cost=0.5).tolist() == [[-0.5, -0.5, -0.5], [-0.5, 0, 0]]
    assert turn_cost(turns, cost=0.5, free=1).tolist() == [[0, -0.5, -0.5], [0, 0, 0]]


def test_repetition():
    # pairs ab ba ab: 2 of 3 differ; 12 23 | 12: 2 of 3; too short; none
    actions = [["a b a b"], [[1, 2, 3], [1, 2]], ["a"], []]
    assert repetition(actions, ngram=2, penalty=0.6) == pytest.approx([-0.2, -0.2, 0, 0])
    assert repetition([["a b", "a b"]], ngram=3).tolist() == [0]  # no n-gram over the edge of a turn


def test_ufo():
    # solved at the third try: .5^2 - 1; answers 4, 4, 7: 2 of 3 differ. Unsolved with one answer, unsolved with 6 twice
    turns = [[1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 0, 0]]
    answers = [[4, 4, 7], [4, -1, 9], [6, 6, 9], [3, 9, 9]]
    given = ufo([1, 0, 0, 1], turns, answers)
    assert given == pytest.approx(np.array([[0, 0, -0.75 - 0.5 / 3], [0, 0, 0], [0, -0.25, 0], [0, 0, 0]]))
    assert ufo([1], [[1, 1]], [[1, 2]], gamma=0.9) == pytest.approx(np.array([[0, -0.1]]))


def test_entropy_minimisation():
    values, mask = [[-1.0, PAD, -3.0], [PAD, PAD, PAD]], [[1, 0, 1], [0, 0, 0]]
    assert em_rl_sequence(values, mask).tolist() == [-4, 0]
    assert em_rl_sequence(values, mask, reduce="mean").tolist() == [-2, 0]
    assert em_rl_token([[0.5, 9.0, 1.5]], [[1, 0, 1]]).tolist() == [-2]
    assert em_rl_token([[0.5, 9.0, 1.5]], [[1, 0, 1]], reduce="mean").tolist() == [-1]


def test_rlpr():
    # (.9 + .5) / 2 - (.2 + .4) / 2 = .4; second: .1 - .3 is clipped
    answer, baseline, mask = [[0.9, 0.5], [0.1, PAD]], [[0.2, 0.4], [0.3, PAD]], [[1, 1], [1, 0]]
    assert rlpr(answer, baseline, mask) == pytest.approx([0.4, 0.0])
    assert rlpr(answer, baseline, mask, debias=False) == pytest.approx([0.7, 0.1])


def test_rlpr_std_filter():
    wide, narrow = [0.0, 1.0], [0.5, 0.6]  # population std .5 and .05; the mean of a batch of both .275
    returns, groups, state = wide + narrow, [0, 0, 1, 1], StdFilterState()
    for _ in range(2):
        keep, state = rlpr_std_filter(returns, groups, state, StdFilter(ddof=0, warmup=2))
        assert keep.all()
    assert state == StdFilterState(2, pytest.approx(0.275))
    keep, state = rlpr_std_filter(wide * 2, groups, state, StdFilter(ddof=0, warmup=2, decay=0.9))  # threshold .1375
    assert keep.all()
    assert state.average == pytest.approx(0.9 * 0.275 + 0.1 * 0.5)
    keep, _ = rlpr_std_filter(returns, groups, state, StdFilter(ddof=0, warmup=2))  # threshold .14875
    assert keep.tolist() == [True, True, False, False]
    middling = [0.0, 0.4, *narrow]  # std .2: above half the average .2975, below the whole
    kept = rlpr_std_filter(middling, groups, state, StdFilter(ddof=0, warmup=2))[0]
    assert kept.tolist() == [True, True, False, False]
    assert not rlpr_std_filter(middling, groups, state, StdFilter(ddof=0, warmup=2, beta=1.0))[0].any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: overlong([1], max_len=10, cache=11), "cache is 11"),
        (lambda: overlong([1], max_len=10, cache=0), "cache is 0"),
        (lambda: format_penalty([[1]], penalty=-1), "penalty is -1"),
        (lambda: turn_cost([[1]], cost=-1), "cost is -1"),
        (lambda: repetition([], ngram=0), "ngram is 0"),
        (lambda: ufo([1], [[1]], [[1]], gamma=2), "gamma is 2"),
        (lambda: em_rl_token([[1]], [[1]], reduce="max"), "reduce is 'max'"),
        (lambda: rlpr_std_filter([1], [0], StdFilterState(), StdFilter(decay=2)), "decay is 2"),
    ],
)
def test_settings_that_cannot_be(call, message):
    with pytest.raises(SettingsError, match=message):
        call()
