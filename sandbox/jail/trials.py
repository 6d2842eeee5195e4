"""Finds the layers in force by trying: a layer is in force if a jailed process could not do what it forbids.

``World`` opens, before the warden shuts itself off, what the jailed process then goes for; ``observe`` runs in it. What
cannot be tried in an instant is asked of the kernel: that processor time is limited, that there are no core dumps, that
executing a program gives no rights.
"""

import _thread
import contextlib
import errno
import mmap
import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from turnwise.sandbox.jail import kernel

__all__ = ["BOUNDS", "World", "fill_memory", "leave_behind", "observe", "threads_are_limited"]

BOUNDS = {"processes": 4, "file_mb": 1, "files": 16}
"""Limits small enough to be exceeded at once."""
_MORE = 40  # processes tried beyond the limit: others of the same user may end in the same moment
_STACK_BYTES = 65536
_LEFT_S = 60.0
_DOCUMENTATION = "192.0.2.1"  # reserved for documentation
_NAMESPACES = {**{name: name for name in ("cgroup", "ipc", "net", "pid", "user", "uts")}, "mount": "mnt"}
_FILES = ("/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/proc/version", "/proc/self/status", "/proc/1/cmdline")
_FOLDERS = ("/proc", "/sys", "/var", "/home", "/run", "/srv", "/mnt")
_READ_ONLY = ("/", "/etc", "/usr", "/usr/bin", "/var/tmp", "/run", "/home", os.path.dirname(os.__file__))
_LIMITS = ("AS", "FSIZE", "NPROC", "NOFILE", "CPU", "CORE")


class World:
    """What jailed processes must not reach: opened before the jail is closed, and closed after the trials.

    Args:
        shown: Files and directories that programs may read.
    """

    def __init__(self, shown: list[str]) -> None:
        self.servers: list[socket.socket] = []
        self.addresses: list[tuple[int, Any]] = []
        for family, address in (
            (socket.AF_INET, ("127.0.0.1", 0)),
            (socket.AF_INET6, ("::1", 0)),
            (socket.AF_UNIX, f"\0turnwise-trial-{os.getpid()}-{os.urandom(6).hex()}"),
        ):
            with contextlib.suppress(OSError):  # a machine without it
                server = socket.socket(family)
                self.servers.append(server)
                server.bind(address)
                server.listen()
                self.addresses.append((family, server.getsockname()))
        paths = (*_FILES, *_FOLDERS, os.path.abspath(__file__))
        tops = tuple(f"{path}/" for path in shown)
        self.outside = [path for path in paths if not f"{path}/".startswith(tops) and _can_read(path)]
        self.namespaces = _namespaces("/proc/self/ns")

    def entered(self, proc: int) -> list[str]:
        """Return the layers of the namespaces that this process has entered since then.

        Args:
            proc: Descriptor of the host's /proc.
        """
        now = _namespaces("self/ns", proc)
        return [f"{name}_namespace" for name, link in self.namespaces.items() if now.get(name, link) != link]

    def close(self) -> None:
        """Close the sockets."""
        while self.servers:
            self.servers.pop().close()


def _namespaces(folder: str, at: int | None = None) -> dict[str, str]:
    found = {}
    for name, file in _NAMESPACES.items():
        with contextlib.suppress(OSError):
            found[name] = os.readlink(f"{folder}/{file}", dir_fd=at)
    return found


def _can_read(path: str) -> bool:
    try:
        place = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    os.close(place)
    return True


def _refused(work: Callable[[], object]) -> bool:
    try:
        work()
    except (OSError, ValueError, MemoryError):
        return True
    return False


def observe(world: World, scratch: str, limits: dict[str, Any], box_id: int | None) -> list[str]:
    """Return the layers that a jailed process finds in force for itself.

    Args:
        world: What must be out of reach.
        scratch: The scratch directory.
        limits: Those that the process has.
        box_id: The user that it should be.
    """
    os.chdir(scratch)
    tried: dict[str, Callable[[], bool]] = {
        "capabilities": lambda: not any(kernel.capabilities()),
        "disk_quota": lambda: _disk(limits),
        "fs": lambda: not any(map(_can_read, world.outside)) and _nothing_written(scratch),
        "landlock": lambda: os.access("/", os.R_OK) and not _can_read("/"),
        "net": lambda: not _network(world),
        "no_new_privs": lambda: kernel.prctl(39) == 1,  # PR_GET_NO_NEW_PRIVS
        "rlimits": lambda: _limits(limits),
        "seccomp": lambda: _refused(kernel.personality),  # which the filters of container engines allow
        "uid": lambda: box_id is not None and _is_only(box_id),
    }
    found = []
    for name, holds in tried.items():
        with contextlib.suppress(OSError):  # a kernel that lacks the very question
            if holds():
                found.append(name)
    return found


