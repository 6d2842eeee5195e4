"""Registration into gymnasium's own registry: the only registry there is.

An environment is registered by being decorated. Those in ``envs/`` are registered by being there: their ids are read
from their files, and a module is imported when its environment is made.
"""

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from turnwise.core.declared import Declared, declared_in, fault_of, illegible
from turnwise.core.env import Env, settings_of
from turnwise.core.errors import SettingsError, TurnwiseError
from turnwise.core.settings import fits

__all__ = [
    "declare",
    "env_class",
    "env_ids",
    "expand",
    "families",
    "family",
    "fault",
    "full_id",
    "import_envs",
    "load_source",
    "make",
    "matching",
    "origins_of",
    "parse_spec",
    "read_value",
    "recall",
    "register",
    "split_settings",
    "summary",
    "unreadable",
    "written",
]

NAMESPACE = "turnwise"
EnvT = TypeVar("EnvT", bound=type[Env[Any]])
_SETTING = re.compile(r"\s*([A-Za-z_][\w-]*)=")
_PYTHON: dict[str, Any] = {"None": None, "True": True, "False": False}
_NAMED: dict[str, tuple[str, ModuleType]] = {}
"""Id to the module or file that was named before its colon, and what that is."""
_DECLARED: dict[str, Declared] = {}
"""Id to what the file of an environment of turnwise's own says of it."""
_FOLDERS: list[Path] = []
"""Folders of families that were declared."""


def register(name: str) -> Callable[[EnvT], EnvT]:
    """Class decorator that registers an environment as ``turnwise/<name>``.

    Args:
        name: ``Name-vN``, or ``namespace/Name-vN`` to register outside turnwise's namespace.
    """
    env_id = _id_of(name)

    def decorate(cls: EnvT) -> EnvT:
        _put(env_id, f"{cls.__module__}:{cls.__qualname__}")
        return cls

    return decorate


def declare(folder: str, package: str) -> None:
    """Register the environments of ``folder/<family>/<name>.py`` without importing them.

    Args:
        folder: The folder of the families.
        package: Its name as a package.

    Raises:
        SettingsError: Two files declare the same id.
    """
    _FOLDERS.append(Path(folder))
    for found in declared_in(Path(folder), package):
        env_id = _id_of(found.name)
        before = _DECLARED.setdefault(env_id, found)
        if before.entry != found.entry:
            raise SettingsError(f"{env_id} is declared in {before.file} and in {found.file}; every id is declared once")
        _put(env_id, found.entry)


def _id_of(name: str) -> str:
    env_id = name if "/" in name else f"{NAMESPACE}/{name}"
    if not re.fullmatch(r"[A-Za-z0-9_-]+/[A-Za-z0-9]+-v\d+", env_id):
        raise SettingsError(f"the environment name is {name!r}; it must look like 'Name-v0' or 'mine/Name-v0'")
    return env_id


def _put(env_id: str, entry: str) -> None:
    """Write an environment into gymnasium's registry."""
    before = gymnasium.registry.get(env_id)
    if before is not None and before.entry_point == entry:
        return
    if before is not None:
        _check_same(env_id, str(before.entry_point), entry)
        del gymnasium.registry[env_id]
    gymnasium.register(
        id=env_id,
        entry_point=entry,
        vector_entry_point=f"turnwise.core.vector:{env_id.replace('/', '__').replace('-v', '__v')}",
        order_enforce=False,  # the base class enforces the order itself
        disable_env_checker=True,  # the contract test checks more, once, not at every make
    )


def _check_same(env_id: str, before: str, entry: str) -> None:
    """Raise `SettingsError` unless an id is registered again for the same class, or from a session that is typed in."""
    (old, _, name), (new, _, again) = before.partition(":"), entry.partition(":")
    files = [_file_of(sys.modules[home]) if home in sys.modules else None for home in (old, new)]
    if files[0] is None and env_id in _DECLARED and _DECLARED[env_id].entry == before:
        files[0] = _DECLARED[env_id].file.resolve()
    if "__main__" in (old, new) or (name == again and files[0] is not None and files[0] == files[1]):
        return
    places = [str(file) if file else home for file, home in zip(files, (old, new), strict=True)]
    raise SettingsError(f"{env_id} is registered by {name} in {places[0]} and by {again} in {places[1]}; rename one")


