"""The grammar of what an agent does to a browser: from the text of a message to actions, and back.

`turnwise.worlds.web.actions.message` finds a message's actions; this module knows what each of them means.

A call is a name and literals: texts in quotes, numbers, a list of texts. Nothing is evaluated, a text has at most
10,000 characters, and every message is read in time linear in its length.

Beside our own names, two dialects are understood:

- BrowserGym's: ``click('12')``, ``fill``, ``clear``, ``select_option``, ``check``, ``uncheck``, ``hover``, ``focus``,
  ``press('12', 'Enter')``, ``keyboard_press``, ``dblclick`` (as one click), ``scroll(0, 300)`` (its sign alone counts),
  ``goto``, ``go_back``, ``go_forward``, ``new_tab``, ``tab_focus`` (tabs count from 0), ``tab_close``, ``noop``,
  ``send_msg_to_user``, ``report_infeasible``. The letters before an id's number are ignored: ``'a12'`` is 12.
- WebRL's, which WebAgent-R1 uses, also inside ``<answer>``: ``do(action="Click", element="7")``, with the actions
  Click, Type, Search (types, then presses Enter), Press Enter, Press, Select Dropdown Option, Hover, Scroll Down,
  Scroll Up, Switch Page or Switch Tab (from 0), Wait, Go Backward, Go Forward; ``exit(message="...")``, without a
  message ``done()``; ``go_backward()``, ``go_forward()``. Goto, New Tab and Close Tab are ours: WebRL has none, and
  tasks across sites need them.
- WebArena's and WebVoyager's, where any dialect is read: ``click [12]``, ``type [5] [red] [1]`` (Enter is pressed
  unless the last is 0), ``stop [42]``; ``Type [5]; red``, ``Scroll [WINDOW]; down``, ``ANSWER; 42``.

Source: ServiceNow/BrowserGym, browsergym/core/action/functions.py, and THUDM/WebRL, the system prompt of its agent,
for the names and arguments of their actions.
"""

import functools
import re
from typing import NamedTuple

from turnwise.worlds.web.actions.grammar import Dialect, grammar
from turnwise.worlds.web.actions.literals import Call, Value, bounded, quoted, short
from turnwise.worlds.web.actions.message import MessageReader
from turnwise.worlds.web.words import words

__all__ = ["VERBS", "Action", "Dialect", "key_name", "parse_actions", "too_many", "units_of", "written"]


class Action(NamedTuple):
    """One thing to do.

    Attributes:
        verb: One of `VERBS`.
        element: The number of the element; of "tab" the number of the tab, from 1; else None.
        text: Of fill, answer and infeasible the text, of select the first option, of press the key, of scroll "up" or
            "down", of goto and new_tab the address (in new_tab "" for a blank tab).
        more: Of select the other options.
    """

    verb: str
    element: int | None = None
    text: str = ""
    more: tuple[str, ...] = ()


class _Form(NamedTuple):
    """The parameters that a name takes; one with "?" may be left out."""

    verb: str
    parameters: tuple[str, ...]
    example: str
    dialects: tuple[str, ...] = ("native", "browsergym", "webrl")


