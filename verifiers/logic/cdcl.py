"""Unit propagation with two watched literals, and a small bounded solver on top of it.

Source: watched literals of Chaff (Moskewicz et al., DAC 2001); learning at the first unique implication point of
GRASP (Marques-Silva and Sakallah, 1999).
"""

from bisect import bisect_right
from collections.abc import Iterable

from turnwise.verifiers.logic.sat import Formula, FormulaError

__all__ = ["OutOfSteps", "Propagator", "Steps", "checked_clauses", "solve"]


class OutOfSteps(Exception):
    """The allowed number of steps is used up."""


class Steps:
    """The number of clauses and literals that may still be examined; ten million take about a second."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises:
            OutOfSteps: Fewer are left.
        """
        self.left -= steps
        if self.left < 0:
            raise OutOfSteps


def checked_clauses(formula: Formula) -> list[tuple[int, ...]]:
    """Return the clauses, without repeated literals.

    Raises:
        FormulaError: A literal is 0 or exceeds the formula's variables.
    """
    for number, clause in enumerate(formula.clauses, 1):
        if any(not 1 <= abs(x) <= formula.num_vars for x in clause):
            raise FormulaError(f"clause {number} is {clause}; literals go from 1 to {formula.num_vars}, or negative")
    return [tuple(dict.fromkeys(clause)) for clause in formula.clauses]


class Propagator:
    """Clauses, the literals assigned, and what follows from both by unit propagation.

    Literals index lists of 2 * num_vars + 1 items, the negative ones from the end. The literal 0 is always true: a
    deleted clause consists of it, so that remaining watches of the clause skip it.

    Attributes:
        values: By literal: 1 true, -1 false, 0 open.
        reasons: By true literal: the clause that made it true; arbitrary for decisions.
        trail: The true literals in the order in which they became so.
        refuted: Whether the clauses alone lead to a conflict.
        steps: The remaining budget of propagation; it raises `OutOfSteps` when used up.
    """

    def __init__(self, num_vars: int, steps: Steps) -> None:
        self.values = [0] * (2 * num_vars + 1)
        self.values[0] = 1
        self.reasons: list[list[int]] = [[]] * (2 * num_vars + 1)
        self.watches: list[list[list[int]]] = [[] for _ in self.values]
        self.trail: list[int] = []
        self.head = 0
        self.refuted = False
        self.steps = steps

    def add(self, literals: Iterable[int]) -> list[int]:
        """Add a clause while nothing is assumed, and propagate; return the clause as stored."""
        values = self.values
        clause = sorted(literals, key=lambda x: values[x] < 0)  # the open ones first
        self.steps.spend(len(clause))
        if any(values[x] > 0 for x in clause):
            return clause  # permanently true: no watch needed
        if len(clause) > 1 and values[clause[1]] == 0:
            self.watch(clause)
        elif clause and values[clause[0]] == 0:
            self.assign(clause[0], clause)
            self.refuted = self.propagate() is not None
        else:
            self.refuted = True
        return clause

    def watch(self, clause: list[int]) -> None:
        """Watch the first two literals of a clause."""
        self.watches[clause[0]].append(clause)
        self.watches[clause[1]].append(clause)

    def delete(self, clause: list[int]) -> bool:
        """Drop a clause, while nothing is assumed, unless it is a reason; return whether it is one."""
        if any(self.values[x] > 0 and self.reasons[x] is clause for x in clause):
            return False
        clause[:] = (0, 0)
        return True

    def assign(self, literal: int, reason: list[int] | None = None) -> None:
        """Make an open literal true."""
        self.values[literal], self.values[-literal] = 1, -1
        if reason is not None:
            self.reasons[literal] = reason
        self.trail.append(literal)

    def assume_false(self, literals: Iterable[int]) -> bool:
        """Make literals false and propagate; return whether that is impossible."""
        values = self.values
        for x in literals:
            if values[x] > 0:
                return True
            if values[x] == 0:
                self.assign(-x)
        return self.propagate() is not None

    def undo(self, length: int) -> None:
        """Undo all assignments since the trail had this length."""
        for x in self.trail[length:]:
            self.values[x] = self.values[-x] = 0
        del self.trail[length:]
        self.head = length

    def propagate(self) -> list[int] | None:
        """Assign what follows; return a clause that is then false, if there is one."""
        values, reasons, watches, trail = self.values, self.reasons, self.watches, self.trail
        scanned = 0
        while self.head < len(trail):
            false = -trail[self.head]
            self.head += 1
            watching = watches[false]
            if not watching:
                continue
            self.steps.spend(1 + len(watching) + scanned)
            scanned = 0
            watches[false] = kept = []
            for number, clause in enumerate(watching):
                other = clause[0]
                if other == false:
                    other = clause[0] = clause[1]
                    clause[1] = false
                if values[other] > 0:
                    if other:
                        kept.append(clause)
                    continue
                for i in range(2, len(clause)):
                    x = clause[i]
                    if values[x] >= 0:
                        clause[1], clause[i] = x, false
                        watches[x].append(clause)
                        scanned += i
                        break
                else:
                    scanned += len(clause)
                    kept.append(clause)
                    if values[other] < 0:
                        kept += watching[number + 1 :]
                        self.steps.left -= scanned
                        return clause
                    values[other], values[-other] = 1, -1
                    reasons[other] = clause
                    trail.append(other)
        self.steps.left -= scanned
        return None


