'''The registry of methods: each has a name and settings, and declares which data it needs and returns.

The settings of a method are a frozen class of typed fields, and the method is a function of data and settings::

    class Halves(Credit, name="halves"):
        """A share of the return, whatever the task."""

        share: Annotated[float, Range(0, 1)] = 0.5
        """What part of the return each rollout keeps."""

    @credit(Halves, needs=("returns",))
    def halves(returns, settings):
        return settings.share * returns

``TrainConfig(credit=Halves(share=0.1))`` and ``--credit halves --credit.share 0.1`` select it. A method without
settings needs the function alone: ``@credit("mine", needs=("returns", "groups"))``.
'''

import dataclasses
import functools
import importlib
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast, dataclass_transform, get_args, get_origin

from turnwise.core.errors import SettingsError, UsageError, did_you_mean
from turnwise.core.origins import load_source
from turnwise.core.settings import REQUIRED, check, check_all, check_names, named_settings, settings_of

__all__ = ["Flat", "Kind", "Method", "MethodSettings", "Settings", "choice", "summary_of"]

R = TypeVar("R")
T = TypeVar("T")


class Flat(NamedTuple):
    """What stands for a field in its name on the command line and in config.json; see flat.py."""

    name: str


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(dataclasses.field,))
class Settings:
    """Base of all settings: a subclass is a frozen dataclass of keyword-only fields, checked when it is made.

    A field is annotated with its type and, where it is a number, its `Range`; the docstring beneath it says what it
    is. A list becomes a tuple where that is the field's type.
    """

    PREFIX: ClassVar[str | None] = None
    """What stands before the names of its fields on the command line; None for the field that holds it and a dot."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        make = cls.__init__

        @functools.wraps(make)
        def init(self: Any, *args: Any, **values: Any) -> None:
            if args:
                raise SettingsError(
                    f"the settings of {cls.__name__} are given by name: {', '.join(named_settings(cls))}"
                )
            _check_names(cls, values)
            make(self, **values)

        cls.__init__ = init  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        for setting in settings_of(type(self)):
            value = getattr(self, setting.name)
            is_tuple = get_origin(setting.hint) is tuple and isinstance(value, (tuple, list))
            if is_tuple:
                object.__setattr__(self, setting.name, tuple(value))
            for item in value if is_tuple else ():
                check(setting.name, item, dataclasses.replace(setting, hint=get_args(setting.hint)[0]))
            if isinstance(value, float) and not math.isfinite(value):
                raise SettingsError(f"{setting.name} is {value!r}; it must be a finite number")
        check_all(self)


class MethodSettings(Settings):
    """Base of the settings of methods: a subclass with a name is a choice of its kind."""

    KIND: ClassVar["Kind[Any]"]
    METHOD: ClassVar[str] = ""
    """What the command line and config.json call the method."""

    def __init_subclass__(cls, name: str = "") -> None:
        super().__init_subclass__()
        if "KIND" in vars(cls):
            cls.KIND.base = cls
        if name:
            cls.METHOD = cls.KIND.declare(name, cls)


def _check_names(cls: type[Any], values: Iterable[str]) -> None:
    """Raise `SettingsError` for settings that the class does not have, or needs and does not get."""
    known = named_settings(cls)
    label = getattr(cls, "METHOD", "") or cls.__name__
    check_names(f"{label} has no setting", values, known)
    if missing := [name for name, setting in known.items() if setting.default is REQUIRED and name not in values]:
        raise SettingsError(f"{label} needs a value for {', '.join(missing)}")


def summary_of(cls: type[Any]) -> str:
    """Return the first sentence of a class's docstring."""
    return (inspect.getdoc(cls) or "").split("\n")[0].replace("``", "")


class Method(Generic[R]):
    """A function with its name, its settings, and the data that it needs.

    Attributes:
        name: What the command line and config.json call it.
        settings: The class of its settings.
        needs: Names of the data that it takes, in their order.
        gives: Unit of one number of the result, where a kind allows several: "rollout", "turn" or "token".
        stats: It takes ``stats``, a dictionary for numbers to log.
        function: Of the data, then the settings if it has any.
    """

    def __init__(
        self, name: str, settings: type[Any], function: Callable[..., R], needs: Sequence[str], gives: str, stats: bool
    ) -> None:
        functools.update_wrapper(self, function)
        self.name, self.settings, self.function = name, settings, function
        self.needs, self.gives, self.stats = tuple(needs), gives, stats

    def __call__(self, *data: Any, **named: Any) -> R:
        """Return the result on data, with settings by name: ``gigpo(rewards, turns, groups, anchors, gamma=1)``."""
        data = (*data, *(named.pop(each) for each in self.needs[len(data) :] if each in named))
        stats = {"stats": named.pop("stats", None)} if self.stats else {}
        return self.run(data, self.settings(**named), **stats)

    def run(self, data: Sequence[Any], settings: Any, **stats: Any) -> R:
        """Return the result on the data that the method needs."""
        own = (settings,) if settings_of(self.settings) else ()
        return self.function(*data, *own, **stats)

    def run_on(self, batch: object, settings: Any) -> R:
        """Return the result on the fields of a batch that the method needs.

        Raises:
            UsageError: The batch lacks one of them.
        """
        return self.run(self.fields_of(batch), settings)

    def fields_of(self, batch: object) -> list[Any]:
        """Return the fields of a batch that the method needs; raise `UsageError` if one of them is missing or None."""
        values = [getattr(batch, each, None) for each in self.needs]
        for each, value in zip(self.needs, values, strict=True):
            if value is None:
                raise UsageError(f"{self.name} needs {each}, which this batch does not hold")
        return values


