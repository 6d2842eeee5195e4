"""What the README shows works as shown."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from turnwise.cli.main import run

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(not README.exists(), reason="needs the checkout, not an installed copy")
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [line.split("  #")[0].strip() for line in TEXT.splitlines() if re.match(r"(\S+=\S+ )?turnwise \w", line)]


def test_it_is_short_and_begins_with_the_two_commands() -> None:
    assert len(README.read_bytes()) <= 6500  # a row of names for each family
    assert TEXT.count("![") == 1, "one picture"
    first = re.findall(r"```\n(.*?)```", TEXT, re.DOTALL)[0]
    assert re.findall(r"^make (\S+)", first, re.MULTILINE) == ["quickstart", "test"]


def test_making_an_environment(tmp_path: Path) -> None:
    [code] = PYTHON
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}\nassert len(envs.reset(seed=1)[0]) == 64"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_figures_of_the_verifier_are_those_of_its_page() -> None:
    [claim] = re.findall(r"^- .*math_messages\.py.*$", TEXT, re.MULTILINE)
    page = (ROOT / "docs" / "verifiers.md").read_text(encoding="utf-8")
    rows = {
        name: re.findall(rf"^\| {name} \|.*$", page, re.MULTILINE) for name in ("turnwise, `verify`", "Math-Verify")
    }
    table = " ".join(row for found in rows.values() for row in found)
    figures = re.findall(r"\d+\.\d+ %", claim)
    assert len(figures) == 6 and [figure for figure in figures if figure not in table] == []


@pytest.mark.parametrize("command", [c for c in COMMANDS if " train " in c])
def test_training_commands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*shlex.split(command)[1:], "--dry-run"]) == 0
    assert '"env": "turnwise/' in capsys.readouterr().out


@pytest.mark.slow
def test_evaluation_commands(tmp_path: Path) -> None:
    [command] = [c for c in COMMANDS if " eval " in c and "oracle" in c]
    words = [sys.executable, "-m", *shlex.split(command.replace("--num-tasks 20", "--num-tasks 1"))]
    words += ["--chance-episodes", "2"]
    words += ["--out", str(tmp_path / "eval")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)  # "all" of a fresh process, not of the tests
    assert done.returncode == 0, done.stderr
    assert "Zebra-v0" in done.stdout


def test_links_lead_somewhere() -> None:
    """They are absolute, so that they work on a package index too, and name what is in the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    home = project["urls"]["Repository"]
    pictures = home.replace("github.com", "raw.githubusercontent.com") + "/main/"
    found = 0
    for picture, target in re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", TEXT):
        assert target.startswith(("https://", "#")), f"{target} would not work on a package index"
        path = re.sub(rf"^({re.escape(home)}/(blob|tree)/main/|{re.escape(pictures)})", "", target.partition("#")[0])
        if path != target.partition("#")[0]:
            assert (ROOT / path).exists(), target
            assert bool(picture) == target.startswith(pictures), target
            found += 1
    assert found > 10
