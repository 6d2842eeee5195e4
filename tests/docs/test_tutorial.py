"""docs/tutorial.md from top to bottom, in one folder, as somebody who follows it would."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PAGE.exists(), reason="needs the checkout, not an installed copy"),
]


def test_the_whole_page(tmp_path: Path) -> None:
    blocks = re.findall(r"```(\w*)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert {language for language, _ in blocks} == {"", "text", "python"}
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    ran = 0
    for language, block in blocks:
        if language == "text":  # what a command printed
            continue
        lines = [[sys.executable, "-m", *shlex.split(line)] for line in block.splitlines()]
        if language == "python" and "@register" in block:
            (tmp_path / "add.py").write_text(block, encoding="utf-8")
            continue
        if language == "python":
            lines = [[sys.executable, "-c", block]]
        for line in lines:
            done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
            if language == "python":
                assert done.stdout.splitlines() == re.findall(r"^# (.*)$", block, re.MULTILINE)
            ran += 1
    assert ran >= 15
    left = {path.name for path in (tmp_path / "runs" / "first").iterdir()} - {".lock"}
    named = re.findall(r"^\| ((?:`[^`|]+`(?:, )?)+) \| ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert left - {"report.html"} <= {name.strip("/") for cell in named for name in re.findall(r"`([^`]+)`", cell)}


def test_the_columns_are_those_that_are_printed(tmp_path: Path) -> None:
    """Each name on the page stands in a line of a real run, and each name in the line on the page."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.split("| column | meaning |")[1].split("\n\n")[0]
    explained = {name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    flags = ["--steps", "1", "--warm-steps", "2", "--eval-tasks", "0", "--trackers", "--out", str(tmp_path / "run")]
    command = [sys.executable, "-m", "turnwise", "train", "smoke", *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("step ")]
    printed = set(re.findall(r"[a-zA-Z]+(?:/[a-z]+)?", re.sub(r"\d[-+.\de]*(?: min| h| s(?!/))?", "", line))) - {"step"}
    assert printed == explained
