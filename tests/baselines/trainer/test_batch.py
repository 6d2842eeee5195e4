"""Rows, runs of rows, minibatches."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.trainer.batch import make_micro_batch, make_row, minibatches, plan, split_by_tokens, with_values
from turnwise.core.errors import SettingsError


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


def test_advantages_per_token():
    row = make_row(two_turns(), [0.5, -1.0, 2.0], per="token")
    assert row is not None
    assert row.advantages.tolist() == [0.5, -1.0, 2.0]
    assert row.turns.tolist() == [0, 0, 1]
    with pytest.raises(SettingsError, match=r"advantages of shape \(2,\) for 3 sampled tokens"):
        make_row(two_turns(), [0.5, -1.0], per="token")


def test_what_the_loss_reads_besides():
    extra = {"weights": np.array([0.1, 0.2, 0.3]), "reference_logps": np.array([-1.0, -2.0, -3.0])}
    row = make_row(two_turns(), [0.5, -1.0], **extra)
    assert row is not None
    batch = make_micro_batch([row, row])
    assert batch.rows.tolist() == [0, 0, 0, 1, 1, 1]
    assert batch.turns.tolist() == [0, 0, 1, 0, 0, 1]
    assert batch.weights.tolist() == pytest.approx([0.1, 0.2, 0.3] * 2)
    assert batch.reference_logps.tolist() == [-1.0, -2.0, -3.0] * 2
    with pytest.raises(SettingsError, match="weights of shape"):
        make_row(two_turns(), [0.5, -1.0], weights=np.zeros(2))


def test_values_given_later_find_their_rows():
    first = make_row(Tokens([1, 2, 3], [0, 1, 0], [0, -0.5, 0], [-1, 0, -1]), [2.0], values=np.array([7.0]))
    second = make_row(two_turns(), [0.5, -1.0], values=np.array([1.0, 2.0, 3.0]))
    assert first is not None and second is not None
    rows = with_values([first, second], weights=np.array([0.1, 0.2, 0.3, 0.4]))
    assert rows[0].weights.tolist() == pytest.approx([0.1])
    assert rows[1].weights.tolist() == pytest.approx([0.2, 0.3, 0.4])
    assert rows[1].values.tolist() == [1.0, 2.0, 3.0] and second.weights is None
    with pytest.raises(SettingsError, match=r"weights of shape \(3,\) for 4"):
        with_values([first, second], weights=np.zeros(3))


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
    """Two rows go on from [1, 2], reading 3 4 and 3; one reads 7 8 9 4 and shares nothing.

    Tokens: 0 1 are the prefix, 2 3 and 4 the two that go on from it, 5 6 7 8 the third row.
    """
    rows = family([1, 2, 3], [[4, 5], [6]]) + family([7, 8], [[9, 4, 5]])
    batch = make_micro_batch(rows, share=True)
    packing = batch.packing
    assert packing is not None
    assert batch.ids.tolist() == [[1, 2, 3, 4, 3, 7, 8, 9, 4]]
    assert packing.positions.tolist() == [[0, 1, 2, 3, 2, 0, 1, 2, 3]]
    whole, rest = packing.parts
    assert whole.mask is None and whole.keys.tolist() == whole.queries.tolist() == [[5, 6, 7, 8], [0, 1, 0, 0]]
    assert rest.queries.tolist() == [[2, 3], [4, 0]]
    assert rest.keys.tolist() == [[0, 1, 2, 3], [0, 1, 4, 0]]
    assert rest.mask is not None and rest.mask[1, 0].long().tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert packing.back.tolist() == [4, 5, 8, 9, 10, 0, 1, 2, 3]  # 2 x 4 results of the first part, then 2 x 2
    assert batch.ids.flatten()[batch.source].tolist() == [3, 4, 3, 8, 9, 4]
    assert batch.targets.tolist() == make_micro_batch(rows).targets.tolist()


def test_attention_takes_similar_lengths_together():
    rows = [row for i, n in enumerate((300, 290, 120, 110, 30, 9)) for row in family([i, 1], [[4] * n])]
    packing = make_micro_batch(rows, share=True).packing
    assert packing is not None
    assert [tuple(part.queries.shape) for part in packing.parts] == [(2, 301), (2, 121), (2, 31)]


def test_rows_are_packed_where_it_pays():
    long = family(list(range(1, 41)), [[4, 5]] * 8)
    equal = [row for i in range(8) for row in family([i, i + 1, i + 2], [[4, 5]])]
    skewed = [row for i in range(8) for row in family([i, i + 1, i + 2], [[4] * (1 + 9 * i)])]
    assert [packed for _, packed in plan(long, 10_000, share=True)] == [True]
    assert [packed for _, packed in plan(long, 10_000, share=False)] == [False]
    assert [packed for _, packed in plan(equal, 10_000, share=True)] == [False]
    assert [packed for _, packed in plan(skewed, 10_000, share=True)] == [True]


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
    for run, packed in planned:
        batch = make_micro_batch([rows[i] for i in run], share=packed)
        assert len(run) == 1 or batch.ids.numel() <= budget
    assert planned == plan(rows, budget, share=True)
