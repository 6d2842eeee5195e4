"""Combinations of verifiers that keep the verdict of every part for metrics.

A `Verifier` here is a function of the text alone; `functools.partial` binds a gold:
``all_of({"number": partial(verify_rational, gold=Fraction(12)), "short": short})``.

| combination | right when | score otherwise | undecided when |
|---|---|---|---|
| `all_of` | all are right | the lowest | none is wrong, one is undecided |
| `any_of` | one is right | the highest | none is right, one is undecided |
| `product` | all are right | the product | none is wrong, one is undecided |
| `weighted` | the weighted mean reaches the threshold | the mean | what is undecided could tip it |
| `gated` | the gate and then the rest are right | the rest's; 0 before a shut gate | the one that is reached is |

Every part runs, except for the rest behind a closed gate. ``Verdict.parts`` has each part's score under its name, its
own parts under ``name/part``, and ``name/undecided`` = 1 if it was undecided. Verifiers given as a list are named 0, 1,
...; a list of one is that one itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import prod

from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["Verifier", "Verifiers", "all_of", "any_of", "conjoin", "gated", "product", "weigh", "weighted"]

Verifier = Callable[[str], Verdict]
Verifiers = Mapping[str, Verifier] | Sequence[Verifier]
Rule = Callable[[Mapping[str, Verdict]], Verdict]


def all_of(verifiers: Verifiers) -> Verifier:
    """Right if all are; wrong takes precedence over undecided; the score is the lowest.

    Raises:
        ValueError: There is no verifier, or a name is empty or contains a slash.

    >>> from turnwise.verifiers.text import verify_exact
    >>> city, short = partial(verify_exact, gold="Paris"), lambda text: right(text) if len(text) < 9 else wrong("long")
    >>> all_of({"city": city, "short": short})("Paris, France")
    Verdict(correct=False, reason='city: that is not right; short: long', score=0.0, value='paris, france', \
parts={'city': 0.0, 'short': 0.0}, undecided=False)
    """
    return _combined(conjoin, verifiers)


def any_of(verifiers: Verifiers) -> Verifier:
    """Right if one is; right takes precedence over undecided; the score is the highest.

    Raises:
        ValueError: There is no verifier, or a name is empty or contains a slash.
    """
    return _combined(_disjoin, verifiers)


def product(verifiers: Verifiers) -> Verifier:
    """Right if all are; the score is the product, so that every flaw costs.

    Raises:
        ValueError: There is no verifier, or a name is empty or contains a slash.
    """
    return _combined(_multiply, verifiers)


def weighted(
    verifiers: Mapping[str, Verifier], weights: Mapping[str, float] | None = None, *, threshold: float = 1.0
) -> Verifier:
    """Right, with score 1, if the weighted mean of the scores reaches the threshold; ``parts`` has the mean.

    Args:
        verifiers: By name; none is called "mean".
        weights: A positive number for each name; None gives all the same weight.
        threshold: In (0, 1].

    Raises:
        ValueError: Names and weights do not fit, or a weight or the threshold is out of range.
    """
    named = _named(verifiers)
    weights = dict.fromkeys(named, 1.0) if weights is None else dict(weights)
    _check_weights(named, weights, threshold)
    return partial(_apply, partial(weigh, weights=weights, threshold=threshold), named)


def gated(gate: Verifier, rest: Verifier, *, names: tuple[str, str] = ("gate", "rest")) -> Verifier:
    """Return the verdict of ``rest`` if ``gate``, such as a check of the form, is right; otherwise nothing is earned.

    ``rest`` does not run, and has no part, if the gate is wrong or undecided.

    Raises:
        ValueError: The names are equal, empty or hold a slash.
    """
    if len(_named(dict.fromkeys(names, gate))) < 2:
        raise ValueError(f"names is {names!r}; gate and rest need different ones")
    return partial(_pass, gate, rest, names)


# ---- the same over verdicts ---------------------------------------------------------------------------------------


def conjoin(verdicts: Mapping[str, Verdict]) -> Verdict:
    """Return the verdict of `all_of` from the verdicts of its parts."""
    return _strict(verdicts, min(v.score for v in verdicts.values()))


def weigh(verdicts: Mapping[str, Verdict], weights: Mapping[str, float], threshold: float = 1.0) -> Verdict:
    """Return the verdict of `weighted` from those of its parts: undecided if an undecided part could change it.

    Weights are exact decimal numbers as written: 0.1 of 0.1 + 0.2 + 0.7 is a tenth.

    Raises:
        ValueError: Names and weights do not fit, or a weight or the threshold is out of range.
    """
    _check_weights(verdicts, weights, threshold)
    exact = {name: Fraction(str(weights[name])) for name in verdicts}
    total = sum(exact.values(), Fraction())
    least = sum((exact[name] * Fraction(v.score) for name, v in verdicts.items()), Fraction()) / total
    open_ = {name: v for name, v in verdicts.items() if v.undecided}
    most = least + sum((exact[name] for name in open_), Fraction()) / total
    parts, value = _parts(verdicts) | {"mean": float(least)}, _value(verdicts.values())
    if _reached(least, threshold):
        return right(value, parts)
    if _reached(most, threshold):
        return undecided(_reasons(open_), value)._replace(parts=parts)
    failed = {name: v for name, v in verdicts.items() if not v.correct}
    return wrong(_reasons(failed), value, min(float(least), 1.0 - 2.0**-53), parts)


def _reached(mean: Fraction, threshold: float) -> bool:
    """Compare as floats, so that 1/10 reaches 0.1; but only 1 itself reaches 1."""
    return mean == 1 if threshold == 1 else float(mean) >= threshold


def _disjoin(verdicts: Mapping[str, Verdict]) -> Verdict:
    parts, value = _parts(verdicts), _value(verdicts.values())
    for verdict in verdicts.values():
        if verdict.correct:
            return right(verdict.value, parts)
    if open_ := {name: v for name, v in verdicts.items() if v.undecided}:
        return undecided(_reasons(open_), value)._replace(parts=parts)
    return wrong(_reasons(verdicts), value, max(v.score for v in verdicts.values()), parts)


def _multiply(verdicts: Mapping[str, Verdict]) -> Verdict:
    return _strict(verdicts, prod(sorted(v.score for v in verdicts.values())))  # sorted: the same in any order


def _strict(verdicts: Mapping[str, Verdict], score: float) -> Verdict:
    """Combine verdicts: right only if all are; ``score`` is for a wrong one."""
    parts, value = _parts(verdicts), _value(verdicts.values())
    if failed := {name: v for name, v in verdicts.items() if not v.correct and not v.undecided}:
        return wrong(_reasons(failed), value, score, parts)
    if open_ := {name: v for name, v in verdicts.items() if v.undecided}:
        return undecided(_reasons(open_), value)._replace(parts=parts)
    return right(value, parts)


# ---- parts --------------------------------------------------------------------------------------------------------


def _combined(rule: Rule, verifiers: Verifiers) -> Verifier:
    named = _named(verifiers)
    if not isinstance(verifiers, Mapping) and len(verifiers) == 1:
        return verifiers[0]
    return partial(_apply, rule, named)  # a partial rather than a closure, so that it can be pickled if its parts can


def _apply(rule: Rule, verifiers: Mapping[str, Verifier], text: str) -> Verdict:
    return rule({name: _sound(name, verify(text)) for name, verify in verifiers.items()})


def _pass(gate: Verifier, rest: Verifier, names: tuple[str, str], text: str) -> Verdict:
    verdicts = {names[0]: _sound(names[0], gate(text))}
    verdict = verdicts[names[0]]
    if verdict.correct:
        verdict = verdicts[names[1]] = _sound(names[1], rest(text))
    elif not verdict.undecided:
        verdict = verdict._replace(score=0.0)
    return verdict._replace(parts=_parts(verdicts))


def _named(verifiers: Verifiers) -> dict[str, Verifier]:
    if not verifiers:
        raise ValueError("a combination needs at least one verifier")
    if not isinstance(verifiers, Mapping):
        return {str(number): verify for number, verify in enumerate(verifiers)}
    for name in verifiers:
        if not name or "/" in name:
            raise ValueError(f"{name!r} is not a valid name for a part: it must not be empty or contain a slash")
    return dict(verifiers)


def _sound(name: str, verdict: Verdict) -> Verdict:
    """Return the verdict, if it keeps the contract that the rules above rely on."""
    score, correct = verdict.score, verdict.correct
    if not 0.0 <= score <= 1.0 or (score == 1.0) != correct or (verdict.undecided and score > 0.0):
        raise ValueError(f"the verifier {name!r} gave {verdict}: score, correct and undecided do not go together")
    return verdict


def _check_weights(names: Iterable[str], weights: Mapping[str, float], threshold: float) -> None:
    if set(weights) != set(names) or "mean" in weights:
        raise ValueError(f"weights are for {sorted(weights)}, verifiers are {sorted(names)}; 'mean' is reserved")
    if bad := [f"{name}={weight}" for name, weight in weights.items() if not 0 < weight < float("inf")]:
        raise ValueError(f"weights must be positive numbers: {', '.join(bad)}")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}; it must be above 0 and at most 1")


def _parts(verdicts: Mapping[str, Verdict]) -> dict[str, float]:
    parts: dict[str, float] = {}
    for name, verdict in verdicts.items():
        parts[name] = verdict.score
        parts |= {f"{name}/{inner}": figure for inner, figure in (verdict.parts or {}).items()}
        if verdict.undecided:
            parts[f"{name}/undecided"] = 1.0
    return parts


def _value(verdicts: Iterable[Verdict]) -> object:
    """Return the first value that could be read."""
    return next((v.value for v in verdicts if v.readable), None)


def _reasons(verdicts: Mapping[str, Verdict]) -> str:
    return "; ".join(f"{name}: {v.reason}" for name, v in verdicts.items())
