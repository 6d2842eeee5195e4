"""What pages do without asking for a new document, declared by ``data-tw-*`` attributes.

This is for the driver without a browser; ``worlds/web/browser/data/tw.js`` does the same in a real one. Keep them
equal.

| attribute | on | does |
|---|---|---|
| ``data-tw-toggle="ID"`` | anything | a click shows or hides that element; ``aria-expanded`` follows |
| ``data-tw-tab="ID"`` | anything | a click shows that element and hides the others of its ``data-tw-group`` |
| ``data-tw-remove="ID"`` | anything | a click removes that element |
| ``data-tw-hover="ID"`` | anything | hovering shows that element, until something else is hovered or clicked |
| ``data-tw-get="/path"`` | anything | fetches a fragment into ``data-tw-target="ID"`` |
| ``data-tw-on`` | with ``-get`` | "click", "input" or "change"; by default what is usual for the element |
| ``data-tw-swap`` | with ``-get`` | "inner" (the default) replaces what is there, "append" adds to it |
| ``data-tw-submit`` | a field | changing it sends its form |
| ``data-tw-modal`` | a pop-up | while it is shown, nothing outside can be used; Escape is a click on what removes it |
"""

from collections.abc import Callable
from typing import TypeAlias

from turnwise.worlds.web.browser.page.dom import Node, by_id, parse_fragment, walk
from turnwise.worlds.web.browser.page.forms import entries, form_of, kind_of, own_entry

__all__ = ["Fetch", "clicked", "hover", "leave", "run", "tell", "wants_submit"]

Fetch: TypeAlias = Callable[[str, list[tuple[str, str]]], str | None]
"""From a path and fields to the fragment; None if the answer is not a success."""
_HOVERED = "data-tw-hovered"  # whose panel is open; in the tree, so that copies have it


def _event_of(node: Node) -> str:
    """Return the event on which an element fetches."""
    said = node.attrs.get("data-tw-on")
    if said:
        return said
    if node.tag == "select" or (node.tag == "input" and kind_of(node) in ("checkbox", "radio")):
        return "change"
    return "input" if node.tag in ("input", "textarea") else "click"


def clicked(node: Node) -> Node | None:
    """Return the nearest element, the node itself or around it, that a click acts on."""
    at: Node | None = node
    while at is not None:
        attrs = at.attrs
        if attrs and (
            "data-tw-toggle" in attrs
            or "data-tw-tab" in attrs
            or "data-tw-remove" in attrs
            or ("data-tw-get" in attrs and _event_of(at) == "click")
        ):
            return at
        at = at.parent
    return None


def run(root: Node, node: Node, fetch: Fetch) -> None:
    """Do what an element has to do on a click."""
    attrs = node.attrs
    if "data-tw-toggle" in attrs:
        _toggle(root, node)
    if "data-tw-tab" in attrs:
        _choose(root, node)
    if "data-tw-get" in attrs and _event_of(node) == "click":
        _load(root, node, fetch)
    if "data-tw-remove" in attrs and (gone := by_id(root, attrs["data-tw-remove"])) is not None:
        gone.remove()


def tell(root: Node, node: Node, event: str, fetch: Fetch) -> None:
    """Dispatch an event to a field, "input" or "change"."""
    if "data-tw-get" in node.attrs and _event_of(node) == event:
        _load(root, node, fetch)


def wants_submit(node: Node) -> Node | None:
    """Return the form that a change of this field submits."""
    return form_of(node) if "data-tw-submit" in node.attrs else None


def hover(root: Node, node: Node) -> bool:
    """Move the pointer over a node, and return whether a panel is open now."""
    still = leave(root, node)
    at: Node | None = node
    while at is not None and "data-tw-hover" not in at.attrs:
        at = at.parent
    panel = by_id(root, at.attrs["data-tw-hover"]) if at is not None else None
    if at is None or panel is None:
        return still
    for other in walk(root):
        other.attrs.pop(_HOVERED, None)
    at.attrs[_HOVERED] = ""
    panel.attrs.pop("hidden", None)
    return True


def leave(root: Node, node: Node) -> bool:
    """Hide the panel that hovering opened, unless the node is in it or opened it; return whether it is still open."""
    opener = next((other for other in walk(root) if _HOVERED in other.attrs), None)
    if opener is None:
        return False
    panel = by_id(root, opener.attrs.get("data-tw-hover", ""))
    at: Node | None = node
    while at is not None:
        if at is opener or at is panel:
            return True
        at = at.parent
    if panel is not None:
        panel.attrs["hidden"] = ""
    del opener.attrs[_HOVERED]
    return False


def _toggle(root: Node, node: Node) -> None:
    panel = by_id(root, node.attrs["data-tw-toggle"])
    if panel is None:
        return
    if "hidden" in panel.attrs:
        del panel.attrs["hidden"]
    else:
        panel.attrs["hidden"] = ""
    node.attrs["aria-expanded"] = "false" if "hidden" in panel.attrs else "true"


def _choose(root: Node, node: Node) -> None:
    panel = by_id(root, node.attrs["data-tw-tab"])
    if panel is None:
        return
    group = panel.attrs.get("data-tw-group")
    groups: dict[str, str | None] = {}
    tabs: list[Node] = []
    for other in walk(root):
        attrs = other.attrs
        if "id" in attrs:
            groups.setdefault(attrs["id"], attrs.get("data-tw-group"))
        if "data-tw-group" in attrs and attrs["data-tw-group"] == group and other is not panel:
            attrs["hidden"] = ""
        if "data-tw-tab" in attrs:
            tabs.append(other)
    panel.attrs.pop("hidden", None)
    for tab in tabs:
        name = tab.attrs["data-tw-tab"]
        if name in groups and groups[name] == group:
            tab.attrs["aria-selected"] = "true" if name == panel.attrs["id"] else "false"


def _load(root: Node, node: Node, fetch: Fetch) -> None:
    form = form_of(node)
    html = fetch(node.attrs["data-tw-get"], entries(form) if form is not None else own_entry(node))
    target = by_id(root, node.attrs.get("data-tw-target", ""))
    if html is None or target is None:
        return
    if node.attrs.get("data-tw-swap") != "append":
        target.children = []
    for child in parse_fragment(html, target.tag):
        target.append(child)
