"""Read the words of tasks: tics that no careful writer leaves in, and how much tasks differ from each other.

The rules are few and sure rather than many and doubtful: each looks for something that is wrong in almost any English
text, or reads like a machine. Code, tables, markup and indented blocks are left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["RULES", "Diversity", "Tic", "diversity", "masked", "prose", "tics"]


@dataclass(frozen=True)
class Tic:
    """A place in a text that reads wrong.

    Attributes:
        rule: Name of the rule.
        excerpt: The words around it.
    """

    rule: str
    excerpt: str


@dataclass(frozen=True)
class Diversity:
    """How much texts differ.

    Attributes:
        texts: Number of texts.
        different: Share of them that are distinct.
        templates: Distinct texts in a thousand once names and numbers are masked.
        bigrams: Distinct pairs of words as a share of all; it falls with the number of texts.
        trigrams: The same of three words.
    """

    texts: int
    different: float
    templates: float
    bigrams: float
    trigrams: float


# ---- what is read ----------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"```.*?(?:```|\Z)|<(code|pre|table)>.*?</\1>", re.DOTALL)
_INLINE = re.compile(r"`[^`\n]*`|<[^<>\n]*>")
_NOT_PROSE = re.compile(r"^(?: {4}|\t|>>>|\$ |\s*\[\d+\] |[#>|+])|\|.*\||\S {2,}\S.* {2,}\S|^[\w.-]+ ?= ")


def prose(text: str) -> str:
    r"""Return the sentences of a text: without code, markup, tables, indented blocks; code in a sentence is a word.

    >>> prose("Run `a  b` twice.\n    x = 1\n| a | b |")
    'Run CODE twice.'
    """
    lines = _INLINE.sub("CODE", _FENCE.sub("\n", text)).splitlines()
    return "\n".join(line for line in lines if not _NOT_PROSE.search(line))


# ---- tics ------------------------------------------------------------------------------------------------------------

_BE = r"(?:is|are|was|were|equals?|has|have|had|does|do|did|can|could|will|would|must|should|may|might)"
_VOWEL = re.compile(r"[aeiou]", re.IGNORECASE)
_LIKE_YOU = re.compile(r"(?:uni(?!n|m)|use|usu|usa|uti|ub|eu|ewe|one\b|once\b|one-|ou[ij]|u-|ur[aeio])", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_SPELT = re.compile(r"[A-Z]{2,}s?\b|[A-Z]\b(?!')|[A-Z]-")
_LETTERS_WITH_AN = "AEFHILMNORSX"
_NUMBER_WITH_AN = re.compile(r"(?:8|1[18](?:\b|,\d{3}\b|th\b)(?!\d))")
_COUNTED = (
    "account answer argument article book booking box byte card cent character city column comment commit contact "
    "country customer day digit document dollar element email employee entry error event file film fact field group "
    "hit hour invoice issue item key letter line list message meter metre mile minute mistake month move name node "
    "number order page paragraph part payment piece place player point problem product project question reader record "
    "reply request result review room round row rule second sentence service sheet site source step stop store "
    "student sum table task team test thing ticket time token train try turn unit user value version visit warning "
    "week word worker year"
)
_SINGULAR = "|".join(_COUNTED.split())
_PLURAL = "|".join(re.sub("([^aeo])y$", r"\1ie", word.replace("box", "boxe")) + "s" for word in _COUNTED.split())
_FINE_TWICE = {"that", "had", "is", "her", "so", "very", "bye", "no", "ha", "yes", "many", "long", "code", "one"}


def _patterned(pattern: str, flags: int = 0) -> Callable[[str], Iterator[tuple[int, int]]]:
    compiled = re.compile(pattern, flags)
    return lambda text: (match.span() for match in compiled.finditer(text))


def _articles(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"(?<![\w.'-])(a|[Aa]n) (?=\w)([\w'-]+)", text):
        if _takes_an(match[2], text[match.start(2) : match.start(2) + 12]) != (match[1].lower() == "an"):
            yield match.span()


def _takes_an(word: str, after: str) -> bool:
    if word[0].isdecimal():
        return _NUMBER_WITH_AN.match(after) is not None
    spelt = _SPELT.match(word)
    if spelt and spelt.end() <= 5:
        return word[0] in _LETTERS_WITH_AN
    if _SILENT_H.match(word) or re.match(r"x-|[fhlmnrsx]\d|[fhlmnrsx]th\b", word, re.IGNORECASE):
        return True
    return _VOWEL.match(word) is not None and not _LIKE_YOU.match(word)


def _doubled(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"(?<![\w'-])([A-Za-z]+)[ \n]+(\1)(?![\w'-])", text, re.IGNORECASE):
        same = match[1] == match[2] or match[2].islower()
        if same and match[1].lower() not in _FINE_TWICE:
            yield match.span()


def _quotes(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"[^\n]+(?:\n(?!\n)[^\n]+)*", text):
        part = match[0]
        bare = re.sub(r"\d\"|(?:(?<=\s)|^)\w{1,2}\)|[:;]-?\)", "", part)  # inches, list letters, smileys
        if _open(part) and _open(bare):
            yield match.span()


def _open(text: str) -> bool:
    return bool(text.count('"') % 2) or any(text.count(one) != text.count(two) for one, two in ("“”", "()"))


RULES: dict[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "whose X is": _patterned(rf"\bwhose (?:(?!(?:I|you|he|she|it|we|they)\b)\w+ ){{1,4}}{_BE}\b"),
    "a or an": _articles,
    "doubled word": _doubled,
    "two relative clauses": _patterned(
        rf"\b(?:that|which|who) {_BE}\b(?:(?!\b(?:and|or|but|if|so)\b)[^.,;:?!\n]){{1,60}}?\b(?:that|which|who) "
        rf"{_BE}\b"
    ),
    "double blank": _patterned(r"(?<=[^\s.:]) {2,}(?=\S)"),
    "unbalanced quotes or brackets": _quotes,
    "one of many": _patterned(rf"(?<![\w.,/:+-])(?:1|one|[Aa]n?|[Ee]ach|[Ee]very) (?:{_PLURAL})\b(?!')"),
    "many of one": _patterned(
        rf"(?<![\w.,/:#+-])(?:[02-9]|[1-9]\d+|two|three|four|five|six|seven|eight|nine|ten|several|many|these|those) "
        rf"(?:{_SINGULAR})\b(?![-'’/])"
    ),
    "is and are": _patterned(
        rf"\b[Tt]here (?:is|was) (?:[2-9]|[1-9]\d+|two|three|four|five|several|many|no {_PLURAL})\b"
        rf"|\b[Tt]here (?:are|were) (?:an?|1|one)\b|\b(?:[Tt]hese|[Tt]hose|[Aa]ll) \w+s (?:is|was|has)\b"
        r"|\b[Tt]his \w+[^s\W]s (?:are|were|have)\b|\b(?:[Ii]t|[Hh]e|[Ss]he) (?:are|have)\b"
    ),
    "blank before a mark": _patterned(r"(?<=[A-Za-z]) [,;.?!](?=\s|\Z)"),
    "doubled mark": _patterned(r",,|;;|(?<!\.)\.\.(?!\.|/|\w)|[,;]\.|\?\?\?|[.?!],"),
    "left-over mark of a template": _patterned(r"(?<![$\\\w])\{\w*\}|\bNone\b(?! of)|\bnan\b|\bundefined\b"),
}
"""Returns the places of a tic, by the tic's name."""
_FINE = {"doubled mark": re.compile(r"(?:etc|e\.g|i\.e|p\.m|a\.m|Inc|Ltd|Co|Jr|St|vs)\.,|[?!],\Z")}


