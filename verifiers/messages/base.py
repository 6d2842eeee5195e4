"""What the rules of reading share: where an answer stands, what a rule found, and the words of a correction."""

import re
from typing import NamedTuple

__all__ = [
    "DIFFERENT",
    "JOINED",
    "MAX_BARE_CHARS",
    "MAX_CHARS",
    "MAX_SAID",
    "NO_COMMITMENT",
    "STRONG",
    "TAKEN_BACK",
    "TENTATIVE",
    "Found",
    "Span",
    "merged",
    "none",
]

MAX_CHARS = 20_000  # the end of a longer message without tag or box is read
MAX_BARE_CHARS = 200
MAX_SAID = 20  # markers and statements that are read, the last ones
DIFFERENT = "the message gives different answers; give exactly one"
NO_COMMITMENT = "the message commits to no answer"
TAKEN_BACK = "the message takes its answer back"


class Found(NamedTuple):
    """What a rule found in a message: texts that must all be the right answer, or why there are none."""

    candidates: tuple[str, ...]
    problem: str = ""
    end: int = -1  # where the answer ends; -1 where that is the last place that it stands at


class Span(NamedTuple):
    """An answer and where it stands: from the mark or words that announce it to its end."""

    start: int
    end: int
    content: str


def none(problem: str) -> Found:
    """No answer, and why."""
    return Found((), problem)


JOINED = re.compile(  # between two boxes of one list
    r"(?:\\\\|\\[,;:! ()\[\]]|[a-zA-Z]\w?(?:_\{?\w+\}?)?\s*=|\\(?:quad|qquad)|\\text\s*\{\s*(?P<t>and|or)\s*\}"
    r"|(?P<w>\b(?:and|or|y|et|und|oder)\b)|[\s,;$&])*"
)
STRONG = re.compile(  # takes back what stands before it
    r"\b(?:wait|actually|correction|(?:made|is|was) an? (?:\w+ )?(?:error|mistake)|sorry|scratch that"
    r"|on second thought|oops|hold on"
    r"|my bad|let me (?:fix|redo|correct|re\w+))\b|(?:^|[.!?]\s+|\bhmm,? )no\b|\b(?:cannot|can't) be right\b"
    r"|\bgive up\b|不对|更正|应该是|等等",
    re.IGNORECASE | re.MULTILINE,
)
_CORRECTED = re.compile(
    STRONG.pattern
    + r"|\b(?:corrected|correcting|re-?check\w*|re-?calculat\w*|re-?consider\w*|double-?check\w*|revis\w+"
    r"|(?:error|mistake) (?:above|before|in my|earlier))\b",
    re.IGNORECASE | re.MULTILINE,
)
TENTATIVE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|might|unsure|could|also|alternatively|another|not sure)\b", re.IGNORECASE
)


def merged(text: str, spans: list[Span], joined: bool = True) -> tuple[str, ...]:
    """One candidate for each group of spans side by side; those that stand before a correction are gone."""
    groups: list[str] = []
    end = 0
    for start, stop, content in spans:
        between = text[end:start] if groups else ""
        if groups and _CORRECTED.search(between[-2000:]) and not TENTATIVE.search(between[-200:]):
            groups = [content]
        elif groups and joined and len(between) < 80 and (match := JOINED.fullmatch(between)) is not None:
            word = (match["t"] or match["w"] or "").lower()
            if word or content != groups[-1]:
                groups[-1] += f" {'or' if word in ('or', 'oder') else ','} {content}"
        else:
            groups.append(content)
        end = stop
    return tuple(dict.fromkeys(re.sub(r" ?,", ",", " ".join(group.split())) for group in groups))
