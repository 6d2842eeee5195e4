r"""Check proofs that a formula has no solution, line by line: plain RUP, DRAT and LRAT.

A proof is a list of clauses, the lemmas, each of which must follow from the formula and the lemmas before it by unit
propagation (RUP): make all its literals false, propagate, and reach a false clause. The proof is complete when
propagation alone leads to a conflict, as it does if the empty clause is a lemma.

RUP: one lemma a line, literals as in DIMACS with or without the 0 at the end, ``0`` alone for the empty clause; or,
    for at most 26 variables, in letters, ``A!B``. Deletions (``d`` and a clause) are skipped: additional clauses never
    make less follow.
DRAT: the same in numbers, with the 0 required. A lemma may also be a resolution asymmetric tautology on its first
    literal. Deletions are carried out, except for clauses that are reasons of true literals (drat-trim also ignores
    these) and for clauses that are not there. LRAT: ``ID literals 0 hints 0`` and ``ID d IDs 0``, with all hints
    required, so that nothing is searched for.

Lemmas may name new variables. Whatever follows by these rules, a formula with a solution is never refuted by them.
Source: Goldberg and Novikov, DATE 2003 (RUP); Wetzler, Heule and Hunt, SAT 2014 (DRAT); Cruz-Filipe et al., CADE 2017
(LRAT).
"""

import re
from itertools import pairwise
from typing import Literal, NamedTuple

from turnwise.verifiers.logic.cdcl import OutOfSteps, Propagator, Steps, checked_clauses
from turnwise.verifiers.logic.sat import MAX_LETTERS, Formula
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["MAX_CHARS", "MAX_LINES", "MAX_STEPS", "default_limit", "verify_unsat"]

MAX_CHARS = 2**22
MAX_LINES = 2**18
MAX_STEPS = 200_000_000
_FEWEST_STEPS = 1_000_000
_STEPS_PER_ITEM = 500
MAX_NEW_VARS = 10_000
_NUMBER = re.compile(r"-?[1-9][0-9]{0,8}", re.ASCII)
_IN_LETTERS = re.compile(r"(?:!?[A-Z])+")
_LETTER = re.compile(r"(!?)([A-Z])")
_DRESS = str.maketrans({" ": None, "|": None, "∨": None, "v": None, "¬": "!", "~": "!"})
_EMPTY = frozenset(("0", "⊥", "[]", "{}", "()", "□"))

Clause = tuple[int, ...]


class _Step(NamedTuple):
    """One line: a lemma or a deletion; ``number`` and ``hints`` are those of LRAT."""

    literals: Clause
    deletes: bool = False
    number: int = 0
    hints: tuple[int, ...] = ()


class _Unreadable(Exception):
    """The text cannot be read; the message says why."""


def verify_unsat(
    text: str, formula: Formula, *, form: Literal["rup", "drat", "lrat"] = "rup", limit: int | None = None
) -> Verdict:
    r"""Judge whether the text proves that the formula has no solution.

    Args:
        text: The proof, at most `MAX_CHARS` characters on `MAX_LINES` lines; longer ones are undecided.
        formula: The formula.
        form: The kind of proof; see the module. For proofs that models write: "rup".
        limit: Number of clauses and literals that the check may examine before the verdict is undecided; ten million
            take about a second. None: `default_limit`.

    Returns:
        A verdict whose value is the tuple of lemmas.

    Raises:
        ValueError: The formula has a literal beyond its variables, or the form is unknown.

    >>> formula = Formula(2, ((1, 2), (1, -2), (-1, 2), (-1, -2)))
    >>> verify_unsat("1 0\n0", formula).correct, verify_unsat("A", formula).correct
    (True, True)
    >>> verify_unsat("0", formula).reason
    'line 1, 0, does not follow by unit propagation from the clauses before it'
    """
    if form not in ("rup", "drat", "lrat"):
        raise ValueError(f"form is {form!r}; it must be 'rup', 'drat' or 'lrat'")
    clauses = checked_clauses(formula)
    if len(text) > MAX_CHARS:
        return undecided(f"the proof is longer than {MAX_CHARS} characters")
    if text.count("\n") + text.count(";") >= MAX_LINES:
        return undecided(f"the proof has more than {MAX_LINES} lines")
    letters = form == "rup" and formula.num_vars <= MAX_LETTERS
    steps: dict[int, _Step] = {}
    top = formula.num_vars
    try:
        for number, line in enumerate(re.split(r"[\n;]", text), 1):
            line = line.strip()
            if line and not (line[0] == "c" and line[1:2] in ("", " ")):
                steps[number] = step = _lrat_step(line) if form == "lrat" else _step(line, letters, form == "rup")
                if step.literals:
                    top = max(top, max(step.literals), -min(step.literals))
    except _Unreadable as problem:
        return wrong(f"line {number}, {_cut(line)}, is not readable: {problem}")
    if not steps:
        return wrong("there is no lemma in the proof; its last line is the empty clause, 0")
    if top > formula.num_vars + MAX_NEW_VARS:
        return wrong(f"the proof names variable {top}; the formula has {formula.num_vars}")
    lemmas = tuple(step.literals for step in steps.values() if not step.deletes)
    if limit is None:
        limit = default_limit(sum(1 + len(step.literals) + len(step.hints) for step in steps.values()), formula)
    try:
        if form == "lrat":
            problem_found = _check_hints(steps, clauses, Steps(limit))
        else:
            problem_found = _check(steps, clauses, Propagator(top, Steps(limit)), form == "drat")
    except OutOfSteps:
        return undecided(f"the check of the proof needs more than {limit} steps", lemmas)
    return wrong(problem_found, lemmas) if problem_found else right(lemmas)


