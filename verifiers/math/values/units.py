r"""Read units of measurement: ``cm^2``, ``square feet``, ``km/h``, ``J K^{-1} mol^{-1}``, ``°C``, ``$``, ``千克``.

Base units are those of the SI, and scales are exact fractions. Angles are plain numbers, as in the SI: a radian is 1,
a degree π/180. A currency is a dimension of its own (no rates), and so is what is counted. ``units`` are lengths of no
known size: ``square units`` have the dimension ``(("unit", 2),)``.

Where a spelling has several meanings: ``M`` is mol/L, ``C`` coulomb, ``F`` farad, ``pounds`` are mass, ``¥`` is yen,
``KB`` is 1000 bytes, ``tons`` are short tons. All that follows ``/`` or "per" divides: ``J/mol K`` is J/(mol K).
"""

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from turnwise.verifiers.math.values.nouns import noun, singular
from turnwise.verifiers.math.values.tree import Unit
from turnwise.verifiers.math.values.unit_table import FORGIVEN, LEADING, NAMES, PREFIXABLE, PREFIXES, SYMBOLS

__all__ = ["LEADING", "MAX_CHARS", "read_count", "read_unit"]

MAX_CHARS = 64
_LATEX = re.compile(r"\\(?:text|textrm|textup|textbf|mathrm|mathbf|rm|operatorname|mbox|unit|si)(?![a-z])\s*")
_SPELLINGS = {"\\mu ": "μ", "\\mu": "μ", "\\Omega": "Ω", "\\cdot": "*", "\\times": "*", "\\degree": "°", "\\circ": "°",
              "\\textdegree": "°", "\\euro": "€", "\\pounds": "£", "\\yen": "¥", "\\$": "$", "\\,": " ", "\\;": " ",
              "\\:": " ", "\\!": "", "\\ ": " ", "~": " ", "º": "°", "˚": "°", "U.S.": "US", "每": " per ",
              "^{°}": "°", "^°": "°"}  # fmt: skip
_SIGNS = str.maketrans({"−": "-", "–": "-", "⁻": "-", "·": "*", "⋅": "*", "×": "*", "•": "*", "∙": "*", "µ": "μ",
                        "∕": "/", "÷": "/", "_": "?"})  # fmt: skip
_TOKEN = re.compile(
    r" *(?:(?P<word>°[CFKR](?![A-Za-z])|[A-Z]{1,2}[$¥£]|[^\W\d_]+|[°$¢€£¥₹₩₽฿₫₦₪₱₺₴₿])|(?P<mark>[-*/()]))"
)
_EXPONENT = re.compile(r" ?(?:\^|\*\*) ?(?:\{ ?([-+]?[1-9]) ?\}|\( ?([-+]?[1-9]) ?\)|([-+]?[1-9]))|([-+]?[1-9])(?!\d)")
_DOT = re.compile(r"(?<=[^\W\d_])\.(?=[^\W\d_])")
_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3, "平方": 2, "立方": 3}
_AFTER = {"squared": 2, "cubed": 3, "cuadrado": 2, "quadrado": 2, "carre": 2, "cubico": 3, "cube": 3}
_PER = frozenset({"per", "por", "pro", "par", "a", "an"})
_TRAILING = re.compile(
    r" (?:old|of age|tall|long|wide|high|deep|thick|away|apart|each|total|in total|in all|altogether|remaining|left"
    r"|in (?:length|width|height|area|volume|mass|weight|size|diameter|radius|money))\Z"
)
_FORMULA = re.compile(r"(?:[A-Z][a-z]?[0-9]*)+")
_PERCENT = "per cent"
_Factor = tuple[Unit, int]


