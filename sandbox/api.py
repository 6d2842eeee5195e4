"""What a sandbox is: programs in, results out, whatever machine, container or kernel feature stands behind it.

What a program prints, answers and exits with is its own word, on every backend: ``os._exit(0)`` before the first
assertion gives the exit status 0. A grader keeps the expected values on its own side, and compares there
(``Sandbox.converse``).
"""

import abc
import math
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.sandbox.tree import Entry

__all__ = [
    "DEFAULT_LIMITS",
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
]

Profile = Literal["python", "shell"]
"""What a program may do: "python" may start threads but no processes; "shell" may start processes."""

REQUIRED = frozenset(("capabilities", "fs", "kill_all", "net", "no_new_privs", "process_limit", "rlimits", "seccomp"))
"""The layers without which model code is refused unless the caller asks for less by name."""
_MOST = 10**9  # of anything
_MOST_WALL_S = 10**6


class Unsafe(InfrastructureError):
    """The isolation that was asked for cannot be had here; the message names what is missing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run, one turn of a session or one call may use.

    Attributes:
        wall_s: Seconds on the clock, measured outside of the program.
        cpu_s: Processor seconds of a process, rounded up; None: one more than ``wall_s``, which one busy thread meets
            first. Sessions have none.
        memory_mb: MiB of address space of each process, beyond what the empty interpreter has. All processes of the
            "shell" profile together have as much, where the layer "memory_total" is in force.
        output_bytes: Bytes kept of each of stdout and stderr: the first and the last half. A program that writes
            sixteen times as much is killed.
        file_mb: MiB in the scratch directory.
        files: Files and directories in it.
        processes: Processes and threads, of the program together.
    """

    wall_s: float = 10.0
    cpu_s: float | None = None
    memory_mb: int = 512
    output_bytes: int = 65536
    file_mb: int = 32
    files: int = 2048
    processes: int = 32

    def __post_init__(self) -> None:
        for name in ("wall_s", "memory_mb", "output_bytes", "file_mb", "files", "processes", "cpu_s"):
            value = getattr(self, name)
            if name == "cpu_s" and value is None:
                continue
            most = _MOST_WALL_S if name.endswith("_s") else _MOST
            if not isinstance(value, (int, float)) or not math.isfinite(value) or not 0 < value <= most:
                raise SettingsError(f"{name}={value!r}: a number above 0, at most {most}")
        if self.output_bytes < 2:
            raise SettingsError(f"output_bytes={self.output_bytes}: at least 2")


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Program:
    """Something to run.

    Attributes:
        source: Python source, run as ``__main__``; or None.
        argv: A command and its arguments instead, found on the path of the sandbox: profile "shell" only. With
            ``source``, the arguments in ``sys.argv`` after the program's name.
        stdin: What the program reads.
        files: Written into the scratch directory, the working directory, before the start: relative path to contents.
        collect: Relative paths of files that are brought back. A program that ran out of time brings back none.
        profile: "python" or "shell".
        name: The file name that tracebacks show.
    """

    source: str | None = None
    argv: tuple[str, ...] = ()
    stdin: bytes | str = b""
    files: Mapping[str, bytes | str] = field(default_factory=dict)
    collect: tuple[str, ...] = ()
    profile: Profile = "python"
    name: str = "main.py"

    def __post_init__(self) -> None:
        if self.source is None and not self.argv:
            raise SettingsError("a program needs source or argv")
        if self.profile not in ("python", "shell"):
            raise SettingsError(f"profile={self.profile!r}: 'python' or 'shell'")
        if self.source is None and self.profile != "shell":
            raise SettingsError("argv without source starts a process: it needs profile='shell'")
        for path in (*self.files, *self.collect, self.name):
            check_path(path)
        if "/" in self.name:
            raise SettingsError(f"name={self.name!r}: a file name")


def check_path(path: str) -> None:
    """Raises ``SettingsError`` unless the path stays in the directory that it is relative to."""
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise SettingsError(f"{path!r}: a relative path without empty parts, '.' and '..'")


