"""The whole trainer on a two-turn environment made for it: it learns, resumes exactly, and fails loudly."""

import json
import multiprocessing
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests._work import eventually, one_in
from tests.baselines.trainer._small import config, metrics, start, train, weights
from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.recipes.databases import sql_one_table
from turnwise.baselines.recipes.desks import desk_fines
from turnwise.baselines.recipes.quickstart import (
    quickstart_code_output,
    quickstart_frozen_lake,
    quickstart_guess,
    smoke,
)
from turnwise.baselines.recipes.qwen3 import qwen3_0_6b
from turnwise.baselines.recipes.search import search_two_hop, search_two_hop_outcome
from turnwise.baselines.recipes.web import web_desk
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.advantage import Batch, shaped_signal
from turnwise.baselines.trainer.collect import make_env
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.rollouts import Group, Rollout
from turnwise.baselines.trainer.run.checkpoint import NAME
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, TurnwiseError
from turnwise.core.files import locked


@pytest.mark.slow
def test_it_learns_and_the_shuffled_control_does_not(tmp_path):
    learner = config(tmp_path / "a", steps=40, groups_per_step=16, group_size=8, lr=4e-3, eval_tasks=64)
    run = module.train(learner, quiet=True)
    before, after = metrics(run.folder, "eval", "sampled_solved")
    assert before < 0.7 and after > 0.9
    assert max(metrics(run.folder, "train", "logp_gap")) < 1e-5
    assert (run.folder / "curve.png").stat().st_size > 1000
    assert "sampled" in (run.folder / "report.md").read_text()
    assert TrainConfig.from_json((run.folder / "config.json").read_text()) == learner
    control = module.train(learner.changed({"out": str(tmp_path / "b"), "shuffle_rewards": True}), quiet=True)
    assert metrics(control.folder, "eval", "sampled_solved")[-1] < 0.75


VARIANTS = {
    "default": {},
    "turns": {
        "credit": "turn_rtg_loo",
        "env_settings": {"dense": True},
        "aggregation": "constant",
        "curriculum": "sec",
        "curriculum.arms": [{"settings": {"dense": True}}, {"settings": {"dense": False}}],
    },
    "kl": {"kl_coef": 0.05, "kl_estimator": "k2", "credit": "rloo", "epochs": 2, "optimizer": "adamw"},
    "filter": {
        "sampling": "dynamic",
        "sampling.max_refills": 2,
        "credit": "dr_grpo",
        "temperature": 0.8,
        "replay.max_mean": 0.6,
        "replay.max_std": 0.6,
        "curriculum.num_tasks": 12,
    },
    "plain": {"engine": "reprefill", "gradient_checkpointing": True, "token_budget": 150},
    "tokens": {
        "credit": "tempo",
        "loss": "gspo",
        "aggregation": "sequence_mean",
        "old_logps": "recompute",
        "token_weights": ["importance", "steer", "high_entropy_mask"],
        "token_weights.high_entropy_mask.keep": 0.5,
        "entropy_coef": 0.01,
        "adaptive_entropy.target": 3.0,
        "adaptive_entropy.step": 0.005,
        "adaptive_entropy.high": 0.1,
        "advantage_shaping": ["ucas", "exploration"],
        "shaping": ["turn_cost", "overlong", "repetition"],
        "shaping.turn_cost.cost": 0.1,
        "shaping.overlong.max_len": 8,
        "shaping.overlong.cache": 4,
        "shaping.repetition.ngram": 1,
    },
    "rows": {"context": "row_per_turn", "credit": "gigpo", "wait_share": 0.3, "max_rows": 10},
    "threads": {
        "context": "summarise",
        "context.max_tokens": 8,
        "sampling": "reinforce_ada",
        "env_threads": 2,
    },
}


@pytest.mark.parametrize("name", one_in(4, sorted(VARIANTS)))
def test_resume_is_exact(tmp_path, name):
    """train(4) == train(2) + resume(2): weights and metrics bit for bit, whatever the settings."""
    whole = train(config(tmp_path / "a", **VARIANTS[name]))
    cfg = config(tmp_path / "b", **VARIANTS[name])
    train(cfg, stop_after=2)
    parts = train(cfg, resume=True)
    norms = metrics(whole.folder, "train", "grad_norm")
    assert norms[0] > 0 and max(norms[2:]) > 0  # there was something to learn in both halves
    assert torch.equal(weights(whole), weights(parts))
    for file in ("metrics.jsonl", "samples.jsonl"):
        assert (whole.folder / file).read_bytes() == (parts.folder / file).read_bytes()
    replays = any(setting.startswith("replay") for setting in VARIANTS[name])
    if not replays:  # successes of older weights are compared with the present ones, too
        assert max(metrics(whole.folder, "train", "logp_gap")) < 1e-5


