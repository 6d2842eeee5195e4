"""The result of a verification."""

from typing import NamedTuple

__all__ = ["Verdict"]


class Verdict(NamedTuple):
    """What a verifier found.

    Attributes:
        correct: The answer is right.
        reason: Why not, in words an agent can use; empty when correct.
        score: Partial credit in [0, 1]; 1.0 exactly when correct.
        value: The answer as parsed, or None when it could not be read.
    """

    correct: bool
    reason: str = ""
    score: float = 0.0
    value: object = None

    @property
    def readable(self) -> bool:
        """Whether the answer could be parsed at all."""
        return self.value is not None


def right(value: object) -> Verdict:
    """The verdict on a right answer."""
    return Verdict(True, "", 1.0, value)


def wrong(reason: str, value: object = None, score: float = 0.0) -> Verdict:
    """The verdict on a wrong (``value`` given) or unreadable (None) answer."""
    return Verdict(False, reason, score, value)
