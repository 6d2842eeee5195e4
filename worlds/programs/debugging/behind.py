"""Functions that can be called and not read: they run in a sandbox program of their own, apart from the interpreter.

What is called is text of the library, in a program that only ever sees arguments. The agent's code runs in another one
and gets outcomes as plain data, so that no object, file or process of the first can be inspected from the second.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Limits, Program, Sandbox
from turnwise.worlds.programs.generated.literal import LiteralError, read_literal

__all__ = ["MAX_CASES", "Behind", "read_calls", "read_cases"]

MAX_CASES = 500
_LIMITS = Limits(wall_s=8.0, memory_mb=256, output_bytes=1 << 20)
_CALL = re.compile(r"([A-Za-z_][\w.]{0,80}) ?\((.*)\)", re.ASCII)
_RUNNER = """
import ast, signal


class TooLong(BaseException):
    pass


def stop(*_):
    raise TooLong


signal.signal(signal.SIGALRM, stop)
left = 300_000
for name, args in ast.literal_eval(open("cases.txt").read()):
    module, _, function = name.rpartition(".")
    called = getattr(__import__(module), function)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        outcome = ("returned", called(*args))
    except TooLong:
        outcome = ("endless", None)
    except Exception as error:
        outcome = ("raised", type(error).__name__)
    signal.setitimer(signal.ITIMER_REAL, 0)
    text = repr(outcome)
    left -= len(text)
    if left < 0:
        break
    print(text, flush=True)
"""
Case = tuple[str, tuple[Any, ...]]
"""A function as it is called, and the arguments."""


class Behind(NamedTuple):
    """Functions without a source.

    Attributes:
        files: The modules, which only the sandbox program of the calls gets.
        functions: The name in calls, and "module.function".
    """

    files: Mapping[str, str]
    functions: Mapping[str, str]

    def outcomes(self, cases: Sequence[Case], sandbox: Sandbox) -> list[str]:
        """Call functions in a fresh program; return the outcomes as Python literals, fewer if they take too long.

        An outcome is ("returned", value), ("raised", name of the exception) or ("endless", None).
        """
        named = [(self.functions[name], args) for name, args in cases]
        files = {**{f"{module}.py": source for module, source in self.files.items()}, "cases.txt": repr(named)}
        result = sandbox.run(Program(_RUNNER, files=files), _LIMITS)
        if result.lost:
            raise InfrastructureError("the program of the hidden functions was lost")
        return result.stdout.splitlines()


def read_calls(text: str, functions: Mapping[str, str]) -> list[Case]:
    """Read calls with literal arguments, one a line.

    Raises:
        ValueError: One is not such a call, or there are too many; the message says which.
    """
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    found = []
    for line in lines:
        match = _CALL.fullmatch(line)
        if match is None:
            raise ValueError(f"{line[:80]!r} is not a call; write one a line, such as {min(functions)}(1, [2])")
        inner = match[2].strip().removesuffix(",")
        value = _literal(f"({inner},)" if inner else "()", line)
        found.append((_known(match[1], functions), value if isinstance(value, tuple) else (value,)))
    return _few(found)


def read_cases(name: str, shown: str, functions: Mapping[str, str]) -> list[Case]:
    """Read the list of cases that a variable has, written as a literal: a tuple in it is several arguments.

    Raises:
        ValueError: It is not a list of plain data.
    """
    value = _literal(shown.strip(), shown)
    if not isinstance(value, (list, tuple)):
        raise ValueError("over must name a list: one item for each call, a tuple of arguments or the only argument")
    known = _known(name.strip().removesuffix("()"), functions)
    return _few([(known, item if isinstance(item, tuple) else (item,)) for item in value])


def _known(name: str, functions: Mapping[str, str]) -> str:
    if name not in functions:
        raise ValueError(f"{name[:80]} cannot be called here; what can be: {', '.join(functions)}")
    return name


def _literal(text: str, line: str) -> object:
    try:
        value = read_literal(text)
    except LiteralError as error:
        raise ValueError(f"the arguments of {line[:80]!r} are not literals: {error}") from error
    if re.search(r"\b(inf|nan)\b", repr(value)):
        raise ValueError("numbers must be finite")
    return value


def _few(cases: list[Case]) -> list[Case]:
    if not 1 <= len(cases) <= MAX_CASES:
        raise ValueError(f"there are {len(cases)} calls; it must be 1 to {MAX_CASES} in one message")
    return cases
