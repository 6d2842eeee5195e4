"""Flat names of settings: each setting has one name, for its flag, its line in config.json and messages about it.

In Python the settings of a run are parts within parts, ``config.warm_start.steps``; here they are one mapping of names
to plain values, ``{"warm_steps": 500, "credit": "gigpo", "credit.gamma": 0.95}``. A method stands in it by its name,
and its own settings behind that; several methods are a list of names; what may be absent is true or false.
"""

import functools
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin

from turnwise.baselines.methods.registry import Flat, Kind, MethodSettings, Settings
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.settings import REQUIRED, Setting, settings_of

__all__ = ["Leaf", "assembled", "changed", "flattened", "leaves", "merged", "offered", "short"]

Form = Literal["value", "method", "methods", "option", "records", "section"]
T = TypeVar("T", bound=Settings)


class Leaf(NamedTuple):
    """A setting by its flat name.

    Attributes:
        name: Its flat name, with underscores and dots.
        form: What its value is: as it is; the name of a method; names of methods; true or false; a list of mappings.
        setting: Its declaration.
        value: Its value as plain data.
        part: The class that declares it.
    """

    name: str
    form: Form
    setting: Setting
    value: Any
    part: type[Settings]

    @property
    def kind(self) -> Kind[Any]:
        """The kind of the methods that this setting names."""
        return _inside(self.setting.hint).KIND  # type: ignore[no-any-return]

    @property
    def methods(self) -> list[str]:
        """The methods that this setting currently names."""
        if self.form == "method":
            return [self.value]
        return list(self.value) if self.form == "methods" else []


def short(method: str) -> str:
    """Return the name of a method without the file that declares it."""
    return method.rpartition(":")[2]


def leaves(part: Settings, prefix: str = "") -> Iterator[Leaf]:
    """Return all settings of a part and of the parts within it, in the order of their declaration."""
    for name, setting in _names_of(type(part), prefix).items():
        value, form = getattr(part, setting.name), _form(setting.hint)
        if form == "section":
            yield from leaves(value, _prefix(type(value), name))
            continue
        yield Leaf(name, form, setting, _plain(value, form), type(part))
        if form == "method" or (form == "option" and value is not None):
            yield from leaves(value, f"{name}.")
        if form == "methods":
            for method in value:
                yield from leaves(method, f"{name}.{short(method.METHOD)}.")


def flattened(part: Settings) -> dict[str, Any]:
    """Return the plain values of all settings, by their names."""
    return {leaf.name: leaf.value for leaf in leaves(part)}


def offered(cls: type[Settings], values: Mapping[str, Any], prefix: str = "") -> Iterator[Leaf]:
    """Return the settings that are valid beside ``values``: those of the chosen methods and of all optional parts.

    Args:
        cls: The part.
        values: Plain values by name; missing ones have their defaults, or `REQUIRED`.
        prefix: Prefix of the names.
    """
    for name, setting in _names_of(cls, prefix).items():
        form, inside = _form(setting.hint), _inside(setting.hint)
        if form == "section":
            yield from offered(inside, values, _prefix(inside, name))
            continue
        default = setting.default if setting.default is REQUIRED else _plain(setting.default, form)
        leaf = Leaf(name, form, setting, values.get(name, default), cls)
        yield leaf
        if form == "option":
            yield from offered(inside, values, f"{name}.")
        for method in leaf.methods:
            more = f"{name}.{short(method)}." if form == "methods" else f"{name}."
            yield from offered(inside.KIND.settings_of(method), values, more)


def changed(part: T, given: Mapping[str, Any]) -> T:
    """Return the part with some settings changed, by their names; a newly chosen method has its own defaults.

    Raises:
        SettingsError: A setting does not exist or its value is not accepted.
    """
    return assembled(type(part), merged(part, given))


