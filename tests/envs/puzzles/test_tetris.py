"""Tetris: the rules against a simulator cell by cell, turned pieces, and tasks that need a plan."""

import pytest

from turnwise.core.draw import Draw
from turnwise.envs.puzzles._solo import Task
from turnwise.envs.puzzles.tetris import Tetris
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo import tetris


def dropped(game: tetris.Tetris, filled: set[tuple[int, int]], piece: str, move: tuple[int, int]) -> tuple[int, bool]:
    """Drop a piece onto a set of (height, column), one row at a time; return rows cleared, and if it is too high."""
    shape = list(tetris.PIECES[piece])
    for _ in range(move[0]):
        shape = ["".join(shape[r][c] for r in range(len(shape) - 1, -1, -1)) for c in range(len(shape[0]))]
    spots = {(-r, c + move[1]) for r, row in enumerate(shape) for c, sign in enumerate(row) if sign == "#"}
    at = {(r + game.rows + 10, c) for r, c in spots}
    while not any(r == 0 or (r - 1, c) in filled for r, c in at):
        at = {(r - 1, c) for r, c in at}
    filled |= at
    over = any(r >= game.rows for r, _ in filled)
    full = [r for r in range(game.rows + 4) if all((r, c) in filled for c in range(game.columns))]
    for r in reversed(full):
        moved = {(a - (a > r), c) for a, c in filled if a != r}
        filled.clear()
        filled |= moved
    return len(full), over


def test_the_rules_are_those_of_a_simulator() -> None:
    game, cleared = tetris.Tetris(8, 4, 30, 20, 2), 0
    for seed in range(40):
        draw = Draw("tetris", seed)
        state = game.start(draw)
        filled = {(r, c) for r, row in enumerate(state.rows) for c in range(4) if row >> c & 1}
        while game.turn(state) != OVER:
            move = draw.choice(game.legal(state))
            count, over = dropped(game, filled, state.pieces[0], move)
            after = game.apply(state, move)
            assert (after.cleared - state.cleared, after.over) == (count, over)
            assert {(r, c) for r, row in enumerate(after.rows) for c in range(4) if row >> c & 1} == filled
            state = after
        cleared += state.cleared
    assert cleared > 20


@pytest.mark.parametrize(("piece", "count"), [("I", 4 + 7), ("O", 6), ("S", 5 + 6), ("T", 2 * 5 + 2 * 6)])
def test_turns_that_make_no_difference_are_one_move(piece: str, count: int) -> None:
    game = tetris.Tetris(columns=7)
    state = tetris.Position((), piece)
    assert len(game.legal(state)) == count
    assert game.parse(state, "2b") == ((0, 1) if piece != "T" else (2, 1))
    assert game.parse(state, "0g") is None
    assert game.parse(state, "1 A.") is not None


def test_a_piece_above_the_top_loses_and_the_last_row_wins() -> None:
    env = Tetris(rows=4, columns=4, pieces=4, goal=2)
    game = env.rules()
    for moves, won in (("1a, 1a", False), ("0a, 0a", True)):
        env.reset(seed=0, options={"task": Task(game, tetris.Position((), "IIII"), ())})
        observation, reward, terminated, _, info = env.step(moves)
        assert observation.startswith("You win." if won else "You lose.")
        assert (reward, terminated, info["metrics"]["rows_cleared"]) == (float(won), True, 2.0 * won)
        assert info["metrics"]["score"] == 2 + 2 * won


def test_planning_is_what_the_greedy_player_lacks() -> None:
    env = Tetris(difficulty=6)
    for seed in range(3):
        env.reset(seed=seed)
        assert tetris.greedy(env.rules(), env.task.state) is None
