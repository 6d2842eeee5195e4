"""Equations: planted roots, uniqueness, and how an answer may be written."""

import itertools
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from turnwise.envs.math.equations import Equations, Task, _rank

KINDS = ("linear", "system", "grid", "quadratic")
SYSTEM = Task("system", ((1, 1, 1), (1, -1, 5)), (), ("3", "-2"))
QUADRATIC = Task("quadratic", ((1, 3, -10, 0, 0),), (), ("-5", "2"))
LINEAR = Task("linear", ((4, 0, 0, 0, 3),), (), ("3/4",))


def paid(task: Task, text: str) -> bool:
    env = Equations(num_unknowns=2)
    env.reset(options={"task": task})
    _, reward, _, _, info = env.step(f"<answer>{text}</answer>")
    assert (reward == 1.0) == info["solved"]
    return bool(info["solved"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("difficulty", [1, 3, 6, 8, 10])
def test_roots_are_right_and_unique(kind: Any, difficulty: int) -> None:
    env, rng = Equations(kind=kind, difficulty=difficulty), np.random.default_rng(5)
    for _ in range(40):
        task = env.generate(rng)
        roots = [Fraction(r) for r in task.roots]
        assert task.kind == kind
        if kind in ("system", "grid"):
            assert _rank([row[:-1] for row in task.rows]) == len(roots) == env.num_unknowns
            assert all(sum(a * r for a, r in zip(row, roots, strict=False)) == row[-1] for row in task.rows)
            continue
        a, b, c, d, e = task.rows[0]
        for x in roots:
            assert (a * (x + b) + c if kind == "linear" else a * x * x + b * x + c) == d * x + e
        assert a - d != 0 if kind == "linear" else a != 0
        assert len(set(roots)) == (1 if kind == "linear" else 2)
        assert all(abs(r) <= env.max_root and r.denominator <= env.max_denominator for r in roots)


def test_the_text_shows_the_rows() -> None:
    """What is shown, read back by a parser of its own, is what is checked."""
    for kind, seed in itertools.product(KINDS, range(40)):
        env = Equations(kind=kind, num_unknowns=3, max_denominator=3)
        text = env.reset(seed=seed)[0]
        roots = dict(zip(env.names, map(Fraction, env.task.roots), strict=False))
        if kind == "grid":
            lines = text.split("\n")[1:-1]
            rows = [line.split(" | ") for line in lines[:-1]]
            cells = [row.split() for row, _ in rows]
            assert [sum(roots[c] for c in row) for row in cells] == [int(total) for _, total in rows]
            columns = zip(*cells, strict=True)
            assert [sum(roots[c] for c in column) for column in columns] == [int(t) for t in lines[-1].split()]
            continue
        equations = re.findall(r"(?:Solve for x: |^)(-?[0-9(xyzw][^=\n]*) = ([^=\n.]+)[.\n]", text, re.MULTILINE)
        assert len(equations) == (3 if kind == "system" else 1)
        for left, right in equations:
            sides = [
                re.sub(r"([0-9]+)(?=[xyzw(])", r"\1*", side.replace("²", "**2")).replace("-(", "-1*(")
                for side in (left, right)
            ]
            for root in map(Fraction, env.task.roots if kind == "quadratic" else ["0"]):
                values = {"x": root} if kind == "quadratic" else roots
                assert eval(sides[0], {}, values) == eval(sides[1], {}, values), text  # our own text


@pytest.mark.parametrize(
    "text",
    [
        "x = 3, y = -2", "x=3; y=-2", "y = -2, x = 3", "(3, -2)", "3, -2", "(x, y) = (3, -2)", "x = 3 and y = -2",
        "x=3\ny=-2", "$x = 3$, $y = -2$", r"x = \frac{6}{2}, y = −2", "X: 3, Y: -2.", "[x = 3.0, y = -4/2]",
        r"\begin{cases} x = 3 \\ y = -2 \end{cases}", r"\left(3,\,-2\right)", r"x = 3 \text{ and } y = -2",
    ],
)  # fmt: skip
def test_system_spellings(text: str) -> None:
    assert paid(SYSTEM, text)


@pytest.mark.parametrize(
    "text",
    [
        "x = 3", "3", "(-2, 3)", "x = -2, y = 3", "x = 3, y = -2, z = 0", "x = 3, y = -2, y = 3", "x = 3, -2",
        "x = 3, x = 3, y = -2", "x = 3 or 4, y = -2", "x = y = 3", "x = 3, y = -2 = 3", "x = 3, z = -2",
        "3 -2", "x = 1+2, y = -2",
        "x = 3, y = x - 5", "x in (3, 4), y = -2", "x = 3; y = -2; x = 4", "((3, -2), (1, 1))", "all x, y",
    ],
)  # fmt: skip
def test_system_refused(text: str) -> None:
    assert not paid(SYSTEM, text)


@pytest.mark.parametrize(
    "text",
    [
        "x = 2, -5", "x = -5, 2", "2, -5", "{2, -5}", "x = 2 or x = -5", "x=-5; x=2", "x_1 = 2, x_2 = -5",
        "x₁=2, x₂=-5", "4/2, -5", r"x \in \{2, -5\}", "x = {2, -5}", "2 and -5", "x = 2\nx = -5",
        r"x = 2 \quad \text{or} \quad x = -5",
    ],
)  # fmt: skip
def test_quadratic_spellings(text: str) -> None:
    assert paid(QUADRATIC, text)


@pytest.mark.parametrize(
    "text",
    [
        "2", "x = 2", "-5", "2, 2", "x = -5, -5", "2, -5, 0", "2, 5", "x = ±2", "x = 2, y = -5", "2, -5, 2",
        "(x - 2)(x + 5) = 0", "x^2 + 3x - 10 = 0", "2, -5 or 3", "2 to -5", "2 = -5",
    ],
)  # fmt: skip
def test_quadratic_refused(text: str) -> None:
    assert not paid(QUADRATIC, text)


def test_plus_minus() -> None:
    task = Task("quadratic", ((4, 0, -9, 0, 0),), (), ("-3/2", "3/2"))
    assert all(paid(task, t) for t in ("x = ±3/2", r"\pm \frac{3}{2}", "1.5, -1.5"))
    assert not paid(task, "x = ±3/2, 1")


def test_linear_spellings() -> None:
    assert all(paid(LINEAR, t) for t in ("x = 3/4", "0.75", r"x=\frac{3}{4}", "6/8", "(3/4)", "$x = 0.750$."))
    assert not any(paid(LINEAR, t) for t in ("y = 3/4", "x = 3/4 or 1", "x = 3/4, 3/4", "4x = 3", "x = 0.7500001", "x"))


def test_no_leak_in_identity() -> None:
    env = Equations(kind="system", num_unknowns=3)
    env.reset(seed=1)
    task = env.task
    other = Task(task.kind, task.rows[::-1], task.cells, ("9", "9", "9"))
    assert env.identity(task) == env.identity(other), "the order of equations makes no other problem"


def test_bullets_before_names() -> None:
    task = Task("system", ((1, 0, 3), (0, 1, -2)), (), ("3", "-2"))
    assert paid(task, "<answer>\n- x = 3\n- y = -2\n</answer>")
    assert not paid(task, "<answer>\n- 3\n- 2\n</answer>"), "a bullet or a minus"


def test_the_form_of_fractions_is_told_where_there_may_be_some() -> None:
    for kind in ("linear", "system", "quadratic"):
        assert "a/b" in Equations(kind=kind, max_denominator=3).reset(seed=1)[0]
        assert "a/b" not in Equations(kind=kind).reset(seed=1)[0]
