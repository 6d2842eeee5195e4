"""The ladder's model with simulated agents of known skill: coverage, episodes, misfit; no environments."""

# ruff: noqa: T201  (docs/ladder.md quotes what the slow tests print)

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from tests.evaluation._simulated import FALLING, FLAT, LEVELS, NO_CHANCE, SLOPES
from turnwise.evaluation.ladder.model import Located, Locator, surely_abler
from turnwise.evaluation.ladder.scale import Place


@dataclass(frozen=True)
class Simulated:
    """An agent whose chance to solve a level is known."""

    skill: float
    slope: float = 1.0
    chance: tuple[float, ...] = NO_CHANCE

    def rate(self, level: int) -> float:
        guess = self.chance[level - 1]
        return guess + (1 - guess) / (1 + math.exp(-self.slope * (self.skill - level)))


def adaptive(agent: Simulated, rng: np.random.Generator, done: Callable[[Located, int], bool]) -> tuple[Locator, int]:
    """Play batches of four where they say most, as `climb` does."""
    locator, played = Locator(agent.chance), 0
    while played < 12 or not done(locator.located(), played):
        level = locator.next_level()
        locator.add(level, int(rng.binomial(4, agent.rate(level))), 4)
        played += 4
    return locator, played


def fixed(agent: Simulated, rng: np.random.Generator, done: Callable[[Located, int], bool]) -> tuple[Locator, int]:
    """Play every level equally often."""
    locator, played = Locator(agent.chance), 0
    while played < 12 or not done(locator.located(), played):
        for level in range(1, LEVELS + 1):
            locator.add(level, int(rng.binomial(1, agent.rate(level))), 1)
        played += LEVELS
    return locator, played


def narrow(found: Located, played: int) -> bool:
    return found.width <= 1.5 or bool(found.beyond) or played >= 2000


def agents(number: int, seed: int) -> list[Simulated]:
    """Agents of all skills within the levels, flat and steep, with and without guessing."""
    rng = np.random.default_rng(seed)
    chances = (NO_CHANCE, FALLING, FLAT)
    return [Simulated(rng.uniform(1, LEVELS), SLOPES[i % 4], chances[i % 3]) for i in range(number)]


def trials(some: list[Simulated], way: Callable[..., tuple[Locator, int]], seed: int) -> tuple[float, float, float]:
    """Coverage of the 95 % interval, mean episodes, and as many as 95 % of agents need at most."""
    found = [(agent, *way(agent, np.random.default_rng([seed, i]), narrow)) for i, agent in enumerate(some)]
    covered = [at.located().ci95[0] <= agent.skill <= at.located().ci95[1] for agent, at, _ in found]
    played = [played for _, _, played in found]
    return float(np.mean(covered)), float(np.mean(played)), float(np.quantile(played, 0.95))


def test_a_few_agents_are_located_in_fewer_episodes_than_by_a_fixed_grid() -> None:
    some = agents(60, seed=1)
    coverage, episodes, _ = trials(some, adaptive, seed=2)
    _, of_grid, _ = trials(some, fixed, seed=3)
    assert coverage >= 0.9
    assert of_grid > 1.6 * episodes


@pytest.mark.slow
def test_five_hundred_agents_are_covered_and_save_half_of_the_episodes() -> None:
    """Nominal 95 %; the fixed grid may stop at the same width as well, which a grid planned in advance cannot."""
    some = agents(500, seed=4)
    coverage, episodes, most = trials(some, adaptive, seed=5)
    of_grid_coverage, of_grid, planned = trials(some, fixed, seed=6)
    print(f"\nall: coverage {coverage:.3f}, {episodes:.0f} episodes; grid {of_grid_coverage:.3f}, {of_grid:.0f}: "
          f"{of_grid / episodes:.2f} times as many; 95 % need at most {most:.0f} and {planned:.0f}")  # fmt: skip
    for slope in SLOPES:
        for name, chance in (("0", NO_CHANCE), ("0.35 falling", FALLING), ("0.25", FLAT)):
            part = [agent for agent in some if (agent.slope, agent.chance) == (slope, chance)]
            ours, theirs = trials(part, adaptive, seed=7)[1], trials(part, fixed, seed=8)[1]
            print(f"slope {slope}, chance {name}: {ours:.0f} and {theirs:.0f} episodes, factor {theirs / ours:.2f}")
    assert coverage >= 0.93
    assert of_grid > 1.8 * episodes
    assert planned > 4 * episodes


def certainty(way: str, slope: float, seed: int, most: int = 120) -> list[float]:
    """How sure it is that the abler of two agents one level apart is, after every 10 episodes of each."""
    rng = np.random.default_rng(seed)
    low, found = float(rng.uniform(1.5, LEVELS - 1.5)), []
    pair = [(Simulated(skill, slope), Locator(NO_CHANCE)) for skill in (low, low + 1)]
    for played in range(most):
        for agent, locator in pair:
            level = locator.next_level() if way == "adaptive" else 1 + played % LEVELS
            locator.add(level, int(rng.random() < agent.rate(level)), 1)
        if (played + 1) % 10 == 0:
            found.append(surely_abler(pair[1][1], pair[0][1]))
    return found


