"""One ability over several environments, with simulated agents of known skill: coverage, episodes, open ends."""

# ruff: noqa: T201  (docs/ladder.md quotes what the slow tests print)

import numpy as np
import pytest

from tests.evaluation._simulated import NO_CHANCE, Array, World, agents, grid, ladder, level_world, uneven_world
from turnwise.evaluation.ladder.ability import Joint
from turnwise.evaluation.ladder.calibrate import calibrated, scale_of
from turnwise.evaluation.ladder.model import Locator
from turnwise.evaluation.ladder.results import Row
from turnwise.evaluation.ladder.scale import Scale

ALONE = Scale(spread=100.0, spread_sd=0.01)
"""With such a spread environments say nothing about each other."""
WIDTH = 0.8


def inside(value: float, ends: tuple[float, float]) -> bool:
    return ends[0] <= value <= ends[1]


def filled(results: list[list[tuple[int, int, int]]], scale: Scale | None = None) -> Joint:
    """The posterior after (level, solved, played) in each environment."""
    scale = scale or Scale()
    locators = [Locator(NO_CHANCE) for _ in results]
    for locator, steps in zip(locators, results, strict=True):
        for level, solved, played in steps:
            locator.add(level, solved, played)
    joint = Joint(scale, locators)
    joint.share(range(len(locators)))
    return joint


def test_an_environment_not_yet_played_begins_from_what_the_others_say() -> None:
    known = [[(4, 15, 20), (5, 10, 20), (6, 5, 20)]] * 4
    joint = filled([*known, []])
    expected = joint.locators[-1].located()
    assert expected.ability == pytest.approx(5.0, abs=0.2)
    assert expected.width < 5 < filled([[]]).locators[0].located().width
    far = filled([known[0], [(9, 15, 20), (10, 5, 20)], [(1, 5, 20)], []])
    assert far.locators[-1].located().width > 1.4 * expected.width, "environments that disagree say less"
    assert joint.ability().elsewhere.value == pytest.approx(expected.ability, abs=0.05)


def test_one_environment_is_located_as_if_it_were_alone() -> None:
    steps = [(4, 9, 10), (5, 6, 10), (7, 1, 10)]
    joint = filled([steps])
    alone = Locator(NO_CHANCE)
    for step in steps:
        alone.add(*step)
    assert joint.locators[0].located().ability == pytest.approx(alone.located().ability, abs=0.02)
    assert joint.ability().ci95 == pytest.approx(alone.located().ci95, abs=0.06)


def test_an_environment_unlike_the_others_is_believed() -> None:
    joint = filled([[(3, 10, 20), (4, 4, 20)]] * 5 + [[(8, 15, 20), (9, 10, 20), (10, 5, 20)]])
    alone = filled([[(8, 15, 20), (9, 10, 20), (10, 5, 20)]])
    assert joint.locators[-1].located().ability == pytest.approx(alone.locators[0].located().ability, abs=0.3)


def test_the_mean_is_that_of_the_posterior() -> None:
    """Against draws: general ability and spread, then each environment's ability given them."""
    joint = filled([[(3, 10, 20), (4, 4, 20)], [(6, 5, 8)], [(8, 2, 10)], []])
    rng, found = np.random.default_rng(0), joint.ability()
    cells = rng.choice(len(joint._general), 4000, p=joint._weights())
    total = np.zeros(len(cells))
    for kernel, locator in zip(joint._kernels, joint.locators, strict=True):
        given = np.cumsum(kernel[cells] * locator.likelihood(), axis=1)
        at = (given < (rng.random(len(cells)) * given[:, -1])[:, None]).sum(1)
        total += locator.abilities[at] / len(joint.locators)
    assert found.value == pytest.approx(float(np.median(total)), abs=0.05)
    assert found.ci95 == pytest.approx(tuple(np.quantile(total, [0.025, 0.975])), abs=0.12)
    assert joint.width() == pytest.approx(found.width, rel=0.1)


@pytest.mark.parametrize(("solved", "side"), [(20, "above"), (0, "below")])
def test_beyond_the_levels_the_end_is_open(solved: int, side: str) -> None:
    level = 10 if side == "above" else 1
    whole = filled([[(level, solved, 20)]] * 3).ability()
    assert (whole.ends[0] is None, whole.ends[1] is None) == (side == "below", side == "above")
    assert getattr(whole, side) == 3
    one = filled([[(5, 10, 20), (6, 5, 20)]] * 3 + [[(level, solved, 20)]]).ability()
    assert getattr(one, side) == 1 and (one.ends[0] is None) == (side == "below")
    assert None not in filled([[(5, 10, 20), (6, 5, 20), (4, 15, 20)]] * 3).ability().ends


