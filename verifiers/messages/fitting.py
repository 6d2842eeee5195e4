"""The value that fits what is asked for, where the end of a message goes on to another quantity.

"So the diagonal is 13 cm. For comparison, the area is 60 cm²": a reader who was asked for a length goes back to the
last clause that gives one. Whether a value fits is decided elsewhere; what stands behind the clause that is read may
still offer another value of its kind (`offers`).
"""

import re
from collections.abc import Callable

from turnwise.verifiers.messages.base import Found
from turnwise.verifiers.messages.last_line import read_last_line
from turnwise.verifiers.messages.prose import is_value
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["Suits", "fitting"]

Suits = Callable[[str, str], bool]
"""Whether a value that was read from a text can be what is asked for."""

_MAX_CUTS = 6
_MAX_BACK = 700
_JOINT = re.compile(
    r"\s[—–-]\s|—|;\s|[,，]\s*(?=(?:and|while|whereas|which|that is|that's|so|but|or|with|leaving)\b)"
    "|[，,](?=[^，,。]{0,20}[\u4e00-\u9fff])"
)
_CONCLUDES = re.compile(  # it is meant as the answer
    r"^\W*(?:so|thus|hence|therefore|in total|altogether|overall|answer)\b|\b(?:therefore|thus|hence|the answer)\b.*\*\*"
    r"|\*\*[^*\n]*\*\*\W*$",
    re.IGNORECASE,
)


def fitting(text: str, found: Found, suits: Suits) -> Found:
    """What the last clause that gives a fitting value states; what was found where it fits, or nothing does."""
    if not found.candidates or all(suits(text, one) for one in found.candidates):
        return found
    body = text.rstrip()
    last = [part for part in END_OF_SENTENCE.split(body[-_MAX_BACK:]) if part and part.strip(" *")][-1:]
    if any(_CONCLUDES.search(part) for part in last):
        return found
    start = max(0, len(body) - _MAX_BACK)
    cuts = {match.end() for match in END_OF_SENTENCE.finditer(body, start) if body[match.end() :].strip()}
    cuts |= {match.start() for match in _JOINT.finditer(body, start)}
    for cut in sorted(cuts, reverse=True)[:_MAX_CUTS]:
        again = read_last_line(body[:cut].strip())
        if not again.candidates or not all(is_value(one) for one in again.candidates):
            continue
        if all(suits(body[:cut], one) for one in again.candidates):
            return again._replace(end=cut)
    return found
