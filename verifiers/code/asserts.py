"""Test programs with assertions, as in HumanEval and MBPP, run out of reach of the program under test.

Plain assertions are evaluated here, on plain data. Any other test program runs in its own jail. The program under test
runs in a second jail: it receives one call after another and sees neither tests nor expected values.
"""

import builtins
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Conversation, Limits, Program, Reply, Result, Sandbox, shared_sandbox
from turnwise.sandbox.wire.values import ValueFormatError
from turnwise.verifiers.code.assert_units import MODULES, TestFormatError, TestProgram, read_tests
from turnwise.verifiers.code.assert_values import Beyond, evaluate, is_simple
from turnwise.verifiers.code.budget import Budget
from turnwise.verifiers.code.candidate import LIMITS, SOURCE_NAME, Candidate
from turnwise.verifiers.code.feedback import Failure, described, one_line, raised
from turnwise.verifiers.code.function import verdict_of
from turnwise.verifiers.verdict import Verdict

__all__ = ["TestFormatError", "verify_asserts"]

_MOST_CALLS = 20_000
_MOST_S = 120.0
_MEMORY_MB = 512  # of the tests
_START_S = 10.0  # for the tests to load and reach their first call
_BETWEEN_S = 2.0  # for the tests between two calls, if a call has less
_MOST_BESIDE_S = 60.0
_NO_DATA = "is not plain data"
_TOO_LARGE = "returned a value that is too large or too deep"


def verify_asserts(
    source: str,
    tests: str,
    entry_point: str = "",
    *,
    limits: Limits = LIMITS,
    total_s: float | None = None,
    sandbox: Sandbox | None = None,
    support: str = "",
    all_tests: bool = True,
    files: Mapping[str, bytes | str] = {},
    isolated: bool = True,
    reveal: bool = False,
) -> Verdict:
    r"""Judge whether a program passes a test program.

    Args:
        source: The program.
        tests: Trusted Python source: assertions (MBPP); a function ``check(candidate)`` (HumanEval); functions
            ``test_...``, with ``pytest.raises``, ``approx`` and ``mark.parametrize``; subclasses of
            ``unittest.TestCase``. What they use without defining it, or import from ``solution``, comes from the
            program.
        entry_point: The function that ``candidate`` stands for.
        limits: Limits of each call, and of the tests between two calls, which have at least two seconds.
        total_s: As `turnwise.verifiers.code.function.verify_function`, of all calls.
        sandbox: The sandbox for both; None: ``shared_sandbox()``.
        support: Trusted Python source that the tests build on, such as helpers from the task.
        all_tests: False: stop at the first test that fails.
        files: In the program's working directory.
        isolated: False: **unsafe**, the tests run in the program's own process, where it can read and change them. For
            tests that need more than plain data; a program that knows how can pass any.
        reveal: The reason says what the assertion says, which may be what was expected.

    Returns:
        As `turnwise.verifiers.code.function.verify_function`. A test is a statement of the module or of
        ``check`` that asserts something, a test function or case of its parameters, or a test method.

    Raises:
        TestFormatError: The tests are not Python, assert nothing, or need more than plain data.
        InfrastructureError: They do not come to their first call within ten seconds, in two tries.

    >>> verify_asserts("def double(x): return 2 * x", "assert double(2) == 4").correct
    True
    >>> tests = "def check(candidate):\n    assert candidate(3) == 6\n    assert candidate(0.5) == 1"
    >>> verify_asserts("def double(x): return x + 3", tests, "double").reason
    'test 2: returned 3.5 (a float), which is wrong'
    """
    program = read_tests(tests, entry_point, support)
    sandbox = sandbox or shared_sandbox()
    budget = Budget(limits.cpu_s or limits.wall_s, program.units, total_s)
    with Candidate(source, sandbox, limits, files, budget=budget) as candidate:
        if not isolated:
            return _verify_beside(candidate, source, program, limits.wall_s, all_tests, reveal)
        names = {*program.names, "candidate"} if program.entry else {*program.names}
        if program.asserts and all(is_simple(condition, names) for condition in program.asserts):
            try:
                return _verify_here(candidate, source, program, names, all_tests)
            except Beyond:
                candidate.close()  # it restarts: the jail of the tests has its own limits
        jail, reply = _start(sandbox, limits, program, all_tests)
        with jail:
            return _Dialogue(candidate, jail, program, limits.wall_s, reveal).run(source, reply)


