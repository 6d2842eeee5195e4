"""Snake: the rules against a simulator with lists, what crashes, and known moves that eat every apple."""

from turnwise.core.draw import Draw
from turnwise.envs.puzzles._depth import snake as skilled
from turnwise.envs.puzzles._solo import Task
from turnwise.envs.puzzles.snake import Snake
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo import snake

STEP = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def simulated(game: snake.Snake, state: snake.Position, moves: list[str]) -> tuple[list[tuple[int, int]], int, bool]:
    """The snake, the apples eaten and whether it has crashed, by lists of coordinates."""
    body = [divmod(cell, game.columns) for cell in state.body]
    walls = {divmod(cell, game.columns) for cell in state.walls}
    eaten = 0
    for move in moves:
        head = body[0][0] + STEP[move][0], body[0][1] + STEP[move][1]
        if eats := head == divmod(state.apples[eaten], game.columns):
            eaten += 1
        else:
            body.pop()
        inside = 0 <= head[0] < game.rows and 0 <= head[1] < game.columns
        if not inside or head in walls or head in body:
            return body, eaten - eats, True
        body.insert(0, head)
    return body, eaten, False


def test_the_rules_are_those_of_a_simulator() -> None:
    crashed = eaten = 0
    for seed in range(60):
        draw = Draw("snake", seed)
        game = snake.Snake(5, 6, 2, 12, 300)
        first = state = game.start(draw)
        known = list(snake.plan(game, state) or ())
        moves: list[str] = []
        while game.turn(state) != OVER:
            legal = game.legal(state)
            assert len(legal) == 3
            follow = len(moves) < len(known) * (seed % 3) // 2 and moves == known[: len(moves)]
            moves.append(known[len(moves)] if follow else draw.choice(legal))
            state = game.apply(state, moves[-1])
            body, count, crash = simulated(game, first, moves)
            assert (len(first.apples) - len(state.apples), state.crashed) == (count, crash)
            assert crash or [divmod(cell, 6) for cell in state.body] == body
        crashed, eaten = crashed + state.crashed, eaten + count
    assert crashed > 20
    assert eaten > 100


def test_the_tail_leaves_its_cell_unless_an_apple_is_eaten() -> None:
    game = snake.Snake(4, 4, 0, 2)
    ring = snake.Position((0, 1, 5, 4), frozenset(), (15, 3), 9)
    assert not game.apply(ring, "down").crashed
    assert game.apply(ring._replace(apples=(4, 3)), "down").crashed
    assert game.apply(ring, "left").crashed
    assert game.legal(ring) == ["up", "down", "left"]


def test_an_episode_is_lost_with_the_moves_and_turning_back_costs_a_turn() -> None:
    env = Snake(rows=4, columns=4, apples=2)
    state = snake.Position((5, 4, 0), frozenset(), (7, 15), 3)
    env.reset(seed=0, options={"task": Task(snake.Snake(4, 4, 0, 2), state, ())})
    observation, _, _, _, info = env.step("left")
    assert info["invalid_action"]
    assert observation.startswith("Not a legal move.")
    observation, reward, terminated, _, info = env.step("right, right, down")
    assert observation.startswith("You lose.")
    assert (reward, terminated, info["metrics"]["apples"]) == (0.0, True, 1.0)


def test_the_players_read_the_position_and_plan_on_it() -> None:
    env = Snake(difficulty=4, moves_per_turn=200)
    observation = env.reset(seed=3)[0]
    game, state = skilled._read(observation)
    assert (game.rows, game.columns, state) == (env.rows, env.columns, env.task.state)
    assert env.step(f"<answer>{', '.join(skilled._planned(game, state))}</answer>")[1] == 1.0
