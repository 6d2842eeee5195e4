"""A recipe in which a tiny, randomly initialised model learns to write queries for one table, on one core."""

from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

__all__ = ["sql_one_table"]


def sql_one_table() -> TrainConfig:
    """Write the query for a request about one table, such as the number of loans of a month.

    Test tasks have queries that training never shows, in whatever words and by whatever name of the table.
    """
    return TrainConfig(
        env=EnvConfig(
            id="turnwise/Sql-v0",
            settings={
                "tier": 1,
                "num_tables": 1,
                "num_rows": 40,
                "businesses": "shop,airline,library",
                "rules": False,
            },
            max_turns=1,
        ),
        warm_start=WarmStart(steps=256, skill=0.5),
        rollout=Rollout(groups_per_step=32, group_size=8, max_new_tokens=80),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=3e-4, minibatches=2),
        eval=Evaluation(every=10),
        run=RunConfig(steps=50, save_every=25, out="runs/sql_one_table"),
    )
