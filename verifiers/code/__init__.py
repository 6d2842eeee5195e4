"""Judge programs by running them in a sandbox; docs/code.md explains what each kind of test shows.

>>> from turnwise.verifiers.code import Example, verify_function
>>> verify_function("def add(a, b): return a + b", "add", [Example((1, 2), {}, 3)]).correct
True
"""

from turnwise.verifiers.code.asserts import TestFormatError, verify_asserts
from turnwise.verifiers.code.candidate import LIMITS
from turnwise.verifiers.code.compare import (
    approximately,
    same_loosely,
    same_numbers,
    same_unordered,
    same_value,
    unordered,
)
from turnwise.verifiers.code.feedback import Failure, shown, shown_value
from turnwise.verifiers.code.function import Example, verify_against, verify_function, verify_property
from turnwise.verifiers.code.program import read_program
from turnwise.verifiers.code.stdio import Exchange, same_output, verify_stdio

__all__ = [
    "LIMITS",
    "Example",
    "Exchange",
    "Failure",
    "TestFormatError",
    "approximately",
    "read_program",
    "same_loosely",
    "same_numbers",
    "same_output",
    "same_unordered",
    "same_value",
    "shown",
    "shown_value",
    "unordered",
    "verify_against",
    "verify_asserts",
    "verify_function",
    "verify_property",
    "verify_stdio",
]
