"""Values with units: 5 cm, 5 ft 3 in, 3 · 10⁸ m/s, 36°."""

from fractions import Fraction
from typing import NamedTuple

from turnwise.verifiers.math.values.bounds import Meter
from turnwise.verifiers.math.values.exact import NOTHING, rational
from turnwise.verifiers.math.values.nouns import singular
from turnwise.verifiers.math.values.tree import Add, Const, Div, Mul, Neg, Node, Num, Percent, Pow, Quantity, Unit
from turnwise.verifiers.math.values.units import LEADING, read_unit
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import contains, subtrees

__all__ = ["equal_measures", "measure"]

_COUNT = "count:"
_CURRENCIES = frozenset(name for unit in LEADING.values() for name, _ in unit.dimensions)
_PERIODS = ("second", "minute", "hour", "day", "week", "month", "year")


class Measured(NamedTuple):
    """A value in a unit; ``written``: this very unit was written (not composed of several)."""

    value: Node
    unit: Unit | None
    written: bool = True


def measure(node: Node, meter: Meter) -> Measured | None:
    """An expression as one value in one unit; None where units of different dimensions are added."""
    if not contains(node, Quantity):
        return Measured(node, None)
    match node:
        case Quantity(value, unit):
            if not unit.dimensions and not unit.pi and unit.scale != 1:  # million, dozen: numbers, no units
                return Measured(_scaled(value, unit.scale, 0, Fraction(0)), None)
            return Measured(value, unit)
        case Neg(x):
            inner = measure(x, meter)
            return None if inner is None else inner._replace(value=Neg(inner.value))
        case Add(terms):
            return _sum(terms, meter)
        case Mul(factors):
            powers = [(factor, 1) for factor in factors]
        case Div(top, bottom):
            powers = [(top, 1), (bottom, -1)]
        case Pow(base, exponent):
            power = rational(exponent, meter, NOTHING)
            if power is None or power.denominator != 1 or abs(power) > 12:
                return None
            powers = [(base, int(power))]
        case _:
            return Measured(node, None)
    return _product(powers, meter)


def _sum(terms: tuple[Node, ...], meter: Meter) -> Measured | None:
    parts = [measure(term, meter) for term in terms]
    units = [part.unit for part in parts if part is not None]
    if len(units) < len(parts):
        return None
    if any(unit is None for unit in units):  # angles count as plain numbers
        pure = all(unit is None or not unit.dimensions for unit in units)
        return Measured(Add(terms), None) if pure else None
    first = units[0]
    assert first is not None
    if all(unit is not None and _alike(unit, first) for unit in units):
        return Measured(Add(tuple(part.value for part in parts if part)), first, all(p.written for p in parts if p))
    if any(unit is None or unit.dimensions != first.dimensions or unit.offset for unit in units):
        return None
    base = tuple(_in_base_units(part.value, part.unit) for part in parts if part and part.unit)
    return Measured(Add(base), Unit(first.dimensions), False)


def _product(powers: list[tuple[Node, int]], meter: Meter) -> Measured | None:
    dimensions: dict[str, Fraction] = {}
    scale, pi, values = Fraction(1), 0, []
    for node, power in powers:
        part = measure(node, meter)
        if part is None or (part.unit is not None and part.unit.offset):
            return None
        values.append(part.value if power == 1 else Pow(part.value, Num(Fraction(power))))
        if part.unit is not None:
            for name, exponent in part.unit.dimensions:
                dimensions[name] = dimensions.get(name, Fraction(0)) + exponent * power
            scale *= part.unit.scale**power
            pi += part.unit.pi * power
    unit = Unit(tuple(sorted((name, p) for name, p in dimensions.items() if p)), scale, Fraction(0), pi)
    value = values[0] if len(values) == 1 else Mul(tuple(values))
    return Measured(value, unit)


def _alike(left: Unit, right: Unit) -> bool:
    return left._replace(name="") == right._replace(name="")


def _in_base_units(value: Node, unit: Unit) -> Node:
    return _scaled(value, unit.scale, unit.pi, unit.offset)


def _scaled(value: Node, factor: Fraction, pi: int, offset: Fraction) -> Node:
    """``value * factor * π**pi + offset``; a decimal moved by a power of ten stays one."""
    if factor != 1 and pi == 0 and isinstance(value, Num) and value.places is not None:
        exponent = _power_of_ten(factor)
        if exponent is not None and not offset:
            return Num(value.value * factor, value.places - exponent)
    if factor != 1:
        value = Mul((value, Num(factor)))
    if pi:
        value = Mul((value, Pow(Const("pi"), Num(Fraction(pi)))))
    return Add((value, Num(offset))) if offset else value


