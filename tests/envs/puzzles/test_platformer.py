"""Platformer: its physics by example, and the fewest moves against all sequences of moves."""

from itertools import product

import pytest

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo.platformer import MOVES, Level, Platform, Platformer, Position, shortest

GAME = Platformer()


def level(*rows: str, platforms: tuple[Platform, ...] = (), column: int = 0) -> Position:
    """The player above the ground of a column."""
    row = max(r for r, line in enumerate(rows) if line[column] == "#") - 1
    return Position(Level(rows, platforms), row, column, 0, 0, 99)


def after(state: Position, moves: str) -> Position:
    for move in moves.split(", "):
        assert GAME.turn(state) == 0
        state = GAME.apply(state, move)
    return state


@pytest.mark.parametrize(("wide", "crossed"), [(1, True), (2, True), (3, True), (4, False)])
def test_how_wide_a_gap_a_jump_crosses(wide: int, crossed: bool) -> None:
    row = "###" + " " * wide + "###F"
    state = level(" " * len(row), " " * len(row), " " * len(row), row.replace("F", "#"), column=2)
    state = after(state, "jump right, right, right, right")
    assert (GAME.apply(state, "right").row == 2) == crossed


@pytest.mark.parametrize(("high", "climbed"), [(1, True), (2, True), (3, False)])
def test_how_high_a_step_a_jump_climbs(high: int, climbed: bool) -> None:
    rows = [f"  {'#' if r >= 6 - high else ' '}" for r in range(6)] + ["###"]
    state = after(level(*rows, column=1), "jump, right, right")
    assert (state.column == 2) == climbed


def test_ground_above_ends_a_jump_and_there_is_none_in_the_air() -> None:
    state = after(level("#####", "     ", "     ", "#####"), "jump")
    assert (state.row, state.rise) == (1, 1)
    state = after(state, "right")
    assert (state.row, state.column, state.rise) == (1, 1, 0)
    state = after(state, "jump right")
    assert (state.row, state.column, state.rise) == (2, 2, 0)


def test_spikes_and_the_pit_lose_and_the_flag_wins_in_passing() -> None:
    assert after(level(" ^ ", "###"), "right").lost
    assert after(level("   ", "#  "), "right, wait, wait").lost
    won = after(level("F  ", "   ", "   ", "###"), "jump, wait")
    assert (GAME.turn(won), GAME.returns(won)) == (OVER, (1.0,))
    won = after(level("   ", "F  ", "   ", "###"), "jump")
    assert (GAME.turn(won), GAME.returns(won)) == (OVER, (1.0,))


def test_a_platform_carries_and_holds_from_above_only() -> None:
    platform = Platform(2, 1, 3, 0)
    state = level("        ", "        ", "        ", "#      #", platforms=(platform,))
    assert [platform.at(time) for time in range(8)] == [1, 2, 3, 4, 3, 2, 1, 2]
    on = state._replace(row=1, column=1)
    carried = after(on, "wait, wait, wait")
    assert (carried.row, carried.column) == (1, 4)
    assert after(carried, "wait, left").column == 1
    below = state._replace(row=3, column=3, rise=2)
    assert after(below, "wait, wait").row == 1


def test_the_fewest_moves_are_those_of_all_sequences() -> None:
    game, solved = Platformer(10, 1, 0, 1), 0
    for seed in range(12):
        state = game.start(Draw("platformer", seed))
        near = state._replace(column=6, row=2, left=4)

        def wins(moves: tuple[str, ...], state: Position = near) -> bool:
            for move in moves:
                if game.turn(state) == OVER:
                    return False
                state = game.apply(state, move)
            return game.returns(state)[0] > 0

        fewest = next((n for n in range(1, 5) if any(wins(moves) for moves in product(MOVES, repeat=n))), None)
        line = shortest(near)
        assert (len(line) if line and len(line) < 5 else None) == fewest
        assert line is None or wins(line) or len(line) > 4
        solved += fewest is not None
    assert solved
