"""TestWriting: what is read of tests, what faulty programs are, the judgement and the feedback."""

import contextlib
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests._work import at_most
from turnwise.core.draw import Draw
from turnwise.envs.code._synthesis_text import fenced
from turnwise.envs.code.test_writing import TestWriting as Writing
from turnwise.worlds.programs.specifications.asserts import BadTests, Case, read_cases
from turnwise.worlds.programs.specifications.steps import run, stages
from turnwise.worlds.programs.specifications.tests import _edited, _edits, draw_spec, draw_trial
from turnwise.worlds.programs.specifications.types import TAKES

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**11), 10**11) | st.text(st.characters(codec="ascii"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(st.integers(-9, 9) | st.text("ab", max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


def read(text: str, most: int = 9) -> list[Case]:
    return read_cases(text, "f", "xs", most)


# ---- reading --------------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(PLAIN, PLAIN)
def test_literals_are_read_as_python_reads_them(argument: Any, expected: Any) -> None:
    text = f"assert f({argument!r}) == {expected!r}\n"
    if "\\x" in text or "\\r" in text:
        with pytest.raises(BadTests, match="escape"):
            read(text)
    else:
        case = read(text)[0]
        assert (case.argument, case.expected) == (argument, expected)
        assert repr(case.argument) == repr(argument)


@pytest.mark.parametrize(
    "text",
    [
        "assert f([1, -2]) == {'a': 1}",
        "assert {'a': 1} == f([1, -2])",
        "assert (f(xs=[1, -2]) == {'a': 1}), 'it failed'",
        "assert f(\n    [1,\n     -2],  # a comment\n) == {\n    'a': 1}",
        "from solution import f\nimport pytest\n\ndef test_it():\n    '''Says it.'''\n    v = [1, -2]\n    assert "
        "f(v) == {'a': 1}",
        "class TestF(unittest.TestCase):\n    def test_it(self) -> None:\n        assert f([1, -2]) == {'a': "
        "1}\n\nunittest.main()",
        "def test_a():\n    assert f([1, -2]) == {'a': 1}\n\nif __name__ == '__main__':\n    test_a()\n    "
        "print('fine')",
        "pass; assert f([1, -2]) == {'a': (1)};",
    ],
)
def test_common_forms_are_read(text: str) -> None:
    assert [case[:2] for case in read(text)] == [([1, -2], {"a": 1})]


@pytest.mark.parametrize(
    "text",
    [
        "", "assert True", "assert f(1)", "assert f(1) != 2", "assert f(1) is 1", "assert f(1) == f(1)",
        "assert not f(1)",
        "assert f(1) == 1 or True", "assert f(1) == 1 == 1", "assert f([0] * 9) == 1", "assert f(1, 2) == 3",
        "assert g(1) == 1", "f(1) == 1", "x = f(1)", "for i in [1]:\n    assert f(i) == i",
        "try:\n    assert f(1) == 1",
        "with x: pass", "def f(xs):\n    return 1", "lambda: 0", "assert f(1) == 1, print('x')", "raise AssertionError",
        "if f(1) == 1:\n    pass", "@mark\ndef test_a():\n    assert f(1) == 1",
        "def test_a(tmp):\n    assert f(1) == 1",
        "assert f(y) == 1", "assert f({1}) == 1", "assert f({[]: 1}) == 1", "assert f('a' 'b') == 1",
        "assert f(r'a') == 1",
        "assert f('\\x41') == 1", "assert f('abc) == 1", "assert f(1e999999) == 1", "assert f(9999999999999) == 1",
        "exec('1')", "del f", "assert f(-'a') == 1", "assert f(" + "[" * 30 + "]" * 30 + ") == 1", "def test_a()",
        "assert (",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadTests):
        read(text)


def test_number_and_size_of_tests_are_bounded() -> None:
    assert len(read("assert f(1) == 1\n" * 9)) == 9
    with pytest.raises(BadTests, match="10 tests"):
        read("assert f(1) == 1\n" * 10)
    with pytest.raises(BadTests, match="characters"):
        read("#" * 60_000)
    names = "x = [1]\n" + "".join(f"x{i} = [x{i - 1 if i else ''}, x{i - 1 if i else ''}]\n" for i in range(40))
    with pytest.raises(BadTests, match="values"):
        read(f"{names}assert f(x39) == 1")


@pytest.mark.parametrize(
    "text",
    ["[" * 40_000, "-" * 40_000, "'" * 40_001, "'\\" * 20_000, '"""\\' * 9_000, "a." * 20_000,
     "(" * 20_000 + ")" * 20_000,
     "\\\n" * 20_000, "1_" * 20_000, "assert f(" + "[1," * 12_000, "assert f(1) == 1\n" * 2_900],
)  # fmt: skip
def test_reading_is_linear(text: str) -> None:
    with at_most(millions=40):
        for prefix in ("", "assert f("):
            with pytest.raises(BadTests):
                read(prefix + text)


@settings(max_examples=200)
@given(st.text(st.sampled_from("assert f(1)='\"\\\n[]{},:-#xdeftestpass01.;")))
def test_no_text_makes_reading_fail_otherwise(text: str) -> None:
    with contextlib.suppress(BadTests):
        assert read(text)


# ---- faulty programs ------------------------------------------------------------------------------------------------


def test_changes_of_code() -> None:
    code = "Y = [v for v in X if v % K == 0 and v > 3]"
    changed = {_edited(code, number) for number in range(len(_edits(code)))}
    assert {
        "Y = [v for v in X if (v % K != 0) and v > 3]",
        "Y = [v for v in X if v % K == 0 and (v >= 3)]",
        "Y = [v for v in X if (v % K == 0 or v > 3)]",
        "Y = [v for v in X if v % K == 0 and v > 4]",
        "Y = [v for v in X if (v // K) == 0 and v > 3]",
    } <= changed
    assert code not in changed
    assert _edits("Y = X\nwhile Y > 1:\n    Y //= 2") == ()


@pytest.mark.parametrize("num_steps", [1, 2, 4])
def test_every_faulty_program_is_told_by_the_kept_inputs(num_steps: int) -> None:
    draw = Draw.of(random.Random(num_steps).random)
    made = 0
    for takes in list(TAKES) * 2:
        drawn = draw_spec(draw, takes, num_steps)
        trial = drawn and draw_trial(draw, *drawn, 6, 6, 2)
        if not drawn or not trial:
            continue
        made += 1
        assert len(trial.faulty) == 6
        assert len(trial.telling) <= 6
        right = stages(drawn[0])
        for faulty in trial.faulty:
            assert any(not _same(faulty.program, right, value) for value in trial.telling)
    assert made > 5


def _same(program: Any, right: Any, value: Any) -> bool:
    try:
        return bool(run(program, value) == run(right, value))
    except Exception:
        return False


# ---- the environment ------------------------------------------------------------------------------------------------


def made(seed: int = 0, **options: Any) -> Writing:
    env = Writing(**options)
    env.reset(seed=seed)
    return env


def test_what_is_shown() -> None:
    env = Writing(show="source")
    question, _ = env.reset(seed=3)
    assert env.reference() in question
    assert "1. " not in question
    assert env.step(env.oracle())[1] == 1.0
    question, _ = Writing(show="both").reset(seed=3)
    assert "1. " in question and "```python\ndef" in question
    question, _ = Writing().reset(seed=3)
    assert "1. " in question and "def " not in question


def test_feedback_counts_wrong_tests_and_survivors() -> None:
    env = made(max_turns=5, topic="ints")
    value, result = env.cases()[0]
    told = env.step(fenced(f"assert {env.name}({value!r}) == {result!r}\nassert {env.name}({value!r}) == 'no'"))[0]
    assert "1 of your 2 tests are wrong (on the lines 2)" in told
    told = env.step(fenced(f"assert {env.name}([]) == 'no'"))[0]
    assert told.endswith("6 of 6 faulty programs pass all your other tests.")
    env = made(max_turns=5, topic="ints", feedback="counts")
    assert "on the lines" not in env.step(fenced(f"assert {env.name}([]) == 'no'"))[0]
    env = made(max_turns=5, topic="ints", feedback="none")
    assert env.step(fenced(f"assert {env.name}([]) == 'no'"))[0] == "Wrong."


def test_arguments_beyond_the_specification_are_refused() -> None:
    env = made(max_turns=9, topic="ints")
    for argument in ("[1000]", "(1,)", "[1.0]", "None", "'a'", "[True]", str([1] * 31)):
        told, reward, _, _, info = env.step(fenced(f"assert {env.name}({argument}) == []"))
        assert "does not allow" in told
        assert reward == 0.0
        assert info["invalid_action"]


def test_one_wrong_test_spoils_all_and_kill_rate_forgives() -> None:
    seed = next(s for s in range(99) if len(made(s, num_faulty=10, num_steps=2).task.telling) > 2)
    settings = {"num_faulty": 10, "num_steps": 2}
    env = made(seed, **settings)
    first = fenced(env.lines("assert {call} == {result}").split("\n")[0])
    assert env.step(first)[1] == 0.0
    env = made(seed, kill_rate=0.1, **settings)
    assert env.step(first)[1] == 1.0
    env = made(seed, partial=0.5, **settings)
    assert 0.0 < env.step(first)[1] < 0.5
    env = made(seed, kill_rate=0.1, **settings)
    assert env.step(env.filled("assert {call} == {result}\nassert {call} == [{result}]"))[1] == 0.0


def test_partial_credit_grows_with_the_best_only() -> None:
    seed = next(s for s in range(99) if len(made(s, num_faulty=10).task.telling) > 2)
    env = made(seed, num_faulty=10, partial=0.5, max_turns=5)
    first = fenced(env.lines("assert {call} == {result}").split("\n")[0])
    gain = env.step(first)[1]
    assert 0.0 < gain < 0.5
    assert env.step(first)[1] == 0.0
    assert env.step(env.oracle())[1] == pytest.approx(1.0 - gain)


@pytest.mark.parametrize("takes", list(TAKES))
def test_the_largest_arguments_are_judged_fast(takes: str) -> None:
    extreme: dict[str, Any] = {
        "ints": [999, -999] * 15, "int": 999, "grid": [[999] * 8] * 8, "text": "9" * 80, "pairs": [[-200, 200]] * 30,
        "words": ["z" * 12] * 30, "nested": [[999] * 9] * 5, "events": [["in", 999]] * 30, "moves": "N" * 80,
        "records": [{"name": "z" * 12, "team": "z", "points": 999}] * 30, "dates": [[2100, 12, 31], [1900, 1, 1]] * 15,
    }  # fmt: skip
    for seed in range(6):
        env = made(seed, topic=takes, num_steps=3)
        text = "\n".join(
            f"assert {env.name}({extreme[takes]!r}) == {run(stages(env.task.spec), extreme[takes])!r}" for _ in range(8)
        )
        with at_most(millions=40):
            env.step(fenced(text))


def test_some_programs_are_wrong_only_in_special_cases():
    env = Writing(difficulty=9)
    for seed in range(4):
        env.reset(seed=seed)
        special = [f for f in env.task.faulty if any(stage.code.startswith("if ") for stage in f.program)]
        assert len(special) >= 4
        right = stages(env.task.spec)
        draw = Draw("special", seed)
        values = [TAKES[env.task.spec.takes].draw(draw, ()) for _ in range(30)]
        for faulty in special:
            assert sum(_same(faulty.program, right, value) for value in values) > 3
        assert len(env.task.telling) <= env.max_tests
        assert env.step(env.oracle())[1] == 1.0


def _same(program, right, value):
    try:
        return run(program, value) == run(right, value)
    except Exception:  # a faulty program may raise anything
        return False
