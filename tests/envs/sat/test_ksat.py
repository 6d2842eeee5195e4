"""KSat: planted formulas, their difficulty and chance, and the answers it takes."""

import json
import math
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import turnwise.envs  # noqa: F401  (registers)
from tests._work import at_most
from turnwise.core.errors import SettingsError
from turnwise.envs.sat.ksat import KSat, chance_of
from turnwise.envs.sat.planted import difficulty_of, draw_clauses, expected_chance, naive_chance, settings_for
from turnwise.verifiers.logic.sat import count_models, models, parse_dimacs, parse_letters, violated

EXCERPT = Path(__file__).parents[2] / "data" / "saturn"


def tasks_of(env, number, seed=0):
    rng = np.random.default_rng(seed)
    return [env.generate(rng) for _ in range(number)]


@pytest.mark.parametrize(
    ("n", "k", "num"),
    [(3, 7, 32), (3, 5, 70), (2, 4, 18), (4, 4, 15), (3, 40, 100), (8, 100, 300), (2, 2, 1), (3, 5, 5)],
)
def test_formulas_have_the_shape_asked_for_and_a_solution(n, k, num):
    env = KSat(clause_size=n, num_vars=k, num_clauses=num, rendering="dimacs")
    for task in tasks_of(env, 30):
        assert len(task.clauses) == len(set(task.clauses)) == num
        assert task.clauses == tuple(sorted(task.clauses))
        for clause in task.clauses:
            variables = [abs(x) for x in clause]
            assert len(variables) == n and variables == sorted(set(variables)) and variables[-1] <= k
            assert all(type(x) is int for x in clause)
        assert not violated(task.formula, task.solution)


def test_every_clause_the_solution_satisfies_is_as_likely_as_another():
    rng = np.random.default_rng(0)
    for num in (2, 20):  # few of the 28 (drawn one by one) and most of them (shuffled)
        seen: dict[tuple[int, ...], int] = {}
        for _ in range(3000):
            for clause in draw_clauses("0110", 3, num, rng):
                seen[clause] = seen.get(clause, 0) + 1
        mean = 3000 * num / 28
        assert len(seen) == 28
        assert all(abs(count - mean) < 5 * math.sqrt(mean) for count in seen.values())


@pytest.mark.parametrize(("k", "num"), [(3, 7), (5, 24), (7, 32), (10, 48), (16, 90)])
def test_unique_leaves_one_solution(k, num):
    for task in tasks_of(KSat(unique=True, num_vars=k, num_clauses=num), 15):
        assert list(models(task.formula)) == [task.solution]
        assert len(set(task.clauses)) == num


def test_too_few_clauses_for_one_solution_is_said_in_bounded_time():
    with at_most(millions=100), pytest.raises(SettingsError, match="num_clauses is 6: too few"):
        KSat(unique=True, num_vars=20, num_clauses=6).generate(np.random.default_rng(0))


# ---- difficulty and chance ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "k", "num", "d"), [(3, 5, 5, 5.63), (3, 5, 6, 6.16), (3, 5, 13, 8.39), (3, 5, 15, 8.80), (3, 7, 40, 12.78)]
)
def test_difficulty_is_saturns(n, k, num, d):
    assert round(difficulty_of(n, k, num), 2) == d


@pytest.mark.parametrize(("n", "k", "num"), [(3, 5, 5), (3, 5, 28), (3, 7, 32), (4, 7, 20), (2, 5, 20), (6, 7, 40)])
def test_the_expected_chance_is_the_mean_over_tasks(n, k, num):
    env = KSat(clause_size=n, num_vars=k, num_clauses=num)
    found = [chance_of(task) for task in tasks_of(env, 1500)]
    error = np.std(found) / math.sqrt(len(found))
    assert abs(np.mean(found) - expected_chance(n, k, num)) < 4 * error + 1e-9


def test_the_expected_chance_in_simple_cases():
    assert expected_chance(2, 2, 3) == pytest.approx(1 / 4)  # all clauses of the solution: it alone is left
    assert expected_chance(2, 2, 1) == pytest.approx(3 / 4)
    assert naive_chance(3, 2) == pytest.approx(49 / 64)
    assert expected_chance(3, 20, 10) == pytest.approx(naive_chance(3, 10), rel=0.1)


def test_the_levels_are_as_hard_to_guess_as_written_down():
    difficulties = []
    for level, written in zip(KSat.levels, KSat.chance, strict=True):
        expected = expected_chance(level["clause_size"], level["num_vars"], level["num_clauses"])
        assert expected <= 0.05
        assert written == pytest.approx(expected, abs=0.0006)
        difficulties.append(difficulty_of(level["clause_size"], level["num_vars"], level["num_clauses"]))
    assert difficulties == sorted(difficulties)


@pytest.mark.parametrize("target", [9.5, 10.5, 11, 12.78, 14, 17, 20, 24])
def test_a_target_d_is_met_under_the_ceiling(target):
    env = KSat(target_d=target)
    chosen = env.clause_size, env.num_vars, env.num_clauses
    assert abs(difficulty_of(*chosen) - target) <= 0.3
    assert expected_chance(*chosen) <= 0.05
    assert len(tasks_of(env, 1)[0].clauses) == env.num_clauses


@pytest.mark.parametrize(
    ("target", "setting"), [(5.63, (3, 5, 5)), (6.16, (3, 5, 6)), (8.39, (3, 5, 13)), (8.8, (3, 5, 15))]
)
def test_without_a_ceiling_the_published_training_levels_come_back(target, setting):
    assert settings_for(target, 1.0) == setting


