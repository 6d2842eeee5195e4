"""Read numbers written in words: ``twenty-three``, ``two and a half``, ``1.5 million``, ``三分之一``, ``trescientos``.

The whole text must be one number. Where two readings differ, as in "one hundred and three quarters" (100¾ or 103/4),
there is none. Scales are the short ones (a billion is 10⁹). English and Chinese are read in full, Spanish, French and
German whole numbers up to 999.
"""

import re
import unicodedata
from fractions import Fraction
from functools import cache, lru_cache

from turnwise.verifiers.math.read.lexer import SCALES

__all__ = ["MAX_CHARS", "read_ordinal", "read_words"]

MAX_CHARS = 200
_SMALL = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
    )
}  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
         "ninety": 90}  # fmt: skip
_FACTORS = {"hundred": 100, "dozen": 12} | SCALES
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12, "hundredth": 100,
} | {f"{word}th": value for word, value in _SMALL.items() if value > 3 and value not in (5, 8, 9, 12)} | {
    f"{word[:-1]}ieth": value for word, value in _TENS.items()
} | {f"{word}th": value for word, value in SCALES.items()}  # fmt: skip
_PARTS = {word: value for word, value in _ORDINALS.items() if value > 2} | {"half": 2, "quarter": 4}
_PLURALS = {f"{word}s": value for word, value in _PARTS.items() if word != "half"} | {"halves": 2}
_NUMERAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?|[0-9]{1,3}(?:,[0-9]{3}){1,4}(?:\.[0-9]{1,15})?", re.ASCII)
_THOUSANDS_COMMA = re.compile(r"\b(thousand|million|billion), (?=[a-z]+(?:[- ][a-z]+)? (?:hundred|thousand|million)\b)")
_SIGNS = frozenset({"negative", "minus", "menos", "moins"})
_TH = re.compile(r"([0-9]{0,8}(?:(?<!1)1st|(?<!1)2nd|(?<!1)3rd|[04-9]th|1[123]th))", re.ASCII)


def read_words(text: str) -> Fraction | None:
    """The number that the whole text says in words, or None; figures alone are no words.

    Args:
        text: At most 200 characters; case, hyphens and accents do not matter, except in "twenty-fifths".

    >>> read_words("twenty-three"), read_words("minus two and a half"), read_words("1.5 million")
    (Fraction(23, 1), Fraction(-5, 2), Fraction(1500000, 1))
    >>> read_words("三分之一"), read_words("ciento veinte"), read_words("three quarters")
    (Fraction(1, 3), Fraction(120, 1), Fraction(3, 4))
    >>> read_words("one or two"), read_words("third"), read_words("12")
    (None, None, None)
    """
    return _read_words(text) if len(text) <= MAX_CHARS else None


def read_ordinal(text: str) -> int | None:
    """The rank that the whole text says: ``third``, ``twenty-first``, ``21st``, ``第三``; or None.

    >>> read_ordinal("Third"), read_ordinal("one hundred and first"), read_ordinal("21st"), read_ordinal("three")
    (3, 101, 21, None)
    """
    text = text.strip().lower()
    if len(text) > MAX_CHARS:
        return None
    if _TH.fullmatch(text):
        return int(text[:-2])
    if text.startswith("第"):
        rank = _chinese(text[1:])
        return int(rank) if rank is not None and rank.denominator == 1 else None
    *words, last = _THOUSANDS_COMMA.sub(r"\1 ", text).replace("-", " ").split() or [""]
    if (value := _ORDINALS.get(last)) is None:
        return None
    if not words:
        return value
    for word, number in (_SMALL | _TENS | _FACTORS).items():
        if number == value:
            return _integer([*words, word])
    return None


@lru_cache(maxsize=2048)
def _read_words(text: str) -> Fraction | None:
    text = text.strip().rstrip(".").casefold()
    if text and not text.isascii():
        if (chinese := _chinese(text)) is not None:
            return chinese
        text = "".join(c for c in unicodedata.normalize("NFD", text.replace("−", "-")) if not unicodedata.combining(c))
    joined = "-" in text.rpartition(" ")[2]
    words = _THOUSANDS_COMMA.sub(r"\1 ", text).replace("-", " ").split()
    sign = 1
    if words and words[0] in _SIGNS:
        sign, words = -1, words[1:]
    if not words or (len(words) == 1 and words[0][0].isdigit()):
        return None
    values = _number(words, joined)
    if not values:
        foreign = _foreign().get(" ".join(words))
        values = set() if foreign is None else {Fraction(foreign)}
    return sign * values.pop() if len(values) == 1 else None


def _number(words: list[str], joined: bool) -> set[Fraction]:
    """All that the words can mean. ``joined``: the last word has a hyphen before it."""
    found = set() if (real := _real(words)) is None else {real}
    found |= _fraction(words, joined)
    for i in range(1, len(words) - 1):
        if words[i] == "and" and (whole := _real(words[:i])) is not None and whole.denominator == 1:
            found |= {whole + part for part in _fraction(words[i + 1 :], joined) if part < 1}
    *rest, last = words
    if words in (["dozen"], ["a", "dozen"]):
        found.add(Fraction(12))
    elif (factor := _FACTORS.get(last)) is not None and rest:
        if rest in (["half", "a"], ["half"]):
            found.add(Fraction(factor, 2))
        elif last == "dozen" or _integer(rest) is None:  # two dozen, two and a half million, 1.5 million
            found |= {value * factor for value in _number(rest, False)}
    return found


