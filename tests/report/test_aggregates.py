"""Aggregates over tasks and seeds: numbers computed by hand, and the coverage of the intervals by simulation."""

from collections.abc import Callable

import numpy as np
import pytest

from turnwise.core.errors import SettingsError
from turnwise.report import aggregates
from turnwise.report.aggregates import (
    Array,
    estimate,
    improvement,
    improvement_interval,
    interval,
    iqm,
    mean,
    median,
    profile,
    scores_of,
)

TWO = scores_of([[0.0, 0.2, 0.4], [0.6, 0.8, 1.0]])
"""Two tasks with three seeds each."""


def test_aggregates_by_hand() -> None:
    assert iqm(TWO) == pytest.approx(0.5)  # 6 runs: one is cut at each end, (0.2 + 0.4 + 0.6 + 0.8) / 4
    assert mean(TWO) == pytest.approx(0.5)
    skewed = scores_of([[0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5]])
    assert iqm(skewed) == pytest.approx((0.0 + 0.5 * 3) / 4)  # sorted 0 0 | 0 .5 .5 .5 | .5 1
    assert mean(skewed) == pytest.approx((0.25 + 0.5) / 2)
    assert median(scores_of([[0.1, 0.3], [0.9, 0.9], [0.4, 0.0]])) == pytest.approx(0.2)  # of 0.2, 0.9, 0.2


def test_tasks_may_have_different_numbers_of_runs() -> None:
    ragged = scores_of([[0.0], [0.4, 0.6, 0.8]])
    assert mean(ragged) == pytest.approx(0.3)  # tasks weigh the same
    assert iqm(ragged) == pytest.approx(0.5)  # runs are pooled: 0 | .4 .6 | .8
    assert iqm(scores_of([[0.3, 0.6]])) == pytest.approx(0.45), "a quarter of two runs is none"


def test_the_profile_is_the_share_of_runs_above_a_level() -> None:
    found = profile(TWO, np.array([-0.1, 0.0, 0.3, 0.6, 1.0]))
    assert found == pytest.approx([1.0, (2 / 3 + 1) / 2, (1 / 3 + 1) / 2, (0 + 2 / 3) / 2, 0.0])
    ragged = scores_of([[0.0], [0.4, 0.6, 0.8]])
    assert profile(ragged, np.array([0.5])) == pytest.approx([(0 + 2 / 3) / 2])


def test_the_probability_of_improvement_counts_pairs() -> None:
    ours, theirs = scores_of([[0.5, 0.7], [0.2]]), scores_of([[0.5, 0.6], [0.9]])
    # first task: .5 ties .5, loses to .6; .7 wins twice: (0.5 + 0 + 1 + 1) / 4; second: 0
    assert improvement(ours, theirs) == pytest.approx((2.5 / 4 + 0.0) / 2)
    assert improvement(theirs, ours) == pytest.approx(1 - 2.5 / 8)
    with pytest.raises(SettingsError, match="1 and 2 tasks"):
        improvement(ours[:1], theirs)


def test_replicates_are_computed_as_one_table_each() -> None:
    rng = np.random.default_rng(5)
    scores = [rng.random((7, 4)), rng.random((7, 2))]
    others = [rng.random((7, 3)), rng.random((7, 5))]
    levels = np.linspace(0, 1, 5)
    for k in range(7):
        one, other = [task[k] for task in scores], [task[k] for task in others]
        for statistic in (iqm, mean, median):
            assert statistic(scores)[k] == pytest.approx(float(statistic(one)))
        assert profile(scores, levels)[k] == pytest.approx(profile(one, levels))
        assert improvement(scores, others)[k] == pytest.approx(float(improvement(one, other)))


def test_an_interval_of_one_task_is_that_of_student() -> None:
    """Of the mean of five seeds: 0.5 ± 2.776 s / sqrt(5), s = 0.1581; one of few seeds is wide."""
    low, high = interval("k", mean, scores_of([[0.3, 0.4, 0.5, 0.6, 0.7]]))
    assert (low, high) == pytest.approx((0.5 - 0.1963, 0.5 + 0.1963), abs=0.012)
    value, ends = estimate("k", scores_of([[0.4, 0.5, 0.6]]))
    assert value == pytest.approx(0.5) and ends is not None
    assert ends == pytest.approx((0.5 - 0.248, 0.5 + 0.248), abs=0.04)


