"""The settings of a training run as flags: one for each by its one name, those of the chosen methods among them."""

import json
import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from turnwise.baselines.methods.registry import Settings
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.flat import Leaf, merged, offered, short
from turnwise.cli.words import PAIR, Flag, flag_of
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.registration import parse_spec, read_value
from turnwise.core.settings import settings_of

__all__ = ["accepts", "all_flags", "dashed", "offered_flags", "sections", "settings_given", "unknown_flag"]

Values = Mapping[str, Sequence[str]]
"""The words given for each flag, by its name with dashes."""


def dashed(name: str) -> str:
    """A setting's name as a flag has it."""
    return name.replace("_", "-")


def all_flags() -> dict[str, Flag]:
    """How the flags of all methods take their values, whichever are chosen; by their names with dashes."""
    found: dict[str, Flag] = {}
    for leaf in _all(offered(TrainConfig, {})):
        found.setdefault(dashed(leaf.name), _flag(leaf))
    return found


def offered_flags(base: TrainConfig, given: Values) -> list[Leaf]:
    """The settings of a run with the methods that the words name, each with the value that it has before them.

    Raises:
        SettingsError: The method is not registered.
    """
    values: dict[str, Any] = {}
    chosen: dict[str, Any] = {}
    while True:  # the settings of a method may name methods themselves
        values = merged(base, chosen)
        found = list(offered(TrainConfig, values))
        new = {leaf.name: _value(leaf, given[dashed(leaf.name)]) for leaf in found if _names_methods(leaf, given)}
        if new == chosen:
            return found
        chosen = new


def settings_given(offered: Sequence[Leaf], given: Values) -> dict[str, Any]:
    """The values of the settings that the words give, by name; mappings are added to what was there."""
    found = {}
    for leaf in offered:
        if dashed(leaf.name) in given:
            found[leaf.name] = _value(leaf, given[dashed(leaf.name)])
    return found


def unknown_flag(name: str, offered: Sequence[Leaf], known: Mapping[str, Flag]) -> str:
    """What is wrong with a flag that is not among those offered."""
    names = {dashed(leaf.name): leaf for leaf in offered}
    if name.endswith("-settings") or name in ("critic", "judge"):
        return f"there is no flag --{name}: settings of methods are flags of their own, such as --credit.gamma 0.95"
    parent, _, last = name.rpartition(".")
    if parent in names and names[parent].methods:
        leaf = names[parent]
        own = [n.removeprefix(f"{parent}.") for n in names if n.startswith(f"{parent}.")]
        if name in known:
            owners = [m for m, cls in leaf.kind.known.items() if last.replace("-", "_") in _fields(cls)]
            return f"--{name} is a setting of {', '.join(owners)}, and --{parent} is {leaf.value}"
        others = [n.removeprefix(f"{parent}.") for n in known if n.startswith(f"{parent}.")]
        near = _near(last, own, f"{parent}.")
        near = near or f"; it has {', '.join(own) or 'none'}{_near(last, others, f'{parent}.')}"
        return f"--{parent} {leaf.value} has no setting {last}{near}"
    beside = [n.removeprefix(f"{parent}.") for n in names if parent and n.startswith(f"{parent}.")]
    near = _near(last, beside, f"{parent}.") or _near(last, [last] if last in names else names) or _near(name, names)
    return f"there is no flag --{name}{near or '; --help shows all'}"


def _near(name: str, flags: Iterable[str], prefix: str = "") -> str:
    return did_you_mean(name, flags).replace("'", "").replace("mean ", f"mean --{prefix}")


def sections(offered: Sequence[Leaf]) -> Iterator[tuple[str, str, list[Leaf]]]:
    """The flags by part: its name, a sentence about it, its flags."""
    for setting in settings_of(TrainConfig):
        cls = type(setting.default) if isinstance(setting.default, Settings) else setting.hint
        own = [leaf for leaf in offered if _part_of(leaf, setting.name, cls, offered)]
        yield setting.name.replace("_", " "), setting.doc, own


def accepts(leaf: Leaf) -> str:
    """What a flag takes, in a word in capitals or the choices."""
    if leaf.form in ("method", "methods"):
        return "NAME" + " ..." * (leaf.form == "methods")
    if leaf.form == "records":
        return "NAME:KEY=VALUE ..."
    return "" if leaf.form == "option" else _metavar(leaf.setting.hint)


# ---- inside ----------------------------------------------------------------------------------------------------------


def _all(some: Iterator[Leaf]) -> Iterator[Leaf]:
    """The settings, and those of the methods that could be chosen instead."""
    for leaf in some:
        yield leaf
        if leaf.form in ("method", "methods"):
            for name, settings in leaf.kind.known.items():
                more = f"{leaf.name}.{short(name)}." if leaf.form == "methods" else f"{leaf.name}."
                yield from _all(offered(settings, {}, more))