def _real(words: list[str]) -> Fraction | None:
    if len(words) == 1 and _NUMERAL.fullmatch(words[0]):
        return Fraction(words[0].replace(",", ""))
    if "point" in words:
        at = words.index("point")
        digits = [_SMALL.get(word, 10) for word in words[at + 1 :]]
        whole = _integer(words[:at]) if at else 0
        if whole is None or not digits or max(digits) > 9:
            return None
        return whole + Fraction(int("".join(map(str, digits))), 10 ** len(digits))
    whole = _integer(words)
    return None if whole is None else Fraction(whole)


def _integer(words: list[str]) -> int | None:
    """The whole number: groups below 1000 with ever smaller scales, "and" only before what is below 100."""
    if words[0] == "a" and len(words) > 1 and words[1] in _FACTORS:
        words = ["one", *words[1:]]
    total, ceiling, start = 0, 10**15, 0
    for at, word in enumerate(words):
        if (scale := SCALES.get(word)) is None:
            continue
        group = _group(words[start:at], bool(total)) if at > start else 1
        if group is None or not group or scale >= ceiling or (at == start and total):
            return None
        total, ceiling, start = total + group * scale, scale, at + 1
    if start == len(words):
        return total or None
    last = _group(words[start:], bool(total))
    return None if last is None or (total and not last) or last >= ceiling else total + last


def _group(words: list[str], after_scale: bool) -> int | None:
    """A number below 1000, or of hundreds below 10,000; after a scale "and" may begin it."""
    if "hundred" in words:
        at = words.index("hundred")
        hundreds = _below_hundred(words[:at]) if at else 1
        if hundreds is None or not hundreds or (hundreds >= 10 and (hundreds % 10 == 0 or after_scale)):
            return None
        rest = words[at + 1 :]
        if not rest:
            return 100 * hundreds
        small = _below_hundred(rest[1:] if rest[0] == "and" else rest)
        return 100 * hundreds + small if small else None
    return _below_hundred(words[1:] if after_scale and words[0] == "and" else words)


def _below_hundred(words: list[str]) -> int | None:
    if len(words) == 1:
        word = words[0]
        return _SMALL.get(word, _TENS.get(word))
    if len(words) == 2 and words[0] in _TENS and 0 < _SMALL.get(words[1], 0) < 10:
        return _TENS[words[0]] + _SMALL[words[1]]
    return None


def _fraction(words: list[str], joined: bool) -> set[Fraction]:
    """Three quarters, a half, one twenty-fifth, five ten-thousandths."""
    if words == ["half"]:
        return {Fraction(1, 2)}
    *top, part = words
    if top == ["a"]:
        top = ["one"]
    if not top or (part not in _PARTS and part not in _PLURALS):
        return set()
    bottom = _PARTS.get(part) or _PLURALS[part]
    if joined and top[-1] in _TENS:
        bottom = _TENS[top.pop()] + bottom if bottom < 10 and part not in ("half", "quarter") else 0
    elif (joined or len(top) > 1) and top[-1] in ("ten", "hundred") and bottom in SCALES.values() and len(top) > 1:
        if not joined and top[-1] == "hundred":
            return set() if part in _PARTS else _over(_real(top), bottom, part)
        bottom *= 10 if top.pop() == "ten" else 100
    return _over(_real(top), bottom, part) if top and bottom else set()


def _over(top: Fraction | None, bottom: int, part: str) -> set[Fraction]:
    if top is None or top.denominator != 1 or (top == 1) != (part in _PARTS):
        return set()
    return {top / bottom}


_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_FORMAL = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟萬億負點", "一二三四五六七八九十百千万亿负点")


def _chinese(text: str) -> Fraction | None:
    """A Chinese numeral: 二十五, 一百零三, 负三点五, 三分之二, 一半, 百分之五."""
    text = text.strip().translate(_FORMAL)
    if text.startswith("负"):
        value = _chinese(text[1:]) if not text.startswith("负负") else None
        return None if value is None else -value
    if text in ("一半", "半"):
        return Fraction(1, 2)
    bottom_text, over, top_text = text.partition("分之")
    if over:
        top, bottom = _chinese_decimal(top_text), 100 if bottom_text == "百" else _chinese_integer(bottom_text)
        return top / bottom if top is not None and bottom else None
    return _chinese_decimal(text)


def _chinese_decimal(text: str) -> Fraction | None:
    whole_text, point, decimals = text.partition("点")
    whole = _chinese_integer(whole_text)
    if whole is None or not point:
        return None if whole is None else Fraction(whole)
    digits = [_DIGITS.get(char) for char in decimals]
    if not digits or None in digits:
        return None
    return whole + Fraction(int("".join(map(str, digits))), 10 ** len(digits))


