"""The rule "last line": a short message as it stands, else what the last sentence that states anything states."""

import re

from turnwise.verifiers.extract import undressed
from turnwise.verifiers.messages.base import MAX_BARE_CHARS, Found, none
from turnwise.verifiers.messages.chain import value_of
from turnwise.verifiers.messages.clause import DOUBTED, LEAD, SPAN, without_asides
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.said import only_number
from turnwise.verifiers.messages.sentence import alike, in_sentence
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["concluded", "opening_word", "read_last_line"]

_MAX_SENTENCE_CHARS = 1000
_FENCE = re.compile(r"```[a-z]*[ \t]*\n([^`]*)\n[ \t]*```", re.IGNORECASE)
_DENIAL = re.compile(r"\b(?:not|never|false|wrong|incorrect|fails?|doubt|cannot)\b|n't\b", re.IGNORECASE)
_COURTESY = re.compile(
    r"(?:as a check|do you (?:have|want|need)"
    r"|(?:is|are) there any(?:thing)?|i (?:hope|trust|believe)|hope (?:this|that|it)"
    r"|let me know|if you (?:have|need)|thank|feel free"
    r"|please|\[?note|and there you|there you (?:go|have)|great|nice|enjoy|good luck|isn't (?:that|it|math))\b"
    r"|(?:those|these|they) are (?:all |both )?(?:the |our )?(?:only )?(?:two |three )?(?:solutions|answers|roots)\b"
    r"|[^0-9$\\=*]{1,60}!$",
    re.IGNORECASE,
)
_WORDY = re.compile(r"(?:[A-Za-z']{2,}\s+){3}[a-z0-9]")
_FIRST_LINE = re.compile(
    r"(?=(?:[a-z]\s*=)?[^a-z]*[0-9])"
    r"(?:[A-Za-z]{1,2}(?:\([a-z]\))?\s*=\s*)?[-+0-9.,/()\\{}^a-z$%π√ ]{1,30}(?: [a-z]{2,8})?"
)
_EXPLAINS = re.compile(r"[A-Za-z]{2,}(?:\s+\S+){3}")
_ANOTHER = re.compile(
    r"(?:^|\n)[^A-Za-z\n]*[0-9][^A-Za-z\n]*\s*$|\b(?:or|alternatively)\b[^.\n]{0,30}[0-9]", re.IGNORECASE
)
_REASONED = re.compile(r"[-$\\(0-9][^,\n]{0,60},?\s+(?:because|since)\b")
_OPENING = re.compile(r"\W{0,4}(yes|no|true|false)\**(?:[,.!:;]|\s[—–-]\s|$)", re.IGNORECASE)
_UNSETTLED = re.compile(
    r"\b(?:maybe|perhaps|not sure|or no|or yes|wait|actually|on second thought|unless)\b|\?\s*$", re.I
)
_RELATIVE = re.compile(  # there are 3 groups that contain at least one of them
    r"(there (?:is|are|were) (?:\*\*)?[0-9]+(?:\*\*)?(?: \([^()0-9]{1,60}\))?(?: [a-z]+){1,4}(?: \([^()0-9]{1,60}\))?)"
    r" (?:that|who|which) (?!(?:is|are) (?:not|the|right|correct)\b)"
    r"(?:(?!\b(?:or|maybe|perhaps|might|may|could)\b)[^.;:?])+$"
)
_NAME = re.compile(r"\$?([A-Za-z](?:_\w+)?)\s*=\s*[^=]+$|(guess|option|candidate|value)\b", re.IGNORECASE)
_LIST = re.compile(r":[ *]*\n\s*((?:[-*•+][ \t]+[^\n]{1,60}(?:\n|$)){2,20})\s*$")


