"""The moves of chess: which squares are attacked, what each piece may do, what the board looks like after it.

A board is a text of 64 letters of FEN, from a1 to h8. Whether a move leaves the own king attacked is told by one look
along the lines to the king (which pieces give check, which are pinned); few moves have to be made to see.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = ["PAWN_TAKES", "Move", "can_move", "in_check", "legal_moves", "moved"]

_OWN = (frozenset("PNBRQK"), frozenset("pnbrqk"))
_KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
_PROMOTIONS = ("q", "r", "b", "n")

Rays = tuple[tuple[int, ...], ...]
Checks = frozenset[int] | None
"""The squares on which a check can be met: None without one, empty if two pieces give check."""


class Move(NamedTuple):
    """From one square to another (a1 is 0, b1 is 1), with the piece that a pawn becomes, in lower case."""

    source: int
    target: int
    promotion: str = ""


def _steps(directions: tuple[tuple[int, int], ...], far: bool) -> tuple[Rays, ...]:
    """Return for each square, and each direction that leads anywhere, the squares along it."""
    found = []
    for square in range(64):
        rays = []
        for right, up in directions:
            ray: list[int] = []
            column, row = square % 8 + right, square // 8 + up
            while 0 <= column < 8 and 0 <= row < 8 and (far or not ray):
                ray.append(row * 8 + column)
                column, row = column + right, row + up
            if ray:
                rays.append(tuple(ray))
        found.append(tuple(rays))
    return tuple(found)


def _single(directions: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...]:
    """Return for each square those that are one step away."""
    return tuple(tuple(square for (square,) in rays) for rays in _steps(directions, False))


_LEAPS, _AROUND = _single(_KNIGHT), _single(_STRAIGHT + _DIAGONAL)
PAWN_TAKES = tuple(_single(((-1, up), (1, up))) for up in (1, -1))
"""For each seat and square, where a pawn captures."""
_RAYS = {
    "n": _steps(_KNIGHT, False), "k": _steps(_STRAIGHT + _DIAGONAL, False), "r": _steps(_STRAIGHT, True),
    "b": _steps(_DIAGONAL, True), "q": _steps(_STRAIGHT + _DIAGONAL, True),
}  # fmt: skip
_SHARED = {(a, b): Move(a, b) for a in range(64) for b in (*_LEAPS[a], *(s for ray in _RAYS["q"][a] for s in ray))}
"""The moves without a promotion, made once."""
_ROUTES = {
    letter: tuple(
        tuple(tuple((target, _SHARED[square, target]) for target in ray) for ray in rays)
        for square, rays in enumerate(_RAYS[letter.lower()])
    )
    for letter in "nkrbqNKRBQ"
}
"""For each piece and square, the targets of each direction with the moves there."""
_LINES = tuple(
    tuple(
        (*((straight, ray) for ray in _RAYS["r"][square]), *((diagonal, ray) for ray in _RAYS["b"][square]))
        for square in range(64)
    )
    for straight, diagonal in (("RQ", "BQ"), ("rq", "bq"))
)
"""For each attacker's seat and each square, the lines to it with the pieces that attack along them."""


def _attacked(board: str, square: int, by: int) -> bool:
    """Return whether a seat attacks a square."""
    for wanted, ray in _LINES[by][square]:
        for other in ray:
            there = board[other]
            if there != ".":
                if there in wanted:
                    return True
                break
    knight, king, pawn = ("NKP", "nkp")[by]
    for other in _LEAPS[square]:
        if board[other] == knight:
            return True
    for other in PAWN_TAKES[1 - by][square]:
        if board[other] == pawn:
            return True
    for other in _AROUND[square]:
        if board[other] == king:
            return True
    return False


def in_check(board: str, seat: int) -> bool:
    """Return whether a seat's king is attacked."""
    return _attacked(board, board.index("Kk"[seat]), 1 - seat)


def _guard(board: str, seat: int, king: int) -> tuple[Checks, list[int]]:
    """Return where checks of a seat's king can be met, and the squares of its pinned pieces."""
    mine, pinned = _OWN[seat], []
    checks: Checks = None
    for wanted, ray in _LINES[1 - seat][king]:
        shield = -1
        for other in ray:
            there = board[other]
            if there == ".":
                continue
            if there in wanted:
                if shield >= 0:
                    pinned.append(shield)
                else:
                    line = frozenset(ray[: ray.index(other) + 1])
                    checks = line if checks is None else frozenset()
                break
            if shield >= 0 or there not in mine:
                break
            shield = other
    knight, pawn = ("np", "NP")[seat]
    for other in _LEAPS[king]:
        if board[other] == knight:
            checks = frozenset((other,)) if checks is None else frozenset()
    for other in PAWN_TAKES[seat][king]:
        if board[other] == pawn:
            checks = frozenset((other,)) if checks is None else frozenset()
    return checks, pinned


