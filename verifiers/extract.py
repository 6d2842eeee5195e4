r"""Find the answer that a message commits to.

The rule, the same everywhere: what stands before the last ``</think>`` is not read. The answer is the content of
``<answer>...</answer>``, or else of ``\boxed{...}``, or else the whole message where it is one short line. Where
several are given they must say the same: a message that offers different answers has none, so hedging never pays.
"""

import re
from typing import NamedTuple

__all__ = ["Answer", "boxed", "final_answer", "tagged"]

_MAX_BARE_CHARS = 200
_BOX = re.compile(r"\\(?:boxed|fbox)\{")
_ONLY_BOX = re.compile(r"[^\\]*\\boxed\{([^{}\\]*)\}[^\\]*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)  # an escaped brace is no brace


class Answer(NamedTuple):
    """The answer's text, or None with the problem in words."""

    text: str | None
    problem: str = ""


def final_answer(message: str) -> Answer:
    r"""The one answer of a message.

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
        if only is not None and only[1] and not only[1].isspace():
            return Answer(only[1].strip())
    _, closed, rest = message.rpartition("</think>")
    if not closed and "<think>" in message:
        return Answer(None, "the message ends inside <think>; close it and give the answer")
    candidates = tagged(rest, "answer") or boxed(rest)
    if not candidates:
        return _bare(rest)
    first = candidates[0]
    if any(" ".join(other.split()) != " ".join(first.split()) for other in candidates[1:]):
        return Answer(None, "the message gives different answers; give exactly one")
    if not first:
        return Answer(None, "the answer is empty")
    return Answer(first)


def _bare(message: str) -> Answer:
    text = message.strip()
    if text and "\n" not in text and len(text) <= _MAX_BARE_CHARS:
        return Answer(text)
    if not text:
        return Answer(None, "the message is empty; give the answer as <answer>...</answer>")
    return Answer(None, "no <answer>...</answer> found")


def tagged(text: str, tag: str) -> list[str]:
    """The contents of all ``<tag>...</tag>``, stripped, in order; of repeated openings the last counts.

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
    r"""The contents of all ``\boxed{...}`` (or ``\fbox{...}``), braces matched, stripped, in order.

    >>> boxed(r"\boxed{a} and \boxed{x^{2}}")
    ['a', 'x^{2}']
    """
    found: list[str] = []
    position = 0
    while (start := _BOX.search(text, position)) is not None:
        end = _closing_brace(text, start.end())
        if end < 0:
            break  # unclosed: nothing after it closes either
        found.append(text[start.end() : end].strip())
        position = end + 1
    return found


def _closing_brace(text: str, start: int) -> int:
    depth = 1
    for match in _BRACE.finditer(text, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return match.start()
    return -1
