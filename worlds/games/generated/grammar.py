"""Draw rules of games from the grammar."""

from collections.abc import Callable
from dataclasses import replace

from turnwise.core.draw import Draw
from turnwise.worlds.games.generated.board import Board, bits
from turnwise.worlds.games.generated.rules import Capture, Goal, Near, Rules, Verb

__all__ = ["SIZES", "draw_rules"]

SIZES = (1, 2, 3)
"""How large boards are."""
_GRID = ((3, 4), (4, 6), (5, 7))  # the fewest and most rows and columns for each size
_HEX = ((3, 4), (4, 5), (5, 7))
_ROW = ((8, 11), (11, 14), (14, 19))
_ON_A_ROW: tuple[Goal, ...] = ("last", "misere", "most", "group", "line", "avoid")


def draw_rules(draw: Draw, size: int) -> Rules:
    """Draw a game; most are not worth playing, which `screen` finds out.

    Args:
        draw: Decides everything.
        size: One of `SIZES`.
    """
    family = draw.weighted(_FAMILIES, [5, 5, 3, 1])
    return family(draw, size)


def _board(draw: Draw, size: int, rows: bool = False) -> Board:
    """Draw a board; with ``rows``, one that has sides to start from."""
    kind = draw.weighted(["grid", "hex", "line", "ring"], [5, 2, 1, 0] if rows else [5, 3, 1, 1])
    if kind in ("line", "ring"):
        return Board("line" if kind == "line" else "ring", 1, draw.integer(*_ROW[size - 1]))
    low, high = (_GRID if kind == "grid" else _HEX)[size - 1]
    corners = kind == "grid" and draw.chance(0.6)
    board = Board("grid" if kind == "grid" else "hex", draw.integer(low, high), draw.integer(low, high), corners)
    return replace(board, holes=_holes(draw, board)) if draw.chance(0.35) else board


def _holes(draw: Draw, board: Board) -> tuple[int, ...]:
    """Block one to four cells that a half turn maps onto each other, away from the first and last row."""
    inner = range(board.columns, board.size - board.columns)
    found: set[int] = set()
    for _ in range(draw.integer(1, 2)):
        if inner:
            cell = draw.choice(inner)
            found |= {cell, board.size - 1 - cell}
    return tuple(sorted(found))


def _placing(draw: Draw, size: int) -> Rules:
    """Pieces are placed and stay."""
    board = _board(draw, size)
    verb: Verb = "drop" if board.kind == "grid" and draw.chance(0.25) else "place"
    goal: Goal = draw.choice(_ON_A_ROW) if board.rows == 1 else draw.choice((*_ON_A_ROW, "line", "connect", "connect"))
    near: Near = draw.weighted(("any", "touch", "apart", "clear"), (5, 1, 2, 2)) if verb == "place" else "any"
    captures: tuple[Capture, ...] = ("none", "none", "none", "turn", "infect", "flank")
    if goal in ("last", "misere"):
        near, captures = draw.either("apart", "clear", "touch"), ("none",)
        verb = "place"
    elif goal in ("most", "group"):
        captures = ("turn", "infect", "flank") if goal == "most" else ("none", "turn", "infect")
    capture = draw.choice(captures)
    limit = 2 * board.full.bit_count() if capture == "flank" else 0
    return Rules(board, (verb,), goal, _count(draw, board, goal), near=near, capture=capture, limit=limit)


def _count(draw: Draw, board: Board, goal: Goal) -> int:
    """Draw how many pieces in a row a goal asks for."""
    most = min(5, max(board.rows, board.columns))
    return draw.integer(3, max(3, most)) if goal in ("line", "avoid") else 0


def _marching(draw: Draw, size: int) -> Rules:
    """Two armies that face each other."""
    board = _board(draw, size, rows=True)
    deep = 1 if board.rows < 5 else draw.integer(1, 2)
    own = range(deep * board.columns) if board.rows > 1 else range(draw.integer(2, 2 + size))
    x = tuple(cell for cell in own if board.full >> cell & 1)
    o = tuple(sorted(board.size - 1 - cell for cell in own if board.full >> board.size - 1 - cell & 1))
    jumps = board.rows == 1 or draw.chance(0.4)
    verbs: tuple[Verb, ...] = ("step", "jump") if jumps else draw.either(("step",), ("slide",), ("step", "push"))
    goals: tuple[Goal, ...] = ("reach", "capture", "last", "unite", "reach", "capture")
    goal = draw.choice(goals[:3] if board.rows == 1 or "push" in verbs else goals)
    captures: tuple[Capture, ...] = ("jump", "none") if "jump" in verbs else ("step", "step", "flank", "turn")
    if "push" in verbs:
        captures, goal = ("none",), "capture" if goal == "reach" else goal
    capture: Capture = "jump" if goal == "capture" and jumps else draw.choice(captures)
    goal = "reach" if goal == "capture" and capture == "turn" else goal
    forward = "push" not in verbs and goal in ("reach", "last") and draw.chance(0.75)
    count = draw.integer(max(1, len(x) // 2), len(x)) if goal == "capture" else 0
    limit = 0 if forward else min(80, 4 * board.full.bit_count())
    return Rules(board, verbs, goal, count, x, o, forward=forward, capture=capture, limit=limit)


def _gathering(draw: Draw, size: int) -> Rules:
    """Pieces are placed first and moved afterwards, or both all the time."""
    board = _board(draw, size, rows=True)
    goal: Goal = draw.either("line", "unite", "line", "connect" if board.rows > 1 else "line")
    verbs: tuple[Verb, ...] = draw.either(("step",), ("slide",), ("step", "jump"))
    count = _count(draw, board, goal)
    low = max(count, 3)
    hand = draw.integer(low, max(low, min(2 + 2 * size, board.full.bit_count() // 3)))
    if goal == "connect":
        hand = max(hand, board.rows, board.columns)
    limit = min(80, 2 * hand + 3 * board.full.bit_count())
    return Rules(board, verbs, goal, count, hand=hand, limit=limit)


def _taking(draw: Draw, size: int) -> Rules:
    """Stones are taken away."""
    board = _board(draw, size)
    free = list(bits(board.full))
    if draw.chance(0.5):
        free = sorted(draw.sample(free, len(free) * draw.integer(6, 9) // 10))
    goal: Goal = draw.either("last", "misere")
    return Rules(board, ("take",), goal, stones=tuple(free), longest=draw.integer(2, 3))


_FAMILIES: tuple[Callable[[Draw, int], Rules], ...] = (_placing, _marching, _gathering, _taking)
