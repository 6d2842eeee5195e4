"""The grammar of the command line: which words are flags, which are values of flags, and which are positional."""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from tyro.conf import Positional, Suppress, UseAppendAction

from turnwise.core.errors import SettingsError
from turnwise.core.settings import accepted

__all__ = ["PAIR", "Flag", "Words", "flag_of", "flags_of", "read", "renamed"]

Kind = Literal["switch", "scalar", "sequence", "repeated", "mapping", "either", "unknown"]
PAIR = re.compile(r"[A-Za-z_][\w.-]*=", re.ASCII)
"""The beginning of a KEY=VALUE word."""
_NAMES = ("env", "envs", "recipe", "patterns")
"""Positional fields that hold names, which contain no ``=``; folders may."""
_KINDS: tuple[tuple[str, Any], ...] = (("positional", Positional), ("repeated", UseAppendAction), ("hidden", Suppress))
_MARKS = {name: get_args(mark[int])[1] for name, mark in _KINDS}


class Flag(NamedTuple):
    """How a flag takes values.

    Attributes:
        kind: switch: no value, or true or false; scalar: one; sequence: all that fit; repeated: one each time; mapping:
            all KEY=VALUE words, or ``none``; either: one, or all KEY=VALUE words; unknown: guessed from the words.
        fits: Tells whether a word is a value of a scalar, sequence or unknown flag.
        accepts: Describes the accepted values in words.
        splits: Whether the values of a sequence may be joined by commas.
    """

    kind: Kind
    fits: Callable[[str], bool] = lambda word: True
    accepts: str = ""
    splits: bool = False


class Words(NamedTuple):
    """The parts of a command line.

    Attributes:
        words: The positional words.
        values: The values of each flag that was given, by its name with dashes.
    """

    words: list[str]
    values: dict[str, list[str]]

    def line(self, flags: Mapping[str, Flag]) -> list[str]:
        """Write the flags in a normal form: each once, a single value joined by ``=``."""
        found: list[str] = []
        for name, values in self.values.items():
            kind = flags[name].kind if name in flags else "switch"
            if kind == "switch":
                found.append("--no-" * (values == ["false"]) + "--" * (values != ["false"]) + name)
            elif kind == "scalar" or kind == "repeated":
                found += [f"--{name}={value}" for value in values]
            else:
                found += [f"--{name}", *values]
        return found


def flags_of(options: type[Any]) -> dict[str, Flag]:
    """Return the flags of a dataclass, including those of nested dataclasses, without positional fields."""
    found: dict[str, Flag] = {}
    for name, hint in get_type_hints(options, include_extras=True).items():
        if _marked(hint, "positional") or _marked(hint, "hidden"):
            continue
        bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        if dataclasses.is_dataclass(bare) and isinstance(bare, type):
            found |= flags_of(bare)
        else:
            found[_named(name, hint)] = flag_of(hint)
    return found


def _named(field: str, hint: Any) -> str:
    """What a field is called on the command line."""
    extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    own = next((name for extra in extras if (name := getattr(extra, "name", None))), field)
    return own.replace("_", "-")


def flag_of(hint: Any) -> Flag:
    """Return how a flag of this type takes values."""
    if get_origin(hint) is Annotated:
        for extra in get_args(hint)[1:]:
            if isinstance(extra, Flag):
                return extra
        return Flag("repeated") if _marked(hint, "repeated") else flag_of(get_args(hint)[0])
    origin, parts = get_origin(hint), get_args(hint)
    if hint is bool:
        return Flag("switch")
    if origin in (typing.Union, types.UnionType):
        kinds = [flag_of(part).kind for part in parts if part is not types.NoneType]
        if "mapping" in kinds:
            return Flag("mapping" if len(kinds) == 1 else "either")
    if hint is Mapping or origin in (Mapping, dict):
        return Flag("mapping")
    if origin in (tuple, list, Sequence):
        return _sequence(parts[0])
    return _scalar(parts if origin in (typing.Union, types.UnionType) else (hint,))


def _scalar(parts: Sequence[Any]) -> Flag:
    """Return a flag with one value of one of several types; fitting words are known for numbers and choices."""
    parts = [get_args(part)[0] if get_origin(part) is Annotated else part for part in parts]
    kinds = [part for part in parts if part in (int, float)]
    named = [part for part in parts if get_origin(part) is Literal or part is types.NoneType]
    if len(kinds) + len(named) < len(parts):
        return Flag("scalar")
    choices = [str(choice) for part in named for choice in get_args(part) or (None,)]

    def fits(word: str) -> bool:
        return word in choices or any(_is_number(word, kind) for kind in kinds)

    return Flag("scalar", fits, accepted(typing.Union[tuple(parts)]))  # noqa: UP007  (of types in a list)


def _sequence(part: Any) -> Flag:
    if get_origin(part) is Literal:
        choices = [str(choice) for choice in get_args(part)]
        return Flag("sequence", choices.__contains__, " and ".join(choices), True)
    if part in (int, float):
        return Flag("sequence", lambda word: _is_number(word, part), f"{'whole ' * (part is int)}numbers", True)
    return Flag("sequence", accepts="texts")


def _is_number(word: str, kind: Callable[[str], object]) -> bool:
    try:
        kind(word)
    except ValueError:
        return False
    return True


