"""Both engines against teacher forcing, and against each other."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from turnwise.core.errors import SettingsError, UsageError
from turnwise.engine.kv import KVEngine
from turnwise.engine.sampling import Engine, ReprefillEngine, draw, uniforms

VOCAB = 40
STOPS = tuple(range(0, VOCAB, 5))  # a fifth of the tokens, so that turns have all lengths
SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "initializer_range": 0.3,  # large, so that distributions differ much between contexts
}
MODELS: dict[str, Callable[[], Any]] = {
    "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=8)),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SIZES)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES)),
    "eager": lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=8, attn_implementation="eager")),
}


def build(name: str) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        return MODELS[name]().eval()


@pytest.fixture(scope="module", params=["qwen3", "qwen2", "llama", "eager"])
def model(request: pytest.FixtureRequest) -> Any:
    return build(request.param)


@pytest.fixture(scope="module")
def qwen3() -> Any:
    return build("qwen3")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def engines(model: Any, max_len: int = 200) -> list[Engine]:
    return [KVEngine(model, 64, max_len), ReprefillEngine(model, max_len), KVEngine(model, 64, max_len, 7)]


def rollout(
    engine: Engine, names: list[int], *, turns: int = 4, temperature: float = 1.0, greedy: bool = False
) -> dict[int, tuple[list[int], list[float]]]:
    """Ragged multi-turn rows by name; what a row sees depends on its name alone. logps are 0 on context."""
    rows = dict(zip(names, engine.open(len(names)), strict=True))
    kept: dict[int, tuple[list[int], list[float]]] = {name: ([], []) for name in names}
    for turn in range(turns):
        live = [name for name in names if turn < 1 + name % turns]  # episodes end at different turns
        group = {name: name // 4 if turn == 0 else name for name in live}  # groups of four share a prompt
        rngs = {name: np.random.default_rng([group[name], turn]) for name in live}
        new = {name: rngs[name].integers(0, VOCAB, rngs[name].integers(1, 12)).tolist() for name in live}
        engine.extend([rows[name] for name in live], [new[name] for name in live])
        sampled = engine.sample(
            [rows[name] for name in live],
            max_new=[1 + (name + turn) % 7 for name in live],
            stop_ids=STOPS,
            temperature=temperature,
            keys=[(3, name, turn) for name in live],
            greedy=greedy,
        )
        for name, got in zip(live, sampled, strict=True):
            assert got.stopped == (got.ids[-1] in STOPS)
            assert not set(got.ids[:-1]) & set(STOPS)
            assert got.stopped or len(got.ids) == 1 + (name + turn) % 7
            kept[name][0].extend(new[name] + got.ids)
            kept[name][1].extend([0.0] * len(new[name]) + got.logps)
            assert engine.length(rows[name]) == len(kept[name][0])
        engine.close([rows.pop(name) for name in live if turn == name % turns])
    assert not rows
    return kept


@torch.no_grad()
def gap(model: Any, kept: dict[int, tuple[list[int], list[float]]], temperature: float) -> float:
    """The largest difference to teacher forcing over all sampled tokens."""
    worst, count = 0.0, 0
    for ids, logps in kept.values():
        logits = model(torch.tensor([ids])).logits[0, :-1].float()
        forced = (logits / temperature).log_softmax(-1).gather(-1, torch.tensor(ids[1:])[:, None])[:, 0]
        mine = torch.tensor(logps[1:])
        worst = max(worst, float((forced - mine)[mine != 0].abs().max()))
        count += int((mine != 0).sum())
    assert count > len(kept)
    return worst


ROUNDING = 3e-5  # of float32 log-probabilities, divided by the temperature: processors differ in the order of sums


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_logps_are_those_of_teacher_forcing_and_engines_agree(model: Any, temperature: float) -> None:
    names = list(range(24))
    all_kept = [rollout(engine, names, temperature=temperature) for engine in engines(model)]
    for kept in all_kept:
        assert gap(model, kept, temperature) < ROUNDING
        assert [ids for ids, _ in kept.values()] == [ids for ids, _ in all_kept[0].values()]
    assert gap(model, all_kept[0], temperature + 0.3) > 1e-2  # the measure can fail


def test_greedy_takes_the_likeliest(qwen3: Any) -> None:
    first, second, _ = (rollout(engine, list(range(8)), greedy=True) for engine in engines(qwen3))
    assert [ids for ids, _ in first.values()] == [ids for ids, _ in second.values()]
    for ids, logps in first.values():
        choice = qwen3(torch.tensor([ids])).logits[0, :-1].argmax(-1).tolist()
        assert all(c == i for c, i, lp in zip(choice, ids[1:], logps[1:], strict=True) if lp)


def test_load_forgets_the_old_weights() -> None:
    model = build("qwen3")
    for engine in engines(model):
        [row] = engine.open(1)
        ids = [1, 2, 3, 4]
        for version in range(3):
            engine.extend([row], [[5, 6 + version]])
            ids = ids if version else []
            ids += [5, 6 + version]
            [got] = engine.sample([row], max_new=4, stop_ids=(), temperature=1.0, keys=[(version,)])
            ids += got.ids
            kept = {0: (ids, [0.0] * (len(ids) - 4) + got.logps)}
            assert gap(model, kept, 1.0) < ROUNDING
            with torch.no_grad(), torch.random.fork_rng(devices=[]):
                torch.manual_seed(version)
                for weight in model.parameters():
                    weight.add_(0.1 * torch.randn_like(weight))
            engine.load(version + 1)
        engine.close([row])
        kept = rollout(engine, list(range(8)))
        assert gap(model, kept, 1.0) < ROUNDING


def test_without_load_a_cache_is_stale() -> None:
    """The negative control of the test above."""
    model = build("qwen3")
    engine = KVEngine(model, 4, 64)
    [row] = engine.open(1)
    engine.extend([row], [[1, 2, 3]])
    [first] = engine.sample([row], max_new=4, stop_ids=(), temperature=1.0, keys=[(0,)])
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1.3)
    [second] = engine.sample([row], max_new=4, stop_ids=(), temperature=1.0, keys=[(1,)])
    ids = [1, 2, 3, *first.ids, *second.ids]
    assert gap(model, {0: (ids, [0.0] * 7 + second.logps)}, 1.0) > 1e-3


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.integers(0, 23), unique=True, min_size=1, max_size=16))
def test_a_row_does_not_depend_on_its_batch(qwen3: Any, names: list[int]) -> None:
    whole = rollout(KVEngine(qwen3, 64, 200), list(range(24)))
    part = rollout(KVEngine(qwen3, 64, 200, prefill_tokens=16), names)
    assert {name: ids for name, (ids, _) in part.items()} == {name: whole[name][0] for name in names}


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=st.lists(st.tuples(st.sets(st.integers(0, 7), min_size=1), st.booleans()), max_size=8))
def test_any_order_of_calls(qwen3: Any, plan: list[tuple[set[int], bool]]) -> None:
    """Rows sampled in changing subsets, closed and reopened: the cache never mixes them up."""
    kv, reference = KVEngine(qwen3, 8, 200), ReprefillEngine(qwen3, 200)
    rows = [kv.open(8), reference.open(8)]
    for turn, (members, reopen) in enumerate(plan):
        results = []
        for engine, handles in zip((kv, reference), rows, strict=True):
            batch = [handles[i] for i in sorted(members, key=lambda i: (i * 5 + turn) % 8)]
            engine.extend(batch, [[1 + (7 * i + turn) % 30, i] for i in range(len(batch))])
            results.append(
                engine.sample(
                    batch, max_new=5, stop_ids=STOPS, temperature=1.0, keys=[(turn, i) for i in range(len(batch))]
                )
            )
            if reopen:
                gone = min(members)
                engine.close([handles[gone]])
                [handles[gone]] = engine.open(1)
        for mine, theirs in zip(*results, strict=True):
            assert mine.ids == theirs.ids
            assert np.allclose(mine.logps, theirs.logps, rtol=0, atol=ROUNDING)


def test_equal_prompts_are_computed_once(qwen3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = []
    engine = KVEngine(qwen3, 16, 64)
    forward = engine._forward
    monkeypatch.setattr(engine, "_forward", lambda *a: shapes.append(a[1].shape) or forward(*a))
    rows = engine.open(16)
    engine.extend(rows, [[1, 2, 3]] * 8 + [[4, 5]] * 8)
    engine.sample(rows, max_new=2, stop_ids=(), temperature=1.0, keys=[(i,) for i in range(16)])
    assert shapes == [(2, 3), (16, 1)]


def test_one_long_observation_does_not_pad_the_others(qwen3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows far apart in memory are computed together where they are of one length; the numbers are the same."""
    engine, reference = KVEngine(qwen3, 64, 200), ReprefillEngine(qwen3, 200)
    shapes: list[tuple[int, int]] = []
    forward = engine._forward
    monkeypatch.setattr(engine, "_forward", lambda *a: shapes.append(tuple(a[1].shape)) or forward(*a))
    said = [np.random.default_rng(i).integers(0, VOCAB, 60 if i % 9 == 4 else 4).tolist() for i in range(64)]
    drawn = []
    for each in (reference, engine):
        rows, turns = each.open(64), []
        for turn in range(2):
            shapes.clear()
            each.extend(rows, said if turn else [[i % 8, i // 8] for i in range(64)])
            keys = [(turn, i) for i in range(64)]
            turns += each.sample(rows, max_new=1 + turn, stop_ids=(), temperature=1.0, keys=keys)
        drawn.append(turns)
    prefilled = sum(rows * width for rows, width in shapes if width > 1)
    assert prefilled <= 1.2 * sum(1 + len(ids) for ids in said), "the token drawn last is computed with what follows"
    for mine, theirs in zip(*drawn, strict=True):
        assert mine.ids == theirs.ids and np.allclose(mine.logps, theirs.logps, rtol=0, atol=ROUNDING)


def test_finished_rows_leave_the_batch_and_turns_are_computed_once(qwen3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = []
    engine = KVEngine(qwen3, 4, 64)
    forward = engine._forward
    monkeypatch.setattr(engine, "_forward", lambda *a: shapes.append(a[1].shape) or forward(*a))
    rows = engine.open(3)
    engine.extend(rows, [[1], [1, 2], [1, 2, 3]])
    draw_all = {"stop_ids": (), "temperature": 1.0, "keys": [(i,) for i in range(3)]}
    engine.sample(rows, max_new=[1, 4, 2], **draw_all)
    engine.extend(rows, [[9, 9]] * 3)
    engine.sample(rows, max_new=1, **draw_all)
    assert shapes == [(3, 3), (2, 1), (1, 1), (1, 1), (3, 3)]


def test_too_long_rows_are_refused_before_anything_changes(qwen3: Any) -> None:
    for engine in engines(qwen3, max_len=10):
        rows = engine.open(2)
        engine.extend(rows, [[1, 2, 3], [1, 2, 3, 4]])
        with pytest.raises(SettingsError, match=r"would be 11 long, max_len is 10"):
            engine.extend(rows, [[5], [5] * 7])
        assert [engine.length(row) for row in rows] == [3, 4]
        call = {"stop_ids": (), "temperature": 1.0, "keys": [(0,), (1,)]}
        with pytest.raises(SettingsError, match=r"4 tokens and 7 sampled tokens"):
            engine.sample(rows, max_new=7, **call)
        got = engine.sample(rows, max_new=6, **call)
        assert [engine.length(row) for row in rows] == [9, 10] and not got[0].stopped


def test_misuse_is_named(qwen3: Any) -> None:
    engine = KVEngine(qwen3, 2, 16)
    call: dict[str, Any] = {"stop_ids": (), "temperature": 1.0, "max_new": 1}
    rows = engine.open(2)
    with pytest.raises(SettingsError, match="max_rows is 2"):
        engine.open(1)
    with pytest.raises(UsageError, match="needs context"):
        engine.sample(rows, keys=[(0,), (1,)], **call)
    engine.extend(rows, [[1], [2]])
    with pytest.raises(UsageError, match="twice"):
        engine.sample([rows[0]] * 2, keys=[(0,), (1,)], **call)
    with pytest.raises(UsageError, match="1 keys"):
        engine.sample(rows, keys=[(0,)], **call)
    with pytest.raises(SettingsError, match="temperature"):
        engine.sample(rows, keys=[(0,), (1,)], **{**call, "temperature": 0.0})
    with pytest.raises(SettingsError, match="max_new"):
        engine.sample(rows, keys=[(0,), (1,)], **{**call, "max_new": 0})
    engine.close([rows[0]])
    with pytest.raises(UsageError, match="not open"):
        engine.length(rows[0])
    assert engine.sample([], keys=[], **call) == []


def test_models_that_do_not_attend_to_everything_are_refused() -> None:
    model = MistralForCausalLM(MistralConfig(**SIZES, sliding_window=16))
    with pytest.raises(SettingsError, match="ReprefillEngine"):
        KVEngine(model, 4, 64)
    KVEngine(model, 4, 16)  # the window covers the row


def test_modes_and_global_generators_are_left_alone() -> None:
    model = build("qwen2")
    for layer in model.model.layers:
        layer.self_attn.attention_dropout = 0.5
    model.train()
    engine = KVEngine(model, 8, 200)
    state = torch.get_rng_state()
    numpy_state = np.random.get_state()[1].copy()  # type: ignore[index]
    kept = rollout(engine, list(range(4)))
    assert model.training
    assert torch.equal(torch.get_rng_state(), state)
    assert (np.random.get_state()[1] == numpy_state).all()  # type: ignore[index]
    assert gap(model.eval(), kept, 1.0) < ROUNDING


def test_draw_follows_the_distribution() -> None:
    logits = torch.tensor([2.0, -torch.inf, 0.0, 1.0, -torch.inf])
    u = torch.linspace(0, 1, 20_001, dtype=torch.float64)[:-1]
    tokens, logps = draw(logits.expand(len(u), -1), u, 0.5)
    shares = torch.bincount(tokens, minlength=5) / len(u)
    expected = (logits / 0.5).softmax(-1)
    assert torch.allclose(shares, expected, atol=1e-3)
    assert shares[1] == shares[4] == 0
    assert torch.allclose(logps, expected.log()[tokens])
    last, _ = draw(logits[None], torch.tensor([1 - 2.0**-53], dtype=torch.float64), 1.0)
    assert last.item() == 3
    zero, _ = draw(torch.tensor([[-torch.inf, 0.0]]), torch.zeros(1, dtype=torch.float64), 1.0)
    assert zero.item() == 1


@given(st.lists(st.tuples(st.integers(), st.integers()), min_size=1, max_size=5, unique=True))
def test_uniforms_belong_to_their_keys(keys: list[tuple[int, int]]) -> None:
    both = uniforms(keys, np.arange(1, len(keys) + 1) + 3)
    for i, key in enumerate(keys):
        alone = uniforms([key], np.array([9]))[0]
        assert (both[i, : i + 4] == alone[: i + 4]).all()  # a longer turn begins like a shorter one
    assert len({line[0] for line in both}) == len(keys)
    assert ((both >= 0) & (both < 1)).all()
