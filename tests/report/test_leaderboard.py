"""Leaderboards: which runs share a board, ranks, the site, and the rows of scripted agents that are shipped."""

import dataclasses
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from turnwise.cli.main import run
from turnwise.evaluation.evaluate import evaluate
from turnwise.evaluation.suite import built_in_suites, load_suite
from turnwise.report.boards import (
    REFERENCES,
    Board,
    Figure,
    Row,
    boards,
    read_references,
    read_results,
    record_references,
)

SUITE = """
title = "Two domains"
num_tasks = 4
[domains.math]
environments = [{ env = "Countdown", levels = [2] }]
[domains.games]
environments = [{ env = "GuessNumber", levels = [1] }]
"""
EVIL = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    (folder / "two-1.toml").write_text(SUITE)
    suite = load_suite(str(folder / "two-1.toml"))
    for agent in ("graded:2", "random"):
        evaluate(suite.config(agent, out=str(folder / "deep" / agent.replace(":", "-"))))
    evaluate(suite.config("oracle", seed=9, out=str(folder / "oracle")))
    (folder / "other-1.toml").write_text(SUITE.replace("levels = [2]", "levels = [3]"))
    evaluate(load_suite(str(folder / "other-1.toml")).config("random", out=str(folder / "other")))
    assert run(["eval", "Countdown", "--num-tasks", "2", "--agent", "random", "--out", str(folder / "plain")]) == 0
    shutil.copytree(folder / "oracle", folder / "stopped")
    (folder / "stopped" / "summary.json").unlink()
    shutil.copytree(folder / "other", folder / "broken")
    (folder / "broken" / "summary.json").write_text('{"agent": "x", "suite": {}}')
    shutil.copytree(folder / "other", folder / "evil")
    text = (folder / "evil" / "summary.json").read_text()
    (folder / "evil" / "summary.json").write_text(text.replace('"agent": "random"', f'"agent": {json.dumps(EVIL)}'))
    (folder / "evil" / "report.html").write_text("the report")
    (folder / "evil" / "report_files").mkdir()
    (folder / "evil" / "report_files" / "0_rows.js").write_text("data")
    return folder


def row(agent: str, score: float | None, low: float = 0, high: float = 0) -> Row:
    return Row(agent=agent, headline=Figure(score, None if score is None else (low, high)), domains={})


def test_ranks_by_hand() -> None:
    rows = (row("a", 0.9, 0.8, 1.0), row("b", 0.85, 0.75, 0.9), row("c", 0.7, 0.6, 0.78), row("d", 0.2, 0.1, 0.3))
    board = Board("s", "", "h", "e", (), (*rows, row("e", None)))
    assert board.ranks() == [1, 1, 2, 4, None]  # c lies below all of a, and overlaps b


def test_runs_of_one_suite_share_a_board(results: Path) -> None:
    found, left_out = read_results([results])
    made = {board.name: board for board in boards(found)}
    assert [row.agent for row in made["two-1"].rows] == ["oracle", "graded:2", "random"]
    assert list(made["two-1"].domains) == ["math", "games"] == list(made["two-1"].rows[0].domains)
    best = made["two-1"].rows[0]
    assert best.headline.score == 1.0 and best.domains["games"].score == 1.0 and best.seed == 9
    assert {run.name: why.split(":")[0] for run, why in left_out.items()} == {
        "plain": "it played no suite",
        "stopped": "it is not finished",
        "broken": "its summary.json cannot be read",
    }
    assert sorted(row.agent for row in made["other-1"].rows) == sorted([EVIL, "random"])


def test_the_same_name_with_other_content_is_another_board(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "other", tmp_path / "other")
    text = (tmp_path / "other" / "summary.json").read_text().replace("other-1", "two-1")
    (tmp_path / "other" / "summary.json").write_text(text)
    made = boards(read_results([results, tmp_path])[0])
    assert [board.name for board in made] == ["other-1", "two-1", "two-1"] and len({b.key for b in made}) == 3


