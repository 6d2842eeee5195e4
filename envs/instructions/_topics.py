"""Subjects of texts, and texts by an author who ignores the constraints."""

import functools

import numpy as np

from turnwise.core.draw import Draw
from turnwise.verifiers.constraints.lexicon import pool
from turnwise.verifiers.constraints.units import Reading

__all__ = ["FORMS", "SUBJECTS", "careless_texts", "plain_text"]

FORMS = (
    "a short story", "a letter to a friend", "a description", "an explanation", "an advertisement", "a diary entry",
    "a speech", "a news report", "advice for beginners", "a review", "a guide", "an essay",
)  # fmt: skip
SUBJECTS = (
    "a night train", "growing tomatoes", "a lost umbrella", "learning to swim", "the first snow of the year", "bees",
    "a broken clock", "moving to a new town", "an old bicycle", "the tides", "a market in the morning", "lighthouses",
    "baking bread", "a chess club", "the night sky", "a long walk", "volcanoes", "a noisy neighbour", "paper boats",
    "rainy Sundays", "a street musician", "recycling", "a family dinner", "whales", "the history of tea", "ladders",
    "mountain huts", "a forgotten song", "public libraries", "keeping a dog", "electric cars", "a power cut", "maps",
    "sleeping well", "an empty stage", "wind turbines", "a school trip", "handwriting", "a job interview", "rivers",
)  # fmt: skip


def plain_text(rng: np.random.Generator, subject: str) -> str:
    """Write sentences about a subject, ignoring constraints: of usual lengths, sometimes with a title or a list."""
    words = pool("en")
    draw = Draw.of(iter(rng.random(200).tolist()).__next__)

    def sentence() -> str:
        found = [draw.choice(words) for _ in range(draw.integer(4, 12))]
        if draw.unit() < 0.4:
            found[2] += ","
        text = " ".join(found)
        return text[0].upper() + text[1:] + draw.choice("........!?")

    blocks = []
    for _ in range(draw.integer(1, 3)):
        blocks.append(" ".join(sentence() for _ in range(draw.integer(1, 4))))
    if draw.unit() < 0.8:
        blocks[0] = f"{subject[0].upper()}{subject[1:]}: {blocks[0]}"
    if draw.unit() < 0.15:
        blocks.append("\n".join(f"- {sentence()}" for _ in range(3)))
    if draw.unit() < 0.15:
        blocks.insert(0, f"# {subject[0].upper()}{subject[1:]}")
    return "\n\n".join(blocks)


@functools.cache
def careless_texts() -> tuple[Reading, ...]:
    """Return texts that must not satisfy any useful set of constraints."""
    rng = np.random.default_rng(0)
    texts = [plain_text(rng, SUBJECTS[k]) for k in range(24)]
    return tuple(map(Reading, texts))
