"""Countdown: rules, the exploits known of other graders, and generation."""

import builtins
import itertools
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import SettingsError
from turnwise.envs.math.countdown import Countdown, Task
from turnwise.verifiers.arithmetic import evaluate

TASK = Task((36, 29, 95, 32, 4, 15), 139, "((36 + 95) + 4) + (29 - 15) / (32)")  # the text is never looked at


def play(task: Task, action: str) -> tuple[float, str, dict[str, Any]]:
    env = Countdown(num_numbers=len(task.numbers))
    env.reset(seed=0, options={"task": task})
    observation, reward, _, _, info = env.step(action)
    return reward, observation, info


EXPLOITS = [
    "139e0 + 0e0*(36+29+95+32+4+15)",
    "139 + 0*(36+29+95+32+4+15)",
    "len('y' * 139) + (36+29+95+32+4+15)*len('')",
    "[36,29,95,32,4,15] and len('y'*139)",
    "(36,29,95,32,4,15) and 139",
    "139 if 36+29+95+32+4+15 else 0",
    "139 or 36+29+95+32+4+15",
    "139 # 36+29+95+32+4+15",
    "139.0 + 36+29+95+32+4+15 - 211",
    "36+29+95+32+4+15 = 139",
    "139 = 36+29+95+32+4+15",
    "139",
    "139 = 139",
    "36 + 29 + 95 + 32 + 4 + 15 == 139",
    "3629+9532+415",
    "36+29+95+32+4+15-72",
    "36//29 + 95%32 + 4**15",
    "9**9**9**9",
    "3_6 + 29",
    "٣٦ + 29 + 95 + 32 + 4 + 15",
    "x := 139",
    "lambda: 139",
    "().__class__.__bases__[0].__subclasses__()",
    "sum(int(n) for n in '36 29 95 32 4 15'.split())",
    "exec('raise SystemExit')",
    "36 + 29; 139",
    "36/0",
    "1e999",
    "(" * 490,
]


@pytest.mark.parametrize("text", EXPLOITS)
def test_exploits_earn_nothing(text: str) -> None:
    for action in (text, f"<answer>{text}</answer>", f"\\boxed{{{text}}}"):
        reward, _, info = play(TASK, action)
        assert reward == 0.0
        assert info["solved"] is False


def test_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "ran"
    payloads = [
        f"__import__('os').system('touch {marker}')",
        f"open('{marker}', 'w')",
        f"eval(\"open('{marker}', 'w')\") + 36",
        f"(36).__class__.__base__.__subclasses__()[-1](open('{marker}', 'w'))",
        f"36 + __import__('pathlib').Path('{marker}').touch()",
    ]

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("text of the agent was about to be run")

    replies = []
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", forbidden)
        for name in ("eval", "exec", "compile", "open", "__import__"):  # the last is what patching itself needs
            patch.setattr(builtins, name, forbidden)
        for payload in payloads:
            replies += [play(TASK, payload)[0], play(TASK, f"<answer>{payload}</answer>")[0]]
    assert replies == [0.0] * len(replies)
    assert not marker.exists()


def test_rules() -> None:
    task = Task((3, 5, 2, 2), 8, "3 + 5 + 2 - 2")
    for text in ("3+5+2-2", "(3 + 5) * (2 / 2)", "5 - -3 + 2 - 2", "3 + 5 * 2 / 2 = 8", "$3 + 5$ + 2 - 2"):
        assert play(task, text)[0] == (0.0 if "$" in text else 1.0), text
    assert "exactly once" in play(task, "3 + 5")[1]
    assert "exactly once" in play(task, "3 + 5 + 2 - 2 + 2 - 2")[1]
    assert play(task, "3 * 5 + 2 / 2")[1] == "That equals 16, not 8."
    assert "equals 8, not what" in play(task, "3 + 5 + 2 - 2 = 9")[1]
    assert play(task, "<answer>3+5+2-2</answer> or <answer>8</answer>")[0] == 0.0
    assert play(task, "(3 + 5 + 2 - 2")[2]["invalid_action"] is True
    third = Task((1, 3, 3), 1, "1 / 3 * 3")
    assert play(third, "1 / 3 * 3")[0] == 1.0, "exact, where floats also happen to work"
    assert play(Task((49, 1, 49), 1, ""), "(1 / 49) * 49")[0] == 1.0, "exact, where floats do not"


@pytest.mark.parametrize("difficulty", range(1, 11))
def test_solutions_are_right(difficulty: int) -> None:
    env, rng = Countdown(difficulty=difficulty), np.random.default_rng(difficulty)
    for _ in range(60):
        task = env.generate(rng)
        value, used = evaluate(task.solution)
        assert value == task.target
        assert Counter(used) == Counter(task.numbers)
        assert task.target not in task.numbers
        assert 1 <= task.target <= env.max_target
        assert all(1 <= n <= env.max_number for n in task.numbers)


def test_identity_ignores_the_order_shown() -> None:
    env = Countdown()
    assert env.identity(Task((1, 2, 3, 4), 9, "a")) == env.identity(Task((4, 2, 1, 3), 9, "b"))
    assert env.identity(Task((1, 2, 3, 4), 9, "a")) != env.identity(Task((1, 2, 3, 4), 8, "a"))


def test_settings_that_admit_nothing_are_refused() -> None:
    env = Countdown(num_numbers=3, max_number=1000, max_target=10)
    assert env.generate(np.random.default_rng(0)).target <= 10  # rare, but there
    with pytest.raises(SettingsError, match="max_number"):
        Countdown(max_number=3)


@settings(max_examples=200)
@given(st.permutations((2, 3, 7)), st.lists(st.sampled_from("+-*/"), min_size=2, max_size=2))
def test_judged_as_python_would(numbers: list[int], signs: list[str]) -> None:
    from fractions import Fraction

    text = f"{numbers[0]} {signs[0]} {numbers[1]} {signs[1]} {numbers[2]}"
    a, b, c = (Fraction(n) for n in numbers)
    value = eval(text, {}, {}) if "/" not in signs else None  # our own text
    if value is None:
        value = eval(f"a {signs[0]} b {signs[1]} c", {}, {"a": a, "b": b, "c": c})
    for target in itertools.chain([1, 13], [int(value)] if value == int(value) and value > 0 else []):
        assert (play(Task((2, 3, 7), target, ""), text)[0] == 1.0) == (value == target)


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("24 = 4 * 6 * 1", 1.0), ("4 * 6 * 1 = 24", 1.0), ("$4 \\times 6 \\times 1$", 1.0), ("**4 * 6 * 1**", 1.0),
        ("24 = 24", 0.0), ("24 = 4 * 6", 0.0), ("24 = 4 * 6 + 1", 0.0), ("24 =", 0.0), ("24 = 24 = 4 * 6 * 1", 0.0),
    ],
)  # fmt: skip
def test_the_target_may_stand_first(text: str, reward: float) -> None:
    task = Task((4, 6, 1), 24, "4 * 6 * 1")
    assert play(task, f"<answer>{text}</answer>")[0] == reward
