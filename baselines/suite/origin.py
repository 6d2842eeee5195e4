"""The origin of a run: code, machine, versions."""

import hashlib
import os
import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import turnwise

__all__ = ["origin"]

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "gymnasium")


@cache
def origin() -> dict[str, Any]:
    """Return commit, digest of the sources, machine and versions, as JSON values.

    The digest tells two states of the code apart where the commit does not: ``changed`` is true where files differ
    from the commit, and both are None where there is no repository.
    """
    root = Path(turnwise.__file__).parent.parent
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": _git(root, "rev-parse", "HEAD"),
        "changed": None if changes is None else bool(changes),
        "sources": _digest(root),
        "machine": {"cpu": _cpu(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"},
        "versions": {
            "python": platform.python_version(),
            "turnwise": turnwise.__version__,
            **{name: version(name) for name in PACKAGES},
        },
    }


def _git(root: Path, *command: str) -> str | None:
    """Return the output of a git command, or None without git or a repository."""
    try:
        found = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(root), *command], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def _digest(root: Path) -> str:
    """Return the first 12 digits of the SHA-256 of all Python files of the package, with their names."""
    digest = hashlib.sha256()
    folders = [
        root / name
        for name in ("turnwise", "envs", "worlds", "verifiers", "sandbox", "retrieval", "engine", "agents", "baselines")
    ]
    for path in sorted({p for folder in folders for p in folder.rglob("*.py")}):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _cpu() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
