"""The plan of a text that satisfies constraints: what each kind demands of the writer in `witness`."""

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Impossible", "Interval", "Plan", "meet"]

Interval = tuple[int, int | None]
"""The smallest and the largest number allowed; None if there is no largest."""


class Impossible(Exception):
    """The demands on a text contradict each other, or exceed what the writer can do."""


def meet(a: Interval, b: Interval) -> Interval:
    """Intersect two intervals; the low end is above the high end if the intersection is empty.

    >>> meet((2, None), (0, 5))
    (2, 5)
    """
    low = max(a[0], b[0])
    return low, a[1] if b[1] is None else b[1] if a[1] is None else min(a[1], b[1])


@dataclass
class Plan:
    """Demands on a text, gathered from constraints.

    Attributes:
        counts: Interval of each counted unit: words, sentences, paragraphs, lines, characters, and per sentence or
            paragraph: sentence_words, paragraph_sentences.
        need: Tokens that must occur in the running text. In one, ``{}`` is replaced by a word of the writer's, ``{^}``
            by one in capitals, ``{*}`` by as many as a sentence must have.
        avoid: Words (case-folded) that must not be used beyond `need`.
        letters: Interval of each letter that is counted.
        marks: Interval of each punctuation mark that is counted.
        placed: Words by the number of the sentence (from 1) that must contain them.
        head: Whole lines at the beginning.
        tail: Marks, each of a last paragraph of one sentence.
        prefix, suffix: How the text begins and ends, to the character.
        first_word, last_word: How the text begins and ends.
        last_mark: The mark that ends the text.
        case: lower, upper, title, or nothing.
        sentence_initial, word_initial: The letter that every sentence, or word, begins with.
        acrostic: The letters that the lines begin with.
        sorted_lines: The lines are in alphabetical order.
        increasing: Each sentence has more words than the one before.
        question_first: The first sentence is a question.
        lists: Lines of each list, and whether it is numbered.
        blocks: Paragraphs that stand as they are (tables, code) with ``{}`` for words of the writer's.
        sections: Headings, each with a paragraph after it.
        parts: How many parts lines of ``***`` separate the text into.
        wrap: What stands around the whole text.
        keys: Keys of the JSON object that is the whole text.
        lexicon: The language or script of the running text.
    """

    counts: dict[str, Interval] = field(default_factory=dict)
    need: list[str] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    letters: dict[str, Interval] = field(default_factory=dict)
    marks: dict[str, Interval] = field(default_factory=dict)
    placed: dict[int, str] = field(default_factory=dict)
    head: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    prefix: str = ""
    suffix: str = ""
    first_word: str = ""
    last_word: str = ""
    last_mark: str = ""
    case: str = ""
    sentence_initial: str = ""
    word_initial: str = ""
    acrostic: str = ""
    sorted_lines: bool = False
    increasing: bool = False
    question_first: bool = False
    lists: list[tuple[int, bool]] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    sections: Sequence[str] = ()
    parts: int = 1
    wrap: tuple[str, str] = ("", "")
    keys: Sequence[str] = ()
    lexicon: str = "en"

    def narrow(self, unit: str, low: int, high: int | None) -> None:
        """Demand a number of units within an interval, in addition to earlier demands."""
        self._narrow(self.counts, unit, (low, high))

    def narrow_letter(self, letter: str, low: int, high: int | None) -> None:
        """Demand that a letter occurs a number of times."""
        self._narrow(self.letters, letter, (low, high))

    def narrow_mark(self, mark: str, low: int, high: int | None) -> None:
        """Demand that a punctuation mark occurs a number of times."""
        self._narrow(self.marks, mark, (low, high))

    def claim(self, name: str, value: object) -> None:
        """Set a field, to which no other constraint may have given another value.

        Raises:
            Impossible: One has done so.
        """
        if getattr(self, name) not in (value, type(self)().__dict__[name]):
            raise Impossible(f"two constraints decide {name}")
        setattr(self, name, value)

    @staticmethod
    def _narrow(table: dict[str, Interval], key: str, interval: Interval) -> None:
        low, high = table[key] = meet(table.get(key, (0, None)), interval)
        if high is not None and low > high:
            raise Impossible(f"no number of {key} is left")
