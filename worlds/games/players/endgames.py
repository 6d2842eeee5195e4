"""Chess endgames of a queen, rook or pawn against the bare king, solved by retrograde analysis.

Source: Ströhlein, Untersuchungen über kombinatorische Spiele, 1970: the longest mates take 10 moves with a queen and 16
with a rook; 28 with a pawn, Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9, 1986.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from turnwise.worlds.games.chess import Chess, Move, Position

__all__ = ["KINDS", "Kind", "Solved", "plies", "ranked", "solved"]

Kind = Literal["queen", "rook", "pawn"]
Bools: TypeAlias = npt.NDArray[np.bool_]
Plies: TypeAlias = npt.NDArray[np.int16]
Squares: TypeAlias = npt.NDArray[np.int64]
KINDS: dict[str, Kind] = {"Q": "queen", "R": "rook", "P": "pawn"}
NEVER = 999
_STRAIGHT, _DIAGONAL = ((0, 1), (1, 0), (0, -1), (-1, 0)), ((1, 1), (1, -1), (-1, -1), (-1, 1))
_WAYS = {"queen": _STRAIGHT + _DIAGONAL, "rook": _STRAIGHT, "pawn": ()}


@dataclass(frozen=True)
class Solved:
    """Half-moves to mate with White's piece, by [white king, black king, piece], from a1 = 0; `NEVER` for no win.

    Attributes:
        white: With White to move.
        black: With Black to move.
    """

    white: Plies
    black: Plies


def _onward(square: Squares, up: int, right: int) -> Squares:
    """Return the neighbours of squares in a direction, -1 outside the board."""
    row, column = square // 8 + up, square % 8 + right
    inside = (square >= 0) & (row >= 0) & (row < 8) & (column >= 0) & (column < 8)
    return np.where(inside, row * 8 + column, -1)


def _distinct(positions: Squares) -> Squares:
    """Return each of some positions once; quicker than sorting them."""
    seen = np.zeros(64**3, dtype=np.bool_)
    seen[positions] = True
    return np.flatnonzero(seen)


_ALL = np.arange(64)
_KING = [_onward(_ALL, up, right) for up, right in _STRAIGHT + _DIAGONAL]
_NEAR = np.zeros((64, 64), dtype=np.bool_)
for _targets in _KING:
    _NEAR[_ALL[_targets >= 0], _targets[_targets >= 0]] = True


def _attacked(kind: Kind) -> Bools:
    """Return whether the piece attacks a square past White's king, by [white king, piece, square]."""
    found = np.zeros((64, 64, 64), dtype=np.bool_)
    king, piece = np.meshgrid(_ALL, _ALL, indexing="ij")
    for up, right in ((1, -1), (1, 1)) if kind == "pawn" else _WAYS[kind]:
        at = piece
        for _ in range(1 if kind == "pawn" else 7):
            at = _onward(at, up, right)
            free = at >= 0
            found[king[free], piece[free], at[free]] = True
            at = np.where(at == king, -1, at)
    return found


