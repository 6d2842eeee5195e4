"""Sudoku: fill a 4 x 4, 6 x 6 or 9 x 9 grid so that every row, column and box holds every digit.

Source: the puzzle (Howard Garns, 1979); as a reasoning task in Enigmata (arXiv 2505.19914) and, played move by move, in
GEM (arXiv 2510.01051) and TextArena (arXiv 2504.11442).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

from turnwise.core import Env, Reply
from turnwise.errors import SettingsError
from turnwise.registration import register
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.grid import check_sudoku, parse_grid, parse_placement, sudoku_box

_MOST_BLANKS = {4: 11, 6: 25, 9: 56}  # what digging reaches within a few grids
_TRIES = 60


@dataclass(frozen=True)
class Task:
    """The givens row by row ("." where blank), and the only solution."""

    size: int
    givens: str
    solution: str = field(compare=False)


@register("Sudoku-v0")
class Sudoku(Env[Task]):
    """Reward 1 for the full grid. The solution is unique, and answers are checked against the rules.

    Settings:
        size: 4 (boxes of 2 x 2), 6 (2 rows x 3 columns) or 9 (3 x 3).
        blanks: Cells to fill; at most 11, 25 and 56 for the three sizes.
        mode: "grid" asks for the whole grid; in "moves" each turn sets one cell (give `max_turns` >= `blanks`).
        check_moves: In mode "moves", what is refused: a digit that breaks the "rules" at once, or one that is not in the
            "solution" (which tells the agent that it is wrong).
    """

    size: Literal[4, 6, 9] = 6
    blanks: int = 16
    mode: Literal["grid", "moves"] = "grid"
    check_moves: Literal["rules", "solution"] = "rules"

    limits = {"blanks": (1, 56)}
    levels = tuple(
        {"size": n, "blanks": b}
        for n, b in [(4, 5), (4, 8), (4, 10), (6, 12), (6, 18), (6, 22), (9, 25), (9, 36), (9, 46), (9, 53)]
    )
    chance = (0.0,) * 10
    cheats = (
        lambda env: " ".join(env.task.givens.replace(".", "1")),
        lambda env: f"<answer>{env.task.givens}</answer>",
        lambda env: "<answer>" + env.task.solution.replace("1", "[1234]") + "</answer>",
        lambda env: f"<answer>{env.task.solution}</answer><answer>{env.task.solution[::-1]}</answer>",
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
            solution = _full_grid(size, rng)
            givens = _dig(size, solution, self.blanks, rng.permutation(size * size).tolist())
            if givens is not None:
                digits = [str(value) for value in solution]
                shown = "".join(d if g else "." for d, g in zip(digits, givens, strict=True))
                return Task(size, shown, "".join(digits))
        raise SettingsError(f"no puzzle with size={size} and blanks={self.blanks} was found; lower blanks")

    def begin(self) -> str:
        size = self.size
        self.cells = list(self.task.givens)
        high, wide = sudoku_box(size)
        if self.mode == "grid":
            how = f"Give the whole grid, {size} rows of {size} digits, as <answer>...</answer>"
        else:
            how = f'Fill one cell a turn, as in "r1c2=3" (row 1, column 2), "r1c2=." to erase, in {self.max_turns} turns'
        return (
            f"Sudoku: fill the blanks (.) so that every row, every column and every box ({high} rows x {wide} columns) "
            f"has each of 1 to {size} once. {how}.\n{self.board()}"
        )

    def board(self) -> str:
        """The grid as it is."""
        return "\n".join(" ".join(row) for row in self._rows("".join(self.cells)))

    def _rows(self, cells: str) -> list[str]:
        return [cells[i : i + self.size] for i in range(0, len(cells), self.size)]

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if self.mode == "moves":
            return self._place(text, problem)
        digits = "123456789"[: self.size]
        if text is None and "<answer>" not in action:  # a bare grid on several lines
            text = action.rpartition("</think>")[2]
        grid = None if text is None else parse_grid(text, self.size, self.size, digits)
        if grid is None:
            return Reply(
                f"That is no grid of {self.size} rows of {self.size} digits from 1 to {self.size}"
                f"{f': {problem}' if problem else ''}.",
                invalid=True,
            )
        verdict = check_sudoku(grid, self._rows(self.task.givens))
        if verdict.correct:
            return Reply("Correct.", solved=True)
        return Reply(f"Wrong: {verdict.reason}.")

    def _place(self, text: str | None, problem: str) -> Reply:
        size = self.size
        move = None if text is None else parse_placement(text)
        if move is None:
            return Reply(f'Not a move: {problem or "write it as r1c2=3"}.', invalid=True)
        row, column, digit = move
        if not (1 <= row <= size and 1 <= column <= size) or digit not in "." + "123456789"[:size]:
            return Reply(f"Rows, columns and digits go from 1 to {size}.", invalid=True)
        cell = (row - 1) * size + column - 1
        name = f"r{row}c{column}"
        if self.task.givens[cell] != ".":
            return Reply(f"{name} is given and stays {self.task.givens[cell]}.", invalid=True)
        if digit != ".":
            for other in _peers(size)[cell]:
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
            name = f"r{cell // self.size + 1}c{cell % self.size + 1}"
            if now != right:
                if all(self.cells[other] != right for other in _peers(self.size)[cell]):
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

    def sample_action(self, rng: np.random.Generator) -> str:
        """The givens kept, and in each row the missing digits in random order; or a random digit for a blank cell."""
        size = self.size
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


@lru_cache(maxsize=3)
def _units(size: int) -> tuple[tuple[int, int, int], ...]:
    """Row, column and box of every cell, numbered together."""
    high, wide = sudoku_box(size)
    return tuple(
        (r, size + c, 2 * size + r // high * high + c // wide) for r in range(size) for c in range(size)
    )


@lru_cache(maxsize=3)
def _peers(size: int) -> tuple[tuple[int, ...], ...]:
    """The other cells in the row, column or box of every cell."""
    units = _units(size)
    cells = range(size * size)
    return tuple(tuple(o for o in cells if o != c and not set(units[o]).isdisjoint(units[c])) for c in cells)


@lru_cache(maxsize=3)
def _members(size: int) -> tuple[tuple[int, ...], ...]:
    """The cells of every unit."""
    units = _units(size)
    return tuple(tuple(c for c in range(size * size) if unit in units[c]) for unit in range(3 * size))


def _full_grid(size: int, rng: np.random.Generator) -> list[int]:
    """A random solved grid: the boxes of the diagonal at random, the rest by random search. Every grid can come up."""
    units, every = _units(size), (2 << size) - 2
    high, wide = sudoku_box(size)
    while True:
        cells, used = [0] * (size * size), [0] * (3 * size)
        for i in range(min(size // high, size // wide)):
            digits = rng.permutation(size).tolist()
            for k, digit in enumerate(digits):
                cell = (i * high + k // wide) * size + i * wide + k % wide
                cells[cell] = digit + 1
                for unit in units[cell]:
                    used[unit] |= 2 << digit
        if _fill(cells, used, units, every, rng.random(size * size).tolist()):
            return cells


def _dig(size: int, solution: Sequence[int], blanks: int, order: Sequence[int]) -> list[int] | None:
    """The givens (digit or 0) after emptying ``blanks`` cells, the solution staying unique; None where stuck."""
    givens = list(solution)
    units, members = _units(size), _members(size)
    taken = [(2 << size) - 2] * (3 * size)  # digits as bits, by unit
    every = (2 << size) - 2
    for done, cell in enumerate(order):
        if not blanks:
            break
        if len(order) - done < blanks:
            return None
        digit = givens[cell]
        bit = 1 << digit
        r, c, b = units[cell]
        givens[cell] = 0
        taken[r] ^= bit
        taken[c] ^= bit
        taken[b] ^= bit
        used = taken[r] | taken[c] | taken[b]
        forced = used | bit == every  # a naked single
        if not forced:  # a hidden single: no other blank of a unit can take the digit
            forced = any(
                all(
                    givens[other] or other == cell or any(taken[u] & bit for u in units[other])
                    for other in members[unit]
                )
                for unit in (r, c, b)
            )
        if forced or not _other_solution(size, givens, taken, cell, digit):
            blanks -= 1
            continue
        givens[cell] = digit
        taken[r] |= bit
        taken[c] |= bit
        taken[b] |= bit
    return givens if not blanks else None


def _other_solution(size: int, givens: Sequence[int], taken: Sequence[int], cell: int, digit: int) -> bool:
    """Whether some full grid over the givens has another digit in ``cell``."""
    units, every = _units(size), (2 << size) - 2
    cells, used = list(givens), list(taken)
    r, c, b = units[cell]
    for other in range(1, size + 1):
        bit = 1 << other
        if other != digit and not (used[r] | used[c] | used[b]) & bit:
            for unit in (r, c, b):
                used[unit] |= bit
            cells[cell] = other
            if _fill(cells, used, units, every, None):
                return True
            for unit in (r, c, b):
                used[unit] ^= bit
            cells[cell] = 0
    return False


def _fill(
    cells: list[int],
    used: list[int],
    units: Sequence[tuple[int, int, int]],
    every: int,
    draws: Sequence[float] | None,
) -> bool:
    """Fill the blanks, the cell with the fewest digits first; False, and nothing changed, where that is impossible.

    With ``draws``, one for each cell, the order in which its digits are tried is random.
    """
    best, fewest = -1, 99
    options = 0
    for cell, value in enumerate(cells):
        if not value:
            r, c, b = units[cell]
            free = every & ~(used[r] | used[c] | used[b])
            count = free.bit_count()
            if count < fewest:
                if not count:
                    return False
                best, fewest, options = cell, count, free
                if count == 1:
                    break
    if best < 0:
        return True
    if draws is not None:  # digits below a random one come last
        rest = options & ((1 << int(draws[best] * len(used) / 3) + 1) - 1)
        rounds = (options ^ rest, rest)
    else:
        rounds = (options, 0)
    r, c, b = units[best]
    for options in rounds:
        while options:
            bit = options & -options
            options ^= bit
            used[r] |= bit
            used[c] |= bit
            used[b] |= bit
            cells[best] = bit.bit_length() - 1
            if _fill(cells, used, units, every, draws):
                return True
            cells[best] = 0
            used[r] ^= bit
            used[c] ^= bit
            used[b] ^= bit
    return False
