"""FreeCell: its moves one by one, and the solver against all positions of small decks."""

import pytest

from turnwise.core.draw import Draw
from turnwise.envs.puzzles._solo import Task
from turnwise.envs.puzzles.freecell import FreeCell
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo import freecell
from turnwise.worlds.games.solo.freecell import Position


def card(name: str) -> int:
    return freecell._RANKS.index(name[:-1]) * 4 + "SHCD".index(name[-1])


def position(*columns: str, cells: str = "", home: tuple[int, ...] = (0, 0, 0, 0), left: int = 50) -> Position:
    piles = tuple(tuple(map(card, column.split())) for column in columns)
    return Position(piles, tuple(sorted(map(card, cells.split()))), home, left)


def test_where_each_card_may_go() -> None:
    game = freecell.FreeCell(4, 6, 4, 2)
    state = position("AS 4H", "5S", "3C", "", cells="2S", home=(0, 0, 0, 0))
    moves = {game.write(state, move) for move in game.legal(state)}
    assert moves == {"4H 2", "4H 4", "4H cell", "5S 4", "5S cell", "3C 1", "3C 4", "3C cell", "2S 4"}
    full = position("AS 4H", "5S", "3C", "", cells="2S 6S")
    assert not any(game.write(full, move).endswith("cell") for move in game.legal(full))
    last = position("3H", "5S 2D", "AH", "2S", home=(1, 0, 0, 1))
    assert {"2D home", "AH home", "2S home", "2S 1"} <= {game.write(last, move) for move in game.legal(last)}
    after = game.apply(last, (card("2D"), -1))
    assert (after.home, after.columns[1], after.left) == ((1, 0, 0, 2), (card("5S"),), 49)


def every_position(game: freecell.FreeCell, state: Position) -> bool:
    """Whether any line of play at all brings every card home."""
    seen, stack = {state._replace(left=1)}, [state]
    while stack:
        state = stack.pop()
        if sum(state.home) == game.suits * game.ranks:
            return True
        for move in game.legal(state):
            after = game.apply(state, move)
            if after._replace(left=1) not in seen:
                seen.add(after._replace(left=1))
                stack.append(after)
    return False


@pytest.mark.parametrize("game", [freecell.FreeCell(2, 5, 3, 1), freecell.FreeCell(3, 4, 3, 1)])
def test_the_solver_solves_what_can_be_solved(game: freecell.FreeCell) -> None:
    solved = 0
    for seed in range(20):
        state = game.start(Draw("freecell", seed))
        line = freecell.solve(game, state, 10**6)
        assert (line is not None) == every_position(game, state)
        for move in line or ():
            assert move in game.legal(state)
            state = game.apply(state, move)
        assert line is None or (game.turn(state), game.returns(state)) == (OVER, (1.0,))
        solved += line is not None
    assert 0 < solved < 20


def test_moves_run_out_and_words_around_them_are_no_move() -> None:
    env = FreeCell()
    state = position("AH AS", "2H 2S", home=(0, 0), left=3)
    env.reset(seed=0, options={"task": Task(freecell.FreeCell(2, 3, 3, 2), state, ())})
    assert env.step("AS home, or not")[4]["invalid_action"]
    assert env.step("2S  HOME")[4]["invalid_action"]
    _, reward, terminated, _, info = env.step("as home, 2s home, ah home")
    assert (reward, terminated, info["metrics"]["cards_home"]) == (0.0, True, 3.0)
