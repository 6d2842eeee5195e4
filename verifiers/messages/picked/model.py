r"""The model: how likely each value of a message is its answer, from the weights of what stands beside it.

A conditional logit (McFadden, "Conditional logit analysis of qualitative choice behavior", 1974, section 2): the chance
of a mention is ``exp(w · x) / (exp(u · z) + Σ exp(w · x'))``, where x are the features of the mention, and z those that
speak against every value. `benchmarks/message_weights.py` learns the weights. The right answer is none of the features,
so the chances of different answers of one message add up to less than 1: above one half only one of them can be paid.
"""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from turnwise.verifiers.messages.picked.mentions import Read

__all__ = ["chances", "weights"]

FILE = Path(__file__).parent / "data" / "weights.json"


@lru_cache(maxsize=1)
def weights() -> tuple[dict[str, float], dict[str, float]]:
    """The weights of the features of a mention, and of those against all."""
    loaded = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded["mention"], loaded["none"]


def chances(read: Read) -> list[float]:
    """The chance of each mention of a message that it is the answer; they add up to less than 1."""
    if not read.mentions:
        return []
    mention, none = weights()
    parts: dict[int, float] = {}  # what mentions share is summed up once

    def score(part: Mapping[str, float]) -> float:
        if id(part) not in parts:
            parts[id(part)] = sum(mention[name] * value for name, value in part.items() if name in mention)
        return parts[id(part)]

    scores = [sum(map(score, one.features.maps)) for one in read.mentions]
    against = sum(none.get(name, 0.0) * value for name, value in read.none.items())
    most = max(against, *scores)
    shares = [math.exp(score - most) for score in scores]
    total = sum(shares) + math.exp(against - most)
    return [share / total for share in shares]
