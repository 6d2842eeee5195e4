"""Matrix games, once or repeated: both seats choose at the same time and are paid by a table.

Sources: Axelrod, "Effective choice in the prisoner's dilemma", Journal of Conflict Resolution 24, 1980; Rapoport and
Guyer, "A taxonomy of 2 x 2 games", General Systems 11, 1966; the trust game is the one of KORGym (arXiv 2505.14552).
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import ALL, OVER, Game

__all__ = ["TABLES", "Matrix", "Table"]

Rounds = tuple[tuple[int, int], ...]
"""A position: what the two seats chose in each round."""


class Table(NamedTuple):
    """The names of the choices, and what the first and the second seat get by the choices of both."""

    choices: tuple[str, ...]
    first: tuple[tuple[float, ...], ...]
    second: tuple[tuple[float, ...], ...]


def _alike(choices: tuple[str, ...], first: tuple[tuple[float, ...], ...]) -> Table:
    """Return a table that treats both seats alike."""
    size = range(len(choices))
    return Table(choices, first, tuple(tuple(first[j][i] for j in size) for i in size))


TABLES = {
    "prisoners_dilemma": _alike(("cooperate", "defect"), ((3, 0), (5, 1))),
    "trust": _alike(("cooperate", "defect"), ((2, -1), (3, 0))),
    "chicken": _alike(("swerve", "straight"), ((3, 1), (4, 0))),
    "stag_hunt": _alike(("stag", "hare"), ((4, 0), (3, 2))),
    "coordination": _alike(("left", "right"), ((1, 0), (0, 1))),
    "battle_of_the_sexes": Table(("opera", "football"), ((3, 0), (0, 2)), ((2, 0), (0, 3))),
    "matching_pennies": Table(("heads", "tails"), ((1, -1), (-1, 1)), ((-1, 1), (1, -1))),
    "rock_paper_scissors": _alike(("rock", "paper", "scissors"), ((0, -1, 1), (1, 0, -1), (-1, 1, 0))),
}


@dataclass(frozen=True)
class Matrix(Game[Rounds, tuple[int, int] | int]):
    """A table of `TABLES`, played ``rounds`` times. A move is a choice of each seat."""

    table: str = "prisoners_dilemma"
    rounds: Annotated[int, Range(1, 1000)] = 10

    names = ("Player 1", "Player 2")
    zero_sum = False
    hidden = True

    def __post_init__(self) -> None:
        if self.table not in TABLES:
            raise SettingsError(f"table is {self.table!r}; it must be one of {', '.join(TABLES)}")

    def rules(self) -> str:
        choices = ", ".join(TABLES[self.table].choices)
        return (
            f"Two players choose at the same time, {self.rounds} times in all: {choices}. After each round both see "
            f"what the other chose. Points of player 1 and player 2 for their choices: {self.payoffs()}. Each player "
            "wants as many points as possible in total."
        )

    def payoffs(self) -> str:
        """Return what both get for each pair of choices."""
        choices, first, second = TABLES[self.table]
        return "; ".join(
            f"{a} and {b}: {first[i][j]:g} and {second[i][j]:g}"
            for i, a in enumerate(choices)
            for j, b in enumerate(choices)
        )

    def notation(self) -> str:
        return f"A move is one of: {', '.join(TABLES[self.table].choices)}"

    def initial(self) -> Rounds:
        return ()

    def turn(self, state: Rounds) -> int:
        return ALL if len(state) < self.rounds else OVER

    def legal(self, state: Rounds) -> list[tuple[int, int] | int]:
        size = range(len(TABLES[self.table].choices))
        return [(i, j) for i in size for j in size]

    def apply(self, state: Rounds, move: tuple[int, int] | int) -> Rounds:
        assert isinstance(move, tuple)
        return (*state, move)

    def returns(self, state: Rounds) -> tuple[float, ...]:
        _, first, second = TABLES[self.table]
        return (float(sum([first[i][j] for i, j in state])), float(sum([second[i][j] for i, j in state])))

    def board(self, state: Rounds) -> str:
        choices = TABLES[self.table].choices
        rows = [f"Round {n}: {choices[i]} and {choices[j]}" for n, (i, j) in enumerate(state, 1)]
        first, second = self.returns(state)
        return "\n".join([*rows, f"Rounds left: {self.rounds - len(state)}", f"Points: {first:g} and {second:g}"])

    def write(self, state: Rounds, move: tuple[int, int] | int) -> str:
        choices = TABLES[self.table].choices
        return choices[move] if isinstance(move, int) else " ".join(choices[i] for i in move)
