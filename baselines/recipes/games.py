"""Recipes in which a tiny, randomly initialised model learns games against others, in a few minutes on one core."""

from typing import Any

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.games.settings import TABLE, Opponents, Stage
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

__all__ = ["games_mcts", "games_selfplay"]

NIM: dict[str, Any] = {"game": "Nim:heaps=[12],most=3", "rules": False}
"""One heap of twelve, of which up to three are taken: the second player can force a win."""
TEST = ("random", "mcts:20")


def games_mcts() -> TrainConfig:
    """Learn a game of Nim against others: random moves first, then MCTS of 20 simulations.

    A clone of random moves hardly ever beats MCTS, so there would be little to learn from without the first stage.
    """
    return TrainConfig(
        env=EnvConfig(id=TABLE, settings=NIM),
        opponents=Opponents(schedule=(Stage(opponent="random"), Stage(step=25, opponent="mcts:20")), test=TEST),
        warm_start=WarmStart(steps=40, skill=0.0),
        rollout=Rollout(groups_per_step=4, group_size=16, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=3e-3),
        eval=Evaluation(every=25, tasks=100),
        run=RunConfig(steps=75, save_every=25, out="runs/games_mcts"),
    )


def games_selfplay() -> TrainConfig:
    """Learn a game of Nim from games against itself alone; evaluations are against random moves and MCTS.

    The warm start shows random legal moves, so all that is known about winning comes from self-play.
    """
    return TrainConfig(
        env=EnvConfig(id=TABLE, settings=NIM),
        opponents=Opponents(test=TEST),
        warm_start=WarmStart(steps=40, skill=0.0),
        rollout=Rollout(groups_per_step=4, group_size=16, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=3e-3),
        eval=Evaluation(every=25, tasks=100),
        run=RunConfig(steps=100, save_every=25, out="runs/games_selfplay"),
    )