class _NoAnswer(Exception):
    """A call returned no value."""


def _verify_here(candidate: Candidate, source: str, program: TestProgram, names: set[str], all_tests: bool) -> Verdict:
    last: tuple[tuple[Any, ...], Reply] = ((), Reply(None, "", Result()))

    def call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal last
        try:
            last = (args, candidate.call(program.entry if name == "candidate" else name, args, kwargs))
        except ValueFormatError as error:
            if _NO_DATA in str(error):
                raise TestFormatError(f"tests that need more than plain data: {error}") from error
            raise _NoAnswer(_TOO_LARGE) from error
        if last[1].error:
            if _NO_DATA in last[1].error:
                raise Beyond  # a list made from a generator: the other jail distinguishes objects
            raise _NoAnswer(last[1].error)
        return last[1].value

    passed, first = 0, None
    for index, condition in enumerate(program.asserts or ()):
        what = ""
        try:
            holds = bool(evaluate(condition, call, names))
        except _NoAnswer as error:
            holds, what = False, str(error)
        except (Beyond, TestFormatError, InfrastructureError):
            raise
        except Exception:  # the assertion raises on the returned value
            holds = False
        if holds:
            passed += 1
            continue
        args, reply = last
        first = first or Failure(index, what or _wrong(reply), args, reply.value, reply.result)
        if not all_tests:
            break
    return verdict_of(source, passed, len(program.asserts or ()), first)


def _wrong(reply: Reply) -> str:
    return reply.error or f"returned {described(reply.value)}, which is wrong"


@cache
def _runner(with_pytest: bool) -> str:
    folder = Path(__file__).parent
    source = (folder / "jailed_tests.py").read_text(encoding="utf-8")
    if with_pytest:
        source += (folder / "jailed_pytest.py").read_text(encoding="utf-8") + "\ninstall()\n"
    return source


def _start(sandbox: Sandbox, limits: Limits, program: TestProgram, all_tests: bool) -> tuple[Conversation, Reply]:
    """Return a jail in which the tests have started, and their first request.

    Raises:
        TestFormatError: They need more than plain data.
        InfrastructureError: They do not start.
    """
    runner = Program(_runner("pytest" in program.code), name="runner.py")
    limits = replace(limits, memory_mb=_MEMORY_MB, wall_s=max(limits.wall_s, _START_S), cpu_s=None)
    given = (program.code, program.entry, list(program.names), list(program.functions), list(MODULES), all_tests)
    problem = ""
    for _ in range(2):  # on a busy machine, anything may be slow once
        jail = sandbox.converse(runner, limits)
        reply = jail.call("start", *given)
        if not reply.error and jail.started.ok:
            return jail, reply
        jail.close()
        if _NO_DATA in reply.error:
            raise TestFormatError(f"tests that need more than plain data: {reply.error}")
        problem = reply.error or jail.started.stderr[-200:]
    raise InfrastructureError(f"the tests do not start: {problem}")


