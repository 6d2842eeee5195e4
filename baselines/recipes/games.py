"""Recipes in which a tiny, randomly initialised model learns games against others, in a few minutes on one core."""

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.games.settings import TABLE, Opponents
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

__all__ = ["games_nim", "games_selfplay"]


def games_nim() -> TrainConfig:
    """Win Nim with two heaps against a perfect opponent: a single wrong move loses the game.

    Test tasks are heaps and seats that training never shows.
    """
    return TrainConfig(
        env=EnvConfig(id="turnwise/Nim-v0", settings={"heaps": 2, "size": 9, "max_turns": 9}),
        warm_start=WarmStart(steps=100, skill=0.5),
        rollout=Rollout(groups_per_step=24, group_size=8, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=1.5e-3),
        eval=Evaluation(every=20, tasks=128),
        run=RunConfig(steps=60, save_every=20, out="runs/games_nim"),
    )


def games_selfplay() -> TrainConfig:
    """Learn a game of Nim from games against itself alone; evaluations are against random moves and MCTS.

    The warm start shows random legal moves, so all that is known about winning comes from self-play.
    """
    return TrainConfig(
        env=EnvConfig(id=TABLE, settings={"game": "Nim:heaps=[12],most=3", "rules": False}),
        opponents=Opponents(test=("random", "mcts:20")),
        warm_start=WarmStart(steps=40, skill=0.0),
        rollout=Rollout(groups_per_step=4, group_size=16, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=1.5e-3),
        eval=Evaluation(every=20, tasks=128),
        run=RunConfig(steps=80, save_every=20, out="runs/games_selfplay"),
    )
