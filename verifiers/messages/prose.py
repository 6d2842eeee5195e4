"""What a sentence in words concludes: the value of its main clause, where the others describe, give or explain.

A sentence is read by its skeleton. Values are masked (`values`), so that an expression, a point or an amount is one
sign; brackets, reasons, conditions and circumstances are taken off; of what remains a verb that states has a value as
its object, or a number of things is its subject. Two statements side by side conclude nothing, unless the last one
follows from the others ("so", "which leaves", "a total of").
"""

import re
from functools import lru_cache

from turnwise.verifiers.messages.chain import letters
from turnwise.verifiers.messages.clause import (
    CODE,
    DOUBTED,
    FIRST,
    LABEL,
    LAST,
    LEAD_WORD,
    MISSING,
    NOT_STATED,
    conclusion,
    weakened,
)
from turnwise.verifiers.messages.predicate import JOINS
from turnwise.verifiers.messages.skeleton import (
    AMOUNT,
    ANNOUNCED,
    ARITHMETIC,
    ASIDE,
    AWAY,
    BARE,
    BEFORE,
    CHAINED,
    COMPARED,
    CONTINUED,
    CONTRASTED,
    COUNT,
    DEFINITE,
    DENIED,
    DIGITS,
    EITHER,
    ELLIPTIC,
    FOLLOWS,
    FORM,
    FRAGMENT,
    GOES_ON,
    GROUNDS,
    HARMLESS,
    IN_TOTAL,
    LABELLED,
    LATER,
    LEADS,
    LEFT,
    LISTED,
    MAX_CHARS,
    NO_LABEL,
    NO_RESULT,
    NOTATION,
    NOUN,
    NUMBER_WORDS,
    OBJECT,
    OFFERS,
    OPEN,
    OR_ASIDE,
    OTHER_SCRIPT,
    PHRASE,
    POSED,
    PURPOSE,
    REASON,
    RECEIVED,
    REQUIRED,
    RESTATES,
    SAME_AGAIN,
    SIDE_BY_SIDE,
    SUBJECT,
    TAKES_BACK,
    TWO_STATED,
    UNFINISHED,
    UNIT,
    VALUE,
    VALUES,
    WHAT,
    WORDED,
    WORDY,
    P,
)
from turnwise.verifiers.messages.values import Masked, mask_values, result_of

_SIDE_BY_SIDE = re.compile(r"\s(?:and|while|whereas)\s")
_DIFFERENT = re.compile(rf"(?<={P}\s)(?:different|distinct)\s(?=[A-Za-z])")  # 24 different ways: counts, denies nothing
_COUNTED = re.compile(
    rf".*,\s.*(?:,|\band)\s.*(?:\s[—–-]\s|—)(?P<count>[0-9]+|{NUMBER_WORDS.pattern})(?:\s[a-z]+)?"
    r"\s(?:in all|in total|altogether|of them|all told)\W*$",
    re.IGNORECASE,
)
_SHARE = re.compile(rf"({P}) (?:in|out of) ({P})(?: chance\b[^{FIRST}-{LAST}]*)?$")
_SOLVED = re.compile(r"([A-Za-z])\s*=\s*[-−]?[0-9][0-9./]*")
_STEP = re.compile(r"(?P<name>[A-Za-z])\s*=\s*(?P<worked>[^=]*[^=\s])\s*=\s*(?P<value>[^=]+)")  # A = πr² = 49π

__all__ = ["concluding_values", "harmless", "is_value", "last_step", "plain", "two_stated"]


def concluding_values(sentence: str) -> tuple[str, ...] | None:
    """The value that a sentence concludes, in each form that it gives; None where it concludes none.

    >>> concluding_values("Ann spent $120, which leaves her with $80."), concluding_values("3 rows of 4 make 12")
    (('$80',), ('12',))
    >>> concluding_values("The sum is 13 and the product is 8"), concluding_values("So she has 8 or 9 apples")
    (None, None)
    """
    text = _undressed(sentence)
    if (
        len(text) > MAX_CHARS
        or CODE.search(text)
        or OTHER_SCRIPT.search(text)
        or not (WORDY.search(text) or ("$" in text and "=" in text))
        or two_stated(text)
    ):
        return None
    if (count := _COUNTED.match(text)) is not None and plain(text):  # the divisors are 1, 2 and 4: three in all
        return (count["count"].lower(),)
    masked = mask_values(text)
    if masked is not None and not masked.values:
        masked = _spelled(text)
    if masked is None:
        return None
    return _concluded(masked.words, masked)


