r"""Text to a tree.

What is written around a formula is taken off, words that stand for values are replaced, the rest is parsed; what is no
formula is text.
"""

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from turnwise.verifiers.math.read.building import repeating
from turnwise.verifiers.math.read.cursor import BASE_WORDS, USUAL, NotMath, Reading
from turnwise.verifiers.math.read.labelled import labelled
from turnwise.verifiers.math.read.lexer import MAX_CHARS
from turnwise.verifiers.math.read.parser import parse
from turnwise.verifiers.math.read.phrases import set_in_words
from turnwise.verifiers.math.read.remarks import place_apart, without_remarks
from turnwise.verifiers.math.read.spelling import PHRASES, plain, stripped, unescaped
from turnwise.verifiers.math.read.words import read_words
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.units import read_unit

__all__ = ["Reading", "read", "words_kept", "words_of"]

MAX_QUALIFIED = 400  # characters of an answer with a quantifier
_PHRASES = {phrase: name for name, phrases in PHRASES.items() for phrase in phrases}
_INTEGER = re.compile(r"-?[0-9]{1,30}", re.ASCII)
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_FORMULA = re.compile(r"[0-9\\^_=<>+*/{}()\[\]|]")
_WRAPPER = re.compile(
    r"\\(?:text|textbf|textit|textrm|textsf|texttt|mbox|mathrm|mathbf|mathit|operatorname|emph"
    r"|textnormal)\*?\s*\{([^{}]*)\}"
)
_NOISE = re.compile(r"\\(?:displaystyle|boldsymbol|bf|rm|it)(?![A-Za-z])|\\[,;:! ]|[$~]")
_PYTHON = re.compile(r"\b(?:math|np|numpy|sp|sympy|cmath)\.(?=[a-z])")
_QUOTIENT = re.compile(r"\b(?:Fraction|Rational|fractions\.Fraction|S)\(\s*(-?[0-9]+)\s*,\s*(-?[0-9]+)\s*\)")
_UNION = re.compile(r"(?<=[)\]])\s*U\s*(?=[(\[])")
_NEGATIVE = re.compile(r"^(?:negative|minus) (?=[0-9\\(])", re.IGNORECASE)
_AND_A_PART = re.compile(r"(-?[0-9]+) and ([0-9]+/[0-9]+)")
_WORD_IN_BRACKETS = re.compile(r"(-?[0-9][0-9.,/]*) \((?!not|or|no\b)([a-z -]{2,30})\)")
_TIMES = re.compile(r"(-?[0-9]+) times")
_COUNTED = re.compile(r"(?:共有?)?(-?[0-9]+)[种个人名条只支本张件次位]")
_HEDGE = re.compile(
    r"^(?:it(?:'s| is| equals)|that(?:'s| is)|approximately|approx\.?|about|roughly|exactly|nearly|around"
    r"|only|just|a total of|equal to|equals|"
    r"simply|(?:in )?the year|the value(?! of)|(?:the )?(?:point|ordered pair|vector|set|interval"
    r"|matrix)(?=\s*[(\[{\\])|therefore|thus|hence|so|i\.e\.|ans(?:wer)?\s*[:=]"
    r"|\\therefore|\\approx|约|大约|为|是|共有?(?=[0-9])|\[?答案\]?[:：]?|\\to(?![a-z])|→|⇒|ans\."
    r"|[#*] (?=[0-9$\\]))[\s,:]*",
    re.IGNORECASE,
)  # fmt: skip
_SAYS = re.compile(r"=|:|\b(?:is|are|equals)\b\s*:?")
_LABEL = re.compile(r"[A-Za-z\\][A-Za-z'’_ ]*")
_FUNCTION = re.compile(r"[A-Za-z]\w*\([^()]*\)")
_WORDY = re.compile(r"[A-Za-z]{3}")
_NEGATION = re.compile(
    r"\b(?:not|isn't|never|no|neither|nor|cannot|except|whether|nobody|suppose|assume|if|maybe|perhaps|might|impossible|unlikely|guess|doubt"
    r"|wrong|false|incorrect)\b",
    re.IGNORECASE,
)
_LAST_SYMBOL = re.compile(r"(?<=[a-z]) +([b-z])$")
_CODE = re.compile(r"__|\b(?:lambda|import|eval|exec|def|print|open|system|return)\b")
_IMPLIES = re.compile(r"\\(?:Rightarrow|implies|Longrightarrow|iff|therefore)(?![A-Za-z])|=>")
_REPEATING = re.compile(
    r"(?<![0-9.])([0-9]*)\.([0-9]*)\s*\\(?:overline|bar|overset\{\\?[a-z.]*\}|dot)\s*(?:\{([0-9]+)\}"
    r"|([0-9]))(?:([0-9]*)\\dot\s*(?:\{([0-9])\}|([0-9])))?"
)
_PERIOD = re.compile(r"(-?)([0-9]+)\.([0-9]*)\(([0-9]+)\)")
_COMBINATIONS = (
    re.compile(
        r"\{\}_\{?([0-9]+)\}?\s*C_\{?([0-9]+)\}?"), re.compile(r"(?<![A-Za-z0-9}])_\{?([0-9]+)\}?\s*C_\{?([0-9]+)\}?"),
    re.compile(
        r"(?<![A-Za-z])C_\{?([0-9]+)\}?\^\{?([0-9]+)\}?"), re.compile(r"(?:\{\})?\^\{?([0-9]+)\}?\s*C_\{?([0-9]+)\}?"),
    re.compile(r"(?<![0-9A-Za-z.^_])([0-9]{1,3})\s?C\s?([0-9]{1,3})(?![0-9A-Za-z])"),
)  # fmt: skip
_COMBINATION_UP = re.compile(r"(?<![A-Za-z])C\^\{?([0-9]+)\}?_\{?([0-9]+)\}?")
_ARRANGEMENTS = re.compile(r"(?<![A-Za-z])([AP])_(\{)?([1-9][0-9]*)(?(2)\})\^(\{)?([0-9]+)(?(4)\})")
_HEX = re.compile(r"\(?([0-9A-Za-z]{1,60})\)?_\{?([0-9]{1,2})\}?")
_IN_BASE = re.compile(r"([0-9A-Za-z]{1,60})\s*[,(]?\s*(?:\(?in )?base[\s-]*\{?([0-9]{1,2}|[a-z]+)\}?\)?", re.IGNORECASE)
_BASE_SUBSCRIPT = re.compile(
    r"_\{?\s*(?:base\s*)?(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|hex"
    r"|[0-9]+)\s*\}?(?![0-9A-Za-z])"
)
_IS_INTEGER = re.compile(
    r",?\s*(?:\(?\s*(?:where|with|for|for all|for any|for every|for some|and"
    r"|,)?\s+)?\$?([a-z])\$?\s*(?:is|are|be|being)?\s*(?:an?|any)\s+(?:arbitrary )?integers?\)?"
)
_ANY_INTEGER = re.compile(
    r",?\s*\(?\s*(?:where|with|for)?\s*(?:for\s+)?(?:all|any|every|some)\s+integers?\s+\$?([a-z])\$?\)?"
)
_STATE = re.compile(
    r"(?:(?:the |this |that )?(?:limit|series|expression|function|sum|integral|equation|system|value"
    r"|sequence|it|quotient|slope)(?: has| is)? )?(?:"
    r"(?P<dne>dne|d\.n\.e|does not exist|doesn't exist)|(?P<undefined>undefined|not defined|is undefined)"
    r"|(?P<diverges>diverges|divergent|does not converge|is divergent)"
    r"|(?P<infinitely_many>(?:there are )?infinitely many(?: solutions)?"
    r"|(?:there is )?an infinite number of solutions|infinite(?:ly many)? solutions))"
)
_SET_WORDS = re.compile(r"\b(?:all|any|every|each|arbitrary)\b")
_FOR_ALL_REALS = re.compile(
    r"[\s,;(]*(?:\bfor|\bwhere|\\forall)\s+(?:(?:all|every|each|any)\s+)?(?:real\s+(?:(?:numbers?|values?)\s*(?:of\s+)?)?)?"
    r"[a-z](?:\s*(?:,|and)\s*[a-z]){0,2}\s*\\in\s*\\mathbb\s*\{?R\}?\s*\)?$"
)
_FOR_ALL_NATURALS = re.compile(
    r",?\s*(?:\bfor|\bwhere)\s+(?:all|every|each|any)\s+(?:positive integers?|natural numbers?)\s+([a-z])$"
)
_FOR_ALL = re.compile(r"\bfor\s+(?:all|every|each|any)\s+(?:real\s+)?(?=[a-z]\s*(?:[<>=]|\\))")
_MONEY = re.compile(r"([0-9]{1,9}) (euros?|dollars?|pounds?),?(?: and)? ([0-9]{1,2}) (?:cents?|pence)")
_CIRCLED = re.compile(r"(?:(?:\\textcircled\s*\{?\s*[0-9]\s*\}?|[①-⑨])[\s,;]*)+")
_ERA = re.compile(r"([0-9]{1,4})\s*(?:AD|CE|A\.D\.|C\.E\.)")
_QUADS = re.compile(r",?\s*\\q?quad(?![a-z])\s*(?:\\q?quad)?(?=\s*[a-zA-Z])")
_SPACED_EUROPEAN = re.compile(r"-?[0-9]{1,3}(?: [0-9]{3})+,[0-9]+")
_INSIDE_BRACES = re.compile(r"\{[^{}]*\}")
_OPEN_POINT = re.compile(r"(?<=[0-9])\.(?=\s*[/*^])")  # 1./3
_POINTS = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_PARENTHESIS = re.compile(r"\s*\(\s*([a-z]\s*\\in\s*\\mathbb\s*\{?[A-Z]\}?[^()]*)\)$")
_ANGLES = re.compile(r"<([^<>=]+,[^<>=]+)>")
_QUANTIFIED = re.compile(
    r"[,;]?\s*\\?(?:text\s*\{)?\s*\b(?:for|where)\s+(?:all|every|each|any)\s*(?:real(?: numbers?)?"
    r"|positive)?\s*\}?\s*\$?[a-z]?\$?\s*\}?\s*$"
)
_DOLLARS = re.compile(r"\b(?:US|USD|U\.S\.)\s?\\?\$")
_RATE = re.compile(  # $12/hour, 50 drops/min; but 12/hours has no unit above
    r"((?:\\?[$€£]\s?-?[0-9][0-9.,]*|-?[0-9][0-9.,]*\s[a-z]{3,20}(?:\s[a-z]{3,20})?))\s?/\s?([a-z]{1,12})"
)
_CURRENCY_FIRST = re.compile(r"\b(USD|EUR|GBP|Rs\.?|INR|JPY|CNY|RMB)\s*(-?[0-9][0-9.,]*)")


