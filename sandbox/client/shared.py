"""One sandbox for a whole process: environments and verifiers share its workers."""

import atexit
import os
import threading
from collections.abc import Sequence

from turnwise.core.errors import SettingsError
from turnwise.sandbox.client.named import check_backend, make_sandbox
from turnwise.sandbox.interface.sandbox import Sandbox

__all__ = ["SANDBOX_VARIABLE", "check_sandbox", "shared_sandbox", "use_sandbox"]

SANDBOX_VARIABLE = "TURNWISE_SANDBOX"
"""The environment variable for what "auto" stands for: a backend's name, or the address of a sandbox server."""
_MADE: dict[tuple[str, tuple[str, ...]], Sandbox] = {}
_LOCK = threading.Lock()


def shared_sandbox(name: str = "auto", packages: Sequence[str] = ()) -> Sandbox:
    """Return the process's sandbox of that name, made at the first call and closed when the process ends.

    Args:
        name: A backend's name, ``http://host:port`` for a sandbox server (or several, with commas), or "auto": what
            ``TURNWISE_SANDBOX`` says, else the strongest that is there.
        packages: Installed distributions that programs may import; on a server those that it was started with.

    Raises:
        SettingsError: The backend does not exist, or it cannot show packages.
        Unsafe: It lacks a layer that model code requires.
    """
    name = _meant(name)
    key = name, tuple(packages)
    with _LOCK:
        if key not in _MADE:
            if name.startswith(("http://", "https://")):
                _MADE[key] = make_sandbox("remote", urls=name.split(","))
            elif packages:
                from turnwise.sandbox.backends.embedded.sandbox import PRELOAD

                _MADE[key] = make_sandbox(name, packages=key[1], preload=(*PRELOAD, *map(_module, packages)))
            else:
                _MADE[key] = make_sandbox(name)
        return _MADE[key]


def check_sandbox(name: str, packages: Sequence[str] = ()) -> None:
    """Raise `SettingsError` for arguments that `shared_sandbox` can never accept, without starting anything.

    Args:
        name: As there.
        packages: As there.
    """
    name = _meant(name)
    if (name, tuple(packages)) in _MADE:
        return
    if name == "remote":
        raise SettingsError("the sandbox is 'remote'; give the server's address, http://HOST:PORT")
    if name.startswith(("http://", "https://")):
        from turnwise.sandbox.backends.remote import check_url

        for url in name.split(","):
            check_url(url)
        return
    check_backend(name)
    if packages:
        from turnwise.sandbox.backends.embedded.host import packages as installed

        installed(packages)


def _meant(name: str) -> str:
    return os.environ.get(SANDBOX_VARIABLE, "") or "auto" if name == "auto" else name


def _module(distribution: str) -> str:
    return distribution.replace("-", "_").lower()


def use_sandbox(sandbox: Sandbox, name: str = "auto", packages: Sequence[str] = ()) -> None:
    """Make ``shared_sandbox(name, packages)`` return this sandbox, which the caller closes."""
    with _LOCK:
        _MADE[name, tuple(packages)] = sandbox


@atexit.register
def _close() -> None:
    for sandbox in _MADE.values():
        sandbox.close()


def _after_fork_in_child() -> None:
    global _LOCK
    _LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
