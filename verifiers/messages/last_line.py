"""The rule "last line": a short message as it stands, else what the last sentence that states anything states."""

import re

from turnwise.verifiers.extract import undressed
from turnwise.verifiers.messages.base import MAX_BARE_CHARS, Found, none
from turnwise.verifiers.messages.chain import value_of
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.sentence import SPAN, alike, in_sentence
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["concluded", "read_last_line"]

_MAX_SENTENCE_CHARS = 1000
_FENCE = re.compile(r"```[a-z]*[ \t]*\n([^`]*)\n[ \t]*```", re.IGNORECASE)
_DENIAL = re.compile(r"\b(?:not|never|false|wrong|incorrect|fails?|doubt|cannot)\b|n't\b", re.IGNORECASE)
_COURTESY = re.compile(
    r"(?:i (?:hope|trust|believe)|hope (?:this|that|it)|let me know|if you (?:have|need)|thank|feel free"
    r"|please|\[?note)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\$?([A-Za-z](?:_\w+)?)\s*=\s*[^=]+$|(guess|option|candidate|value)\b", re.IGNORECASE)
_LIST = re.compile(r":[ *]*\n\s*((?:[-*•+][ \t]+[^\n]{1,60}(?:\n|$)){2,20})\s*$")


def read_last_line(text: str) -> Found:
    """A short message as it stands; of a longer one what its last sentence states."""
    if (fence := _FENCE.fullmatch(text)) is not None:
        text = fence[1].strip()
    if "\n" in text or len(text) > MAX_BARE_CHARS:
        found = concluded(text)
        return Found((found,)) if found else none("no answer found; give it as <answer>...</answer>")
    denied = _DENIAL.search(text) and _DENIAL.search(SPAN.sub("", text))
    if denied and (any(c.isdigit() for c in text) or SPAN.search(text)):
        stated = in_sentence(text)
        return Found((stated,)) if stated else none("the message denies something; give the answer")
    return Found((value_of(undressed(text)),))


def concluded(text: str) -> str | None:
    """What the last sentence that states anything states."""
    text = flattened(text[-4000:])
    sentences = [part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip()]
    sentences = [sentence for sentence in sentences if not _COURTESY.match(sentence)]
    if not sentences or len(sentences[-1]) > _MAX_SENTENCE_CHARS:
        return None
    last, before = sentences[-1], sentences[-2] if len(sentences) > 1 else ""
    bare = value_of(undressed(last))
    if bare != last and len(bare) <= MAX_BARE_CHARS:  # a line that is all formula, or all bold
        other = undressed(before)
        return f"{other}, {bare}" if other != before and len(other) <= MAX_BARE_CHARS and other != bare else bare
    listed = _listed(text)
    if listed is not None:
        return listed
    names = [match[1] if (match := _NAME.match(line)) else None for line in (before, last)]
    if (names[0] is not None and names[0] == names[1]) or alike(before, last):  # x = 4, then x = 5
        return f"{before}, {last}"
    return in_sentence(last)


def _listed(text: str) -> str | None:
    """The values that the last lines list, one by one, after a colon."""
    match = _LIST.search(text[-2000:])
    if match is None:
        return None
    items = [undressed(line.strip()[1:].strip()) for line in match[1].strip().split("\n")]
    return ", ".join(items) if len(items) > 1 and all(items) else None
