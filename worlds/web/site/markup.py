"""HTML writing: every plain text is escaped, and forms, tables and lists look alike on all sites.

Each function takes texts and `Markup` and returns `Markup`; a plain ``str`` is never treated as HTML.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape as _html_escape
from typing import TypeAlias

from markupsafe import Markup, escape

__all__ = [
    "Markup",
    "area",
    "button",
    "card",
    "checkbox",
    "choices",
    "counted",
    "date_field",
    "definitions",
    "dialog",
    "escape",
    "field",
    "form",
    "heading",
    "hidden",
    "items",
    "join",
    "link",
    "note",
    "number_field",
    "pager",
    "panel",
    "paragraph",
    "picture",
    "post_button",
    "radios",
    "rich",
    "search_form",
    "section",
    "sorts",
    "table",
    "tag",
    "void",
]  # fmt: skip

Content: TypeAlias = "str | Iterable[Content]"


_escaped = lru_cache(8_192)(_html_escape)  # pages repeat their words
_made = str.__new__  # `Markup(text)` asks each text whether it is HTML already; these are
_NAMES: dict[str, str] = {}  # of attributes, as HTML writes them


def join(*parts: Content) -> Markup:
    """Concatenate parts; lists are flattened, plain texts escaped."""
    return _made(Markup, _text(parts))


def _text(content: Content) -> str:
    if isinstance(content, str):
        return content if type(content) is Markup else _escaped(str(content))
    return "".join([part if type(part) is Markup else _text(part) for part in content])


def _attributes(attributes: Mapping[str, object]) -> str:
    """Write ``class_="x"``, ``data_tw_get="/y"``, ``hidden=True``, with hyphens for underscores inside names."""
    words = ""
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        written = _NAMES.get(name)
        if written is None:
            written = _NAMES[name] = name.rstrip("_").replace("_", "-")
        words += f" {written}" if value is True else f' {written}="{_escaped(str(value))}"'
    return words


def tag(name: str, /, *content: Content, **attributes: object) -> Markup:
    """Return an element: ``tag("p", "text", class_="note")``."""
    inner = _text(content[0]) if len(content) == 1 else _text(content)
    return _made(Markup, f"<{name}{_attributes(attributes) if attributes else ''}>{inner}</{name}>")


def void(name: str, /, **attributes: object) -> Markup:
    """Return an element that has no content: ``void("input", name="q")``."""
    return _made(Markup, f"<{name}{_attributes(attributes)}>")


def picture(description: str) -> Markup:
    """Return a picture of which only the description is there."""
    return void("img", alt=description)


def heading(text: str, level: int = 1) -> Markup:
    """Return a heading of level 1 to 6."""
    return tag(f"h{level}", text)


def paragraph(*content: Content, **attributes: object) -> Markup:
    """Return a paragraph."""
    return tag("p", *content, **attributes)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 order", "2 orders"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def rich(text: str) -> Markup:
    """Return a user's text, each of its lines a paragraph."""
    return join([tag("p", line) for line in text.split("\n") if line.strip()])


def link(href: str, text: Content, **attributes: object) -> Markup:
    """Return a link."""
    return tag("a", text, href=href, **attributes)


def items(entries: Iterable[Content], ordered: bool = False, empty: str = "", **attributes: object) -> Markup:
    """Return a list, or the paragraph ``empty`` if that is given and there are no entries."""
    entries = list(entries)
    if empty and not entries:
        return paragraph(empty)
    return tag("ol" if ordered else "ul", [tag("li", entry) for entry in entries], **attributes)


def definitions(pairs: Iterable[tuple[str, Content]]) -> Markup:
    """Return a two-column table of names and values."""
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in pairs]
    return tag("table", tag("tbody", rows), class_="definitions")


