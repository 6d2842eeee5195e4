"""CodeDataset: programming problems from your own rows, judged by their tests in the sandbox.

Source: plays rows in the layouts of HumanEval (arXiv 2107.03374), MBPP (arXiv 2108.07732), APPS (arXiv 2105.09938),
CodeContests (arXiv 2203.07814) and LiveCodeBench (arXiv 2403.07974); the problems that come with it are turnwise's own.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.registration import register
from turnwise.core.rows import Problem, read_located, stamp
from turnwise.core.settings import Range
from turnwise.envs.data.bad_rows import BadRows, finished, reading_for, row_at
from turnwise.envs.data.code_rows import CodeLayout, CodeTask, code_layout_of, read_code_row
from turnwise.sandbox import check_sandbox, shared_sandbox
from turnwise.verifiers.code import LIMITS, read_program, same_loosely, verify_asserts, verify_function, verify_stdio
from turnwise.verifiers.code.languages import check_language
from turnwise.verifiers.verdict import Verdict

DEMO = os.path.join(os.path.dirname(__file__), "data", "demo_code.jsonl")


class _Loaded(NamedTuple):
    """The tasks of a data set, and its rows that were left out: the first hundred, and how many."""

    tasks: tuple[CodeTask, ...]
    problems: tuple[Problem, ...]
    num_problems: int


@register("CodeDataset-v0")
class CodeDataset(Env[CodeTask]):
    """Solve the programming problems of a file; reward 1 for a program that passes all tests of its row.

    Without ``path`` it plays some thirty small problems that come with turnwise. A data set has no difficulty
    (``levels`` is empty). A row that cannot be used is an error that names file and line when the file is loaded; with
    ``bad_rows="skip"`` such rows are left out, named and counted in the log, in ``skipped`` (the first hundred:
    place and reason) and ``num_skipped``.
    ``task_id`` is a hash of the question alone. Rows in languages other than Python run if their compiler is
    present.

    The program is the content of ``<answer>...</answer>``, else the last fenced block. docs/code.md describes
    how each kind of test is judged and which cheats are prevented. With more than one turn an agent is shown what
    failed and may try again.
    """

    path: str = ""
    """A .jsonl, .json or .parquet file, or hf:owner/name or hf:owner/name:configuration (Hugging Face)."""
    format: CodeLayout = "auto"
    """The layout of the rows; auto goes by the columns of each."""
    language: str = "python"
    """Language of the programs; other than Python only if tests are inputs and outputs."""
    float_tolerance: Annotated[float, Range(0.0, 1.0)] | None = None
    """Numbers in printed output may differ by this; None: not at all."""
    max_tests: Annotated[int, Range(0, 10_000)] = 0
    """Only the first inputs of a row are run; 0 runs all. Test programs are run whole."""
    feedback: Literal["verdict", "detail"] = "detail"
    """Reply to a wrong program: verdict (nothing more), detail (which test failed, and how)."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward for a program that passes only some tests: this times their share."""
    bad_rows: BadRows = "error"
    """How to treat rows that cannot be used: "error" or "skip"."""
    index: Annotated[int, Range(0, 10**12)] | None = None
    """Play this row, from 0; None draws one."""
    wall_s: Annotated[float, Range(0.01, 600.0)] = 5.0
    """Seconds per test, unless the row asks for more."""
    total_s: Annotated[float, Range(0.01, 10**5)] | None = None
    """Seconds for all tests of a program together; None: as long as three tests that run out of time, or a tenth of the
    limit for each test where that is more. Tests that are left then count as failed."""
    memory_mb: Annotated[int, Range(16, 10**6)] = 512
    """MiB per test."""
    sandbox: str = "auto"
    """Where programs run: "auto", a backend's name or the address of a sandbox server."""
    max_turns: int = 1
    """Programs an agent may give."""

    in_all = False  # a few sample rows say nothing about an agent
    cheats = (
        "<answer>import sys\nsys.exit(0)</answer>",
        "<answer>import os\nos._exit(0)</answer>",
        "<answer>class Same:\n    def __eq__(self, other): return True\ndef __getattr__(name): return lambda *a: Same()"
        "</answer>",
        "<answer>print('1')</answer>",
        "<answer>raise AssertionError</answer>",
        "<answer>pass</answer>",
        lambda env: f"<answer>{env.task.solution}</answer><answer>pass</answer>",
        lambda env: f"<think>```python\n{env.task.solution}\n```",
        lambda env: f"<answer>raise SystemExit(0)\n{env.task.solution}</answer>",
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)
        check_language(self.language)
        loaded = self._load()
        tasks, self.skipped, self.num_skipped = loaded
        if self.index is not None and self.split is not None:
            raise SettingsError(f"index is {self.index} and split is {self.split!r}; leave one of them out")
        if self.index is not None:
            row_at(loaded.tasks, self.index)
        if self.language != "python" and not all(task.exchanges for task in tasks):
            raise SettingsError(
                f"language is {self.language!r}; the tests of {self.path or DEMO} call Python functions"
            )

    def _load(self) -> _Loaded:
        path = self.path or DEMO
        return _load(path, stamp(path), self.format, self.bad_rows)

    def all_tasks(self) -> Sequence[CodeTask]:
        return self._load().tasks

    def generate(self, rng: np.random.Generator) -> CodeTask:
        tasks = self.all_tasks()
        return tasks[int(rng.random() * len(tasks))] if self.index is None else row_at(tasks, self.index)

    def begin(self) -> str:
        self.best = 0.0
        what = "The program must read its standard input and print the answer." if self.task.exchanges else ""
        language = f"Answer with a {self.language.capitalize()} program in the form <answer>...</answer>."
        return "\n\n".join(filter(None, (self.task.question, f"{what} {language}".strip())))

    def respond(self, action: str) -> Reply:
        program, problem = read_program(action, self.language)
        if program is None:
            return Reply(f"{problem[:1].upper()}{problem[1:]}.", invalid=True)
        verdict = self.judge(program, self.language)
        metrics = dict(verdict.parts or {})
        if verdict.correct:
            return Reply("Correct: all tests pass.", solved=True, metrics=metrics)
        reward = max(0.0, self.partial * verdict.score - self.best)
        self.best += reward
        detail = f": {verdict.reason}" if self.feedback == "detail" else ""
        return Reply(f"Wrong{detail}.", reward)

    def judge(self, program: str, language: str) -> Verdict:
        """Return the verdict on a program."""
        task = self.task
        limits = replace(LIMITS, wall_s=max(self.wall_s, task.wall_s), memory_mb=self.memory_mb)
        most = self.max_tests or None
        sandbox = shared_sandbox(self.sandbox)
        all_tests = self.partial > 0
        if task.asserts:
            source = program if "__future__" in program else f"{task.prefix}\n{program}"
            return verify_asserts(
                source, task.asserts, task.entry, limits=limits, total_s=self.total_s, sandbox=sandbox,
                support=task.prefix, all_tests=all_tests,
            )  # fmt: skip
        if task.exchanges:
            return verify_stdio(
                program, task.exchanges[:most], language=language, limits=limits, total_s=self.total_s,
                sandbox=sandbox, float_tolerance=self.float_tolerance, all_tests=all_tests,
            )  # fmt: skip
        return verify_function(
            program, task.entry, task.examples[:most], limits=limits, total_s=self.total_s, sandbox=sandbox,
            same=_same_or_unwrapped if task.wrapped else same_loosely, all_tests=all_tests,
        )  # fmt: skip

    def metrics(self) -> dict[str, float]:
        return {"partial": float(self.best)}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def oracle(self) -> str:
        if not self.task.solution or self.task.language != self.language:
            raise UsageError(f"row {self.task.row} has no solution in {self.language}")
        return f"<answer>\n{self.task.solution}\n</answer>"

    def paraphrases(self) -> Sequence[str]:
        source = self.task.solution
        return (
            f"<think>pass</think>\n```{self.language}\n{source}\n```",
            f"First a draft:\n```{self.language}\npass\n```\nThe program:\n```{self.language}\n{source}\n```\nDone.",
            f"<answer>```{self.language}\n{source}\n```</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "message"  # programs are read by separate rules

    def sample_action(self, rng: np.random.Generator) -> str:
        name = self.task.entry.rpartition(".")[2] or "solve"
        value = ("0", "1", "True", "[]", "''", "x")[int(rng.random() * 6)]
        return f"<answer>def {name}(x, *more):\n    return {value}\n\n\nprint({value!r})</answer>"


def _same_or_unwrapped(got: object, expected: object) -> bool:
    return same_loosely(got, expected) or (isinstance(expected, list) and same_loosely(got, expected[0]))


@lru_cache(maxsize=8)
def _load(path: str, _stamp: tuple[int, int], layout: CodeLayout, bad_rows: BadRows) -> _Loaded:
    """Return the tasks of a data set; once per process while the file stays the same."""
    tasks, reading = [], reading_for(bad_rows)
    for row, number, where in read_located(path, reading):
        try:
            tasks.append(read_code_row(row, number, code_layout_of(row) if layout == "auto" else layout))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reading.problem(where, str(error))
    return _Loaded(tuple(tasks), *finished(path, reading, len(tasks)))
