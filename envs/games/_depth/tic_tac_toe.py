"""Agents of graded skill for TicTacToe: they look ahead a move or more."""

from collections.abc import Sequence

from turnwise.envs.games._depth.reading import bits_of, extent, number_in, shortcuts, skills
from turnwise.worlds.games.tic_tac_toe import Position, TicTacToe

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[TicTacToe, Position]:
    game = TicTacToe(len(rows), len(rows[0]), number_in(prompt, r"completes (\d+) of", 3))
    return game, Position(bits_of(rows, "X"), bits_of(rows, "O"), seat, -1)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3"))
