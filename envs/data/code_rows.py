"""Read rows of published data sets of programming problems: prompt, tests, and a solution if the row has one.

Source: the layouts of HumanEval (arXiv 2107.03374), MBPP (arXiv 2108.07732), APPS (arXiv 2105.09938; TACO's is the
same), CodeContests (arXiv 2203.07814) and LiveCodeBench (arXiv 2403.07974), as their data sets have them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from turnwise.core.rows import Row
from turnwise.verifiers.code import Example, Exchange

__all__ = ["LAYOUTS", "CodeLayout", "CodeTask", "code_layout_of", "read_code_row"]

CodeLayout = Literal["auto", "humaneval", "mbpp", "apps", "code_contests", "livecodebench"]
LANGUAGES = {1: "python2", 2: "cpp", 3: "python", 4: "java"}  # CodeContests' numbers
MAX_TESTS = 10_000


@dataclass(frozen=True)
class CodeTask:
    """A programming problem.

    Attributes:
        question: The problem as shown to the agent.
        entry: The function or method to call; empty if there is none.
        asserts: The test program; or
        examples: The inputs and values of the function; or
        exchanges: The inputs and outputs of the program.
        prefix: Source placed before every answer (imports, helpers of the prompt).
        solution: A program that solves it; empty if the row has none.
        language: Language of the solution.
        wrapped: Whether all expected values are one-element lists, as in APPS; the bare element is then also right.
        wall_s: Seconds per test that the row specifies; 0 if it does not.
        row: Number of the row in the file.
    """

    question: str
    entry: str = field(compare=False, default="")
    asserts: str = field(compare=False, default="")
    examples: tuple[Example, ...] = field(compare=False, default=())
    exchanges: tuple[Exchange, ...] = field(compare=False, default=())
    prefix: str = field(compare=False, default="")
    solution: str = field(compare=False, default="")
    language: str = field(compare=False, default="python")
    wrapped: bool = field(compare=False, default=False)
    wall_s: float = field(compare=False, default=0.0)
    row: int = field(compare=False, default=0)


def code_layout_of(row: Row) -> CodeLayout:
    """Return the layout of a row, recognised by its columns.

    Raises:
        ValueError: The columns fit no layout.
    """
    for layout, columns in _COLUMNS.items():
        if columns <= set(row):
            return layout
    raise ValueError(
        f"the columns are {', '.join(map(str, row))}; they must be those of one of "
        + "; ".join(f"{layout}: {', '.join(sorted(columns))}" for layout, columns in _COLUMNS.items())
    )


def read_code_row(row: Row, number: int, layout: CodeLayout) -> CodeTask:
    """Read the task of a row.

    Raises:
        ValueError: A column is missing or holds something else; the message has its value.
    """
    return LAYOUTS[code_layout_of(row) if layout == "auto" else layout](row, number)


def _text(row: Row, column: str) -> str:
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"the column {column!r} is {str(value)[:80]!r}; it must be a text")
    return value


def _json(value: object, column: str) -> Any:
    """Return the column's value, read as JSON if it is a text."""
    if not isinstance(value, (str, bytes)):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the column {column!r} is {str(value)[:80]!r}, which is no JSON: {error}") from error


def _humaneval(row: Row, number: int) -> CodeTask:
    prompt, entry = _text(row, "prompt"), _text(row, "entry_point")
    if f"def {entry}(" not in prompt:
        raise ValueError(f"the prompt does not define entry_point={entry!r}")
    test = _text(row, "test")
    if "def check(" not in test:
        raise ValueError(f"the test is {test[:80]!r}; it must define check(candidate)")
    body = row.get("canonical_solution") or ""
    head = prompt[: prompt.index(f"def {entry}(")]  # imports and helpers that answers need not repeat
    return CodeTask(
        f"Complete this function; give the whole of it.\n\n```python\n{prompt.rstrip()}\n```",
        entry, asserts=test, prefix=head, solution=prompt + body if body else "", row=number,
    )  # fmt: skip


def _mbpp(row: Row, number: int) -> CodeTask:
    problem = row.get("text") or _text(row, "prompt")
    tests = list(row.get("test_list") or []) + list(row.get("challenge_test_list") or [])
    if not tests or not all(isinstance(test, str) for test in tests):
        raise ValueError(f"the column 'test_list' is {str(tests)[:80]!r}; it must be a list of assert statements")
    imports = row.get("test_imports") or []
    setup = "\n".join([*([imports] if isinstance(imports, str) else imports), row.get("test_setup_code") or ""])
    return CodeTask(
        f"{problem}\n\nYour program must pass, among others:\n```python\n{tests[0]}\n```",
        asserts="\n".join([setup, *tests]).strip(), solution=row.get("code") or "", row=number,
    )  # fmt: skip


def _pairs(inputs: object, outputs: object, where: str) -> list[tuple[Any, Any]]:
    if not isinstance(inputs, Sequence) or not isinstance(outputs, Sequence) or len(inputs) != len(outputs):
        raise ValueError(f"{where}: inputs and outputs must be lists of the same length")
    return list(zip(inputs, outputs, strict=True))[:MAX_TESTS]


