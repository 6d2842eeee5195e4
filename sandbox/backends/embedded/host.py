"""What of this machine a jailed program may read: the interpreter and its library, the system's programs and libraries.

Installed packages are left out unless they are named: turnwise itself, with its generators and references, may be one.
"""

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError

__all__ = ["interpreter", "layout", "packages"]

_SYSTEM = (
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
)
_DATA = (
    "/usr/include",
    "/usr/share/zoneinfo",
    "/usr/share/misc",
    "/usr/share/terminfo",
    "/usr/share/git-core",
    "/usr/share/perl",
    "/usr/share/perl5",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
)
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")


def interpreter(python: str | None) -> dict[str, Any]:
    """Return where an interpreter and its library are: ``executable``, ``prefix``, ``stdlib``."""
    if python is None:
        return {
            "executable": os.path.realpath(getattr(sys, "_base_executable", sys.executable)),
            "prefix": sys.base_prefix,
            "stdlib": sysconfig.get_path("stdlib"),
        }
    script = (
        "import json,os,sys,sysconfig;print(json.dumps({'executable':os.path.realpath(getattr(sys,'_base_executable',"
        "sys.executable)),'prefix':sys.base_prefix,'stdlib':sysconfig.get_path('stdlib')}))"
    )
    import json

    try:
        done = subprocess.run([python, "-I", "-c", script], capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise SettingsError(f"python is {python!r}; it must be an interpreter that starts ({error})") from error
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def layout(where: dict[str, Any], extra: Sequence[str] = ()) -> dict[str, list[str]]:
    """Return the trees to show (``run``: their programs may be executed; ``read``) and what to hide in them."""
    prefix, stdlib = where["prefix"], where["stdlib"]
    run = [path for path in _SYSTEM if os.path.exists(path)]
    if prefix != "/usr":
        run += [f"{prefix}/lib", f"{prefix}/bin/{os.path.basename(where['executable'])}"]
    if where["executable"] not in run:
        run.append(where["executable"])
    if not stdlib.startswith((f"{prefix}/lib/", "/usr/lib/")):
        run.append(stdlib)
    run += [path for path in extra if path not in run]
    read = [path for path in _DATA if os.path.exists(path)]
    run = [path for path in dict.fromkeys(run) if os.path.exists(path)]
    hidden: list[str] = []
    for base in {f"{prefix}/lib", os.path.dirname(stdlib), "/usr/lib", "/usr/lib64"}:
        for folder in _PACKAGE_FOLDERS:
            hidden += [str(path) for path in Path(base).glob(f"python*/{folder}")]
    return {"run": run, "read": read, "hidden": sorted({os.path.realpath(path) for path in hidden})}


def packages(names: Iterable[str]) -> dict[str, str]:
    """Return files and folders of distributions and their requirements: name on the path to location.

    Raises:
        SettingsError: One of them is not installed.
    """
    found: dict[str, str] = {}
    waiting, seen = list(names), set()
    asked = set(waiting)
    while waiting:
        name = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in seen:
            continue
        seen.add(key)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError as error:
            if name in asked:
                raise SettingsError(f"packages has {name!r}, which is not installed") from error
            continue  # an extra of another platform
        for file in distribution.files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not top.endswith(".pth"):
                found.setdefault(top, str(distribution.locate_file(top)))
        for requirement in distribution.requires or ():
            if "extra ==" not in requirement and (match := re.match(r"[A-Za-z0-9._-]+", requirement)):
                waiting.append(match[0])
    return found
