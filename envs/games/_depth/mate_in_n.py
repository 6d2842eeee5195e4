"""Agents of graded skill for MateInN: checks, mates at once, checks all the way, and searches of a limited depth."""

import re
from collections.abc import Callable, Sequence

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.env import Env
from turnwise.worlds.games.chess import Chess, Move, Position, in_check
from turnwise.worlds.games.mates.solver import Solver

_GAME = Chess()
_FEN = re.compile(r"^FEN: (.*)$", re.MULTILINE)
_LEFT = re.compile(r"mate in (\d)\.$", re.MULTILINE)


def _read(text: str) -> tuple[Position, int]:
    """Return the position, and the moves left, that a message of the environment shows."""
    fen, left = _FEN.findall(text)[-1], _LEFT.findall(text)
    return _GAME.from_fen(fen), int(left[-1]) if left else 1


def _checks(state: Position, left: int) -> Move:
    """Return the first check, or else the first move."""
    legal = _GAME.legal(state)
    after = [_GAME.apply(state, move) for move in legal]
    return next((move for move, a in zip(legal, after, strict=True) if in_check(a.board, a.seat)), legal[0])


def _tight(state: Position, left: int) -> Move:
    """Return a mate, or else the move that leaves the defender the fewest moves."""

    def room(move: Move) -> tuple[int, Move]:
        after = _GAME.apply(state, move)
        count = len(_GAME.legal(after))
        return (count or (-1 if in_check(after.board, after.seat) else 99)), move

    return min(_GAME.legal(state), key=room)


def _searched(checks: bool, most: int) -> Callable[[Position, int], Move]:
    """Return a player that mates if it sees one in at most ``most`` moves, by checks alone or by all moves."""

    def choose(state: Position, left: int) -> Move:
        solver = Solver(checks=checks)
        depth = min(most, left)
        found = (move for move in _GAME.legal(state) if solver.holds(state, move, depth))
        return next(found, None) or _tight(state, left)

    return choose


def _player(choose: Callable[[Position, int], Move], name: str) -> Callable[[], Shortcut]:
    def act(heard: Sequence[str], turn: int) -> str:
        state, left = _read(heard[-1])
        return f"<answer>{_GAME.write(state, choose(state, left))}</answer>"

    return lambda: Shortcut(act, name)


SHORTCUTS = {"the first check": _player(_checks, "the first check")}
SKILLS = {
    "the fewest replies": _player(_tight, "the fewest replies"),
    "checks alone": _player(_searched(True, 4), "checks alone"),
    "two moves deep": _player(_searched(False, 2), "two moves deep"),
}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the moves to the mate, and the pieces."""
    return env.task.moves, 64 - env.task.state.board.count(".")
