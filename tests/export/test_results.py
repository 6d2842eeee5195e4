"""Evaluations in the formats of others: Parquet, lm-evaluation-harness's results, Hugging Face model cards."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from huggingface_hub import ModelCard

from turnwise.agents.scripted import GradedAgent
from turnwise.cli.main import run
from turnwise.core.episode import Turn, read_episodes, write_episode
from turnwise.core.metrics import Scores
from turnwise.evaluation.evaluate import Summary, evaluate
from turnwise.evaluation.suite import load_suite

SUITE = """
num_tasks = 4
num_samples = 2
[domains.math]
environments = [{ env = "Countdown", levels = [2, 4] }]
[domains.games]
weight = 2
environments = [{ env = "GuessNumber", levels = [1] }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "two-1.toml").write_text(SUITE)
    suite = load_suite(str(tmp_path / "two-1.toml"))
    evaluate(suite.config("graded:3", out=str(tmp_path / "run")), GradedAgent(3.0))
    return tmp_path / "run"


def scores(folder: Path) -> dict[str, Scores]:
    return dict(Summary.from_json((folder / "summary.json").read_text()).environments)


# ---- Parquet ---------------------------------------------------------------------------------------------------------


def test_parquet_has_every_episode_and_turn(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    episodes = list(read_episodes(folder / "episodes.jsonl"))
    again = replace(
        episodes[0],
        solved=not episodes[0].solved,
        turns=(Turn("a\ud800b", "\x00", 0.5, served={"latency_s": 1.5}, reasoning="why"),),
    )
    write_episode(folder / "episodes.jsonl", again)  # played again: the last record counts
    assert run(["export", "parquet", str(folder), str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        str(tmp_path / "out" / f"{n}.parquet") for n in ("episodes", "turns")
    ]
    rows = pq.read_table(tmp_path / "out" / "episodes.parquet").to_pylist()
    turns = pq.read_table(tmp_path / "out" / "turns.parquet").to_pylist()
    assert len(rows) == len(episodes) == 24 and {row["run"] for row in rows} == {"run"}
    expected = {e.job.name: e for e in (*episodes, again)}
    for row in rows:
        settings = json.loads(row["settings"])
        episode = expected[f"{row['env']}{json.dumps(settings, sort_keys=True)}#{row['seed']}/{row['sample']}"]
        assert (row["solved"], row["episode_return"]) == (episode.solved, episode.episode_return)
        assert json.loads(row["metrics"]) == episode.metrics and row["level"] == settings["difficulty"]
        own = [t for t in turns if (t["env"], t["settings"], t["seed"], t["sample"]) == tuple(
            row[name] for name in ("env", "settings", "seed", "sample")
        )]  # fmt: skip
        assert [t["turn"] for t in own] == list(range(row["num_turns"])) and row["num_turns"] == len(episode.turns)
        assert [t["action"] for t in own] == [turn.action for turn in episode.turns]
    [odd] = [turn for turn in turns if turn["reasoning"]]
    assert odd["observation"] == "a\\ud800b" and json.loads(odd["served"]) == {"latency_s": 1.5}
    assert [row["latency_s"] for row in rows if row["latency_s"] is not None] == [1.5]


def test_parquet_refuses_what_it_cannot_tell_apart(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "parquet", str(folder), str(folder), str(tmp_path / "out")]) == 2
    assert "two folders are named 'run'" in capsys.readouterr().err
    assert run(["export", "parquet", str(tmp_path), str(tmp_path / "out")]) == 2
    assert "has no episodes.jsonl" in capsys.readouterr().err


# ---- lm-evaluation-harness -------------------------------------------------------------------------------------------


def test_results_of_lm_eval(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "lm-eval-results", str(folder), str(tmp_path / "lm")]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path.parent == tmp_path / "lm" / "graded__3" and path.name.startswith("results_")
    data = json.loads(path.read_text())
    tasks = {"Countdown-v0__difficulty=2", "Countdown-v0__difficulty=4", "GuessNumber-v0__difficulty=1"}
    groups = {"two-1", "two-1_math", "two-1_games"}
    assert data["results"].keys() == tasks | groups and data["groups"].keys() == groups
    assert data["group_subtasks"]["two-1"] == ["two-1_math", "two-1_games"]
    assert set(data["group_subtasks"]["two-1_math"]) == {t for t in tasks if "Countdown" in t}
    for env, part in scores(folder).items():
        figures = data["results"][env.removeprefix("turnwise/").replace(":", "__")]
        assert figures["solved,none"] == part.solve_rate and figures["pass@2,none"] == (part.pass_at_k or {})[2]
        assert part.ci95 is not None
        assert figures["solved_stderr,none"] == pytest.approx((part.ci95[1] - part.ci95[0]) / 3.92, rel=1e-3)
    for each in ("configs", "versions", "n-shot", "higher_is_better", "n-samples"):
        assert data[each].keys() >= tasks, each
    assert data["model_name"] == "graded:3" and data["config"]["random_seed"] == 1


# ---- model cards -----------------------------------------------------------------------------------------------------


def test_a_model_card_is_read_by_the_hub_s_own_class(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "README.md"
    assert run(["export", "model-card", str(folder), str(out), "--name", 'my <b>"model" # {x}: y\n---']) == 0
    card = ModelCard.load(out)
    assert card.data.model_name == 'my <b>"model" # {x}: y\n---'
    suite = Summary.from_json((folder / "summary.json").read_text()).suite
    assert suite is not None and suite.headline.score is not None
    results = card.data.eval_results or []
    found = {(r.dataset_config, r.metric_type): r.metric_value for r in results}
    assert found[None, "chance_corrected_solve_rate"] == pytest.approx(100 * suite.headline.score, abs=0.006)
    assert found["games", "solve_rate"] == pytest.approx(
        100 * (suite.domains["games"].scores.solve_rate or 0), abs=0.006
    )
    assert {r.dataset_type for r in results} == {"turnwise/two-1"} and {r.dataset_split for r in results} == {"test"}
    assert all((r.dataset_args or {})["hash"] == suite.about["hash"] for r in results)
    text = card.text
    assert "## Evaluation" in text and "| headline" in text and "seed 1" in text


def test_a_card_of_two_agents_needs_a_name(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluated = [
        "eval",
        "Countdown:difficulty=2",
        "--agent",
        "random",
        "--num-tasks",
        "3",
        "--out",
        str(tmp_path / "b"),
    ]
    assert run(evaluated) == 0
    assert run(["export", "model-card", str(folder), str(tmp_path / "b"), str(tmp_path / "card.md")]) == 2
    assert "--name says whose card it is" in capsys.readouterr().err
    assert run(["export", "model-card", str(tmp_path / "b"), str(tmp_path / "card.md")]) == 0
    [first, *_] = ModelCard.load(tmp_path / "card.md").data.eval_results or []
    assert first.dataset_name.startswith("Countdown-v0") and first.dataset_type == "turnwise"
