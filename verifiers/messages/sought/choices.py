"""What a gold that is a word is chosen from: days, the names or options of a question, yes and no, opposites."""

import itertools
import re
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.messages.sought.named import WEEKDAY
from turnwise.verifiers.messages.sought.subject import stem

__all__ = [
    "MARK",
    "OPTION",
    "PACK",
    "SIZE",
    "Choices",
    "choices_of",
    "lettered_of",
    "loosely_chosen",
    "opposite",
    "tidied",
]

MARK = "[\uf000-\uf0ff]"  # an alternative, in a text in which `Choices.marked` has marked them
_MAX_CHARS = 4000
_FIRST_MARK = 0xF000
_WORD_GOLD = re.compile(r"[A-Za-z][A-Za-z'’-]*(?: [A-Za-z'’-]+){0,3}")
_NAME_GOLD = re.compile(r"[A-Z][A-Za-z]*[0-9]*(?:[A-Z][a-z]?[0-9]*)*[+-]?|(?:[A-Z][a-z]+ ){1,2}(?:[A-Z][a-z]*|[0-9]+)")
_OPTION_GOLD = re.compile(r"\(?([A-J])\)?")
_LABEL = re.compile(r"(?:^|[\s,;])(?:\(([A-J])\)|([A-J])[).:](?=\s))")
_NO_SOLUTION = re.compile(
    r"(?:has |there (?:is|are) )?no (?:real |integer |such )?(?:solutions?|roots?|values?)(?: exists?)?|none",
    re.IGNORECASE,
)
_DRESS = re.compile(r"\\(?:text|mathrm|textbf|mathbf|ce)\s*\{([^{}]*)\}")
_SIGNS = re.compile(r"\*\*|__|`|\\[()]|\$(?![0-9])|(?<=[A-Za-z)])_(?=\{?[0-9])")
_INDEX = re.compile(r"(?<=[A-Za-z)])\{([0-9]+)\}")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_FORMULA_NAME = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z][a-z]?[0-9]*){1,6}(?![A-Za-z0-9])")
_WHICH = re.compile(r"\b[Ww]hich ([a-z]{3,})")
_ASKS_WHICH = re.compile(r"\b(?:which|who)\b", re.IGNORECASE)
_PROPER = re.compile(r"(?<=[a-z,)\]] )[A-Z][a-z]{2,15}\b")
_EITHER = re.compile(r"\b((?:(?:an? )?[a-z-]+, )*(?:an? )?[a-z-]+),? or (?:an? )?([a-z-]+)\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:ing|ent|es|s|e)$")
_GROUPS = (
    ("converges", "diverges"),
    ("convergent", "divergent"),
    ("even", "odd", "neither"),
    ("increasing", "decreasing"),
    ("increases", "decreases"),
    ("rational", "irrational"),
    ("prime", "composite"),
    ("possible", "impossible"),
    ("true", "false"),
    ("parallel", "perpendicular", "skew"),
    ("always", "sometimes", "never"),
    ("maximum", "minimum", "saddle"),
    ("acute", "right", "obtuse"),
    ("scalene", "isosceles", "equilateral"),
    ("clockwise", "counterclockwise", "anticlockwise"),
    ("endothermic", "exothermic"),
    ("ellipse", "parabola", "hyperbola", "circle"),
    ("positive", "negative", "zero"),
    ("heads", "tails"),
    ("north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"),
    ("spring", "summer", "autumn", "winter", "fall"),
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
     "December"),
    ("red", "blue", "green", "yellow", "white", "black", "orange", "purple", "pink", "brown", "grey", "gray"),
)  # fmt: skip
_LISTED = re.compile(r"(?<![\w-])((?:[a-z]{3,}, )+[a-z]{3,},? (?:and|or) [a-z]{3,})(?![\w-])")
_LISTED_ALONE = re.compile(r"(?<![\w-])((?:[a-z]{3,}, ){2,}[a-z]{3,})(?=[.;?)])")  # densities: zinc, brass, copper.
_LETTERS = re.compile(r"(?<![\w-])((?:[A-Z], )*[A-Z],? or (?:[a-z]+ )?[A-Z])(?![\w'’-])")
_DESCRIBED = re.compile(r"(?:[:;,.]|\band)\s([A-Z])\s(?:is|are|has|costs?|holds?|weighs?|contains?|charges?|takes?)\b")
_LETTERED = re.compile(r"([A-Z][a-z]+) ([A-Z])")  # Plan B
OPTION = re.compile(r"(?:\\text\{)?\(?([A-J])\)?\}?", re.ASCII)  # a gold that is the letter of an option
_ARTICLE = re.compile(r"^(?:the|an?) (?=[a-z0-9])")
_UNITS = {
    "L": r"[lL]|lit(?:er|re)s?",
    "ml": r"m[lL]|millilit(?:er|re)s?",
    "kg": r"kg|kilograms?|kilos?",
    "g": r"g|grams?",
}
SIZE = re.compile(rf"(?P<number>[0-9]+(?:\.[0-9]+)?)[ -](?:{'|'.join(_UNITS.values())})[ -](?P<noun>[a-z]+)")
PACK = re.compile(r"(?<![\w-])[0-9]+-[a-z]{2,}\b")  # the 6-pack or the 10-pack
_NAME_WORD = r"[A-Z][a-z]+(?:[A-Z][a-z]+)*(?:['’]s?)?"
_CAPITAL = re.compile(rf"\b{_NAME_WORD}(?: (?:{_NAME_WORD}|[A-Z0-9])\b)*")
_ASIDE = re.compile(r"\([^()]*\)")
_AMOUNT = re.compile(r"\$?[0-9][0-9,.]*(?<![,.])%?")
_KINDS = (  # 8 g of hydrogen; a cone with radius 6; small, 1.2 L; the trout
    re.compile(r"[0-9] [A-Za-z]+ of ([a-z]{3,})\b"),
    re.compile(r"\ban? ([a-z]{3,}) (?:with|of|whose|that|has)\b"),
    re.compile(r"(?:^|[;:]) ([a-z]{3,}), [0-9]"),
    re.compile(r"[0-9]%? in ([a-z]{3,})\b"),
)
_PHRASES = re.compile(
    r"(?P<first>[^,.:;?]+), (?P<more>(?:[^,.:;?]+, )*)or (?P<last>[^,.:;?]+)"
    r"|(?P<one>[^,.:;?]+) or (?P<two>[^,.:;?]+)"
)
_NO_NAME = frozenset([  # capitalised at the beginning of a sentence
    "a", "after", "all", "an", "and", "are", "as", "assume", "at", "before", "both", "by", "did", "do", "does",
    "during", "each", "every", "exactly", "find", "five", "for", "four", "from", "give", "he", "how", "if", "in",
    "is", "it", "let", "no", "of", "on", "one", "only", "or", "she", "since", "six", "some", "suppose", "that", "the",
    "there", "these", "they", "this", "those", "three", "to", "today", "two", "use", "was", "we", "what", "when",
    "where", "which", "while", "who", "with", "you",
])  # fmt: skip
_PREFIX = re.compile(r"(?:in|im|ir|un|non-?|dis)(?=[a-z]{4})")
_AUXILIARY = re.compile(
    r"(?:^|[,.:?!;]\s+|\n)\W*(?:then )?(?:is|are|was|were|does|do|did|can|could|will|has|have|must)\b"
    r"|\bwhether\b|\btrue or false\b",
    re.IGNORECASE,
)


