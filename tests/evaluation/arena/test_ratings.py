"""Ratings: known strengths are found, intervals hold them, and winning everything is finite."""

import itertools

import numpy as np
import pytest

from turnwise.evaluation.arena.ratings import MEAN, Result, ratings


def season(strengths: dict[str, float], rounds: int, seed: int) -> list[Result]:
    rng = np.random.default_rng(seed)
    results = []
    for unit in range(rounds):
        for a, b in itertools.combinations(strengths, 2):
            p = 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))
            results += [Result(a, b, float(rng.random() < p), (a, b, unit, half)) for half in range(2)]
    return results


@pytest.mark.slow
def test_known_strengths_are_found_and_intervals_hold_them() -> None:
    strengths = {"a": 1200.0, "b": 1400.0, "c": 1500.0, "d": 1600.0, "e": 1800.0}
    held = total = 0
    for seed in range(10):
        found = ratings(season(strengths, 20, seed), list(strengths))
        held += sum(found[name].ci95[0] <= value <= found[name].ci95[1] for name, value in strengths.items())
        total += len(strengths)
    assert held / total > 0.86
    found = ratings(season(strengths, 400, 0), list(strengths))
    assert all(abs(found[name].value - value) < 45 for name, value in strengths.items())


def test_who_wins_everything_has_a_finite_rating() -> None:
    found = ratings([Result("a", "b", 1.0, i) for i in range(20)], ["a", "b", "absent"])
    assert found["a"].value > found["absent"].value > found["b"].value
    assert np.isfinite([rating.value for rating in found.values()]).all()
    assert abs(sum(rating.value for rating in found.values()) / 3 - MEAN) < 1e-6


def test_neither_names_nor_order_matter() -> None:
    results = season({"a": 1400.0, "b": 1500.0, "c": 1650.0}, 10, 3)
    names = ["a", "b", "c"]
    one = ratings(results, names)
    turned = [Result(r.second, r.first, 1 - r.score, r.unit) for r in results]
    assert all(abs(one[name].value - ratings(turned, names)[name].value) < 1e-6 for name in names)
    assert ratings([], names)["a"].value == MEAN


def test_games_of_a_unit_are_drawn_together() -> None:
    """Two games that always end alike say no more than one."""
    single = [Result("a", "b", float(i % 3 > 0), i) for i in range(60)]
    double = [Result("a", "b", float(i % 3 > 0), i) for i in range(60) for _ in range(2)]
    apart = [Result("a", "b", r.score, number) for number, r in enumerate(double)]

    def width(rows: list[Result]) -> float:
        low, high = ratings(rows, ["a", "b"])["a"].ci95
        return high - low

    assert width(apart) < 0.85 * width(double)
    assert abs(width(double) / width(single) - 1) < 0.15
