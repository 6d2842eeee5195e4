"""The moves of chess: which squares are attacked, what each piece may do, what the board looks like after it.

A board is a text of 64 letters of FEN, from a1 to h8. Whether a move leaves the own king attacked is told by one look
along the lines to the king (which pieces give check, which are pinned); few moves have to be made to see.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = ["PAWN_TAKES", "Move", "can_move", "in_check", "legal_moves", "moved", "pawn_ahead", "promising_moves"]

_OWN = (frozenset("PNBRQK"), frozenset("pnbrqk"))
_KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
_ORDER = {mark: place for place, pair in enumerate(("qQ", "rR", "bB", "nN", "pP", "kK")) for mark in pair}
_PROMOTIONS = ("q", "r", "b", "n")


class Move(NamedTuple):
    """From one square to another (a1 is 0, b1 is 1), with the piece that a pawn becomes, in lower case."""

    source: int
    target: int
    promotion: str = ""


Rays = tuple[tuple[int, ...], ...]
Moves = tuple[Move, ...]
Captures = tuple[tuple[int, Moves], ...]
Checks = frozenset[int] | None
"""The squares on which a check can be met: None without one, empty if two pieces give check."""


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


def _of_pawn(square: int, ahead: int, home: int, takes: tuple[int, ...]) -> tuple[Moves, Moves, Captures]:
    """Return the moves of a pawn one and two squares ahead, and its captures by their squares."""

    def to(target: int) -> Moves:
        if not 0 <= target < 64:
            return ()
        if target // 8 in (0, 7):
            return tuple(Move(square, target, piece) for piece in _PROMOTIONS)
        return (_SHARED[square, target],)

    far = to(square + 2 * ahead) if square // 8 == home else ()
    return to(square + ahead), far, tuple((target, to(target)) for target in takes)


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
_PAWNS = tuple(
    tuple(_of_pawn(square, ahead, home, PAWN_TAKES[seat][square]) for square in range(64))
    for seat, (ahead, home) in enumerate(((8, 1), (-8, 6)))
)
"""For each seat and square the moves of a pawn: one ahead, two ahead, and captures by their squares."""
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
    return king in [board[other] for other in _AROUND[square]]


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


def _pseudo(board: str, seat: int, passant: int) -> list[Move]:
    """Return the moves of a seat without castling, whether or not its king is attacked after them."""
    mine, theirs, pawns = _OWN[seat], _OWN[1 - seat], _PAWNS[seat]
    found: list[Move] = []
    for square, piece in enumerate(board):
        if piece not in mine:
            continue
        if piece in "Pp":
            ahead, far, takes = pawns[square]
            if board[ahead[0].target] == ".":
                found += ahead
                if far and board[far[0].target] == ".":
                    found += far
            for other, moves in takes:
                if board[other] in theirs or other == passant:
                    found += moves
            continue
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
        free = right[seat] in castling and all(board[king + i] == "." for i in between)
        if free and not any(_attacked(board, king + i, 1 - seat) for i in crossed):
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


def _legal(board: str, seat: int, castling: str, passant: int, moves: Iterable[Move]) -> Iterator[Move]:
    """Yield those of a seat's `_pseudo` moves that leave its king safe; few need a look at the board after them."""
    king = board.index("Kk"[seat])
    checks, pinned = _guard(board, seat, king)
    without = f"{board[:king]}.{board[king + 1 :]}"  # the king does not shield the squares behind itself
    for move in moves:
        source, target, _ = move
        if source == king:
            if not _attacked(without, target, 1 - seat):
                yield move
        elif source in pinned or target == passant:
            if not in_check(moved(board, move, passant), seat):
                yield move
        elif checks is None or target in checks:
            yield move
    if castling and checks is None:
        yield from _castles(board, seat, castling)


@lru_cache(maxsize=2**14)
def legal_moves(board: str, seat: int, castling: str, passant: int) -> tuple[Move, ...]:
    """Return all legal moves of a seat."""
    return tuple(_legal(board, seat, castling, passant, _pseudo(board, seat, passant)))


def promising_moves(board: str, seat: int, castling: str, passant: int) -> Iterator[Move]:
    """Yield all legal moves of a seat, captures of the most valuable pieces first."""
    takes: list[Move] = []
    quiet: list[Move] = []
    for move in _pseudo(board, seat, passant):
        (quiet if board[move.target] == "." else takes).append(move)
    takes.sort(key=lambda move: _ORDER[board[move.target]])
    return _legal(board, seat, castling, passant, takes + quiet)


@lru_cache(maxsize=2**12)
def pawn_ahead(board: str, seat: int) -> Move | None:
    """Return a legal move of a pawn to the square ahead, if one is quickly found."""
    checks, pinned = _guard(board, seat, board.index("Kk"[seat]))
    mark, ahead = ("P", 8) if seat == 0 else ("p", -8)
    pawn = board.find(mark) if checks is None else -1
    while pawn >= 0:
        if board[pawn + ahead] == "." and pawn not in pinned:
            return _PAWNS[seat][pawn][0][0]
        pawn = board.find(mark, pawn + 1)
    return None


@lru_cache(maxsize=2**14)
def can_move(board: str, seat: int, castling: str, passant: int) -> bool:
    """Return whether a seat has a legal move."""
    return pawn_ahead(board, seat) is not None or any(
        True for _ in _legal(board, seat, castling, passant, _pseudo(board, seat, passant))
    )
