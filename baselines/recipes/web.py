"""A recipe in which a tiny model made from nothing learns to use a site of two kinds of pages, on one core."""

from turnwise.baselines.trainer.config import TrainConfig

__all__ = ["web_desk"]


def web_desk() -> TrainConfig:
    """Open the page of the person that the task names, and say which room stands there.

    Test tasks are about offices that training never shows; first names recur, who sits where does not.
    """
    return TrainConfig(
        env="turnwise/WebTasks-v0",
        env_settings={
            "templates": "desk.room",
            "sites": "desk",
            "worlds": 500,
            "view": "compact",
            "grammar": "none",
            "infeasible": 0.0,
        },
        max_turns=6,
        max_new_tokens=24,
        warm_steps=900,
        warm_skill=0.6,
        steps=60,
        groups_per_step=24,
        group_size=8,
        optimizer="muon",
        lr=3e-4,
        loss_settings={"clip_high": 0.35},
        eval_every=10,
        save_every=20,
        out="runs/web_desk",
    )