def test_a_few_agents_are_found_in_fewer_episodes_than_by_a_grid() -> None:
    world, episodes, covered = level_world(4), [], []
    for i, (_, abilities) in enumerate(agents(6, 4, 1.0, seed=1)):
        joint, played = ladder(world, abilities, np.random.default_rng(i), Scale(), overall=1.2)
        _, of_grid = grid(world, abilities, np.random.default_rng(i), Scale(), lambda j: j.width() <= 1.2)
        episodes.append((sum(played), of_grid))
        covered.append(inside(float(abilities.mean()), joint.ability().ci95))
    ours, theirs = np.sum(episodes, axis=0)
    assert theirs > 1.5 * ours
    assert sum(covered) >= 5


# ---- what docs/ladder.md quotes --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_five_hundred_agents_with_one_ability_over_ten_environments() -> None:
    """Until the interval of the ability over all is narrow. The grid is the same for all agents: planned in advance."""
    world, trials = level_world(10), []
    for i, (general, abilities) in enumerate(agents(500, 10, 1.0, seed=2)):
        rng = np.random.default_rng([3, i])
        joint, played = ladder(world, abilities, rng, Scale(), overall=WIDTH)
        found = joint.ability()
        envs = [inside(x, at.on_scale().ci95) for x, at in zip(abilities, joint.locators, strict=True)]
        new = general + rng.normal()
        trials.append((sum(played), inside(float(abilities.mean()), found.ci95), np.mean(envs),
                       inside(new, found.elsewhere.ci95), found.width))  # fmt: skip
    episodes, covered, of_envs, elsewhere, width = np.mean(trials, axis=0)
    quick = [ladder(world, abilities, np.random.default_rng([3, i]), Scale(), batch=1, overall=WIDTH)[1]
             for i, (_, abilities) in enumerate(agents(60, 10, 1.0, seed=2))]  # fmt: skip
    single = float(np.mean([sum(played) for played in quick]))
    grids = {}
    for name, scale in (("the joint model", Scale()), ("each environment for itself", ALONE)):
        some = [grid(world, abilities, np.random.default_rng([4, i]), scale, lambda j: j.width() <= WIDTH)[1]
                for i, (_, abilities) in enumerate(agents(60, 10, 1.0, seed=2))]  # fmt: skip
        grids[name] = (float(np.mean(some)), float(np.quantile(some, 0.95)))
    print(f"\nability over 10 environments: coverage {covered:.3f}, of each environment {of_envs:.3f}, of another one "
          f"{elsewhere:.3f}; {episodes:.0f} episodes for width {width:.2f}, {single:.0f} in batches of 1")  # fmt: skip
    for name, (stopping, planned) in grids.items():
        print(f"grid, {name}: {stopping:.0f} if it stops at the width ({stopping / episodes:.1f} times as many), "
              f"{planned:.0f} planned for 95 % of agents ({planned / episodes:.1f})")  # fmt: skip
    assert min(covered, of_envs, elsewhere) >= 0.93
    assert grids["each environment for itself"][1] > 4 * single


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_five_hundred_ladders_that_inform_each_other() -> None:
    """Fifty agents in ten environments, until each environment has its width; the grid is planned for 95 % of them."""
    world, found = level_world(10), {}
    for spread in (0.5, 1.0):
        some = agents(50, 10, spread, seed=5)
        covered, played, overall = [], [], []
        for i, (_, abilities) in enumerate(some):
            joint, episodes = ladder(world, abilities, np.random.default_rng([6, i]), Scale())
            covered += [inside(x, at.on_scale().ci95) for x, at in zip(abilities, joint.locators, strict=True)]
            overall.append(inside(float(abilities.mean()), joint.ability().ci95))
            played += episodes
        found[spread] = (float(np.mean(covered)), float(np.mean(played)), float(np.mean(overall)))
    lone = level_world(12)
    planned = []
    for env in range(12):
        one = World(lone.slopes[env : env + 1], lone.chances[env : env + 1], lone.difficulties[:1])
        for i, (_, abilities) in enumerate(agents(25, 1, 0.0, seed=7)):
            rng = np.random.default_rng([8, env, i])
            planned.append(grid(one, abilities, rng, ALONE, _narrow)[1])
    enough = float(np.quantile(planned, 0.95))
    for spread, (coverage, mean, overall_coverage) in found.items():
        print(f"\nspread {spread}: coverage {coverage:.3f} (over all {overall_coverage:.2f}), {mean:.0f} episodes an "
              f"environment; grid planned in advance {enough:.0f}, {enough / mean:.1f} times as many")  # fmt: skip
        assert coverage >= 0.93
        assert enough > 4 * mean


