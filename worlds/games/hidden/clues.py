"""Clues: one seat knows which words count and gives one-word clues, the other guesses the words.

Source: the form of Codenames (Chvátil, 2015) for one team; for language agents, TextArena (arXiv 2504.11442). The
words and their associations are those of `associations`.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.hidden.associations import CLUES, WORDS, pointing

__all__ = ["GIVER", "GUESSER", "STOP", "Clues", "Position"]

GIVER, GUESSER = 0, 1
STOP = "stop"
_KINDS = {"t": "target", "n": "neutral", "x": "trap"}


class Position(NamedTuple):
    """The words, what each is (t, n or x), those shown, the clue, its guesses left, clues given, and the log."""

    words: tuple[str, ...]
    key: str
    shown: frozenset[str] = frozenset()
    clue: str = ""
    left: int = 0
    given: int = 0
    trapped: bool = False
    said: tuple[tuple[str, int, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Clues(Game[Position, tuple[str, int] | str]):
    """A move is a clue and a number for the giver, a word or `STOP` for the guesser.

    Both get the number of targets found, or nothing once a trap is named.
    """

    targets: Annotated[int, Range(2, 15)] = 6
    neutrals: Annotated[int, Range(1, 20)] = 6
    traps: Annotated[int, Range(0, 5)] = 1
    rounds: Annotated[int, Range(1, 20)] = 4

    names = ("Giver", "Guesser")
    zero_sum = False
    hidden = True

    def rules(self) -> str:
        traps = "no trap" if not self.traps else "one trap" if self.traps == 1 else f"{self.traps} traps"
        return (
            f"Two players on one side. Of the words on the table {self.targets} are targets, {self.neutrals} are "
            f"neutral and there is {traps}; only the giver sees which is which. The giver names a clue from an open "
            "list and a number: how many words it is meant for. The guesser then names up to so many words, one at a "
            "time, or stops. A target counts and the guesser goes on; a neutral word ends the guesses of this clue; a "
            f"trap ends the game and loses all points. After {self.rounds} clues, or once all targets are found, the "
            "game ends. Both get a point for each target found."
        )

    def notation(self) -> str:
        return (
            "A move of the giver is a clue and a number (water 2), one of the guesser is a word on the table, or stop"
        )

    def start(self, draw: Draw) -> Position:
        """Draw targets in groups that share a clue, and other words some of which share one with a target."""
        size = self.targets + self.neutrals + self.traps
        chosen: list[str] = []
        while len(chosen) < self.targets:
            group = [word for word in sorted(pointing(draw.choice(sorted(CLUES)))) if word not in chosen]
            chosen += draw.sample(group, min(draw.integer(2, 3), self.targets - len(chosen)))
        shared = [pointing(clue) for clue in CLUES if not pointing(clue).isdisjoint(chosen)]
        near = sorted(frozenset().union(*shared) - set(chosen))
        others = draw.sample(near, (size - self.targets + 1) // 2)
        rest = [word for word in WORDS if word not in chosen and word not in others]
        others = draw.shuffled([*others, *draw.sample(rest, size - self.targets - len(others))])
        kinds = dict.fromkeys(chosen, "t") | dict.fromkeys(others, "n") | dict.fromkeys(others[: self.traps], "x")
        words = tuple(draw.shuffled(list(kinds)))
        return Position(words, "".join(kinds[word] for word in words))

    def initial(self) -> Position:
        return self.start(Draw("clues"))

    def __post_init__(self) -> None:
        if (size := self.targets + self.neutrals + self.traps) > 30:
            raise SettingsError(f"targets, neutrals and traps are {size} words; there must be 30 or fewer")

    def found(self, state: Position) -> int:
        """Return the number of targets that are found."""
        return sum([kind == "t" and word in state.shown for word, kind in zip(state.words, state.key, strict=True)])

    def turn(self, state: Position) -> int:
        if state.trapped or self.found(state) == self.targets:
            return OVER
        if state.left:
            return GUESSER
        return OVER if state.given == self.rounds else GIVER

    def legal(self, state: Position) -> list[tuple[str, int] | str]:
        if state.left:
            return [*(word for word in state.words if word not in state.shown), STOP]
        most = min(4, self.targets - self.found(state))
        return [(clue, number) for clue in CLUES for number in range(1, most + 1)]

    def apply(self, state: Position, move: tuple[str, int] | str) -> Position:
        if isinstance(move, tuple):
            clue, number = move
            said = (*state.said, (clue, number, ()))
            return state._replace(clue=clue, left=number, given=state.given + 1, said=said)
        clue, number, guesses = state.said[-1]
        said = (*state.said[:-1], (clue, number, (*guesses, move)))
        if move == STOP:
            return state._replace(left=0, said=said)
        kind = state.key[state.words.index(move)]
        left = state.left - 1 if kind == "t" else 0
        return state._replace(shown=state.shown | {move}, left=left, said=said, trapped=kind == "x")

    def returns(self, state: Position) -> tuple[float, ...]:
        return (0.0 if state.trapped else float(self.found(state)),) * 2

    def board(self, state: Position) -> str:
        return self._text(state, True)

    def view(self, state: Position, seat: int) -> str:
        return self._text(state, seat == GIVER)

    def _text(self, state: Position, key: bool) -> str:
        rows = []
        if key:
            for kind, name in _KINDS.items():
                of = [w for w, k in zip(state.words, state.key, strict=True) if k == kind and w not in state.shown]
                rows.append(f"Open words that are {name}{'s' if kind != 'n' else ''}: {', '.join(of) or 'none'}")
            rows.append(f"List of clues: {', '.join(CLUES)}")
        else:
            rows.append(f"Open words: {', '.join(w for w in state.words if w not in state.shown)}")
        kinds = dict(zip(state.words, state.key, strict=True))
        for clue, number, guesses in state.said:
            named = ", ".join(g if g == STOP else f"{g} ({_KINDS[kinds[g]]})" for g in guesses)
            rows.append(f"Clue {clue} {number}: {named or 'no guess yet'}")
        left = f"Guesses left for this clue: {state.left}. " if state.left else ""
        found = f"Targets found: {self.found(state)} of {self.targets}."
        return "\n".join([*rows, f"{left}{found} Clues left: {self.rounds - state.given}."])

    def write(self, state: Position, move: tuple[str, int] | str) -> str:
        return move if isinstance(move, str) else f"{move[0]} {move[1]}"
