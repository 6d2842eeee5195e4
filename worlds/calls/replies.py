"""What an assistant's message to a person amounts to: a question, or that something cannot be done."""

import re
from typing import Final

from turnwise.worlds.people.part import Lexicon
from turnwise.worlds.people.understanding import understand

__all__ = ["asks", "declines", "scattered"]

_LEXICON: Final = Lexicon(
    slots={"detail": ("how many", "how much", "which", "what", "who", "whom", "where", "when", "the name", "the number",
                      "the date", "the price", "the text", "the line", "the priority", "the phone number")},
    actions={"do": ("do", "carry out", "go ahead")},
)  # fmt: skip
_QUESTIONS: Final = frozenset({"ask", "ask_open", "confirm", "ask_identity", "instruct"})
_SETTLED: Final = frozenset({"ask_more", "done", "bye"})
_ASKS: Final = re.compile(
    r"\b(?:please|kindly) (?:tell|give|provide|specify|share|choose|name|state|let me know)\b|"
    r"\blet me know (?:which|what|how|who|where|when|the|your)\b|\bneed (?:to know|more|the|a few|your|you to)\b"
)
_WANTS: Final = re.compile(r"\b(?:please|need|missing|tell me|let me know|give me|confirm|waiting|require)\b")
_DECLINES: Final = re.compile(
    r"\b(?:can ?not|can't|could not|couldn't|unable|not able|not possible|isn't possible|impossible|"
    r"not something (?:that )?i can|not available|unavailable|isn't available|aren't available|not supported|"
    r"isn't supported|unsupported|not equipped|no (?:way|means)|lack|lacking|"
    r"missing|(?:do not|don't|does not|doesn't|did not|didn't) (?:currently |yet |seem to |appear to )*"
    r"(?:have|find|see|offer|support|include|provide|allow)|"
    r"no (?:such |suitable |available |direct |matching )*(?:function|tool|option|access|ability)|"
    r"none of (?:my|the|these) (?:\w+ )?(?:functions|tools)|without (?:a|the) (?:\w+ )?(?:function|tool)|"
    r"outside (?:of )?(?:my|what i)|beyond (?:my|what i))\b"
)
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
MOST_NUMBERS: Final = 15


def asks(text: str) -> bool:
    """Return whether a message waits for an answer, rather than closing what it is about."""
    kinds = {act.kind for act in understand(text, _LEXICON)}
    if kinds & _SETTLED:
        return False
    if "?" in text or _ASKS.search(text.lower()) is not None:
        return True
    return bool(kinds & _QUESTIONS) and _WANTS.search(text.lower()) is not None


def declines(text: str) -> bool:
    """Return whether a message says that something cannot be done."""
    return _DECLINES.search(text.lower().replace("\u2019", "'")) is not None


def scattered(text: str) -> bool:
    """Return whether a message holds so many numbers that it answers nothing."""
    return len(_NUMBER.findall(text)) > MOST_NUMBERS
