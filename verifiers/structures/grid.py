r"""Read moves, places and text grids, and check a grid against the rules of sudoku.

Grids are exact in content and tolerant in format: separators (blanks, commas, bars, brackets, rulers, code fences) are
dropped, but every symbol must be allowed, and their number must be right, row by row.
"""

import re
from collections.abc import Collection, Sequence

from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = [
    "COMPASS",
    "DIRECTIONS",
    "check_sudoku",
    "format_moves",
    "parse_grid",
    "parse_moves",
    "parse_placement",
    "spellings",
    "sudoku_box",
]

DIRECTIONS = ("up", "down", "left", "right")
COMPASS = {"up": "north", "down": "south", "left": "west", "right": "east"}
_WORDS = {
    word: name
    for name, words in {
        "up": "up u north n ↑ ⬆ upward upwards",
        "down": "down d south s ↓ ⬇ downward downwards",
        "left": "left l west w ← ⬅ leftward leftwards",
        "right": "right r east e → ➡ rightward rightwards",
    }.items()
    for word in words.split()
}
_LETTERS = {"u": "up", "d": "down", "l": "left", "r": "right"}
_FILLER = frozenset(("move", "go", "step", "push", "walk", "moves", "move:", "moves:", "action:", "then"))
_SEPARATORS = str.maketrans(dict.fromkeys("|,;.!\"'`[](){}*", " ") | {"\ufe0f": ""})
_MOVE_CHARS = 24  # room for one move and its surroundings
_GRID_CHARS = 40  # the same for one cell
_DRESS = str.maketrans(dict.fromkeys(" \t\r,;:|/\\&[](){}+=-─━│┃┌┐└┘├┤┬┴┼╔╗╚╝║═╠╣╦╩╬'\"`$"))
_PLACEMENT = re.compile(
    r"(?:\(?\s*r(?:ow)?\s*([0-9])\s*,?\s*c(?:ol(?:umn)?)?\s*([0-9])\s*\)?|\(?\s*([0-9])\s*,\s*([0-9])\s*\)?)"
    r"(?:\s*(?:=|:|is|->|→|:=)\s*|\s+)([0-9.])",
    re.ASCII | re.IGNORECASE,
)


def parse_moves(text: str, limit: int = 1) -> list[str] | None:
    """Return the moves that the text consists of, or None if it has other text, no moves, or more than ``limit``.

    A move is a direction in any of its usual names; several are separated by ``||``, commas or blanks, or written as
    a word of the letters ``udlr``.

    >>> parse_moves("Move up."), parse_moves("N")
    (['up'], ['up'])
    >>> parse_moves("up || left, down", 3), parse_moves("UULR", 4)
    (['up', 'left', 'down'], ['up', 'up', 'left', 'right'])
    >>> parse_moves("up or down", 3), parse_moves("up, down")
    (None, None)
    """
    if text in DIRECTIONS:  # the common case
        return [text]
    if len(text) > _MOVE_CHARS * (limit + 1):
        return None
    moves: list[str] = []
    for word in text.lower().replace("->", " ").translate(_SEPARATORS).split():
        name = _WORDS.get(word)
        if name is not None:
            moves.append(name)
        elif limit > 1 and not word.strip("udlr"):
            moves += [_LETTERS[letter] for letter in word]
        elif word not in _FILLER:
            return None
    return moves if 1 <= len(moves) <= limit else None


def format_moves(moves: Sequence[str]) -> str:
    """Return a message that makes the moves: bare for a single one, else tagged, as long lines are not answers.

    >>> format_moves(["up"]), format_moves(["up", "left"])
    ('up', '<answer>up || left</answer>')
    """
    return moves[0] if len(moves) == 1 else f"<answer>{' || '.join(moves)}</answer>"


def spellings(moves: Sequence[str]) -> tuple[str, ...]:
    """Return other messages that make the moves, as people and models write them."""
    text = ", ".join(moves)
    return (
        f"<answer>{text}</answer>",
        f"<think>left or right?</think>Move {text}.",
        f"\\boxed{{{' '.join(move[0].upper() for move in moves)}}}",
        format_moves([COMPASS[move].capitalize() for move in moves]),
    )


