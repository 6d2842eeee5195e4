"""LaneDefence: the rules by example and against a simulator on a grid, plans that win by the rules alone."""

import pytest

from turnwise.core.draw import Draw
from turnwise.envs.puzzles._depth import lane_defence as skilled
from turnwise.envs.puzzles._solo import Task
from turnwise.envs.puzzles.lane_defence import LaneDefence
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo import lane_defence as lanes
from turnwise.worlds.games.solo.lane_plans import Builder, by_price, plan

HEALTH = {"walker": 8, "runner": 6, "brute": 24, "jumper": 8}
COST = {"mint": 50, "archer": 60, "cannon": 110, "wall": 30, "trap": 25}


class Unit:
    """An attacker of the simulator."""

    def __init__(self, lane: int, column: int, kind: str) -> None:
        self.lane, self.column, self.kind, self.health = lane, column, kind, HEALTH[kind]
        self.may_jump = kind == "jumper"

    @property
    def shown(self) -> tuple[int, int, str, int, bool]:
        return self.lane, self.column, self.kind, self.health, self.may_jump


class Field:
    """The game with objects that change, a round at a time."""

    def __init__(self, game: lanes.LaneDefence, state: lanes.Position) -> None:
        self.game, self.coins, self.round, self.lost = game, state.coins, 1, False
        self.coming = list(state.coming)
        self.grid: dict[tuple[int, int], list[object]] = {}
        self.units: list[Unit] = []

    def play(self, kind: str, lane: int, column: int) -> None:
        if kind != "wait":
            self.coins -= COST[kind]
            self.grid[lane, column] = [kind, {"wall": 16, "trap": 1}.get(kind, 4)]
        for lane, column in sorted(self.grid):
            self.shoot(lane, column, str(self.grid[lane, column][0]))
        for unit in list(self.units):
            pace = {"walker": 1, "jumper": 1, "runner": 2, "brute": int(self.round % 2 == 0)}[unit.kind]
            while pace and unit.health > 0 and not self.lost:
                pace = self.moved(unit, pace)
        self.units = [unit for unit in self.units if unit.health > 0]
        while self.coming and self.coming[0][0] == self.round:
            _, lane, kind = self.coming.pop(0)
            self.units.append(Unit(lane, self.game.columns, kind))
        self.coins += self.game.income + 6 * [name for name, _ in self.grid.values()].count("mint")
        self.round += 1

    def shoot(self, lane: int, column: int, kind: str) -> None:
        row = [unit for unit in self.units if unit.lane == lane and unit.column >= column]
        if kind not in ("archer", "cannon") or not row:
            return
        aim = row[0]
        for unit in row:
            aim = unit if unit.column < aim.column else aim
        for unit in self.units:
            beside = kind == "cannon" and unit.column == aim.column and unit.lane - lane in (-1, 0, 1)
            unit.health -= 2 * (unit is aim or beside)
        self.units = [unit for unit in self.units if unit.health > 0]

    def moved(self, unit: Unit, pace: int) -> int:
        """Make a step of an attacker; return the steps that it has left."""
        at = unit.lane, unit.column - 1
        if unit.column == 0:
            self.lost = True
            return 0
        if at not in self.grid:
            unit.column -= 1
        elif self.grid[at][0] == "trap":
            del self.grid[at]
            for other in self.units:
                other.health -= 12 * ((other.lane, other.column) == (unit.lane, unit.column))
            return 0
        elif unit.may_jump and unit.column >= 2 and (unit.lane, unit.column - 2) not in self.grid:
            unit.column, unit.may_jump = unit.column - 2, False
        else:
            health = int(str(self.grid[at][1])) - (3 if unit.kind == "brute" else 1)
            self.grid[at][1] = health
            if health <= 0:
                del self.grid[at]
        return pace - 1


def test_the_rules_are_those_of_a_simulator() -> None:
    won = lost = 0
    for seed in range(30):
        game = lanes.LaneDefence(3, 5, 12, 4, 15, 8, 150, 25)
        draw = Draw("lanes", seed)
        state = game.start(draw)
        field = Field(game, state)
        while game.turn(state) != OVER:
            move = draw.choice(game.legal(state))
            kind, (lane, column) = move[0], divmod(move[1], 5)
            state = game.apply(state, move)
            field.play(kind, lane, column)
            assert state.overrun == field.lost
            if state.overrun:
                break
            assert (state.coins, state.round) == (field.coins, field.round)
            assert [tuple(foe) for foe in state.foes] == [unit.shown for unit in field.units]
            assert [(divmod(c, 5), k, h) for c, k, h in state.guards] == [
                (at, *field.grid[at]) for at in sorted(field.grid)
            ]
        won, lost = won + (game.returns(state)[0] > 0), lost + state.overrun
    assert won
    assert lost


