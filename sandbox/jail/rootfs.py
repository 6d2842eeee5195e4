"""Namespaces and the file system of a warden: a root of its own that holds read-only views of a few trees."""

import contextlib
import errno
import os
import socket
import stat
import time
from typing import Any

from turnwise.sandbox.jail import identity, kernel, landlock

__all__ = [
    "BRANCHES",
    "FIRST_DATE_S",
    "PROGRAMS",
    "SCRATCH",
    "build",
    "enclose",
    "enclosing_rules",
    "link_python",
    "mount_scratch",
    "subtrees",
    "tops",
]

SCRATCH = "/box/work"  # a rule of Landlock on its parent outlives the file system that is mounted there
BRANCHES = "/box/branches"  # here those of forked sessions are mounted
FIRST_DATE_S = 1577880000
"""The date that a shell session gives its files: 2020-01-01 12:00 UTC."""
_BASE = "/proc"  # where the new root is put together: nothing below it is shown in it
_SITE = "/site"
PROGRAMS = "/programs"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_PASSWD = "root:x:0:0::/:/bin/sh\nbox:x:65534:65534::/box/work:/bin/sh\n"
_GROUP = "root:x:0:\nbox:x:65534:\n"
_LOCKED_FLAGS = ((os.ST_NOEXEC, "noexec"), (os.ST_NOATIME, "noatime"), (os.ST_NODEV, "nodev"), (os.ST_NOSUID, "nosuid"))


def enclose(
    config: dict[str, Any], strategy: str, ids: identity.Ids | None, others: list[str], answers: socket.socket
) -> int | None:
    """Move this process into namespaces with their own root, and return the user that its children become.

    Args:
        config: What is shown.
        strategy: "root" or "user": what the outer process has entered already.
        ids: Users that own nothing; with "user", those that are mapped; None: children stay the caller.
        others: Namespaces besides those of mounts and users.
        answers: Where the outer process is asked for maps of users.

    Raises:
        OSError: It is not allowed here.
    """
    if ids is not None:
        os.setgroups([])
    if strategy == "user":
        if ids is not None and os.geteuid() != identity.BUILDER_ID:
            identity.become(0)  # the caller is not mapped here, and cannot make files
        kernel.unshare("mount", *others)
        build(config)
        if ids is None:
            return None
        identity.become(0)
        return identity.BOX_ID
    if ids is None:
        raise PermissionError("there are no unused users")
    kernel.unshare("mount")
    build(config)
    try:
        kernel.unshare("user", "mount", *others)
    except OSError:  # no namespaces of users: root stays root, in namespaces of its own
        kernel.unshare(*others)
        return ids.box
    answers.send(b"m")
    if answers.recv(1) != b"+":
        raise PermissionError("users cannot be mapped")
    identity.become(0)
    return identity.BOX_ID


def build(config: dict[str, Any]) -> None:
    """Replace the root of this mount namespace by one that holds only what ``config`` shows."""
    kernel.mount("none", "/", flags=("rec", "private"))
    kernel.mount("tmpfs", _BASE, "tmpfs", ("nosuid", "nodev"), "size=4m,mode=755")
    for path in (*config["run"], *config["read"]):
        _show(path, _BASE + path)
    for name, path in config["site"].items():
        _show(path, f"{_BASE}{_SITE}/{name}")
    for path in config["hidden"]:
        target = _BASE + path
        if os.path.isdir(target):
            kernel.mount("tmpfs", target, "tmpfs", ("ro", "nosuid", "nodev", "noexec"), "size=4k,mode=755")
    os.makedirs(f"{_BASE}/dev", exist_ok=True)
    for name in _DEVICES:
        _touch(f"{_BASE}/dev/{name}")
        kernel.mount(f"/dev/{name}", f"{_BASE}/dev/{name}", flags=("bind",))
    os.makedirs(f"{_BASE}/etc", exist_ok=True)
    for name, text in (("passwd", _PASSWD), ("group", _GROUP)):
        with open(f"{_BASE}/etc/{name}", "w") as file:
            file.write(text)
    for path in (SCRATCH, BRANCHES):
        os.makedirs(_BASE + path, exist_ok=True)
    os.utime(_BASE + os.path.dirname(SCRATCH), (FIRST_DATE_S, FIRST_DATE_S))
    if not os.path.lexists(f"{_BASE}/tmp"):  # the interpreter may lie below it
        os.symlink(SCRATCH[1:], f"{_BASE}/tmp")
    os.symlink(SCRATCH, f"{_BASE}/dev/shm")  # named semaphores and shared memory, within the quota
    link_python(_BASE + PROGRAMS, config["executable"])
    kernel.pivot_root(_BASE)
    kernel.mount("none", "/", flags=("remount", "bind", "ro", "nosuid", "nodev"))


