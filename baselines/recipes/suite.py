"""The environments of the suite: a tiny model made from nothing learns each in about half a minute on one core.

All methods of the suite (turnwise.baselines.suite) share the settings of an environment. They were chosen once per
environment with GRPO on seed 100, which the suite does not play; no setting was chosen for any other method.
"""

from typing import Any

from turnwise.baselines.trainer.config import TrainConfig

__all__ = [
    "suite_arithmetic",
    "suite_far_lake",
    "suite_far_maze",
    "suite_frozen_lake",
    "suite_guess_number",
    "suite_ksat",
    "suite_maze",
    "suite_sokoban",
]

SHARED: dict[str, Any] = {
    "steps": 80,
    "groups_per_step": 24,
    "group_size": 8,
    "optimizer": "muon",
    "lr": 5e-4,
    "eval_every": 20,
    "eval_tasks": 256,
    "save_every": 20,
    "trackers": (),
}


def suite_guess_number() -> TrainConfig:
    """Find a number between 1 and 32 in six guesses."""
    return TrainConfig(
        **SHARED | {"lr": 1.5e-3, "loss_settings": {"clip_high": 0.35}},
        env="turnwise/GuessNumber-v0",
        env_settings={"max_number": 32},
        max_turns=6,
        max_new_tokens=6,
        warm_steps=160,
        warm_skill=0.4,
        out="runs/suite_guess_number",
    )


def suite_frozen_lake() -> TrainConfig:
    """Cross a 3 by 3 frozen lake in four moves."""
    return TrainConfig(
        **SHARED,
        env="turnwise/FrozenLake-v0",
        env_settings={"size": 3, "rules": False},
        max_turns=4,
        max_new_tokens=4,
        warm_steps=120,
        warm_skill=0.5,
        out="runs/suite_frozen_lake",
    )


def suite_maze() -> TrainConfig:
    """Walk through a 3 by 3 maze in four moves."""
    return TrainConfig(
        **SHARED,
        env="turnwise/Maze-v0",
        env_settings={"size": 3, "rules": False},
        max_turns=4,
        max_new_tokens=4,
        warm_steps=120,
        warm_skill=0.5,
        out="runs/suite_maze",
    )


def suite_sokoban() -> TrainConfig:
    """Push one box onto its target, one or two pushes away, in six moves."""
    return TrainConfig(
        **SHARED | {"steps": 60, "groups_per_step": 16},
        env="turnwise/Sokoban-v0",
        env_settings={"size": 6, "pushes": 2},
        max_turns=6,
        max_new_tokens=4,
        warm_steps=100,
        warm_skill=0.5,
        out="runs/suite_sokoban",
    )


def suite_ksat() -> TrainConfig:
    """Satisfy five clauses of two literals over three variables; a wrong assignment is answered by a false clause."""
    return TrainConfig(
        **SHARED | {"lr": 1.5e-3, "loss_settings": {"clip_high": 0.35}},
        env="turnwise/KSat-v0",
        env_settings={"clause_size": 2, "num_vars": 3, "num_clauses": 5, "rendering": "letters"},
        max_turns=3,
        max_new_tokens=10,
        warm_steps=120,
        warm_skill=0.3,
        out="runs/suite_ksat",
    )


def suite_arithmetic() -> TrainConfig:
    """Work out a sum of three digits, such as 3 - 8 + 6, in four tries; a wrong one is answered by "Try again."."""
    return TrainConfig(
        **SHARED | {"groups_per_step": 16, "lr": 1e-3},
        env="turnwise/ArithmeticChain-v0",
        env_settings={"num_terms": 3, "depth": 0, "digits": 1, "operations": "+-"},
        tries=4,
        max_new_tokens=12,
        warm_steps=150,
        warm_skill=0.4,
        out="runs/suite_arithmetic",
    )


def suite_far_lake() -> TrainConfig:
    """Cross a 3 by 3 frozen lake from far away, after a poor teacher: nearly no game is won at first."""
    return TrainConfig(
        **SHARED | {"eval_every": 10},
        env="turnwise/FrozenLake-v0",
        env_settings={"size": 3, "rules": False, "max_turns": 4},
        max_new_tokens=4,
        warm_steps=120,
        warm_skill=0.15,
        out="runs/suite_far_lake",
    )


def suite_far_maze() -> TrainConfig:
    """Walk through a 3 by 3 maze from far away, after a poor teacher: nearly no game is won at first."""
    return TrainConfig(
        **SHARED | {"eval_every": 10},
        env="turnwise/Maze-v0",
        env_settings={"size": 3, "rules": False, "max_turns": 4, "distance": 4},
        max_new_tokens=4,
        warm_steps=120,
        warm_skill=0.25,
        out="runs/suite_far_maze",
    )
