"""Installs the top-level folders as one import package, ``turnwise``. Metadata: pyproject.toml."""

from setuptools import find_packages, setup

FOLDERS = ("envs", "worlds", "verifiers", "sandbox", "retrieval", "engine", "agents", "baselines")
# <folder>/ is installed as turnwise/<folder>/
INSIDE = (
    "adapters",
    "audit",
    "cli",
    "core",
    "evaluation",
    "export",
    "games",
    "outside",
    "report",
    "serve",
    "session",
)  # they are where they belong

setup(
    packages=[
        "turnwise",
        *(f"turnwise.{p}" for p in find_packages() if p.split(".")[0] in FOLDERS),
        *(f"turnwise.{p}" for p in find_packages("turnwise") if p.split(".")[0] in INSIDE),
    ],
    py_modules=["turnwise_vf"],  # verifiers finds environments as modules of their own
    package_dir={f"turnwise.{folder}": folder for folder in FOLDERS},
)
