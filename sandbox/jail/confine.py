"""What a forked child does to itself before it runs anything: gives up user, capabilities, files and system calls."""

import contextlib
import math
import os
import resource
from dataclasses import dataclass
from typing import Any

from turnwise.sandbox.jail import identity, kernel, landlock, seccomp

__all__ = ["Jail", "limit"]

_OPEN_FILES = 256
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38


@dataclass(slots=True)
class Jail:
    """How children are jailed; planned once, in the warden.

    Attributes:
        processes: They may start processes: profile "shell".
        uid: The user and group that they become, None to stay.
        rules: Descriptor of the Landlock rules, -1 for none.
        calls: The filter of system calls.
        session_calls: The filter of sessions, None for the same one. If they differ, a child attaches its filter late.
        oom_directory: Descriptor of /proc, so that the kernel picks a child first when memory runs out; -1 for none.
        warden: The process with which they die, 0 if a process namespace ensures that.
    """

    processes: bool
    uid: int | None = None
    rules: int = -1
    calls: seccomp.Filter | None = None
    session_calls: seccomp.Filter | None = None
    oom_directory: int = -1
    warden: int = 0

    def prepare(self) -> None:
        """Do what a warden can do once for all its children, which inherit it."""
        for name, value in (("CORE", 0), ("NOFILE", _OPEN_FILES), ("MEMLOCK", 0)):
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        for name in ("MSGQUEUE", "NICE"):
            with contextlib.suppress(ValueError):  # gVisor has none of these
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (0, 0))
        kernel.drop_bounding_set()
        kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1)

    def enter(self, keep: int) -> None:
        """Jail this process for good, but for `shut`; only standard descriptors and ``keep`` stay open."""
        os.setsid()
        if self.oom_directory >= 0:
            _prefer_for_oom(self.oom_directory)
        if self.uid is None:
            kernel.capset_nothing()
        else:
            identity.become(self.uid)  # capabilities go with the user
        kernel.prctl(_PR_SET_DUMPABLE, 0)
        if self.warden:
            kernel.prctl(_PR_SET_PDEATHSIG, 9)
            if os.getppid() != self.warden:  # it died before that
                os._exit(1)
        if self.rules >= 0:
            landlock.restrict(self.rules)
        os.closerange(3, keep)
        os.closerange(keep + 1, _OPEN_FILES)
        if self.calls is not None and self.session_calls is None:
            seccomp.attach(self.calls)

    def shut(self, session: bool) -> None:
        """Attach the filter that depends on what is run, right before it runs."""
        if self.session_calls is not None:
            seccomp.attach(self.session_calls if session or self.calls is None else self.calls)


def _prefer_for_oom(directory: int) -> None:
    try:
        place = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=directory)
    except OSError:
        return
    try:
        os.write(place, b"1000")
    except OSError:
        pass
    finally:
        os.close(place)


def limit(limits: dict[str, Any], base_bytes: int, base_processes: int, session: bool) -> None:
    """Set the resource limits of a program.

    Args:
        limits: The fields of ``Limits``.
        base_bytes: Address space that the warden has already.
        base_processes: Processes that count as this user's already.
        session: No limit of processor time: a session lives on.
    """
    memory = base_bytes + limits["memory_mb"] * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    size = int(limits["file_mb"] * 2**20)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    number = base_processes + int(limits["processes"])
    resource.setrlimit(resource.RLIMIT_NPROC, (number, number))
    if not session:
        # a second beyond the clock's: else chance decides which of the two stops one busy thread
        seconds = math.ceil(limits["cpu_s"] or limits["wall_s"] + 1)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