class Result(NamedTuple):
    """What came of a run or a turn.

    Attributes:
        stdout: Decoded as UTF-8, what is none of it replaced; where something was cut out, a line says how much.
        stderr: The same.
        exit_code: The program's own word; None where a signal ended it. In a session: 0, or 1 for an exception.
        signal: Number of the signal that ended it, 0 for none.
        killed_by: The limit it ran into: "wall", "cpu", "memory", "output" or "disk"; else empty. "memory" and "disk"
            also where it died of the exception that the limit raised in it.
        wall_s: Seconds on the clock.
        cpu_s: Processor seconds, user and system. In a session: the interpreter's own word.
        peak_memory_mb: Most MiB of memory in use. In a session: the interpreter's own word, since its start.
        stdout_cut: Bytes that were left out of stdout.
        stderr_cut: The same for stderr.
        files: The files asked for, as far as they exist and together stay within ``file_mb``.
        lost: The session's variables are gone: it was started anew.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = 0
    signal: int = 0
    killed_by: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_memory_mb: float = 0.0
    stdout_cut: int = 0
    stderr_cut: int = 0
    files: Mapping[str, bytes] = {}
    lost: bool = False

    @property
    def ok(self) -> bool:
        """It ended by itself and says that all went well."""
        return self.exit_code == 0 and not self.killed_by and not self.signal


class Reply(NamedTuple):
    """What a jailed function answered.

    Attributes:
        value: Plain data, rebuilt from text on this side: exactly of built-in types.
        error: Why there is no value: the type of the exception and its message, or what is wrong with the answer; ""
            where there is a value.
        result: Output, times and limits of the call. ``result.lost`` where the function is gone; calls after that fail.
    """

    value: Any
    error: str
    result: Result


class Session(abc.ABC):
    """A live interpreter or shell that keeps its state between turns. Not for several threads at once."""

    @abc.abstractmethod
    def execute(self, code: str, wall_s: float | None = None) -> Result:
        """Runs one turn: Python code, whose last expression is shown, or a shell command.

        A turn that runs out of time is interrupted, as by Ctrl-C, and the session goes on. Where it does not heed the
        interrupt it is killed, and the session starts anew (``Result.lost``), or, with ``checkpoint``, from where it
        was before the turn.

        Args:
            code: What to run.
            wall_s: Seconds for this turn, else those of the session's limits.
        """

    @abc.abstractmethod
    def fork(self) -> "Session":
        """A second session that starts where this one stands; neither sees what the other does after that.

        Raises:
            UsageError: It cannot be forked (threads are running in it, no room for a second working directory, too many
                processes), or it is closed.
            Unsafe: Nothing here can tell the branches' processes apart from others.
        """

    @abc.abstractmethod
    def write(self, path: str, contents: bytes | str) -> None:
        """Writes a file into the session's scratch directory.

        Raises:
            OSError: The session cannot write it there: no room, a directory in the way.
        """

    @abc.abstractmethod
    def read(self, path: str) -> bytes:
        """A file of the scratch directory.

        Raises:
            OSError: There is no such file, or it is larger than ``file_mb``.
        """

    @abc.abstractmethod
    def final_tree(self, max_bytes: int | None = None) -> Mapping[str, Entry]:
        """Ends it and everything that it started, and gives what its working directory then holds.

        The tree is read after all processes of the session are dead (layer "kill_all"), by one that runs nothing of
        theirs: what they have replaced, shut or left running has no say in what is seen.

        Args:
            max_bytes: Most bytes of all contents together; None: those of ``file_mb``.

        Returns:
            Entries by path relative to the directory that the session has started in.

        Raises:
            OSError: There is more, too many or too deep paths, or the directory is gone.
            UsageError: Forks of it are open whose processes cannot be told from its own, or it is closed.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Ends it and everything that it started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Conversation(abc.ABC):
    """Functions of a program, called one input at a time from outside. Not for several threads at once.

    What a hostile program can do here: answer anything to the inputs that it has seen, answer late (the clock is on
    this side), die. What it cannot: see an input before it is sent, see an expected value at all, or hand over
    anything but plain data. Whether an answer is right is decided outside.
    """

    @property
    @abc.abstractmethod
    def started(self) -> Result:
        """What came of loading the program: output, exit code 1 for an exception, the limits."""

    @abc.abstractmethod
    def call(
        self, name: str, *args: object, kwargs: Mapping[str, object] | None = None, wall_s: float | None = None
    ) -> Reply:
        """Calls a function (or a method of a new instance: "Solution.solve") with plain data.

        Args:
            name: Name in the program's namespace, with attributes after dots; a class on the way is instantiated.
            *args: Plain data: see ``turnwise.sandbox.values``.
            kwargs: The same, by name.
            wall_s: Seconds for this call, else those of the limits.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Ends the program."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Sandbox(abc.ABC):
    """A place to run programs that nobody trusts. For any number of threads at once.

    Infrastructure that fails raises ``InfrastructureError``; whatever a program does is a ``Result``.
    """

    name: str = ""
    workers: int = 1

    @property
    @abc.abstractmethod
    def layers(self) -> frozenset[str]:
        """Names of the layers of isolation in force for the profile "python", as found from inside."""

    def layers_of(self, profile: Profile) -> frozenset[str]:
        """The same for the profile."""
        return self.layers

    @abc.abstractmethod
    def run(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Result:
        """Runs a program to its end."""

    def run_many(self, programs: Iterable[Program], limits: Limits = DEFAULT_LIMITS) -> list[Result]:
        """Runs them on all workers at once; the results stand in the order of the programs."""
        programs = list(programs)
        if len(programs) < 2 or self.workers < 2:
            return [self.run(program, limits) for program in programs]
        with ThreadPoolExecutor(min(self.workers, len(programs))) as pool:
            return list(pool.map(lambda program: self.run(program, limits), programs))

    @abc.abstractmethod
    def converse(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Conversation:
        """Loads a program once, so that its functions can be called."""

    @abc.abstractmethod
    def session(
        self,
        limits: Limits = DEFAULT_LIMITS,
        profile: Profile = "python",
        files: Mapping[str, bytes | str] | None = None,
        checkpoint: bool = False,
    ) -> Session:
        """A Python interpreter that keeps its variables.

        Args:
            limits: Those of each turn; memory, files and processes are those of the session.
            profile: "shell": it may start processes, and be forked.
            files: Written into the working directory at the start.
            checkpoint: Every turn starts with a fork, so that no kill loses more than the turn; "shell" only.
        """

    @abc.abstractmethod
    def shell(self, limits: Limits = DEFAULT_LIMITS, files: Mapping[str, bytes | str] | None = None) -> Session:
        """A shell that keeps its working directory, variables and functions between commands."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends everything that it started. It cannot be used any more."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def require_layers(layers: Collection[str], required: Collection[str], where: str) -> None:
    """Raises ``Unsafe`` naming the required layers that are not in force."""
    missing = sorted(set(required) - set(layers))
    if missing:
        raise Unsafe(
            f"{where} lacks {', '.join(missing)} (in force: {', '.join(sorted(layers)) or 'none'}). "
            "Use a machine or container that allows them, or require= with fewer names."
        )
