"""All kernels, and their variations by difficulty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.kernel import Kernel, variations
from turnwise.worlds.programs.contests.kernels import (
    arithmetic,
    arrays,
    counting,
    dynamic,
    geometry,
    graphs,
    greedy,
    grids,
    searching,
    services,
    simulation,
    strings,
    structures,
    textbook,
    textbook_structures,
    trees,
)

__all__ = ["HARDEST", "KERNELS", "TOPICS", "Puzzle", "draw_puzzle", "puzzles"]

_MODULES = (
    textbook, textbook_structures, arrays, searching, greedy, dynamic, grids, graphs, trees, strings, arithmetic,
    counting, structures, services, geometry, simulation,
)  # fmt: skip
KERNELS: Mapping[str, Kernel] = {kernel.name: kernel for module in _MODULES for kernel in module.KERNELS}
"""Kernels by name."""
TOPICS = tuple(dict.fromkeys(kernel.topic for kernel in KERNELS.values()))
HARDEST = 6
_TURNED = 2  # what it adds to turn a question around


@dataclass(frozen=True)
class Puzzle:
    """A kernel, the option for each choice, the values of its constants, and whether the question is turned around."""

    kernel: str
    picked: tuple[tuple[str, str | int], ...]
    turned: bool = False

    @property
    def forms(self) -> set[str]:
        """The forms in which it can be posed."""
        return forms_of(KERNELS[self.kernel])


@cache
def puzzles(
    hardness: int, topic: str = ""
) -> tuple[tuple[str, tuple[tuple[tuple[tuple[str, str], ...], bool], ...]], ...]:
    """Return the variations of each kernel that have a difficulty, or at least the largest one; constants are open."""
    found = []
    for kernel in KERNELS.values():
        if topic and kernel.topic != topic:
            continue
        mine = []
        for weight, picked in variations(kernel):
            for turned in (False, True):
                if turned and (kernel.inverse is None or not kernel.inverse.fits(picked)):
                    continue
                if min(HARDEST, weight + _TURNED * turned) == hardness:
                    mine.append((tuple(picked.items()), turned))
        if mine:
            found.append((kernel.name, tuple(mine)))
    return tuple(found)


def draw_puzzle(draw: Draw, hardness: int, topic: str = "", forms: Sequence[str] = ()) -> Puzzle | None:
    """Draw a puzzle of a difficulty: a kernel, one of its variations, and constants; None if there is none.

    Args:
        draw: Source of randomness.
        hardness: From 0 (textbook) to `HARDEST`.
        topic: One of `TOPICS`; empty for any.
        forms: Only kernels that can be posed in one of these forms; empty for any.
    """
    groups = [group for group in puzzles(hardness, topic) if not forms or forms_of(KERNELS[group[0]]) & set(forms)]
    if not groups:
        return None
    name, mine = draw.choice(groups)
    picked, turned = draw.choice(mine)
    kernel = KERNELS[name]
    used = kernel.constants(dict(picked))
    constants = [(key, draw.choice(values)) for key, values in kernel.params.items() if key in used]
    return Puzzle(name, (*picked, *constants), turned)


def forms_of(kernel: Kernel) -> set[str]:
    """Return the forms in which a kernel can be posed."""
    return {"class", "program"} if kernel.ops else {"function", "program"}
