"""A tokenizer and a language model created from code, small enough to learn on one CPU thread in a minute."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from turnwise.core.errors import SettingsError

__all__ = ["save", "tiny_model", "tiny_tokenizer"]

SYSTEM, USER, ASSISTANT, END, PAD = SPECIAL = ("<|s|>", "<|u|>", "<|a|>", "<|e|>", "<|p|>")

# Lean: three scaffold tokens a turn (user, assistant, end) and no newlines.
CHAT_TEMPLATE = (
    "{% for m in messages %}"
    "{% if m.role == 'system' %}<|s|>{{ m.content }}"
    "{% elif m.role == 'user' %}<|u|>{{ m.content }}"
    "{% elif m.role == 'assistant' %}<|a|>{{ m.content }}<|e|>"
    "{% else %}{{ raise_exception('unknown role ' + m.role) }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|a|>{% endif %}"
)


def tiny_tokenizer(texts: Sequence[str], vocab_size: int = 512) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer on ``texts``, with a lean chat template.

    Any text can be encoded. The words and numbers of the texts become single tokens, the frequent ones
    first, as far as ``vocab_size`` allows; the same texts give the same tokenizer.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    least = len(alphabet) + len(SPECIAL)
    if vocab_size < least:
        raise SettingsError(f"vocab_size must be at least {least} (bytes and special tokens), not {vocab_size}")
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=1,  # every word of a handful of texts is worth a token
        special_tokens=list(SPECIAL),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    bpe.train_from_iterator([t.encode("utf-8", "replace").decode("utf-8") for t in texts], trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token=END,
        pad_token=PAD,
        extra_special_tokens=[SYSTEM, USER, ASSISTANT],
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def tiny_model(
    tokenizer: Any,
    seed: int,
    *,
    layers: int = 2,
    width: int = 64,
    heads: int = 4,
    hidden: int | None = None,
    max_len: int = 2048,
    init_std: float = 0.02,
) -> Qwen3ForCausalLM:
    """Create a Qwen3-shaped causal model with random weights: about 115,000 parameters by default.

    Args:
        tokenizer: defines the vocabulary and the special tokens.
        seed: seed of the weights; the global generators are left as they are.
        layers: number of decoder layers.
        width: width of the residual stream, divided among ``heads``.
        heads: attention heads; keys and values have as many.
        hidden: width of the feed-forward layers, twice ``width`` unless given.
        max_len: the longest row.
        init_std: standard deviation of the initial weights.
    """
    if width % heads or (width // heads) % 2:
        raise SettingsError(f"width / heads must be an even whole number, not {width} / {heads}")
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=hidden or 2 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        head_dim=width // heads,
        max_position_embeddings=max_len,
        initializer_range=init_std,
        tie_word_embeddings=True,
        use_sliding_window=False,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would also seed every GPU
        model = Qwen3ForCausalLM(config)
    return model.eval()


def save(model: Any, tokenizer: Any, path: str | Path) -> None:
    """Write both so that ``AutoModelForCausalLM`` and ``AutoTokenizer`` load them from ``path``."""
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
