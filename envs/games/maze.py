"""Maze: walk from a start to a goal through a generated maze, with the map or feeling for the walls.

Source: the maze task of LMRL-Gym (arXiv 2311.18232), fully and partially observed; several moves a turn as in RAGEN
(arXiv 2504.20073). Mazes are generated: a random spanning tree (Kruskal's algorithm) with some more openings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.structures.grid import DIRECTIONS, format_moves, parse_moves, spellings

_BITS = {"up": 1, "down": 2, "left": 4, "right": 8}
_FORM = "<answer>up || left || ...</answer>"
_ALONE = ", alone or in the form <answer>up</answer>"
_CELLS = tuple("".join(name[0] for name in DIRECTIONS if exits & _BITS[name]) or "x" for exits in range(16))
_OPEN = tuple(", ".join(name for name in DIRECTIONS if exits & _BITS[name]) for exits in range(16))


@dataclass(frozen=True)
class Task:
    """The open sides of every cell (1 up, 2 down, 4 left, 8 right), row by row, and two cells by their index."""

    size: int
    exits: tuple[int, ...]
    start: int
    goal: int


@lru_cache(maxsize=32)
def _walls(size: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return all inner walls: the two adjacent cells, and the bit that opens the wall for each."""
    across = [(r * size + c, r * size + c + 1, 8, 4) for r in range(size) for c in range(size - 1)]
    return (*across, *((c, c + size, 2, 1) for c in range(size * (size - 1))))