@lru_cache(maxsize=256)
def is_value(text: str) -> bool:
    """Whether a text is a value or a list of values with a unit at most, or holds none: nothing is left to read.

    >>> is_value("12 apples"), is_value("x = 2 or x = 3"), is_value("Tuesday"), is_value("the 3 friends have 12")
    (True, True, True, False)
    """
    if len(text) > MAX_CHARS or "\n" in text.strip():
        return False
    masked = mask_values(text, worked=False)
    return masked is not None and (
        not any(c.isdigit() for c in text) or VALUES.fullmatch(masked.words.strip(" .")) is not None
    )


def plain(sentence: str) -> bool:
    """Whether a sentence offers, doubts, denies and supposes nothing."""
    return not any(pattern.search(sentence) for pattern in (OFFERS, DOUBTED, NOT_STATED, NO_RESULT))


_SHORT = 80
_CLOSED = re.compile(  # r^3 = 27, so r = 3; 2023 mod 4 = 3, so -i
    r"[^\n,;]*[0-9][^\n,;]*(?:=|≡)[^\n,;]*[,;]\s*(?:so|hence|thus|therefore|∴|⇒|→)\s+"
    r"(?P<said>(?:[A-Za-z]\s*=\s*)?-?(?:[0-9][0-9./]*|i|π|pi|e)(?:\s*[A-Za-z]{2,10})?)\s*\.?"
)


def last_step(text: str) -> str | None:
    """The result of the last of several steps in one line that uses the others: "3 x 4 = 12, 12 + 5 = 17"."""
    if len(text) <= _SHORT and (closed := _CLOSED.fullmatch(text.strip())) is not None and is_value(closed["said"]):
        return closed["said"].strip()
    parts = [part.strip() for part in re.split(r"[,;]\s+(?:then\s+|and\s+)?", text.rstrip("."))]
    if len(parts) < 2 or text.count("=") < len(parts) or len(text) > MAX_CHARS:
        return None
    if (step := _STEP.fullmatch(parts[-1])) is not None:  # r = 7, A = πr² = 49π
        named = [re.match(r"([A-Za-z])\s*=[^=]+$", part) for part in parts[:-1]]
        if step["name"] not in "xyz" and any(name and name[1] in step["worked"] for name in named) and all(named):
            return step["value"]
    solved = [_SOLVED.fullmatch(part) for part in parts]
    first = next((i for i, found in enumerate(solved) if found is not None and all(solved[i:])), 0)
    names = {found[1] for found in solved[first:] if found is not None}
    if first and len(names) == len(parts) - first and all(_is_step(part, names) for part in parts[:first]):
        return ", ".join(parts[first:])  # 2x = 14, x = 7, y = 3
    masked = [mask_values(part) for part in parts]
    if not all(
        one is not None and len(one.results) == 1 and re.fullmatch(rf"{P}(?:\s{NOUN}){{0,3}}", one.words)
        for one in masked
    ):
        return None
    values = [result_of(one.values[-1]).strip("$") for one in masked if one is not None]
    used = DIGITS.findall(parts[-1].partition("=")[0])
    return values[-1] if all(value in used for value in values[-2:-1]) else None


def _is_step(part: str, names: set[str]) -> bool:
    """Whether an equation is on the way to the values of these names, and gives none of them."""
    given = re.search(r"(?<![0-9A-Za-z)])[A-Za-z]\s*=\s*[-−]?[0-9][0-9./]*$|^[A-Za-z]\s*=", part)
    return letters(part) <= names and given is None


