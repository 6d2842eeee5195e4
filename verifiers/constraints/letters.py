"""Constraints on letters and case: how often a letter occurs, what sentences and lines begin with, capitals.

Source: letter and case constraints of IFEval (arXiv 2311.07911); lipogram and acrostic are old literary forms.
"""

from collections.abc import Sequence
from typing import ClassVar

from turnwise.verifiers.constraints.base import Constraint, Facts, Range, listed
from turnwise.verifiers.constraints.plan import Plan
from turnwise.verifiers.constraints.units import Reading, words_of

__all__ = [
    "Acrostic", "AllLower", "AllUpper", "CapitalWords", "LetterCount", "Lipogram", "SentenceInitials", "TitleCase",
    "WordInitials",
]  # fmt: skip


def _one_letter(constraint: Constraint, letter: str) -> None:
    if len(letter) != 1 or not letter.isalpha() or letter != letter.casefold():
        constraint.refuse("letter", "one letter, in lower case")


class LetterCount(Range):
    """How often a letter occurs, ignoring case."""

    name = "letter_count"
    dimension = "language"
    effort = 3
    noun = "time(s)"
    letter: str

    def __post_init__(self) -> None:
        super().__post_init__()
        _one_letter(self, self.letter)

    def count(self, reading: Reading) -> int:
        return reading.letters[self.letter]

    def problem(self, reading: Reading) -> str:
        found = super().problem(reading)
        return found and f'the letter "{self.letter}": {found}'

    def wordings(self) -> Sequence[str]:
        times = self.amount if self.high != 0 else "never"
        return (
            f'The letter "{self.letter}" must occur {times} in the text, in upper or lower case.',
            f'Use the letter "{self.letter}" {times} in all (small and capital together).',
            f'Let the letter "{self.letter}" appear {times}, in either case.',
        )

    def facts(self) -> Facts:
        return Facts({f"letter:{self.letter}": (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.narrow_letter(self.letter, self.low, self.high)


class Lipogram(Constraint):
    """A letter never occurs, in upper or lower case."""

    name = "lipogram"
    dimension = "language"
    effort = 3
    letter: str

    def __post_init__(self) -> None:
        _one_letter(self, self.letter)

    def problem(self, reading: Reading) -> str:
        number = reading.letters[self.letter]
        if not number:
            return ""
        word = next((w for w in reading.words if self.letter in w.casefold()), "")
        return f'the letter "{self.letter}" occurs {number} times, as in "{word[:40]}"'

    def wordings(self) -> Sequence[str]:
        return (
            f'Never use the letter "{self.letter}", in upper or lower case.',
            f'Write a lipogram: the letter "{self.letter}" must not occur anywhere.',
            f'No word may contain the letter "{self.letter}".',
        )

    def facts(self) -> Facts:
        return Facts({f"letter:{self.letter}": (0, 0)})

    def demand(self, plan: Plan) -> None:
        plan.narrow_letter(self.letter, 0, 0)


class _Initials(Constraint):
    """All units of one sort begin with the same letter."""

    dimension = "language"
    letter: str
    whole: ClassVar[str]

    def __post_init__(self) -> None:
        _one_letter(self, self.letter)

    def firsts(self, reading: Reading) -> list[str]:
        """Return the first word of each unit."""
        raise NotImplementedError

    def problem(self, reading: Reading) -> str:
        firsts = self.firsts(reading)
        for number, word in enumerate(firsts, 1):
            if not word.casefold().startswith(self.letter):
                return f'{self.whole} {number} begins with "{word[:40]}", not with the letter "{self.letter}"'
        return "" if firsts else f"there is no {self.whole}"

    def wordings(self) -> Sequence[str]:
        return (
            f'Every {self.whole} must begin with the letter "{self.letter}".',
            f'Begin each {self.whole} with the letter "{self.letter}", in upper or lower case.',
            f'The first letter of every single {self.whole} has to be "{self.letter}".',
        )

    def facts(self) -> Facts:
        return Facts({f"letter:{self.letter}": (1, None), "words": (1, None)})


class SentenceInitials(_Initials):
    """The first word of every sentence begins with a letter."""

    name = "sentence_initials"
    effort = 2
    whole = "sentence"

    def firsts(self, reading: Reading) -> list[str]:
        return [words[0] for words in reading.sentence_words]

    def demand(self, plan: Plan) -> None:
        plan.claim("sentence_initial", self.letter)


class WordInitials(_Initials):
    """Every word begins with a letter."""

    name = "word_initials"
    effort = 3
    whole = "word"

    def firsts(self, reading: Reading) -> list[str]:
        return reading.words

    def demand(self, plan: Plan) -> None:
        plan.claim("word_initial", self.letter)


class Acrostic(Constraint):
    """The first letters of the lines, without blank lines, spell a word."""

    name = "acrostic"
    dimension = "language"
    effort = 3
    word: str

    def __post_init__(self) -> None:
        if not 2 <= len(self.word) <= 20 or not (self.word.isalpha() and self.word == self.word.casefold()):
            self.refuse("word", "2 to 20 letters, in lower case")

    def problem(self, reading: Reading) -> str:
        firsts = [words_of(line[:200]) for line in Reading(reading.plain).lines]
        spelt = "".join(words[0][0].casefold() if words else "-" for words in firsts)
        return "" if spelt == self.word else f'the first letters of the lines spell "{spelt[:40]}"'

    def wordings(self) -> Sequence[str]:
        n = len(self.word)
        return (
            f'Write exactly {n} lines whose first letters, read downwards, spell "{self.word}".',
            f'The text must be an acrostic of {n} lines: their first letters spell "{self.word}".',
            f'Make an acrostic of the word "{self.word}": {n} lines, one for each letter, and no other line.',
        )

    def facts(self) -> Facts:
        n = len(self.word)
        letters = {f"letter:{c}": (self.word.count(c), None) for c in self.word}
        return Facts({"lines": (n, n), "words": (n, None), **letters})

    def demand(self, plan: Plan) -> None:
        plan.claim("acrostic", self.word)
        plan.narrow("lines", len(self.word), len(self.word))


class AllLower(Constraint):
    """No capital letter; at least one small one."""

    name = "all_lower"
    dimension = "language"

    def problem(self, reading: Reading) -> str:
        if reading.upper:
            word = next((w for w in reading.words if w != w.lower()), "")
            return f'{reading.upper} capital letters occur, as in "{word[:40]}"'
        return "" if reading.lower else "there are no small letters"

    def wordings(self) -> Sequence[str]:
        return (
            "Write the whole text in small letters; use no capitals.",
            "The text must be all lowercase.",
            "Use lowercase letters only, at the beginning of sentences too.",
        )

    def facts(self) -> Facts:
        return Facts({"upper": (0, 0), "lower": (1, None)})

    def demand(self, plan: Plan) -> None:
        plan.claim("case", "lower")


class AllUpper(Constraint):
    """No small letter; at least one capital."""

    name = "all_upper"
    dimension = "language"

    def problem(self, reading: Reading) -> str:
        if reading.lower:
            word = next((w for w in reading.words if w != w.upper()), "")
            return f'{reading.lower} small letters occur, as in "{word[:40]}"'
        return "" if reading.upper else "there are no capital letters"

    def wordings(self) -> Sequence[str]:
        return (
            "Write the whole text in capital letters.",
            "The text must be all uppercase; use no small letters.",
            "USE CAPITALS ONLY, for every letter of the text.",
        )

    def facts(self) -> Facts:
        return Facts({"lower": (0, 0), "upper": (1, None)})

    def demand(self, plan: Plan) -> None:
        plan.claim("case", "upper")


class TitleCase(Constraint):
    """Every word that begins with a letter begins with a capital; there is one such word at least."""

    name = "title_case"
    dimension = "language"
    effort = 2

    def problem(self, reading: Reading) -> str:
        small = next((w for w in reading.words if w[0].islower()), "")
        if small:
            return f'the word "{small[:40]}" begins with a small letter'
        return "" if any(w[0].isupper() for w in reading.words) else "no word begins with a capital letter"

    def wordings(self) -> Sequence[str]:
        return (
            "Begin every word with a capital letter.",
            "Every Single Word Must Begin With A Capital Letter, small words included.",
            "Capitalise the first letter of each word, without exception.",
        )

    def facts(self) -> Facts:
        return Facts({"upper": (1, None)})

    def demand(self, plan: Plan) -> None:
        plan.claim("case", "title")


class CapitalWords(Range):
    """The number of words in all capitals, with at least two letters."""

    name = "capital_words"
    dimension = "language"
    noun = "word(s) in all capitals, of two letters at least"

    def count(self, reading: Reading) -> int:
        return reading.capital_words

    def wordings(self) -> Sequence[str]:
        return (
            f"The text must have {self.amount}.",
            f"Use {self.amount}.",
            f"Write {self.amount}, such as {listed(['NOW'])}.",
        )

    def facts(self) -> Facts:
        return Facts({"upper": (2 * self.low, None), "words": (self.low, None), self.name: (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.need += ["{^}"] * self.low
