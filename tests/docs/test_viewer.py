"""docs/viewer.md: its commands, keys, filters and pictures."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.report._page import manifest_of
from turnwise.cli.main import run
from turnwise.core.settings import named_settings
from turnwise.report.app import bundle
from turnwise.report.app.make import EXTRA_EPISODES

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="needs the checkout's docs")


def page() -> str:
    return (DOCS / "viewer.md").read_text(encoding="utf-8")


def test_its_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from turnwise.cli.main import Report

    shown: list[int] = []

    def serve(book: Any, port: int, ready: Callable[[str], None]) -> None:
        while book.look():
            pass
        shown.append(len(book.manifest()["runs"]))

    monkeypatch.setattr("turnwise.report.app.serve.serve", serve)
    monkeypatch.chdir(tmp_path)
    [block] = re.findall(r"^```\n(.*?)^```", page(), re.DOTALL | re.MULTILINE)
    for line in block.splitlines():
        assert run(shlex.split(line, comments=True)[1:]) == 0, line
    assert shown == [2]
    [compare] = re.findall(r"`(turnwise compare runs/[^`]*)`", page())
    assert run(shlex.split(compare)[1:]) == 0
    assert manifest_of(tmp_path / "page.html")["start"] == "#/compare/0/1"
    assert [r["count"] for r in manifest_of(tmp_path / "runs" / "all.html")["runs"]] == [8, 8]
    assert named_settings(Report)["extra_episodes"].default == EXTRA_EPISODES
    assert f"{EXTRA_EPISODES} episodes of each run" in page()
    assert f"exceed {bundle.MOST_INLINE >> 20} MB" in page()


def test_its_keys_and_filters_are_those_of_the_app() -> None:
    script = bundle.script()
    [keys] = re.findall(r"const KEYS = \{(.*?)\};", script, re.DOTALL)
    known = set(re.findall(r'(?:"([^"]+)"|\b(\w+)): "', keys))
    rows = page().partition("## Keys")[2].partition("\n\nThe sign")[0]
    written = set(re.findall(r"`([^`]+)`", rows)) - {"1", "9"}
    assert written == {a or b for a, b in known}
    [flags] = re.findall(r"const flags = \[(.*?)\];", script)
    [labels] = re.findall(r"const label = \{(.*?)\};", script)
    words = dict(re.findall(r'(\w+): "([^"]+)"', labels))
    table = page().partition("| filter |")[2].partition("\n\n")[0]
    rows = [row for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) if row.strip("-")]
    assert rows == [words.get(name, name) for name in re.findall(r'"([^"]+)"', flags)]


def test_its_pictures_are_there_and_small() -> None:
    named = set(re.findall(r"\]\((viewer_\w+\.png)\)", page()))
    assert named == {path.name for path in DOCS.glob("viewer_*.png")} and len(named) == 4
    assert all((DOCS / name).stat().st_size < 120_000 for name in named)
