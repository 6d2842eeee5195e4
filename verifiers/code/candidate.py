"""A program under test: a conversation that is reopened if the program has ended or misbehaved."""

import builtins
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from turnwise.sandbox import Conversation, Limits, Program, Reply, Result, Sandbox
from turnwise.verifiers.code.budget import Budget
from turnwise.verifiers.code.feedback import at_line, one_line, why_ended, why_no_value
from turnwise.verifiers.code.program import MAX_SOURCE_CHARS

__all__ = ["LIMITS", "SOURCE_NAME", "Candidate"]

LIMITS = Limits(wall_s=5.0, memory_mb=512)
"""Default limits of one call or one run."""
SOURCE_NAME = "program.py"
_LOAD_S = 10.0  # imports are slow on a busy machine
_READ_S = 1.0  # of processor time: a call whose answer takes longer to read counts as stopped
_REFUSED_S = 0.1  # the same, if the answer turns out not to be plain data
_MAX_STOPPED = 3  # tests stopped by a limit before all further ones count as failed
_CALL, _ACT = "_turnwise_call", "_turnwise_act"
_INJECTION = """
import sys
space = {{"__name__": "calls"}}
exec(compile({source!r}, "<calls>", "exec"), space)
sys.modules["__main__"].__dict__.update({{{names}}})
"""


@cache
def _injection(source: str, names: tuple[tuple[str, str], ...]) -> str:
    """Write Python source that gives a loaded program functions of another source: names here, names there."""
    return _INJECTION.format(source=source, names=", ".join(f"{a!r}: space[{b!r}]" for a, b in names))


@cache
def _calls() -> str:
    source = Path(__file__).with_name("jailed_calls.py").read_text(encoding="utf-8")
    return _injection(source, ((_CALL, "call"), (_ACT, "act")))


class Candidate:
    """A Python program whose functions are called one input at a time. It is loaded on the first call.

    Args:
        source: The program, without expected values or tests.
        sandbox: Where it runs.
        limits: Limits of each call; loading may take ten seconds if ``wall_s`` is less.
        files: Files in its working directory at the start.
        fresh: Whether every call gets a freshly loaded program.
        budget: The budget of all calls; None: that of a single test.
    """

    def __init__(
        self,
        source: str,
        sandbox: Sandbox,
        limits: Limits,
        files: Mapping[str, bytes | str],
        fresh: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self._program = Program(source.removeprefix("\ufeff"), files=files, name=SOURCE_NAME)
        self._sandbox = sandbox
        self._limits = limits
        self._load_limits = replace(limits, wall_s=max(limits.wall_s, _LOAD_S))
        self._fresh = fresh
        self.budget = budget or Budget(limits.wall_s, 1)
        self._live: Conversation | None = None
        self._helped = False
        self._stopped = 0
        self._problem = ""
        self._loaded = Result()
        if len(source) > MAX_SOURCE_CHARS:
            self._problem = f"the program has {len(source)} characters: at most {MAX_SOURCE_CHARS}"

    def call(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, object], after: bool = False) -> Reply:
        """Call a function; ``reply.error`` says why there is no value.

        Args:
            name: As `Conversation.call`, but never one of Python's own functions.
            args: Plain data.
            kwargs: Plain data.
            after: Whether the value is the tuple of the returned value and the list of arguments as the call left them.
        """
        if after or hasattr(builtins, name.partition(".")[0]):
            reply = self._ask(_CALL, name, list(args), dict(kwargs))
            if after or reply.error:
                return reply
            pair = reply.value
            return reply._replace(value=pair[0] if type(pair) is tuple and len(pair) == 2 else pair)
        return self._ask(name, *args, kwargs=kwargs)

    def act(self, op: str, target: int, name: str, args: list[Any], kwargs: dict[str, Any]) -> Reply:
        """Perform one operation on the program or on one of its objects: see ``jailed_calls.act``."""
        return self._ask(_ACT, op, target, name, args, kwargs)

    def beside(self, source: str, name: str, args: tuple[Any, ...], wall_s: float) -> Reply:
        """Call a function of another source in the program's own process."""
        own = f"_turnwise_{name}"
        return self._ask(own, *args, wall_s=wall_s, inject=_injection(source, ((own, name),)))

    def _ask(
        self,
        name: str,
        *args: object,
        kwargs: Mapping[str, object] = {},
        wall_s: float | None = None,
        inject: str = "",
    ) -> Reply:
        if not self._problem and self._stopped >= _MAX_STOPPED:
            self._problem = f"not run: {_MAX_STOPPED} earlier tests were stopped by limits"
        self._problem = self._problem or self.budget.problem
        if not self._problem and self._live is None:
            self._open()
        if self._live is None or self._problem:
            return Reply(None, self._problem, self._loaded)
        if inject or (name in (_CALL, _ACT) and not self._helped):
            self._live.call("__builtins__.exec", inject or _calls())
            self._helped = True
        started = time.thread_time()
        reply = self._live.call(name, *args, kwargs=kwargs, wall_s=wall_s or self._limits.wall_s)
        self.budget.spend(reply.result, self._limits)
        if reply.result.killed_by or time.thread_time() - started > (_REFUSED_S if reply.error else _READ_S):
            self._stopped += 1
        if self._fresh or reply.result.killed_by or reply.result.lost:
            self.close()
        return reply._replace(error=why_no_value(reply, self._limits, SOURCE_NAME)) if reply.error else reply

    def _open(self) -> None:
        live = self._sandbox.converse(self._program, self._load_limits)
        started = live.started
        self.budget.spend(started, self._load_limits)
        if started.exit_code == 0 and not started.lost and not started.killed_by:
            self._live, self._helped = live, False
            return
        live.close()
        self._loaded = started
        ended = why_ended(started, self._load_limits)
        if ended:
            self._problem = f"{ended} while it was loaded"
        elif started.lost:
            self._problem = "ended while it was loaded"
        else:
            last = one_line(started.stderr.rstrip().rpartition("\n")[2])
            self._problem = f"could not be loaded: {last}{at_line(started.stderr, SOURCE_NAME)}"

    def close(self) -> None:
        """End the program."""
        live, self._live = self._live, None
        if live is not None:
            live.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
