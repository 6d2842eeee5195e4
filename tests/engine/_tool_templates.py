"""Chat templates with tools in the form of the families that people train: their markers and layout, in few lines.

They restate the published formats: what stands around tools, calls and results, and which message has the tools.
"""

from typing import Any

from tests.engine._tokenizers import LLAMA_SPECIAL, MISTRAL_SPECIAL, QWEN_SPECIAL, SPLIT, THINK, Family

__all__ = ["MOVING", "TOOL_FAMILIES"]

# ChatML: tools in the system message, results of one turn together in a message of the user.
_HEAD = (
    "{%- set system = messages[0].content if messages[0].role == 'system' else 'You help.' %}"
    "{{- '<|im_start|>system\\n' + system }}"
    "{%- if tools %}{{- '\\n\\nFunctions, in <tools></tools>:\\n<tools>' }}"
    "{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}{{- '\\n</tools>' }}{%- endif %}"
    "{{- '<|im_end|>\\n' }}"
)
_JSON_CALL = (
    '{{- \'<tool_call>\\n{"name": "\' + call.function.name + \'", "arguments": \' }}'
    "{{- call.function.arguments | tojson }}{{- '}\\n</tool_call>' }}"
)
_XML_CALL = (
    "{{- '<tool_call>\\n<function=' + call.function.name + '>\\n' }}"
    "{%- for key, value in call.function.arguments | items %}{{- '<parameter=' + key + '>\\n' }}"
    "{{- value if value is string else value | tojson }}{{- '\\n</parameter>\\n' }}{%- endfor %}"
    "{{- '</function>\\n</tool_call>' }}"
)
_RESULT = (
    "{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{%- endif %}"
    "{{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}"
    "{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{%- endif %}"
)


def _chatml(call: str) -> str:
    return (
        _HEAD + "{%- for m in messages %}{%- if m.role == 'user' or (m.role == 'assistant' and not m.tool_calls) %}"
        "{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}"
        "{%- elif m.role == 'assistant' %}{{- '<|im_start|>assistant' }}"
        "{%- if m.content %}{{- '\\n' + m.content }}{%- endif %}"
        "{%- for call in m.tool_calls %}{{- '\\n' }}" + call + "{%- endfor %}{{- '<|im_end|>\\n' }}"
        "{%- elif m.role == 'tool' %}" + _RESULT + "{%- endif %}{%- endfor %}"
        "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
    )


# Thinking stays behind the last question, and results are none; an empty block opens turns if it is turned off.
_QWEN3 = (
    "{%- set ns = namespace(last=-1) %}{%- for m in messages %}"
    "{%- if m.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}"
    + _HEAD
    + "{%- for m in messages %}{%- if m.role == 'user' %}{{- '<|im_start|>user\\n' + m.content + '<|im_end|>\\n' }}"
    "{%- elif m.role == 'assistant' %}{%- set content, thought = m.content, '' %}"
    "{%- if '</think>' in m.content %}{%- set thought = m.content.split('</think>')[0].split('<think>')[-1] %}"
    "{%- set content = m.content.split('</think>')[-1].lstrip('\\n') %}{%- endif %}"
    "{{- '<|im_start|>assistant\\n' }}"
    "{%- if loop.index0 > ns.last and (loop.last or thought) %}"
    "{{- '<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' }}{%- endif %}{{- content }}"
    "{%- for call in m.tool_calls or [] %}{%- if not loop.first or content %}{{- '\\n' }}{%- endif %}"
    + _JSON_CALL
    + "{%- endfor %}{{- '<|im_end|>\\n' }}{%- elif m.role == 'tool' %}"
    + _RESULT
    + "{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and not enable_thinking %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{%- endif %}"
)

# Tools in the first question, one call for a turn, results as JSON texts.
_LLAMA = (
    SPLIT.replace("set rest = messages %}", "set rest, system = messages, '' %}")
    + "{{- bos_token + '<|start_header_id|>system<|end_header_id|>\\n\\n' + system | trim + '<|eot_id|>' }}"
    "{%- for m in rest %}{%- if m.tool_calls %}"
    "{%- if m.tool_calls | length != 1 %}{{- raise_exception('one call at a time') }}{%- endif %}"
    "{%- set call = m.tool_calls[0].function %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"
    "{{- '{\"name\": \"' + call.name + '\", \"parameters\": ' + call.arguments | tojson + '}<|eot_id|>' }}"
    "{%- elif m.role == 'tool' %}"
    "{{- '<|start_header_id|>ipython<|end_header_id|>\\n\\n' + m.content | tojson + '<|eot_id|>' }}"
    "{%- else %}{{- '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' }}"
    "{%- if tools and loop.first %}{{- 'Functions:\\n\\n' }}"
    "{%- for tool in tools %}{{- tool | tojson(indent=4) + '\\n\\n' }}{%- endfor %}{%- endif %}"
    "{{- m.content | trim + '<|eot_id|>' }}{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
)

