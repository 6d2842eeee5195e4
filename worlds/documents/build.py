"""Build all arrays of a world from its settings."""

from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Streams
from turnwise.worlds.documents.facts import make_facts, population
from turnwise.worlds.documents.pages import lay_out
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["build"]


def build(settings: WorldSettings) -> dict[str, npt.NDArray[Any]]:
    """Build the arrays that a ``World`` reads; equal settings give equal bytes on every machine.

    Raises:
        SettingsError: There are too few documents for all kinds of pages and entities.
    """
    draw = Streams(settings.digest)
    people = population(settings, draw)
    facts = make_facts(settings, draw, people)
    names = facts.names
    return lay_out(settings, draw, people, facts) | {
        "year": np.array([facts.year], dtype=np.int64),
        "kind_stops": np.array([entities.stop for entities in people.ranges.values()], dtype=np.int64),
        "name_letters": names.names.letters,
        "name_ends": names.names.ends,
        "alias_letters": names.aliases.letters,
        "alias_ends": names.aliases.ends,
        "alias_of": names.alias_of.astype(np.int32),
        "twins": names.twins.astype(np.int32),
        "women": facts.women.astype(np.uint8),
    }