def default_limit(proof_size: int, formula: Formula) -> int:
    """Return the steps allowed for a proof of this size: a million plus 500 per item, at most 200 million.

    Solvers' proofs of random formulas with 200 variables at the threshold need 70 to 420 per item, those with fewer
    variables less. The check is bounded by this number, whatever the proof contains.

    Args:
        proof_size: Its lines and the literals and hints in them.
        formula: Its clauses and literals count as the proof's.

    >>> default_limit(0, Formula(1, ())), default_limit(10_000, Formula(1, ())), default_limit(10**6, Formula(1, ()))
    (1000000, 6000000, 200000000)
    """
    size = proof_size + sum(1 + len(clause) for clause in formula.clauses)
    return min(MAX_STEPS, _FEWEST_STEPS + _STEPS_PER_ITEM * size)


# ---- reading ------------------------------------------------------------------------------------------------------


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "..."


def _numbers(tokens: list[str]) -> Clause:
    odd = next((token for token in tokens if not _NUMBER.fullmatch(token)), None)
    if odd is not None:
        raise _Unreadable(f"{_cut(odd)!r} is not a number that may stand there")
    return tuple(map(int, tokens))


def _step(line: str, letters: bool, lenient: bool) -> _Step:
    """Return a line of a RUP or DRAT proof."""
    deletes = line[0] == "d" and line[1:2] in ("", " ")
    body = line[1:].strip() if deletes else line
    if lenient and body in _EMPTY:
        return _Step((), deletes)
    if letters and _IN_LETTERS.fullmatch(bare := body.translate(_DRESS)):
        return _Step(tuple((ord(x) - 64) * (-1 if sign else 1) for sign, x in _LETTER.findall(bare)), deletes)
    tokens = body.split()
    if tokens and tokens[-1] == "0":
        tokens.pop()
    elif not lenient or not tokens:
        raise _Unreadable("a clause ends with 0")
    return _Step(_numbers(tokens), deletes)


def _lrat_step(line: str) -> _Step:
    number, *tokens = line.split()
    if not _NUMBER.fullmatch(number) or number[0] == "-" or not tokens or tokens[-1] != "0":
        raise _Unreadable("it is neither 'ID literals 0 hints 0' nor 'ID d IDs 0'")
    tokens.pop()
    if tokens and tokens[0] == "d":
        return _Step((), True, int(number), _numbers(tokens[1:]))
    if "0" not in tokens:
        raise _Unreadable("a lemma needs a 0 before and after its hints")
    middle = tokens.index("0")
    return _Step(_numbers(tokens[:middle]), False, int(number), _numbers(tokens[middle + 1 :]))


# ---- RUP and DRAT -------------------------------------------------------------------------------------------------


def _check(steps: dict[int, _Step], clauses: list[Clause], state: Propagator, rat: bool) -> str:
    """Return what is wrong with a RUP or DRAT proof; "" if it is right."""
    held = _Held(state)
    for literals in clauses:
        held.add(literals)
        if state.refuted:
            return ""
    for number, step in steps.items():
        lemma = tuple(dict.fromkeys(step.literals))
        if step.deletes:
            held.delete(lemma, aside=not rat)
            continue
        settled = len(state.trail)
        follows = held.has(lemma) or state.assume_false(lemma) or (rat and _is_rat(lemma, held.clauses, state))
        state.undo(settled)
        if not follows and held.restore():
            settled = len(state.trail)
            follows = state.refuted or state.assume_false(lemma)
            state.undo(settled)
        if not follows:
            shown = _cut(" ".join(map(str, (*lemma, 0))))
            either = ", and is no RAT on its first literal" if rat and lemma else ""
            return f"line {number}, {shown}, does not follow by unit propagation from the clauses before it{either}"
        held.add(lemma)
        if state.refuted:
            return ""
    held.restore()
    return "" if state.refuted else "the lemmas are right, but do not lead to the empty clause"