def env_ids(pattern: str = "") -> list[str]:
    """Ids of all registered turnwise environments that contain ``pattern`` (case-insensitive), sorted."""
    ids = (
        spec.id
        for spec in gymnasium.registry.values()
        if isinstance(spec.vector_entry_point, str) and spec.vector_entry_point.startswith("turnwise.core.vector:")
    )
    return sorted(i for i in ids if pattern.lower() in i.lower())


def full_id(name: str) -> str:
    """The registered id meant by ``name``: a full id, or the same without namespace or version.

    ``my_package.my_module:Name-v0`` and ``path/to/file.py:Name-v0`` import that module first.

    Raises:
        SettingsError: There is none; the message suggests the nearest.
    """
    module, colon, rest = name.rpartition(":")
    if not colon:
        return _known_id(name)
    loaded = _import(module, "; before a colon stands a module or a file, settings are written Name:key=value")
    env_id = _known_id(rest)
    if not _built_in(env_id):
        _NAMED[env_id] = module, loaded
    return env_id


def _known_id(name: str) -> str:
    ids = env_ids()
    if name in ids:
        return name
    found = [i for i in ids if name.lower() in (i.lower(), i.split("/")[1].lower(), _short(i))]
    if len(found) == 1:
        return found[0]
    if found:
        return max(found, key=lambda i: (i.startswith(NAMESPACE + "/"), int(i.rsplit("-v", 1)[1])))
    raise SettingsError(f"there is no environment {name!r}; {_nearest(name)}")


def _nearest(name: str) -> str:
    """What a name that is not registered may have been meant for."""
    by_family = families()
    if name in by_family:
        return f"{name} is a family: {', '.join(by_family[name])}"
    known, short = {_short(i): i for i in env_ids()}, _short("/" + name.split("/")[-1])
    close = [known[c] for c in difflib.get_close_matches(short, known, 3, 0.5)]
    alike = difflib.get_close_matches(short, set(by_family) - set(known), 1, 0.75)  # short words are like many
    close = [*(f"the family {family}" for family in alike), *close]
    hint = f"did you mean {' or '.join(close)}?" if close else "`turnwise list` shows all"
    return "; ".join([hint, *unreadable()])


def unreadable() -> list[str]:
    """The files among turnwise's own environments whose declaration cannot be read, in words."""
    how = '@register("Name-v0") must stand directly above a class, with the name written out'
    return [f"{file} declares an environment that cannot be read: {how}" for f in _FOLDERS for file in illegible(f)]


# ---- families: several environments by one word --------------------------------------------------------------------


def family(env_id: str) -> str:
    """The folder under envs/ that a registered environment is of, or the package it comes from."""
    parts = _home(env_id).split(".")
    if parts[0] == NAMESPACE and len(parts) > 2:  # turnwise.envs.FAMILY.module; turnwise.worlds.web.adapters.module
        return parts[2] if parts[1] == "envs" else parts[1]
    return parts[0]


def families() -> dict[str, list[str]]:
    """The ids of each family."""
    found: dict[str, list[str]] = {}
    for env_id in env_ids():
        found.setdefault(family(env_id), []).append(env_id)
    return found


def matching(pattern: str) -> list[str]:
    """Ids that a pattern finds: of families that begin with it and of ids that hold it, else by their descriptions."""
    wanted = pattern.lower()
    named = {i for name, ids in families().items() if wanted and name.startswith(wanted) for i in ids}
    return sorted(named | set(env_ids(pattern))) or [i for i in env_ids() if wanted in summary(i).lower()]


def summary(env_id: str) -> str:
    """The first line of an environment's description; one of turnwise's own is not imported for it."""
    declared = _DECLARED.get(env_id)
    if declared is not None and declared.summary:
        return declared.summary
    return (inspect.getdoc(env_class(env_id)) or "").split("\n")[0].replace("``", "")


def fault(env_id: str) -> str:
    """Why the file of one of turnwise's own environments cannot be imported; only its syntax is looked at."""
    return fault_of(_DECLARED[env_id]) if env_id in _DECLARED else ""


def expand(text: str) -> list[str]:
    """The environments that a word of the command line stands for, with the settings behind it.

    That is ``all`` (what `Env.in_all` says belongs to it), a family, or the word itself.

    >>> expand("logic:difficulty=3")
    ['turnwise/KnightsKnaves-v0:difficulty=3', 'turnwise/Zebra-v0:difficulty=3']
    """
    name = split_settings(text)[0]
    ids = [i for i in env_ids() if env_class(i).in_all] if name == "all" else families().get(name, [])
    return [i + text[len(name) :] for i in ids] or [text]


