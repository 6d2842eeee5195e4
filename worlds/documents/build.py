"""A world from its settings: all of its arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.worlds.documents.draw import Draw
from turnwise.worlds.documents.facts import make_facts, population
from turnwise.worlds.documents.pages import lay_out
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["build"]


def build(settings: WorldSettings) -> dict[str, npt.NDArray[Any]]:
    """The arrays that a ``World`` reads; equal settings give equal bytes on every machine.

    Raises:
        SettingsError: So few documents cannot hold so many kinds of pages and entities.
    """
    draw = Draw(settings.digest)
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
