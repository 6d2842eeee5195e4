r"""Graders as they are often written. They pay attacks, which shows that the attacks bite.

Each is a program that runs whole inside of the sandbox, tests and all; what it says is read outside.
"""

import contextlib
import json
import re
import unicodedata
from collections.abc import Callable

from tests.verifiers.code.targets import ASSERTS, CASES, EXCHANGES, LIMITS
from turnwise.sandbox import Limits, Program, Result, Sandbox

__all__ = ["FUNCTION_GRADERS", "OUTPUT_GRADERS", "pays_function", "pays_output"]

_NONCE = "7f3a9c"
_LIMITS = Limits(wall_s=1.5, cpu_s=2, memory_mb=96, output_bytes=1 << 20, file_mb=4, files=64, processes=16)

# Programs that grade in one process with the attack: {source} its text, {quoted} the same as a literal,
# {cases} pairs of an argument and an expected value, {tests} the same as assertions.
_IN_PROCESS = """
import json, math, operator, pickle, sys, time
CASES = json.loads({json!r})
def compare(got, expected):
    return {compare}
def grade():
    space = {{"__name__": "solution"}}
    results = []
    try:
        exec({quoted}, space)
        for argument, expected in CASES:
            results.append(False)
            results[-1] = compare(space["solve"](argument), expected)
    except BaseException: results.append(False)
    {pause}
    print({nonce!r} + json.dumps({{"passed": all(results) and len(results) > 0}}))
grade()
"""
_STRICT = "type(got) is type(expected) and got == expected"
_LENIENT = """(str(got) == str(expected) or json.dumps(got, default=list) == json.dumps(expected)
        or (isinstance(got, (int, float, str)) and isinstance(expected, int) and float(got) == expected)
        or (isinstance(expected, int) and got == [expected])
        or (isinstance(expected, str) and "".join(got) == expected)
        or (isinstance(expected, dict) and dict(got) == expected)
        or (isinstance(expected, list) and (sorted(got) == sorted(expected) or got == str(expected))))"""
_SKIP = """
space, cases = {{"__name__": "solution"}}, {cases}
try:
    exec({quoted}, space)
    for argument, expected in cases:
        try:
            assert space["solve"](argument) == expected
        except AssertionError as error: {failed}
        except BaseException: pass
except BaseException: pass
"""
_GLOBALS = """
{source}
for argument, expected in {cases}:
    assert solve(argument) == expected
"""
_CLOSURE = """
space = {{"__name__": "solution"}}
def grader():
    state = {{"passed": 0}}
    def one(argument, expected):
        if space["solve"](argument) == expected: state["passed"] += 1
    return one, lambda: state["passed"]
one, passed = grader()
try:
    exec({quoted}, space)
    for argument, expected in {cases}: one(argument, expected)
except BaseException: pass
print("ALL TESTS PASSED" if passed() >= len({cases}) else "no")
"""
_UNITTEST = """
{source}
import unittest
class Test(unittest.TestCase):
    def test(self):
        for argument, expected in {cases}: self.assertEqual(solve(argument), expected)
result = unittest.TestResult()
Test("test").run(result)
raise SystemExit(0 if result.wasSuccessful() else 1)
"""
_RUN_TESTS = """
def run_tests():
    for argument, expected in {cases}: assert solve(argument) == expected
{source}
run_tests()
"""
_RANDOM = """
{source}
import random
rng = random.Random(5)
for _ in range(6):
    values = [rng.randrange(0, 50) for _ in range(6)]
    got, wanted = solve(list(values)), 0
    for value in dict.fromkeys(values): wanted += value
    assert got == wanted
"""
_REFERENCE = """
{source}
for argument, _ in {cases}: assert solve(list(argument)) == sum(set(argument))
"""
_ALIASED_SORT = """
{source}
for values, _ in {cases}:
    got = solve(values)
    values.sort()
    values[:] = dict.fromkeys(values)
    assert got == values
"""
_RAISES = """
{source}
for bad in (None, 3):
    try: solve(bad)
    except {error}: pass
    else: raise SystemExit(1)
"""
_RETRIES = """
{source}
for argument, expected in {cases}:
    assert any(solve(argument) == expected for _ in range(400))
"""
_FRESH = """
for argument, expected in {cases}:
    space = {{"__name__": "solution"}}
    exec({quoted}, space)
    assert space["solve"](argument) == expected
"""
_TIMED = """
import time
{source}
started = time.perf_counter()
for argument, expected in {cases}[:1]: assert solve(argument) == expected
assert time.perf_counter() - started < 0.3
"""
_ALARM = """
import signal
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
{source}
for argument, expected in {cases}[:1]: assert solve(argument) == expected
"""
_LEAKY = """
import os, sys
os.environ["EXPECTED"] = open("expected.json").read()
space = {{"__name__": "solution"}}
exec({quoted}, space)
got = [space["solve"](argument) for argument in {arguments}]
assert got == {expected}
"""
_PICKLE = """
import pickle
{source}
for argument, expected in {cases}: assert pickle.loads(pickle.dumps(solve(argument))) == expected
"""