def _narrow(joint: Joint) -> bool:
    at = joint.locators[0]
    return at.located().width <= 1.5 or bool(at.located().beyond) or int(at.played.sum()) >= 1000


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_agents_one_level_apart_over_ten_environments_are_distinguished() -> None:
    """Episodes are fixed beforehand; certainty is that of the difference of the mean abilities."""
    world, marks = level_world(10), tuple(range(20, 181, 20))
    certainty = []
    for seed, (_, abilities) in enumerate(agents(60, 10, 1.0, seed=9)):
        rng = np.random.default_rng([10, seed])
        weaker, abler = (_means(world, abilities + shift, rng, marks) for shift in (-0.5, 0.5))
        certainty.append([(b[0] - a[0]) / np.hypot(a[1], b[1]) for a, b in zip(weaker, abler, strict=True)])
    medians = np.median(certainty, axis=0)
    enough = marks[int(np.argmax(medians >= 1.96))]
    print(f"\nten environments, agents one level apart: {enough} episodes of each until the median is sure to 97.5 %")
    assert medians[-1] >= 1.96 and enough <= 160


def _means(
    world: World, abilities: Array, rng: np.random.Generator, marks: tuple[int, ...]
) -> list[tuple[float, float]]:
    """Mean ability and its error after so many episodes, two at a time where they narrow it most."""
    locators = world.locators(Scale())
    joint, played, found = Joint(Scale(), locators), 0, []
    for mark in marks:
        while played < mark:
            gains = [locator.gain() for locator in locators]
            best = [int(i) for i in np.argsort(gains)[-min(5, (mark - played) // 2) :]]
            for i in best:
                level = locators[i].next_level()
                locators[i].add(level, world.play(rng, i, abilities[i], level, 2), 2)
                played += 2
            joint.share(best)
        found.append(joint.moments())
    return found


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_calibrated_scale_makes_environments_comparable() -> None:
    """Environments that are harder or easier than their numbers say: other agents' results show it."""
    world = uneven_world(10, seed=11)
    rng = np.random.default_rng(12)
    rows: list[Row] = []
    for i, (_, abilities) in enumerate(agents(12, 10, 0.7, seed=13)):
        rows += world.rows(rng, f"a{i}", abilities, 6)
    fit = calibrated(rows, dict.fromkeys(world.names, 10))
    truth, errors = np.concatenate(world.difficulties), np.concatenate(fit.difficulty_se)
    off = np.concatenate(fit.difficulty) - truth
    scale = scale_of(fit, rows)
    found = {}
    for name, used in (("calibrated", scale), ("level numbers", Scale())):
        trials = []
        for i, (general, abilities) in enumerate(agents(60, 10, 0.7, seed=14)):
            joint, played = ladder(world, abilities, np.random.default_rng([15, i]), used)
            ability = joint.ability()
            trials.append((sum(played) / 10, inside(float(abilities.mean()), ability.ci95),
                           inside(general + 0.7 * rng.normal(), ability.elsewhere.ci95),
                           ability.elsewhere.ci95[1] - ability.elsewhere.ci95[0]))  # fmt: skip
        found[name] = np.mean(trials, axis=0)
    before = np.std(truth - np.tile(np.arange(1, 11), 10))
    print(f"\n12 agents, 6 tasks a level: difficulties are off by {np.std(off):.2f} (level numbers: {before:.2f}); "
          f"{np.mean(np.abs(off) < 1.96 * errors):.2f} within 95 %; spread {fit.spread:.2f} for 0.7")  # fmt: skip
    for name, (episodes, covered, elsewhere, width) in found.items():
        print(f"{name}: {episodes:.0f} episodes an environment; covers the ability {covered:.2f}; another environment "
              f"{elsewhere:.2f}, {width:.1f} wide")  # fmt: skip
    assert np.std(off) < 0.6
    assert found["calibrated"][2] >= 0.9 and found["calibrated"][3] < found["level numbers"][3]
