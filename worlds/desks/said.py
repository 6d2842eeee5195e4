"""Whether something was said: amounts, dates, numbers and names, in any usual spelling."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from turnwise.worlds.names import listed

__all__ = ["Said", "clock", "day", "money", "number", "position", "words"]

_NUMBERS = listed(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
    """
)
_TENS = listed("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
             "twelve": "twelfth"}  # fmt: skip
_ALONE = "".join(rf"(?<!{tens}[ -])" for tens in _TENS) + r"(?<![\w-])(?<!hundred )(?<!thousand )(?<!hundred and )"
_PEOPLE = r"(?:(?:other|more) )?(?:people|persons?|members?|patients?|readers?|others?|requests?|holds?|names?)"
_AHEAD = r"(?:(?:is|are|still|now|waiting|already|on the list|in the queue|in line) )*(?:ahead|before|in front)\b"
_MARKUP = re.compile(r"[*_`]+")
_SPACE = re.compile(r"\s+")
_BEHIND = re.compile(r"[.,;!?]?(?: |\Z)")


@dataclass(frozen=True)
class Said:
    """Something that has to be said, or must not be.

    Attributes:
        text: It, as a person reads it.
        pattern: A regular expression that finds any usual spelling, ``text`` among them, in a message without markup,
            in lower case.
    """

    text: str
    pattern: str

    def within(self, message: str) -> bool:
        """Return whether a message says it."""
        return self.among((message,))

    def among(self, messages: Sequence[str]) -> bool:
        """Return whether one of the messages says it."""
        usual = _plain(self.text).strip()
        if any(_stands(usual, _plain(message)) for message in messages):
            return True  # without a pattern, which is slow to compile
        found = _compiled(self.pattern).search
        return any(found(_plain(message)) is not None for message in messages)


