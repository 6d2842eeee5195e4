"""Agents of graded skill for Matrix: published strategies against everybody, and one that tries out each opponent."""

import re
from collections.abc import Callable, Sequence

from turnwise.core.draw import Draw
from turnwise.envs.tables._depth.reading import agent, extent
from turnwise.worlds.games.players.strategies import STRATEGIES

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_ROUND = re.compile(r"^Round \d+: you (\w+), the opponent (\w+)$", re.MULTILINE)
_WORDS, _LEFT = re.compile(r"one of: (\w+), (\w+)"), re.compile(r"rounds left with it: (\d+)")


def _player(choose: Callable[[list[int], list[int], int, Draw], int]) -> Callable[[Sequence[str], int], str]:
    """Return what plays by the rounds with the opponent at hand (0: the first choice) and the number left with it."""

    def read(heard: Sequence[str], turn: int) -> str:
        words, left = _WORDS.search(heard[0]), _LEFT.search(heard[-1])
        assert words
        assert left
        pairs = [[words.groups().index(word) for word in pair] for pair in _ROUND.findall(heard[-1])]
        own, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return str(words[1 + choose(own, other, int(left[1]), Draw("matrix", turn))])

    return read


def _published(name: str) -> Callable[[Sequence[str], int], str]:
    return _player(lambda own, other, left, draw: STRATEGIES[name](own, other, draw))


def _tries_out(own: list[int], other: list[int], left: int, draw: Draw) -> int:
    """Defect in the second round, go on with that if it is not answered, and else do as the other does; defect last."""
    if left == 1 or len(own) == 1:
        return 1
    if len(own) < 3:
        return 0
    unanswered = not any(other[2:]) or all(other)
    return 1 if unanswered else other[-1]


SHORTCUTS = {name: agent(_published(name), name) for name in ("cooperate", "defect")}
SKILLS = {
    "tit for tat": agent(_published("tit_for_tat"), "tit for tat"),
    "pavlov": agent(_published("pavlov"), "pavlov"),
    "tries each opponent out": agent(_player(_tries_out), "tries each opponent out"),
}
