"""Boolean formulas in conjunctive normal form: reading them, checking assignments, counting models.

A literal is a whole number as in DIMACS: 3 is the third variable, -3 its negation. In the letters form of SATURN the
variables are A, B, ... and ``AB!D & !BCE`` stands for (A or B or not D) and (not B or C or E).
Source: DIMACS challenge format (1993); letters form of SATURN (arXiv 2505.16368).
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = [
    "Formula", "FormulaError", "canonical", "count_models", "dimacs_text", "letters_text", "models", "parse_bits",
    "parse_dimacs", "parse_letters", "parse_literals", "read_saturn", "saturn_json", "verify_assignment", "violated",
]  # fmt: skip

MAX_CHARS = 2**20
MAX_VARS = 10_000
MAX_LETTERS = 26
MAX_COUNTED_VARS = 20
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CLAUSE = re.compile(r"(?:!?[A-Z])+")
_LITERAL = re.compile(r"(!?)([A-Z])")
_INTEGER = re.compile(r"-?[0-9]{1,6}", re.ASCII)


class FormulaError(ValueError):
    """A text or row does not contain the formula that it should."""


class Formula(NamedTuple):
    """A conjunction of clauses over the variables 1 to ``num_vars``; a clause is a tuple of literals."""

    num_vars: int
    clauses: tuple[tuple[int, ...], ...]


def canonical(formula: Formula) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """Return the same for formulas that differ only in the order of clauses or literals."""
    clauses = (tuple(sorted(clause, key=abs)) for clause in formula.clauses)
    return formula.num_vars, tuple(sorted(clauses))


# ---- formulas as text ---------------------------------------------------------------------------------------------


def parse_letters(text: str, num_vars: int) -> Formula:
    """Read the letters form.

    Raises:
        FormulaError: The text is not a formula, or uses a letter beyond the first ``num_vars``.

    >>> parse_letters("A!C & !AB", 3)
    Formula(num_vars=3, clauses=((1, -3), (-1, 2)))
    """
    if not 1 <= num_vars <= MAX_LETTERS or len(text) > MAX_CHARS:
        raise FormulaError(f"the letters form takes 1 to {MAX_LETTERS} variables and {MAX_CHARS} characters")
    clauses = []
    for part in text.split("&"):
        part = part.strip()
        if not _CLAUSE.fullmatch(part):
            raise FormulaError(f"{part[:60]!r} is not a clause such as 'A!BC'")
        clause = tuple((ord(x) - 64) * (-1 if sign else 1) for sign, x in _LITERAL.findall(part))
        _check_clause(clause, num_vars, part)
        clauses.append(clause)
    return Formula(num_vars, tuple(clauses))


def parse_dimacs(text: str) -> Formula:
    r"""Read a formula in DIMACS format.

    Raises:
        FormulaError: The text is not a formula.

    >>> parse_dimacs("c example\np cnf 3 2\n1 -3 0\n-1 2 0\n")
    Formula(num_vars=3, clauses=((1, -3), (-1, 2)))
    """
    if len(text) > MAX_CHARS:
        raise FormulaError(f"the text is longer than {MAX_CHARS} characters")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("c")]
    header = re.fullmatch(r"\s*p\s+cnf\s+([0-9]{1,5})\s+([0-9]{1,6})\s*", lines[0], re.ASCII) if lines else None
    if header is None or not 1 <= int(header[1]) <= MAX_VARS:
        raise FormulaError(f"no header 'p cnf VARIABLES CLAUSES' with at most {MAX_VARS} variables")
    num_vars, clauses, clause = int(header[1]), [], []
    for token in " ".join(lines[1:]).split():
        if not _INTEGER.fullmatch(token):
            raise FormulaError(f"{token[:60]!r} is not a literal")
        if int(token):
            clause.append(int(token))
            continue
        _check_clause(tuple(clause), num_vars, " ".join(map(str, clause)))
        clauses.append(tuple(clause))
        clause = []
    if clause or len(clauses) != int(header[2]):
        raise FormulaError(f"the header says {header[2]} clauses; {len(clauses)} are complete")
    return Formula(num_vars, tuple(clauses))


def _check_clause(clause: tuple[int, ...], num_vars: int, shown: str) -> None:
    variables = {abs(x) for x in clause}
    if not clause or len(variables) != len(clause) or max(variables) > num_vars:
        raise FormulaError(f"the clause {shown[:60]!r} is empty, repeats a variable or goes past variable {num_vars}")


def clause_letters(clause: tuple[int, ...]) -> str:
    """Return one clause in the letters form: ``A!C``."""
    return "".join(_LETTERS[x - 1] if x > 0 else "!" + _LETTERS[-x - 1] for x in clause)


def letters_text(formula: Formula) -> str:
    """Return the letters form, for at most 26 variables."""
    return " & ".join(map(clause_letters, formula.clauses))


def dimacs_text(formula: Formula) -> str:
    """Return the DIMACS format, without a newline at the end."""
    lines = [f"p cnf {formula.num_vars} {len(formula.clauses)}"]
    lines += [" ".join(map(str, clause)) + " 0" for clause in formula.clauses]
    return "\n".join(lines)


def saturn_json(formula: Formula) -> str:
    """Return the JSON object by which SATURN shows a formula."""
    return json.dumps({"n_sat": max(map(len, formula.clauses)), "k": formula.num_vars, "clause": letters_text(formula)})


def read_saturn(row: Mapping[str, object]) -> tuple[Formula, str]:
    """Return the formula and the shipped solution of one row of SATURN's files.

    Raises:
        FormulaError: A field is missing or malformed, or the solution does not satisfy the formula.
    """
    n, k, text, solution = (row.get(name) for name in ("n_sat", "k", "clause", "solution"))
    if type(n) is not int or type(k) is not int or not isinstance(text, str) or not isinstance(solution, str):
        raise FormulaError("it needs the whole numbers n_sat and k and the texts clause and solution")
    formula = parse_letters(text, k)
    if odd := [clause for clause in formula.clauses if len(clause) != n]:
        raise FormulaError(f"n_sat is {n} but there is the clause {clause_letters(odd[0])!r}")
    verdict = verify_assignment(solution, formula)
    if not verdict.correct:
        raise FormulaError(f"solution is {solution[:60]!r}: {verdict.reason}")
    return formula, solution


# ---- assignments --------------------------------------------------------------------------------------------------


def parse_bits(text: str, num_vars: int) -> str | None:
    """Return the assignment given by exactly ``num_vars`` characters 0 or 1, or None: nothing is padded or skipped."""
    text = text.strip()
    return text if len(text) == num_vars and not text.strip("01") else None


def parse_literals(text: str, num_vars: int) -> str | None:
    """Return the assignment, as bits, given by a list of literals: each variable exactly once, in any order.

    A ``v`` before a line and a 0 at the very end are allowed, as printed by solvers.

    >>> parse_literals("v 1 -2 3 0", 3)
    '101'
    """
    if len(text) > 10 * num_vars + 20:
        return None
    tokens: list[str] = []
    for line in text.strip().splitlines():
        parts = line.split()
        tokens += parts[1:] if parts and parts[0] == "v" else parts
    if tokens and tokens[-1] == "0":
        tokens.pop()
    if len(tokens) != num_vars or not all(map(_INTEGER.fullmatch, tokens)):
        return None
    literals = {int(token) for token in tokens}
    if {abs(x) for x in literals} != set(range(1, num_vars + 1)):
        return None
    return "".join("1" if v in literals else "0" for v in range(1, num_vars + 1))


def violated(formula: Formula, bits: str) -> list[tuple[int, ...]]:
    """Return the clauses that an assignment leaves false."""
    true = {v if bit == "1" else -v for v, bit in enumerate(bits, 1)}
    return [clause for clause in formula.clauses if true.isdisjoint(clause)]


def verify_assignment(text: str, formula: Formula, *, literals: bool = False) -> Verdict:
    """Judge whether the text is an assignment, written as bits or as a list of literals, that satisfies the formula."""
    k = formula.num_vars
    bits = parse_literals(text, k) if literals else parse_bits(text, k)
    if bits is None:
        form = f"a list with each of 1 to {k}, or its negative, once" if literals else f"exactly {k} characters 0 or 1"
        return wrong(f"the answer must be {form}")
    false = violated(formula, bits)
    if not false:
        return right(bits)
    show = clause_letters if k <= MAX_LETTERS and not literals else lambda clause: " ".join(map(str, clause))
    named = ", ".join(map(show, false[:3])) + (", ..." if len(false) > 3 else "")
    return wrong(f"{len(false)} of {len(formula.clauses)} clauses are not satisfied: {named}", bits)


# ---- all assignments at once --------------------------------------------------------------------------------------


@lru_cache(maxsize=4 * MAX_COUNTED_VARS)
def truth_table(variable: int, num_vars: int) -> int:
    """Return the assignments in which a variable is true: bit i stands for the one with the binary digits of i."""
    half = 1 << (variable - 1)
    table, size = ((1 << half) - 1) << half, 2 * half
    while size < 1 << num_vars:
        table |= table << size
        size *= 2
    return table


def clause_table(clause: tuple[int, ...], num_vars: int) -> int:
    """Return the assignments in which a clause is true, as in `truth_table`."""
    everything = (1 << (1 << num_vars)) - 1
    table = 0
    for x in clause:
        table |= truth_table(x, num_vars) if x > 0 else everything ^ truth_table(-x, num_vars)
    return table


def model_table(formula: Formula) -> int:
    """Return the assignments that satisfy the formula, as in `truth_table`; for at most 20 variables."""
    if formula.num_vars > MAX_COUNTED_VARS:
        raise FormulaError(f"it has {formula.num_vars} variables; models are counted up to {MAX_COUNTED_VARS}")
    table = (1 << (1 << formula.num_vars)) - 1
    for clause in formula.clauses:
        table &= clause_table(clause, formula.num_vars)
    return table


def count_models(formula: Formula) -> int:
    """Return how many assignments satisfy the formula, by trying all 2**k in parallel; for at most 20 variables.

    >>> count_models(parse_letters("AB & !A!B", 2))
    2
    """
    return model_table(formula).bit_count()


def models(formula: Formula) -> Iterator[str]:
    """Yield the satisfying assignments as bits, one after the other; for at most 20 variables."""
    table = model_table(formula)
    while table:
        lowest = table & -table
        yield format(lowest.bit_length() - 1, f"0{formula.num_vars}b")[::-1]
        table ^= lowest
