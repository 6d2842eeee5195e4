"""A real browser."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")  # no longer: its event loop would be in the way of other tests' own
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs turnwise[browser]")
    program = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
    if program is None:
        pytest.skip("no Chromium on the PATH")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()
