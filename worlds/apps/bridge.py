r"""Runs a program's turns in a sandbox, whose calls of apps are carried out here.

The program runs in a thread of a jailed interpreter. What it wants of an app leaves the jail as plain data, as the
return value of the function that was called last; the result goes in as the argument of the next call. Nothing else is
shared: the rows, the checks and other episodes are on this side. Whatever the program forges is a request, and is
checked as one.
"""

import copy
import time
from typing import Any

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Conversation, Limits, Program, shared_sandbox
from turnwise.worlds.apps.api import ApiError, Apps

__all__ = ["Ran", "Turns"]

MAX_REQUESTS = 3000
_LOADED = Program(r'''
import _thread, io, sys, traceback
class ApiError(Exception):
    """What an app answers to a request that it does not carry out."""
    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status, self.message = status, message
def _made():
    go, back, box = _thread.allocate_lock(), _thread.allocate_lock(), [None, None, None]
    go.acquire(); back.acquire()
    def request(app, api, given):
        box[0] = ["call", app, api, given]
        back.release(); go.acquire()
        ok, value = box[1]
        if not ok:
            raise ApiError(*value)
        return value
    class App:
        def __init__(self, name): self.__dict__["_name"] = name
        def __getattr__(self, api):
            if api.startswith("__"): raise AttributeError(api)
            name = self._name
            def call(**given): return request(name, api, given)
            return call
    class Apps:
        def __getattr__(self, name):
            if name.startswith("__"): raise AttributeError(name)
            return App(name)
    space = {"__name__": "__main__", "apps": Apps(), "ApiError": ApiError}
    class Output(io.TextIOBase):
        left, parts = 40000, []
        def write(self, text):
            self.parts.append(text[:max(self.left, 0)]); self.left -= len(text); return len(text)
    def run(code):
        out, failed = Output(), False
        out.parts = []
        sys.stdout = sys.stderr = out
        try:
            exec(compile(code, "<turn>", "exec", dont_inherit=True), space)
        except BaseException as error:
            failed = True
            lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == "<turn>"]
            where = f"line {lines[-1]}: " if lines else ""
            out.write(where + "".join(traceback.format_exception_only(error)))
        box[0] = ["done", "".join(out.parts), failed]
        back.release()
    def start(code):
        _thread.start_new_thread(run, (code,))
        back.acquire(); return box[0]
    def answer(ok, value):
        box[1] = (ok, value)
        go.release(); back.acquire(); return box[0]
    return start, answer
start, answer = _made()
''')  # fmt: skip


class Ran:
    """How a turn has ended: its output, and whether it failed or the interpreter was lost."""

    def __init__(self, output: str, failed: bool, lost: bool = False, calls: int = 0) -> None:
        self.output, self.failed, self.lost, self.calls = output, failed, lost, calls


class Turns:
    """An interpreter that starts when it is first used, and that can be copied and pickled.

    A copy repeats the turns when it is used, with the same answers of the apps, which are not asked again.

    Args:
        wall_s: Seconds for a turn.
        sandbox: The name of the shared sandbox.
    """

    def __init__(self, wall_s: float, sandbox: str) -> None:
        self.wall_s = wall_s
        self.sandbox = sandbox
        self.log: list[tuple[str, list[tuple[bool, Any]]]] = []
        self._live: Conversation | None = None

    def __deepcopy__(self, memo: object) -> "Turns":
        twin = Turns(self.wall_s, self.sandbox)
        twin.log = list(self.log)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_live": None}

    def close(self) -> None:
        """End the interpreter."""
        live, self._live = self._live, None
        if live is not None:
            live.close()

    def run(self, code: str, apps: Apps) -> Ran:
        """Run code; its calls are carried out on ``apps``."""
        live = self._started()
        answers: list[tuple[bool, Any]] = []
        until = time.monotonic() + self.wall_s
        asked: tuple[str, tuple[Any, ...]] = ("start", (code,))
        while True:
            left = until - time.monotonic()
            if left <= 0 or len(answers) > MAX_REQUESTS:
                return self._lost("the turn took too long" if left <= 0 else f"more than {MAX_REQUESTS} calls", answers)
            reply = live.call(asked[0], *asked[1], wall_s=left)
            if reply.error or reply.result.lost or type(reply.value) not in (list, tuple):
                return self._lost(reply.result.killed_by or "the interpreter ended", answers)
            said = list(reply.value)
            if len(said) == 3 and said[0] == "done":
                self.log.append((code, answers))
                return Ran(str(said[1])[:40_000], bool(said[2]), calls=len(answers))
            answers.append(_carried_out(apps, said))
            asked = ("answer", copy.copy(answers[-1]))

    def _lost(self, why: str, answers: list[tuple[bool, Any]]) -> Ran:
        self.close()
        self.log = []
        return Ran(f"Stopped: {why}. The interpreter was started afresh.", True, True, len(answers))

    def _started(self) -> Conversation:
        if self._live is None:
            limits = Limits(wall_s=self.wall_s + 5, memory_mb=256)
            live = self._live = shared_sandbox(self.sandbox).converse(_LOADED, limits)
            if not live.started.ok:
                raise InfrastructureError(f"the interpreter did not start: {live.started.stderr[-300:]}")
            for code, answers in self.log:
                for name, given in [("start", (code,)), *(("answer", each) for each in answers)]:
                    live.call(name, *given)
        return self._live


def _carried_out(apps: Apps, said: list[Any]) -> tuple[bool, Any]:
    """Carry out what a program has asked for, which may be anything."""
    if len(said) != 4 or said[0] != "call" or type(said[3]) is not dict:
        return False, [400, "the request cannot be read"]
    try:
        return True, apps.call(said[1], said[2], said[3])
    except ApiError as error:
        return False, [error.status, error.message]
