"""Recipes that a laptop runs in a few minutes, with a tiny model made from nothing."""

from turnwise.baselines.trainer.config import TrainConfig

__all__ = ["quickstart_code_output", "quickstart_frozen_lake", "quickstart_guess", "smoke"]


def quickstart_guess() -> TrainConfig:
    """Find a number between 1 and 32 in six guesses: the model has to find bisection.

    Test tasks are pairs of secret and range that training never shows.
    """
    return TrainConfig(
        env="turnwise/GuessNumber-v0",
        env_settings={"max_number": 32, "vary": 0.1, "rules": False},
        max_turns=6,
        max_new_tokens=6,
        warm_steps=500,
        warm_skill=0.35,
        steps=120,
        stop_at=0.85,
        groups_per_step=32,
        group_size=8,
        optimizer="muon",
        lr=1.5e-3,
        loss_settings={"clip_high": 0.35},
        eval_every=40,
        sample_every=20,
        save_every=40,
        out="runs/quickstart_guess",
    )


def quickstart_frozen_lake() -> TrainConfig:
    """Cross a 3 by 3 frozen lake in four moves: the model has to read a map."""
    return TrainConfig(
        env="turnwise/FrozenLake-v0",
        env_settings={"size": 3, "rules": False},
        max_turns=4,
        max_new_tokens=4,
        warm_steps=120,
        warm_skill=0.5,
        steps=100,
        stop_at=0.8,
        groups_per_step=32,
        group_size=8,
        optimizer="muon",
        lr=5e-4,
        eval_every=20,
        sample_every=20,
        save_every=20,
        out="runs/quickstart_frozen_lake",
    )


def quickstart_code_output() -> TrainConfig:
    """Find an input for which a small program returns a given value, in four tries that the sandbox answers."""
    return TrainConfig(
        env="turnwise/CodeOutput-v0",
        env_settings={
            "mode": "input",
            "types": "int",
            "structure": "plain",
            "num_statements": 1,
            "max_number": 9,
            "negative": False,
            "rules": False,
        },
        max_turns=4,
        max_new_tokens=4,
        warm_steps=300,
        warm_skill=0.5,
        steps=200,
        groups_per_step=32,
        group_size=8,
        optimizer="muon",
        lr=1.5e-3,
        loss_settings={"clip_high": 0.35},
        eval_every=50,
        save_every=50,
        out="runs/quickstart_code_output",
    )


def smoke() -> TrainConfig:
    """Everything once, in well under a minute: does this machine train at all?"""
    return TrainConfig(
        env="turnwise/FrozenLake-v0",
        env_settings={"size": 3, "rules": False},
        max_turns=4,
        max_new_tokens=4,
        warm_steps=80,
        warm_skill=0.5,
        steps=20,
        groups_per_step=16,
        group_size=8,
        optimizer="muon",
        lr=1.5e-3,
        eval_tasks=128,
        save_every=10,
        trackers=(),
        out="runs/smoke",
    )