# ---- an environment and its settings as one word -------------------------------------------------------------------


def split_settings(text: str) -> tuple[str, str]:
    """The environment and its settings in ``[module:]Name[:key=value,...]``, as two texts.

    >>> split_settings("my_file.py:Nim-v0:stones=20")
    ('my_file.py:Nim-v0', 'stones=20')
    """
    match = re.search(rf":(?={_SETTING.pattern})", text)
    return (text[: match.start()], text[match.end() :]) if match else (text, "")


def parse_spec(text: str) -> tuple[str, dict[str, Any]]:
    """Id and settings in ``[module:]Name[:key=value,...]``; values are JSON or else text.

    A value goes up to the next ``,key=``; one that begins as JSON with a quote, bracket or brace up to its end. A
    number for a setting that takes text is that text.

    >>> parse_spec("Countdown:num_numbers=5,split=test")
    ('turnwise/Countdown-v0', {'num_numbers': 5, 'split': 'test'})

    Raises:
        SettingsError: There is no such environment, or a setting is given twice.
    """
    name, rest = split_settings(text)
    env_id = full_id(name)
    hints = settings_of(env_class(env_id))
    settings: dict[str, Any] = {}
    while found := _SETTING.match(rest):
        key, rest = found[1], rest[found.end() :]
        end = _end_of_value(rest)
        word, rest = rest[:end], rest[end + 1 :]
        if key in settings:
            raise SettingsError(f"{text}: {key} is given twice")
        value = read_value(word)
        settings[key] = word if not fits(value, hints.get(key, Any)) and fits(word, hints[key]) else value
    return env_id, settings


def _end_of_value(rest: str) -> int:
    """Where the first value of ``value,key=value,...`` ends."""
    start = 0
    if rest[:1] in ('"', "[", "{"):
        try:
            start = json.JSONDecoder().raw_decode(rest)[1]
        except ValueError:
            start = 0
    comma = re.compile(rf",(?={_SETTING.pattern})").search(rest, start)
    return comma.start() if comma else len(rest)


def read_value(text: str) -> Any:
    """What a value on the command line stands for: JSON, Python's None, True and False, or else the text itself."""
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def written(env_id: str, settings: Mapping[str, Any]) -> str:
    """The one way to write an environment with its settings; `parse_spec` reads it back.

    >>> written("turnwise/Dataset-v0", {"path": "a.jsonl", "prompt": "x,y=1: {question}"})
    'turnwise/Dataset-v0:path=a.jsonl,prompt="x,y=1: {question}"'
    """
    words = []
    for key, value in sorted(settings.items()):
        plain = isinstance(value, str) and read_value(value) is value and value[:1] not in ('"', "[", "{")
        plain = plain and _end_of_value(value) == len(value)
        words.append(f"{key}={value if plain else json.dumps(value, sort_keys=True)}")
    return env_id + (":" + ",".join(words) if words else "")


def import_envs(module: str) -> None:
    """Import a module by name or a file by path, so that it registers its environments.

    Raises:
        SettingsError: There is none.
    """
    _import(re.sub(r"\.py:.*", ".py", module))


def load_source(name: str) -> ModuleType:
    """The module called ``name``, or the file at that path if it ends in ``.py``.

    Raises:
        SettingsError: It does not exist.
    """
    return _import(name)


def _import(module: str, hint: str = "") -> ModuleType:
    """A module by its name, or a file by its path under its own name."""
    if not module.endswith(".py"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise _unimportable(module, error) from error
            raise SettingsError(f"there is no module {module!r}{hint}") from error
        except TurnwiseError:
            raise
        except Exception as error:
            raise _unimportable(module, error) from error
    path = Path(module)
    if not path.is_file():
        raise SettingsError(f"there is no file {module!r}")
    name, whole = path.stem, path.resolve()
    if name in sys.modules and _file_of(sys.modules[name]) != whole:  # another of this name
        name += "_" + hashlib.blake2b(str(whole).encode(), digest_size=4).hexdigest()
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    try:
        spec.loader.exec_module(loaded)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, Exception) and not isinstance(error, TurnwiseError):
            raise _unimportable(module, error) from error
        raise
    return loaded


