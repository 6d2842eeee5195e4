"""What an element is and what it is called: roles, names and states, as a screen reader would say them.

Source: HTML Accessibility API Mappings 1.0 (W3C) for roles and for where a control's name comes from; Accessible Name
and Description Computation 1.2 (W3C), without its parts on style sheets.
"""

from collections.abc import Iterable

from turnwise.worlds.web.browser.page.tree import BEHAVIOUR, UNSEEN, Node, by_id, interactive, root_of, walk
from turnwise.worlds.web.words import words

__all__ = [
    "gathered",
    "hides",
    "interactive",
    "labels_for",
    "labels_of",
    "level_of",
    "name_in",
    "name_of",
    "role_of",
    "summary_of",
    "text_of",
    "visible",
]

MAX_NAME = 400  # characters
_MAX_PARTS = 2_000  # nodes that a name is gathered from

_UNSEEN = words(
    "audio canvas datalist embed frameset head iframe noembed noframes object script style svg template title video"
)
_BLOCKS = words(
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option "
    "p pre search section summary table tbody td tfoot th thead tr ul"
)
_INPUT_ROLES = {
    "button": "button",
    "checkbox": "checkbox",
    "file": "button",
    "hidden": "",
    "image": "button",
    "number": "spinbutton",
    "radio": "radio",
    "range": "slider",
    "reset": "button",
    "search": "searchbox",
    "submit": "button",
}
_ROLES = {
    "article": "article",
    "aside": "complementary",
    "button": "button",
    "caption": "caption",
    "dd": "definition",
    "details": "group",
    "dialog": "dialog",
    "dt": "term",
    "fieldset": "group",
    "figure": "figure",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "hr": "separator",
    "li": "listitem",
    "main": "main",
    "menu": "list",
    "meter": "meter",
    "nav": "navigation",
    "ol": "list",
    "optgroup": "group",
    "option": "option",
    "output": "status",
    "progress": "progressbar",
    "search": "search",
    "summary": "button",
    "table": "table",
    "tbody": "rowgroup",
    "td": "cell",
    "textarea": "textbox",
    "tfoot": "rowgroup",
    "thead": "rowgroup",
    "tr": "row",
    "ul": "list",
}
_KNOWN = frozenset(_ROLES.values()) | words(
    "alert alertdialog banner checkbox columnheader combobox contentinfo form grid gridcell img link listbox log menu "
    "menubar menuitem menuitemcheckbox menuitemradio navigation none note presentation radio radiogroup region "
    "rowheader searchbox slider spinbutton switch tab tablist tabpanel textbox timer toolbar tooltip tree treegrid "
    "treeitem"
)
_NAMED_BY_CONTENT = words(
    "button caption cell checkbox columnheader gridcell heading link listitem menuitem menuitemcheckbox menuitemradio "
    "option radio row rowheader switch tab tooltip treeitem"
)
_LABELLED = words("input meter output progress select textarea")
_SECTIONS = words("article aside main nav section")


def hides(node: Node) -> bool:
    """Whether this element itself hides all that it contains.

    What `turnwise.worlds.web.browser.page.styles` has marked, ``hidden``, a closed ``<dialog>``, ``<template>``,
    scripts, styles, the head, an ``<input type=hidden>``, what a closed ``<details>`` holds beside its summary, and
    contents that a browser shows only if it lacks a feature.
    """
    tag = node.tag
    if tag in _UNSEEN or "hidden" in node.attrs or node.attrs.get(UNSEEN) == "":
        return True
    if tag == "input":
        return node.attrs.get("type", "").lower() == "hidden"
    if tag == "dialog":
        return "open" not in node.attrs
    if tag == "noscript":
        return all(isinstance(child, str) for child in node.children)
    above = node.parent
    if above is not None and above.tag == "details" and "open" not in above.attrs:
        return node is not summary_of(above)
    return False


def summary_of(details: Node) -> Node | None:
    """Return the ``<summary>`` that a ``<details>`` shows when it is closed."""
    return next((child for child in details.children if isinstance(child, Node) and child.tag == "summary"), None)


