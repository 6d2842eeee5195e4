"""The whole trainer on a two-turn environment made for it: it learns, resumes exactly, and fails loudly."""

import json
import multiprocessing
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests._work import eventually, one_in
from turnwise.baselines.methods.curricula import TaskSpec
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
from turnwise.baselines.trainer.checkpoint import NAME
from turnwise.baselines.trainer.collect import Play, Trajectory, make_env
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.log import read_metrics
from turnwise.baselines.trainer.train import Run, train
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, TurnwiseError
from turnwise.core.locks import locked
from turnwise.core.registration import register

WORDS = ("red", "blue", "green", "black")


@dataclass(frozen=True)
class Word:
    word: str
    number: int  # so that there are enough instances for two splits


@register("tests/Repeat-v0")
class Repeat(Env[Word]):
    """Say the word that was named; a wrong word is answered by the word again."""

    max_turns: int = 2
    dense: bool = False
    fail: float = 0.0

    def generate(self, rng: np.random.Generator) -> Word:
        return Word(WORDS[int(rng.integers(4))], int(rng.integers(1000)))

    def begin(self) -> str:
        return f"Say {self.task.word}"

    def respond(self, action: str) -> Reply:
        if self.fail and (self.fail == 1 or self.np_random.random() < self.fail):
            raise InfrastructureError("the word server is down")
        if action == self.task.word:
            return Reply("yes", solved=True)
        return Reply(f"No {self.task.word}", reward=0.2 if self.dense and action in WORDS else 0.0)

    def oracle(self) -> str:
        return self.task.word

    def rationale(self) -> str:
        return "\n".join([self.task.word] * 4)

    def sample_action(self, rng: np.random.Generator) -> str:
        return WORDS[int(rng.integers(4))]


def config(out: Path, **changes: object) -> TrainConfig:
    base = TrainConfig(
        env="tests/Repeat-v0",
        out=str(out),
        warm_steps=20,
        warm_skill=0.0,
        steps=4,
        groups_per_step=6,
        group_size=4,
        minibatches=2,
        max_new_tokens=4,
        optimizer="muon",
        lr=2e-3,
        warmup=1,
        eval_tasks=16,
        sample_every=2,
        trackers=(),
    )
    return replace(base, **changes)


def weights(run: Run) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in run.policy.model.parameters()])


def metrics(folder: Path, kind: str, key: str) -> list[float]:
    return [r[key] for r in read_metrics(folder, kind)]


@pytest.mark.slow
def test_it_learns_and_the_shuffled_control_does_not(tmp_path):
    learner = config(tmp_path / "a", steps=40, groups_per_step=16, group_size=8, lr=4e-3, eval_tasks=64)
    run = train(learner, quiet=True)
    before, after = metrics(run.folder, "eval", "sampled_solved")
    assert before < 0.7 and after > 0.9
    assert max(metrics(run.folder, "train", "logp_gap")) < 1e-5
    assert (run.folder / "curve.png").stat().st_size > 1000
    assert "sampled" in (run.folder / "report.md").read_text()
    assert TrainConfig.from_json((run.folder / "config.json").read_text()) == learner
    control = train(replace(learner, out=str(tmp_path / "b"), shuffle_rewards=True), quiet=True)
    assert metrics(control.folder, "eval", "sampled_solved")[-1] < 0.75


