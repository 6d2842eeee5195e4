r"""The rules "tag" and "box": ``<answer>...</answer>``, ``\boxed{...}``, and what stands beside them."""

import re

from turnwise.verifiers.extract import boxed, closing_brace, undressed
from turnwise.verifiers.messages.around.beside import other_forms, suffix
from turnwise.verifiers.messages.base import (
    DIFFERENT,
    JOINED,
    MAX_BARE_CHARS,
    STRONG,
    TAKEN_BACK,
    TENTATIVE,
    Found,
    Span,
    merged,
    none,
)
from turnwise.verifiers.messages.marker import marked
from turnwise.verifiers.messages.statement import committed
from turnwise.verifiers.messages.wording import SAYS, sentence

__all__ = ["read_boxes", "read_tags"]

_BOX = re.compile(r"\\(?:boxed|fbox)\s*(?:\{|([0-9A-Za-z]+))")
_EQUATION = re.compile(r"([^=<>]*[A-Za-z][^=<>]*)=(?!=)")
_IN_FRONT = re.compile(r"(?:^|[\s$&({\[])([A-Za-z][A-Za-z0-9_{}+*-]{0,20}(?:\([a-z]\))?)\s*&?=\s*$")
_BLANK = re.compile(r"\s*(?:\\[hv]?phantom\s*\{[^{}]*\}|\\q?quad|_+|\?+)\s*")  # a box to be filled in
_INVISIBLE = re.compile(r"\\[hv]?phantom\s*\{\s*$")
_LONE_MARK = re.compile(  # of a value that could be taken for a heading: #### x-2
    r"^####[ \t]+((?=[^\n]*[-+*/=^0-9])[^\s#]{1,40}|(?![^\n]*(?:[A-Za-z]{3,} [A-Za-z(\\]"
    r"|:[ \t]*$))[^\n#]{0,20}\\[^\n#]{1,40}|(?!Step|Part|Case|Section|Question|Problem|Solution"
    r"|Method)[A-Z][a-z]+ [0-9]+|-?[A-Za-z]!?|[Yy]es|[Nn]o|[Tt]rue|[Ff]alse|[a-z]{2,20}(?: [a-z]+)?)[ \t]*$",
    re.MULTILINE,
)
_DRESS = re.compile(r"(?:\\(?:boxed|fbox|\(|\)|\[|\]|displaystyle)|[\s${}.*:=]|[A-Za-z]{1,12}\b)*")
_GIVEN_UP = re.compile(r"\b(?:(?:cannot|can't) be right|give up|something else|(?:is|was) wrong)\b", re.IGNORECASE)
_SHOULD = re.compile(
    r"\b(?:it|that|this|the answer) (?:is|should be|must be) (-?\$?[0-9][^\s]*?\$?)(?=[.,;!]?(?:\s|$))", re.IGNORECASE
)


def read_tags(text: str) -> Found | None:
    """The contents of the tags, with what stands beside them; None without a tag."""
    spans = _tags(text) if "<answer>" in text else []
    if not spans:
        return None
    found = _committed(text, spans)
    later = _boxes(text[spans[-1].end :]) if "boxed" in text[spans[-1].end :] else []
    if not later or not found.candidates:  # a box in front of the tag is reasoning, one behind it another answer
        return found
    end = found.end + later[-1].end if found.end >= 0 else -1
    return Found((*found.candidates, *(span.content for span in later)), end=end)


def read_boxes(text: str) -> Found | None:
    """The contents of the boxes, with what stands beside them; None without a box."""
    spans = _without_steps(text, _boxes(text)) if "boxed" in text or "fbox" in text else []
    return _committed(text, spans) if spans else None


def _without_steps(text: str, spans: list[Span]) -> list[Span]:
    r"""The boxes without those of named steps: \boxed{a = 2} ... \boxed{b = 3} ... so \boxed{a + b = 5}.

    A step is an equation for another name than that of the last box. The last box alone can be paid, so that steps
    are no way to offer two values; boxes side by side, of one name or without names are offers.
    """
    if len(spans) < 2:
        return spans
    names = [_name(text, span) for span in spans]
    kept = [
        span
        for span, name, following in zip(spans, names, [*spans[1:], None], strict=True)
        if not name or name == names[-1] or following is None or _side_by_side(text, span, following)
    ]
    return kept


