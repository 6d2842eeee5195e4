"""docs/evaluation.md: its commands run, and its tables are those of the code."""

import dataclasses
import re
import shlex
from pathlib import Path

import pytest

from tests.agents.test_openai import guess, serving
from turnwise.cli.main import run
from turnwise.core.episode import Turn, read_episodes

PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the checkout's docs")


def column(title: str) -> list[str]:
    """The names in the first column of the table with this head."""
    rows = PAGE.read_text().partition(f"| {title} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```\n(.*?)```", PAGE.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("turnwise ")]
    monkeypatch.chdir(tmp_path)
    with serving(lambda n, body: guess(body)) as server:
        for line in lines:
            assert run(shlex.split(line.replace("http://localhost:8000/v1", server.url))[1:]) == 0, capsys.readouterr()
        words = ["eval", "Countdown", "--num-tasks", "1", "--agent-options", "max_tokens=4096", "--agent"]
        assert run([*words, f"openai:m@{server.url}"]) == 0, capsys.readouterr()
        assert server.bodies[-1]["max_tokens"] == 4096
    assert len(lines) == 3
    assert sum(1 for _ in read_episodes(tmp_path / "runs" / "api" / "episodes.jsonl")) == 20


def test_the_table_of_turns_is_whole() -> None:
    assert {f.name for f in dataclasses.fields(Turn)} <= set(column("field of a turn"))
