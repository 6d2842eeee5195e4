"""CircleTheCat: the cat against a simulator in cube coordinates, and how it is caught and lost."""

from turnwise.core.draw import Draw
from turnwise.envs.puzzles._depth import circle_the_cat as skilled
from turnwise.envs.puzzles._solo import Task
from turnwise.envs.puzzles.circle_the_cat import CircleTheCat
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo import circle_the_cat as cat

CUBE = {
    "left": (-1, 0), "right": (1, 0), "upper left": (0, -1), "upper right": (1, -1), "lower left": (-1, 1),
    "lower right": (0, 1),
}  # fmt: skip


def stepped(size: int, state: cat.Position) -> tuple[int, int]:
    """The cat's next cell and its distance from the edge before it, by a search in axial coordinates."""
    axial = {(c - (r - r % 2) // 2, r): r * size + c for r in range(size) for c in range(size)}
    free = {place for place, cell in axial.items() if not state.blocked >> cell & 1}
    edge = {p for p in free if axial[p] // size in (0, size - 1) or axial[p] % size in (0, size - 1)}
    far, layer, steps = dict.fromkeys(edge, 0), edge, 0
    while layer:
        steps += 1
        layer = {(q + a, r + b) for q, r in layer for a, b in CUBE.values()} & (free - set(far))
        far.update(dict.fromkeys(layer, steps))
    here = next(place for place, cell in axial.items() if cell == state.cat)
    if here not in far:
        return state.cat, -1
    ways = {side: (here[0] + a, here[1] + b) for side, (a, b) in CUBE.items()}
    step = next((ways[s] for s in state.order if far.get(ways[s]) == far[here] - 1), here)
    return axial[step], far[here]


def test_the_cat_takes_a_shortest_way_and_decides_by_its_order() -> None:
    caught = 0
    for size in (5, 6, 7, 9):
        game = cat.CircleTheCat(size, size)
        for seed in range(15):
            draw = Draw("cat", size, seed)
            state = game.start(draw)
            known = list(cat.plan(game, state, 3) or ()) if seed % 2 else []
            while game.turn(state) != OVER:
                move = known.pop(0) if known else draw.choice(game.legal(state))
                expected = stepped(size, state._replace(blocked=state.blocked | 1 << move))[0]
                state = game.apply(state, move)
                assert state.cat == expected
                assert game.distance(state) == stepped(size, state)[1]
            caught += game.returns(state) == (1.0,)
    assert caught


def test_the_planner_catches_the_cat() -> None:
    game, caught = cat.CircleTheCat(7, 8), 0
    for seed in range(8):
        state = game.start(Draw("plan", seed))
        line = cat.plan(game, state, 8)
        for move in line or ():
            assert game.turn(state) == 0
            state = game.apply(state, move)
        caught += line is not None
        assert line is None or stepped(7, state)[1] == -1
    assert caught > 3


def test_a_cat_that_has_one_way_left_is_caught_or_gets_away() -> None:
    game = cat.CircleTheCat(5, 5)
    ring = sum(1 << cell for cell in (6, 7, 11, 16, 17))
    for move, won in (("d3", True), ("a1", False)):
        env = CircleTheCat(size=5, walls=5)
        env.reset(seed=0, options={"task": Task(game, cat.Position(ring, 12, cat.SIDES), ())})
        observation, reward, terminated, _, info = env.step(move)
        if not won:
            assert observation.splitlines()[3] == "3 . # . C ."
            _, reward, terminated, _, info = env.step("b1")
        assert (reward, terminated, info["solved"]) == (float(won), True, won)


def test_the_players_read_the_position() -> None:
    env = CircleTheCat(difficulty=5)
    assert skilled._read(env.reset(seed=3)[0])[1] == env.task.state
    observation = env.step(env.oracle().split(",")[0])[0]
    game, state = skilled._read(observation)
    assert (game.size, state) == (9, env.state)
