"""``turnwise compare``: two evaluations task by task, with gates for continuous integration."""

# ruff: noqa: T201  (command-line output)

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from turnwise.cli.flags import parse
from turnwise.core.errors import SettingsError
from turnwise.evaluation.compare import Comparison, compare, read_run
from turnwise.report.app.make import write_app
from turnwise.report.comparison import comparison_json, comparison_markdown

__all__ = ["compare_command"]


@dataclass(frozen=True)
class Compare:
    """Compare two evaluations of the same tasks: differences with intervals, flipped tasks, settings that differ.

    Exits with 1 if a gate fails, and with 2 if the runs cannot be compared.
    """

    folders: Annotated[Positional[tuple[Path, ...]], arg(metavar="BEFORE AFTER", help="Folders of `turnwise eval`.")]
    fail_below: float | None = None
    """Fail if AFTER's score is below this many points (of 100)."""
    no_worse_than: float | None = None
    """Fail unless AFTER is shown to be at most this many points worse: the 95 % interval of the difference lies above
    minus this."""
    flips: int = 20
    """Flipped tasks that are listed at most."""
    json: bool = False
    """Print JSON in place of Markdown."""
    out: Path | None = None
    """A file for the comparison as well: .md, .json or .html by its name."""


def compare_command(args: Sequence[str]) -> int:
    """Compare two evaluations."""
    options = parse("compare", Compare, args).options
    if len(options.folders) != 2:
        raise SettingsError(f"compare takes two folders, BEFORE and AFTER, and got {len(options.folders)}")
    for name in ("fail_below", "no_worse_than"):
        value = getattr(options, name)
        if value is not None and not 0 <= value <= 100:
            raise SettingsError(f"{name} is {value}; it is in points and must be from 0 to 100")
    before, after = map(read_run, options.folders)
    found = compare(before, after)
    print(comparison_json(found) if options.json else comparison_markdown(found, options.flips))
    if options.out is not None:
        print(f"wrote {_write(found, options.out)}", file=sys.stderr)
    failed = list(_failed(found, options))
    for line in failed:
        print(f"turnwise: {line}", file=sys.stderr)
    return 1 if failed else 0


def _write(found: Comparison, path: Path) -> Path:
    if path.suffix == ".html":
        return write_app([Path(found.before[0]), Path(found.after[0])], path, start="#/compare/0/1")
    if path.suffix not in (".md", ".json"):
        raise SettingsError(f"out is {str(path)!r}; its name must end in .md, .json or .html")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = comparison_json(found) if path.suffix == ".json" else comparison_markdown(found) + "\n"
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def _failed(found: Comparison, options: Compare) -> Iterator[str]:
    """Say which gates fail, and why."""
    d = found.overall
    if options.fail_below is not None and 100 * d.after < options.fail_below:
        yield f"--fail-below {options.fail_below:g}: the score of {found.after[0]} is {100 * d.after:.1f}"
    if options.no_worse_than is not None and 100 * d.ci95[0] < -options.no_worse_than:
        low, high = (100 * end for end in d.ci95)
        if high < -options.no_worse_than:
            why = "it is worse by more"
        else:
            why = f"that much cannot be ruled out with {d.tasks} tasks; more tasks or samples narrow the interval"
        yield (
            f"--no-worse-than {options.no_worse_than:g}: the difference is {100 * d.value:+.1f} points "
            f"({low:+.1f} to {high:+.1f}): {why}"
        )