def _marked(hint: Any, mark: str) -> bool:
    return get_origin(hint) is Annotated and _MARKS[mark] in get_args(hint)[1:]


def renamed(args: Sequence[str], name: str, to: str) -> list[str]:
    """Rename a flag in the arguments."""
    forms = (f"--{name}", f"--{name.replace('-', '_')}")
    return [f"--{to}{word[len(form) :]}" if (form := word.partition("=")[0]) in forms else word for word in args]


def read(args: Sequence[str], flags: Mapping[str, Flag], unknown: Callable[[str], Flag]) -> Words:
    """Split a command line into words and flags.

    Args:
        args: Its arguments.
        flags: The flags, by name with dashes.
        unknown: Called with the name of an unknown flag; raises, or returns how it takes values.

    Raises:
        SettingsError: A flag lacks a value, has one too many, or is given twice.
    """
    found = Words([], {})
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word == "--":
            found.words.extend(rest)
            break
        if word in ("-h", "--help"):
            found.values["help"] = []
        elif word.startswith("--"):
            _take(word, rest, flags, unknown, found)
        elif word.startswith("-") and len(word) > 1 and not _is_number(word, float):
            raise SettingsError(f"{word}: flags are written with two dashes")
        else:
            found.words.append(word)
    return found


def _take(word: str, rest: list[str], flags: Mapping[str, Flag], unknown: Callable[[str], Flag], found: Words) -> None:
    """Store a flag with its values in ``found``, taking the values from the front of ``rest``."""
    name, equals, value = word[2:].partition("=")
    name = name.replace("_", "-")
    flag = flags.get(name)
    positive = name.removeprefix("no-")
    if flag is None and positive != name and flags.get(positive, Flag("scalar")).kind == "switch":
        if equals:
            raise SettingsError(f"--{name} takes no value; write --{positive} or --no-{positive}")
        name, flag, values = positive, flags[positive], ["false"]
    else:
        flag = flag or unknown(name)
        values = _values(name, flag, value if equals else None, rest)
    if flag.kind == "scalar" and not flag.fits(values[0]):
        raise SettingsError(f"--{name} is {values[0]!r}; it must be {flag.accepts}")
    before = found.values.get(name)
    if before is not None and (flag.kind in ("scalar", "either") or (flag.kind == "switch" and before != values)):
        raise SettingsError(f"--{name} is given twice; it takes one value")
    values = values if flag.kind == "switch" else [*(before or []), *values]
    if flag.kind in ("mapping", "either"):
        values = values[len(values) - 1 - values[::-1].index("none") :] if "none" in values else values
        keys = [pair.partition("=")[0] for pair in values if PAIR.match(pair)]
        if twice := [key for key in dict.fromkeys(keys) if keys.count(key) > 1]:
            raise SettingsError(f"--{name}: {', '.join(twice)} is given twice")
    found.values[name] = values


def _values(name: str, flag: Flag, joined: str | None, rest: list[str]) -> list[str]:
    """Return the values of a flag: joined to it by ``=``, and those that follow in ``rest``, which are removed."""
    if joined is not None:
        if flag.kind in ("scalar", "repeated") or (flag.kind in ("either", "unknown") and not PAIR.match(joined)):
            return [joined]
        rest.insert(0, joined)
    head = rest[0] if rest and (joined is not None or not rest[0].startswith("--")) else None
    if flag.kind == "switch":
        return _switch(name, head, joined, rest)
    if flag.kind == "mapping":
        return _mapping(name, head, rest)
    if flag.kind == "sequence":
        return _several(name, flag, head, rest)
    if head is not None and flag.kind in ("either", "unknown") and PAIR.match(head):
        return _mapping(name, head, rest)
    if flag.kind == "unknown" and (head is None or not flag.fits(head)):
        return []
    if head is None:
        why = f"; write --{name}={rest[0]} if that is the value" if rest else ""
        raise SettingsError(f"--{name} needs a value{why}")
    return [rest.pop(0)]


def _switch(name: str, head: str | None, joined: str | None, rest: list[str]) -> list[str]:
    if head is not None and head.lower() in ("true", "false"):
        return [rest.pop(0).lower()]
    if joined is not None:
        raise SettingsError(f"--{name}={joined}: write --{name} or --no-{name}")
    return ["true"]


def _mapping(name: str, head: str | None, rest: list[str]) -> list[str]:
    values: list[str] = []
    if head is not None and head.lower() in ("none", ""):
        values.append("none")
        del rest[0]
    elif head is not None and not PAIR.match(head):
        raise SettingsError(f"--{name} takes KEY=VALUE ..., or none; {head!r} is neither")
    while rest and PAIR.match(rest[0]):
        values.append(rest.pop(0))
    return values


def _several(name: str, flag: Flag, head: str | None, rest: list[str]) -> list[str]:
    def parts(word: str) -> list[str]:
        return word.split(",") if flag.splits else [word]

    if head is not None and not all(map(flag.fits, parts(head))) and head:
        raise SettingsError(f"--{name} takes {flag.accepts}; {head!r} is not")
    if head == "":
        del rest[0]
    values: list[str] = []
    while rest and not rest[0].startswith("--") and all(map(flag.fits, parts(rest[0]))):
        values += parts(rest.pop(0))
    return values