class Choices(NamedTuple):
    """The alternatives of which a question asks for one.

    Attributes:
        kind: "day", "option", "name", "word", "answer" (yes or no), or "none" (no solution).
        names: The alternatives, words by their beginning as `stem` gives it.
        pattern: Finds any of them.
        gold: The right one, one of them.
        binary: Whether there are two, of which each is what the other is not.
    """

    kind: str
    names: tuple[str, ...]
    pattern: re.Pattern[str]
    gold: str
    binary: bool = False

    def marked(self, text: str) -> str:
        """The text with one sign in place of each alternative."""
        return self.pattern.sub(self._mark, text)

    def at(self, mark: str) -> str:
        """The alternative that a sign stands for."""
        return self.names[ord(mark) - _FIRST_MARK]

    def _mark(self, match: re.Match[str]) -> str:
        found = next((group for group in match.groups() if group), match[0])
        found = (found if found in self.names else found.lower()) if self.kind in ("option", "name") else _key(found)
        return chr(_FIRST_MARK + self.names.index(found)) if found in self.names else match[0]


def tidied(text: str) -> str:
    r"""A text without the signs of emphasis and of formulas.

    >>> tidied(r"**Oxygen** ($O_2$) and H₂")
    'Oxygen (O2) and H2'
    """
    return _INDEX.sub(r"\1", _SIGNS.sub("", _DRESS.sub(r"\1", text.translate(_SUBSCRIPTS))))


