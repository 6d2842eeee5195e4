"""A program keeps its time when the machine stands still."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_PROGRAM = """
import sys, time
from turnwise.sandbox.interface.records import Limits, Program
from turnwise.sandbox.client.shared import shared_sandbox

sandbox = shared_sandbox({sandbox!r})
limits = Limits(wall_s=4.0)
code = "import time; time.sleep({seconds}); print('in time')"
session = sandbox.session(limits=limits) if {live} else None
print("now", flush=True)
result = session.execute(code) if session else sandbox.run(Program(code), limits)
print(result.stdout.strip() or result.killed_by, result.wall_s < 9.0)
"""


def _tree(root: int) -> list[int]:
    """Return a process and all its descendants."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(name))
    found = [root]
    for pid in found:
        found += parents.get(pid, [])
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("sandbox", "live"), [("embedded", False), ("embedded", True), ("unsafe-subprocess", False)])
@pytest.mark.parametrize(("seconds", "said"), [(0.5, "in time True"), (100, "wall True")])
def test_a_machine_that_stands_still_costs_a_program_nothing(
    sandbox: str, live: bool, seconds: float, said: str
) -> None:
    code = _PROGRAM.format(sandbox=sandbox, seconds=seconds, live=live)
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        time.sleep(0.2)
        pids = _tree(process.pid)
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            time.sleep(5.0 if number == signal.SIGSTOP else 0)
        assert process.stdout.read().strip() == said
