"""Splits text into the words that our engines index, documents and queries alike."""

import unicodedata

__all__ = ["STOP_WORDS", "query_tokens", "tokens"]

_STOP = """
a an and are as at be been but by did do does for from had has have he her him his how i if in into is it its me of on
or s she so such than that the their them then there these they this those to was we were what when where which who whom
whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP.split())
"""Words that carry almost no meaning; left out of queries, never of documents."""

_ACCENT = 10
"""Marks of this combining class and above are accents (or Hebrew or Arabic points); others make other letters."""

# Scripts that put no space between words: each character is a word.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals of Han
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def tokens(text: str) -> list[str]:
    """Split a text into words: runs of letters and digits, regardless of case, accents and width.

    "Zoë’s CAFÉ-bar, 1,250 m²" is ``zoe s cafe bar 1 250 m2``. Characters of scripts without spaces between words (Han,
    kana, Thai, ...) are separate words. The words of ``" ".join(tokens(text))`` are the same again.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.translate(_FOLDED).split()


def query_tokens(text: str) -> list[str]:
    """Return the words to search for: those of the text without `STOP_WORDS`, or all if nothing else is left."""
    words = tokens(text)
    return [word for word in words if word not in STOP_WORDS] or words


class _Folding(dict[int, str]):
    """Maps each character to its folded form, computed when it is first needed."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded(chr(code))
        return folded


def _folded(character: str) -> str:
    if unicodedata.category(character)[0] not in "LNM":
        return " "
    if unicodedata.category(character) == "Nd":
        return str(unicodedata.decimal(character))
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    kept = "".join(part for part in plain if unicodedata.combining(part) < _ACCENT)
    if any(unicodedata.category(part)[0] not in "LNM" for part in kept):  # such as the parentheses of ⑴
        kept = " ".join("".join(part if unicodedata.category(part)[0] in "LNM" else " " for part in kept).split())
        kept = f" {kept} "
    kept = unicodedata.normalize("NFKC", kept)
    code = ord(character)
    return f" {kept} " if any(first <= code <= last for first, last in _UNSPACED) else kept


_FOLDED = _Folding({ord("ı"): "i"})  # its capital is I
