"""The accessibility tree that Chromium gives (``Accessibility.getFullAXTree``), with BrowserGym's ids, as lines.

Source: Chrome DevTools Protocol, domain Accessibility (types AXNode and AXProperty); ServiceNow/BrowserGym,
browsergym/core/observation.py, for ``browsergym_id``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from turnwise.worlds.web.browser.text.plain import guarded, plain, quoted
from turnwise.worlds.web.words import words

__all__ = ["bids_of", "escaped", "lines_of"]

MAX_LINES = 4000
_MAX_INDENT = 16
_BID = re.compile(r"\[(?=\s*[A-Za-z]{0,20}\d+\s*\])")
_SKIPPED = words(
    "InlineTextBox LabelText LineBreak MenuListPopup RootWebArea WebArea generic none paragraph presentation"
)
_ACTIVE = words(
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar "
    "searchbox slider spinbutton switch tab textbox treeitem"
)
_STATES = ("checked", "pressed", "selected", "disabled", "required", "focused", "readonly")


def escaped(text: str) -> str:
    """Make a text `plain`, without ``[a12]`` that could be read as an element.

    >>> escaped("[a12] button")
    '⟦a12] button'
    """
    return _BID.sub("⟦", plain(text))


def lines_of(tree: Mapping[str, Any], extra: Mapping[str, Any]) -> list[str]:
    """Return the lines of a tree, indented by two blanks; ``[bid]`` stands before what can be acted on.

    Args:
        tree: ``{"nodes": [...]}``.
        extra: BrowserGym's properties of elements by bid; what it calls clickable gets its bid, too.
    """
    lines: list[str] = []
    for node, depth, above in _walk(tree, extra):
        role, name = _value(node.get("role")), " ".join(_value(node.get("name")).split())
        pad = "  " * min(depth, _MAX_INDENT)
        if role == "StaticText":
            if name and name not in above:
                lines.append(pad + guarded(escaped(name)))
            continue
        lines.append(pad + _described(node, role, name, extra))
        if len(lines) >= MAX_LINES:
            lines.append(f"... more than {MAX_LINES} lines: the rest is not shown")
            break
    return lines


def bids_of(tree: Mapping[str, Any], extra: Mapping[str, Any]) -> list[str]:
    """Return the ids of what can be acted on, in order."""
    return [str(node["browsergym_id"]) for node, _, _ in _walk(tree, extra) if _active(node, extra)]


def _walk(tree: Mapping[str, Any], extra: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int, str]]:
    """Yield the nodes worth a line, with their depth and the name of the node around them."""
    nodes = {node["nodeId"]: node for node in tree.get("nodes", ())}
    below = {child for node in nodes.values() for child in node.get("childIds", ())}
    stack: list[tuple[Any, int, str]] = [(key, 0, "") for key in reversed(nodes) if key not in below]
    seen = set()
    while stack:
        key, depth, above = stack.pop()
        node = nodes.get(key)
        if node is None or key in seen:
            continue
        seen.add(key)
        role, name = _value(node.get("role")), " ".join(_value(node.get("name")).split())
        shown = role and not node.get("ignored") and (role not in _SKIPPED or _active(node, extra))
        if shown:
            yield node, depth, above
        inside = name if shown and role != "StaticText" else above
        stack += [(child, depth + bool(shown), inside) for child in reversed(node.get("childIds", ()))]


def _active(node: Mapping[str, Any], extra: Mapping[str, Any]) -> bool:
    bid = node.get("browsergym_id")
    return bid is not None and (_value(node.get("role")) in _ACTIVE or bool(extra.get(bid, {}).get("clickable")))


def _described(node: Mapping[str, Any], role: str, name: str, extra: Mapping[str, Any]) -> str:
    parts = [f"[{node['browsergym_id']}]"] if _active(node, extra) else []
    parts.append(escaped(role))
    if name:
        parts.append(_BID.sub("⟦", quoted(name)))
    value = _value(node.get("value"))
    if value:
        parts.append("value=" + _BID.sub("⟦", quoted(" ".join(value.split()))))
    states = {p["name"]: (p.get("value") or {}).get("value") for p in node.get("properties", ())}
    parts += [state for state in _STATES if states.get(state) not in (None, False, "false")]
    if states.get("expanded") is not None:
        parts.append("expanded" if states["expanded"] in (True, "true") else "collapsed")
    return " ".join(parts)


def _value(field: Any) -> str:
    value = field.get("value") if isinstance(field, Mapping) else None
    return "" if value is None else str(value)