@lru_cache(maxsize=512)
def choices_of(gold: str, question: str, names: tuple[str, ...] = ()) -> Choices | None:
    """What a gold is chosen from; None where it is no word, or nothing shows what else it could be.

    Args:
        gold: The gold.
        question: The question.
        names: The names of a question that asks who or which.

    >>> choices_of("odd", "Is f even, odd, or neither?").names
    ('even', 'odd', 'neith')
    >>> choices_of("12", "How many are odd?") is None
    True
    """
    gold, question = tidied(gold).strip(), tidied(question[-_MAX_CHARS:])
    option = _OPTION_GOLD.fullmatch(gold)
    if option is not None and option[1] not in names and (options := _options(option[1], question)) is not None:
        return options
    if _NO_SOLUTION.fullmatch(gold):
        return Choices("none", ("none",), re.compile(r"(?!)"), "none")
    if gold.lower() in ("yes", "no") or (gold.lower() in ("true", "false") and _AUXILIARY.search(question)):
        return Choices("answer", ("yes", "no"), re.compile(r"(?!)"), "yes" if gold.lower() in ("yes", "true") else "no")
    if WEEKDAY.fullmatch(gold):
        days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
        return Choices("day", tuple(map(_key, days)), WEEKDAY, _key(gold))
    if _WORD_GOLD.fullmatch(gold) and " " not in gold and (found := _words(gold, question)) is not None:
        return found
    return _named(gold, question, names)


def opposite(one: str, two: str) -> bool:
    """Whether a word is the opposite of another one.

    >>> opposite("dependent", "independent"), opposite("prime", "composite"), opposite("prime", "even")
    (True, True, False)
    """
    one, two = sorted((one.lower(), two.lower()), key=len)
    if (prefix := _PREFIX.match(two)) is not None and _key(two[prefix.end() :]) == _key(one):
        return True
    return {_key(one), _key(two)} in _OPPOSITES


def _key(word: str) -> str:
    """A word as alternatives are compared."""
    return stem(word.lower())