class _Dialogue:
    """Forwards calls of a test program to the program under test, and the answers back."""

    def __init__(
        self, candidate: Candidate, jail: Conversation, program: TestProgram, wall_s: float, reveal: bool
    ) -> None:
        self.candidate = candidate
        self.jail = jail
        self.program = program
        self.wall_s = max(wall_s, _BETWEEN_S)
        self.reveal = reveal
        self.calls = 0
        self.last: tuple[Any, Reply] = ((), Reply(None, "", Result()))
        self.failing: tuple[Any, Reply] | None = None

    def run(self, source: str, reply: Reply) -> Verdict:
        """Run the test program from its first request to its end; return the verdict."""
        until = time.monotonic() + _MOST_S
        while True:
            if reply.error:
                return self._broken(source, reply)
            if reply.value[0] == "done":
                return self._done(source, *reply.value[1:])
            _, op, target, name, args, kwargs, failed = reply.value
            if failed and self.failing is None:
                self.failing = self.last
            self.calls += 1
            if self.calls > _MOST_CALLS or time.monotonic() > until:
                return self._failed(source, 0, self.program.units, "made the tests call it too often")
            try:
                asked = self.candidate.act(op, target, name, args, kwargs)
            except ValueFormatError:
                asked = Reply(None, _TOO_LARGE, Result())
            answer = _answer(asked)
            self.last = (tuple(args), _told(asked, answer))
            try:
                reply = self.jail.call("go", answer, asked.result.stdout, wall_s=self.wall_s)
            except ValueFormatError:  # just small and flat enough to get here
                reply = self.jail.call("go", ("ended", _TOO_LARGE), "", wall_s=self.wall_s)

    def _done(self, source: str, results: list[bool], first: list[Any], error: str) -> Verdict:
        if not self.calls:
            raise TestFormatError(f"tests that never call the program{f': they end with {error}' if error else ''}")
        tests, passed = max(self.program.units, len(results)), sum(results)
        if not first and not error and passed == tests:
            return verdict_of(source, passed, tests, None)
        index = first[0] if first else len(results)
        args, reply = self.failing or self.last
        what = _wrong(reply)
        if self.reveal and first and first[2]:
            what += f": {first[2]}"
        return self._failed(source, passed, tests, what, index, args, reply)

    def _broken(self, source: str, reply: Reply) -> Verdict:
        """Handle a jail of the tests that gave no answer."""
        if _NO_DATA in reply.error:
            raise TestFormatError(f"tests that need more than plain data: {reply.error}")
        return self._failed(source, 0, self.program.units, "kept the tests from ending")

    def _failed(
        self,
        source: str,
        passed: int,
        tests: int,
        what: str,
        index: int = 0,
        args: Any = (),
        reply: Reply | None = None,
    ) -> Verdict:
        reply = reply or self.last[1]
        failure = Failure(index, what, tuple(args), reply.value, reply.result)
        return verdict_of(source, min(passed, tests - 1), tests, failure)


def _answer(reply: Reply) -> tuple[Any, ...]:
    """Return the answer for the tests, in one of the four forms that they know."""
    if reply.error:
        return "ended", reply.error
    match reply.value:
        case ("value", value, list(after)):
            return "value", value, after
        case ("method",):
            return ("method",)
        case ("raised", list(names), str(text)):
            for name in names:
                kind = getattr(builtins, name, None) if isinstance(name, str) else None
                if isinstance(kind, type) and issubclass(kind, BaseException):
                    return "raised", name, text[:2000]
    return "ended", "gave an invalid answer"


def _told(reply: Reply, answer: tuple[Any, ...]) -> Reply:
    """Return the reply as a separate call would have given it."""
    if answer[0] == "raised":
        return reply._replace(value=None, error=raised(": ".join(answer[1:]), reply.result, SOURCE_NAME))
    value = answer[1] if answer[0] == "value" else None
    if type(value) is dict and "~object~" in value:
        kind = value.get("type")
        named = f" of type {one_line(kind, 60)!r}" if isinstance(kind, str) else ""
        return reply._replace(value=None, error=f"returned an object{named}, which is wrong")
    return reply._replace(value=value)


def _verify_beside(
    candidate: Candidate, source: str, program: TestProgram, wall_s: float, all_tests: bool, reveal: bool
) -> Verdict:
    nonce = secrets.token_hex(16)
    given = (program.code, program.entry, list(program.names), list(program.functions), list(MODULES), all_tests, nonce)
    reply = candidate.beside(
        _runner("pytest" in program.code),
        "beside",
        given,
        min(_MOST_BESIDE_S, wall_s * program.units, candidate.budget.total_s),
    )
    results: list[bool] = []
    what, index = reply.error, 0
    match reply.value:
        case (str(said), list(results), list(first), str(error)) if said == nonce:
            if not first and not error and all(results) and len(results) >= program.units:
                return verdict_of(source, len(results), len(results), None)
            index = min(first[0], len(results)) if first else len(results)
            what = f"failed with {first[1] if first else error}"
            what += f": {first[2]}" if reveal and first else ""
    tests = max(program.units, len(results))
    failure = Failure(index, what or "gave an invalid answer", (), None, reply.result)
    return verdict_of(source, min(sum(map(bool, results)), tests - 1), tests, failure)
