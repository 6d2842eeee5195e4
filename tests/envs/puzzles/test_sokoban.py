"""Sokoban: pushing, rooms, the solver."""

from collections import deque

import numpy as np
import pytest

from turnwise.core.errors import SettingsError
from turnwise.envs.puzzles._rooms import play, solve
from turnwise.envs.puzzles.sokoban import Sokoban, Task


def room(text: str) -> Task:
    """A task from a drawing in the default glyphs."""
    rows = text.split()
    size = len(rows)
    cells = "".join(rows)
    sets = {glyphs: sum(1 << i for i, c in enumerate(cells) if c in glyphs) for glyphs in ("_OX√PS", "O√S", "X√")}
    player = next(i for i, c in enumerate(cells) if c in "PS")
    return Task(size, sets["_OX√PS"], sets["O√S"], sets["X√"], player, ())


def played(text: str, **knobs: object) -> Sokoban:
    task = room(text)
    env = Sokoban(size=task.size, num_boxes=task.boxes.bit_count(), max_turns=100, **knobs)
    env.reset(seed=0, options={"task": task})
    assert knobs.get("glyphs") or env.board() == "\n".join(text.split())
    return env


LINE = "##### #PXO# #___# #___# #####"
TWO = "####### #P____# #_XX_O# #____O# #_____# #_____# #######"


def test_push_and_solve() -> None:
    reply = played(LINE).respond("<answer>right</answer>")
    assert reply.solved and reply.observation == "Solved!"


def test_blocked_moves_change_nothing() -> None:
    env = played(LINE)
    before = env.board()
    assert env.respond("up").observation == f"Blocked.\n{before}"
    assert env.respond("down").observation != before
    env = played(TWO)
    env.respond("down")
    assert env.respond("right").observation.startswith("Blocked.")  # two boxes in a row


def test_glyphs_of_the_player_and_boxes_on_targets() -> None:
    env = played("##### #S__# #√X_# #_O_# #####")
    assert env.respond("right").observation == "#####\n#OP_#\n#√X_#\n#_O_#\n#####"
    env = played("##### #S__# #√X_# #_O_# #####", glyphs="WfgbBpP")
    assert env.board() == "WWWWW\nWPffW\nWBbfW\nWfgfW\nWWWWW"
    with pytest.raises(SettingsError, match="glyphs"):
        Sokoban(glyphs="##OX√PS")


def test_several_moves_in_a_turn_stop_when_solved() -> None:
    env = played(LINE, moves_per_turn=4)
    assert env.respond("down, up, right, left").solved
    assert played(LINE, moves_per_turn=2).respond("up up up").invalid


def test_plans_start_from_the_start() -> None:
    env = played("###### #P_XO# #____# #____# #____# ######", mode="plan")
    reply = env.respond("right")
    assert not reply.solved and reply.observation.startswith("Not solved; 0 of 1 boxes are on targets:\n######\n#_PXO#")
    assert env.respond("right").observation == reply.observation
    assert env.respond("RR").solved
    assert env.respond(" ".join(["up"] * 31)).invalid


def test_partial_credit_pays_new_records_only() -> None:
    env = played("###### #PXO_# #____# #_X__# #_O__# ######", partial=0.5)
    assert env.step("right")[1] == 0.25
    assert env.step("right")[1] == 0.0  # off the target again: nothing is taken back
    env = played("###### #PXO_# #____# #_X__# #_O__# ######", partial=0.5)
    total = sum(env.step(move)[1] for move in ("right", "down", "down"))
    assert total == 1.0
    assert env._over


def breadth_first(task: Task) -> int:
    """The fewest pushes, by search over single moves."""
    start = (task.boxes, task.player)
    far = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        if state[0] == task.targets:
            return far[state]
        for move in ("up", "down", "left", "right"):
            now = play(task.size, task.floor, *state, move)
            cost = far[state] + (now[0] != state[0])
            if cost < far.get(now, 10**9):
                far[now] = cost
                (queue.append if now[0] != state[0] else queue.appendleft)(now)
    return -1