def test_target_d_with_one_solution():
    env = KSat(target_d=11.0, unique=True)
    assert all(count_models(task.formula) == 1 for task in tasks_of(env, 10))


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"clause_size": 6, "num_vars": 5}, "is 32"), ({"num_vars": 4}, "only 28"), ({"num_vars": 27}, "dimacs"),
     ({"target_d": 3.0}, "target_d is 3.0"), ({"unique": True, "num_vars": 21}, "most 20"), ({"index": 0}, "needs"),
     ({"path": "no/such.jsonl"}, "no/such.jsonl"), ({"path": "a\0b"}, "cannot be read"),
     ({"path": str(EXCERPT / "README.md")}, "README.md line 1"), ({"rendering": "xml"}, "rendering is 'xml'")],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_named(settings, message):
    with pytest.raises(SettingsError, match=message):
        KSat(**settings)


# ---- answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rendering", ["saturn", "letters", "dimacs"])
def test_every_solution_is_paid_and_nothing_else(rendering):
    env = KSat(num_vars=5, num_clauses=20, rendering=rendering)
    for seed in range(10):
        env.reset(seed=seed)
        task = env.task
        good = set(models(task.formula))
        for code in range(32):
            bits = format(code, "05b")
            env.reset(options={"task": task})
            _, reward, terminated, _, info = env.step(f"\\boxed{{{env._written(bits)}}}")
            assert terminated and reward == (bits in good) and info["solved"] == (bits in good)


def test_missing_and_extra_bits_are_refused():
    env = KSat(num_vars=6)
    for seed in range(50):
        env.reset(seed=seed)
        task = env.task
        s = task.solution
        for text in (s[:-1], s.rstrip("0")[:5], s + "0", s + "1", "0" + s, " ".join(s), s + "x", ",".join(s), f"[{s}]"):
            env.reset(options={"task": task})
            _, reward, _, _, info = env.step(f"<answer>{text}</answer>")
            assert reward == 0 and info["invalid_action"]


def test_each_rendering_shows_the_whole_formula():
    env = KSat()
    env.reset(seed=3)
    shown = {}
    for rendering in ("saturn", "letters", "dimacs"):
        env = KSat(rendering=rendering)
        shown[rendering], info = env.reset(seed=3)
        ids = info["task_id"]
        assert env.task.solution not in shown[rendering]
    last = json.loads(shown["saturn"].splitlines()[-1])
    assert list(last) == ["n_sat", "k", "clause"] and (last["n_sat"], last["k"]) == (3, 7)
    assert parse_letters(last["clause"], 7) == env.task.formula
    block = shown["dimacs"].split("\n\n")[1]
    assert parse_dimacs(block) == env.task.formula
    lines = shown["letters"].split("\n\n")[1].replace(" or ", "").replace("not ", "!").splitlines()
    assert parse_letters(" & ".join(lines), 7) == env.task.formula
    assert ids == KSat().reset(seed=3)[1]["task_id"]  # the rendering is not part of the instance


def test_further_tries_are_told_what_is_violated():
    env = KSat(max_turns=3)
    env.reset(seed=0)
    wrong = next(b for b in (format(i, "07b") for i in range(128)) if violated(env.task.formula, b))
    observation, reward, terminated, truncated, _ = env.step(f"\\boxed{{{wrong}}}")
    assert "of 32 clauses are not satisfied" in observation and not (reward or terminated or truncated)
    named = observation.rstrip(".").split(": ")[1].split(", ")
    clauses = [parse_letters(c, 7).clauses[0] for c in named if c != ""]
    assert 1 <= len(clauses) <= 3 and set(clauses) <= set(violated(env.task.formula, wrong))
    assert env.step(env.oracle())[1] == 1.0


# ---- published rows -----------------------------------------------------------------------------------------------


def test_a_published_row_is_played_as_published():
    path = EXCERPT / "test" / "n3_k5_length20_sample100.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    env = gymnasium.make("turnwise/KSat-v0", path=str(path), index=4)
    assert env.reset(seed=0)[0] == rows[4]["prompt"]
    assert env.step(f"... \\boxed{{{rows[4]['solution']}}}")[1] == 1.0
    other = gymnasium.make("turnwise/KSat-v0", path=str(path), index=4, rendering="dimacs")
    assert "p cnf 5 20" in other.reset(seed=0)[0]
    drawn = {KSat(path=str(path)).reset(seed=seed)[0] for seed in range(100)}
    assert drawn == {row["prompt"] for row in rows}
    with pytest.raises(SettingsError, match="rows 0 to 9"):
        KSat(path=str(path), index=10)


def test_a_bad_row_is_named(tmp_path):
    good = {"n_sat": 2, "k": 2, "clause": "A!B", "solution": "10"}
    path = tmp_path / "rows.jsonl"
    for bad in ({"solution": "01"}, {"solution": "1"}, {"clause": "A!C"}, {"k": None}):
        path.write_text(json.dumps(good) + "\n\n" + json.dumps(good | bad) + "\n")
        with pytest.raises(SettingsError, match=r"rows\.jsonl line 3"):
            KSat(path=str(path))
    path.write_text(json.dumps(good))
    assert KSat(path=str(path)).reset(seed=0)[0].endswith('{"n_sat": 2, "k": 2, "clause": "A!B"}')
    path.write_text("\n")
    with pytest.raises(SettingsError, match="no rows"):
        KSat(path=str(path))


@pytest.mark.slow
def test_too_few_clauses_for_one_solution_are_refused_soon():
    with at_most(millions=100), pytest.raises(SettingsError, match="too few to leave one solution"):
        KSat(clause_size=8, num_vars=20, num_clauses=1500, unique=True).reset(seed=1)
