"""Tables in Markdown, and how their numbers are written."""

from collections.abc import Iterable, Sequence

from turnwise.report import html

__all__ = ["between_marks", "interval", "markdown_table", "one_line", "percent"]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table with aligned columns."""
    lines = [[one_line(c) for c in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    texts = []
    for line in (lines[0], rule, *lines[1:]):
        padded = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))]
        texts.append(f"| {' | '.join(padded)} |")
    return "\n".join(texts)


def one_line(text: str) -> str:
    """Write a text so that it stays in its cell."""
    return html.visible(text).replace("|", "\\|").replace("\n", " ")


def percent(value: float | None) -> str:
    """Format a share as "12.3 %"; "" for None."""
    return "" if value is None else f"{100 * value:z.1f} %"


def interval(ends: tuple[float, float] | None) -> str:
    """Format an interval of shares as "10.1–14.9"."""
    return "" if ends is None else f"{100 * ends[0]:z.1f}–{100 * ends[1]:z.1f}"


def between_marks(text: str, begin: str, end: str, block: str) -> str:
    """Replace what stands between two marks of a text, and return the whole; "" if the marks are not in it."""
    before, first, rest = text.partition(begin)
    _, last, after = rest.partition(end)
    return f"{before}{begin}\n{block}\n{end}{after}" if first and last else ""
