r"""Definitions of word, sentence, paragraph and line, shared by all constraints.

- The text is the message after its last ``</think>``, without white space at its ends.
- A *line* is a line with anything on it; blank lines separate *paragraphs*. A paragraph has at least one word.
- The mark that begins a line of a list, heading or quotation (``-``, ``*``, ``+``, ``•``, ``1.``, ``2)``, ``#``,
  ``>``) is not part of its words.
- A *word* is a run of letters, digits and combining marks; an apostrophe or hyphen between two of them, and a point or
  comma between two digits, belongs to it: ``don't``, ``well-known``, ``3.14`` are one word each.
- A *sentence* ends with ``.``, ``!``, ``?``, ``…`` or ``؟``, ``۔``, ``।`` (closing quotes and brackets may follow)
  before white space, with ``。``, ``！`` or ``？`` anywhere, and with its line. It has at least one word.
- Characters are code points; letters compare without regard to case.

All of it takes time linear in the length of the text.
"""

import functools
import re
import unicodedata
from collections import Counter
from functools import cached_property

from turnwise.verifiers.verdict import Verdict, wrong

__all__ = ["DEFINITIONS", "MAX_CHARS", "Reading", "response_of", "words_of"]

MAX_CHARS = 100_000
DEFINITIONS = (
    "A hyphen or apostrophe inside a word does not end it. A sentence ends with . ! or ? before a space (a closing "
    "quote or bracket may stand between), or with its line, so a title or an item of a list is a sentence. Blank lines "
    "separate paragraphs (a title or list between two of them is one) and are not counted as lines. The marks that "
    "begin items and headings (-, 1., #) are neither words nor numbers."
)
_MARKER = re.compile(r"^[ \t]*+(?:(?:[-*+•>]|[0-9]{1,3}[.)]|#{1,6})[ \t]++)", re.MULTILINE)
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_END = re.compile(r"(?<![.!?…؟۔।॥])[.!?…؟۔।॥]++[\"'”’»)\]*_]*+(?=\s|\Z)|[。！？]++[\"'”’」』）]*+")
_NUMBER = re.compile(r"[0-9]++(?:[.,][0-9]++)*+")


@functools.cache
def _marks() -> str:
    """Return all combining marks of the planes in use, as the inside of a character class."""
    found = [c for c in range(0x300, 0x20000) if unicodedata.category(chr(c))[0] == "M"]
    found += range(0xE0100, 0xE01F0)
    ranges: list[list[int]] = []
    for code in found:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" if a != b else chr(a) for a, b in ranges)


@functools.cache
def _word_pattern(ascii_only: bool) -> re.Pattern[str]:
    unit = "[^\\W_]" if ascii_only else f"(?:[^\\W_]|[{_marks()}])"
    return re.compile(rf"{unit}++(?:(?:['’‐‑-]|(?<=\d)[.,](?=\d)){unit}++)*+")


def words_of(text: str) -> list[str]:
    """Return the words of a text without marks of lists.

    >>> words_of("Don't fear 3.14 well-known e-mails, ok?")
    ["Don't", 'fear', '3.14', 'well-known', 'e-mails', 'ok']
    """
    return _word_pattern(text.isascii()).findall(text)


def response_of(message: str) -> str | Verdict:
    """Return the text that constraints apply to: everything after the last ``</think>``; or why there is none.

    Texts with control characters or lone surrogates are refused.

    >>> response_of("<think>hm</think> Hello. ")
    'Hello.'
    """
    rest = message.rpartition("</think>")[2]
    if "<think>" in rest:
        return wrong("the message ends inside <think>; close it and write the text")
    rest = rest.strip()
    if len(rest) > MAX_CHARS:
        return wrong(f"the text is longer than {MAX_CHARS} characters")
    if _UNWRITABLE.search(rest) is not None:
        return wrong("the text has control characters or lone surrogates in it")
    return rest or wrong("there is no text")


class Reading:
    """One text with its units, each computed once on demand.

    Attributes:
        text: The text, without white space at its ends.
    """

    def __init__(self, text: str) -> None:
        self.text = text.strip()

    @cached_property
    def lines(self) -> list[str]:
        """Lines that are not blank, without white space at their ends."""
        return [line for raw in self.text.split("\n") if (line := raw.strip())]

    @cached_property
    def plain(self) -> str:
        """The text without the marks that begin lines."""
        return _MARKER.sub("", self.text)

    @cached_property
    def words(self) -> list[str]:
        """All words, as written."""
        return words_of(self.plain)

    @cached_property
    def word_counts(self) -> Counter[str]:
        """How often each word occurs, ignoring case."""
        return Counter(map(str.casefold, self.words))

    @cached_property
    def sentences(self) -> list[str]:
        """All sentences, with the marks that end them."""
        found = []
        for line in self.plain.split("\n"):
            start = 0
            for end in _END.finditer(line):
                found.append(line[start : end.end()].strip())
                start = end.end()
            found.append(line[start:].strip())
        return [sentence for sentence in found if sentence and words_of(sentence)]

    @cached_property
    def sentence_words(self) -> list[list[str]]:
        """The words of each sentence."""
        return list(map(words_of, self.sentences))

    @cached_property
    def paragraphs(self) -> list[str]:
        """Runs of lines without a blank line, with at least one word."""
        found: list[list[str]] = [[]]
        for raw in self.text.split("\n"):
            if line := raw.strip():
                found[-1].append(line)
            elif found[-1]:
                found.append([])
        blocks = ["\n".join(block) for block in found if block]
        return [block for block in blocks if words_of(_MARKER.sub("", block))]

    @cached_property
    def letters(self) -> Counter[str]:
        """How often each letter occurs, ignoring case."""
        return Counter(c for c in self.text.casefold() if c.isalpha())

    @cached_property
    def upper(self) -> int:
        """Letters in upper case."""
        return sum(map(str.isupper, self.text))

    @cached_property
    def lower(self) -> int:
        """Letters in lower case."""
        return sum(map(str.islower, self.text))

    @cached_property
    def numbers(self) -> list[str]:
        """Numbers in digits: ``7``, ``1,000``, ``3.5``; not those that begin the lines of a list."""
        return _NUMBER.findall(self.plain)

    @cached_property
    def capital_words(self) -> int:
        """Words of at least two letters that are all capitals."""
        return sum(sum(map(str.isalpha, w)) > 1 for w in self.words if w.isupper())
