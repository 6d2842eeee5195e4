"""Weights per token: by hand, and their sums."""

import pytest
import torch

from turnwise.baselines.methods.losses.aggregation import AGGREGATIONS, Totals, denominator, token_weights
from turnwise.core.errors import SettingsError

ROWS = torch.tensor([0, 0, 0, 1])  # rows of 3 and 1 tokens, out of 10 tokens in 4 rows of at most 8


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("token_mean", [0.1, 0.1, 0.1, 0.1]),
        ("sequence_mean", [1 / 12, 1 / 12, 1 / 12, 1 / 4]),
        ("sequence_sum", [0.25, 0.25, 0.25, 0.25]),
        ("constant", [1 / 32, 1 / 32, 1 / 32, 1 / 32]),
    ],
)
def test_by_hand(kind, expected):
    found = token_weights(kind, ROWS, tokens=10, sequences=4, max_tokens=8)
    assert found.tolist() == pytest.approx(expected) and found.dtype == torch.float32


def test_means_are_means():
    """Over all rows of an update, the weights of the two means add up to 1."""
    rows = torch.tensor([0, 0, 1, 1, 1, 2])
    for kind in ("token_mean", "sequence_mean"):
        weights = token_weights(kind, rows, tokens=6, sequences=3, max_tokens=9, dtype=torch.float64)
        assert weights.sum().item() == pytest.approx(1.0)


def test_a_split_has_the_same_weights():
    rows = torch.tensor([0, 0, 1, 1, 1, 2])
    counts = {"tokens": 6, "sequences": 3, "max_tokens": 9}
    for kind in AGGREGATIONS:
        whole = token_weights(kind, rows, **counts)
        parts = [token_weights(kind, rows[:2], **counts), token_weights(kind, rows[2:], **counts)]
        assert torch.equal(torch.cat(parts), whole)


def test_empty_updates_and_unknown_names():
    assert [denominator(kind, Totals(0, 0, 8)) for kind in AGGREGATIONS] == [1.0, 1.0, 1.0, 1.0]
    with pytest.raises(SettingsError, match="batch_mean"):
        token_weights("batch_mean", ROWS, tokens=1, sequences=1, max_tokens=1)