def read_unit(text: str) -> Unit | None:
    r"""The unit that the whole text is, or None.

    Args:
        text: What stands after a number, at most 64 characters; LaTeX's ``\text`` and the like may be left in.

    >>> read_unit("km/h").dimensions, read_unit("kilometers per hour").scale
    ((('length', Fraction(1, 1)), ('time', Fraction(-1, 1))), Fraction(5, 18))
    >>> read_unit("sq ft") == read_unit("ft^2")._replace(name="sq ft")
    True
    >>> read_unit("apples"), read_unit("%")
    (None, None)
    """
    return _read_unit(text) if len(text) <= MAX_CHARS else None


def read_count(text: str) -> Unit | None:
    """What is counted, as a unit: a noun phrase of at most four words; None where the text looks like anything else.

    >>> read_count("apples").dimensions
    (('count:apple', Fraction(1, 1)),)
    >>> read_count("or 5"), read_count("if x"), read_count("choose 3"), read_count("cm")
    (None, None, None, None)
    """
    return _read_count(text) if len(text) <= MAX_CHARS else None


@lru_cache(maxsize=4096)
def _read_unit(text: str) -> Unit | None:
    name = text.strip()
    plain = _plain(name)
    unit = _known(plain)
    if unit is None and plain != _PERCENT:
        plain = _TRAILING.sub("", plain)
        what, of, substance = plain.partition(" of ")
        if of and (noun(substance) is not None or _FORMULA.fullmatch(substance)):  # grams of sugar, mol of H2O
            plain = what
        unit = _expression(plain)
    return unit._replace(name=name) if unit is not None else None


@lru_cache(maxsize=4096)
def _read_count(text: str) -> Unit | None:
    name = " ".join(text.split())
    plain = _TRAILING.sub("", name)
    if plain.count(" per ") == 1:
        top, bottom = (_counted(part) for part in plain.split(" per "))
        return _product([(top, 1), (bottom, -1)])._replace(name=name) if top and bottom else None
    unit = _counted(plain)
    return unit._replace(name=name) if unit is not None else None


def _counted(text: str) -> Unit | None:
    phrase = noun(text)
    if phrase is None or _read_unit(text) is not None:
        return None
    return Unit(((f"count:{phrase}", Fraction(1)),))


def _plain(text: str) -> str:
    """The text with one spelling for each sign; superscripts become digits behind the unit."""
    if "\\" in text:
        text = _LATEX.sub("", text)
    for spelling, plain in _SPELLINGS.items():
        if spelling in text:
            text = text.replace(spelling, plain)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    text = " ".join(text.split()).strip("$ ") if text.count("$") > 1 else " ".join(text.split())
    if "." in text:
        text = _DOT.sub(" ", text).replace(".", "")
    if "{" in text:
        text = re.sub(r"(?<!\^)(?<!\^ )\{([^{}]*)\}", r"\1", text)  # what \text{...} leaves
    return text.replace("° C", "°C").replace("° F", "°F") if "°" in text else text


def _known(text: str) -> Unit | None:
    """The unit with this symbol or name, prefixes and plurals included."""
    if (unit := SYMBOLS.get(text)) is not None:
        return unit
    for size in (2, 1):
        if (prefix := PREFIXES.get(text[:size])) is not None and len(text) > size and _takes(text[size:], text[:size]):
            return _scaled(SYMBOLS[text[size:]], prefix[0])
    return _named(_folded(text)) if len(text) > 1 else None


def _takes(symbol: str, prefix: str) -> bool:
    if symbol not in PREFIXABLE or symbol not in SYMBOLS:
        return False
    if prefix in ("h", "da"):
        return symbol in ("m", "L", "l", "g", "Pa")
    if prefix == "K":  # KB, KPa; no kelvin before another unit
        return symbol in ("B", "b", "Hz", "Pa", "W", "J", "N", "V", "cal", "m", "g")
    return symbol != "M" or prefix in "munpμ"  # molar


