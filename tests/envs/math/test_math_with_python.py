"""MathWithPython: an interpreter beside a question."""

import copy
import pickle
from pathlib import Path

import gymnasium
import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.envs.math.math_with_python import MathWithPython
from turnwise.sandbox import SANDBOX_VARIABLE, shared_sandbox


@pytest.fixture(scope="module", autouse=True)
def _sandbox() -> None:
    try:
        shared_sandbox()
    except InfrastructureError as error:
        pytest.skip(f"no sandbox here: {error}")


def env(**settings: object) -> MathWithPython:
    made = gymnasium.make("turnwise/MathWithPython-v0", **settings).unwrapped
    assert isinstance(made, MathWithPython)
    return made


def test_an_interpreter_that_keeps_its_variables() -> None:
    e = env()
    observation, _ = e.reset(seed=1)
    assert "<python>" in observation and "6 messages" in observation
    assert e.step("<python>x = 20</python>")[0] == "<tool_response></tool_response>"
    assert e.step("so\n```python\nprint(x + 1)\n```")[0] == "```output\n21\n```"
    assert "ZeroDivisionError" in e.step("<python>x / 0</python>")[0]
    both = e.step("<python>x</python> and <python>x * 2</python>")[0]
    assert both == "<tool_response>20</tool_response>\n<tool_response>40</tool_response>"
    observation, *_ = e.step("<python>x</python>")
    assert observation.endswith("You have one message left: give your answer now.")
    _, reward, terminated, _, info = e.step(e.oracle())
    assert (reward, terminated) == (1.0, True)
    assert info["metrics"]["tool_calls"] == 6.0 and info["metrics"]["tool_errors"] == 1.0


def test_a_message_with_code_is_no_answer_and_output_is_none_either() -> None:
    e = env(env="ArithmeticChain")
    e.reset(seed=2)
    assert e.step(e.oracle() + "<python>1</python>")[1:4] == (0.0, False, False)
    assert e.step(f"<python>print({e.oracle()!r})</python>")[1:4] == (0.0, False, False)
    assert e.step("<answer>123456789</answer>")[1:4] == (0.0, True, False)


def test_code_beside_an_answer_in_a_fence_is_an_explanation() -> None:
    e = env()
    e.reset(seed=2)
    assert e.step(f"```python\nprint(1)\n```\n{e.oracle()}")[1] == 1.0


def test_endless_code_is_interrupted_and_the_variables_stay() -> None:
    e = env(wall_s=0.3)
    e.reset(seed=3)
    e.step("<python>x = 5</python>")
    assert "KeyboardInterrupt" in e.step("<python>while True: pass</python>")[0]
    assert e.step("<python>x</python>")[0] == "<tool_response>5</tool_response>"


def test_branches_do_not_see_each_other() -> None:
    e = env()
    e.reset(seed=4)
    e.step("<python>x = [1]</python>")
    twin, stored = e.fork(), pickle.loads(pickle.dumps(e))
    e.step("<python>x.append(2)</python>")
    for other in (twin, stored):
        assert other.step("<python>x</python>")[0] == "<tool_response>[1]</tool_response>"
        assert other.step(other.oracle())[1] == 1.0
    assert e.step("<python>x</python>")[0] == "<tool_response>[1, 2]</tool_response>"


def test_any_environment_can_ask(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"question": "What is 6 * 7?", "answer": "42"}\n' * 2)
    e = env(env="Dataset", env_settings={"path": str(rows)})
    assert e.reset(seed=1)[0].startswith("What is 6 * 7?")
    assert e.step("<python>6 * 7</python>")[0] == "<tool_response>42</tool_response>"
    assert e.step(r"\boxed{42}")[1] == 1.0
    game = env(env="GuessNumber", env_settings={"max_number": 32}, max_turns=12, env_difficulty=None)
    game.reset(seed=1)
    game.step("<python>(1 + 32) // 2</python>")
    reward, over = 0.0, False
    while not over:
        _, reward, over, truncated, _ = game.step(game.oracle())
        over = over or truncated
    assert reward == 1.0


def test_packages_can_be_shown() -> None:
    e = env(packages="sympy")
    assert "sympy" in e.reset(seed=1)[0]
    assert e.step("<python>import sympy; sympy.factorint(84)</python>")[0].endswith(
        "{2: 2, 3: 1, 7: 1}</tool_response>"
    )
    plain = env()
    plain.reset(seed=1)
    assert "ModuleNotFoundError" in plain.step("<python>import sympy</python>")[0]


def test_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="another environment"):
        env(env="MathWithPython")
    with pytest.raises(SettingsError, match="NoSuchEnvironment"):
        env(env="NoSuchEnvironment")


def test_a_sandbox_that_cannot_be_had_is_not_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    e = env(sandbox="http://127.0.0.1:9")
    e.reset(seed=1)
    _, reward, _, truncated, info = e.step("<python>1</python>")
    assert (reward, truncated, info["reward_valid"]) == (0.0, True, False)
    monkeypatch.setenv(SANDBOX_VARIABLE, "embedded")
    assert copy.copy(env()).reset(seed=1)


def test_nothing_stays_open() -> None:
    e = env()
    for seed in range(5):
        e.reset(seed=seed)
        e.step("<python>1</python>")
        session = e.session
        if seed % 2:
            e.step(e.oracle())
        else:
            e.reset(seed=seed)
        assert session._closed
    e.close()
