"""Play any game of the grammar: positions as bits, moves from one cell to another.

Source: the idea of benchmarks of generated games, gg-bench (arXiv 2505.07215).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.generated import english
from turnwise.worlds.games.generated.board import bits
from turnwise.worlds.games.generated.rules import Rules, read

__all__ = ["Generated", "Position"]

Move = tuple[int, int]
_DRAW = 2


class Position(NamedTuple):
    """Pieces of each seat and of nobody as bits, the seat to move, the moves made, and the winner (2: draw) or -1."""

    x: int
    o: int
    stones: int
    seat: int
    made: int
    winner: int = -1


@dataclass(frozen=True)
class Generated(Game[Position, Move]):
    """A game of the grammar. A move is (from, to), with -1 as the first where a piece is placed."""

    rules_text: str = "grid-4x4c moves-place goal-line-4"
    """The game as a line of words: board, pieces, moves, capture, goal and limit."""

    def __post_init__(self) -> None:
        if not isinstance(self.rules_text, str):
            raise SettingsError(f"rules_text is {self.rules_text!r}; it must be a text")
        read(self.rules_text)
        if not self.legal(self.initial()):
            raise SettingsError(f"rules_text is {self.rules_text!r}; the first player cannot move at the start")

    @cached_property
    def spec(self) -> Rules:
        """The parts of the rules."""
        return read(self.rules_text)

    @property
    def draws(self) -> bool:  # type: ignore[override]
        """Whether a game can end without a winner."""
        return english.can_draw(self.spec)

    @cached_property
    def _lines(self) -> tuple[tuple[int, ...], ...]:
        return self.spec.board.lines(self.spec.count)

    @cached_property
    def _rays(self) -> tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]:
        """For each seat and cell the rays along which its pieces move."""
        board, every = self.spec.board, range(len(self.spec.board.directions))
        ways = [board.ahead(seat) if self.spec.forward else every for seat in (0, 1)]
        return tuple(tuple(tuple(r for d in ways[s] if (r := rays[d])) for rays in board.rays) for s in (0, 1))

    @cached_property
    def _steps(self) -> tuple[tuple[int, ...], ...]:
        """For each seat and cell the cells one step away."""
        return tuple(tuple(sum(1 << ray[0] for ray in rays) for rays in seat) for seat in self._rays)

    def rules(self) -> str:
        return english.rules(self.spec)

    def notation(self) -> str:
        return english.notation(self.spec)

    def initial(self) -> Position:
        spec = self.spec
        x, o, stones = (sum(1 << cell for cell in group) for group in (spec.x, spec.o, spec.stones))
        return Position(x, o, stones, 0, 0)

    def turn(self, state: Position) -> int:
        return state.seat if state.winner < 0 else OVER

    def legal(self, state: Position) -> list[Move]:
        return list(self.moves_of(state, state.seat)) if state.winner < 0 else []

    def moves_of(self, state: Position, seat: int) -> Iterator[Move]:
        """Yield the moves that a seat would have if it were its turn."""
        spec = self.spec
        own, other = (state.o, state.x) if seat else (state.x, state.o)
        free = spec.board.full & ~(own | other | state.stones)
        if state.made < 2 * spec.hand:
            yield from ((-1, cell) for cell in bits(free))
            return
        for verb in spec.verbs:
            if verb == "place":
                yield from ((-1, cell) for cell in bits(free) if self._allowed(cell, own, other))
            elif verb == "drop":
                yield from ((-1, cell) for cell in self._bottoms(free))
            elif verb == "take":
                yield from self._takes(state.stones)
            elif verb == "step":
                open_to = free | other if spec.capture == "step" else free
                for cell in bits(own):
                    yield from ((cell, to) for to in bits(self._steps[seat][cell] & open_to))
            else:
                for cell in bits(own):
                    for ray in self._rays[seat][cell]:
                        yield from ((cell, to) for to in self._along(verb, ray, free, own, other))

    def _allowed(self, cell: int, own: int, other: int) -> bool:
        """Return whether a piece may be placed on an empty cell."""
        near, around = self.spec.near, self.spec.board.around[cell]
        if near == "touch":
            return not own or bool(around & own)
        return near == "any" or not around & (own if near == "apart" else other)

    def _bottoms(self, free: int) -> Iterator[int]:
        """Yield the lowest free cell of each column that is open at the top."""
        n = self.spec.board.columns
        for column in range(n):
            if free >> column & 1:
                cell = column
                while free >> cell + n & 1:
                    cell += n
                yield cell

    def _takes(self, stones: int) -> Iterator[Move]:
        for cell in bits(stones):
            yield cell, cell
            for ray in self.spec.board.rays[cell][::2]:
                for to in ray[: self.spec.longest - 1]:
                    if not stones >> to & 1:
                        break
                    yield cell, to

    def _along(self, verb: str, ray: tuple[int, ...], free: int, own: int, other: int) -> Iterator[int]:
        """Yield where a slide, a jump or a push along a ray ends."""
        if verb == "slide":
            for to in ray:
                if not free >> to & 1:
                    if other >> to & 1 and self.spec.capture == "step":
                        yield to
                    return
                yield to
        elif verb == "jump":
            over = other if self.spec.capture == "jump" else own | other
            if len(ray) > 1 and over >> ray[0] & 1 and free >> ray[1] & 1:
                yield ray[1]
        elif other >> ray[0] & 1 and (len(ray) == 1 or free >> ray[1] & 1):
            yield ray[0]

    def apply(self, state: Position, move: Move) -> Position:
        seat, (source, to) = state.seat, move
        own, other = (state.o, state.x) if seat else (state.x, state.o)
        stones = state.stones
        if stones:
            stones &= ~self._between(source, to)
        elif source < 0:
            own |= 1 << to
        else:
            own, other = self._moved(own, other, source, to)
        if not stones and self.spec.capture in ("flank", "turn", "infect"):
            own, other = self._captured(own, other, to)
        x, o = (other, own) if seat else (own, other)
        return self._settled(Position(x, o, stones, 1 - seat, state.made + 1), to)

    def _between(self, source: int, to: int) -> int:
        """Return the cells of a straight line, both ends included."""
        if source == to:
            return 1 << to
        ray = next(ray for ray in self.spec.board.rays[source][::2] if to in ray[: self.spec.longest - 1])
        return 1 << source | sum(1 << cell for cell in ray[: ray.index(to) + 1])

    def _moved(self, own: int, other: int, source: int, to: int) -> tuple[int, int]:
        own = own ^ 1 << source | 1 << to
        if self.spec.capture == "jump" and not self.spec.board.around[source] >> to & 1:
            ray = next((ray for ray in self.spec.board.rays[source] if ray[1:2] == (to,)), ())
            other &= ~(1 << ray[0]) if ray else -1
        elif other >> to & 1:
            other ^= 1 << to
            if self.spec.capture != "step":  # it is pushed on, or off the board
                ray = next(ray for ray in self.spec.board.rays[source] if ray[:1] == (to,))
                other |= 1 << ray[1] if len(ray) > 1 else 0
        return own, other

    def _captured(self, own: int, other: int, to: int) -> tuple[int, int]:
        """Take or turn what is next to a piece that has just come to a cell, or between it and another one."""
        board, taken = self.spec.board, 0
        if self.spec.capture == "infect":
            taken = board.around[to] & other
        else:
            for ray in board.rays[to]:
                line = 0
                for cell in ray:
                    if not other >> cell & 1:
                        if own >> cell & 1:
                            taken |= line
                        break
                    line |= 1 << cell
        return (own if self.spec.capture == "flank" else own | taken), other & ~taken

    def _settled(self, state: Position, to: int) -> Position:
        """Return a position after a move with its winner, and with the seat that can move."""
        mover = 1 - state.seat
        winner = self._goal(state, mover, to)
        if winner < 0 and 0 < self.spec.limit <= state.made:
            winner = self._score(state)
        if winner >= 0 or next(self.moves_of(state, state.seat), None) is not None:
            return state._replace(winner=winner) if winner >= 0 else state
        if self.spec.goal in ("most", "group"):
            if next(self.moves_of(state, mover), None) is not None:
                return state._replace(seat=mover)
            return state._replace(winner=self._score(state))
        if self.spec.goal == "misere":
            return state._replace(winner=state.seat)
        lost = self.spec.goal == "last" or self.spec.moving
        return state._replace(winner=mover if lost else _DRAW)

    def _goal(self, state: Position, mover: int, to: int) -> int:
        """Return who has reached the goal with a move, or -1."""
        spec, own = self.spec, (state.x, state.o)[mover]
        other, goal = (state.x, state.o)[1 - mover], self.spec.goal
        if goal in ("line", "avoid"):
            made = any(own & line == line for line in self._lines[to]) or (
                spec.capture in ("turn", "infect") and any(own & m == m for cell in self._lines for m in cell)
            )
            return -1 if not made else mover if goal == "line" else 1 - mover
        if goal == "connect":
            one, two = spec.board.sides(mover)
            return mover if spec.board.flood(one & own, own) & two else -1
        if goal == "reach":
            return mover if spec.board.far(mover) & own else -1
        if goal == "capture":
            return mover if len((spec.x, spec.o)[1 - mover]) - other.bit_count() >= spec.count else -1
        if goal == "unite" and state.made >= 2 * spec.hand:
            seats = [(mover, own), (1 - mover, other)]
            return next((s for s, pieces in seats if len(spec.board.groups(pieces)) == 1), -1)
        return -1

    def _score(self, state: Position) -> int:
        """Return who has more when the game ends by its limit or because nobody can move."""
        goal, groups = self.spec.goal, self.spec.board.groups
        if goal not in ("most", "group", "capture"):
            return _DRAW
        first, second = state.x.bit_count(), state.o.bit_count()
        if goal == "group":
            first, second = (max((g.bit_count() for g in groups(p)), default=0) for p in (state.x, state.o))
        return 0 if first > second else 1 if second > first else _DRAW

    def returns(self, state: Position) -> tuple[float, ...]:
        return ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))[state.winner]

    def board(self, state: Position) -> str:
        spec = self.spec
        marks = ["."] * spec.board.size
        pieces = (("#", sum(1 << hole for hole in spec.board.holes)), ("X", state.x), ("O", state.o))
        for mark, group in (*pieces, ("*", state.stones)):
            for cell in bits(group):
                marks[cell] = mark
        counted = [f"Moves made: {state.made} of {spec.limit}."] * (spec.limit > 0)
        if left := max(0, 2 * spec.hand - state.made):
            counted.append(f"Pieces still to be placed: {left}.")
        return "\n".join([spec.board.drawn(marks), *([" ".join(counted)] if counted else [])])

    def write(self, state: Position, move: Move) -> str:
        board, (source, to) = self.spec.board, move
        if source < 0 and "drop" in self.spec.verbs and state.made >= 2 * self.spec.hand:
            return board.name(to)[0]
        if source < 0 or (state.stones and source == to):
            return board.name(to)
        return f"{board.name(source)}{'-' * (board.rows == 1)}{board.name(to)}"
