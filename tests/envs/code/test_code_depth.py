"""The agents that measure depth see what a model sees, and do what their names say."""

from typing import Any

import pytest

from turnwise.core.agent import Agent
from turnwise.core.env import Env, seed_of
from turnwise.envs.code._depth import code_output, code_repair, debugging, test_writing
from turnwise.envs.code._depth.operators import classical_mutants
from turnwise.envs.code.code_output import CodeOutput
from turnwise.envs.code.code_repair import CodeRepair
from turnwise.envs.code.debugging import Debugging
from turnwise.envs.code.test_writing import TestWriting as Writing


def solved(env: Env[Any], agent: Agent, seed: int) -> bool:
    """Play one episode; the agent gets nothing but texts."""
    text, _ = env.reset(seed=seed_of("depth", seed))
    heard, over, info = [text], False, {}
    while not over:
        text, _, terminated, truncated, info = env.step(agent.read(heard, len(heard) - 1))  # type: ignore[attr-defined]
        heard.append(text)
        over = terminated or truncated
    return bool(info["solved"])


def test_a_patient_reader_follows_short_programs_and_gives_up_on_long_ones() -> None:
    patient, hasty = code_output.SKILLS["systematic"](), code_output.SKILLS["follows 25 lines"]()
    assert sum(solved(CodeOutput(difficulty=1), patient, seed) for seed in range(12)) >= 11
    assert not any(solved(CodeOutput(difficulty=9), hasty, seed) for seed in range(6))
    assert solved(CodeOutput(mode="trace", difficulty=2), patient, 3)
    steps = []
    for level in (1, 5, 10):
        env = CodeOutput(difficulty=level)
        env.reset(seed=3)
        steps.append(code_output.extent(env)[0])
    assert steps == sorted(steps)


@pytest.mark.parametrize("level", [2, 6, 10])
def test_interfaces_are_read_as_they_are_written(level: int) -> None:
    env = Writing(difficulty=level)
    for seed in range(6):
        prompt, _ = env.reset(seed=seed_of("read", seed))
        read = test_writing._read(prompt)
        assert read is not None
        assert (read.unit, read.variant, read.module, read.most) == (
            env.task.unit, env.task.variant, env.module, env.max_tests
        )  # fmt: skip
        assert {name: own for own, name in read.functions.items()} == env.own


def test_classical_mutants_differ_in_one_statement_each() -> None:
    source = (
        "def f(a, b):\n    if a < b and b:\n        return a + 1\n    return min(a, b)\n\n\ndef g():\n    return 2\n"
    )
    texts = [text for number, text in classical_mutants(source, ["f"]) if number == 0]
    assert len(texts) == len(set(texts))
    for changed in ("a <= b and b", "a < b or b", "a - 1", "a + 2", "max(a, b)", "not (a < b and b)"):
        assert sum(changed in text for text in texts) == 1, changed
    assert [number for number, _ in classical_mutants(source, ["g"])] == [1, 1, 1]


def test_tests_for_imagined_faults_catch_those_of_the_first_level() -> None:
    agent = test_writing.SKILLS["systematic"]()
    assert sum(solved(Writing(difficulty=1), agent, seed) for seed in range(6)) >= 5


@pytest.mark.parametrize("name", sorted(code_repair.SHORTCUTS))
def test_shortcuts_do_not_repair(name: str) -> None:
    agent = code_repair.SHORTCUTS[name]()
    assert not any(solved(CodeRepair(difficulty=3), agent, seed) for seed in range(2))


@pytest.mark.parametrize("level", [1, 5, 10])
def test_faulty_files_are_read_as_they_are_meant(level: int) -> None:
    env = CodeRepair(difficulty=level)
    for seed in range(4):
        env.reset(seed=seed_of("read", seed))
        files = {path: source for path, source in env.files.items() if path != "tests.py"}
        assert code_repair._meant(files) == env._mended() != files


def test_who_reads_all_repairs_what_is_short_and_who_reads_little_does_not() -> None:
    patient, hasty = code_repair.SKILLS["systematic"](), code_repair.SKILLS["reads 10 lines"]()
    assert all(solved(CodeRepair(difficulty=1), patient, seed) for seed in range(4))
    assert solved(CodeRepair(difficulty=5), patient, 1), "files that are not shown are looked at first"
    assert not any(solved(CodeRepair(difficulty=10), hasty, seed) for seed in range(2))


def test_functions_are_read_from_the_reported_one_to_those_that_it_calls() -> None:
    files = {
        "a.py": "import b\n\n\ndef other():\n    return 1\n\n\ndef own():\n    return 2\n\n\n"
        "def f():\n    return own() + b.g()\n",
        "b.py": "def unused():\n    return 3\n\n\ndef g():\n    return h()\n\n\ndef h():\n    return 4\n",
    }
    order = [function.name for _, function in code_repair._order(files, "a.f")]
    assert order == ["f", "own", "g", "other", "unused", "h"]
    assert [path for path, _ in code_repair._order(files, "b")] == ["b.py"] * 3 + ["a.py"] * 3


@pytest.mark.slow
def test_small_edits_repair_some_programs() -> None:
    agent = code_repair.SKILLS["all small edits of the program"]()
    assert any(solved(CodeRepair(difficulty=1), agent, seed) for seed in range(6))


@pytest.mark.slow
def test_experiments_answer_the_first_questions() -> None:
    agent = debugging.SKILLS["systematic"]()
    assert solved(Debugging(difficulty=1), agent, 1)
    assert solved(Debugging(difficulty=2), agent, 1)
    assert sum(solved(Debugging(difficulty=3), agent, seed) for seed in range(3)) >= 2
