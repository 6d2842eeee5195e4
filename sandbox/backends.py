"""Which sandboxes there are, by name."""

import importlib
import sys
from typing import Any

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, did_you_mean
from turnwise.sandbox.api import Sandbox, Unsafe

__all__ = ["BACKENDS", "check_backend", "make_sandbox"]

_HERE = "turnwise.sandbox"
BACKENDS = {
    "docker": f"{_HERE}.docker:DockerSandbox",
    "embedded": f"{_HERE}.embedded:EmbeddedSandbox",
    "remote": f"{_HERE}.remote:RemoteSandbox",
    "unsafe-subprocess": f"{_HERE}.unsafe:SubprocessSandbox",
}
"""Backends by name, each a ``module:class`` that is imported when it is asked for."""
_AUTO = ("embedded", "docker") if sys.platform == "linux" else ("docker",)


def check_backend(backend: str) -> None:
    """Raise `SettingsError` for what is no backend's name, nor "auto"."""
    if backend != "auto" and backend not in BACKENDS:
        names = ("auto", *sorted(BACKENDS))
        hint = did_you_mean(backend, names)
        raise SettingsError(f"the sandbox is {backend!r}{hint}; it must be one of {', '.join(names)}")


def make_sandbox(backend: str = "auto", **settings: Any) -> Sandbox:
    """A sandbox.

    Args:
        backend: "embedded" (Linux), "docker", "remote", or "auto": the first of "embedded" and "docker" that has the
            layers required. "unsafe-subprocess" isolates nothing and must be asked for by this name.
        **settings: Those of the backend; with "auto", those that all have: ``workers``, ``require``.

    Raises:
        SettingsError: There is no such backend.
        Unsafe: The required layers cannot be had; the message says which are missing and what to do.
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
    hint = "" if sys.platform == "linux" else f" On {sys.platform} it takes Docker: install and start Docker Desktop."
    raise Unsafe(f"no sandbox can be had here.{hint} " + " | ".join(problems))