class _Analysis:
    """Walks back from the mates, a half-move at a time."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        attacked = _attacked(kind).transpose(0, 2, 1)
        king, other, piece = np.ix_(_ALL, _ALL, _ALL)
        apart = (king != piece) & (other != piece) & ~_NEAR[:, :, None] & (king != other)
        if kind == "pawn":
            apart = apart & (piece >= 8) & (piece < 56)
        self.legal_white: Bools = apart & ~attacked
        self.legal_black: Bools = apart
        ways = np.zeros((64, 64, 64), dtype=np.int16)  # of Black to move
        for target in _KING:
            there = target >= 0
            ways[:, there] += self.legal_white[:, target[there]]
            for square in _ALL[there]:
                ways[:, square, target[square]] += ~_NEAR[:, target[square]] & apart[:, square, target[square]]
        self.ways = ways
        self.white = np.full((64, 64, 64), NEVER, dtype=np.int16)
        self.black = np.full((64, 64, 64), NEVER, dtype=np.int16)
        self.black[self.legal_black & (ways == 0) & attacked] = 0
        self.promoted = self._promotions() if kind == "pawn" else None

    def _promotions(self) -> Plies:
        """Return half-moves to mate of the best promotion, by [white king, black king, pawn on its seventh row]."""
        found = np.full((64, 64, 64), NEVER, dtype=np.int16)
        for kind in ("queen", "rook"):
            found[:, :, 48:56] = np.minimum(found[:, :, 48:56], solved(kind).black[:, :, 56:] + 1)
        found[~self.legal_white] = NEVER
        return found

    def solve(self) -> Solved:
        """Return the distances."""
        depth, last = 0, 0 if self.promoted is None else int(self.promoted[self.promoted < NEVER].max())
        fresh = np.flatnonzero(self.black.ravel() == 0)
        while len(fresh) or depth < last:
            won = self._before_white(fresh)
            if self.promoted is not None:
                won = np.concatenate([won, np.flatnonzero(self.promoted.ravel() == depth + 1)])
            won = _distinct(won[self.white.ravel()[won] == NEVER])
            self.white.ravel()[won] = depth + 1
            fresh = self._before_black(won)
            depth += 2
            self.black.ravel()[fresh] = depth
        return Solved(self.white, self.black)

    def _before_white(self, after: Squares) -> Squares:
        """Return the positions with White to move from which a move leads to one of some with Black to move."""
        king, other, piece = np.unravel_index(after, (64, 64, 64))
        found = [self._index(target[king], other, piece) for target in _KING]
        if self.kind == "pawn":
            one = np.where((piece - 8 != king) & (piece - 8 != other), piece - 8, -1)
            found.append(self._index(king, other, one))
            found.append(self._index(king, other, np.where((one >= 0) & (piece // 8 == 3), piece - 16, -1)))
        for up, right in _WAYS[self.kind]:
            at = piece
            for _ in range(7):
                at = _onward(at, up, right)
                at = np.where((at == king) | (at == other), -1, at)
                found.append(self._index(king, other, at))
        return np.concatenate(found)

    def _index(self, king: Squares, other: Squares, piece: Squares) -> Squares:
        """Return the numbers of the positions that are legal with White to move."""
        inside = (king >= 0) & (piece >= 0)
        flat = (king[inside] * 64 + other[inside]) * 64 + piece[inside]
        legal: Squares = flat[self.legal_white.ravel()[flat]]
        return legal

    def _before_black(self, won: Squares) -> Squares:
        """Return the positions with Black to move all of whose moves now lead to ones that are won."""
        king, other, piece = np.unravel_index(won, (64, 64, 64))
        found = []
        for target in _KING:
            source = target[other]
            inside = source >= 0
            flat = (king[inside] * 64 + source[inside]) * 64 + piece[inside]
            flat = flat[self.legal_black.ravel()[flat]]
            self.ways.ravel()[flat] -= 1  # each position once in a direction
            found.append(flat[self.ways.ravel()[flat] == 0])
        return _distinct(np.concatenate(found))


@lru_cache(maxsize=3)
def solved(kind: Kind) -> Solved:
    """Return the solution of an endgame, which takes a fraction of a second the first time."""
    return _Analysis(kind).solve()


def plies(state: Position) -> int | None:
    """Return the half-moves to mate of the side that has a piece; None if it cannot force a mate.

    Raises:
        KeyError: Other pieces are on the board.
    """
    rest = [(square, piece) for square, piece in enumerate(state.board) if piece not in ".kK"]
    if not rest:
        return None
    if len(rest) > 1:
        raise KeyError("more than three pieces")
    ((square, piece),) = rest
    if piece in "bnBN":
        return None
    flip = 0 if piece.isupper() else 56
    table = solved(KINDS[piece.upper()])
    strong, weak = ("K", "k") if piece.isupper() else ("k", "K")
    turn = table.white if (state.seat == 0) == piece.isupper() else table.black
    found = int(turn[state.board.index(strong) ^ flip, state.board.index(weak) ^ flip, square ^ flip])
    return None if found == NEVER else found


def ranked(game: Chess, state: Position) -> list[tuple[int, Move]]:
    """Return the legal moves with what they are worth to the mover: the larger the quicker it mates, the later it is.

    Raises:
        KeyError: The endgame is not one that is solved.
    """
    strong = any(piece not in ".kK" and piece.isupper() == (state.seat == 0) for piece in state.board)
    found = []
    for move in game.legal(state):
        left = plies(game.apply(state, move))
        value = NEVER if left is None else left
        found.append((-value if strong else value, move))
    return found