@pytest.mark.slow
def test_two_agents_one_level_apart_are_distinguished() -> None:
    """The number of episodes is fixed beforehand: stopping when it looks sure would be sure too often."""
    enough = {}
    for way in ("adaptive", "fixed"):
        for slope in (1.0, 2.0):
            medians = np.median([certainty(way, slope, seed) for seed in range(200)], axis=0)
            enough[way, slope] = 10 * (1 + int(np.argmax(medians >= 0.975))) if medians[-1] >= 0.975 else math.inf
    print(f"\nepisodes of each agent until the median of certainty is 97.5 %: {enough}")
    assert enough["adaptive", 1.0] <= 60
    assert enough["adaptive", 2.0] <= 40
    assert all(enough["adaptive", slope] < enough["fixed", slope] for slope in (1.0, 2.0))


def test_a_posterior_by_hand() -> None:
    """Many episodes at two levels fix the curve: its half lies where the observed logits cross zero."""
    locator = Locator(NO_CHANCE)
    for level, rate in ((4, 0.731), (6, 0.269)):  # a curve of slope 1 around 5
        locator.add(level, round(4000 * rate), 4000)
    found = locator.located()
    assert found.ability == pytest.approx(5.0, abs=0.05)
    assert 0.05 < found.width < 0.4
    assert found.ends == found.ci95


def test_a_scale_turns_abilities_into_levels() -> None:
    """Two units a level, from 3: the same results are the same level, and twice the unit."""
    place = Place(difficulty=tuple(3.0 + 2 * i for i in range(LEVELS)), offset_se=0.0, slope=0.5, slope_sd=0.6)
    plain, scaled = Locator(NO_CHANCE), Locator(NO_CHANCE, place)
    for locator in (plain, scaled):
        for level, solved in ((4, 29), (5, 18), (6, 11)):
            locator.add(level, solved, 40)
    one, other = plain.located(), scaled.located()
    assert other.ability == pytest.approx(one.ability, abs=0.03)
    assert other.ci95 == pytest.approx(one.ci95, abs=0.08)
    assert scaled.on_scale().value == pytest.approx(1 + 2 * one.ability, abs=0.06)
    assert Locator(NO_CHANCE, place).next_level() == Locator(NO_CHANCE).next_level()


def test_the_gain_is_that_of_the_variance() -> None:
    """By hand: the mean of the variances after either outcome."""
    locator = Locator(NO_CHANCE)
    locator.add(5, 3, 6)

    def variance(at: Locator) -> float:
        weights = at.marginal()
        mean = float(weights @ at.abilities)
        return float(weights @ (at.abilities - mean) ** 2)

    level, after = locator.next_level(), []
    for solved in (1, 0):
        other = Locator(NO_CHANCE)
        other.add(5, 3, 6)
        other.add(level, solved, 1)
        after.append(variance(other))
    joint = locator._joint()
    rate = float((locator._curves[level - 1] * joint).sum())
    assert locator.gain() == pytest.approx(variance(locator) - rate * after[0] - (1 - rate) * after[1], rel=1e-6)


def test_guessing_is_no_ability() -> None:
    """Solving what the random agent solves at level 5 says that the ability is below it."""
    guessing, plain = Locator(FLAT), Locator(NO_CHANCE)
    for locator in (guessing, plain):
        locator.add(5, 25, 100)
    assert guessing.located().ability + 1 < plain.located().ability < 5


@pytest.mark.parametrize(("solved", "ends"), [(1, (10.0, None)), (0, (None, 1.0))])
def test_an_agent_outside_the_levels_gets_one_side(solved: int, ends: tuple[float | None, float | None]) -> None:
    locator, played = Locator(NO_CHANCE), 0
    while not locator.located().beyond:
        locator.add(locator.next_level(), 4 * solved, 4)
        played += 4
        assert played < 60
    assert locator.located().ends == ends


@pytest.mark.parametrize("chance", [NO_CHANCE, FLAT])
def test_an_agent_just_below_the_top_is_seldom_put_above_it(chance: tuple[float, ...]) -> None:
    agent = Simulated(9.9, chance=chance)
    found = [adaptive(agent, np.random.default_rng(i), narrow)[0].located() for i in range(100)]
    assert sum(bool(each.beyond) for each in found) <= 5
    assert sum(each.ci95[0] <= agent.skill <= each.ci95[1] for each in found) >= 90


def test_the_next_level_is_near_the_ability_and_depends_on_results_alone() -> None:
    one, other = Locator(NO_CHANCE), Locator(NO_CHANCE)
    for level, solved, played in ((3, 9, 10), (6, 5, 10), (9, 1, 10)):
        one.add(level, solved, played)
    for level, solved, played in ((9, 0, 4), (6, 5, 10), (3, 9, 10), (9, 1, 6)):
        other.add(level, solved, played)
    assert one.next_level() == other.next_level() and 4 <= one.next_level() <= 8


def test_misfit_is_small_only_where_the_order_of_levels_is_wrong() -> None:
    right, wrong = Locator(NO_CHANCE), Locator(NO_CHANCE)
    for level in range(1, LEVELS + 1):
        rate = Simulated(5.0).rate(level)
        right.add(level, round(20 * rate), 20)
        wrong.add(level, round(20 * (rate if level not in (2, 8) else 1 - rate)), 20)
    assert right.misfit() > 0.3 > 0.01 > wrong.misfit()
    assert right.misfit(3) == right.misfit(3)
