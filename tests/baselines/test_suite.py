"""The suite of runs: which there are, killed ones go on, and what its tables and reports say of canned metrics."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.report._page import data_of, manifest_of
from turnwise.baselines.suite import results
from turnwise.baselines.suite.__main__ import main
from turnwise.baselines.suite.jobs import CURRICULA, METHODS, SEEDS, TASKS, Job, jobs
from turnwise.baselines.suite.origin import origin
from turnwise.baselines.suite.results import (
    curriculum_table,
    keep,
    load,
    methods_table,
    reached,
    summary_table,
    write_results,
)
from turnwise.baselines.suite.runner import finished, play, play_all
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.run.log import read_metrics
from turnwise.core.errors import SettingsError
from turnwise.report.evaluation import load_runs, markdown, write_comparison
from turnwise.report.training import (
    Training,
    cpu_seconds,
    curve,
    env_steps,
    mean_and_sd,
    settings_of_runs,
    settings_table,
)

TINY = {
    "steps": 2, "warm_steps": 2, "groups_per_step": 2, "group_size": 2, "minibatches": 1, "eval_tasks": 4,
    "eval_every": 1, "save_every": 1,
}  # fmt: skip


# ---- which runs ------------------------------------------------------------------------------------------------------


def test_every_method_is_played_on_every_task_with_every_seed_and_the_control_with_one() -> None:
    found = jobs()
    assert len(found) == len(set(found))
    levels = [name for name, task in TASKS.items() if task.arms]
    assert len(set(TASKS) - set(levels)) >= 6
    assert len(SEEDS) == 3
    assert len(levels) >= 2
    for name in TASKS:
        for method in ("grpo",) if name in levels else METHODS:
            seeds = [job.seed for job in found if (job.task, job.method) == (name, method)]
            assert seeds == ([0] if method == "shuffled" else [0, 1, 2])
    for method in CURRICULA:
        assert {job.task for job in found if job.method == method} == set(levels)


def test_grpo_comes_first() -> None:
    kinds = list(dict.fromkeys(job.method for job in jobs()))
    assert kinds == ["grpo", "mixture", "saturn", "shuffled", "gigpo", "turn_rtg_loo", "rloo", "pkpo", "sec"]


def test_a_method_changes_nothing_but_itself() -> None:
    own = {
        "credit": {"rloo", "gigpo", "turn_rtg_loo", "pkpo"},
        "shuffle_rewards": {"shuffled"}, "curriculum": set(CURRICULA),
    }  # fmt: skip
    for job in jobs():
        config, plain = job.config("runs").flat(), Job(job.task, "grpo", 0).config("runs").flat()
        differing = {name.partition(".")[0] for name in config if config[name] != plain.get(name)} - {"seed", "out"}
        assert differing == {name for name, methods in own.items() if job.method in methods}
        assert config["out"] == f"runs/{job.name}"


def test_the_last_level_of_a_curriculum_is_the_one_that_is_tested() -> None:
    for task in TASKS.values():
        if task.arms:
            tested = task.recipe()
            assert dict(task.arms[-1]).items() <= dict(tested.env.settings).items()
            assert tested.env.max_turns == 0, "a turn limit of the run would override that of the levels"
            assert task.targets


def test_unknown_names_are_refused() -> None:
    with pytest.raises(SettingsError, match="no task 'chess'"):
        jobs(tasks=["chess"])
    with pytest.raises(SettingsError, match="no method 'luck'"):
        jobs(methods=["luck"])


# ---- playing ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_finished_runs_are_kept_and_killed_ones_go_on(tmp_path: Path) -> None:
    wanted = jobs(tasks=["frozen_lake"], methods=["grpo"], seeds=[0, 1])
    said: list[str] = []
    killed = wanted[0].config(str(tmp_path / "a"), **TINY)
    play(killed, stop_after=1)
    with (Path(killed.run.out) / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "train", "st')  # what a kill leaves of a line
    assert not finished(killed)
    assert play_all(wanted, str(tmp_path / "a"), changes=TINY, tell=said.append) == []
    assert said[0] == "2 runs, 0 of them finished"
    assert play(wanted[0].config(str(tmp_path / "b"), **TINY))["resumed_at"] == 0
    records = [json.loads((tmp_path / way / wanted[0].name / "run.json").read_text()) for way in "ab"]
    metrics = [(tmp_path / way / wanted[0].name / "metrics.jsonl").read_bytes() for way in "ab"]
    assert metrics[0] == metrics[1]
    assert [r["resumed_at"] for r in records] == [1, 0]
    assert records[1]["seed"] == 0
    assert records[1]["cpu_s"] > 0
    assert records[1].items() >= origin().items()
    assert play_all(wanted, str(tmp_path / "a"), changes=TINY, tell=said.append) == []
    assert said[-1] == "2 runs, 2 of them finished"
    with pytest.raises(SettingsError, match="holds a run with lr"):
        play_all(wanted, str(tmp_path / "a"), changes={**TINY, "lr": 1.0})
    write_results(tmp_path / "a")
    assert {p.name for p in (tmp_path / "a").iterdir()} >= {"results.md", "methods.png"}


def test_a_failed_run_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(cfg: TrainConfig) -> dict[str, Any]:
        if cfg.run.seed == 1:
            raise SettingsError("no luck")
        return {"solved": [0.5, 0.75], "cpu_s": 3.0}

    monkeypatch.setattr("turnwise.baselines.suite.runner.play", fail)
    said: list[str] = []
    wanted = jobs(tasks=["maze"], methods=["grpo"])
    assert play_all(wanted, str(tmp_path), tell=said.append) == ["maze/grpo/1: no luck"]
    assert said[1:] == [
        "[1/3] maze/grpo/0: 50 75 %, 3 CPU s", "[2/3] maze/grpo/1: no luck", "[3/3] maze/grpo/2: 50 75 %, 3 CPU s",
    ]  # fmt: skip


def test_origin_names_code_machine_and_versions() -> None:
    found = origin()
    assert json.loads(json.dumps(found)) == found
    assert len(found["sources"]) == 12
    assert set(found["machine"]) == {"cpu", "cores", "system"}
    assert {"python", "torch", "numpy", "turnwise"} <= set(found["versions"])


# ---- canned runs -----------------------------------------------------------------------------------------------------


def canned(out: Path, task: str, method: str, seed: int, solved: list[float], *, turns: float = 3.0) -> None:
    """A finished run of 2 steps per evaluation: 4 groups x 2 rollouts x ``turns`` turns a step."""
    changes = {**TINY, "steps": 2 * len(solved) - 2, "groups_per_step": 4, "eval_tasks": 256}
    cfg = Job(task, method, seed).config(str(out), **changes)
    folder = Path(cfg.run.out)
    folder.mkdir(parents=True)
    cfg.save(folder)
    lines: list[dict[str, Any]] = []
    for i, rate in enumerate(solved):
        for step in (2 * i - 1, 2 * i) if i else ():
            lines.append({"kind": "train", "step": step, "solved": 0.5, "turns": turns, "groups": 4.0, "errors": 0.0})
        test = {"solved": rate, "turns": 3.0, "tokens": 9.0, "errors": 0.0, "return": rate}
        named = {f"{kind}_{name}": value for kind in ("sampled", "greedy") for name, value in test.items()}
        lines.append({"kind": "eval", "step": 2 * i, **named})
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "run.json").write_text(json.dumps({"seed": seed, "cpu_s": 30.0 + seed, **origin()}))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    for seed, rates in enumerate(([0.1, 0.4, 0.6], [0.2, 0.3, 0.8], [0.3, 0.5, 0.7])):
        canned(folder, "far_lake", "grpo", seed, rates)
        canned(folder, "far_lake", "saturn", seed, [rates[0], 0.5, 0.9], turns=2.0)
    canned(folder, "far_lake", "shuffled", 0, [0.1, 0.05, 0.02])
    return folder


def rows_of(table: results.Table) -> list[list[str]]:
    return [list(row) for row in table[1]]


def test_methods_table(out: Path) -> None:
    cloned, grpo, shuffled, saturn = rows_of(methods_table(load(out)))
    # 10, 20, 30: mean 20, deviations -10, 0, 10, so sd = sqrt(200 / 2) = 10
    assert cloned[1:4] == ["behaviour cloning", "3", "20.0 ± 10.0"]
    # 60, 80, 70; changes 50, 60, 40; 4 steps x 8 rollouts x 3 turns = 96
    assert grpo[1:] == ["GRPO", "3", "70.0 ± 10.0", "+50.0 ± 10.0", "70.0 ± 10.0", "96", "31"]
    assert shuffled[1:5] == ["GRPO, shuffled rewards", "1", "2.0", "-8.0"]
    assert saturn[3:5] == ["90.0 ± 0.0", "+70.0 ± 10.0"]
    assert saturn[6] == "64"


def test_summary_table(out: Path) -> None:
    header, [row] = summary_table(load(out))
    assert dict(zip(header, row, strict=True)) == {
        "task": "far_lake", "behaviour cloning": "20.0 ± 10.0", "GRPO": "70.0 ± 10.0", "GRPO, shuffled rewards": "2.0",
        "GRPO, SATURN": "90.0 ± 0.0",
    }  # fmt: skip


def test_the_steps_to_a_target(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, "far_lake", replace(TASKS["far_lake"], targets=(0.5, 0.75)))
    runs = load(out)
    grpo = runs["far_lake"]["grpo"]
    # two steps of 8 rollouts x 3 turns = 48 turns by the first evaluation
    assert [reached(run, 0.5) for run in grpo] == [96, 96, 48]
    assert [reached(run, 0.75) for run in grpo] == [None, 96, None]
    assert reached(grpo[0], 0.1) == 0
    rows = {row[2]: row for row in rows_of(curriculum_table(runs)) if row[1] == "50 %"}
    assert rows["the tested level"][3:5] == ["96, 96, 48", "80"]
    assert rows["SATURN"][3:5] == ["32, 32, 32", "32"]
    [never, *_] = [row for row in rows_of(curriculum_table(runs)) if row[1] == "75 %"]
    assert never[3:5] == ["never, 96, never", "> 96"], "a run that does not get there counts with all it has played"


def test_seconds_are_those_of_runs_played_in_one_sitting(out: Path) -> None:
    path = out / "far_lake" / "grpo" / "0" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "resumed_at": 2, "cpu_s": 1.0}))
    assert cpu_seconds(load(out)["far_lake"]["grpo"]) == "32"  # (31 + 32) / 2 = 31.5, to even
    assert cpu_seconds([]) == ""


def test_different_clones_are_no_comparison(out: Path) -> None:
    canned(out, "far_lake", "rloo", 1, [0.21, 0.5, 0.5])
    with pytest.raises(SettingsError, match="differ before the first step"):
        methods_table(load(out))


def test_what_is_kept_gives_the_same_tables(out: Path, tmp_path: Path) -> None:
    assert keep(out, tmp_path / "kept") == 7
    for table in (methods_table, curriculum_table):
        assert table(load(tmp_path / "kept")) == table(load(out))
    write_results(out)
    write_results(tmp_path / "kept")
    assert (out / "results.md").read_bytes() == (tmp_path / "kept" / "results.md").read_bytes()
    assert (tmp_path / "kept" / "curricula.png").stat().st_size > 5000


def test_the_command(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(out), "--report-only", "--keep", str(tmp_path / "kept")]) == 0
    assert "kept 7 runs" in capsys.readouterr().out
    assert (tmp_path / "kept" / "results.md").read_bytes() == (out / "results.md").read_bytes()
    assert main(["--out", str(tmp_path / "none"), "--report-only"]) == 2
    assert "no finished run" in capsys.readouterr().err


# ---- the report of several training runs -----------------------------------------------------------------------------


def trainings(out: Path) -> list[Training]:
    return [run for run in load_runs([out]) if isinstance(run, Training)]


def test_runs_of_one_setting_are_drawn_together(out: Path) -> None:
    found = settings_of_runs(trainings(out))
    assert [(s.name, len(s.runs)) for s in found] == [
        ("uniform", 3), ("saturn", 3), ("uniform · shuffle_rewards", 1),
    ]  # fmt: skip
    assert {s.task for s in found} == {"FrozenLake-v0 (size=3, rules=False, max_turns=4)"}
    # steps 0, 2, 4: means (10 + 20 + 30) / 3 and so on, lowest and highest
    assert curve(found[0].runs) == [
        (0.0, pytest.approx(0.2), 0.1, 0.3), (2.0, pytest.approx(0.4), 0.3, 0.5), (4.0, pytest.approx(0.7), 0.6, 0.8),
    ]  # fmt: skip
    assert env_steps(found[0].runs[0]) == [(0, 0), (1, 24), (2, 48), (3, 72), (4, 96)]
    row = settings_table(found)[1][0]
    assert row[2:] == ("0, 1, 2", "20.0 ± 10.0", "70.0 ± 10.0", "70.0 ± 10.0", "+50.0 ± 10.0", "4", "96", "31")


def test_tasks_that_look_alike_are_told_apart(out: Path) -> None:
    canned(out, "frozen_lake", "grpo", 0, [0.2, 0.4])
    tasks = {s.task for s in settings_of_runs(trainings(out))}
    lake = "FrozenLake-v0 (size=3, rules=False, max_turns=4), warm_skill="
    assert tasks == {f"{lake}{TASKS[name].recipe().warm_start.skill}" for name in ("far_lake", "frozen_lake")}


def test_settings_that_differ_in_a_mapping_alone_are_told_apart(out: Path) -> None:
    for k in (2, 4):
        folder = out.parent / f"pkpo_{k}"
        canned(folder, "far_lake", "pkpo", 0, [0.1, 0.2])
        path = folder / "far_lake" / "pkpo" / "0" / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "credit.k": k}))
    names = [s.name for s in settings_of_runs(trainings(out.parent / "pkpo_2") + trainings(out.parent / "pkpo_4"))]
    assert len(set(names)) == 2
    assert all(f"credit.k={k}" in name for k, name in zip((2, 4), names, strict=True))


def test_the_report_of_many_runs(out: Path, tmp_path: Path) -> None:
    runs = load_runs([out])
    text = markdown(runs)
    assert text.count("20.0 ± 10.0") == 2
    assert str(origin()["sources"]) in text
    page = write_comparison(runs, tmp_path / "all.html")
    assert len(manifest_of(page)["runs"]) == len(runs) == 7
    assert origin()["versions"]["torch"] in json.dumps([manifest_of(page), dict(data_of(page))])


def test_mean_and_sd() -> None:
    assert mean_and_sd([1.0]) == (1.0, 0.0)
    assert mean_and_sd([1.0, 3.0]) == (2.0, pytest.approx(2**0.5))  # ((-1)^2 + 1^2) / (2 - 1) = 2


def test_read_metrics_of_a_kept_run(out: Path, tmp_path: Path) -> None:
    keep(out, tmp_path / "kept")
    before, after = (read_metrics(folder / "far_lake" / "grpo" / "0", "eval") for folder in (out, tmp_path / "kept"))
    assert before == after
