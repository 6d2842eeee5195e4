"""Constraints on the structure of a text and its punctuation.

Source: combinations, separators and punctuation of IFEval (arXiv 2311.07911); the others are forms of word play.
"""

import itertools
from collections.abc import Sequence

from turnwise.verifiers.constraints.base import Constraint, Facts, Range, amount
from turnwise.verifiers.constraints.content import literal_bounds
from turnwise.verifiers.constraints.plan import Interval, Plan
from turnwise.verifiers.constraints.units import Reading, words_of

__all__ = [
    "EndsWithMark", "IncreasingSentences", "MarkCount", "PalindromeLine", "QuestionFirst", "RepeatFirst", "Responses",
    "Separators", "SortedLines",
]  # fmt: skip

MARK_NAMES = {
    ",": "comma(s)", "!": "exclamation mark(s)", "?": "question mark(s)", ";": "semicolon(s)", ":": "colon(s)",
}  # fmt: skip
_CLOSERS = "\"'”’»)]*_"


class MarkCount(Range):
    """The number of occurrences of a punctuation mark: ``,``, ``!``, ``?``, ``;`` or ``:``."""

    name = "mark_count"
    dimension = "content"
    mark: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mark not in MARK_NAMES:
            self.refuse("mark", f"one of {' '.join(MARK_NAMES)}")

    @property
    def amount(self) -> str:
        return amount(self.low, self.high, MARK_NAMES[self.mark])

    def count(self, reading: Reading) -> int:
        return reading.text.count(self.mark)

    def wordings(self) -> Sequence[str]:
        if self.high == 0:
            many = MARK_NAMES[self.mark].replace("(s)", "s")
            return (f"Use no {many}.", f"The text must not contain any {many}.", f"Write without {many}.")
        return (
            f"Use {self.amount}.",
            f"The text must contain {self.amount}.",
            f"There have to be {self.amount} in the text.",
        )

    def facts(self) -> Facts:
        return Facts({f"mark:{self.mark}": (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.narrow_mark(self.mark, self.low, self.high)


class EndsWithMark(Constraint):
    """The last character is a mark."""

    name = "ends_with_mark"
    dimension = "content"
    mark: str

    def __post_init__(self) -> None:
        if self.mark not in ("!", "?", "…"):
            self.refuse("mark", "one of ! ? …")

    def problem(self, reading: Reading) -> str:
        last = reading.text[-1:]
        return "" if last == self.mark else f'the last character is "{last}", not "{self.mark}"'

    def wordings(self) -> Sequence[str]:
        return (
            f'The last character of the text must be "{self.mark}".',
            f'End the text with "{self.mark}" and nothing after it.',
            f'Let the text end with the character "{self.mark}".',
        )

    def facts(self) -> Facts:
        return Facts({f"mark:{self.mark}": (1, None)}, suffix=self.mark)

    def demand(self, plan: Plan) -> None:
        plan.claim("last_mark", self.mark)


class QuestionFirst(Constraint):
    """The first sentence ends with a question mark."""

    name = "question_first"
    dimension = "content"

    def problem(self, reading: Reading) -> str:
        first = reading.sentences[0] if reading.sentences else ""
        ok = first.rstrip(_CLOSERS).endswith(("?", "？"))
        return "" if ok else "the first sentence does not end with a question mark"

    def wordings(self) -> Sequence[str]:
        return (
            "The first sentence must be a question, with a question mark.",
            "Begin with a question: the first sentence ends with a question mark.",
            "Open the text with a sentence that ends with a question mark.",
        )

    def facts(self) -> Facts:
        return Facts({"sentences": (1, None)})

    def demand(self, plan: Plan) -> None:
        plan.claim("question_first", True)


class _Parts(Range):
    """The number of parts into which lines of three asterisks separate the text."""

    low: int = 2
    high: int | None = None
    noun = "part(s)"
    smallest = 1

    def parts(self, reading: Reading) -> list[list[str]]:
        """Return the words of each part."""
        found: list[list[str]] = [[]]
        for raw in reading.plain.split("\n"):
            if raw.strip() == "***":
                found.append([])
            else:
                found[-1] += words_of(raw)
        return found

    def count(self, reading: Reading) -> int:
        return len(self.parts(reading))

    def problem(self, reading: Reading) -> str:
        parts = self.parts(reading)
        empty = next((number for number, words in enumerate(parts, 1) if not words), 0)
        return f"part {empty} is empty" if empty else super().problem(reading)

    def facts(self) -> Facts:
        bounds: dict[str, Interval] = {"words": (self.low, None), "lines": (2 * self.low - 1, None)}
        if self.low > 1:
            bounds |= {"mark:*": (3 * self.low - 3, None), "markdown": (1, None)}
        return Facts({**bounds, "parts": (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.claim("parts", self.low)


class Separators(_Parts):
    """Lines of three asterisks separate the text into parts, none of them without words."""

    name = "separators"
    dimension = "format"

    def wordings(self) -> Sequence[str]:
        return (
            f"Separate the text into {self.amount} by lines that hold just ***.",
            f"The text must have {self.amount}, with a line of three asterisks (***) between them.",
            f"Write {self.amount}; between two parts stands a line with nothing but ***.",
        )


class Responses(_Parts):
    """Several texts that differ, separated by lines of three asterisks."""

    name = "responses"
    dimension = "format"
    effort = 2
    noun = "different text(s)"
    high: int | None = 2

    def problem(self, reading: Reading) -> str:
        texts = {" ".join(words).casefold() for words in self.parts(reading)}
        if len(texts) < self.count(reading):
            return "two of the texts are the same"
        return super().problem(reading)

    def wordings(self) -> Sequence[str]:
        return (
            f"Write {self.amount} on the subject, separated by a line that holds just ***.",
            f"Give {self.amount}, with a line of three asterisks (***) between them.",
            f"The answer must consist of {self.amount}; a line with nothing but *** stands between two of them.",
        )


class RepeatFirst(Constraint):
    """The text begins with a given request, repeated word for word, and goes on after it."""

    name = "repeat_first"
    dimension = "content"
    request: str

    def __post_init__(self) -> None:
        if not words_of(self.request) or self.request != " ".join(self.request.split()) or len(self.request) > 2000:
            self.refuse("request", "a single line of at most 2000 characters")

    def problem(self, reading: Reading) -> str:
        n = len(self.request)
        if not reading.text.startswith(self.request):
            return "the text does not begin with the request, word for word"
        after = reading.text[n:]
        return "" if words_of(after) and not after[:1].isalnum() else "nothing follows the request"

    def wordings(self) -> Sequence[str]:
        return (
            f'First repeat this request word for word, then go on: "{self.request}"',
            f'Begin by repeating exactly "{self.request}" and then write the text.',
            f'Before anything else, copy this sentence without change: "{self.request}" The text follows after it.',
        )

    def facts(self) -> Facts:
        return Facts(literal_bounds(self.request), prefix=self.request)

    def demand(self, plan: Plan) -> None:
        plan.claim("prefix", self.request)


class SortedLines(Constraint):
    """The first words of the lines are in alphabetical order, ignoring case; there are enough lines.

    The order is that of code points, so it is meant for English; equal words may be adjacent.
    """

    name = "sorted_lines"
    dimension = "format"
    effort = 3
    low: int = 3

    def __post_init__(self) -> None:
        if not 2 <= self.low <= 50:
            self.refuse("low", "from 2 to 50")

    def problem(self, reading: Reading) -> str:
        found = [words_of(line[:200]) for line in Reading(reading.plain).lines]
        firsts = [words[0].casefold() for words in found if words]
        if len(firsts) < self.low:
            return f"at least {self.low} lines asked for, {len(firsts)} counted"
        pair = next(((a, b) for a, b in itertools.pairwise(firsts) if a > b), None)
        return f'"{pair[1][:40]}" comes after "{pair[0][:40]}"' if pair else ""

    def wordings(self) -> Sequence[str]:
        return (
            f"Write at least {self.low} lines, and let their first words be in alphabetical order from top to bottom.",
            f"The lines (at least {self.low}) must be sorted alphabetically by their first words.",
            f"Use {self.low} or more lines; the first word of each comes after that of the line before in the alphabet "
            "or is the same.",
        )

    def facts(self) -> Facts:
        return Facts({"lines": (self.low, None), "words": (self.low, None)})

    def demand(self, plan: Plan) -> None:
        plan.claim("sorted_lines", True)
        plan.narrow("lines", self.low, None)


class IncreasingSentences(Constraint):
    """Each sentence has more words than the one before; there are enough sentences."""

    name = "increasing_sentences"
    dimension = "length"
    effort = 3
    low: int = 3

    def __post_init__(self) -> None:
        if not 2 <= self.low <= 30:
            self.refuse("low", "from 2 to 30")

    def problem(self, reading: Reading) -> str:
        counts = list(map(len, reading.sentence_words))
        if len(counts) < self.low:
            return f"at least {self.low} sentences asked for, {len(counts)} counted"
        for number, (a, b) in enumerate(itertools.pairwise(counts), 2):
            if b <= a:
                return f"sentence {number} has {b} words, the one before has {a}"
        return ""

    def wordings(self) -> Sequence[str]:
        return (
            f"Write at least {self.low} sentences, each with more words than the one before.",
            f"Every sentence must be longer (in words) than the one before it; write at least {self.low}.",
            f"Let the number of words grow from sentence to sentence, without exception, over {self.low} or more.",
        )

    def facts(self) -> Facts:
        return Facts({"sentences": (self.low, None), "words": (self.low * (self.low + 1) // 2, None)})

    def demand(self, plan: Plan) -> None:
        plan.claim("increasing", True)
        plan.narrow("sentences", self.low, None)


class PalindromeLine(Constraint):
    """A line reads the same backwards, counting only letters and digits, and has enough different ones.

    Attributes:
        low: The fewest letters and digits of the line.
    """

    name = "palindrome_line"
    dimension = "format"
    effort = 3
    low: int = 7

    def __post_init__(self) -> None:
        if not 3 <= self.low <= 21:
            self.refuse("low", "from 3 to 21")

    def problem(self, reading: Reading) -> str:
        for line in reading.lines:
            core = [c for c in line.casefold() if c.isalnum()]
            if len(core) >= self.low and core == core[::-1] and len(set(core)) > 2:
                return ""
        return f"no line of at least {self.low} letters reads the same backwards"

    def wordings(self) -> Sequence[str]:
        rule = f"at least {self.low} letters, three of them different; spaces, punctuation and case do not count"
        return (
            f"One line must be a palindrome ({rule}).",
            f"Include a line that reads the same backwards ({rule}).",
            f"Put a palindrome on a line of its own ({rule}).",
        )

    def facts(self) -> Facts:
        return Facts({"characters": (self.low, None)})

    def demand(self, plan: Plan) -> None:
        plan.blocks.append(next(p for p in PALINDROMES if sum(map(str.isalpha, p)) >= self.low))


PALINDROMES = ("Was it a car or a cat I saw?", "A man, a plan, a canal: Panama!")  # traditional sentences
