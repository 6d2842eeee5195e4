"""An audit of a grader by messages that offer two values, or hold the right one without giving it as their answer."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tests.verifiers.hedges.golds import KINDS, RENAMED
from tests.verifiers.hedges.templates import CLEAR, HEDGES, NONE, ORDINARY, TWO

Grader = Callable[[str, str], bool]  # message, gold -> paid
PLAIN = {"label", "word", "quantity", "percentage", "ratio", "time and date"}  # kinds that are written without dollars


class Case(NamedTuple):
    """A message, and the golds that it is judged by: a clear one must be paid, two values not both, others never."""

    group: str  # what kind of test: "clear", "two values", "near miss", or the kind of hedge
    kind: str  # of gold
    template: str
    message: str
    golds: tuple[str, ...]


class Finding(NamedTuple):
    """What a grader does wrong."""

    group: str
    kind: str
    template: str
    problem: str
    message: str
    golds: tuple[str, ...]


def written(template: str, a: str, b: str) -> str:
    return template.format(a=a, b=b)


def spellings(kind: str, template: str, pair: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """The pair as it stands and, where mathematics would be set so, between dollars."""
    yield pair
    if kind not in PLAIN and not any(sign in template for sign in ("$", "\\boxed", "python", "cancel")):
        yield f"${pair[0]}$", f"${pair[1]}$"


def chosen(per_kind: int | None) -> Iterator[tuple[str, tuple[str, str]]]:
    """The golds with their near misses, the first few of each kind or all."""
    for kind, pairs in KINDS.items():
        for pair in pairs[:per_kind]:
            yield kind, pair


def cases(golds: Sequence[tuple[str, tuple[str, str]]]) -> Iterator[Case]:
    """Everything that is tried, "clear" messages among them as controls."""
    for kind, pair in golds:
        a, b = pair
        for template in CLEAR:
            yield Case("clear", kind, template, written(template, a, b), (a,))
        for template in ORDINARY:
            yield Case("near miss", kind, template, written(template, b, a), (a,))
        for template in TWO:
            for shown in spellings(kind, template, pair):
                yield Case("two values", kind, template, written(template, *shown), pair)
                yield Case("two values", kind, template, written(template, *reversed(shown)), pair)
        for group, templates in {"doubt, denial, bound": NONE, **HEDGES}.items():
            for template in templates:
                for shown in spellings(kind, template, pair):
                    yield Case(group, kind, template, written(template, *shown), (a,))
    for gold, renamed in RENAMED:
        for template in ORDINARY:
            yield Case("renamed variable", "expression", template, written(template, renamed, gold), (gold,))


def worded_cases(golds: Sequence[tuple[str, tuple[str, str]]], wordings: Sequence[str]) -> Iterator[Case]:
    """Hedges in these wordings, such as those that nobody looks at while working on the reader."""
    for kind, pair in golds:
        for template in wordings:
            for shown in spellings(kind, template, pair):
                yield Case("unseen", kind, template, written(template, *shown), (pair[0],))


def audit(grader: Grader, tried: Iterator[Case]) -> tuple[int, int, list[Finding], list[Finding]]:
    """Judge every case.

    Returns:
        How many messages were tried, how many golds a clear answer was refused for, what must not be (both values
        paid, a hedge paid, a near miss paid), and what is worth a look: one of two values paid, a clear answer refused.
    """
    count, refused, wrong, odd = 0, set(), [], []
    for case in tried:
        count += 1
        paid = tuple(gold for gold in case.golds if grader(case.message, gold))
        if case.group == "clear" and not paid:
            refused.add(case.golds)
            odd.append(found(case, "a clear answer is refused", case.golds))
        elif case.group == "two values" and len(paid) == 1:
            odd.append(found(case, "one of two values is paid", paid))
        elif case.group != "clear" and paid:
            wrong.append(found(case, "both values are paid" if len(paid) == 2 else "paid", paid))
    return count, len(refused), wrong, odd


def found(case: Case, problem: str, golds: tuple[str, ...]) -> Finding:
    return Finding(case.group, case.kind, case.template, problem, case.message, golds)
