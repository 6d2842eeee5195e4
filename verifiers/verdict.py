"""The result of a verification."""

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Verdict", "right", "undecided", "wrong"]


class Verdict(NamedTuple):
    """The result of a verifier.

    Attributes:
        correct: Whether the answer is right.
        reason: Why not, in words an agent can use; empty when correct.
        score: Partial credit in [0, 1]; 1.0 exactly when correct.
        value: The answer as parsed, or None when it could not be read.
        parts: Named components of the score, for metrics; None if there are none.
        undecided: Whether the answer could not be judged within the bounds (time, size): no reward, but not proven
            wrong.
    """

    correct: bool
    reason: str = ""
    score: float = 0.0
    value: object = None
    parts: Mapping[str, float] | None = None
    undecided: bool = False

    @property
    def readable(self) -> bool:
        """Whether the answer could be parsed at all."""
        return self.value is not None


def right(value: object, parts: Mapping[str, float] | None = None) -> Verdict:
    """Return the verdict on a right answer."""
    return Verdict(True, "", 1.0, value, parts)


def wrong(reason: str, value: object = None, score: float = 0.0, parts: Mapping[str, float] | None = None) -> Verdict:
    """Return the verdict on a wrong (``value`` given) or unreadable (None) answer."""
    return Verdict(False, reason, score, value, parts)


def undecided(reason: str, value: object = None) -> Verdict:
    """Return the verdict on an answer that could not be judged within the bounds."""
    return Verdict(False, reason, 0.0, value, None, True)
