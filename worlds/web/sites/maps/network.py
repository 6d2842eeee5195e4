"""A town's streets: a grid with gaps, one-way streets and footpaths, and the shortest ways through it."""

import heapq
import json
from functools import lru_cache
from typing import NamedTuple

from turnwise.worlds.web.site import Draw

__all__ = ["MODES", "Leg", "Network", "Way", "draw_network", "network_of"]

MODES = ("walking", "driving")
_UNIT = 1_000_000  # a way's cost: thousandths of a minute times this, plus metres; so the quickest way has one length
_TURNS = {1: "Turn right", 3: "Turn left", 0: "Go on", 2: "Turn round"}
_COMPASS = ("north", "east", "south", "west")


class Leg(NamedTuple):
    """A straight part of a way: its heading (0 north, 1 east, 2 south, 3 west), street and metres."""

    heading: int
    street: str
    metres: int


class Way(NamedTuple):
    """A way: metres, whole minutes (rounded up), and its legs."""

    metres: int
    minutes: int
    legs: tuple[Leg, ...]

    @property
    def steps(self) -> list[str]:
        """The directions, leg by leg."""
        texts, before = [], None
        for leg in self.legs:
            start = f"Head {_COMPASS[leg.heading]}" if before is None else _TURNS[(leg.heading - before) % 4]
            texts.append(f"{start} on {leg.street} for {leg.metres} m")
            before = leg.heading
        return texts


class Network:
    """Crossings and the streets between them; crossing ``row * side + column``, rows from north to south.

    Args:
        data: As `draw_network` wrote it.
    """

    def __init__(self, data: str) -> None:
        given = json.loads(data)
        self.side: int = given["side"]
        self.rows: list[str] = given["rows"]
        self.columns: list[str] = given["columns"]
        self._wide: list[int] = given["wide"]
        self._tall: list[int] = given["tall"]
        self._fast, self._lanes, self._one_way = set(given["fast"]), set(given["lanes"]), set(given["one_way"])
        self._gaps = {tuple(gap) for gap in given["gaps"]}
        self._edges = {mode: self._ways_out(mode) for mode in MODES}
        self._trees: dict[tuple[str, int], tuple[dict[int, int], dict[int, int]]] = {}

    def _ways_out(self, mode: str) -> list[list[tuple[int, int]]]:
        """Return the next crossings of each crossing, and the cost to get there."""
        side = self.side
        out: list[list[tuple[int, int]]] = [[] for _ in range(side * side)]
        for at in range(side * side):
            row, column = divmod(at, side)
            for to in ([at + 1] if column + 1 < side else []) + ([at + side] if row + 1 < side else []):
                street, metres, _ = self._between(at, to)
                if (at, to) in self._gaps or (mode == "driving" and street in self._lanes):
                    continue
                pace = (
                    metres * 25 // 2 if mode == "walking" else metres * 6 // 5 if street in self._fast else metres * 2
                )
                out[at].append((to, pace * _UNIT + metres))
                if mode == "walking" or street not in self._one_way:
                    out[to].append((at, pace * _UNIT + metres))
        return out

    def _between(self, at: int, to: int) -> tuple[str, int, int]:
        """Return street, metres and heading from a crossing to a neighbour."""
        (row, column), (to_row, to_column) = divmod(at, self.side), divmod(to, self.side)
        if row == to_row:
            return self.rows[row], self._wide[min(column, to_column)], 1 if to_column > column else 3
        return self.columns[column], self._tall[min(row, to_row)], 2 if to_row > row else 0

    def _tree(self, start: int, mode: str) -> tuple[dict[int, int], dict[int, int]]:
        """Return costs from a crossing to all that can be reached, and the crossing before each."""
        known = self._trees.get((mode, start))
        if known is not None:
            return known
        edges = self._edges[mode]
        cost, source, open_, settled = {start: 0}, {start: start}, [(0, start)], set()
        while open_:
            spent, at = heapq.heappop(open_)
            if at in settled:
                continue
            settled.add(at)
            for to, more in edges[at]:
                if spent + more < cost.get(to, spent + more + 1):
                    cost[to], source[to] = spent + more, at
                    heapq.heappush(open_, (spent + more, to))
        if len(self._trees) >= 256:
            self._trees = {}
        self._trees[mode, start] = cost, source
        return cost, source

    def metres(self, start: int, end: int, mode: str = "walking") -> int:
        """Return the length of the quickest way."""
        return self._tree(start, mode)[0][end] % _UNIT

    def way(self, start: int, end: int, mode: str) -> Way:
        """Return the quickest way, the shortest if there are several."""
        cost, source = self._tree(start, mode)
        legs: list[Leg] = []
        at = end
        while at != start:
            street, metres, heading = self._between(source[at], at)
            if legs and legs[-1].street == street and legs[-1].heading == heading:
                metres += legs.pop().metres
            legs.append(Leg(heading, street, metres))
            at = source[at]
        return Way(cost[end] % _UNIT, -(-(cost[end] // _UNIT) // 1000), tuple(reversed(legs)))

    @property
    def whole(self) -> bool:
        """Whether every crossing can be reached from every other, on foot and by car."""
        count = self.side * self.side
        for mode in MODES:
            if len(self._tree(0, mode)[0]) < count:
                return False
            back: list[list[int]] = [[] for _ in range(count)]
            for at, edges in enumerate(self._edges[mode]):
                for to, _ in edges:
                    back[to].append(at)
            seen, left = {0}, [0]
            while left:
                new = [at for at in back[left.pop()] if at not in seen]
                seen.update(new)
                left += new
            if len(seen) < count:
                return False
        return True


def draw_network(draw: Draw, side: int, names: list[str]) -> str:
    """Draw a town of ``side`` by ``side`` crossings; the first names are those of rows, the next of columns."""
    rows, columns = names[:side], names[side : 2 * side]
    inner = [*rows[1:-1], *columns[1:-1]]
    some = draw.shuffled(inner)
    few = max(1, side // 4)
    made = {
        "side": side,
        "rows": rows,
        "columns": columns,
        "wide": [draw.integer(8, 26) * 10 for _ in range(side - 1)],
        "tall": [draw.integer(8, 26) * 10 for _ in range(side - 1)],
        "lanes": some[:few],
        "one_way": some[few : 2 * few],
        "fast": some[2 * few : 4 * few],
        "gaps": [],
    }
    river = draw.integer(1, side - 2)  # south of this row: a river with few bridges
    bridges = draw.sample(range(side), max(2, side // 3))
    gaps = [(river * side + c, (river + 1) * side + c) for c in range(side) if c not in bridges]
    inside = [r * side + c for r in range(1, side - 1) for c in range(1, side - 1)]
    gaps += [(at, at + 1) for at in draw.sample(inside, side // 2)]
    made["gaps"] = gaps
    for less in ("", "one_way", "lanes", "gaps"):
        if less:
            made[less] = []
        text = json.dumps(made, separators=(",", ":"))
        if network_of(text).whole:
            break
    return text


@lru_cache(64)
def network_of(data: str) -> Network:
    """Return the network that a text describes; cached."""
    return Network(data)
