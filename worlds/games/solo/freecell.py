"""FreeCell: sort an open deal of cards by suit, with a few cells to put single cards aside.

Source: Paul Alfille, 1978; NP-hard for n ranks by Helmert, "Complexity results for standard benchmark domains in
planning", Artificial Intelligence 143(2), 2003.
"""

import heapq
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["FreeCell", "Position", "solve"]

_SUITS = "SHCD"  # black and red in turn
_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_HOME, _CELL = -1, -2  # where a card goes that does not go to a column
_NOT_HOME, _BURIED, _SET_ASIDE = 2, 1, 1  # what the solver counts: cards not home, on top of a lower one, in a cell
Move = tuple[int, int]


class Position(NamedTuple):
    """The columns, last card on top; the cards in cells; for each suit how many cards are home; moves left.

    A card is its rank from 0 times 4 plus its suit.
    """

    columns: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...]
    home: tuple[int, ...]
    left: int


def _named(card: int) -> str:
    return f"{_RANKS[card >> 2]}{_SUITS[card & 3]}"


@dataclass(frozen=True)
class FreeCell(Game[Position, Move]):
    """A deck of ``suits`` suits and ``ranks`` ranks, dealt to ``columns`` columns, with ``cells`` cells."""

    suits: Annotated[int, Range(2, 4)] = 4
    ranks: Annotated[int, Range(3, 13)] = 6
    columns: Annotated[int, Range(3, 9)] = 6
    cells: Annotated[int, Range(1, 6)] = 3
    most: Annotated[int, Range(1, 2000)] = 200

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def rules(self) -> str:
        suits = "S (black) and H (red)"
        if self.suits > 2:
            suits = "S and C (black), H and D (red)" if self.suits > 3 else "S and C (black), H (red)"
        return (
            f"FreeCell with the suits {suits}; the ranks are {', '.join(_RANKS[: self.ranks])}, from low to high. All "
            "cards lie open in columns. Only the top card of a column, its last one in the list, or a card in a cell "
            "can be moved, one card a move. It goes on the top card of another column if that is one rank higher and "
            f"of the other colour; to any empty column; to one of the {self.cells} "
            f"cell{'s' if self.cells > 1 else ''}, if one is free; or home, "
            "where each suit is built up from A. A card that is home stays there. You win when all cards are home, and "
            "lose when there is no legal move or no move is left."
        )

    def notation(self) -> str:
        return "A move is the card and where it goes: the number of a column, cell, or home, such as 5H 2 or 5H cell"

    def start(self, draw: Draw) -> Position:
        deck = draw.shuffled([rank * 4 + suit for rank in range(self.ranks) for suit in range(self.suits)])
        dealt = tuple(tuple(deck[c :: self.columns]) for c in range(self.columns))
        return Position(dealt, (), (0,) * self.suits, self.most)

    def initial(self) -> Position:
        return self.start(Draw("freecell", "initial"))

    def turn(self, state: Position) -> int:
        return 0 if sum(state.home) < self.suits * self.ranks and state.left and self.legal(state) else OVER

    def legal(self, state: Position) -> list[Move]:
        found = []
        tops = [column[-1] if column else None for column in state.columns]
        sources = [*(top for top in tops if top is not None), *state.cells]
        for card in sources:
            if state.home[card & 3] == card >> 2:
                found.append((card, _HOME))
            for c, top in enumerate(tops):
                if top is None or _fits(card, top):
                    found.append((card, c))
            if len(state.cells) < self.cells and card in tops:
                found.append((card, _CELL))
        return found

    def apply(self, state: Position, move: Move) -> Position:
        card, to = move
        columns, cells, home = list(state.columns), state.cells, state.home
        if card in cells:
            cells = tuple([other for other in cells if other != card])
        else:
            c = next(i for i, column in enumerate(columns) if column and column[-1] == card)
            columns[c] = columns[c][:-1]
        if to == _HOME:
            home = tuple([count + (suit == card & 3) for suit, count in enumerate(home)])
        elif to == _CELL:
            cells = tuple(sorted((*cells, card)))
        else:
            columns[to] = (*columns[to], card)
        return Position(tuple(columns), cells, home, state.left - 1)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(sum(state.home) == self.suits * self.ranks),)

    def board(self, state: Position) -> str:
        home = [
            f"{_SUITS[s]} {'A to ' if n > 1 else ''}{_RANKS[n - 1] if n else '-'}" for s, n in enumerate(state.home)
        ]
        cells = [*map(_named, state.cells), *["-"] * (self.cells - len(state.cells))]
        columns = [f"{c}: {' '.join(map(_named, column)) or '-'}" for c, column in enumerate(state.columns, 1)]
        facts = [f"Home: {', '.join(home)}", f"Cells: {' '.join(cells)}", "Columns, the top card last:"]
        return "\n".join([*facts, *columns, f"Moves left: {state.left}"])

    def write(self, state: Position, move: Move) -> str:
        place = {_HOME: "home", _CELL: "cell"}.get(move[1], str(move[1] + 1))
        return f"{_named(move[0])} {place}"


def _fits(card: int, top: int) -> bool:
    """Return whether a card may be put on another."""
    return (card >> 2) + 1 == top >> 2 and (card ^ top) & 1 == 1


def _distance(state: Position) -> int:
    """Estimate how far a position is from solved."""
    cards = buried = 0
    for column in state.columns:
        low = 99
        for card in column:
            buried += card >> 2 > low
            low = min(low, card >> 2)
        cards += len(column)
    cards += len(state.cells)
    return _NOT_HOME * cards + _BURIED * buried + _SET_ASIDE * len(state.cells)


def solve(game: FreeCell, state: Position, effort: int) -> tuple[Move, ...] | None:
    """Return moves that win, found by a best-first search of at most ``effort`` positions, or None.

    Columns that differ only in their order count as one position.
    """
    count = 0
    queue: list[tuple[int, int, Position, tuple[Move, ...]]] = [(_distance(state), 0, state, ())]
    seen: set[object] = set()
    while queue and effort > 0:
        _, _, state, made = heapq.heappop(queue)
        if not any(state.columns) and not state.cells:
            return made
        effort -= 1
        for move in game.legal(state) if state.left else []:
            after = game.apply(state, move)
            key = frozenset(after.columns), after.cells
            if key not in seen:
                seen.add(key)
                count += 1
                heapq.heappush(queue, (_distance(after) * 4 + len(made), count, after, (*made, move)))
    return None
