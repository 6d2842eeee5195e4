"""The rules of a generated game in words."""

from collections.abc import Sequence

from turnwise.worlds.games.generated.board import Board, bits
from turnwise.worlds.games.generated.rules import Rules, Verb

__all__ = ["can_draw", "notation", "rules"]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def can_draw(spec: Rules) -> bool:
    """Return whether a game of these rules can end without a winner."""
    if spec.goal in ("most", "group") or spec.limit:
        return True
    placing = not spec.moving and spec.goal in ("line", "avoid", "connect")
    sure = spec.goal == "connect" and spec.board.kind == "hex" and not spec.board.holes and spec.near == "any"
    return placing and not sure


def rules(spec: Rules) -> str:
    """Explain how a game is played and won."""
    sentences = [*_board(spec.board), *_start(spec), *_moves(spec), *_captures(spec), *_goal(spec), *_ends(spec)]
    return " ".join(sentences)


def notation(spec: Rules) -> str:
    """Explain how a move is written."""
    cell = "the number of a cell" if spec.board.rows == 1 else "a cell, its column's letter and its row's number"
    pair = "with a hyphen between them" if spec.board.rows == 1 else "one after the other"
    if "take" in spec.verbs:
        more = f"; several stones are named by the first and the last, {pair}" if spec.longest > 1 else ""
        return f"A move is {cell}{more}"
    placing = spec.hand > 0 or "place" in spec.verbs
    own = {"drop": "the letter of a column"}
    parts = [f"{cell}, for a piece that is placed" if spec.moving else cell] * placing
    parts += [own["drop"]] * ("drop" in spec.verbs)
    parts += [f"the cell that a piece leaves and the one it moves to, {pair}"] * spec.moving
    if spec.moving and placing and spec.board.rows > 1:
        parts[-1] += ", such as a1b1"
    return f"A move is {', or '.join(parts)}"


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _plural(count: int, noun: str) -> str:
    return f"{_number(count)} {noun}{'s' * (count != 1)}"


