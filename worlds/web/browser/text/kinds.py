"""How an element takes part in the lines of a page."""

from turnwise.worlds.web.browser.page.roles import hides, role_of
from turnwise.worlds.web.browser.page.tree import UNSEEN, Node
from turnwise.worlds.web.words import words

__all__ = ["KINDS", "TELLING", "Kind", "controls", "kind_of", "only_links"]


class Kind:
    """Kinds of elements; whole numbers, because they are compared for every node of a page."""

    INLINE, SKIP, BLOCK, ROW, CELL, ITEM, BREAK, HEADING, LANDMARK, LABEL, PRE, TERM, MEANING = range(13)
    NAME, PICTURE, DETAILS, PREFIX, LIST, GAUGE, NOSCRIPT = range(13, 20)


KINDS = {
    **dict.fromkeys(
        ("address", "blockquote", "body", "center", "dir", "div", "dl", "figcaption", "figure", "form"), Kind.BLOCK
    ),
    **dict.fromkeys(("hgroup", "hr", "option", "optgroup", "p", "section", "tbody", "tfoot", "thead"), Kind.BLOCK),
    **dict.fromkeys(
        ("article", "aside", "dialog", "fieldset", "footer", "header", "main", "search", "table"), Kind.LANDMARK
    ),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), Kind.HEADING),
    **dict.fromkeys(
        ("audio", "canvas", "datalist", "embed", "frameset", "head", "iframe", "noembed", "noframes"), Kind.SKIP
    ),
    **dict.fromkeys(("object", "script", "style", "svg", "template", "title", "video"), Kind.SKIP),
    **dict.fromkeys(("menu", "ol", "ul"), Kind.LIST),
    **dict.fromkeys(("td", "th"), Kind.CELL),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), Kind.PRE),
    **dict.fromkeys(("caption", "legend"), Kind.NAME),
    **dict.fromkeys(("meter", "progress"), Kind.GAUGE),
    "br": Kind.BREAK,
    "dd": Kind.MEANING,
    "details": Kind.DETAILS,
    "dt": Kind.TERM,
    "img": Kind.PICTURE,
    "label": Kind.LABEL,
    "li": Kind.ITEM,
    "nav": Kind.LANDMARK,
    "noscript": Kind.NOSCRIPT,
    "tr": Kind.ROW,
}
_BY_ROLE = {
    **dict.fromkeys(("alertdialog", "article", "banner", "complementary", "contentinfo", "dialog"), Kind.LANDMARK),
    **dict.fromkeys(("group", "main", "menu", "menubar", "radiogroup", "region", "search", "tablist"), Kind.LANDMARK),
    **dict.fromkeys(("form", "tabpanel", "toolbar", "tree"), Kind.LANDMARK),
    **dict.fromkeys(("alert", "log", "status", "tooltip"), Kind.PREFIX),
    "heading": Kind.HEADING,
    "img": Kind.PICTURE,
    "navigation": Kind.LANDMARK,
}
TELLING = words("aria-label aria-labelledby data-tw-modal hidden role title") | {UNSEEN}


def kind_of(node: Node, kind: int) -> int:
    """The kind of a node with a role or a name of its own."""
    if kind == Kind.SKIP:
        return Kind.PICTURE if node.tag == "svg" and role_of(node) == "img" else kind
    if "data-tw-modal" in node.attrs:
        return Kind.LANDMARK
    if "role" in node.attrs:
        role = role_of(node)
        if kind == Kind.LANDMARK and not role:
            return Kind.BLOCK
        return _BY_ROLE.get(role, kind)
    if node.tag in ("form", "section") and role_of(node):
        return Kind.LANDMARK
    return kind


def controls(node: Node) -> list[Node]:
    """The outermost visible elements with numbers in the node."""
    found: list[Node] = []
    stack = node.children[::-1]
    while stack:
        item = stack.pop()
        if isinstance(item, str) or "hidden" in item.attrs or hides(item):
            continue
        if item.number and UNSEEN not in item.attrs:
            found.append(item)
        else:
            stack += item.children[::-1]
    return found


def only_links(node: Node) -> bool:
    """Whether each item of a list is one link or button."""
    for item in node.children:
        if isinstance(item, str):
            if item.strip():
                return False
        elif item.tag != "li" or len(item.children) != 1:
            return False
        else:
            only = item.children[0]
            if isinstance(only, str) or only.tag not in ("a", "button"):
                return False
    return True
