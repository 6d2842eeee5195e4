"""SATURN, ADCL and the success window, by hand."""

import math

import pytest

from tests.baselines.methods._made import make_curriculum
from turnwise.baselines.methods.curricula.base import TaskResult, TaskSpec
from turnwise.baselines.methods.curricula.levels import adcl_resort, saturn_advances, saturn_difficulty

ENV = "turnwise/GuessNumber-v0"


def tasks_of(arm: int, *rates: float) -> list[TaskResult]:
    """Tasks of four rollouts with these shares solved."""
    rows = [tuple(i < 4 * rate for i in range(4)) for rate in rates]
    return [TaskResult(TaskSpec(ENV, {}, 0, arm), tuple(map(float, row)), row, (0.0,) * 4) for row in rows]


def test_saturn_difficulty_by_hand():
    # n = 3, k = 8, l = 16: 3 + 2 * 4 - 3 + 8 / 3
    assert saturn_difficulty(3, 8, 16) == pytest.approx(8 + 8 / 3)
    assert saturn_difficulty(3, 5, 20) == pytest.approx(math.log2(5) + 2 * math.log2(20) - 3 + 5 / 3)


def test_saturn_advances_above_the_threshold_and_not_at_it():
    assert saturn_advances(0.76) and not saturn_advances(0.75) and not saturn_advances(0.1)
    assert saturn_advances(0.6, threshold=0.5)


def test_saturn_climbs_one_level_at_a_time_and_counts_anew():
    saturn = make_curriculum("saturn", ENV, {}, {"levels": [1, 2, 3], "window": 4, "threshold": 0.75})
    saturn.observe(tasks_of(0, 1, 1, 1))  # three tasks: not enough to judge
    assert saturn.level == 0
    saturn.observe(tasks_of(0, 0))  # 3/4 is not above the threshold
    assert saturn.level == 0 and saturn.metrics() == {"level": 0.0, "pass_at_1": 0.75}
    saturn.observe(tasks_of(0, 1))  # the latest four: 1, 1, 0, 1
    assert saturn.level == 0
    saturn.observe(tasks_of(0, 1, 1, 1, 1, 1, 1, 1, 1))
    assert saturn.level == 1 and saturn.recent == []
    saturn.observe(tasks_of(0, 1, 1, 1, 1))  # tasks of a level already passed say nothing
    assert saturn.level == 1
    saturn.observe(tasks_of(1, 1, 1, 1, 1))
    saturn.observe(tasks_of(2, 1, 1, 1, 1))
    assert saturn.level == 2  # the last one
    assert {t.arm for t in saturn.draw(20, step=0, key=(1,))} == {2}


def test_saturn_rehearses_passed_levels():
    saturn = make_curriculum("saturn", ENV, {}, {"levels": [1, 2, 3, 4], "rehearsal": 0.3})
    assert saturn.probabilities() == pytest.approx([1, 0, 0, 0])
    saturn.level = 2
    assert saturn.probabilities() == pytest.approx([0.15, 0.15, 0.7, 0])


def test_adcl_sorts_the_upcoming_batch_only():
    order = [4, 2, 0, 1, 3, 5]
    difficulty = [0.9, 0.1, 0.5, 0.1, 0.8, 0.0]
    # the batch [2, 5) holds 0 (0.9), 1 (0.1), 3 (0.1): equal ones keep their order; 4 and 5 are not touched
    assert adcl_resort(order, difficulty, start=2, size=3) == [4, 2, 1, 3, 0, 5]
    assert adcl_resort(order, difficulty, start=0, size=2) == [2, 4, 0, 1, 3, 5]
    assert adcl_resort(order, difficulty, start=4, size=9) == [4, 2, 0, 1, 5, 3]
    assert sorted(adcl_resort(order, difficulty, start=0, size=6)) == sorted(order)