def tics(text: str, code: bool = False) -> list[Tic]:
    """Return the tics of a text.

    Args:
        text: The text.
        code: Read code and tables too.

    >>> [tic.rule for tic in tics("Count the orders whose total is above a average of the the 1 items.")]
    ['whose X is', 'a or an', 'doubled word', 'one of many']
    """
    text = text if code else prose(text)
    found = []
    for rule, places in RULES.items():
        for start, end in places(text):
            if rule in _FINE and _FINE[rule].search(text[max(0, start - 5) : end]):
                continue
            excerpt = " ".join(text[max(0, start - 25) : min(end, start + 120) + 25].split())
            found.append(Tic(rule, excerpt))
    return found


# ---- diversity -------------------------------------------------------------------------------------------------------

_MASKS = (
    (re.compile(r"```.*?(?:```|\Z)", re.DOTALL), " CODE "),
    (re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”"), " CODE "),
    (re.compile(r"(?<![\w.])[-+#$€£]*\d[\d.,:%-]*\w*"), " 0 "),
    (re.compile(r"\S*\w(?:[_/@\\.]\w+)+\S*|\b\w*[a-z][A-Z]\w*"), " NAME "),
    (re.compile(r"(?<=[a-z,;)] )[A-Z][\w'’-]*(?: (?:of |the |de |van )?[A-Z][\w'’-]*)*"), " NAME "),
)
_WORDS = re.compile(r"[\w'’]+")


def masked(text: str) -> str:
    """Return a text with its names, numbers, quotations and code replaced by marks: about the template behind it.

    >>> masked("Pay Ada Lovelace 12.50 for `x`.") == masked("Pay Bo Ek 7 for `y`.")
    True
    """
    for pattern, mark in _MASKS:
        text = pattern.sub(mark, text)
    return " ".join(re.sub(r"\b(NAME|0|CODE)(?:\W+\1\b)+", r"\1", " ".join(text.split())).split())


def diversity(texts: Sequence[str]) -> Diversity:
    """Measure how much texts differ, over all of them."""
    number = max(1, len(texts))
    templates = len({masked(text) for text in texts})
    words = [[word.lower() for word in _WORDS.findall(text)] for text in texts]
    pairs, triples = (_distinct(words, length) for length in (2, 3))
    return Diversity(len(texts), len(set(texts)) / number, 1000 * templates / number, pairs, triples)


def _distinct(texts: Iterable[Sequence[str]], length: int) -> float:
    """Return the share of runs of words that are distinct."""
    seen: set[tuple[str, ...]] = set()
    total = 0
    for words in texts:
        runs = list(zip(*(words[start:] for start in range(length)), strict=False))
        total += len(runs)
        seen.update(runs)
    return len(seen) / total if total else 0.0
