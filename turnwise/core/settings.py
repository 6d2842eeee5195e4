"""Settings: how a class declares them, what fits them, the one sentence that refuses a value, and what they mean.

A setting is an annotated field. Its range stands in the annotation and a sentence about it stands beneath::

    size: Annotated[int, Range(2, 12)] = 5
    \"\"\"Rows of the grid.\"\"\"
    wording: Literal["short", "long"] = "short"
    \"\"\"How much the first message explains.\"\"\"

That is all there is to declare, for environments and dataclasses alike: `settings_of` reads it, `check_all` and
`check` refuse what does not fit, and the command line and the documentation show the same types, ranges and sentences.
"""

import ast
import dataclasses
import functools
import inspect
import operator
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from turnwise.core.errors import SettingsError, did_you_mean

__all__ = [
    "REQUIRED",
    "Range",
    "Setting",
    "accepted",
    "check",
    "check_all",
    "check_arguments",
    "check_names",
    "fits",
    "named_settings",
    "settings_of",
]

REQUIRED: Any = inspect.Parameter.empty
"""The default of a setting that has none."""
_WORDS = {
    int: "a whole number", float: "a number", bool: "True or False", str: "a text", type(None): "None",
    tuple: "a tuple", list: "a list", dict: "a mapping", Mapping: "a mapping",
}  # fmt: skip
_UNIONS = (typing.Union, types.UnionType)
_MAX_SHOWN = 300  # characters of a refused value