@register("Maze-v0")
class Maze(Env[Task]):
    """Walk through a maze; reward 1 for reaching the goal within the turns. A move into a wall goes nowhere."""

    size: Annotated[int, Range(3, 20)] = 4
    """Cells on a side."""
    max_turns: Annotated[int, Range(1, 10_000)] = 6
    """Turns until the maze is lost."""
    moves_per_turn: Annotated[int, Range(1, 400)] = 1
    """The most moves in one message."""
    distance: Annotated[int, Range(0, 38)] = 0
    """The longest shortest way from start to goal (the shortest is three quarters of it); 0 for the longest that the
    turns allow, up to 2 (size - 1)."""
    openings: Annotated[float, Range(0, 1)] = 0.1
    """Share of the walls of the spanning tree's maze that are taken away."""
    view: Literal["full", "partial"] = "full"
    """What is shown: "full" shows the whole map once, then the place and its open sides; "partial" the open sides alone
    (lower `distance` or raise `max_turns`: a way unknown takes detours)."""
    style: Literal["cells", "drawn"] = "cells"
    """The map of the full view: "cells" lists the open sides of every cell, "drawn" draws the walls."""
    rules: bool = True
    """Whether the first observation explains the game; otherwise it is the bare instance."""

    levels = tuple(
        {"size": n, "max_turns": t}
        for n, t in [
            (3, 4), (4, 6), (5, 9), (6, 11), (7, 13), (8, 16), (10, 20), (13, 28), (16, 36), (20, 46),
        ]
    )  # fmt: skip
    chance = (0.023, 0.003, 0.002, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.002
    cheats = (
        "up, down, left, right",
        "<answer>up</answer><answer>down</answer><answer>left</answer><answer>right</answer>",
        "up or right",
        lambda env: f"goto {env.place(env.task.goal)}",
        lambda env: f"<answer>{env.place(env.task.goal)}</answer> You have reached the goal.",
        "The goal is reached. Correct.",
        "self.position = self.task.goal",
    )

    def check(self) -> None:
        if self.distance > min(2 * (self.size - 1), self.max_turns * self.moves_per_turn):
            raise SettingsError(
                f"distance is {self.distance}; it must be at most 2 (size - 1) = {2 * (self.size - 1)} and at most "
                f"max_turns * moves_per_turn = {self.max_turns * self.moves_per_turn}"
            )

    def generate(self, rng: np.random.Generator) -> Task:
        size, cells = self.size, self.size**2
        exits = [0] * cells
        group = list(range(cells))
        closed = []
        walls = _walls(size)
        for index in rng.permutation(len(walls)).tolist():
            a, b, bit_a, bit_b = wall = walls[index]
            while group[a] != a:
                group[a] = group[group[a]]
                a = group[a]
            while group[b] != b:
                group[b] = group[group[b]]
                b = group[b]
            if a == b:
                closed.append(wall)
                continue
            group[a] = b
            exits[wall[0]] |= bit_a
            exits[wall[1]] |= bit_b
        for a, b, bit_a, bit_b in closed[: round(self.openings * len(closed))]:
            exits[a] |= bit_a
            exits[b] |= bit_b
        start, goal = self._ends(exits, *rng.random(3).tolist())
        return Task(size, tuple(exits), start, goal)

    def _ends(self, exits: list[int], u: float, v: float, w: float) -> tuple[int, int]:
        """Draw start and goal at the required distance."""
        size = self.size
        longest = self.distance or min(2 * (size - 1), self.max_turns * self.moves_per_turn)
        shortest = (3 * longest + 3) // 4
        corners = (0, size - 1, size * size - size, size * size - 1)
        for goal in (int(u * size * size), corners[int(v * 4)]):
            far = distances(size, exits, goal)
            starts = [cell for cell, d in enumerate(far) if shortest <= d <= longest]
            if starts:
                return starts[int(w * len(starts))], goal
        raise AssertionError("the opposite corner is 2 (size - 1) away or more, and every distance lies on the way")

    def begin(self) -> str:
        task = self.task
        self.position = task.start
        self._far: list[int] | None = None
        text = f"{self._explain()}\n" if self.rules else ""
        if self.view == "partial":
            return text + self._here()
        return f"{text}{self._map()}\n{self._here()} Goal {self.place(task.goal)}."

    def _explain(self) -> str:
        size = self.task.size
        if self.view == "partial":
            shown = (
                f"The maze is {size} by {size} cells. You see only which sides of your cell are open, not where you "
                "are. Find the goal"
            )
        else:
            drawn = "The lines are walls" if self.style == "drawn" else "The map lists the open sides of each cell"
            shown = (
                f"{drawn}. Columns are a, b, ... from the left, rows 1, 2, ... from the top. After each turn you see "
                "your cell and its open sides (u up, d down, l left, r right). Walk to the goal"
            )
        many = f", or with up to {self.moves_per_turn} moves in the form {_FORM}" if self.moves_per_turn > 1 else _ALONE
        return (
            f"Maze. {shown} within {self.max_turns} turns; moving into a wall goes nowhere. Answer with up, down, left "
            f"or right{many}."
        )

    def _map(self) -> str:
        size, exits = self.task.size, self.task.exits
        if self.style == "cells":
            return "\n".join(" ".join(_CELLS[e] for e in exits[i : i + size]) for i in range(0, size * size, size))
        lines = ["   " + "   ".join("abcdefghijklmnopqrst"[:size]), "  +" + "---+" * size]
        for r in range(size):
            row = exits[r * size : (r + 1) * size]
            lines.append(f"{r + 1:2}|" + "".join("    " if e & 8 else "   |" for e in row))
            lines.append("  +" + "".join("   +" if e & 2 else "---+" for e in row))
        return "\n".join(lines)

    def place(self, cell: int) -> str:
        """Return the name of a cell: its column's letter and its row's number."""
        return f"{'abcdefghijklmnopqrst'[cell % self.task.size]}{cell // self.task.size + 1}"

    def _here(self) -> str:
        if self.view == "partial":
            return f"Open: {_OPEN[self.task.exits[self.position]]}."
        return f"At {self.place(self.position)}: {_CELLS[self.task.exits[self.position]]}."

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        moves = None if text is None else parse_moves(text, self.moves_per_turn)
        if moves is None:
            several = f" (up to {self.moves_per_turn}, separated by ||)" if self.moves_per_turn > 1 else ""
            return Reply(f"Not a move: {problem or 'answer with up, down, left or right'}{several}.", invalid=True)
        size, exits, goal = self.task.size, self.task.exits, self.task.goal
        bumps = 0
        for move in moves:
            if not exits[self.position] & _BITS[move]:
                bumps += 1
                continue
            self.position += -size if move == "up" else size if move == "down" else -1 if move == "left" else 1
            if self.position == goal:
                return Reply("Goal!", solved=True)
        if bumps:
            return Reply(f"Wall. {self._here()}", metrics={"bumps": float(bumps)})
        return Reply(self._here())

    def oracle(self) -> str:
        return format_moves(self._way())

    def _way(self) -> list[str]:
        """Return the next moves of the shortest path, as many as one message may have."""
        size, exits, cell = self.task.size, self.task.exits, self.position
        if self._far is None:
            self._far = distances(size, exits, self.task.goal)
        far, moves = self._far, list[str]()
        while cell != self.task.goal and len(moves) < self.moves_per_turn:
            for move, step in zip(DIRECTIONS, (-size, size, -1, 1), strict=True):
                if exits[cell] & _BITS[move] and far[cell + step] < far[cell]:
                    moves.append(move)
                    cell += step
                    break
        return moves

    def paraphrases(self) -> Sequence[str]:
        return spellings(self._way())

    def sample_action(self, rng: np.random.Generator) -> str:
        return format_moves([DIRECTIONS[int(u * 4)] for u in rng.random(self.moves_per_turn).tolist()])


def distances(size: int, exits: Sequence[int], goal: int) -> list[int]:
    """Return the number of moves from every cell to ``goal``."""
    far = [-1] * (size * size)
    far[goal] = 0
    queue = [goal]
    for cell in queue:
        near, open_sides = far[cell] + 1, exits[cell]
        for bit, other in ((1, cell - size), (2, cell + size), (4, cell - 1), (8, cell + 1)):
            if open_sides & bit and far[other] < 0:
                far[other] = near
                queue.append(other)
    return far
