"""Tokenizers of the families that people train, made here: their special tokens and chat formats, a tiny vocabulary.

The templates restate the published formats: headers, spaces and newlines are theirs, tools are left out.
"""

from dataclasses import dataclass, field
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

__all__ = ["FAMILIES", "Family", "build"]

TEXTS = [
    "user assistant system model guess higher lower 12 17 the number\n\n",
    "Cutting Knowledge Date: 2023 think",
] * 3


@dataclass(frozen=True)
class Family:
    """What is particular to the models of a family.

    Attributes:
        template: the chat template.
        special: special tokens, the ones of the template first.
        eos: the tokenizer's end of text.
        words: tokens that are added and not special.
        trims: roles whose contents the template strips.
        system: the template takes a system message.
        settings: of the template.
    """

    template: str
    special: tuple[str, ...]
    eos: str
    bos: str | None = None
    words: tuple[str, ...] = ()
    trims: tuple[str, ...] = ()
    system: bool = True
    settings: dict[str, Any] = field(default_factory=dict)


CHATML = (
    "{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


def qwen2(words: str) -> str:
    """ChatML with a default system message."""
    opening = (
        f"{{%- if messages[0].role != 'system' %}}{{{{- '<|im_start|>system\\n{words}<|im_end|>\\n' }}}}{{%- endif %}}"
    )
    return opening + "{%- for m in messages %}" + CHATML


# Past thinking goes: only turns behind the last question keep it. An empty block opens the turn if it is turned off.
QWEN3 = """
{%- set ns = namespace(last=-1) %}
{%- for m in messages %}{%- if m.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}
{%- for m in messages %}
    {%- if m.role != 'assistant' %}
        {{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
    {%- else %}
        {%- set content, thinking = m.content, '' %}
        {%- if '</think>' in m.content %}
            {%- set thinking = m.content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = m.content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last and (loop.last or thinking) %}
            {{- '<|im_start|>assistant\\n<think>\\n' + thinking.strip('\\n') }}
            {{- '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>assistant\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and not enable_thinking %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
    {%- if always_thinking is defined %}{{- '<think>\\n' }}{%- endif %}
{%- endif %}"""

LLAMA_TURN = "'<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' + m.content | trim + '<|eot_id|>'"
LLAMA_END = "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
LLAMA3 = "{{- bos_token }}{%- for m in messages %}{{- " + LLAMA_TURN + " }}{%- endfor %}" + LLAMA_END
# A header with dates always comes first, the system message inside it.
LLAMA31 = (
    "{{- bos_token }}{%- if messages[0].role == 'system' %}{%- set system = messages[0].content | trim %}"
    "{%- set rest = messages[1:] %}{%- else %}{%- set system = '' %}{%- set rest = messages %}{%- endif %}"
    "{{- '<|start_header_id|>system<|end_header_id|>\\n\\nCutting Knowledge Date: December 2023\\n' }}"
    "{{- 'Today Date: ' + (date_string or '26 Jul 2024') + '\\n\\n' + system + '<|eot_id|>' }}"
    "{%- for m in rest %}{{- " + LLAMA_TURN + " }}{%- endfor %}" + LLAMA_END
)

ALTERNATE = (
    "{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{%- endif %}"
)
# Spaces around everything, no system role.
MISTRAL1 = (
    "{{- bos_token }}{%- for m in messages %}" + ALTERNATE + "{%- if m.role == 'user' %}"
    "{{- '[INST] ' + m.content + ' [/INST]' }}{%- else %}{{- ' ' + m.content + eos_token + ' ' }}{%- endif %}"
    "{%- endfor %}"
)
SPLIT = (
    "{%- if messages[0].role == 'system' %}{%- set system = messages[0].content %}{%- set rest = messages[1:] %}"
    "{%- else %}{%- set rest = messages %}{%- endif %}"
)
# The system message is part of the first question ...
MISTRAL2 = (
    SPLIT + "{{- bos_token }}{%- for m in rest %}" + ALTERNATE + "{%- if m.role == 'user' %}"
    "{{- '[INST] ' + (system + '\\n\\n' if loop.first and system is defined else '') + m.content + '[/INST]' }}"
    "{%- else %}{{- ' ' + m.content + eos_token }}{%- endif %}{%- endfor %}"
)
# ... or of the last, and moves on with every turn.
MISTRAL3 = MISTRAL2.replace("loop.first", "loop.last").replace("m.content + eos_token", "m.content | trim + eos_token")
# The newest: tokens of its own for the system message, and no spaces.
TEKKEN = (
    "{{- bos_token }}{%- for m in messages %}{%- if m.role == 'system' %}"
    "{{- '[SYSTEM_PROMPT]' + m.content + '[/SYSTEM_PROMPT]' }}{%- elif m.role == 'user' %}"
    "{{- '[INST]' + m.content + '[/INST]' }}{%- else %}{{- m.content + eos_token }}{%- endif %}{%- endfor %}"
)

GEMMA_TURNS = (
    ALTERNATE + "{{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}"
    "{{- (system + '\\n\\n' if loop.first and system is defined else '') + m.content | trim + '<end_of_turn>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}"
)
GEMMA2 = (
    "{{- bos_token }}{%- if messages[0].role == 'system' %}{{- raise_exception('System role not supported') }}"
    "{%- endif %}{%- for m in messages %}" + GEMMA_TURNS
)
GEMMA3 = "{{- bos_token }}" + SPLIT + "{%- for m in rest %}" + GEMMA_TURNS

QWEN_SPECIAL = ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|object_ref_start|>", "<|vision_start|>")
LLAMA_SPECIAL = (
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|python_tag|>",
)
MISTRAL_SPECIAL = ("<s>", "</s>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CALLS]", "<unk>")
GEMMA_SPECIAL = ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "<pad>", "<unk>")
THINK = ("<think>", "</think>", "<tool_response>")
_llama = {"special": LLAMA_SPECIAL, "eos": "<|eot_id|>", "bos": "<|begin_of_text|>"}
_mistral = {"special": MISTRAL_SPECIAL, "eos": "</s>", "bos": "<s>"}
_gemma = {"special": GEMMA_SPECIAL, "eos": "<eos>", "bos": "<bos>", "trims": ("user", "assistant")}
_qwen = {"special": QWEN_SPECIAL, "eos": "<|im_end|>"}