def read(text: str, reading: Reading = USUAL) -> tuple[tree.Node, frozenset[str]]:
    """The tree of an answer, and which of `Reading`'s choices mattered.

    Raises:
        ReadError: The text is past the bounds of the grammar.

    >>> read("12")[0]
    Num(value=Fraction(12, 1), places=None)
    >>> read("Tuesday")[0]
    Text(text='Tuesday')
    """
    if _INTEGER.fullmatch(text):
        return tree.Num(Fraction(int(text))), frozenset()
    if len(text) > MAX_CHARS:
        raise tree.ReadError(f"the answer is longer than {MAX_CHARS} characters")
    return _read(text, reading)


@lru_cache(maxsize=2048)
def _read(text: str, reading: Reading) -> tuple[tree.Node, frozenset[str]]:
    text = unescaped(text)
    text = _undollared(stripped(_BLANKS.sub(" ", plain(stripped(_BLANKS.sub(" ", text))))))
    words = words_of(text)
    low = words.lower()
    if low in ("negative infinity", "minus infinity"):
        return tree.Neg(tree.Const("inf")), frozenset()
    if low.endswith(" repeating"):  # 5 repeating: which digits?
        return tree.Text(words), frozenset()
    if low in ("null", "yes", "no", "true", "false", "none", "nan"):
        return tree.Text(words), frozenset()
    if (match := _STATE.fullmatch(low)) is not None:
        return tree.Text(next(name for name, group in match.groupdict().items() if group)), frozenset()
    if (name := _PHRASES.get(low) or _PHRASES.get(text.lower())) is not None:
        return tree.Const(name), frozenset()
    if (number := _words(low)) is not None:
        return tree.Num(number), frozenset()
    if (amount := _quantity_in_words(words)) is not None:
        return amount, frozenset()
    text = (set_in_words(words) if _SET_WORDS.search(low) else None) or _prepared(text)
    if ("at" in text or "when" in text) and (apart := place_apart(words_kept(text))) is not None:
        text = apart[0]
    if ("_" in text or "base" in text) and (based := _based(text)) is not None:
        return based, frozenset()
    for _ in range(4):
        try:
            node, ambiguous = parse(text, reading)
            return node, frozenset(ambiguous)
        except RecursionError:
            raise tree.ReadError("the answer is nested too deep") from None
        except NotMath:
            bare = words_kept(text)
            if (named := _labelled(bare, reading)) is not None:
                return named
            shorter = without_remarks(bare)
            label_off = _without_label(text) if shorter == bare.strip() or not shorter else shorter
            if label_off is None:
                break
            text = label_off
            low = words_of(text).lower()
            if (name := _PHRASES.get(low)) is not None:
                return tree.Const(name), frozenset()
            if (number := _words(low)) is not None:
                return tree.Num(number), frozenset()
    return tree.Text(words), frozenset()


