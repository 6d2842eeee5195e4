"""The base class of constraints: parameters, wordings, a check, and facts that reveal conflicts."""

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from turnwise.core.errors import SettingsError
from turnwise.core.settings import check, check_names, named_settings
from turnwise.verifiers.constraints.plan import Interval, Plan
from turnwise.verifiers.constraints.units import Reading
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["KINDS", "Constraint", "ConstraintError", "Dimension", "Facts", "Range", "amount", "from_dict", "listed"]

Dimension = Literal["content", "format", "language", "length"]
KINDS: "dict[str, type[Constraint]]" = {}
"""Every kind of constraint, by name."""
MAX_COUNT = 10_000


class ConstraintError(ValueError):
    """A constraint has an unusable parameter, or a description names an unknown kind."""


@dataclass
class Facts:
    """Consequences of a constraint, in terms that can be compared between constraints.

    Attributes:
        bounds: Interval of a measure of the text: words, sentences, paragraphs, lines, characters, digits, upper and
            lower (letters), ``letter:x``, ``word:x`` (both ignoring case), ``mark:x`` (a character), parts, markdown
            (things that `NoMarkdown` finds), and the counts of single kinds, by name.
        prefix, suffix: The text begins, ends with this.
        first_word, last_word: The first, last word, case-folded.
    """

    bounds: dict[str, Interval] = field(default_factory=dict)
    prefix: str = ""
    suffix: str = ""
    first_word: str = ""
    last_word: str = ""


@typing.dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class Constraint:
    """A property of a text that code can check.

    A kind is a subclass with typed parameters: a frozen dataclass of keyword-only fields, without a decorator of its
    own. It registers itself under `name`.
    """

    name: ClassVar[str] = ""
    dimension: ClassVar[Dimension]
    effort: ClassVar[int] = 1
    """How much extra care it requires, from 1 (begin with a word) to 3 (never use the letter e)."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(frozen=True, kw_only=True)(cls)
        if cls.name:
            KINDS[cls.name] = cls

    # ---- what a kind defines --------------------------------------------------------------------------------------

    def wordings(self) -> Sequence[str]:
        """Return sentences that ask for it, equal in meaning."""
        raise NotImplementedError

    def problem(self, reading: Reading) -> str:
        """Return why a text does not satisfy it, with the counts; "" if it does."""
        raise NotImplementedError

    def facts(self) -> Facts:
        """Return what follows from it for any text, to find conflicts."""
        return Facts()

    def demand(self, plan: Plan) -> None:
        """Add its demand to the plan of a satisfying text."""
        raise NotImplementedError

    def near_misses(self) -> "Sequence[Constraint]":
        """Return constraints whose texts narrowly break this one."""
        return ()

    # ---- what all share -------------------------------------------------------------------------------------------

    def describe(self, variant: int = 0) -> str:
        """Return a sentence that asks for it; other variants use other words."""
        wordings = self.wordings()
        return wordings[variant % len(wordings)]

    def check(self, text: str | Reading) -> Verdict:
        """Judge whether a text satisfies it; the reason says what was counted."""
        problem = self.problem(text if isinstance(text, Reading) else Reading(text))
        return wrong(problem, value=False) if problem else right(value=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the kind and its parameters as plain data for JSON; `from_dict` reads it."""
        found: dict[str, Any] = {"kind": self.name}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            found[f.name] = list(value) if isinstance(value, tuple) else value
        return found

    def refuse(self, parameter: str, accepted: str) -> typing.NoReturn:
        """Raise the error for an unusable value of a parameter."""
        raise ConstraintError(f"{self.name}: {parameter} is {getattr(self, parameter)!r}; it must be {accepted}")


class Range(Constraint):
    """A number of something must lie within an interval.

    Attributes:
        low: The smallest number.
        high: The largest; None for no limit.
    """

    low: int = 0
    high: int | None = None
    noun: ClassVar[str] = ""
    smallest: ClassVar[int] = 0
    """The smallest possible number in any text."""

    def __post_init__(self) -> None:
        if not 0 <= self.low <= MAX_COUNT:
            self.refuse("low", f"from 0 to {MAX_COUNT}")
        if self.high is None:
            if self.low <= self.smallest:
                self.refuse("low", f"above {self.smallest} where high is None")
        elif not max(self.low, self.smallest) <= self.high <= MAX_COUNT:
            self.refuse("high", f"from {max(self.low, self.smallest)} to {MAX_COUNT}, or None")

    @property
    def amount(self) -> str:
        """The interval and the unit in words."""
        return amount(self.low, self.high, self.noun)

    def count(self, reading: Reading) -> int:
        """Return the count in the text."""
        raise NotImplementedError

    def problem(self, reading: Reading) -> str:
        number = self.count(reading)
        if number < self.low or (self.high is not None and number > self.high):
            return f"{self.amount} asked for, {number} counted"
        return ""

    def near_misses(self) -> Sequence[Constraint]:
        near = []
        if self.low > max(self.smallest, 0):
            near.append(dataclasses.replace(self, low=self.low - 1, high=self.low - 1))
        if self.high is not None:
            near.append(dataclasses.replace(self, low=self.high + 1, high=self.high + 1))
        return near


def amount(low: int, high: int | None, noun: str) -> str:
    """Return a number of things in words; in ``noun``, ``(s)`` marks the plural.

    >>> amount(1, 1, "word(s)"), amount(2, None, "word(s)"), amount(0, 0, "word(s)"), amount(2, 5, "word(s)")
    ('exactly 1 word', 'at least 2 words', 'no words', 'between 2 and 5 words')
    """
    many = noun.replace("(s)", "" if (high if high is not None else low) == 1 else "s")
    if high is None:
        return f"at least {low} {many}"
    if low == high:
        return f"exactly {low} {many}" if low else f"no {many}"
    return f"between {low} and {high} {many}" if low else f"at most {high} {many}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Write a list of words in double quotes.

    >>> listed(["a", "b", "c"])
    '"a", "b" and "c"'
    """
    quoted = [f'"{word}"' for word in words]
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}" if len(quoted) > 1 else quoted[0]


def from_dict(data: Mapping[str, Any]) -> Constraint:
    """Return the constraint described by `Constraint.to_dict`.

    Raises:
        ConstraintError: The kind is unknown, or a parameter is missing, unknown or of the wrong type.
    """
    named = data.get("kind")
    kind = KINDS.get(named) if isinstance(named, str) else None
    if kind is None:
        raise ConstraintError(f"there is no kind of constraint {named!r}; kinds: {', '.join(sorted(KINDS))}")
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items() if name != "kind"}
    known = named_settings(kind)
    try:
        check_names(f"{kind.name} has no parameter", values, known)
        for name, value in values.items():
            check(f"{kind.name}: {name}", value, known[name])
        return kind(**values)
    except (SettingsError, TypeError) as error:
        raise ConstraintError(str(error)) from None
