"""Judge answers about formulas beyond one solution: MaxSAT, unsatisfiable cores, the number of models, all models."""

import re
from collections.abc import Sequence

from turnwise.verifiers.logic.cdcl import OutOfSteps, Steps, solve
from turnwise.verifiers.logic.sat import (
    Formula,
    FormulaError,
    clause_table,
    count_models,
    model_table,
    parse_bits,
    parse_literals,
    violated,
)
from turnwise.verifiers.rational import parse_integer
from turnwise.verifiers.structures.listing import is_none
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["maxsat_optimum", "verify_core", "verify_maxsat", "verify_model_count", "verify_models"]

MAX_CORE_STEPS = 1_000_000
_CLAUSE_NUMBER = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
_LABEL = re.compile(r"(?:clauses|core)\b:?", re.IGNORECASE)
_DRESS = str.maketrans(dict.fromkeys("()[]{}\"'`,;|", " "))

Weights = Sequence[int | None]


def _checked_weights(formula: Formula, weights: Weights | None) -> Weights:
    if weights is None:
        return (1,) * len(formula.clauses)
    if len(weights) != len(formula.clauses) or any(w is not None and w < 1 for w in weights):
        raise FormulaError(f"{len(formula.clauses)} clauses need as many weights of at least 1, or None where hard")
    return weights


def verify_maxsat(
    text: str, formula: Formula, target: int, *, weights: Weights | None = None, literals: bool = False,
    partial: bool = False, floor: int = 0,
) -> Verdict:  # fmt: skip
    """Judge whether an assignment satisfies all hard clauses, and soft ones of at least ``target`` weight.

    Args:
        text: The assignment, as for `turnwise.verifiers.logic.sat.verify_assignment`.
        formula: The formula.
        target: The optimum, or a bound that is good enough.
        weights: Weight of each clause, at least 1; None for a hard clause. Without weights all are soft with weight 1.
        literals: The assignment is a list of literals, not bits.
        partial: Pay less weight by (weight - floor) / (target - floor), from 0 to below 1.
        floor: The weight that earns 0, such as that of guessing: 7/8 of all clauses of three literals.

    Returns:
        A verdict with the parts "weight" and "target".

    Raises:
        FormulaError: The weights do not fit the formula.

    >>> formula = Formula(1, ((1,), (-1,)))
    >>> verify_maxsat("1", formula, 3, weights=(3, 2)).correct
    True
    >>> verify_maxsat("0", formula, 3, weights=(3, 2), partial=True).score
    0.6666666666666666
    """
    weights, k = _checked_weights(formula, weights), formula.num_vars
    bits = parse_literals(text, k) if literals else parse_bits(text, k)
    if bits is None:
        form = f"a list with each of 1 to {k}, or its negative, once" if literals else f"exactly {k} characters 0 or 1"
        return wrong(f"the answer must be {form}")
    true = {v if bit == "1" else -v for v, bit in enumerate(bits, 1)}
    kept = [not true.isdisjoint(clause) for clause in formula.clauses]
    broken = next((i for i, (k, w) in enumerate(zip(kept, weights, strict=True), 1) if not k and w is None), None)
    if broken is not None:
        return wrong(f"clause {broken}, which must hold, does not", bits)
    weight = sum(w for k, w in zip(kept, weights, strict=True) if k and w is not None)
    parts = {"weight": float(weight), "target": float(target)}
    if weight >= target:
        return right(bits, parts)
    score = min(max(weight - floor, 0) / (target - floor), 1 - 1e-9) if partial and target > floor else 0.0
    return wrong(f"the satisfied clauses weigh {weight}; {target} are needed", bits, score, parts)


def maxsat_optimum(formula: Formula, weights: Weights | None = None) -> int | None:
    """Return the most weight that an assignment can satisfy, or None if the hard clauses exclude each other.

    All assignments are computed together, by binary digits of the weight; for at most 20 variables.

    Raises:
        FormulaError: The formula has more variables, or the weights do not fit it.

    >>> maxsat_optimum(Formula(1, ((1,), (-1,))), (3, 2))
    3
    """
    weights = _checked_weights(formula, weights)
    soft = [(c, w) for c, w in zip(formula.clauses, weights, strict=True) if w is not None]
    hard = tuple(c for c, w in zip(formula.clauses, weights, strict=True) if w is None)
    candidates = model_table(Formula(formula.num_vars, hard))
    digits: list[int] = []  # by place: the assignments whose weight has this binary digit
    for clause, weight in soft:
        table = clause_table(clause, formula.num_vars)
        for place in range(weight.bit_length()):
            carry, at = table if weight >> place & 1 else 0, place
            while carry or at == place:
                digits += [0] * (at + 1 - len(digits))
                digits[at], carry = digits[at] ^ carry, digits[at] & carry
                at += 1
    if not candidates:
        return None
    best = 0
    for place in reversed(range(len(digits))):
        if candidates & digits[place]:
            candidates &= digits[place]
            best += 1 << place
    return best


