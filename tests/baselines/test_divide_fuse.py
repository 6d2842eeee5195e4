"""Divide-Fuse-Conquer: which games go together, from which model each run starts, and all steps at a tiny size."""

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.baselines.trainer._small import quick
from turnwise.baselines.divide_fuse import STEPS, Plan, grouped, main, play_steps, table
from turnwise.core.errors import SettingsError

GAMES = ("Nim:heaps=[3],most=2", "Nim:heaps=[4],most=2")
TINY = {
    "warm_steps": 2, "groups_per_step": 2, "group_size": 2, "minibatches": 1, "opponents.schedule": [{}],
    "opponents.test": ["random", "greedy"], "sample_every": 0,
}  # fmt: skip


def test_games_of_like_results_go_together():
    rates = {"a": 0.9, "b": 0.1, "c": 0.5, "d": 0.8, "e": 0.2}
    assert grouped(rates, 2) == [["b", "e"], ["c", "d", "a"]]
    assert grouped(rates, 5) == [["b"], ["e"], ["c"], ["d"], ["a"]]


def test_where_each_run_starts_and_how_long_it_trains(tmp_path):
    plan = Plan(tmp_path, steps=7, conquer=5, seed=3)
    base, part = plan.run("base", plan.games, steps=0), plan.trained("group_1", plan.games[:1], "base", plan.steps)
    assert base.model.name == "tiny" and base.warm_start.steps == 80, "40 updates a game"
    assert part.model.name == str(tmp_path / "base" / "model") and part.warm_start.steps == 0
    assert (part.run.steps, part.run.seed, part.eval.tasks) == (7, 3, 0)
    measured = plan.measured("group_1")
    assert measured.run.steps == 0 and measured.model.name == str(tmp_path / "group_1" / "model")
    assert {target.settings["game"] for target in measured.targets} == set(plan.games)


def test_as_many_groups_as_games_at_most(tmp_path, capsys):
    with pytest.raises(SettingsError, match="groups is 3"):
        Plan(tmp_path, GAMES, groups=3)
    assert main(["--out", str(tmp_path), "--groups", "1"]) == 2
    assert "groups is 1; it must be from 2" in capsys.readouterr().err


@pytest.mark.slow
def test_all_steps_and_the_same_again_without_training(tmp_path):
    plan = Plan(tmp_path, GAMES, steps=1, conquer=1, changes={**TINY, "eval_tasks": 4})
    with quick():
        rates = play_steps(plan)
    assert list(rates) == ["base", "group_1", "group_2", "fused", "conquered", "joint"]
    assert all(0 <= rate <= 1 for own in rates.values() for rate in own.values())
    one, two, mean = (
        AutoModelForCausalLM.from_pretrained(tmp_path / name / "model").state_dict()
        for name in ("group_1", "group_2", "fused")
    )
    for name, value in mean.items():
        torch.testing.assert_close(value, (one[name] + two[name]) / 2)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("checkpoint.pt")}
    assert play_steps(plan, STEPS[0]) == {"base": rates["base"]}
    assert play_steps(plan) == rates
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("checkpoint.pt")}
    assert table(rates).count("\n") == 7
