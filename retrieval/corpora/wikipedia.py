"""Documents from Wikipedia: its pages-articles dump, and the files that WikiExtractor makes from it.

Source: https://www.mediawiki.org/wiki/Help:Export (the dump), https://github.com/attardi/wikiextractor (its output).
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from turnwise.core.errors import SettingsError
from turnwise.core.rows import Reading, lines_of, open_bytes
from turnwise.retrieval.corpora.wikitext import FILES, plain_text

__all__ = ["Entry", "read_dump", "read_extracted"]

Entry = tuple[str, str, str, str]
"""Id, title, text, and location."""

_BLOCK = 1 << 18
_DOC = re.compile(r"<doc\s([^<>]*)>\s*")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def read_extracted(path: str, reading: Reading) -> Iterator[Entry]:
    """Read the pages in a file of ``<doc id=... url=... title=...>`` blocks."""
    opened = ""  # location of the block that is being read
    names: dict[str, str] = {}
    lines: list[str] = []
    for line, where in lines_of(path, reading):
        start = _DOC.fullmatch(line)
        if start and not opened:
            names, lines, opened = dict(_ATTRIBUTE.findall(start[1])), [], where
            if not names.get("id") or "title" not in names:
                reading.problem(where, f"{line[:80]!r} must have an id and a title")
        elif start:
            reading.problem(opened, f"the block is not closed by </doc> before the next one, at {where}")
            names, lines, opened = dict(_ATTRIBUTE.findall(start[1])), [], where
        elif line.strip() == "</doc>" and opened:
            if names.get("id") and "title" in names:
                title = html.unescape(names["title"])
                yield names["id"], title, _body(lines, title), opened
            opened = ""
        elif opened:
            lines.append(html.unescape(line))
        elif line.strip():
            reading.problem(where, f"{line[:80]!r} stands outside of any <doc> block")
    if opened:
        reading.problem(opened, "the block is not closed by </doc>; the file is cut off")


def _body(lines: list[str], title: str) -> str:
    """Return the text without the title that is repeated above it."""
    text = "\n".join(lines).strip()
    first, _, rest = text.partition("\n")
    return rest.strip() if first.strip() == title.strip() else text


def read_dump(path: str, reading: Reading) -> Iterator[Entry]:
    """Stream the articles of a dump (XML, plain or compressed): pages of the main namespace that are not redirects.

    Pages left out are counted in ``reading.skipped``. A truncated file is a problem; the pages before its end are read.
    """
    pages = _Pages(path)
    with open_bytes(path) as file:
        done = False
        while not done:
            block = file.read(_BLOCK)
            done = not block
            try:
                pages.parser.Parse(block, done)
            except expat.ExpatError as error:
                reading.problem(f"{path}:{error.lineno}", f"{error}; nothing after it was read")
                done = True
            for page in pages.done:
                if page.redirect:
                    reading.skipped["redirects"] += 1
                elif page.fields.get("ns", "0").strip() != "0":
                    reading.skipped["pages outside of the main namespace"] += 1
                elif not page.fields.get("id", "").strip() or not page.fields.get("title", "").strip():
                    reading.problem(page.where, "the page must have an id and a title")
                elif text := plain_text(page.fields.get("text", ""), tuple(pages.dropped)):
                    yield page.fields["id"].strip(), page.fields["title"].strip(), text, page.where
                else:
                    reading.skipped["pages without prose"] += 1
            pages.done.clear()


@dataclass
class _Page:
    where: str
    redirect: bool = False
    fields: dict[str, str] = field(default_factory=dict)


class _Pages:
    """Collects pages while a dump is parsed."""

    def __init__(self, path: str):
        self.path = path
        self.done: list[_Page] = []
        self.dropped = set(FILES)  # namespaces by their names in the dump's language
        self._page: _Page | None = None
        self._names: list[str] = []
        self._text: list[str] | None = None
        self._drops = False
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.buffer_size = 1 << 16
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.EntityDeclHandler = self._entity

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition("}")[2]
        self._names.append(name)
        if name == "page":
            self._page = _Page(f"{self.path}:{self.parser.CurrentLineNumber}")
        elif self._page is not None and name == "redirect":
            self._page.redirect = True
        elif name == "namespace":
            self._drops = attributes.get("key") in ("6", "14")  # files and categories
            self._text = []
        elif self._page is not None and (
            self._names[-2:] == ["revision", "text"] or (self._names[-2] == "page" and name in ("title", "ns", "id"))
        ):
            self._text = []

    def _data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        name = self._names.pop()
        if name == "page" and self._page is not None:
            self.done.append(self._page)
            self._page = None
        elif self._text is not None:
            text, self._text = "".join(self._text), None
            if name != "namespace" and self._page is not None:
                self._page.fields[name] = text
            elif self._drops:
                self.dropped.add(text)

    def _entity(self, *_: object) -> None:
        raise SettingsError(
            f"{self.path}:{self.parser.CurrentLineNumber}: it defines its own entities, which no dump does"
        )