_KEYS = tuple(tuple(map(_key, group)) for group in _GROUPS)
_OPPOSITES = [set(group[:2]) for group in _KEYS if len(group) == 2 or group[0] == "even"]
_OPPOSITES += [{_key("invertible"), _key("singular")}]


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Finds some words in any form: converge, converges, convergent."""
    roots = (_ENDING.sub("", word) for word in words)
    parts = (root if len(root) > 2 else word for root, word in zip(roots, words, strict=True))
    flags = re.NOFLAG if words[0][0].isupper() else re.IGNORECASE  # May is no "may"
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, parts))})(?:e|es|s|ed|ing|ent|ence|ly)?(?![\w-])", flags)


def _words(gold: str, question: str) -> Choices | None:
    """The words that a question offers ("does it float or sink?"), else those of a group of opposites."""
    key = _key(gold)
    for match in _EITHER.finditer(question):
        offered = (part.split(" ")[-1] for part in [*match[1].split(", "), match[2]])
        words = {_key(word): word.lower() for word in offered}
        if key in words and gold[0].islower():
            keys = tuple(words)
            return Choices(
                "word", keys, _pattern(tuple(words.values())), key, len(keys) == 2 and set(keys) in _OPPOSITES
            )
    for group in _GROUPS:
        words = {_key(word): word for word in group}
        if key in words and _pattern((words[key],)).fullmatch(gold):  # the name Southfield does not mean south
            return Choices("word", tuple(words), _pattern(group), key, len(words) == 2)
    return None


def _options(gold: str, question: str) -> Choices | None:
    labels = tuple(dict.fromkeys(match[1] or match[2] for match in _LABEL.finditer(question)))
    if gold not in labels or len(labels) < 2:
        return None
    letters = f"[{''.join(labels)}]"
    pattern = re.compile(
        rf"\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|[Ss]tatement) \(?({letters})\)?(?!\w)|(?<!\w)\(({letters})\)"
        rf"|(?<![\w(\\.'’=+*/^-])(?<!point )(?<!angle )(?<!vertex )(?<!side )({letters})(?![\w'’({{^_])"
        r"(?!\s?[-+=*/<>^])"
        r"(?!(?<=A)\s(?!(?:is|has|does|works|fits|alone|and|or|remains)\b)[a-z])"
    )
    return Choices("option", labels, pattern, gold)


def _named(gold: str, question: str, names: tuple[str, ...]) -> Choices | None:
    """The names of a question and its formulas of substances."""
    if _NAME_GOLD.fullmatch(gold) is None or not (names or _ASKS_WHICH.search(question)):
        return None
    names = names or tuple(_PROPER.findall(question))
    if (kind := _WHICH.search(question)) is not None:  # which beaker: beaker P and beaker Q
        letters = re.findall(rf"\b{kind[1]}s? ([A-Z][0-9]?)(?![A-Za-z0-9])", question, re.IGNORECASE)
        names = (*names, *(letter for letter in letters if letter[0].isupper()))
    formulas = (one for one in _FORMULA_NAME.findall(question) if any(map(str.isdigit, one)) or one == gold)
    found = tuple(dict.fromkeys([*names, *(formulas if any(map(str.isdigit, gold)) or not names else ())]))
    if gold not in found or not 2 <= len(found) <= 40:
        return None
    longest = sorted(found, key=len, reverse=True)
    return Choices("name", found, re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, longest))})(?![\w-])"), gold)


def loosely_chosen(gold: str, question: str) -> Choices | None:
    """What a gold is chosen from, where `choices_of` knows nothing: the names, or the list of words, that it stands in.

    >>> loosely_chosen("sodium", "Which of sodium, magnesium and potassium reacts first?").names
    ('sodium', 'magnesium', 'potassium')
    >>> loosely_chosen("Alder Bank", "Alder Bank pays 6%, Birch Bank 7%. Where should she go?").names
    ('Alder', 'Birch')
    """
    gold, question = _ARTICLE.sub("", tidied(gold).strip()), tidied(question[-_MAX_CHARS:])
    if (size := SIZE.fullmatch(gold)) is not None:
        return _sized(size, question)
    if lettered := lettered_of(gold, question):
        letter, letters = lettered
        return Choices("name", letters, re.compile(rf"(?<![\w-])({'|'.join(letters)})(?![\w'’-])"), letter)
    if PACK.fullmatch(gold):
        packs = tuple(dict.fromkeys(PACK.findall(question)))
        return Choices("name", packs, _exactly(packs), gold) if gold in packs and len(packs) > 1 else None
    if gold.islower():
        if words := _list_of(gold, question) or _phrases(gold, _ASIDE.sub("", question).replace("  ", " ")):
            shared = f"{words[0].split(' ')[0]} "
            if all(word.startswith(shared) for word in words):  # linearly dependent, linearly independent
                words, gold = tuple(word.removeprefix(shared) for word in words), gold.removeprefix(shared)
            return Choices("name", words, _exactly(words, re.IGNORECASE), gold)
        first = gold.split(" ")[0]
        return _words(first, question) if " " in gold and first not in ("does", "no", "not") else None
    if len(gold) == 1 and gold.isupper():  # A, B or C? A is 450 g, B is 750 g
        match = _LETTERS.search(question)
        letters = tuple(
            dict.fromkeys(re.findall(r"[A-Z](?![a-z])", match[1]) if match else _DESCRIBED.findall(question))
        )
        pattern = re.compile(rf"(?<![\w-])({'|'.join(letters)})(?![\w'’-])(?!(?<=A) [a-z])")
        return Choices("name", letters, pattern, gold) if gold in letters and len(letters) > 1 else None
    names = [name.removesuffix("'s").removesuffix("’s").removesuffix("'") for name in _CAPITAL.findall(question)]
    asked = gold.removesuffix("'s").removesuffix("’s")
    if asked not in names:
        words = _list_of(gold.lower(), question)
        return Choices("name", words, _exactly(words, re.IGNORECASE), gold.lower()) if words else None
    found = tuple(dict.fromkeys(name for name in names if name == asked or name.split(" ")[0].lower() not in _NO_NAME))
    firsts = tuple(name.split(" ")[0] for name in found)
    if len(set(firsts)) == len(found):  # Alder says as much as Alder Bank
        found, asked = firsts, asked.split(" ")[0]
    return Choices("name", found, _exactly(found), asked) if 2 <= len(found) <= 40 else None


def _sized(size: re.Match[str], question: str) -> Choices | None:
    """The sizes in which a question offers a thing: the 1.5 L bottle, of 0.5 L, 1 L and 1.5 L."""
    unit = "|".join(_UNITS.values())
    numbers = tuple(dict.fromkeys(re.findall(rf"(?<![\w.$])([0-9]+(?:\.[0-9]+)?)[ -](?:{unit})(?!\w)", question)))
    if size["number"] not in numbers or len(numbers) < 2 or size["noun"] not in question:
        return None
    longest = "|".join(map(re.escape, sorted(numbers, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w.$])({longest})[ -](?:{unit})(?!\w|/)")
    return Choices("name", numbers, pattern, size["number"])


def lettered_of(gold: str, question: str) -> tuple[str, tuple[str, ...]] | None:
    """The letter of a gold that is a kind of thing with a letter, and the letters of all things of its kind.

    >>> lettered_of("Plan B", "Plan A costs $20, Plan B $25. Which is better?"), lettered_of("Box B", "Box B is empty.")
    (('B', ('A', 'B')), None)
    """
    match = _LETTERED.fullmatch(gold)
    letters = tuple(dict.fromkeys(re.findall(rf"\b(?i:{match[1]}) ([A-Z])\b", question))) if match is not None else ()
    return (match[2], letters) if match is not None and match[2] in letters and len(letters) > 1 else None


def _list_of(gold: str, question: str) -> tuple[str, ...]:
    """The list of words of a question in which a gold stands; empty where there is none.

    >>> _list_of("zinc", "magnesium 1.74 and zinc 7.13?"), _list_of("zinc", "zinc 7.13, iron 7.87 or tin 7.26?")
    ((), ('zinc', 'iron', 'tin'))
    """
    plain = re.sub(r"\s+(?=[,;.]|$)", "", re.sub(r" {2,}", " ", _AMOUNT.sub("", _ASIDE.sub("", question))))
    for match in itertools.chain(_LISTED.finditer(question), _LISTED.finditer(plain), _LISTED_ALONE.finditer(plain)):
        words = tuple(dict.fromkeys(re.split(r",? (?:and|or) |, ", match[1])))
        if gold in words:
            return words
    for pattern in _KINDS:
        words = tuple(dict.fromkeys(pattern.findall(question)))
        if gold in words and len(words) > 1:
            return words
    return ()


def _phrases(gold: str, question: str) -> tuple[str, ...]:
    """The phrases that a question offers, of which a gold is one; empty where it offers none.

    >>> _phrases("speeding up", "At t = 2.5, is it speeding up or slowing down?")
    ('speeding up', 'slowing down')
    """
    size = len(gold.split(" "))
    for match in _PHRASES.finditer(question):
        first, last = match["first"] or match["one"], match["last"] or match["two"]
        first = " ".join(first.split(" ")[-size:])
        last = " ".join(last.split(" ")[: size if last.startswith(gold) else 3])
        more = (match["more"] or "").split(", ")
        found = tuple(dict.fromkeys(part.strip().lower() for part in (first, *more, last) if part.strip()))
        if gold in found and len(found) > 1:
            return found
    return ()


def _exactly(names: tuple[str, ...], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, longest))})(?![\w-])", flags)
