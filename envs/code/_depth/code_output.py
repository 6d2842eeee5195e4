"""Agents that measure how much of a program has to be followed in CodeOutput; they see only what a model sees.

The shortcuts answer what stands in the program. The skills run it, and lose patience after some lines, as a reader
does: a question for an input gets forty times as many. "Systematic" is the most patient of them.
"""

import ast
import builtins
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.core.draw import Draw
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.generated.domain import ALPHABETS, Domain

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_OUTPUT = re.compile(r"What does (\w+)\((.*)\) return\?$", re.MULTILINE)
_INPUT = re.compile(r"for which (\w+)\(.*\) returns (.*)\. Any solution is")
_TRACE = re.compile(
    r"^(\w+)\((.*)\) is called\. What is the value of (\w+) .*? in line (\d+) .* has run (\d+) times", re.M
)
_DOMAIN = re.compile(r"^- \w+ is (an?) (\w+)(.*)\.$", re.MULTILINE)
_TRIES = 40  # times as many lines may be followed to find an input
_FILE = "<followed>"


class _Impatient(BaseException):
    """The program has been followed for long enough."""


def _code(prompt: str) -> str:
    found = _CODE.search(prompt)
    return found[1] if found else ""


# ---- following a program --------------------------------------------------------------------------------------------


