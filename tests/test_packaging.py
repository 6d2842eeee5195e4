"""The checkout, the links and the mapping agree; nothing that should ship is forgotten."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("envs", "worlds", "verifiers", "sandbox", "retrieval", "engine", "agents", "baselines")
pytestmark = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="needs the checkout, not an installed copy")


@pytest.mark.parametrize("folder", FOLDERS)
def test_links(folder: str) -> None:
    link = ROOT / "turnwise" / folder
    assert link.is_symlink(), f"turnwise/{folder} is no link: clone with core.symlinks=true, or install with pip"
    assert link.readlink().as_posix() == f"../{folder}"


def test_setup_names_the_same_folders() -> None:
    assert str(FOLDERS).replace("'", '"') in (ROOT / "setup.py").read_text()


def test_every_folder_with_code_is_a_package() -> None:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), f"{path.parent} has no __init__.py and would not ship"


def test_every_package_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ``setup.py`` hands over are all folders with code, also below ``turnwise/`` itself."""
    import runpy

    import setuptools

    given: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", given.update)
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    inside = [p for p in (ROOT / "turnwise").iterdir() if (p / "__init__.py").exists() and not p.is_symlink()]
    found = {"turnwise"}
    for base, top in [*((ROOT, ROOT / folder) for folder in FOLDERS), *((ROOT / "turnwise", p) for p in inside)]:
        found |= {".".join(("turnwise", *p.parent.relative_to(base).parts)) for p in top.rglob("__init__.py")}
    assert set(given["packages"]) == found


def test_data_files_are_in_data_folders() -> None:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in (".py", ".pyc") and folder != "baselines":
                assert "data" in path.relative_to(ROOT).parts, f"{path} would not ship"


@pytest.mark.parametrize("folder", FOLDERS)
def test_bare_import_is_refused(folder: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"import {folder}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"the folder {folder}/ is imported as turnwise.{folder}" in done.stderr


def test_version_is_said_once() -> None:
    import turnwise

    match = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert match is not None
    assert turnwise.__version__ == match[1]


def test_the_workflow_runs_the_stages_of_ci() -> None:
    stages = re.findall(r"^ *make (\S+)", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    [matrix] = re.findall(r"^ +stage: \[(.*)\]$", (ROOT / ".github/workflows/ci.yml").read_text(), re.MULTILINE)
    assert matrix.split(", ") == stages


def test_the_project_says_where_it_lives_and_how_to_cite_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {"Repository", "Documentation", "Changelog", "Issues"} <= set(project["urls"])
    assert all(url.startswith(project["urls"]["Repository"]) for url in project["urls"].values())
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {project['version']}" in citation
    assert project["urls"]["Repository"] in citation
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text()
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"):
        assert (ROOT / name).stat().st_size > 500
