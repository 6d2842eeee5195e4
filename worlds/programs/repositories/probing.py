"""Compare what a package does with what the right one does, by probes whose right results never leave this process."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from turnwise.sandbox import Limits, Program, shared_sandbox

__all__ = ["SEEDS", "Probed", "run_probes"]

SEEDS = 16
"""Draws of each probe when a program is judged."""
_MAX_REPORT = 1 << 20


class Probed(NamedTuple):
    """The results of probes.

    Attributes:
        digests: What each probe returned, by its name; a digest for each draw.
        problem: Why there are none; "" if there are.
    """

    digests: Mapping[str, tuple[str, ...]]
    problem: str = ""

    def differing(self, right: "Probed") -> list[str]:
        """The probes that do not return what they return for the right program."""
        return [name for name, found in right.digests.items() if self.digests.get(name) != found]


@cache
def _runner() -> str:
    return Path(__file__).with_name("probe_runner.py").read_text()


def run_probes(
    files: Mapping[str, str], probes: Mapping[str, str], limits: Limits, seeds: int = SEEDS, sandbox: str = "auto"
) -> Probed:
    """Run probes on a package in a fresh process.

    Args:
        files: The package's files, by path.
        probes: Modules of probes, by path.
        limits: Limits of the whole run.
        seeds: Draws of each probe.
        sandbox: The name of the shared sandbox.

    Raises:
        InfrastructureError: The sandbox failed.
    """
    asked = json.dumps({"files": sorted(probes), "seeds": seeds})
    program = Program(_runner(), (asked,), files={**files, **probes}, name="run_probes.py")
    result = shared_sandbox(sandbox).run(program, limits)
    if result.killed_by in ("wall", "cpu"):
        return Probed({}, f"the hidden tests ran out of time ({limits.wall_s:g} s)")
    last = result.stdout.rstrip("\n").rpartition("\n")[2]
    try:
        found = json.loads(last if len(last) <= _MAX_REPORT else "")
        return Probed({str(name): tuple(map(str, digests)) for name, digests in found.items()})
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Probed({}, "the hidden tests ended without a result")
