"""Settings of environments as flags of the command line, and other values that tyro needs help with."""

import dataclasses
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any

import tyro
from tyro.conf import arg
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from turnwise.core import Env, settings_of
from turnwise.registration import env_class

__all__ = ["Cleared", "given_flags", "parse", "positionals", "setting_docs"]

_HIDDEN = ("render_mode",)


def parse(
    command: str, options: type[Any], args: Sequence[str], envs: Sequence[str] = ()
) -> tuple[Any, dict[str, Any]]:
    """Parse the arguments of a command.

    Args:
        command: Its name, for messages.
        options: A dataclass; its fields become flags.
        args: The arguments after the command's name.
        envs: Registered ids. Their settings become flags too; of several environments, those that all have.

    Returns:
        The options, and those settings that were given.
    """
    names: list[str] = []
    if envs:
        classes = [env_class(env) for env in envs]
        taken = {f.name for f in dataclasses.fields(options)}
        hints = {n: h for n, h in settings_of(classes[0]).items() if all(settings_of(c).get(n) == h for c in classes)}
        names = [name for name in hints if name not in taken and name not in _HIDDEN]
        options = _with_settings(options, classes, {name: hints[name] for name in names})
    parsed: Any = tyro.cli(options, args=args, prog=f"turnwise {command}", registry=_registry())
    given = given_flags(args)
    return parsed, {name: getattr(parsed.env_flags, name) for name in names if name in given}


def given_flags(args: Sequence[str]) -> set[str]:
    """The fields whose flags are among the arguments."""
    words = {word[2:].partition("=")[0].replace("-", "_") for word in args if word.startswith("--")}
    return words | {word.removeprefix("no_") for word in words}


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
            for line in inspect.cleandoc(base.__doc__ or "").partition("Settings")[2].splitlines()[1:]:
                if found := re.fullmatch(r" {4}(\w+): (.*)", line):
                    name, docs[found[1]] = found[1], found[2]
                elif name and line.startswith(" " * 8):
                    docs[name] += " " + line.strip()
                elif line.strip():
                    break
    return {name: text.replace("``", "") for name, text in docs.items()}


def positionals(args: Sequence[str], options: type[Any]) -> list[str]:
    """The words among the arguments that are no flag and no flag's value, as far as can be told before parsing."""
    switches = {f"--{f.name.replace('_', '-')}" for f in dataclasses.fields(options) if f.type is bool}
    words: list[str] = []
    before = ""
    for word in args:
        if not word.startswith("-") and (not before.startswith("--") or "=" in before or before in switches):
            words.append(word)
        before = word
    return words


def _registry() -> ConstructorRegistry:
    """Flags of type ``Mapping[str, Any]`` are written KEY=VALUE ..., each value JSON or else text; none clears them."""
    registry = ConstructorRegistry()

    @registry.primitive_rule
    def mapping(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Any] | None:
        if info.type_origin is not Mapping:
            return None
        return PrimitiveConstructorSpec(
            nargs="*",
            metavar="KEY=VALUE",
            instance_from_str=_pairs,
            is_instance=lambda value: isinstance(value, Mapping),
            str_from_instance=lambda value: [f"{k}={json.dumps(v)}" for k, v in value.items()],
        )

    return registry


def _pairs(words: Sequence[str]) -> dict[str, Any]:
    return Cleared(map(_pair, words[1:])) if words and words[0] == "none" else dict(map(_pair, words))


def _pair(word: str) -> tuple[str, Any]:
    key, equals, value = word.partition("=")
    if not equals:
        raise ValueError(f"{word!r} is not of the form KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
