"""A recipe in which a tiny, randomly initialised model learns to serve people at a desk, on one core."""

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

__all__ = ["desk_fines"]


def desk_fines() -> TrainConfig:
    """Tell a member what they owe, or charge a fine once it has been looked up and they have agreed.

    Test tasks are libraries and members that training never shows; neither the policy nor the tools are written out.
    """
    return TrainConfig(
        env=EnvConfig(
            id="turnwise/LibraryDesk-v0",
            settings={
                "kinds": "pay,ask_owed",
                "goals": 1,
                "refused": 0,
                "beyond": 0.0,
                "people": 10,
                "manners": 1,
                "signed_in": True,
                "policy": "none",
                "manual": "none",
                "form": "plain",
            },
            max_turns=6,
        ),
        warm_start=WarmStart(steps=240, skill=0.5),
        rollout=Rollout(groups_per_step=16, group_size=8, max_new_tokens=28),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=5e-4),
        eval=Evaluation(every=10),
        run=RunConfig(steps=40, save_every=20, out="runs/desk_fines"),
    )
