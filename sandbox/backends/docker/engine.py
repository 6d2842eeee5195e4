"""The Docker engine that the environment names, by the package ``docker``."""

import os
import socket
import sys
from typing import Any

from turnwise.core.errors import InfrastructureError, MissingDependencyError

__all__ = ["connect"]

_ENGINE_S = 60


def connect() -> Any:
    """Return a ``docker.APIClient`` for the engine that the environment names.

    Raises:
        MissingDependencyError: The package ``docker`` is not installed.
        InfrastructureError: No engine answers.
    """
    try:
        import docker
    except ImportError as error:
        raise MissingDependencyError.of("docker", "docker") from error
    try:
        _knock(os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock")
        return docker.from_env(timeout=_ENGINE_S, max_pool_size=32).api
    except (docker.errors.DockerException, OSError) as error:
        where = "start one, or set DOCKER_HOST" if sys.platform == "linux" else "start Docker Desktop"
        raise InfrastructureError(f"no Docker engine answers: {where} ({str(error)[:300]})") from error


def _knock(address: str) -> None:
    """Raise ``OSError`` if nothing listens on a local socket; the engine's client would leak its own."""
    if address.startswith("unix://") and sys.platform != "win32":
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.connect(address.removeprefix("unix://"))
