"""Game2048: where the known tiles appear, what is shown of them, and the planner against all lines of play."""

from turnwise.core.draw import Draw
from turnwise.envs.puzzles._solo import Task
from turnwise.envs.puzzles.game_2048 import Game2048
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo.planned_2048 import Planned2048, Position, plan


def test_a_tile_appears_on_its_cell_or_the_next_free_one() -> None:
    game = Planned2048(2, 64, 9)
    state = Position((1, 1, 0, 2), ((3, 1), (3, 2)), 9)
    after = game.apply(state, "left")
    assert (after.tiles, after.score, after.left) == ((2, 0, 2, 1), 4, 8)
    assert game.apply(after, "up").tiles == (3, 1, 0, 2)
    assert game.apply(after._replace(coming=((0, 2),)), "up").tiles == (3, 1, 2, 0), "with the first after the last"


def test_only_the_next_tiles_are_seen() -> None:
    game = Planned2048(3, 64, 20, shown=2)
    state = game.start(Draw("seen", 1))
    other = state._replace(coming=(*state.coming[:2], *[(0, 1)] * 18))
    assert other != state
    assert game.view(other, 0) == game.view(state, 0)
    assert game.view(other, 0).count(" on ") == 2
    assert game.view(state._replace(coming=((0, 1), *state.coming[1:])), 0) != game.view(state, 0)


def test_a_wide_search_finds_the_shortest_of_all_lines() -> None:
    game, won = Planned2048(2, 16, 7), 0

    def fewest(state: Position, most: int) -> int:
        if game.turn(state) == OVER or not most:
            return 0 if game.returns(state)[0] else 99
        return 1 + min(fewest(game.apply(state, move), most - 1) for move in game.legal(state))

    for seed in range(12):
        state = game.start(Draw("all", seed))
        line = plan(game, state, 10**6)
        assert (len(line) if line is not None else 99) == min(99, fewest(state, 7))
        won += line is not None
    assert 0 < won < 12


def test_it_is_lost_with_the_moves_and_won_with_the_tile() -> None:
    env = Game2048(size=2, goal=8)
    for left, won in ((2, True), (1, False)):
        state = Position((1, 1, 2, 0), ((3, 1),) * left, left)
        env.reset(seed=0, options={"task": Task(Planned2048(2, 8, 9, 2), state, ())})
        observation, reward, terminated, _, info = env.step("right, down")
        assert observation.startswith("You win." if won else "You lose.")
        assert (reward, terminated, info["metrics"]["largest"]) == (float(won), True, 8.0 if won else 4.0)
        assert info["metrics"]["score"] == (12.0 if won else 4.0)
