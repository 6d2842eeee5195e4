"""Published strategies for repeated games of two choices, where the first choice is to cooperate.

Sources: Axelrod, "Effective choice in the prisoner's dilemma" and "More effective choice", Journal of Conflict
Resolution 24, 1980 (tit for tat, tit for two tats, Friedman's grim, Joss, Tester); Nowak and Sigmund, "Tit for tat in
heterogeneous populations", Nature 355, 1992 (generous tit for tat) and "A strategy of win-stay, lose-shift that
outperforms tit-for-tat", Nature 364, 1993 (Pavlov); Boyd and Lorberbaum, Nature 327, 1987 (suspicious tit for tat);
Beaufils, Delahaye and Mathieu, "Our meeting with gradual", Artificial Life V, 1996; Press and Dyson, "Iterated
prisoner's dilemma contains strategies that dominate any evolutionary opponent", PNAS 109, 2012 (extortion).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.hidden.encounters import Encounters
from turnwise.worlds.games.hidden.matrix import TABLES, Matrix
from turnwise.worlds.games.players.player import Player

__all__ = ["CHANCY", "STRATEGIES", "Meeting", "Strategic"]

Choices = list[int]
C, D = 0, 1


def _tit_for_tat(own: Choices, other: Choices, draw: Draw) -> int:
    return other[-1] if other else C


def _tit_for_two_tats(own: Choices, other: Choices, draw: Draw) -> int:
    return D if other[-2:] == [D, D] else C


def _suspicious(own: Choices, other: Choices, draw: Draw) -> int:
    return other[-1] if other else D


def _grim(own: Choices, other: Choices, draw: Draw) -> int:
    return D if D in other else C


def _pavlov(own: Choices, other: Choices, draw: Draw) -> int:
    return C if not own or own[-1] == other[-1] else D


def _generous(own: Choices, other: Choices, draw: Draw) -> int:
    return D if other and other[-1] == D and not draw.chance(1 / 3) else C


def _joss(own: Choices, other: Choices, draw: Draw) -> int:
    return D if (other and other[-1] == D) or draw.chance(0.1) else C


def _tester(own: Choices, other: Choices, draw: Draw) -> int:
    """Defect first; apologise and play tit for tat if punished, else defect every second time."""
    if not own:
        return D
    if D in other:
        first = other.index(D)
        return C if len(own) in (first + 1, first + 2) else other[-1]
    return C if len(own) in (1, 2) else 1 - own[-1]


def _gradual(own: Choices, other: Choices, draw: Draw) -> int:
    """Answer the n-th provocation with n defections and two cooperations."""
    left, provoked = 0, 0
    for choice in other:
        left = max(0, left - 1)
        if choice == D and not left:
            provoked += 1
            left = provoked + 2
    return D if left > 2 else C


def _extort(own: Choices, other: Choices, draw: Draw) -> int:
    """Press and Dyson's EXTORT-2 for the payoffs 5, 3, 1, 0: cooperate with odds 8/9, 1/2, 1/3, 0 by the last round."""
    if not own:
        return C
    odds = {(C, C): 8 / 9, (C, D): 1 / 2, (D, C): 1 / 3, (D, D): 0.0}[own[-1], other[-1]]
    return C if draw.chance(odds) else D


STRATEGIES: dict[str, Callable[[Choices, Choices, Draw], int]] = {
    "cooperate": lambda own, other, draw: C,
    "defect": lambda own, other, draw: D,
    "alternate": lambda own, other, draw: len(own) % 2,
    "tit_for_tat": _tit_for_tat,
    "tit_for_two_tats": _tit_for_two_tats,
    "suspicious_tit_for_tat": _suspicious,
    "generous_tit_for_tat": _generous,
    "grim": _grim,
    "pavlov": _pavlov,
    "joss": _joss,
    "tester": _tester,
    "gradual": _gradual,
    "extort": _extort,
}
CHANCY = ("generous_tit_for_tat", "joss", "extort")
"""Those that leave a part to chance."""
_CALM = Draw("no strategy without chance draws from this")


@dataclass(frozen=True)
class Strategic(Player):
    """Plays a strategy of `STRATEGIES` in a repeated game of two choices."""

    name: str = "tit_for_tat"

    def __post_init__(self) -> None:
        if not isinstance(self.game, Matrix) or len(TABLES[self.game.table].choices) != 2:
            raise SettingsError(f"strategy:{self.name} plays matrix games of two choices, not {self.game!r}")

    def choose(self, state: Any) -> Any:
        return self.act(state, 0)

    def act(self, state: Any, seat: int) -> Any:
        own, other = [pair[seat] for pair in state], [pair[1 - seat] for pair in state]
        return STRATEGIES[self.name](own, other, self.draw((seat, state)))


@dataclass(frozen=True)
class Meeting(Player):
    """Plays the opponents of `Encounters`: a strategy of `STRATEGIES` in each meeting, the same one if one is named."""

    names: tuple[str, ...] = ("tit_for_tat",)

    def __post_init__(self) -> None:
        if not isinstance(self.game, Encounters) or len(TABLES[self.game.table].choices) != 2:
            raise SettingsError(f"strategies play matrix games of two choices, not {self.game!r}")

    def choose(self, state: Any) -> Any:
        return self.act(state, 0)

    def act(self, state: Any, seat: int) -> Any:
        assert isinstance(self.game, Encounters)
        number, rounds = self.game.meeting(state)
        own, other = [pair[seat] for pair in rounds], [pair[1 - seat] for pair in rounds]
        name = self.names[number % len(self.names)]
        draw = self.draw((seat, number, rounds)) if name in CHANCY else _CALM
        return STRATEGIES[name](own, other, draw)