FAMILIES: dict[str, Family] = {
    "qwen2": Family(qwen2("You are a helpful assistant."), **_qwen),
    "qwen2-base": Family(qwen2("You are a helpful assistant."), QWEN_SPECIAL, "<|endoftext|>"),
    "qwen2.5": Family(qwen2("You are Qwen, created by Alibaba Cloud. You are a helpful assistant."), **_qwen),
    "qwen3": Family(QWEN3, **_qwen, words=THINK),
    "qwen3-off": Family(QWEN3, **_qwen, words=THINK, settings={"enable_thinking": False}),
    "qwen3-thinking": Family(QWEN3, **_qwen, words=THINK, settings={"always_thinking": True}),
    "llama3": Family(LLAMA3, **_llama, trims=("system", "user", "assistant")),
    "llama3.1": Family(
        LLAMA31, **_llama, trims=("system", "user", "assistant"), settings={"date_string": "1 May 2025"}
    ),
    "mistral1": Family(MISTRAL1, **_mistral, system=False),
    "mistral2": Family(MISTRAL2, **_mistral),
    "mistral3": Family(MISTRAL3, **_mistral, trims=("assistant",)),  # append-only without a system message alone
    "tekken": Family(TEKKEN, **_mistral),
    "gemma2": Family(GEMMA2, **_gemma, system=False),
    "gemma3": Family(GEMMA3, **_gemma),
}


def build(family: Family, *, special: bool = True, prefix_space: bool = False) -> Any:
    """A byte-level BPE tokenizer with the family's tokens and template; not ``special``: as ordinary added words."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    bpe.train_from_iterator(TEXTS, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe)
    tokenizer.add_tokens(list(family.words))
    if special:
        tokenizer.add_special_tokens({"extra_special_tokens": list(family.special)})
        tokenizer.add_special_tokens({"eos_token": family.eos} | ({"bos_token": family.bos} if family.bos else {}))
    else:
        tokenizer.add_tokens(list(family.special))
    names = {} if special else {"eos_token": repr(family.eos), "bos_token": repr(family.bos)}
    tokenizer.chat_template = family.template
    for name, token in names.items():
        tokenizer.chat_template = tokenizer.chat_template.replace(name, token)
    return tokenizer
