"""Sudoku: fill a 4 x 4, 6 x 6 or 9 x 9 grid so that every row, column and box holds every digit.

Source: the puzzle (Howard Garns, 1979); as a reasoning task in Enigmata (arXiv 2505.19914) and, played move by move, in
GEM (arXiv 2510.01051) and TextArena (arXiv 2504.11442).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._digging import dig, full_grid, peers
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.structures.grid import check_sudoku, parse_grid, parse_placement, sudoku_box

_MOST_BLANKS = {4: 11, 6: 25, 9: 56}  # reached by digging within a few grids
_TRIES = 60


@dataclass(frozen=True)
class Task:
    """The givens row by row ("." where blank), and the only solution."""

    size: int
    givens: str
    solution: str = field(compare=False)


@register("Sudoku-v0")
class Sudoku(Env[Task]):
    """Fill in a Sudoku grid; reward 1 for the full grid. The solution is unique; answers are checked by the rules."""

    size: Literal[4, 6, 9] = 6
    """4 (boxes of 2 x 2), 6 (2 rows x 3 columns) or 9 (3 x 3)."""
    blanks: Annotated[int, Range(1, 56)] = 16
    """Cells to fill; at most 11, 25 and 56 for the three sizes."""
    mode: Literal["grid", "moves"] = "grid"
    """What a message holds: "grid" asks for the whole grid; in "moves" each turn sets one cell (give `max_turns` >=
    `blanks`)."""
    check_moves: Literal["rules", "solution"] = "rules"
    """Which digits mode "moves" refuses: those that break the "rules" immediately, or all that differ from the
    "solution" (which tells the agent that they are wrong)."""

    levels = tuple(
        {"size": n, "blanks": b}
        for n, b in [(4, 8), (4, 9), (4, 11), (6, 12), (6, 18), (6, 22), (9, 25), (9, 36), (9, 46), (9, 53)]
    )
    chance = (0.039, 0.014, 0.002, 0.006, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0
    cheats = (
        lambda env: " ".join(env.task.givens.replace(".", "1")),
        lambda env: f"<answer>{env.task.givens}</answer>",
        lambda env: "<answer>" + env.task.solution.replace("1", "[1234]") + "</answer>",
        lambda env: f"<answer>{env.task.solution}</answer><answer>{env.task.solution[1:]}</answer>",
        lambda env: f"<answer>{env.task.solution}{env.task.solution}</answer>",
        lambda env: "<answer>" + ("123456789"[: env.size] + "\n") * env.size + "</answer>",
        "<answer>self.task.solution</answer>",
    )

    def check(self) -> None:
        if self.blanks > _MOST_BLANKS[self.size]:
            raise SettingsError(
                f"blanks is {self.blanks}; with size={self.size} it must be at most {_MOST_BLANKS[self.size]}"
            )
        if self.mode == "moves" and self.max_turns < self.blanks:
            raise SettingsError(
                f"max_turns is {self.max_turns}; with mode='moves' it must be at least blanks={self.blanks}"
            )

    def generate(self, rng: np.random.Generator) -> Task:
        size = self.size
        for _ in range(_TRIES):
            solution = full_grid(size, rng)
            givens = dig(size, solution, self.blanks, rng.permutation(size * size).tolist())
            if givens is not None:
                digits = [str(value) for value in solution]
                shown = "".join(d if g else "." for d, g in zip(digits, givens, strict=True))
                return Task(size, shown, "".join(digits))
        raise SettingsError(f"no puzzle with size={size} and blanks={self.blanks} was found; lower blanks")

    def begin(self) -> str:
        size = self.task.size
        self.cells = list(self.task.givens)
        high, wide = sudoku_box(size)
        if self.mode == "grid":
            how = f"Answer with the completed grid, {size} lines of {size} digits, in the form <answer>...</answer>"
        else:
            also = ", as is any other wrong digit" if self.check_moves == "solution" else ""
            how = (
                'Fill one cell per turn: "r1c2=3" writes 3 into row 1, column 2, and "r1c2=." erases what you wrote '
                f"there. A digit that is already in the same row, column or box is refused{also}; this uses up a turn. "
                f"You have {self.max_turns} turns"
            )
        return (
            f"Sudoku: fill the blanks (.) so that every row, every column and every box ({high} rows x {wide} columns) "
            f"contains each digit from 1 to {size} exactly once. {how}.\n{self.board()}"
        )

    def board(self) -> str:
        """Return the current grid."""
        return "\n".join(" ".join(row) for row in self._rows("".join(self.cells)))

    def _rows(self, cells: str) -> list[str]:
        return [cells[i : i + self.task.size] for i in range(0, len(cells), self.task.size)]

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if self.mode == "moves":
            return self._place(text, problem)
        digits = "123456789"[: self.task.size]
        if text is None and "<answer>" not in action:  # a bare grid on several lines
            text = action.rpartition("</think>")[2]
        grid = None if text is None else parse_grid(text, self.task.size, self.task.size, digits)
        if grid is None:
            return Reply(
                f"That is not a grid of {self.task.size} rows of {self.task.size} digits from 1 to {self.task.size}"
                f"{f': {problem}' if problem else ''}.",
                invalid=True,
            )
        verdict = check_sudoku(grid, self._rows(self.task.givens))
        if verdict.correct:
            return Reply("Correct.", solved=True)
        return Reply(f"Wrong: {verdict.reason}.")

    def _place(self, text: str | None, problem: str) -> Reply:
        size = self.task.size
        move = None if text is None else parse_placement(text)
        if move is None:
            return Reply(f"Not a move: {problem or 'write it as r1c2=3'}.", invalid=True)
        row, column, digit = move
        if not (1 <= row <= size and 1 <= column <= size) or digit not in "." + "123456789"[:size]:
            return Reply(f"Rows, columns and digits go from 1 to {size}.", invalid=True)
        cell = (row - 1) * size + column - 1
        name = f"r{row}c{column}"
        if self.task.givens[cell] != ".":
            return Reply(f"{name} is given as {self.task.givens[cell]} and cannot be changed.", invalid=True)
        if digit != ".":
            for other in peers(size)[cell]:
                if self.cells[other] == digit:
                    return Reply(
                        f"{name}={digit} breaks the rules: r{other // size + 1}c{other % size + 1} is {digit}.",
                        invalid=True,
                    )
            if self.check_moves == "solution" and self.task.solution[cell] != digit:
                return Reply(f"{name} is not {digit}.", metrics={"mistakes": 1.0})
        self.cells[cell] = digit
        if "." not in self.cells:
            return Reply("Correct.", solved=True)  # no move broke a rule
        return Reply(self.board())

    def oracle(self) -> str:
        task = self.task
        if self.mode == "grid":
            return "<answer>\n" + "\n".join(self._rows(task.solution)) + "\n</answer>"
        erase = ""
        for cell, (now, right) in enumerate(zip(self.cells, task.solution, strict=True)):
            name = f"r{cell // self.task.size + 1}c{cell % self.task.size + 1}"
            if now != right:
                if all(self.cells[other] != right for other in peers(self.task.size)[cell]):
                    return f"{name}={right}"
                if now != ".":
                    erase = f"{name}=."
        return erase

    def paraphrases(self) -> Sequence[str]:
        if self.mode == "moves":
            move = self.oracle()
            row, column, digit = move[1], move[3], move[5]
            return (
                f"<answer>{move}</answer>",
                f"\\boxed{{R{row}C{column} = {digit}}}",
                f"<answer>row {row}, column {column}: {digit}</answer>",
                f"({row}, {column}) = {digit}",
            )
        rows = self._rows(self.task.solution)
        spaced = [" ".join(row) for row in rows]
        ruled = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return (
            "\n".join(spaced),
            f"<answer>{' '.join(rows)}</answer>",
            f"<think>1 2 3</think>\\boxed{{{', '.join(spaced)}}}",
            f"<answer>[{', '.join(str([int(d) for d in row]) for row in rows)}]</answer>",
            f"Here it is: <answer>\n```text\n{ruled}\n```\n</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        """Fill each row's blanks with its missing digits in random order; or a blank cell with a random digit."""
        size = self.task.size
        digits = "123456789"[:size]
        if self.mode == "moves":
            blank = [cell for cell, now in enumerate(self.cells) if now == "."]
            u, v = rng.random(2).tolist()
            cell = blank[int(u * len(blank))]
            return f"r{cell // size + 1}c{cell % size + 1}={digits[int(v * size)]}"
        rows = []
        for row in self._rows(self.task.givens):
            missing = [digit for digit in digits if digit not in row]
            order = iter(rng.permutation(missing).tolist()) if missing else iter(())
            rows.append("".join(next(order) if digit == "." else digit for digit in row))
        return "<answer>\n" + "\n".join(rows) + "\n</answer>"
