"""Judge whether a text satisfies a whole set of constraints."""

from collections.abc import Sequence

from turnwise.verifiers.constraints.base import Constraint, ConstraintError
from turnwise.verifiers.constraints.units import Reading, response_of
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["labels", "loosened", "verify_constraints"]


def verify_constraints(
    message: str, constraints: Sequence[Constraint], *, partial: bool = False, loose: bool = False
) -> Verdict:
    """Judge whether the text of a message satisfies all constraints.

    The text is everything after the last ``</think>``: no tag marks an answer.

    Args:
        message: The message.
        constraints: At least one.
        partial: Whether ``score`` is the share of constraints that hold; else it is 0 unless all do.
        loose: Whether each may also hold for the text without its first line, its last line, both, or asterisks.
            Source: the loose metric of IFEval (arXiv 2311.07911).

    Returns:
        A verdict with the number of constraints that hold as its value, and 1.0 or 0.0 for each in ``parts``.

    Raises:
        ConstraintError: There are no constraints.

    >>> from turnwise.verifiers.constraints.length import Words
    >>> verify_constraints("One two.", [Words(high=3)]).correct
    True
    """
    if not constraints:
        raise ConstraintError("constraints is empty; a set has one at least")
    names = labels(constraints)
    text = response_of(message)
    if isinstance(text, Verdict):
        return text._replace(parts=dict.fromkeys(names, 0.0))
    readings = [Reading(text), *(map(Reading, loosened(text)) if loose else ())]
    problems = [_problem(constraint, readings) for constraint in constraints]
    parts = {name: float(not problem) for name, problem in zip(names, problems, strict=True)}
    held = problems.count("")
    if held == len(constraints):
        return right(held, parts)
    found = "; ".join(f"{name}: {problem}" for name, problem in zip(names, problems, strict=True) if problem)
    return wrong(found, held, held / len(constraints) if partial else 0.0, parts)


def _problem(constraint: Constraint, readings: Sequence[Reading]) -> str:
    first = constraint.problem(readings[0])
    return "" if not first or any(not constraint.problem(other) for other in readings[1:]) else first


def loosened(text: str) -> list[str]:
    """Return the text without its first line, its last, both; and each of these, and the text, without asterisks.

    >>> loosened("a *b*")
    ['a b']
    """
    lines = text.split("\n")
    cuts = ["\n".join(lines[i:j]).strip() for i, j in ((1, None), (0, -1), (1, -1))]
    found = [*cuts, *(cut.replace("*", "").strip() for cut in (text, *cuts))]
    return [other for other in dict.fromkeys(found) if other and other != text]


def labels(constraints: Sequence[Constraint]) -> list[str]:
    """Return a name for each constraint: its kind, numbered from the second of a kind on.

    >>> from turnwise.verifiers.constraints.length import Words
    >>> labels([Words(low=1), Words(high=9)])
    ['words', 'words_2']
    """
    seen: dict[str, int] = {}
    found = []
    for constraint in constraints:
        seen[constraint.name] = number = seen.get(constraint.name, 0) + 1
        found.append(constraint.name if number == 1 else f"{constraint.name}_{number}")
    return found
