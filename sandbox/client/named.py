"""Makes sandboxes by the name of their backend."""

import importlib
import sys
from typing import Any

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, did_you_mean
from turnwise.sandbox.interface.sandbox import Sandbox, Unsafe

__all__ = ["BACKENDS", "check_backend", "make_sandbox"]

_HERE = "turnwise.sandbox.backends"
BACKENDS = {
    "docker": f"{_HERE}.docker.sandbox:DockerSandbox",
    "embedded": f"{_HERE}.embedded.sandbox:EmbeddedSandbox",
    "remote": f"{_HERE}.remote:RemoteSandbox",
    "unsafe-subprocess": f"{_HERE}.unsafe:SubprocessSandbox",
}
"""Backends by name, each a ``module:class`` that is imported when it is asked for."""
_AUTO = ("embedded", "docker") if sys.platform == "linux" else ("docker",)


def check_backend(backend: str) -> None:
    """Raise `SettingsError` unless this is "auto" or the name of a backend."""
    if backend != "auto" and backend not in BACKENDS:
        names = ("auto", *sorted(BACKENDS))
        hint = did_you_mean(backend, names)
        raise SettingsError(f"the sandbox is {backend!r}{hint}; it must be one of {', '.join(names)}")


def make_sandbox(backend: str = "auto", **settings: Any) -> Sandbox:
    """Make a sandbox of the named backend.

    Args:
        backend: "embedded" (Linux), "docker", "remote", or "auto": the first of "embedded" and "docker" that has the
            layers required. "unsafe-subprocess" isolates nothing and must be asked for by this name.
        **settings: Settings of the backend; with "auto", those that all have: ``workers``, ``require``.

    Raises:
        SettingsError: The backend does not exist.
        Unsafe: A required layer is not available; the message says which are missing and what to do.
    """
    check_backend(backend)
    if backend != "auto":
        module, _, name = BACKENDS[backend].partition(":")
        made: Sandbox = getattr(importlib.import_module(module), name)(**settings)
        return made
    problems = []
    for name in _AUTO:
        try:
            return make_sandbox(name, **settings)
        except (InfrastructureError, MissingDependencyError) as error:
            problems.append(f"{name}: {error}")
    hint = "" if sys.platform == "linux" else f" On {sys.platform} install and start Docker Desktop."
    raise Unsafe(f"this machine has no usable sandbox.{hint} " + " | ".join(problems))
