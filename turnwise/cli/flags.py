"""Settings of environments as command-line flags, and other values that tyro needs help with."""

import dataclasses
import difflib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, NamedTuple, NoReturn

import tyro
from tyro.conf import UseAppendAction, arg
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from turnwise.cli.words import PAIR, Flag, Words, flag_of, flags_of, read
from turnwise.core.env import Env
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, read_value
from turnwise.core.settings import named_settings, settings_of

__all__ = ["EnvModules", "Parsed", "look", "parse", "plain", "positionals"]

EnvModules = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(metavar="FILE|MODULE", help="Import this first, for environments whose file has moved; repeatable."),
]
_HIDDEN = ("render_mode",)


class Parsed(NamedTuple):
    """The parsed command line.

    Attributes:
        options: The command's dataclass.
        settings: Settings of the environment that were given as flags.
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

    Words name what the command works on (environments, a recipe, folders) and may come anywhere; so may flags, each
    followed by its values: KEY=VALUE words for a mapping, all that fit for a sequence, one for any other. Repeated
    mappings and sequences accumulate; a repeated flag with one value is refused.

    Args:
        command: Its name, for messages.
        options: A dataclass; its fields become flags.
        args: The arguments after the command's name.
        envs: Registered ids. Their settings become flags too; with several environments, only shared settings do.
        words: Replacement for the words in ``args``; None keeps them.

    Raises:
        SettingsError: A flag is unknown, given twice, or has values of the wrong form.
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
    """A dataclass refuses its values. Not a `ValueError`, which tyro would frame and print itself."""


def _candid(options: type[Any]) -> type[Any]:
    """Wrap a dataclass so that its own errors pass through tyro."""

    def check(self: Any) -> None:
        if hasattr(options, "__post_init__"):
            try:
                options.__post_init__(self)
            except SettingsError as error:
                raise _Refused(str(error)) from error

    return type(options.__name__, (options,), {"__post_init__": check, "__doc__": options.__doc__})


def _shared(classes: Sequence[type[Env[Any]]]) -> dict[str, Any]:
    """Return the settings that all classes share, with the same type."""
    others = [{setting.name: setting.hint for setting in settings_of(cls)} for cls in classes]
    return {name: hint for name, hint in others[0].items() if all(other.get(name) == hint for other in others)}


def _meant(name: str, flags: Mapping[str, Flag], classes: Sequence[type[Env[Any]]]) -> str:
    """Suggest what an unknown flag may have been meant for."""
    setting = name.removeprefix("no-").replace("-", "_")
    owners = list(dict.fromkeys(cls.__name__ for cls in classes if setting in named_settings(cls)))
    if owners and setting not in _HIDDEN:
        return f"it is a setting of {', '.join(owners)}, not of all: write {owners[0]}:{setting}=..."
    close = difflib.get_close_matches(name, flags, 3, 0.5)
    return f"did you mean {' or '.join('--' + c for c in close)}?" if close else "--help shows all"


def _with_settings(options: type[Any], classes: Sequence[type[Env[Any]]], hints: Mapping[str, Any]) -> type[Any]:
    """Add a field ``env_flags`` to the dataclass, which holds settings as flags without a prefix."""
    settings = named_settings(classes[0])

    def describe(name: str) -> str:
        accepted = str(settings[name].range or "") if len(classes) == 1 else ""
        return plain(f"{settings[name].doc}{f' {accepted.capitalize()}.' if accepted else ''}")

    def default(name: str) -> Any:
        value = settings[name].default
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


def plain(text: str) -> str:
    """A docstring's text for the terminal, without its code marks."""
    return text.replace("``", "").strip()


def positionals(
    args: Sequence[str], options: type[Any], ids_of: Callable[[str], Sequence[str]] | None = None
) -> list[str]:
    """Return the arguments that are neither flags nor values of flags; see `look`."""
    return look(args, options, ids_of).words


def look(args: Sequence[str], options: type[Any], ids_of: Callable[[str], Sequence[str]] | None = None) -> Words:
    """Read the arguments as far as possible before all flags are known.

    Args:
        args: The arguments after the command's name.
        options: As in `parse`.
        ids_of: Returns the ids of the environments that a word stands for, if their settings are flags. It is applied
            to the words before all flags; if there are none, a flag takes values that are not environments.
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
            return dict(map(_pair, words[1:] if words and words[0] == "none" else words))

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