def read_last_line(text: str) -> Found:
    """A short message as it stands; of a longer one what its last sentence states."""
    if (fence := _FENCE.fullmatch(text)) is not None:
        text = fence[1].strip()
    if "\n" in text or len(text) > MAX_BARE_CHARS:
        found = concluded(text)
        if (first := _first_line(text)) is not None and (found is None or not _concludes(text)):
            return Found((first,))
        if first is not None and found is not None:
            return Found((first, found))
        return Found((found,)) if found else none("no answer found; give it as <answer>...</answer>")
    if _REASONED.match(text) and (core := without_asides(text)) is not None:  # 42, because 6 * 7 = 42
        return Found((core,))
    if _is_sentence(text) and (concluding := concluded(text)) is not None:  # Thus, it is $42$.
        return Found((concluding,))
    denied = _DENIAL.search(text) and _DENIAL.search(SPAN.sub("", text))
    if denied and (any(c.isdigit() for c in text) or SPAN.search(text)):
        stated = in_sentence(text)
        return Found((stated,)) if stated else none("the message denies something; give the answer")
    return Found((value_of(undressed(text)),))


def _is_sentence(text: str) -> bool:
    """Whether a short message is one or more sentences, not a value as it stands; one that goes on ("...") is not."""
    if LEAD.match(text) is not None:
        return True
    if text.endswith(("..", "…")):
        return False
    several = sum(bool(part.strip()) for part in END_OF_SENTENCE.split(text) if part) > 1
    return several or (SPAN.search(text) is not None and text.endswith("."))


def concluded(text: str) -> str | None:
    """What the last sentence that states anything states."""
    text = flattened(text[-4000:])
    sentences = [part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip()]
    sentences = [sentence for sentence in sentences if not _COURTESY.match(sentence)]
    if not sentences or len(sentences[-1]) > _MAX_SENTENCE_CHARS:
        return None
    last, before = sentences[-1], sentences[-2] if len(sentences) > 1 else ""
    bare = value_of(undressed(last))
    if bare != last and _WORDY.search(bare):  # **The ladder reaches 12 ft up the wall.**
        return in_sentence(bare)
    if bare != last and len(bare) <= MAX_BARE_CHARS:  # a line that is all formula, or all bold
        other = undressed(before)
        return f"{other}, {bare}" if other != before and len(other) <= MAX_BARE_CHARS and other != bare else bare
    listed = _listed(text)
    if listed is not None:
        return listed
    names = [match[1] if (match := _NAME.match(line)) else None for line in (before, last)]
    if (names[0] is not None and names[0] == names[1]) or alike(before, last):  # x = 4, then x = 5
        return f"{in_sentence(before) or before}, {in_sentence(last) or last}"
    last = _RELATIVE.sub(r"\1", last)
    said = in_sentence(last)
    return said if said is not None or len(sentences) == 1 else only_number(last)


def opening_word(text: str) -> str | None:
    """The word Yes or No (True or False) with which a message begins, where it is not taken back.

    >>> opening_word("No, it isn't! The digits add up to 11."), opening_word("Yes and no."), opening_word("No 5")
    ('No', None, None)
    """
    match = _OPENING.match(text.strip()[:400])
    return None if match is None or _UNSETTLED.search(text[:2000]) else match[1].capitalize()


def _first_line(text: str) -> str | None:
    """The answer that a message gives in a line of its own before it explains it: **k = 12**; None without one."""
    line, _, rest = text.partition("\n")
    line, bare = line.strip(), undressed(line)
    if (
        not _EXPLAINS.search(rest)
        or _ANOTHER.search(rest)
        or len(bare) > 40
        or _FIRST_LINE.fullmatch(bare) is None
        or DOUBTED.search(rest)
    ):
        return None
    return value_of(bare) if bare != line or bare.isdecimal() else None


def _concludes(text: str) -> bool:
    """Whether the last sentence gives a result: "So ...", or a formula of its own line."""
    last = [part.strip() for part in END_OF_SENTENCE.split(flattened(text[-4000:])) if part and part.strip()][-1]
    return LEAD.match(last) is not None or undressed(last) != last or "=" in last


def _listed(text: str) -> str | None:
    """The values that the last lines list, one by one, after a colon."""
    match = _LIST.search(text[-2000:])
    if match is None:
        return None
    items = [undressed(line.strip()[1:].strip()) for line in match[1].strip().split("\n")]
    return ", ".join(items) if len(items) > 1 and all(items) else None