def _labelled(bare: str, reading: Reading) -> tuple[tree.Node, frozenset[str]] | None:
    """``radius: 5, centre: (1, 2)`` as radius = 5, centre = (1, 2); None for any other text."""
    pairs = labelled(bare)
    if pairs is None:
        return None
    if len(pairs) == 1:
        return _read(pairs[0][1], reading) if pairs[0][1] != bare else None
    parts: list[tree.Node] = []
    ambiguous: set[str] = set()
    for label, text in pairs:
        try:
            value, found = parse(text, reading)
        except NotMath:
            return None
        if isinstance(value, tree.Relation) and value.ops == ("=",) and isinstance(value.operands[0], tree.Sym):
            value = value.operands[-1]  # max at x = 1
        parts.append(tree.Relation((tree.Sym(f"the {label}"), value), ("=",)))
        ambiguous |= found
    return tree.List(tuple(parts)), frozenset(ambiguous)


def words_of(text: str) -> str:
    r"""The text without LaTeX's wrappers and repeated blanks.

    >>> words_of(r"\text{New  York}.")
    'New York'
    """
    for _ in range(4):
        if "\\" not in text:
            break
        text = _WRAPPER.sub(r" \1 ", text)
    return " ".join(_NOISE.sub(" ", text.replace("\\!", "")).split()).strip("\"'`*. ")