def pushes(task: Task, plan: list[str]) -> int:
    boxes, player, count = task.boxes, task.player, 0
    for move in plan:
        before = boxes
        boxes, player = play(task.size, task.floor, boxes, player, move)
        count += boxes != before
    assert boxes == task.targets
    return count


@pytest.mark.parametrize("knobs", [{"num_boxes": 1, "pushes": 6}, {"num_boxes": 2, "pushes": 6}])
def test_solver_needs_the_fewest_pushes(knobs: dict[str, int]) -> None:
    rng = np.random.default_rng(5)
    env = Sokoban(size=6, max_turns=40, **knobs)
    for _ in range(25):
        task = env.generate(rng)
        plan = solve(task.size, task.floor, task.targets, task.boxes, task.player)
        assert plan is not None
        best = breadth_first(task)
        assert pushes(task, plan) == best
        assert best <= pushes(task, list(task.plan)) <= env.pushes
        if env.num_boxes == 1:
            assert pushes(task, list(task.plan)) == best


def test_solver_sees_dead_ends() -> None:
    dead = ["###### #XP__# #____# #_O__# #____# ######", "####### #XX___# #XXP__# #_____# #__OO_# #__OO_# #######"]
    for text in dead:
        task = room(text)
        assert solve(task.size, task.floor, task.targets, task.boxes, task.player) is None


@pytest.mark.parametrize("level", [1, 4, 6, 9])
def test_rooms_are_sound(level: int) -> None:
    env = Sokoban(difficulty=level)
    rng = np.random.default_rng(level)
    for _ in range(20):
        task = env.generate(rng)
        assert task.boxes != task.targets
        assert task.boxes.bit_count() == task.targets.bit_count() == env.num_boxes
        assert not (task.boxes | task.targets | 1 << task.player) & ~task.floor
        assert not task.boxes >> task.player & 1
        assert len(task.plan) <= env.max_turns
        pushes(task, list(task.plan))
        edge = [i for i in range(env.size**2) if {i // env.size, i % env.size} & {0, env.size - 1}]
        assert not any(task.floor >> i & 1 for i in edge)


def test_oracle_solves_after_a_detour() -> None:
    env = Sokoban(max_turns=60)
    solved = 0
    for seed in range(30):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        over = False
        for _ in range(3):
            over = over or env.step(env.sample_action(rng))[2]
        while not over:
            _, _, terminated, truncated, info = env.step(env.oracle())
            over = terminated or truncated
        solved += info["solved"] if env.turn > 3 else 1
    assert solved >= 24  # the rest are pushed into a corner


def test_where_the_player_stands_in_a_region_makes_no_other_room() -> None:
    env = played(TWO)
    other = room("####### #_P___# #_XX_O# #____O# #_____# #_____# #######")
    assert env.identity(env.task) == env.identity(other)
    split = room("####### #_P_X_# #_XXXO# #____O# #_____# #_____# #######")
    assert env.identity(split) != env.identity(other)


def test_too_many_boxes() -> None:
    with pytest.raises(SettingsError, match="num_boxes is 3"):
        Sokoban(size=5, num_boxes=3)


def test_partial_credit_goes_by_the_boxes_of_the_task() -> None:
    made = Sokoban(size=7, num_boxes=3, pushes=6, max_turns=40)
    made.reset(seed=3)
    env = Sokoban(num_boxes=1, partial=0.9, max_turns=60)
    env.reset(options={"task": made.task})
    rewards, over = [], False
    while not over:
        _, reward, terminated, truncated, _ = env.step(env.oracle())
        rewards.append(reward)
        over = terminated or truncated
    assert min(rewards) >= 0
    assert sum(rewards) == 1.0


@pytest.mark.parametrize("knobs", [{"mode": "plan"}, {"moves_per_turn": 5}])
def test_the_form_of_several_moves_is_told(knobs: dict[str, object]) -> None:
    text = Sokoban(**knobs).reset(seed=1)[0]
    assert "<answer>up || left || ...</answer>" in text
    assert all(move in text for move in ("up", "down", "left", "right"))
