"""Recipes that a laptop runs in a few minutes, with a tiny, randomly initialised model."""

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

__all__ = ["quickstart_code_output", "quickstart_frozen_lake", "quickstart_guess", "smoke"]


def quickstart_guess() -> TrainConfig:
    """Find a number between 1 and 32 in six guesses: the model has to find bisection.

    Test tasks are pairs of secret and range that training never shows.
    """
    return TrainConfig(
        env=EnvConfig(
            id="turnwise/GuessNumber-v0",
            settings={"max_number": 32, "vary": 0.1, "rules": False},
            max_turns=6,
        ),
        warm_start=WarmStart(steps=500, skill=0.35),
        rollout=Rollout(groups_per_step=32, group_size=8, max_new_tokens=6),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=1.5e-3),
        eval=Evaluation(every=40),
        run=RunConfig(steps=120, stop_at=0.85, sample_every=20, save_every=40, out="runs/quickstart_guess"),
    )


def quickstart_frozen_lake() -> TrainConfig:
    """Cross a 3 by 3 frozen lake in four moves: the model has to read a map."""
    return TrainConfig(
        env=EnvConfig(id="turnwise/FrozenLake-v0", settings={"size": 3, "rules": False}, max_turns=4),
        warm_start=WarmStart(steps=120, skill=0.5),
        rollout=Rollout(groups_per_step=32, group_size=8, max_new_tokens=4),
        optim=Optim(name="muon", lr=5e-4),
        eval=Evaluation(every=20),
        run=RunConfig(steps=100, stop_at=0.8, sample_every=20, save_every=20, out="runs/quickstart_frozen_lake"),
    )


def quickstart_code_output() -> TrainConfig:
    """Find an input for which a small program returns a given value, in four tries that the sandbox answers."""
    return TrainConfig(
        env=EnvConfig(
            id="turnwise/CodeOutput-v0",
            settings={"form": "expression", "mode": "input", "max_number": 9, "rules": False},
            max_turns=4,
        ),
        warm_start=WarmStart(steps=300, skill=0.5),
        rollout=Rollout(groups_per_step=32, group_size=8, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=1.5e-3),
        eval=Evaluation(every=50),
        run=RunConfig(steps=200, save_every=50, out="runs/quickstart_code_output"),
    )


def smoke() -> TrainConfig:
    """A run of every stage in well under a minute, to check that this machine can train."""
    return TrainConfig(
        env=EnvConfig(id="turnwise/FrozenLake-v0", settings={"size": 3, "rules": False}, max_turns=4),
        warm_start=WarmStart(steps=80, skill=0.5),
        rollout=Rollout(groups_per_step=16, group_size=8, max_new_tokens=4),
        optim=Optim(name="muon", lr=1.5e-3),
        eval=Evaluation(tasks=128),
        run=RunConfig(steps=20, save_every=10, trackers=(), out="runs/smoke"),
    )
