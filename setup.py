"""Installs the top-level folders as one import package, ``turnwise``. Metadata: pyproject.toml."""

from setuptools import find_packages, setup

FOLDERS = ("envs", "worlds", "verifiers", "sandbox", "retrieval", "engine", "agents", "baselines")
# <folder>/ is installed as turnwise/<folder>/
INSIDE = ("audit", "cli", "core", "evaluation", "report")  # they are where they belong

setup(
    packages=[
        "turnwise",
        *(f"turnwise.{p}" for p in find_packages() if p.split(".")[0] in FOLDERS),
        *(f"turnwise.{p}" for p in find_packages("turnwise") if p.split(".")[0] in INSIDE),
    ],
    package_dir={f"turnwise.{folder}": folder for folder in FOLDERS},
)
