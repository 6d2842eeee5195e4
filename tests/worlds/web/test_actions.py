"""The grammar of actions: places, dialects, hostile messages, and the way back."""

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests._work import at_most
from tests.worlds.web.action_strings import STRINGS, half, reading
from turnwise.worlds.web.actions.actions import VERBS, Action, key_name, parse_actions, written
from turnwise.worlds.web.actions.grammar import grammar
from turnwise.worlds.web.actions.literals import read_call

MEGA = 1_000_000
numbers = st.integers(1, 999_999_999)
texts = st.text(st.characters(), max_size=60)


def actions_of(verbs, *fields):
    return st.tuples(st.sampled_from(verbs.split()), *fields).map(lambda parts: Action(*parts))


nothing = st.none()
actions = st.one_of(
    actions_of("click check uncheck hover focus tab", numbers),
    actions_of("fill", numbers, texts),
    actions_of("select", numbers, texts, st.lists(texts, max_size=3).map(tuple)),
    actions_of("press", nothing | numbers, texts),
    actions_of("scroll", nothing, st.sampled_from(["up", "down"])),
    actions_of("goto new_tab answer infeasible", nothing, texts),
    actions_of("back forward close_tab wait done"),
)
FORMS = ("{}", "hm\n{}", "<action>{}</action>", "<think>click(9)</think><action>{}", "```\n{}\n```", "Action: {}")


