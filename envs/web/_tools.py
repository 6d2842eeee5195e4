"""The actions on a page as function schemas, for frameworks that speak in tool calls; the grammar reads their calls."""

from collections.abc import Mapping
from typing import Any

from turnwise.core.tools import Tool
from turnwise.worlds.web.actions.actions import Dialect

__all__ = ["tools_of"]


def _text(description: str, *choices: str) -> dict[str, Any]:
    return {"type": "string", "description": description, **({"enum": list(choices)} if choices else {})}


def _tool(name: str, description: str, optional: tuple[str, ...] = (), **parameters: Mapping[str, Any]) -> Tool:
    required = [each for each in parameters if each not in optional]
    schema = {"type": "object", "properties": parameters, "required": required}
    return Tool(name, description, schema, _not_called)


def _not_called(**arguments: Any) -> str:
    raise AssertionError("actions on a page are carried out by the environment's step")


_ELEMENT = {"type": "integer", "minimum": 1, "description": "Number of the element, as shown in brackets."}
_BID = _text("Number of the element, as shown in brackets.")
_OPTIONS = {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "The options to choose."}
_REASON = _text("Why it cannot be done.")
_URL = _text("The address.")

_NATIVE = (
    _tool("click", "Click an element.", element=_ELEMENT),
    _tool("fill", "Replace the text of a field.", element=_ELEMENT, text=_text("The new text.")),
    _tool("select", "Choose from a list.", element=_ELEMENT, options=_OPTIONS),
    _tool("check", "Set a check box, or choose a radio button.", element=_ELEMENT),
    _tool("uncheck", "Clear a check box.", element=_ELEMENT),
    _tool("press", "Press a key.", ("element",), key=_text("Name of the key, such as Enter."), element=_ELEMENT),
    _tool("hover", "Move the pointer over an element.", element=_ELEMENT),
    _tool("scroll", "Show what is further down or up.", direction=_text("Which way.", "down", "up")),
    _tool("goto", "Open an address in this tab.", url=_URL),
    _tool("back", "Go back in the history of the tab."),
    _tool("forward", "Go forward in the history of the tab."),
    _tool("new_tab", "Open a new tab.", ("url",), url=_URL),
    _tool("tab", "Switch to another tab.", element={"type": "integer", "minimum": 1, "description": "Its number."}),
    _tool("close_tab", "Close the current tab."),
    _tool("wait", "Do nothing."),
    _tool("answer", "Give the answer and end the task.", text=_text("The answer and nothing else.")),
    _tool("infeasible", "Say that the task cannot be done, and end it.", ("text",), text=_REASON),
    _tool("done", "End the task once it is done, if it asks for no answer."),
)
_BROWSERGYM = (
    _tool("click", "Click an element.", bid=_BID),
    _tool("fill", "Replace the text of a field.", bid=_BID, value=_text("The new text.")),
    _tool("clear", "Clear a field.", bid=_BID),
    _tool("select_option", "Choose from a list.", bid=_BID, options=_OPTIONS),
    _tool("check", "Set a check box, or choose a radio button.", bid=_BID),
    _tool("uncheck", "Clear a check box.", bid=_BID),
    _tool("press", "Press a key in an element.", bid=_BID, key_comb=_text("Name of the key, such as Enter.")),
    _tool("keyboard_press", "Press a key.", key=_text("Name of the key, such as Enter.")),
    _tool("hover", "Move the pointer over an element.", bid=_BID),
    _tool("scroll", "Show what is further down or up.", direction=_text("Which way.", "down", "up")),
    _tool("goto", "Open an address in this tab.", url=_URL),
    _tool("go_back", "Go back in the history of the tab."),
    _tool("go_forward", "Go forward in the history of the tab."),
    _tool("new_tab", "Open a new tab.", ("url",), url=_URL),
    _tool("tab_focus", "Switch to another tab.", index={"type": "integer", "minimum": 0, "description": "From 0."}),
    _tool("tab_close", "Close the current tab."),
    _tool("noop", "Do nothing."),
    _tool("send_msg_to_user", "Give the answer, or say that the task is done, and end the task.", text=_text("It.")),
    _tool("report_infeasible", "Say that the task cannot be done, and end it.", ("reason",), reason=_REASON),
)
_DO = (
    "Click", "Hover", "Type", "Search", "Select Dropdown Option", "Press Enter", "Scroll Down", "Scroll Up", "Wait",
    "Go Forward", "Goto", "New Tab", "Switch Tab", "Close Tab",
)  # fmt: skip
_WEBRL = (
    _tool(
        "do",
        "Do something on the page.",
        ("argument", "element"),
        action=_text("What to do.", *_DO),
        argument=_text("The text, option, address or tab that the action needs."),
        element=_text("Number of the element, if the action needs one."),
    ),
    _tool("go_backward", "Go back in the history of the tab."),
    _tool(
        "exit",
        "Give the answer, or say that the task is done, and end the task.",
        ("message",),
        message=_text("The answer; N/A if the task cannot be done."),
    ),
)


def tools_of(dialect: Dialect) -> tuple[Tool, ...]:
    """The actions of a dialect as tools."""
    return {"browsergym": _BROWSERGYM, "webrl": _WEBRL}.get(dialect, _NATIVE)
