"""Adapters: the base model is the reference, only the adapter learns, what is saved is what was trained."""

import copy

import numpy as np
import pytest
import torch

from turnwise.baselines.trainer.batch import MicroBatch, Row, make_micro_batch
from turnwise.baselines.trainer.model.lora import adapter_off, adapter_state, add_adapter, has_adapter, merged
from turnwise.baselines.trainer.model.policy import Optimizer, Policy
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.baselines.trainer.parts import Lora
from turnwise.core.errors import SettingsError
from turnwise.engine.kv import KVEngine

pytest.importorskip("peft", reason="needs peft (turnwise[lora])")


def make_policy(dtype: torch.dtype = torch.float32, *, adapter: bool = True) -> Policy:
    tokenizer = tiny_tokenizer(["1 2 3"], 300)
    model = tiny_model(tokenizer, 1, width=32, init_std=0.2).to(dtype)
    if adapter:
        add_adapter(model, Lora(rank=4, alpha=8), seed=5)
    return Policy(model, tokenizer)


def make_batch(share: bool = True) -> MicroBatch:
    rng = np.random.default_rng(0)
    ids = [np.concatenate([[1, 2, 3, 4], rng.integers(0, 250, 6)]) for _ in range(4)]
    actions, zeros, turns = np.arange(4, 10), np.zeros(6, dtype=np.float32), np.zeros(6, dtype=np.int64)
    return make_micro_batch([Row(i, actions, zeros, zeros, turns) for i in ids], share=share)


def learn(policy: Policy, kind: str = "adamw", steps: int = 3) -> Optimizer:
    optimizer = Optimizer(policy.model, kind, max_grad_norm=1.0)
    for _ in range(steps):
        optimizer.backward(-policy.logps(make_batch())[0].mean())
        optimizer.step(1e-2)
    return optimizer


def logps(policy: Policy) -> torch.Tensor:
    with torch.no_grad():
        return policy.logps(make_batch())[0]


@pytest.mark.parametrize("kind", ["adamw", "muon"])
def test_only_the_adapter_learns_and_the_reference_stays(kind):
    base = make_policy(adapter=False)
    policy = make_policy()
    reference = policy.reference()
    before = {name: weight.clone() for name, weight in policy.model.state_dict().items()}
    assert torch.equal(logps(policy), logps(base))  # B is zero
    learn(policy, kind)
    assert reference.model is policy.model  # no copy
    assert torch.equal(reference.logps(make_batch())[0], logps(base))
    assert not torch.allclose(logps(policy), logps(base), atol=1e-2)
    for name, weight in policy.model.state_dict().items():
        assert torch.equal(weight, before[name]) != (".lora_B" in name or ".lora_A" in name), name
    assert {n for n, p in policy.model.named_parameters() if p.requires_grad} == set(adapter_state(policy.model))


def test_the_reference_may_be_asked_between_forward_and_backward():
    gradients = []
    for ask in (False, True):
        policy = make_policy()
        learn(policy, steps=1)
        loss = policy.logps(make_batch())[0].sum()
        if ask:
            policy.reference().logps(make_batch())
        loss.backward()
        gradients.append(torch.cat([p.grad.flatten() for p in policy.model.parameters() if p.requires_grad]))
    assert torch.equal(*gradients) and gradients[0].abs().max() > 0


def test_the_engine_samples_with_the_adapter():
    policy = make_policy()
    learn(policy)
    engine = KVEngine(policy.model, 2, 64)
    rows = engine.open(2)
    engine.extend(rows, [[1, 2, 3, 4]] * 2)
    for sampled in engine.sample(rows, max_new=6, stop_ids=[], temperature=1.0, keys=[(0,), (1,)]):
        ids = np.array([1, 2, 3, 4, *sampled.ids])
        zeros = np.zeros(6, dtype=np.float32)
        batch = make_micro_batch([Row(ids, np.arange(4, 10), zeros, zeros, np.zeros(6, dtype=np.int64))])
        with torch.no_grad():
            assert policy.logps(batch)[0].tolist() == pytest.approx(sampled.logps, abs=1e-5)
            assert policy.reference().logps(batch)[0].tolist() != pytest.approx(sampled.logps, abs=1e-2)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated")  # peft reads it
def test_saved_merged_and_apart(tmp_path):
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    policy = make_policy()
    learn(policy)
    policy.save(tmp_path)
    whole = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
    assert not has_adapter(whole)
    torch.testing.assert_close(logps(Policy(whole, policy.tokenizer)), logps(policy), atol=1e-5, rtol=0)
    base = make_policy(adapter=False)
    loaded = PeftModel.from_pretrained(base.model, str(tmp_path / "adapter")).merge_and_unload()
    torch.testing.assert_close(logps(Policy(loaded, base.tokenizer)), logps(policy), atol=1e-5, rtol=0)
    assert has_adapter(policy.model) and not has_adapter(merged(policy.model))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_state_is_the_adapter_and_comes_back(dtype):
    policy = make_policy(dtype)
    optimizer = learn(policy, steps=2)
    state, moments = copy.deepcopy(policy.state_dict()), copy.deepcopy(optimizer.state_dict())
    assert state and all(".lora_" in name for name in state)
    again = make_policy(dtype)
    again.load_state_dict(state)
    assert torch.equal(logps(again), logps(policy))
    second = Optimizer(again.model, "adamw", max_grad_norm=1.0)
    second.load_state_dict(moments)
    for p, o in ((policy, optimizer), (again, second)):
        o.backward(-p.logps(make_batch())[0].mean())
        o.step(1e-2)
    assert torch.equal(logps(again), logps(policy))
    with pytest.raises(SettingsError, match="weights of another model"):
        again.load_state_dict({"nothing": torch.zeros(1)})


def test_same_seed_same_adapter_whatever_the_global_generator():
    torch.manual_seed(1)
    first = adapter_state(make_policy().model)
    torch.manual_seed(2)
    state = torch.get_rng_state()
    second = adapter_state(make_policy().model)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert torch.equal(torch.get_rng_state(), state)


def test_targets():
    model = tiny_model(tiny_tokenizer(["1 2 3"], 300), 1)
    add_adapter(model, Lora(targets=("q_proj", "v_proj"), rank=2))
    assert len(adapter_state(model)) == 8  # 2 layers x 2 matrices x (A, B)
    with pytest.raises(SettingsError, match="has an adapter"):
        add_adapter(model, Lora())
    with pytest.raises(SettingsError, match="nothing_like_it"):
        add_adapter(tiny_model(tiny_tokenizer(["1 2 3"], 300), 1), Lora(targets=("nothing_like_it",)))
    with pytest.raises(SettingsError, match="rank is 0; it must be at least 1"):
        add_adapter(tiny_model(tiny_tokenizer(["1 2 3"], 300), 1), Lora(rank=0))


def test_off_ends_when_something_fails():
    policy = make_policy()
    learn(policy)
    before = logps(policy)
    with pytest.raises(KeyError), adapter_off(policy.model):
        raise KeyError
    assert torch.equal(logps(policy), before)