_NATIVE = ("native",)
_GYM = ("browsergym",)
_WEBRL = ("webrl",)
_BOTH = ("native", "browsergym")
_ARENA = ("webarena",)  # has no setting of its own: it is read where any is
_FORMS: dict[str, _Form] = {
    "click": _Form("click", ("element", "button?", "modifiers?"), "click(12)", _BOTH),
    "fill": _Form("fill", ("element", "text", "menu?"), "fill(12, 'red shoes')", _BOTH),
    "select": _Form("select", ("element", "options"), "select(12, 'Large')", _NATIVE),
    "check": _Form("check", ("element",), "check(12)", _BOTH),
    "uncheck": _Form("uncheck", ("element",), "uncheck(12)", _BOTH),
    "press": _Form("press", ("element", "key"), "press(12, 'Enter')", _BOTH),
    "focus": _Form("focus", ("element",), "focus(12)", _BOTH),
    "hover": _Form("hover", ("element",), "hover(12)", _BOTH),
    "scroll": _Form("scroll", ("direction",), "scroll('down')", _BOTH),
    "goto": _Form("goto", ("url",), "goto('/orders')", _BOTH),
    "back": _Form("back", (), "back()", _NATIVE),
    "forward": _Form("forward", (), "forward()", _NATIVE),
    "new_tab": _Form("new_tab", ("url?",), "new_tab()", _BOTH),
    "tab": _Form("tab", ("element",), "tab(2)", _NATIVE),
    "close_tab": _Form("close_tab", (), "close_tab()", _NATIVE),
    "wait": _Form("wait", ("time?",), "wait()", _NATIVE),
    "answer": _Form("answer", ("text",), "answer('42')", _NATIVE),
    "infeasible": _Form("infeasible", ("text?",), "infeasible('there is no such order')", _NATIVE),
    "done": _Form("done", (), "done()", _NATIVE),
    "clear": _Form("fill", ("element",), "clear('12')", _GYM),
    "select_option": _Form("select", ("element", "options"), "select_option('12', 'Large')", _GYM),
    "dblclick": _Form("click", ("element", "button?", "modifiers?"), "dblclick('12')", _GYM),
    "keyboard_press": _Form("press", ("key",), "keyboard_press('Enter')", _GYM),
    "go_back": _Form("back", (), "go_back()", _GYM),
    "go_forward": _Form("forward", (), "go_forward()", _GYM + _WEBRL),
    "tab_focus": _Form("tab", ("index",), "tab_focus(0)", _GYM),
    "tab_close": _Form("close_tab", (), "tab_close()", _GYM),
    "noop": _Form("wait", ("time?",), "noop()", _GYM),
    "send_msg_to_user": _Form("answer", ("text",), "send_msg_to_user('42')", _GYM),
    "report_infeasible": _Form("infeasible", ("text?",), "report_infeasible('there is no such order')", _GYM),
    "do": _Form("do", ("action", "element?", "text?"), 'do(action="Click", element="7")', _WEBRL),
    "exit": _Form("exit", ("text?",), 'exit(message="42")', _WEBRL),
    "go_backward": _Form("back", (), "go_backward()", _WEBRL),
    "type": _Form("type", ("element", "text", "enter?"), "type [12] [red shoes] [1]", _ARENA),
    "stop": _Form("exit", ("text?",), "stop [42]", _ARENA),
    "goback": _Form("back", (), "GoBack", _ARENA),
}
VERBS = tuple(name for name, form in _FORMS.items() if "native" in form.dialects)
_ENDING = ("answer", "infeasible", "done")
_KEYWORDS = {  # what a parameter may be called beside its own name
    "bid": "element", "n": "element", "id": "element", "k": "element", "value": "text", "message": "text",
    "reason": "text", "argument": "text", "option": "options", "key_comb": "key", "wait_ms": "time",
    "enable_autocomplete_menu": "menu", "element_id": "element", "elementid": "element", "ref": "element",
    "target": "element", "content": "text", "input_text": "text", "answer": "text", "keys": "key", "address": "url",
    "tab_id": "index", "tab_index": "index", "page_number": "index", "press_enter_after": "enter",
    "press_enter": "enter", "seconds": "time", "duration": "time", "ms": "time",
}  # fmt: skip
_DO = {
    "click": "click", "type": "fill", "search": "search", "press enter": "enter", "press": "press",
    "select dropdown option": "select", "hover": "hover", "scroll down": "down", "scroll up": "up",
    "switch page": "tab_focus", "switch tab": "tab_focus", "goto": "goto", "new tab": "new_tab",
    "close tab": "close_tab", "wait": "wait", "go backward": "back", "go back": "back", "go forward": "forward",
}  # fmt: skip
_ABSENT = words(
    "drag_and_drop google keyboard_down keyboard_insert_text keyboard_type keyboard_up mouse_click mouse_dblclick "
    "mouse_down mouse_drag_and_drop mouse_move mouse_up mouse_upload_file upload_file"
)
_NAMES = _ABSENT | _FORMS.keys()
_ELEMENT = re.compile(r"\[?[A-Za-z]{0,2}([1-9][0-9]{0,8})\]?", re.ASCII)
_INDEX = re.compile(r"[0-9]{1,6}", re.ASCII)
_SIGNED = re.compile(r"([+-]?)([0-9]{1,30})(\.[0-9]*)?", re.ASCII)
_KEYS = {
    "return": "Enter", "esc": "Escape", " ": "Space", "del": "Delete", "up": "ArrowUp", "down": "ArrowDown",
    "left": "ArrowLeft", "right": "ArrowRight",
} | {name.lower(): name for name in (
    "Enter", "Escape", "Tab", "Space", "Backspace", "Delete", "Home", "End", "PageUp", "PageDown", "ArrowUp",
    "ArrowDown", "ArrowLeft", "ArrowRight",
)}  # fmt: skip