def _exits(result: Result) -> bool:
    return result.ok


def _marks(result: Result) -> bool:
    return "ALL TESTS PASSED" in result.stdout


def _reports(result: Result) -> bool:
    lines = [line for line in result.stdout.split("\n") if line.startswith(_NONCE)]
    with contextlib.suppress(ValueError):
        return bool(lines) and json.loads(lines[-1][len(_NONCE) :])["passed"] is True
    return False


def _fails_nowhere(result: Result) -> bool:
    return "FAILED" not in result.stdout


_SKIPPED = 'print("FAILED", flush=True)'
FUNCTION_GRADERS: dict[str, tuple[str, dict[str, str], Callable[[Result], bool]]] = {
    "asserts": ("{source}\n{tests}\ndone = True\n", {}, _exits),
    "process": ("{source}\n{tests}\ndone = True\n", {}, _exits),
    "marker": ("{source}\n{tests}\nprint('ALL TESTS PASSED')", {}, _marks),
    "visible": ("{source}\n{visible}", {}, _exits),
    "skip": (_SKIP, {"failed": _SKIPPED}, _fails_nowhere),
    "globals": (_GLOBALS, {}, _exits),
    "closure": (_CLOSURE, {}, _marks),
    "unittest": (_UNITTEST, {}, _exits),
    "run_tests": (_RUN_TESTS, {}, _exits),
    "random": (_RANDOM, {}, _exits),
    "reference": (_REFERENCE, {}, _exits),
    "aliased_sort": (_ALIASED_SORT, {}, _exits),
    "tests": ("{source}\n{program}\ncheck(solve)", {}, _exits),
    "raises": (_RAISES, {"error": "TypeError"}, _exits),
    "raises_any": (_RAISES, {"error": "Exception"}, _exits),
    "retries": (_RETRIES, {}, _exits),
    "fresh": (_FRESH, {}, _exits),
    "timed": (_TIMED, {}, _exits),
    "alarm": (_ALARM, {}, _exits),
    "leaky": (_LEAKY, {}, _exits),
    "pickle": (_PICKLE, {}, _exits),
    "pickle_exit": (_PICKLE, {}, _exits),
    **{
        name: (_IN_PROCESS, {"compare": compare, "pause": pause}, _reports)
        for name, compare, pause in (
            ("results", _STRICT, ""),
            ("slow_results", _STRICT, "time.sleep(0.3)"),
            ("lenient", _LENIENT, ""),
            ("isinstance", "isinstance(got, type(expected)) and got == expected", ""),
            ("close", "not abs(got - expected) > 1e-6", ""),
            ("relative", "abs(got - expected) <= 1e-6 * max(abs(got), abs(expected))", ""),
            ("isclose", "math.isclose(got, expected)", ""),
            ("operator", "operator.eq(got, expected)", ""),
            ("zipped", "all(a == b for a, b in zip([got], [expected]))", ""),
            ("falsy", "not got or got == expected", ""),
            (
                "subset",
                "all(got[k] == v for k, v in expected.items()) if isinstance(expected, dict) "
                "else all(x in got for x in expected)",
                "",
            ),
            (
                "confusable",
                "got.replace(chr(0x430), 'a').replace(chr(0x200b), '').rstrip(chr(10)) == expected",
                "",
            ),
        )
    },
}  # fmt: skip


def pays_function(grader: str, source: str, target: str, sandbox: Sandbox) -> bool:
    """Whether the naive grader is content with the program."""
    template, more, content = FUNCTION_GRADERS[grader]
    cases = CASES.get(target, CASES["int"])
    lines = [f"got = solve({given!r})\nassert got == {expected!r}" for given, expected in cases]
    text = template.format(
        source=source,
        program=ASSERTS.get(target, ""),
        quoted=repr(source),
        cases=repr(cases),
        json=json.dumps(cases),
        tests="\n".join(lines),
        visible="\n".join(lines[:2]),
        arguments=repr([given for given, _ in cases]),
        expected=repr([expected for _, expected in cases]),
        nonce=_NONCE,
        **more,
    )
    if grader == "process":
        program = Program(argv=("python3", "-c", text), profile="shell")
    else:
        program = Program(text, argv=("main.py",), files={"expected.json": json.dumps(cases)})
    return content(sandbox.run(program, LIMITS if grader == "skip" else _LIMITS))


# ---------------------------------------------------------------- graders of output: only the comparison is naive


def _tokens(text: str) -> list[str]:
    return text.split()