def _named(name: str) -> Unit | None:
    if "_" in name:
        name = "_".join(map(singular, name.split("_")))
    for word in (name, singular(name), name.removesuffix("s"), name.removesuffix("es")):
        if (unit := NAMES.get(word)) is not None:
            return unit
        for power, prefix in PREFIXES.values():
            rest = word.removeprefix(prefix).removeprefix("_")
            if rest != word and rest in PREFIXABLE and rest in NAMES:
                return _scaled(NAMES[rest], power)
    for prefix, power in (("quadrat", 2), ("kubik", 3), ("平方", 2), ("立方", 3)):
        base = name.removeprefix(prefix)
        if base != name and (unit := _known(base)) is not None:
            return _product([(unit, power)])
    forgiven = FORGIVEN.get(name)
    return _known(forgiven) if forgiven is not None else None


def _folded(text: str) -> str:
    text = text.casefold().replace(" ", "_")
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


def _scaled(unit: Unit, power: int) -> Unit:
    return unit._replace(scale=unit.scale * Fraction(10) ** power)


def _product(factors: list[_Factor]) -> Unit:
    if len(factors) == 1 and factors[0][1] == 1:
        return factors[0][0]
    powers: dict[str, Fraction] = {}
    scale, pi = Fraction(1), 0
    for unit, power in factors:  # a difference of temperatures has no zero point
        scale *= unit.scale**power
        pi += unit.pi * power
        for dimension, exponent in unit.dimensions:
            powers[dimension] = powers.get(dimension, Fraction(0)) + exponent * power
    return Unit(tuple(sorted((name, power) for name, power in powers.items() if power)), scale, Fraction(0), pi)


def _expression(text: str) -> Unit | None:
    tokens: list[str | int] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        tokens.append(match["word"] or match["mark"])
        position = match.end()
        if (match["word"] or match["mark"] == ")") and (exponent := _EXPONENT.match(text, position)) is not None:
            tokens.append(int(next(group for group in exponent.groups() if group)))
            position = exponent.end()
    factors, end = _factors(tokens, 0)
    return _product(factors) if factors and end == len(tokens) else None


def _factors(tokens: list[str | int], at: int) -> tuple[list[_Factor], int]:
    """The units from ``at`` on with their powers, and where they end; no units if the text is not a product."""
    found: list[_Factor] = []
    sign, operator = 1, True  # operator: nothing stands on the left yet
    while at < len(tokens) and tokens[at] != ")":
        token, power = tokens[at], 1
        if token in _PER or token == "/":
            if (operator and found) or (token in ("a", "an") and not found):
                return [], at
            sign, operator, at = -1, True, at + 1
            continue
        if token in ("*", "-"):
            if operator:
                return [], at
            operator, at = True, at + 1
            continue
        if token == "(":
            inside, at = _factors(tokens, at + 1)
            if not inside or at >= len(tokens):
                return [], at
            unit, at = _product(inside), at + 1
        else:
            if token in _BEFORE:
                power, at = _BEFORE[str(token)], at + 1
            unit_, at = _longest(tokens, at, counts=bool(found) or "per" in tokens)
            if unit_ is None:
                return [], at
            unit = unit_
        if at < len(tokens) and isinstance(tokens[at], int):
            power, at = power * int(tokens[at]), at + 1
        elif at < len(tokens) and (after := _AFTER.get(singular(_folded(str(tokens[at]))))) is not None:
            power, at = power * after, at + 1
        found.append((unit, sign * power))
        operator = False
    return ([], at) if operator else (found, at)


def _longest(tokens: list[str | int], at: int, counts: bool) -> tuple[Unit | None, int]:
    """The unit of the longest name that begins at ``at`` and where it ends; with ``counts`` also what is counted."""
    words = []
    for token in tokens[at : at + 7]:
        if not isinstance(token, str) or token in "*/()" or token in _PER:
            break
        words.append(token)
    for size in range(len(words), 0, -1):
        if words[size - 1] != "-":
            joined = " ".join(word for word in words[:size] if word != "-")
            if (unit := _known(joined)) is not None:
                return unit, at + size
    if counts and words and "-" not in words and (phrase := noun(" ".join(words))) is not None:
        return Unit(((f"count:{phrase}", Fraction(1)),)), at + len(words)
    return None, at
