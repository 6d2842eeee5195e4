"""What the tests of the sandbox share."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Sandbox
from turnwise.sandbox.backends.docker.engine import connect

ENGINE_SCRIPT = Path(__file__).parents[2] / "docker" / "start_engine.sh"

sys.path.insert(0, str(Path(__file__).parent))  # probes.py, probe_runner.py, ordinary.py, same.py


@pytest.fixture(scope="session")
def full(sandbox: Sandbox) -> Sandbox:
    """One that may start processes."""
    try:
        sandbox.layers_of("shell")
    except InfrastructureError as error:
        pytest.skip(f"no shell profile here: {error}")
    return sandbox


def start_engine(folder: str) -> str:
    """The address of an engine that is started for the tests; skips where there can be none."""
    if shutil.which("dockerd") is None:
        pytest.skip("no Docker engine answers, and dockerd is not installed (docker/start_engine.sh installs it)")
    environment = {**os.environ, "ENGINE_INSTALL": "0"}
    done = subprocess.run(
        [ENGINE_SCRIPT, "start", folder], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        pytest.skip(f"no Docker engine can be started: {done.stderr.strip()[-500:]}")
    return done.stdout.strip().removeprefix("export DOCKER_HOST=")


@pytest.fixture(scope="module")
def engine() -> Iterator[object]:
    pytest.importorskip("docker", reason="the package docker is not installed")
    with contextlib.ExitStack() as stack:
        try:
            found = connect()
        except InfrastructureError:
            folder = f"/tmp/turnwise-engine-{os.getpid()}"
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            patch.setenv("DOCKER_HOST", start_engine(folder))
            stack.callback(subprocess.run, [ENGINE_SCRIPT, "stop", folder], check=True)
            found = connect()
        stack.callback(found.close)
        yield found
