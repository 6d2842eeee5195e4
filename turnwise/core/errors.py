"""The errors that turnwise raises: each is also the standard-library error a caller would expect."""

import difflib
from collections.abc import Iterable

__all__ = [
    "FatalError",
    "InfrastructureError",
    "MissingDependencyError",
    "SettingsError",
    "TurnwiseError",
    "UsageError",
    "did_you_mean",
]


def did_you_mean(value: object, names: Iterable[str]) -> str:
    """Return a suggestion for an unknown name if a known one is similar: `` (did you mean 'x'?)``; else "".

    >>> did_you_mean("dokcer", ["embedded", "docker"]), did_you_mean("zz", ["embedded", "docker"])
    (" (did you mean 'docker'?)", '')
    """
    close = difflib.get_close_matches(value, list(names), 1) if isinstance(value, str) else []
    return f" (did you mean {close[0]!r}?)" if close else ""


class TurnwiseError(Exception):
    """Base of all errors raised by turnwise."""


class SettingsError(TurnwiseError, ValueError):
    """A setting has an unusable value; the message names the setting, the value and what is accepted."""


class UsageError(TurnwiseError, RuntimeError):
    """A method was called at the wrong time, such as ``step`` before ``reset``."""


class MissingDependencyError(TurnwiseError, ImportError):
    """An optional package is not installed; the message names the extra that provides it."""

    @classmethod
    def of(cls, package: str, extra: str) -> "MissingDependencyError":
        """Create the error for a missing ``package`` that the extra ``extra`` installs."""
        name = package.partition(".")[0]
        return cls(
            f"this needs the package {name!r}, which is not installed: pip install 'turnwise[{extra}]', "
            f"or pip install '.[{extra}]' in a checkout of turnwise"
        )


class InfrastructureError(TurnwiseError, RuntimeError):
    """A sandbox, server or network failed: the episode is recorded as an error and never scored."""


class FatalError(InfrastructureError):
    """An infrastructure failure that would affect every episode (a wrong key, an unknown model): the run stops."""
