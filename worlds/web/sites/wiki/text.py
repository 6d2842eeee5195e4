"""The wiki's own markup: an infobox in front, lines of text with links, lists and tables; and differences."""

import re
from collections.abc import Collection
from difflib import SequenceMatcher
from urllib.parse import quote

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup

__all__ = ["changed", "composed", "infobox", "links", "page_path", "render", "shown_as", "snippet", "without_box"]

_LINK = re.compile(r"\[\[([^\[\]|\n]{1,120})(?:\|([^\[\]|\n]{1,120}))?\]\]")
_ROW = re.compile(r"\| ([^=|\n]{1,40}) = ([^|\n]{0,200})")
_SENTENCE = re.compile(r"(?<=[.!?]) +")


def page_path(title: str, verb: str = "page") -> str:
    """Return the address of a page, or of ``verb`` (history, edit, talk, links) for it."""
    return f"/{verb}/{quote(title, safe='()')}"


def infobox(text: str) -> list[tuple[str, str]]:
    """Return the rows ``| Label = value`` in front of a page's text."""
    rows = []
    for line in text.split("\n"):
        match = _ROW.fullmatch(line)
        if match is None:
            break
        rows.append((match[1], match[2]))
    return rows


def without_box(text: str) -> str:
    """Return a page's text behind its infobox."""
    return "\n".join(text.split("\n")[len(infobox(text)) :]).strip()


def composed(box: Collection[tuple[str, str]], body: str) -> str:
    """Return a page's text from its two parts."""
    rows = "\n".join(f"| {label} = {value}" for label, value in box)
    return f"{rows}\n\n{body}".strip()


def links(text: str) -> list[str]:
    """Return the titles that a text links to, in order, each once."""
    return list(dict.fromkeys(match[1] for match in _LINK.finditer(text)))


def shown_as(text: str, title: str) -> str:
    """Return what the first link to a title is called, or "" if there is none."""
    found = next((match for match in _LINK.finditer(text) if match[1] == title), None)
    return "" if found is None else found[2] or found[1]


def render(text: str, known: Collection[str]) -> Markup:
    """Return a page's text as HTML; only the first mention of each of the ``known`` titles is a link."""
    linked: set[str] = set()

    def spans(line: str) -> list[str | Markup]:
        parts: list[str | Markup] = []
        at = 0
        for match in _LINK.finditer(line):
            title, shown = match[1], match[2] or match[1]
            new = title in known and title not in linked
            linked.add(title)
            parts += [line[at : match.start()], m.link(page_path(title), shown) if new else shown]
            at = match.end()
        return [*parts, line[at:]]

    box = [(label, spans(value)) for label, value in infobox(text)]
    entries = [m.tag("tr", m.tag("th", label, scope="row"), m.tag("td", value)) for label, value in box]
    found = [m.tag("table", m.tag("caption", "Infobox"), m.tag("tbody", entries), class_="definitions")] if box else []
    lines = without_box(text).split("\n")
    at = 0
    while at < len(lines):
        end = at
        if lines[at].startswith("- "):
            while end < len(lines) and lines[end].startswith("- "):
                end += 1
            found.append(m.items(spans(line[2:]) for line in lines[at:end]))
        elif lines[at].startswith("| "):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            rows = [[spans(cell) for cell in _cells(line)] for line in lines[at:end] if not line.startswith("|--")]
            found.append(m.table(rows[0], rows[1:]))
        else:
            end += 1
            if lines[at].strip():
                found.append(m.paragraph(spans(lines[at])))
        at = end
    return m.join(found)


def snippet(text: str, words: Collection[str], size: int = 120) -> str:
    """Return the sentence of a page that holds the most of the words; by default its first sentence."""
    lines = [f"{label}: {value}" for label, value in infobox(text)]
    for line in without_box(text).split("\n"):
        lines += [", ".join(_cells(line))] if line.startswith("|") else _SENTENCE.split(line.removeprefix("- "))
    lines = [_LINK.sub(lambda match: match[2] or match[1], line) for line in lines]
    sought = [word.lower() for word in words]
    best = max(lines, key=lambda line: (sum(word in line.lower() for word in sought), line.endswith(".")))
    if len(best) <= size:
        return best
    place = min([at for word in sought if (at := best.lower().find(word)) >= 0], default=0)
    start = best.find(" ", place - size // 2) + 1 if place > size // 2 else 0
    return f"{best[start : start + size].rpartition(' ')[0] or best[start : start + size]} …"


def _cells(line: str) -> list[str]:
    """Split a table's row into cells; a ``|`` within a link does not separate them."""
    kept = _LINK.sub(lambda match: match[0].replace("|", "\x00"), line)
    return [cell.strip().replace("\x00", "|") for cell in kept.strip().strip("|").split("|")]


def _units(text: str) -> list[str]:
    return [unit for line in text.split("\n") for unit in _SENTENCE.split(line) if unit]


def changed(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the sentences and lines that an edit removed, and those that it added."""
    old, new = _units(before), _units(after)
    gone, come = [], []
    for op, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op != "equal":
            gone += old[a:b]
            come += new[c:d]
    return gone, come
