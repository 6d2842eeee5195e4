"""What stands beside a value, as the features of the model: of its sentence, its clause, its place, and the value."""

import re
from typing import NamedTuple

from turnwise.verifiers.messages.clause import weakened
from turnwise.verifiers.messages.picked.gates import doubts_of
from turnwise.verifiers.messages.picked.segments import Segment
from turnwise.verifiers.messages.picked.ways import NAMED, NEAR
from turnwise.verifiers.messages.picked.words import SHORT_WORD, TELLING, TOKEN, bag, known
from turnwise.verifiers.messages.skeleton import NUMBER_WORDS, POSED, UNIT
from turnwise.verifiers.messages.sought.subject import Sought, stem

__all__ = ["ITEM", "Text", "against", "features_of_clause", "features_of_place", "features_of_sentence",
           "features_of_value"]  # fmt: skip

ITEM = re.compile(r"(?:[-*•+]|[0-9]{1,2}[.)])\s")
_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:/[0-9]+)?")
_PLAIN = re.compile(r"[-−+$€£]{0,2}[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?[%°]?")
_UNEQUAL = re.compile(r"[<>≤≥≠]|\\(?:leq?|geq?|neq?|lt|gt)(?![A-Za-z])|!=")
_LETTERS = re.compile(r"[A-Za-z\\^]")
_CONCLUDES = re.compile(
    r"(?:^\W*|[,;:.]\s)(?:so|therefore|thus|hence|in total|altogether|overall|in conclusion|finally)\b|\banswer\b|∴",
    re.IGNORECASE,
)
_LAST = re.compile(r"[\s$*(\[\\]+$")
_ENDS = re.compile(r"[\s$*)\]]*(?:[A-Za-z²³/%°]+\s?){0,3}[.!*)\s]*$")
_CLAUSE_END = re.compile(r"[,;:(]|\s(?:and|so|which)\s")
_EXTREMES = (  # at most 12, where the greatest number is asked for
    (re.compile(r"\bat most[\s$*]*$"), re.compile(r"\b(?:most|max\w*|great\w*|larg\w*|high\w*|long\w*)\b", re.I)),
    (re.compile(r"\bat least[\s$*]*$"), re.compile(r"\b(?:least|min\w*|fewest|small\w*|low\w*|short\w*)\b", re.I)),
)
_BREAKS_OFF = re.compile(
    r"(?:\b(?:and|so|then|the|this|that|which|of|to|is|are|we|with|by|for|have|get|gives)|[a-z],|[-+*/×=^(:])\s*$"
)
_OPERATION = re.compile(r"[0-9)}a-z%]\s*(?:[-+*/×÷·^−]|\\(?:cdot|times|div|frac|sqrt)(?![a-z]))")
_OPERATOR = re.compile(r"\s*(?:[%a-z]{0,6}\s)?\s*(?:[-+*/×÷·^−]|\\(?:cdot|times|div)(?![a-z]))\s*\S[^\n=≈]{0,40}[=≈]")
_OPERATED = re.compile(r"(?:[-+*/×÷·^−(]|\\(?:cdot|times|div))\s*\$?$")
_OF_SENTENCE = str.maketrans({"$": "", "?": " ", ".": " ", ",": " "})
_MARKS = (("?", "?"), ("？", "?"), ("✓", "ok"), ("✅", "ok"), ("✔", "ok"), ("...", "dots"), ("…", "dots"))
_OPEN_WORDS = frozenset([
    "actually", "alternatively", "ambiguous", "both", "but", "cannot", "could", "depending", "depends", "either",
    "guess", "hmm", "however", "if", "incorrect", "instead", "interpretation", "maybe", "might", "mistake", "not", "or",
    "perhaps", "possibly", "sorry", "try", "unclear", "unsure", "wait", "would", "wrong",
])  # fmt: skip


class Text(NamedTuple):
    """The end of a message, as it is read.

    Attributes:
        text: All of it.
        found: Its sentences.
        words: Their words, values (or the words to choose from) masked.
        about: How many words of the question each has.
        places: The numbers of those that have a value.
    """

    text: str
    found: list[Segment]
    words: list[str]
    about: list[int]
    places: list[int]


