"""HTML of any quality, repaired by the rules of the HTML standard, in bounded time and space."""

import re
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

from turnwise.worlds.web.browser.page import tree
from turnwise.worlds.web.words import words

__all__ = ["MAX_CHARS", "parse", "parse_document", "parse_fragment"]

MAX_CHARS = 8_000_000  # of a document; what stands behind is not read
MOST_KEPT = 40_000  # bytes of a document whose repaired text is kept
MAX_DEPTH = 512  # as in Chromium; lexbor's time grows with the square of the depth
MAX_OPEN_STYLES = 8  # <b>, <font>, … open at once: each paragraph after them repeats all of them

_STYLES = words("b big code em font i nobr s small strike strong tt u")
_CLOSED_BY_THE_NEXT = words("a dd dt form li optgroup option p rb rp rt rtc tbody td tfoot th thead tr")
_SPECIAL = words(  # an end tag of any other element closes nothing beyond these
    "address applet article aside blockquote body button caption center col colgroup dd details dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li listing main marquee "
    "menu nav noembed noframes noscript object ol p plaintext pre script search section select style summary table "
    "tbody td template textarea tfoot th thead title tr ul xmp"
)
_TEXT_ONLY = words("iframe noembed noframes noscript script style textarea title xmp")
_TOKEN = re.compile(
    r"""<(?:(/?)([a-zA-Z][^\s/>]*+)
    (?:[\s/]++|(?:=[^\s/>=]*+|[^\s/>=]++)(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|(?=>)))?+)*+>
    |!--(?:-?>|.*?(?:--!?>|\Z))|[!?/][^>]*+(?:>|\Z))""",
    re.DOTALL | re.VERBOSE,
)
_TAG_OPENS = re.compile("</?[a-zA-Z]")
_NEEDS_BROWSER = re.compile(r"<body\s[^>]*\bdata-tw-needs-browser", re.IGNORECASE)


def parse(html: str | bytes, live: bool = False) -> tree.Node:
    """Return the tree of a document, repaired as browsers do, its interactive elements numbered from 1.

    Never raises, whatever the text: bytes are UTF-8, and what is not becomes U+FFFD. What exceeds `MAX_CHARS`
    or `MAX_TAGS` is left out, and a last paragraph says so. A ``<noscript>`` has elements only where the body
    is marked ``data-tw-needs-browser`` and no browser has run the page.

    Args:
        html: A document.
        live: It is what Chromium made of the document: ``data-tw-n`` holds the numbers of its elements.

    Returns:
        The root, ``"#document"``.
    """
    return parse_document(html, live).root


def parse_document(html: str | bytes, live: bool = False) -> tree.Document:
    """Do the same as `parse`, and return what was met on the way."""
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html
    data, scripting = _prepared(text, live)
    repaired = (_repaired_before if len(data) <= MOST_KEPT else _repaired)(data, scripting)
    document = tree.built(repaired, tree.GIVEN_NUMBERS if live else tree.NEW_NUMBERS, scripting)
    if len(text) > MAX_CHARS or not document.whole:
        root = document.root
        note = tree.Node("p")
        note.append("(The page is too long: the rest is left out.)")
        next((node for node in tree.walk(root) if node.tag == "body"), root).append(note)
    return document


def _repaired(data: bytes, scripting: bool) -> str:
    """Return a document as browsers repair it."""
    return LexborHTMLParser(data, scripting=scripting).html or ""


_repaired_before = lru_cache(64)(_repaired)  # pages are often loaded several times


def parse_fragment(html: str | bytes, context: str = "div") -> list[tree.Node | str]:
    """Return the children that setting ``innerHTML`` of a ``context`` element would give; without numbers."""
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html
    data, scripting = _prepared(text, False)
    parser = LexborHTMLParser(data, is_fragment=True, fragment_tag=context, scripting=scripting)
    root = tree.built(parser.html or "", tree.NO_NUMBERS, scripting).root
    for child in root.children:
        if isinstance(child, tree.Node):
            child.parent = None
    return root.children


def _prepared(text: str, live: bool) -> tuple[bytes, bool]:
    """Return what is given to lexbor, and whether ``<noscript>`` is inactive."""
    if len(text) > MAX_CHARS:
        text = text[:MAX_CHARS]
    try:
        data = text.encode()
    except UnicodeEncodeError:  # lone surrogates
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        data = text.encode()
    if text.count("<") > 2_000:
        tamed = _tamed(text)
        data = data if tamed is None else tamed.encode()
    return data, live or "data-tw-needs-browser" not in text or not _NEEDS_BROWSER.search(text)


def _tamed(text: str) -> str | None:
    """Return the text without tags nested deeper than in any real page, or None if there are none.

    What lexbor costs grows with the product of depth and tags (100,000 nested tags took 26 s), and with the product of
    open style tags and paragraphs. The depth here is that of the parser or more: where it is not sure that an end tag
    closes anything, it does not.
    """
    changed = "<![CDATA[" in text
    text = text.replace("<![CDATA[", "&lt;![CDATA[")  # a text in SVG, a comment elsewhere: now a text everywhere
    foreign = "<svg" in text.lower() or "<math" in text.lower()  # in these a <title> may hold elements
    opened: list[str] = []
    styles = at = done = raw_to = 0
    parts: list[str] = []
    endless: set[str] = set()
    while (at := text.find("<", at)) >= 0:
        match = _TOKEN.match(text, at)
        if match is None:
            if _TAG_OPENS.match(text, at):  # and never ends: the rest is part of it
                break
            at += 1
            continue
        at = match.end()
        if match[2] is None:
            continue
        tag = match[2].lower()
        if tag in tree.VOID or tag in _CLOSED_BY_THE_NEXT:
            continue
        if match[1]:
            if match.start() >= raw_to and _closes(opened, tag):
                styles = sum(name in _STYLES for name in opened) if styles else 0
            elif len(opened) > MAX_DEPTH:
                parts.append(text[done : match.start()])
                done = at
            continue
        if tag in _TEXT_ONLY and at > raw_to and tag not in endless:
            end = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(text, at)
            if end is None:
                endless.add(tag)
            else:
                raw_to = end.start()
                at = at if foreign else raw_to
        style = tag in _STYLES
        if len(opened) >= MAX_DEPTH or (style and styles >= MAX_OPEN_STYLES):
            parts.append(text[done : match.start()])
            done = match.end()
        else:
            opened.append(tag)
            styles += style
    return "".join([*parts, text[done:]]) if done or changed else None


def _closes(opened: list[str], tag: str) -> bool:
    """Remove from the open elements what an end tag closes, if anything."""
    for i in range(len(opened) - 1, max(-1, len(opened) - 65), -1):
        if opened[i] == tag:
            del opened[i:]
            return True
        if opened[i] == "table" or (tag not in _SPECIAL and opened[i] in _SPECIAL):
            return False
    return False
