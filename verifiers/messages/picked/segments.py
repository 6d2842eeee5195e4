r"""The end of a message as sentences in which each value is one character: formulas first, then numbers in words."""

import itertools
import re
from typing import NamedTuple

from turnwise.verifiers.messages.clause import FIRST, PLACE
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.skeleton import NUMBER_WORDS
from turnwise.verifiers.messages.values import Masked, mask_values
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["MAX_CHARS", "Segment", "segments"]

MAX_CHARS = 1200
MAX_SENTENCES = 8
_MAX_SENTENCE = 600
_FORMULA = re.compile(
    r"\$\$([^$]{1,600}?)\$\$|\\\((.{1,600}?)\\\)|\\\[(.{1,600}?)\\\]"
    r"|(?<![\\$\w])\$(?![\s$])((?:[^$\n\\]|\\.){1,400}?)(?<![\s\\])\$(?![0-9])",
    re.DOTALL,
)
_MONEY = re.compile(r"[0-9][0-9,.]*(?:\s?[a-z]+)?[-–—/,;.]?")  # between two amounts: $5-$6
_NAME = re.compile(r"[A-Za-z]{1,2}'?|[A-Za-z]_\{?\w{1,3}\}?|\\[a-z]{2,8}")
_DRESS = re.compile(r"\*\*|__|`|~~")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*|\\(?:mathbf|textbf|boldsymbol)\{([^{}]*)\}")
_PRICE = re.compile(r"\\\$(?=\s?[-0-9])")
_PROSE = re.compile(
    r"(?<![\\A-Za-z])(?!(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?(?![A-Za-z])|(?:log|ln|exp|sqrt|and|or)(?![A-Za-z]))"
    r"[A-Za-z]{3,}"
)
_PLAIN_FORMULA = re.compile(
    r"^[-*•+#>\s]*(?:(?:So|Thus|Hence|Therefore|Then|Now|Or|We get|This gives),?\s+)?(?P<formula>\S.*?)[\s.,;!✓✔✅]*$"
)
_HELD = re.compile("[\uf100-\uf1ff]")
_ROW = re.compile(r"^\|.*\|$")
_AS_CELL = re.compile(r"\s*\|\s*")


class Segment(NamedTuple):
    """A sentence of the end of a message.

    Attributes:
        text: As it stands.
        masked: Its words with a character for each value, and these values.
        formulas: The characters of those that stand in formulas.
        bold: What of it is in bold.
        start: Where it starts in the text that was read.
        line: The number of its line.
    """

    text: str
    masked: Masked
    formulas: frozenset[str]
    bold: str
    start: int
    line: int


def segments(end: str) -> tuple[str, list[Segment]]:
    r"""What is read of the end of a message, and its last sentences.

    >>> _, found = segments("So $x = 2 + 3$.\nThen it takes 5 hours and **40 km** remain.")
    >>> [segment.masked.values for segment in found]
    [['x = 2 + 3'], ['5', '40']]
    """
    end = _PRICE.sub("\uf0ff", re.sub("[\uf0ff-\uf1ff]", "?", end[-4 * MAX_CHARS :]))
    body = flattened(end)[-MAX_CHARS:].strip()
    contents: list[str] = []

    def held(match: re.Match[str]) -> str:
        content = next(group for group in match.groups() if group is not None).strip(" .,;\n")
        if match[4] is not None and _MONEY.fullmatch(content) and not match[4].isdigit():
            return match[0]
        if len(contents) > 200 or not content:
            return match[0]
        contents.append(" ".join(content.split()).replace("\uf0ff", "\\$"))
        return chr(0xF100 + len(contents) - 1)

    text = _FORMULA.sub(held, body) if "$" in body or "\\" in body else body
    ends = [0, *(match.end() for match in END_OF_SENTENCE.finditer(text)), len(text)]
    spans = [(a, b) for a, b in itertools.pairwise(ends) if text[a:b].strip(" *\n#|-")]
    found = []
    for start, stop in spans[-MAX_SENTENCES:]:
        piece = text[start:stop].strip()[:_MAX_SENTENCE]
        segment = _segment(piece, contents, start, text.count("\n", 0, start))
        if segment is not None:
            found.append(segment)
    return text, found


def _segment(piece: str, contents: list[str], start: int, line: int) -> Segment | None:
    piece = piece.replace("\uf0ff", "$")
    shown = _HELD.sub(lambda sign: f"${contents[ord(sign[0]) - 0xF100]}$", piece)
    bold = " ".join(one or two for one, two in _BOLD.findall(shown))
    words = _DRESS.sub("", piece)
    if _ROW.match(words):
        words = ": ".join(cell for cell in _AS_CELL.split(words.strip("| ")) if cell)
    held: list[str] = []
    plain = _PLAIN_FORMULA.match(words) if "=" in words and "|" not in words else None
    if plain is not None and _HELD.search(words) is None and _PROSE.search(plain["formula"]) is None:
        contents.append(plain["formula"])
        words = f"{words[: plain.start('formula')]}{chr(0xF100 + len(contents) - 1)}{words[plain.end('formula') :]}"

    def kept(sign: re.Match[str]) -> str:  # a letter is a word of the sentence
        content = contents[ord(sign[0]) - 0xF100]
        if _NAME.fullmatch(content):
            return content
        held.append(content)
        return f" \uf200{chr(0xF201 + len(held) - 1)} "

    words = _HELD.sub(kept, words)
    pieces = re.split("(\uf200.)", words)
    values: list[str] = []
    formulas = set()
    out: list[str] = []
    results = set()
    for one in pieces:
        if one.startswith("\uf200"):
            values.append(held[ord(one[1]) - 0xF201])
            sign = chr(ord(FIRST) + len(values) - 1)
            formulas.add(sign)
            out.append(sign)
            continue
        masked = mask_values(one)
        if masked is None:
            return None
        shift = len(values)

        def moved(sign: re.Match[str], shift: int = shift) -> str:
            return chr(ord(sign[0]) + shift)

        text = re.sub(PLACE, moved, masked.words)
        results |= {chr(ord(sign) + shift) for sign in masked.results}
        values += masked.values
        out.append(text)
        if len(values) > 80:
            return None

    def spelled(match: re.Match[str]) -> str:
        if match.string.startswith("-", match.end()):
            return match[0]
        values.append(match[0].lower())
        return chr(ord(FIRST) + len(values) - 1)

    text = NUMBER_WORDS.sub(spelled, re.sub(r"[ \t]{2,}", " ", "".join(out)).strip())
    return Segment(shown, Masked(text, values, frozenset(results)), frozenset(formulas), bold, start, line)