def harmless(sentence: str) -> bool:
    """Whether a sentence without a value says nothing of the one before it: "Nice bargain!"."""
    return (
        HARMLESS.match(sentence) is not None
        and TAKES_BACK.search(sentence) is None
        and not any(c.isdigit() for c in sentence)
    )


def two_stated(sentence: str) -> bool:
    """Whether a sentence states two things side by side, of which neither follows from the other.

    >>> two_stated("Tom is 10 and his father is 40"), two_stated("Ann has 4, and so Ben has 8")
    (True, False)
    """
    if len(sentence) > MAX_CHARS or _SIDE_BY_SIDE.search(sentence) is None or (masked := mask_values(sentence)) is None:
        return False
    words = masked.words.rstrip(" .!")
    two = TWO_STATED.search(words)
    return (two is not None and FOLLOWS.search(two["second"]) is None) or ELLIPTIC.search(words) is not None


def _spelled(text: str) -> Masked | None:
    """The text with its only number in words as a value."""
    found = list(NUMBER_WORDS.finditer(text))
    if len(found) != 1 or len(text.split()) < 4:
        return None
    return Masked(text[: found[0].start()] + FIRST + text[found[0].end() :], [found[0][0].lower()])


_DESCRIBED = re.compile(  # the smallest prime greater than 7 is 11; the angle whose cosine is 1/2 is 60 degrees
    rf"(?:(?<=^)|(?<=\s))((?:[Tt]he|[Aa]n?)\s[A-Za-z' -]{{3,60}}?)\s(?:whose [a-z ]{{2,40}} (?:is|equals)"
    r"|(?:(?:that|which) (?:is|are) )?(?:strictly )?(?:greater|larger|less|smaller|bigger|lower|higher) than"
    rf"(?: or equal to)?|between {P} and|from {P} to|below|above) {P}"
    rf"(?=\s(?:is|are|equals)\s(?:[a-z]+\s){{0,2}}?{P}(?:\s{NOUN}){{0,2}}\W*$)"
)


_AMONG = re.compile(  # there are 7 primes between 1 and 18
    rf"({P}(?:\s{NOUN}){{1,4}})\s(?:between|from|less than|greater than|up to|below|above) {P}(?: (?:and|to) {P})?"
    r"(?:,? inclusive)?\W*$"
)


def _undressed(sentence: str) -> str:
    text = sentence.strip().lstrip(">→⇒∴ ")
    text = re.sub(r"^(?:[-*•+]\s+|\d{1,2}[.)]\s+(?=[A-Z*]))", "", text)
    text = re.sub(r"\b[xyz]-(?=axis|intercept|coordinate)", "", text)
    text = re.sub(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w|\s*\d)", "", text)
    label = LABEL.match(text)
    text = text[label.end() :] if label is not None else text
    return MISSING.sub(r"\1", text.rstrip(" .!"))


def _concluded(words: str, masked: Masked) -> tuple[str, ...] | None:
    if words.lstrip().lower().startswith(("there ", "so there ", "thus there ", "therefore there ")):
        words = _AMONG.sub(r"\1", words)
    words = _DESCRIBED.sub(r"\1", _DIFFERENT.sub("", CONTRASTED.sub(r"\1", words.strip(" ,;"))))
    if (denied := DENIED.match(words)) is not None:
        words = words[denied.end() :]
    if DOUBTED.search(words) or NOT_STATED.search(words) or NO_RESULT.search(words):
        return None
    plain = _without_asides(AWAY.sub(r"\1", OR_ASIDE.sub(r", or \1", words)))
    if plain is None:
        return None
    plain, forms = _without_forms(_without_tail(plain), masked)
    head, sign, tail = plain.partition(": ")
    if (
        sign
        and not re.search(P, head)
        and not LABELLED.fullmatch(plain)
        and not NO_LABEL.search(head)
        and not OFFERS.search(head)
    ):
        plain = tail  # Here is the result: 6 workers are needed
    found = _announced(plain, masked) or _beside_dash(plain, masked) or _main(plain, masked)
    if found is None or None in forms:
        return None
    about = [f"{found} ({form})" for form in forms if form and form.startswith("about ")]  # 5/18, or about 0.278
    return tuple(about or dict.fromkeys([found, *[form for form in forms if form]]))


