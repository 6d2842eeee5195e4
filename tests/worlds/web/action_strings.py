"""What models write, and what it means: calls of BrowserGym, WebArena, WebVoyager and WebRL in the ways they come.

Each string has the actions that it must be read as, in our own form and one after the other, or None where it must be
refused. A digest of the string says whether it is of the half that the reader was made with ("dev") or of the other.

    python tests/worlds/web/action_strings.py        # the share that is read as it must be

Sources for names and forms: the action set of ServiceNow/BrowserGym, the prompts of WebArena (arXiv 2307.13854) and
WebVoyager (arXiv 2401.13919), the function calls of OpenAI, Anthropic, Hermes and LangChain's ReAct.
"""

import hashlib
import json

from turnwise.worlds.web.actions.actions import parse_actions, written

CALLS = [
    ("click('12')", "click(12)"),
    ('click("a51")', "click(51)"),
    ("click(12)", "click(12)"),
    ('click(bid="b22", button="left")', "click(22)"),
    ("click('48', 'left', [])", "click(48)"),
    ("click([7])", "click(7)"),
    ("dblclick('12')", "click(12)"),
    ("fill('237', 'some value')", "fill(237, 'some value')"),
    ('fill("45", "one line\\nanother")', "fill(45, 'one line\\nanother')"),
    ('fill(\'a12\', "with \\"quotes\\" in it")', "fill(12, 'with \"quotes\" in it')"),
    ("fill(bid='9', value='it\\'s red')", 'fill(9, "it\'s red")'),
    ("fill(9, value='a (b) [c], d')", "fill(9, 'a (b) [c], d')"),
    ('fill("3", "click(4)")', "fill(3, 'click(4)')"),
    ("clear('996')", "fill(996, '')"),
    ("check('55')", "check(55)"),
    ("uncheck('a5289')", "uncheck(5289)"),
    ("select_option('a48', 'blue')", "select(48, 'blue')"),
    ("select_option('c48', ['red', 'green', 'blue'])", "select(48, 'red', 'green', 'blue')"),
    ("select_option(bid='48', options=['red'])", "select(48, 'red')"),
    ("hover('b8')", "hover(8)"),
    ("focus('b455')", "focus(455)"),
    ("press('88', 'Backspace')", "press(88, 'Backspace')"),
    ("press(bid='26', key_comb='Control+a')", "press(26, 'Control+a')"),
    ("keyboard_press('Enter')", "press('Enter')"),
    ("scroll(0, 200)", "scroll('down')"),
    ("scroll(-50.2, -100.5)", "scroll('up')"),
    ("scroll(delta_x=0, delta_y=300)", "scroll('down')"),
    ("goto('http://shop.test/cart')", "goto('http://shop.test/cart')"),
    ("go_back()", "back()"),
    ("go_forward()", "forward()"),
    ("new_tab()", "new_tab()"),
    ("tab_focus(2)", "tab(3)"),
    ("tab_focus(index=0)", "tab(1)"),
    ("tab_close()", "close_tab()"),
    ("noop()", "wait()"),
    ("noop(wait_ms=500)", "wait()"),
    ("send_msg_to_user('Built in 1751.')", "answer('Built in 1751.')"),
    ('send_msg_to_user(text="$1,204.50 (net)")', "answer('$1,204.50 (net)')"),
    ("report_infeasible('There is no such field.')", "infeasible('There is no such field.')"),
    ('do(action="Type", argument="red", element="5")', "fill(5, 'red')"),
    ('exit(message="42")', "answer('42')"),
]  # fmt: skip
SINGLE = {  # what may stand around one of them
    "alone": "{}",
    "action": "I am done reading.\n<action>{}</action>",
    "action on lines": "<think>Not click(99).</think>\n<action>\n{}\n</action>",
    "action unclosed": "Let me see. <action>{}",
    "label": "Next action: {}",
    "bold label": "**Thought:** The form is open.\n**Action:** {}",
    "react": "Thought: I see the page.\nAction: `{}`",
    "fence": "I do this now:\n```\n{}\n```",
    "fence with a language": "```python\n{}\n```\nThat should work.",
    "inline fence": "In summary, the next action I will perform is ```{}```",
    "numbered": "1. {}",
    "list": "- `{}`",
    "comment": "{}  # as asked",
    "sentence": "The page is ready, so I will now use {}.",
    "first person": "I'll execute `{}`",
    "considered": "I could click(98) or click(97), so: {}",
    "stop": "Step 3\n\n{};",
}
_PER_CALL = 9  # of the wrappings, taken in turn


