"""A sandbox for all tests of this folder, skipped with its reason where there can be none."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from turnwise.errors import InfrastructureError
from turnwise.verifiers.sandbox import Sandbox
from turnwise.verifiers.sandbox.embedded import EmbeddedSandbox

sys.path.insert(0, str(Path(__file__).parent))  # probes.py, probe_runner.py


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    try:
        made = EmbeddedSandbox(workers=2)
    except InfrastructureError as error:
        pytest.skip(f"no embedded sandbox here: {error}")
    with made:
        yield made


@pytest.fixture(scope="session")
def full(sandbox: Sandbox) -> Sandbox:
    """One that may start processes."""
    try:
        sandbox.layers_of("shell")
    except InfrastructureError as error:
        pytest.skip(f"no shell profile here: {error}")
    return sandbox
