"""Recipes in which a tiny, randomly initialised model learns to search, in a few minutes on one core."""

from dataclasses import replace
from typing import Any

from turnwise.baselines.methods.credit.group import Grpo
from turnwise.baselines.methods.credit.shaping import EnvironmentShaping
from turnwise.baselines.methods.credit.turns import TurnRtgLoo
from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import (
    EnvConfig,
    Evaluation,
    LossConfig,
    Optim,
    RewardConfig,
    Rollout,
    RunConfig,
    WarmStart,
)

__all__ = ["search_two_hop", "search_two_hop_outcome"]

PLAIN: dict[str, Any] = {  # documents of a line, such as "Daz birthplace Bov father Kev mother Raz"
    "wording": "terse",
    "name_style": "words",
    "relations": "mother,father,spouse,student_of,born_in,twin_city",
    "placement": "subject",
    "filler": 0,
    **dict.fromkeys(("namesakes", "stale", "copies", "lists", "withheld", "distractors", "aliases"), 0.0),
}


def search_two_hop() -> TrainConfig:
    """Answer "teacher of father of Daz?" with two searches; each gold document found earns a shaping reward.

    Test tasks are asked about worlds that training never shows: names are the same, facts are not.
    """
    return TrainConfig(
        env=EnvConfig(
            id="turnwise/SearchQA-v0",
            settings={
                "documents": 60,
                "worlds": 500,
                "kinds": "chain",
                "hops": 2,
                "paraphrase": False,
                "terse": True,
                "rules": False,
                "tags": "plain",
                "top_k": 1,
                "shaping": {"retrieval_gain": 0.5},
                "style": PLAIN,
            },
            max_turns=4,
        ),
        warm_start=WarmStart(steps=500, skill=0.6),
        rollout=Rollout(groups_per_step=24, group_size=8, max_new_tokens=16),
        reward=RewardConfig(shaping=(EnvironmentShaping(),)),
        credit=TurnRtgLoo(),
        loss=LossConfig(objective=PpoClip(clip_high=0.35)),
        optim=Optim(name="muon", lr=5e-4),
        eval=Evaluation(every=10),
        run=RunConfig(steps=60, save_every=20, out="runs/search_two_hop"),
    )


def search_two_hop_outcome() -> TrainConfig:
    """The same with the outcome alone: one reward at the end, the same advantage for all turns."""
    shaped = search_two_hop()
    run = replace(shaped.run, out="runs/search_two_hop_outcome")
    return replace(shaped, reward=RewardConfig(), credit=Grpo(), run=run)
