"""Actions in the words of other frameworks."""

import json

from turnwise.worlds.web.actions.actions import Action, Dialect, written

__all__ = ["browsergym_form", "message_of", "webrl_form"]


def message_of(action: Action, dialect: Dialect) -> str:
    """Return a message that does the action, in a dialect."""
    if dialect == "webrl":
        return webrl_form(action)
    return f"<action>{browsergym_form(action) if dialect == 'browsergym' else written(action)}</action>"


def browsergym_form(action: Action) -> str:
    """Write the action as BrowserGym does."""
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
    """Write the action as WebRL and WebAgent-R1 do, with our own additions for what they lack."""
    verb, element, text, more = action
    if verb in ("done", "answer", "infeasible"):
        message = {"done": "It is done.", "answer": text}.get(verb, "N/A")
        return f"exit(message={json.dumps(message)})"
    if verb == "back":
        return "go_backward()"
    if verb == "scroll":
        return f'do(action="Scroll {text.title()}")'
    if verb == "tab":
        element, text = None, str((element or 1) - 1)
    names = {
        "click": "Click", "hover": "Hover", "fill": "Type", "select": "Select Dropdown Option", "press": "Press",
        "forward": "Go Forward", "wait": "Wait", "check": "Click", "uncheck": "Click", "focus": "Click",
        "goto": "Goto", "new_tab": "New Tab", "tab": "Switch Tab", "close_tab": "Close Tab",
    }  # fmt: skip
    value = json.dumps([text, *more] if more else text)
    argument = f", argument={value}" if text or verb in ("fill", "select") else ""
    where = f', element="{element}"' if element is not None else ""
    return f'do(action="{names[verb]}"{argument}{where})'
