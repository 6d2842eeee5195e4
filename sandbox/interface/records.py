"""What goes into a sandbox and what comes out of it: limits, programs, results, replies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check, check_all, named_settings

__all__ = ["DEFAULT_LIMITS", "Limits", "Profile", "Program", "Reply", "Result", "check_path"]

Profile = Literal["python", "shell"]
"""What a program may do: "python" may start threads but no processes; "shell" may start processes."""

_MOST = 10**9  # of anything
_MOST_WALL_S = 10**6


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run, one turn of a session or one call may use."""

    wall_s: Annotated[float, Range(above=0, high=_MOST_WALL_S)] = 10.0
    """Seconds on the clock, measured outside of the program."""
    cpu_s: Annotated[float, Range(above=0, high=_MOST_WALL_S)] | None = None
    """Processor seconds of a process, or of a call of a conversation; None: one more than ``wall_s``, which one busy
    thread meets first. The kernel stops a program after the next whole second; one that ends by itself before it, but
    has used more, counts as stopped too. Sessions have none."""
    memory_mb: Annotated[int, Range(1, _MOST)] = 512
    """MiB of address space of each process, beyond what the empty interpreter has. All processes of the "shell" profile
    together have as much, if the layer "memory_total" is in force."""
    output_bytes: Annotated[int, Range(2, _MOST)] = 65536
    """Bytes kept of each of stdout and stderr: the first and the last half. A program that writes sixteen times as much
    is killed."""
    file_mb: Annotated[int, Range(1, _MOST)] = 32
    """MiB in the scratch directory."""
    files: Annotated[int, Range(1, _MOST)] = 2048
    """Files and directories in it."""
    processes: Annotated[int, Range(1, _MOST)] = 32
    """Processes and threads, of the program together."""

    def __post_init__(self) -> None:
        check_all(self)


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run.

    Attributes:
        source: Python source, run as ``__main__``; or None.
        argv: A command and its arguments instead, found on the path of the sandbox: profile "shell" only. With
            ``source``, the arguments in ``sys.argv`` after the program's name.
        stdin: What the program reads.
        files: Written into the scratch directory, the working directory, before the start: relative path to contents.
        collect: Relative paths of files to return. A program that ran out of time returns none.
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
        check("profile", self.profile, named_settings(Program)["profile"])
        if self.source is None and self.profile != "shell":
            raise SettingsError("argv without source starts a process: it needs profile='shell'")
        for path in (*self.files, *self.collect, self.name):
            check_path(path)
        if "/" in self.name:
            raise SettingsError(f"name is {self.name!r}; it must be a file name, without a folder")


def check_path(path: str) -> None:
    """Raise ``SettingsError`` unless the path stays in the directory that it is relative to."""
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise SettingsError(f"the path is {path!r}; it must be relative, without empty parts, '.' and '..'")


class Result(NamedTuple):
    """The outcome of a run or a turn.

    Attributes:
        stdout: Decoded as UTF-8, invalid bytes replaced; where something was cut out, a line says how much.
        stderr: The same.
        exit_code: As the program claims it; None if a signal ended it. In a session: 0, or 1 for an exception.
        signal: Number of the signal that ended it, 0 for none.
        killed_by: The limit it ran into: "wall", "cpu", "memory", "output" or "disk"; else empty. "memory" and "disk"
            also if it died of the exception that the limit raised in it.
        wall_s: Seconds on the clock.
        cpu_s: Processor seconds, user and system. In a session, and in a conversation without ``Limits.cpu_s``: as the
            interpreter claims it.
        peak_memory_mb: Most MiB of memory in use. In a session: as the interpreter claims it, since its start.
        stdout_cut: Bytes that were left out of stdout.
        stderr_cut: The same for stderr.
        files: The files asked for, as far as they exist and together stay within ``file_mb``.
        lost: The session's variables are gone: it was restarted.
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
        """Whether it ended by itself with exit code 0."""
        return self.exit_code == 0 and not self.killed_by and not self.signal


class Reply(NamedTuple):
    """The reply of a jailed function.

    Attributes:
        value: Plain data, rebuilt from text on this side: exactly of built-in types.
        error: Why there is no value: the type of the exception and its message, or what is wrong with the answer; ""
            if there is a value.
        result: Output, times and limits of the call. ``result.lost`` if the function is gone; calls after that fail.
    """

    value: Any
    error: str
    result: Result