def _names_methods(leaf: Leaf, given: Values) -> bool:
    return leaf.form in ("method", "methods") and dashed(leaf.name) in given


def _fields(cls: type[Any]) -> list[str]:
    return [setting.name for setting in settings_of(cls)]


def _part_of(leaf: Leaf, name: str, cls: Any, offered: Sequence[Leaf]) -> bool:
    """Whether a flag belongs to the part of the run with this name."""
    if leaf.name == name or leaf.name.startswith(f"{name}."):
        return True
    own = {other.name for other in offered if other.part is cls or _within(other.part, cls)}
    return any(leaf.name == other or leaf.name.startswith(f"{other}.") for other in own)


def _within(part: type[Any], cls: Any) -> bool:
    """Whether a class is that of a part within another, such as the divergence in the loss."""
    return isinstance(cls, type) and any(setting.hint is part for setting in settings_of(cls))


def _flag(leaf: Leaf) -> Flag:
    if leaf.form == "method":
        return Flag("scalar")
    if leaf.form == "methods":
        return Flag("sequence", lambda word: word in leaf.kind.known or "=" in word or ":" in word, _known(leaf))
    if leaf.form == "records":
        return Flag("sequence", lambda word: bool(re.match(r"[\[{A-Z]|.+:", word)), "NAME:KEY=VALUE or JSON")
    if leaf.form == "option":
        return Flag("switch")
    if str in get_args(leaf.setting.hint) and any(get_origin(part) is tuple for part in get_args(leaf.setting.hint)):
        return Flag("sequence", accepts="texts")
    return flag_of(leaf.setting.hint)


def _known(leaf: Leaf) -> str:
    return " and ".join([", ".join(list(leaf.kind.known)[:-1]), list(leaf.kind.known)[-1]])


def _value(leaf: Leaf, words: Sequence[str]) -> Any:
    """The value that some words give."""
    if leaf.form == "method":
        return words[0]
    if leaf.form == "methods":
        if pairs := [word for word in words if PAIR.match(word)]:
            name = pairs[0].partition("=")[0]
            raise SettingsError(
                f"--{dashed(leaf.name)} takes names; settings are flags of their own: "
                f"--{dashed(leaf.name)} {name} --{dashed(leaf.name)}.{dashed(name)}.SETTING VALUE"
            )
        return list(words)
    if leaf.form == "records":
        return [record for word in words for record in _records(leaf.name, word)]
    if leaf.form == "option":
        return words == ["true"]
    return _plain(leaf.setting.hint, leaf.value, words)


def _plain(hint: Any, before: Any, words: Sequence[str]) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if hint is bool:
        return words == ["true"]
    if origin is tuple:
        return tuple(_one(parts[0], word) for word in words)
    if isinstance(before, Mapping) and not isinstance(hint, str):
        cleared = bool(words) and words[0] == "none"
        pairs = (word.partition("=") for word in words[cleared:])
        return {**({} if cleared else before), **{key: read_value(value) for key, _, value in pairs}}
    if origin in (typing.Union, types.UnionType) and any(get_origin(part) is tuple for part in parts):
        return words[0] if len(words) == 1 else tuple(words)
    return _one(hint, words[0])


def _one(hint: Any, word: str) -> Any:
    """One word as a value of a type; a word that is none stays a text, which the settings refuse."""
    kinds = get_args(hint) if get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    for kind in kinds:
        if kind is type(None) and word == "None":
            return None
        if get_origin(kind) is Literal:
            return next((choice for choice in get_args(kind) if str(choice) == word), word)
        if kind in (int, float):
            try:
                return kind(word)
            except ValueError:
                continue
    return word


def _records(name: str, word: str) -> list[Any]:
    """Arms of a curriculum: JSON, or an environment with settings as everywhere on the command line."""
    if word.startswith(("[", "{")):
        try:
            value = json.loads(word)
        except ValueError as error:
            raise SettingsError(f"--{dashed(name)} is {word!r}, which is not JSON: {error}") from error
        return value if isinstance(value, list) else [value]
    env, settings = parse_spec(word)
    return [{"env": env, "settings": settings}]


def _metavar(hint: Any) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return "{" + ",".join(map(str, parts)) + "}"
    if origin in (typing.Union, types.UnionType):
        return "|".join(_metavar(part) for part in parts)
    if origin is tuple:
        return f"{_metavar(parts[0])} ..."
    names = {int: "INT", float: "FLOAT", str: "TEXT", bool: "", type(None): "None"}
    return names.get(hint, "KEY=VALUE ...")
