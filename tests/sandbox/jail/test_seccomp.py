"""The filter of system calls, run by a small interpreter against the tables, for both processors."""

import errno
import struct

import pytest

from turnwise.sandbox.jail import seccomp
from turnwise.sandbox.jail.syscalls import AUDIT_ARCH, COMMON, LACKING, NUMBERS, PROCESSES, SIGNALS

ALLOW, KILL = 0x7FFF0000, 0x80000000


def refuse(number: int) -> int:
    return 0x00050000 | number


def execute(code: bytes, number: int, arch: int, arguments: tuple[int, ...] = ()) -> int:
    """What the kernel would decide. Source: linux/bpf_common.h."""
    data = struct.pack("<iIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = list(struct.iter_unpack("<HBBI", code))
    at = word = 0
    while True:
        operation, yes, no, value = steps[at]
        at += 1
        if operation == 0x20:
            word = struct.unpack_from("<I", data, value)[0]
        elif operation == 0x06:
            return value
        elif operation == 0x05:
            at += value
        else:
            holds = {0x15: word == value, 0x35: word >= value, 0x45: bool(word & value)}[operation]
            at += yes if holds else no


def lacking(machine: str) -> dict[int, int]:
    """Numbers that answer otherwise than with EPERM."""
    found = dict.fromkeys(range(463, 700), errno.ENOSYS)
    for answer, spans in LACKING[machine].items():
        for span in spans.split():
            first, _, last = span.partition("-")
            found |= dict.fromkeys(range(int(first), int(last or first) + 1), answer)
    return found


@pytest.mark.parametrize(
    ("machine", "number", "answer"),
    [
        ("x86_64", 188, errno.ENOTSUP), ("x86_64", 190, errno.ENOTSUP), ("x86_64", 199, errno.ENOTSUP),
        ("aarch64", 5, errno.ENOTSUP), ("aarch64", 7, errno.ENOTSUP), ("aarch64", 16, errno.ENOTSUP),
        ("x86_64", 319, errno.ENOSYS), ("aarch64", 279, errno.ENOSYS), ("x86_64", 425, errno.ENOSYS),
        ("x86_64", 165, errno.EPERM), ("x86_64", 101, errno.EPERM), ("aarch64", 117, errno.EPERM),
    ],
)  # fmt: skip
def test_what_programs_can_do_without_is_lacking_and_the_rest_is_forbidden(monkeypatch, machine, number, answer):
    """Setting attributes is not supported, memfd_create and io_uring are not there, mount and ptrace are forbidden."""
    monkeypatch.setattr(seccomp.os, "uname", lambda: type("Name", (), {"machine": machine}))
    built = seccomp.build(True, True, True)
    assert execute(built._code.raw[: 8 * built.length], number, AUDIT_ARCH[machine]) == refuse(answer)
    assert not {*NUMBERS[machine].values()} & ({*lacking(machine)} - {452})


@pytest.mark.parametrize("machine", NUMBERS)
@pytest.mark.parametrize("processes", [False, True])
@pytest.mark.parametrize("signals", [False, True])
def test_every_number(monkeypatch, machine, processes, signals):
    monkeypatch.setattr(seccomp.os, "uname", lambda: type("Name", (), {"machine": machine}))
    built = seccomp.build(processes, signals, processes)
    assert built is not None
    code, arch, numbers = built._code.raw[: 8 * built.length], AUDIT_ARCH[machine], NUMBERS[machine]
    allowed = f"{COMMON} {PROCESSES if processes else ''} {SIGNALS if signals else ''}".split()
    special = {"clone", "clone3", "ioctl", "prctl", "prlimit64", "socketpair", "socket"}
    names = {number: name for name, number in numbers.items()}
    assert len(names) == len(numbers)
    for number in range(700):
        name = names.get(number, "")
        if name in special:
            continue
        decision = execute(code, number, arch)
        if name in allowed:
            assert decision == ALLOW, name
        else:
            assert decision == refuse(lacking(machine).get(number, errno.EPERM)), (number, name)
    decide = lambda name, *arguments: execute(code, numbers[name], arch, arguments)  # noqa: E731
    assert decide("clone3") == refuse(errno.ENOSYS)
    assert decide("clone", 0x11) == (ALLOW if processes else refuse(errno.EPERM))
    assert decide("clone", 0x3D0F00) == ALLOW  # a thread
    for flag in (0x80, 0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide("clone", flag | 0x10011) == refuse(errno.EPERM)
    assert decide("ioctl", 0, 0x5401) == ALLOW and decide("ioctl", 0, 0x5412) == refuse(errno.ENOTTY)
    assert decide("prctl", 15) == ALLOW and decide("prctl", 22) == refuse(errno.EPERM)
    assert decide("prlimit64", 0) == ALLOW and decide("prlimit64", 1) == refuse(errno.EPERM)
    assert decide("socketpair", 1) == ALLOW and decide("socketpair", 30) == refuse(errno.EACCES)
    assert decide("socket", 1) == (ALLOW if processes else refuse(errno.EACCES))
    assert decide("socket", 2) == decide("socket", 10) == decide("socket", 17) == refuse(errno.EACCES)
    assert execute(code, numbers["getpid"], 0x40000003) == KILL  # the 32-bit calls have other numbers
    if machine == "x86_64":
        assert execute(code, 0x40000000 | numbers["getpid"], arch) == KILL


def test_the_tables_name_what_the_lists_name():
    listed = set(f"{COMMON} {PROCESSES} {SIGNALS}".split())
    assert listed <= set(NUMBERS["x86_64"])
    older = {
        "open",
        "stat",
        "lstat",
        "fork",
        "vfork",
        "poll",
        "select",
        "pipe",
        "dup2",
        "mkdir",
        "rmdir",
        "unlink",
        "access",
    }
    assert not older & set(NUMBERS["aarch64"])
    assert set(NUMBERS["aarch64"]) <= set(NUMBERS["x86_64"])


def test_no_table_no_filter(monkeypatch):
    monkeypatch.setattr(seccomp.os, "uname", lambda: type("Name", (), {"machine": "riscv64"}))
    assert seccomp.build(False, False, False) is None
