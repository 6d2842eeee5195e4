"""A recipe in which a tiny, randomly initialised model learns to use a site of two kinds of pages, on one core."""

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

__all__ = ["web_desk"]


def web_desk() -> TrainConfig:
    """Open the page of the person named in the task, and answer with the room on it.

    Test tasks are about offices that training never shows; first names recur, who sits where does not.
    """
    return TrainConfig(
        env=EnvConfig(
            id="turnwise/WebTasks-v0",
            settings={
                "templates": "desk.room",
                "sites": "desk",
                "worlds": 500,
                "view": "compact",
                "grammar": "none",
                "infeasible": 0.0,
            },
            max_turns=6,
        ),
        warm_start=WarmStart(steps=900, skill=0.6),
        rollout=Rollout(groups_per_step=24, group_size=8, max_new_tokens=24),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=3e-4),
        eval=Evaluation(every=10),
        run=RunConfig(steps=60, save_every=20, out="runs/web_desk"),
    )
