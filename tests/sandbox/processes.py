"""Processes of this machine, as tests look for them."""

import contextlib
from pathlib import Path

from tests._work import eventually


def children(pid: int) -> list[int]:
    """Processes below one, however far."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has ended meanwhile
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *children(child)]
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids: list[int]) -> bool:
    return eventually(lambda: not any(map(alive, pids)))
