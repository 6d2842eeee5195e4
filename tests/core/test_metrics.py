"""Figures against values computed by hand and by brute force."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.episode import Episode, Turn
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import (
    Z95,
    Scores,
    chance_corrected,
    cluster_interval,
    mean_interval,
    overall,
    pass_at_k,
    pass_hat_k,
    score,
    wilson,
)


def episode(seed: int, sample: int, solved: bool, turns: tuple[Turn, ...] = (), **facts: Any) -> Episode:
    defaults: dict[str, Any] = {
        "env": "e", "settings": {}, "agent": "a", "task_id": str(seed), "final_observation": "",
        "episode_return": float(solved), "terminated": True, "truncated": False, "metrics": {},
    }  # fmt: skip
    return Episode(seed=seed, sample=sample, solved=solved, turns=turns, **{**defaults, **facts})


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.27753),  # z^2 / (n + z^2)
        (10, 10, 0.72247, 1.0),
        (5, 10, 0.23659, 0.76341),
        (81, 263, 0.25527, 0.36617),  # Newcombe 1998, Statistics in Medicine 17:857, table I: 0.2553, 0.3662
        (15, 148, 0.06239, 0.16047),  # the same: 0.0624, 0.1605
        (1, 29, 0.00611, 0.17179),  # the same: 0.0061, 0.1718
    ],
)
def test_wilson_by_hand(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_wilson_bounds() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 3)[0] == 0.0
    assert wilson(3, 3)[1] == 1.0
    with pytest.raises(SettingsError, match="4 successes in 3 trials"):
        wilson(4, 3)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_inverts_the_score_test(case: tuple[int, int]) -> None:
    """Both ends are the p0 at which |p - p0| is z standard errors of p0."""
    solved, n = case
    for end in wilson(solved, n):
        if 0 < end < 1:
            assert abs(solved / n - end) == pytest.approx(Z95 * math.sqrt(end * (1 - end) / n), rel=1e-6)


def test_clusters_by_hand() -> None:
    # four tasks of two samples, solved 2, 2, 0, 0: p = 1/2, residuals +-1, var = 4/3 * 4 / 64 = 1/12;
    # independent samples would have 1/4 / 7 = 1/28: design effect 7/3, so 8 / (7/3) = 24/7 episodes
    assert cluster_interval([(2, 2), (2, 2), (0, 2), (0, 2)]) == pytest.approx(wilson(12 / 7, 24 / 7))
    # samples that differ within tasks tell no more than independent ones
    assert cluster_interval([(1, 2)] * 4) == wilson(4, 8)
    # a single task counts as one episode, as does each task where all or none is solved
    assert cluster_interval([(3, 4)]) == wilson(0.75, 1)
    assert cluster_interval([(4, 4)] * 5) == wilson(5, 5)
    assert cluster_interval([(0, 4)] * 5) == wilson(0, 5)
    assert cluster_interval([]) == (0.0, 1.0)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_one_sample_per_task_is_wilson(solved: list[bool]) -> None:
    assert cluster_interval([(int(s), 1) for s in solved]) == pytest.approx(wilson(sum(solved), len(solved)), abs=1e-12)


@given(st.lists(st.integers(1, 6).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))), min_size=1, max_size=20))
def test_cluster_interval_is_never_narrower_than_independent_samples(counts: list[tuple[int, int]]) -> None:
    solved, n = sum(s for s, _ in counts), sum(m for _, m in counts)
    low, high = cluster_interval(counts)
    assert 0.0 <= low <= solved / n <= high <= 1.0
    inner = wilson(solved, n)
    assert low <= inner[0] + 1e-12
    assert high >= inner[1] - 1e-12


def test_clusters_cover_the_truth() -> None:
    """Tasks of different difficulty, 4 samples each: about 95 % of the intervals hold the mean, Wilson's far fewer."""
    rng = np.random.default_rng(5)
    hits = naive = 0
    for _ in range(600):
        rates = rng.beta(0.3, 0.3, size=50)
        counts = [(int(c), 4) for c in rng.binomial(4, rates)]
        low, high = cluster_interval(counts)
        hits += low <= 0.5 <= high
        low, high = wilson(sum(c for c, _ in counts), 200)
        naive += low <= 0.5 <= high
    assert 0.925 <= hits / 600 <= 0.98
    assert naive / 600 < 0.85


def test_mean_interval() -> None:
    assert mean_interval([0.5], [(0.2, 0.7)]) == pytest.approx((0.2, 0.7))
    low, high = mean_interval([0.5, 0.7], [(0.2, 0.6), (0.3, 1.0)])  # below: .3, .4 -> .5 / 2; above: .1, .3
    assert (low, high) == pytest.approx((0.6 - 0.25, 0.6 + math.sqrt(0.1) / 2))


