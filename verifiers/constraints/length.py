"""Constraints on length: words, sentences, paragraphs, lines, characters.

Source: the length constraints of IFEval (arXiv 2311.07911) and of the framework of arXiv 2505.07591.
"""

from collections.abc import Sequence
from typing import ClassVar

from turnwise.verifiers.constraints.base import Facts, Range
from turnwise.verifiers.constraints.plan import Plan
from turnwise.verifiers.constraints.units import Reading

__all__ = ["Characters", "Lines", "ParagraphSentences", "Paragraphs", "SentenceWords", "Sentences", "Words"]


class _Length(Range):
    """A number of units of the whole text."""

    unit: ClassVar[str] = ""
    dimension = "length"

    def count(self, reading: Reading) -> int:
        return len(getattr(reading, self.unit))

    def wordings(self) -> Sequence[str]:
        return (
            f"The text must have {self.amount}.",
            f"Write {self.amount}.",
            f"Keep the length to {self.amount}." if self.high is not None else f"Use {self.amount}.",
        )

    def facts(self) -> Facts:
        return Facts({self.unit: (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.narrow(self.unit, self.low, self.high)


class Words(_Length):
    """The number of words.

    >>> Words(high=3).check("one two three four").reason
    'at most 3 words asked for, 4 counted'
    """

    name = "words"
    unit = "words"
    noun = "word(s)"


class Sentences(_Length):
    """The number of sentences."""

    name = "sentences"
    unit = "sentences"
    noun = "sentence(s)"


class Paragraphs(_Length):
    """The number of paragraphs, which blank lines separate."""

    name = "paragraphs"
    unit = "paragraphs"
    noun = "paragraph(s)"


class Lines(_Length):
    """The number of lines that are not blank."""

    name = "lines"
    unit = "lines"
    noun = "line(s)"
    smallest = 1


class Characters(_Length):
    """The number of characters, white space inside the text included."""

    name = "characters"
    unit = "characters"
    noun = "character(s), spaces included"
    smallest = 1

    def count(self, reading: Reading) -> int:
        return len(reading.text)


class _Each(Range):
    """A number that each of several units must have."""

    dimension = "length"
    effort = 2
    whole: ClassVar[str] = ""

    def counts(self, reading: Reading) -> list[int]:
        """Return the number that each unit has."""
        raise NotImplementedError

    def problem(self, reading: Reading) -> str:
        counts = self.counts(reading)
        for number, count in enumerate(counts, 1):
            if count < self.low or (self.high is not None and count > self.high):
                return f"{self.amount} in every {self.whole} asked for, {count} counted in {self.whole} {number}"
        return "" if counts else f"there is no {self.whole}"

    def wordings(self) -> Sequence[str]:
        return (
            f"Every {self.whole} must have {self.amount}.",
            f"Each {self.whole} has to consist of {self.amount}.",
            f"Write {self.amount} in each {self.whole}.",
        )


class SentenceWords(_Each):
    """The number of words of every sentence."""

    name = "sentence_words"
    noun = "word(s)"
    whole = "sentence"
    smallest = 1

    def counts(self, reading: Reading) -> list[int]:
        return list(map(len, reading.sentence_words))

    def facts(self) -> Facts:
        return Facts({"words": (max(1, self.low), None), "sentences": (1, None), self.name: (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.narrow("sentence_words", self.low, self.high)


class ParagraphSentences(_Each):
    """The number of sentences of every paragraph."""

    name = "paragraph_sentences"
    noun = "sentence(s)"
    whole = "paragraph"
    smallest = 1

    def counts(self, reading: Reading) -> list[int]:
        return [len(Reading(paragraph).sentences) for paragraph in reading.paragraphs]

    def facts(self) -> Facts:
        return Facts({"sentences": (max(1, self.low), None), "paragraphs": (1, None), self.name: (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.narrow("paragraph_sentences", self.low, self.high)