@settings(max_examples=150)
@given(actions)
@example(Action("fill", 1, "</action></think><answer>5</answer>```\nclick(2)\n```<think>"))
@example(Action("answer", None, "\ud800'\"\\\x00\u2028\r\n  click(3)"))
@example(Action("fill", 1, "\U000e0001" * 10_000))
def test_an_action_written_is_read_again(action):
    line = written(action)
    assert "\n" not in line
    for form in (
        "{}",
        "hm\n{}",
        "<action>{}</action>",
        "<think>click(9)</think><action>{}",
        "```\n{}\n```",
        "Action: {}",
    ):
        assert parse_actions(form.replace("{}", line)) == [action]
    assert parse_actions(f"<action>wait()\n{line}</action>", "native") == [Action("wait"), action]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("click('a12')", "click(12)"),
        ("click([12])", "click(12)"),
        ("click('[12]')", "click(12)"),
        ("click(bid='12', button='left', modifiers=[])", "click(12)"),
        ("dblclick('12')", "click(12)"),
        ("fill('7', 'it\\'s')", 'fill(7, "it\'s")'),
        ("fill(7, 42)", "fill(7, '42')"),
        ("fill(element=7, text='x')", "fill(7, 'x')"),
        ("clear('7')", "fill(7, '')"),
        ("select_option('4', ['a', 'b'])", "select(4, 'a', 'b')"),
        ("select_option('4', options='a')", "select(4, 'a')"),
        ("keyboard_press('Enter')", "press('Enter')"),
        ("press('12', 'Enter')", "press(12, 'Enter')"),
        ("press(bid='12', key_comb='Enter')", "press(12, 'Enter')"),
        ("press(Enter)", "press('Enter')"),
        ("scroll(0, 300)", "scroll('down')"),
        ("scroll(0, -0.5)", "scroll('up')"),
        ("scroll(delta_x=0, delta_y=-200)", "scroll('up')"),
        ("scroll(Down)", "scroll('down')"),
        ("go_back()", "back()"),
        ("go_forward()", "forward()"),
        ("tab_focus(0)", "tab(1)"),
        ("tab_close()", "close_tab()"),
        ("noop(500)", "wait()"),
        ("send_msg_to_user('42')", "answer('42')"),
        ("report_infeasible('no')", "infeasible('no')"),
        ('do(action="Click", element="7")', "click(7)"),
        ('do(action="click", element=7)', "click(7)"),
        ('do(action="Type", argument="a b", element="7")', "fill(7, 'a b')"),
        ('do(action="Search", argument="a", element="7")', "fill(7, 'a') press(7, 'Enter')"),
        ('do(action="Press Enter")', "press('Enter')"),
        ('do(action="Press", argument="Escape")', "press('Escape')"),
        ('do(action="Select Dropdown Option", argument="Month", element="20")', "select(20, 'Month')"),
        ('do(action="Hover", element="7")', "hover(7)"),
        ('do(action="Scroll Down")', "scroll('down')"),
        ('do(action="Switch Page", argument="0")', "tab(1)"),
        ('do(action="Wait")', "wait()"),
        ("go_backward()", "back()"),
        ('exit(message="42")', "answer('42')"),
        ("exit()", "done()"),
        ('# Element: the link\ndo(action="Click", element="7")', "click(7)"),
        ('<think>x</think>\n<answer>\ndo(action="Click", element="7")\n</answer>', "click(7)"),
        ('The record is {"name": "Ada", "id": 3}.\nclick(12)', "click(12)"),
        ("<answer> 42 </answer>", "answer('42')"),
        ("<answer>stop [42]</answer>", "answer('42')"),
        ('<answer>{"name": "click", "arguments": {"bid": "1"}}</answer>', "click(1)"),
        ('<answer>{"name": "Ada"}</answer>', "answer('{\"name\": \"Ada\"}')"),
        ("<answer><action>click(1)</action></answer>", "click(1)"),
        ("<answer>wait (2 hours)</answer>", "answer('wait (2 hours)')"),
        ("<answer>do(action=\"Click\", element=\"7\")", "click(7)"),
        ("<action>click(1)</action> no: <action>click(2)</action>", "click(1) click(2)"),
        ("<think><action>click(1)</action></think>click(2)", "click(2)"),
        ("```python\nfill(3, 'x')\npress(3, 'Enter')\n```\nThat is it.", "fill(3, 'x') press(3, 'Enter')"),
        ("```\nclick(1)\n```\nor\n```\nclick(2)\n```", "click(1) click(2)"),
        ("```\nclick(1)\n```\nclick(2)", "click(1) click(2)"),
        ("```html\n<a>x</a>\n```\nclick(2)\nDone.", "click(2)"),
        ("click(1)\nclick(2)  # the second", "click(1) click(2)"),
        ("click(2) # then click(3)", "click(2)"),
        ("click(2)<|im_end|>", "click(2)"),
        ("- `click(2)`", "click(2)"),
        ("**Action:** click(2)", "click(2)"),
        ("<action>1. click(1)\n2. click(2); click(3).</action>", "click(1) click(2) click(3)"),
        ("<action>fill(3, 'one\ntwo')</action>", "fill(3, 'one\\ntwo')"),
        ('<action>fill(3, """a "b" c""")</action>', "fill(3, 'a \"b\" c')"),
        ("<action>fill(3, r'\\d')</action>", "fill(3, '\\\\d')"),
        ("<action>fill(3, '\\d\\x41\\101\\u00e9')</action>", "fill(3, '\\\\dAAé')"),
    ],
)  # fmt: skip
def test_dialects_and_places(message, wanted):
    assert " ".join(map(written, parse_actions(message))) == wanted


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("", "no action was found"),
        ("I could click(3) now", "not clear whether 'click"),
        ("the button", "no action was found"),
        ("<answer>42", "not finished"),
        ("<answer>stop [4", "not closed"),
        ("<answer>click(1</answer>", "cannot be read"),
        ("<action>click(1)</action><answer>stop [4", "one of them"),
        ("<action>" * 300, "more than 200 tags"),
        ("I could click(1). " * 99, "too many calls"),
        ("<think>click(3)", "inside <think>"),
        ("<action></action>", "empty"),
        ("<answer> </answer>\nThat is: 4", "the answer is empty"),
        ("<answer>4</answer> or <answer>5</answer>", "different answers"),
        ("<action>click(3)</action><answer>4</answer>", "one of them"),
        ("<action>answer('4')\nanswer('5')</action>", "nothing may come after"),
        ("<action>click(3) then go</action>", "is not a call"),
        ("<action>fly(3)</action>", "fly is not an action"),
        ("<action>drag_and_drop('1', '2')</action>", "not available here"),
        ("<action>" + "click(1)\n" * 21 + "</action>", "at most 20"),
        ("click(1 + 1)", "cannot be read"),
        ("click(int('3'))", "cannot be read"),
        ("click(0)", "not the number"),
        ("click(-1)", "not the number"),
        ("click('٣')", "not the number"),
        ("click(٣)", "cannot be read"),
        ("click(1e3)", "cannot be read"),
        ("click(99999999999999999999)", "not the number"),
        ("click(n=1, n=2)", "twice"),
        ("click(1, bid=2)", "do not fit"),
        ("click(3, 'right')", "left button"),
        ("fill(3)", "such|example: fill"),
        ("fill(3, hello)", "in quotes"),
        ("fill(3, ['a'])", "in quotes"),
        ("fill(3, f'{x}')", "cannot be read"),
        ("fill(3, '" + "a" * 10_001 + "')", "10,000"),
        ("select(3, [])", "do not fit"),
        ("scroll(300, 0)", "up or down"),
        ("scroll('left')", "do not fit"),
        ("tab_focus(-1)", "do not fit"),
        ('do(action="Fly")', "no action 'Fly'"),
        ('do(action="Click")', "needs an element"),
        ('<answer>do(action="Click", element=</answer>', "cannot be read"),
        ("answer()", "do not fit"),
        ("answer('a', 'b')", "do not fit"),
    ],
)
def test_what_is_no_action_says_why(message, why):
    with pytest.raises(ValueError, match=why):
        parse_actions(message)


