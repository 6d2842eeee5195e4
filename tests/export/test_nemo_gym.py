"""Folders for NeMo Gym; its own classes play them in tests/interop/check_nemo_gym.py."""

import json
from pathlib import Path

import pytest

from turnwise.cli.main import run
from turnwise.export.nemo_gym import nemo_gym_rows


def test_the_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "nemo-gym", "FrozenLake:size=4", "Maze:max_turns=7", str(tmp_path), "--num-tasks", "6"]) == 0
    server, agent = tmp_path / "resources_servers" / "turnwise", tmp_path / "responses_api_agents" / "turnwise_agent"
    written = {Path(line) for line in capsys.readouterr().out.splitlines()}
    assert written == {path for path in tmp_path.rglob("*") if path.is_file()}
    assert "TurnwiseServer" in (server / "app.py").read_text() and "TurnwiseAgent" in (agent / "app.py").read_text()
    config = (server / "configs" / "turnwise.yaml").read_text()
    assert "max_steps: 10\n" in config, "the longest of the episodes"
    parts = {name: (server / "data" / f"{name}.jsonl").read_text() for name in ("train", "test", "example")}
    rows = {name: [json.loads(line) for line in text.splitlines()] for name, text in parts.items()}
    assert [len(rows[name]) for name in ("train", "test", "example")] == [12, 12, 5]
    assert {row["env"] for row in rows["example"]} == {"turnwise/FrozenLake-v0", "turnwise/Maze-v0"}
    assert not {row["seed"] for row in rows["train"]} & {row["seed"] for row in rows["test"]}
    assert all(json.loads(row["settings"])["split"] == name for name in ("train", "test") for row in rows[name])


def test_rows_offer_the_tools_of_their_task() -> None:
    [row] = nemo_gym_rows("SearchQA", 1, system="Be brief.")
    params = row["responses_create_params"]
    assert params["input"] == [{"role": "system", "content": "Be brief."}]
    assert params["tools"][0]["name"] == "search" and params["tools"][0]["type"] == "function"
    assert params["tools"][0]["parameters"]["required"] == ["query"]
    [plain] = nemo_gym_rows("SearchQA", 1, native_tools=False)
    assert plain["responses_create_params"] == {"input": []} and plain["seed"] == row["seed"]


def test_numbers_out_of_range_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "nemo-gym", "Maze", str(tmp_path), "--num-tasks", "0"]) == 2
    assert "num_tasks is 0" in capsys.readouterr().err and not list(tmp_path.iterdir())
