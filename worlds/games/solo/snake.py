"""Snake: steer a growing snake to apples whose places are known, without running into a wall or into itself.

Source: Blockade (Gremlin, 1976); for language models, KORGym (arXiv 2505.14552), whose score is the apples eaten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["MOVES", "Position", "Snake", "laid", "plan", "way"]

MOVES = ("up", "down", "left", "right")
_ORDERS = (MOVES, MOVES[::-1], ("left", "up", "right", "down"), ("right", "down", "left", "up"))
_LENGTH = 3  # cells of the snake at the start
_TRIES = 200
_EFFORT = 12  # ways that are sought for each apple


class Position(NamedTuple):
    """The snake's cells, head first; the walls; the apples to come, in order; moves left; whether it has crashed."""

    body: tuple[int, ...]
    walls: frozenset[int]
    apples: tuple[int, ...]
    left: int
    crashed: bool = False


@lru_cache(maxsize=64)
def _beside(rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    """Return for each direction the cell next to every cell, or -1 beyond the edge."""
    found: dict[str, tuple[int, ...]] = {}
    for move, (down, right) in zip(MOVES, ((-1, 0), (1, 0), (0, -1), (0, 1)), strict=True):
        found[move] = tuple(
            (r + down) * columns + c + right if 0 <= r + down < rows and 0 <= c + right < columns else -1
            for r in range(rows)
            for c in range(columns)
        )
    return found


@dataclass(frozen=True)
class Snake(Game[Position, str]):
    """A field of ``rows`` by ``columns`` with ``walls`` wall cells; ``apples`` are to be eaten in ``most`` moves."""

    rows: Annotated[int, Range(4, 20)] = 6
    columns: Annotated[int, Range(4, 20)] = 6
    walls: Annotated[int, Range(0, 60)] = 0
    apples: Annotated[int, Range(1, 60)] = 5
    most: Annotated[int, Range(1, 10_000)] = 100

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def __post_init__(self) -> None:
        room = self.rows * self.columns
        if self.walls > room // 6:
            raise SettingsError(f"walls is {self.walls}; a field of {self.rows} x {self.columns} takes {room // 6}")
        if self.apples + _LENGTH > (room - self.walls) * 2 // 3:
            raise SettingsError(
                f"apples is {self.apples}; a field of {self.rows} x {self.columns} with {self.walls} wall cells takes "
                f"{(room - self.walls) * 2 // 3 - _LENGTH}"
            )

    def rules(self) -> str:
        return (
            f"Snake on {self.rows} rows and {self.columns} columns. H is the snake's head, o its body, t its tail, "
            "# a wall, @ the apple, . an empty cell. A move takes the head one cell up, down, left or right; the rest "
            "follows, so the tail leaves its cell. On the move that eats the apple the tail stays: the snake is one "
            "cell longer, and the next apple appears at its place, beneath the snake if the snake lies there. Only the "
            "head eats. Leaving the field, or moving onto a wall or onto the snake's own body, loses; the cell that "
            "the tail is just leaving is free. The snake cannot turn straight back. You win when all apples are eaten, "
            "and lose if that takes more moves than are left."
        )

    def notation(self) -> str:
        return "A move is up, down, left or right; row 1 is at the top"

    def start(self, draw: Draw) -> Position:
        return laid(self, draw)

    def initial(self) -> Position:
        return laid(self, Draw("snake", "initial"))

    def turn(self, state: Position) -> int:
        return 0 if state.apples and state.left and not state.crashed else OVER

    def legal(self, state: Position) -> list[str]:
        beside, head = _beside(self.rows, self.columns), state.body[0]
        return [move for move in MOVES if beside[move][head] != state.body[1]]

    def apply(self, state: Position, move: str) -> Position:
        head = _beside(self.rows, self.columns)[move][state.body[0]]
        eats = head == state.apples[0]
        rest = state.body if eats else state.body[:-1]
        if head < 0 or head in state.walls or head in rest:
            return state._replace(crashed=True, left=state.left - 1)
        return Position((head, *rest), state.walls, state.apples[1:] if eats else state.apples, state.left - 1)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(not state.apples),)

    def board(self, state: Position) -> str:
        signs = ["."] * (self.rows * self.columns)
        for cell in state.walls:
            signs[cell] = "#"
        if state.apples:
            signs[state.apples[0]] = "@"
        for cell in state.body[1:-1]:
            signs[cell] = "o"
        signs[state.body[-1]], signs[state.body[0]] = "t", "H"
        rows = [signs[i : i + self.columns] for i in range(0, len(signs), self.columns)]
        return "\n".join([cells.drawn(rows), *self._facts(state)])

    def _facts(self, state: Position) -> list[str]:
        facts = [f"Snake, from head to tail: {' '.join(map(self._name, state.body))}"]
        if state.crashed:
            facts.append("The snake has crashed.")
        if state.apples:
            facts.append(f"Apples, in this order: {' '.join(map(self._name, state.apples))}")
        return [*facts, f"Moves left: {state.left}"]

    def _name(self, cell: int) -> str:
        return cells.name(*divmod(cell, self.columns))

    def write(self, state: Position, move: str) -> str:
        return move


