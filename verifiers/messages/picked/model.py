r"""The model: how likely each value of a message is its answer, from the weights of what stands beside it.

A conditional logit (McFadden, "Conditional logit analysis of qualitative choice behavior", 1974, section 2): the chance
of a mention is ``exp(s(x)) / (exp(u · z) + Σ exp(s(x')))``, where x are the features of the mention, and z those that
speak against every value. The score is ``s(x) = w · x + v · relu(W x + b)``: each feature for itself, and hidden units
for what features say together. `benchmarks/message_weights.py` learns the weights. The right answer is none of the
features, so the chances of different answers of one message add up to less than 1: above one half only one of them can
be paid.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from turnwise.verifiers.messages.picked.mentions import Read

__all__ = ["FILE", "Weights", "chances", "weights"]

FILE = Path(__file__).parent / "data" / "weights.json"


class Weights(NamedTuple):
    """The weights.

    Attributes:
        places: The row of each feature of a mention in the table.
        table: For each feature what it adds to the score, and to each hidden unit: (features, 1 + units).
        bias: Of the hidden units.
        out: What each hidden unit adds to the score.
        none: The weights of the features against all values.
    """

    places: dict[str, int]
    table: np.ndarray
    bias: np.ndarray
    out: np.ndarray
    none: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The weights that were learnt."""
    loaded = json.loads(FILE.read_text(encoding="utf-8"))
    mention = loaded["mention"]
    table = np.array(list(mention.values()))
    places = {name: n for n, name in enumerate(mention)}
    return Weights(places, table, np.array(loaded["bias"]), np.array(loaded["out"]), loaded["none"])


def chances(read: Read) -> list[float]:
    """The chance of each mention of a message that it is the answer; they add up to less than 1."""
    if not read.mentions:
        return []
    places, table, bias, out, none = weights()
    parts = {id(part): part for one in read.mentions for part in one.features.maps}  # mentions share most of them
    rows, values, owner = [], [], []
    for n, part in enumerate(parts.values()):
        for name, value in part.items():
            if name in places:
                rows.append(places[name])
                values.append(value)
                owner.append(n)
    sums = np.zeros((len(parts), table.shape[1]))
    np.add.at(sums, np.array(owner, dtype=int), table[np.array(rows, dtype=int)] * np.array(values)[:, None])
    order = {key: n for n, key in enumerate(parts)}
    totals = np.array([sums[[order[id(part)] for part in one.features.maps]].sum(0) for one in read.mentions])
    scores = totals[:, 0] + np.maximum(totals[:, 1:] + bias, 0.0) @ out
    against = sum(none.get(name, 0.0) * value for name, value in read.none.items())
    most = max(against, float(scores.max()))
    shares = np.exp(scores - most)
    return list(map(float, shares / (shares.sum() + np.exp(against - most))))
