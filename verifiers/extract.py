r"""Find the answer that a message commits to.

One rule applies everywhere: thinking is not read (`after_thinking`). The answer is the content of
``<answer>...</answer>``, or else of ``\boxed{...}``, or else the whole message if it is one short line ("Answer:" may
come before it). If several of that form are given, they must be the same: a message that offers different answers has
none, so hedging never pays. A box next to a tag is reasoning, not an answer. If the only ``<answer>`` is never closed,
as when generation stops at ``</answer>``, it extends to the end of the message. Markdown or LaTeX formatting around all
of an answer is removed (`undressed`).
"""

import re
from typing import NamedTuple

__all__ = [
    "Answer",
    "after_thinking",
    "boxed",
    "closing_brace",
    "final_answer",
    "left_open",
    "marked",
    "tagged",
    "undressed",
]

_MAX_BARE_CHARS = 200
_BOX = re.compile(r"\\(?:boxed|fbox)\{")
_ONLY_BOX = re.compile(r"[^\\]*\\boxed\{([^{}\\]*)\}[^\\]*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)  # an escaped brace does not count
_DRESS = "*`$\\"  # first characters of formatting around an answer
_PAIRS = (("**", "**"), ("`", "`"), ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_FENCE = re.compile(r"```[a-z]*[ \t]*\n([^`]*)\n[ \t]*```", re.IGNORECASE)
_STYLED = re.compile(r"\\(?:text|textbf|texttt|mathrm|mathbf)\s{0,4}\{([^{}]*)\}")
_CUT_TAG = re.compile(r"</[answer]{0,6}\s*\Z")  # the message ends within the closing tag
_LEAD = re.compile(
    r"\*{0,2}(?:(?:so|thus|therefore),? )?(?:(?:the|my) )?(?:final )?answer(?:\*\*)?(?: is:?|:)", re.IGNORECASE
)


class Answer(NamedTuple):
    """The answer's text, or None with the problem in words."""

    text: str | None
    problem: str = ""


def final_answer(message: str) -> Answer:
    r"""Return the answer of a message.

    >>> final_answer("so <answer> 12 </answer>").text
    '12'
    >>> final_answer(r"thus \boxed{\frac{1}{2}}").text
    '\\frac{1}{2}'
    >>> final_answer("17").text
    '17'
    >>> final_answer("<answer>1</answer> or <answer>2</answer>").problem
    'the message gives different answers; give exactly one'
    """
    if "<" not in message:  # the common short move, and the common box
        if "\\" not in message and len(message) <= _MAX_BARE_CHARS:
            return _bare(message)
        only = _ONLY_BOX.fullmatch(message)
        if only is not None:
            text = only[1].strip()
            if text and text[0] not in _DRESS:
                return Answer(text)
    rest = after_thinking(message)
    if rest is None:
        return Answer(None, "the message ends inside <think>; close it and give the answer")
    candidates = [undressed(text) for text in marked(rest)]
    if not candidates:
        return _bare(rest)
    first = candidates[0]
    if len(candidates) > 1:
        spaced = " ".join(first.split())
        if any(" ".join(other.split()) != spaced for other in candidates[1:]):
            return Answer(None, "the message gives different answers; give exactly one")
    if not first:
        return Answer(None, "the answer is empty")
    return Answer(first)


def after_thinking(message: str) -> str | None:
    """Return the text after the last ``</think>``; None if thinking begins after it and does not end.

    >>> after_thinking("<think>1 or 2?</think> 2"), after_thinking("2?</think> 2"), after_thinking("2 <think> or 1")
    (' 2', ' 2', None)
    """
    rest = message.rpartition("</think>")[2]
    return None if "<think>" in rest else rest


def marked(text: str) -> list[str]:
    r"""Return what a text marks as its answers: by the tag, closed or left open at the end, or else by boxes.

    >>> marked(r"\boxed{1}, so <answer> 2 </answer>"), marked(r"\boxed{1}, so <answer> 2"), marked(r"\boxed{1}")
    (['2'], ['2'], ['1'])
    """
    found = tagged(text, "answer")
    if not found and (content := left_open(text)) is not None:
        found = [content.strip()]
    return found or boxed(text)


def left_open(text: str) -> str | None:
    """Return the content of an unclosed ``<answer>``; None without one, or if another one is closed.

    >>> left_open("so <answer>12</ans"), left_open("in `<answer>` tags"), left_open("<answer>1</answer> <answer>2")
    ('12', None, None)
    """
    if "<answer>" not in text or "</answer>" in text:
        return None
    before, _, content = text.rpartition("<answer>")
    return None if before.endswith("`") else _CUT_TAG.sub("", content)


def _bare(message: str) -> Answer:
    text = message.strip()
    if text and text[0] in _DRESS:
        text = undressed(text)
    if len(text) <= _MAX_BARE_CHARS and "nswer" in text and (lead := _LEAD.match(text)) is not None:
        bold = text.startswith("**") and "**" not in text[2 : lead.end()]
        text = undressed(text[lead.end() :].removeprefix("**") if bold else text[lead.end() :])  # **Answer:** 12
    if text and "\n" not in text and len(text) <= _MAX_BARE_CHARS:
        return Answer(text)
    if not text:
        return Answer(None, "the message is empty; give the answer as <answer>...</answer>")
    return Answer(None, "no <answer>...</answer> found")


def undressed(text: str) -> str:
    r"""Strip what surrounds a text without being part of it: blanks, bold, code, ``$``, ``\text``, a box.

    >>> undressed("**12**"), undressed(r"$\boxed{x = 3}$"), undressed("**a** or **b**")
    ('12', 'x = 3', '**a** or **b**')
    """
    text = text.strip()
    for _ in range(4):
        if not text or text[0] not in _DRESS:
            break
        inside = _inside(text)
        if not inside:
            break
        text = inside
    return text


def _inside(text: str) -> str:
    """Return the content of one pair of marks around the text; "" if there is none."""
    if (match := _FENCE.fullmatch(text) or _STYLED.fullmatch(text)) is not None:
        return match[1].strip()
    if (box := _BOX.match(text)) is not None:
        return text[box.end() : -1].strip() if closing_brace(text, box.end()) == len(text) - 1 else ""
    for left, right in _PAIRS:
        if len(text) > len(left + right) and text.startswith(left) and text.endswith(right):
            inside = text[len(left) : -len(right)]
            return inside.strip() if left not in inside and right not in inside else ""
    return ""


def tagged(text: str, tag: str) -> list[str]:
    """Return the contents of all ``<tag>...</tag>``, stripped, in order; of repeated openings the last counts.

    >>> tagged("<a>1</a> <a> <a>2</a>", "a")
    ['1', '2']
    """
    opening, closing = f"<{tag}>", f"</{tag}>"
    found = []
    for part in text.split(closing)[:-1]:
        _, has, content = part.rpartition(opening)
        if has:
            found.append(content.strip())
    return found


def boxed(text: str) -> list[str]:
    r"""Return the contents of all ``\boxed{...}`` (or ``\fbox{...}``), braces matched, stripped, in order.

    >>> boxed(r"\boxed{a} and \boxed{x^{2}}")
    ['a', 'x^{2}']
    """
    found: list[str] = []
    position = 0
    while (start := _BOX.search(text, position)) is not None:
        end = closing_brace(text, start.end())
        if end < 0:
            break  # unclosed: nothing after it closes either
        found.append(text[start.end() : end].strip())
        position = end + 1
    return found


def closing_brace(text: str, start: int) -> int:
    """Return where the group whose content begins at ``start`` ends; -1 if it does not."""
    depth = 1
    for match in _BRACE.finditer(text, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return match.start()
    return -1
