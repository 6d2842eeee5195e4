"""Comparisons: pairs, flips, settings, gates, and runs that are not comparable."""

import json
from pathlib import Path

import pytest

from tests.evaluation.test_suite import SMALL, small
from turnwise.cli.main import run
from turnwise.core.errors import SettingsError
from turnwise.evaluation.compare import compare, mcnemar, read_run
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import evaluate
from turnwise.evaluation.suite import Suite


def play(suite: Suite, out: Path, agent: str, **options: object) -> Path:
    evaluate(suite.config(agent, out=str(out), **options))
    return out


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    suite = small(folder, SMALL.replace("num_tasks = 3", "num_tasks = 12"))
    found = {agent: play(suite, folder / agent, f"graded:{agent}") for agent in ("3", "6")}
    return {
        **found,
        "oracle": play(suite, folder / "o", "oracle"),
        "other seed": play(suite, folder / "s", "oracle", seed=1),
        "two samples": play(suite, folder / "two", "graded:3", num_samples=2),
        "other suite": play(small(folder, SMALL, "b-1"), folder / "b", "oracle"),
    }


def test_pairs_by_hand(runs: dict[str, Path]) -> None:
    found = compare(read_run(runs["3"]), read_run(runs["6"]))
    sides = [read_run(runs[agent]) for agent in ("3", "6")]
    solved = [{name: e.solved for name, e in side.episodes.items()} for side in sides]
    better = [name for name in solved[0] if solved[1][name] and not solved[0][name]]
    assert found.overall.better == len(better) > 3 and found.overall.worse == 0
    assert {(flip.env, flip.before, flip.after) for flip in found.flips} <= {
        (env, 0.0, 1.0) for env in sides[0].config.envs
    }
    assert found.overall.p_value == pytest.approx(2 * 0.5 ** len(better))
    for side, run_ in zip((found.overall.before, found.overall.after), sides, strict=True):
        assert run_.summary.suite is not None
        assert side == pytest.approx(run_.summary.suite.headline.score)
    assert found.overall.value == pytest.approx(found.overall.after - found.overall.before)
    assert found.overall.ci95[0] < found.overall.value < found.overall.ci95[1]
    assert set(found.parts) == {"domain", "env", "level"} and set(found.parts["domain"]) == {"math", "games"}
    assert dict(found.settings) == {"agent": ("graded:3", "graded:6")}
    back = compare(sides[1], sides[0])
    assert (back.overall.better, back.overall.worse) == (0, len(better))
    assert back.overall.value == -found.overall.value


def test_a_run_is_not_told_apart_from_itself(runs: dict[str, Path]) -> None:
    found = compare(read_run(runs["6"]), read_run(runs["6"]))
    assert (found.overall.value, found.overall.p_value, found.flips, found.settings) == (0.0, 1.0, [], {})
    assert found.overall.ci95[0] < 0 < found.overall.ci95[1]


def test_more_samples_are_comparable(runs: dict[str, Path]) -> None:
    found = compare(read_run(runs["3"]), read_run(runs["two samples"]))
    assert found.settings["num_samples"] == (1, 2)
    assert all(flip.after in (0.0, 0.5, 1.0) for flip in found.flips)


def test_runs_of_plain_environments(tmp_path: Path) -> None:
    for agent in ("random", "oracle"):
        evaluate(EvalConfig(envs=("Countdown", "Zebra"), agent=agent, num_tasks=5, out=str(tmp_path / agent)))
    found = compare(read_run(tmp_path / "random"), read_run(tmp_path / "oracle"))
    assert found.suite == "" and found.corrected and set(found.parts) == {"env"}
    assert found.overall.after == pytest.approx(1.0) and found.overall.better == 10


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("other seed", "seed is 7 in one and 1 in the other, so their tasks differ"),
        ("other suite", r"their suites differ, small-1 \(.*\) and b-1 \("),
    ],
)
def test_runs_that_are_not_comparable(runs: dict[str, Path], other: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        compare(read_run(runs["oracle"]), read_run(runs[other]))


def test_changed_tasks_and_unfinished_runs_are_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in runs["3"].iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    lines = (copy / "episodes.jsonl").read_text().splitlines(keepends=True)
    first = json.loads(lines[0])
    (copy / "episodes.jsonl").write_text(json.dumps({**first, "task_id": "x"}) + "\n" + "".join(lines[1:]))
    with pytest.raises(SettingsError, match=r"the same seeds gave other tasks in turnwise/Countdown-v0"):
        compare(read_run(runs["3"]), read_run(copy))
    failed = {**first, "status": "error", "error": "rain", "solved": False}
    (copy / "episodes.jsonl").write_text(json.dumps(failed) + "\n" + "".join(lines[1:]))
    assert compare(read_run(runs["3"]), read_run(copy)).left_out == 1
    (copy / "episodes.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(SettingsError, match="is not finished: it has 37 of 38 episodes"):
        read_run(copy)
    (copy / "summary.json").unlink()
    with pytest.raises(SettingsError, match="is not finished"):
        read_run(copy)
    with pytest.raises(SettingsError, match="holds no evaluation"):
        read_run(tmp_path)


def test_gates(runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    weak, strong = str(runs["3"]), str(runs["6"])
    assert run(["compare", weak, strong, "--no-worse-than", "2", "--fail-below", "50"]) == 0
    assert run(["compare", strong, weak, "--no-worse-than", "2"]) == 1
    assert "it is worse by more" in capsys.readouterr().err
    assert run(["compare", strong, strong, "--no-worse-than", "0.5"]) == 1
    assert "that much cannot be ruled out" in capsys.readouterr().err
    assert run(["compare", strong, strong, "--no-worse-than", "40"]) == 0
    assert run(["compare", strong, weak, "--fail-below", "90"]) == 1
    assert "--fail-below 90: the score of" in capsys.readouterr().err
    for words in ([weak], [weak, str(runs["other seed"])], [weak, strong, "--fail-below", "-1"]):
        assert run(["compare", *words]) == 2


def test_the_forms_of_a_comparison(runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", str(runs["3"]), str(runs["6"])]
    assert run([*words, "--flips", "2"]) == 0
    shown = capsys.readouterr().out
    assert "is better than graded:3" in shown and "The runs differ in agent alone" in shown
    assert shown.count("|           0 % | 100 % |") == 2
    assert run([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["overall"]["better"] > 3 and len(data["flips"]) == data["overall"]["better"]
    for name in ("c.md", "c.json", "c.html"):
        assert run([*words, "--out", str(tmp_path / name)]) == 0
    page = (tmp_path / "c.html").read_text()
    assert "graded:3" in page and "Tasks that differ" in page and 'src="http' not in page
    assert run([*words, "--out", str(tmp_path / "c.txt")]) == 2


def test_mcnemar_is_the_exact_binomial() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 0) == 2 / 32
    assert mcnemar(10, 2) == mcnemar(2, 10) == pytest.approx(2 * (1 + 12 + 66) / 4096)
