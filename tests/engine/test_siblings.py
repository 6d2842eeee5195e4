"""Rows that begin alike are decoded in groups, and sample what they sample alone."""

from typing import Any

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

from tests._work import one_in
from turnwise.engine.kv import KVEngine
from turnwise.engine.sampling import Engine, ReprefillEngine
from turnwise.engine.slots import Siblings, arrange

VOCAB = 40
SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "initializer_range": 0.1,
}
MODELS = {
    "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=8)),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SIZES)),  # biases, no norms of queries and keys
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES)),
}
SIZES_OF_GROUPS = (8, 7, 1, 6)


def build(name: str) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        model = MODELS[name]().eval()
        for parameter in model.parameters():  # norms and biases that are not 1 and 0
            parameter.data.add_(torch.randn_like(parameter), alpha=0.05)
        return model


def play(engine: Engine, closed: int = 0) -> list[list[Any]]:
    """Three turns of groups with prompts of 18 to 45 tokens; ``closed`` rows leave after the first."""
    rng = np.random.default_rng(3)
    prompts = [rng.integers(0, VOCAB, 18 + 9 * i).tolist() for i in range(len(SIZES_OF_GROUPS))]
    names = [g for g, size in enumerate(SIZES_OF_GROUPS) for _ in range(size)]
    rows = engine.open(len(names))
    engine.extend(rows, [prompts[g] for g in names])
    out = []
    for turn in range(3):
        settings = {"stop_ids": (3, 9, 20), "temperature": 1.0, "keys": [(i, turn) for i in range(len(rows))]}
        out.append(engine.sample(rows, max_new=[4 + i % 5 for i in range(len(rows))], **settings))
        if turn == 0 and closed:
            engine.close(rows[:closed])
            rows = rows[closed:]
        engine.extend(rows, [[1 + i % 7] * (1 + i % 3) for i in range(len(rows))])
    engine.close(rows)
    return out


@pytest.mark.parametrize("closed", [0, 3])
@pytest.mark.parametrize("name", one_in(3, MODELS))
def test_siblings_sample_what_rows_sample_alone(name: str, closed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, steps = build(name), []
    aim = Siblings.aim
    monkeypatch.setattr(Siblings, "aim", lambda self, at, n: steps.append(at.shape) or aim(self, at, n))
    grouped = play(KVEngine(model, 32, 128), closed)
    assert len(steps) > 10
    assert all(1 < size <= 8 for _, size in steps)
    for mine, theirs in zip(grouped, play(ReprefillEngine(model, 128), closed), strict=True):
        assert [t.ids for t in mine] == [t.ids for t in theirs]
        for a, b in zip(mine, theirs, strict=True):
            assert np.allclose(a.logps, b.logps, rtol=0, atol=5e-6)


def test_a_long_row_that_ends_before_the_others_keeps_what_it_computed() -> None:
    """The others attend to fewer positions than it has by the time that their group dissolves."""
    model, found = build("qwen3"), []
    for engine in (KVEngine(model, 32, 128), ReprefillEngine(model, 128)):
        rows = engine.open(24)
        engine.extend(rows, [[5, 6, 7, 8] * 8] * 24)
        turns = []
        for number, (long, others) in enumerate([(40, 3), (2, 7), (6, 6)]):
            limits = [long] + [others] * 23
            keys = [(i, number) for i in range(24)]
            turns += engine.sample(rows, max_new=limits, stop_ids=(), temperature=1.0, keys=keys)
            engine.extend(rows, [[1 + i % 7] for i in range(24)])
        engine.close(rows)
        found.append(turns)
    for mine, theirs in zip(*found, strict=True):
        assert mine.ids == theirs.ids
        assert np.allclose(mine.logps, theirs.logps, rtol=0, atol=5e-6)


def test_rows_go_on_from_their_slots_when_a_group_dissolves() -> None:
    """What siblings computed is in the slots: the same keys, to rounding, that a row alone computes."""
    model = build("qwen3")
    grouped, plain = KVEngine(model, 8, 64), KVEngine(model, 8, 64)
    plain._group = lambda: None  # type: ignore[method-assign]
    found = []
    for engine in (grouped, plain):
        rows = engine.open(8)
        engine.extend(rows, [[5, 6, 7, 8] * 4] * 8)
        turn = {"stop_ids": (), "temperature": 1.0, "keys": [(i,) for i in range(8)]}
        engine.submit(rows, max_new=[3] * 4 + [9] * 4, **turn)
        engine.collect(4)
        assert (engine is grouped) == (engine._siblings is not None)
        engine.collect(8)
        with torch.inference_mode():
            engine._ungroup()
        slots = [engine._rows[row].slot for row in rows[4:]]
        found.append([t[slots][:, :, :24] for layer in engine._slots.cache.store for t in layer])
    for mine, theirs in zip(*found, strict=True):
        assert torch.allclose(mine, theirs, atol=1e-5)


def test_groups_by_hand() -> None:
    """Two families of 3 and 2, 20 and 18 shared tokens; a gap repeats the group's first row."""
    families, shared = [4, 9, 4, 9, 4], np.array([20, 18, 20, 18, 20])
    found = arrange(families, shared, shared + 1, 4)
    assert found is not None
    lines, of_groups = found
    # parts of at most 4: [0, 2, 4] and [1, 3], 6 lines for 5 rows; parts of 2 would be 3 lines, each with its overhead
    assert lines.tolist() == [[0, 2, 4], [1, 3, 1]]
    assert of_groups.tolist() == [20, 18]


@pytest.mark.parametrize(
    ("families", "shared", "own"),
    [
        (list(range(8)), 30, 1),  # nobody shares
        ([0] * 8, 4, 2000),  # all that is read is their own
        ([0] * 8 + list(range(1, 7)), 30, 1),  # seven groups, of which six would be mostly gaps
    ],
)
def test_grouping_that_is_not_worth_it(families: list[int], shared: int, own: int) -> None:
    count = len(families)
    assert arrange(families, np.full(count, shared), np.full(count, shared + own), own + 8) is None
