"""Specifications as questions, and the two forms of programs: functions, or programs that read and print."""

from collections.abc import Sequence
from typing import Any, Literal

from turnwise.core.draw import Draw
from turnwise.worlds.programs.specifications.steps import Spec, Stage, phrase, program
from turnwise.worlds.programs.specifications.types import GIVES, TAKES

__all__ = [
    "CAN_PRINT",
    "CAN_READ",
    "NAMES",
    "FormOfProgram",
    "fenced",
    "name_of",
    "question_lines",
    "source_of",
    "written",
]

NAMES = ("solve", "transform", "process", "compute", "convert", "evaluate", "work_out", "answer_for")
FormOfProgram = Literal["function", "program"]
_READ = {
    "ints": (
        "[int(v) for v in input().split()]",
        "as one line, with spaces between them (an empty line if there are none)",
    ),
    "words": ("input().split()", "as one line, with spaces between them (an empty line if there are none)"),
    "text": ("input()", "as one line"),
    "moves": ("input()", "as one line"),
    "int": ("int(input())", "as one line"),
}
_SPREAD = "on one line, with one space between items (an empty line if there are none)"
_PRINT = {
    "ints": _SPREAD, "words": _SPREAD, "names": _SPREAD, "int": "on one line", "text": "as one line", "letters":
    "as one line",
    "moves": "as one line",
}  # fmt: skip
CAN_READ, CAN_PRINT = tuple(_READ), tuple(_PRINT)
"""Types that a program can read and print."""


def fenced(source: str) -> str:
    """Write a message that gives a program."""
    return f"```python\n{source.rstrip()}\n```"


def name_of(seed: int) -> str:
    """Return the name of a task's function."""
    return Draw("name", seed).choice(NAMES)


def written(value: Any) -> str:
    """Write a value as a line that a program reads or prints.

    >>> written([1, -2]), written("ab"), written([])
    ('1 -2', 'ab', '')
    """
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def source_of(spec: Spec, code: Sequence[Stage], name: str, form: FormOfProgram = "function") -> str:
    """Write the stages as a complete program."""
    source = program(code, name, TAKES[spec.takes].argument)
    if form == "function":
        return source
    star = "*" if _PRINT[spec.gives] == _SPREAD else ""
    return f"{source}\n\nprint({star}{name}({_READ[spec.takes][0]}))\n"


def question_lines(spec: Spec, seed: int, form: FormOfProgram = "function", *, steps: bool = True) -> list[str]:
    """Describe the argument, the result and, if wanted, the steps."""
    kind, name = TAKES[spec.takes], name_of(seed)
    result = "the result of the last of these steps, each applied to the result of the step before"
    if len(spec.steps) == 1:
        result = "the result of this step"
    if form == "function":
        ends = f": {result}." if steps else "."
        lines = [f"`{name}({kind.argument})` takes `{kind.argument}`: {kind.say}. It returns {GIVES[spec.gives]}{ends}"]
    else:
        reads = f"The program reads `{kind.argument}` from standard input, {_READ[spec.takes][1]}: {kind.say}."
        lines = [f"{reads} It prints, {_PRINT[spec.gives]}, {result}."]
    draw = Draw("wording", seed)
    for number, step in enumerate(spec.steps if steps else (), 1):
        lines.append(f"{number}. {phrase(step, draw.below(60))}")
    return lines
