"""Judge programs by what they print: a process for every test, with its output compared outside."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from turnwise.sandbox import Limits, Program, Result, Sandbox, shared_sandbox
from turnwise.verifiers.code.budget import Budget
from turnwise.verifiers.code.candidate import LIMITS, SOURCE_NAME
from turnwise.verifiers.code.feedback import Failure, at_line, described, one_line, why_ended
from turnwise.verifiers.code.function import verdict_of
from turnwise.verifiers.code.languages import prepare
from turnwise.verifiers.code.program import MAX_SOURCE_CHARS
from turnwise.verifiers.verdict import Verdict, wrong

__all__ = ["Checker", "Exchange", "same_output", "verify_stdio"]

Checker = Callable[[str, str, str], bool]
"""Takes the input, the expected output and the output; tells whether the output is right."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,4})?", re.ASCII)
_MAX_STOPPED = 3  # tests stopped by a limit before all further ones count as failed


class Exchange(NamedTuple):
    """A program's input and its expected output."""

    stdin: str
    stdout: str


def same_output(
    got: str, expected: str, compare: Literal["lines", "tokens"] = "lines", float_tolerance: float | None = None
) -> bool:
    r"""Return whether two outputs are the same.

    Args:
        got: The output.
        expected: The expected output.
        compare: "lines": the same lines, except for trailing blanks and empty lines at the end. "tokens": the same
            words, whatever blanks and line ends are between them. Case matters.
        float_tolerance: Amount by which two decimal numbers may differ, absolutely or relatively.

    >>> same_output("1 2 \r\n3\n\n", "1 2\n3"), same_output("1\n2", "1 2"), same_output("1\n2", "1 2", "tokens")
    (True, False, True)
    >>> same_output("0.3333333", "0.33333334", float_tolerance=1e-6)
    True
    """
    if compare == "tokens":
        return _same_words(got.split(), expected.split(), float_tolerance)
    lines, wanted = _lines(got), _lines(expected)
    if lines == wanted or float_tolerance is None or len(lines) != len(wanted):
        return lines == wanted
    return all(_same_words(a.split(), b.split(), float_tolerance) for a, b in zip(lines, wanted, strict=True))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _same_words(words: list[str], wanted: list[str], float_tolerance: float | None) -> bool:
    if words == wanted or float_tolerance is None or len(words) != len(wanted):
        return words == wanted
    return all(a == b or _near(a, b, float_tolerance) for a, b in zip(words, wanted, strict=True))


def _near(word: str, wanted: str, tolerance: float) -> bool:
    if len(word) > 600 or not _NUMBER.fullmatch(word) or not _NUMBER.fullmatch(wanted):
        return False
    a, b = float(word), float(wanted)
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tolerance * max(1.0, abs(b))


def verify_stdio(
    source: str,
    exchanges: Sequence[Exchange],
    *,
    language: str = "python",
    limits: Limits = LIMITS,
    total_s: float | None = None,
    sandbox: Sandbox | None = None,
    compare: Literal["lines", "tokens"] = "lines",
    float_tolerance: float | None = None,
    checker: Checker | None = None,
    all_tests: bool = True,
    files: Mapping[str, bytes | str] = {},
    reveal: bool = False,
) -> Verdict:
    r"""Judge whether a program prints what it should, for every input.

    Every test runs in its own process. A run that is stopped by a limit, ends with a status other than 0 or by a
    signal, or prints more than is kept, fails whatever it has printed; ending with status 0 earns nothing by itself.

    Args:
        source: The program.
        exchanges: At least one.
        language: See `turnwise.verifiers.code.languages`.
        limits: Those of each run; ``output_bytes`` is raised to what the expected output needs.
        total_s: As `turnwise.verifiers.code.function.verify_function`; compiling has a limit of its own.
        sandbox: Where it runs; None: ``shared_sandbox()``.
        compare: As `same_output`.
        float_tolerance: The same.
        checker: Decides instead whether an output is right; it runs here, and an exception means that it is not.
        all_tests: False: stop at the first test that fails.
        files: In the program's working directory.
        reveal: The reason says what was expected.

    Returns:
        As `turnwise.verifiers.code.function.verify_function`.

    Raises:
        ValueError: There is no exchange, or the language is unknown.
        LanguageMissing: The sandbox has no compiler or interpreter of the language.

    >>> verify_stdio("print(sum(map(int, input().split())))", [Exchange("1 2\n", "3\n"), Exchange("4 5", "9")]).correct
    True
    """
    if not exchanges:
        raise ValueError("exchanges=[]: at least one")
    if len(source) > MAX_SOURCE_CHARS:
        return wrong(f"the program has {len(source)} characters: at most {MAX_SOURCE_CHARS}", source)
    sandbox = sandbox or shared_sandbox()
    needed = max(2 * len(exchange.stdout.encode()) + 4096 for exchange in exchanges)
    limits = replace(limits, output_bytes=max(limits.output_bytes, needed))
    program = Program(source.removeprefix("\ufeff"), files=files, name=SOURCE_NAME)
    if language != "python":
        prepared = prepare(source, language, sandbox, limits, files)
        if prepared.program is None:
            what = f"does not compile: {one_line(prepared.problem)}"
            return verdict_of(source, 0, len(exchanges), Failure(0, what, (), None, prepared.result))
        program, limits = prepared.program, prepared.limits
    budget = Budget(limits.cpu_s or limits.wall_s, len(exchanges), total_s)
    passed, stopped, first = 0, 0, None
    at_once = max(1, sandbox.workers) if all_tests else 1
    for start in range(0, len(exchanges), at_once):
        if stopped >= _MAX_STOPPED or budget.problem:
            break
        batch = exchanges[start : start + at_once]
        results = sandbox.run_many([replace(program, stdin=exchange.stdin) for exchange in batch], limits)
        for index, (exchange, result) in enumerate(zip(batch, results, strict=True), start):
            if budget.problem:  # the same tests count, however many run in parallel
                break
            stopped += bool(result.killed_by)
            budget.spend(result, limits)
            what = _why_failed(result, limits, language)
            if not what and not _right(exchange, result.stdout, compare, float_tolerance, checker):
                what = f"printed {described(result.stdout)}, which is wrong"
                what += f": not {described(exchange.stdout)}" if reveal else ""
            if not what:
                passed += 1
                continue
            first = first or Failure(index, what, (exchange.stdin,), result.stdout, result)
        if first is not None and not all_tests:
            break
    if first is None and passed < len(exchanges):
        first = Failure(passed, budget.problem, (exchanges[passed].stdin,))
    return verdict_of(source, passed, len(exchanges), first)


def _right(
    exchange: Exchange, got: str, compare: Literal["lines", "tokens"], near: float | None, checker: Checker | None
) -> bool:
    if checker is None:
        return same_output(got, exchange.stdout, compare, near)
    try:
        return bool(checker(exchange.stdin, exchange.stdout, got))
    except Exception:  # it could not handle the output
        return False


def _why_failed(result: Result, limits: Limits, language: str) -> str:
    ended = why_ended(result, limits)
    if ended:
        return ended
    if result.signal:
        return f"was ended by signal {result.signal}"
    if result.exit_code != 0:
        last = one_line(result.stderr.rstrip().rpartition("\n")[2])
        return f"ended with status {result.exit_code}{f': {last}' if last else ''}{at_line(result.stderr, SOURCE_NAME)}"
    return f"printed {result.stdout_cut} bytes too many" if result.stdout_cut else ""