@lru_cache(4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _stands(text: str, message: str) -> bool:
    """Return whether a text stands in a message between spaces, perhaps with a punctuation mark behind it."""
    start = message.find(text)
    while start >= 0:
        stop = start + len(text)
        if message[max(0, start - 1) : start] in (" ", "") and _BEHIND.match(message, stop):
            return True
        start = message.find(text, start + 1)
    return False


@lru_cache(64)
def _plain(message: str) -> str:
    return _SPACE.sub(" ", _MARKUP.sub("", message)).lower()


def _spelled(value: int) -> str:
    """A pattern of a whole number in words; none beyond 999,999."""
    if not 0 <= value < 1_000_000:
        return r"(?!)"
    if value < len(_NUMBERS):
        return _NUMBERS[value]
    if value < 100:
        tens = _TENS[value // 10 - 2]
        return rf"{tens}[ -]?{_NUMBERS[value % 10]}" if value % 10 else tens
    if value < 1000:
        hundreds = rf"(?:{_NUMBERS[value // 100]}{'|an?' if value < 200 else ''}) hundred"
        return hundreds + (rf" (?:and )?{_spelled(value % 100)}" if value % 100 else "")
    return rf"{_spelled(value // 1000)} thousand" + (rf",? (?:and )?{_spelled(value % 1000)}" if value % 1000 else "")


def _ordinal(value: int) -> str:
    """A pattern of an ordinal number: 2nd, second."""
    if value >= 100:
        return rf"{value}(?:st|nd|rd|th)"
    head, _, last = _spelled(value).rpartition("[ -]?")
    last = _ORDINALS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return rf"(?:{value}(?:st|nd|rd|th)|{head + '[ -]?' if head else ''}{last})"


def money(cents: int) -> Said:
    """An amount of dollars: $1,234.50, 1234.50, 1,234.5 dollars, forty-five dollars and fifty cents, 50 cents.

    >>> money(4500).within("That comes to **45 dollars**.")
    True
    >>> money(4500).within("That comes to $45.50."), money(4550).within("It's forty-five dollars and fifty cents.")
    (False, True)
    """
    whole, rest = divmod(abs(cents), 100)
    grouped = f"{whole:,}".replace(",", ",?")
    unit, small = r"(?:dollars?|bucks|usd)\b", r"(?:cents?|¢)(?!\w)"
    part, one = rf"(?:{rest}|{_spelled(rest)})", "(?:one|a)" if whole == 1 else _spelled(whole)
    if not rest:
        number = rf"(?:\$ ?{grouped}(?:\.00?)?|usd ?{grouped}|{grouped}\.00|{grouped} ?{unit}(?! (?:and )?\d))"
        more = r"(?! (?:and )?(?:\w+[ -])?\w+ cents?)"
        spelled = rf"{_ALONE}{_spelled(whole)} {unit}{more}"
    else:
        number = rf"{grouped}\.{rest:02d}" if rest % 10 else rf"{grouped}\.{rest // 10}0?"
        tail = rf"(?:{part} {small}|(?:{rest:02d}|{_spelled(rest)})(?![\w-]|[.,]\d))"
        spelled = rf"{_ALONE}(?<![.,])(?:{grouped}|{one}) ?{unit}(?: and|,)? {tail}"
        if not whole:
            number = rf"0?\.{rest:02d}" if rest % 10 else rf"0?\.{rest // 10}0?"
            spelled = rf"(?<![\w.,$-])(?<!dollars and )(?<!dollar and )(?<!dollars )(?<!dollar ){part} ?{small}"
    return Said(f"${whole:,}.{rest:02d}", rf"(?<![\d.,]){number}(?![\d]|[.,]\d)|{spelled}")


def day(date: datetime.date) -> Said:
    """A date: 2026-03-05, March 5, 5th of March, the fifth of March, Mar 5, 3/5, 03/05/2026 or 05.03.

    >>> day(datetime.date(2026, 3, 5)).within("It is due on Thursday, 5 March.")
    True
    """
    month, short = f"{date:%B}".lower(), f"{date:%b}".lower()
    name = rf"(?:{month}|{short}{'t?' if short == 'sep' else ''}\.?)"
    ordinal = rf"(?:0?{date.day}(?:st|nd|rd|th)?|{_ordinal(date.day)})"
    forms = (
        rf"{date.year}[-/.]{date.month:02d}[-/.]{date.day:02d}",
        rf"{name}[ -](?:the )?{ordinal}\b",
        rf"(?<!twenty[ -])(?<!thirty[ -])\b{ordinal}[ -](?:day )?(?:of )?{name}",
        rf"(?<![\d/.])0?{date.month}/0?{date.day}(?![\d])",
        rf"(?<![\d/.])0?{date.day}\.0?{date.month}\.",
    )
    return Said(f"{date:%B} {date.day}", "|".join(forms))


def clock(time: str) -> Said:
    """A time of day, given like 14:20: 14:20, 2:20 pm, 2.20, twenty past two; 2 pm or two o'clock for a full hour.

    >>> clock("14:00").within("I have put you down for 2 pm."), clock("09:20").within("That is at 19:20.")
    (True, False)
    """
    hour, minute = int(time[:2]), time[3:]
    half = (hour - 1) % 12 + 1
    pattern = rf"(?<![\d:.])(?:0?{hour}[:.h]{minute}|{half}[:.]{minute})(?![\d:]|\.\d)"
    said = rf"(?:{half}|{_spelled(half)})"
    then = rf"(?:{half % 12 + 1}|{_spelled(half % 12 + 1)})"
    past = int(minute)
    if not past:
        part = "in the morning" if hour < 12 else "in the (?:afternoon|evening)|at night"
        pattern += (
            rf"|(?<![\d:.])(?:{said} ?(?:{'a' if hour < 12 else 'p'}\.?m\b|o'? ?clock|{part})"
            rf"{r'|noon|midday' if hour == 12 else ''})"
        )
    else:
        names = {15: "(?:a )?quarter", 30: "half", 45: "(?:a )?quarter"}
        ahead, behind = (rf"(?:{names.get(each, '(?!)')}|{_spelled(each)}(?: minutes)?|{each}(?: minutes)?)"
                         for each in (past, 60 - past))  # fmt: skip
        pattern += rf"|\b{_spelled(half)} {'oh ' if past < 10 else ''}{_spelled(past)}\b"
        pattern += rf"|(?<![\w:.-]){ahead} (?:past|after) {said}\b(?![:.]\d)"
        pattern += rf"|(?<![\w:.-]){behind} (?:to|before|till) {then}\b(?![:.]\d)" if past >= 30 else ""
    return Said(time, pattern)


def number(value: int) -> Said:
    """A count, in digits or as a word; none may be "no" or "none", two of a kind "twice".

    >>> number(3).within("You have three loans."), number(3).within("You have 13 loans.")
    (True, False)
    """
    rest = rf"(?![ -](?:{'|'.join(_NUMBERS[1:10])})\b)" if value % 10 == 0 and value > 10 else r"(?!-\w)"
    word = rf"|{_ALONE}{_spelled(value)}\b{rest}"
    word += {
        0: r"|\bnone\b|\b(?:no|nothing|nobody) (?!longer|problem|worries|need|matter|idea|way|match|one|but)\w|"
        r"\bnothing\b(?=[.,;!?]|$)|n't (?:have|has|had|got) (?:\w+ )?any\b|\bnot any\b",
        1: r"|\b(?:once (?:more|again)|a single|one time)\b",
        2: r"|\btwice\b",
    }.get(value, "")
    digits = f"{value:,}".replace(",", ",?")
    return Said(str(value), rf"(?<![\d.,$#\-/]){digits}(?![\d]|[.,/\-]\d){word}")


def position(value: int) -> Said:
    """A place in a queue: 3, "third in line", "number three", "two people are ahead of you".

    >>> position(2).within("You are second in the queue."), position(3).within("There are two others ahead of you.")
    (True, True)
    """
    count, nth = number(value), rf"{_ALONE}\b{_ordinal(value)}\b"
    ahead = rf"{_ALONE}(?:{value - 1}|{_spelled(value - 1)})"
    if value < 3:  # "first, I need your name", "one second, please"
        nth = (
            rf"{nth} (?:in|on|place|position|spot|person|patient|reader|for)\b|\byou(?:'re| are|'ll be| will be) "
            rf"(?:\w+ ){{0,2}}{nth}|\b(?:place|position|spot) (?:is|was) (?:the )?{nth}"
        )
    if value == 1:
        ahead = r"\bno(?:body| one|ne)?"
        nth += r"|\bnext (?:in|on|one|up)\b|\b(?:front|top|head) of\b"
    others = rf"(?:{_PEOPLE} )?{_AHEAD}"
    return Said(count.text, rf"(?!\w+ {others})(?:{count.pattern})|{nth}|{ahead} {others}")


def words(text: str) -> Said:
    """A name, title or code, whatever its case and the spaces around it."""
    plain = _plain(text).strip()
    return Said(text, rf"(?<!\w){re.escape(plain)}(?!\w)")
