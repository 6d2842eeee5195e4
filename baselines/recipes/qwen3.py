"""Recipes for a pretrained model on one GPU."""

from turnwise.baselines.trainer.config import TrainConfig

__all__ = ["qwen3_0_6b"]


def qwen3_0_6b() -> TrainConfig:
    """Qwen3-0.6B on FrozenLake with rules: a pretrained model learns from rewards alone, without a warm start."""
    return TrainConfig(
        env="turnwise/FrozenLake-v0",
        env_settings={"size": 4},
        max_turns=8,
        model="Qwen/Qwen3-0.6B",
        dtype="bf16",
        gradient_checkpointing=True,
        max_new_tokens=128,
        steps=200,
        groups_per_step=16,
        group_size=8,
        sampling="dynamic",
        optimizer="adamw",
        lr=2e-6,
        warmup=10,
        minibatches=2,
        token_budget=32768,
        eval_every=25,
        eval_tasks=128,
        save_every=25,
        out="runs/qwen3_0_6b",
    )