def test_one_seed_has_no_interval() -> None:
    assert estimate("k", scores_of([[0.4], [0.6]])) == (pytest.approx(0.5), None)
    with pytest.raises(SettingsError, match=r"tasks have \[1\] runs"):
        interval("k", mean, scores_of([[0.4]]))


def test_intervals_stay_within_the_scale_and_hold_the_estimate() -> None:
    value, ends = estimate("k", scores_of([[0.98, 1.0, 0.7]]))
    assert ends is not None and 0.0 <= ends[0] <= value <= ends[1] <= 1.0
    assert estimate("k", scores_of([[1.0, 1.0, 1.0]])) == (1.0, (1.0, 1.0))
    assert estimate("k", TWO) == estimate("k", TWO), "the same numbers give the same interval"


def test_few_runs_apart_prove_little() -> None:
    """Three against three without overlap: by chance alone in 1 of 20 orders on either side."""
    better = [scores_of([[0.7, 0.8, 0.9]]), scores_of([[0.1, 0.2, 0.3]])]
    low, high = improvement_interval("k", *better)
    assert high == 1.0 and low < 0.5
    many = [scores_of([[0.7, 0.8, 0.9]] * 6), scores_of([[0.1, 0.2, 0.3]] * 6)]
    assert improvement_interval("k", *many)[0] > 0.8
    assert improvement_interval("k", many[1], many[0])[1] < 0.2
    low, high = improvement_interval("k", TWO, TWO)
    assert low < 0.5 < high


Draw = Callable[[np.random.Generator, int], Array]


def tasks_of(number: int) -> list[Draw]:
    """Tasks whose runs score between 0 and 1, some skewed."""

    def task(middle: float) -> Draw:
        return lambda rng, size: rng.beta(20 * middle, 20 * (1 - middle), size)

    return [task(middle) for middle in (np.linspace(0.15, 0.85, number) if number > 1 else [0.5])]


def covered(statistic: Callable[..., Array], tasks: int, seeds: int, trials: int) -> float:
    """Share of trials in which the interval holds what very many seeds give."""
    rng, draws = np.random.default_rng(1), tasks_of(tasks)
    truth = float(statistic([draw(np.random.default_rng(99), 100_000) for draw in draws]))
    found = 0
    for trial in range(trials):
        low, high = interval(str(trial), statistic, [draw(rng, seeds) for draw in draws])
        found += bool(low <= truth <= high)
    return found / trials


@pytest.mark.slow
@pytest.mark.parametrize("statistic", [iqm, mean])
@pytest.mark.parametrize(("tasks", "seeds"), [(1, 3), (1, 5), (1, 10), (3, 3), (6, 3), (6, 5), (26, 3)])
def test_intervals_cover(
    statistic: Callable[..., Array], tasks: int, seeds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At nominal 95 %; 500 trials have a standard error of 1 %."""
    monkeypatch.setattr(aggregates, "REPLICATES", 600)
    assert 0.915 <= covered(statistic, tasks, seeds, 500) <= 0.99


def test_intervals_cover_in_few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain percentiles cover 86 % here."""
    monkeypatch.setattr(aggregates, "REPLICATES", 200)
    assert covered(iqm, 6, 3, 80) >= 0.92
    monkeypatch.setattr(aggregates, "_stretch", lambda tasks: 1.0)
    assert covered(iqm, 6, 3, 80) <= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize(("tasks", "seeds"), [(1, 5), (1, 10), (6, 3), (6, 5)])
def test_the_interval_of_an_improvement_covers_it(
    tasks: int, seeds: int, shift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of both methods are normal, ``shift`` standard deviations apart: P(X > Y) = Phi(shift / sqrt(2))."""
    monkeypatch.setattr(aggregates, "REPLICATES", 600)
    truth = {0.0: 0.5, 1.0: 0.7602}[shift]
    rng, found, trials = np.random.default_rng(2), 0, 400
    for trial in range(trials):
        ours, theirs = (list(rng.normal(mu, 1, (tasks, seeds))) for mu in (shift, 0.0))
        low, high = improvement_interval(str(trial), ours, theirs)
        found += low <= truth <= high
    assert found / trials >= 0.91
