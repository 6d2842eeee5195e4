"""Specifications composed of steps: each step's wording in English, its Python code, and its likely misreadings.

A block is a template with holes: numbers (``K``), predicates and functions (``P(v)``, ``F(v)``), choices (``@tie@``). A
step is a block with its holes filled; a specification is a chain of steps, each working on the previous result. Its
wording, its program and its meaning come from the same templates; wrong readings (`neighbours`) fill the holes
differently.
"""

import datetime
import math
import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from turnwise.core.draw import Draw

__all__ = [
    "BLOCKS",
    "FORMS",
    "Atom",
    "Block",
    "Form",
    "Spec",
    "Stage",
    "Step",
    "add_blocks",
    "add_forms",
    "bound",
    "constants",
    "draw_step",
    "expand",
    "neighbours",
    "num_steps_of",
    "phrase",
    "program",
    "run",
    "stages",
]

Param = int | str
Range = tuple[int, int] | str
"""A range of whole numbers, both ends included, or a choice of letters."""
MAX_BITS = 40
_NO_SINGLE = 0.8
_SLACK = 2  # bits by which wrong readings may exceed a stage's bound
_SLOT = re.compile(r"\b([PQFG]|KEY)\(([^()]*)\)")
_HOLE = re.compile(r"\{(\w+)(?:([*+-])(\w+)|\.(s))?\}")
_NUMBER = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")


@dataclass(frozen=True)
class Form:
    """A kind of predicate or function of a number or a word.

    Attributes:
        name: Unique.
        sort: "int?" or "word?" for predicates, "int", "word", "word:int" for functions, "key", "wordkey" for sorting
            and grouping.
        code: An expression in V and the parameters.
        say: Wording: predicates as "[are|is] greater than {A}", for many and for one; functions as nouns.
        params: The parameters' ranges.
        near: Names of forms with the same parameters that it may be mistaken for.
        bits: Effect on a bound in bits: "" keeps it, "=6" sets, "+3" adds to, "*2" multiplies it.
        most: Bits of the largest number that it is bounded for.
        drawn: False if it serves only as a wrong reading.
    """

    name: str
    sort: str
    code: str
    say: str = ""
    params: Mapping[str, Range] = field(default_factory=dict)
    near: tuple[str, ...] = ()
    bits: str = ""
    most: int = MAX_BITS
    drawn: bool = True


@dataclass(frozen=True)
class Block:
    """A kind of step.

    Attributes:
        name: Unique.
        takes: The type of its argument.
        gives: The type of its result.
        say: Wordings, each of them complete.
        code: Statements that set Y from X and change nothing else.
        slots: Slot to sort of form.
        params: The parameters' ranges.
        choices: Name to label to (code, words), for ``@name@`` in code and ``{name}`` in words.
        near: Names of blocks with the same holes that it may be mistaken for.
        bits: As for forms; "F": as for the form in slot F.
        most: As for forms.
        longer: Whether the result may have more items than the argument.
        drawn: False if it serves only as a wrong reading.
    """

    name: str
    takes: str
    gives: str
    say: tuple[str, ...]
    code: str
    slots: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, Range] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)
    near: tuple[str, ...] = ()
    bits: str = ""
    most: int = MAX_BITS
    longer: bool = False
    drawn: bool = True


FORMS: dict[str, Form] = {}
BLOCKS: dict[str, Block] = {}
_BY_SORT: dict[str, list[Form]] = {}
_BY_TYPE: dict[str, list[Block]] = {}


def add_forms(*forms: Form) -> None:
    """Register forms."""
    for form in forms:
        FORMS[form.name] = form
        if form.drawn:
            _BY_SORT.setdefault(form.sort, []).append(form)


def add_blocks(*blocks: Block) -> None:
    """Register blocks."""
    for block in blocks:
        BLOCKS[block.name] = block
        if block.drawn:
            _BY_TYPE.setdefault(block.takes, []).append(block)


class Atom(NamedTuple):
    """A form with its parameters."""

    form: str
    values: tuple[Param, ...] = ()


