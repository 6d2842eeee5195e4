"""What ``turnwise train RECIPE --help`` shows: every flag in a sentence, every method in a line."""

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from turnwise.baselines.trainer.flat import Leaf, short
from turnwise.cli.run_flags import accepts, dashed, sections
from turnwise.core.settings import REQUIRED, Range

__all__ = ["print_help"]

COLUMN = 24
"""Where the sentences begin."""


def print_help(usage: str, about: str, own: Mapping[str, str], offered: Sequence[Leaf]) -> None:
    """Print the help of a run.

    Args:
        usage: The command line in short.
        about: What the command does.
        own: Sentences about the command's own flags, by flag.
        offered: The settings of the run.
    """
    console = Console(highlight=False)
    paragraphs = [textwrap.fill(part, console.width) for part in about.strip().split("\n\n")]
    console.print(Text("\n\n".join([f"usage: {usage}", *paragraphs, ""])))
    width = console.width - 4  # of the frame
    console.print(_panel("options", "", list(own.items()), [], width))
    for name, about_part, leaves in sections(offered):
        rows = [(_left(leaf), _sentence(leaf)) for leaf in leaves]
        choices = [(leaf, leaf.kind.documented()) for leaf in leaves if leaf.form in ("method", "methods")]
        console.print(_panel(name, about_part, rows, choices, width))


def _panel(
    title: str,
    about: str,
    rows: Sequence[tuple[str, str]],
    choices: Sequence[tuple[Leaf, Mapping[str, str]]],
    width: int,
) -> Panel:
    parts = [about, ""] if about and not (rows and rows[0][1].startswith(about)) else []
    parts += _lines(rows, width)
    for leaf, methods in choices:
        names = [(f"  {short(name)}", text) for name, text in methods.items()]
        parts += [
            "",
            f"--{dashed(leaf.name)} is {'any' if leaf.form == 'methods' else 'one'} of",
            *_lines(names, width),
        ]
    return Panel(Text("\n".join(parts)), title=title, title_align="left", border_style="dim")


def _lines(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Two columns; what is too long for the first has a line of its own."""
    for left, text in rows:
        wrapped = textwrap.wrap(text, width - COLUMN, break_on_hyphens=False) or [""]
        if len(left) >= COLUMN:
            yield left
            left = ""
        yield f"{left:{COLUMN}}{wrapped[0]}".rstrip()
        yield from (" " * COLUMN + line for line in wrapped[1:])


def _left(leaf: Leaf) -> str:
    return f"--{dashed(leaf.name)} {accepts(leaf)}".rstrip()


def _sentence(leaf: Leaf) -> str:
    setting = leaf.setting
    limits = f"; {setting.range}" if setting.range not in (None, Range(0), Range(1)) else ""
    return f"{setting.doc.replace('``', '')} ({_default(leaf)}{limits})"


def _default(leaf: Leaf) -> str:
    value = leaf.value
    if value is REQUIRED:
        return "required"
    if isinstance(value, Mapping):
        return "default: " + (" ".join(f"{key}={json.dumps(each)}" for key, each in value.items()) or "none")
    if isinstance(value, (list, tuple)):
        return "default: " + (" ".join(each if isinstance(each, str) else json.dumps(each) for each in value) or "none")
    if isinstance(value, bool):
        return f"default: {'on' if value else 'off'}"
    return f"default: {value!r}" if value == "" else f"default: {value}"