def table(headers: Sequence[Content], rows: Iterable[Sequence[Content]], caption: str = "", empty: str = "") -> Markup:
    """Return a table with a row of headers, or the paragraph ``empty`` if that is given and there are no rows."""
    rows = list(rows)
    if empty and not rows:
        return paragraph(empty)
    head = "".join([f'<th scope="col">{_text(header)}</th>' for header in headers])
    body = "".join(["<tr>" + "".join([f"<td>{_text(cell)}</td>" for cell in row]) + "</tr>" for row in rows])
    above = f"<caption>{_text(caption)}</caption>" if caption else ""
    return _made(Markup, f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def section(title: str, *content: Content, level: int = 2, **attributes: object) -> Markup:
    """Return a section with a heading."""
    return tag("section", heading(title, level), *content, **attributes)


def card(*content: Content, **attributes: object) -> Markup:
    """Return an article, one of several alike."""
    return tag("article", *content, **attributes)


def panel(id: str, *content: Content, hidden: bool = True, group: str | None = None) -> Markup:
    """Return an element that ``data-tw-toggle``, ``-tab`` or ``-hover`` shows."""
    return tag("div", *content, id=id, hidden=hidden, data_tw_group=group)


def dialog(id: str, title: str, *content: Content, hidden: bool = False) -> Markup:
    """Return a pop-up that must be closed before anything else on the page can be used."""
    close = tag("button", "Close", type="button", data_tw_remove=id)
    return tag("div", heading(title, 2), *content, close, id=id, role="dialog", aria_label=title, data_tw_modal=True,
               hidden=hidden)  # fmt: skip


def note(text: Content, kind: str = "status") -> Markup:
    """Return a message of kind "status" or "alert"."""
    return tag("div", text, role=kind, class_=f"note {kind}")


def form(
    action: str, *content: Content, submit: str | None = "Save", method: str = "post", **attributes: object
) -> Markup:
    """Return a form; ``submit`` is the text of its button, None for no button."""
    end = tag("button", submit, type="submit") if submit is not None else ""
    return tag("form", *content, end, action=action, method=method, novalidate=True, **attributes)


def post_button(action: str, text: str, /, **values: object) -> Markup:
    """Return a form that is one button and posts ``values``."""
    return form(action, [hidden(name, value) for name, value in values.items()], submit=text, class_="inline")


def button(text: str, **attributes: object) -> Markup:
    """Return a button, of type "submit" by default."""
    return tag("button", text, **{"type": "submit", **attributes})


def hidden(name: str, value: object) -> Markup:
    """Return a hidden field."""
    return void("input", type="hidden", name=name, value=value)


def _labelled(label: str, control: Markup, error: str = "") -> Markup:
    return tag(
        "p",
        tag("label", tag("span", label), control),
        tag("strong", error, role="alert") if error else "",
        class_="field",
    )


def field(
    label: str, name: str, value: object = "", type: str = "text", error: str = "", **attributes: object
) -> Markup:
    """Return a labelled text field."""
    control = void("input", type=type, name=name, value=value, **attributes)
    return _labelled(label, control, error)


def number_field(label: str, name: str, value: object = "", error: str = "") -> Markup:
    """Return a labelled field for a number. It accepts any text: the server reports what is wrong."""
    return field(label, name, value, error=error, inputmode="numeric")


def date_field(label: str, name: str, value: object = "", error: str = "") -> Markup:
    """Return a labelled field for a date, YYYY-MM-DD. It accepts any text: the server reports what is wrong."""
    return field(label, name, value, error=error, placeholder="YYYY-MM-DD")


def area(label: str, name: str, value: str = "", error: str = "") -> Markup:
    """Return a labelled field of several lines."""
    return _labelled(label, tag("textarea", "\n", value, name=name), error)


def choices(
    label: str,
    name: str,
    options: Iterable[str | tuple[object, str]],
    chosen: object = None,
    error: str = "",
    **attributes: object,
) -> Markup:
    """Return a labelled drop-down list; an option is its text, or its value and its text."""
    inner, wanted = "", str(chosen)
    for option in options:
        value, text = (option, option) if isinstance(option, str) else option
        mark = " selected" if str(value) == wanted else ""
        inner += f'<option value="{_escaped(str(value))}"{mark}>{_text(text)}</option>'
    return _labelled(label, tag("select", _made(Markup, inner), name=name, **attributes), error)


def checkbox(label: str, name: str, checked: bool = False, value: str = "on") -> Markup:
    """Return a labelled check box."""
    control = void("input", type="checkbox", name=name, value=value, checked=checked)
    return tag("p", tag("label", control, " ", tag("span", label)), class_="field")


def radios(
    legend: str, name: str, options: Iterable[str | tuple[object, str]], chosen: object = None, error: str = ""
) -> Markup:
    """Return a group of radio buttons."""
    inner = []
    for option in options:
        value, text = (option, option) if isinstance(option, str) else option
        control = void("input", type="radio", name=name, value=value, checked=str(value) == str(chosen))
        inner.append(tag("label", control, " ", tag("span", text)))
    return tag("fieldset", tag("legend", legend), inner, tag("strong", error, role="alert") if error else "")


def search_form(action: str, value: str = "", label: str = "Search", name: str = "q") -> Markup:
    """Return a search field with its button."""
    control = void("input", type="search", name=name, value=value, aria_label=label)
    return tag(
        "form",
        control,
        tag("button", label, type="submit"),
        action=action,
        method="get",
        role="search",
        novalidate=True,
    )


def pager(path: str, page: int, pages: int) -> Markup:
    """Return links to the previous and the next page; ``path`` must not have the parameter ``page``."""
    if pages <= 1:
        return Markup("")
    glue = "&" if "?" in path else "?"
    parts: list[str | Markup] = [f"Page {page} of {pages}"]
    if page > 1:
        parts.append(link(f"{path}{glue}page={page - 1}", "Previous"))
    if page < pages:
        parts.append(link(f"{path}{glue}page={page + 1}", "Next"))
    return tag("nav", [join(part, " ") for part in parts], aria_label="Pages")


def sorts(text: str, path: str, orders: Mapping[str, str], chosen: str) -> Markup:
    """Return links to the orders of a list, by name and text; ``path`` ends where ``sort=name`` follows."""
    links = [label if name == chosen else link(f"{path}sort={name}", label) for name, label in orders.items()]
    return tag("nav", text, [[part, " "] for part in links], aria_label="Sort")
