"""ArithmeticChain: values against Python's own arithmetic, and the spellings of an answer."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from turnwise.core.errors import SettingsError
from turnwise.envs.math.arithmetic_chain import ArithmeticChain, Task


def exactly(expression: str) -> Fraction:
    """The value by Python's grammar, with each number made a fraction."""
    wrapped = re.sub(r"[0-9]+(?:\.[0-9]+)?", lambda m: f"F('{m[0]}')", expression)
    value = eval(wrapped, {"F": Fraction})  # an expression of our own
    assert isinstance(value, Fraction)
    return value


@pytest.mark.parametrize("difficulty", range(1, 11))
def test_values(difficulty: int) -> None:
    env, rng = ArithmeticChain(difficulty=difficulty), np.random.default_rng(difficulty)
    for _ in range(80):
        task = env.generate(rng)
        assert exactly(task.expression) == Fraction(task.value)
        bare = re.sub(r"\(-([0-9.]+)\)", r"\1", task.expression)
        numbers = re.findall(r"[0-9]+(?:\.[0-9]+)?", bare)
        assert len(numbers) == env.num_terms
        nesting = deepest = 0
        for char in bare:
            nesting += (char == "(") - (char == ")")
            deepest = max(deepest, nesting)
        assert deepest <= env.depth
        assert all(len(n.partition(".")[0]) <= env.digits and len(n.partition(".")[2]) <= env.decimals for n in numbers)
        assert set(re.findall(r" ([-+*/]) ", task.expression)) <= set(env.operations)
        assert env.negative or "(-" not in task.expression


@pytest.mark.parametrize(
    "settings",
    [
        {"num_terms": 30, "depth": 6, "digits": 2, "operations": "+-", "decimals": 4, "negative": True},
        {"num_terms": 30, "depth": 0, "digits": 1, "operations": "+/"},
        {"num_terms": 2, "depth": 6, "digits": 1, "operations": "-"},
        {"num_terms": 2, "depth": 0, "digits": 6, "operations": "*", "decimals": 4},
    ],
)
def test_corners_of_the_settings(settings: dict[str, Any]) -> None:
    task = ArithmeticChain(**settings).generate(np.random.default_rng(0))
    assert exactly(task.expression) == Fraction(task.value)


def test_values_too_long_to_write_are_refused() -> None:
    env = ArithmeticChain(num_terms=30, depth=6, digits=6, operations="*", decimals=4)
    with pytest.raises(SettingsError, match="num_terms=30"):
        env.generate(np.random.default_rng(0))


@pytest.mark.parametrize(("operations", "match"), [("", "operations"), ("+^", "some of"), ("/", "add one")])
def test_bad_operations(operations: str, match: str) -> None:
    with pytest.raises(SettingsError, match=match):
        ArithmeticChain(operations=operations)


@pytest.mark.parametrize(
    ("value", "text", "paid"),
    [
        ("3/2", "1.5", True), ("3/2", "3/2", True), ("3/2", "6/4", True), ("3/2", r"\boxed{\frac{3}{2}}", True),
        ("3/2", "7 - 11/2 = 1.5", True), ("3/2", "3/2 = 1.5", True), ("3/2", "x = 1.5", False),
        ("3/2", "1.50", True), ("3/2", "1.5 = 7", False), ("3/2", "7 = 1.5", False), ("3/2", "2", False),
        ("1/3", "0.3333333333", False), ("1/3", "1/3", True), ("1/3", "1÷3", False), ("-5", "−5", True),
        ("-5", "-5.0", True), ("1234", "1,234", True), ("1234", "12,34", False), ("5", "5 or 6", False),
        ("5", "7 - 11/2", False), ("5", "2+3", False), ("5", "5e0", False), ("5", "0x5", False), ("5", "5_0", False),
        ("5", "= 5", False), ("5", "5 = 5 = 5", False), ("5", "", False), ("0", "-0", True), ("0", "0/0", False),
    ],
)  # fmt: skip
def test_answers(value: str, text: str, paid: bool) -> None:
    env = ArithmeticChain()
    env.reset(options={"task": Task("7 - 11/2", value)})
    assert (env.step(text)[1] == 1.0) == paid


def test_a_task_is_not_its_own_answer() -> None:
    env = ArithmeticChain(num_terms=2, operations="+/", negative=True)
    for seed in range(200):
        env.reset(seed=seed)
        assert env.step(f"<answer>{env.task.expression}</answer>")[1] == 0.0


def test_the_expression_may_be_restated_in_other_signs() -> None:
    env = ArithmeticChain()
    for text, reward in [("2 \\times 3 − 1 = 5", 1.0), ("2 × 3 - 1 = 5", 1.0), ("2 \\times 4 - 1 = 5", 0.0)]:
        env.reset(options={"task": Task("2 * 3 - 1", "5")})
        assert env.step(f"So \\boxed{{{text}}}")[1] == reward
