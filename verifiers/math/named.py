"""Golds in words: whether a message names one in its first or last sentence, and says no more than the question."""

from turnwise.verifiers.messages.base import STRONG
from turnwise.verifiers.messages.prepare import prepared
from turnwise.verifiers.messages.prose import plain
from turnwise.verifiers.messages.wording import END_OF_SENTENCE
from turnwise.verifiers.qa import verify_answer

__all__ = ["named"]

_MAX_CHARS = 4000
_MAX_OPENING = 60


def named(message: str, gold: str, question: str) -> bool:
    r"""Whether the last sentence of a message, or a short one that it opens with, names a gold as the answer.

    >>> named("Rice costs $3.70 there.\n\nShop B has the lowest price.", "Shop B", "Which shop has the lowest price?")
    True
    >>> named("Shop B or Shop C.", "Shop B", "Which shop has the lowest price?")
    False
    """
    text, problem = prepared(message)
    sentences = _sentences(text[-_MAX_CHARS:])
    asking = _sentences(question)
    if problem or not sentences or not asking or STRONG.search(text) is not None:
        return False
    ends = sentences[-1:]
    if len(sentences) > 1 and len(text) <= _MAX_CHARS and len(sentences[0]) <= _MAX_OPENING:
        ends.append(sentences[0])
    return any(plain(one) and verify_answer(one, gold, f"{asking[-1]}?").correct for one in ends)


def _sentences(text: str) -> list[str]:
    return [part.strip(" *") for part in END_OF_SENTENCE.split(text.strip()) if part and part.strip(" *")]