def _pawn_moves(board: str, seat: int, square: int, passant: int) -> list[Move]:
    ahead, home, last = (8, 1, 7) if seat == 0 else (-8, 6, 0)
    targets = []
    if board[square + ahead] == ".":
        targets.append(square + ahead)
        if square >> 3 == home and board[square + 2 * ahead] == ".":
            targets.append(square + 2 * ahead)
    theirs = _OWN[1 - seat]
    for other in PAWN_TAKES[seat][square]:
        if other == passant or board[other] in theirs:
            targets.append(other)
    if (square + ahead) >> 3 == last:
        return [Move(square, target, piece) for target in targets for piece in _PROMOTIONS]
    return [_SHARED[square, target] for target in targets]


def _piece_moves(board: str, seat: int, square: int, piece: str) -> list[Move]:
    theirs, found = _OWN[1 - seat], []
    for ray in _ROUTES[piece][square]:
        for other, move in ray:
            there = board[other]
            if there == ".":
                found.append(move)
                continue
            if there in theirs:
                found.append(move)
            break
    return found


def _castles(board: str, seat: int, castling: str) -> Iterator[Move]:
    """Yield the castling moves of a seat whose king is not in check."""
    king = 60 * seat + 4 * (1 - seat)
    for right, between, crossed in (("Kk", (1, 2), (1, 2)), ("Qq", (-1, -2, -3), (-1, -2))):
        if right[seat] in castling and all(board[king + i] == "." for i in between):
            if not any(_attacked(board, king + i, 1 - seat) for i in crossed):
                yield _SHARED[king, king + crossed[1]]


def moved(board: str, move: Move, passant: int) -> str:
    """Return the board after a move."""
    source, target, promotion = move
    piece = board[source]
    if piece in "Pp":
        if promotion:
            piece = promotion.upper() if piece == "P" else promotion
        elif target == passant:
            taken = target + (-8 if piece == "P" else 8)
            board = f"{board[:taken]}.{board[taken + 1 :]}"
    elif piece in "Kk" and abs(target - source) == 2:
        rook = source + 3 if target > source else source - 4
        board = moved(board, Move(rook, (source + target) // 2), -1)
    if source < target:
        return f"{board[:source]}.{board[source + 1 : target]}{piece}{board[target + 1 :]}"
    return f"{board[:target]}{piece}{board[target + 1 : source]}.{board[source + 1 :]}"


def _king_moves(board: str, seat: int, king: int) -> list[Move]:
    """Return the legal moves of a king, castling excepted."""
    without = f"{board[:king]}.{board[king + 1 :]}"  # the king does not shield the squares behind itself
    moves = _piece_moves(board, seat, king, board[king])
    return [move for move in moves if not _attacked(without, move.target, 1 - seat)]


def _others(board: str, seat: int, square: int, passant: int, guard: tuple[Checks, list[int]]) -> list[Move]:
    """Return the legal moves of a piece that is not the king; few need a look at the board after them."""
    piece, (checks, pinned) = board[square], guard
    if piece in "Pp":
        moves = _pawn_moves(board, seat, square, passant)
        beyond = passant >= 0  # capturing en passant empties two squares
    else:
        moves, beyond = _piece_moves(board, seat, square, piece), False
    if beyond or square in pinned:
        return [move for move in moves if not in_check(moved(board, move, passant), seat)]
    return moves if checks is None else [move for move in moves if move.target in checks]


@lru_cache(maxsize=2**14)
def legal_moves(board: str, seat: int, castling: str, passant: int) -> tuple[Move, ...]:
    """Return all legal moves of a seat."""
    mine, king, found = _OWN[seat], board.index("Kk"[seat]), []
    guard = _guard(board, seat, king)
    for square, piece in enumerate(board):
        if square == king:
            found += _king_moves(board, seat, king)
        elif piece in mine:
            found += _others(board, seat, square, passant, guard)
    if castling and guard[0] is None:
        found += _castles(board, seat, castling)
    return tuple(found)


@lru_cache(maxsize=2**14)
def can_move(board: str, seat: int, castling: str, passant: int) -> bool:
    """Return whether a seat has a legal move: pawns that can go ahead are quick to find, the king takes longest."""
    mine, king = _OWN[seat], board.index("Kk"[seat])
    guard = _guard(board, seat, king)
    if guard[0] is None:
        mark, ahead = ("P", 8) if seat == 0 else ("p", -8)
        pawn = board.find(mark)
        while pawn >= 0:
            if board[pawn + ahead] == "." and pawn not in guard[1]:
                return True
            pawn = board.find(mark, pawn + 1)
    for square, piece in enumerate(board):
        if piece in mine and square != king and _others(board, seat, square, passant, guard):
            return True
    return bool(_king_moves(board, seat, king))