def _words(text: str) -> Fraction | None:
    """The value of number words; plain digits are not for them."""
    if (
        len(text) > 120
        or not any(c.isalpha() for c in text)
        or (_FORMULA.search(text.replace("/", "")) is not None and not text[:1].isdigit())
    ):
        return None
    return read_words(text) if not text.isascii() or _WORDY.search(text) else None


def _quantity_in_words(words: str) -> tree.Node | None:
    """``two hours``."""
    if len(words) > 60 or not words.replace(" ", "").replace("-", "").isalpha():
        return None
    parts = words.split()
    for n in range(len(parts) - 1, max(0, len(parts) - 4), -1):
        value = read_words(" ".join(parts[:n]).lower())
        unit = read_unit(" ".join(parts[n:])) if value is not None else None
        if value is not None and unit is not None:
            return tree.Quantity(tree.Num(value), unit)
    return None


def _undollared(text: str) -> str:
    """Without the dollar signs that set off mathematics; those of amounts stay."""
    if "$" not in text:
        return text
    places = [m.start() for m in re.finditer(r"(?<!\\)\$", text)]
    amounts = all(re.match(r"\$\s?-?[0-9.]", text[p : p + 4]) and not text[:p].endswith(("}", ")")) for p in places)
    if amounts and not re.search(r"[0-9}]\$(?![0-9])", text) and "\\" not in text.replace("\\$", ""):
        return text
    for p in reversed(places):
        text = text[:p] + " " + text[p + 1 :]
    return text.strip()


