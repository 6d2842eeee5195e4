"""ChessEndgame: mate a king that defends perfectly, with a queen, a rook or a pawn.

Source: Ströhlein, Untersuchungen über kombinatorische Spiele, 1970; for language agents, the endgames of LMRL-Gym
(arXiv 2311.18232).
"""

from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.chess import Chess, Position
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.players.endgames import KINDS, Kind, solved
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.search import Perfect

_LONGEST = {"queen": 10, "rook": 16, "pawn": 28}
_LETTERS = {kind: letter for letter, kind in KINDS.items()}


@register("ChessEndgame-v0")
class ChessEndgame(Match):
    """Mate the bare king in a chess endgame; reward 1 for a mate within the turns.

    Every position can be won; the opponent holds out as long as it can. Play is perfect by tables of all positions.
    """

    piece: Literal["queen", "rook", "pawn"] = "rook"
    """What the agent has besides its king."""
    least: Annotated[int, Range(1, 28)] = 3
    """The fewest moves that the quickest mate takes."""
    most: Annotated[int, Range(1, 28)] = 6
    """The most moves that the quickest mate takes (at most 10 with a queen, 16 with a rook, 28 with a pawn)."""
    opponent = "perfect"
    opening = 0
    max_turns = 12

    levels = tuple(
        {"piece": p, "least": low, "most": high, "max_turns": t}
        for p, low, high, t in [
            ("queen", 2, 2, 3), ("queen", 2, 3, 4), ("rook", 2, 4, 6), ("queen", 4, 6, 8), ("rook", 5, 7, 10),
            ("queen", 8, 10, 14), ("rook", 8, 11, 16), ("rook", 12, 16, 21), ("pawn", 10, 16, 22),
            ("pawn", 17, 28, 34),
        ]
    )  # fmt: skip
    easy = 0

    chance = (0.015, 0.0, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0

    def check(self) -> None:
        super().check()
        if not self.least <= self.most <= _LONGEST[self.piece]:
            limit = _LONGEST[self.piece]
            raise SettingsError(f"most is {self.most}; with a {self.piece} it must be from {self.least} to {limit}")

    def rules(self) -> Chess:
        return Chess()

    def example(self, game: Rules[Any, Any]) -> str:
        return "Kc3"

    def position(self, game: Rules[Any, Any], seat: int, draw: Draw) -> Any:
        """Return a position from which a seat mates in some moves; the second seat's is turned upside down."""
        board = ["."] * 64
        white, black, piece = np.unravel_index(draw.choice(_starts(self.piece, self.least, self.most)), (64, 64, 64))
        flip = 56 * seat
        for square, letter in ((white, "K"), (black, "k"), (piece, _LETTERS[self.piece])):
            board[int(square) ^ flip] = letter.swapcase() if seat else letter
        return Position("".join(board), seat, "", -1, 0, 1)

    def scouts(self, game: Rules[Any, Any]) -> tuple[Player, ...]:
        return (Perfect(game),)


@lru_cache(maxsize=32)
def _starts(piece: Kind, least: int, most: int) -> list[int]:
    """Return the positions, with White to move, from which the quickest mate takes so many moves."""
    white = solved(piece).white.ravel()
    found: list[int] = np.flatnonzero((white >= 2 * least - 1) & (white <= 2 * most - 1)).tolist()
    return found