def test_the_site(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = tmp_path / "site"
    assert run(["leaderboard", str(results), "--out", str(site), "--title", EVIL]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == str(site / "index.html") and "left out: it played no suite" in said.err
    text = (site / "index.html").read_text()
    assert text.count("<script") == 2 and "alert(1)</script" not in text, "hostile names stay text"
    data = json.loads((site / "leaderboard.json").read_text())
    assert [board["name"] for board in data["boards"]] == ["other-1", "two-1"]
    [linked] = [row for board in data["boards"] for row in board["rows"] if row["report"]]
    assert linked["agent"] == EVIL and (site / linked["report"]).read_text() == "the report"
    beside = (site / linked["report"]).parent
    assert beside.parent == site / "reports" and (beside / "report_files" / "0_rows.js").read_text() == "data"
    before = text
    assert run(["leaderboard", str(results), "--out", str(site), "--title", EVIL]) == 0
    assert (site / "index.html").read_text() == before, "the same results, the same bytes"
    assert run(["leaderboard", str(results), "--out", str(tmp_path / "bare"), "--no-reports"]) == 0
    assert not (tmp_path / "bare" / "reports").exists()


def test_a_folder_without_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["leaderboard", str(tmp_path), "--out", str(tmp_path / "site")]) == 2
    assert "no finished run of a suite is there" in capsys.readouterr().err
    assert run(["leaderboard", str(tmp_path / "nowhere"), "--out", str(tmp_path / "site")]) == 2
    assert run(["leaderboard", str(tmp_path)]) == 2
    assert "--out" in capsys.readouterr().err


# ---- the scripted agents' rows ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", built_in_suites())
def test_shipped_rows_are_those_of_the_suites_as_they_are(name: str) -> None:
    suite, found = load_suite(name), read_references(name)
    assert found is not None, f"play them: turnwise suites references {name}"
    assert suite.recorded is not None
    assert (found.hash, found.environments) == (suite.hash, suite.recorded.digest), (
        f"{name} has changed since its scripted agents played it: turnwise suites references {name}"
    )
    rows = {row.agent: row for row in found.rows}
    assert sorted(rows) == sorted(REFERENCES) and all(row.reference for row in rows.values())
    assert all(row.num_errors == 0 and row.num_episodes == suite.num_episodes for row in rows.values())
    scores = {agent: row.headline.score for agent, row in rows.items()}
    assert scores["oracle"] == 1.0 and scores["random"] is not None and abs(scores["random"]) < 0.1
    graded = [scores[agent] or 0 for agent in REFERENCES]
    assert graded == sorted(graded), "skill shows"
    assert all(list(row.domains) == list(found.domains) for row in rows.values())


def test_shipped_rows_stand_beside_others_of_the_same_suite_only() -> None:
    found = read_references("quick-1")
    assert found is not None
    mine = row("mine", 0.5, 0.4, 0.6)
    [made] = boards([(dataclasses.replace(found, rows=()), mine)])
    assert [r.agent for r in made.rows if r.agent != "mine"] == [r.agent for r in found.rows]
    [changed] = boards([(dataclasses.replace(found, rows=(), environments="others"), mine)])
    assert changed.rows == (mine,)
    [without] = boards([(dataclasses.replace(found, rows=()), mine)], references=False)
    assert without.rows == (mine,)
    own = dataclasses.replace(mine, agent="random")
    [replaced] = boards([(dataclasses.replace(found, rows=()), own)])
    assert [r for r in replaced.rows if r.agent == "random"] == [own], (
        "one's own run of a reference stands in its place"
    )
    assert read_references("../suites/quick-1.fingerprints") is None


def test_recording_again_gives_the_same_bytes(results: Path, tmp_path: Path) -> None:
    suite = load_suite(str(results / "two-1.toml"))
    first = record_references(suite, tmp_path / "one", tmp_path / "a").read_bytes()
    assert record_references(suite, tmp_path / "two", tmp_path / "b").read_bytes() == first
    found = read_references("two-1", tmp_path / "a")
    assert found is not None and Row.from_dict(json.loads(json.dumps(found.rows[0].to_dict()))) == found.rows[0]


# ---- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs turnwise[browser]")
    program = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
    if program is None:
        pytest.skip("needs Chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 900, 1400])
def test_the_site_in_a_browser(chromium: Any, results: Path, tmp_path: Path, width: int) -> None:
    assert run(["leaderboard", str(results), "--out", str(tmp_path / "site"), "--title", EVIL]) == 0
    tab = chromium.new_page(viewport={"width": width, "height": 900})
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    tab.on("dialog", lambda dialog: problems.append(dialog.message))
    tab.goto(f"file://{tmp_path / 'site' / 'index.html'}")
    assert tab.inner_text("h1") == EVIL
    tab.click("text=two-1")
    tab.wait_for_selector("h1:text('two-1')")
    agents = "tbody tr td:first-child"
    assert tab.locator(agents).all_inner_texts() == ["oracle", "graded:2", "random"]
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if width == 1400:  # narrower screens show rows as blocks, without a header
        tab.click("th button:text-is('score')")  # from high to low at first
        tab.click("th button:text-is('score')")
        assert tab.locator(agents).all_inner_texts() == ["random", "graded:2", "oracle"]
        tab.click("th button:text-is('agent')")
        assert tab.locator(agents).all_inner_texts() == ["graded:2", "oracle", "random"]
    tab.goto(f"file://{tmp_path / 'site' / 'index.html'}")
    tab.click("text=other-1")
    tab.click("a:text('report')")
    assert tab.inner_text("body") == "the report" and problems == []