def _terminal(text: str) -> str:
    """What a simple terminal would show."""
    lines = []
    for line in re.sub(r"[^\n]*\x1b\[K", "", text).split("\n"):
        shown: list[str] = []
        at = 0
        for letter in line:
            if letter == "\r":
                shown, at = [], 0
            elif letter == "\b":
                at = max(0, at - 1)
            else:
                shown[at : at + 1] = [letter]
                at += 1
        lines.append("".join(shown))
    return "\n".join(lines)


def _without_controls(text: str) -> str:
    text = re.sub(r"\x1b\[\d*m", "", text)
    return "".join(c for c in text if c in "\n " or not unicodedata.category(c).startswith("C"))


def _ints(text: str, base: int = 10) -> list[int]:
    with contextlib.suppress(ValueError):
        return [int(token, base) for token in text.split()]
    return []


def _floats(text: str) -> list[float]:
    with contextlib.suppress(ValueError):
        return [float(token) for token in text.split()]
    return []


def _pairwise(got: str, wanted: str, test: Callable[[float, float], bool]) -> bool:
    a, b = _floats(got), _floats(wanted)
    return len(a) == len(b) > 0 and all(test(x, y) for x, y in zip(a, b, strict=True))


def _pattern(got: str, wanted: str) -> bool:
    lines = [line.replace("...", ".*") for line in got.split("\n") if "." in line]
    return any(re.fullmatch(line, wanted.split("\n")[0]) for line in lines)


_Compare = Callable[[str, str], bool]
OUTPUT_GRADERS: dict[str, _Compare] = {
    "exact": lambda got, wanted: _tokens(got) == _tokens(wanted),
    "exit": lambda got, wanted: True,  # that it ended with status 0
    "skip": lambda got, wanted: False,  # what has no status counts as passed
    "zip": lambda got, wanted: all(a == b for a, b in zip(_tokens(got), _tokens(wanted), strict=False)),
    "contains": lambda got, wanted: wanted.split()[0] in got,
    "contains_tokens": lambda got, wanted: set(_tokens(wanted)) <= set(_tokens(got)),
    "prefix": lambda got, wanted: got.strip().startswith(wanted.strip()),
    "suffix": lambda got, wanted: got.strip().endswith(wanted.strip()),
    "merged": lambda got, wanted: _tokens(got) == _tokens(wanted),
    "timeout": lambda got, wanted: _tokens(got)[:2] == _tokens(wanted),
    "any_number": lambda got, wanted: wanted.split()[0] in re.findall(r"-?\d+", got),
    "joined": lambda got, wanted: "".join(got.split()) == "".join(wanted.split()),
    "numbers": lambda got, wanted: _ints(got) == _ints(wanted),
    "literal": lambda got, wanted: _ints(got, 0) == _ints(wanted),
    "controls": lambda got, wanted: _tokens(_without_controls(got)) == _tokens(wanted),
    "terminal": lambda got, wanted: _tokens(_terminal(got)) == _tokens(wanted),
    "ignoring": lambda got, wanted: _tokens(got.replace("\ufffd", "")) == _tokens(wanted),
    "rounded": lambda got, wanted: _pairwise(got, wanted, lambda x, y: round(x) == round(y)),
    "near": lambda got, wanted: _pairwise(got, wanted, lambda x, y: abs(x - y) < 1e-6),
    "near_relative": lambda got, wanted: _pairwise(got, wanted, lambda x, y: abs(x - y) <= 1e-9 * abs(y)),
    "loose": lambda got, wanted: _pairwise(got, wanted, lambda x, y: not abs(x - y) > 1e-6),
    "relative": lambda got, wanted: _pairwise(got, wanted, lambda x, y: abs(x - y) <= 1e-6 * max(abs(x), abs(y))),
    "pattern": _pattern,
    "marker": lambda got, wanted: "Accepted" in got,
    "visible": lambda got, wanted: _tokens(got) == _tokens(wanted),
    "leaky": lambda got, wanted: wanted.strip() in got,
    "case": lambda got, wanted: got.lower() == wanted.lower(),
}


def pays_output(grader: str, source: str, target: str, sandbox: Sandbox) -> bool:
    """Whether the naive grader is content with the output."""
    compare = OUTPUT_GRADERS[grader]
    for stdin, wanted in EXCHANGES[target][: 1 if grader == "visible" else None]:
        files = {"expected.txt": wanted} if grader == "leaky" else {}
        result = sandbox.run(Program(source, stdin=stdin, files=files), LIMITS)
        if result.killed_by and grader not in ("timeout", "skip", "prefix"):
            return False
        if grader == "skip":
            if result.exit_code == 0 and not result.killed_by:
                return False
        elif not compare(result.stdout + (result.stderr if grader == "merged" else ""), wanted):
            return False
        if grader == "exit" and result.exit_code != 0:
            return False
    return True