def _without_tail(words: str) -> str:
    """The words without a reason or a comment at their end, behind a comma or dash, that holds no value."""
    tail = _TAIL.search(words)
    return (
        words[: tail.start()] if tail is not None and plain(tail[0]) and re.search(P, words[: tail.start()]) else words
    )


_TAIL = re.compile(rf"(?:\s[—–-]\s|—|,\s(?:because|since|as|given that)\s)[^{FIRST}-{LAST}]*$", re.IGNORECASE)


def _without_forms(words: str, masked: Masked) -> tuple[str, list[str | None]]:
    """The words without another form of the value at their end (", i.e. 0.5"), and that form."""
    again = RESTATES.search(words)
    if again is None or not re.fullmatch(
        rf".*{P}(?:\s{NOUN}){{0,4}}(?:\s(?:of|for)(?:\s{NOUN}){{1,4}})?", words[: again.start()], re.S
    ):
        return words, []
    if OFFERS.search(again["rest"]) or GOES_ON.match(again["rest"]):
        return words, [None]
    if (share := _SHARE.search(words[: again.start()])) is not None:  # 10 in 30, or 1/3
        part, whole = (masked.at(place) for place in share.groups())
        return words[: share.start()] + words[again.start("value") :], [f"{part}/{whole}"]
    if (worded := WORDED.search(words[: again.start()])) is not None:  # the square root of 5, i.e. √5
        return words[: worded.start()] + words[again.start("value") :], []
    form = _value(masked, again["value"], again["rest"])
    return words[: again.start()], [f"about {form}" if again["near"] and form else form]


def _announced(words: str, masked: Masked) -> str | None:
    """The bare value behind a colon, where values stand before it too."""
    match = ANNOUNCED.fullmatch(words)
    if match is None or OFFERS.search(match[1]) or NO_LABEL.search(match[1]):
        return None
    return _checked(masked, words, match)


def _beside_dash(words: str, masked: Masked) -> str | None:
    """The value of what stands before a dash or colon, where an explanation follows."""
    for sign in (r"\s[—–-]+\s|—", r":\s+"):
        match = re.search(sign, words)
        if match is None or not re.search(P, words[: match.start()]):
            continue
        left, right = words[: match.start()], words[match.end() :]
        if OFFERS.search(right):
            return None
        found = _main(left, masked)
        if found is not None and not LABELLED.fullmatch(left):
            return found
    return None


def _without_asides(words: str) -> str | None:
    """The words without what stands in brackets; None where that offers another value, or doubts."""
    for aside in ASIDE.findall(words):
        if re.search(P, aside) is None:
            if re.search(r"[?？]|\b(?:or|not|unsure|maybe|un\w+ed)\b|n't", aside, re.I):
                return None
        elif (
            re.search(r"\b(?:also|possibl[ey]|another)\b", aside, re.I)
            or OFFERS.search(aside)
            or re.fullmatch(rf"\s*{P}\s*", aside)
            or not FORM.fullmatch(aside.strip())
        ):
            return None
    return ASIDE.sub("", words)


