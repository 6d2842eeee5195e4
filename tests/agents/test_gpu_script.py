"""The script for a GPU runs on a CPU, too: all that it calls exists."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gpu" / "run_all.py"


@pytest.mark.slow
def test_the_gpu_script_runs_tiny(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--tiny", "--out", str(tmp_path), "--only", "check", "train"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["check"]["rows_with_equal_tokens"] == results["check"]["rows"]
    assert results["check"]["max_logp_gap"] < 1e-4
    assert results["train"]["trained_tokens"] > 0
    assert "| train | trained_tokens_per_s |" in (tmp_path / "results.md").read_text(encoding="utf-8")
