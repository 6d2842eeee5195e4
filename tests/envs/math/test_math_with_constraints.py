"""MathWithConstraints: both the answer and the constraints are needed."""

from typing import Any

import pytest

from turnwise.core.env import seed_of
from turnwise.envs.math.arithmetic_chain import Task as Sum
from turnwise.envs.math.math_with_constraints import FAMILIES, KINDS, MathWithConstraints, Task
from turnwise.verifiers.constraints.base import KINDS as ALL_KINDS
from turnwise.verifiers.constraints.base import Constraint
from turnwise.verifiers.constraints.sets import verify_constraints


def made(kind: str, **parameters: Any) -> Constraint:
    return ALL_KINDS[kind](**parameters)


PAIR = (made("words", low=8, high=8), made("end_phrase", phrase="Done."))


def started(*constraints: Constraint, **settings: Any) -> MathWithConstraints:
    env = MathWithConstraints(**settings)
    question = Sum("17 + 25", "42")
    env.reset(seed=0, options={"task": Task("arithmetic", question, constraints, (0,) * len(constraints))})
    return env


@pytest.mark.parametrize(
    ("text", "correct", "held"),
    [
        ("Adding gives \\boxed{42} at the end. Done.", 1.0, 1.0),
        ("<think>42?</think>Adding gives \\boxed{42} at the end. Done.", 1.0, 1.0),
        ("Adding gives us <answer>42</answer> here. Done.", 1.0, 1.0),
        ("Adding gives \\boxed{43} at the end. Done.", 0.0, 1.0),
        ("Adding gives \\boxed{42} in the end. Done!", 1.0, 0.5),
        ("It is \\boxed{42}. Done.", 1.0, 0.5),
        ("\\boxed{42}", 1.0, 0.0),
        ("Adding gives \\boxed{} and so it ends. Done.", 0.0, 1.0),
        ("Now \\boxed{42} or \\boxed{43} it is. Done.", 0.0, 0.5),
        ("Now it is 42 and no other. Done.", None, 1.0),
    ],
)
def test_both_are_needed(text: str, correct: float | None, held: float) -> None:
    _, reward, _, _, info = started(*PAIR).step(text)
    assert info["metrics"]["constraints_satisfied"] == held
    if correct is not None:
        assert info["metrics"]["math_correct"] == correct
    assert (reward == 1.0) == info["solved"] == (correct == 1.0 == held)
    assert reward in (0.0, 1.0)


def test_partial_credit_needs_the_right_answer() -> None:
    for text, expected in [
        ("It is \\boxed{42}. Done.", 0.25), ("\\boxed{42}", 0.0), ("Adding gives \\boxed{43} at the end. Done.", 0.0),
        ("Adding gives \\boxed{42} at the end. Done.", 1.0),
    ]:  # fmt: skip
        assert started(*PAIR, partial=0.5).step(text)[1] == expected
    env = started(*PAIR, partial=0.5, max_turns=4)
    assert [env.step("It is \\boxed{42}. Done.")[1] for _ in range(2)] == [0.25, 0.0]
    assert env.step("Adding gives \\boxed{42} at the end. Done.")[1] == 0.75


def test_feedback_names_what_fails() -> None:
    env = started(*PAIR, max_turns=3)
    assert env.step("It is \\boxed{42}. Done.")[0] == "The answer is right. Constraints not satisfied: 1."
    assert "All constraints are satisfied." in env.step("Adding gives \\boxed{43} at the end. Done.")[0]


@pytest.mark.parametrize("difficulty", range(1, 11))
def test_questions_constraints_and_solutions(difficulty: int) -> None:
    env = MathWithConstraints(difficulty=difficulty)
    families = set()
    for i in range(40):
        prompt, _ = env.reset(seed=seed_of("math", i))
        task = env.task
        families.add(task.family)
        assert "\\boxed{" in prompt
        assert "answer>" not in prompt
        for constraint, wording in zip(task.constraints, task.wordings, strict=True):
            assert constraint.describe(wording) in prompt
        groups = [k for c in task.constraints for k, group in enumerate(KINDS) if c.name in group]
        assert len(groups) == len(set(groups)) == env.num_constraints
        text = env.oracle()
        assert text.count("\\boxed{") == 1
        assert verify_constraints(text, task.constraints).correct
        assert not verify_constraints(env.boxed, task.constraints).correct
    assert families == set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_alone(family: Any) -> None:
    env = MathWithConstraints(family=family, num_constraints=3)
    for i in range(10):
        env.reset(seed=i)
        assert env.task.family == family
        assert env.step(env.oracle())[1] == 1.0


def test_near_misses_have_the_right_answer() -> None:
    found = 0
    for i in range(40):
        env = MathWithConstraints(num_constraints=3)
        env.reset(seed=i)
        if text := env.near_miss(i):
            found += 1
            metrics = env.step(text)[4]["metrics"]
            assert metrics["math_correct"] == 1.0
            assert metrics["constraints_satisfied"] < 1.0
    assert found >= 30


def test_a_fork_keeps_its_question() -> None:
    env = MathWithConstraints(max_turns=2)
    env.reset(seed=1)
    twin = env.fork()
    solution = env.oracle()
    env.reset(seed=2)
    assert twin.step(solution)[1] == 1.0


def test_identity_is_the_question_and_the_constraints() -> None:
    env = MathWithConstraints()
    one = Task("arithmetic", Sum("1 + 2", "3"), PAIR, (0, 0))
    assert env.identity(one) == env.identity(Task("arithmetic", Sum("1 + 2", "3"), PAIR[::-1], (2, 1)))
    assert env.identity(one) != env.identity(Task("arithmetic", Sum("1 + 3", "4"), PAIR, (0, 0)))
