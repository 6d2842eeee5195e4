"""CodeSynthesis: the judgement, its limits of time, and the feedback."""

import contextlib
import os
import random
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.envs.code._synthesis_text import fenced
from turnwise.envs.code.code_synthesis import CodeSynthesis
from turnwise.worlds.programs.contests.problem import Problem
from turnwise.worlds.programs.specifications.program import CAN_PRINT
from turnwise.worlds.programs.specifications.steps import constants
from turnwise.worlds.programs.specifications.tests import Pool

# ---- the environment ------------------------------------------------------------------------------------------------


def made(seed: int = 0, **settings: Any) -> CodeSynthesis:
    env = CodeSynthesis(**{"kind": "steps", "num_tests": 32, **settings})
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("seed", range(2))
def test_program_form(seed: int) -> None:
    env = CodeSynthesis(kind="steps", form="program", num_steps=2)
    question, _ = env.reset(seed=seed)
    assert "standard input" in question
    assert env.task.asked.gives in CAN_PRINT
    assert env.step(env.oracle())[1] == 1.0
    env.reset(seed=seed)
    assert env.step(fenced(env.wrong(0)))[1] == 0.0
    env.reset(seed=seed)
    assert env.step(fenced("import sys\nprint(sys.stdin.read())\n"))[1] == 0.0


def test_form_and_topic() -> None:
    with pytest.raises(SettingsError, match="grid"):
        CodeSynthesis(kind="steps", form="program", topic="grid")
    assert made(topic="dates").task.asked.takes == "dates"


def test_large_tests_are_drawn_once_and_only_for_programs_that_pass_the_small_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn, big = [], Problem.big
    monkeypatch.setattr(Problem, "big", lambda self, seed: drawn.append(seed) or big(self, seed))
    for _ in range(2):
        env = CodeSynthesis(difficulty=5)
        env.reset(seed=1)
        assert not env.step(env.with_body("return 'other'"))[4].get("solved")
    assert not drawn
    for _ in range(2):
        env = CodeSynthesis(difficulty=5)
        env.reset(seed=1)
        assert env.step(env.oracle())[4]["solved"]
    assert len(drawn) == 1


def test_feedback() -> None:
    env = made(max_turns=4, feedback="failing test", topic="ints", num_steps=2)
    told, reward, terminated, truncated, _ = env.step(env.with_body("return 'other'"))
    assert (reward, terminated, truncated) == (0.0, False, False)
    call, result = re.fullmatch(r"Wrong: \w+\((.*)\) should return (.*); yours returned .*", told, re.DOTALL).groups()  # type: ignore[union-attr]
    space: dict[str, Any] = {}
    exec(env.reference(), space)
    assert repr(space[env.problem.name](eval(call))) == result
    assert env.step("no program")[4]["invalid_action"]
    assert env.step(env.oracle())[1] == 1.0
    env = made(max_turns=3, feedback="verdict")
    assert re.search(r"\d+ of \d+ hidden tests pass", env.step(env.with_body("return 'other'"))[0])
    env = made(max_turns=3, feedback="none")
    assert env.step(env.with_body("return 'other'"))[0] == "Wrong."
    env = made(max_turns=3, feedback="error")
    told = env.step(env.with_body("return 1 / 0"))[0]
    assert "ZeroDivisionError" in told
    assert "should return" not in told


def test_tests_seen_do_not_come_again() -> None:
    """A program that knows the hidden tests of the turn before fails in the next one."""
    env = made(max_turns=3, feedback="failing test", topic="ints", num_steps=2)
    env.step(env.with_body("return 'other'"))
    env.turn = 1
    table = {repr(case.args[0]): case.result for case in env.tests()[0]}
    assert env.step(env.with_body(f"return {table!r}.get(repr(x[0]))"))[1] == 0.0


def test_partial_credit_is_of_the_best_program_and_below_one() -> None:
    env = made(max_turns=4, partial=0.5, topic="ints", num_steps=2, feedback="none")
    edge = env.with_body(f"return {env.expected([])!r} if not x[0] else 'other'")
    first = env.step(edge)[1]
    assert 0 < first < 0.2
    assert env.step(edge)[1] == pytest.approx(0.0, abs=0.02)
    assert env.step(env.with_body("return 'other'"))[1] == 0.0
    assert env.step(env.oracle())[1] == pytest.approx(1.0 - first, abs=0.05)


@settings(max_examples=25)
@given(st.integers(0, 2**60), st.integers(1, 5))
def test_generation_never_fails_and_wording_is_not_identity(seed: int, num_steps: int) -> None:
    env = made(seed, num_steps=num_steps)
    assert len(env.task.asked.steps) == num_steps
    assert constants(env.task.asked) is not None
    assert env.identity(env.task) == (env.task.asked, False)
    pool = Pool(env.task.asked, Draw.of(random.Random(seed).random))
    pool.grow(5)
    assert all(len(trace) == num_steps + 1 for trace in pool.traces)


