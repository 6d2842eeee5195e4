"""FrozenLake: the rules, the ice and what can be known of it."""

import itertools

import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from turnwise.core.errors import SettingsError
from turnwise.envs.games.frozen_lake import FrozenLake, Task, drift

CLOCK = ("up", "right", "down", "left")
LAKE = Task(4, "SFFF" + "FHFH" + "FFFH" + "HFFG", 12345)  # gymnasium's own 4 x 4 map


def played(task: Task, **knobs: object) -> FrozenLake:
    env = FrozenLake(size=task.size, max_turns=100, **knobs)
    env.reset(seed=0, options={"task": task})
    return env


def test_moves_edges_holes_and_goal() -> None:
    env = played(LAKE)
    assert env.respond("up").observation == "At a1."
    assert env.respond("down").observation == "At a2."
    reply = env.respond("right")
    assert reply.done and not reply.solved and reply.observation == "You fell into the hole at b2."
    env = played(LAKE, moves_per_turn=8)
    assert env.respond("down down right down right right up").solved  # what follows the goal is not played
    env = played(LAKE, moves_per_turn=8)
    assert env.respond("RRRDDDDD").observation == "You fell into the hole at d2."


def test_looking_around() -> None:
    env = played(LAKE, look=True, rules=False)
    assert env.begin() == "S F F F\nF H F H\nF F F H\nH F F G\nAt a1: # F # F."
    assert env.respond("down").observation == "At a2: S F # H."


def test_dynamics_are_gymnasiums() -> None:
    """Every move from every cell, straight and aside, leads where gymnasium's table says."""
    theirs = FrozenLakeEnv(desc=["SFFF", "FHFH", "FFFH", "HFFG"], is_slippery=True)
    order = {"left": 0, "down": 1, "right": 2, "up": 3}
    for cell, move in itertools.product(range(16), CLOCK):
        if LAKE.lake[cell] in "HG":
            continue
        reached = set()
        for seed in range(40):
            env = played(Task(4, LAKE.lake, seed), slip=2 / 3)
            env.position = cell
            env.respond(move)
            reached.add(env.position)
        assert reached == {row[1] for row in theirs.P[cell][order[move]]}


def test_slip_rates() -> None:
    draws = [drift(seed, clock, cell, 0.3) for seed in range(40) for clock in range(20) for cell in range(16)]
    assert abs(draws.count(1) / len(draws) - 0.15) < 0.01
    assert abs(draws.count(-1) / len(draws) - 0.15) < 0.01


def test_best_rate_is_the_known_one() -> None:
    """0.74 is the well-known value of the 4 x 4 map with 100 steps (0.8235 with any number of them)."""
    assert abs(played(LAKE, slip=2 / 3).best_rate() - 0.74) < 0.005
    env = FrozenLake(size=4, slip=2 / 3, max_turns=1000)
    env.reset(options={"task": LAKE})
    assert abs(env.best_rate() - 14 / 17) < 1e-4
    assert played(LAKE).best_rate() == 1.0


def test_best_rate_is_reached_by_its_policy() -> None:
    """A blind policy's success over many ices agrees with value iteration (one corridor with holes aside)."""
    task = Task(3, "HFHSFGHFH", 0)
    env = FrozenLake(size=3, slip=0.3, max_turns=2)
    solved = 0
    for seed in range(3000):
        env.reset(options={"task": Task(3, task.lake, seed)})
        env.step("right")
        solved += env.position == 4 and env.step("right")[4]["solved"]
    env.reset(options={"task": task})
    assert abs(env.best_rate() - 0.49) < 1e-9
    assert abs(solved / 3000 - 0.49) < 0.03


@pytest.mark.parametrize("knobs", [{}, {"slip": 0.5}, {"slip": 0.9, "size": 3}, {"slip": 0.4, "moves_per_turn": 4}])
def test_oracle_always_arrives_in_time(knobs: dict[str, float]) -> None:
    for seed in range(60):
        env = FrozenLake(**knobs)
        env.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(env.oracle())
            over = terminated or truncated
        assert info["solved"]


def test_oracle_finds_back_or_does_its_best() -> None:
    env = FrozenLake(size=6, slip=0.2, max_turns=60)
    for seed in range(20):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        over = env.step(env.sample_action(rng))[2] or env.step("nonsense")[2]
        while not over:
            _, _, terminated, truncated, info = env.step(env.oracle())
            over = terminated or truncated
        assert info["solved"] or info["metrics"]["turns"] == 1


def test_invalid_messages_do_not_move_the_ice() -> None:
    a, b = played(LAKE, slip=0.6), played(LAKE, slip=0.6)
    for _ in range(3):
        assert a.step("what?")[4]["invalid_action"]
    assert a.step("down")[0] == b.step("down")[0]


def test_the_ice_is_no_part_of_the_identity() -> None:
    env = FrozenLake()
    assert env.identity(LAKE) == env.identity(Task(4, LAKE.lake, 99))


def test_impossible_settings() -> None:
    env = FrozenLake(size=20, holes=0.6, slip=0.9, max_turns=38)
    with pytest.raises(SettingsError, match=r"holes=0\.6"):
        [env.reset(seed=seed) for seed in range(50)]


def test_a_task_of_another_size_is_played_as_it_is() -> None:
    made = FrozenLake(size=9, max_turns=40, slip=0.2)
    made.reset(seed=1)
    env = FrozenLake(size=4, max_turns=60, slip=0.2)
    env.reset(options={"task": made.task})
    over = False
    while not over:
        *_, terminated, truncated, info = env.step(env.oracle())
        over = terminated or truncated
    assert info["solved"]


def test_the_form_of_several_moves_is_told() -> None:
    assert "<answer>up || left || ...</answer>" in FrozenLake(moves_per_turn=40).reset(seed=1)[0]
