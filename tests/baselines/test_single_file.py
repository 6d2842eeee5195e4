"""The one-file example and the trainer are the same algorithm: same seed, same losses."""

import importlib.util
from pathlib import Path

import pytest
import torch

from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.policy import Optimizer, learning_rate_factor
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.baselines.trainer.run.log import read_metrics
from turnwise.baselines.trainer.train import train

EXAMPLE = Path(__file__).parents[2] / "examples" / "grpo_single_file.py"
SHARED = {
    "env": "turnwise/GuessNumber-v0",
    "env_settings": {"max_number": 20},
    "max_turns": 4,
    "warm_steps": 60,
    "warm_skill": 0.5,
    "warm_lr": 4e-3,
    "steps": 3,
    "groups_per_step": 8,
    "group_size": 4,
    "minibatches": 2,
    "max_new_tokens": 4,
    "lr": 1e-3,
    "warmup": 1,
    "seed": 3,
    "eval_tasks": 0,
}


def load_example():
    spec = importlib.util.spec_from_file_location("grpo_single_file", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_same_losses(tmp_path, capsys):
    example = load_example()
    history = example.main(example.Settings(**SHARED, muon=False))
    run = train(TrainConfig.of({**SHARED, "out": str(tmp_path), "trackers": ()}), quiet=True)
    records = read_metrics(run.folder, "train")
    assert [r["reward"] for r in records] == [h["reward"] for h in history]
    assert [r["loss"] for r in records] == pytest.approx([h["loss"] for h in history], rel=1e-3, abs=1e-5)
    assert len({round(h["loss"], 6) for h in history}) == len(history)  # they say something
    assert "reward" in capsys.readouterr().out


def test_same_updates_with_muon():
    """Muon rounds to bf16 inside, which makes much of a last bit: compare an update, not runs."""
    example = load_example()
    cfg = example.Settings()
    tokenizer = tiny_tokenizer(["1 2 3"], 300)
    models = [tiny_model(tokenizer, 0, init_std=0.2) for _ in range(2)]
    ids = torch.arange(12)[None]
    optimizers = example.make_optimizers(cfg, models[0])
    optimizer = Optimizer(models[1], "muon", max_grad_norm=cfg.max_grad_norm)
    losses = [model(input_ids=ids, labels=ids).loss for model in models]
    example.apply_update(cfg, models[0], optimizers, losses[0], 1e-3)
    optimizer.backward(losses[1])
    optimizer.step(1e-3)
    for ours, theirs in zip(*(model.parameters() for model in models), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=0)
    assert [example.schedule(s, 9, 2) for s in range(9)] == [learning_rate_factor(s, 9, 2) for s in range(9)]


def test_example_is_short():
    lines = EXAMPLE.read_text().splitlines()
    assert len(lines) <= 300 and max(map(len, lines)) <= 120