def test_pass_at_k_by_hand() -> None:
    assert pass_at_k(10, 3, 1) == pytest.approx(0.3)
    assert pass_at_k(10, 3, 5) == pytest.approx(1 - 21 / 252)
    assert pass_hat_k(10, 3, 2) == pytest.approx(3 / 45)
    assert pass_hat_k(10, 3, 1) == pytest.approx(0.3)
    assert (pass_at_k(4, 1, 4), pass_hat_k(4, 4, 4), pass_hat_k(4, 3, 4)) == (1.0, 1.0, 0.0)
    for k in (0, 5):
        with pytest.raises(SettingsError, match="k must be from 1"):
            pass_at_k(4, 1, k)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_by_brute_force(case: tuple[int, int, int]) -> None:
    n, c, k = case
    draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, draws)) / len(draws))


@given(st.integers(2, 12), st.floats(0.05, 0.95), st.data())
def test_pass_at_k_is_unbiased(n: int, p: float, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    weights = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    assert sum(w * pass_at_k(n, c, k) for c, w in enumerate(weights)) == pytest.approx(1 - (1 - p) ** k)
    assert sum(w * pass_hat_k(n, c, k) for c, w in enumerate(weights)) == pytest.approx(p**k)


def test_chance_corrected() -> None:
    assert chance_corrected(0.6, 0.2) == pytest.approx(0.5)
    assert chance_corrected(0.1, 0.2) == pytest.approx(-0.125)
    assert chance_corrected(1.0, 0.2) == 1.0
    assert chance_corrected(1.0, 1.0) is None


def played() -> list[Episode]:
    good, bad = Turn("o", "a", 1.0, False, "stop", 10, 5), Turn("o", "", 0.0, True, "length", 20, 7)
    lost = Turn("o", "", 0.0, True, "context_length")
    return [
        episode(1, 0, True, (bad, good)),
        episode(1, 1, False, (bad,), truncated=True, terminated=False),
        episode(2, 0, True, (good,)),
        episode(2, 1, False, (bad, lost), episode_return=0.5),
        episode(2, 2, False, (good,), status="error", error="rain", episode_return=1.0),
        episode(3, 0, False, (), status="error", error="rain"),
    ]


def test_score_by_hand() -> None:
    found = score(played(), ks=(1, 2), chance=0.25)
    assert found == Scores(
        num_episodes=4,
        num_errors=2,
        num_tasks=2,
        solve_rate=0.5,
        ci95=cluster_interval([(1, 2), (1, 2)]),
        pass_at_k={1: 0.5, 2: 1.0},
        pass_hat_k={1: 0.5, 2: 0.0},
        chance=0.25,
        chance_corrected=1 / 3,
        mean_return=2.5 / 4,
        mean_turns=6 / 4,
        prompt_tokens=(30 + 20 + 10 + 20) / 4,
        completion_tokens=(12 + 7 + 5 + 7) / 4,
        truncation_rate=0.25,
        cut_rate=4 / 6,
        format_error_rate=4 / 6,
        num_cut=4,
        refusal_rate=0.0,
    )


@settings(max_examples=30)
@given(st.permutations(played()))
def test_score_does_not_depend_on_the_order(order: list[Episode]) -> None:
    assert score(order, (1, 2)) == score(played(), (1, 2))


def test_tasks_that_errors_left_too_few_samples() -> None:
    some = [episode(1, 0, True), episode(1, 1, True), episode(2, 0, False), episode(2, 1, False, status="error")]
    found = score(some, (1, 2))
    assert found.pass_at_k == {1: 0.5, 2: 1.0}
    assert score(some[2:], (2,)).pass_at_k == {2: None}


def test_nothing_scored() -> None:
    assert score([], (1,), 0.1) == Scores(0, 0, 0, chance=0.1)
    assert score(played()[4:]) == Scores(0, 2, 0)
    assert overall([]) == Scores(0, 0, 0)


def test_overall_is_the_mean_over_environments() -> None:
    one, two = score(played(), (1,), 0.25), score([episode(9, 0, True)], (1,), 0.0)
    both = overall([one, two, score(played()[4:])])
    assert (both.num_episodes, both.num_errors, both.num_tasks) == (5, 4, 3)
    assert both.solve_rate == 0.75
    assert both.chance == 0.125
    assert both.pass_at_k == {1: 0.75}
    assert both.chance_corrected == pytest.approx((1 / 3 + 1) / 2)
    assert both.ci95 is not None
    assert both.ci95[0] < 0.75 < both.ci95[1]
    assert overall([one, score([episode(9, 0, True)], (1,))]).chance is None
