"""FrozenLake: cross a frozen lake with holes to a goal; with ``slip`` the ice may carry you aside.

Source: FrozenLake of gymnasium (rules and letters; with `slip` = 2/3 its slippery ice), as text for language agents in
RAGEN (arXiv 2504.20073); start and goal are drawn as there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.structures.grid import DIRECTIONS, format_moves, parse_moves, spellings

_FORM = "<answer>up || left || ...</answer>"
_ALONE = ", alone or in the form <answer>up</answer>"
_CLOCK = ("up", "right", "down", "left")
_MASK = 2**64 - 1
_TRIES = 1000


@dataclass(frozen=True)
class Task:
    """The lake row by row (F ice, H hole, S start, G goal), and the seed that fixes where the ice slips."""

    size: int
    lake: str
    slips: int = field(compare=False)


@register("FrozenLake-v0")
class FrozenLake(Env[Task]):
    """Cross a frozen lake; reward 1 for reaching the goal within the turns. Falling into a hole ends the episode.

    Each move slips with probability `slip`, to either side of its direction alike; whether and where to depends on
    the task, the number of the move and the place alone. It is fixed with the task but never revealed: copies of an
    episode meet the same ice, and the oracle, which knows it, always arrives. `best_rate()` is what the best policy
    without that knowledge expects on a lake; as only ice that lets somebody pass is drawn, the ceiling is a little
    higher.
    """

    size: Annotated[int, Range(3, 20)] = 4
    """Cells on a side."""
    holes: Annotated[float, Range(0, 0.6)] = 0.25
    """Share of holes."""
    slip: Annotated[float, Range(0, 0.9)] = 0.0
    """Probability that a move slips aside."""
    max_turns: Annotated[int, Range(1, 1000)] = 10
    """Turns until the game is lost."""
    moves_per_turn: Annotated[int, Range(1, 400)] = 1
    """The most moves in one message."""
    look: bool = False
    """Whether every observation says what lies up, down, left and right of you (# the edge); the map shows it too, but
    a small model learns faster so."""
    rules: bool = True
    """Whether the first observation explains the game; otherwise it is the bare instance."""

    levels = tuple(
        {"size": n, "holes": h, "slip": s, "max_turns": t}
        for n, h, s, t in [
            (3, 0.25, 0.0, 4), (4, 0.2, 0.0, 8), (4, 0.25, 0.1, 10), (5, 0.25, 0.1, 12), (5, 0.25, 0.2, 16),
            (6, 0.25, 0.2, 20), (7, 0.25, 0.3, 28), (8, 0.2, 0.3, 36), (10, 0.2, 0.3, 50), (12, 0.2, 0.4, 80),
        ]
    )  # fmt: skip
    chance = (0.047, 0.012, 0.017, 0.005, 0.012, 0.002, 0.001, 0.0, 0.0, 0.0)
    chance_default = 0.019
    cheats = (
        "up, down, left, right",
        "<answer>up</answer><answer>down</answer><answer>left</answer><answer>right</answer>",
        "right or down",
        lambda env: f"jump to {env.place(env.task.lake.index('G'))}",
        lambda env: f"<answer>{env.place(env.task.lake.index('G'))}</answer> Goal!",
        "self.task.slips = 0",
    )

    def generate(self, rng: np.random.Generator) -> Task:
        size, cells = self.size, self.size**2
        most = self.max_turns * self.moves_per_turn
        least = (3 * min(most, 2 * (size - 1)) + 3) // 4
        for _ in range(_TRIES):
            *draws, u, v, w = rng.random(cells + 3).tolist()
            lake = ["H" if draw < self.holes else "F" for draw in draws]
            ice = [cell for cell in range(cells) if lake[cell] == "F"]
            if len(ice) < 2:
                continue
            goal = ice[int(u * len(ice))]
            far = self._distances(lake, goal)
            starts = [cell for cell in ice if least <= far[cell] <= most]
            if not starts:
                continue
            start = starts[int(v * len(starts))]
            lake[start], lake[goal] = "S", "G"
            task = Task(size, "".join(lake), int(w * 2**53))
            if not self.slip or self._plan(task, start, 0, most):
                return task
        raise SettingsError(
            f"no lake with size={size}, holes={self.holes}, slip={self.slip} and max_turns={self.max_turns} can be "
            "crossed; lower holes or slip or raise max_turns"
        )

    def _distances(self, lake: Sequence[str], goal: int) -> list[int]:
        far = [-1] * len(lake)
        far[goal] = 0
        queue = [goal]
        steps = _steps(self.size)
        for cell in queue:
            for other in steps[cell]:
                if far[other] < 0 and lake[other] != "H":
                    far[other] = far[cell] + 1
                    queue.append(other)
        return far

    def _plan(self, task: Task, cell: int, clock: int, moves: int) -> list[str]:
        """Return the fewest moves from ``cell`` at move ``clock`` to the goal over the actual ice; [] if too many."""
        steps, lake = _steps(task.size), task.lake
        layers: list[dict[int, tuple[int, int]]] = [{cell: (cell, 0)}]
        for now in range(clock, clock + moves):
            after: dict[int, tuple[int, int]] = {}
            for place in layers[-1]:
                turn = drift(task.slips, now, place, self.slip) if self.slip else 0
                for move in range(4):
                    other = steps[place][(move + turn) % 4]
                    if lake[other] != "H" and other not in after:
                        after[other] = (place, move)
            layers.append(after)
            goal = next((place for place in after if lake[place] == "G"), None)
            if goal is not None:
                path = []
                for layer in layers[:0:-1]:
                    goal, move = layer[goal]
                    path.append(_CLOCK[move])
                return path[::-1]
        return []

    def begin(self) -> str:
        self.position = self.task.lake.index("S")
        self.clock = 0
        size, lake = self.task.size, self.task.lake
        rows = "\n".join(" ".join(lake[i : i + size]) for i in range(0, size * size, size))
        text = f"{self._explain()}\n{rows}" if self.rules else rows
        return f"{text}\n{self._here()}" if self.look else text

    def _explain(self) -> str:
        slippery = (
            f" The ice is slippery: with probability {self.slip:g} you move sideways (at a right angle to your move) "
            "instead."
            if self.slip
            else ""
        )
        looks = (
            " After each turn you see your cell, then the cells up, down, left and right of it (# is the edge)."
            if self.look
            else " After each turn you see your cell."
        )
        several = f", or with up to {self.moves_per_turn} moves in the form {_FORM}"
        many = several if self.moves_per_turn > 1 else _ALONE
        return (
            "Frozen lake: S is your start, G the goal, F ice, H a hole, which ends the game. Columns are a, b, ... "
            f"from the left, rows 1, 2, ... from the top. A move past the edge goes nowhere.{slippery}{looks} Reach G "
            f"within {self.max_turns} turns. Answer with up, down, left or right{many}."
        )

    def _here(self) -> str:
        name, cell = self.place(self.position), self.position
        if not self.look:
            return f"At {name}."
        up, right, down, left = (
            "#" if other == cell else self.task.lake[other] for other in _steps(self.task.size)[cell]
        )
        return f"At {name}: {up} {down} {left} {right}."

    def place(self, cell: int) -> str:
        """Return the name of a cell: its column's letter and its row's number."""
        return f"{'abcdefghijklmnopqrst'[cell % self.task.size]}{cell // self.task.size + 1}"

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        moves = None if text is None else parse_moves(text, self.moves_per_turn)
        if moves is None:
            several = f" (up to {self.moves_per_turn}, separated by ||)" if self.moves_per_turn > 1 else ""
            return Reply(f"Not a move: {problem or 'answer with up, down, left or right'}{several}.", invalid=True)
        slipped = 0
        for move in moves:
            turn = drift(self.task.slips, self.clock, self.position, self.slip) if self.slip else 0
            slipped += turn != 0
            self.position = _steps(self.task.size)[self.position][(_CLOCK.index(move) + turn) % 4]
            self.clock += 1
            found = self.task.lake[self.position]
            if found == "G":
                return Reply("Goal!", solved=True)
            if found == "H":
                return Reply(
                    f"You fell into the hole at {self.place(self.position)}.", done=True, metrics={"fell": 1.0}
                )
        here = self._here()
        return Reply(f"Slipped. {here}", metrics={"slips": float(slipped)}) if slipped else Reply(here)

    def oracle(self) -> str:
        return format_moves(self._way())

    def _way(self) -> list[str]:
        """Return the next moves over the actual ice, as many as one message may have."""
        left = (self.max_turns - self.turn) * self.moves_per_turn
        path = self._plan(self.task, self.position, self.clock, left)
        return path[: self.moves_per_turn] or ["up"]

    def paraphrases(self) -> Sequence[str]:
        return spellings(self._way())

    def sample_action(self, rng: np.random.Generator) -> str:
        return format_moves([DIRECTIONS[int(u * 4)] for u in rng.random(self.moves_per_turn).tolist()])

    def best_rate(self) -> float:
        """Return the best expected solve rate of a policy that sees the lake but not the ice, with one move per turn.

        Source: finite-horizon value iteration (Bellman, 1957).
        """
        steps, lake = np.array(_steps(self.task.size)), np.array(list(self.task.lake))
        goal, hole = lake == "G", lake == "H"
        value = goal.astype(float)
        for _ in range(self.max_turns):
            aside = value[steps]
            q = (1 - self.slip) * aside + self.slip / 2 * (np.roll(aside, 1, axis=1) + np.roll(aside, -1, axis=1))
            value = np.where(goal, 1.0, np.where(hole, 0.0, q.max(axis=1)))
        return float(value[self.task.lake.index("S")])


@lru_cache(maxsize=32)
def _steps(size: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return for every cell the cells up, right, down and left of it; itself at the edge."""
    return tuple(
        (
            cell - size if cell >= size else cell,
            cell + 1 if cell % size < size - 1 else cell,
            cell + size if cell < size * (size - 1) else cell,
            cell - 1 if cell % size else cell,
        )
        for cell in range(size * size)
    )


def drift(seed: int, clock: int, cell: int, slip: float) -> int:
    """Return where the ice carries move number ``clock`` from ``cell``: 0 straight on, 1 and -1 a quarter turn aside.

    Source: the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
    """
    x = (seed + (clock * 400 + cell + 1) * 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    u = (x ^ (x >> 31)) / 2**64
    return 0 if u >= slip else 1 if u < slip / 2 else -1
