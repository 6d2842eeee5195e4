"""Turns that come and go one by one give the tokens that they give alone: submit and collect."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from turnwise.core.errors import SettingsError, UsageError
from turnwise.engine.decode import Graphs, draw
from turnwise.engine.kv import KVEngine, _round_up
from turnwise.engine.lean import lean_forward
from turnwise.engine.sampling import Engine, ReprefillEngine, Sampled

VOCAB, NAMES, MAX_LEN = 40, 10, 120
SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "initializer_range": 0.1,  # distributions differ between contexts; rounding stays below 2e-6
}


def build(make: Callable[[], Any] = lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=8))) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        return make().eval()


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def model() -> Any:
    return build()


class Script:
    """What row ``name`` reads and asks for: a matter of the name alone."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.turns = 1 + name % 4
        self.seen: list[Sampled] = []

    def context(self) -> list[int]:
        turn = len(self.seen)
        rng = np.random.default_rng([self.name if turn else self.name // 3, turn])  # threes share a prompt
        ids: list[int] = rng.integers(0, VOCAB, rng.integers(1, 9)).tolist()
        return ids

    def request(self) -> dict[str, Any]:
        turn = len(self.seen)
        return {
            "max_new": 1 + (self.name + 3 * turn) % 9,
            "stop_ids": tuple(range(self.name % 3, VOCAB, 9)),
            "temperature": (1.0, 0.7)[self.name % 2],
            "keys": [(self.name, turn)],
            "greedy": self.name == 5,
        }


@pytest.fixture(scope="module")
def alone(model: Any) -> list[list[Sampled]]:
    """Every row by itself, with the reference engine."""
    out = []
    for name in range(NAMES):
        engine, script = ReprefillEngine(model, MAX_LEN), Script(name)
        [row] = engine.open(1)
        while len(script.seen) < script.turns:
            engine.extend([row], [script.context()])
            script.seen += engine.sample([row], **script.request())
        out.append(script.seen)
    return out


def stream(engine: Engine, plan: list[tuple[int, int]]) -> list[list[Sampled]]:
    """Play all scripts; ``plan`` says how many rows come in before each `collect`, and what that waits for."""
    scripts, waiting = [Script(name) for name in range(NAMES)], list(range(NAMES))
    rows: dict[int, Script] = {}
    steps = iter(plan + [(NAMES, 2)] * 100)
    while waiting or rows:
        coming, wanted = next(steps)
        ready = [waiting.pop(0) for _ in range(min(coming, len(waiting)))]
        for row, name in zip(engine.open(len(ready)), ready, strict=True):
            rows[row] = scripts[name]
            engine.extend([row], [scripts[name].context()])
            engine.submit([row], **scripts[name].request())
        for row, got in engine.collect(wanted):
            rows[row].seen.append(got)
            if len(rows[row].seen) < rows[row].turns:
                engine.extend([row], [rows[row].context()])
                engine.submit([row], **rows[row].request())
            else:
                engine.close([row])
                del rows[row]
    assert engine.collect() == []
    return [script.seen for script in scripts]


def check(got: list[list[Sampled]], expected: list[list[Sampled]], atol: float = 2e-6) -> None:
    for mine, theirs in zip(got, expected, strict=True):
        assert [t.ids for t in mine] == [t.ids for t in theirs]
        assert [t.stopped for t in mine] == [t.stopped for t in theirs]
        for a, b in zip(mine, theirs, strict=True):
            assert np.allclose(a.logps, b.logps, rtol=0, atol=atol)


KINDS: dict[str, Callable[[Any], Engine]] = {
    "kv": lambda m: KVEngine(m, NAMES, MAX_LEN),
    "static": lambda m: KVEngine(m, NAMES, MAX_LEN, static=True, sync_every=3),
    "plain model": lambda m: KVEngine(m, NAMES, MAX_LEN, lean=False),
    "short of memory": lambda m: KVEngine(m, NAMES, MAX_LEN, 16, cache_bytes=3 * 65 * 256, static=True),
    "reprefill": lambda m: ReprefillEngine(m, MAX_LEN),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_turn_depends_on_nothing_but_its_row(kind: str, model: Any, alone: list[list[Sampled]]) -> None:
    @settings(max_examples=6)
    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), max_size=12))
    def runs(plan: list[tuple[int, int]]) -> None:
        check(stream(KINDS[kind](model), plan), alone)

    runs()


def test_the_scripts_cover_what_they_should(alone: list[list[Sampled]]) -> None:
    turns = [turn for seen in alone for turn in seen]
    assert {turn.stopped for turn in turns} == {True, False}
    assert len({len(turn.ids) for turn in turns}) > 4
    assert any(len(turn.ids) == 1 and turn.stopped for turn in turns)  # over as soon as it is prefilled


