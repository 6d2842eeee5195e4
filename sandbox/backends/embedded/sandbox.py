"""The embedded sandbox: wardens of this machine, no container engine, no privileges needed. Linux only."""

import os
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypeVar

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.core.settings import check_arguments
from turnwise.sandbox.backends.embedded import host
from turnwise.sandbox.backends.embedded.handle import BOUNDS, Broken, WardenHandle
from turnwise.sandbox.backends.embedded.line import Line, Tree
from turnwise.sandbox.backends.embedded.session import EmbeddedConversation, EmbeddedSession
from turnwise.sandbox.interface.records import DEFAULT_LIMITS, Limits, Profile, Program, Result, check_path
from turnwise.sandbox.interface.sandbox import REQUIRED, Sandbox, Unsafe, require_layers
from turnwise.sandbox.wire.values import MAX_BYTES

__all__ = ["PRELOAD", "EmbeddedSandbox"]

PRELOAD = ("bisect", "collections", "functools", "heapq", "itertools", "math", "random", "re", "string", "typing")
"""Modules that every program finds imported already, so that importing them costs it nothing."""
_TRIES = 4
_SPARE = 8  # wardens that are kept for the next sessions
_Done = TypeVar("_Done")


class EmbeddedSandbox(Sandbox):
    r"""Programs in jailed children of wardens: namespaces, Landlock, seccomp, limits, a user of their own.

    Wardens are started when they are needed, and reused. One that breaks is replaced, and its work is done again. After
    a fork of this process, each side has its own wardens. They end with this process, however it ends.

    Args:
        workers: Most programs at a time; None: one per processor. Sessions use further wardens.
        require: Layers that must be in force, see ``REQUIRED``; () accepts any.
        packages: Installed distributions that programs may import, with what they require. No others are visible.
        preload: Modules that programs find imported already; worth it for heavy ones such as numpy.
        python: The interpreter that runs the programs; None: this one.
        readable: Further files and directories of this machine that programs may read and execute.
        limits: Limits that wardens start with; others cost a change of mounts at their first use.
        strategy: "root", "user" or "none" (namespaces made by who may administer the machine, by who may not, none);
            None: the first that works.
        alone: Whether it has a container for itself and runs one program of the profile "shell" at a time, so that the
            container's limit of memory is that of all its processes together.

    Raises:
        Unsafe: A required layer is not in force here.
        InfrastructureError: No warden could be started.

    >>> with EmbeddedSandbox(workers=1) as sandbox:  # doctest: +SKIP
    ...     sandbox.run(Program("print(6 * 7)")).stdout
    '42\n'
    """

    name = "embedded"

    def __init__(
        self,
        workers: int | None = None,
        require: Collection[str] = REQUIRED,
        packages: Sequence[str] = (),
        preload: Sequence[str] = PRELOAD,
        python: str | None = None,
        readable: Sequence[str] = (),
        limits: Limits = DEFAULT_LIMITS,
        strategy: Literal["root", "user", "none"] | None = None,
        alone: bool = False,
    ) -> None:
        if sys.platform != "linux":
            raise Unsafe(f"the embedded sandbox needs Linux, this is {sys.platform}")
        check_arguments(EmbeddedSandbox.__init__, strategy=strategy)
        self.workers = workers or len(os.sched_getaffinity(0))
        self.require = frozenset(require)
        where = host.interpreter(python)
        self._python = where["executable"]
        self._strategy = strategy
        self._settings: dict[str, Any] = {
            **host.layout(where, readable),
            "executable": where["executable"],
            "site": host.packages(packages),
            "preload": list(preload),
            "alone": alone,
            **{name: getattr(limits, name) for name in BOUNDS},
        }
        self._layers: dict[str, frozenset[str]] = {}
        self._known: dict[str, dict[str, list[str]]] = {}  # what the first warden has found out
        self._reset()
        _LIVING.add(self)
        self._put(self._start("shell" if alone else "python"))

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._running = threading.BoundedSemaphore(self.workers)
        self._idle: dict[str, list[WardenHandle]] = {"python": [], "shell": []}
        self._all: weakref.WeakSet[WardenHandle] = weakref.WeakSet()
        self._closed = False

    def _start(self, profile: str) -> WardenHandle:
        known = self._known.get(profile, {})
        warden = WardenHandle(self._python, {**self._settings, "profile": profile, "known": known}, self._strategy)
        try:
            require_layers(warden.layers, self.require, f"the embedded sandbox, profile {profile!r}")
        except Unsafe:
            warden.close()
            raise
        self._layers[profile] = warden.layers
        self._known[profile] = {"facts": warden.facts, "layers": sorted(warden.layers)}
        with self._lock:
            self._all.add(warden)
        return warden

    def _take(self, profile: str) -> WardenHandle:
        while True:
            with self._lock:
                if self._closed:
                    raise UsageError("the sandbox is closed")
                warden = self._idle[profile].pop() if self._idle[profile] else None
            if warden is None:
                return self._start(profile)
            if warden.alive:
                return warden
            warden.close()

    def _put(self, warden: WardenHandle) -> None:
        with self._lock:
            if not self._closed and len(self._idle[warden.config["profile"]]) < 4 * self.workers + _SPARE:
                self._idle[warden.config["profile"]].append(warden)
                return
        warden.close()

    def _with_warden(self, profile: str, work: Callable[[WardenHandle], _Done]) -> _Done:
        """Do some work with a warden, and again with another one if it breaks."""
        for attempt in range(_TRIES):
            warden = self._take(profile)
            try:
                return work(warden)
            except Broken as error:
                warden.close()
                if attempt == _TRIES - 1:
                    raise InfrastructureError(f"the sandbox broke {_TRIES} times: {error}") from error
            except BaseException:
                warden.close()  # interrupted in the middle of something: its answers would be taken for others
                raise
        raise AssertionError("unreachable")

    @property
    def layers(self) -> frozenset[str]:
        return self.layers_of("python")

    def layers_of(self, profile: Profile) -> frozenset[str]:
        if profile not in self._layers:
            self._put(self._start(profile))
        return self._layers[profile]

    def run(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Result:
        def work(warden: WardenHandle) -> Result:
            result = warden.run(program, limits)
            self._put(warden)
            return result

        with self._running:
            return self._with_warden(program.profile, work)

    def _line(self, profile: str, limits: Limits, files: Mapping[str, bytes | str], name: str, most: int) -> Line:
        def work(warden: WardenHandle) -> Line:
            return Line.open(Tree(warden, self._put), limits, files, name, most)

        for path in files:
            check_path(path)
        return self._with_warden(profile, work)

    def converse(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> EmbeddedConversation:
        if program.source is None:
            raise SettingsError("a conversation needs a program with source")
        line = self._line(program.profile, limits, program.files, program.name, MAX_BYTES)
        return EmbeddedConversation(line, limits, program)

    def session(
        self,
        limits: Limits = DEFAULT_LIMITS,
        profile: Profile = "python",
        files: Mapping[str, bytes | str] | None = None,
        checkpoint: bool = False,
    ) -> EmbeddedSession:
        return self._session("execute", limits, profile, files or {}, checkpoint)

    def shell(self, limits: Limits = DEFAULT_LIMITS, files: Mapping[str, bytes | str] | None = None) -> EmbeddedSession:
        return self._session("shell", limits, "shell", files or {}, False)

    def _session(
        self, op: str, limits: Limits, profile: Profile, files: Mapping[str, bytes | str], checkpoint: bool
    ) -> EmbeddedSession:
        if checkpoint and profile != "shell":
            raise SettingsError("checkpoint=True forks the session: it needs profile='shell'")

        def start() -> Line:
            return self._line(profile, limits, files, "session", 0)

        return EmbeddedSession(start(), limits, op, checkpoint, start)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            wardens = list(self._all)
            self._idle = {"python": [], "shell": []}
        for warden in wardens:
            warden.hang_up()
        for warden in wardens:
            warden.close()

    def _after_fork(self) -> None:
        for warden in list(self._all):
            warden.close()
        closed = self._closed
        self._reset()
        self._closed = closed

    def __del__(self) -> None:
        if getattr(self, "_lock", None) is not None and not self._closed:
            self.close()


_LIVING: weakref.WeakSet[EmbeddedSandbox] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for sandbox in list(_LIVING):
        sandbox._after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