def threads_are_limited(number: int) -> bool:
    """Say whether this process is kept from starting many more threads than that, itself included."""
    held = _thread.allocate_lock()
    held.acquire()
    _thread.stack_size(_STACK_BYTES)
    try:
        for _ in range(number + _MORE):
            _thread.start_new_thread(held.acquire, ())
    except RuntimeError:
        return True
    return False


def _limits(limits: dict[str, Any]) -> bool:
    most = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1] for name in _LIMITS}
    if resource.RLIM_INFINITY in most.values() or most["CORE"] != 0:
        return False
    for name, hard in most.items():
        if not _refused(lambda: resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (hard + 1, hard + 1))):  # noqa: B023
            return False
    if not _refused(lambda: mmap.mmap(-1, most["AS"])) or not _refused(lambda: os.dup2(0, most["NOFILE"])):
        return False
    place = os.open("size", os.O_CREAT | os.O_WRONLY)
    try:
        os.pwrite(place, b"x", int(limits["file_mb"] * 2**20))
    except OSError as error:
        return error.errno == errno.EFBIG
    finally:
        os.close(place)
        os.unlink("size")
    return False


def _disk(limits: dict[str, Any]) -> bool:
    """Say whether the scratch directory takes no more bytes and files than it should."""
    size = os.statvfs(".")
    total = size.f_blocks * size.f_frsize
    if not 0 < total <= limits["file_mb"] * 2**20 + 2**20 or not 0 < size.f_files <= limits["files"] + 16:
        return False  # too large to be filled for a try
    half = min(total, int(limits["file_mb"] * 2**20)) // 2
    return _full(4, lambda place: os.posix_fallocate(place, 0, half)) and _full(size.f_files + 1, os.fstat)


def _full(number: int, work: Callable[[int], object]) -> bool:
    """Say whether room runs out while that many files are made and worked on."""
    made: list[str] = []
    try:
        for _ in range(number):
            path = f"fill{len(made)}"
            place = os.open(path, os.O_CREAT | os.O_WRONLY)
            made.append(path)
            try:
                work(place)
            finally:
                os.close(place)
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    finally:
        for path in made:
            os.unlink(path)
    return False


def _nothing_written(scratch: str) -> bool:
    own = f"{os.path.realpath(scratch)}/"
    for folder in _READ_ONLY:
        path = f"{os.path.realpath(folder)}/turnwise-trial"
        if not path.startswith(own):
            try:
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            except OSError:
                continue
            os.unlink(path)
            return False
    return True


def _network(world: World) -> bool:
    """Say whether anything can be reached: a server of the machine, or by UDP a route (nothing is sent)."""
    for kind, places in (
        (socket.SOCK_STREAM, world.addresses),
        (socket.SOCK_DGRAM, [(socket.AF_INET, (_DOCUMENTATION, 9)), (socket.AF_INET, ("127.0.0.1", 9))]),
    ):
        for family, address in places:
            with contextlib.suppress(OSError), socket.socket(family, kind) as client:
                client.settimeout(1)
                with contextlib.suppress(TimeoutError):  # it went somewhere
                    client.connect(address)
                return True
    return False


def _is_only(user: int) -> bool:
    """Say whether this process is that user, in no group but its own, and cannot become another."""
    if {*os.getresuid(), *os.getresgid(), *os.getgroups()} != {user}:
        return False
    return _refused(lambda: os.setresuid(0, 0, 0)) and _refused(lambda: os.setresuid(user - 1, user - 1, user - 1))


def leave_behind(held: int) -> bool:
    """Leave a process behind that holds a descriptor, in its own session; return False if none can be started."""
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() > 0:
                os._exit(0)
            for number in range(1, signal.NSIG):
                with contextlib.suppress(OSError, ValueError):
                    signal.signal(number, signal.SIG_IGN)
            os.closerange(0, held)
            time.sleep(_LEFT_S)
            os._exit(0)
    except OSError:
        return False
    os.wait()
    return True


def fill_memory(most_bytes: int) -> None:
    """Use that much memory, every page of it."""
    kept = []
    for _ in range(most_bytes // 2**20):
        kept.append(b"x" * 2**20)
