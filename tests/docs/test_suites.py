"""docs/suites.md and docs/compare.md: the first path from top to bottom against two models, and everything else."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.agents.test_openai import serving
from tests.evaluation._models import knowing
from turnwise.cli.compare import Compare
from turnwise.cli.main import run
from turnwise.core.episode import read_episodes
from turnwise.core.settings import named_settings
from turnwise.evaluation.evaluate import Summary
from turnwise.evaluation.suite import built_in_suites, load_suite

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not (DOCS / "suites.md").is_file(), reason="needs the checkout's docs")


def blocks(text: str, language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [body for name, body in found if name == language]


def commands(text: str) -> list[list[str]]:
    lines = [line for block in blocks(text, "") for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("turnwise ")]


def files(text: str) -> list[str]:
    return blocks(text, "toml")


@pytest.mark.slow
def test_the_first_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """From the installed package to a table of two models, as the page has it."""
    text = (DOCS / "suites.md").read_text().partition("## First path")[2].partition("\n## ")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.toml").write_text(files(text)[0])
    config = load_suite("quick-1").config()
    with serving(knowing(config, 0.4)) as small, serving(knowing(config, 0.7)) as large:
        for words in commands(text):
            urls = {"http://localhost:8000/v1": small.url, "http://localhost:8001/v1": large.url}
            line = " ".join(words)
            for old, new in urls.items():
                line = line.replace(old, new)
            assert run(line.split()) == 0, capsys.readouterr().err
    shown = capsys.readouterr().out
    assert "quick-1: 100.0" in shown and "large (runs/large) is better than small (runs/small)" in shown
    summaries = [Summary.from_json((tmp_path / "runs" / n / "summary.json").read_text()) for n in ("small", "large")]
    scores = [summary.suite.headline for summary in summaries if summary.suite is not None]
    assert [round(part.score or 0, 1) for part in scores] == pytest.approx([0.4, 0.7], abs=0.11)
    costs = [part.scores.cost for part in scores]
    assert costs[0] and costs[1] and costs[1] > 5 * costs[0]
    for name in ("oracle", "small", "large"):
        assert sum(1 for _ in read_episodes(tmp_path / "runs" / name / "episodes.jsonl")) == 192
    for page in ("compared.html", "both.html", "small/report.html"):
        assert (tmp_path / "runs" / page).stat().st_size > 1000


def test_a_suite_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "suites.md").read_text().partition("## A suite of your own")[2].partition("\n## ")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine-1.toml").write_text(files(text)[0])
    lines = commands(text)
    assert [words[0] for words in lines] == ["suites", "suites", "eval"]
    for words in lines:
        assert run(words) == 0
    about = json.loads((tmp_path / "runs" / "mine" / "summary.json").read_text())["suite"]["about"]
    assert about["name"] == "mine-1" and about["recorded"] == about["environments"]


def test_the_list_of_suites_is_that_of_the_package() -> None:
    table = (DOCS / "suites.md").read_text().partition("| suite |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) \|", table, re.MULTILINE)
    assert {name: int(number) for name, number in rows} == {n: load_suite(n).num_episodes for n in built_in_suites()}


def test_the_commands_of_the_page_about_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / "compare.md").read_text()
    monkeypatch.chdir(tmp_path)
    for words in commands(text):
        words = ["Countdown:difficulty=4" if word == "suite:quick-1" else word for word in words]  # no minutes of it
        assert run(words) == 0, capsys.readouterr().err
    assert "is better than graded:4" in capsys.readouterr().out
    named = {word.replace("-", "_") for word in re.findall(r"--([a-z][a-z-]+)", text)}
    assert named <= {*named_settings(Compare), "num_tasks", "num_samples", "agent"}
