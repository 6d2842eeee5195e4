"""Starts a warden from the sandbox's own files: no installed package is imported, and none can be shadowed.

Run as a file: ``python -S -s -P -B launch.py CONTROL_FD STRATEGY SETTINGS``. It puts empty packages in place of
``turnwise`` and ``turnwise.sandbox``, so that the modules in the rooms below keep the names they have everywhere else.
"""

import os
import sys
from types import ModuleType

__all__ = ["prepare"]


def prepare(folder: str) -> None:
    """Make the rooms in ``folder`` importable below ``turnwise.sandbox``, and nothing else of turnwise."""
    for name in ("turnwise", "turnwise.sandbox"):
        module = ModuleType(name)
        module.__path__ = [folder] if name.endswith("sandbox") else []
        sys.modules[name] = module


if __name__ == "__main__":
    prepare(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from turnwise.sandbox.jail.outer import main

    main(sys.argv[1:])
