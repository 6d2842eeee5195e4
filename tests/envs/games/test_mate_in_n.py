"""MateInN: what is shipped against a search of its own, mirror images, defences, and splits of positions."""

from functools import lru_cache

import pytest

from turnwise.core.env import split_of
from turnwise.core.errors import SettingsError
from turnwise.envs.games._depth import mate_in_n as skilled
from turnwise.envs.games.mate_in_n import MateInN, Task, digest_of
from turnwise.worlds.games.chess import Chess, Move, Position, in_check
from turnwise.worlds.games.mates.library import Problem, canonical, shipped, turned, turns
from turnwise.worlds.games.mates.solver import Solver, defence

GAME = Chess()
CLASSES = sorted({(each.moves, each.pieces) for each in shipped()})


def some(moves: int, count: int) -> list[Problem]:
    """A few problems, from all over those of a kind."""
    found = [each for each in shipped() if each.moves == moves]
    return found[:: max(1, len(found) // count)][:count]


@lru_cache(maxsize=2**18)
def plain(state: Position, moves: int) -> bool:
    """Whether the side to move mates in at most so many moves: the definition, no order of moves, nothing cut off."""
    for move in GAME.legal(state):
        after = GAME.apply(state, move)._replace(past=(), quiet=0, number=1)
        replies = GAME.legal(after)
        if not replies:
            if in_check(after.board, after.seat):
                return True
        elif moves > 1 and all(
            plain(GAME.apply(after, reply)._replace(past=(), quiet=0, number=1), moves - 1) for reply in replies
        ):
            return True
    return False


def proved(problem: Problem) -> None:
    """A problem has one first move, no quicker mate, and a line of longest resistance."""
    state, line = turned(problem, turns(True)[0])
    moves = problem.moves
    assert moves == 1 or not plain(state, moves - 1)
    keys = []
    for move in GAME.legal(state):
        after = GAME.apply(state, move)._replace(past=(), quiet=0, number=1)
        replies = [GAME.apply(after, reply)._replace(past=(), quiet=0, number=1) for reply in GAME.legal(after)]
        mated = in_check(after.board, after.seat) if not replies else False
        if mated or (moves > 1 and replies and all(plain(reply, moves - 1) for reply in replies)):
            keys.append(move)
    assert keys == [line[0]]
    assert len(line) == 2 * moves - 1
    for number, move in enumerate(line):
        assert move in GAME.legal(state)
        left = moves - (number + 1) // 2
        if number % 2:
            assert any(not plain(GAME.apply(state, reply), left - 1) for reply in GAME.legal(state)) or left == 1
            assert left == 1 or not plain(GAME.apply(state, move), left - 1)
        state = GAME.apply(state, move)._replace(past=())
    assert in_check(state.board, state.seat)
    assert not GAME.legal(state)


@pytest.mark.parametrize(("moves", "count"), [(1, 20), (2, 3), pytest.param(2, 200, marks=pytest.mark.slow)])
def test_short_problems_are_what_they_say(moves: int, count: int) -> None:
    for problem in some(moves, count):
        proved(problem)


@pytest.mark.slow
def test_longer_problems_are_what_they_say() -> None:
    """Those with few pieces, as this search leaves nothing out and takes no short cut."""
    for problem in [each for each in shipped() if each.moves == 3 and each.pieces <= 5][:2]:
        proved(problem)


@pytest.mark.parametrize(
    ("moves", "count"),
    [(1, 40), (2, 8), (3, 1), *(pytest.param(n, c, marks=pytest.mark.slow) for n, c in [(2, 400), (3, 20), (4, 2)])],
)
def test_the_search_agrees(moves: int, count: int) -> None:
    """The search at hand, in Python, and the one that composed the problems, in C."""
    for problem in some(moves, count):
        state, line = turned(problem, turns(True)[0])
        solver = Solver()
        assert moves == 1 or not solver.mates(state, moves - 1)
        assert solver.keys(state, moves) == [line[0]]
        assert Solver(checks=True).mates(state, moves) != problem.quiet
        if moves > 1:
            after = GAME.apply(state, line[0])
            assert solver.replies(after, moves - 1)[0][0] == solver.distance(GAME.apply(after, line[1]), moves - 1)


def test_mirror_images_are_one_problem() -> None:
    for problem in (some(1, 9) + some(3, 9))[::2]:
        images = [turned(problem, turn)[0].board for turn in turns("p" in problem.board.lower())]
        assert {canonical(image) for image in images} == {canonical(problem.board)}
        assert len({digest_of(image) for image in images}) == 1
        for turn in turns("p" in problem.board.lower()):
            state, line = turned(problem, turn)
            for move in line:
                assert move in GAME.legal(state)
                state = GAME.apply(state, move)
            assert not GAME.legal(state)
            assert in_check(state.board, state.seat)


def test_no_position_is_shipped_twice() -> None:
    kept = [each for each in shipped() if each.moves > 1][::4]
    assert len({canonical(each.board) for each in kept}) == len(kept)


@pytest.mark.parametrize("level", [1, 4, 8, 10])
def test_splits_share_no_position(level: int) -> None:
    boards = {}
    for split in ("train", "test"):
        env = MateInN(difficulty=level, split=split)
        found = set()
        for seed in range(25):
            env.reset(seed=seed)
            assert split_of(digest_of(env.task.state.board)) == split
            found.add(canonical(env.task.state.board))
        boards[split] = found
        assert len(found) > 4
    assert not boards["train"] & boards["test"]


def test_the_third_level_has_four_checks_to_choose_from() -> None:
    for level, least in ((2, 2), (3, 4)):
        env = MateInN(difficulty=level)
        for seed in range(6):
            env.reset(seed=seed)
            state = env.task.state
            after = [GAME.apply(state, move) for move in GAME.legal(state)]
            assert sum(in_check(each.board, each.seat) for each in after) >= least
            assert [not GAME.legal(each) for each in after if in_check(each.board, each.seat)].count(True) == 1


def episode(fen: str, moves: int) -> MateInN:
    env = MateInN(moves=moves)
    env.reset(seed=0, options={"task": Task(GAME.from_fen(fen), moves, ())})
    return env


def test_a_wrong_move_is_answered_and_ends_the_game() -> None:
    env = episode("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 3)  # Kf7 or Kg6 mate in two
    observation, reward, terminated, _, info = env.step("Kf5")
    assert (reward, terminated, info["metrics"]["right_moves"]) == (0.0, True, 0.0)
    assert "You played Kf5. Black answers Kh7 and cannot be mated in 2 more moves" in observation


def test_a_move_that_is_not_the_first_of_the_line_but_mates_in_time_goes_on() -> None:
    env = episode("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 3)
    observation, _, terminated, *_ = env.step("Ra2")
    assert not terminated
    assert "mate in 2." in observation
    assert skilled._read(observation) == (env.state._replace(past=()), 2)
    env.step(env.oracle())
    assert env.step(env.oracle())[1] == 1.0


@pytest.mark.parametrize(
    ("fen", "move", "said"),
    [
        ("7k/8/5QK1/8/8/8/8/8 w - - 0 1", "Qg7", "Checkmate: solved."),
        ("7k/8/5QK1/8/8/8/8/8 w - - 0 1", "Qf7", "Stalemate: the problem is not solved."),
        ("7k/8/5QK1/8/8/8/8/8 w - - 0 1", "Kh6", "and is not mated"),
        ("7K/8/5qk1/8/8/8/8/8 b - - 0 1", "f6g7", "You played Qg7#. Checkmate: solved."),
    ],
)
def test_ends(fen: str, move: str, said: str) -> None:
    observation, reward, terminated, *_ = episode(fen, 1).step(move)
    assert said in observation
    assert (reward, terminated) == (float("Checkmate" in said), True)


def test_the_longest_resistance_is_played() -> None:
    state = GAME.from_fen("6k1/5R2/6K1/8/8/8/8/8 b - - 0 1")
    assert defence(state, 3) == (Move(62, 63), False)
    assert defence(GAME.from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 2) is None
    assert defence(GAME.from_fen("k7/8/8/8/8/8/8/KQ6 b - - 0 1"), 2) == (Move(56, 48), True)


def test_no_such_problem_is_refused() -> None:
    for settings in ({"least": 20, "moves": 4}, {"least": 9, "most": 8}, {"moves": 4, "most": 5, "checks": 12}):
        with pytest.raises(SettingsError, match="least is"):
            MateInN(**settings)
