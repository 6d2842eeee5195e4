"""What runs the checks says when one fails, says nothing, or cannot be run; the checks themselves: `make interop`."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("interop_run", Path(__file__).with_name("run.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


def script(folder: Path, text: str) -> list[str]:
    path = folder / "script.py"
    path.write_text(text)
    return [sys.executable, str(path)]


@pytest.mark.parametrize(
    ("text", "held", "said"),
    [
        ("print('noise\\nok one_thing\\nok another')", True, "one thing; another"),
        ("print('fine')", False, "it said nothing that holds"),
        ("print('ok one'); raise SystemExit('the second does not hold')", False, "the second does not hold"),
        ("print('ok one'); print('the last word'); raise SystemExit(3)", False, "the last word"),
        ("assert False, 'why'", False, "AssertionError: why"),
    ],
)
def test_a_check_holds_if_it_says_what_holds_and_ends_with_0(
    runner: ModuleType, tmp_path: Path, text: str, held: bool, said: str
) -> None:
    assert runner.run(script(tmp_path, text), tmp_path / "folder") == (held, said)


def test_a_check_that_hangs_is_killed_with_what_it_started(
    runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "MOST_S", 1)
    text = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass'])"
    assert runner.run(script(tmp_path, text), tmp_path / "folder") == (False, "it took longer than 1 s")


@pytest.mark.slow
def test_packages_that_cannot_be_had_are_a_failure(
    runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "HOME", tmp_path)
    target = runner.Target("mcp1", ("--no-index", "no-package-of-this-name"), False)
    row = runner.check(target, "", tmp_path, tmp_path)
    assert row.status == "FAILED" and "pip install failed" in row.said and "no-package-of-this-name" in row.said
    assert not (tmp_path / target.venv / "made").exists(), "the next run tries again"


def test_a_python_that_is_not_here_leaves_its_checks_out(runner: ModuleType, tmp_path: Path) -> None:
    row = runner.check(runner.Target("mcp1", (), False, python="99.1"), "", tmp_path, tmp_path)
    assert row.status == "left out" and "Python 99.1" in row.said
    assert runner.interpreter("") == sys.executable


def test_light_checks_and_names(runner: ModuleType) -> None:
    found = runner.targets()
    light = {name for name, target in found.items() if target.light}
    assert light == {"mcp1", "mcp2", "mcp_tools", "ors", "ors_server", "skyrl"}
    assert found["mcp1"].packages == ("mcp>=1.30.0,<2",) and not found["mcp1"].ours and found["skyrl"].ours
    assert found["openenv_package"].ours, "a module beside it imports turnwise"
    folders = {target.venv: target.packages for target in found.values()}
    assert all(folders[target.venv] == target.packages for target in found.values()), "one folder, one set of packages"
    with pytest.raises(SystemExit):
        runner.main(["nothing"])