def _power_of_ten(factor: Fraction) -> int | None:
    text = str(factor.numerator if factor.denominator == 1 else factor.denominator)
    if 1 not in (factor.numerator, factor.denominator) or text.strip("0") != "1" or len(text) > 40:
        return None
    return len(text) - 1 if factor.denominator == 1 else 1 - len(text)


def equal_measures(answer: Measured, gold: Measured, scalars: Scalars, required: bool) -> str:
    """Why two values with or without units differ; empty where they do not.

    A unit may be missing (unless ``required``) or be there in excess; units of one dimension are converted.
    """
    ours, theirs = answer.unit, gold.unit
    differs = "the value differs"
    if theirs is None and ours is None:
        return "" if scalars.equal(answer.value, gold.value) else differs
    if theirs is None:
        assert ours is not None
        radians = bool(ours.pi) and any(part == Const("pi") for part in subtrees(gold.value))
        if answer.written and not radians and scalars.equal(answer.value, gold.value):
            return ""
        pure = not ours.dimensions and scalars.equal(_in_base_units(answer.value, ours), gold.value)
        return "" if pure else differs
    if ours is None:
        if not theirs.dimensions and scalars.equal(answer.value, _in_base_units(gold.value, theirs)):
            return ""
        if required:
            return "the unit is missing"
        return "" if gold.written and scalars.equal(answer.value, gold.value) else differs
    generic = _generic(ours, theirs) or _pay(ours, theirs)
    if not generic and not _compatible(ours, theirs):
        return "the unit is another one"
    if generic or (ours.scale, ours.offset, ours.pi) == (theirs.scale, theirs.offset, theirs.pi):
        return "" if scalars.equal(answer.value, gold.value) else differs
    factor, offset = ours.scale / theirs.scale, (ours.offset - theirs.offset) / theirs.scale
    converted = _scaled(answer.value, factor, ours.pi - theirs.pi, offset)
    return "" if scalars.equal(converted, gold.value) else differs


def _generic(left: Unit, right: Unit) -> bool:
    """Whether one is ``square units`` and the other an area, and so on."""
    pair = {dict(left.dimensions).get("unit"), dict(right.dimensions).get("unit")} - {None}
    lengths = {dict(left.dimensions).get("length"), dict(right.dimensions).get("length")} - {None}
    return len(left.dimensions) == len(right.dimensions) == 1 and len(pair) == 1 and pair == lengths


def _pay(answer: Unit, gold: Unit) -> bool:
    """Whether one is money in a time (``$18 per day``), the other that money."""
    money = len(gold.dimensions) == 1 and gold.dimensions[0][0] in _CURRENCIES
    if not money or answer.dimensions != tuple(sorted((*gold.dimensions, ("time", Fraction(-1))))):
        return False
    return any(unit is not None and answer.scale * unit.scale == gold.scale for unit in map(read_unit, _PERIODS))


def _compatible(left: Unit, right: Unit) -> bool:
    nouns, nouns_right = _counted(left), _counted(right)
    physical = [d for d in left.dimensions if not d[0].startswith(_COUNT)]
    if physical != [d for d in right.dimensions if not d[0].startswith(_COUNT)]:
        return False
    return not nouns or not nouns_right or any(_same_noun(a, b) for a in nouns for b in nouns_right)


def _counted(unit: Unit) -> list[str]:
    return [name.removeprefix(_COUNT) for name, _ in unit.dimensions if name.startswith(_COUNT)]


def _same_noun(left: str, right: str) -> bool:
    """Whether one phrase is the other with more words (marbles and red marbles; not apples and apple pies)."""
    short, long = sorted((left.casefold(), right.casefold()), key=len)
    if not long.isascii():
        return long.endswith(short)  # Chinese, without blanks
    words, more = (list(map(singular, phrase.split())) for phrase in (short, long))
    heads, heads_more = ({ws[-1], *(ws[i - 1] for i, w in enumerate(ws) if w == "of" and i)} for ws in (words, more))
    named = not heads.isdisjoint(heads_more) or more[-1].endswith(("ed", "ing", "en", "read"))
    return named and set(words) <= set(more)


def percent_of(node: Node) -> Node | None:
    """What stands before the percent sign, through a minus; None if there is no such sign."""
    if isinstance(node, Percent):
        return node.x
    if isinstance(node, Neg) and (inner := percent_of(node.x)) is not None:
        return Neg(inner)
    return None