class Step(NamedTuple):
    """A block with its holes filled, each in the order in which the block declares them."""

    block: str
    values: tuple[Param, ...] = ()
    atoms: tuple[Atom, ...] = ()
    labels: tuple[str, ...] = ()


class Spec(NamedTuple):
    """A chain of steps."""

    steps: tuple[Step, ...]

    @property
    def takes(self) -> str:
        """The type of its argument."""
        return BLOCKS[self.steps[0].block].takes

    @property
    def gives(self) -> str:
        """The type of its result."""
        return BLOCKS[self.steps[-1].block].gives


class Stage(NamedTuple):
    """A step as code: statements that set Y from X.

    Attributes:
        code: The statements.
        names: Names of the constants in it.
        values: Values of these constants.
        most: Bits of the largest number that it is bounded for.
    """

    code: str
    names: tuple[str, ...] = ()
    values: tuple[Param, ...] = ()
    most: int = MAX_BITS


# ---- meaning --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def _expanded(block: str, forms: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the code of a block with these forms and choices, and the names of its constants."""
    kind = BLOCKS[block]
    code, names = kind.code, list(kind.params)
    for (name, options), label in zip(kind.choices.items(), labels, strict=True):
        code = code.replace(f"@{name}@", options[label][0])
    chosen = dict(zip(kind.slots, forms, strict=True))
    for slot, form in chosen.items():
        names += [f"{slot}_{name}" for name in FORMS[form].params]

    def filled(match: re.Match[str]) -> str:
        slot, argument = match.groups()
        form = FORMS[chosen[slot]]
        text = re.sub(r"\bV\b", argument, form.code)
        for name in form.params:
            text = re.sub(rf"\b{name}\b", f"{slot}_{name}", text)
        return f"({text})" if " " in text else text

    return _SLOT.sub(filled, code), tuple(names)


def expand(step: Step) -> Stage:
    """Return the code of a step."""
    code, names = _expanded(step.block, tuple(atom.form for atom in step.atoms), step.labels)
    values = (*step.values, *(value for atom in step.atoms for value in atom.values))
    return Stage(code, names, values, min([BLOCKS[step.block].most, *(FORMS[atom.form].most for atom in step.atoms)]))


def stages(spec: Spec) -> tuple[Stage, ...]:
    """Return the code of all steps."""
    return tuple(map(expand, spec.steps))


@lru_cache(maxsize=8192)
def _compiled(code: str, names: tuple[str, ...]) -> Callable[..., Any]:
    text = f"def stage(X, {', '.join(names)}):\n" + "".join(f"    {line}\n" for line in code.split("\n"))
    space: dict[str, Any] = {"datetime": datetime, "math": math, "re": re}
    exec(text + "    return Y\n", space)  # our own templates, never model text
    found: Callable[..., Any] = space["stage"]
    return found


def bound(stage: Stage) -> Callable[[Any], Any]:
    """Return the function that applies the stage to a value without changing it.

    It raises `OverflowError` if the value has numbers for which it may take too long, and whatever a faulty stage
    raises.
    """
    function, values, most = _compiled(stage.code, stage.names), stage.values, stage.most + _SLACK

    def guarded(value: Any) -> Any:
        if _bits_of(value) > most:
            raise OverflowError("too large a number")
        return function(value, *values)

    if stage.most < MAX_BITS:
        return guarded
    return (lambda value: function(value, *values)) if values else function


def _bits_of(value: Any) -> int:
    """Return the bits of the largest number in a value."""
    if isinstance(value, int):
        return value.bit_length()
    if isinstance(value, dict):
        value = list(value.values())
    return max(map(_bits_of, value), default=0) if isinstance(value, list) else 0


def run(program: Sequence[Stage], value: object) -> Any:
    """Apply the stages to a value without changing it."""
    for stage in program:
        value = bound(stage)(value)
    return value


class _Lookup(dict[str, str]):
    """Replaces the matches of a regular expression."""

    def __call__(self, match: re.Match[str]) -> str:
        return self[match[0]]


