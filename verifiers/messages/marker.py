"""The rule "marker": what stands after ``####``, anywhere in a line, to its end."""

import re

from turnwise.verifiers.messages.base import MAX_BARE_CHARS, MAX_CHARS, MAX_SAID, Span
from turnwise.verifiers.messages.wording import SAYS

__all__ = ["marked"]

_MARKER = re.compile(r"####[ \t]*+\**+[ \t]*+((?:\\text\{)?(?=[-+$\\(\[{.€£0-9])[^\n#]*)")
_HEADING = re.compile(  # #### 1. Add
    r"[0-9]+(?:\.[0-9]+)*(?:[.):]\s+|\s+(?!.*\banswer\b))[A-Z*]|\([0-9a-z]\)\s+[A-Z]|\[?[A-Z]"
)


def marked(text: str) -> list[Span]:
    """What stands after ``####``, to the end of its line; headings are none.

    >>> marked("We add. #### 18 apples"), marked("#### 2. Multiply")
    ([Span(start=8, end=13, content='18 apples')], [])
    """
    if "####" not in text:
        return []
    found = []
    for match in list(_MARKER.finditer(text, max(0, len(text) - MAX_CHARS)))[-MAX_SAID:]:
        after = SAYS.search(match[1])
        said = match[1][: after.start() if after is not None else None].strip().rstrip("*. ")
        if said and len(said) <= MAX_BARE_CHARS and not _HEADING.match(said):
            found.append(Span(match.start(), match.start(1), said))
    return found
