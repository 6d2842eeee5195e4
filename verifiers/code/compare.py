"""Equality of plain data, the only type of answer that a jailed function can give."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from turnwise.verifiers.structured.values import paired_off

__all__ = [
    "SCALARS",
    "Same",
    "approximately",
    "same_loosely",
    "same_numbers",
    "same_unordered",
    "same_value",
    "unordered",
]

Same = Callable[[object, object], bool]
"""Tells whether a program's answer (first) equals the expected value (second)."""

SCALARS = (type(None), bool, int, float, complex, str, bytes, bytearray)
_RELATIVE = 1e-9
_BESIDE_ZERO = 1e-12
_MAX_DEPTH = 200
_MAX_LEFT = 200  # members of unordered collections that only a tolerance could pair off


class _Rule(NamedTuple):
    """The rule of equality.

    Attributes:
        relative: Relative tolerance of floats.
        absolute: Absolute tolerance of floats.
        numbers: An int may stand for a float, and the other way round.
        sequences: A tuple may stand for a list, and the other way round.
        levels: Number of outermost levels of lists and tuples that are compared without regard to order.
    """

    relative: float = _RELATIVE
    absolute: float = 0.0
    numbers: bool = False
    sequences: bool = False
    levels: int = 0

    def inner(self) -> "_Rule":
        """Return the rule for the members of a list or tuple."""
        return self._replace(levels=self.levels - 1) if self.levels else self


_EXACT = _Rule()
_NUMBERS = _Rule(numbers=True)
_LOOSE = _Rule(numbers=True, sequences=True)


def same_value(got: object, expected: object) -> bool:
    """Return whether two values are equal, with the same types throughout.

    1 is neither True nor 1.0, and a list is not a tuple. Floats may differ by 1e-9 relatively, and by 1e-12 if one of
    them is 0.0; NaN equals NaN. The order of sets and dictionaries is ignored.

    Args:
        got: Plain data, see `turnwise.sandbox.wire.values`; anything else is the same as nothing.
        expected: The same.

    >>> same_value([1, {"a": 0.1 + 0.2}], [1, {"a": 0.3}]), same_value(1, True), same_value((1,), [1])
    (True, False, False)
    """
    return _same(got, expected, _EXACT, 0)


def same_numbers(got: object, expected: object) -> bool:
    """Like `same_value`, but an int may equal a float and the other way round; a bool never equals a number.

    >>> same_numbers([1, 2.0], [1.0, 2]), same_numbers(1, True), same_numbers((1,), [1])
    (True, False, False)
    """
    return _same(got, expected, _NUMBERS, 0)


def same_loosely(got: object, expected: object) -> bool:
    """Like `same_numbers`, but a tuple may also equal a list: for expected values that were stored as JSON.

    >>> same_loosely((1, [2.0]), [1, (2,)]), same_loosely([1], [True])
    (True, False)
    """
    return _same(got, expected, _LOOSE, 0)


def same_unordered(got: object, expected: object) -> bool:
    """Like `same_value`, but ignoring the order of the outermost list or tuple; multiplicities count.

    >>> same_unordered([2, 1, 1], [1, 2, 1]), same_unordered([1, 2], [1, 2, 1]), same_unordered([[1, 2]], [[2, 1]])
    (True, False, False)
    """
    return _same(got, expected, _Rule(levels=1), 0)


def unordered(levels: int, numbers: bool = False, sequences: bool = False) -> Same:
    """Return a comparison that ignores the order of the outermost ``levels`` of lists and tuples.

    Args:
        levels: 1 for the outermost only, 2 for that and its members, and so on.
        numbers: As `same_numbers`.
        sequences: A tuple may stand for a list.

    >>> unordered(2)([[2, 1], [3]], [[3], [1, 2]])
    True
    """
    rule = _Rule(levels=levels, numbers=numbers, sequences=sequences)
    return lambda got, expected: _same(got, expected, rule, 0)


def approximately(tolerance: float, numbers: bool = True, sequences: bool = False) -> Same:
    """Return a comparison in which floats may differ by a tolerance, absolutely or relatively.

    Args:
        tolerance: At least 0.
        numbers: An int may stand for a float.
        sequences: A tuple may stand for a list.

    >>> approximately(1e-3)([1, 2.0], [1.0005, 2.001]), approximately(1e-3)(1.01, 1.0)
    (True, False)
    """
    if not 0 <= tolerance < math.inf:
        raise ValueError(f"tolerance={tolerance!r}: a number of at least 0")
    rule = _Rule(tolerance, tolerance, numbers, sequences)
    return lambda got, expected: _same(got, expected, rule, 0)


