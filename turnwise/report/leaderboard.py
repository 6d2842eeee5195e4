"""The static site of a leaderboard: one page that works from a file, its rows as JSON, and the runs' reports."""

import dataclasses
import json
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import turnwise
from turnwise.core.errors import SettingsError
from turnwise.core.files import replace_file
from turnwise.report.app.bundle import page
from turnwise.report.boards import Board, Row, boards, read_results
from turnwise.report.html import visible

__all__ = ["leaderboard_json", "write_leaderboard"]

SCRIPTS = ("core.js", "charts.js", "tables.js", "leaderboard.js", "start.js")
WORDS = "Suites of environments with verifiable rewards, played by models and by scripted agents."


def write_leaderboard(
    results: Sequence[Path],
    out: Path,
    *,
    title: str = "Leaderboard",
    reports: bool = True,
    references: bool = True,
) -> tuple[Path, dict[Path, str]]:
    """Write the site of all runs of suites below some folders.

    Args:
        results: The folders.
        out: Folder of the site; made if it does not exist.
        title: Its heading.
        reports: Copy each run's report.html, where there is one, and link it. The files are copied as they are: a
            report that someone else made may hold anything.
        references: Add the scripted agents' rows.

    Returns:
        The page, and the runs that are left out with the reason.

    Raises:
        SettingsError: No folder has a finished run of a suite.
    """
    found, left_out = read_results(results)
    if not found:
        why = "".join(f"\n{run}: {words}" for run, words in list(left_out.items())[:5])
        raise SettingsError(f"{', '.join(map(str, results))}: no finished run of a suite is there{why}")
    out.mkdir(parents=True, exist_ok=True)
    if reports:
        found = list(_with_reports(found, out))
    made = boards(found, references=references)
    shown = [
        {**data, "key": board.key, "ranks": board.ranks()} for board, data in zip(made, map(_plain, made), strict=True)
    ]
    manifest = {"version": turnwise.__version__, "title": visible(title), "words": WORDS, "boards": shown, "runs": []}
    start = f"#/board/{made[0].key}" if len(made) == 1 else "#/boards"
    replace_file(out / "leaderboard.json", [leaderboard_json(made).encode()])
    parts = page({**manifest, "start": start}, [], {}, SCRIPTS)
    replace_file(out / "index.html", (part.encode("utf-8", "backslashreplace") for part in parts))
    return out / "index.html", left_out


def leaderboard_json(made: Sequence[Board]) -> str:
    """All rows, for programs."""
    return json.dumps({"turnwise": turnwise.__version__, "boards": list(map(_plain, made))}, indent=1) + "\n"


def _plain(board: Board) -> dict[str, object]:
    head = {f.name: getattr(board, f.name) for f in dataclasses.fields(board) if f.name != "rows"}
    return {**head, "domains": list(board.domains), "rows": [row.to_dict() for row in board.rows]}


def _with_reports(found: Iterable[tuple[Board, Row]], out: Path) -> Iterable[tuple[Board, Row]]:
    """Copy the runs' reports and enter their addresses."""
    for number, (board, row) in enumerate(found):
        source = None if row.folder is None else row.folder / "report.html"
        if source is not None and source.is_file() and not source.is_symlink():
            name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{board.name}-{row.agent}").strip("-.")[:60]
            folder = out / "reports" / f"{number}-{name}"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / source.name)
            if (files := source.with_name("report_files")).is_dir():  # the data of a very large report
                shutil.copytree(files, folder / files.name, dirs_exist_ok=True)
            row = dataclasses.replace(row, report=f"reports/{folder.name}/{source.name}")
        yield board, row
