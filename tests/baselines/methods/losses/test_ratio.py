"""Ratios of tokens, turns and sequences."""

import math

import pytest
import torch

from turnwise.baselines.methods.losses.correction import importance_weights
from turnwise.baselines.methods.losses.hybrid import rl_plus
from turnwise.baselines.methods.losses.kl import kl_estimate
from turnwise.baselines.methods.losses.objectives import cispo, ppo_clip, reinforce
from turnwise.baselines.methods.losses.ratio import MAX_LOG_RATIO, log_ratio, probability_ratio, unit_ids
from turnwise.baselines.methods.losses.weights import steer_weights
from turnwise.core.errors import SettingsError

ROWS = torch.tensor([0, 0, 0, 1, 1])
TURNS = torch.tensor([0, 1, 1, 1, 2])  # turn 1 of row 0 and turn 1 of row 1 stand next to each other
OLD = torch.tensor([-1.0, -2.0, -3.0, -4.0, -5.0], dtype=torch.float64)
DELTA = torch.tensor([0.1, 0.2, 0.6, -0.4, 0.1], dtype=torch.float64)


@pytest.mark.parametrize(
    ("level", "reduce", "expected"),
    [
        ("token", "mean", [0.1, 0.2, 0.6, -0.4, 0.1]),
        ("turn", "sum", [0.1, 0.8, 0.8, -0.4, 0.1]),  # 0.2 + 0.6
        ("turn", "mean", [0.1, 0.4, 0.4, -0.4, 0.1]),
        ("sequence", "sum", [0.9, 0.9, 0.9, -0.3, -0.3]),  # 0.1 + 0.2 + 0.6, -0.4 + 0.1
        ("sequence", "mean", [0.3, 0.3, 0.3, -0.15, -0.15]),
    ],
)
def test_by_hand(level, reduce, expected):
    found = log_ratio(OLD + DELTA, OLD, ROWS, TURNS, level=level, reduce=reduce)
    assert found.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("column", [OLD[:, None], OLD[:1]])
def test_shapes_are_never_stretched(column):
    """(n,) and (n, 1) would make (n, n), a loss that looks like one."""
    ones = torch.ones_like(OLD)
    for call in (
        lambda: log_ratio(OLD, column, ROWS, TURNS),
        lambda: log_ratio(OLD, OLD, ROWS[:1], TURNS),
        lambda: ppo_clip(OLD, OLD, column, ROWS, TURNS),
        lambda: cispo(OLD, column, ones),
        lambda: reinforce(OLD, column),
        lambda: kl_estimate(OLD, column, "k3"),
        lambda: importance_weights(OLD, column, ROWS),
        lambda: steer_weights(OLD, OLD, ones, column),
        lambda: rl_plus(OLD, OLD, column),
    ):
        with pytest.raises(ValueError, match="in one shape"):
            call()


def test_gradient_reaches_every_token_of_the_unit():
    logps = (OLD + DELTA).requires_grad_()
    found = log_ratio(logps, OLD, ROWS, TURNS, level="sequence", reduce="mean")
    (gradient,) = torch.autograd.grad(found[0], logps)
    assert gradient.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0, 0.0])
    found = log_ratio(logps, OLD, ROWS, TURNS, level="turn", reduce="sum")
    (gradient,) = torch.autograd.grad(found[2], logps)
    assert gradient.tolist() == [0.0, 1.0, 1.0, 0.0, 0.0]


def test_units_are_neighbours_whatever_their_numbers():
    assert unit_ids(torch.tensor([7, 7, 3, 9, 9])).tolist() == [0, 0, 1, 2, 2]
    assert unit_ids(ROWS, TURNS).tolist() == [0, 1, 1, 2, 3]
    assert unit_ids(torch.tensor([4])).tolist() == [0]


def test_products_do_not_overflow():
    many = torch.zeros(200, dtype=torch.int64)
    ratio = probability_ratio(torch.zeros(200), torch.full((200,), -1.0), many, many, level="sequence", reduce="sum")
    assert ratio[0].item() == pytest.approx(math.exp(MAX_LOG_RATIO), rel=1e-5)  # exp(200) is infinite in fp32


def test_unknown_names_are_refused():
    with pytest.raises(SettingsError, match="rollout"):
        log_ratio(OLD, OLD, ROWS, TURNS, level="rollout")
    with pytest.raises(SettingsError, match="max"):
        log_ratio(OLD, OLD, ROWS, TURNS, reduce="max")
