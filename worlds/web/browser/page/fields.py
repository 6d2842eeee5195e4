"""What form fields contain: whether they can be used, their options, their values."""

from turnwise.worlds.web.browser.page.roles import gathered, name_in, role_of
from turnwise.worlds.web.browser.page.tree import Node, walk

__all__ = ["chosen", "disabled", "option_name", "option_value", "options_of", "value_of"]


def disabled(node: Node) -> bool:
    """Whether a control is disabled, itself or by a ``<fieldset disabled>`` around it (except in its legend)."""
    if node.tag not in ("button", "fieldset", "input", "optgroup", "option", "select", "textarea"):
        return False
    if "disabled" in node.attrs:
        return True
    below, at = node, node.parent
    while at is not None:
        if "disabled" in at.attrs:
            if at.tag == "fieldset":
                legend = next(
                    (child for child in at.children if isinstance(child, Node) and child.tag == "legend"), None
                )
                if below is not legend:
                    return True
            elif at.tag == "optgroup" and node.tag == "option":
                return True
        below, at = at, at.parent
    return False


def options_of(select: Node) -> list[Node]:
    """Return the options of a ``<select>`` or ``<datalist>``, in order."""
    options = []
    for child in select.children:
        if isinstance(child, Node):
            if child.tag == "option":
                options.append(child)
            elif child.children:
                options += [node for node in walk(child) if node.tag == "option"]
    return options


def option_name(option: Node) -> str:
    """Return an option's label, else its text."""
    return name_in(option.attrs.get("label") or gathered(option, False, 0)[0])


def option_value(option: Node) -> str:
    """Return what an option sends: its ``value``, else its text."""
    value = option.attrs.get("value")
    return gathered(option, False, 0)[0] if value is None else value


def chosen(select: Node, options: list[Node] | None = None) -> list[Node]:
    """Return the selected options: of a drop-down list the last one marked, else the first that is not disabled.

    Args:
        select: The field.
        options: Its options, if they are known.
    """
    options = options_of(select) if options is None else options
    marked = [option for option in options if "selected" in option.attrs]
    if "multiple" in select.attrs:
        return marked
    if marked or role_of(select) == "listbox":
        return marked[-1:]
    return next(([option] for option in options if not disabled(option)), [])


def value_of(field: Node) -> str:
    """Return a field's value; of a select its (first) chosen option's, of a box ``"on"`` by default."""
    tag = field.tag
    if tag == "textarea":
        return "".join([child for child in field.children if isinstance(child, str)])
    if tag == "select":
        options = chosen(field)
        return option_value(options[0]) if options else ""
    box = field.attrs.get("type", "").lower() in ("checkbox", "radio")
    return field.attrs.get("value", "on" if box else "")
