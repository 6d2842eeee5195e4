"""The interface of every sandbox: programs in, results out, whatever isolates them.

Never trust what a program prints, answers or exits with, on any backend: ``os._exit(0)`` before the first assertion
gives the exit status 0. A grader keeps the expected values on its own side and compares there (`Sandbox.converse`).
"""

import abc
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox.interface.records import DEFAULT_LIMITS, Limits, Profile, Program, Reply, Result
from turnwise.sandbox.wire.tree import Entry

__all__ = ["REQUIRED", "Conversation", "Sandbox", "Session", "Unsafe", "require_layers"]

REQUIRED = frozenset(("capabilities", "fs", "kill_all", "net", "no_new_privs", "process_limit", "rlimits", "seccomp"))
"""The layers without which model code is refused unless the caller asks for less by name."""


class Unsafe(InfrastructureError):
    """The required isolation is not available here; the message names what is missing."""


class Session(abc.ABC):
    """A live interpreter or shell that keeps its state between turns. One thread at a time may use it."""

    @abc.abstractmethod
    def execute(self, code: str, wall_s: float | None = None) -> Result:
        """Run one turn: Python code, whose last expression is shown, or a shell command.

        A turn that runs out of time is interrupted, as by Ctrl-C, and the session goes on. If it ignores the
        interrupt it is killed, and the session restarts empty (``Result.lost``) or, with ``checkpoint``, in its state
        before the turn.

        Args:
            code: What to run.
            wall_s: Seconds for this turn, else those of the session's limits.
        """

    @abc.abstractmethod
    def fork(self) -> "Session":
        """Return a second session in this one's present state; neither sees what the other does from then on.

        Raises:
            UsageError: It cannot be forked (threads are running in it, no room for a second working directory, too many
                processes), or it is closed.
            Unsafe: This machine cannot tell the branches' processes apart from others.
        """

    @abc.abstractmethod
    def write(self, path: str, contents: bytes | str) -> None:
        """Write a file into the session's scratch directory.

        Raises:
            OSError: The session cannot write it there: no room, a directory in the way.
        """

    @abc.abstractmethod
    def read(self, path: str) -> bytes:
        """Return the contents of a file in the scratch directory.

        Raises:
            OSError: The file does not exist or is larger than ``file_mb``.
        """

    @abc.abstractmethod
    def final_tree(self, max_bytes: int | None = None) -> Mapping[str, Entry]:
        """End the session with everything it started, and return what its working directory then holds.

        The tree is read after all processes of the session are dead (layer "kill_all"), by one that runs none of
        their code: what they have replaced, shut or left running cannot change what is seen.

        Args:
            max_bytes: Most bytes of all contents together; None: those of ``file_mb``.

        Returns:
            Entries by path relative to the directory that the session has started in.

        Raises:
            OSError: There is more, too many or too deep paths, or the directory is gone.
            UsageError: Open forks of it share its processes, or it is closed.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """End the session with everything it started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Conversation(abc.ABC):
    """Functions of a program, called one input at a time from outside. One thread at a time may use it.

    A hostile program can answer anything to the inputs that it has seen, answer late (the clock is on this side), or
    die. It cannot see an input before it is sent, see an expected value, or return anything but plain data. Whether an
    answer is right is decided outside.
    """

    @property
    @abc.abstractmethod
    def started(self) -> Result:
        """The result of loading the program: output, exit code 1 for an exception, limits hit."""

    @abc.abstractmethod
    def call(
        self, name: str, *args: object, kwargs: Mapping[str, object] | None = None, wall_s: float | None = None
    ) -> Reply:
        """Call a function (or a method of a new instance: "Solution.solve") with plain data.

        Args:
            name: Name in the program's namespace, with attributes after dots; a class on the way is instantiated.
            *args: Plain data: see `turnwise.sandbox.wire.values`.
            kwargs: The same, by name.
            wall_s: Seconds for this call, else those of the limits.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """End the program."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Sandbox(abc.ABC):
    """A place to run untrusted programs. Any number of threads may use it at once.

    Infrastructure that fails raises ``InfrastructureError``; whatever a program does is a ``Result``.
    """

    name: str = ""
    workers: int = 1

    @property
    @abc.abstractmethod
    def layers(self) -> frozenset[str]:
        """Names of the layers of isolation in force for the profile "python", as tested from inside."""

    def layers_of(self, profile: Profile) -> frozenset[str]:
        """Return the layers in force for a profile."""
        return self.layers

    @abc.abstractmethod
    def run(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Result:
        """Run a program to its end."""

    def run_many(self, programs: Iterable[Program], limits: Limits = DEFAULT_LIMITS) -> list[Result]:
        """Run programs on all workers at once; the results are in the order of the programs."""
        programs = list(programs)
        if len(programs) < 2 or self.workers < 2:
            return [self.run(program, limits) for program in programs]
        with ThreadPoolExecutor(min(self.workers, len(programs))) as pool:
            return list(pool.map(lambda program: self.run(program, limits), programs))

    @abc.abstractmethod
    def converse(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Conversation:
        """Load a program once, so that its functions can be called."""

    @abc.abstractmethod
    def session(
        self,
        limits: Limits = DEFAULT_LIMITS,
        profile: Profile = "python",
        files: Mapping[str, bytes | str] | None = None,
        checkpoint: bool = False,
    ) -> Session:
        """Start a Python interpreter that keeps its variables.

        Args:
            limits: Limits of each turn; memory, files and processes are limited for the whole session.
            profile: "shell": it may start processes, and be forked.
            files: Written into the working directory at the start.
            checkpoint: Every turn starts with a fork, so that no kill loses more than the turn; "shell" only.
        """

    @abc.abstractmethod
    def shell(self, limits: Limits = DEFAULT_LIMITS, files: Mapping[str, bytes | str] | None = None) -> Session:
        """Start a shell that keeps its working directory, variables and functions between commands."""

    @abc.abstractmethod
    def close(self) -> None:
        """End everything it started; the sandbox cannot be used any more."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def require_layers(layers: Collection[str], required: Collection[str], where: str) -> None:
    """Raise ``Unsafe`` naming the required layers that are not in force."""
    missing = sorted(set(required) - set(layers))
    if missing:
        raise Unsafe(
            f"{where} lacks {', '.join(missing)} (in force: {', '.join(sorted(layers)) or 'none'}). "
            "Use a machine or container that allows them, or require= with fewer names."
        )
