"""Draw constraints and sets of them from the caller's source of random numbers.

A set is returned only if it has been shown to be satisfiable: `witness` has written a text for it.

Source: levels after arXiv 2505.07591: I to IV have 1 to 4 dimensions with 1-2, 2-4, 3-6, 4-8 constraints.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.verifiers.constraints.base import KINDS, Constraint, Dimension
from turnwise.verifiers.constraints.conflicts import conflict
from turnwise.verifiers.constraints.language import LANGUAGES, SCRIPTS, UNSPACED, Script
from turnwise.verifiers.constraints.lexicon import listed
from turnwise.verifiers.constraints.structure import MARK_NAMES
from turnwise.verifiers.constraints.witness import witness

__all__ = ["DIMENSIONS", "LEVELS", "Draw", "draw_constraint", "draw_set", "drawable"]

DIMENSIONS: tuple[Dimension, ...] = ("content", "format", "language", "length")
LEVELS = {1: (1, 2), 2: (2, 4), 3: (3, 6), 4: (4, 8)}
"""The number of constraints in a set at each level; the level is the number of their dimensions."""
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
_GROUPS = (  # a set has at most one of each
    {"words", "characters"}, {"sentence_words", "increasing_sentences", "paragraph_sentences"}, {"lines", "paragraphs"},
    {"all_lower", "all_upper", "title_case", "capital_words"}, {"lipogram", "letter_count", "word_initials"},
    {"sentence_initials", "acrostic", "word_initials", "sorted_lines"}, {"separators", "responses"},
    {"start_phrase", "first_word", "repeat_first"}, {"end_phrase", "last_word", "ends_with_mark"},
    {"numbers", "even_numbers", "no_digits"}, {"script", "language"},
)  # fmt: skip
_NEUTRAL = {  # have the same meaning in any script
    "words", "paragraphs", "lines", "characters", "no_digits", "bullets", "numbered_list", "quoted", "separators",
    "responses", "table", "no_markdown", "title", "highlights", "placeholders",
}  # fmt: skip
_WESTERN = {  # have the same meaning in texts with English punctuation and digits
    "sentences", "paragraph_sentences", "mark_count", "ends_with_mark", "question_first", "numbers", "even_numbers",
}  # fmt: skip


@dataclass
class _Source:
    """The source of random parameters."""

    draw: Draw
    request: str
    keywords: Iterator[str]

    def some(self, values: Sequence[str], number: int) -> tuple[str, ...]:
        """Return different values in random order."""
        left = list(values)
        return tuple(self.draw.take(left) for _ in range(number))

    def words(self, low: int, high: int) -> tuple[str, ...]:
        return tuple(next(self.keywords) for _ in range(self.draw.integer(low, high)))

    def between(self, low: int, high: int, width: int) -> dict[str, int | None]:
        """An interval: exact, or from a number to one some way above, or on."""
        start, u = self.draw.integer(low, high), self.draw.unit()
        if u < 0.4:
            return {"low": start, "high": start}
        return {"low": start, "high": start + width} if u < 0.75 else {"low": start, "high": None}

    def size(self, low: int, high: int, width: int) -> dict[str, int | None]:
        """Like `between`, or an upper bound only."""
        if self.draw.unit() < 0.25:
            return {"low": 0, "high": self.draw.integer(low, (low + high) // 2)}
        return self.between(low, high, width)


_DRAWS: dict[str, Callable[[_Source], Mapping[str, Any]]] = {
    "words": lambda s: s.size(40, 140, 10),
    "characters": lambda s: {"low": (n := s.draw.integer(250, 700)), "high": n + 60},
    "sentences": lambda s: s.between(4, 12, 2),
    "paragraphs": lambda s: s.between(2, 6, 1),
    "lines": lambda s: s.between(5, 14, 2),
    "sentence_words": lambda s: {"low": (n := s.draw.integer(2, 7)), "high": n + s.draw.integer(3, 5)},
    "paragraph_sentences": lambda s: {"low": (n := s.draw.integer(2, 4)), "high": n},
    "increasing_sentences": lambda s: {"low": s.draw.integer(3, 7)},
    "include": lambda s: {"words": s.words(1, 4)},
    "exclude": lambda s: {"words": s.some(COMMON_WORDS, s.draw.integer(2, 4))},
    "word_count": lambda s: {"word": next(s.keywords), "low": (n := s.draw.integer(2, 5)), "high": n},
    "first_word": lambda s: {"word": next(s.keywords)},
    "last_word": lambda s: {"word": next(s.keywords)},
    "sentence_has_word": lambda s: {"number": s.draw.integer(2, 6), "word": next(s.keywords)},
    "start_phrase": lambda s: {"phrase": s.draw.choice(STARTS)},
    "end_phrase": lambda s: {"phrase": s.draw.choice(ENDS)},
    "postscript": lambda s: {"marker": s.draw.choice(("P.S.", "PS:"))},
    "placeholders": lambda s: {"low": s.draw.integer(1, 4)},
    "no_digits": lambda s: {},
    "numbers": lambda s: {"low": s.draw.integer(2, 6)},
    "even_numbers": lambda s: {"low": s.draw.integer(2, 5)},
    "mark_count": lambda s: {
        "mark": (m := s.draw.choice(tuple(MARK_NAMES))),
        "low": (n := s.draw.integer(0, 3) if m in "!,?" else s.draw.integer(1, 3)),
        "high": n,
    },
    "ends_with_mark": lambda s: {"mark": s.draw.choice("!?")},
    "question_first": lambda s: {},
    "repeat_first": lambda s: {"request": s.request},
    "letter_count": lambda s: {"letter": s.draw.choice("jkqvwxz"), "low": (n := s.draw.integer(1, 6)), "high": n},
    "lipogram": lambda s: {"letter": s.draw.choice("eaosrnilh")},
    "sentence_initials": lambda s: {"letter": s.draw.choice("abcdfghilmnoprstw")},
    "word_initials": lambda s: {"letter": s.draw.choice("bcfmpst")},
    "acrostic": lambda s: {"word": s.draw.choice(ACROSTICS)},
    "all_lower": lambda s: {},
    "all_upper": lambda s: {},
    "title_case": lambda s: {},
    "capital_words": lambda s: s.between(2, 6, 2),
    "script": lambda s: {"script": s.draw.choice(SCRIPTS[1:])},
    "language": lambda s: {"code": s.draw.choice(tuple(LANGUAGES)[1:])},
    "bullets": lambda s: s.between(2, 7, 1),
    "numbered_list": lambda s: {"items": s.draw.integer(2, 7)},
    "title": lambda s: {},
    "highlights": lambda s: {"low": s.draw.integer(1, 4)},
    "sections": lambda s: {"titles": s.some(TITLES, s.draw.integer(2, 4))},
    "table": lambda s: {"rows": s.draw.integer(2, 5), "columns": s.draw.integer(2, 4)},
    "code_blocks": lambda s: {"low": (n := s.draw.integer(1, 2)), "high": n},
    "json_object": lambda s: {"keys": s.some(KEYS, s.draw.integer(2, 4))},
    "quoted": lambda s: {},
    "no_markdown": lambda s: {},
    "separators": lambda s: {"low": (n := s.draw.integer(2, 4)), "high": n},
    "responses": lambda s: {"low": 2, "high": 2},
    "sorted_lines": lambda s: {"low": s.draw.integer(4, 8)},
    "palindrome_line": lambda s: {"low": s.draw.integer(7, 14)},
}
"""Draw the parameters of each kind."""


def drawable(dimension: Dimension | None = None, max_effort: int = 3) -> tuple[str, ...]:
    """Return the kinds that can be drawn, of one dimension or of all, up to an effort.

    >>> "words" in drawable("length"), "lipogram" in drawable(max_effort=2)
    (True, False)
    """
    return tuple(
        name for name in _DRAWS
        if KINDS[name].effort <= max_effort and dimension in (None, KINDS[name].dimension)
    )  # fmt: skip


def draw_constraint(kind: str, draw: Draw, request: str = "Write something.") -> Constraint:
    """Return a constraint of a kind with random parameters."""
    return KINDS[kind](**_DRAWS[kind](_source(draw, request)))


def _source(draw: Draw, request: str) -> _Source:
    start = draw.below(len(KEYWORDS))
    step = (1, 2, 7, 11, 13, 17)[draw.below(6)]  # coprime to the number of keywords, so none repeats
    return _Source(draw, request, (KEYWORDS[(start + step * k) % len(KEYWORDS)] for k in range(len(KEYWORDS))))


def draw_set(
    draw: Draw,
    number: int,
    kinds: Sequence[Sequence[str]],
    request: str = "Write something.",
    literals: Sequence[str] = (),
    always: Sequence[Constraint] = (),
) -> tuple[Constraint, ...] | None:
    """Return a satisfiable set of constraints, or None if these draws gave none.

    Args:
        draw: Source of random numbers; a few dozen are used.
        number: Number of constraints.
        kinds: Kinds by dimension: at least one constraint is drawn of each entry.
        request: The subject of the text: one line.
        literals: Tokens that the text must also contain.
        always: Constraints that the text must also satisfy.
    """
    source = _source(draw, request)
    dimensions = [*range(len(kinds)), *(draw.below(len(kinds)) for _ in range(number - len(kinds)))]
    chosen: list[Constraint] = []
    for dimension in dimensions:
        for _ in range(8):
            kind = source.draw.choice(kinds[dimension])
            if not _fits([c.name for c in chosen], kind):
                continue
            constraint = KINDS[kind](**_DRAWS[kind](source))
            if _speaks([*chosen, constraint]) and not conflict([*always, *chosen, constraint]):
                chosen.append(constraint)
                break
        else:
            return None
    found = tuple(chosen)
    return found if witness([*always, *found], literals) is not None else None


def _fits(names: Sequence[str], kind: str) -> bool:
    """Return whether a kind adds something to the others."""
    return kind not in names and not any(kind in group and group & set(names) for group in _GROUPS)


def _speaks(constraints: Sequence[Constraint]) -> bool:
    """Return whether a set that asks for another language or script avoids constraints specific to English."""
    names = {c.name for c in constraints}
    if "language" in names:
        return names <= _NEUTRAL | _WESTERN | {"language"}
    script = next((c for c in constraints if isinstance(c, Script)), None)
    if script is None:
        return True
    return names <= _NEUTRAL | {"script"} and not ("words" in names and script.script in UNSPACED)
