"""What people say, by occasion and manner: the person's side of the wording, from ``data/lines.txt``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["ANY", "LINES"]

ANY: Final = "any"  # the manner that is used where a manner has no lines of its own


def _read() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    text = (Path(__file__).parent / "data" / "lines.txt").read_text("utf-8")
    for block in text.split("\n\n"):
        head, *lines = block.strip().split("\n")
        if head.startswith("["):
            occasion, manner = head.strip("[]").split(" / ")
            found.setdefault(occasion, {})[manner] = tuple(lines)
    return found


LINES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = _read()
