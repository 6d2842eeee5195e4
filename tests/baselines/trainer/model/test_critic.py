"""The critic: its loss by hand, a known function learnt, state that comes back."""

import numpy as np
import pytest
import torch

from turnwise.baselines.trainer.batch import Row, make_micro_batch
from turnwise.baselines.trainer.model.critic import Critic, value_loss
from turnwise.baselines.trainer.model.policy import Policy
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer


def make_policy(dtype: torch.dtype = torch.float32) -> Policy:
    tokenizer = tiny_tokenizer(["1 2 3"], 300)
    return Policy(tiny_model(tokenizer, 1, width=32, init_std=0.2).to(dtype), tokenizer)


def make_rows(n: int, seed: int) -> list[Row]:
    """Random tokens below 8; ``returns`` are what the critic is to learn: the mean of the tokens read so far."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        ids = rng.integers(0, 8, int(rng.integers(4, 10)))
        actions = np.arange(2, len(ids))
        zeros = np.zeros(len(actions), dtype=np.float32)
        means = np.array([ids[:a].mean() for a in actions], dtype=np.float32)
        rows.append(Row(ids, actions, zeros, zeros, np.zeros(len(actions), dtype=np.int64), returns=means))
    return rows


def test_loss_by_hand():
    """Values 1, returns 0, clip 0.2.

    From v_old = 0.5 the value moved away: clip(1) = 0.7, max(1, 0.49) = 1. From v_old = 2 it moved towards the return:
    clip(1) = 1.8, max(1, 3.24) = 3.24. From 1.1 it moved by less than the clip: 1.
    """
    values = torch.ones(3, dtype=torch.float64, requires_grad=True)
    old = torch.tensor([0.5, 2.0, 1.1], dtype=torch.float64)
    loss = value_loss(values, old, torch.zeros(3), value_clip=0.2)
    assert loss.tolist() == pytest.approx([0.5, 1.62, 0.5])
    loss.sum().backward()
    assert values.grad is not None and values.grad.tolist() == pytest.approx([1.0, 0.0, 1.0])
    assert value_loss(values, old, torch.zeros(3), value_clip=None).tolist() == pytest.approx([0.5] * 3)


def fit(critic: Critic, steps: int, first: int = 0) -> float:
    loss = torch.zeros(())
    for step in range(first, first + steps):
        batch = make_micro_batch(make_rows(32, step), share=critic.shares_prefixes)
        values = critic.values(batch)
        loss = value_loss(values, values.detach(), batch.returns, value_clip=None).mean()
        critic.backward(loss)
        critic.step(1e-2)
    return float(loss.detach())


@pytest.mark.slow
def test_a_known_function_is_learnt():
    """Against the variance of the returns: what guessing their mean would leave."""
    critic = Critic(make_policy())
    rows = make_rows(64, 99)
    batch = make_micro_batch(rows)
    assert critic.values(batch).abs().max() == 0  # before any training
    fit(critic, 150)
    with torch.no_grad():
        errors = critic.values(batch) - batch.returns
    assert float(errors.square().mean()) < 0.1 * float(batch.returns.var())


def test_packing_changes_no_value():
    critic, rows = Critic(make_policy()), make_rows(9, 5)
    fit(critic, 2)
    one_by_one = torch.cat([critic.values(make_micro_batch([row])) for row in rows])
    for share in (False, True):
        torch.testing.assert_close(critic.values(make_micro_batch(rows, share=share)), one_by_one, atol=1e-5, rtol=0)


def test_the_policy_stays_as_it_is():
    policy = make_policy()
    before = {name: weight.clone() for name, weight in policy.model.state_dict().items()}
    fit(Critic(policy), 2)
    assert all(torch.equal(weight, before[name]) for name, weight in policy.model.state_dict().items())


def test_a_value_does_not_know_its_token():
    critic = Critic(make_policy())
    fit(critic, 2)
    row = make_rows(1, 3)[0]
    other = Row(row.ids.copy(), row.actions, row.old_logps, row.advantages, row.turns)
    other.ids[-1] = 7 - other.ids[-1]
    assert torch.equal(critic.values(make_micro_batch([row])), critic.values(make_micro_batch([other])))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_state_comes_back(dtype):
    whole = Critic(make_policy(dtype))
    fit(whole, 2)
    part = Critic(make_policy(dtype))
    fit(part, 1)
    again = Critic(make_policy(dtype))
    again.load_state_dict(part.state_dict())
    fit(again, 1, first=1)
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, again.model.state_dict()[name]), name
