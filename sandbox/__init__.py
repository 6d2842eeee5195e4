r"""Runs programs that nobody trusts: see docs/sandbox.md for what each backend keeps out.

>>> from turnwise.sandbox import Program, make_sandbox
>>> with make_sandbox() as sandbox:  # doctest: +SKIP
...     sandbox.run(Program("print(6 * 7)")).stdout
'42\n'
"""

from turnwise.sandbox.api import (
    REQUIRED,
    Conversation,
    Entry,
    Limits,
    Profile,
    Program,
    Reply,
    Result,
    Sandbox,
    Session,
    Unsafe,
)
from turnwise.sandbox.backends import make_sandbox

if __name__ != "turnwise.sandbox":
    raise ImportError("the folder sandbox/ is imported as turnwise.sandbox")

__all__ = [
    "REQUIRED",
    "Conversation",
    "Entry",
    "Limits",
    "Profile",
    "Program",
    "Reply",
    "Result",
    "Sandbox",
    "Session",
    "Unsafe",
    "make_sandbox",
]
