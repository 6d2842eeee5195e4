"""Answers to questions about the world or a text: exact match with aliases, token F1, lists, yes and no, abstention.

Texts are compared as in SQuAD, without case, punctuation and articles, but keeping what that would lose: decimal
points, minus signs, the digits of dates, ``C++``, the A of "vitamin A". Accents of Latin letters do not matter; Chinese
and Japanese are compared by character. Numbers, quantities and dates are equal by value: ``5 million`` and
``5,000,000``, ``3 km`` and ``3000 metres``, ``4 July 1776`` and ``1776-07-04``.

Other forms of the same answer are also right (`qa_forms`): "President Barack Obama", "Paris, France" and "French" for
"Barack Obama", "Paris" and "France", "4 July 1776" for "1776". A whole sentence is right if it only repeats the
question around the answer.

Nothing else is correct. ``score`` gives other answers token precision times recall, not F1: naming all of k candidates
would earn an F1 of 2 / (k + 1), more than naming one of them, but a product of 1 / k at most. It is 0 for an answer
that hedges, negates or abstains, and for another number or date. F1 is in ``parts``.

Source: Rajpurkar et al., SQuAD (arXiv 1606.05250), section 6.1; SQuAD 2.0 (arXiv 1806.03822) for abstention; Yang et
al., HotpotQA (arXiv 1809.09600) for yes and no.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from turnwise.verifiers.extract import after_thinking, tagged, undressed
from turnwise.verifiers.qa_forms import alike
from turnwise.verifiers.rational import parse_rational
from turnwise.verifiers.structured.values import paired_off
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["abstains", "exact_match", "token_f1", "tokens", "verify_answer", "verify_items", "verify_yes_no"]

MAX_CHARS = 10_000
MAX_ITEMS = MAX_ALIASES = 200  # of a list; golds that are compared in other forms
_MARK = re.compile(r"####[ \t]*([^\n<]{1,200})")
_LEAD = re.compile(
    r"(?i)(?:(?:so|thus|therefore|hence),? )?(?:the |my )?(?:final |correct )?answer(?: is:?|:) "
    r"|(?:so |thus |therefore )?(?:it|that)(?:'s| is| was) "
)
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
_CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f])")
_ORDINAL = re.compile(r"\d{1,4}(?:st|nd|rd|th)")
_HEDGE_WORDS = """or either maybe perhaps possibly probably alternatively not never no neither nor isnt
wasnt arent werent cannot unknown unanswerable"""
_HEDGES = frozenset(_HEDGE_WORDS.split())
_YES = frozenset(("yes", "yeah", "yep", "true", "correct", "是", "是的", "对", "si", "oui", "ja"))
_NO = frozenset(("no", "nope", "false", "incorrect", "否", "不是", "不", "non", "nein"))
_UNSURE = re.compile(r"\b(?:or|maybe|perhaps|but|however|depends|unless|possibly|although|partly|sometimes)\b")
_STILL = re.compile(r"\b(?:but|however|although|though|probably|likely|maybe|perhaps|possibly|guess|assume)\b")

_MISSING = (
    r"unknown|unanswerable|not answerable|n/?a|no answer|not (?:available|applicable|known|clear|given|provided|"
    r"stated|mentioned|said|specified|found|listed|recorded)"
)
MAX_SENTENCE = 300
_TURNS = _HEDGES | {"and", "but", "except", "if", "unless", "nt", "dont", "doesnt", "didnt", "than", "before", "after"}
_LINK_WORDS = """is was are were be been has had have did does do of in on at by to it its he she they his her their
died born located situated released founded there that this which who whom whose as for from with
called named known a an the s"""
_LINKS = frozenset(_LINK_WORDS.split())
"""Words of a sentence without meaning of their own."""
_DATED = re.compile(r"(?:in|on) (?:the year )?(?=\w)", re.IGNORECASE)
_VERBS = r"say|mention|state|specify|provide|contain|give|indicate|tell|answer|include|reveal|explain|describe"
_PAST = r"said|mentioned|stated|specified|provided|given|indicated|answered|included|known|described|determined"
_SOURCE = (
    r"(?:the |this |these |any of the )?(?:given |provided )?"
    r"(?:passages?|texts?|contexts?|articles?|documents?|paragraphs?|pages?|sources?|information|question)"
)
_ABSTENTION = re.compile(
    rf"(?:(?:it|this|that|(?:the|this) (?:answer|question)|(?:the )?answer)(?: is|:)? )?(?:{_MISSING})"
    rf"(?: (?:in|from|by|based on|given|according to) {_SOURCE})?"
    r"|i (?:do not|don't|dont|cannot|can't) (?:know|tell|say|answer|determine)\b.{0,150}"
    r"|(?:i am |i'm )?not sure"
    rf"|.{{0,150}}\b(?:does not|doesn't|do not|don't) (?:explicitly |directly )?(?:{_VERBS})\b.{{0,150}}"
    rf"|.{{0,150}}\b(?:is|are|was|were) not (?:explicitly |directly )?(?:{_PAST})\b.{{0,150}}"
    rf"|.{{0,150}}\b(?:cannot|can't|can not|could not) be (?:{_PAST})\b.{{0,150}}"
    r"|(?:there is |there's )?(?:not enough|insufficient|no) (?:information|context|evidence|data|answer)\b.{0,150}"
    r"|there (?:is|are|was|were) no such \w+.{0,60}"
    r"|no (?:such )?\w+(?: \w+)? (?:is|are|was|were) (?:mentioned|named|listed|stated|found|recorded|known)\b.{0,150}"
    rf"|(?:none|not one|no one) of {_SOURCE}\b.{{0,150}}"
    rf"|no {_SOURCE} (?:{_VERBS})s?\b.{{0,150}}"
    r"|.{0,60}\b(?:does not|doesn't|do not|did not|never) exist(?:ed)?"
    rf"|i (?:could not|couldn't|cannot|can't|did not|didn't) find .{{0,100}}\bin {_SOURCE}"
    r"|(?:it is |it's )?(?:impossible|not possible) to (?:tell|say|know|answer|determine)\b.{0,150}"
    r"|.{0,40}(?:无法(?:回答|确定|得知|判断)|不知道|没有(?:提到|说明|提及)|未提及|未知).{0,40}"
)
_FILLER = re.compile(rf"sorry|i'm sorry|(?:based on|according to|from|given) {_SOURCE}|", re.IGNORECASE)
_CLAUSE = re.compile(r"[.!?;,\n()—。，；！？]| - |: ")

_MONTHS = {
    name: number
    for number, names in enumerate(
        ["january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"], 1
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAY = re.compile(r"(?:on )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day )?(?:the )?")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)? ([a-z]+)(?: (\d{3,4}))?")
_MONTH_DAY = re.compile(r"([a-z]+) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{3,4}))?")
_MONTH_YEAR = re.compile(r"([a-z]+) (\d{3,4})")
_NUMERIC_DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})")
_CHINESE_DATE = re.compile(r"(?:(\d{3,4})年)?(?:(\d{1,2})月)?(?:(\d{1,2})[日号])?")
_AMOUNT = re.compile(r"(-?\d[\d,]*(?:\.\d+)?(?: (?:hundred|thousand|million|billion|trillion)\b)?) ?(.*)")
_BULLET = re.compile(r"(?:[-*•]|\d{1,3}[.)])\s+")
_SEPARATORS = [
    re.compile(pattern)
    for pattern in (r"\n", r"[;\n；]", r"[;\n；、，]|,(?!\d{3}(?!\d))",
                    r"(?:[;\n；、，]|,(?!\d{3}(?!\d)))\s?(?:and\s)?|\band\b|&|和|与")
]  # fmt: skip
_Value = tuple[object, ...]


def verify_answer(text: str, golds: str | Sequence[str] | None, question: str = "") -> Verdict:
    """Judge whether the text is one of the golds, as described above.

    Args:
        text: The answer, at most 10,000 characters; "the answer is" may come before it.
        golds: The right answer, or its aliases; None if the question has no answer and the text must abstain.
        question: The question; without it, sentences are not read.

    Returns:
        A verdict with the parts ``exact`` (right, and in no other form), ``f1`` (the best over the aliases) and
        ``abstained``, each in [0, 1].

    Raises:
        ValueError: There are no golds, or one is empty.

    >>> verify_answer("the Eiffel Tower.", ["Eiffel Tower", "La Tour Eiffel"]).correct
    True
    >>> verify_answer("Paris, France", "Paris").correct, verify_answer("Paris, Texas", "Paris").correct
    (True, False)
    >>> verify_answer("Paris or London", "Paris").correct, verify_answer("Paris, London", "Paris").score
    (False, 0.5)
    >>> verify_answer("The capital of France is Paris.", "Paris", "What is the capital of France?").correct
    True
    >>> verify_answer("I don't know", None).correct, verify_answer("I don't know, maybe Paris", None).correct
    (True, False)
    """
    aliases = (golds,) if isinstance(golds, str) else golds
    if aliases is not None and (not aliases or not all(gold.strip() for gold in aliases)):
        raise ValueError(f"the golds are {golds!r}; there must be one at least, and none empty (None: unanswerable)")
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    said = _said(text)
    value = " ".join(tokens(said)) or said
    if not value:
        return wrong("the answer is empty")
    abstained = abstains(said)
    if aliases is None:
        parts = {"exact": float(abstained), "f1": float(abstained), "abstained": float(abstained)}
        return right(value, parts) if abstained else wrong("the question cannot be answered", value, 0.0, parts)
    if any(exact_match(said, gold) for gold in aliases):
        return right(value, {"exact": 1.0, "f1": 1.0, "abstained": 0.0})
    f1 = max(token_f1(said, gold) for gold in aliases)
    parts = {"exact": 0.0, "f1": f1, "abstained": float(abstained)}
    if abstained or any(_ABSTENTION.fullmatch(clause) for clause in _clauses(said)):
        return wrong("the question can be answered", value, 0.0, parts)
    if any(_alike(said, gold) or (question and _restates(said, gold, question)) for gold in aliases[:MAX_ALIASES]):
        return right(value, parts)
    return wrong("that is not right", value, max(_partial(said, gold) for gold in aliases), parts)


def verify_items(text: str, golds: Sequence[str | Sequence[str]]) -> Verdict:
    """Judge whether the text lists the golds, each once and nothing else; order does not matter.

    Items are separated by lines, semicolons, commas or "and". The ``score`` of any other list is (right items - wrong
    items) / golds, at least 0, so naming an item that is more likely wrong than right does not pay.

    Args:
        text: The list, at most 10,000 characters and 200 items.
        golds: The items, each with its aliases if it has several.

    Returns:
        A verdict with the parts ``precision``, ``recall`` and ``f1`` of the items.

    Raises:
        ValueError: There are no golds, an empty one, or more than 200.

    >>> verify_items("Rome and Paris", ["Paris", ["Rome", "Roma"]]).correct
    True
    >>> verify_items("Rome, Paris, Oslo", ["Paris", "Rome"]).parts["f1"], verify_items("Rome", ["Paris", "Rome"]).score
    (0.8, 0.5)
    """
    wanted = [(gold,) if isinstance(gold, str) else tuple(gold) for gold in golds]
    if not 0 < len(wanted) <= MAX_ITEMS or not all(group and all(x.strip() for x in group) for group in wanted):
        raise ValueError(f"the golds are {str(golds)[:80]!r}; there must be 1 to {MAX_ITEMS}, none of them empty")
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    best: tuple[int, int, list[str]] | None = None
    for items in _splits(_said(text)):
        partners = paired_off(items, wanted, lambda item, group: any(exact_match(item, gold) for gold in group))
        hits = sum(partner is not None for partner in partners)
        if best is None or (hits, -len(items)) > (best[0], -best[1]):
            best = hits, len(items), items
    if best is None:
        return wrong("the answer is not a list of items")
    hits, found, items = best
    precision, recall = hits / found, hits / len(wanted)
    parts = {"precision": precision, "recall": recall, "f1": 2 * hits / (found + len(wanted))}
    if hits == found == len(wanted):
        return right(items, parts)
    return wrong("those are not the items", items, max(0, 2 * hits - found) / len(wanted), parts)


def verify_yes_no(text: str, gold: bool) -> Verdict:
    """Judge whether the text says yes, or no; a reason may follow ("No, they were not").

    >>> verify_yes_no("Yes.", True).correct, verify_yes_no("No, it is older.", False).correct
    (True, True)
    >>> verify_yes_no("Yes and no", True).correct, verify_yes_no("Yes, or maybe no", True).correct
    (False, False)
    """
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    said = _unaccented(_said(text).casefold())
    first = re.match(r"[^\W\d_]+", said)
    word = first[0] if first else ""
    rest = said[len(word) :].strip(" *\"'") if first else said
    value = True if word in _YES else False if word in _NO else None
    if value is None or (rest and rest[0] not in ".,;:!-—。，"):
        return wrong("the answer is neither yes nor no")
    words = set(re.findall(r"\w+", rest))
    if _UNSURE.search(rest) or words & (_NO if value else _YES) or (value and words & {"not", "never", "t"}):
        return wrong("the answer says both yes and no")
    return right(value) if value is gold else wrong(f"{word} is not right", value)


def exact_match(text: str, gold: str) -> bool:
    """Return whether two answers are the same normalised text, or the same number, quantity or date.

    >>> exact_match("the Beatles!", "Beatles"), exact_match("twelve", "12"), exact_match("3 km", "3,000 metres")
    (True, True, True)
    >>> exact_match("-5", "5"), exact_match("C", "C++"), exact_match("Paris, France", "Paris")
    (False, False, False)
    """
    ours, theirs = _value(text), _value(gold)
    if ours is not None and theirs is not None:
        return ours == theirs
    return not _keys(gold).isdisjoint(_keys(text))


def _alike(text: str, gold: str) -> bool:
    """Return whether the text is another form of the gold: a date within its month, a name with a title, and so on."""
    ours, theirs = _value(text), _value(gold)
    if theirs is not None:
        if ours is None and (dated := _DATED.match(text)) is not None:
            rest = text[dated.end() :]
            return exact_match(rest, gold) or (_value(rest) is not None and _alike(rest, gold))
        if ours is None or ours[0] != "date":
            return False
        if theirs[0] == "number":  # a year
            return len(gold.strip()) == 4 and gold.strip().isdecimal() and ours[1] == theirs[1]
        return theirs[0] == "date" and theirs[3] is None and theirs[1] is not None and ours[1:3] == theirs[1:3]
    if ours is not None or (_HEDGES & set(tokens(text))) - set(tokens(gold)):
        return False
    return alike(text, gold, exact_match)


def _restates(text: str, gold: str, question: str) -> bool:
    """Return whether a sentence states the gold and otherwise only repeats the question.

    The gold must not be in the question: repeating all candidates of a question does not choose one.
    """
    if max(len(text), len(gold)) > MAX_SENTENCE or len(question) > MAX_CHARS:
        return False
    said, wanted = _tokens(text, " "), _tokens(gold, " ")
    if not wanted:
        return False
    size = len(wanted)
    rest: list[str] = []
    found, at = 0, 0
    while at < len(said):
        if said[at : at + size] == wanted:
            found, at = found + 1, at + size
        else:
            rest.append(said[at])
            at += 1
    if not found or not rest:
        return False
    asked = _asked(question)
    if {_stem(word) for word in wanted} <= asked:
        return False
    return all(word in _LINKS or (word not in _TURNS and _stem(word) in asked) for word in rest)


@lru_cache(maxsize=256)
def _asked(question: str) -> frozenset[str]:
    return frozenset(map(_stem, _tokens(question, " ")))


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "d"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


def token_f1(text: str, gold: str) -> float:
    """Return the harmonic mean of token precision and recall in [0, 1]; 0 if only one of the two is yes or no.

    >>> token_f1("the city of Paris", "Paris")
    0.5
    """
    ours, theirs = tokens(text), tokens(gold)
    if not _comparable(ours, theirs):
        return 0.0
    common = (Counter(ours) & Counter(theirs)).total()
    return 2 * common / (len(ours) + len(theirs)) if common else 0.0


@lru_cache(maxsize=1024)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text that count, in order, without case, punctuation, articles and accents.

    >>> tokens("The U.S. paid $1,200.50"), tokens("vitamin A"), tokens("东京 Tower")
    (('us', 'paid', '1200.50'), ('vitamin', 'a'), ('东', '京', 'tower'))
    """
    return _tokens(text, "")


