"""A repeated matrix game with several opponents, one after another, each with a strategy of its own.

Sources: tournaments of strategies, Axelrod, "Effective choice in the prisoner's dilemma", Journal of Conflict
Resolution 24, 1980; trust with several opponents in turn, KORGym (arXiv 2505.14552).
"""

from dataclasses import dataclass
from typing import Annotated

from turnwise.core.settings import Range
from turnwise.worlds.games.game import ALL, OVER
from turnwise.worlds.games.hidden.matrix import TABLES, Matrix, Rounds

__all__ = ["Encounters"]


@dataclass(frozen=True)
class Encounters(Matrix):
    """``rounds`` rounds with each of ``meetings`` opponents, who all sit in the same seat."""

    meetings: Annotated[int, Range(1, 20)] = 3

    def rules(self) -> str:
        choices = " or ".join(TABLES[self.table].choices)
        return (
            f"Two players choose at the same time, again and again: {choices}. After each round both see "
            f"what the other chose. Points of player 1 and player 2 for their choices: {self.payoffs()}. You meet "
            f"{self.meetings} opponents one after another, for {self.rounds} rounds each. Every opponent follows a "
            "rule of its own, which looks only at the rounds it has played with you; some rules leave a part to chance."
        )

    def turn(self, state: Rounds) -> int:
        return ALL if len(state) < self.rounds * self.meetings else OVER

    def meeting(self, state: Rounds) -> tuple[int, Rounds]:
        """Return the number of the present opponent, from 0, and the rounds with it."""
        number = min(len(state) // self.rounds, self.meetings - 1)
        return number, state[number * self.rounds :]

    def board(self, state: Rounds) -> str:
        first, second = self.returns(state)
        return f"{self._table(state, 0)}\nPoints: {first:g} and {second:g}"

    def view(self, state: Rounds, seat: int) -> str:
        return f"{self._table(state, seat)}\nYour points in all: {self.returns(state)[seat]:g}"

    def _table(self, state: Rounds, seat: int) -> str:
        """Describe the meeting as a seat sees it, and the end of the one before when a meeting begins."""
        number, rounds = self.meeting(state)
        rows = []
        if not rounds and number:
            rows.append(f"The last round with opponent {number}: {self._round(state[-1], seat)}.")
        rows.append(f"Opponent {number + 1} of {self.meetings}, rounds left with it: {self.rounds - len(rounds)}")
        rows += [f"Round {n}: {self._round(pair, seat)}" for n, pair in enumerate(rounds, 1)]
        return "\n".join(rows)

    def _round(self, pair: tuple[int, int], seat: int) -> str:
        choices = TABLES[self.table].choices
        return f"you {choices[pair[seat]]}, the opponent {choices[pair[1 - seat]]}"
