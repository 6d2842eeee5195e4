"""``turnwise arena``: agents against each other in games, with ratings and a page of all games."""

# ruff: noqa: T201  (command-line output)

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from turnwise.cli.flags import parse
from turnwise.core.episode import Episode
from turnwise.evaluation.arena.run import ArenaConfig, arena
from turnwise.report.arena import arena_markdown, arena_page

__all__ = ["arena_command"]


@dataclass(frozen=True, kw_only=True)
class Arena(ArenaConfig):
    """Let agents play games against each other: a round robin with ratings, and a page to go through the games.

    Every group of entrants plays every game with the same seeds in every seating. The same command in the same folder
    continues after any interruption. Exits with 1 if a game could not be played because of a server.
    """


def arena_command(args: Sequence[str]) -> int:
    """Rate agents by games against each other; with --out, write a page with every game."""
    config = parse("arena", Arena, args).options
    shown = _Shown()
    found = arena(config, progress=shown, notify=lambda line: print(line, file=sys.stderr))
    print(arena_markdown(found))
    if config.out is not None:
        print(f"wrote {arena_page(config, found, Path(config.out))}", file=sys.stderr)
    return 1 if found.errors else 0


class _Shown:
    """Says now and then how many games have been played."""

    def __init__(self) -> None:
        self.said = -1

    def __call__(self, done: int, total: int, episode: Episode | None) -> None:
        tenth = 10 * done // max(1, total)
        if tenth != self.said:
            self.said = tenth
            print(f"{done} of {total} games", file=sys.stderr)
