"""Users that own nothing: the children of a warden become them, mapped into a user namespace."""

import contextlib
import os
import socket
from typing import NamedTuple

from turnwise.sandbox.jail import kernel

__all__ = ["BOX_ID", "BUILDER_ID", "Ids", "become", "enter_namespace", "map_ids", "may_change_user", "take"]

BOX_ID = 65534
"""User and group of a jailed process in a user namespace, as it sees them."""
BUILDER_ID = 65533
"""The caller in the same namespace, where its children are others: it may look into folders that are the caller's."""
_FIRST, _SLOT, _SLOTS = 0x60000000, 1 << 23, 61  # above what systems give out; a slot holds two for every process id
_LOW, _PAIRS = 60000, 2500  # where fewer exist, as in containers with users of their own
_CHOWN, _KILL, _SETGID, _SETUID, _SETFCAP = 0, 5, 6, 7, 31  # linux/capability.h


class Ids(NamedTuple):
    """Two users, and groups of the same numbers, that no other process has.

    Attributes:
        warden: The warden's user, if it has a user namespace.
        box: The user of its children.
        guard: Reserves the numbers while it is open; None if they follow from the process id.
    """

    warden: int
    box: int
    guard: socket.socket | None = None


def take() -> Ids | None:
    """Return users for this process's warden, None if there are none."""
    pid, maps = os.getpid(), [_ranges(name) for name in ("uid_map", "gid_map")]

    def exist(first: int) -> bool:
        return all(any(start <= first and first + 1 < start + size for start, size in ranges) for ranges in maps)

    first = _FIRST + _pid_namespace() % _SLOTS * _SLOT + 2 * pid
    if exist(first):
        return Ids(first, first + 1)
    for step in range(_PAIRS):
        first = _LOW + 2 * ((pid + step) % _PAIRS)
        guard = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError):
            guard.bind(f"\0turnwise-user-{first}")
            if exist(first):
                return Ids(first, first + 1, guard)
        guard.close()
    return None


def _pid_namespace() -> int:
    """Return the number of this namespace of process ids: others have the same ids, and the same users."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def _ranges(name: str) -> list[tuple[int, int]]:
    """Return the ids that exist here: first and number of each range."""
    with contextlib.suppress(OSError), open(f"/proc/self/{name}") as file:
        return [(int(line.split()[0]), int(line.split()[2])) for line in file]
    return [(0, 2**31)]


def may_change_user() -> bool:
    """Say whether this process can start others as another user, give that user a directory, and kill them."""
    return os.geteuid() == 0 and kernel.effective(_CHOWN, _KILL, _SETGID, _SETUID)


def become(user: int) -> None:
    """Make this process that user and group for good."""
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def enter_namespace(ids: Ids | None) -> bool:
    """Enter namespaces of users and, for what is forked afterwards, of processes.

    Root without the right to administer the machine may still map other users. It does so if it can: otherwise its
    children are root to the kernel, which does not limit root's processes.

    Returns:
        The ids are mapped: ``ids.warden`` as 0 and ``ids.box`` as ``BOX_ID``. Else the caller's own is, as ``BOX_ID``.
    """
    uid, gid = os.geteuid(), os.getegid()
    if ids is None or uid != 0 or not kernel.effective(_SETGID, _SETUID):
        kernel.unshare("user", "pid")
        map_ids("self", f"{BOX_ID} {uid} 1", f"{BOX_ID} {gid} 1", True)
        return False
    entered, say = os.pipe()
    pid, helper = os.getpid(), os.fork()
    if helper == 0:  # only a process of the namespace above may map other users
        status = 1
        try:
            os.close(say)
            maps = f"0 {ids.warden} 1\n{BOX_ID} {ids.box} 1\n"
            own = f"{BUILDER_ID} {{}} 1\n" if kernel.effective(_SETFCAP) else ""
            if os.read(entered, 1):
                map_ids(pid, maps + own.format(uid), maps + own.format(gid), False)
                status = 0
        finally:
            os._exit(status)
    os.close(entered)
    try:
        kernel.unshare("user", "pid")
        os.write(say, b"+")
    finally:
        os.close(say)
        status = os.waitpid(helper, 0)[1]
    if status != 0:
        raise PermissionError("users cannot be mapped")
    return True


def map_ids(pid: int | str, uids: str, gids: str, deny_setgroups: bool) -> None:
    """Write the maps of users and groups of a new user namespace."""
    if deny_setgroups:
        with contextlib.suppress(FileNotFoundError):  # gVisor has none, and asks for none
            _write(f"/proc/{pid}/setgroups", "deny")
    _write(f"/proc/{pid}/uid_map", uids)
    _write(f"/proc/{pid}/gid_map", gids)


def _write(path: str, text: str) -> None:
    place = os.open(path, os.O_WRONLY)
    try:
        os.write(place, text.encode())
    finally:
        os.close(place)
