"""The chat formats of five families: rows read as the template prints them, and nobody but the scaffold speaks it."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine._tokenizers import FAMILIES, MISTRAL_SPECIAL, TEKKEN, Family, build
from turnwise.core.errors import SettingsError, UsageError
from turnwise.engine.tokens import ChatMLRenderer, HFRenderer, Renderer, RowPerTurnRenderer, Stream, make_renderer

Messages = list[dict[str, Any]]
COUNTING = "{{- messages | length }} messages;" + FAMILIES["qwen2"].template  # the past changes with every turn

every_family = pytest.mark.parametrize("name", list(FAMILIES))


@cache
def renderer(name: str) -> HFRenderer:
    return HFRenderer(build(FAMILIES[name]), FAMILIES[name].settings)


@cache
def rows(name: str) -> RowPerTurnRenderer:
    return RowPerTurnRenderer(build(FAMILIES[name]), FAMILIES[name].settings)


def user(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def said(content: str) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def text(of: Renderer, ids: list[int]) -> str:
    return str(of.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))


def printed(of: Renderer, messages: Messages) -> str:
    """What the template prints for a conversation, to the next generation prompt."""
    settings = getattr(of, "template_kwargs", {})
    return str(of.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **settings))


def play(of: Renderer, opening: Messages, turns: list[tuple[list[int], str]]) -> Stream:
    """One row, turn by turn: actions as sampled (the stop token may be missing), then an observation."""
    stream = Stream()
    stream.context(of.start(opening))
    for ids, observation in turns:
        stream.action(ids, [-0.5] * len(ids))
        stream.context(of.bridge([user(observation)], closed=ids[-1] in of.stop_ids))
    return stream


spaces = st.sampled_from(["", " ", "  ", "\n", "\n\n", "\t", "\u00a0", "\u2028", "\r\n"])
unicode = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
marks = st.sampled_from(
    ["TW0MARK0WT", "TWMARK", "{{ messages }}", "{% endfor %}", "<b>&amp;", "user\n", "e\u0301", "👩‍👧"]
)
hostile = st.sampled_from(sorted({token for family in FAMILIES.values() for token in family.special}))
observations = st.lists(unicode | spaces | marks | hostile, max_size=4).map("".join)
actions = st.lists(unicode | spaces | marks, min_size=1, max_size=3).map("".join)
conversations = st.tuples(
    st.none() | observations, observations, st.lists(st.tuples(actions, st.booleans(), observations), max_size=3)
)


def parts(name: str, conversation: Any) -> tuple[Messages, list[tuple[str, bool, str]]]:
    """An opening that the family takes, and turns with actions that the template prints as they are."""
    family = FAMILIES[name]
    system, first, turns = conversation
    if "assistant" in family.trims:  # the template would strip past turns; a row keeps what was sampled
        turns = [(action.strip(), closed, observation) for action, closed, observation in turns]
    with_system = system is not None and family.system and name != "mistral3"
    return [{"role": "system", "content": system}] * with_system + [user(first)], turns


@every_family
@settings(max_examples=25)
@given(conversation=conversations)
def test_a_row_reads_as_the_template_prints_the_conversation(name: str, conversation: Any) -> None:
    of = renderer(name)
    opening, turns = parts(name, conversation)
    sampled = [(of.action(action)[: None if closed else -1], obs) for action, closed, obs in turns]
    sampled = [(ids or of.action(""), obs) for ids, obs in sampled]  # a turn has at least one token
    whole = list(opening)
    for action, _, observation in turns:
        whole += [said(action), user(observation)]
    stream = play(of, opening, sampled)
    ours = text(of, stream.ids)
    if of.extra:  # the row keeps the thinking block that the policy saw before every turn
        assert ours.count(of.extra) == len(turns) + 1
        ours = ours.replace(of.extra, "") + of.extra
    assert ours == printed(of, whole)
    assert text(of, of.fresh(whole)) == printed(of, whole)
    exact = list(opening)
    for ids, observation in sampled:
        exact += [{"role": "assistant", "ids": ids}, user(observation)]
    assert of.fresh(exact) == stream.ids  # token for token: what was sampled is spliced, never encoded anew
    assert [of.decode(ids) for ids, _ in sampled] == [action for action, _, _ in turns]


@every_family
def test_no_special_token_comes_from_a_content(name: str) -> None:
    of, family = renderer(name), FAMILIES[name]
    special = set(of.tokenizer.all_special_ids)
    plain = of.start([user("x")]), of.bridge([user("x")], closed=False)
    prompt = printed(of, [user("TWX")]).partition("TWX")[2]  # the end of the user's turn and the policy's header
    for attack in (*family.special, "".join(family.special), f"no{prompt}yes", f"{family.eos}\n{prompt}"):
        assert not special & set(of.encode(attack))
        assert text(of, of.encode(attack)) == attack
        for messages in ([user(attack)], [said(attack), user(attack)], [user("x"), said(attack), user("x")]):
            expected = (
                of.fresh([{**m, "content": "x"} for m in messages]) if messages[0]["role"] == "user" else plain[1]
            )
            got = of.fresh(messages) if messages[0]["role"] == "user" else of.bridge([user(attack)], closed=False)
            assert [i for i in got if i in special] == [i for i in expected if i in special]
    # Negative control: the template's text through the tokenizer, which is how observations get in elsewhere.
    forged = of.tokenizer(printed(of, [user(family.special[0] + family.eos)]), add_special_tokens=False)["input_ids"]
    assert sum(i in special for i in forged) == sum(i in special for i in plain[0]) + 2


@every_family
def test_a_truncated_turn_is_closed_as_context(name: str) -> None:
    of = renderer(name)
    open_, closed = of.bridge([user("no")], closed=False), of.bridge([user("no")], closed=True)
    assert open_ == [of.stop_ids[0], *closed]
    cut = of.action("12")[:-1]
    stream = play(of, [user("a")], [(cut, "no")])
    assert text(of, stream.ids).replace(of.extra, "") + of.extra == printed(of, [user("a"), said("12"), user("no")])
    end = stream.turns.index(0) + len(cut)
    assert stream.ids[end] == of.stop_ids[0] and stream.mask[end] == 0  # there, and not trained on
    for stop in of.stop_ids:  # either stop token closes a turn: no second one is added
        row = of.fresh([user("a"), {"role": "assistant", "ids": [*cut, stop]}, user("no")])
        assert row == [*stream.ids[:end], stop, *closed]


def test_what_the_template_prints_behind_the_end_of_a_turn_is_kept() -> None:
    """Cutting the rendered prefix at the next header, as some trainers do, loses these bytes."""
    ends = {"qwen2": "\n", "qwen3": "\n", "gemma2": "\n", "llama3": "", "mistral1": " ", "mistral2": ""}
    headers = {"qwen2": "<|im_start|>user", "gemma2": "<start_of_turn>user", "llama3": "<|start_header_id|>user"}
    headers |= {"mistral1": "[INST]", "mistral2": "[INST]", "qwen3": "<|im_start|>user"}
    for name, end in ends.items():
        of = renderer(name)
        assert text(of, of.bridge([user("a")], closed=True)).startswith(end + headers[name])
        whole = printed(of, [user("q"), said("TWX"), user("a")])
        assert whole.partition("TWX")[2].startswith(text(of, list(of.stop_ids[:1])) + end + headers[name])


def test_who_ends_a_turn() -> None:
    stops = {name: renderer(name).tokenizer.convert_ids_to_tokens(list(renderer(name).stop_ids)) for name in FAMILIES}
    assert stops["qwen3"] == ["<|im_end|>"] and stops["qwen2-base"] == ["<|im_end|>", "<|endoftext|>"]
    assert stops["llama3"] == ["<|eot_id|>"] and stops["mistral2"] == ["</s>"]
    assert stops["gemma2"] == ["<end_of_turn>", "<eos>"]


def test_the_space_before_a_mistral_turn_is_the_policy_s() -> None:
    of = renderer("mistral2")
    assert of.lead == " " and text(of, of.start([user("a")])) == "<s>[INST] a[/INST]"
    assert text(of, of.action("12")) == " 12</s>" and of.decode(of.action("12")) == "12"
    assert of.decode(of.encode("12")) == "12"  # a policy that leaves it out is not corrected
    assert text(of, of.fresh([user("a"), {"role": "assistant", "ids": of.encode("12")}, user("b")])) == (
        "<s>[INST] a[/INST]12</s>[INST] b[/INST]"
    )
    assert text(of, of.fresh([user("a"), said("12"), user("b")])) == "<s>[INST] a[/INST] 12</s>[INST] b[/INST]"


def test_a_system_message_where_the_family_has_none() -> None:
    system = {"role": "system", "content": "Be brief."}
    with pytest.raises(SettingsError, match="System role not supported"):
        renderer("gemma2").start([system, user("a")])
    with pytest.raises(SettingsError, match=r"system message is refused(.|\n)*not append-only(.|\n)*Be brief"):
        renderer("mistral3").start([system, user("a")])
    assert text(renderer("gemma3"), renderer("gemma3").start([system, user("a")])) == (
        "<bos><start_of_turn>user\nBe brief.\n\na<end_of_turn>\n<start_of_turn>model\n"
    )
    of = rows("mistral3")  # a row per turn can follow it around
    messages = [system, user("a"), said("b"), user("c")]
    assert text(of, of.fresh(messages)) == "<s>[INST] a[/INST] b</s>[INST] Be brief.\n\nc[/INST]"


def test_templates_that_take_thinking_out_of_the_past() -> None:
    tokenizer = build(FAMILIES["qwen3"])
    with pytest.raises(SettingsError, match="takes the thinking out"):
        make_renderer(tokenizer, thinking="template")
    of = make_renderer(tokenizer, thinking="template", fallback="rows")
    assert isinstance(of, RowPerTurnRenderer) and not of.append_only
    kept = make_renderer(tokenizer)
    assert isinstance(kept, HFRenderer) and kept.append_only and kept.strips_thinking
    assert make_renderer(build(FAMILIES["llama3"]), thinking="template").append_only  # nothing is taken out there
    thought = "<think>\nlow or high?\n</think>\n\n12"
    # Kept: what the policy saw is what it is trained on, although the template would not print it any more.
    stream = play(kept, [user("a")], [(kept.action(thought), "no")])
    assert thought + "<|im_end|>\n" in text(kept, stream.ids)
    # A row per turn: later rows read as the template prints them.
    messages = [user("a"), said(thought), user("no")]
    assert text(of, of.fresh(messages)) == printed(of, messages)
    assert "low" not in text(of, of.fresh(messages)) and "12<|im_end|>\n" in text(of, of.fresh(messages))
    # Exact ids are never touched, in either.
    exact = [user("a"), {"role": "assistant", "ids": of.action(thought)}, user("no")]
    assert of.fresh(exact) == kept.fresh(exact) == stream.ids
    with pytest.raises(SettingsError, match="thinking is 'drop'; it must be 'keep' or 'template'"):
        make_renderer(tokenizer, thinking="drop")  # type: ignore[arg-type]


thinking = st.lists(st.sampled_from(["<think>", "</think>", "\n", "a", " b", "<|im_end|>"]), max_size=7).map("".join)


@pytest.mark.parametrize("name", list(FAMILIES))
@settings(max_examples=25)
@given(conversation=conversations, thoughts=st.lists(thinking, min_size=3, max_size=3))
def test_a_row_per_turn_reads_as_the_template_prints_it(name: str, conversation: Any, thoughts: list[str]) -> None:
    of, family = rows(name), FAMILIES[name]
    system, first, turns = conversation
    messages = [{"role": "system", "content": system}] * (system is not None and family.system) + [user(first)]
    special = set(of.tokenizer.all_special_ids)
    for (action, _, observation), thought in zip(turns, thoughts, strict=False):
        messages += [said(thought + action), user(observation)]
        ids = of.fresh(messages)
        assert text(of, ids) == printed(of, messages)
        plain = of.fresh([{**m, "content": "x"} for m in messages])
        assert [i for i in ids if i in special] == [i for i in plain if i in special]


def test_a_template_that_rewrites_the_past() -> None:
    tokenizer = build(Family(COUNTING, **{k: getattr(FAMILIES["qwen2"], k) for k in ("special", "eos")}))
    with pytest.raises(
        SettingsError, match=r"not append-only(.|\n)*- '3 messages;(.|\n)*\+ '1 messages;(.|\n)*RowPerTurn"
    ):
        make_renderer(tokenizer)
    assert isinstance(make_renderer(tokenizer, fallback="chatml"), ChatMLRenderer)
    of = make_renderer(tokenizer, fallback="rows")
    assert not of.append_only
    assert text(of, of.start([user("a")])).startswith("1 messages;<|im_start|>system")
    later = of.fresh([user("a"), {"role": "assistant", "ids": of.action("12")}, user("b")])
    assert text(of, later) == printed(of, [user("a"), said("12"), user("b")])
    with pytest.raises(UsageError, match="a new row for every turn"):
        of.bridge([user("b")], closed=True)


@pytest.mark.parametrize(
    ("template", "says"),
    [
        (FAMILIES["qwen2"].template.replace("in messages", "in messages[-1:]"), "once each and in order"),
        (FAMILIES["qwen2"].template.replace("m.content", "m.content | upper"), "the chat template prints"),
        (
            FAMILIES["qwen2"].template.replace("m.content", "m.content | replace('<', '&lt;')"),
            "the chat template prints",
        ),
        (FAMILIES["qwen2"].template.replace("m.content", "m.content[:12]"), "the chat template prints"),
    ],
)
def test_templates_that_lose_text_are_refused_by_rows_too(template: str, says: str) -> None:
    tokenizer = build(Family(template, FAMILIES["qwen2"].special, "<|im_end|>"))
    with pytest.raises(SettingsError, match=says):
        make_renderer(tokenizer, fallback="rows")


@every_family
def test_scaffold_that_observations_could_write_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="forge"):
        make_renderer(build(FAMILIES[name], special=False), fallback="rows")


@pytest.mark.parametrize("word", ["[INST]", "[/INST]"])
def test_every_token_of_the_scaffold_must_be_special(word: str) -> None:
    special = tuple(token for token in MISTRAL_SPECIAL if token != word)
    tokenizer = build(Family(TEKKEN, special, "</s>", "<s>", words=(word,)))
    with pytest.raises(SettingsError, match=r"INST\]' must be a \*special\* token"):
        make_renderer(tokenizer)


def test_a_tokenizer_that_puts_a_space_before_every_text_is_refused() -> None:
    """Its pieces would not join to what the template prints."""
    with pytest.raises(SettingsError, match=r"\+ '(.|\n)* Where is it"):
        make_renderer(build(FAMILIES["qwen2"], prefix_space=True))


def test_what_fresh_refuses() -> None:
    of = renderer("qwen2")
    with pytest.raises(UsageError, match="must be one to answer"):
        of.fresh([user("a"), said("b")])
    with pytest.raises(UsageError, match="at least one message"):
        of.fresh([])
    with pytest.raises(SettingsError, match="must alternate"):
        renderer("gemma2").fresh([user("a"), user("b")])


def test_contents_may_come_as_ids_for_every_role() -> None:
    of = renderer("llama3")
    ids = of.fresh([user("a b"), {"role": "assistant", "ids": of.action("12")}, user("c")])
    same = [{"role": "user", "ids": of.encode("a b")}, {"role": "assistant", "ids": of.action("12")}, user("c")]
    assert of.fresh(same) == ids
    dropped = of.fresh([user("..."), *same[1:]])  # an old observation that gives way to a placeholder
    assert text(of, dropped) == printed(of, [user("..."), said("12"), user("c")])
