"""Plain text of a page in Wikipedia's markup."""

import html
import re
from collections import Counter

__all__ = ["plain_text"]

_DROPPED = (  # elements whose content is not prose
    "ref", "references", "math", "chem", "ce", "gallery", "timeline", "score", "syntaxhighlight", "source", "imagemap",
    "hiero", "mapframe", "maplink", "templatedata", "graph", "table", "inputbox",
)  # fmt: skip
_TOKEN = re.compile(
    r"(?P<open>\{\{|\[\[|^[ \t:]*\{\|)|(?P<close>\}\}|\]\]|^[ \t]*\|\}(?!\}))"
    rf"|<(?P<end>/?)(?P<tag>{'|'.join(_DROPPED)})\b[^<>]*>",
    re.MULTILINE | re.IGNORECASE,
)
_KINDS = {"{{": "{{", "}}": "{{", "[[": "[[", "]]": "[[", "{|": "{|", "|}": "{|"}
_MAX_DEPTH = 3  # links within links; deeper ones are dropped, so that the time stays linear
_BREAK = re.compile(r"<(?:br|hr|p|/p|li|/li)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_EXTERNAL = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]++ ?+([^\[\]\n]*+)\]", re.IGNORECASE)
_QUOTES = re.compile(r"'{2,}")
_SWITCH = re.compile(r"__[A-Z]+__")
_HOLLOW = re.compile(r"\(\s*+[;,]?+\s*+\)")  # left by templates such as "(IPA: ...)"
_HEADING = re.compile(r"(=+)[^=].*?\1$")
FILES = ("File", "Image", "Category", "Media")


def plain_text(markup: str, dropped: tuple[str, ...] = FILES) -> str:
    """Extract the prose of a page, one line per paragraph, list item or heading, in time linear in its length.

    Templates, tables, references, formulas, galleries, comments and other elements that are not prose are left out
    with their content; links become the text they show; headings with nothing below them are removed.

    Args:
        markup: Any text; brackets need not match.
        dropped: Links into these namespaces are left out with the text they show.
    """
    text = _without_comments(markup)
    tokens = list(_TOKEN.finditer(text))
    text = _Page(text, tokens, frozenset(name.casefold() for name in dropped)).shown(0, len(tokens), 0, len(text), 0)
    text = _TAG.sub("", _BREAK.sub("\n", text))
    text = _QUOTES.sub("", _SWITCH.sub("", _EXTERNAL.sub(r"\1", text)))
    return "\n".join(_lines(_HOLLOW.sub("", html.unescape(text))))


def _without_comments(text: str) -> str:
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0:
        pieces.append(text[at:start])
        end = text.find("-->", start)
        at = end + 3 if end >= 0 else len(text)
    return "".join([*pieces, text[at:]])


class _Page:
    """A text, its brackets, and which of them match."""

    def __init__(self, text: str, tokens: list[re.Match[str]], dropped: frozenset[str]):
        self.text, self.tokens, self.dropped = text, tokens, dropped
        self.partner: dict[int, int] = {}
        open_: list[tuple[str, int]] = []
        counts: Counter[str] = Counter()
        for at, token in enumerate(tokens):
            opens, kind = _nature(token)
            if opens:
                open_.append((kind, at))
                counts[kind] += 1
            elif opens is False and counts[kind]:  # brackets opened within and never closed do not count
                while True:
                    other, start = open_.pop()
                    counts[other] -= 1
                    if other == kind:
                        self.partner[start] = at
                        break

    def shown(self, first: int, last: int, start: int, end: int, depth: int) -> str:
        """Return the prose of ``text[start:end]``, which has the tokens ``first`` to ``last``."""
        pieces, at, number = [], start, first
        while number < last:
            token = self.tokens[number]
            pieces.append(self.text[at : token.start()])
            partner = self.partner.get(number)
            if partner is None:
                at, number = token.end(), number + 1
                continue
            closing = self.tokens[partner]
            if token[0] == "[[" and depth < _MAX_DEPTH and not self._is_dropped(token.end()):
                inner = self.shown(number + 1, partner, token.end(), closing.start(), depth + 1)
                target, pipe, label = inner.partition("|")
                pieces.append(label if pipe else target.lstrip(":"))
            at, number = closing.end(), partner + 1
        pieces.append(self.text[at:end])
        return "".join(pieces)

    def _is_dropped(self, at: int) -> bool:
        namespace, colon, _ = self.text[at : at + 60].partition(":")
        return bool(colon) and namespace.strip().casefold() in self.dropped


def _nature(token: re.Match[str]) -> tuple[bool | None, str]:
    """Return whether a token opens (True) or closes (False) something or neither (None), and what."""
    if token["tag"]:
        if token[0].endswith("/>"):
            return None, ""
        return not token["end"], token["tag"].lower()
    return bool(token["open"]), _KINDS[token[0].strip(" \t:")]


def _lines(text: str) -> list[str]:
    kept: list[str] = []
    headings: list[tuple[int, str]] = []  # headings with nothing below them so far
    for raw in text.split("\n"):
        line = " ".join(raw.strip().lstrip("*#:;").split())
        if heading := _HEADING.fullmatch(line):
            level = len(heading[1])
            headings = [known for known in headings if known[0] < level]
            headings.append((level, line.strip("= ")))
        elif any(char.isalnum() for char in line):
            kept += [title for _, title in headings]
            headings = []
            kept.append(line)
    return kept
