"""The filter of system calls: a program for the kernel, a binary tree over the numbers that decides in a dozen steps.

A linear list of two hundred comparisons costs every system call of the jailed program half a microsecond.

Source: the kernel's ``Documentation/userspace-api/seccomp_filter.rst``, ``linux/filter.h`` and ``linux/seccomp.h``.
"""

import ctypes
import errno
import os
import struct

from turnwise.sandbox.jail.kernel import prctl
from turnwise.sandbox.jail.syscalls import AUDIT_ARCH, COMMON, LACKING, NUMBERS, PROCESSES, RESTRICTIONS, SIGNALS

__all__ = ["Filter", "attach", "build"]

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_LOAD, _JUMP, _EQUAL, _GREATER_EQUAL, _SET, _AND, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000
_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020080  # every CLONE_NEW*
_AF_UNIX = 1
_NEWEST = 463  # numbers above came after this table: libraries must see "no such call" and use an older one
_IOCTLS = (
    0x5401,
    0x5402,
    0x5413,
    0x541B,
    0x5421,
    0x5450,
    0x5451,
)  # terminal or not, bytes waiting, non-blocking, cloexec
_PRCTLS = (1, 2, 3, 15, 16, 21, 23, 39, 0x53564D41)  # parent-death signal, names, questions

_Code = list[tuple[int, int, int, int]]


def _refuse(number: int) -> int:
    return 0x00050000 | number


def _first(argument: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)  # the low word, on a little-endian processor


def _return(value: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, value)


def _one_of(argument: int, values: tuple[int, ...], otherwise: int) -> _Code:
    code: _Code = [_first(argument)]
    for position, value in enumerate(values):
        code.append((_EQUAL, len(values) - position, 0, value))
    return [*code, _return(_refuse(otherwise)), _return(_ALLOW)]


def _leaves(machine: str, processes: bool, signals: bool, sockets: bool, restrictions: bool) -> dict[int, _Code]:
    numbers = NUMBERS[machine]
    chosen = ((COMMON, True), (PROCESSES, processes), (SIGNALS, signals), (RESTRICTIONS, restrictions))
    allowed = " ".join(names for names, wanted in chosen if wanted).split()
    leaves: dict[int, _Code] = {
        number: [_return(_refuse(answer))]
        for answer, lacking in LACKING[machine].items()
        for first, _, last in (span.partition("-") for span in lacking.split())
        for number in range(int(first), int(last or first) + 1)
    }
    leaves |= {numbers[name]: [_return(_ALLOW)] for name in allowed if name in numbers}
    if processes:
        clone = [_first(0), (_SET, 0, 1, _CLONE_NAMESPACES), _return(_refuse(errno.EPERM)), _return(_ALLOW)]
    else:
        clone = [
            _first(0),
            (_SET, 1, 0, _CLONE_NAMESPACES),
            (_SET, 1, 0, _CLONE_THREAD),
            _return(_refuse(errno.EPERM)),
            _return(_ALLOW),
        ]
    leaves[numbers["clone"]] = clone
    leaves[numbers["clone3"]] = [_return(_refuse(errno.ENOSYS))]  # its flags cannot be seen from here
    leaves[numbers["ioctl"]] = _one_of(1, _IOCTLS, errno.ENOTTY)
    leaves[numbers["prctl"]] = _one_of(0, _PRCTLS, errno.EPERM)
    leaves[numbers["prlimit64"]] = _one_of(0, (0,), errno.EPERM)
    leaves[numbers["sched_setaffinity"]] = _one_of(0, (0,), errno.EPERM)
    leaves[numbers["setpriority"]] = [*_one_of(0, (0,), errno.EPERM)[:-1], *_one_of(1, (0,), errno.EPERM)]
    leaves[numbers["socketpair"]] = _one_of(0, (_AF_UNIX,), errno.EACCES)
    if sockets:
        leaves[numbers["socket"]] = _one_of(0, (_AF_UNIX,), errno.EACCES)
    else:
        leaves[numbers["socket"]] = [_return(_refuse(errno.EACCES))]
    return leaves


def _tree(ranges: list[tuple[int, _Code]]) -> _Code:
    """Return the code for a sorted list of (first number, what to do), with the number loaded."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    low, high = _tree(ranges[:middle]), _tree(ranges[middle:])
    if len(low) < 256:
        return [(_GREATER_EQUAL, len(low), 0, ranges[middle][0]), *low, *high]
    return [(_GREATER_EQUAL, 0, 1, ranges[middle][0]), (_JUMP, 0, 0, len(low)), *low, *high]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


class Filter:
    """A filter ready to be attached.

    Attributes:
        length: Number of instructions.
    """

    def __init__(self, code: _Code) -> None:
        self.length = len(code)
        self._code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in code))
        self.program = _Program(self.length, ctypes.addressof(self._code))


def build(processes: bool, signals: bool, sockets: bool, restrictions: bool = False) -> Filter | None:
    """Build the filter for this processor, or return None if there is no table for it.

    Args:
        processes: Programs may fork and execute others, instead of only starting threads.
        signals: Programs may send signals: something else keeps them from signalling what is not theirs.
        sockets: Programs may open sockets of the machine's own (``AF_UNIX``): they have a network of their own.
        restrictions: Programs may put themselves under rules of Landlock.
    """
    machine = os.uname().machine
    if machine not in NUMBERS or struct.calcsize("P") != 8:
        return None
    refuse = [_return(_refuse(errno.EPERM))]
    ranges: list[tuple[int, _Code]] = [(0, refuse)]
    for number, code in sorted(_leaves(machine, processes, signals, sockets, restrictions).items()):
        if ranges[-1][0] == number:
            ranges.pop()
        if not ranges or ranges[-1][1] != code:
            ranges.append((number, code))
        ranges.append((number + 1, refuse))
    merged: list[tuple[int, _Code]] = []
    for position, (number, code) in enumerate(ranges):  # an empty range stands before the one that begins there too
        if position + 1 < len(ranges) and ranges[position + 1][0] == number:
            continue
        if not merged or merged[-1][1] != code:
            merged.append((number, code))
    merged.append((_NEWEST, [_return(_refuse(errno.ENOSYS))]))
    start: _Code = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, AUDIT_ARCH[machine]), _return(_KILL), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        start += [(_GREATER_EQUAL, 0, 1, _X32), _return(_KILL)]
    return Filter([*start, *_tree(merged)])


def attach(chosen: Filter) -> None:
    """Put this process and all that it starts under the filter, for good; ``no_new_privs`` is required."""
    prctl(22, 2, ctypes.byref(chosen.program))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
