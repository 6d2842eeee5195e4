"""Rollouts that lag behind: always by the same number of steps, and so the same whatever thread is faster."""

import time

import pytest
import torch

from tests.baselines.trainer._small import config, metrics, train, weights
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.advantage import Batch
from turnwise.core.errors import SettingsError

STALE = {"old_logps": "recompute", "loss": "decoupled_ppo", "token_weights": ["importance"]}


@pytest.mark.slow
@pytest.mark.parametrize("staleness", [1, 2])
def test_rollouts_lag_by_as_many_steps_as_asked(tmp_path, staleness):
    run = module.start(config(tmp_path, staleness=staleness, steps=5, eval_tasks=0), resume=False, quiet=True)
    for step in range(5):
        groups = run.source.take(run.curriculum, step)
        assert {t.version for g in groups for t in g.rollouts} == {max(0, step - staleness)}
        _, rows = module.credit(run, Batch.of(groups))
        module.update(run, rows, fresh=step == 0)
        run.step += 1
    run.source.close()


@pytest.mark.slow
def test_which_thread_is_faster_changes_nothing(tmp_path, monkeypatch):
    first = train(config(tmp_path / "a", staleness=1, **STALE), quiet=True)
    update = module.update

    def slowly(*args, **kwargs):
        time.sleep(0.3)
        return update(*args, **kwargs)

    monkeypatch.setattr(module, "update", slowly)
    second = train(config(tmp_path / "b", staleness=1, **STALE), quiet=True)
    assert torch.equal(weights(first), weights(second))
    assert (first.folder / "metrics.jsonl").read_bytes() == (second.folder / "metrics.jsonl").read_bytes()
    assert max(metrics(first.folder, "train", "logp_gap")) > 1e-5  # they are older


@pytest.mark.slow
def test_it_learns_from_rollouts_one_step_behind(tmp_path):
    cfg = config(tmp_path, staleness=1, steps=40, groups_per_step=16, group_size=8, lr=4e-3, eval_tasks=64, **STALE)
    before, after = metrics(train(cfg, quiet=True).folder, "eval", "sampled_solved")
    assert before < 0.7 and after > 0.85


def test_an_error_in_the_thread_ends_the_run(tmp_path):
    cfg = config(tmp_path, staleness=1, env_settings={"fail": 1.0}, warm_steps=0, eval_tasks=0)
    with pytest.raises(Exception, match="all of 24 episodes failed"):
        train(cfg, quiet=True)


def test_stale_rollouts_need_a_loss_that_knows(tmp_path):
    with pytest.raises(SettingsError, match="staleness"):
        config(tmp_path, staleness=-1)