def _train_to_be_killed(out: str) -> None:
    train(config(Path(out), steps=6, save_every=1, **VARIANTS["filter"]), resume=True)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.slow
def test_ten_kills_change_nothing(tmp_path):
    """SIGKILL at random moments, the run resumed each time: weights and metrics file end as without a kill."""
    changes = {"steps": 6, "save_every": 1, **VARIANTS["filter"]}
    whole = train(config(tmp_path / "a", **changes))
    out = tmp_path / "b"
    context = multiprocessing.get_context("forkserver")  # imports once
    context.set_forkserver_preload(["tests.baselines.trainer.test_train"])
    moments = np.random.default_rng(0)
    reached: list[int] = []  # lines of metrics when it was killed
    while len(reached) < 10:
        child = context.Process(target=_train_to_be_killed, args=(str(out),))
        child.start()
        least = _lines(out / "metrics.jsonl") + int(moments.integers(3))
        while child.is_alive() and _lines(out / "metrics.jsonl") < least:
            time.sleep(0.002)
        child.join(timeout=float(moments.uniform(0, 0.4)))
        child.kill()  # in the middle of whatever it is doing
        child.join()
        if child.exitcode == 0:  # it was done before: begin again
            shutil.rmtree(out)
            continue
        assert child.exitcode == -signal.SIGKILL
        reached.append(_lines(out / "metrics.jsonl"))
    assert len(set(reached)) >= 3
    resumed = train(config(out, **changes), resume=True)
    assert torch.equal(weights(whole), weights(resumed))
    for file in ("metrics.jsonl", "samples.jsonl"):
        assert (whole.folder / file).read_bytes() == (out / file).read_bytes()
    assert resumed.replay is not None and len(resumed.replay) > 0


@pytest.mark.slow
def test_a_saved_model_trains_on_in_bf16(tmp_path):
    """The folder ``model`` of a run is a model like any other; bf16 weights resume exactly from fp32 copies."""
    first = train(config(tmp_path / "a", steps=1))
    changes = {"model": str(first.folder / "model"), "dtype": "bf16", "warm_steps": 0, "lr": 1e-4}
    whole = train(config(tmp_path / "b", **changes))
    cfg = config(tmp_path / "c", **changes)
    train(cfg, stop_after=2)
    parts = train(cfg, resume=True)
    assert parts.policy.model.dtype == torch.bfloat16
    assert torch.equal(weights(whole), weights(parts))
    assert not torch.equal(weights(first).bfloat16(), weights(whole))
    solved = metrics(first.folder, "eval", "sampled_solved")[-1]
    assert metrics(whole.folder, "eval", "sampled_solved")[0] == pytest.approx(solved, abs=0.3)


