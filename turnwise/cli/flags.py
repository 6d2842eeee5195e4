"""Settings of environments as flags of the command line, and other values that tyro needs help with."""

import dataclasses
import difflib
import inspect
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, NamedTuple, NoReturn

import tyro
from tyro.conf import UseAppendAction, arg
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from turnwise.cli.words import PAIR, Flag, Words, flag_of, flags_of, read
from turnwise.core.env import Env, settings_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, read_value

__all__ = ["Cleared", "EnvModules", "Parsed", "look", "parse", "positionals", "setting_docs"]

EnvModules = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(metavar="FILE|MODULE", help="Import this first, for environments whose file is not where it was; repeatable."),
]
_HIDDEN = ("render_mode",)


class Parsed(NamedTuple):
    """What a command line says.

    Attributes:
        options: The command's dataclass.
        settings: Those settings of the environment that were given as flags.
        given: Names of all flags that were given, with underscores.
    """

    options: Any
    settings: dict[str, Any]
    given: frozenset[str]


def parse(
    command: str,
    options: type[Any],
    args: Sequence[str],
    envs: Sequence[str] = (),
    words: Sequence[str] | None = None,
) -> Parsed:
    """Parse the arguments of a command.

    Words are what the command is about (environments, a recipe, folders), wherever they stand; a flag takes its values
    wherever it stands: KEY=VALUE words for a mapping, all that fit for a sequence, one for any other. Mappings and
    sequences of flags given twice add up; a flag with one value is refused the second time.

    Args:
        command: Its name, for messages.
        options: A dataclass; its fields become flags.
        args: The arguments after the command's name.
        envs: Registered ids. Their settings become flags too; of several environments, those that all have.
        words: What stands for the words of ``args``; None leaves them as they are.

    Raises:
        SettingsError: A flag is unknown, given twice, or its values are not of its form.
    """
    names: list[str] = []
    classes = [env_class(env) for env in envs]
    if classes:
        hints = _shared(classes)
        taken = {f.name for f in dataclasses.fields(options)}
        names = [name for name in hints if name not in taken and name not in _HIDDEN]
        options = _with_settings(options, classes, {name: hints[name] for name in names})
    flags = flags_of(options)

    def unknown(name: str) -> NoReturn:
        raise SettingsError(f"`turnwise {command}` has no flag --{name}; {_meant(name, flags, classes)}")

    found = read(args, flags, unknown)
    line = [*(found.words if words is None else words), *found.line(flags)]
    try:
        parsed: Any = tyro.cli(_candid(options), args=line, prog=f"turnwise {command}", registry=_registry())
    except _Refused as refused:
        raise SettingsError(str(refused)) from refused.__cause__
    given = frozenset(name.replace("-", "_") for name in found.values)
    return Parsed(parsed, {name: getattr(parsed.env_flags, name) for name in names if name in given}, given)


class _Refused(Exception):
    """A dataclass refuses its values. No `ValueError`, which tyro would frame and print itself."""


def _candid(options: type[Any]) -> type[Any]:
    """The dataclass, whose own refusals get past tyro."""

    def check(self: Any) -> None:
        if hasattr(options, "__post_init__"):
            try:
                options.__post_init__(self)
            except SettingsError as error:
                raise _Refused(str(error)) from error

    return type(options.__name__, (options,), {"__post_init__": check, "__doc__": options.__doc__})


def _shared(classes: Sequence[type[Env[Any]]]) -> dict[str, Any]:
    """The settings that all classes have, with the same type."""
    first = settings_of(classes[0])
    return {n: h for n, h in first.items() if all(settings_of(c).get(n) == h for c in classes)}


def _meant(name: str, flags: Mapping[str, Flag], classes: Sequence[type[Env[Any]]]) -> str:
    """What a flag that is not known may have been meant for."""
    setting = name.removeprefix("no-").replace("-", "_")
    owners = list(dict.fromkeys(cls.__name__ for cls in classes if setting in settings_of(cls)))
    if owners and setting not in _HIDDEN:
        return f"it is a setting of {', '.join(owners)}, not of all: write {owners[0]}:{setting}=..."
    close = difflib.get_close_matches(name, flags, 3, 0.5)
    return f"did you mean {' or '.join('--' + c for c in close)}?" if close else "--help shows all"


class Cleared(dict[str, Any]):
    """What ``--some-settings none a=1`` gives: these values alone, whatever the defaults are."""


