"""Landlock: a process restricts which files it and its children may touch, and cannot undo it.

Source: the kernel's ``Documentation/userspace-api/landlock.rst``; the numbers are those of ``linux/landlock.h``.
"""

import ctypes
import os
import stat
from collections.abc import Iterable

from turnwise.sandbox.jail.kernel import syscall

__all__ = ["DEVICE", "EVERYTHING", "EXECUTE", "LIST", "MOST_LAYERS", "READ", "RUN", "abi", "restrict", "ruleset"]

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every processor
EXECUTE, _WRITE_FILE, _READ_FILE, LIST, _TRUNCATE, _IOCTL_DEV = 1, 2, 4, 8, 1 << 14, 1 << 15
_OF_FILES = EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV  # rights that a rule on a file may name
_MAKE_DEVICES = (1 << 6) | (1 << 11)  # character and block devices: for nobody
_RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}

READ = _READ_FILE | LIST
RUN = READ | EXECUTE
DEVICE = (
    READ | _WRITE_FILE | _IOCTL_DEV
)  # programs ask whether it is a terminal; the filter of system calls allows no other request
EVERYTHING = ((1 << 15) - 1) & ~_MAKE_DEVICES
MOST_LAYERS = 16
"""How often a process can be restricted, counting what it was forked from."""


def abi() -> int:
    """Return the version of Landlock that the kernel offers, 0 for none."""
    try:
        return syscall(_CREATE, 0, 0, 1)  # LANDLOCK_CREATE_RULESET_VERSION
    except OSError:
        return 0


def ruleset(rules: Iterable[tuple[str, int]]) -> int:
    """Make rules of (path, rights) and return their descriptor; the rest is refused, with TCP and signals out.

    Paths that do not exist are left out.
    """
    version = abi()
    handled = _RIGHTS_BY_ABI[min(version, 5)]
    attributes = (ctypes.c_uint64 * 3)(handled, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    descriptor = syscall(_CREATE, ctypes.byref(attributes), size, 0)
    for path, rights in rules:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if not stat.S_ISDIR(os.fstat(place).st_mode):
                rights &= _OF_FILES
            beneath = ctypes.create_string_buffer(
                (rights & handled).to_bytes(8, "little") + place.to_bytes(4, "little")
            )
            syscall(_ADD, descriptor, 1, ctypes.byref(beneath), 0)  # LANDLOCK_RULE_PATH_BENEATH
        finally:
            os.close(place)
    return descriptor


def restrict(descriptor: int) -> None:
    """Put this process and all that it starts under the rules, for good; ``no_new_privs`` is required."""
    syscall(_RESTRICT, descriptor, 0)
