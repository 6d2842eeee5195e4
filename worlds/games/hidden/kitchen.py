"""Kitchen: two cooks who move at the same time boil soups together and serve them before the time is up.

Source: the video game Overcooked, 2016, in the form of Carroll et al., "On the utility of learning about humans for
human-AI coordination", NeurIPS 2019; in text, LLM-Coordination (arXiv 2310.03903).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Annotated, Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import ALL, OVER, Game

__all__ = ["Kitchen", "Position", "Pot", "around"]

_STEPS = ("north", "south", "east", "west", "wait")
_ITEMS = {"": "nothing", "o": "an onion", "t": "a tomato", "d": "a dish"}
_FOOD = {"O": "o", "T": "t", "D": "d"}


class Pot(NamedTuple):
    """Where a pot is, what is in it (o and t), and for how many more steps it boils."""

    cell: int
    inside: str = ""
    left: int = 0


class Position(NamedTuple):
    """A plan in lines, where the cooks are and what they hold, the pots, what lies on counters, orders, steps made.

    Soups are upper-case: ``OOT`` of two onions and a tomato. A cell is a place in the text of the plan.
    """

    plan: str
    cooks: tuple[tuple[int, str], tuple[int, str]]
    pots: tuple[Pot, ...]
    lying: tuple[tuple[int, str], ...] = ()
    orders: tuple[str, ...] = ()
    served: int = 0
    steps: int = 0


@dataclass(frozen=True)
class Kitchen(Game[Position, tuple[str, str] | str]):
    """Both seats get the number of orders that were served within ``limit`` steps. A move is a step of each cook.

    Attributes:
        orders: Soups to be served.
        walls: "open" leaves one room, "divided" parts it by a counter, so that things must be handed over.
        kinds: Ingredients: 1 (onions) or 2 (and tomatoes).
        boil: Steps until a full pot is done.
    """

    rows: Annotated[int, Range(2, 9)] = 3
    columns: Annotated[int, Range(3, 15)] = 5
    orders: Annotated[int, Range(1, 20)] = 2
    limit: Annotated[int, Range(1, 1000)] = 80
    walls: Literal["open", "divided"] = "open"
    kinds: Annotated[int, Range(1, 2)] = 2
    pots: Annotated[int, Range(1, 3)] = 1
    boil: Annotated[int, Range(1, 50)] = 6

    names = ("Cook 1", "Cook 2")
    zero_sum = False
    hidden = True

    def __post_init__(self) -> None:
        if self.walls not in ("open", "divided"):
            raise SettingsError(f"walls is {self.walls!r}; it must be open or divided")

    def rules(self) -> str:
        return (
            "Two cooks (1 and 2) share a kitchen and move at the same time, a step each. Stepping against something "
            "uses it: a box (O onions, T tomatoes, D dishes) gives one thing to empty hands; a counter (#) takes what "
            "you hold, or gives what lies on it; a pot (P) takes an ingredient, and with three in it boils for "
            f"{self.boil} steps; with a dish in hand you take the soup when it is done. The window (S) takes soups: "
            "one with exactly the ingredients of an open order is served, any other is thrown away. Two cooks cannot "
            "stand on one cell or swap cells; if both want one, neither moves. Both get a point for each served "
            f"order; the game ends when all {self.orders} are served or after {self.limit} steps."
        )

    def notation(self) -> str:
        return "A move is north, south, east, west or wait; north is up"

    def start(self, draw: Draw) -> Position:
        plan, cooks = self._plan(draw)
        pots = tuple(Pot(cell) for cell, mark in enumerate(plan) if mark == "P")
        orders = tuple(
            draw.choice(("ooo", "oot", "ott", "ttt")[: 1 if self.kinds == 1 else 4]) for _ in range(self.orders)
        )
        return Position(plan, cooks, pots, (), orders)

    def initial(self) -> Position:
        return self.start(Draw("kitchen"))

    def _plan(self, draw: Draw) -> tuple[str, tuple[tuple[int, str], tuple[int, str]]]:
        """Draw a room with counters all around and stations among them; a divided one has a cook in each half."""
        wide, wall = self.columns + 2, 1 + self.columns // 2
        grid = [["#"] * wide, *(["#", *"." * self.columns, "#"] for _ in range(self.rows)), ["#"] * wide]
        border = [(r, c) for r in (0, self.rows + 1) for c in range(1, wide - 1)]
        border += [(r, c) for r in range(1, self.rows + 1) for c in (0, wide - 1)]
        floor = [(r, c) for r in range(1, self.rows + 1) for c in range(1, wide - 1)]
        stations = ["O", "D", "S", *["T"] * (self.kinds - 1), *["P"] * self.pots]
        if self.walls == "divided":
            for r in range(1, self.rows + 1):
                grid[r][wall] = "#"
            first = draw.below(2)
            halves = [[p for p in border if p[1] < wall], [p for p in border if p[1] > wall]]
            sides = [first if mark in "OT" else 1 - first if mark in "PS" else draw.below(2) for mark in stations]
            cells = [draw.take(halves[side]) for side in sides]
            cooks = [draw.choice([p for p in floor if p[1] < wall]), draw.choice([p for p in floor if p[1] > wall])]
            cooks = draw.shuffled(cooks)
        else:
            cells, cooks = draw.sample(border, len(stations)), draw.sample(floor, 2)
            inner = [(r, c) for r, c in floor if 1 < r < self.rows and 1 < c < self.columns and (r, c) not in cooks]
            for r, c in draw.sample(inner, len(inner) // 3):
                grid[r][c] = "#" if grid[r][c - 1] == grid[r - 1][c - 1] == grid[r - 1][c + 1] == "." else "."
        for mark, (r, c) in zip(stations, cells, strict=True):
            grid[r][c] = mark
        plan = "\n".join(map("".join, grid))
        (r, c), (other, d) = cooks
        return plan, ((r * (wide + 1) + c, ""), (other * (wide + 1) + d, ""))

    def turn(self, state: Position) -> int:
        return OVER if not state.orders or state.steps >= self.limit else ALL

    def legal(self, state: Position) -> list[tuple[str, str] | str]:
        return list(product(_STEPS, _STEPS))

    def moves(self, state: Position, seat: int) -> list[tuple[str, str] | str]:
        return list(_STEPS) if self.turn(state) == ALL else []

    def apply(self, state: Position, move: tuple[str, str] | str) -> Position:
        ways = around(state.plan)
        (a, _), (b, _) = state.cooks
        first, second = (ways[cell][step] for (cell, _), step in zip(state.cooks, move, strict=True))
        to = [cell if state.plan[cell] == "." else own for cell, own in ((first, a), (second, b))]
        if to[0] == to[1] or to == [b, a]:
            to = [a, b]
        held = [item for _, item in state.cooks]
        state = state._replace(pots=tuple([p._replace(left=max(0, p.left - 1)) for p in state.pots]))
        for seat, (cell, own) in enumerate(((first, a), (second, b))):
            if cell != own and state.plan[cell] != ".":
                state, held[seat] = self._use(state, cell, held[seat])
        return state._replace(cooks=((to[0], held[0]), (to[1], held[1])), steps=state.steps + 1)

    def _use(self, state: Position, cell: int, item: str) -> tuple[Position, str]:
        """Return the position after a cook has used what is at a cell, and what it holds then."""
        mark = state.plan[cell]
        if mark in _FOOD:
            return state, item or _FOOD[mark]
        if mark == "#":
            there = dict(state.lying).get(cell, "")
            if bool(item) == bool(there):
                return state, item
            lying = tuple(
                sorted([*[pair for pair in state.lying if pair[0] != cell], *([(cell, item)] if item else [])])
            )
            return state._replace(lying=lying), there
        if mark == "S" and item.isupper():
            if item.lower() not in state.orders:
                return state, ""
            at = state.orders.index(item.lower())
            return state._replace(orders=state.orders[:at] + state.orders[at + 1 :], served=state.served + 1), ""
        if mark == "P":
            return self._boil(state, cell, item)
        return state, item

    def _boil(self, state: Position, cell: int, item: str) -> tuple[Position, str]:
        at = next(i for i, pot in enumerate(state.pots) if pot.cell == cell)
        pot = state.pots[at]
        if item in ("o", "t") and len(pot.inside) < 3:
            inside = "".join(sorted(pot.inside + item))
            pot, item = Pot(cell, inside, self.boil if len(inside) == 3 else 0), ""
        elif item == "d" and len(pot.inside) == 3 and not pot.left:
            pot, item = Pot(cell), pot.inside.upper()
        return state._replace(pots=(*state.pots[:at], pot, *state.pots[at + 1 :])), item

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(state.served),) * 2

    def board(self, state: Position) -> str:
        lines = state.plan.split("\n")
        wide = len(lines[0]) + 1
        marks = list(state.plan)
        for seat, (cell, _) in enumerate(state.cooks):
            marks[cell] = str(seat + 1)
        head = "   " + " ".join("abcdefghijklmnopqrstuvwxyz"[: wide - 1])
        rows = [f"{i:>2} {' '.join(row)}" for i, row in enumerate("".join(marks).split("\n"), 1)]
        cooks = [
            f"{self.names[s]} is at {_cell(c, wide)} and holds {_item(i)}." for s, (c, i) in enumerate(state.cooks)
        ]
        pots = [f"Pot at {_cell(p.cell, wide)}: {self._pot(p)}." for p in state.pots]
        lying = ", ".join(f"{_item(item)} at {_cell(cell, wide)}" for cell, item in state.lying)
        orders = "; ".join(_soup(order) for order in state.orders)
        end = f"Open orders: {orders or 'none'}. Served: {state.served}. Steps left: {self.limit - state.steps}."
        return "\n".join([head, *rows, *cooks, *pots, f"On counters: {lying or 'nothing'}.", end])

    def _pot(self, pot: Pot) -> str:
        if not pot.inside:
            return "empty"
        return _soup(pot.inside) + (
            f", boils for {pot.left} more" if pot.left else ", done" if len(pot.inside) == 3 else ""
        )

    def write(self, state: Position, move: tuple[str, str] | str) -> str:
        return move if isinstance(move, str) else " ".join(move)


@lru_cache(maxsize=256)
def around(plan: str) -> tuple[dict[str, int], ...]:
    """Return for each cell of a plan where each step leads, the edge of the plan aside."""
    wide = plan.index("\n") + 1
    ways = {"north": -wide, "south": wide, "east": 1, "west": -1, "wait": 0}
    return tuple(
        {step: cell + by if 0 <= cell + by < len(plan) else cell for step, by in ways.items()}
        for cell in range(len(plan))
    )


def _cell(cell: int, wide: int) -> str:
    return f"{'abcdefghijklmnopqrstuvwxyz'[cell % wide]}{cell // wide + 1}"


def _soup(inside: str) -> str:
    words = [(inside.count("o"), "onion"), (inside.count("t"), "tomato")]
    return " and ".join(f"{n} {word}{'' if n == 1 else 'es' if word == 'tomato' else 's'}" for n, word in words if n)


def _item(item: str) -> str:
    return f"a soup of {_soup(item.lower())}" if item.isupper() else _ITEMS[item]
