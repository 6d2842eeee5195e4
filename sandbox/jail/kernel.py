"""The Linux calls that Python has no function for, by ctypes. Failures raise ``OSError`` with what was tried."""

import contextlib
import ctypes
import os
from collections.abc import Iterator

__all__ = [
    "CLONE",
    "MNT_DETACH",
    "MS",
    "capabilities",
    "capset_nothing",
    "drop_bounding_set",
    "effective",
    "mount",
    "personality",
    "pivot_root",
    "prctl",
    "still_addresses",
    "syscall",
    "umount",
    "unshare",
]

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_CAPABILITY_VERSION_3 = 0x20080522
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_ASK, _ADDR_NO_RANDOMIZE = 0xFFFFFFFF, 0x0040000  # of linux/personality.h
_LAST_CAPABILITY = 63  # of which the kernel knows some 41; the others are refused

CLONE = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
"""``CLONE_NEW*`` of ``linux/sched.h``, by the name of the namespace."""
MS = {
    "ro": 1,
    "nosuid": 2,
    "nodev": 4,
    "noexec": 8,
    "remount": 32,
    "noatime": 1024,
    "bind": 4096,
    "rec": 16384,
    "private": 1 << 18,
}
"""``MS_*`` of ``linux/mount.h``."""
MNT_DETACH = 2


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *args: object) -> int:
    """Make a raw system call; integers and ctypes values are passed unchanged."""
    words = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return _check(_libc.syscall(ctypes.c_long(number), *words), f"system call {number}")


def prctl(option: int, a: int = 0, b: object = 0, c: int = 0, d: int = 0) -> int:
    """Call ``prctl``; its man page lists the options."""
    second = ctypes.c_ulong(b) if isinstance(b, int) else b
    return _check(
        _libc.prctl(option, ctypes.c_ulong(a), second, ctypes.c_ulong(c), ctypes.c_ulong(d)), f"prctl {option}"
    )


@contextlib.contextmanager
def still_addresses() -> Iterator[None]:
    """Start processes without address randomisation in this block, if the kernel allows it."""
    before = _libc.personality(ctypes.c_ulong(_ASK))
    if before >= 0:
        _libc.personality(ctypes.c_ulong(before | _ADDR_NO_RANDOMIZE))
    try:
        yield
    finally:
        if before >= 0:
            _libc.personality(ctypes.c_ulong(before))


def unshare(*names: str) -> None:
    """Enter new namespaces, by their names in ``CLONE``."""
    flags = 0
    for name in names:
        flags |= CLONE[name]
    _check(_libc.unshare(flags), f"unshare {' '.join(names)}")


def mount(source: str, target: str, kind: str = "", flags: tuple[str, ...] = (), data: str = "") -> None:
    """Mount a file system, the flags by their names in ``MS``."""
    bits = 0
    for name in flags:
        bits |= MS[name]
    done = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(bits), data.encode() or None
    )
    _check(done, f"mount {source} on {target}")


def umount(target: str) -> None:
    """Detach what is mounted at the target; it is freed when nothing uses it any more."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def pivot_root(new: str) -> None:
    """Make ``new``, a mount point, the root, and detach the old one."""
    number = _PIVOT_ROOT[os.uname().machine]
    os.chdir(new)
    syscall(number, ctypes.c_char_p(b"."), ctypes.c_char_p(b"."))
    umount(".")  # the old root lies over the new one until then
    os.chdir("/")


def drop_bounding_set() -> None:
    """Empty the bounding set, so that no executed program gains a capability."""
    for number in range(_LAST_CAPABILITY + 1):
        try:
            prctl(24, number)  # PR_CAPBSET_DROP
        except OSError:  # the first number that the kernel does not know, or no right to
            return


def capset_nothing() -> None:
    """Give up every capability of this process."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def capabilities() -> list[int]:
    """Return the capability sets: effective, permitted and inheritable, first the low words of all three."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    _check(_libc.capget(header, sets), "capget")
    return list(sets)


def effective(*numbers: int) -> bool:
    """Say whether this process has these capabilities, each below 32."""
    return all(capabilities()[0] >> number & 1 for number in numbers)


def personality() -> int:
    """Return the execution domain of this process; only a filter can refuse the question."""
    return _check(_libc.personality(ctypes.c_ulong(0xFFFFFFFF)), "personality")
