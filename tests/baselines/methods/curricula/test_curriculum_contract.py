"""What every curriculum promises: pure draws, exact seeds, a state that survives JSON and continues bit for bit."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.baselines.methods._made import make_curriculum
from turnwise.baselines.methods.curricula import CURRICULA, WITHOUT_ARMS, make_arms
from turnwise.baselines.methods.curricula.base import Arm, ArmCurriculum, TaskResult, TaskSpec, scaling_inter
from turnwise.baselines.methods.curricula.fixed import Uniform
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError

ENV = "turnwise/GuessNumber-v0"
NAMES = sorted(CURRICULA)
SMALL = {"saturn": {"window": 3}, "success_window": {"window": 4, "min_tasks": 2}, "dump": {"window": 5},
         "adcl": {"steps": 8, "block": 2}, "scaling_inter": {"horizons": [2, 4]}}  # fmt: skip


def make(name: str, **more: object) -> ArmCurriculum:
    return make_curriculum(name, ENV, {}, {"levels": [1, 3, 7], **SMALL.get(name, {}), **more})


def outcome(task: TaskSpec, returns: list[float], advantages: list[float] | None = None) -> TaskResult:
    return TaskResult(
        task, tuple(returns), tuple(r > 0.5 for r in returns), tuple(advantages or [abs(r) for r in returns])
    )


unit = st.floats(0, 1, allow_nan=False)
history = st.lists(st.lists(st.tuples(st.integers(0, 2), st.lists(unit, max_size=3)), max_size=4), max_size=10)


def feed(curriculum: ArmCurriculum, steps: list[list[tuple[int, list[float]]]]) -> None:
    for step in steps:
        curriculum.observe([outcome(TaskSpec(ENV, {}, i, arm), returns) for i, (arm, returns) in enumerate(step)])


@pytest.mark.parametrize("name", NAMES)
@given(before=history, after=history)
@settings(max_examples=15)
def test_a_state_through_json_continues_identically(name, before, after):
    ours = make(name)
    feed(ours, before)
    restored = make(name)
    restored.load_state_dict(json.loads(json.dumps(ours.state_dict())))
    for step in range(3):
        assert restored.draw(5, step=step, key=(7,)) == ours.draw(5, step=step, key=(7,))
        assert restored.metrics() == ours.metrics()
        feed(ours, after)
        feed(restored, after)
    assert restored.state_dict() == ours.state_dict()


@pytest.mark.parametrize("name", NAMES)
@given(steps=history)
@settings(max_examples=15)
def test_probabilities_are_a_distribution_and_draws_are_pure(name, steps):
    curriculum = make(name)
    feed(curriculum, steps)
    p = curriculum.probabilities()
    assert p.min() >= 0 and p.sum() == pytest.approx(1)
    before = json.dumps(curriculum.state_dict())
    drawn = curriculum.draw(6, step=2, key=(5,))
    assert drawn == curriculum.draw(6, step=2, key=(5,))
    assert json.dumps(curriculum.state_dict()) == before
    assert len(drawn) == 6 == len({task.seed for task in drawn})
    assert drawn != curriculum.draw(6, step=2, key=(6,)) and drawn != curriculum.draw(6, step=3, key=(5,))
    assert all(task.settings == {"difficulty": [1, 3, 7][task.arm]} for task in drawn)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"pcl"}))
def test_a_refill_goes_on_where_the_draw_ended(name):
    curriculum = make(name)
    whole = curriculum.draw(8, step=1, key=(3,))
    assert curriculum.draw(5, step=1, key=(3,)) + curriculum.draw(3, step=1, key=(3,), first=5) == whole


def test_a_refill_of_pcl_has_candidates_of_its_own():
    curriculum = make("pcl", k=8)
    feed(curriculum, [[(0, [1.0]), (1, [0.5]), (2, [0.0])]] * 5)
    drawn = [task for first in (0, 2, 4) for task in curriculum.draw(2, step=1, key=(3,), first=first)]
    assert [task.arm for task in drawn] == [1] * 6  # the half solved level, whichever candidates those are
    assert len({task.seed for task in drawn}) == 6


def test_uniform_tasks_have_the_seeds_of_the_trainer():
    drawn = make_curriculum("uniform", ENV, {"high": 8}).draw(4, step=9, key=(42,), first=2)
    assert drawn == [TaskSpec(ENV, {"high": 8}, seed_of(42, "train", 9, i), 0) for i in (2, 3, 4, 5)]


@pytest.mark.parametrize("name", NAMES)
def test_tasks_whose_rollouts_all_failed_teach_nothing(name):
    ours, other = make(name), make(name)
    ours.observe([outcome(TaskSpec(ENV, {}, 1, 0), [])])
    other.observe([])
    assert ours.state_dict() == other.state_dict()


@pytest.mark.parametrize("name", ["sec", "adcl", "pcl"])
@given(step=st.lists(st.tuples(st.integers(0, 2), st.lists(unit, min_size=1, max_size=3)), min_size=2, max_size=6))
@settings(max_examples=15)
def test_the_order_of_outcomes_does_not_matter(name, step):
    ours, other = make(name), make(name)
    feed(ours, [step])
    feed(other, [step[::-1]])
    assert ours.state_dict() == other.state_dict()


def test_a_pool_of_tasks_comes_back_in_another_order_and_never_twice_in_a_step():
    curriculum = make_curriculum("uniform", ENV, {}, {"num_tasks": 6})
    steps = [[task.seed for task in curriculum.draw(6, step=s, key=(1,))] for s in range(4)]
    assert all(set(seeds) == set(steps[0]) and len(set(seeds)) == 6 for seeds in steps)
    assert steps[0] != steps[1]
    assert not set(steps[0]) & {task.seed for task in curriculum.draw(6, step=0, key=(2,))}


def test_arms_of_a_pool_are_different_tasks():
    drawn = make("uniform", num_tasks=4).draw(400, step=0, key=(1,))
    assert len({(task.arm, task.seed) for task in drawn}) == len({task.seed for task in drawn}) == 12


def test_a_state_of_other_arms_is_refused():
    state = make("sec").state_dict()
    with pytest.raises(SettingsError, match="has the arms"):
        make_curriculum("sec", ENV, {}, {"levels": [1, 2]}).load_state_dict(state)


def test_horizons_rise_in_stages_and_the_last_one_stays():
    # rounds 2, 4, 8 of 10 steps each: step 25 is in stage min(25 // 10, 2) = 2
    assert [scaling_inter(s, rounds=[2, 4, 8], every=10) for s in (0, 9, 10, 19, 20, 25, 500)] == [2, 2, 4, 4, 8, 8, 8]
    for name in NAMES:
        assert make(name, horizons=[2, 4, 8], horizon_every=10).horizon(19) == 4
    assert make("uniform").horizon(19) is None


def test_levels_and_arms_as_a_config_describes_them():
    arms = make_arms(ENV, {"high": 8, "difficulty": 5}, Uniform(levels=(1, 2)))
    assert arms == [
        Arm(env=ENV, settings={"high": 8, "difficulty": 1}),
        Arm(env=ENV, settings={"high": 8, "difficulty": 2}),
    ]
    assert make_arms(ENV, {"a": 1}, Uniform(arms=(Arm(weight=2.0), Arm(env="x/Y-v1", settings={"b": 2})))) == [
        Arm(env=ENV, settings={"a": 1}, weight=2.0),
        Arm(env="x/Y-v1", settings={"b": 2}, weight=1.0),  # not the settings of the run's environment
    ]
    assert make_arms(ENV, {"a": 1}, Uniform()) == [Arm(env=ENV, settings={"a": 1})]
    assert Arm(env="x/Y-v1", settings={"a": 1, "b": 2}).label == "Y-v1(a=1,b=2)"


@pytest.mark.parametrize("name", sorted(CURRICULA))
def test_a_run_whose_curriculum_has_nothing_to_choose_from_is_refused(name: str) -> None:
    more = {"curriculum.horizons": [2, 4]} if name == "scaling_inter" else {}
    settings = {"env": ENV, "curriculum": name, **more}
    if CURRICULA.settings_of(name) in WITHOUT_ARMS:
        TrainConfig.of(settings)
        return
    with pytest.raises(SettingsError, match=f"curriculum '{name}' chooses among arms and has none"):
        TrainConfig.of(settings)
    TrainConfig.of({**settings, "curriculum.levels": [1, 3]})
    TrainConfig.of({**settings, "curriculum.arms": [{"weight": 2}, {"settings": {"difficulty": 2}}]})


@pytest.mark.parametrize(
    ("name", "given_settings", "message"),
    [
        ("best", {}, "curriculum is 'best'; it must be one of"),
        ("sec", {"taus": 1}, "sec has no setting 'taus' .did you mean 'tau'"),
        ("sec", {"tau": 0}, "tau is 0; it must be above 0"),
        ("sec", {"alpha": 1.5}, "alpha is 1.5; it must be above 0 and at most 1"),
        ("dump", {"window": 0}, "window is 0; it must be at least 1"),
        ("uniform", {"arms": [{}], "levels": [1]}, "exclude each other"),
        ("uniform", {"arms": [{"level": 1}]}, "Arm has no setting 'level'"),
        ("uniform", {"arms": [{"settings": {"split": "test"}}]}, "must not hold 'split'"),
        ("uniform", {"arms": [{"settings": {"x": {1}}}]}, "JSON values"),
        ("uniform", {"horizons": [2, 0]}, "horizons is .2, 0.; they must be turn limits"),
        ("mixture", {"arms": [{"weight": 0}]}, "all 0"),
        ("mixture", {"arms": [{"weight": -1}]}, "weight is -1; it must be at least 0"),
        ("scaling_inter", {}, "needs horizons"),
        ("saturn", {"threshold": 1.0}, "threshold is 1.0; it must be"),
        ("success_window", {"low": 0.8, "high": 0.2}, "low is 0.8; it must be at most high"),
        ("adcl", {"levels": [1, 2, 3], "steps": 2, "block": 1}, "at least the number of arms, 3"),
        ("disco", {"domain_form": "square"}, "domain_form is 'square' .did you mean 'log_squared'"),
        ("pcl", {"penalty": 0}, "penalty is 0; it must be above 0"),
    ],
)
def test_bad_settings_are_named(name, given_settings, message):
    with pytest.raises(SettingsError, match=message):
        make_curriculum(name, ENV, {}, given_settings)


def test_draws_follow_the_probabilities():
    curriculum = make_curriculum("mixture", ENV, {}, {"arms": [{"weight": 1}, {"weight": 0}, {"weight": 3}]})
    counts = np.bincount([t.arm for t in curriculum.draw(4000, step=0, key=(1,))], minlength=3)
    assert counts[1] == 0
    assert counts[2] / 4000 == pytest.approx(0.75, abs=0.03)  # 4.4 standard deviations