def program(code: Sequence[Stage], name: str, argument: str) -> str:
    """Write the stages as the source of a function.

    >>> print(program([Stage("Y = [v for v in X if v > K]", ("K",), (3,))], "solve", "numbers"))
    def solve(numbers):
        step1 = [v for v in numbers if v > 3]
        return step1
    <BLANKLINE>
    """
    lines, now = [f"def {name}({argument}):"], argument
    for number, stage in enumerate(code, 1):
        words: dict[str, str] = {key: repr(value) for key, value in zip(stage.names, stage.values, strict=True)}
        words |= {"X": now, "Y": f"step{number}"}
        text = re.sub(rf"\b(?:{'|'.join(words)})\b", _Lookup(words), stage.code)
        lines += [f"    {line}" for line in text.split("\n")]
        now = f"step{number}"
    body = "\n".join([*lines, f"    return {now}", ""])
    imports = [f"import {module}\n" for module in ("datetime", "math", "re") if f"{module}." in body]
    return "".join(imports) + ("\n\n" if imports else "") + body


# ---- wording --------------------------------------------------------------------------------------------------------


def _number(text: str, *, many: bool) -> str:
    return _NUMBER.sub(lambda match: match[1 if many else 2], text)


def _filled(text: str, values: Mapping[str, Param | str | Atom]) -> str:
    def one(match: re.Match[str]) -> str:
        name, sign, amount, single = match.groups()
        value = values[name]
        if isinstance(value, Atom):
            form = FORMS[value.form]
            return _filled(_number(form.say, many=not single), dict(zip(form.params, value.values, strict=True)))
        if sign and isinstance(value, int):
            other = int(amount if amount.isdigit() else values[amount])  # type: ignore[arg-type]
            return str(value * other if sign == "*" else value + other if sign == "+" else value - other)
        return str(value)

    return _HOLE.sub(one, text)


def phrase(step: Step, number: int) -> str:
    """Return one of the wordings of a step, chosen by a number."""
    kind = BLOCKS[step.block]
    values: dict[str, Param | str | Atom] = dict(zip(kind.params, step.values, strict=True))
    values |= dict(zip(kind.slots, step.atoms, strict=True))
    for (name, options), label in zip(kind.choices.items(), step.labels, strict=True):
        values[name] = options[label][1]
    return _filled(_filled(kind.say[number % len(kind.say)], values), values)


# ---- wrong readings -------------------------------------------------------------------------------------------------


def _near_values(ranges: Mapping[str, Range], values: tuple[Param, ...]) -> Iterator[tuple[Param, ...]]:
    for place, (allowed, value) in enumerate(zip(ranges.values(), values, strict=True)):
        others: list[Param] = []
        if isinstance(allowed, str):
            others = [allowed[(allowed.index(str(value)) + 1) % len(allowed)]]
        elif isinstance(value, int):
            others = [other for other in (value + 1, value - 1) if other >= allowed[0]]
        for other in others:
            yield (*values[:place], other, *values[place + 1 :])


def _near_steps(step: Step) -> Iterator[Step]:
    kind = BLOCKS[step.block]
    for name in kind.near:
        yield step._replace(block=name)
    for values in _near_values(kind.params, step.values):
        yield step._replace(values=values)
    for place, atom in enumerate(step.atoms):
        form = FORMS[atom.form]
        others = [Atom(name, atom.values) for name in form.near]
        others += [Atom(atom.form, values) for values in _near_values(form.params, atom.values)]
        for other in others:
            yield step._replace(atoms=(*step.atoms[:place], other, *step.atoms[place + 1 :]))
    for place, (options, label) in enumerate(zip(kind.choices.values(), step.labels, strict=True)):
        for other_label in options:
            if other_label != label:
                yield step._replace(labels=(*step.labels[:place], other_label, *step.labels[place + 1 :]))


