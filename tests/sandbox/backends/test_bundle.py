"""The bundle on a bare machine: Python alone, and nothing of turnwise but its files."""

import subprocess
import sys

from turnwise.sandbox.backends.bundle import write

IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import turnwise.sandbox as package
for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(found.name)
"""


def test_every_module_of_the_bundle_is_imported_without_any_package(tmp_path):
    write(tmp_path)
    command = [sys.executable, "-I", "-S", "-c", IMPORT_ALL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