def parse_placement(text: str) -> tuple[int, int, str] | None:
    """Row, column and symbol of a move such as ``r3c4=7``, ``row 3, column 4: 7`` or ``(3, 4) = 7``; "." erases.

    >>> parse_placement("r3c4=7"), parse_placement("(3,4) = 7")
    ((3, 4, '7'), (3, 4, '7'))
    """
    if len(text) > _GRID_CHARS:
        return None
    text = text.strip()
    match = _PLACEMENT.fullmatch(text) or _PLACEMENT.fullmatch(text.removesuffix("."))
    if match is None:
        return None
    return int(match[1] or match[3]), int(match[2] or match[4]), match[5]


def parse_grid(text: str, rows: int, columns: int, symbols: Collection[str]) -> tuple[str, ...] | None:
    r"""Return the rows of a grid, as strings of ``columns`` symbols, or None if the text is not such a grid.

    Rows are on separate lines, or all on one line. Separators and lines of separators are dropped, unless they are
    symbols. Any other text makes it invalid.

    >>> parse_grid("1 2\n2 1", 2, 2, "12")
    ('12', '21')
    >>> parse_grid("| 1 | 2 |\n|---|---|\n| 2 | 1 |", 2, 2, "12"), parse_grid("12/21", 2, 2, "12")
    (('12', '21'), ('12', '21'))
    >>> parse_grid("1 2\n2", 2, 2, "12"), parse_grid("grid: 12 21", 2, 2, "12")
    (None, None)
    """
    if len(text) > _GRID_CHARS * (rows + 1) * (columns + 1):
        return None
    dress = {code: None for code in _DRESS if chr(code) not in symbols}
    found: list[str] = []
    for line in text.strip().split("\n"):
        if line.startswith("```"):  # a fence may name a language
            continue
        cells = line.translate(dress)
        if cells:
            found.append(cells)
    if len(found) == 1 and rows > 1:
        whole = found[0]
        found = [whole[i : i + columns] for i in range(0, len(whole), columns)]
    if len(found) != rows or any(len(row) != columns for row in found):
        return None
    allowed = frozenset(symbols)
    return tuple(found) if all(allowed.issuperset(row) for row in found) else None


def sudoku_box(size: int) -> tuple[int, int]:
    """Rows and columns of a box: 2 x 2, 2 x 3 and 3 x 3 for the sizes 4, 6 and 9."""
    return {4: (2, 2), 6: (2, 3), 9: (3, 3)}[size]


def check_sudoku(grid: Sequence[str], givens: Sequence[str]) -> Verdict:
    """Judge whether a full grid of digits obeys the rules of sudoku and keeps the givens ("." where blank).

    >>> check_sudoku(("1234", "3412", "2143", "4321"), ("1...", "....", "....", "...1")).correct
    True
    >>> check_sudoku(("1234", "3412", "2143", "4312"), ("....",) * 4).reason
    'column 3 has 1 twice'
    """
    size = len(givens)
    if len(grid) != size or any(len(row) != size for row in grid):
        return wrong(f"the grid must have {size} rows of {size}")
    for r in range(size):
        for c in range(size):
            if givens[r][c] not in (".", grid[r][c]):
                return wrong(f"r{r + 1}c{c + 1} is given as {givens[r][c]}, not {grid[r][c]}", grid)
    high, wide = sudoku_box(size)
    units = [(f"row {i + 1}", grid[i]) for i in range(size)]
    units += [(f"column {i + 1}", "".join(row[i] for row in grid)) for i in range(size)]
    for top in range(0, size, high):
        for left in range(0, size, wide):
            box = "".join(grid[r][left : left + wide] for r in range(top, top + high))
            units.append((f"the box at r{top + 1}c{left + 1}", box))
    digits = "123456789"[:size]
    for name, cells in units:
        for digit in digits:
            if cells.count(digit) > 1:
                return wrong(f"{name} has {digit} twice", grid)
        if len(set(cells) & set(digits)) != size:
            return wrong(f"{name} has something that is not a digit from 1 to {size}", grid)
    return right(tuple(grid))