class _Held:
    """The clauses that a check knows, and those that a RUP proof deletes.

    Clauses that a RUP proof deletes still count, but are rarely needed: they are set aside, and examined only if a
    lemma does not follow without them.

    Attributes:
        clauses: Clauses in use, by sorted literals.
    """

    def __init__(self, state: Propagator) -> None:
        self.state = state
        self.clauses: dict[Clause, list[list[int]]] = {}
        self.aside: list[Clause] = []

    def has(self, literals: Clause) -> bool:
        """Return whether the clause is in use."""
        return bool(self.clauses.get(tuple(sorted(literals))))

    def add(self, literals: Clause) -> None:
        """Add a clause, unless it is always true."""
        if {-x for x in literals}.isdisjoint(literals):
            self.clauses.setdefault(tuple(sorted(literals)), []).append(self.state.add(literals))

    def delete(self, literals: Clause, aside: bool) -> None:
        """Stop using a clause if it exists and is not the reason of a literal."""
        key = tuple(sorted(literals))
        same = self.clauses.get(key)
        if same and self.state.delete(same[-1]):
            same.pop()
            if not same:
                del self.clauses[key]
            if aside:
                self.aside.append(literals)

    def restore(self) -> bool:
        """Use the clauses that were set aside again; return whether there were any."""
        aside, self.aside = self.aside, []
        for literals in aside:
            if not self.state.refuted:
                self.add(literals)
        return bool(aside)


def _is_rat(lemma: Clause, kept: dict[Clause, list[list[int]]], state: Propagator) -> bool:
    """Return whether every resolvent on the lemma's first literal, which is assumed false with the others, follows."""
    if not lemma:
        return False
    pivot, length = -lemma[0], len(state.trail)
    for literals, same in kept.items():
        state.steps.spend(1 + len(literals))
        if same and pivot in literals:
            follows = state.assume_false(x for x in literals if x != pivot)
            state.undo(length)
            if not follows:
                return False
    return True


# ---- LRAT ---------------------------------------------------------------------------------------------------------


def _check_hints(steps: dict[int, _Step], clauses: list[Clause], budget: Steps) -> str:
    """Return what is wrong with an LRAT proof; "" if it is right."""
    known: dict[int, Clause] = dict(enumerate(clauses, 1))
    latest = len(clauses)
    for line, step in steps.items():
        if step.deletes:
            gone = next((i for i in step.hints if known.pop(i, None) is None), None)
            if gone is not None:
                return f"line {line} deletes clause {gone}, which is not there"
            continue
        if step.number <= latest:
            return f"line {line} has the ID {step.number}; it must be above {latest}"
        latest = step.number
        problem = _hinted(step, known, budget)
        if problem:
            return f"line {line}, lemma {latest}, is not shown: {problem}"
        if not step.literals:
            return ""
        known[latest] = step.literals
    return "the lemmas are right, but the empty clause is not among them"


def _hinted(step: _Step, known: dict[int, Clause], budget: Steps) -> str:
    """Return why the hints do not prove the lemma; "" if they do."""
    hints = step.hints
    starts = [i for i, hint in enumerate(hints) if hint < 0] + [len(hints)]
    false = set(step.literals)
    conflict, problem = _follow(hints[: starts[0]], known, false, budget)
    if conflict or problem:
        return problem
    if not step.literals:
        return "the hints lead to no conflict"
    pivot = -step.literals[0]
    groups = {-hints[a]: hints[a + 1 : b] for a, b in pairwise(starts)}
    for number, clause in known.items():
        budget.spend(1 + len(clause))
        if pivot not in clause:
            continue
        if number not in groups:
            return f"the hints lead to no conflict and say nothing of clause {number}"
        others = [x for x in clause if x != pivot]
        if any(-x in false for x in others):
            continue  # the resolvent is true
        conflict, problem = _follow(groups[number], known, false.union(others), budget)
        if not conflict:
            return problem or f"the hints lead to no conflict with clause {number}"
    return ""


def _follow(hints: tuple[int, ...], known: dict[int, Clause], false: set[int], budget: Steps) -> tuple[bool, str]:
    """Tell whether the hints lead from false literals to a conflict; or what is wrong with a hint. ``false`` grows."""
    for hint in hints:
        clause = known.get(hint)
        if clause is None:
            return False, f"the hint {hint} is not a clause of the proof or the formula"
        budget.spend(1 + len(clause))
        left = [x for x in clause if x not in false]
        if not left:
            return True, ""
        if len(left) > 1:
            return False, f"clause {hint} forces nothing at its place among the hints"
        false.add(-left[0])
    return False, ""