def _with_settings(options: type[Any], classes: Sequence[type[Env[Any]]], hints: Mapping[str, Any]) -> type[Any]:
    """The dataclass with a field ``env_flags`` that holds settings, whose flags have no prefix."""
    cls, docs = classes[0], setting_docs(classes[0])

    def describe(name: str) -> str:
        limit = cls.limits.get(name) if len(classes) == 1 else None
        return f"{docs.get(name, '')}{f' From {limit[0]} to {limit[1]}.' if limit else ''}".strip()

    def default(name: str) -> Any:
        value = getattr(cls, name)
        return field(default_factory=lambda: value)

    fields = [(name, Annotated[hint, arg(help=describe(name))], default(name)) for name, hint in hints.items()]
    flags = dataclasses.make_dataclass("settings", fields, frozen=True)
    flags.__doc__ = "Settings of the environment."
    both = dataclasses.make_dataclass(
        options.__name__,
        [("env_flags", Annotated[flags, arg(name="")], field(default_factory=flags))],
        bases=(options,),
        frozen=True,
    )
    both.__doc__ = options.__doc__
    return both


def setting_docs(cls: type[Env[Any]]) -> dict[str, str]:
    """What the docstrings of a class say about each setting, under "Settings"."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        name = ""
        if issubclass(base, Env):
            lines = inspect.cleandoc(base.__doc__ or "").splitlines()
            start = next((number for number, line in enumerate(lines) if line.startswith("Settings")), len(lines))
            for before, line in itertools.pairwise(lines[start:]):
                if found := re.fullmatch(r" {4}(\w+): (.*)", line):
                    name, docs[found[1]] = found[1], found[2]
                elif name and line.startswith(" " * 8):
                    docs[name] += " " + line.strip()
                elif line.strip() and not before.strip():
                    break  # the next paragraph; until then lines at the margin belong to the heading
                else:
                    name = ""
    return {name: text.replace("``", "") for name, text in docs.items()}


def positionals(
    args: Sequence[str], options: type[Any], ids_of: Callable[[str], Sequence[str]] | None = None
) -> list[str]:
    """The words among the arguments that are no flag and no flag's value; see `look`."""
    return look(args, options, ids_of).words


def look(args: Sequence[str], options: type[Any], ids_of: Callable[[str], Sequence[str]] | None = None) -> Words:
    """What the arguments say as far as can be told before all flags are known, and so parsed.

    Args:
        args: The arguments after the command's name.
        options: As in `parse`.
        ids_of: Ids of the environments that a word stands for, where settings of environments are flags. Those of the
            words before all flags are known by it; with no word there, a flag takes what is not an environment.
    """
    flags = flags_of(options)
    head = list(itertools.takewhile(lambda word: not word.startswith("-"), args))
    if ids_of is not None and head:
        classes = [env_class(env_id) for word in head for env_id in ids_of(word)]
        hints = {name: hint for name, hint in _shared(classes).items() if name not in _HIDDEN}
        flags = {name.replace("_", "-"): flag_of(hint) for name, hint in hints.items()} | flags

    def is_env(word: str) -> bool:
        try:
            return ids_of is not None and bool(ids_of(word))
        except SettingsError:
            return False

    return read(args, flags, lambda name: Flag("unknown", lambda word: not is_env(word)))


def _registry() -> ConstructorRegistry:
    """Flags of type ``Mapping[str, Any]`` are written KEY=VALUE ..., each value JSON or else text; none clears them."""
    registry = ConstructorRegistry()

    @registry.primitive_rule
    def mapping(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Any] | None:
        kind = flag_of(info.type).kind
        if kind not in ("mapping", "either"):
            return None

        def read_words(words: list[str]) -> Any:
            if kind == "either" and len(words) == 1 and not PAIR.match(words[0]):
                return words[0]
            return Cleared(map(_pair, words[1:])) if words and words[0] == "none" else dict(map(_pair, words))

        return PrimitiveConstructorSpec(
            nargs="*",
            metavar="KEY=VALUE ..." if kind == "mapping" else "NAME|KEY=VALUE ...",
            instance_from_str=read_words,
            is_instance=lambda value: isinstance(value, Mapping) or (kind == "either" and isinstance(value, str)),
            str_from_instance=lambda value: (
                [value] if isinstance(value, str) else [f"{k}={json.dumps(v)}" for k, v in value.items()]
            ),
        )

    return registry


def _pair(word: str) -> tuple[str, Any]:
    key, _, value = word.partition("=")
    return key, read_value(value)