def _side_by_side(text: str, one: Span, two: Span) -> bool:
    """Whether two boxes are one list, or the second one is an alternative to the first."""
    between = text[one.end : two.start]
    return JOINED.fullmatch(between[:80]) is not None or TENTATIVE.search(between[-200:]) is not None


def _name(text: str, span: Span) -> str:
    """What the content of a box, or the text in front of it, is an equation for; "" for nothing."""
    match = _EQUATION.match(span.content) or _IN_FRONT.search(text[max(0, span.start - 60) : span.start])
    return "".join(match[1].split()) if match is not None else ""


def _committed(text: str, spans: list[Span]) -> Found:
    others = _beside(text, spans)
    if others is None:
        return none(DIFFERENT)
    found = tuple(dict.fromkeys([*merged(text, spans), *others, *_marks(text)]))
    if (better := _taken_back(text[spans[-1].end :])) is not None:
        return Found((better,)) if better else none(TAKEN_BACK)
    return Found(found, end=spans[-1].end) if all(found) else none("the answer is empty")


def _marks(text: str) -> list[str]:
    """What stands after ``####`` beside a box or tag: another offer of the answer."""
    if "####" not in text:
        return []
    return [span.content for span in marked(text)] or [match[1] for match in _LONE_MARK.finditer(text)][:20]


def _beside(text: str, spans: list[Span]) -> list[str] | None:
    """Other forms that stand beside the last box or tag; None where it is hedged."""
    start, end, _ = spans[-1]
    joined = len(spans) > 1 and JOINED.fullmatch(text[spans[-2].end : start][-80:]) is not None
    return other_forms(text, start, end, joined)


def _taken_back(tail: str) -> str | None:
    """After the last box or tag: what a correction puts in its place, "" where that is unclear, None without one."""
    match = STRONG.search(tail[:300])
    if match is None or TENTATIVE.search(tail[match.end() : match.end() + 80]):
        return None
    said = [m.end() for m in SAYS.finditer(tail) if m.start() >= match.start()]
    if said:
        return committed(sentence(tail, said[-1]))
    should = _SHOULD.search(tail, match.start())
    if should is None:
        return "" if _GIVEN_UP.search(tail, match.start()) else None
    return should[1]


def _tags(text: str) -> list[Span]:
    """Tags with where they stand; one that never closes goes to the end of the text, unless it says an answer again."""
    found, position = [], 0
    while (close := text.find("</answer>", position)) >= 0:
        start = text.rfind("<answer>", position, close)
        if start >= 0:
            content = text[start + 8 : close].strip()
            found.append(Span(start, close + 9, undressed(_innermost(content))))
        position = close + 9
    start = text.rfind("<answer>", position)
    last = text[start + 8 :].strip() if start >= 0 else ""
    if last and not (found and found[-1].content.startswith(last)):
        found.append(Span(start, len(text), undressed(last)))
    return found


def _boxes(text: str) -> list[Span]:
    """Boxes with where they stand; one that never closes goes to the end of its line."""
    found, position = [], 0
    while (start := _BOX.search(text, position)) is not None:
        if start[0].endswith("{"):
            end = closing_brace(text, start.end())
            if end < 0:
                line = text[start.end() :].split("\n")[0].strip().rstrip("$. ")
                if line and len(line) <= MAX_BARE_CHARS:
                    found.append((start.start(), len(text), line))
                break
            found.append((start.start(), end + 1, text[start.end() : end]))
            position = end + 1
        else:
            found.append((start.start(), start.end(), start[1]))
            position = start.end()
    return [
        Span(a, b, undressed(_innermost(content)) + suffix(text, b))
        for a, b, content in found
        if not _BLANK.fullmatch(content) and not _INVISIBLE.search(text, max(0, a - 12), a)
    ]


def _innermost(content: str) -> str:
    """The content of a box that is all of a box or tag but for dress and a name."""
    for _ in range(5):
        inner = boxed(content)
        if len(inner) != 1 or not _DRESS.fullmatch(content.replace(inner[0], "", 1)):
            break
        content = inner[0]
    return content
