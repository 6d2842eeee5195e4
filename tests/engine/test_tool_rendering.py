"""Tools by a chat template: what is printed is what the template prints, what is read is what a model wrote."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine._tokenizers import FAMILIES, build
from tests.engine._tool_templates import MOVING, TOOL_FAMILIES
from turnwise.core.errors import SettingsError
from turnwise.core.tools import Tool, call_text, text_tool
from turnwise.engine.tokens import make_renderer
from turnwise.engine.tool_renderer import ToolRenderer, with_tools
from turnwise.engine.toolforms import FORMS

TOOLS = (
    text_tool("look", "Look a word up.", lambda word: word, word="The word."),
    Tool(
        "add",
        "Add to the list.",
        {"type": "object", "properties": {"n": {"type": "integer"}, "note": {"type": "string"}}, "required": ["n"]},
        lambda n, note="": f"{n}{note}",
    ),
)
KNOWN = {tool.name: tool for tool in TOOLS}
FORM = {"qwen3": "hermes", "qwen3-off": "hermes", "tekken": "mistral"}


def renderer_of(name: str) -> ToolRenderer:
    family = TOOL_FAMILIES[name]
    found = with_tools(make_renderer(build(family), template_kwargs=family.settings))
    assert isinstance(found, ToolRenderer)
    bound = found.for_tools(TOOLS)
    assert isinstance(bound, ToolRenderer)
    return bound


@pytest.mark.parametrize("name", TOOL_FAMILIES)
def test_a_conversation_is_what_the_template_prints_of_it(name: str) -> None:
    renderer = renderer_of(name)
    assert renderer.form.name == FORM.get(name, name)
    said = 'x < 2 & "y"\n\u00e4'
    action = renderer.action(call_text("look", {"word": said}))
    assert action[-1] in renderer.stop_ids
    assert [tuple(call)[1:] for call in renderer.spoken(action).calls] == [("look", {"word": said})]
    assert renderer.said(action) == call_text("look", {"word": said})
    ids = [*renderer.start([{"role": "user", "content": "Go."}]), *action]
    answer = {"role": "user", "content": "<tool_response>found it</tool_response>"}
    ids += renderer.bridge([answer], closed=True, after=action)
    call = renderer.spoken(action).calls[0]
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "", "tool_calls": [call.entry()]},
        {"role": "tool", "name": "look", "tool_call_id": call.id, "content": "found it"},
    ]
    whole = renderer.tokenizer.apply_chat_template(
        messages,
        tools=[tool.schema() for tool in TOOLS],
        tokenize=False,
        add_generation_prompt=True,
        **TOOL_FAMILIES[name].settings,
    )
    ours = renderer.tokenizer.decode(ids)
    if renderer.extra:  # the row keeps the empty thought that the policy saw before its turn
        assert ours.replace(renderer.extra, "") == whole.replace(renderer.extra, "")
    else:
        assert ours == whole


@pytest.mark.parametrize("name", TOOL_FAMILIES)
def test_a_result_cannot_forge_what_stands_around_it(name: str) -> None:
    renderer = renderer_of(name)
    action = renderer.action(call_text("look", {"word": "a"}))
    special = set(renderer.tokenizer.all_special_ids)
    quiet = renderer.bridge([{"role": "user", "content": "fine"}], closed=True, after=action)
    hostile = "".join(renderer.tokenizer.all_special_tokens)
    forged = renderer.bridge([{"role": "user", "content": hostile}], closed=True, after=action)
    assert [i for i in forged if i in special] == [i for i in quiet if i in special]


@pytest.mark.parametrize("name", ["hermes", "qwen3", "qwen_coder", "mistral", "tekken"])
def test_calls_in_parallel_have_a_result_each(name: str) -> None:
    renderer = renderer_of(name)
    text = call_text("look", {"word": "a"}) + "\n" + call_text("add", {"n": 3, "note": "b"})
    action = renderer.action(text)
    assert [call[1:] for call in renderer.spoken(action).calls] == [
        ("look", {"word": "a"}),
        ("add", {"n": 3, "note": "b"}),
    ]
    answers = "<tool_response>ONE</tool_response>\n<tool_error>TWO</tool_error>"
    between = renderer.tokenizer.decode(
        renderer.bridge([{"role": "user", "content": answers}], closed=True, after=action)
    )
    assert between.index("ONE") < between.index("TWO") and "<tool_response>ONE</tool_response>" not in between


CALL = {"name": "look", "arguments": {"word": "a"}}
WRITTEN = [
    ("hermes", f"I look.<tool_call>{json.dumps(CALL)}</tool_call>", "I look."),
    (
        "hermes",
        f"<think><tool_call>{{}}</tool_call></think><tool_call>{json.dumps(CALL)}",
        "<think><tool_call>{}</tool_call></think>",
    ),
    ("qwen_coder", "<tool_call>\n<function=look>\n<parameter=word>\na\n</parameter>\n</function>\n</tool_call>", ""),
    ("llama", '{"name": "look", "parameters": {"word": "a"}}', ""),
    ("llama", '<|python_tag|>{"name": "look", "arguments": {"word": "a"}}', ""),
    ("mistral", f"[TOOL_CALLS] [{json.dumps(CALL)}]", ""),
    ("mistral", '[TOOL_CALLS]look[ARGS]{"word": "a"}', ""),
    ("mistral", '[TOOL_CALLS]look[CALL_ID]abcdefghi[ARGS]{"word": "a"}', ""),
]


@pytest.mark.parametrize(("form", "text", "words"), WRITTEN)
def test_what_families_write_is_read(form: str, text: str, words: str) -> None:
    spoken = FORMS[form].read(text, KNOWN)
    assert spoken.content == words and [call[1:] for call in spoken.calls] == [("look", {"word": "a"})]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("hermes", '<tool_call>{"name": "look", "arg</tool_call>'),
        ("hermes", "<tool_call>[1, 2]</tool_call>"),
        ("qwen_coder", "<tool_call><function=look><parameter=word>a</function></tool_call>"),
        ("llama", '<|python_tag|>{"name": "look", "parameters": '),
        ("mistral", '[TOOL_CALLS] [{"name": "look", '),
        ("mistral", "[TOOL_CALLS]look[ARGS]{oh}"),
    ],
)
def test_a_call_that_cannot_be_read_is_left_for_the_environment_to_refuse(form: str, text: str) -> None:
    spoken = FORMS[form].read(text, KNOWN)
    assert not spoken.calls and spoken.content.startswith("<tool_call>")


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(alphabet='<>[]{}":,;/abTOL_CSARGtool_callfunction=parameter\n ', max_size=80))
def test_no_text_is_too_strange(form: str, text: str) -> None:
    for start in ("", *FORMS[form].marks):
        FORMS[form].read(start + text, KNOWN)


def test_settings_that_a_template_cannot_follow() -> None:
    plain, moving = make_renderer(build(FAMILIES["qwen2.5"])), make_renderer(build(MOVING))
    hermes = make_renderer(build(TOOL_FAMILIES["hermes"]))
    assert with_tools(plain) is plain and with_tools(hermes, "text") is hermes
    for renderer, tools, why in (
        (plain, "hermes", "no calls of tools"),
        (hermes, "llama", "as 'hermes'"),
        (hermes, "xml", "must be one of"),
        (moving, "auto", "append-only"),
    ):
        bad: Any = tools
        with pytest.raises(SettingsError, match=why):
            with_tools(renderer, bad)
