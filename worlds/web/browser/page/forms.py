"""Forms: which controls they have, what these contain, what is sent, and what may be typed.

Source: the HTML standard (WHATWG), sections 4.10.5 (input), 4.10.21.2 (implicit submission) and 4.10.21.4 (the entry
list), and the URL standard, section 5.2, for the way it is written.
"""

import re
from urllib.parse import quote_plus

from turnwise.worlds.web.browser.page.dom import Node, by_id, chosen, disabled, option_value, root_of, value_of, walk

__all__ = [
    "TEXT_TYPES",
    "controls_of",
    "default_button",
    "encoded",
    "entries",
    "form_of",
    "is_submit",
    "is_text",
    "kind_of",
    "lone_field",
    "own_entry",
    "reset",
    "set_checked",
    "set_options",
    "set_value",
    "submission",
    "typed",
]

TEXT_TYPES = frozenset(
    ("text", "search", "email", "password", "tel", "url", "number", "date", "time", "month", "week", "datetime-local")
)
_TYPES = TEXT_TYPES | {"button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "submit"}
_DATE = r"\d{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?"
_NUMBER = r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_SHAPES = {
    "number": (_NUMBER, "12.5"),
    "range": (_NUMBER, "12"),
    "date": (_DATE, "2027-03-05"),
    "time": (_TIME, "14:30"),
    "month": (r"\d{4,6}-(?:0[1-9]|1[0-2])", "2027-03"),
    "week": (r"\d{4,6}-W(?:0[1-9]|[1-4]\d|5[0-3])", "2027-W09"),
    "datetime-local": (rf"{_DATE}[T ]{_TIME}", "2027-03-05T14:30"),
    "color": (r"#[0-9a-fA-F]{6}", "#00ff00"),
}
_CONTROLS = frozenset(("input", "button", "select", "textarea"))
_LINE_END = re.compile(r"\r\n?|\n")
_WAS = "data-tw-was"  # what a control held before it was first changed, for a reset


def kind_of(node: Node) -> str:
    """Return an input's type, "submit", "reset" or "button" for a button, else the tag."""
    if node.tag == "input":
        kind = node.attrs.get("type", "text").lower()
        return kind if kind in _TYPES else "text"
    if node.tag == "button":
        kind = node.attrs.get("type", "submit").lower()
        return kind if kind in ("reset", "button") else "submit"
    return node.tag


def is_text(node: Node) -> bool:
    """Whether text can be typed into the field."""
    return node.tag == "textarea" or (node.tag == "input" and kind_of(node) in TEXT_TYPES)


def is_submit(node: Node) -> bool:
    """Whether it is a button that submits its form."""
    return node.tag in ("button", "input") and kind_of(node) in ("submit", "image")


def form_of(node: Node) -> Node | None:
    """Return the form that a control belongs to: the one its attribute ``form`` names, else the one around it."""
    if "form" in node.attrs and node.tag in _CONTROLS:
        named = by_id(root_of(node), node.attrs["form"])
        return named if named is not None and named.tag == "form" else None
    return _around(node)


def _around(node: Node) -> Node | None:
    at = node.parent
    while at is not None and at.tag != "form":
        at = at.parent
    return at


def controls_of(form: Node) -> list[Node]:
    """Return the form's controls in document order."""
    root, name = root_of(form), form.attrs.get("id")
    if name is None or by_id(root, name) is not form:  # then no control elsewhere can name it
        inside = walk(form)
        return [node for node in inside if node.tag in _CONTROLS and "form" not in node.attrs and _around(node) is form]
    return [
        node
        for node in walk(root)
        if node.tag in _CONTROLS and (node.attrs["form"] == name if "form" in node.attrs else _around(node) is form)
    ]


def entries(form: Node, submitter: Node | None = None) -> list[tuple[str, str]]:
    """Return what a form sends: names and values of its enabled controls, and of the button that submits it."""
    found: list[tuple[str, str]] = []
    for node in controls_of(form):
        if not disabled(node):
            found += _entry(node, node is submitter)
    return found


def _entry(node: Node, submits: bool) -> list[tuple[str, str]]:
    name, kind = node.attrs.get("name", ""), kind_of(node)
    if kind == "image":
        front = f"{name}." if name else ""
        return [(f"{front}x", "0"), (f"{front}y", "0")] if submits else []
    if not name or kind in ("reset", "button") or (kind == "submit" and not submits):
        return []
    if kind in ("checkbox", "radio") and "checked" not in node.attrs:
        return []
    if kind == "select":
        return [(name, option_value(option)) for option in chosen(node) if not disabled(option)]
    if kind == "file":
        return [(name, "")]
    return [(name, node.attrs.get("value", "") if kind == "submit" else value_of(node))]


def own_entry(node: Node) -> list[tuple[str, str]]:
    """Return what an element outside of any form sends: its name and value, a box only if it is checked."""
    name = node.attrs.get("name", "")
    unchecked = node.tag == "input" and kind_of(node) in ("checkbox", "radio") and "checked" not in node.attrs
    return [(name, value_of(node))] if name and not unchecked else []


def encoded(pairs: list[tuple[str, str]], line_end: str = "\r\n") -> str:
    r"""Encode the pairs as ``application/x-www-form-urlencoded``, byte for byte as browsers do.

    >>> encoded([("q", "a b~é"), ("t", "x\ny")])
    'q=a+b%7E%C3%A9&t=x%0D%0Ay'
    """
    return "&".join([f"{_quoted(name, line_end)}={_quoted(value, line_end)}" for name, value in pairs])


def _quoted(text: str, line_end: str) -> str:
    if text.isalnum() and text.isascii():
        return text
    text = _LINE_END.sub(line_end, text)
    return quote_plus(text, safe="*", errors="replace").replace("~", "%7E")


def submission(form: Node, submitter: Node | None, base: str) -> tuple[str, str, bytes] | None:
    """Return method, address (not yet resolved) and body of a form's submission; None for a dialog's.

    Args:
        form: The form.
        submitter: The button that sends it.
        base: Address of the document.
    """
    said = submitter.attrs if submitter is not None else {}
    method = said.get("formmethod", form.attrs.get("method", "get")).lower()
    if method == "dialog":
        return None
    action = (said.get("formaction") or form.attrs.get("action", "")).strip()
    data = encoded(entries(form, submitter))
    if method == "post":
        return "POST", action or base.partition("#")[0], data.encode()
    address, _, fragment = (action or base).partition("#")
    address = f"{address.partition('?')[0]}?{data}"
    return "GET", f"{address}#{fragment}" if fragment and action else address, b""


def default_button(form: Node) -> Node | None:
    """Return the button that Enter in a field presses: the form's first submit button."""
    return next((node for node in controls_of(form) if is_submit(node)), None)


def lone_field(form: Node) -> bool:
    """Whether Enter submits a form without such a button: it has at most one text field."""
    return sum(node.tag == "input" and kind_of(node) in TEXT_TYPES for node in controls_of(form)) <= 1


# ---- changes --------------------------------------------------------------------------------------------------------


def typed(field: Node, text: str) -> str:
    """Return what a field contains after the text was typed into it.

    Raises:
        ValueError: It takes only texts of a shape; with a text for the agent.
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    if field.tag == "textarea":
        return _LINE_END.sub("\n", text)
    text = re.sub(r"[\r\n]", "", text)
    kind = kind_of(field)
    if kind in ("email", "url"):
        text = text.strip(" \t\f")
    shape = _SHAPES.get(kind)
    if shape is not None and text and re.fullmatch(shape[0], text, re.ASCII) is None:
        raise ValueError(f"[{field.number}] takes only a {kind.replace('-', ' ')} such as {shape[1]}")
    return text


def set_value(field: Node, text: str) -> None:
    """Set the text of a text field."""
    field.attrs.setdefault(_WAS, value_of(field))
    if field.tag == "textarea":
        field.children = [text] if text else []
    else:
        field.attrs["value"] = text


def _mark(node: Node, name: str, on: bool) -> None:
    node.attrs.setdefault(_WAS, name if name in node.attrs else "")
    if on:
        node.attrs[name] = ""
    else:
        node.attrs.pop(name, None)


def set_checked(box: Node, on: bool) -> None:
    """Check or clear a box; radio buttons of the same group are cleared."""
    name = box.attrs.get("name")
    if on and name and kind_of(box) == "radio":
        form = form_of(box)
        group = (
            controls_of(form) if form is not None else [node for node in walk(root_of(box)) if _around(node) is None]
        )
        for other in group:
            if other.attrs.get("name") == name and "checked" in other.attrs and kind_of(other) == "radio":
                _mark(other, "checked", False)
    _mark(box, "checked", on)


def set_options(options: list[Node], places: tuple[int, ...]) -> None:
    """Select the options at these indices and no others."""
    for place, option in enumerate(options):
        _mark(option, "selected", place in places)


def reset(form: Node) -> None:
    """Reset every control of the form to what it was when the page was loaded."""
    for control in controls_of(form):
        for node in walk(control):
            was = node.attrs.pop(_WAS, None)
            if was is None:
                continue
            name = "selected" if node.tag == "option" else "checked"
            if is_text(node):
                set_value(node, was)
                del node.attrs[_WAS]
            elif was:
                node.attrs[name] = ""
            else:
                node.attrs.pop(name, None)
