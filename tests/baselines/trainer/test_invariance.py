"""Loss and gradient do not depend on how rows are put through the model: 1e-6 in fp32.

Micro-batches, order, padding on either side, packing and shared prefixes, each against every row alone.
"""

import numpy as np
import pytest
import torch

from tests.baselines.methods._made import loss_spec
from turnwise.baselines.methods.losses import LossSpec, TokenBatch, Totals, policy_loss
from turnwise.baselines.trainer.batch import MicroBatch, Row, make_micro_batch, plan
from turnwise.baselines.trainer.model.policy import Policy
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer

LOSSES = {
    "default": loss_spec(),
    "sequence": loss_spec(objective="gspo", aggregation="sequence_mean"),
    "constant": loss_spec(aggregation="constant"),
    "bonus and divergence": loss_spec(entropy_coef=0.1, kl_coef=0.2, aggregation="sequence_mean"),
}
Result = tuple[float, torch.Tensor]


@pytest.fixture(scope="module")
def policy() -> Policy:
    tokenizer = tiny_tokenizer(["1 2 3 4"], 300)
    return Policy(tiny_model(tokenizer, 3, width=32, init_std=0.1), tokenizer, temperature=0.8)


@pytest.fixture(scope="module")
def rows(policy: Policy) -> list[Row]:
    """Four tasks of four rollouts, one to three turns each; sampled with a policy that was another by then."""
    rng = np.random.default_rng(0)
    found = []
    for length in (3, 17, 9, 5):
        prompt = rng.integers(0, 260, length)
        for _ in range(4):
            ids, actions, turns = prompt.tolist(), [], []
            for turn in range(int(rng.integers(1, 4))):
                new = int(rng.integers(1, 9))
                actions += range(len(ids), len(ids) + new)
                turns += [turn] * new
                ids += rng.integers(0, 260, new + int(rng.integers(2, 6))).tolist()
            row = Row(
                np.array(ids[: actions[-1] + 1]),
                np.array(actions),
                np.zeros(len(actions), np.float32),
                rng.normal(size=len(actions)).astype(np.float32),
                np.array(turns),
            )
            with torch.no_grad():
                now = policy.logps(make_micro_batch([row]))[0].numpy()
            old = now + rng.normal(size=len(actions), scale=0.2).astype(np.float32)
            ref = now + rng.normal(size=len(actions), scale=0.2).astype(np.float32)
            found.append(Row(row.ids, row.actions, old, row.advantages, row.turns, reference_logps=ref))
    return found


def add_up(policy: Policy, rows: list[Row], spec: LossSpec, batches: list[MicroBatch], left: bool = False) -> Result:
    """Loss and gradient of an update in these micro-batches."""
    policy.model.zero_grad(set_to_none=True)
    totals, loss = Totals(sum(len(r.actions) for r in rows), len(rows), 40), 0.0
    for batch in batches:
        entropy = "gradient" if spec.entropy_coef else True
        logps, entropies = padded_left(policy, batch) if left else policy.logps(batch, entropy=entropy)
        tokens = TokenBatch(
            logps=logps,
            entropy=entropies,
            old_logps=batch.old_logps,
            advantages=batch.advantages,
            rows=batch.rows,
            turns=batch.turns,
            ref_logps=batch.reference_logps,
        )
        part, _ = policy_loss(tokens, spec, totals)
        part.backward()
        loss += float(part.detach())
    return loss, torch.cat([p.grad.flatten().clone() for p in policy.model.parameters()])


def padded_left(policy: Policy, batch: MicroBatch) -> tuple[torch.Tensor, torch.Tensor]:
    """What ``Policy.logps`` gives, from the plain model and rows that end in the same column."""
    height, width = batch.ids.shape
    ends = torch.zeros(height, dtype=torch.int64)
    ends[batch.rows] = batch.source % width + 1  # the last source of a row is its last token
    shift = width - ends
    columns = torch.arange(width) - shift[:, None]
    mask = columns >= 0
    out = policy.model(
        input_ids=batch.ids.gather(1, columns.clamp(min=0)) * mask,
        attention_mask=mask.long(),
        position_ids=columns.clamp(min=0),
        use_cache=False,
    )
    table = (out.logits / policy.temperature).log_softmax(-1).flatten(0, 1)[batch.source + shift[batch.rows]]
    return table.gather(1, batch.targets[:, None])[:, 0], -(table.exp() * table).sum(-1)


@pytest.fixture(scope="module", params=LOSSES)
def spec(request: pytest.FixtureRequest) -> LossSpec:
    return LOSSES[request.param]


@pytest.fixture(scope="module")
def alone(policy: Policy, rows: list[Row], spec: LossSpec) -> Result:
    """One row after the other, nothing padded."""
    loss, gradient = add_up(policy, rows, spec, [make_micro_batch([row]) for row in rows])
    assert abs(loss) > 1e-3 and gradient.norm() > 0.1  # there is something to compare
    return loss, gradient


def assert_same(found: Result, wanted: Result) -> None:
    assert found[0] == pytest.approx(wanted[0], abs=1e-6)
    torch.testing.assert_close(found[1], wanted[1], atol=1e-6, rtol=0)


@pytest.mark.parametrize("packed", [False, True], ids=["padded", "packed"])
@pytest.mark.parametrize("budget", [1, 60, 150, 10_000])
def test_micro_batches_and_packing(policy, rows, spec, alone, budget, packed):
    parts = plan(rows, budget, share=packed)
    batches = [make_micro_batch([rows[i] for i in part], share=packed) for part, _ in parts]
    if packed and budget == 10_000:
        tokens = sum(batch.ids.numel() for batch in batches)
        assert tokens < sum(row.length for row in rows)  # some prefixes are shared
    assert_same(add_up(policy, rows, spec, batches), alone)


def test_order_of_the_rows(policy, rows, spec, alone):
    order = np.random.default_rng(1).permutation(len(rows))
    batches = [make_micro_batch([rows[i] for i in part], share=True) for part in np.split(order, 2)]
    assert_same(add_up(policy, rows, spec, batches), alone)


def test_padding_side(policy, rows, spec, alone):
    parts = plan(rows, 300, share=False)
    batches = [make_micro_batch([rows[i] for i in part]) for part, _ in parts]
    assert_same(add_up(policy, rows, spec, batches, left=True), alone)


def test_a_wrong_position_would_show(policy, rows, alone, spec):
    """The negative control: one row read one position too far."""
    batches = [make_micro_batch([row], share=True) for row in rows]
    packing = batches[5].packing
    assert packing is not None
    packing.positions[0, 2:] += 1
    _, gradient = add_up(policy, rows, spec, batches)
    assert (gradient - alone[1]).abs().max() > 1e-5
