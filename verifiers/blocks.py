"""The fenced blocks of a message."""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Block", "blocks"]

_FENCE = re.compile(r"( {0,12}|\t)(`{3,20}|~{3,20})[ \t]*([A-Za-z0-9_+#.-]{0,20})((?:[ \t{][^`]{0,200})?)")
INNER = 4  # a fence indented this much more is part of the block, in a docstring


class Block(NamedTuple):
    """A fenced block.

    Attributes:
        mark: The word after the opening fence, in lower case.
        start: Where its content begins in the text.
        end: Where it ends.
        body: The content, without the indentation of the fence.
        closed: Whether a fence closes it; else the text ends in it.
    """

    mark: str
    start: int
    end: int
    body: str
    closed: bool


def blocks(text: str, most_indent: int = 12) -> Iterator[Block]:
    r"""Yield the fenced blocks of a text, in order.

    Args:
        text: Any text.
        most_indent: Fences indented further do not open a block.

    >>> [(block.mark, block.body) for block in blocks("So:\n```sql\nSELECT 1\n```\nor\n~~~\nx")]
    [('sql', 'SELECT 1\n'), ('', 'x')]
    """
    opening: re.Match[str] | None = None
    body: list[str] = []
    start = at = 0
    lines = text.splitlines(keepends=True) if "```" in text or "~~~" in text else []
    for line in [*lines, ""]:
        fence = _FENCE.fullmatch(line.rstrip("\r\n"))
        at += len(line)
        if opening is None:
            opening, body = (fence if fence is not None and len(fence[1]) <= most_indent else None), []
            start = at
            continue
        ends = (
            fence is not None
            and not fence[3]
            and not fence[4].strip()
            and fence[2].startswith(opening[2])
            and len(fence[1]) < len(opening[1]) + INNER
        )
        if line and not ends:
            body.append(line[len(opening[1]) :] if line.startswith(opening[1]) else line)
            continue
        yield Block(opening[3].lower(), start, at - len(line), "".join(body), ends)
        opening = None