def neighbours(spec: Spec) -> Iterator[tuple[int, tuple[Stage, ...], bool]]:
    """Yield wrong readings: a constant off by one, another tie rule, a step left out, two steps swapped.

    Yields:
        The first step that differs, the stages, and whether the reading must differ in meaning (swapped steps may
        commute).
    """
    right = stages(spec)
    for place, step in enumerate(spec.steps):
        kind = BLOCKS[step.block]
        for other in _near_steps(step):
            yield place, (*right[:place], expand(other), *right[place + 1 :]), True
        if kind.takes == kind.gives and len(right) > 1:
            yield place, (*right[:place], *right[place + 1 :]), True
        if place + 1 < len(right):
            following = BLOCKS[spec.steps[place + 1].block]
            if kind.takes == kind.gives == following.takes == following.gives:
                yield place, (*right[:place], right[place + 1], right[place], *right[place + 2 :]), False


def constants(spec: Spec) -> tuple[Param, ...]:
    """Return all numbers and letters in a specification."""
    return tuple(value for stage in stages(spec) for value in stage.values)


# ---- drawing --------------------------------------------------------------------------------------------------------


def _bits(rule: str, bits: int) -> int:
    if not rule:
        return bits
    amount = int(rule[1:])
    return amount if rule[0] == "=" else bits + amount if rule[0] == "+" else bits * amount


def _draw_value(draw: Draw, allowed: Range) -> Param:
    if isinstance(allowed, str):
        return draw.choice(allowed)
    low, high = allowed
    return draw.integer(low, high)


def _filled_step(draw: Draw, kind: Block, bits: int) -> tuple[Step, int] | None:
    """Draw a step of the kind, and the bound in bits after it; None if its numbers would grow too large."""
    rule, atoms = kind.bits, []
    for slot, sort in kind.slots.items():
        form = _BY_SORT[sort][draw.below(len(_BY_SORT[sort]))]
        if bits > form.most:
            return None
        if slot == "F" and rule == "F":
            rule = form.bits
        atoms.append(Atom(form.name, tuple(_draw_value(draw, allowed) for allowed in form.params.values())))
    after = max(_bits(rule, bits), bits if kind.bits == "F" and "G" in kind.slots else 0)
    if bits > kind.most or after > MAX_BITS:
        return None
    values = tuple(_draw_value(draw, allowed) for allowed in kind.params.values())
    labels = tuple(list(options)[draw.below(len(options))] for options in kind.choices.values())
    return Step(kind.name, values, tuple(atoms), labels), after


def num_steps_of(kind: Block) -> int:
    """Return the number of steps that a block can make."""
    count = math.prod(map(len, kind.choices.values())) * math.prod(map(_num_values, kind.params.values()))
    for sort in kind.slots.values():
        count *= sum(math.prod(map(_num_values, form.params.values())) for form in _BY_SORT[sort])
    return count


def _num_values(allowed: Range) -> int:
    return len(allowed) if isinstance(allowed, str) else allowed[1] - allowed[0] + 1


@lru_cache(maxsize=1024)
def _weight(block: str) -> float:
    """Weight blocks with more variants higher, so that tasks repeat less."""
    return 1.0 + math.log10(num_steps_of(BLOCKS[block]))


def draw_step(draw: Draw, before: Sequence[Step], takes: str, bits: int, *, last: bool) -> tuple[Step, int] | None:
    """Draw a step that may follow others, and the bound in bits after it; None if the draw may not follow.

    Args:
        draw: The source of randomness.
        before: The steps before it.
        takes: The type that it works on.
        bits: The bound in bits before it.
        last: Whether no step needs to follow.
    """
    longer = any(BLOCKS[step.block].longer for step in before)
    options = [
        kind
        for kind in _BY_TYPE[takes]
        if not (before and kind.name == before[-1].block) and (last or kind.gives in _BY_TYPE)
    ]
    weights = list(accumulate(_weight(kind.name) for kind in options))
    kind = options[min(bisect(weights, draw.unit() * weights[-1]), len(options) - 1)]
    if not last and kind.gives == "int" != takes and draw.unit() < _NO_SINGLE:
        return None  # few steps can follow a single number
    return None if kind.longer and longer else _filled_step(draw, kind, bits)