_ODD = "{%- if x.id | length != 9 %}{{- raise_exception('ids have nine characters') }}{%- endif %}"
# A JSON list of calls with ids, which results name; the tools stand before the question in WHERE.
_MISTRAL = (
    SPLIT + "{%- set users = rest | selectattr('role', 'equalto', 'user') | list %}{{- bos_token }}"
    "{%- for m in rest %}{%- if m.role == 'user' %}"
    "{%- if tools and m == users[WHERE] %}{{- '[AVAILABLE_TOOLS] ' + tools | tojson + '[/AVAILABLE_TOOLS]' }}"
    "{%- endif %}{{- '[INST] ' + m.content + '[/INST]' }}"
    "{%- elif m.tool_calls %}{{- '[TOOL_CALLS] [' }}"
    "{%- for x in m.tool_calls %}" + _ODD + "{%- set call = x.function | tojson %}{{- call[:-1] }}"
    "{{- ', \"id\": \"' + x.id + '\"}' + ('' if loop.last else ', ') }}{%- endfor %}{{- ']' + eos_token }}"
    "{%- elif m.role == 'tool' %}"
    "{{- '[TOOL_RESULTS] {\"content\": ' + m.content + ', \"call_id\": \"' + m.tool_call_id + '\"}[/TOOL_RESULTS]' }}"
    "{%- else %}{{- ' ' + m.content + eos_token }}{%- endif %}{%- endfor %}"
)
# Newer: each call begins with the marker, and nothing but the name of a result's tool is repeated.
_TEKKEN = (
    SPLIT + "{{- bos_token }}{%- if tools %}"
    "{{- '[AVAILABLE_TOOLS]' + tools | tojson + '[/AVAILABLE_TOOLS]' }}{%- endif %}"
    "{%- for m in rest %}{%- if m.role == 'user' %}{{- '[INST]' + m.content + '[/INST]' }}"
    "{%- elif m.role == 'tool' %}{{- '[TOOL_RESULTS]' + m.name + '[TOOL_CONTENT]' + m.content + '[/TOOL_RESULTS]' }}"
    "{%- else %}{{- m.content }}{%- for x in m.tool_calls or [] %}"
    "{{- '[TOOL_CALLS]' + x.function.name + '[ARGS]' + x.function.arguments | tojson }}{%- endfor %}"
    "{{- eos_token }}{%- endif %}{%- endfor %}"
)

_CALLS = (*THINK, "</tool_response>", "<tool_call>", "</tool_call>")
_MARKS = ("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[ARGS]")
_mistral: dict[str, Any] = {"special": (*MISTRAL_SPECIAL, *_MARKS), "eos": "</s>", "bos": "<s>", "system": False}

TOOL_FAMILIES: dict[str, Family] = {
    "hermes": Family(_chatml(_JSON_CALL), QWEN_SPECIAL, "<|im_end|>", words=_CALLS),
    "qwen3": Family(_QWEN3, QWEN_SPECIAL, "<|im_end|>", words=_CALLS),
    "qwen3-off": Family(_QWEN3, QWEN_SPECIAL, "<|im_end|>", words=_CALLS, settings={"enable_thinking": False}),
    "qwen_coder": Family(_chatml(_XML_CALL), QWEN_SPECIAL, "<|im_end|>", words=_CALLS),
    "llama": Family(_LLAMA, LLAMA_SPECIAL, "<|eot_id|>", bos="<|begin_of_text|>"),
    "mistral": Family(_MISTRAL.replace("WHERE", "0"), **_mistral),
    "tekken": Family(_TEKKEN, **_mistral),
}
MOVING = Family(_MISTRAL.replace("WHERE", "-1"), **_mistral)
"""The tools stand before the last question, and move on with each: not append-only."""
