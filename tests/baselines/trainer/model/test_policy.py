"""The policy's log-probabilities, entropies and optimisers, against the plain model."""

import numpy as np
import pytest
import torch
import transformers

from turnwise.baselines.trainer.batch import MicroBatch, Row, make_micro_batch, split_by_tokens
from turnwise.baselines.trainer.model import policy as module
from turnwise.baselines.trainer.model.norms import RMSNorm
from turnwise.baselines.trainer.model.policy import Optimizer, Policy, learning_rate_factor
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.core.errors import SettingsError, TurnwiseError

TEXTS = ["Higher. Lower. 1 2 3 4 5 6 7 8", "Correct. Your guess?"]


def make_policy(temperature: float = 1.0, dtype: torch.dtype = torch.float32) -> Policy:
    tokenizer = tiny_tokenizer(TEXTS, 300)
    return Policy(tiny_model(tokenizer, 3, width=32, init_std=0.3).to(dtype), tokenizer, temperature=temperature)


def make_rows(n: int = 6, seed: int = 0) -> list[Row]:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        length = int(rng.integers(4, 15))
        actions = np.sort(rng.choice(np.arange(1, length), int(rng.integers(1, length - 1)), replace=False))
        rows.append(
            Row(
                ids=rng.integers(0, 290, length)[: actions[-1] + 1],
                actions=actions,
                old_logps=np.zeros(len(actions), dtype=np.float32),
                advantages=rng.normal(size=len(actions)).astype(np.float32),
                turns=np.arange(len(actions)),
            )
        )
    return rows


