"""Evaluations as Inspect's logs; that Inspect reads them is checked by tests/interop/check_inspect.py."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from turnwise.agents.scripted import RandomAgent
from turnwise.cli.main import run
from turnwise.core.episode import Job, write_episode
from turnwise.core.player import rollout


def test_a_log_for_each_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    jobs = [Job("turnwise/FrozenLake-v0", 1, sample) for sample in (0, 1)] + [Job("turnwise/Countdown-v0", 2)]
    episodes = sorted(rollout(RandomAgent(), jobs), key=lambda episode: (episode.seed, episode.sample))
    failed = replace(episodes[0], seed=9, status="error", error="the sandbox is gone")
    for episode in (*episodes, failed):
        write_episode(tmp_path / "run" / "episodes.jsonl", episode)
    assert run(["export", "inspect", str(tmp_path / "run"), str(tmp_path / "logs")]) == 0
    paths = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(paths) == sorted((tmp_path / "logs").iterdir()) and len(paths) == 2
    [path] = [path for path in paths if "FrozenLake" in path.name]
    log = json.loads(path.read_text())
    assert log["version"] == 2 and log["eval"]["task"] == "turnwise/FrozenLake-v0"
    assert [(sample["id"], sample["epoch"]) for sample in log["samples"]] == [
        ("seed-1", 1),
        ("seed-1", 2),
        ("seed-9", 1),
    ]
    played = [episode for episode in episodes if episode.env == "turnwise/FrozenLake-v0"]
    for episode, sample in zip(played, log["samples"], strict=False):
        assert sample["scores"]["episode_return"]["value"] == episode.episode_return
        assert [m["content"] for m in sample["messages"][1::2]] == [turn.action for turn in episode.turns]
        assert sample["input"] == episode.turns[0].observation and sample["metadata"]["task_id"] == episode.task_id
    assert log["samples"][2]["scores"] == {} and log["samples"][2]["error"]["message"] == "the sandbox is gone"
    assert log["results"]["scores"][0]["scored_samples"] == 2 and log["results"]["completed_samples"] == 2
    assert log["eval"]["config"]["epochs"] == 2
    before = path.read_bytes()
    assert run(["export", "inspect", str(tmp_path / "run"), str(tmp_path / "logs")]) == 0
    assert path.read_bytes() == before, "the same run, the same bytes"


def test_what_is_no_evaluation_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "inspect", str(tmp_path)]) == 2
    assert "two folders, RUN and OUT; 1 were given" in capsys.readouterr().err
    assert run(["export", "inspect", str(tmp_path), str(tmp_path / "out")]) == 2
    assert "not the folder of an evaluation" in capsys.readouterr().err
