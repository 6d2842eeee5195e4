"""Forced mates in chess, by a search of everything: in how many moves, by which first moves, and how best to hold out.

Source: proof by AND/OR trees; the killer heuristic of Akl and Newborn, "The principal continuation and the killer
heuristic", ACM Annual Conference 1977, orders moves. No move is left out, so that a mate not found does not exist.
"""

from collections.abc import Iterable
from functools import lru_cache

from turnwise.worlds.games.chess import Chess, Move, Position, in_check

__all__ = ["Solver", "defence"]

_KEPT = 100_000  # positions whose results are kept


@lru_cache(maxsize=1)
def _reach() -> dict[str, tuple[frozenset[int], ...]]:
    """Return for each piece, and each square of a king, the squares from which it attacks the king on an empty board.

    ``x`` stands for the squares in line with the king, behind which another piece may attack it.
    """

    def near(square: int, test: Iterable[tuple[int, int]]) -> frozenset[int]:
        column, row = square % 8, square // 8
        found = [(column + right, row + up) for right, up in test]
        return frozenset(c + 8 * r for c, r in found if 0 <= c < 8 and 0 <= r < 8)

    straight = [(i * a, i * b) for i in range(1, 8) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    slant = [(i * a, i * b) for i in range(1, 8) for a, b in ((1, 1), (-1, 1), (1, -1), (-1, -1))]
    leaps = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
    ways = {"r": straight, "b": slant, "q": straight + slant, "x": straight + slant, "n": leaps, "k": []}
    ways |= {"P": [(-1, -1), (1, -1)], "p": [(-1, 1), (1, 1)]}
    ways |= {piece.upper(): way for piece, way in ways.items() if piece in "rbqnk"}
    return {piece: tuple(near(square, way) for square in range(64)) for piece, way in ways.items()}


class Solver:
    """Searches for mates that one side can force, and remembers what it has found.

    Args:
        checks: Whether the attacker gives check with every move; mates that need a quiet move are not found then.
    """

    def __init__(self, checks: bool = False) -> None:
        self.game = Chess()
        self.checks = checks
        self._known: dict[tuple[object, ...], tuple[int, int]] = {}  # mates in so many moves; does not in so many
        self._killers: dict[tuple[int, bool], Move] = {}

    def distance(self, state: Position, most: int) -> int | None:
        """Return in how many moves the side to move mates at the latest, if in at most ``most``, or None."""
        return next((n for n in range(1, most + 1) if self.mates(state, n)), None)

    def keys(self, state: Position, most: int) -> list[Move]:
        """Return the moves after which the mate comes in at most ``most`` moves, this one among them."""
        return [move for move in self.game.legal(state) if self.holds(state, move, most)]

    def holds(self, state: Position, move: Move, most: int) -> bool:
        """Return whether a move still forces mate in at most ``most`` moves, this one among them."""
        after = self.game.apply(state, move)
        if most == 1 or self.checks:
            if not in_check(after.board, after.seat):
                return False
            if not self.game.legal(after):
                return True
        return most > 1 and not self._escapes(after, most - 1)

    def replies(self, state: Position, most: int) -> list[tuple[int, Move]]:
        """Return the defender's moves, each with the moves in which it is mated then; ``most + 1`` stands for more.

        The longest resistance comes first.
        """
        found = []
        for move in self.game.legal(state):
            far = self.distance(self.game.apply(state, move), most)
            found.append((most + 1 if far is None else far, move))
        return sorted(found, key=lambda pair: (-pair[0], pair[1]))

    def mates(self, state: Position, most: int) -> bool:
        """Return whether the side to move forces mate in at most ``most`` moves."""
        if most == 1:
            return self._mates_now(state)
        key = state[:4]
        does, not_in = self._known.get(key, (99, 0))
        if does <= most:
            return True
        if not_in >= most:
            return False
        for move in self._ordered(state, most):
            if self.holds(state, move, most):
                self._killers[most, True] = move
                self._keep(key, most, not_in)
                return True
        self._keep(key, does, most)
        return False

    def _keep(self, key: tuple[object, ...], does: int, not_in: int) -> None:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[key] = does, not_in

    def _mates_now(self, state: Position) -> bool:
        apply, legal = self.game.apply, self.game.legal
        for move in self._checking(state):
            after = apply(state, move)
            if in_check(after.board, after.seat) and not legal(after):
                return True
        return False

    def _checking(self, state: Position) -> list[Move]:
        """Return the moves that may give check; all others end on no line to the king and leave none."""
        reach, board, passant = _reach(), state.board, state.passant
        king = board.index("k" if state.seat == 0 else "K")
        behind = reach["x"][king]
        near = {piece: squares[king] for piece, squares in reach.items()}
        return [
            move
            for move in self.game.legal(state)
            if move[1] in near[move[2] or board[move[0]]]
            or move[0] in behind
            or (move[1] == passant and board[move[0]] in "Pp")
            or (abs(move[0] - move[1]) == 2 and board[move[0]] in "Kk")
        ]

    def _ordered(self, state: Position, most: int) -> list[Move]:
        """Return the moves: first the last one that worked elsewhere, then those that may give check."""
        checks = self._checking(state)
        first = checks if self.checks else [*checks, *(m for m in self.game.legal(state) if m not in checks)]
        killer = self._killers.get((most, True))
        if killer in first:
            first.remove(killer)
            first.insert(0, killer)
        return first

    def _escapes(self, state: Position, most: int) -> bool:
        """Return whether the defender, to move, has a move after which it is not mated in ``most`` moves."""
        moves = self.game.legal(state)
        if not moves:
            return not in_check(state.board, state.seat)
        killer = self._killers.get((most, False))
        if killer in moves:
            moves = (killer, *moves)
        for move in moves:
            if not self.mates(self.game.apply(state, move), most):
                self._killers[most, False] = move
                return True
        return False


@lru_cache(maxsize=512)
def defence(state: Position, most: int) -> tuple[Move, bool] | None:
    """Return the reply that holds out longest, and whether no mate follows it in ``most`` moves; None: no reply.

    Of several that escape, the first is returned.
    """
    solver = Solver()
    legal = solver.game.legal(state)
    for move in legal:
        if not solver.mates(solver.game.apply(state, move), most):
            return move, True
    return (solver.replies(state, most)[0][1], False) if legal else None