def merged(part: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plain values of a part, updated; the settings of methods that are no longer chosen are dropped."""
    values = flattened(part)
    for leaf in leaves(part):
        new = given.get(leaf.name, leaf.value)
        if leaf.form == "method" and short(str(new)) != short(leaf.value):
            values = _without(values, f"{leaf.name}.")
        if leaf.form == "methods" and new != leaf.value:
            for gone in {short(name) for name in leaf.value} - {short(str(name)) for name in new}:
                values = _without(values, f"{leaf.name}.{gone}.")
        if leaf.form == "option":
            values = values if new else _without(values, f"{leaf.name}.")
            if leaf.name not in given and any(name.startswith(f"{leaf.name}.") for name in given):
                values[leaf.name] = True
    return {**values, **given}


def _without(values: Mapping[str, Any], start: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not name.startswith(start)}


def assembled(cls: type[T], values: Mapping[str, Any]) -> T:
    """Build a part from settings by their names; missing ones have their defaults.

    Raises:
        SettingsError: A setting does not exist or its value is not accepted.
    """
    left, known = dict(values), dict[str, str]()
    made = _build(cls, left, "", known)
    for name in left:
        raise SettingsError(_unknown(name, known))
    return made


# ---- inside ----------------------------------------------------------------------------------------------------------


def _build(cls: type[T], left: dict[str, Any], prefix: str, known: dict[str, str]) -> T:
    """Build a part from the remaining values and remove its own from them."""
    own: dict[str, Any] = {}
    names = _names_of(cls, prefix)
    for name, setting in names.items():
        form, inside = _form(setting.hint), _inside(setting.hint)
        if form == "section":
            own[setting.name] = _build(inside, left, _prefix(inside, name), known)
            continue
        known[name] = ""
        if form == "option":
            on = left.pop(name, setting.default is not None or any(n.startswith(f"{name}.") for n in left))
            if not isinstance(on, bool):
                raise SettingsError(f"{name} is {on!r}; it must be True or False")
            own[setting.name] = _build(inside, left, f"{name}.", known) if on else None
        elif form == "method":
            chosen = left.pop(name, getattr(setting.default, "METHOD", ""))
            known[name] = str(chosen)
            own[setting.name] = _build(inside.KIND.settings_of(chosen), left, f"{name}.", known)
        elif name in left:
            own[setting.name] = _value(name, left.pop(name), form, inside, left, known)
    try:
        return cls(**own)
    except SettingsError as error:
        raise SettingsError(_renamed(str(error), names, prefix)) from error


def _value(name: str, value: Any, form: Form, inside: Any, left: dict[str, Any], known: dict[str, str]) -> Any:
    """Convert the plain value of a field to the value itself."""
    if form in ("methods", "records") and not isinstance(value, (list, tuple)):
        raise SettingsError(f"{name} is {value!r}; it must be a list")
    if form == "methods":
        return tuple(_build(inside.KIND.settings_of(m), left, f"{name}.{short(str(m))}.", known) for m in value)
    if form == "records":
        return tuple(_record(name, each, inside) for each in value)
    return value


def _record(name: str, value: Any, cls: type[Settings]) -> Settings:
    if isinstance(value, cls):
        return value
    if not isinstance(value, Mapping):
        raise SettingsError(
            f"{name} has {value!r}; it must have mappings of {', '.join(s.name for s in settings_of(cls))}"
        )
    try:
        return cls(**value)
    except SettingsError as error:
        raise SettingsError(f"{name}: {error}") from error


def _renamed(message: str, names: Mapping[str, Setting], prefix: str) -> str:
    """Return an error message in which the setting has its flat name."""
    first, space, rest = message.partition(" ")
    for name, setting in names.items():
        if first == setting.name:
            return f"{name}{space}{rest}"
    return f"{prefix.rstrip('._')}: {message}" if prefix else message


def _unknown(name: str, known: Mapping[str, str]) -> str:
    """Explain an unknown name: suggest the nearest one, or name the method whose setting it is."""
    parent, _, last = name.rpartition(".")
    if known.get(parent):
        has = [n.rpartition(".")[2] for n in known if n.startswith(f"{parent}.")]
        near = did_you_mean(last, has)
        return f"{parent} is {known[parent]!r}, which has no setting {last!r}{near or '; it has ' + _listed(has)}"
    return f"there is no setting {name!r}{did_you_mean(name, known) or did_you_mean(last, known)}"


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _plain(value: Any, form: Form) -> Any:
    """Convert a value to plain JSON data."""
    if form == "method":
        return value.METHOD
    if form == "methods":
        return [method.METHOD for method in value]
    if form == "option":
        return value is not None
    if form == "records":
        return [_record_of(record) for record in value]
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _record_of(record: Settings) -> dict[str, Any]:
    """Return those fields of a record that differ from their defaults."""
    own = {s.name: getattr(record, s.name) for s in settings_of(type(record))}
    return {s.name: own[s.name] for s in settings_of(type(record)) if own[s.name] != s.default}


def _prefix(cls: type[Settings], name: str) -> str:
    return f"{name}." if cls.PREFIX is None else cls.PREFIX


def _names_of(cls: Any, prefix: str) -> Mapping[str, Setting]:
    """Return the settings of a part, by their names."""
    return _names(cls, prefix)


@functools.cache
def _names(cls: Any, prefix: str) -> Mapping[str, Setting]:
    """Return the settings of a part, by their names."""
    hints = typing.get_type_hints(cls, include_extras=True)
    found = {}
    for setting in settings_of(cls):
        extras = get_args(hints[setting.name])[1:] if get_origin(hints[setting.name]) is Annotated else ()
        own = next((extra.name for extra in extras if isinstance(extra, Flat)), setting.name)
        found[prefix + own] = setting
    return found


@functools.cache
def _form(hint: Any) -> Form:
    inside = _inside(hint)
    if not (isinstance(inside, type) and issubclass(inside, Settings)):
        return "value"
    if get_origin(hint) is tuple:
        return "methods" if issubclass(inside, MethodSettings) else "records"
    if hint is not inside:
        return "option"
    return "method" if issubclass(inside, MethodSettings) else "section"


def _inside(hint: Any) -> Any:
    """Return the part in a type: X for X, X | None and tuple[X, ...]."""
    parts = [part for part in get_args(hint) if part not in (type(None), ...)]
    return parts[0] if len(parts) == 1 and get_origin(hint) is not Mapping else hint
