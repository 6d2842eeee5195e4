"""Registration into gymnasium's own registry; turnwise has no other.

The decorator registers an environment. Those in ``envs/`` are registered without an import: their ids are read from
their files, and a module is imported when its environment is made.
"""

import difflib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from turnwise.core.declared import Declared, declared_in, fault_of, illegible
from turnwise.core.env import Env
from turnwise.core.errors import SettingsError
from turnwise.core.origins import built_in, file_of, home_of, load_source, remember
from turnwise.core.settings import fits, named_settings

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
    "make",
    "matching",
    "parse_spec",
    "read_settings",
    "read_value",
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
_DECLARED: dict[str, Declared] = {}
"""Maps the id of a built-in environment to its declaration."""
_FOLDERS: list[Path] = []
"""Folders of families declared so far."""


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
    """Raise `SettingsError` unless an id is registered again for the same class, or from an interactive session."""
    (old, _, name), (new, _, again) = before.partition(":"), entry.partition(":")
    files = [file_of(sys.modules[home]) if home in sys.modules else None for home in (old, new)]
    if files[0] is None and env_id in _DECLARED and _DECLARED[env_id].entry == before:
        files[0] = _DECLARED[env_id].file.resolve()
    if "__main__" in (old, new) or (name == again and files[0] is not None and files[0] == files[1]):
        return
    places = [str(file) if file else home for file, home in zip(files, (old, new), strict=True)]
    raise SettingsError(f"{env_id} is registered by {name} in {places[0]} and by {again} in {places[1]}; rename one")


def env_ids(pattern: str = "") -> list[str]:
    """Return the ids of all registered turnwise environments that contain ``pattern`` (case-insensitive), sorted."""
    ids = (
        spec.id
        for spec in gymnasium.registry.values()
        if isinstance(spec.vector_entry_point, str) and spec.vector_entry_point.startswith("turnwise.core.vector:")
    )
    return sorted(i for i in ids if pattern.lower() in i.lower())


def full_id(name: str) -> str:
    """Return the registered id for ``name``: a full id, or one without namespace or version.

    ``my_package.my_module:Name-v0`` and ``path/to/file.py:Name-v0`` import that module first, and a short name is then
    that module's own, even if a built-in environment has the same one.

    Raises:
        SettingsError: There is no such id; the message suggests the nearest.
    """
    module, colon, rest = name.rpartition(":")
    if not colon:
        return _known_id(name)
    loaded = load_source(module, "; before the colon comes a module or a file, and settings are written Name:key=value")
    env_id = _known_id(rest, loaded.__name__)
    if not built_in(env_id):
        remember(env_id, module, loaded)
    return env_id


def _known_id(name: str, home: str = "") -> str:
    ids = env_ids()
    if name in ids:
        return name
    found = [i for i in ids if name.lower() in (i.lower(), i.split("/")[1].lower(), _short(i))]
    found = [i for i in found if str(gymnasium.spec(i).entry_point).startswith(f"{home}:")] or found
    if len(found) == 1:
        return found[0]
    if found:
        return max(found, key=lambda i: (i.startswith(NAMESPACE + "/"), int(i.rsplit("-v", 1)[1])))
    raise SettingsError(f"there is no environment {name!r}; {_nearest(name)}")


def _nearest(name: str) -> str:
    """Suggest a registered name for an unknown one."""
    by_family = families()
    if name in by_family:
        return f"{name} is a family: {', '.join(by_family[name])}"
    known, short = {_short(i): i for i in env_ids()}, _short("/" + name.split("/")[-1])
    near = difflib.get_close_matches(short, known, 3, 0.8) or difflib.get_close_matches(short, known, 3, 0.5)
    close = [known[c] for c in near]
    alike = difflib.get_close_matches(short, set(by_family) - set(known), 1, 0.75)  # short words resemble many
    close = [*(f"the family {family}" for family in alike), *close]
    hint = f"did you mean {' or '.join(close)}?" if close else "`turnwise list` shows all"
    return "; ".join([hint, *unreadable()])


def unreadable() -> list[str]:
    """Describe the files of built-in environments whose declaration cannot be read."""
    how = '@register("Name-v0") must stand directly above a class, with the name written out'
    return [f"{file} declares an environment that cannot be read: {how}" for f in _FOLDERS for file in illegible(f)]


# ---- families: several environments with one word --------------------------------------------------------------------


def family(env_id: str) -> str:
    """Return the folder under envs/ of a registered environment, or the namespace or package it comes from."""
    parts, space = home_of(env_id).split("."), env_id.partition("/")[0]
    if parts[0] == NAMESPACE and len(parts) > 2:  # turnwise.envs.FAMILY.module; turnwise.worlds.web.adapters.module
        return parts[2] if parts[1] == "envs" else parts[1] if space == NAMESPACE else space
    return parts[0]


def families() -> dict[str, list[str]]:
    """Return the ids of each family."""
    found: dict[str, list[str]] = {}
    for env_id in env_ids():
        found.setdefault(family(env_id), []).append(env_id)
    return found


def matching(pattern: str) -> list[str]:
    """Find ids by pattern: of families that begin with it and ids that contain it, else by description."""
    wanted = pattern.lower()
    named = {i for name, ids in families().items() if wanted and name.startswith(wanted) for i in ids}
    return sorted(named | set(env_ids(pattern))) or [i for i in env_ids() if wanted in summary(i).lower()]


