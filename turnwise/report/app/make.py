"""The app for folders of runs: what `turnwise report` writes, and `turnwise view` serves."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from turnwise.core.errors import SettingsError
from turnwise.report.app.bundle import write
from turnwise.report.app.comparisons import pair, pairs
from turnwise.report.app.evaluation import EvaluationSource
from turnwise.report.app.serve import Book
from turnwise.report.app.sources import Source
from turnwise.report.app.training import TrainingSource
from turnwise.report.app.training_comparison import training, trainings
from turnwise.report.runs import is_training

__all__ = ["EXTRA_EPISODES", "KINDS", "book", "sources_of", "write_app"]

EXTRA_EPISODES = 100
"""Episodes of each evaluation for which a written page has the environment's pages and the oracle's way."""
KINDS: Mapping[str, Callable[[Path, int], Source]] = {
    "evaluation": EvaluationSource,
    "training": lambda folder, extra_episodes: TrainingSource(folder),
}
"""What makes the source of a run of each kind."""


def sources_of(folders: Sequence[Path], extra_episodes: int = 0) -> list[Source]:
    """The sources of these runs, not yet read.

    Raises:
        SettingsError: A run's settings cannot be read.
    """
    found = []
    for folder in folders:
        try:
            found.append(KINDS["training" if is_training(folder) else "evaluation"](folder, extra_episodes))
        except ValueError as error:
            raise SettingsError(f"{folder} cannot be read: {error}") from error
    return found


def write_app(folders: Sequence[Path], path: Path, extra_episodes: int = EXTRA_EPISODES, start: str = "") -> Path:
    """Write the app with these runs, and return its path.

    Args:
        folders: Folders of runs.
        path: The page.
        extra_episodes: As for `EXTRA_EPISODES`.
        start: The part of the app to begin with, such as "#/compare/0/1".

    Raises:
        SettingsError: A run cannot be read.
    """
    sources = sources_of(folders, extra_episodes)
    for source in sources:
        while source.refresh():
            pass
    return write(path, sources, start, more={**pairs(sources), **trainings(sources)})


def book(folders: Sequence[Path], start: str = "") -> Book:
    """The runs in these folders, for a server."""
    sources = sources_of(folders)
    return Book(sources, start, lambda name: pair(sources, name) or training(sources, name))