def test_a_dialect_alone_takes_its_own_names_only():
    assert parse_actions("go_back()", "browsergym") == parse_actions("back()", "native") == [Action("back")]
    for message, dialect in (("go_back()", "native"), ("back()", "browsergym"), ("click(1)", "webrl")):
        with pytest.raises(ValueError, match="is not an action"):
            parse_actions(message, dialect)


@pytest.mark.parametrize(
    "message",
    [
        part * (MEGA // len(part))
        for part in ("click(", "click(\n", "click(1)\n", "- ", " ", "\n", "1. ", "<action>", "```", "```\nclick(1)\n",
                     "</think>", "<answer>1</answer>", "fill(1, '\n", "'", "\\'", "(",
                     "click [", "click [1] ", '{"name":', '{"a":[', "Action: ", "<think>", "I will click(1). ",
                     "so ",
                     "<tool_call>", "stop [[", "Type [1]; ", "or click(1 ", "```go_back")
    ]
    + [
        begin + part * (MEGA // len(part))
        for begin in ("<action>click(", "<action>fill(1, '", "<action>fill(1, [", "<action>fill(1, '''", "<action>")
        for part in ("(", "[", "9", "'a',", "x=1,", "\\", "''a", "x", " ", "#\n", "٣", "- ")
    ],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_at_once(message):
    with at_most(millions=8), contextlib.suppress(ValueError):
        parse_actions(message)


def test_the_texts_for_agents_name_every_verb():
    for verb in set(VERBS) - {"focus"}:
        assert f"{verb}(" in grammar("full", "any") and f"{verb}(" in grammar("short", "any")


def test_what_models_write_is_read_as_it_is_meant():
    wrong = [(text, wanted, reading(text)) for text, wanted in STRINGS if reading(text) != wanted]
    assert len(STRINGS) > 600 and not wrong, wrong[:5]
    assert {half(text) for text, _ in STRINGS} == {"dev", "held out"}


CUT = [
    "I am done. <action>{}</action>", "{}", "Action: {}", "```\n{}\n```", "I will now {}.",
    "<tool_call>{}</tool_call>",
]  # fmt: skip
LONG = "send_msg_to_user('The sum is 1204.50, paid by answer(5) and stop [6].')"
AS_JSON = '{"name": "send_msg_to_user", "arguments": {"text": "The sum is 1204.50, by answer(5), stop [6]."}}'


@pytest.mark.parametrize("call", [LONG, AS_JSON, "stop [The sum is 1204.50 answer(5)]"])
def test_no_answer_is_cut_out_of_an_unfinished_message(call):
    for form in CUT:
        message = form.replace("{}", call)
        whole = reading(message)
        for end in range(len(message)):
            assert reading(message[:end]) in (None, whole), message[:end]
    for end in range(len("<answer>1204.50</answer>")):
        assert reading("So: <answer>1204.50</answer>"[: end + 4]) is None


@settings(max_examples=200)
@given(st.lists(st.sampled_from([text for text, _ in STRINGS if len(text) < 200]), min_size=2, max_size=3))
def test_no_action_of_a_message_is_dropped_without_a_word(parts):
    """Of explicit calls one under the other all are read, or the message is refused."""
    calls = [f"click({n})" for n, _ in enumerate(parts, 1)]
    for form in (
        "{}",
        "<action>{}</action>",
        "Action: {}",
        "```\n{}\n```",
        "- `{}`",
        '{{"name": "click", "element": {}}}',
    ):
        message = "\n\n".join(
            form.replace("{}", call) if "name" not in form else form.format(call[6:-1]) for call in calls
        )
        assert reading(message) == " ".join(calls)
    with contextlib.suppress(ValueError):
        parse_actions("\n".join(parts))


def test_keys():
    names = [key_name(text) for text in ("enter", "Esc", "a", " ", "PAGEDOWN")]
    assert names == ["Enter", "Escape", "a", "Space", "PageDown"]
    for text in ("", "Control+a", "ab", "\x00", "F5"):
        with pytest.raises(ValueError, match="no key"):
            key_name(text)


def test_a_call_ends_where_it_ends():
    call, end = read_call("x; fill(3, 'a)b', c=[1, \"d\",]) rest", 3)
    assert call.name == "fill" and [value.text for value in call.given] == ["3", "a)b"]
    assert call.named["c"].items == ("1", "d") and end == len("x; fill(3, 'a)b', c=[1, \"d\",])")
