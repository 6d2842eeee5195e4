"""Recipes for a pretrained model on one GPU."""

from turnwise.baselines.methods.sampling.select import Dynamic
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, ModelConfig, Optim, Rollout, RunConfig

__all__ = ["qwen3_0_6b"]


def qwen3_0_6b() -> TrainConfig:
    """Qwen3-0.6B on FrozenLake with rules: a pretrained model learns from rewards alone, without a warm start."""
    return TrainConfig(
        env=EnvConfig(id="turnwise/FrozenLake-v0", settings={"size": 4}, max_turns=8),
        model=ModelConfig(name="Qwen/Qwen3-0.6B", dtype="bf16", gradient_checkpointing=True),
        rollout=Rollout(groups_per_step=16, group_size=8, max_new_tokens=128),
        sampling=Dynamic(),
        optim=Optim(name="adamw", lr=2e-6, warmup=10, minibatches=2, token_budget=32768),
        eval=Evaluation(every=25, tasks=128),
        run=RunConfig(steps=200, save_every=25, out="runs/qwen3_0_6b"),
    )
