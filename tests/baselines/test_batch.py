"""Rows, runs of rows, minibatches."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.grpo.batch import make_micro_batch, make_row, minibatches, plan, split_by_tokens
from turnwise.errors import SettingsError


@dataclass
class Tokens:
    ids: list[int]
    mask: list[int]
    logps: list[float] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)


def two_turns() -> Tokens:
    return Tokens(
        ids=[5, 6, 7, 8, 9, 4, 3],
        mask=[0, 0, 1, 1, 0, 1, 0],
        logps=[0, 0, -0.1, -0.2, 0, -0.3, 0],
        turns=[-1, -1, 0, 0, -1, 1, -1],
    )


def test_row_ends_with_its_last_action():
    row = make_row(two_turns(), [0.5, -1.0])
    assert row is not None
    assert row.ids.tolist() == [5, 6, 7, 8, 9, 4]
    assert row.actions.tolist() == [2, 3, 5]
    assert row.advantages.tolist() == [0.5, 0.5, -1.0]
    assert row.old_logps.tolist() == pytest.approx([-0.1, -0.2, -0.3])
    assert row.length == 5


def test_position_before_predicts():
    row = make_row(two_turns(), [0.5, -1.0])
    short = make_row(Tokens([1, 2, 3], [0, 1, 0], [0, -0.5, 0], [-1, 0, -1]), [2.0])
    assert row is not None and short is not None
    batch = make_micro_batch([short, row])
    assert batch.ids.tolist() == [[1, 0, 0, 0, 0], [5, 6, 7, 8, 9]]
    read = batch.ids.flatten()[batch.source].tolist()
    assert read == [1, 6, 7, 9]  # the token before each sampled one
    assert batch.targets.tolist() == [2, 7, 8, 4]
    assert batch.advantages.tolist() == [2.0, 0.5, 0.5, -1.0]


def test_rows_that_cannot_be_trained():
    assert make_row(Tokens([1, 2], [0, 0], [0, 0], [-1, -1]), []) is None
    with pytest.raises(SettingsError, match="first token"):
        make_row(Tokens([1], [1], [-1.0], [0]), [1.0])


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(1, 200))
def test_runs_keep_to_the_budget(lengths, budget):
    runs = split_by_tokens(lengths, budget)
    assert sorted(i for run in runs for i in run) == list(range(len(lengths)))
    for run in runs:
        assert len(run) == 1 or len(run) * max(lengths[i] for i in run) <= budget
    assert runs == split_by_tokens(lengths, budget)


@given(st.integers(1, 50), st.integers(1, 8), st.integers(0, 5))
def test_minibatches_partition(num_rows, parts, step):
    found = minibatches(num_rows, parts, (0, step))
    assert sorted(i for part in found for i in part) == list(range(num_rows))
    sizes = [len(part) for part in found]
    assert max(sizes) - min(sizes) <= 1 and len(found) == min(parts, num_rows)
    assert found == minibatches(num_rows, parts, (0, step))


def test_minibatches_differ_by_key():
    assert minibatches(50, 1, (0, 1)) != minibatches(50, 1, (0, 2))


def test_tensors_have_the_kinds_torch_wants():
    row = make_row(two_turns(), np.array([0.5, -1.0]))
    assert row is not None
    batch = make_micro_batch([row])
    assert str(batch.ids.dtype) == "torch.int64" and str(batch.advantages.dtype) == "torch.float32"


def family(prompt: list[int], answers: list[list[int]]) -> list:
    """Rows of one task: the same prompt, different sampled tokens."""
    rows = []
    for answer in answers:
        n = len(prompt)
        tokens = Tokens(prompt + answer, [0] * n + [1] * len(answer), [0.0] * n + [-0.5] * len(answer),
                        [-1] * n + [0] * len(answer))  # fmt: skip
        rows.append(make_row(tokens, [1.0]))
    return rows


def test_shared_prefixes_are_held_once():
    rows = family([1, 2, 3], [[4, 5], [6]]) + family([7, 8], [[9, 4, 5]])
    batch = make_micro_batch(rows, share=True)
    assert batch.prefixes is not None
    assert batch.prefixes.ids.tolist() == [[1, 2], [7, 0]]
    assert batch.prefixes.lengths.tolist() == [2, 1]
    assert batch.prefixes.of_row.tolist() == [0, 0, 1]
    assert batch.ids.tolist() == [[3, 4, 0], [3, 0, 0], [8, 9, 4]]
    assert batch.ids.flatten()[batch.source].tolist() == [3, 4, 3, 8, 9, 4]
    assert batch.targets.tolist() == make_micro_batch(rows).targets.tolist()


def test_a_plan_shares_where_it_pays():
    long = family(list(range(1, 41)), [[4, 5]] * 8)
    assert [shared for _, shared in plan(long, 10_000, share=True)] == [True]
    assert [shared for _, shared in plan(long, 10_000, share=False)] == [False]
    strangers = [row for i in range(8) for row in family([i, i + 1, i + 2], [[4, 5]])]
    assert not any(shared for _, shared in plan(strangers, 10_000, share=True))


@given(
    st.lists(
        st.tuples(st.integers(2, 30), st.lists(st.integers(1, 20), min_size=1, max_size=6)), min_size=1, max_size=8
    ),
    st.integers(1, 400),
)
def test_plans_hold_every_row_once_and_keep_to_the_budget(shapes, budget):
    rows = [r for k, (n, ends) in enumerate(shapes) for r in family([k + 1] * n, [[3] * e for e in ends])]
    planned = plan(rows, budget, share=True)
    assert sorted(i for run, _ in planned for i in run) == list(range(len(rows)))
    for run, shared in planned:
        batch = make_micro_batch([rows[i] for i in run], share=shared)
        size = batch.ids.numel() + (batch.prefixes.ids.numel() if batch.prefixes is not None else 0)
        assert len(run) == 1 or size <= budget
    assert planned == plan(rows, budget, share=True)
