"""Where a form of its own marks the answer: ``####`` anywhere in a line, and the field "answer" of a JSON object."""

import re

from turnwise.verifiers.messages.base import MAX_BARE_CHARS, MAX_CHARS, MAX_SAID, Span
from turnwise.verifiers.messages.clause import LEAD
from turnwise.verifiers.messages.wording import END_OF_SENTENCE, SAYS

__all__ = ["fields", "marked", "marked_words"]

_MARKER = re.compile(r"####[ \t]*+\**+[ \t]*+((?:\\text\{)?(?=[-+$\\(\[{.€£0-9])[^\n#]*)")
_LAST = re.compile(r"####[ \t]*\**([^\s#*][^\n#]{0,60})$")  # words or an expression, at the very end
_LONE = re.compile(r"^####[ \t]+((?=\S*[0-9])(?=\S*[-+*/=^])[^\s#:]{1,40})[ \t]*$", re.MULTILINE)  # #### x+2
_ALONE = re.compile(  # #### x=2, x=4
    r"^####[ \t]+([A-Za-z]\s?=[^\n:#]{1,40}|[0-9][0-9.,]*\s(?:[A-Za-z]{1,4}|[A-Z][a-z]+\s[0-9]{4})"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|June|July|August|September|October"
    r"|November|December)[ \t]*$",
    re.MULTILINE,
)
_TITLE = re.compile(r":[* ]*$|^[0-9]+[.):]|^(?:step|final|answer|solution|conclusion|part)\b", re.IGNORECASE)
_WORDS_ALONE = re.compile(r"^####[ \t]+\$?([^\W\d_]+(?:[ -][^\W\d_]+)?)\$?[ \t]*$", re.MULTILINE)
_NAMES_A_PART = re.compile(  # a heading of one or two words
    r"(?:step|final|answer|solution|conclusion|part|explanation|reason(?:ing|s)?|results?|summary|analysis|check(?:ing)?"
    r"|verification|verify|approach|given|proof|setup|set|calculat\w+|comput\w+|details?|background|context|overview"
    r"|question|problem|method|work(?:ing)?|thoughts?|thinking|notes?|data|information|evidence|discussion|introduction"
    r"|response|output|input|hints?|steps|key|short|my|the|your|our|quick|simple|why|how|what)\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"=\s*[$€£]?$")  # 6 * 3 = #### 18: the result of a step, where another marker follows
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
        said = match[1][: after.start() if after is not None else None].strip()
        inside = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if inside and (stop := END_OF_SENTENCE.search(said)) is not None:  # ... sold #### 30. She kept 5.
            said = said[: stop.start()]
        said = said.rstrip("*. ")
        if said and len(said) <= MAX_BARE_CHARS and not _HEADING.match(said) and not said.endswith(":"):
            found.append(Span(match.start(), match.start(1), said))
    if not found and (lone := list(_LONE.finditer(text))):
        found.append(Span(lone[-1].start(), lone[-1].start(1), lone[-1][1].strip("*. ")))
    if not found and (alone := list(_ALONE.finditer(text))):
        found.append(Span(alone[-1].start(), alone[-1].start(1), alone[-1][1].strip("*. ")))
    if not found and (last := _LAST.search(text.rstrip())) is not None and not _TITLE.search(last[1]):
        found.append(Span(last.start(), last.start(1), last[1].strip("*. ")))
    return [span for i, span in enumerate(found) if i == len(found) - 1 or not _is_step(text, span, found[-1])]


def marked_words(text: str) -> list[str]:
    r"""The lines of one or two words after ``####`` that name no part of a solution.

    >>> marked_words("#### Paris\n<answer>Rome</answer>"), marked_words("#### Conclusion\n<answer>Rome</answer>")
    (['Paris'], [])
    >>> marked_words("#### $mg$\n<answer>$mgh$</answer>")
    ['mg']
    """
    found = _WORDS_ALONE.findall(text[-MAX_CHARS:]) if "####" in text else []
    return [words for words in found[-MAX_SAID:] if _NAMES_A_PART.match(words) is None]


def _is_step(text: str, span: Span, last: Span) -> bool:
    """Whether a marker stands within a sentence, and the last one alone in its line or in a conclusion."""
    if _STEP.search(text[: span.start][-20:]):
        return True
    inside, concludes = (text[text.rfind("\n", 0, one.start) + 1 : one.start].strip() for one in (span, last))
    return (
        bool(inside)
        and not inside.endswith((".", ":"))
        and "####" not in concludes
        and (not concludes or LEAD.match(END_OF_SENTENCE.split(concludes)[-1].strip()) is not None)
    )


_FIELD = re.compile(
    r"""["'](?:final[_ ]?)?answer["']\s{0,9}:\s{0,9}"""
    r"""(?:"((?:[^"\\\n]|\\.)*+)"|'((?:[^'\\\n]|\\.)*+)'|(-?[0-9][0-9.]*+|true|false))\s{0,9}(?=[,}]|$)""",
    re.IGNORECASE,
)


def fields(text: str) -> list[Span]:
    """The values of the fields named "answer" of JSON objects, whose last one ends the text but for marks.

    >>> fields('{"steps": "6 * 7", "answer": "42"}')
    [Span(start=19, end=31, content='42')]
    """
    if "nswer" not in text:
        return []
    found = []
    for match in list(_FIELD.finditer(text))[-MAX_SAID:]:
        said = next(group for group in match.groups() if group is not None).strip()
        said = said.replace('\\"', '"').replace("\\\\", "\\")
        if said and len(said) <= MAX_BARE_CHARS:
            found.append(Span(match.start(), match.end() - len(said), said))
    again = len(found) > 1 and len({span.content for span in found}) == 1  # said again, and cut off
    return found if again or text.rstrip("` \n").endswith("}") else []
