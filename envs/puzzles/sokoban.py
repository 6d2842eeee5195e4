"""Sokoban: push every box onto a target.

Source: the game (Thinking Rabbit, 1982), as text for language agents in RAGEN (arXiv 2504.20073), whose glyphs are the
default here. Rooms are made by playing backwards from the solved state, so that every one can be solved.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._rooms import back_to_front, bits, play, pull_back, reach, solve, walk_and_push
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.structures.grid import COMPASS, DIRECTIONS, format_moves, parse_moves

_FORM = "<answer>up || left || ...</answer>"
_ALONE = ", alone or in the form <answer>up</answer>"
_TRIES = 500
_PICKY = 20  # rooms tried before one with fewer pushes than wanted is accepted


@dataclass(frozen=True)
class Task:
    """A room as sets of cells (bit row * size + column), and moves that solve it."""

    size: int
    floor: int
    targets: int
    boxes: int
    player: int
    plan: tuple[str, ...] = field(compare=False)


@register("Sokoban-v0")
class Sokoban(Env[Task]):
    """Push boxes through a room; reward 1 when all are on targets. A blocked move is legal and changes nothing."""

    size: Annotated[int, Range(5, 10)] = 6
    """Rows and columns, the outer walls included."""
    num_boxes: Annotated[int, Range(1, 5)] = 1
    """Boxes, and as many targets."""
    pushes: Annotated[int, Range(1, 60)] = 4
    """Most pulls of the boxes from which the room is made; with one box, the fewest pushes that solve it."""
    walls: Annotated[float, Range(0, 0.4)] = 0.15
    """Share of the inner cells that are made wall."""
    max_turns: Annotated[int, Range(1, 1000)] = 15
    """Turns after which the game is lost."""
    mode: Literal["moves", "plan"] = "moves"
    """How it is played: "moves" plays on from where the box stands; in "plan" each message is a whole plan from the
    start."""
    moves_per_turn: Annotated[int, Range(1, 200)] = 1
    """In mode "moves", the most moves in one message."""
    max_moves: Annotated[int, Range(1, 400)] = 30
    """In mode "plan", the most moves of a plan; what follows the solving move is not played."""
    partial: Annotated[float, Range(0, 0.9)] = 0.0
    """Share of the reward paid for boxes on targets, each time more are there than ever before."""
    glyphs: str = "#_OX√PS"
    """Signs of wall, floor, target, box, box on target, player, player on target."""

    levels = tuple(
        {"size": n, "num_boxes": b, "pushes": p, "max_turns": t}
        for n, b, p, t in [
            (6, 1, 3, 8), (6, 1, 4, 12), (6, 1, 5, 16), (7, 1, 7, 24), (7, 2, 6, 30),
            (8, 2, 10, 40), (8, 3, 12, 50), (9, 3, 16, 70), (10, 4, 18, 90), (10, 5, 24, 120),
        ]
    )  # fmt: skip
    chance = (0.003, 0.004, 0.002, 0.001, 0.001, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.007
    cheats = (
        "up, down, left, right",
        "<answer>up</answer><answer>down</answer><answer>left</answer><answer>right</answer>",
        "up or down",
        "undo",
        "<answer>All boxes are on targets.</answer>",
        lambda env: env.board().replace("X", "√").replace("O", "_"),
        "self.boxes = self.task.targets",
    )

    def check(self) -> None:
        if len(set(self.glyphs)) != 7 or len(self.glyphs) != 7 or not self.glyphs.isprintable() or " " in self.glyphs:
            raise SettingsError(f"glyphs is {self.glyphs!r}; it must be seven different visible characters")
        if self.num_boxes > (self.size - 2) ** 2 // 4:
            raise SettingsError(
                f"num_boxes is {self.num_boxes}; a room of size={self.size} takes {(self.size - 2) ** 2 // 4} at most"
            )

    def generate(self, rng: np.random.Generator) -> Task:
        size, inner = self.size, (self.size - 2) ** 2
        budget = self.max_moves if self.mode == "plan" else self.max_turns * self.moves_per_turn
        for tried in range(_TRIES):
            draws = iter(rng.random(inner + 2 * self.num_boxes + 64).tolist())
            floor = self._room(draws)
            cells = list(bits(floor))
            if len(cells) < 3 * self.num_boxes + 2:
                continue
            targets = 0
            while targets.bit_count() < self.num_boxes:
                targets |= 1 << cells[int(next(draws, rng.random()) * len(cells))]
            layers = pull_back(size, floor, targets, self.pushes, rng)
            wanted = 0.75 * min(self.pushes, budget // 2) * min(1, 2 - tried / _PICKY)  # less and less, if it must be
            for depth in range(len(layers) - 1, max(1, ceil(wanted)) - 1, -1):
                pool = [state for state in layers[depth] if state[0] != targets]
                for index in rng.permutation(len(pool))[:2].tolist():
                    state = pool[index]
                    pushes = back_to_front(layers, depth, state)
                    starts = list(bits(state[1]))
                    for player in (starts[int(next(draws, 0.5) * len(starts))], pushes[0][0]):
                        plan = walk_and_push(size, floor, state[0], player, pushes)
                        if len(plan) <= budget:
                            return Task(size, floor, targets, state[0], player, tuple(plan))
        raise SettingsError(
            f"no room with size={size}, num_boxes={self.num_boxes} and walls={self.walls} was found that {budget} "
            "moves solve; lower num_boxes or walls, or raise max_turns"
        )

    def _room(self, draws: Iterator[float]) -> int:
        """Return a connected floor inside the outer walls."""
        size, floor = self.size, 0
        for r in range(1, size - 1):
            for c in range(1, size - 1):
                if next(draws) >= self.walls:
                    floor |= 1 << (r * size + c)
        best = 0
        while floor:
            part = reach(floor, floor & -floor, size)
            floor &= ~part
            if part.bit_count() > best.bit_count():
                best = part
        return best

    def identity(self, task: Task) -> object:
        """Return the room, with all cells that the player can reach from its position."""
        region = reach(task.floor & ~task.boxes, 1 << task.player, task.size)
        return task.size, task.floor, task.targets, task.boxes, region

    def begin(self) -> str:
        task = self.task
        self.boxes, self.player = task.boxes, task.player
        self.best = (task.boxes & task.targets).bit_count()
        self.ahead: list[str] | None = list(task.plan)
        self.given_up = -1  # boxes for which the solver found no solution
        wall, floor, target, box, stored, player, both = list(self.glyphs)
        if self.mode == "plan":
            turns = f" You have {self.max_turns} attempts; each starts from this room." if self.max_turns > 1 else ""
            how = f"a plan of up to {self.max_moves} moves (up, down, left, right), in the form {_FORM}.{turns}"
        else:
            many = (
                f", or with up to {self.moves_per_turn} moves in the form {_FORM}"
                if self.moves_per_turn > 1
                else _ALONE
            )
            how = f"up, down, left or right{many}. You have {self.max_turns} turns."
        return (
            f"Sokoban: push every box onto a target. {wall} is a wall, {floor} floor, {target} a target, {box} a box, "
            f"{stored} a box on a target, {player} you, {both} you on a target. You can push one box at a time and "
            f"cannot pull; a blocked move changes nothing. Answer with {how}\n{self.board()}"
        )

    def board(self) -> str:
        """Return the current room."""
        task, size = self.task, self.size
        wall, floor, target, box, stored, player, both = list(self.glyphs)
        cells = []
        for cell in range(size * size):
            bit = 1 << cell
            if not task.floor & bit:
                cells.append(wall)
            elif task.targets & bit:
                cells.append(stored if self.boxes & bit else both if cell == self.player else target)
            else:
                cells.append(box if self.boxes & bit else player if cell == self.player else floor)
        return "\n".join("".join(cells[i : i + size]) for i in range(0, size * size, size))

    def respond(self, action: str) -> Reply:
        plan = self.mode == "plan"
        most = self.max_moves if plan else self.moves_per_turn
        text, problem = final_answer(action)
        moves = None if text is None else parse_moves(text, most)
        if moves is None:
            several = f" (up to {most}, separated by ||)" if most > 1 else ""
            return Reply(f"Not a move: {problem or 'answer with up, down, left or right'}{several}.", invalid=True)
        task = self.task
        if plan:
            self.boxes, self.player = task.boxes, task.player
        blocked = False
        for move in moves:
            before = self.boxes, self.player
            self.boxes, self.player = play(task.size, task.floor, self.boxes, self.player, move)
            if self.boxes == task.targets:
                return Reply("Solved!", solved=True)
            if before == (self.boxes, self.player):
                blocked = True
            elif self.ahead is not None:
                self.ahead = self.ahead[1:] if self.ahead[:1] == [move] else None
        stored = (self.boxes & task.targets).bit_count()
        boxes = task.targets.bit_count()  # a task given to `reset` may have a different number of boxes
        gain = max(0, stored - self.best) * self.partial / boxes
        self.best = max(self.best, stored)
        note = f"Not solved; {stored} of {boxes} boxes are on targets:\n" if plan else "Blocked.\n" if blocked else ""
        return Reply(note + self.board(), reward=gain)

    def oracle(self) -> str:
        return format_moves(self._ahead())

    def _ahead(self) -> list[str]:
        """Return the plan that made the room, or the solver's if play has left it; as much as one message may have."""
        if self.mode == "plan":
            return list(self.task.plan)
        if not self.ahead and self.boxes != self.given_up:
            task = self.task
            self.ahead = solve(task.size, task.floor, task.targets, self.boxes, self.player)
            self.given_up = self.boxes if self.ahead is None else -1
        return (self.ahead or ["up"])[: self.moves_per_turn]

    def paraphrases(self) -> Sequence[str]:
        moves = self._ahead()
        return (
            f"<answer>{', '.join(moves)}</answer>",
            f"<think>left or right?</think><answer>Push {' '.join(moves)}.</answer>",
            f"\\boxed{{{' '.join(move[0].upper() for move in moves)}}}",
            f"<answer>{' -> '.join(COMPASS[move].capitalize() for move in moves)}</answer>",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        most = self.max_moves if self.mode == "plan" else self.moves_per_turn
        return format_moves([DIRECTIONS[int(u * 4)] for u in rng.random(most).tolist()])