def test_a_half_written_checkpoint_is_not_read(tmp_path):
    cfg = config(tmp_path, steps=2)
    run = train(cfg, stop_after=1)
    good = (tmp_path / NAME).read_bytes()
    (tmp_path / (NAME + ".new")).write_bytes(good[: len(good) // 2])  # killed while writing the next
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "train", "st')
    assert train(cfg, resume=True).step == 2
    assert metrics(run.folder, "train", "step") == [1, 2]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", None])
def test_what_is_no_checkpoint_is_told(tmp_path, damage):
    cfg = config(tmp_path / "a", eval_tasks=0)
    train(cfg, stop_after=1)
    path = tmp_path / "a" / NAME
    if damage is None:
        saved = torch.load(path, weights_only=True)
        del saved["parts"]["curriculum"]
        torch.save(saved, path)
    else:
        path.write_bytes(damage)
    with pytest.raises(SettingsError, match="checkpoint of"):
        train(cfg, resume=True)
    with pytest.raises(SettingsError, match="is a file"):
        train(cfg.changed({"out": str(path)}))


def test_two_runs_do_not_share_a_folder(tmp_path):
    with locked(tmp_path, "busy in"), pytest.raises(SettingsError, match="another process is training into"):
        train(config(tmp_path))
    train(config(tmp_path, steps=1, eval_tasks=0))


def test_a_run_that_fails_leaves_no_thread(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "update", lambda *args, **kwargs: 1 / 0)
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError):
        train(config(tmp_path, staleness=1, env_threads=2, eval_tasks=0))
    eventually(lambda: set(threading.enumerate()) <= before)  # those of the run end, but may take a moment


def test_settings_given_as_tuples_resume(tmp_path):
    cfg = config(tmp_path, eval_tasks=0, **{"curriculum.horizons": (2, 2), "curriculum.horizon_every": 1})
    train(cfg, stop_after=1)
    assert train(cfg, resume=True).step == 4


def test_a_replayed_rollout_is_shaped_anew_each_time(tmp_path):
    run = start(config(tmp_path, eval_tasks=0))
    stored = run.source.take(run.curriculum, 0)[0].rollouts[0].to_dict()
    first = Rollout.from_dict(stored)
    batch = Batch.of([Group(TaskSpec(first.job.env, {}, first.job.seed), (first,))])
    shaped = shaped_signal(run.cfg.changed({"shaping": ["turn_cost"], "shaping.turn_cost.cost": 0.5}), batch)
    assert shaped.signals != batch.signals == (Rollout.from_dict(stored).rewards,)
    assert Rollout.from_dict(stored).to_dict() == stored


def test_replay_keeps_the_policys_own_successes(tmp_path):
    cfg = config(tmp_path, guidance="imitation", **{"guidance.objective": "rl_plus", "replay.per_task": 4}, steps=2)
    run = train(cfg)
    assert run.replay is not None and len(run.replay) > 0
    stored = [
        s["payload"] if isinstance(s, dict) else s[0] for _, kept in run.replay.state_dict()["tasks"] for s in kept
    ]
    assert not any(payload["external"] or payload["job"]["hint"] for payload in stored)


def test_resume_refuses_other_settings(tmp_path):
    cfg = config(tmp_path)
    train(cfg, stop_after=1)
    with pytest.raises(SettingsError, match=r"lr = 0\.002, not 0\.1"):
        train(cfg.changed({"lr": 0.1}), resume=True)
    with pytest.raises(SettingsError, match="holds a checkpoint after 1 steps"):
        train(cfg)


@pytest.mark.slow
def test_engines_and_budgets_give_the_same_run(tmp_path):
    same = {"minibatches": 1, "optimizer": "adamw", "steps": 2}  # Muon rounds to bf16 inside
    base = train(config(tmp_path / "a", **same))
    for name, changes in {"b": {"engine": "reprefill"}, "c": {"token_budget": 100}}.items():
        other = train(config(tmp_path / name, **same, **changes))
        for key in ("reward", "loss", "entropy", "grad_norm"):
            ours, theirs = metrics(other.folder, "train", key), metrics(base.folder, "train", key)
            assert ours == pytest.approx(theirs, rel=2e-3, abs=1e-5)


def test_failed_environments_are_masked(tmp_path):
    run = train(config(tmp_path / "a", env_settings={"fail": 0.3}, steps=2))
    errors = metrics(run.folder, "train", "errors")
    assert all(0 < e < 24 for e in errors)
    played = run.source.take(run.curriculum, run.step)
    batch = module.choose(run, played)
    failed = [t for g in played for t in g.rollouts if not t.valid]
    assert failed and failed[0].error == "the word server is down"
    kept = sum(t.valid for t in batch.rollouts)
    assert sum(len(task.own) for task in module.credit(run, batch)[1]) == kept
    with pytest.raises(InfrastructureError, match="all of 24 episodes failed"):
        train(config(tmp_path / "b", env_settings={"fail": 1.0}, warm_steps=0, eval_tasks=0))


def test_a_wrong_sampler_is_caught(tmp_path, monkeypatch):
    """Stale weights in the sampler, the classical bug, stop the run."""
    run = start(config(tmp_path))
    _, rows = module.credit(run, Batch.of(run.source.take(run.curriculum, 0)))
    with torch.no_grad():
        run.policy.model.model.layers[0].mlp.up_proj.weight.mul_(1.01)
    with pytest.raises(TurnwiseError, match="sampler and trainer differ"):
        module.update(run, rows, fresh=True)


def test_zero_rows_change_nothing(tmp_path):
    """Leaving out rows without advantage gives the update that running them gives."""
    grads = []
    for force in (False, True):
        run = start(config(tmp_path / str(force), minibatches=1))
        rows = [row for task in module.credit(run, Batch.of(run.source.take(run.curriculum, 0)))[1] for row in task.own]
        assert 0 < sum(not r.advantages.any() for r in rows) < len(rows)
        chosen = rows if force else [r for r in rows if r.advantages.any()]
        totals = module.Totals(module.count(rows), len(rows), run.max_tokens)
        module.accumulate(run, chosen, totals, module.Sums(), entropy=False)
        grads.append(torch.cat([p.grad.flatten() for p in run.policy.model.parameters()]))
    torch.testing.assert_close(*grads, atol=1e-7, rtol=1e-4)


@pytest.mark.slow
def test_shuffling_keeps_the_returns_and_breaks_the_link(tmp_path):
    run = start(config(tmp_path, group_size=8))
    batch = Batch.of(run.source.take(run.curriculum, 0))
    shuffled = module.shuffled_signal(batch, (0, 0))
    before, after = ([sum(signal) for signal in b.signals] for b in (batch, shuffled))
    assert sorted(before) == sorted(after) and before != after
    assert shuffled.rollouts == batch.rollouts and [t.total for t in batch.rollouts] == before
    assert [len(signal) for signal in shuffled.signals] == [t.num_turns for t in batch.rollouts]


def with_rewards(rollout, last):
    """The rollout with another reward for its last turn, and none before."""
    turns = [replace(turn, reward=0.0) for turn in rollout.turns]
    return replace(rollout, turns=(*turns[:-1], replace(turns[-1], reward=last)))


def plays(tasks, samples):
    spec = [TaskSpec("tests/Repeat-v0", {}, seed) for seed in (11, 12, 13)]
    return [spec[i].job((0, 0, i, j)) for i in tasks for j in range(samples)]


@pytest.mark.parametrize(
    "changes",
    one_in(
        3,
        [
            {"max_rows": 3},
            {},
            {"wait_share": 0.01},
            {"env_threads": 3, "wait_share": 0.4},
            {"engine": "reprefill", "max_rows": 5},
            {"context": "row_per_turn", "max_rows": 5},
        ],
    ),
)
def test_rollouts_do_not_depend_on_their_neighbours(tmp_path, changes):
    """A task alone is played as it is played among others, however many rows, threads and turns are under way."""
    base = start(config(tmp_path / "a"))
    together = base.source.collector.play(plays((0, 1, 2), 4))
    run = start(config(tmp_path / "b", **changes))
    alone = run.source.collector.play(plays((1,), 4)) + run.source.collector.play(plays((2, 0), 4))
    expected = [*together[4:8], *together[8:], *together[:4]]
    for a, b in zip(expected, alone, strict=True):
        assert a.turns == b.turns
        assert [i for s in a.streams for i, m in zip(s.ids, s.mask, strict=True) if m] == [
            i for s in b.streams for i, m in zip(s.ids, s.mask, strict=True) if m
        ]


@pytest.mark.slow
def test_tasks_of_other_seeds_and_steps_do_not_overlap(tmp_path):
    seen: set[int] = set()
    for seed in range(2):
        run = start(config(tmp_path / str(seed), seed=seed, eval_tasks=0))
        for step in range(3):
            seeds = {g.task.seed for g in run.source.take(run.curriculum, step)}
            assert len(seeds) == 6 and not seeds & seen
            seen |= seeds


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"credit": "ppo"}, "credit is 'ppo'.*; it must be one of grpo"),
        ({"group_size": 1}, "group_size is 1; it must be at least 2"),
        ({"lr": 0.0}, "lr is 0.0; it must be above 0"),
        ({"steps": -1}, "steps is -1; it must be at least 0"),
        ({"warm_skill": 1.5}, "warm_skill is 1.5; it must be from 0 to 1"),
        ({"minibatches": 25}, "minibatches is 25; it must be at most groups_per_step, which is 6"),
        ({"credit.dof": 1}, "credit is 'grpo', which has no setting 'dof' .did you mean 'ddof'"),
        ({"shaping": ["turn_cost"]}, "turn_cost needs a value for cost"),
        ({"wait_share": 1.5}, "wait_share is 1.5; it must be above 0 and at most 1"),
        ({"steps": 1.5}, "steps is 1.5; it must be a whole number of at least 0"),
        ({"seed": True}, "seed is True; it must be a whole number"),
        ({"lr": "1e-3"}, "lr is '1e-3'; it must be a number above 0"),
        ({"entropy_coef": float("inf")}, "entropy_coef is inf; it must be a finite number"),
        ({"env_settings": None}, "env_settings is None; it must be a mapping"),
        ({"shaping": {"turn_cost": 3}}, "shaping is .*; it must be a list"),
        ({"curriculum.levels": 3}, "curriculum.levels is 3; it must be a tuple"),
        (
            {"sampling": "dynamic", "sampling.max_refills": "x"},
            "sampling.max_refills is 'x'; it must be a whole",
        ),
        ({"replay.per_tsk": 1}, "no setting .replay.per_tsk. .did you mean .replay.per_task"),
        ({"credit.ddof": -1}, "ddof"),
        ({"credit": "gigpo", "credit.gamma": "x"}, "credit.gamma is 'x'; it must be a number from 0 to 1"),
        ({"sampling": "dynamic", "reward": "em_rl_token"}, "compares returns of the environment"),
        ({"reward.yes": "y"}, "reward is 'environment', which has no setting 'yes'"),
        ({"engine.model": "m"}, "engine is 'kv', which has no setting 'model'"),
        ({"trackers": ("mlflow",)}, "trackers is 'mlflow'; it must be 'tensorboard' or 'wandb'"),
        ({"trackers": "wandb"}, "trackers is 'wandb'.*; it must be a tuple"),
        ({"env_settings": {"split": "test"}}, "env_settings has 'split'"),
        ({"env_settings": {"x": object()}}, "settings must be JSON values"),
    ],
)
def test_settings_are_checked(tmp_path, changes, message):
    with pytest.raises(SettingsError, match=message):
        config(tmp_path, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": "ppo"}, "loss is 'ppo'.*; it must be one of ppo_clip"),
        ({"loss.clip": 0.1}, "loss is 'ppo_clip', which has no setting 'clip' .did you mean 'clip_low'"),
        ({"token_weights": ["steer"], "token_weights.steer.k": 1}, "no setting .token_weights.steer.k"),
        ({"advantage_shaping": ["ucsa"]}, "did you mean 'ucas'"),
        ({"lora.rnk": 1}, "no setting 'lora.rnk' .did you mean 'lora.rank'"),
    ],
)
def test_losses_are_checked_without_what_trains(tmp_path, changes, message):
    with pytest.raises(SettingsError, match=message):
        config(tmp_path, **changes)


