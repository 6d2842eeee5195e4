"""Constraints on content: words that must or must not occur, beginnings and ends, numbers.

Source: keywords and start/end constraints of IFEval (arXiv 2311.07911), content constraints of arXiv 2505.07591.
"""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from turnwise.verifiers.constraints.base import Constraint, Facts, Range, amount, listed
from turnwise.verifiers.constraints.plan import Interval, Plan
from turnwise.verifiers.constraints.units import Reading, words_of

__all__ = [
    "EndPhrase", "EvenNumbers", "Exclude", "FirstWord", "Include", "LastWord", "NoDigits", "Numbers", "Placeholders",
    "Postscript", "SentenceHasWord", "StartPhrase", "WordCount", "literal_bounds",
]  # fmt: skip

FORM = "in exactly this form (upper or lower case)"


def literal_bounds(text: str) -> dict[str, Interval]:
    """Return the minimum counts of any text that contains this one.

    >>> literal_bounds("No, no")["mark:,"], literal_bounds("No, no")["upper"]
    ((1, None), (1, None))
    """
    found: Counter[str] = Counter()
    for c in text:
        if c.isalpha():
            for folded in c.casefold():
                found[f"letter:{folded}"] += 1
            found["upper"] += c.isupper()
            found["lower"] += c.islower()
        elif c.isdigit():
            found["digits"] += 1
        elif not c.isspace():
            found[f"mark:{c}"] += 1
    found["characters"] = len(text.strip())
    return {measure: (number, None) for measure, number in found.items() if number}


def _one_word(constraint: Constraint, parameter: str, word: str) -> None:
    if words_of(word) != [word] or len(word) > 40:
        constraint.refuse(parameter, "one word of at most 40 characters")


class _Words(Constraint):
    """Words that must, or must not, occur."""

    dimension = "content"
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.words or len(set(map(str.casefold, self.words))) < len(self.words):
            self.refuse("words", "different words, one at least")
        for word in self.words:
            if words_of(word) != [word] or len(word) > 40:
                self.refuse("words", "single words of at most 40 characters")


class Include(_Words):
    """All of some words occur, as whole words, ignoring case.

    >>> Include(words=("river", "bridge")).check("Rivers and a bridge.").reason
    'the word "river" does not occur'
    """

    name = "include"

    def problem(self, reading: Reading) -> str:
        missing = [word for word in self.words if not reading.word_counts[word.casefold()]]
        return f"the word {listed(missing[:1])} does not occur" if missing else ""

    def wordings(self) -> Sequence[str]:
        words = listed(self.words)
        many = len(self.words) > 1
        return (
            f"Use the word{'s' if many else ''} {words}, {FORM}.",
            f"The text must contain {'all of the words' if many else 'the word'} {words}, {FORM}.",
            f"Include the keyword{'s' if many else ''} {words}, {FORM}.",
        )

    def facts(self) -> Facts:
        return Facts({f"word:{word.casefold()}": (1, None) for word in self.words})

    def demand(self, plan: Plan) -> None:
        plan.need += [word for word in self.words if word not in plan.need]


class Exclude(_Words):
    """None of some words occurs, as a whole word, ignoring case."""

    name = "exclude"

    def problem(self, reading: Reading) -> str:
        found = [word for word in self.words if reading.word_counts[word.casefold()]]
        return f"the word {listed(found[:1])} occurs" if found else ""

    def wordings(self) -> Sequence[str]:
        words = listed(self.words, "or")
        return (
            f"Do not use the word{'s' if len(self.words) > 1 else ''} {words}, {FORM}.",
            f"The text must not contain the word{'s' if len(self.words) > 1 else ''} {words}, {FORM}.",
            f"Avoid the word{'s' if len(self.words) > 1 else ''} {words}, {FORM}.",
        )

    def facts(self) -> Facts:
        return Facts({f"word:{word.casefold()}": (0, 0) for word in self.words})

    def demand(self, plan: Plan) -> None:
        plan.avoid |= set(map(str.casefold, self.words))


