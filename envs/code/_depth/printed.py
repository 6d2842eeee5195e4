"""Files that agents have a program print, as JSON after the word FILES, and find again in the reply."""

import json
from collections.abc import Sequence

__all__ = ["printed_files"]


def printed_files(heard: Sequence[str]) -> dict[str, str]:
    """Return the last contents of every file that replies show."""
    found: dict[str, str] = {}
    for text in heard:
        for line in text.split("\n"):
            if "FILES{" in line:
                try:
                    found |= json.loads(line.partition("FILES")[2].replace("</tool_response>", ""))
                except ValueError:  # cut off in the middle
                    continue
    return found
