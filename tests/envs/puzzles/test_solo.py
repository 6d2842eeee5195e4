"""Games for one player: what a message of several moves does, how each is won and lost, and that no guess is needed."""

from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.envs.puzzles._solo import Solo, Task
from turnwise.envs.puzzles.lights_out import LightsOut
from turnwise.envs.puzzles.minesweeper import Minesweeper
from turnwise.envs.puzzles.peg_solitaire import PegSolitaire
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo import game_2048, lights_out, minesweeper, peg_solitaire

every_solo = pytest.mark.parametrize("cls", [Minesweeper, LightsOut, PegSolitaire])


def lights(*lit: int, left: int = 9, **settings: Any) -> LightsOut:
    """An episode on 3 x 3 with those lights on."""
    env = LightsOut(rows=3, columns=3, presses=3, **settings)
    state = lights_out.Position(sum(1 << cell for cell in lit), left)
    env.reset(seed=0, options={"task": Task(env.rules(), state, ())})
    return env


def test_moves_are_made_up_to_the_first_that_is_not_legal() -> None:
    env = lights(0, 1, 3, 8)
    observation, reward, terminated, _, info = env.step("c3, z9, a1")
    assert observation.startswith("The first 1 of your moves was made; the next is not legal.\n")
    assert (reward, terminated, len(env.moves)) == (0.0, False, 1)
    assert "invalid_action" not in info


def test_a_message_that_begins_badly_changes_nothing() -> None:
    env = lights(0, 1, 3)
    before = env.state
    for text in ("z9, a1", "a1 a2", "", ", ".join(["a1"] * 11), "not a1", "a1 or a2", "a1, or maybe a2", "a1, r"):
        _, reward, terminated, _, info = env.step(text)
        assert (reward, terminated, env.state, info["invalid_action"]) == (0.0, False, before, True), text
    assert lights(0, 1, 3).step("a1")[1] == 1.0


def test_lights_are_lost_when_no_press_is_left() -> None:
    observation, reward, terminated, _, info = lights(0, 1, 3, left=1).step("b2")
    assert observation.startswith("You lose.")
    assert (reward, terminated, info["solved"]) == (0.0, True, False)


@pytest.mark.parametrize("size", range(2, 9))
def test_the_fewest_presses_are_found(size: int) -> None:
    game = lights_out.LightsOut(size, size, size)
    for seed in range(20):
        state = game.start(Draw("lights", seed))
        presses = lights_out.shortest(game, state)
        assert presses is not None
        assert 0 < len(presses) <= size
        for press in presses:
            state = game.apply(state, press)
        assert not state.lit
    assert lights_out.shortest(lights_out.LightsOut(5, 5), lights_out.Position(1, 9)) is None, "one light of 5 x 5"


def test_a_mine_loses_and_shows_where_they_are() -> None:
    env = Minesweeper()
    env.reset(seed=2)
    game, mines = env.task.game, env.task.state.mines
    mine = mines.bit_length() - 1
    observation, reward, terminated, _, info = env.step(game.write(env.state, mine))
    assert observation.startswith("You lose.")
    assert observation.count("*") == env.mines
    assert (reward, terminated, info["solved"]) == (0.0, True, False)


def test_cells_that_are_open_are_passed_over() -> None:
    env = Minesweeper()
    env.reset(seed=2)
    game, opened = env.task.game, env.task.state.opened
    done = game.write(env.state, opened.bit_length() - 1)
    safe = game.write(env.state, env.task.line[0])
    assert env.step(done)[4]["invalid_action"]
    observation = env.step(f"{done}, {safe}, {done}")[0]
    assert "not legal" not in observation
    assert len(env.moves) == 1


@pytest.mark.parametrize("level", [1, 5, 10])
def test_no_field_needs_a_guess(level: int) -> None:
    """Every cell that the rules of deduction open is without a mine, and what is shown is all that they use."""
    env = Minesweeper(difficulty=level)
    for seed in range(4):
        env.reset(seed=seed)
        game, state = env.task.game, env.task.state
        while game.turn(state) != OVER:
            safe = minesweeper.certain(game, state)
            assert safe
            assert not safe & state.mines
            state = game.apply(state, safe.bit_length() - 1)
        assert game.returns(state) == (1.0,)


def test_mines_are_seen_by_their_numbers_only() -> None:
    """Mines that no open cell touches can lie elsewhere without a change in what is seen."""
    game = minesweeper.Minesweeper(8, 8, 8, guessing=True)
    moved = 0
    for seed in range(30):
        state = game.start(Draw("hidden", seed))
        near = 0
        for cell in range(64):
            if state.opened >> cell & 1:
                near |= minesweeper._around(8, 8)[cell]
        free = [cell for cell in range(64) if not (near | state.opened) >> cell & 1]
        loose = [cell for cell in free if state.mines >> cell & 1]
        if loose and len(loose) < len(free):
            fixed = state.mines & ~sum(1 << cell for cell in loose)
            other = state._replace(mines=fixed | sum(1 << c for c in Draw("moved", seed).sample(free, len(loose))))
            moved += other != state
            assert game.view(other, 0) == game.view(state, 0)
            assert minesweeper.certain(game, other) == minesweeper.certain(game, state)
    assert moved > 10


def test_pegs_that_cannot_jump_lose() -> None:
    env = PegSolitaire(size=4, pegs=3)
    game = env.rules()
    state = peg_solitaire.Position(1 << 0 | 1 << 1 | 1 << 15)
    env.reset(seed=0, options={"task": Task(game, state, ())})
    observation, reward, terminated, _, info = env.step("a1-c1")
    assert observation.startswith("You lose.")
    assert (reward, terminated, info["metrics"]["pegs_left"]) == (0.0, True, 2.0)


def test_tiles_slide_and_merge_once() -> None:
    game = game_2048.Game2048(4, 2048)
    row = (1, 1, 1, 1, 2, 0, 1, 1, 3, 0, 0, 3, 0, 0, 0, 0)
    state = game.apply(game_2048.Position(row, 0), "left")
    assert state.tiles == (2, 2, 0, 0, 2, 2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0)
    assert (state.score, state.due) == (4 + 4 + 4 + 16, 1)
    assert game.legal(game_2048.Position((1, 2, 1, 2) * 4, 0)) == ["up", "down"]
    odds = game.odds(game.initial())
    assert sum(odds) == pytest.approx(1.0)
    assert len(odds) == 32


@every_solo
def test_move_by_move_the_known_moves_win(cls: type[Solo]) -> None:
    env = cls(moves_per_turn=1, max_turns=200)
    for seed in range(5):
        env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            _, reward, over, _, info = env.step(env.oracle())
            total += reward
        assert (total, info["metrics"]["moves"]) == (1.0, len(env.task.line))


@pytest.mark.parametrize(
    ("cls", "settings"),
    [(Minesweeper, {"rows": 4, "columns": 4, "mines": 9}), (LightsOut, {"rows": 2, "columns": 2, "presses": 5}),
     (PegSolitaire, {"size": 4, "pegs": 16}), (game_2048.Game2048, {"goal": 100})],
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(cls: Any, settings: dict[str, int]) -> None:
    with pytest.raises(SettingsError):
        cls(**settings)
