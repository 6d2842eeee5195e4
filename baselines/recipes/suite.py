"""The environments of the suite: a tiny, randomly initialised model learns each in about half a minute on one core.

All methods of the suite (turnwise.baselines.suite) share the settings of an environment. They were chosen once per
environment with GRPO on seed 100, which the suite does not play; no setting was chosen for any other method.
"""

from typing import Any

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

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

WIDE_CLIP = LossConfig(objective=PpoClip(clip_high=0.35))


def muon(lr: float) -> Optim:
    """Muon at a peak learning rate."""
    return Optim(name="muon", lr=lr)


def parts(
    name: str, env: EnvConfig, warm_start: WarmStart, tokens: int, groups: int = 24, steps: int = 80, **others: Any
) -> dict[str, Any]:
    """The parts of a run's settings; all runs of the suite share most of them.

    Args:
        name: Of the recipe, and of the folder that it writes to.
        env: The environment.
        warm_start: Behaviour cloning before it.
        tokens: Most tokens of a turn.
        groups: Tasks of a step, of eight rollouts each.
        steps: Length of the run.
        others: Further parts; the optimiser is Muon at 5e-4, and the evaluation every 20 steps, unless they say so.
    """
    return {
        "env": env,
        "warm_start": warm_start,
        "rollout": Rollout(groups_per_step=groups, group_size=8, max_new_tokens=tokens),
        "optim": muon(5e-4),
        "eval": Evaluation(every=20, tasks=256),
        "run": RunConfig(steps=steps, save_every=20, trackers=(), out=f"runs/{name}"),
        **others,
    }


def suite_guess_number() -> TrainConfig:
    """Find a number between 1 and 32 in six guesses."""
    env = EnvConfig(id="turnwise/GuessNumber-v0", settings={"max_number": 32}, max_turns=6)
    warm_start = WarmStart(steps=160, skill=0.4)
    return TrainConfig(**parts("suite_guess_number", env, warm_start, 6, loss=WIDE_CLIP, optim=muon(1.5e-3)))


def suite_frozen_lake() -> TrainConfig:
    """Cross a 3 by 3 frozen lake in four moves."""
    env = EnvConfig(id="turnwise/FrozenLake-v0", settings={"size": 3, "rules": False}, max_turns=4)
    return TrainConfig(**parts("suite_frozen_lake", env, WarmStart(steps=120, skill=0.5), 4))


def suite_maze() -> TrainConfig:
    """Walk through a 3 by 3 maze in four moves."""
    env = EnvConfig(id="turnwise/Maze-v0", settings={"size": 3, "rules": False}, max_turns=4)
    return TrainConfig(**parts("suite_maze", env, WarmStart(steps=120, skill=0.5), 4))


def suite_sokoban() -> TrainConfig:
    """Push one box onto its target, one or two pushes away, in six moves."""
    env = EnvConfig(id="turnwise/Sokoban-v0", settings={"size": 6, "pushes": 2}, max_turns=6)
    return TrainConfig(**parts("suite_sokoban", env, WarmStart(steps=100, skill=0.5), 4, groups=16, steps=60))


def suite_ksat() -> TrainConfig:
    """Satisfy five clauses of two literals over three variables; a wrong assignment is answered by a false clause."""
    settings = {"clause_size": 2, "num_vars": 3, "num_clauses": 5, "rendering": "letters"}
    env = EnvConfig(id="turnwise/KSat-v0", settings=settings, max_turns=3)
    return TrainConfig(
        **parts("suite_ksat", env, WarmStart(steps=120, skill=0.3), 10, loss=WIDE_CLIP, optim=muon(1.5e-3))
    )


def suite_arithmetic() -> TrainConfig:
    """Work out a sum of three digits, such as 3 - 8 + 6, in four tries; a wrong answer gets the reply "Try again."."""
    settings = {"num_terms": 3, "depth": 0, "digits": 1, "operations": "+-"}
    env = EnvConfig(id="turnwise/ArithmeticChain-v0", settings=settings, tries=4)
    return TrainConfig(
        **parts("suite_arithmetic", env, WarmStart(steps=150, skill=0.4), 12, groups=16, optim=muon(1e-3))
    )


def suite_far_lake() -> TrainConfig:
    """Cross a 3 by 3 frozen lake from far away, after a poor teacher: hardly any game is won at first."""
    env = EnvConfig(id="turnwise/FrozenLake-v0", settings={"size": 3, "rules": False, "max_turns": 4})
    return TrainConfig(
        **parts("suite_far_lake", env, WarmStart(steps=120, skill=0.15), 4, eval=Evaluation(every=10, tasks=256))
    )


def suite_far_maze() -> TrainConfig:
    """Walk through a 3 by 3 maze from far away, after a poor teacher: hardly any game is won at first."""
    env = EnvConfig(id="turnwise/Maze-v0", settings={"size": 3, "rules": False, "max_turns": 4, "distance": 4})
    return TrainConfig(
        **parts("suite_far_maze", env, WarmStart(steps=120, skill=0.25), 4, eval=Evaluation(every=10, tasks=256))
    )
