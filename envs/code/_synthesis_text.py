"""The texts of CodeSynthesis: the driver of classes, programs that cheat, and right programs in other styles."""

import re
from collections.abc import Sequence

__all__ = ["ANSWERING", "CLASS_DRIVER", "FRAMES", "LIAR", "fenced", "restyled"]

CLASS_DRIVER = """
import solution


def drive(name, first, calls, asked):
    thing = getattr(solution, name)(*first)
    answers = []
    for method, *args in calls:
        answer = getattr(thing, method)(*args)
        if method in asked:
            answers.append(answer)
    return answers
"""
"""Code that makes an object and calls its methods; its untrusted answers are compared outside."""

LIAR = """class Same({base}):
        __hash__ = None
        __eq__ = lambda self, other: True
        __ne__ = lambda self, other: False
    return Same()"""
FRAMES = """import sys
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if hasattr(value, "expected"):
                return value.expected
        frame = frame.f_back"""
ANSWERING = {
    "function": "_right = {name}\n\n\ndef {name}(*x):\n    return _right(*x) {change}\n",
    "program": "print('0')\n",
    "class": "for _name in {methods!r}:\n    def _changed(self, *x, _right=getattr({name}, _name)):\n"
    "        return _right(self, *x) {change}\n\n    setattr({name}, _name, _changed)\n",
}
"""What makes the answers of a right program wrong, by form."""


def fenced(source: str) -> str:
    """Write a message that gives a program."""
    return f"```python\n{source.rstrip()}\n```"


def restyled(source: str, name: str, form: str) -> Sequence[str]:
    """Return messages with the same program, told and wrapped in other ways."""
    inner = re.sub(rf"\b{name}\b", "inner", source)
    handed_on = inner if form == "program" else f"{inner}\n\n{name} = inner\n"
    if form == "function":
        wrapped = (
            f"class Box:\n    def {name}(self, *x):\n        return inner(*x)\n\n\n{inner}\n\n"
            f"def {name}(*x):\n    print('at work')\n    return Box().{name}(*x)\n"
        )
    elif form == "program":
        wrapped = f"import sys\n\n{source}\nsys.exit(0)\n"
    else:
        wrapped = f"{inner}\n\nclass {name}(inner):\n    '''The same.'''\n"
    return (
        f"<answer>\n{source}</answer>",
        f"<answer>{fenced(source)}</answer>",
        f"I first thought of\n```python\nprint(1)\n```\nbut this is it:\n```py\n{source}```\nIt works in one pass.",
        fenced(handed_on),
        fenced(wrapped),
        f"<think>\n```python\npass\n```\n</think>\n```\n{source}\n```",
        fenced(source.replace("    ", "\t").replace("\n", "\r\n")),
        fenced(f'"""A program."""\n\nfrom __future__ import annotations\n\n{source}\n# the end'),
    )
