"""Actions in the words of other frameworks, and what the first message says of each grammar."""

import json
from typing import Literal, TypeAlias

from turnwise.web.actions import GRAMMAR, GRAMMAR_SHORT, Action, Dialect, written

__all__ = ["Grammar", "browsergym_form", "grammar_text", "webrl_form"]

Grammar: TypeAlias = Literal["full", "short", "none"]

_BROWSERGYM = """\
click('n'), hover('n'), check('n'), uncheck('n'), clear('n')
fill('n', 'text'), select_option('n', 'option'), press('n', 'Enter'), keyboard_press('Enter')
scroll(0, 300), goto('url'), go_back(), go_forward(), new_tab(), tab_focus(0), tab_close(), noop()
send_msg_to_user('the answer'): give the answer, or say that the task is done, and end
report_infeasible('reason'): say that the task cannot be done, and end"""

_WEBRL = """\
do(action="Click", element="n"), do(action="Hover", element="n")
do(action="Type", argument="text", element="n"), do(action="Search", argument="text", element="n")
do(action="Select Dropdown Option", argument="option", element="n"), do(action="Press Enter")
do(action="Scroll Down"), do(action="Scroll Up"), do(action="Wait"), go_backward(), do(action="Go Forward")
exit(message="the answer"): give the answer, or say that the task is done, and end
exit(message="N/A"): say that the task cannot be done, and end"""


def grammar_text(grammar: Grammar, dialect: Dialect) -> str:
    """What the first message says of actions."""
    if dialect == "browsergym":
        return _BROWSERGYM
    if dialect == "webrl":
        return _WEBRL
    return GRAMMAR if grammar == "full" else GRAMMAR_SHORT


def browsergym_form(action: Action) -> str:
    """The action as BrowserGym writes it."""
    verb, element, text, more = action
    words = {
        "back": "go_back()", "forward": "go_forward()", "close_tab": "tab_close()", "wait": "noop()",
        "done": "send_msg_to_user('It is done.')", "scroll": f"scroll(0, {-300 if text == 'up' else 300})",
        "tab": f"tab_focus({(element or 1) - 1})", "answer": f"send_msg_to_user({text!r})",
        "infeasible": f"report_infeasible({text!r})",
    }  # fmt: skip
    if verb in words:
        return words[verb]
    if verb == "select":
        return f"select_option('{element}', {[text, *more]!r})" if more else f"select_option('{element}', {text!r})"
    values = [f"'{element}'"] if element is not None else []
    if verb == "press" and not values:
        return f"keyboard_press({text!r})"
    if verb in ("fill", "press", "goto") or text:
        values.append(repr(text))
    return f"{verb}({', '.join(values)})"


def webrl_form(action: Action) -> str:
    """The action as WebRL and WebAgent-R1 write it; our own form where they have none."""
    names = {"click": "Click", "hover": "Hover", "fill": "Type", "select": "Select Dropdown Option",
             "forward": "Go Forward", "wait": "Wait"}  # fmt: skip
    verb, element, text, more = action
    if verb in ("done", "answer", "infeasible"):
        message = {"done": "It is done.", "answer": text}.get(verb, "N/A")
        return f"exit(message={json.dumps(message)})"
    if verb == "back":
        return "go_backward()"
    if verb == "scroll":
        return f'do(action="Scroll {text.title()}")'
    if verb not in names or more:
        return written(action)
    argument = f", argument={json.dumps(text)}" if verb in ("fill", "select") else ""
    where = f', element="{element}"' if element is not None else ""
    return f'do(action="{names[verb]}"{argument}{where})'
