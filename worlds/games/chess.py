"""Chess with all its rules: castling, en passant, promotion, and draws by stalemate, material, repetition and 50 moves.

Source: FIDE Laws of Chess, 2023; a third repetition and fifty moves without capture or pawn move end the game at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.worlds.games import cells
from turnwise.worlds.games.chess_moves import (
    PAWN_TAKES,
    Move,
    can_move,
    in_check,
    legal_moves,
    moved,
    pawn_ahead,
    promising_moves,
)
from turnwise.worlds.games.game import OVER, Game

__all__ = ["START", "Chess", "Move", "Position", "in_check", "legal_moves"]

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_FIFTY = 100  # half-moves
_THRICE = 8  # half-moves that a position needs at least to occur for the third time
_HEAVY = frozenset("pqrPQR")
_ROOKS = {0: "Q", 7: "K", 56: "q", 63: "k"}  # the right to castle that is lost with a rook or its square
_KINGS = {4: "KQ", 60: "kq"}


class Position(NamedTuple):
    """The board from a1 to h8 in letters of FEN, the rest of a FEN, and the positions since the last pawn move."""

    board: str
    seat: int
    castling: str
    passant: int  # the square behind a pawn that has just gone two squares and can be captured there; -1: none
    quiet: int  # half-moves since the last capture or pawn move
    number: int
    past: tuple[str, ...] = ()


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
        return OVER if drawn or not can_move(*state[:4]) else state.seat

    def legal(self, state: Position) -> tuple[Move, ...]:
        return legal_moves(*state[:4])

    def ordered(self, state: Position) -> Iterator[Move]:
        """Yield captures of the most valuable pieces first."""
        return promising_moves(*state[:4])

    def hasty(self, state: Position) -> Iterator[Move]:
        """Yield a pawn's move first, if there is one: where it is good enough to refute what was played, it ends."""
        first = pawn_ahead(state.board, state.seat)
        if first is not None:
            yield first
        yield from promising_moves(*state[:4])

    def apply(self, state: Position, move: Move) -> Position:
        board, piece = moved(state.board, move, state.passant), state.board[move.source]
        quiet = piece not in "Pp" and state.board[move.target] == "."
        castling = state.castling
        for square in move[:2] if castling else ():
            for right in _ROOKS.get(square, _KINGS.get(square, "")):
                castling = castling.replace(right, "")
        passant = -1
        if piece in "Pp" and abs(move.target - move.source) == 16:
            middle = (move.source + move.target) // 2
            taker = "pP"[state.seat]  # of the other seat
            if any(board[square] == taker for square in PAWN_TAKES[state.seat][middle]):
                passant = middle
        past = (*state.past, _key(state)) if quiet else ()
        count = state.quiet + 1 if quiet else 0
        return Position(board, 1 - state.seat, castling, passant, count, state.number + state.seat, past)

    def returns(self, state: Position) -> tuple[float, ...]:
        if not in_check(state.board, state.seat) or can_move(*state[:4]):
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