def visible(node: Node) -> bool:
    """Whether neither the element nor anything around it is hidden."""
    if UNSEEN in node.attrs:
        return False
    at: Node | None = node
    while at is not None:
        if hides(at):
            return False
        at = at.parent
    return True


def role_of(node: Node) -> str:
    """Return the element's role, "" for one without (``<div>``, ``<p>``, an unnamed ``<section>`` or ``<form>``)."""
    attrs = node.attrs
    if "role" in attrs:
        for role in attrs["role"].lower().split():
            if role in _KNOWN:
                return "" if role in ("none", "presentation") else role
    tag = node.tag
    role = _ROLES.get(tag, "")
    if role:
        return role
    if tag == "a":
        return "link" if "href" in attrs else _by_behaviour(node)
    if tag == "input":
        kind = attrs.get("type", "text").lower()
        role = _INPUT_ROLES.get(kind, "textbox")
        return "combobox" if "list" in attrs and role in ("textbox", "searchbox") else role
    if tag == "select":
        return "listbox" if "multiple" in attrs or attrs.get("size", "1") not in ("", "0", "1") else "combobox"
    if tag == "img":
        return "img" if attrs.get("alt") or attrs.get("aria-label") or attrs.get("title") else ""
    if tag == "th":
        return "rowheader" if attrs.get("scope") in ("row", "rowgroup") else "columnheader"
    if tag in ("header", "footer"):
        at = node.parent
        while at is not None:
            if at.tag in _SECTIONS:
                return ""
            at = at.parent
        return "banner" if tag == "header" else "contentinfo"
    if tag in ("form", "section"):
        named = "aria-label" in attrs or "aria-labelledby" in attrs or "title" in attrs
        return ("form" if tag == "form" else "region") if named else _by_behaviour(node)
    return _by_behaviour(node)


def _by_behaviour(node: Node) -> str:
    attrs = node.attrs
    if not attrs or BEHAVIOUR.isdisjoint(attrs) or not interactive(node):
        return ""
    return "generic" if attrs.keys() & BEHAVIOUR <= {"data-tw-hover", "draggable", "tabindex"} else "button"


def level_of(heading: Node) -> int:
    """Return the level of a heading, 1 to 6."""
    level = heading.attrs.get("aria-level", "")
    if level in ("1", "2", "3", "4", "5", "6"):
        return int(level)
    return int(heading.tag[1]) if len(heading.tag) == 2 and heading.tag[1].isdecimal() else 2


def text_of(node: Node) -> str:
    """Return the visible text in the element, white space collapsed, without the contents of its form fields.

    For a field itself, return its options or its text.
    """
    if node.tag == "textarea":
        return " ".join("".join([child for child in node.children if isinstance(child, str)]).split())
    return gathered(node, False, 0)[0]


def gathered(node: Node, naming: bool, most: int) -> tuple[str, bool]:
    """Return the text in the element, and whether a numbered element is in it.

    Args:
        node: The element.
        naming: Pictures count with their texts, labels of parts go before their texts.
        most: Look at this many parts only; 0: at all.
    """
    children = node.children
    if len(children) == 1 and isinstance(children[0], str):
        return " ".join(children[0].split()), False
    closed = node.tag == "details" and "open" not in node.attrs
    numbered = False
    out: list[str] = []
    stack: list[Node | str] = [summary_of(node) or ""] if closed else children[::-1]
    left = most or -1
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        left -= 1
        if left == 0:
            break
        tag, attrs = item.tag, item.attrs
        if tag in _UNSEEN or (attrs and ("hidden" in attrs or UNSEEN in attrs)) or hides(item):
            continue
        if item.number:
            numbered = True
        if tag in ("input", "select", "textarea"):
            continue
        if naming and attrs:
            said = attrs.get("aria-label", "").strip() or (attrs.get("alt", "") if tag == "img" else "")
            if said:
                out.append(f" {said} ")
                continue
        inside: Iterable[Node | str] = item.children[::-1]
        if tag == "details" and "open" not in attrs:
            inside = [summary_of(item) or ""]
        if tag in _BLOCKS:
            out.append(" ")
            stack.append(" ")
        stack += inside
    return " ".join("".join(out).split()), numbered