def key_name(text: str) -> str:
    """Return Playwright's name of a key, or the one printable character that it writes.

    Raises:
        ValueError: The key is unknown; the message is for the agent.

    >>> key_name("enter"), key_name("a")
    ('Enter', 'a')
    """
    name = _KEYS.get(text.lower(), text)
    known = dict.fromkeys(_KEYS.values())
    if name not in known and (len(name) != 1 or not name.isprintable()):
        raise ValueError(f"there is no key {short(text)}; write a character or one of: {' '.join(known)}")
    return name


def written(action: Action) -> str:
    r"""Write the action in our own grammar, on one line; `parse_actions` reads it back.

    >>> written(Action("fill", 3, "it's\nred"))
    'fill(3, "it\'s\\nred")'
    """
    values = [] if action.element is None else [str(action.element)]
    if action.text or action.verb in ("fill", "select", "press", "scroll", "goto", "answer", "infeasible"):
        values += [quoted(text) for text in (action.text, *action.more)]
    return f"{action.verb}({', '.join(values)})"


def parse_actions(message: str, dialect: Dialect = "any") -> list[Action]:
    """Return the actions of a message, at least one and at most 20; `message.py` says where they are looked for.

    Args:
        message: All that the agent wrote.
        dialect: Whose names are read: "native" ours, "browsergym" and "webrl" theirs, "any" all of them and WebArena's.

    Raises:
        ValueError: With a text for the agent that says what to write instead.

    >>> parse_actions("I open the cart. <action>click(12)</action>")
    [Action(verb='click', element=12, text='', more=())]
    >>> [written(action) for action in parse_actions('do(action="Search", argument="red", element="4")')]
    ["fill(4, 'red')", "press(4, 'Enter')"]
    >>> parse_actions("<answer>42</answer>")[0].text
    '42'
    """
    return _reader(dialect).read(message)


def units_of(actions: list[Action]) -> list[list[Action]]:
    """Group actions that count as one: writing and pressing Enter in one field is one, as WebRL's Search is."""
    units: list[list[Action]] = []
    for action in actions:
        last = units[-1] if units else []
        enter = action.verb == "press" and action.text == "Enter" and len(last) == 1 and last[0].verb == "fill"
        if enter and action.element == last[0].element:
            last.append(action)
        else:
            units.append([action])
    return units


def too_many(units: list[list[Action]], limit: int) -> str:
    """Return the error for a message with more actions than allowed; none of them is done.

    >>> too_many([[Action("click", 12)], [Action("click", 13)]], 1)
    'the message has 2 actions and nothing was done; give 1 as <action>...</action>, for example click(12)'
    """
    example = "; ".join(map(written, units[0]))
    shown = f", for example {example}" if len(example) < 200 else ""
    most = "1" if limit == 1 else f"at most {limit}"
    return f"the message has {len(units)} actions and nothing was done; give {most} as <action>...</action>{shown}"


@functools.lru_cache(8)
def _reader(dialect: Dialect) -> MessageReader[Action]:
    return MessageReader(
        _NAMES,
        lambda call: _meant(call, dialect),
        lambda action: action.verb in _ENDING,
        lambda text: Action("answer", None, bounded(text)),
        lambda name: _hint(name, dialect),
    )


def _hint(name: str, dialect: Dialect) -> str:
    """Return how to write an action."""
    form = _FORMS.get(name)
    if form is not None and _is_in(form, dialect):
        return f"an example: {form.example}"
    return f"write one as <action>...</action>: {grammar('short', dialect)}"


def _is_in(form: _Form, dialect: Dialect) -> bool:
    return dialect == "any" or dialect in form.dialects


# ---- what a call means ----------------------------------------------------------------------------------------------


def _meant(call: Call, dialect: Dialect) -> list[Action]:
    form = _FORMS.get(call.name)
    if form is None or not _is_in(form, dialect):
        why = "is not available here" if call.name in _ABSENT else "is not an action"
        raise ValueError(f"{call.name} {why}; {_hint('', dialect)}")
    named = {_KEYWORDS.get(name, name): value for name, value in call.named.items()}
    if len(named) < len(call.named):
        raise _mismatch(form)
    if call.name == "press" and len(call.given) + len(named) == 1:
        form = form._replace(parameters=("key",))
    elif call.name == "scroll" and (len(call.given) == 2 or "delta_y" in named):
        form = form._replace(parameters=("delta_x", "delta_y"))
    elif form.verb == "select" and "text" in named:
        named["options"] = named.pop("text")
    if "index" in named and "element" in form.parameters:
        named["element"] = named.pop("index")
    values = _bound(call, named, form)
    if form.verb == "do":
        return _do(values, form)
    if form.verb == "type":
        typed = Action("fill", _element(values["element"], form), values["text"].text)
        enter = "enter" in values and values["enter"].text.lower() in ("1", "true")
        return [typed, Action("press", typed.element, "Enter")] if enter else [typed]
    if form.verb == "exit":
        text = _text(values["text"], form) if "text" in values else ""
        return [Action("answer", None, text) if text else Action("done")]
    return [_plain(form, values)]