def features_of_sentence(text: Text, n: int) -> dict[str, float]:
    """The features of a sentence: where it stands, how it starts, its words, what stands around it."""
    segment, words, later = text.found[n], text.words[n], [place for place in text.places if place > n]
    tokens = SHORT_WORD.findall(words)
    names = [
        f"from end {min(len(text.found) - 1 - n, 5)}",
        f"from last value {min(len(later), 4)}",
        "last line" if text.found[-1].line == segment.line else "other line",
        f"starts {known(tokens, '-')}",
        f"words {min(len(tokens) // 4, 5)}",
        f"about {min(text.about[n], 4)}",
        *(f"s {word}" for word in bag(words)),
        *doubts_of(segment.text),
        *(f"later {name}" for behind in text.found[n + 1 :] for name in doubts_of(behind.text)),
        *(f"sign {name}" for sign, name in _MARKS if sign in segment.text),
    ]
    if len(tokens) > 1:
        names.append(f"starts2 {known(tokens[1:])}")
    if n == 0 and segment.start == 0:
        names.append("opens")
    if n + 1 < len(text.found):
        names.append(f"next starts {known(SHORT_WORD.findall(text.words[n + 1]), '-')}")
    if later:
        most = max(text.about[place] for place in later)
        more = "more" if most > text.about[n] else "as much" if most == text.about[n] else "less"
        names.append(f"later {more} about")
    if any(_CONCLUDES.search(text.words[place]) for place in later):
        names.append("later concludes")
    if any("**" in text.found[place].text for place in later):
        names.append("later bold")
    if any("**" in text.found[place].text for place in text.places if place < n):
        names.append("earlier bold")
    if _CONCLUDES.search(segment.text):
        names.append("concludes")
    start = segment.text.lstrip()
    names += ["heading"] if start.startswith("#") else ["row"] if start.startswith("|") else []
    if ITEM.match(start):
        names.append("item")
    if segment.bold and len(segment.bold) > 0.7 * len(start.strip(" .*")):
        names.append("all bold")
    if n and text.words[n - 1].rstrip(" *").endswith(":"):
        names += ["announced", f"ann about {min(text.about[n - 1], 3)}"]
        names += [f"ann {word}" for word in bag(text.words[n - 1])]
    if text.about[n] == max(text.about) and text.about[n]:
        names.append("most about")
    return dict.fromkeys(names, 1.0)


def features_of_clause(clause: str, asked: frozenset[str]) -> dict[str, float]:
    """The words of a clause, those that the question has apart from the others."""
    words = bag(clause)
    names = [f"clause starts {known(SHORT_WORD.findall(clause), '-')}"]
    names += [f"c {word}" for word in words - asked]
    names += [f"asked and c {word}" for word in words & asked]
    names += [f"asked, not c {word}" for word in (asked & TELLING) - words]
    return dict.fromkeys(names, 1.0)


def features_of_place(head: str, tail: str, asking: str = "") -> dict[str, float]:
    """The words right before a value and behind it, and whether they make it a bound that is not asked for."""
    bare = _LAST.sub("", head)
    before = TOKEN.findall(bare[-60:])[::-1]
    behind = TOKEN.findall(tail.lstrip(" $*)\\]")[:50])
    names = [f"before {known(before, '^')}", f"behind {known(behind, '$')}"]
    if before:
        names.append(f"before2 {known(before[1:], '^')}")
    if behind:
        names.append(f"behind2 {known(behind[1:], '$')}")
    if len(behind) > 2 and behind[0][0].isalpha():
        names.append(f"behind3 {known(behind[2:])}")
    if _ENDS.match(tail):
        names.append("ends")
    if head.count("(") > head.count(")"):
        names.append("in brackets")
    if bare.endswith(":"):
        names.append("label")
    if not SHORT_WORD.search(head):
        names += ["no word before"] if SHORT_WORD.search(tail) else ["no word before", "alone"]
    near = _CLAUSE_END.split(head[-40:])[-1]
    extreme = next((asked for words, asked in _EXTREMES if words.search(near)), None)
    if weakened(near) and (extreme is None or not extreme.search(asking)):
        names.append("weakened")
    return dict.fromkeys(names, 1.0)