def verify_core(
    text: str, formula: Formula, *, minimal: bool = False, max_size: int | None = None, limit: int = MAX_CORE_STEPS
) -> Verdict:
    """Judge whether the text lists clauses, numbered from 1, that have no common solution.

    Args:
        text: For example ``1, 4, 7`` or ``{1, 4, 7}``.
        formula: The formula.
        minimal: Whether the others must have a solution if any one is removed.
        max_size: The maximum number of clauses.
        limit: Total steps of the solver (`turnwise.verifiers.logic.cdcl.Steps`); beyond them the verdict is undecided.

    Returns:
        A verdict with the part "size".

    >>> formula = Formula(2, ((1,), (-1,), (2,)))
    >>> verify_core("1 2", formula, minimal=True).correct, verify_core("{1, 2, 3}", formula, minimal=True).reason
    (True, 'clause 3 is not needed')
    """
    num = len(formula.clauses)
    words = _LABEL.sub("", text.strip(), count=1).translate(_DRESS).split() if len(text) <= 40 + 10 * num else []
    if not words or not all(map(_CLAUSE_NUMBER.fullmatch, words)) or max(map(int, words)) > num:
        return wrong(f"the answer must be numbers of clauses, 1 to {num}")
    chosen = tuple(map(int, words))
    parts = {"size": float(len(chosen))}
    if len(set(chosen)) < len(chosen):
        return wrong("it names a clause twice", chosen)
    if max_size is not None and len(chosen) > max_size:
        return wrong(f"it has {len(chosen)} clauses; {max_size} are allowed", chosen, parts=parts)
    steps = Steps(limit)
    try:
        model = solve(_some(formula, chosen), steps)
        if model is not None:
            return wrong(f"the clauses have a solution: {model[:60]}{'...' * (len(model) > 60)}", chosen, parts=parts)
        for number in chosen if minimal else ():
            if solve(_some(formula, [i for i in chosen if i != number]), steps) is None:
                return wrong(f"clause {number} is not needed", chosen, parts=parts)
    except OutOfSteps:
        return undecided(f"the check of the core needs more than {limit} steps", chosen)
    return right(chosen, parts)


def _some(formula: Formula, numbers: Sequence[int]) -> Formula:
    return Formula(formula.num_vars, tuple(formula.clauses[i - 1] for i in numbers))


def verify_model_count(text: str, formula: Formula, count: int | None = None) -> Verdict:
    """Judge whether the text is the number of satisfying assignments.

    Raises:
        FormulaError: No count is given, and the formula has more than 20 variables.

    >>> verify_model_count("3", Formula(2, ((1, 2),))).correct
    True
    """
    expected = count_models(formula) if count is None else count
    value = parse_integer(text)
    if value is None:
        return wrong("the answer must be a whole number")
    return right(value) if value == expected else wrong(f"{value} is not right", value)


def verify_models(text: str, formula: Formula, *, partial: bool = False) -> Verdict:
    """Judge whether the text lists all satisfying assignments, as bits, each once and nothing else, or "none".

    Args:
        text: For example ``01, 10`` or one on each line.
        formula: The formula, of at most 20 variables.
        partial: Pay the share of models among all that are models or listed.

    Returns:
        A verdict with the part "share", which is that share.

    Raises:
        FormulaError: The formula has more than 20 variables.

    >>> formula = Formula(2, ((1, 2), (-1, -2)))
    >>> verify_models("{10, 01}", formula).correct, verify_models("10", formula, partial=True).score
    (True, 0.5)
    """
    total, k = count_models(formula), formula.num_vars
    if len(text) > (k + 8) * (total + 8):
        return wrong("the answer is longer than a list of all solutions")
    listed = [] if is_none(text) else text.translate(_DRESS).split()
    if any(len(bits) != k or bits.strip("01") for bits in listed) or not text.strip():
        return wrong(f"the answer must be solutions of {k} characters 0 or 1, separated by commas, or none")
    found = tuple(listed)
    if len(set(found)) < len(found):
        return wrong("it lists a solution twice", found)
    bad = [bits for bits in found if violated(formula, bits)]
    good = len(found) - len(bad)
    share = good / (total + len(bad)) if total + len(bad) else 1.0
    if bad:
        return wrong(f"{bad[0]} is not a solution", found, share if partial else 0.0, {"share": share})
    if good < total:
        return wrong("there are more solutions", found, share if partial else 0.0, {"share": share})
    return right(found, {"share": share})