def _wrapped() -> list[tuple[str, str | None]]:
    forms = list(SINGLE.values())
    return [(forms[(7 * n + k) % len(forms)].replace("{}", call), reading)
            for n, (call, reading) in enumerate(CALLS) for k in range(_PER_CALL)]  # fmt: skip


def _tool(name: str, arguments: object) -> list[str]:
    """The forms in which models write a function call."""
    text = json.dumps(arguments)
    return [
        json.dumps({"name": name, "arguments": arguments}),
        json.dumps({"name": name, "arguments": text}),
        f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>",
        f"<tool_call>{json.dumps({'name': name, 'parameters': arguments})}",
        json.dumps({"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}),
        json.dumps({"type": "tool_use", "id": "t1", "name": name, "input": arguments}),
        json.dumps({"tool_calls": [{"function": {"name": name, "arguments": text}}]}, indent=1),
        f"```json\n{json.dumps({'thought': 'It is there.', 'action': name, 'action_input': arguments}, indent=2)}\n```",
        f"Thought: fine\nAction: {name}\nAction Input: {text}",
        "I call the tool: " + json.dumps({"action": {"name": name, "args": arguments}}),
        json.dumps({name: arguments}),
    ]


TOOLS = [
    *((text, "click(12)") for text in _tool("click", {"bid": "12"})),
    *((text, "click(7)") for text in _tool("click", {"element_id": 7})),
    *((text, "fill(5, 'red \"shoes\"')") for text in _tool("fill", {"bid": "a5", "value": 'red "shoes"'})),
    *((text, "select(4, 'a', 'b')") for text in _tool("select_option", {"bid": "4", "options": ["a", "b"]})),
    *((text, "answer('42')") for text in _tool("send_msg_to_user", {"text": "42"})),
    *((text, "back()") for text in _tool("go_back", {})),
    ('{"action": "click", "element": 12}', "click(12)"),
    ('{"reasoning": "there", "action": "fill", "element": "3", "text": "x"}', "fill(3, 'x')"),
    ('{"action": "click(12)"}', "click(12)"),
    ('{"action_type": "scroll", "direction": "down"}', "scroll('down')"),
    ('[{"name": "click", "arguments": {"index": 12}}]', "click(12)"),
]
ARENA = [
    ("click [12]", "click(12)"), ("Click [12]", "click(12)"), ("hover [8]", "hover(8)"),
    ("type [5] [red shoes] [1]", "fill(5, 'red shoes') press(5, 'Enter')"),
    ("type [5] [red shoes] [0]", "fill(5, 'red shoes')"),
    ("type [5] [red shoes]", "fill(5, 'red shoes') press(5, 'Enter')"),
    ("type [5] [shoes [size 40]] [0]", "fill(5, 'shoes [size 40]')"),
    ("press [Enter]", "press('Enter')"), ("scroll [down]", "scroll('down')"), ("scroll [up]", "scroll('up')"),
    ("goto [http://shop.test/cart]", "goto('http://shop.test/cart')"), ("tab_focus [1]", "tab(2)"),
    ("go_back", "back()"), ("go_forward", "forward()"), ("new_tab", "new_tab()"), ("close_tab", "close_tab()"),
    ("stop [42]", "answer('42')"), ("stop [N/A]", "answer('N/A')"), ("stop []", "done()"),
    ("stop [Ada Lund, 3 Mill Street]", "answer('Ada Lund, 3 Mill Street')"),
]  # fmt: skip
ARENA_WAYS = (
    "{}", "```{}```", "In summary, the next action I will perform is ```{}```", "Let's think step by step. The page "
    "shows the list.\nIn summary, the next action I will perform is ```\n{}\n```", "<action>{}</action>", "Action: {}",
)  # fmt: skip
VOYAGER = [
    ("Click [12]", "click(12)"), ("Type [5]; red shoes", "fill(5, 'red shoes') press(5, 'Enter')"),
    ("Type [5]; [red shoes]", "fill(5, 'red shoes') press(5, 'Enter')"), ("Scroll [WINDOW]; down", "scroll('down')"),
    ("Scroll [WINDOW]; [up]", "scroll('up')"), ("Wait", "wait()"), ("GoBack", "back()"),
    ("ANSWER; 42", "answer('42')"), ("ANSWER; [42 EUR]", "answer('42 EUR')"),
]  # fmt: skip
VOYAGER_WAYS = ("Thought: I have to go on.\nAction: {}", "Action: {}", "Thought: so be it.\n\nAction: {}\n")
SEVERAL = [  # in order; how many may be done at once is the environment's
    ("click(1)\nclick(2)", "click(1) click(2)"),
    ("<action>click(1)</action>\n<action>click(2)</action>", "click(1) click(2)"),
    ("<action>click(1)\nclick(2)</action>", "click(1) click(2)"),
    ("```\nclick(1)\n```\nand\n```\nclick(2)\n```", "click(1) click(2)"),
    ("I will click('1') and then press('Enter').", "click(1) press('Enter')"),
    ("<action>click(1)</action>\nAction: click(2)", "click(1) click(2)"),
    ('[{"name": "click", "arguments": {"bid": "1"}}, {"name": "click", "arguments": {"bid": "2"}}]',
     "click(1) click(2)"),
    ("<action>press('Tab')\npress('Tab')</action>", "press('Tab') press('Tab')"),
    ("I will click(3).\n<action>click(3)</action>", "click(3)"),
    ("Action: click(3)\n\nSo that is it:\n```\nclick(3)\n```", "click(3)"),
    ("I will click(3).\nAction: click(4)", "click(4)"),
]  # fmt: skip
REFUSED = [
    "I could click(12) or click(13).", "I could click(12).", "Should I click(12)?", "Do not click(12).",
    "I will not click(12).", "If the page has loaded, click(12).", "click(12) or click(13)", "click(12) is wrong",
    "Options: click(12), click(13)", "I would rather not use fill(3, 'x').", "The last action click(12) failed.",
    "I already tried click(12).", "Maybe click(12) works.", "Either click(12), or go_back().",
    "When I am done I will call send_msg_to_user('42') and stop.",
    "I think I will answer('42') after a check of page 2.", "<think>click(3)</think>",
    "<think>I go for click(3)", "<think>a</think><think>click(3)",
    "<thinking>stop [42]</thinking> Hm.", "<action>click(12", "<action>click('12", "<action>fill(3, 'red sh",
    "<action>answer('4", "<action>send_msg_to_user(\"The total is 4", "<answer>4", "<answer>The total is",
    "<answer>42</answer> or <answer>43</answer>", "<action>click(3)</action><answer>4</answer>", "stop [4",
    "type [5] [red", "Action: stop [The total is", '<tool_call>{"name": "click", "arguments": {"bid": "1',
    '{"name": "send_msg_to_user", "arguments": {"text": "4', "fill('3', 'a\nclick(4)", "send_msg_to_user('42",
    "I will fill(3, 'a\nclick(4)", '{"name": "fill", "arguments": {"bid": "3", "value": "a\nclick(4)',
    "click(three)", "click()", "click(12, 'right')", "fill('3')", "press()", "goto()", "drag_and_drop('56', '498')",
    "mouse_click(887.2, 68)", "upload_file('572', 'a.pdf')", "keyboard_type('Hello')", "mouse_move(65.2, 158.5)",
    "<action>fly(3)</action>", '{"name": "fly", "arguments": {}}', '{"city": "Ravenna"}', "<action></action>", "",
    "Hm.",
    "<answer></answer>", "<action>click(int('3'))</action>", "Action: Google", "page.click('#buy')",
    'Action: click\nAction Input: {"bid": "1', "<answer>click(12</answer>", "scroll(300, 0)",
]  # fmt: skip

STRINGS: list[tuple[str, str | None]] = [
    *_wrapped(),
    *TOOLS,
    *((way.replace("{}", call), reading) for call, reading in ARENA for way in ARENA_WAYS),
    *((way.replace("{}", call), reading) for call, reading in VOYAGER for way in VOYAGER_WAYS),
    *SEVERAL,
    *((text, None) for text in REFUSED),
]


def half(text: str) -> str:
    """Which half a string is of."""
    return "dev" if hashlib.sha256(text.encode()).digest()[0] % 2 else "held out"


def reading(text: str) -> str | None:
    """What the string is read as; None where it is refused."""
    try:
        return " ".join(map(written, parse_actions(text)))
    except ValueError:
        return None


def main() -> None:
    """Print the share of each half."""
    for part in ("dev", "held out"):
        strings = [(text, wanted) for text, wanted in STRINGS if half(text) == part]
        meant = [reading(text) == wanted for text, wanted in strings if wanted is not None]
        refused = [reading(text) is None for text, wanted in strings if wanted is None]
        print(f"{part}: read {sum(meant)} of {len(meant)}; refused {sum(refused)} of {len(refused)}")  # noqa: T201


if __name__ == "__main__":
    main()