def _same(got: Any, expected: Any, rule: _Rule, depth: int) -> bool:
    kind = type(got)
    if kind is not type(expected) and not _may_stand_for(kind, type(expected), rule):
        return False
    if kind is int or kind is float:
        return _same_number(got, expected, rule)
    if kind in SCALARS:
        return _same_complex(got, expected, rule) if kind is complex else bool(got == expected)
    if depth > _MAX_DEPTH or kind not in (list, tuple, dict, set, frozenset) or len(got) != len(expected):
        return False
    if kind is list or kind is tuple:
        inner = rule.inner()
        if not rule.levels:
            return all(_same(a, b, inner, depth + 1) for a, b in zip(got, expected, strict=True))
        return _same_members(got, expected, inner, depth)
    if kind is dict:
        return _same_dict(got, expected, rule, depth)
    return _same_members(got, expected, rule, depth)


def _may_stand_for(kind: type, other: type, rule: _Rule) -> bool:
    if rule.numbers and {kind, other} == {int, float}:
        return True
    return rule.sequences and {kind, other} == {list, tuple}


def _same_number(got: float, expected: float, rule: _Rule) -> bool:
    if got == expected:
        return True
    if type(got) is int and type(expected) is int:
        return False
    try:
        a, b = float(got), float(expected)
    except OverflowError:  # an integer far from every float
        return False
    if a != a or b != b:
        return a != a and b != b
    beside_zero = _BESIDE_ZERO if not a or not b else 0.0
    return math.isclose(a, b, rel_tol=min(rule.relative, 1.0), abs_tol=max(rule.absolute, beside_zero))


def _same_complex(got: complex, expected: complex, rule: _Rule) -> bool:
    if got == expected:
        return True
    parts = ((got.real, expected.real), (got.imag, expected.imag))
    if any(not math.isfinite(part) for pair in parts for part in pair):
        return all(_same_number(a, b, rule) for a, b in parts)
    return abs(got - expected) <= max(rule.absolute, rule.relative * max(abs(got), abs(expected)))


def _same_dict(got: dict[Any, Any], expected: dict[Any, Any], rule: _Rule, depth: int) -> bool:
    there = {_key(key, rule, depth): value for key, value in expected.items()}
    unmatched = []
    for key, value in got.items():
        mark = _key(key, rule, depth)
        if mark not in there:
            unmatched.append((key, value))
        elif not _same(value, there.pop(mark), rule, depth + 1):
            return False
    if not unmatched:
        return True
    left = [(key, value) for key, value in expected.items() if _key(key, rule, depth) in there]
    return _paired(unmatched, left, rule, depth)


def _same_members(got: Iterable[Any], expected: Iterable[Any], rule: _Rule, depth: int) -> bool:
    """Return whether they are equal in some order."""
    there = Counter(_key(item, rule, depth) for item in expected)
    unmatched = []
    for item in got:
        mark = _key(item, rule, depth)
        if there[mark] > 0:
            there[mark] -= 1
        else:
            unmatched.append(item)
    if not unmatched:
        return True
    left = []
    for item in expected:
        mark = _key(item, rule, depth)
        if there[mark] > 0:
            there[mark] -= 1
            left.append(item)
    return _paired(unmatched, left, rule, depth)


def _paired(got: Sequence[Any], expected: Sequence[Any], rule: _Rule, depth: int) -> bool:
    """Return whether each has a partner that differs only within the tolerance."""
    if len(got) != len(expected):
        return False
    if all(type(item) is float for item in (*got, *expected)):
        return all(_same_number(a, b, rule) for a, b in zip(sorted(got), sorted(expected), strict=True))
    if len(got) > _MAX_LEFT:
        return False
    return None not in paired_off(got, expected, lambda a, b: _same(a, b, rule, depth + 1))


def _key(value: Any, rule: _Rule, depth: int) -> str:
    """Return a text that is equal exactly for values that are equal up to tolerances.

    It uses texts because their hashes cannot be made to collide, unlike those of numbers and tuples.
    """
    kind = type(value)
    if kind is int or kind is float:
        if rule.numbers and kind is float and value.is_integer():
            value, kind = int(value), int
        if kind is float:
            return f"f{value + 0.0!r}"  # -0.0 is 0.0
        return f"i{value:x}"
    if kind is complex:
        return f"c{_key(value.real, rule, depth)},{_key(value.imag, rule, depth)}"
    if kind in SCALARS:
        return repr(value)
    if depth > _MAX_DEPTH or kind not in (list, tuple, dict, set, frozenset):
        return f"?{id(value)}"  # equal to nothing else
    if kind is dict:
        pairs = sorted(f"{_key(k, rule, depth + 1)}:{_key(v, rule, depth + 1)}" for k, v in value.items())
        return f"{{{','.join(pairs)}}}"
    if kind is set or kind is frozenset:
        members = sorted(_key(item, rule, depth + 1) for item in value)
        return f"{kind.__name__}({','.join(members)})"
    inner = rule.inner()
    members = [_key(item, inner, depth + 1) for item in value]
    if rule.levels:
        members.sort()
    return f"{'sequence' if rule.sequences else kind.__name__}({','.join(members)})"
