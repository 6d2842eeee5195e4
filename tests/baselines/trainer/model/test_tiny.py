"""The tokenizer and model made in code."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer
from turnwise.core.errors import SettingsError
from turnwise.engine.kv import KVEngine
from turnwise.engine.tokens import HFRenderer, make_renderer

TEXTS = [f"Guess a number from 1 to 32: {i} is too low, guess higher than {i}." for i in range(1, 33)]
TOKENIZER = tiny_tokenizer(TEXTS)
RENDERER = make_renderer(TOKENIZER)


def test_words_and_numbers_are_single_tokens() -> None:
    for word in ("Guess", " number", " higher", " 7", " 32"):
        assert len(RENDERER.encode(word)) == 1, word
    assert len(TOKENIZER) <= 512


@given(st.text())
def test_any_text_is_encoded(text: str) -> None:
    assert TOKENIZER.decode(RENDERER.encode(text)) == text.encode("utf-8", "replace").decode()


def test_the_same_texts_give_the_same_tokenizer() -> None:
    again = tiny_tokenizer(TEXTS)
    assert again.get_vocab() == TOKENIZER.get_vocab()
    assert again.backend_tokenizer.to_str() == TOKENIZER.backend_tokenizer.to_str()
    assert tiny_tokenizer(["other words"]).get_vocab() != TOKENIZER.get_vocab()


def test_the_template_is_lean() -> None:
    assert isinstance(RENDERER, HFRenderer)
    message = {"role": "user", "content": ""}
    assert len(RENDERER.start([message])) == 2
    assert len(RENDERER.bridge([message], closed=True)) == 2
    assert RENDERER.stop_ids == (TOKENIZER.eos_token_id,)
    with pytest.raises(SettingsError, match="unknown role tool"):
        RENDERER.start([{"role": "tool", "content": ""}])


def test_model_is_small_and_follows_from_its_seed() -> None:
    state = torch.get_rng_state()
    first, same, other = (tiny_model(TOKENIZER, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.get_rng_state(), state)
    weights = [torch.cat([p.flatten() for p in m.parameters()]) for m in (first, same, other)]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
    assert 90_000 < len(weights[0]) < 130_000
    assert first.config.vocab_size == len(TOKENIZER)


def test_saved_and_loaded(tmp_path: Path) -> None:
    model = tiny_model(TOKENIZER, 3)
    save(model, TOKENIZER, tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path)
    renderer = make_renderer(tokenizer)
    assert renderer.stop_ids == RENDERER.stop_ids
    messages = [{"role": "system", "content": " a<|e|>  12"}, {"role": "user", "content": "Guess é\n higher 7"}]
    ids = RENDERER.start(messages)
    assert renderer.start(messages) == ids
    assert renderer.bridge(messages[1:], closed=False) == RENDERER.bridge(messages[1:], closed=False)
    assert renderer.decode(ids) == RENDERER.decode(ids)
    batch = torch.tensor([ids])
    assert torch.equal(loaded(batch).logits, model(batch).logits)


def test_it_can_be_sampled() -> None:
    engine = KVEngine(tiny_model(TOKENIZER, 0), 4, 64)
    rows = engine.open(4)
    engine.extend(rows, [RENDERER.start([{"role": "user", "content": TEXTS[0]}])] * 4)
    turns = engine.sample(rows, max_new=5, stop_ids=RENDERER.stop_ids, temperature=1.0, keys=[(i,) for i in range(4)])
    assert len({tuple(turn.ids) for turn in turns}) == 4


def test_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="vocab_size"):
        tiny_tokenizer(TEXTS, vocab_size=100)
    with pytest.raises(SettingsError, match="width / heads"):
        tiny_model(TOKENIZER, 0, width=30, heads=4)
