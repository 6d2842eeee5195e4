"""The published SATURN problems: the excerpt in tests/data, or the whole set where TURNWISE_SATURN names it."""

import json
import math
import os
import statistics
from pathlib import Path

import pytest

from turnwise.envs.data.dataset import Dataset
from turnwise.envs.sat.ksat import KSat, chance_of
from turnwise.envs.sat.planted import difficulty_of, expected_chance
from turnwise.verifiers.logic.sat import count_models

EXCERPT = Path(__file__).parents[2] / "data" / "saturn"
WHOLE = os.environ.get("TURNWISE_SATURN", "")
needs_whole = pytest.mark.skipif(not WHOLE, reason="TURNWISE_SATURN names no folder with the whole SATURN-2.6k")

# (n, k, l) -> D and the mean share of satisfying assignments, of the published test levels
PUBLISHED = {
    (6, 7, 40): (8.62, 0.52), (4, 7, 20): (9.20, 0.27), (3, 5, 20): (9.63, 0.08), (3, 6, 20): (10.23, 0.07),
    (5, 8, 40): (10.24, 0.28), (3, 5, 25): (10.28, 0.05), (3, 7, 20): (10.78, 0.08), (4, 7, 40): (11.20, 0.08),
    (4, 8, 40): (11.64, 0.08), (3, 7, 40): (12.78, 0.01),
}  # fmt: skip
TRAINING = {(3, 5, 5): 5.63, (3, 5, 6): 6.16, (3, 5, 13): 8.39, (3, 5, 15): 8.80}


def files(root, folder):
    return sorted((Path(root) / folder).rglob("*.jsonl"))


def setting_of(task):
    (n,) = {len(clause) for clause in task.clauses}
    return n, task.num_vars, len(task.clauses)


def answers_refused(env, solution):
    """Missing and extra bits, also those that SATURN's own checker would fill or skip."""
    for text in (solution[:-1], solution + "0", solution + "1", "0" + solution, " ".join(solution), ""):
        env.reset(seed=0)
        _, reward, _, _, info = env.step(f"\\boxed{{{text}}}")
        if reward or info["solved"]:
            return False
    return True


def check_file(path):
    """Both environments play every row as published and pay the shipped solution. Returns the tasks of KSat."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    tasks = []
    for index, row in enumerate(rows):
        for make, settings in ((KSat, {}), (Dataset, {"format": "saturn"})):
            env = make(path=str(path), index=index, **settings)
            assert env.reset(seed=0)[0] == row["prompt"]
            assert env.step(f"So \\boxed{{{row['solution']}}}.")[1] == 1.0, (path.name, index)
            assert answers_refused(env, row["solution"]), (path.name, index)
            if make is KSat:
                tasks.append(env.task)
        assert setting_of(tasks[-1])[:2] == (row["n_sat"], row["k"])
    return tasks


@pytest.mark.parametrize("path", files(EXCERPT, "."), ids=lambda path: path.name)
def test_the_excerpt(path):
    tasks = check_file(path)
    assert len(tasks) == 10
    assert all(count_models(task.formula) >= 1 for task in tasks)


@needs_whole
def test_the_thousand_harder_instances():
    seen = {}
    for path in files(WHOLE, "test"):
        tasks = check_file(path)
        assert len(tasks) == 100
        (setting,) = {setting_of(task) for task in tasks}
        difficulty, chance = PUBLISHED[setting]
        shares = [chance_of(task) for task in tasks]
        mean, expected = statistics.mean(shares), expected_chance(*setting)
        print(f"{setting}: D {difficulty_of(*setting):.2f} chance {mean:.4f} expected {expected:.4f}")  # noqa: T201
        assert round(difficulty_of(*setting), 2) == difficulty
        assert round(mean, 2) == chance
        # our generator's formulas are as easy to guess: within four standard errors of the file's mean
        assert abs(mean - expected) < 4 * statistics.stdev(shares) / math.sqrt(len(shares))
        seen[setting] = len(tasks)
    assert seen.keys() == PUBLISHED.keys() and sum(seen.values()) == 1000


@needs_whole
def test_the_four_training_levels():
    seen = {}
    for path in files(WHOLE, "train"):
        tasks = check_file(path)
        (setting,) = {setting_of(task) for task in tasks}
        assert round(difficulty_of(*setting), 2) == TRAINING[setting]
        seen.setdefault(setting, {})[path.stem] = len(tasks)
    assert seen == {
        (3, 5, 5): {"train": 250, "test": 20}, (3, 5, 6): {"train": 250, "test": 20},
        (3, 5, 13): {"train": 500, "test": 20}, (3, 5, 15): {"train": 500, "test": 20},
    }  # fmt: skip