class _ImportFailed(SettingsError):
    """A module of the user's is there, and its import fails with the cause of this."""


def _unimportable(module: str, error: Exception) -> SettingsError:
    """An error in a module of the user's: the exception, and the line of theirs that it comes from."""
    where = ""
    if not isinstance(error, SyntaxError):  # its text has the place
        frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<frozen")]
        theirs = [f for f in frames if Path(f.filename).parent != Path(__file__).parent]
        where = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return _ImportFailed(f"{module} cannot be imported: {type(error).__name__}: {error}{where}")


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if file else None


# ---- where environments come from ------------------------------------------------------------------------------------


def origins_of(env_ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """For each registered environment that does not come with turnwise: what to import, for `recall`.

    Returns:
        By id: ``name`` is the module or file as it was named, ``path`` the whole path of its file. Those that a script
        defines itself are left out: importing it again would run it.
    """
    found = {}
    for env_id in sorted(set(env_ids)):
        if _built_in(env_id):
            continue
        home = _home(env_id)
        name, module = _NAMED.get(env_id, (home, sys.modules.get(home)))
        if module is not None and module.__name__ != "__main__":
            path = _file_of(module)
            found[env_id] = {"name": name, **({"path": str(path)} if path else {})}
    return found


def recall(env_id: str, origins: Any) -> str:
    """Register an environment of a stored run again, by importing what it came from.

    A file is taken from where it was: one of the same name elsewhere may be another.

    Args:
        env_id: Its registered id.
        origins: What `origins_of` told when it was played, or anything else that a file says in its place.

    Returns:
        Nothing if it is registered now, else why not.
    """
    if env_id in gymnasium.registry:
        return ""
    hint = f"name the file or module that registers {env_id} with --env-module"
    origin = origins.get(env_id) if isinstance(origins, Mapping) else None
    if not isinstance(origin, Mapping) or not isinstance(origin.get("name"), str):
        return f"{hint}: the run does not say where it came from"
    name, path = origin["name"], str(origin.get("path", ""))
    if name.endswith(".py") and not Path(path).is_absolute():
        return f"{hint}: it came from {name}, and the run does not say where that is"
    try:
        if name.endswith(".py") or (path.endswith(".py") and "." not in name and not importlib.util.find_spec(name)):
            name = path
        _import(name)
    except _ImportFailed as error:
        return (
            f"{hint}: it came from {name}, whose import fails with {type(error.__cause__).__name__}: {error.__cause__}"
        )
    except SettingsError:
        return f"{hint}: it came from {name}, which is not there"
    except TurnwiseError as error:
        return f"{hint}: it came from {name}, whose import fails with {type(error).__name__}: {error}"
    return "" if env_id in gymnasium.registry else f"{hint}: {name}, where it came from, no longer does"


def _home(env_id: str) -> str:
    """The module of an environment's class."""
    entry = gymnasium.spec(env_id).entry_point
    return entry.partition(":")[0] if isinstance(entry, str) else getattr(entry, "__module__", "")


def _built_in(env_id: str) -> bool:
    return _home(env_id).startswith("turnwise.envs.")


def _short(env_id: str) -> str:
    return env_id.split("/")[1].split("-v")[0].lower()


def env_class(name: str) -> type[Env[Any]]:
    """The class behind an id or short name, whose module is imported.

    Raises:
        SettingsError: There is none, or its module cannot be imported.
    """
    env_id = full_id(name)
    spec: EnvSpec = gymnasium.spec(env_id)
    if env_id in _DECLARED:
        _import(_home(env_id))
    cls = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    assert isinstance(cls, type)
    assert issubclass(cls, Env)
    return cls


def make(name: str, **settings: Any) -> gymnasium.Env[str, str]:
    """`gymnasium.make` that also takes what `parse_spec` reads: ``turnwise.make("Countdown", difficulty=3)``."""
    env_id, own = parse_spec(name)
    if "max_episode_steps" in settings:  # gymnasium's would cut the episode off without its result
        if "max_turns" in settings:
            raise SettingsError("max_episode_steps and max_turns are both given; they are the same limit")
        settings["max_turns"] = settings.pop("max_episode_steps")
    return gymnasium.make(env_id, **{**own, **settings})