def _bound(call: Call, named: dict[str, Value], form: _Form) -> dict[str, Value]:
    """Return the values by parameter."""
    names = [parameter.removesuffix("?") for parameter in form.parameters]
    given = list(call.given)
    if names and names[-1] == "options" and len(given) > len(names):  # select(12, 'one', 'two')
        given[1:] = [Value("list", "", tuple(_text(value, form) for value in given[1:]))]
    values = dict(zip(names, given, strict=False))
    missing = [name for name in form.parameters if name[-1] != "?" and name not in values and name not in named]
    if len(given) > len(names) or missing or named.keys() & values.keys() or named.keys() - set(names):
        raise _mismatch(form)
    values |= named
    button, modifiers = values.get("button"), values.get("modifiers")
    if (button is not None and button.text != "left") or (modifiers is not None and modifiers.items):
        raise ValueError("there is only the left button, without modifier keys")
    return values


def _plain(form: _Form, values: dict[str, Value]) -> Action:
    element = None
    text = ""
    more: tuple[str, ...] = ()
    for name, value in values.items():
        if name == "element":
            element = _element(value, form)
        elif name == "index":
            element = _tab(value.text, form)
        elif name in ("text", "url"):
            text = _text(value, form)
        elif name == "key":
            text = value.text
        elif name == "direction":
            text = value.text.lower()
            if text not in ("up", "down"):
                raise _mismatch(form)
        elif name == "delta_y":
            text = _direction(value.text)
        elif name == "options":
            options = value.items if value.kind == "list" else (value.text,)
            if not options:
                raise _mismatch(form)
            text, more = options[0], options[1:]
    return Action(form.verb, element, text, more)


def _do(values: dict[str, Value], form: _Form) -> list[Action]:
    """Return the actions of WebRL's ``do(...)``."""
    name = " ".join(values["action"].text.lower().split())
    verb = _DO.get(name)
    if verb is None:
        raise ValueError(f"do has no action {short(values['action'].text)}; it has: {', '.join(_DO).title()}")
    element = _element(values["element"], form) if "element" in values else None
    more: tuple[str, ...] = ()
    if verb == "select" and "text" in values and values["text"].kind == "list":
        text, *rest = values["text"].items or ("",)
        more = tuple(rest)
    else:
        text = _text(values["text"], form) if "text" in values else ""
    if verb == "goto" and not text:
        raise ValueError('do(action="Goto") needs an address, such as argument="/orders"')
    if element is None and verb in ("click", "fill", "search", "select", "hover"):
        raise ValueError(f'do(action="{name.title()}") needs an element, such as element="7"')
    if verb == "search":
        return [Action("fill", element, text), Action("press", element, "Enter")]
    if verb in ("enter", "press"):
        return [Action("press", element, text if verb == "press" else "Enter")]
    if verb in ("down", "up"):
        return [Action("scroll", None, verb)]
    if verb == "tab_focus":
        return [Action("tab", _tab(text, form))]
    if verb in ("back", "forward", "wait", "close_tab"):
        return [Action(verb)]
    if verb in ("goto", "new_tab"):
        return [Action(verb, None, text)]
    return [Action(verb, element, text if verb in ("fill", "select") else "", more)]


def _element(value: Value, form: _Form) -> int:
    text = value.items[0] if len(value.items) == 1 else value.text
    match = _ELEMENT.fullmatch(text.strip(" '\"#"))
    if match is None:
        raise ValueError(f"{short(text)} is not the number of an element or tab; an example: {form.example}")
    return int(match[1])


def _tab(text: str, form: _Form) -> int:
    if _INDEX.fullmatch(text) is None:
        raise _mismatch(form)
    return int(text) + 1


def _text(value: Value, form: _Form) -> str:
    if value.kind not in ("text", "number"):
        raise ValueError(f"texts are written in quotes; an example: {form.example}")
    return value.text


def _direction(delta: str) -> str:
    match = _SIGNED.fullmatch(delta)
    if match is None or not delta.strip("+-0."):
        raise ValueError("the page scrolls up or down only; an example: scroll('down')")
    return "up" if match[1] == "-" else "down"


def _mismatch(form: _Form) -> ValueError:
    return ValueError(f"these values do not fit; an example: {form.example}")
