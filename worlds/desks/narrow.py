"""Scenarios about a few kinds of goals only."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import check_names
from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.drafting import Kinds, World, drafted
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.people.part import Lexicon

__all__ = ["check_kinds", "names_of", "narrowed"]

F = TypeVar("F")
_MOST_WORLDS = 60
"""Worlds drawn for a scenario, each with several people. One in three or so fits; where none does, none will."""


def names_of(kinds: Kinds[Any]) -> tuple[str, ...]:
    """Return the names of all kinds of goals of a domain."""
    return tuple(dict.fromkeys(kind.__name__ for kind in (*kinds.allowed, *kinds.refused)))


def check_kinds(kinds: Kinds[Any], names: Sequence[str], goals: int, refused: int) -> None:
    """Check that conversations can be made of some kinds of goals.

    Args:
        kinds: All kinds of a domain.
        names: Those that are to occur.
        goals: Goals of a conversation.
        refused: How many of them the policy forbids.

    Raises:
        SettingsError: There is no such kind, or there are too few: a conversation has one of each group at most.
    """
    check_names("kinds has", names, names_of(kinds))
    kept = _only(kinds, names)
    refused = min(refused, goals)
    turned_down = {kinds.groups[kind.__name__] for kind in kept.refused}
    granted = {kinds.groups[kind.__name__] for kind in kept.allowed}
    left = len(granted) - min(refused, len(granted & turned_down))
    if len(turned_down) < refused or left < goals - refused:
        raise SettingsError(
            f"kinds is {','.join(names)!r}; these are too few for goals={goals} of which refused={refused}, since a "
            "conversation has at most one about the same things; change goals and refused, or name more kinds"
        )


def narrowed(
    draw: Draw, shape: Shape, opened: Callable[[Draw, Shape], Callable[[], World[F]]], kinds: Kinds[F],
    toolbox: Toolbox, lexicon: Lexicon,
) -> Case:  # fmt: skip
    """Draw a scenario as `drafted` does, of the kinds of goals that its shape names.

    Raises:
        SettingsError: The policy grants, or refuses, all that such people ask for, so that no scenario is fit.
    """
    if not shape.kinds:
        return drafted(draw, shape, opened, kinds, toolbox, lexicon)
    drawn = 0

    def counted(draw: Draw, shape: Shape) -> Callable[[], World[F]]:
        nonlocal drawn
        drawn += 1
        if drawn > _MOST_WORLDS:
            raise SettingsError(
                f"kinds is {','.join(shape.kinds)!r}; with goals={shape.goals} and refused={shape.refused} nothing is "
                "ever granted to people who want these, or too little refused; name other kinds"
            )
        return opened(draw, shape)

    return drafted(draw, shape, counted, _only(kinds, shape.kinds), toolbox, lexicon)


def _only(kinds: Kinds[F], names: Sequence[str]) -> Kinds[F]:
    allowed = tuple(kind for kind in kinds.allowed if kind.__name__ in names)
    refused = tuple(kind for kind in kinds.refused if kind.__name__ in names)
    return replace(kinds, allowed=allowed, refused=refused)
