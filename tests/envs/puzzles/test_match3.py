"""Match3: the rules against a simulator with grids, the planner against all sequences of swaps."""

import pytest

from turnwise.core.draw import Draw
from turnwise.envs.puzzles.match3 import Match3
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo import match3

Grid = dict[tuple[int, int], str]


def cleared(grid: Grid, rows: int) -> int:
    """Remove lines from a grid of (column, height) until there are none, let tiles fall, and count them."""
    count = 0
    while True:
        gone = set()
        for c, h in grid:
            for across, up in ((1, 0), (0, 1)):
                line = [(c + i * across, h + i * up) for i in range(3)]
                if all(cell[1] < rows and grid.get(cell) == grid[c, h] for cell in line):
                    gone |= set(line)
        if not gone:
            return count
        count += len(gone)
        for cell in gone:
            del grid[cell]
        for c in {c for c, _ in grid}:
            tiles = [grid.pop((c, h)) for h in sorted(h for d, h in list(grid) if d == c)]
            grid.update({(c, h): tile for h, tile in enumerate(tiles)})


def as_grid(columns: tuple[str, ...]) -> Grid:
    return {(c, h): tile for c, column in enumerate(columns) for h, tile in enumerate(column)}


@pytest.mark.parametrize("game", [match3.Match3(swaps=9, goal=99), match3.Match3(4, 6, 3, 2, 20, 99)])
def test_the_rules_are_those_of_a_simulator(game: match3.Match3) -> None:
    most = 0
    for seed in range(12):
        draw = Draw("match3", seed)
        state = game.start(draw)
        assert cleared(as_grid(state.columns), game.rows) == 0
        while game.turn(state) != OVER:
            counts = {}
            for a, b in match3._swaps(game.rows, game.columns):
                grid = as_grid(state.columns)
                one, other = divmod(a, game.rows), divmod(b, game.rows)
                if one in grid and other in grid:
                    grid[one], grid[other] = grid[other], grid[one]
                    if count := cleared(grid, game.rows):
                        counts[a, b] = count, grid
            assert sorted(game.legal(state)) == sorted(counts)
            move = draw.choice(game.legal(state))
            after = game.apply(state, move)
            assert (after.points - state.points, as_grid(after.columns)) == counts[move]
            most, state = max(most, after.points - state.points), after
    assert most > 6, "some swaps set off others"


def test_a_wide_search_finds_the_best_of_all_sequences() -> None:
    game = match3.Match3(4, 4, 3, 2, 3)

    def best(state: match3.Position) -> int:
        moves = game.legal(state) if state.left else []
        return max([state.points, *(best(game.apply(state, move)) for move in moves)])

    better = 0
    for seed in range(6):
        state = game.start(Draw("best", seed))
        assert match3.plan(game, state, 10**6)[1] == best(state)
        better += best(state) > match3.plan(game, state, 1)[1]
    assert better


def test_either_order_of_the_cells_is_read_and_the_greedy_player_loses() -> None:
    env = Match3(difficulty=4)
    for seed in range(3):
        env.reset(seed=seed)
        game, state = env.rules(), env.task.state
        one, other = game.write(state, env.task.line[0]).split("-")
        assert game.parse(state, f"{other} - {one}") == env.task.line[0]
        for move in match3.plan(game, state, 1)[0]:
            state = game.apply(state, move)
        assert state.points < env.task.state.goal