class Kind(Mapping[str, Method[R]]):
    """The methods of one kind, by name.

    Args:
        name: What error messages call the kind.
        declared: The modules that declare the settings of its methods; they are imported when a name is asked for.
        implemented: The modules with the functions, where those are others: they may import heavy libraries.
        data: Names of the data that methods may need; empty where they need none.
    """

    def __init__(self, name: str, declared: str, implemented: str = "", data: Sequence[str] = ()) -> None:
        self.name, self.data = name, data
        self._modules = (declared, implemented or declared)
        self._settings: dict[str, type[Any]] = {}
        self._methods: dict[type[Any], Method[R]] = {}
        self.base: type[Any] = MethodSettings

    # ---- declaring ----------------------------------------------------------------------------------------------

    def declare(self, name: str, settings: type[Any]) -> str:
        """Register settings and return the name of the method: for one outside turnwise, its file stands before it."""
        if not settings.__module__.startswith("turnwise."):
            source = inspect.getmodule(settings)
            file = getattr(source, "__file__", None)
            name = f"{Path(file).resolve()}:{name}" if file else name
        self._settings[name] = settings
        return name

    def __call__(
        self, settings: str | type[Any], *, needs: Sequence[str] = (), gives: str = "rollout", stats: bool = False
    ) -> Callable[[Callable[..., R]], Method[R]]:
        """Declare a method: a decorator of its function.

        Args:
            settings: The class of its settings, or the name of a method without any.
            needs: Names of the data, which are the function's parameters before the settings.
            gives: See `Method`.
            stats: See `Method`.
        """

        def decorate(function: Callable[..., R]) -> Method[R]:
            check_names(f"{function.__name__} needs what {self.name} does not have:", needs, self.data)
            own = self._without(settings, function) if isinstance(settings, str) else settings
            made = Method(own.METHOD or function.__name__, own, function, needs, gives, stats)
            self._methods[own] = made
            return made

        return decorate

    def implements(self, settings: type[Any]) -> Callable[[type[T]], type[T]]:
        """Declare a method that is a class, created from its kind's common arguments and the settings."""

        def decorate(cls: type[T]) -> type[T]:
            self._methods[settings] = Method(settings.METHOD, settings, cast(Any, cls), (), "", False)
            return cls

        return decorate

    def make(self, settings: Any, *arguments: Any) -> R:
        """Create the object that implements a method with these settings."""
        return self.of(settings).function(*arguments, settings)

    def _without(self, name: str, function: Callable[..., Any]) -> type[Any]:
        """Make the settings class of a method that has no settings."""
        base: Any = self.base
        spaces = {"__doc__": inspect.getdoc(function) or "", "__module__": function.__module__}
        return cast(type[Any], type(base)(function.__name__, (base,), spaces, name=name))

    # ---- finding ------------------------------------------------------------------------------------------------

    def settings_of(self, name: str) -> type[Any]:
        """Return the class of the settings of the method called ``name``; ``file.py:name`` imports the file first.

        Raises:
            SettingsError: The method is not registered.
        """
        known = self.known
        source, colon, short = name.rpartition(":") if isinstance(name, str) else ("", "", "")
        if colon and name not in known:
            module = load_source(source)
            start = f"{Path(module.__file__ or source).resolve()}:"
            own = [each.removeprefix(start) for each in known if each.startswith(start)]
            check_names(f"{source} declares no {self.name}", [short], own)
            name = start + short
        choice(self.name, name, known)
        return known[name]

    @property
    def known(self) -> Mapping[str, type[Any]]:
        """Return the settings classes of the methods by name, in the order of their declaration."""
        importlib.import_module(self._modules[0])
        return self._settings

    def of(self, settings: Any) -> Method[R]:
        """Return the method that some settings belong to.

        Raises:
            SettingsError: They are settings of no method of this kind.
        """
        if type(settings) not in self._methods:
            importlib.import_module(self._modules[1])
        if type(settings) not in self._methods:
            raise SettingsError(f"{self.name} is {settings!r}; it must be one of {', '.join(self.known)}")
        return self._methods[type(settings)]

    def __getitem__(self, name: str) -> Method[R]:
        own = self.known[name]
        importlib.import_module(self._modules[1])
        return self._methods[own]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def documented(self) -> dict[str, str]:
        """Return the first sentence about each method, by name."""
        return {name: summary_of(settings) for name, settings in self.known.items()}


def choice(name: str, value: object, accepted: Any) -> None:
    """Raise `SettingsError` for a value that is not one of the accepted ones."""
    if value not in accepted:
        names = [each for each in accepted if "/" not in each]
        raise SettingsError(f"{name} is {value!r}{did_you_mean(value, names)}; it must be one of {', '.join(names)}")