@dataclass(frozen=True)
class Range:
    """The numbers that a setting accepts: ``Annotated[int, Range(2, 12)]``.

    Attributes:
        low: The least one.
        high: The greatest one.
        above: They are greater than this.
        below: They are less than this.
    """

    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        ends = [end for end in (self.low, self.above, self.high, self.below) if end is not None]
        if not ends or not all(fits(end, float) for end in ends) or sorted(ends) != ends:
            given = [f"{name}={end!r}" for name, end in vars(self).items() if end is not None]
            raise SettingsError(f"Range({', '.join(given)}) must have ends that are numbers, the lower one first")

    def __contains__(self, value: float) -> bool:
        return (
            (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.low is not None and self.high is not None:
            return f"from {self.low} to {self.high}"
        words = {"at least": self.low, "above": self.above, "at most": self.high, "below": self.below}
        return " and ".join(f"{word} {end}" for word, end in words.items() if end is not None)


@dataclass(frozen=True)
class Setting:
    """A setting as it is declared.

    Attributes:
        name: Its name.
        hint: The type that it is annotated with.
        default: The value that it has when none is given; `REQUIRED` if one must be given.
        range: The numbers that it accepts.
        owner: The class that has it.
    """

    name: str
    hint: Any
    default: Any = REQUIRED
    range: Range | None = None
    owner: object = field(default=None, repr=False, compare=False)

    @property
    def doc(self) -> str:
        """The text beneath the field in the source, on one line; empty if there is none, or no source."""
        for base in inspect.getmro(self.owner) if isinstance(self.owner, type) else ():
            if text := _docs(base.__module__).get(f"{base.__qualname__}.{self.name}"):
                return text
        return ""


def settings_of(owner: Any) -> tuple[Setting, ...]:
    """The settings of a dataclass, of a class whose base is marked with `dataclass_transform`, or of a function.

    Raises:
        SettingsError: A setting that is not a number has a range.
    """
    return tuple(_settings(owner).values())


def named_settings(owner: Any) -> Mapping[str, Setting]:
    """What `settings_of` gives, by name."""
    return _settings(owner)


def check(name: str, value: object, setting: Setting) -> None:
    """Raise `SettingsError` for a value that does not fit its setting; ``name`` is what the message calls it."""
    if not fits(value, setting.hint):
        near = did_you_mean(value, _names(setting.hint))
        raise SettingsError(f"{name} is {_shown(value)}{near}; it must be {accepted(setting.hint, setting.range)}")
    if setting.range is not None and isinstance(value, (int, float)) and value not in setting.range:
        none = " or None" if fits(None, setting.hint) else ""
        raise SettingsError(f"{name} is {_shown(value)}; it must be {setting.range}{none}")


def check_all(obj: object) -> None:
    """Raise `SettingsError` for the first value of an object that does not fit its setting."""
    for setting in settings_of(type(obj)):
        check(setting.name, getattr(obj, setting.name), setting)


def check_arguments(function: Any, **given: object) -> None:
    """Raise `SettingsError` for the first of a function's arguments that does not fit its parameter."""
    for name, value in given.items():
        check(name, value, named_settings(function)[name])


def check_names(what: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise `SettingsError` for a name that is not known, with the nearest one that is.

    >>> check_names("Countdown has no setting", ["num_number"], ["max_number", "num_numbers"])
    Traceback (most recent call last):
    turnwise.core.errors.SettingsError: Countdown has no setting 'num_number' (did you mean 'num_numbers'?)
    """
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"; it has {', '.join(sorted(known)) or 'none'}"
            raise SettingsError(f"{what} {name!r}{hint}")


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of the type that a setting is annotated with."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in _UNIONS:
        return any(fits(value, part) for part in parts)
    if origin is Annotated:
        return fits(value, parts[0])
    if origin is Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is Any:
        return True
    kind = origin or hint
    if not isinstance(kind, type):
        return True
    if isinstance(value, Mapping) and isinstance(value, kind) and len(parts) == 2:
        return all(fits(key, parts[0]) and fits(item, parts[1]) for key, item in value.items())
    if isinstance(value, tuple) and kind is tuple and parts[1:] == (...,):
        return all(fits(item, parts[0]) for item in value)
    return isinstance(value, kind)


# ---- what is accepted, in words --------------------------------------------------------------------------------------


def accepted(hint: Any, range: Range | None = None) -> str:
    """What fits a type, in words.

    >>> accepted(int | None, Range(1, 9))
    'a whole number from 1 to 9 or None'
    """
    *most, last = _words(hint, range)
    return f"{', '.join(most)}{' or ' * bool(most)}{last}"


def _words(hint: Any, range: Range | None) -> list[str]:
    """What fits a type, in words to be joined with "or"."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in _UNIONS:
        return [words for part in parts for words in _words(part, range)]
    if origin is Literal:
        return [repr(part) for part in parts]
    if origin is tuple and parts[1:] == (...,):
        return [f"a tuple, each item {' or '.join(_words(parts[0], None))}"]
    words = _WORDS.get(origin or hint) or f"of type {getattr(origin or hint, '__name__', hint)}"
    if range is None or hint not in (int, float):
        return [words]
    return [f"{words} {'of ' if str(range).startswith('at ') else ''}{range}"]


def _names(hint: Any) -> list[str]:
    """The texts that a type names, one by one."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return [part for part in parts if isinstance(part, str)]
    return [name for part in parts for name in _names(part)]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


# ---- what a class declares -------------------------------------------------------------------------------------------


@functools.cache
def _settings(owner: Any) -> Mapping[str, Setting]:
    if dataclasses.is_dataclass(owner):
        found: Iterable[tuple[str, Any, Any]] = _of_dataclass(owner)
    elif isinstance(owner, type):
        found = _of_annotations(owner)
    else:
        found = _of_function(owner)
    return types.MappingProxyType({name: _setting(name, hint, default, owner) for name, hint, default in found})


def _of_dataclass(cls: Any) -> Iterator[tuple[str, Any, Any]]:
    hints = typing.get_type_hints(cls, include_extras=True)
    for each in dataclasses.fields(cls):
        if each.init:
            default = REQUIRED if each.default is dataclasses.MISSING else each.default
            if each.default_factory is not dataclasses.MISSING:
                default = each.default_factory()
            yield each.name, hints[each.name], default


def _of_annotations(cls: type) -> Iterator[tuple[str, Any, Any]]:
    """Annotated fields with a default, those of the bases first; a base's range holds until another one is declared."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if hasattr(base, "__dataclass_transform__"):
            own = types.SimpleNamespace(__annotations__=inspect.get_annotations(base))
            hints = typing.get_type_hints(own, vars(sys.modules[base.__module__]), include_extras=True)
            for name, hint in hints.items():
                again = name in found and hint == _without_range(found[name])[0]  # whose range holds
                if name in vars(base) and not (again or name.startswith("_") or typing.get_origin(hint) is ClassVar):
                    found[name] = hint
    return ((name, hint, getattr(cls, name)) for name, hint in found.items())


def _of_function(function: Callable[..., Any]) -> Iterator[tuple[str, Any, Any]]:
    hints = typing.get_type_hints(function, include_extras=True)
    for name, given in inspect.signature(function).parameters.items():
        if name in hints and given.kind in (given.POSITIONAL_OR_KEYWORD, given.KEYWORD_ONLY):
            yield name, hints[name], given.default


def _setting(name: str, hint: Any, default: Any, owner: object) -> Setting:
    hint, range = _without_range(hint)
    if range is not None and not (fits(1, hint) or fits(1.5, hint)):
        raise SettingsError(
            f'{name} has a range and is not a number; declare a choice by its type, {name}: Literal["a", "b"] = "a"'
        )
    return Setting(name, hint, default, range, owner)


def _without_range(hint: Any) -> tuple[Any, Range | None]:
    """A type without what it is annotated with, and the range among that."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        plain, range = _without_range(parts[0])
        return plain, next((part for part in parts[1:] if isinstance(part, Range)), range)
    if origin in _UNIONS:
        found = [_without_range(part) for part in parts]
        ranges = [range for _, range in found if range is not None]
        return functools.reduce(operator.or_, [plain for plain, _ in found]), next(iter(ranges), None)
    return hint, None


@functools.cache
def _docs(module: str) -> Mapping[str, str]:
    """The texts beneath the fields of all classes of a module, by ``Class.field``."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, SyntaxError, TypeError):  # no file, such as a session that is typed in
        return {}
    return dict(_texts(tree.body, ""))


def _texts(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef):
            yield from _texts(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield from _texts(node.body, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = after.value if isinstance(after, ast.Expr) else None
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield f"{prefix}{node.target.id}", " ".join(text.value.split())