def link_python(folder: str, executable: str) -> None:
    """Link the interpreter under the names by which shells look for it."""
    os.mkdir(folder)
    for name in ("python", "python3"):
        os.symlink(executable, f"{folder}/{name}")


def _touch(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _show(source: str, target: str) -> None:
    """Mount a read-only view of a file or tree; copy a symbolic link as one."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(source) and not os.path.lexists(target):
        link = os.readlink(source)
        os.symlink(link, target)
        resolved = os.path.realpath(source)
        if not os.path.lexists(_BASE + resolved):
            _show(resolved, _BASE + resolved)
        return
    if stat.S_ISDIR(os.stat(source).st_mode):
        os.makedirs(target, exist_ok=True)
    elif not os.path.lexists(target):
        _touch(target)
    try:
        kernel.mount(source, target, flags=("bind",))
    except OSError as error:
        if error.errno != errno.EINVAL or not os.path.isdir(source):
            raise
        for name in os.listdir(source):  # something is mounted below, which an ordinary user may not uncover
            _show(f"{source}/{name}", f"{target}/{name}")
        return
    present = os.statvfs(target).f_flag
    kept = tuple(name for bit, name in _LOCKED_FLAGS if present & bit)
    kernel.mount("none", target, flags=("remount", "bind", "ro", "nosuid", *kept))


def mount_scratch(
    file_mb: float, files: int, programs: bool, owner: int | None = None, again: bool = False, at: str = SCRATCH
) -> None:
    """Mount an empty scratch directory of bounded size, or change the bounds of the one that is mounted.

    It is the owner's, whose session then holds its date still; None: this process's.
    """
    flags: tuple[str, ...] = ("nosuid", "nodev")
    if not programs:
        flags += ("noexec",)
    options = f"size={int(file_mb * 1024)}k,nr_inodes={files + 1},mode=1777"
    if again:
        flags += ("remount",)
    elif owner is not None:
        options += f",uid={owner},gid={owner}"
    for attempt in range(5):
        try:
            kernel.mount("tmpfs", at, "tmpfs", flags, options)
            return
        except OSError:
            if attempt == 4:
                raise
            time.sleep(0.01 * 2**attempt)


def subtrees(top: str, hidden: list[str]) -> list[str]:
    """Return the fewest files and directories that cover the tree except what is hidden."""
    inside = [path for path in hidden if path == top or path.startswith(f"{top}/")]
    if not inside:
        return [top]
    if top in inside:
        return []
    found: list[str] = []
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(top)):
            path = f"{top}/{name}"
            if not os.path.islink(path):
                found += subtrees(path, inside)
    return found


def enclosing_rules(
    config: dict[str, Any], scratch: str, programs: bool, site: list[str], masked: bool
) -> list[tuple[str, int]]:
    """Return the Landlock rules that allow what the root file system shows, and the scratch directory.

    Args:
        config: The settings of the warden.
        scratch: The scratch directory.
        programs: Files may be executed.
        site: Directories of installed packages.
        masked: What is hidden is hidden by mounts already, so that no rule needs to leave it out.
    """
    rules: list[tuple[str, int]] = []
    hidden = [] if masked else config["hidden"]
    for path in config["run"]:
        top = os.path.realpath(path)
        trees = subtrees(top, hidden)
        rules += [(tree, landlock.RUN if programs else landlock.READ) for tree in trees]
        if trees != [top]:
            rules.append((top, landlock.LIST))  # names of what is hidden can be seen, as imports list directories
    rules += [(path, landlock.READ) for path in (*config["read"], *site)]
    rules += [(f"/etc/{name}", landlock.READ) for name in ("passwd", "group")]
    rules += [(f"/dev/{name}", landlock.DEVICE) for name in _DEVICES]
    everything = landlock.EVERYTHING if programs else landlock.EVERYTHING & ~landlock.EXECUTE
    rules.append((os.path.dirname(scratch) if scratch == SCRATCH else scratch, everything))
    return rules


def tops(rules: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return fewer, wider rules for all outside the scratch directories: one for each top directory.

    A process under the rules loses nothing when it is put under these, too.
    """
    found: dict[str, int] = {}
    for path, rights in rules:
        top = "/" + path.split("/")[1]
        if top != "/" + SCRATCH.split("/")[1]:
            found[top] = found.get(top, 0) | rights
    return list(found.items())