def _listed(words: Sequence[str], last: str = "and") -> str:
    """Join words with commas and ``last`` before the last of them."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _cells(board: Board, group: Sequence[int]) -> str:
    return _listed([board.name(cell) for cell in sorted(group)])


def _board(board: Board) -> list[str]:
    n = board.columns
    found = {
        "line": f"The board is a line of {n} cells with the numbers 1 to {n}; neighbours touch.",
        "ring": f"The board is a ring of {n} cells with the numbers 1 to {n}; neighbours touch, and so do {n} and 1.",
        "grid": f"The board has {board.rows} rows and {n} columns. Cells touch if they share a side"
        f"{' or a corner' if board.corners else ''}.",
        "hex": f"The board has {board.rows} rows and {n} columns of hexagons. A cell touches those to its left and "
        "right, the ones directly above and below, and those above to the right and below to the left.",
    }[board.kind]
    if not board.holes:
        return [found]
    one = len(board.holes) == 1
    return [found, f"{'Cell' if one else 'Cells'} {_cells(board, board.holes)}, marked #, cannot be used."]


def _start(spec: Rules) -> list[str]:
    board = spec.board
    if spec.stones:
        without = [cell for cell in bits(board.full) if cell not in spec.stones]
        but = f" except {_cells(board, without)}" if without else ""
        return [f"Every cell{but} holds a stone (*). X and O take turns, and X moves first."]
    if not spec.x and not spec.o:
        return ["It starts empty. X and O take turns, and X moves first."]
    x, o = _army(board, spec.x), _army(board, spec.o)
    return [f"X starts on {x}, O on {o}. They take turns, and X moves first."]


def _army(board: Board, group: Sequence[int]) -> str:
    """Name cells, whole rows by their numbers."""
    rows = sorted({cell // board.columns for cell in group})
    whole = [cell for cell in bits(board.full) if cell // board.columns in rows]
    if board.rows == 1 or sorted(group) != whole:
        return _cells(board, group)
    return f"row{'s' * (len(rows) > 1)} {_listed([str(row + 1) for row in rows])}"


_VERBS: dict[Verb, str] = {
    "slide": "slide one of your pieces any distance in a straight line through empty cells",
    "push": "step with one of your pieces onto a touching cell that an opposing piece stands on; that piece is pushed "
    "one cell further in the same direction, where the cell must be empty, or off the board if no cell is there, which "
    "captures it",
    "drop": "drop a piece into a column that is not full, where it falls to the lowest empty cell that can be reached "
    "from the top (the last row is the lowest)",
}


def _moves(spec: Rules) -> list[str]:
    if "take" in spec.verbs:
        if spec.longest == 1:
            return ["A move removes one stone."]
        return [f"A move removes one stone, or up to {_number(spec.longest)} next to each other in a straight line."]
    words = [_verb(spec, verb) for verb in spec.verbs]
    found = []
    if spec.hand:
        found.append(f"First each player places {_plural(spec.hand, 'piece')}, one on each move, on any empty cells.")
    choice = words[0] if len(words) == 1 else f"either {', or '.join(words)}"
    found.append(f"{'After that, on' if spec.hand else 'On'} your move you {choice}.")
    if spec.forward:
        places = "cells with higher numbers" if spec.board.rows == 1 else "rows with higher numbers"
        found.append(f"X moves only to {places}, O only to {places.replace('higher', 'lower')}.")
    return found


def _verb(spec: Rules, verb: Verb) -> str:
    if verb == "place":
        where = {
            "any": "any empty cell",
            "touch": "an empty cell that touches a piece of your own (any empty cell if you have none)",
            "apart": "an empty cell that touches no piece of your own",
            "clear": "an empty cell that touches no opposing piece",
        }[spec.near]
        return f"place a piece on {where}"
    if verb == "step":
        onto = "that is empty or holds an opposing piece, which is captured" if spec.capture == "step" else ""
        return f"step with one of your pieces to a touching cell {onto}" if onto else (
            "step with one of your pieces to a touching empty cell"
        )  # fmt: skip
    if verb == "slide" and spec.capture == "step":
        return f"{_VERBS['slide']}, and if you like onto the first opposing piece behind them, which is captured"
    if verb == "jump":
        over = "a touching opposing piece, which is captured," if spec.capture == "jump" else "a touching piece"
        return f"jump with one of your pieces in a straight line over {over} to the empty cell right behind it"
    return _VERBS[verb]


def _captures(spec: Rules) -> list[str]:
    line = "Opposing pieces in an unbroken straight line between a piece that has just been moved or placed and another"
    if not spec.moving:
        line = line.replace("moved or placed", "placed")
    elif not (spec.hand or {"place", "drop"} & set(spec.verbs)):
        line = line.replace("moved or placed", "moved")
    return {
        "flank": [f"{line} one of the same player are removed, in every direction."],
        "turn": [f"{line} one of the same player become that player's, in every direction."],
        "infect": [f"Opposing pieces that touch a piece that has just been {line.split('been ')[1].split(' and ')[0]} "
                   "become that player's."],
    }.get(spec.capture, [])  # fmt: skip


def _goal(spec: Rules) -> list[str]:
    row = f"{_number(spec.count)} of your pieces {'next to each other' if spec.board.rows == 1 else 'in a row'}"
    ways = "" if spec.board.rows == 1 else " (across or down)"
    if spec.board.corners:
        ways = " (across, down or diagonal)"
    elif spec.board.kind == "hex":
        ways = " (in any straight line of touching cells)"
    captured = f"captures {_plural(spec.count, 'piece')}"
    if spec.count == len(spec.x):
        captured = "captures all of the opponent's pieces"
    ends = ("cell", str(spec.board.columns)) if spec.board.rows == 1 else ("row", str(spec.board.rows))
    return [{
        "line": f"You win by having {row}{ways}.",
        "avoid": f"Whoever has {row.replace('your', 'their')}{ways} loses.",
        "connect": "X wins with a chain of touching pieces from the first row to the last, O with one from the first "
        "column to the last.",
        "reach": f"X wins as soon as an X stands on {ends[0]} {ends[1]}, O as soon as an O stands on {ends[0]} 1.",
        "capture": f"Whoever first {captured} wins.",
        "unite": f"{'Once all are placed, you' if spec.hand else 'You'} win as soon as all of your pieces are one "
        "group of touching pieces; a single piece is one too. "
        "If a move does this for both players, the one who moved wins.",
        "most": "At the end whoever has more pieces wins, and equal numbers are a draw.",
        "group": "At the end whoever has the largest group of touching pieces wins, and equal sizes are a draw.",
        "last": "A player who cannot move loses: whoever moves last wins.",
        "misere": "A player who cannot move wins: whoever moves last loses.",
    }[spec.goal]]  # fmt: skip


def _ends(spec: Rules) -> list[str]:
    found = []
    if spec.goal in ("most", "group"):
        found.append("A player who cannot move is skipped, and when nobody can move the game ends.")
    elif spec.goal not in ("last", "misere"):
        if spec.moving:
            found.append("A player who cannot move loses.")
        elif can_draw(spec):
            found.append("If the player whose turn it is cannot move, the game is a draw.")
    if spec.limit:
        after = {"most": "the game ends", "group": "the game ends"}.get(spec.goal, "the game is a draw")
        if spec.goal == "capture":
            after = "the game ends: whoever has more pieces wins, and equal numbers are a draw"
        found.append(f"After {spec.limit} moves of both players together {after}.")
    return found
