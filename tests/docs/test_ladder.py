"""docs/ladder.md: its command, the output that it shows, and its flags."""

import re
import shlex
from pathlib import Path

import pytest

from turnwise.cli.ladder import Climbing
from turnwise.cli.main import run
from turnwise.core.settings import named_settings

PAGE = Path(__file__).parents[2] / "docs" / "ladder.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the checkout's docs")


def test_the_command_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    command, shown, calibration = re.findall(r"^```(?:text)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out == f"graded:5.5\n\n{shown}"
    for name in ("ladder.json", "ladder/ladder.json", "ladder/episodes.jsonl"):
        assert (tmp_path / "runs" / name).is_file()
    for line in calibration.splitlines():
        assert run(shlex.split(line)[1:]) == 0
    assert "on the scale runs/scale.json" in capsys.readouterr().out


def test_the_flags_and_defaults_are_those_of_the_command() -> None:
    text, settings = PAGE.read_text(encoding="utf-8"), named_settings(Climbing)
    rows = dict(re.findall(r"^\| `--([a-z-]+)` \| (\S+) \|", text, re.MULTILINE))
    assert rows == {name: str(settings[name.replace("-", "_")].default) for name in rows} and len(rows) == 6
    of_eval = {"num_tasks", "difficulty"}
    assert {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]+)", text)} <= settings.keys() | of_eval