def _chinese_integer(text: str) -> int | None:
    total = 0
    for scale, sign in ((10**8, "亿"), (10**4, "万")):
        left, found, rest = text.partition(sign)
        if found:
            group = _chinese_group(left.lstrip("零") if total else left)
            if not group:
                return None
            total, text = total + group * scale, rest
    if total and text:
        last = _chinese_group(text[1:] if text[0] == "零" else text)
        return total + last if last and (text[0] == "零" or last >= 1000) else None
    return total or _chinese_group(text)


def _chinese_group(text: str) -> int | None:
    """Below 10,000. 一百零三, not 一百三 (which is 130 in speech)."""
    if text in _DIGITS:
        return _DIGITS[text]
    total, ceiling, digit, gap = 0, 10_000, None, False
    for char in text:
        if char in "十百千":
            unit = {"十": 10, "百": 100, "千": 1000}[char]
            if unit >= ceiling or digit == 0 or (digit is None and (unit != 10 or total)):
                return None
            total, ceiling, digit, gap = total + (1 if digit is None else digit) * unit, unit, None, False
        elif char in "零〇":
            if digit is not None or gap or not total:
                return None
            gap = True
        elif char in _DIGITS and digit is None:
            digit = _DIGITS[char]
        else:
            return None
    if digit is None:
        return None if gap or not total else total
    return total + digit if total and (ceiling == 10 or gap) else None


_SPANISH = """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa dosc tresc cuatroc quin seisc setec ochoc novec"""
_FRENCH = """zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize
vingt trente quarante cinquante soixante"""
_GERMAN = """null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf
zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig"""
_ENGLISH_TOO = ("once", "cent", "elf")
_Names = dict[int, list[str]]


@cache
def _foreign() -> dict[str, int]:
    """Spanish, French and German names of 0 to 999, no accents, blanks for hyphens; without what is an English word."""
    table: dict[str, int] = {}
    for names in (_spanish(), _french(), _german()):
        table |= {spelling: value for value, spellings in names.items() for spelling in spellings}
    return {name: value for name, value in table.items() if name not in _ENGLISH_TOO}


def _with_hundreds(names: _Names, hundreds: dict[int, list[str]], alone: dict[int, list[str]], join: str) -> _Names:
    whole = dict(names)
    for hundred, starts in hundreds.items():
        whole[100 * hundred] = alone[hundred]
        for value in range(1, 100):
            whole[100 * hundred + value] = [start + join + name for start in starts for name in names[value]]
    return whole


def _spanish() -> _Names:
    words = _SPANISH.split()
    names = {value: [name] for value, name in enumerate(words[:16])} | {1: ["uno", "una", "un"]}
    names |= {10 + unit: ["dieci" + words[unit]] for unit in range(6, 10)}
    for ten, name in enumerate(words[16:24], 2):
        names[10 * ten] = [name]
        start = "veinti" if ten == 2 else f"{name} y "
        names |= {10 * ten + unit: [start + last for last in names[unit]] for unit in range(1, 10)}
    hundreds = {1: ["ciento"]} | {n: [f"{root}ient{end}s" for end in "oa"] for n, root in enumerate(words[24:], 2)}
    return _with_hundreds(names, hundreds, hundreds | {1: ["cien", "ciento"]}, " ")


def _french() -> _Names:
    words = _FRENCH.split()
    names = {value: [name] for value, name in enumerate(words[:17])} | {1: ["un", "une"]}
    names |= {10 + unit: [f"dix {words[unit]}"] for unit in (7, 8, 9)}
    for ten, name in [*zip(range(20, 70, 10), words[17:], strict=True), (80, "quatre vingt")]:
        names[ten] = [name, "quatre vingts"] if ten == 80 else [name]
        for value in range(1, 20 if ten >= 60 else 10):
            start = f"{name} et " if value in (1, 11) and ten != 80 else f"{name} "
            names[ten + value] = [start + last for last in names[value]]
    for ten, name in ((70, "septante"), (80, "huitante"), (90, "nonante")):
        names[ten].append(name)
        for unit in range(1, 10):
            names[ten + unit] += [f"{name} et {x}" if unit == 1 else f"{name} {x}" for x in names[unit]]
    hundreds = {n: ["cent"] if n == 1 else [f"{words[n]} cent"] for n in range(1, 10)}
    return _with_hundreds(names, hundreds, {n: [name, f"{name}s"] for n, (name,) in hundreds.items()}, " ")


def _german() -> _Names:
    words = _GERMAN.split()
    stems = dict(enumerate(words[:10])) | {1: "ein"}
    names = {value: [name] for value, name in enumerate(words[:13])}
    short = {6: "sech", 7: "sieb"}
    names |= {10 + unit: [short.get(unit, stems[unit]) + "zehn"] for unit in range(3, 10)}
    for ten, name in enumerate(words[13:], 2):
        names[10 * ten] = [name]
        names |= {10 * ten + unit: [stems[unit] + "und" + name] for unit in range(1, 10)}
    hundreds = {n: [f"{stems[n]}hundert"] for n in range(1, 10)} | {1: ["hundert", "einhundert"]}
    return _with_hundreds(names, hundreds, hundreds, "")