def _main(words: str, masked: Masked) -> str | None:
    """The value of the main clause."""
    concluding = conclusion(words)
    lead = concluding != words or LEADS.match(words) is not None
    if concluding != words:  # which leaves her with $80
        concluding = RECEIVED.sub("", concluding.removeprefix(LEAD_WORD), count=1)
    words = LEADS.sub("", concluding, count=1) if LEADS.match(concluding) else concluding
    while (front := BEFORE.match(words)) is not None:
        if (SIDE_BY_SIDE if GROUNDS.match(front[0]) else OFFERS).search(front[0]):
            return None
        words = CONTINUED.sub("", words[front.end() :], count=1)
    reason = REASON.search(words)
    if reason is not None and re.search(P, words[: reason.start()]):
        if OFFERS.search(reason[0]) or SAME_AGAIN.match(reason[0]):
            return None
        words = words[: reason.start()]
    if (noted := NOTATION.fullmatch(words)) is not None:
        return _checked(masked, words, noted)
    if (roots := EITHER.fullmatch(words)) is not None:
        return f"{masked.at(roots['one'])} or {masked.at(roots['two'])}"
    for pattern in (IN_TOTAL, LEFT, ARITHMETIC, COMPARED):
        if (match := pattern.fullmatch(words)) is not None and not OFFERS.search(words):
            return _checked(masked, words, match)
    words = REQUIRED.sub(r"\1", PURPOSE.sub(r"\1", words))
    if (subject := SUBJECT.match(words)) is not None:
        words = "The number" + words[subject.end() :]
    if OFFERS.search(words) or weakened(PHRASE.sub("", words)) or JOINS.search(words):
        return None
    for pattern in (LABELLED, CHAINED, WHAT, FRAGMENT, BARE):
        if (match := pattern.fullmatch(words)) is not None:
            if pattern is BARE and OBJECT.search(words, match.end("value")):
                continue
            if pattern in (LABELLED, CHAINED) and NO_LABEL.search(
                words[: match.start("value")].split("=")[0].strip(" :")
            ):
                return None
            if (
                pattern is BARE
                and not lead
                and not match["noun"]
                and "=" not in masked.at(match["value"])
                and words != match["value"]
            ):
                continue
            return _checked(masked, words, match)
    return _stated(words, masked)


def _stated(words: str, masked: Masked) -> str | None:
    """The object of the last verb that states something, or the number of things that are the subject."""
    free = DEFINITE.sub(lambda m: re.sub(P, "#", m[0]), words)
    found = list(OBJECT.finditer(free))
    result = _worked_out(free, masked)
    if result is not None:
        return _checked(masked, free, result)
    if found:
        last = found[-1]
        head, tail = free[: last.start()], LATER.sub("", free[last.end() :])
        if LISTED.fullmatch(tail) is not None and len(found) == 1 and not re.search(P, head):
            return ", ".join(result_of(masked.at(place)) for place in re.findall(P, free[last.start() :]))
        known = re.search(P, PHRASE.sub("", tail)) is None
        if known and (
            (len(found) == 1 and not re.search(rf"{P}.*\band\b", head))
            or FOLLOWS.search(free[found[-2].end() if len(found) > 1 else 0 : last.end() + 40])
        ):
            return _checked(masked, free, last)
        return None
    count = COUNT.fullmatch(free)
    if count is not None and len(re.findall(P, PHRASE.sub("", free))) == 1 and count["noun"]:
        return _checked(masked, free, count)
    opened = OPEN.match(free)
    if (
        opened is not None
        and (opened["noun"] or AMOUNT.search(masked.at(opened["value"])))
        and not re.search(P, PHRASE.sub("", free[: opened.start("value")] + free[opened.end("value") :]))
    ):
        return _checked(masked, free, opened)
    return None


def _worked_out(words: str, masked: Masked) -> re.Match[str] | None:
    """The only result of a calculation, where nothing but circumstances follows: "so he sold 64 - 48 = 16 eggs"."""
    results = [match for match in VALUE.finditer(words) if match[0] in masked.results]
    if len(results) != 1 or re.search(P, PHRASE.sub("", words[results[0].end() :])):
        return None
    return results[0]


def _checked(masked: Masked, words: str, match: re.Match[str]) -> str | None:
    """The value of a match, unless the words behind it change it."""
    tail = words[match.end("value") :]
    if GOES_ON.match(tail) or UNFINISHED.search(tail):
        return None
    return _value(masked, match["value"], tail)


def _value(masked: Masked, place: str, tail: str) -> str | None:
    value = result_of(masked.at(place))
    if POSED.fullmatch(value):
        return None
    unit = UNIT.match(tail)
    if unit is None or "$" in value or not re.fullmatch(r"(?:[a-z] = )?[-−]?[0-9][0-9.,:/]*", value):
        return value
    return f"{value} {unit[1]}"