VARIANTS = {
    "default": {},
    "turns": {
        "credit": "turn_rtg_loo",
        "env_settings": {"dense": True},
        "aggregation": "constant",
        "curriculum": "sec",
        "curriculum_settings": {"arms": [{"settings": {"dense": True}}, {"settings": {"dense": False}}]},
    },
    "kl": {"kl_coef": 0.05, "kl_estimator": "k2", "credit": "rloo", "epochs": 2, "optimizer": "adamw"},
    "filter": {
        "sampling": "dynamic",
        "sampling_settings": {"max_refills": 2},
        "credit": "dr_grpo",
        "temperature": 0.8,
        "replay": {"max_mean": 0.6, "max_std": 0.6},
        "curriculum_settings": {"num_tasks": 12},
    },
    "plain": {"engine": "reprefill", "gradient_checkpointing": True, "token_budget": 150},
    "tokens": {
        "credit": "tempo",
        "loss": "gspo",
        "aggregation": "sequence_mean",
        "old_logps": "recompute",
        "token_weights": {"importance": {}, "steer": {}, "high_entropy_mask": {"keep": 0.5}},
        "entropy_coef": 0.01,
        "adaptive_entropy": {"target": 3.0, "step": 0.005, "high": 0.1},
        "advantage_shaping": {"ucas": {}, "exploration": {}},
        "shaping": {"turn_cost": {"cost": 0.1}, "overlong": {"max_len": 8, "cache": 4}, "repetition": {"ngram": 1}},
    },
    "rows": {"context": "row_per_turn", "credit": "gigpo", "wait_share": 0.3, "max_rows": 10},
    "threads": {
        "context": "summarise",
        "context_settings": {"max_tokens": 8},
        "sampling": "reinforce_ada",
        "env_threads": 2,
    },
}


@pytest.mark.parametrize("name", one_in(4, sorted(VARIANTS)))
def test_resume_is_exact(tmp_path, name):
    """train(4) == train(2) + resume(2): weights and metrics bit for bit, whatever the settings."""
    whole = train(config(tmp_path / "a", **VARIANTS[name]), quiet=True)
    cfg = config(tmp_path / "b", **VARIANTS[name])
    train(cfg, stop_after=2, quiet=True)
    parts = train(cfg, resume=True, quiet=True)
    norms = metrics(whole.folder, "train", "grad_norm")
    assert norms[0] > 0 and max(norms[2:]) > 0  # there was something to learn in both halves
    assert torch.equal(weights(whole), weights(parts))
    for file in ("metrics.jsonl", "samples.jsonl"):
        assert (whole.folder / file).read_bytes() == (parts.folder / file).read_bytes()
    if "replay" not in VARIANTS[name]:  # successes of older weights are compared with the present ones, too
        assert max(metrics(whole.folder, "train", "logp_gap")) < 1e-5


def _train_to_be_killed(out: str) -> None:
    train(config(Path(out), steps=6, save_every=1, **VARIANTS["filter"]), resume=True, quiet=True)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.slow
def test_ten_kills_change_nothing(tmp_path):
    """SIGKILL at random moments, the run resumed each time: weights and metrics file end as without a kill."""
    changes = {"steps": 6, "save_every": 1, **VARIANTS["filter"]}
    whole = train(config(tmp_path / "a", **changes), quiet=True)
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
    resumed = train(config(out, **changes), resume=True, quiet=True)
    assert torch.equal(weights(whole), weights(resumed))
    for file in ("metrics.jsonl", "samples.jsonl"):
        assert (whole.folder / file).read_bytes() == (out / file).read_bytes()
    assert resumed.replay is not None and len(resumed.replay) > 0


@pytest.mark.slow
def test_a_saved_model_trains_on_in_bf16(tmp_path):
    """The folder ``model`` of a run is a model like any other; bf16 weights resume exactly from fp32 copies."""
    first = train(config(tmp_path / "a", steps=1), quiet=True)
    changes = {"model": str(first.folder / "model"), "dtype": "bf16", "warm_steps": 0, "lr": 1e-4}
    whole = train(config(tmp_path / "b", **changes), quiet=True)
    cfg = config(tmp_path / "c", **changes)
    train(cfg, stop_after=2, quiet=True)
    parts = train(cfg, resume=True, quiet=True)
    assert parts.policy.model.dtype == torch.bfloat16
    assert torch.equal(weights(whole), weights(parts))
    assert not torch.equal(weights(first).bfloat16(), weights(whole))
    solved = metrics(first.folder, "eval", "sampled_solved")[-1]
    assert metrics(whole.folder, "eval", "sampled_solved")[0] == pytest.approx(solved, abs=0.3)


