"""An element in words: its number, role, name, value and state."""

import functools

from turnwise.worlds.web.browser.page.dom import Node, Page, name_of, role_of, walk
from turnwise.worlds.web.browser.page.fields import chosen, disabled, option_name, options_of, value_of
from turnwise.worlds.web.browser.page.roles import name_in
from turnwise.worlds.web.browser.text.plain import quoted, quoted_value
from turnwise.worlds.web.words import words

__all__ = ["described", "plain_control"]

MAX_OPTIONS = 12  # of a select that does not have the focus
SOME_OPTIONS = 6
MAX_ALL_OPTIONS = 400
_STATES = words(
    "aria-checked aria-current aria-disabled aria-expanded aria-invalid aria-pressed aria-selected checked disabled "
    "max min placeholder readonly required"
)
_PLAIN_ROLES = {"a": "link", "button": "button"}
_TELLING = _STATES | words("aria-label aria-labelledby hidden role")
_TYPES = words("color date datetime-local file month password time week")  # worth telling: they have a form


def plain_control(node: Node) -> str:
    """Return role and name of a link or button that has only a text and no state; "" for all others.

    Most elements are of this form, and need no more questions.
    """
    children = node.children
    if len(children) == 1 and node.tag in _PLAIN_ROLES and _TELLING.isdisjoint(node.attrs):
        text = children[0]
        if isinstance(text, str):
            return _worded(node.tag, text)
    return ""


@functools.lru_cache(8192)
def _worded(tag: str, text: str) -> str:
    name = name_in(text)
    return f"{_PLAIN_ROLES[tag]} {quoted(name)}" if name else ""


def described(page: Page, node: Node, bare: bool = False, check_around: bool = True) -> str:
    """Describe an element as it is shown: ``[n] role 'name'``, then its value and its state.

    Args:
        page: Where it is.
        node: An element with a number.
        bare: Its name is not taken from what it holds.
        check_around: It may be disabled by a fieldset around it.
    """
    tag, attrs = node.tag, node.attrs
    role = "link" if tag == "a" and "role" not in attrs else role_of(node) or "generic"
    if bare:
        name = " ".join((attrs.get("aria-label") or attrs.get("title") or "").split())
    else:
        name = name_of(node, page.labels)
    out = f"[{node.number}] {role} {quoted(name)}" if name else f"[{node.number}] {role}"
    if tag in ("input", "select", "textarea"):
        out += _field(page, node, role, name)
    if (check_around and disabled(node)) or (not _STATES.isdisjoint(attrs) and "disabled" in attrs and disabled(node)):
        out += " disabled"
    if not _STATES.isdisjoint(attrs):
        out += _states(node)
    if tag == "summary" and node.parent is not None and node.parent.tag == "details":
        out += " expanded" if "open" in node.parent.attrs else " collapsed"
    return out + " focused" if page.focused == node.number else out


def _field(page: Page, node: Node, role: str, name: str) -> str:
    tag, attrs = node.tag, node.attrs
    if tag == "select":
        return _select(page, node)
    if role in ("button", "checkbox", "radio", "switch"):
        return " type='file'" if attrs.get("type", "").lower() == "file" else ""
    kind = attrs.get("type", "").lower()
    out = f" type={kind}" if kind in _TYPES else ""
    value = value_of(node)
    if value:
        out += " value=" + ("'" + "•" * min(len(value), 40) + "'" if kind == "password" else quoted_value(value))
    elif "placeholder" in attrs and " ".join(attrs["placeholder"].split()) not in ("", name):
        out += f" placeholder={quoted_value(attrs['placeholder'][:200])}"
    for bound in ("min", "max"):
        if bound in attrs:
            out += f" {bound}={quoted_value(attrs[bound][:40])}"
    if "list" in attrs:
        found = [
            other for other in walk(page.root) if other.tag == "datalist" and other.attrs.get("id") == attrs["list"]
        ]
        out += _options(options_of(found[0]), page.focused == node.number) if found else ""
    return out


def _select(page: Page, node: Node) -> str:
    options = options_of(node)
    now = chosen(node, options)
    out = " value=" + ", ".join([quoted(option_name(option)) for option in now]) if now else ""
    return out + _options(options, page.focused == node.number)


def _options(options: list[Node], focused: bool) -> str:
    """Return the options as a reader sees them; many are folded until the field has the focus."""
    options = [option for option in options if "hidden" not in option.attrs]
    if not options:
        return ""
    most = MAX_ALL_OPTIONS if focused else MAX_OPTIONS if len(options) <= MAX_OPTIONS else SOME_OPTIONS
    told = [quoted(option_name(option)) + (" (disabled)" if disabled(option) else "") for option in options[:most]]
    if len(options) > most:
        told.append(f"... {len(options) - most} more" + ("" if focused else " (click it to see all)"))
    return " options: " + ", ".join(told)


def _states(node: Node) -> str:
    attrs = node.attrs
    out = ""
    if "checked" in attrs or attrs.get("aria-checked") == "true":
        out += " checked"
    if attrs.get("aria-disabled") == "true":
        out += " disabled"
    if "aria-expanded" in attrs:
        out += " expanded" if attrs["aria-expanded"] == "true" else " collapsed"
    for name in ("selected", "pressed"):
        if attrs.get(f"aria-{name}") == "true":
            out += f" {name}"
    for name in ("current", "invalid"):
        if attrs.get(f"aria-{name}", "false") not in ("false", ""):
            out += f" {name}"
    return out + "".join([f" {name}" for name in ("readonly", "required") if name in attrs])
