"""What a setting accepts: types, limits, and what a class may declare of them."""

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from turnwise.core.errors import SettingsError, did_you_mean

__all__ = ["check_declarations", "checked", "fits"]


_WORDS = {int: "a whole number", float: "a number", bool: "True or False", str: "a text"}


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of the type that a setting is annotated with."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint in (None, types.NoneType):
        return value is None
    if hint is Any:
        return True
    kind = origin or hint
    if not isinstance(kind, type):
        return True
    if isinstance(value, Mapping) and isinstance(value, kind) and len(parts) == 2:
        return all(fits(key, parts[0]) and fits(item, parts[1]) for key, item in value.items())
    return isinstance(value, kind)


def _accepted(hint: Any) -> list[str]:
    """What fits a type, in words to be joined with "or"."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return [words for part in parts for words in _accepted(part)]
    if origin is Literal:
        return [repr(part) for part in parts]
    if hint in (None, types.NoneType):
        return ["None"]
    return [_WORDS.get(hint) or f"of type {getattr(origin or hint, '__name__', hint)}"]


def _names(hint: Any) -> list[str]:
    """The texts that a type names, one by one."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return [part for part in parts if isinstance(part, str)]
    return [name for part in parts for name in _names(part)]


def checked(name: str, value: object, hint: Any, limit: tuple[float, float] | None) -> object:
    """The value of a setting.

    Raises:
        SettingsError: It is not of the setting's type, or out of its limits.
    """
    if not fits(value, hint):
        *most, last = _accepted(hint)
        hint_at = did_you_mean(value, _names(hint))
        raise SettingsError(f"{name} is {value!r}{hint_at}; it must be {', '.join(most)}{' or ' * bool(most)}{last}")
    if limit is not None and isinstance(value, (int, float)) and not limit[0] <= value <= limit[1]:
        raise SettingsError(f"{name} is {value!r}; it must be from {limit[0]} to {limit[1]}")
    return value


def check_declarations(cls: Any, hints: Mapping[str, Any]) -> None:
    """Raise `SettingsError` for what a class declares and could not be enforced."""
    if not isinstance(cls.limits, Mapping):
        raise SettingsError(f'limits is {cls.limits!r}; it must be a mapping such as {{"size": (1, 9)}}')
    for name, limit in cls.limits.items():
        if name not in hints:
            raise SettingsError(f"limits has {name!r}, which is not a setting")
        if not fits(1, hints[name]) and not fits(1.5, hints[name]):
            raise SettingsError(
                f"limits has {name!r}, which is not a number: limits are ranges. Declare a choice by its type, "
                f'{name}: Literal["a", "b"] = "a"'
            )
        if not (isinstance(limit, tuple) and len(limit) == 2 and all(fits(end, float) for end in limit)):
            raise SettingsError(f"limits[{name!r}] is {limit!r}; it must be two numbers, (least, most)")
        if not limit[0] <= limit[1]:
            raise SettingsError(f"limits[{name!r}] is {limit!r}; the first must not be above the second")
    for name, hint in hints.items():
        checked(name, getattr(cls, name), hint, cls.limits.get(name))
    if not _is_list(cls.levels):
        raise SettingsError(f'levels is {cls.levels!r}; it must be a tuple of mappings such as {{"size": 4}}')
    for number, row in enumerate(cls.levels, 1):
        if not isinstance(row, Mapping):
            raise SettingsError(f'level {number} is {row!r}; levels are mappings such as {{"size": 4}}')
        for name, value in row.items():
            if name not in hints or name == "difficulty":
                raise SettingsError(f"level {number} has {name!r}, which is not a setting of a level")
            checked(f"level {number}: {name}", value, hints[name], cls.limits.get(name))
    rates = cls.chance
    if not _is_list(rates) or len(rates) not in (0, len(cls.levels)):
        raise SettingsError(f"chance is {rates!r}; it must have one rate for each of the {len(cls.levels)} levels")
    if rates and "levels" in vars(cls) and "chance" not in vars(cls):
        raise SettingsError(
            "levels are declared again and chance is inherited; declare chance too, () if it was not measured"
        )
    if bad := [rate for rate in rates if not (fits(rate, float) and 0 <= rate <= 1)]:
        raise SettingsError(f"chance has {bad[0]!r}; it must be from 0 to 1")
    if not _is_list(cls.cheats) or not all(isinstance(cheat, str) or callable(cheat) for cheat in cls.cheats):
        raise SettingsError("cheats must be a tuple of texts and functions of the environment")


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
