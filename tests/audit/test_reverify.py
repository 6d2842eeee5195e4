"""Stored episodes, judged again."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.agents.scripted import FunctionAgent
from turnwise.audit.reverify import counts, report, reverify, write
from turnwise.core.env import Env, Reply, seed_of
from turnwise.core.episode import Episode, read_episodes, write_episode
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import env_class, env_ids
from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.report.evaluation import load_run

IDS = tuple(i for i in env_ids() if i.startswith("turnwise/"))


def half_right() -> FunctionAgent:
    """Plays the oracle in every other task, and a random move else."""
    import numpy as np

    def act(env: Env[Any]) -> str:
        seed = env.np_random_seed
        return env.oracle() if seed % 2 else env.sample_action(np.random.default_rng(seed))

    return FunctionAgent(act, "half right")


def played(folder: Path, *envs: str, **options: Any) -> list[Episode]:
    config = EvalConfig(envs=envs, out=str(folder), **{"num_tasks": 8, "chance_episodes": 0, **options})
    evaluate(config, half_right())
    return list(read_episodes(folder / "episodes.jsonl"))


@pytest.mark.slow
def test_nothing_flips_while_nothing_changes(tmp_path: Path) -> None:
    episodes = played(tmp_path, *IDS, num_tasks=1)
    found = list(reverify(tmp_path))
    assert [item.change for item in found] == ["same"] * len(episodes)
    assert [item.new for item in found] == episodes
    assert not any(item.worded for item in found)
    assert {item.old.env for item in reverify(tmp_path, IDS[2])} == {IDS[2]}


@pytest.mark.parametrize("feedback", ["none", "try again", "verdict", "detail"])
def test_retries_are_wrapped_as_they_were(tmp_path: Path, feedback: str) -> None:
    episodes = played(tmp_path, "Countdown", "GuessNumber", tries=3, feedback=feedback)
    assert max(len(e.turns) for e in episodes if "Countdown" in e.env) == 3
    found = list(reverify(tmp_path))
    assert {item.change for item in found} == {"same"}
    assert [item.new for item in found] == episodes


def test_flips_are_shown_with_both_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    episodes = played(tmp_path, "NumberTheory", "GuessNumber")
    cls = env_class("NumberTheory")
    before = cls.respond

    def kinder(self: Env[Any], action: str) -> Reply:
        reply = before(self, action)
        return Reply("Good enough.", solved=True) if not reply.solved else Reply("Never.")

    monkeypatch.setattr(cls, "respond", kinder)
    found = list(reverify(tmp_path))
    table = counts(found)["turnwise/NumberTheory-v0"]
    solved = sum(e.solved for e in episodes if "NumberTheory" in e.env)
    assert 0 < solved < 8
    assert (table["now solved"], table["no longer solved"], table["same"]) == (8 - solved, solved, 0)
    assert counts(found)["turnwise/GuessNumber-v0"]["same"] == 8
    text = report(found)
    assert "today: return 1: 'Good enough.'" in text and "then:  return 1: 'Correct" in text
    assert "8 episodes have other observations today" in text
    shortest = min(len(i.old.turns[0].action) for i in found if i.change == "now solved")
    said = [line for line in text.splitlines() if "said:" in line]
    assert shortest in [len(line.partition("said:  ")[2]) - 2 for line in said]


def test_another_return_and_an_episode_that_no_longer_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path, "GuessNumber")
    cls = env_class("GuessNumber")
    monkeypatch.setattr(cls, "respond", lambda self, action: Reply("Go on.", reward=0.01))
    found = list(reverify(tmp_path))
    assert {item.change for item in found} == {"other return", "no longer solved"}
    assert all(item.new and not item.new.solved and item.new.episode_return > 0 for item in found)
    assert any(not (item.new.terminated or item.new.truncated) for item in found if item.new)


def test_what_cannot_be_judged_is_counted_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [first, second, third, fourth, *_] = played(tmp_path / "run", "NumberTheory")
    other = tmp_path / "other"
    other.mkdir()
    for episode in (
        dataclasses.replace(first, env="gone/Away-v0"),
        dataclasses.replace(second, task_id="0123456789abcdef"),
        dataclasses.replace(third, settings={"no_such_knob": 1}),
        dataclasses.replace(fourth, status="error", error="the server was down"),
    ):
        write_episode(other / "episodes.jsonl", episode)
    found = list(reverify(other))
    assert [item.change for item in found] == ["not playable", "changed task", "not playable", "failed"]
    assert "the run does not say where it came from" in found[0].why and "--env-module" in report(found)
    assert "no_such_knob" in found[2].why
    assert all(item.new is None for item in found)
    text = report(found)
    assert "1 changed task" in text and f"is {second.task_id} today" in text
    assert "solved:" not in text

    def broken(self: Env[Any], action: str) -> Reply:
        raise ValueError("oops") if self.turn % 2 else InfrastructureError("no sandbox")

    monkeypatch.setattr(env_class("NumberTheory"), "respond", broken)
    assert {(item.change, item.why) for item in reverify(tmp_path / "run")} == {("not playable", "ValueError: oops")}


def test_what_is_written_is_an_evaluation_of_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = tmp_path / "run", tmp_path / "new"
    episodes = played(folder, "NumberTheory", ks=(1,))
    before = (folder / "episodes.jsonl").read_bytes()
    monkeypatch.setattr(env_class("NumberTheory"), "respond", lambda self, action: Reply("Yes.", solved=True))
    found = [*reverify(folder)]
    assert write([*found, dataclasses.replace(found[0], new=None, change="changed task", why="x")], folder, out) == 9
    assert (folder / "episodes.jsonl").read_bytes() == before
    [*new, unjudged] = read_episodes(out / "episodes.jsonl")
    assert [e.job for e in new] == [e.job for e in episodes]
    assert all(e.solved and e.agent == "half right" for e in new)
    assert (unjudged.status, unjudged.error) == ("error", "changed task: x")
    assert json.loads((out / "config.json").read_text())["reverified"]["of"] == str(folder)
    (out / "episodes.jsonl").write_bytes(b"".join(e.to_json().encode() + b"\n" for e in new))
    run = load_run(out)
    assert run.scores["turnwise/NumberTheory-v0"].solve_rate == 1.0  # type: ignore[union-attr]
    for full in (out, folder):
        with pytest.raises(SettingsError, match="is not empty"):
            write(found, folder, full)


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no episodes\.jsonl"):
        list(reverify(tmp_path))
    (tmp_path / "episodes.jsonl").write_text("{}\n")
    with pytest.raises(SettingsError, match="cannot be read"):
        list(reverify(tmp_path))
    for text in ("{", "[]"):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(SettingsError, match=r"config\.json cannot be read"):
            list(reverify(tmp_path))


def test_seeds_of_an_evaluation_are_those_of_its_tasks(tmp_path: Path) -> None:
    episodes = played(tmp_path, "Countdown", seed=5)
    assert [e.seed for e in episodes] == [seed_of(5, "turnwise/Countdown-v0", i) for i in range(8)]
