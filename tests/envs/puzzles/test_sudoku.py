"""Sudoku: unique solutions, moves, and what is told about mistakes."""

import numpy as np
import pytest

from turnwise.core.errors import SettingsError
from turnwise.envs.puzzles._digging import full_grid
from turnwise.envs.puzzles.sudoku import Sudoku, Task
from turnwise.verifiers.structures.grid import check_sudoku, sudoku_box

EASY = Task(4, "12.." + "34.." + "..43" + "..21", "1234" + "3412" + "2143" + "4321")


def solutions(size: int, givens: str, most: int) -> int:
    """How many solutions, up to ``most``: plain backtracking by the rules as one would write them down."""
    high, wide = sudoku_box(size)
    cells = [0 if g == "." else int(g) for g in givens]

    def options(cell: int) -> set[int]:
        r, c = divmod(cell, size)
        top, left = r // high * high, c // wide * wide
        seen = {cells[r * size + j] for j in range(size)} | {cells[i * size + c] for i in range(size)}
        seen |= {cells[(top + i) * size + left + j] for i in range(high) for j in range(wide)}
        return set(range(1, size + 1)) - seen

    def count(limit: int) -> int:
        blank = [(len(options(cell)), cell) for cell, value in enumerate(cells) if not value]
        if not blank:
            return 1
        cell = min(blank)[1]
        total = 0
        for digit in sorted(options(cell)):
            cells[cell] = digit
            total += count(limit - total)
            cells[cell] = 0
            if total >= limit:
                break
        return total

    return count(most)


@pytest.mark.parametrize(("size", "blanks", "number"), [(4, 11, 60), (6, 16, 30), (6, 25, 20), (9, 40, 6), (9, 54, 4)])
def test_solutions_are_unique_and_right(size: int, blanks: int, number: int) -> None:
    env, rng = Sudoku(size=size, blanks=blanks), np.random.default_rng(3)
    for _ in range(number):
        task = env.generate(rng)
        assert task.givens.count(".") == blanks
        assert solutions(size, task.givens, 2) == 1
        rows = [task.solution[i : i + size] for i in range(0, size * size, size)]
        givens = [task.givens[i : i + size] for i in range(0, size * size, size)]
        assert check_sudoku(rows, givens).correct


def test_every_grid_comes_up() -> None:
    rng = np.random.default_rng(0)
    grids = [tuple(full_grid(4, rng)) for _ in range(5000)]
    assert len(set(grids)) == 288  # all 4 x 4 sudoku grids
    assert max(grids.count(g) for g in set(grids[:50])) < 60  # none is much more frequent than 5000 / 288


def played(**knobs: object) -> Sudoku:
    env = Sudoku(size=4, blanks=8, **knobs)
    env.reset(seed=0, options={"task": EASY})
    return env


def test_grid_answers() -> None:
    env = played()
    assert env.respond("1234\n3412\n2143\n4321").solved
    assert env.respond("<think>1111</think>\n1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1").solved
    assert env.respond("1234 3412 2143 4321").solved
    assert env.respond("<answer>2134 3412 1243 4321</answer>").observation == "Wrong: r1c1 is given as 1, not 2."
    assert env.respond("<answer>1243 3412 2143 4321</answer>").observation.startswith("Wrong: column 3 has ")
    for text in ("1234 3412 2143", "1234 3412 2143 4325", "solved", "<answer>12.. 34.. ..43 ..21</answer>"):
        assert env.respond(text).invalid


def test_moves() -> None:
    env = played(mode="moves", max_turns=20)
    assert env.respond("r1c3=3").observation == "1 2 3 .\n3 4 . .\n. . 4 3\n. . 2 1"
    assert env.respond("r1c4=3").observation == "r1c4=3 breaks the rules: r1c3 is 3."
    assert env.respond("r1c1=2").observation == "r1c1 is given as 1 and cannot be changed."
    assert env.respond("r5c1=2").invalid and env.respond("r1c4=5").invalid and env.respond("fill it").invalid
    assert env.respond("r1c3=.").observation.startswith("1 2 . .")


def test_wrong_moves_that_break_no_rule() -> None:
    task = Task(4, "1" + "." * 15, EASY.solution)
    for check_moves, cell in (("rules", "3"), ("solution", ".")):
        env = Sudoku(size=4, mode="moves", max_turns=20, blanks=8, check_moves=check_moves)
        env.reset(seed=0, options={"task": task})
        reply = env.respond("r1c2=3")
        assert not reply.invalid
        assert env.cells[1] == cell
        assert (reply.observation == "r1c2 is not 3.") == (check_moves == "solution")


def test_a_digit_may_be_overwritten_by_itself() -> None:
    env = played(mode="moves", max_turns=20)
    env.respond("r1c3=3")
    assert not env.respond("r1c3=3").invalid


@pytest.mark.parametrize("check_moves", ["rules", "solution"])
def test_oracle_repairs_what_others_did(check_moves: str) -> None:
    for seed in range(25):
        env = Sudoku(mode="moves", max_turns=80, check_moves=check_moves)
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(12):
            env.step(env.sample_action(rng))
        solved = False
        while not solved:
            _, _, solved, truncated, info = env.step(env.oracle())
            assert not truncated and not info.get("invalid_action")
        assert info["solved"]


def test_settings() -> None:
    with pytest.raises(SettingsError, match="blanks is 26"):
        Sudoku(size=6, blanks=26)
    with pytest.raises(SettingsError, match="max_turns is 5"):
        Sudoku(mode="moves", max_turns=5)
    with pytest.raises(SettingsError, match="size is 5"):
        Sudoku(size=5)


def test_a_task_of_another_size_is_played_as_it_is() -> None:
    made = Sudoku(size=9, blanks=20)
    made.reset(seed=1)
    env = Sudoku(size=6)
    assert "each digit from 1 to 9" in env.reset(options={"task": made.task})[0]
    assert env.step(env.oracle())[1] == 1.0
