"""Whether something was said: amounts, dates, numbers and names, in any usual spelling."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from turnwise.worlds.names import listed

__all__ = ["Said", "clock", "day", "money", "number", "words"]

_NUMBERS = listed(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
    """
)
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


def money(cents: int) -> Said:
    """An amount of dollars: $1,234.50, 1234.50, 1,234.5 dollars.

    >>> money(4500).within("That comes to **45 dollars**.")
    True
    >>> money(4500).within("That comes to $45.50.")
    False
    """
    whole, rest = divmod(abs(cents), 100)
    grouped = f"{whole:,}".replace(",", ",?")
    if not rest:
        number = rf"(?:\$ ?{grouped}(?:\.00?)?|{grouped}\.00|{grouped} ?(?:dollars?|usd)\b)"
    elif rest % 10:
        number = rf"{grouped}\.{rest:02d}"
    else:
        number = rf"{grouped}\.{rest // 10}0?"
    return Said(f"${whole:,}.{rest:02d}", rf"(?<![\d.,]){number}(?![\d]|[.,]\d)")


def day(date: datetime.date) -> Said:
    """A date: 2026-03-05, March 5, 5th of March, Mar 5, 3/5 or 05.03.

    >>> day(datetime.date(2026, 3, 5)).within("It is due on Thursday, 5 March.")
    True
    """
    month, short = f"{date:%B}".lower(), f"{date:%b}".lower()
    name = rf"(?:{month}|{short}\.?{'t?' if short == 'sep' else ''})"
    ordinal = rf"0?{date.day}(?:st|nd|rd|th)?"
    forms = (
        rf"{date.year}-{date.month:02d}-{date.day:02d}",
        rf"{name} (?:the )?{ordinal}\b",
        rf"\b{ordinal} (?:of )?{name}",
        rf"(?<![\d/.])0?{date.month}/0?{date.day}(?![\d])",
        rf"(?<![\d/.])0?{date.day}\.0?{date.month}\.",
    )
    return Said(f"{date:%B} {date.day}", "|".join(forms))


def clock(time: str) -> Said:
    """A time of day, given like 14:20: 14:20, 2:20 pm, 2.20; 2 pm for a full hour.

    >>> clock("14:00").within("I have put you down for 2 pm."), clock("09:20").within("That is at 19:20.")
    (True, False)
    """
    hour, minute = int(time[:2]), time[3:]
    half = rf"{(hour - 1) % 12 + 1}"
    pattern = rf"(?<![\d:.])(?:0?{hour}[:.h]{minute}|{half}[:.]{minute})(?![\d:]|\.\d)"
    if minute == "00":
        pattern += (
            rf"|(?<![\d:.])(?:{half} ?(?:{'a' if hour < 12 else 'p'}\.?m\b|o'clock){'|noon' if hour == 12 else ''})"
        )
    return Said(time, pattern)


def number(value: int) -> Said:
    """A count, in digits or, up to twenty, as a word; none may be "no" or "none".

    >>> number(3).within("You have three loans."), number(3).within("You have 13 loans.")
    (True, False)
    """
    word = rf"|\b{_NUMBERS[value]}\b" if 0 <= value < len(_NUMBERS) else ""
    word += "" if value else r"|\bno(?:ne)?\b"
    digits = f"{value:,}".replace(",", ",?")
    return Said(str(value), rf"(?<![\d.,$#\-/]){digits}(?![\d]|[.,/\-]\d){word}")


def words(text: str) -> Said:
    """A name, title or code, whatever its case and the spaces around it."""
    plain = _plain(text).strip()
    return Said(text, rf"(?<!\w){re.escape(plain)}(?!\w)")
