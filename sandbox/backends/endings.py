"""How a program ended: what its wait status and its last words say."""

import os

from turnwise.sandbox.interface.records import Limits

__all__ = ["limit_hit", "split_status"]

_MEMORY_ENDS = ("MemoryError", "std::bad_alloc")
_DISK_ENDS = ("OSError: [Errno 28]", "OSError: [Errno 27]", "OSError: [Errno 122]")
_TAIL_CHARS = 400


def split_status(status: int) -> tuple[int, int | None]:
    """Return signal and exit code of a wait status; -1 is an unknown one."""
    if status < 0:
        return 0, None
    return (os.WTERMSIG(status), None) if os.WIFSIGNALED(status) else (0, os.WEXITSTATUS(status))


def limit_hit(number: int, code: int | None, stderr: str, cpu_s: float, limits: Limits) -> str:
    """Return the limit that ended a program that was not killed from outside, as far as its end shows it."""
    if limits.cpu_s and cpu_s > limits.cpu_s:  # the kernel only knows whole seconds
        return "cpu"
    if number in (9, 24) and cpu_s >= (limits.cpu_s or limits.wall_s) * 0.9:  # SIGKILL, SIGXCPU
        return "cpu"
    if number == 24:
        return "cpu"
    if number == 25:  # SIGXFSZ
        return "disk"
    if not code:
        return ""
    last = stderr[-_TAIL_CHARS:].rstrip().rpartition("\n")[2]
    if last.startswith(_MEMORY_ENDS[0]) or _MEMORY_ENDS[1] in last:
        return "memory"
    return "disk" if last.startswith(_DISK_ENDS) else ""
