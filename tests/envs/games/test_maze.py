"""Maze: the map, the walls, the ways."""

import itertools

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import SettingsError
from turnwise.envs.games.maze import Maze, Task, distances

STEPS = {"up": (-1, 0, 1), "down": (1, 0, 2), "left": (0, -1, 4), "right": (0, 1, 8)}
PLUS = Task(3, (2, 2, 2, 9 + 2, 15, 4 + 1 + 2, 1, 1, 1), 3, 5)  # a cross of corridors; not generated, for the rules


def played(task: Task, **knobs: object) -> Maze:
    env = Maze(size=task.size, max_turns=50, **knobs)
    env.reset(seed=0, options={"task": task})
    return env


@settings(max_examples=60)
@given(st.integers(3, 20), st.integers(1, 60), st.floats(0, 1), st.integers(0, 2**32))
def test_mazes_are_whole_and_the_goal_is_in_reach(size: int, turns: int, openings: float, seed: int) -> None:
    env = Maze(size=size, max_turns=turns, openings=openings)
    env.reset(seed=seed)
    exits = env.task.exits
    for r, c in itertools.product(range(size), repeat=2):
        for dr, dc, bit in STEPS.values():
            if exits[r * size + c] & bit:  # every opening is inside, and open from both sides
                back = next(b for x, y, b in STEPS.values() if (x, y) == (-dr, -dc))
                assert 0 <= r + dr < size and 0 <= c + dc < size
                assert exits[(r + dr) * size + c + dc] & back
    far = distances(size, exits, env.task.goal)
    assert min(far) >= 0
    longest = min(turns, 2 * (size - 1))
    assert 0.75 * longest <= far[env.task.start] <= longest
    passages = sum(e.bit_count() for e in exits) // 2
    spare = 2 * size * (size - 1) - (size**2 - 1)
    assert passages == size**2 - 1 + round(openings * spare)


def test_every_spanning_tree_comes_up() -> None:
    env, rng = Maze(size=3, openings=0.0), np.random.default_rng(0)
    assert len({env.generate(rng).exits for _ in range(6000)}) == 192  # spanning trees of the 3 x 3 grid (OEIS A007341)


def test_walls_stop_and_openings_let_through() -> None:
    env = played(PLUS, style="drawn")
    assert env.respond("left").observation == "Wall. At a2: udr."
    assert env.respond("right").observation == "At b2: udlr."
    assert env.respond("north").observation == "At b1: d."
    assert env.respond("go west").observation == "Wall. At b1: d."
    assert env.respond("d").observation == "At b2: udlr."
    reply = env.respond("<answer>right</answer>")
    assert reply.solved and reply.observation == "Goal!"


def test_drawing_and_cells() -> None:
    env = played(PLUS, style="drawn", rules=False)
    assert env.begin().split("\n")[3:6] == ["  +   +   +   +", " 2|           |", "  +   +   +   +"]
    assert played(PLUS, rules=False).begin() == "d d d\nudr udlr udl\nu u u\nAt a2: udr. Goal c2."


def test_partial_view_shows_only_the_sides() -> None:
    env = played(PLUS, view="partial", rules=False)
    assert env.begin() == "Open: up, down, right."
    assert env.respond("left").observation == "Wall. Open: up, down, right."
    assert env.respond("right").observation == "Open: up, down, left, right."


def test_lean_observation() -> None:
    first, _ = Maze(size=3, max_turns=4, rules=False).reset(seed=0)
    assert len(first) < 60


def test_several_moves_in_a_turn() -> None:
    env = played(PLUS, moves_per_turn=3)
    assert env.respond("right, up, left, down").invalid
    reply = env.respond("up || up || down")
    assert reply.observation == "Wall. At a2: udr." and reply.metrics == {"bumps": 1.0}
    assert env.respond("RRR").solved
    assert played(PLUS).respond("right right").invalid


def test_oracle_takes_the_shortest_way_from_anywhere() -> None:
    env = gymnasium.make("turnwise/Maze-v0", size=6, max_turns=40).unwrapped
    assert isinstance(env, Maze)
    for seed in range(20):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(10):
            if env.step(env.sample_action(rng))[2]:
                break
        else:
            left = distances(6, env.task.exits, env.task.goal)[env.position]
            for move in range(left):
                solved = env.step(env.oracle())[2]
                assert solved == (move == left - 1)


def test_distance_must_fit() -> None:
    with pytest.raises(SettingsError, match="distance is 7"):
        Maze(size=4, distance=7, max_turns=20)
    with pytest.raises(SettingsError, match="distance is 6"):
        Maze(size=4, distance=6, max_turns=5)
    env = Maze(size=6, distance=4, max_turns=20, view="partial")
    for seed in range(30):
        env.reset(seed=seed)
        assert 3 <= distances(6, env.task.exits, env.task.goal)[env.task.start] <= 4


def test_a_task_of_another_size_is_played_as_it_is() -> None:
    made = Maze(size=9, max_turns=16)
    made.reset(seed=1)
    env = Maze(size=4, max_turns=60)
    env.reset(options={"task": made.task})
    over = False
    while not over:
        *_, terminated, truncated, info = env.step(env.oracle())
        over = terminated or truncated
    assert info["solved"]


def test_the_form_of_several_moves_is_told() -> None:
    assert "<answer>up || left || ...</answer>" in Maze(moves_per_turn=40).reset(seed=1)[0]
