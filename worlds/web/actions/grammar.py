"""The actions that an agent can write, as prompts describe them, in each dialect."""

from typing import Literal, TypeAlias

__all__ = ["Dialect", "Grammar", "grammar"]

Dialect: TypeAlias = Literal["any", "native", "browsergym", "webrl"]
Grammar: TypeAlias = Literal["full", "short", "none"]

_NATIVE = """\
click(n): click on element [n]
fill(n, 'text'): replace the text of field [n]
select(n, 'option'): choose an option of list [n]; select(n, 'one', 'two') if it allows several
check(n), uncheck(n): set or clear check box [n]; check(n) also chooses radio button [n]
press('Enter'), press(n, 'Enter'): press a key in the focused element or in [n]
hover(n): move the pointer over [n]
scroll('down'), scroll('up'): show what is further down or up
goto('url'): open an address
back(), forward(): go through the history of the tab
new_tab(), new_tab('url'), tab(k), close_tab(): open a tab, switch to tab k (the first is 1), close the current tab
wait(): do nothing
answer('text'): give the answer and end the task
infeasible('reason'): say that the task cannot be done and end it
done(): end the task once it is done, if it asks for no answer"""

_NATIVE_SHORT = (
    "click(n) fill(n, 'text') select(n, 'option') check(n) uncheck(n) press('key') press(n, 'key') hover(n) "
    "scroll('down'|'up') goto('url') back() forward() new_tab() tab(k) close_tab() wait() answer('text') "
    "infeasible('reason') done()"
)

_BROWSERGYM = """\
click('n'), hover('n'), check('n'), uncheck('n'), clear('n')
fill('n', 'text'), select_option('n', 'option'), press('n', 'Enter'), keyboard_press('Enter')
scroll(0, 300), goto('url'), go_back(), go_forward(), new_tab(), tab_focus(0), tab_close(), noop()
send_msg_to_user('the answer'): give the answer, or say that the task is done, and end the task
report_infeasible('reason'): say that the task cannot be done and end it"""

_BROWSERGYM_SHORT = (
    "click('n') hover('n') check('n') uncheck('n') clear('n') fill('n', 'text') select_option('n', 'option') "
    "press('n', 'key') keyboard_press('key') scroll(0, 300) goto('url') go_back() go_forward() new_tab() tab_focus(0) "
    "tab_close() noop() send_msg_to_user('text') report_infeasible('reason')"
)

_WEBRL = """\
do(action="Click", element="n"), do(action="Hover", element="n")
do(action="Type", argument="text", element="n"), do(action="Search", argument="text", element="n")
do(action="Select Dropdown Option", argument="option", element="n"), do(action="Press Enter")
do(action="Scroll Down"), do(action="Scroll Up"), do(action="Wait"), go_backward(), do(action="Go Forward")
do(action="Goto", argument="url"), do(action="New Tab"), do(action="Switch Tab", argument="0"), do(action="Close Tab")
exit(message="the answer"): give the answer, or say that the task is done, and end the task
exit(message="N/A"): say that the task cannot be done and end it"""

_WEBRL_SHORT = (
    'do(action="Click", element="n") do(action="Type", argument="text", element="n") and so with Hover, Search, Select '
    "Dropdown Option, Press Enter, Scroll Down, Scroll Up, Wait, Goto, New Tab, Switch Tab, Close Tab; go_backward() "
    'go_forward() exit(message="text")'
)


def grammar(how: Grammar, dialect: Dialect) -> str:
    """Return the grammar in a dialect: in full, in short, or nothing."""
    full, short = {"browsergym": (_BROWSERGYM, _BROWSERGYM_SHORT), "webrl": (_WEBRL, _WEBRL_SHORT)}.get(
        dialect, (_NATIVE, _NATIVE_SHORT)
    )
    return {"full": full, "short": short, "none": ""}[how]