def features_of_value(
    text: str, segment: Segment, sign: str, shown: tuple[str, ...], written: str, head: str, tail: str, sought: Sought,
    kind: str, is_list: bool,
) -> dict[str, float]:  # fmt: skip
    """The features of a value itself, beside the question and the rest of the text."""
    value, subject, unit = shown[0], sought.subject, UNIT.match(tail)
    first = value.split(" ")[0]
    probe = first.strip("$ ")
    numbers = {number.strip(".,") for number in _NUMBER.findall(value)}
    plain = _PLAIN.fullmatch(first) is not None
    worked = sign in segment.masked.results or ("=" in written and _OPERATION.search(written) is not None)
    seen = bool(probe) and any(f"={gap}{probe}" in text[: segment.start] for gap in (" ", ""))
    given = bool(numbers) and numbers <= subject.given
    near = NEAR.search(written) is not None
    money, percent = any(sign in value for sign in "$€£"), "%" in value
    shape = _shape(value, first, plain, is_list)
    mark = "$" if money else "%" if percent else ":" if ":" in value else "unit" if unit else "-"
    features = {
        "formula" if sign in segment.formulas else "in words": True,
        "worked": worked,
        "worked before": seen,
        "equation": "=" in written,
        f"members {min(written.count('='), 3)}": True,
        "near": near,
        "given": given and not worked,
        "given, worked": given and worked,
        f"shape {shape}": True,
        f"{kind or '-'} {shape}": True,
        f"{kind or '-'} with {mark}": True,
        "money": money,
        "percent": percent,
        "clock": ":" in value,
        "posed": POSED.fullmatch(value) is not None,
        "zero": first == "0",
        "rounds, near": subject.rounded and near,
    }
    if "=" in written:
        name = written.partition("=")[0].strip()
        features["named"] = NAMED.fullmatch(name) is not None
        features["asks name"] = 0 < len(name) < 30 and f" {name.replace('$', '')} " in (
            f" {subject.asking} ".translate(_OF_SENTENCE)
        )
    if given and unit is not None and len(numbers) == 1:
        features["given with unit"] = f"{min(numbers)} {stem(unit[1])}" in subject.given
    suits = is_list or sought.suits(f"{head[-80:]}{shown[-1]}{tail[:80]}", value)
    features["suits" if suits else "does not suit"] = True
    if subject.unit:
        agrees = subject.unit.lower()[:4] in f"{unit[1] if unit is not None else ''} {tail[:25]}".lower()
        features["its unit" if agrees else "other unit" if unit is not None else "no unit"] = True
    if 0 < len(probe) < 30:
        features[f"count {min(_count(text, probe), 4)}"] = True
        features["in last"] = _count(text[text.rstrip().rfind("\n") + 1 :], probe) > 0
    if probe and plain:
        behind = text[segment.start :]
        features["used behind"] = used = _is_used(behind, probe)
        features["is a result"] = result = worked or seen or _count(behind, f"= {probe}") > 0
        features["last result"] = result and not used
    return {name: 1.0 for name, is_so in features.items() if is_so}


def _shape(value: str, first: str, plain: bool, is_list: bool) -> str:
    """What kind of value is written."""
    if is_list or plain:
        return "list" if is_list else "plain"
    if NUMBER_WORDS.fullmatch(first):
        return "word"
    if value[:1] in ("(", "[") and "," in value:
        return "tuple"
    return "relation" if _UNEQUAL.search(value) else "formula" if _LETTERS.search(value) else "other"


def _is_used(text: str, probe: str) -> bool:
    """Whether a number is an operand of a calculation.

    >>> _is_used("15 * 4 = 60", "15"), _is_used("15 * 4 = 60", "60"), _is_used("So 60 are left.", "60")
    (True, False, False)
    """
    place = text.find(probe)
    while place >= 0:
        end = place + len(probe)
        if not text[place - 1 : place].isalnum() and not text[end : end + 1].isalnum():
            if _OPERATOR.match(text, end) is not None:
                return True
            operated = _OPERATED.search(text, max(0, place - 8), place) is not None
            if operated and "=" in text[end : end + 30].partition("\n")[0]:
                return True
        place = text.find(probe, end)
    return False


def _count(text: str, probe: str) -> int:
    """How often a number stands in a text, not as a part of another one, up to 4.

    >>> _count("12, 112 and 12.5, and 12.", "12")
    2
    """
    found, place = 0, text.find(probe)
    while place >= 0 and found < 4:
        before, behind = text[place - 1 : place], text[place + len(probe) : place + len(probe) + 2]
        goes_on = behind[:1].isalnum() or (behind[:1] in (".", ",") and behind[1:].isdigit())
        found += not (before.isalnum() or before in (".", ",")) and not goes_on
        place = text.find(probe, place + 1)
    return found


def against(text: Text, ends: set[str]) -> dict[str, float]:
    """What speaks against every value of a message.

    Args:
        text: The message.
        ends: The different values of the last sentence that has one.
    """
    body = text.text.rstrip("* \n")
    words = {token.lower() for token in SHORT_WORD.findall(text.text)}
    names = ["none", f"values at the end {min(len(ends), 4)}", *(f"last {word}" for word in bag(text.found[-1].text))]
    names += [f"holds {word}" for word in words & _OPEN_WORDS]
    if _BREAKS_OFF.search(body[-60:]):
        names.append("breaks off")
    if body.endswith(("?", "？")):
        names.append("asks")
    return dict.fromkeys(names, 1.0)
