"""Recipes in which a tiny, randomly initialised model learns games against others, in a few minutes on one core."""

from typing import Any

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.games.settings import TABLE, Opponents, Stage
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

__all__ = ["games_mcts", "games_selfplay"]

NIM: dict[str, Any] = {"game": "Nim:heaps=[12],most=3", "rules": False}
"""One heap of twelve, of which up to three are taken: the second player can force a win."""


def games_mcts() -> TrainConfig:
    """Learn a game of Nim against MCTS, of 3 simulations at first and of 10 later.

    A clone of random moves beats the first in a third of the games and hardly ever the second, which leaves little to
    learn from.
    """
    return TrainConfig(
        env=EnvConfig(id=TABLE, settings=NIM),
        opponents=Opponents(
            schedule=(Stage(opponent="mcts:3"), Stage(step=40, opponent="mcts:10")), test=("random", "mcts:10")
        ),
        warm_start=WarmStart(steps=40, skill=0.0),
        rollout=Rollout(groups_per_step=6, group_size=16, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=3e-3),
        eval=Evaluation(every=25, tasks=100),
        run=RunConfig(steps=100, save_every=25, out="runs/games_mcts"),
    )


def games_selfplay() -> TrainConfig:
    """Learn a game of Nim from games against itself alone; evaluations are against random moves and MCTS.

    The warm start shows random legal moves, so all that is known about winning comes from self-play. From step 30 on
    the opponents are past selves, all equally likely: the present one soon plays the same game over and over, won by
    the same seat, from which nothing is learnt about other positions (fictitious play).
    """
    return TrainConfig(
        env=EnvConfig(id=TABLE, settings=NIM),
        opponents=Opponents(
            schedule=(Stage(), Stage(step=30, opponent="pool")), keep=20, power=0.0, test=("random", "mcts:20")
        ),
        warm_start=WarmStart(steps=40, skill=0.0),
        rollout=Rollout(groups_per_step=6, group_size=16, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=3e-3),
        eval=Evaluation(every=60, tasks=100),
        run=RunConfig(steps=120, save_every=60, out="runs/games_selfplay"),
    )
