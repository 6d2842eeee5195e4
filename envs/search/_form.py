"""The form of an agent's messages, as judged by published rewards: order of tags, stray text, thoughts."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Form", "structured"]

_QUERIES = (("<|begin_of_query|>", "<search>"), ("<|end_of_query|>", "</search>"))
_SHAPE = re.compile(r"<think>\.?</think>(?:<(?!think|information)(\w+)>\.?</\1>|<(?!think|information|answer)\w+/>)")
_BRACKETED = re.compile(r"[(\[](?:think|search|answer)|(?:think|search|answer)[)\]]")


@dataclass
class Form:
    """The form of an episode's messages so far.

    Attributes:
        structured: Whether each was a thought and one call or answer, and nothing else (`structured`).
        thought: Whether one had ``<think>`` and one ``</think>``.
        bracketed: Whether one wrote a tag's name next to a parenthesis or bracket, as in ``(search)``.
        ended: Whether the last one ended with ``</answer>``.
    """

    structured: bool = True
    opened: bool = False
    closed: bool = False
    bracketed: bool = False
    ended: bool = False

    @property
    def thought(self) -> bool:
        return self.opened and self.closed

    def read(self, action: str, calls: Collection[str]) -> None:
        """Process a message; ``calls`` are the names of the tools."""
        self.structured = self.structured and structured(action, calls)
        self.opened = self.opened or "<think>" in action
        self.closed = self.closed or "</think>" in action
        self.bracketed = self.bracketed or _BRACKETED.search(action) is not None
        self.ended = "<answer>" in action and action.rstrip().endswith("</answer>")


def structured(action: str, calls: Collection[str] = ("search",)) -> bool:
    """Return whether a message is ``<think>...</think>``, then one call or ``<answer>...</answer>``, and nothing else.

    They may contain none of these tags; blanks are allowed between them.

    Source: the state machine of Search-R1 (arXiv 2505.15117; ``verl/utils/reward_score/qa_em_format.py``), of which an
        episode is valid if every message has this form and the last one is an answer; here retrieved texts come between
        messages.

    >>> structured("<think>hm</think><search>x</search>"), structured("So: <search>x</search>")
    (True, False)
    """
    for theirs, ours in _QUERIES:
        action = action.replace(theirs, ours)
    tag = _tag(tuple(calls))
    parts = [part for part in tag.split(action) if part.strip()]
    if len(parts) > 6:
        return False
    shape = "".join("".join(part.split()) if tag.fullmatch(part) else "." for part in parts)
    return _SHAPE.fullmatch(shape) is not None


@lru_cache(64)
def _tag(calls: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, dict.fromkeys(("think", "information", "answer", "search", "tool_call", *calls))))
    return re.compile(rf"(</?(?:{names})>|<(?:{names})\s*/>)")