def way(game: Snake, state: Position, order: Sequence[str]) -> list[str] | None:
    """Return a short way to the apple in which every cell of the snake is passed only after it has left it."""
    beside, length = _beside(game.rows, game.columns), len(state.body)
    free_at = {cell: length - i for i, cell in enumerate(state.body)}
    head, apple = state.body[0], state.apples[0]
    came: dict[int, tuple[int, str]] = {head: (-1, "")}
    layer, time = [head], 0
    while layer:
        time += 1
        following = []
        for cell in layer:
            for move in order:
                to = beside[move][cell]
                if to < 0 or to in came or to in state.walls or free_at.get(to, 0) + (to == apple) > time:
                    continue
                came[to] = cell, move
                if to == apple:
                    moves: list[str] = []
                    while to != head:
                        to, move = came[to]
                        moves.append(move)
                    return moves[::-1]
                following.append(to)
        layer = following
    return None


def plan(game: Snake, state: Position) -> tuple[str, ...] | None:
    """Return moves that eat all apples, or None if a search of a dozen ways for each apple finds none.

    The search goes from apple to apple by short ways in a few orders of directions, and back where it gets stuck.
    """
    stack: list[tuple[Position, tuple[str, ...]]] = [(state, ())]
    effort = _EFFORT * len(state.apples)
    while stack and effort > 0:
        state, made = stack.pop()
        if not state.apples:
            return made
        found = []
        for order in _ORDERS:
            effort -= 1
            moves = way(game, state, order)
            if moves is None:
                break
            after = state
            for move in moves:
                after = game.apply(after, move)
                if after.crashed or (after.apples and not after.left):
                    break
            else:
                found.append((after, made + tuple(moves)))
        stack += dict.fromkeys(found[::-1])
    return None


def laid(game: Snake, draw: Draw) -> Position:
    """Draw walls that leave all other cells connected, a snake, and apples."""
    room, beside = game.rows * game.columns, _beside(game.rows, game.columns)
    for _ in range(_TRIES):
        walls = frozenset(draw.sample(range(room), game.walls))
        body = [draw.choice([cell for cell in range(room) if cell not in walls])]
        reached, queue = {body[0]}, [body[0]]
        for cell in queue:
            near = {beside[move][cell] for move in MOVES} - walls - reached - {-1}
            reached |= near
            queue += sorted(near)
        while len(body) < _LENGTH:
            near = {beside[move][body[-1]] for move in MOVES} - walls - set(body) - {-1}
            if not near:
                break
            body.append(draw.choice(sorted(near)))
        if len(reached) + len(walls) < room or len(body) < _LENGTH:
            continue
        free = [cell for cell in range(room) if cell not in walls]
        apples = [draw.choice([cell for cell in free if cell not in body])]
        while len(apples) < game.apples:
            apples.append(draw.choice([cell for cell in free if cell != apples[-1]]))
        assert all(a != b for a, b in pairwise(apples))
        return Position(tuple(body), walls, tuple(apples), game.most)
    raise SettingsError(f"no field of {game.rows} x {game.columns} with walls={game.walls} was found; lower walls")
