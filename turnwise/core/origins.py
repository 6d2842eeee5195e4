"""Where environments come from: the modules and files that users name, imported now or again for a stored run."""

import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium

from turnwise.core.errors import SettingsError, TurnwiseError

__all__ = ["built_in", "file_of", "home_of", "load_source", "origins_of", "recall", "remember"]

_NAMED: dict[str, tuple[str, ModuleType]] = {}
"""Id to the module or file that was named before its colon, and what that is."""


def home_of(env_id: str) -> str:
    """Return the module of a registered environment's class."""
    entry = gymnasium.spec(env_id).entry_point
    return entry.partition(":")[0] if isinstance(entry, str) else getattr(entry, "__module__", "")


def built_in(env_id: str) -> bool:
    """Say whether a registered environment comes with turnwise."""
    return home_of(env_id).startswith("turnwise.envs.")


def remember(env_id: str, name: str, module: ModuleType) -> None:
    """Note the module or file by which a user has named an environment, for `origins_of`."""
    _NAMED[env_id] = name, module


def load_source(module: str, hint: str = "") -> ModuleType:
    """Import the module of that name, or the file at that path if it ends in ``.py``, under its own name.

    Args:
        module: A module's name, or a path that ends in ``.py``.
        hint: What the error adds if there is no such module.

    Raises:
        SettingsError: It does not exist, or its import fails.
    """
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
    if name in sys.modules and file_of(sys.modules[name]) != whole:  # another of this name
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


class SourceImportError(SettingsError):
    """The import of an existing module of the user fails; the cause of this error says how."""


def _unimportable(module: str, error: Exception) -> SettingsError:
    """Return the error for a failed import: the exception, and the line of the user's code that raised it."""
    where = ""
    if not isinstance(error, SyntaxError):  # its text has the place
        frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<frozen")]
        theirs = [f for f in frames if Path(f.filename).parent != Path(__file__).parent]
        where = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return SourceImportError(f"{module} cannot be imported: {type(error).__name__}: {error}{where}")


def file_of(module: ModuleType) -> Path | None:
    """Return the resolved path of a module's file, None for a module without one."""
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if file else None


def origins_of(env_ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return what to import for each registered environment that does not come with turnwise, for `recall`.

    Returns:
        By id: ``name`` is the module or file as it was named, ``path`` the whole path of its file. Those that a script
        defines itself are left out: importing it again would run it.
    """
    found = {}
    for env_id in sorted(set(env_ids)):
        if built_in(env_id):
            continue
        home = home_of(env_id)
        name, module = _NAMED.get(env_id, (home, sys.modules.get(home)))
        if module is not None and module.__name__ != "__main__":
            path = file_of(module)
            found[env_id] = {"name": name, **({"path": str(path)} if path else {})}
    return found


def recall(env_id: str, origins: Any) -> str:
    """Register an environment of a stored run again, by importing what it came from.

    A file is taken from where it was: one of the same name elsewhere may be another.

    Args:
        env_id: Its registered id.
        origins: What `origins_of` returned when it was played, or anything else that a file has in its place.

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
        load_source(name)
    except SourceImportError as error:
        return (
            f"{hint}: it came from {name}, whose import fails with {type(error.__cause__).__name__}: {error.__cause__}"
        )
    except SettingsError:
        return f"{hint}: it came from {name}, which is not there"
    except TurnwiseError as error:
        return f"{hint}: it came from {name}, whose import fails with {type(error).__name__}: {error}"
    return "" if env_id in gymnasium.registry else f"{hint}: {name}, where it came from, no longer does"
