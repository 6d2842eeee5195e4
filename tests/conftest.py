"""What all tests share."""

import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import hypothesis  # early: a plugin of trio, which selenium brings, warns of one that is imported later
import pytest

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Sandbox
from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox

# The same examples in every run, on a busy machine too; `--hypothesis-profile search` looks for new ones.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile("repeatable")


LEFT = pytest.StashKey[int]()


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow"):
            item.config.stash[LEFT] = item.config.stash.get(LEFT, 0) + 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # one of several processes, each of which has seen all tests
        session.config.workeroutput["left"] = session.config.stash.get(LEFT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    left = getattr(node, "workeroutput", {}).get("left", 0)
    node.config.stash[LEFT] = max(left, node.config.stash.get(LEFT, 0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what a quick run has left out, so that nothing is left out unseen."""
    if left := config.stash.get(LEFT, 0):
        terminalreporter.write_line(f"{left} slow tests left to make test-all")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Collect without garbage collection: nothing goes, and its passes over all that comes double the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True, scope="module")
def _old_objects_rest():
    """Take what earlier modules left out of garbage collection: its passes would be counted in tests of time."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _what_belongs_to_the_process_stays():
    """No code of ours, nor the programs that it runs here, may change what belongs to the user's whole process.

    A recursion limit of 10^6, for one, makes a hostile JSON text crash the interpreter, many tests later.
    """
    stops = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)  # SIGALRM is pytest-timeout's
    before = sys.getrecursionlimit(), os.getcwd(), [signal.getsignal(stop) for stop in stops]
    yield
    assert (sys.getrecursionlimit(), os.getcwd(), [signal.getsignal(stop) for stop in stops]) == before


@pytest.fixture(autouse=True, scope="session")
def _no_rates_from_before(tmp_path_factory: pytest.TempPathFactory):
    """Chance rates that earlier runs have kept are not looked at; the worlds beside them are the same always."""
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("chance")
    patch.setattr("turnwise.evaluation.chance.cache_home", lambda part: folder)
    yield
    patch.undo()


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One for all tests of a process, which are skipped with the reason where there can be none."""
    try:
        made = EmbeddedSandbox(workers=2)
    except InfrastructureError as error:
        pytest.skip(f"no embedded sandbox here: {error}")
    with made:
        yield made