def test_storage_stays_within_its_budget(model: Any, alone: list[list[Sampled]]) -> None:
    budget = 4 * 65 * 256  # 2 layers x (keys, values) x 2 heads x 8 x 4 bytes = 256 a token
    engine = KVEngine(model, NAMES, MAX_LEN, cache_bytes=budget)
    sizes = []
    reshape = engine._slots.cache.reshape

    def measured(slots: int, length: int) -> None:
        reshape(slots, length)
        sizes.append(sum(t.nbytes for layer in engine._slots.cache.store for t in layer))

    engine._slots.cache.reshape = measured  # type: ignore[method-assign]
    check(stream(engine, [(NAMES, 1)]), alone)
    assert 0 < max(sizes) <= budget
    assert len(engine._slots.order) == 0
    one = KVEngine(model, NAMES, MAX_LEN, cache_bytes=1)  # not even one row: one at a time all the same
    check(stream(one, [(NAMES, 1)]), alone)


def test_sample_leaves_other_turns_in_flight(model: Any, alone: list[list[Sampled]]) -> None:
    for engine in (KINDS["static"](model), KINDS["reprefill"](model)):
        scripts = [Script(name) for name in range(4)]
        rows = engine.open(4)
        for row, script in zip(rows, scripts, strict=True):
            engine.extend([row], [script.context()])
        for i in (0, 1):
            engine.submit([rows[i]], **scripts[i].request())
        now = [engine.sample([rows[i]], **scripts[i].request()) for i in (3, 2)]
        later = engine.collect(2)
        assert [row for row, _ in later] == rows[:2]
        first = [[later[0][1]], [later[1][1]], now[1], now[0]]
        check(first, [seen[:1] for seen in alone[:4]])


def test_load_in_flight_keeps_tokens_and_takes_the_new_weights() -> None:
    model = build()
    engine = KVEngine(model, NAMES, MAX_LEN)
    rows = engine.open(2)
    engine.extend(rows, [[1, 2, 3], [4, 5]])
    engine.submit(rows, max_new=[20, 3], stop_ids=(), temperature=1.0, keys=[(1,), (2,)])
    assert [row for row, _ in engine.collect()] == [rows[1]]
    with torch.no_grad():
        model.lm_head.weight.mul_(0.5)
    engine.load(1)
    assert engine.length(rows[0]) == 3
    [(_, turn)] = engine.collect()
    with torch.no_grad():
        new = model(torch.tensor([[1, 2, 3, *turn.ids]])).logits[0, 2:-1].log_softmax(-1)
        model.lm_head.weight.mul_(2.0)
        old = model(torch.tensor([[1, 2, 3, *turn.ids]])).logits[0, 2:-1].log_softmax(-1)
    before, after = (logps.gather(1, torch.tensor(turn.ids)[:, None])[:, 0].numpy() for logps in (old, new))
    assert len(turn.ids) == 20 and engine.length(rows[0]) == 23
    assert np.allclose(turn.logps[:3], before[:3], atol=2e-6)
    assert np.allclose(turn.logps[3:], after[3:], atol=2e-6)
    assert not np.allclose(turn.logps[3:], before[3:], atol=1e-2)


def test_a_closed_row_is_dropped_and_disturbs_nobody(model: Any, alone: list[list[Sampled]]) -> None:
    for engine in (KINDS["kv"](model), KINDS["static"](model), KINDS["reprefill"](model)):
        scripts = [Script(name) for name in (3, 7, 8)]
        rows = engine.open(3)
        for row, script in zip(rows, scripts, strict=True):
            engine.extend([row], [script.context()])
            engine.submit([row], **{**script.request(), "max_new": 9, "stop_ids": ()})
        [extra] = engine.open(1)
        engine.extend([extra], [[1]])
        engine.sample([extra], max_new=2, stop_ids=(), temperature=1.0, keys=[(0,)])  # the others are in flight now
        engine.close([rows[1]])
        kept = dict(engine.collect(3))
        assert list(kept) == [rows[0], rows[2]]
        for row, name in ((rows[0], 3), (rows[2], 8)):
            n = min(len(alone[name][0].ids), 9)
            assert kept[row].ids[:n] == alone[name][0].ids[:n] and len(kept[row].ids) == 9


def test_misuse_is_named(model: Any) -> None:
    call: dict[str, Any] = {"max_new": 3, "stop_ids": (), "temperature": 1.0, "keys": [(0,)]}
    for engine in (KINDS["kv"](model), KINDS["reprefill"](model)):
        [row] = engine.open(1)
        engine.extend([row], [[1, 2]])
        engine.submit([row], **call)
        with pytest.raises(UsageError, match="not collected"):
            engine.extend([row], [[1]])
        with pytest.raises(UsageError, match="not collected"):
            engine.submit([row], **call)
        with pytest.raises(UsageError, match="min_finished"):
            engine.collect(0)
        assert engine.length(row) == 2
        assert [r for r, _ in engine.collect(99)] == [row]
        assert engine.length(row) == 5 and engine.collect() == []
    for wrong in ({"sync_every": 0}, {"prefill_tokens": 0}):
        with pytest.raises(SettingsError, match="at least 1"):
            KVEngine(model, 4, 64, **wrong)


