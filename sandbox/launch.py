"""Starts a warden from this folder alone: no installed package is imported, and none can be shadowed.

Run as a file: ``python -S -s -P -B launch.py CONTROL_FD STRATEGY SETTINGS``. It stands in for the packages above this
folder with empty ones, so that the modules keep the names that they have everywhere else.
"""

import os
import sys
from types import ModuleType

__all__ = ["prepare"]


def prepare(folder: str) -> None:
    """Makes the modules of ``folder`` importable as ``turnwise.sandbox``, and nothing else of turnwise."""
    for name in ("turnwise", "turnwise.sandbox"):
        module = ModuleType(name)
        module.__path__ = [folder] if name.endswith("sandbox") else []
        sys.modules[name] = module


if __name__ == "__main__":
    prepare(os.path.dirname(os.path.abspath(__file__)))
    from turnwise.sandbox.outer import main

    main(sys.argv[1:])
