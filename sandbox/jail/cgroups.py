"""A control group for a warden, if one can be made: it limits the memory or the number of all its processes.

Both versions of the interface are supported. Controllers are used if they are mounted and writable; they are never
mounted or changed for others.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Group", "create", "enclosing"]

_OVERHEAD_BYTES = 48 * 2**20  # the warden itself
_PREFIX = "turnwise-"
_NO_LIMIT = 2**60  # version 1 writes a number near 2**63
_FILES = {
    ("memory", 1): ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control"),
    ("memory", 2): ("memory.max", "memory.swap.max", "memory.events"),
    ("pids", 1): ("pids.max", "", ""),
    ("pids", 2): ("pids.max", "", ""),
}  # the limit, that of swap or of both together, and the count of kills


@dataclass
class Group:
    """The control groups that this process is in, one for each controller or one for both.

    Attributes:
        paths: Their directories.
        memory: Descriptor of the file that holds the limit of memory, -1 for none.
        swap: The same for swap: of memory and swap together in version 1, of swap alone in version 2.
        swap_alone: Whether the limit of swap is that of version 2.
        events: Descriptor of the file that counts kills, -1 for none.
        tasks: Descriptor of the file that holds the limit of processes and threads, -1 for none.
    """

    paths: list[str] = field(default_factory=list)
    memory: int = -1
    swap: int = -1
    swap_alone: bool = False
    events: int = -1
    tasks: int = -1

    def kills(self) -> int:
        """Return how many processes were killed so far because memory ran out."""
        found = re.search(rb"oom_kill (\d+)", os.pread(self.events, 4096, 0)) if self.events >= 0 else None
        return int(found[1]) if found else 0

    def set_memory(self, memory_mb: float) -> int:
        """Set the memory limit of all processes together, if there is one, and return it in bytes.

        Raises:
            OSError: The kernel has not taken it.
        """
        if self.memory < 0:
            return 0
        wanted = int(memory_mb * 2**20) + _OVERHEAD_BYTES
        for _ in range(2):  # memory may not go above memory and swap, so that either order fails one way
            for place in (self.memory, self.swap):
                if place >= 0:
                    with contextlib.suppress(OSError):
                        os.pwrite(place, b"0" if place == self.swap and self.swap_alone else b"%d" % wanted, 0)
        _check(self.memory, wanted, "memory")
        return wanted

    def set_tasks(self, number: int) -> None:
        """Set the limit of processes and threads, the warden's included.

        Raises:
            OSError: The kernel has not taken it.
        """
        if self.tasks >= 0:
            os.pwrite(self.tasks, b"%d" % number, 0)
            _check(self.tasks, number, "processes")

    def leave(self) -> None:
        """Take this process out of the groups and remove them; all their other processes are gone."""
        for path in self.paths:
            with contextlib.suppress(OSError), open(f"{os.path.dirname(path)}/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))
            with contextlib.suppress(OSError):
                os.rmdir(path)


def _check(place: int, wanted: int, what: str) -> None:
    found = os.pread(place, 100, 0).strip()
    if not found.isdigit() or int(found) > wanted:
        raise OSError(f"the control group has not taken its limit of {what}: {found.decode()} instead of {wanted}")


def create(memory: bool, tasks: bool) -> Group | None:
    """Make groups and put this process in them; None if none are wanted or allowed."""
    group = Group()
    if memory:
        _join(group, "memory")
    if tasks:
        _join(group, "pids")
    return group if group.paths else None


def _join(group: Group, controller: str) -> None:
    for parent, version in _places(controller):
        limit, swap, events = _FILES[controller, version]
        path = f"{parent}/{_PREFIX}{os.getpid()}"
        made = path not in group.paths
        if made:
            _sweep(parent)
            try:
                os.mkdir(path)
            except OSError:
                continue
        opened: list[int] = []
        try:
            opened.append(os.open(f"{path}/{limit}", os.O_RDWR))
            if controller == "memory":
                opened.append(os.open(f"{path}/{swap}", os.O_RDWR) if os.path.exists(f"{path}/{swap}") else -1)
                opened.append(os.open(f"{path}/{events}", os.O_RDONLY))
            if made:
                with open(f"{path}/cgroup.procs", "w") as file:
                    file.write(str(os.getpid()))
                group.paths.append(path)
        except OSError:
            for place in opened:
                if place >= 0:
                    os.close(place)
            if made:
                with contextlib.suppress(OSError):
                    os.rmdir(path)
            continue
        if controller == "memory":
            (group.memory, group.swap, group.events), group.swap_alone = opened, version == 2
        else:
            (group.tasks,) = opened
        return


def enclosing() -> Group | None:
    """Return the group of the container around this process, to read only; None if it has no memory limit."""
    for place, version in _places("memory"):
        limit, _, events = _FILES["memory", version]
        with contextlib.suppress(OSError, ValueError), open(f"{place}/{limit}") as file:
            if int(file.read()) < _NO_LIMIT:  # version 2 writes "max"
                return Group(events=os.open(f"{place}/{events}", os.O_RDONLY))
    return None


def _places(controller: str) -> Iterator[tuple[str, int]]:
    """Yield directories where a group could be made, each with the version of its interface."""
    own: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/self/cgroup") as file:
        for line in file:
            _, names, path = line.rstrip("\n").split(":", 2)
            for name in names.split(","):
                own[name] = path.rstrip("/")
    with contextlib.suppress(OSError), open("/proc/self/mountinfo") as file:
        for line in file.read().splitlines():
            fields, _, rest = line.partition(" - ")
            kind, _, options = rest.split(" ", 2)
            top = re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), fields.split()[4])
            if kind == "cgroup" and controller in options.strip().split(","):
                yield _inside(top, own.get(controller, "")), 1
            elif kind == "cgroup2":
                for place in _above(top, _inside(top, own.get("", ""))):
                    yield place, 2


def _inside(top: str, path: str) -> str:
    """Return the directory of a group, which a container may see as the top instead of under the host's path."""
    return top + path if os.path.isdir(top + path) else top


def _above(top: str, place: str) -> Iterator[str]:
    """Yield the group and those above it, as far as leaving the lower ones evades no limit.

    In version 2, a group that holds processes cannot have groups with controllers below it, except for the top.
    """
    yield place
    while place != top:
        for name in ("memory.max", "memory.high", "memory.swap.max", "pids.max"):
            with contextlib.suppress(FileNotFoundError), open(f"{place}/{name}") as file:
                if file.read().strip() != "max":
                    return
        place = os.path.dirname(place)
        yield place


def _sweep(parent: str) -> None:
    """Remove the groups of wardens that were killed."""
    with contextlib.suppress(OSError):
        for name in os.listdir(parent):
            pid = name.removeprefix(_PREFIX)
            if name.startswith(_PREFIX) and pid.isdecimal() and not os.path.exists(f"/proc/{pid}"):
                with contextlib.suppress(OSError):
                    os.rmdir(f"{parent}/{name}")