def _prepared(text: str) -> str:
    """The text with rare notations respelled."""
    text = text.strip()
    if "\n" in text:
        text = _INSIDE_BRACES.sub(lambda m: m[0].replace("\n", " "), text)
    if "\n" in text and "\\begin" not in text:
        text = " ; ".join(line.strip() for line in text.split("\n") if line.strip())
    if _CIRCLED.fullmatch(text):  # ①③
        text = ", ".join(re.findall("[0-9]", unicodedata.normalize("NFKC", text)))
    text = text.replace("per cent", "percent").removesuffix("\\text{.}")
    if (match := _MONEY.fullmatch(text)) is not None:  # 8 dollars and 75 cents
        text = f"{match[1]}.{match[3]:0>2} {match[2]}"
    if not text.isascii() and (match := _COUNTED.fullmatch(text)) is not None:
        text = match[1]
    text = _NEGATIVE.sub("-", _PYTHON.sub("", text))
    if "(" in text:
        text = _QUOTIENT.sub(r"((\1)/(\2))", text)
        text = _UNION.sub(r" \\cup ", text)
    if (match := _AND_A_PART.fullmatch(text)) is not None:
        text = f"{match[1]} {match[2]}"
    if (match := _TIMES.fullmatch(text)) is not None or (
        (match := _WORD_IN_BRACKETS.fullmatch(text)) is not None and read_words(match[2]) is None
    ):
        text = match[1]
    text = _HEDGE.sub("", text, count=2) if not text[:1].isdigit() else text
    if "=" in text or "\\" in text:
        parts = [part.strip() for part in _IMPLIES.split(text)]
        if len(parts) > 1 and parts[-1] and ("=" in "".join(parts[:-1]) or not any(parts[:-1])):
            text = parts[-1]
    if _SPACED_EUROPEAN.fullmatch(text):  # 1 234,5
        text = text.replace(" ", "").replace(",", ".")
    if "." in text:
        text = _OPEN_POINT.sub("", text)
        if _POINTS.fullmatch(text):  # 1.234.567
            text = text.replace(".", "")
        if "\\" in text:
            text = _REPEATING.sub(_repeating, text)
        if (match := _PERIOD.fullmatch(text)) is not None:
            text = f"{match[1]}({repeating(match[2], match[3], match[4])})"
    if "C" in text or "A_" in text or "P_" in text:
        plain_c = re.sub(r"\\(?:mathrm|text|rm|operatorname)\s*\{([ACP])\}", r" \1", text)
        for pattern in _COMBINATIONS:
            plain_c = pattern.sub(r"\\binom{\1}{\2}", plain_c)
        plain_c = _COMBINATION_UP.sub(r"\\binom{\2}{\1}", plain_c)
        text = _ARRANGEMENTS.sub(r"P(\3,\5)", plain_c)
    if "$" in text or text[:1].isupper():
        text = _CURRENCY_FIRST.sub(r"\2 \1", _DOLLARS.sub("$", text))
    if "/" in text and (rate := _RATE.fullmatch(" ".join(words_kept(text).split()))) is not None:
        text = f"{rate[1]} per {rate[2]}"
    if "quad" in text or "\\in" in text:
        text = _PARENTHESIS.sub(r", \1", text)
    if text.startswith("<") and (match := _ANGLES.fullmatch(text)) is not None:
        text = f"\\langle {match[1]} \\rangle"
    if "}" in text and re.fullmatch(r"[0-9{}]+", text) and "{" in text[1:]:  # 1{00}
        text = text.replace("{", "").replace("}", "")
    if (match := _ERA.fullmatch(text)) is not None:
        text = match[1]
    if "quad" in text and text.count("=") > 1:
        text = _QUADS.sub(", ", text)
    if (match := _QUANTIFIED.search(text)) is not None:
        text = text[: match.start()]
    elif len(text) <= MAX_QUALIFIED and _SET_WORDS.search(text) is not None:
        text = _quantifier(words_kept(text))
    if text[:2] in ("0b", "0o", "0x"):
        text = f"{text[2:]}_{ {'b': 2, 'o': 8, 'x': 16}[text[1]] }" if text[2:].isalnum() else text
    if "integer" in text:
        text = _ANY_INTEGER.sub(r", \1 \\in \\mathbb{Z}", _IS_INTEGER.sub(r", \1 \\in \\mathbb{Z}", words_kept(text)))
    return text.strip()