def abstains(text: str) -> bool:
    """Return whether the text says only that there is no answer.

    >>> abstains("The passage does not say."), abstains("Unknown"), abstains("unknown, but I guess Paris")
    (True, True, False)
    """
    clauses = _clauses(text)
    return bool(clauses) and all(_ABSTENTION.fullmatch(x) is not None and not _STILL.search(x) for x in clauses)


def _clauses(text: str) -> list[str]:
    if len(text) > 1000:
        return []
    clauses = [" ".join(clause.split()).casefold() for clause in _CLAUSE.split(text.replace("’", "'"))]
    return [clause for clause in clauses if not _FILLER.fullmatch(clause)]


def _said(text: str) -> str:
    rest = after_thinking(text) or ""
    answers = tagged(rest, "answer")
    text = undressed(answers[0] if len(answers) == 1 else rest)
    marks = map(undressed, _MARK.findall(rest) if len(answers) == 1 else [])  # beside a tag they must agree with it
    text = " or ".join([text, *(mark for mark in marks if tokens(mark) != tokens(text))])
    lead = _LEAD.match(text)
    return undressed(text[lead.end() :]) if lead else text


def _unaccented(text: str) -> str:
    """Strip accents from Latin letters; in other scripts marks change the letter, and stay."""
    if text.isascii():
        return text
    kept: list[str] = []
    for char in unicodedata.normalize("NFD", text):
        if not (unicodedata.combining(char) and kept and kept[-1] < "\u0250"):
            kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def _tokens(text: str, hyphen: str) -> tuple[str, ...]:
    text = _unaccented(unicodedata.normalize("NFKC", text)).casefold().replace("−", "-")
    text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text).replace("%", " percent ")
    kept = []
    for at, char in enumerate(text):
        if char.isalnum() or char.isspace() or not (char in "$+<=>^`|~" or unicodedata.category(char)[0] == "P"):
            kept.append(char)
            continue
        before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
        if after.isdigit() and before.isdigit():
            kept.append("." if char == "." else " ")
            continue
        negative = char in "-." and after.isdigit() and not before.isalnum()  # -5, .5
        signed = char in "+#" and before and (before.isalpha() or before in "+#")  # C++, C#
        kept.append(char if negative or signed else hyphen if char in "-‐‑–—/" else "")
    words = _CJK.sub(r" \1 ", "".join(kept)).split()
    last = len(words) - 1
    spoken = [w for i, w in enumerate(words) if w not in ("the", "an") and (w != "a" or i == last)]
    return tuple(map(_figure, spoken or words))


