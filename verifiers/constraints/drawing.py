"""Draw constraints and whole sets of them from a source of random numbers that the caller owns.

A set is returned only with the proof that it can be satisfied: `witness` has written a text for it.

Source: levels after arXiv 2505.07591: I to IV have 1 to 4 dimensions with 1-2, 2-4, 3-6, 4-8 constraints.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from turnwise.verifiers.constraints.base import KINDS, Constraint, Dimension
from turnwise.verifiers.constraints.conflicts import conflict
from turnwise.verifiers.constraints.content import (
    EndPhrase,
    EvenNumbers,
    Exclude,
    FirstWord,
    Include,
    LastWord,
    NoDigits,
    Numbers,
    Placeholders,
    Postscript,
    SentenceHasWord,
    StartPhrase,
    WordCount,
)
from turnwise.verifiers.constraints.format import (
    Bullets,
    CodeBlocks,
    Highlights,
    JsonObject,
    NoMarkdown,
    NumberedList,
    Quoted,
    Sections,
    Table,
    Title,
)
from turnwise.verifiers.constraints.language import LANGUAGES, SCRIPTS, UNSPACED, Language, Script
from turnwise.verifiers.constraints.length import (
    Characters,
    Lines,
    Paragraphs,
    ParagraphSentences,
    Sentences,
    SentenceWords,
    Words,
)
from turnwise.verifiers.constraints.letters import (
    Acrostic,
    AllLower,
    AllUpper,
    CapitalWords,
    LetterCount,
    Lipogram,
    SentenceInitials,
    TitleCase,
    WordInitials,
)
from turnwise.verifiers.constraints.lexicon import listed
from turnwise.verifiers.constraints.structure import (
    MARK_NAMES,
    EndsWithMark,
    IncreasingSentences,
    MarkCount,
    PalindromeLine,
    QuestionFirst,
    RepeatFirst,
    Responses,
    Separators,
    SortedLines,
)
from turnwise.verifiers.constraints.witness import witness

__all__ = ["DIMENSIONS", "LEVELS", "Draw", "draw_constraint", "draw_set", "drawable"]

Draw = Callable[[], float]
"""Gives the next random number, from 0 up to but not 1."""
DIMENSIONS: tuple[Dimension, ...] = ("content", "format", "language", "length")
LEVELS = {1: (1, 2), 2: (2, 4), 3: (3, 6), 4: (4, 8)}
"""How many constraints a set has at each level; the level is the number of dimensions they are of."""
KEYWORDS = listed("keywords")
COMMON_WORDS = listed("common")
STARTS = (
    "In short,",
    "Once upon a time,",
    "To begin with,",
    "Let me be frank:",
    "Here is what I think.",
    "Listen well:",
)
ENDS = ("That is all.", "The rest is silence.", "Is there anything else?", "And so it goes.", "Thank you for reading.")
TITLES = listed("titles")
KEYS = listed("keys")
ACROSTICS = listed("acrostics")
_GROUPS = (  # of each, a set has one at most
    {"words", "characters"}, {"sentence_words", "increasing_sentences", "paragraph_sentences"}, {"lines", "paragraphs"},
    {"all_lower", "all_upper", "title_case", "capital_words"}, {"lipogram", "letter_count", "word_initials"},
    {"sentence_initials", "acrostic", "word_initials", "sorted_lines"}, {"separators", "responses"},
    {"start_phrase", "first_word", "repeat_first"}, {"end_phrase", "last_word", "ends_with_mark"},
    {"numbers", "even_numbers", "no_digits"}, {"script", "language"},
)  # fmt: skip
_NEUTRAL = {  # ask the same of a text in any script
    "words", "paragraphs", "lines", "characters", "no_digits", "bullets", "numbered_list", "quoted", "separators",
    "responses", "table", "no_markdown", "title", "highlights", "placeholders",
}  # fmt: skip
_WESTERN = {  # ask the same of a text with the punctuation and the digits of English
    "sentences", "paragraph_sentences", "mark_count", "ends_with_mark", "question_first", "numbers", "even_numbers",
}  # fmt: skip


@dataclass
class _Source:
    """What parameters are drawn from."""

    draw: Draw
    request: str
    keywords: Iterator[str]

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self.draw() * (high - low + 1))

    def pick(self, values: Sequence[str]) -> str:
        return values[int(self.draw() * len(values))]

    def some(self, values: Sequence[str], number: int) -> tuple[str, ...]:
        """Different values in random order."""
        left = list(values)
        return tuple(left.pop(int(self.draw() * len(left))) for _ in range(number))

    def words(self, low: int, high: int) -> tuple[str, ...]:
        return tuple(next(self.keywords) for _ in range(self.whole(low, high)))

    def between(self, low: int, high: int, width: int) -> dict[str, int | None]:
        """An interval: exact, or from a number to one some way above, or on."""
        start, u = self.whole(low, high), self.draw()
        if u < 0.4:
            return {"low": start, "high": start}
        return {"low": start, "high": start + width} if u < 0.75 else {"low": start, "high": None}

    def size(self, low: int, high: int, width: int) -> dict[str, int | None]:
        """As `between`, or at most a number from the lower half."""
        if self.draw() < 0.25:
            return {"low": 0, "high": self.whole(low, (low + high) // 2)}
        return self.between(low, high, width)


def _fields(values: dict[str, int | None]) -> dict[str, int]:
    return values  # type: ignore[return-value]


_DRAWS: dict[str, Callable[[_Source], Constraint]] = {
    "words": lambda s: Words(**_fields(s.size(40, 140, 10))),
    "characters": lambda s: Characters(low=(n := s.whole(250, 700)), high=n + 60),
    "sentences": lambda s: Sentences(**_fields(s.between(4, 12, 2))),
    "paragraphs": lambda s: Paragraphs(**_fields(s.between(2, 6, 1))),
    "lines": lambda s: Lines(**_fields(s.between(5, 14, 2))),
    "sentence_words": lambda s: SentenceWords(low=(n := s.whole(2, 7)), high=n + s.whole(3, 5)),
    "paragraph_sentences": lambda s: ParagraphSentences(low=(n := s.whole(2, 4)), high=n),
    "increasing_sentences": lambda s: IncreasingSentences(low=s.whole(3, 7)),
    "include": lambda s: Include(words=s.words(1, 4)),
    "exclude": lambda s: Exclude(words=s.some(COMMON_WORDS, s.whole(2, 4))),
    "word_count": lambda s: WordCount(word=next(s.keywords), low=(n := s.whole(2, 5)), high=n),
    "first_word": lambda s: FirstWord(word=next(s.keywords)),
    "last_word": lambda s: LastWord(word=next(s.keywords)),
    "sentence_has_word": lambda s: SentenceHasWord(number=s.whole(2, 6), word=next(s.keywords)),
    "start_phrase": lambda s: StartPhrase(phrase=s.pick(STARTS)),
    "end_phrase": lambda s: EndPhrase(phrase=s.pick(ENDS)),
    "postscript": lambda s: Postscript(marker=s.pick(("P.S.", "PS:"))),
    "placeholders": lambda s: Placeholders(low=s.whole(1, 4)),
    "no_digits": lambda s: NoDigits(),
    "numbers": lambda s: Numbers(low=s.whole(2, 6)),
    "even_numbers": lambda s: EvenNumbers(low=s.whole(2, 5)),
    "mark_count": lambda s: MarkCount(
        mark=(m := s.pick(tuple(MARK_NAMES))), low=(n := s.whole(0, 3) if m in "!,?" else s.whole(1, 3)), high=n
    ),
    "ends_with_mark": lambda s: EndsWithMark(mark=s.pick("!?")),
    "question_first": lambda s: QuestionFirst(),
    "repeat_first": lambda s: RepeatFirst(request=s.request),
    "letter_count": lambda s: LetterCount(letter=s.pick("jkqvwxz"), low=(n := s.whole(1, 6)), high=n),
    "lipogram": lambda s: Lipogram(letter=s.pick("eaosrnilh")),
    "sentence_initials": lambda s: SentenceInitials(letter=s.pick("abcdfghilmnoprstw")),
    "word_initials": lambda s: WordInitials(letter=s.pick("bcfmpst")),
    "acrostic": lambda s: Acrostic(word=s.pick(ACROSTICS)),
    "all_lower": lambda s: AllLower(),
    "all_upper": lambda s: AllUpper(),
    "title_case": lambda s: TitleCase(),
    "capital_words": lambda s: CapitalWords(**_fields(s.between(2, 6, 2))),
    "script": lambda s: Script(script=s.pick(SCRIPTS[1:])),  # type: ignore[arg-type]
    "language": lambda s: Language(code=s.pick(tuple(LANGUAGES)[1:])),  # type: ignore[arg-type]
    "bullets": lambda s: Bullets(**_fields(s.between(2, 7, 1))),
    "numbered_list": lambda s: NumberedList(items=s.whole(2, 7)),
    "title": lambda s: Title(),
    "highlights": lambda s: Highlights(low=s.whole(1, 4)),
    "sections": lambda s: Sections(titles=s.some(TITLES, s.whole(2, 4))),
    "table": lambda s: Table(rows=s.whole(2, 5), columns=s.whole(2, 4)),
    "code_blocks": lambda s: CodeBlocks(low=(n := s.whole(1, 2)), high=n),
    "json_object": lambda s: JsonObject(keys=s.some(KEYS, s.whole(2, 4))),
    "quoted": lambda s: Quoted(),
    "no_markdown": lambda s: NoMarkdown(),
    "separators": lambda s: Separators(low=(n := s.whole(2, 4)), high=n),
    "responses": lambda s: Responses(low=2, high=2),
    "sorted_lines": lambda s: SortedLines(low=s.whole(4, 8)),
    "palindrome_line": lambda s: PalindromeLine(low=s.whole(7, 14)),
}


def drawable(dimension: Dimension | None = None, max_effort: int = 3) -> tuple[str, ...]:
    """Kinds that can be drawn, of one dimension or of all, up to an effort.

    >>> "words" in drawable("length"), "lipogram" in drawable(max_effort=2)
    (True, False)
    """
    return tuple(
        name for name in _DRAWS
        if KINDS[name].effort <= max_effort and dimension in (None, KINDS[name].dimension)
    )  # fmt: skip


def draw_constraint(kind: str, draw: Draw, request: str = "Write something.") -> Constraint:
    """A constraint of a kind with parameters drawn."""
    return _DRAWS[kind](_source(draw, request))


def _source(draw: Draw, request: str) -> _Source:
    start = int(draw() * len(KEYWORDS))
    step = (1, 2, 7, 11, 13, 17)[int(draw() * 6)]  # prime to the number of keywords, so none comes twice
    return _Source(draw, request, (KEYWORDS[(start + step * k) % len(KEYWORDS)] for k in range(len(KEYWORDS))))


def draw_set(
    draw: Draw,
    number: int,
    kinds: Sequence[Sequence[str]],
    request: str = "Write something.",
    literals: Sequence[str] = (),
    always: Sequence[Constraint] = (),
) -> tuple[Constraint, ...] | None:
    """A set of constraints that a text can satisfy, or None where these draws made none.

    Args:
        draw: Source of random numbers; a few dozen are used.
        number: How many constraints.
        kinds: Kinds by dimension: at least one constraint is drawn of each entry.
        request: What the text is to be about: one line.
        literals: Tokens that the text must hold besides.
        always: Constraints that the text must satisfy besides.
    """
    source = _source(draw, request)
    dimensions = [*range(len(kinds)), *(int(draw() * len(kinds)) for _ in range(number - len(kinds)))]
    chosen: list[Constraint] = []
    for dimension in dimensions:
        for _ in range(8):
            kind = source.pick(kinds[dimension])
            if not _fits([c.name for c in chosen], kind):
                continue
            constraint = _DRAWS[kind](source)
            if _speaks([*chosen, constraint]) and not conflict([*always, *chosen, constraint]):
                chosen.append(constraint)
                break
        else:
            return None
    found = tuple(chosen)
    return found if witness([*always, *found], literals) is not None else None


def _fits(names: Sequence[str], kind: str) -> bool:
    """Whether a kind adds something to others."""
    return kind not in names and not any(kind in group and group & set(names) for group in _GROUPS)


def _speaks(constraints: Sequence[Constraint]) -> bool:
    """Whether a set that asks for another language or script asks for nothing that is about English."""
    names = {c.name for c in constraints}
    if "language" in names:
        return names <= _NEUTRAL | _WESTERN | {"language"}
    script = next((c for c in constraints if isinstance(c, Script)), None)
    if script is None:
        return True
    return names <= _NEUTRAL | {"script"} and not ("words" in names and script.script in UNSPACED)