class _Reader:
    """Runs programs line by line, at most so many lines in all."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.lines: list[int] = []

    def run(self, source: str, call: str, space: dict[str, Any] | None = None) -> Any:
        """Return the value of a call; raise `_Impatient` if it takes too many lines."""
        space = {"__name__": "program"} if space is None else space
        exec(compile(source, _FILE, "exec"), space)
        before = sys.gettrace()
        sys.settrace(self._watch)
        try:
            return eval(call, space)
        finally:
            sys.settrace(before)

    def _watch(self, frame: Any, event: str, _: object) -> Any:
        if frame.f_code.co_filename != _FILE:
            return None
        if event == "line":
            self.left -= 1
            self.lines.append(frame.f_lineno)
            if self.left < 0:
                raise _Impatient
        return self._watch


def _follow(prompt: str, reader: _Reader, change: Callable[[str], str]) -> Any:
    source = change(_code(prompt))
    if found := _TRACE.search(prompt):
        name, args, variable, line, rounds = found.groups()
        log: list[Any] = []
        tree = parse(source)
        for node in ast.walk(tree):
            if isinstance(node, (ast.For, ast.While)) and node.lineno == int(line):
                node.body += parse(f"_log({variable})").body
        text = ast.unparse(ast.fix_missing_locations(tree))
        reader.run(text, f"{name}({args})", {"_log": lambda value: log.append(repr(value))})
        return ast.literal_eval(log[int(rounds) - 1])
    if found := _OUTPUT.search(prompt):
        return reader.run(source, f"{found[1]}({found[2]})")
    return None


def _searched(prompt: str, reader: _Reader, change: Callable[[str], str]) -> str:
    found = _INPUT.search(prompt)
    assert found is not None
    source, wanted = change(_code(prompt)), ast.literal_eval(found[2])
    domains = [_domain(*words) for words in _DOMAIN.findall(prompt)]
    draw = Draw("inputs", prompt)
    while True:
        args = ", ".join(repr(domain.draw(draw)) for domain in domains)
        if reader.run(source, f"{found[1]}({args})") == wanted:
            return args


def _domain(_: str, kind: str, rest: str) -> Domain:
    numbers = [int(number) for number in re.findall(r"-?\d+", rest)]
    if kind == "integer":
        return Domain("int", numbers[0], numbers[1])
    if kind == "list":
        *sizes, low, high = numbers
        least, most = sizes[0], sizes[-1]
        return Domain("ints" if "integers" in rest else "words", low, high, least, most)
    alphabet = next(name for name, (words, _) in ALPHABETS.items() if rest.endswith(words))
    return Domain("str", 0, 0, numbers[0], numbers[1], alphabet)


def _answer(lines: int, change: Callable[[str], str], heard: Sequence[str], turn: int) -> str:
    prompt = heard[0]
    asked = _INPUT.search(prompt) is not None
    reader = _Reader(lines * _TRIES if asked else lines)
    try:
        text = _searched(prompt, reader, change) if asked else repr(_follow(prompt, reader, change))
    except (_Impatient, Exception):
        text = "0"
    return f"<answer>{text}</answer>"


class _Unconditional(ast.NodeTransformer):
    """Takes every condition for true."""

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        return ast.If(ast.Constant(True), node.body, node.orelse)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        return ast.comprehension(node.target, node.iter, [], node.is_async)


def _without_conditions(source: str) -> str:
    return ast.unparse(ast.fix_missing_locations(_Unconditional().visit(parse(source))))


# ---- shortcuts ------------------------------------------------------------------------------------------------------


def _constants(prompt: str) -> list[Any]:
    """Return the plain values that stand in the program and in the question, in their order."""
    found: list[Any] = []
    for node in ast.walk(parse(_code(prompt))):
        if isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Dict)):
            try:
                found.append((node.lineno, node.col_offset, ast.literal_eval(node)))
            except ValueError:
                continue
    return [value for *_, value in sorted(found, key=lambda item: item[:2])]


def _last_literal(prompt: str) -> Any:
    return (_constants(prompt) or [0])[-1]


def _most_frequent(prompt: str) -> Any:
    counts = Counter(repr(value) for value in _constants(prompt))
    return ast.literal_eval(counts.most_common(1)[0][0]) if counts else 0


def _length(prompt: str) -> Any:
    sizes = [len(value) for value in [_given(prompt), *_constants(prompt)] if isinstance(value, (str, list, tuple))]
    return max(sizes, default=0)


def _given(prompt: str) -> Any:
    found = _OUTPUT.search(prompt) or _TRACE.search(prompt) or _INPUT.search(prompt)
    text = found[2] if found else "0"
    return ast.literal_eval(text) if text else ()


class _Anything(dict[str, Any]):
    """Names that are not known stand for the data."""

    def __init__(self, known: Mapping[str, Any], data: Any) -> None:
        self.known, self.data = known, data

    def __missing__(self, name: str) -> Any:
        if name in self.known or hasattr(builtins, name):
            raise KeyError(name)
        return self.data


def _last_line(prompt: str) -> Any:
    """Evaluate the last line alone, with the data in place of what was computed before.

    The program is the task's own, as our generator wrote it; nothing that a model says gets here.
    """
    source = _code(prompt)
    space: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, _FILE, "exec"), space)
    data = [value for name, value in space.items() if name.isupper()] or [_given(prompt)]
    expression = source.rstrip().rpartition("\n")[2].strip().removeprefix("return ")
    return eval(expression, space, _Anything(space, data[-1]))


def _shortcut(name: str, pick: Callable[[str], Any]) -> Callable[[], Agent]:
    def read(heard: Sequence[str], turn: int) -> str:
        try:
            value = pick(heard[0])
        except Exception:  # part of a program, run out of place, raises whatever it likes
            value = 0
        several = isinstance(value, tuple) and len(value) > 1 and "Find arguments" in heard[0]
        return f"<answer>{', '.join(map(repr, value)) if several else repr(value)}</answer>"

    return lambda: Shortcut(read, name)


def _same(source: str) -> str:
    return source


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "last literal": _shortcut("last literal", _last_literal),
    "most frequent value": _shortcut("most frequent value", _most_frequent),
    "length of the data": _shortcut("length of the data", _length),
    "what is given": _shortcut("what is given", _given),
    "the last line alone": _shortcut("the last line alone", _last_line),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "takes conditions for true": lambda: Shortcut(partial(_answer, 150, _without_conditions), "conditions"),
    "follows 25 lines": lambda: Shortcut(partial(_answer, 25, _same), "follows 25 lines"),
    "follows 75 lines": lambda: Shortcut(partial(_answer, 75, _same), "follows 75 lines"),
    "systematic": lambda: Shortcut(partial(_answer, 150, _same), "systematic"),
}


def extent(env: Any) -> tuple[int, int]:
    """Steps: lines that are executed. Facts: different lines among them."""
    reader = _Reader(10**6)
    reader.run(env.task.source, env.call())
    return len(reader.lines), len(set(reader.lines))