class WordCount(Range):
    """How often a word occurs, as a whole word, ignoring case."""

    name = "word_count"
    dimension = "content"
    effort = 2
    noun = "time(s)"
    word: str

    def __post_init__(self) -> None:
        super().__post_init__()
        _one_word(self, "word", self.word)

    def count(self, reading: Reading) -> int:
        return reading.word_counts[self.word.casefold()]

    def problem(self, reading: Reading) -> str:
        found = super().problem(reading)
        return found and f'the word "{self.word}": {found}'

    def wordings(self) -> Sequence[str]:
        times = self.amount if self.high != 0 else "never"
        return (
            f'Use the word "{self.word}" {times}, {FORM}.',
            f'The word "{self.word}" must occur {times}, {FORM}.',
            f'Let the word "{self.word}" appear {times}, {FORM}.',
        )

    def facts(self) -> Facts:
        return Facts({f"word:{self.word.casefold()}": (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.avoid.add(self.word.casefold())
        plan.need += [self.word] * (self.low - plan.need.count(self.word))


class _Edge(Constraint):
    dimension = "content"
    word: str
    place: ClassVar[int]
    which: ClassVar[str]

    def __post_init__(self) -> None:
        _one_word(self, "word", self.word)

    def problem(self, reading: Reading) -> str:
        if not reading.words:
            return "there are no words"
        word = reading.words[self.place]
        same = word.casefold() == self.word.casefold()
        return "" if same else f'the {self.which} word is "{word[:40]}", not "{self.word}"'

    def wordings(self) -> Sequence[str]:
        return (
            f'The {self.which} word of the text must be "{self.word}".',
            f'Make "{self.word}" the very {self.which} word.',
            f'{"Begin" if self.place == 0 else "End"} with the word "{self.word}".',
        )


class FirstWord(_Edge):
    """The first word, ignoring case."""

    name = "first_word"
    place = 0
    which = "first"

    def facts(self) -> Facts:
        return Facts({f"word:{self.word.casefold()}": (1, None)}, first_word=self.word.casefold())

    def demand(self, plan: Plan) -> None:
        plan.claim("first_word", self.word)


class LastWord(_Edge):
    """The last word, ignoring case; punctuation may follow it."""

    name = "last_word"
    place = -1
    which = "last"

    def facts(self) -> Facts:
        return Facts({f"word:{self.word.casefold()}": (1, None)}, last_word=self.word.casefold())

    def demand(self, plan: Plan) -> None:
        plan.claim("last_word", self.word)


class SentenceHasWord(Constraint):
    """A word occurs in the sentence of a given number, counted from 1."""

    name = "sentence_has_word"
    dimension = "content"
    effort = 2
    number: int
    word: str

    def __post_init__(self) -> None:
        _one_word(self, "word", self.word)
        if not 1 <= self.number <= 50:
            self.refuse("number", "from 1 to 50")

    def problem(self, reading: Reading) -> str:
        sentences = reading.sentence_words
        if len(sentences) < self.number:
            return f"there is no sentence {self.number}: {len(sentences)} counted"
        found = self.word.casefold() in map(str.casefold, sentences[self.number - 1])
        return "" if found else f'sentence {self.number} does not contain "{self.word}"'

    def wordings(self) -> Sequence[str]:
        return (
            f'Sentence number {self.number} must contain the word "{self.word}", {FORM}.',
            f'Use the word "{self.word}", {FORM}, in sentence {self.number} (other sentences may have it too).',
            f'Let the word "{self.word}" occur, {FORM}, in sentence number {self.number} of the text.',
        )

    def facts(self) -> Facts:
        return Facts({f"word:{self.word.casefold()}": (1, None), "sentences": (self.number, None)})

    def demand(self, plan: Plan) -> None:
        plan.placed[self.number] = self.word
        plan.narrow("sentences", self.number, None)


class _Phrase(Constraint):
    dimension = "content"
    phrase: str

    def __post_init__(self) -> None:
        if not self.phrase or self.phrase != self.phrase.strip() or len(self.phrase) > 2000:
            self.refuse("phrase", "a text of at most 2000 characters without white space at its ends")


class StartPhrase(_Phrase):
    """The text begins with exactly these characters, followed by a word boundary."""

    name = "start_phrase"

    def problem(self, reading: Reading) -> str:
        text, n = reading.text, len(self.phrase)
        if not text.startswith(self.phrase) or (self.phrase[-1].isalnum() and text[n : n + 1].isalnum()):
            return f'the text begins with "{text[: min(n, 60)]}"'
        return ""

    def wordings(self) -> Sequence[str]:
        return (
            f'Begin the text with exactly this: "{self.phrase}"',
            f'The first words must be "{self.phrase}", capitals and punctuation included.',
            f'Start with the phrase "{self.phrase}", written just so.',
        )

    def facts(self) -> Facts:
        words = Reading(self.phrase).words  # with two words, the first is complete
        return Facts(
            literal_bounds(self.phrase), prefix=self.phrase, first_word=words[0].casefold() if len(words) > 1 else ""
        )

    def demand(self, plan: Plan) -> None:
        plan.claim("prefix", self.phrase)


class EndPhrase(_Phrase):
    """The text ends with exactly these characters, preceded by a word boundary."""

    name = "end_phrase"

    def problem(self, reading: Reading) -> str:
        text, n = reading.text, len(self.phrase)
        before = text[-n - 1 : -n]
        if not text.endswith(self.phrase) or (self.phrase[0].isalnum() and before.isalnum()):
            return f'the text ends with "{text[-min(n, 60) :]}"'
        return ""

    def wordings(self) -> Sequence[str]:
        return (
            f'End the text with exactly this, and nothing after it: "{self.phrase}"',
            f'The last words must be "{self.phrase}", capitals and punctuation included.',
            f'Finish with the phrase "{self.phrase}", written just so, and add nothing.',
        )

    def facts(self) -> Facts:
        words = Reading(self.phrase).words
        return Facts(
            literal_bounds(self.phrase), suffix=self.phrase, last_word=words[-1].casefold() if len(words) > 1 else ""
        )

    def demand(self, plan: Plan) -> None:
        plan.claim("suffix", self.phrase)


class Postscript(Constraint):
    """The last paragraph begins with a mark such as ``P.S.`` and has words after it."""

    name = "postscript"
    dimension = "content"
    marker: str = "P.S."

    def __post_init__(self) -> None:
        if not 1 <= len(self.marker) <= 20 or self.marker != self.marker.strip():
            self.refuse("marker", "a text of 1 to 20 characters without white space at its ends")

    def problem(self, reading: Reading) -> str:
        last = reading.paragraphs[-1] if len(reading.paragraphs) > 1 else ""
        if not last.startswith(self.marker):
            return f'no postscript: the last paragraph of several does not begin with "{self.marker}"'
        return "" if words_of(last[len(self.marker) :]) else "the postscript is empty"

    def wordings(self) -> Sequence[str]:
        return (
            f'Add a postscript as the last paragraph, beginning with "{self.marker}"',
            f'After the text, write a last paragraph that begins with "{self.marker}" and says something.',
            f'The final paragraph must be a postscript that starts with "{self.marker}"',
        )

    def facts(self) -> Facts:
        bounds = literal_bounds(self.marker)
        return Facts({**bounds, "paragraphs": (2, None), "words": (2, None)})

    def demand(self, plan: Plan) -> None:
        plan.tail.append(f"{self.marker} ")


class Placeholders(Range):
    """The number of placeholders in square brackets: ``[name]``, with a word but no bracket or line break inside."""

    name = "placeholders"
    dimension = "content"
    noun = "placeholder(s) in square brackets"

    def count(self, reading: Reading) -> int:
        return sum(
            bool(words_of(inside)) and "\n" not in inside
            for part in reading.text.split("[")[1:]
            for inside, closed, _ in [part.partition("]")]
            if closed
        )

    def wordings(self) -> Sequence[str]:
        return (
            f"The text must have {self.amount}, such as [address].",
            f"Use {self.amount}, like [name].",
            f"Put in {self.amount}, as in [date].",
        )

    def facts(self) -> Facts:
        bounds: dict[str, Interval] = dict.fromkeys(("mark:[", "mark:]", "words"), (self.low, None))
        return Facts({**bounds, self.name: (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.need += ["[{}]"] * self.low


class NoDigits(Constraint):
    """No digit of any script occurs."""

    name = "no_digits"
    dimension = "content"

    def problem(self, reading: Reading) -> str:
        digit = next((c for c in reading.text if c.isdigit()), "")
        return f'the digit "{digit}" occurs' if digit else ""

    def wordings(self) -> Sequence[str]:
        return (
            "Do not use any digits; spell numbers out.",
            "The text must not contain a single digit.",
            "Write without digits (0 to 9).",
        )

    def facts(self) -> Facts:
        return Facts({"digits": (0, 0)})

    def demand(self, plan: Plan) -> None:
        if any(c.isdigit() for token in plan.need for c in token):
            plan.narrow("digits", 1, 0)


class Numbers(Range):
    """The number of numbers in digits: ``7``, ``1,000`` and ``3.5`` count once each; list markers do not count."""

    name = "numbers"
    dimension = "content"
    noun = "number(s) written in digits"

    def count(self, reading: Reading) -> int:
        return len(reading.numbers)

    def wordings(self) -> Sequence[str]:
        return (
            f"The text must have {self.amount}.",
            f"Use {self.amount}.",
            f"There have to be {self.amount} in the text.",
        )

    def facts(self) -> Facts:
        return Facts({"digits": (self.low, None), self.name: (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.need += [str(12 + 2 * k) for k in range(self.low)]


class EvenNumbers(Constraint):
    """Every number in digits is a whole even one, and there are enough of them."""

    name = "even_numbers"
    dimension = "content"
    effort = 2
    low: int

    def __post_init__(self) -> None:
        if not 1 <= self.low <= 100:
            self.refuse("low", "from 1 to 100")

    def problem(self, reading: Reading) -> str:
        numbers = reading.numbers
        odd = next((n for n in numbers if n[-1] in "13579" or "." in n), "")
        if odd:
            return f"{odd[:40]} is not an even number"
        few = len(numbers) < self.low
        return f"at least {self.low} even numbers asked for, {len(numbers)} counted" if few else ""

    def wordings(self) -> Sequence[str]:
        some = amount(self.low, None, "number(s)")
        return (
            f"Use {some} written in digits, and let every number in digits be even.",
            f"Write {some} in digits; none of those in the text may be odd or have a decimal point.",
            f"The text must have {some} in digits, all of them whole and even.",
        )

    def facts(self) -> Facts:
        return Facts({"digits": (self.low, None)})

    def demand(self, plan: Plan) -> None:
        missing = self.low - sum(token.isdigit() for token in plan.need)
        plan.need += [str(42 + 2 * k) for k in range(missing)]