def _figure(word: str) -> str:
    """Convert number words to figures: two and 2, third and 3rd are the same."""
    from turnwise.verifiers.math.read.words import read_ordinal, read_words  # late: it is slow to import

    if word[0].isdigit():
        return f"{read_ordinal(word)}th" if _ORDINAL.fullmatch(word) and read_ordinal(word) else word
    if not word.isascii() or not word.isalpha() or len(word) > 9 or word in ("a", "hundred", "half"):
        return word
    if (value := read_words(word)) is not None and value.denominator == 1:
        return str(value)
    return word if (rank := read_ordinal(word)) is None else f"{rank}th"


@lru_cache(maxsize=4096)
def _keys(text: str) -> frozenset[tuple[str, ...]]:
    """Return the tokens, with hyphens removed and as blanks: e-mail is email, well-known is well known."""
    found = {_tokens(text, ""), _tokens(text, " ")} - {()}
    bare = text.strip().casefold()
    return frozenset(found or ({(bare,)} if bare else set()))


def _comparable(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    special = ({"yes"}, {"no"}, {"noanswer"})
    return not (set(ours) != set(theirs) and (set(theirs) in special or set(ours) in special))


def _partial(text: str, gold: str) -> float:
    """Return precision times recall, below 1; 0 for a hedge, a negation, or another value."""
    ours, theirs = tokens(text), tokens(gold)
    if (_HEDGES & set(ours)) - set(theirs) or not _comparable(ours, theirs) or "/" in set(text) - set(gold):
        return 0.0
    if _value(text) is not None and _value(gold) is not None:
        return 0.0
    common = (Counter(ours) & Counter(theirs)).total()
    return min(0.99, common * common / (len(ours) * len(theirs))) if common else 0.0


@lru_cache(maxsize=4096)
def _value(text: str) -> _Value | None:
    """Return a date, or a number with or without a unit, in one form for all spellings; None for other texts."""
    text = undressed(text)
    if len(text) > 100:
        return None
    text = " ".join(unicodedata.normalize("NFKC", text).replace("−", "-").replace("\\", "").split()).rstrip(".")
    return _date(text.casefold()) or _quantity(text)


def _quantity(text: str) -> _Value | None:
    from turnwise.verifiers.math.values.units import LEADING, read_unit  # late: it is slow to import

    number, unit = _amount(text), ""
    if number is None:
        sign = next((sign for sign in LEADING if text.startswith(sign)), "")
        match = _AMOUNT.fullmatch(text[len(sign) :].strip())
        if match is None or (sign and match[2]):
            return None
        number, unit = _amount(match[1]), sign or match[2]
    if number is None:
        return None
    if not unit:
        return ("number", number)
    found = read_unit(unit)
    if found is None:
        return None
    value = number * found.scale + found.offset
    return ("quantity", value, found.pi, found.dimensions) if found.dimensions or found.pi else ("number", value)


def _amount(text: str) -> Fraction | None:
    from turnwise.verifiers.math.read.words import read_words  # late: it is slow to import

    return parse_rational(text) if text[:1] in "+-.0123456789" and text[-1:].isdigit() else read_words(text)


def _date(text: str) -> _Value | None:
    """Return year, month, day, with None for missing ones; bare figures are read only if their order is unambiguous."""
    if match := _NUMERIC_DATE.fullmatch(text):
        first, middle, last = int(match[1]), int(match[3]), int(match[4])
        if len(match[1]) == 4:
            return _checked(first, middle, last)
        if len(match[4]) == 4 and (first > 12 or middle > 12 or first == middle):
            return _checked(last, min(first, middle), max(first, middle))
        return None
    if "月" in text and (match := _CHINESE_DATE.fullmatch(text)):
        return _checked(*(int(part) if part else None for part in match.groups()))
    text = " ".join(re.sub(r"[,.]| of ", " ", text).split())
    if lead := _WEEKDAY.match(text):
        text = text[lead.end() :]
    year: str | None
    if match := _DAY_MONTH.fullmatch(text):
        day, month, year = match.groups()
    elif match := _MONTH_DAY.fullmatch(text):
        month, day, year = match.groups()
    elif match := _MONTH_YEAR.fullmatch(text):
        (month, year), day = match.groups(), None
    else:
        return None
    return _checked(int(year) if year else None, _MONTHS.get(month), int(day) if day else None)


def _checked(year: int | None, month: int | None, day: int | None) -> _Value | None:
    if month is None or not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    return ("date", year, month, day)


def _splits(text: str) -> list[list[str]]:
    """Return the possible readings of a text as a list: by lines, semicolons, commas, or commas and "and"."""
    body = text.strip()
    if body[:1] in "[{" and body[-1:] in "]}":
        body = body[1:-1]
    found: list[list[str]] = []
    for separator in _SEPARATORS:
        pieces = [_BULLET.sub("", piece.strip(), count=1).strip(" \"'*`.") for piece in separator.split(body)]
        items = {_keys(piece): piece for piece in reversed(pieces) if piece} if len(pieces) <= MAX_ITEMS else {}
        if items and list(items.values()) not in found:
            found.append(list(items.values()))
    return found
