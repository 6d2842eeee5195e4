"""Methods by name: how a run's settings find a function, and what the function is given.

Every method of this trainer is a function (or a small class). Its data are positional parameters with the fixed names
that the trainer knows (returns, groups, logps, ...); its settings are keyword-only parameters with defaults, and a run
gives them as a mapping: ``credit="gigpo", credit_settings={"gamma": 0.95}``.
"""

import difflib
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from turnwise.core.errors import SettingsError, UsageError

__all__ = ["bind", "call", "choice", "fields_of", "find"]

RESERVED = ("stats",)
"""Keyword-only parameters that are no settings: the trainer's own."""


def choice(name: str, value: object, accepted: Collection[str]) -> None:
    """Refuse a value that is not one of the accepted ones."""
    if value not in accepted:
        close = difflib.get_close_matches(str(value), accepted, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise SettingsError(f"{name} must be one of {sorted(accepted)}, not {value!r}{hint}")


def find(name: str, value: str, known: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """The method called ``value``; ``name`` is what the settings call it."""
    choice(name, value, known)
    return known[value]


def bind(method: Callable[..., Any], settings: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Names of the data that a method takes, in order, once ``settings`` are known to be settings of it.

    Args:
        method: its positional parameters are data, its keyword-only parameters are settings.
        settings: values for its settings; those without a default are needed.
        name: what error messages call the method.

    Raises:
        SettingsError: the method has no such setting, or needs one that is not given.
    """
    parameters = _parameters(method)
    known = {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in RESERVED}
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise SettingsError(f"{name} has no settings {unknown}; it has {list(known)}")
    missing = [p.name for p in known.values() if p.default is p.empty and p.name not in settings]
    if missing:
        raise SettingsError(f"{name} needs a value for {missing}")
    return tuple(p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)


def fields_of(data: object, names: Sequence[str], name: str) -> list[Any]:
    """The fields of ``data`` that the method called ``name`` takes.

    Raises:
        UsageError: ``data`` lacks one of them.
    """
    values = [getattr(data, each, None) for each in names]
    for each, value in zip(names, values, strict=True):
        if value is None:
            raise UsageError(f"{name} needs {each}, which this batch does not hold")
    return values


def call(method: Callable[..., Any], data: Callable[[str], Any], settings: Mapping[str, Any], name: str) -> Any:
    """Call a method with the data that it names, looked up one by one, and its settings."""
    return method(*[data(each) for each in bind(method, settings, name)], **settings)


@lru_cache(maxsize=256)
def _parameters(method: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(method).parameters.values())
