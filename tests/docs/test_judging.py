"""docs/judging.md, docs/exports.md and docs/leaderboard.md: their commands and code run, their tables are whole."""

import functools
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from turnwise.cli.main import run
from turnwise.core.registration import env_class, env_ids
from turnwise.core.wordings import FRAMES, PLAIN
from turnwise.evaluation.evaluate import Summary, evaluate
from turnwise.evaluation.suite import load_suite
from turnwise.report import boards
from turnwise.report.boards import REFERENCES

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not (DOCS / "judging.md").is_file(), reason="needs the checkout's docs")


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    blocks = re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines() if line.startswith("turnwise ")]


def executed(text: str) -> None:
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        exec(compile(block, "docs", "exec"), {})


def columns(text: str) -> set[str]:
    """The names in the first columns of the tables of columns."""
    tables = re.findall(r"^\| column \|.*\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return {
        name for table in tables for row in table.splitlines() for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    }


def test_the_page_about_votes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page("judging.md")
    monkeypatch.chdir(tmp_path)
    shown: set[str] = set()
    for words in commands(text):
        assert run(words) == 0, capsys.readouterr().err
    for folder in sorted((tmp_path / "runs").iterdir()):
        for scores in Summary.from_json((folder / "summary.json").read_text()).environments.values():
            shown |= {re.sub(r"(?<=[@ ])[24]$", "k", name) for name in scores.measures}
    assert shown | {"best of k"} == columns(text)
    executed(text)
    own = {name for env_id in env_ids() for name in env_class(env_id).own_wordings}
    named = re.findall(r"^\| ((?:`\w+` ?)+)\|", text.partition("| wording |")[2].partition("\n\n")[0], re.MULTILINE)
    assert {name for row in named for name in re.findall(r"\w+", row)} == {PLAIN, *FRAMES, *own}
    having = {env_id[9:].partition("-v")[0] for env_id in env_ids() if env_class(env_id).own_wordings}
    assert all(f"`{name}`" in text for name in having)


def test_the_page_about_exports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page("exports.md")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny-1.toml").write_text(
        'num_tasks = 2\n[domains.a]\nenvironments = [{ env = "Countdown", levels = [1] }]\n'
    )
    evaluate(load_suite("tiny-1.toml").config("oracle", out="results/oracle"))
    for words in commands(text):
        assert run(words) == 0, capsys.readouterr().err
    executed(text)
    assert (tmp_path / "site" / "index.html").is_file() and (tmp_path / "CARD.md").read_text().startswith(
        "---\nmodel-index"
    )
    assert list((tmp_path / "lm_eval_output" / "random").glob("results_*.json")) and list((tmp_path / "logs").iterdir())


@pytest.mark.slow
def test_the_page_about_the_leaderboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page("leaderboard.md")
    monkeypatch.chdir(tmp_path)
    elsewhere: Any = functools.partial(boards.record_references, folder=tmp_path)  # not into the package
    monkeypatch.setattr(boards, "record_references", elsewhere)
    for words in commands(text):
        assert run(words) == 0, capsys.readouterr().err
    [board] = json.loads((tmp_path / "site" / "leaderboard.json").read_text())["boards"]
    assert board["name"] == "ragen-games-1" and {row["agent"] for row in board["rows"]} == {"graded:5", *REFERENCES}
    [mine] = [row for row in board["rows"] if row["report"]]
    assert mine["agent"] == "graded:5" and (tmp_path / "site" / mine["report"]).is_file()
    shipped = (boards.FOLDER / "ragen-games-1.json").read_bytes()
    assert (tmp_path / "ragen-games-1.json").read_bytes() == shipped, "the rows are those that the command writes"
    assert all(f"`{agent}`" in text for agent in REFERENCES) and (DOCS / "leaderboard.png").stat().st_size > 10_000