def at(game: lanes.LaneDefence, foes: str, guards: str = "", coins: int = 100) -> lanes.Position:
    """A position: attackers as "walker c1", defenders as "archer a1"."""
    cell = lanes.cells.named(game.lanes, game.columns)
    pairs = [text.split() for text in foes.split(", ")]
    found = [
        lanes.Foe(*divmod(cell[where], game.columns), kind, HEALTH[kind], kind == "jumper") for kind, where in pairs
    ]
    built = [text.split() for text in guards.split(", ") if text]
    return lanes.Position(
        1, coins, tuple(sorted((cell[w], k, lanes.DEFENDERS[k].health) for k, w in built)), tuple(found), ()
    )


@pytest.mark.parametrize(
    ("foes", "guards", "move", "after"),
    [
        ("walker c1, walker c1", "", "trap b1", "Attackers: none"),
        ("walker c1", "", "archer a1", "walker on b1 (health 6)"),
        ("walker c1, walker c2", "", "cannon a1", "walker on b1 (health 6), walker on b2 (health 6)"),
        ("runner d1", "", "wait", "runner on b1 (health 6)"),
        ("brute c1", "", "wait", "brute on c1 (health 24)"),
        ("jumper c1", "", "wall b1", "jumper on a1 (health 8, has jumped)"),
        ("jumper c1", "wall a1", "wall b1", "jumper on c1 (health 8)"),
        ("walker b1", "", "wall a1", "wall a1 (health 15)"),
        ("walker a1", "", "archer b1", "You lose."),
        ("walker b1", "", "wait", "walker on a1 (health 8)"),
    ],
)  # fmt: skip
def test_a_round(foes: str, guards: str, move: str, after: str) -> None:
    game = lanes.LaneDefence(2, 4)
    env = LaneDefence(lanes=2, columns=4)
    env.reset(seed=0, options={"task": Task(game, at(game, foes, guards, 200), ())})
    observation, reward, terminated, *_ = env.step(move)
    assert after in observation
    assert (reward == 1.0) == (terminated and "You win." in observation) == (after == "Attackers: none")


def test_what_comes_later_is_only_counted() -> None:
    game = lanes.LaneDefence(2, 5, 4, 2, 20, 3)
    base = lanes.Position(1, 100, (), (), ((2, 0, "walker"), (3, 1, "runner"), (9, 0, "walker"), (12, 1, "walker")))
    other = base._replace(coming=(*base.coming[:2], (10, 1, "walker"), (12, 0, "walker")))
    assert game.view(base, 0) == game.view(other, 0)
    view = game.view(base, 0)
    assert "Arriving in rounds 1 to 3: round 2 walker in lane 1, round 3 runner in lane 2" in view
    assert "Later, up to round 12: 2 walkers" in view


def test_tasks_are_lost_by_careless_play_and_won_by_the_plan() -> None:
    env = LaneDefence(difficulty=6)
    for seed in range(2):
        env.reset(seed=seed)
        game, first = env.task.game, env.task.state
        for choose in (by_price, Builder().choose, lambda game, state: ("wait", 0)):
            state = first
            while game.turn(state) != OVER:
                state = game.apply(state, choose(game, state))
            assert state.overrun
        state = first
        for move in env.task.line:
            assert move in game.legal(state)
            state = game.apply(state, move)
        assert game.returns(state) == (1.0,)


def test_a_lost_position_has_no_plan_and_the_metrics_tell_how_far_it_went() -> None:
    env = LaneDefence(lanes=1, columns=4, attackers=1)
    game = lanes.LaneDefence(1, 4, 1)
    env.reset(seed=0, options={"task": Task(game, at(game, "brute a1", "", 0)._replace(round=2), ())})
    assert plan(game, env.state) is None
    _, reward, terminated, _, info = env.step(env.oracle())
    assert (reward, terminated, info["metrics"]["rounds"], info["metrics"]["share"]) == (0.0, True, 1.0, 0.0)


def test_the_scripted_agents_read_what_is_shown() -> None:
    env = LaneDefence(difficulty=5)
    observation, _ = env.reset(seed=2)
    game = env.task.game
    first = observation
    while not env._over:
        read, state = skilled._read([first, observation])
        known = env.state._replace(
            coming=tuple(each for each in env.state.coming if each[0] < env.state.round + game.announced)
        )
        assert (read.lanes, read.columns, read.income) == (game.lanes, game.columns, game.income)
        assert state == known._replace(destroyed=state.destroyed)
        observation, *_ = env.step(env.oracle())