def test_adcl_probes_the_next_block_and_sorts_it_when_it_comes():
    config = {"levels": [1, 2, 3, 4], "steps": 8, "block": 4, "probe": 0.5}
    adcl = make_curriculum("adcl", ENV, {}, config)
    assert adcl.plan == [0, 0, 1, 1, 2, 2, 3, 3]
    # every second task is a probe of arms 2 and 3, in turn
    assert [t.arm for t in adcl.draw(8, step=0, key=(1,))] == [0, 2, 0, 3, 0, 2, 0, 3]
    assert [t.arm for t in adcl.draw(4, step=2, key=(1,))] == [1, 2, 1, 3]
    assert [adcl.draw(2, step=s, key=(1,))[1].arm for s in range(4)] == [2, 3, 2, 3]  # one probe a step: in turn, too
    assert adcl.difficulty == [0.0] * 4
    adcl.observe([*tasks_of(0, 1), *tasks_of(2, 0.5), *tasks_of(3, 1)])
    adcl.observe([*tasks_of(0, 1), *tasks_of(2, 0), *tasks_of(3, 1)])
    adcl.observe([])
    assert adcl.plan == [0, 0, 1, 1, 2, 2, 3, 3]
    adcl.observe([])
    # arm 2: 0.5 * 0 + 0.5 * 0.5 = 1/4 solved; arm 1 was never played and counts as hard as arm 0
    assert adcl.difficulty == pytest.approx([0, 0, 0.75, 0])
    assert adcl.plan == [0, 0, 1, 1, 3, 3, 2, 2]
    assert [t.arm for t in adcl.draw(4, step=4, key=(1,))] == [3, 3, 3, 3]  # no block after this one: no probes
    assert {t.arm for t in adcl.draw(60, step=8, key=(1,))} == {0, 1, 2, 3}  # the plan is over


def test_adcl_never_moves_what_it_does_not_know_past_what_it_does():
    adcl = make_curriculum("adcl", ENV, {}, {"levels": [1, 2, 3], "steps": 3, "block": 3})
    adcl.solve_rates = [0.25, None, 0.5]
    assert adcl.difficulty == [0.75, 0.75, 0.5]
    assert adcl_resort([0, 1, 2], adcl.difficulty, start=0, size=3) == [2, 0, 1]


def test_the_success_window_drops_what_is_solved_always_or_never():
    window = make_curriculum(
        "success_window", ENV, {}, {"levels": [1, 2, 3], "window": 4, "min_tasks": 2, "explore": 0}
    )
    assert window.probabilities() == pytest.approx([1 / 3] * 3)
    window.observe([*tasks_of(0, 1), *tasks_of(1, 0.5, 0.25), *tasks_of(2, 0, 0)])
    assert window.probabilities() == pytest.approx([0.5, 0.5, 0])  # arm 0 has one task: not known yet
    window.observe(tasks_of(0, 1))
    assert window.probabilities() == pytest.approx([0, 1, 0])
    window.observe(tasks_of(2, 0.5, 0.5))  # 1/4 of the latest four tasks: back in the window
    assert window.probabilities() == pytest.approx([0, 0.5, 0.5])


def test_the_success_window_takes_the_nearest_arm_when_none_is_inside():
    config = {"levels": [1, 2], "min_tasks": 1, "low": 0.4, "high": 0.6, "explore": 0.2}
    window = make_curriculum("success_window", ENV, {}, config)
    window.observe([*tasks_of(0, 1), *tasks_of(1, 0.25)])  # 0.4 above and 0.15 below
    assert window.probabilities() == pytest.approx([0.1, 0.9])


def test_saturn_follows_a_learner_up_the_levels():
    """Skill rises by practice at the level; the curriculum keeps up with it, uniform sampling spreads its effort."""
    reached = {}
    for name in ("saturn", "uniform"):
        curriculum = make_curriculum(
            name, ENV, {}, {"levels": [1, 2, 3, 4], **({"window": 8} if name == "saturn" else {})}
        )
        skill = [0.0] * 4
        for step in range(60):
            outcomes = []
            for task in curriculum.draw(8, step=step, key=(2,)):
                ready = 1.0 if task.arm == 0 else skill[task.arm - 1]  # nothing is learnt before the level below
                skill[task.arm] = min(1.0, skill[task.arm] + 0.02 * ready)
                outcomes += tasks_of(task.arm, skill[task.arm])
            curriculum.observe(outcomes)
            if skill[3] > 0.9:
                reached.setdefault(name, step)
    assert reached["saturn"] < reached.get("uniform", 60)