@pytest.mark.parametrize(
    "recipe",
    [
        quickstart_guess,
        quickstart_frozen_lake,
        quickstart_code_output,
        smoke,
        qwen3_0_6b,
        search_two_hop,
        search_two_hop_outcome,
        web_desk,
        desk_fines,
        sql_one_table,
    ],
)
def test_recipes_name_environments_that_exist(recipe):
    cfg = recipe()
    for split in ("train", "test"):
        env = make_env(cfg, split)
        assert env.reset(seed=0)[0] and env.unwrapped.split == split
        assert env.unwrapped.max_turns == cfg.env.max_turns


def test_settings_and_recipes_are_light():
    code = "import sys, turnwise.baselines.recipes.quickstart; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3]).returncode == 0


def test_trackers(tmp_path, monkeypatch):
    run = train(config(tmp_path / "a", steps=1, trackers=("tensorboard",)))
    assert list((run.folder / "tensorboard").glob("events*"))
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingDependencyError, match="wandb"):
        train(config(tmp_path / "b", trackers=("wandb",)))


@pytest.mark.slow
def test_one_line_per_step(tmp_path, capsys):
    module.train(config(tmp_path, steps=2))
    out = capsys.readouterr().out
    assert len([line for line in out.splitlines() if line.startswith("step ")]) == 2
    assert all(word in out for word in ("warm start", "eval", "reward", "entropy", "clip", "gap", "tok/s"))
    records = [json.loads(line) for line in (tmp_path / "timings.jsonl").read_text().splitlines()]
    assert [r["kind"] for r in records] == ["warm", "eval", "train", "train", "eval", "save"]
    for record in (r for r in records if r["kind"] == "train"):
        stages = [
            record[f"{name}_s"] for name in ("play", "choose", "credit", "samples", "score", "optimise", "critic")
        ]
        assert sum(stages[:2]) == pytest.approx(record["collect_s"])
        assert sum(stages[2:]) <= record["update_s"] * 1.0001
        assert 0 < record["sampling_s"] <= record["play_s"] and record["memory_gb"] > 0
