"""Which sandboxes there are, by name."""

import importlib
import sys
from typing import Any

from turnwise.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.verifiers.sandbox.api import Sandbox, Unsafe

__all__ = ["BACKENDS", "make_sandbox"]

_HERE = "turnwise.verifiers.sandbox"
BACKENDS = {
    "docker": f"{_HERE}.docker:DockerSandbox",
    "embedded": f"{_HERE}.embedded:EmbeddedSandbox",
    "remote": f"{_HERE}.remote:RemoteSandbox",
    "unsafe-subprocess": f"{_HERE}.unsafe:SubprocessSandbox",
}
"""Backends by name, each a ``module:class`` that is imported when it is asked for."""
_AUTO = ("embedded", "docker") if sys.platform == "linux" else ("docker",)


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
    if backend != "auto":
        if backend not in BACKENDS:
            raise SettingsError(f"the sandbox is {backend!r}; it must be one of auto, {', '.join(sorted(BACKENDS))}")
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