def summary(env_id: str) -> str:
    """Return the first line of an environment's description, without importing built-in ones."""
    declared = _DECLARED.get(env_id)
    if declared is not None and declared.summary:
        return declared.summary
    return (inspect.getdoc(env_class(env_id)) or "").split("\n")[0].replace("``", "")


def fault(env_id: str) -> str:
    """Say why the file of a built-in environment cannot be imported; checks only its syntax."""
    return fault_of(_DECLARED[env_id]) if env_id in _DECLARED else ""


def expand(text: str) -> list[str]:
    """Return the environments that a word on the command line stands for, with the settings after it.

    A word is ``all`` (every environment with `Env.in_all`), a family, or an environment.

    >>> expand("logic:difficulty=3")
    ['turnwise/KnightsKnaves-v0:difficulty=3', 'turnwise/Zebra-v0:difficulty=3']
    """
    name = split_settings(text)[0]
    ids = [i for i in env_ids() if env_class(i).in_all] if name == "all" else families().get(name, [])
    return [i + text[len(name) :] for i in ids] or [text]


# ---- an environment and its settings in one word -------------------------------------------------------------------


def split_settings(text: str) -> tuple[str, str]:
    """Split ``[module:]Name[:key=value,...]`` into environment and settings, as two strings.

    >>> split_settings("my_file.py:Nim-v0:stones=20")
    ('my_file.py:Nim-v0', 'stones=20')
    """
    match = re.search(rf":(?={_SETTING.pattern})", text)
    return (text[: match.start()], text[match.end() :]) if match else (text, "")


def parse_spec(text: str) -> tuple[str, dict[str, Any]]:
    """Parse id and settings from ``[module:]Name[:key=value,...]``; values are JSON or else text.

    A value extends to the next ``,key=``; JSON that begins with a quote, bracket or brace extends to its end. A number
    given to a text setting stays text.

    >>> parse_spec("Countdown:num_numbers=5,split=test")
    ('turnwise/Countdown-v0', {'num_numbers': 5, 'split': 'test'})

    Raises:
        SettingsError: The environment is unknown, or a setting is given twice.
    """
    name, rest = split_settings(text)
    env_id = full_id(name)
    known = named_settings(env_class(env_id))
    settings: dict[str, Any] = {}
    for key, word in _pairs(text, rest):
        value = read_value(word)
        settings[key] = (
            word if key in known and not fits(value, known[key].hint) and fits(word, known[key].hint) else value
        )
    return env_id, settings


def read_settings(text: str) -> tuple[str, dict[str, Any]]:
    """Parse ``Name[:key=value,...]`` of anything that has settings; values are JSON or else text.

    >>> read_settings("Go:size=7")
    ('Go', {'size': 7})

    Raises:
        SettingsError: A setting is given twice.
    """
    name, rest = split_settings(text)
    return name, {key: read_value(word) for key, word in _pairs(text, rest)}


def _pairs(text: str, rest: str) -> Iterator[tuple[str, str]]:
    """Yield the keys and values of ``key=value,...``, the end of ``text``."""
    seen = set()
    while found := _SETTING.match(rest):
        key, rest = found[1], rest[found.end() :]
        end = _end_of_value(rest)
        word, rest = rest[:end], rest[end + 1 :]
        if key in seen:
            raise SettingsError(f"{text}: {key} is given twice")
        seen.add(key)
        yield key, word


def _end_of_value(rest: str) -> int:
    """Return where the first value of ``value,key=value,...`` ends."""
    start = 0
    if rest[:1] in ('"', "[", "{"):
        try:
            start = json.JSONDecoder().raw_decode(rest)[1]
        except ValueError:
            start = 0
    comma = re.compile(rf",(?={_SETTING.pattern})").search(rest, start)
    return comma.start() if comma else len(rest)


def read_value(text: str) -> Any:
    """Read a value from the command line: JSON, Python's None, True and False, or else the text itself."""
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def written(env_id: str, settings: Mapping[str, Any]) -> str:
    """Write an environment with its settings in canonical form; `parse_spec` reads it back.

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
    load_source(re.sub(r"\.py:.*", ".py", module))


def _short(env_id: str) -> str:
    return env_id.split("/")[1].split("-v")[0].lower()


def env_class(name: str) -> type[Env[Any]]:
    """Import and return the class of an id or short name.

    Raises:
        SettingsError: The name is unknown, or its module cannot be imported.
    """
    env_id = full_id(name)
    spec: EnvSpec = gymnasium.spec(env_id)
    if env_id in _DECLARED:
        load_source(home_of(env_id))
    cls = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    assert isinstance(cls, type)
    assert issubclass(cls, Env)
    return cls


def make(name: str, **settings: Any) -> gymnasium.Env[str, str]:
    """Like `gymnasium.make`, but also takes text for `parse_spec`: ``turnwise.make("Countdown", difficulty=3)``."""
    env_id, own = parse_spec(name)
    if "max_episode_steps" in settings:  # gymnasium's own would end the episode without its result
        if "max_turns" in settings:
            raise SettingsError("max_episode_steps and max_turns are both given; they are the same limit")
        settings["max_turns"] = settings.pop("max_episode_steps")
    return gymnasium.make(env_id, **{**own, **settings})
