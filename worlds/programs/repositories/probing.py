"""Compare what a package does with what the right one does, by probes whose right results never leave this process."""

import ast
import json
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from turnwise.sandbox import Limits, Program, shared_sandbox
from turnwise.verifiers.code.syntax import parse

__all__ = ["SEEDS", "Probed", "reaching", "run_probes"]

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


# ---- what a change can reach --------------------------------------------------------------------------------------


def reaching(files: Mapping[str, str], sources: Mapping[str, str], changed: Collection[str]) -> dict[str, str]:
    """Return those of some modules whose imports lead to a changed file, over any number of other files.

    What the others run is unchanged, all of it: they import no changed file, and neither does anything that they
    import. Their results are therefore those that they had before.

    Args:
        files: All files that can be imported, by path.
        sources: The modules to choose from, by path; they need not be among the files.
        changed: Paths of files that differ from those of before.
    """
    return {path: source for path, source in sources.items() if path in changed or _leads(source, files, changed)}


def _leads(source: str, files: Mapping[str, str], changed: Collection[str]) -> bool:
    seen: set[str] = set()
    waiting = [source]
    while waiting:
        names = _imported(waiting.pop())
        if names is None:
            return True
        for name in names:
            place = name.replace(".", "/")
            for path in (f"{place}.py", f"{place}/__init__.py"):
                if path in changed:
                    return True
                if path in files and path not in seen:
                    seen.add(path)
                    waiting.append(files[path])
    return False


@lru_cache(maxsize=1024)
def _imported(source: str) -> frozenset[str] | None:
    """Return all that a source may import, with the packages around it; None if that cannot be known."""
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level or not node.module or any(alias.name == "*" for alias in node.names):
                return None
            found.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
        elif isinstance(node, ast.Name) and node.id in ("__import__", "exec", "eval", "importlib"):
            return None
    return frozenset(name.rsplit(".", cut)[0] for name in found for cut in range(name.count(".") + 1))