def test_the_last_program_is_judged_no_further_than_its_first_failure() -> None:
    passed = []
    for max_turns in (1, 2):
        env = made(3, max_turns=max_turns, feedback="verdict")
        env.turn = 1
        name = env.problem.name
        first = env.tests()[0][0].args[0]
        source = (
            env.reference() + f"\nright = {name}\n\ndef {name}(x):\n    return None if x == {first!r} else right(x)\n"
        )
        passed.append((env._judged(source)[0].parts or {})["passed"])
    assert passed[0] == 0 < passed[1]


# ---- algorithms -----------------------------------------------------------------------------------------------------


def algorithm(seed: int = 0, **settings: Any) -> CodeSynthesis:
    env = CodeSynthesis(**settings)
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize(("area", "form"), [("structures", "class"), ("structures", "program"), ("greedy", "function")])
def test_forms_of_algorithms(area: Any, form: Any) -> None:
    env = algorithm(1, area=area, form=form, inputs="small", max_turns=4, feedback="error", hardness=2)
    assert {"class": "Write a class", "program": "standard input", "function": "Write a function"}[form] in (
        env.reset(seed=1)[0]
    )
    wrong = env.step(fenced(env.wrong(0)))
    assert wrong[1] == 0.0
    assert "which is wrong" in wrong[0] or "printed" in wrong[0]
    assert env.step(env.with_body("return [][0]"))[1] == 0.0
    assert env.step(fenced(env.nameless()))[1] == 0.0
    assert env.step(env.oracle())[1] == 1.0


@pytest.mark.slow
def test_failing_tests_of_algorithms_are_shown_and_right() -> None:
    env = algorithm(2, area="sequences", form="function", max_turns=3, hardness=3)
    said = env.step(fenced(env.wrong(0)))[0]
    call, result = re.fullmatch(r"Wrong: \w+\((.*)\) should return (.*); yours returned .*", said, re.DOTALL).groups()  # type: ignore[union-attr]
    assert env.problem.run(eval(f"({call},)")) == eval(result)
    env = algorithm(2, area="sequences", form="program", max_turns=3, hardness=3)
    said = env.step(fenced("print(7)"))[0]
    given, printed = re.search(r"for the input ('.*?') it should print ('.*?');", said).groups()  # type: ignore[union-attr]
    case = env.tests()[0][0]
    assert (env.problem.stdin([case]), env.problem.stdout([case])) == (eval(given), eval(printed))


def test_slow_programs_pass_small_inputs_only() -> None:
    settings: dict[str, Any] = {"area": "sequences", "form": "function", "hardness": 2, "time_limit_s": 1.0}
    for seed in (1, 3):
        env = algorithm(seed, inputs="small", **settings)
        assert env.step(fenced(env.problem.slow()))[1] == 1.0  # type: ignore[union-attr]
        env = algorithm(seed, inputs="large", feedback="error", max_turns=2, **settings)
        said, reward, *_ = env.step(fenced(env.problem.slow()))  # type: ignore[union-attr]
        assert reward == 0.0
        assert "ran out of" in said


_BURNS = """
import time
_end = time.process_time() + 0.7
while time.process_time() < _end:
    pass
"""


@pytest.mark.parametrize("form", ["function", "program"])
def test_time_in_which_others_run_is_not_the_programs(form: Any) -> None:
    env = algorithm(1, area="sequences", form=form, inputs="small", hardness=1, num_tests=10, time_limit_s=0.2)
    source = f"import time\ntime.sleep(0.3)\n{env.reference()}"  # the clock goes on, the processor does not
    assert env.step(fenced(source))[1] == 1.0
    env.reset(seed=1)
    said, reward, *_ = env.step(fenced(_BURNS + env.reference()))
    assert (reward, said) == (0.0, "Wrong.")


@pytest.mark.slow
def test_right_programs_pass_beside_busy_processes() -> None:
    env = algorithm(1, area="sequences", form="program", inputs="small", hardness=1, num_tests=10, time_limit_s=1.0)
    with contextlib.ExitStack() as stack:
        for _ in range(2 * (os.cpu_count() or 1)):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(busy.kill)
        assert env.step(fenced(_BURNS + env.reference()))[1] == 1.0


@pytest.mark.slow
def test_every_level_reads_differently_and_splits_share_nothing() -> None:
    for level in (1, 4, 7, 10):
        train, test = (CodeSynthesis(difficulty=level, split=split) for split in ("train", "test"))
        texts = [train.reset(seed=seed)[0] for seed in range(50)]
        assert len(set(texts)) >= 0.95 * len(texts)
        assert not set(texts) & {test.reset(seed=seed)[0] for seed in range(20)}


def test_settings_that_do_not_go_together() -> None:
    with pytest.raises(SettingsError, match="must be one of"):
        CodeSynthesis(area="geometry", hardness=1)
    with pytest.raises(SettingsError, match="class"):
        CodeSynthesis(area="greedy", form="class")
    with pytest.raises(SettingsError, match="class"):
        CodeSynthesis(kind="steps", form="class")
