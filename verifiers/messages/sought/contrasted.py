"""The clause that names what is asked for, where the others of a sentence or list name the quantities beside it.

"f has a local maximum at (1, 6) and a local minimum at (3, 2)": of the two, a question for the maximum is answered by
the first one alone. Only quantities that exclude each other count (`quantities`), and each clause must name one.
"""

import itertools
import re

from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.base import Found
from turnwise.verifiers.messages.clause import PLACE
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.prose import is_value, plain
from turnwise.verifiers.messages.sought.another import quantities_asked
from turnwise.verifiers.messages.values import mask_values
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["contrasted"]

_CUT = re.compile(r",?\s(?:and|while|whereas)\s|[;,]\s|\s\((?=[A-Za-z])")
_ITEM = re.compile(r"(?:[-*•+]|[0-9]{1,2}[.)])\s")
_LABEL = re.compile(r"\**[A-Za-z][A-Za-z -]{2,40}?(?:\*\*)?(?::|\sis|\sat|\son|\s=)")
_BRACKETED = re.compile(r"(?:\\left)?[(\[][^()\[\]]*,.*(?:\\right)?[)\]]", re.DOTALL)
_OPEN = re.compile(
    r"\b(?:may|might|could|would|no|not|never|neither|without|if|unless|suppos\w+)\b|n['’]t\b", re.IGNORECASE
)
_STATES = re.compile(r"(?:\b(?:is|at|on|are|point|interval|in)|[:=])[\s$*]*$")
_IS = re.compile(r"\b(?:is|are)\s$")
_DRESS = re.compile(r"\*\*|__|`|\\[()]|\$")
_MAX_CHARS = 1500


def contrasted(text: str, asking: str) -> tuple[str, Found] | None:
    """The clause that alone names what is asked for, and its value, where every other one names its opposite.

    >>> text = "f has a local maximum at (1, 6) and a local minimum at (3, 2)."
    >>> contrasted(text, "Where is the local maximum?")
    ('f has a local maximum at (1, 6)', Found(candidates=('(1, 6)',), problem='', end=61))
    >>> contrasted(text, "Where is the inflection point?") is None
    True
    """
    tail = text[-_MAX_CHARS:]
    groups = [(group, wanted) for group, wanted in quantities_asked(asking) if group[wanted].search(tail)]
    if not groups:
        return None
    body = without_remarks(flattened(tail)).rstrip()
    parts = [part.strip() for part in END_OF_SENTENCE.split(body) if part and part.strip(" *")]
    items = list(itertools.takewhile(_ITEM.match, reversed(parts)))[::-1]
    if len(items) > 1:
        clauses = [_ITEM.sub("", item, count=1) for item in items]
    else:
        clauses = _clauses(parts[-1]) if parts else []
    if not 2 <= len(clauses) <= 6 or not all(plain(x) and not _OPEN.search(x) for x in clauses):
        return None
    for group, wanted in groups:
        named = [[n for n, names in enumerate(group) if names.search(clause)] for clause in clauses]
        if not all(len(one) == 1 for one in named) or sum(one == [wanted] for one in named) != 1:
            continue
        clause = clauses[named.index([wanted])].strip(" ,.")
        value = _value_of(clause, len(items) > 1)
        place = text.rfind(parts[-1][-20:])
        return (clause, Found((value,), end=place + len(parts[-1][-20:]))) if value and place >= 0 else None
    return None


def _clauses(sentence: str) -> list[str]:
    """The clauses of a sentence; commas within brackets part none."""
    depth, cuts = 0, [0]
    ends = {match.start(): match.end() for match in _CUT.finditer(sentence)}
    for place, sign in enumerate(sentence[:400]):
        if place in ends and depth == 0:
            cuts.append(place)
        depth += (sign in "([") - (sign in ")]")
    if len(sentence) > 400:
        return []
    found = [sentence[a:b] for a, b in itertools.pairwise([*cuts, len(sentence)])]
    return [re.sub(r"^(?:,?\s(?:and|while|whereas)\s|[;,]\s|\s)", "", one) for one in found]


def _value_of(clause: str, listed: bool) -> str:
    """The only value of a clause: a point or an interval behind a verb, or of an item what stands behind its label."""
    label = _LABEL.match(clause) if listed else None
    if label is not None and is_value(rest := _DRESS.sub("", clause[label.end() :]).strip(" .")):
        return rest if any(c.isdigit() for c in rest) else ""
    masked = mask_values(_DRESS.sub("", clause))
    if masked is None or len(masked.values) != 1:
        return ""
    place = re.search(PLACE, masked.words)
    if place is None:
        return ""
    if _BRACKETED.fullmatch(masked.values[0]) is None:  # the slope is -3/2, and the y-intercept is 6
        plainly = _IS.search(masked.words[: place.start()]) and not masked.words[place.end() :].strip()
        return masked.values[0] if plainly and is_value(masked.values[0]) else ""
    return masked.values[0] if _STATES.search(masked.words[: place.start()]) is not None else ""