def _quantifier(text: str) -> str:
    """The text with what it says to hold for all real numbers as it is, for all n ≥ 1 as for n ≥ 1."""
    if (match := _FOR_ALL_REALS.search(text)) is not None and match.start():
        return text[: match.start()]
    text = _FOR_ALL_NATURALS.sub(r", \1 \\in \\mathbb{N}", text)
    return _FOR_ALL.sub("for ", text)


def words_kept(text: str) -> str:
    r"""The text with the words of ``\text{...}`` laid bare."""
    return _WRAPPER.sub(r" \1 ", text)


def _repeating(match: re.Match[str]) -> str:
    period = match[3] or match[4]
    if match[6] or match[7]:  # a dot over the first and the last digit
        period += match[5] + (match[6] or match[7])
    if len(match[0]) > 300:
        return match[0]
    value = repeating(match[1], match[2], period)
    return f"({value.numerator}/{value.denominator})" if value.denominator != 1 else f"({value.numerator})"


def _based(text: str) -> tree.Base | None:
    r"""``3F_{16}``, ``204 base 5``, ``204_{\text{five}}``, digits past 9 included; or None."""
    bare = words_kept(text).strip().replace(" _", "_")
    match = _HEX.fullmatch(_BASE_SUBSCRIPT.sub(lambda m: f"_{BASE_WORDS.get(m[1], m[1])}", bare)) or _IN_BASE.fullmatch(
        bare
    )
    if match is None:
        return None
    base = BASE_WORDS.get(match[2].lower()) or (int(match[2]) if match[2].isdigit() else 0)
    digits = match[1].lower()
    lettered = not any(c.isdigit() for c in digits) and not (base > 10 and len(digits) > 1)  # a_{12} is a term
    if not 2 <= base <= 36 or lettered or any(int(c, 36) >= base for c in digits):
        return None
    return tree.Base(Fraction(int(digits, base)), base)


def _without_label(text: str) -> str | None:
    """What stands after ``Area =``, ``the total is``; None where no such label stands there."""
    bare = words_kept(text).strip()
    if _CODE.search(bare) or (says := _SAYS.search(bare)) is None:
        return None
    label, rest = bare[: says.start()].strip(), bare[says.end() :].strip()
    if _LABEL.fullmatch(label) is None and _FUNCTION.fullmatch(label) is None:
        return None
    wordy = _WORDY.search(label) and len(label.split()) <= 8 and not _NEGATION.search(label)
    if (name := _LAST_SYMBOL.search(label)) is not None and says[0] == "=" and rest:  # the line y = 0
        rest = f"{name[1]} = {rest}"
    return rest if wordy and rest and rest != text.strip() else None
