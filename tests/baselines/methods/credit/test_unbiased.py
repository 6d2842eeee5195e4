"""Expected gradients by exact enumeration: every batch of rollouts of a tiny task, weighed by its probability."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from turnwise.baselines.methods.credit.group import dr_grpo, grpo, maxrl, rloo
from turnwise.baselines.methods.credit.passk import pass_at_k_grpo, pkpo
from turnwise.baselines.methods.credit.turns import turn_rtg_alive_only, turn_rtg_loo

LOGITS = np.array([0.3, -0.5, 0.1])
PAYS = np.array([0.0, 0.4, 1.0])
WINS = np.array([0.0, 0.0, 1.0])


def softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits)
    return weights / weights.sum()


def gradient(objective: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Central differences."""
    steps = 1e-5 * np.eye(len(at))
    return np.array([(objective(at + s) - objective(at - s)) / 2e-5 for s in steps])


def bandit_gradient(credit: Callable[[np.ndarray], np.ndarray], pays: np.ndarray, n: int) -> np.ndarray:
    """E[sum_i A_i grad log pi(a_i)] over all batches of n arms."""
    probs = softmax(LOGITS)
    score = np.eye(3) - probs  # grad log pi(a), a row for each arm
    return sum(
        probs[list(arms)].prod() * credit(pays[list(arms)]) @ score[list(arms)] for arms in product(range(3), repeat=n)
    )


def best_of(pays: np.ndarray, k: int) -> Callable[[np.ndarray], float]:
    """max@k of the bandit as a function of its logits."""
    draws = list(product(range(3), repeat=k))
    return lambda logits: float(sum(softmax(logits)[list(d)].prod() * pays[list(d)].max() for d in draws))


def test_rloo_estimates_the_gradient_of_the_mean_return():
    expected = gradient(best_of(PAYS, 1), LOGITS)
    assert bandit_gradient(lambda r: rloo(r, [0] * 3), PAYS, 3) / 3 == pytest.approx(expected, abs=1e-9)
    shrunk = bandit_gradient(lambda r: dr_grpo(r, [0] * 3), PAYS, 3) / 3
    assert shrunk == pytest.approx(expected * 2 / 3, abs=1e-9)  # (n - 1) / n, the same for all tasks
    scaled = bandit_gradient(lambda r: grpo(r, [0] * 3), PAYS, 3) / 3
    cosine = scaled @ expected / np.linalg.norm(scaled) / np.linalg.norm(expected)
    assert cosine < 0.999  # dividing by std turns the gradient


@pytest.mark.parametrize("variant", ["s", "s_loo", "s_loo_minus_one"])
@pytest.mark.parametrize("k", [2, 3])
def test_pkpo_estimates_the_gradient_of_max_at_k(variant, k):
    given = bandit_gradient(lambda r: pkpo(r, [0] * 4, k=k, variant=variant), PAYS, 4)
    assert given == pytest.approx(gradient(best_of(PAYS, k), LOGITS), abs=1e-9)
    assert given != pytest.approx(gradient(best_of(PAYS, 1), LOGITS), abs=1e-3)


def test_pass_at_k_grpo_estimates_the_gradient_of_pass_at_n():
    given = bandit_gradient(lambda r: pass_at_k_grpo(r, [0] * 3, normalize=False), WINS, 3)
    assert given == pytest.approx(gradient(best_of(WINS, 3), LOGITS), abs=1e-9)


def test_maxrl_estimates_the_gradient_of_a_truncated_log_likelihood():
    """sum_{k < n} pass@k / k, which goes to log p(solved) up to a constant as n grows."""
    n = 4
    given = bandit_gradient(lambda r: maxrl(r, [0] * n, eps=0.0), WINS, n) / n
    expected = sum(gradient(best_of(WINS, k), LOGITS) / k for k in range(1, n))
    assert given == pytest.approx(expected, abs=1e-9)


class Path(NamedTuple):
    """A rollout of the two-step task."""

    prob: float
    rewards: Sequence[float]
    turns: Sequence[bool]
    scores: np.ndarray  # (turns, parameters): grad log pi of each turn's action


def paths(logits: np.ndarray) -> list[Path]:
    """Stop for .6, or pay .1 to go on and win 1 or nothing."""
    stop, win = 1 / (1 + np.exp(-logits))
    none = np.zeros(2)
    first = [np.array([1 - stop, 0]), np.array([-stop, 0])]
    return [
        Path(stop, [0.6, 0.0], [True, False], np.array([first[0], none])),
        Path((1 - stop) * win, [-0.1, 1.0], [True, True], np.array([first[1], [0, 1 - win]])),
        Path((1 - stop) * (1 - win), [-0.1, 0.0], [True, True], np.array([first[1], [0, -win]])),
    ]


def two_step_gradient(credit: Callable[..., np.ndarray], logits: np.ndarray, n: int) -> np.ndarray:
    """E[sum_{i,t} A_{i,t} grad log pi(a_{i,t})] / n over all groups of n rollouts."""
    total = np.zeros(2)
    for group in product(paths(logits), repeat=n):
        prob = float(np.prod([p.prob for p in group]))
        given = credit([p.rewards for p in group], [p.turns for p in group], [0] * n)
        total += prob * np.einsum("nt,ntp->p", given, np.array([p.scores for p in group]))
    return total / n


def test_turn_rtg_loo_is_unbiased_where_the_baseline_of_the_living_is_not():
    logits = np.array([0.4, -0.3])
    expected = gradient(lambda at: sum(p.prob * sum(p.rewards) for p in paths(at)), logits)
    assert two_step_gradient(turn_rtg_loo, logits, 3) == pytest.approx(expected, abs=1e-9)
    biased = two_step_gradient(turn_rtg_alive_only, logits, 3)
    # The first turn is right; the second counts only where another rollout reached it: 1 - P(both others stopped)
    stop = 1 / (1 + np.exp(-0.4))
    assert biased == pytest.approx(expected * [1, 1 - stop**2], abs=1e-9)
    assert abs(biased[1] / expected[1] - 1) > 0.3
