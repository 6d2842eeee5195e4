"""The code of the pages in docs/, run as it stands; needs no turnwise."""

import re
from pathlib import Path
from typing import Any

__all__ = ["blocks", "run_page"]

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    """The blocks of code on a page of the documentation, so that what it says is what is checked."""
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)


def run_page(page: str, address: str, served: str) -> dict[str, Any]:
    """Run a page's Python against a server; the names that it leaves.

    Args:
        page: File in docs/.
        address: What the page calls the server.
        served: Where it is.
    """
    space: dict[str, Any] = {}
    found = blocks(page, "python")
    assert found and all(address in block for block in found), f"{page} does not play at {address}"
    for block in found:
        exec(block.replace(address, served), space)
    return space