def _lines(value: object) -> str:
    """Return a program's input or output, given as a text or as a list of lines."""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _apps(row: Row, number: int) -> CodeTask:
    tests = _json(row.get("input_output"), "input_output")
    if not isinstance(tests, Mapping) or not {"inputs", "outputs"} <= set(tests):
        raise ValueError(f"the column 'input_output' is {str(tests)[:80]!r}; it must have inputs and outputs")
    pairs = _pairs(tests["inputs"], tests["outputs"], "input_output")
    if not pairs:
        raise ValueError("the column 'input_output' has no tests")
    solutions = _json(row.get("solutions") or "[]", "solutions")
    solution = str(solutions[0]) if isinstance(solutions, list) and solutions else ""
    question, starter = _text(row, "question"), str(row.get("starter_code") or "")
    name = tests.get("fn_name")
    if not name:
        exchanges = tuple(Exchange(_lines(a), _lines(b)) for a, b in pairs)
        return CodeTask(question, exchanges=exchanges, solution=solution, row=number)
    if not all(isinstance(arguments, list) for arguments, _ in pairs):
        raise ValueError("the column 'input_output' calls a function: each of its inputs must be a list of arguments")
    examples = tuple(Example(tuple(arguments), {}, value) for arguments, value in pairs)
    task = _function(question, str(name), starter, examples, solution, number)
    return replace(task, wrapped=all(isinstance(value, list) and len(value) == 1 for _, value in pairs))


def _function(
    question: str, name: str, starter: str, examples: tuple[Example, ...], solution: str, number: int
) -> CodeTask:
    in_class = "class Solution" in starter or (not starter and "class Solution" in solution)
    entry = f"Solution.{name}" if in_class else name
    shown = (
        f"\n\nUse this signature:\n```python\n{starter.rstrip()}\n```" if starter.strip() else f"\n\nName it {name}."
    )
    return CodeTask(question + shown, entry, examples=examples, solution=solution, row=number)


def _code_contests(row: Row, number: int) -> CodeTask:
    exchanges: list[Exchange] = []
    for column in ("public_tests", "private_tests", "generated_tests"):
        tests = row.get(column) or {"input": [], "output": []}
        if not isinstance(tests, Mapping):
            raise ValueError(f"the column {column!r} is {str(tests)[:80]!r}; it must have input and output")
        exchanges += [Exchange(str(a), str(b)) for a, b in _pairs(tests.get("input"), tests.get("output"), column)]
    if not exchanges:
        raise ValueError("there are no tests in public_tests, private_tests and generated_tests")
    solutions = row.get("solutions") or {}
    known = [(LANGUAGES.get(n, ""), s) for n, s in _pairs(
        solutions.get("language", []), solutions.get("solution", []), "solutions"
    )]  # fmt: skip
    language, solution = next(
        (k for k in known if k[0] == "python"), next((k for k in known if k[0] == "cpp"), ("", ""))
    )
    limit = row.get("time_limit") or {}
    wall_s = float(limit.get("seconds") or 0) + float(limit.get("nanos") or 0) / 1e9
    return CodeTask(
        _text(row, "description"), exchanges=tuple(exchanges[:MAX_TESTS]), solution=solution,
        language=language or "python", wall_s=wall_s, row=number,
    )  # fmt: skip


def _livecodebench(row: Row, number: int) -> CodeTask:
    tests = _json(row.get("public_test_cases"), "public_test_cases")
    private = row.get("private_test_cases")
    if isinstance(private, str) and private.strip() and not private.lstrip().startswith("["):
        raise ValueError(
            "the column 'private_test_cases' is packed with pickle, which can run code; unpack it to JSON first"
        )
    tests = [*(tests or []), *(_json(private, "private_test_cases") or [])]
    if not tests or not all(isinstance(t, Mapping) and {"input", "output"} <= set(t) for t in tests):
        raise ValueError(f"the tests are {str(tests)[:80]!r}; they must be a list of input and output")
    question, starter = _text(row, "question_content"), str(row.get("starter_code") or "")
    if tests[0].get("testtype") != "functional":
        exchanges = tuple(Exchange(str(t["input"]), str(t["output"])) for t in tests[:MAX_TESTS])
        return CodeTask(question, exchanges=exchanges, solution=str(row.get("solution") or ""), row=number)
    name = (_json(row.get("metadata") or "{}", "metadata") or {}).get("func_name")
    if not name:
        raise ValueError("functional tests need func_name in the column 'metadata'")
    examples = tuple(
        Example(tuple(_json(line, "input") for line in str(t["input"]).splitlines()), {}, _json(t["output"], "output"))
        for t in tests[:MAX_TESTS]
    )
    return _function(question, str(name), starter, examples, str(row.get("solution") or ""), number)


_COLUMNS: dict[CodeLayout, set[str]] = {
    "humaneval": {"prompt", "test", "entry_point"},
    "mbpp": {"test_list"},
    "apps": {"question", "input_output"},
    "code_contests": {"description", "public_tests"},
    "livecodebench": {"question_content", "public_test_cases"},
}
LAYOUTS = {
    "humaneval": _humaneval,
    "mbpp": _mbpp,
    "apps": _apps,
    "code_contests": _code_contests,
    "livecodebench": _livecodebench,
}
"""Readers of rows, by layout."""