def test_a_half_written_checkpoint_is_not_read(tmp_path):
    cfg = config(tmp_path, steps=2)
    run = train(cfg, stop_after=1, quiet=True)
    good = (tmp_path / NAME).read_bytes()
    (tmp_path / (NAME + ".new")).write_bytes(good[: len(good) // 2])  # killed while writing the next
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "train", "st')
    assert train(cfg, resume=True, quiet=True).step == 2
    assert metrics(run.folder, "train", "step") == [1, 2]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", None])
def test_what_is_no_checkpoint_is_told(tmp_path, damage):
    cfg = config(tmp_path / "a", eval_tasks=0)
    train(cfg, stop_after=1, quiet=True)
    path = tmp_path / "a" / NAME
    if damage is None:
        saved = torch.load(path, weights_only=True)
        del saved["parts"]["curriculum"]
        torch.save(saved, path)
    else:
        path.write_bytes(damage)
    with pytest.raises(SettingsError, match="checkpoint of"):
        train(cfg, resume=True, quiet=True)
    with pytest.raises(SettingsError, match="is a file"):
        train(replace(cfg, out=str(path)), quiet=True)


def test_two_runs_do_not_share_a_folder(tmp_path):
    with locked(tmp_path, "busy in"), pytest.raises(SettingsError, match="another process is training into"):
        train(config(tmp_path), quiet=True)
    train(config(tmp_path, steps=1, eval_tasks=0), quiet=True)


def test_a_run_that_fails_leaves_no_thread(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "update", lambda *args, **kwargs: 1 / 0)
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError):
        train(config(tmp_path, staleness=1, env_threads=2, eval_tasks=0), quiet=True)
    eventually(lambda: set(threading.enumerate()) <= before)  # those of the run end, but may take a moment


def test_settings_given_as_tuples_resume(tmp_path):
    cfg = config(tmp_path, eval_tasks=0, curriculum_settings={"horizons": (2, 2), "horizon_every": 1})
    train(cfg, stop_after=1, quiet=True)
    assert train(cfg, resume=True, quiet=True).step == 4


def test_a_replayed_rollout_is_shaped_anew_each_time(tmp_path):
    run = module.start(config(tmp_path, eval_tasks=0), resume=False, quiet=True)
    stored = run.source.take(run.curriculum, 0)[0].trajectories[0].to_dict()
    first = Trajectory.from_dict(stored)
    first.signal[-1] -= 0.5
    first.streams[0].ids.append(1)
    assert Trajectory.from_dict(stored).signal == stored["signal"] == Trajectory.from_dict(stored).rewards
    assert Trajectory.from_dict(stored).streams[0].ids == stored["streams"][0]["ids"]


def test_replay_keeps_the_policys_own_successes(tmp_path):
    cfg = config(
        tmp_path, guidance="imitation", guidance_settings={"objective": "rl_plus"}, replay={"per_task": 4}, steps=2
    )
    run = train(cfg, quiet=True)
    assert run.replay is not None and len(run.replay) > 0
    stored = [
        s["payload"] if isinstance(s, dict) else s[0] for _, kept in run.replay.state_dict()["tasks"] for s in kept
    ]
    assert not any(payload["external"] or payload["play"]["hint"] for payload in stored)


def test_resume_refuses_other_settings(tmp_path):
    cfg = config(tmp_path)
    train(cfg, stop_after=1, quiet=True)
    with pytest.raises(SettingsError, match=r"lr = 0\.002, not 0\.1"):
        train(replace(cfg, lr=0.1), resume=True, quiet=True)
    with pytest.raises(SettingsError, match="holds a checkpoint after 1 steps"):
        train(cfg, quiet=True)


@pytest.mark.slow
def test_engines_and_budgets_give_the_same_run(tmp_path):
    same = {"minibatches": 1, "optimizer": "adamw", "steps": 2}  # Muon rounds to bf16 inside
    base = train(config(tmp_path / "a", **same), quiet=True)
    for name, changes in {"b": {"engine": "reprefill"}, "c": {"token_budget": 100}}.items():
        other = train(config(tmp_path / name, **same, **changes), quiet=True)
        for key in ("reward", "loss", "entropy", "grad_norm"):
            ours, theirs = metrics(other.folder, "train", key), metrics(base.folder, "train", key)
            assert ours == pytest.approx(theirs, rel=2e-3, abs=1e-5)


def test_failed_environments_are_masked(tmp_path):
    run = train(config(tmp_path / "a", env_settings={"fail": 0.3}, steps=2), quiet=True)
    errors = metrics(run.folder, "train", "errors")
    assert all(0 < e < 24 for e in errors)
    played = run.source.take(run.curriculum, run.step)
    groups = module.choose(run, played)
    failed = [t for g in played for t in g.trajectories if not t.valid]
    assert failed and failed[0].error == "the word server is down"
    kept = sum(t.valid for g in groups for t in g.trajectories)
    assert sum(map(len, module.credit(run, groups))) == kept
    with pytest.raises(InfrastructureError, match="all of 24 episodes failed"):
        train(config(tmp_path / "b", env_settings={"fail": 1.0}, warm_steps=0, eval_tasks=0), quiet=True)


def test_a_wrong_sampler_is_caught(tmp_path, monkeypatch):
    """Stale weights in the sampler, the classical bug, stop the run."""
    run = module.start(config(tmp_path), resume=False, quiet=True)
    rows = module.credit(run, run.source.take(run.curriculum, 0))
    with torch.no_grad():
        run.policy.model.model.layers[0].mlp.up_proj.weight.mul_(1.01)
    with pytest.raises(TurnwiseError, match="sampler and trainer differ"):
        module.update(run, rows, fresh=True)


def test_zero_rows_change_nothing(tmp_path):
    """Leaving out rows without advantage gives the update that running them gives."""
    grads = []
    for force in (False, True):
        run = module.start(config(tmp_path / str(force), minibatches=1), resume=False, quiet=True)
        rows = [row for group in module.credit(run, run.source.take(run.curriculum, 0)) for row in group]
        assert 0 < sum(not r.advantages.any() for r in rows) < len(rows)
        chosen = rows if force else [r for r in rows if r.advantages.any()]
        totals = module.Totals(module.count(rows), len(rows), run.max_tokens)
        module.accumulate(run, chosen, totals, module.Sums(), entropy=False)
        grads.append(torch.cat([p.grad.flatten() for p in run.policy.model.parameters()]))
    torch.testing.assert_close(*grads, atol=1e-7, rtol=1e-4)


@pytest.mark.slow
def test_shuffling_keeps_the_returns_and_breaks_the_link(tmp_path):
    run = module.start(config(tmp_path, group_size=8), resume=False, quiet=True)
    groups = run.source.take(run.curriculum, 0)
    before = [t.total for g in groups for t in g.trajectories]
    module.shuffle_rewards(groups, (0, 0))
    after = [sum(t.signal) for g in groups for t in g.trajectories]
    assert sorted(before) == sorted(after) and before != after
    assert [t.total for g in groups for t in g.trajectories] == before
    assert all(len(t.signal) == t.num_turns for g in groups for t in g.trajectories)


def plays(tasks, samples):
    spec = [TaskSpec("tests/Repeat-v0", {}, seed) for seed in (11, 12, 13)]
    return [Play(spec[i], (0, 0, 0, i, j)) for i in tasks for j in range(samples)]


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
    base = module.start(config(tmp_path / "a"), resume=False, quiet=True)
    together = base.source.collector.play(plays((0, 1, 2), 4))
    run = module.start(config(tmp_path / "b", **changes), resume=False, quiet=True)
    alone = run.source.collector.play(plays((1,), 4)) + run.source.collector.play(plays((2, 0), 4))
    expected = [*together[4:8], *together[8:], *together[:4]]
    for a, b in zip(expected, alone, strict=True):
        assert a.texts == b.texts and a.rewards == b.rewards
        assert [i for s in a.streams for i, m in zip(s.ids, s.mask, strict=True) if m] == [
            i for s in b.streams for i, m in zip(s.ids, s.mask, strict=True) if m
        ]


@pytest.mark.slow
def test_tasks_of_other_seeds_and_steps_do_not_overlap(tmp_path):
    seen: set[int] = set()
    for seed in range(2):
        run = module.start(config(tmp_path / str(seed), seed=seed, eval_tasks=0), resume=False, quiet=True)
        for step in range(3):
            seeds = {g.task.seed for g in run.source.take(run.curriculum, step)}
            assert len(seeds) == 6 and not seeds & seen
            seen |= seeds


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"credit": "ppo"}, "credit must be one of .* not 'ppo'"),
        ({"group_size": 1}, "group_size must be 2 or more"),
        ({"lr": 0.0}, "lr must be greater than 0"),
        ({"steps": -1}, "steps must be 0 or more"),
        ({"warm_skill": 1.5}, "warm_skill is a probability"),
        ({"minibatches": 25}, "more than groups_per_step"),
        ({"credit_settings": {"dof": 1}}, "grpo has no settings .'dof'"),
        ({"shaping": {"turn_cost": {}}}, "turn_cost needs a value for .'cost'"),
        ({"wait_share": 1.5}, "wait_share is a part"),
        ({"steps": 1.5}, "steps must be of type int"),
        ({"seed": True}, "seed must be of type int"),
        ({"lr": "1e-3"}, "lr must be a finite number"),
        ({"entropy_coef": float("inf")}, "entropy_coef must be a finite number"),
        ({"env_settings": None}, "env_settings must be a mapping"),
        ({"shaping": {"turn_cost": 3}}, "must be a mapping"),
        ({"curriculum_settings": {"levels": 3}}, "levels must be a list"),
        ({"sampling": "dynamic", "sampling_settings": {"max_refills": "x"}}, "sampling_settings"),
        ({"replay": {"per_tsk": 1}}, "replay has no settings"),
        ({"credit_settings": {"ddof": -1}}, "ddof"),
        ({"credit": "gigpo", "credit_settings": {"gamma": "x"}}, "gamma|credit_settings"),
        ({"sampling": "dynamic", "reward": "em_rl_token"}, "compares returns of the environment"),
        ({"judge": {"yes": "y"}}, "judge is for reward"),
        ({"engine_settings": {"model": "m"}}, "engine_settings are for engine 'vllm'"),
        ({"trackers": ("mlflow",)}, "trackers must be one of"),
        ({"trackers": "wandb"}, "trackers must be a tuple"),
        ({"env_settings": {"split": "test"}}, "must not hold 'split'"),
        ({"env_settings": {"x": object()}}, "must hold JSON values"),
    ],
)
def test_settings_are_checked(tmp_path, changes, message):
    with pytest.raises(SettingsError, match=message):
        config(tmp_path, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": "ppo"}, "objective must be one of"),
        ({"loss_settings": {"clip": 0.1}}, "ppo_clip has no settings"),
        ({"token_weights": {"steer": {"k": 1}}}, "steer has no settings"),
        ({"advantage_shaping": {"ucsa": {}}}, "did you mean 'ucas'"),
        ({"lora": {"rnk": 1}}, "lora has no settings"),
    ],
)
def test_losses_are_checked_before_anything_is_trained(tmp_path, changes, message):
    with pytest.raises(SettingsError, match=message):
        train(config(tmp_path, **changes), quiet=True)
    assert not (tmp_path / "metrics.jsonl").exists() or not metrics(tmp_path, "warm", "first")


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
    ],
)
def test_recipes_name_environments_that_exist(recipe):
    cfg = recipe()
    for split in ("train", "test"):
        env = make_env(cfg, split)
        assert env.reset(seed=0)[0] and env.unwrapped.split == split
        assert env.unwrapped.max_turns == cfg.max_turns


def test_settings_and_recipes_are_light():
    code = "import sys, turnwise.baselines.recipes.quickstart; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3]).returncode == 0


def test_trackers(tmp_path, monkeypatch):
    run = train(config(tmp_path / "a", steps=1, trackers=("tensorboard",)), quiet=True)
    assert list((run.folder / "tensorboard").glob("events*"))
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingDependencyError, match="wandb"):
        train(config(tmp_path / "b", trackers=("wandb",)), quiet=True)


def test_one_line_per_step(tmp_path, capsys):
    train(config(tmp_path, steps=2))
    out = capsys.readouterr().out
    assert len([line for line in out.splitlines() if line.startswith("step ")]) == 2
    assert all(word in out for word in ("warm start", "eval", "reward", "entropy", "clip", "gap", "tok/s"))
    records = [json.loads(line) for line in (tmp_path / "timings.jsonl").read_text().splitlines()]
    assert [r["kind"] for r in records] == ["warm", "train", "train"]
