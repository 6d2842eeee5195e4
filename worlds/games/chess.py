"""Chess with all its rules: castling, en passant, promotion, and draws by stalemate, material, repetition and 50 moves.

Source: FIDE Laws of Chess, 2023; a third repetition and fifty moves without capture or pawn move end the game at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["START", "Chess", "Move", "Position", "in_check", "legal_moves"]

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_FIFTY = 100  # half-moves
_THRICE = 8  # half-moves that a position needs at least to occur for the third time
_WHITE, _BLACK = frozenset("PNBRQK"), frozenset("pnbrqk")
_ORDER = {mark: place for place, pair in enumerate(("qQ", "rR", "bB", "nN", "pP", ".kK")) for mark in pair}
_HEAVY = frozenset("pqrPQR")
_KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
_ROOKS = {0: "Q", 7: "K", 56: "q", 63: "k"}  # the right to castle that is lost with a rook or its square
_KINGS = {4: "KQ", 60: "kq"}


class Move(NamedTuple):
    """From one square to another (a1 is 0, b1 is 1), with the piece that a pawn becomes, in lower case."""

    source: int
    target: int
    promotion: str = ""


class Position(NamedTuple):
    """The board from a1 to h8 in letters of FEN, the rest of a FEN, and the positions since the last pawn move."""

    board: str
    seat: int
    castling: str
    passant: int  # the square behind a pawn that has just gone two squares and can be captured there; -1: none
    quiet: int  # half-moves since the last capture or pawn move
    number: int
    past: tuple[str, ...] = ()


def _steps(directions: tuple[tuple[int, int], ...], far: bool) -> tuple[tuple[tuple[int, ...], ...], ...]:
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


_RAYS = {
    "n": _steps(_KNIGHT, False), "k": _steps(_STRAIGHT + _DIAGONAL, False), "r": _steps(_STRAIGHT, True),
    "b": _steps(_DIAGONAL, True), "q": _steps(_STRAIGHT + _DIAGONAL, True),
}  # fmt: skip
_PAWN_TAKES = tuple(_steps(((-1, up), (1, up)), False) for up in (1, -1))


_ATTACKERS = (("RQ", "BQ", "N", "K", "P"), ("rq", "bq", "n", "k", "p"))


def _attacked(board: str, square: int, by: int) -> bool:
    """Return whether a seat attacks a square."""
    straight, diagonal, knight, king, pawn = _ATTACKERS[by]
    for wanted, rays in ((straight, _RAYS["r"]), (diagonal, _RAYS["b"])):
        for ray in rays[square]:
            for other in ray:
                if board[other] != ".":
                    if board[other] in wanted:
                        return True
                    break
    for (other,) in _RAYS["n"][square]:
        if board[other] == knight:
            return True
    for (other,) in _RAYS["k"][square]:
        if board[other] == king:
            return True
    return pawn in [board[other] for (other,) in _PAWN_TAKES[1 - by][square]]


def in_check(board: str, seat: int) -> bool:
    """Return whether a seat's king is attacked."""
    return _attacked(board, board.index("kK"[seat == 0]), 1 - seat)


