"""Starts a command that can make no user namespaces, as where the kernel or a container engine forbids them.

Run as a file: ``python confine.py COMMAND...``. It is what engines' default profiles do.
"""

import errno
import os
import sys

from turnwise.sandbox.jail import kernel, seccomp
from turnwise.sandbox.jail.syscalls import NUMBERS

_UNSHARE = {"x86_64": 272, "aarch64": 97}
_LOAD, _EQUAL, _SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _FIRST_ARGUMENT = 0, 16
_NO_NEW_PRIVS = 38


def no_user_namespaces() -> seccomp.Filter:
    """A filter that refuses new user namespaces, and allows all else."""
    machine = os.uname().machine
    return seccomp.Filter(
        [
            (_LOAD, 0, 0, _NUMBER),
            (_EQUAL, 5, 0, NUMBERS[machine]["clone3"]),  # its flags cannot be seen: libraries then use clone
            (_EQUAL, 1, 0, NUMBERS[machine]["clone"]),
            (_EQUAL, 0, 2, _UNSHARE[machine]),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            (_SET, 2, 0, kernel.CLONE["user"]),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
            (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        ]
    )


if __name__ == "__main__":
    chosen = no_user_namespaces()
    try:
        seccomp.attach(chosen)
    except OSError:  # who may not administer the machine must give up new privileges first
        kernel.prctl(_NO_NEW_PRIVS, 1)
        seccomp.attach(chosen)
    os.execvp(sys.argv[1], sys.argv[1:])
