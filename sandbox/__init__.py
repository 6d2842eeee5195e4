r"""Runs untrusted programs: see docs/sandbox.md for what each backend keeps out.

>>> from turnwise.sandbox import Program, make_sandbox
>>> with make_sandbox() as sandbox:  # doctest: +SKIP
...     sandbox.run(Program("print(6 * 7)")).stdout
'42\n'
"""

from turnwise.sandbox.client.durable import DurableSession
from turnwise.sandbox.client.named import make_sandbox
from turnwise.sandbox.client.shared import SANDBOX_VARIABLE, check_sandbox, shared_sandbox, use_sandbox
from turnwise.sandbox.interface.records import Limits, Profile, Program, Reply, Result
from turnwise.sandbox.interface.sandbox import REQUIRED, Conversation, Sandbox, Session, Unsafe
from turnwise.sandbox.wire.tree import Entry

if __name__ != "turnwise.sandbox":
    raise ImportError("the folder sandbox/ is imported as turnwise.sandbox")

__all__ = [
    "REQUIRED",
    "SANDBOX_VARIABLE",
    "Conversation",
    "DurableSession",
    "Entry",
    "Limits",
    "Profile",
    "Program",
    "Reply",
    "Result",
    "Sandbox",
    "Session",
    "Unsafe",
    "check_sandbox",
    "make_sandbox",
    "shared_sandbox",
    "use_sandbox",
]
