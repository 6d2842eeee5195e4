"""Registration into gymnasium's own registry: the only registry there is.

An environment is registered by being decorated; its module is imported by being in ``envs/``.
"""

import difflib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from turnwise.core import Env
from turnwise.errors import SettingsError

__all__ = ["env_class", "env_ids", "full_id", "make", "register", "split_settings"]

NAMESPACE = "turnwise"
EnvT = TypeVar("EnvT", bound=type[Env[Any]])


def register(name: str) -> Callable[[EnvT], EnvT]:
    """Class decorator that registers an environment as ``turnwise/<name>``.

    Args:
        name: ``Name-vN``, or ``namespace/Name-vN`` to register outside turnwise's namespace.
    """
    env_id = name if "/" in name else f"{NAMESPACE}/{name}"
    if not re.fullmatch(r"[A-Za-z0-9_-]+/[A-Za-z0-9]+-v\d+", env_id):
        raise SettingsError(f"the environment name is {name!r}; it must look like 'Name-v0' or 'mine/Name-v0'")

    def decorate(cls: EnvT) -> EnvT:
        gymnasium.register(
            id=env_id,
            entry_point=f"{cls.__module__}:{cls.__qualname__}",
            vector_entry_point=f"turnwise.vector:{env_id.replace('/', '__').replace('-v', '__v')}",
            order_enforce=False,  # the base class enforces the order itself
            disable_env_checker=True,  # the contract test checks more, once, not at every make
        )
        return cls

    return decorate


def env_ids(pattern: str = "") -> list[str]:
    """Ids of all registered turnwise environments that contain ``pattern`` (case-insensitive), sorted."""
    ids = (
        spec.id
        for spec in gymnasium.registry.values()
        if isinstance(spec.vector_entry_point, str) and spec.vector_entry_point.startswith("turnwise.vector:")
    )
    return sorted(i for i in ids if pattern.lower() in i.lower())


def full_id(name: str) -> str:
    """The registered id meant by ``name``: a full id, or the same without namespace or version.

    ``my_package.my_module:Name-v0`` and ``path/to/file.py:Name-v0`` import that module first.

    Raises:
        SettingsError: There is none; the message suggests the nearest.
    """
    module, colon, rest = name.rpartition(":")
    if colon:
        _import(module)
        name = rest
    ids = env_ids()
    if name in ids:
        return name
    found = [i for i in ids if name.lower() in (i.lower(), i.split("/")[1].lower(), _short(i))]
    if len(found) == 1:
        return found[0]
    if found:
        return max(found, key=lambda i: (i.startswith(NAMESPACE + "/"), int(i.rsplit("-v", 1)[1])))
    short = {_short(i): i for i in ids}
    close = difflib.get_close_matches(_short("/" + name.split("/")[-1]), short, 3, 0.5)
    hint = f"did you mean {' or '.join(short[c] for c in close)}?" if close else "`turnwise list` shows all"
    raise SettingsError(f"there is no environment {name!r}; {hint}")


def split_settings(text: str) -> tuple[str, str]:
    """The environment and its settings in ``[module:]Name[:key=value,...]``, as two texts.

    >>> split_settings("my_file.py:Nim-v0:stones=20")
    ('my_file.py:Nim-v0', 'stones=20')
    """
    match = re.search(r":(?=\s*[A-Za-z_]\w*=)", text)
    return (text[: match.start()], text[match.end() :]) if match else (text, "")


def _import(module: str) -> None:
    """Import a module by name, or a file by path under its own name, so that it registers its environments."""
    if not module.endswith(".py"):
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise SettingsError(
                f"there is no module {module!r}; before a colon stands a module or a file, settings are written "
                "Name:key=value"
            ) from error
        return
    path = Path(module)
    if path.stem in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise SettingsError(f"there is no file {module!r}")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = loaded
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[path.stem]
        raise


def _short(env_id: str) -> str:
    return env_id.split("/")[1].split("-v")[0].lower()


def env_class(name: str) -> type[Env[Any]]:
    """The class behind an id or short name."""
    spec: EnvSpec = gymnasium.spec(full_id(name))
    cls = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    assert isinstance(cls, type)
    assert issubclass(cls, Env)
    return cls


def make(name: str, **settings: Any) -> gymnasium.Env[str, str]:
    """`gymnasium.make` that also takes short names: ``turnwise.make("Countdown", difficulty=3)``."""
    return gymnasium.make(full_id(name), **settings)
