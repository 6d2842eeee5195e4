"""CodeDataset: rows of published layouts, their tests, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.envs.data import code_dataset
from turnwise.envs.data.code_dataset import CodeDataset
from turnwise.envs.data.code_rows import code_layout_of, read_code_row
from turnwise.sandbox import shared_sandbox

DEMO = len(Path(__file__).parents[3].joinpath("envs/data/data/demo_code.jsonl").read_text().splitlines())
STDIO = {"question": "Print twice the number.", "input_output": '{"inputs": ["3\\n"], "outputs": ["6\\n"]}'}
Write = Callable[..., str]


@pytest.fixture(scope="module", autouse=True)
def _sandbox() -> None:
    try:
        shared_sandbox()
    except InfrastructureError as error:
        pytest.skip(f"no sandbox here: {error}")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*rows: dict[str, Any]) -> str:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    return write


def env(**settings: Any) -> CodeDataset:
    made = gymnasium.make("turnwise/CodeDataset-v0", **settings).unwrapped
    assert isinstance(made, CodeDataset)
    return made


def answer(e: CodeDataset, program: str) -> tuple[str, float]:
    e.reset(seed=1)
    return e.step(f"<answer>\n{program}\n</answer>")[:2]


@pytest.mark.parametrize("index", range(DEMO))
def test_the_rows_that_come_along_are_solved_by_their_solutions_only(index: int) -> None:
    e = env(index=index)
    assert answer(e, e._load().tasks[index].solution) == ("Correct: all tests pass.", 1.0)
    other = e._load().tasks[index - 1].solution
    assert answer(e, other)[1] == 0.0


@pytest.mark.parametrize(
    ("row", "right", "wrong"),
    [
        ({"text": "Add.", "code": "", "test_list": ["assert add(1, 2) == 3"]}, "add = lambda a, b: a + b", "add = max"),
        (
            {"prompt": "Add.", "test_imports": ["import math"], "test_list": ["assert math.isclose(half(1), 0.5)"]},
            "def half(x): return x / 2",
            "def half(x): return x // 2",
        ),
        (STDIO, "print(2 * int(input()))", "print(6.0)"),
        (
            {"question": "Sum.", "input_output": {"inputs": [[[1, 2]]], "outputs": [3], "fn_name": "total"}},
            "def total(x): return sum(x)",
            "def total(x): return max(x)",
        ),
        (
            {
                "question_content": "Echo.",
                "public_test_cases": '[{"input": "a\\n", "output": "a", "testtype": "stdin"}]',
            },
            "print(input())",
            "print(1)",
        ),
        (
            {
                "prompt": "def one():\n    pass\n\n\ndef two():\n    '''Two.'''\n",
                "entry_point": "two",
                "test": "def check(f):\n    assert f() == 2 * one()\n".replace("one()", "1"),
            },
            "def two(): return 2",
            "def two(): return 3",
        ),
    ],
)
def test_layouts(write: Write, row: dict[str, Any], right: str, wrong: str) -> None:
    e = env(path=write(row))
    assert answer(e, right)[1] == 1.0
    assert answer(e, wrong)[1] == 0.0


def test_what_is_said_and_paid_of_a_program_that_passes_some(write: Write) -> None:
    row = {
        "question": "Abs.",
        "input_output": {"inputs": [[1], [-2], [3], [-4]], "outputs": [1, 2, 3, 4], "fn_name": "f"},
    }
    e = env(path=write(row), partial=0.5, max_turns=3)
    observation, reward = answer(e, "def f(x): return x")
    assert observation == "Wrong: test 2: returned -2 (an int), which is wrong."
    assert reward == 0.25
    assert e.step("<answer>def f(x): return x</answer>")[1] == 0.0, "the same again earns nothing more"
    _, reward, _, _, info = e.step("<answer>def f(x): return abs(x)</answer>")
    assert reward == 0.75 and info["solved"]
    quiet = env(path=write(row), feedback="verdict")
    assert answer(quiet, "def f(x): return x") == ("Wrong.", 0.0)


def test_other_languages(write: Write) -> None:
    e = env(path=write(STDIO), language="c")
    e.reset(seed=1)
    program = '#include <stdio.h>\nint main(void) { int x; scanf("%d", &x); printf("%d\\n", 2 * x); }'
    observation, reward, _, _, info = e.step(f"```c\n{program}\n```")
    if not info["reward_valid"]:
        pytest.skip(f"no C compiler for the sandbox: {info['error']}")
    assert reward == 1.0, observation
    with pytest.raises(SettingsError, match="call Python functions"):
        env(path=write({"text": "x", "test_list": ["assert f() == 1"]}), language="c")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"a": 1}, "the columns are a"),
        ({"prompt": "x", "entry_point": "f", "test": "def check(c): pass"}, "does not define"),
        ({"prompt": "def f(): 1", "entry_point": "f", "test": "x"}, "must define check"),
        ({"text": "x", "test_list": []}, "test_list"),
        ({"question": "x", "input_output": "{"}, "no JSON"),
        ({"question": "x", "input_output": {"inputs": [1], "outputs": []}}, "same length"),
        ({"question": "x", "input_output": {"inputs": [], "outputs": []}}, "no tests"),
        ({"description": "x", "public_tests": {"input": [], "output": []}}, "no tests"),
        ({"question_content": "x", "public_test_cases": "[]", "private_test_cases": "eJwVjE0="}, "pickle"),
        ({"question_content": "x", "public_test_cases": '[{"input": 1}]'}, "input and output"),
    ],
)
def test_rows_that_cannot_be_used_are_named(write: Write, row: dict[str, Any], words: str) -> None:
    path = write({"text": "x", "test_list": ["assert f() == 1"]}, row)
    with pytest.raises(SettingsError, match=r"\.jsonl:2: ") as caught:
        env(path=path)
    assert words in str(caught.value)


def test_a_row_without_solution_has_no_oracle(write: Write) -> None:
    e = env(path=write(STDIO))
    e.reset(seed=1)
    with pytest.raises(UsageError, match="no solution"):
        e.oracle()


@pytest.mark.parametrize(
    ("outputs", "right", "wrong"),
    [
        ([[1], [2]], ("x", "[x]"), ("[[x]]", "x + 1")),  # APPS: a list of one around every value
        ([[1], [2, 2]], ("[x] * x",), ("x",)),
        ([1, 2], ("x",), ("[x]",)),
    ],
)
def test_values_that_are_wrapped(write: Write, outputs: list[Any], right: tuple[str], wrong: tuple[str]) -> None:
    e = env(path=write({"question": "x", "input_output": {"inputs": [[1], [2]], "outputs": outputs, "fn_name": "f"}}))
    for value in right + wrong:
        assert answer(e, f"def f(x): return {value}")[1] == (1.0 if value in right else 0.0), value


def test_contest_rows_prefer_python_and_keep_their_time() -> None:
    row = {
        "description": "x",
        "public_tests": {"input": ["1"], "output": ["2"]},
        "generated_tests": {"input": ["2"], "output": ["3"]},
        "solutions": {"language": [2, 3], "solution": ["int main(){}", "print(1)"]},
        "time_limit": {"seconds": 7, "nanos": 500_000_000},
    }
    task = read_code_row(row, 0, code_layout_of(row))
    assert (task.language, task.solution, task.wall_s, len(task.exchanges)) == ("python", "print(1)", 7.5, 2)


def test_bad_rows_may_be_left_out_named_and_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    good = Path(code_dataset.DEMO).read_text(encoding="utf-8").splitlines()[0]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(['{"a": 1}', good, "{broken", '{"question": ["x"], "input_output": "{}"}']) + "\n")
    with pytest.raises(SettingsError, match=r"own\.jsonl:1: "):
        CodeDataset(path=str(path))
    env = CodeDataset(path=str(path), bad_rows="skip")
    assert env.num_skipped == 3 and "left out 3 of 4 rows" in caplog.text
    assert {problem.where.rpartition(":")[2] for problem in env.skipped} == {"1", "3", "4"}
    assert CodeDataset(path=str(path), bad_rows="skip", index=1).reset(seed=0)[0] == env.reset(seed=0)[0]


@pytest.mark.slow
def test_all_tests_of_a_program_share_a_time(write: Write) -> None:
    row = {"task_id": "a/1", "prompt": "def f(x):\n", "entry_point": "f", "canonical_solution": "    return x\n"}
    path = write(
        {**row, "test": "def check(candidate):\n" + "".join(f"    assert candidate({n}) == {n}\n" for n in range(12))}
    )
    slow = "import time\ndef f(x):\n    time.sleep(0.1)\n    return x"
    said = answer(env(path=path, wall_s=20, total_s=0.25), slow)
    assert said[1] == 0 and "earlier tests used up the 0.25 s that all share" in said[0]
    assert answer(env(path=path, wall_s=20, total_s=200), slow)[1] == 1
    with pytest.raises(SettingsError, match="total_s is 0"):
        env(path=path, total_s=0)
