"""Recipes in which a tiny model made from nothing learns to search, in a few minutes on one core."""

from dataclasses import replace
from typing import Any

from turnwise.baselines.trainer.config import TrainConfig

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
    """Answer "teacher of father of Daz?" with two searches; each gold document found is told as shaping.

    Test tasks are asked about worlds that training never shows: names are the same, facts are not.
    """
    return TrainConfig(
        env="turnwise/SearchQA-v0",
        env_settings={
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
        max_new_tokens=16,
        warm_steps=500,
        warm_skill=0.6,
        steps=60,
        groups_per_step=24,
        group_size=8,
        optimizer="muon",
        lr=5e-4,
        loss_settings={"clip_high": 0.35},
        shaping={"environment": {}},
        credit="turn_rtg_loo",
        eval_every=10,
        save_every=20,
        out="runs/search_two_hop",
    )


def search_two_hop_outcome() -> TrainConfig:
    """The same with the outcome alone: one reward at the end, the same advantage for all turns."""
    return replace(search_two_hop(), shaping={}, credit="grpo", out="runs/search_two_hop_outcome")