class Tape(TorchDispatchMode):
    """What a CUDA graph is, on a CPU: the operations of a step, to be done again on the same memory."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, Any, Any, Any]] = []
        self.replays = -1  # a graph is recorded without being run, a tape is not

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, out))
        return out

    def replay(self) -> None:
        self.replays += 1
        new: dict[int, torch.Tensor] = {}
        for func, args, kwargs, out in self.calls if self.replays else []:
            now = tree_map_only(torch.Tensor, lambda t: new.get(id(t), t), (args, kwargs))
            again = func(*now[0], **now[1])
            for a, b in zip(*(x if isinstance(x, tuple | list) else [x] for x in (out, again)), strict=True):
                if isinstance(a, torch.Tensor):
                    new[id(a)] = b


class Tapes(Graphs):
    def __init__(self) -> None:
        super().__init__()
        self.all: list[Tape] = []

    def _record(self, step: Callable[[], None]) -> Tape:
        self.all.append(Tape())
        with self.all[-1]:
            step()
        return self.all[-1]


HOST = {"_local_scalar_dense", "nonzero", "is_nonzero", "equal", "item", "masked_select", "unique"}


def test_a_decode_step_can_be_recorded_and_replayed(model: Any, alone: list[list[Sampled]]) -> None:
    """Steps are replayed from a tape wherever one fits: nothing in them depends on what Python saw."""
    engine = KVEngine(model, NAMES, MAX_LEN, static=True, sync_every=2)
    tapes = Tapes()
    engine._replay = tapes
    engine._grad_mode = torch.no_grad  # the tape sees views only outside of inference mode
    for _ in range(3):
        check(stream(engine, [(2, 1)] * 5), alone)
    assert len(tapes.all) > 2 and sum(tape.replays for tape in tapes.all) > len(tapes.all)
    called = {call[0].__name__.split(".")[0] for tape in tapes.all for call in tape.calls}
    assert "_scaled_dot_product_flash_attention_for_cpu" in called
    assert not called & HOST  # no value goes to the host


def test_graphs_are_recorded_anew_when_memory_moved() -> None:
    tapes, value = Tapes(), torch.zeros(1)
    for memory in (1, 1, 1, 2, 2):
        tapes("key", memory, lambda: value.add_(1) and None)
    assert value.item() == 5 and [tape.replays for tape in tapes.all] == [1, 0]


def test_many_logits_are_drawn_from_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, u = torch.randn(9, 50, generator=torch.Generator().manual_seed(0)), torch.linspace(0.01, 0.99, 9).double()
    u[3] = -1  # the likeliest
    warm = torch.linspace(0.5, 1.5, 9)[:, None]
    for temperature in (1.0, 0.6, warm):
        whole = draw(logits, u, temperature)
        monkeypatch.setattr("turnwise.engine.decode.LARGEST", 120)
        pieces = draw(logits, u, temperature)
        monkeypatch.undo()
        assert torch.equal(whole[0], pieces[0]) and torch.equal(whole[1], pieces[1])
        assert whole[0][3] == logits[3].argmax()


def test_shapes_are_few() -> None:
    assert [_round_up(n) for n in (1, 2, 3, 4, 5, 6, 7, 9, 13, 17, 25, 33)] == [1, 2, 3, 4, 6, 6, 8, 12, 16, 24, 32, 48]
    assert all(n <= _round_up(n) <= 1.5 * n for n in range(1, 2000))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=16)),
        lambda: Qwen2ForCausalLM(Qwen2Config(**SIZES)),
        lambda: LlamaForCausalLM(LlamaConfig(**SIZES, attention_bias=True, mlp_bias=True)),
        lambda: LlamaForCausalLM(
            LlamaConfig(**SIZES, rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4})
        ),
        lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=16)).bfloat16(),
    ],
    ids=["qwen3", "qwen2", "llama", "scaled rope", "bf16"],
)
def test_known_architectures_run_lean(make: Callable[[], Any]) -> None:
    assert lean_forward(build(make), 64) is not None


def test_other_models_run_as_they_are() -> None:
    gpt2 = build(lambda: GPT2LMHeadModel(GPT2Config(vocab_size=VOCAB, n_embd=32, n_layer=2, n_head=4, n_positions=128)))
    assert lean_forward(gpt2, 64) is None
    check(stream(KVEngine(gpt2, NAMES, MAX_LEN), [(3, 2)]), stream(ReprefillEngine(gpt2, MAX_LEN), []))
    changed = build()
    attention = changed.model.layers[1].self_attn
    plain = attention.forward
    attention.forward = lambda *a, **k: (plain(*a, **k)[0] * 1.001, None)
    assert lean_forward(changed, 64) is None
    dynamic = build()
    dynamic.config.rope_parameters["rope_type"] = "dynamic"
    assert lean_forward(dynamic, 64) is None
