"""Find constraints that contradict each other.

Every reported conflict is real: no text satisfies both. The rules are intervals of counts, a few inequalities between
them (a text has at least as many words as sentences), and beginnings and ends. A set without a conflict may still be
impossible; only a text that satisfies it (`turnwise.verifiers.constraints.witness`) proves that it is not.
"""

from collections.abc import Sequence

from turnwise.verifiers.constraints.base import Constraint, Facts
from turnwise.verifiers.constraints.plan import Interval, meet

__all__ = ["conflict", "conflicts"]

_AT_LEAST = (  # the first is never less than the second
    ("words", "sentences"), ("sentences", "paragraphs"), ("words", "paragraphs"), ("lines", "paragraphs"),
    ("lines", "bullets"), ("characters", "words"), ("characters", "lines"), ("characters", "sentences"),
    ("characters", "digits"), ("characters", "upper"), ("characters", "lower"),
)  # fmt: skip


def conflict(constraints: Sequence[Constraint]) -> str:
    """Return why no text satisfies all of these constraints; "" if no rule finds a conflict.

    >>> from turnwise.verifiers.constraints.length import Sentences, Words
    >>> conflict([Words(high=3), Sentences(low=5)])
    'words: at least 5 and at most 3'
    """
    facts = [constraint.facts() for constraint in constraints]
    bounds: dict[str, Interval] = {}
    for fact in facts:
        for measure, interval in fact.bounds.items():
            bounds[measure] = meet(bounds.get(measure, (0, None)), interval)
    _infer(bounds)
    for measure, (low, high) in bounds.items():
        if high is not None and low > high:
            return f"{measure}: at least {low} and at most {high}"
    return _edges(facts)


def _infer(bounds: dict[str, Interval]) -> None:
    """Add what follows from the lower bounds."""
    words = 0
    letters: dict[str, int] = {}
    for measure, (low, _) in bounds.items():
        kind, _, word = measure.partition(":")
        if kind == "word":
            words += low
            for c in filter(str.isalpha, word):
                letters[c] = letters.get(c, 0) + low

    def raise_to(measure: str, low: int) -> None:
        if low:
            bounds[measure] = meet(bounds.get(measure, (0, None)), (low, None))

    raise_to("words", words)
    for letter, low in letters.items():
        raise_to(f"letter:{letter}", low)
    raise_to("characters", sum(low for measure, (low, _) in bounds.items() if measure.startswith("mark:")))
    for more, fewer in _AT_LEAST:
        low = bounds.get(fewer, (0, None))[0]
        raise_to(more, max(0, 2 * low - 1) if (more, fewer) == ("characters", "words") else low)


def _edges(facts: Sequence[Facts]) -> str:
    """Return why the required beginnings or ends contradict each other."""
    for name in ("first_word", "last_word"):
        words = {word for fact in facts if (word := getattr(fact, name))}
        if len(words) > 1:
            return f"{name.replace('_', ' ')}: {' and '.join(sorted(words))}"
    starts = sorted((fact.prefix for fact in facts if fact.prefix), key=len)
    ends = sorted((fact.suffix for fact in facts if fact.suffix), key=len)
    for a in starts:
        if not starts[-1].startswith(a):
            return f"the text cannot begin with both {a[:40]!r} and {starts[-1][:40]!r}"
    for a in ends:
        if not ends[-1].endswith(a):
            return f"the text cannot end with both {a[:40]!r} and {ends[-1][:40]!r}"
    return ""


def conflicts(constraints: Sequence[Constraint]) -> list[tuple[int, int, str]]:
    """Return the pairs of constraints that contradict each other, by their positions in the sequence, and why."""
    pairs = [(i, j) for j in range(len(constraints)) for i in range(j)]
    found = [(i, j, conflict([constraints[i], constraints[j]])) for i, j in pairs]
    return [entry for entry in found if entry[2]]