def solve(formula: Formula, steps: Steps) -> str | None:
    """Return a satisfying assignment as bits, or None if there is none.

    Args:
        formula: The formula.
        steps: The budget; the remainder can be used further.

    Raises:
        OutOfSteps: The budget does not suffice.
        FormulaError: The formula is malformed.

    >>> steps = Steps(1000)
    >>> solve(Formula(2, ((1, 2), (-1, 2))), steps), solve(Formula(1, ((1,), (-1,))), steps)
    ('01', None)
    """
    state = Propagator(formula.num_vars, steps)
    for clause in checked_clauses(formula):
        if not any(-x in clause for x in clause):
            state.add(clause)
            if state.refuted:
                return None
    values, trail = state.values, state.trail
    activity = dict.fromkeys(sorted({abs(x) for clause in formula.clauses for x in clause}), 0.0)
    marks: list[int] = []  # the length of the trail before each decision
    bump = 1.0
    while True:
        conflict = state.propagate()
        if conflict is None:
            steps.spend(len(activity))
            open_variables = [v for v in activity if values[v] == 0]
            if not open_variables:
                return "".join("1" if values[v] > 0 else "0" for v in range(1, formula.num_vars + 1))
            marks.append(len(trail))
            state.assign(-max(open_variables, key=activity.__getitem__))
            continue
        if not marks:
            return None
        learnt, back = _learn(state, conflict, marks)
        level = bisect_right(marks, back)
        state.undo(marks[level])
        del marks[level:]
        for x in learnt:
            activity[abs(x)] += bump
        bump *= 1.05
        if bump > 1e100:
            activity, bump = {v: score * 1e-100 for v, score in activity.items()}, bump * 1e-100
        if len(learnt) > 1:
            state.watch(learnt)
        state.assign(learnt[0], learnt)


def _learn(state: Propagator, conflict: list[int], marks: list[int]) -> tuple[list[int], int]:
    """Return a clause that forbids a conflict's cause, and the place of its second latest literal on the trail (or -1).

    Its first literal is open after the way back to there; the second is the latest of the others.
    """
    trail = state.trail
    place = {x: i for i, x in enumerate(trail)}
    state.steps.spend(len(trail))
    seen: set[int] = set()
    learnt: list[int] = []
    pending, position, clause = 0, len(trail), conflict
    while True:
        state.steps.spend(len(clause))
        for x in clause:
            at = place.get(-x, -1)  # -1: the literal that this clause made true
            if at >= marks[0] and -x not in seen:
                seen.add(-x)
                if at >= marks[-1]:
                    pending += 1
                else:
                    learnt.append(x)
        position -= 1
        while trail[position] not in seen:
            position -= 1
        pending -= 1
        if pending == 0:
            learnt.sort(key=lambda x: -place[-x])
            return [-trail[position], *learnt], place[-learnt[0]] if learnt else -1
        clause = state.reasons[trail[position]]
