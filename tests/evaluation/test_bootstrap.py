"""Intervals: coverage by simulation, and what they do at the ends."""

import numpy as np
import pytest

from turnwise.evaluation import bootstrap
from turnwise.evaluation.bootstrap import Counts, estimate, stratum, t_quantile

CASES = {  # levels, tasks, samples, skill, spread of the tasks
    "one sample": (24, 8, 1, 5, 0.0),
    "tasks differ": (24, 8, 1, 5, 1.5),
    "samples": (24, 8, 4, 5, 1.5),
    "nearly all solved": (50, 6, 1, 13, 1.0),
    "nearly none solved": (50, 6, 1, -1, 1.0),
    "few levels": (5, 8, 1, 5, 1.0),
    "one level": (1, 16, 2, 1.5, 1.0),
}


def play(rng: np.random.Generator, level: float, tasks: int, samples: int, skill: float, spread: float) -> Counts:
    rates = 1 / (1 + np.exp(-(skill - level + rng.normal(0, spread, tasks))))
    return [(int(rng.binomial(samples, rate)), samples) for rate in rates]


def level_of(cell: int) -> float:
    return 1 + 9 * (cell % 5) / 4


def truth_of(cells: int, skill: float, spread: float) -> float:
    z = np.random.default_rng(0).normal(0, spread, 100_000)
    return float(np.mean([np.mean(1 / (1 + np.exp(-(skill - level_of(c) + z)))) for c in range(min(cells, 5))]))


def covered(case: tuple[int, int, int, float, float], trials: int, seed: int = 7) -> float:
    cells, tasks, samples, skill, spread = case
    cells = cells - cells % 5 if cells > 5 else cells
    truth, rng, found = truth_of(cells, skill, spread), np.random.default_rng(seed), 0
    for trial in range(trials):
        parts = [
            stratum(f"{trial} {cell}", play(rng, level_of(cell), tasks, samples, skill, spread))
            for cell in range(cells)
        ]
        low, high = estimate(f"{trial}", parts, [1 / cells] * cells, 0.0, 1.0).ci95
        found += low <= truth <= high
    return found / trials


@pytest.mark.parametrize("case", [*(pytest.param(name, marks=pytest.mark.slow) for name in CASES)])
def test_the_interval_covers_the_truth(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At nominal 95 %: 500 trials have a standard error of 1 %."""
    monkeypatch.setattr(bootstrap, "REPLICATES", 1000)
    assert covered(CASES[case], 500) >= 0.93


def test_the_interval_covers_the_truth_in_few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "REPLICATES", 400)
    assert covered((10, 8, 1, 5, 1.0), 100) >= 0.89  # three standard errors below 95 %


@pytest.mark.slow
@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_the_interval_of_a_difference_covers_it(effect: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs of the same tasks, whose difficulties they share."""
    monkeypatch.setattr(bootstrap, "REPLICATES", 1000)
    rng, found, trials, cells = np.random.default_rng(3), 0, 500, 20
    truth = truth_of(cells, 5 + effect, 2.0) - truth_of(cells, 5, 2.0)
    for trial in range(trials):
        parts = []
        for cell in range(cells):
            z = 5 - level_of(cell) + rng.normal(0, 2.0, 8)
            sides = [[(int(rng.random() < 1 / (1 + np.exp(-(x + e)))), 1) for x in z] for e in (effect, 0.0)]
            parts.append(stratum(f"{trial} {cell}", *sides))
        low, high = estimate(str(trial), parts, [1 / cells] * cells, -1.0, 1.0).ci95
        found += low <= truth <= high
    assert found / trials >= 0.93


def test_the_ends_are_not_certain() -> None:
    """All tasks solved: Jeffreys' bound of a share, over all tasks together."""
    parts = [stratum(str(i), [(1, 1)] * 10) for i in range(10)]
    found = estimate("all", parts, [0.1] * 10, 0.0, 1.0)
    assert found.value == pytest.approx(1.0) and found.ci95[1] == pytest.approx(1.0)
    assert found.ci95[0] == pytest.approx(1 - 0.0248, abs=0.004)  # Beta(1/2, 100.5) has 97.5 % below 0.0248
    none = estimate("none", [stratum(str(i), [(0, 3)] * 10) for i in range(10)], [0.1] * 10, 0.0, 1.0)
    assert none.ci95[0] == 0.0 and 0.01 < none.ci95[1] < 0.04
    same = [stratum(str(i), [(1, 1), (0, 1)] * 5, [(1, 1), (0, 1)] * 5) for i in range(10)]
    difference = estimate("same", same, [0.1] * 10, -1.0, 1.0)
    assert difference.value == 0.0 and -0.04 < difference.ci95[0] < 0 < difference.ci95[1] < 0.04


def test_the_same_numbers_give_the_same_interval() -> None:
    tasks = [(1, 2), (0, 2), (2, 2), (1, 2)]
    one, two = (estimate("k", [stratum("a", tasks)], [1.0], 0.0, 1.0) for _ in range(2))
    assert one == two and one.value == 0.5


def test_a_variance_is_that_of_the_mean() -> None:
    """One sample: s^2 / n, as the bootstrap of n - 1 tasks has it. Several: drawing samples again adds nothing."""
    single = stratum("a", [(1, 1)] * 3 + [(0, 1)] * 5)
    assert single.variance == pytest.approx(3 / 8 * 5 / 8 / 7, rel=0.1)
    rates = np.array([0.25, 1.0, 0.5, 0.75, 0.0, 0.75, 1.0, 0.25])
    several = stratum("b", [(int(4 * rate), 4) for rate in rates])
    assert several.variance == pytest.approx(rates.var(ddof=1) / 8, rel=0.15)


@pytest.mark.parametrize(("freedom", "quantile"), [(3, 3.182), (5, 2.571), (7, 2.365), (15, 2.131), (1e9, 1.960)])
def test_the_quantile_of_t(freedom: float, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, rel=0.01)
