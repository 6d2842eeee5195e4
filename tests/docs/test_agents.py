"""docs/agents.md: its commands and programs run, and its tables are those of the code."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.test_openai import Answer, ok, said, serving
from turnwise.agents.endpoint.options import Options
from turnwise.agents.make import ENDPOINTS, KINDS, endpoint_class
from turnwise.cli.main import run
from turnwise.core.episode import read_episodes
from turnwise.core.settings import named_settings

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the checkout's docs")


def rows(start: str) -> list[list[str]]:
    """The cells of the rows of the table after a text."""
    table = PAGE.read_text().partition(start)[2].partition("|---")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()[1:]]


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return [body for name, body in found if name == language]


def counted(number: int, body: dict[str, Any]) -> Answer:
    return ok({**said("<answer>1</answer>"), "model": "my-model"})


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for text in blocks("python"):
        (tmp_path / text.splitlines()[0].removeprefix("# ")).write_text(text)
    (tmp_path / "prices.toml").write_text(blocks("toml")[0])
    lines = [line for block in blocks("") for line in block.splitlines()]
    with serving(counted) as server:
        for line in lines:
            line = line.replace("http://localhost:8000/v1", server.url).replace("python3", sys.executable)
            if "MathWithPython" in line:  # needs a sandbox: tests/agents/test_apis.py plays tools
                line = line.replace("MathWithPython", "GuessNumber")
            assert run([*shlex.split(line)[1:], "--chance-episodes", "0"]) == 0, capsys.readouterr()
        assert len(server.bodies) > 100
    assert len(lines) == 5
    assert len(list(read_episodes(tmp_path / "runs" / "paid" / "episodes.jsonl"))) == 100
    assert len((tmp_path / "requests.jsonl").read_text().splitlines()) == 100
    assert "| GuessNumber-v0 |        5 | 100.0 % |" in capsys.readouterr().out, "the program bisects"


def test_the_tables_are_whole() -> None:
    shared = {name for cells in rows("All four APIs have these") for name in re.findall(r"`(\w+)`", cells[0])}
    assert shared == named_settings(Options).keys() - {"concurrency"}  # by --concurrency
    for cells in rows("All four APIs have these"):
        for name in re.findall(r"`(\w+)`", cells[0]):
            default = named_settings(Options)[name].default
            if isinstance(default, (int, float)) and not isinstance(default, bool):
                assert cells[1] == f"{default:g}".replace("1.6384e+04", "16384"), name
    own = {(kind, name) for kind in ENDPOINTS for name in named_settings(endpoint_class(kind).OPTIONS)}
    own = {(kind, name) for kind, name in own if name not in named_settings(Options)}
    found = set()
    for cells in rows("These belong to single APIs"):
        found |= {(kind, re.findall(r"`(\w+)`", cells[0])[0]) for kind in re.findall(r"`([\w-]+)`", cells[1])}
    assert found == own
    named = {cell.partition(":")[0] for cells in rows("makes the same in Python") for cell in cells[0].split("`")[1::2]}
    assert named == {kind.partition(":")[0] for kind in KINDS}