def _pawn_moves(board: str, seat: int, square: int, passant: int) -> list[Move]:
    ahead, home, last = (8, 1, 7) if seat == 0 else (-8, 6, 0)
    targets = []
    if board[square + ahead] == ".":
        targets.append(square + ahead)
        if square // 8 == home and board[square + 2 * ahead] == ".":
            targets.append(square + 2 * ahead)
    for (other,) in _PAWN_TAKES[seat][square]:
        if other == passant or (board[other] != "." and board[other].isupper() != (seat == 0)):
            targets.append(other)
    return [Move(square, t, p) for t in targets for p in (("q", "r", "b", "n") if t // 8 == last else ("",))]


def _castles(board: str, seat: int, castling: str) -> list[Move]:
    king, found = 60 * seat + 4 * (1 - seat), []
    for right, between, crossed in (("K", (1, 2), (0, 1)), ("Q", (-1, -2, -3), (0, -1))):
        free = (right if seat == 0 else right.lower()) in castling and all(board[king + i] == "." for i in between)
        if free and not any(_attacked(board, king + i, 1 - seat) for i in crossed):
            found.append(Move(king, king + (2 if right == "K" else -2)))
    return found


def _moved(board: str, move: Move, passant: int) -> str:
    """Return the board after a move."""
    source, target, promotion = move
    piece, squares = board[source], list(board)
    squares[source], squares[target] = ".", piece
    if piece in "Pp":
        if target == passant:
            squares[target + (-8 if piece == "P" else 8)] = "."
        if promotion:
            squares[target] = promotion.upper() if piece == "P" else promotion
    elif piece in "Kk" and abs(target - source) == 2:
        rook = source + 3 if target > source else source - 4
        squares[(source + target) // 2], squares[rook] = squares[rook], "."
    return "".join(squares)


def _pinned(board: str, seat: int, king: int) -> set[int]:
    """Return the squares of a seat's pieces that alone stand between its king and a piece that moves along lines."""
    found = set()
    straight, diagonal, *_ = _ATTACKERS[1 - seat]
    for wanted, rays in ((straight, _RAYS["r"]), (diagonal, _RAYS["b"])):
        for ray in rays[king]:
            shield = -1
            for other in ray:
                there = board[other]
                if there == ".":
                    continue
                if there.isupper() != (seat == 0):
                    if there in wanted and shield >= 0:
                        found.add(shield)
                    break
                if shield >= 0:
                    break
                shield = other
    return found


def _moves(board: str, seat: int, castling: str, passant: int) -> Iterator[Move]:
    """Yield the moves of a seat, those that leave its king attacked among them."""
    mine, theirs = (_WHITE, _BLACK) if seat == 0 else (_BLACK, _WHITE)
    for square, piece in enumerate(board):
        if piece not in mine:
            continue
        kind = piece.lower()
        if kind == "p":
            yield from _pawn_moves(board, seat, square, passant)
            continue
        for ray in _RAYS[kind][square]:
            for other in ray:
                there = board[other]
                if there == ".":
                    yield Move(square, other)
                    continue
                if there in theirs:
                    yield Move(square, other)
                break
    if castling:
        yield from _castles(board, seat, castling)


def _legal(board: str, seat: int, castling: str, passant: int) -> Iterator[Move]:
    """Yield the legal moves of a seat; most need no look at the board after them."""
    king = board.index("Kk"[seat])
    risky = {king, *_pinned(board, seat, king)}
    checked = _attacked(board, king, 1 - seat)
    for move in _moves(board, seat, castling, passant):
        sure = not checked and move.source not in risky and move.target != passant
        if sure or not in_check(_moved(board, move, passant), seat):
            yield move


@lru_cache(maxsize=2**14)
def legal_moves(board: str, seat: int, castling: str, passant: int) -> tuple[Move, ...]:
    """Return all legal moves of a seat."""
    return tuple(_legal(board, seat, castling, passant))


@lru_cache(maxsize=2**14)
def _can_move(board: str, seat: int, castling: str, passant: int) -> bool:
    """Return whether a seat has a legal move."""
    return any(not in_check(_moved(board, move, passant), seat) for move in _moves(board, seat, castling, passant))


@dataclass(frozen=True)
class Chess(Game[Position, Move]):
    """Chess from the position of a FEN. Moves are written as in UCI (e2e4, e7e8q) and read so or in SAN (e4, Nf3)."""

    fen: str = START
    names = ("White", "Black")

    def rules(self) -> str:
        return (
            "Chess, by the usual rules. White's pieces are capital letters (K king, Q queen, R rook, B bishop, "
            "N knight, P pawn) and move up the board, Black's are small letters. Checkmate wins. Stalemate, the third "
            "occurrence of a position, fifty moves of both sides without a capture or a pawn move, and too few pieces "
            "to mate are draws."
        )

    def notation(self) -> str:
        return "A move is written from square to square (e2e4, castling e1g1, promotion e7e8q) or in algebraic notation"

    def initial(self) -> Position:
        return self.from_fen(self.fen)

    def from_fen(self, fen: str) -> Position:
        """Return the position of a FEN.

        Raises:
            SettingsError: It is not one.
        """
        try:
            placed, seat, castling, passant, quiet, number = fen.split()
            rows = ["".join("." * int(c) if c in "12345678" else c for c in row) for row in placed.split("/")]
            board = "".join(rows[::-1])
            square = -1 if passant == "-" else "abcdefgh".index(passant[0]) + 8 * (int(passant[1]) - 1)
            state = Position(board, "wb".index(seat), castling.strip("-"), square, int(quiet), int(number))
        except (ValueError, IndexError) as error:
            raise SettingsError(f"fen is {fen!r}; it must be six fields: {error}") from None
        known = not set(board) - set("pnbrqkPNBRQK.") and board.count("k") == board.count("K") == 1
        if [len(row) for row in rows] != [8] * 8 or not known:
            raise SettingsError(f"fen is {fen!r}; it must have 8 rows of 8 squares and a king of each colour")
        return state

    def fen_of(self, state: Position) -> str:
        """Write a position as FEN."""
        placed = "/".join(state.board[row * 8 : row * 8 + 8] for row in range(7, -1, -1))
        for run in range(8, 0, -1):
            placed = placed.replace("." * run, str(run))
        passant = "-" if state.passant < 0 else _name(state.passant)
        return f"{placed} {'wb'[state.seat]} {state.castling or '-'} {passant} {state.quiet} {state.number}"

    def turn(self, state: Position) -> int:
        again = len(state.past) >= _THRICE and state.past.count(_key(state)) >= 2
        drawn = again or state.quiet >= _FIFTY or _bare(state.board)
        return OVER if drawn or not _can_move(*state[:4]) else state.seat

    def legal(self, state: Position) -> tuple[Move, ...]:
        return legal_moves(*state[:4])

    def ordered(self, state: Position) -> list[Move]:
        """Return captures of the most valuable pieces first."""
        board = state.board
        return sorted(self.legal(state), key=lambda move: _ORDER[board[move.target]])

    def apply(self, state: Position, move: Move) -> Position:
        board, piece = _moved(state.board, move, state.passant), state.board[move.source]
        quiet = piece not in "Pp" and state.board[move.target] == "."
        castling = state.castling
        for square in move[:2]:
            for right in _ROOKS.get(square, _KINGS.get(square, "")):
                castling = castling.replace(right, "")
        passant = -1
        if piece in "Pp" and abs(move.target - move.source) == 16:
            middle = (move.source + move.target) // 2
            taker = "pP"[state.seat]  # of the other seat
            if any(board[ray[0]] == taker for ray in _PAWN_TAKES[state.seat][middle]):
                passant = middle
        past = (*state.past, _key(state)) if quiet else ()
        count = state.quiet + 1 if quiet else 0
        return Position(board, 1 - state.seat, castling, passant, count, state.number + state.seat, past)

    def returns(self, state: Position) -> tuple[float, ...]:
        if not in_check(state.board, state.seat) or _can_move(*state[:4]):
            return (0.0, 0.0)
        return (-1.0, 1.0) if state.seat == 0 else (1.0, -1.0)

    def board(self, state: Position) -> str:
        return cells.drawn([state.board[row * 8 : row * 8 + 8] for row in range(8)], upward=True)

    def write(self, state: Position, move: Move) -> str:
        return f"{_name(move.source)}{_name(move.target)}{move.promotion}"

    def san(self, state: Position, move: Move) -> str:
        """Write a legal move in standard algebraic notation."""
        after = self.apply(state, move)
        check = ("+" if self.legal(after) else "#") if in_check(after.board, after.seat) else ""
        return self._unchecked(state, move) + check

    def _unchecked(self, state: Position, move: Move) -> str:
        """Write a move as in `san` without the sign of a check, which takes longest."""
        piece, target = state.board[move.source].upper(), _name(move.target)
        if piece == "K" and abs(move.target - move.source) == 2:
            return "O-O" if move.target > move.source else "O-O-O"
        takes = state.board[move.target] != "." or (piece == "P" and move.target == state.passant)
        if piece == "P":
            start = _name(move.source)[0] + "x" if takes else ""
            return f"{start}{target}{'=' + move.promotion.upper() if move.promotion else ''}"
        same = state.board[move.source]
        rivals = [m.source for m in self.legal(state) if m.target == move.target and state.board[m.source] == same]
        rivals.remove(move.source)
        source = _name(move.source)
        if not rivals:
            source = ""
        elif all(rival % 8 != move.source % 8 for rival in rivals):
            source = source[0]
        elif all(rival // 8 != move.source // 8 for rival in rivals):
            source = source[1]
        return f"{piece}{source}{'x' if takes else ''}{target}"

    def parse(self, state: Position, text: str, seat: int | None = None) -> Move | None:
        found = super().parse(state, text, seat)
        if found is not None or len(text) > 20:
            return found
        wanted = "".join(text.split()).rstrip("+#!?.").replace("0", "O")
        for move in self.legal(state):
            san = self._unchecked(state, move)
            if wanted in (san, san.replace("=", ""), san.replace("x", "")):
                return move
        return None


def _name(square: int) -> str:
    return cells.name(square // 8, square % 8)


def _key(state: Position) -> str:
    """Return what makes positions the same: board, mover, rights to castle and to capture en passant."""
    return f"{state.board}{state.seat}{state.castling} {state.passant}"


def _bare(board: str) -> bool:
    """Return whether neither side can mate: kings with at most one knight, or with bishops all on one colour."""
    if not _HEAVY.isdisjoint(board):
        return False
    left = [(piece.lower(), (square + square // 8) % 2) for square, piece in enumerate(board) if piece not in ".kK"]
    return len(left) <= 1 or (all(kind == "b" for kind, _ in left) and len({colour for _, colour in left}) == 1)