def labels_of(nodes: Node | Iterable[Node]) -> dict[str, list[Node]]:
    """Return the labels of a page (or among some nodes) by the ``id`` they are for."""
    labels: dict[str, list[Node]] = {}
    for node in walk(nodes) if isinstance(nodes, Node) else nodes:
        if node.tag == "label" and "for" in node.attrs:
            labels.setdefault(node.attrs["for"], []).append(node)
    return labels


def name_of(node: Node, labels: dict[str, list[Node]] | None = None) -> str:
    """Return the element's accessible name, white space collapsed, at most 400 characters.

    In this order: ``aria-labelledby``, ``aria-label``; for a field its labels (``for`` or around it), for a button-like
    input its value, for pictures ``alt``, for groups, tables and figures their legend or caption; the text in it, for
    what is named by its content; ``title``; ``placeholder``.

    Args:
        node: The element.
        labels: Those of the page (`labels_of`), where many names are asked for.
    """
    return name_in(_name(node, labels))


def name_in(text: str) -> str:
    """Return the text with its white space collapsed, cut to the length of a name."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"


def _name(node: Node, labels: dict[str, list[Node]] | None) -> str:
    tag, attrs = node.tag, node.attrs
    if attrs:
        if "aria-labelledby" in attrs:
            root = root_of(node)
            found = [by_id(root, name) for name in attrs["aria-labelledby"].split()[:8]]
            said = " ".join([gathered(part, True, _MAX_PARTS)[0] for part in found if part is not None])
            if said.strip():
                return said.strip()
        if "aria-label" in attrs and (said := " ".join(attrs["aria-label"].split())):
            return said
    said = _native(node, labels)
    if said:
        return said
    if tag not in _LABELLED and role_of(node) in _NAMED_BY_CONTENT | {"generic"}:
        said = gathered(node, True, _MAX_PARTS)[0]
        if said:
            return said
    return " ".join((attrs.get("title") or attrs.get("placeholder", "")).split()) if attrs else ""


def _native(node: Node, labels: dict[str, list[Node]] | None) -> str:
    """Return the name that the element's own kind gives it."""
    tag, attrs = node.tag, node.attrs
    if tag in ("a", "button"):
        return ""
    if tag in _LABELLED:
        kind = attrs.get("type", "").lower() if tag == "input" else ""
        if kind in ("submit", "reset", "button", "image"):
            said = attrs.get("alt", "") if kind == "image" else attrs.get("value", "")
            fallback = {"submit": "Submit", "reset": "Reset", "image": "Submit"}.get(kind, "")
            return " ".join(said.split()) or ("" if "title" in attrs else fallback)
        return " ".join([gathered(label, True, _MAX_PARTS)[0] for label in labels_for(node, labels)])
    if tag in ("img", "area"):
        return " ".join(attrs.get("alt", "").split())
    if tag in ("option", "optgroup"):
        return " ".join(attrs.get("label", "").split())
    part = {"fieldset": "legend", "table": "caption", "figure": "figcaption", "details": "summary"}.get(tag)
    for child in node.children if part else ():
        if isinstance(child, Node) and child.tag == part:
            return gathered(child, True, _MAX_PARTS)[0]
    return ""


def labels_for(node: Node, labels: dict[str, list[Node]] | None) -> list[Node]:
    """Return the labels of a field: those ``for`` it, and the one around it."""
    found: list[Node] = []
    if "id" in node.attrs:
        found += (labels_of(root_of(node)) if labels is None else labels).get(node.attrs["id"], [])
    at = node.parent
    while at is not None:
        if at.tag == "label":
            if "for" not in at.attrs and at not in found:
                found.append(at)
            break
        at = at.parent
    return found