def plain(policy: Policy, rows: list[Row], temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Row by row, the whole softmax."""
    logps, entropies = [], []
    for row in rows:
        logits = policy.model(input_ids=torch.tensor(row.ids)[None]).logits[0] / temperature
        table = logits.log_softmax(-1)
        for position in row.actions:
            logps.append(table[position - 1, row.ids[position]])
            entropies.append(-(table[position - 1].exp() * table[position - 1]).sum())
    return torch.stack(logps), torch.stack(entropies)


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_logps_are_those_of_the_plain_model(temperature):
    policy, rows = make_policy(temperature), make_rows()
    with torch.no_grad():
        logps, entropy = policy.logps(make_micro_batch(rows))
        wanted, wanted_entropy = plain(policy, rows, temperature)
    torch.testing.assert_close(logps, wanted, atol=1e-5, rtol=0)
    torch.testing.assert_close(entropy, wanted_entropy, atol=1e-5, rtol=0)


def gradient(policy: Policy, batches: list[MicroBatch]) -> torch.Tensor:
    policy.model.zero_grad()
    for batch in batches:
        logps, _ = policy.logps(batch)
        (-(logps * batch.advantages).sum()).backward()
    return torch.cat([p.grad.flatten().clone() for p in policy.model.parameters()])


def test_pieces_of_the_vocabulary_change_nothing(monkeypatch):
    policy, batch = make_policy(), make_micro_batch(make_rows())
    whole, whole_gradient = policy.logps(batch)[0], gradient(policy, [batch])
    monkeypatch.setattr(module, "CHUNK", 2000)  # 6 positions at a time
    torch.testing.assert_close(policy.logps(batch)[0], whole, atol=1e-6, rtol=0)
    torch.testing.assert_close(gradient(policy, [batch]), whole_gradient, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("budget", [1, 20, 45])
def test_micro_batches_change_nothing(budget):
    policy, rows = make_policy(), make_rows()
    whole = gradient(policy, [make_micro_batch(rows)])
    runs = split_by_tokens([r.length for r in rows], budget)
    split = gradient(policy, [make_micro_batch([rows[i] for i in run]) for run in runs])
    torch.testing.assert_close(split, whole, atol=1e-4, rtol=1e-4)


def test_shared_prefixes_change_nothing():
    """Prompts of different lengths, several rows each, some turns after the first: logps, entropies, gradient."""
    rng = np.random.default_rng(4)
    rows = []
    for prompt in (rng.integers(0, 290, n) for n in (3, 9, 6)):
        for _ in range(3):
            rest = rng.integers(0, 290, int(rng.integers(2, 9)))
            actions = np.unique([0, *rng.integers(0, len(rest), 3), len(rest) - 1]) + len(prompt)
            advantages = rng.normal(size=len(actions)).astype(np.float32)
            ids, turns = np.concatenate([prompt, rest]), np.arange(len(actions))
            rows.append(Row(ids, actions, np.zeros(len(actions), np.float32), advantages, turns))
    policy = make_policy(0.7)
    assert policy.shares_prefixes
    plain_batch, shared_batch = make_micro_batch(rows), make_micro_batch(rows, share=True)
    assert shared_batch.ids.numel() < sum(row.length for row in rows)
    for ours, wanted in zip(policy.logps(shared_batch), policy.logps(plain_batch), strict=True):
        torch.testing.assert_close(ours, wanted, atol=1e-5, rtol=0)
    torch.testing.assert_close(gradient(policy, [shared_batch]), gradient(policy, [plain_batch]), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("packed", [False, True])
def test_gradient_checkpointing_changes_nothing(packed):
    policy = make_policy()
    batch = make_micro_batch(make_rows(), share=packed)
    whole = gradient(policy, [batch])
    module._checkpoint_layers(policy.model)
    torch.testing.assert_close(gradient(policy, [batch]), whole, atol=1e-6, rtol=1e-5)


def test_copies_recompute_their_own_layers():
    """A reference made from a model that recomputes its layers must not follow the policy."""
    policy, batch = make_policy(), make_micro_batch(make_rows())
    module._checkpoint_layers(policy.model)
    reference = policy.reference()
    before = reference.logps(batch)[0]
    with torch.no_grad():
        for layer in policy.model.model.layers:
            layer.mlp.down_proj.weight.zero_()
            layer.input_layernorm.weight.zero_()
    assert torch.equal(reference.logps(batch)[0], before)
    assert not torch.allclose(policy.logps(batch)[0], before, atol=1e-2)


@pytest.mark.parametrize("shape", [(5, 32), (2, 3, 4, 8)])
def test_norms_by_hand(shape):
    """Against autograd on the model's own norm, in fp64; and a model has them where its formula is this one."""
    x = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    weight = torch.linspace(0.5, 2, shape[-1], dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, w: RMSNorm.apply(x, w, 1e-6), (x, weight))
    wanted = weight * x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    torch.testing.assert_close(RMSNorm.apply(x, weight, 1e-6), wanted)
    norms = [m for m in make_policy().model.modules() if hasattr(m, "fused")]
    assert len(norms) == 9  # two layers of two, with one for queries and keys each, and the last


def test_packed_rows_change_the_config_for_the_forward_pass_only():
    policy = make_policy()
    batch = make_micro_batch(make_rows(), share=True)
    policy.logps(batch)
    assert policy.model.config._attn_implementation == "sdpa"
    del policy.model.model.layers[1].self_attn  # the second layer fails
    with pytest.raises(AttributeError):
        policy.logps(batch)
    assert policy.model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("Qwen2", {}),
        ("Llama", {"num_key_value_heads": 2}),
        ("Mistral", {"sliding_window": None}),
        ("Gemma", {"head_dim": 8}),
    ],
)
def test_other_models_pack_their_rows_too(kind, settings):
    """Grouped heads, biases, scaled embeddings: the packed rows give what the plain ones give."""
    sizes = {"vocab_size": 300, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 64, "pad_token_id": 0}
    config = getattr(transformers, f"{kind}Config")(**sizes | heads | settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        policy = Policy(getattr(transformers, f"{kind}ForCausalLM")(config), None)
    assert policy.shares_prefixes
    rows = make_rows()
    plain_batch, packed_batch = make_micro_batch(rows), make_micro_batch(rows, share=True)
    torch.testing.assert_close(policy.logps(packed_batch)[0], policy.logps(plain_batch)[0], atol=1e-5, rtol=0)
    torch.testing.assert_close(gradient(policy, [packed_batch]), gradient(policy, [plain_batch]), atol=1e-4, rtol=1e-4)


def test_bf16_stays_near_fp32():
    """Log-probabilities in fp32 from bf16 weights: 8 bits of mantissa, values up to 10; one direction of gradients."""
    exact, rounded, rows = make_policy(), make_policy(dtype=torch.bfloat16), make_rows()
    assert rounded.shares_prefixes
    wanted, toward = exact.logps(make_micro_batch(rows))[0], gradient(exact, [make_micro_batch(rows)])
    for share in (False, True):
        batch = make_micro_batch(rows, share=share)
        logps, entropy = rounded.logps(batch)
        assert logps.dtype == entropy.dtype == torch.float32
        torch.testing.assert_close(logps, wanted, atol=0.1, rtol=0)
        assert torch.cosine_similarity(gradient(rounded, [batch]).float(), toward, dim=0) > 0.99


def test_models_with_a_window_are_not_packed():
    config = transformers.MistralConfig(
        vocab_size=300, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=64, sliding_window=8, pad_token_id=0,
    )  # fmt: skip
    policy = Policy(transformers.MistralForCausalLM(config), None)
    assert not policy.shares_prefixes


def test_entropy_with_a_gradient():
    """Against the plain softmax; and without one, the loss sees none of it."""
    policy, rows = make_policy(0.7), make_rows()
    batch = make_micro_batch(rows)
    gradients = []
    for entropies in (policy.logps(batch, entropy="gradient")[1], plain(policy, rows, 0.7)[1]):
        policy.model.zero_grad()
        entropies.sum().backward()
        gradients.append(torch.cat([p.grad.flatten().clone() for p in policy.model.parameters()]))
    torch.testing.assert_close(*gradients, atol=1e-4, rtol=1e-4)
    assert not policy.logps(batch, entropy=True)[1].requires_grad


def test_no_table_of_all_tokens_and_the_whole_vocabulary(monkeypatch):
    """With room for 6 positions at a time, the output layer never sees more, forwards or backwards."""
    policy, rows = make_policy(), make_rows(20)
    batch, seen, sizes = make_micro_batch(rows), [], []
    monkeypatch.setattr(module, "CHUNK", 6 * 300)
    head = policy.model.get_output_embeddings()
    head.register_forward_hook(lambda layer, inputs, output: seen.append(len(output)))

    def pack(tensor: torch.Tensor) -> torch.Tensor:  # what the graph holds until the backward pass
        sizes.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        logps, entropy = policy.logps(batch, entropy="gradient")
    kept = max(sizes)
    forwards = len(seen)
    (logps + entropy).sum().backward()
    pieces = -(-len(batch.targets) // 6)
    assert forwards == pieces > 10 and len(seen) == 2 * pieces and max(seen) == 6
    vocabulary = policy.model.config.vocab_size
    assert kept <= max(batch.ids.numel() * 64, vocabulary * 32) < len(batch.targets) * vocabulary


def test_models_that_touch_their_logits_are_refused():
    policy = make_policy()
    forward = policy.model.forward

    def capped(*args, **kwargs):
        out = forward(*args, **kwargs)
        out.logits = 30 * torch.tanh(out.logits * 2 / 30)
        return out

    policy.model.forward = capped
    with pytest.raises(SettingsError, match="soft-capping"):
        Policy(policy.model, policy.tokenizer)


def test_reference_is_frozen():
    policy, batch = make_policy(), make_micro_batch(make_rows())
    reference = policy.reference()
    before = reference.logps(batch)[0]
    optimizer = Optimizer(policy.model, "adamw", max_grad_norm=1.0)
    optimizer.backward(-policy.logps(batch)[0].sum())
    optimizer.step(1e-2)
    assert torch.equal(reference.logps(batch)[0], before)
    assert not torch.allclose(policy.logps(batch)[0], before, atol=1e-3)
    assert not before.requires_grad


def loss_falls(policy: Policy, optimizer: Optimizer, lr: float, steps: int = 12) -> tuple[float, float]:
    batch, losses = make_micro_batch(make_rows()), []
    for _ in range(steps):
        loss = -policy.logps(batch)[0].mean()
        optimizer.backward(loss)
        optimizer.step(lr)
        losses.append(float(loss.detach()))
    return losses[0], losses[-1]


@pytest.mark.parametrize("kind", ["adamw", "muon", "adamw bf16"])
def test_optimisers_learn(kind):
    kind, _, narrow = kind.partition(" ")
    policy = make_policy(dtype=torch.bfloat16 if narrow else torch.float32)
    first, last = loss_falls(policy, Optimizer(policy.model, kind, max_grad_norm=1.0), 3e-3)
    assert last < first - 1


def test_small_updates_of_bf16_weights_are_not_lost():
    """In bf16 a weight of 1 cannot move by 1e-4; in the fp32 copy thirty such moves add up to one that shows."""
    policy = make_policy(dtype=torch.bfloat16)
    optimizer = Optimizer(policy.model, "adamw", max_grad_norm=1.0)
    norm = policy.model.model.norm.weight
    start = norm.detach().clone()
    loss_falls(policy, optimizer, 1e-4, steps=1)
    assert torch.equal(norm, start)
    loss_falls(policy, optimizer, 1e-4, steps=30)
    assert not torch.equal(norm, start)


def test_muon_takes_the_hidden_matrices():
    policy = make_policy()
    names = module._hidden_matrices(policy.model)
    assert len(names) == 14 and all("proj" in n for n in names)


@pytest.mark.slow
def test_optimiser_state_comes_back():
    batch = make_micro_batch(make_rows())
    weights = []
    for dtype in (torch.float32, torch.bfloat16):
        for again in (False, True):
            policy = make_policy(dtype=dtype)
            optimizer = Optimizer(policy.model, "muon", max_grad_norm=1.0)
            for step in range(4):
                if again and step == 2:
                    state, model = optimizer.state_dict(), policy.model.state_dict()
                    policy = make_policy(dtype=dtype)
                    policy.model.load_state_dict(model)
                    optimizer = Optimizer(policy.model, "muon", max_grad_norm=1.0)
                    optimizer.load_state_dict(state)
                optimizer.backward(-policy.logps(batch)[0].mean())
                optimizer.step(1e-3)
            weights.append(torch.cat([p.detach().flatten() for p in policy.model.parameters()]))
    assert torch.equal(weights[0], weights[1]) and torch.equal(weights[2], weights[3])


def test_divergence_stops_the_run():
    policy = make_policy()
    optimizer = Optimizer(policy.model, "adamw", max_grad_norm=1.0)
    optimizer.backward(policy.logps(make_micro_batch(make_rows()))[0].sum() * float("nan"))
    with pytest.raises(TurnwiseError, match="diverged"):
        optimizer.step(1e-3)


def test_learning_rate():
    factors = [learning_rate_factor(step, 10, 3) for step in range(10)]
    assert factors[:3] == pytest.approx([0.25, 0.5, 0.75]) and factors[3] == 1.0
    assert factors[-1] == pytest.approx(0.1) and factors[3:] == sorted(factors[3:], reverse=True)
    assert learning_rate_factor(0, 1, 0) > 0
